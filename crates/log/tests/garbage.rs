//! Whatever stands in a folder's files, an open ends with a log or a coded error: never a panic,
//! never a batch that is not whole.

mod support;

use std::fs;

use highwater_log::*;
use highwater_records::*;
use highwater_types::*;
use proptest::prelude::*;
use support::*;

#[derive(Debug, Clone)]
enum Damage {
    Cut(usize),
    Flip(usize),
    Zero(usize, usize),
    Append(Vec<u8>),
    Overwrite(usize, Vec<u8>),
    Remove,
    RenameTo(i64),
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        any::<usize>().prop_map(Damage::Cut),
        any::<usize>().prop_map(Damage::Flip),
        (any::<usize>(), 1..200usize).prop_map(|(at, len)| Damage::Zero(at, len)),
        prop::collection::vec(any::<u8>(), 1..200).prop_map(Damage::Append),
        (any::<usize>(), prop::collection::vec(any::<u8>(), 1..30))
            .prop_map(|(at, bytes)| Damage::Overwrite(at, bytes)),
        Just(Damage::Remove),
        prop_oneof![0..100i64, Just(i64::MAX), Just(i64::MAX - 5)].prop_map(Damage::RenameTo),
    ]
}

fn apply(bench: &Bench, file: usize, damage: &Damage) {
    let names = bench.names();
    let Some(name) = names.get(file % names.len().max(1)) else { return };
    let path = bench.path().join(name);
    let mut bytes = fs::read(&path).unwrap();
    let len = bytes.len().max(1);
    match damage {
        Damage::Cut(at) => bytes.truncate(at % len),
        Damage::Flip(bit) => {
            let byte = bit / 8 % len;
            bytes.iter_mut().skip(byte).take(1).for_each(|byte| *byte ^= 1 << (bit % 8));
        }
        Damage::Zero(at, count) => {
            bytes.iter_mut().skip(at % len).take(*count).for_each(|byte| *byte = 0);
        }
        Damage::Append(more) => bytes.extend(more),
        Damage::Overwrite(at, new) => {
            let slots = bytes.iter_mut().skip(at % len);
            slots.zip(new).for_each(|(slot, byte)| *slot = *byte);
        }
        Damage::Remove => return fs::remove_file(path).unwrap(),
        Damage::RenameTo(offset) => {
            if let Some((_, suffix)) = name.split_once('.') {
                fs::rename(path, bench.path().join(format!("{offset:020}.{suffix}"))).unwrap();
            }
            return;
        }
    }
    fs::write(path, bytes).unwrap();
}

fn folder() -> Bench {
    let bench = Bench::new(LogConfig {
        segment_bytes: 1_500,
        index_interval_bytes: 200,
        index_bytes_max: 960,
        ..LogConfig::default()
    });
    let mut log = bench.open();
    let codecs = [Compression::None, Compression::Zstd, Compression::Lz4];
    for n in 0..40 {
        let options = BatchOptions {
            compression: codecs[n % 3],
            producer_id: 1,
            producer_epoch: 0,
            base_sequence: 2 * n as i32,
            ..Default::default()
        };
        let times = [NOW.get() + n as i64, NOW.get()];
        appended(
            &mut log,
            pending(batch_at(options, &times, &[n as u8; 30]), AppendOrigin::Client),
        );
    }
    log.close().unwrap();
    bench
}

/// Uses the log in every way; errors are fine.
fn exercise(mut log: Log) -> Result<(), LogError> {
    let reader = log.reader();
    let mut next = reader.log_start();
    while next < reader.log_end() {
        let slice = match reader.read(next, 600, Offset(i64::MAX), true) {
            Ok(slice) => slice,
            Err(ReadError::Storage(error)) => return Err(error),
            Err(error) => panic!("{error}"),
        };
        let bytes = bytes_of(&slice);
        let before = next;
        for batch in batches(&bytes, Tail::Strict) {
            next = Offset(batch.unwrap().header().next_offset());
        }
        if next <= before {
            break;
        }
    }
    reader.offset_for_time(NOW.plus_ms(20))?;
    reader.offset_of_max_timestamp()?;
    log.apply_retention(NOW, log.log_end())?;
    let mut batches = [plain(1, b"v")];
    log.append(&mut batches, LeaderEpoch(0), NOW)?;
    log.truncate_to(log.log_end().plus(-3), NOW)?;
    log.append(&mut batches, LeaderEpoch(1), NOW)?;
    log.flush()?;
    log.close().map(|_| ())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_damage_is_worse_than_an_error(
        damages in prop::collection::vec((any::<usize>(), damage()), 1..5),
        clean: bool,
        recovery_point in prop_oneof![Just(0), 0..90i64],
        log_start in prop_oneof![Just(0), 0..90i64],
    ) {
        let bench = folder();
        for (file, damage) in &damages {
            apply(&bench, *file, damage);
        }
        for clean in [clean, false] {
            let options = OpenOptions {
                clean,
                recovery_point: Offset(recovery_point),
                log_start: Offset(log_start),
                ..bench.options()
            };
            // Any coded error will do.
            if let Ok(log) = bench.try_open(options) {
                let _ = exercise(log);
            }
        }
    }
}

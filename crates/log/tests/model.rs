//! The log against a plain list of batches, through random lives: appends, reads, rolls, clean and
//! torn restarts, retention, deleted records, truncation.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;

use highwater_log::{limits, *};
use highwater_records::*;
use highwater_types::*;
use proptest::prelude::*;
use support::*;

#[derive(Debug, Clone)]
enum Step {
    Append {
        batches: Vec<NewBatch>,
    },
    Read {
        from: i64,
        bytes_max: usize,
        limit: i64,
    },
    FindTime(i64),
    FindLatest,
    Roll,
    Flush,
    Restart,
    /// Killed while a write was under way: some of its bytes are there.
    Crash {
        torn: Vec<u8>,
    },
    Retention {
        now_ms: i64,
        bytes: i64,
    },
    DeleteRecords(i64),
    Truncate(i64),
    StartOver,
    Epoch,
}

#[derive(Debug, Clone)]
struct NewBatch {
    times: Vec<i64>,
    value: Vec<u8>,
    codec: Compression,
    producer: Option<i64>,
}

#[derive(Debug, Clone)]
struct ModelBatch {
    base: i64,
    times: Vec<i64>,
    payload: Vec<u8>,
    epoch: i32,
    producer: Option<(i64, i32)>,
}

impl ModelBatch {
    fn last(&self) -> i64 {
        self.base + self.times.len() as i64 - 1
    }

    fn len(&self) -> usize {
        HEADER_BYTES + self.payload.len()
    }
}

#[derive(Default)]
struct Model {
    /// Everything ever appended and not truncated; what lies below the start stays here.
    batches: Vec<ModelBatch>,
    start: i64,
    end: i64,
    epoch: i32,
    flushed: i64,
    /// Next sequence of each producer.
    sequences: BTreeMap<i64, i32>,
}

impl Model {
    fn served(&self) -> impl Iterator<Item = &ModelBatch> {
        self.batches.iter().filter(|batch| batch.last() >= self.start)
    }

    fn epoch_of(&self, offset: i64) -> i32 {
        self.batches.iter().find(|batch| batch.last() >= offset).unwrap().epoch
    }

    fn records(&self) -> impl Iterator<Item = (i64, i64)> {
        self.served()
            .flat_map(|batch| (batch.base..).zip(batch.times.iter().copied()))
            .filter(|(offset, _)| *offset >= self.start)
    }
}

struct Life {
    bench: Bench,
    log: Option<Log>,
    model: Model,
}

impl Life {
    fn new(segment_bytes: u32) -> Life {
        let mut bench = Bench::new(LogConfig {
            segment_bytes,
            index_interval_bytes: 300,
            index_bytes_max: 960,
            segment_ms: 5_000,
            file_delete_delay_ms: 0,
            ..LogConfig::default()
        });
        bench.config.producer_id_expiration_ms = i64::MAX;
        let log = Some(bench.open());
        Life { bench, log, model: Model::default() }
    }

    fn log(&mut self) -> &mut Log {
        self.log.as_mut().unwrap()
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Append { batches } => self.append(batches),
            Step::Read { from, bytes_max, limit } => self.read(*from, *bytes_max, *limit),
            Step::FindTime(time) => self.find_time(*time),
            Step::FindLatest => self.find_latest(),
            Step::Roll => self.log().roll(NOW).unwrap(),
            Step::Flush => {
                self.log().flush().unwrap();
                self.model.flushed = self.model.end;
            }
            Step::Restart => self.restart(),
            Step::Crash { torn } => self.crash(torn),
            Step::Retention { now_ms, bytes } => self.retention(*now_ms, *bytes),
            Step::DeleteRecords(offset) => self.delete_records(*offset),
            Step::Truncate(at) => self.truncate(*at),
            Step::StartOver => self.start_over(),
            Step::Epoch => {
                self.model.epoch += 1;
                let epoch = LeaderEpoch(self.model.epoch);
                self.log().begin_epoch(epoch).unwrap();
            }
        }
        let model = (self.model.start, self.model.end);
        let reader = self.log().reader();
        assert_eq!((reader.log_start().get(), reader.log_end().get()), model);
    }

    fn append(&mut self, batches: &[NewBatch]) {
        let mut pending_batches = Vec::new();
        let mut expected = Vec::new();
        for batch in batches {
            let sequence = batch.producer.map(|id| self.model.sequences.entry(id).or_default());
            let producer = batch.producer.zip(sequence.as_deref().copied());
            let options = BatchOptions {
                compression: batch.codec,
                producer_id: batch.producer.unwrap_or(-1),
                producer_epoch: producer.map_or(-1, |_| 0),
                base_sequence: producer.map_or(-1, |(_, sequence)| sequence),
                ..Default::default()
            };
            if let Some(sequence) = sequence {
                *sequence += batch.times.len() as i32;
            }
            let times: Vec<i64> = batch.times.iter().map(|ms| NOW.get() + ms).collect();
            let bytes = batch_at(options, &times, &batch.value);
            let payload = bytes[HEADER_BYTES..].to_vec();
            pending_batches.push(pending(bytes, AppendOrigin::Client));
            let base = self.model.end;
            self.model.end += times.len() as i64;
            let epoch = self.model.epoch;
            self.model.batches.push(ModelBatch { base, times, payload, epoch, producer });
            expected.push(base);
        }
        let epoch = LeaderEpoch(self.model.epoch);
        self.log().append(&mut pending_batches, epoch, NOW).unwrap();
        for (batch, base) in pending_batches.iter().zip(expected) {
            let Some(BatchOutcome::Appended { base_offset, .. }) = batch.outcome else {
                panic!("{:?}", batch.outcome)
            };
            assert_eq!(base_offset.get(), base);
        }
    }

    fn read(&mut self, from: i64, bytes_max: usize, limit: i64) {
        let span = self.model.end - self.model.start + 3;
        let (from, limit) = (self.model.start - 1 + from % span, self.model.start + limit % span);
        let read = self.log().reader().read(Offset(from), bytes_max, Offset(limit), true);
        if from < self.model.start || from > self.model.end {
            assert!(matches!(read, Err(ReadError::OutOfRange { .. })));
            return;
        }
        let bytes = bytes_of(&read.unwrap());
        let got: Vec<(i64, Vec<u8>)> = batches(&bytes, Tail::Strict)
            .map(|batch| {
                let batch = batch.unwrap();
                batch.verify_crc().unwrap();
                (batch.header().base_offset, batch.payload().to_vec())
            })
            .collect();
        let wanted: Vec<&ModelBatch> = self
            .model
            .served()
            .filter(|batch| batch.last() >= from && batch.last() < limit)
            .collect();
        assert!(got.len() <= wanted.len());
        for (got, wanted) in got.iter().zip(&wanted) {
            assert_eq!(*got, (wanted.base, wanted.payload.clone()));
        }
        // As much as fits, at least one.
        let mut room = bytes_max;
        let mut fits = 0;
        for batch in &wanted {
            if fits > 0 && batch.len() > room {
                break;
            }
            room = room.saturating_sub(batch.len());
            fits += 1;
        }
        let segments = self.log().reader().segment_count();
        assert!(got.len() == fits || segments > limits::READ_RANGES_MAX, "{} {fits}", got.len());
        assert!(fits == 0 || !got.is_empty());
    }

    fn find_time(&mut self, time: i64) {
        let time = NOW.get() + time;
        let expected = self.model.records().find(|(_, at)| *at >= time);
        let found = self.log().reader().offset_for_time(Timestamp(time)).unwrap();
        assert_eq!(found.map(|found| (found.offset.get(), found.timestamp.get())), expected);
        if let Some(found) = found {
            assert_eq!(found.epoch.get(), self.model.epoch_of(found.offset.get()));
        }
    }

    fn find_latest(&mut self) {
        let latest = self.model.records().map(|(_, at)| at).max();
        // The batch that holds the log start counts whole, as in Kafka.
        let all = self.model.served().flat_map(|b| (b.base..).zip(b.times.iter().copied()));
        let all: Vec<(i64, i64)> = all.collect();
        let whole = all.iter().map(|(_, at)| *at).max();
        let found = self.log().reader().offset_of_max_timestamp().unwrap();
        let expected = all.iter().find(|(_, at)| Some(*at) == whole).copied();
        assert_eq!(found.map(|found| (found.offset.get(), found.timestamp.get())), expected);
        assert!(latest <= whole);
    }

    fn restart(&mut self) {
        let closed = self.log.take().unwrap().close().unwrap();
        assert_eq!(closed.log_end.get(), self.model.end);
        self.model.flushed = self.model.end;
        let options = OpenOptions {
            log_start: Offset(self.model.start),
            recovery_point: closed.log_end,
            ..self.bench.options()
        };
        self.reopen(options);
    }

    fn crash(&mut self, torn: &[u8]) {
        let recovery_point = self.log().recovery_point();
        assert_eq!(recovery_point.get(), self.model.flushed);
        drop(self.log.take());
        let last = self.bench.names().into_iter().filter(|name| name.ends_with(".log")).max();
        let path = self.bench.path().join(last.unwrap());
        fs::OpenOptions::new().append(true).open(path).unwrap().write_all(torn).unwrap();
        let options = OpenOptions {
            clean: false,
            log_start: Offset(self.model.start),
            recovery_point,
            ..self.bench.options()
        };
        self.reopen(options);
        // Recovery flushes what it found.
        self.model.flushed = self.model.end;
    }

    fn reopen(&mut self, options: OpenOptions) {
        let log = self.bench.try_open(options).unwrap();
        let reader = log.reader();
        for batch in self.model.served() {
            let epoch = reader.epoch_of(Offset(batch.last())).map(LeaderEpoch::get);
            assert_eq!(epoch, Some(batch.epoch), "offset {}", batch.last());
        }
        for producer in reader.producers() {
            let of_it =
                |batch: &&ModelBatch| batch.producer.is_some_and(|(id, _)| id == producer.id.get());
            let sequences: Vec<i32> = self
                .model
                .batches
                .iter()
                .filter(of_it)
                .map(|batch| batch.producer.unwrap().1 + batch.times.len() as i32 - 1)
                .collect();
            let window: Vec<i32> =
                producer.window.iter().map(|batch| batch.last_sequence).collect();
            assert!(sequences.ends_with(&window), "{sequences:?} {window:?}");
            // What is still in the log is in the window, up to five.
            let in_log = self.model.served().filter(of_it).count();
            assert!(window.len() >= in_log.min(limits::PRODUCER_WINDOW_BATCHES));
        }
        let known: Vec<i64> = reader.producers().iter().map(|p| p.id.get()).collect();
        for id in self.model.sequences.keys() {
            assert!(known.contains(id), "producer {id} was forgotten");
        }
        self.log = Some(log);
    }

    fn retention(&mut self, now_ms: i64, bytes: i64) {
        let mut config = self.bench.config.clone();
        config.retention_ms = 2_000;
        config.retention_bytes = bytes;
        let end = Offset(self.model.end);
        let log = self.log();
        log.update_config(config.clone());
        log.apply_retention(NOW.plus_ms(now_ms), end).unwrap();
        self.model.start = self.log().log_start().get();
        // Whatever is kept is young or shares a segment with something young.
        let size = self.log().reader().size_bytes();
        assert!(bytes < 0 || size < bytes as u64 + u64::from(config.segment_bytes));
        let reader = self.log().reader();
        if reader.segment_count() == 1 {
            return;
        }
        // Records below the log start still pin the segment they are in.
        let first = self.bench.names().into_iter().find(|name| name.ends_with(".log")).unwrap();
        let first: i64 = first[..20].parse().unwrap();
        let kept = self.model.batches.iter().filter(|batch| batch.base >= first);
        let youngest = kept.map(|batch| *batch.times.iter().max().unwrap()).max();
        if youngest.is_some_and(|time| NOW.get() + now_ms - time > 2_000) {
            panic!("old segments were kept");
        }
    }

    fn delete_records(&mut self, offset: i64) {
        let span = self.model.end - self.model.start + 2;
        let offset = self.model.start + offset % span;
        let end = Offset(self.model.end);
        let result = self.log().set_log_start(Offset(offset), end);
        if offset > self.model.end {
            assert!(matches!(result, Err(LogStartError::BeyondWatermark { .. })));
        } else {
            assert_eq!(result.unwrap().get(), offset);
            self.model.start = offset;
        }
    }

    fn truncate(&mut self, at: i64) {
        let Some(batch) = self.model.batches.iter().rev().nth(at as usize) else { return };
        let to = batch.base;
        if to < self.model.start {
            return;
        }
        self.log().truncate_to(Offset(to), NOW).unwrap();
        self.model.batches.retain(|batch| batch.base < to);
        self.model.end = to;
        self.model.flushed = self.model.flushed.min(to);
        for (id, next) in &mut self.model.sequences {
            let last = self.model.batches.iter().rev().find_map(|batch| {
                let (of, sequence) = batch.producer?;
                (of == *id).then(|| sequence + batch.times.len() as i32)
            });
            *next = last.unwrap_or(0);
        }
        self.model.sequences.retain(|_, next| *next > 0);
    }

    fn start_over(&mut self) {
        let start = self.model.end + 7;
        self.log().truncate_fully(Offset(start), NOW).unwrap();
        self.model.batches.clear();
        self.model.sequences.clear();
        (self.model.start, self.model.end) = (start, start);
    }
}

fn new_batch() -> impl Strategy<Value = NewBatch> {
    let codec = prop_oneof![
        3 => Just(Compression::None),
        1 => Just(Compression::Gzip),
        1 => Just(Compression::Snappy),
        1 => Just(Compression::Lz4),
        1 => Just(Compression::Zstd),
    ];
    (
        prop::collection::vec(0..8_000i64, 1..5),
        prop::collection::vec(any::<u8>(), 0..60),
        codec,
        prop::option::of(0..3i64),
    )
        .prop_map(|(times, value, codec, producer)| NewBatch { times, value, codec, producer })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => prop::collection::vec(new_batch(), 1..6).prop_map(|batches| Step::Append { batches }),
        6 => (0..1000i64, 0..3000usize, 0..1000i64)
            .prop_map(|(from, bytes_max, limit)| Step::Read { from, bytes_max, limit }),
        3 => (-10..8_500i64).prop_map(Step::FindTime),
        1 => Just(Step::FindLatest),
        1 => Just(Step::Roll),
        1 => Just(Step::Flush),
        2 => Just(Step::Restart),
        2 => prop::collection::vec(any::<u8>(), 0..100).prop_map(|torn| Step::Crash { torn }),
        1 => (0..12_000i64, -1..3_000i64)
            .prop_map(|(now_ms, bytes)| Step::Retention { now_ms, bytes }),
        1 => (0..100i64).prop_map(Step::DeleteRecords),
        1 => (0..4i64).prop_map(Step::Truncate),
        1 => Just(Step::Epoch),
        1 => Just(Step::StartOver).prop_filter("rare", |_| true),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_life_agrees_with_the_model(
        segment_bytes in 600..3_000u32,
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let mut life = Life::new(segment_bytes);
        for step in &steps {
            life.step(step);
        }
        life.restart();
        let (start, end) = (life.model.start, life.model.end);
        let found = read_all(&life.log().reader(), start, 700);
        let expected: Vec<(i64, i64, Vec<u8>)> = life
            .model
            .served()
            .map(|batch| (batch.base, batch.last(), batch.payload.clone()))
            .filter(|_| start < end)
            .collect();
        prop_assert_eq!(found, expected);
    }
}

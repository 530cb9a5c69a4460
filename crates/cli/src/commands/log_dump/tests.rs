//! Dumps of a data directory that Kafka wrote.

use clap::Parser;
use expect_test::{Expect, expect};

use super::*;

#[derive(Parser)]
struct Typed {
    #[command(flatten)]
    args: LogDumpArgs,
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/datadir").join(name)
}

/// What the dump of a path prints, and what is damaged.
fn dumped(path: &Path, options: &[&str]) -> (String, Problems) {
    let path = path.to_str().unwrap();
    let typed = ["dump", path].into_iter().chain(options.iter().copied());
    let args = Typed::parse_from(typed).args;
    let mut text = Vec::new();
    let mut sink = Sink::new(args.json, &mut text);
    let problems = dump_all(&args, &mut sink).unwrap();
    sink.finish().unwrap();
    (String::from_utf8(text).unwrap(), problems)
}

fn check(name: &str, options: &[&str], expected: Expect) {
    let path = fixture(name);
    let (text, problems) = dumped(&path, options);
    expected.assert_eq(&text.replace(path.to_str().unwrap(), name));
    assert_eq!(problems, 0);
}

#[test]
fn a_partition() {
    check(
        "fx-plain-0",
        &["--records"],
        expect![[r#"
        file path=fx-plain-0/00000000000000000000.index size=0
        file path=fx-plain-0/00000000000000000000.log size=275
        batch offset=0 last=4 records=5 position=0 size=121 codec=none max_time=2025-12-01T00:00:00.070Z time_type=create epoch=0 crc=ok
        record offset=0 time=2025-12-01T00:00:00.000Z key="k1" value="v1"
        record offset=1 time=2025-12-01T00:00:00.001Z key=null value="no key"
        record offset=2 time=2025-12-01T00:00:00.002Z key="no value" value=null
        record offset=3 time=2025-12-01T00:00:00.003Z key="" value=""
        record offset=4 time=2025-12-01T00:00:00.070Z key="键" value="值"
        batch offset=5 last=5 records=1 position=121 size=72 codec=none max_time=2025-12-01T00:00:01.000Z time_type=create epoch=0 crc=ok
        record offset=5 time=2025-12-01T00:00:01.000Z key="k1" value="v2"
        batch offset=6 last=6 records=1 position=193 size=82 codec=none max_time=2025-12-01T00:00:02.000Z time_type=create epoch=2 crc=ok
        record offset=6 time=2025-12-01T00:00:02.000Z key="k1" value="second epoch"
        file path=fx-plain-0/00000000000000000000.timeindex size=24
        entry time=2025-12-01T00:00:01.000Z offset=5 check=ok
        entry time=2025-12-01T00:00:02.000Z offset=6 check=ok
        file path=fx-plain-0/00000000000000000006.snapshot size=10
        file path=fx-plain-0/00000000000000000007.snapshot size=10
        file path=fx-plain-0/leader-epoch-checkpoint size=12
        epoch epoch=0 start=0
        epoch epoch=2 start=6
        file path=fx-plain-0/partition.metadata size=43
        text line=version: 0
        text line=topic_id: DYQLhFVVRxiIIF99OvIp5A
    "#]],
    );
}

#[test]
fn transactions_and_their_producers() {
    check(
        "fx-txn-0/00000000000000000002.txnindex",
        &[],
        expect![[r#"
        file path=fx-txn-0/00000000000000000002.txnindex size=68
        aborted producer=1 offset=3 last=4 last_stable=5
        aborted producer=1 offset=6 last=8 last_stable=7
    "#]],
    );
    check(
        "fx-txn-0/00000000000000000012.snapshot",
        &[],
        expect![[r#"
        file path=fx-txn-0/00000000000000000012.snapshot size=148
        producer producer=1 producer_epoch=4 last_sequence=-1 last=-1 offset_delta=0 time=2026-11-30T21:01:21.646Z coordinator_epoch=0
        producer producer=2 producer_epoch=0 last_sequence=0 last=5 offset_delta=0 time=2025-12-01T00:00:00.003Z coordinator_epoch=-1
        producer producer=3 producer_epoch=1 last_sequence=-1 last=-1 offset_delta=0 time=2026-11-30T21:01:21.046Z coordinator_epoch=0
    "#]],
    );
    check(
        "fx-txn-0/00000000000000000002.log",
        &["-r", "-n", "1"],
        expect![[r#"
        file path=fx-txn-0/00000000000000000002.log size=878
        batch offset=2 last=2 records=1 position=0 size=78 codec=none max_time=2026-11-30T21:01:20.799Z time_type=create epoch=0 producer=1 producer_epoch=1 sequence=-1 transactional=true control=true crc=ok
        record offset=2 time=2026-11-30T21:01:20.799Z type=commit value={"coordinator_epoch":0}
    "#]],
    );
}

#[test]
fn checkpoints() {
    check(
        "log-start-offset-checkpoint",
        &[],
        expect![[r#"
        file path=log-start-offset-checkpoint size=15
        offset topic=fx-del partition=0 offset=4
    "#]],
    );
}

#[test]
fn every_record_of_the_coordinator_is_understood() {
    let (text, problems) = dumped(&fixture("__consumer_offsets-0"), &["--offsets"]);
    assert_eq!(problems, 0);
    let records = text.lines().filter(|line| line.starts_with("record "));
    let unknown: Vec<&str> = records.clone().filter(|line| !line.contains(" type=")).collect();
    assert_eq!(unknown, Vec::<&str>::new());
    assert!(records.count() > 50);
}

#[test]
fn nothing_that_kafka_wrote_is_damaged() {
    let mut partitions = 0;
    for entry in fs::read_dir(fixture("")).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            partitions += 1;
            let (text, problems) = dumped(&entry.path(), &["--records", "--json"]);
            assert_eq!(problems, 0, "{text}");
            assert!(text.lines().all(|line| line.starts_with('{')), "{text}");
        }
    }
    assert!(partitions > 10);
}

#[test]
fn damage_is_counted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("00000000000000000000.log");
    let mut bytes = fs::read(fixture("fx-plain-0/00000000000000000000.log")).unwrap();
    bytes[100] ^= 1;
    fs::write(&path, bytes).unwrap();
    let (text, problems) = dumped(&path, &["--records"]);
    assert_eq!(problems, 1);
    assert!(text.contains("crc=wrong") && text.contains("\nbatch offset=5 "), "{text}");
}

#[test]
fn files_are_known_by_name() {
    for (name, kind) in [
        ("00000000000000000000.log", Some(FileKind::Segment)),
        ("00000000000000000000.log.deleted", Some(FileKind::Segment)),
        ("00000000000000000007-0000000002.checkpoint", Some(FileKind::Segment)),
        ("00000000000000000000.timeindex", Some(FileKind::TimeIndex)),
        ("00000000000000000010.snapshot", Some(FileKind::Producers)),
        ("leader-epoch-checkpoint", Some(FileKind::Epochs)),
        ("recovery-point-offset-checkpoint", Some(FileKind::Offsets)),
        ("meta.properties", Some(FileKind::Properties)),
        ("server.log", None),
        (".lock", None),
        ("README", None),
    ] {
        assert_eq!(kind_of(Path::new(name)), kind, "{name}");
    }
}

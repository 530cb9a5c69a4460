//! The files beside the partitions, and the lives of the folders.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use highwater_log::*;
use highwater_types::*;
use support::*;

fn partition(topic: &str, number: i32) -> TopicPartition {
    TopicPartition { topic: topic.into(), partition: PartitionIndex(number) }
}

#[test]
fn a_life_of_a_directory() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("not/yet/there");
    let mut entropy = SplitMix::new(1);
    let dir = LogDir::open(Arc::new(OsDisk), &path).unwrap();
    assert_eq!(dir.meta_properties().unwrap(), None);
    let meta = MetaProperties {
        cluster_id: Uuid::random(&mut entropy).to_string(),
        node_id: BrokerId(1),
        directory_id: Uuid::random(&mut entropy),
    };
    dir.write_meta_properties(&meta, "Mon Nov 30 21:00:42 UTC 2026").unwrap();
    assert_eq!(dir.meta_properties().unwrap(), Some(meta));
    assert!(!dir.take_clean_shutdown().unwrap());

    let topic_id = TopicId(Uuid::random(&mut entropy));
    let mut logs = BTreeMap::new();
    for number in 0..3 {
        let partition = partition("orders", number);
        let path = dir.create_partition(&partition, topic_id).unwrap().path;
        let options = OpenOptions::new(LogConfig::default(), NOW);
        let log = Log::open(Arc::new(OsDisk), FdCache::new(16), &path, options).unwrap();
        logs.insert(partition, log);
    }
    let folders = dir.partitions().unwrap();
    assert_eq!(folders.len(), 3);
    assert!(folders.iter().all(|folder| dir.topic_of(folder).unwrap() == Some(topic_id)));

    let gone = partition("orders", 1);
    let reader = logs[&gone].reader();
    let moved = dir.doom_partition(&gone, &mut entropy).unwrap();
    logs.remove(&gone).unwrap().abandon(moved.clone());
    assert!(reader.read(Offset(0), 10, Offset(0), true).unwrap().is_empty());
    assert_eq!(dir.partitions().unwrap().len(), 2);
    assert_eq!(dir.doomed().unwrap(), std::slice::from_ref(&moved));
    // The same name may come back before the old folder is gone.
    assert!(dir.create_partition(&gone, topic_id).unwrap().is_new);
    assert!(!dir.create_partition(&gone, topic_id).unwrap().is_new);
    let other = TopicId(Uuid::random(&mut entropy));
    assert_eq!(dir.create_partition(&gone, other).unwrap_err().code(), "HW0002");
    dir.remove_doomed(&moved).unwrap();
    dir.remove_doomed(&moved).unwrap();
    assert_eq!(dir.doomed().unwrap(), [] as [std::path::PathBuf; 0]);

    let mut points = BTreeMap::new();
    for (partition, mut log) in logs {
        appended(&mut log, plain(2, b"v"));
        points.insert(partition, log.close().unwrap().log_end);
    }
    dir.sync_all().unwrap();
    dir.write_checkpoint(Checkpoint::RecoveryPoint, &points).unwrap();
    dir.write_checkpoint(Checkpoint::LogStart, &BTreeMap::new()).unwrap();
    dir.mark_clean_shutdown(7).unwrap();
    assert_eq!(fs::read_to_string(path.join("log-start-offset-checkpoint")).unwrap(), "0\n0\n");
    drop(dir);

    let dir = LogDir::open(Arc::new(OsDisk), &path).unwrap();
    assert!(dir.take_clean_shutdown().unwrap());
    assert_eq!(dir.read_checkpoint(Checkpoint::RecoveryPoint).unwrap(), points);
    assert_eq!(dir.read_checkpoint(Checkpoint::HighWatermark).unwrap(), BTreeMap::new());
}

#[test]
fn one_process_at_a_time() {
    let home = tempfile::tempdir().unwrap();
    let dir = LogDir::open(Arc::new(OsDisk), home.path()).unwrap();
    let error = LogDir::open(Arc::new(OsDisk), home.path()).unwrap_err();
    assert_eq!(error.code(), "HW0001");
    assert!(error.to_string().contains(&std::process::id().to_string()), "{error}");
    drop(dir);
    LogDir::open(Arc::new(OsDisk), home.path()).unwrap();
}

#[test]
fn damaged_companions_do_not_stop_a_start_but_a_wrong_identity_does() {
    let home = tempfile::tempdir().unwrap();
    let dir = LogDir::open(Arc::new(OsDisk), home.path()).unwrap();
    for text in ["", "0\n9\n", "\0\0\0\0\0\0", "0\n1\na b c\n"] {
        fs::write(home.path().join("recovery-point-offset-checkpoint"), text).unwrap();
        assert_eq!(dir.read_checkpoint(Checkpoint::RecoveryPoint).unwrap(), BTreeMap::new());
    }
    let folder = dir.create_partition(&partition("t", 0), TopicId::ZERO).unwrap().path;
    fs::write(folder.join("partition.metadata"), "").unwrap();
    assert_eq!(dir.topic_of(&dir.partitions().unwrap()[0]).unwrap(), None);
    fs::write(home.path().join("meta.properties"), "version=1\n").unwrap();
    let error = dir.meta_properties().unwrap_err();
    assert_eq!(error.code(), "HW0002");
    // What is none of ours is left alone.
    for other in ["lost+found", "notes", "a.b-delete", "t-0.tmp"] {
        fs::create_dir(home.path().join(other)).unwrap();
    }
    assert_eq!(dir.partitions().unwrap().len(), 1);
    assert_eq!(dir.doomed().unwrap().len(), 0);
}

//! A node that stops and starts finds its metadata again: from the log, from a snapshot, from
//! both.

use highwater_config::{Sources, StaticConfig};
use highwater_controller::{ControllerReply, ControllerRequest};
use highwater_wire::messages::CreateTopicsRequest;
use highwater_wire::messages::create_topics_request::CreatableTopic;

use super::*;
use crate::{LogLevels, RunningBroker, StartOptions, start};

fn settings(dir: &std::path::Path) -> StaticConfig {
    let set =
        [format!("log.dirs={}", dir.display()), "listeners=PLAINTEXT://127.0.0.1:0".to_owned()];
    let sources = Sources { set: &set, ..Sources::default() };
    StaticConfig::load(&sources).unwrap().0
}

fn options(dir: &std::path::Path) -> StartOptions {
    StartOptions { settings: settings(dir), log_levels: LogLevels::none() }
}

async fn node(dir: &std::path::Path) -> RunningBroker {
    start(options(dir)).await.unwrap()
}

async fn create(broker: &Arc<Broker>, name: &str) {
    let topic = CreatableTopic {
        name: name.into(),
        num_partitions: 2,
        replication_factor: 1,
        ..CreatableTopic::default()
    };
    let request = CreateTopicsRequest { topics: vec![topic], ..CreateTopicsRequest::default() };
    match broker.controller.request(ControllerRequest::CreateTopics(request)).await {
        ControllerReply::CreateTopics(response) => {
            assert_eq!(response.topics.first().map(|topic| topic.error_code), Some(0));
        }
        other => panic!("{other:?}"),
    }
}

fn check_topics(broker: &Broker, expected: &[&str]) {
    let image = broker.image.load();
    let names: Vec<_> = image.topics.by_name().map(|topic| topic.name.to_string()).collect();
    assert_eq!(names, expected);
    for topic in image.topics.by_name() {
        for partition in topic.partitions.values() {
            assert_eq!(partition.leader, broker.node.id);
        }
        assert_eq!(broker.partitions.load().of_topic(topic.id).count(), 2);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn metadata_survives_restarts_with_and_without_a_snapshot() {
    let dir = tempfile::tempdir().unwrap();
    let running = node(dir.path()).await;
    create(running.broker(), "in-the-log").await;
    running.stop().await;

    let running = node(dir.path()).await;
    check_topics(running.broker(), &["in-the-log"]);
    snapshot(running.broker()).await;
    let log = &running.broker().metadata_log;
    assert_eq!(log.reader().log_start(), running.broker().image.load().next_offset());
    create(running.broker(), "only-in-the-log").await;
    running.stop().await;

    let running = node(dir.path()).await;
    check_topics(running.broker(), &["in-the-log", "only-in-the-log"]);
    snapshot(running.broker()).await;
    running.stop().await;

    let running = node(dir.path()).await;
    check_topics(running.broker(), &["in-the-log", "only-in-the-log"]);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_snapshot_that_cannot_be_read_stops_the_start_with_a_coded_error() {
    let dir = tempfile::tempdir().unwrap();
    let running = node(dir.path()).await;
    create(running.broker(), "topic").await;
    snapshot(running.broker()).await;
    running.stop().await;

    let metadata = dir.path().join("__cluster_metadata-0");
    let path = std::fs::read_dir(metadata)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|kind| kind == "checkpoint"))
        .unwrap();
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let error = start(options(dir.path())).await.err().unwrap();
    assert!(error.to_string().starts_with("HW0011"), "{error}");
}

//! DescribeLogDirs: the data directory, its partitions and its file system.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_wire::ErrorCode;
use highwater_wire::messages::describe_log_dirs_response::{
    DescribeLogDirsPartition, DescribeLogDirsResult, DescribeLogDirsTopic,
};
use highwater_wire::messages::{DescribeLogDirsRequest, DescribeLogDirsResponse};

use super::{Answer, Api, Call};
use crate::Broker;
use crate::partition::Partition;

pub struct DescribeLogDirs;

impl Api for DescribeLogDirs {
    type Request = DescribeLogDirsRequest;
    const VERSIONS: RangeInclusive<i16> = 1..=5;

    fn handle(
        broker: &Arc<Broker>,
        _: Call,
        request: DescribeLogDirsRequest,
    ) -> Answer<DescribeLogDirsResponse> {
        let broker = broker.clone();
        // Asking the file system for its size may block.
        Answer::later(async move {
            let described = tokio::task::spawn_blocking(move || describe(&broker, &request)).await;
            described.unwrap_or_default()
        })
    }
}

fn describe(broker: &Broker, request: &DescribeLogDirsRequest) -> DescribeLogDirsResponse {
    let mut topics: BTreeMap<String, Vec<DescribeLogDirsPartition>> = BTreeMap::new();
    let directory = broker.partitions.load();
    for partition in directory.all().filter(|partition| is_asked(request, partition)) {
        let name = partition.name();
        topics.entry(name.topic.to_string()).or_default().push(DescribeLogDirsPartition {
            partition_index: name.partition.get(),
            partition_size: i64::try_from(partition.reader().size_bytes()).unwrap_or(i64::MAX),
            offset_lag: 0,
            is_future_key: false,
            ..DescribeLogDirsPartition::default()
        });
    }
    let path = broker.opening.dir().path();
    let space = rustix::fs::statvfs(path).ok();
    let bytes = |blocks: fn(&rustix::fs::StatVfs) -> u64| {
        let size = space.as_ref().map(|space| blocks(space).saturating_mul(space.f_frsize));
        size.and_then(|size| i64::try_from(size).ok()).unwrap_or(-1)
    };
    let shown = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let result = DescribeLogDirsResult {
        error_code: ErrorCode::NONE.0,
        log_dir: shown.to_string_lossy().into_owned().into(),
        topics: topics.into_iter().map(topic_entry).collect(),
        total_bytes: bytes(|space| space.f_blocks),
        usable_bytes: bytes(|space| space.f_bavail),
        ..DescribeLogDirsResult::default()
    };
    DescribeLogDirsResponse { results: vec![result], ..DescribeLogDirsResponse::default() }
}

/// Null topics mean all.
fn is_asked(request: &DescribeLogDirsRequest, partition: &Partition) -> bool {
    let name = partition.name();
    request.topics.as_ref().is_none_or(|topics| {
        topics.iter().any(|topic| {
            *topic.topic == *name.topic && topic.partitions.contains(&name.partition.get())
        })
    })
}

fn topic_entry(
    (name, mut partitions): (String, Vec<DescribeLogDirsPartition>),
) -> DescribeLogDirsTopic {
    partitions.sort_by_key(|partition| partition.partition_index);
    DescribeLogDirsTopic { name: name.into(), partitions, ..DescribeLogDirsTopic::default() }
}

//! AlterReplicaLogDirs, as a broker with one log directory answers it: a replica is there already,
//! or the directory does not exist.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_types::PartitionIndex;
use highwater_wire::ErrorCode;
use highwater_wire::messages::alter_replica_log_dirs_response::{
    AlterReplicaLogDirPartitionResult, AlterReplicaLogDirTopicResult,
};
use highwater_wire::messages::{AlterReplicaLogDirsRequest, AlterReplicaLogDirsResponse};

use super::{Answer, Api, Call, TopicRef};
use crate::Broker;

pub struct AlterReplicaLogDirs;

impl Api for AlterReplicaLogDirs {
    type Request = AlterReplicaLogDirsRequest;
    const VERSIONS: RangeInclusive<i16> = 1..=2;

    fn handle(
        broker: &Arc<Broker>,
        _: Call,
        request: AlterReplicaLogDirsRequest,
    ) -> Answer<AlterReplicaLogDirsResponse> {
        let here = broker.opening.dir().path();
        let here = std::path::absolute(here).unwrap_or_else(|_| here.to_path_buf());
        let mut results = Vec::new();
        for dir in &request.dirs {
            let is_here = std::path::Path::new(&*dir.path) == here;
            for topic in &dir.topics {
                let partitions = topic.partitions.iter().map(|index| {
                    let named = TopicRef::Name(topic.name.clone());
                    let code = if is_here {
                        let found = broker.partition_for(&named, PartitionIndex(*index));
                        found.err().unwrap_or(ErrorCode::NONE)
                    } else {
                        ErrorCode::LOG_DIR_NOT_FOUND
                    };
                    AlterReplicaLogDirPartitionResult {
                        partition_index: *index,
                        error_code: code.0,
                        ..AlterReplicaLogDirPartitionResult::default()
                    }
                });
                results.push(AlterReplicaLogDirTopicResult {
                    topic_name: topic.name.clone(),
                    partitions: partitions.collect(),
                    ..AlterReplicaLogDirTopicResult::default()
                });
            }
        }
        Answer::Now(AlterReplicaLogDirsResponse { results, ..Default::default() })
    }
}

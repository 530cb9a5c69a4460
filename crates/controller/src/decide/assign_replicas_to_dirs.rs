//! AssignReplicasToDirs (73): a broker tells which of its directories holds a replica.

use highwater_types::{BrokerId, PartitionIndex, TopicId, Uuid};
use highwater_wire::ErrorCode;
use highwater_wire::messages::assign_replicas_to_dirs_request::AssignReplicasToDirsRequest;
use highwater_wire::messages::assign_replicas_to_dirs_response::{
    AssignReplicasToDirsResponse, DirectoryData, PartitionData, TopicData,
};
use highwater_wire::metadata_frame::MetadataRecord;

use super::broker_lifecycle::{check_epoch, directories_lost};
use super::{ControllerCx, Decided, change_partition};
use crate::draft::Draft;
use crate::image::Image;

pub fn decide_assign_replicas_to_dirs(
    image: &Image,
    request: &AssignReplicasToDirsRequest,
    cx: &ControllerCx<'_>,
) -> Decided<AssignReplicasToDirsResponse> {
    let id = BrokerId(request.broker_id);
    if let Err(error) = check_epoch(image, id, request.broker_epoch) {
        return Decided::nothing(AssignReplicasToDirsResponse {
            error_code: error.code.0,
            ..AssignReplicasToDirsResponse::default()
        });
    }
    let mut draft = Draft::new(image);
    let mut offline = Vec::new();
    let mut directories = Vec::new();
    for directory in &request.directories {
        let online = image.broker(id).is_some_and(|b| b.log_dirs.contains(&directory.id));
        if !online {
            offline.push(directory.id);
        }
        let topics = directory.topics.iter().map(|topic| {
            let partitions = topic.partitions.iter().map(|partition| {
                let index = PartitionIndex(partition.partition_index);
                let topic_id = TopicId(topic.topic_id);
                let record = assign(&draft.image, id, directory.id, topic_id, index, cx);
                let code = record.map_or_else(
                    |code| code,
                    |record| {
                        draft.extend(record);
                        ErrorCode::NONE
                    },
                );
                PartitionData {
                    partition_index: partition.partition_index,
                    error_code: code.0,
                    ..PartitionData::default()
                }
            });
            let partitions = partitions.collect();
            TopicData { topic_id: topic.topic_id, partitions, ..TopicData::default() }
        });
        let topics = topics.collect();
        directories.push(DirectoryData { id: directory.id, topics, ..DirectoryData::default() });
    }
    directories_lost(&mut draft, cx.view, id, &offline);
    Decided {
        records: draft.records,
        reply: AssignReplicasToDirsResponse {
            directories,
            ..AssignReplicasToDirsResponse::default()
        },
    }
}

fn assign(
    image: &Image,
    broker: BrokerId,
    directory: Uuid,
    topic_id: TopicId,
    index: PartitionIndex,
    cx: &ControllerCx<'_>,
) -> Result<Option<MetadataRecord>, ErrorCode> {
    let topic = image.topic_by_id(topic_id).ok_or(ErrorCode::UNKNOWN_TOPIC_ID)?;
    let partition = topic.partition(index).ok_or(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION)?;
    if !partition.replicas.contains(&broker) {
        return Err(ErrorCode::NOT_LEADER_OR_FOLLOWER);
    }
    // Whoever leads goes on: only the directory is told.
    let leader = partition.leader;
    let alive = |id: BrokerId| id == leader || image.brokers.is_active(id);
    Ok(change_partition(image, cx.view, topic, index, &alive, |change| {
        change.moved(broker, directory)
    }))
}

//! AlterPartition (56): a leader tells who is in sync.

use highwater_types::{BrokerId, PartitionIndex, TopicId};
use highwater_wire::ErrorCode;
use highwater_wire::messages::alter_partition_request::{AlterPartitionRequest, PartitionData};
use highwater_wire::messages::alter_partition_response::{
    AlterPartitionResponse, PartitionData as PartitionAnswer, TopicData,
};
use highwater_wire::metadata_frame::MetadataRecord;

use super::broker_lifecycle::check_epoch;
use super::{ControllerCx, Decided, change_partition};
use crate::draft::Draft;
use crate::image::{Image, PartitionImage, numbers};

pub fn decide_alter_partition(
    image: &Image,
    request: &AlterPartitionRequest,
    cx: &ControllerCx<'_>,
) -> Decided<AlterPartitionResponse> {
    let leader = BrokerId(request.broker_id);
    if let Err(error) = check_epoch(image, leader, request.broker_epoch) {
        return Decided::nothing(AlterPartitionResponse {
            error_code: error.code.0,
            ..AlterPartitionResponse::default()
        });
    }
    let mut draft = Draft::new(image);
    let mut topics = Vec::new();
    for topic in &request.topics {
        let id = TopicId(topic.topic_id);
        let partitions = topic.partitions.iter().map(|wanted| {
            let record = alter(&draft.image, leader, id, wanted, cx);
            let outcome = record.and_then(|record| {
                draft.extend(record);
                check_still_leads(&draft.image, leader, id, wanted)
            });
            answer(&draft.image, id, wanted, outcome)
        });
        let partitions = partitions.collect();
        topics.push(TopicData { topic_id: topic.topic_id, partitions, ..TopicData::default() });
    }
    let reply = AlterPartitionResponse { topics, ..AlterPartitionResponse::default() };
    Decided { records: draft.records, reply }
}

fn answer(
    image: &Image,
    id: TopicId,
    wanted: &PartitionData,
    outcome: Result<(), ErrorCode>,
) -> PartitionAnswer {
    let mut answer =
        PartitionAnswer { partition_index: wanted.partition_index, ..PartitionAnswer::default() };
    let partition = image.partition_by_id(id, PartitionIndex(wanted.partition_index));
    match (outcome, partition) {
        (Err(code), _) => answer.error_code = code.0,
        (Ok(()), None) => answer.error_code = ErrorCode::UNKNOWN_TOPIC_OR_PARTITION.0,
        (Ok(()), Some(partition)) => {
            answer.leader_id = partition.leader.get();
            answer.leader_epoch = partition.leader_epoch.get();
            answer.isr = numbers(&partition.isr);
            answer.leader_recovery_state = partition.leader_recovering.into();
            answer.partition_epoch = partition.partition_epoch;
        }
    }
    answer
}

fn alter(
    image: &Image,
    leader: BrokerId,
    id: TopicId,
    wanted: &PartitionData,
    cx: &ControllerCx<'_>,
) -> Result<Option<MetadataRecord>, ErrorCode> {
    let topic = image.topic_by_id(id).ok_or(ErrorCode::UNKNOWN_TOPIC_ID)?;
    let index = PartitionIndex(wanted.partition_index);
    let partition = topic.partition(index).ok_or(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION)?;
    let isr = wanted_isr(wanted);
    check(image, partition, leader, wanted, &isr)?;
    let recovering = wanted.leader_recovery_state == 1;
    let alive = |id: BrokerId| image.brokers.is_active(id);
    Ok(change_partition(image, cx.view, topic, index, &alive, |change| {
        change.isr(isr.iter().map(|(id, _)| *id).collect()).recovering(recovering)
    }))
}

/// The ISR that was asked for may have finished a reassignment that takes the leader away.
fn check_still_leads(
    image: &Image,
    leader: BrokerId,
    id: TopicId,
    wanted: &PartitionData,
) -> Result<(), ErrorCode> {
    match image.partition_by_id(id, PartitionIndex(wanted.partition_index)) {
        Some(after) if after.leader == leader => Ok(()),
        Some(_) => Err(ErrorCode::NEW_LEADER_ELECTED),
        None => Err(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION),
    }
}

/// Brokers with the epoch that the leader knows them by; -1 if it does not say.
fn wanted_isr(wanted: &PartitionData) -> Vec<(BrokerId, i64)> {
    let plain = wanted.new_isr.iter().map(|id| (BrokerId(*id), -1));
    let with_epochs = wanted
        .new_isr_with_epochs
        .iter()
        .map(|state| (BrokerId(state.broker_id), state.broker_epoch));
    plain.chain(with_epochs).collect()
}

fn check(
    image: &Image,
    partition: &PartitionImage,
    leader: BrokerId,
    wanted: &PartitionData,
    isr: &[(BrokerId, i64)],
) -> Result<(), ErrorCode> {
    let epoch = partition.leader_epoch.get();
    if wanted.leader_epoch > epoch || wanted.partition_epoch > partition.partition_epoch {
        return Err(ErrorCode::NOT_CONTROLLER);
    }
    if wanted.leader_epoch < epoch {
        return Err(ErrorCode::FENCED_LEADER_EPOCH);
    }
    if partition.leader != leader {
        return Err(ErrorCode::INVALID_REQUEST);
    }
    if wanted.partition_epoch < partition.partition_epoch {
        return Err(ErrorCode::INVALID_UPDATE_VERSION);
    }
    let mut ids: Vec<BrokerId> = isr.iter().map(|(id, _)| *id).collect();
    ids.sort_unstable();
    let distinct = !ids.array_windows().any(|[a, b]| a == b);
    let assigned = ids.iter().all(|id| partition.replicas.contains(id));
    let recovering = wanted.leader_recovery_state == 1;
    let lone = ids.len() <= 1 || !recovering;
    let forwards = partition.leader_recovering || !recovering;
    if !distinct || !assigned || !ids.contains(&leader) || !lone || !forwards {
        return Err(ErrorCode::INVALID_REQUEST);
    }
    let eligible = |(id, epoch): &(BrokerId, i64)| {
        image.broker(*id).is_some_and(|b| b.is_active() && (*epoch == -1 || *epoch == b.epoch))
    };
    if isr.iter().all(eligible) { Ok(()) } else { Err(ErrorCode::INELIGIBLE_REPLICA) }
}

//! What happens to partitions when a broker comes, goes, or stops without warning. Each function
//! adds to a draft, so that several can follow each other in one decision.
//!
//! ```text
//!             register           heartbeat, caught up
//!  (absent) ------------> Fenced ----------------------> Active
//!                           ^  ^   session over, or asked   |
//!                           |  +----------------------------+
//!                           |                               | wants to stop
//!                           +------- InShutdown <-----------+
//!                        leads nothing
//! ```

use highwater_types::{BrokerId, PartitionIndex, TopicId};
use highwater_wire::ErrorCode;
use highwater_wire::messages::BrokerRegistrationChangeRecord;
use highwater_wire::metadata_frame::MetadataRecord;

use super::change_partition;
use crate::draft::Draft;
use crate::error::{ApiError, Outcome};
use crate::image::{Image, PartitionImage};
use crate::partition_change::{Election, PartitionChange};
use crate::settings;
use crate::view::ControllerView;

/// The broker is registered, and under this epoch.
pub fn check_epoch(image: &Image, broker: BrokerId, epoch: i64) -> Outcome {
    match image.broker(broker) {
        Some(registered) if registered.epoch == epoch => Ok(()),
        Some(registered) => Err(ApiError::new(
            ErrorCode::STALE_BROKER_EPOCH,
            format!("Broker {broker} is registered with epoch {}, not {epoch}.", registered.epoch),
        )),
        None => Err(ApiError::new(
            ErrorCode::STALE_BROKER_EPOCH,
            format!("Broker {broker} is not registered."),
        )),
    }
}

/// Whether `broker` leads any partition.
pub fn leads_any(image: &Image, broker: BrokerId) -> bool {
    let mut topics = image.topics.by_id();
    topics.any(|topic| topic.partitions.values().any(|partition| partition.leader == broker))
}

/// The broker is not to lead or be in an ISR: its session is over, or it asked for it.
pub fn fence(draft: &mut Draft, view: &ControllerView, broker: BrokerId) {
    leave_isrs(draft, view, broker);
    push_change(draft, broker, |change| change.fenced = 1);
}

/// The broker wants to stop: it hands over what it leads, and follows on meanwhile.
pub fn begin_shutdown(draft: &mut Draft, view: &ControllerView, broker: BrokerId) {
    let begun = draft.image.broker(broker).is_some_and(|b| b.in_controlled_shutdown);
    if !begun {
        push_change(draft, broker, |change| change.in_controlled_shutdown = 1);
    }
    leave_isrs(draft, view, broker);
}

/// The broker may lead again: partitions without a leader may get one.
pub fn unfence(draft: &mut Draft, view: &ControllerView, broker: BrokerId) {
    push_change(draft, broker, |change| change.fenced = -1);
    let leaderless = |partition: &PartitionImage| !partition.has_leader();
    change_where(draft, view, leaderless, None, |change| change);
}

/// The broker came back without having said goodbye: what it wrote last may be gone, so it is no
/// longer known to be complete.
pub fn stopped_uncleanly(draft: &mut Draft, view: &ControllerView, broker: BrokerId) {
    let in_isr = |partition: &PartitionImage| partition.isr.contains(&broker);
    change_where(draft, view, in_isr, Some(broker), |change| change.stopped_uncleanly(broker));
    let in_elr = |partition: &PartitionImage| partition.elr.contains(&broker);
    change_where(draft, view, in_elr, Some(broker), |change| change.stopped_uncleanly(broker));
}

/// The broker will not come back under this registration.
pub fn forget(draft: &mut Draft, view: &ControllerView, broker: BrokerId) {
    leave_isrs(draft, view, broker);
    let in_elr = |partition: &PartitionImage| partition.elr.contains(&broker);
    change_where(draft, view, in_elr, Some(broker), |change| change);
}

/// Directories of the broker are gone: its partitions in them get other leaders.
pub fn directories_lost(
    draft: &mut Draft,
    view: &ControllerView,
    broker: BrokerId,
    lost: &[highwater_types::Uuid],
) {
    let in_lost = |partition: &PartitionImage| {
        partition.isr.contains(&broker)
            && partition.directory(broker).is_some_and(|directory| lost.contains(&directory))
    };
    change_where(draft, view, in_lost, Some(broker), |change| change.without(broker));
}

pub fn leave_isrs(draft: &mut Draft, view: &ControllerView, broker: BrokerId) {
    let in_isr = |partition: &PartitionImage| partition.isr.contains(&broker);
    change_where(draft, view, in_isr, Some(broker), |change| change.without(broker));
}

/// Writes a change of the broker's registration.
pub fn push_change(
    draft: &mut Draft,
    broker: BrokerId,
    fill: impl FnOnce(&mut BrokerRegistrationChangeRecord),
) {
    let Some(registered) = draft.image.broker(broker) else { return };
    let mut change = BrokerRegistrationChangeRecord {
        broker_id: broker.get(),
        broker_epoch: registered.epoch,
        ..BrokerRegistrationChangeRecord::default()
    };
    fill(&mut change);
    draft.push(MetadataRecord::BrokerRegistrationChange(change));
}

/// Changes every partition that `affected` picks; `gone` may not lead any of them.
fn change_where(
    draft: &mut Draft,
    view: &ControllerView,
    affected: impl Fn(&PartitionImage) -> bool,
    gone: Option<BrokerId>,
    build: impl for<'a> Fn(PartitionChange<'a>) -> PartitionChange<'a>,
) {
    let image = draft.image.clone();
    let alive = |id: BrokerId| Some(id) != gone && image.brokers.is_active(id);
    for (topic_id, index) in partitions_where(&image, affected) {
        let Some(topic) = image.topic_by_id(topic_id) else { continue };
        let unclean = settings::unclean_election(view, &image, &topic.name);
        let election = if unclean { Election::Unclean } else { Election::Online };
        draft.extend(change_partition(&image, view, topic, index, &alive, |change| {
            build(change.election(election))
        }));
    }
}

fn partitions_where(
    image: &Image,
    affected: impl Fn(&PartitionImage) -> bool,
) -> Vec<(TopicId, PartitionIndex)> {
    let topics = image.topics.by_id();
    let partitions = topics.flat_map(|topic| {
        topic.partitions.iter().map(move |(index, held)| (topic.id, *index, held))
    });
    let affected = partitions.filter(|(_, _, partition)| affected(partition));
    affected.map(|(topic, index, _)| (topic, index)).collect()
}

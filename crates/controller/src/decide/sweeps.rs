//! Looks at all partitions from time to time, for what no event brings about.

use highwater_types::BrokerId;
use highwater_wire::metadata_frame::MetadataRecord;

use super::{ControllerCx, change_partition};
use crate::image::{Image, PartitionImage, TopicImage};
use crate::limits::ELECTIONS_PER_SWEEP_MAX;
use crate::partition_change::Election;
use crate::settings;

/// Gives partitions back to the first of their replicas, where that is in sync again.
pub fn decide_balance_leaders(image: &Image, cx: &ControllerCx<'_>) -> Vec<MetadataRecord> {
    let enabled = settings::static_value(cx.view, "auto.leader.rebalance.enable");
    if !enabled.and_then(|value| value.as_bool()).unwrap_or(true) {
        return Vec::new();
    }
    let astray = |_: &TopicImage, partition: &PartitionImage| {
        partition.leader != partition.preferred_leader()
    };
    sweep(image, Election::Preferred, astray, cx)
}

/// Gives leaderless partitions a leader where the topic would rather lose records than wait.
pub fn decide_elect_unclean(image: &Image, cx: &ControllerCx<'_>) -> Vec<MetadataRecord> {
    let waits = |topic: &TopicImage, partition: &PartitionImage| {
        !partition.has_leader() && settings::unclean_election(cx.view, image, &topic.name)
    };
    sweep(image, Election::Unclean, waits, cx)
}

fn sweep(
    image: &Image,
    election: Election,
    wanted: impl Fn(&TopicImage, &PartitionImage) -> bool,
    cx: &ControllerCx<'_>,
) -> Vec<MetadataRecord> {
    let alive = |id: BrokerId| image.brokers.is_active(id);
    let topics = image.topics.by_id();
    let partitions =
        topics.flat_map(|topic| topic.partitions.iter().map(move |held| (topic, held)));
    let wanted = partitions.filter(|(topic, (_, partition))| wanted(topic, partition));
    let records = wanted.filter_map(|(topic, (index, _))| {
        change_partition(image, cx.view, topic, *index, &alive, |change| change.election(election))
    });
    records.take(ELECTIONS_PER_SWEEP_MAX).collect()
}

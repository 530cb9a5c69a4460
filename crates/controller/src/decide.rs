//! One file per request: reads the image, gives the records and the answer, changes nothing.
//! [`Controller`](crate::Controller) calls the function that the request names.

pub mod allocate_producer_ids;
pub mod alter_configs;
pub mod alter_partition;
pub mod assign_replicas_to_dirs;
pub mod broker_heartbeat;
pub mod broker_lifecycle;
pub mod client_quotas;
pub mod config_change;
pub mod create_partitions;
pub mod create_topics;
pub mod delete_topics;
pub mod elect_leaders;
pub mod incremental_alter_configs;
pub mod manual_assignment;
pub mod reassignments;
pub mod register_broker;
pub mod scram;
pub mod sweeps;
pub mod unregister_broker;
pub mod update_features;

use highwater_shard::Cx;
use highwater_types::{BrokerId, PartitionIndex, Uuid};
use highwater_wire::metadata_frame::MetadataRecord;

use crate::image::{BrokerImage, Image, PartitionImage, TopicImage};
use crate::partition_change::{PartitionChange, Surroundings, default_directory};
use crate::placement::UsableBroker;
use crate::settings;
use crate::view::ControllerView;

/// What surrounds a decision of the controller.
pub type ControllerCx<'a> = Cx<'a, ControllerView>;

/// Records to write, and the answer that leaves once they are committed.
pub struct Decided<R> {
    pub records: Vec<MetadataRecord>,
    pub reply: R,
}

impl<R> Decided<R> {
    /// An answer that writes nothing.
    pub fn nothing(reply: R) -> Decided<R> {
        Decided { records: Vec::new(), reply }
    }
}

/// Brokers that may hold new replicas: registered, with a directory that takes them.
fn usable_brokers(image: &Image) -> Vec<UsableBroker> {
    image
        .brokers
        .iter()
        .filter(|broker| {
            let cordoned = broker.cordoned_log_dirs.as_deref().unwrap_or_default();
            broker.log_dirs.is_empty() || broker.log_dirs.iter().any(|dir| !cordoned.contains(dir))
        })
        .map(|broker| UsableBroker {
            id: broker.id,
            rack: broker.rack.clone(),
            fenced: broker.fenced || broker.in_controlled_shutdown,
        })
        .collect()
}

/// The directory for a new replica on `id`.
fn new_replica_directory(image: &Image, id: BrokerId) -> Uuid {
    let log_dirs = image.broker(id).map_or(&[][..], |broker| &broker.log_dirs);
    default_directory(log_dirs)
}

/// A partition as it is created: everyone who is active is in sync, the first of them leads.
/// `None` if nobody is.
fn new_partition(image: &Image, replicas: &[BrokerId]) -> Option<PartitionImage> {
    let isr: Vec<BrokerId> =
        replicas.iter().copied().filter(|id| image.brokers.is_active(*id)).collect();
    Some(PartitionImage {
        leader: *isr.first()?,
        directories: replicas.iter().map(|id| new_replica_directory(image, *id)).collect(),
        replicas: replicas.to_vec(),
        isr,
        leader_epoch: highwater_types::LeaderEpoch(0),
        ..PartitionImage::default()
    })
}

/// Whether a broker that is alive could serve this partition: its directory is online.
fn holds_partition(broker: &BrokerImage, partition: &PartitionImage) -> bool {
    // Ids below 100 are not directories but say why there is none; all but "lost" (2) pass.
    let reserved = |dir: &Uuid| u128::from_be_bytes(dir.0) < 100;
    let lost = |dir: &Uuid| u128::from_be_bytes(dir.0) == 2;
    partition
        .directory(broker.id)
        .is_none_or(|dir| if reserved(&dir) { !lost(&dir) } else { broker.log_dirs.contains(&dir) })
}

/// The change of one partition that `build` describes.
///
/// `may_lead` is asked about brokers beside the general rule that a leader is active and its
/// directory online.
fn change_partition(
    image: &Image,
    view: &ControllerView,
    topic: &TopicImage,
    index: PartitionIndex,
    alive: &dyn Fn(BrokerId) -> bool,
    build: impl for<'a> FnOnce(PartitionChange<'a>) -> PartitionChange<'a>,
) -> Option<MetadataRecord> {
    let partition = topic.partition(index)?;
    let may_lead = |id: BrokerId| {
        alive(id) && image.broker(id).is_some_and(|broker| holds_partition(broker, partition))
    };
    let around = Surroundings {
        may_lead: &may_lead,
        default_directory: &|id| new_replica_directory(image, id),
        min_isr: settings::min_insync_replicas(view, image, &topic.name)
            .min(topic.replication_factor()),
        elr_enabled: image.features.elr_enabled(),
    };
    build(PartitionChange::new(topic.id, index, partition, around)).into_record()
}

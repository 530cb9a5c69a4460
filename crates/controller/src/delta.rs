//! What a run of records touched, so that a broker need not compare images. Owns names and ids
//! only; what they became is in the image.

use std::collections::BTreeSet;

use highwater_types::{BrokerId, PartitionIndex, TopicId, TopicIdPartition};
use highwater_wire::Str;
use highwater_wire::metadata_frame::MetadataRecord;

use crate::image::ResourceKind;

/// Everything that one or more records touched.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ImageDelta {
    pub topics_created: BTreeSet<TopicId>,
    /// Not in the image any more.
    pub topics_removed: BTreeSet<TopicId>,
    /// Created or changed; the topic may have been removed since.
    pub partitions: BTreeSet<TopicIdPartition>,
    pub configs: BTreeSet<(ResourceKind, Str)>,
    pub brokers: BTreeSet<BrokerId>,
    pub features: bool,
    pub quotas: bool,
    pub scram: bool,
}

impl ImageDelta {
    pub fn of<'a>(records: impl IntoIterator<Item = &'a MetadataRecord>) -> ImageDelta {
        let mut delta = ImageDelta::default();
        records.into_iter().for_each(|record| delta.add(record));
        delta
    }

    pub fn is_empty(&self) -> bool {
        *self == ImageDelta::default()
    }

    /// Adds what happened later.
    pub fn merge(&mut self, later: ImageDelta) {
        self.topics_created.retain(|id| !later.topics_removed.contains(id));
        self.topics_created.extend(later.topics_created);
        self.topics_removed.extend(later.topics_removed);
        self.partitions.extend(later.partitions);
        self.configs.extend(later.configs);
        self.brokers.extend(later.brokers);
        self.features |= later.features;
        self.quotas |= later.quotas;
        self.scram |= later.scram;
    }

    pub fn add(&mut self, record: &MetadataRecord) {
        let mut partition = |topic_id, index| {
            let (topic_id, partition) = (TopicId(topic_id), PartitionIndex(index));
            self.partitions.insert(TopicIdPartition { topic_id, partition });
        };
        match record {
            MetadataRecord::Topic(r) => {
                self.topics_created.insert(TopicId(r.topic_id));
            }
            MetadataRecord::RemoveTopic(r) => {
                self.topics_created.remove(&TopicId(r.topic_id));
                self.topics_removed.insert(TopicId(r.topic_id));
            }
            MetadataRecord::Partition(r) => partition(r.topic_id, r.partition_id),
            MetadataRecord::PartitionChange(r) => partition(r.topic_id, r.partition_id),
            MetadataRecord::Config(r) => {
                if let Some(kind) = ResourceKind::of(r.resource_type) {
                    self.configs.insert((kind, r.resource_name.clone()));
                }
            }
            MetadataRecord::RegisterBroker(r) => {
                self.brokers.insert(BrokerId(r.broker_id));
            }
            MetadataRecord::UnregisterBroker(r) => {
                self.brokers.insert(BrokerId(r.broker_id));
            }
            MetadataRecord::BrokerRegistrationChange(r) => {
                self.brokers.insert(BrokerId(r.broker_id));
            }
            MetadataRecord::FenceBroker(r) => {
                self.brokers.insert(BrokerId(r.id));
            }
            MetadataRecord::UnfenceBroker(r) => {
                self.brokers.insert(BrokerId(r.id));
            }
            MetadataRecord::FeatureLevel(_) => self.features = true,
            MetadataRecord::ClientQuota(_) => self.quotas = true,
            MetadataRecord::UserScramCredential(_)
            | MetadataRecord::RemoveUserScramCredential(_) => self.scram = true,
            _ => {}
        }
    }
}

//! The cluster's metadata as it stands after some record of the metadata log. Owns what handlers
//! read; cloning costs a few pointers. Changed by [`Image::replay`] alone, which is total; refuses
//! to judge whether a record makes sense. Read by every handler of the broker and by `decide`.

mod brokers;
mod configs;
mod features;
mod producer_ids;
mod quotas;
mod replay;
mod scram;
mod security;
mod topics;

use std::sync::Arc;

use highwater_types::{BrokerId, Offset, PartitionIndex, TopicId};
use highwater_wire::Str;
use highwater_wire::metadata_frame::MetadataRecord;

pub use brokers::{BrokerImage, BrokersImage, Endpoint, FeatureRange};
pub use configs::{ConfigsImage, ResourceKind};
pub use features::FeaturesImage;
pub use producer_ids::ProducerIdsImage;
pub(crate) use quotas::entity_data;
pub use quotas::{QuotaEntity, QuotasImage};
pub use scram::{ScramCredential, ScramImage, ScramMechanism};
pub use security::SecurityImage;
pub use topics::{DIRECTORY_UNASSIGNED, PartitionImage, TopicImage, TopicsImage};
pub(crate) use topics::{brokers, numbers};

/// A copy that does not keep the frame alive that `text` was cut from.
fn detached(text: &Str) -> Str {
    Str::from(&**text)
}

/// All metadata.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Image {
    pub topics: TopicsImage,
    pub brokers: BrokersImage,
    pub configs: ConfigsImage,
    pub features: FeaturesImage,
    pub quotas: QuotasImage,
    pub scram: ScramImage,
    pub producer_ids: ProducerIdsImage,
    pub security: SecurityImage,
    /// Records of a metadata transaction that has begun and not ended; nothing above shows them.
    pending: Option<Arc<Vec<MetadataRecord>>>,
    /// Offset after the last record that was replayed.
    next_offset: Offset,
}

impl Image {
    /// An image without any record.
    pub fn empty() -> Image {
        Image::default()
    }

    pub fn topic(&self, name: &str) -> Option<&Arc<TopicImage>> {
        self.topics.named(name)
    }

    pub fn topic_by_id(&self, id: TopicId) -> Option<&Arc<TopicImage>> {
        self.topics.get(id)
    }

    pub fn partition(&self, topic: &str, index: PartitionIndex) -> Option<&PartitionImage> {
        self.topic(topic)?.partition(index)
    }

    pub fn partition_by_id(&self, id: TopicId, index: PartitionIndex) -> Option<&PartitionImage> {
        self.topic_by_id(id)?.partition(index)
    }

    pub fn broker(&self, id: BrokerId) -> Option<&BrokerImage> {
        self.brokers.get(id)
    }

    /// Offset that the next record of the log gets; 0 before the first. ApiVersions tells the one
    /// before as `finalized_features_epoch`.
    pub fn next_offset(&self) -> Offset {
        self.next_offset
    }

    /// Records from which [`Image::replay`] rebuilds this image: a snapshot.
    pub fn to_records(&self) -> Vec<MetadataRecord> {
        let mut records = Vec::new();
        self.features.to_records(&mut records);
        self.brokers.to_records(&mut records);
        self.topics.to_records(&mut records);
        self.configs.to_records(&mut records);
        self.quotas.to_records(&mut records);
        self.producer_ids.to_records(&mut records);
        self.scram.to_records(&mut records);
        self.security.to_records(&mut records);
        records
    }
}

//! Routes each metadata record to the part of the image it changes. Total: a record that refers to
//! something unknown changes nothing.

use std::sync::Arc;

use highwater_types::{BrokerId, Offset, TopicId};
use highwater_wire::metadata_frame::MetadataRecord;

use super::{Image, ResourceKind};

impl Image {
    /// Applies a record and moves [`Image::next_offset`] past `offset`.
    pub fn replay_at(&mut self, offset: Offset, record: &MetadataRecord) {
        self.replay(record);
        self.next_offset = self.next_offset.max(offset.next());
    }

    /// Applies a record. Between the begin and the end of a metadata transaction records are held
    /// back; aborting drops them.
    pub fn replay(&mut self, record: &MetadataRecord) {
        match record {
            MetadataRecord::BeginTransaction(_) => self.pending = Some(Arc::default()),
            MetadataRecord::AbortTransaction(_) => self.pending = None,
            MetadataRecord::EndTransaction(_) => {
                for held in self.pending.take().iter().flat_map(|records| records.iter()) {
                    self.apply(held);
                }
            }
            _ => match &mut self.pending {
                Some(records) => Arc::make_mut(records).push(record.clone()),
                None => self.apply(record),
            },
        }
    }

    fn apply(&mut self, record: &MetadataRecord) {
        match record {
            MetadataRecord::Topic(r) => self.topics.replay_topic(r),
            MetadataRecord::Partition(r) => self.topics.replay_partition(r),
            MetadataRecord::PartitionChange(r) => self.topics.replay_partition_change(r),
            MetadataRecord::RemoveTopic(r) => {
                if let Some(name) = self.topics.replay_removed(TopicId(r.topic_id)) {
                    self.configs.replay_resource_removed(ResourceKind::Topic, &name);
                }
            }
            MetadataRecord::ClearElr(r) => self.topics.replay_elr_cleared(&r.topic_name),
            MetadataRecord::Config(r) => self.configs.replay(r),
            MetadataRecord::FeatureLevel(r) => self.features.replay(r),
            MetadataRecord::RegisterBroker(r) => self.brokers.replay_registered(r),
            MetadataRecord::UnregisterBroker(r) => {
                self.brokers.replay_unregistered(BrokerId(r.broker_id), r.broker_epoch);
            }
            MetadataRecord::FenceBroker(r) => {
                self.brokers.replay_fenced(BrokerId(r.id), r.epoch, true);
            }
            MetadataRecord::UnfenceBroker(r) => {
                self.brokers.replay_fenced(BrokerId(r.id), r.epoch, false);
            }
            MetadataRecord::BrokerRegistrationChange(r) => self.brokers.replay_change(r),
            MetadataRecord::RegisterController(r) => self.brokers.replay_controller(r),
            MetadataRecord::UnregisterController(r) => {
                self.brokers.replay_controller_removed(r.controller_id);
            }
            MetadataRecord::ProducerIds(r) => self.producer_ids.replay(r),
            MetadataRecord::ClientQuota(r) => self.quotas.replay(r),
            MetadataRecord::UserScramCredential(r) => self.scram.replay(r),
            MetadataRecord::RemoveUserScramCredential(r) => {
                self.scram.replay_removed(&r.name, r.mechanism);
            }
            MetadataRecord::AccessControlEntry(r) => self.security.replay_acl(r),
            MetadataRecord::RemoveAccessControlEntry(r) => self.security.replay_acl_removed(r.id),
            MetadataRecord::DelegationToken(r) => self.security.replay_token(r),
            MetadataRecord::RemoveDelegationToken(r) => {
                self.security.replay_token_removed(&r.token_id);
            }
            // Nothing to remember, or handled by `replay`.
            MetadataRecord::NoOp(_)
            | MetadataRecord::ZkMigrationState(_)
            | MetadataRecord::BeginTransaction(_)
            | MetadataRecord::EndTransaction(_)
            | MetadataRecord::AbortTransaction(_) => {}
        }
    }
}

//! Durable state: what follows from the records of one offsets partition, and from nothing else.

use std::collections::BTreeMap;

use bytes::Bytes;
use highwater_types::Timestamp;
use highwater_wire::Str;
use highwater_wire::messages::group_metadata_value::MemberMetadata;
use highwater_wire::messages::{GroupMetadataValue, OffsetCommitKey, OffsetCommitValue};

use crate::limits::RECORD_OVERHEAD_BYTES;
use crate::offsets::{CommittedOffset, GroupOffsets};
use crate::record::Record;

/// A classic group as its last record says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupImage {
    /// `None`: nobody has joined yet.
    pub protocol_type: Option<Str>,
    pub generation: i32,
    /// The assignment strategy of this generation.
    pub protocol: Option<Str>,
    pub leader: Option<Str>,
    /// Since when the group is in its state; [`Timestamp::NONE`] in records of old brokers.
    pub since: Timestamp,
    /// None if the group is empty.
    pub members: BTreeMap<Str, MemberImage>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberImage {
    pub instance_id: Option<Str>,
    pub client_id: Str,
    pub client_host: Str,
    pub rebalance_timeout_ms: i32,
    pub session_timeout_ms: i32,
    /// What it told the group's strategy.
    pub subscription: Bytes,
    pub assignment: Bytes,
}

impl GroupImage {
    /// In memory of its own: the value may be a slice of a request, or of a stretch of the log.
    pub(crate) fn from_value(value: &GroupMetadataValue) -> Self {
        let members = value.members.iter().map(|member| {
            let image = MemberImage {
                instance_id: member.group_instance_id.as_ref().map(Str::detached),
                client_id: member.client_id.detached(),
                client_host: member.client_host.detached(),
                // Version 0 had one timeout for both.
                rebalance_timeout_ms: if member.rebalance_timeout == -1 {
                    member.session_timeout
                } else {
                    member.rebalance_timeout
                },
                session_timeout_ms: member.session_timeout,
                subscription: Bytes::copy_from_slice(&member.subscription),
                assignment: Bytes::copy_from_slice(&member.assignment),
            };
            (member.member_id.detached(), image)
        });
        GroupImage {
            protocol_type: Some(value.protocol_type.detached()).filter(|name| !name.is_empty()),
            generation: value.generation,
            protocol: value.protocol.as_ref().map(Str::detached),
            leader: value.leader.as_ref().map(Str::detached),
            since: Timestamp(value.current_state_timestamp),
            members: members.collect(),
        }
    }

    /// About the size of its record as group `id`; hardly ever less.
    pub(crate) fn size_bytes(&self, id: &str) -> usize {
        let text = |text: &Option<Str>| text.as_ref().map_or(0, |text| text.len());
        let members = self.members.iter().map(|(id, member)| {
            let names = id.len() + text(&member.instance_id);
            let origin = member.client_id.len() + member.client_host.len();
            let blobs = member.subscription.len() + member.assignment.len();
            names + origin + blobs + RECORD_OVERHEAD_BYTES
        });
        let names = text(&self.protocol_type) + text(&self.protocol) + text(&self.leader);
        id.len() + names + RECORD_OVERHEAD_BYTES + members.sum::<usize>()
    }

    pub(crate) fn to_value(&self) -> GroupMetadataValue {
        let members = self.members.iter().map(|(id, member)| MemberMetadata {
            member_id: id.clone(),
            group_instance_id: member.instance_id.clone(),
            client_id: member.client_id.clone(),
            client_host: member.client_host.clone(),
            rebalance_timeout: member.rebalance_timeout_ms,
            session_timeout: member.session_timeout_ms,
            subscription: member.subscription.clone(),
            assignment: member.assignment.clone(),
            ..MemberMetadata::default()
        });
        GroupMetadataValue {
            protocol_type: self.protocol_type.clone().unwrap_or_default(),
            generation: self.generation,
            protocol: self.protocol.clone(),
            leader: self.leader.clone(),
            current_state_timestamp: self.since.0,
            members: members.collect(),
            ..GroupMetadataValue::default()
        }
    }
}

/// Everything that a new leader knows after reading the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Groups that have a record of their own, by id.
    pub groups: BTreeMap<Str, GroupImage>,
    /// Committed offsets by group; no entry is empty. A group with offsets but no record is a
    /// simple group: its offsets are all there is of it.
    pub offsets: BTreeMap<Str, GroupOffsets>,
}

impl State {
    /// Applies a record. Total: a tombstone of what is not there is no news, and records of kinds
    /// that we do not know are passed over.
    pub(crate) fn replay(&mut self, record: &Record) {
        match record {
            Record::Group { key, value: Some(value) } => {
                self.groups.insert(key.group.detached(), GroupImage::from_value(value));
            }
            Record::Group { key, value: None } => {
                self.groups.remove(&key.group);
            }
            Record::Offset { key, value: Some(value) } => self.put_offset(key, value),
            Record::Offset { key, value: None } => self.remove_offset(key),
            Record::Other { .. } => {}
        }
    }

    fn put_offset(&mut self, key: &OffsetCommitKey, value: &OffsetCommitValue) {
        let topics = entry(&mut self.offsets, &key.group);
        let partitions = entry(topics, &key.topic);
        partitions.insert(key.partition, CommittedOffset::from_value(value));
    }

    fn remove_offset(&mut self, key: &OffsetCommitKey) {
        let Some(topics) = self.offsets.get_mut(&key.group) else { return };
        let Some(partitions) = topics.get_mut(&key.topic) else { return };
        partitions.remove(&key.partition);
        if partitions.is_empty() {
            topics.remove(&key.topic);
        }
        if topics.is_empty() {
            self.offsets.remove(&key.group);
        }
    }

    /// A tombstone for every offset of `group_id`.
    pub(crate) fn offset_tombstones(&self, group_id: &Str) -> Vec<Record> {
        let topics = self.offsets.get(group_id).into_iter().flatten();
        let keys = topics.flat_map(|(topic, partitions)| {
            partitions.keys().map(|partition| Record::offset_tombstone(group_id, topic, *partition))
        });
        keys.collect()
    }
}

/// The value at `key`; a key that is new gets memory of its own.
fn entry<'a, V: Default>(map: &'a mut BTreeMap<Str, V>, key: &Str) -> &'a mut V {
    if !map.contains_key(key) {
        map.insert(key.detached(), V::default());
    }
    map.entry(key.clone()).or_default()
}

//! Records of the broker's own logs as what they mean.

use bytes::Bytes;
use highwater_records::RecordView;
use highwater_records::control::{ControlType, EndTxnMarker};
use highwater_wire::messages::*;
use highwater_wire::{CoordinatorKey, DecodeError, Message, Reader, metadata_frame, versioned};
use serde_json::{Value, json};

use super::notation::{json_of, variant_of};

/// How records are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decoder {
    Plain,
    Metadata,
    Offsets,
}

/// A record that could be read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Decoded {
    pub(super) kind: String,
    pub(super) key: Option<Value>,
    /// Null of a tombstone.
    pub(super) value: Value,
}

impl Decoder {
    /// None if it is not such a record: then its bytes are shown.
    pub(super) fn decode(self, record: &RecordView<'_>) -> Option<Decoded> {
        match self {
            Decoder::Plain => None,
            Decoder::Metadata => metadata(record.value?).ok(),
            Decoder::Offsets => offsets(record.key?, record.value),
        }
    }
}

fn metadata(value: &[u8]) -> Result<Decoded, DecodeError> {
    let record = metadata_frame::decode(Bytes::copy_from_slice(value))?;
    Ok(Decoded { kind: variant_of(&record), key: None, value: json_of(&record) })
}

/// Tries each type of record that a group coordinator writes.
fn offsets(key: &[u8], value: Option<&[u8]>) -> Option<Decoded> {
    let key = Bytes::copy_from_slice(key);
    let value = value.map(Bytes::copy_from_slice);
    macro_rules! one_of {
        ($($key:ident => $value:ident,)*) => {
            match versioned::peek_version(&key).ok()? {
                $($key::RECORD_TYPE => pair::<$key, $value>(key, value),)*
                _ => None,
            }
        };
    }
    one_of! {
        LegacyOffsetCommitKey => OffsetCommitValue,
        OffsetCommitKey => OffsetCommitValue,
        GroupMetadataKey => GroupMetadataValue,
        ConsumerGroupMetadataKey => ConsumerGroupMetadataValue,
        ConsumerGroupPartitionMetadataKey => ConsumerGroupPartitionMetadataValue,
        ConsumerGroupMemberMetadataKey => ConsumerGroupMemberMetadataValue,
        ConsumerGroupTargetAssignmentMetadataKey => ConsumerGroupTargetAssignmentMetadataValue,
        ConsumerGroupTargetAssignmentMemberKey => ConsumerGroupTargetAssignmentMemberValue,
        ConsumerGroupCurrentMemberAssignmentKey => ConsumerGroupCurrentMemberAssignmentValue,
        ConsumerGroupRegularExpressionKey => ConsumerGroupRegularExpressionValue,
        ShareGroupMemberMetadataKey => ShareGroupMemberMetadataValue,
        ShareGroupMetadataKey => ShareGroupMetadataValue,
        ShareGroupTargetAssignmentMetadataKey => ShareGroupTargetAssignmentMetadataValue,
        ShareGroupTargetAssignmentMemberKey => ShareGroupTargetAssignmentMemberValue,
        ShareGroupCurrentMemberAssignmentKey => ShareGroupCurrentMemberAssignmentValue,
        ShareGroupStatePartitionMetadataKey => ShareGroupStatePartitionMetadataValue,
        StreamsGroupMetadataKey => StreamsGroupMetadataValue,
        StreamsGroupMemberMetadataKey => StreamsGroupMemberMetadataValue,
        StreamsGroupTargetAssignmentMetadataKey => StreamsGroupTargetAssignmentMetadataValue,
        StreamsGroupTargetAssignmentMemberKey => StreamsGroupTargetAssignmentMemberValue,
        StreamsGroupCurrentMemberAssignmentKey => StreamsGroupCurrentMemberAssignmentValue,
        StreamsGroupTopologyKey => StreamsGroupTopologyValue,
    }
}

fn pair<K: CoordinatorKey, V: Message>(key: Bytes, value: Option<Bytes>) -> Option<Decoded> {
    let key: K = versioned::decode_key(key).ok()?;
    let decoded = match value {
        None => Value::Null,
        Some(bytes) => {
            let value: V = versioned::decode(bytes.clone()).ok()?;
            let mut decoded = json_of(&value);
            if K::RECORD_TYPE == GroupMetadataKey::RECORD_TYPE {
                open_members(&mut decoded, bytes);
            }
            decoded
        }
    };
    let kind = K::NAME.trim_end_matches("Key").to_owned();
    Some(Decoded { kind, key: Some(json_of(&key)), value: decoded })
}

/// The blobs that consumers exchange through a classic group.
fn open_members(decoded: &mut Value, bytes: Bytes) {
    let Ok(group) = versioned::decode::<GroupMetadataValue>(bytes) else { return };
    if &*group.protocol_type != "consumer" {
        return;
    }
    for (index, member) in group.members.iter().enumerate() {
        let subscription: Result<ConsumerProtocolSubscription, _> =
            versioned::decode(member.subscription.clone());
        if let Ok(subscription) = subscription {
            decoded["members"][index]["subscription"] = json_of(&subscription);
        }
        let assignment: Result<ConsumerProtocolAssignment, _> =
            versioned::decode(member.assignment.clone());
        if let Ok(assignment) = assignment {
            decoded["members"][index]["assignment"] = json_of(&assignment);
        }
    }
}

/// A record of a control batch.
pub(super) fn control(record: &RecordView<'_>) -> Option<Decoded> {
    if let Some(marker) = EndTxnMarker::of_record(record) {
        let kind = if marker.is_commit { "commit" } else { "abort" };
        let value = json!({"coordinator_epoch": marker.coordinator_epoch});
        return Some(Decoded { kind: kind.to_owned(), key: None, value });
    }
    let (kind, value) = match ControlType::of_record(record)? {
        ControlType::LeaderChange => ("leader-change", raft::<LeaderChangeMessage>(record)?),
        ControlType::SnapshotHeader => ("snapshot-header", raft::<SnapshotHeaderRecord>(record)?),
        ControlType::SnapshotFooter => ("snapshot-footer", raft::<SnapshotFooterRecord>(record)?),
        ControlType::KRaftVersion => ("kraft-version", raft::<KRaftVersionRecord>(record)?),
        ControlType::KRaftVoters => ("kraft-voters", raft::<VotersRecord>(record)?),
        _ => return None,
    };
    Some(Decoded { kind: kind.to_owned(), key: None, value })
}

/// Their version is their first field.
fn raft<M: Message>(record: &RecordView<'_>) -> Option<Value> {
    let bytes = Bytes::copy_from_slice(record.value?);
    let version = versioned::peek_version(&bytes).ok()?.clamp(*M::VALID.start(), *M::VALID.end());
    M::decode(&mut Reader::new(bytes), version).ok().map(|message| json_of(&message))
}

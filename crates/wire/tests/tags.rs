//! Tagged fields on the wire: known and unknown ones in one rising order.

use bytes::Bytes;
use highwater_wire::messages::api_versions_response::SupportedFeatureKey;
use highwater_wire::messages::{
    ApiVersionsResponse, ConsumerGroupMemberMetadataValue, DescribeTopicPartitionsRequest,
    SnapshotFooterRecord,
};
use highwater_wire::{EncodeError, Message, Reader, Str, UnknownTags, Writer};

fn encode<M: Message>(message: &M, version: i16) -> Result<Bytes, EncodeError> {
    let mut w = Writer::new();
    message.encode(&mut w, version)?;
    Ok(w.into_bytes().unwrap())
}

fn check<M: Message>(message: &M, version: i16, expected: &[u8]) {
    let bytes = encode(message, version).unwrap();
    assert_eq!(bytes, expected);
    let mut r = Reader::new(bytes);
    assert_eq!(M::decode(&mut r, version).as_ref(), Ok(message));
    assert_eq!(r.remaining(), 0);
}

fn unknown(tags: &[u32]) -> UnknownTags {
    let mut unknown = UnknownTags::default();
    tags.iter().for_each(|tag| unknown.push(*tag, Bytes::from_static(b"u")));
    unknown
}

fn versions_with(tags: &[u32]) -> ApiVersionsResponse {
    ApiVersionsResponse {
        finalized_features_epoch: 5,
        zk_migration_ready: true,
        unknown_tagged_fields: unknown(tags),
        ..Default::default()
    }
}

#[test]
fn known_tags_stand_between_unknown_ones() {
    // No error, no APIs, no throttle; tags 0 (unset here, so anyone's), 1, 3, and one more.
    let head = b"\0\0\x01\0\0\0\0";
    let epoch = b"\x01\x08\0\0\0\0\0\0\0\x05";
    let expected = [head, &b"\x02"[..], epoch, b"\x03\x01\x01"].concat();
    check(&versions_with(&[]), 3, &expected);
    let expected = [head, &b"\x03"[..], epoch, b"\x03\x01\x01\x09\x01u"].concat();
    check(&versions_with(&[9]), 3, &expected);
}

#[test]
fn the_largest_tag_is_kept() {
    let footer = SnapshotFooterRecord {
        unknown_tagged_fields: unknown(&[4, u32::MAX]),
        ..Default::default()
    };
    check(&footer, 0, b"\0\0\x02\x04\x01u\xff\xff\xff\xff\x0f\x01u");
}

#[test]
fn unknown_tags_may_not_repeat_or_fall() {
    assert_eq!(encode(&versions_with(&[3]), 3), Err(EncodeError::TagOrder(3)));
    assert_eq!(encode(&versions_with(&[9, 8]), 3), Err(EncodeError::TagOrder(8)));
    // Versions without tags refuse to lose them.
    assert!(encode(&versions_with(&[9]), 2).is_err());
    // The known ones are ignorable, and go silently.
    assert!(encode(&versions_with(&[]), 2).is_ok());
}

#[test]
fn a_tag_longer_than_one_byte_of_length() {
    let name = Str::from("f".repeat(200));
    let feature = SupportedFeatureKey { name, ..Default::default() };
    let response = ApiVersionsResponse { supported_features: vec![feature], ..Default::default() };
    let bytes = encode(&response, 3).unwrap();
    // Count 1, tag 0, then 208 = 1 (array) + 2 + 200 (name) + 4 (versions) + 1 (tags).
    assert_eq!(bytes[7..11], [1, 0, 0xd0, 0x01]);
    assert_eq!(ApiVersionsResponse::decode(&mut Reader::new(bytes), 3), Ok(response));
}

#[test]
fn a_structure_that_may_be_absent() {
    // Plain: a signed byte. Kafka takes any that is not negative for "present".
    let absent = DescribeTopicPartitionsRequest::default();
    check(&absent, 0, b"\x01\0\0\x07\xd0\xff\0");
    let zero = Bytes::from_static(b"\x01\0\0\x07\xd0\0\x01\0\0\0\0\0\0");
    let present = DescribeTopicPartitionsRequest::decode(&mut Reader::new(zero), 0).unwrap();
    assert!(present.cursor.is_some());
    // Tagged: a varint, and written even for absent where the default is present.
    let member = ConsumerGroupMemberMetadataValue {
        instance_id: None,
        rack_id: None,
        subscribed_topic_regex: None,
        server_assignor: None,
        classic_member_metadata: None,
        ..Default::default()
    };
    check(&member, 0, b"\0\0\x01\x01\x01\0\xff\xff\xff\xff\0\x01\0\x01\0");
}

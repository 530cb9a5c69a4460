//! Cases that wait for what Highwater does not have yet, and the count of all.

use highwater_wire::messages::ApiVersionsRequest;

use super::{
    admin_groups, configs, fetch, frames, groups, idempotence, metadata, offsets, produce,
    reassignment, security, static_members, topic_settings, topics,
};

/// All cases that were collected from Kafka 4.4.0.
const ALL: usize = 408;

/// They need consumer groups of the new protocol (KIP-848).
const NEED_NEW_GROUPS: [&str; 35] = [
    "consumer heartbeat: join",
    "consumer heartbeat: empty group id",
    "consumer heartbeat: blank group id",
    "consumer heartbeat: empty member id (v1)",
    "consumer heartbeat: empty member id, epoch 0 (v0: the broker makes one)",
    "consumer heartbeat: unknown member with epoch 5",
    "consumer heartbeat: unknown group with epoch 5",
    "consumer heartbeat: epoch ahead of the member's",
    "consumer heartbeat: epoch -3",
    "consumer heartbeat: epoch -2 without instance id",
    "consumer heartbeat: empty instance id",
    "consumer heartbeat: empty rack id",
    "consumer heartbeat: unknown assignor",
    "consumer heartbeat: bad regex",
    "consumer heartbeat: join without subscription",
    "consumer heartbeat: join with rebalance timeout -1",
    "consumer heartbeat: join with owned partitions",
    "consumer heartbeat: join with topic partitions null",
    "consumer heartbeat: static join i1",
    "consumer heartbeat: second member with the same instance id (first not left)",
    "consumer heartbeat: leave of an unknown member",
    "consumer heartbeat: into a live classic group (same protocol type)",
    "join group: into a consumer-protocol group",
    "offset commit: consumer group, epoch 99",
    "offset commit: consumer group, epoch 0 of a member at 1",
    "offset commit: consumer group, unknown member",
    "offset commit: consumer group, v8",
    "offset fetch: consumer group, stale epoch",
    "offset fetch: consumer group, unknown member",
    "offset delete: subscribed topic",
    "describe consumer group: unknown",
    "describe consumer group: a classic one",
    "describe consumer group: empty id",
    "delete group: consumer protocol, with a member",
    "describe group: a consumer-protocol one (v6)",
];

/// They need share groups.
const NEED_SHARE_GROUPS: [&str; 31] = [
    "share heartbeat: join",
    "share heartbeat: empty group id",
    "share heartbeat: empty member id",
    "share heartbeat: join without subscription",
    "share heartbeat: epoch -2",
    "share heartbeat: epoch 99 of a member",
    "share heartbeat: unknown member with epoch 5",
    "share heartbeat: into a consumer group",
    "consumer heartbeat: into a share group",
    "join group: into a share group",
    "share fetch: session epoch 5 without a session",
    "share fetch: empty group id",
    "share fetch: bad member id (not a uuid)",
    "share fetch: acquire mode 7",
    "share fetch: acknowledgement in the first fetch of a session",
    "share fetch: session epoch 0, valid",
    "share fetch: session epoch 9 where 1 is due",
    "share fetch: acknowledgement of records never acquired",
    "share fetch: acknowledge type 9",
    "share fetch: acknowledge types of the wrong length",
    "share fetch: acknowledgement ranges that overlap",
    "share fetch: unknown topic id",
    "share fetch: unknown partition",
    "share fetch: unknown member id, session epoch 0",
    "share acknowledge: session epoch 0",
    "share acknowledge: no session",
    "describe share group: unknown",
    "describe share group offsets: unknown group",
    "alter share group offsets: group with members",
    "delete share group offsets: unknown group",
    "delete group: share group, with a member",
];

/// They need a transaction coordinator.
const NEED_TRANSACTIONS: [&str; 31] = [
    "end txn v4: nothing begun",
    "end txn v4: unknown transactional id",
    "end txn v4: other producer id",
    "end txn v4: epoch ahead",
    "add partitions: unknown topic",
    "add partitions: unknown partition",
    "add partitions: unknown transactional id",
    "add partitions: other producer id",
    "add partitions: stale epoch",
    "transactional produce v11: partition not added",
    "transactional produce v12: partition not added (added by the produce itself)",
    "transactional produce v12: unknown transactional id",
    "transactional produce v12: epoch ahead",
    "end txn v5: commit",
    "end txn v5: the same again with the old epoch (retry)",
    "end txn v5: abort with the old epoch after a commit",
    "transactional produce v12: old epoch",
    "end txn v5: nothing begun, current epoch, commit",
    "end txn v5: nothing begun, current epoch, abort",
    "init producer id again: same id, higher epoch",
    "add partitions: epoch of before the second init",
    "end txn v4: epoch of before the second init",
    "init producer id: with the fenced epoch",
    "txn offset commit v4: group not added",
    "txn offset commit v5: wrong generation",
    "txn offset commit v5: empty group id",
    "add offsets to txn: empty group id",
    "add offsets to txn: unknown transactional id",
    "describe transactions: unknown id",
    "list transactions: bad pattern",
    "list transactions: unknown state filter",
];

/// The APIs that each of the lists needs. Whoever serves one of them takes its cases from the list.
const NOT_SERVED: [(&str, &[i16]); 3] = [
    ("groups of the new protocol", &[68, 69]),
    ("share groups", &[76, 77, 78, 79, 90, 91, 92]),
    ("transactions", &[24, 25, 26, 28, 65, 66]),
];

#[test]
fn what_the_cases_wait_for_is_not_served() {
    let broker = crate::shared::broker();
    if broker.is_kafka() {
        return;
    }
    let request = ApiVersionsRequest {
        client_software_name: "test".into(),
        client_software_version: "1".into(),
        ..Default::default()
    };
    let served = broker.connect().call(4, &request).api_keys;
    for (what, keys) in NOT_SERVED {
        let now = served.iter().find(|api| keys.contains(&api.api_key));
        assert_eq!(now, None, "{what} are served: test the cases that wait for them");
    }
}

fn names<S>(cases: Vec<super::case::Case<S>>) -> impl Iterator<Item = String> {
    cases.into_iter().map(|case| case.name)
}

#[test]
fn every_case_is_here_or_waits() {
    let waiting = [&NEED_NEW_GROUPS[..], &NEED_SHARE_GROUPS, &NEED_TRANSACTIONS].concat();
    let mut all: Vec<String> = waiting.into_iter().map(String::from).collect();
    all.extend(names(topics::cases()));
    all.extend(names(topic_settings::cases()));
    all.extend(names(configs::cases()));
    all.extend(names(produce::cases()));
    all.extend(names(idempotence::cases()));
    all.extend(names(fetch::cases()));
    all.extend(names(offsets::cases()));
    all.extend(names(metadata::cases()));
    all.extend(names(security::cases()));
    all.extend(names(reassignment::cases()));
    all.extend(names(groups::cases()));
    all.extend(names(static_members::cases()));
    all.extend(names(admin_groups::cases()));
    all.extend(names(frames::cases()));
    assert_eq!(all.len(), ALL);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), ALL, "a name is there twice");
}

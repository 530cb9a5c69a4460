//! A fetch session: full, incremental, closed.

use bytes::Bytes;
use highwater_testkit::{Topic, Wire, batch, now_ms};
use highwater_wire::messages::fetch_response::{FetchableTopicResponse, PartitionData};
use highwater_wire::messages::{FetchRequest, FetchResponse};
use highwater_wire::{Records, Str};

use crate::shared;

/// Fetches within a session; the topic's partitions are those whose fetch offset changes.
fn fetch(
    wire: &mut Wire,
    topic: &Topic,
    session: (i32, i32),
    offsets: &[(i32, i64)],
) -> FetchResponse {
    let mut request =
        FetchRequest { session_id: session.0, session_epoch: session.1, ..topic.fetch(13, 0, 0) };
    let mut topics = std::mem::take(&mut request.topics);
    if !offsets.is_empty() {
        let partition = topics[0].partitions.remove(0);
        for &(index, offset) in offsets {
            let mut partition = partition.clone();
            (partition.partition, partition.fetch_offset) = (index, offset);
            topics[0].partitions.push(partition);
        }
        request.topics = topics;
    }
    wire.call(13, &request)
}

fn answer(session_id: i32, topic: &Topic, partitions: Vec<PartitionData>) -> FetchResponse {
    let topic = FetchableTopicResponse {
        topic: Str::default(),
        topic_id: topic.id,
        partitions,
        ..Default::default()
    };
    let is_empty = topic.partitions.is_empty();
    let responses = if is_empty { vec![] } else { vec![topic] };
    FetchResponse { session_id, responses, ..Default::default() }
}

fn partition(index: i32, end: i64, records: Bytes) -> PartitionData {
    PartitionData {
        partition_index: index,
        high_watermark: end,
        last_stable_offset: end,
        log_start_offset: 0,
        aborted_transactions: None,
        records: Some(Records::from(records)),
        ..Default::default()
    }
}

/// Empty records have no segment in one answer and an empty one in another.
fn plain(mut answer: FetchResponse) -> FetchResponse {
    for partition in answer.responses.iter_mut().flat_map(|topic| &mut topic.partitions) {
        let bytes = highwater_testkit::topics::fetched_bytes(partition);
        partition.records = Some(Records::from(bytes));
    }
    answer
}

#[test]
fn fetch_session() {
    let broker = shared::broker();
    let mut wire = broker.connect();
    let topic = wire.new_topic(2, &[]);

    let full = fetch(&mut wire, &topic, (0, 0), &[(0, 0), (1, 0)]);
    let id = full.session_id;
    assert_ne!(id, 0);
    let empty = |index| partition(index, 0, Bytes::new());
    assert_eq!(plain(full), plain(answer(id, &topic, vec![empty(0), empty(1)])));

    // Nothing new: no partitions in the answer.
    assert_eq!(fetch(&mut wire, &topic, (id, 1), &[]), answer(id, &topic, vec![]));

    // After a record to partition 1 only that one comes.
    let written = batch::one(now_ms());
    wire.must_produce(&topic, 1, &written);
    let stored = batch::forged(&written, |header| header.partition_leader_epoch = 0);
    let expected = answer(id, &topic, vec![partition(1, 1, stored)]);
    assert_eq!(plain(fetch(&mut wire, &topic, (id, 2), &[])), plain(expected));

    // Its offset moved on.
    assert_eq!(fetch(&mut wire, &topic, (id, 3), &[(1, 1)]), answer(id, &topic, vec![]));

    // Epoch -1 closes the session: a full fetch of nothing, without one.
    assert_eq!(fetch(&mut wire, &topic, (id, -1), &[]), answer(0, &topic, vec![]));
    let gone = fetch(&mut wire, &topic, (id, 4), &[]);
    assert_eq!(gone.error_code, highwater_wire::ErrorCode::FETCH_SESSION_ID_NOT_FOUND.0);
}

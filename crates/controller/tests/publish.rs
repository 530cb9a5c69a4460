//! What handlers get to see, and when; and who votes on it.

mod support;

use highwater_controller::describe::{Quorum, QuorumReplica, describe_quorum};
use highwater_controller::{Unpublished, topic_name};
use highwater_types::{BrokerId, LeaderEpoch, Offset, Timestamp, Uuid};
use highwater_wire::Str;
use highwater_wire::messages::DescribeQuorumRequest;
use highwater_wire::messages::describe_quorum_request::{PartitionData, TopicData};
use support::{Cluster, topic};

#[test]
fn an_image_shows_when_its_records_are_committed() {
    let mut cluster = Cluster::single();
    let mut unpublished = Unpublished::default();
    let mut ends = Vec::new();
    for name in ["a", "b", "c"] {
        let from = cluster.log.len();
        cluster.created(topic(name, 1, 1));
        unpublished.push(cluster.image(), &cluster.log[from..]);
        ends.push(Offset(cluster.log.len() as i64));
    }
    assert!(unpublished.committed_to(Offset(ends[0].get() - 1)).is_none());
    let (image, delta) = unpublished.committed_to(ends[1]).unwrap();
    assert!(image.topic("b").is_some() && image.topic("c").is_none());
    assert_eq!((delta.topics_created.len(), delta.partitions.len()), (2, 2));
    assert!(unpublished.committed_to(ends[1]).is_none());
    unpublished.clear();
    assert!(unpublished.committed_to(ends[2]).is_none());
}

#[test]
fn only_the_metadata_topic_has_a_quorum() {
    let voter = QuorumReplica {
        id: BrokerId(1),
        directory: Uuid::ZERO,
        log_end: Offset(9),
        last_fetch: Timestamp(5),
        last_caught_up: Timestamp(5),
        endpoints: Vec::new(),
    };
    let quorum = Quorum {
        leader: BrokerId(1),
        epoch: LeaderEpoch(3),
        high_watermark: Offset(8),
        voters: vec![voter],
        observers: Vec::new(),
    };
    let check = |name: &str, index, code: i16, voters: usize| {
        let partition = PartitionData { partition_index: index, ..PartitionData::default() };
        let request = DescribeQuorumRequest {
            topics: vec![TopicData {
                topic_name: Str::from(name),
                partitions: vec![partition],
                ..TopicData::default()
            }],
            ..DescribeQuorumRequest::default()
        };
        let reply = describe_quorum(&quorum, &request);
        let got = &reply.topics[0].partitions[0];
        assert_eq!(
            (got.partition_index, got.error_code, got.current_voters.len()),
            (index, code, voters)
        );
        assert_eq!(reply.nodes.len(), voters);
    };
    check(topic_name::CLUSTER_METADATA, 0, 0, 1);
    check(topic_name::CLUSTER_METADATA, 1, 3, 0);
    check("t", 0, 3, 0);
}

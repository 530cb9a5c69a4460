//! Records, offsets and logs.

use highwater_testkit::{Topic, batch, now_ms};
use highwater_wire::messages::*;

use super::asking;
use crate::shared;

#[test]
fn produce_and_fetch() {
    let broker = shared::broker();
    let mut asking = asking(&broker);
    asking.each(
        |a, version| {
            let of = |topic: &Topic, partition, records| {
                topic.produce(version, partition, Some(records)).topic_data.remove(0)
            };
            let one = || batch::one(now_ms());
            let mut topic_data = a.topics().map(|topic| of(topic, 0, one())).to_vec();
            let late = batch::one(now_ms() + 7_200_000);
            let bad = batch::with_crc(&one(), 1);
            for (partition, records) in [(1, late), (9, one()), (1, bad)] {
                let extra = of(&a.topic, partition, records).partition_data.remove(0);
                topic_data[0].partition_data.push(extra);
            }
            topic_data[0].partition_data.truncate(3);
            ProduceRequest { topic_data, ..a.topic.produce(version, 0, None) }
        },
        |answer, version| {
            let mut codes = Vec::new();
            for partition in answer.responses.iter().flat_map(|t| &t.partition_responses) {
                codes.push(partition.error_code);
            }
            codes.sort_unstable();
            let missing = if version >= 13 { 100 } else { 3 };
            assert_eq!(codes, [0, 3, 32, missing].sorted(), "version {version}");
        },
    );
    asking.each(
        |a, version| {
            let mut request = a.topic.fetch(version, 0, 0);
            request.topics.push(a.missing.fetch_topic(version, 0, 0));
            for (partition, offset) in [(0, 1_000), (9, 0)] {
                let mut extra = a.topic.fetch_topic(version, partition, offset);
                request.topics[0].partitions.push(extra.partitions.remove(0));
            }
            request.topics[0].partitions.remove(0);
            request
        },
        |answer, version| {
            let mut codes = Vec::new();
            for partition in answer.responses.iter().flat_map(|t| &t.partitions) {
                codes.push(partition.error_code);
            }
            codes.sort_unstable();
            let missing = if version >= 13 { 100 } else { 3 };
            assert_eq!(codes, [1, 3, missing].sorted(), "version {version}");
        },
    );
}

trait Sorted {
    fn sorted(self) -> Self;
}

impl<const N: usize> Sorted for [i16; N] {
    fn sorted(mut self) -> Self {
        self.sort_unstable();
        self
    }
}

#[test]
fn offsets_and_logs() {
    let broker = shared::broker();
    let mut asking = asking(&broker);
    asking.each(
        |a, _| {
            let partition = |partition_index| list_offsets_request::ListOffsetsPartition {
                partition_index,
                current_leader_epoch: -1,
                timestamp: -1,
                ..Default::default()
            };
            let topic = |topic: &Topic| list_offsets_request::ListOffsetsTopic {
                name: topic.name.clone(),
                partitions: vec![partition(0), partition(9)],
                ..Default::default()
            };
            let topics = a.topics().map(topic).to_vec();
            ListOffsetsRequest { replica_id: -1, topics, ..Default::default() }
        },
        |answer, version| {
            let partitions = answer.topics.iter().flat_map(|topic| &topic.partitions);
            let mut codes: Vec<_> = partitions.map(|p| p.error_code).collect();
            codes.sort_unstable();
            assert_eq!(codes, [0, 3, 3, 3], "version {version}");
        },
    );
    asking.each(
        |a, _| {
            let partition = |partition| offset_for_leader_epoch_request::OffsetForLeaderPartition {
                partition,
                current_leader_epoch: -1,
                ..Default::default()
            };
            let topic = |topic: &Topic| offset_for_leader_epoch_request::OffsetForLeaderTopic {
                topic: topic.name.clone(),
                partitions: vec![partition(0), partition(9)],
                ..Default::default()
            };
            let topics = a.topics().map(topic).to_vec();
            OffsetForLeaderEpochRequest { replica_id: -1, topics, ..Default::default() }
        },
        |answer, version| assert_eq!(answer.topics.len(), 2, "version {version}"),
    );
    asking.each(
        |a, _| {
            let topic = |topic: &Topic| describe_log_dirs_request::DescribableLogDirTopic {
                topic: topic.name.clone(),
                partitions: vec![0, 9],
                ..Default::default()
            };
            let topics = Some(a.topics().map(topic).to_vec());
            DescribeLogDirsRequest { topics, ..Default::default() }
        },
        |answer, version| assert_eq!(answer.results.len(), 1, "version {version}"),
    );
    asking.each(
        |a, _| {
            let topic = alter_replica_log_dirs_request::AlterReplicaLogDirTopic {
                name: a.topic.name.clone(),
                partitions: vec![0, 9],
                ..Default::default()
            };
            let dir = alter_replica_log_dirs_request::AlterReplicaLogDir {
                path: "/nowhere".into(),
                topics: vec![topic],
                ..Default::default()
            };
            AlterReplicaLogDirsRequest { dirs: vec![dir], ..Default::default() }
        },
        |answer, _| assert!(answer.results[0].partitions.iter().all(|p| p.error_code != 0)),
    );
    asking.each(
        |_, _| {
            let partition = describe_quorum_request::PartitionData::default();
            let topic = describe_quorum_request::TopicData {
                topic_name: "__cluster_metadata".into(),
                partitions: vec![partition],
                ..Default::default()
            };
            DescribeQuorumRequest { topics: vec![topic], ..Default::default() }
        },
        |answer, version| {
            let partition = &answer.topics[0].partitions[0];
            assert_eq!((partition.error_code, partition.leader_id), (0, 1), "version {version}");
        },
    );
}

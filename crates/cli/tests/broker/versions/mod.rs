//! Every version of every API that is served: each has its own layout, and what an answer holds
//! must have a place in it. So each answer is asked for with parts that succeed and parts that
//! fail, of which most speak in words.

mod admin;
mod data;

use std::ops::RangeInclusive;

use highwater_testkit::{Topic, Wire, batch, now_ms, unique};
use highwater_types::Uuid;
use highwater_wire::messages::*;
use highwater_wire::{ApiKey, ErrorCode, Request};

use crate::shared;

/// Versions of Produce that are listed and refused.
const PRODUCE_FROM: i16 = 3;

struct Asking {
    wire: Wire,
    topic: Topic,
    missing: Topic,
    group: String,
}

impl Asking {
    /// Sends the request that `make` gives for each version, and lets `check` see the answers.
    fn each<R: Request>(
        &mut self,
        make: impl Fn(&Asking, i16) -> R,
        check: impl Fn(&R::Response, i16),
    ) {
        for version in offered::<R>(&mut self.wire) {
            let request = make(self, version);
            check(&self.wire.call(version, &request), version);
        }
    }

    fn topics(&self) -> [&Topic; 2] {
        [&self.topic, &self.missing]
    }
}

/// The versions that the broker offers; the schema has some that no broker speaks yet.
fn offered<R: Request>(wire: &mut Wire) -> RangeInclusive<i16> {
    let answer = wire.call(0, &ApiVersionsRequest::default());
    let found = answer.api_keys.into_iter().find(|offered| offered.api_key == R::KEY.0);
    let offered = found.expect(R::NAME);
    let first = if R::KEY == ApiKey::PRODUCE { PRODUCE_FROM } else { offered.min_version };
    first..=offered.max_version
}

fn asking(broker: &shared::Shared) -> Asking {
    let mut wire = broker.connect();
    let group = unique("g");
    wire.wait_for_coordinator(&group);
    let topic = wire.new_topic(2, &[]);
    wire.must_produce(&topic, 0, &batch::one(now_ms()));
    let missing = Topic { name: unique("nope").into(), id: Uuid([9; 16]) };
    Asking { wire, topic, missing, group }
}

/// Requests that say nothing are answered in every version.
#[test]
fn empty_requests() {
    fn check<R: Request>(wire: &mut Wire) {
        for version in offered::<R>(wire) {
            if let Err(error) = wire.try_call(version, &R::default()) {
                panic!("{} v{version}: {error}", R::NAME);
            }
        }
    }
    let broker = shared::broker();
    let wire = &mut broker.connect();
    wire.wait_for_coordinator("");
    check::<FetchRequest>(wire);
    check::<ListOffsetsRequest>(wire);
    check::<OffsetCommitRequest>(wire);
    check::<OffsetFetchRequest>(wire);
    check::<FindCoordinatorRequest>(wire);
    check::<JoinGroupRequest>(wire);
    check::<HeartbeatRequest>(wire);
    check::<LeaveGroupRequest>(wire);
    check::<SyncGroupRequest>(wire);
    check::<DescribeGroupsRequest>(wire);
    check::<ListGroupsRequest>(wire);
    check::<SaslHandshakeRequest>(wire);
    check::<ApiVersionsRequest>(wire);
    check::<CreateTopicsRequest>(wire);
    check::<DeleteTopicsRequest>(wire);
    check::<DeleteRecordsRequest>(wire);
    check::<InitProducerIdRequest>(wire);
    check::<OffsetForLeaderEpochRequest>(wire);
    check::<CreateAclsRequest>(wire);
    check::<DeleteAclsRequest>(wire);
    check::<DescribeConfigsRequest>(wire);
    check::<AlterConfigsRequest>(wire);
    check::<AlterReplicaLogDirsRequest>(wire);
    check::<DescribeLogDirsRequest>(wire);
    check::<SaslAuthenticateRequest>(wire);
    check::<CreatePartitionsRequest>(wire);
    check::<CreateDelegationTokenRequest>(wire);
    check::<RenewDelegationTokenRequest>(wire);
    check::<ExpireDelegationTokenRequest>(wire);
    check::<DescribeDelegationTokenRequest>(wire);
    check::<DeleteGroupsRequest>(wire);
    check::<ElectLeadersRequest>(wire);
    check::<IncrementalAlterConfigsRequest>(wire);
    check::<AlterPartitionReassignmentsRequest>(wire);
    check::<ListPartitionReassignmentsRequest>(wire);
    check::<OffsetDeleteRequest>(wire);
    check::<DescribeClientQuotasRequest>(wire);
    check::<AlterClientQuotasRequest>(wire);
    check::<DescribeUserScramCredentialsRequest>(wire);
    check::<AlterUserScramCredentialsRequest>(wire);
    check::<DescribeQuorumRequest>(wire);
    check::<UpdateFeaturesRequest>(wire);
    check::<DescribeClusterRequest>(wire);
    check::<DescribeProducersRequest>(wire);
    check::<UnregisterBrokerRequest>(wire);
    check::<ListConfigResourcesRequest>(wire);
    check::<DescribeTopicPartitionsRequest>(wire);
}

/// Ids came with version 10 of Metadata, and could be asked for only from version 12 on.
#[test]
fn metadata_by_id_before_its_time() {
    let broker = shared::broker();
    let mut asking = asking(&broker);
    for version in [10, 11] {
        let by_id = metadata_request::MetadataRequestTopic {
            topic_id: asking.topic.id,
            name: None,
            ..Default::default()
        };
        let by_name = metadata_request::MetadataRequestTopic {
            name: Some(asking.topic.name.clone()),
            ..Default::default()
        };
        let request = MetadataRequest {
            topics: Some(vec![by_id, by_name]),
            allow_auto_topic_creation: false,
            ..Default::default()
        };
        let answer = asking.wire.call(version, &request);
        let codes: Vec<_> = answer.topics.iter().map(|topic| topic.error_code).collect();
        assert_eq!(codes, [ErrorCode::INVALID_REQUEST.0; 2], "version {version}");
        assert!(answer.brokers.is_empty());
    }
}

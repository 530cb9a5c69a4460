//! The APIs this broker serves, in the order of their keys. ApiVersions advertises exactly these.

use std::sync::LazyLock;

use highwater_wire::ApiKey;

use super::Handler;
use super::alter_client_quotas::AlterClientQuotas;
use super::alter_configs::AlterConfigs;
use super::alter_partition_reassignments::AlterPartitionReassignments;
use super::alter_replica_log_dirs::AlterReplicaLogDirs;
use super::alter_user_scram_credentials::AlterUserScramCredentials;
use super::api_versions::ApiVersions;
use super::create_partitions::CreatePartitions;
use super::create_topics::CreateTopics;
use super::delete_groups::DeleteGroups;
use super::delete_records::DeleteRecords;
use super::delete_topics::DeleteTopics;
use super::describe_client_quotas::DescribeClientQuotas;
use super::describe_cluster::DescribeCluster;
use super::describe_configs::DescribeConfigs;
use super::describe_groups::DescribeGroups;
use super::describe_log_dirs::DescribeLogDirs;
use super::describe_producers::DescribeProducers;
use super::describe_quorum::DescribeQuorum;
use super::describe_topic_partitions::DescribeTopicPartitions;
use super::describe_user_scram_credentials::DescribeUserScramCredentials;
use super::elect_leaders::ElectLeaders;
use super::fetch::Fetch;
use super::find_coordinator::FindCoordinator;
use super::heartbeat::Heartbeat;
use super::incremental_alter_configs::IncrementalAlterConfigs;
use super::init_producer_id::InitProducerId;
use super::join_group::JoinGroup;
use super::leave_group::LeaveGroup;
use super::list_config_resources::ListConfigResources;
use super::list_groups::ListGroups;
use super::list_offsets::ListOffsets;
use super::list_partition_reassignments::ListPartitionReassignments;
use super::metadata::Metadata;
use super::offset_commit::OffsetCommit;
use super::offset_delete::OffsetDelete;
use super::offset_fetch::OffsetFetch;
use super::offset_for_leader_epoch::OffsetForLeaderEpoch;
use super::produce::Produce;
use super::security::{
    CreateAcls, CreateDelegationToken, DeleteAcls, DescribeAcls, DescribeDelegationToken,
    ExpireDelegationToken, RenewDelegationToken, SaslAuthenticate, SaslHandshake,
};
use super::sync_group::SyncGroup;
use super::unregister_broker::UnregisterBroker;
use super::update_features::UpdateFeatures;

pub static TABLE: [Handler; 50] = [
    Handler::of::<Produce>(),
    Handler::of::<Fetch>(),
    Handler::of::<ListOffsets>(),
    Handler::of::<Metadata>(),
    Handler::of::<OffsetCommit>(),
    Handler::of::<OffsetFetch>(),
    Handler::of::<FindCoordinator>(),
    Handler::of::<JoinGroup>(),
    Handler::of::<Heartbeat>(),
    Handler::of::<LeaveGroup>(),
    Handler::of::<SyncGroup>(),
    Handler::of::<DescribeGroups>(),
    Handler::of::<ListGroups>(),
    Handler::of::<SaslHandshake>(),
    Handler::of::<ApiVersions>(),
    Handler::of::<CreateTopics>(),
    Handler::of::<DeleteTopics>(),
    Handler::of::<DeleteRecords>(),
    Handler::of::<InitProducerId>(),
    Handler::of::<OffsetForLeaderEpoch>(),
    Handler::of::<DescribeAcls>(),
    Handler::of::<CreateAcls>(),
    Handler::of::<DeleteAcls>(),
    Handler::of::<DescribeConfigs>(),
    Handler::of::<AlterConfigs>(),
    Handler::of::<AlterReplicaLogDirs>(),
    Handler::of::<DescribeLogDirs>(),
    Handler::of::<SaslAuthenticate>(),
    Handler::of::<CreatePartitions>(),
    Handler::of::<CreateDelegationToken>(),
    Handler::of::<RenewDelegationToken>(),
    Handler::of::<ExpireDelegationToken>(),
    Handler::of::<DescribeDelegationToken>(),
    Handler::of::<DeleteGroups>(),
    Handler::of::<ElectLeaders>(),
    Handler::of::<IncrementalAlterConfigs>(),
    Handler::of::<AlterPartitionReassignments>(),
    Handler::of::<ListPartitionReassignments>(),
    Handler::of::<OffsetDelete>(),
    Handler::of::<DescribeClientQuotas>(),
    Handler::of::<AlterClientQuotas>(),
    Handler::of::<DescribeUserScramCredentials>(),
    Handler::of::<AlterUserScramCredentials>(),
    Handler::of::<DescribeQuorum>(),
    Handler::of::<UpdateFeatures>(),
    Handler::of::<DescribeCluster>(),
    Handler::of::<DescribeProducers>(),
    Handler::of::<UnregisterBroker>(),
    Handler::of::<ListConfigResources>(),
    Handler::of::<DescribeTopicPartitions>(),
];

/// Index into [`TABLE`] by key; the highest key is 94.
static BY_KEY: LazyLock<[Option<u8>; 128]> = LazyLock::new(|| {
    let mut places = [None; 128];
    for (place, handler) in TABLE.iter().enumerate() {
        if let (Ok(key), Ok(place)) = (usize::try_from(handler.key.0), u8::try_from(place))
            && let Some(slot) = places.get_mut(key)
        {
            *slot = Some(place);
        }
    }
    places
});

/// The handler of an API, if we serve it.
pub fn find(key: ApiKey) -> Option<&'static Handler> {
    let place = *BY_KEY.get(usize::try_from(key.0).ok()?)?;
    TABLE.get(usize::from(place?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_keys_and_finds_each() {
        assert!(TABLE.windows(2).all(|pair| pair[0].key.0 < pair[1].key.0));
        for handler in &TABLE {
            assert_eq!(find(handler.key).map(|found| found.key), Some(handler.key));
        }
        for unknown in [-1, 4, 9999, i16::MIN, i16::MAX] {
            assert!(find(ApiKey(unknown)).is_none());
        }
    }
}

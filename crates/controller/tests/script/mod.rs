//! The requests that `data/kafka_metadata.txt` answers to, up to the orderly restart.

use highwater_controller::{ControllerReply, ControllerRequest};
use highwater_types::{BrokerId, Uuid};
use highwater_wire::Str;
use highwater_wire::messages::{
    AllocateProducerIdsRequest, AlterClientQuotasRequest, AlterConfigsRequest,
    AlterUserScramCredentialsRequest, BrokerHeartbeatRequest, CreatePartitionsRequest,
    DeleteTopicsRequest, IncrementalAlterConfigsRequest, UpdateFeaturesRequest,
    alter_client_quotas_request, alter_configs_request, alter_user_scram_credentials_request,
    create_partitions_request, delete_topics_request, incremental_alter_configs_request,
    update_features_request,
};

use crate::support::{Cluster, topic, with_config};

const SET: i8 = 0;
const DELETE: i8 = 1;
const APPEND: i8 = 2;

pub fn run(cluster: &mut Cluster) {
    let epoch = start(cluster, 1, -1);
    let compact = with_config(topic("t2", 1, 1), "cleanup.policy", Some("compact"));
    let compact = with_config(compact, "retention.ms", Some("5"));
    let reply = cluster.create(vec![topic("t1", 2, 1), compact, topic("gone", 1, 1)], false);
    assert!(reply.topics.iter().all(|topic| topic.error_code == 0));
    delete_and_grow(cluster);
    alter_settings(cluster);
    alter_clients(cluster, epoch);
    for (level, upgrade_type) in [(0, 2), (1, 1)] {
        let update = update_features_request::FeatureUpdateKey {
            feature: Str::from("streams.version"),
            max_version_level: level,
            upgrade_type,
            ..update_features_request::FeatureUpdateKey::default()
        };
        let request = UpdateFeaturesRequest {
            feature_updates: vec![update],
            ..UpdateFeaturesRequest::default()
        };
        cluster.ask(ControllerRequest::UpdateFeatures { request, version: 2 });
    }
    let stop = ControllerRequest::BrokerShutdown { broker: BrokerId(1), epoch };
    assert_eq!(cluster.ask(stop), ControllerReply::Done);
    start(cluster, 2, epoch);
}

/// Registers, tells that no directory is cordoned, and serves.
fn start(cluster: &mut Cluster, life: u8, previous_epoch: i64) -> i64 {
    let epoch = cluster.register(1, life, previous_epoch).unwrap();
    let request = BrokerHeartbeatRequest {
        broker_id: 1,
        broker_epoch: epoch,
        current_metadata_offset: epoch,
        cordoned_log_dirs: Some(Vec::<Uuid>::new()),
        ..BrokerHeartbeatRequest::default()
    };
    cluster.ask(ControllerRequest::BrokerHeartbeat(request));
    epoch
}

fn delete_and_grow(cluster: &mut Cluster) {
    let request = DeleteTopicsRequest {
        topics: vec![delete_topics_request::DeleteTopicState {
            name: Some(Str::from("gone")),
            ..delete_topics_request::DeleteTopicState::default()
        }],
        ..DeleteTopicsRequest::default()
    };
    cluster.ask(ControllerRequest::DeleteTopics { request, version: 6 });
    let request = CreatePartitionsRequest {
        topics: vec![create_partitions_request::CreatePartitionsTopic {
            name: Str::from("t1"),
            count: 3,
            assignments: None,
            ..create_partitions_request::CreatePartitionsTopic::default()
        }],
        ..CreatePartitionsRequest::default()
    };
    cluster.ask(ControllerRequest::CreatePartitions(request));
}

fn alter_settings(cluster: &mut Cluster) {
    type Change = (&'static str, i8, Option<&'static str>);
    let mut alter = |kind, name: &str, changes: &[Change]| {
        use incremental_alter_configs_request::{AlterConfigsResource, AlterableConfig};
        let configs = changes.iter().map(|(key, op, value)| AlterableConfig {
            name: Str::from(*key),
            config_operation: *op,
            value: value.map(Str::from),
            ..AlterableConfig::default()
        });
        let request = IncrementalAlterConfigsRequest {
            resources: vec![AlterConfigsResource {
                resource_type: kind,
                resource_name: Str::from(name),
                configs: configs.collect(),
                ..AlterConfigsResource::default()
            }],
            ..IncrementalAlterConfigsRequest::default()
        };
        let receiver = BrokerId(1);
        cluster.ask(ControllerRequest::IncrementalAlterConfigs { request, receiver });
    };
    let both = [("retention.ms", SET, Some("100")), ("cleanup.policy", APPEND, Some("compact"))];
    alter(2, "t1", &both);
    alter(2, "t1", &[("retention.ms", DELETE, None)]);
    alter(4, "1", &[("num.io.threads", SET, Some("9"))]);
    alter(4, "", &[("num.io.threads", SET, Some("7"))]);
    alter(32, "g", &[("consumer.session.timeout.ms", SET, Some("46000"))]);
    alter(16, "m", &[("interval.ms", SET, Some("1000"))]);
    let request = AlterConfigsRequest {
        resources: vec![alter_configs_request::AlterConfigsResource {
            resource_type: 2,
            resource_name: Str::from("t2"),
            configs: vec![alter_configs_request::AlterableConfig {
                name: Str::from("retention.ms"),
                value: Some(Str::from("7")),
                ..alter_configs_request::AlterableConfig::default()
            }],
            ..alter_configs_request::AlterConfigsResource::default()
        }],
        ..AlterConfigsRequest::default()
    };
    cluster.ask(ControllerRequest::AlterConfigs { request, receiver: BrokerId(1) });
}

fn alter_clients(cluster: &mut Cluster, broker_epoch: i64) {
    use alter_client_quotas_request::{EntityData, EntryData, OpData};
    let part = |kind: &str, name: Option<&str>| EntityData {
        entity_type: Str::from(kind),
        entity_name: name.map(Str::from),
        ..EntityData::default()
    };
    let request = AlterClientQuotasRequest {
        entries: vec![EntryData {
            entity: vec![part("user", Some("u")), part("client-id", None)],
            ops: vec![OpData {
                key: Str::from("producer_byte_rate"),
                value: 10.0,
                ..OpData::default()
            }],
            ..EntryData::default()
        }],
        ..AlterClientQuotasRequest::default()
    };
    cluster.ask(ControllerRequest::AlterClientQuotas(request));
    use alter_user_scram_credentials_request::{ScramCredentialDeletion, ScramCredentialUpsertion};
    let upsertion = ScramCredentialUpsertion {
        name: Str::from("u"),
        mechanism: 2,
        iterations: 4096,
        salt: b"abcd"[..].into(),
        salted_password: b"efgh"[..].into(),
        ..ScramCredentialUpsertion::default()
    };
    let deletion = ScramCredentialDeletion {
        name: Str::from("u"),
        mechanism: 2,
        ..ScramCredentialDeletion::default()
    };
    let upsert =
        AlterUserScramCredentialsRequest { upsertions: vec![upsertion], ..Default::default() };
    let delete =
        AlterUserScramCredentialsRequest { deletions: vec![deletion], ..Default::default() };
    for request in [upsert, delete] {
        cluster.ask(ControllerRequest::AlterUserScramCredentials(request));
    }
    let request = AllocateProducerIdsRequest {
        broker_id: 1,
        broker_epoch,
        ..AllocateProducerIdsRequest::default()
    };
    cluster.ask(ControllerRequest::AllocateProducerIds(request));
}

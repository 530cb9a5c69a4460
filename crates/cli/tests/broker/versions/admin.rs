//! Topics, groups, settings, elections.

use highwater_testkit::groups::{join, simple_commit};
use highwater_testkit::{Topic, unique};
use highwater_wire::ErrorCode;
use highwater_wire::messages::*;

use super::asking;
use crate::shared;

#[test]
fn topics() {
    let broker = shared::broker();
    let mut asking = asking(&broker);
    asking.each(
        |a, version| {
            let topic = |topic: &Topic| metadata_request::MetadataRequestTopic {
                name: Some(topic.name.clone()),
                ..Default::default()
            };
            MetadataRequest {
                topics: Some(vec![topic(&a.topic)]),
                allow_auto_topic_creation: version < 4,
                include_topic_authorized_operations: version >= 8,
                include_cluster_authorized_operations: (8..=10).contains(&version),
                ..Default::default()
            }
        },
        |answer, version| {
            assert_eq!(answer.topics[0].partitions.len(), 2, "version {version}");
        },
    );
    asking.each(
        |_, version| {
            let topic = |name: String, partitions| {
                highwater_testkit::topics::creation(&name, partitions, &[])
            };
            let topics = vec![topic(unique("made"), 1), topic("bad name".into(), 0)];
            let (timeout_ms, validate_only) = (10_000, version % 2 == 0);
            CreateTopicsRequest { topics, timeout_ms, validate_only, ..Default::default() }
        },
        |answer, version| {
            let codes: Vec<_> = answer.topics.iter().map(|topic| topic.error_code).collect();
            assert!(codes.contains(&0) && codes.contains(&17), "version {version}: {codes:?}");
        },
    );
    asking.each(
        |a, version| DeleteTopicsRequest {
            topics: match version {
                6 => vec![delete_topics_request::DeleteTopicState {
                    name: Some(a.missing.name.clone()),
                    ..Default::default()
                }],
                _ => vec![],
            },
            topic_names: if version < 6 { vec![a.missing.name.clone()] } else { vec![] },
            timeout_ms: 10_000,
            ..Default::default()
        },
        |answer, version| assert_eq!(answer.responses[0].error_code, 3, "version {version}"),
    );
    asking.each(
        |a, _| {
            let topic = |topic: &Topic, count| create_partitions_request::CreatePartitionsTopic {
                name: topic.name.clone(),
                count,
                assignments: None,
                ..Default::default()
            };
            let topics = vec![topic(&a.topic, 1), topic(&a.missing, 9)];
            CreatePartitionsRequest { topics, timeout_ms: 10_000, ..Default::default() }
        },
        |answer, _| assert!(answer.results.iter().all(|result| result.error_code != 0)),
    );
}

#[test]
fn groups() {
    let broker = shared::broker();
    let mut asking = asking(&broker);
    asking.each(
        |a, version| FindCoordinatorRequest {
            key: if version < 4 { a.group.as_str().into() } else { "".into() },
            key_type: if version < 1 { 0 } else { 9 },
            coordinator_keys: if version < 4 { vec![] } else { vec![a.group.as_str().into()] },
            ..Default::default()
        },
        |answer, version| {
            let code = match version {
                ..=3 => answer.error_code,
                _ => answer.coordinators[0].error_code,
            };
            assert_eq!(code, if version < 1 { 0 } else { 42 }, "version {version}");
        },
    );
    asking.each(
        |a, version| {
            let mut request = simple_commit(&a.group, &a.topic.name, 0, 1);
            let topic = &mut request.topics[0];
            if version >= 10 {
                (topic.name, topic.topic_id) = ("".into(), a.topic.id);
            }
            let mut wrong = topic.partitions[0].clone();
            wrong.partition_index = 9;
            topic.partitions.push(wrong);
            request
        },
        |answer, version| {
            let codes = answer.topics[0].partitions.iter().map(|p| p.error_code);
            let mut codes: Vec<_> = codes.collect();
            codes.sort_unstable();
            assert_eq!(codes, [0, 3], "version {version}");
        },
    );
    asking.each(
        |a, _| DescribeGroupsRequest {
            groups: vec![a.group.as_str().into(), "no-such-group".into()],
            ..Default::default()
        },
        |answer, version| {
            let states = answer.groups.iter().map(|group| group.group_state.to_string());
            assert_eq!(states.collect::<Vec<_>>(), ["Empty", "Dead"], "version {version}");
        },
    );
    asking.each(
        |a, version| {
            let request = join(&format!("{}-{version}", a.group), "ghost", None);
            JoinGroupRequest { reason: None, ..request }
        },
        |answer, version| {
            let code = ErrorCode(answer.error_code);
            assert_eq!(code, ErrorCode::UNKNOWN_MEMBER_ID, "version {version}");
        },
    );
    asking.each(
        |_, _| DeleteGroupsRequest {
            groups_names: vec!["no-such-group".into()],
            ..Default::default()
        },
        |answer, version| assert_eq!(answer.results[0].error_code, 69, "version {version}"),
    );
}

#[test]
fn settings_and_elections() {
    let broker = shared::broker();
    let mut asking = asking(&broker);
    asking.each(
        |a, version| {
            let resource = |name| describe_configs_request::DescribeConfigsResource {
                resource_type: 2,
                resource_name: name,
                configuration_keys: None,
                ..Default::default()
            };
            DescribeConfigsRequest {
                resources: a.topics().map(|topic| resource(topic.name.clone())).to_vec(),
                include_synonyms: true,
                include_documentation: version >= 3,
                ..Default::default()
            }
        },
        |answer, version| {
            let codes: Vec<_> = answer.results.iter().map(|result| result.error_code).collect();
            assert!(codes.contains(&0) && codes.contains(&3), "version {version}: {codes:?}");
        },
    );
    asking.each(
        |a, _| {
            let config = alter_configs_request::AlterableConfig {
                name: "retention.ms".into(),
                value: Some("x".into()),
                ..Default::default()
            };
            let resource = |name| alter_configs_request::AlterConfigsResource {
                resource_type: 2,
                resource_name: name,
                configs: vec![config.clone()],
                ..Default::default()
            };
            let resources = a.topics().map(|topic| resource(topic.name.clone())).to_vec();
            AlterConfigsRequest { resources, ..Default::default() }
        },
        |answer, _| assert!(answer.responses.iter().all(|response| response.error_code != 0)),
    );
    asking.each(
        |a, version| {
            let topic = |topic: &Topic| elect_leaders_request::TopicPartitions {
                topic: topic.name.clone(),
                partitions: vec![0, 9],
                ..Default::default()
            };
            ElectLeadersRequest {
                election_type: i8::from(version >= 1),
                topic_partitions: Some(a.topics().map(topic).to_vec()),
                timeout_ms: 5_000,
                ..Default::default()
            }
        },
        |answer, version| {
            let results = answer.replica_election_results.iter();
            let codes: Vec<_> =
                results.flat_map(|r| &r.partition_result).map(|p| p.error_code).collect();
            assert_eq!(codes.len(), 4, "version {version}");
            assert!(codes.iter().all(|code| [3, 84].contains(code)), "{codes:?}");
        },
    );
    asking.each(
        |_, version| {
            let update = update_features_request::FeatureUpdateKey {
                feature: "no.such".into(),
                max_version_level: 1,
                ..Default::default()
            };
            UpdateFeaturesRequest {
                timeout_ms: 5_000,
                feature_updates: vec![update],
                validate_only: version >= 1,
                ..Default::default()
            }
        },
        |answer, version| {
            let told = answer.error_code != 0 || answer.results.iter().any(|r| r.error_code != 0);
            assert!(told, "version {version}");
        },
    );
}

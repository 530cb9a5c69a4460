//! `topic create`, `alter` and `delete`.

use highwater_wire::messages::create_partitions_request::CreatePartitionsTopic;
use highwater_wire::messages::create_topics_request::{CreatableTopic, CreatableTopicConfig};
use highwater_wire::messages::delete_topics_request::DeleteTopicState;
use highwater_wire::messages::{CreatePartitionsRequest, CreateTopicsRequest, DeleteTopicsRequest};
use highwater_wire::{ErrorCode, Str};
use serde_json::json;

use super::{AlterArgs, CreateArgs};
use crate::commands::config::{Change, Resource, alter_config};
use crate::failure::Outcome;
use crate::output::Output;
use crate::session::{Session, refused};

/// The broker's own default.
const DEFAULT: i32 = -1;
/// The first version of DeleteTopics that takes ids as well.
const DELETE_BY_STATE_FROM: i16 = 6;
/// The first version of CreateTopics that answers what was made.
const CREATE_TELLS_FROM: i16 = 5;

pub(super) async fn create(session: &Session, output: Output, args: &CreateArgs) -> Outcome {
    let controller = session.controller().await?;
    let configs = |args: &CreateArgs| {
        let config = |(name, value): &(String, String)| CreatableTopicConfig {
            name: name.into(),
            value: Some(value.into()),
            ..CreatableTopicConfig::default()
        };
        args.set.iter().map(config).collect()
    };
    let topic = |name: &String| CreatableTopic {
        name: name.into(),
        num_partitions: args.partitions.unwrap_or(DEFAULT),
        replication_factor: args.replicas.unwrap_or(DEFAULT as i16),
        configs: configs(args),
        ..CreatableTopic::default()
    };
    let request = CreateTopicsRequest {
        topics: args.topics.iter().map(topic).collect(),
        timeout_ms: session.timeout_ms(),
        validate_only: args.dry_run,
        ..CreateTopicsRequest::default()
    };
    let tells = controller.version_of::<CreateTopicsRequest>()? >= CREATE_TELLS_FROM;
    let answer = controller.call(&request).await?;
    let verb = if args.dry_run { "could create" } else { "created" };
    let mut ended = Ok(());
    for result in &answer.topics {
        let exists = ErrorCode(result.error_code) == ErrorCode::TOPIC_ALREADY_EXISTS;
        if exists && args.if_not_exists {
            output.done(
                &format!("topic {} exists already", result.name),
                &json!({"topic": result.name.as_str(), "created": false}),
            )?;
            continue;
        }
        let what = format!("creating topic {}", result.name);
        if let Err(failure) = refused(what, result.error_code, result.error_message.as_ref()) {
            ended = keep_first(ended, failure);
            continue;
        }
        let size = match tells && result.num_partitions > 0 {
            true => format!(
                " with {} and {}",
                counted(result.num_partitions, "partition"),
                counted(result.replication_factor.into(), "replica"),
            ),
            false => String::new(),
        };
        output.done(
            &format!("{verb} topic {}{size}", result.name),
            &json!({
                "topic": result.name.as_str(),
                "created": !args.dry_run,
                "id": result.topic_id.to_string(),
                "partitions": result.num_partitions,
                "replicas": result.replication_factor,
            }),
        )?;
    }
    ended
}

fn counted(count: i32, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// All are tried; the first failure is told at the end, the others at once.
fn keep_first(ended: Outcome, failure: crate::failure::Failure) -> Outcome {
    match ended {
        Ok(()) => Err(failure),
        Err(first) => {
            eprintln!("highwater: {failure}");
            Err(first)
        }
    }
}

pub(super) async fn alter(session: &Session, output: Output, args: &AlterArgs) -> Outcome {
    if let Some(count) = args.partitions {
        add_partitions(session, output, args, count).await?;
    }
    let changes = Change::list(&args.set, &args.unset);
    if changes.is_empty() {
        return Ok(());
    }
    let resource = Resource::topic(&args.topic);
    alter_config(session, output, &resource, &changes, args.dry_run).await
}

async fn add_partitions(
    session: &Session,
    output: Output,
    args: &AlterArgs,
    count: i32,
) -> Outcome {
    let request = CreatePartitionsRequest {
        topics: vec![CreatePartitionsTopic {
            name: args.topic.as_str().into(),
            count,
            // The broker places them.
            assignments: None,
            ..CreatePartitionsTopic::default()
        }],
        timeout_ms: session.timeout_ms(),
        validate_only: args.dry_run,
        ..CreatePartitionsRequest::default()
    };
    let answer = session.controller().await?.call(&request).await?;
    for result in &answer.results {
        let what = format!("adding partitions to {}", result.name);
        refused(what, result.error_code, result.error_message.as_ref())?;
    }
    let verb = if args.dry_run { "could have" } else { "has" };
    output.done(
        &format!("topic {} {verb} {} now", args.topic, counted(count, "partition")),
        &json!({"topic": args.topic, "partitions": count, "changed": !args.dry_run}),
    )
}

pub(super) async fn delete(
    session: &Session,
    output: Output,
    topics: &[String],
    if_exists: bool,
) -> Outcome {
    let controller = session.controller().await?;
    let by_state = controller.version_of::<DeleteTopicsRequest>()? >= DELETE_BY_STATE_FROM;
    let state =
        |name: &String| DeleteTopicState { name: Some(name.into()), ..DeleteTopicState::default() };
    let mut request =
        DeleteTopicsRequest { timeout_ms: session.timeout_ms(), ..DeleteTopicsRequest::default() };
    match by_state {
        true => request.topics = topics.iter().map(state).collect(),
        false => request.topic_names = topics.iter().map(Str::from).collect(),
    }
    let answer = controller.call(&request).await?;
    let mut ended = Ok(());
    for result in &answer.responses {
        let name = result.name.as_deref().unwrap_or_default();
        let code = ErrorCode(result.error_code);
        if if_exists && code == ErrorCode::UNKNOWN_TOPIC_OR_PARTITION {
            let facts = json!({"topic": name, "deleted": false});
            output.done(&format!("there is no topic {name}"), &facts)?;
            continue;
        }
        let what = format!("deleting topic {name}");
        match refused(what, result.error_code, result.error_message.as_ref()) {
            Err(failure) => ended = keep_first(ended, failure),
            Ok(()) => {
                let facts = json!({"topic": name, "deleted": true});
                output.done(&format!("deleted topic {name}"), &facts)?;
            }
        }
    }
    ended
}

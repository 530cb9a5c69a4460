//! `group`: consumer groups, how far they have come, and moving them.

mod committed;
mod describe;
mod members;
mod reset;

use clap::{Args, Subcommand};
use highwater_wire::messages::{DeleteGroupsRequest, ListGroupsRequest};
use serde_json::json;

use crate::cli::{AnswerArgs, ConnectArgs};
use crate::failure::Outcome;
use crate::output::{Cell, Output, Table, Tone};
use crate::session::{Session, refused};

const EXAMPLES: &str = "\
Examples:
  highwater group list
  highwater group describe billing
  highwater group reset-offsets billing --to beginning                 show what would change
  highwater group reset-offsets billing --to @2026-11-30T12:00Z --execute
  highwater group reset-offsets billing --topic orders:0,1 --shift-by -100 --execute
  highwater group delete billing";

/// List, describe, move and delete consumer groups.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct GroupArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    #[command(flatten)]
    answer: AnswerArgs,
    #[command(subcommand)]
    command: GroupCommand,
}

#[derive(Debug, Subcommand)]
enum GroupCommand {
    /// List the groups
    List {
        /// Only groups in this state, such as Empty or Stable; may be repeated
        #[arg(long, value_name = "STATE")]
        state: Vec<String>,
    },
    /// Show how far a group has read, and how far it is behind
    Describe {
        /// The groups
        #[arg(required = true, value_name = "GROUP")]
        groups: Vec<String>,
        /// Show the members as well
        #[arg(long)]
        members: bool,
    },
    ResetOffsets(reset::ResetArgs),
    /// Delete groups that have no members, with their offsets
    Delete {
        /// The groups
        #[arg(required = true, value_name = "GROUP")]
        groups: Vec<String>,
    },
}

pub async fn run(args: GroupArgs) -> Outcome {
    let output = Output::new(args.answer.json);
    let session = Session::open(&args.connect).await?;
    match args.command {
        GroupCommand::List { state } => list(&session, output, &state).await,
        GroupCommand::Describe { groups, members } => {
            describe::describe(&session, output, &groups, members).await
        }
        GroupCommand::ResetOffsets(args) => reset::reset(&session, output, &args).await,
        GroupCommand::Delete { groups } => delete(&session, output, &groups).await,
    }
}

async fn list(session: &Session, output: Output, states: &[String]) -> Outcome {
    let mut rows = Vec::new();
    for id in session.broker_ids() {
        let broker = session.broker(id).await?;
        let answer = session
            .patiently(|| async {
                let answer = broker.call(&ListGroupsRequest::default()).await?;
                let what = format!("listing the groups of broker {id}");
                highwater_client::ClientError::check(what, answer.error_code, None)?;
                Ok(answer)
            })
            .await?;
        rows.extend(answer.groups);
    }
    rows.sort_by(|a, b| a.group_id.cmp(&b.group_id));
    let mut table = Table::new(&["group", "type", "state", "protocol"]);
    let wanted =
        |state: &str| states.is_empty() || states.iter().any(|s| s.eq_ignore_ascii_case(state));
    for group in rows.iter().filter(|group| wanted(&group.group_state)) {
        table.push([
            Cell::from(group.group_id.as_str()),
            or_none(&group.group_type),
            state_cell(&group.group_state),
            or_none(&group.protocol_type),
        ]);
    }
    if table.rows.is_empty() {
        output.remark("no groups");
    }
    output.table(&table)
}

fn or_none(text: &str) -> Cell {
    if text.is_empty() { Cell::none() } else { Cell::from(text) }
}

fn state_cell(state: &str) -> Cell {
    let tone = match state {
        "Stable" => Tone::Good,
        "Dead" => Tone::Bad,
        _ => Tone::Plain,
    };
    or_none(state).tone(tone)
}

async fn delete(session: &Session, output: Output, groups: &[String]) -> Outcome {
    for group in groups {
        let coordinator = session.coordinator(group).await?;
        let request = DeleteGroupsRequest {
            groups_names: vec![group.into()],
            ..DeleteGroupsRequest::default()
        };
        let answer = coordinator.call(&request).await?;
        for result in &answer.results {
            let what = format!("deleting group {}", result.group_id);
            refused(what, result.error_code, result.error_message.as_ref())?;
        }
        let facts = json!({"group": group, "deleted": true});
        output.done(&format!("deleted group {group}"), &facts)?;
    }
    Ok(())
}

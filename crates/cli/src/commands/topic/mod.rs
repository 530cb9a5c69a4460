//! `topic`: what topics there are, and changing them.

mod change;
mod describe;

use clap::{Args, Subcommand};

use crate::cli::{AnswerArgs, ConnectArgs, parse_pair};
use crate::failure::Outcome;
use crate::output::{Cell, Output, Table};
use crate::session::Session;

const EXAMPLES: &str = "\
Examples:
  highwater topic create orders --partitions 6 --set retention.ms=86400000
  highwater topic list
  highwater topic describe orders
  highwater topic alter orders --partitions 12
  highwater topic alter orders --set cleanup.policy=compact --unset retention.ms
  highwater topic delete orders";

/// Create, list, describe, alter and delete topics.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct TopicArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    #[command(flatten)]
    answer: AnswerArgs,
    #[command(subcommand)]
    command: TopicCommand,
}

#[derive(Debug, Subcommand)]
enum TopicCommand {
    Create(CreateArgs),
    /// List the topics
    List {
        /// Show the brokers' own topics as well
        #[arg(long)]
        internal: bool,
    },
    /// Show partitions, their leaders and offsets, and settings
    Describe {
        /// The topics
        #[arg(required = true, value_name = "TOPIC")]
        topics: Vec<String>,
    },
    Alter(AlterArgs),
    /// Delete topics and all their records
    Delete {
        /// The topics
        #[arg(required = true, value_name = "TOPIC")]
        topics: Vec<String>,
        /// It is no error if one does not exist
        #[arg(long)]
        if_exists: bool,
    },
}

/// Create topics
#[derive(Debug, Args)]
struct CreateArgs {
    /// The topics
    #[arg(required = true, value_name = "TOPIC")]
    topics: Vec<String>,
    /// How many partitions; the broker's num.partitions if not given
    #[arg(short, long, value_name = "COUNT")]
    #[arg(value_parser = clap::value_parser!(i32).range(1..))]
    partitions: Option<i32>,
    /// How many copies of each; the broker's default.replication.factor if not given
    #[arg(short, long, alias = "replication-factor", value_name = "COUNT")]
    #[arg(value_parser = clap::value_parser!(i16).range(1..))]
    replicas: Option<i16>,
    /// A setting of the topic; may be repeated
    #[arg(short, long, value_name = "NAME=VALUE", value_parser = parse_pair)]
    set: Vec<(String, String)>,
    /// It is no error if one exists
    #[arg(long)]
    if_not_exists: bool,
    /// Only check whether it could be done
    #[arg(long)]
    dry_run: bool,
}

/// Add partitions, change settings
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("change").required(true).multiple(true)
    .args(["partitions", "set", "unset"])))]
struct AlterArgs {
    /// The topic
    topic: String,
    /// How many partitions it is to have; they can only become more
    #[arg(short, long, value_name = "COUNT")]
    #[arg(value_parser = clap::value_parser!(i32).range(1..))]
    partitions: Option<i32>,
    /// A setting; may be repeated
    #[arg(short, long, value_name = "NAME=VALUE", value_parser = parse_pair)]
    set: Vec<(String, String)>,
    /// A setting that is to have its default again; may be repeated
    #[arg(short, long, value_name = "NAME")]
    unset: Vec<String>,
    /// Only check whether it could be done
    #[arg(long)]
    dry_run: bool,
}

pub async fn run(args: TopicArgs) -> Outcome {
    let output = Output::new(args.answer.json);
    let session = Session::open(&args.connect).await?;
    match args.command {
        TopicCommand::Create(args) => change::create(&session, output, &args).await,
        TopicCommand::List { internal } => list(&session, output, internal).await,
        TopicCommand::Describe { topics } => describe::describe(&session, output, &topics).await,
        TopicCommand::Alter(args) => change::alter(&session, output, &args).await,
        TopicCommand::Delete { topics, if_exists } => {
            change::delete(&session, output, &topics, if_exists).await
        }
    }
}

async fn list(session: &Session, output: Output, internal: bool) -> Outcome {
    let topics = session.all_topics().await?;
    let mut table = Table::new(&["topic", "partitions", "replicas", "id"]);
    for topic in topics.values().filter(|topic| internal || !topic.is_internal) {
        let replicas = topic.partitions.first().map_or(0, |partition| partition.replicas.len());
        table.push([
            topic.name.as_str().into(),
            topic.partitions.len().into(),
            replicas.into(),
            Cell::from(topic.id.to_string()),
        ]);
    }
    if table.rows.is_empty() {
        output.remark("no topics; `highwater topic create NAME` makes one");
    }
    output.table(&table)
}

//! The command line: what can be typed, and its help.
//!
//! Owns the top level; each command's own arguments stand beside its code in `commands`.

use clap::{Args, Parser, Subcommand};

use crate::commands::{
    cluster, completion, config, consume, group, log_dump, produce, serve, topic,
};

const EXAMPLES: &str = "\
Examples:
  highwater                                  start a broker on 127.0.0.1:9092
  highwater topic create orders -p 3         make a topic
  echo hello | highwater produce orders      send a line
  highwater consume orders                   see what is in it
  highwater group describe billing           how far a consumer group is behind
  highwater log dump highwater-data/orders-0 read the files of a partition

The client commands work against any Kafka broker: -b HOST:PORT, or HIGHWATER_BOOTSTRAP.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no broker reachable.";

/// A message broker that speaks Kafka's protocol, and the tools for it.
///
/// Without a command it starts the broker, as `highwater serve` does, with the same options.
#[derive(Debug, Parser)]
#[command(name = "highwater", version, after_help = EXAMPLES)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub serve: serve::ServeArgs,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Serve(serve::ServeArgs),
    Topic(topic::TopicArgs),
    Produce(produce::ProduceArgs),
    Consume(consume::ConsumeArgs),
    Group(group::GroupArgs),
    Config(config::ConfigArgs),
    Cluster(cluster::ClusterArgs),
    /// Read the files of a log.
    #[command(subcommand)]
    Log(LogCommand),
    Completion(completion::CompletionArgs),
}

#[derive(Debug, Subcommand)]
pub enum LogCommand {
    Dump(log_dump::LogDumpArgs),
}

/// Heading of the options that every client command has.
const BROKERS: &str = "Brokers";

/// Where the brokers are, and how to answer. Every client command has them.
#[derive(Debug, Clone, Args)]
pub struct ConnectArgs {
    /// Brokers to begin with; one that answers is enough
    #[arg(short, long, alias = "bootstrap-server", global = true, help_heading = BROKERS)]
    #[arg(value_name = "HOST:PORT", value_delimiter = ',')]
    #[arg(env = "HIGHWATER_BOOTSTRAP", default_value = "127.0.0.1:9092")]
    pub bootstrap: Vec<String>,

    /// How long to wait for the brokers, in seconds
    #[arg(long, global = true, value_name = "SECONDS", default_value = "15")]
    #[arg(help_heading = BROKERS)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub timeout: u64,
}

/// How to answer.
#[derive(Debug, Clone, Copy, Args)]
pub struct AnswerArgs {
    /// Answer in JSON
    #[arg(long, global = true)]
    pub json: bool,
}

/// Variables of the tools' own; all others with the prefix are settings of the broker.
pub const OWN_VARIABLES: [&str; 2] = ["HIGHWATER_BOOTSTRAP", crate::logging::VARIABLE];

/// `name=value`, for settings and headers.
pub fn parse_pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn no_command_starts_the_broker() {
        let cli = Cli::try_parse_from(["highwater", "--data-dir", "d", "--set", "a=b"]).unwrap();
        assert!(cli.command.is_none());
        assert_eq!(cli.serve.set, ["a=b"]);
    }

    #[test]
    fn pairs_need_a_name() {
        assert_eq!(parse_pair("a=b=c"), Ok(("a".into(), "b=c".into())));
        assert!(parse_pair("a").is_err() && parse_pair("=b").is_err());
    }
}

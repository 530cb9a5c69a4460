//! `config`: the dynamic settings of topics, brokers, groups and client-metrics subscriptions.
//!
//! Owns reading and changing them through the protocol; `topic` uses both.

use clap::{Args, Subcommand};
use highwater_wire::messages::describe_configs_request::DescribeConfigsResource;
use highwater_wire::messages::describe_configs_response::DescribeConfigsResourceResult;
use highwater_wire::messages::incremental_alter_configs_request::{
    AlterConfigsResource, AlterableConfig,
};
use highwater_wire::messages::{DescribeConfigsRequest, IncrementalAlterConfigsRequest};
use serde_json::json;

use crate::cli::{AnswerArgs, ConnectArgs, parse_pair};
use crate::failure::{Failure, Outcome};
use crate::output::{Cell, Output, Table, Tone};
use crate::session::{Session, refused};

const EXAMPLES: &str = "\
Examples:
  highwater config get topic orders
  highwater config get topic orders retention.ms --all
  highwater config get broker 1
  highwater config set topic orders retention.ms=3600000
  highwater config set broker default log.retention.ms=604800000
  highwater config set topic orders --unset retention.ms
  highwater config set group billing consumer.session.timeout.ms=30000

KIND is topic, broker, logger (levels of a broker's log lines), group or client-metrics. The name
of a broker is its id, or `default` for all brokers.";

/// Read and change settings of topics, brokers and groups.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ConfigArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    #[command(flatten)]
    answer: AnswerArgs,
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Show settings: those that were set, or with --all every one
    Get {
        /// What has the settings
        kind: ResourceKind,
        /// Its name or id
        name: String,
        /// Only these
        #[arg(value_name = "SETTING")]
        settings: Vec<String>,
        /// Show those that have their default as well
        #[arg(long)]
        all: bool,
        /// Say what each is for
        #[arg(long)]
        doc: bool,
    },
    /// Change settings
    #[command(group(clap::ArgGroup::new("change").required(true).multiple(true)
        .args(["set", "unset"])))]
    Set {
        /// What has the settings
        kind: ResourceKind,
        /// Its name or id
        name: String,
        /// What to change
        #[arg(value_name = "SETTING=VALUE", value_parser = parse_pair)]
        set: Vec<(String, String)>,
        /// A setting that is to have its default again; may be repeated
        #[arg(short, long, alias = "delete", value_name = "SETTING")]
        unset: Vec<String>,
        /// Only check whether it could be done
        #[arg(long)]
        dry_run: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ResourceKind {
    Topic,
    Broker,
    Logger,
    ClientMetrics,
    Group,
}

impl ResourceKind {
    fn code(self) -> i8 {
        match self {
            ResourceKind::Topic => 2,
            ResourceKind::Broker => 4,
            ResourceKind::Logger => 8,
            ResourceKind::ClientMetrics => 16,
            ResourceKind::Group => 32,
        }
    }
}

/// Whose settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    kind: ResourceKind,
    /// Empty: the default of all brokers.
    name: String,
}

impl Resource {
    pub fn topic(name: &str) -> Resource {
        Resource { kind: ResourceKind::Topic, name: name.to_owned() }
    }

    fn new(kind: ResourceKind, name: &str) -> Outcome<Resource> {
        let of_broker = matches!(kind, ResourceKind::Broker | ResourceKind::Logger);
        let name = match name {
            "default" if kind == ResourceKind::Broker => "",
            name if of_broker && name.parse::<i32>().is_err() => {
                return Err(Failure::usage(format!("{name} is no broker's id")));
            }
            name => name,
        };
        Ok(Resource { kind, name: name.to_owned() })
    }

    /// The broker that alone knows.
    fn broker(&self) -> Option<i32> {
        let of_broker = matches!(self.kind, ResourceKind::Broker | ResourceKind::Logger);
        of_broker.then(|| self.name.parse().ok())?
    }

    fn title(&self) -> String {
        match (self.kind, self.name.as_str()) {
            (ResourceKind::Topic, name) => format!("topic {name}"),
            (ResourceKind::Broker, "") => "all brokers".to_owned(),
            (ResourceKind::Broker, id) => format!("broker {id}"),
            (ResourceKind::Logger, id) => format!("the loggers of broker {id}"),
            (ResourceKind::ClientMetrics, name) => format!("client metrics {name}"),
            (ResourceKind::Group, name) => format!("group {name}"),
        }
    }
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source(i8);

impl Source {
    pub fn name(self) -> &'static str {
        match self.0 {
            1 => "topic",
            2 => "broker",
            3 => "all brokers",
            4 => "file",
            5 => "default",
            6 => "logger",
            7 => "client metrics",
            8 => "group",
            _ => "unknown",
        }
    }

    /// Set for this resource, not inherited.
    pub fn is_override(self) -> bool {
        matches!(self.0, 1 | 2 | 6 | 7 | 8)
    }

    fn is_default(self) -> bool {
        self.0 == 5
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub name: String,
    /// None where it is secret.
    pub value: Option<String>,
    pub source: Source,
    is_sensitive: bool,
    is_read_only: bool,
    doc: Option<String>,
}

impl Entry {
    fn new(result: &DescribeConfigsResourceResult) -> Entry {
        Entry {
            name: result.name.to_string(),
            value: result.value.as_ref().map(ToString::to_string),
            source: Source(result.config_source),
            is_sensitive: result.is_sensitive,
            is_read_only: result.read_only,
            doc: result.documentation.as_ref().map(ToString::to_string),
        }
    }

    fn shown(&self) -> Cell {
        match self.is_sensitive {
            true => Cell::from("(secret)").tone(Tone::Faint),
            false => self.value.clone().into(),
        }
    }
}

/// The settings of one resource.
#[derive(Debug, Clone, PartialEq)]
pub struct Described {
    pub entries: Vec<Entry>,
}

/// What is to become of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Set(String, String),
    Unset(String),
}

impl Change {
    pub fn list(set: &[(String, String)], unset: &[String]) -> Vec<Change> {
        let set = set.iter().map(|(name, value)| Change::Set(name.clone(), value.clone()));
        set.chain(unset.iter().cloned().map(Change::Unset)).collect()
    }

    fn to_wire(&self) -> AlterableConfig {
        let (name, config_operation, value) = match self {
            Change::Set(name, value) => (name, 0, Some(value.into())),
            Change::Unset(name) => (name, 1, None),
        };
        AlterableConfig { name: name.into(), config_operation, value, ..AlterableConfig::default() }
    }

    fn text(&self) -> String {
        match self {
            Change::Set(name, value) => format!("{name}={value}"),
            Change::Unset(name) => format!("{name} to its default"),
        }
    }
}

pub async fn run(args: ConfigArgs) -> Outcome {
    let output = Output::new(args.answer.json);
    match args.command {
        ConfigCommand::Get { kind, name, settings, all, doc } => {
            let resource = Resource::new(kind, &name)?;
            let session = Session::open(&args.connect).await?;
            let all = all || !settings.is_empty();
            get(&session, output, &resource, &settings, Shown { all, doc }).await
        }
        ConfigCommand::Set { kind, name, set, unset, dry_run } => {
            let resource = Resource::new(kind, &name)?;
            let session = Session::open(&args.connect).await?;
            let changes = Change::list(&set, &unset);
            alter_config(&session, output, &resource, &changes, dry_run).await
        }
    }
}

#[derive(Clone, Copy)]
struct Shown {
    all: bool,
    doc: bool,
}

async fn get(
    session: &Session,
    output: Output,
    resource: &Resource,
    settings: &[String],
    shown: Shown,
) -> Outcome {
    let described = describe(session, std::slice::from_ref(resource), settings).await?;
    let entries: Vec<&Entry> = described.iter().flat_map(|described| &described.entries).collect();
    for wanted in settings {
        if !entries.iter().any(|entry| entry.name == *wanted) {
            let title = resource.title();
            return Err(Failure::new(format!("{title} has no setting {wanted}")));
        }
    }
    let table = table_of(&entries, shown);
    if table.rows.is_empty() {
        let title = resource.title();
        output.remark(&format!("nothing is set for {title}; --all shows the defaults"));
    }
    output.table(&table)
}

fn table_of(entries: &[&Entry], shown: Shown) -> Table {
    let mut table = Table::new(match shown.doc {
        true => &["setting", "value", "source", "read_only", "doc"],
        false => &["setting", "value", "source", "read_only"],
    });
    for entry in entries {
        if !shown.all && entry.source.is_default() {
            continue;
        }
        let tone = if entry.source.is_default() { Tone::Faint } else { Tone::Plain };
        let mut row = vec![
            Cell::from(entry.name.as_str()),
            entry.shown(),
            Cell::from(entry.source.name()).tone(tone),
            entry.is_read_only.into(),
        ];
        if shown.doc {
            row.push(entry.doc.clone().into());
        }
        table.push(row);
    }
    table
}

/// Reads settings; all if no names are given.
pub async fn describe(
    session: &Session,
    resources: &[Resource],
    settings: &[String],
) -> Outcome<Vec<Described>> {
    let mut described = Vec::new();
    for resource in resources {
        let request = DescribeConfigsRequest {
            resources: vec![DescribeConfigsResource {
                resource_type: resource.kind.code(),
                resource_name: resource.name.as_str().into(),
                configuration_keys: match settings {
                    [] => None,
                    names => Some(names.iter().map(Into::into).collect()),
                },
                ..DescribeConfigsResource::default()
            }],
            include_documentation: true,
            ..DescribeConfigsRequest::default()
        };
        let broker = match resource.broker() {
            Some(id) => session.broker(id).await?,
            None => session.any().clone(),
        };
        let answer = broker.call(&request).await?;
        for result in &answer.results {
            let what = format!("reading the settings of {}", resource.title());
            refused(what, result.error_code, result.error_message.as_ref())?;
            let mut entries: Vec<Entry> = result.configs.iter().map(Entry::new).collect();
            entries.sort_by(|a, b| a.name.cmp(&b.name));
            described.push(Described { entries });
        }
    }
    Ok(described)
}

/// Changes settings of one resource: all, or with an error none.
pub async fn alter_config(
    session: &Session,
    output: Output,
    resource: &Resource,
    changes: &[Change],
    dry_run: bool,
) -> Outcome {
    let request = IncrementalAlterConfigsRequest {
        resources: vec![AlterConfigsResource {
            resource_type: resource.kind.code(),
            resource_name: resource.name.as_str().into(),
            configs: changes.iter().map(Change::to_wire).collect(),
            ..AlterConfigsResource::default()
        }],
        validate_only: dry_run,
        ..IncrementalAlterConfigsRequest::default()
    };
    let broker = match resource.broker() {
        Some(id) => session.broker(id).await?,
        None => session.controller().await?,
    };
    let answer = broker.call(&request).await?;
    for result in &answer.responses {
        let what = format!("changing {}", resource.title());
        refused(what, result.error_code, result.error_message.as_ref())?;
    }
    let verb = if dry_run { "could set" } else { "set" };
    let list = changes.iter().map(Change::text).collect::<Vec<_>>().join(", ");
    output.done(
        &format!("{verb} for {}: {list}", resource.title()),
        &json!({"resource": resource.title(), "changes": list, "changed": !dry_run}),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brokers_are_named_by_id() {
        let all = Resource::new(ResourceKind::Broker, "default").unwrap();
        assert_eq!((all.title(), all.broker()), ("all brokers".to_owned(), None));
        assert_eq!(Resource::new(ResourceKind::Broker, "3").unwrap().broker(), Some(3));
        assert!(Resource::new(ResourceKind::Broker, "x").is_err());
        assert!(Resource::new(ResourceKind::Logger, "default").is_err());
        // A topic may be called so.
        assert_eq!(Resource::new(ResourceKind::Topic, "default").unwrap().name, "default");
        assert_eq!(Resource::topic("3").broker(), None);
    }

    #[test]
    fn secrets_and_defaults() {
        let entry = |name: &str, source, is_sensitive: bool| Entry {
            name: name.to_owned(),
            value: (!is_sensitive).then(|| "v".to_owned()),
            source: Source(source),
            is_sensitive,
            is_read_only: false,
            doc: None,
        };
        let entries = [entry("a", 1, false), entry("b", 5, false), entry("c", 4, true)];
        let entries: Vec<&Entry> = entries.iter().collect();
        let names = |shown| {
            let table = table_of(&entries, shown);
            let cells = |row: &Vec<Cell>| format!("{}:{}", row[0].text(), row[1].text());
            table.rows.iter().map(cells).collect::<Vec<_>>()
        };
        assert_eq!(names(Shown { all: false, doc: false }), ["a:v", "c:(secret)"]);
        assert_eq!(names(Shown { all: true, doc: true }), ["a:v", "b:v", "c:(secret)"]);
    }
}

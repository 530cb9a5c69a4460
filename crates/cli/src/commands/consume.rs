//! `consume`: the records of topics, of chosen partitions or as a member of a group.
//!
//! Owns where to begin, when to end and how records look. Fetching and the group's protocol are
//! the client library's.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::time::Duration;

use clap::Args;
use highwater_client::{
    Consumer, ConsumerOptions, ConsumerRecord, OffsetQuery, RecordHeader, Reset, Start,
};
use highwater_types::{Offset, TopicPartition};
use serde_json::{Map, Value};

use crate::cli::ConnectArgs;
use crate::failure::{Failure, Outcome};
use crate::session::{Session, TopicInfo};
use crate::signals::Signals;
use crate::text::bytes::{insert_json, unescaped};
use crate::text::format::{Format, Shown};
use crate::text::position::Position;

const EXAMPLES: &str = "\
Examples:
  highwater consume orders                              from the beginning, and wait for more
  highwater consume orders --from end                   only what comes from now on
  highwater consume orders --from -10 --exit-at-end     the last 10 of each partition
  highwater consume orders --from @2026-11-30T12:00Z -n 100
  highwater consume orders -p 0 -p 3 --from 42 -f '%t %p %o %k %s\\n'
  highwater consume orders --json | jq .value
  highwater consume orders returns --group billing      as a member of a group, commits

Format strings: %s value, %k key, %S %K their lengths (-1 for null), %t topic, %p partition,
%o offset, %T time in milliseconds, %h headers, %R length of the next field as 4 bytes, %% percent;
\\n \\t \\r \\0 \\xNN. The default is '%s\\n'.";

const POLL_FOR: Duration = Duration::from_millis(250);
const RECORDS_OF_A_POLL_MAX: usize = 5_000;

/// Show the records of topics.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ConsumeArgs {
    /// The topics to read
    #[arg(required = true, value_name = "TOPIC")]
    topics: Vec<String>,

    #[command(flatten)]
    connect: ConnectArgs,

    /// Share the partitions with the other members of this group, and commit what was shown
    #[arg(short, long, value_name = "GROUP", conflicts_with = "partition")]
    group: Option<String>,

    /// Only this partition; may be repeated
    #[arg(short, long, value_name = "PARTITION")]
    partition: Vec<i32>,

    /// Where to begin: beginning, end, an offset, -COUNT before the end, or @TIME. With a group
    /// only beginning or end, for partitions where it has committed nothing
    #[arg(long, value_name = "POSITION", default_value = "beginning")]
    #[arg(allow_hyphen_values = true)]
    from: Position,

    /// How a record is printed
    #[arg(short, long, value_name = "FORMAT", conflicts_with_all = ["json", "key_separator"])]
    format: Option<Format>,

    /// Print the key as well, and this behind it
    #[arg(short, long, value_name = "SEPARATOR", conflicts_with = "json")]
    key_separator: Option<String>,

    /// One JSON object a line, with all there is
    #[arg(long)]
    json: bool,

    /// Exit after so many records
    #[arg(short = 'n', long, value_name = "COUNT")]
    count: Option<u64>,

    /// Exit when everything that was there at the start has been shown
    #[arg(short, long)]
    exit_at_end: bool,

    /// Leave out what transactions have not committed
    #[arg(long)]
    read_committed: bool,
}

pub async fn run(args: ConsumeArgs) -> Outcome {
    let look = Look::new(&args)?;
    let reset = match (&args.group, args.from) {
        (None, _) => Reset::None,
        (Some(_), Position::Beginning) => Reset::Earliest,
        (Some(_), Position::End) => Reset::Latest,
        (Some(_), other) => {
            return Err(Failure::usage(format!(
                "a group begins where it has committed, else at beginning or end, not at {other}; \
                 `highwater group reset-offsets` moves it"
            )));
        }
    };
    let session = Session::open(&args.connect).await?;
    let options = ConsumerOptions {
        group_id: args.group.as_deref().map(Into::into),
        reset,
        is_read_committed: args.read_committed,
        records_max: RECORDS_OF_A_POLL_MAX,
        ..ConsumerOptions::default()
    };
    let mut consumer = Consumer::new(session.client(), options);
    begin(&mut consumer, &session, &args).await?;
    if io::stdout().is_terminal() && !args.exit_at_end {
        eprintln!("Ctrl-C ends");
    }
    let mut showing = Showing {
        look,
        left: args.count.unwrap_or(u64::MAX),
        ends: args.exit_at_end.then(Ends::default),
        out: BufWriter::new(io::stdout()),
    };
    let shown = showing.run(&mut consumer, &session, args.read_committed).await;
    let closed = consumer.close().await;
    shown.and(closed.map_err(Failure::from))
}

async fn begin(consumer: &mut Consumer, session: &Session, args: &ConsumeArgs) -> Outcome {
    let mut topics = Vec::new();
    for name in &args.topics {
        topics.push(chosen(session.topic(name).await?, &args.partition)?);
    }
    if args.group.is_some() {
        let names: Vec<&str> = args.topics.iter().map(String::as_str).collect();
        return Ok(consumer.subscribe(&names)?);
    }
    let starts = session.resolve(&topics.iter().collect::<Vec<_>>(), args.from).await?;
    let partitions = starts.into_iter().map(|((topic, index), offset)| {
        let at = TopicPartition { topic: topic.into(), partition: index.into() };
        (at, Start::Offset(Offset(offset)))
    });
    Ok(consumer.assign(partitions)?)
}

/// The topic with only the partitions that are wanted.
fn chosen(mut topic: TopicInfo, wanted: &[i32]) -> Outcome<TopicInfo> {
    let count = topic.partitions.len();
    if let Some(missing) =
        wanted.iter().find(|index| !topic.partitions.iter().any(|p| p.index == **index))
    {
        let name = &topic.name;
        return Err(Failure::new(format!("{name} has {count} partitions, but none is {missing}")));
    }
    topic.partitions.retain(|p| wanted.is_empty() || wanted.contains(&p.index));
    Ok(topic)
}

/// Where each partition ended when it was first seen.
#[derive(Debug, Default)]
struct Ends(BTreeMap<TopicPartition, Offset>);

impl Ends {
    /// Learns the ends of partitions that are new.
    async fn learn(&mut self, consumer: &Consumer, session: &Session, committed: bool) -> Outcome {
        let assigned = consumer.assignment();
        self.0.retain(|at, _| assigned.contains(at));
        let new = assigned.into_iter().filter(|at| !self.0.contains_key(at));
        let wanted: BTreeMap<_, _> = new.map(|at| (at, OffsetQuery::Latest)).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        for (at, listed) in session.client().list_offsets(&wanted, committed).await {
            self.0.insert(at, listed?.offset.unwrap_or(Offset::ZERO));
        }
        Ok(())
    }

    fn are_reached(&self, consumer: &Consumer) -> bool {
        let reached = |(at, end): (&TopicPartition, &Offset)| {
            consumer.position(at).is_some_and(|position| position >= *end)
        };
        !self.0.is_empty() && self.0.iter().all(reached)
    }
}

struct Showing {
    look: Look,
    /// Records still to be shown.
    left: u64,
    /// Where to stop, if at the end.
    ends: Option<Ends>,
    out: BufWriter<io::Stdout>,
}

impl Showing {
    /// Until a signal comes, or there is enough.
    async fn run(
        &mut self,
        consumer: &mut Consumer,
        session: &Session,
        committed: bool,
    ) -> Outcome {
        let mut signals = Signals::new()?;
        while self.left > 0 {
            if let Some(ends) = &mut self.ends {
                ends.learn(consumer, session, committed).await?;
                if ends.are_reached(consumer) {
                    return Ok(());
                }
            }
            let records = tokio::select! {
                records = consumer.poll(POLL_FOR) => records?,
                () = signals.next() => return Ok(()),
            };
            let shown = usize::try_from(self.left).unwrap_or(usize::MAX).min(records.len());
            self.left -= shown as u64;
            let (show, rest) = records.split_at(shown);
            // What is not shown is not committed either.
            give_back(consumer, rest)?;
            self.show(show)?;
        }
        Ok(())
    }

    fn show(&mut self, records: &[ConsumerRecord]) -> Outcome {
        for record in records {
            self.look.write(&mut self.out, record)?;
        }
        Ok(self.out.flush()?)
    }
}

fn give_back(consumer: &mut Consumer, records: &[ConsumerRecord]) -> Outcome {
    for record in records.iter().rev() {
        consumer.seek(&record.topic_partition(), Start::Offset(record.offset))?;
    }
    Ok(())
}

/// How records are printed.
enum Look {
    Format(Format),
    Json,
}

impl Look {
    fn new(args: &ConsumeArgs) -> Outcome<Look> {
        let separator = args.key_separator.as_deref().map(unescaped).transpose();
        Ok(match (args.json, &args.format, separator.map_err(Failure::usage)?) {
            (true, ..) => Look::Json,
            (false, Some(format), _) => Look::Format(format.clone()),
            (false, None, Some(separator)) => Look::Format(Format::keyed(&separator)),
            (false, None, None) => Look::Format(Format::value_line()),
        })
    }

    fn write(&self, out: &mut impl Write, record: &ConsumerRecord) -> io::Result<()> {
        let format = match self {
            Look::Json => return writeln!(out, "{}", json_of(record)),
            Look::Format(format) => format,
        };
        let header = |header: &'_ RecordHeader| (header.name.clone(), header.value.clone());
        let headers: Vec<_> = record.headers.iter().map(header).collect();
        let headers: Vec<(&[u8], Option<&[u8]>)> =
            headers.iter().map(|(name, value)| (&name[..], value.as_deref())).collect();
        let shown = Shown {
            topic: &record.topic,
            partition: record.partition.get(),
            offset: record.offset.get(),
            timestamp: record.timestamp.get(),
            key: record.key.as_deref(),
            value: record.value.as_deref(),
            headers: &headers,
        };
        format.write(out, &shown)
    }
}

fn json_of(record: &ConsumerRecord) -> Value {
    let mut object = Map::new();
    object.insert("topic".into(), (&*record.topic).into());
    object.insert("partition".into(), record.partition.get().into());
    object.insert("offset".into(), record.offset.get().into());
    object.insert("timestamp".into(), record.timestamp.get().into());
    insert_json(&mut object, "key", record.key.as_deref());
    insert_json(&mut object, "value", record.value.as_deref());
    let header = |header: &RecordHeader| {
        let mut object = Map::new();
        insert_json(&mut object, "name", Some(&header.name));
        insert_json(&mut object, "value", header.value.as_deref());
        Value::Object(object)
    };
    object.insert("headers".into(), record.headers.iter().map(header).collect());
    Value::Object(object)
}

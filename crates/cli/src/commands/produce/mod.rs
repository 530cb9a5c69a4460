//! `produce`: lines of standard input or of files, or whole files, as records.
//!
//! Owns how bytes become records, and what the user sees meanwhile. Batching, retries and order
//! are the client library's.

mod progress;
mod split;

use std::collections::VecDeque;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use clap::{Args, ValueEnum};
use highwater_client::{
    Acks, Client, Delivery, Producer, ProducerOptions, ProducerRecord, RecordHeader,
};
use highwater_records::Compression;
use highwater_types::PartitionIndex;
use tokio::sync::mpsc;

use self::progress::Progress;
use self::split::{Piece, Source, Splitting};
use crate::cli::{ConnectArgs, parse_pair};
use crate::failure::{Failure, Outcome};
use crate::session;
use crate::signals::Signals;
use crate::text::bytes::unescaped;

const EXAMPLES: &str = "\
Examples:
  echo hello | highwater produce orders
  highwater produce orders -k : < lines           each line is KEY:VALUE
  highwater produce orders -H source=import -H version=2 --file a.txt --file b.txt
  highwater produce images --whole --key cat --file cat.jpg
  highwater produce orders --partition 3 --compression zstd --acks 1 < lines
  echo user-17: | highwater produce users -k : -Z  a tombstone: key with null value

Records without a key spread over the partitions, those with one go where Kafka's clients put it.";

/// Pieces that have been read and not yet sent.
const PIECES_WAITING_MAX: usize = 1024;
/// Deliveries that are looked at only when so many are open: they are waited for at the end anyway.
const DELIVERIES_OPEN_MAX: usize = 10_000;
const BATCH_BYTES: usize = 128 << 10;
/// The broker's own limit is to decide.
const RECORD_BYTES_MAX: usize = 256 << 20;

/// Send lines or files as records.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ProduceArgs {
    /// Where the records go
    topic: String,

    #[command(flatten)]
    connect: ConnectArgs,

    /// What stands between key and value on a line; lines without it have no key. \t, \xNN and
    /// the like are understood
    #[arg(short, long, value_name = "SEPARATOR", value_parser = parse_separator)]
    key_separator: Option<Separator>,

    /// The key of every record
    #[arg(long, value_name = "KEY", conflicts_with = "key_separator")]
    key: Option<String>,

    /// A header of every record; may be repeated
    #[arg(short = 'H', long, value_name = "NAME=VALUE", value_parser = parse_pair)]
    header: Vec<(String, String)>,

    /// Read this instead of standard input; may be repeated
    #[arg(long, value_name = "FILE")]
    file: Vec<PathBuf>,

    /// Each file, or all of standard input, is one record
    #[arg(long)]
    whole: bool,

    /// What ends a record instead of a line's end: one byte
    #[arg(short, long, value_name = "BYTE", default_value = "\\n")]
    #[arg(value_parser = parse_separator)]
    delimiter: Separator,

    /// An empty value is null, an empty key as well
    #[arg(short = 'Z', long)]
    empty_is_null: bool,

    /// The partition of every record
    #[arg(short, long, value_name = "PARTITION")]
    #[arg(value_parser = clap::value_parser!(i32).range(0..))]
    partition: Option<i32>,

    /// Who must have a record before it counts as sent: 0 nobody, 1 the leader, all its replicas
    #[arg(short, long, default_value = "all")]
    acks: AcksArg,

    /// How batches are compressed
    #[arg(short = 'z', long, value_name = "CODEC", default_value = "none")]
    compression: Codec,

    /// Print partition and offset of every record
    #[arg(short, long)]
    verbose: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Separator(Vec<u8>);

fn parse_separator(text: &str) -> Result<Separator, String> {
    match unescaped(text)? {
        bytes if bytes.is_empty() => Err("it is empty".to_owned()),
        bytes => Ok(Separator(bytes)),
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum AcksArg {
    #[value(name = "0")]
    None,
    #[value(name = "1")]
    Leader,
    #[value(alias = "-1")]
    All,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Codec {
    None,
    Gzip,
    Snappy,
    Lz4,
    Zstd,
}

impl ProduceArgs {
    fn options(&self) -> ProducerOptions {
        let acks = match self.acks {
            AcksArg::None => Acks::None,
            AcksArg::Leader => Acks::Leader,
            AcksArg::All => Acks::All,
        };
        ProducerOptions {
            acks,
            is_idempotent: acks == Acks::All,
            compression: match self.compression {
                Codec::None => Compression::None,
                Codec::Gzip => Compression::Gzip,
                Codec::Snappy => Compression::Snappy,
                Codec::Lz4 => Compression::Lz4,
                Codec::Zstd => Compression::Zstd,
            },
            batch_bytes: BATCH_BYTES,
            request_bytes_max: RECORD_BYTES_MAX,
            buffer_bytes: RECORD_BYTES_MAX,
            delivery_timeout: Duration::from_secs(self.connect.timeout),
            ..ProducerOptions::default()
        }
    }

    fn splitting(&self) -> Outcome<Splitting> {
        match (self.whole, self.delimiter.0.as_slice()) {
            (true, _) => Ok(Splitting::Whole),
            (false, [byte]) => Ok(Splitting::At(*byte)),
            _ => Err(Failure::usage("--delimiter takes one byte")),
        }
    }

    fn sources(&self) -> Vec<Source> {
        match self.file.as_slice() {
            [] => vec![Source::Input],
            files => files.iter().cloned().map(Source::File).collect(),
        }
    }
}

pub async fn run(args: ProduceArgs) -> Outcome {
    let (splitting, sources) = (args.splitting()?, args.sources());
    let total = split::total_bytes(&sources)?;
    let mut options = session::options(&args.connect);
    // As Kafka's producers do; whether it happens is the broker's setting.
    options.auto_create_topics = true;
    let client = Client::connect(options).await?;
    let producer = Producer::new(client, args.options()).await?;
    let (sender, pieces) = mpsc::channel(PIECES_WAITING_MAX);
    // Standard input can only be read by blocking; the process does not wait for this thread.
    std::thread::spawn(move || split::read_all(&sources, splitting, &sender));
    let mut sending = Sending {
        template: Template::new(&args),
        open: VecDeque::new(),
        is_verbose: args.verbose,
        progress: Progress::new(total),
        producer,
    };
    let ended = sending.send_all(pieces).await;
    let flushed = sending.finish().await;
    ended.and(flushed)
}

struct Sending {
    template: Template,
    producer: Producer,
    open: VecDeque<Delivery>,
    is_verbose: bool,
    progress: Progress,
}

impl Sending {
    /// Until the input ends, a record fails, or a signal comes.
    async fn send_all(&mut self, mut pieces: mpsc::Receiver<Piece>) -> Outcome {
        let mut signals = Signals::new()?;
        loop {
            let piece = tokio::select! {
                piece = pieces.recv() => piece,
                () = signals.next() => return Err(Failure::new("interrupted; what was read is sent")),
            };
            let Some(piece) = piece else { return Ok(()) };
            let bytes = piece?;
            let size = bytes.len();
            let delivery = self.producer.send(self.template.record(bytes)).await?;
            self.open.push_back(delivery);
            self.progress.add(size);
            self.take_delivered().await?;
        }
    }

    /// Looks at what has been delivered, so that a failure ends the work early.
    async fn take_delivered(&mut self) -> Outcome {
        while let Some(front) = self.open.front() {
            let result = match front.result() {
                Some(result) => result,
                None if self.open.len() > DELIVERIES_OPEN_MAX => front.wait().await,
                None => return Ok(()),
            };
            self.open.pop_front();
            let delivered = result?;
            if self.is_verbose {
                let offset = delivered.offset.map_or("-".to_owned(), |offset| offset.to_string());
                writeln!(std::io::stdout(), "{}\t{offset}", delivered.partition)?;
            }
        }
        Ok(())
    }

    async fn finish(mut self) -> Outcome {
        let flushed = self.producer.close().await;
        let taken = self.take_delivered().await;
        self.progress.finish(&self.template.topic);
        taken.and(flushed.map_err(Failure::from))
    }
}

/// What all records have in common.
struct Template {
    topic: std::sync::Arc<str>,
    separator: Option<Vec<u8>>,
    key: Option<Bytes>,
    headers: Vec<RecordHeader>,
    partition: Option<PartitionIndex>,
    empty_is_null: bool,
}

impl Template {
    fn new(args: &ProduceArgs) -> Template {
        let header = |(name, value): &(String, String)| RecordHeader {
            name: Bytes::copy_from_slice(name.as_bytes()),
            value: Some(Bytes::copy_from_slice(value.as_bytes())),
        };
        Template {
            topic: args.topic.as_str().into(),
            separator: args.key_separator.as_ref().map(|separator| separator.0.clone()),
            key: args.key.clone().map(Bytes::from),
            headers: args.header.iter().map(header).collect(),
            partition: args.partition.map(PartitionIndex),
            empty_is_null: args.empty_is_null,
        }
    }

    fn record(&self, bytes: Bytes) -> ProducerRecord {
        let (key, value) = match &self.separator {
            Some(separator) => split::key_and_value(&bytes, separator),
            None => (self.key.clone(), bytes),
        };
        let is_kept = |bytes: &Bytes| !(self.empty_is_null && bytes.is_empty());
        ProducerRecord {
            topic: self.topic.clone(),
            partition: self.partition,
            key: key.filter(is_kept),
            value: Some(value).filter(is_kept),
            headers: self.headers.clone(),
            timestamp: None,
        }
    }
}

//! `log dump`: what is in the files of a partition, of Highwater or of Kafka.
//!
//! Only reads, also while a broker writes. Owns nothing of the formats' meaning: batches are
//! `records`', messages are `wire`'s; the small files beside them are taken apart here.

mod decode;
mod indexes;
mod line;
mod notation;
mod segment;
mod small_files;

use std::fs;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use clap::Args;

use self::decode::Decoder;
use self::line::{Line, Sink};
use crate::failure::{Failure, Outcome};

const EXAMPLES: &str = "\
Examples:
  highwater log dump highwater-data/orders-0
  highwater log dump highwater-data/orders-0/00000000000000000000.log --records -n 10
  highwater log dump highwater-data/__consumer_offsets-7 --offsets
  highwater log dump highwater-data/__cluster_metadata-0 --metadata --json | jq .value

One line for each batch, record, index entry or whatever a file holds. Every batch's checksum is
checked, and every index entry against the segment beside it; exit code 1 says that something is
damaged. The end of a file that a running broker writes may be half a batch: that is not damage to
worry about.";

/// Show the files of a partition: segments, indexes, snapshots, checkpoints.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct LogDumpArgs {
    /// Files, or directories of partitions
    #[arg(required = true, value_name = "FILE|DIR")]
    paths: Vec<PathBuf>,

    /// Show the records in the batches
    #[arg(short, long)]
    records: bool,

    /// Show the records, read as those of the metadata log
    #[arg(long, conflicts_with = "offsets")]
    metadata: bool,

    /// Show the records, read as those of __consumer_offsets
    #[arg(long)]
    offsets: bool,

    /// Pass over batches that end before this offset
    #[arg(long, value_name = "OFFSET")]
    from: Option<i64>,

    /// At most so many batches or entries of each file
    #[arg(short = 'n', long, value_name = "COUNT")]
    count: Option<usize>,

    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

impl LogDumpArgs {
    /// How to show records; `None`: not at all.
    fn decoder(&self) -> Option<Decoder> {
        match (self.metadata, self.offsets, self.records) {
            (true, _, _) => Some(Decoder::Metadata),
            (_, true, _) => Some(Decoder::Offsets),
            (_, _, true) => Some(Decoder::Plain),
            _ => None,
        }
    }
}

/// How often something was wrong.
type Problems = usize;

pub fn run(args: &LogDumpArgs) -> Outcome {
    let mut sink = Sink::new(args.json, BufWriter::new(io::stdout().lock()));
    let problems = dump_all(args, &mut sink)?;
    sink.finish()?;
    match problems {
        0 => Ok(()),
        1 => Err(Failure::new("1 thing is damaged, see above")),
        n => Err(Failure::new(format!("{n} things are damaged, see above"))),
    }
}

fn dump_all(args: &LogDumpArgs, sink: &mut Sink<'_>) -> Outcome<Problems> {
    let mut problems = 0;
    for path in &args.paths {
        for file in files(path)? {
            problems +=
                dump(&file, args, sink).map_err(|failure| failure.during(file.display()))?;
        }
    }
    Ok(problems)
}

/// The file itself, or those of a directory that a log has, by name.
fn files(path: &Path) -> Outcome<Vec<PathBuf>> {
    let about = |error| Failure::from(error).during(path.display());
    if !fs::metadata(path).map_err(about)?.is_dir() {
        return match kind_of(path) {
            Some(_) => Ok(vec![path.to_path_buf()]),
            None => Err(Failure::usage(format!(
                "{} is not a file of a log, by its name",
                path.display()
            ))),
        };
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(about)? {
        let entry = entry.map_err(about)?.path();
        if kind_of(&entry).is_some() && entry.is_file() {
            files.push(entry);
        }
    }
    files.sort();
    match files.is_empty() {
        true => Err(Failure::new(format!("{} holds no files of a log", path.display()))),
        false => Ok(files),
    }
}

/// What a file of a log is, as its name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileKind {
    Segment,
    OffsetIndex,
    TimeIndex,
    TransactionIndex,
    Producers,
    Epochs,
    Offsets,
    Properties,
}

fn kind_of(path: &Path) -> Option<FileKind> {
    let name = path.file_name()?.to_str()?;
    // What is about to be removed or to take another's place.
    let name = [".deleted", ".cleaned", ".swap"]
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))
        .unwrap_or(name);
    match name {
        "leader-epoch-checkpoint" => return Some(FileKind::Epochs),
        "partition.metadata" | "meta.properties" | "quorum-state" | ".kafka_cleanshutdown" => {
            return Some(FileKind::Properties);
        }
        name if name.ends_with("-offset-checkpoint") => return Some(FileKind::Offsets),
        _ => {}
    }
    let (stem, extension) = name.split_once('.')?;
    if !stem.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    match extension {
        // A snapshot of the metadata log is made of batches too.
        "log" | "checkpoint" => Some(FileKind::Segment),
        "index" => Some(FileKind::OffsetIndex),
        "timeindex" => Some(FileKind::TimeIndex),
        "txnindex" => Some(FileKind::TransactionIndex),
        "snapshot" => Some(FileKind::Producers),
        _ => None,
    }
}

fn dump(file: &Path, args: &LogDumpArgs, sink: &mut Sink<'_>) -> Outcome<Problems> {
    let Some(kind) = kind_of(file) else { return Ok(0) };
    let size = fs::metadata(file)?.len();
    sink.write(Line::new("file").word("path", file.display().to_string()).word("size", size))?;
    let count = args.count.unwrap_or(usize::MAX);
    match kind {
        FileKind::Segment => segment::dump(file, args, sink),
        FileKind::OffsetIndex => indexes::dump_offsets(file, count, sink),
        FileKind::TimeIndex => indexes::dump_times(file, count, sink),
        FileKind::TransactionIndex => indexes::dump_transactions(file, count, sink),
        FileKind::Producers => small_files::dump_producers(file, count, sink),
        FileKind::Epochs => small_files::dump_epochs(file, sink),
        FileKind::Offsets => small_files::dump_offsets(file, sink),
        FileKind::Properties => small_files::dump_properties(file, sink),
    }
}

#[cfg(test)]
mod tests;

//! kafka-dump-log over the data directory of the broker that was stopped: Kafka's own reader of
//! segments, indexes, snapshots and internal topics must find nothing to complain of.

use super::rows;
use crate::compat::tools::Tools;
use crate::compat::verdict::Case;
use std::path::{Path, PathBuf};

pub fn run(tools: &Tools, data: &Path) -> Vec<Case> {
    vec![
        Case::of("dump-log: every segment, deep", segments(tools, data)),
        Case::of("dump-log: every index is sane", indexes(tools, data)),
        Case::of("dump-log: records and codecs", codecs(tools, data)),
        Case::of("dump-log: producer snapshots", snapshots(tools, data)),
        Case::of("dump-log: the metadata log", metadata(tools, data)),
        Case::of("dump-log: the groups' offsets", offsets(tools, data)),
    ]
}

/// Non-empty files with this ending in the folders of partitions.
fn files(data: &Path, ending: &str) -> Result<Vec<String>, String> {
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in read(data)?.into_iter().filter(|path| path.is_dir()) {
        found.extend(read(&folder)?.into_iter().filter(|path| {
            path.to_string_lossy().ends_with(ending)
                && path.metadata().is_ok_and(|metadata| metadata.len() > 0)
        }));
    }
    found.sort();
    Ok(found.iter().map(|path| path.display().to_string()).collect())
}

fn read(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| crate::exec::told(folder, &error))?;
    Ok(entries.flatten().map(|entry| entry.path()).collect())
}

fn dump(tools: &Tools, files: &[String], more: &[&str]) -> Result<String, String> {
    if files.is_empty() {
        return Err("there is no such file".to_owned());
    }
    let list = files.join(",");
    let said = tools.ok("dump-log", &[&["--files", &list], more].concat())?;
    let complaints =
        ["Mismatches in", "Non-consecutive", "Invalid", "Exception", "isvalid: false", "corrupt"];
    match complaints.iter().find(|word| said.both().contains(**word)) {
        Some(word) => {
            let shown = said.both();
            let lines = shown.lines().filter(|line| line.contains(*word)).take(5);
            Err(format!("`{word}`:\n{}", lines.collect::<Vec<_>>().join("\n")))
        }
        None => Ok(said.out),
    }
}

fn segments(tools: &Tools, data: &Path) -> Result<(), String> {
    let out = dump(tools, &files(data, ".log")?, &["--deep-iteration"])?;
    let batches = out.lines().filter(|line| line.starts_with("baseOffset:")).count();
    if batches > 100 { Ok(()) } else { Err(format!("{batches} batches")) }
}

fn indexes(tools: &Tools, data: &Path) -> Result<(), String> {
    dump(tools, &files(data, ".index")?, &["--index-sanity-check"])?;
    dump(tools, &files(data, ".timeindex")?, &[]).map(|_| ())
}

fn codecs(tools: &Tools, data: &Path) -> Result<(), String> {
    for codec in ["none", "gzip", "snappy", "lz4", "zstd"] {
        let file = data.join(format!("r-{codec}-0/00000000000000000000.log"));
        let out = dump(tools, &[file.display().to_string()], &["--print-data-log"])?;
        let (batch, last) = (format!("compresscodec: {codec}"), format!("payload: {codec} 499"));
        if !out.contains(&batch) || !out.contains(&last) {
            return Err(format!("{codec}: no `{batch}` or no `{last}`"));
        }
    }
    Ok(())
}

fn snapshots(tools: &Tools, data: &Path) -> Result<(), String> {
    let snapshot = files(data, ".snapshot")?.into_iter().find(|path| path.contains("/w-perf-"));
    let out = dump(tools, &[snapshot.ok_or("no snapshot of w-perf")?], &[])?;
    let line = out.lines().find(|line| line.contains("producerId:")).ok_or_else(|| out.clone())?;
    let parts = ["producerEpoch:", "lastSequence:", "lastOffset:", "lastTimestamp:"];
    let lacking = parts.iter().find(|part| !line.contains(*part));
    lacking.map_or(Ok(()), |part| Err(format!("no {part}: {line}")))
}

fn metadata(tools: &Tools, data: &Path) -> Result<(), String> {
    let folder = data.join("__cluster_metadata-0");
    let logs: Vec<String> = files(data, ".log")?
        .into_iter()
        .filter(|path| path.starts_with(&*folder.to_string_lossy()))
        .collect();
    let mut out = dump(tools, &logs, &["--cluster-metadata-decoder"])?;
    let snapshots: Vec<String> = read(&folder)?
        .iter()
        .filter(|path| path.to_string_lossy().ends_with(".checkpoint"))
        .map(|path| path.display().to_string())
        .collect();
    if !snapshots.is_empty() {
        out.push_str(&dump(tools, &snapshots, &["--cluster-metadata-decoder"])?);
    }
    let records = ["TOPIC_RECORD", "PARTITION_RECORD", "FEATURE_LEVEL_RECORD", "CONFIG_RECORD"];
    let lacking = records.iter().find(|record| !out.contains(**record));
    lacking.map_or(Ok(()), |record| Err(format!("no {record}")))?;
    if out.contains("\"name\":\"t.one\"") { Ok(()) } else { Err("no topic t.one".to_owned()) }
}

fn offsets(tools: &Tools, data: &Path) -> Result<(), String> {
    let logs =
        files(data, ".log")?.into_iter().filter(|path| path.contains("/__consumer_offsets-"));
    let out = dump(tools, &logs.collect::<Vec<_>>(), &["--offsets-decoder"])?;
    let wanted = ["\"group\":\"g-lag\"", "\"topic\":\"g-topic\"", "\"offset\":10"];
    let line = out.lines().find(|line| wanted.iter().all(|part| line.contains(part)));
    line.ok_or("no commit of g-lag at offset 10")?;
    if rows(&out).is_empty() { Err("nothing".to_owned()) } else { Ok(()) }
}

//! The files of a partition after 30,000 records of 100 bytes with segments of 1 MiB: names and
//! sizes, the batches in them, and the index entry that leads to offset 20000.

use super::Lab;
use std::path::Path;

/// Name, size of the `.log`, size of the `.index` while the broker runs.
const SEGMENTS: &[(&str, u64, u64)] = &[
    ("00000000000000000000", 1_041_728, 504),
    ("00000000000000009472", 1_041_728, 504),
    ("00000000000000018944", 1_041_728, 504),
    ("00000000000000028416", 174_207, 10_485_760),
];

const RECORDS_OF_BATCH: usize = 148;
const BYTES_OF_BATCH: usize = 16_277;

pub fn check_live(lab: &Lab, data: &Path) -> Result<(), String> {
    let settings = ["--config", "segment.bytes=1048576"];
    let create = ["--create", "--topic", "files", "--partitions", "1"];
    lab.tools.ok("topics", &[&create[..], &settings].concat())?;
    let server = format!("bootstrap.servers={}", lab.tools.address);
    let args = ["--topic", "files", "--num-records", "30000", "--record-size", "100"];
    // Full batches whatever the machine's speed: the client waits until each is filled.
    let args =
        [&args[..], &["--throughput", "-1", "--command-property", &server, "linger.ms=1000"]];
    lab.tools.ok("producer-perf-test", &args.concat())?;
    let folder = data.join("files-0");
    let mut wrong = Vec::new();
    for (name, log, index) in SEGMENTS {
        for (ending, expected) in [("log", log), ("index", index)] {
            let path = folder.join(format!("{name}.{ending}"));
            let size = path.metadata().map_or(u64::MAX, |metadata| metadata.len());
            if size != *expected {
                wrong.push(format!("{name}.{ending}: {size} instead of {expected}"));
            }
        }
    }
    let others = [
        ("00000000000000028416.timeindex".to_owned(), 10_485_756),
        ("00000000000000028416.snapshot".to_owned(), 56),
        ("leader-epoch-checkpoint".to_owned(), 8),
        ("partition.metadata".to_owned(), 43),
    ];
    for (name, expected) in others {
        let size = folder.join(&name).metadata().map_or(u64::MAX, |metadata| metadata.len());
        if size != expected {
            wrong.push(format!("{name}: {size} instead of {expected}"));
        }
    }
    let logs = std::fs::read_dir(&folder).map_err(|error| crate::exec::told(&folder, &error))?;
    let logs = logs.flatten().filter(|e| e.file_name().to_string_lossy().ends_with(".log")).count();
    if logs != SEGMENTS.len() {
        wrong.push(format!("{logs} segments"));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

pub fn check_batches(lab: &Lab, data: &Path) -> Result<(), String> {
    for (name, log, _) in SEGMENTS {
        let path = data.join(format!("files-0/{name}.log")).display().to_string();
        let said = lab.tools.ok("dump-log", &["--files", &path])?;
        let batches: Vec<&str> =
            said.out.lines().filter(|line| line.starts_with("baseOffset:")).collect();
        let full = format!("count: {RECORDS_OF_BATCH} ");
        let size = format!("size: {BYTES_OF_BATCH} ");
        let fills = batches.iter().filter(|b| b.contains(&full) && b.contains(&size)).count();
        let expected = *log as usize / BYTES_OF_BATCH;
        let rest = usize::from(!(*log as usize).is_multiple_of(BYTES_OF_BATCH));
        if (fills, batches.len()) != (expected, expected + rest) {
            return Err(format!("{name}: {fills} full batches of {}", batches.len()));
        }
    }
    Ok(())
}

/// 19979 → 97662, from where the next batch holds 20000.
pub fn check_index(lab: &Lab, data: &Path) -> Result<(), String> {
    let path = data.join("files-0/00000000000000018944.index").display().to_string();
    let said = lab.tools.ok("dump-log", &["--files", &path])?;
    said.has(&["offset: 19979 position: 97662"])?;
    let path = data.join("files-0/00000000000000018944.log").display().to_string();
    let said = lab.tools.ok("dump-log", &["--files", &path])?;
    let lines: Vec<&str> =
        said.out.lines().filter(|line| line.contains("baseOffset: 19")).collect();
    let at = lines.iter().position(|line| line.contains(" position: 97662 "));
    let here = at.map(|at| lines[at]).ok_or("no batch at 97662")?;
    let next = at.and_then(|at| lines.get(at + 1)).ok_or("no batch after 97662")?;
    if here.contains("baseOffset: 19832 lastOffset: 19979")
        && next.contains("baseOffset: 19980 lastOffset: 20127")
    {
        return Ok(());
    }
    Err(format!("{here}\n{next}"))
}

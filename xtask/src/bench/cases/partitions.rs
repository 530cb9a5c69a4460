//! What a thousand partitions cost that have been written to and are left alone.

use crate::bench::cases::idle;
use crate::bench::frames;
use crate::bench::lab::Lab;
use crate::bench::link::Link;
use crate::bench::measure::{Case, Limit, measure};
use crate::bench::process::Process;
use crate::broker::Target;

pub const CASE: Case = Case {
    name: "partitions",
    title: "A thousand partitions",
    about: "
One topic with 1,000 partitions, one record of 100 bytes written to each with `acks=all`; then memory
and CPU as above. Files of the data directory that are open at the end are counted in `/proc/PID/fd`;
Highwater bounds those of logs by [`OPEN_FILES_MAX`](limits.md#logs-and-files), and holds a few
besides.",
    commands: "highwater serve --data-dir DIR --listen 127.0.0.1:PORT",
    measures: &[
        measure("resident_mb", "memory", "MB", Limit::AtMost(25.0)),
        measure("cpu_percent", "CPU", "% of a core", Limit::AtMost(0.2)),
        measure("data_files", "open files of the data directory", "", Limit::AtMost(1034.0)),
        measure("files", "open files and sockets", "", Limit::None),
    ],
    run,
};

const TOPIC: &str = "thousand";
const PARTITIONS: i32 = 1000;

fn run(lab: &Lab<'_>, target: Target) -> Result<Vec<f64>, String> {
    let broker = lab.broker(target, &[])?;
    let mut link = Link::connect(broker.plan().port)?;
    link.create_topic(TOPIC, PARTITIONS)?;
    let batch = frames::batch(1, 100);
    for partition in 0..PARTITIONS {
        link.produce(TOPIC, partition, &batch)?;
    }
    drop(link);
    let process = Process::of(broker.pid());
    let idle = idle::watch(&process)?;
    let data_files = process.open_files_in(&broker.plan().data())?;
    let files = process.open_files()?;
    broker.stop()?;
    Ok(vec![idle.resident_mb, idle.cpu_percent, data_files as f64, files as f64])
}

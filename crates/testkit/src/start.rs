//! The command that starts a broker of either kind.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::names::free_port;

/// What Kafka needs to run alone, beside its listeners. Highwater needs none of it.
const KAFKA_ALONE: [(&str, &str); 8] = [
    ("process.roles", "broker,controller"),
    ("node.id", "1"),
    ("controller.listener.names", "CONTROLLER"),
    ("inter.broker.listener.name", "PLAINTEXT"),
    ("offsets.topic.replication.factor", "1"),
    ("transaction.state.log.replication.factor", "1"),
    ("transaction.state.log.min.isr", "1"),
    ("share.coordinator.state.topic.replication.factor", "1"),
];

/// Few partitions start fast, and nobody wants to wait for the first rebalance.
const BOTH: [(&str, &str); 2] =
    [("offsets.topic.num.partitions", "5"), ("group.initial.rebalance.delay.ms", "0")];

const KAFKA_LOG: &str = r#"<Configuration><Appenders><Console name="c"><PatternLayout pattern="%d %p %m%n%ex"/>
</Console></Appenders><Loggers><Root level="warn"><AppenderRef ref="c"/></Root></Loggers></Configuration>"#;

pub(crate) fn highwater(
    binary: &Path,
    folder: &Path,
    address: &str,
    settings: &[(String, String)],
) -> Command {
    let mut command = Command::new(binary);
    command.arg("serve").arg("--data-dir").arg(folder.join("data")).args(["--listen", address]);
    for (name, value) in BOTH {
        command.args(["--set", &format!("{name}={value}")]);
    }
    for (name, value) in settings {
        command.args(["--set", &format!("{name}={value}")]);
    }
    command
}

/// Writes Kafka's files into the folder, and formats its storage, at the first start.
pub(crate) fn kafka(
    libs: &Path,
    folder: &Path,
    address: &str,
    settings: &[(String, String)],
) -> Command {
    let properties = folder.join("broker.properties");
    let log = folder.join("log4j2.xml");
    if !properties.exists() {
        fs::write(&properties, kafka_properties(folder, address, settings)).expect("writable");
        fs::write(&log, KAFKA_LOG).expect("writable");
        let mut format = java(libs, 64);
        format.args(["kafka.tools.StorageTool", "format", "-t", "AAAAAAAAQACAAAAAAAAAAQ", "-c"]);
        let done = format.arg(&properties).output().expect("java starts");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    let mut command = java(libs, 512);
    command.arg(format!("-Dlog4j2.configurationFile={}", log.display()));
    command.arg("kafka.Kafka").arg(properties);
    command
}

fn java(libs: &Path, heap_mib: u32) -> Command {
    let mut command = Command::new("java");
    command.arg(format!("-Xmx{heap_mib}m")).args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]);
    command.arg("-cp").arg(libs.join("*"));
    command
}

fn kafka_properties(folder: &Path, address: &str, settings: &[(String, String)]) -> String {
    let controller = format!("127.0.0.1:{}", free_port());
    let protocols = "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT";
    let mut text = format!(
        "controller.quorum.voters=1@{controller}\n\
         listeners=PLAINTEXT://{address},CONTROLLER://{controller}\n\
         advertised.listeners=PLAINTEXT://{address}\n\
         listener.security.protocol.map={protocols}\n\
         log.dirs={}\n",
        folder.join("data").display()
    );
    let ours = settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    for (name, value) in KAFKA_ALONE.into_iter().chain(BOTH).chain(ours) {
        text += &format!("{name}={value}\n");
    }
    text
}

//! kafka-configs: every kind of entity that a node keeps settings of.

use super::{Bench, Check, soon};

pub const CHECKS: &[Check] = &[
    ("configs: a topic's settings are set, described and deleted", topic),
    ("configs: all settings of a topic with their sources", topic_all),
    ("configs: a topic refuses what is wrong", topic_refused),
    ("configs: a broker's dynamic settings", broker),
    ("configs: all settings of a broker", broker_all),
    ("configs: the cluster's default", cluster_default),
    ("configs: a group's settings", group),
    ("configs: client quotas", quotas),
    ("configs: SCRAM credentials", scram),
];

const TOPIC: [&str; 4] = ["--entity-type", "topics", "--entity-name", "c-topic"];

fn configs(
    bench: &Bench,
    entity: &[&str],
    more: &[&str],
) -> Result<super::super::tools::Said, String> {
    bench.tools.ok("configs", &[entity, more].concat())
}

fn topic(bench: &Bench) -> Result<(), String> {
    bench.tools.ok("topics", &["--create", "--topic", "c-topic"])?;
    let add = ["--alter", "--add-config", "retention.ms=1234,cleanup.policy=[compact,delete]"];
    configs(bench, &TOPIC, &add)?.has(&["Completed updating config for topic c-topic."])?;
    let said = configs(bench, &TOPIC, &["--describe"])?;
    said.has(&["retention.ms=1234", "cleanup.policy=compact,delete", "DYNAMIC_TOPIC_CONFIG"])?;
    configs(bench, &TOPIC, &["--alter", "--delete-config", "retention.ms"])?;
    let said = configs(bench, &TOPIC, &["--describe"])?;
    if said.out.contains("retention.ms=1234") { Err(said.out) } else { Ok(()) }
}

fn topic_all(bench: &Bench) -> Result<(), String> {
    let said = configs(bench, &TOPIC, &["--describe", "--all"])?;
    said.has(&["segment.bytes=1073741824", "DEFAULT_CONFIG:log.segment.bytes=1073741824"])
}

fn topic_refused(bench: &Bench) -> Result<(), String> {
    for change in ["retention.ms=soon", "no.such.setting=1", "segment.bytes=1"] {
        let args = [&TOPIC[..], &["--alter", "--add-config", change]].concat();
        bench.tools.refused("configs", &args)?.has(&["InvalidConfigurationException"])?;
    }
    Ok(())
}

fn node(bench: &Bench) -> Result<String, String> {
    let said = bench.tools.ok("broker-api-versions", &[])?;
    let id = said.out.split("(id: ").nth(1).and_then(|rest| rest.split(' ').next());
    id.map(str::to_owned).ok_or(said.out)
}

fn broker(bench: &Bench) -> Result<(), String> {
    let id = node(bench)?;
    let entity = ["--entity-type", "brokers", "--entity-name", &id];
    configs(bench, &entity, &["--alter", "--add-config", "log.cleaner.threads=2"])?;
    soon("the setting is described", || {
        Ok(configs(bench, &entity, &["--describe"])?.out.contains("log.cleaner.threads=2"))
    })?;
    configs(bench, &entity, &["--alter", "--delete-config", "log.cleaner.threads"])?;
    let args = [&entity[..], &["--alter", "--add-config", "process.roles=broker"]].concat();
    bench.tools.refused("configs", &args).map(|_| ())
}

fn broker_all(bench: &Bench) -> Result<(), String> {
    let id = node(bench)?;
    let entity = ["--entity-type", "brokers", "--entity-name", &id];
    let said = configs(bench, &entity, &["--describe", "--all"])?;
    said.has(&["log.retention.hours=168", "num.partitions=4", "STATIC_BROKER_CONFIG"])
}

fn cluster_default(bench: &Bench) -> Result<(), String> {
    let entity = ["--entity-type", "brokers", "--entity-default"];
    configs(bench, &entity, &["--alter", "--add-config", "log.retention.ms=7200000"])?;
    configs(bench, &entity, &["--describe"])?.has(&["log.retention.ms=7200000"])?;
    soon("topics take the default", || {
        let said = configs(bench, &TOPIC, &["--describe", "--all"])?;
        Ok(said.out.contains("retention.ms=7200000"))
    })?;
    configs(bench, &entity, &["--alter", "--delete-config", "log.retention.ms"]).map(|_| ())
}

fn group(bench: &Bench) -> Result<(), String> {
    let entity = ["--entity-type", "groups", "--entity-name", "c-group"];
    let add = ["--alter", "--add-config", "consumer.heartbeat.interval.ms=6000"];
    configs(bench, &entity, &add)?;
    configs(bench, &entity, &["--describe"])?.has(&["consumer.heartbeat.interval.ms=6000"])
}

fn quotas(bench: &Bench) -> Result<(), String> {
    let entity = ["--entity-type", "users", "--entity-name", "ann"];
    let client = ["--entity-type", "clients", "--entity-name", "app"];
    let both = [&entity[..], &client].concat();
    configs(bench, &both, &["--alter", "--add-config", "producer_byte_rate=1024"])?;
    configs(bench, &both, &["--describe"])?.has(&["producer_byte_rate=1024"])?;
    configs(bench, &both, &["--alter", "--delete-config", "producer_byte_rate"])?;
    let said = configs(bench, &both, &["--describe"])?;
    if said.out.contains("producer_byte_rate") { Err(said.out) } else { Ok(()) }
}

fn scram(bench: &Bench) -> Result<(), String> {
    let entity = ["--entity-type", "users", "--entity-name", "bob"];
    let add = ["--alter", "--add-config", "SCRAM-SHA-256=[iterations=4096,password=secret]"];
    configs(bench, &entity, &add)?;
    let said = configs(bench, &entity, &["--describe"])?;
    said.has(&["SCRAM-SHA-256=iterations=4096"])?;
    configs(bench, &entity, &["--alter", "--delete-config", "SCRAM-SHA-256"]).map(|_| ())
}

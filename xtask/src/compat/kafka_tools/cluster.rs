//! The tools that look at a cluster as a whole.

use super::{Bench, Check, row_of, same};

pub const CHECKS: &[Check] = &[
    ("broker-api-versions: every API is known and usable", api_versions),
    ("cluster: the id", cluster_id),
    ("cluster: the one node", cluster_nodes),
    ("features: describe", features),
    ("metadata-quorum: status", quorum_status),
    ("metadata-quorum: replication", quorum_replication),
    ("log-dirs: the one directory", log_dirs),
    ("client-metrics: list", client_metrics),
    ("transactions: list is empty", transactions),
    ("delegation-tokens: refused without a secret key", delegation_tokens),
    ("acls: refused without an authorizer", acls),
];

fn api_versions(bench: &Bench) -> Result<(), String> {
    let said = bench.tools.ok("broker-api-versions", &[])?;
    for api in ["Produce(0)", "Fetch(1)", "JoinGroup(11)", "DescribeTopicPartitions(75)"] {
        let line = said.out.lines().find(|line| line.trim_start().starts_with(api));
        let line = line.ok_or_else(|| format!("no {api}:\n{}", said.out))?;
        if !line.contains("usable:") {
            return Err(format!("not usable: {line}"));
        }
    }
    let produce = said.out.lines().find(|line| line.contains("Produce(0)")).unwrap_or_default();
    if !produce.contains("0 to 13") {
        return Err(format!("not the versions of 4.4.0: {produce}"));
    }
    if said.out.contains("UNKNOWN(") { Err(said.out) } else { Ok(()) }
}

fn cluster_id(bench: &Bench) -> Result<(), String> {
    let mut args = vec!["cluster-id"];
    args.extend(["--bootstrap-server", &bench.tools.address]);
    let said = bench.tools.bare("cluster", &args)?;
    let id = said.out.trim().strip_prefix("Cluster ID: ").unwrap_or_default().to_owned();
    if id.len() == 22 { Ok(()) } else { Err(format!("not an id: {}", said.out)) }
}

fn cluster_nodes(bench: &Bench) -> Result<(), String> {
    let args = ["list-endpoints", "--bootstrap-server", &bench.tools.address];
    let said = bench.tools.bare("cluster", &args)?;
    let (host, port) = bench.tools.address.split_once(':').unwrap_or_default();
    let found =
        super::rows(&said.out).into_iter().any(|row| row.contains(&host) && row.contains(&port));
    if found { Ok(()) } else { Err(said.out) }
}

fn features(bench: &Bench) -> Result<(), String> {
    let said = bench.tools.ok("features", &["describe"])?;
    let version = said.out.lines().find(|line| line.contains("metadata.version"));
    let version = version.ok_or_else(|| said.out.clone())?;
    if version.contains("FinalizedVersionLevel: 4.4-IV2") { Ok(()) } else { Err(said.out) }
}

fn quorum_status(bench: &Bench) -> Result<(), String> {
    let said = bench.tools.ok("metadata-quorum", &["describe", "--status"])?;
    said.has(&["ClusterId:", "LeaderId:", "LeaderEpoch:", "HighWatermark:"])?;
    said.has(&["CurrentVoters:", "MaxFollowerLag:"])
}

fn quorum_replication(bench: &Bench) -> Result<(), String> {
    let said = bench.tools.ok("metadata-quorum", &["describe", "--replication"])?;
    row_of(&said.out, &["NodeId"])?;
    let leader = super::rows(&said.out).into_iter().find(|row| row.last() == Some(&"Leader"));
    leader.map(|_| ()).ok_or(said.out)
}

fn log_dirs(bench: &Bench) -> Result<(), String> {
    bench.tools.ok("topics", &["--create", "--topic", "dirs", "--partitions", "2"])?;
    super::soon("both partitions are told", || Ok(described_partitions(bench)? == 2))
}

fn described_partitions(bench: &Bench) -> Result<usize, String> {
    let said = bench.tools.ok("log-dirs", &["--describe", "--topic-list", "dirs"])?;
    let json = said.out.lines().find(|line| line.starts_with('{')).unwrap_or_default();
    let json: serde_json::Value = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let dirs = json["brokers"][0]["logDirs"].as_array().cloned().unwrap_or_default();
    same(dirs.len(), 1)?;
    same(dirs[0]["error"].is_null(), true)?;
    Ok(dirs[0]["partitions"].as_array().map_or(0, Vec::len))
}

fn client_metrics(bench: &Bench) -> Result<(), String> {
    let said = bench.tools.ok("client-metrics", &["--list"])?;
    same(said.out.trim(), "")?;
    let alter = ["--alter", "--name", "cm", "--metrics", "org.apache.kafka.producer."];
    bench.tools.ok("client-metrics", &[&alter[..], &["--interval", "5000"]].concat())?;
    bench.tools.ok("client-metrics", &["--list"])?.has(&["cm"])?;
    let described = bench.tools.ok("client-metrics", &["--describe", "--name", "cm"])?;
    described.has(&["interval.ms=5000"])?;
    bench.tools.ok("client-metrics", &["--delete", "--name", "cm"]).map(|_| ())
}

fn transactions(bench: &Bench) -> Result<(), String> {
    let said = bench.tools.ok("transactions", &["list"])?;
    same(said.out.lines().count(), 1)
}

fn delegation_tokens(bench: &Bench) -> Result<(), String> {
    let config = bench.folder.join("empty.properties");
    std::fs::write(&config, "").map_err(|error| crate::exec::told(&config, &error))?;
    let config = config.display().to_string();
    let args = ["--describe", "--command-config", &config];
    bench.tools.refused("delegation-tokens", &args)?.has(&["DelegationToken"])
}

fn acls(bench: &Bench) -> Result<(), String> {
    let running = bench.tools.begin("acls", &["--list"], "")?;
    bench.tools.wait(running)?.has(&["SecurityDisabledException"])
}

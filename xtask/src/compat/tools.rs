//! Kafka's command-line tools, run inside one long-lived JVM by `compat/kafka/ToolRunner.java`.
//!
//! Owns the names of the tools and the talk with that JVM. Tools may run side by side; one that
//! must be killed, or that ends its JVM itself, is started by `tool_process` as a process.

use crate::broker;
use crate::exec;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The name of a script in a distribution without `kafka-`, and the class it runs.
const CLASSES: &[(&str, &str)] = &[
    ("topics", "TopicCommand"),
    ("configs", "ConfigCommand"),
    ("acls", "AclCommand"),
    ("console-producer", "ConsoleProducer"),
    ("console-consumer", "consumer.ConsoleConsumer"),
    ("consumer-groups", "consumer.group.ConsumerGroupCommand"),
    ("groups", "GroupsCommand"),
    ("get-offsets", "GetOffsetShell"),
    ("delete-records", "DeleteRecordsCommand"),
    ("log-dirs", "LogDirsCommand"),
    ("leader-election", "LeaderElectionCommand"),
    ("reassign-partitions", "reassign.ReassignPartitionsCommand"),
    ("transactions", "TransactionsCommand"),
    ("features", "FeatureCommand"),
    ("metadata-quorum", "MetadataQuorumCommand"),
    ("cluster", "ClusterTool"),
    ("broker-api-versions", "BrokerApiVersionsCommand"),
    ("client-metrics", "ClientMetricsCommand"),
    ("delegation-tokens", "DelegationTokenCommand"),
    ("producer-perf-test", "ProducerPerformance"),
    ("consumer-perf-test", "ConsumerPerformance"),
    ("e2e-latency", "EndToEndLatency"),
    ("verifiable-producer", "VerifiableProducer"),
    ("verifiable-consumer", "VerifiableConsumer"),
    ("dump-log", "DumpLogSegments"),
    ("client-compatibility-test", "ClientCompatibilityTest"),
];

const TOOL_SECONDS_MAX: u64 = 180;

/// How a tool ended.
#[derive(Debug, Clone)]
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Said {
    pub fn both(&self) -> String {
        format!("{}{}", self.out, self.err)
    }

    /// An error unless the output holds all of `parts`.
    pub fn has(&self, parts: &[&str]) -> Result<(), String> {
        match parts.iter().find(|part| !self.both().contains(**part)) {
            None => Ok(()),
            Some(part) => Err(format!("lacks `{part}`:\n{}", self.both())),
        }
    }
}

pub struct Tools {
    child: Child,
    commands: Mutex<(u64, ChildStdin)>,
    answers: Arc<Answers>,
    pub address: String,
}

#[derive(Default)]
struct Answers {
    said: Mutex<BTreeMap<u64, Said>>,
    more: Condvar,
}

/// A tool that runs; ask `Tools::wait` for its end.
pub struct Running(u64);

impl Tools {
    pub fn start(libs: &Path, address: &str, log: &Path) -> Result<Tools, String> {
        let log = std::fs::File::create(log).map_err(|error| exec::told(log, &error))?;
        let mut command = broker::java(Some(libs), true);
        command.arg(exec::root().join("compat/kafka/ToolRunner.java"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log);
        let mut child = command.spawn().map_err(|error| format!("java: {error}"))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("java: no pipes".to_owned());
        };
        let answers = Arc::new(Answers::default());
        let filled = Arc::clone(&answers);
        std::thread::spawn(move || filled.fill(BufReader::new(stdout)));
        let commands = Mutex::new((0, stdin));
        Ok(Tools { child, commands, answers, address: address.to_owned() })
    }

    /// Runs a tool on the broker; an error with what it said unless it exits with 0.
    pub fn ok(&self, tool: &str, args: &[&str]) -> Result<Said, String> {
        self.fed(tool, args, "")
    }

    /// As `ok`, with text on the tool's standard input.
    pub fn fed(&self, tool: &str, args: &[&str], input: &str) -> Result<Said, String> {
        let running = self.begin(tool, args, input)?;
        let said = self.wait(running)?;
        if said.code == 0 {
            return Ok(said);
        }
        Err(format!("{tool} {} ended with {}:\n{}", args.join(" "), said.code, said.both()))
    }

    /// Runs a tool that should refuse, and returns what it said.
    pub fn refused(&self, tool: &str, args: &[&str]) -> Result<Said, String> {
        let running = self.begin(tool, args, "")?;
        let said = self.wait(running)?;
        if said.code != 0 {
            return Ok(said);
        }
        Err(format!("{tool} {} ended well, it should not:\n{}", args.join(" "), said.both()))
    }

    /// As `ok`, for a tool that takes a subcommand first; nothing is added to `args`.
    pub fn bare(&self, tool: &str, args: &[&str]) -> Result<Said, String> {
        let running = self.send(tool, args.iter().map(|arg| (*arg).to_owned()).collect(), "")?;
        let said = self.wait(running)?;
        if said.code == 0 {
            return Ok(said);
        }
        Err(format!("{tool} {} ended with {}:\n{}", args.join(" "), said.code, said.both()))
    }

    /// Starts a tool. `--bootstrap-server` is added where the tool takes it.
    pub fn begin(&self, tool: &str, args: &[&str], input: &str) -> Result<Running, String> {
        let mut all = Vec::new();
        if !["dump-log", "producer-perf-test"].contains(&tool) {
            all.extend(["--bootstrap-server".to_owned(), self.address.clone()]);
        }
        all.extend(args.iter().map(|arg| (*arg).to_owned()));
        self.send(tool, all, input)
    }

    fn send(&self, tool: &str, args: Vec<String>, input: &str) -> Result<Running, String> {
        let mut fields = vec![class(tool)?, input.to_owned()];
        fields.extend(args);
        let mut commands = self.commands.lock().unwrap_or_else(PoisonError::into_inner);
        commands.0 += 1;
        let id = commands.0;
        let line: Vec<String> = fields.iter().map(|field| escape(field)).collect();
        let line = format!("{id}\t{}\n", line.join("\t"));
        let sent = commands.1.write_all(line.as_bytes()).and_then(|()| commands.1.flush());
        sent.map_err(|error| format!("the tools' JVM has ended: {error}"))?;
        Ok(Running(id))
    }

    pub fn wait(&self, running: Running) -> Result<Said, String> {
        let until = Instant::now() + Duration::from_secs(TOOL_SECONDS_MAX);
        let mut said = self.answers.said.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(said) = said.remove(&running.0) {
                return Ok(said);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(format!("the tool did not end within {TOOL_SECONDS_MAX} s"));
            }
            let waited = self.answers.more.wait_timeout(said, left);
            said = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for Tools {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl Answers {
    fn fill(&self, mut stdout: BufReader<ChildStdout>) {
        let mut head = String::new();
        while stdout.read_line(&mut head).is_ok_and(|read| read > 0) {
            let numbers: Vec<i64> = head.split_whitespace().flat_map(str::parse).collect();
            let [id, code, out, err] = numbers[..] else { return };
            let mut take = |length: i64| {
                let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
                stdout.read_exact(&mut bytes).ok();
                String::from_utf8_lossy(&bytes).into_owned()
            };
            let said = Said { code: code as i32, out: take(out), err: take(err) };
            let mut all = self.said.lock().unwrap_or_else(PoisonError::into_inner);
            all.insert(id as u64, said);
            self.more.notify_all();
            head.clear();
        }
    }
}

/// A tool in a JVM of its own, its standard output in `out`.
pub fn tool_process(
    libs: &Path,
    tool: &str,
    address: &str,
    args: &[&str],
    out: &PathBuf,
) -> Result<Child, String> {
    let mut command: Command = broker::java(Some(libs), true);
    command.arg(class(tool)?).args(["--bootstrap-server", address]).args(args);
    let file = std::fs::File::create(out).map_err(|error| exec::told(out, &error))?;
    let log = out.with_extension("err");
    let errors = std::fs::File::create(&log).map_err(|error| exec::told(&log, &error))?;
    command.stdin(Stdio::null()).stdout(file).stderr(errors);
    command.spawn().map_err(|error| format!("{tool}: {error}"))
}

fn class(tool: &str) -> Result<String, String> {
    let found = CLASSES.iter().find(|(name, _)| *name == tool);
    found
        .map(|(_, class)| format!("org.apache.kafka.tools.{class}"))
        .ok_or(format!("no tool {tool}"))
}

fn escape(field: &str) -> String {
    field.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t")
}

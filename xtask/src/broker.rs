//! A broker for a suite or a measurement: Highwater's built binary, or Kafka 4.4.0 to compare with.
//!
//! Owns its start, readiness, stop and log. A broker listens on the loopback interface alone, has
//! a data directory of its own and is ended by its process id, also when a suite fails half way.

use crate::cache::Cache;
use crate::exec;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    Highwater,
    Kafka,
}

/// Settings that most client suites expect of a single node.
pub const PROFILE: &[(&str, &str)] = &[
    ("num.partitions", "4"),
    ("offsets.topic.replication.factor", "1"),
    ("offsets.topic.num.partitions", "5"),
    ("transaction.state.log.replication.factor", "1"),
    ("transaction.state.log.min.isr", "1"),
    ("share.coordinator.state.topic.replication.factor", "1"),
    ("share.coordinator.state.topic.min.isr", "1"),
    ("group.initial.rebalance.delay.ms", "0"),
    ("group.share.record.lock.duration.ms", "1000"),
    ("group.share.min.record.lock.duration.ms", "1000"),
];

/// Any id does: each broker stands alone.
const CLUSTER_ID: &str = "MkU3OEVBNTcwNTJENDM2Qg";

const READY_MS_MAX: u64 = 60_000;

/// What to start, kept so that it can be started again on the same data.
#[derive(Clone)]
pub struct Plan {
    pub target: Target,
    pub port: u16,
    /// What clients are told to connect to.
    pub host: &'static str,
    /// Holds the data directory, the configuration and the log.
    pub folder: PathBuf,
    pub settings: Vec<(String, String)>,
    pub libs: Option<PathBuf>,
}

pub struct Broker {
    plan: Plan,
    child: Child,
    launched: Instant,
}

impl Plan {
    /// Settings given here win over the profile's.
    pub fn new(
        target: Target,
        cache: &Cache,
        folder: &Path,
        settings: &[(&str, &str)],
    ) -> Result<Plan, String> {
        std::fs::create_dir_all(folder).map_err(|error| exec::told(folder, &error))?;
        let libs = match target {
            Target::Kafka => Some(cache.kafka()?),
            Target::Highwater => None,
        };
        let given = settings.iter();
        let profile = PROFILE.iter().filter(|(key, _)| !settings.iter().any(|(k, _)| k == key));
        let settings = profile.chain(given).map(|(k, v)| (k.to_string(), v.to_string())).collect();
        let (port, folder) = (free_port()?, folder.to_path_buf());
        Ok(Plan { target, port, host: "127.0.0.1", folder, settings, libs })
    }

    /// For suites that insist on Kafka's usual place, `localhost:9092`.
    pub fn on_usual_port(mut self) -> Result<Plan, String> {
        let port = 9092;
        TcpListener::bind(("127.0.0.1", port))
            .map_err(|error| format!("this suite needs port {port}: {error}"))?;
        (self.port, self.host) = (port, "localhost");
        Ok(self)
    }

    pub fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn log(&self) -> PathBuf {
        self.folder.join("broker.log")
    }

    /// Starts it and waits until it answers.
    pub fn start(self) -> Result<Broker, String> {
        let mut broker = self.launch()?;
        broker.wait_until_ready()?;
        Ok(broker)
    }

    /// Starts it and returns at once.
    pub fn launch(self) -> Result<Broker, String> {
        let mut command = match self.target {
            Target::Highwater => self.highwater(),
            Target::Kafka => self.kafka()?,
        };
        let log = std::fs::OpenOptions::new().create(true).append(true).open(self.log());
        let log = log.map_err(|error| exec::told(&self.log(), &error))?;
        let twin = log.try_clone().map_err(|error| error.to_string())?;
        command.stdin(Stdio::null()).stdout(log).stderr(twin).current_dir(&self.folder);
        let launched = Instant::now();
        let child = command.spawn().map_err(|error| {
            format!("`{}` could not be started: {error}", exec::words(&command))
        })?;
        Ok(Broker { plan: self, child, launched })
    }

    fn highwater(&self) -> Command {
        let mut command = Command::new(highwater_binary());
        command.arg("serve").arg("--data-dir").arg(self.data());
        command.arg("--listen").arg(format!("127.0.0.1:{}", self.port));
        // Kafka's node is told so too, and a test looks where the setting came from.
        command.arg("--set").arg(format!("advertised.listeners={}", self.advertised()));
        for (key, value) in &self.settings {
            command.arg("--set").arg(format!("{key}={value}"));
        }
        command
    }

    fn kafka(&self) -> Result<Command, String> {
        let config = self.folder.join("server.properties");
        if !config.exists() {
            let text = self.properties(free_port()?);
            std::fs::write(&config, text).map_err(|error| exec::told(&config, &error))?;
            let mut format = java(self.libs.as_deref(), true);
            format.args(["kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c"]);
            exec::stdout_of(format.arg(&config))?;
        }
        let mut command = java(self.libs.as_deref(), false);
        command.arg("kafka.Kafka").arg(&config);
        Ok(command)
    }

    fn advertised(&self) -> String {
        format!("PLAINTEXT://{}:{}", self.host, self.port)
    }

    fn properties(&self, controller: u16) -> String {
        let (port, data, advertised) = (self.port, self.data(), self.advertised());
        let id = self.settings.iter().find(|(key, _)| key == "node.id").map_or("1", |(_, id)| id);
        let mut text = format!(
            "process.roles=broker,controller\nnode.id={id}\n\
             controller.quorum.voters={id}@127.0.0.1:{controller}\n\
             listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}\n\
             advertised.listeners={advertised}\n\
             listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT\n\
             inter.broker.listener.name=PLAINTEXT\ncontroller.listener.names=CONTROLLER\n\
             log.dirs={}\n",
            data.display()
        );
        for (key, value) in &self.settings {
            text.push_str(&format!("{key}={value}\n"));
        }
        text
    }
}

pub fn highwater_binary() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target.unwrap_or_else(|| exec::root().join("target")).join("release/highwater")
}

/// A JVM with Kafka's jars; `short` for tools that end soon.
pub fn java(libs: Option<&Path>, short: bool) -> Command {
    let libs = libs.unwrap_or(Path::new("libs"));
    let logging = exec::root().join("compat/kafka/log4j2.properties");
    let mut command = Command::new("java");
    if short {
        command.args(["-Xms64m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]);
    } else {
        command.args(["-Xms1g", "-Xmx1g", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20"]);
        command.arg("-XX:InitiatingHeapOccupancyPercent=35");
    }
    command.arg(format!("-Dlog4j2.configurationFile={}", logging.display()));
    command.arg("-cp").arg(libs.join("*"));
    command
}

pub fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
    Ok(listener.local_addr().map_err(|error| error.to_string())?.port())
}

/// Asks for the API versions; true when an answer comes.
pub fn answers(port: u16) -> bool {
    // Length 10, then key 18, version 0, correlation id 1, no client id.
    const ASK: [u8; 14] = [0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 1, 0xff, 0xff];
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return false };
    stream.set_read_timeout(Some(Duration::from_secs(2))).ok();
    let mut head = [0; 8];
    stream.write_all(&ASK).is_ok()
        && stream.read_exact(&mut head).is_ok()
        && head[4..] == ASK[8..12]
}

impl Broker {
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.plan.port)
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Just before its process was started.
    pub fn launched(&self) -> Instant {
        self.launched
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    pub fn wait_until_ready(&mut self) -> Result<Duration, String> {
        let started = Instant::now();
        while started.elapsed() < Duration::from_millis(READY_MS_MAX) {
            if answers(self.plan.port) {
                return Ok(started.elapsed());
            }
            if let Some(status) = self.child.try_wait().map_err(|error| error.to_string())? {
                return Err(format!("the broker ended at start: {status}\n{}", self.log_tail()));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Err(format!("the broker did not answer in time\n{}", self.log_tail()))
    }

    fn log_tail(&self) -> String {
        let text = std::fs::read_to_string(self.plan.log()).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(15)..].join("\n")
    }

    /// SIGTERM; returns how long it took to end.
    pub fn stop(mut self) -> Result<(Plan, Duration), String> {
        let started = Instant::now();
        signal(self.child.id(), "TERM")?;
        while started.elapsed() < Duration::from_secs(30) {
            if self.child.try_wait().map_err(|error| error.to_string())?.is_some() {
                return Ok((self.plan.clone(), started.elapsed()));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Err("the broker did not end within 30 s of SIGTERM".to_owned())
    }

    /// SIGKILL.
    pub fn kill(mut self) -> Result<Plan, String> {
        self.child.kill().map_err(|error| error.to_string())?;
        self.child.wait().map_err(|error| error.to_string())?;
        Ok(self.plan.clone())
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

pub fn signal(pid: u32, name: &str) -> Result<(), String> {
    exec::stdout_of(Command::new("kill").arg(format!("-{name}")).arg(pid.to_string())).map(|_| ())
}

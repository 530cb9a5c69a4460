//! A broker in a process of its own, on a port and in a folder of its own.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use highwater_wire::messages::MetadataRequest;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::output::Output;
use crate::watchdog::Watchdog;
use crate::{Resources, Target, Wire, free_port, start};

/// Kafka, on a busy machine.
const READY_WITHIN: Duration = Duration::from_secs(60);
const STOPPED_WITHIN: Duration = Duration::from_secs(30);

/// How to start a broker.
#[derive(Debug, Clone)]
pub struct BrokerOptions {
    pub target: Target,
    pub settings: Vec<(String, String)>,
    /// Texts of alarming lines that this test brings about.
    pub expected_alarms: Vec<String>,
}

impl Default for BrokerOptions {
    fn default() -> Self {
        let (settings, expected_alarms) = Default::default();
        BrokerOptions { target: Target::from_env(), settings, expected_alarms }
    }
}

impl BrokerOptions {
    /// A setting of the broker, as in a properties file.
    pub fn set(mut self, name: &str, value: &str) -> Self {
        self.settings.push((name.into(), value.into()));
        self
    }

    /// The broker may print alarming lines that hold this text.
    pub fn expect_alarm(mut self, text: &str) -> Self {
        self.expected_alarms.push(text.into());
        self
    }

    /// Starts the broker, and returns when it answers.
    pub fn start(self) -> BrokerProcess {
        BrokerProcess::start_with(self)
    }
}

/// A broker. Dropping it kills it, removes its folder, and, unless the test has failed already,
/// looks through what it printed.
pub struct BrokerProcess {
    options: BrokerOptions,
    address: String,
    output: Output,
    folder: TempDir,
    /// `None` while stopped, and for a broker that somebody else runs.
    running: Option<(Watchdog, Child)>,
}

impl BrokerProcess {
    /// A broker with the default settings.
    pub fn start() -> BrokerProcess {
        BrokerOptions::default().start()
    }

    pub fn start_with(options: BrokerOptions) -> BrokerProcess {
        let address = match &options.target {
            Target::Running(bootstrap) => bootstrap.clone(),
            _ => format!("127.0.0.1:{}", free_port()),
        };
        let folder = tempfile::Builder::new().prefix("highwater-test-").tempdir();
        let folder = folder.expect("a folder for temporary files");
        let output = Output::default();
        let mut broker = BrokerProcess { options, address, output, folder, running: None };
        broker.run();
        broker
    }

    /// Starts again after [`kill`](Self::kill) or [`terminate`](Self::terminate), on the same
    /// port, with the same folder and settings.
    pub fn run(&mut self) {
        assert!(self.running.is_none(), "the broker runs already");
        let settings = &self.options.settings;
        let mut command = match &self.options.target {
            Target::Running(_) => return,
            Target::Highwater(binary) => {
                start::highwater(binary, self.folder.path(), &self.address, settings)
            }
            Target::Kafka(libs) => start::kafka(libs, self.folder.path(), &self.address, settings),
        };
        self.running = Some(self.spawn(&mut command));
        self.wait_until_ready();
    }

    fn spawn(&self, command: &mut Command) -> (Watchdog, Child) {
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|e| panic!("{command:?}: {e}"));
        let watchdog = Watchdog::over(child.id(), self.folder.path());
        self.output.collect(child.stdout.take().expect("piped"));
        self.output.collect(child.stderr.take().expect("piped"));
        (watchdog, child)
    }

    fn wait_until_ready(&mut self) {
        let deadline = Instant::now() + READY_WITHIN;
        while !self.is_ready() {
            if let Some((_, child)) = &mut self.running
                && let Ok(Some(status)) = child.try_wait()
            {
                panic!("the broker ended with {status}:\n{}", self.output.text());
            }
            assert!(Instant::now() < deadline, "not ready:\n{}", self.output.text());
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// It answers, and counts itself among the cluster's brokers.
    fn is_ready(&self) -> bool {
        let Ok(mut wire) = Wire::try_connect(&self.address) else { return false };
        let no_topics = MetadataRequest { topics: Some(vec![]), ..Default::default() };
        wire.try_call(12, &no_topics).is_ok_and(|answer| !answer.brokers.is_empty())
    }

    pub fn is_kafka(&self) -> bool {
        self.options.target.is_kafka()
    }

    /// Whether it is this test's to stop, kill and count.
    pub fn is_ours(&self) -> bool {
        !matches!(self.options.target, Target::Running(_))
    }

    pub fn target(&self) -> &Target {
        &self.options.target
    }

    /// `host:port`
    pub fn address(&self) -> &str {
        &self.address
    }

    pub fn data_dir(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// A folder of this broker's life for the files of a test.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn pid(&self) -> u32 {
        self.running.as_ref().expect("the broker runs").1.id()
    }

    pub fn resources(&self) -> Resources {
        Resources::of(self.pid())
    }

    pub fn is_alive(&mut self) -> bool {
        self.running.as_mut().is_some_and(|(_, child)| matches!(child.try_wait(), Ok(None)))
    }

    /// A new connection.
    pub fn connect(&self) -> Wire {
        Wire::connect(&self.address)
    }

    /// `kill -9`
    pub fn kill(&mut self) {
        let (watchdog, mut child) = self.running.take().expect("the broker runs");
        drop(watchdog);
        child.kill().expect("it is our child");
        child.wait().expect("it is our child");
    }

    /// `SIGTERM`; returns when the broker has stopped.
    pub fn terminate(&mut self) -> ExitStatus {
        let (watchdog, mut child) = self.running.take().expect("the broker runs");
        drop(watchdog);
        let pid = Pid::from_child(&child);
        kill_process(pid, Signal::TERM).expect("it is our child");
        let deadline = Instant::now() + STOPPED_WITHIN;
        loop {
            if let Some(status) = child.try_wait().expect("it is our child") {
                return status;
            }
            if Instant::now() > deadline {
                let _ = child.kill();
                panic!("the broker does not stop:\n{}", self.output.text());
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// All that the broker has printed.
    pub fn output(&self) -> String {
        self.output.text()
    }

    pub fn has_printed(&self, text: &str) -> bool {
        self.output.contains(text)
    }

    /// Fails the test if the broker printed an alarming line that was not expected. Kafka is not
    /// judged.
    pub fn check_output(&self) {
        if !self.is_kafka() {
            let alarms = self.output.alarms(&self.options.expected_alarms);
            assert!(alarms.is_empty(), "the broker printed:\n{}", alarms.join("\n"));
        }
    }
}

impl Drop for BrokerProcess {
    fn drop(&mut self) {
        if let Some((watchdog, mut child)) = self.running.take() {
            drop(watchdog);
            let _ = child.kill();
            let _ = child.wait();
        }
        if !thread::panicking() {
            self.check_output();
        } else if std::env::var_os("HIGHWATER_TEST_KEEP").is_some() {
            let kept = std::env::temp_dir().join(crate::unique("highwater-kept"));
            let _ = fs::rename(self.folder.path(), &kept);
            eprintln!("kept {}; it printed:\n{}", kept.display(), self.output.text());
        }
    }
}

//! Test suites of other clients, as their projects ship them, pointed at our broker.
//!
//! Owns how each is started and how its report is read. What is known to fail is in each suite's
//! `expected.txt`, nothing is changed in the suites themselves beyond what makes them run here.

use crate::broker::Broker;
use crate::compat::context::Context;
use crate::compat::reports::{read_go, read_libtest, read_pytest};
use crate::compat::verdict::{Case, Outcome};
use crate::exec::{self, Ran};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

pub const MINUTE: Duration = Duration::from_secs(60);

pub fn kgo(context: &Context<'_>) -> Result<Vec<Case>, String> {
    let package = "github.com/twmb/franz-go/pkg/kgo";
    let binary = context.cache.go("kgo", Some(package))?;
    let broker = context.broker("broker", &[])?;
    let mut tests = Command::new(binary);
    // Its tests read files beside them.
    tests.current_dir(context.cache.go_package("kgo", package)?);
    tests.args(["-test.v", "-test.count=1", "-test.timeout=12m"]);
    tests.args(go_skip(context));
    tests.env("KGO_SEEDS", broker.address()).env("KGO_LOG_LEVEL", "none");
    tests.env("KGO_TEST_RF", "1").env("KGO_TEST_MAX_TOPIC_PARTS", "7");
    tests.env("KGO_TEST_RECORDS", if context.full { "50000" } else { "10000" });
    let ran = run(context, &mut tests, 13 * MINUTE)?;
    finish(context, broker, read_go(&ran.output), &ran)
}

pub fn kafka_go(context: &Context<'_>) -> Result<Vec<Case>, String> {
    let package = "github.com/segmentio/kafka-go";
    let binary = context.cache.go("kafka-go", Some(package))?;
    let broker = context.plan("broker", &[])?.on_usual_port()?.start()?;
    let mut tests = Command::new(binary);
    tests.current_dir(context.cache.go_package("kafka-go", package)?);
    tests.args(["-test.v", "-test.count=1", "-test.timeout=12m"]);
    tests.args(go_skip(context));
    tests.env("KAFKA_VERSION", "4.0.0").env("KAFKA_SKIP_NETTEST", "1");
    let ran = run(context, &mut tests, 13 * MINUTE)?;
    finish(context, broker, read_go(&ran.output), &ran)
}

/// Files that the source archive leaves out, and that its fixtures import.
const SERVICE: &str = "\
class ExternalService:
    def __init__(self, host, port):
        self.host, self.port = host, port

    def open(self):
        pass

    close = stop = dump_logs = open


class SpawnedService:
    def __init__(self, *args, **kwargs):
        raise RuntimeError('this run starts no broker of its own')
";

pub fn kafka_python(context: &Context<'_>) -> Result<Vec<Case>, String> {
    let source = context.cache.python_source("kafka-python", "3.0.12")?;
    write(&source.join("test/__init__.py"), "")?;
    write(&source.join("test/service.py"), SERVICE)?;
    let servers = source.join("servers/4.3.0/kafka-bin");
    std::fs::create_dir_all(&servers).map_err(|error| exec::told(&servers, &error))?;
    // A test places partitions on broker 0, another asks for a session of three seconds.
    let settings = [("node.id", "0"), ("group.min.session.timeout.ms", "1000")];
    let broker = context.broker("broker", &settings)?;
    let mut tests = Command::new(context.cache.python()?);
    tests.current_dir(&source).args(["-m", "pytest", "test/integration", "-v", "--timeout=120"]);
    tests.args(["--ignore", "test/integration/test_ssl_integration.py", "-p", "no:cacheprovider"]);
    // A race in this client: it loses the topic of a subscription that it takes while its first
    // metadata answer is on the way, and looks again only after five minutes. Any test may meet
    // it, more often with a broker that answers fast, so a test has three tries.
    tests.args(["--reruns", "2"]);
    for name in &context.left_out {
        tests.arg("--deselect").arg(format!("test/integration/{name}"));
    }
    tests.env("KAFKA_URI", format!("kafka://{}", broker.address())).env("KAFKA_VERSION", "4.3.0");
    let ran = run(context, &mut tests, 10 * MINUTE)?;
    finish(context, broker, read_pytest(&ran.output), &ran)
}

pub fn rskafka(context: &Context<'_>) -> Result<Vec<Case>, String> {
    let source = context.cache.crate_source("rskafka", "0.6.0")?;
    // Its lock file holds a version that was withdrawn.
    exec::stdout_of(cargo(context, &source).args(["update", "-q", "-p", "rsasl"]))?;
    let tests = ["test", "-q", "--features", "full", "--tests", "--no-run"];
    exec::stdout_of(cargo(context, &source).args(tests))?;
    let settings = [("auto.create.topics.enable", "false"), ("num.partitions", "1")];
    let broker = context.broker("broker", &settings)?;
    let mut tests = cargo(context, &source);
    tests.args(["test", "--features", "full", "--tests", "--no-fail-fast", "--"]);
    tests.args(libtest_skip(context));
    tests.env("TEST_INTEGRATION", "1").env("TEST_BROKER_IMPL", "kafka");
    tests.env("KAFKA_CONNECT", broker.address());
    let ran = run(context, &mut tests, 10 * MINUTE)?;
    finish(context, broker, read_libtest(&ran.output), &ran)
}

pub fn rust_rdkafka(context: &Context<'_>) -> Result<Vec<Case>, String> {
    let source = context.cache.crate_source("rdkafka", "0.39.0")?;
    exec::stdout_of(cargo(context, &source).args(["test", "-q", "--tests", "--no-run"]))?;
    let settings = [("num.partitions", "3"), ("node.id", "0")];
    let broker = context.plan("broker", &settings)?.on_usual_port()?.start()?;
    let mut tests = cargo(context, &source);
    tests.args(["test", "--tests", "--no-fail-fast", "--", "--test-threads=2"]);
    tests.args(libtest_skip(context));
    tests.env("KAFKA_HOST", broker.address()).env("KAFKA_VERSION", "4.4.0");
    let ran = run(context, &mut tests, 15 * MINUTE)?;
    finish(context, broker, read_libtest(&ran.output), &ran)
}

/// Skips exactly the tests, or parts of tests, that are left out.
fn go_skip(context: &Context<'_>) -> Option<String> {
    let one = |name: &String| {
        let levels: Vec<String> = name.split('/').map(|level| format!("^{level}$")).collect();
        levels.join("/")
    };
    let all: Vec<String> = context.left_out.iter().map(one).collect();
    (!all.is_empty()).then(|| format!("-test.skip={}", all.join("|")))
}

fn libtest_skip(context: &Context<'_>) -> Vec<String> {
    let names = context.left_out.iter().filter_map(|name| name.split_once(": "));
    let skips = names.flat_map(|(_, name)| ["--skip".to_owned(), name.to_owned()]);
    std::iter::once("--exact".to_owned()).chain(skips).collect()
}

fn cargo(context: &Context<'_>, source: &Path) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(source).env("CARGO_TARGET_DIR", context.cache.rust_target());
    // What our own build was told is not meant for theirs.
    cargo.env_remove("RUSTFLAGS").env_remove("CARGO_MANIFEST_DIR").env_remove("CARGO_PKG_NAME");
    // Nobody debugs these; a quarter of the time to build them would go into it.
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_INCREMENTAL", "0");
    cargo
}

pub fn run(context: &Context<'_>, command: &mut Command, limit: Duration) -> Result<Ran, String> {
    exec::logged(command, &context.folder.join("suite.log"), limit)
}

/// Stops the broker, and adds a case where the suite itself did not come to its end.
pub fn finish(
    context: &Context<'_>,
    broker: Broker,
    mut cases: Vec<Case>,
    ran: &Ran,
) -> Result<Vec<Case>, String> {
    let log = context.folder.join("suite.log");
    if ran.code.is_none() {
        cases.push(Case::of("the suite ends in time", Err(format!("see {}", log.display()))));
    } else if ran.code != Some(0) && cases.iter().all(|case| case.outcome != Outcome::Failed) {
        let told = format!("exit code {:?}; see {}", ran.code, log.display());
        cases.push(Case::of("the suite ends well", Err(told)));
    }
    cases.push(Case::of("the broker stops", broker.stop().map(|_| ())));
    Ok(cases)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| exec::told(path, &error))
}

//! Test suites of other clients, as their projects ship them, pointed at our broker.
//!
//! Owns how each is started and how its report is read. What is known to fail is in each suite's
//! `expected.txt`, nothing is changed in the suites themselves beyond what makes them run here.

use crate::broker::{Broker, Target};
use crate::compat::context::Context;
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
    if context.target == Target::Highwater {
        // Waits without end for transactions, which come with a later step.
        tests.args(["-test.skip", "^TestTxnEtl$"]);
    }
    tests.env("KGO_SEEDS", broker.address()).env("KGO_LOG_LEVEL", "none");
    tests.env("KGO_TEST_RF", "1").env("KGO_TEST_MAX_TOPIC_PARTS", "7");
    tests.env("KGO_TEST_RECORDS", if context.full { "50000" } else { "10000" });
    let ran = run(context, &mut tests, 13 * MINUTE)?;
    finish(context, broker, read_go(&ran.output), &ran)
}

pub fn kafka_go(context: &Context<'_>) -> Result<Vec<Case>, String> {
    let package = "github.com/segmentio/kafka-go";
    let binary = context.cache.go("kafka-go", Some(package))?;
    let broker = context.plan("broker", &[])?.on_port(9092)?.start()?;
    let mut tests = Command::new(binary);
    tests.current_dir(context.cache.go_package("kafka-go", package)?);
    tests.args(["-test.v", "-test.count=1", "-test.timeout=12m"]);
    // Ends the whole program by a nil pointer of its own, on Kafka as well.
    tests.args(["-test.skip", "^TestReaderConsumerGroup$/^consumer_group_commits_on_close$"]);
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
    let broker = context.broker("broker", &[])?;
    let mut tests = Command::new(context.cache.python()?);
    tests.current_dir(&source).args(["-m", "pytest", "test/integration", "-v", "--timeout=120"]);
    tests.args(["--ignore", "test/integration/test_ssl_integration.py", "-p", "no:cacheprovider"]);
    // A race in this client: it loses the topic of a subscription that it takes while its first
    // metadata answer is on the way, and looks again only after five minutes. Any test may meet
    // it, more often with a broker that answers fast, so a test has three tries.
    tests.args(["--reruns", "2"]);
    if !context.full {
        // These wait for half a minute and longer.
        tests.args(["-k", "not transactional and not test_group"]);
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
    tests.args(["test", "--features", "full", "--tests", "--no-fail-fast"]);
    tests.env("TEST_INTEGRATION", "1").env("TEST_BROKER_IMPL", "kafka");
    tests.env("KAFKA_CONNECT", broker.address());
    let ran = run(context, &mut tests, 10 * MINUTE)?;
    finish(context, broker, read_libtest(&ran.output), &ran)
}

pub fn rust_rdkafka(context: &Context<'_>) -> Result<Vec<Case>, String> {
    let source = context.cache.crate_source("rdkafka", "0.39.0")?;
    exec::stdout_of(cargo(context, &source).args(["test", "-q", "--tests", "--no-run"]))?;
    let broker = context.broker("broker", &[("num.partitions", "3")])?;
    let mut tests = cargo(context, &source);
    tests.args(["test", "--tests", "--no-fail-fast", "--", "--test-threads=2"]);
    tests.env("KAFKA_HOST", broker.address()).env("KAFKA_VERSION", "4.4.0");
    let ran = run(context, &mut tests, 15 * MINUTE)?;
    finish(context, broker, read_libtest(&ran.output), &ran)
}

fn cargo(context: &Context<'_>, source: &Path) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(source).env("CARGO_TARGET_DIR", context.cache.rust_target());
    // What our own build was told is not meant for theirs.
    cargo.env_remove("RUSTFLAGS").env_remove("CARGO_MANIFEST_DIR").env_remove("CARGO_PKG_NAME");
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

/// `--- PASS: TestName (0.00s)` of tests that are not part of another; the lines above a failure
/// are its reason.
fn read_go(output: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for line in output.lines() {
        let Some(rest) = line.strip_prefix("--- ") else { continue };
        let Some((word, rest)) = rest.split_once(": ") else { continue };
        let outcome = match word {
            "PASS" => Outcome::Passed,
            "FAIL" => Outcome::Failed,
            "SKIP" => Outcome::Skipped,
            _ => continue,
        };
        let name = rest.split(' ').next().unwrap_or_default();
        cases.push(Case::new(name, outcome));
    }
    if let Some(line) = output.lines().find(|line| line.starts_with("panic: ")) {
        cases.push(Case::of("the test program does not panic", Err(line.to_owned())));
    }
    cases
}

/// `test/integration/test_x.py::name PASSED [ 3%]`.
fn read_pytest(output: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in output.lines().filter(|line| line.contains(".py::") && line.ends_with("%]")) {
        let words = [
            (" PASSED", Outcome::Passed),
            (" FAILED", Outcome::Failed),
            (" ERROR", Outcome::Failed),
            (" SKIPPED", Outcome::Skipped),
        ];
        let Some((at, outcome)) = words.iter().find_map(|(w, o)| Some((line.find(w)?, *o))) else {
            continue;
        };
        let name = line[..at].rsplit('/').next().unwrap_or_default().trim_end();
        // A failure to tear down comes after the test's own line.
        match cases.iter_mut().find(|case| case.name == name) {
            Some(case) => case.outcome = outcome,
            None => cases.push(Case::new(name, outcome)),
        }
    }
    let reasons = output.lines().filter_map(|line| line.strip_prefix("FAILED "));
    for (name, reason) in reasons.filter_map(|line| line.split_once(" - ")) {
        let name = name.rsplit('/').next().unwrap_or_default();
        if let Some(case) = cases.iter_mut().find(|case| case.name == name) {
            case.detail = reason.to_owned();
        }
    }
    cases
}

/// `ok name` or `not ok name: why`, as the programs of this project print.
pub fn read_checks(output: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for line in output.lines() {
        if let Some(name) = line.strip_prefix("ok ") {
            cases.push(Case::new(name, Outcome::Passed));
        } else if let Some(rest) = line.strip_prefix("not ok ") {
            let (name, why) = rest.split_once(": ").unwrap_or((rest, ""));
            cases.push(Case::of(name, Err(why.to_owned())));
        }
    }
    cases
}

/// `test module::name ... ok`.
fn read_libtest(output: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for line in output.lines() {
        let Some((name, word)) = line.strip_prefix("test ").and_then(|l| l.split_once(" ... "))
        else {
            continue;
        };
        let outcome = match word.split([',', ' ']).next().unwrap_or_default() {
            "ok" => Outcome::Passed,
            "ignored" => Outcome::Skipped,
            _ => Outcome::Failed,
        };
        cases.push(Case::new(name, outcome));
    }
    cases
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_read(read: fn(&str) -> Vec<Case>, output: &str, expected: &[(&str, Outcome)]) {
        let cases = read(output);
        let got: Vec<_> = cases.iter().map(|case| (case.name.as_str(), case.outcome)).collect();
        assert_eq!(got, expected);
    }

    #[test]
    fn reads_go() {
        let output = "=== RUN TestA\n--- PASS: TestA (0.01s)\n    --- FAIL: TestB/one (0.00s)\n\
            --- FAIL: TestB (1.00s)\n--- SKIP: TestC (0.00s)\n";
        let expected =
            [("TestA", Outcome::Passed), ("TestB", Outcome::Failed), ("TestC", Outcome::Skipped)];
        check_read(read_go, output, &expected);
    }

    #[test]
    fn reads_pytest() {
        let output = "test/integration/test_a.py::test_x[lz4] PASSED    [  1%]\n\
            test/integration/test_a.py::test_y SKIPPED (no broker)  [  2%]\n\
            test/integration/test_b.py::test_z PASSED  [  3%]\n\
            test/integration/test_b.py::test_z ERROR  [  3%]\n";
        let expected = [
            ("test_a.py::test_x[lz4]", Outcome::Passed),
            ("test_a.py::test_y", Outcome::Skipped),
            ("test_b.py::test_z", Outcome::Failed),
        ];
        check_read(read_pytest, output, &expected);
    }

    #[test]
    fn reads_libtest() {
        let output = "test a::b ... ok\ntest c ... FAILED\ntest d ... ignored, needs time\n";
        let expected = [("a::b", Outcome::Passed), ("c", Outcome::Failed), ("d", Outcome::Skipped)];
        check_read(read_libtest, output, &expected);
    }
}

//! Compares what a suite's cases did with what `compat/<suite>/expected.txt` says.
//!
//! Every case passes unless an entry says otherwise, so a case that fails, is skipped, or passes
//! against its entry makes the run fail. Lines of the file:
//!
//! ```text
//! case | fail, skip, flaky or pass | kafka-fails-too: yes or no | reason
//! log | pattern | reason
//! ```
//!
//! A case may begin or end with `*`. `flaky`: any outcome will do. `pass` beside `yes`: Highwater
//! passes what Kafka fails. A `log` line allows an ERROR that a suite provokes.

use crate::broker::Target;
use crate::exec;
use crate::tally::Tally;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    Failed,
    Skipped,
}

#[derive(Debug, Clone)]
pub struct Case {
    pub name: String,
    pub outcome: Outcome,
    /// Why it failed, when we know.
    pub detail: String,
}

impl Case {
    pub fn new(name: &str, outcome: Outcome) -> Case {
        Case { name: name.to_owned(), outcome, detail: String::new() }
    }

    pub fn of(name: &str, result: Result<(), String>) -> Case {
        let (outcome, detail) = match result {
            Ok(()) => (Outcome::Passed, String::new()),
            Err(detail) => (Outcome::Failed, detail),
        };
        Case { name: name.to_owned(), outcome, detail }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    Pass,
    Fail,
    Skip,
    Flaky,
}

struct Entry {
    case: String,
    expect: Expect,
    kafka_fails_too: bool,
    reason: String,
}

#[derive(Default)]
pub struct Expected {
    entries: Vec<Entry>,
    log: Vec<String>,
}

impl Expected {
    pub fn load(suite: &str) -> Result<Expected, String> {
        let path = exec::root().join("compat").join(suite).join("expected.txt");
        match std::fs::read_to_string(&path) {
            Ok(text) => Expected::parse(&text).map_err(|e| format!("{}: {e}", path.display())),
            Err(_) => Ok(Expected::default()),
        }
    }

    fn parse(text: &str) -> Result<Expected, String> {
        let mut expected = Expected::default();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let fields: Vec<&str> = line.split(" | ").map(str::trim).collect();
            match fields[..] {
                ["log", pattern, reason] if !reason.is_empty() => {
                    expected.log.push(pattern.to_owned());
                }
                [case, expect, kafka, reason] if !reason.is_empty() => {
                    let expect = match expect {
                        "pass" => Expect::Pass,
                        "fail" => Expect::Fail,
                        "skip" => Expect::Skip,
                        "flaky" => Expect::Flaky,
                        _ => return Err(format!("unknown outcome: {line}")),
                    };
                    let kafka_fails_too = match kafka {
                        "kafka-fails-too: yes" => true,
                        "kafka-fails-too: no" => false,
                        _ => return Err(format!("no `kafka-fails-too: yes|no`: {line}")),
                    };
                    let (case, reason) = (case.to_owned(), reason.to_owned());
                    expected.entries.push(Entry { case, expect, kafka_fails_too, reason });
                }
                _ => return Err(format!("not an entry: {line}")),
            }
        }
        Ok(expected)
    }

    pub fn allows_log_line(&self, line: &str) -> bool {
        self.log.iter().any(|pattern| line.contains(pattern))
    }

    /// The tally of a suite, and a line for each thing the reader should know.
    pub fn judge(&self, target: Target, cases: &[Case]) -> (Tally, Vec<String>) {
        let mut tally = Tally::default();
        let mut lines = Vec::new();
        for case in cases {
            let entry = self.entries.iter().find(|entry| matches(&entry.case, &case.name));
            let verdict = entry.map_or(plain(case.outcome), |entry| {
                decide_verdict(expected_on(target, entry), case.outcome)
            });
            let reason = entry.map_or("", |entry| entry.reason.as_str());
            match verdict {
                Verdict::Passed => tally.passed += 1,
                Verdict::Excused => tally.skipped += 1,
                Verdict::Wrong(what) => {
                    tally.failed += 1;
                    let detail = case.detail.replace('\n', "\n        ");
                    lines.push(format!("    {what}: {} {reason}\n        {detail}", case.name));
                }
            }
        }
        (tally, lines)
    }
}

enum Verdict {
    Passed,
    Excused,
    Wrong(&'static str),
}

fn expected_on(target: Target, entry: &Entry) -> Expect {
    match (target, entry.kafka_fails_too, entry.expect) {
        (Target::Highwater, _, expect) => expect,
        (Target::Kafka, _, Expect::Flaky) => Expect::Flaky,
        (Target::Kafka, true, Expect::Pass) => Expect::Fail,
        (Target::Kafka, true, expect) => expect,
        (Target::Kafka, false, _) => Expect::Pass,
    }
}

fn plain(outcome: Outcome) -> Verdict {
    match outcome {
        Outcome::Passed => Verdict::Passed,
        Outcome::Failed => Verdict::Wrong("FAILED"),
        Outcome::Skipped => Verdict::Wrong("SKIPPED UNEXPECTEDLY"),
    }
}

fn decide_verdict(expect: Expect, outcome: Outcome) -> Verdict {
    match (expect, outcome) {
        (Expect::Pass, outcome) => plain(outcome),
        (Expect::Flaky, Outcome::Passed) => Verdict::Passed,
        (Expect::Flaky, _) | (Expect::Fail, Outcome::Failed) | (Expect::Skip, Outcome::Skipped) => {
            Verdict::Excused
        }
        (Expect::Fail | Expect::Skip, Outcome::Passed) => {
            Verdict::Wrong("PASSED, so drop its entry from expected.txt")
        }
        (Expect::Fail, Outcome::Skipped) => Verdict::Wrong("SKIPPED, though listed as failing"),
        (Expect::Skip, Outcome::Failed) => Verdict::Wrong("FAILED, though listed as skipped"),
    }
}

fn matches(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(end), None) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        _ => pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "\
# a comment
acl | fail | kafka-fails-too: yes | no authorizer
txn* | fail | kafka-fails-too: no | transactions come later
old | pass | kafka-fails-too: yes | Kafka dropped it
slow | flaky | kafka-fails-too: yes | the client times itself
log | disk is full | the suite fills it
";

    fn check_judge(target: Target, case: &str, outcome: Outcome, expected: (usize, usize, usize)) {
        let list = Expected::parse(LIST).expect("the list parses");
        let (tally, _) = list.judge(target, &[Case::new(case, outcome)]);
        assert_eq!((tally.passed, tally.failed, tally.skipped), expected, "{case} {outcome:?}");
    }

    #[test]
    fn an_unexpected_outcome_fails_the_run() {
        use Outcome::{Failed, Passed, Skipped};
        for (case, outcome, expected) in [
            ("plain", Passed, (1, 0, 0)),
            ("plain", Failed, (0, 1, 0)),
            ("plain", Skipped, (0, 1, 0)),
            ("acl", Failed, (0, 0, 1)),
            ("acl", Passed, (0, 1, 0)),
            ("txn_commit", Failed, (0, 0, 1)),
            ("txn_commit", Skipped, (0, 1, 0)),
            ("old", Passed, (1, 0, 0)),
            ("old", Failed, (0, 1, 0)),
            ("slow", Failed, (0, 0, 1)),
            ("slow", Passed, (1, 0, 0)),
        ] {
            check_judge(Target::Highwater, case, outcome, expected);
        }
    }

    #[test]
    fn kafka_must_pass_what_it_is_not_said_to_fail() {
        check_judge(Target::Kafka, "txn_commit", Outcome::Passed, (1, 0, 0));
        check_judge(Target::Kafka, "txn_commit", Outcome::Failed, (0, 1, 0));
        check_judge(Target::Kafka, "acl", Outcome::Failed, (0, 0, 1));
        check_judge(Target::Kafka, "old", Outcome::Failed, (0, 0, 1));
    }

    #[test]
    fn an_entry_without_reason_or_kafka_mark_is_refused() {
        assert!(Expected::parse("a | fail | kafka-fails-too: yes | ").is_err());
        assert!(Expected::parse("a | fail | yes | b").is_err());
        assert!(Expected::parse("a | odd | kafka-fails-too: no | b").is_err());
    }

    #[test]
    fn log_lines_are_allowed_by_what_they_contain() {
        let list = Expected::parse(LIST).expect("the list parses");
        assert!(list.allows_log_line("ERROR HW0007 disk is full"));
        assert!(!list.allows_log_line("ERROR HW0008"));
    }
}

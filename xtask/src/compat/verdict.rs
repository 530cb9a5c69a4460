//! Compares what a suite's cases did with what `compat/<suite>/expected.txt` says.
//!
//! Every case passes unless an entry says otherwise, so a case that fails, is skipped, or passes
//! against its entry makes the run fail. Lines of the file:
//!
//! ```text
//! case | fail, skip, flaky, pass or left-out | kafka-fails-too: yes, no or sometimes | reason
//! full | case | reason
//! log | pattern | reason
//! ```
//!
//! A case may begin or end with `*`. `flaky`: any outcome will do. `pass` beside `yes`: Highwater
//! passes what Kafka fails. `left-out`: the suite is told not to run it, beside `no` on Highwater
//! only. A `full` line keeps a case for the full form. What is left out counts as skipped. A `log`
//! line allows an ERROR that a suite provokes. An entry that meets no case fails the run as well.

use crate::broker::Target;
use crate::exec;
use crate::tally::Tally;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    Failed,
    Skipped,
    /// Not run, because we told the suite so.
    LeftOut,
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
    LeftOut,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KafkaToo {
    Yes,
    No,
    Sometimes,
}

struct Entry {
    case: String,
    expect: Expect,
    kafka_too: KafkaToo,
    reason: String,
}

#[derive(Default)]
pub struct Expected {
    entries: Vec<Entry>,
    /// Cases that the short form leaves to the full one.
    full_only: Vec<String>,
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
                ["full", case, reason] if !reason.is_empty() => {
                    expected.full_only.push(case.to_owned());
                }
                [case, expect, kafka, reason] if !reason.is_empty() => {
                    let expect = match expect {
                        "pass" => Expect::Pass,
                        "fail" => Expect::Fail,
                        "skip" => Expect::Skip,
                        "flaky" => Expect::Flaky,
                        "left-out" => Expect::LeftOut,
                        _ => return Err(format!("unknown outcome: {line}")),
                    };
                    let kafka_too = match kafka {
                        "kafka-fails-too: yes" => KafkaToo::Yes,
                        "kafka-fails-too: no" => KafkaToo::No,
                        "kafka-fails-too: sometimes" => KafkaToo::Sometimes,
                        _ => return Err(format!("no `kafka-fails-too: …`: {line}")),
                    };
                    let (case, reason) = (case.to_owned(), reason.to_owned());
                    expected.entries.push(Entry { case, expect, kafka_too, reason });
                }
                _ => return Err(format!("not an entry: {line}")),
            }
        }
        Ok(expected)
    }

    pub fn allows_log_line(&self, line: &str) -> bool {
        self.log.iter().any(|pattern| line.contains(pattern))
    }

    /// The cases that the suite is told not to run.
    pub fn left_out(&self, target: Target, full: bool) -> Vec<String> {
        let never = |entry: &&Entry| expected_on(target, entry) == Expect::LeftOut;
        let never = self.entries.iter().filter(never);
        let mut names: Vec<String> = never.map(|entry| entry.case.clone()).collect();
        if !full {
            names.extend(self.full_only.iter().cloned());
        }
        names
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
        for entry in self.entries.iter().map(|entry| &entry.case).chain(&self.full_only) {
            let part = format!("{entry}/*");
            if !cases.iter().any(|c| matches(entry, &c.name) || matches(&part, &c.name)) {
                tally.failed += 1;
                lines.push(format!("    NO SUCH CASE, so drop its entry: {entry}"));
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
    match (target, entry.kafka_too, entry.expect) {
        (Target::Highwater, _, expect) => expect,
        (Target::Kafka, KafkaToo::Yes, Expect::Pass) => Expect::Fail,
        (Target::Kafka, KafkaToo::Yes, expect) => expect,
        (Target::Kafka, _, Expect::Flaky) | (Target::Kafka, KafkaToo::Sometimes, _) => {
            Expect::Flaky
        }
        (Target::Kafka, KafkaToo::No, _) => Expect::Pass,
    }
}

fn plain(outcome: Outcome) -> Verdict {
    match outcome {
        Outcome::Passed => Verdict::Passed,
        Outcome::Failed => Verdict::Wrong("FAILED"),
        Outcome::Skipped => Verdict::Wrong("SKIPPED UNEXPECTEDLY"),
        Outcome::LeftOut => Verdict::Excused,
    }
}

fn decide_verdict(expect: Expect, outcome: Outcome) -> Verdict {
    match (expect, outcome) {
        (Expect::Pass, outcome) => plain(outcome),
        (Expect::Flaky, Outcome::Passed) => Verdict::Passed,
        (_, Outcome::LeftOut)
        | (Expect::Flaky, _)
        | (Expect::Fail, Outcome::Failed)
        | (Expect::Skip, Outcome::Skipped) => Verdict::Excused,
        (Expect::LeftOut, _) => Verdict::Wrong("RAN, though listed as left out"),
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
raced | fail | kafka-fails-too: sometimes | Kafka answers from older metadata
hangs | left-out | kafka-fails-too: yes | ends the program
etl | left-out | kafka-fails-too: no | transactions come later
full | acl | takes a minute
log | disk is full | the suite fills it
";

    fn check_judge(target: Target, case: &str, outcome: Outcome, expected: (usize, usize, usize)) {
        let list = Expected::parse(LIST).expect("the list parses");
        // The other entries meet a case as well.
        let others = ["acl", "txn", "old", "slow", "raced", "hangs", "etl"];
        let others = others.iter().filter(|name| !case.starts_with(**name));
        let mut cases: Vec<Case> = others.map(|o| Case::new(o, Outcome::LeftOut)).collect();
        let (before, _) = list.judge(target, &cases);
        cases.push(Case::new(case, outcome));
        let (mut tally, _) = list.judge(target, &cases);
        tally.skipped -= before.skipped;
        assert_eq!((tally.passed, tally.failed, tally.skipped), expected, "{case} {outcome:?}");
    }

    #[test]
    fn an_unexpected_outcome_fails_the_run() {
        use Outcome::{Failed, LeftOut, Passed, Skipped};
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
            ("raced", Failed, (0, 0, 1)),
            ("raced", Passed, (0, 1, 0)),
            ("hangs", LeftOut, (0, 0, 1)),
            ("hangs", Passed, (0, 1, 0)),
            ("acl", LeftOut, (0, 0, 1)),
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
        check_judge(Target::Kafka, "raced", Outcome::Failed, (0, 0, 1));
        check_judge(Target::Kafka, "raced", Outcome::Passed, (1, 0, 0));
    }

    #[test]
    fn an_entry_without_a_case_fails_the_run() {
        let list = Expected::parse("gone | fail | kafka-fails-too: yes | why\n").expect("a list");
        let (tally, lines) = list.judge(Target::Highwater, &[Case::new("a", Outcome::Passed)]);
        assert_eq!((tally.passed, tally.failed), (1, 1), "{lines:?}");
    }

    #[test]
    fn what_is_left_out_depends_on_target_and_form() {
        let list = Expected::parse(LIST).expect("the list parses");
        assert_eq!(list.left_out(Target::Highwater, true), ["hangs", "etl"]);
        assert_eq!(list.left_out(Target::Highwater, false), ["hangs", "etl", "acl"]);
        assert_eq!(list.left_out(Target::Kafka, true), ["hangs"]);
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

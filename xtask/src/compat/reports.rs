//! What other projects' test runners print, read into cases.

use crate::compat::verdict::{Case, Outcome};

/// `--- PASS: TestName (0.00s)`, followed by the lines of its parts, further to the right. The
/// parts are the cases; a test that has some is a case only if it fails and none of them does.
pub fn read_go(output: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in output.lines() {
        let Some(rest) = line.trim_start().strip_prefix("--- ") else { continue };
        let Some((word, rest)) = rest.split_once(": ") else { continue };
        let outcome = match word {
            "PASS" => Outcome::Passed,
            "FAIL" => Outcome::Failed,
            "SKIP" => Outcome::Skipped,
            _ => continue,
        };
        cases.push(Case::new(rest.split(' ').next().unwrap_or_default(), outcome));
    }
    let is_told_by_parts = |whole: &Case| {
        let mut parts = cases.iter().filter(|part| is_part(&part.name, &whole.name)).peekable();
        parts.peek().is_some()
            && (whole.outcome != Outcome::Failed || parts.any(|p| p.outcome == Outcome::Failed))
    };
    let keep: Vec<bool> = cases.iter().map(|case| !is_told_by_parts(case)).collect();
    let mut keep = keep.into_iter();
    cases.retain(|_| keep.next().unwrap_or(true));
    if let Some(line) = output.lines().find(|line| line.starts_with("panic: ")) {
        cases.push(Case::of("the test program does not panic", Err(line.to_owned())));
    }
    cases
}

fn is_part(name: &str, whole: &str) -> bool {
    name.strip_prefix(whole).is_some_and(|rest| rest.starts_with('/'))
}

/// `test/integration/test_x.py::name PASSED [ 3%]`. A test that prints puts its words between its
/// name and the outcome, which then begins a line.
pub fn read_pytest(output: &str) -> Vec<Case> {
    const WORDS: [(&str, Outcome); 4] = [
        ("PASSED", Outcome::Passed),
        ("FAILED", Outcome::Failed),
        ("ERROR", Outcome::Failed),
        ("SKIPPED", Outcome::Skipped),
    ];
    let mut cases: Vec<Case> = Vec::new();
    let mut name = "";
    for line in output.lines() {
        let mut rest = line;
        let first = line.split(' ').next().unwrap_or_default();
        if first.contains(".py::") {
            name = first.rsplit('/').next().unwrap_or_default();
            rest = line[first.len()..].trim_start();
        }
        let word = WORDS.iter().find(|(word, _)| rest.starts_with(word));
        let Some((_, outcome)) = word.filter(|_| line.ends_with("%]") && !name.is_empty()) else {
            continue;
        };
        // A failure to tear down comes after the test's own line.
        match cases.iter_mut().find(|case| case.name == name) {
            Some(case) => case.outcome = *outcome,
            None => cases.push(Case::new(name, *outcome)),
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

/// `Running tests/file.rs (…)`, then `test module::name ... ok`; a case is `file: module::name`.
pub fn read_libtest(output: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut file = String::new();
    for line in output.lines() {
        if let Some(rest) = line.trim_start().strip_prefix("Running ") {
            let path = rest.split(" (").next().unwrap_or_default();
            let name = path.rsplit('/').next().unwrap_or_default();
            file = name.strip_suffix(".rs").unwrap_or(name).to_owned();
        }
        let Some((name, word)) = line.strip_prefix("test ").and_then(|l| l.split_once(" ... "))
        else {
            continue;
        };
        let outcome = match word.split([',', ' ']).next().unwrap_or_default() {
            "ok" => Outcome::Passed,
            "ignored" => Outcome::Skipped,
            _ => Outcome::Failed,
        };
        cases.push(Case::new(&format!("{file}: {name}"), outcome));
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
        let output = "=== RUN TestA\n--- PASS: TestA (0.01s)\n--- FAIL: TestB (1.00s)\n    \
            --- FAIL: TestB/one (0.00s)\n    --- PASS: TestB/two (0.00s)\n\
            --- SKIP: TestC (0.00s)\n--- FAIL: TestD (0.00s)\n    --- PASS: TestD/x (0.00s)\n";
        let expected = [
            ("TestA", Outcome::Passed),
            ("TestB/one", Outcome::Failed),
            ("TestB/two", Outcome::Passed),
            ("TestC", Outcome::Skipped),
            ("TestD", Outcome::Failed),
            ("TestD/x", Outcome::Passed),
        ];
        check_read(read_go, output, &expected);
    }

    #[test]
    fn reads_pytest() {
        let output = "test/integration/test_a.py::test_x[lz4] PASSED    [  1%]\n\
            test/integration/test_a.py::test_y SKIPPED (no broker)  [  2%]\n\
            test/integration/test_b.py::test_z PASSED  [  3%]\n\
            test/integration/test_b.py::test_z ERROR  [  3%]\n\
            test/integration/test_b.py::test_p Done!\nPASSED [ 86%]\n";
        let expected = [
            ("test_a.py::test_x[lz4]", Outcome::Passed),
            ("test_a.py::test_y", Outcome::Skipped),
            ("test_b.py::test_z", Outcome::Failed),
            ("test_b.py::test_p", Outcome::Passed),
        ];
        check_read(read_pytest, output, &expected);
    }

    #[test]
    fn reads_libtest() {
        let output = "     Running unittests src/lib.rs (target/debug/deps/x-1)\n\
            test a::b ... ok\n     Running tests/admin.rs (target/debug/deps/admin-2)\n\
            test c ... FAILED\ntest d ... ignored, needs time\n";
        let expected = [
            ("lib: a::b", Outcome::Passed),
            ("admin: c", Outcome::Failed),
            ("admin: d", Outcome::Skipped),
        ];
        check_read(read_libtest, output, &expected);
    }
}

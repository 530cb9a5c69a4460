//! Counts of passed, failed and skipped cases, and the summary line that CI reads.

use std::fmt;
use std::ops::AddAssign;

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
}

impl Tally {
    /// One check that either holds or has `problems` faults.
    pub fn of_check(problems: usize) -> Tally {
        Tally { passed: usize::from(problems == 0), failed: problems, skipped: 0 }
    }

    /// Adds up the `test result:` lines that a Rust test binary prints.
    pub fn read_libtest(output: &str) -> Tally {
        let mut total = Tally::default();
        for line in output.lines().filter(|line| line.starts_with("test result:")) {
            total += Tally {
                passed: count_before(line, " passed"),
                failed: count_before(line, " failed"),
                skipped: count_before(line, " ignored"),
            };
        }
        total
    }
}

fn count_before(line: &str, word: &str) -> usize {
    let Some(end) = line.find(word) else { return 0 };
    let digits = line[..end].rsplit(' ').next().unwrap_or_default();
    digits.parse().unwrap_or(0)
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_lines_of_several_test_binaries() {
        let output = "running 3 tests\ntest a ... ok\n\
            test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n\
            test result: FAILED. 10 passed; 4 failed; 0 ignored; 0 measured\n";
        let tally = Tally::read_libtest(output);
        assert_eq!(tally, Tally { passed: 12, failed: 4, skipped: 1 });
        assert_eq!(tally.to_string(), "12 passed, 4 failed, 1 skipped");
    }
}

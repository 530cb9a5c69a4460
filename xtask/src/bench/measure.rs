//! What is measured: cases, the figures of each, and the limits that the project sets for them.

use crate::bench::lab::Lab;
use crate::bench::statistics::{self, Spread};
use crate::broker::Target;

/// Judged by the median over the rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// For comparison only.
    None,
    AtMost(f64),
    /// Of Highwater's figure by Kafka's.
    RatioAtMost(f64),
    RatioAtLeast(f64),
}

pub struct Measure {
    /// In the JSON output.
    pub key: &'static str,
    pub what: &'static str,
    pub unit: &'static str,
    pub limit: Limit,
}

pub const fn measure(
    key: &'static str,
    what: &'static str,
    unit: &'static str,
    limit: Limit,
) -> Measure {
    Measure { key, what, unit, limit }
}

pub struct Case {
    pub name: &'static str,
    pub title: &'static str,
    /// A paragraph for the report.
    pub about: &'static str,
    /// How each figure comes about, one command a line.
    pub commands: &'static str,
    pub measures: &'static [Measure],
    /// One round for one broker: a value for each measure, in their order.
    pub run: fn(&Lab<'_>, Target) -> Result<Vec<f64>, String>,
}

/// The rounds of one measure; Kafka's are empty where it was left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    pub highwater: Vec<f64>,
    pub kafka: Vec<f64>,
}

pub struct Outcome {
    pub case: &'static Case,
    /// One for each measure of the case.
    pub series: Vec<Series>,
}

impl Outcome {
    pub fn of(case: &'static Case) -> Outcome {
        Outcome { case, series: vec![Series::default(); case.measures.len()] }
    }

    pub fn add(&mut self, target: Target, values: &[f64]) {
        for (series, value) in self.series.iter_mut().zip(values) {
            match target {
                Target::Highwater => series.highwater.push(*value),
                Target::Kafka => series.kafka.push(*value),
            }
        }
    }

    pub fn rows(&self) -> impl Iterator<Item = (&'static Measure, &Series)> {
        self.case.measures.iter().zip(&self.series)
    }
}

impl Series {
    pub fn ratio(&self) -> Option<Spread> {
        statistics::spread(&statistics::ratios(&self.highwater, &self.kafka))
    }

    /// `None`: there is no limit, or nothing to judge it by.
    pub fn meets(&self, limit: Limit) -> Option<bool> {
        let ratio = self.ratio().map(|ratio| ratio.median);
        match limit {
            Limit::None => None,
            Limit::AtMost(most) => Some(statistics::spread(&self.highwater)?.median <= most),
            Limit::RatioAtMost(most) => Some(ratio? <= most),
            Limit::RatioAtLeast(least) => Some(ratio? >= least),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_judged_by_the_median() {
        let both = Series { highwater: vec![90.0, 10.0, 20.0], kafka: vec![100.0, 20.0, 20.0] };
        let alone = Series { highwater: vec![5.0], kafka: Vec::new() };
        let check = |series: &Series, limit, met| assert_eq!(series.meets(limit), met, "{limit:?}");
        check(&both, Limit::None, None);
        check(&both, Limit::AtMost(20.0), Some(true));
        check(&both, Limit::AtMost(19.0), Some(false));
        // The rounds' ratios are 0.9, 0.5 and 1.
        check(&both, Limit::RatioAtMost(0.9), Some(true));
        check(&both, Limit::RatioAtMost(0.8), Some(false));
        check(&both, Limit::RatioAtLeast(0.9), Some(true));
        check(&both, Limit::RatioAtLeast(1.0), Some(false));
        check(&alone, Limit::AtMost(5.0), Some(true));
        check(&alone, Limit::RatioAtLeast(1.0), None);
        check(&Series::default(), Limit::AtMost(5.0), None);
    }
}

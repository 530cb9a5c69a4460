//! The page of the book: a table for each case, the machine, and whether the limits are met.

use crate::bench::machine::Machine;
use crate::bench::measure::{Limit, Measure, Outcome, Series};
use crate::bench::statistics::{self, Spread};

const OPENING: &str = "\
# Benchmarks

Highwater beside Apache Kafka 4.4.0, measured in turn on one machine in one run. Written by

```sh
cargo xtask bench start
```

which measures anew and replaces this page. Each round starts each broker on an empty data directory
with its defaults, but for the settings shown. A figure is the median over the rounds, with the least
and the greatest in parentheses; a ratio is Highwater's figure by Kafka's of the same round. Limits
are what the project holds itself to, judged by the median. Kafka runs in a JVM with the options of
its own start script (`-Xms1g -Xmx1g`, G1).
";

pub fn page(machine: &Machine, rounds: usize, outcomes: &[Outcome]) -> String {
    let mut page = OPENING.to_owned();
    page.push('\n');
    page.push_str(&verdict(outcomes));
    page.push_str(&about(machine, rounds));
    for outcome in outcomes {
        page.push('\n');
        page.push_str(&section(outcome));
    }
    page
}

/// The measures that miss their limit, with the name of the case.
pub fn missed(outcomes: &[Outcome]) -> Vec<String> {
    let rows = outcomes.iter().flat_map(|outcome| {
        outcome.rows().map(move |(measure, series)| (outcome.case.name, measure, series))
    });
    let missed = rows.filter(|(_, measure, series)| series.meets(measure.limit) == Some(false));
    missed.map(|(case, measure, _)| format!("{case}: {}", measure.what)).collect()
}

fn verdict(outcomes: &[Outcome]) -> String {
    let judged = outcomes.iter().flat_map(Outcome::rows);
    let judged = judged.filter(|(measure, series)| series.meets(measure.limit).is_some()).count();
    let missed = missed(outcomes);
    match &missed[..] {
        [] => format!("All {judged} limits are met.\n"),
        _ => format!("{} of {judged} limits are missed: {}.\n", missed.len(), missed.join("; ")),
    }
}

fn about(machine: &Machine, rounds: usize) -> String {
    let memory = machine.memory_bytes as f64 / f64::from(1 << 30);
    format!(
        "\n| | |\n|---|---|\n| date | {} |\n| commit | {} |\n| rounds | {rounds} |\n\
         | processors | {} of {} |\n| memory | {memory:.1} GiB |\n| kernel | {} |\n\
         | Java | {} |\n| load average at the start | {} |\n",
        machine.date,
        machine.commit,
        machine.processors,
        machine.processor,
        machine.kernel,
        machine.java,
        machine.load
    )
}

pub fn section(outcome: &Outcome) -> String {
    let case = outcome.case;
    let mut text = format!("## {}\n\n{}\n\n", case.title, case.about.trim());
    text.push_str("| | Highwater | Kafka | ratio | limit | met |\n|---|--:|--:|--:|--:|:-:|\n");
    for (measure, series) in outcome.rows() {
        text.push_str(&row(measure, series));
    }
    let commands = case.commands.trim();
    text.push_str(&format!(
        "\n```sh\n{commands}\ncargo xtask bench start --only {}\n```\n",
        case.name
    ));
    text
}

fn row(measure: &Measure, series: &Series) -> String {
    let of = |values: &[f64]| cell(statistics::spread(values), measure.unit);
    let met = match series.meets(measure.limit) {
        Some(true) => "yes",
        Some(false) => "**no**",
        None => "",
    };
    format!(
        "| {} | {} | {} | {} | {} | {met} |\n",
        measure.what,
        of(&series.highwater),
        of(&series.kafka),
        cell(series.ratio(), ""),
        limit(measure)
    )
}

fn limit(measure: &Measure) -> String {
    match measure.limit {
        Limit::None => "–".to_owned(),
        Limit::AtMost(most) => format!("≤ {}", with_unit(&round(most), measure.unit)),
        Limit::RatioAtMost(most) => format!("ratio ≤ {}", round(most)),
        Limit::RatioAtLeast(least) => format!("ratio ≥ {}", round(least)),
    }
}

fn cell(spread: Option<Spread>, unit: &str) -> String {
    let Some(spread) = spread else { return "–".to_owned() };
    let median = with_unit(&number(spread.median), unit);
    if spread.min == spread.max {
        return median;
    }
    format!("{median} ({} to {})", number(spread.min), number(spread.max))
}

fn with_unit(number: &str, unit: &str) -> String {
    format!("{number} {unit}").trim_end().to_owned()
}

/// Three digits that count, or a whole number with its thousands apart.
pub fn number(value: f64) -> String {
    match value {
        _ if value < 0.0 => format!("-{}", number(-value)),
        _ if value.fract() == 0.0 || value >= 100.0 => thousands(value.round() as u64),
        _ if value >= 10.0 => format!("{value:.1}"),
        _ if value >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// A limit: without the zeros that make a figure look exact.
fn round(value: f64) -> String {
    let text = number(value);
    if text.contains('.') { text.trim_end_matches('0').to_owned() } else { text }
}

fn thousands(value: u64) -> String {
    if value < 1000 {
        return value.to_string();
    }
    format!("{},{:03}", thousands(value / 1000), value % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::measure::{Case, measure};
    use crate::broker::Target;

    const CASE: Case = Case {
        name: "one",
        title: "One thing",
        about: "How it is done.",
        commands: "highwater serve",
        measures: &[
            measure("time", "time", "ms", Limit::AtMost(50.0)),
            measure("rate", "rate", "records/s", Limit::RatioAtLeast(1.0)),
            measure("files", "files", "", Limit::None),
        ],
        run: |_, _| Ok(Vec::new()),
    };

    #[test]
    fn numbers_have_three_digits_that_count() {
        let check = |value: f64, text: &str| assert_eq!(number(value), text);
        check(0.0, "0");
        check(0.0512, "0.051");
        check(1.005, "1.00");
        check(14.26, "14.3");
        check(50.0, "50");
        check(314.7, "315");
        check(3960.4, "3,960");
        check(1_234_056.0, "1,234,056");
        check(-2.5, "-2.50");
        assert_eq!([round(0.2), round(1.0 / 3.0), round(50.0)], ["0.2", "0.333", "50"]);
    }

    #[test]
    fn a_section_shows_median_least_greatest_and_the_limit() {
        let mut outcome = Outcome::of(&CASE);
        for (ours, theirs) in [(40.0, 4000.0), (30.0, 1500.0), (60.0, 6000.0)] {
            outcome.add(Target::Highwater, &[ours, ours, 3.0]);
            outcome.add(Target::Kafka, &[theirs, theirs, 3.0]);
        }
        let expected = "\
## One thing

How it is done.

| | Highwater | Kafka | ratio | limit | met |
|---|--:|--:|--:|--:|:-:|
| time | 40 ms (30 to 60) | 4,000 ms (1,500 to 6,000) | 0.010 (0.010 to 0.020) | ≤ 50 ms | yes |
| rate | 40 records/s (30 to 60) | 4,000 records/s (1,500 to 6,000) | 0.010 (0.010 to 0.020) | ratio ≥ 1 | **no** |
| files | 3 | 3 | 1 | – |  |

```sh
highwater serve
cargo xtask bench start --only one
```
";
        assert_eq!(section(&outcome), expected);
        assert_eq!(missed(&[outcome]), vec!["one: rate"]);
    }

    #[test]
    fn without_kafka_a_ratio_is_neither_shown_nor_judged() {
        let mut outcome = Outcome::of(&CASE);
        outcome.add(Target::Highwater, &[10.0, 10.0, 3.0]);
        let text = section(&outcome);
        assert!(text.contains("| time | 10 ms | – | – | ≤ 50 ms | yes |"), "{text}");
        assert!(text.contains("| rate | 10 records/s | – | – | ratio ≥ 1 |  |"), "{text}");
        assert_eq!(verdict(&[outcome]), "All 1 limits are met.\n");
    }
}

//! `cargo xtask bench start`: measures Highwater beside Kafka 4.4.0 in the same run, and writes
//! `docs/book/benchmarks.md`.
//!
//! Owns the order of the rounds and what becomes of the figures; each case is a file in `cases`.
//! Progress goes to stderr. Only a whole run, with Kafka and all cases, replaces the page.

mod cases;
mod frames;
mod json;
mod lab;
mod link;
mod load;
mod machine;
mod measure;
mod process;
mod report;
mod statistics;

use crate::broker::Target;
use crate::cache::Cache;
use crate::exec;
use cases::CASES;
use lab::Lab;
use machine::Machine;
use measure::{Case, Outcome};
use std::time::Instant;

const USAGE: &str = "\
usage: cargo xtask bench start [--rounds N] [--only CASE]... [--no-kafka]
                    [--json] [--check] [--no-build]

  --rounds    how often each figure is taken, Highwater and Kafka in turn; 3 without it
  --only      this case alone, may be repeated: start, idle, partitions, throughput, cold-fetch
  --no-kafka  measure Highwater alone
  --json      print the figures of all rounds as JSON instead of tables
  --check     fail if a limit is missed
  --no-build  measure the release binary that is there

A run of all cases with Kafka writes docs/book/benchmarks.md; any other only prints.";

const PAGE: &str = "docs/book/benchmarks.md";

const ROUNDS: usize = 3;

#[derive(Debug, PartialEq)]
struct Options {
    rounds: usize,
    only: Vec<String>,
    kafka: bool,
    json: bool,
    check: bool,
    build: bool,
}

pub fn run(args: &[String]) -> Result<(), String> {
    match args.split_first() {
        Some((word, rest)) if word == "start" => start(&parse(rest)?),
        _ => Err(USAGE.to_owned()),
    }
}

fn parse(args: &[String]) -> Result<Options, String> {
    let mut options = Options {
        rounds: ROUNDS,
        only: Vec::new(),
        kafka: true,
        json: false,
        check: false,
        build: true,
    };
    let mut args = args.iter().map(String::as_str);
    while let Some(arg) = args.next() {
        match arg {
            "--rounds" => {
                let rounds = args.next().and_then(|rounds| rounds.parse().ok());
                options.rounds = rounds.filter(|rounds| *rounds > 0).ok_or(USAGE)?;
            }
            "--only" => options.only.push(args.next().ok_or(USAGE)?.to_owned()),
            "--no-kafka" => options.kafka = false,
            "--json" => options.json = true,
            "--check" => options.check = true,
            "--no-build" => options.build = false,
            _ => return Err(USAGE.to_owned()),
        }
    }
    match options.only.iter().find(|name| CASES.iter().all(|case| case.name != **name)) {
        Some(name) => Err(format!("no case is called {name}\n{USAGE}")),
        None => Ok(options),
    }
}

fn start(options: &Options) -> Result<(), String> {
    if options.build {
        exec::shown(exec::cargo().args(["build", "--release", "--bin", "highwater"]))?;
    }
    let cache = Cache::open()?;
    if options.kafka || chosen(options).any(|case| case.name == "throughput") {
        cache.kafka()?;
    }
    let machine = Machine::here();
    let outcomes = measure_all(options, &Lab::new(&cache))?;
    if options.json {
        println!("{:#}", json::document(&machine, options.rounds, &outcomes));
    } else {
        outcomes.iter().for_each(|outcome| println!("{}", report::section(outcome)));
    }
    if options.kafka && options.only.is_empty() {
        let path = exec::root().join(PAGE);
        let page = report::page(&machine, options.rounds, &outcomes);
        std::fs::write(&path, page).map_err(|error| exec::told(&path, &error))?;
        eprintln!("written: {PAGE}");
    }
    let missed = report::missed(&outcomes);
    missed.iter().for_each(|missed| eprintln!("limit missed: {missed}"));
    if options.check && !missed.is_empty() { Err(String::new()) } else { Ok(()) }
}

fn chosen(options: &Options) -> impl Iterator<Item = &'static Case> {
    let wanted =
        |case: &&Case| options.only.is_empty() || options.only.iter().any(|name| name == case.name);
    CASES.iter().filter(wanted)
}

fn measure_all(options: &Options, lab: &Lab<'_>) -> Result<Vec<Outcome>, String> {
    let mut outcomes: Vec<Outcome> = chosen(options).map(Outcome::of).collect();
    for round in 1..=options.rounds {
        for outcome in &mut outcomes {
            for target in order(round) {
                if target == Target::Highwater || options.kafka {
                    let name = outcome.case.name;
                    eprintln!("round {round} of {}: {name}, {target:?}", options.rounds);
                    measure_one(outcome, target, lab)
                        .map_err(|message| format!("{name}, {target:?}: {message}"))?;
                }
            }
        }
    }
    lab.clear();
    Ok(outcomes)
}

/// Who comes second finds the machine as the first left it: each does in every other round.
fn order(round: usize) -> [Target; 2] {
    match round % 2 {
        1 => [Target::Highwater, Target::Kafka],
        _ => [Target::Kafka, Target::Highwater],
    }
}

fn measure_one(outcome: &mut Outcome, target: Target, lab: &Lab<'_>) -> Result<(), String> {
    let began = Instant::now();
    let values = (outcome.case.run)(lab, target)?;
    let figures = outcome.case.measures.iter().zip(&values);
    let figures = figures.map(|(m, value)| format!("{} {}", m.key, report::number(*value)));
    let figures = figures.collect::<Vec<_>>().join(", ");
    eprintln!("  {figures} in {:.0} s", began.elapsed().as_secs_f64());
    outcome.add(target, &values);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Options, String> {
        parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn options_are_read() {
        let options = parsed("--rounds 5 --only idle --no-kafka --json").unwrap();
        assert_eq!((options.rounds, options.kafka, options.json), (5, false, true));
        assert_eq!(chosen(&options).map(|case| case.name).collect::<Vec<_>>(), ["idle"]);
        assert_eq!(chosen(&parsed("").unwrap()).count(), CASES.len());
        for wrong in ["--rounds 0", "--rounds", "--only nothing", "--fast"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_of_cases_and_keys_of_measures_are_unique() {
        let unique = |mut names: Vec<&str>| {
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count);
        };
        unique(CASES.iter().map(|case| case.name).collect());
        for case in CASES {
            unique(case.measures.iter().map(|measure| measure.key).collect());
        }
    }
}

//! `cargo xtask compat`: real clients and Kafka's own tools against the built binary.
//!
//! Owns the order of the suites and the judgement; each suite is a module that starts brokers of
//! its own and returns cases. Strict: see `verdict`. Runs the same against Kafka 4.4.0, which
//! tells a fault of ours from one of the suite.

mod context;
mod crash;
mod foreign;
mod kafka_tools;
mod librdkafka;
mod reports;
mod sarama;
mod seeds;
mod tools;
mod verdict;

use crate::broker::Target;
use crate::cache::Cache;
use crate::exec;
use crate::tally::Tally;
use context::Context;
use std::time::Instant;
use verdict::{Case, Expected, Outcome};

const USAGE: &str = "\
usage: cargo xtask compat [--full] [--only SUITE]... [--target highwater|kafka]
                    [--no-build] [--list]

  --full      every suite and every case; without it the short form, in some minutes
  --only      this suite alone, in any form; may be repeated
  --target    what to test; kafka shows which cases fail there as well
  --no-build  test the release binary that is there
  --list      name the suites and end";

pub struct Suite {
    pub name: &'static str,
    pub about: &'static str,
    /// Part of the short form.
    pub short: bool,
    pub run: fn(&Context<'_>) -> Result<Vec<Case>, String>,
}

const fn suite(
    name: &'static str,
    short: bool,
    about: &'static str,
    run: fn(&Context<'_>) -> Result<Vec<Case>, String>,
) -> Suite {
    Suite { name, about, short, run }
}

const SUITES: &[Suite] = &[
    suite("kafka", true, "Kafka 4.4.0's own tools", kafka_tools::run_suite),
    suite(
        "seeds",
        true,
        "the experiments on messaging that Highwater began with",
        seeds::run_suite,
    ),
    suite(
        "librdkafka",
        true,
        "confluent-kafka (librdkafka 2.15) and kcat (2.0)",
        librdkafka::run_suite,
    ),
    suite("sarama", true, "a Go producer and consumer group ordered by key", sarama::run_suite),
    suite("kafka-python", true, "kafka-python's integration tests", foreign::kafka_python),
    suite("kgo", true, "franz-go's client tests", foreign::kgo),
    suite("kafka-go", true, "segmentio/kafka-go's tests", foreign::kafka_go),
    suite("rskafka", true, "rskafka's integration tests", foreign::rskafka),
    suite("rust-rdkafka", true, "rust-rdkafka's integration tests", foreign::rust_rdkafka),
    suite("crash", true, "kill -9 under load, then read everything back", crash::run_suite),
];

struct Options {
    full: bool,
    target: Target,
    only: Vec<String>,
    build: bool,
}

pub fn run(args: &[String]) -> Result<(), String> {
    let Some(options) = parse(args)? else { return Ok(()) };
    let tally = run_suites(&options)?;
    println!("{tally}");
    if tally.failed == 0 { Ok(()) } else { Err(String::new()) }
}

/// What `cargo xtask test` runs.
pub fn short() -> Result<Tally, String> {
    run_suites(&Options { full: false, target: Target::Highwater, only: Vec::new(), build: true })
}

fn parse(args: &[String]) -> Result<Option<Options>, String> {
    let mut options =
        Options { full: false, target: Target::Highwater, only: Vec::new(), build: true };
    let mut args = args.iter().map(String::as_str);
    while let Some(arg) = args.next() {
        match arg {
            "--full" => options.full = true,
            "--no-build" => options.build = false,
            "--only" => options.only.push(args.next().ok_or(USAGE)?.to_owned()),
            "--target" => {
                options.target = match args.next() {
                    Some("highwater") => Target::Highwater,
                    Some("kafka") => Target::Kafka,
                    _ => return Err(USAGE.to_owned()),
                }
            }
            "--list" => {
                for suite in SUITES {
                    let form = if suite.short { "short" } else { "full" };
                    println!("{:13} {form:6} {}", suite.name, suite.about);
                }
                return Ok(None);
            }
            _ => return Err(USAGE.to_owned()),
        }
    }
    if let Some(name) = options.only.iter().find(|name| SUITES.iter().all(|s| s.name != **name)) {
        return Err(format!("no suite is called {name}; `--list` names them"));
    }
    Ok(Some(options))
}

fn run_suites(options: &Options) -> Result<Tally, String> {
    if options.target == Target::Highwater && options.build {
        println!("building highwater");
        let build = ["build", "--release", "--bin", "highwater"];
        exec::shown(exec::cargo().args(build))?;
    }
    let cache = Cache::open()?;
    let chosen = |suite: &&Suite| match &options.only[..] {
        [] => options.full || suite.short,
        only => only.iter().any(|name| name == suite.name),
    };
    let mut total = Tally::default();
    let mut times = Vec::new();
    for suite in SUITES.iter().filter(chosen) {
        let began = Instant::now();
        total += run_suite(suite, options, &cache)?;
        times.push(format!("{} {:.0} s", suite.name, began.elapsed().as_secs_f64()));
    }
    println!("{}", times.join(", "));
    Ok(total)
}

fn run_suite(suite: &Suite, options: &Options, cache: &Cache) -> Result<Tally, String> {
    println!("- {}: {}", suite.name, suite.about);
    let began = Instant::now();
    let expected = Expected::load(suite.name)?;
    let left_out = expected.left_out(options.target, options.full);
    let context = Context::new(suite.name, options.target, options.full, left_out, cache)?;
    let mut cases = (suite.run)(&context)
        .unwrap_or_else(|message| vec![Case::of("the suite runs", Err(message))]);
    cases.extend(context.left_out.iter().map(|name| Case::new(name, Outcome::LeftOut)));
    if cases.is_empty() {
        cases.push(Case::of("the suite has cases", Err("none ran".to_owned())));
    }
    if options.target == Target::Highwater {
        cases.push(Case::of("the broker's log has no error", context.check_logs(&expected)));
    }
    let (tally, lines) = expected.judge(options.target, &cases);
    for line in lines {
        println!("{}", line.trim_end());
    }
    let seconds = began.elapsed().as_secs_f64();
    println!("  {}: {tally} in {seconds:.1} s (logs in {})", suite.name, context.shown_folder());
    Ok(tally)
}

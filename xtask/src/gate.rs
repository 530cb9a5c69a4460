//! `verify`, `test` and `fix`: the stages in order, the time of each, and one summary line.
//!
//! Owns the order only. `verify` never changes a file; `fix` does.

use crate::tally::Tally;
use crate::{compat, exec, layers, tidy};
use std::time::Instant;

type Stage<'a> = (&'a str, Box<dyn Fn() -> Result<Tally, String> + 'a>);

pub fn verify() -> Result<(), String> {
    run(&[
        ("format", Box::new(format_check)),
        ("clippy", Box::new(clippy)),
        ("layers", Box::new(|| report(layers::check()?))),
        ("tidy", Box::new(|| report(tidy::check()?))),
        ("tests", Box::new(tests)),
    ])
}

/// `--no-compat` leaves the compat suites out.
pub fn test(args: &[String]) -> Result<(), String> {
    let mut stages: Vec<Stage<'_>> = vec![
        ("layers", Box::new(|| report(layers::check()?))),
        ("tidy", Box::new(|| report(tidy::check()?))),
        ("tests", Box::new(tests)),
        ("optional features", Box::new(optional_features)),
    ];
    match args {
        [] => stages.push(("compat, short form", Box::new(compat::short))),
        [only] if only == "--no-compat" => {}
        _ => return Err("usage: cargo xtask test [--no-compat]".to_owned()),
    }
    run(&stages)
}

pub fn fix() -> Result<(), String> {
    exec::shown(exec::cargo().args([
        "clippy",
        "--workspace",
        "--all-targets",
        "--fix",
        "--allow-dirty",
        "--allow-staged",
    ]))?;
    exec::shown(exec::cargo().args(["fmt", "--all"]))
}

/// One check as a command of its own.
pub fn alone(name: &str, check: fn() -> Result<Vec<String>, String>) -> Result<(), String> {
    let tally = report(check()?)?;
    if tally.failed == 0 {
        println!("{name}: all well");
        return Ok(());
    }
    Err(format!("{name}: {} faults", tally.failed))
}

fn run(stages: &[Stage<'_>]) -> Result<(), String> {
    let started = Instant::now();
    let mut total = Tally::default();
    let mut times = Vec::new();
    for (at, (name, stage)) in stages.iter().enumerate() {
        println!("\n== {name} ({} of {})", at + 1, stages.len());
        let began = Instant::now();
        let tally = stage().unwrap_or_else(|message| {
            println!("{message}");
            Tally { failed: 1, ..Tally::default() }
        });
        let seconds = began.elapsed().as_secs_f64();
        println!("== {name}: {tally} in {seconds:.1} s");
        times.push(format!("{name} {seconds:.1} s"));
        total += tally;
    }
    println!("\n{}; in all {:.1} s", times.join(", "), started.elapsed().as_secs_f64());
    println!("{total}");
    if total.failed > 0 { Err(String::new()) } else { Ok(()) }
}

fn report(faults: Vec<String>) -> Result<Tally, String> {
    for fault in &faults {
        println!("{fault}");
    }
    Ok(Tally::of_check(faults.len()))
}

fn format_check() -> Result<Tally, String> {
    exec::shown(exec::cargo().args(["fmt", "--all", "--check"]))?;
    Ok(Tally::of_check(0))
}

fn clippy() -> Result<Tally, String> {
    let lints = ["--", "-D", "warnings"];
    exec::shown(exec::cargo().args(["clippy", "--workspace", "--all-targets"]).args(lints))?;
    Ok(Tally::of_check(0))
}

/// Nothing else compiles them.
fn optional_features() -> Result<Tally, String> {
    exec::shown(exec::cargo().args(["check", "-p", "highwater-cli", "--all-features"]))?;
    Ok(Tally::of_check(0))
}

fn tests() -> Result<Tally, String> {
    let mut command = exec::cargo();
    command.args(["test", "--workspace", "--no-fail-fast"]);
    println!("$ {}", exec::words(&command));
    let (output, well) = exec::shown_and_kept(&mut command)?;
    let mut tally = Tally::read_libtest(&output);
    if !well && tally.failed == 0 {
        // It did not compile, or a test binary died.
        tally.failed = 1;
    }
    Ok(tally)
}

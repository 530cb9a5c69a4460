//! The developer commands: parses the command's name and hands over.
//!
//! Owns no rule of its own. Called as `cargo xtask <command>`; `cargo xtask help` prints the list.

mod bench;
mod broker;
mod cache;
mod compat;
mod exec;
mod gate;
mod layers;
mod schema;
mod tally;
mod tidy;

const USAGE: &str = "\
usage: cargo xtask <command>

  verify        format, clippy, layers, tidy and tests; changes nothing
  test          tests, layers, tidy, then the short compat suites (what CI runs)
  fix           format and apply clippy's suggestions
  layers        check which crate may use which, and that the pure crates are blind
  tidy          check the text of the sources and documents
  compat        real clients and Kafka's own tools against the built binary; --help
  bench start   start-up, memory and throughput beside Kafka 4.4.0; bench --help
  schema DIR    import the message schemas of a Kafka release";

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let rest = args.get(1..).unwrap_or_default();
    let outcome = match args.first().map(String::as_str) {
        Some("verify") => gate::verify(),
        Some("test") => gate::test(rest),
        Some("fix") => gate::fix(),
        Some("layers") => gate::alone("layers", layers::check),
        Some("tidy") => gate::alone("tidy", tidy::check),
        Some("compat") => compat::run(rest),
        Some("bench") => bench::run(rest),
        Some("bench-start") => bench::run(&["start".to_owned()]),
        Some("schema") => schema::run(rest),
        Some("help" | "--help" | "-h") => {
            println!("{USAGE}");
            Ok(())
        }
        _ => Err(USAGE.to_owned()),
    };
    if let Err(message) = outcome {
        eprintln!("{message}");
        std::process::exit(1);
    }
}

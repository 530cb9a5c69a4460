//! The developer commands: parses the command's name and hands over.

mod schema;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match args.first().map(String::as_str) {
        Some("schema") => schema::run(&args[1..]),
        _ => Err("usage: cargo xtask schema <folder>".to_owned()),
    };
    if let Err(message) = outcome {
        eprintln!("{message}");
        std::process::exit(1);
    }
}

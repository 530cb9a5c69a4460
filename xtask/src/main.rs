fn main() {
    eprintln!("usage: cargo xtask <command>");
}

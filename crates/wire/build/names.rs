//! Rust names for Kafka's names.

pub use crate::snake::snake;

/// A field's name, made raw where Rust has the word for itself.
pub fn field(name: &str) -> String {
    let name = snake(name);
    match name.as_str() {
        "type" | "match" | "ref" | "use" | "in" | "where" | "impl" | "move" | "self" => {
            format!("r#{name}")
        }
        _ => name,
    }
}

pub fn constant(name: &str) -> String {
    snake(name).to_uppercase()
}

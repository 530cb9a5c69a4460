//! Text to value and back, by the rules that properties files follow elsewhere (Java's).
//!
//! Owns number syntax, list splitting and the text of doubles. Refuses ranges (`check`).

use crate::error::ConfigError;
use crate::setting::{Kind, Setting, Value};

/// Reads `text` as the setting's kind, without its range check. Blanks around it are dropped.
pub(crate) fn parse_value(setting: &Setting, text: &str) -> Result<Value, ConfigError> {
    let trimmed = java_trim(text);
    let not_a = |expected: &'static str| ConfigError::NotA {
        name: setting.name.into(),
        value: text.into(),
        kind: setting.kind.name(),
        expected,
    };
    Ok(match setting.kind {
        Kind::Bool if trimmed.eq_ignore_ascii_case("true") => Value::Bool(true),
        Kind::Bool if trimmed.eq_ignore_ascii_case("false") => Value::Bool(false),
        Kind::Bool => return Err(not_a("write true or false")),
        Kind::Int => Value::Int(trimmed.parse().map_err(|_| not_a(WHOLE_32))?),
        Kind::Short => Value::Short(trimmed.parse().map_err(|_| not_a(WHOLE_16))?),
        Kind::Long => Value::Long(trimmed.parse().map_err(|_| not_a(WHOLE_64))?),
        Kind::Double => Value::Double(parse_double(trimmed).ok_or_else(|| not_a(NUMBER))?),
        Kind::String | Kind::Class | Kind::Password => Value::Text(trimmed.to_owned()),

        Kind::List => Value::List(split_list(trimmed)),
    })
}

const WHOLE_16: &str = "write a whole number from -32768 to 32767";
const WHOLE_32: &str = "write a whole number from -2147483648 to 2147483647";
const WHOLE_64: &str = "write a whole number of at most 64 bits";
const NUMBER: &str = "write a number such as 0.5";

/// Items between commas, blanks around each dropped. An empty text has no items.
pub(crate) fn split_list(text: &str) -> Vec<String> {
    let text = java_trim(text);
    if text.is_empty() {
        return Vec::new();
    }
    text.split(',').map(|item| java_trim(item).to_owned()).collect()
}

/// Blanks are what is not above U+0020: a no-break space is not one.
fn java_trim(text: &str) -> &str {
    text.trim_matches(|c| c <= ' ')
}

/// Java also takes a type suffix (`0.5d`).
fn parse_double(text: &str) -> Option<f64> {
    let digits = text.strip_suffix(['d', 'D', 'f', 'F']).unwrap_or(text);
    digits.parse().ok()
}

/// A double as Java prints it: `0.5`, `1.0`, `1.7976931348623157E308`.
pub(crate) fn java_double(n: f64) -> String {
    let size = n.abs();
    if n.is_nan() {
        return "NaN".into();
    }
    if n.is_infinite() {
        return if n > 0.0 { "Infinity".into() } else { "-Infinity".into() };
    }
    if size == 0.0 || (1e-3..1e7).contains(&size) {
        return format!("{n:?}");
    }
    let text = format!("{n:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let point = if digits.contains('.') { "" } else { ".0" };
    format!("{digits}{point}E{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_print_as_java_does() {
        for (n, want) in [
            (0.5, "0.5"),
            (1.0, "1.0"),
            (0.0, "0.0"),
            (f64::MAX, "1.7976931348623157E308"),
            (1e7, "1.0E7"),
            (123_456.0, "123456.0"),
            (0.000_12, "1.2E-4"),
        ] {
            assert_eq!(java_double(n), want);
        }
    }

    #[test]
    fn lists_split_at_commas() {
        assert_eq!(split_list(" a , b,c "), ["a", "b", "c"]);
        assert_eq!(split_list("a,,"), ["a", "", ""]);
        assert!(split_list("  ").is_empty());
    }
}

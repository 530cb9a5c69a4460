//! Where to begin to read: `beginning`, `end`, an offset, the last N, or a time.

use std::fmt;
use std::str::FromStr;

use super::time;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    Beginning,
    End,
    Offset(i64),
    /// So many before the end.
    Last(i64),
    /// The first record at or after it.
    Time(i64),
}

impl FromStr for Position {
    type Err = String;

    fn from_str(text: &str) -> Result<Position, String> {
        match text {
            "beginning" | "earliest" | "start" => return Ok(Position::Beginning),
            "end" | "latest" => return Ok(Position::End),
            _ => {}
        }
        if let Some(when) = text.strip_prefix('@') {
            let bad = || format!("{when} is no time: milliseconds, or 2026-11-30T12:00:00Z");
            return time::parse_ms(when).map(Position::Time).ok_or_else(bad);
        }
        match text.parse::<i64>() {
            Ok(offset) if offset >= 0 && !text.starts_with('-') => Ok(Position::Offset(offset)),
            Ok(before) if before > i64::MIN => Ok(Position::Last(-before)),
            _ => Err("expected beginning, end, OFFSET, -COUNT or @TIME".to_owned()),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Position::Beginning => f.write_str("beginning"),
            Position::End => f.write_str("end"),
            Position::Offset(offset) => write!(f, "{offset}"),
            Position::Last(count) => write!(f, "-{count}"),
            Position::Time(ms) => write!(f, "@{}", time::format_ms(*ms)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form() {
        for (text, expected) in [
            ("beginning", Position::Beginning),
            ("earliest", Position::Beginning),
            ("end", Position::End),
            ("0", Position::Offset(0)),
            ("42", Position::Offset(42)),
            ("-5", Position::Last(5)),
            ("-0", Position::Last(0)),
            ("@1764547200000", Position::Time(1_764_547_200_000)),
            ("@2025-12-01", Position::Time(1_764_547_200_000)),
        ] {
            assert_eq!(text.parse(), Ok(expected), "{text}");
            assert_eq!(expected.to_string().parse(), Ok(expected), "{text}");
        }
        for text in ["", "middle", "@", "@x", "1.5", "-9223372036854775808", "--1"] {
            assert!(text.parse::<Position>().is_err(), "{text}");
        }
    }
}

//! Why bytes are not a message, and why a message has no bytes.

use std::fmt;

/// The bytes do not hold the message they should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecodeError {
    pub problem: Problem,
    /// Bytes from the start of the frame to where the reader stood.
    pub position: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// The frame ends before the field does.
    Truncated { needed: usize, remaining: usize },
    /// Null where the version does not allow it.
    UnexpectedNull,
    /// A length below -1, or one longer than the field may be.
    BadLength(i64),
    /// More entries than the rest of the frame could hold.
    TooManyEntries { claimed: usize, remaining: usize },
    /// The decoded value would take far more memory than the frame that describes it.
    OverBudget,
    /// A varint that does not end in time.
    BadVarint,
    /// Tags must rise strictly.
    TagOrder { tag: u32, after: u32 },
    /// A tagged field is longer or shorter than its content.
    TagLength { tag: u32 },
    /// The message has no such version.
    UnsupportedVersion { message: &'static str, version: i16 },
    /// No API has this key, or none any more.
    UnknownApiKey(i16),
    /// No metadata record or frame has this number.
    UnknownRecord(u32),
    /// Bytes behind a message that must end with its frame.
    LeftOver(usize),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Truncated { needed, remaining } => {
                write!(f, "a field needs {needed} bytes where {remaining} remain")
            }
            Problem::UnexpectedNull => f.write_str("null in a field that cannot be null"),
            Problem::BadLength(length) => write!(f, "length {length}"),
            Problem::TooManyEntries { claimed, remaining } => {
                write!(f, "{claimed} entries claimed where {remaining} bytes remain")
            }
            Problem::OverBudget => f.write_str("the message unpacks to too much memory"),
            Problem::BadVarint => f.write_str("a varint of more than five bytes"),
            Problem::TagOrder { tag, after } => write!(f, "tag {tag} comes after tag {after}"),
            Problem::TagLength { tag } => write!(f, "tag {tag} does not fill its length"),
            Problem::UnsupportedVersion { message, version } => {
                write!(f, "{message} has no version {version}")
            }
            Problem::UnknownApiKey(key) => write!(f, "no API has key {key}"),
            Problem::UnknownRecord(number) => write!(f, "no record has number {number}"),
            Problem::LeftOver(bytes) => write!(f, "{bytes} bytes follow the message"),
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at byte {})", self.problem, self.position)
    }
}

impl std::error::Error for DecodeError {}

/// The message cannot be said in this version, or at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EncodeError {
    UnsupportedVersion {
        message: &'static str,
        version: i16,
    },
    /// A field is set that the version lacks, and that must not be dropped silently.
    FieldLacking {
        field: &'static str,
        version: i16,
    },
    /// Null in a field that cannot be null in this version.
    UnexpectedNull {
        field: &'static str,
        version: i16,
    },
    /// A string, array or byte string is longer than its length can say.
    TooLong(usize),
    /// Unknown tags do not rise strictly, or take the number of a known one.
    TagOrder(u32),
}

impl EncodeError {
    #[cold]
    pub(crate) fn lacks(field: &'static str, version: i16) -> Self {
        EncodeError::FieldLacking { field, version }
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EncodeError::UnsupportedVersion { message, version } => {
                write!(f, "{message} has no version {version}")
            }
            EncodeError::FieldLacking { field, version } => {
                write!(f, "version {version} has no {field}, and it is set")
            }
            EncodeError::UnexpectedNull { field, version } => {
                write!(f, "{field} cannot be null in version {version}")
            }
            EncodeError::TooLong(length) => write!(f, "{length} is too long for its field"),
            EncodeError::TagOrder(tag) => write!(f, "tag {tag} is out of order"),
        }
    }
}

impl std::error::Error for EncodeError {}

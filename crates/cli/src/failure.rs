//! Why a command ended without doing its work, in words for the person who typed it.
//!
//! Owns the exit codes. Every command gives one of these; `main` prints it, once.

use std::fmt;
use std::process::ExitCode;

/// What the shell sees. Wrong usage is 2, which `clap` gives by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The work was tried and not done.
    Failed,
    /// The arguments do not fit together.
    Usage,
    /// No broker answered.
    Unreachable,
    /// The reader of standard output has gone, as `head` does.
    ClosedPipe,
}

/// One line: what happened, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    kind: Kind,
    message: String,
}

pub type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    pub fn new(message: impl fmt::Display) -> Failure {
        Failure { kind: Kind::Failed, message: message.to_string() }
    }

    pub fn usage(message: impl fmt::Display) -> Failure {
        Failure { kind: Kind::Usage, message: message.to_string() }
    }

    pub fn unreachable(message: impl fmt::Display) -> Failure {
        Failure { kind: Kind::Unreachable, message: message.to_string() }
    }

    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self.kind {
            Kind::Failed | Kind::ClosedPipe => 1,
            Kind::Usage => 2,
            Kind::Unreachable => 3,
        })
    }

    pub fn is_unreachable(&self) -> bool {
        self.kind == Kind::Unreachable
    }

    pub fn is_closed_pipe(&self) -> bool {
        self.kind == Kind::ClosedPipe
    }

    /// The same failure with what was being done in front.
    #[must_use]
    pub fn during(self, what: impl fmt::Display) -> Failure {
        Failure { kind: self.kind, message: format!("{what}: {}", self.message) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// Standard output and other files that a command writes to.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        let kind = match error.kind() {
            std::io::ErrorKind::BrokenPipe => Kind::ClosedPipe,
            _ => Kind::Failed,
        };
        Failure { kind, message: error.to_string() }
    }
}

//! The form of a case, and how a table of cases is checked.

use std::fmt;
use std::thread;
use std::time::{Duration, Instant};

use highwater_testkit::{BrokerProcess, Wire, WireError};
use highwater_wire::{ErrorCode, Request, Str};

use crate::shared;

const SETTLED_WITHIN: Duration = Duration::from_secs(20);

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Code(ErrorCode),
    /// With an answer that is not looked into.
    Answered,
    Closed,
    NoAnswer,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Code(code) => f.write_str(code.name()),
            other => write!(f, "{other:?}"),
        }
    }
}

/// What a case brought about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    end: End,
    message: Option<Str>,
    details: Vec<(&'static str, i64)>,
}

impl Outcome {
    pub fn code(code: i16) -> Outcome {
        Outcome::of(End::Code(ErrorCode(code)))
    }

    pub fn of(end: End) -> Outcome {
        Outcome { end, message: None, details: Vec::new() }
    }

    pub fn saying(self, message: Option<Str>) -> Outcome {
        Outcome { message, ..self }
    }

    pub fn with(mut self, name: &'static str, value: i64) -> Outcome {
        self.details.push((name, value));
        self
    }

    fn is_explained(&self) -> bool {
        self.message.as_deref().is_some_and(|message| !message.is_empty())
    }
}

/// What a case should bring about.
pub struct Expected {
    end: End,
    kafka: End,
    is_explained: bool,
    details: Vec<(&'static str, i64)>,
}

impl From<End> for Expected {
    fn from(end: End) -> Expected {
        Expected { end, kafka: end, is_explained: false, details: Vec::new() }
    }
}

impl From<ErrorCode> for Expected {
    fn from(code: ErrorCode) -> Expected {
        End::Code(code).into()
    }
}

/// This code, with a message.
pub fn says(code: ErrorCode) -> Expected {
    Expected { is_explained: true, ..code.into() }
}

/// This code, where Kafka's answer is not worth imitating.
pub fn not_as_kafka(code: ErrorCode, kafka: End) -> Expected {
    Expected { kafka, ..code.into() }
}

/// Kafka takes it; transactions are refused while they are not served.
pub fn no_transactions() -> Expected {
    not_as_kafka(ErrorCode::TRANSACTIONAL_ID_AUTHORIZATION_FAILED, End::Code(ErrorCode::NONE))
}

impl Expected {
    pub fn with(mut self, name: &'static str, value: i64) -> Expected {
        self.details.push((name, value));
        self
    }
}

/// What the closures of one table share.
pub struct Bench<S> {
    pub broker: shared::Shared,
    pub wire: Wire,
    pub state: S,
}

impl<S> Bench<S> {
    /// Sends; after a failure the next request has a new connection.
    pub fn call<R: Request>(
        &mut self,
        version: i16,
        request: &R,
    ) -> Result<R::Response, WireError> {
        let answer = self.wire.try_call(version, request);
        if answer.is_err() {
            self.wire = self.broker.connect();
        }
        answer
    }
}

impl<S> Bench<S> {
    /// Kafka's coordinator of transactions begins when it is first asked for: asks until it says
    /// something final.
    pub fn until_final(
        &mut self,
        mut ask: impl FnMut(&mut Self) -> Result<Outcome, WireError>,
    ) -> Result<Outcome, WireError> {
        let deadline = Instant::now() + SETTLED_WITHIN;
        loop {
            let outcome = ask(self)?;
            match outcome.end {
                End::Code(code) if code.is_retriable() && Instant::now() < deadline => {
                    thread::sleep(Duration::from_millis(50));
                }
                _ => return Ok(outcome),
            }
        }
    }
}

type Send<S> = Box<dyn Fn(&mut Bench<S>) -> Result<Outcome, WireError>>;

pub struct Case<S> {
    pub name: String,
    expected: Expected,
    send: Send<S>,
}

pub fn case<S, F>(name: impl Into<String>, expected: impl Into<Expected>, send: F) -> Case<S>
where
    F: Fn(&mut Bench<S>) -> Result<Outcome, WireError> + 'static,
{
    Case { name: name.into(), expected: expected.into(), send: Box::new(send) }
}

/// Runs the cases in order, and tells of all that went wrong.
pub fn check<S>(prepare: impl FnOnce(&mut Wire) -> S, cases: Vec<Case<S>>) {
    let broker = shared::broker();
    let mut wire = broker.connect();
    let state = prepare(&mut wire);
    let mut bench = Bench { broker, wire, state };
    let mut wrong = Vec::new();
    for case in cases {
        let outcome = match (case.send)(&mut bench) {
            Ok(outcome) => outcome,
            Err(WireError::Closed) => Outcome::of(End::Closed),
            Err(WireError::NoAnswer) => Outcome::of(End::NoAnswer),
            Err(unreadable) => panic!("{}: {unreadable}", case.name),
        };
        if let Err(why) = judge(&bench.broker, &case.expected, &outcome) {
            wrong.push(format!("{}: {why}; {outcome:?}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{} went wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn judge(broker: &BrokerProcess, expected: &Expected, outcome: &Outcome) -> Result<(), String> {
    let end = if broker.is_kafka() { expected.kafka } else { expected.end };
    if outcome.end != end {
        return Err(format!("{end} was expected, {} came", outcome.end));
    }
    // Words where Kafka has none do no harm, but the table must not claim them.
    if expected.is_explained && !outcome.is_explained() {
        return Err("an explanation was expected".into());
    }
    if broker.is_kafka() && outcome.is_explained() != expected.is_explained {
        return Err("Kafka explains this".into());
    }
    let differs = |(name, value): &(&'static str, i64)| !outcome.details.contains(&(*name, *value));
    match expected.details.iter().find(|detail| differs(detail)) {
        Some(detail) if expected.kafka == expected.end || !broker.is_kafka() => {
            Err(format!("{detail:?} was expected"))
        }
        _ => Ok(()),
    }
}

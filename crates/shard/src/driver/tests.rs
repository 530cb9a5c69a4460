//! Event → exact effects, on a small shard: a sum with waiters.

use highwater_types::{LeaderEpoch, Mono, Offset, SplitMix, Timestamp};

use super::{Driver, Effect, Event};
use crate::{Cx, Decision, Input, Shard, TimerOp, Token, Unavailable};

#[derive(Default)]
struct Sum {
    total: i64,
    waiters: Vec<Token>,
}

enum Ask {
    /// Adds the numbers, one record each, and answers the sum.
    Add(&'static [i64]),
    Read,
    /// Is answered when the alarm rings, in so many milliseconds.
    Wait(u64),
    /// Answers whoever waits, and stops the alarm.
    Cancel,
    /// Rings and arms itself anew for the same moment, for ever.
    Spin,
}

enum Soft {
    Park(Token),
    Clear,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Alarm {
    Ring,
    Spin,
}

impl Sum {
    fn answer_waiters(&self, decision: &mut Decision<Sum>) {
        decision.replies = self.waiters.iter().map(|token| (*token, self.total)).collect();
        decision.soft.push(Soft::Clear);
    }
}

impl Shard for Sum {
    type Request = Ask;
    type Record = i64;
    type Reply = i64;
    type Soft = Soft;
    type Timer = Alarm;
    type View = ();

    fn decide(&self, input: Input<Self>, cx: &mut Cx<'_, ()>) -> Decision<Self> {
        let mut decision = Decision::default();
        match input {
            Input::Request(token, Ask::Read) => return Decision::reply(token, self.total),
            Input::Request(token, Ask::Add(numbers)) => {
                decision.records = numbers.to_vec();
                decision.replies = vec![(token, self.total + numbers.iter().sum::<i64>())];
            }
            Input::Request(token, Ask::Wait(ms)) => {
                decision.soft.push(Soft::Park(token));
                decision.timers.push(TimerOp::Arm(Alarm::Ring, cx.mono.plus_ms(ms)));
            }
            Input::Request(token, Ask::Cancel) => {
                self.answer_waiters(&mut decision);
                decision.replies.push((token, 0));
                decision.timers.push(TimerOp::Disarm(Alarm::Ring));
            }
            Input::Request(token, Ask::Spin) => {
                decision.timers.push(TimerOp::Arm(Alarm::Spin, cx.mono));
                decision.replies = vec![(token, 0)];
            }
            Input::Timer(Alarm::Ring) => self.answer_waiters(&mut decision),
            Input::Timer(Alarm::Spin) => {
                decision.records = vec![1];
                decision.timers.push(TimerOp::Arm(Alarm::Spin, cx.mono));
            }
        }
        decision
    }

    fn replay(&mut self, _offset: Offset, record: &i64) {
        self.total += record;
    }

    fn on_soft(&mut self, event: Soft) {
        match event {
            Soft::Park(token) => self.waiters.push(token),
            Soft::Clear => self.waiters.clear(),
        }
    }

    /// A new leader begins with a mark in the log.
    fn on_lead(&self, epoch: LeaderEpoch, _cx: &mut Cx<'_, ()>) -> Decision<Self> {
        let records = if epoch.get() > 1 { vec![0] } else { Vec::new() };
        Decision { records, ..Decision::default() }
    }

    fn unavailable(request: Option<&Ask>, why: Unavailable) -> i64 {
        let taken_in = if request.is_none() { 10 } else { 0 };
        -(taken_in
            + match why {
                Unavailable::Loading => 1,
                Unavailable::NotLeader => 2,
                Unavailable::AppendFailed => 3,
            })
    }

    fn emptied(&self) -> Self {
        Sum::default()
    }
}

struct Bench {
    driver: Driver<Sum>,
    mono: u64,
}

impl Bench {
    fn idle() -> Self {
        Bench { driver: Driver::new(Sum::default()), mono: 0 }
    }

    /// In charge, of a log that holds one record: 5.
    fn leading() -> Self {
        let mut bench = Bench::idle();
        bench.check(Event::Lead(LeaderEpoch(1)), &["load"]);
        bench.check(Event::Loaded(Offset(0), 5), &[]);
        bench.check(load_ended(1, 1), &[]);
        bench
    }

    fn check(&mut self, event: Event<Sum>, expected: &[&str]) {
        let mut effects = Vec::new();
        let mut entropy = SplitMix::new(0);
        let (now, mono) = (Timestamp(0), Mono(self.mono));
        let mut cx = Cx { now, mono, entropy: &mut entropy, view: &() };
        self.driver.on(event, &mut cx, &mut effects);
        let shown: Vec<String> = effects.iter().map(show).collect();
        assert_eq!(shown, expected);
    }

    fn ask(&mut self, token: u64, ask: Ask, expected: &[&str]) {
        self.check(Event::Request(Token(token), ask), expected);
    }
}

fn show(effect: &Effect<Sum>) -> String {
    match effect {
        Effect::Append { at, epoch, records } => format!("append at {at} in {epoch}: {records:?}"),
        Effect::Reply(Token(token), reply) => format!("reply to {token}: {reply}"),
        Effect::Load => "load".into(),
    }
}

fn load_ended(log_end: i64, committed: i64) -> Event<Sum> {
    Event::LoadEnded { log_end: Offset(log_end), committed: Offset(committed) }
}

#[test]
fn a_reply_waits_for_its_records() {
    let mut b = Bench::leading();
    b.ask(1, Ask::Add(&[2, 3]), &["append at 1 in 1: [2, 3]"]);
    b.check(Event::CommittedTo(Offset(2)), &[]);
    b.check(Event::CommittedTo(Offset(3)), &["reply to 1: 10"]);
}

#[test]
fn decisions_are_pipelined_and_reads_wait_for_what_they_saw() {
    let mut b = Bench::leading();
    b.ask(1, Ask::Read, &["reply to 1: 5"]);
    b.ask(2, Ask::Add(&[1]), &["append at 1 in 1: [1]"]);
    b.ask(3, Ask::Add(&[1]), &["append at 2 in 1: [1]"]);
    b.ask(4, Ask::Read, &[]);
    b.check(Event::CommittedTo(Offset(2)), &["reply to 2: 6"]);
    b.check(Event::CommittedTo(Offset(3)), &["reply to 3: 7", "reply to 4: 7"]);
    b.ask(5, Ask::Read, &["reply to 5: 7"]);
    assert_eq!(b.driver.next_offset(), Offset(3));
}

#[test]
fn the_watermark_never_goes_back() {
    let mut b = Bench::leading();
    b.ask(1, Ask::Add(&[1]), &["append at 1 in 1: [1]"]);
    b.check(Event::CommittedTo(Offset(2)), &["reply to 1: 6"]);
    b.check(Event::CommittedTo(Offset(0)), &[]);
    b.ask(2, Ask::Read, &["reply to 2: 6"]);
}

#[test]
fn what_is_loaded_but_not_committed_is_not_shown() {
    let mut b = Bench::idle();
    b.check(Event::Lead(LeaderEpoch(1)), &["load"]);
    b.check(Event::Loaded(Offset(0), 5), &[]);
    b.check(load_ended(1, 0), &[]);
    b.ask(1, Ask::Read, &[]);
    b.check(Event::CommittedTo(Offset(1)), &["reply to 1: 5"]);
}

#[test]
fn a_new_leader_may_write_at_once() {
    let mut b = Bench::idle();
    b.check(Event::Lead(LeaderEpoch(2)), &["load"]);
    b.check(load_ended(7, 7), &["append at 7 in 2: [0]"]);
    b.ask(1, Ask::Read, &[]);
    b.check(Event::CommittedTo(Offset(8)), &["reply to 1: 0"]);
}

#[test]
fn who_is_not_in_charge_says_so() {
    let mut b = Bench::idle();
    b.ask(1, Ask::Read, &["reply to 1: -2"]);
    b.check(Event::Lead(LeaderEpoch(1)), &["load"]);
    b.ask(2, Ask::Read, &["reply to 2: -1"]);
    assert!(!b.driver.is_leading());
    b.check(load_ended(0, 0), &[]);
    assert!(b.driver.is_leading());
    b.ask(3, Ask::Read, &["reply to 3: 0"]);
}

#[test]
fn resigning_answers_all_that_wait() {
    let mut b = Bench::leading();
    b.ask(1, Ask::Add(&[1]), &["append at 1 in 1: [1]"]);
    b.ask(2, Ask::Wait(50), &[]);
    b.check(Event::Resign, &["reply to 1: -12", "reply to 2: -12"]);
    assert_eq!(b.driver.next_timer(), None);
    b.check(Event::CommittedTo(Offset(2)), &[]);
    b.check(Event::AppendFailed(Offset(1)), &[]);
    b.ask(3, Ask::Read, &["reply to 3: -2"]);
}

#[test]
fn a_failed_append_starts_over_from_the_log() {
    let mut b = Bench::leading();
    b.ask(1, Ask::Add(&[1]), &["append at 1 in 1: [1]"]);
    b.ask(2, Ask::Add(&[1]), &["append at 2 in 1: [1]"]);
    b.ask(3, Ask::Wait(50), &[]);
    b.check(
        Event::AppendFailed(Offset(1)),
        &["reply to 1: -13", "reply to 2: -13", "reply to 3: -13", "load"],
    );
    b.check(Event::AppendFailed(Offset(2)), &[]);
    b.ask(4, Ask::Read, &["reply to 4: -1"]);
    b.check(Event::Loaded(Offset(0), 5), &[]);
    b.check(load_ended(1, 1), &[]);
    b.ask(5, Ask::Add(&[1]), &["append at 1 in 1: [1]"]);
    b.check(Event::CommittedTo(Offset(2)), &["reply to 5: 6"]);
}

#[test]
fn a_new_epoch_starts_over_too() {
    let mut b = Bench::leading();
    b.ask(1, Ask::Wait(50), &[]);
    b.check(Event::Lead(LeaderEpoch(3)), &["reply to 1: -12", "load"]);
    b.check(Event::Loaded(Offset(0), 5), &[]);
    b.check(load_ended(1, 1), &["append at 1 in 3: [0]"]);
}

#[test]
fn timers_ring_when_due_and_only_once() {
    let mut b = Bench::leading();
    b.ask(1, Ask::Wait(50), &[]);
    assert_eq!(b.driver.next_timer(), Some(Mono(50)));
    b.mono = 49;
    b.check(Event::Tick, &[]);
    b.mono = 50;
    b.check(Event::Tick, &["reply to 1: 5"]);
    b.check(Event::Tick, &[]);
    assert_eq!(b.driver.next_timer(), None);
}

#[test]
fn arming_again_moves_a_timer_and_disarming_stops_it() {
    let mut b = Bench::leading();
    b.ask(1, Ask::Wait(50), &[]);
    b.ask(2, Ask::Wait(80), &[]);
    b.mono = 60;
    b.check(Event::Tick, &[]);
    b.ask(3, Ask::Cancel, &["reply to 1: 5", "reply to 2: 5", "reply to 3: 0"]);
    assert_eq!(b.driver.next_timer(), None);
    b.mono = 100;
    b.check(Event::Tick, &[]);
}

#[test]
fn a_timer_that_rearms_itself_does_not_hold_the_shard() {
    let mut b = Bench::leading();
    b.ask(1, Ask::Spin, &["reply to 1: 0"]);
    b.check(Event::Tick, &["append at 1 in 1: [1]"]);
    b.check(Event::Tick, &["append at 2 in 1: [1]"]);
}

#[test]
#[should_panic(expected = "one-reply")]
fn a_second_answer_is_a_bug() {
    let mut b = Bench::leading();
    b.ask(1, Ask::Read, &["reply to 1: 5"]);
    // The shard is made to believe that it has not answered.
    b.driver.shard.waiters.push(Token(1));
    b.ask(2, Ask::Cancel, &[]);
}

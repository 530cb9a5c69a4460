//! A static member that is replaced by another with the same instance id.

use highwater_testkit::groups::{join, member_of};
use highwater_testkit::{Member, Topic, Wire, unique};
use highwater_wire::ErrorCode;
use highwater_wire::messages::HeartbeatRequest;

use super::case::{Bench, Case, Expected, Outcome, case, check};

const INSTANCE: Option<&str> = Some("i1");

pub struct State {
    topic: Topic,
    group: String,
    /// Joined first, alone.
    old: Member,
    /// Took its place; set by the first case.
    new: Option<Member>,
}

type Run = Bench<State>;

#[test]
fn static_members() {
    let prepare = |wire: &mut Wire| {
        let group = unique("static");
        let old = wire.join_alone(&group, INSTANCE);
        State { topic: wire.new_topic(1, &[]), group, old, new: None }
    };
    check(prepare, cases());
}

fn of_old(label: &str, send: impl Fn(&mut Run, &Member) -> i16 + 'static) -> Case<State> {
    let send = move |b: &mut Run| {
        let old = b.state.old.clone();
        Ok(Outcome::code(send(b, &old)))
    };
    case(format!("static member: {label}"), ErrorCode::FENCED_INSTANCE_ID, send)
}

pub fn cases() -> Vec<Case<State>> {
    let replaced = Expected::from(ErrorCode::NONE);
    vec![
        case(
            "static member: the same instance joins again (replaces, no rebalance)",
            replaced.with("same_generation", 1).with("new_member_id", 1),
            |b: &mut Run| {
                let answer = b.call(9, &join(&b.state.group, "", INSTANCE))?;
                let new = member_of(&b.state.group, INSTANCE, &answer);
                let old = &b.state.old;
                let outcome = Outcome::code(answer.error_code)
                    .with("same_generation", (new.generation == old.generation).into())
                    .with("new_member_id", (new.id != old.id).into());
                b.state.new = Some(new);
                Ok(outcome)
            },
        ),
        of_old("heartbeat of the replaced one", |b, old| b.wire.heartbeat(old).0),
        of_old("sync of the replaced one", |b, old| b.wire.sync(old, &[]).error_code),
        of_old("commit of the replaced one", |b, old| {
            let request = old.commit(&b.state.topic.name, 0, 1);
            b.wire.commit(&request).0
        }),
        of_old("join of the replaced one with its old member id", |b, old| {
            b.wire.call(9, &join(&old.group, &old.id, INSTANCE)).error_code
        }),
        case(
            "static member: heartbeat with unknown instance id",
            ErrorCode::UNKNOWN_MEMBER_ID,
            |b: &mut Run| {
                let new = b.state.new.as_ref().expect("the first case was sent");
                let beat =
                    HeartbeatRequest { group_instance_id: Some("i9".into()), ..new.heartbeat() };
                Ok(Outcome::code(b.call(4, &beat)?.error_code))
            },
        ),
    ]
}

//! The schema's notation: what the build script takes, and what it refuses.

#[path = "../build/notation.rs"]
#[expect(dead_code, reason = "the build script uses the rest")]
mod notation;
#[path = "../build/versions.rs"]
#[expect(dead_code, reason = "the build script uses the rest")]
mod versions;

use notation::{Kind, Message, Type, parse};
use versions::{Condition, Versions};

fn one(text: &str) -> Message {
    let mut messages = parse(text).unwrap();
    assert_eq!(messages.len(), 1);
    messages.remove(0)
}

fn check_refused(text: &str, why: &str) {
    let refused = parse(text).unwrap_err();
    assert!(refused.contains(why), "{refused}");
}

#[test]
fn a_message() {
    let message =
        one("request PingRequest key 7 versions 1-4 flexible 3+ on broker controller\n  \
         Text string?2+ = null\n  \
         Parts []Part 3+ tag 0 ignorable\n    \
         Id uuid 3-3\n");
    assert_eq!((message.kind, message.key), (Kind::Request, Some(7)));
    assert_eq!(message.valid, Some(Versions { first: 1, last: 4 }));
    assert_eq!(message.listeners, ["broker", "controller"]);
    let [text, parts] = message.structs[0].fields.as_slice() else { panic!("two fields") };
    assert_eq!(text.nullable, Some(Versions { first: 2, last: 4 }));
    assert_eq!(text.default.as_deref(), Some("null"));
    assert_eq!(parts.ty, Type::Array(Box::new(Type::Struct("Part".into()))));
    assert_eq!(parts.tag, Some((0, Versions { first: 3, last: 4 })));
    assert!(parts.ignorable);
    assert_eq!(message.structs[1].reach, Versions { first: 3, last: 4 });
}

#[test]
fn a_shared_structure_reaches_wherever_it_is_named() {
    let message = one("data D versions 0-9\n  A []S 1-2\n  B S? 5-6\n  struct S\n    X int8\n");
    assert_eq!(message.structs[1].reach, Versions { first: 1, last: 6 });
}

#[test]
fn refusals() {
    check_refused("request R versions x", "not versions");
    check_refused("thing T versions 0", "unknown kind");
    check_refused("data D versions 0\n  A S", "no structure S");
    check_refused("data D versions 0\n  A int8\n  struct S\n    X int8", "not used");
    check_refused("data D versions 0\n  A []S\n  struct S\n    B []S", "holds itself");
    check_refused("data D versions 0\n  A int8 1+", "never");
    check_refused("data D versions 0\n  A int8 soon", "unexpected soon");
    check_refused("data D versions 0\n      A int8", "indented");
    check_refused("data D versions 0\n  A int8\n    B int8", "not a structure");
}

#[test]
fn conditions() {
    let within = Versions { first: 2, last: 8 };
    let check = |text: &str, expected: &str| {
        let condition = Versions::parse(text).unwrap().condition(within);
        assert_eq!(condition.expression(), expected, "{text}");
    };
    check("0+", "true");
    check("2-8", "true");
    check("9+", "false");
    check("3+", "version >= 3");
    check("0-7", "version <= 7");
    check("8+", "version == 8");
    check("3-4", "(3..=4).contains(&version)");
    assert_eq!(Condition::of(None, within), Condition::Never);
}

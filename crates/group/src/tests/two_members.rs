//! Two members of a classic group, from the first join to the last leave: answer by answer what
//! Kafka 4.4.0 sent in the same exchange.

use expect_test::{Expect, expect};
use highwater_shard::Token;

use super::client::{call, commit, describe, heartbeat, join_body, leave, sync};
use super::harness::{Harness, origin};
use super::show::show;
use crate::{Call, Reply, Request};

const GROUP: &str = "old";

fn join_from(client: &str, member: &str) -> Request {
    Request::JoinGroup(Call { origin: origin(client), ..call(9, join_body(GROUP, member)) })
}

struct Exchange {
    harness: Harness,
}

impl Exchange {
    fn check(&mut self, request: Request, expected: Expect) -> Reply {
        let reply = self.harness.ask(request);
        expected.assert_eq(&show(&reply));
        reply
    }

    fn check_late(&mut self, token: Token, expected: Expect) {
        let reply = self.harness.take(token).expect("answered by now");
        expected.assert_eq(&show(&reply));
    }

    fn join_first(&mut self, client: &str, expected: Expect) -> String {
        match self.check(join_from(client, ""), expected) {
            Reply::JoinGroup(response) => response.member_id.to_string(),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn two_members_from_join_to_leave() {
    let mut x = Exchange { harness: Harness::new() };

    let a = x.join_first(
        "a",
        expect![[r#"join 79 generation -1 null/null leader "" member "a" members []"#]],
    );
    let token = x.harness.send(join_from("a", &a));
    x.harness.pass_ms(2_999);
    assert!(x.harness.take(token).is_none(), "group.initial.rebalance.delay.ms");
    x.harness.pass_ms(1);
    x.check_late(
        token,
        expect![[r#"join 0 generation 1 consumer/range leader "a" member "a" members [a]"#]],
    );
    x.check(sync(GROUP, 1, &a, &[(&a, "012345")]), expect![[r#"sync 0 consumer/range "012345""#]]);

    let b = x.join_first(
        "b",
        expect![[r#"join 79 generation -1 null/null leader "" member "b" members []"#]],
    );
    let b_joins = x.harness.send(join_from("b", &b));
    x.check(heartbeat(GROUP, 1, &a), expect!["heartbeat 27"]);
    x.check(commit(GROUP, 1, &a, "t", 0, 0), expect!["commit [t-0=0]"]);
    x.check(
        join_from("a", &a),
        expect![[r#"join 0 generation 2 consumer/range leader "a" member "a" members [a b]"#]],
    );
    x.check_late(
        b_joins,
        expect![[r#"join 0 generation 2 consumer/range leader "a" member "b" members []"#]],
    );
    x.check(commit(GROUP, 2, &a, "t", 0, 0), expect!["commit [t-0=27]"]);
    x.check(
        describe(6, GROUP),
        expect![[r#"described 0 CompletingRebalance "consumer" "" [a@/127.0.0.1 - "012345"; b@/127.0.0.1 - ""]"#]],
    );
    x.check(
        sync(GROUP, 2, &a, &[(&a, "012"), (&b, "345")]),
        expect![[r#"sync 0 consumer/range "012""#]],
    );
    x.check(sync(GROUP, 2, &b, &[]), expect![[r#"sync 0 consumer/range "345""#]]);
    x.check(
        describe(6, GROUP),
        expect![[r#"described 0 Stable "consumer" "range" [a@/127.0.0.1 subscribed "012"; b@/127.0.0.1 subscribed "345"]"#]],
    );

    x.check(leave(GROUP, &[(&b, None)]), expect!["leave 0 [b=0]"]);
    x.check(heartbeat(GROUP, 2, &a), expect!["heartbeat 27"]);
    x.check(leave(GROUP, &[(&a, None)]), expect!["leave 0 [a=0]"]);
    x.check(describe(6, GROUP), expect![[r#"described 0 Empty "consumer" "" []"#]]);
}

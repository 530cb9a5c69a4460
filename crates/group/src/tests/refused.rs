//! Requests that are not decided at all: each answer has the code wherever it has a place for one.

use highwater_wire::ErrorCode;

use super::client::{
    call, code_of, commit, delete_group, delete_offset, describe, fetch, fetch_old, heartbeat,
    join, leave, list, sync,
};
use crate::{Reply, Request, refuse};

fn every_request() -> Vec<Request> {
    let leave_alone = highwater_wire::messages::LeaveGroupRequest {
        group_id: "g".into(),
        member_id: "m".into(),
        ..Default::default()
    };
    vec![
        join("g", "m"),
        sync("g", 1, "m", &[]),
        heartbeat("g", 1, "m"),
        leave("g", &[("m", None)]),
        Request::LeaveGroup(call(0, leave_alone)),
        commit("g", 1, "m", "t", 0, 1),
        fetch("g", Some(("t", &[0]))),
        fetch_old(1, "g", Some(("t", &[0]))),
        fetch_old(2, "g", Some(("t", &[0]))),
        delete_offset("g", "t", 0),
        describe(6, "g"),
        list(&[], &[]),
        delete_group("g"),
        Request::TopicDeleted { id: highwater_types::TopicId::ZERO, name: "t".into() },
    ]
}

#[test]
fn every_answer_says_why() {
    for request in every_request() {
        assert_eq!(code_of(&refuse(&request, ErrorCode::NOT_COORDINATOR)), 16, "{request:?}");
    }
}

#[test]
fn while_loading_only_heartbeats_are_put_off() {
    for request in every_request() {
        let is_heartbeat = matches!(request, Request::Heartbeat(_));
        let reply = refuse(&request, ErrorCode::COORDINATOR_LOAD_IN_PROGRESS);
        assert_eq!(code_of(&reply), if is_heartbeat { 0 } else { 14 }, "{request:?}");
    }
}

#[test]
fn a_refused_join_keeps_its_member_id() {
    match refuse(&join("g", "m"), ErrorCode::NOT_COORDINATOR) {
        Reply::JoinGroup(response) => {
            assert_eq!((&*response.member_id, response.generation_id), ("m", -1));
        }
        other => panic!("{other:?}"),
    }
}

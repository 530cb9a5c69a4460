//! One group's life: join, sync, heartbeat, commit, fetch, leave; and what a new leader finds.

use super::client::{commit, fetch, heartbeat, join, leave, sync};
use super::harness::Harness;
use crate::Reply;

#[test]
fn a_member_commits_and_reads_back() {
    let mut h = Harness::new();
    let member = h.group_of_one("g");
    assert_eq!(h.code(heartbeat("g", 1, &member)), 0);
    assert_eq!(h.code(commit("g", 1, &member, "t", 0, 42)), 0);
    assert_eq!(h.committed("g", "t", 0), 42);
    assert_eq!(h.code(leave("g", &[(&member, None)])), 0);
    assert_eq!(h.state_of("g"), "Empty");
    assert_eq!(h.committed("g", "t", 0), 42);
}

#[test]
fn a_new_leader_knows_the_group_and_its_offsets() {
    let mut h = Harness::new();
    let member = h.group_of_one("g");
    assert_eq!(h.code(commit("g", 1, &member, "t", 3, 7)), 0);
    h.lead();
    assert_eq!(h.state_of("g"), "Stable");
    assert_eq!(h.code(heartbeat("g", 1, &member)), 0);
    assert_eq!(h.committed("g", "t", 3), 7);
    // Its session began anew when the log had been read.
    h.pass_ms(9_999);
    assert_eq!(h.state_of("g"), "Stable");
    h.pass_ms(10_000);
    assert_eq!(h.state_of("g"), "Empty");
}

#[test]
fn no_answer_leaves_before_its_record_is_committed() {
    let mut h = Harness::new();
    let member = h.group_of_one("g");
    h.commits = false;
    let written = h.send(commit("g", 1, &member, "t", 0, 5));
    let read = h.send(fetch("g", Some(("t", &[0]))));
    assert!(h.take(written).is_none());
    assert!(h.take(read).is_none(), "what may be taken back is not shown");
    h.commit_all();
    assert!(h.take(written).is_some());
    assert!(h.take(read).is_some());
}

#[test]
fn a_failed_append_takes_everything_back() {
    let mut h = Harness::new();
    let member = h.group_of_one("g");
    let end = h.log_end();
    h.commits = false;
    let token = h.send(commit("g", 1, &member, "t", 0, 5));
    h.fail_append(end);
    assert!(matches!(h.take(token), Some(Reply::Refused(code)) if code.0 == 15));
    h.commits = true;
    assert_eq!(h.committed("g", "t", 0), -1);
    assert_eq!(h.code(heartbeat("g", 1, &member)), 0);
}

#[test]
fn who_does_not_lead_says_so() {
    let mut h = Harness::new();
    let member = h.group_of_one("g");
    let waiting = h.send(join("g", &member));
    let _ = h.take(waiting);
    h.resign();
    assert_eq!(h.code(heartbeat("g", 1, &member)), 16);
    assert_eq!(h.code(join("g", "")), 16);
    assert_eq!(h.code(sync("g", 1, &member, &[])), 16);
    assert_eq!(h.code(commit("g", 1, &member, "t", 0, 5)), 16);
    assert_eq!(h.code(fetch("g", Some(("t", &[0])))), 16);
}

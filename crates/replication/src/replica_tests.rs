//! The replica as data: events in, watermark and exact wake-ups out.

use super::*;

type TestReplica = Replica<&'static str, &'static str>;

const LOCAL: BrokerId = BrokerId(1);
const OTHER: BrokerId = BrokerId(2);

fn leader(policy: FlushPolicy, isr: &[BrokerId]) -> TestReplica {
    let mut replica = Replica::new(LOCAL, policy, Positions::default());
    assert!(replica.become_leader(LeaderEpoch(0), isr.to_vec()).is_empty());
    replica
}

fn check_woken(woken: Woken<&'static str, &'static str>, acks: &[&str], fetches: &[&str]) {
    let got: Vec<_> = woken.acks.iter().map(|(name, _)| *name).collect();
    assert_eq!((got.as_slice(), woken.fetches.as_slice()), (acks, fetches));
}

#[test]
fn auto_with_one_replica_waits_for_the_flush() {
    let mut replica = leader(FlushPolicy::Auto, &[LOCAL]);
    check_woken(replica.on_appended(Offset(3), 300), &[], &[]);
    assert_eq!(replica.positions().high_watermark, Offset(0));
    assert!(replica.needs_flush());
    replica.wait_for_ack(Offset(3), "three").unwrap();
    replica.wait_for_data(replica.positions(), 300, "fetch").unwrap();
    check_woken(replica.on_flushed(Offset(2)), &[], &[]);
    assert_eq!(replica.positions().high_watermark, Offset(2));
    check_woken(replica.on_flushed(Offset(3)), &["three"], &["fetch"]);
    assert!(!replica.needs_flush());
}

/// The flush took with it what was appended since it began, before the replica heard of that.
#[test]
fn a_flush_may_be_ahead_of_the_news_of_its_appends() {
    let mut replica = leader(FlushPolicy::Auto, &[LOCAL]);
    replica.on_appended(Offset(3), 300);
    replica.wait_for_ack(Offset(3), "three").unwrap();
    check_woken(replica.on_flushed(Offset(5)), &["three"], &[]);
    assert_eq!(replica.positions().flushed, Offset(3));
    replica.on_appended(Offset(4), 100);
    assert_eq!(replica.wait_for_ack(Offset(4), "four"), Err(("four", AckOutcome::Committed)));
    assert!(!replica.needs_flush());
    replica.on_appended(Offset(7), 300);
    assert_eq!(replica.positions().high_watermark, Offset(5));
    assert!(replica.needs_flush());
}

#[test]
fn auto_with_two_replicas_waits_for_the_follower_only() {
    let mut replica = leader(FlushPolicy::Auto, &[LOCAL, OTHER]);
    replica.on_appended(Offset(5), 50);
    assert!(!replica.needs_flush());
    replica.wait_for_ack(Offset(5), "five").unwrap();
    check_woken(replica.on_follower(OTHER, Offset(4)), &[], &[]);
    assert_eq!(replica.positions().high_watermark, Offset(4));
    check_woken(replica.on_follower(OTHER, Offset(3)), &[], &[]);
    assert_eq!(replica.positions().high_watermark, Offset(4));
    check_woken(replica.on_follower(OTHER, Offset(5)), &["five"], &[]);
}

#[test]
fn always_waits_for_flush_and_follower() {
    let mut replica = leader(FlushPolicy::Always, &[LOCAL, OTHER]);
    replica.on_appended(Offset(2), 20);
    replica.on_follower(OTHER, Offset(2));
    assert_eq!(replica.positions().high_watermark, Offset(0));
    replica.on_flushed(Offset(2));
    assert_eq!(replica.positions().high_watermark, Offset(2));
}

#[test]
fn never_commits_with_the_append() {
    let mut replica = leader(FlushPolicy::Never, &[LOCAL]);
    replica.wait_for_data(Positions::default(), 150, "later").unwrap();
    replica.wait_for_data(Positions::default(), 1, "now").unwrap();
    check_woken(replica.on_appended(Offset(1), 100), &[], &["now"]);
    assert_eq!(replica.wait_for_ack(Offset(1), "done"), Err(("done", AckOutcome::Committed)));
    check_woken(replica.on_appended(Offset(2), 100), &[], &["later"]);
}

#[test]
fn a_fetch_does_not_wait_if_something_moved_since_it_looked() {
    let mut replica = leader(FlushPolicy::Never, &[LOCAL]);
    let seen = replica.positions();
    replica.on_appended(Offset(1), 100);
    assert_eq!(replica.wait_for_data(seen, 1, "fetch"), Err("fetch"));
    let seen = replica.positions();
    replica.on_log_start(Offset(1));
    assert_eq!(replica.wait_for_data(seen, 1, "fetch"), Err("fetch"));
}

#[test]
fn log_start_and_role_changes_wake_everybody() {
    let mut replica = leader(FlushPolicy::Auto, &[LOCAL]);
    replica.on_appended(Offset(4), 40);
    replica.on_flushed(Offset(2));
    replica.wait_for_data(replica.positions(), 1_000, "fetch").unwrap();
    check_woken(replica.on_log_start(Offset(2)), &[], &["fetch"]);
    check_woken(replica.on_log_start(Offset(2)), &[], &[]);
    let gone = replica.wait_for_data(replica.positions(), 9, "gone").unwrap();
    replica.stop_waiting(gone);
    replica.wait_for_data(replica.positions(), 9, "fetch").unwrap();
    replica.wait_for_ack(Offset(4), "four").unwrap();
    let woken = replica.become_idle();
    assert_eq!(woken.acks, [("four", AckOutcome::NotLeader)]);
    assert_eq!(woken.fetches, ["fetch"]);
    assert_eq!(replica.wait_for_ack(Offset(4), "x"), Err(("x", AckOutcome::NotLeader)));
}

#[test]
fn a_change_of_policy_can_free_what_waited_for_a_flush() {
    let mut replica = leader(FlushPolicy::Auto, &[LOCAL]);
    replica.on_appended(Offset(1), 10);
    replica.wait_for_ack(Offset(1), "one").unwrap();
    check_woken(replica.on_policy(FlushPolicy::Never), &["one"], &[]);
}

#[test]
#[should_panic(expected = "log-start-below-watermark")]
fn log_start_may_not_pass_the_watermark() {
    let mut replica = leader(FlushPolicy::Auto, &[LOCAL]);
    replica.on_appended(Offset(1), 10);
    replica.on_log_start(Offset(1));
}

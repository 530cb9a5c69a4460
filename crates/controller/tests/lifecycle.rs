//! How brokers come and go, and what that does to leaders: the numbers measured on Kafka 4.4.0.

mod support;

use highwater_controller::{ControllerReply, ControllerRequest, PartitionImage};
use highwater_types::{BrokerId, LeaderEpoch, PartitionIndex};
use highwater_wire::ErrorCode;
use highwater_wire::messages::UnregisterBrokerRequest;
use support::{Cluster, assigned, topic};

fn partition(cluster: &Cluster) -> &PartitionImage {
    cluster.image().partition("t", PartitionIndex(0)).unwrap()
}

fn check(cluster: &Cluster, leader: i32, epoch: i32, isr: &[i32], elr: &[i32]) {
    let held = partition(cluster);
    let ids = |ids: &[BrokerId]| ids.iter().map(|id| id.get()).collect::<Vec<_>>();
    assert_eq!(
        (held.leader, held.leader_epoch, ids(&held.isr), ids(&held.elr)),
        (BrokerId(leader), LeaderEpoch(epoch), isr.to_vec(), elr.to_vec())
    );
}

#[test]
fn an_orderly_restart_of_a_single_node_takes_the_epoch_from_0_to_2() {
    let mut cluster = Cluster::empty("");
    let epoch = cluster.start(1, 1);
    cluster.created(topic("t", 1, 1));
    check(&cluster, 1, 0, &[1], &[]);
    let stop = ControllerRequest::BrokerShutdown { broker: BrokerId(1), epoch };
    assert_eq!(cluster.ask(stop), ControllerReply::Done);
    check(&cluster, -1, 1, &[], &[1]);
    assert_eq!(partition(&cluster).last_known_elr, [BrokerId(1)]);
    cluster.lead();
    let next = cluster.register(1, 2, epoch).unwrap();
    assert!(next > epoch);
    check(&cluster, -1, 1, &[], &[1]);
    assert!(!cluster.heartbeat(1, next, false, false).is_fenced);
    check(&cluster, 1, 2, &[1], &[]);
    assert!(!partition(&cluster).leader_recovering);
    assert!(partition(&cluster).last_known_elr.is_empty());
}

#[test]
fn heartbeats_stop_a_broker_in_two_steps() {
    let mut cluster = Cluster::empty("");
    let epoch = cluster.start(1, 1);
    cluster.created(topic("t", 1, 1));
    let reply = cluster.heartbeat(1, epoch, false, true);
    assert!(!reply.should_shut_down && !reply.is_fenced);
    check(&cluster, -1, 1, &[], &[1]);
    let reply = cluster.heartbeat(1, epoch, false, true);
    assert!(reply.should_shut_down && reply.is_fenced);
    assert!(cluster.image().broker(BrokerId(1)).unwrap().fenced);
}

#[test]
fn after_a_kill_the_epoch_rises_by_2_and_the_leader_recovers() {
    let mut cluster = Cluster::empty("");
    cluster.start(1, 1);
    cluster.created(topic("t", 1, 1));
    cluster.lead();
    let next = cluster.register(1, 2, -1).unwrap();
    check(&cluster, -1, 1, &[], &[]);
    cluster.heartbeat(1, next, false, false);
    check(&cluster, 1, 2, &[1], &[]);
    assert!(partition(&cluster).leader_recovering);
}

#[test]
fn a_broker_that_falls_silent_is_fenced_and_another_leads() {
    let mut cluster = Cluster::of(3, "");
    cluster.created(assigned("t", &[(0, &[2, 1, 3])]));
    check(&cluster, 2, 0, &[2, 1, 3], &[]);
    let three = cluster.image().broker(BrokerId(3)).unwrap().epoch;
    cluster.advance(8_000);
    cluster.heartbeat(3, three, false, false);
    check(&cluster, 2, 0, &[2, 1, 3], &[]);
    cluster.advance(2_000);
    check(&cluster, 1, 1, &[1, 3], &[]);
    assert!(cluster.image().broker(BrokerId(2)).unwrap().fenced);
    // Only the ISR changes: the epoch stays.
    cluster.advance(9_000);
    check(&cluster, 1, 1, &[1], &[]);
}

#[test]
fn below_the_minimum_isr_replicas_stay_eligible() {
    let mut cluster = Cluster::of(3, "min.insync.replicas=2\n");
    cluster.created(assigned("t", &[(0, &[2, 3, 1])]));
    cluster.advance(9_000);
    // Two and three are gone: one leads, and of those that left the last one is still eligible.
    check(&cluster, 1, 2, &[1], &[3]);
    let two = cluster.register(2, 2, -1).unwrap();
    cluster.heartbeat(2, two, false, false);
    let three = cluster.register(3, 2, -1).unwrap();
    cluster.heartbeat(3, three, false, false);
    // It came back without a goodbye, so it is not eligible any more.
    check(&cluster, 1, 2, &[1], &[]);
}

#[test]
fn a_broker_id_in_use_is_not_given_away() {
    let mut cluster = Cluster::of(2, "");
    let code = ErrorCode::DUPLICATE_BROKER_REGISTRATION.0;
    assert_eq!(cluster.register(2, 2, -1), Err(code));
    // The same process may register again, and keeps its epoch.
    let epoch = cluster.image().broker(BrokerId(2)).unwrap().epoch;
    assert_eq!(cluster.register(2, 1, -1), Ok(epoch));
    cluster.advance(9_000);
    assert!(cluster.register(2, 2, -1).unwrap() > epoch);
}

#[test]
fn registration_is_refused_where_it_does_not_fit() {
    let mut cluster = Cluster::single();
    let mut check = |change: &dyn Fn(&mut support::Registration), code: ErrorCode| {
        let mut request = support::registration(2, 1);
        change(&mut request);
        match cluster.ask(ControllerRequest::RegisterBroker { request, local: false }) {
            ControllerReply::RegisterBroker(reply) => assert_eq!(reply.error_code, code.0),
            other => panic!("{other:?}"),
        }
    };
    check(&|r| r.cluster_id = "other".into(), ErrorCode::INCONSISTENT_CLUSTER_ID);
    check(&|r| r.log_dirs.clear(), ErrorCode::INVALID_REGISTRATION);
    check(&|r| r.log_dirs = support::registration(1, 1).log_dirs, ErrorCode::INVALID_REGISTRATION);
    check(&|r| r.log_dirs = vec![r.log_dirs[0]; 2], ErrorCode::INVALID_REGISTRATION);
    check(&|r| r.features.clear(), ErrorCode::UNSUPPORTED_VERSION);
    check(&|r| r.is_migrating_zk_broker = true, ErrorCode::BROKER_ID_NOT_REGISTERED);
    check(&|_| {}, ErrorCode::NONE);
}

#[test]
fn unregistering() {
    let mut cluster = Cluster::of(2, "");
    cluster.created(assigned("t", &[(0, &[2, 1])]));
    let mut check = |broker_id, code: ErrorCode| {
        let request = UnregisterBrokerRequest { broker_id, ..UnregisterBrokerRequest::default() };
        match cluster.ask(ControllerRequest::UnregisterBroker(request)) {
            ControllerReply::UnregisterBroker(reply) => assert_eq!(reply.error_code, code.0),
            other => panic!("{other:?}"),
        }
    };
    check(77, ErrorCode::BROKER_ID_NOT_REGISTERED);
    check(2, ErrorCode::NONE);
    self::check(&cluster, 1, 1, &[1], &[]);
    assert!(cluster.image().broker(BrokerId(2)).is_none());
}

#[test]
fn stale_epochs_are_told() {
    let mut cluster = Cluster::single();
    let stale = ErrorCode::STALE_BROKER_EPOCH.0;
    assert_eq!(cluster.heartbeat(1, 999, false, false).error_code, stale);
    assert_eq!(cluster.heartbeat(9, 0, false, false).error_code, stale);
    let stop = ControllerRequest::BrokerShutdown { broker: BrokerId(1), epoch: 999 };
    assert!(matches!(
        cluster.ask(stop),
        ControllerReply::Refused(ErrorCode::STALE_BROKER_EPOCH, _)
    ));
}

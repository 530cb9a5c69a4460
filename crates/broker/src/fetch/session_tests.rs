//! Sessions as data: requests in, what is answered out.

use super::*;

fn cache(slots: usize) -> SessionCache {
    SessionCache::new(slots, 100, SplitMix::new(1))
}

fn name(topic: &str) -> TopicRef {
    TopicRef::Name(topic.into())
}

fn asks(topic: &str, offset: i64) -> SessionPartition {
    SessionPartition {
        topic: name(topic),
        name: None,
        partition: PartitionIndex(0),
        fetch_offset: Offset(offset),
        bytes_max: 100,
        current_leader_epoch: -1,
        last_fetched_epoch: -1,
        told: None,
    }
}

fn begin(cache: &SessionCache, topics: &[&str]) -> Arc<Mutex<Session>> {
    let partitions = topics.iter().map(|topic| asks(topic, 0)).collect();
    match cache.lookup(0, 0, false, partitions, &[], Mono(0)).unwrap() {
        Lookup::Full(session) => session,
        other => panic!("{other:?}"),
    }
}

fn told(high_watermark: i64) -> Told {
    Told { high_watermark, log_start_offset: 0, error: 0 }
}

fn order(session: &Mutex<Session>) -> Vec<String> {
    let partitions = session.lock().partitions();
    partitions
        .into_iter()
        .map(|partition| match partition.topic {
            TopicRef::Name(name) => format!("{name}@{}", partition.fetch_offset),
            TopicRef::Id(id) => id.to_string(),
        })
        .collect()
}

#[test]
fn a_session_remembers_what_was_asked_and_told() {
    let cache = cache(2);
    let session = begin(&cache, &["a", "b"]);
    let id = session.lock().id();
    for topic in ["a", "b"] {
        assert!(session.lock().tell(&name(topic), PartitionIndex(0), told(0), false));
    }
    let go_on = cache.lookup(id, 1, false, vec![], &[], Mono(1)).unwrap();
    assert!(matches!(go_on, Lookup::Incremental(_)));
    assert!(!session.lock().tell(&name("a"), PartitionIndex(0), told(0), false));
    assert!(session.lock().tell(&name("a"), PartitionIndex(0), told(1), true));
    assert_eq!(order(&session), ["b@0", "a@0"]);

    let moved = cache.lookup(id, 2, false, vec![asks("a", 1)], &[], Mono(2)).unwrap();
    assert!(matches!(moved, Lookup::Incremental(_)));
    assert_eq!(order(&session), ["b@0", "a@1"]);
    assert!(!session.lock().tell(&name("a"), PartitionIndex(0), told(1), false));

    let forgotten = [(name("b"), PartitionIndex(0))];
    cache.lookup(id, 3, false, vec![], &forgotten, Mono(3)).unwrap();
    assert_eq!(order(&session), ["a@1"]);
}

#[test]
fn an_error_is_told_every_time() {
    let session = begin(&cache(1), &["a"]);
    let failed = Told { error: 3, ..told(-1) };
    for _ in 0..3 {
        assert!(session.lock().tell(&name("a"), PartitionIndex(0), failed, false));
    }
}

#[test]
fn wrong_ids_epochs_and_kinds_are_refused_and_change_nothing() {
    let cache = cache(1);
    let id = begin(&cache, &["a"]).lock().id();
    let check = |id, epoch, by_ids, expected| {
        let got = cache.lookup(id, epoch, by_ids, vec![], &[], Mono(0));
        assert_eq!(got.err(), expected, "id {id} epoch {epoch}");
    };
    check(id + 1, 1, false, Some(SessionError::NotFound));
    check(id, 7, false, Some(SessionError::WrongEpoch));
    check(id, 1, true, Some(SessionError::NamesAndIds));
    check(id, 1, false, None);
    check(id, 1, false, Some(SessionError::WrongEpoch));
    check(id, -1, false, None);
    check(id, 2, false, Some(SessionError::NotFound));
}

#[test]
fn slots_are_bounded_and_only_idle_sessions_give_way() {
    let cache = cache(1);
    let first = begin(&cache, &["a"]).lock().id();
    let refused = cache.lookup(0, 0, false, vec![asks("b", 0)], &[], Mono(99)).unwrap();
    assert!(matches!(refused, Lookup::Sessionless(_)));
    let taken = cache.lookup(0, 0, false, vec![asks("b", 0)], &[], Mono(100)).unwrap();
    assert!(matches!(taken, Lookup::Full(_)));
    let evicted = cache.lookup(first, 1, false, vec![], &[], Mono(101));
    assert_eq!(evicted.err(), Some(SessionError::NotFound));
}

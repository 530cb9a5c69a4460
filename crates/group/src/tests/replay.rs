//! HW-13 under random requests: at every step what the log says is what the coordinator knows
//! (the harness compares after each event); and whatever compaction may remove, loading succeeds.

use std::collections::BTreeSet;

use highwater_shard::{Shard, Token};
use highwater_types::{Entropy, Offset, SplitMix};
use highwater_wire::Str;
use proptest::prelude::*;

use super::client::{
    call, code_of, commit, commit_body, delete_group, delete_offset, describe, fetch, heartbeat_as,
    join_body, leave, list, protocols, sync_body,
};
use super::harness::Harness;
use crate::{GroupCoordinator, Record, Reply, Request, State};

const GROUPS: &[&str] = &["a", "b"];
const INSTANCES: &[Option<&str>] = &[None, None, None, Some("i1"), Some("i2")];
const VERSIONS: &[i16] = &[0, 3, 4, 9];

/// A client population that knows member ids it was given, valid or not any more.
struct Walk {
    harness: Harness,
    random: SplitMix,
    known: Vec<(String, Option<&'static str>)>,
    waiting: Vec<Token>,
    generation: i32,
    /// Kinds of answers, with their codes.
    seen: BTreeSet<(&'static str, i16)>,
}

fn kind_of(reply: &Reply) -> &'static str {
    match reply {
        Reply::JoinGroup(_) => "join",
        Reply::SyncGroup(_) => "sync",
        Reply::Heartbeat(_) => "heartbeat",
        Reply::LeaveGroup(_) => "leave",
        Reply::OffsetCommit(_) => "commit",
        Reply::OffsetDelete(_) => "delete offset",
        Reply::DeleteGroups(_) => "delete group",
        Reply::Refused(_) => "refused",
        _ => "view",
    }
}

impl Walk {
    fn new(seed: u64) -> Self {
        let harness = Harness::with_config(|config| {
            config.members_max = 4;
            config.offsets_retention_ms = 60_000;
            config.offsets_check_interval_ms = 7_000;
        });
        let random = SplitMix::new(seed);
        Walk {
            harness,
            random,
            known: Vec::new(),
            waiting: Vec::new(),
            generation: 0,
            seen: BTreeSet::new(),
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.random.next_u64() % bound as u64) as usize
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Someone who may be a member: half of the time nobody, or somebody unheard of.
    fn caller(&mut self) -> (String, Option<&'static str>) {
        match self.below(8) {
            0 | 1 => (String::new(), self.pick(INSTANCES)),
            2 => ("ghost".into(), None),
            _ if self.known.is_empty() => (String::new(), None),
            _ => {
                // The latest ones are most likely to be members still.
                let last = self.known.len();
                let at = last - 1 - self.below(last.min(6));
                self.known[at].clone()
            }
        }
    }

    fn step(&mut self) {
        let group = self.pick(GROUPS);
        let topic = self.pick(&["t", "u", "nope"]);
        let partition = self.pick(&[0, 1, 9]);
        let (member, instance) = self.caller();
        let generation = self.generation - self.pick(&[0, 0, 0, 1]);
        let request = match self.below(20) {
            0..=5 => self.join(group, &member, instance),
            6..=8 => self.sync(group, generation, &member, instance),
            9 | 10 => heartbeat_as(group, generation, &member, instance),
            11 => leave(group, &[(&member, instance)]),
            12 => commit(group, generation, &member, topic, partition, 3),
            13 => self.simple_commit(group, topic, partition),
            14 => delete_offset(group, topic, partition),
            15 => self.pick_admin(group),
            16 => fetch(group, Some((topic, &[0, 1]))),
            17 => return self.move_coordinator(),
            _ => {
                let ms = self.pick(&[1, 900, 3_000, 8_000, 61_000, 301_000]);
                return self.harness.pass_ms(ms);
            }
        };
        let asked = instance;
        let token = self.harness.send(request);
        self.waiting.push(token);
        self.hear(asked);
    }

    fn join(&mut self, group: &str, member: &str, instance: Option<&str>) -> Request {
        let version = self.pick(VERSIONS);
        let mut body = join_body(group, member);
        let names: &[&[&str]] = &[&["range"], &["range", "sticky"], &["sticky"]];
        body.protocols = protocols(self.pick(names));
        body.group_instance_id = instance.filter(|_| version >= 5).map(Str::from);
        body.rebalance_timeout_ms = self.pick(&[5_000, 10_000, 400_000]);
        Request::JoinGroup(call(version, body))
    }

    fn sync(
        &mut self,
        group: &str,
        generation: i32,
        member: &str,
        instance: Option<&str>,
    ) -> Request {
        let known = self.known.clone();
        let assigned: Vec<(&str, &str)> = known.iter().map(|(id, _)| (id.as_str(), "x")).collect();
        let mut body = sync_body(group, generation, member, &assigned);
        body.group_instance_id = instance.map(Str::from);
        body.protocol_name = None;
        Request::SyncGroup(call(4, body))
    }

    fn simple_commit(&mut self, group: &str, topic: &str, partition: i32) -> Request {
        let mut body = commit_body(group, -1, "", topic, partition, 8);
        body.retention_time_ms = self.pick(&[-1, 20_000]);
        Request::OffsetCommit(call(4, body))
    }

    fn pick_admin(&mut self, group: &str) -> Request {
        match self.below(4) {
            0 => delete_group(group),
            1 => describe(6, group),
            2 => list(&[], &[]),
            _ => Request::TopicDeleted {
                id: highwater_types::TopicId(highwater_types::Uuid([2; 16])),
                name: "u".into(),
            },
        }
    }

    fn move_coordinator(&mut self) {
        match self.below(3) {
            0 => self.harness.lead(),
            1 => {
                self.harness.resign();
                self.harness.lead();
            }
            _ => {
                // Nothing that is appended from here on is kept.
                let end = self.harness.log_end();
                self.harness.commits = false;
                let token = self.harness.send(commit("a", -1, "", "t", 2, 1));
                self.waiting.push(token);
                self.harness.fail_append(end);
                self.harness.commits = true;
            }
        }
    }

    /// Learns from the answers that have come.
    fn hear(&mut self, instance: Option<&'static str>) {
        let waiting = std::mem::take(&mut self.waiting);
        for token in waiting {
            let reply = self.harness.take(token);
            self.seen.extend(reply.as_ref().map(|reply| (kind_of(reply), code_of(reply))));
            match reply {
                None => self.waiting.push(token),
                Some(Reply::JoinGroup(answer)) if matches!(answer.error_code, 0 | 79) => {
                    self.known.push((answer.member_id.to_string(), instance));
                    self.generation = self.generation.max(answer.generation_id);
                }
                Some(_) => {}
            }
        }
    }

    /// With everybody silent, every request is answered and every group empties.
    fn wind_down(&mut self) {
        self.harness.pass_ms(1_200_000);
        self.hear(None);
        assert!(self.waiting.is_empty(), "requests that nobody answered: {:?}", self.waiting);
        for id in self.harness.coordinator().group_ids() {
            assert!(self.harness.coordinator().live_group(id).is_none(), "{id} is still live");
        }
    }
}

/// What a cleaner may leave of `log`: a record may go once a later one has its key, a tombstone
/// once nothing that it deletes is left. `takes` says whether it makes use of that.
fn compacted(log: &[Record], mut takes: impl FnMut() -> bool) -> Vec<&Record> {
    let mut kept: Vec<&Record> = Vec::new();
    for (at, record) in log.iter().enumerate() {
        let is_superseded = log[at + 1..].iter().any(|later| has_key_of(later, record));
        let deletes_nothing = || !kept.iter().any(|earlier| has_key_of(earlier, record));
        let may_go = is_superseded || (is_tombstone(record) && deletes_nothing());
        if !(may_go && takes()) {
            kept.push(record);
        }
    }
    kept
}

fn is_tombstone(record: &Record) -> bool {
    matches!(record, Record::Offset { value: None, .. } | Record::Group { value: None, .. })
}

fn has_key_of(a: &Record, b: &Record) -> bool {
    match (a, b) {
        (Record::Offset { key: a, .. }, Record::Offset { key: b, .. }) => a == b,
        (Record::Group { key: a, .. }, Record::Group { key: b, .. }) => a == b,
        _ => false,
    }
}

fn replayed<'a>(log: impl IntoIterator<Item = &'a Record>) -> State {
    let mut coordinator = GroupCoordinator::new();
    for (at, record) in log.into_iter().enumerate() {
        coordinator.replay(Offset(at as i64), record);
    }
    coordinator.state().clone()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_log_says_what_the_coordinator_knows(seed in any::<u64>(), steps in 1..400usize) {
        let mut walk = Walk::new(seed);
        for _ in 0..steps {
            walk.step();
        }
        let log = walk.harness.log.clone();
        let whole = replayed(&log);
        let mut random = SplitMix::new(!seed);
        prop_assert_eq!(&replayed(compacted(&log, || true)), &whole);
        prop_assert_eq!(&replayed(compacted(&log, || random.next_u64() & 1 == 0)), &whole);
        // Total: even what no cleaner would leave is no reason to fail.
        replayed(log.iter().filter(|_| random.next_u64() & 1 == 0));
        walk.wind_down();
    }
}

/// The walk is worth something only if it comes around.
#[test]
fn the_walk_meets_every_kind_of_answer() {
    let mut seen = BTreeSet::new();
    for seed in 0..60 {
        let mut walk = Walk::new(seed);
        for _ in 0..400 {
            walk.step();
        }
        seen.append(&mut walk.seen);
    }
    let expected: &[(&str, &[i16])] = &[
        ("join", &[0, 23, 25, 27, 79, 81, 82]),
        ("sync", &[0, 22, 25, 27, 82]),
        ("heartbeat", &[0, 22, 25, 27, 82]),
        ("leave", &[0, 25, 82]),
        ("commit", &[0, 3, 22, 25, 27]),
        ("delete offset", &[0, 3, 69, 86]),
        ("delete group", &[0, 68, 69]),
        ("refused", &[15, 16]),
    ];
    for (kind, codes) in expected {
        for code in *codes {
            assert!(seen.contains(&(*kind, *code)), "no {kind} was answered {code}");
        }
    }
}

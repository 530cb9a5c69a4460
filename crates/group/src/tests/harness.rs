//! A coordinator with a log in memory and a clock that only moves when told to.

use std::collections::BTreeMap;

use highwater_shard::{Cx, Driver, Effect, Event, Token};
use highwater_types::{LeaderEpoch, Mono, Offset, SplitMix, Timestamp, TopicId, Uuid};
use highwater_wire::Str;

use crate::classic::GroupState;
use crate::{
    GroupConfig, GroupCoordinator, GroupView, MemberOrigin, Record, Reply, Request, State,
    TopicView,
};

/// Where the wall clock of every test starts.
pub(super) const START: i64 = 1_800_000_000_000;

#[derive(Default)]
pub(super) struct TestView {
    pub(super) config: GroupConfig,
    pub(super) topics: BTreeMap<String, TopicView>,
}

impl GroupView for TestView {
    fn config(&self) -> GroupConfig {
        self.config
    }

    fn topic(&self, name: &str) -> Option<TopicView> {
        self.topics.get(name).cloned()
    }

    fn topic_by_id(&self, id: TopicId) -> Option<TopicView> {
        self.topics.values().find(|topic| topic.id == id).cloned()
    }
}

pub(super) struct Harness {
    driver: Driver<GroupCoordinator>,
    pub(super) view: TestView,
    pub(super) log: Vec<Record>,
    pub(super) replies: BTreeMap<Token, Reply>,
    /// While false, nothing that is appended counts as committed.
    pub(super) commits: bool,
    now: Timestamp,
    mono: Mono,
    entropy: SplitMix,
    next_token: u64,
}

impl Harness {
    /// A coordinator that leads an empty log; topics `t` and `u` with 4 partitions exist.
    pub(super) fn new() -> Self {
        let mut harness = Harness {
            driver: Driver::new(GroupCoordinator::new()),
            view: TestView::default(),
            log: Vec::new(),
            replies: BTreeMap::new(),
            commits: true,
            now: Timestamp(START),
            mono: Mono(0),
            entropy: SplitMix::new(11),
            next_token: 0,
        };
        harness.create_topic("t", 1);
        harness.create_topic("u", 2);
        harness.lead();
        harness
    }

    pub(super) fn with_config(change: impl FnOnce(&mut GroupConfig)) -> Self {
        let mut harness = Harness::new();
        change(&mut harness.view.config);
        harness.lead();
        harness
    }

    pub(super) fn create_topic(&mut self, name: &str, id: u8) {
        let id = TopicId(Uuid([id; 16]));
        let topic = TopicView { id, name: Str::from(name), partitions: 4 };
        self.view.topics.insert(name.into(), topic);
    }

    /// A new leader reads the log.
    pub(super) fn lead(&mut self) {
        self.on(Event::Lead(LeaderEpoch(1)));
    }

    pub(super) fn resign(&mut self) {
        self.on(Event::Resign);
    }

    pub(super) fn fail_append(&mut self, at: Offset) {
        self.log.truncate(usize::try_from(at.get()).unwrap());
        self.on(Event::AppendFailed(at));
    }

    pub(super) fn commit_all(&mut self) {
        let end = self.log_end();
        self.on(Event::CommittedTo(end));
    }

    pub(super) fn log_end(&self) -> Offset {
        Offset(self.log.len() as i64)
    }

    /// Moves the wall clock alone.
    pub(super) fn step_wall_ms(&mut self, ms: i64) {
        self.now = self.now.plus_ms(ms);
    }

    /// Sends a request; its answer, if it comes at once, is in `replies`.
    pub(super) fn send(&mut self, request: Request) -> Token {
        let token = Token(self.next_token);
        self.next_token += 1;
        self.on(Event::Request(token, request));
        token
    }

    /// The answer to a request that must not have waited.
    pub(super) fn ask(&mut self, request: Request) -> Reply {
        let token = self.send(request);
        self.take(token).expect("answered at once")
    }

    pub(super) fn take(&mut self, token: Token) -> Option<Reply> {
        self.replies.remove(&token)
    }

    /// Lets time pass; timers fire when they are due.
    pub(super) fn pass_ms(&mut self, ms: u64) {
        let until = self.mono.plus_ms(ms);
        while let Some(due) = self.driver.next_timer().filter(|due| *due <= until) {
            self.move_clocks(due.max(self.mono));
            self.on(Event::Tick);
        }
        self.move_clocks(until);
    }

    fn move_clocks(&mut self, to: Mono) {
        self.now = self.now.plus_ms(to.since(self.mono).cast_signed());
        self.mono = to;
    }

    pub(super) fn state(&self) -> &State {
        self.driver.shard().state()
    }

    pub(super) fn coordinator(&self) -> &GroupCoordinator {
        self.driver.shard()
    }

    fn on(&mut self, event: Event<GroupCoordinator>) {
        let mut events = vec![event];
        while let Some(event) = events.pop() {
            let mut effects = Vec::new();
            let view: &dyn GroupView = &self.view;
            let mut cx = Cx { now: self.now, mono: self.mono, entropy: &mut self.entropy, view };
            self.driver.on(event, &mut cx, &mut effects);
            for effect in effects {
                self.carry_out(effect, &mut events);
            }
        }
        check_live_and_durable(&self.log, self.coordinator());
    }

    fn carry_out(
        &mut self,
        effect: Effect<GroupCoordinator>,
        events: &mut Vec<Event<GroupCoordinator>>,
    ) {
        match effect {
            Effect::Append { at, records, .. } => {
                assert_eq!(at, self.log_end());
                self.log.extend(records);
                if self.commits {
                    events.push(Event::CommittedTo(self.log_end()));
                }
            }
            Effect::Reply(token, reply) => {
                assert!(self.replies.insert(token, reply).is_none(), "two answers to {token:?}");
            }
            Effect::Load => {
                let end = self.log_end();
                events.push(Event::LoadEnded { log_end: end, committed: end });
                for (at, record) in self.log.iter().enumerate().rev() {
                    events.push(Event::Loaded(Offset(at as i64), record.clone()));
                }
            }
        }
    }
}

/// HW-13: what the log says is what the coordinator knows; and a group that is at rest is known
/// in full to its record.
pub(super) fn check_live_and_durable(log: &[Record], coordinator: &GroupCoordinator) {
    if coordinator.state() == &State::default() {
        return; // Not leading, or nothing yet.
    }
    let mut replayed = State::default();
    for record in log {
        replayed.replay(record);
    }
    assert_eq!(&replayed, coordinator.state(), "HW-13");
    for id in coordinator.group_ids() {
        let Some(group) = coordinator.live_group(id) else { continue };
        let recorded = coordinator.state().groups.get(id);
        let recorded = recorded.unwrap_or_else(|| panic!("live group {id} has no record"));
        if group.state == GroupState::Stable {
            let mut live = group.to_image();
            live.since = recorded.since;
            assert_eq!(&live, recorded, "a stable group is what its record says");
        }
    }
}

pub(super) fn origin(client_id: &str) -> MemberOrigin {
    MemberOrigin { client_id: Str::from(client_id), client_host: Str::from_static("/127.0.0.1") }
}

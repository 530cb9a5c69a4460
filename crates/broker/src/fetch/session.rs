//! Incremental fetch sessions (KIP-227): what a client asked for before, so that it need not say
//! it again, and what it was told before, so that we need not.
//!
//! A session is created by a full fetch with epoch 0, goes on while each request carries the next
//! epoch, and ends by epoch -1, by a new full fetch with its id, or by eviction.

use std::collections::BTreeMap;
use std::sync::Arc;

use highwater_types::{Entropy, Mono, Offset, PartitionIndex, SplitMix};
use highwater_wire::Str;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::handlers::TopicRef;

/// Epoch that asks for a new session.
const EPOCH_INITIAL: i32 = 0;
/// Epoch that ends a session, or asks for none.
const EPOCH_FINAL: i32 = -1;

/// Why a session cannot go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionError {
    /// FETCH_SESSION_ID_NOT_FOUND
    NotFound,
    /// INVALID_FETCH_SESSION_EPOCH
    WrongEpoch,
    /// FETCH_SESSION_TOPIC_ID_ERROR: names and ids do not mix in one session.
    NamesAndIds,
}

/// One partition as a fetch asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionPartition {
    pub topic: TopicRef,
    /// The name of a topic that was asked for by its id, once it was known.
    pub name: Option<Str>,
    pub partition: PartitionIndex,
    pub fetch_offset: Offset,
    pub bytes_max: i32,
    pub current_leader_epoch: i32,
    pub last_fetched_epoch: i32,
    /// What the client was told last: `None` before the first answer.
    pub told: Option<Told>,
}

/// What an answer said of a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    pub high_watermark: i64,
    pub log_start_offset: i64,
    pub error: i16,
}

type Key = (Vec<u8>, i32);

fn key(topic: &TopicRef, partition: PartitionIndex) -> Key {
    let topic = match topic {
        TopicRef::Name(name) => name.as_bytes().to_vec(),
        TopicRef::Id(id) => id.0.to_vec(),
    };
    (topic, partition.get())
}

/// What one client fetches, in the order it is served: partitions that gave records go to the
/// end, so that none starves.
#[derive(Debug)]
pub struct Session {
    id: i32,
    /// What the next request must carry.
    next_epoch: i32,
    by_ids: bool,
    order: BTreeMap<u64, SessionPartition>,
    places: FxHashMap<Key, u64>,
    next_place: u64,
}

impl Session {
    fn new(id: i32, by_ids: bool, partitions: Vec<SessionPartition>) -> Session {
        let mut session = Session {
            id,
            next_epoch: EPOCH_INITIAL + 1,
            by_ids,
            order: BTreeMap::new(),
            places: FxHashMap::default(),
            next_place: 0,
        };
        session.update(partitions);
        session
    }

    pub fn id(&self) -> i32 {
        self.id
    }

    /// The partitions in the order they are to be served.
    pub fn partitions(&self) -> Vec<SessionPartition> {
        self.order.values().cloned().collect()
    }

    /// Notes the names of topics that were not known when they were asked for.
    pub fn name_topics(&mut self, name_of: impl Fn(&TopicRef) -> Option<Str>) {
        for partition in self.order.values_mut().filter(|partition| partition.name.is_none()) {
            partition.name = name_of(&partition.topic);
        }
    }

    fn update(&mut self, partitions: Vec<SessionPartition>) {
        for mut partition in partitions {
            let key = key(&partition.topic, partition.partition);
            match self.places.get(&key).and_then(|place| self.order.get_mut(place)) {
                Some(known) => {
                    partition.told = known.told;
                    partition.name = partition.name.or(known.name.take());
                    *known = partition;
                }
                None => {
                    self.next_place += 1;
                    self.places.insert(key, self.next_place);
                    self.order.insert(self.next_place, partition);
                }
            }
        }
    }

    fn forget(&mut self, forgotten: &[(TopicRef, PartitionIndex)]) {
        for (topic, partition) in forgotten {
            if let Some(place) = self.places.remove(&key(topic, *partition)) {
                self.order.remove(&place);
            }
        }
    }

    /// Notes what an answer says of a partition; gives whether the answer must carry it.
    pub fn tell(
        &mut self,
        topic: &TopicRef,
        partition: PartitionIndex,
        told: Told,
        has_records: bool,
    ) -> bool {
        let key = key(topic, partition);
        let Some(place) = self.places.get(&key).copied() else { return true };
        let Some(known) = self.order.get_mut(&place) else { return true };
        // An error is told every time, so that a client that missed it once hears it again.
        let must = has_records || told.error != 0 || known.told != Some(told);
        known.told = Some(told);
        if has_records && let Some(served) = self.order.remove(&place) {
            self.next_place += 1;
            self.places.insert(key, self.next_place);
            self.order.insert(self.next_place, served);
        }
        must
    }
}

/// What a fetch is to answer from.
#[derive(Debug)]
pub enum Lookup {
    /// The partitions of the request, no session.
    Sessionless(Vec<SessionPartition>),
    /// A new session: every partition is answered.
    Full(Arc<Mutex<Session>>),
    /// A session that goes on: only what is new is answered.
    Incremental(Arc<Mutex<Session>>),
}

struct Cached {
    session: Arc<Mutex<Session>>,
    used: Mono,
}

/// The sessions of this broker. Bounded: when all slots are taken by sessions used lately, a
/// client is served without one.
pub struct SessionCache {
    slots: usize,
    /// A session unused for this long gives way to a new one.
    evictable_after_ms: u64,
    inner: Mutex<Inner>,
}

struct Inner {
    sessions: BTreeMap<i32, Cached>,
    entropy: SplitMix,
}

impl SessionCache {
    pub fn new(slots: usize, evictable_after_ms: u64, entropy: SplitMix) -> Self {
        let inner = Mutex::new(Inner { sessions: BTreeMap::new(), entropy });
        SessionCache { slots, evictable_after_ms, inner }
    }

    /// Finds or begins the session that a request names, and takes what the request changes.
    ///
    /// # Errors
    /// See [`SessionError`]; nothing has changed then.
    pub fn lookup(
        &self,
        id: i32,
        epoch: i32,
        by_ids: bool,
        partitions: Vec<SessionPartition>,
        forgotten: &[(TopicRef, PartitionIndex)],
        now: Mono,
    ) -> Result<Lookup, SessionError> {
        let mut inner = self.inner.lock();
        if epoch == EPOCH_INITIAL || epoch == EPOCH_FINAL {
            inner.sessions.remove(&id);
            if epoch == EPOCH_FINAL || partitions.is_empty() {
                return Ok(Lookup::Sessionless(partitions));
            }
            return Ok(match self.free_slot(&mut inner, now) {
                Some(id) => {
                    let session = Arc::new(Mutex::new(Session::new(id, by_ids, partitions)));
                    inner.sessions.insert(id, Cached { session: session.clone(), used: now });
                    Lookup::Full(session)
                }
                None => Lookup::Sessionless(partitions),
            });
        }
        let cached = inner.sessions.get_mut(&id).ok_or(SessionError::NotFound)?;
        let shared = cached.session.clone();
        let mut session = shared.lock();
        if session.next_epoch != epoch {
            return Err(SessionError::WrongEpoch);
        }
        if session.by_ids != by_ids {
            return Err(SessionError::NamesAndIds);
        }
        cached.used = now;
        session.next_epoch = if epoch == i32::MAX { 1 } else { epoch + 1 };
        session.update(partitions);
        session.forget(forgotten);
        if session.order.is_empty() {
            inner.sessions.remove(&id);
            return Ok(Lookup::Sessionless(Vec::new()));
        }
        drop(session);
        Ok(Lookup::Incremental(shared))
    }

    /// A new id, if there is room or a session that may be evicted.
    fn free_slot(&self, inner: &mut Inner, now: Mono) -> Option<i32> {
        if inner.sessions.len() >= self.slots {
            let (oldest, cached) = inner.sessions.iter().min_by_key(|(_, cached)| cached.used)?;
            let (oldest, unused) = (*oldest, now.since(cached.used));
            if unused < self.evictable_after_ms {
                return None;
            }
            inner.sessions.remove(&oldest);
        }
        loop {
            // Ids are positive: 0 means "no session".
            let id = (inner.entropy.next_u64() >> 33) as i32;
            if id > 0 && !inner.sessions.contains_key(&id) {
                return Some(id);
            }
        }
    }
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;

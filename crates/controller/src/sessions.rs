//! Which brokers have been heard of lately. Soft: a new leader starts over and gives every broker
//! a full session.

use std::collections::BTreeMap;

use highwater_types::{BrokerId, Mono};

/// What is known of one live broker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Session {
    /// When it ends, unless the broker is heard of before.
    pub until: Mono,
    /// How much metadata the broker has read.
    pub metadata_offset: i64,
    /// End of the metadata when the broker began to stop.
    pub stopping_at: Option<i64>,
}

/// Sessions by broker.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sessions(BTreeMap<BrokerId, Session>);

impl Sessions {
    pub fn is_alive(&self, broker: BrokerId, now: Mono) -> bool {
        self.0.get(&broker).is_some_and(|session| session.until > now)
    }

    pub fn touch(&mut self, broker: BrokerId, session: Session) {
        self.0.insert(broker, session);
    }

    pub fn get(&self, broker: BrokerId) -> Option<&Session> {
        self.0.get(&broker)
    }

    pub fn end(&mut self, broker: BrokerId) {
        self.0.remove(&broker);
    }

    /// Whether each of `brokers` has read metadata up to `offset`. One that keeps no session lives
    /// in the controller's process and has.
    pub fn have_read(&self, brokers: impl IntoIterator<Item = BrokerId>, offset: i64) -> bool {
        let mut sessions = brokers.into_iter().filter_map(|broker| self.0.get(&broker));
        sessions.all(|session| session.metadata_offset >= offset)
    }
}

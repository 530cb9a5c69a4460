//! Newtypes for the numbers of the protocol. Outside `wire` and `records` no bare integer names
//! an offset, an epoch or an id.

use std::fmt;
use std::sync::Arc;

use crate::Uuid;

macro_rules! number {
    ($(#[$doc:meta])* $name:ident($int:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(pub $int);

        impl $name {
            /// The number as it stands on the wire.
            pub const fn get(self) -> $int {
                self.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl From<$int> for $name {
            fn from(value: $int) -> Self {
                $name(value)
            }
        }

        impl From<$name> for $int {
            fn from(value: $name) -> $int {
                value.0
            }
        }
    };
}

number!(
    /// Position of a record in a partition, from 0; -1 on the wire means "none".
    Offset(i64)
);
number!(
    /// Counts the leaders of a partition (`leader_epoch`); -1 means "unknown".
    LeaderEpoch(i32)
);
number!(
    /// `node.id` / `broker.id`; -1 means "no broker".
    BrokerId(i32)
);
number!(
    /// Index of a partition within its topic, from 0.
    PartitionIndex(i32)
);
number!(
    /// Identity of an idempotent or transactional producer; -1 means "not idempotent".
    ProducerId(i64)
);
number!(
    /// Fencing epoch of a producer id, 0..=32767; -1 means "none".
    ProducerEpoch(i16)
);

impl Offset {
    /// "No offset" on the wire.
    pub const NONE: Offset = Offset(-1);
    pub const ZERO: Offset = Offset(0);

    /// The offset `count` records further on. Offsets never come near `i64::MAX`.
    #[must_use]
    pub const fn plus(self, count: i64) -> Offset {
        Offset(self.0 + count)
    }

    #[must_use]
    pub const fn next(self) -> Offset {
        Offset(self.0 + 1)
    }
}

impl LeaderEpoch {
    pub const NONE: LeaderEpoch = LeaderEpoch(-1);
}

impl BrokerId {
    pub const NONE: BrokerId = BrokerId(-1);
}

impl ProducerId {
    pub const NONE: ProducerId = ProducerId(-1);
}

impl ProducerEpoch {
    pub const NONE: ProducerEpoch = ProducerEpoch(-1);
}

/// Identity of a topic for its whole life; a topic deleted and created again gets a new one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TopicId(pub Uuid);

impl TopicId {
    pub const ZERO: TopicId = TopicId(Uuid::ZERO);
}

impl fmt::Debug for TopicId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TopicId({})", self.0)
    }
}

impl fmt::Display for TopicId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl From<Uuid> for TopicId {
    fn from(value: Uuid) -> Self {
        TopicId(value)
    }
}

/// A partition by topic name: what users and directories say.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TopicPartition {
    pub topic: Arc<str>,
    pub partition: PartitionIndex,
}

impl fmt::Display for TopicPartition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.topic, self.partition)
    }
}

/// A partition by topic id: what whatever survives a request is keyed by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TopicIdPartition {
    pub topic_id: TopicId,
    pub partition: PartitionIndex,
}

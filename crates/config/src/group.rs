//! The effective settings of one group, typed.
//!
//! Owns the meaning of values and their bounds: what a group had set when other bounds held is
//! brought within those of today. Called by the coordinators.

use crate::cross;
use crate::duration;
use crate::layers::{Layers, Overrides, Read};
use crate::setting::Level;

/// Effective settings of one group, whatever its kind.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupConfig {
    pub consumer: ConsumerGroupConfig,
    pub share: ShareGroupConfig,
    pub streams: StreamsGroupConfig,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ConsumerGroupConfig {
    pub session_timeout_ms: i32,
    pub heartbeat_interval_ms: i32,
    /// Between two assignments at least.
    pub assignment_interval_ms: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ShareGroupConfig {
    pub session_timeout_ms: i32,
    pub heartbeat_interval_ms: i32,
    /// Between two assignments at least.
    pub assignment_interval_ms: u64,
    pub record_lock_duration_ms: i32,
    pub delivery_count_limit: u32,
    pub partition_record_locks_max: u32,
    pub auto_offset_reset: AutoOffsetReset,
    pub read_committed: bool,
    pub renew_acknowledge_enable: bool,
    /// Where records go that are given up; `None`: nowhere.
    pub dead_letter_topic: Option<String>,
    pub dead_letter_copy_record: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StreamsGroupConfig {
    pub session_timeout_ms: i32,
    pub heartbeat_interval_ms: i32,
    /// Between two assignments at least.
    pub assignment_interval_ms: u64,
    pub initial_rebalance_delay_ms: u64,
    pub standby_replicas: u32,
    pub warmup_replicas_max: u32,
    pub acceptable_recovery_lag: u64,
    pub task_offset_interval_ms: i32,
    pub assignor: String,
    pub rack_aware_assignment_tags: Vec<String>,
}

/// Where a share group without state begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutoOffsetReset {
    Earliest,
    Latest,
    /// At the first record that is at most this old.
    ByDuration {
        ms: i64,
    },
}

impl AutoOffsetReset {
    fn from_text(text: &str) -> Option<AutoOffsetReset> {
        match text {
            "earliest" => Some(AutoOffsetReset::Earliest),
            "latest" => Some(AutoOffsetReset::Latest),
            other => {
                let ms = duration::parse_ms(other.strip_prefix("by_duration:")?)?;
                Some(AutoOffsetReset::ByDuration { ms })
            }
        }
    }
}

impl GroupConfig {
    /// Computes what applies to a group with these overrides.
    pub fn resolve(overrides: &Overrides, layers: &Layers<'_>) -> GroupConfig {
        let bounded = Bounded {
            group: Read::of(Level::Group, overrides, layers),
            broker: Read::broker(layers),
        };
        GroupConfig {
            consumer: ConsumerGroupConfig {
                session_timeout_ms: bounded.int("consumer.session.timeout.ms"),
                heartbeat_interval_ms: bounded.int("consumer.heartbeat.interval.ms"),
                assignment_interval_ms: bounded.span_ms("consumer.assignment.interval.ms"),
            },
            share: share(&bounded),
            streams: streams(&bounded),
        }
    }
}

fn share(bounded: &Bounded<'_>) -> ShareGroupConfig {
    let group = &bounded.group;
    ShareGroupConfig {
        session_timeout_ms: bounded.int("share.session.timeout.ms"),
        heartbeat_interval_ms: bounded.int("share.heartbeat.interval.ms"),
        assignment_interval_ms: bounded.span_ms("share.assignment.interval.ms"),
        record_lock_duration_ms: bounded.int("share.record.lock.duration.ms"),
        delivery_count_limit: bounded.size("share.delivery.count.limit"),
        partition_record_locks_max: bounded.size("share.partition.max.record.locks"),
        auto_offset_reset: group.word("share.auto.offset.reset", AutoOffsetReset::from_text),
        read_committed: group.word("share.isolation.level", |w| Some(w == "read_committed")),
        renew_acknowledge_enable: group.flag("share.renew.acknowledge.enable"),
        dead_letter_topic: group
            .text("errors.deadletterqueue.topic.name")
            .filter(|topic| !topic.is_empty()),
        dead_letter_copy_record: group.flag("errors.deadletterqueue.copy.record.enable"),
    }
}

fn streams(bounded: &Bounded<'_>) -> StreamsGroupConfig {
    let group = &bounded.group;
    StreamsGroupConfig {
        session_timeout_ms: bounded.int("streams.session.timeout.ms"),
        heartbeat_interval_ms: bounded.int("streams.heartbeat.interval.ms"),
        assignment_interval_ms: bounded.span_ms("streams.assignment.interval.ms"),
        initial_rebalance_delay_ms: group.span_ms("streams.initial.rebalance.delay.ms"),
        standby_replicas: bounded.size("streams.num.standby.replicas"),
        warmup_replicas_max: bounded.size("streams.num.warmup.replicas"),
        acceptable_recovery_lag: group.span_ms("streams.acceptable.recovery.lag"),
        task_offset_interval_ms: bounded.int("streams.task.offset.interval.ms"),
        assignor: group.text("streams.assignor.name").unwrap_or_default(),
        rack_aware_assignment_tags: group.list("streams.rack.aware.assignment.tags"),
    }
}

/// Reads group settings within the broker's bounds.
struct Bounded<'a> {
    group: Read<'a>,
    broker: Read<'a>,
}

impl Bounded<'_> {
    fn long(&self, name: &'static str) -> i64 {
        let value = self.group.long(name);
        match cross::group_bounds(&self.broker, name) {
            // Not `clamp`: bounds that cross (an older version stored them) must not panic.
            Some((min, max)) => value.min(max).max(min),
            None => value,
        }
    }

    fn int(&self, name: &'static str) -> i32 {
        i32::try_from(self.long(name)).unwrap_or(i32::MAX)
    }

    fn size(&self, name: &'static str) -> u32 {
        u32::try_from(self.long(name)).unwrap_or(0)
    }

    fn span_ms(&self, name: &'static str) -> u64 {
        u64::try_from(self.long(name)).unwrap_or(0)
    }
}

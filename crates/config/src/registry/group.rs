//! Group settings: consumer, share and streams groups. Data only; `synonyms` says which broker
//! settings give their defaults.

use super::settings;
use crate::check::{ANY, ITEMS, at_least, one_of};
use crate::rules::AUTO_OFFSET_RESET;

settings! { Group
    "consumer.assignment.interval.ms": Int = "1000", at_least(0), medium;
        "Milliseconds between two assignments at least."
    "consumer.assignor.offload.enable": Bool = "true", ANY, medium hidden;
        "Compute the assignments off the coordinator's thread."
    "consumer.heartbeat.interval.ms": Int = "5000", at_least(1), medium;
        "Milliseconds between heartbeats that members are told to keep."
    "consumer.session.timeout.ms": Int = "45000", at_least(1), medium;
        "Milliseconds without a heartbeat after which a member is removed."
    "errors.deadletterqueue.copy.record.enable": Bool = "false", ANY, medium;
        "Copy the whole record to the dead-letter topic, not only what describes it."
    "errors.deadletterqueue.topic.name": String = "", ANY, medium;
        "Topic for records that the share group gives up; none if empty."
    "share.assignment.interval.ms": Int = "1000", at_least(0), medium;
        "Milliseconds between two assignments at least."
    "share.assignor.offload.enable": Bool = "true", ANY, medium hidden;
        "Compute the assignments off the coordinator's thread."
    "share.auto.offset.reset": String = "latest", AUTO_OFFSET_RESET, medium;
        "Where a share group without state begins: earliest, latest or by_duration: with a duration."
    "share.delivery.count.limit": Int = "5", at_least(2), medium;
        "Deliveries of a record before it is given up."
    "share.heartbeat.interval.ms": Int = "5000", at_least(1), medium;
        "Milliseconds between heartbeats that members are told to keep."
    "share.isolation.level": String =
        "read_uncommitted", one_of(&["read_committed", "read_uncommitted"]), medium;
        "Whether a share group sees records of open or aborted transactions."
    "share.partition.max.record.locks": Int = "2000", at_least(100), medium;
        "Records of one partition that may be locked at once."
    "share.record.lock.duration.ms": Int = "30000", at_least(1_000), medium;
        "Milliseconds a member has to acknowledge a record before others may get it."
    "share.renew.acknowledge.enable": Bool = "true", ANY, medium;
        "Members may extend the lock of a record."
    "share.session.timeout.ms": Int = "45000", at_least(1), medium;
        "Milliseconds without a heartbeat after which a member is removed."
    "streams.acceptable.recovery.lag": Long = "10000", at_least(0), medium hidden;
        "Offsets a client may lag and still be given an active task."
    "streams.assignment.interval.ms": Int = "1000", at_least(0), medium;
        "Milliseconds between two assignments at least."
    "streams.assignor.name": String = none, ANY, medium;
        "Assignor of the streams group; the broker's first if not set."
    "streams.assignor.offload.enable": Bool = "true", ANY, medium hidden;
        "Compute the assignments off the coordinator's thread."
    "streams.heartbeat.interval.ms": Int = "5000", at_least(1), medium;
        "Milliseconds between heartbeats that members are told to keep."
    "streams.initial.rebalance.delay.ms": Int = "3000", at_least(0), medium;
        "Milliseconds the new group waits for more members before its first assignment."
    "streams.num.standby.replicas": Int = "0", at_least(0), medium;
        "Standby copies of each task."
    "streams.num.warmup.replicas": Int = "2", at_least(0), medium hidden;
        "Most warm-up copies of tasks at a time."
    "streams.rack.aware.assignment.tags": List = "", ITEMS, low;
        "Client tags over which standby copies are spread."
    "streams.session.timeout.ms": Int = "45000", at_least(1), medium;
        "Milliseconds without a heartbeat after which a member is removed."
    "streams.task.offset.interval.ms": Int = "60000", at_least(1), medium hidden;
        "Milliseconds between a client's reports of its tasks' offsets."
}

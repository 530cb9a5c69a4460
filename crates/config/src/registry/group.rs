//! Group settings: consumer, share and streams groups. Data only; `synonyms` says which broker
//! settings give their defaults.

use super::settings;
use crate::check::{ANY, ITEMS, at_least, one_of};
use crate::rules::AUTO_OFFSET_RESET;

settings! { Group
    "consumer.assignment.interval.ms": Int = "1000", at_least(0), medium;
        ""
    "consumer.assignor.offload.enable": Bool = "true", ANY, medium hidden;
        ""
    "consumer.heartbeat.interval.ms": Int = "5000", at_least(1), medium;
        ""
    "consumer.session.timeout.ms": Int = "45000", at_least(1), medium;
        ""
    "errors.deadletterqueue.copy.record.enable": Bool = "false", ANY, medium;
        ""
    "errors.deadletterqueue.topic.name": String = "", ANY, medium;
        ""
    "share.assignment.interval.ms": Int = "1000", at_least(0), medium;
        ""
    "share.assignor.offload.enable": Bool = "true", ANY, medium hidden;
        ""
    "share.auto.offset.reset": String = "latest", AUTO_OFFSET_RESET, medium;
        ""
    "share.delivery.count.limit": Int = "5", at_least(2), medium;
        ""
    "share.heartbeat.interval.ms": Int = "5000", at_least(1), medium;
        ""
    "share.isolation.level": String =
        "read_uncommitted", one_of(&["read_committed", "read_uncommitted"]), medium;
        ""
    "share.partition.max.record.locks": Int = "2000", at_least(100), medium;
        ""
    "share.record.lock.duration.ms": Int = "30000", at_least(1_000), medium;
        ""
    "share.renew.acknowledge.enable": Bool = "true", ANY, medium;
        ""
    "share.session.timeout.ms": Int = "45000", at_least(1), medium;
        ""
    "streams.acceptable.recovery.lag": Long = "10000", at_least(0), medium hidden;
        ""
    "streams.assignment.interval.ms": Int = "1000", at_least(0), medium;
        ""
    "streams.assignor.name": String = none, ANY, medium;
        ""
    "streams.assignor.offload.enable": Bool = "true", ANY, medium hidden;
        ""
    "streams.heartbeat.interval.ms": Int = "5000", at_least(1), medium;
        ""
    "streams.initial.rebalance.delay.ms": Int = "3000", at_least(0), medium;
        ""
    "streams.num.standby.replicas": Int = "0", at_least(0), medium;
        ""
    "streams.num.warmup.replicas": Int = "2", at_least(0), medium hidden;
        ""
    "streams.rack.aware.assignment.tags": List = "", ITEMS, low;
        ""
    "streams.session.timeout.ms": Int = "45000", at_least(1), medium;
        ""
    "streams.task.offset.interval.ms": Int = "60000", at_least(1), medium hidden;
        ""
}

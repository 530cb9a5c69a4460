//! Broker settings of consumer, share and streams groups: defaults and bounds of the group settings.
//! Data only.

use super::settings;
use crate::check::{ANY, ITEMS, SOME_ITEMS, at_least, between, one_of_any_case};

settings! { Broker
    "errors.deadletterqueue.auto.create.topics.enable": Bool = "false", ANY, medium cluster_wide;
        ""
    "errors.deadletterqueue.topic.name.prefix": String = "dlq.", ANY, medium cluster_wide;
        ""
    "group.consumer.assignment.interval.ms": Int = "1000", at_least(0), medium cluster_wide;
        ""
    "group.consumer.assignor.offload.enable": Bool = "true", ANY, medium cluster_wide hidden;
        ""
    "group.consumer.assignors": List = "uniform,range", SOME_ITEMS, medium;
        ""
    "group.consumer.heartbeat.interval.ms": Int = "5000", at_least(1), medium;
        ""
    "group.consumer.max.assignment.interval.ms": Int = "15000", at_least(0), medium;
        ""
    "group.consumer.max.heartbeat.interval.ms": Int = "15000", at_least(1), medium;
        ""
    "group.consumer.max.session.timeout.ms": Int = "60000", at_least(1), medium;
        ""
    "group.consumer.max.size": Int = "2147483647", at_least(1), medium;
        ""
    "group.consumer.migration.policy": String =
        "bidirectional", one_of_any_case(&["DISABLED", "DOWNGRADE", "UPGRADE", "BIDIRECTIONAL"]), medium;
        ""
    "group.consumer.min.assignment.interval.ms": Int = "0", at_least(0), medium;
        ""
    "group.consumer.min.heartbeat.interval.ms": Int = "5000", at_least(1), medium;
        ""
    "group.consumer.min.session.timeout.ms": Int = "45000", at_least(1), medium;
        ""
    "group.consumer.regex.refresh.interval.ms": Int = "600000", at_least(10_000), medium hidden;
        ""
    "group.consumer.session.timeout.ms": Int = "45000", at_least(1), medium;
        ""
    "group.share.assignment.interval.ms": Int = "1000", at_least(0), medium cluster_wide;
        ""
    "group.share.assignor.offload.enable": Bool = "true", ANY, medium cluster_wide hidden;
        ""
    "group.share.assignors": List = "simple", SOME_ITEMS, medium;
        ""
    "group.share.delivery.count.limit": Int = "5", between(2, 10), medium;
        ""
    "group.share.dlq.manager.class.name": String =
        "org.apache.kafka.server.share.dlq.DefaultShareGroupDLQManager", ANY, medium hidden;
        ""
    "group.share.heartbeat.interval.ms": Int = "5000", at_least(1), medium;
        ""
    "group.share.initialize.retry.interval.ms": Int = "30000", at_least(1), low hidden;
        ""
    "group.share.max.assignment.interval.ms": Int = "15000", at_least(0), medium;
        ""
    "group.share.max.delivery.count.limit": Int = "10", between(5, 25), medium;
        ""
    "group.share.max.heartbeat.interval.ms": Int = "15000", at_least(1), medium;
        ""
    "group.share.max.partition.max.record.locks": Int = "4000", between(2_000, 10_000), medium;
        ""
    "group.share.max.record.lock.duration.ms": Int = "60000", between(30_000, 3_600_000), medium;
        ""
    "group.share.max.session.timeout.ms": Int = "60000", at_least(1), medium;
        ""
    "group.share.max.share.sessions": Int = "2000", at_least(1), medium;
        ""
    "group.share.max.size": Int = "200", between(1, 1_000), medium;
        ""
    "group.share.min.assignment.interval.ms": Int = "0", at_least(0), medium;
        ""
    "group.share.min.delivery.count.limit": Int = "2", between(2, 5), medium;
        ""
    "group.share.min.heartbeat.interval.ms": Int = "5000", at_least(1), medium;
        ""
    "group.share.min.partition.max.record.locks": Int = "100", between(100, 2_000), medium;
        ""
    "group.share.min.record.lock.duration.ms": Int = "15000", between(1_000, 30_000), medium;
        ""
    "group.share.min.session.timeout.ms": Int = "45000", at_least(1), medium;
        ""
    "group.share.partition.max.record.locks": Int = "2000", between(100, 10_000), medium;
        ""
    "group.share.persister.class.name": String =
        "org.apache.kafka.server.share.persister.DefaultStatePersister", ANY, medium hidden;
        ""
    "group.share.record.lock.duration.ms": Int = "30000", between(1_000, 3_600_000), medium;
        ""
    "group.share.session.timeout.ms": Int = "45000", at_least(1), medium;
        ""
    "group.streams.acceptable.recovery.lag": Long = "10000", at_least(0), medium hidden;
        ""
    "group.streams.assignment.interval.ms": Int = "1000", at_least(0), medium cluster_wide;
        ""
    "group.streams.assignor.offload.enable": Bool = "true", ANY, medium cluster_wide hidden;
        ""
    "group.streams.assignors": List = "sticky", SOME_ITEMS, medium;
        ""
    "group.streams.heartbeat.interval.ms": Int = "5000", at_least(1), medium;
        ""
    "group.streams.initial.rebalance.delay.ms": Int = "3000", at_least(0), medium;
        ""
    "group.streams.max.assignment.interval.ms": Int = "15000", at_least(0), medium;
        ""
    "group.streams.max.heartbeat.interval.ms": Int = "15000", at_least(1), medium;
        ""
    "group.streams.max.session.timeout.ms": Int = "60000", at_least(1), medium;
        ""
    "group.streams.max.size": Int = "2147483647", at_least(1), medium;
        ""
    "group.streams.max.standby.replicas": Int = "2", at_least(0), medium;
        ""
    "group.streams.max.warmup.replicas": Int = "20", at_least(0), medium hidden;
        ""
    "group.streams.min.assignment.interval.ms": Int = "0", at_least(0), medium;
        ""
    "group.streams.min.heartbeat.interval.ms": Int = "5000", at_least(1), medium;
        ""
    "group.streams.min.session.timeout.ms": Int = "45000", at_least(1), medium;
        ""
    "group.streams.min.task.offset.interval.ms": Int = "15000", at_least(1), medium hidden;
        ""
    "group.streams.num.standby.replicas": Int = "0", at_least(0), medium;
        ""
    "group.streams.num.warmup.replicas": Int = "2", at_least(0), medium hidden;
        ""
    "group.streams.rack.aware.assignment.tags": List = "", ITEMS, low;
        ""
    "group.streams.session.timeout.ms": Int = "45000", at_least(1), medium;
        ""
    "group.streams.task.offset.interval.ms": Int = "60000", at_least(1), medium hidden;
        ""
    "group.streams.topology.description.plugin.class": Class = none, ANY, medium;
        ""
}

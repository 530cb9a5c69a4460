//! Broker settings of classic groups, committed offsets, and the coordinators' threads and topics. Data only.

use super::settings;
use crate::check::{ANY, at_least, between, some_of};

settings! { Broker
    "group.coordinator.append.linger.ms": Int = "-1", at_least(-1), medium;
        ""
    "group.coordinator.background.threads": Int = "2", at_least(1), high;
        ""
    "group.coordinator.cached.buffer.max.bytes": Int =
        "1048588", at_least(524_288), medium cluster_wide;
        ""
    "group.coordinator.rebalance.protocols": List =
        "classic,consumer,streams", some_of(&["consumer", "classic", "share", "streams"]), medium;
        ""
    "group.coordinator.threads": Int = "4", at_least(1), high;
        ""
    "group.initial.rebalance.delay.ms": Int = "3000", ANY, medium;
        ""
    "group.max.session.timeout.ms": Int = "1800000", ANY, medium;
        ""
    "group.max.size": Int = "2147483647", at_least(1), medium;
        ""
    "group.min.session.timeout.ms": Int = "6000", ANY, medium;
        ""
    "offset.metadata.max.bytes": Int = "4096", ANY, high;
        ""
    "offsets.commit.timeout.ms": Int = "5000", at_least(1), high;
        ""
    "offsets.load.buffer.size": Int = "5242880", at_least(1), high;
        ""
    "offsets.retention.check.interval.ms": Long = "600000", at_least(1), high;
        ""
    "offsets.retention.minutes": Int = "10080", at_least(1), high;
        ""
    "offsets.topic.compression.codec": Int = "0", ANY, high;
        ""
    "offsets.topic.num.partitions": Int = "50", at_least(1), high;
        ""
    "offsets.topic.replication.factor": Short = "3", at_least(1), high;
        ""
    "offsets.topic.segment.bytes": Int = "104857600", at_least(1), high;
        ""
    "share.coordinator.append.linger.ms": Int = "-1", at_least(-1), medium;
        ""
    "share.coordinator.cached.buffer.max.bytes": Int =
        "1048588", at_least(524_288), medium cluster_wide;
        ""
    "share.coordinator.cold.partition.snapshot.interval.ms": Int =
        "300000", at_least(1), low hidden;
        ""
    "share.coordinator.load.buffer.size": Int = "5242880", at_least(1), high;
        ""
    "share.coordinator.snapshot.update.records.per.snapshot": Int = "500", between(0, 500), medium;
        ""
    "share.coordinator.state.topic.compression.codec": Int = "0", ANY, high;
        ""
    "share.coordinator.state.topic.min.isr": Short = "2", at_least(1), high;
        ""
    "share.coordinator.state.topic.num.partitions": Int = "50", at_least(1), high;
        ""
    "share.coordinator.state.topic.prune.interval.ms": Int = "300000", at_least(1), low hidden;
        ""
    "share.coordinator.state.topic.replication.factor": Short = "3", at_least(1), high;
        ""
    "share.coordinator.state.topic.segment.bytes": Int = "104857600", at_least(1), high;
        ""
    "share.coordinator.threads": Int = "1", at_least(1), medium;
        ""
    "share.coordinator.write.timeout.ms": Int = "5000", at_least(1), high;
        ""
}

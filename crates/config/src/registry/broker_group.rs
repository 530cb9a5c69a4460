//! Broker settings of classic groups, committed offsets, and the coordinators' threads and topics. Data only.

use super::settings;
use crate::check::{ANY, at_least, between, some_of};

settings! { Broker
    "group.coordinator.append.linger.ms": Int = "-1", at_least(-1), medium;
        "Milliseconds the group coordinator gathers records before it writes; -1 adapts to the load."
    "group.coordinator.background.threads": Int = "2", at_least(1), high;
        "Threads of the group coordinator for assignments and other long work."
    "group.coordinator.cached.buffer.max.bytes": Int =
        "1048588", at_least(524_288), medium cluster_wide;
        "Largest write buffer in bytes that the group coordinator keeps for the next use."
    "group.coordinator.rebalance.protocols": List =
        "classic,consumer,streams", some_of(&["consumer", "classic", "share", "streams"]), medium;
        "Kinds of groups that the coordinator serves."
    "group.coordinator.threads": Int = "4", at_least(1), high;
        "Threads of the group coordinator."
    "group.initial.rebalance.delay.ms": Int = "3000", ANY, medium;
        "Milliseconds a new classic group waits for more members before its first rebalance."
    "group.max.session.timeout.ms": Int = "1800000", ANY, medium;
        "Longest session timeout in milliseconds that a classic member may ask for."
    "group.max.size": Int = "2147483647", at_least(1), medium;
        "Most members of a classic group."
    "group.min.session.timeout.ms": Int = "6000", ANY, medium;
        "Shortest session timeout in milliseconds that a classic member may ask for."
    "offset.metadata.max.bytes": Int = "4096", ANY, high;
        "Most bytes of the note that a client may store with an offset."
    "offsets.commit.timeout.ms": Int = "5000", at_least(1), high;
        "Milliseconds an offset commit may wait for its replicas."
    "offsets.load.buffer.size": Int = "5242880", at_least(1), high;
        "Bytes read at a time when committed offsets are loaded."
    "offsets.retention.check.interval.ms": Long = "600000", at_least(1), high;
        "Milliseconds between searches for expired offsets."
    "offsets.retention.minutes": Int = "10080", at_least(1), high;
        "Minutes the offsets of an empty group, or of an unused partition, are kept."
    "offsets.topic.compression.codec": Int = "0", ANY, high;
        "Codec number of batches in the offsets topic, 0 for none."
    "offsets.topic.num.partitions": Int = "50", at_least(1), high;
        "Partitions of the offsets topic; not to be changed once it exists."
    "offsets.topic.replication.factor": Short = "3", at_least(1), high;
        "Replicas of the offsets topic; fewer while there are fewer brokers."
    "offsets.topic.segment.bytes": Int = "104857600", at_least(1), high;
        "Most bytes of a segment of the offsets topic."
    "share.coordinator.append.linger.ms": Int = "-1", at_least(-1), medium;
        "Milliseconds the share coordinator gathers records before it writes; -1 adapts to the load."
    "share.coordinator.cached.buffer.max.bytes": Int =
        "1048588", at_least(524_288), medium cluster_wide;
        "Largest write buffer in bytes that the share coordinator keeps for the next use."
    "share.coordinator.cold.partition.snapshot.interval.ms": Int =
        "300000", at_least(1), low hidden;
        "Milliseconds between snapshots of share partitions that do not change."
    "share.coordinator.load.buffer.size": Int = "5242880", at_least(1), high;
        "Bytes read at a time when share state is loaded."
    "share.coordinator.snapshot.update.records.per.snapshot": Int = "500", between(0, 500), medium;
        "Updates of a share partition between two snapshots."
    "share.coordinator.state.topic.compression.codec": Int = "0", ANY, high;
        "Codec number of batches in the share state topic, 0 for none."
    "share.coordinator.state.topic.min.isr": Short = "2", at_least(1), high;
        "Least in-sync replicas of the share state topic."
    "share.coordinator.state.topic.num.partitions": Int = "50", at_least(1), high;
        "Partitions of the share state topic; not to be changed once it exists."
    "share.coordinator.state.topic.prune.interval.ms": Int = "300000", at_least(1), low hidden;
        "Milliseconds between removals of share state that is no longer needed."
    "share.coordinator.state.topic.replication.factor": Short = "3", at_least(1), high;
        "Replicas of the share state topic; fewer while there are fewer brokers."
    "share.coordinator.state.topic.segment.bytes": Int = "104857600", at_least(1), high;
        "Most bytes of a segment of the share state topic."
    "share.coordinator.threads": Int = "1", at_least(1), medium;
        "Threads of the share coordinator."
    "share.coordinator.write.timeout.ms": Int = "5000", at_least(1), high;
        "Milliseconds a write of share state may wait for its replicas."
}

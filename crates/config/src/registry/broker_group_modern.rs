//! Broker settings of consumer, share and streams groups: defaults and bounds of the group settings.
//! Data only.

use super::settings;
use crate::check::{ANY, ITEMS, SOME_ITEMS, at_least, between, one_of_any_case};

settings! { Broker
    "errors.deadletterqueue.auto.create.topics.enable": Bool = "false", ANY, medium cluster_wide;
        "Create the dead-letter topic of a share group when it is missing."
    "errors.deadletterqueue.topic.name.prefix": String = "dlq.", ANY, medium cluster_wide;
        "What the name of every dead-letter topic must begin with; empty allows any."
    "group.consumer.assignment.interval.ms": Int = "1000", at_least(0), medium cluster_wide;
        "Milliseconds between two assignments of a consumer group at least."
    "group.consumer.assignor.offload.enable": Bool = "true", ANY, medium cluster_wide hidden;
        "Compute assignments of consumer groups off the coordinator's thread."
    "group.consumer.assignors": List = "uniform,range", SOME_ITEMS, medium;
        "Assignors of consumer groups by name, the default first."
    "group.consumer.heartbeat.interval.ms": Int = "5000", at_least(1), medium;
        "Milliseconds between heartbeats that members of a consumer group are told to keep."
    "group.consumer.max.assignment.interval.ms": Int = "15000", at_least(0), medium;
        "Longest assignment interval in milliseconds that a consumer group may set."
    "group.consumer.max.heartbeat.interval.ms": Int = "15000", at_least(1), medium;
        "Longest heartbeat interval in milliseconds that a consumer group may set."
    "group.consumer.max.session.timeout.ms": Int = "60000", at_least(1), medium;
        "Longest session timeout in milliseconds that a consumer group may set."
    "group.consumer.max.size": Int = "2147483647", at_least(1), medium;
        "Most members of a consumer group."
    "group.consumer.migration.policy": String =
        "bidirectional", one_of_any_case(&["DISABLED", "DOWNGRADE", "UPGRADE", "BIDIRECTIONAL"]), medium;
        "In which direction a group may change between the classic and the consumer protocol."
    "group.consumer.min.assignment.interval.ms": Int = "0", at_least(0), medium;
        "Shortest assignment interval in milliseconds that a consumer group may set."
    "group.consumer.min.heartbeat.interval.ms": Int = "5000", at_least(1), medium;
        "Shortest heartbeat interval in milliseconds that a consumer group may set."
    "group.consumer.min.session.timeout.ms": Int = "45000", at_least(1), medium;
        "Shortest session timeout in milliseconds that a consumer group may set."
    "group.consumer.regex.refresh.interval.ms": Int = "600000", at_least(10_000), medium hidden;
        "Milliseconds between matches of topic patterns with the topics there are."
    "group.consumer.session.timeout.ms": Int = "45000", at_least(1), medium;
        "Milliseconds without a heartbeat after which a member of a consumer group is removed."
    "group.share.assignment.interval.ms": Int = "1000", at_least(0), medium cluster_wide;
        "Milliseconds between two assignments of a share group at least."
    "group.share.assignor.offload.enable": Bool = "true", ANY, medium cluster_wide hidden;
        "Compute assignments of share groups off the coordinator's thread."
    "group.share.assignors": List = "simple", SOME_ITEMS, medium;
        "Assignors of share groups by name, the default first."
    "group.share.delivery.count.limit": Int = "5", between(2, 10), medium;
        "Deliveries of a record to a share group before it is given up."
    "group.share.dlq.manager.class.name": String =
        "org.apache.kafka.server.share.dlq.DefaultShareGroupDLQManager", ANY, medium hidden;
        "Class that writes dead letters of share groups."
    "group.share.heartbeat.interval.ms": Int = "5000", at_least(1), medium;
        "Milliseconds between heartbeats that members of a share group are told to keep."
    "group.share.initialize.retry.interval.ms": Int = "30000", at_least(1), low hidden;
        "Milliseconds before the state of a share partition is initialised again after a failure."
    "group.share.max.assignment.interval.ms": Int = "15000", at_least(0), medium;
        "Longest assignment interval in milliseconds that a share group may set."
    "group.share.max.delivery.count.limit": Int = "10", between(5, 25), medium;
        "Largest delivery limit that a share group may set."
    "group.share.max.heartbeat.interval.ms": Int = "15000", at_least(1), medium;
        "Longest heartbeat interval in milliseconds that a share group may set."
    "group.share.max.partition.max.record.locks": Int = "4000", between(2_000, 10_000), medium;
        "Largest number of locked records per partition that a share group may set."
    "group.share.max.record.lock.duration.ms": Int = "60000", between(30_000, 3_600_000), medium;
        "Longest lock in milliseconds that a share group may set."
    "group.share.max.session.timeout.ms": Int = "60000", at_least(1), medium;
        "Longest session timeout in milliseconds that a share group may set."
    "group.share.max.share.sessions": Int = "2000", at_least(1), medium;
        "Most share sessions a broker keeps."
    "group.share.max.size": Int = "200", between(1, 1_000), medium;
        "Most members of a share group."
    "group.share.min.assignment.interval.ms": Int = "0", at_least(0), medium;
        "Shortest assignment interval in milliseconds that a share group may set."
    "group.share.min.delivery.count.limit": Int = "2", between(2, 5), medium;
        "Smallest delivery limit that a share group may set."
    "group.share.min.heartbeat.interval.ms": Int = "5000", at_least(1), medium;
        "Shortest heartbeat interval in milliseconds that a share group may set."
    "group.share.min.partition.max.record.locks": Int = "100", between(100, 2_000), medium;
        "Smallest number of locked records per partition that a share group may set."
    "group.share.min.record.lock.duration.ms": Int = "15000", between(1_000, 30_000), medium;
        "Shortest lock in milliseconds that a share group may set."
    "group.share.min.session.timeout.ms": Int = "45000", at_least(1), medium;
        "Shortest session timeout in milliseconds that a share group may set."
    "group.share.partition.max.record.locks": Int = "2000", between(100, 10_000), medium;
        "Records of one partition that may be locked at once."
    "group.share.persister.class.name": String =
        "org.apache.kafka.server.share.persister.DefaultStatePersister", ANY, medium hidden;
        "Class that keeps the state of share groups."
    "group.share.record.lock.duration.ms": Int = "30000", between(1_000, 3_600_000), medium;
        "Milliseconds a member has to acknowledge a record before others may get it."
    "group.share.session.timeout.ms": Int = "45000", at_least(1), medium;
        "Milliseconds without a heartbeat after which a member of a share group is removed."
    "group.streams.acceptable.recovery.lag": Long = "10000", at_least(0), medium hidden;
        "Offsets a client may lag and still be given an active task."
    "group.streams.assignment.interval.ms": Int = "1000", at_least(0), medium cluster_wide;
        "Milliseconds between two assignments of a streams group at least."
    "group.streams.assignor.offload.enable": Bool = "true", ANY, medium cluster_wide hidden;
        "Compute assignments of streams groups off the coordinator's thread."
    "group.streams.assignors": List = "sticky", SOME_ITEMS, medium;
        "Assignors of streams groups by name, the default first."
    "group.streams.heartbeat.interval.ms": Int = "5000", at_least(1), medium;
        "Milliseconds between heartbeats that members of a streams group are told to keep."
    "group.streams.initial.rebalance.delay.ms": Int = "3000", at_least(0), medium;
        "Milliseconds a new streams group waits for more members before its first assignment."
    "group.streams.max.assignment.interval.ms": Int = "15000", at_least(0), medium;
        "Longest assignment interval in milliseconds that a streams group may set."
    "group.streams.max.heartbeat.interval.ms": Int = "15000", at_least(1), medium;
        "Longest heartbeat interval in milliseconds that a streams group may set."
    "group.streams.max.session.timeout.ms": Int = "60000", at_least(1), medium;
        "Longest session timeout in milliseconds that a streams group may set."
    "group.streams.max.size": Int = "2147483647", at_least(1), medium;
        "Most members of a streams group."
    "group.streams.max.standby.replicas": Int = "2", at_least(0), medium;
        "Most standby copies per task that a streams group may set."
    "group.streams.max.warmup.replicas": Int = "20", at_least(0), medium hidden;
        "Most warm-up copies that a streams group may set."
    "group.streams.min.assignment.interval.ms": Int = "0", at_least(0), medium;
        "Shortest assignment interval in milliseconds that a streams group may set."
    "group.streams.min.heartbeat.interval.ms": Int = "5000", at_least(1), medium;
        "Shortest heartbeat interval in milliseconds that a streams group may set."
    "group.streams.min.session.timeout.ms": Int = "45000", at_least(1), medium;
        "Shortest session timeout in milliseconds that a streams group may set."
    "group.streams.min.task.offset.interval.ms": Int = "15000", at_least(1), medium hidden;
        "Shortest task offset interval in milliseconds that a streams group may set."
    "group.streams.num.standby.replicas": Int = "0", at_least(0), medium;
        "Standby copies of each task."
    "group.streams.num.warmup.replicas": Int = "2", at_least(0), medium hidden;
        "Most warm-up copies of tasks at a time."
    "group.streams.rack.aware.assignment.tags": List = "", ITEMS, low;
        "Client tags over which standby copies are spread."
    "group.streams.session.timeout.ms": Int = "45000", at_least(1), medium;
        "Milliseconds without a heartbeat after which a member of a streams group is removed."
    "group.streams.task.offset.interval.ms": Int = "60000", at_least(1), medium hidden;
        "Milliseconds between a client's reports of its tasks' offsets."
    "group.streams.topology.description.plugin.class": Class = none, ANY, medium;
        "Class that keeps descriptions of streams topologies."
}

//! Broker settings of node identity, the controller quorum and the metadata log. Data only.

use super::settings;
use crate::check::{ANY, ITEMS, SOME_ITEMS, at_least, some_of};
use crate::rules::{HOST_PORTS, VOTERS};

settings! { Broker
    "alter.config.policy.class.name": Class = none, ANY, low;
        ""
    "auto.leader.rebalance.enable": Bool = "true", ANY, high;
        ""
    "broker.heartbeat.interval.ms": Int = "2000", ANY, medium;
        ""
    "broker.id": Int = "-1", ANY, high;
        ""
    "broker.rack": String = none, ANY, medium;
        ""
    "broker.session.timeout.ms": Int = "9000", ANY, medium;
        ""
    "controlled.shutdown.enable": Bool = "true", ANY, medium;
        ""
    "controller.listener.names": List = "CONTROLLER", SOME_ITEMS, high;
        ""
    "controller.performance.always.log.threshold.ms": Long = "2000", at_least(0), medium hidden;
        ""
    "controller.performance.sample.period.ms": Long = "60000", at_least(100), medium hidden;
        ""
    "controller.quorum.append.linger.ms": Int = "25", at_least(0), medium;
        ""
    "controller.quorum.auto.join.enable": Bool = "false", ANY, low;
        ""
    "controller.quorum.bootstrap.servers": List = "", HOST_PORTS, high;
        ""
    "controller.quorum.election.backoff.max.ms": Int = "1000", at_least(0), high;
        ""
    "controller.quorum.election.timeout.ms": Int = "1000", at_least(0), high;
        ""
    "controller.quorum.fetch.max.bytes": Int = "1048576", at_least(1), low;
        ""
    "controller.quorum.fetch.snapshot.max.bytes": Int = "1048576", at_least(1), low;
        ""
    "controller.quorum.fetch.timeout.ms": Int = "2000", at_least(0), high;
        ""
    "controller.quorum.request.timeout.ms": Int = "2000", at_least(0), medium;
        ""
    "controller.quorum.retry.backoff.ms": Int = "20", at_least(0), low;
        ""
    "controller.quorum.voters": List = "", VOTERS, high;
        ""
    "controller.quota.window.num": Int = "11", at_least(1), low;
        ""
    "controller.quota.window.size.seconds": Int = "1", at_least(1), low;
        ""
    "controller.socket.timeout.ms": Int = "30000", ANY, medium;
        ""
    "create.topic.policy.class.name": Class = none, ANY, low;
        ""
    "early.start.listeners": List = none, ITEMS, high;
        ""
    "initial.broker.registration.timeout.ms": Int = "60000", ANY, medium;
        ""
    "internal.metadata.delete.delay.millis": Long = "60000", ANY, low hidden;
        ""
    "internal.metadata.log.segment.bytes": Int = none, ANY, low hidden;
        ""
    "internal.metadata.max.batch.size.in.bytes": Int = "8388608", ANY, low hidden;
        ""
    "leader.imbalance.check.interval.seconds": Long = "300", at_least(1), high;
        ""
    "metadata.log.dir": String = none, ANY, high;
        ""
    "metadata.log.max.record.bytes.between.snapshots": Long = "20971520", at_least(1), high;
        ""
    "metadata.log.max.snapshot.interval.ms": Long = "3600000", at_least(0), high;
        ""
    "metadata.log.segment.bytes": Int = "1073741824", at_least(8_388_608), high;
        ""
    "metadata.log.segment.ms": Long = "604800000", ANY, high;
        ""
    "metadata.max.idle.interval.ms": Int = "500", at_least(0), low;
        ""
    "metadata.max.retention.bytes": Long = "104857600", ANY, high;
        ""
    "metadata.max.retention.ms": Long = "604800000", ANY, high;
        ""
    "node.id": Int = "1", at_least(0), high;
        ""
    "process.roles": List = "broker,controller", some_of(&["broker", "controller"]), high;
        ""
    "server.max.startup.time.ms": Long = "9223372036854775807", at_least(0), medium hidden;
        ""
    "unclean.leader.election.interval.ms": Long = "300000", at_least(1), medium hidden;
        ""
    "unstable.api.versions.enable": Bool = "false", ANY, high hidden;
        ""
    "unstable.feature.versions.enable": Bool = "false", ANY, high hidden;
        ""
}

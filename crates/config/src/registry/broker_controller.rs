//! Broker settings of node identity, the controller quorum and the metadata log. Data only.

use super::settings;
use crate::check::{ANY, ITEMS, SOME_ITEMS, at_least, some_of};
use crate::rules::{HOST_PORTS, VOTERS};

settings! { Broker
    "alter.config.policy.class.name": Class = none, ANY, low;
        "Class that may refuse changes of settings."
    "auto.leader.rebalance.enable": Bool = "true", ANY, high;
        "Give leadership back to preferred replicas from time to time."
    "broker.heartbeat.interval.ms": Int = "2000", ANY, medium;
        "Milliseconds between a broker's heartbeats to the controller."
    "broker.id": Int = "-1", ANY, high;
        "Older name of node.id; -1 means that it is not set."
    "broker.rack": String = none, ANY, medium;
        "Rack or zone of the broker, so that replicas are spread over racks."
    "broker.session.timeout.ms": Int = "9000", ANY, medium;
        "Milliseconds without a heartbeat after which the controller fences a broker."
    "controlled.shutdown.enable": Bool = "true", ANY, medium;
        "Hand over leadership before a broker stops."
    "controller.listener.names": List = "CONTROLLER", SOME_ITEMS, high;
        "Names of the listeners that controllers use."
    "controller.performance.always.log.threshold.ms": Long = "2000", at_least(0), medium hidden;
        "Milliseconds of a controller event from which on it is always logged."
    "controller.performance.sample.period.ms": Long = "60000", at_least(100), medium hidden;
        "Milliseconds between log lines about the controller's speed."
    "controller.quorum.append.linger.ms": Int = "25", at_least(0), medium;
        "Milliseconds the metadata leader gathers records before it flushes them."
    "controller.quorum.auto.join.enable": Bool = "false", ANY, low;
        "A new controller adds itself to the voters of its cluster."
    "controller.quorum.bootstrap.servers": List = "", HOST_PORTS, high;
        "Controllers to ask for the current quorum at start, host:port each."
    "controller.quorum.election.backoff.max.ms": Int = "1000", at_least(0), high;
        "Longest wait in milliseconds before another attempt to be elected."
    "controller.quorum.election.timeout.ms": Int = "1000", at_least(0), high;
        "Milliseconds without a result after which a candidate starts a new election."
    "controller.quorum.fetch.max.bytes": Int = "1048576", at_least(1), low;
        "Most bytes of metadata records in one answer to a fetch."
    "controller.quorum.fetch.snapshot.max.bytes": Int = "1048576", at_least(1), low;
        "Most bytes of a metadata snapshot in one answer."
    "controller.quorum.fetch.timeout.ms": Int = "2000", at_least(0), high;
        "Milliseconds without a successful fetch after which a voter wants to be leader, and a leader that is not fetched from resigns."
    "controller.quorum.request.timeout.ms": Int = "2000", at_least(0), medium;
        "Milliseconds after which a request between controllers counts as lost."
    "controller.quorum.retry.backoff.ms": Int = "20", at_least(0), low;
        "Milliseconds before a failed request between controllers is sent again."
    "controller.quorum.voters": List = "", VOTERS, high;
        "The fixed set of controllers, id@host:port each."
    "controller.quota.window.num": Int = "11", at_least(1), low;
        "Samples kept to measure the rate of topic changes."
    "controller.quota.window.size.seconds": Int = "1", at_least(1), low;
        "Seconds that each sample of the rate of topic changes spans."
    "controller.socket.timeout.ms": Int = "30000", ANY, medium;
        "Milliseconds after which a request to the controller counts as lost."
    "create.topic.policy.class.name": Class = none, ANY, low;
        "Class that may refuse the creation of topics."
    "early.start.listeners": List = none, ITEMS, high;
        "Listeners opened before the authorizer is ready."
    "initial.broker.registration.timeout.ms": Int = "60000", ANY, medium;
        "Milliseconds a starting broker tries to register before it gives up."
    "internal.metadata.delete.delay.millis": Long = "60000", ANY, low hidden;
        "Milliseconds before old metadata files are deleted; for tests."
    "internal.metadata.log.segment.bytes": Int = none, ANY, low hidden;
        "Size in bytes of a metadata log segment; for tests."
    "internal.metadata.max.batch.size.in.bytes": Int = "8388608", ANY, low hidden;
        "Most bytes of one batch of metadata records; for tests."
    "leader.imbalance.check.interval.seconds": Long = "300", at_least(1), high;
        "Seconds between searches for leaders that are not the preferred replica."
    "metadata.log.dir": String = none, ANY, high;
        "Directory of the metadata log; the first data directory if not set."
    "metadata.log.max.record.bytes.between.snapshots": Long = "20971520", at_least(1), high;
        "Bytes of new metadata records after which a snapshot is written."
    "metadata.log.max.snapshot.interval.ms": Long = "3600000", at_least(0), high;
        "Milliseconds after which a snapshot is written if anything changed; 0 writes none by time."
    "metadata.log.segment.bytes": Int = "1073741824", at_least(8_388_608), high;
        "Most bytes of a segment of the metadata log."
    "metadata.log.segment.ms": Long = "604800000", ANY, high;
        "Milliseconds after which a segment of the metadata log is closed."
    "metadata.max.idle.interval.ms": Int = "500", at_least(0), low;
        "Milliseconds of silence after which the active controller writes a no-op record; 0 writes none."
    "metadata.max.retention.bytes": Long = "104857600", ANY, high;
        "Bytes of metadata log and snapshots above which old ones go."
    "metadata.max.retention.ms": Long = "604800000", ANY, high;
        "Milliseconds old metadata segments and snapshots are kept."
    "node.id": Int = "1", at_least(0), high;
        "Number of this node in the cluster."
    "process.roles": List = "broker,controller", some_of(&["broker", "controller"]), high;
        "What this node is: broker, controller or both."
    "server.max.startup.time.ms": Long = "9223372036854775807", at_least(0), medium hidden;
        "Milliseconds a start may take; for tests."
    "unclean.leader.election.interval.ms": Long = "300000", at_least(1), medium hidden;
        "Milliseconds between searches for partitions that need an unclean election."
    "unstable.api.versions.enable": Bool = "false", ANY, high hidden;
        "Offer protocol versions that are not final."
    "unstable.feature.versions.enable": Bool = "false", ANY, high hidden;
        "Allow feature levels that are not final."
}

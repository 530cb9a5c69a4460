//! Broker settings of listeners, sockets, threads, requests, fetches and topics in general. Data only.

use super::settings;
use crate::check::{ANY, ITEMS, SOME_ITEMS, at_least};

settings! { Broker
    "advertised.listeners": List = none, SOME_ITEMS, high;
        ""
    "auto.create.topics.enable": Bool = "true", ANY, high;
        ""
    "background.threads": Int = "10", at_least(1), high cluster_wide;
        ""
    "config.providers": List = "", ITEMS, low cluster_wide;
        ""
    "connection.failed.authentication.delay.ms": Int = "100", at_least(0), low;
        ""
    "connections.max.idle.ms": Long = "600000", ANY, medium;
        ""
    "default.replication.factor": Int = "1", ANY, medium;
        ""
    "delete.records.purgatory.purge.interval.requests": Int = "1", ANY, medium;
        ""
    "delete.topic.enable": Bool = "true", ANY, high;
        ""
    "fetch.max.bytes": Int = "57671680", at_least(1_024), medium;
        ""
    "fetch.purgatory.purge.interval.requests": Int = "1000", ANY, medium;
        ""
    "inter.broker.listener.name": String = none, ANY, medium;
        ""
    "listener.security.protocol.map": String =
        "SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT", ANY, low per_broker;
        ""
    "listeners": List = "PLAINTEXT://127.0.0.1:9092", SOME_ITEMS, high per_broker;
        ""
    "max.connection.creation.rate": Int = "2147483647", at_least(0), medium cluster_wide;
        ""
    "max.connections": Int = "2147483647", at_least(0), medium cluster_wide;
        ""
    "max.connections.per.ip": Int = "2147483647", at_least(0), medium cluster_wide;
        ""
    "max.connections.per.ip.overrides": String = "", ANY, medium cluster_wide;
        ""
    "max.incremental.fetch.session.cache.slots": Int = "1000", at_least(0), medium;
        ""
    "max.request.partition.size.limit": Int = "2000", at_least(1), medium;
        ""
    "num.io.threads": Int = "8", at_least(1), high cluster_wide;
        ""
    "num.network.threads": Int = "3", at_least(1), high cluster_wide;
        ""
    "num.partitions": Int = "1", at_least(1), medium;
        ""
    "producer.purgatory.purge.interval.requests": Int = "1000", ANY, medium;
        ""
    "queued.max.request.bytes": Long = "-1", ANY, medium;
        ""
    "queued.max.requests": Int = "500", at_least(1), high;
        ""
    "request.timeout.ms": Int = "30000", ANY, high;
        ""
    "share.fetch.purgatory.purge.interval.requests": Int = "1000", ANY, medium;
        ""
    "socket.connection.setup.timeout.max.ms": Long = "30000", ANY, medium;
        ""
    "socket.connection.setup.timeout.ms": Long = "10000", ANY, medium;
        ""
    "socket.listen.backlog.size": Int = "50", at_least(1), medium;
        ""
    "socket.receive.buffer.bytes": Int = "102400", ANY, high;
        ""
    "socket.request.max.bytes": Int = "104857600", at_least(1), high;
        ""
    "socket.send.buffer.bytes": Int = "102400", ANY, high;
        ""
}

//! Broker settings of listeners, sockets, threads, requests, fetches and topics in general. Data only.

use super::settings;
use crate::check::{ANY, ITEMS, SOME_ITEMS, at_least};

settings! { Broker
    "advertised.listeners": List = none, SOME_ITEMS, high;
        "Addresses told to clients, NAME://host:port each; those of listeners if not set."
    "auto.create.topics.enable": Bool = "true", ANY, high;
        "Create a topic when a client first asks for it."
    "background.threads": Int = "10", at_least(1), high cluster_wide;
        "Threads for chores such as deleting files."
    "config.providers": List = "", ITEMS, low cluster_wide;
        "Aliases of classes that fetch values such as passwords from elsewhere."
    "connection.failed.authentication.delay.ms": Int = "100", at_least(0), low;
        "Milliseconds a connection stays open after a failed authentication, to slow down guessing."
    "connections.max.idle.ms": Long = "600000", ANY, medium;
        "Milliseconds without traffic after which a connection is closed."
    "default.replication.factor": Int = "1", ANY, medium;
        "Replicas of each partition where the request names no number."
    "delete.records.purgatory.purge.interval.requests": Int = "1", ANY, medium;
        "Finished DeleteRecords waits that pile up before they are swept."
    "delete.topic.enable": Bool = "true", ANY, high;
        "Allow the deletion of topics."
    "fetch.max.bytes": Int = "57671680", at_least(1_024), medium;
        "Most bytes of records in one answer to a fetch; a first batch that is larger is sent anyhow."
    "fetch.purgatory.purge.interval.requests": Int = "1000", ANY, medium;
        "Finished fetch waits that pile up before they are swept."
    "inter.broker.listener.name": String = none, ANY, medium;
        "Listener that brokers use among themselves; follows security.inter.broker.protocol if not set."
    "listener.security.protocol.map": String =
        "SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT", ANY, low per_broker;
        "Security protocol of each listener name, NAME:PROTOCOL each."
    "listeners": List = "PLAINTEXT://127.0.0.1:9092", SOME_ITEMS, high per_broker;
        "Addresses to listen on, NAME://host:port each; an empty host means every interface."
    "max.connection.creation.rate": Int = "2147483647", at_least(0), medium cluster_wide;
        "New connections per second that the broker accepts."
    "max.connections": Int = "2147483647", at_least(0), medium cluster_wide;
        "Connections the broker accepts over all listeners."
    "max.connections.per.ip": Int = "2147483647", at_least(0), medium cluster_wide;
        "Connections the broker accepts from one address."
    "max.connections.per.ip.overrides": String = "", ANY, medium cluster_wide;
        "Connections accepted from single addresses, address:count each."
    "max.incremental.fetch.session.cache.slots": Int = "1000", at_least(0), medium;
        "Fetch sessions a broker keeps."
    "max.request.partition.size.limit": Int = "2000", at_least(1), medium;
        "Most partitions described in one answer."
    "num.io.threads": Int = "8", at_least(1), high cluster_wide;
        "Threads that work on requests."
    "num.network.threads": Int = "3", at_least(1), high cluster_wide;
        "Threads that read and write sockets."
    "num.partitions": Int = "1", at_least(1), medium;
        "Partitions of a topic where the request names no number."
    "producer.purgatory.purge.interval.requests": Int = "1000", ANY, medium;
        "Finished produce waits that pile up before they are swept."
    "queued.max.request.bytes": Long = "-1", ANY, medium;
        "Bytes of requests in flight above which no more are read; -1 sets no limit."
    "queued.max.requests": Int = "500", at_least(1), high;
        "Requests that may wait for a thread."
    "request.timeout.ms": Int = "30000", ANY, high;
        "Milliseconds after which a broker's own request counts as lost."
    "share.fetch.purgatory.purge.interval.requests": Int = "1000", ANY, medium;
        "Finished share fetch waits that pile up before they are swept."
    "socket.connection.setup.timeout.max.ms": Long = "30000", ANY, medium;
        "Longest wait in milliseconds for a connection to be made."
    "socket.connection.setup.timeout.ms": Long = "10000", ANY, medium;
        "First wait in milliseconds for a connection to be made."
    "socket.listen.backlog.size": Int = "50", at_least(1), medium;
        "Connections that may wait to be accepted."
    "socket.receive.buffer.bytes": Int = "102400", ANY, high;
        "Receive buffer in bytes of a socket; -1 leaves it to the system."
    "socket.request.max.bytes": Int = "104857600", at_least(1), high;
        "Most bytes of a request."
    "socket.send.buffer.bytes": Int = "102400", ANY, high;
        "Send buffer in bytes of a socket; -1 leaves it to the system."
}

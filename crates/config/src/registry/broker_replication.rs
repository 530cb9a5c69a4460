//! Broker settings of replica fetching and of quotas. Data only.

use super::settings;
use crate::check::{ANY, at_least};

settings! { Broker
    "alter.log.dirs.replication.quota.window.num": Int = "11", at_least(1), low;
        "Samples kept to measure the rate of moves between log directories."
    "alter.log.dirs.replication.quota.window.size.seconds": Int = "1", at_least(1), low;
        "Seconds that each sample of the rate of moves between log directories spans."
    "client.quota.callback.class": Class = none, ANY, low;
        "Class that computes client quotas in place of the built-in way."
    "follower.replication.throttled.rate": Long =
        "9223372036854775807", at_least(0), medium cluster_wide hidden;
        "Bytes per second that throttled partitions may take in as followers; set while running only."
    "leader.replication.throttled.rate": Long =
        "9223372036854775807", at_least(0), medium cluster_wide hidden;
        "Bytes per second that throttled partitions may send out as leaders; set while running only."
    "num.replica.alter.log.dirs.threads": Int = none, ANY, high;
        "Threads that move partitions between log directories; one per directory if not set."
    "num.replica.fetchers": Int = "1", at_least(1), high cluster_wide;
        "Connections over which followers fetch from each leader."
    "quota.window.num": Int = "11", at_least(1), low;
        "Samples kept to measure the rates of clients."
    "quota.window.size.seconds": Int = "1", at_least(1), low;
        "Seconds that each sample of a client's rate spans."
    "replica.alter.log.dirs.io.max.bytes.per.second": Long =
        "9223372036854775807", at_least(0), medium cluster_wide hidden;
        "Bytes per second for moves between log directories; set while running only."
    "replica.fetch.backoff.ms": Int = "1000", at_least(0), medium;
        "Milliseconds a follower waits after a failed fetch."
    "replica.fetch.max.bytes": Int = "1048576", at_least(0), medium;
        "Bytes a follower asks for per partition; a first batch that is larger comes anyhow."
    "replica.fetch.min.bytes": Int = "1", ANY, high;
        "Bytes a follower wants before it is answered."
    "replica.fetch.response.max.bytes": Int = "10485760", at_least(0), medium;
        "Bytes a follower asks for in one answer."
    "replica.fetch.wait.max.ms": Int = "500", ANY, high;
        "Milliseconds a follower's fetch may wait for data."
    "replica.high.watermark.checkpoint.interval.ms": Long = "5000", ANY, high;
        "Milliseconds between writes of the high watermarks."
    "replica.lag.time.max.ms": Long = "30000", ANY, high;
        "Milliseconds a follower may lag before it leaves the in-sync replicas."
    "replica.selector.class": String = none, ANY, medium;
        "Class that picks the replica a consumer reads from."
    "replica.socket.receive.buffer.bytes": Int = "65536", ANY, high;
        "Receive buffer in bytes of a follower's socket."
    "replica.socket.timeout.ms": Int = "30000", ANY, high;
        "Milliseconds after which a follower's request counts as lost."
    "replication.quota.window.num": Int = "11", at_least(1), low;
        "Samples kept to measure the replication rate."
    "replication.quota.window.size.seconds": Int = "1", at_least(1), low;
        "Seconds that each sample of the replication rate spans."
}

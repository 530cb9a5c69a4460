//! Broker settings of replica fetching and of quotas. Data only.

use super::settings;
use crate::check::{ANY, at_least};

settings! { Broker
    "alter.log.dirs.replication.quota.window.num": Int = "11", at_least(1), low;
        ""
    "alter.log.dirs.replication.quota.window.size.seconds": Int = "1", at_least(1), low;
        ""
    "client.quota.callback.class": Class = none, ANY, low;
        ""
    "follower.replication.throttled.rate": Long =
        "9223372036854775807", at_least(0), medium cluster_wide hidden;
        ""
    "leader.replication.throttled.rate": Long =
        "9223372036854775807", at_least(0), medium cluster_wide hidden;
        ""
    "num.replica.alter.log.dirs.threads": Int = none, ANY, high;
        ""
    "num.replica.fetchers": Int = "1", at_least(1), high cluster_wide;
        ""
    "quota.window.num": Int = "11", at_least(1), low;
        ""
    "quota.window.size.seconds": Int = "1", at_least(1), low;
        ""
    "replica.alter.log.dirs.io.max.bytes.per.second": Long =
        "9223372036854775807", at_least(0), medium cluster_wide hidden;
        ""
    "replica.fetch.backoff.ms": Int = "1000", at_least(0), medium;
        ""
    "replica.fetch.max.bytes": Int = "1048576", at_least(0), medium;
        ""
    "replica.fetch.min.bytes": Int = "1", ANY, high;
        ""
    "replica.fetch.response.max.bytes": Int = "10485760", at_least(0), medium;
        ""
    "replica.fetch.wait.max.ms": Int = "500", ANY, high;
        ""
    "replica.high.watermark.checkpoint.interval.ms": Long = "5000", ANY, high;
        ""
    "replica.lag.time.max.ms": Long = "30000", ANY, high;
        ""
    "replica.selector.class": String = none, ANY, medium;
        ""
    "replica.socket.receive.buffer.bytes": Int = "65536", ANY, high;
        ""
    "replica.socket.timeout.ms": Int = "30000", ANY, high;
        ""
    "replication.quota.window.num": Int = "11", at_least(1), low;
        ""
    "replication.quota.window.size.seconds": Int = "1", at_least(1), low;
        ""
}

//! Broker settings of tiered storage. Data only.

use super::settings;
use crate::check::{ANY, NON_EMPTY, at_least, fraction};

settings! { Broker
    "follower.fetch.last.tiered.offset.enable": Bool = "false", ANY, medium cluster_wide;
        "An empty follower begins after the last tiered offset."
    "log.local.retention.bytes": Long = "-2", at_least(-2), medium cluster_wide;
        "Bytes of a tiered log kept on local disk; -2 follows the whole retention."
    "log.local.retention.ms": Long = "-2", at_least(-2), medium cluster_wide;
        "Milliseconds segments of a tiered log stay on local disk; -2 follows the whole retention."
    "log.remote.copy.lag.bytes": Long = "-1", at_least(-1), medium cluster_wide;
        "Bytes a finished segment must lie behind before it is uploaded; -1 does not ask for it."
    "log.remote.copy.lag.ms": Long = "0", at_least(-1), medium cluster_wide;
        "Milliseconds a finished segment waits before it is uploaded; -1 does not ask for it."
    "remote.fetch.max.wait.ms": Int = "500", at_least(1), medium cluster_wide;
        "Milliseconds an answer waits for data from remote storage."
    "remote.list.offsets.request.timeout.ms": Long = "30000", at_least(1), medium cluster_wide;
        "Milliseconds a look-up of offsets in remote storage may take."
    "remote.log.index.file.cache.total.size.bytes": Long =
        "1073741824", at_least(1), low cluster_wide;
        "Bytes of local disk for indexes fetched from remote storage."
    "remote.log.index.file.cache.ttl.ms": Long = "900000", at_least(-1), low hidden;
        "Milliseconds an unused remote index stays cached; -1 keeps it."
    "remote.log.manager.copier.thread.pool.size": Int = "10", at_least(1), medium cluster_wide;
        "Threads that upload segments."
    "remote.log.manager.copy.max.bytes.per.second": Long =
        "9223372036854775807", at_least(1), medium cluster_wide;
        "Bytes per second uploaded to remote storage."
    "remote.log.manager.copy.quota.window.num": Int = "11", at_least(1), medium;
        "Samples kept to measure the upload rate."
    "remote.log.manager.copy.quota.window.size.seconds": Int = "1", at_least(1), medium;
        "Seconds that each sample of the upload rate spans."
    "remote.log.manager.expiration.thread.pool.size": Int = "10", at_least(1), medium cluster_wide;
        "Threads that delete expired remote segments."
    "remote.log.manager.fetch.max.bytes.per.second": Long =
        "9223372036854775807", at_least(1), medium cluster_wide;
        "Bytes per second fetched from remote storage."
    "remote.log.manager.fetch.quota.window.num": Int = "11", at_least(1), medium;
        "Samples kept to measure the rate of remote fetches."
    "remote.log.manager.fetch.quota.window.size.seconds": Int = "1", at_least(1), medium;
        "Seconds that each sample of the rate of remote fetches spans."
    "remote.log.manager.follower.thread.pool.size": Int = "2", at_least(1), medium cluster_wide;
        "Threads of followers that track remote segments."
    "remote.log.manager.task.interval.ms": Long = "30000", at_least(1), low;
        "Milliseconds between searches for segments to upload or to expire."
    "remote.log.manager.task.retry.backoff.max.ms": Long = "30000", at_least(1), low hidden;
        "Longest wait in milliseconds before a failed remote task runs again."
    "remote.log.manager.task.retry.backoff.ms": Long = "500", at_least(1), low hidden;
        "First wait in milliseconds before a failed remote task runs again."
    "remote.log.manager.task.retry.jitter": Double = "0.2", fraction(0.0, 0.5), low hidden;
        "Random share, 0 to 0.5, of the wait before a failed remote task runs again."
    "remote.log.manager.thread.pool.size": Int = "2", at_least(1), medium;
        "Threads for remote chores other than upload and expiry."
    "remote.log.metadata.custom.metadata.max.bytes": Int = "128", at_least(0), low;
        "Most bytes of its own that a storage plugin may attach to a segment."
    "remote.log.metadata.manager.class.name": String =
        "org.apache.kafka.server.log.remote.metadata.storage.TopicBasedRemoteLogMetadataManager", NON_EMPTY, medium;
        "Class that keeps metadata about remote segments."
    "remote.log.metadata.manager.class.path": String = none, ANY, medium;
        "Where to load that metadata class from."
    "remote.log.metadata.manager.impl.prefix": String = "rlmm.config.", NON_EMPTY, medium;
        "Prefix of settings handed to that metadata class."
    "remote.log.metadata.manager.listener.name": String = none, NON_EMPTY, medium;
        "Listener over which that metadata class talks to brokers."
    "remote.log.reader.max.pending.tasks": Int = "100", at_least(1), medium;
        "Remote reads that may wait for a thread."
    "remote.log.reader.threads": Int = "10", at_least(1), medium cluster_wide;
        "Threads that read from remote storage."
    "remote.log.storage.manager.class.name": String = none, NON_EMPTY, medium;
        "Class that stores segments remotely."
    "remote.log.storage.manager.class.path": String = none, ANY, medium;
        "Where to load that storage class from."
    "remote.log.storage.manager.impl.prefix": String = "rsm.config.", NON_EMPTY, medium;
        "Prefix of settings handed to that storage class."
    "remote.log.storage.system.enable": Bool = "false", ANY, medium;
        "Turn tiered storage on for this broker."
}

//! Broker settings of tiered storage. Data only.

use super::settings;
use crate::check::{ANY, NON_EMPTY, at_least, fraction};

settings! { Broker
    "follower.fetch.last.tiered.offset.enable": Bool = "false", ANY, medium cluster_wide;
        ""
    "log.local.retention.bytes": Long = "-2", at_least(-2), medium cluster_wide;
        ""
    "log.local.retention.ms": Long = "-2", at_least(-2), medium cluster_wide;
        ""
    "log.remote.copy.lag.bytes": Long = "-1", at_least(-1), medium cluster_wide;
        ""
    "log.remote.copy.lag.ms": Long = "0", at_least(-1), medium cluster_wide;
        ""
    "remote.fetch.max.wait.ms": Int = "500", at_least(1), medium cluster_wide;
        ""
    "remote.list.offsets.request.timeout.ms": Long = "30000", at_least(1), medium cluster_wide;
        ""
    "remote.log.index.file.cache.total.size.bytes": Long =
        "1073741824", at_least(1), low cluster_wide;
        ""
    "remote.log.index.file.cache.ttl.ms": Long = "900000", at_least(-1), low hidden;
        ""
    "remote.log.manager.copier.thread.pool.size": Int = "10", at_least(1), medium cluster_wide;
        ""
    "remote.log.manager.copy.max.bytes.per.second": Long =
        "9223372036854775807", at_least(1), medium cluster_wide;
        ""
    "remote.log.manager.copy.quota.window.num": Int = "11", at_least(1), medium;
        ""
    "remote.log.manager.copy.quota.window.size.seconds": Int = "1", at_least(1), medium;
        ""
    "remote.log.manager.expiration.thread.pool.size": Int = "10", at_least(1), medium cluster_wide;
        ""
    "remote.log.manager.fetch.max.bytes.per.second": Long =
        "9223372036854775807", at_least(1), medium cluster_wide;
        ""
    "remote.log.manager.fetch.quota.window.num": Int = "11", at_least(1), medium;
        ""
    "remote.log.manager.fetch.quota.window.size.seconds": Int = "1", at_least(1), medium;
        ""
    "remote.log.manager.follower.thread.pool.size": Int = "2", at_least(1), medium cluster_wide;
        ""
    "remote.log.manager.task.interval.ms": Long = "30000", at_least(1), low;
        ""
    "remote.log.manager.task.retry.backoff.max.ms": Long = "30000", at_least(1), low hidden;
        ""
    "remote.log.manager.task.retry.backoff.ms": Long = "500", at_least(1), low hidden;
        ""
    "remote.log.manager.task.retry.jitter": Double = "0.2", fraction(0.0, 0.5), low hidden;
        ""
    "remote.log.manager.thread.pool.size": Int = "2", at_least(1), medium;
        ""
    "remote.log.metadata.custom.metadata.max.bytes": Int = "128", at_least(0), low;
        ""
    "remote.log.metadata.manager.class.name": String =
        "org.apache.kafka.server.log.remote.metadata.storage.TopicBasedRemoteLogMetadataManager", NON_EMPTY, medium;
        ""
    "remote.log.metadata.manager.class.path": String = none, ANY, medium;
        ""
    "remote.log.metadata.manager.impl.prefix": String = "rlmm.config.", NON_EMPTY, medium;
        ""
    "remote.log.metadata.manager.listener.name": String = none, NON_EMPTY, medium;
        ""
    "remote.log.reader.max.pending.tasks": Int = "100", at_least(1), medium;
        ""
    "remote.log.reader.threads": Int = "10", at_least(1), medium cluster_wide;
        ""
    "remote.log.storage.manager.class.name": String = none, NON_EMPTY, medium;
        ""
    "remote.log.storage.manager.class.path": String = none, ANY, medium;
        ""
    "remote.log.storage.manager.impl.prefix": String = "rsm.config.", NON_EMPTY, medium;
        ""
    "remote.log.storage.system.enable": Bool = "false", ANY, medium;
        ""
}

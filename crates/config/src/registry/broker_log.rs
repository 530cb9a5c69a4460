//! Broker settings of the partition logs: segments, retention, cleaning, compression, flushing.
//! The defaults of most topic settings. Data only.

use super::settings;
use crate::check::{ANY, ITEMS, SOME_ITEMS, any_of, at_least, between, fraction, one_of};
use crate::rules::GZIP_LEVEL;

settings! { Broker
    "acks.all.flush": String = "auto", one_of(&["auto", "always", "never"]), high cluster_wide;
        ""
    "compression.gzip.level": Int = "-1", GZIP_LEVEL, medium cluster_wide;
        ""
    "compression.lz4.level": Int = "9", between(1, 17), medium cluster_wide;
        ""
    "compression.type": String =
        "producer", one_of(&["uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"]), high cluster_wide;
        ""
    "compression.zstd.level": Int = "3", between(-131_072, 22), medium cluster_wide;
        ""
    "cordoned.log.dirs": List = "", ITEMS, medium per_broker;
        ""
    "log.cleaner.backoff.ms": Long = "15000", at_least(0), medium cluster_wide;
        ""
    "log.cleaner.dedupe.buffer.size": Long = "134217728", ANY, medium cluster_wide;
        ""
    "log.cleaner.delete.retention.ms": Long = "86400000", at_least(0), medium cluster_wide;
        ""
    "log.cleaner.enable": Bool = "true", ANY, medium;
        ""
    "log.cleaner.io.buffer.load.factor": Double = "0.9", ANY, medium cluster_wide;
        ""
    "log.cleaner.io.buffer.size": Int = "524288", at_least(0), medium cluster_wide;
        ""
    "log.cleaner.io.max.bytes.per.second": Double =
        "1.7976931348623157E308", ANY, medium cluster_wide;
        ""
    "log.cleaner.max.compaction.lag.ms": Long =
        "9223372036854775807", at_least(1), medium cluster_wide;
        ""
    "log.cleaner.min.cleanable.ratio": Double = "0.5", fraction(0.0, 1.0), medium cluster_wide;
        ""
    "log.cleaner.min.compaction.lag.ms": Long = "0", at_least(0), medium cluster_wide;
        ""
    "log.cleaner.threads": Int = "1", at_least(0), medium cluster_wide;
        ""
    "log.cleanup.policy": List = "delete", any_of(&["compact", "delete"]), medium cluster_wide;
        ""
    "log.dir": List = "./highwater-data", SOME_ITEMS, high;
        ""
    "log.dir.failure.timeout.ms": Long = "30000", at_least(1), low;
        ""
    "log.dirs": List = "./highwater-data", SOME_ITEMS, high;
        ""
    "log.flush.interval.messages": Long = "9223372036854775807", at_least(1), high cluster_wide;
        ""
    "log.flush.interval.ms": Long = none, ANY, high cluster_wide;
        ""
    "log.flush.offset.checkpoint.interval.ms": Int = "60000", at_least(0), high;
        ""
    "log.flush.scheduler.interval.ms": Long = "9223372036854775807", ANY, high;
        ""
    "log.flush.start.offset.checkpoint.interval.ms": Int = "60000", at_least(0), high;
        ""
    "log.index.interval.bytes": Int = "4096", at_least(0), medium cluster_wide;
        ""
    "log.index.size.max.bytes": Int = "10485760", at_least(4), medium cluster_wide;
        ""
    "log.initial.task.delay.ms": Long = "30000", at_least(0), low hidden;
        ""
    "log.message.timestamp.after.max.ms": Long = "3600000", at_least(0), medium cluster_wide;
        ""
    "log.message.timestamp.before.max.ms": Long =
        "9223372036854775807", at_least(0), medium cluster_wide;
        ""
    "log.message.timestamp.type": String =
        "CreateTime", one_of(&["CreateTime", "LogAppendTime"]), medium cluster_wide;
        ""
    "log.preallocate": Bool = "false", ANY, medium cluster_wide;
        ""
    "log.retention.bytes": Long = "-1", ANY, high cluster_wide;
        ""
    "log.retention.check.interval.ms": Long = "300000", at_least(1), medium;
        ""
    "log.retention.hours": Int = "168", ANY, high;
        ""
    "log.retention.minutes": Int = none, ANY, high;
        ""
    "log.retention.ms": Long = none, ANY, high cluster_wide;
        ""
    "log.roll.hours": Int = "168", at_least(1), high;
        ""
    "log.roll.jitter.hours": Int = "0", at_least(0), high;
        ""
    "log.roll.jitter.ms": Long = none, ANY, high cluster_wide;
        ""
    "log.roll.ms": Long = none, ANY, high cluster_wide;
        ""
    "log.segment.bytes": Int = "1073741824", at_least(1_048_576), high cluster_wide;
        ""
    "log.segment.delete.delay.ms": Long = "60000", at_least(0), high cluster_wide;
        ""
    "max.decompressed.message.bytes": Int =
        "2147483639", between(1, 2_147_483_639), medium cluster_wide;
        ""
    "message.max.bytes": Int = "1048588", at_least(0), high cluster_wide;
        ""
    "min.insync.replicas": Int = "1", at_least(1), high cluster_wide;
        ""
    "num.recovery.threads.per.data.dir": Int = "2", at_least(1), high cluster_wide;
        ""
    "unclean.leader.election.enable": Bool = "false", ANY, high cluster_wide;
        ""
}

//! Topic settings. Data only; `synonyms` says which broker settings give their defaults.

use super::settings;
use crate::check::{ANY, any_of, at_least, between, fraction, one_of};
use crate::rules::{GZIP_LEVEL, THROTTLED};

settings! { Topic
    "acks.all.flush": String = "auto", one_of(&["auto", "always", "never"]), high;
        ""
    "cleanup.policy": List = "delete", any_of(&["compact", "delete"]), medium;
        ""
    "compression.gzip.level": Int = "-1", GZIP_LEVEL, medium;
        ""
    "compression.lz4.level": Int = "9", between(1, 17), medium;
        ""
    "compression.type": String =
        "producer", one_of(&["uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"]), medium;
        ""
    "compression.zstd.level": Int = "3", between(-131_072, 22), medium;
        ""
    "delete.retention.ms": Long = "86400000", at_least(0), medium;
        ""
    "errors.deadletterqueue.group.enable": Bool = "false", ANY, medium;
        ""
    "file.delete.delay.ms": Long = "60000", at_least(0), medium;
        ""
    "flush.messages": Long = "9223372036854775807", at_least(1), medium;
        ""
    "flush.ms": Long = "9223372036854775807", at_least(0), medium;
        ""
    "follower.replication.throttled.replicas": List = "", THROTTLED, medium;
        ""
    "index.interval.bytes": Int = "4096", at_least(0), medium;
        ""
    "leader.replication.throttled.replicas": List = "", THROTTLED, medium;
        ""
    "local.retention.bytes": Long = "-2", at_least(-2), medium;
        ""
    "local.retention.ms": Long = "-2", at_least(-2), medium;
        ""
    "max.compaction.lag.ms": Long = "9223372036854775807", at_least(1), medium;
        ""
    "max.decompressed.message.bytes": Int = "2147483639", between(1, 2_147_483_639), medium;
        ""
    "max.message.bytes": Int = "1048588", at_least(0), medium;
        ""
    "message.timestamp.after.max.ms": Long = "3600000", at_least(0), medium;
        ""
    "message.timestamp.before.max.ms": Long = "9223372036854775807", at_least(0), medium;
        ""
    "message.timestamp.type": String =
        "CreateTime", one_of(&["CreateTime", "LogAppendTime"]), medium;
        ""
    "min.cleanable.dirty.ratio": Double = "0.5", fraction(0.0, 1.0), medium;
        ""
    "min.compaction.lag.ms": Long = "0", at_least(0), medium;
        ""
    "min.insync.replicas": Int = "1", at_least(1), medium;
        ""
    "preallocate": Bool = "false", ANY, medium;
        ""
    "remote.copy.lag.bytes": Long = "-1", at_least(-1), medium;
        ""
    "remote.copy.lag.ms": Long = "0", at_least(-1), medium;
        ""
    "remote.log.copy.disable": Bool = "false", ANY, medium;
        ""
    "remote.log.delete.on.disable": Bool = "false", ANY, medium;
        ""
    "remote.storage.enable": Bool = "false", ANY, medium;
        ""
    "retention.bytes": Long = "-1", ANY, medium;
        ""
    "retention.ms": Long = "604800000", at_least(-1), medium;
        ""
    "segment.bytes": Int = "1073741824", at_least(1_048_576), medium;
        ""
    "segment.index.bytes": Int = "10485760", at_least(4), medium;
        ""
    "segment.jitter.ms": Long = "0", at_least(0), medium;
        ""
    "segment.ms": Long = "604800000", at_least(1), medium;
        ""
    "unclean.leader.election.enable": Bool = "false", ANY, medium;
        ""
}

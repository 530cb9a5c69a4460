//! Topic settings. Data only; `synonyms` says which broker settings give their defaults.

use super::settings;
use crate::check::{ANY, any_of, at_least, between, fraction, one_of};
use crate::rules::{GZIP_LEVEL, THROTTLED};

settings! { Topic
    "acks.all.flush": String = "auto", one_of(&["auto", "always", "never"]), high;
        "Whether a record counts as held only once it is flushed: auto (a lone in-sync replica waits for the disk), always, never."
    "cleanup.policy": List = "delete", any_of(&["compact", "delete"]), medium;
        "What happens to old segments: delete, compact, both, or nothing if empty."
    "compression.gzip.level": Int = "-1", GZIP_LEVEL, medium;
        "Level for topics compressed with gzip, 1 (fast) to 9 (small); -1 is the codec's default."
    "compression.lz4.level": Int = "9", between(1, 17), medium;
        "Level for topics compressed with lz4, 1 (fast) to 17 (small)."
    "compression.type": String =
        "producer", one_of(&["uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"]), medium;
        "How batches are compressed on disk; producer keeps them as they were sent."
    "compression.zstd.level": Int = "3", between(-131_072, 22), medium;
        "Level for topics compressed with zstd, up to 22 (small); negative levels are fastest."
    "delete.retention.ms": Long = "86400000", at_least(0), medium;
        "Milliseconds a delete marker stays in a compacted topic."
    "errors.deadletterqueue.group.enable": Bool = "false", ANY, medium;
        "Share groups may use this topic for dead letters."
    "file.delete.delay.ms": Long = "60000", at_least(0), medium;
        "Milliseconds between marking a segment as deleted and removing it."
    "flush.messages": Long = "9223372036854775807", at_least(1), medium;
        "Appended records after which the log is flushed to disk."
    "flush.ms": Long = "9223372036854775807", at_least(0), medium;
        "Milliseconds after which appended records are flushed to disk."
    "follower.replication.throttled.replicas": List = "", THROTTLED, medium;
        "Replicas throttled as followers, partition:broker each, or * for all."
    "index.interval.bytes": Int = "4096", at_least(0), medium;
        "Bytes of records between two index entries."
    "leader.replication.throttled.replicas": List = "", THROTTLED, medium;
        "Replicas throttled as leaders, partition:broker each, or * for all."
    "local.retention.bytes": Long = "-2", at_least(-2), medium;
        "Bytes of a tiered partition kept on local disk; -2 follows retention.bytes."
    "local.retention.ms": Long = "-2", at_least(-2), medium;
        "Milliseconds segments of a tiered partition stay on local disk; -2 follows retention.ms."
    "max.compaction.lag.ms": Long = "9223372036854775807", at_least(1), medium;
        "Milliseconds after which a record must come up for compaction."
    "max.decompressed.message.bytes": Int = "2147483639", between(1, 2_147_483_639), medium;
        "Most bytes that a record may decompress to."
    "max.message.bytes": Int = "1048588", at_least(0), medium;
        "Most bytes of a record batch, after compression."
    "message.timestamp.after.max.ms": Long = "3600000", at_least(0), medium;
        "Milliseconds a record's time may lie after the broker's."
    "message.timestamp.before.max.ms": Long = "9223372036854775807", at_least(0), medium;
        "Milliseconds a record's time may lie before the broker's."
    "message.timestamp.type": String =
        "CreateTime", one_of(&["CreateTime", "LogAppendTime"]), medium;
        "Whose clock stamps records: the producer's (CreateTime) or the broker's (LogAppendTime)."
    "min.cleanable.dirty.ratio": Double = "0.5", fraction(0.0, 1.0), medium;
        "Share of uncompacted bytes, 0 to 1, from which on the log is compacted."
    "min.compaction.lag.ms": Long = "0", at_least(0), medium;
        "Milliseconds a record stays untouched by compaction."
    "min.insync.replicas": Int = "1", at_least(1), medium;
        "Replicas that must be in sync for a write with acks=all."
    "preallocate": Bool = "false", ANY, medium;
        "Reserve the full size of a segment when it is created."
    "remote.copy.lag.bytes": Long = "-1", at_least(-1), medium;
        "Bytes a finished segment must lie behind before it is uploaded; -1 does not ask for it."
    "remote.copy.lag.ms": Long = "0", at_least(-1), medium;
        "Milliseconds a finished segment waits before it is uploaded; -1 does not ask for it."
    "remote.log.copy.disable": Bool = "false", ANY, medium;
        "Upload no more segments; what is remote stays readable."
    "remote.log.delete.on.disable": Bool = "false", ANY, medium;
        "Delete what is remote when tiered storage is turned off for the topic."
    "remote.storage.enable": Bool = "false", ANY, medium;
        "Keep older segments in remote storage."
    "retention.bytes": Long = "-1", ANY, medium;
        "Bytes of a partition above which old segments go; -1 means no limit."
    "retention.ms": Long = "604800000", at_least(-1), medium;
        "Milliseconds records are kept; -1 means for ever."
    "segment.bytes": Int = "1073741824", at_least(1_048_576), medium;
        "Most bytes of a segment file."
    "segment.index.bytes": Int = "10485760", at_least(4), medium;
        "Most bytes of an index file; a full one rolls the segment."
    "segment.jitter.ms": Long = "0", at_least(0), medium;
        "Most milliseconds subtracted at random from segment.ms."
    "segment.ms": Long = "604800000", at_least(1), medium;
        "Milliseconds, by the records' times, after which a segment is closed."
    "unclean.leader.election.enable": Bool = "false", ANY, medium;
        "Let a replica that is not in sync lead when no other is left; records may be lost."
}

//! Broker settings of the partition logs: segments, retention, cleaning, compression, flushing.
//! The defaults of most topic settings. Data only.

use super::settings;
use crate::check::{ANY, ITEMS, SOME_ITEMS, any_of, at_least, between, fraction, one_of};
use crate::rules::GZIP_LEVEL;

settings! { Broker
    "acks.all.flush": String = "auto", one_of(&["auto", "always", "never"]), high cluster_wide;
        "Whether a record counts as held only once it is flushed: auto (a lone in-sync replica waits for the disk), always, never."
    "compression.gzip.level": Int = "-1", GZIP_LEVEL, medium cluster_wide;
        "Level for topics compressed with gzip, 1 (fast) to 9 (small); -1 is the codec's default."
    "compression.lz4.level": Int = "9", between(1, 17), medium cluster_wide;
        "Level for topics compressed with lz4, 1 (fast) to 17 (small)."
    "compression.type": String =
        "producer", one_of(&["uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"]), high cluster_wide;
        "How batches are compressed on disk; producer keeps them as they were sent."
    "compression.zstd.level": Int = "3", between(-131_072, 22), medium cluster_wide;
        "Level for topics compressed with zstd, up to 22 (small); negative levels are fastest."
    "cordoned.log.dirs": List = "", ITEMS, medium per_broker;
        "Log directories that take no new partitions; * means all of them."
    "log.cleaner.backoff.ms": Long = "15000", at_least(0), medium cluster_wide;
        "Milliseconds the cleaner sleeps when nothing needs compaction."
    "log.cleaner.dedupe.buffer.size": Long = "134217728", ANY, medium cluster_wide;
        "Bytes of memory for the key maps of all cleaner threads."
    "log.cleaner.delete.retention.ms": Long = "86400000", at_least(0), medium cluster_wide;
        "Milliseconds a delete marker stays in a compacted topic."
    "log.cleaner.enable": Bool = "true", ANY, medium;
        "Run the cleaner; without it compacted topics grow."
    "log.cleaner.io.buffer.load.factor": Double = "0.9", ANY, medium cluster_wide;
        "Fill of the key map, 0 to 1, at which a cleaning pass stops reading."
    "log.cleaner.io.buffer.size": Int = "524288", at_least(0), medium cluster_wide;
        "Bytes of read and write buffers of all cleaner threads."
    "log.cleaner.io.max.bytes.per.second": Double =
        "1.7976931348623157E308", ANY, medium cluster_wide;
        "Bytes per second that cleaning may read and write."
    "log.cleaner.max.compaction.lag.ms": Long =
        "9223372036854775807", at_least(1), medium cluster_wide;
        "Milliseconds after which a record must come up for compaction."
    "log.cleaner.min.cleanable.ratio": Double = "0.5", fraction(0.0, 1.0), medium cluster_wide;
        "Share of uncompacted bytes, 0 to 1, from which on a log is compacted."
    "log.cleaner.min.compaction.lag.ms": Long = "0", at_least(0), medium cluster_wide;
        "Milliseconds a record stays untouched by compaction."
    "log.cleaner.threads": Int = "1", at_least(0), medium cluster_wide;
        "Threads that compact logs."
    "log.cleanup.policy": List = "delete", any_of(&["compact", "delete"]), medium cluster_wide;
        "What happens to old segments: delete, compact, both, or nothing if empty."
    "log.dir": List = "./highwater-data", SOME_ITEMS, high;
        "Data directories where log.dirs is not set."
    "log.dir.failure.timeout.ms": Long = "30000", at_least(1), low;
        "Milliseconds a broker tries to report a failed log directory before it stops."
    "log.dirs": List = "./highwater-data", SOME_ITEMS, high;
        "Data directories, one or more."
    "log.flush.interval.messages": Long = "9223372036854775807", at_least(1), high cluster_wide;
        "Appended records after which a log is flushed to disk."
    "log.flush.interval.ms": Long = none, ANY, high cluster_wide;
        "Milliseconds after which appended records are flushed to disk; follows log.flush.scheduler.interval.ms if not set."
    "log.flush.offset.checkpoint.interval.ms": Int = "60000", at_least(0), high;
        "Milliseconds between writes of the recovery points."
    "log.flush.scheduler.interval.ms": Long = "9223372036854775807", ANY, high;
        "Milliseconds between searches for logs that are due for a flush."
    "log.flush.start.offset.checkpoint.interval.ms": Int = "60000", at_least(0), high;
        "Milliseconds between writes of the log start offsets."
    "log.index.interval.bytes": Int = "4096", at_least(0), medium cluster_wide;
        "Bytes of records between two index entries."
    "log.index.size.max.bytes": Int = "10485760", at_least(4), medium cluster_wide;
        "Most bytes of an index file; a full one rolls the segment."
    "log.initial.task.delay.ms": Long = "30000", at_least(0), low hidden;
        "Milliseconds after start before log chores begin; for tests."
    "log.message.timestamp.after.max.ms": Long = "3600000", at_least(0), medium cluster_wide;
        "Milliseconds a record's time may lie after the broker's."
    "log.message.timestamp.before.max.ms": Long =
        "9223372036854775807", at_least(0), medium cluster_wide;
        "Milliseconds a record's time may lie before the broker's."
    "log.message.timestamp.type": String =
        "CreateTime", one_of(&["CreateTime", "LogAppendTime"]), medium cluster_wide;
        "Whose clock stamps records: the producer's (CreateTime) or the broker's (LogAppendTime)."
    "log.preallocate": Bool = "false", ANY, medium cluster_wide;
        "Reserve the full size of a segment when it is created."
    "log.retention.bytes": Long = "-1", ANY, high cluster_wide;
        "Bytes of a partition above which old segments go; -1 means no limit."
    "log.retention.check.interval.ms": Long = "300000", at_least(1), medium;
        "Milliseconds between searches for segments past their retention."
    "log.retention.hours": Int = "168", ANY, high;
        "Hours records are kept, where neither minutes nor milliseconds are given; -1 means for ever."
    "log.retention.minutes": Int = none, ANY, high;
        "Minutes records are kept, where no milliseconds are given; -1 means for ever."
    "log.retention.ms": Long = none, ANY, high cluster_wide;
        "Milliseconds records are kept; -1 means for ever."
    "log.roll.hours": Int = "168", at_least(1), high;
        "Hours after which a segment is closed, where no milliseconds are given."
    "log.roll.jitter.hours": Int = "0", at_least(0), high;
        "Most hours subtracted at random from the roll time, where no milliseconds are given."
    "log.roll.jitter.ms": Long = none, ANY, high cluster_wide;
        "Most milliseconds subtracted at random from the roll time."
    "log.roll.ms": Long = none, ANY, high cluster_wide;
        "Milliseconds after which a segment is closed."
    "log.segment.bytes": Int = "1073741824", at_least(1_048_576), high cluster_wide;
        "Most bytes of a segment file."
    "log.segment.delete.delay.ms": Long = "60000", at_least(0), high cluster_wide;
        "Milliseconds between marking a segment as deleted and removing it."
    "max.decompressed.message.bytes": Int =
        "2147483639", between(1, 2_147_483_639), medium cluster_wide;
        "Most bytes that a record may decompress to."
    "message.max.bytes": Int = "1048588", at_least(0), high cluster_wide;
        "Most bytes of a record batch, after compression."
    "min.insync.replicas": Int = "1", at_least(1), high cluster_wide;
        "Replicas that must be in sync for a write with acks=all."
    "num.recovery.threads.per.data.dir": Int = "2", at_least(1), high cluster_wide;
        "Threads per data directory that recover logs at start."
    "unclean.leader.election.enable": Bool = "false", ANY, high cluster_wide;
        "Let a replica that is not in sync lead when no other is left; records may be lost."
}

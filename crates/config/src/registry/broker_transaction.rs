//! Broker settings of transactions and producer ids. Data only.

use super::settings;
use crate::check::{ANY, at_least};

settings! { Broker
    "add.partitions.to.txn.retry.backoff.max.ms": Int = "100", at_least(0), high;
        ""
    "add.partitions.to.txn.retry.backoff.ms": Int = "20", at_least(1), high;
        ""
    "producer.id.expiration.check.interval.ms": Int = "600000", at_least(1), low hidden;
        ""
    "producer.id.expiration.ms": Int = "86400000", at_least(1), low cluster_wide;
        ""
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": Int = "10000", at_least(1), low;
        ""
    "transaction.max.timeout.ms": Int = "900000", at_least(1), high;
        ""
    "transaction.partition.verification.enable": Bool = "true", ANY, low cluster_wide;
        ""
    "transaction.remove.expired.transaction.cleanup.interval.ms": Int = "3600000", at_least(1), low;
        ""
    "transaction.state.log.load.buffer.size": Int = "5242880", at_least(1), high;
        ""
    "transaction.state.log.min.isr": Int = "2", at_least(1), high;
        ""
    "transaction.state.log.num.partitions": Int = "50", at_least(1), high;
        ""
    "transaction.state.log.replication.factor": Short = "3", at_least(1), high;
        ""
    "transaction.state.log.segment.bytes": Int = "104857600", at_least(1), high;
        ""
    "transaction.two.phase.commit.enable": Bool = "false", ANY, low;
        ""
    "transactional.id.expiration.ms": Int = "604800000", at_least(1), high;
        ""
}

//! Broker settings of transactions and producer ids. Data only.

use super::settings;
use crate::check::{ANY, at_least};

settings! { Broker
    "add.partitions.to.txn.retry.backoff.max.ms": Int = "100", at_least(0), high;
        "Milliseconds after which the broker stops retrying to add a partition to a transaction."
    "add.partitions.to.txn.retry.backoff.ms": Int = "20", at_least(1), high;
        "Milliseconds between the broker's attempts to add a partition to a transaction."
    "producer.id.expiration.check.interval.ms": Int = "600000", at_least(1), low hidden;
        "Milliseconds between searches for expired producer ids; for tests."
    "producer.id.expiration.ms": Int = "86400000", at_least(1), low cluster_wide;
        "Milliseconds after its last write until a partition forgets a producer."
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": Int = "10000", at_least(1), low;
        "Milliseconds between searches for transactions that have run out of time."
    "transaction.max.timeout.ms": Int = "900000", at_least(1), high;
        "Longest transaction timeout in milliseconds that a producer may ask for."
    "transaction.partition.verification.enable": Bool = "true", ANY, low cluster_wide;
        "Check that a partition belongs to the transaction before its records are appended."
    "transaction.remove.expired.transaction.cleanup.interval.ms": Int = "3600000", at_least(1), low;
        "Milliseconds between searches for expired transactional ids."
    "transaction.state.log.load.buffer.size": Int = "5242880", at_least(1), high;
        "Bytes read at a time when transaction state is loaded."
    "transaction.state.log.min.isr": Int = "2", at_least(1), high;
        "Least in-sync replicas of the transaction topic."
    "transaction.state.log.num.partitions": Int = "50", at_least(1), high;
        "Partitions of the transaction topic; not to be changed once it exists."
    "transaction.state.log.replication.factor": Short = "3", at_least(1), high;
        "Replicas of the transaction topic; fewer while there are fewer brokers."
    "transaction.state.log.segment.bytes": Int = "104857600", at_least(1), high;
        "Most bytes of a segment of the transaction topic."
    "transaction.two.phase.commit.enable": Bool = "false", ANY, low;
        "Allow transactions that an outside coordinator decides."
    "transactional.id.expiration.ms": Int = "604800000", at_least(1), high;
        "Milliseconds an unused transactional id is remembered."
}

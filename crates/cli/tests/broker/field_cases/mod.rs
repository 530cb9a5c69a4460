//! Faults that users of brokers reported, and the right behaviour. Each was measured on Kafka
//! 4.4.0; where we do better on purpose, the test says so.
//!
//! What users met, and the tests that say it does not happen here. Those of other crates have a
//! clock of their own, or see what a client cannot.
//!
//! | Users met | Tests |
//! |---|---|
//! | a batch that was cut or rebased, or one codec treated otherwise, when reading begins inside it | `fetch::batches_come_whole`; compat `librdkafka` |
//! | a fetch session that serves a new topic's records under a deleted one's id, hangs, starves its other topics, or tells the error only once | `fetch::a_session_over_a_topic_that_is_created_anew`, `fetch::a_session_keeps_to_ids_or_names`; broker `fetch::session` |
//! | offsets that shift, are given out twice, or end the whole fetch, when all records expire or are deleted | `retention` (all); log `retention` |
//! | the batch's offset or time where a record's was asked, above all in compressed batches and without the time index | `times::the_first_record_that_is_not_older`; log `times` |
//! | the end of the batch or log as the place of the largest time | `times::the_record_of_the_largest_time`, `times::the_largest_time_where_the_broker_sets_it`; log `times` |
//! | one spelling of a codec refused, or stored so that old clients cannot read it; damage answered as an unknown error | `records::every_spelling_of_compression`; `wrong_inputs::produce`; records `codecs`, `produced`; compat `librdkafka`, `sarama` |
//! | null for empty or the reverse, headers merged or sorted | `records::nulls_empties_and_headers`, `records::a_batch_of_exactly_the_limit`; compat `librdkafka` |
//! | batches stored twice, or refused though stored, when a producer sends five again after a kill or a stop | `producers::sent_again_after_a_kill`, `producers::sent_again_after_a_stop`; client `producer_chaos`; compat `crash` |
//! | a producer forgotten together with its records | `producers::a_producer_outlives_its_records`, `producers::a_producer_outlives_records_that_expire`; log `producers` |
//! | a static member that restarts in a rebalance and owns nothing, or two of one name | `static_members` (all); group `replaced` |
//! | groups that hang after clients that never came back: an id never used, a last member that expires meanwhile, joins of closed connections, a last one that leaves | `groups` (all); group `stuck` |
//! | offsets of live, quiet groups that vanish, others that never do | `offsets::what_may_expire_does`; group `retention` |
//! | partitions left out of the answer to OffsetFetch, errors where the version has no place for them | `offsets::every_partition_is_answered_in_old_versions`, `offsets::every_partition_of_every_group_is_answered`; group `fetching`, `refused` |
//! | AlterConfigs that keeps what it should replace, or the incremental one that resets | `admin::the_old_call_replaces_and_the_new_one_touches` |
//! | tools that fall over nulls and gaps in what describes a cluster, broker, logger or group | `admin` (the others); `transcripts::classic_group`; config `describe`; compat `kafka` |
//! | connections reset at a version from the future; answers of old versions a byte off | `connection` (all); `versions`, `api_versions`; compat `librdkafka` |

pub mod admin;
mod connection;
mod fetch;
mod groups;
mod offsets;
mod producers;
mod records;
mod retention;
mod static_members;
mod times;

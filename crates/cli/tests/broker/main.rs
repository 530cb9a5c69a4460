//! The broker as its clients see it: the built binary, over sockets.
//!
//! Each test can also be run against Apache Kafka (`HIGHWATER_TEST_KAFKA`, see the testkit), which
//! proves the test; what only Highwater promises says so. Knows nothing of the broker's code.

mod api_versions;
mod bad_input;
mod compaction;
mod crash;
mod field_cases;
mod group_settings;
mod load;
mod log_levels;
mod network_settings;
mod shared;
mod transcripts;
mod versions;
mod wrong_inputs;

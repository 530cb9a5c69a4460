//! Every setting of a Highwater node: its registry, how values are read, checked and layered, and
//! the typed results.
//!
//! Owns names, kinds, defaults, ranges and precedence. Knows nothing of who reads a setting, of
//! files, the environment or the protocol's error codes: text comes in, values come out.

mod broker;
mod change;
mod check;
mod cross;
mod describe;
mod duration;
mod error;
mod group;
mod layers;
mod listeners;
mod loggers;
mod names;
mod nearest;
mod parse;
mod registry;
mod rules;
mod setting;
mod static_config;
mod synonyms;
mod topic;

pub use broker::{
    BrokerConfig, ClassicGroupsConfig, ControllerConfig, FetchConfig, LogsConfig, MigrationPolicy,
    ModernGroupsConfig, NetworkConfig, NodeConfig, OffsetsConfig, ProducersConfig, QuotaWindow,
    QuotasConfig, ReplicationConfig, Roles, ShareStateConfig, TopicDefaults,
};
pub use change::{
    ChangeError, Edit, Op, Refusal, Target, VALUE_BYTES_MAX, check_overrides, decide_edits,
    decide_logger_edits, decide_new_topic, decide_replacement,
};
pub use check::Check;
pub use describe::{
    Entry, EntrySynonym, describe_broker, describe_client_metrics, describe_cluster_default,
    describe_group, describe_loggers, describe_topic,
};
pub use error::ConfigError;
pub use group::{
    AutoOffsetReset, ConsumerGroupConfig, GroupConfig, ShareGroupConfig, StreamsGroupConfig,
};
pub use layers::{Layers, Overrides, Source};
pub use listeners::{Listener, SecurityProtocol, parse_listeners};
pub use loggers::{LOGGERS, LogLevel};
pub use names::variable_of_setting;
pub use registry::{lookup, nearest, registry, settings_of};
pub use setting::{Importance, Kind, Level, Mode, Setting, Value};
pub use static_config::{ConfigErrors, Sources, StaticConfig, Warning};
pub use synonyms::{Synonym, Unit, broker_names_of};
pub use topic::{CleanupPolicy, CompressionType, FlushPolicy, TimestampType, TopicConfig};

//! Kafka's error codes.
//!
//! Which code answers what is decided where the failure is mapped; here are only the numbers and
//! their words. `retriable` means that the same request may succeed later, as Kafka's clients
//! see it.

use std::fmt;

/// A code in an answer. Any number can be held; the constants are those that Kafka has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct ErrorCode(pub i16);

struct Entry {
    code: i16,
    name: &'static str,
    retriable: bool,
    message: &'static str,
}

macro_rules! errors {
    ($($code:literal $name:ident $($retriable:ident)?: $message:literal,)*) => {
        impl ErrorCode {
            $(#[doc = $message] pub const $name: ErrorCode = ErrorCode($code);)*
        }

        /// Rising by code, from -1 on, without gaps.
        static TABLE: &[Entry] = &[$(Entry {
            code: $code,
            name: stringify!($name),
            retriable: !stringify!($($retriable)?).is_empty(),
            message: $message,
        },)*];
    };
}

impl ErrorCode {
    fn entry(self) -> Option<&'static Entry> {
        let index = usize::try_from(i32::from(self.0) + 1).ok()?;
        TABLE.get(index)
    }

    pub fn is_none(self) -> bool {
        self == ErrorCode::NONE
    }

    /// Kafka's name; `UNKNOWN` for a code that Kafka does not have.
    pub fn name(self) -> &'static str {
        self.entry().map_or("UNKNOWN", |e| e.name)
    }

    /// A sentence for people; empty for a code that Kafka does not have.
    pub fn message(self) -> &'static str {
        self.entry().map_or("", |e| e.message)
    }

    /// The same request may succeed later.
    pub fn is_retriable(self) -> bool {
        self.entry().is_some_and(|e| e.retriable)
    }

    /// The code of a name; `None` if Kafka has no such name.
    pub fn from_name(name: &str) -> Option<ErrorCode> {
        TABLE.iter().find(|e| e.name == name).map(|e| ErrorCode(e.code))
    }

    /// Every code that Kafka has, rising.
    pub fn all() -> impl Iterator<Item = ErrorCode> {
        TABLE.iter().map(|e| ErrorCode(e.code))
    }
}

impl From<ErrorCode> for i16 {
    fn from(code: ErrorCode) -> i16 {
        code.0
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name(), self.0)
    }
}

impl fmt::Debug for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

errors! {
    -1 UNKNOWN_SERVER_ERROR: "The broker met an error it has no code for",
    0 NONE: "No error",
    1 OFFSET_OUT_OF_RANGE: "The offset lies outside of what the partition holds",
    2 CORRUPT_MESSAGE retriable: "A record batch is damaged: checksum, size or structure is wrong",
    3 UNKNOWN_TOPIC_OR_PARTITION retriable: "This broker does not know the topic or partition",
    4 INVALID_FETCH_SIZE: "The fetch size is not valid",
    5 LEADER_NOT_AVAILABLE retriable: "The partition has no leader at the moment",
    6 NOT_LEADER_OR_FOLLOWER retriable: "This broker is not the leader of the partition, or does not hold it",
    7 REQUEST_TIMED_OUT retriable: "The request could not be carried out in the time it allows",
    8 BROKER_NOT_AVAILABLE: "The broker is not available",
    9 REPLICA_NOT_AVAILABLE retriable: "The replica is not available",
    10 MESSAGE_TOO_LARGE: "A record batch is larger than the topic takes",
    11 STALE_CONTROLLER_EPOCH: "The controller has been replaced by a newer one",
    12 OFFSET_METADATA_TOO_LARGE: "The metadata of an offset is longer than the broker takes",
    13 NETWORK_EXCEPTION retriable: "The connection broke before the answer came",
    14 COORDINATOR_LOAD_IN_PROGRESS retriable: "The coordinator is still loading its state",
    15 COORDINATOR_NOT_AVAILABLE retriable: "No coordinator is available",
    16 NOT_COORDINATOR retriable: "This broker is not the coordinator",
    17 INVALID_TOPIC_EXCEPTION: "The topic name is not valid",
    18 RECORD_LIST_TOO_LARGE: "The batch is larger than a log segment",
    19 NOT_ENOUGH_REPLICAS retriable: "Fewer replicas are in sync than the topic requires",
    20 NOT_ENOUGH_REPLICAS_AFTER_APPEND retriable: "The records were written, but fewer replicas are in sync than the topic requires",
    21 INVALID_REQUIRED_ACKS: "acks must be -1, 0 or 1",
    22 ILLEGAL_GENERATION: "The generation of the group is not the current one",
    23 INCONSISTENT_GROUP_PROTOCOL: "The member shares no protocol with the group, or is of another type",
    24 INVALID_GROUP_ID: "The group id is not valid",
    25 UNKNOWN_MEMBER_ID: "The group has no such member",
    26 INVALID_SESSION_TIMEOUT: "The session timeout is outside of what the broker takes",
    27 REBALANCE_IN_PROGRESS: "The group is rebalancing: rejoin",
    28 INVALID_COMMIT_OFFSET_SIZE: "The offset and its metadata are too large to be kept",
    29 TOPIC_AUTHORIZATION_FAILED: "The topic may not be accessed",
    30 GROUP_AUTHORIZATION_FAILED: "The group may not be accessed",
    31 CLUSTER_AUTHORIZATION_FAILED: "The cluster may not be accessed",
    32 INVALID_TIMESTAMP: "A record's timestamp is outside of what the topic takes",
    33 UNSUPPORTED_SASL_MECHANISM: "The SASL mechanism is not offered",
    34 ILLEGAL_SASL_STATE: "The request does not fit the state of the SASL handshake",
    35 UNSUPPORTED_VERSION: "The version of the request is not supported",
    36 TOPIC_ALREADY_EXISTS: "The topic exists already",
    37 INVALID_PARTITIONS: "The number of partitions is not valid",
    38 INVALID_REPLICATION_FACTOR: "The replication factor is below 1 or above the number of brokers",
    39 INVALID_REPLICA_ASSIGNMENT: "The assignment of replicas is not valid",
    40 INVALID_CONFIG: "The configuration is not valid",
    41 NOT_CONTROLLER retriable: "This node is not the active controller",
    42 INVALID_REQUEST: "The request contradicts itself or breaks a rule",
    43 UNSUPPORTED_FOR_MESSAGE_FORMAT: "The message format of the partition does not support the request",
    44 POLICY_VIOLATION: "A policy of the cluster refuses the request",
    45 OUT_OF_ORDER_SEQUENCE_NUMBER: "The producer's sequence number does not follow the last one",
    46 DUPLICATE_SEQUENCE_NUMBER: "The producer's sequence number was seen before",
    47 INVALID_PRODUCER_EPOCH: "The producer's epoch is older than the current one",
    48 INVALID_TXN_STATE: "The transaction is not in a state that allows this",
    49 INVALID_PRODUCER_ID_MAPPING: "The producer id does not belong to the transactional id",
    50 INVALID_TRANSACTION_TIMEOUT: "The transaction timeout is longer than the broker takes",
    51 CONCURRENT_TRANSACTIONS retriable: "Another operation on the same transactional id is under way",
    52 TRANSACTION_COORDINATOR_FENCED: "The transaction coordinator has been replaced by a newer one",
    53 TRANSACTIONAL_ID_AUTHORIZATION_FAILED: "The transactional id may not be used",
    54 SECURITY_DISABLED: "Security is disabled",
    55 OPERATION_NOT_ATTEMPTED: "Nothing was attempted, because another part of the request failed",
    56 KAFKA_STORAGE_ERROR retriable: "The broker could not read or write its storage",
    57 LOG_DIR_NOT_FOUND: "The log directory is not one of the broker's, or is offline",
    58 SASL_AUTHENTICATION_FAILED: "SASL authentication failed",
    59 UNKNOWN_PRODUCER_ID: "The broker no longer knows the producer id",
    60 REASSIGNMENT_IN_PROGRESS: "The partition is being reassigned",
    61 DELEGATION_TOKEN_AUTH_DISABLED: "Delegation tokens are disabled",
    62 DELEGATION_TOKEN_NOT_FOUND: "The delegation token does not exist",
    63 DELEGATION_TOKEN_OWNER_MISMATCH: "The delegation token belongs to someone else",
    64 DELEGATION_TOKEN_REQUEST_NOT_ALLOWED: "Delegation tokens cannot be requested on this connection",
    65 DELEGATION_TOKEN_AUTHORIZATION_FAILED: "The delegation token may not be accessed",
    66 DELEGATION_TOKEN_EXPIRED: "The delegation token has expired",
    67 INVALID_PRINCIPAL_TYPE: "The principal type is not supported",
    68 NON_EMPTY_GROUP: "The group is not empty",
    69 GROUP_ID_NOT_FOUND: "The group does not exist",
    70 FETCH_SESSION_ID_NOT_FOUND retriable: "The fetch session does not exist",
    71 INVALID_FETCH_SESSION_EPOCH retriable: "The epoch of the fetch session is not the expected one",
    72 LISTENER_NOT_FOUND retriable: "The leader has no endpoint on the listener of this connection",
    73 TOPIC_DELETION_DISABLED: "Topics cannot be deleted in this cluster",
    74 FENCED_LEADER_EPOCH retriable: "The leader epoch is older than the broker's",
    75 UNKNOWN_LEADER_EPOCH retriable: "The leader epoch is newer than the broker's",
    76 UNSUPPORTED_COMPRESSION_TYPE: "The compression type is not supported by this version",
    77 STALE_BROKER_EPOCH: "The broker's epoch is older than the registered one",
    78 OFFSET_NOT_AVAILABLE retriable: "The offset is not known yet: the leader is new",
    79 MEMBER_ID_REQUIRED: "A member id is needed to join: use the one in this answer",
    80 PREFERRED_LEADER_NOT_AVAILABLE retriable: "The preferred leader is not available",
    81 GROUP_MAX_SIZE_REACHED: "The group is full",
    82 FENCED_INSTANCE_ID: "Another member has taken over the instance id",
    83 ELIGIBLE_LEADERS_NOT_AVAILABLE retriable: "No eligible leader is available",
    84 ELECTION_NOT_NEEDED retriable: "The partition needs no election",
    85 NO_REASSIGNMENT_IN_PROGRESS: "No reassignment is under way",
    86 GROUP_SUBSCRIBED_TO_TOPIC: "The group is subscribed to the topic",
    87 INVALID_RECORD: "A record is not valid",
    88 UNSTABLE_OFFSET_COMMIT retriable: "Transactional offsets are not settled yet",
    89 THROTTLING_QUOTA_EXCEEDED retriable: "A quota is exhausted",
    90 PRODUCER_FENCED: "A newer producer with the same transactional id has taken over",
    91 RESOURCE_NOT_FOUND: "The resource does not exist",
    92 DUPLICATE_RESOURCE: "The resource is named twice",
    93 UNACCEPTABLE_CREDENTIAL: "The credential does not meet the requirements",
    94 INCONSISTENT_VOTER_SET: "The voter set is not the expected one",
    95 INVALID_UPDATE_VERSION: "The version to update to is not valid",
    96 FEATURE_UPDATE_FAILED: "The feature could not be updated",
    97 PRINCIPAL_DESERIALIZATION_FAILURE: "The principal could not be read",
    98 SNAPSHOT_NOT_FOUND: "The snapshot does not exist",
    99 POSITION_OUT_OF_RANGE: "The position lies outside of the snapshot",
    100 UNKNOWN_TOPIC_ID retriable: "This broker does not know the topic id",
    101 DUPLICATE_BROKER_REGISTRATION: "Another broker is registered with this id",
    102 BROKER_ID_NOT_REGISTERED: "No broker is registered with this id",
    103 INCONSISTENT_TOPIC_ID retriable: "The topic id is not that of the log",
    104 INCONSISTENT_CLUSTER_ID: "The cluster id is not that of this cluster",
    105 TRANSACTIONAL_ID_NOT_FOUND: "The transactional id does not exist",
    106 FETCH_SESSION_TOPIC_ID_ERROR retriable: "The fetch session uses topic ids otherwise than the request",
    107 INELIGIBLE_REPLICA: "The replica may not join the in-sync replicas",
    108 NEW_LEADER_ELECTED: "The change made another replica the leader",
    109 OFFSET_MOVED_TO_TIERED_STORAGE: "The offset has moved to tiered storage",
    110 FENCED_MEMBER_EPOCH: "The member's epoch is not the current one: rejoin",
    111 UNRELEASED_INSTANCE_ID: "The instance id is still in use",
    112 UNSUPPORTED_ASSIGNOR: "The assignor is not supported",
    113 STALE_MEMBER_EPOCH: "The member's epoch is older than the current one",
    114 MISMATCHED_ENDPOINT_TYPE: "The endpoint is not of the type the request is for",
    115 UNSUPPORTED_ENDPOINT_TYPE: "The endpoint type is not known",
    116 UNKNOWN_CONTROLLER_ID: "The controller id is not known",
    117 UNKNOWN_SUBSCRIPTION_ID: "The subscription id is not the current one",
    118 TELEMETRY_TOO_LARGE: "The telemetry is larger than the broker takes",
    119 INVALID_REGISTRATION: "The registration is not valid",
    120 TRANSACTION_ABORTABLE: "The transaction failed: abort it",
    121 INVALID_RECORD_STATE: "The record is not in a state that allows this",
    122 SHARE_SESSION_NOT_FOUND retriable: "The share session does not exist",
    123 INVALID_SHARE_SESSION_EPOCH retriable: "The epoch of the share session is not the expected one",
    124 FENCED_STATE_EPOCH: "The epoch of the share state is older than the current one",
    125 INVALID_VOTER_KEY: "The voter key is not the expected one",
    126 DUPLICATE_VOTER: "The voter is in the set already",
    127 VOTER_NOT_FOUND: "The voter is not in the set",
    128 INVALID_REGULAR_EXPRESSION: "The regular expression is not valid",
    129 REBOOTSTRAP_REQUIRED: "The client's knowledge of the cluster is too old: bootstrap again",
    130 STREAMS_INVALID_TOPOLOGY: "The topology is not valid",
    131 STREAMS_INVALID_TOPOLOGY_EPOCH: "The topology epoch is not valid",
    132 STREAMS_TOPOLOGY_FENCED: "The topology epoch is older than the group's",
    133 SHARE_SESSION_LIMIT_REACHED retriable: "The broker holds as many share sessions as it may",
    134 GROUP_DELETION_FAILED: "The group could not be deleted",
    135 STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED: "The topology description could not be updated",
    136 CONTROLLER_ID_NOT_REGISTERED: "No controller is registered with this id",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_no_gaps() {
        for (index, code) in ErrorCode::all().enumerate() {
            assert_eq!(code.0, index as i16 - 1);
            assert_eq!(ErrorCode::from_name(code.name()), Some(code));
            assert!(!code.message().is_empty(), "{code}");
        }
        assert_eq!(ErrorCode::all().last(), Some(ErrorCode::CONTROLLER_ID_NOT_REGISTERED));
    }

    #[test]
    fn codes_that_kafka_does_not_have() {
        for code in [ErrorCode(-2), ErrorCode(137), ErrorCode(i16::MIN), ErrorCode(i16::MAX)] {
            assert_eq!(code.name(), "UNKNOWN");
            assert!(!code.is_retriable());
        }
    }

    #[test]
    fn some_codes() {
        assert_eq!(
            ErrorCode::UNKNOWN_TOPIC_OR_PARTITION.to_string(),
            "UNKNOWN_TOPIC_OR_PARTITION (3)"
        );
        assert!(ErrorCode::NOT_LEADER_OR_FOLLOWER.is_retriable());
        assert!(!ErrorCode::OFFSET_OUT_OF_RANGE.is_retriable());
    }
}

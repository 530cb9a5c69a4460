//! What the broker says it serves.

use highwater_testkit::Wire;
use highwater_wire::messages::api_versions_response::{FinalizedFeatureKey, SupportedFeatureKey};
use highwater_wire::messages::{ApiVersionsRequest, ApiVersionsResponse};
use highwater_wire::{ApiKey, api};

use crate::shared;

/// Keys and ranges of Kafka 4.4.0's broker listener, in the order of its answer.
const KAFKA: [(i16, i16, i16); 77] = [
    (0, 0, 13),
    (1, 4, 18),
    (2, 1, 11),
    (3, 0, 13),
    (8, 2, 10),
    (9, 1, 10),
    (10, 0, 6),
    (11, 0, 9),
    (12, 0, 4),
    (13, 0, 5),
    (14, 0, 5),
    (15, 0, 6),
    (16, 0, 5),
    (17, 0, 1),
    (18, 0, 5),
    (19, 2, 7),
    (20, 1, 6),
    (21, 0, 2),
    (22, 0, 5),
    (23, 2, 4),
    (24, 0, 5),
    (25, 0, 4),
    (26, 0, 5),
    (27, 1, 2),
    (28, 0, 6),
    (29, 1, 3),
    (30, 1, 3),
    (31, 1, 3),
    (32, 1, 4),
    (33, 0, 2),
    (34, 1, 2),
    (35, 1, 5),
    (36, 0, 2),
    (37, 0, 3),
    (38, 1, 3),
    (39, 1, 2),
    (40, 1, 2),
    (41, 1, 3),
    (42, 0, 3),
    (43, 0, 2),
    (44, 0, 1),
    (45, 0, 1),
    (46, 0, 0),
    (47, 0, 0),
    (48, 0, 1),
    (49, 0, 1),
    (50, 0, 0),
    (51, 0, 0),
    (55, 0, 2),
    (57, 0, 2),
    (60, 0, 2),
    (61, 0, 0),
    (64, 0, 0),
    (65, 0, 0),
    (66, 0, 2),
    (68, 0, 1),
    (69, 0, 1),
    (74, 0, 1),
    (75, 0, 0),
    (76, 1, 1),
    (77, 1, 1),
    (78, 1, 2),
    (79, 1, 2),
    (80, 0, 1),
    (81, 0, 0),
    (83, 0, 0),
    (84, 0, 0),
    (85, 0, 1),
    (86, 0, 0),
    (87, 0, 1),
    (88, 0, 1),
    (89, 0, 1),
    (90, 0, 1),
    (91, 0, 0),
    (92, 0, 0),
    (93, 0, 0),
    (94, 0, 0),
];

/// Those of them that Highwater does not serve yet, and therefore does not name.
const NOT_YET: [(&str, &[i16]); 5] = [
    ("transactions", &[24, 25, 26, 27, 28, 65, 66]),
    ("consumer groups of the new protocol", &[68, 69]),
    ("share groups", &[76, 77, 78, 79, 83, 84, 85, 86, 87, 90, 91, 92]),
    ("streams groups", &[88, 89, 93]),
    ("a quorum whose voters change", &[80, 81, 94]),
];

/// Name, lowest and highest level, level in force.
const FEATURES: [(&str, i16, i16, i16); 2] =
    [("metadata.version", 7, 33, 33), ("eligible.leader.replicas.version", 0, 1, 1)];

fn ask(wire: &mut Wire, version: i16) -> ApiVersionsResponse {
    let (name, number) = ("testkit".into(), "1.0".into());
    let request = ApiVersionsRequest {
        client_software_name: name,
        client_software_version: number,
        ..Default::default()
    };
    wire.call(version, &request)
}

#[test]
fn the_ranges_are_those_of_kafka() {
    let broker = shared::broker();
    let is_missing = |key: i16| NOT_YET.iter().any(|(_, keys)| keys.contains(&key));
    let expected: Vec<_> =
        KAFKA.into_iter().filter(|(key, ..)| broker.is_kafka() || !is_missing(*key)).collect();
    for version in 0..=5 {
        let answer = ask(&mut broker.connect(), version);
        assert_eq!(answer.error_code, 0);
        let ranges = answer.api_keys.iter().map(|k| (k.api_key, k.min_version, k.max_version));
        assert_eq!(ranges.collect::<Vec<_>>(), expected, "version {version}");
    }
}

/// What is in the table but not offered to clients is for controllers.
#[test]
fn every_key_of_the_protocol_is_accounted_for() {
    for info in api::table().iter().filter(|info| !info.valid.is_empty()) {
        let is_telemetry = [71, 72].contains(&info.key.0);
        let is_offered = KAFKA.iter().any(|(key, ..)| *key == info.key.0);
        let is_for_brokers = info.listeners.contains(&"broker");
        assert!(is_offered || is_telemetry || !is_for_brokers, "{}", info.key.name());
    }
}

#[test]
fn features() {
    let broker = shared::broker();
    for version in 3..=5 {
        let answer = ask(&mut broker.connect(), version);
        let supported = |name: &str| {
            let find = |f: &&SupportedFeatureKey| f.name == *name;
            answer.supported_features.iter().find(find).map(|f| (f.min_version, f.max_version))
        };
        let finalized = |name: &str| {
            let find = |f: &&FinalizedFeatureKey| f.name == *name;
            let level = |f: &FinalizedFeatureKey| (f.min_version_level, f.max_version_level);
            answer.finalized_features.iter().find(find).map(level)
        };
        assert!(answer.finalized_features_epoch >= 0);
        assert!(!answer.zk_migration_ready);
        for (name, min, max, level) in FEATURES {
            // Clients of version 3 refuse a feature whose lowest level is 0.
            let is_told = version >= 4 || min > 0;
            assert_eq!(supported(name), is_told.then_some((min, max)), "{name}, v{version}");
            assert_eq!(finalized(name), Some((level, level)), "{name}, v{version}");
        }
    }
}

/// The list that a broker gives before anybody has said who asks, for old clients.
#[test]
fn produce_is_listed_from_version_0_for_old_clients() {
    let broker = shared::broker();
    let answer = ask(&mut broker.connect(), 0);
    let produce = answer.api_keys.iter().find(|key| key.api_key == ApiKey::PRODUCE.0);
    assert_eq!(produce.map(|key| key.min_version), Some(0));
}

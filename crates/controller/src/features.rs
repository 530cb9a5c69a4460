//! The features this build knows, the levels it supports and those a new cluster starts with.
//! Pure data; what is finalized is in the image.

/// Governs the format of metadata records themselves.
pub const METADATA_VERSION: &str = "metadata.version";
/// Eligible leader replicas.
pub const ELR: &str = "eligible.leader.replicas.version";
/// Format of the quorum; kept by the quorum, not in metadata records.
pub const KRAFT_VERSION: &str = "kraft.version";

/// One feature that this build supports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Feature {
    pub name: &'static str,
    pub min: i16,
    pub max: i16,
    /// Level in a cluster that is formatted by this build (metadata.version 33 is Kafka's 4.4-IV2).
    pub initial: i16,
}

const fn feature(name: &'static str, min: i16, max: i16, initial: i16) -> Feature {
    Feature { name, min, max, initial }
}

/// All features, in the order of a new log's first records.
pub const SUPPORTED: [Feature; 7] = [
    feature(METADATA_VERSION, 7, 33, 33),
    feature(ELR, 0, 1, 1),
    feature("group.version", 0, 1, 1),
    feature(KRAFT_VERSION, 0, 1, 0),
    feature("share.version", 0, 2, 2),
    feature("streams.version", 0, 1, 1),
    feature("transaction.version", 0, 2, 2),
];

pub fn supported(name: &str) -> Option<&'static Feature> {
    SUPPORTED.iter().find(|feature| feature.name == name)
}

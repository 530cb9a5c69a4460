//! The first records of a new cluster.

use highwater_wire::Str;
use highwater_wire::messages::{ConfigRecord, FeatureLevelRecord};
use highwater_wire::metadata_frame::MetadataRecord;

use crate::features::SUPPORTED;
use crate::image::ResourceKind;
use crate::settings::{MIN_INSYNC_REPLICAS, static_value};
use crate::view::ControllerView;

/// Feature levels, and the minimum ISR that eligible leader replicas need all brokers to agree on.
pub fn bootstrap_records(view: &ControllerView) -> Vec<MetadataRecord> {
    let levels = SUPPORTED.iter().filter(|feature| feature.initial > 0).map(|feature| {
        MetadataRecord::FeatureLevel(FeatureLevelRecord {
            name: Str::from(feature.name),
            feature_level: feature.initial,
            ..FeatureLevelRecord::default()
        })
    });
    let min_isr = static_value(view, MIN_INSYNC_REPLICAS).map_or("1".into(), |v| v.to_text());
    let settings = MetadataRecord::Config(ConfigRecord {
        resource_type: ResourceKind::Broker.code(),
        resource_name: Str::from(""),
        name: Str::from(MIN_INSYNC_REPLICAS),
        value: Some(Str::from(min_isr)),
        ..ConfigRecord::default()
    });
    levels.chain([settings]).collect()
}

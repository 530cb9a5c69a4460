//! Finalized feature levels. Changed by replay alone. What this build supports is
//! `crate::features`.

use std::collections::BTreeMap;
use std::sync::Arc;

use highwater_wire::Str;
use highwater_wire::messages::FeatureLevelRecord;
use highwater_wire::metadata_frame::MetadataRecord;

use super::detached;
use crate::features;

/// Finalized levels by name; a feature at level 0 is absent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FeaturesImage {
    levels: Arc<BTreeMap<Str, i16>>,
}

impl FeaturesImage {
    /// 0 where it is not finalized.
    pub fn level(&self, name: &str) -> i16 {
        self.levels.get(name).copied().unwrap_or(0)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Str, i16)> {
        self.levels.iter().map(|(name, level)| (name, *level))
    }

    /// No feature was ever finalized: the log is new.
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// Whether replicas that leave the ISR while it is below the minimum stay eligible to lead.
    pub fn elr_enabled(&self) -> bool {
        self.level(features::ELR) >= 1
    }

    pub(super) fn replay(&mut self, record: &FeatureLevelRecord) {
        let levels = Arc::make_mut(&mut self.levels);
        if record.feature_level == 0 {
            levels.remove(&record.name);
        } else {
            levels.insert(detached(&record.name), record.feature_level);
        }
    }

    pub(super) fn to_records(&self, records: &mut Vec<MetadataRecord>) {
        // The metadata version comes first: it says how to read the rest.
        let first = self.iter().filter(|(name, _)| &***name == features::METADATA_VERSION);
        let others = self.iter().filter(|(name, _)| &***name != features::METADATA_VERSION);
        records.extend(first.chain(others).map(|(name, feature_level)| {
            MetadataRecord::FeatureLevel(FeatureLevelRecord {
                name: name.clone(),
                feature_level,
                ..FeatureLevelRecord::default()
            })
        }));
    }
}

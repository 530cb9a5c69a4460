//! Client quotas. Changed by replay alone. Enforcing them is the broker's affair.

use std::collections::BTreeMap;

use highwater_wire::Str;
use highwater_wire::messages::client_quota_record::{ClientQuotaRecord, EntityData};
use highwater_wire::metadata_frame::MetadataRecord;
use rpds::RedBlackTreeMapSync;

use super::detached;

/// Whom a quota is for: entity type (`user`, `client-id`, `ip`) to name; `None` is the default of
/// that type.
pub type QuotaEntity = BTreeMap<Str, Option<Str>>;

/// All quotas: entity, then key, then value.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct QuotasImage {
    /// No value is an empty map.
    entities: RedBlackTreeMapSync<QuotaEntity, BTreeMap<Str, f64>>,
}

impl QuotasImage {
    pub fn get(&self, entity: &QuotaEntity) -> Option<&BTreeMap<Str, f64>> {
        self.entities.get(entity)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&QuotaEntity, &BTreeMap<Str, f64>)> {
        self.entities.iter()
    }

    pub(super) fn replay(&mut self, record: &ClientQuotaRecord) {
        let entity: QuotaEntity = record
            .entity
            .iter()
            .map(|data| (detached(&data.entity_type), data.entity_name.as_ref().map(detached)))
            .collect();
        let mut values = self.entities.get(&entity).cloned().unwrap_or_default();
        if record.remove {
            values.remove(&record.key);
        } else {
            values.insert(detached(&record.key), record.value);
        }
        if values.is_empty() {
            self.entities.remove_mut(&entity);
        } else {
            self.entities.insert_mut(entity, values);
        }
    }

    pub(super) fn to_records(&self, records: &mut Vec<MetadataRecord>) {
        for (entity, values) in self.iter() {
            records.extend(values.iter().map(|(key, value)| {
                MetadataRecord::ClientQuota(ClientQuotaRecord {
                    entity: entity_data(entity),
                    key: key.clone(),
                    value: *value,
                    ..ClientQuotaRecord::default()
                })
            }));
        }
    }
}

pub(crate) fn entity_data(entity: &QuotaEntity) -> Vec<EntityData> {
    entity
        .iter()
        .map(|(entity_type, entity_name)| EntityData {
            entity_type: entity_type.clone(),
            entity_name: entity_name.clone(),
            ..EntityData::default()
        })
        .collect()
}

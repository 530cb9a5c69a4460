//! Dynamic settings, by resource. Changed by replay alone. Holds what was set, never defaults:
//! those are `highwater_config`'s.

use std::sync::Arc;

use highwater_config::Overrides;
use highwater_wire::Str;
use highwater_wire::messages::ConfigRecord;
use highwater_wire::metadata_frame::MetadataRecord;
use rpds::RedBlackTreeMapSync;

use super::detached;

/// What settings are attached to (`ConfigResource.Type`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ResourceKind {
    Topic,
    /// The empty name means all brokers.
    Broker,
    BrokerLogger,
    ClientMetrics,
    Group,
}

impl ResourceKind {
    pub const ALL: [ResourceKind; 5] = [
        ResourceKind::Topic,
        ResourceKind::Broker,
        ResourceKind::BrokerLogger,
        ResourceKind::ClientMetrics,
        ResourceKind::Group,
    ];

    /// The number on the wire.
    pub const fn code(self) -> i8 {
        match self {
            ResourceKind::Topic => 2,
            ResourceKind::Broker => 4,
            ResourceKind::BrokerLogger => 8,
            ResourceKind::ClientMetrics => 16,
            ResourceKind::Group => 32,
        }
    }

    pub fn of(code: i8) -> Option<ResourceKind> {
        ResourceKind::ALL.into_iter().find(|kind| kind.code() == code)
    }
}

/// All resources that have settings.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ConfigsImage {
    /// No value is an empty map.
    resources: RedBlackTreeMapSync<(ResourceKind, Str), Arc<Overrides>>,
}

impl ConfigsImage {
    /// `None` if the resource has no settings of its own.
    pub fn get(&self, kind: ResourceKind, name: &str) -> Option<&Arc<Overrides>> {
        self.resources.get(&(kind, Str::from(name)))
    }

    /// One setting of a resource.
    pub fn value(&self, kind: ResourceKind, name: &str, key: &str) -> Option<&str> {
        self.get(kind, name)?.get(key).map(String::as_str)
    }

    /// Names of the resources of one kind that have settings, in order.
    pub fn names(&self, kind: ResourceKind) -> impl Iterator<Item = &Str> {
        self.iter().filter(move |((of, _), _)| *of == kind).map(|((_, name), _)| name)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&(ResourceKind, Str), &Arc<Overrides>)> {
        self.resources.iter()
    }

    pub(super) fn replay(&mut self, record: &ConfigRecord) {
        let Some(kind) = ResourceKind::of(record.resource_type) else { return };
        let resource = (kind, detached(&record.resource_name));
        let mut settings = self.resources.get(&resource).map_or_else(Arc::default, Arc::clone);
        self.resources.remove_mut(&resource);
        match &record.value {
            Some(value) => {
                Arc::make_mut(&mut settings).insert(record.name.to_string(), value.to_string());
            }
            None => {
                Arc::make_mut(&mut settings).remove(&*record.name);
            }
        }
        if !settings.is_empty() {
            self.resources.insert_mut(resource, settings);
        }
    }

    pub(super) fn replay_resource_removed(&mut self, kind: ResourceKind, name: &Str) {
        self.resources.remove_mut(&(kind, name.clone()));
    }

    pub(super) fn to_records(&self, records: &mut Vec<MetadataRecord>) {
        for ((kind, resource_name), settings) in self.iter() {
            records.extend(settings.iter().map(|(name, value)| {
                MetadataRecord::Config(ConfigRecord {
                    resource_type: kind.code(),
                    resource_name: resource_name.clone(),
                    name: Str::from(name.as_str()),
                    value: Some(Str::from(value.as_str())),
                    ..ConfigRecord::default()
                })
            }));
        }
    }
}

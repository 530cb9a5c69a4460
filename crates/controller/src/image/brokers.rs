//! Registered brokers and controllers. Changed by replay alone. Read by Metadata, DescribeCluster,
//! placement and elections.

use std::collections::BTreeMap;
use std::sync::Arc;

use highwater_types::{BrokerId, Uuid};
use highwater_wire::Str;
use highwater_wire::messages::register_broker_record::{
    BrokerEndpoint, BrokerFeature, RegisterBrokerRecord,
};
use highwater_wire::messages::{BrokerRegistrationChangeRecord, RegisterControllerRecord};
use highwater_wire::metadata_frame::MetadataRecord;

use super::detached;

/// Where a broker listens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Endpoint {
    /// Name of the listener.
    pub name: Str,
    pub host: Str,
    pub port: u16,
    /// 0 PLAINTEXT, 1 SSL, 2 SASL_PLAINTEXT, 3 SASL_SSL.
    pub security_protocol: i16,
}

/// Inclusive range of levels of one feature.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FeatureRange {
    pub min: i16,
    pub max: i16,
}

/// One registered broker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BrokerImage {
    pub id: BrokerId,
    /// Names this registration; a later one has a higher number (`broker_epoch`).
    pub epoch: i64,
    /// Names the process that registered.
    pub incarnation: Uuid,
    pub endpoints: Vec<Endpoint>,
    pub features: BTreeMap<Str, FeatureRange>,
    pub rack: Option<Str>,
    /// Registered but not to lead or to be told to clients.
    pub fenced: bool,
    pub in_controlled_shutdown: bool,
    /// Directories that are online.
    pub log_dirs: Vec<Uuid>,
    /// Directories that take no new partitions; `None` until the broker has told them.
    pub cordoned_log_dirs: Option<Vec<Uuid>>,
}

impl BrokerImage {
    /// Whether it may lead partitions and be in an ISR.
    pub fn is_active(&self) -> bool {
        !self.fenced && !self.in_controlled_shutdown
    }

    pub fn endpoint(&self, listener: &str) -> Option<&Endpoint> {
        self.endpoints.iter().find(|endpoint| &*endpoint.name == listener)
    }

    fn from_record(record: &RegisterBrokerRecord) -> BrokerImage {
        BrokerImage {
            id: BrokerId(record.broker_id),
            epoch: record.broker_epoch,
            incarnation: record.incarnation_id,
            endpoints: record.end_points.iter().map(endpoint).collect(),
            features: record
                .features
                .iter()
                .map(|f| {
                    let range =
                        FeatureRange { min: f.min_supported_version, max: f.max_supported_version };
                    (detached(&f.name), range)
                })
                .collect(),
            rack: record.rack.as_ref().map(detached),
            fenced: record.fenced,
            in_controlled_shutdown: record.in_controlled_shutdown,
            log_dirs: record.log_dirs.clone(),
            cordoned_log_dirs: record.cordoned_log_dirs.clone(),
        }
    }

    pub fn to_record(&self) -> RegisterBrokerRecord {
        RegisterBrokerRecord {
            broker_id: self.id.get(),
            incarnation_id: self.incarnation,
            broker_epoch: self.epoch,
            end_points: self
                .endpoints
                .iter()
                .map(|endpoint| BrokerEndpoint {
                    name: endpoint.name.clone(),
                    host: endpoint.host.clone(),
                    port: endpoint.port,
                    security_protocol: endpoint.security_protocol,
                    ..BrokerEndpoint::default()
                })
                .collect(),
            features: self
                .features
                .iter()
                .map(|(name, range)| BrokerFeature {
                    name: name.clone(),
                    min_supported_version: range.min,
                    max_supported_version: range.max,
                    ..BrokerFeature::default()
                })
                .collect(),
            rack: self.rack.clone(),
            fenced: self.fenced,
            in_controlled_shutdown: self.in_controlled_shutdown,
            log_dirs: self.log_dirs.clone(),
            cordoned_log_dirs: self.cordoned_log_dirs.clone(),
            ..RegisterBrokerRecord::default()
        }
    }
}

fn endpoint(record: &BrokerEndpoint) -> Endpoint {
    Endpoint {
        name: detached(&record.name),
        host: detached(&record.host),
        port: record.port,
        security_protocol: record.security_protocol,
    }
}

/// All brokers and controllers, by id. Few, so a change copies the maps.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BrokersImage {
    brokers: Arc<BTreeMap<BrokerId, BrokerImage>>,
    /// Kept as they came: nothing here reads more than the id and the endpoints.
    controllers: Arc<BTreeMap<i32, RegisterControllerRecord>>,
}

impl BrokersImage {
    pub fn get(&self, id: BrokerId) -> Option<&BrokerImage> {
        self.brokers.get(&id)
    }

    pub fn iter(&self) -> impl Iterator<Item = &BrokerImage> {
        self.brokers.values()
    }

    /// Brokers that clients may be told of.
    pub fn unfenced(&self) -> impl Iterator<Item = &BrokerImage> {
        self.iter().filter(|broker| !broker.fenced)
    }

    pub fn is_active(&self, id: BrokerId) -> bool {
        self.get(id).is_some_and(BrokerImage::is_active)
    }

    pub fn controllers(&self) -> impl Iterator<Item = &RegisterControllerRecord> {
        self.controllers.values()
    }

    pub(super) fn replay_registered(&mut self, record: &RegisterBrokerRecord) {
        let broker = BrokerImage::from_record(record);
        Arc::make_mut(&mut self.brokers).insert(broker.id, broker);
    }

    pub(super) fn replay_unregistered(&mut self, id: BrokerId, epoch: i64) {
        if self.get(id).is_some_and(|broker| broker.epoch == epoch) {
            Arc::make_mut(&mut self.brokers).remove(&id);
        }
    }

    pub(super) fn replay_fenced(&mut self, id: BrokerId, epoch: i64, fenced: bool) {
        self.change(id, epoch, |broker| broker.fenced = fenced);
    }

    pub(super) fn replay_change(&mut self, record: &BrokerRegistrationChangeRecord) {
        self.change(BrokerId(record.broker_id), record.broker_epoch, |broker| {
            match record.fenced {
                1 => broker.fenced = true,
                -1 => broker.fenced = false,
                _ => {}
            }
            if record.in_controlled_shutdown == 1 {
                broker.in_controlled_shutdown = true;
            }
            if !record.log_dirs.is_empty() {
                broker.log_dirs.clone_from(&record.log_dirs);
            }
            if record.cordoned_log_dirs.is_some() {
                broker.cordoned_log_dirs.clone_from(&record.cordoned_log_dirs);
            }
        });
    }

    pub(super) fn replay_controller(&mut self, record: &RegisterControllerRecord) {
        Arc::make_mut(&mut self.controllers).insert(record.controller_id, record.clone());
    }

    pub(super) fn replay_controller_removed(&mut self, id: i32) {
        Arc::make_mut(&mut self.controllers).remove(&id);
    }

    /// A record about an earlier registration of the broker changes nothing.
    fn change(&mut self, id: BrokerId, epoch: i64, change: impl FnOnce(&mut BrokerImage)) {
        if self.get(id).is_some_and(|broker| broker.epoch == epoch)
            && let Some(broker) = Arc::make_mut(&mut self.brokers).get_mut(&id)
        {
            change(broker);
        }
    }

    pub(super) fn to_records(&self, records: &mut Vec<MetadataRecord>) {
        let controllers = self.controllers.values().cloned();
        records.extend(controllers.map(MetadataRecord::RegisterController));
        records
            .extend(self.iter().map(|broker| MetadataRecord::RegisterBroker(broker.to_record())));
    }
}

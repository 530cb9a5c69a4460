//! BrokerRegistration (62): a broker begins a life under a new epoch, fenced.

use std::collections::{BTreeMap, BTreeSet};

use highwater_types::{BrokerId, Uuid};
use highwater_wire::messages::broker_registration_request::BrokerRegistrationRequest;
use highwater_wire::messages::broker_registration_response::BrokerRegistrationResponse;
use highwater_wire::messages::register_broker_record::{
    BrokerEndpoint, BrokerFeature, RegisterBrokerRecord,
};
use highwater_wire::metadata_frame::MetadataRecord;
use highwater_wire::{ErrorCode, Str};

use super::broker_lifecycle::{leave_isrs, stopped_uncleanly};
use super::{ControllerCx, Decided};
use crate::draft::Draft;
use crate::error::{ApiError, Outcome};
use crate::features;
use crate::image::{BrokerImage, Image};

/// `session_alive`: whether the registration that exists is known to be in use by someone.
pub fn decide_register_broker(
    image: &Image,
    request: &BrokerRegistrationRequest,
    session_alive: bool,
    cx: &ControllerCx<'_>,
) -> Decided<BrokerRegistrationResponse> {
    match register(image, request, session_alive, cx) {
        Ok(decided) => decided,
        Err(error) => Decided::nothing(BrokerRegistrationResponse {
            error_code: error.code.0,
            ..BrokerRegistrationResponse::default()
        }),
    }
}

fn register(
    image: &Image,
    request: &BrokerRegistrationRequest,
    session_alive: bool,
    cx: &ControllerCx<'_>,
) -> Outcome<Decided<BrokerRegistrationResponse>> {
    let id = BrokerId(request.broker_id);
    let existing = image.broker(id);
    let same_process = existing.is_some_and(|broker| broker.incarnation == request.incarnation_id);
    if *request.cluster_id != *cx.view.cluster_id {
        let why = format!("This is cluster {}, not {}.", cx.view.cluster_id, request.cluster_id);
        return Err(ApiError::new(ErrorCode::INCONSISTENT_CLUSTER_ID, why));
    }
    if existing.is_some() && !same_process && session_alive {
        let why = format!("Another process is registered as broker {id}.");
        return Err(ApiError::new(ErrorCode::DUPLICATE_BROKER_REGISTRATION, why));
    }
    if request.is_migrating_zk_broker {
        let why = "Brokers that migrate from ZooKeeper are not taken.";
        return Err(ApiError::new(ErrorCode::BROKER_ID_NOT_REGISTERED, why));
    }
    check_directories(image, id, &request.log_dirs)?;
    let features = check_features(image, request)?;
    let mut draft = Draft::new(image);
    let (epoch, fenced, in_controlled_shutdown) = match existing {
        Some(broker) if same_process => {
            (broker.epoch, broker.fenced, broker.in_controlled_shutdown)
        }
        _ => (next_epoch(image), true, false),
    };
    if !same_process {
        let said_goodbye =
            existing.is_none_or(|broker| broker.epoch == request.previous_broker_epoch);
        if said_goodbye || !image.features.elr_enabled() {
            leave_isrs(&mut draft, cx.view, id);
        } else {
            stopped_uncleanly(&mut draft, cx.view, id);
        }
    }
    draft.push(MetadataRecord::RegisterBroker(RegisterBrokerRecord {
        broker_id: id.get(),
        incarnation_id: request.incarnation_id,
        broker_epoch: epoch,
        end_points: endpoints(request),
        features,
        rack: request.rack.clone(),
        fenced,
        in_controlled_shutdown,
        log_dirs: request.log_dirs.clone(),
        ..RegisterBrokerRecord::default()
    }));
    let reply =
        BrokerRegistrationResponse { broker_epoch: epoch, ..BrokerRegistrationResponse::default() };
    Ok(Decided { records: draft.records, reply })
}

/// Epochs are log offsets in Kafka: they rise from registration to registration.
fn next_epoch(image: &Image) -> i64 {
    let highest = image.brokers.iter().map(|broker: &BrokerImage| broker.epoch + 1).max();
    image.next_offset().get().max(highest.unwrap_or(0))
}

fn endpoints(request: &BrokerRegistrationRequest) -> Vec<BrokerEndpoint> {
    let listeners = request.listeners.iter();
    let endpoints = listeners.map(|listener| BrokerEndpoint {
        name: listener.name.clone(),
        host: listener.host.clone(),
        port: listener.port,
        security_protocol: listener.security_protocol,
        ..BrokerEndpoint::default()
    });
    endpoints.collect()
}

fn check_directories(image: &Image, id: BrokerId, log_dirs: &[Uuid]) -> Outcome {
    let refused = |why: String| Err(ApiError::new(ErrorCode::INVALID_REGISTRATION, why));
    if log_dirs.is_empty() {
        return refused("A broker registers with the ids of its log directories.".into());
    }
    if log_dirs.iter().any(|dir| u128::from_be_bytes(dir.0) < 100) {
        return refused("An id of a log directory is reserved.".into());
    }
    if log_dirs.iter().collect::<BTreeSet<_>>().len() != log_dirs.len() {
        return refused("A log directory is given twice.".into());
    }
    let others = image.brokers.iter().filter(|broker| broker.id != id);
    for other in others {
        if let Some(shared) = other.log_dirs.iter().find(|dir| log_dirs.contains(dir)) {
            return refused(format!(
                "Log directory {shared} is registered by broker {}.",
                other.id
            ));
        }
    }
    Ok(())
}

/// Every finalized level lies within what the broker supports; sorted by name.
fn check_features(
    image: &Image,
    request: &BrokerRegistrationRequest,
) -> Outcome<Vec<BrokerFeature>> {
    let offered: BTreeMap<&Str, (i16, i16)> = request
        .features
        .iter()
        .map(|f| (&f.name, (f.min_supported_version, f.max_supported_version)))
        .collect();
    for (name, level) in image.features.iter() {
        // One that says nothing about a feature can do without it at most.
        let (min, max) = offered.get(name).copied().unwrap_or((0, 0));
        if !(min..=max).contains(&level) {
            let why = format!("{name} is at level {level}; the broker supports {min} to {max}.");
            return Err(ApiError::new(ErrorCode::UNSUPPORTED_VERSION, why));
        }
    }
    for (name, (min, _)) in &offered {
        let absent = image.features.level(name) == 0 && ***name != *features::METADATA_VERSION;
        if absent && *min > 0 {
            let why = format!("{name} is not in use; the broker needs level {min} or more.");
            return Err(ApiError::new(ErrorCode::UNSUPPORTED_VERSION, why));
        }
    }
    let features = offered.into_iter().map(|(name, (min, max))| BrokerFeature {
        name: name.clone(),
        min_supported_version: min,
        max_supported_version: max,
        ..BrokerFeature::default()
    });
    Ok(features.collect())
}

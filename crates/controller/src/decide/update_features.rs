//! UpdateFeatures (57): all of a request's changes, or none.

use highwater_wire::ErrorCode;
use highwater_wire::messages::FeatureLevelRecord;
use highwater_wire::messages::update_features_request::{FeatureUpdateKey, UpdateFeaturesRequest};
use highwater_wire::messages::update_features_response::{
    UpdatableFeatureResult, UpdateFeaturesResponse,
};
use highwater_wire::metadata_frame::MetadataRecord;

use super::{ControllerCx, Decided};
use crate::error::{ApiError, Outcome};
use crate::features::{self, METADATA_VERSION};
use crate::image::Image;

/// Which way a level may go (`FeatureUpdate.UpgradeType`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Direction {
    Up,
    DownSafely,
    DownUnsafely,
}

pub fn decide_update_features(
    image: &Image,
    request: &UpdateFeaturesRequest,
    version: i16,
    cx: &ControllerCx<'_>,
) -> Decided<UpdateFeaturesResponse> {
    let mut records = Vec::new();
    for update in &request.feature_updates {
        match change(image, update, version, cx) {
            Ok(record) => records.extend(record),
            Err(error) => return Decided::nothing(refused(error)),
        }
    }
    if request.validate_only {
        records.clear();
    }
    let results = request.feature_updates.iter().map(|update| UpdatableFeatureResult {
        feature: update.feature.clone(),
        error_message: None,
        ..UpdatableFeatureResult::default()
    });
    // Later versions tell the outcome once for all.
    let results = if version < 2 { results.collect() } else { Vec::new() };
    Decided {
        records,
        reply: UpdateFeaturesResponse {
            error_message: None,
            results,
            ..UpdateFeaturesResponse::default()
        },
    }
}

fn refused(error: ApiError) -> UpdateFeaturesResponse {
    let why = error.message.as_deref().unwrap_or_default().to_owned();
    let error = ApiError::new(error.code, format!("No feature was changed: {why}"));
    UpdateFeaturesResponse {
        error_code: error.code.0,
        error_message: error.message,
        ..UpdateFeaturesResponse::default()
    }
}

fn direction(update: &FeatureUpdateKey, version: i16) -> Option<Direction> {
    match update.upgrade_type {
        _ if version == 0 && update.allow_downgrade => Some(Direction::DownSafely),
        _ if version == 0 => Some(Direction::Up),
        1 => Some(Direction::Up),
        2 => Some(Direction::DownSafely),
        3 => Some(Direction::DownUnsafely),
        _ => None,
    }
}

fn change(
    image: &Image,
    update: &FeatureUpdateKey,
    version: i16,
    cx: &ControllerCx<'_>,
) -> Outcome<Option<MetadataRecord>> {
    let (name, wanted) = (&update.feature, update.max_version_level);
    let invalid = |why: String| {
        let why = format!("{name} cannot go to level {wanted}: {why}.");
        Err(ApiError::new(ErrorCode::INVALID_UPDATE_VERSION, why))
    };
    let Some(direction) = direction(update, version) else {
        return invalid(format!("there is no upgrade type {}", update.upgrade_type));
    };
    if wanted < 0 {
        return invalid("levels begin at 0".into());
    }
    if let Err(why) = check_supported(image, name, wanted, cx) {
        return invalid(why);
    }
    let current = image.features.level(name);
    if wanted < current && direction == Direction::Up {
        return invalid(format!("that is a downgrade from {current}, which must be asked for"));
    }
    if wanted > current && direction != Direction::Up {
        return invalid(format!("that is an upgrade from {current}, not a downgrade"));
    }
    if &**name == METADATA_VERSION && wanted < current {
        return invalid(match direction {
            Direction::DownUnsafely => {
                "an unsafe downgrade of the metadata is not supported".into()
            }
            _ => format!("what was written at level {current} might be lost"),
        });
    }
    // The quorum keeps this one itself.
    if &**name == features::KRAFT_VERSION || wanted == current {
        return Ok(None);
    }
    Ok(Some(MetadataRecord::FeatureLevel(FeatureLevelRecord {
        name: name.clone(),
        feature_level: wanted,
        ..FeatureLevelRecord::default()
    })))
}

fn check_supported(
    image: &Image,
    name: &str,
    wanted: i16,
    cx: &ControllerCx<'_>,
) -> Result<(), String> {
    let Some(known) = features::supported(name) else {
        return Err(format!("controller {} does not know this feature", cx.view.node_id));
    };
    if !(known.min..=known.max).contains(&wanted) {
        let (min, max, node) = (known.min, known.max, cx.view.node_id);
        return Err(format!("controller {node} supports levels {min} to {max}"));
    }
    for broker in image.brokers.iter() {
        let range = broker.features.get(name).copied().unwrap_or_default();
        if !(range.min..=range.max).contains(&wanted) {
            return Err(format!(
                "broker {} supports levels {} to {}",
                broker.id, range.min, range.max
            ));
        }
    }
    Ok(())
}

//! Which settings are in force, as the controller needs to know them. The rules for changing them
//! are `highwater_config`'s; what was set is in the image.

use highwater_config::{ChangeError, Layers, Level, Overrides, Refusal, Target, Value, lookup};
use highwater_wire::ErrorCode;

use crate::error::ApiError;
use crate::image::{Image, ResourceKind};
use crate::view::ControllerView;

pub const MIN_INSYNC_REPLICAS: &str = "min.insync.replicas";
pub const UNCLEAN_ELECTION: &str = "unclean.leader.election.enable";

static NONE: Overrides = Overrides::new();

/// What was set for a resource; empty if nothing was.
pub fn stored<'a>(image: &'a Image, kind: ResourceKind, name: &str) -> &'a Overrides {
    image.configs.get(kind, name).map_or(&NONE, |held| &**held)
}

/// All layers of this node's settings.
pub fn layers<'a>(view: &'a ControllerView, image: &'a Image) -> Layers<'a> {
    Layers {
        broker: stored(image, ResourceKind::Broker, &view.node_id.to_string()),
        cluster: stored(image, ResourceKind::Broker, ""),
        fixed: &view.static_config,
    }
}

/// Whose settings a resource has, in the words of `highwater_config`. Log levels are nobody's:
/// they are not kept in the cluster's metadata.
pub fn target(kind: ResourceKind, name: &str) -> Option<Target> {
    match kind {
        ResourceKind::Topic => Some(Target::Topic),
        ResourceKind::Broker if name.is_empty() => Some(Target::AllBrokers),
        ResourceKind::Broker => Some(Target::Broker),
        ResourceKind::Group => Some(Target::Group),
        ResourceKind::ClientMetrics => Some(Target::ClientMetrics),
        ResourceKind::BrokerLogger => None,
    }
}

/// What was set at start, else the default.
pub fn static_value(view: &ControllerView, name: &str) -> Option<Value> {
    let setting = lookup(Level::Broker, name)?;
    let given = view.static_config.get(name).and_then(|text| setting.parse(text).ok());
    given.or_else(|| setting.default_value())
}

/// The value in force for a topic, of a setting that brokers know by the same name: set for the
/// topic, for this broker, for all brokers, at start, or the default.
fn topic_value(view: &ControllerView, image: &Image, topic: &str, name: &str) -> Option<Value> {
    let setting = lookup(Level::Topic, name)?;
    let own = view.node_id.to_string();
    let places =
        [(ResourceKind::Topic, topic), (ResourceKind::Broker, &own), (ResourceKind::Broker, "")];
    places
        .into_iter()
        .filter_map(|(kind, resource)| image.configs.value(kind, resource, name))
        .find_map(|text| setting.parse(text).ok())
        .or_else(|| static_value(view, name))
}

/// `min.insync.replicas` of a topic.
pub fn min_insync_replicas(view: &ControllerView, image: &Image, topic: &str) -> usize {
    let value = topic_value(view, image, topic, MIN_INSYNC_REPLICAS);
    value.and_then(|value| value.as_i64()?.try_into().ok()).unwrap_or(1)
}

/// Whether a topic would rather lose records than stay without a leader.
pub fn unclean_election(view: &ControllerView, image: &Image, topic: &str) -> bool {
    let value = topic_value(view, image, topic, UNCLEAN_ELECTION);
    value.and_then(|value| value.as_bool()).unwrap_or(false)
}

impl From<ChangeError> for ApiError {
    fn from(error: ChangeError) -> ApiError {
        let code = match error.refusal {
            Refusal::InvalidConfig => ErrorCode::INVALID_CONFIG,
            Refusal::InvalidRequest => ErrorCode::INVALID_REQUEST,
        };
        ApiError::new(code, error.message)
    }
}

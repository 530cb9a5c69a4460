//! The settings of a topic as CreateTopics tells them.

use highwater_config::{Layers, Overrides, describe_topic};
use highwater_wire::Str;
use highwater_wire::messages::create_topics_response::CreatableTopicConfigs;

use crate::image::{Image, ResourceKind};
use crate::view::ControllerView;

/// All settings of a topic with these overrides, and where each comes from.
pub(crate) fn topic_configs(
    overrides: &Overrides,
    image: &Image,
    view: &ControllerView,
) -> Vec<CreatableTopicConfigs> {
    let none = Overrides::new();
    let dynamic = |broker: &str| {
        image.configs.get(ResourceKind::Broker, broker).map_or(&none, |held| &**held)
    };
    let layers = Layers {
        broker: dynamic(&view.node_id.to_string()),
        cluster: dynamic(""),
        fixed: &view.static_config,
    };
    let entries = describe_topic(overrides, &layers).into_iter();
    let configs = entries.map(|entry| CreatableTopicConfigs {
        name: Str::from(entry.name),
        value: entry.value.map(Str::from),
        read_only: entry.read_only,
        config_source: entry.source.code(),
        is_sensitive: entry.sensitive,
        ..CreatableTopicConfigs::default()
    });
    configs.collect()
}

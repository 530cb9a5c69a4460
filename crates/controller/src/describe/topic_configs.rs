//! The settings of a topic as CreateTopics tells them.

use highwater_config::{Overrides, describe_topic};
use highwater_wire::Str;
use highwater_wire::messages::create_topics_response::CreatableTopicConfigs;

use crate::image::Image;
use crate::settings;
use crate::view::ControllerView;

/// All settings of a topic with these overrides, and where each comes from.
pub(crate) fn topic_configs(
    overrides: &Overrides,
    image: &Image,
    view: &ControllerView,
) -> Vec<CreatableTopicConfigs> {
    let layers = settings::layers(view, image);
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

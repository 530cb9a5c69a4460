//! What `docs/book/configuration.md` says has an effect is what has.

use std::collections::BTreeSet;

use highwater_config::{Level, registry, settings_of};

fn named(text: &str) -> BTreeSet<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

#[test]
fn settings_with_an_effect_are_documented() {
    let page = include_str!("../../../docs/book/configuration.md");
    let section = page.split("## Settings that have an effect").nth(1).expect("the section");
    let (broker, rest) = section.split_once("Topic, and the broker settings").expect("topics");
    let (topic, rest) = rest.split_once("All others are accepted").expect("the others");
    for (level, text) in [(Level::Broker, broker), (Level::Topic, topic)] {
        let of_topics: BTreeSet<_> = settings_of(Level::Topic)
            .iter()
            .flat_map(|topic| highwater_config::broker_names_of(Level::Topic, topic.name))
            .map(|synonym| synonym.broker)
            .collect();
        let acted_on: BTreeSet<_> = settings_of(level)
            .iter()
            .filter(|setting| setting.acted_on())
            .map(|setting| setting.name)
            .filter(|name| level == Level::Topic || !of_topics.contains(name))
            .collect();
        assert_eq!(named(text), acted_on);
    }
    for name in named(rest) {
        let setting = registry().iter().find(|setting| setting.name == name);
        assert!(setting.is_none_or(|setting| !setting.acted_on()), "{name} has an effect");
    }
}

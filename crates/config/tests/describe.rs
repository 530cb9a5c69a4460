//! DescribeConfigs compared entry by entry with what Kafka 4.4.0 answered (`fixtures/config`).

use std::collections::BTreeMap;

use highwater_config::{
    Entry, EntrySynonym, Layers, Overrides, Source, Sources, StaticConfig, describe_broker,
    describe_client_metrics, describe_cluster_default, describe_group, describe_topic,
};

/// Why an entry differs from Kafka's on purpose.
const DIFFERENT: &[(&str, &str)] = &[
    ("acks.all.flush", "ours"),
    ("controller.listener.names", "has a default, so that an empty machine starts"),
    ("listeners", "the default is loopback only"),
    ("log.dir", "the default lies in the working directory"),
    ("log.dirs", "has a default, so that an empty machine starts"),
    ("node.id", "has a default, so that an empty machine starts"),
    ("process.roles", "has a default, so that an empty machine starts"),
];

fn measured() -> StaticConfig {
    let properties = Some(include_str!("../../../fixtures/config/measured.properties"));
    let sources = Sources { properties, ..Sources::default() };
    StaticConfig::load(&sources).unwrap().0
}

/// The broker had made the cluster's minimum ISR explicit.
fn cluster() -> Overrides {
    BTreeMap::from([("min.insync.replicas".to_owned(), "1".to_owned())])
}

fn line_of(entry: &Entry) -> String {
    let null = |value: &Option<String>| value.clone().unwrap_or_else(|| "(null)".to_owned());
    let synonym = |s: &EntrySynonym| format!("{} {}={}", source(s.source), s.name, null(&s.value));
    let synonyms: Vec<String> = entry.synonyms.iter().map(synonym).collect();
    let mut flags = String::new();
    if entry.read_only {
        flags.push('r');
    }
    if entry.sensitive {
        flags.push('s');
    }
    let or_dash = |text: String| if text.is_empty() { "-".to_owned() } else { text };
    [
        entry.name.clone(),
        kind(entry.kind).to_owned(),
        null(&entry.value),
        source(entry.source).to_owned(),
        or_dash(flags),
        or_dash(synonyms.join("; ")),
    ]
    .join(" | ")
}

fn source(source: Source) -> &'static str {
    match source {
        Source::DynamicTopic => "topic",
        Source::DynamicBroker => "broker",
        Source::DynamicDefaultBroker => "cluster",
        Source::StaticBroker => "static",
        Source::Default => "default",
        Source::DynamicBrokerLogger => "logger",
        Source::ClientMetrics => "client-metrics",
        Source::Group => "group",
    }
}

fn kind(code: i8) -> &'static str {
    match code {
        1 => "boolean",
        2 => "string",
        3 => "int",
        4 => "short",
        5 => "long",
        6 => "double",
        7 => "list",
        8 => "class",
        9 => "password",
        _ => "unknown",
    }
}

/// Compares line by line; an entry in `DIFFERENT` must differ, all others must not.
#[track_caller]
fn check_described(entries: &[Entry], fixture: &str) {
    let name_of = |line: &str| line.split(" | ").next().unwrap_or_default().to_owned();
    let want: BTreeMap<String, String> = fixture
        .lines()
        .filter(|l| !l.starts_with('#'))
        .map(|l| (name_of(l), l.trim_end().to_owned()))
        .collect();
    let got: BTreeMap<String, String> =
        entries.iter().map(|e| (e.name.clone(), line_of(e))).collect();
    let mut wrong = Vec::new();
    for name in want.keys().chain(got.keys()) {
        let may_differ = DIFFERENT.iter().any(|(n, _)| n == name);
        if (want.get(name) != got.get(name)) != may_differ {
            wrong.push(format!("want {:?}\n got {:?}", want.get(name), got.get(name)));
        }
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(entries.windows(2).all(|pair| pair[0].name < pair[1].name), "sorted");
}

#[test]
fn broker_as_kafka() {
    let (none, cluster, fixed) = (Overrides::new(), cluster(), measured());
    let layers = Layers { broker: &none, cluster: &cluster, fixed: &fixed };
    check_described(
        &describe_broker(&layers),
        include_str!("../../../fixtures/config/describe_broker.txt"),
    );
}

#[test]
fn cluster_default_as_kafka() {
    check_described(
        &describe_cluster_default(&cluster()),
        include_str!("../../../fixtures/config/describe_cluster_default.txt"),
    );
}

#[test]
fn topic_as_kafka() {
    let (none, cluster, fixed) = (Overrides::new(), cluster(), measured());
    let layers = Layers { broker: &none, cluster: &cluster, fixed: &fixed };
    check_described(
        &describe_topic(&none, &layers),
        include_str!("../../../fixtures/config/describe_topic.txt"),
    );
}

#[test]
fn group_as_kafka() {
    let (none, fixed) = (Overrides::new(), measured());
    let layers = Layers { broker: &none, cluster: &none, fixed: &fixed };
    check_described(
        &describe_group(&none, &layers),
        include_str!("../../../fixtures/config/describe_group.txt"),
    );
}

#[test]
fn client_metrics_as_kafka() {
    check_described(
        &describe_client_metrics(&Overrides::new()),
        include_str!("../../../fixtures/config/describe_client_metrics.txt"),
    );
}

fn map(pairs: &[(&str, &str)]) -> Overrides {
    pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
}

#[track_caller]
fn check_line(entries: &[Entry], name: &str, want: &str) {
    let entry = entries.iter().find(|e| e.name == name).unwrap();
    assert_eq!(line_of(entry), want);
}

#[test]
fn synonyms_stand_in_the_order_of_precedence() {
    let (broker, cluster) =
        (map(&[("log.segment.bytes", "2000000")]), map(&[("log.segment.bytes", "3000000")]));
    let properties = Some("log.segment.bytes=4000000");
    let fixed = StaticConfig::load(&Sources { properties, ..Sources::default() }).unwrap().0;
    let layers = Layers { broker: &broker, cluster: &cluster, fixed: &fixed };
    let topic = map(&[("segment.bytes", " 1048576 ")]);
    let behind = "broker log.segment.bytes=2000000; cluster log.segment.bytes=3000000; \
                  static log.segment.bytes=4000000; default log.segment.bytes=1073741824";
    check_line(
        &describe_topic(&topic, &layers),
        "segment.bytes",
        &format!(
            "segment.bytes | int | 1048576 | topic | - | topic segment.bytes=1048576; {behind}"
        ),
    );
    check_line(
        &describe_broker(&layers),
        "log.segment.bytes",
        &format!("log.segment.bytes | int | 2000000 | broker | - | {behind}"),
    );
}

#[test]
fn secrets_and_unknown_names_are_not_shown() {
    let (none, set) = (Overrides::new(), ["ssl.key.password=x".to_owned(), "my.own=y".to_owned()]);
    let fixed = StaticConfig::load(&Sources { set: &set, ..Sources::default() }).unwrap().0;
    let layers = Layers { broker: &none, cluster: &none, fixed: &fixed };
    let entries = describe_broker(&layers);
    check_line(
        &entries,
        "ssl.key.password",
        "ssl.key.password | password | (null) | static | s | static ssl.key.password=(null)",
    );
    check_line(
        &entries,
        "my.own",
        "my.own | unknown | (null) | static | rs | static my.own=(null)",
    );
}

#[test]
fn a_listener_form_shows_the_general_one_behind_it() {
    let (none, set) = (
        Overrides::new(),
        [
            "listener.name.internal.ssl.keystore.type=PEM".to_owned(),
            "ssl.keystore.type=PKCS12".to_owned(),
        ],
    );
    let fixed = StaticConfig::load(&Sources { set: &set, ..Sources::default() }).unwrap().0;
    let layers = Layers { broker: &none, cluster: &none, fixed: &fixed };
    check_line(
        &describe_broker(&layers),
        "listener.name.internal.ssl.keystore.type",
        "listener.name.internal.ssl.keystore.type | string | PEM | static | r | \
         static listener.name.internal.ssl.keystore.type=PEM; static ssl.keystore.type=PKCS12; \
         default ssl.keystore.type=JKS",
    );
}

#[test]
fn a_group_override_stands_before_the_brokers() {
    let (none, fixed) = (Overrides::new(), StaticConfig::default());
    let layers = Layers { broker: &none, cluster: &none, fixed: &fixed };
    let entries = describe_group(&map(&[("share.delivery.count.limit", "7")]), &layers);
    check_line(
        &entries,
        "share.delivery.count.limit",
        "share.delivery.count.limit | int | 7 | group | - | group share.delivery.count.limit=7; \
         default group.share.delivery.count.limit=5",
    );
}

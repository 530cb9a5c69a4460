//! Start-up settings: sources, precedence, warnings, and rules that span settings.

use highwater_config::{
    BrokerConfig, GroupConfig, Layers, Overrides, Sources, StaticConfig, Warning, registry,
    variable_of_setting,
};

fn load(properties: &str) -> (StaticConfig, Vec<Warning>) {
    let sources = Sources { properties: Some(properties), ..Sources::default() };
    StaticConfig::load(&sources).unwrap_or_else(|e| panic!("{e}"))
}

#[track_caller]
fn check_refused(properties: &str, says: &[&str]) {
    let sources = Sources { properties: Some(properties), ..Sources::default() };
    match StaticConfig::load(&sources) {
        Ok(_) => panic!("accepted: {properties}"),
        Err(errors) => {
            let text = errors.to_string();
            assert!(says.iter().all(|s| text.contains(s)), "{text}");
        }
    }
}

#[test]
fn properties_follow_javas_rules() {
    let (config, _) = load(
        "# comment\n! another\nlog.retention.ms = 5\nlog.segment.bytes:2000000\n\
         log.dirs=/a,\\\n   /b\\u00e9\nbroker.rack\\ x=1\nbroker.rack=é\\tz\n\nnum.partitions 3\n",
    );
    assert_eq!(config.get("log.retention.ms"), Some("5"));
    assert_eq!(config.get("log.segment.bytes"), Some("2000000"));
    assert_eq!(config.get("log.dirs"), Some("/a,/bé"));
    assert_eq!(config.get("broker.rack"), Some("é\tz"));
    assert_eq!(config.get("broker.rack x"), Some("1"));
    assert_eq!(config.get("num.partitions"), Some("3"));
}

#[test]
fn set_wins_over_environment_over_file() {
    let env: Vec<(String, String)> = [
        ("HIGHWATER_LOG_RETENTION_MS", "6"),
        ("HIGHWATER_NUM_PARTITIONS", "6"),
        ("LOG_SEGMENT_BYTES", "7"),
    ]
    .map(|(k, v)| (k.to_owned(), v.to_owned()))
    .into();
    let set = ["num.partitions=7".to_owned()];
    let properties = Some("log.retention.ms=5\nnum.partitions=5\nnum.io.threads=5");
    let (config, _) = StaticConfig::load(&Sources { properties, env: &env, set: &set }).unwrap();
    assert_eq!(config.get("log.retention.ms"), Some("6"));
    assert_eq!(config.get("num.partitions"), Some("7"));
    assert_eq!(config.get("num.io.threads"), Some("5"));
    assert_eq!(config.get("log.segment.bytes"), None);
}

#[test]
fn every_setting_has_a_variable_of_its_own() {
    let mut variables: Vec<String> = registry()
        .iter()
        .filter(|s| s.level == highwater_config::Level::Broker)
        .map(|s| variable_of_setting(s.name))
        .collect();
    let count = variables.len();
    variables.sort();
    variables.dedup();
    assert_eq!(variables.len(), count);
    assert_eq!(variable_of_setting("log.retention.ms"), "HIGHWATER_LOG_RETENTION_MS");
}

#[test]
fn warnings_name_what_is_meant() {
    let env = [("HIGHWATER_NUM_PARTITION".to_owned(), "1".to_owned())];
    let properties = Some(
        "log.retension.ms=1\nqwertyuiop=1\nzookeeper.connect=a:1\nbackground.threads=9\n\
         remote.log.reader.threads=9\nnum.partitions=2",
    );
    let (_, warnings) = StaticConfig::load(&Sources { properties, env: &env, set: &[] }).unwrap();
    let lines: Vec<String> = warnings.iter().map(Warning::to_string).collect();
    assert_eq!(
        lines,
        [
            "unknown variable HIGHWATER_NUM_PARTITION, did you mean HIGHWATER_NUM_PARTITIONS?",
            "unknown setting log.retension.ms, did you mean log.retention.ms?",
            "unknown setting qwertyuiop",
            "setting zookeeper.connect is ignored: there is no ZooKeeper; remove it",
            "accepted, but without effect in this version: background.threads, remote.log.reader.threads",
        ]
    );
}

#[test]
fn all_errors_are_told_at_once() {
    check_refused(
        "num.partitions=0\nlog.segment.bytes=big\ncompression.type=zst",
        &["num.partitions: 0", "log.segment.bytes: \"big\"", "did you mean zstd?"],
    );
    let set = ["num.partitions".to_owned()];
    let errors = StaticConfig::load(&Sources { set: &set, ..Sources::default() }).unwrap_err();
    assert!(errors.to_string().contains("name=value"), "{errors}");
    check_refused("a=\\u12", &["line 1"]);
}

#[test]
fn settings_must_fit_each_other() {
    check_refused("node.id=1\nbroker.id=2", &["broker.id", "node.id"]);
    check_refused("log.retention.ms=0", &["log.retention.ms"]);
    check_refused("log.roll.ms=0", &["log.roll.ms"]);
    check_refused("log.cleaner.dedupe.buffer.size=1048576", &["1 MiB"]);
    check_refused("queued.max.request.bytes=5", &["socket.request.max.bytes"]);
    check_refused("max.connections.per.ip=0", &["overrides"]);
    check_refused("max.connections.per.ip.overrides=a:1,b", &["\"b\"", "host:count"]);
    check_refused("replica.lag.time.max.ms=100", &["replica.fetch.wait.max.ms"]);
    check_refused(
        "group.min.session.timeout.ms=7000\ngroup.max.session.timeout.ms=6999",
        &["7000"],
    );
    check_refused("group.consumer.heartbeat.interval.ms=4999", &["min.heartbeat"]);
    check_refused(
        "log.cleaner.min.compaction.lag.ms=5\nlog.cleaner.max.compaction.lag.ms=4",
        &["log.cleaner.max.compaction.lag.ms"],
    );
    check_refused("cordoned.log.dirs=/x", &["/x"]);
    check_refused("controller.quorum.voters=2@h:1", &["node 1"]);
    check_refused("controller.quorum.voters=2", &["id@host:port"]);
    check_refused("process.roles=broker", &["controllers"]);
    check_refused("process.roles=broker,zoo", &["broker, controller"]);
    load("process.roles=broker\ncontroller.quorum.voters=2@h:1\nnode.id=1");
}

#[test]
fn listeners_must_fit_each_other() {
    check_refused("listeners=PLAINTEXT//a", &["NAME://host:port"]);
    check_refused("listeners=OTHER://:1", &["listener.security.protocol.map"]);
    check_refused("listeners=PLAINTEXT://:99999", &["65535"]);
    check_refused("listeners=PLAINTEXT://a:1,SSL://b:1", &["same port"]);
    check_refused("listeners=PLAINTEXT://a:1,PLAINTEXT://b:2", &["twice"]);
    check_refused("listeners=PLAINTEXT://0.0.0.0:1", &["advertised.listeners", "0.0.0.0"]);
    check_refused("advertised.listeners=SSL://a:1", &["not one of listeners"]);
    check_refused("listeners=SSL://a:1", &["inter.broker.listener.name"]);
    check_refused("listeners=CONTROLLER://a:1", &["controller.listener.names"]);
    load("listeners=PLAINTEXT://127.0.0.1:1,PLAINTEXT://[::1]:1");
    load("listeners=PLAINTEXT://0.0.0.0:1\nadvertised.listeners=PLAINTEXT://a:1");
    load("listeners=PLAINTEXT://:0");
}

#[test]
fn the_profile_of_client_suites_is_understood() {
    let (config, _) = load(
        "process.roles=broker,controller\nnode.id=3\ncontroller.quorum.voters=3@127.0.0.1:19093\n\
         listeners=PLAINTEXT://127.0.0.1:19092,CONTROLLER://127.0.0.1:19093\n\
         advertised.listeners=PLAINTEXT://127.0.0.1:19092\n\
         listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT\n\
         inter.broker.listener.name=PLAINTEXT\ncontroller.listener.names=CONTROLLER\n\
         log.dirs=DATA\nnum.partitions=4\noffsets.topic.replication.factor=1\n\
         offsets.topic.num.partitions=5\ngroup.initial.rebalance.delay.ms=0\n\
         group.share.record.lock.duration.ms=1000\ngroup.share.min.record.lock.duration.ms=1000\n",
    );
    let broker = BrokerConfig::from_static(&config).unwrap();
    assert_eq!(broker.node.node_id.0, 3);
    assert_eq!(broker.network.listeners.len(), 2);
    let clients: Vec<String> = broker.network.client_listeners().map(ToString::to_string).collect();
    assert_eq!(clients, ["PLAINTEXT://127.0.0.1:19092"]);
    assert_eq!(broker.network.advertised_listeners.len(), 1);
    assert_eq!(broker.topics.num_partitions, 4);
    assert_eq!(broker.offsets.topic_partitions, 5);
    assert_eq!(broker.classic_groups.initial_rebalance_delay_ms, 0);
    assert_eq!(config.get("broker.id"), Some("3"));
}

#[test]
fn a_controller_listener_is_plain_text_unless_said_otherwise() {
    let (config, _) = load("listeners=PLAINTEXT://127.0.0.1:1,CONTROLLER://127.0.0.1:2");
    let broker = BrokerConfig::from_static(&config).unwrap();
    assert_eq!(broker.network.listeners[1].protocol.name(), "PLAINTEXT");
    assert_eq!(broker.network.advertised_listeners.len(), 1);
}

#[test]
fn secrets_are_not_printed() {
    let (config, _) = load("ssl.key.password=open\nmy.secret=sesame\nnode.id=7");
    let printed = format!("{config:?}");
    assert!(!printed.contains("open") && !printed.contains("sesame"), "{printed}");
    assert!(printed.contains("\"node.id\": \"7\""), "{printed}");
}

#[test]
fn a_groups_settings_stay_within_todays_bounds() {
    let (none, fixed) = (Overrides::new(), StaticConfig::default());
    let layers = Layers { broker: &none, cluster: &none, fixed: &fixed };
    let defaults = GroupConfig::resolve(&none, &layers);
    assert_eq!(defaults.consumer.session_timeout_ms, 45_000);
    assert_eq!(defaults.streams.assignor, "sticky");
    assert_eq!(defaults.share.dead_letter_topic, None);
    let stored: Overrides = [
        ("consumer.session.timeout.ms", "90000"),
        ("share.delivery.count.limit", "25"),
        ("share.auto.offset.reset", "by_duration:PT2S"),
    ]
    .map(|(k, v)| (k.to_owned(), v.to_owned()))
    .into();
    let group = GroupConfig::resolve(&stored, &layers);
    assert_eq!(group.consumer.session_timeout_ms, 60_000);
    assert_eq!(group.share.delivery_count_limit, 10);
    let reset = highwater_config::AutoOffsetReset::ByDuration { ms: 2000 };
    assert_eq!(group.share.auto_offset_reset, reset);
}

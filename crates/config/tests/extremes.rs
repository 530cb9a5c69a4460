//! Whatever a check lets through can be resolved: no setting's value may crash the node.

use highwater_config::{
    BrokerConfig, GroupConfig, Layers, Level, Overrides, StaticConfig, TopicConfig, Value,
    describe_broker, describe_group, describe_topic, lookup, registry,
};

const NUMBERS: [&str; 9] = [
    "-9223372036854775808",
    "-2147483648",
    "-2",
    "-1",
    "0",
    "1",
    "2147483647",
    "9223372036854775807",
    "1e308",
];

#[test]
fn every_accepted_value_resolves() {
    let (none, fixed) = (Overrides::new(), StaticConfig::default());
    for setting in registry() {
        for text in NUMBERS.iter().filter(|text| setting.parse(text).is_ok()) {
            let one: Overrides = [(setting.name.to_owned(), (*text).to_owned())].into();
            let broker = if setting.level == Level::Broker { &one } else { &none };
            let layers = Layers { broker, cluster: &none, fixed: &fixed };
            match setting.level {
                Level::Broker => {
                    // Listeners may be refused, but nothing may panic.
                    let _ = BrokerConfig::resolve(&layers);
                    TopicConfig::resolve(&none, &layers);
                    GroupConfig::resolve(&none, &layers);
                    describe_broker(&layers);
                }
                Level::Topic => {
                    TopicConfig::resolve(&one, &layers);
                    describe_topic(&one, &layers);
                }
                Level::Group => {
                    GroupConfig::resolve(&one, &layers);
                    describe_group(&one, &layers);
                }
                Level::ClientMetrics => {}
            }
        }
    }
}

#[track_caller]
fn check_parse(name: &str, text: &str, want: Value) {
    let setting = lookup(Level::Broker, name).unwrap();
    assert_eq!(setting.parse(text), Ok(want), "{name}={text}");
}

#[test]
fn values_are_read_as_java_reads_them() {
    check_parse("num.partitions", " +7 ", Value::Int(7));
    check_parse("log.preallocate", "TRUE", Value::Bool(true));
    check_parse("log.cleaner.min.cleanable.ratio", ".5d", Value::Double(0.5));
    check_parse("log.dirs", "/a , /b", Value::List(vec!["/a".into(), "/b".into()]));
    check_parse("ssl.key.password", " x ", Value::Text("x".into()));
    check_parse("group.consumer.migration.policy", "Upgrade", Value::Text("Upgrade".into()));
    let ratio = lookup(Level::Broker, "log.cleaner.min.cleanable.ratio").unwrap();
    assert!(ratio.parse("NaN").is_err());
    assert!(lookup(Level::Broker, "num.partitions").unwrap().parse("1.0").is_err());
}

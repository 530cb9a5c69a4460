//! Broker settings of metrics and telemetry. Data only.

use super::settings;
use crate::check::{ANY, ITEMS, at_least};

settings! { Broker
    "kafka.metrics.polling.interval.secs": Int = "10", at_least(1), low;
        ""
    "kafka.metrics.reporters": List = "", ITEMS, low;
        ""
    "metric.reporters": List =
        "org.apache.kafka.common.metrics.JmxReporter", ITEMS, low cluster_wide;
        ""
    "metrics.num.samples": Int = "2", at_least(1), low;
        ""
    "metrics.recording.level": String = "INFO", ANY, low;
        ""
    "metrics.sample.window.ms": Long = "30000", at_least(1), low;
        ""
    "telemetry.max.bytes": Int = "1048576", at_least(1), low;
        ""
}

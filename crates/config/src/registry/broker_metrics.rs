//! Broker settings of metrics and telemetry. Data only.

use super::settings;
use crate::check::{ANY, ITEMS, at_least};

settings! { Broker
    "kafka.metrics.polling.interval.secs": Int = "10", at_least(1), low;
        "Seconds between polls of the older metrics reporters."
    "kafka.metrics.reporters": List = "", ITEMS, low;
        "Older metrics reporter classes."
    "metric.reporters": List =
        "org.apache.kafka.common.metrics.JmxReporter", ITEMS, low cluster_wide;
        "Metrics reporter classes."
    "metrics.num.samples": Int = "2", at_least(1), low;
        "Samples kept for each metric."
    "metrics.recording.level": String = "INFO", ANY, low;
        "Finest level of metrics that is recorded: INFO, DEBUG or TRACE."
    "metrics.sample.window.ms": Long = "30000", at_least(1), low;
        "Milliseconds that each sample of a metric spans."
    "telemetry.max.bytes": Int = "1048576", at_least(1), low;
        "Most bytes of metrics that a client may push at once."
}

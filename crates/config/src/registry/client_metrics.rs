//! Client metrics subscriptions. Data only.

use super::settings;
use crate::check::{ANY, ITEMS};

settings! { ClientMetrics
    "interval.ms": Int = "300000", ANY, medium;
        "Milliseconds between a client's pushes of metrics, 100 to 3600000."
    "match": List = "", ITEMS, medium;
        "Which clients are meant, selector=pattern each; empty means all."
    "metrics": List = "", ITEMS, medium;
        "Prefixes of the metrics wanted; empty asks for none, * for all."
}

//! Client metrics subscriptions. Data only.

use super::settings;
use crate::check::{ANY, ITEMS};

settings! { ClientMetrics
    "interval.ms": Int = "300000", ANY, medium;
        ""
    "match": List = "", ITEMS, medium;
        ""
    "metrics": List = "", ITEMS, medium;
        ""
}

//! The figures of every round, for programs.

use crate::bench::machine::Machine;
use crate::bench::measure::{Limit, Measure, Outcome, Series};
use crate::bench::statistics::{self, Spread};
use serde_json::{Map, Value, json};

pub fn document(machine: &Machine, rounds: usize, outcomes: &[Outcome]) -> Value {
    let cases: Map<String, Value> = outcomes
        .iter()
        .map(|outcome| {
            let rows = outcome.rows().map(|(measure, series)| row(measure, series));
            (outcome.case.name.to_owned(), Value::Object(rows.collect()))
        })
        .collect();
    json!({
        "machine": {
            "processors": machine.processors,
            "processor": machine.processor,
            "memory_bytes": machine.memory_bytes,
            "kernel": machine.kernel,
            "java": machine.java,
            "load_average": machine.load,
        },
        "date": machine.date,
        "commit": machine.commit,
        "rounds": rounds,
        "cases": cases,
    })
}

fn row(measure: &Measure, series: &Series) -> (String, Value) {
    let value = json!({
        "what": measure.what,
        "unit": measure.unit,
        "highwater": figures(&series.highwater),
        "kafka": figures(&series.kafka),
        "ratio": series.ratio().map(summary),
        "limit": limit(measure.limit),
        "met": series.meets(measure.limit),
    });
    (measure.key.to_owned(), value)
}

fn figures(values: &[f64]) -> Value {
    json!({ "rounds": values, "summary": statistics::spread(values).map(summary) })
}

fn summary(spread: Spread) -> Value {
    json!({ "median": spread.median, "min": spread.min, "max": spread.max })
}

fn limit(limit: Limit) -> Value {
    match limit {
        Limit::None => Value::Null,
        Limit::AtMost(most) => json!({ "at_most": most }),
        Limit::RatioAtMost(most) => json!({ "ratio_at_most": most }),
        Limit::RatioAtLeast(least) => json!({ "ratio_at_least": least }),
    }
}

//! What a producer was told, against what the topic holds.

use crate::compat::tools::Tools;
use crate::exec;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// A place in a topic: partition and offset.
type Place = (i64, i64);

/// What is stored, in the order of partition and offset.
pub type Stored = BTreeMap<Place, String>;

pub struct Account {
    acknowledged: Vec<(Place, String)>,
}

impl Account {
    /// Reads the lines that VerifiableProducer prints; the last may be cut.
    pub fn read(out: &Path) -> Result<Account, String> {
        let text = std::fs::read_to_string(out).map_err(|error| exec::told(out, &error))?;
        Ok(Account { acknowledged: text.lines().filter_map(acknowledgement).collect() })
    }

    pub fn len(&self) -> usize {
        self.acknowledged.len()
    }

    pub fn check_stored(&self, stored: &Stored) -> Result<(), String> {
        let absent = |(place, value): &&(Place, String)| stored.get(place) != Some(value);
        let missing: Vec<_> = self.acknowledged.iter().filter(absent).collect();
        match missing.first() {
            None => Ok(()),
            Some((place, value)) => Err(format!(
                "{} of {} are not where they were acknowledged; the first is {value} at {place:?}, \
                 where {:?} stands",
                missing.len(),
                self.acknowledged.len(),
                stored.get(place)
            )),
        }
    }
}

fn acknowledgement(line: &str) -> Option<(Place, String)> {
    if !line.contains("producer_send_success") {
        return None;
    }
    let event: Value = serde_json::from_str(line).ok()?;
    let place = (event["partition"].as_i64()?, event["offset"].as_i64()?);
    Some((place, event["value"].as_str()?.to_owned()))
}

pub fn read_topic(tools: &Tools, topic: &str) -> Result<Stored, String> {
    let ends = tools.ok("get-offsets", &["--topic", topic])?.out;
    let count: i64 = ends.lines().filter_map(|l| l.rsplit(':').next()?.parse::<i64>().ok()).sum();
    let count = count.to_string();
    let mut args = vec!["--topic", topic, "--from-beginning", "--max-messages", &count];
    args.extend(["--timeout-ms", "30000"]);
    for property in ["print.partition=true", "print.offset=true"] {
        args.extend(["--formatter-property", property]);
    }
    let said = tools.ok("console-consumer", &args)?;
    let mut stored = Stored::new();
    for line in said.out.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [partition, offset, value] = fields[..] else { continue };
        let number = |field: &str| field.rsplit(':').next().and_then(|text| text.parse().ok());
        let (Some(partition), Some(offset)): (Option<i64>, Option<i64>) =
            (number(partition), number(offset))
        else {
            continue;
        };
        if stored.insert((partition, offset), value.to_owned()).is_some() {
            return Err(format!("{partition} {offset} was read twice"));
        }
    }
    Ok(stored)
}

/// Each partition's offsets go up by one from 0.
pub fn check_dense(stored: &Stored) -> Result<(), String> {
    let mut next: BTreeMap<i64, i64> = BTreeMap::new();
    for (partition, offset) in stored.keys() {
        let expected = next.entry(*partition).or_insert(0);
        if offset != expected {
            return Err(format!("partition {partition}: {offset} instead of {expected}"));
        }
        *expected += 1;
    }
    Ok(())
}

/// The producer counts upwards, so each partition's values rise, and no value comes twice.
pub fn check_ordered_once(stored: &Stored) -> Result<(), String> {
    let mut last: BTreeMap<i64, i64> = BTreeMap::new();
    let mut seen: BTreeMap<i64, Place> = BTreeMap::new();
    for (place, value) in stored {
        let value: i64 = value.parse().map_err(|_| format!("{value} at {place:?}"))?;
        if let Some(before) = seen.insert(value, *place) {
            return Err(format!("{value} stands at {before:?} and {place:?}"));
        }
        if let Some(before) = last.insert(place.0, value).filter(|before| *before > value) {
            return Err(format!("{value} after {before} in partition {}", place.0));
        }
    }
    let count = seen.len() as i64;
    match seen.last_key_value() {
        Some((last, _)) if last + 1 != count => Err(format!("{count} values up to {last}: a gap")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(values: &[(i64, i64, &str)]) -> Stored {
        values.iter().map(|(p, o, value)| ((*p, *o), (*value).to_owned())).collect()
    }

    #[test]
    fn finds_what_was_lost_moved_doubled_or_turned_round() {
        let good = stored(&[(0, 0, "0"), (0, 1, "2"), (1, 0, "1")]);
        assert_eq!(check_dense(&good), Ok(()));
        assert_eq!(check_ordered_once(&good), Ok(()));
        assert!(check_dense(&stored(&[(0, 0, "0"), (0, 2, "1")])).is_err());
        assert!(check_ordered_once(&stored(&[(0, 0, "0"), (1, 0, "0")])).is_err());
        assert!(check_ordered_once(&stored(&[(0, 0, "1"), (0, 1, "0")])).is_err());
        assert!(check_ordered_once(&stored(&[(0, 0, "0"), (0, 1, "2")])).is_err());
        let account = Account { acknowledged: vec![((0, 1), "2".to_owned())] };
        assert_eq!(account.check_stored(&good), Ok(()));
        let account = Account { acknowledged: vec![((0, 1), "3".to_owned())] };
        assert!(account.check_stored(&good).is_err());
    }

    #[test]
    fn reads_acknowledgements_and_skips_a_cut_line() {
        let line = r#"{"name":"producer_send_success","value":"7","partition":1,"offset":4}"#;
        assert_eq!(acknowledgement(line), Some(((1, 4), "7".to_owned())));
        assert_eq!(acknowledgement(&line[..40]), None);
    }
}

//! Offsets of partitions: where they begin and end, and what lies at a time.

use std::collections::BTreeMap;

use highwater_client::OffsetQuery;
use highwater_types::{Offset, PartitionIndex, Timestamp, TopicPartition};

use super::{Place, Session, TopicInfo};
use crate::failure::{Failure, Outcome};
use crate::text::position::Position;

impl Session {
    /// First offset of each partition.
    pub async fn starts(&self, topics: &[&TopicInfo]) -> Outcome<BTreeMap<Place, i64>> {
        Ok(whole(self.list_offsets(topics, OffsetQuery::Earliest).await?))
    }

    /// Offset behind the last record that can be read, of each partition.
    pub async fn ends(&self, topics: &[&TopicInfo]) -> Outcome<BTreeMap<Place, i64>> {
        Ok(whole(self.list_offsets(topics, OffsetQuery::Latest).await?))
    }

    /// The offsets that a position means, for every partition of the topics; within what is there.
    pub async fn resolve(
        &self,
        topics: &[&TopicInfo],
        position: Position,
    ) -> Outcome<BTreeMap<Place, i64>> {
        let starts = self.starts(topics).await?;
        let ends = self.ends(topics).await?;
        let timed = match position {
            Position::Time(ms) => {
                self.list_offsets(topics, OffsetQuery::Timestamp(Timestamp(ms))).await?
            }
            _ => BTreeMap::new(),
        };
        let chosen = |(place, start): (&Place, &i64)| {
            let end = ends.get(place).copied().unwrap_or(*start).max(*start);
            let at_time = timed.get(place).copied().flatten();
            (place.clone(), choose(position, *start, end, at_time))
        };
        Ok(starts.iter().map(chosen).collect())
    }

    /// None where no record fits.
    async fn list_offsets(
        &self,
        topics: &[&TopicInfo],
        query: OffsetQuery,
    ) -> Outcome<BTreeMap<Place, Option<i64>>> {
        let places = topics.iter().flat_map(|topic| topic.places());
        let wanted = places
            .map(|(topic, index)| {
                let partition = PartitionIndex(index);
                (TopicPartition { topic: topic.into(), partition }, query)
            })
            .collect();
        let mut found = BTreeMap::new();
        for (at, result) in self.client().list_offsets(&wanted, false).await {
            let listed = result.map_err(|error| {
                Failure::from(error).during(format!("offsets of {}-{}", at.topic, at.partition))
            })?;
            let place = (at.topic.to_string(), at.partition.get());
            found.insert(place, listed.offset.map(Offset::get));
        }
        Ok(found)
    }
}

/// `start` and `end` enclose what is there; a time behind the last record means the end.
fn choose(position: Position, start: i64, end: i64, at_time: Option<i64>) -> i64 {
    match position {
        Position::Beginning => start,
        Position::End => end,
        Position::Offset(offset) => offset.clamp(start, end),
        Position::Last(count) => end.saturating_sub(count).max(start),
        Position::Time(_) => at_time.unwrap_or(end),
    }
}

/// The ends of a log always have an offset.
fn whole(offsets: BTreeMap<Place, Option<i64>>) -> BTreeMap<Place, i64> {
    offsets.into_iter().map(|(place, offset)| (place, offset.unwrap_or(0))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_stay_within_the_log() {
        for (position, at_time, expected) in [
            (Position::Beginning, None, 10),
            (Position::End, None, 20),
            (Position::Offset(15), None, 15),
            (Position::Offset(5), None, 10),
            (Position::Offset(25), None, 20),
            (Position::Last(3), None, 17),
            (Position::Last(i64::MAX), None, 10),
            (Position::Time(1), Some(12), 12),
            (Position::Time(9), None, 20),
        ] {
            assert_eq!(choose(position, 10, 20, at_time), expected, "{position:?}");
        }
    }
}

//! `group reset-offsets`: moves a group that has no members; without `--execute` it only shows.

use std::collections::BTreeMap;

use clap::{ArgGroup, Args};

use super::committed::{commit, committed};
use super::members::group_info;
use crate::failure::{Failure, Outcome};
use crate::output::{Cell, Document, Output, Table};
use crate::session::{Place, Session, TopicInfo};
use crate::text::position::Position;

/// Move a group's offsets; without --execute only show what would change
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("target").required(true).args(["to", "shift_by"])))]
pub(super) struct ResetArgs {
    /// The group to move; it need not exist yet
    group: String,
    /// Only this topic, or these partitions of it; may be repeated. Otherwise every partition
    /// that the group has committed
    #[arg(long, value_name = "TOPIC[:P,P…]", value_parser = parse_scope)]
    topic: Vec<Scope>,
    /// Where to: beginning, end, an offset, @time, or -COUNT records before the end
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true)]
    to: Option<Position>,
    /// Forwards by so many records, or backwards if negative
    #[arg(long, value_name = "COUNT", allow_hyphen_values = true)]
    shift_by: Option<i64>,
    /// Do it
    #[arg(long)]
    execute: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Scope {
    topic: String,
    /// Empty: all.
    partitions: Vec<i32>,
}

fn parse_scope(text: &str) -> Result<Scope, String> {
    let (topic, list) = text.split_once(':').unwrap_or((text, ""));
    let number = |item: &str| match item.parse() {
        Ok(index) if index >= 0 => Ok(index),
        _ => Err(format!("{item} is no partition")),
    };
    let partitions = match list {
        "" => Vec::new(),
        list => list.split(',').map(number).collect::<Result<_, _>>()?,
    };
    Ok(Scope { topic: topic.to_owned(), partitions })
}

/// Where a partition stands and where it is to go.
struct Move {
    place: Place,
    from: Option<i64>,
    to: i64,
}

pub(super) async fn reset(session: &Session, output: Output, args: &ResetArgs) -> Outcome {
    if args.execute {
        check_unused(session, &args.group).await?;
    }
    let from = committed(session, &args.group).await?;
    let topics = topics_of(session, args, &from).await?;
    let targets = targets(session, args, &topics, &from).await?;
    let moves = moves(&topics, &from, &targets);
    if args.execute {
        let offsets = moves.iter().map(|one| (one.place.clone(), one.to)).collect();
        commit(session, &args.group, &offsets).await?;
    }
    let document = Document::default()
        .fact("group", args.group.as_str())
        .fact("moved", args.execute)
        .table("offsets", table_of(&moves));
    output.document(&document)?;
    if !args.execute {
        output.remark("nothing was changed; --execute does it");
    }
    Ok(())
}

async fn check_unused(session: &Session, group: &str) -> Outcome {
    let coordinator = session.coordinator(group).await?;
    // A group that does not exist yet may be given offsets.
    let Ok(info) = group_info(session, &coordinator, group).await else { return Ok(()) };
    match info.members.len() {
        0 => Ok(()),
        count => Err(Failure::new(format!(
            "group {group} is in use, members: {count}; stop them first, then move it"
        ))),
    }
}

/// The topics to move in, with only the partitions that are meant.
async fn topics_of(
    session: &Session,
    args: &ResetArgs,
    committed: &BTreeMap<Place, i64>,
) -> Outcome<BTreeMap<String, TopicInfo>> {
    let mut topics = BTreeMap::new();
    if args.topic.is_empty() {
        let mut names: Vec<&str> = committed.keys().map(|(topic, _)| topic.as_str()).collect();
        names.dedup();
        if names.is_empty() {
            let group = &args.group;
            let what = format!("group {group} has committed nothing; name a topic with --topic");
            return Err(Failure::new(what));
        }
        topics = session.known_topics(&names).await?;
        for topic in topics.values_mut() {
            let name = topic.name.clone();
            topic.partitions.retain(|p| committed.contains_key(&(name.clone(), p.index)));
        }
    }
    for scope in &args.topic {
        let topic = session.topic(&scope.topic).await?;
        let chosen = topics
            .entry(topic.name.clone())
            .or_insert_with(|| TopicInfo { partitions: Vec::new(), ..topic.clone() });
        take_scope(chosen, &topic, scope)?;
    }
    Ok(topics)
}

fn take_scope(chosen: &mut TopicInfo, topic: &TopicInfo, scope: &Scope) -> Outcome {
    let count = topic.partitions.len();
    if let Some(missing) =
        scope.partitions.iter().find(|index| !topic.partitions.iter().any(|p| p.index == **index))
    {
        let name = &topic.name;
        return Err(Failure::new(format!("{name} has {count} partitions, but none is {missing}")));
    }
    let wanted = |index: i32| scope.partitions.is_empty() || scope.partitions.contains(&index);
    for partition in topic.partitions.iter().filter(|p| wanted(p.index)) {
        if !chosen.partitions.contains(partition) {
            chosen.partitions.push(partition.clone());
        }
    }
    chosen.partitions.sort_by_key(|partition| partition.index);
    Ok(())
}

async fn targets(
    session: &Session,
    args: &ResetArgs,
    topics: &BTreeMap<String, TopicInfo>,
    committed: &BTreeMap<Place, i64>,
) -> Outcome<BTreeMap<Place, i64>> {
    let topics: Vec<&TopicInfo> = topics.values().collect();
    let Some(shift) = args.shift_by else {
        return session.resolve(&topics, args.to.unwrap_or(Position::End)).await;
    };
    let starts = session.starts(&topics).await?;
    let ends = session.ends(&topics).await?;
    let shifted = |(place, start): (&Place, &i64)| {
        let end = ends.get(place).copied().unwrap_or(*start).max(*start);
        let from = committed.get(place)?;
        Some((place.clone(), from.saturating_add(shift).clamp(*start, end)))
    };
    Ok(starts.iter().filter_map(shifted).collect())
}

fn moves(
    topics: &BTreeMap<String, TopicInfo>,
    from: &BTreeMap<Place, i64>,
    targets: &BTreeMap<Place, i64>,
) -> Vec<Move> {
    let places = topics.values().flat_map(TopicInfo::places);
    places
        .filter_map(|place| {
            let to = *targets.get(&place)?;
            Some(Move { from: from.get(&place).copied(), to, place })
        })
        .collect()
}

fn table_of(moves: &[Move]) -> Table {
    let mut table = Table::new(&["topic", "partition", "from", "to", "change"]);
    for one in moves {
        table.push([
            Cell::from(one.place.0.as_str()),
            one.place.1.into(),
            one.from.into(),
            one.to.into(),
            one.from.map(|from| one.to - from).into(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes() {
        let scope = |topic: &str, partitions: &[i32]| {
            Ok(Scope { topic: topic.into(), partitions: partitions.to_vec() })
        };
        assert_eq!(parse_scope("orders"), scope("orders", &[]));
        assert_eq!(parse_scope("orders:0,2"), scope("orders", &[0, 2]));
        assert!(parse_scope("orders:x").is_err() && parse_scope("orders:-1").is_err());
    }
}

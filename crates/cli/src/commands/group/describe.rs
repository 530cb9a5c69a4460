//! `group describe`: the offsets of a group beside the ends of the partitions.

use std::collections::BTreeMap;

use super::committed::committed;
use super::members::{GroupInfo, MemberInfo, group_info};
use super::{or_none, state_cell};
use crate::failure::Outcome;
use crate::output::{Cell, Document, Output, Table, Tone};
use crate::session::{Place, Session, TopicInfo};

pub(super) async fn describe(
    session: &Session,
    output: Output,
    groups: &[String],
    with_members: bool,
) -> Outcome {
    let mut documents = Vec::new();
    for group in groups {
        let coordinator = session.coordinator(group).await?;
        let info = group_info(session, &coordinator, group).await?;
        let committed = committed(session, group).await?;
        let ends = ends_of(session, &info, &committed).await?;
        let offsets = offsets_table(&info, &committed, &ends);
        let mut document = Document::default()
            .fact("group", group.as_str())
            .fact("state", state_cell(&info.state))
            .fact("type", info.kind)
            .fact("assignor", or_none(&info.assignor))
            .fact("members", info.members.len())
            .fact("lag", total_lag(&committed, &ends))
            .table("offsets", offsets);
        if with_members {
            document = document.table("members_of_the_group", members_table(&info.members));
        }
        documents.push(document);
    }
    output.documents(&documents)
}

/// Ends of all partitions that the group has committed or is assigned, of topics that exist.
async fn ends_of(
    session: &Session,
    info: &GroupInfo,
    committed: &BTreeMap<Place, i64>,
) -> Outcome<BTreeMap<Place, i64>> {
    let assigned = info.members.iter().flat_map(|member| &member.places);
    let mut names: Vec<&str> =
        committed.keys().chain(assigned).map(|(topic, _)| topic.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let topics = session.known_topics(&names).await?;
    let led: Vec<TopicInfo> = topics.into_values().map(TopicInfo::led).collect();
    session.ends(&led.iter().collect::<Vec<_>>()).await
}

fn total_lag(committed: &BTreeMap<Place, i64>, ends: &BTreeMap<Place, i64>) -> i64 {
    let lag = |(place, offset): (&Place, &i64)| Some((ends.get(place)? - offset).max(0));
    committed.iter().filter_map(lag).sum()
}

fn offsets_table(
    info: &GroupInfo,
    committed: &BTreeMap<Place, i64>,
    ends: &BTreeMap<Place, i64>,
) -> Table {
    let mut owners: BTreeMap<&Place, &MemberInfo> = BTreeMap::new();
    for member in &info.members {
        owners.extend(member.places.iter().map(|place| (place, member)));
    }
    let mut places: Vec<&Place> = committed.keys().chain(owners.keys().copied()).collect();
    places.sort();
    places.dedup();
    let mut table =
        Table::new(&["topic", "partition", "committed", "end", "lag", "member", "host"]);
    for place in places {
        let (at, end) = (committed.get(place).copied(), ends.get(place).copied());
        let lag = at.zip(end).map(|(at, end)| (end - at).max(0));
        let owner = owners.get(place);
        table.push([
            place.0.as_str().into(),
            place.1.into(),
            at.into(),
            end.into(),
            Cell::from(lag).tone(lag_tone(lag)),
            owner.map(|member| member.instance.as_ref().unwrap_or(&member.id).as_str()).into(),
            owner.map(|member| member.host.as_str()).into(),
        ]);
    }
    table
}

fn lag_tone(lag: Option<i64>) -> Tone {
    match lag {
        Some(0) => Tone::Good,
        _ => Tone::Plain,
    }
}

fn members_table(members: &[MemberInfo]) -> Table {
    let mut table = Table::new(&["member", "instance", "client", "host", "partitions"]);
    for member in members {
        let places = member.places.iter().map(|(topic, index)| format!("{topic}-{index}"));
        table.push([
            member.id.as_str().into(),
            member.instance.clone().into(),
            member.client.as_str().into(),
            member.host.as_str().into(),
            Cell::list(places),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(index: i32) -> Place {
        ("orders".to_owned(), index)
    }

    #[test]
    fn lag_needs_both_offsets() {
        let info = GroupInfo {
            kind: "classic",
            state: "Stable".into(),
            assignor: "range".into(),
            members: vec![MemberInfo {
                id: "m-1".into(),
                instance: None,
                client: "c".into(),
                host: "/127.0.0.1".into(),
                places: vec![place(1), place(2)],
            }],
        };
        let committed = BTreeMap::from([(place(0), 5), (place(1), 7), (place(3), 9)]);
        let ends = BTreeMap::from([(place(0), 15), (place(1), 7), (place(2), 4)]);
        assert_eq!(total_lag(&committed, &ends), 10);
        let table = offsets_table(&info, &committed, &ends);
        let rows: Vec<String> = table
            .rows
            .iter()
            .map(|row| row.iter().map(Cell::text).collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(
            rows,
            [
                "orders 0 5 15 10 - -",
                "orders 1 7 7 0 m-1 /127.0.0.1",
                "orders 2 - 4 - m-1 /127.0.0.1",
                "orders 3 9 - - - -",
            ]
        );
    }
}

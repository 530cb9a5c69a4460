//! [`View`]: what metadata answers have told of the cluster.

use std::collections::BTreeMap;
use std::sync::Arc;

use highwater_types::{BrokerId, LeaderEpoch, PartitionIndex, TopicId};
use highwater_wire::messages::MetadataResponse;
use highwater_wire::messages::metadata_response::{
    MetadataResponsePartition, MetadataResponseTopic,
};
use highwater_wire::{ErrorCode, Str};
use tokio::time::Instant;

/// A broker as clients reach it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broker {
    pub id: BrokerId,
    /// `host:port`.
    pub address: String,
    pub rack: Option<Str>,
}

/// A topic as the brokers describe it.
#[derive(Debug, Clone, PartialEq)]
pub struct Topic {
    pub name: Arc<str>,
    /// All zeros if the broker is too old to know ids.
    pub id: TopicId,
    pub is_internal: bool,
    /// Rising by index.
    pub partitions: Vec<Partition>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Partition {
    pub index: PartitionIndex,
    /// `None` while it has none.
    pub leader: Option<BrokerId>,
    /// `NONE` if the broker is too old to tell.
    pub leader_epoch: LeaderEpoch,
    pub replicas: Vec<BrokerId>,
    pub isr: Vec<BrokerId>,
    pub offline: Vec<BrokerId>,
}

impl Topic {
    pub fn partition(&self, index: PartitionIndex) -> Option<&Partition> {
        let at = self.partitions.binary_search_by_key(&index, |p| p.index).ok()?;
        self.partitions.get(at)
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct View {
    pub(crate) cluster_id: Option<Str>,
    pub(crate) controller_id: Option<BrokerId>,
    pub(crate) brokers: BTreeMap<BrokerId, Broker>,
    pub(crate) topics: BTreeMap<Arc<str>, Known>,
}

/// A topic, and since when it is known to be so.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) topic: Arc<Topic>,
    /// `None` once it has proved wrong.
    pub(crate) since: Option<Instant>,
}

impl View {
    /// Takes in an answer. Topics it does not name stay as they are.
    pub(crate) fn update(&mut self, answer: &MetadataResponse, now: Instant) {
        if let Some(id) = &answer.cluster_id {
            self.cluster_id = Some(id.detached());
        }
        self.controller_id = known_id(answer.controller_id);
        let broker = |b: &highwater_wire::messages::metadata_response::MetadataResponseBroker| {
            let address = address_of(&b.host, b.port);
            let id = BrokerId(b.node_id);
            (id, Broker { id, address, rack: b.rack.as_ref().map(Str::detached) })
        };
        self.brokers = answer.brokers.iter().map(broker).collect();
        for topic in &answer.topics {
            let Some(name) = &topic.name else { continue };
            match ErrorCode(topic.error_code) {
                ErrorCode::NONE => {
                    let old = self.topics.get(name.as_str()).map(|known| &*known.topic);
                    let topic = Arc::new(topic_of(name, topic, old));
                    self.topics.insert(topic.name.clone(), Known { topic, since: Some(now) });
                }
                ErrorCode::UNKNOWN_TOPIC_OR_PARTITION => {
                    self.topics.remove(name.as_str());
                }
                _ => {}
            }
        }
    }
}

/// `host:port`, with brackets where the host is an IPv6 address.
pub(crate) fn address_of(host: &str, port: i32) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

fn topic_of(name: &Str, topic: &MetadataResponseTopic, old: Option<&Topic>) -> Topic {
    let old = old.filter(|old| old.id == TopicId(topic.topic_id));
    let mut partitions: Vec<Partition> = topic
        .partitions
        .iter()
        .map(|partition| {
            let new = partition_of(partition);
            // A broker that lags behind must not take us back to a leader of the past.
            let known = old.and_then(|old| old.partition(new.index));
            known.filter(|known| known.leader_epoch > new.leader_epoch).cloned().unwrap_or(new)
        })
        .collect();
    partitions.sort_by_key(|p| p.index);
    Topic {
        name: (&**name).into(),
        id: TopicId(topic.topic_id),
        is_internal: topic.is_internal,
        partitions,
    }
}

fn known_id(id: i32) -> Option<BrokerId> {
    (id >= 0).then_some(BrokerId(id))
}

fn ids(ids: &[i32]) -> Vec<BrokerId> {
    ids.iter().copied().map(BrokerId).collect()
}

fn partition_of(partition: &MetadataResponsePartition) -> Partition {
    Partition {
        index: PartitionIndex(partition.partition_index),
        leader: known_id(partition.leader_id),
        leader_epoch: LeaderEpoch(partition.leader_epoch),
        replicas: ids(&partition.replica_nodes),
        isr: ids(&partition.isr_nodes),
        offline: ids(&partition.offline_replicas),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(id: u8, leader_id: i32, leader_epoch: i32) -> MetadataResponse {
        let partition = MetadataResponsePartition {
            partition_index: 0,
            leader_id,
            leader_epoch,
            ..Default::default()
        };
        let topic = MetadataResponseTopic {
            name: Some("t".into()),
            topic_id: highwater_types::Uuid([id; 16]),
            partitions: vec![partition],
            ..Default::default()
        };
        MetadataResponse { topics: vec![topic], ..Default::default() }
    }

    #[test]
    fn leaders_of_the_past_do_not_come_back_except_in_another_topic() {
        let mut view = View::default();
        let now = Instant::now();
        let leader =
            |view: &View| view.topics["t"].topic.partition(PartitionIndex(0)).unwrap().leader;
        view.update(&answer(1, 1, 5), now);
        view.update(&answer(1, 2, 4), now);
        assert_eq!(leader(&view), Some(BrokerId(1)));
        view.update(&answer(1, 3, 6), now);
        assert_eq!(leader(&view), Some(BrokerId(3)));
        view.update(&answer(2, 4, 0), now);
        assert_eq!(leader(&view), Some(BrokerId(4)));
        let mut gone = answer(2, -1, -1);
        gone.topics[0].error_code = ErrorCode::UNKNOWN_TOPIC_OR_PARTITION.0;
        view.update(&gone, now);
        assert!(view.topics.is_empty());
    }
}

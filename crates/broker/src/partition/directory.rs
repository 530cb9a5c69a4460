//! Which partitions are open on this broker: a snapshot that readers load without a lock.

use std::sync::Arc;

use arc_swap::ArcSwap;
use highwater_types::{PartitionIndex, TopicId, TopicIdPartition};
use rustc_hash::FxHashMap;

use super::Partition;

/// The open partitions of one moment.
#[derive(Clone, Default)]
pub struct Directory {
    topics: FxHashMap<TopicId, Arc<Vec<Option<Arc<Partition>>>>>,
}

impl Directory {
    pub fn get(&self, id: TopicIdPartition) -> Option<&Arc<Partition>> {
        let index = usize::try_from(id.partition.get()).ok()?;
        self.topics.get(&id.topic_id)?.get(index)?.as_ref()
    }

    /// The open partitions of a topic, in order of their index.
    pub fn of_topic(&self, topic: TopicId) -> impl Iterator<Item = &Arc<Partition>> {
        self.topics.get(&topic).into_iter().flat_map(|list| list.iter().flatten())
    }

    /// Every open partition, in no particular order.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Partition>> {
        self.topics.values().flat_map(|list| list.iter().flatten())
    }

    fn insert(&mut self, partition: Arc<Partition>) {
        let TopicIdPartition { topic_id, partition: PartitionIndex(index) } = partition.id();
        let list = Arc::make_mut(self.topics.entry(topic_id).or_default());
        let index = usize::try_from(index).unwrap_or_default();
        if list.len() <= index {
            list.resize(index + 1, None);
        }
        list[index] = Some(partition);
    }
}

/// The published [`Directory`].
#[derive(Default)]
pub struct PartitionDirectory {
    current: ArcSwap<Directory>,
}

impl PartitionDirectory {
    pub fn load(&self) -> arc_swap::Guard<Arc<Directory>> {
        self.current.load()
    }

    pub fn get(&self, id: TopicIdPartition) -> Option<Arc<Partition>> {
        self.load().get(id).cloned()
    }

    /// Adds partitions; only the applier of metadata changes calls this.
    pub fn add(&self, partitions: Vec<Arc<Partition>>) {
        let mut next = Directory::clone(&self.load());
        partitions.into_iter().for_each(|partition| next.insert(partition));
        self.current.store(Arc::new(next));
    }

    /// Removes a topic and gives back what was open of it.
    pub fn remove(&self, topic: TopicId) -> Vec<Arc<Partition>> {
        let mut next = Directory::clone(&self.load());
        let removed = next.topics.remove(&topic);
        self.current.store(Arc::new(next));
        removed
            .into_iter()
            .flat_map(|list| list.iter().flatten().cloned().collect::<Vec<_>>())
            .collect()
    }
}

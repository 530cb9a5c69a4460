//! Topics and their partitions as the metadata log says they are. Changed by replay alone; knows
//! nothing of requests. Read by every handler that names a topic.

use std::collections::BTreeMap;
use std::sync::Arc;

use highwater_types::{BrokerId, LeaderEpoch, PartitionIndex, TopicId, Uuid};
use highwater_wire::Str;
use highwater_wire::messages::{PartitionChangeRecord, PartitionRecord, TopicRecord};
use highwater_wire::metadata_frame::MetadataRecord;
use rpds::RedBlackTreeMapSync;

use super::detached;

/// Directory of a replica whose broker has not said where it lies (Kafka: `UNASSIGNED`).
pub const DIRECTORY_UNASSIGNED: Uuid = Uuid([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);

/// What a change record says where a leader does not change.
const LEADER_UNCHANGED: i32 = -2;
/// What a change record says where the recovery state does not change.
const RECOVERY_UNCHANGED: i8 = -1;

/// One partition.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PartitionImage {
    /// Assigned brokers; the first is the preferred leader. Never empty.
    pub replicas: Vec<BrokerId>,
    /// The directory of each replica, in the order of `replicas`.
    pub directories: Vec<Uuid>,
    /// In-sync replicas, a subset of `replicas`.
    pub isr: Vec<BrokerId>,
    /// Replicas that leave when the running reassignment ends.
    pub removing: Vec<BrokerId>,
    /// Replicas that join with the running reassignment.
    pub adding: Vec<BrokerId>,
    /// Eligible leader replicas: out of the ISR, yet known to hold everything committed. Disjoint
    /// from `isr`.
    pub elr: Vec<BrokerId>,
    /// While leaderless: who led last.
    pub last_known_elr: Vec<BrokerId>,
    /// [`BrokerId::NONE`] while leaderless.
    pub leader: BrokerId,
    /// Rises whenever `leader` is set anew, also to the same broker.
    pub leader_epoch: LeaderEpoch,
    /// Rises with every change of this partition.
    pub partition_epoch: i32,
    /// The leader was elected from outside what is known to be complete, and has not recovered.
    pub leader_recovering: bool,
}

impl PartitionImage {
    pub fn has_leader(&self) -> bool {
        self.leader != BrokerId::NONE
    }

    pub fn preferred_leader(&self) -> BrokerId {
        self.replicas.first().copied().unwrap_or(BrokerId::NONE)
    }

    pub fn is_reassigning(&self) -> bool {
        !self.adding.is_empty() || !self.removing.is_empty()
    }

    /// The directory that `broker` keeps this partition in.
    pub fn directory(&self, broker: BrokerId) -> Option<Uuid> {
        let at = self.replicas.iter().position(|replica| *replica == broker)?;
        self.directories.get(at).copied()
    }

    pub fn to_record(&self, topic_id: TopicId, index: PartitionIndex) -> PartitionRecord {
        let optional = |ids: &[BrokerId]| (!ids.is_empty()).then(|| numbers(ids));
        PartitionRecord {
            partition_id: index.get(),
            topic_id: topic_id.0,
            replicas: numbers(&self.replicas),
            isr: numbers(&self.isr),
            removing_replicas: numbers(&self.removing),
            adding_replicas: numbers(&self.adding),
            leader: self.leader.get(),
            leader_recovery_state: self.leader_recovering.into(),
            leader_epoch: self.leader_epoch.get(),
            partition_epoch: self.partition_epoch,
            directories: self.directories.clone(),
            eligible_leader_replicas: optional(&self.elr),
            last_known_elr: optional(&self.last_known_elr),
            ..PartitionRecord::default()
        }
    }

    fn from_record(record: &PartitionRecord) -> PartitionImage {
        let mut directories = record.directories.clone();
        // Records of old versions carry no directories.
        directories.resize(record.replicas.len(), Uuid::ZERO);
        PartitionImage {
            replicas: brokers(&record.replicas),
            directories,
            isr: brokers(&record.isr),
            removing: brokers(&record.removing_replicas),
            adding: brokers(&record.adding_replicas),
            elr: record.eligible_leader_replicas.as_deref().map(brokers).unwrap_or_default(),
            last_known_elr: record.last_known_elr.as_deref().map(brokers).unwrap_or_default(),
            leader: BrokerId(record.leader),
            leader_epoch: LeaderEpoch(record.leader_epoch),
            partition_epoch: record.partition_epoch,
            leader_recovering: record.leader_recovery_state == 1,
        }
    }

    fn apply(&mut self, record: &PartitionChangeRecord) {
        let replace = |field: &mut Vec<BrokerId>, ids: &Option<Vec<i32>>| {
            if let Some(ids) = ids {
                *field = brokers(ids);
            }
        };
        if let Some(directories) = &record.directories {
            self.directories.clone_from(directories);
        } else if let Some(ids) = &record.replicas {
            self.directories = ids
                .iter()
                .map(|id| self.directory(BrokerId(*id)).unwrap_or(DIRECTORY_UNASSIGNED))
                .collect();
        }
        replace(&mut self.replicas, &record.replicas);
        self.directories.resize(self.replicas.len(), DIRECTORY_UNASSIGNED);
        replace(&mut self.isr, &record.isr);
        replace(&mut self.removing, &record.removing_replicas);
        replace(&mut self.adding, &record.adding_replicas);
        replace(&mut self.elr, &record.eligible_leader_replicas);
        replace(&mut self.last_known_elr, &record.last_known_elr);
        if record.leader != LEADER_UNCHANGED {
            self.leader = BrokerId(record.leader);
            self.leader_epoch = LeaderEpoch(self.leader_epoch.get().wrapping_add(1));
        }
        if record.leader_recovery_state != RECOVERY_UNCHANGED {
            self.leader_recovering = record.leader_recovery_state == 1;
        }
        self.partition_epoch = self.partition_epoch.wrapping_add(1);
    }
}

pub(crate) fn brokers(ids: &[i32]) -> Vec<BrokerId> {
    ids.iter().copied().map(BrokerId).collect()
}

pub(crate) fn numbers(ids: &[BrokerId]) -> Vec<i32> {
    ids.iter().map(|id| id.get()).collect()
}

/// One topic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TopicImage {
    pub id: TopicId,
    pub name: Str,
    /// Indexes run from 0 without a hole.
    pub partitions: BTreeMap<PartitionIndex, Arc<PartitionImage>>,
}

impl TopicImage {
    pub fn partition(&self, index: PartitionIndex) -> Option<&PartitionImage> {
        self.partitions.get(&index).map(|partition| &**partition)
    }

    /// Replicas of the first partition: what the topic was created with.
    pub fn replication_factor(&self) -> usize {
        self.partitions.values().next().map_or(0, |partition| partition.replicas.len())
    }
}

/// All topics, by id and by name.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TopicsImage {
    by_id: RedBlackTreeMapSync<TopicId, Arc<TopicImage>>,
    /// Every value is a key of `by_id`, and that topic has this name.
    by_name: RedBlackTreeMapSync<Str, TopicId>,
}

impl TopicsImage {
    pub fn len(&self) -> usize {
        self.by_id.size()
    }

    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    pub fn get(&self, id: TopicId) -> Option<&Arc<TopicImage>> {
        self.by_id.get(&id)
    }

    pub fn named(&self, name: &str) -> Option<&Arc<TopicImage>> {
        self.by_name.get(name).and_then(|id| self.by_id.get(id))
    }

    /// All topics in the order of their names.
    pub fn by_name(&self) -> impl Iterator<Item = &Arc<TopicImage>> {
        self.by_name.values().filter_map(|id| self.by_id.get(id))
    }

    /// Topics whose name is `first` or sorts after it.
    pub fn by_name_from(&self, first: &str) -> impl Iterator<Item = &Arc<TopicImage>> {
        self.by_name
            .range::<str, _>((std::ops::Bound::Included(first), std::ops::Bound::Unbounded))
            .filter_map(|(_, id)| self.by_id.get(id))
    }

    /// All topics in the order of their ids.
    pub fn by_id(&self) -> impl Iterator<Item = &Arc<TopicImage>> {
        self.by_id.values()
    }

    pub(super) fn replay_topic(&mut self, record: &TopicRecord) {
        let id = TopicId(record.topic_id);
        let name = detached(&record.name);
        if self.by_id.contains_key(&id) {
            return;
        }
        if let Some(old) = self.by_name.get(&name).copied() {
            self.by_id.remove_mut(&old);
        }
        self.by_name.insert_mut(name.clone(), id);
        self.by_id.insert_mut(id, Arc::new(TopicImage { id, name, partitions: BTreeMap::new() }));
    }

    pub(super) fn replay_partition(&mut self, record: &PartitionRecord) {
        if let Some(topic) = self.by_id.get_mut(&TopicId(record.topic_id)) {
            let index = PartitionIndex(record.partition_id);
            let partition = Arc::new(PartitionImage::from_record(record));
            Arc::make_mut(topic).partitions.insert(index, partition);
        }
    }

    pub(super) fn replay_partition_change(&mut self, record: &PartitionChangeRecord) {
        if let Some(topic) = self.by_id.get_mut(&TopicId(record.topic_id))
            && let Some(partition) =
                Arc::make_mut(topic).partitions.get_mut(&PartitionIndex(record.partition_id))
        {
            Arc::make_mut(partition).apply(record);
        }
    }

    /// Gives the name that is free again.
    pub(super) fn replay_removed(&mut self, id: TopicId) -> Option<Str> {
        let name = self.by_id.get(&id)?.name.clone();
        self.by_id.remove_mut(&id);
        self.by_name.remove_mut(&name);
        Some(name)
    }

    /// Forgets the eligible leader replicas of one topic, of all if the name is empty.
    pub(super) fn replay_elr_cleared(&mut self, name: &str) {
        if name.is_empty() {
            let ids: Vec<TopicId> = self.by_id.keys().copied().collect();
            ids.into_iter().for_each(|id| self.clear_elr(id));
        } else if let Some(id) = self.by_name.get(name).copied() {
            self.clear_elr(id);
        }
    }

    fn clear_elr(&mut self, id: TopicId) {
        let has_any = |topic: &TopicImage| {
            let mut partitions = topic.partitions.values();
            partitions.any(|held| !held.elr.is_empty() || !held.last_known_elr.is_empty())
        };
        // Looked at first: what changes is copied if a reader holds it.
        if !self.by_id.get(&id).is_some_and(|topic| has_any(topic)) {
            return;
        }
        let Some(topic) = self.by_id.get_mut(&id) else { return };
        for partition in Arc::make_mut(topic).partitions.values_mut() {
            if !partition.elr.is_empty() || !partition.last_known_elr.is_empty() {
                let partition = Arc::make_mut(partition);
                partition.elr.clear();
                partition.last_known_elr.clear();
            }
        }
    }

    pub(super) fn to_records(&self, records: &mut Vec<MetadataRecord>) {
        for topic in self.by_id() {
            records.push(MetadataRecord::Topic(TopicRecord {
                name: topic.name.clone(),
                topic_id: topic.id.0,
                ..TopicRecord::default()
            }));
            for (index, partition) in &topic.partitions {
                records.push(MetadataRecord::Partition(partition.to_record(topic.id, *index)));
            }
        }
    }
}

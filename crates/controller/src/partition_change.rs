//! Works out how one partition changes: its leader, ISR, eligible leader replicas (ELR) and
//! assignment, as one change record. Pure; writes nothing. Called by every decision that touches a
//! partition that exists.
//!
//! The rules, in the order they are applied:
//! 1. a reassignment whose target replicas are all in sync is finished;
//! 2. with ELR, a replica that leaves the ISR while the ISR is below its minimum stays eligible;
//! 3. the leader stays if it may, else the first replica in the ISR (or, with an empty ISR, in the
//!    ELR) that may lead does; else, with ELR, the last known leader; else, if asked for, any;
//! 4. a leader from outside ISR and ELR makes an ISR of itself and is marked as recovering.

use highwater_types::{BrokerId, PartitionIndex, TopicId, Uuid};
use highwater_wire::messages::PartitionChangeRecord;
use highwater_wire::metadata_frame::MetadataRecord;

use crate::image::{DIRECTORY_UNASSIGNED, PartitionImage, numbers};

const LEADER_UNCHANGED: i32 = -2;

/// How hard to look for a leader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Election {
    /// Keep the leader if it may lead; else one that is known to be complete.
    Online,
    /// As `Online`, but move to the first replica if that may lead.
    Preferred,
    /// As `Online`, but rather lose records than stay leaderless.
    Unclean,
}

/// What surrounds a change.
pub struct Surroundings<'a> {
    /// Whether a broker may lead this partition now.
    pub may_lead: &'a dyn Fn(BrokerId) -> bool,
    /// The directory for a replica that has none yet.
    pub default_directory: &'a dyn Fn(BrokerId) -> Uuid,
    /// The smaller of replica count and `min.insync.replicas`.
    pub min_isr: usize,
    pub elr_enabled: bool,
}

/// A change in the making: what the partition should become.
pub struct PartitionChange<'a> {
    topic_id: TopicId,
    index: PartitionIndex,
    now: &'a PartitionImage,
    around: Surroundings<'a>,
    election: Election,
    isr: Vec<BrokerId>,
    replicas: Vec<BrokerId>,
    removing: Vec<BrokerId>,
    adding: Vec<BrokerId>,
    elr: Vec<BrokerId>,
    recovering: bool,
    /// A replica that stopped without warning and may have lost records.
    unclean: Option<BrokerId>,
    moved: Option<(BrokerId, Uuid)>,
}

/// Who leads, and whether that may lose records.
struct Elected {
    leader: BrokerId,
    unclean: bool,
}

impl<'a> PartitionChange<'a> {
    pub fn new(
        topic_id: TopicId,
        index: PartitionIndex,
        now: &'a PartitionImage,
        around: Surroundings<'a>,
    ) -> Self {
        PartitionChange {
            topic_id,
            index,
            now,
            around,
            election: Election::Online,
            isr: now.isr.clone(),
            replicas: now.replicas.clone(),
            removing: now.removing.clone(),
            adding: now.adding.clone(),
            elr: now.elr.clone(),
            recovering: now.leader_recovering,
            unclean: None,
            moved: None,
        }
    }

    #[must_use]
    pub fn election(mut self, election: Election) -> Self {
        self.election = election;
        self
    }

    #[must_use]
    pub fn isr(mut self, isr: Vec<BrokerId>) -> Self {
        self.isr = isr;
        self
    }

    /// `broker` leaves the ISR.
    #[must_use]
    pub fn without(mut self, broker: BrokerId) -> Self {
        self.isr.retain(|id| *id != broker);
        self
    }

    #[must_use]
    pub fn recovering(mut self, recovering: bool) -> Self {
        self.recovering = recovering;
        self
    }

    #[must_use]
    pub fn assignment(
        mut self,
        replicas: Vec<BrokerId>,
        adding: Vec<BrokerId>,
        removing: Vec<BrokerId>,
    ) -> Self {
        (self.replicas, self.adding, self.removing) = (replicas, adding, removing);
        self
    }

    /// `broker` stopped without warning: it leaves ISR and ELR.
    #[must_use]
    pub fn stopped_uncleanly(mut self, broker: BrokerId) -> Self {
        self.isr.retain(|id| *id != broker);
        self.unclean = Some(broker);
        self
    }

    /// `broker` keeps its replica in `directory` now.
    #[must_use]
    pub fn moved(mut self, broker: BrokerId, directory: Uuid) -> Self {
        self.moved = Some((broker, directory));
        self
    }

    /// The record, or `None` if nothing changes.
    pub fn into_record(mut self) -> Option<MetadataRecord> {
        let mut record = PartitionChangeRecord {
            topic_id: self.topic_id.0,
            partition_id: self.index.get(),
            ..PartitionChangeRecord::default()
        };
        self.finish_reassignment();
        self.fill_elr();
        self.elect_into(&mut record);
        let drops_replica = self.now.replicas.iter().any(|id| !self.replicas.contains(id));
        if record.leader == LEADER_UNCHANGED && drops_replica {
            // A new epoch makes every replica notice that the set has shrunk.
            record.leader = self.now.leader.get();
        }
        if record.isr.is_some() || !self.around.elr_enabled {
            self.elr.clear();
        }
        if self.elr != self.now.elr {
            record.eligible_leader_replicas = Some(numbers(&self.elr));
        }
        let may_be_empty = self.around.elr_enabled;
        if record.isr.is_none()
            && (may_be_empty || !self.isr.is_empty())
            && self.isr != self.now.isr
        {
            record.isr = Some(numbers(&self.isr));
        }
        self.last_known_into(&mut record);
        self.assignment_into(&mut record);
        if self.recovering != self.now.leader_recovering && record.leader_recovery_state == -1 {
            record.leader_recovery_state = self.recovering.into();
        }
        let unchanged = PartitionChangeRecord {
            topic_id: self.topic_id.0,
            partition_id: self.index.get(),
            ..PartitionChangeRecord::default()
        };
        (record != unchanged).then_some(MetadataRecord::PartitionChange(record))
    }

    fn finish_reassignment(&mut self) {
        if self.adding.is_empty() && self.removing.is_empty() {
            return;
        }
        let stays = |id: &&BrokerId| !self.removing.contains(id);
        let isr: Vec<BrokerId> = self.isr.iter().filter(stays).copied().collect();
        let replicas: Vec<BrokerId> = self.replicas.iter().filter(stays).copied().collect();
        let emptied = isr.is_empty() || replicas.is_empty();
        if emptied || replicas.iter().any(|id| !isr.contains(id)) {
            return;
        }
        (self.isr, self.replicas) = (isr, replicas);
        self.adding.clear();
        self.removing.clear();
    }

    fn fill_elr(&mut self) {
        if !self.around.elr_enabled {
            return;
        }
        if self.isr.len() >= self.around.min_isr {
            self.elr.clear();
            return;
        }
        let mut candidates = [&self.elr[..], &self.now.isr[..]].concat();
        candidates.sort_unstable();
        candidates.dedup();
        candidates.retain(|id| !self.isr.contains(id) && Some(*id) != self.unclean);
        self.elr = candidates;
    }

    fn elect_into(&mut self, record: &mut PartitionChangeRecord) {
        let Elected { leader, unclean } = self.elect();
        if leader == self.now.leader {
            return;
        }
        record.leader = leader.get();
        if unclean {
            record.isr = Some(vec![leader.get()]);
            if !self.now.leader_recovering {
                record.leader_recovery_state = 1;
            }
        } else if self.elr.contains(&leader) {
            self.isr = vec![leader];
            self.elr.retain(|id| *id != leader);
        }
    }

    fn elect(&self) -> Elected {
        let clean = |leader| Elected { leader, unclean: false };
        let preferred = self.replicas.first().copied();
        if self.election == Election::Preferred
            && let Some(first) = preferred
            && self.is_complete_and_may_lead(first)
        {
            return clean(first);
        }
        if self.is_complete_and_may_lead(self.now.leader) {
            return clean(self.now.leader);
        }
        if let Some(id) = self.replicas.iter().find(|id| self.is_complete_and_may_lead(**id)) {
            return clean(*id);
        }
        if let Some(id) = self.last_known_leader() {
            return Elected { leader: id, unclean: true };
        }
        if self.election == Election::Unclean
            && let Some(id) = self.replicas.iter().find(|id| (self.around.may_lead)(**id))
        {
            return Elected { leader: *id, unclean: true };
        }
        clean(BrokerId::NONE)
    }

    fn is_complete_and_may_lead(&self, id: BrokerId) -> bool {
        let complete = self.isr.contains(&id) || (self.isr.is_empty() && self.elr.contains(&id));
        complete && (self.around.may_lead)(id)
    }

    /// With nobody left who is known to be complete, the last leader is the best there is.
    fn last_known_leader(&self) -> Option<BrokerId> {
        let nobody_else = self.isr.is_empty() && self.elr.is_empty();
        match self.now.last_known_elr[..] {
            [id] if self.around.elr_enabled && nobody_else && (self.around.may_lead)(id) => {
                Some(id)
            }
            _ => None,
        }
    }

    fn last_known_into(&self, record: &mut PartitionChangeRecord) {
        if !self.around.elr_enabled {
            return;
        }
        let emptied = record.isr.as_ref().is_some_and(Vec::is_empty);
        let keeps_leader = self.now.has_leader() && record.leader != BrokerId::NONE.get();
        if emptied && self.now.last_known_elr != [self.now.leader] {
            record.last_known_elr = Some(vec![self.now.leader.get()]);
        } else if (record.leader >= 0 || keeps_leader) && !self.now.last_known_elr.is_empty() {
            record.last_known_elr = Some(Vec::new());
        }
    }

    fn assignment_into(&self, record: &mut PartitionChangeRecord) {
        let directories: Vec<Uuid> = self.replicas.iter().map(|id| self.directory(*id)).collect();
        if directories != self.now.directories {
            record.directories = Some(directories);
        }
        let changed = |to: &[BrokerId], from: &[BrokerId]| (to != from).then(|| numbers(to));
        record.replicas = changed(&self.replicas, &self.now.replicas);
        record.removing_replicas = changed(&self.removing, &self.now.removing);
        record.adding_replicas = changed(&self.adding, &self.now.adding);
    }

    fn directory(&self, id: BrokerId) -> Uuid {
        match self.moved {
            Some((moved, directory)) if moved == id => directory,
            _ => self.now.directory(id).unwrap_or_else(|| (self.around.default_directory)(id)),
        }
    }
}

/// The directory a broker's next replica goes to: its only one, else the broker decides.
pub fn default_directory(log_dirs: &[Uuid]) -> Uuid {
    match log_dirs {
        [only] => *only,
        _ => DIRECTORY_UNASSIGNED,
    }
}

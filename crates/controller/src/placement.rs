//! Chooses the brokers of new partitions: striped over racks, then over the brokers of each rack,
//! from a random start; unfenced brokers first. Knows nothing of topics. Pure: randomness is an
//! argument.

use std::collections::BTreeMap;

use highwater_types::{BrokerId, Entropy};
use highwater_wire::{ErrorCode, Str};

use crate::error::{ApiError, Outcome};

/// A broker that may hold replicas.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UsableBroker {
    pub id: BrokerId,
    pub rack: Option<Str>,
    /// May follow, may not lead a new partition.
    pub fenced: bool,
}

/// Replicas of `partitions` new partitions, leader first.
///
/// Refused if fewer than `replication_factor` brokers are usable, or none is unfenced.
pub fn place(
    partitions: usize,
    replication_factor: usize,
    usable: &[UsableBroker],
    entropy: &mut dyn Entropy,
) -> Outcome<Vec<Vec<BrokerId>>> {
    let refused = |why: String| {
        Err(ApiError::new(
            ErrorCode::INVALID_REPLICATION_FACTOR,
            format!("Cannot place {replication_factor} replica(s) of a partition: {why}."),
        ))
    };
    if replication_factor == 0 {
        return refused("the replication factor must be positive".into());
    }
    if replication_factor > usable.len() {
        return refused(format!(
            "only {} broker(s) are registered with a log directory that takes new partitions",
            usable.len()
        ));
    }
    if usable.iter().all(|broker| broker.fenced) {
        return refused("all brokers are fenced".into());
    }
    let mut stripes = Stripes::new(usable, entropy);
    Ok((0..partitions).map(|_| stripes.next(replication_factor, entropy)).collect())
}

/// Brokers of one rack and fencing state, walked in a circle.
#[derive(Default)]
struct Circle {
    brokers: Vec<BrokerId>,
    /// Where this round starts.
    start: usize,
    /// How many were taken in this round; at most all.
    taken: usize,
}

impl Circle {
    fn next(&mut self) -> Option<BrokerId> {
        if self.taken == self.brokers.len() {
            return None;
        }
        let at = (self.start + self.taken) % self.brokers.len();
        self.taken += 1;
        self.brokers.get(at).copied()
    }

    /// The next partition starts one further, if this one took anything.
    fn begin_round(&mut self) {
        if self.taken > 0 {
            self.start = (self.start + 1) % self.brokers.len();
            self.taken = 0;
        }
    }
}

#[derive(Default)]
struct Rack {
    unfenced: Circle,
    fenced: Circle,
}

struct Stripes {
    racks: Vec<Rack>,
    /// The rack that the next leader comes from.
    first: usize,
    unfenced: usize,
    /// Partitions placed since the last shuffle.
    placed: usize,
}

impl Stripes {
    fn new(usable: &[UsableBroker], entropy: &mut dyn Entropy) -> Stripes {
        let mut racks = BTreeMap::<Option<&str>, Rack>::new();
        for broker in usable {
            let rack = racks.entry(broker.rack.as_deref()).or_default();
            let circle = if broker.fenced { &mut rack.fenced } else { &mut rack.unfenced };
            circle.brokers.push(broker.id);
        }
        let mut racks: Vec<Rack> = racks.into_values().collect();
        for circle in racks.iter_mut().flat_map(|rack| [&mut rack.unfenced, &mut rack.fenced]) {
            circle.brokers.sort_unstable();
            circle.start = below(circle.brokers.len(), entropy);
        }
        let unfenced = usable.iter().filter(|broker| !broker.fenced).count();
        Stripes { first: below(racks.len(), entropy), racks, unfenced, placed: 0 }
    }

    fn next(&mut self, replication_factor: usize, entropy: &mut dyn Entropy) -> Vec<BrokerId> {
        if self.placed == self.unfenced && self.unfenced > 1 {
            self.shuffle(entropy);
        }
        let count = self.racks.len();
        let mut replicas = Vec::with_capacity(replication_factor);
        // The leader comes from the first rack, in turn, that has an unfenced broker.
        let mut leader_rack = self.first;
        for step in 0..count {
            leader_rack = (self.first + step) % count;
            if let Some(id) = self.racks.get_mut(leader_rack).and_then(|r| r.unfenced.next()) {
                replicas.push(id);
                break;
            }
        }
        // The others come rack by rack; in its first turn the leader's rack has had its share.
        let mut skip_leader_rack = true;
        let mut at = self.first;
        while replicas.len() < replication_factor {
            if skip_leader_rack && at == leader_rack {
                skip_leader_rack = false;
            } else if let Some(rack) = self.racks.get_mut(at)
                && let Some(id) = rack.unfenced.next().or_else(|| rack.fenced.next())
            {
                replicas.push(id);
            }
            at = (at + 1) % count;
        }
        self.first = (self.first + 1) % count;
        self.placed += 1;
        for circle in self.racks.iter_mut().flat_map(|rack| [&mut rack.unfenced, &mut rack.fenced])
        {
            circle.begin_round();
        }
        replicas
    }

    /// After as many partitions as brokers the stripes would repeat.
    fn shuffle(&mut self, entropy: &mut dyn Entropy) {
        self.placed = 0;
        shuffle(&mut self.racks, entropy);
        for rack in &mut self.racks {
            shuffle(&mut rack.unfenced.brokers, entropy);
            shuffle(&mut rack.fenced.brokers, entropy);
        }
    }
}

fn below(bound: usize, entropy: &mut dyn Entropy) -> usize {
    if bound < 2 { 0 } else { (entropy.next_u64() % bound as u64) as usize }
}

fn shuffle<T>(items: &mut [T], entropy: &mut dyn Entropy) {
    for at in (1..items.len()).rev() {
        items.swap(at, below(at + 1, entropy));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use highwater_types::SplitMix;

    use super::*;

    fn brokers(specs: &[(i32, &str, bool)]) -> Vec<UsableBroker> {
        let broker = |(id, rack, fenced): &(i32, &str, bool)| UsableBroker {
            id: BrokerId(*id),
            rack: (!rack.is_empty()).then(|| Str::from(*rack)),
            fenced: *fenced,
        };
        specs.iter().map(broker).collect()
    }

    fn check(specs: &[(i32, &str, bool)], partitions: usize, factor: usize) -> Vec<Vec<BrokerId>> {
        let usable = brokers(specs);
        let mut entropy = SplitMix::new(7);
        let placed = place(partitions, factor, &usable, &mut entropy).unwrap();
        assert_eq!(placed.len(), partitions);
        for replicas in &placed {
            assert_eq!(replicas.iter().collect::<BTreeSet<_>>().len(), factor);
            let leader = usable.iter().find(|broker| broker.id == replicas[0]).unwrap();
            assert!(!leader.fenced, "{replicas:?} has a fenced leader");
        }
        placed
    }

    #[test]
    fn leaders_are_spread_evenly() {
        let placed = check(&[(1, "", false), (2, "", false), (3, "", false)], 30, 2);
        for id in 1..=3 {
            let led = placed.iter().filter(|replicas| replicas[0] == BrokerId(id)).count();
            assert_eq!(led, 10);
        }
    }

    #[test]
    fn every_rack_has_a_replica() {
        let specs =
            [(1, "a", false), (2, "a", false), (3, "b", false), (4, "b", false), (5, "c", false)];
        for replicas in check(&specs, 50, 3) {
            let racks: BTreeSet<_> = replicas
                .iter()
                .map(|id| specs.iter().find(|(of, ..)| BrokerId(*of) == *id).unwrap().1)
                .collect();
            assert_eq!(racks.len(), 3, "{replicas:?}");
        }
    }

    #[test]
    fn fenced_brokers_come_last() {
        let specs = [(1, "a", false), (2, "a", true), (3, "b", false)];
        for replicas in check(&specs, 20, 2) {
            assert!(!replicas.contains(&BrokerId(2)), "{replicas:?}");
        }
        check(&specs, 20, 3);
    }

    #[test]
    fn what_cannot_be_placed() {
        let mut entropy = SplitMix::new(7);
        let mut refused = |factor, specs: &[(i32, &str, bool)]| {
            let error = place(1, factor, &brokers(specs), &mut entropy).unwrap_err();
            assert_eq!(error.code, ErrorCode::INVALID_REPLICATION_FACTOR);
        };
        refused(0, &[(1, "", false)]);
        refused(2, &[(1, "", false)]);
        refused(1, &[(1, "", true)]);
        refused(1, &[]);
    }
}

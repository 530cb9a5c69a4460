//! Leader epochs of a log: which epoch each offset was written in.
//!
//! Owns the list and the text form of `leader-epoch-checkpoint`. Writes no file. Pure.
//! Invariant: both epochs and start offsets rise from entry to entry.

use std::fmt::Write;

use highwater_types::{LeaderEpoch, Offset};

/// An epoch and the first offset written in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EpochEntry {
    pub epoch: LeaderEpoch,
    pub start: Offset,
}

/// All epochs of a log, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Epochs {
    entries: Vec<EpochEntry>,
}

impl Epochs {
    pub(crate) fn latest(&self) -> Option<EpochEntry> {
        self.entries.last().copied()
    }

    pub(crate) fn entries(&self) -> &[EpochEntry] {
        &self.entries
    }

    /// Whether `epoch` would be news.
    pub(crate) fn is_new(&self, epoch: LeaderEpoch) -> bool {
        epoch >= LeaderEpoch(0) && self.latest().is_none_or(|latest| latest.epoch != epoch)
    }

    /// Notes that `epoch` begins at `start`. Entries that contradict it go: they were of a leader
    /// whose records are not in this log.
    pub(crate) fn assign(&mut self, epoch: LeaderEpoch, start: Offset) {
        if self.is_new(epoch) {
            self.entries.retain(|entry| entry.epoch < epoch && entry.start < start);
            self.entries.push(EpochEntry { epoch, start });
        }
    }

    /// Epoch that the record at `offset` was written in.
    pub(crate) fn epoch_of(&self, offset: Offset) -> Option<LeaderEpoch> {
        self.entries.iter().rev().find(|entry| entry.start <= offset).map(|entry| entry.epoch)
    }

    /// Forgets epochs that begin at or after `end`; returns whether any did.
    pub(crate) fn truncate_end(&mut self, end: Offset) -> bool {
        let before = self.entries.len();
        self.entries.retain(|entry| entry.start < end);
        before != self.entries.len()
    }

    /// Forgets epochs that end at or before `start`; the one `start` lies in now begins there.
    pub(crate) fn truncate_start(&mut self, start: Offset) -> bool {
        let covered = self.entries.iter().take_while(|entry| entry.start <= start).count();
        let Some(last) = covered.checked_sub(1) else { return false };
        let Some(kept) = self.entries.get_mut(last) else { return false };
        if last == 0 && kept.start == start {
            return false;
        }
        kept.start = start;
        self.entries.drain(..last);
        true
    }

    /// The largest known epoch not above `epoch`, and where it ends (Kafka:
    /// OffsetForLeaderEpoch). None if `epoch` is above every known one or unknown (-1).
    pub(crate) fn end_of(&self, epoch: LeaderEpoch, log_end: Offset) -> Option<EpochEnd> {
        let latest = self.latest().filter(|_| epoch >= LeaderEpoch(0))?;
        if latest.epoch == epoch {
            return Some(EpochEnd { epoch, end: log_end });
        }
        let higher = self.entries.partition_point(|entry| entry.epoch <= epoch);
        let end = self.entries.get(higher)?.start;
        let floor = higher.checked_sub(1).and_then(|at| self.entries.get(at));
        Some(EpochEnd { epoch: floor.map_or(epoch, |entry| entry.epoch), end })
    }

    pub(crate) fn to_text(&self) -> String {
        let mut text = format!("0\n{}\n", self.entries.len());
        for EpochEntry { epoch, start } in &self.entries {
            let _ = writeln!(text, "{epoch} {start}");
        }
        text
    }

    /// None if the text is damaged in any way; it is then rebuilt from the batches.
    pub(crate) fn parse(text: &str) -> Option<Epochs> {
        let mut lines = text.lines();
        if lines.next()? != "0" {
            return None;
        }
        let count: usize = lines.next()?.parse().ok()?;
        let mut epochs = Epochs::default();
        for line in lines {
            let (epoch, start) = line.split_once(' ')?;
            let entry = EpochEntry {
                epoch: LeaderEpoch(epoch.parse().ok()?),
                start: Offset(start.parse().ok()?),
            };
            let rises = epochs
                .latest()
                .is_none_or(|last| last.epoch < entry.epoch && last.start <= entry.start);
            if !rises || entry.epoch < LeaderEpoch(0) || entry.start < Offset::ZERO {
                return None;
            }
            epochs.entries.push(entry);
        }
        (epochs.entries.len() == count).then_some(epochs)
    }
}

/// Where an epoch ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EpochEnd {
    pub epoch: LeaderEpoch,
    /// First offset after the epoch.
    pub end: Offset,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epochs(entries: &[(i32, i64)]) -> Epochs {
        let mut epochs = Epochs::default();
        for (epoch, start) in entries {
            epochs.assign(LeaderEpoch(*epoch), Offset(*start));
        }
        epochs
    }

    #[test]
    fn ends() {
        let known = epochs(&[(2, 10), (5, 20), (6, 30)]);
        let end = |epoch| {
            known.end_of(LeaderEpoch(epoch), Offset(40)).map(|e| (e.epoch.get(), e.end.get()))
        };
        assert_eq!(end(-1), None);
        assert_eq!(end(0), Some((0, 10)));
        assert_eq!(end(2), Some((2, 20)));
        assert_eq!(end(3), Some((2, 20)));
        assert_eq!(end(5), Some((5, 30)));
        assert_eq!(end(6), Some((6, 40)));
        assert_eq!(end(7), None);
        assert_eq!(Epochs::default().end_of(LeaderEpoch(0), Offset(0)), None);
    }

    #[test]
    fn truncation() {
        let mut known = epochs(&[(0, 0), (2, 10), (5, 20)]);
        assert!(known.truncate_end(Offset(20)));
        assert_eq!(known, epochs(&[(0, 0), (2, 10)]));
        assert!(known.truncate_start(Offset(15)));
        assert_eq!(known, epochs(&[(2, 15)]));
        assert!(!known.truncate_start(Offset(15)));
        assert_eq!(known.epoch_of(Offset(16)), Some(LeaderEpoch(2)));
    }

    #[test]
    fn contradicted_entries_go() {
        assert_eq!(epochs(&[(0, 0), (3, 10), (4, 10)]), epochs(&[(0, 0), (4, 10)]));
        assert_eq!(epochs(&[(0, 0), (3, 10), (2, 20)]), epochs(&[(0, 0), (2, 20)]));
    }

    #[test]
    fn text_form() {
        let known = epochs(&[(0, 0), (2, 12)]);
        assert_eq!(known.to_text(), "0\n2\n0 0\n2 12\n");
        assert_eq!(Epochs::parse(&known.to_text()), Some(known));
        for bad in ["", "1\n0\n", "0\n1\n", "0\n2\n2 0\n0 5\n", "0\n1\nx 0\n", "\0\0\0\0"] {
            assert_eq!(Epochs::parse(bad), None, "{bad:?}");
        }
    }
}

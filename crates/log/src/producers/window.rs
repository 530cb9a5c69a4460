//! The last batches of one producer: what a resent batch is recognised by.

use highwater_records::BatchHeader;
use highwater_types::{Offset, Timestamp};

use crate::limits::PRODUCER_WINDOW_BATCHES;

/// A batch as the window remembers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowBatch {
    pub last_sequence: i32,
    pub last_offset: Offset,
    /// Last offset minus first; also last sequence minus first.
    pub offset_delta: i32,
    pub timestamp: Timestamp,
}

impl WindowBatch {
    /// Of a batch whose offsets are assigned.
    pub(crate) fn of(header: &BatchHeader) -> WindowBatch {
        WindowBatch {
            last_sequence: header.last_sequence(),
            last_offset: Offset(header.last_offset()),
            offset_delta: header.last_offset_delta,
            timestamp: Timestamp(header.max_timestamp),
        }
    }

    pub fn base_offset(&self) -> Offset {
        self.last_offset.plus(-i64::from(self.offset_delta))
    }

    /// Sequences are 31 bits wide and wrap.
    pub fn base_sequence(&self) -> i32 {
        self.last_sequence.wrapping_sub(self.offset_delta) & i32::MAX
    }
}

/// Up to five batches of one producer epoch, oldest first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Window {
    /// A prefix is filled.
    batches: [Option<WindowBatch>; PRODUCER_WINDOW_BATCHES],
}

impl Window {
    pub fn iter(&self) -> impl Iterator<Item = WindowBatch> + '_ {
        self.batches.iter().flatten().copied()
    }

    pub fn newest(&self) -> Option<WindowBatch> {
        self.iter().last()
    }

    pub(crate) fn clear(&mut self) {
        self.batches = Default::default();
    }

    pub(crate) fn push(&mut self, batch: WindowBatch) {
        if let Some(free) = self.batches.iter_mut().find(|slot| slot.is_none()) {
            *free = Some(batch);
            return;
        }
        self.batches.rotate_left(1);
        if let Some(last) = self.batches.last_mut() {
            *last = Some(batch);
        }
    }

    /// Puts older batches in front of those held, as far as there is room.
    pub(crate) fn prepend(&mut self, older: &[WindowBatch]) {
        let held: Vec<WindowBatch> = self.iter().collect();
        self.clear();
        let skip = (older.len() + held.len()).saturating_sub(PRODUCER_WINDOW_BATCHES);
        for batch in older.iter().chain(&held).skip(skip) {
            self.push(*batch);
        }
    }

    /// The batch with exactly these sequences.
    pub(crate) fn find(&self, base_sequence: i32, last_sequence: i32) -> Option<WindowBatch> {
        self.iter().find(|batch| {
            batch.last_sequence == last_sequence && batch.base_sequence() == base_sequence
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(last_sequence: i32) -> WindowBatch {
        let last_offset = Offset(i64::from(last_sequence) + 100);
        WindowBatch { last_sequence, last_offset, offset_delta: 9, timestamp: Timestamp(0) }
    }

    #[test]
    fn holds_the_five_newest() {
        let mut window = Window::default();
        for n in 1..=7 {
            window.push(batch(10 * n - 1));
        }
        assert_eq!(
            window.iter().map(|b| b.last_sequence).collect::<Vec<_>>(),
            [29, 39, 49, 59, 69]
        );
        assert_eq!(window.find(20, 29), Some(batch(29)));
        assert_eq!(window.find(10, 19), None);
        assert_eq!(window.find(20, 28), None);
    }

    #[test]
    fn older_batches_fill_the_room_in_front() {
        let mut window = Window::default();
        window.push(batch(69));
        window.prepend(&[batch(9), batch(19), batch(29), batch(39), batch(49), batch(59)]);
        assert_eq!(
            window.iter().map(|b| b.last_sequence).collect::<Vec<_>>(),
            [29, 39, 49, 59, 69]
        );
    }

    #[test]
    fn sequences_wrap() {
        let wrapped = WindowBatch { offset_delta: 3, ..batch(1) };
        assert_eq!(wrapped.base_sequence(), i32::MAX - 1);
    }
}

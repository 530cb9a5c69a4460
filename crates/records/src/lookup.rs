//! Finding a record of a batch by its time.

use std::ops::ControlFlow;

use crate::walk::walk;
use crate::{BatchError, BatchView, Scratch};

/// Offset and time of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimedOffset {
    pub offset: i64,
    pub timestamp: i64,
}

/// The first record, in offset order, that is not before `from_offset` and whose time is at least
/// `timestamp`. Under `LogAppendTime` the batch's time is that of each record.
///
/// # Errors
/// Whatever is wrong with the records up to it; the batch's CRC is not checked.
pub fn first_at_or_after(
    batch: &BatchView<'_>,
    timestamp: i64,
    from_offset: i64,
    scratch: &mut Scratch,
) -> Result<Option<TimedOffset>, BatchError> {
    let base = batch.header().base_offset;
    let mut found = None;
    walk(batch, scratch, |record| {
        let offset = base.wrapping_add(i64::from(record.offset_delta));
        if record.timestamp < timestamp || offset < from_offset {
            return ControlFlow::Continue(());
        }
        found = Some(TimedOffset { offset, timestamp: record.timestamp });
        ControlFlow::Break(())
    })?;
    Ok(found)
}

/// The first record with the batch's largest time; none if the batch holds no records.
///
/// # Errors
/// Whatever is wrong with the records; the batch's CRC is not checked.
pub fn first_of_max_timestamp(
    batch: &BatchView<'_>,
    scratch: &mut Scratch,
) -> Result<Option<TimedOffset>, BatchError> {
    let base = batch.header().base_offset;
    let mut found: Option<TimedOffset> = None;
    walk(batch, scratch, |record| {
        if found.is_none_or(|best| record.timestamp > best.timestamp) {
            let offset = base.wrapping_add(i64::from(record.offset_delta));
            found = Some(TimedOffset { offset, timestamp: record.timestamp });
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

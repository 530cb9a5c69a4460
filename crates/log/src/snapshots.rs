//! Producer snapshots as files: written at each roll and clean stop, loaded at open.

use std::io;

use highwater_types::{Offset, Timestamp};

use crate::error::LogError;
use crate::limits::SNAPSHOT_BYTES_MAX;
use crate::log::Log;
use crate::names;
use crate::place::Place;
use crate::producers::{Producers, snapshot};

impl Log {
    /// Writes the producers' state as of the log end, unless a snapshot of that offset exists.
    pub(crate) fn take_snapshot(&mut self) -> Result<(), LogError> {
        if self.log_end <= self.last_snapshot {
            return Ok(());
        }
        let place = &self.shared.place;
        let bytes = snapshot::encode(self.shared.producers.lock().iter());
        let path = place.file(self.log_end, names::SNAPSHOT);
        // Not flushed: it carries a CRC, and an older one serves as well.
        place.disk.replace(&path, &bytes, false).map_err(LogError::write(&path))?;
        self.last_snapshot = self.log_end;
        Ok(())
    }
}

/// The newest sound snapshot at or below `end`, as of which offset, without producers that have
/// expired. Damaged ones and ones beyond the log end are removed on the way.
pub(crate) fn load(
    place: &Place,
    offsets: &[Offset],
    end: Offset,
    now: Timestamp,
    expiration_ms: i64,
) -> Result<Option<(Offset, Producers)>, LogError> {
    for offset in offsets.iter().rev() {
        let path = place.file(*offset, names::SNAPSHOT);
        let damage = match place.disk.read_small(&path, SNAPSHOT_BYTES_MAX) {
            _ if *offset > end => "it lies beyond the log end".to_owned(),
            Ok(bytes) => match snapshot::decode(&bytes) {
                Ok(entries) => {
                    let mut producers = Producers::default();
                    entries.into_iter().for_each(|entry| producers.put(entry));
                    producers.expire(now, expiration_ms);
                    return Ok(Some((*offset, producers)));
                }
                Err(error) => error.to_string(),
            },
            Err(error) if error.kind() == io::ErrorKind::InvalidData => error.to_string(),
            Err(error) => return Err(LogError::Read { path, source: error }),
        };
        tracing::warn!(path = %path.display(), damage, "producer snapshot is dropped");
        place.disk.remove(&path).map_err(LogError::write(&path))?;
    }
    Ok(None)
}

/// Removes snapshots that no segment begins at, but the newest, as each start does.
pub(crate) fn remove_stray(place: &Place, offsets: &mut Vec<Offset>, bases: &[Offset]) {
    let newest = offsets.last().copied();
    offsets.retain(|offset| {
        let kept = Some(*offset) == newest || bases.binary_search(offset).is_ok();
        // One that stays behind is only a wasted file; the next start tries again.
        kept || place.disk.remove(&place.file(*offset, names::SNAPSHOT)).is_err()
    });
}

//! Which version each metadata record is written in at metadata.version 33. Called by whoever
//! encodes the records of a decision or a snapshot.

use highwater_wire::metadata_frame::MetadataRecord;

/// The version to encode `record` with.
pub fn record_version(record: &MetadataRecord) -> i16 {
    match record {
        MetadataRecord::RegisterBroker(_) => 4,
        MetadataRecord::Partition(_) | MetadataRecord::PartitionChange(_) => 2,
        // The lowest that holds what is said: older readers stay able to read the rest.
        MetadataRecord::BrokerRegistrationChange(change) => {
            if change.cordoned_log_dirs.is_some() {
                3
            } else if !change.log_dirs.is_empty() {
                2
            } else {
                (change.in_controlled_shutdown != 0).into()
            }
        }
        _ => 0,
    }
}

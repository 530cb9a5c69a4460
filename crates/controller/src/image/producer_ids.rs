//! The next producer id that was not handed out. Changed by replay alone.

use highwater_types::ProducerId;
use highwater_wire::messages::ProducerIdsRecord;
use highwater_wire::metadata_frame::MetadataRecord;

/// Every id below `next` has been given to some broker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProducerIdsImage {
    pub next: ProducerId,
}

impl Default for ProducerIdsImage {
    fn default() -> Self {
        ProducerIdsImage { next: ProducerId(0) }
    }
}

impl ProducerIdsImage {
    /// Never goes back, whatever the log says: an id must not be handed out twice.
    pub(super) fn replay(&mut self, record: &ProducerIdsRecord) {
        self.next = self.next.max(ProducerId(record.next_producer_id));
    }

    pub(super) fn to_records(self, records: &mut Vec<MetadataRecord>) {
        if self != ProducerIdsImage::default() {
            records.push(MetadataRecord::ProducerIds(ProducerIdsRecord {
                broker_id: -1,
                broker_epoch: -1,
                next_producer_id: self.next.get(),
                ..ProducerIdsRecord::default()
            }));
        }
    }
}

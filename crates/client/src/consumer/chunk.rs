//! [`Chunk`]: what one fetch brought of one partition, read batch by batch.

use std::collections::BTreeSet;
use std::sync::Arc;

use bytes::Bytes;
use highwater_records::control::EndTxnMarker;
use highwater_records::{
    BatchError, BatchHeader, BatchView, Compression, HEADER_BYTES, LOG_OVERHEAD, RecordView,
    Scratch, decompress,
};
use highwater_types::{LeaderEpoch, Offset, Timestamp, TopicPartition};
use highwater_wire::messages::fetch_response::AbortedTransaction;

use super::ConsumerRecord;
use crate::RecordHeader;

pub(super) struct Chunk {
    bytes: Bytes,
    /// Transactions that were aborted, to be skipped; rising by first offset.
    aborted: Vec<AbortedTransaction>,
    /// Producers in whose aborted transactions we are.
    aborting: BTreeSet<i64>,
    is_read_committed: bool,
    checks_crcs: bool,
}

/// Most bytes of one batch once decompressed.
const BATCH_BYTES_MAX: usize = highwater_records::limits::DECOMPRESSED_BYTES_MAX;

/// A batch's records, and the offset behind it.
pub(super) struct Read {
    pub(super) records: Vec<ConsumerRecord>,
    pub(super) next: Offset,
}

impl Chunk {
    pub(super) fn new(
        bytes: Bytes,
        mut aborted: Vec<AbortedTransaction>,
        is_read_committed: bool,
        checks_crcs: bool,
    ) -> Self {
        aborted.sort_by_key(|transaction| transaction.first_offset);
        Chunk { bytes, aborted, aborting: BTreeSet::new(), is_read_committed, checks_crcs }
    }

    /// The offset behind the last whole batch. `None` if there is no whole one.
    pub(super) fn next_offset(&self) -> Option<Offset> {
        let mut rest = &self.bytes[..];
        let mut next = None;
        while let Ok(header) = BatchHeader::parse(rest)
            && let Some(after) = rest.get(header.size_bytes()..)
        {
            next = Some(Offset(header.next_offset()));
            rest = after;
        }
        next
    }

    /// Reads the next batch: its records from `from` on. `None` at the end, where a part of a batch
    /// may be left: an answer is cut anywhere.
    pub(super) fn read(
        &mut self,
        at: &TopicPartition,
        from: Offset,
    ) -> Result<Option<Read>, BatchError> {
        let batch = match BatchView::parse(&self.bytes) {
            Ok(batch) => batch,
            Err(BatchError::NoBatch | BatchError::Truncated { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let header = *batch.header();
        let bytes = self.bytes.split_to(header.size_bytes());
        let next = Offset(header.next_offset());
        if next <= from {
            return Ok(Some(Read { records: Vec::new(), next }));
        }
        let batch = BatchView::parse(&bytes)?;
        if self.checks_crcs {
            batch.verify_crc()?;
        }
        let records = match self.is_skipped(&batch)? {
            true => Vec::new(),
            false => records_of(at, from, plain(&bytes, &header)?)?,
        };
        Ok(Some(Read { records, next }))
    }

    /// Control batches are not for callers, nor is what was aborted.
    fn is_skipped(&mut self, batch: &BatchView<'_>) -> Result<bool, BatchError> {
        let header = batch.header();
        if self.is_read_committed {
            let begun = |t: &AbortedTransaction| t.first_offset <= header.last_offset();
            let count = self.aborted.partition_point(begun);
            self.aborting.extend(self.aborted.drain(..count).map(|t| t.producer_id));
        }
        if header.is_control() {
            let mut scratch = Scratch::new();
            let first = batch.records(&mut scratch)?.next().transpose()?;
            let marker = first.and_then(|record| EndTxnMarker::of_record(&record));
            if marker.is_some_and(|marker| !marker.is_commit) {
                self.aborting.remove(&header.producer_id);
            }
            return Ok(true);
        }
        Ok(header.is_transactional() && self.aborting.contains(&header.producer_id))
    }
}

/// The batch with its records decompressed, so that records can be slices of it.
fn plain(bytes: &Bytes, header: &BatchHeader) -> Result<Bytes, BatchError> {
    let codec = header.compression()?;
    if codec == Compression::None {
        return Ok(bytes.clone());
    }
    let mut plain = vec![0; HEADER_BYTES];
    decompress(codec, &bytes[HEADER_BYTES..], &mut plain, HEADER_BYTES + BATCH_BYTES_MAX)?;
    let header = BatchHeader {
        batch_length: (plain.len() - LOG_OVERHEAD) as i32,
        attributes: header.attributes.with_codec(Compression::None),
        ..*header
    };
    plain[..HEADER_BYTES].copy_from_slice(&header.to_bytes());
    Ok(plain.into())
}

fn records_of(
    at: &TopicPartition,
    from: Offset,
    bytes: Bytes,
) -> Result<Vec<ConsumerRecord>, BatchError> {
    let batch = BatchView::parse(&bytes)?;
    let header = *batch.header();
    // Not compressed, so nothing is put there.
    let mut scratch = Scratch::new();
    let mut records = Vec::new();
    for record in batch.records(&mut scratch)? {
        let record = record?;
        if record.offset >= from.get() {
            records.push(owned(at.topic.clone(), at, &header, &record, &bytes));
        }
    }
    Ok(records)
}

fn owned(
    topic: Arc<str>,
    at: &TopicPartition,
    header: &BatchHeader,
    record: &RecordView<'_>,
    bytes: &Bytes,
) -> ConsumerRecord {
    let slice = |part: &[u8]| bytes.slice_ref(part);
    let headers = record
        .headers
        .map(|header| RecordHeader { name: slice(header.name), value: header.value.map(slice) });
    ConsumerRecord {
        topic,
        partition: at.partition,
        offset: Offset(record.offset),
        timestamp: Timestamp(record.timestamp),
        timestamp_type: header.timestamp_type(),
        key: record.key.map(slice),
        value: record.value.map(slice),
        headers: headers.collect(),
        leader_epoch: LeaderEpoch(header.partition_leader_epoch),
    }
}

#[cfg(test)]
mod tests {
    use highwater_records::{BatchBuilder, BatchOptions, NewRecord};
    use highwater_types::PartitionIndex;

    use super::*;

    fn at() -> TopicPartition {
        TopicPartition { topic: "t".into(), partition: PartitionIndex(0) }
    }

    fn batch(base_offset: i64, count: i64, change: impl FnOnce(&mut BatchOptions)) -> Bytes {
        let mut options = BatchOptions { base_offset, ..BatchOptions::default() };
        change(&mut options);
        let mut builder = BatchBuilder::new(options);
        for number in 0..count {
            let value = format!("{}", base_offset + number);
            let headers = [highwater_records::Header::new("h", Some(b"x"))];
            builder.append(&NewRecord {
                value: Some(value.as_bytes()),
                headers: &headers,
                ..NewRecord::default()
            });
        }
        builder.build()
    }

    fn marker(offset: i64, producer_id: i64, is_commit: bool) -> Bytes {
        let marker = EndTxnMarker { is_commit, coordinator_epoch: 0 };
        let mut bytes = marker.batch(producer_id, 0, 0).to_vec();
        highwater_records::patch::assign(&mut bytes, offset, 0);
        bytes.into()
    }

    /// Reads all from an offset: the offsets of the records, and what comes next.
    fn read_all(chunk: &mut Chunk, from: i64) -> Result<(Vec<i64>, i64), BatchError> {
        let (mut offsets, mut next) = (Vec::new(), from);
        while let Some(read) = chunk.read(&at(), Offset(from))? {
            for record in &read.records {
                assert_eq!(record.value.as_deref(), Some(record.offset.to_string().as_bytes()));
                assert_eq!(&record.headers[0].name[..], b"h");
                offsets.push(record.offset.get());
            }
            next = read.next.get();
        }
        Ok((offsets, next))
    }

    fn chunk(parts: &[Bytes], aborted: &[(i64, i64)], is_read_committed: bool) -> Chunk {
        let aborted = aborted.iter().map(|&(producer_id, first_offset)| AbortedTransaction {
            producer_id,
            first_offset,
            ..AbortedTransaction::default()
        });
        Chunk::new(parts.concat().into(), aborted.collect(), is_read_committed, true)
    }

    #[test]
    fn records_of_every_codec_from_an_offset_on() {
        for compression in Compression::ALL {
            let parts = [
                batch(10, 5, |options| options.compression = compression),
                batch(15, 5, |options| options.compression = compression),
            ];
            let mut whole = chunk(&parts, &[], false);
            assert_eq!(whole.next_offset(), Some(Offset(20)));
            assert_eq!(read_all(&mut whole, 13).unwrap(), ((13..20).collect(), 20));
            let mut behind = chunk(&parts, &[], false);
            assert_eq!(read_all(&mut behind, 15).unwrap(), ((15..20).collect(), 20));
        }
    }

    #[test]
    fn a_cut_answer_ends_before_the_cut_batch() {
        let second = batch(5, 5, |_| {});
        for cut in [1, 16, 60, second.len() - 1] {
            let mut cut = chunk(&[batch(0, 5, |_| {}), second.slice(..cut)], &[], false);
            assert_eq!(cut.next_offset(), Some(Offset(5)));
            assert_eq!(read_all(&mut cut, 0).unwrap(), ((0..5).collect(), 5));
        }
        assert_eq!(chunk(&[second.slice(..70)], &[], false).next_offset(), None);
    }

    #[test]
    fn damage_is_an_error() {
        let mut bytes = batch(0, 5, |_| {}).to_vec();
        if let Some(last) = bytes.last_mut() {
            *last ^= 1;
        }
        let error = read_all(&mut chunk(&[bytes.into()], &[], false), 0).unwrap_err();
        assert!(matches!(error, BatchError::Crc { .. }), "{error}");
    }

    #[test]
    fn aborted_transactions_are_skipped_if_asked() {
        let of = |id| {
            move |options: &mut BatchOptions| {
                options.producer_id = id;
                options.is_transactional = true;
            }
        };
        let parts = [
            batch(0, 2, of(1)),
            batch(2, 2, of(2)),
            batch(4, 1, |_| {}),
            marker(5, 1, false),
            batch(6, 2, of(1)),
            marker(8, 2, true),
            marker(9, 1, true),
        ];
        let committed = read_all(&mut chunk(&parts, &[(1, 0)], true), 0).unwrap();
        assert_eq!(committed, (vec![2, 3, 4, 6, 7], 10));
        let all = read_all(&mut chunk(&parts, &[], false), 0).unwrap();
        assert_eq!(all, (vec![0, 1, 2, 3, 4, 6, 7], 10));
    }
}

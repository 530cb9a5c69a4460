//! Hosts the controller: the metadata log is partition 0 of `__cluster_metadata`, the image goes
//! out to the broker when its records are committed.

use std::future::Future;
use std::sync::Arc;

use bytes::Bytes;
use highwater_controller::image::Image;
use highwater_controller::{
    Controller, ControllerReply, ControllerRequest, ControllerView, ImageDelta, Unpublished,
    record_version,
};
use highwater_types::Offset;
use highwater_wire::metadata_frame::{self, MetadataRecord};
use tokio::sync::mpsc;

use super::host::{Host, HostHandle, Observer};
use super::journal::{Journal, RecordCodec};
use crate::clock::Clock;
use crate::partition::Partition;

/// Name of the metadata log's topic.
pub const METADATA_TOPIC: &str = "__cluster_metadata";

/// The controller as the rest of the broker sees it.
#[derive(Clone)]
pub struct MetadataHandle {
    host: HostHandle<Controller>,
}

impl MetadataHandle {
    /// Asks the controller; the answer comes after the metadata it made is committed and this
    /// broker has taken it.
    pub fn request(
        &self,
        request: ControllerRequest,
    ) -> impl Future<Output = ControllerReply> + Send + use<> {
        self.host.request(request)
    }

    pub fn lead(&self, epoch: highwater_types::LeaderEpoch) {
        self.host.lead(epoch);
    }
}

/// A committed change of the metadata, and whom to tell when the broker has taken it.
pub struct CommittedImage {
    pub image: Image,
    pub delta: ImageDelta,
    /// The first image after loading: everything in it is to be taken.
    pub is_whole: bool,
    pub taken: tokio::sync::oneshot::Sender<()>,
}

/// Starts the controller over its log.
pub struct MetadataHost;

impl MetadataHost {
    pub fn start(
        log: Arc<Partition>,
        view: ControllerView,
        clock: Clock,
        committed: mpsc::UnboundedSender<CommittedImage>,
    ) -> MetadataHandle {
        let view = Arc::new(view);
        let observer =
            ImagePublisher { image: Image::empty(), waiting: Unpublished::default(), committed };
        let journal = Journal::new(log, MetadataCodec);
        let host = Host::start(Controller::new(), journal, observer, move || view.clone(), clock);
        MetadataHandle { host }
    }
}

/// Metadata records are values without keys.
struct MetadataCodec;

impl RecordCodec<MetadataRecord> for MetadataCodec {
    const HAS_SNAPSHOTS: bool = true;

    const BASE_SEQUENCE: i32 = -1;

    fn encode(&self, record: &MetadataRecord) -> Option<(Option<Bytes>, Option<Bytes>)> {
        Some((None, Some(record.encode(record_version(record)).ok()?)))
    }

    fn decode(&self, _: Option<&[u8]>, value: Option<&[u8]>) -> Option<MetadataRecord> {
        let decoded = metadata_frame::decode(Bytes::copy_from_slice(value?));
        match decoded {
            Ok(record) => Some(record),
            Err(error) => {
                tracing::error!(%error, "a metadata record is unreadable and was skipped");
                None
            }
        }
    }
}

/// Keeps the image one step behind the shard's: what is not committed does not show.
struct ImagePublisher {
    /// Everything appended so far.
    image: Image,
    waiting: Unpublished,
    committed: mpsc::UnboundedSender<CommittedImage>,
}

impl ImagePublisher {
    async fn publish(&self, image: Image, delta: ImageDelta, is_whole: bool) {
        let (taken, done) = tokio::sync::oneshot::channel();
        let sent = self.committed.send(CommittedImage { image, delta, is_whole, taken });
        if sent.is_ok() {
            // Replies of the controller leave only after the broker has opened what they promise.
            let _ = done.await;
        }
    }
}

impl Observer<Controller> for ImagePublisher {
    async fn on_loaded(&mut self, shard: &Controller) {
        self.image = shard.image().clone();
        self.waiting.clear();
        self.publish(self.image.clone(), ImageDelta::default(), true).await;
    }

    fn on_appended(&mut self, end: Offset, records: &[MetadataRecord]) {
        let mut offset = end.plus(-i64::try_from(records.len()).unwrap_or(0));
        for record in records {
            self.image.replay_at(offset, record);
            offset = offset.next();
        }
        self.waiting.push(&self.image, records);
    }

    async fn on_committed(&mut self, offset: Offset) {
        if let Some((image, delta)) = self.waiting.committed_to(offset) {
            self.publish(image, delta, false).await;
        }
    }
}

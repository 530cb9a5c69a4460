//! Takes committed metadata: publishes the image, opens and closes partitions, passes settings on.
//! One task, one change after the other, so what an answer promises is there when it leaves.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use highwater_config::{BrokerConfig, Layers};
use highwater_controller::image::{Image, PartitionImage, ResourceKind, TopicImage};
use highwater_types::{BrokerId, PartitionIndex, TopicId, TopicIdPartition, TopicPartition};
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::hosting::CommittedImage;
use crate::limits::{OPENED_ALONE_MAX, PROGRESS_INTERVAL};
use crate::opening::{log_config, overrides_of};
use crate::partition::Partition;
use crate::{Broker, clock};

/// Runs until the controller is gone.
pub async fn run(broker: Arc<Broker>, mut committed: mpsc::UnboundedReceiver<CommittedImage>) {
    while let Some(change) = committed.recv().await {
        take(&broker, &change).await;
        // The controller waits for this; it may have stopped.
        let _ = change.taken.send(());
    }
}

async fn take(broker: &Arc<Broker>, change: &CommittedImage) {
    let image = &change.image;
    if broker.refresh_config(image) {
        broker.limit_connections().await;
    }
    if change.is_whole {
        let wanted = local_partitions(broker, image.topics.by_id());
        broker.open_all(image, wanted).await;
        broker.remove_strays(image).await;
    } else {
        let touched: Vec<_> = change
            .delta
            .partitions
            .iter()
            .filter(|id| !change.delta.topics_removed.contains(&id.topic_id))
            .filter_map(|id| {
                let topic = image.topic_by_id(id.topic_id)?;
                Some((topic.clone(), id.partition, topic.partition(id.partition)?.clone()))
            })
            .collect();
        broker.open_all(image, touched).await;
        for (kind, name) in &change.delta.configs {
            broker.take_config(image, *kind, name).await;
        }
    }
    broker.publish_image(image.clone());
    for topic in &change.delta.topics_removed {
        broker.close_topic(*topic).await;
    }
    broker.groups.take(broker, image);
}

/// A partition as the metadata describes it.
type Wanted = (Arc<TopicImage>, PartitionIndex, PartitionImage);

/// Logs to open, shared by several threads.
struct OpeningWork<'a> {
    missing: &'a [Wanted],
    next: AtomicUsize,
    progress: Progress,
}

impl<'a> OpeningWork<'a> {
    fn take(&self) -> Option<&'a Wanted> {
        self.missing.get(self.next.fetch_add(1, Ordering::Relaxed))
    }
}

/// Tells of long openings, once a second.
struct Progress {
    count: usize,
    done: AtomicUsize,
    told: Mutex<Instant>,
}

impl Progress {
    fn of(count: usize) -> Progress {
        Progress { count, done: AtomicUsize::new(0), told: Mutex::new(Instant::now()) }
    }

    fn one_more(&self) {
        let done = 1 + self.done.fetch_add(1, Ordering::Relaxed);
        let Some(mut told) = self.told.try_lock() else { return };
        if told.elapsed() >= PROGRESS_INTERVAL {
            *told = Instant::now();
            tracing::info!("opened {done} of {} logs", self.count);
        }
    }
}

fn local_partitions<'a>(
    broker: &Broker,
    topics: impl Iterator<Item = &'a Arc<TopicImage>>,
) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    for topic in topics {
        for (index, partition) in &topic.partitions {
            if partition.replicas.contains(&broker.node.id) {
                wanted.push((topic.clone(), *index, PartitionImage::clone(partition)));
            }
        }
    }
    wanted
}

impl Broker {
    /// Opens what is not open yet and gives every partition the role that the metadata says.
    async fn open_all(self: &Arc<Self>, image: &Image, wanted: Vec<Wanted>) {
        let missing: Vec<Wanted> = wanted
            .iter()
            .filter(|(topic, index, _)| self.partitions.get(id_of(topic, *index)).is_none())
            .filter(|(topic, index, _)| !self.opening.is_offline(&name_of(topic, *index), topic.id))
            .cloned()
            .collect();
        if !missing.is_empty() {
            self.partitions.add(self.open(image, missing).await);
        }
        // Side by side: each waits for its storage thread.
        let mut roles = JoinSet::new();
        for (topic, index, described) in wanted {
            if let Some(partition) = self.partitions.get(id_of(&topic, index)) {
                roles.spawn(give_role(self.node.id, partition, described));
            }
        }
        roles.join_all().await;
    }

    /// Opens logs on blocking threads: recovery reads files.
    async fn open(self: &Arc<Self>, image: &Image, missing: Vec<Wanted>) -> Vec<Arc<Partition>> {
        let broker = self.clone();
        let image = image.clone();
        let opened = tokio::task::spawn_blocking(move || {
            let threads = broker.config.load().logs.recovery_threads_per_data_dir as usize;
            let work = OpeningWork {
                missing: &missing,
                next: AtomicUsize::new(0),
                progress: Progress::of(missing.len()),
            };
            std::thread::scope(|scope| {
                let run = || broker.open_some(&image, &work);
                // One thread is this one; a few partitions are not worth another.
                let helpers = threads.min(missing.len() / OPENED_ALONE_MAX).saturating_sub(1);
                let helpers: Vec<_> = (0..helpers).map(|_| scope.spawn(run)).collect();
                let mut opened = run();
                for helper in helpers {
                    // A panic in there has been reported by the panic hook.
                    opened.extend(helper.join().unwrap_or_default());
                }
                opened
            })
        });
        opened.await.unwrap_or_default()
    }

    fn open_some(&self, image: &Image, work: &OpeningWork<'_>) -> Vec<Arc<Partition>> {
        let mut opened = Vec::new();
        while let Some((topic, index, described)) = work.take() {
            let name = name_of(topic, *index);
            match self.open_partition(image, id_of(topic, *index), &name, described) {
                Ok(partition) => opened.push(partition),
                Err(error) => {
                    tracing::error!(partition = %name, %error, "the partition is offline");
                }
            }
            work.progress.one_more();
        }
        opened
    }

    async fn close_topic(self: &Arc<Self>, topic: TopicId) {
        let removed = self.partitions.remove(topic);
        let offline = self.opening.offline_of(topic);
        let open = removed.iter().map(|partition| partition.name());
        let names: Vec<TopicPartition> = open.chain(&offline).cloned().collect();
        self.forget(names.clone()).await;
        for partition in removed {
            partition.become_idle();
            let broker = self.clone();
            partition
                .on_storage_thread(move |partition| {
                    if let Some(moved_to) = broker.doom(partition.name()) {
                        partition.abandon(moved_to);
                    }
                })
                .await;
        }
        let broker = self.clone();
        let doomed = tokio::task::spawn_blocking(move || {
            for name in &offline {
                broker.doom(name);
            }
        });
        // A panic in there has been reported by the panic hook.
        let _ = doomed.await;
        if let Some(name) = names.first() {
            self.groups.topic_deleted(topic, &name.topic).await;
        }
    }

    /// Takes deleted partitions out of the checkpoints.
    async fn forget(self: &Arc<Self>, gone: Vec<TopicPartition>) {
        let broker = self.clone();
        let forgotten = tokio::task::spawn_blocking(move || broker.opening.forget(&gone)).await;
        if let Ok(Err(error)) = forgotten {
            tracing::error!(%error, "deleted partitions could not be taken out of the checkpoints");
        }
    }

    /// Renames the folder of a deleted partition; its space is freed later. Gives the new path.
    fn doom(&self, partition: &TopicPartition) -> Option<PathBuf> {
        let moved_to = self.opening.dir().doom_partition(partition, &mut clock::entropy());
        moved_to
            .inspect_err(|error| {
                tracing::error!(%partition, %error, "a deleted partition's folder could not be renamed");
            })
            .ok()
    }

    async fn take_config(self: &Arc<Self>, image: &Image, kind: ResourceKind, name: &str) {
        let touched: Vec<_> = match kind {
            ResourceKind::Topic => image.topic(name).into_iter().cloned().collect(),
            // A broker-wide default may show through in every topic.
            ResourceKind::Broker => image.topics.by_name().cloned().collect(),
            _ => Vec::new(),
        };
        for topic in touched {
            let config = Arc::new(self.topic_config(image, &topic.name));
            let for_log = log_config(&config, self.config.load().producers.id_expiration_ms);
            let partitions: Vec<_> = self.partitions.load().of_topic(topic.id).cloned().collect();
            for partition in partitions {
                partition.update_config(config.clone(), for_log.clone()).await;
            }
        }
    }
}

impl Broker {
    /// Takes the dynamic settings of this broker; gives whether those of the network changed.
    fn refresh_config(&self, image: &Image) -> bool {
        let own = overrides_of(image, ResourceKind::Broker, &self.node.id.to_string());
        let cluster = overrides_of(image, ResourceKind::Broker, "");
        let layers = Layers { broker: &own, cluster: &cluster, fixed: &self.settings };
        match BrokerConfig::resolve(&layers) {
            Ok(config) => {
                let config = Arc::new(config);
                self.config.swap(config.clone()).network != config.network
            }
            Err(error) => {
                // The controller checked them before they were written.
                tracing::error!(%error, "dynamic settings of this broker are not valid");
                false
            }
        }
    }

    fn publish_image(&self, image: Image) {
        self.metadata_offset.store(image.next_offset().get() - 1, Ordering::Release);
        self.image.store(Arc::new(image));
    }
}

async fn give_role(node: BrokerId, partition: Arc<Partition>, described: PartitionImage) {
    if described.leader != node {
        partition.become_idle();
    } else if partition.leader_epoch() != Some(described.leader_epoch) {
        partition.lead(described.leader_epoch, described.isr.clone()).await;
    }
}

fn name_of(topic: &TopicImage, partition: PartitionIndex) -> TopicPartition {
    TopicPartition { topic: (&*topic.name).into(), partition }
}

fn id_of(topic: &TopicImage, partition: PartitionIndex) -> TopicIdPartition {
    TopicIdPartition { topic_id: topic.id, partition }
}

//! [`Consumer`]: records of assigned partitions, or of those that a group gives.
//!
//! A task keeps fetching in the background; [`Consumer::poll`] hands out what is there. Joining
//! and giving partitions up happen only inside `poll`, so a caller never loses a partition while
//! it works on what it was given.

mod assignor;
mod chunk;
mod fetcher;
mod heartbeat;
mod join;
mod options;
mod record;
mod slots;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use highwater_types::{BrokerId, Offset, TopicPartition};
use highwater_wire::{ErrorCode, Str};
use parking_lot::Mutex;
use tokio::sync::{Notify, oneshot};
use tokio::task::AbortHandle;
use tokio::time::Instant;

pub use options::{ConsumerOptions, Reset, Start};
pub use record::ConsumerRecord;

use crate::{Client, ClientError, Committed, Committer};
use heartbeat::Interruption;
use join::{Joined, Joining};
use slots::Slots;

/// Reads records. Dropping it stops it without commits and without leaving the group; see
/// [`Consumer::close`].
pub struct Consumer {
    shared: Arc<Shared>,
    fetcher: AbortHandle,
    membership: Membership,
    committed_at: Instant,
}

struct Shared {
    client: Client,
    options: Arc<ConsumerOptions>,
    state: Mutex<State>,
    /// There may be something for the fetcher to do.
    fetchable: Notify,
    /// There may be something for a poll to take.
    news: Notify,
}

#[derive(Default)]
struct State {
    slots: Slots,
    /// Brokers with a fetch under way.
    fetching: BTreeSet<BrokerId>,
    /// Subscribed; empty if partitions are assigned by hand.
    topics: Vec<Arc<str>>,
    interruption: Option<Interruption>,
    /// When the last poll ended; `None` during one.
    last_poll: Option<Instant>,
}

/// | state | becomes | when |
/// |---|---|---|
/// | `Outside` | `Joining` | subscribed, at a poll |
/// | `Joining` | `Member` | the join succeeds; `Outside` if not |
/// | `Member` | `Outside` | a heartbeat brings an interruption, at a poll |
enum Membership {
    /// With the id to join as, empty for a new member.
    Outside(Str),
    Joining {
        topics: Vec<Arc<str>>,
        joined: oneshot::Receiver<Result<Joined, ClientError>>,
        task: AbortHandle,
    },
    Member {
        committer: Committer,
        heartbeat: AbortHandle,
    },
}

impl Shared {
    fn wake(&self) {
        self.fetchable.notify_one();
        self.news.notify_one();
    }
}

impl Consumer {
    /// Makes a consumer without partitions, with connections of its own. Call it inside a tokio
    /// runtime.
    pub fn new(client: &Client, options: ConsumerOptions) -> Consumer {
        let shared = Arc::new(Shared {
            // A join waits for other members, which may be in this process and use the client too.
            client: client.separate(),
            options: Arc::new(options),
            state: Mutex::default(),
            fetchable: Notify::new(),
            news: Notify::new(),
        });
        let fetcher = tokio::spawn(fetcher::run(shared.clone())).abort_handle();
        let membership = Membership::Outside(Str::default());
        Consumer { shared, fetcher, membership, committed_at: Instant::now() }
    }

    pub fn client(&self) -> &Client {
        &self.shared.client
    }

    /// Reads these partitions, instead of any before.
    ///
    /// # Errors
    /// `Invalid` if the consumer has subscribed.
    pub fn assign(
        &mut self,
        partitions: impl IntoIterator<Item = (TopicPartition, Start)>,
    ) -> Result<(), ClientError> {
        let mut state = self.shared.state.lock();
        if !state.topics.is_empty() {
            let why = "partitions cannot be assigned by hand to a consumer that has subscribed";
            return Err(ClientError::invalid(why));
        }
        state.slots.assign(partitions);
        drop(state);
        self.shared.wake();
        Ok(())
    }

    /// Reads what the group gives of these topics, from the next poll on.
    ///
    /// # Errors
    /// `Invalid` without a group id.
    pub fn subscribe(&mut self, topics: &[&str]) -> Result<(), ClientError> {
        self.shared.options.group()?;
        let mut state = self.shared.state.lock();
        state.topics = topics.iter().map(|topic| Arc::from(*topic)).collect();
        // Whoever is a member already joins again with the new topics.
        state.interruption = Some(Interruption::Rebalance);
        Ok(())
    }

    /// The partitions that are read now.
    pub fn assignment(&self) -> Vec<TopicPartition> {
        self.shared.state.lock().slots.iter().map(|(at, _)| at.clone()).collect()
    }

    /// Offset of the next record that a poll gives. `None` while it is not known.
    pub fn position(&self, at: &TopicPartition) -> Option<Offset> {
        self.shared.state.lock().slots.get(at)?.position
    }

    /// As the last fetch told.
    pub fn high_watermark(&self, at: &TopicPartition) -> Option<Offset> {
        self.shared.state.lock().slots.get(at)?.high_watermark
    }

    /// Goes on from elsewhere.
    ///
    /// # Errors
    /// `Invalid` if the partition is not assigned.
    pub fn seek(&mut self, at: &TopicPartition, start: Start) -> Result<(), ClientError> {
        let is_assigned = self.shared.state.lock().slots.restart(at, start);
        self.shared.wake();
        is_assigned.then_some(()).ok_or_else(|| not_assigned(at))
    }

    /// Gives no records of a partition until [`Consumer::resume`]. What was fetched is kept.
    ///
    /// # Errors
    /// `Invalid` if the partition is not assigned.
    pub fn pause(&mut self, at: &TopicPartition) -> Result<(), ClientError> {
        self.shared.state.lock().slots.pause(at, true).then_some(()).ok_or_else(|| not_assigned(at))
    }

    /// Undoes [`Consumer::pause`].
    ///
    /// # Errors
    /// `Invalid` if the partition is not assigned.
    pub fn resume(&mut self, at: &TopicPartition) -> Result<(), ClientError> {
        let is_assigned = self.shared.state.lock().slots.pause(at, false);
        self.shared.wake();
        is_assigned.then_some(()).ok_or_else(|| not_assigned(at))
    }

    /// Gives records as soon as there are any, none after `timeout`. May be dropped and called
    /// again at any point.
    ///
    /// # Errors
    /// What retrying does not mend: not authorized, fenced, no offset to begin at, damaged records.
    /// Polling on is allowed.
    pub async fn poll(&mut self, timeout: Duration) -> Result<Vec<ConsumerRecord>, ClientError> {
        let until = Instant::now() + timeout;
        let _polling = Polling::begin(self.shared.clone());
        self.maybe_auto_commit().await;
        loop {
            self.drive_membership().await?;
            let records = {
                let mut state = self.shared.state.lock();
                state.slots.take_records(self.shared.options.records_max)?
            };
            if !records.is_empty() {
                self.shared.fetchable.notify_one();
                return Ok(records);
            }
            let joined = async {
                match &mut self.membership {
                    Membership::Joining { joined, .. } => joined.await,
                    _ => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.shared.news.notified() => {}
                joined = joined => self.on_join_over(joined.unwrap_or_else(|_| Err(gone())))?,
                () = tokio::time::sleep_until(until) => return Ok(Vec::new()),
            }
        }
    }

    async fn drive_membership(&mut self) -> Result<(), ClientError> {
        let (topics, interruption) = {
            let mut state = self.shared.state.lock();
            let is_member = matches!(self.membership, Membership::Member { .. });
            let interruption = if is_member { state.interruption.take() } else { None };
            (state.topics.clone(), interruption)
        };
        if let Some(interruption) = interruption {
            self.give_up_partitions(&interruption).await;
            if let Interruption::Fatal(error) = interruption {
                self.shared.state.lock().topics.clear();
                return Err(error);
            }
        }
        match &mut self.membership {
            Membership::Outside(member_id) if !topics.is_empty() => {
                let joining = Joining {
                    client: self.shared.client.clone(),
                    options: self.shared.options.clone(),
                    topics,
                    member_id: member_id.clone(),
                };
                let topics = joining.topics.clone();
                let (sender, joined) = oneshot::channel();
                let task = tokio::spawn(async move {
                    let _ = sender.send(joining.run().await);
                });
                self.membership = Membership::Joining { topics, joined, task: task.abort_handle() };
            }
            Membership::Joining { joined, .. } => {
                // Over since the last poll gave up waiting.
                if let Ok(joined) = joined.try_recv() {
                    self.on_join_over(joined)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn on_join_over(&mut self, joined: Result<Joined, ClientError>) -> Result<(), ClientError> {
        let before = std::mem::replace(&mut self.membership, Membership::Outside(Str::default()));
        let joined = joined?;
        let topics = match before {
            Membership::Joining { topics, .. } => topics,
            _ => Vec::new(),
        };
        self.on_joined(joined, &topics);
        Ok(())
    }

    fn on_joined(&mut self, joined: Joined, topics: &[Arc<str>]) {
        let Some(group) = self.shared.options.group_id.clone() else { return };
        let mut state = self.shared.state.lock();
        let has_other_topics = state.topics != topics;
        state.interruption = has_other_topics.then_some(Interruption::Rebalance);
        state.slots.assign(joined.assignment.iter().map(|at| (at.clone(), Start::Committed)));
        drop(state);
        let committer = joined.committer.clone();
        let heartbeat = heartbeat::run(self.shared.clone(), group, joined);
        let heartbeat = tokio::spawn(heartbeat).abort_handle();
        self.membership = Membership::Member { committer, heartbeat };
        self.shared.wake();
    }

    async fn give_up_partitions(&mut self, interruption: &Interruption) {
        let member_id = match &self.membership {
            Membership::Member { committer, heartbeat } => {
                heartbeat.abort();
                committer.member_id.clone()
            }
            _ => Str::default(),
        };
        let is_same_member = *interruption == Interruption::Rebalance;
        if is_same_member && self.shared.options.auto_commit.is_some() {
            self.auto_commit().await;
        }
        self.shared.state.lock().slots.assign([]);
        self.membership =
            Membership::Outside(if is_same_member { member_id } else { Str::default() });
    }

    async fn maybe_auto_commit(&mut self) {
        let is_group = self.shared.options.group_id.is_some();
        let interval = self.shared.options.auto_commit.filter(|_| is_group);
        if interval.is_some_and(|interval| self.committed_at.elapsed() >= interval) {
            self.auto_commit().await;
        }
    }

    async fn auto_commit(&mut self) {
        self.committed_at = Instant::now();
        if let Err(error) = self.commit().await {
            tracing::warn!(%error, "offsets were not committed; the next commit covers them");
        }
    }

    /// Commits the position of every partition: all records that polls have given are done.
    ///
    /// # Errors
    /// As [`Client::commit_offsets`]; `Invalid` without a group id.
    pub async fn commit(&self) -> Result<(), ClientError> {
        let offsets: BTreeMap<TopicPartition, Committed> = {
            let state = self.shared.state.lock();
            let position = |(at, slot): (&TopicPartition, &slots::Slot)| {
                Some((at.clone(), Committed::at(slot.position?)))
            };
            state.slots.iter().filter_map(position).collect()
        };
        self.commit_offsets(&offsets).await
    }

    /// Commits offsets of the caller's choice: of the next record to be read, for each partition.
    ///
    /// # Errors
    /// As [`Client::commit_offsets`]; `Invalid` without a group id.
    pub async fn commit_offsets(
        &self,
        offsets: &BTreeMap<TopicPartition, Committed>,
    ) -> Result<(), ClientError> {
        let group = self.shared.options.group()?;
        if offsets.is_empty() {
            return Ok(());
        }
        let is_subscribed = !self.shared.state.lock().topics.is_empty();
        let committer = match &self.membership {
            Membership::Member { committer, .. } => committer.clone(),
            _ if is_subscribed => {
                let code = ErrorCode::REBALANCE_IN_PROGRESS.0;
                return ClientError::check("committing", code, None);
            }
            _ => Committer::outside(),
        };
        self.shared.client.commit_offsets(group, &committer, offsets).await
    }

    /// Commits if it is to commit by itself, leaves the group, and stops.
    ///
    /// # Errors
    /// As [`Consumer::commit`].
    pub async fn close(mut self) -> Result<(), ClientError> {
        let commits =
            self.shared.options.auto_commit.is_some() && self.shared.options.group_id.is_some();
        let result = if commits { self.commit().await } else { Ok(()) };
        let membership =
            std::mem::replace(&mut self.membership, Membership::Outside(Str::default()));
        if let (Membership::Member { committer, heartbeat }, Some(group)) =
            (membership, &self.shared.options.group_id)
        {
            heartbeat.abort();
            if let Err(error) = heartbeat::leave(&self.shared.client, group, &committer).await {
                tracing::debug!(%error, "the group was not left; the session will end by itself");
            }
        }
        result
    }
}

impl Drop for Consumer {
    fn drop(&mut self) {
        self.fetcher.abort();
        match &self.membership {
            Membership::Member { heartbeat, .. } => heartbeat.abort(),
            Membership::Joining { task, .. } => task.abort(),
            Membership::Outside(_) => {}
        }
    }
}

/// While it lives, nobody says that there was no poll.
struct Polling(Arc<Shared>);

impl Polling {
    fn begin(shared: Arc<Shared>) -> Self {
        shared.state.lock().last_poll = None;
        Polling(shared)
    }
}

impl Drop for Polling {
    fn drop(&mut self) {
        self.0.state.lock().last_poll = Some(Instant::now());
    }
}

fn gone() -> ClientError {
    ClientError::invalid("the attempt to join the group ended by a panic")
}

fn not_assigned(at: &TopicPartition) -> ClientError {
    ClientError::invalid(format!("{at} is not assigned to this consumer"))
}

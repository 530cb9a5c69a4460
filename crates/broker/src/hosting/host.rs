//! Runs one shard: a task that owns the pure driver, a mailbox before it.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use highwater_shard::{Cx, Driver, Effect, Event, Shard, Token, Unavailable};
use highwater_types::{LeaderEpoch, Offset, SplitMix};
use tokio::sync::{mpsc, oneshot};

use super::journal::{Journal, RecordCodec};
use crate::clock::{self, Clock};
use crate::limits::MAILBOX_REQUESTS_MAX;

/// Counts the loads of one host. What an abandoned load still sends is not the state of the shard
/// that leads by now.
pub(super) type LoadNumber = u64;

/// How far a loaded log reaches.
#[derive(Debug, Clone, Copy)]
pub(super) struct LogEnd {
    pub end: Offset,
    pub committed: Offset,
}

/// What comes into the mailbox.
pub(super) enum Mail<S: Shard> {
    Request(S::Request, oneshot::Sender<S::Reply>),
    Lead(LeaderEpoch),
    Resign,
    Loaded(LoadNumber, Vec<(Offset, S::Record)>),
    LoadEnded(LoadNumber, LogEnd),
    CommittedTo(Offset),
    AppendFailed(Offset),
}

/// Sees what the shard does: how the metadata image gets to the rest of the broker.
pub trait Observer<S: Shard>: Send + 'static {
    /// The whole state has been loaded from the log.
    fn on_loaded(&mut self, shard: &S) -> impl Future<Output = ()> + Send;
    /// Records are about to be appended; the log will end at `end`.
    fn on_appended(&mut self, end: Offset, records: &[S::Record]);
    /// Everything below `offset` is committed. Replies that waited for it leave afterwards.
    fn on_committed(&mut self, offset: Offset) -> impl Future<Output = ()> + Send;
}

/// Nobody watches.
pub struct Unobserved;

impl<S: Shard + Sync> Observer<S> for Unobserved {
    async fn on_loaded(&mut self, _: &S) {}
    fn on_appended(&mut self, _: Offset, _: &[S::Record]) {}
    async fn on_committed(&mut self, _: Offset) {}
}

/// The sending end of a shard's mailbox.
pub struct HostHandle<S: Shard> {
    mail: mpsc::UnboundedSender<Mail<S>>,
    /// Requests in the mailbox; events of our own are not counted.
    queued: Arc<AtomicUsize>,
}

impl<S: Shard> Clone for HostHandle<S> {
    fn clone(&self) -> Self {
        HostHandle { mail: self.mail.clone(), queued: self.queued.clone() }
    }
}

impl<S: Shard> HostHandle<S> {
    /// Puts a request into the mailbox at once (the order of calls is the order of decisions) and
    /// gives what resolves to the reply.
    pub fn request(&self, request: S::Request) -> impl Future<Output = S::Reply> + Send + use<S>
    where
        S::Request: Send + 'static,
        S::Reply: Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let refused = if self.queued.fetch_add(1, Ordering::Relaxed) >= MAILBOX_REQUESTS_MAX {
            self.queued.fetch_sub(1, Ordering::Relaxed);
            Some(S::unavailable(Some(&request), Unavailable::Loading))
        } else {
            self.send(Mail::Request(request, reply));
            None
        };
        async move {
            match refused {
                Some(reply) => reply,
                // The host has stopped: the broker is shutting down.
                None => {
                    answer.await.unwrap_or_else(|_| S::unavailable(None, Unavailable::NotLeader))
                }
            }
        }
    }

    /// Starts to lead the shard's log.
    pub fn lead(&self, epoch: LeaderEpoch) {
        self.send(Mail::Lead(epoch));
    }

    pub fn resign(&self) {
        self.send(Mail::Resign);
    }

    pub(super) fn send(&self, mail: Mail<S>) {
        // A closed mailbox means that the broker is stopping: nobody waits for the answer.
        let _ = self.mail.send(mail);
    }
}

/// A shard with everything it needs to run.
pub struct Host<S: Shard, C, O, V> {
    driver: Driver<S>,
    journal: Journal<C>,
    observer: O,
    view: V,
    clock: Clock,
    entropy: SplitMix,
    inbox: mpsc::UnboundedReceiver<Mail<S>>,
    handle: HostHandle<S>,
    tokens: BTreeMap<Token, oneshot::Sender<S::Reply>>,
    next_token: u64,
    /// The newest load; only its mail counts.
    load: LoadNumber,
}

impl<S, C, O, V> Host<S, C, O, V>
where
    S: Shard + Send + Sync + 'static,
    S::Request: Send,
    S::Record: Send + Sync,
    S::Reply: Send,
    S::Soft: Send,
    S::Timer: Send,
    S::View: Sync,
    C: RecordCodec<S::Record>,
    O: Observer<S>,
    V: Fn() -> Arc<S::View> + Send + 'static,
{
    /// Starts the task; `view` gives what decisions may look at, as it is at that moment.
    pub fn start(
        shard: S,
        journal: Journal<C>,
        observer: O,
        view: V,
        clock: Clock,
    ) -> HostHandle<S> {
        let (mail, inbox) = mpsc::unbounded_channel();
        let handle = HostHandle { mail, queued: Arc::default() };
        let host = Host {
            driver: Driver::new(shard),
            journal,
            observer,
            view,
            clock,
            entropy: clock::entropy(),
            inbox,
            handle: handle.clone(),
            tokens: BTreeMap::new(),
            next_token: 0,
            load: 0,
        };
        tokio::spawn(host.run());
        handle
    }

    async fn run(mut self) {
        let mut effects = Vec::new();
        while let Some(event) = self.next_event().await {
            for event in event {
                let committed = match &event {
                    Event::CommittedTo(offset) => Some(*offset),
                    _ => None,
                };
                let loaded = matches!(event, Event::LoadEnded { .. });
                self.drive(event, &mut effects);
                if loaded {
                    self.observer.on_loaded(self.driver.shard()).await;
                }
                if let Some(offset) = committed {
                    self.observer.on_committed(offset).await;
                }
                for effect in effects.drain(..) {
                    self.carry_out(effect);
                }
            }
        }
    }

    /// Waits for mail or for the next timer. `None` when every handle is gone.
    async fn next_event(&mut self) -> Option<Vec<Event<S>>> {
        let mail = match self.driver.next_timer() {
            Some(due) => {
                tokio::select! {
                    biased;
                    mail = self.inbox.recv() => mail?,
                    () = tokio::time::sleep_until(self.clock.instant(due)) => {
                        return Some(vec![Event::Tick]);
                    }
                }
            }
            None => self.inbox.recv().await?,
        };
        Some(match mail {
            Mail::Request(request, reply) => {
                self.handle.queued.fetch_sub(1, Ordering::Relaxed);
                self.next_token += 1;
                let token = Token(self.next_token);
                self.tokens.insert(token, reply);
                // Timers that are due come before a request that arrived later.
                vec![Event::Tick, Event::Request(token, request)]
            }
            Mail::Lead(epoch) => vec![Event::Lead(epoch)],
            Mail::Resign => {
                self.load += 1;
                vec![Event::Resign]
            }
            Mail::Loaded(load, _) | Mail::LoadEnded(load, _) if load != self.load => vec![],
            Mail::Loaded(_, records) => {
                records.into_iter().map(|(offset, record)| Event::Loaded(offset, record)).collect()
            }
            Mail::LoadEnded(_, LogEnd { end, committed }) => {
                vec![Event::LoadEnded { log_end: end, committed }]
            }
            Mail::CommittedTo(offset) => vec![Event::CommittedTo(offset)],
            Mail::AppendFailed(offset) => vec![Event::AppendFailed(offset)],
        })
    }

    fn drive(&mut self, event: Event<S>, effects: &mut Vec<Effect<S>>) {
        let view = (self.view)();
        let mut cx = Cx {
            now: self.clock.now(),
            mono: self.clock.mono(),
            entropy: &mut self.entropy,
            view: &*view,
        };
        self.driver.on(event, &mut cx, effects);
    }

    fn carry_out(&mut self, effect: Effect<S>) {
        match effect {
            Effect::Append { at, epoch: _, records } => {
                let end = at.plus(i64::try_from(records.len()).unwrap_or(i64::MAX));
                self.observer.on_appended(end, &records);
                self.journal.append(at, &records, self.clock.now(), &self.handle);
            }
            Effect::Reply(token, reply) => {
                if let Some(waiting) = self.tokens.remove(&token) {
                    // The connection that asked may be gone.
                    let _ = waiting.send(reply);
                }
            }
            Effect::Load => {
                self.load += 1;
                self.journal.load(self.load, &self.handle);
            }
        }
    }
}

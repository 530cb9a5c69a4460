//! [`Producer`]: records in, batches out, and what became of each record.
//!
//! Records of a partition leave in the order in which they were sent. With the default options a
//! retry neither repeats nor reorders them.

mod batch;
mod delivery;
mod lane;
#[cfg(test)]
mod lane_tests;
mod options;
mod partitioner;
mod record;
mod sender;
mod state;

use std::sync::Arc;
use std::time::SystemTime;

use highwater_records::{Header, NewRecord};
use parking_lot::Mutex;
use tokio::sync::{Notify, Semaphore};
use tokio::task::AbortHandle;

pub use delivery::{Delivered, Delivery};
pub use options::{Acks, ProducerOptions};
pub use partitioner::partition_of_key;
pub use record::{ProducerRecord, RecordHeader};

use crate::{Client, ClientError};
use batch::Identity;
use state::State;

/// Sends records. Clones share it; when the last one is dropped, what is not delivered fails.
#[derive(Clone)]
pub struct Producer(Arc<Handle>);

struct Handle {
    shared: Arc<Shared>,
    task: AbortHandle,
}

struct Shared {
    client: Client,
    options: ProducerOptions,
    state: Mutex<State>,
    /// The sender has something to look at.
    news: Notify,
    /// Bytes free in the buffer.
    room: Semaphore,
}

/// What a record takes beside its key, value and headers.
const RECORD_OVERHEAD_BYTES: usize = 32;

impl Producer {
    /// Makes a producer; an idempotent one asks for its identity first.
    ///
    /// # Errors
    /// `Invalid` for options that contradict each other; `Broker`, `GaveUp`.
    pub async fn new(client: Client, options: ProducerOptions) -> Result<Producer, ClientError> {
        options.check()?;
        let identity = match options.is_idempotent {
            true => sender::identify(&client).await?,
            false => Identity::NONE,
        };
        let shared = Arc::new(Shared {
            client,
            room: Semaphore::new(options.buffer_bytes.min(Semaphore::MAX_PERMITS)),
            options,
            state: Mutex::new(State::new(identity)),
            news: Notify::new(),
        });
        let task = tokio::spawn(sender::run(shared.clone())).abort_handle();
        Ok(Producer(Arc::new(Handle { shared, task })))
    }

    pub fn client(&self) -> &Client {
        &self.0.shared.client
    }

    /// Puts a record into a batch. Waits for the topic to be known, and while the buffer is full.
    ///
    /// # Errors
    /// `Invalid` for a partition that is not there or a record above the limits; `Broker` or
    /// `GaveUp` if the topic cannot be found.
    pub async fn send(&self, record: ProducerRecord) -> Result<Delivery, ClientError> {
        let shared = &self.0.shared;
        let topic = shared.client.topic(&record.topic).await?;
        let room = record_room(&record);
        let max = shared.options.request_bytes_max.min(shared.options.buffer_bytes);
        if room > max {
            let why = format!("a record of {room} bytes is above the limit of {max}");
            return Err(ClientError::invalid(why));
        }
        // The semaphore is never closed.
        if let Ok(permits) = shared.room.acquire_many(room as u32).await {
            permits.forget();
        }
        let headers: Vec<Header<'_>> = record
            .headers
            .iter()
            .map(|header| Header { name: &header.name, value: header.value.as_deref() })
            .collect();
        let new = NewRecord {
            timestamp: record.timestamp.map_or_else(now_ms, |timestamp| timestamp.get()),
            key: record.key.as_deref(),
            value: record.value.as_deref(),
            headers: &headers,
        };
        let appended = shared.state.lock().append(&topic, &record, &new, room, &shared.options);
        match appended {
            Ok((delivery, is_news)) => {
                if is_news {
                    shared.news.notify_one();
                }
                Ok(delivery)
            }
            Err(error) => {
                shared.room.add_permits(room);
                Err(error)
            }
        }
    }

    /// Sends a record at once and waits until it is delivered.
    ///
    /// # Errors
    /// As [`Producer::send`] and [`Delivery::wait`].
    pub async fn send_and_wait(&self, record: ProducerRecord) -> Result<Delivered, ClientError> {
        let delivery = self.send(record).await?;
        let _ = self.0.shared.state.lock().flush();
        self.0.shared.news.notify_one();
        delivery.wait().await
    }

    /// Sends what is waiting and waits until all records sent before are delivered or have failed.
    ///
    /// # Errors
    /// The first failure among them.
    pub async fn flush(&self) -> Result<(), ClientError> {
        let outcomes = self.0.shared.state.lock().flush();
        self.0.shared.news.notify_one();
        let mut first = Ok(());
        for outcome in outcomes {
            if let (Ok(()), Err(error)) = (&first, outcome.wait().await) {
                first = Err(error.clone());
            }
        }
        first
    }

    /// Takes no more records and flushes.
    ///
    /// # Errors
    /// As [`Producer::flush`].
    pub async fn close(&self) -> Result<(), ClientError> {
        self.0.shared.state.lock().closed.get_or_insert_with(closed);
        self.flush().await
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.task.abort();
        self.shared.state.lock().fail_all(&closed());
    }
}

fn closed() -> ClientError {
    ClientError::invalid("the producer is closed")
}

fn record_room(record: &ProducerRecord) -> usize {
    let len = |bytes: &Option<bytes::Bytes>| bytes.as_ref().map_or(0, bytes::Bytes::len);
    let headers = record.headers.iter().map(|h| h.name.len() + len(&h.value) + 10);
    RECORD_OVERHEAD_BYTES + len(&record.key) + len(&record.value) + headers.sum::<usize>()
}

fn now_ms() -> i64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
}

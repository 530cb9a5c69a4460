//! A fetch that waits for data: one value registered with every partition it asked for.

use tokio::sync::Notify;

/// Woken at most a few times; the fetch looks again each time.
#[derive(Debug, Default)]
pub struct FetchWait {
    woken: Notify,
}

impl FetchWait {
    /// Lets the fetch look again. A wake-up before it waits is not lost.
    pub fn wake(&self) {
        self.woken.notify_one();
    }

    pub async fn woken(&self) {
        self.woken.notified().await;
    }
}

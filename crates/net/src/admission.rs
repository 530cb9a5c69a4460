//! Which connections may come in: how many, from where, how fast. Limits may change at any time.
//!
//! Counts; refuses to touch sockets, and to end connections that are there. The acceptors ask
//! before they accept, and again when they know who comes.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::Notify;

/// Limits on connections, with the Kafka name of each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// Connections over all listeners; at the limit no more are accepted until one ends
    /// (`max.connections`).
    pub connections_max: usize,
    /// Connections from one address; more are closed (`max.connections.per.ip`).
    pub per_ip_max: usize,
    /// Other bounds for some addresses (`max.connections.per.ip.overrides`).
    pub per_ip_overrides: BTreeMap<IpAddr, usize>,
    /// New connections in a second; more wait to be accepted. `None`: as many as come
    /// (`max.connection.creation.rate`).
    pub rate_max: Option<u32>,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        ConnectionLimits {
            connections_max: usize::MAX,
            per_ip_max: usize::MAX,
            per_ip_overrides: BTreeMap::new(),
            rate_max: None,
        }
    }
}

impl ConnectionLimits {
    fn per_ip_max(&self, ip: IpAddr) -> usize {
        self.per_ip_overrides.get(&ip).copied().unwrap_or(self.per_ip_max)
    }
}

/// Counts connections against their limits.
pub struct Admission {
    state: Mutex<State>,
    /// A connection ended, or the limits are others now.
    changed: Notify,
}

struct State {
    limits: ConnectionLimits,
    pace: Pace,
    by_ip: HashMap<IpAddr, usize>,
    count: usize,
}

/// Why nobody may come in now.
enum Wait {
    Full,
    For(Duration),
}

/// Why a connection cannot come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoPlace {
    /// Not now: another took the last place after `room` had found it.
    Full,
    ForThisAddress,
}

/// A connection's place, given back when dropped.
pub(crate) struct Place {
    ip: IpAddr,
    admission: Arc<Admission>,
}

impl Admission {
    pub(crate) fn new(limits: ConnectionLimits) -> Arc<Self> {
        let pace = Pace::new(Instant::now());
        let state = State { limits, pace, by_ip: HashMap::new(), count: 0 };
        Arc::new(Admission { state: Mutex::new(state), changed: Notify::new() })
    }

    /// New limits for who comes from now on.
    pub fn limit(&self, limits: ConnectionLimits) {
        self.state.lock().limits = limits;
        self.changed.notify_waiters();
    }

    /// Waits until one more may come in.
    pub(crate) async fn room(&self) {
        let mut is_told = false;
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // From here on no change is missed.
            changed.as_mut().enable();
            let wait = self.state.lock().wait(Instant::now());
            match wait {
                None => return,
                Some(Wait::For(pause)) => {
                    // Either is a reason to look again.
                    let _ = tokio::time::timeout(pause, changed).await;
                    continue;
                }
                Some(Wait::Full) => {}
            }
            if !is_told {
                tracing::warn!("max.connections is reached; new connections wait until others end");
                is_told = true;
            }
            changed.await;
        }
    }

    /// A place among the connections, in all and from this address.
    pub(crate) fn place(self: &Arc<Self>, ip: IpAddr) -> Result<Place, NoPlace> {
        let mut state = self.state.lock();
        if state.count >= state.limits.connections_max {
            return Err(NoPlace::Full);
        }
        if state.limits.rate_max.is_some() {
            state.pace.take();
        }
        let max = state.limits.per_ip_max(ip);
        let here = state.by_ip.get(&ip).copied().unwrap_or(0);
        if here >= max {
            return Err(NoPlace::ForThisAddress);
        }
        state.by_ip.insert(ip, here + 1);
        state.count += 1;
        Ok(Place { ip, admission: self.clone() })
    }

    pub(crate) fn connections(&self) -> usize {
        self.state.lock().count
    }
}

impl State {
    fn wait(&mut self, now: Instant) -> Option<Wait> {
        if self.count >= self.limits.connections_max {
            return Some(Wait::Full);
        }
        self.pace.pause(self.limits.rate_max?, now).map(Wait::For)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.admission.state.lock();
        state.count -= 1;
        if let Some(count) = state.by_ip.get_mut(&self.ip) {
            *count -= 1;
            if *count == 0 {
                state.by_ip.remove(&self.ip);
            }
        }
        drop(state);
        self.admission.changed.notify_waiters();
    }
}

/// Lets so many pass in a second, and as many at once after a second without any.
struct Pace {
    /// Those that may pass now; below 0 after more passed than might.
    left: f64,
    at: Instant,
}

impl Pace {
    fn new(now: Instant) -> Pace {
        Pace { left: f64::INFINITY, at: now }
    }

    /// How long nobody may pass; `None` if one may now.
    fn pause(&mut self, rate: u32, now: Instant) -> Option<Duration> {
        let rate = f64::from(rate);
        let gained = now.saturating_duration_since(self.at).as_secs_f64() * rate;
        self.at = now;
        self.left = (self.left + gained).min(rate);
        if self.left >= 1.0 {
            return None;
        }
        // At rate 0 it waits for another limit; it looks now and then.
        let seconds = ((1.0 - self.left) / rate).clamp(0.001, 60.0);
        Some(Duration::from_secs_f64(seconds))
    }

    fn take(&mut self) {
        self.left -= 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many pass in a row, and the pause then.
    fn passed(pace: &mut Pace, rate: u32, now: Instant) -> (u32, Duration) {
        let mut count = 0;
        loop {
            match pace.pause(rate, now) {
                Some(pause) => return (count, pause),
                None => pace.take(),
            }
            count += 1;
        }
    }

    #[test]
    fn so_many_pass_in_a_second() {
        let begun = Instant::now();
        let after = |ms| begun + Duration::from_millis(ms);
        let mut pace = Pace::new(begun);
        assert_eq!(passed(&mut pace, 10, begun), (10, Duration::from_millis(100)));
        assert_eq!(passed(&mut pace, 10, after(50)), (0, Duration::from_millis(50)));
        assert_eq!(passed(&mut pace, 10, after(300)), (3, Duration::from_millis(100)));
        // A pause is made up for by a second's worth and no more.
        assert_eq!(passed(&mut pace, 10, after(60_000)).0, 10);
        // Another rate counts from now on.
        assert_eq!(passed(&mut pace, 100, after(60_500)).0, 50);
        assert_eq!(passed(&mut pace, 0, after(90_000)), (0, Duration::from_secs(60)));
    }
}

//! A client that works all the while, and tells how it fared.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use highwater_testkit::{BrokerProcess, batch, now_ms};

/// Between two rounds: the witness works, it does not load the machine.
const PAUSE: Duration = Duration::from_millis(2);

pub struct Witness {
    stop: Arc<AtomicBool>,
    /// Rounds, and the longest of them.
    work: JoinHandle<(u64, Duration)>,
}

impl Witness {
    /// Begins to write a record and read it back, again and again, in a thread of its own.
    pub fn of(broker: &BrokerProcess) -> Witness {
        let mut wire = broker.connect();
        let topic = wire.new_topic(1, &[]);
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let work = thread::spawn(move || {
            let (mut rounds, mut longest) = (0, Duration::ZERO);
            while !stopped.load(Ordering::Relaxed) {
                let begun = Instant::now();
                let offset = wire.must_produce(&topic, 0, &batch::one(now_ms()));
                assert_eq!(offset, rounds);
                let read = wire.read_all(&topic, 0, offset);
                assert_eq!(read.len(), 1);
                longest = longest.max(begun.elapsed());
                rounds += 1;
                thread::sleep(PAUSE);
            }
            (rounds as u64, longest)
        });
        Witness { stop, work }
    }

    /// No round failed, and none took longer than this.
    pub fn check_undisturbed(self, longest_allowed: Duration) {
        self.stop.store(true, Ordering::Relaxed);
        let (rounds, longest) = self.work.join().expect("the witness was served");
        assert!(rounds > 0);
        assert!(longest <= longest_allowed, "a round of the witness took {longest:?}");
    }
}

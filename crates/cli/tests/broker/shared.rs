//! One broker with default settings for all tests that need nothing else.

use std::ops::Deref;
use std::sync::LazyLock;

use highwater_testkit::BrokerProcess;

static BROKER: LazyLock<BrokerProcess> = LazyLock::new(BrokerProcess::start);

/// The shared broker, for as long as a test runs. Tests run beside each other: they use names of
/// their own and change nothing that others see.
pub struct Shared(());

pub fn broker() -> Shared {
    LazyLock::force(&BROKER);
    Shared(())
}

impl Deref for Shared {
    type Target = BrokerProcess;

    fn deref(&self) -> &BrokerProcess {
        &BROKER
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            BROKER.check_output();
        }
    }
}

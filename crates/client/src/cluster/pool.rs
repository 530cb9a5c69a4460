//! [`Pool`]: the connections of a client, one for each broker and purpose.

use std::collections::BTreeMap;
use std::sync::Arc;

use highwater_types::BrokerId;
use parking_lot::Mutex;

use crate::{ClientError, ConnectOptions, Connection};

/// What a connection is for. Answers come in the order of requests, so what may wait long at the
/// broker has a connection of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    Requests,
    Fetch,
    Coordinator,
}

/// A broker's place. The lock is held while somebody connects, so that others wait for them.
type Slot = Arc<tokio::sync::Mutex<Option<Connection>>>;

pub(crate) struct Pool {
    options: ConnectOptions,
    slots: Mutex<BTreeMap<(BrokerId, Purpose), Slot>>,
}

impl Pool {
    pub(crate) fn new(options: ConnectOptions) -> Self {
        Pool { options, slots: Mutex::default() }
    }

    /// The connection to a broker, opened if there is none to this address.
    pub(crate) async fn get(
        &self,
        id: BrokerId,
        purpose: Purpose,
        address: &str,
    ) -> Result<Connection, ClientError> {
        let slot = self.slots.lock().entry((id, purpose)).or_default().clone();
        let mut slot = slot.lock().await;
        if let Some(open) = &*slot
            && !open.is_closed()
            && open.address() == address
        {
            return Ok(open.clone());
        }
        *slot = None;
        let opened = Connection::connect_with(address, &self.options).await?;
        *slot = Some(opened.clone());
        Ok(opened)
    }

    /// The connection to a broker, if it is open.
    pub(crate) fn peek(&self, id: BrokerId, purpose: Purpose) -> Option<Connection> {
        let slots = self.slots.lock();
        let open = slots.get(&(id, purpose))?.try_lock().ok()?.clone()?;
        (!open.is_closed()).then_some(open)
    }

    /// A connection of purpose [`Purpose::Requests`] that is open, whichever.
    pub(crate) fn any_open(&self) -> Option<Connection> {
        let slots = self.slots.lock();
        slots
            .iter()
            .filter(|((_, purpose), _)| *purpose == Purpose::Requests)
            .filter_map(|(_, slot)| slot.try_lock().ok()?.clone())
            .find(|connection| !connection.is_closed())
    }

    pub(crate) async fn open(&self, address: &str) -> Result<Connection, ClientError> {
        Connection::connect_with(address, &self.options).await
    }
}

//! How many connections there are: in all, and of each client.
//!
//! Lives here: who gets a place, and who has to give one back. Never here: sockets (`wire`), how many requests a client may have.
//!
//! A connection on which nobody waits for anything (half of a head, or nothing since the last answer) goes when its place is needed: whoever holds many of them delays nobody.

use super::wire::Wire;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;

/// The places.
#[derive(Debug)]
pub struct Room {
    total: usize,
    per_client: usize,
    /// In the order in which they came.
    taken: Mutex<BTreeMap<u64, Seat>>,
    freed: Notify,
}

#[derive(Debug)]
struct Seat {
    client: IpAddr,
    wire: Arc<Wire>,
    leave: Arc<Notify>,
}

/// A place, given back when it is dropped.
#[derive(Debug)]
pub struct Place {
    room: Arc<Room>,
    number: u64,
    leave: Arc<Notify>,
}

/// Why there is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// The client has as many as it may have, and waits on all of them.
    Client,
    /// All are taken.
    All,
}

impl Room {
    /// With so many places; 0 for one client: as many as it likes.
    pub fn new(total: usize, per_client: usize) -> Arc<Room> {
        Arc::new(Room { total, per_client, taken: Mutex::default(), freed: Notify::new() })
    }

    /// A place for a connection, where need be that of one on which nobody waits.
    ///
    /// # Errors
    /// There is none.
    pub fn enter(self: &Arc<Room>, client: IpAddr, wire: &Arc<Wire>) -> Result<Place, Full> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.values().filter(|s| s.client == client).count();
        if self.per_client > 0 && own >= self.per_client {
            dismiss(&mut taken, |s| s.client == client).ok_or(Full::Client)?;
        } else if taken.len() >= self.total {
            // The one that has most gives.
            let mut counts: HashMap<IpAddr, usize> = HashMap::new();
            taken.values().filter(|s| s.wire.is_idle()).for_each(|s| *counts.entry(s.client).or_default() += 1);
            let most = counts.into_iter().max_by_key(|(client, n)| (*n, *client)).ok_or(Full::All)?.0;
            dismiss(&mut taken, |s| s.client == most).ok_or(Full::All)?;
        }
        let number = taken.last_key_value().map_or(0, |(k, _)| k + 1);
        let leave = Arc::new(Notify::new());
        taken.insert(number, Seat { client, wire: Arc::clone(wire), leave: Arc::clone(&leave) });
        Ok(Place { room: Arc::clone(self), number, leave })
    }

    /// Comes when a place may have become free.
    pub async fn freed(&self) {
        // One on which nobody waits any more says nothing.
        let _ = tokio::time::timeout(std::time::Duration::from_millis(50), self.freed.notified()).await;
    }
}

/// Sends away the oldest of these on which nobody waits.
fn dismiss(taken: &mut BTreeMap<u64, Seat>, of: impl Fn(&Seat) -> bool) -> Option<()> {
    let number = *taken.iter().find(|(_, s)| of(s) && s.wire.is_idle())?.0;
    taken.remove(&number)?.leave.notify_one();
    Some(())
}

impl Place {
    /// Comes when the place is needed by somebody else.
    pub async fn needed(&self) {
        self.leave.notified().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.room.taken.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
        self.room.freed.notify_one();
    }
}

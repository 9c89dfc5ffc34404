//! The end of the service.
//!
//! Lives here: the signals that ask for it. Never here: what is still to be finished.

use crate::console::report::aside;

/// The signals that end the service; a second one ends it at once.
pub(super) struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

impl Signals {
    #[cfg(unix)]
    pub fn new() -> std::io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    #[cfg(not(unix))]
    pub fn new() -> std::io::Result<Signals> {
        Ok(Signals {})
    }

    async fn one(&mut self) {
        #[cfg(unix)]
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
        #[cfg(not(unix))]
        let _ = tokio::signal::ctrl_c().await;
    }

    /// Returns when the service is to end.
    pub async fn wait(mut self) {
        self.one().await;
        aside("overbar serve: ending; requests that run are finished\n");
        tokio::spawn(async move {
            self.one().await;
            std::process::exit(1);
        });
    }
}

//! `overbar serve`: the commands as a service, over HTTP or by one request a line.
//!
//! A request becomes a command line, which is parsed and done by the code of the command line itself, with a desk in place of files and streams: so the bytes are the same,
//! and nothing that a request says can name a file. Requests are done by worker processes (`pool` says why); the service itself looks at no program.
//!
//! Lives here: admission, limits, transport. Never here: what a command does.
//!
//! * `failure`: what is said when a limit is met (the limits are options, see `arguments::serve`)
//! * `protocol`, `words`, `work`, `units`: requests as JSON, as commands, done
//! * `signals`: when it ends
//! * `worker`, `process`, `usage`, `pool`: processes
//! * `forms`: diagnostics as XML, JSON, SARIF, text
//! * `http`, `stdio`: how requests come in and answers go out

mod failure;
mod forms;
mod http;
mod pool;
mod process;
mod protocol;
mod signals;
mod stdio;
mod units;
mod usage;
mod words;
mod work;
mod worker;

use crate::arguments::serve::Serve;
use crate::console::report::{Failed, Session, aside};
use signals::Signals;
use std::io::Write;
use std::sync::Arc;
use xaif::Diagnostic;

/// Runs the command.
pub fn run(session: &mut Session, settings: &Serve) -> Result<(), Failed> {
    if let Some(service) = settings.worker {
        // Who has started it hears that it is gone.
        return worker::run(settings, service).map_err(|_| Failed(1));
    }
    let unable = |session: &Session, what: String| {
        session
            .fail([Diagnostic::error("OB0173", format!("the service cannot begin: {what}"))
                .help("choose another --listen, or fewer --workers")])
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|e| unable(session, e.to_string()))?;
    let settings = Arc::new(settings.clone());
    let done: Result<(), String> =
        runtime.block_on(async { if settings.stdio { stdio::run(Arc::clone(&settings)).await } else { listen(settings).await } });
    // Whatever still runs is dropped, and its worker with it; a read of standard input that nobody ends must not keep the process.
    runtime.shutdown_timeout(std::time::Duration::from_millis(200));
    done.map_err(|what| unable(session, what))
}

/// Serves over HTTP until a signal comes.
async fn listen(settings: Arc<Serve>) -> Result<(), String> {
    let unable = |e: std::io::Error| format!("{} cannot be listened on: {e}", settings.listen);
    let listener = tokio::net::TcpListener::bind(settings.listen).await.map_err(unable)?;
    let address = listener.local_addr().map_err(unable)?;
    let service = http::Service::new(Arc::clone(&settings)).map_err(|e| format!("no worker can be started: {e}"))?;
    let signals = Signals::new().map_err(|e| e.to_string())?;
    // Whoever started this may not be listening.
    let _ = writeln!(std::io::stdout(), "overbar serve: listening on http://{address}");
    let _ = std::io::stdout().flush();
    if !address.ip().is_loopback() {
        aside(&format!("overbar serve: {address} is not a loopback address: everybody who reaches it can send requests\n"));
    }
    if !http::connection::serve(listener, Arc::new(service), Arc::clone(&settings), signals.wait()).await {
        aside(&format!("overbar serve: some requests were not finished within {} seconds\n", settings.grace.as_secs_f64()));
    }
    Ok(())
}

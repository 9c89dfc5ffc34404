//! What the service itself has against a request: a code, a status of HTTP, a name.
//!
//! Lives here: that table. Never here: what a command says of its input.

use overbar::diagnostics::Outcome;
use xaif::Diagnostic;

/// A request that no worker answered, or that was not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Larger than bodies may be: before, or after decompression.
    Body(&'static str, usize),
    /// It did not arrive in time.
    Slow,
    /// It needs more processor time, or time.
    Time(&'static str, std::time::Duration),
    /// It needs more memory.
    Memory(usize),
    /// Its answer is larger than answers may be.
    Answer(usize),
    /// Its client has too many at once.
    Client(usize),
    /// It has too many connections.
    Connections(usize),
    /// Too many wait, or it has waited too long, or too much is held.
    Busy(String),
    /// The service ends.
    Ending,
    /// Its worker ended.
    Died(String),
    /// The body is not what its headers say.
    Encoding(String),
    /// A coding that is not known.
    Coding(String),
    /// The request document, the query or the parts are not what they should be.
    Request(Vec<Diagnostic>),
    /// No form of an answer that the client takes.
    Unacceptable,
    /// There is nothing of that name.
    Unknown(String),
    /// There is, but not for this method.
    Method(String),
}

impl Failure {
    /// The status of HTTP.
    pub fn status(&self) -> u16 {
        match self {
            Failure::Encoding(_) | Failure::Request(_) => 400,
            Failure::Unknown(_) => 404,
            Failure::Method(_) => 405,
            Failure::Unacceptable => 406,
            Failure::Slow | Failure::Time(..) => 408,
            Failure::Body(..) => 413,
            Failure::Coding(_) => 415,
            Failure::Memory(_) | Failure::Answer(_) => 422,
            Failure::Client(_) | Failure::Connections(_) => 429,
            Failure::Died(_) => 500,
            Failure::Busy(_) | Failure::Ending => 503,
        }
    }

    /// The name by which it is counted.
    pub fn name(&self) -> &'static str {
        match self {
            Failure::Body(..) => "body",
            Failure::Slow => "slow",
            Failure::Time(..) => "time",
            Failure::Memory(_) => "memory",
            Failure::Answer(_) => "answer",
            Failure::Client(_) => "client",
            Failure::Connections(_) => "connections",
            Failure::Busy(_) => "busy",
            Failure::Ending => "ending",
            Failure::Died(_) => "died",
            Failure::Encoding(_) => "encoding",
            Failure::Coding(_) => "coding",
            Failure::Request(_) => "request",
            Failure::Unacceptable => "unacceptable",
            Failure::Unknown(_) => "unknown",
            Failure::Method(_) => "method",
        }
    }

    /// Whose fault it is.
    pub fn outcome(&self) -> Outcome {
        match self {
            Failure::Busy(_) | Failure::Ending | Failure::Died(_) => Outcome::Failed,
            Failure::Time(..) | Failure::Memory(_) | Failure::Answer(_) => Outcome::Refused,
            _ => Outcome::Misused,
        }
    }

    /// What is said.
    pub fn diagnostics(self) -> Vec<Diagnostic> {
        let again = "send it again a little later";
        let one = match self {
            Failure::Request(found) => return found,
            Failure::Died(how) => return super::work::ended(&how),
            Failure::Body(when, most) => Diagnostic::error("OB0160", format!("the body is larger than {most} bytes {when}"))
                .help("send less, or start the service with a larger --body-bytes"),
            Failure::Slow => Diagnostic::error("OB0161", "the request did not arrive in time")
                .help("send it in one go, or start the service with a longer --client-time"),
            Failure::Time(what, most) => Diagnostic::error("OB0162", format!("the request takes more than {} seconds {what}", most.as_secs_f64()))
                .help("send a smaller program, use the command line, or start the service with a longer --cpu-time and --wall-time"),
            Failure::Memory(most) => Diagnostic::error("OB0163", format!("the request takes more than {most} bytes of memory"))
                .help("send a smaller program, use the command line, or start the service with a larger --memory"),
            Failure::Answer(most) => Diagnostic::error("OB0164", format!("the answer is larger than {most} bytes"))
                .help("ask for less, use the command line, or start the service with a larger --answer-bytes"),
            Failure::Client(most) => Diagnostic::error("OB0165", format!("more than {most} requests of one client at once"))
                .help("wait for answers, or start the service with a larger --per-client"),
            Failure::Connections(most) => Diagnostic::error("OB0165", format!("more than {most} connections of one client, all of them in use"))
                .help("use connections for more than one request, or start the service with a larger --client-connections"),
            Failure::Busy(why) => Diagnostic::error("OB0166", format!("the service is busy: {why}")).help(again),
            Failure::Ending => Diagnostic::error("OB0168", "the service is ending, and begins nothing new").help(again),
            Failure::Encoding(why) => Diagnostic::error("OB0169", format!("the body is not what its headers say: {why}")),
            Failure::Coding(name) => Diagnostic::error("OB0170", format!("bodies in the coding `{name}` are not understood"))
                .help("send it as it is, or with Content-Encoding: gzip"),
            Failure::Unacceptable => Diagnostic::error("OB0171", "there is no form of an answer that the client accepts").help(
                "accept application/json, application/xml, application/sarif+json, application/x-ndjson, text/plain, multipart/mixed or application/vnd.overbar.answer+json",
            ),
            Failure::Unknown(what) => Diagnostic::error("OB0172", format!("there is nothing at {what}")).help("/v1/openapi.json lists what there is"),
            Failure::Method(what) => Diagnostic::error("OB0172", what).help("/v1/openapi.json lists what there is"),
        };
        vec![one]
    }
}

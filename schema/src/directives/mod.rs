//! Directives: what the user's text says to Overbar besides the program.
//!
//! ```text
//! overbar head f(y)/(x)          before or in a procedure       what to differentiate
//! overbar independent x          in a procedure                 the independents of its head
//! overbar dependent y            in a procedure                 the dependents of its head
//! overbar parallel               before a counted loop          no round reads what another one writes, but to add to it
//! overbar reversal joint|split   before a call or a procedure   how the call, or every call of the procedure, is reversed
//! overbar checkpoint 10          before a loop                  its adjoint runs rounds again from 10 snapshots
//! overbar checkpoint memory:800  before a loop                  the same with as many as fit into 800 bytes
//! overbar checkpoint 10,every:8  before a loop                  the same, with eight rounds recorded together
//!
//! openad independent(x)          as above
//! openad dependent(y)            as above
//! openad xxx simple loop         before a counted loop          bounds and subscripts inside can be computed again
//!
//! AD II-LOOP                     as parallel
//! AD NOCHECKPOINT                as reversal split
//! AD BINOMIAL-CKP n+1 10 1       as checkpoint 10; how many rounds there are, and which is the first, the loop says itself
//! ```
//!
//! Words may be written in either case. What starts with one of these families and is not in the table is an error: never ignored.
//!
//! Lives here: the words (and in [`place`] what they are attached to). Never here: how a language marks a line as a directive.

mod place;

use crate::Diagnostic;
use crate::head::{is_name, parse_head};
use crate::model::{CallReversal, Head, Snapshots, Span};
pub use place::apply;

/// The code of a directive that is not known.
pub const UNKNOWN: &str = "OB1070";
/// The code of a known directive that is written wrongly.
pub const MALFORMED: &str = "OB1071";
/// The code of a directive that stands where it means nothing.
pub const MISPLACED: &str = "OB1072";
/// The code of directives that ask for checkpoints of something else than a loop.
pub const NOT_BUILT: &str = "OB1073";
/// The code of directives that contradict each other.
pub const CONTRADICTION: &str = "OB1074";

/// Whose directives they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// `overbar`
    Overbar,
    /// `openad`
    Openad,
    /// `AD`
    Ad,
}

impl Family {
    const ALL: [(Family, &'static str); 3] = [(Family::Overbar, "overbar"), (Family::Openad, "openad"), (Family::Ad, "AD")];

    /// Takes the family's word off the front of a text; `None` where the text is somebody else's.
    pub fn split(text: &str) -> Option<(Family, &str)> {
        let text = text.trim();
        let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        let family = Family::ALL.iter().find(|(_, w)| w.eq_ignore_ascii_case(word))?.0;
        Some((family, rest.trim()))
    }

    fn word(self) -> &'static str {
        Family::ALL.iter().find(|(f, _)| *f == self).map_or("", |(_, w)| w)
    }

    fn known(self) -> &'static str {
        match self {
            Family::Overbar => {
                "known are: head f(y)/(x), independent x, dependent y, parallel, reversal joint, reversal split, checkpoint 10, \
                 checkpoint memory:1000000, checkpoint 10,every:32"
            }
            Family::Openad => "known are: independent(x), dependent(y), xxx simple loop",
            Family::Ad => "known are: II-LOOP, NOCHECKPOINT, BINOMIAL-CKP rounds snapshots first",
        }
    }
}

/// A directive as it was found in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Whose it is.
    pub family: Family,
    /// What stands behind the family's word.
    pub text: String,
    /// Its line.
    pub span: Span,
    /// The line of the first code behind it; 0 where there is none.
    pub before: u32,
}

/// What a directive says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Directive {
    /// What to differentiate.
    Head(Head),
    /// Independents of the procedure around it.
    Independent(Vec<String>),
    /// Dependents of the procedure around it.
    Dependent(Vec<String>),
    /// A promise about the loop behind it.
    Parallel,
    /// The loop behind it is simple.
    Simple,
    /// How the call or procedure behind it is reversed.
    Reversal(CallReversal),
    /// The loop behind it is reversed from snapshots.
    Checkpoint(Snapshots),
}

/// Reads a directive.
///
/// # Errors
/// What is not known, not built or written wrongly; without a place.
pub fn parse(family: Family, text: &str) -> Result<Directive, Diagnostic> {
    let shown = format!("{} {}", family.word(), text);
    let end = text.find(|c: char| c.is_whitespace() || c == '(').unwrap_or(text.len());
    let word = text[..end].to_ascii_lowercase();
    let rest = text[end..].trim();
    if word.starts_with("checkpoint-") || (word.ends_with("-ckp") && word != "binomial-ckp") || word.ends_with("-chk") {
        return Err(Diagnostic::error(NOT_BUILT, format!("directive `{shown}`: only loops can be checkpointed"))
            .because("the adjoint would record that piece of code all the same")
            .help("take the directive out, or make the piece a procedure: calls are run again from a snapshot"));
    }
    let snapshots = |text: &str| text.parse().map(Directive::Checkpoint).map_err(|why: &str| malformed(&shown, why, family));
    let nothing_more = |d: Directive| {
        if rest.is_empty() { Ok(d) } else { Err(malformed(&shown, &format!("nothing may follow `{word}`"), family)) }
    };
    match (family, word.as_str()) {
        (Family::Overbar, "head") => parse_head(rest).map(Directive::Head).map_err(|d| malformed(&shown, &d.message, family)),
        (Family::Overbar | Family::Openad, "independent" | "independents") => Ok(Directive::Independent(names(&shown, rest, family)?)),
        (Family::Overbar | Family::Openad, "dependent" | "dependents") => Ok(Directive::Dependent(names(&shown, rest, family)?)),
        (Family::Overbar, "parallel") if rest.eq_ignore_ascii_case("loop") => Ok(Directive::Parallel),
        (Family::Overbar, "parallel") => nothing_more(Directive::Parallel),
        (Family::Overbar, "reversal") => match rest.to_ascii_lowercase().as_str() {
            "joint" => Ok(Directive::Reversal(CallReversal::Joint)),
            "split" => Ok(Directive::Reversal(CallReversal::Split)),
            _ => Err(malformed(&shown, "`joint` or `split` must follow", family)),
        },
        (Family::Openad, "xxx") if rest.split_whitespace().map(str::to_ascii_lowercase).eq(["simple", "loop"]) => Ok(Directive::Simple),
        (Family::Openad, "simple") if rest.eq_ignore_ascii_case("loop") => Ok(Directive::Simple),
        (Family::Ad, "ii-loop") => nothing_more(Directive::Parallel),
        (Family::Overbar, "checkpoint") => snapshots(rest.strip_prefix('(').and_then(|r| r.strip_suffix(')')).unwrap_or(rest).trim()),
        (Family::Ad, "binomial-ckp") => match rest.split_whitespace().collect::<Vec<_>>()[..] {
            [_, count, _] if !count.contains(':') => snapshots(count),
            _ => Err(malformed(&shown, "the number of rounds, that of snapshots and the first round must follow", family)),
        },
        (Family::Ad, "nocheckpoint") => nothing_more(Directive::Reversal(CallReversal::Split)),
        _ => Err(Diagnostic::error(UNKNOWN, format!("directive `{}` is not known", shown.trim())).help(family.known())),
    }
}

fn malformed(shown: &str, why: &str, family: Family) -> Diagnostic {
    Diagnostic::error(MALFORMED, format!("directive `{shown}`: {why}")).help(family.known())
}

/// `x`, `x, y` or `(x, y)`.
fn names(shown: &str, text: &str, family: Family) -> Result<Vec<String>, Diagnostic> {
    let inner = match text.strip_prefix('(') {
        Some(t) => t.strip_suffix(')').ok_or_else(|| malformed(shown, "the parenthesis is not closed", family))?,
        None => text,
    };
    let list: Vec<String> = inner.split([',', ' ', '\t']).map(str::trim).filter(|n| !n.is_empty()).map(str::to_owned).collect();
    match list.iter().find(|n| !is_name(n)) {
        Some(n) => Err(malformed(shown, &format!("`{n}` is no name"), family)),
        None if list.is_empty() => Err(malformed(shown, "a name must follow", family)),
        None => Ok(list),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::MostSnapshots;

    fn read(text: &str) -> Result<Directive, &'static str> {
        let (family, rest) = Family::split(text).ok_or("nobody's")?;
        parse(family, rest).map_err(|d| d.code)
    }

    fn snapshots(most: MostSnapshots, every: u32) -> Snapshots {
        Snapshots { most, every }
    }

    #[test]
    fn known_directives_are_read_in_either_case() {
        let list = |l: &[&str]| l.iter().map(|s| s.to_string()).collect::<Vec<_>>();
        assert_eq!(read("overbar head f(y)/(x)"), Ok(Directive::Head(parse_head("f(y)/(x)").unwrap())));
        assert_eq!(read("OVERBAR Independent x, y"), Ok(Directive::Independent(list(&["x", "y"]))));
        assert_eq!(read("openad INDEPENDENT(x)"), Ok(Directive::Independent(list(&["x"]))));
        assert_eq!(read("openad dependent(y)"), Ok(Directive::Dependent(list(&["y"]))));
        assert_eq!(read("openad XXX Simple Loop"), Ok(Directive::Simple));
        for parallel in ["overbar parallel", "overbar parallel loop", "AD II-LOOP", "ad ii-loop"] {
            assert_eq!(read(parallel), Ok(Directive::Parallel), "{parallel}");
        }
        assert_eq!(read("overbar reversal split"), Ok(Directive::Reversal(CallReversal::Split)));
        assert_eq!(read("overbar reversal JOINT"), Ok(Directive::Reversal(CallReversal::Joint)));
        assert_eq!(read("AD NOCHECKPOINT"), Ok(Directive::Reversal(CallReversal::Split)));
        for text in ["overbar checkpoint 20", "OVERBAR Checkpoint(20)", "AD BINOMIAL-CKP n+1 20 1", "ad binomial-ckp 2*m 20 0"] {
            assert_eq!(read(text), Ok(Directive::Checkpoint(snapshots(MostSnapshots::Count(20), 1))), "{text}");
        }
        assert_eq!(read("overbar checkpoint Memory:800"), Ok(Directive::Checkpoint(snapshots(MostSnapshots::Memory(800), 1))));
        for text in ["overbar checkpoint 20,every:8", "overbar checkpoint (20, Every: 8)"] {
            assert_eq!(read(text), Ok(Directive::Checkpoint(snapshots(MostSnapshots::Count(20), 8))), "{text}");
        }
    }

    #[test]
    fn everything_else_is_an_error() {
        for (text, code) in [
            ("overbar", UNKNOWN),
            ("overbar paralel", UNKNOWN),
            ("AD DO-NOT-DIFF", UNKNOWN),
            ("openad xxx template ad.f", UNKNOWN),
            ("overbar head", MALFORMED),
            ("overbar head f(y", MALFORMED),
            ("overbar independent", MALFORMED),
            ("overbar independent 1x", MALFORMED),
            ("openad independent(x", MALFORMED),
            ("overbar reversal both", MALFORMED),
            ("overbar parallel for", MALFORMED),
            ("overbar checkpoint", MALFORMED),
            ("overbar checkpoint 0", MALFORMED),
            ("overbar checkpoint n", MALFORMED),
            ("overbar checkpoint -3", MALFORMED),
            ("overbar checkpoint memory:", MALFORMED),
            ("overbar checkpoint memory:1k", MALFORMED),
            ("overbar checkpoint 20,", MALFORMED),
            ("overbar checkpoint 20,8", MALFORMED),
            ("overbar checkpoint 20,every:0", MALFORMED),
            ("overbar checkpoint every:8", MALFORMED),
            ("AD BINOMIAL-CKP 20", MALFORMED),
            ("AD BINOMIAL-CKP n+1 m 1", MALFORMED),
            ("AD CHECKPOINT-START", NOT_BUILT),
        ] {
            assert_eq!(read(text), Err(code), "{text}");
        }
        for text in ["omp parallel for", "once", "GCC ivdep", "", "adx II-LOOP", "overbars head f"] {
            assert_eq!(read(text), Err("nobody's"), "{text}");
        }
    }
}

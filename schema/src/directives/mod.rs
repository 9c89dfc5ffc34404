//! Directives: what the user's text says to Overbar besides the program.
//!
//! ```text
//! overbar head f(y)/(x)          before or in a procedure       what to differentiate
//! overbar independent x          in a procedure                 the independents of its head
//! overbar dependent y            in a procedure                 the dependents of its head
//! overbar parallel               before a counted loop          no iteration reads what another one writes, but to add to it
//! overbar reversal joint|split   before a call or a procedure   how the call, or every call of the procedure, is reversed
//! overbar checkpoint 10          before a loop                  its adjoint runs iterations again from 10 snapshots
//! overbar checkpoint memory:800  before a loop                  the same with as many as fit into 800 bytes
//! overbar checkpoint 10,every:8  before a loop                  the same, with eight iterations recorded together
//! overbar range(t: 250:320)      in a procedure                 from where to where numbers lie, for the points that are drawn
//!
//! openad independent(x)          as above
//! openad dependent(y)            as above
//! openad xxx simple loop         before a counted loop          bounds and subscripts inside can be computed again
//!
//! AD II-LOOP                     as parallel
//! AD NOCHECKPOINT                as reversal split
//! AD BINOMIAL-CKP n+1 10 1       as checkpoint 10; how many iterations there are, and which is the first, the loop says itself
//! ```
//!
//! Words may be written in either case. What starts with `overbar` and is not in the table is an error, and so is what is nearly a word of the others
//! (misspelt, it would lose what it asks for). What else they say to their own tools means nothing here: a warning. So are their promises and wishes that
//! stand where they mean nothing: without them derivatives are the same.
//!
//! Lives here: the words (and in [`place`] what they are attached to). Never here: how a language marks a line as a directive.

mod place;

use crate::head::{is_name, parse_head};
use crate::model::{CallReversal, Head, Snapshots, Span};
use crate::ranges::{self, Range};
use crate::{Diagnostic, Severity};
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
                 checkpoint memory:1000000, checkpoint 10,every:32, range(t: 250:320)"
            }
            Family::Openad => "known are: independent(x), dependent(y), xxx simple loop",
            Family::Ad => "known are: II-LOOP, NOCHECKPOINT, BINOMIAL-CKP iterations snapshots first",
        }
    }

    /// The words that a misspelt one may mean.
    fn words(self) -> &'static [&'static str] {
        match self {
            Family::Overbar => &["head", "independent", "dependent", "parallel", "reversal", "checkpoint", "range"],
            Family::Openad => &["independent", "independents", "dependent", "dependents", "simple", "xxx simple loop"],
            Family::Ad => &["ii-loop", "nocheckpoint", "binomial-ckp"],
        }
    }

    /// The word that a text nearly starts with.
    fn nearly(self, text: &str) -> Option<&'static str> {
        let lower = text.to_ascii_lowercase();
        let said: Vec<&str> = lower.split(|c: char| c.is_whitespace() || c == '(').filter(|w| !w.is_empty()).collect();
        self.words().iter().copied().find(|known| {
            let mut words: Vec<&str> = known.split(' ').collect();
            let mut start = said.iter().copied();
            // What is said to a namespace word is compared without it.
            if words.len() > 1 && said.first() == words.first() {
                words.remove(0);
                start.next();
            }
            let start: Vec<&str> = start.take(words.len()).collect();
            let (known, start) = (words.join(" "), start.join(" "));
            !start.is_empty() && distance(&known, &start) <= (known.len() / 4).max(1)
        })
    }

    /// What is wrong with a directive: an error, but a warning where it only asks another tool for something that changes no derivative.
    fn severity(self, directive: Option<&Directive>) -> Severity {
        match directive {
            Some(Directive::Head(_) | Directive::Independent(_) | Directive::Dependent(_)) => Severity::Error,
            _ if self == Family::Overbar => Severity::Error,
            _ => Severity::Warning,
        }
    }
}

/// How many letters must be changed, added, taken away or exchanged with their neighbour to make one text of the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(64).collect(), b.chars().take(64).collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for (i, &x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &y) in b.iter().enumerate() {
            let mut least = (rows[i][j] + usize::from(x != y)).min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
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
    /// It stands on a line of its own.
    pub alone: bool,
}

/// What a directive says.
#[derive(Clone, Debug, PartialEq)]
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
    /// Where the numbers of variables of the procedure around it lie.
    Range(Vec<(String, Range)>),
}

/// Reads a directive.
///
/// # Errors
/// What is not known, not built or written wrongly; without a place. A warning where nothing is lost without it.
pub fn parse(family: Family, text: &str) -> Result<Directive, Diagnostic> {
    let shown = format!("{} {}", family.word(), text);
    let end = text.find(|c: char| c.is_whitespace() || c == '(').unwrap_or(text.len());
    let word = text[..end].to_ascii_lowercase();
    let rest = text[end..].trim();
    if word.starts_with("checkpoint-") || (word.ends_with("-ckp") && word != "binomial-ckp") || word.ends_with("-chk") {
        let d = Diagnostic::error(NOT_BUILT, format!("directive `{shown}`: only loops can be checkpointed"))
            .because("the adjoint records that piece of code all the same")
            .help("take the directive out, or make the piece a procedure: calls are run again from a snapshot");
        return Err(Diagnostic { severity: family.severity(None), ..d });
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
        (Family::Overbar, "range") => {
            let inner = rest.strip_prefix('(').map_or(Some(rest), |r| r.strip_suffix(')'));
            let inner = inner.ok_or_else(|| malformed(&shown, "the parenthesis is not closed", family))?;
            let list = inner.split(',').map(ranges::parse).collect::<Result<_, _>>();
            list.map(Directive::Range).map_err(|why| malformed(&shown, &why, family))
        }
        (Family::Ad, "binomial-ckp") => match rest.split_whitespace().collect::<Vec<_>>()[..] {
            [_, count, _] if !count.contains(':') => snapshots(count),
            _ => Err(malformed(&shown, "the number of iterations, that of snapshots and the first iteration must follow", family)),
        }
        // The adjoint is the same without snapshots, but for its memory.
        .map_err(|d| Diagnostic { severity: family.severity(None), ..d }),
        (Family::Ad, "nocheckpoint") => nothing_more(Directive::Reversal(CallReversal::Split)),
        _ => Err(unknown(family, text)),
    }
}

fn unknown(family: Family, text: &str) -> Diagnostic {
    let shown = format!("{} {text}", family.word());
    let d = Diagnostic::error(UNKNOWN, format!("directive `{}` is not known", shown.trim()));
    match family.nearly(text) {
        Some(known) => d.because(format!("it is nearly `{} {known}`", family.word())).help(family.known()),
        None if family == Family::Overbar => d.help(family.known()),
        None => Diagnostic {
            severity: Severity::Warning,
            ..d.because("what it says to another tool means nothing here: derivatives are made as if it were not there")
                .help(family.known())
        },
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

    fn read(text: &str) -> Result<Directive, (&'static str, Severity)> {
        let (family, rest) = Family::split(text).ok_or(("nobody's", Severity::Note))?;
        parse(family, rest).map_err(|d| (d.code, d.severity))
    }

    #[test]
    fn distances_count_letters() {
        for (a, b, n) in [("", "ab", 2), ("loop", "loop", 0), ("loop", "lopo", 1), ("parallel", "paralel", 1), ("kitten", "sitting", 3)] {
            assert_eq!((distance(a, b), distance(b, a)), (n, n), "{a} {b}");
        }
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
        let range = |low, high| Range { low, high };
        assert_eq!(read("overbar Range(t: 250:320)"), Ok(Directive::Range(vec![("t".into(), range(250.0, 320.0))])));
        let two = vec![("t".into(), range(0.5, 1e3)), ("s%q".into(), range(-1.0, 0.0))];
        assert_eq!(read("overbar range t: .5:1d3, s%q = -1:0"), Ok(Directive::Range(two)));
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
    fn everything_else_is_said() {
        for (text, code) in [
            ("overbar", UNKNOWN),
            ("overbar paralel", UNKNOWN),
            ("overbar xxx template ad.f", UNKNOWN),
            ("AD II-LOPO", UNKNOWN),
            ("AD NO-CHECKPOINT", UNKNOWN),
            ("openad indepedent(x)", UNKNOWN),
            ("openad dependant y", UNKNOWN),
            ("openad xxx simpel loop", UNKNOWN),
            ("openad xxx simple lop", UNKNOWN),
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
            ("overbar range", MALFORMED),
            ("overbar range(t: 1:2", MALFORMED),
            ("overbar range(t: 2:1)", MALFORMED),
            ("overbar rnage(t: 1:2)", UNKNOWN),
        ] {
            assert_eq!(read(text), Err((code, Severity::Error)), "{text}");
        }
        for (text, code) in [
            ("AD DO-NOT-DIFF", UNKNOWN),
            ("AD start-exclude", UNKNOWN),
            ("openad", UNKNOWN),
            ("OPENAD XXX Template ad.f", UNKNOWN),
            ("openad xxx file_start", UNKNOWN),
            ("AD BINOMIAL-CKP 20", MALFORMED),
            ("AD BINOMIAL-CKP n+1 m 1", MALFORMED),
            ("AD CHECKPOINT-START", NOT_BUILT),
        ] {
            assert_eq!(read(text), Err((code, Severity::Warning)), "{text}");
        }
        for text in ["omp parallel for", "once", "GCC ivdep", "", "adx II-LOOP", "overbars head f"] {
            assert_eq!(read(text), Err(("nobody's", Severity::Note)), "{text}");
        }
    }
}

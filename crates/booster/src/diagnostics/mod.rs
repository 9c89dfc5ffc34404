//! What every diagnostic code means: one table of data, by thousands.
//!
//! Lives here: the texts, and looking them up. Never here: raising diagnostics, printing. A test holds the table against the sources: each code
//! that is raised stands here, each that stands here is raised. `docs/diagnostics.md` is made from it.

use serde::Serialize;

/// Entries in the form `OB0001 error "title" means: "..." why: "..." way: "...";` with an optional `example: "..."` before the semicolon.
macro_rules! codes {
    ($($code:ident $kind:ident $title:literal means: $means:literal why: $why:literal way: $way:literal $(example: $example:literal)? ;)*) => {
        /// The codes of this family, in order.
        pub(super) const ENTRIES: &[super::Entry] = &[$(super::Entry {
            code: stringify!($code),
            kind: stringify!($kind),
            title: $title,
            meaning: $means,
            reason: $why,
            way_out: $way,
            example: codes!(@example $($example)?),
        }),*];
    };
    (@example) => { None };
    (@example $example:literal) => { Some($example) };
}

mod backends;
mod booster;
mod c;
mod elimination;
mod evaluation;
pub mod flood;
mod format;
mod fortran;
pub mod markdown;
pub mod sarif;
mod usage;
pub mod xml;

/// What a code means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The code, such as `OB4003`.
    pub code: &'static str,
    /// `error`, `warning`, `note`, or `varies` where it depends on circumstances.
    pub kind: &'static str,
    /// A few words.
    pub title: &'static str,
    /// What was found.
    pub meaning: &'static str,
    /// Why that is refused, or worth a word.
    pub reason: &'static str,
    /// What to do about it.
    pub way_out: &'static str,
    /// Text that shows it, or the way out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<&'static str>,
}

/// The codes of a thousand.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// The digit behind `OB`.
    pub digit: char,
    /// What they are about.
    pub about: &'static str,
    /// The codes, in order.
    pub entries: &'static [Entry],
}

/// All codes, by thousands.
pub const FAMILIES: [Family; 8] = [
    Family { digit: '0', about: "Command lines, heads, files", entries: usage::ENTRIES },
    Family { digit: '1', about: "XAIF: XML, schema, meaning; directives", entries: format::ENTRIES },
    Family { digit: '2', about: "C", entries: c::ENTRIES },
    Family { digit: '3', about: "Fortran", entries: fortran::ENTRIES },
    Family { digit: '4', about: "The booster", entries: booster::ENTRIES },
    Family { digit: '5', about: "Writing source text", entries: backends::ENTRIES },
    Family { digit: '6', about: "Running programs, certificates", entries: evaluation::ENTRIES },
    Family { digit: '7', about: "Elimination on graphs", entries: elimination::ENTRIES },
];

/// All entries, in the order of their codes.
pub fn all() -> impl Iterator<Item = &'static Entry> {
    FAMILIES.iter().flat_map(|f| f.entries)
}

/// What came of a request, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// There is an output, or a check passed.
    Done,
    /// There is no output: the diagnostics say why.
    Refused,
    /// The request itself is wrong.
    Misused,
    /// Whoever was to do it could not.
    Failed,
}

impl Outcome {
    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Done => "done",
            Outcome::Refused => "refused",
            Outcome::Misused => "misused",
            Outcome::Failed => "failed",
        }
    }
}

/// A code as people write it (`ob4003`, `4003`, `OB4003`) as it stands in the table; `None` where it has not that form.
pub fn canonical(text: &str) -> Option<String> {
    let text = text.trim();
    let prefix = text.get(..2).filter(|p| p.eq_ignore_ascii_case("ob"));
    let digits = if prefix.is_some() { text.get(2..)?.trim_start_matches(['-', ' ']) } else { text };
    (digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit())).then(|| format!("OB{digits}"))
}

/// The entry of a code, however it is written.
pub fn find(text: &str) -> Option<&'static Entry> {
    let code = canonical(text)?;
    all().find(|e| e.code == code)
}

/// Entries whose texts have all of these words, in any case; in the order of their codes.
pub fn about(words: &[impl AsRef<str>]) -> Vec<&'static Entry> {
    let words: Vec<String> = words.iter().map(|w| w.as_ref().to_lowercase()).collect();
    let speaks = |e: &&Entry| {
        let text = [e.title, e.meaning, e.reason, e.way_out, e.example.unwrap_or_default()].join("\n").to_lowercase();
        words.iter().all(|w| text.contains(w.as_str()))
    };
    all().filter(speaks).collect()
}

/// Entries that may be meant by a code that is not there: those that differ in one digit or have two exchanged, and the nearest numbers of the
/// same thousand. At most eight, in order.
pub fn near(text: &str) -> Vec<&'static Entry> {
    let digits: String = text.chars().filter(char::is_ascii_digit).take(4).collect();
    let Ok(number) = digits.parse::<i32>() else { return Vec::new() };
    let distance = |e: &Entry| -> i32 {
        let own = &e.code[2..];
        let differing = own.bytes().zip(digits.bytes()).filter(|(a, b)| a != b).count() + own.len().abs_diff(digits.len());
        let mut sorted = [own.bytes().collect::<Vec<_>>(), digits.bytes().collect()];
        sorted.iter_mut().for_each(|s| s.sort_unstable());
        let exchanged = differing == 2 && sorted[0] == sorted[1];
        let apart = own.parse::<i32>().map_or(i32::MAX, |n| (n - number).abs());
        if differing <= 1 || exchanged { apart.min(3) } else { apart }
    };
    let mut found: Vec<(i32, &Entry)> = all().map(|e| (distance(e), e)).filter(|(d, _)| *d <= 12).collect();
    found.sort_by_key(|(d, e)| (*d, e.code));
    found.truncate(8);
    found.sort_by_key(|(_, e)| e.code);
    found.into_iter().map(|(_, e)| e).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_in_order_and_in_their_thousand() {
        let codes: Vec<&str> = all().map(|e| e.code).collect();
        assert!(codes.windows(2).all(|w| w[0] < w[1]), "{codes:?}");
        for f in FAMILIES {
            assert!(!f.entries.is_empty());
            for e in f.entries {
                assert!(e.code.len() == 6 && e.code.starts_with("OB") && e.code.chars().nth(2) == Some(f.digit), "{}", e.code);
                assert!(["error", "warning", "note", "varies"].contains(&e.kind), "{}: {}", e.code, e.kind);
                for text in [e.meaning, e.reason, e.way_out] {
                    assert!(text.len() > 1 && text.ends_with(['.', '?', ')', '}', '>']), "{}: {text}", e.code);
                }
                assert!(!e.title.ends_with('.') && !e.title.is_empty(), "{}", e.code);
            }
        }
    }

    #[test]
    fn codes_are_found_however_they_are_written() {
        for text in ["OB4003", "ob4003", "4003", " Ob4003 ", "OB-4003"] {
            assert_eq!(find(text).map(|e| e.code), Some("OB4003"), "{text}");
        }
        for text in ["", "OB", "OB400", "OB40033", "XY4003", "ob4é3", "éé4003"] {
            assert_eq!(find(text), None, "{text}");
        }
    }

    #[test]
    fn near_codes_are_offered() {
        let codes = |text: &str| near(text).iter().map(|e| e.code).collect::<Vec<_>>();
        assert!(codes("OB4099").contains(&"OB4090"));
        assert!(codes("0410").contains(&"OB0140"), "{:?}", codes("0410"));
        assert!(codes("OB2034").contains(&"OB2032"));
        assert!(codes("nonsense").is_empty());
        assert!(near("OB4").len() <= 8);
    }
}

//! The words of the format: element and attribute values that reader and writer share, and the escape for what XML cannot hold.
//!
//! Lives here: tables of names and two small codecs. Never here: reading, writing, checks.

use crate::model::*;
use smol_str::SmolStr;
use std::borrow::Cow;

/// Namespace of stock XAIF.
pub(crate) const XAIF: &str = "http://www.mcs.anl.gov/XAIF";
/// Namespace of our extensions.
pub(crate) const OB: &str = "urn:overbar:xaif:1";
/// Namespace of what XML itself defines.
pub(crate) const XML: &str = "http://www.w3.org/XML/1998/namespace";
/// Namespace of schema instances.
pub(crate) const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";
/// Key prefix in [`Extras`] for the spelling of a known attribute that is not the writer's own.
pub(crate) const SPELLED: char = '=';
/// Key in [`Extras`] for the element's own name where it is not the writer's choice (`If` for `Branch`).
pub(crate) const ELEMENT: &str = "<";

/// A two-way table of names.
pub(crate) trait Words: Sized + PartialEq + Clone + 'static {
    const WORDS: &'static [(Self, &'static str)];

    fn word(&self) -> &'static str {
        Self::WORDS.iter().find(|(v, _)| v == self).map_or("", |(_, w)| w)
    }

    fn of(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(_, w)| *w == word).map(|(v, _)| v.clone())
    }

    fn all() -> String {
        Self::WORDS.iter().map(|(_, w)| *w).collect::<Vec<_>>().join(", ")
    }
}

macro_rules! words {
    ($type:ty { $($value:ident = $word:literal),* $(,)? }) => {
        impl Words for $type {
            const WORDS: &'static [(Self, &'static str)] = &[$((<$type>::$value, $word)),*];
        }
    };
}

words!(BaseType { Real = "real", Integer = "integer", Void = "void", Complex = "complex", Bool = "bool", Char = "char", String = "string", Opaque = "opaque" });
words!(SymbolKind { Variable = "variable", Subroutine = "subroutine", Pointer = "pointer" });
words!(Intent { In = "in", Out = "out", Inout = "inout" });
words!(Tri { Undefined = "undefined", True = "true", False = "false" });
words!(Passing { Reference = "reference", Value = "value", Descriptor = "descriptor" });
/// What the annotation of the file's scope ends with in a stock document whose arrays lie by rows and begin at 0, as those of C do: the stock format has no other
/// place for it, and reads arrays as Fortran has them.
pub(crate) const BY_ROWS: &str = "[arrays by rows, from 0]";

words!(IndexOrder { Column = "column", Row = "row" });
words!(Jump { Break = "break", Continue = "continue", Return = "return", Goto = "goto", FallThrough = "fallthrough" });
words!(UnitKind { Subroutine = "subroutine", Function = "function", Container = "container", Main = "main" });
words!(Standing { Pass = "pass", Kink = "kink", NotReached = "not-reached", NotCertified = "not-certified" });
words!(Mode { Tangent = "tangent", Adjoint = "adjoint", Forward = "forward", Reverse = "reverse" });
words!(CallReversal { Joint = "joint", Split = "split" });
words!(MarkerClass {
    Unknown = "unknown",
    Call = "call",
    Io = "io",
    Terminal = "terminal",
    Allocate = "allocate",
    Deallocate = "deallocate",
    Comment = "comment",
    Pragma = "pragma",
    Stop = "stop",
    Assertion = "assertion",
    Passive = "passive",
});

/// The stock name of a rank: `scalar` to `seven_tensor`.
pub(crate) const SHAPES: [&str; 8] =
    ["scalar", "vector", "matrix", "three_tensor", "four_tensor", "five_tensor", "six_tensor", "seven_tensor"];

/// Width that a stock `feType` states: `F8` is 64 bits; 0 where it states none.
pub(crate) fn fe_bits(fe_type: &str) -> u16 {
    match fe_type {
        "F4" | "I4" | "U4" | "C4" => 32,
        "F8" | "I8" | "U8" | "C8" => 64,
        "F10" | "C10" => 80,
        "F16" | "C16" | "I16" | "U16" => 128,
        "I1" | "U1" => 8,
        "I2" | "U2" => 16,
        _ => 0,
    }
}

/// The source name that a stock id stands for: without its running number, `u_1` is `u` and the unit `foo__21` is `foo`.
pub(crate) fn stock_name(id: &str, kind: SymbolKind) -> &str {
    let head = id.trim_end_matches(|c: char| c.is_ascii_digit());
    if head.len() == id.len() {
        return id;
    }
    let name = match kind {
        SymbolKind::Subroutine => head.strip_suffix("__").or_else(|| head.strip_suffix('_')),
        _ => head.strip_suffix('_'),
    };
    name.filter(|n| !n.is_empty()).unwrap_or(id)
}

/// Stands before the hexadecimal number of a character that XML cannot hold, and `;` behind it: form feed is `␛C;`.
pub(crate) const ESCAPE: char = '\u{241B}';

fn unspeakable(c: char) -> bool {
    (c < ' ' && !matches!(c, '\t' | '\n' | '\r')) || matches!(c, '\u{FFFE}' | '\u{FFFF}' | ESCAPE)
}

/// Text as XML can hold it.
pub(crate) fn armour(text: &str) -> Cow<'_, str> {
    if text.is_ascii() && !text.bytes().any(|b| b < 0x20) || !text.contains(unspeakable) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        push_armoured(&mut out, c, unspeakable(c));
    }
    Cow::Owned(out)
}

fn push_armoured(out: &mut String, c: char, hide: bool) {
    if hide {
        out.push_str(&format!("{ESCAPE}{:X};", c as u32));
    } else {
        out.push(c);
    }
}

/// The text that [`armour`] was given. What is no escape stays as it is.
pub(crate) fn unarmour(text: &str) -> Cow<'_, str> {
    if !text.contains(ESCAPE) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(ESCAPE) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let body = &from[ESCAPE.len_utf8()..];
        let code = body.find(';').filter(|&end| end <= 6);
        let hidden = code.and_then(|end| {
            let digits = &body[..end];
            if digits.is_empty() { Some(None) } else { u32::from_str_radix(digits, 16).ok().and_then(char::from_u32).map(Some) }
        });
        match (hidden, code) {
            (Some(c), Some(end)) => {
                out.extend(c);
                rest = &body[end + 1..];
            }
            _ => {
                out.push(ESCAPE);
                rest = body;
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Several texts in one: separated by `separator`, which is escaped inside them; an empty one is `␛;`.
pub(crate) fn join<'s>(items: impl IntoIterator<Item = &'s str>, separator: char) -> String {
    let mut out = String::new();
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            out.push(separator);
        }
        if item.is_empty() {
            out.push(ESCAPE);
            out.push(';');
        }
        for c in item.chars() {
            push_armoured(&mut out, c, c == separator || unspeakable(c));
        }
    }
    out
}

/// The texts that [`join`] was given.
pub(crate) fn split(text: &str, separator: char) -> impl Iterator<Item = SmolStr> {
    text.split(separator).filter(|t| !t.is_empty()).map(|t| SmolStr::new(unarmour(t)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stock_ids_lose_their_running_number() {
        for (id, kind, name) in [
            ("u_1", SymbolKind::Variable, "u"),
            ("foo__21", SymbolKind::Subroutine, "foo"),
            ("foo_21", SymbolKind::Subroutine, "foo"),
            ("a_1_5", SymbolKind::Variable, "a_1"),
            ("x1", SymbolKind::Variable, "x1"),
            ("_7", SymbolKind::Variable, "_7"),
            ("plain", SymbolKind::Variable, "plain"),
        ] {
            assert_eq!(stock_name(id, kind), name);
        }
    }

    #[test]
    fn escapes_come_back() {
        for text in ["", "plain", "a\u{c}b", "\u{241B}", "\u{241B}C;", "tab\tnew\nline", "\u{0}\u{FFFF}", "\u{241B}\u{241B};x"] {
            let armoured = armour(text);
            assert!(!armoured.contains(|c: char| c < ' ' && !matches!(c, '\t' | '\n' | '\r')));
            assert_eq!(unarmour(&armoured), text);
        }
        assert_eq!(unarmour("\u{241B}zz;"), "\u{241B}zz;");
        assert_eq!(unarmour("\u{241B}D800;"), "\u{241B}D800;");
    }

    #[test]
    fn lists_come_back() {
        for list in [&[][..], &[""][..], &["a", "b c", ""][..], &["\u{241B}", " "][..]] {
            let joined = join(list.iter().copied(), ' ');
            assert_eq!(split(&joined, ' ').collect::<Vec<_>>(), list);
        }
    }
}

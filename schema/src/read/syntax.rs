//! Characters, names and references of XML, as far as quick-xml leaves them unchecked.
//!
//! Lives here: pure checks of pieces of text. Never here: elements.

use super::limits::Limits;
use super::position::Tracker;
use crate::diagnostic::{Diagnostic, Location};
use quick_xml::escape::unescape;
use quick_xml::events::BytesDecl;
use quick_xml::events::attributes::Attributes;
use std::borrow::Cow;

pub(super) fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r')
}

/// Letters only and short: what almost all names are.
pub(super) fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().fold(true, |p, b| p & (b.is_ascii_alphabetic() | (b == b'_')))
}

/// Whether an attribute value has a `<`, and whether it is its own text: one look at each byte.
pub(super) fn scan(raw: &str) -> (bool, bool) {
    raw.bytes().fold((false, true), |(bracket, plain), b| (bracket | (b == b'<'), plain & (b >= b' ') & (b != b'&')))
}

/// A name without colon.
pub(super) fn is_ncname(name: &str) -> bool {
    let mut bytes = name.bytes();
    match bytes.next() {
        None => return false,
        Some(b) if b.is_ascii_alphabetic() || b == b'_' => {}
        Some(b) if b.is_ascii() => return false,
        _ => return name.chars().enumerate().all(|(i, c)| name_char(c, i == 0)),
    }
    bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
        || name.chars().enumerate().all(|(i, c)| name_char(c, i == 0))
}

fn name_char(c: char, first: bool) -> bool {
    let start = matches!(c, 'A'..='Z' | 'a'..='z' | '_' | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}' | '\u{370}'..='\u{37D}'
        | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}' | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}');
    start || (!first && matches!(c, '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}'))
}

/// A piece of the document for a message: short, and in quotes.
pub(super) fn shown(text: &str) -> String {
    let mut short: String = text.chars().take(60).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    format!("`{short}`")
}

/// The document as text, after the checks that concern all of it.
pub(super) fn text<'a>(name: &str, bytes: &'a [u8], limits: &Limits) -> Result<&'a str, Box<Diagnostic>> {
    let at = |line, column| Location { file: name.to_string(), line, column, end_line: line, end_column: column };
    let refuse = |code, message: String, place: Location| Err(Box::new(Diagnostic::error(code, message).at(place)));
    if bytes.len() > limits.bytes {
        return refuse("OB1003", format!("the document has {} bytes, more than {}", bytes.len(), limits.bytes), at(1, 1));
    }
    if bytes.starts_with(&[0xFF, 0xFE])
        || bytes.starts_with(&[0xFE, 0xFF])
        || bytes.starts_with(&[b'<', 0])
        || bytes.starts_with(&[0, b'<'])
    {
        return refuse("OB1001", "the document is UTF-16; only UTF-8 is read".into(), at(1, 1));
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let text = match std::str::from_utf8(bytes) {
        Ok(t) => t,
        Err(e) => {
            let sound = std::str::from_utf8(&bytes[..e.valid_up_to()]).unwrap_or_default();
            let (line, column) = Tracker::default().locate(sound, sound.len());
            return refuse("OB1001", "the document is not UTF-8".into(), at(line, column));
        }
    };
    match forbidden(text) {
        Some(offset) => {
            let (line, column) = Tracker::default().locate(text, offset);
            let c = text[offset..].chars().next().unwrap_or_default();
            refuse("OB1002", format!("the character U+{:04X} is not allowed in XML", c as u32), at(line, column))
        }
        None => Ok(text),
    }
}

/// The first character that XML does not allow.
fn forbidden(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut start = 0;
    for chunk in bytes.chunks(4096) {
        // No branches, so that the compiler can take many bytes at a time.
        let suspicious = chunk.iter().fold(false, |s, &b| s | ((b < 0x20) & (b != b'\n') & (b != b'\t') & (b != b'\r')) | (b == 0xEF));
        if suspicious {
            for (i, &b) in chunk.iter().enumerate() {
                let control = b < 0x20 && !is_space(b);
                let at = start + i;
                if control || (b == 0xEF && bytes.get(at + 1) == Some(&0xBF) && bytes.get(at + 2).is_some_and(|c| *c >= 0xBE)) {
                    return Some(at);
                }
            }
        }
        start += chunk.len();
    }
    None
}

/// Line ends as XML has them.
pub(super) fn lines(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")) } else { Cow::Borrowed(text) }
}

fn references(text: &str) -> Result<Cow<'_, str>, String> {
    let value = unescape(text).map_err(|e| format!("malformed reference: {e}"))?;
    match value.chars().find(|c| (*c < ' ' && !matches!(c, '\t' | '\n' | '\r')) || matches!(c, '\u{FFFE}' | '\u{FFFF}')) {
        Some(c) => Err(format!("a reference to the character U+{:04X}, which is not allowed in XML", c as u32)),
        None => Ok(value),
    }
}

/// Text with its references resolved.
pub(super) fn text_value(raw: &str) -> Result<Cow<'_, str>, String> {
    match lines(raw) {
        Cow::Borrowed(t) => references(t),
        Cow::Owned(t) => references(&t).map(|v| Cow::Owned(v.into_owned())),
    }
}

/// An attribute value with white space normalized and references resolved.
pub(super) fn attribute_value(raw: &str) -> Result<Cow<'_, str>, String> {
    // One look at each byte: most values have neither.
    let plain = raw.bytes().fold(true, |p, b| p & (b >= b' ') & (b != b'&'));
    if plain {
        return Ok(Cow::Borrowed(raw));
    }
    if raw.bytes().any(|b| b < b' ') {
        let blank = raw.replace("\r\n", " ").replace(['\r', '\n', '\t'], " ");
        return references(&blank).map(|v| Cow::Owned(v.into_owned()));
    }
    references(raw)
}

/// Checks the XML declaration.
pub(super) fn declaration(declaration: &BytesDecl, text: &str) -> Result<(), String> {
    let content: &str = declaration;
    let mut expected = 0;
    for attribute in Attributes::new(content, 3).with_checks(false) {
        let attribute = attribute.map_err(|e| format!("malformed XML declaration: {e}"))?;
        let value = attribute.value.as_ref();
        let place = match attribute.key.0 {
            "version" if value == "1.0" => 0,
            "version" => return Err(format!("XML version {} is not read", shown(value))),
            "encoding" => {
                let utf8 = value.eq_ignore_ascii_case("utf-8");
                if !utf8 && !text.is_ascii() {
                    return Err(format!("the document is declared as {}; only UTF-8 is read", shown(value)));
                }
                1
            }
            "standalone" if matches!(value, "yes" | "no") => 2,
            other => return Err(format!("{} has no place in the XML declaration", shown(other))),
        };
        if place < expected || (expected == 0 && place > 0) {
            return Err("malformed XML declaration".into());
        }
        expected = place + 1;
    }
    if expected == 0 { Err("the XML declaration has no version".into()) } else { Ok(()) }
}

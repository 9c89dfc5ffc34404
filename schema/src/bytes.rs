//! Source text whose bytes are not all UTF-8: comments in Latin-1 are common in old programs.
//!
//! A byte that is no part of UTF-8 is a character of the last private plane while it is in a text, and the same byte again when the text is written
//! as source code: `0xFC` is U+10FEFC. So nothing needs to know in which encoding somebody wrote a comment, it goes through documents too, and its
//! column is right. Lives here: this correspondence. Never here: files.

use std::borrow::Cow;

/// What is added to a byte.
const FIRST: u32 = 0x10FE00;

/// The byte that a character stands for.
fn byte_of(c: char) -> Option<u8> {
    u8::try_from((c as u32).checked_sub(FIRST)?).ok().filter(|b| *b >= 0x80)
}

/// The text of a source file.
///
/// # Errors
/// The bytes again, with the place of the first that would not come back: of a character that stands for a byte here, or of one that is not UTF-8 where
/// there are zeros (text in UTF-16).
pub fn text(bytes: Vec<u8>) -> Result<String, (Vec<u8>, usize)> {
    let taken = |t: &str| t.char_indices().find(|(_, c)| byte_of(*c).is_some()).map(|(at, _)| at);
    let (bytes, first) = match String::from_utf8(bytes) {
        Ok(text) if text.is_ascii() => return Ok(text),
        Ok(text) => match taken(&text) {
            Some(at) => return Err((text.into_bytes(), at)),
            None => return Ok(text),
        },
        Err(e) => {
            let first = e.utf8_error().valid_up_to();
            (e.into_bytes(), first)
        }
    };
    let mut before = 0;
    for chunk in bytes.utf8_chunks() {
        if let Some(at) = taken(chunk.valid()) {
            return Err((bytes, before + at));
        }
        before += chunk.valid().len() + chunk.invalid().len();
    }
    if bytes.contains(&0) { Err((bytes, first)) } else { Ok(mixed(&bytes)) }
}

/// The same for text that may have such characters already: what a preprocessor makes of one.
pub fn mixed(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().filter_map(|b| char::from_u32(FIRST + u32::from(*b))));
    }
    out
}

/// The bytes of a source file with this text.
pub fn bytes(text: &str) -> Cow<'_, [u8]> {
    if text.is_ascii() || !text.chars().any(|c| byte_of(c).is_some()) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut out = Vec::with_capacity(text.len());
    for c in text.chars() {
        match byte_of(c) {
            Some(b) => out.push(b),
            None => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Cow::Owned(out)
}

/// The text for people: such bytes as what they most likely are, Latin-1.
pub fn shown(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.chars().any(|c| byte_of(c).is_some()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| byte_of(c).map_or(c, char::from)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        for original in [&b"! na\xefve \xc3\xa4 \xff\xfe\n"[..], b"", b"plain", "\u{e4}\u{20ac}".as_bytes(), b"\xe4", b"cut \xe2\x82"] {
            let text = text(original.to_vec()).expect("text");
            assert_eq!(&*bytes(&text), original);
        }
        assert_eq!(text(b"na\xefve".to_vec()).map(|t| shown(&t).into_owned()).as_deref(), Ok("na\u{ef}ve"));
        assert_eq!(text(b"a\xff\xfea\0b\0".to_vec()).map_err(|e| e.1), Err(1));
        assert_eq!(text("ab\u{10FEFC}".as_bytes().to_vec()).map_err(|e| e.1), Err(2));
    }
}

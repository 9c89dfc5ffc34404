//! Tags, attributes and escapes.
//!
//! Lives here: text that is well-formed XML whatever strings it is given. Never here: what the elements mean.

use crate::vocabulary::armour;
use std::fmt::Write as _;
use std::io;

/// So much text is gathered before it goes out.
const CHUNK: usize = 1 << 20;

/// Characters that stand for themselves everywhere.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut b = 0x20;
    while b < 0x7f {
        plain[b] = !matches!(b as u8, b'&' | b'<' | b'>' | b'"');
        b += 1;
    }
    plain
};

/// A number in decimal.
pub(super) fn digits(value: u32, buffer: &mut [u8; 10]) -> &str {
    let (mut at, mut rest) = (buffer.len(), value);
    loop {
        at -= 1;
        buffer[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    std::str::from_utf8(&buffer[at..]).unwrap_or_default()
}

/// The document so far.
pub(super) struct Out<'s> {
    text: String,
    /// Where the text goes as it grows; it stays here if there is none.
    sink: Option<&'s mut dyn io::Write>,
    /// What the sink failed with; nothing is written after that.
    failed: Option<io::Error>,
    open: Vec<&'static str>,
    /// The last start tag is not closed yet.
    in_tag: bool,
    ob: bool,
}

impl<'s> Out<'s> {
    /// An empty document.
    pub fn new(ob: bool, sink: Option<&'s mut dyn io::Write>) -> Out<'s> {
        let text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        Out { text, sink, failed: None, open: Vec::new(), in_tag: false, ob }
    }

    /// A part of a document inside open elements, written into a buffer of its own.
    pub fn piece(ob: bool, open: Vec<&'static str>, mut text: String) -> Out<'s> {
        text.clear();
        Out { text, sink: None, failed: None, open, in_tag: false, ob }
    }

    /// The elements around the present place.
    pub fn open_elements(&self) -> Vec<&'static str> {
        self.open.clone()
    }

    /// How long the text of a part is by now.
    pub fn length(&self) -> usize {
        self.text.len()
    }

    /// The text of a part.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Puts the text of a part in its place; gives a buffer to use again.
    pub fn add(&mut self, text: String) -> String {
        if self.sink.is_none() {
            self.text.push_str(&text);
            return text;
        }
        self.spill();
        std::mem::replace(&mut self.text, text)
    }

    /// Hands the text on, if there is somebody to hand it to.
    fn spill(&mut self) {
        let Some(sink) = &mut self.sink else { return };
        if self.failed.is_none() {
            self.failed = sink.write_all(self.text.as_bytes()).err();
        }
        self.text.clear();
    }

    #[inline]
    fn indent(&mut self) {
        const BLANKS: &str = "                                                                ";
        self.text.push_str(&BLANKS[..self.open.len().min(BLANKS.len())]);
    }

    /// Closes the start tag that is still open.
    #[inline]
    pub fn end_tag(&mut self) {
        if std::mem::take(&mut self.in_tag) {
            self.text.push_str(">\n");
        }
    }

    /// Opens an element; its attributes come next.
    // Names are constants: where they are known the copies are a few instructions.
    #[inline(always)]
    pub fn open(&mut self, name: &'static str) {
        self.end_tag();
        self.indent();
        self.text.push('<');
        self.text.push_str(name);
        self.open.push(name);
        self.in_tag = true;
    }

    /// Closes the element that was opened last.
    pub fn close(&mut self) {
        let Some(name) = self.open.pop() else { return };
        if self.sink.is_some() && self.text.len() > CHUNK {
            self.spill();
        }
        if std::mem::take(&mut self.in_tag) {
            self.text.push_str("/>\n");
            return;
        }
        self.indent();
        self.text.push_str("</");
        self.text.push_str(name);
        self.text.push_str(">\n");
    }

    /// An attribute.
    #[inline(always)]
    pub fn attr(&mut self, name: &'static str, value: &str) {
        self.attr_named(name, value);
    }

    /// The same with a name that is not known beforehand.
    #[inline(always)]
    pub fn attr_named(&mut self, name: &str, value: &str) {
        self.text.push(' ');
        self.text.push_str(name);
        self.text.push_str("=\"");
        self.escaped(value, true);
        self.text.push('"');
    }

    /// Attributes that are ready, with a blank before each.
    pub fn ready(&mut self, attributes: &str) {
        self.text.push_str(attributes);
    }

    /// An attribute whose value is a plain number.
    #[inline(always)]
    pub fn count(&mut self, name: &'static str, value: u32) {
        self.text.push(' ');
        self.text.push_str(name);
        self.text.push_str("=\"");
        self.text.push_str(digits(value, &mut [0; 10]));
        self.text.push('"');
    }

    /// A number.
    pub fn number(&mut self, name: &'static str, value: impl std::fmt::Display) {
        // Writing to a string cannot fail.
        let _ = write!(self.text, " {name}=\"{value}\"");
    }

    /// A text of ours, unless it is empty.
    pub fn ob_text(&mut self, name: &'static str, value: &str) {
        if self.ob && !value.is_empty() {
            self.attr(name, value);
        }
    }

    /// A list of ours, unless it is empty; it is already in one piece.
    pub fn ob_joined(&mut self, name: &'static str, joined: &str) {
        if self.ob && !joined.is_empty() {
            self.text.push(' ');
            self.text.push_str(name);
            self.text.push_str("=\"");
            self.references(joined, true);
            self.text.push('"');
        }
    }

    /// Text as the only content of the element, which is closed.
    pub fn text(&mut self, text: &str) {
        if text.is_empty() {
            self.close();
            return;
        }
        self.in_tag = false;
        self.text.push('>');
        self.escaped(text, false);
        if let Some(name) = self.open.pop() {
            self.text.push_str("</");
            self.text.push_str(name);
            self.text.push_str(">\n");
        }
    }

    fn escaped(&mut self, value: &str, attribute: bool) {
        if value.bytes().all(|b| PLAIN[b as usize]) {
            self.text.push_str(value);
            return;
        }
        let value = armour(value);
        self.references(&value, attribute);
    }

    fn references(&mut self, value: &str, attribute: bool) {
        let special = |b: u8| matches!(b, b'&' | b'<' | b'>' | b'\r') || (attribute && matches!(b, b'"' | b'\n' | b'\t'));
        let mut rest = value;
        while let Some(at) = rest.bytes().position(special) {
            self.text.push_str(&rest[..at]);
            self.text.push_str(match rest.as_bytes()[at] {
                b'&' => "&amp;",
                b'<' => "&lt;",
                b'>' => "&gt;",
                b'"' => "&quot;",
                b'\n' => "&#10;",
                b'\t' => "&#9;",
                _ => "&#13;",
            });
            rest = &rest[at + 1..];
        }
        self.text.push_str(rest);
    }

    /// The document, or what of it has not gone out, all of which has where there is a sink.
    ///
    /// # Errors
    /// What the sink failed with.
    pub fn finish(mut self) -> io::Result<String> {
        while !self.open.is_empty() {
            self.close();
        }
        self.spill();
        match self.failed {
            Some(e) => Err(e),
            None => Ok(self.text),
        }
    }
}

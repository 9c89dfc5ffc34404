//! The tokens of a document for whoever is not the reader: the schema validator.
//!
//! Lives here: one walk over a whole document. Never here: what elements mean.
#![cfg_attr(not(feature = "xsd"), allow(dead_code))]

use super::limits::Limits;
use super::xml::{Fallible, Token, Xml};
use crate::Diagnostic;

/// A step of [`events`].
pub(crate) enum Step<'x, 'a> {
    /// An element begins here; attributes and namespaces are with the reader.
    Open(&'x Opened<'x, 'a>),
    /// Text that is not only blanks.
    Text(&'x str),
    /// The element that was opened last ends.
    Close,
}

/// An element that begins.
pub(crate) struct Opened<'x, 'a> {
    /// The namespace's name.
    pub uri: &'x str,
    /// The name without prefix.
    pub local: &'a str,
    /// Byte offset of its `<`, a byte-order mark not counted.
    pub start: usize,
    /// True where it declares namespaces, or is the first.
    pub declares: bool,
    xml: &'x Xml<'a>,
}

impl Opened<'_, '_> {
    /// Calls `visit` with namespace, name and value of each attribute, declarations left out.
    pub fn each_attribute(&self, visit: impl FnMut(&str, &str, &str)) {
        self.xml.each_attribute(visit);
    }

    /// The namespaces in scope, by prefix.
    pub fn namespaces(&self) -> Vec<(Option<String>, String)> {
        self.xml.namespaces()
    }
}

/// Walks over a document, well-formed XML with namespaces, and calls `visit` with each step.
///
/// # Errors
/// The first violation of well-formedness or of the limits.
pub(crate) fn events(name: &str, xml: &[u8], limits: &Limits, visit: impl FnMut(Step)) -> Result<(), Vec<Diagnostic>> {
    let mut xml = Xml::new(name, xml, *limits).map_err(|d| vec![*d])?;
    walk(&mut xml, visit).map_err(|d| vec![*d])
}

/// The same on a token reader.
pub(super) fn walk(xml: &mut Xml, mut visit: impl FnMut(Step)) -> Fallible<()> {
    let mut next = Token::Open(xml.root()?);
    loop {
        match next {
            Token::Open(tag) => {
                let opened = Opened { uri: xml.uri(tag.ns), local: tag.local, start: tag.start, declares: xml.declares(), xml };
                visit(Step::Open(&opened));
            }
            Token::Text { text, .. } => visit(Step::Text(&text)),
            Token::Close => visit(Step::Close),
        }
        if xml.depth() == 0 {
            return xml.finish();
        }
        next = xml.token()?;
    }
}

//! Tokens: elements with resolved names and checked attributes, one at a time.
//!
//! Lives here: everything that makes the text well-formed XML with namespaces, on top of quick-xml, which checks only part of it, and the
//! limits. Never here: what an element means.

mod ahead;
mod names;
mod values;

use super::limits::Limits;
use super::position::Tracker;
use super::syntax;
use crate::diagnostic::{Diagnostic, Location};
use crate::model::Span;
use crate::vocabulary;
use quick_xml::Reader;
use quick_xml::events::Event;
use quick_xml::events::attributes::Attributes;
use quick_xml::name::{Namespace, NamespaceResolver, PrefixDeclaration};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
pub(super) use values::keep_spelling;

/// Stops the reading.
pub(super) type Fallible<T> = Result<T, Box<Diagnostic>>;

/// A namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Ns {
    /// None at all.
    None,
    /// Stock XAIF.
    Xaif,
    /// Our extensions.
    Ob,
    /// Another one, by number.
    Other(u32),
}

/// An element that has just been opened. Its attributes are with [`Xml`] until the next one is opened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tag<'a> {
    pub ns: Ns,
    pub local: &'a str,
    /// The name as it stands in the text.
    pub name: &'a str,
    /// Where its `<` stands.
    pub start: usize,
    /// Behind its `>`.
    pub end: usize,
}

/// What the document consists of.
pub(super) enum Token<'a> {
    Open(Tag<'a>),
    Close,
    Text { start: usize, text: Cow<'a, str> },
}

#[derive(Clone, Copy, Debug)]
struct Attr<'a> {
    ns: Ns,
    local: &'a str,
    raw: &'a str,
    /// Nothing in the value is to be resolved or normalized.
    plain: bool,
    used: bool,
}

/// A qualified name.
#[derive(Clone, Copy, Debug)]
struct Split<'a> {
    name: &'a str,
    prefix: Option<&'a str>,
    local: &'a str,
}

/// So many names are kept in mind: a document has few.
const NAMES: usize = 128;

/// Nesting beyond this is refused whatever the limits say: the readers above recurse.
const MAX_DEPTH: usize = 400;

/// The token reader.
pub(super) struct Xml<'a> {
    pub text: &'a str,
    name: &'a str,
    reader: Reader<&'a [u8]>,
    limits: Limits,
    resolver: NamespaceResolver,
    uris: Vec<String>,
    /// Prefixes that were resolved, as long as nothing is declared.
    prefixes: SmallVec<[(&'a str, Ns); 4]>,
    /// Names that were split.
    names: Vec<Option<Split<'a>>>,
    /// For each open element whether it declares namespaces.
    open: Vec<bool>,
    /// Where the text of `reader` begins.
    base: usize,
    /// How many elements are open around a piece of a document; `None`: it is the whole.
    around: Option<usize>,
    /// At each depth: up to there it is known that nothing can be read in pieces.
    no_pieces: [usize; 8],
    empty: bool,
    elements: usize,
    attrs: Vec<Attr<'a>>,
    armoured: bool,
    tracker: Tracker,
    unknown: HashSet<(String, String)>,
    /// Problems that did not stop the reading.
    pub diags: Vec<Diagnostic>,
    pub(super) errors: usize,
    /// How many warnings there were of each code.
    pub(super) warnings: BTreeMap<&'static str, usize>,
}

impl<'a> Xml<'a> {
    /// A reader at the start of a document.
    pub fn new(name: &'a str, bytes: &'a [u8], limits: Limits) -> Fallible<Xml<'a>> {
        let text = syntax::text(name, bytes, &limits)?;
        Ok(Xml {
            text,
            name,
            reader: reader(text),
            limits,
            resolver: NamespaceResolver::default(),
            uris: Vec::new(),
            prefixes: SmallVec::new(),
            names: vec![None; NAMES],
            open: Vec::new(),
            base: 0,
            around: None,
            no_pieces: [0; 8],
            empty: false,
            elements: 0,
            attrs: Vec::new(),
            armoured: text.contains(vocabulary::ESCAPE),
            tracker: Tracker::default(),
            unknown: HashSet::new(),
            diags: Vec::new(),
            errors: 0,
            warnings: BTreeMap::new(),
        })
    }

    /// Where the next thing begins, blanks before it left out.
    fn next_start(&self) -> usize {
        let at = self.position();
        at + self.text.as_bytes()[at.min(self.text.len())..].iter().take_while(|b| syntax::is_space(**b)).count()
    }

    /// How far the document is read.
    fn position(&self) -> usize {
        self.base + self.reader.buffer_position() as usize
    }

    /// A place in the document.
    pub fn location(&mut self, start: usize, end: usize) -> Location {
        let (line, column) = self.tracker.locate(self.text, start);
        let (end_line, end_column) = self.tracker.locate(self.text, end.max(start));
        Location { file: self.name.to_string(), line, column, end_line, end_column }
    }

    /// The same as a span of the model.
    pub fn span(&mut self, tag: &Tag) -> Span {
        let (line, column) = self.tracker.locate(self.text, tag.start);
        let (end_line, end_column) = self.tracker.locate(self.text, tag.end);
        Span { source: Span::XML, line, column, end_line, end_column }
    }

    pub(super) fn fatal<T>(&mut self, code: &'static str, at: usize, message: impl Into<String>) -> Fallible<T> {
        let location = self.location(at, at);
        Err(Box::new(Diagnostic::error(code, message).at(location)))
    }

    fn opened(&mut self, start: usize, length: usize, empty: bool) -> Fallible<Tag<'a>> {
        let end = self.position();
        self.elements += 1;
        if self.elements > self.limits.elements {
            return self.fatal("OB1003", start, format!("more than {} elements", self.limits.elements));
        }
        if self.depth() >= self.limits.depth.min(MAX_DEPTH) {
            return self.fatal("OB1003", start, format!("elements are nested more than {} deep", self.limits.depth.min(MAX_DEPTH)));
        }
        let content = self.text.get(start + 1..start + 1 + length).unwrap_or_default();
        let name_length = content.bytes().position(syntax::is_space).unwrap_or(content.len());
        let name = &content[..name_length];
        let declares = self.attributes(content, name_length, start + 1)?;
        let (prefix, local) = self.split(name, start)?;
        if prefix == Some("xmlns") {
            return self.fatal("OB1005", start, "xmlns is no prefix for an element");
        }
        let ns = self.resolve(name, prefix, start)?;
        self.open.push(declares);
        self.empty = empty;
        Ok(Tag { ns, local, name, start, end })
    }

    /// Checks the attributes of a start tag and keeps them; true if there are namespace declarations among them.
    fn attributes(&mut self, content: &'a str, name_length: usize, offset: usize) -> Fallible<bool> {
        let mut prefixes: SmallVec<[(&'a str, &'a str, usize); 4]> = SmallVec::new();
        let mut attrs = std::mem::take(&mut self.attrs);
        attrs.clear();
        let mut declares = false;
        let mut list = Attributes::new(content, name_length);
        for attribute in list.with_checks(false) {
            let attribute = match attribute {
                Ok(a) => a,
                Err(e) => return self.fatal("OB1002", offset, format!("malformed attribute: {e}")),
            };
            let key = attribute.key.0;
            let at = (key.as_ptr() as usize).saturating_sub(content.as_ptr() as usize);
            let Cow::Borrowed(raw) = attribute.value else {
                return self.fatal("OB1002", offset + at, "malformed attribute");
            };
            if at == 0 || !content.as_bytes().get(at - 1).copied().is_some_and(syntax::is_space) {
                return self.fatal("OB1002", offset + at, format!("no blank before attribute {}", syntax::shown(key)));
            }
            if attrs.len() >= self.limits.attributes {
                return self.fatal("OB1003", offset + at, format!("more than {} attributes in one element", self.limits.attributes));
            }
            if raw.len() > self.limits.token {
                return self.fatal("OB1003", offset + at, format!("a value of more than {} bytes", self.limits.token));
            }
            let (bracket, plain) = syntax::scan(raw);
            if bracket {
                return self.fatal("OB1002", offset + at, format!("`<` in the value of attribute {}", syntax::shown(key)));
            }
            let (prefix, local) = self.split(key, offset + at)?;
            // Declarations are kept in the list as well while duplicates are looked for.
            let ns = match prefix {
                None => Ns::None,
                Some(p) => {
                    prefixes.push((key, p, attrs.len()));
                    Ns::None
                }
            };
            if !plain {
                self.unescape(raw, offset + at)?;
            }
            let declaration = match (prefix, local) {
                (None, "xmlns") => Some(PrefixDeclaration::Default),
                (Some("xmlns"), l) => Some(PrefixDeclaration::Named(l)),
                _ => None,
            };
            if let Some(declaration) = declaration {
                self.declare(declaration, raw, offset + at, !declares)?;
                declares = true;
            }
            attrs.push(Attr { ns, local, raw, plain, used: declaration.is_some() });
        }
        for (key, prefix, i) in prefixes {
            attrs[i].ns = match prefix {
                "xml" => self.namespace("http://www.w3.org/XML/1998/namespace"),
                "xmlns" => self.namespace("http://www.w3.org/2000/xmlns/"),
                _ => self.resolve(key, Some(prefix), offset)?,
            };
        }
        if let Some(i) = duplicate(&attrs) {
            return self.fatal("OB1002", offset, format!("attribute {} stands twice", syntax::shown(attrs[i].local)));
        }
        self.attrs = attrs;
        Ok(declares)
    }

    fn unescape(&mut self, raw: &'a str, at: usize) -> Fallible<Cow<'a, str>> {
        match syntax::attribute_value(raw) {
            Ok(v) => Ok(v),
            Err(message) => self.fatal("OB1002", at, message),
        }
    }

    fn closed(&mut self) {
        if self.open.pop() == Some(true) {
            self.resolver.pop();
            self.prefixes.clear();
        }
    }

    /// The next tag, or text that is not only blanks.
    pub fn token(&mut self) -> Fallible<Token<'a>> {
        if std::mem::take(&mut self.empty) {
            self.closed();
            return Ok(Token::Close);
        }
        loop {
            let start = self.next_start();
            match self.reader.read_event() {
                Ok(Event::Text(t)) => {
                    if !t.bytes().all(syntax::is_space) {
                        if t.contains("]]>") {
                            return self.fatal("OB1002", start, "`]]>` in text");
                        }
                        return Ok(Token::Text { start, text: t.into_inner() });
                    }
                }
                Ok(Event::Start(e)) => return self.opened(start, e.len(), false).map(Token::Open),
                Ok(Event::Empty(e)) => return self.opened(start, e.len(), true).map(Token::Open),
                Ok(Event::End(_)) => {
                    self.closed();
                    return Ok(Token::Close);
                }
                Ok(Event::CData(t)) => return Ok(Token::Text { start, text: t.into_inner() }),
                // A piece ends between elements.
                Ok(Event::Eof) if self.around.is_some() && self.open.is_empty() => return Ok(Token::Close),
                Ok(Event::GeneralRef(r)) => {
                    let whole = format!("&{};", &*r);
                    return match syntax::text_value(&whole) {
                        Ok(v) => Ok(Token::Text { start, text: Cow::Owned(v.into_owned()) }),
                        Err(message) => self.fatal("OB1002", start, message),
                    };
                }
                Ok(other) => self.aside(other, start)?,
                Err(e) => return self.malformed(&e),
            }
        }
    }

    /// The next child of the open element; `None` at its end, which closes it.
    pub fn child(&mut self) -> Fallible<Option<Tag<'a>>> {
        loop {
            match self.token()? {
                Token::Open(tag) => return Ok(Some(tag)),
                Token::Close => return Ok(None),
                Token::Text { start, text } => self.loose_text(start, &text)?,
            }
        }
    }

    fn loose_text(&mut self, start: usize, text: &str) -> Fallible<()> {
        let tag = Tag { ns: Ns::None, local: "", name: "", start, end: start + text.len() };
        self.error(&tag, "OB1011", "text between elements, where XAIF has none")
    }

    /// Comments, instructions, and what may not stand here.
    fn aside(&mut self, event: Event<'a>, start: usize) -> Fallible<()> {
        match event {
            Event::Comment(_) => Ok(()),
            Event::PI(p) => {
                let target = p.target();
                if !syntax::is_ncname(target) || target.eq_ignore_ascii_case("xml") {
                    return self.fatal("OB1002", start, "malformed processing instruction");
                }
                Ok(())
            }
            Event::Decl(_) if start > 0 => self.fatal("OB1002", start, "the XML declaration does not stand at the very start"),
            Event::Decl(d) => match syntax::declaration(&d, self.text) {
                Ok(()) => Ok(()),
                Err(message) => self.fatal("OB1002", start, message),
            },
            Event::DocType(_) => self.fatal("OB1004", start, "a document type declaration is not accepted"),
            _ => self.fatal("OB1002", start, "the document ends inside an element"),
        }
    }

    fn malformed<T>(&mut self, error: &quick_xml::Error) -> Fallible<T> {
        let at = (self.base + self.reader.error_position() as usize).min(self.text.len());
        // An unexpected end has the place where the open thing began.
        self.fatal("OB1002", at, error.to_string())
    }

    /// The root element.
    pub fn root(&mut self) -> Fallible<Tag<'a>> {
        loop {
            let start = self.next_start();
            match self.reader.read_event() {
                Ok(Event::Start(e)) => return self.opened(start, e.len(), false),
                Ok(Event::Empty(e)) => return self.opened(start, e.len(), true),
                Ok(Event::Eof) => return self.fatal("OB1002", start, "the document has no root element"),
                Ok(other) => self.outside(other, start)?,
                Err(e) => return self.malformed(&e),
            }
        }
    }

    /// Reads what stands behind the root element.
    pub fn finish(&mut self) -> Fallible<()> {
        loop {
            let start = self.next_start();
            match self.reader.read_event() {
                Ok(Event::Eof) => return Ok(()),
                Ok(Event::Start(_) | Event::Empty(_)) => return self.fatal("OB1002", start, "a second root element"),
                Ok(other) => self.outside(other, start)?,
                Err(e) => return self.malformed(&e),
            }
        }
    }

    fn outside(&mut self, event: Event<'a>, start: usize) -> Fallible<()> {
        match event {
            Event::Text(t) if t.bytes().all(syntax::is_space) => Ok(()),
            Event::Text(_) | Event::CData(_) | Event::GeneralRef(_) => self.fatal("OB1002", start, "text outside the root element"),
            other => self.aside(other, start),
        }
    }

    /// The text of the open element, which is closed. Elements in it are an error.
    pub fn content(&mut self) -> Fallible<String> {
        let mut out = String::new();
        if std::mem::take(&mut self.empty) {
            self.closed();
            return Ok(out);
        }
        self.reader.config_mut().trim_text_start = false;
        loop {
            let start = self.position();
            let piece = match self.reader.read_event() {
                Ok(Event::Text(t)) if t.contains("]]>") => return self.fatal("OB1002", start, "`]]>` in text"),
                Ok(Event::Text(t)) => syntax::text_value(&t).map(Cow::into_owned),
                Ok(Event::CData(t)) => Ok(syntax::lines(&t).into_owned()),
                Ok(Event::GeneralRef(r)) => syntax::text_value(&format!("&{};", &*r)).map(Cow::into_owned),
                Ok(Event::Start(e)) => {
                    let tag = self.opened(start, e.len(), false)?;
                    self.foreign(&tag)?;
                    continue;
                }
                Ok(Event::Empty(e)) => {
                    let tag = self.opened(start, e.len(), true)?;
                    self.foreign(&tag)?;
                    continue;
                }
                Ok(Event::End(_)) => {
                    self.closed();
                    self.reader.config_mut().trim_text_start = true;
                    return Ok(if self.armoured { vocabulary::unarmour(&out).into_owned() } else { out });
                }
                Ok(other) => {
                    self.aside(other, start)?;
                    continue;
                }
                Err(e) => return self.malformed(&e),
            };
            match piece {
                Ok(p) => out.push_str(&p),
                Err(message) => return self.fatal("OB1002", start, message),
            }
            if out.len() > self.limits.token {
                return self.fatal("OB1003", start, format!("text of more than {} bytes", self.limits.token));
            }
        }
    }

    /// Passes over the open element.
    pub fn skip(&mut self) -> Fallible<()> {
        let depth = self.open.len();
        while self.open.len() >= depth {
            self.child()?;
        }
        Ok(())
    }

    /// Whether the element that was opened last declares namespaces.
    pub fn declares(&self) -> bool {
        self.open.last() == Some(&true)
    }

    /// How many elements are open.
    pub fn depth(&self) -> usize {
        self.open.len() + self.around.unwrap_or(0)
    }

    /// Calls `visit` with namespace, name and value of each attribute of the element that was opened last, declarations left out.
    #[cfg_attr(not(feature = "xsd"), allow(dead_code))]
    pub fn each_attribute(&self, mut visit: impl FnMut(&str, &str, &str)) {
        for a in self.attrs.iter().filter(|a| !a.used) {
            let value = if a.plain { Cow::Borrowed(a.raw) } else { syntax::attribute_value(a.raw).unwrap_or_default() };
            visit(self.uri(a.ns), a.local, &value);
        }
    }

    /// The namespaces in scope, by prefix; the default namespace has none.
    #[cfg_attr(not(feature = "xsd"), allow(dead_code))]
    pub fn namespaces(&self) -> Vec<(Option<String>, String)> {
        let named = |p: PrefixDeclaration| match p {
            PrefixDeclaration::Default => None,
            PrefixDeclaration::Named(n) => Some(n.to_string()),
        };
        self.resolver.bindings().map(|(p, Namespace(uri))| (named(p), uri.to_string())).collect()
    }

    /// Whether one of these stock elements is in the open one; the reader is spent then.
    pub fn find(&mut self, names: &[&str]) -> Fallible<bool> {
        let depth = self.open.len();
        while self.open.len() >= depth {
            if let Some(tag) = self.child()?
                && tag.ns == Ns::Xaif
                && names.contains(&tag.local)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// `xsi:schemaLocation` of the element that was opened last.
    pub fn schema_location(&mut self) -> Option<Cow<'a, str>> {
        let i =
            (0..self.attrs.len()).find(|&i| self.attrs[i].local == "schemaLocation" && self.uri(self.attrs[i].ns) == vocabulary::XSI)?;
        Some(self.value(self.attrs[i]))
    }

    /// Closes an element that has no children.
    pub fn leaf(&mut self) -> Fallible<()> {
        while let Some(tag) = self.child()? {
            self.foreign(&tag)?;
        }
        Ok(())
    }
}

/// A reader of some text. Blanks before things are left out: half of a document's events would be blanks between elements.
fn reader(text: &str) -> Reader<&[u8]> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_comments = true;
    config.trim_text_start = true;
    reader
}

fn duplicate(attrs: &[Attr]) -> Option<usize> {
    if attrs.len() <= 12 {
        return (1..attrs.len()).find(|&i| attrs[..i].iter().any(|a| a.local == attrs[i].local && a.ns == attrs[i].ns));
    }
    let mut seen = HashSet::with_capacity(attrs.len());
    (0..attrs.len()).find(|&i| !seen.insert((attrs[i].ns, attrs[i].local)))
}

//! Names: namespaces, prefixes and their declarations.
//!
//! Lives here: what a name means. Never here: which names there are (see [`crate::vocabulary`]).

use super::{Fallible, NAMES, Ns, Split, Xml};
use crate::read::syntax;
use crate::vocabulary;
use quick_xml::events::BytesStart;
use quick_xml::name::{Namespace, PrefixDeclaration, QName, ResolveResult};

impl<'a> Xml<'a> {
    pub(super) fn namespace(&mut self, uri: &str) -> Ns {
        match uri {
            vocabulary::XAIF => Ns::Xaif,
            vocabulary::OB => Ns::Ob,
            "" => Ns::None,
            _ => {
                let at = self.uris.iter().position(|u| u == uri).unwrap_or_else(|| {
                    self.uris.push(uri.to_string());
                    self.uris.len() - 1
                });
                Ns::Other(at as u32)
            }
        }
    }

    /// The text of a namespace.
    pub fn uri(&self, ns: Ns) -> &str {
        match ns {
            Ns::None => "",
            Ns::Xaif => vocabulary::XAIF,
            Ns::Ob => vocabulary::OB,
            Ns::Other(i) => self.uris.get(i as usize).map_or("", String::as_str),
        }
    }

    /// The namespace of an element's or a prefixed attribute's name.
    pub(super) fn resolve(&mut self, name: &'a str, prefix: Option<&'a str>, at: usize) -> Fallible<Ns> {
        let key = prefix.unwrap_or("");
        if let Some((_, ns)) = self.prefixes.iter().find(|(p, _)| *p == key) {
            return Ok(*ns);
        }
        let uri = match self.resolver.resolve_prefix(QName(name).prefix(), true) {
            ResolveResult::Bound(Namespace(uri)) => uri.to_string(),
            ResolveResult::Unbound => String::new(),
            ResolveResult::Unknown(p) => return self.fatal("OB1005", at, format!("the namespace prefix {p} is not declared")),
        };
        let ns = self.namespace(&uri);
        if self.uris.len() > MAX_NAMESPACES {
            return self.fatal("OB1003", at, format!("more than {MAX_NAMESPACES} namespaces"));
        }
        self.prefixes.push((key, ns));
        Ok(ns)
    }

    /// Splits a qualified name and checks its characters.
    pub(super) fn split(&mut self, name: &'a str, at: usize) -> Fallible<(Option<&'a str>, &'a str)> {
        if syntax::is_plain_name(name) {
            return Ok((None, name));
        }
        let bytes = name.as_bytes();
        let slot = bytes.last().map_or(0, |b| usize::from(*b) + 7 * bytes.len() + 3 * usize::from(bytes[bytes.len() / 2])) % NAMES;
        if let Some(known) = self.names[slot].filter(|s| s.name == name) {
            return Ok((known.prefix, known.local));
        }
        let (prefix, local) = match name.split_once(':') {
            Some((p, l)) => (Some(p), l),
            None => (None, name),
        };
        if !syntax::is_ncname(local) || prefix.is_some_and(|p| !syntax::is_ncname(p)) {
            return self.fatal("OB1002", at, format!("{} is not a name", syntax::shown(name)));
        }
        self.names[slot] = Some(Split { name, prefix, local });
        Ok((prefix, local))
    }

    pub(super) fn declare(&mut self, declaration: PrefixDeclaration, raw: &'a str, at: usize, first: bool) -> Fallible<()> {
        let uri = self.unescape(raw, at)?;
        if uri.is_empty() && matches!(declaration, PrefixDeclaration::Named(_)) {
            return self.fatal("OB1005", at, "a namespace prefix cannot be bound to nothing");
        }
        if uri.as_ref() == "http://www.w3.org/2000/xmlns/"
            || (uri.as_ref() == "http://www.w3.org/XML/1998/namespace" && declaration == PrefixDeclaration::Default)
        {
            return self.fatal("OB1005", at, "this namespace cannot be bound");
        }
        self.prefixes.clear();
        if first && self.resolver.push(&BytesStart::new("x")).is_err() {
            return self.fatal("OB1003", at, "namespaces are nested too deeply");
        }
        match self.resolver.add(declaration, Namespace(&uri)) {
            Ok(()) => Ok(()),
            Err(e) => self.fatal("OB1005", at, e.to_string()),
        }
    }
}

/// A document has no use for more namespaces.
const MAX_NAMESPACES: usize = 200;

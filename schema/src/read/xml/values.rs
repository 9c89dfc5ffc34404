//! What the attributes of the open element say: texts, numbers, truth values, words.
//!
//! Lives here: one method for each kind of value, and what becomes of attributes that nobody asked for. Never here: the syntax of attributes.

use super::{Attr, Fallible, Ns, Tag, Xml};
use crate::diagnostic::Diagnostic;
use crate::model::Extras;
use crate::read::syntax;
use crate::vocabulary::{self, SPELLED, Words};
use arcstr::ArcStr;
use smol_str::{SmolStr, format_smolstr};
use std::borrow::Cow;

impl<'a> Xml<'a> {
    pub(super) fn take(&mut self, ns: Ns, local: &str) -> Option<Attr<'a>> {
        let a = self.attrs.iter_mut().find(|a| a.local == local && a.ns == ns)?;
        a.used = true;
        Some(*a)
    }

    pub(super) fn value(&self, a: Attr<'a>) -> Cow<'a, str> {
        if a.plain && !self.armoured {
            return Cow::Borrowed(a.raw);
        }
        // Malformed values were refused when the tag was opened.
        let v = syntax::attribute_value(a.raw).unwrap_or_default();
        if self.armoured && v.contains(vocabulary::ESCAPE) { Cow::Owned(vocabulary::unarmour(&v).into_owned()) } else { v }
    }

    /// The value of a stock attribute.
    pub fn get(&mut self, local: &str) -> Option<Cow<'a, str>> {
        self.take(Ns::None, local).map(|a| self.value(a))
    }

    /// The value of an attribute of ours.
    pub fn ob(&mut self, local: &str) -> Option<Cow<'a, str>> {
        self.take(Ns::Ob, local).map(|a| self.value(a))
    }

    /// The items of a list attribute of ours.
    pub fn ob_list(&mut self, local: &str, separator: char) -> Vec<SmolStr> {
        let raw = self.take(Ns::Ob, local).map_or("", |a| a.raw);
        let value = syntax::attribute_value(raw).unwrap_or_default();
        vocabulary::split(&value, separator).collect()
    }

    /// A text of ours, empty if absent.
    pub fn ob_text(&mut self, local: &str) -> String {
        self.ob(local).map(Cow::into_owned).unwrap_or_default()
    }

    /// The same as a text that copies share.
    pub fn ob_shared(&mut self, local: &str) -> ArcStr {
        self.ob(local).map(|v| ArcStr::from(&*v)).unwrap_or_default()
    }

    /// A stock attribute as a text that copies share, empty if absent.
    pub fn shared(&mut self, local: &str) -> ArcStr {
        self.get(local).map(|v| ArcStr::from(&*v)).unwrap_or_default()
    }

    /// A stock attribute as a name, empty if absent.
    pub fn name(&mut self, local: &str) -> SmolStr {
        self.get(local).map(|v| SmolStr::new(&*v)).unwrap_or_default()
    }

    /// A stock attribute that must be there.
    pub fn required(&mut self, tag: &Tag, local: &str) -> Fallible<Cow<'a, str>> {
        match self.get(local) {
            Some(v) => Ok(v),
            None => {
                self.error(tag, "OB1012", format!("{} has no attribute {local}", syntax::shown(tag.name)))?;
                Ok(Cow::Borrowed(""))
            }
        }
    }

    /// Complains of a value.
    pub fn bad_value(&mut self, tag: &Tag, local: &str, value: &str, expected: &str) -> Fallible<()> {
        let message = format!("attribute {local} of {} is {}, not {expected}", syntax::shown(tag.name), syntax::shown(value));
        self.error(tag, "OB1013", message)
    }

    /// A number, or a default.
    pub fn number<T: std::str::FromStr>(&mut self, tag: &Tag, local: &str, default: T) -> Fallible<T> {
        let Some(v) = self.get(local) else { return Ok(default) };
        self.parsed(tag, local, &v, default)
    }

    /// A number among our attributes.
    pub fn ob_number<T: std::str::FromStr>(&mut self, tag: &Tag, local: &str) -> Fallible<Option<T>> {
        let Some(v) = self.ob(local) else { return Ok(None) };
        match v.trim().parse() {
            Ok(n) => Ok(Some(n)),
            Err(_) => self.bad_value(tag, local, &v, "a number").map(|()| None),
        }
    }

    /// A number that must be there.
    pub fn required_number<T: std::str::FromStr>(&mut self, tag: &Tag, local: &str, default: T) -> Fallible<T> {
        if self.attrs.iter().any(|a| a.ns == Ns::None && a.local == local) {
            return self.number(tag, local, default);
        }
        self.required(tag, local).map(|_| default)
    }

    fn parsed<T: std::str::FromStr>(&mut self, tag: &Tag, local: &str, value: &str, default: T) -> Fallible<T> {
        let trimmed = value.trim_matches(|c: char| c.is_ascii_whitespace());
        match trimmed.strip_prefix('+').unwrap_or(trimmed).parse() {
            Ok(n) => Ok(n),
            Err(_) => self.bad_value(tag, local, value, "a number that is allowed here").map(|()| default),
        }
    }

    /// A truth value in either spelling.
    fn truth(&mut self, tag: &Tag, local: &str, value: &str, default: bool) -> Fallible<bool> {
        match value.trim() {
            "1" | "true" => Ok(true),
            "0" | "false" => Ok(false),
            _ => self.bad_value(tag, local, value, "true, false, 1 or 0").map(|()| default),
        }
    }

    /// A truth value whose spelling is not kept.
    pub fn flag(&mut self, tag: &Tag, local: &str, default: bool) -> Fallible<bool> {
        let Some(v) = self.get(local) else { return Ok(default) };
        self.truth(tag, local, &v, default)
    }

    /// A truth value among our attributes; absent: false.
    pub fn ob_flag(&mut self, tag: &Tag, local: &str) -> Fallible<bool> {
        let Some(v) = self.ob(local) else { return Ok(false) };
        self.truth(tag, local, &v, false)
    }

    /// A truth value; where it is not spelled `1` or `0`, the spelling is kept.
    pub fn spelled_flag(&mut self, tag: &Tag, local: &str, default: bool, extras: &mut Extras) -> Fallible<bool> {
        let Some(v) = self.get(local) else { return Ok(default) };
        let truth = self.truth(tag, local, &v, default)?;
        if v != "1" && v != "0" {
            keep_spelling(extras, local, &v);
        }
        Ok(truth)
    }

    /// A word of a table, or a default.
    pub fn word<T: Words>(&mut self, tag: &Tag, local: &str, default: T) -> Fallible<T> {
        let Some(v) = self.get(local) else { return Ok(default) };
        self.in_table(tag, local, &v, default)
    }

    /// A word of a table among our attributes.
    pub fn ob_word<T: Words>(&mut self, tag: &Tag, local: &str) -> Fallible<Option<T>> {
        let Some(v) = self.ob(local) else { return Ok(None) };
        match T::of(&v) {
            Some(w) => Ok(Some(w)),
            None => self.bad_value(tag, local, &v, &format!("one of {}", T::all())).map(|()| None),
        }
    }

    fn in_table<T: Words>(&mut self, tag: &Tag, local: &str, value: &str, default: T) -> Fallible<T> {
        match T::of(value) {
            Some(w) => Ok(w),
            None => self.bad_value(tag, local, value, &format!("one of {}", T::all())).map(|()| default),
        }
    }

    /// Keeps all attributes that nobody asked for, with a warning for each kind. Those of other namespaces (but for the schema's own and XML's) are left out: no
    /// schema would let them pass in what is written.
    pub fn rest(&mut self, tag: &Tag, extras: &mut Extras) -> Fallible<()> {
        if self.attrs.iter().all(|a| a.used) {
            return Ok(());
        }
        for i in 0..self.attrs.len() {
            let a = self.attrs[i];
            if a.used {
                continue;
            }
            self.attrs[i].used = true;
            if let ns @ Ns::Other(_) = a.ns
                && !matches!(self.uri(ns), vocabulary::XSI | vocabulary::XML)
            {
                self.unknown_attribute(tag, a.local, a.ns, "is left out")?;
                continue;
            }
            let value = self.value(a);
            let key = match a.ns {
                Ns::None => SmolStr::new(a.local),
                ns => format_smolstr!("{{{}}}{}", self.uri(ns), a.local),
            };
            self.unknown_attribute(tag, a.local, a.ns, "is kept as it is")?;
            extras.0.get_or_insert_default().push((key, SmolStr::new(&*value)));
        }
        Ok(())
    }

    /// Drops all attributes that nobody asked for, with a warning for each kind.
    pub fn no_rest(&mut self, tag: &Tag) -> Fallible<()> {
        if self.attrs.iter().all(|a| a.used) {
            return Ok(());
        }
        for i in 0..self.attrs.len() {
            let a = self.attrs[i];
            if !a.used {
                self.attrs[i].used = true;
                self.unknown_attribute(tag, a.local, a.ns, "is left out")?;
            }
        }
        Ok(())
    }

    fn unknown_attribute(&mut self, tag: &Tag, local: &str, ns: Ns, fate: &str) -> Fallible<()> {
        if matches!(ns, Ns::Other(_)) && fate.starts_with("is kept") {
            return Ok(());
        }
        if self.unknown.len() < 256 && self.unknown.insert((tag.local.to_string(), local.to_string())) {
            let foreign = if matches!(ns, Ns::Other(_)) { " belongs to another namespace" } else { " is not known" };
            let message = format!("attribute {} of {}{foreign} and {fate}", syntax::shown(local), syntax::shown(tag.name));
            self.problem(tag, Diagnostic::warning("OB1014", message))?;
        }
        Ok(())
    }
}

/// Notes how a known attribute was spelled.
pub(in crate::read) fn keep_spelling(extras: &mut Extras, local: &str, value: &str) {
    extras.0.get_or_insert_default().push((format_smolstr!("{SPELLED}{local}"), SmolStr::new(value)));
}

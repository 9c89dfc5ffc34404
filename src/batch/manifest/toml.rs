//! Manifests in TOML.
//!
//! Lives here: which table and key says what. Never here: what options mean.

use super::{Entry, Manifest, place, problem};
use crate::batch::settings::Settings;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use xaif::Diagnostic;

type Found<T> = Result<T, Box<Diagnostic>>;

struct Reader<'t> {
    name: &'t str,
    text: &'t str,
}

/// Reads one.
///
/// # Errors
/// OB0140 with the place.
pub fn read(name: &str, text: &str) -> Found<Manifest> {
    let r = Reader { name, text };
    let table = DeTable::parse(text).map_err(|e| r.wrong(e.span().map_or(0, |s| s.start), e.message(), ""))?;
    let mut out = Manifest::default();
    for (key, value) in table.get_ref() {
        match key.get_ref().as_ref() {
            "defaults" => out.defaults = r.settings(r.table(value)?, &[])?,
            "item" => {
                let DeValue::Array(list) = value.get_ref() else {
                    return Err(r.wrong(key.span().start, "item is no list of tables", "write [[item]]"));
                };
                for item in list {
                    out.items.push(r.entry(item)?);
                }
            }
            other => {
                let message = format!("the manifest has defaults and item, not `{other}`");
                return Err(r.wrong(key.span().start, &message, "put options into [defaults] or into an [[item]]"));
            }
        }
    }
    Ok(out)
}

impl<'t> Reader<'t> {
    fn wrong(&self, at: usize, message: &str, help: &str) -> Box<Diagnostic> {
        let (line, column) = place(self.text, at);
        Box::new(problem(self.name, line, column, message, help))
    }

    fn table<'v>(&self, value: &'v Spanned<DeValue<'t>>) -> Found<&'v DeTable<'t>> {
        match value.get_ref() {
            DeValue::Table(t) => Ok(t),
            _ => Err(self.wrong(value.span().start, "a table is needed here", "")),
        }
    }

    fn entry(&self, value: &Spanned<DeValue<'t>>) -> Found<Entry> {
        let table = self.table(value)?;
        let mut out = Entry { line: place(self.text, value.span().start).0, ..Entry::default() };
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "input" => out.inputs = self.texts(value)?,
                "files" => out.files = self.texts(value)?,
                "output" => match &self.texts(value)?[..] {
                    [one] if !matches!(value.get_ref(), DeValue::Array(_)) => out.output = Some(one.clone()),
                    _ => return Err(self.wrong(value.span().start, "output is one name", "")),
                },
                _ => {}
            }
        }
        out.settings = self.settings(table, &["input", "files", "output"])?;
        Ok(out)
    }

    /// A text or a list of texts.
    fn texts(&self, value: &Spanned<DeValue<'t>>) -> Found<Vec<String>> {
        let text = |v: &Spanned<DeValue>| match v.get_ref() {
            DeValue::String(s) => Ok(s.to_string()),
            _ => Err(self.wrong(v.span().start, "a text in quotes is needed here", "")),
        };
        match value.get_ref() {
            DeValue::Array(list) => list.iter().map(text).collect(),
            _ => Ok(vec![text(value)?]),
        }
    }

    fn settings(&self, table: &DeTable<'t>, others: &[&str]) -> Found<Settings> {
        let mut out = Settings::default();
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            if others.contains(&name) {
                continue;
            }
            let line = place(self.text, key.span().start).0;
            match value.get_ref() {
                DeValue::Boolean(on) => out.switch(name, *on, line),
                DeValue::Integer(n) => out.set(name, vec![n.to_string()], line),
                DeValue::String(_) | DeValue::Array(_) => out.set(name, self.texts(value)?, line),
                _ => {
                    let message = format!("the value of `{name}` is no text, truth value, whole number or list of texts");
                    return Err(self.wrong(value.span().start, &message, ""));
                }
            }
        }
        Ok(out)
    }
}

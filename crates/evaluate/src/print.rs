//! JSON as text: reals with 17 digits, one line for each entry of the outer objects.
//!
//! Lives here: layout. Never here: what is printed.

use serde::Serialize;
use serde_json::ser::Formatter;
use std::io::{self, Write};

/// Objects nested deeper than this stay on one line.
const OPEN: usize = 2;

#[derive(Default)]
struct Layout {
    depth: usize,
    list: usize,
    empty: bool,
}

impl Layout {
    fn line<W: ?Sized + Write>(&self, w: &mut W) -> io::Result<()> {
        if self.list == 0 && self.depth <= OPEN {
            w.write_all(b"\n")?;
            (0..self.depth).try_for_each(|_| w.write_all(b"  "))
        } else {
            Ok(())
        }
    }
}

impl Formatter for Layout {
    fn write_f64<W: ?Sized + Write>(&mut self, w: &mut W, x: f64) -> io::Result<()> {
        // A whole number stays one in any reader: 1e0 is a real too.
        write!(w, "{x:.16e}")
    }
    fn begin_object<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
        self.depth += 1;
        self.empty = true;
        w.write_all(b"{")
    }
    fn begin_object_key<W: ?Sized + Write>(&mut self, w: &mut W, first: bool) -> io::Result<()> {
        self.empty = false;
        if !first {
            w.write_all(if self.list == 0 && self.depth <= OPEN { b"," } else { b", " })?;
        }
        self.line(w)
    }
    fn begin_object_value<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
        w.write_all(b": ")
    }
    fn end_object<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
        let open = self.list == 0 && self.depth <= OPEN && !self.empty;
        self.depth -= 1;
        if open {
            self.line(w)?;
        }
        self.empty = false;
        w.write_all(b"}")
    }
    fn begin_array<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
        self.list += 1;
        w.write_all(b"[")
    }
    fn end_array<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
        self.list -= 1;
        w.write_all(b"]")
    }
    fn begin_array_value<W: ?Sized + Write>(&mut self, w: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { w.write_all(b", ") }
    }
}

/// The text of an object with one member more: a list, with a line for each entry.
pub fn with_rows<T: Serialize>(object: &T, name: &str, rows: &[serde_json::Value]) -> String {
    let text = text(object);
    let Some(open) = text.strip_suffix("\n}\n") else { return text };
    let rows: Vec<String> = rows.iter().map(|r| format!("    {}", line(r))).collect();
    format!("{open},\n  \"{name}\": [\n{}\n  ]\n}}\n", rows.join(",\n"))
}

/// The value on one line, as an object in a list is.
fn line(value: &serde_json::Value) -> String {
    written(value, Layout { list: 1, ..Layout::default() })
}

/// The value as JSON text with a newline at the end.
pub fn text<T: Serialize>(value: &T) -> String {
    written(value, Layout::default()) + "\n"
}

fn written<T: Serialize>(value: &T, layout: Layout) -> String {
    let mut out = Vec::new();
    // Values of ours have text keys, and memory does not refuse to be written.
    match value.serialize(&mut serde_json::Serializer::with_formatter(&mut out, layout)) {
        Ok(()) => String::from_utf8(out).unwrap_or_default(),
        Err(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn reals_have_seventeen_digits_and_come_back() {
        let v = serde_json::json!({"a": [0.1, 1.0], "b": {"c": {"d": 2}, "e": {}}, "n": 3});
        let text = super::text(&v);
        assert!(text.contains("1.0000000000000001e-1, 1.0000000000000000e0"), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), v);
    }
}

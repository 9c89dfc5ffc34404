//! Statements that are kept as text.
//!
//! Lives here: whether the text may stand as it is. Never here: statements of the model.

use super::body::Body;
use crate::unparse::expressions::pieces::join;
use crate::unparse::expressions::writer::Writer;
use crate::unparse::text::layout::Line;
use crate::unparse::text::problems;
use xaif::model::{BaseType, Expr, Marker, MarkerClass};

impl Body<'_, '_> {
    /// Prints a statement that is kept as text.
    pub fn marker(&mut self, m: &Marker) {
        let cx = self.w.cx;
        match (&m.class, &m.object) {
            (MarkerClass::Comment, _) => self.comment(&m.text),
            (MarkerClass::Allocate, Some(object)) => {
                let name = self.w.name(object.symbol);
                let mut prelude = Vec::new();
                let mut dims = Vec::new();
                for t in &object.subscripts {
                    let mut part = |w: &mut Writer, e: &Option<Expr>| {
                        e.as_ref().map(|e| {
                            let p = w.expr(e);
                            join(&mut prelude, p.prelude);
                            p.text
                        })
                    };
                    let (lower, upper) = match (&t.index, &t.bound) {
                        (lower, Some(_)) => (part(&mut self.w, lower), part(&mut self.w, &t.bound)),
                        (upper, None) => (None, part(&mut self.w, upper)),
                    };
                    dims.push(match (lower, upper) {
                        (Some(l), Some(u)) if l != "1" => format!("{l}:{u}"),
                        (_, Some(u)) => u,
                        _ => ":".into(),
                    });
                }
                if cx.row {
                    dims.reverse();
                }
                self.prelude(&prelude);
                let dims = if dims.is_empty() { String::new() } else { format!("({})", dims.join(", ")) };
                let status = self.status(&m.text);
                self.code(format!("allocate ({name}{dims}{status})"));
                if m.zeroed {
                    let zero = if cx.program.symbol(object.symbol).ty.base == BaseType::Bool { ".false." } else { "0" };
                    self.code(format!("{name} = {zero}"));
                }
            }
            (MarkerClass::Deallocate, Some(object)) => {
                let name = self.w.name(object.symbol);
                let status = self.status(&m.text);
                self.code(format!("deallocate ({name}{status})"));
            }
            _ if cx.foreign => self.foreign_marker(m),
            _ if m.text.trim().is_empty() => {}
            _ => {
                let renamed = m
                    .reads
                    .iter()
                    .chain(&m.writes)
                    .copied()
                    .any(|s| self.w.names.get(s).is_some_and(|n| !n.eq_ignore_ascii_case(&cx.program.symbol(s).name)));
                if renamed {
                    cx.refuse(problems::foreign_text(cx.program, self.w.span, m.text.trim()));
                }
                if m.class == MarkerClass::Pragma || m.text.trim_start().starts_with('!') {
                    self.lines.push(Line::Verbatim(m.text.trim_end().to_owned()));
                } else {
                    for line in m.text.lines() {
                        self.code(line.trim());
                    }
                }
            }
        }
    }

    /// The `stat=` of an ALLOCATE or DEALLOCATE statement, with the comma before it.
    fn status(&self, text: &str) -> String {
        let cx = self.w.cx;
        let squeezed: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let lower = squeezed.to_ascii_lowercase();
        let Some(at) = lower.find(",stat=").filter(|_| !cx.foreign) else { return String::new() };
        let name: String = squeezed[at + 6..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let symbol = cx.program.lookup(cx.program.unit(self.w.unit).scope, &name);
        match symbol.and_then(|s| self.w.names.get(s)) {
            Some(n) => format!(", stat={n}"),
            None => String::new(),
        }
    }

    /// The few opaque statements of C that Fortran has as well.
    fn foreign_marker(&mut self, m: &Marker) {
        let cx = self.w.cx;
        let squeezed: String = m.text.chars().filter(|c| !c.is_whitespace()).collect();
        let text = squeezed.trim_end_matches(';');
        match (&m.class, text) {
            (_, "") => {}
            (MarkerClass::Stop, "abort()") => self.code("error stop"),
            (MarkerClass::Stop, "exit(EXIT_FAILURE)") => self.code("error stop 1"),
            (MarkerClass::Stop, "exit(EXIT_SUCCESS)" | "exit(0)") => self.code("stop"),
            (MarkerClass::Stop, t) => {
                let code = t.strip_prefix("exit(").and_then(|r| r.strip_suffix(')')).and_then(|r| r.parse::<i32>().ok());
                match code {
                    Some(code) => self.code(format!("error stop {code}")),
                    None => cx.refuse(problems::foreign_text(cx.program, self.w.span, m.text.trim())),
                }
            }
            _ => cx.refuse(problems::foreign_text(cx.program, self.w.span, m.text.trim())),
        }
    }
}

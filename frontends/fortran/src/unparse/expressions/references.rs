//! References: variables, elements, sections, components.
//!
//! Lives here: subscripts in the order of the language. Never here: operators.

use super::pieces::{Level, Piece, Prelude, join};
use super::writer::Writer;
use crate::unparse::text::problems;
use xaif::model::{Expr, SymbolKind, Triplet, VarRef};

impl<'c, 'p> Writer<'c, 'p> {
    /// A reference to a variable, an element or a section.
    pub fn reference<'e>(&mut self, r: &'e VarRef) -> Piece<'e> {
        let symbol = self.cx.program.symbol(r.symbol);
        if r.deriv {
            self.cx.refuse(problems::stock_only(self.cx.program, self.span, "a reference to a derivative component"));
        }
        let mut piece: Piece<'e> = Piece::of(self.name(r.symbol), Level::Primary);
        let special = ["optional", "allocatable", "pointer"].iter().any(|a| symbol.has_attribute(a));
        piece.hazard = special || symbol.kind == SymbolKind::Pointer;
        if r.subscripts.is_empty() {
            if let Some((base, _)) = self.cx.component(r.symbol) {
                let outer = self.cx.program.symbol(base).rank;
                if outer > 0 && symbol.rank > outer {
                    let reason = "a part of a reference with a rank may not follow another one";
                    self.cx.refuse(problems::no_counterpart(
                        self.cx.program,
                        self.span,
                        "a value for all arrays in an array of structures at once",
                        reason,
                    ));
                }
            }
            return piece;
        }
        let mut prelude = Vec::new();
        let mut texts = Vec::with_capacity(r.subscripts.len());
        for t in &r.subscripts {
            texts.push(self.triplet(t, &mut prelude));
        }
        if self.cx.row {
            texts.reverse();
        }
        if let Some((base, path)) = self.cx.component(r.symbol) {
            // The variable's own subscripts come before the component.
            let outer = texts.len().min(self.cx.program.symbol(base).rank as usize);
            let list = |t: &[String]| if t.is_empty() { String::new() } else { format!("({})", t.join(", ")) };
            let sections = |t: &[Triplet]| t.iter().any(Triplet::is_section);
            let (before, behind) = (&r.subscripts[..outer], &r.subscripts[outer..]);
            if sections(before) && sections(behind) {
                let reason = "a part of a reference with a rank may not follow another one";
                self.cx.refuse(problems::no_counterpart(
                    self.cx.program,
                    self.span,
                    "a section of arrays in an array of structures",
                    reason,
                ));
            }
            piece.text = format!("{}{}%{path}{}", self.name(base), list(&texts[..outer]), list(&texts[outer..]));
        } else {
            piece.text = format!("{}({})", piece.text, texts.join(", "));
        }
        piece.prelude = prelude;
        let constant = r.subscripts.iter().all(|t| !t.is_section() && t.index.as_ref().is_some_and(|e| e.as_int().is_some()));
        if !constant {
            piece.elements = vec![r];
        }
        piece
    }

    fn triplet(&mut self, t: &Triplet, prelude: &mut Vec<Prelude>) -> String {
        let mut part = |w: &mut Self, e: &Option<Expr>| match e {
            Some(e) => {
                let p = w.expr(e);
                join(prelude, p.prelude);
                p.text
            }
            None => String::new(),
        };
        let index = part(self, &t.index);
        if !t.is_section() {
            return index;
        }
        let bound = part(self, &t.bound);
        let stride = part(self, &t.stride);
        if stride.is_empty() || stride == "1" { format!("{index}:{bound}") } else { format!("{index}:{bound}:{stride}") }
    }
}

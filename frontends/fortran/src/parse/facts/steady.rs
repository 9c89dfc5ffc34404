//! Whether a value stays the same over a range of text.
//!
//! Lives here: variables that nothing in the range may change. Never here: what follows from it.

use crate::parse::context::state::Lower;
use crate::parse::text::tree::{field, named, walk};
use xaif::model::*;

impl<'t> Lower<'t> {
    /// Whether an expression has the same value everywhere in a part of the unit's text, as far as names tell.
    pub fn never_changes(&self, e: &Expr, range: &std::ops::Range<usize>) -> bool {
        let mut names: Vec<String> = Vec::new();
        e.for_each_ref(&mut |r| {
            let s = self.p.symbol(r.symbol);
            if *s.storage() != Storage::Constant && s.rank == 0 {
                names.push(s.name.to_ascii_lowercase());
            }
        });
        if names.is_empty() {
            return true;
        }
        // Structures change under other names than those of their components.
        if names.iter().any(|n| n.contains('%') && !n.split('%').next().is_some_and(|base| self.is_read_only(base))) {
            return false;
        }
        let mut changes = self.has_other_names(e);
        walk(self.procs[self.cur.proc].node, &mut |n| {
            let inside = n.start_byte() < range.end && n.end_byte() > range.start;
            if !inside {
                return false;
            }
            let written = match n.kind() {
                "assignment_statement" => field(n, "left"),
                "loop_control_expression" => named(n).first().copied(),
                "subroutine_call" | "read_statement" => {
                    walk(n, &mut |m| {
                        let passed = m.kind() == "identifier" && m.parent().is_some_and(|p| p.kind() != "call_expression");
                        changes |= passed && names.contains(&self.lower(m)) && !self.is_read_only(&self.lower(m));
                        true
                    });
                    None
                }
                _ => None,
            };
            changes |= written.is_some_and(|w| w.kind() == "identifier" && names.contains(&self.lower(w)));
            !changes
        });
        !changes
    }

    fn is_read_only(&self, name: &str) -> bool {
        let Some(s) = self.lookup(self.cur.scope, name) else { return false };
        self.procs[self.cur.proc].formals.iter().any(|f| f.symbol == s && f.intent == Intent::In)
    }
}

//! What the body of a loop may change.
//!
//! Lives here: variables that are assigned, passed or read in. Never here: the loop (see `control`).

use crate::parse::context::state::Lower;
use crate::parse::text::tree::{child, field, named, walk};
use rustc_hash::FxHashSet;
use tree_sitter::Node;

/// What a loop's body may change.
#[derive(Default)]
pub struct Changes {
    pub names: FxHashSet<String>,
    /// Something is called, which may change what is not local.
    pub calls: bool,
}

impl<'t> Lower<'t> {
    /// What the statements of a loop may change, by name.
    pub fn changes(&self, node: Node<'t>) -> Changes {
        let mut c = Changes::default();
        let add = |c: &mut Changes, n: Node<'t>| {
            walk(n, &mut |n| {
                if n.kind() == "identifier" {
                    c.names.insert(self.lower(n));
                }
                true
            });
        };
        // An associated name stands for its variable.
        for frame in &self.cur.frames {
            for v in frame.values() {
                v.e.for_each_ref(&mut |r| {
                    c.names.insert(self.p.symbol(r.symbol).name.to_ascii_lowercase());
                });
            }
        }
        walk(node, &mut |n| {
            match n.kind() {
                "assignment_statement" => {
                    if let Some(l) = field(n, "left") {
                        let base = if l.kind() == "call_expression" { named(l).first().copied() } else { Some(l) };
                        if let Some(b) = base {
                            add(&mut c, b);
                        }
                    }
                }
                "loop_control_expression" => {
                    if let Some(v) = named(n).first() {
                        c.names.insert(self.lower(*v));
                    }
                }
                "subroutine_call" => {
                    c.calls = true;
                    add(&mut c, n);
                }
                "read_statement"
                | "write_statement"
                | "inquire_statement"
                | "open_statement"
                | "close_statement"
                | "allocate_statement"
                | "deallocate_statement"
                | "pointer_association_statement"
                | "nullify_statement"
                | "associate_statement"
                | "assign_statement" => add(&mut c, n),
                "call_expression" if self.calls_units(n) => {
                    c.calls = true;
                    add(&mut c, n);
                }
                _ => {}
            }
            true
        });
        c
    }

    /// The statement that assigns to a loop variable inside its loop.
    pub fn assigned_directly(&self, node: Node<'t>, name: &str) -> Option<Node<'t>> {
        let mut found = None;
        let own = child(node, "do_statement");
        walk(node, &mut |n| {
            if Some(n) == own || found.is_some() {
                return false;
            }
            let target = match n.kind() {
                "assignment_statement" => field(n, "left"),
                "loop_control_expression" if n.parent().is_some_and(|p| p.kind() == "do_statement") => named(n).first().copied(),
                _ => None,
            };
            if target.is_some_and(|t| t.kind() == "identifier" && self.lower(t) == name) {
                found = target;
            }
            true
        });
        found
    }
}

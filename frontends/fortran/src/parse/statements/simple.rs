//! Statements without control flow: which one it is.
//!
//! Lives here: the way of one statement to the file that knows it. Never here: loops, branches, jumps.

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::text::tree::{field, walk};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// A statement without control flow. What cannot be said in the model becomes an opaque statement where that is sound.
    pub fn simple(&mut self, node: Node<'t>) -> Lowered<()> {
        self.cur.partly.clear();
        self.cur.whole.clear();
        let result = match node.kind() {
            "assignment_statement" => self.assignment(node),
            "subroutine_call" => self.call_statement(node),
            "where_statement" => self.where_statement(node),
            "allocate_statement" => self.allocate(node),
            "deallocate_statement" => self.deallocate(node),
            "print_statement"
            | "write_statement"
            | "read_statement"
            | "open_statement"
            | "close_statement"
            | "inquire_statement"
            | "file_position_statement" => self.io(node),
            "stop_statement" => {
                let reads = self.symbols_in(node)?;
                self.marker(MarkerClass::Stop, reads, Vec::new(), node);
                Ok(())
            }
            "pointer_association_statement" => Err(self.refuse(node, "OB3022", "pointer assignment")),
            "nullify_statement" => Err(self.refuse(node, "OB3022", "NULLIFY")),
            "coarray_statement" => Err(self.refuse(node, "OB3026", "coarray statement")),
            "forall_statement" => self.forall(node),
            other => Err(self.refuse(node, "OB3034", format!("unsupported statement ({})", other.replace('_', " ")))),
        };
        self.flush_after();
        let Err(refusal) = result else { return Ok(()) };
        // A statement that calls nothing and goes nowhere can be kept as text: what it names, it may read and write.
        let opaque =
            matches!(node.kind(), "assignment_statement" | "pointer_association_statement" | "nullify_statement" | "forall_statement")
                && matches!(refusal.code, "OB3020" | "OB3021" | "OB3022" | "OB3028" | "OB3029" | "OB3031" | "OB3034" | "OB3042" | "OB3044")
                && !self.calls_user(node);
        if !opaque {
            return Err(refusal);
        }
        self.own_names_only(node)?;
        let reads = self.symbols_in(node)?;
        let writes = match node.kind() {
            "assignment_statement" => match field(node, "left") {
                Some(l) => self.base_variable(l)?.into_iter().collect(),
                None => reads.clone(),
            },
            "forall_statement" => self.assigned_in(node)?,
            _ => reads.clone(),
        };
        // Through a pointer anything with the same type and the right to be pointed at may be written.
        let class = match writes.first().map(|w| self.p.symbol(*w)) {
            Some(w) if node.kind() == "assignment_statement" && matches!(w.ty.base, BaseType::String) => MarkerClass::Passive,
            _ => MarkerClass::Unknown,
        };
        // What could not be said is told to whoever must refuse the statement.
        let why = Some(refusal.message.as_str()).filter(|_| class == MarkerClass::Unknown).unwrap_or_default().into();
        self.noted_marker(class, why, reads, writes, node);
        Ok(())
    }

    /// The variables on the left of assignments.
    fn assigned_in(&mut self, node: Node<'t>) -> Lowered<Vec<SymbolId>> {
        let mut lefts = Vec::new();
        walk(node, &mut |n| {
            if matches!(n.kind(), "assignment_statement" | "pointer_association_statement") {
                lefts.push(field(n, "left"));
            }
            true
        });
        let mut out = Vec::new();
        for l in lefts {
            match l {
                Some(l) => out.extend(self.base_variable(l)?),
                None => return self.symbols_in(node),
            }
        }
        Ok(out)
    }
}

//! Functions that allocate their result once, with a shape that their arguments tell: the result is an array of that shape.
//!
//! ```text
//! real(8), allocatable :: r(:);  allocate (r(size(x)))      ->     real(8) :: r(size(x))
//! real(8), allocatable :: r(:);  r = 2*x                    ->     the same
//! ```
//!
//! The original stays as it is: what calls it only has another place for what it returns. Lives here: which functions these are. Never here: calls.

use crate::parse::context::state::{Lower, ProcKind};
use crate::parse::text::tree::{child, children, field, named, walk};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// Gives the result of a function the shape with which it is allocated, where there is one.
    pub fn shape_result(&mut self, proc: usize) {
        let p = &self.procs[proc];
        if p.kind != ProcKind::Function || p.interface_only || p.entry.is_some() {
            return;
        }
        let Some(result) = p.formals.iter().find(|f| f.result).map(|f| f.symbol) else { return };
        let s = self.p.symbol(result);
        let number = matches!(s.ty.base, BaseType::Real | BaseType::Integer | BaseType::Bool);
        if !s.has_attribute("allocatable") || s.rank == 0 || !number {
            return;
        }
        let (name, unit) = (s.name.to_ascii_lowercase(), p.node);
        let Some((allocation, at)) = self.only_allocation(&name, unit) else { return };
        let Some(dims) = self.result_shape(allocation, result) else { return };
        let d = self.decl(result);
        d.dims = dims;
        d.attributes.retain(|a| a != "allocatable");
        d.passing = Passing::Reference;
        self.scope_info(self.procs[proc].scope).shaped = Some((result, at));
    }

    /// The statement that alone gives the result its shape, and where it stands: ALLOCATE or an assignment to the whole, in front of all other uses.
    fn only_allocation(&self, name: &str, unit: Node<'t>) -> Option<(Node<'t>, usize)> {
        let is = |n: &Node| n.kind() == "identifier" && self.lower(*n) == name;
        let mentions = |n: Node<'t>| {
            let mut found = false;
            walk(n, &mut |m| {
                found |= is(&m);
                !found
            });
            found
        };
        let body = |n: &Node| !n.kind().ends_with("_declaration") && !n.kind().starts_with("function_") && !n.kind().starts_with("end_");
        let statements = children(unit).into_iter().filter(|n| n.is_named() && body(n) && n.kind() != "variable_modification");
        let first = statements.clone().find(|n| mentions(*n))?;
        let gives = |n: Node<'t>| match n.kind() {
            "allocate_statement" => mentions(n),
            "assignment_statement" => field(n, "left").is_some_and(|l| is(&l)),
            _ => false,
        };
        // Nothing else may give it another shape, or ask whether it has one; nobody may leave before.
        let mut sound = gives(first);
        for n in statements {
            walk(n, &mut |m| {
                let other = m != first && gives(m) && !self.sets_scalar(m);
                let handed =
                    matches!(m.kind(), "deallocate_statement" | "pointer_association_statement" | "internal_procedures") && mentions(m);
                let asks = m.kind() == "call_expression" && named(m).first().is_some_and(|c| self.lower(*c) == "allocated") && mentions(m);
                let passed = m.kind() == "subroutine_call" && mentions(m);
                let leaves = m.kind() == "keyword_statement" && m.start_byte() < first.start_byte();
                sound &= !(other || handed || asks || passed || leaves);
                sound
            });
        }
        sound.then_some((first, first.start_byte()))
    }

    /// Whether an assignment sets all elements to one number that is written there.
    fn sets_scalar(&self, n: Node<'t>) -> bool {
        n.kind() == "assignment_statement" && field(n, "right").is_some_and(|r| r.kind() == "number_literal")
    }

    /// The shape that the statement gives, in terms of what is handed to the function and stays the same.
    fn result_shape(&mut self, statement: Node<'t>, result: SymbolId) -> Option<Vec<Dim>> {
        let extents: Vec<(Expr, Expr)> = if statement.kind() == "allocate_statement" {
            let mut cursor = statement.walk();
            let objects: Vec<Node> = statement.children_by_field_name("allocation", &mut cursor).collect();
            let [object] = objects[..] else { return None };
            if child(statement, "keyword_argument").is_some() || field(statement, "type").is_some() {
                return None;
            }
            let list = self.subscripts(child(object, "size")?).ok()?;
            let bounds = list.into_iter().map(|(t, vector)| match (t.bound, vector) {
                (_, true) => None,
                (Some(b), _) => Some((t.index.unwrap_or_else(|| Expr::int(1)), b)),
                (None, _) => Some((Expr::int(1), t.index?)),
            });
            bounds.collect::<Option<_>>()?
        } else {
            let right = field(statement, "right")?;
            let v = self.expr(right).ok()?;
            let extents = self.known_extents(&v, right).ok()?;
            // A whole array hands on its lower bounds.
            if v.e.as_var().is_some_and(|r| r.subscripts.is_empty()) && !self.starts_at_one(&v.e) {
                return None;
            }
            extents
        };
        if extents.len() != usize::from(self.p.symbol(result).rank) {
            return None;
        }
        let settled = |e: &Expr| {
            e.nodes.iter().all(|n| !matches!(n.kind, NodeKind::FunctionCall(_)))
                && e.every_ref(&|r| {
                    let s = self.p.symbol(r.symbol);
                    let asked = s.rank > 0 && !s.has_attribute("allocatable") && !s.pointer && *s.storage() == Storage::Argument;
                    let read = s.rank == 0 && self.is_declared_input(r.symbol) || *s.storage() == Storage::Constant;
                    r.subscripts.is_empty() && r.symbol != result && !s.has_attribute("optional") && (asked || read)
                })
        };
        let sound = extents.iter().all(|(l, u)| settled(l) && settled(u));
        let dim = |(l, u)| Dim { lower: Bound::Expr(l), upper: Bound::Expr(u) };
        sound.then(|| extents.into_iter().map(dim).collect())
    }

    fn starts_at_one(&self, e: &Expr) -> bool {
        let dims = e.as_var().and_then(|r| self.p.symbol(r.symbol).decl.as_ref()).map(|d| &d.dims);
        dims.is_some_and(|d| d.iter().all(|d| matches!(&d.lower, Bound::Expr(e) if e.as_int() == Some(1))))
    }
}

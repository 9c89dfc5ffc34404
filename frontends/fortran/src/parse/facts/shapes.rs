//! What the text says of the shapes of allocatable arrays.
//!
//! Lives here: where an array is allocated, whether two lengths are the same. Never here: statements that allocate (see `arrays`).

use crate::parse::context::state::Lower;
use crate::parse::context::terms::{combine, length, op};
use crate::parse::text::tree::{child, field, named, walk};
use tree_sitter::Node;
use xaif::catalogue::{Catalogue, ResultShape};
use xaif::model::*;

impl<'t> Lower<'t> {
    /// The bounds of all ALLOCATE statements for a name in the unit, as text.
    pub fn allocation_sites(&self, name: &str) -> Vec<String> {
        let mut out = Vec::new();
        walk(self.procs[self.cur.proc].node, &mut |n| {
            // Other ways to get a shape are like no bounds.
            let other = match n.kind() {
                "allocate_statement" => named(n).into_iter().any(|o| o.kind() == "identifier" && self.lower(o) == name),
                "subroutine_call" => {
                    let callee = field(n, "subroutine").is_some_and(|c| self.lower(c) == "move_alloc");
                    let list = child(n, "argument_list").filter(|_| callee && !self.cur.swaps.contains_key(&n.start_byte()));
                    list.is_some_and(|l| named(l).into_iter().any(|a| self.lower(a).ends_with(name)))
                }
                _ => false,
            };
            if other {
                out.push(format!("at {}", n.start_byte()));
            }
            if n.kind() == "sized_allocation"
                && let (Some(object), Some(size)) = (named(n).first(), child(n, "size"))
                && self.lower(*object) == name
            {
                out.push(self.file().squeezed(size).to_ascii_lowercase());
            }
            true
        });
        out
    }

    /// Whether the array is allocated or freed in a part of the text.
    pub fn allocates_in(&self, unit: Node<'t>, name: &str, range: &std::ops::Range<usize>) -> bool {
        let mut found = false;
        walk(unit, &mut |n| {
            let may = matches!(n.kind(), "allocate_statement" | "deallocate_statement" | "subroutine_call");
            if may && range.contains(&n.start_byte()) && !self.cur.swaps.contains_key(&n.start_byte()) {
                walk(n, &mut |m| {
                    found |= m.kind() == "identifier" && self.lower(m) == name;
                    !found
                });
            }
            !found
        });
        found
    }

    /// Whether a part of the text calls procedures.
    pub fn calls_in(&self, unit: Node<'t>, range: &std::ops::Range<usize>) -> bool {
        let mut found = false;
        walk(unit, &mut |n| {
            found |= range.contains(&n.start_byte())
                && (n.kind() == "subroutine_call" || n.kind() == "assignment_statement" && self.calls_user(n));
            !found
        });
        found
    }

    /// Whether no statement before this one names the variable.
    pub fn is_first_use(&self, name: &str, node: Node<'t>) -> bool {
        let mut earlier = false;
        walk(self.procs[self.cur.proc].node, &mut |n| {
            if n.kind().ends_with("_declaration") || n.start_byte() >= node.start_byte() || n.kind() == "internal_procedures" {
                return false;
            }
            earlier |= n.kind() == "identifier" && self.lower(n) == name;
            !earlier
        });
        !earlier && !self.procs.iter().any(|p| p.host == Some(self.cur.proc) && !p.interface_only)
    }

    /// Whether the shape of an expression is that of the variable because the variable is an operand.
    pub fn keeps_shape(&self, symbol: SymbolId, e: &Expr, at: NodeId, depth: usize) -> bool {
        let node = e.node_at(at);
        match &node.kind {
            NodeKind::Var(r) => r.symbol == symbol && r.subscripts.is_empty(),
            NodeKind::Op(o) if Catalogue::builtin().get(&o.name).map(|i| i.shape) != Some(ResultShape::Elementwise) => false,
            NodeKind::Op(_) | NodeKind::Bool(_) => depth < 100 && node.operands.iter().any(|&n| self.keeps_shape(symbol, e, n, depth + 1)),
            _ => false,
        }
    }

    /// The extents of an array expression in terms of what declarations say.
    pub fn lengths(&self, e: &Expr, at: NodeId, depth: usize) -> Option<Vec<Expr>> {
        let lengths = self.lengths_as_written(e, at, depth)?;
        Some(lengths.into_iter().map(|l| self.declared(l)).collect())
    }

    /// The same expression with the declared extent in the place of `size(a, k)`.
    pub fn declared(&self, e: Expr) -> Expr {
        let mut parts: Vec<Expr> = Vec::with_capacity(e.nodes.len());
        for n in &e.nodes {
            let known = match &n.kind {
                NodeKind::Op(o) if o.name == "size" && n.operands.len() == 2 => {
                    self.declared_extent(&parts[n.operands[0].index()], &parts[n.operands[1].index()])
                }
                _ => None,
            };
            let part = known.unwrap_or_else(|| combine(n.kind.clone(), n.operands.iter().map(|o| parts[o.index()].clone())));
            parts.push(part);
        }
        parts.pop().unwrap_or(e)
    }

    fn declared_extent(&self, array: &Expr, dim: &Expr) -> Option<Expr> {
        let r = array.as_var().filter(|r| r.subscripts.is_empty())?;
        let k = usize::try_from(dim.as_int()? - 1).ok()?;
        let s = self.p.symbol(r.symbol);
        if s.has_attribute("allocatable") || s.pointer {
            return None;
        }
        match s.decl.as_ref()?.dims.get(k)? {
            Dim { lower: Bound::Expr(l), upper: Bound::Expr(u) } => Some(length(l.clone(), u.clone())),
            _ => None,
        }
    }

    fn lengths_as_written(&self, e: &Expr, at: NodeId, depth: usize) -> Option<Vec<Expr>> {
        if depth > 100 {
            return None;
        }
        let node = e.node_at(at);
        match &node.kind {
            NodeKind::Var(r) if r.subscripts.is_empty() => {
                let s = self.p.symbol(r.symbol);
                if s.rank == 0 {
                    return None;
                }
                if let Some(known) = self.cur.shapes.get(&r.symbol) {
                    return Some(known.0.clone());
                }
                let dims = &s.decl.as_ref()?.dims;
                (0..s.rank as usize)
                    .map(|k| match dims.get(k) {
                        Some(Dim { lower: Bound::Expr(l), upper: Bound::Expr(u) }) => Some(length(l.clone(), u.clone())),
                        _ => Some(op("size", "", None, [Expr::sym(r.symbol), Expr::int(k as i64 + 1)])),
                    })
                    .collect()
            }
            NodeKind::Var(_) => {
                let one = e.subexpr(at);
                let dims = self.extents(&one, one.root_id(), 0)?;
                (!dims.is_empty()).then(|| dims.into_iter().map(|(_, n)| n).collect())
            }
            NodeKind::Op(o) if Catalogue::builtin().get(&o.name).map(|i| i.shape) == Some(ResultShape::Elementwise) => {
                node.operands.iter().find_map(|&n| self.lengths(e, n, depth + 1))
            }
            NodeKind::Op(o) if o.name == "transpose_arr" => {
                let mut all = self.lengths(e, *node.operands.first()?, depth + 1)?;
                all.reverse();
                Some(all)
            }
            NodeKind::Op(o) if o.name == "matmul_arr" => {
                let mut rows = self.lengths(e, *node.operands.first()?, depth + 1)?;
                let mut columns = self.lengths(e, *node.operands.get(1)?, depth + 1)?;
                rows.pop();
                if !columns.is_empty() {
                    columns.remove(0);
                }
                rows.append(&mut columns);
                Some(rows)
            }
            NodeKind::Bool(_) => node.operands.iter().find_map(|&n| self.lengths(e, n, depth + 1)),
            _ => None,
        }
    }
}

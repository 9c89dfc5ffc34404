//! References to names that are parts of an array: of variables in EQUIVALENCE, and in COMMON blocks that units lay out differently.
//!
//! ```text
//! equivalence (v(1), a(1, 1))       a(i, j)   ->   v_1(i + 2*j - 2)        a(:, j)   ->   v_1(2*j - 1:2*j)
//! ```
//!
//! Lives here: elements, sections and whole arrays. Never here: where the names lie (see `shared_storage`).

use crate::parse::context::overlays::Overlay;
use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::{Val, op};
use tree_sitter::Node;
use xaif::model::*;
use xaif::{Diagnostic, offsets};

/// What is not known of a whole number, and what is added to it.
type Sum = (Option<Expr>, i64);

/// The place of a subscript: so many steps behind the lower bound.
fn steps(e: &Expr, lower: i64, step: i64) -> Sum {
    let (base, n) = offsets::split(e);
    (base.map(|e| offsets::times(e, Expr::int(step))), n.saturating_sub(lower).saturating_mul(step))
}

fn plus(a: Sum, b: Sum) -> Sum {
    let base = match (a.0, b.0) {
        (Some(a), Some(b)) => Some(op("add_scal_scal", "", None, [a, b])),
        (a, b) => a.or(b),
    };
    (base, a.1.saturating_add(b.1))
}

fn expression((base, n): Sum) -> Expr {
    base.map_or(Expr::int(n), |e| offsets::plus(e, n))
}

impl<'t> Lower<'t> {
    /// What lies at the place of a name, unless the name means something else here.
    pub fn overlay(&self, name: &str) -> Option<&Overlay> {
        let own = self.cur.frames.last()?.get(name)?;
        self.cur.overlays.get(name).filter(|o| o.value.e == own.e)
    }

    /// Makes the names that share memory those of the unit that has been entered.
    pub fn enter_overlays(&mut self) {
        self.cur.overlays = self.overlaid_names(self.cur.scope);
        if !self.cur.overlays.is_empty() {
            let frame = self.cur.overlays.iter().map(|(n, o)| (n.clone(), o.value.clone())).collect();
            self.cur.frames.push(frame);
        }
    }

    /// A whole variable.
    pub fn overlaid_whole(&self, overlay: &Overlay, node: Node<'t>) -> Lowered<Val> {
        match overlay.dims[..] {
            [] | [(1, _)] => Ok(overlay.value.clone()),
            _ => Err(self.overlaid_refusal(node, "an array that shares memory with others, as a whole")),
        }
    }

    /// The first element, for a call that gets all from there on.
    pub fn overlaid_start(&self, overlay: &Overlay) -> Val {
        let first = VarRef {
            subscripts: [Triplet::element(Expr::int(overlay.before + 1))].into_iter().collect(),
            ..VarRef::whole(overlay.storage)
        };
        Val::new(Expr::var(first), overlay.value.ty, 0)
    }

    /// A refusal of what cannot be said of the array of which a variable is a part.
    pub fn overlaid_refusal(&self, node: Node<'t>, what: &str) -> Box<Diagnostic> {
        let d = *self.refuse(node, "OB3023", what);
        Box::new(d.help("use its elements one by one, or one name for the storage"))
    }

    /// An element, or a section along one dimension.
    pub fn overlaid_part(&mut self, overlay: &Overlay, list: Node<'t>, node: Node<'t>) -> Lowered<Val> {
        let subscripts = self.subscripts(list)?;
        if subscripts.len() != overlay.dims.len() {
            let message = format!("{} dimensions, but {} subscripts", overlay.dims.len(), subscripts.len());
            return Err(self.refuse(node, "OB3043", message));
        }
        let (mut at, mut section, mut step) = ((None, overlay.before + 1), None, 1i64);
        for ((t, vector), &(lower, extent)) in subscripts.into_iter().zip(&overlay.dims) {
            if vector {
                return Err(self.overlaid_refusal(node, "a vector of subscripts into what shares memory with others"));
            }
            let index = t.index.clone().unwrap_or_else(|| Expr::int(lower));
            if t.is_section() {
                if section.is_some() {
                    return Err(self.overlaid_refusal(node, "a section along two dimensions of what shares memory with others"));
                }
                let to = t.bound.unwrap_or_else(|| Expr::int(lower + extent - 1));
                section = Some((steps(&index, lower, step), steps(&to, lower, step), t.stride, step));
            } else {
                at = plus(at, steps(&index, lower, step));
            }
            step = step.saturating_mul(extent);
        }
        let Some((from, to, stride, step)) = section else {
            let r = VarRef { subscripts: [Triplet::element(expression(at))].into_iter().collect(), ..VarRef::whole(overlay.storage) };
            return Ok(Val::new(Expr::var(r), overlay.value.ty, 0));
        };
        let stride = match (stride, step) {
            (None, 1) => None,
            (s, _) => Some(expression(steps(&s.unwrap_or_else(|| Expr::int(1)), 0, step))),
        };
        let t = Triplet { index: Some(expression(plus(at.clone(), from))), bound: Some(expression(plus(at, to))), stride };
        let r = VarRef { subscripts: [t].into_iter().collect(), ..VarRef::whole(overlay.storage) };
        Ok(Val::new(Expr::var(r), overlay.value.ty, 1))
    }

    /// Why a lowered unit is refused: it names such a variable where only its own name would do.
    pub fn names_overlaid(&self, graph: &FlowGraph) -> Option<Diagnostic> {
        let gone: Vec<(SymbolId, &str)> = self.cur.overlays.iter().map(|(n, o)| (o.was, n.as_str())).collect();
        if gone.is_empty() {
            return None;
        }
        let word = |text: &str| {
            let mut words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            words.any(|w| gone.iter().any(|(_, n)| n.eq_ignore_ascii_case(w)))
        };
        let is_gone = |s: SymbolId| gone.iter().any(|g| g.0 == s);
        let in_expr = |e: &Expr| {
            let mut found = false;
            e.for_each_ref(&mut |r| found |= is_gone(r.symbol));
            found
        };
        let in_stmt = |s: &Stmt| match &s.kind {
            StmtKind::Assignment { lhs, rhs } => is_gone(lhs.symbol) || lhs.index_exprs().any(in_expr) || in_expr(rhs),
            StmtKind::Call(c) => c.arguments.iter().any(|a| in_expr(&a.value)),
            StmtKind::Marker(m) => word(&m.text) || m.reads.iter().chain(&m.writes).any(|&s| is_gone(s)),
            _ => true,
        };
        let place = graph.node_weights().find_map(|v| {
            let head = match &v.kind {
                VertexKind::For(f) => in_stmt(&f.init) || in_expr(&f.condition) || in_stmt(&f.update),
                VertexKind::Pre(e) | VertexKind::Post(e) | VertexKind::Branch(e) => in_expr(e),
                _ => false,
            };
            if head { Some(v.span) } else { v.stmts().iter().find(|s| in_stmt(s)).map(|s| s.span) }
        })?;
        let d = Diagnostic::error("OB3023", "a statement that is kept as text names what shares memory with others");
        Some(d.at(self.p.location(place)).help("use one name for the storage"))
    }
}

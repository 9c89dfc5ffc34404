//! Loops over all elements of arrays whose rows are laid out by hand.
//!
//! ```text
//! for (k = 0; k < n*m; k++) v[k] = u[k];        ->        for (k = 0; k < n; k++) for (l = 0; l < m; l++) v[k][l] = u[k][l];
//! ```
//!
//! A loop that goes through all elements, and does nothing else, is one over rows, with loops over what is in a row inside. Its index stands for nothing else then.
//!
//! Lives here: which loops these are. Never here: which arrays have rows (see [`super::rows`]).

use super::counted::range;
use super::extents::{Numbers, expression};
use super::rows::{At, Layout, Rows};
use std::collections::{BTreeMap, BTreeSet};
use xaif::model::{Expr, StmtKind, Storage, SymbolId, VarRef, VertexId, VertexKind};

/// A loop over all elements of arrays.
pub(crate) struct Whole {
    /// Its head.
    pub head: VertexId,
    /// All of its body.
    pub body: VertexId,
    /// Its index, which is that of the rows from now on.
    pub index: SymbolId,
    /// The bounds of each dimension, that of the rows first.
    pub bounds: Vec<(Expr, Expr)>,
    /// Indices of the others, which somebody has to make.
    pub inner: Vec<SymbolId>,
    layout: Layout,
    elements: Numbers,
}

impl Rows<'_> {
    /// The loop over all elements of an array in which it is named so, if it is one.
    pub(super) fn whole(&self, layout: &Layout, e: &Expr, (v, _): At) -> Option<Whole> {
        let index = e.as_var().filter(|r| r.subscripts.is_empty())?.symbol;
        let inner = self.text.loop_of(index, v).filter(|l| l.body == v)?;
        let graph = &self.text.program.unit(self.unit).graph;
        let VertexKind::For(head) = &graph[inner.head].kind else { return None };
        let r = range(self.text.program, head)?;
        let elements = self.steady(&r.bound)?.plus(&Numbers::number(1 - layout.lower), 1)?;
        let plain = graph[v].stmts().iter().all(|s| matches!(s.kind, StmtKind::Assignment { .. }));
        // The body is that block, and nothing leaves it.
        let next: Vec<VertexId> = graph.neighbors(v).collect();
        let ends = matches!(next[..], [n] if matches!(graph[n].kind, VertexKind::EndLoop));
        let symbol = self.text.program.symbol(index);
        let own =
            *symbol.storage() == Storage::Local && symbol.decl.as_ref().is_none_or(|d| !d.may_alias) && !symbol.has_attribute("unsigned");
        if r.first.as_int() != Some(layout.lower)
            || r.stride.as_int() != Some(1)
            || !plain
            || !ends
            || !own
            || !self.is_of_rows(&elements, inner.head)
        {
            return None;
        }
        let mut lengths = vec![layout.rows(&elements)?];
        lengths.extend(layout.lengths()?);
        let last = |n: &Numbers| Some((Expr::int(layout.lower), expression(&n.plus(&Numbers::number(layout.lower - 1), 1)?)));
        let bounds = lengths.iter().map(last).collect::<Option<_>>()?;
        Some(Whole { head: inner.head, body: v, index, bounds, inner: Vec::new(), layout: layout.clone(), elements })
    }

    /// Whether so many elements are as many rows, if there is one at all: two negative numbers would have a product, too.
    fn is_of_rows(&self, elements: &Numbers, at: VertexId) -> bool {
        let mut terms = elements.terms();
        let (Some((product, 1..)), None) = (terms.next(), terms.next()) else { return false };
        let mut open: Vec<SymbolId> = product.iter().copied().filter(|x| !self.is_natural(&Numbers::unknown(*x), at)).collect();
        let odd = open.len() % 2 == 1;
        open.dedup();
        open.is_empty() || odd && open.len() == 1
    }

    /// Finds the loops over all elements, and leaves arrays out that share some with others, or where an index is used for more.
    pub(super) fn take_wholes(&mut self, uses: &BTreeMap<SymbolId, Vec<(At, VarRef)>>) {
        loop {
            let mut wholes: Vec<Whole> = Vec::new();
            let mut wrong: BTreeSet<SymbolId> = BTreeSet::new();
            for (array, layout) in &self.layouts {
                for (at, r) in &uses[array] {
                    let Some(e) = r.subscripts.first().and_then(|t| t.index.as_ref()) else { continue };
                    if r.has_section() || self.divided(layout, e, *at).is_some() {
                        continue;
                    }
                    let Some(w) = self.whole(layout, e, *at) else { continue };
                    match wholes.iter().find(|o| o.body == w.body) {
                        Some(o) if o.index != w.index || o.layout != w.layout || o.elements != w.elements => {
                            wrong.insert(*array);
                        }
                        Some(_) => {}
                        None => wholes.push(w),
                    }
                }
            }
            for (array, layout) in &self.layouts {
                let agrees = |w: &Whole| w.layout == *layout && !self.is_used_for_more(w, &wholes);
                let fits = |(v, _): &At| wholes.iter().find(|w| w.body == *v).is_none_or(agrees);
                if !uses[array].iter().all(|(at, _)| fits(at)) {
                    wrong.insert(*array);
                }
            }
            self.wholes = wholes;
            if wrong.is_empty() {
                return;
            }
            self.layouts.retain(|a, _| !wrong.contains(a));
        }
    }

    /// Whether the index of a loop is anything but the subscript of arrays that have rows, in loops over all of their elements.
    fn is_used_for_more(&self, whole: &Whole, wholes: &[Whole]) -> bool {
        let graph = &self.text.program.unit(self.unit).graph;
        let index = Expr::sym(whole.index);
        let (mut named, mut places) = (0, 0);
        for v in graph.node_indices() {
            let inside = wholes.iter().any(|w| w.body == v && w.index == whole.index);
            let is_place = |r: &VarRef| matches!(&r.subscripts[..], [t] if !t.is_section() && t.index.as_ref() == Some(&index));
            let mut see = |e: &Expr| {
                e.for_each_ref(&mut |r| {
                    named += usize::from(r.symbol == whole.index);
                    places += usize::from(inside && self.layouts.contains_key(&r.symbol) && is_place(r));
                });
            };
            match &graph[v].kind {
                VertexKind::Block { stmts, .. } => stmts.iter().for_each(|s| match &s.kind {
                    StmtKind::Assignment { lhs, rhs } => {
                        see(&Expr::var(lhs.clone()));
                        see(rhs);
                    }
                    StmtKind::Call(c) => c.arguments.iter().for_each(|a| see(&a.value)),
                    StmtKind::Runtime { arguments, .. } => arguments.iter().for_each(|a| see(&a.value)),
                    StmtKind::Marker(m) => m.object.iter().for_each(|o| see(&Expr::var(o.clone()))),
                    StmtKind::Propagator(_) => {}
                }),
                // Whoever steps it sets it first.
                VertexKind::For(f) if matches!(&f.init.kind, StmtKind::Assignment { lhs, .. } if lhs.symbol == whole.index) => {}
                VertexKind::For(f) => {
                    for s in [&f.init, &f.update] {
                        if let StmtKind::Assignment { rhs, .. } = &s.kind {
                            see(rhs);
                        }
                    }
                    see(&f.condition);
                }
                VertexKind::Pre(e) | VertexKind::Post(e) | VertexKind::Branch(e) => see(e),
                _ => {}
            }
        }
        named != places || self.text.whole.contains(&whole.index)
    }
}

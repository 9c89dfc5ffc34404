//! Arrays on the heap that change places: a loop that exchanges all their elements is an exchange of pointers.
//!
//! ```text
//! for (int k = 0; k < n; k++) {              double *t = a;
//!   double t = a[k];                         a = b;
//!   a[k] = b[k];                      ->     b = t;
//!   b[k] = t;
//! }
//! ```
//!
//! A pointer to memory of the function's own is known to nobody else, so nobody can tell the one from the other. The loop must take every element, so the
//! arrays are allocated once, outside of all loops and branches, with the same bounds, and nothing changes these.
//!
//! Lives here: which loops these are, and their text. Never here: how the parser reads such exchanges (see `parse::swaps`).

use super::offsets;
use super::printer::Printer;
use super::references::is_heap;
use super::usage::is_own;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{
    BoolOp, Bound, Dim, Expr, ForLoop, MarkerClass, NodeKind, Stmt, StmtKind, Storage, Symbol, SymbolId, Unit, VertexId, VertexKind,
};
use xaif::structure::Region;

/// Arrays that change places, and perhaps others that do so in the same loop.
#[derive(Clone, Debug)]
pub(super) struct Exchange {
    turns: Vec<Turn>,
    /// What is said inside of the loop.
    comment: String,
}

/// Arrays that change places.
#[derive(Clone, Debug)]
struct Turn {
    /// The scalar that holds an element meanwhile.
    kept: SymbolId,
    /// Each gets what the next one has, the last what the first had.
    arrays: Vec<SymbolId>,
    done: bool,
}

/// Loops right inside of each other, from the outside.
struct Nest<'a> {
    heads: Vec<&'a ForLoop>,
    /// What stands in the innermost one.
    stmts: &'a [Box<Stmt>],
    /// What is said inside.
    comments: Vec<&'a str>,
}

impl Nest<'_> {
    fn of<'a>(unit: &'a Unit, mut at: VertexId, mut body: &'a [Region]) -> Option<Nest<'a>> {
        let (mut heads, mut comments) = (Vec::new(), Vec::new());
        loop {
            let VertexKind::For(head) = &unit.graph[at].kind else { return None };
            heads.push(&**head);
            let [inner] = body else { return None };
            match inner {
                Region::Loop { vertex, body: inner, .. } => {
                    comments.push(unit.graph[*vertex].comment.as_str());
                    (at, body) = (*vertex, inner);
                }
                Region::Block(v) => {
                    let stmts = unit.graph[*v].stmts();
                    comments.push(unit.graph[*v].comment.as_str());
                    comments.extend(stmts.iter().map(|s| s.comment.as_str()));
                    comments.retain(|c| !c.is_empty());
                    return Some(Nest { heads, stmts, comments });
                }
                _ => return None,
            }
        }
    }
}

/// The exchanges of elements that some statements are; `indices` are the subscripts of all of them.
fn turns(stmts: &[Box<Stmt>], indices: &[SymbolId]) -> Option<Vec<Turn>> {
    let element = |e: &Expr| {
        let r = e.as_var()?;
        let alike = r.subscripts.len() == indices.len()
            && r.subscripts.iter().zip(indices).all(|(t, &k)| !t.is_section() && t.index.as_ref().is_some_and(|e| is_symbol(e, k)));
        alike.then_some(r.symbol)
    };
    let mut found: Vec<Turn> = Vec::new();
    for s in stmts {
        let StmtKind::Assignment { lhs, rhs } = &s.kind else { return None };
        let next = element(rhs).filter(|a| !found.iter().any(|t| t.arrays.contains(a)));
        if lhs.subscripts.is_empty() {
            let again = found.iter().any(|t| t.kept == lhs.symbol);
            found.push(Turn { kept: lhs.symbol, arrays: vec![next.filter(|_| !again)?], done: false });
            continue;
        }
        let last = element(&Expr::var(lhs.clone()))?;
        let turn = found.iter_mut().find(|t| !t.done && t.arrays.last() == Some(&last))?;
        // The last one gets what the first one had.
        turn.done = is_symbol(rhs, turn.kept) && turn.arrays.len() > 1;
        if !turn.done {
            turn.arrays.push(next?);
        }
    }
    (!found.is_empty() && found.iter().all(|t| t.done)).then_some(found)
}

fn is_symbol(e: &Expr, s: SymbolId) -> bool {
    e.as_var().is_some_and(|r| r.symbol == s && r.subscripts.is_empty())
}

/// The index of a loop that takes all values from one bound to another, in whatever order.
fn index_over(head: &ForLoop, dim: &Dim) -> Option<SymbolId> {
    let (Bound::Expr(low), Bound::Expr(high)) = (&dim.lower, &dim.upper) else { return None };
    let (StmtKind::Assignment { lhs, rhs: first }, StmtKind::Assignment { lhs: next, rhs: value }) = (&head.init.kind, &head.update.kind)
    else {
        return None;
    };
    let index = Some(lhs.symbol).filter(|&i| next.symbol == i)?;
    let step = offsets::minus(value.clone(), &Expr::sym(index)).as_int()?;
    let (NodeKind::Bool(relation), [a, b]) = (&head.condition.root().kind, &head.condition.root().operands[..]) else { return None };
    let bound = Some(head.condition.subexpr(*b)).filter(|_| is_symbol(&head.condition.subexpr(*a), index))?;
    let (last, ends) = match (relation, step) {
        (BoolOp::LessThan, 1) => (offsets::plus(bound, -1), (low, high)),
        (BoolOp::LessOrEqual, 1) => (bound, (low, high)),
        (BoolOp::GreaterThan, -1) => (offsets::plus(bound, 1), (high, low)),
        (BoolOp::GreaterOrEqual, -1) => (bound, (high, low)),
        _ => return None,
    };
    let same = |a: &Expr, b: &Expr| offsets::minus(a.clone(), b).as_int() == Some(0);
    (same(first, ends.0) && same(&last, ends.1)).then_some(index)
}

impl Printer<'_> {
    /// The loops of a unit that exchange arrays on the heap.
    pub fn exchanges(&self, unit: &Unit, regions: &[Region]) -> FxHashMap<VertexId, Exchange> {
        let mut found = Vec::new();
        self.exchanges_among(unit, regions, &mut found);
        if found.is_empty() {
            return FxHashMap::default();
        }
        let at_top = allocated_at_top(unit, regions);
        found.retain(|(_, x)| x.turns.iter().all(|t| t.arrays.iter().all(|a| at_top.contains(a))));
        // Nothing else uses the scalars.
        let mut loops: FxHashMap<SymbolId, u32> = FxHashMap::default();
        found.iter().flat_map(|(_, x)| &x.turns).for_each(|t| *loops.entry(t.kept).or_default() += 1);
        let alone = |t: &Turn| self.usage.named.get(&t.kept) == loops.get(&t.kept).map(|n| 2 * n).as_ref();
        found.retain(|(_, x)| x.turns.iter().all(alone));
        found.into_iter().collect()
    }

    fn exchanges_among(&self, unit: &Unit, regions: &[Region], found: &mut Vec<(VertexId, Exchange)>) {
        for r in regions {
            match r {
                Region::Block(_) | Region::Jump(_) => {}
                Region::Branch { arms, .. } => arms.iter().for_each(|a| self.exchanges_among(unit, &a.body, found)),
                Region::Loop { vertex, body, .. } => match self.whole_exchange(unit, *vertex, body) {
                    Some(x) => found.push((*vertex, x)),
                    None => self.exchanges_among(unit, body, found),
                },
            }
        }
    }

    fn whole_exchange(&self, unit: &Unit, v: VertexId, body: &[Region]) -> Option<Exchange> {
        let Nest { heads, stmts, comments } = Nest::of(unit, v, body)?;
        let indices: Vec<SymbolId> = heads.iter().map(|h| assigned(&h.init)).collect::<Option<_>>()?;
        let turns = turns(stmts, &indices)?;
        // Outside of the loops nobody asks for their indices.
        let own_indices = indices.iter().all(|i| self.sites.loops.contains(i));
        let whole = own_indices && turns.iter().all(|t| self.takes_all(unit, t, &heads, &indices));
        whole.then(|| Exchange { turns, comment: comments.join("\n") })
    }

    /// Whether loops take all elements of some arrays that are alike.
    fn takes_all(&self, unit: &Unit, turn: &Turn, heads: &[&ForLoop], indices: &[SymbolId]) -> bool {
        let bounds = |a: &SymbolId| self.usage.allocated.get(a)?.as_ref();
        let Some((first, dims)) = turn.arrays.first().and_then(|a| Some((a, bounds(a)?))) else { return false };
        if heads.len() != dims.len() || !heads.iter().zip(dims).zip(indices).all(|((h, d), &i)| index_over(h, d) == Some(i)) {
            return false;
        }
        let like = self.program.symbol(*first);
        let alike = |a: &SymbolId| {
            let symbol = self.program.symbol(*a);
            let spelled = |s: &Symbol| s.decl.as_ref().map(|d| d.type_text.clone());
            is_heap(symbol)
                && is_own(self.program, unit, *a)
                && symbol.ty == like.ty
                && spelled(symbol) == spelled(like)
                && !symbol.has_attribute("const")
                && self.flat.contains(a) == self.flat.contains(first)
                && bounds(a) == Some(dims)
        };
        // Bounds that are what they were at the allocation.
        let steady = |s: SymbolId| {
            let symbol = self.program.symbol(s);
            let set = self.usage.times.get(&s).copied().unwrap_or(0);
            symbol.rank == 0
                && match symbol.storage() {
                    Storage::Constant => true,
                    Storage::Argument => set == 0 && !self.usage.written.contains(&s) && !self.pointers.contains(&s),
                    Storage::Local => set <= 1 && is_own(self.program, unit, s),
                    _ => false,
                }
        };
        let bounds_stay = dims.iter().all(|d| match (&d.lower, &d.upper) {
            (Bound::Expr(low), Bound::Expr(high)) => low.refs().chain(high.refs()).all(|r| steady(r.symbol)),
            _ => false,
        });
        let plain = is_own(self.program, unit, turn.kept) && self.program.symbol(turn.kept).ty == like.ty;
        plain && bounds_stay && turn.arrays.iter().all(alike)
    }

    /// Writes exchanges, in braces where the name of a pointer is another one's, too.
    pub fn exchange(&mut self, x: &Exchange) {
        self.out.comment(&x.comment);
        let all: Vec<SymbolId> = self.exchanges.values().flat_map(|y| &y.turns).map(|t| t.kept).collect();
        for turn in &x.turns {
            let pointer = self.names.of(self.program, turn.kept).to_string();
            let shared = all.iter().filter(|&&t| self.names.of(self.program, t) == pointer.as_str()).count() > 1;
            let names: Vec<String> = turn.arrays.iter().map(|&a| self.name(a).to_string()).collect();
            let declarator = self.heap_declarator(turn.arrays[0]).replacen(&names[0], &pointer, 1);
            let head = self.type_text(turn.arrays[0]);
            if shared {
                self.out.open("{");
            }
            self.out.text(format!("{head} {declarator} = {};", names[0]));
            for w in names.windows(2) {
                self.out.text(format!("{} = {};", w[0], w[1]));
            }
            self.out.text(format!("{} = {pointer};", names[names.len() - 1]));
            if shared {
                self.out.close("}");
            }
        }
    }
}

fn assigned(s: &Stmt) -> Option<SymbolId> {
    match &s.kind {
        StmtKind::Assignment { lhs, .. } => Some(lhs.symbol),
        _ => None,
    }
}

/// The arrays that are allocated once, outside of all loops and branches.
fn allocated_at_top(unit: &Unit, regions: &[Region]) -> FxHashSet<SymbolId> {
    let allocated = |v: VertexId| {
        unit.graph[v].stmts().iter().filter_map(|s| match &s.kind {
            StmtKind::Marker(m) if m.class == MarkerClass::Allocate => m.object.as_ref().map(|o| o.symbol),
            _ => None,
        })
    };
    let mut times: FxHashMap<SymbolId, u32> = FxHashMap::default();
    unit.graph.node_indices().flat_map(allocated).for_each(|a| *times.entry(a).or_default() += 1);
    let top = regions.iter().filter_map(|r| match r {
        Region::Block(v) => Some(*v),
        _ => None,
    });
    top.flat_map(allocated).filter(|a| times.get(a) == Some(&1)).collect()
}

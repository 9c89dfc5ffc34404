//! Parts of arrays that activity tells apart.
//!
//! ```text
//! double t[4];                       the references to t name three parts, [0..0], [1..1] and [2..n + 1], whose bounds stay:
//! t[0] = x*x;                        no two of them have an element in common, so each takes part in derivatives, or does not,
//! t[1] = 2.0;                        like a variable of its own. Here t[1] never does: its references are passive.
//! for (i = 0; i < n; i++) t[i + 2] = t[1]*t[0];
//! ```
//!
//! References whose parts may meet belong to one part. An array is looked at like this only if all that the unit does with it is to name elements in
//! assignments and conditions, and nothing else has a name for it.
//!
//! Source: regions of arrays as in Creusillet and Irigoin, "Interprocedural array region analyses" (1996), with the bounds of [`crate::analysis::arrays::regions`], applied to activity.
//!
//! Lives here: which parts there are, and which of them a statement names. Never here: what is active (see [`super::solver`]).

use crate::analysis::arrays::counted::range;
use crate::analysis::arrays::fresh::ascending;
use crate::analysis::arrays::regions::{Around, Known, Span, spans};
use crate::analysis::effects::covered::Whole;
use crate::analysis::effects::outline::{Changes, sets};
use crate::analysis::facts::Facts;
use crate::analysis::program::table::{Numbers, UnitTable, differentiable};
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::Program;
use xaif::model::{BaseType, FlowGraph, MarkerClass, Passing, Stmt, StmtKind, Storage, SymbolId, UnitId, VarRef, VertexId, VertexKind};
use xaif::structure::{Region, regions};

/// Arrays of which a unit names more parts are taken as wholes.
const MAX_PARTS: usize = 64;

/// What an assignment names of arrays that have parts.
#[derive(Clone, Debug, Default)]
pub(super) struct Named {
    /// The part that it sets.
    pub sets: Option<u32>,
    /// What its value depends on differentiably, with parts in place of their arrays.
    pub depends: Numbers,
    /// Its references to parts.
    pub places: Vec<(VarRef, u32)>,
}

/// The parts of a unit's arrays. They have the numbers behind those of the unit's objects.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    /// How many objects the unit has.
    objects: u32,
    /// For each part its array, and whether it is one element.
    of: Vec<(u32, bool)>,
    /// By vertex and step.
    steps: FxHashMap<(usize, usize), Named>,
}

impl Parts {
    /// The parts in each unit.
    pub fn of(program: &Program, facts: &Facts) -> Vec<Parts> {
        let whole = Whole::of(program, &facts.objects, &facts.tables);
        // Variables of a host that its internal procedures see.
        let mut foreign: FxHashSet<SymbolId> = FxHashSet::default();
        for (u, t) in program.unit_ids().zip(&facts.tables) {
            foreign.extend(t.objects.iter().copied().filter(|&s| facts.objects.owner(s) != Some(u)));
        }
        program.unit_ids().map(|u| Finder { program, facts, whole: &whole, foreign: &foreign, unit: u }.find()).collect()
    }

    /// How many numbers objects and parts have.
    pub fn len(&self) -> usize {
        self.objects as usize + self.of.len()
    }

    /// The array that a part belongs to; objects belong to themselves.
    pub fn array(&self, n: u32) -> u32 {
        self.part(n).map_or(n, |(array, _)| array)
    }

    /// Whether who sets the part sets all of it.
    pub fn is_element(&self, part: u32) -> bool {
        self.part(part).is_some_and(|(_, element)| element)
    }

    fn part(&self, n: u32) -> Option<(u32, bool)> {
        n.checked_sub(self.objects).and_then(|k| self.of.get(k as usize)).copied()
    }

    /// All parts with their arrays.
    pub fn all(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.of.iter().enumerate().map(|(k, (array, _))| (self.objects + k as u32, *array))
    }

    /// What an assignment names, if it names a part.
    pub fn at(&self, vertex: usize, step: usize) -> Option<&Named> {
        self.steps.get(&(vertex, step))
    }

    /// All assignments that name parts.
    pub fn steps(&self) -> impl Iterator<Item = (&(usize, usize), &Named)> {
        self.steps.iter()
    }
}

struct Finder<'a> {
    program: &'a Program,
    facts: &'a Facts,
    whole: &'a Whole<'a>,
    foreign: &'a FxHashSet<SymbolId>,
    unit: UnitId,
}

/// A rectangular part, open where nothing is known.
type Rectangle = Vec<Option<Span>>;

/// The different rectangles that references to arrays stand for.
type Rectangles = FxHashMap<u32, Vec<Rectangle>>;

/// A reference: the statement, the reference itself, its array and the number of its rectangle there.
type Place = ((usize, usize), VarRef, u32, usize);

impl Finder<'_> {
    fn find(&self) -> Parts {
        let table = &self.facts.tables[self.unit.index()];
        let mut out = Parts { objects: table.len() as u32, ..Parts::default() };
        let graph = &self.program.unit(self.unit).graph;
        let mut arrays: Rectangles = (0..table.len() as u32).filter(|&n| self.has_parts(table, n)).map(|n| (n, Vec::new())).collect();
        if arrays.is_empty() {
            return out;
        }
        self.leave_out(table, graph, &mut arrays);
        let Some(tree) = Some(&arrays).filter(|a| !a.is_empty()).and_then(|_| regions(graph).ok()) else { return out };
        let changes = Changes::of(self.program, table, &self.facts.effects, &|s| self.whole.is_private(self.unit, s));
        let mut walk = Walk { finder: self, table, graph, changes: &changes, arrays, around: Vec::new(), places: Vec::new() };
        walk.sequence(&tree);
        let Walk { arrays, places, .. } = walk;
        let mut numbers: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        let mut order: Vec<u32> = arrays.keys().copied().collect();
        order.sort_unstable();
        for n in order {
            let groups = groups(&arrays[&n]);
            let count = groups.iter().max().map_or(0, |m| m + 1);
            if count < 2 {
                continue;
            }
            let first = out.len() as u32;
            for g in 0..count {
                let mut rectangles = arrays[&n].iter().zip(&groups).filter(|(_, h)| **h == g).map(|(b, _)| b);
                let element = rectangles.next().is_some_and(is_element) && rectangles.next().is_none();
                out.of.push((n, element));
            }
            numbers.insert(n, groups.iter().map(|g| first + *g as u32).collect());
        }
        for (at, r, array, rectangle) in places {
            if let Some(part) = numbers.get(&array).and_then(|list| list.get(rectangle)) {
                out.steps.entry(at).or_default().places.push((r, *part));
            }
        }
        self.complete(table, graph, &numbers, &mut out);
        out
    }

    /// Whether a variable is an array that nothing but its name stands for.
    fn has_parts(&self, table: &UnitTable, n: u32) -> bool {
        let s = table.objects[n as usize];
        let symbol = self.program.symbol(s);
        let plain = symbol.rank > 0 && !symbol.pointer && !["pointer", "target"].iter().any(|a| symbol.has_attribute(a));
        let aliases = &self.facts.aliases;
        let own = || self.facts.objects.owner(s) == Some(self.unit) && !self.foreign.contains(&s);
        let alone = || table.objects.iter().all(|&o| o == s || !aliases.may_overlap(self.program, self.unit, s, o));
        plain
            && table.carries[n as usize]
            && !matches!(symbol.ty.base, BaseType::Char | BaseType::String)
            && aliases.known(self.unit, s).next().is_none()
            && match symbol.storage() {
                Storage::Local => own(),
                Storage::Argument => symbol.passing() != Passing::Value && own() && alone(),
                _ => false,
            }
    }

    fn number(&self, table: &UnitTable, s: SymbolId) -> Option<u32> {
        table.number(self.facts.objects.canonical(s))
    }

    /// Arrays that are named otherwise than by their elements in assignments and conditions.
    fn leave_out(&self, table: &UnitTable, graph: &FlowGraph, arrays: &mut Rectangles) {
        for s in graph.node_weights().flat_map(|v| v.stmts()) {
            let mut drop = |s: SymbolId| {
                if let Some(n) = self.number(table, s) {
                    arrays.remove(&n);
                }
            };
            match &s.kind {
                StmtKind::Assignment { .. } => {}
                StmtKind::Call(c) => c.arguments.iter().for_each(|a| a.value.for_each_ref(&mut |r| drop(r.symbol))),
                StmtKind::Marker(m) => {
                    m.reads.iter().chain(&m.writes).for_each(|&s| drop(s));
                    if !matches!(m.class, MarkerClass::Allocate | MarkerClass::Deallocate) {
                        m.object.iter().for_each(|o| drop(o.symbol));
                    }
                }
                // Somebody else's derivative code.
                StmtKind::Propagator(_) | StmtKind::Runtime { .. } => {
                    arrays.clear();
                    return;
                }
            }
        }
    }

    /// What assignments set and depend on, in terms of parts.
    fn complete(&self, table: &UnitTable, graph: &FlowGraph, arrays: &FxHashMap<u32, Vec<u32>>, out: &mut Parts) {
        for (&(v, k), named) in &mut out.steps {
            let stmt = match &graph[VertexId::new(v)].kind {
                VertexKind::Block { stmts, .. } => stmts.get(k).map(|s| &**s),
                VertexKind::For(f) => Some(if k == 0 { &f.init } else { &f.update }),
                _ => None,
            };
            let Some(StmtKind::Assignment { lhs, rhs }) = stmt.map(|s| &s.kind) else { continue };
            named.sets = named.places.iter().find(|(r, _)| r == lhs).map(|(_, p)| *p);
            for s in differentiable(self.program, rhs) {
                let Some(n) = self.number(table, s) else { continue };
                if !arrays.contains_key(&n) {
                    named.depends.push(n);
                    continue;
                }
                // Perhaps some of them are read where no derivative passes; that is not told apart within one statement.
                let here = named.places.iter().filter(|(r, _)| self.number(table, r.symbol) == Some(n) && rhs.refs().any(|q| q == r));
                named.depends.extend(here.map(|(_, p)| *p));
            }
        }
    }
}

/// One element, whichever statement names it.
fn is_element(b: &Rectangle) -> bool {
    b.iter().all(|d| d.as_ref().is_some_and(|s| s.low == s.high))
}

/// For each rectangle the number of its group: those that may meet are in one.
fn groups(rectangles: &[Rectangle]) -> Vec<usize> {
    let known = Known::default();
    let apart = |a: &Rectangle, b: &Rectangle| {
        a.len() == b.len()
            && a.iter().zip(b).any(|pair| match pair {
                (Some(p), Some(q)) => known.disjoint(p, q),
                _ => false,
            })
    };
    let mut group: Vec<usize> = (0..rectangles.len()).collect();
    for a in 0..rectangles.len() {
        for b in a + 1..rectangles.len() {
            let (from, to) = (group[a].max(group[b]), group[a].min(group[b]));
            if from != to && !apart(&rectangles[a], &rectangles[b]) {
                group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
            }
        }
    }
    let mut names: Vec<usize> = group.clone();
    names.sort_unstable();
    names.dedup();
    group.iter().map(|g| names.binary_search(g).unwrap_or(0)).collect()
}

struct Walk<'a> {
    finder: &'a Finder<'a>,
    table: &'a UnitTable,
    graph: &'a FlowGraph,
    changes: &'a Changes,
    arrays: Rectangles,
    /// Counted loops around.
    around: Vec<Around>,
    places: Vec<Place>,
}

impl Walk<'_> {
    fn sequence(&mut self, tree: &[Region]) {
        for region in tree {
            match region {
                Region::Block(v) => {
                    let graph = self.graph;
                    graph[*v].stmts().iter().enumerate().for_each(|(k, s)| self.stmt((v.index(), k), s));
                }
                Region::Jump(_) => {}
                Region::Branch { arms, .. } => arms.iter().for_each(|a| self.sequence(&a.body)),
                Region::Loop { vertex, body, .. } => self.repeat(*vertex, body),
            }
        }
    }

    fn repeat(&mut self, vertex: VertexId, body: &[Region]) {
        let depth = self.around.len();
        let graph = self.graph;
        if let VertexKind::For(f) = &graph[vertex].kind {
            self.stmt((vertex.index(), 0), &f.init);
            self.stmt((vertex.index(), 1), &f.update);
            let counted = range(self.finder.program, f).filter(|r| self.counts(body, r.index));
            self.around.extend(counted.as_ref().and_then(ascending));
        }
        self.sequence(body);
        self.around.truncate(depth);
    }

    /// Whether nothing sets the index of a loop in its body.
    fn counts(&self, body: &[Region], index: SymbolId) -> bool {
        let s = self.finder.facts.objects.canonical(index);
        self.changes.plain.contains(&s) && !sets(self.finder.program, self.table, &self.finder.facts.effects, body, s)
    }

    fn stmt(&mut self, at: (usize, usize), s: &Stmt) {
        let StmtKind::Assignment { lhs, rhs } = &s.kind else { return };
        self.place(at, lhs);
        rhs.refs().for_each(|r| self.place(at, r));
    }

    fn place(&mut self, at: (usize, usize), r: &VarRef) {
        let Some(n) = self.finder.number(self.table, r.symbol).filter(|n| self.arrays.contains_key(n)) else { return };
        let stays = |v: &VarRef| {
            let s = self.finder.facts.objects.canonical(v.symbol);
            v.subscripts.is_empty()
                && (*self.finder.program.symbol(v.symbol).storage() == Storage::Constant || self.changes.steady.contains(&s))
        };
        let rectangle = if r.subscripts.is_empty() || r.has_section() { Vec::new() } else { spans(r, &self.around, &stays) };
        let known = self.arrays.get_mut(&n).filter(|p| p.len() < MAX_PARTS && rectangle.iter().any(Option::is_some));
        let Some(known) = known else {
            self.arrays.remove(&n);
            return;
        };
        let k = known.iter().position(|b| *b == rectangle).unwrap_or_else(|| {
            known.push(rectangle);
            known.len() - 1
        });
        self.places.push((at, r.clone(), n, k));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xaif::model::Expr;

    #[test]
    fn rectangles_that_may_meet_are_one_group() {
        let one = |low: i64, high: i64| vec![Some(Span { low: Expr::int(low), high: Expr::int(high) })];
        assert_eq!(groups(&[one(1, 1), one(3, 9), one(2, 2), one(9, 12)]), [0, 1, 2, 1]);
        // The third meets both others.
        assert_eq!(groups(&[one(1, 1), one(3, 9), one(1, 4)]), [0, 0, 0]);
        assert_eq!(groups(&[one(1, 1), vec![None]]), [0, 0]);
        assert!(groups(&[]).is_empty());
        assert!(is_element(&one(4, 4)[..].to_vec()) && !is_element(&one(4, 5)));
    }
}

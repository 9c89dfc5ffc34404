//! What derivative units declare of their arguments, from what their finished code does with them.
//!
//! ```text
//! subroutine u(x, t)                    subroutine u_fwd(x, t)
//!   intent(out) :: t             ->       intent(inout) :: t        its old value is recorded
//!   t = 2*x                               call push(t)
//! end subroutine                          t = 2*x
//!                                       end subroutine
//! ```
//!
//! A direction is a promise that compilers count on: what comes in for `out` may be thrown away before the call, what is `in` may be kept in a register across it.
//! Directions start as those of the original; here they are widened until they are true:
//!
//! * `in` becomes `inout` where the unit writes the argument, or hands it to somebody who does,
//! * `out` becomes `inout` where the unit may read what came in. Of arrays that are set element by element only what is recorded counts: the rest of the code is the
//!   original's, with the original's reasons.
//!
//! Lives here: this one widening. Never here: which arguments there are.

use crate::analysis::dataflow::equations::{reverse_postorder, solve};
use petgraph::Direction;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::Program;
use xaif::model::{Call, Expr, Intent, Mode, Passing, Propagation, Stmt, StmtKind, SymbolId, Unit, UnitId, VarRef, VertexId, VertexKind};

/// Widens the directions of the arguments of all derivative units until they hold.
pub(super) fn widen(program: &mut Program) {
    let units: FxHashMap<SymbolId, UnitId> = program.unit_ids().map(|u| (program.unit(u).symbol, u)).collect();
    let mut waiting: Vec<UnitId> = program.unit_ids().filter(|&u| program.unit(u).derivation.is_some()).collect();
    let mut callers: FxHashMap<UnitId, Vec<UnitId>> = FxHashMap::default();
    for &u in &waiting {
        let called = statements(program.unit(u)).filter_map(|s| if let StmtKind::Call(c) = &s.kind { units.get(&c.callee) } else { None });
        let called: FxHashSet<UnitId> = called.copied().collect();
        called.into_iter().for_each(|c| callers.entry(c).or_default().push(u));
    }
    while let Some(u) = waiting.pop() {
        let wide = Look { program, units: &units, unit: program.unit(u) }.too_narrow();
        if wide.is_empty() {
            continue;
        }
        for f in program.units[u.index()].formals.iter_mut().filter(|f| wide.contains(&f.symbol)) {
            f.intent = Intent::Inout;
        }
        waiting.extend(callers.get(&u).into_iter().flatten());
    }
}

/// All statements of a unit, those in heads of loops included.
fn statements(unit: &Unit) -> impl Iterator<Item = &Stmt> {
    unit.graph.node_weights().flat_map(|v| {
        let head = match &v.kind {
            VertexKind::For(f) => [Some(&f.init), Some(&f.update)],
            _ => [None, None],
        };
        v.stmts().iter().map(|s| &**s).chain(head.into_iter().flatten())
    })
}

/// Something that code does to a variable.
enum Act<'a> {
    /// It reads all in an expression.
    Reads(&'a Expr),
    /// It puts the value of an expression on the stack.
    Records(&'a Expr),
    /// It may read this, whatever it is.
    Uses(SymbolId),
    /// It may read or write this, whatever it is.
    Touches(SymbolId),
    /// It sets it; what is there before counts for nothing.
    Sets(&'a VarRef),
    /// It reads and writes it.
    Changes(&'a VarRef),
}

struct Look<'a> {
    program: &'a Program,
    units: &'a FxHashMap<SymbolId, UnitId>,
    unit: &'a Unit,
}

impl<'a> Look<'a> {
    /// The arguments whose directions promise too much.
    fn too_narrow(&self) -> FxHashSet<SymbolId> {
        let mut out = self.written();
        let formal = |s: &SymbolId| self.unit.formals.iter().any(|f| f.symbol == *s && f.intent == Intent::In && !self.by_value(*s));
        out.retain(formal);
        out.extend(self.read_before_set());
        out
    }

    fn by_value(&self, s: SymbolId) -> bool {
        self.program.symbol(s).passing() == Passing::Value
    }

    /// What the unit may write.
    fn written(&self) -> FxHashSet<SymbolId> {
        let mut out = FxHashSet::default();
        for s in statements(self.unit) {
            self.acts(s, &mut |act| {
                out.extend(match act {
                    Act::Sets(r) | Act::Changes(r) => Some(r.symbol),
                    Act::Touches(s) => Some(s),
                    Act::Reads(_) | Act::Records(_) | Act::Uses(_) => None,
                });
            });
        }
        out
    }

    /// What is declared to come out only, and may be read before it is set.
    fn read_before_set(&self) -> FxHashSet<SymbolId> {
        let outs = self.unit.formals.iter().filter(|f| f.intent == Intent::Out && !f.result).map(|f| f.symbol);
        let own = |s: &SymbolId| !["allocatable", "pointer"].iter().any(|a| self.program.symbol(*s).has_attribute(a));
        let list: Vec<SymbolId> = outs.filter(own).collect();
        let mut found = FxHashSet::default();
        let graph = &self.unit.graph;
        let Some(entry) = graph.node_indices().find(|&v| matches!(graph[v].kind, VertexKind::Entry)).filter(|_| !list.is_empty()) else {
            return found;
        };
        let order = reverse_postorder(graph, entry);
        // For each vertex what is set for certain behind it; `None` where no way has led there yet.
        let mut behind: Vec<Option<Vec<bool>>> = vec![None; graph.node_count()];
        solve(graph, &order, Direction::Outgoing, |v| {
            let mut set = self.before(v, entry, &behind, list.len());
            self.through(v, &list, &mut set, &mut FxHashSet::default());
            let new = behind[v.index()].as_ref() != Some(&set);
            behind[v.index()] = Some(set);
            new
        });
        for &v in &order {
            let mut set = self.before(v, entry, &behind, list.len());
            self.through(v, &list, &mut set, &mut found);
        }
        found
    }

    fn before(&self, v: VertexId, entry: VertexId, behind: &[Option<Vec<bool>>], all: usize) -> Vec<bool> {
        if v == entry {
            return vec![false; all];
        }
        let mut set = vec![true; all];
        for state in self.unit.graph.neighbors_directed(v, Direction::Incoming).filter_map(|p| behind[p.index()].as_ref()) {
            set.iter_mut().zip(state).for_each(|(s, b)| *s &= b);
        }
        set
    }

    /// Through a vertex: what it sets, and what of the list it reads before.
    fn through(&self, v: VertexId, list: &[SymbolId], set: &mut [bool], found: &mut FxHashSet<SymbolId>) {
        let mut see = |act: Act| {
            let (program, unit) = (self.program, self.unit);
            let forward = unit.derivation.as_ref().is_some_and(|d| d.mode == Mode::Forward);
            let mut read = |s: SymbolId, recorded: bool| {
                if let Some(k) = list.iter().position(|&x| x == s)
                    && !set[k]
                    && (program.symbol(s).rank == 0 || (recorded && forward))
                {
                    found.insert(s);
                }
            };
            match act {
                Act::Reads(e) => e.for_each_ref(&mut |r| read(r.symbol, false)),
                Act::Records(e) => e.for_each_ref(&mut |r| read(r.symbol, true)),
                Act::Uses(s) | Act::Touches(s) => read(s, false),
                Act::Changes(r) => read(r.symbol, false),
                Act::Sets(r) => {
                    if let Some(k) = list.iter().position(|&x| x == r.symbol).filter(|_| r.subscripts.is_empty()) {
                        set[k] = true;
                    }
                }
            }
        };
        match &self.unit.graph[v].kind {
            VertexKind::Block { stmts, .. } => stmts.iter().for_each(|s| self.acts(s, &mut see)),
            VertexKind::For(f) => {
                self.acts(&f.init, &mut see);
                see(Act::Reads(&f.condition));
                self.acts(&f.update, &mut see);
            }
            VertexKind::Pre(e) | VertexKind::Post(e) | VertexKind::Branch(e) => see(Act::Reads(e)),
            _ => {}
        }
    }

    /// What a statement does, in order.
    fn acts(&self, s: &'a Stmt, see: &mut dyn FnMut(Act<'a>)) {
        match &s.kind {
            StmtKind::Assignment { lhs, rhs } => {
                lhs.index_exprs().chain([rhs]).for_each(|e| see(Act::Reads(e)));
                see(Act::Sets(lhs));
            }
            StmtKind::Call(c) => self.call(c, see),
            StmtKind::Marker(m) => {
                m.object.iter().flat_map(VarRef::index_exprs).for_each(|e| see(Act::Reads(e)));
                m.reads.iter().for_each(|&s| see(Act::Uses(s)));
                m.writes.iter().for_each(|&s| see(Act::Touches(s)));
            }
            StmtKind::Runtime { name, arguments } => {
                for a in arguments {
                    match a.value.as_var() {
                        Some(r) if name == "pop" => {
                            r.index_exprs().for_each(|e| see(Act::Reads(e)));
                            see(Act::Sets(r));
                        }
                        Some(r) if name != "push" => see(Act::Changes(r)),
                        _ => see(Act::Records(&a.value)),
                    }
                }
            }
            StmtKind::Propagator(list) => list.iter().for_each(|p| propagation(p, see)),
        }
    }

    fn call(&self, c: &'a Call, see: &mut dyn FnMut(Act<'a>)) {
        let callee = self.units.get(&c.callee).map(|u| self.program.unit(*u));
        for a in &c.arguments {
            let formal = callee.and_then(|u| u.formals.iter().find(|f| f.position == a.position));
            let value = formal.is_some_and(|f| self.by_value(f.symbol));
            let Some(r) = a.value.as_var().filter(|_| !value) else {
                see(Act::Reads(&a.value));
                continue;
            };
            // Of a callee that is not here, or does not declare it, the original has to know.
            match formal.filter(|f| f.intent_declared).map(|f| f.intent) {
                None | Some(Intent::In) => see(Act::Reads(&a.value)),
                Some(Intent::Out) => {
                    r.index_exprs().for_each(|e| see(Act::Reads(e)));
                    see(Act::Sets(r));
                }
                Some(Intent::Inout) => {
                    r.index_exprs().for_each(|e| see(Act::Reads(e)));
                    see(Act::Changes(r));
                }
            }
        }
    }
}

fn propagation<'a>(p: &'a Propagation, see: &mut dyn FnMut(Act<'a>)) {
    match p {
        Propagation::Set { target, .. }
        | Propagation::SetNeg { target, .. }
        | Propagation::Sax { y: target, .. }
        | Propagation::Zero { target } => {
            see(Act::Sets(target));
        }
        Propagation::Inc { target, .. } | Propagation::Dec { target, .. } | Propagation::Saxpy { y: target, .. } => {
            see(Act::Changes(target))
        }
    }
}

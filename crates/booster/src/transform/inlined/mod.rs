//! Small units put where they are called, while derivatives are made.
//!
//! ```text
//! k2 = rate(y + h * k1);           y_1 = y + h * k1;
//! k3 = rate(y + h * k2);    ->     k2 = y_1 * (1 - y_1);
//!                                  y_2 = y + h * k2;
//!                                  k3 = y_2 * (1 - y_2);
//! ```
//!
//! The derivative of the caller is that of this text: what a unit of a few statements computes is known in the caller then, is linearized, kept and shared with
//! what stands around, and nothing is computed once more for the sake of the call. The user's own code stays as it is: afterwards the callers get back theirs.
//!
//! Lives here: which calls are taken, and the way back. Never here: derivatives.

mod arguments;
mod body;

use super::adjoint::shape::scalar_elements::extents;
use super::namer::Namer;
use super::names::Everywhere;
use super::region::{self, Item};
use super::scalarize::{handles_arrays, scalarize};
use crate::analysis::activity::active::Activity;
use crate::analysis::arrays::counted::is_short;
use crate::analysis::facts::Facts;
use body::{Body, MOST_STATEMENTS, is_plain};
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::Program;
use xaif::model::{FlowGraph, ScopeId, Stmt, StmtKind, SymbolId, UnitId, VertexId};

/// All calls of a unit together may bring a caller so many statements.
const MOST_IN_A_CALLER: usize = 3 * MOST_STATEMENTS;

/// More elements than these are not one by one what the caller knows: an array of the callee's would be recorded in the caller.
const MOST_ELEMENTS: i64 = 4;

/// What was changed.
#[derive(Debug, Default)]
pub(super) struct Inlined {
    /// The callers with their own code.
    callers: Vec<(UnitId, FlowGraph)>,
    /// The variables that they got.
    symbols: FxHashSet<SymbolId>,
}

impl Inlined {
    /// Puts calls of small units with derivatives into their callers, callees first.
    pub(super) fn of(program: &mut Program, facts: &Facts, activity: &Activity) -> Inlined {
        let mut out = Inlined::default();
        let reached: FxHashSet<UnitId> = activity.reached().filter(|&u| activity.is_differentiated(u)).collect();
        let mut bodies: FxHashMap<UnitId, Body> = FxHashMap::default();
        let everywhere = Everywhere::of(program);
        for unit in callees_first(facts, &reached) {
            if facts.externals.has(unit) {
                continue;
            }
            out.fill(program, unit, &bodies, &everywhere);
            let called = reached.iter().any(|u| facts.tables[u.index()].callees.contains(&unit));
            if let Some(body) = called.then(|| out.body(program, unit, &everywhere)).flatten() {
                bodies.insert(unit, body);
            }
        }
        out
    }

    /// Whether nothing was changed.
    pub(super) fn is_empty(&self) -> bool {
        self.callers.is_empty()
    }

    /// The body of a unit that is small, its array statements as loops.
    fn body(&mut self, program: &mut Program, unit: UnitId, everywhere: &Everywhere) -> Option<Body> {
        if !program.unit(unit).graph.node_weights().flat_map(|v| v.stmts()).any(|s| handles_arrays(program, s)) {
            return Body::of(program, unit);
        }
        if !Body::may_be(program, unit) {
            return None;
        }
        let (own, extent) = (program.unit(unit).graph.clone(), program.symbols.len());
        let scope = program.unit(unit).scope;
        let mut names = Namer::new(program, scope, everywhere);
        let body = match scalarize(program, unit, &|_, _| true, &mut |wish| names.free(wish)) {
            Ok(_) => Body::of(program, unit).filter(|b| has_small_arrays(program, unit, b)),
            Err(_) => None,
        };
        program.units[unit.index()].graph = own.clone();
        if body.is_some() {
            self.symbols.extend((extent as u32..program.symbols.len() as u32).map(SymbolId));
            self.callers.push((unit, own));
        } else {
            cut(program, scope, extent);
        }
        body
    }

    /// Puts into one caller what it calls.
    fn fill(&mut self, program: &mut Program, unit: UnitId, bodies: &FxHashMap<UnitId, Body>, everywhere: &Everywhere) {
        let before = program.symbols.len();
        let mut caller = Caller::new(program, unit, bodies, everywhere);
        let mut code: FxHashMap<VertexId, Vec<Item>> = FxHashMap::default();
        for v in program.unit(unit).graph.node_indices().collect::<Vec<_>>() {
            let is_call = |s: &Stmt| matches!(s.kind, StmtKind::Call(_));
            if !program.unit(unit).graph[v].stmts().iter().any(|s| is_call(s)) {
                continue;
            }
            let stmts: Vec<Box<Stmt>> = program.unit(unit).graph[v].stmts().to_vec();
            let mut items = Vec::with_capacity(stmts.len());
            let mut any = false;
            for s in stmts {
                match caller.in_place(program, &s) {
                    Some(more) => {
                        any = true;
                        items.extend(more);
                    }
                    None => items.push(Item::Stmt(*s)),
                }
            }
            if any {
                code.insert(v, items);
            }
        }
        if code.is_empty() {
            return;
        }
        self.symbols.extend((before as u32..program.symbols.len() as u32).map(SymbolId));
        let scope = caller.scope;
        let graph = &mut program.units[unit.index()].graph;
        self.callers.push((unit, graph.clone()));
        region::replace(graph, scope, code);
    }

    /// Gives the callers their own code again; their derivatives stay.
    pub(super) fn withdraw(self, program: &mut Program) {
        let (callers, symbols) = (self.callers, self.symbols);
        // What was kept of a unit first is its own.
        for (caller, graph) in callers.into_iter().rev() {
            program.units[caller.index()].graph = graph;
            let scope = program.unit(caller).scope;
            program.scopes[scope.index()].symbols.retain(|s| !symbols.contains(s));
        }
    }
}

/// A unit whose calls are looked at.
struct Caller<'a> {
    unit: UnitId,
    scope: ScopeId,
    /// The scopes in sight.
    visible: FxHashSet<ScopeId>,
    namer: Namer<'a>,
    bodies: &'a FxHashMap<UnitId, Body>,
    /// How many statements calls of a unit may still bring.
    room: FxHashMap<UnitId, usize>,
}

impl<'a> Caller<'a> {
    fn new(program: &Program, unit: UnitId, bodies: &'a FxHashMap<UnitId, Body>, everywhere: &'a Everywhere) -> Caller<'a> {
        let scope = program.unit(unit).scope;
        let visible = std::iter::successors(Some(scope), |s| program.scope(*s).parent).take(program.scopes.len() + 1).collect();
        Caller { unit, scope, visible, namer: Namer::new(program, scope, everywhere), bodies, room: FxHashMap::default() }
    }

    /// The code in place of a call, if it is one that is taken.
    fn in_place(&mut self, program: &mut Program, stmt: &Stmt) -> Option<Vec<Item>> {
        let StmtKind::Call(call) = &stmt.kind else { return None };
        let callee = program.unit_of_symbol(call.callee).filter(|_| stmt.reversal.is_none())?;
        let body = self.bodies.get(&callee)?;
        let room = self.room.entry(callee).or_insert(MOST_IN_A_CALLER);
        let near = program.unit(callee).span.source == program.unit(self.unit).span.source;
        // What an internal procedure sees of its host may be more than the text of the two says.
        // But a plain variable that it reads there is what it is here.
        let plain = |s: SymbolId| !body.written.contains(&s) && is_plain(program, s);
        let seen = body.outer.iter().all(|&s| {
            let scope = program.symbol(s).scope;
            self.visible.contains(&scope) && (scope != self.scope || plain(s))
        });
        if *room < body.statements || !near || !seen {
            return None;
        }
        let extent = program.symbols.len();
        let namer = &mut self.namer;
        let fresh = &mut |program: &mut Program, wish: &str, symbol| namer.add_like(program, wish, symbol);
        let found = arguments::bound(program, callee, body, stmt, call, self.scope, fresh).filter(|items| has_short_loops(program, items));
        match found.is_some() {
            true => *room -= body.statements,
            false => cut(program, self.scope, extent),
        }
        found
    }
}

/// Takes back variables that were made last.
fn cut(program: &mut Program, scope: ScopeId, extent: usize) {
    program.symbols.truncate(extent);
    program.scopes[scope.index()].symbols.retain(|s| s.index() < extent);
}

/// Whether all loops of some code have a few iterations.
fn has_short_loops(program: &Program, items: &[Item]) -> bool {
    items.iter().all(|item| match item {
        Item::Stmt(_) => true,
        Item::Branch { then, otherwise, .. } => has_short_loops(program, then) && has_short_loops(program, otherwise),
        Item::Loop { head, body } => is_short(program, head) && has_short_loops(program, body),
    })
}

/// Whether the arrays that the callers of a unit get, its own and its result, have a few elements each.
fn has_small_arrays(program: &Program, unit: UnitId, body: &Body) -> bool {
    let count = |(l, u): (i64, i64)| u.saturating_sub(l).saturating_add(1).max(0);
    let size = |s: SymbolId| Some(extents(&program.symbols, s)?.into_iter().map(count).fold(1, i64::saturating_mul));
    let result = program.unit(unit).result().map(|f| f.symbol);
    let mut arrays = body.locals.iter().copied().chain(result).filter(|&s| program.symbol(s).rank > 0);
    arrays.all(|s| size(s).is_some_and(|n| n <= MOST_ELEMENTS))
}

/// Units so that each stands behind those that it calls, but for circles.
fn callees_first(facts: &Facts, reached: &FxHashSet<UnitId>) -> Vec<UnitId> {
    let mut roots: Vec<UnitId> = reached.iter().copied().collect();
    roots.sort_unstable();
    let (mut out, mut seen) = (Vec::new(), FxHashSet::default());
    for root in roots {
        let mut open = vec![(root, false)];
        while let Some((unit, left)) = open.pop() {
            if left {
                out.push(unit);
            } else if seen.insert(unit) {
                open.push((unit, true));
                let mut callees: Vec<UnitId> = facts.tables[unit.index()].callees.iter().copied().filter(|u| reached.contains(u)).collect();
                callees.sort_unstable();
                open.extend(callees.into_iter().map(|u| (u, false)));
            }
        }
    }
    out
}

//! Adjoints of several units made on all processors.
//!
//! Units that do not call each other know nothing of each other's adjoints. Whoever makes some of them works on a program of its own, which has all symbols
//! but only the code of one unit at a time; what it adds to it is taken over in order, so that names and numbers are the same however many processors there
//! are.
//!
//! Lives here: which units are made together, and how their parts come into one program. Never here: how an adjoint is made.

use crate::transform::adjoint::cleanup::unused::Named;
use crate::transform::copied::without_code;
use crate::transform::plan::{Derived, Plan};
use crate::transform::walk::{expr_symbols_mut, symbols_mut};
use rustc_hash::FxHashSet;
use xaif::model::{Bound, FlowGraph, Mode, Symbol, SymbolId, UnitId};
use xaif::{Diagnostic, Program, spread};

/// For each thread so many pieces, as some take longer than others.
const PIECES: usize = 2;

/// So many statements are worth being done by somebody else.
const WORTH: usize = 1000;

/// Units in the order in which they are made, those together that can be made at the same time.
pub(crate) fn groups(program: &Program, plan: &Plan, order: Vec<usize>) -> Vec<Vec<usize>> {
    let alone = |at: usize| {
        let d = &plan.derived[at];
        // Internal procedures and their hosts share names, and heads may change more than their own unit.
        let own = Plan::host(program, plan.facts, d.original).is_none() && !plan.hosts.contains(&program.unit(d.original).scope);
        !own || d.head.is_some() || d.mode != Mode::Adjoint
    };
    let mut out: Vec<Vec<usize>> = Vec::new();
    let mut here: FxHashSet<UnitId> = FxHashSet::default();
    let mut open = false;
    for at in order {
        let original = plan.derived[at].original;
        let callees = plan.facts.tables.get(original.index()).map_or(&[][..], |t| &t.callees);
        let joins = open && !alone(at) && !callees.iter().any(|c| here.contains(c));
        if !joins {
            here.clear();
            open = !alone(at);
            out.push(Vec::new());
        }
        here.insert(original);
        if let Some(group) = out.last_mut() {
            group.push(at);
        }
    }
    let size = |at: &usize| size(program, &plan.derived[*at]);
    let together = |group: &Vec<usize>| group.len() > 1 && group.iter().map(size).sum::<usize>() >= WORTH;
    let split = |group: Vec<usize>| if together(&group) { vec![group] } else { group.into_iter().map(|at| vec![at]).collect() };
    out.into_iter().flat_map(split).collect()
}

/// What has become of one unit, with symbols numbered as if it were the first.
struct Part<T> {
    made: Result<T, Vec<Diagnostic>>,
    graph: FlowGraph,
    /// The symbols that its scope has had before.
    own: Vec<(SymbolId, Symbol)>,
    new: Vec<Symbol>,
}

/// Makes the adjoints of a group by `make`, which changes the adjoint unit, its scope and the symbols in it, and adds symbols, but nothing else. What the
/// code of those that are looked at names is added to what is named.
pub(crate) fn make<T: Send>(
    program: &mut Program,
    plan: &Plan,
    group: &[usize],
    (named, looked): (&mut Named, &FxHashSet<usize>),
    make: &(impl Fn(&mut Program, usize) -> Result<T, Vec<Diagnostic>> + Sync),
) -> Vec<Result<T, Vec<Diagnostic>>> {
    let base = program.symbols.len();
    let mut work: Vec<(usize, FlowGraph)> = Vec::with_capacity(group.len());
    for &at in group {
        let unit = &mut program.units[plan.derived[at].unit.index()];
        work.push((at, std::mem::take(&mut unit.graph)));
    }
    let whole = &*program;
    let parts = spread::over_with(
        spread::pieces(work, PIECES),
        || without_code(whole),
        |own, piece| piece.into_iter().map(|(at, graph)| part(own, plan, at, graph, make)).collect::<Vec<_>>(),
    );
    let mut results = Vec::with_capacity(group.len());
    let mut moved: Vec<(UnitId, FlowGraph, usize, bool)> = Vec::with_capacity(group.len());
    for (&at, part) in group.iter().zip(parts.into_iter().flatten()) {
        let d = &plan.derived[at];
        let by = program.symbols.len() - base;
        results.push(part.made);
        moved.push((d.unit, part.graph, by, looked.contains(&at)));
        for (s, symbol) in part.own {
            program.symbols[s.index()] = symbol;
        }
        for mut symbol in part.new {
            renumber(&mut symbol, &|s| shift(s, base, by));
            program.add_symbol(symbol);
        }
    }
    named.grow(program);
    let named = &*named;
    let moved = spread::over(moved, |(unit, mut graph, by, looked)| {
        let found = &mut |s: &mut SymbolId| {
            shift(s, base, by);
            if looked {
                named.add(*s);
            }
        };
        graph.node_weights_mut().for_each(|v| symbols_mut(v, found));
        (unit, graph)
    });
    for (unit, graph) in moved {
        program.units[unit.index()].graph = graph;
    }
    results
}

/// What was added from `base` on has moved on.
fn shift(s: &mut SymbolId, base: usize, by: usize) {
    if s.index() >= base {
        s.0 += by as u32;
    }
}

fn renumber(symbol: &mut Symbol, change: &dyn Fn(&mut SymbolId)) {
    let Some(decl) = &mut symbol.decl else { return };
    let bounds = decl.dims.iter_mut().flat_map(|d| [&mut d.lower, &mut d.upper]).filter_map(|b| match b {
        Bound::Expr(e) => Some(e),
        Bound::Unknown => None,
    });
    bounds.chain(&mut decl.init).for_each(|e| expr_symbols_mut(e, &mut |s| change(s)));
    decl.derivative_of.iter_mut().for_each(change);
}

/// Makes one adjoint and takes it out of the program again.
fn part<T>(
    program: &mut Program,
    plan: &Plan,
    at: usize,
    graph: FlowGraph,
    make: &impl Fn(&mut Program, usize) -> Result<T, Vec<Diagnostic>>,
) -> Part<T> {
    let d = &plan.derived[at];
    let (unit, scope, base) = (d.unit.index(), d.scope.index(), program.symbols.len());
    let before = program.scopes[scope].symbols.len();
    program.units[unit].graph = graph;
    let made = make(program, at);
    let graph = std::mem::take(&mut program.units[unit].graph);
    let new = program.symbols.split_off(base);
    program.scopes[scope].symbols.truncate(before);
    let own = program.scopes[scope].symbols.iter().map(|&s| (s, program.symbols[s.index()].clone())).collect();
    Part { made, graph, own, new }
}

/// How many statements a derivative starts from.
pub(crate) fn size(program: &Program, d: &Derived) -> usize {
    program.unit(d.unit).graph.node_weights().map(|v| v.stmts().len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use xaif::build::GraphBuilder;
    use xaif::model::Unit;
    use xaif::model::{Call, CallArgument, Decl, Dim, ElemType, Expr, Formal, Head, Intent, Scope, Stmt, StmtKind, Stmts, Storage, VarRef};

    /// Subroutines with a scalar that is overwritten many times, or with elements of a small array in its place, and a head that calls them all.
    fn boosted(units: usize, with_array: bool) -> Program {
        let mut p = Program::default();
        let file = p.add_scope(Scope::default());
        let unit = |p: &mut Program, name: &str, fill: &dyn Fn(&mut Program, &mut GraphBuilder, SymbolId)| {
            let name = p.add_symbol(Symbol::subroutine(name, file));
            let scope = p.add_scope(Scope { parent: Some(file), ..Scope::default() });
            let mut x = Symbol::variable("x", ElemType::REAL64, scope);
            x.decl = Some(Box::new(Decl { storage: Storage::Argument, ..Decl::default() }));
            let x = p.add_symbol(x);
            let mut b = GraphBuilder::new(scope);
            fill(p, &mut b, x);
            let mut unit = Unit::new(name, scope);
            unit.graph = b.finish().unwrap().graph;
            unit.formals = vec![Formal::new(1, x, Intent::Inout)];
            p.add_unit(unit);
            name
        };
        let part = |p: &mut Program, b: &mut GraphBuilder, x: SymbolId| {
            let mut t = Symbol::variable("t", ElemType::REAL64, p.symbol(x).scope);
            if with_array {
                t.rank = 1;
                t.decl.as_mut().unwrap().dims = vec![Dim { lower: Bound::Expr(Expr::int(1)), upper: Bound::Expr(Expr::int(3)) }];
            }
            let t = p.add_symbol(t);
            let place = |k: i64| if with_array { VarRef::element(t, [Expr::int(k % 3 + 1)]) } else { VarRef::whole(t) };
            b.stmt(Stmt::assign(place(0), Expr::sym(x)));
            for k in 0..40 {
                let rhs = Expr::op("mul_scal_scal", [Expr::var(place(k)), Expr::op("sin_scal", [Expr::var(place(k))])]);
                b.stmt(Stmt::assign(place(k + 1), rhs));
            }
            b.stmt(Stmt::assign(VarRef::whole(x), Expr::var(place(40))));
        };
        let callees: Vec<SymbolId> = (0..units).map(|u| unit(&mut p, &format!("part{u}"), &part)).collect();
        unit(&mut p, "whole", &|_, b, x| {
            for &callee in &callees {
                let arguments = vec![CallArgument::new(1, Expr::sym(x))];
                b.stmt(Stmt::new(StmtKind::Call(Call { callee, arguments, formal_count: Some(1), active: Default::default() })));
            }
        });
        let heads = vec![Head { unit: "whole".into(), dependents: Some(vec!["x".into()]), independents: Some(vec!["x".into()]) }];
        // Statement by statement each records what it overwrites.
        let preaccumulate = crate::transform::preaccumulate::Preaccumulate::Never;
        let boosted = crate::boost(p, &Options { adjoint: true, heads, preaccumulate, ..Options::default() }).unwrap().program;
        let problems = xaif::validate::semantics(&boosted);
        assert!(!problems.iter().any(Diagnostic::is_error), "{problems:?}");
        boosted
    }

    /// The statements of a unit with names in the order of their appearance in place of symbols, and these names.
    fn code(p: &Program, unit: &str) -> (Stmts, Vec<String>) {
        let mut graph = p.unit(p.unit_named(unit).unwrap()).graph.clone();
        let mut names: Vec<String> = Vec::new();
        for v in graph.node_weights_mut() {
            symbols_mut(v, &mut |s| {
                let name = p.symbol(*s).name.to_string();
                let at = names.iter().position(|n| *n == name).unwrap_or_else(|| {
                    names.push(name);
                    names.len() - 1
                });
                *s = SymbolId(at as u32);
            });
        }
        (graph.node_weights().flat_map(|v| v.stmts().to_vec()).collect(), names)
    }

    #[test]
    fn units_made_together_are_as_if_made_one_after_the_other() {
        let (few, many) = (boosted(3, false), boosted(40, false));
        for u in 0..3 {
            let unit = format!("part{u}_b");
            let (stmts, names) = code(&few, &unit);
            assert!(stmts.len() > 100 && names.iter().any(|n| n == "t_old38"), "{} {names:?}", stmts.len());
            assert_eq!((stmts, names), code(&many, &unit));
        }
        assert_eq!(code(&many, "part0_b"), code(&many, "part39_b"));
    }

    #[test]
    fn what_code_names_is_declared_and_nothing_else() {
        for with_array in [false, true] {
            let p = boosted(40, with_array);
            let unit = p.unit(p.unit_named("part7_b").unwrap());
            let mut named: FxHashSet<SymbolId> = unit.formals.iter().map(|f| f.symbol).collect();
            unit.graph.clone().node_weights_mut().for_each(|v| {
                symbols_mut(v, &mut |s| {
                    named.insert(*s);
                })
            });
            let table: FxHashSet<SymbolId> = p.scope(unit.scope).symbols.iter().copied().collect();
            assert!(named.iter().any(|s| p.symbol(*s).rank > 0) == with_array);
            let names =
                |a: &FxHashSet<SymbolId>, b: &FxHashSet<SymbolId>| a.difference(b).map(|s| p.symbol(*s).name.clone()).collect::<Vec<_>>();
            assert_eq!((names(&named, &table), names(&table, &named)), (vec![], vec![]), "{with_array}");
        }
    }
}

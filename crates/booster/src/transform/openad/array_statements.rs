//! Active array statements that the stock form does not have, as loops over elements.
//!
//! ```text
//! y = s*x, y = x(list), y = transpose(x), y = reshape(x, n), s = sum(x)
//! ```
//!
//! A propagator is elementwise, and what the adjoint sweep takes back is an element, or a section like the one that was set. Temporaries are those of the stock
//! form. Lives here: which statements, and what becomes of the variables that loops need. Never here: how loops are made ([`scalarize`]).

use super::references::is_active;
use super::steps::Sweep;
use super::temporaries::{Kind, Temporaries, fe_type};
use crate::transform::scalarize;
use xaif::catalogue::{Catalogue, PartialKind, ResultShape};
use xaif::model::{
    BaseType, Bound, ElemType, Expr, IndexOrder, NodeKind, Program, Stmt, StmtKind, Stmts, SymbolId, UnitId, VarRef, VertexKind,
};
use xaif::{Diagnostic, types};

/// Writes them as loops, in all units.
///
/// # Errors
/// Those that have no form as loops, and arrays on the way whose extents are no numbers.
pub fn as_loops(program: &mut Program, temporaries: &mut Temporaries, sweep: Sweep) -> Result<(), Vec<Diagnostic>> {
    let mut problems = Vec::new();
    for id in program.unit_ids() {
        indices_apart(program, temporaries, id, sweep);
        let base = program.symbols.len();
        let mut fresh = |_: &str| temporaries.name(Kind::Plain);
        match scalarize::scalarize(program, id, &|p, s| needs_loops(p, s, sweep), &mut fresh) {
            Ok(_) => problems.extend(in_stock_form(program, id, base)),
            Err(found) => problems.extend(found),
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

fn needs_loops(program: &Program, stmt: &Stmt, sweep: Sweep) -> bool {
    let StmtKind::Assignment { lhs, rhs } = &stmt.kind else { return false };
    if !is_active(program, lhs) {
        return false;
    }
    let mut leaves = rhs.nodes.iter().filter_map(|n| if let NodeKind::Var(r) = &n.kind { Some(r) } else { None });
    if rearranges(program, rhs) {
        return true;
    }
    let listed = |r: &VarRef| r.index_exprs().any(|e| types::of(program, e).rank > 0);
    let many = types::of_ref(program, lhs).rank > 0;
    sweep == Sweep::Adjoint
        && many
        && (listed(lhs) || leaves.any(|r| is_active(program, r) && (listed(r) || types::of_ref(program, r).rank == 0)))
}

/// Gives lists of subscripts that an operation makes as a whole a variable in front of the statement.
fn indices_apart(program: &mut Program, temporaries: &mut Temporaries, unit: UnitId, sweep: Sweep) {
    let scope = program.unit(unit).scope;
    let mut graph = std::mem::take(&mut program.units[unit.index()].graph);
    for v in graph.node_weights_mut() {
        let VertexKind::Block { stmts, .. } = &mut v.kind else { continue };
        let mut out = Stmts::with_capacity(stmts.len());
        for mut s in std::mem::take(stmts) {
            if needs_loops(program, &s, sweep)
                && let StmtKind::Assignment { lhs, rhs } = &mut s.kind
            {
                let mut change = |r: &mut VarRef| {
                    for e in r.index_exprs_mut() {
                        let NodeKind::Op(op) = &e.root().kind else { continue };
                        let asked = e.root().operands.first().map_or(0, |&o| types::of(program, &e.subexpr(o)).rank);
                        if !matches!(op.name.as_str(), "maxloc_arr" | "minloc_arr" | "shape_arr") || asked == 0 {
                            continue;
                        }
                        let list = ElemType { base: BaseType::Integer, bits: 64 };
                        let t = temporaries.add(program, scope, Kind::Plain, list, None);
                        let symbol = program.symbol_mut(t);
                        (symbol.rank, symbol.bounds) = (1, vec![(1, i64::from(asked))]);
                        let id = arcstr::format!("_subscripts_{}", program.symbol(t).id);
                        out.push(Box::new(Stmt { id, span: s.span, ..Stmt::assign(VarRef::whole(t), std::mem::replace(e, Expr::sym(t))) }));
                    }
                };
                change(lhs);
                rhs.for_each_ref_mut(&mut change);
            }
            out.push(s);
        }
        *stmts = out;
    }
    program.units[unit.index()].graph = graph;
}

/// Whether an operation that is not elementwise has an active operand.
fn rearranges(program: &Program, e: &Expr) -> bool {
    let mut active = vec![false; e.nodes.len()];
    for (k, n) in e.nodes.iter().enumerate() {
        active[k] = match &n.kind {
            NodeKind::Var(r) => is_active(program, r),
            NodeKind::Op(op) => {
                let entry = Catalogue::builtin().get(&op.name);
                let passive = |k: usize| entry.and_then(|i| i.partials.get(k)).is_some_and(|p| p.kind == PartialKind::Passive || p.inquiry);
                let taken = n.operands.iter().enumerate().any(|(k, o)| active[o.index()] && !passive(k));
                if taken && entry.is_some_and(|i| i.shape != ResultShape::Elementwise) {
                    return true;
                }
                taken
            }
            _ => false,
        };
    }
    false
}

/// Gives the variables from `base` on the form of stock temporaries.
fn in_stock_form(program: &mut Program, unit: UnitId, base: usize) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let place = program.location(program.unit(unit).span);
    let by_rows = program.index_order == IndexOrder::Row;
    for id in (base..program.symbols.len()).map(|k| SymbolId(k as u32)) {
        let symbol = program.symbol_mut(id);
        symbol.fe_type = fe_type(symbol.ty);
        symbol.active = symbol.ty.is_real();
        let dims = symbol.decl.take().map(|d| d.dims).unwrap_or_default();
        let number = |b: &Bound| if let Bound::Expr(e) = b { e.as_int() } else { None };
        let bounds: Option<Vec<(i64, i64)>> = dims.iter().map(|d| Some((number(&d.lower)?, number(&d.upper)?))).collect();
        match bounds {
            // What varies slowest stands first.
            Some(bounds) => symbol.bounds = if by_rows { bounds } else { bounds.into_iter().rev().collect() },
            None => problems.push(
                Diagnostic::error("OB4031", "an array statement overlaps what it sets, and its extents are no numbers")
                    .at(place.clone())
                    .because("it goes through an array of its own, which the openad dialect declares with numbers")
                    .help("write the loop, or write the overbar dialect with --dialect overbar"),
            ),
        }
    }
    problems
}

//! Several directions at once: the vector modes.
//!
//! A derivative is linear in derivatives. So a unit that has been made for one direction serves any number of them where each derivative variable has one more
//! dimension, which is the contiguous one, and each statement that sets a derivative is done for all directions; values, control flow and records are those of
//! one (paper 004, Section 6):
//!
//! ```text
//! xd = sin(y)*xd + x*cos(y)*yd   ->   factor = sin(y)
//! x = x*sin(y)                        factor1 = cos(y)
//!                                     for dir: xd[dir] = factor*xd[dir] + x*factor1*yd[dir]
//!                                     x = x*factor
//! ```
//!
//! The number of directions, `nbdirs`, is the first argument of every such unit: in C what gives the length of rows stands before the rows. Where it is fixed there is no
//! such argument, and derivatives of shared variables have directions as well.
//!
//! | | |
//! |---|---|
//! | this file | what cannot have directions, declarations, the new argument |
//! | `carriers` | which variables these are, exactly |
//! | `statements` | statements for all directions, several in one loop |
//! | `contract` | intermediate derivatives that need no directions |
//! | `calls` | what is handed to derivative units |
//! | `expressions` | references and inquiries |
//! | `places` | which dimension is that of the directions |
//! | `structures` | components, which have directions together |
//!
//! Lives here: what several directions change. Never here: how a derivative is made.

mod calls;
mod carriers;
mod contract;
mod expressions;
mod places;
mod statements;
mod structures;

use super::namer::Namer;
use super::plan::Plan;
use super::request::Directions;
use super::walk::symbols_mut;
use super::written::is_written;
use places::{Place, Places, last};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use xaif::model::{
    BaseType, Bound, Dim, ElemType, Expr, Formal, IndexOrder, Intent, Mode, Passing, ScopeId, Stmt, Storage, SymbolId, SymbolKind, UnitId,
    VarRef,
};
use xaif::{Diagnostic, Program};

/// The highest rank that the model knows.
const HIGHEST: u8 = 7;

/// Gives all derivative units of a plan the directions that they have in common.
///
/// # Errors
/// Derivatives of shared variables, of structures and pointers, and all that cannot be done direction by direction.
pub(super) fn widen(program: &mut Program, plan: &mut Plan) -> Result<(), Vec<Diagnostic>> {
    let mut problems = externals(program, plan);
    let units: Vec<usize> = (0..plan.derived.len())
        .filter(|&at| plan.derived[at].mode != Mode::Forward && !plan.facts.externals.has(plan.derived[at].original))
        .collect();
    let mut values: FxHashSet<SymbolId> = FxHashSet::default();
    let mut copied: FxHashMap<usize, Vec<Stmt>> = FxHashMap::default();
    let mut derivatives = of_plan(program, plan, &units);
    let shared = if let Directions::Fixed(_) = plan.directions { shared(program, plan) } else { BTreeSet::new() };
    derivatives.extend(&shared);
    for &at in &units {
        let by_value = |s: &SymbolId| derivatives.contains(s) && program.symbol(*s).passing() == Passing::Value;
        values.extend(program.unit(plan.derived[at].unit).formals.iter().map(|f| f.symbol).filter(by_value));
    }
    for &at in &units {
        let copies = own_copies(program, plan, at, &values);
        derivatives.extend(copies.iter().map(|(own, _)| own));
        copied.insert(at, copies.into_iter().map(|(_, s)| s).collect());
    }
    let callees: FxHashMap<SymbolId, UnitId> = units.iter().map(|&at| plan.derived[at].unit).map(|u| (program.unit(u).symbol, u)).collect();
    let carriers = carriers::closed(program, plan, &units, &callees, derivatives);
    let carriers = structures::with_structures(program, plan, &units, carriers);
    problems.extend(carriers.iter().filter_map(|&s| unfit(program, plan, s, structures::is_widened(program, &carriers, s))));
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut places: Places = carriers.iter().map(|&s| (s, places::of(program, s))).collect();
    match plan.directions {
        Directions::Fixed(n) => {
            units.iter().for_each(|&at| program.units[plan.derived[at].unit.index()].directions = Some(n));
            // What no unit declares is beside the variable that it is the derivative of.
            let scopes: FxHashSet<ScopeId> = units.iter().map(|&at| plan.derived[at].scope).collect();
            let elsewhere: Vec<SymbolId> = carriers.iter().copied().filter(|&s| !scopes.contains(&program.symbol(s).scope)).collect();
            elsewhere.into_iter().for_each(|s| widen_symbol(program, s, places[&s], &Expr::int(n.get().into())));
        }
        _ => units.iter().for_each(|&at| count(program, plan, at)),
    }
    for &at in &units {
        declare(program, plan, at, &places);
    }
    for &at in &units {
        let entry = copied.remove(&at).unwrap_or_default();
        problems.extend(statements::rewrite(program, plan, at, &callees, &mut places, &values, entry));
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// Derivative procedures that the user has written know one direction.
fn externals(program: &Program, plan: &Plan) -> Vec<Diagnostic> {
    let external = |u: &xaif::model::UnitId| plan.facts.externals.has(*u);
    let mut units: Vec<_> = plan.derived.iter().map(|d| d.original).filter(external).collect();
    units.dedup();
    let refuse = |u| {
        let symbol = program.symbol(program.unit(u).symbol);
        let (span, why) = match xaif::open::is_open(symbol) {
            true => (symbol.span, "the derivative of a procedure that is passed is asked for one direction at a time"),
            false => (program.unit(u).span, "rules name derivative procedures for one direction at a time"),
        };
        Diagnostic::error("OB4142", format!("the derivative of {} knows one direction", program.unit_name(u)))
            .at(program.location(span))
            .because(why)
            .help("leave --vector out, and call the derivative once for each direction")
    };
    units.into_iter().map(refuse).collect()
}

/// The derivative variables that the plan has made and that are used.
fn of_plan(program: &mut Program, plan: &Plan, units: &[usize]) -> FxHashSet<SymbolId> {
    let mut used: FxHashSet<SymbolId> = FxHashSet::default();
    for &at in units {
        let unit = &mut program.units[plan.derived[at].unit.index()];
        used.extend(unit.formals.iter().map(|f| f.symbol));
        for v in unit.graph.node_weights_mut() {
            symbols_mut(v, &mut |s| {
                used.insert(*s);
            });
        }
    }
    units.iter().flat_map(|&at| plan.derived[at].companions()).map(|(_, c)| c).filter(|c| used.contains(c)).collect()
}

/// The derivatives of variables that outlive calls: all units declare them alike, whether they use them or not.
fn shared(program: &Program, plan: &Plan) -> BTreeSet<SymbolId> {
    let companions = plan.derived.iter().flat_map(|d| d.companions()).map(|(_, c)| c);
    companions.filter(|&c| outlives_calls(program, c)).collect()
}

fn outlives_calls(program: &Program, s: SymbolId) -> bool {
    !matches!(program.symbol(s).storage(), Storage::Local | Storage::Argument)
}

/// The number of directions of a derivative unit.
fn number(plan: &Plan, at: usize) -> Option<Expr> {
    match plan.directions {
        Directions::One => None,
        Directions::Counted => plan.derived[at].count.map(Expr::sym),
        Directions::Fixed(n) => Some(Expr::int(n.get().into())),
    }
}

/// What comes in by value is the unit's own: where it is set, the unit works on a copy.
fn own_copies(program: &mut Program, plan: &Plan, at: usize, values: &FxHashSet<SymbolId>) -> Vec<(SymbolId, Stmt)> {
    let d = &plan.derived[at];
    let formals = program.unit(d.unit).formals.clone();
    let set = |s: &SymbolId| values.contains(s) && is_written(program, d.unit, *s);
    let arguments: Vec<SymbolId> = formals.iter().map(|f| f.symbol).filter(set).collect();
    let mut out = Vec::new();
    for argument in arguments {
        let (name, ty) = (program.symbol(argument).name.clone(), program.symbol(argument).ty);
        let type_text = program.symbol(argument).decl.as_ref().map(|d| d.type_text.clone()).unwrap_or_default();
        let own = Namer::new(program, d.scope, &plan.everywhere).add(program, &format!("{name}_own"), ty);
        program.symbol_mut(own).decl.get_or_insert_default().type_text = type_text;
        let graph = &mut program.units[d.unit.index()].graph;
        let change = |s: &mut SymbolId| {
            if *s == argument {
                *s = own;
            }
        };
        graph.node_weights_mut().for_each(|v| symbols_mut(v, &mut |s| change(s)));
        out.push((own, Stmt::assign(VarRef::whole(own), Expr::sym(argument))));
    }
    out
}

/// Why a variable cannot have directions; `together`: it is a structure of numbers, or a part of one.
fn unfit(program: &Program, plan: &Plan, s: SymbolId, together: bool) -> Option<Diagnostic> {
    let symbol = program.symbol(s);
    let primal = symbol.decl.as_ref().and_then(|d| d.derivative_of);
    let of = primal.map_or(s, |p| plan.derived.iter().map(|d| d.original_of(p)).find(|&o| o != p).unwrap_or(p));
    let (name, place) = (program.symbol(of).name.clone(), program.location(program.symbol(of).span));
    if outlives_calls(program, s) && plan.directions == Directions::Counted {
        return Some(
            Diagnostic::error("OB4140", format!("{name} is shared, and its derivative is needed in several directions"))
                .at(place)
                .because(
                    "the derivative of a shared variable has a fixed place beside it, and the number of directions is known only in a call",
                )
                .help(format!("say how many with --vector=N, pass {name} as an argument, or leave --vector out and call the derivative once for each direction")),
        );
    }
    let structure = !together && (symbol.name.contains('%') || symbol.ty.base != BaseType::Real);
    if structure || symbol.pointer || symbol.kind != SymbolKind::Variable || symbol.has_attribute("pointer") || symbol.rank >= HIGHEST {
        return Some(
            Diagnostic::error("OB4141", format!("the derivative of {name} cannot have several directions"))
                .at(place)
                .because("it is no plain variable or array of up to six dimensions, and no structure of real numbers and arrays of them: a pointer, a structure with pointers, or larger")
                .help("use arrays in its place, or leave --vector out and call the derivative once for each direction"),
        );
    }
    None
}

/// The new argument of a unit.
fn count(program: &mut Program, plan: &mut Plan, at: usize) {
    let d = &plan.derived[at];
    let nbdirs = Namer::new(program, d.scope, &plan.everywhere).add(program, "nbdirs", ElemType::INTEGER);
    let by_value = program.index_order == IndexOrder::Row;
    let decl = program.symbol_mut(nbdirs).decl.get_or_insert_default();
    decl.storage = Storage::Argument;
    decl.passing = if by_value { Passing::Value } else { Passing::Reference };
    let formals = &mut program.units[d.unit.index()].formals;
    formals.iter_mut().for_each(|f| f.position += 1);
    formals.insert(0, Formal { intent_declared: true, ..Formal::new(1, nbdirs, Intent::In) });
    plan.derived[at].count = Some(nbdirs);
}

/// One more dimension for the derivative variables that a unit declares.
fn declare(program: &mut Program, plan: &Plan, at: usize, places: &Places) {
    let d = &plan.derived[at];
    let Some(number) = number(plan, at) else { return };
    let symbols = program.scope(d.scope).symbols.clone();
    for s in symbols {
        // Bounds that ask for those of a derivative ask for one dimension more.
        if let Some(mut decl) = program.symbol(s).decl.clone() {
            let order = program.index_order;
            for e in super::plan::copies::decl_exprs(&mut decl) {
                expressions::shift_inquiries(e, places, order);
            }
            program.symbol_mut(s).decl = Some(decl);
        }
        if let Some(&place) = places.get(&s) {
            widen_symbol(program, s, place, &number);
        }
    }
}

/// Gives a variable its dimension of so many directions.
fn widen_symbol(program: &mut Program, s: SymbolId, Place { rank, before }: Place, number: &Expr) {
    let row = program.index_order == IndexOrder::Row;
    let symbol = program.symbol_mut(s);
    symbol.rank = rank + 1;
    symbol.bounds.clear();
    let decl = symbol.decl.get_or_insert_default();
    decl.dims.resize(rank as usize, Dim::default());
    let open = decl.passing == Passing::Descriptor || decl.attributes.iter().any(|a| a == "allocatable");
    let all = match (open, row) {
        (true, _) => Dim::default(),
        (false, true) => Dim { lower: Bound::Expr(Expr::int(0)), upper: Bound::Expr(last(number, true)) },
        (false, false) => Dim { lower: Bound::Expr(Expr::int(1)), upper: Bound::Expr(last(number, false)) },
    };
    decl.dims.insert(before.into(), all);
    if decl.passing == Passing::Value {
        decl.passing = Passing::Reference;
    }
    // Rows that are promised not to be set are of another type in C.
    decl.attributes.retain(|a| a != "const");
}

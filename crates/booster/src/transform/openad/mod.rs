//! Derivatives in the stock dialect: what the OpenAD back end reads.
//!
//! Tangent output keeps each unit's graph and adds a DerivativePropagator behind each active assignment; adjoint output replaces each unit by
//! a ReplacementList with the original graph (placeholder 1), the taping sweep (2), the adjoint sweep (3) and the checkpointing of arguments
//! (4 to 13). Sequences of assignments get one propagation where that is less ([`sequences`]); every other active assignment is linearized on its own.
//!
//! Activity is that of the flags ([`xaif::model::Symbol::active`]), which heads have set where there are any (see [`activity`]). Lives here: the stock forms.
//! Never here: the self-contained dialect, whose derivative variables are ordinary symbols.

pub mod activity;
mod arguments;
mod array_statements;
mod calls;
mod checkpoint;
mod external;
mod graphs;
mod guards;
mod loop_indices;
mod partials;
pub mod plain_form;
mod references;
mod sequences;
mod shared_records;
mod steps;
mod stock;
mod temporaries;

use super::preaccumulate::Ledger;
use super::request::{Boosted, Options};
use crate::analysis::facts::Facts;
use steps::{Sweep, UnitSteps, unit_steps};
use temporaries::Temporaries;
use xaif::catalogue::Catalogue;
use xaif::model::{FlowGraph, Intent, Program, Replacement, Unit, UnitId, VertexKind};
use xaif::{Diagnostic, model};

/// Whether the stock form has what is asked for.
///
/// # Errors
/// Both modes or none, and several directions.
pub fn check(options: &Options) -> Result<(), Vec<Diagnostic>> {
    if options.tangent == options.adjoint {
        return Err(vec![
            Diagnostic::error("OB4080", "the openad dialect has tangent or adjoint output, not both in one file")
                .help("run the booster once for each"),
        ]);
    }
    if options.directions.are_several() {
        return Err(vec![
            Diagnostic::error("OB4143", "derivatives in the openad dialect have one direction")
                .because("its derivative components belong to a type of active variables that the back end's run-time support defines")
                .help("leave out --vector, or write the overbar dialect with --dialect overbar"),
        ]);
    }
    Ok(())
}

/// Differentiates every unit of a stock program whose flags say what is active.
///
/// # Errors
/// Whatever the stock forms cannot express: all that was found.
pub fn boost(mut program: Program, options: &Options) -> Result<Boosted, Vec<Diagnostic>> {
    let sweep = if options.tangent { Sweep::Tangent } else { Sweep::Adjoint };
    let mut temporaries = Temporaries::new(&program);
    arguments::by_reference(&mut program, &mut temporaries)?;
    array_statements::as_loops(&mut program, &mut temporaries, sweep)?;
    let mut problems = Vec::new();
    let facts = Facts::of(&program);
    let statements = program.units.iter().flat_map(|u| u.graph.node_weights()).map(|v| v.stmts().len()).sum();
    let mut ledger = Ledger::new(options.preaccumulate, options.order.clone(), options.search, statements);
    // Callers are told by their callees' own text what these do: all become lists of graphs in the end.
    let mut lists: Vec<(UnitId, Vec<Replacement>)> = Vec::new();
    let catalogue = stock::catalogue(options.catalogue.as_deref().unwrap_or_else(|| Catalogue::builtin()));
    for id in program.unit_ids() {
        match unit_steps(&mut program, &mut temporaries, id, sweep, (&facts, &mut ledger, &catalogue)) {
            Ok(steps) if sweep == Sweep::Tangent => tangent(&mut program, id, steps),
            Ok(steps) => {
                let placeholders = if program.unit(id).graph.node_count() == 0 {
                    empty_placeholders()
                } else {
                    adjoint(&mut program, &mut temporaries, id, &steps)
                };
                lists.push((id, placeholders));
            }
            Err(found) => problems.extend(found),
        }
    }
    for (id, placeholders) in lists {
        become_replacement_list(&mut program, id, placeholders);
    }
    if problems.is_empty() {
        Ok(Boosted { program, diagnostics: Vec::new(), decisions: Vec::new(), facts: None, calls: Vec::new(), times: Vec::new() })
    } else {
        Err(problems)
    }
}

/// The steps take the place of the statements; nothing else changes.
fn tangent(program: &mut Program, id: UnitId, all: UnitSteps) {
    let unit = &mut program.units[id.index()];
    for (vertex, steps) in all.steps {
        if let VertexKind::Block { stmts, .. } = &mut unit.graph[vertex].kind {
            *stmts = steps.into_iter().flat_map(|s| s.forward).map(Box::new).collect();
        }
    }
}

fn adjoint(program: &mut Program, temporaries: &mut Temporaries, id: UnitId, steps: &UnitSteps) -> Vec<Replacement> {
    let original = program.unit(id).graph.clone();
    let (taping, reverse) = graphs::sweeps(program, temporaries, id, steps);
    let structured = program.unit(id).structured;
    let minimal = |stmts| checkpoint::block(stmts, program.unit(id).scope);
    let (store_arguments, restore_arguments) = checkpoint::arguments(program, id);
    let (store_step, restore_step) = checkpoint::time_step(program, id);
    let (store_derivatives, restore_derivatives) = checkpoint::derivatives(program, id);
    let graphs: [(u32, bool, FlowGraph); 13] = [
        (1, structured, original),
        (2, structured, taping.clone()),
        (3, true, reverse.clone()),
        (4, true, minimal(store_arguments)),
        (5, true, minimal(Vec::new())),
        (6, true, minimal(restore_arguments)),
        (7, true, minimal(Vec::new())),
        (8, true, minimal(store_step)),
        (9, true, minimal(restore_step)),
        (10, structured, taping),
        (11, true, reverse),
        (12, true, minimal(store_derivatives)),
        (13, true, minimal(restore_derivatives)),
    ];
    graphs.into_iter().map(|(placeholder, structured, graph)| Replacement { placeholder, structured, graph }).collect()
}

/// A unit without statements has empty graphs where a sweep would stand.
fn empty_placeholders() -> Vec<Replacement> {
    (1..=13)
        .map(|placeholder| {
            let sweep = matches!(placeholder, 1..=3 | 10 | 11);
            let graph = if sweep { FlowGraph::default() } else { checkpoint::block(Vec::new(), model::ScopeId(0)) };
            Replacement { placeholder, structured: true, graph }
        })
        .collect()
}

fn become_replacement_list(program: &mut Program, id: UnitId, placeholders: Vec<Replacement>) {
    let active: Vec<bool> = program.unit(id).formals.iter().map(|f| program.symbol(f.symbol).active).collect();
    let unit: &mut Unit = &mut program.units[id.index()];
    for (formal, active) in unit.formals.iter_mut().zip(active) {
        if active {
            formal.intent = Intent::Inout;
        }
    }
    unit.effects = model::SideEffects::default();
    unit.graph = FlowGraph::default();
    unit.replacements = Some(("reverse_subroutine_template".into(), placeholders));
}

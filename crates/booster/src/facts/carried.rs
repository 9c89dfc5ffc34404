//! Facts that a stock file brings along: alias sets, chains, lists of side effects.
//!
//! They are used where the file has them, since who wrote it may have known more than its text says. They are not believed where they contradict what is certain from
//! the text alone: then a warning names the place, and what was computed stands.
//!
//! Lives here: reading them off and comparing. Never here: our own analyses.

use super::Alias;
use crate::analysis::accesses::chains::{Origin, Use};
use crate::analysis::program::addresses::{Addresses, References, references, sets};
use crate::analysis::program::table::{Step, UnitTable};
use arcstr::ArcStr;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use std::collections::BTreeSet;
use xaif::model::{MarkerClass, Span, Stmt, StmtKind, SymbolId, UnitId, VarRef, VertexId, VertexKind};
use xaif::{Diagnostic, Program};

/// The file's facts about one unit, as far as they can be believed.
#[derive(Debug, Default)]
pub(super) struct Carried {
    /// For each use the statements that the file names: by vertex, step and variable.
    pub chains: FxHashMap<(VertexId, usize, SymbolId), Vec<Origin>>,
    /// Pairs whose alias sets meet.
    pub aliases: Vec<Alias>,
    /// Variables whose references all have alias sets that are known.
    pub placed: BTreeSet<SymbolId>,
    /// What the file says is read, and what is modified.
    pub effects: Option<(BTreeSet<SymbolId>, BTreeSet<SymbolId>)>,
}

/// Reads the file's facts about a unit and says what of them cannot be.
pub(super) fn of_unit(program: &Program, unit: UnitId, table: &UnitTable, computed: &[Use], problems: &mut Vec<Diagnostic>) -> Carried {
    let mut out = Carried::default();
    let refs = references(program, unit);
    aliases(program, unit, &mut out, problems);
    chains(program, unit, table, &refs, computed, &mut out, problems);
    effects(program, unit, table, &mut out, problems);
    out
}

fn warn(program: &Program, code: &'static str, span: Span, message: String, reason: &str) -> Diagnostic {
    Diagnostic::warning(code, message)
        .at(program.location(span))
        .because(reason)
        .help("what this tool computes itself is used instead; check who wrote the file")
}

fn aliases(program: &Program, unit: UnitId, out: &mut Carried, problems: &mut Vec<Diagnostic>) {
    let addresses = Addresses::of(program, &sets(program), unit);
    let name = |s: SymbolId| program.symbol(s).name.to_string();
    problems.extend(addresses.torn.iter().map(|&(s, span)| {
        warn(
            program,
            "OB4122",
            span,
            format!("the file's alias sets put {} into two different places", name(s)),
            "two references to one scalar have alias sets without a common address",
        )
    }));
    let pairs = addresses.pairs.iter().map(|&(a, b)| (name(a), name(b)));
    out.aliases = pairs.map(|(a, b)| Alias { first: a.clone().min(b.clone()), second: a.max(b), because: "file" }).collect();
    out.placed = addresses.placed;
}

fn chains(
    program: &Program,
    unit: UnitId,
    table: &UnitTable,
    refs: &References,
    computed: &[Use],
    out: &mut Carried,
    problems: &mut Vec<Diagnostic>,
) {
    if program.duud_sets.iter().all(|s| s.key == 0) {
        return;
    }
    let mut places: FxHashMap<ArcStr, Origin> = FxHashMap::default();
    let graph = &program.unit(unit).graph;
    for v in graph.node_indices() {
        match &graph[v].kind {
            VertexKind::Block { stmts, .. } => {
                for (k, s) in stmts.iter().enumerate().filter(|(_, s)| !s.id.is_empty()) {
                    places.insert(s.id.clone(), Origin::Step(v, k));
                }
            }
            VertexKind::For(f) => {
                for (k, s) in [&f.init, &f.update].into_iter().enumerate().filter(|(_, s)| !s.id.is_empty()) {
                    places.insert(s.id.clone(), Origin::Step(v, k));
                }
            }
            _ => {}
        }
    }
    let sets: FxHashMap<u32, &Vec<SmolStr>> = program.duud_sets.iter().filter(|s| s.key != 0).map(|s| (s.key, &s.statements)).collect();
    let own: FxHashMap<(VertexId, usize, u32), &Use> = computed.iter().map(|u| ((u.vertex, u.step, u.object), u)).collect();
    let mut bad: BTreeSet<(VertexId, usize, SymbolId)> = BTreeSet::new();
    for (at, span, r, _) in refs.iter().filter(|(.., set)| !set) {
        let Some(ids) = sets.get(&r.du_ud()) else { continue };
        let origins: Option<Vec<Origin>> =
            ids.iter().map(|id| if id.is_empty() { Some(Origin::Entry) } else { places.get(id.as_str()).copied() }).collect();
        let Some(origins) = origins else {
            bad.insert((at.0, at.1, r.symbol));
            let name = &program.symbol(r.symbol).name;
            let message = format!("the file's chain of {name} names a statement that the unit does not have");
            problems.push(warn(program, "OB4120", *span, message, "every statement of a chain has an id in the same unit"));
            continue;
        };
        let known = table.number(r.symbol).and_then(|n| own.get(&(at.0, at.1, n)));
        let missed = known.is_some_and(|u| u.certain && is_sure(program, unit, u) && u.origins.iter().any(|o| !origins.contains(o)));
        if missed && bad.insert((at.0, at.1, r.symbol)) {
            let name = &program.symbol(r.symbol).name;
            let message = format!("the file's chain of {name} leaves out the statement that sets it");
            problems.push(warn(
                program,
                "OB4120",
                *span,
                message,
                "every way to here comes by one assignment to the scalar, and nothing overlaps it",
            ));
        }
        let list = out.chains.entry((at.0, at.1, r.symbol)).or_default();
        list.extend(origins);
        list.sort_unstable();
        list.dedup();
    }
    out.chains.retain(|k, _| !bad.contains(k));
}

/// Whether nothing that is not understood (a stock Marker) can have set the value between its definition and its use.
fn is_sure(program: &Program, unit: UnitId, u: &Use) -> bool {
    let graph = &program.unit(unit).graph;
    let odd = |s: &Stmt| matches!(&s.kind, StmtKind::Marker(m) if matches!(m.class, MarkerClass::Unknown | MarkerClass::Call));
    match u.origins.first() {
        Some(&Origin::Step(v, k)) if v == u.vertex && k < u.step => {
            !graph[v].stmts().get(k + 1..u.step).is_none_or(|between| between.iter().any(|s| odd(s)))
        }
        Some(Origin::Step(..)) => !graph.node_weights().flat_map(|v| v.stmts()).any(|s| odd(s)),
        _ => false,
    }
}

fn effects(program: &Program, unit: UnitId, table: &UnitTable, out: &mut Carried, problems: &mut Vec<Diagnostic>) {
    let lists = &program.unit(unit).effects;
    let (Some(read), Some(modified)) = (&lists.read, &lists.modified) else { return };
    let symbols = |l: &Vec<VarRef>| -> BTreeSet<SymbolId> { l.iter().map(|r| r.symbol).collect() };
    let (read, modified) = (symbols(read), symbols(modified));
    // What the unit's own assignments set cannot be missing.
    let formals = &program.unit(unit).formals;
    for step in table.steps.iter().flatten() {
        let Step::Assign { lhs, .. } = step else { continue };
        let Some(&s) = table.objects.get(lhs.object as usize) else { continue };
        if formals.iter().any(|f| f.symbol == s) && !modified.contains(&s) {
            let name = &program.symbol(s).name;
            problems.push(warn(
                program,
                "OB4121",
                program.unit(unit).span,
                format!("the file's list of what {} modifies leaves out {name}", program.unit_name(unit)),
                "an assignment of the unit sets it",
            ));
            return;
        }
    }
    out.effects = Some((read, modified));
}

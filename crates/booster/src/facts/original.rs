//! Facts about the originals, from the side tables of the analyses.
//!
//! Lives here: names and lines for numbers. Never here: analyses, adjoints.

use super::carried::{self, Carried};
use super::{Alias, Dependence, Document, Effects, FORMAT, Source, Statement, UnitActivity, UnitFacts};
use crate::analysis::accesses::chains::{Origin, chains, definitions, overlapping, uses};
use crate::analysis::accesses::dependence::{self, Access, Accesses, Action, meet};
use crate::analysis::activity::active::Activity;
use crate::analysis::facts::Facts;
use crate::analysis::program::table::{Step, UnitTable};
use crate::notation;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use xaif::model::{Expr, SymbolId, UnitId, VarRef, VertexId, VertexKind};
use xaif::{Diagnostic, Program};

/// The facts about all units, and what is wrong with those that the file brings along.
pub fn of_program(program: &Program, facts: &Facts, activity: &Activity) -> (Document, Vec<Diagnostic>) {
    let mut problems = Vec::new();
    let units = program.unit_ids().filter(|&u| !program.unit(u).is_container() && !facts.externals.has(u));
    let units = units.map(|u| Teller { program, facts, activity, unit: u }.tell(&mut problems)).collect();
    (Document { format: FORMAT, units }, problems)
}

struct Teller<'a> {
    program: &'a Program,
    facts: &'a Facts,
    activity: &'a Activity,
    unit: UnitId,
}

impl Teller<'_> {
    fn name(&self, s: SymbolId) -> String {
        self.program.symbol(s).name.to_string()
    }

    fn names<'s>(&self, set: impl IntoIterator<Item = &'s SymbolId>) -> Vec<String> {
        let mut out: Vec<String> = set.into_iter().map(|&s| self.name(s)).collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    fn tell(&self, problems: &mut Vec<Diagnostic>) -> UnitFacts {
        let unit = self.program.unit(self.unit);
        let mut out = UnitFacts {
            unit: self.program.unit_name(self.unit).to_owned(),
            file: self.program.location(unit.span).map(|l| l.file).unwrap_or_default(),
            line: unit.span.line,
            formals: unit.formals.iter().map(|f| self.name(f.symbol)).collect(),
            ..UnitFacts::default()
        };
        let Some(table) = self.facts.tables.get(self.unit.index()).filter(|t| !t.steps.is_empty()) else { return out };
        let computed = chains(self.program, self.facts, self.unit);
        let carried = carried::of_unit(self.program, self.unit, table, &computed, problems);
        out.aliases = self.aliases(table, &carried);
        out.effects = self.effects(&carried);
        out.activity = self.activity.unit(self.unit).map(|a| UnitActivity {
            active: self.names(&a.active),
            varied_on_entry: self.names(&a.entry_varied),
            useful_on_entry: self.names(&a.entry_useful),
            varied_on_exit: self.names(&a.exit_varied),
            useful_on_exit: self.names(&a.exit_useful),
        });
        let order = self.order(table);
        let numbers: FxHashMap<(VertexId, usize), usize> = order.iter().enumerate().map(|(i, at)| (*at, i + 1)).collect();
        out.statements = order.iter().map(|&(v, k)| self.statement(table, v, k, numbers[&(v, k)])).collect();
        let number = |o: &Origin| match o {
            Origin::Entry => 0,
            Origin::Step(v, k) => numbers.get(&(*v, *k)).copied().unwrap_or(0),
        };
        for u in &computed {
            let (Some(&n), Some(&symbol)) = (numbers.get(&(u.vertex, u.step)), table.objects.get(u.object as usize)) else { continue };
            let file = carried.chains.get(&(u.vertex, u.step, symbol));
            let mut from: Vec<usize> = file.unwrap_or(&u.origins).iter().map(number).collect();
            from.sort_unstable();
            let name = self.name(symbol);
            for &d in from.iter().filter(|&&d| d > 0) {
                if let Some(list) = out.statements.get_mut(d - 1).and_then(|s| defined(s, &name)) {
                    list.push(n);
                }
            }
            if let Some(s) = out.statements.get_mut(n - 1) {
                if file.is_some() {
                    s.from_file.push(name.clone());
                }
                s.uses.insert(name, from);
            }
        }
        for s in &mut out.statements {
            for list in s.definitions.values_mut() {
                list.sort_unstable();
                list.dedup();
            }
        }
        out.dependences = self.dependences(table, &numbers);
        out
    }

    /// Vertices and steps in the order of the text, as far as lines are known.
    fn order(&self, table: &UnitTable) -> Vec<(VertexId, usize)> {
        let graph = &self.program.unit(self.unit).graph;
        let reached: BTreeSet<VertexId> = table.order.iter().copied().collect();
        let steps = |v: VertexId| table.steps.get(v.index()).map_or(0, Vec::len);
        graph.node_indices().filter(|v| reached.contains(v)).flat_map(|v| (0..steps(v)).map(move |k| (v, k))).collect()
    }

    fn statement(&self, table: &UnitTable, v: VertexId, k: usize, number: usize) -> Statement {
        let vertex = &self.program.unit(self.unit).graph[v];
        let head = notation::line(vertex.span, vertex.line);
        let (line, kind, text) = match &vertex.kind {
            VertexKind::Block { stmts, .. } => match stmts.get(k) {
                Some(s) => {
                    let kind = match &s.kind {
                        xaif::model::StmtKind::Assignment { .. } => "assignment",
                        xaif::model::StmtKind::Call(_) => "call",
                        _ => "opaque",
                    };
                    (notation::line(s.span, s.line), kind, notation::statement(self.program, s))
                }
                None => (head, "opaque", String::new()),
            },
            VertexKind::For(f) => match k {
                0 => (head, "loop start", notation::statement(self.program, &f.init)),
                1 => (head, "loop step", notation::statement(self.program, &f.update)),
                _ => (head, "condition", notation::expression(self.program, &f.condition)),
            },
            VertexKind::Pre(e) | VertexKind::Post(e) | VertexKind::Branch(e) => (head, "condition", notation::expression(self.program, e)),
            _ => (head, "opaque", String::new()),
        };
        let step = &table.steps[v.index()][k];
        let mut out = Statement { number, line, kind, text, ..Statement::default() };
        for target in definitions(self.program, self.facts, table, step) {
            let Some(&s) = table.objects.get(target.object as usize) else { continue };
            out.definitions.entry(self.name(s)).or_default();
            if target.whole {
                out.kills.push(self.name(s));
            }
        }
        out.kills.sort_unstable();
        for object in uses(self.program, self.facts, table, step) {
            if let Some(&s) = table.objects.get(object as usize) {
                out.uses.entry(self.name(s)).or_default();
            }
        }
        let handle = table.numbering.at(v, k);
        let a = self.activity.step(self.unit, handle);
        (out.varied, out.useful, out.active) = (a.varied, a.useful, a.varied && a.useful);
        let passive = self.activity.unit(self.unit).zip(handle).and_then(|(a, step)| a.passive.get(&step));
        let spelled: BTreeSet<String> =
            passive.into_iter().flatten().map(|r| notation::expression(self.program, &Expr::var(r.clone()))).collect();
        out.passive = spelled.into_iter().collect();
        out
    }

    fn aliases(&self, table: &UnitTable, carried: &Carried) -> Vec<Alias> {
        let mut out: BTreeSet<Alias> = carried.aliases.iter().cloned().collect();
        for (i, list) in overlapping(self.program, self.facts, self.unit, table).iter().enumerate() {
            for &j in list.iter().filter(|&&j| j as usize > i) {
                let (a, b) = (table.objects[i], table.objects[j as usize]);
                // Where the file places both, it has said whether they meet.
                if carried.placed.contains(&a) && carried.placed.contains(&b) {
                    continue;
                }
                let because = if self.facts.aliases.overlap(self.unit, a, b) { "call" } else { "declaration" };
                let (mut first, mut second) = (self.name(a), self.name(b));
                if first > second {
                    std::mem::swap(&mut first, &mut second);
                }
                if !carried.aliases.iter().any(|x| x.first == first && x.second == second) {
                    out.insert(Alias { first, second, because });
                }
            }
        }
        out.into_iter().collect()
    }

    fn effects(&self, carried: &Carried) -> Effects {
        let e = self.facts.effects.unit(self.unit);
        let table = &self.facts.tables[self.unit.index()];
        let exposed = self.facts.effects.exposed_numbers(self.program, self.unit, table);
        // Without what only declarations read.
        let own: BTreeSet<SymbolId> = exposed.iter().filter_map(|n| table.objects.get(n as usize).copied()).collect();
        let within = |s: &&SymbolId, list: Option<&BTreeSet<SymbolId>>| list.is_none_or(|l| l.contains(*s));
        let (file_reads, file_writes) = (carried.effects.as_ref().map(|e| &e.0), carried.effects.as_ref().map(|e| &e.1));
        Effects {
            source: if carried.effects.is_some() { Source::File } else { Source::Computed },
            exposed: self.names(e.exposed.iter().filter(|s| own.contains(s)).filter(|s| within(s, file_reads))),
            writes: self.names(file_writes.unwrap_or(&e.writes)),
            kills: self.names(e.kills.iter().filter(|s| within(s, file_writes))),
            reads: self.names(file_reads.unwrap_or(&e.reads)),
            extents: self.names(&table.extents),
            calls_unknown: e.calls_unknown,
        }
    }

    fn dependences(&self, table: &UnitTable, numbers: &FxHashMap<(VertexId, usize), usize>) -> Vec<Dependence> {
        let graph = &self.program.unit(self.unit).graph;
        let others: BTreeMap<SymbolId, Vec<SymbolId>> = overlapping(self.program, self.facts, self.unit, table)
            .into_iter()
            .enumerate()
            .map(|(i, l)| (table.objects[i], l.into_iter().map(|j| table.objects[j as usize]).collect()))
            .collect();
        let canonical = |s: SymbolId| self.facts.objects.canonical(s);
        let overlap = |a: SymbolId, b: SymbolId| {
            let (a, b) = (canonical(a), canonical(b));
            a == b || others.get(&a).is_some_and(|l| l.contains(&b))
        };
        let of = |a: &VarRef, b: &VarRef| meet(a, b, &overlap);
        let mut out = Vec::new();
        for v in graph.node_indices() {
            let VertexKind::Block { stmts, .. } = &graph[v].kind else { continue };
            let Some(steps) = table.steps.get(v.index()) else { continue };
            let list: Vec<Accesses> =
                stmts.iter().zip(steps).map(|(s, step)| Accesses::of(s, &of).unwrap_or_else(|| self.whole(table, step))).collect();
            for a in dependence::graph(&list, &of) {
                let (Some(&from), Some(&to)) = (numbers.get(&(v, a.from)), numbers.get(&(v, a.to))) else { continue };
                let letter = |x: Action| match x {
                    Action::Write => 'w',
                    Action::Read => 'r',
                    Action::Increment => 'i',
                };
                out.push(Dependence {
                    from,
                    to,
                    variable: self.name(a.variable),
                    kind: [letter(a.first), letter(a.second)].iter().collect(),
                });
            }
        }
        out
    }

    /// What a statement other than an assignment does, by variables.
    fn whole(&self, table: &UnitTable, step: &Step) -> Accesses {
        let mut out = Accesses::default();
        let place = |n: u32| table.objects.get(n as usize).map(|&s| VarRef::whole(s));
        for p in uses(self.program, self.facts, table, step).into_iter().filter_map(place) {
            out.list.push(Access { place: p, action: Action::Read, whole: false });
        }
        for t in definitions(self.program, self.facts, table, step) {
            if let Some(p) = place(t.object) {
                out.list.push(Access { place: p, action: Action::Write, whole: t.whole });
            }
        }
        out
    }
}

/// The readers of what a statement sets under that name, or under the only other one by which it can be meant.
fn defined<'s>(s: &'s mut Statement, name: &str) -> Option<&'s mut Vec<usize>> {
    if s.definitions.contains_key(name) || s.definitions.len() != 1 {
        return s.definitions.get_mut(name);
    }
    s.definitions.values_mut().next()
}

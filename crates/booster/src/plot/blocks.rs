//! Linearized graphs of the statement sequences of basic blocks: what preaccumulation sees, if every real variable counts as active.
//!
//! Lives here: the texts of these graphs. How they are built is in [`crate::linearize::flatten`]. Never here: drawing.

use super::graphs::Labelled;
use super::linear;
use super::measured::Measured;
use super::terms::Assignment;
use crate::analysis::facts::Facts;
use crate::linearize::Factor;
use crate::linearize::flatten::{self, Setting};
use crate::linearize::graph::{Line, Sequence};
use crate::linearize::places::Sharing;
use crate::notation;
use crate::notation::cut;
use crate::transform::preaccumulate::exposure::{Accesses, Exposed};
use crate::transform::preaccumulate::is_private;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::catalogue::Catalogue;
use xaif::model::{ElemType, NodeId, Stmt, StmtKind, Symbol, SymbolId, SymbolKind, UnitId};
use xaif::{Diagnostic, Program};

/// Texts of shared values up to this length are written out in the factors that read them.
const WRITTEN_OUT: usize = 24;

/// Longer ones whose texts are shown when pointed at.
const MOST_TOLD: usize = 200;

/// A unit as sequences see it; drafts of variables are added to a copy of the program.
struct Board<'a> {
    program: Program,
    original: &'a Program,
    facts: &'a Facts,
    unit: UnitId,
    private: FxHashSet<SymbolId>,
    exposed: &'a Exposed,
    accesses: Accesses,
}

impl Sharing for Board<'_> {
    fn suspect(&self, s: SymbolId) -> bool {
        let Some(symbol) = self.original.symbols.get(s.index()) else { return false };
        let odd = self.facts.objects.canonical(s) != s || symbol.decl.as_ref().is_some_and(|d| d.may_alias);
        odd || self.facts.aliases.known(self.unit, s).next().is_some()
    }

    fn overlap(&self, a: SymbolId, b: SymbolId) -> bool {
        let (x, y) = (self.facts.objects.canonical(a), self.facts.objects.canonical(b));
        x == y || self.facts.aliases.may_overlap(self.original, self.unit, a, b)
    }
}

impl Setting for Board<'_> {
    fn program(&self) -> &Program {
        &self.program
    }
    fn catalogue(&self) -> &Catalogue {
        Catalogue::builtin()
    }
    fn is_active(&self, symbol: SymbolId) -> bool {
        let symbol = self.original.symbols.get(symbol.index());
        symbol.is_some_and(|s| s.kind == SymbolKind::Variable && s.ty.is_real())
    }
    fn takes_part(&self, _: &Stmt) -> bool {
        true
    }
    fn variable(&mut self, ty: ElemType) -> SymbolId {
        let scope = self.program.unit(self.unit).scope;
        self.program.symbols.push(Symbol::variable(
            format!("w{}", self.program.symbols.len() - self.original.symbols.len() + 1),
            ty,
            scope,
        ));
        SymbolId(self.program.symbols.len() as u32 - 1)
    }
    fn is_dead_behind(&self, symbol: SymbolId, number: usize) -> bool {
        self.private.contains(&symbol) && !self.exposed.has(symbol) && !self.accesses.read_from(symbol, number)
    }
}

/// The graphs of the sequences that these assignments of a unit make, in their order; an assignment that is part of none has a graph of its own.
///
/// # Errors
/// Operations without a derivative, with the place of the statement: all that there are.
pub fn of_assignments(program: &Program, unit: UnitId, list: &[Assignment]) -> Result<Vec<Labelled>, Vec<Diagnostic>> {
    measured(program, unit, list).map(|m| m.graphs)
}

/// The same graphs, with a program that computes their factors on its way.
///
/// # Errors
/// As [`of_assignments`].
pub fn measured(program: &Program, unit: UnitId, list: &[Assignment]) -> Result<Measured, Vec<Diagnostic>> {
    let facts = Facts::of(program);
    let exposed = Exposed::of(&program.unit(unit).graph);
    let scope = program.unit(unit).scope;
    let formals: FxHashSet<SymbolId> = program.unit(unit).formals.iter().map(|f| f.symbol).collect();
    let hosts = program.unit_ids().any(|u| u != unit && program.scope(program.unit(u).scope).parent == Some(scope));
    let mut board = Board {
        program: program.clone(),
        original: program,
        facts: &facts,
        unit,
        private: FxHashSet::default(),
        exposed: &exposed,
        accesses: Accesses::default(),
    };
    let mut out = Measured::new(program, unit);
    let mut problems = Vec::new();
    let mut rest = list;
    while let Some(first) = rest.first() {
        let count = rest.iter().take_while(|a| a.vertex == first.vertex).count();
        let (block, behind) = rest.split_at(count);
        rest = behind;
        let stmts: &[Box<Stmt>] = program.unit(unit).graph.node_weight(first.vertex).map_or(&[], |v| v.stmts());
        // Which statements of the block were asked for.
        let mut wanted = block.iter().peekable();
        let asked: Vec<Option<&Assignment>> = stmts.iter().map(|s| wanted.next_if(|a| std::ptr::eq(a.stmt, &**s))).collect();
        board.accesses = Accesses::of(stmts);
        let assigned = stmts.iter().filter_map(|s| match &s.kind {
            StmtKind::Assignment { lhs, .. } => Some(lhs.symbol),
            _ => None,
        });
        let private: FxHashSet<SymbolId> =
            assigned.filter(|&x| !hosts && !formals.contains(&x) && !board.suspect(x) && is_private(program, scope, x)).collect();
        board.private = private;
        let alone = |k: usize, out: &mut Measured, problems: &mut Vec<Diagnostic>| {
            let found = asked.get(k).copied().flatten().map_or(Ok(None), |a| linear::of_assignment(program, a));
            let graph = found.unwrap_or_else(|d| {
                problems.push(d);
                None
            });
            out.statement(program, &stmts[k], graph);
        };
        let mut at = 0;
        while at < stmts.len() {
            // Runs of statements that were asked for.
            if asked[at].is_none() {
                out.statement(program, &stmts[at], None);
                at += 1;
                continue;
            }
            let end = (at..stmts.len()).find(|&k| asked[k].is_none()).unwrap_or(stmts.len());
            while at < end {
                let Some(sequence) = flatten::next(&mut board, &stmts[..end], at) else { break };
                (at..sequence.statements.start).for_each(|k| alone(k, &mut out, &mut problems));
                at = sequence.statements.end;
                match labelled(&mut board, stmts, &sequence) {
                    Some(l) => out.sequence(&board.program, stmts, &sequence, l),
                    None => sequence.statements.clone().for_each(|k| alone(k, &mut out, &mut problems)),
                }
            }
            (at..end).for_each(|k| alone(k, &mut out, &mut problems));
            at = end;
        }
        out.end_of_block(first.vertex);
    }
    out.finish(board.program);
    if problems.is_empty() { Ok(out) } else { Err(problems) }
}

/// The graph with its texts.
fn labelled(board: &mut Board, stmts: &[Box<Stmt>], sequence: &Sequence) -> Option<Labelled> {
    let graph = sequence.graph().ok()?;
    // Shared values are written out where they are short.
    let mut shared: Vec<(SymbolId, String)> = Vec::new();
    for line in &sequence.lines {
        if let Line::Set(s, e) = line {
            let text = notation::expression(&board.program, e);
            shared.push((*s, text.clone()));
            if text.chars().count() <= WRITTEN_OUT
                && let Some(symbol) = board.program.symbols.get_mut(s.index())
            {
                let simple = !text.contains([' ', '*', '/', '+', '-']);
                symbol.name = if simple { text } else { format!("({text})") }.into();
            }
        }
    }
    let program = &board.program;
    let line = |k: usize| stmts.get(k).map_or(0, |s| notation::line(s.span, s.line));
    let place = |k: usize| stmts.get(k).map_or_else(String::new, |s| notation::place(program, s.span));
    let n = sequence.vertices.len();
    let (mut names, mut tips, mut keys) = (Vec::with_capacity(n), Vec::with_capacity(n), vec![Vec::new(); n]);
    for v in &sequence.vertices {
        let whole = stmts.get(v.statement).and_then(|s| match &s.kind {
            StmtKind::Assignment { rhs, .. } if (v.node as usize) < rhs.nodes.len() => {
                Some(notation::expression(board.original, &rhs.subexpr(NodeId(v.node))))
            }
            _ => None,
        });
        let whole = whole.unwrap_or_else(|| v.label.to_string());
        names.push(cut(&whole, 40));
        tips.push(format!("{whole}\n{}", place(v.statement)));
    }
    for (r, v) in &sequence.inputs {
        let text = notation::reference(board.original, r);
        let k = *v as usize;
        names[k].clone_from(&text);
        keys[k].push(text);
    }
    // The value of a statement has its text, the first one where several have the same value.
    let mut roots: FxHashMap<(usize, u32), usize> = FxHashMap::default();
    sequence.vertices.iter().enumerate().for_each(|(k, v)| {
        roots.insert((v.statement, v.node), k);
    });
    let mut named = vec![false; n];
    sequence.inputs.iter().for_each(|(_, v)| named[*v as usize] = true);
    for (k, stmt) in stmts.iter().enumerate().take(sequence.statements.end).skip(sequence.statements.start) {
        let StmtKind::Assignment { lhs, rhs } = &stmt.kind else { continue };
        let root = rhs.nodes.len().saturating_sub(1);
        let Some(&v) = roots.get(&(k, root as u32)) else { continue };
        if !std::mem::replace(&mut named[v], true) {
            names[v] = notation::numbered(line(k), &notation::statement(board.original, stmt));
            keys[v] = vec![notation::reference(board.original, lhs), line(k).to_string()];
        }
    }
    let factors: Vec<String> = sequence.edges.iter().map(|e| notation::expression(program, &e.factor.to_expr(sequence.ty))).collect();
    shared.retain(|(_, t)| t.chars().count() > WRITTEN_OUT);
    shared.truncate(MOST_TOLD);
    for (e, text) in sequence.edges.iter().zip(&factors) {
        for (s, t) in shared.iter().filter(|(s, _)| text.contains(program.symbol(*s).name.as_str())) {
            tips[e.target as usize].push_str(&format!("\n{} = {t}", program.symbol(*s).name));
        }
    }
    let factors = sequence.edges.iter().zip(factors).map(|(e, text)| match e.factor {
        Factor::One => "1".to_owned(),
        Factor::MinusOne => "-1".to_owned(),
        Factor::Value(_) => text,
    });
    Some(Labelled { title: String::new(), graph, names, tips, keys, factors: factors.collect() })
}

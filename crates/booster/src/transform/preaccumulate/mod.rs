//! Preaccumulation: local Jacobians of statement sequences, computed by an elimination sequence and propagated at once.
//!
//! Tangent and adjoint ask [`Block::next`] for the sequences of a basic block that are worth it; what they get is statements that compute the values and
//! the entries of the local Jacobian, and a list of linear statements between derivatives. The tangent executes that list, the adjoint reverses it.
//!
//! Lives here: the choice of sequences, for which [`cost`] has the model, and what is told about it. How graphs are built is in [`crate::linearize`], how sequences of
//! eliminations are found in [`overbar_eliminate`]. Never here: control flow, recording.

pub mod cost;
pub mod emit;
pub mod explain;
pub mod exposure;
pub mod late;
pub mod slots;

use crate::linearize::flatten::{self, Setting};
use crate::linearize::fold::Fold;
use crate::linearize::graph::Sequence;
use crate::linearize::places::Sharing;
use crate::linearize::work::Load;
use emit::Emitted;
use overbar_eliminate::brief::{Question, brief};
use overbar_eliminate::budget::Budget;
use overbar_eliminate::names::{Heuristic, chain_name};
use std::ops::Range;
use std::time::{Duration, Instant};
use xaif::Program;
use xaif::catalogue::Catalogue;
use xaif::model::{ElemType, Mode, Propagation, ScopeId, Span, Stmt, Storage, Symbol, SymbolId, VarRef};

/// When local Jacobians are accumulated before they are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preaccumulate {
    /// Where the cost model says that it pays.
    #[default]
    Auto,
    /// Nowhere.
    Never,
    /// Wherever it is possible.
    Always,
}

/// How long good elimination sequences are searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effort {
    /// That many moves for the whole program: always gives the same.
    Moves(u64),
    /// That long for the whole program.
    Time(Duration),
}

/// What was decided about a sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The unit.
    pub unit: String,
    /// Tangent or adjoint.
    pub mode: Mode,
    /// The place of the first statement.
    pub span: Span,
    /// The line of the first and the last statement, 0 where that is not known.
    pub lines: (u32, u32),
    /// How many statements with derivatives it has.
    pub statements: usize,
    /// Values, dependences, inputs and outputs of its graph.
    pub graph: (usize, usize, usize, usize),
    /// Multiplications of one direction, statement by statement.
    pub before: u64,
    /// Multiplications of the accumulation.
    pub accumulation: u64,
    /// Factors of the propagation that are not 1 or -1.
    pub left: u64,
    /// All computing, values and partial derivatives included, statement by statement and with the local Jacobian; in halves of a multiplication.
    pub work: (u64, u64),
    /// How the elimination sequence was found.
    pub method: String,
    /// Whether it was chosen.
    pub chosen: bool,
    /// Why, or why not.
    pub reason: &'static str,
}

/// The request, what of the search is left, and what was decided.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// When to accumulate.
    pub when: Preaccumulate,
    /// Heuristics instead of a search.
    pub chain: Option<Vec<Heuristic>>,
    moves: u64,
    until: Option<Instant>,
    /// What was decided, in the order of the code.
    pub decisions: Vec<Decision>,
}

/// Moves of the default search for each statement of the program, and in any case.
const MOVES_PER_STATEMENT: u64 = 4;
const MOVES: u64 = 30_000;
/// The most moves that one graph gets for each of its edges without a clock.
const MOVES_PER_EDGE: u64 = 400;
/// Steps of a budget that a move stands for.
const STEPS_PER_MOVE: u64 = 8;
/// A move looks at the whole graph: one of that many edges counts as one move, a greater one as more.
const EDGES_PER_MOVE: u64 = 16;

impl Ledger {
    /// A ledger for a program with that many statements.
    pub fn new(when: Preaccumulate, chain: Option<Vec<Heuristic>>, effort: Option<Effort>, statements: usize) -> Ledger {
        let (moves, until) = match effort {
            None => (MOVES + MOVES_PER_STATEMENT * statements as u64, None),
            Some(Effort::Moves(n)) => (n, None),
            Some(Effort::Time(t)) => (u64::MAX, Some(Instant::now() + t)),
        };
        Ledger { when, chain, moves, until, decisions: Vec::new() }
    }

    /// A ledger of its own for one of several units, with a share of the search according to its statements: nobody's decisions depend on who comes first.
    pub fn share(&self, statements: usize, all: usize) -> Ledger {
        let moves = match self.until {
            None => (u128::from(self.moves) * statements as u128 / all.max(1) as u128) as u64,
            Some(_) => self.moves,
        };
        Ledger { when: self.when, chain: self.chain.clone(), moves, until: self.until, decisions: Vec::new() }
    }

    /// Takes over what was decided with a share.
    pub fn absorb(&mut self, share: Ledger) {
        self.decisions.extend(share.decisions);
    }

    /// What the search in a graph of so many edges may spend.
    pub fn budget(&self, edges: usize) -> Budget {
        match self.until {
            // No graph takes more than a third of the time that is left.
            Some(until) => {
                let now = Instant::now();
                Budget::until(now + until.saturating_duration_since(now) / 3)
            }
            None => Budget::steps(STEPS_PER_MOVE * (self.moves / 3 / weight(edges)).min(MOVES_PER_EDGE * edges as u64)),
        }
    }

    /// Takes off what it has spent.
    pub fn spent(&mut self, edges: usize, given: Budget, left: Budget) {
        if self.until.is_none() {
            self.moves = self.moves.saturating_sub(given.steps.saturating_sub(left.steps) / STEPS_PER_MOVE * weight(edges));
        }
    }
}

/// How many moves a move in a graph with so many edges counts for.
fn weight(edges: usize) -> u64 {
    (edges as u64).div_ceil(EDGES_PER_MOVE).max(1)
}

/// The derivative of a reference, if it has one.
pub type DerivativeOf<'a> = dyn Fn(&VarRef) -> Option<VarRef> + 'a;

/// A unit as sequences see it.
pub struct View<'a> {
    /// The program; as it was when [`Block::next`] returns.
    pub program: &'a mut Program,
    /// Partial derivatives.
    pub catalogue: &'a Catalogue,
    /// The scope of the derivative unit.
    pub scope: ScopeId,
    /// Which variables have derivatives.
    pub active: &'a dyn Fn(SymbolId) -> bool,
    /// Which may share memory with any other at all.
    pub suspect: &'a dyn Fn(SymbolId) -> bool,
    /// Which two may share memory.
    pub overlap: &'a dyn Fn(SymbolId, SymbolId) -> bool,
    /// Which statements may be part of a sequence.
    pub takes_part: &'a dyn Fn(&Stmt) -> bool,
    /// What the propagation reads must be recorded, because the statements may run again before it.
    pub recorded: bool,
    /// Which variables nobody in the unit changes.
    pub settled: &'a dyn Fn(SymbolId) -> bool,
    /// Which derivatives nobody reads behind a statement.
    pub dead: &'a dyn Fn(SymbolId, usize) -> bool,
}

/// Where the model decides, graphs end at so many vertices: what elimination gains, it gains among neighbours, and the drafts of thousands of statements
/// would be held at once.
pub const NEIGHBOURHOOD: usize = 4096;

struct Drafting<'v, 'a> {
    view: &'v mut View<'a>,
    base: usize,
    most_vertices: usize,
}

impl Sharing for Drafting<'_, '_> {
    fn suspect(&self, s: SymbolId) -> bool {
        s.index() < self.base && (self.view.suspect)(s)
    }
    fn overlap(&self, a: SymbolId, b: SymbolId) -> bool {
        a.index() < self.base && b.index() < self.base && (self.view.overlap)(a, b)
    }
}

impl Setting for Drafting<'_, '_> {
    fn program(&self) -> &Program {
        self.view.program
    }
    fn catalogue(&self) -> &Catalogue {
        self.view.catalogue
    }
    fn is_active(&self, symbol: SymbolId) -> bool {
        symbol.index() < self.base && (self.view.active)(symbol)
    }
    fn takes_part(&self, stmt: &Stmt) -> bool {
        (self.view.takes_part)(stmt)
    }
    fn variable(&mut self, ty: ElemType) -> SymbolId {
        // A draft: it goes when the sequence is written.
        self.view.program.symbols.push(Symbol::made("", ty, self.view.scope));
        SymbolId(self.view.program.symbols.len() as u32 - 1)
    }
    fn is_dead_behind(&self, symbol: SymbolId, number: usize) -> bool {
        (self.view.dead)(symbol, number)
    }
    fn most_vertices(&self) -> usize {
        self.most_vertices
    }
}

/// A sequence that was chosen.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The statements that it replaces.
    pub statements: Range<usize>,
    /// What replaces them.
    pub emitted: Emitted,
    /// The propagation as statements, where they were asked for.
    pub tail: Vec<Stmt>,
    base: usize,
    types: Vec<ElemType>,
}

impl Chosen {
    /// The type of a value that has no variable yet.
    pub fn value(&self, s: SymbolId) -> Option<ElemType> {
        s.index().checked_sub(self.base).and_then(|k| self.types.get(k)).copied()
    }

    /// All of these values.
    pub fn values(&self) -> slots::Values<'_> {
        slots::Values { base: self.base, types: &self.types }
    }
}

/// The statements of a basic block, from which sequences are taken one after the other.
#[derive(Debug)]
pub struct Block<'s> {
    /// The statements.
    pub stmts: &'s [Box<Stmt>],
    /// Where to go on.
    pub at: usize,
    /// What is said of decisions.
    pub unit: &'s str,
    /// Tangent or adjoint.
    pub mode: Mode,
}

impl Block<'_> {
    /// The next sequence that is chosen. With `derivative` the propagation is written as statements.
    pub fn next(&mut self, view: &mut View, ledger: &mut Ledger, derivative: Option<&DerivativeOf>) -> Option<Chosen> {
        if ledger.when == Preaccumulate::Never {
            return None;
        }
        let base = view.program.symbols.len();
        let most_vertices = if ledger.when == Preaccumulate::Auto { NEIGHBOURHOOD } else { flatten::MOST_VERTICES };
        loop {
            let mut drafting = Drafting { view, base, most_vertices };
            let found = flatten::next(&mut drafting, self.stmts, self.at);
            let Some(sequence) = found else {
                drafting.view.program.symbols.truncate(base);
                return None;
            };
            self.at = sequence.statements.end;
            let chosen = self.choose(&mut drafting, &sequence, ledger, derivative);
            drafting.view.program.symbols.truncate(base);
            if chosen.is_some() {
                return chosen;
            }
        }
    }

    fn choose(
        &self,
        drafting: &mut Drafting,
        sequence: &Sequence,
        ledger: &mut Ledger,
        derivative: Option<&DerivativeOf>,
    ) -> Option<Chosen> {
        let adjoint = self.mode != Mode::Tangent;
        let before = if adjoint { sequence.work.values + sequence.work.adjoint } else { sequence.work.tangent };
        let shared = cost::shared(self.stmts, sequence);
        let auto = ledger.when == Preaccumulate::Auto;
        // Whatever elimination finds, it adds to what values and partial derivatives take.
        if auto && !cost::pays(before, shared) {
            return None;
        }
        let graph = sequence.graph().ok()?;
        let given = ledger.budget(graph.edges.len());
        let complete = ledger.when == Preaccumulate::Always;
        let question = Question { chain: ledger.chain.as_deref(), directions: 1, complete, budget: given };
        let answer = brief(&graph, &question)?;
        ledger.spent(graph.edges.len(), given, answer.budget);
        let mut work = (before, shared + cost::propagated(&answer));
        let mut chosen = !auto || cost::pays(work.0, work.1);
        let mut emitted = chosen.then(|| emit::emit(drafting, self.stmts, sequence, &graph, &answer.code));
        if let Some(e) = emitted.as_mut().filter(|_| adjoint && drafting.view.recorded) {
            late::move_entries(e, &|s| s.index() >= drafting.base, drafting.view.settled);
        }
        let mut reason = match (auto, chosen) {
            (false, _) => "asked for everywhere",
            (true, true) => "work is saved",
            (true, false) => "too little is saved",
        };
        if let (Some(e), true, true) = (&emitted, adjoint, auto) {
            let (entries, values) = cost::kept(self.stmts, sequence, e, drafting.base);
            let each = if drafting.view.recorded { cost::RECORD } else { cost::KEEP };
            work = (work.0 + Load::light(each * values), work.1 + Load::light(each * entries));
            if !cost::pays(work.0, work.1) {
                (chosen, reason) = (false, "more entries would be recorded than values are now");
            }
        }
        let line = |k: usize| self.stmts.get(k).map_or(0, |s| s.line);
        let decision = Decision {
            unit: self.unit.to_owned(),
            mode: self.mode,
            span: self.stmts.get(sequence.statements.start).map_or(Span::NONE, |s| s.span),
            lines: (line(sequence.statements.start), line(sequence.statements.end.saturating_sub(1))),
            statements: sequence.active,
            graph: (graph.vertices.len(), graph.edges.len(), sequence.inputs.len(), sequence.outputs.len()),
            before: answer.before,
            accumulation: answer.code.multiplications,
            left: answer.left,
            work: (work.0.all, work.1.all),
            method: ledger.chain.as_deref().map_or_else(|| answer.method.clone(), chain_name),
            chosen,
            reason,
        };
        ledger.decisions.push(decision);
        let emitted = emitted.filter(|_| chosen)?;
        let tail = derivative.map(|d| tail(drafting, &emitted, d)).unwrap_or_default();
        let types = drafting.view.program.symbols.from(drafting.base).map(|s| s.ty).collect();
        Some(Chosen { statements: sequence.statements.clone(), emitted, tail, base: drafting.base, types })
    }
}

/// A scalar of the unit's own that nothing outside of it sees, and that starts from nothing.
pub fn is_private(program: &Program, scope: ScopeId, s: SymbolId) -> bool {
    let symbol = program.symbol(s);
    let plain = symbol.rank == 0 && !symbol.pointer && symbol.scope == scope && *symbol.storage() == Storage::Local;
    let starts = symbol.decl.as_ref().is_some_and(|d| d.init.is_some() || !d.init_text.is_empty() || d.may_alias);
    plain && !starts && !["save", "target", "volatile", "pointer"].iter().any(|a| symbol.has_attribute(a))
}

/// The propagation as statements between derivatives.
fn tail(drafting: &Drafting, emitted: &Emitted, derivative: &DerivativeOf) -> Vec<Stmt> {
    let fold = Fold { program: drafting.view.program };
    // Sums have no variable whose derivative they were: they stand for themselves.
    let of = |r: &VarRef| derivative(r).unwrap_or_else(|| r.clone());
    emitted.propagation.iter().filter_map(|line: &Propagation| emit::tangent(fold, line, &of)).map(|(y, e)| Stmt::assign(y, e)).collect()
}

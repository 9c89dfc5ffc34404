//! The state of printing: names, what the code needs, what was refused, and the unit in hand.
//!
//! Lives here: the [`Printer`] structure and what every part of the back end asks it. Never here: text of any construct.

use super::ctypes;
use super::layout::Lines;
use super::names::Names;
use super::sites::Sites;
use super::structures::Component;
use super::usage::Usage;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use xaif::exchange::Exchange;
use xaif::model::{Formal, Intent, Passing, Span, StmtKind, SymbolId, Unit, UnitId, VertexId};
use xaif::{Diagnostic, Program};

/// What printed code needs from elsewhere.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Needs {
    pub math: bool,
    pub stdlib: bool,
    pub stdio: bool,
    pub string: bool,
    pub float: bool,
    pub limits: bool,
    pub runtime: bool,
}

impl Needs {
    /// What both need.
    pub fn with(self, other: Needs) -> Needs {
        Needs {
            math: self.math | other.math,
            stdlib: self.stdlib | other.stdlib,
            stdio: self.stdio | other.stdio,
            string: self.string | other.string,
            float: self.float | other.float,
            limits: self.limits | other.limits,
            runtime: self.runtime | other.runtime,
        }
    }
}

/// Printing in progress.
pub(super) struct Printer<'a> {
    pub program: &'a Program,
    /// The program comes from C: spellings are C's.
    pub c: bool,
    pub names: Names,
    pub needs: Needs,
    pub problems: Vec<Diagnostic>,
    /// Units by their symbols.
    pub units: FxHashMap<SymbolId, UnitId>,
    /// Formals that are only read, and passed on only to formals that are only read themselves.
    pub constant: FxHashSet<SymbolId>,
    /// What some unit puts on the stack.
    pub recorded: FxHashSet<SymbolId>,
    /// Scalar formals that are pointers in C.
    pub pointers: FxHashSet<SymbolId>,
    /// Members of structures.
    pub components: FxHashMap<SymbolId, Component>,
    /// Structures among the unit's arguments.
    pub structures: FxHashSet<SymbolId>,
    /// Lines that stand behind the statement in hand.
    pub behind: Vec<String>,
    /// The variable that carries the unit's result.
    pub result: Option<SymbolId>,
    /// Symbols that the text mentions.
    pub used: FxHashSet<SymbolId>,
    /// What the unit's statements do with each symbol.
    pub usage: Usage,
    /// Variables that the text so far names only where it sets them.
    pub only_set: FxHashSet<SymbolId>,
    /// Variables that get a start value, since compilers think that they are used unset.
    pub unset: FxHashSet<SymbolId>,
    /// Arrays that are addressed by one subscript only.
    pub flat: FxHashSet<SymbolId>,
    /// Extents of local arrays are positive only where the original declares them.
    pub guarded: bool,
    /// The statement in hand, for diagnostics.
    pub place: Span,
    /// The subscripts that stand for the open dimensions of arrays, inside loops over elements.
    pub index: Vec<SmolStr>,
    /// Whether lines may be put before the statement in hand.
    pub may_hoist: bool,
    /// Where variables are declared below the top.
    pub sites: Sites,
    /// Loops that are written as exchanges of pointers.
    pub exchanges: FxHashMap<VertexId, Exchange>,
    /// The statement that declares, and the line that declared last with its specifiers.
    pub declaring: Option<SymbolId>,
    pub declared: Option<(usize, String)>,
    /// Variables of the back end's own, with their types.
    pub extra_locals: Vec<(SmolStr, SmolStr)>,
    /// Labels that some `goto` names.
    pub labels: FxHashMap<VertexId, SmolStr>,
    /// Lines of the body.
    pub out: Lines,
}

impl<'a> Printer<'a> {
    /// A printer for a program; `kept`: the user's own text stays, with its names.
    pub fn new(program: &'a Program, kept: bool) -> Printer<'a> {
        Printer {
            program,
            c: ctypes::from_c(program),
            names: Names::of_file(program, kept),
            needs: Needs::default(),
            problems: Vec::new(),
            units: program.unit_ids().map(|u| (program.unit(u).symbol, u)).collect(),
            constant: constant_formals(program),
            recorded: recorded(program),
            pointers: FxHashSet::default(),
            components: super::structures::components(program),
            structures: FxHashSet::default(),
            behind: Vec::new(),
            result: None,
            used: FxHashSet::default(),
            usage: Usage::default(),
            unset: FxHashSet::default(),
            flat: FxHashSet::default(),
            guarded: false,
            place: Span::NONE,
            index: Vec::new(),
            may_hoist: false,
            sites: Sites::default(),
            exchanges: FxHashMap::default(),
            declaring: None,
            declared: None,
            extra_locals: Vec::new(),
            only_set: FxHashSet::default(),
            labels: FxHashMap::default(),
            out: Lines::default(),
        }
    }

    /// Begins a unit.
    pub fn enter(&mut self, unit: &Unit) {
        self.usage = Usage::of(self.program, unit);
        self.unset = super::unset::perhaps_unset(self.program, unit, &self.constant, &self.recorded);
        self.used.clear();
        self.index.clear();
        self.may_hoist = false;
        self.sites = Sites::default();
        self.exchanges.clear();
        self.declaring = None;
        self.declared = None;
        self.extra_locals.clear();
        self.labels.clear();
        self.only_set.clear();
        self.out = Lines { lines: Vec::new(), level: 1, place: Span::NONE };
        self.place = unit.span;
        let outer = self.usage.mentioned.iter().copied().filter(|&s| self.program.symbol(s).scope != unit.scope).collect();
        self.names.enter(self.program, unit, &outer);
        self.result = unit.result().filter(|_| unit.kind == xaif::model::UnitKind::Function).map(|f| f.symbol);
        self.structures = self.structure_arguments(unit).into_iter().collect();
        self.behind.clear();
        self.pointers = unit.formals.iter().filter(|f| self.is_pointer(f)).map(|f| f.symbol).collect();
        if let Some(r) = self.result {
            self.pointers.remove(&r);
        }
        self.flat = self.flat_arrays(unit);
        self.guarded = self.has_guarded_arrays(unit);
    }

    /// True for a scalar formal that C passes as a pointer.
    pub fn is_pointer(&self, formal: &Formal) -> bool {
        let symbol = self.program.symbol(formal.symbol);
        symbol.rank == 0
            && symbol.passing() != Passing::Value
            && symbol.kind != xaif::model::SymbolKind::Pointer
            && !symbol.pointer
            && symbol.ty.base != xaif::model::BaseType::Opaque
            && !self.components.contains_key(&formal.symbol)
    }

    /// The name of a symbol, which the text mentions from now on.
    pub fn name(&mut self, id: SymbolId) -> SmolStr {
        self.used.insert(id);
        self.only_set.remove(&id);
        if let Some(text) = self.member_name(id) {
            return text;
        }
        self.names.of(self.program, id)
    }

    /// Moves the place of diagnostics and of lines, where the new one is known, and returns the old ones.
    pub fn go_to(&mut self, span: Span) -> (Span, Span) {
        let old = (self.place, self.out.place);
        if span.is_known() {
            (self.place, self.out.place) = (span, span);
        }
        old
    }

    /// Moves back.
    pub fn back_to(&mut self, (place, of_lines): (Span, Span)) {
        (self.place, self.out.place) = (place, of_lines);
    }

    /// Takes note of a construct that C cannot express, at the statement in hand.
    pub fn refuse(&mut self, code: &'static str, message: impl Into<String>, reason: &str, help: &str) {
        let mut d = Diagnostic::error(code, message).at(self.program.location(self.place));
        if !reason.is_empty() {
            d = d.because(reason);
        }
        if !help.is_empty() {
            d = d.help(help);
        }
        if !self.problems.contains(&d) {
            self.problems.push(d);
        }
    }

    /// The source name of a symbol, for messages.
    pub fn source_name(&self, id: SymbolId) -> &'a str {
        &self.program.symbol(id).name
    }
}

/// What some unit puts on the stack.
fn recorded(program: &Program) -> FxHashSet<SymbolId> {
    let mut found = FxHashSet::default();
    for s in program.units.iter().flat_map(|u| u.graph.node_weights()).flat_map(|v| v.stmts()) {
        if let StmtKind::Runtime { name, arguments } = &s.kind
            && name == "push"
        {
            found.extend(arguments.iter().filter_map(|a| a.value.as_var()).map(|r| r.symbol));
        }
    }
    found
}

/// Formals whose declared direction makes them pointers to constants in C. (C itself says `const`.)
fn constant_formals(program: &Program) -> FxHashSet<SymbolId> {
    let formals = program.units.iter().flat_map(|u| &u.formals);
    let mut constant: FxHashSet<SymbolId> = formals
        // In C a pointer to rows cannot become a pointer to constant rows.
        .filter(|f| f.intent_declared && f.intent == Intent::In && program.symbol(f.symbol).rank < 2)
        .filter(|f| program.symbol(f.symbol).passing() != Passing::Value)
        .map(|f| f.symbol)
        .collect();
    // For each call: what is passed, and the formal that takes it.
    let by_symbol: FxHashMap<SymbolId, &Unit> = program.units.iter().map(|u| (u.symbol, u)).collect();
    let mut passed: Vec<(SymbolId, Option<SymbolId>)> = Vec::new();
    for s in program.units.iter().flat_map(|u| u.graph.node_weights()).flat_map(|v| v.stmts()) {
        let StmtKind::Call(call) = &s.kind else { continue };
        let callee = by_symbol.get(&call.callee);
        for a in &call.arguments {
            let Some(r) = a.value.as_var() else { continue };
            passed.push((r.symbol, callee.and_then(|u| u.formals.iter().find(|f| f.position == a.position)).map(|f| f.symbol)));
        }
    }
    loop {
        let before = constant.len();
        for (given, taken) in &passed {
            let by_value = taken.is_some_and(|t| program.symbol(t).passing() == Passing::Value);
            if !by_value && taken.is_none_or(|t| !constant.contains(&t)) {
                constant.remove(given);
            }
        }
        if constant.len() == before {
            return constant;
        }
    }
}

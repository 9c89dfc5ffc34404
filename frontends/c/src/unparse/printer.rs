//! The state of printing: names, what the code needs, what was refused, and the unit in hand.
//!
//! Lives here: the [`Printer`] structure and what every part of the back end asks it. Never here: text of any construct.

use crate::unparse::facts::arguments::{constant_formals, recorded};
use crate::unparse::facts::declaration_places::Sites;
use crate::unparse::facts::linkage::Callers;
use crate::unparse::facts::members::{Component, components};
use crate::unparse::facts::names::Names;
use crate::unparse::facts::set_in_branches::set_in_branches;
use crate::unparse::facts::unset_variables::{perhaps_unset, used_first};
use crate::unparse::facts::usage::Usage;
use crate::unparse::language::c_types;
use crate::unparse::text::layout::Lines;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use xaif::exchange::Exchange;
use xaif::model::{Formal, Passing, Span, SymbolId, Unit, UnitId, VertexId};
use xaif::{Diagnostic, Program};

/// What printed code needs from elsewhere.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Needs {
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
pub(crate) struct Printer<'a> {
    pub program: &'a Program,
    /// The program comes from C: spellings are C's.
    pub c: bool,
    pub names: Names,
    pub needs: Needs,
    pub problems: Vec<Diagnostic>,
    /// Units by their symbols.
    pub units: FxHashMap<SymbolId, UnitId>,
    /// Who calls them.
    pub callers: Callers,
    /// Formals that are only read, and passed on only to formals that are only read themselves.
    pub constant: FxHashSet<SymbolId>,
    /// Arguments that some unit puts on the stack, or uses, perhaps before it sets them.
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
    /// Those of them that hold what functions hand out for structures, by structure and function.
    pub handed_out: Vec<(SymbolId, SmolStr, SmolStr)>,
    /// Labels that some `goto` names.
    pub labels: FxHashMap<VertexId, SmolStr>,
    /// Lines of the body.
    pub out: Lines,
}

impl<'a> Printer<'a> {
    /// A printer for a program; `kept`: the user's own text stays, with its names.
    pub fn new(program: &'a Program, kept: bool) -> Printer<'a> {
        let constant = constant_formals(program);
        let mut recorded = recorded(program);
        recorded.extend(used_first(program, &constant, &recorded));
        Printer {
            program,
            c: c_types::from_c(program),
            names: Names::of_file(program, kept),
            needs: Needs::default(),
            problems: Vec::new(),
            units: program.unit_ids().map(|u| (program.unit(u).symbol, u)).collect(),
            callers: Callers::of(program),
            constant,
            recorded,
            pointers: FxHashSet::default(),
            components: components(program),
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
            handed_out: Vec::new(),
            only_set: FxHashSet::default(),
            labels: FxHashMap::default(),
            out: Lines::default(),
        }
    }

    /// Begins a unit.
    pub fn enter(&mut self, unit: &Unit) {
        self.usage = Usage::of(self.program, unit);
        self.unset = perhaps_unset(self.program, unit, &self.constant, &self.recorded);
        self.unset.extend(set_in_branches(self.program, unit));
        self.used.clear();
        self.index.clear();
        self.may_hoist = false;
        self.sites = Sites::default();
        self.exchanges.clear();
        self.declaring = None;
        self.declared = None;
        self.extra_locals.clear();
        self.handed_out.clear();
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

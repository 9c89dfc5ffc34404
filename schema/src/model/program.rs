//! The whole program: scopes, symbols, units, call graph, sources and heads.

use super::expr::VarRef;
use super::handles::{Extras, ScopeId, Span, SymbolId, UnitId};
use super::stmt::{Call, CallArgument};
use super::symbol::{Passing, Storage, Symbol};
use super::symbols::Symbols;
use super::unit::Unit;
use crate::diagnostic::Location;
use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use std::fmt;

/// Which form of XAIF a document has, or is to have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Stock XAIF only, as the OpenAD tools write and read it.
    Openad,
    /// Stock XAIF with the extension namespace `urn:overbar:xaif:1`.
    #[default]
    Overbar,
}

/// Which dimension of an array varies fastest in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexOrder {
    /// The first (Fortran).
    #[default]
    Column,
    /// The last (C).
    Row,
}

/// A source file, carried along so that the back end can write a file that replaces it.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The name as the user gave it.
    pub file: String,
    /// `c` or `fortran`: for back ends only, the booster never looks at it.
    pub language: SmolStr,
    /// Fixed source form (Fortran); false for all else.
    pub fixed_form: bool,
    /// The whole text, empty where it is not to be carried.
    pub text: String,
    /// How it goes together with the files before it.
    pub joining: Joining,
}

impl Source {
    /// A file of a language.
    pub fn new(file: impl Into<String>, language: &str, fixed_form: bool, text: impl Into<String>) -> Source {
        Source { file: file.into(), language: language.into(), fixed_form, text: text.into(), joining: Joining::default() }
    }
}

/// How the text of a file can be written behind those of the files before it, as one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Joining {
    /// As it stands.
    #[default]
    AsItStands,
    /// Without inclusions of headers that a file before it includes.
    HeadersOnce,
    /// With some of its declarations said otherwise.
    Redeclared {
        /// Also without inclusions of headers that a file before it includes.
        headers_once: bool,
        /// What is said otherwise, in order.
        replaced: Vec<Replaced>,
    },
    /// Not at all: it would mean something else there.
    Apart {
        /// The line of what would, or 0.
        line: u32,
        /// Its column, or 0.
        column: u32,
        /// What would mean something else.
        why: String,
    },
}

/// A piece of a file's text that is written otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replaced {
    /// The line of its first character.
    pub line: u32,
    /// The column of its first character.
    pub column: u32,
    /// The line of the character behind it.
    pub end_line: u32,
    /// The column of the character behind it.
    pub end_column: u32,
    /// What stands there instead: on one line, without a semicolon.
    pub text: String,
}

impl Replaced {
    /// `LINE:COLUMN-LINE:COLUMN text`.
    fn word(&self) -> String {
        format!("{}:{}-{}:{} {}", self.line, self.column, self.end_line, self.end_column, self.text)
    }

    fn from_word(word: &str) -> Option<Replaced> {
        let (range, text) = word.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let place = |p: &str| p.split_once(':').and_then(|(l, c)| Some((l.parse().ok()?, c.parse().ok()?)));
        let ((line, column), (end_line, end_column)) = (place(start)?, place(end)?);
        Some(Replaced { line, column, end_line, end_column, text: text.to_owned() })
    }
}

impl Joining {
    /// As the XML form says it: nothing, `headersOnce`, `redeclared` with the pieces between semicolons, `LINE:COLUMN why`.
    pub fn word(&self) -> Option<String> {
        match self {
            Joining::AsItStands => None,
            Joining::HeadersOnce => Some("headersOnce".to_owned()),
            Joining::Redeclared { headers_once, replaced } => {
                let mut pieces = vec![if *headers_once { "redeclared headersOnce" } else { "redeclared" }.to_owned()];
                pieces.extend(replaced.iter().map(Replaced::word));
                Some(pieces.join(";"))
            }
            Joining::Apart { line, column, why } => Some(format!("{line}:{column} {why}")),
        }
    }

    /// From the XML form.
    pub fn from_word(word: &str) -> Option<Joining> {
        if word == "headersOnce" {
            return Some(Joining::HeadersOnce);
        }
        if word.starts_with("redeclared") {
            let mut pieces = word.split(';');
            let headers_once = match pieces.next()? {
                "redeclared" => false,
                "redeclared headersOnce" => true,
                _ => return None,
            };
            return Some(Joining::Redeclared { headers_once, replaced: pieces.map(Replaced::from_word).collect::<Option<_>>()? });
        }
        let (place, why) = word.split_once(' ')?;
        let (line, column) = place.split_once(':')?;
        Some(Joining::Apart { line: line.parse().ok()?, column: column.parse().ok()?, why: why.to_owned() })
    }
}

/// A scope: a table of symbols inside another scope.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scope {
    /// `vertex_id` in the XML.
    pub id: SmolStr,
    /// The enclosing scope; `None` for a root.
    pub parent: Option<ScopeId>,
    /// `edge_id` of the edge to the enclosing scope.
    pub edge_id: SmolStr,
    /// Annotation, verbatim.
    pub annotation: SmolStr,
    /// The symbols, in the order of declaration.
    pub symbols: Vec<SymbolId>,
    /// Uninterpreted attributes.
    pub extras: Extras,
    /// Where it stands.
    pub span: Span,
}

/// A range of virtual addresses of an [`AliasSet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AliasRange {
    /// First address.
    pub from: u64,
    /// Last address.
    pub to: u64,
    /// False where the whole object is meant.
    pub partial: bool,
}

/// An entry of the alias map. Key 0 means that nothing is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AliasSet {
    /// The key that references use.
    pub key: u32,
    /// The addresses.
    pub ranges: Vec<AliasRange>,
}

/// An entry of the du/ud or do map. Key 0 means that nothing is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StatementSet {
    /// The key that references use.
    pub key: u32,
    /// Statement ids of the referring unit; the empty id is "outside this unit".
    pub statements: Vec<SmolStr>,
}

/// An edge of the call graph.
#[derive(Clone, Debug, PartialEq)]
pub struct CallEdge {
    /// `edge_id` in the XML.
    pub id: SmolStr,
    /// The calling unit.
    pub caller: UnitId,
    /// The called unit.
    pub callee: UnitId,
    /// Uninterpreted attributes.
    pub extras: Extras,
}

/// What is to be differentiated: `unit(dependents)/(independents)`, by source names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The unit's name.
    pub unit: String,
    /// The dependents; `None`: every real argument (and the result) that is written.
    pub dependents: Option<Vec<String>>,
    /// The independents; `None`: every real argument that is read.
    pub independents: Option<Vec<String>>,
}

/// As it is written: `unit(dependents)/(independents)`, without what is left out.
impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.unit)?;
        if let Some(list) = &self.dependents {
            write!(f, "({})", list.join(","))?;
        }
        if let Some(list) = &self.independents {
            write!(f, "/({})", list.join(","))?;
        }
        Ok(())
    }
}

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// `program_name`.
    pub name: SmolStr,
    /// `prefix` of the symbols that a booster creates.
    pub prefix: SmolStr,
    /// The dialect it was read in, or is to be written in.
    pub dialect: Dialect,
    /// Which dimension varies fastest.
    pub index_order: IndexOrder,
    /// True if names that differ only in case are the same name (Fortran).
    pub case_insensitive: bool,
    /// Name of the XAIF document, for diagnostics; empty if it was never XML.
    pub document: String,
    /// The source files.
    pub sources: Vec<Source>,
    /// What the file itself asks to be differentiated.
    pub heads: Vec<Head>,
    /// All scopes; the first is the file's own.
    pub scopes: Vec<Scope>,
    /// All symbols of all scopes.
    pub symbols: Symbols,
    /// Alias sets, in order of keys.
    pub alias_sets: Vec<AliasSet>,
    /// Definition-use and use-definition sets.
    pub duud_sets: Vec<StatementSet>,
    /// Definition-overwrite sets.
    pub do_sets: Vec<StatementSet>,
    /// The units, in document order.
    pub units: Vec<Unit>,
    /// Who calls whom.
    pub calls: Vec<CallEdge>,
    /// What made the derivative units: tool version, options, hash of the request. For the comment over generated code; empty in input.
    pub provenance: String,
    /// Uninterpreted attributes of the root.
    pub extras: Extras,
}

impl Program {
    /// A scope by handle.
    pub fn scope(&self, id: ScopeId) -> &Scope {
        &self.scopes[id.index()]
    }

    /// A symbol by handle.
    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.index()]
    }

    /// A symbol by handle, to be changed.
    pub fn symbol_mut(&mut self, id: SymbolId) -> &mut Symbol {
        &mut self.symbols[id.index()]
    }

    /// A unit by handle.
    pub fn unit(&self, id: UnitId) -> &Unit {
        &self.units[id.index()]
    }

    /// All unit handles in document order.
    pub fn unit_ids(&self) -> impl Iterator<Item = UnitId> + use<> {
        (0..self.units.len() as u32).map(UnitId)
    }

    /// All symbol handles.
    pub fn symbol_ids(&self) -> impl Iterator<Item = SymbolId> + use<> {
        (0..self.symbols.len() as u32).map(SymbolId)
    }

    /// Adds a scope and returns its handle. An empty id is replaced by a running number.
    pub fn add_scope(&mut self, mut scope: Scope) -> ScopeId {
        let id = ScopeId(self.scopes.len() as u32);
        if scope.id.is_empty() {
            scope.id = smol_str::format_smolstr!("{}", id.0 + 1);
        }
        self.scopes.push(scope);
        id
    }

    /// Adds a symbol to its scope and returns its handle.
    pub fn add_symbol(&mut self, symbol: Symbol) -> SymbolId {
        let id = SymbolId(self.symbols.len() as u32);
        self.scopes[symbol.scope.index()].symbols.push(id);
        self.symbols.push(symbol);
        id
    }

    /// Adds a unit and returns its handle.
    pub fn add_unit(&mut self, unit: Unit) -> UnitId {
        let id = UnitId(self.units.len() as u32);
        self.units.push(unit);
        id
    }

    /// Takes units out, with the edges of the call graph at them, and numbers the others anew. Their symbols and scopes stay.
    pub fn remove_units(&mut self, gone: &dyn Fn(UnitId) -> bool) {
        let mut next = 0;
        let mut place: Vec<Option<UnitId>> = Vec::with_capacity(self.units.len());
        for u in self.unit_ids() {
            let stays = !gone(u);
            place.push(stays.then_some(UnitId(next)));
            next += u32::from(stays);
        }
        let mut at = place.iter();
        self.units.retain(|_| at.next().is_some_and(Option::is_some));
        let moved = |u: UnitId| place.get(u.index()).copied().flatten();
        for d in self.units.iter_mut().filter_map(|u| u.derivation.as_mut()) {
            d.of = moved(d.of).unwrap_or(d.of);
        }
        self.calls.retain_mut(|e| match (moved(e.caller), moved(e.callee)) {
            (Some(caller), Some(callee)) => {
                (e.caller, e.callee) = (caller, callee);
                true
            }
            _ => false,
        });
    }

    /// The unit that a subroutine symbol names, if the program contains it.
    pub fn unit_of_symbol(&self, symbol: SymbolId) -> Option<UnitId> {
        self.units.iter().position(|u| u.symbol == symbol).map(|i| UnitId(i as u32))
    }

    /// Whether a callee gets only the value of the argument at a position: the formal says so, or where the program has no text of it, its
    /// prototype (an attribute `arg:value` in the place of the parameter). Results are given back, however they are declared.
    pub fn passes_value(&self, call: &Call, position: u32) -> bool {
        match self.unit_of_symbol(call.callee) {
            Some(u) => {
                let formal = self.unit(u).formals.iter().find(|f| f.position == position);
                formal.is_some_and(|f| !f.result && self.symbol(f.symbol).passing() == Passing::Value)
            }
            None => self.passing_word(call, position) == Some("arg:value"),
        }
    }

    /// What the declaration of a unit that the program does not have says of a parameter: `arg:value`, `arg:reference`, or `arg:const` for a pointer to const.
    fn passing_word(&self, call: &Call, position: u32) -> Option<&str> {
        let mut words = self.symbol(call.callee).decl.iter().flat_map(|d| &d.attributes).filter(|a| a.starts_with("arg:"));
        words.nth((position as usize).saturating_sub(1)).map(|w| w.as_str())
    }

    /// What a call hands over so that the callee may change it: what is passed by reference and not fixed ([`Symbol::is_fixed`]), but for what a pointer to
    /// const leads to where a unit that the program does not have takes it as one. A cast may lift the const; then it does not.
    pub fn changeable<'c>(&self, call: &Call, argument: &'c CallArgument) -> Option<&'c VarRef> {
        argument.value.as_var().filter(|r| {
            let symbol = self.symbol(r.symbol);
            let constant = *symbol.storage() == Storage::Argument && symbol.has_attribute("const");
            let handed_on =
                constant && self.unit_of_symbol(call.callee).is_none() && self.passing_word(call, argument.position) == Some("arg:const");
            !self.passes_value(call, argument.position) && !symbol.is_fixed() && !handed_on
        })
    }

    /// The unit of that source name (case as [`Program::case_insensitive`] says), containers left out.
    pub fn unit_named(&self, name: &str) -> Option<UnitId> {
        self.unit_ids().find(|&u| !self.unit(u).is_container() && self.same_name(self.unit_name(u), name))
    }

    /// The source name of a unit.
    pub fn unit_name(&self, unit: UnitId) -> &str {
        &self.symbol(self.unit(unit).symbol).name
    }

    /// Whether two names are the same in the program's language.
    pub fn same_name(&self, a: &str, b: &str) -> bool {
        if self.case_insensitive { a.eq_ignore_ascii_case(b) } else { a == b }
    }

    /// The variables that the bounds of a scope's arrays name, each once, in text order.
    pub fn extents_named(&self, scope: ScopeId) -> Vec<SymbolId> {
        let mut out: Vec<SymbolId> = Vec::new();
        let mut seen = FxHashSet::default();
        let symbols = self.scopes.get(scope.index()).map_or(&[][..], |s| &s.symbols);
        for e in symbols.iter().filter_map(|&s| self.symbol(s).decl.as_ref()).flat_map(|d| d.bound_exprs()) {
            e.for_each_ref(&mut |r| out.extend(Some(r.symbol).filter(|&s| seen.insert(s))));
        }
        out
    }

    /// The symbol of that source name visible from a scope, innermost first.
    pub fn lookup(&self, scope: ScopeId, name: &str) -> Option<SymbolId> {
        let mut at = Some(scope);
        // A malformed file may have a cycle of scopes: no chain is longer than there are scopes.
        for _ in 0..=self.scopes.len() {
            let s = self.scope(at?);
            if let Some(&id) = s.symbols.iter().find(|&&id| self.same_name(&self.symbol(id).name, name)) {
                return Some(id);
            }
            at = s.parent;
        }
        None
    }

    /// The first and the last line of a unit; of a derivative unit those of the user's own unit that it comes from.
    pub fn ends_of(&self, unit: &Unit) -> (Span, Span) {
        let mut at = unit;
        // A malformed file may have a cycle of derivations.
        for _ in 0..self.units.len() {
            match at.derivation.and_then(|d| self.units.get(d.of.index())) {
                Some(original) => at = original,
                None => break,
            }
        }
        let span = at.span;
        // A span may end at the start of the line behind the unit.
        let last = if span.end_column <= 1 && span.end_line > span.line { span.end_line - 1 } else { span.end_line.max(span.line) };
        (
            Span { end_line: span.line, end_column: u32::MAX, ..span },
            Span { line: last, column: 1, end_line: last, end_column: u32::MAX, ..span },
        )
    }

    /// A place for a diagnostic; `None` where the span is unknown.
    pub fn location(&self, span: Span) -> Option<Location> {
        if !span.is_known() {
            return None;
        }
        let file = match self.sources.get(span.source.index()) {
            Some(source) => source.file.clone(),
            None => self.document.clone(),
        };
        Some(Location { file, line: span.line, column: span.column, end_line: span.end_line, end_column: span.end_column })
    }
}

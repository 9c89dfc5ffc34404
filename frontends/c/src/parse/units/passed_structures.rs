//! Structures that calls pass: pointers to void that become structures, and what is refused.
//!
//! Lives here: questions about both sides of a call before members become arguments. Never here: these arguments (see `member_arguments`).

use super::member_arguments::Structures;
use crate::parse::structures::member_variables::open_dim;
use crate::parse::text::refusals::{POINTER_CAST, POINTER_TARGET, RECORD};
use smol_str::SmolStr;
use xaif::members::{REACHED, STRUCTURE, TYPE, UNTYPED, is_structure, way};
use xaif::model::{Decl, Intent, Passing, Span, StmtKind, Storage, Symbol, SymbolId, Unit, UnitId, VarRef};
use xaif::rows::{CONSTANT_ROWS, ROWS};
use xaif::{Diagnostic, Program};

/// A structure that a call passes: the callee's variable and the caller's reference.
pub(crate) struct PassedStructure {
    pub formal: SymbolId,
    pub actual: VarRef,
    pub place: Span,
}

impl Structures<'_> {
    /// Makes structures of pointers to void that a function only hands on to others that take them for such. Refuses other pointers that are handed on so, and
    /// structures that are handed to functions that use them without telling what they are.
    pub fn settle(&mut self, program: &mut Program) -> Vec<(UnitId, Diagnostic)> {
        let mut problems = Vec::new();
        loop {
            let mut pointers: Vec<(SymbolId, SymbolId)> = Vec::new();
            let mut numbers: Vec<(UnitId, SymbolId, SymbolId)> = Vec::new();
            problems.clear();
            for u in program.unit_ids() {
                for s in program.unit(u).graph.node_weights().flat_map(|v| v.stmts()) {
                    let StmtKind::Call(c) = &s.kind else { continue };
                    let Some(callee) = self.units.get(&c.callee).map(|u| program.unit(*u)) else { continue };
                    for a in &c.arguments {
                        let formal = callee.formals.iter().find(|f| f.position == a.position).map(|f| f.symbol);
                        let Some((formal, r)) = formal.zip(a.value.as_var()) else { continue };
                        let (wanted, given) = (program.symbol(formal), program.symbol(r.symbol));
                        if wanted.has_attribute(&UNTYPED) && !is_structure(wanted) {
                            match takes_numbers(wanted, given) {
                                Some(true) => {}
                                Some(false) => numbers.push((u, r.symbol, formal)),
                                None => problems.push((u, other_numbers(program, s.span, r.symbol))),
                            }
                            continue;
                        }
                        match (is_structure(wanted), is_structure(given)) {
                            (true, false) if given.pointer && *given.storage() == Storage::Argument => pointers.push((r.symbol, formal)),
                            (true, false) => problems.push((u, unknown_structure(program, s.span, r.symbol))),
                            (false, true) if mentions(callee, formal) => problems.push((u, unknown_structure(program, s.span, r.symbol))),
                            _ => {}
                        }
                    }
                }
            }
            if pointers.is_empty() && numbers.is_empty() {
                return problems;
            }
            for (unit, pointer, formal) in numbers {
                become_numbers(program, unit, pointer, formal);
            }
            for (pointer, formal) in pointers {
                self.become_structure(program, pointer, formal);
            }
        }
    }

    /// A pointer to void stands for the structure that a callee takes it for.
    fn become_structure(&mut self, program: &mut Program, pointer: SymbolId, formal: SymbolId) {
        let like = program.symbol(formal).clone();
        let (words, text) = like.decl.map_or_else(Default::default, |d| (d.attributes, d.type_text));
        let symbol = program.symbol_mut(pointer);
        (symbol.kind, symbol.pointer, symbol.ty, symbol.rank) = (like.kind, false, like.ty, like.rank);
        let decl = symbol.decl.get_or_insert_default();
        let constant = decl.type_text.split_whitespace().any(|w| w == "const");
        decl.type_text = text;
        decl.passing = Passing::Reference;
        decl.may_alias = true;
        decl.dims = (0..like.rank).map(|_| open_dim()).collect();
        decl.attributes.extend(words.into_iter().filter(|w| *w == STRUCTURE || w.starts_with(TYPE)));
        decl.attributes.push(UNTYPED);
        decl.attributes.extend(constant.then(|| SmolStr::new_static("const")));
        let key = (symbol.scope.0, symbol.name.clone());
        self.by_name.insert(key, pointer);
    }

    /// The structures that calls of a unit pass.
    pub fn passed(&self, program: &Program, unit: &Unit) -> Vec<PassedStructure> {
        let mut out = Vec::new();
        for s in unit.graph.node_weights().flat_map(|v| v.stmts()) {
            let StmtKind::Call(c) = &s.kind else { continue };
            let Some(&callee) = self.units.get(&c.callee) else { continue };
            for a in &c.arguments {
                let Some(r) = a.value.as_var().filter(|r| is_structure(program.symbol(r.symbol))) else { continue };
                let formal = program.unit(callee).formals.iter().find(|f| f.position == a.position);
                if let Some(f) = formal.filter(|f| is_structure(program.symbol(f.symbol))) {
                    out.push(PassedStructure { formal: f.symbol, actual: r.clone(), place: s.span });
                }
            }
        }
        out
    }

    /// Structures with pointers that are used, which functions without a text may change.
    pub fn exposed_pointers(&self, program: &Program) -> Vec<(UnitId, Diagnostic)> {
        let mut out = Vec::new();
        for u in program.unit_ids() {
            for s in program.unit(u).graph.node_weights().flat_map(|v| v.stmts()) {
                let StmtKind::Call(c) = &s.kind else { continue };
                if self.units.contains_key(&c.callee) {
                    continue;
                }
                // Pointers to rows can be exchanged through a copy, too.
                for r in c.arguments.iter().filter_map(|a| a.value.as_var()).filter(|r| is_structure(program.symbol(r.symbol))) {
                    if let Some(&m) = self.members(r.symbol).iter().find(|m| leads_to_rows(program.symbol(**m))) {
                        let (name, callee) = (&program.symbol(m).name, &program.symbol(c.callee).name);
                        let d = Diagnostic::error(
                            RECORD,
                            format!("`{}` is passed to `{callee}`, whose text is not here", program.symbol(r.symbol).name),
                        )
                        .at(program.location(s.span))
                        .because(format!("it may exchange the rows that `{}` leads to", name.replace('%', "->")))
                        .help("give the function's text too, or pass one row");
                        out.push((u, d));
                    }
                }
                // A copy leaves the pointers as they are.
                for r in c.arguments.iter().filter(|a| !program.passes_value(c, a.position)).filter_map(|a| a.value.as_var()) {
                    let y = program.symbol(r.symbol);
                    let reached = |m: &&SymbolId| program.symbol(**m).has_attribute(&REACHED) && !y.has_attribute(&REACHED);
                    if is_structure(y)
                        && !y.has_attribute("const")
                        && let Some(&m) = self.members(r.symbol).iter().find(reached)
                    {
                        let (name, callee) = (&program.symbol(m).name, &program.symbol(c.callee).name);
                        let d = Diagnostic::error(RECORD, format!("`{}` is passed to `{callee}`, whose text is not here", y.name))
                            .at(program.location(s.span))
                            .because(format!(
                                "it may give another target to the pointer in it that is used as `{}`",
                                name.replace('%', "->")
                            ))
                            .help("give the function's text too, or declare its parameter `const`");
                        out.push((u, d));
                    }
                }
            }
        }
        out
    }
}

/// Whether a member is a pointer to pointers that may be set: `double **a`.
fn leads_to_rows(member: &Symbol) -> bool {
    way(member).is_some_and(|w| w.0.ends_with("**")) && !member.has_attribute(&CONSTANT_ROWS)
}

/// Whether what is given for a pointer to void is what the function takes it for; false: it is such a pointer itself. `None`: it is something else.
fn takes_numbers(wanted: &Symbol, given: &Symbol) -> Option<bool> {
    if given.pointer && *given.storage() == Storage::Argument {
        return Some(false);
    }
    let unsigned = |s: &Symbol| s.has_attribute("unsigned");
    let same = wanted.ty == given.ty && unsigned(wanted) == unsigned(given) && !given.has_attribute(&ROWS) && !is_structure(given);
    same.then_some(true)
}

/// A pointer to void that is only handed on points to the numbers that a callee takes it for.
fn become_numbers(program: &mut Program, unit: UnitId, pointer: SymbolId, formal: SymbolId) {
    let like = program.symbol(formal).clone();
    let symbol = program.symbol_mut(pointer);
    let constant = symbol.decl.as_ref().is_some_and(|d| d.type_text.split_whitespace().any(|w| w == "const"));
    let decl = Decl {
        attributes: like.decl.iter().flat_map(|d| &d.attributes).filter(|a| *a != "const" && *a != "restrict").cloned().collect(),
        may_alias: true,
        storage: Storage::Argument,
        ..like.decl.clone().map_or_else(Decl::default, |d| *d)
    };
    (symbol.kind, symbol.pointer, symbol.ty, symbol.rank) = (like.kind, false, like.ty, like.rank);
    symbol.decl = Some(Box::new(decl));
    if constant {
        symbol.decl.get_or_insert_default().attributes.push(SmolStr::new_static("const"));
    }
    for f in program.units[unit.index()].formals.iter_mut().filter(|f| f.symbol == pointer) {
        (f.intent, f.intent_declared) = (if constant { Intent::In } else { Intent::Inout }, constant);
    }
}

fn other_numbers(program: &Program, place: Span, symbol: SymbolId) -> Diagnostic {
    let name = program.symbol(symbol).name.replace('%', ".");
    Diagnostic::error(
        POINTER_CAST,
        format!("`{name}` is passed here, and is no array of the numbers that the called function takes it for"),
    )
    .at(program.location(place))
    .because("what is stored through a pointer to void could not be followed")
    .help("pass an array of the type to which the function casts the pointer")
}

/// Whether a unit's statements mention a symbol.
fn mentions(unit: &Unit, symbol: SymbolId) -> bool {
    let mut found = false;
    for v in unit.graph.node_weights() {
        for s in v.stmts() {
            match &s.kind {
                StmtKind::Call(c) => c.arguments.iter().for_each(|a| a.value.for_each_ref(&mut |r| found |= r.symbol == symbol)),
                StmtKind::Marker(m) => found |= m.reads.contains(&symbol) || m.writes.contains(&symbol),
                _ => {}
            }
        }
    }
    found
}

fn unknown_structure(program: &Program, place: Span, symbol: SymbolId) -> Diagnostic {
    let name = program.symbol(symbol).name.replace('%', ".");
    Diagnostic::error(RECORD, format!("`{name}` is passed here, and is a structure on one side of the call only"))
        .at(program.location(place))
        .because("what the called function does to its members is not followed")
        .help("pass the structure itself, to a parameter of its type")
}

/// A structure that comes as a pointer to void and is another one than the function takes it for.
pub(crate) fn other_type(program: &Program, p: &PassedStructure) -> Option<Diagnostic> {
    let of = |s: SymbolId| program.symbol(s).decl.iter().flat_map(|d| &d.attributes).find_map(|a| a.strip_prefix(TYPE));
    let (wanted, given) = (of(p.formal)?, of(p.actual.symbol)?);
    (program.symbol(p.formal).has_attribute(&UNTYPED) && wanted != given).then(|| {
        let name = &program.symbol(p.formal).name;
        let [given, wanted] = [given, wanted].map(|t| t.split(" (").next().unwrap_or_default());
        Diagnostic::error(RECORD, format!("a `{given}` is passed for `{name}`, which is taken for a `{wanted}`"))
            .at(program.location(p.place))
            .because("which members lie where is not followed")
            .help("pass a structure of the type that the function casts the pointer to")
    })
}

/// Structures behind structures, passed on to a depth that only functions that call themselves come to.
const DEEPEST: usize = 12;

/// Whether a function passes what a structure of its own leads to where it gets that structure itself: as many structures as there are calls, or the same deeper and deeper.
pub(crate) fn is_endless(program: &Program, p: &PassedStructure) -> bool {
    let (formal, actual) = (program.symbol(p.formal), program.symbol(p.actual.symbol));
    let inside = |name: &str| name.strip_prefix(formal.name.as_str()).is_some_and(|rest| rest.starts_with('%'));
    actual.name.matches('%').count() > DEEPEST || formal.scope == actual.scope && inside(&actual.name)
}

/// The refusal of that.
pub(crate) fn without_end(program: &Program, p: &PassedStructure) -> Diagnostic {
    let name = program.symbol(p.actual.symbol).name.replace('%', ".");
    Diagnostic::error(POINTER_TARGET, format!("`{name}` is passed on by a function that calls itself"))
        .at(program.location(p.place))
        .because("how many structures stand behind one another is known only where it runs, and each of them would be an argument")
        .help("go along the structures in a loop, or pass them as an array")
}

pub(crate) fn no_target(program: &Program, p: &PassedStructure, path: &str) -> Diagnostic {
    let name = program.symbol(p.actual.symbol).name.replace('%', ".");
    Diagnostic::error(POINTER_TARGET, format!("`{name}` is passed, whose member `{}` is used", path.replace('%', ".")))
        .at(program.location(p.place))
        .because("the pointer on the way has no target that is known here")
        .help("give the pointer its target in the block that declares the structure, once")
}

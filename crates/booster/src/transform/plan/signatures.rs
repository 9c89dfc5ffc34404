//! Derivative units as their callers see them: name, scope, arguments.
//!
//! Lives here: what is fixed before a derivative unit has a body. Never here: copies of what the original declares (see `copies`).

use super::{Derived, Plan};
use crate::rules::Access;
use crate::signature::{Role, Signature, companion_intent};
use crate::transform::names::Taken;
use crate::transform::request::Directions;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::{SmolStr, format_smolstr};
use xaif::model::{
    Decl, Derivation, Formal, IndexOrder, Intent, Mode, Passing, Scope, ScopeId, StmtKind, Storage, Symbol, SymbolId, Unit, UnitId,
    UnitKind,
};
use xaif::open::{EXPLICIT, OPEN};
use xaif::{Diagnostic, Program};

impl Plan<'_> {
    /// Makes a derivative unit with its name and its scope.
    pub(super) fn name(&mut self, program: &mut Program, original: UnitId, mode: Mode) {
        let from = header(program.unit(original));
        if self.facts.externals.has(original) {
            return self.external(program, original, mode);
        }
        let head = self.head_of(original);
        let returns = self.with_values && head.is_some();
        let signature = Signature::of(program, &from, mode, (self.directions.are_several(), returns), &|k| {
            mode != Mode::Forward && self.formal_has_companion(program, original, k)
        });
        // the name
        let name_symbol = program.symbol(from.symbol).clone();
        let host = Plan::host(program, self.facts, original).and_then(|h| self.index_of(h, mode));
        let name_scope = host.map_or(name_symbol.scope, |h| self.derived[h].scope);
        let mut taken = Taken::visible_from(program, &self.everywhere, name_scope);
        let suffix = self.variant_suffix(program, original).replace('%', "_");
        let wish = format_smolstr!("{}{suffix}{}", name_symbol.name, self.names.unit_suffix(mode));
        let id = taken.fresh(&wish);
        let like = |d: &Derived| {
            let other = program.unit(d.original);
            let private = [&from.prefixes, &other.prefixes].into_iter().any(|list| list.iter().any(|p| p == "static"));
            let called = |s: SymbolId, name: &str| program.symbol(s).name == name;
            // Variants of one function stand in one file.
            private
                && other.span.source != program.unit(original).span.source
                && called(other.symbol, &name_symbol.name)
                && called(program.unit(d.unit).symbol, &wish)
        };
        // In a file of its own, as the original.
        let name = if id != wish && self.derived.iter().any(like) { wish.clone() } else { id.clone() };
        self.report_clash(program, &wish, &name, &name_symbol);
        let mut named = Symbol { id, name, scope: name_scope, temp: true, ..name_symbol };
        if !signature.is_function {
            named.ty = Symbol::subroutine("", name_scope).ty;
            if let Some(d) = &mut named.decl {
                d.type_text = SmolStr::default();
            }
        }
        let symbol = program.add_symbol(named);
        let parent = host.map(|h| self.derived[h].scope).or(program.scope(from.scope).parent);
        let scope = program.add_scope(Scope { parent, ..Scope::default() });
        let mut unit = Unit::new(symbol, scope);
        unit.kind = if signature.is_function { UnitKind::Function } else { UnitKind::Subroutine };
        unit.structured = from.structured;
        unit.imports = from.imports.clone();
        unit.prefixes =
            from.prefixes.iter().filter(|p| !matches!(p.as_str(), "pure" | "elemental" | "private" | "impure")).cloned().collect();
        if head.is_none() {
            // In C what no head asks for is nobody else's business either.
            let named = program.index_order == IndexOrder::Row && !self.heads.is_empty() && !self.facts.externals.has(original);
            let private = from.prefixes.iter().any(|p| p == "private") || named;
            unit.prefixes.extend(private.then(|| SmolStr::new_static("private")));
        }
        unit.comment = self.describe(program, original, mode, head);
        self.enter(program, unit, Derivation { of: original, mode }, signature, head);
    }

    /// The arguments with derivatives of a variant, by their names.
    fn active_arguments<'p>(&self, program: &'p Program, variant: UnitId) -> Vec<&'p str> {
        let formals = program.unit(variant).formals.iter().enumerate();
        let active = formals.filter(|(k, f)| !f.result && self.activity.formal(program, variant, *k).active);
        active.map(|(_, f)| program.symbol(f.symbol).name.as_str()).collect()
    }

    /// What stands between the name of a unit and the suffix of its derivative where that is for some calls only: `_x_y`.
    fn variant_suffix(&self, program: &Program, unit: UnitId) -> String {
        const MOST: usize = 3;
        if !self.facts.variants.contains_key(&unit) {
            return String::new();
        }
        let names = self.active_arguments(program, unit);
        if names.is_empty() || names.len() > MOST {
            return format!("_{}", names.len());
        }
        names.into_iter().fold(String::new(), |all, name| all + "_" + name)
    }

    /// Takes up a derivative unit.
    fn enter(&mut self, program: &mut Program, mut unit: Unit, derivation: Derivation, signature: Signature, head: Option<usize>) {
        let (Derivation { of: original, mode }, scope) = (derivation, unit.scope);
        unit.derivation = Some(derivation);
        let id = program.add_unit(unit);
        self.everywhere.add(program, program.unit_name(id));
        self.index.insert((original, mode), self.derived.len());
        self.derived.push(Derived {
            original,
            mode,
            unit: id,
            scope,
            signature,
            head,
            count: None,
            copies: FxHashMap::default(),
            originals: FxHashMap::default(),
            companions: FxHashMap::default(),
            own: Vec::new(),
            taken: Taken::default(),
            ids: FxHashSet::default(),
        });
    }

    /// The derivative of an external unit: there already, under the name that its rule gives.
    fn external(&mut self, program: &mut Program, original: UnitId, mode: Mode) {
        let Some(rule) = self.facts.externals.derivative(original, mode).cloned() else { return };
        let of = program.symbol(program.unit(original).symbol).clone();
        let result = program.unit(original).result().map(|f| program.symbol(f.symbol).ty);
        let known = program.scope(of.scope).symbols.iter().copied().find(|&s| program.same_name(&program.symbol(s).name, &rule.unit));
        let symbol = known.unwrap_or_else(|| {
            let ty = result.filter(|_| rule.signature.is_function).unwrap_or(Symbol::subroutine("", of.scope).ty);
            let type_text = of.decl.as_ref().filter(|_| rule.signature.is_function).map(|d| d.type_text.clone()).unwrap_or_default();
            let mut decl = Decl { storage: Storage::Extern, type_text, ..Decl::default() };
            decl.attributes.extend([OPEN, EXPLICIT].into_iter().filter(|a| of.has_attribute(a)).map(SmolStr::new_static));
            program.add_symbol(Symbol { ty, temp: true, decl: Some(Box::new(decl)), ..Symbol::subroutine(rule.unit.as_str(), of.scope) })
        });
        let scope = program.add_scope(Scope { parent: Some(ScopeId(0)), ..Scope::default() });
        let mut unit = Unit::new(symbol, scope);
        unit.kind = if rule.signature.is_function { UnitKind::Function } else { UnitKind::Subroutine };
        self.enter(program, unit, Derivation { of: original, mode }, rule.signature, None);
    }

    /// Says how derivatives of external units are called, and gives their callers the lines that they need for it.
    pub fn declare_externals(&self, program: &mut Program) {
        for d in self.derived.iter().filter(|d| self.facts.externals.has(d.original)) {
            let symbol = program.unit(d.unit).symbol;
            let words = crate::rules::declare::words(program, d.unit);
            let decl = program.symbol_mut(symbol).decl.get_or_insert_default();
            if decl.attributes.iter().all(|a| !a.starts_with("arg:")) && program.index_order == IndexOrder::Row {
                program.symbol_mut(symbol).decl.get_or_insert_default().attributes.extend(words);
            }
            let line = self.facts.externals.derivative(d.original, d.mode).and_then(|r| r.declaration.clone());
            let Some(line) = line else { continue };
            let calls = |u: &Unit| {
                let mut stmts = u.graph.node_weights().flat_map(|v| v.stmts());
                stmts.any(|s| matches!(&s.kind, StmtKind::Call(c) if c.callee == symbol))
            };
            for unit in program.units.iter_mut().filter(|u| u.derivation.is_some() && calls(u)) {
                if !unit.imports.contains(&line) {
                    unit.imports.push(line.clone());
                }
            }
        }
    }

    /// Declares the arguments of a derivative unit.
    pub(super) fn arguments(&mut self, program: &mut Program, at: usize, problems: &mut Vec<Diagnostic>) {
        let Derived { original, mode, unit: id, scope, head, .. } = self.derived[at];
        let signature = self.derived[at].signature.clone();
        let from = header(program.unit(original));
        let mut taken = Taken::visible_from(program, &self.everywhere, scope);
        taken.scope(program, from.scope);
        // Globals of other modules that the unit uses.
        if let Some(t) = self.facts.tables.get(original.index()) {
            t.objects.iter().for_each(|&s| taken.symbol(program, s));
        }
        self.derived[at].taken = taken;
        for (i, &role) in signature.roles.iter().enumerate() {
            let f = &from.formals[role.index()];
            let is_result = signature.is_function && i + 1 == signature.roles.len();
            let symbol = match role {
                Role::Primal(_) => {
                    let s = self.local(program, at, f.symbol);
                    if f.result && !is_result {
                        let decl = program.symbol_mut(s).decl.get_or_insert_default();
                        decl.passing = Passing::Reference;
                        decl.storage = Storage::Argument;
                    }
                    s
                }
                Role::Derivative(_) => {
                    let primal = self.local(program, at, f.symbol);
                    let c = self.make_companion(program, at, primal, true);
                    if f.result && mode != Mode::Tangent {
                        // It goes in as the result came out: as a value where the language passes scalars as values.
                        let by_value = program.symbol(f.symbol).passing() == Passing::Value || program.index_order == IndexOrder::Row;
                        program.symbol_mut(c).decl.get_or_insert_default().passing =
                            if by_value { Passing::Value } else { Passing::Reference };
                    }
                    c
                }
            };
            let intent = match role {
                Role::Primal(_) if f.result => Intent::Out,
                Role::Derivative(_) if f.result && mode == Mode::Tangent => Intent::Out,
                // What an adjoint leaves in an output is not specified: it need not be set. A reverse sweep starts from what the forward sweep left there.
                Role::Primal(_) if matches!(mode, Mode::Adjoint | Mode::Reverse) && f.intent == Intent::Out => Intent::Inout,
                Role::Primal(_) => f.intent,
                Role::Derivative(_) if f.result && mode != Mode::Tangent => Intent::In,
                Role::Derivative(_) => companion_intent(mode, f.intent),
            };
            let formal = Formal { intent_declared: f.intent_declared, result: is_result, ..Formal::new(i as u32 + 1, symbol, intent) };
            let formal = Formal { deriv: matches!(role, Role::Derivative(_)), ..formal };
            program.units[id.index()].formals.push(formal);
        }
        if let Some(h) = head.filter(|_| mode != Mode::Forward) {
            let named: Vec<SymbolId> = self.heads[h].dependents.iter().chain(&self.heads[h].independents).copied().collect();
            for s in named.into_iter().filter(|&s| from.formals.iter().all(|f| f.symbol != s)) {
                let copy = self.local(program, at, s);
                self.make_companion(program, at, copy, false);
            }
        }
        // The value of a result that is no argument is a local variable.
        for (k, f) in from.formals.iter().enumerate() {
            if f.result && !signature.roles.contains(&Role::Primal(k)) {
                let s = self.local(program, at, f.symbol);
                let decl = program.symbol_mut(s).decl.get_or_insert_default();
                decl.storage = Storage::Local;
                decl.passing = Passing::default();
            }
        }
        // The result's derivative exists before the locals do even where it is no argument; so do those that a head does not name.
        for k in 0..from.formals.len() {
            let f = &from.formals[k];
            let active = mode != Mode::Forward && self.activity.is_active(original, f.symbol);
            if active && !self.formal_has_companion(program, original, k) {
                let primal = self.local(program, at, f.symbol);
                if let Err(d) = self.local_companion_of_argument(program, at, primal, f.symbol) {
                    problems.push(d);
                }
            }
        }
    }

    pub(crate) fn report_clash(&mut self, program: &Program, wish: &str, name: &str, of: &Symbol) {
        if wish != name {
            let note = Diagnostic::warning("OB4022", format!("{wish} is taken: the derivative of {} is called {name}", of.name))
                .at(program.location(of.span))
                .help("if it is from an earlier run, give the text without it; choose other suffixes if the name matters");
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    /// What the caller of a head hands over as derivatives of the procedures that the original gets: a line for each.
    fn procedures_to_pass(&self, program: &Program, head: UnitId, mode: Mode) -> Vec<String> {
        let mut out = Vec::new();
        for (_, name) in xaif::open::gets(program.symbol(program.unit(head).symbol)) {
            let open = program.unit_ids().find(|&u| self.facts.externals.has(u) && program.same_name(program.unit_name(u), name));
            let Some(u) = open.filter(|&u| self.activity.is_differentiated(u)) else { continue };
            let (Some(rule), Some(derivative)) = (self.facts.externals.rule(u), self.facts.externals.derivative(u, mode)) else { continue };
            let list = |wanted: &dyn Fn(Access) -> bool| -> String {
                let real = rule.arguments.iter().enumerate().filter(|(_, a)| a.derivative && wanted(a.access));
                let named = real.map(|(k, a)| if rule.function && k + 1 == rule.arguments.len() { name } else { a.name.as_str() });
                named.collect::<Vec<_>>().join(",")
            };
            let (outputs, inputs) = (list(&|a| a != Access::Read), list(&|a| a != Access::Write));
            let head = format!("head {name}({outputs})/({inputs})");
            out.push(format!("{} is that of the procedure that is passed for {name}, {head}.", derivative.unit));
        }
        out
    }

    fn describe(&self, program: &Program, original: UnitId, mode: Mode, head: Option<usize>) -> String {
        let what = match mode {
            Mode::Tangent => "Tangent",
            Mode::Adjoint => "Adjoint",
            Mode::Forward => "Forward sweep",
            Mode::Reverse => "Reverse sweep",
        };
        let name = program.unit_name(original);
        let several = match self.directions {
            Directions::Counted if mode != Mode::Forward => " in several directions".to_owned(),
            Directions::Fixed(n) if mode != Mode::Forward => format!(" in {n} directions"),
            _ => String::new(),
        };
        match head.filter(|_| matches!(mode, Mode::Tangent | Mode::Adjoint)) {
            Some(h) => {
                let values = if self.with_values && mode == Mode::Adjoint { " with its values" } else { "" };
                let own = format!("{what} of {name}{several}{values}, head {}.", self.heads[h].describe(program));
                self.procedures_to_pass(program, original, mode).into_iter().fold(own, |all, line| all + "\n" + &line)
            }
            None if self.facts.variants.contains_key(&original) => {
                let names = self.active_arguments(program, original);
                let active = if names.is_empty() { "no argument".to_owned() } else { names.join(", ") };
                format!("{what} of {name}{several}, for calls in which {active} {} active.", if names.len() > 1 { "are" } else { "is" })
            }
            None => format!("{what} of {name}{several}."),
        }
    }
}

/// A unit without its graph.
fn header(unit: &Unit) -> Unit {
    Unit {
        kind: unit.kind,
        structured: unit.structured,
        formals: unit.formals.clone(),
        imports: unit.imports.clone(),
        prefixes: unit.prefixes.clone(),
        ..Unit::new(unit.symbol, unit.scope)
    }
}

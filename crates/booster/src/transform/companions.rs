//! Derivative variables: which symbol is whose companion, where it lives and how it is declared.
//!
//! Arguments and locals have theirs in the derivative unit, globals beside the global, variables of a COMMON block in a
//! derivative block of the same layout, variables of a host in the host's derivative. Never here: values.

use super::names::Taken;
use super::plan::Plan;
use crate::analysis::arrays::extents;
use smol_str::{SmolStr, format_smolstr};
use xaif::model::{Bound, Decl, Dim, Expr, IndexOrder, Mode, Passing, ScopeId, Storage, Symbol, SymbolId};
use xaif::{Diagnostic, Program};

impl Plan<'_> {
    /// The derivative of a symbol of the derivative unit, made if it does not exist yet. `argument`: it is handed in by the caller.
    pub fn make_companion(&mut self, program: &mut Program, at: usize, primal: SymbolId, argument: bool) -> SymbolId {
        if let Some(c) = self.derived[at].companion(primal) {
            return c;
        }
        let mode = self.derived[at].mode;
        let of = program.symbol(primal).clone();
        let wish = format_smolstr!("{}{}", of.name, self.names.variable_suffix(mode));
        let shared = !matches!(of.storage(), Storage::Local | Storage::Argument | Storage::Constant);
        if let Storage::Common(block) = of.storage() {
            let block = block.clone();
            return self.common_companions(program, at, primal, &block);
        }
        if of.scope != self.derived[at].scope {
            return self.companion_elsewhere(program, at, primal, &of);
        }
        let name = match of.name.split_once('%') {
            Some((base, path)) => {
                let local = self.derived[at].scope;
                let base = self
                    .structure_companion(program, of.scope, base, local, mode, argument, |plan, wish| plan.derived[at].taken.fresh(wish));
                format_smolstr!("{base}%{path}")
            }
            None => self.derived[at].taken.fresh(&wish),
        };
        if !name.contains('%') {
            self.report_clash(program, &wish, &name, &of);
        }
        let mut c = companion_symbol(&of, primal, name, self.derived[at].scope, mode, argument);
        // f(x, x) may read x under two names that promise not to overlap; the adjoint increments both.
        let d = &self.derived[at];
        let (unit, formal) = (d.original, d.original_of(primal));
        let writes = &self.facts.effects.unit(unit).writes;
        let read = |s: SymbolId| !writes.contains(&s);
        let mut known = self.facts.aliases.known(unit, formal).peekable();
        let handed_twice = known.peek().is_some() || read(formal) && self.facts.aliases.together(formal).any(read);
        if let Some(decl) = c.decl.as_mut().filter(|_| handed_twice) {
            let promised = decl.attributes.iter().any(|a| a == "restrict");
            if promised {
                decl.attributes.retain(|a| a != "restrict");
                decl.may_alias = true;
            } else if argument
                && mode != Mode::Tangent
                && !self.facts.externals.has(unit)
                && program.index_order == IndexOrder::Column
                && (open_end(decl) || self.changes_under_two_names(program, at, formal))
                && known.all(|s| program.unit(unit).formals.iter().any(|f| f.symbol == s))
            {
                // All arguments promise that in Fortran, and neither what has no end nor what is changed can have a copy; compilers take targets for what may overlap.
                decl.attributes.push("target".into());
                decl.may_alias = true;
            }
        }
        let c = program.add_symbol(c);
        self.derived[at].companions.insert(primal, c);
        // Of a static variable only what keeps nothing has a derivative.
        if !argument && (!shared || *of.storage() == Storage::Static) {
            self.derived[at].own.push((primal, c));
        }
        c
    }

    /// The derivative of a variable that is declared outside of the derivative unit: a global, or one of the host.
    fn companion_elsewhere(&mut self, program: &mut Program, at: usize, primal: SymbolId, of: &Symbol) -> SymbolId {
        let mode = self.derived[at].mode;
        let wish = format_smolstr!("{}{}", of.name, self.names.variable_suffix(mode));
        // a variable of the host
        if let Some(host) = self.derived.iter().position(|d| d.scope == of.scope) {
            let c = self.make_companion(program, host, primal, false);
            self.derived[at].companions.insert(primal, c);
            return c;
        }
        let canonical = self.facts.objects.canonical(primal);
        if let Some(&c) = self.globals.get(&(canonical, shared_by(mode))) {
            self.derived[at].companions.insert(primal, c);
            return c;
        }
        // A name that some unit has for a local would hide it there.
        let mut taken = Taken::anywhere(program, &self.everywhere);
        let name = match of.name.split_once('%') {
            Some((base, path)) => {
                let base = self.structure_companion(program, of.scope, base, of.scope, mode, false, |_, wish| taken.fresh(wish));
                self.everywhere.add(program, &base);
                format_smolstr!("{base}%{path}")
            }
            None => taken.fresh(&wish),
        };
        self.everywhere.add(program, &name);
        let id = name.clone();
        // In a file of its own, as the original.
        let name = if name != wish && self.is_of_like(program, canonical, &wish) { wish.clone() } else { name };
        if !name.contains('%') {
            self.report_clash(program, &wish, &name, of);
        }
        let c = Symbol { id, ..companion_symbol(of, primal, name, of.scope, mode, false) };
        let c = program.add_symbol(c);
        self.globals.insert((canonical, shared_by(mode)), c);
        self.derived[at].companions.insert(primal, c);
        c
    }

    /// Whether a name is that of the derivative of another variable at file scope with the same name, one of them private to its file.
    fn is_of_like(&self, program: &Program, canonical: SymbolId, wish: &str) -> bool {
        let of = program.symbol(canonical);
        self.globals.iter().any(|(&(other, _), &c)| {
            let like = program.symbol(other);
            let private = of.has_attribute("static") || like.has_attribute("static");
            other != canonical && private && like.name == of.name && program.symbol(c).name == wish
        })
    }

    /// Whether a call hands over the memory of a formal for another one, too, and the unit changes it by one of the names. Fortran forbids that, and compilers may count
    /// on it; where the original gets away with it, the reverse order would not.
    pub(super) fn changes_under_two_names(&self, program: &Program, at: usize, formal: SymbolId) -> bool {
        let d = &self.derived[at];
        let formals = &program.unit(d.original).formals;
        let is_formal = |s: SymbolId| formals.iter().any(|f| f.symbol == s);
        let written = |s: SymbolId| self.facts.effects.unit(d.original).writes.contains(&s);
        let mut others = self.facts.aliases.known(d.original, formal).filter(|&s| is_formal(s));
        program.index_order == IndexOrder::Column
            && d.mode != Mode::Tangent
            && is_formal(formal)
            && !self.facts.externals.has(d.original)
            && others.any(|s| written(s) || written(formal))
    }

    /// The name of the derivative of a structure, which is declared with it: its components are named after it.
    #[allow(clippy::too_many_arguments)] // what a derivative is made of
    fn structure_companion(
        &mut self,
        program: &mut Program,
        scope: ScopeId,
        base: &str,
        into: ScopeId,
        mode: Mode,
        argument: bool,
        fresh: impl FnOnce(&mut Self, &str) -> SmolStr,
    ) -> SmolStr {
        let found = program.scope(scope).symbols.iter().copied().find(|s| program.same_name(&program.symbol(*s).name, base));
        let Some(structure) = found else { return format_smolstr!("{base}{}", self.names.variable_suffix(mode)) };
        let of = program.symbol(structure).clone();
        if let Some(&c) = self.structures.get(&(structure, into, shared_by(mode))) {
            let name = program.symbol(c).name.clone();
            // Where some derivatives of its components are handed in, all of it is.
            if argument && *program.symbol(c).storage() != Storage::Argument {
                let handed = companion_symbol(&of, structure, name.clone(), into, mode, argument);
                program.symbol_mut(c).decl = handed.decl;
            }
            return name;
        }
        let wish = format_smolstr!("{}{}", of.name, self.names.variable_suffix(mode));
        let name = fresh(self, &wish);
        self.report_clash(program, &wish, &name, &of);
        let mut c = companion_symbol(&of, structure, name.clone(), into, mode, argument);
        c.decl.get_or_insert_default().derivative_of = Some(structure);
        let c = program.add_symbol(c);
        self.structures.insert((structure, into, shared_by(mode)), c);
        name
    }

    /// The derivative COMMON block: all active variables of the block, in its order, so that every derivative unit lays it out alike.
    fn common_companions(&mut self, program: &mut Program, at: usize, primal: SymbolId, block: &str) -> SymbolId {
        let mode = self.derived[at].mode;
        let original = self.derived[at].original;
        let derivative_block = self.derivative_block(block, shared_by(mode));
        let scope = program.unit(original).scope;
        let members: Vec<SymbolId> = program
            .scope(scope)
            .symbols
            .iter()
            .copied()
            .filter(|&s| matches!(program.symbol(s).storage(), Storage::Common(b) if program.same_name(b, block)))
            .filter(|&s| self.has_companion_anywhere(s))
            .collect();
        let mut wanted = None;
        for m in members {
            let copy = self.local(program, at, m);
            if self.derived[at].companion(copy).is_none() {
                let of = program.symbol(copy).clone();
                let wish = format_smolstr!("{}{}", of.name, self.names.variable_suffix(mode));
                let name = self.derived[at].taken.fresh(&wish);
                self.report_clash(program, &wish, &name, &of);
                let mut c = companion_symbol(&of, copy, name, self.derived[at].scope, mode, false);
                if let Some(d) = &mut c.decl {
                    d.storage = Storage::Common(derivative_block.clone());
                }
                let c = program.add_symbol(c);
                self.derived[at].companions.insert(copy, c);
                self.globals.entry((self.facts.objects.canonical(m), shared_by(mode))).or_insert(c);
            }
            if copy == primal {
                wanted = self.derived[at].companion(copy);
            }
        }
        wanted.unwrap_or(primal)
    }

    /// A derivative of an active argument that the head does not name.
    pub(super) fn local_companion_of_argument(
        &mut self,
        program: &mut Program,
        at: usize,
        primal: SymbolId,
        original: SymbolId,
    ) -> Result<(), Diagnostic> {
        let of = program.symbol(primal).clone();
        let decl = of.decl.clone().unwrap_or_default();
        let mut dims = Vec::new();
        let inside = of.name.contains('%');
        // Where no loop comes to an element the extent need not be positive.
        let mut guarded = false;
        for k in 0..of.rank as usize {
            let known = known_extent(program, primal, k, &decl).filter(|d| !inside || fixed(d));
            guarded |= known.is_none();
            match known.or_else(|| self.gone_through(program, at, original, k).filter(|_| !inside)) {
                Some(d) => dims.push(d),
                None => return Err(self.not_named(program, at, original)),
            }
        }
        let c = self.make_companion(program, at, primal, false);
        let d = program.symbol_mut(c).decl.get_or_insert_default();
        d.dims = dims;
        d.storage = Storage::Local;
        d.passing = Passing::default();
        d.may_alias = false;
        d.attributes.extend(guarded.then(|| SmolStr::new_static("guarded")));
        d.attributes
            .retain(|a| !matches!(a.as_str(), "optional" | "nullable" | "restrict" | "contiguous" | "target" | "allocatable" | "pointer"));
        Ok(())
    }

    /// The bounds within which the unit goes through an argument, in terms of the derivative unit.
    fn gone_through(&mut self, program: &mut Program, at: usize, original: SymbolId, k: usize) -> Option<Dim> {
        let mut dim = extents::of(program, self.derived[at].original, original, k)?;
        for bound in [&mut dim.lower, &mut dim.upper] {
            if let Bound::Expr(e) = bound {
                e.for_each_ref_mut(&mut |r| r.symbol = self.local(program, at, r.symbol));
            }
        }
        Some(dim)
    }

    /// Why an argument that the head does not name has no derivative, with the head that names all such arguments.
    fn not_named(&self, program: &Program, at: usize, original: SymbolId) -> Diagnostic {
        let (unit, name) = (self.derived[at].original, &program.symbol(original).name);
        let place = program.location(program.symbol(original).span).or_else(|| program.location(program.unit(unit).span));
        let said = format!("{name} of {} needs a derivative, and the head does not name it", program.unit_name(unit));
        let help = match self.derived[at].head.and_then(|h| self.heads.get(h)) {
            Some(head) => {
                let mut whole = head.clone();
                for (k, f) in program.unit(unit).formals.iter().enumerate() {
                    if f.result || !self.activity.is_active(unit, f.symbol) || self.formal_has_companion(program, unit, k) {
                        continue;
                    }
                    let written = self.facts.effects.unit(unit).writes.contains(&f.symbol);
                    if written { whole.dependents.push(f.symbol) } else { whole.independents.push(f.symbol) }
                }
                format!(
                    "say --extent '{name}=...' with its number of elements, or write --head '{}'; the caller then passes the derivatives",
                    whole.describe(program)
                )
            }
            None => format!(
                "name {name} in the head, as a dependent if it is written or as an independent if it is read; the caller then passes its derivative"
            ),
        };
        Diagnostic::error("OB4020", said).at(place).because("its extent is not known, so no local array can hold the derivative").help(help)
    }

    /// The derivative of a global, by its canonical symbol, made visible in a derivative unit; `None` for what belongs to another unit.
    ///
    /// # Errors
    /// An allocatable variable, where its derivative cannot be allocated along with it.
    pub fn global_companion(&mut self, program: &mut Program, at: usize, global: SymbolId) -> Result<Option<SymbolId>, Diagnostic> {
        self.can_follow(program, at, global)?;
        let symbol = program.symbol(global).clone();
        if let Storage::Common(block) = symbol.storage() {
            let own = program.unit(self.derived[at].original).scope;
            let here = program.scope(own).symbols.iter().copied().find(|&m| self.facts.objects.canonical(m) == global);
            if let Some(m) = here {
                let copy = self.local(program, at, m);
                return Ok(Some(self.make_companion(program, at, copy, false)));
            }
            let block = block.clone();
            return Ok(self.foreign_common(program, at, global, &block));
        }
        if self.facts.objects.owner(global).is_some_and(|o| o != self.derived[at].original) {
            return Ok(None);
        }
        let copy = self.local(program, at, global);
        Ok(Some(self.make_companion(program, at, copy, false)))
    }

    /// The derivative block of a COMMON block that the unit itself does not declare.
    fn foreign_common(&mut self, program: &mut Program, at: usize, global: SymbolId, block: &str) -> Option<SymbolId> {
        let scope = program.symbol(global).scope;
        let mode = self.derived[at].mode;
        let members: Vec<SymbolId> = program.scope(scope).symbols.clone();
        let mut wanted = None;
        for m in members {
            let of = program.symbol(m).clone();
            let same = matches!(of.storage(), Storage::Common(b) if program.same_name(b, block));
            if !same || !self.has_companion_anywhere(m) {
                continue;
            }
            let c = match self.derived[at].companion(m) {
                Some(c) => c,
                None => {
                    let name = self.derived[at].taken.fresh(&format!("{}{}", of.name, self.names.variable_suffix(mode)));
                    let mut c = companion_symbol(&of, m, name, self.derived[at].scope, mode, false);
                    c.decl.get_or_insert_default().storage = Storage::Common(self.derivative_block(block, mode));
                    let c = program.add_symbol(c);
                    self.derived[at].companions.insert(m, c);
                    c
                }
            };
            if self.facts.objects.canonical(m) == global {
                wanted = Some(c);
            }
        }
        wanted
    }

    /// Whether a variable in COMMON is active, or a head names it, under whatever name.
    fn has_companion_anywhere(&self, s: SymbolId) -> bool {
        let object = self.facts.objects.canonical(s);
        self.active_shared.contains(&object) || self.heads.iter().any(|h| h.names_object(&self.facts.objects, object))
    }

    fn derivative_block(&self, block: &str, mode: Mode) -> SmolStr {
        format_smolstr!("{}{}", if block.is_empty() { "blank" } else { block }, self.names.unit_suffix(mode))
    }
}

/// An array that ends where its actual argument does.
fn open_end(decl: &Decl) -> bool {
    decl.passing != Passing::Descriptor && decl.dims.last().is_some_and(|d| matches!(d.upper, Bound::Unknown))
}

/// Both bounds are constants.
fn fixed(d: &Dim) -> bool {
    let constant = |b: &Bound| matches!(b, Bound::Expr(e) if e.as_int().is_some());
    constant(&d.lower) && constant(&d.upper)
}

/// The bounds of a dimension as expressions that hold on entry; those of a descriptor are asked for.
pub fn known_extent(program: &Program, symbol: SymbolId, k: usize, decl: &Decl) -> Option<Dim> {
    let _ = program;
    let declared = decl.dims.get(k);
    if let Some(Dim { lower: Bound::Expr(_), upper: Bound::Expr(_) }) = declared {
        return declared.cloned();
    }
    if decl.passing == Passing::Descriptor || decl.attributes.iter().any(|a| a == "allocatable") {
        let ask = |what: &str| Bound::Expr(Expr::op(what, [Expr::sym(symbol), Expr::int(k as i64 + 1)]));
        return Some(Dim { lower: ask("lbound"), upper: ask("ubound") });
    }
    None
}

fn companion_symbol(of: &Symbol, primal: SymbolId, name: SmolStr, scope: ScopeId, mode: Mode, argument: bool) -> Symbol {
    let mut c = Symbol { id: name.clone(), name, scope, temp: true, active: false, annotation: SmolStr::default(), ..of.clone() };
    let mut decl = of.decl.clone().unwrap_or_default();
    decl.derivative_of = Some(primal);
    decl.init = None;
    decl.init_text = SmolStr::default();
    decl.comment = SmolStr::default();
    let keep_const = argument && mode == Mode::Tangent;
    decl.attributes.retain(|a| !matches!(a.as_str(), "save" | "intrinsic" | "external" | "volatile") && (keep_const || a != "const"));
    if argument {
        decl.storage = Storage::Argument;
        if mode != Mode::Tangent && decl.passing == Passing::Value {
            decl.passing = Passing::Reference;
        }
    } else if matches!(decl.storage, Storage::Argument) {
        decl.storage = Storage::Local;
        decl.passing = Passing::default();
    }
    if decl.storage == Storage::Extern {
        decl.storage = Storage::Global;
    }
    c.decl = Some(decl);
    c.span = xaif::model::Span::NONE;
    c
}

/// Adjoints of shared variables are the same ones in whatever unit a sweep stands.
fn shared_by(mode: Mode) -> Mode {
    if mode == Mode::Tangent { mode } else { Mode::Adjoint }
}

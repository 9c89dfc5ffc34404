//! Identifiers.
//!
//! Lives here: which C name each symbol gets. Names stay as they are unless C forbids them or they would hide something that the code
//! needs. Never here: scoping rules of source languages.

use crate::unparse::language::identifiers::{BESIDE_HEADERS, BESSEL, RUNTIME_PREFIX, reserved};
use crate::unparse::language::library_names::is_of_library;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::{SmolStr, format_smolstr};
use xaif::Program;
use xaif::model::{Expr, NodeKind, Stmt, StmtKind, Storage, SymbolId, Unit, UnitKind, VertexKind};

/// The names of one program, and of the unit in hand.
#[derive(Debug, Default)]
pub(crate) struct Names {
    global: FxHashMap<SymbolId, SmolStr>,
    global_taken: FxHashSet<SmolStr>,
    local: FxHashMap<SymbolId, SmolStr>,
    local_taken: FxHashSet<SmolStr>,
    /// Macros that the user's text defines.
    macros: FxHashSet<SmolStr>,
    /// The unit in hand calls Bessel functions.
    bessel: bool,
}

/// Whether a unit calls Bessel functions.
fn calls_bessel(unit: &Unit) -> bool {
    let is = |e: &Expr| e.nodes.iter().any(|n| matches!(&n.kind, NodeKind::Op(o) if o.name.starts_with("bessel_")));
    let has = |s: &Stmt| match &s.kind {
        StmtKind::Assignment { lhs, rhs } => is(rhs) || lhs.index_exprs().any(is),
        StmtKind::Call(c) => c.arguments.iter().any(|a| is(&a.value)),
        StmtKind::Runtime { arguments, .. } => arguments.iter().any(|a| is(&a.value)),
        _ => false,
    };
    unit.graph.node_weights().any(|v| match &v.kind {
        VertexKind::For(head) => has(&head.init) || is(&head.condition) || has(&head.update),
        VertexKind::Pre(e) | VertexKind::Post(e) | VertexKind::Branch(e) => is(e),
        _ => v.stmts().iter().any(|s| has(s)),
    })
}

fn legal(name: &str) -> String {
    let mut s: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if s.is_empty() || s.starts_with(|c: char| c.is_ascii_digit()) {
        s.insert(0, 'v');
    }
    s
}

/// The name itself, or the name with the first tail that makes it free.
///
/// A predicate that refuses a prefix could refuse every tail: names of the run-time support's kind get another beginning first.
fn unique(name: &str, taken: &dyn Fn(&str) -> bool) -> SmolStr {
    let base = legal(name);
    if !taken(&base) {
        return base.into();
    }
    let base = if base.starts_with(RUNTIME_PREFIX) { format!("v{base}") } else { format!("{base}_") };
    if !taken(&base) {
        return base.into();
    }
    numbered(base.trim_end_matches('_'), "_", taken)
}

/// The first of `base1`, `base2`, ... that is free. The names taken are finitely many, so there is one among the first of them.
fn numbered(base: &str, between: &str, taken: &dyn Fn(&str) -> bool) -> SmolStr {
    (1..u32::MAX).map(|k| format_smolstr!("{base}{between}{k}")).find(|n| !taken(n)).unwrap_or_else(|| base.into())
}

impl Names {
    /// Names at file scope. The user's own text keeps the names that it has.
    pub fn of_file(program: &Program, kept: bool) -> Names {
        let mut names = Names::default();
        for source in &program.sources {
            for line in source.text.lines() {
                let word = line.trim_start().strip_prefix('#').map(str::trim_start).and_then(|l| l.strip_prefix("define"));
                if let Some(rest) = word {
                    let name: String = rest.trim_start().chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                    names.macros.insert(name.into());
                }
            }
        }
        let mut containers: Vec<_> = program.units.iter().filter(|u| u.kind == UnitKind::Container).map(|u| u.scope).collect();
        containers.insert(0, xaif::model::ScopeId(0));
        containers.dedup();
        // Unit names go first: they are what callers know.
        let unit_symbols: Vec<SymbolId> = program.units.iter().filter(|u| u.kind != UnitKind::Container).map(|u| u.symbol).collect();
        let rest = containers.iter().filter_map(|s| program.scopes.get(s.index())).flat_map(|s| s.symbols.iter().copied());
        let commons = program.symbol_ids().filter(|&s| matches!(program.symbol(s).storage(), Storage::Common(_)));
        let all: Vec<SymbolId> = unit_symbols.into_iter().chain(rest).chain(commons).collect();
        let mut common: FxHashMap<(SmolStr, SmolStr), SmolStr> = FxHashMap::default();
        for id in all {
            // Members are called after their structures.
            if names.global.contains_key(&id) || program.symbol(id).name.contains('%') {
                continue;
            }
            let symbol = program.symbol(id);
            // The variables of a COMMON block are the same in all units that name them alike.
            let block = match symbol.storage() {
                Storage::Common(block) => Some((block.clone(), symbol.name.to_ascii_lowercase().into())),
                _ => None,
            };
            if let Some(name) = block.as_ref().and_then(|b| common.get(b)) {
                names.global.insert(id, name.clone());
                continue;
            }
            let taken = |n: &str| {
                names.global_taken.contains(n)
                    || (!kept && n != "main" && (reserved().contains(n) || is_of_library(n) || BESIDE_HEADERS.contains(&n)))
            };
            let name = if kept && legal(&symbol.name) == symbol.name.as_str() { symbol.name.clone() } else { unique(&symbol.name, &taken) };
            names.global_taken.insert(name.clone());
            if let Some(block) = block {
                common.insert(block, name.clone());
            }
            names.global.insert(id, name);
        }
        names
    }

    /// Names of a unit's own symbols; `outer`: symbols of the file that the unit refers to.
    pub fn enter(&mut self, program: &Program, unit: &Unit, outer: &FxHashSet<SymbolId>) {
        self.local.clear();
        self.bessel = calls_bessel(unit);
        self.local_taken = outer.iter().filter_map(|s| self.global.get(s)).cloned().collect();
        let Some(scope) = program.scopes.get(unit.scope.index()) else { return };
        // Procedures inside of this one stand at file scope.
        self.local_taken.extend(scope.symbols.iter().filter_map(|s| self.global.get(s)).cloned());
        // Formals go first, so that they keep their names where two collide.
        let formals = unit.formals.iter().map(|f| f.symbol);
        for id in formals.chain(scope.symbols.iter().copied()) {
            if self.global.contains_key(&id) || self.local.contains_key(&id) || program.symbol(id).name.contains('%') {
                continue;
            }
            let symbol = program.symbol(id);
            let taken = |n: &str| {
                self.local_taken.contains(n)
                    || self.is_called(n)
                    || (symbol.temp && self.macros.contains(n))
                    || n.starts_with(RUNTIME_PREFIX)
            };
            // What begins like the run-time support's names is spelled otherwise.
            let wish =
                symbol.name.strip_prefix("ob_").map_or(symbol.name.clone(), |rest| format_smolstr!("ob{}", rest.trim_start_matches('_')));
            let name = unique(&wish, &taken);
            self.local_taken.insert(name.clone());
            self.local.insert(id, name);
        }
    }

    /// Names that the unit in hand may need for the library.
    fn is_called(&self, name: &str) -> bool {
        reserved().contains(name) || (self.bessel && BESSEL.contains(&name.strip_suffix(['f', 'l']).unwrap_or(name)))
    }

    /// Leaves the unit in hand: what follows is at file scope.
    pub fn enter_file(&mut self) {
        self.local.clear();
        self.local_taken.clear();
        self.bessel = false;
    }

    /// The name of a symbol.
    pub fn of(&mut self, program: &Program, id: SymbolId) -> SmolStr {
        if let Some(n) = self.local.get(&id).or_else(|| self.global.get(&id)) {
            return n.clone();
        }
        // A symbol of a scope that is neither the unit's own nor the file's.
        let taken = |n: &str| self.local_taken.contains(n) || self.is_called(n) || n.starts_with(RUNTIME_PREFIX);
        let name = unique(&program.symbol(id).name, &taken);
        self.local_taken.insert(name.clone());
        self.local.insert(id, name.clone());
        name
    }

    /// Gives a symbol of the unit the name of another one.
    pub fn share(&mut self, id: SymbolId, name: SmolStr) {
        self.local.insert(id, name);
    }

    /// A name that nothing in the unit has.
    pub fn fresh(&mut self, wishes: &[&str]) -> SmolStr {
        let taken = |n: &str| self.local_taken.contains(n) || self.global_taken.contains(n) || self.macros.contains(n) || self.is_called(n);
        let name = match wishes.iter().find(|w| !taken(w)) {
            Some(w) => SmolStr::from(*w),
            None => numbered(wishes.last().copied().unwrap_or("k"), "", &taken),
        };
        self.local_taken.insert(name.clone());
        name
    }

    /// Lets a name from [`Names::fresh`] be used again.
    pub fn give_back(&mut self, name: &str) {
        self.local_taken.remove(name);
    }
}

//! A derivative unit's own copy of the original: graph, declarations, companions of what is active.
//!
//! Lives here: symbols that stand in derivative units. Never here: arguments (see `signatures`), derivative statements.

use super::Plan;
use crate::analysis::effects::kept::Keeps;
use crate::analysis::program::objects::extent;
use crate::analysis::program::steps;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use xaif::model::{Bound, Decl, Dim, ElemType, Expr, Extras, Mode, Stmt, StmtKind, Storage, Symbol, SymbolId, SymbolKind};
use xaif::{Diagnostic, Program};

impl Plan<'_> {
    /// The symbol that stands for an original's symbol in its derivative: a copy of what the unit or its host declares, else itself.
    pub fn local(&mut self, program: &mut Program, at: usize, symbol: SymbolId) -> SymbolId {
        let mut pending = Vec::new();
        let result = self.shallow_copy(program, at, symbol, &mut pending);
        while let Some((at, copy)) = pending.pop() {
            // Who declares one variable of a COMMON block declares all, in order.
            if let block @ Storage::Common(_) = program.symbol(copy).storage().clone() {
                let scope = program.symbol(self.derived[at].original_of(copy)).scope;
                for m in program.scope(scope).symbols.clone() {
                    if *program.symbol(m).storage() == block && !program.symbol(m).temp {
                        self.shallow_copy(program, at, m, &mut pending);
                    }
                }
            }
            let Some(mut decl) = program.symbol(copy).decl.clone() else { continue };
            for e in decl_exprs(&mut decl) {
                e.for_each_ref_mut(&mut |r| r.symbol = self.shallow_copy(program, at, r.symbol, &mut pending));
            }
            program.symbol_mut(copy).decl = Some(decl);
        }
        result
    }

    fn shallow_copy(&mut self, program: &mut Program, at: usize, symbol: SymbolId, pending: &mut Vec<(usize, SymbolId)>) -> SymbolId {
        if self.unit_names.contains(&symbol) {
            return symbol;
        }
        let (original, mode) = (self.derived[at].original, self.derived[at].mode);
        let owner = self.facts.objects.owner(symbol);
        let at = match owner {
            Some(o) if o == original => at,
            Some(o) => match self.index_of(o, mode) {
                Some(host) => host,
                None => return symbol,
            },
            None => return symbol,
        };
        if let Some(&c) = self.derived[at].copies.get(&symbol) {
            return c;
        }
        // A component needs the variable that it is a part of.
        if let Some((base, _)) = program.symbol(symbol).name.clone().split_once('%') {
            let scope = program.symbol(symbol).scope;
            let found = program.scope(scope).symbols.iter().copied().find(|s| program.same_name(&program.symbol(*s).name, base));
            if let Some(b) = found {
                self.shallow_copy(program, at, b, pending);
            }
        }
        let mut copy = program.symbol(symbol).clone();
        let keeps = || self.facts.kept.in_unit(self.derived[at].original).iter().find(|(s, _)| *s == symbol).map(|(_, k)| *k);
        let alone = || !self.facts.calls_itself(self.derived[at].original);
        if *copy.storage() == Storage::Static && keeps() == Some(Keeps::Nothing) && fits_on_stack(program, &copy) && alone() {
            let decl = copy.decl.get_or_insert_default();
            decl.storage = Storage::Local;
            decl.init = None;
            decl.attributes.retain(|a| a != "static" && a != "save");
        }
        if self.changes_under_two_names(program, at, symbol) {
            copy.decl.get_or_insert_default().attributes.push("target".into());
        }
        copy.scope = self.derived[at].scope;
        copy.id = copy.name.clone();
        if !self.derived[at].ids.insert(copy.id.to_lowercase()) {
            copy.id = self.derived[at].taken.fresh(&copy.name);
        }
        let copy = program.add_symbol(copy);
        self.derived[at].copies.insert(symbol, copy);
        self.derived[at].originals.insert(copy, symbol);
        pending.push((at, copy));
        copy
    }

    /// A new local variable; its name is the wish or close to it.
    pub fn temporary(&mut self, program: &mut Program, at: usize, wish: &str, ty: ElemType) -> SymbolId {
        let name = self.derived[at].taken.fresh(wish);
        let scope = self.derived[at].scope;
        program.add_symbol(Symbol { temp: true, ..Symbol::variable(name, ty, scope) })
    }

    /// A new local variable that is declared like another one.
    pub fn temporary_like(&mut self, program: &mut Program, at: usize, wish: &str, like: &Symbol, dims: Vec<Dim>) -> SymbolId {
        let name = self.derived[at].taken.fresh(wish);
        let mut s = Symbol {
            id: name.clone(),
            name,
            scope: self.derived[at].scope,
            temp: true,
            rank: dims.len() as u8,
            extras: Extras::default(),
            ..like.clone()
        };
        let mut decl = Decl { dims, type_text: s.decl.as_ref().map(|d| d.type_text.clone()).unwrap_or_default(), ..Decl::default() };
        decl.storage = Storage::Local;
        s.decl = Some(Box::new(decl));
        s.bounds.clear();
        s.pointer = false;
        s.kind = SymbolKind::Variable;
        program.add_symbol(s)
    }

    /// A free name in a derivative unit, which is taken from now on.
    pub fn fresh_name(&mut self, at: usize, wish: &str) -> SmolStr {
        self.derived[at].taken.fresh(wish)
    }

    /// Gives the derivative unit its copy of the original's graph, with copies of what the original declares, and companions of all that is active.
    pub fn copy_body(&mut self, program: &mut Program, at: usize) {
        let original = self.derived[at].original;
        let mut graph = program.unit(original).graph.clone();
        steps::number(&mut graph);
        if let Some(activity) = self.activity.unit(original) {
            crate::transform::marks::set(&mut graph, &activity.passive);
        }
        let scope = self.derived[at].scope;
        for v in graph.node_weights_mut() {
            if let xaif::model::VertexKind::Block { scope: s, stmts } = &mut v.kind {
                *s = scope;
                // What is said to compilers about the original need not hold of the derivative.
                stmts.retain(|s| {
                    let pragma = matches!(&s.kind, StmtKind::Marker(m) if m.class == xaif::model::MarkerClass::Pragma);
                    if pragma {
                        let note = left_behind(program, s);
                        // One of each kind is enough.
                        if !self.notes.iter().any(|d| d.code == note.code && d.message == note.message) {
                            self.notes.push(note);
                        }
                    }
                    !pragma
                });
            }
            crate::transform::walk::symbols_mut(v, &mut |s| *s = self.local(program, at, *s));
        }
        program.units[self.derived[at].unit.index()].graph = graph;
        if self.derived[at].mode == Mode::Forward {
            return;
        }
        let table = &self.facts.tables[original.index()];
        for &s in &table.objects {
            if !self.activity.is_active(original, s) || !program.symbol(s).ty.is_real() {
                continue;
            }
            // Of a COMMON variable the unit's own declaration, if it has one.
            let declared: Vec<SymbolId> = if matches!(program.symbol(s).storage(), Storage::Common(_)) {
                let own = program.unit(original).scope;
                program.scope(own).symbols.iter().copied().filter(|&m| self.facts.objects.canonical(m) == s).collect()
            } else {
                vec![s]
            };
            for m in declared {
                let primal = self.local(program, at, m);
                self.make_companion(program, at, primal, false);
            }
        }
    }

    /// The order of declaration: originals in their order, each with its derivative behind it, then what was added.
    pub fn finish(&self, program: &mut Program) {
        for d in &self.derived {
            let order: FxHashMap<SymbolId, usize> =
                program.scope(program.unit(d.original).scope).symbols.iter().enumerate().map(|(i, &s)| (s, i + 1)).collect();
            // What rows of derivatives are as long as comes before them.
            let mut key: FxHashMap<SymbolId, (usize, u8)> = d.count.map(|n| (n, (0, 0))).into_iter().collect();
            for (o, c) in &d.copies {
                key.insert(*c, (order.get(o).copied().unwrap_or(usize::MAX - 1), 0));
            }
            for (p, c) in &d.companions {
                if let Some(&(i, _)) = key.get(p) {
                    key.insert(*c, (i, 1));
                }
            }
            let symbols = &mut program.scopes[d.scope.index()].symbols;
            symbols.sort_by_key(|s| key.get(s).copied().unwrap_or((usize::MAX, 0)));
        }
    }
}

/// So many bytes a local variable may take: what C programs declare `static` may be long, and stacks are short.
const STACK: i64 = 1 << 16;

/// Whether a variable of this form may be a local one.
fn fits_on_stack(program: &Program, symbol: &Symbol) -> bool {
    let dims = symbol.decl.iter().flat_map(|d| &d.dims);
    let elements = dims.map(|d| extent(program, d)).try_fold(1i64, |n, e| n.checked_mul(e?));
    elements.is_some_and(|n| n <= STACK / i64::from(symbol.ty.bits.max(8) / 8))
}

/// The expressions of a declaration.
pub(crate) fn decl_exprs(decl: &mut Decl) -> impl Iterator<Item = &mut Expr> {
    decl.dims
        .iter_mut()
        .flat_map(|d| [&mut d.lower, &mut d.upper])
        .filter_map(|b| match b {
            Bound::Expr(e) => Some(e),
            Bound::Unknown => None,
        })
        .chain(&mut decl.init)
}

/// A pragma that derivative units do not have.
fn left_behind(program: &Program, s: &Stmt) -> Diagnostic {
    let words: Vec<&str> = s.text.trim_start_matches(['#', ' ']).split_whitespace().collect();
    // What comes in brackets is of one line alone.
    let kind: Vec<&str> =
        words.iter().map_while(|w| w.find('(').map_or(Some(*w), |k| Some(&w[..k])).filter(|w| !w.is_empty())).take(3).collect();
    let sign = if s.text.trim_start().starts_with('#') { "#" } else { "" };
    let message = format!("derivative code is without `{sign}{}`", kind.join(" "));
    let parallel = words.iter().take(2).any(|w| matches!(w.trim_start_matches(['!', '$', 'c', 'C', '*']), "omp" | "acc"));
    let d = if parallel {
        Diagnostic::warning("OB4110", message)
    } else {
        Diagnostic { severity: xaif::Severity::Note, ..Diagnostic::warning("OB4111", message) }
    };
    let d = d.at(program.location(s.span));
    if parallel {
        d.because(
            "the program is differentiated as it runs without it; in the adjoint, iterations that only read a variable add to its adjoint",
        )
        .help("derivatives run on one thread; parallelize them by hand where iterations add to different elements")
    } else {
        d.because("what holds of the original need not hold of its derivative")
    }
}

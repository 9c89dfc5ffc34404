//! What a unit refers to: the symbols of its statements, conditions and declarations, and the operations it applies.
//!
//! Lives here: walks that only collect. Never here: text.

use crate::unparse::language::types;
use crate::unparse::nesting::exchanges::Exchanges;
use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use std::collections::BTreeSet;
use xaif::model::{
    BaseType, Call, CallArgument, Expr, Intent, NodeKind, Program, Propagation, ScopeId, Stmt, StmtKind, Storage, Symbol, SymbolId,
    SymbolKind, Unit, UnitId, VarRef, VertexId, VertexKind,
};

/// What a unit refers to.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// Every symbol that the unit's statements, arguments and needed declarations refer to.
    pub symbols: BTreeSet<SymbolId>,
    /// Names of the operations it applies.
    pub operations: BTreeSet<SmolStr>,
    /// Names of kind parameters in literals and conversions.
    pub kinds: BTreeSet<SmolStr>,
    /// It records or restores values.
    pub records: bool,
    /// Symbols that its own statements set; what calls set of arguments is in [`sets`].
    assigned: BTreeSet<SymbolId>,
}

impl Uses {
    fn reference(&mut self, r: &VarRef) {
        self.symbols.insert(r.symbol);
        for e in r.index_exprs() {
            self.expr(e);
        }
    }

    fn expr(&mut self, e: &Expr) {
        for n in &e.nodes {
            match &n.kind {
                NodeKind::Var(r) => self.reference(r),
                NodeKind::Op(op) => {
                    self.operations.insert(op.name.clone());
                    self.kinds.extend(types::kind_of_conversion(&op.spelling).map(SmolStr::from));
                }
                NodeKind::FunctionCall(s) => {
                    self.symbols.insert(*s);
                }
                NodeKind::Const(c) if c.ty.base != BaseType::String => {
                    self.kinds.extend(c.spelling.split_once('_').map(|(_, kind)| SmolStr::from(kind)));
                }
                NodeKind::Const(_) | NodeKind::Bool(_) => {}
            }
        }
    }

    fn call(&mut self, call: &Call) {
        self.symbols.insert(call.callee);
        for a in &call.arguments {
            self.expr(&a.value);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assignment { lhs, rhs } => {
                self.assigned.insert(lhs.symbol);
                self.reference(lhs);
                self.expr(rhs);
            }
            StmtKind::Call(call) => self.call(call),
            StmtKind::Marker(m) => {
                self.assigned.extend(m.writes.iter().copied().chain(m.object.iter().map(|o| o.symbol)));
                self.symbols.extend(m.reads.iter().chain(&m.writes));
                if let Some(o) = &m.object {
                    self.reference(o);
                }
            }
            StmtKind::Runtime { name, arguments } => {
                self.records = true;
                for a in arguments {
                    self.assigned.extend(a.value.as_var().filter(|_| name != "push").map(|r| r.symbol));
                    self.expr(&a.value);
                }
            }
            StmtKind::Propagator(list) => {
                for p in list {
                    match p {
                        Propagation::Set { target, source }
                        | Propagation::SetNeg { target, source }
                        | Propagation::Inc { target, source }
                        | Propagation::Dec { target, source } => {
                            self.assigned.insert(target.symbol);
                            self.reference(target);
                            self.reference(source);
                        }
                        Propagation::Sax { y, .. } | Propagation::Saxpy { y, .. } | Propagation::Zero { target: y } => {
                            self.assigned.insert(y.symbol);
                            self.reference(y);
                        }
                    }
                }
            }
        }
    }

    /// Everything that a symbol's declaration refers to.
    fn declaration(&mut self, program: &Program, symbol: &Symbol) {
        if let Some(d) = &symbol.decl {
            d.bound_exprs().chain(&d.init).for_each(|e| self.expr(e));
            self.symbols.extend(named_in(program, symbol.scope, &d.init_text));
            // The copy of a variable may stand in a scope that does not know the kind, or knows another one of this name.
            let constant = |s: &SymbolId| *program.symbol(*s).storage() == Storage::Constant;
            self.symbols.extend(named_in(program, symbol.scope, &d.type_text).into_iter().filter(|s| !constant(s)));
            self.kinds.extend(identifiers(&d.type_text).map(SmolStr::from));
        }
    }

    /// Adds what the declarations of the symbols refer to, until nothing is added any more. Only symbols that `declared` accepts
    /// have a declaration in the unit.
    pub fn close(&mut self, program: &Program, declared: &dyn Fn(SymbolId) -> bool) {
        let mut done = FxHashSet::default();
        loop {
            let todo: Vec<SymbolId> = self.symbols.iter().copied().filter(|s| !done.contains(s)).collect();
            if todo.is_empty() {
                return;
            }
            for s in todo {
                done.insert(s);
                if declared(s) {
                    self.declaration(program, program.symbol(s));
                }
            }
        }
    }
}

/// The named constants of the program that a piece of declaration text mentions (`real(kind=wp)`).
pub fn named_in(program: &Program, scope: ScopeId, text: &str) -> Vec<SymbolId> {
    identifiers(text)
        .filter_map(|word| program.lookup(scope, word))
        .filter(|&s| {
            program.symbol(s).kind == SymbolKind::Variable && !matches!(program.symbol(s).storage(), Storage::Local | Storage::Static)
        })
        .collect()
}

/// The identifiers in a piece of text, string literals and exponents of numbers left out.
pub fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let c = rest.chars().next()?;
            if c == '\'' || c == '"' {
                let end = rest[1..].find(c).map_or(rest.len(), |e| e + 2);
                rest = &rest[end..];
            } else if c.is_ascii_digit() || c == '.' {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(rest.len());
                rest = &rest[end.max(1)..];
                rest = rest.strip_prefix('_').unwrap_or(rest);
            } else if c.is_ascii_alphabetic() {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                let (word, tail) = rest.split_at(end);
                rest = tail;
                return Some(word);
            } else {
                rest = &rest[c.len_utf8()..];
            }
        }
    })
}

/// What the statements of a unit refer to, its arguments included, declarations left out; exchanges of arrays have no loops in the text.
pub fn of_unit(unit: &Unit, exchanges: &Exchanges) -> Uses {
    let mut uses = Uses::default();
    uses.symbols.extend(unit.formals.iter().map(|f| f.symbol));
    let turns = exchanges.values().flat_map(|x| &x.turns);
    uses.symbols.extend(turns.flat_map(|t| t.arrays.iter().chain([&t.kept])));
    let written: FxHashSet<VertexId> = exchanges.values().flat_map(|x| &x.vertices).copied().collect();
    for v in unit.graph.node_indices().filter(|v| !written.contains(v)).map(|v| &unit.graph[v]) {
        match &v.kind {
            VertexKind::Block { stmts, .. } => stmts.iter().for_each(|s| uses.stmt(s)),
            VertexKind::For(f) => {
                uses.stmt(&f.init);
                uses.expr(&f.condition);
                uses.stmt(&f.update);
            }
            VertexKind::Pre(e) | VertexKind::Post(e) | VertexKind::Branch(e) => uses.expr(e),
            _ => {}
        }
    }
    uses
}

/// Whether a unit may set a variable: by a statement of its own, or by a call that gets it for an argument that is not INTENT(IN). What is handed to units without a
/// text is what the original hands them.
pub fn sets(program: &Program, unit: &Unit, uses: &Uses, symbol: SymbolId) -> bool {
    let handed_to = |c: &Call| {
        let callee = program.unit_of_symbol(c.callee).map(|u| &program.unit(u).formals);
        let named = |a: &&CallArgument| a.value.as_var().is_some_and(|r| r.symbol == symbol);
        let keeps = |a: &CallArgument| callee.is_none_or(|f| f.iter().any(|f| f.position == a.position && f.intent == Intent::In));
        c.arguments.iter().filter(named).any(|a| !keeps(a))
    };
    let mut statements = unit.graph.node_weights().flat_map(|v| v.stmts());
    uses.assigned.contains(&symbol) || statements.any(|s| matches!(&s.kind, StmtKind::Call(c) if handed_to(c)))
}

/// The units that a unit calls.
pub fn callees(program: &Program, unit: &Unit) -> Vec<UnitId> {
    let mut found = Vec::new();
    let mut add = |s: SymbolId| {
        if let Some(u) = program.unit_of_symbol(s)
            && !found.contains(&u)
        {
            found.push(u);
        }
    };
    for v in unit.graph.node_weights() {
        for s in v.stmts() {
            match &s.kind {
                StmtKind::Call(c) => add(c.callee),
                StmtKind::Assignment { rhs, .. } => rhs.nodes.iter().for_each(|n| {
                    if let NodeKind::FunctionCall(s) = n.kind {
                        add(s);
                    }
                }),
                _ => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #[test]
    fn identifiers_of_declaration_text() {
        let words = |t: &'static str| super::identifiers(t).collect::<Vec<_>>();
        assert_eq!(words("real(kind=wp)"), ["real", "kind", "wp"]);
        assert_eq!(words("1.5e-3_wp + 'a b' * n2"), ["wp", "n2"]);
        assert_eq!(words("(/ 1.d0, x /)"), ["x"]);
    }
}

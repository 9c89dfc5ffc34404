//! Derivatives that end in a rounding to whole numbers.
//!
//! ```text
//! n = (long)(100*x);   y = n/100.0        y counts x by steps: its derivative is zero almost everywhere
//! y = floor(x)                            the same within one expression
//! ```
//!
//! That is the derivative, but hardly ever what is wanted, so each place where it happens is told. Indices, conditions and enquiries are not meant.
//!
//! Lives here: which integers are made from active values, by whatever way, and what is computed from them. Never here: what is active.

use super::active::{Activity, UnitActivity};
use crate::analysis::facts::Facts;
use rustc_hash::FxHashSet;
use xaif::catalogue::{Catalogue, PartialKind};
use xaif::model::{BaseType, Call, Expr, NodeId, NodeKind, Operation, Span, Stmt, StmtKind, SymbolId, UnitId};
use xaif::{Diagnostic, Program, types};

/// Integers whose values come from values that depend on independents.
pub(super) struct Rounded<'a> {
    program: &'a Program,
    facts: &'a Facts,
    activity: &'a Activity,
    /// Canonical symbols.
    integers: FxHashSet<SymbolId>,
}

impl<'a> Rounded<'a> {
    /// Finds them in all units that heads reach.
    pub fn of(program: &'a Program, facts: &'a Facts, activity: &'a Activity) -> Rounded<'a> {
        let mut out = Rounded { program, facts, activity, integers: FxHashSet::default() };
        // What can set an integer.
        let mut open: Vec<(UnitId, &Stmt)> = Vec::new();
        for u in activity.reached() {
            let stmts = program.unit(u).graph.node_weights().flat_map(|v| v.stmts());
            open.extend(stmts.map(|s| (u, &**s)).filter(|(_, s)| match &s.kind {
                StmtKind::Assignment { lhs, .. } => out.is_integer(lhs.symbol),
                StmtKind::Call(c) => {
                    c.arguments.iter().any(|a| a.value.nodes.len() > 1 || a.value.as_var().is_some_and(|r| out.is_integer(r.symbol)))
                }
                _ => false,
            }));
        }
        loop {
            let before = out.integers.len();
            for (u, s) in &open {
                match &s.kind {
                    StmtKind::Assignment { lhs, rhs } if out.comes_from_varied(*u, rhs) => out.note(lhs.symbol),
                    StmtKind::Call(c) => out.through_call(*u, c),
                    _ => {}
                }
            }
            if out.integers.len() == before {
                return out;
            }
        }
    }

    fn is_integer(&self, s: SymbolId) -> bool {
        self.program.symbol(s).ty.base == BaseType::Integer
    }

    /// Whether a real variable depends on an independent. Where all that is made of it is an integer, it is not active.
    fn is_varied(&self, unit: UnitId, s: SymbolId) -> bool {
        let s = self.facts.objects.canonical(s);
        let within = |u: &UnitActivity| u.active.contains(&s) || u.entry_varied.contains(&s) || u.exit_varied.contains(&s);
        self.program.symbol(s).ty.is_real() && self.activity.unit(unit).is_some_and(within)
    }

    fn has(&self, s: SymbolId) -> bool {
        self.integers.contains(&self.facts.objects.canonical(s))
    }

    fn note(&mut self, s: SymbolId) {
        self.integers.insert(self.facts.objects.canonical(s));
    }

    fn comes_from_varied(&self, unit: UnitId, e: &Expr) -> bool {
        value_refs(e).any(|s| self.is_varied(unit, s) || self.has(s))
    }

    fn through_call(&mut self, unit: UnitId, call: &Call) {
        let program = self.program;
        let Some(callee) = program.unit_of_symbol(call.callee).filter(|&c| !program.unit(c).is_container()) else { return };
        for f in &program.unit(callee).formals {
            let Some(a) = call.arguments.iter().find(|a| a.position == f.position).filter(|_| self.is_integer(f.symbol)) else { continue };
            if !f.result && self.comes_from_varied(unit, &a.value) {
                self.note(f.symbol);
            }
            if let Some(r) = a.value.as_var()
                && self.has(f.symbol)
                && self.facts.effects.unit(callee).writes.contains(&f.symbol)
            {
                self.note(r.symbol);
            }
        }
    }

    /// The places of a unit where something real that counts is computed from them, or from what is rounded in the same expression.
    pub fn places(&self, unit: UnitId) -> Vec<Diagnostic> {
        let graph = &self.program.unit(unit).graph;
        let Some(table) = self.facts.tables.get(unit.index()) else { return Vec::new() };
        let mut out = Vec::new();
        for v in graph.node_indices() {
            for (k, s) in graph[v].stmts().iter().enumerate() {
                let message = match &s.kind {
                    StmtKind::Assignment { lhs, rhs } if self.program.symbol(lhs.symbol).ty.is_real() => {
                        self.told(unit, &self.program.symbol(lhs.symbol).name, rhs)
                    }
                    StmtKind::Call(c) => self.told_of_call(unit, c),
                    _ => None,
                };
                if let Some(message) = message
                    && self.activity.step(unit, table.numbering.at(v, k)).useful
                {
                    out.push(self.warning(message, s.span));
                }
            }
        }
        out
    }

    fn warning(&self, message: String, span: Span) -> Diagnostic {
        Diagnostic::warning("OB4007", message)
            .at(self.program.location(span))
            .because("the derivative does not pass through a rounding to whole numbers: it is taken as zero on this path")
    }

    /// What is to be said of a value that is computed like this.
    fn told(&self, unit: UnitId, name: &str, e: &Expr) -> Option<String> {
        if let Some(n) = (!self.integers.is_empty()).then(|| value_refs(e).find(|&s| self.has(s))).flatten() {
            let n = &self.program.symbol(n).name;
            return Some(format!("{name} is computed from the integer {n}, which was computed from an active value"));
        }
        let x = self.rounded_within(unit, e)?;
        Some(format!("{name} is computed from {}, which is rounded to a whole number on the way", self.program.symbol(x).name))
    }

    fn told_of_call(&self, unit: UnitId, call: &Call) -> Option<String> {
        let callee = self.program.unit_of_symbol(call.callee)?;
        let real = |position: u32| {
            let formal = self.program.unit(callee).formals.iter().find(|f| f.position == position);
            formal.filter(|f| !f.result && self.program.symbol(f.symbol).ty.is_real())
        };
        call.arguments.iter().find_map(|a| self.told(unit, &self.program.symbol(real(a.position)?.symbol).name, &a.value))
    }

    /// A variable that depends on an independent and whose value is rounded within an expression.
    fn rounded_within(&self, unit: UnitId, e: &Expr) -> Option<SymbolId> {
        // Most expressions have no such operation.
        if !e.nodes.iter().any(|n| matches!(&n.kind, NodeKind::Op(op) if rounds(op))) {
            return None;
        }
        let types = types::of_expr(self.program, e);
        let counts = wanted(e);
        e.nodes.iter().enumerate().find_map(|(i, n)| {
            let NodeKind::Op(op) = &n.kind else { return None };
            let operand: NodeId = *n.operands.first()?;
            let real = types[operand.index()].elem.base == BaseType::Real && types[i].elem.base != BaseType::Bool;
            if !counts[i] || !real || !rounds(op) {
                return None;
            }
            value_refs(&e.subexpr(operand)).find(|&s| self.is_varied(unit, s))
        })
    }
}

/// An operation on one value through which no derivative passes: a conversion to integers, `floor` and its like.
fn rounds(op: &Operation) -> bool {
    let entry = Catalogue::builtin().get(&op.name);
    entry.is_some_and(|e| matches!(&e.partials[..], [p] if p.kind == PartialKind::Passive && !p.inquiry))
}

/// Which vertices the value of an expression is made of: not conditions and enquiries.
fn wanted(e: &Expr) -> Vec<bool> {
    let mut wanted = vec![false; e.nodes.len()];
    if let Some(w) = wanted.last_mut() {
        *w = true;
    }
    for (i, n) in e.nodes.iter().enumerate().rev() {
        if wanted[i] {
            let skip = match &n.kind {
                NodeKind::Bool(_) => n.operands.len(),
                NodeKind::Op(op) if op.name == "select" => 1,
                NodeKind::Op(op) if matches!(op.name.as_str(), "size" | "lbound" | "ubound" | "len" | "epsilon" | "tiny" | "huge") => {
                    n.operands.len()
                }
                _ => 0,
            };
            n.operands.iter().skip(skip).for_each(|o| wanted[o.index()] = true);
        }
    }
    wanted
}

/// The variables whose values an expression is made of: not those in subscripts, conditions and enquiries.
fn value_refs(e: &Expr) -> impl Iterator<Item = SymbolId> + '_ {
    e.nodes.iter().zip(wanted(e)).filter_map(|(n, w)| match &n.kind {
        NodeKind::Var(r) if w => Some(r.symbol),
        _ => None,
    })
}

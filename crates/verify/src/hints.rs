//! What a program itself says of the values that it expects: the texts and whole numbers with which it compares, the values of its cases, and what it asks of lengths.
//!
//! Lives here: constants of the unit and of what it calls, expressions of the unit. Never here: what is drawn.

use super::subject::Subject;
use std::collections::{BTreeMap, BTreeSet};
use xaif::model::{BaseType, Bound, Expr, NodeKind, StmtKind, Storage, SymbolId, UnitId, VarRef, VertexKind};

/// Whole numbers beyond this are no flags.
const LARGEST: i64 = 1000;

/// Constants worth trying.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// Texts.
    pub texts: Vec<String>,
    /// Those that are compared with a variable of that name, or handed over beside it.
    pub own_texts: Vec<(String, String)>,
    /// Whole numbers with which a variable of that name is compared.
    pub numbers: Vec<(String, i64)>,
    /// Reals with which a variable of that name is compared, or which are added to one.
    pub levels: Vec<(String, f64)>,
    /// Integers on which the number of iterations of a loop depends.
    pub counts: BTreeSet<SymbolId>,
    /// Integers with which loops and arrays start.
    pub starts: BTreeSet<SymbolId>,
    /// Integer arguments with the expressions of other integer arguments with which the unit compares them: what a work array must be long, a leading dimension.
    pub lengths: BTreeMap<SymbolId, Vec<Expr>>,
    /// Variables that hold one number all the time.
    constants: BTreeMap<SymbolId, f64>,
}

/// A real number as either language writes it.
fn real(text: &str) -> Option<f64> {
    text.to_lowercase().replace('d', "e").parse().ok()
}

impl Hints {
    /// Of the unit and all that it calls.
    pub fn of(subject: &Subject) -> Hints {
        let mut out = Hints::default();
        for u in units(subject) {
            out.unit(subject, u);
        }
        out.array_bounds(subject);
        out
    }

    fn unit(&mut self, subject: &Subject, u: UnitId) {
        let graph = &subject.program.unit(u).graph;
        self.set_once(subject, u);
        for v in graph.node_indices() {
            match &graph[v].kind {
                VertexKind::Branch(c) => {
                    self.condition(subject, c);
                    if let Some(r) = c.as_var().filter(|r| r.subscripts.is_empty()) {
                        let values = graph.edges(v).filter_map(|e| e.weight().value);
                        let name = subject.name(r.symbol).to_owned();
                        values.for_each(|n| self.number(&name, n));
                    }
                }
                VertexKind::Pre(c) | VertexKind::Post(c) => self.condition(subject, c),
                VertexKind::For(head) => {
                    if let StmtKind::Assignment { rhs, .. } = &head.init.kind {
                        self.starts.extend(rhs.as_var().filter(|r| r.subscripts.is_empty()).map(|r| r.symbol));
                    }
                    head.condition.for_each_ref(&mut |r| {
                        self.counts.insert(r.symbol);
                    });
                }
                _ => {}
            }
            for s in graph[v].stmts() {
                match &s.kind {
                    StmtKind::Assignment { rhs, .. } => self.condition(subject, rhs),
                    StmtKind::Call(call) => self.beside(subject, call.arguments.iter().map(|a| &a.value)),
                    _ => {}
                }
            }
        }
    }

    /// Texts that a call gets along with variables that hold texts.
    fn beside<'e>(&mut self, subject: &Subject, arguments: impl Iterator<Item = &'e Expr>) {
        let (mut names, mut texts) = (Vec::new(), Vec::new());
        for e in arguments {
            if let Some(r) =
                e.as_var().filter(|r| matches!(subject.program.symbol(r.symbol).ty.value_base(), BaseType::Char | BaseType::String))
            {
                names.push(subject.name(r.symbol).to_owned());
            }
            texts.extend(
                e.as_constant().filter(|c| matches!(c.ty.value_base(), BaseType::Char | BaseType::String)).map(|c| c.value.to_string()),
            );
        }
        for (n, t) in names.iter().flat_map(|n| texts.iter().map(move |t| (n, t))) {
            self.own_text(n, t);
        }
    }

    fn own_text(&mut self, name: &str, text: &str) {
        if text.len() <= 40 && !self.own_texts.iter().any(|(n, t)| n == name && t == text) {
            self.own_texts.push((name.to_owned(), text.to_owned()));
        }
    }

    /// Integers that are bounds of arrays: what is an upper one somewhere is no start.
    fn array_bounds(&mut self, subject: &Subject) {
        let program = subject.program;
        let symbols = &program.scope(program.unit(subject.unit).scope).symbols;
        let dims = || symbols.iter().filter_map(|&s| program.symbol(s).decl.as_ref()).flat_map(|d| &d.dims);
        let bare = |b: &Bound| match b {
            Bound::Expr(e) => e.as_var().filter(|r| r.subscripts.is_empty()).map(|r| r.symbol),
            _ => None,
        };
        self.starts.extend(dims().filter_map(|d| bare(&d.lower)));
        for d in dims() {
            if let Bound::Expr(e) = &d.upper {
                e.refs().for_each(|r| {
                    self.starts.remove(&r.symbol);
                });
            }
        }
    }

    /// Notes variables to which a unit gives one number and no other.
    fn set_once(&mut self, subject: &Subject, u: UnitId) {
        let mut twice = BTreeSet::new();
        for s in subject.program.unit(u).graph.node_weights().flat_map(|v| v.stmts()) {
            let StmtKind::Assignment { lhs, rhs } = &s.kind else { continue };
            match rhs.as_constant().and_then(|c| real(&c.value)).filter(|_| lhs.subscripts.is_empty()) {
                Some(x) if !self.constants.contains_key(&lhs.symbol) => drop(self.constants.insert(lhs.symbol, x)),
                _ => drop(twice.insert(lhs.symbol)),
            }
        }
        self.constants.retain(|s, _| !twice.contains(s));
    }

    /// Whether a variable of that name is compared with whole numbers.
    pub fn compares(&self, name: &str) -> bool {
        self.numbers.iter().any(|(n, _)| n == name)
    }

    fn number(&mut self, name: &str, n: i64) {
        if n.abs() <= LARGEST && !self.numbers.iter().any(|(s, k)| s == name && *k == n) {
            self.numbers.push((name.to_owned(), n));
        }
    }

    fn texts(&mut self, e: &Expr) {
        for n in &e.nodes {
            if let NodeKind::Const(c) = &n.kind
                && matches!(c.ty.value_base(), BaseType::Char | BaseType::String)
                && c.value.len() <= 40
                && !self.texts.iter().any(|t| *t == c.value)
            {
                self.texts.push(c.value.to_string());
            }
        }
    }

    /// Constants beside reals.
    fn level(&mut self, subject: &Subject, e: &Expr) {
        let constant = |n: &xaif::model::Node| match &n.kind {
            NodeKind::Const(c) => real(&c.value),
            NodeKind::Var(r) => self.constants.get(&r.symbol).copied().or_else(|| {
                let d = subject.program.symbol(r.symbol).decl.as_ref()?;
                real(&d.init.as_ref().filter(|_| d.storage == Storage::Constant)?.as_constant()?.value)
            }),
            _ => None,
        };
        for n in e.nodes.iter().filter(|n| n.operands.len() == 2) {
            let sum = matches!(&n.kind, NodeKind::Op(o) if matches!(o.name.as_str(), "add_scal_scal" | "sub_scal_scal"));
            if !sum && !matches!(n.kind, NodeKind::Bool(_)) {
                continue;
            }
            let [a, b] = [n.operands[0], n.operands[1]].map(|o| e.node_at(o));
            for (v, c) in [(a, b), (b, a)] {
                let (Some(x), None) = (constant(c), constant(v)) else { continue };
                // Small summands say nothing of where a variable lies.
                if !x.is_finite() || x.abs() > 1e12 || (sum && x.abs() < 10.0) {
                    continue;
                }
                let name = if let NodeKind::Var(r) = &v.kind { subject.name(r.symbol) } else { "" };
                let real = !matches!(&v.kind, NodeKind::Var(r) if !subject.program.symbol(r.symbol).ty.is_real());
                if real && self.levels.len() < 200 && !self.levels.iter().any(|(s, y)| s == name && *y == x) {
                    self.levels.push((name.to_owned(), x));
                }
            }
        }
    }

    /// Comparisons of an integer argument of the unit with an expression of others.
    fn lengths(&mut self, subject: &Subject, e: &Expr) {
        let whole = |s: SymbolId| {
            let y = subject.program.symbol(s);
            subject.is_formal(s) && y.rank == 0 && y.ty.base == BaseType::Integer
        };
        for n in e.nodes.iter().filter(|n| matches!(n.kind, NodeKind::Bool(_)) && n.operands.len() == 2) {
            for (own, other) in [(n.operands[0], n.operands[1]), (n.operands[1], n.operands[0])] {
                let NodeKind::Var(r) = &e.node_at(own).kind else { continue };
                let other = e.subexpr(other);
                let plain = |o: &VarRef| o.subscripts.is_empty() && whole(o.symbol) && o.symbol != r.symbol;
                if r.subscripts.is_empty() && whole(r.symbol) && other.refs().next().is_some() && other.refs().all(plain) {
                    self.lengths.entry(r.symbol).or_default().push(other);
                }
            }
        }
    }

    fn condition(&mut self, subject: &Subject, e: &Expr) {
        self.texts(e);
        self.level(subject, e);
        self.lengths(subject, e);
        for n in e.nodes.iter().filter(|n| matches!(n.kind, NodeKind::Bool(_)) && n.operands.len() == 2) {
            let [a, b] = [n.operands[0], n.operands[1]].map(|o| &e.node_at(o).kind);
            let ((NodeKind::Var(r), NodeKind::Const(c)) | (NodeKind::Const(c), NodeKind::Var(r))) = (a, b) else { continue };
            if matches!(c.ty.value_base(), BaseType::Char | BaseType::String) {
                self.own_text(subject.name(r.symbol), &c.value);
            }
            if c.ty.base == BaseType::Integer
                && let Ok(k) = c.value.parse::<i64>()
            {
                self.number(subject.name(r.symbol), k);
            }
        }
    }
}

/// The unit and what it calls.
pub fn units(subject: &Subject) -> Vec<UnitId> {
    let mut units = vec![subject.unit];
    let mut at = 0;
    while let Some(&u) = units.get(at) {
        at += 1;
        for &c in subject.facts.tables.get(u.index()).map_or(&[][..], |t| &t.callees) {
            if !units.contains(&c) {
                units.push(c);
            }
        }
    }
    units
}

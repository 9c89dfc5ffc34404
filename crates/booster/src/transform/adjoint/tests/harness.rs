//! A unit put together by hand, its adjoint, and the comparison of both in the interpreter. Every real variable is active.

use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree;
use crate::transform::adjoint::facts::effects::Facts;
use crate::transform::adjoint::facts::frame::{Calls, Form, Frame};
use crate::transform::adjoint::shape::normalization;
use crate::transform::adjoint::unit::steps::sweeps;
use crate::transform::names::Everywhere;
use crate::transform::preaccumulate::{Ledger, Preaccumulate};
use overbar_evaluate::{self as evaluate, Data, Dual, Inputs, Limits, Values};
use rustc_hash::FxHashMap;
use xaif::build::GraphBuilder;
use xaif::model::*;
use xaif::{Diagnostic, Program};

pub const REAL: ElemType = ElemType::REAL64;
pub const INT: ElemType = ElemType::INTEGER;

/// No calls.
struct Nobody;

impl Calls for Nobody {
    fn call(&self, _: &mut dyn Surroundings, _: &Stmt, _: &Call) -> Result<Facts, Diagnostic> {
        Err(Diagnostic::error("OB4000", "no calls here"))
    }
    fn writes(&self, _: &Program, _: &Call) -> Vec<SymbolId> {
        Vec::new()
    }
}

/// A unit `f` in the making.
pub struct Unit {
    pub program: Program,
    pub scope: ScopeId,
    pub b: GraphBuilder,
    formals: Vec<SymbolId>,
    may_alias: bool,
}

impl Unit {
    pub fn new() -> Unit {
        let mut program = Program { index_order: IndexOrder::Row, ..Program::default() };
        let root = program.add_scope(Scope::default());
        let scope = program.add_scope(Scope { parent: Some(root), ..Scope::default() });
        Unit { program, scope, b: GraphBuilder::new(scope), formals: Vec::new(), may_alias: false }
    }

    pub fn aliasing() -> Unit {
        Unit { may_alias: true, ..Unit::new() }
    }

    fn symbol(&mut self, name: &str, ty: ElemType, extent: Option<i64>, storage: Storage, passing: Passing) -> SymbolId {
        let mut s = Symbol::variable(name, ty, self.scope);
        let dim = |n: i64| Dim { lower: Bound::Expr(Expr::int(0)), upper: Bound::Expr(Expr::int(n - 1)) };
        let dims: Vec<Dim> = extent.into_iter().map(dim).collect();
        s.rank = dims.len() as u8;
        s.decl = Some(Box::new(Decl { storage, passing, dims, may_alias: self.may_alias, ..Decl::default() }));
        self.program.add_symbol(s)
    }

    pub fn argument(&mut self, name: &str) -> SymbolId {
        let s = self.symbol(name, REAL, None, Storage::Argument, Passing::Reference);
        self.formals.push(s);
        s
    }

    pub fn array_argument(&mut self, name: &str, n: i64) -> SymbolId {
        let s = self.symbol(name, REAL, Some(n), Storage::Argument, Passing::Reference);
        self.formals.push(s);
        s
    }

    pub fn integer_argument(&mut self, name: &str) -> SymbolId {
        let s = self.symbol(name, INT, None, Storage::Argument, Passing::Value);
        self.formals.push(s);
        s
    }

    pub fn local(&mut self, name: &str) -> SymbolId {
        self.symbol(name, REAL, None, Storage::Local, Passing::Reference)
    }

    pub fn integer(&mut self, name: &str) -> SymbolId {
        self.symbol(name, INT, None, Storage::Local, Passing::Reference)
    }

    pub fn set(&mut self, v: impl Into<Place>, e: Expr) {
        self.b.stmt(Stmt::assign(v.into().0, e));
    }

    /// Adds `f` and `f_b`; returns both.
    pub fn finish(mut self) -> (Program, UnitId, UnitId) {
        let built = std::mem::replace(&mut self.b, GraphBuilder::new(self.scope)).finish().unwrap();
        let mut program = self.program;
        let name = program.add_symbol(Symbol::subroutine("f", ScopeId(0)));
        let mut unit = xaif::model::Unit::new(name, self.scope);
        unit.graph = built.graph;
        unit.structured = built.structured;
        for (i, &s) in self.formals.iter().enumerate() {
            unit.formals.push(Formal::new(i as u32 + 1, s, Intent::Inout));
        }
        let f = program.add_unit(unit);
        let f_b = adjoint_unit(&mut program, f);
        (program, f, f_b)
    }
}

/// Something to assign to.
pub struct Place(pub VarRef);

impl From<SymbolId> for Place {
    fn from(s: SymbolId) -> Place {
        Place(VarRef::whole(s))
    }
}

impl From<Expr> for Place {
    fn from(e: Expr) -> Place {
        Place(e.as_var().unwrap().clone())
    }
}

fn adjoint_unit(program: &mut Program, f: UnitId) -> UnitId {
    let original = program.unit(f).clone();
    let scope = program.add_scope(Scope { parent: Some(ScopeId(0)), ..Scope::default() });
    let mut copies = FxHashMap::default();
    let mut companions = FxHashMap::default();
    let mut own = Vec::new();
    let mut sharing: FxHashMap<SymbolId, Vec<SymbolId>> = FxHashMap::default();
    let list = program.scope(original.scope).symbols.clone();
    let mut companion_formals = FxHashMap::default();
    for &s in &list {
        let mut copy = program.symbol(s).clone();
        copy.scope = scope;
        let mut bar = copy.clone();
        copies.insert(s, program.add_symbol(copy));
        if bar.ty.is_real() {
            bar.name = format!("{}b", bar.name).into();
            bar.id = bar.name.clone();
            let storage = bar.storage().clone();
            let decl = bar.decl.as_mut().unwrap();
            decl.derivative_of = Some(copies[&s]);
            decl.passing = Passing::Reference;
            let id = program.add_symbol(bar);
            companions.insert(s, id);
            if storage == Storage::Argument {
                companion_formals.insert(s, id);
            } else {
                own.push(id);
            }
        }
        if program.symbol(s).decl.as_ref().unwrap().may_alias {
            let others = list
                .iter()
                .copied()
                .filter(|&o| o != s && program.symbol(o).ty == program.symbol(s).ty && *program.symbol(o).storage() == Storage::Argument);
            sharing.insert(s, others.collect());
        }
    }
    let everywhere = Everywhere::of(program);
    let frame = Frame {
        everywhere: &everywhere,
        unit: f,
        scope,
        companions,
        own,
        allocated: Vec::new(),
        sharing,
        copies: copies.clone(),
        calls: &Nobody,
        outside: Vec::new(),
        delivers: false,
        parts: Vec::new(),
        consumed: Vec::new(),
        arriving: Default::default(),
        carried: Vec::new(),
        values: Vec::new(),
        before: Vec::new(),
        behind: Vec::new(),
        reserved: Vec::new(),
        counters: Vec::new(),
        name: "f".into(),
        formals: original.formals.iter().map(|f| f.symbol).collect(),
        tell: false,
        left_out: Default::default(),
        plain: false,
        weigh: false,
        timed: false,
        inside: Default::default(),
    };
    let mut ledger = Ledger::new(Preaccumulate::Never, None, None, 0);
    // The original is compared with its adjoint, and its code would go into the sweeps.
    let code = program.unit(frame.unit).graph.clone();
    let made = sweeps(program, &frame, Form::Joint, &mut ledger).unwrap();
    program.units[frame.unit.index()].graph = code;
    let name = program.add_symbol(Symbol::subroutine("f_b", ScopeId(0)));
    let mut unit = xaif::model::Unit::new(name, scope);
    unit.graph = made.graph(scope).unwrap();
    unit.derivation = Some(Derivation { of: f, mode: Mode::Adjoint });
    let mut position = 0;
    for formal in &original.formals {
        let mut add = |s: SymbolId| {
            position += 1;
            unit.formals.push(Formal::new(position, s, Intent::Inout));
        };
        add(copies[&formal.symbol]);
        if let Some(&b) = companion_formals.get(&formal.symbol) {
            add(b);
        }
    }
    program.add_unit(unit)
}

pub fn op(name: &str, operands: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::op(name, operands)
}
pub fn mul(a: impl Into<E>, b: impl Into<E>) -> Expr {
    op("mul_scal_scal", [a.into().0, b.into().0])
}
pub fn add(a: impl Into<E>, b: impl Into<E>) -> Expr {
    op("add_scal_scal", [a.into().0, b.into().0])
}
pub fn sub(a: impl Into<E>, b: impl Into<E>) -> Expr {
    op("sub_scal_scal", [a.into().0, b.into().0])
}
pub fn sin(a: impl Into<E>) -> Expr {
    op("sin_scal", [a.into().0])
}
pub fn less(a: impl Into<E>, b: impl Into<E>) -> Expr {
    Expr::boolean(BoolOp::LessThan, [a.into().0, b.into().0])
}
pub fn at(a: SymbolId, i: impl Into<E>) -> Expr {
    Expr::var(VarRef::element(a, [i.into().0]))
}

/// Anything that is an expression.
pub struct E(pub Expr);

impl From<SymbolId> for E {
    fn from(s: SymbolId) -> E {
        E(Expr::sym(s))
    }
}
impl From<Expr> for E {
    fn from(e: Expr) -> E {
        E(e)
    }
}
impl From<f64> for E {
    fn from(x: f64) -> E {
        E(Expr::real(x, 64))
    }
}
impl From<i32> for E {
    fn from(x: i32) -> E {
        E(Expr::int(x.into()))
    }
}

/// `for i = from, to, stride` with `to` inclusive.
pub fn range(i: SymbolId, from: impl Into<E>, to: impl Into<E>, stride: i64) -> ForLoop {
    let test = if stride > 0 { BoolOp::LessOrEqual } else { BoolOp::GreaterOrEqual };
    ForLoop {
        explicit: false,
        init: Stmt::assign(VarRef::whole(i), from.into().0),
        condition: Expr::boolean(test, [Expr::sym(i), to.into().0]),
        update: Stmt::assign(VarRef::whole(i), add(i, Expr::int(stride))),
        counted: true,
    }
}

/// Seeds for output adjoints, and the expected adjoints: `J^T s` by dual numbers.
fn reference(program: &Program, f: UnitId, inputs: &[(&str, Vec<f64>)], ints: &[(&str, i64)], seeds: &Values<f64>) -> Values<f64> {
    let total: usize = inputs.iter().map(|(_, v)| v.len()).sum();
    let mut given: Inputs<Dual> = Inputs::default();
    for (name, n) in ints {
        given = given.with(name, Data::int(*n));
    }
    let mut k = 0;
    for (name, list) in inputs {
        let mut d: Data<Dual> = if is_array(program, f, name) { Data::reals(list) } else { Data::real(list[0]) };
        for (v, &x) in d.values.iter_mut().zip(list) {
            *v = evaluate::Value::Real(Dual::variable(x, k, total), false);
            k += 1;
        }
        given = given.with(name, d);
    }
    let out = evaluate::run(program, f, &given, &Limits::default()).unwrap_or_else(|e| panic!("{e:?}"));
    let mut k = 0;
    let mut expected = Values::new();
    for (name, list) in inputs {
        let mut sums = vec![0.0; list.len()];
        for sum in &mut sums {
            for (output, s) in seeds {
                for (v, w) in out.arguments[output].values.iter().zip(s.to_reals()) {
                    *sum += w * v.as_scalar().unwrap().derivative(k);
                }
            }
            k += 1;
        }
        expected.insert((*name).to_owned(), Data::reals(&sums));
    }
    expected
}

fn is_array(program: &Program, f: UnitId, name: &str) -> bool {
    program.unit(f).formals.iter().any(|s| program.symbol(s.symbol).name == name && program.symbol(s.symbol).rank > 0)
}

/// Runs `f_b` with seeds for every real argument and compares with dual numbers. Returns the pushes.
pub fn check(made: &(Program, UnitId, UnitId), inputs: &[(&str, Vec<f64>)], ints: &[(&str, i64)]) -> u64 {
    let (program, f, f_b) = made;
    let mut seeds = Values::new();
    let mut given: Inputs<f64> = Inputs::default();
    for (name, n) in ints {
        given = given.with(name, Data::int(*n));
    }
    let mut s = 0.7;
    for (name, list) in inputs {
        let array = is_array(program, *f, name);
        let data = |l: &[f64]| if array { Data::reals(l) } else { Data::real(l[0]) };
        given = given.with(name, data(list));
        let seed: Vec<f64> = list
            .iter()
            .map(|_| {
                s = (s * 1.37f64) % 1.9 - 0.4;
                s
            })
            .collect();
        seeds.insert((*name).to_owned(), data(&seed));
        given = given.with(&format!("{name}b"), data(&seed));
    }
    let expected = reference(program, *f, inputs, ints, &seeds);
    let out = evaluate::run(program, *f_b, &given, &Limits::default()).unwrap_or_else(|e| panic!("{e:?}\n{}", text(program, *f_b)));
    assert_eq!(out.counters.left, 0, "the stack is empty at the end\n{}", text(program, *f_b));
    for (name, want) in &expected {
        let got = out.arguments[&format!("{name}b")].to_reals();
        for (g, w) in got.iter().zip(want.to_reals()) {
            assert!((g - w).abs() <= 1e-11 * (1.0 + w.abs()), "{name}b: {got:?} is not {want:?}\n{}", text(program, *f_b));
        }
    }
    out.counters.pushes
}

/// The unit as text, one statement a line, for snapshots and failures.
pub fn text(program: &Program, unit: UnitId) -> String {
    let items = normalization::nested(&mut program.unit(unit).graph.clone(), &mut |_, _| SymbolId(0));
    let mut out = String::new();
    print(program, &items, 1, &mut out);
    out
}

fn print(p: &Program, items: &[tree::Item], depth: usize, out: &mut String) {
    use crate::transform::adjoint::code::tree::{ItemKind, LoopKind};
    let pad = "  ".repeat(depth);
    for item in items {
        match &item.kind {
            ItemKind::Stmt(s) => {
                for line in s.comment.lines() {
                    *out += &format!("{pad}! {line}\n");
                }
                *out += &format!("{pad}{}\n", stmt(p, s));
            }
            ItemKind::Branch { condition, arms, .. } => {
                for arm in &**arms {
                    *out += &format!("{pad}case {:?} of {}:\n", arm.values, expr(p, condition));
                    print(p, &arm.body, depth + 1, out);
                }
            }
            ItemKind::Loop { kind, body, .. } => {
                let head = match kind {
                    LoopKind::For(f) => format!("for {}; {}; {}", stmt(p, &f.init), expr(p, &f.condition), stmt(p, &f.update)),
                    LoopKind::While(c) => format!("while {}", expr(p, c)),
                    LoopKind::Until(c) => format!("do while {}", expr(p, c)),
                };
                *out += &format!("{pad}{head}:\n");
                print(p, body, depth + 1, out);
            }
        }
    }
}

fn stmt(p: &Program, s: &Stmt) -> String {
    match &s.kind {
        StmtKind::Assignment { lhs, rhs } => format!("{} = {}", reference_text(p, lhs), expr(p, rhs)),
        StmtKind::Runtime { name, arguments } => format!("{name}({})", expr(p, &arguments[0].value)),
        StmtKind::Call(c) => {
            let list: Vec<String> = c.arguments.iter().map(|a| expr(p, &a.value)).collect();
            format!("{}({})", p.symbol(c.callee).name, list.join(", "))
        }
        other => format!("{other:?}"),
    }
}

fn reference_text(p: &Program, r: &VarRef) -> String {
    let name = p.symbol(r.symbol).name.to_string();
    if r.subscripts.is_empty() {
        return name;
    }
    let list: Vec<String> = r.index_exprs().map(|e| expr(p, e)).collect();
    format!("{name}[{}]", list.join(", "))
}

fn expr(p: &Program, e: &Expr) -> String {
    let mut done: Vec<String> = Vec::new();
    for n in &e.nodes {
        let o: Vec<&str> = n.operands.iter().map(|o| done[o.index()].as_str()).collect();
        let text = match &n.kind {
            NodeKind::Var(r) => reference_text(p, r),
            NodeKind::Const(c) => c.value.to_string(),
            NodeKind::Op(op) => match (op.name.as_str(), &o[..]) {
                ("add_scal_scal", [a, b]) => format!("({a} + {b})"),
                ("sub_scal_scal", [a, b]) => format!("({a} - {b})"),
                ("mul_scal_scal", [a, b]) => format!("{a}*{b}"),
                ("div_scal_scal", [a, b]) => format!("{a}/{b}"),
                ("minus_scal", [a]) => format!("-{a}"),
                (name, _) => format!("{}({})", name.trim_end_matches("_scal"), o.join(", ")),
            },
            NodeKind::Bool(b) => format!("{}({})", b.name(), o.join(", ")),
            NodeKind::FunctionCall(s) => format!("{}({})", p.symbol(*s).name, o.join(", ")),
        };
        done.push(text);
    }
    done.pop().unwrap_or_default()
}

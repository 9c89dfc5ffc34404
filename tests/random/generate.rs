//! Random programs that are well defined: indices in bounds, loops that end, functions inside their domains.
//!
//! The unit `head` is the one to be differentiated. Every array has `n` elements in each dimension, where `n` is the unit's first
//! argument; loop variables stay between 0 and n-1.

use super::rng::Rng;
use super::tree::{Item, Tree};
use xaif::model::*;

/// What `n` is in `head`; where an array is passed from its second element on, one less.
pub const N: i64 = 4;
const SMALLEST: i64 = N - 1;

const R64: ElemType = ElemType::REAL64;
const R32: ElemType = ElemType { base: BaseType::Real, bits: 32 };

#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    In,
    Out,
    Inout,
    Local,
    Global,
}

#[derive(Clone, Debug)]
struct Variable {
    symbol: SymbolId,
    role: Role,
    rank: usize,
    lower: i64,
    single: bool,
}

impl Variable {
    fn writable(&self) -> bool {
        self.role != Role::In
    }
}

#[derive(Clone, Debug)]
struct Signature {
    unit: UnitId,
    symbol: SymbolId,
    /// Formals after `n`, the result (if any) last.
    formals: Vec<Variable>,
    result: bool,
    recursive: bool,
}

struct Features {
    order: IndexOrder,
    single: bool,
    jumps: bool,
    gotos: bool,
    arrays: bool,
    global: bool,
}

struct Generator {
    rng: Rng,
    shell: Program,
    features: Features,
    signatures: Vec<Signature>,
    reals: Vec<Variable>,
    /// Integer scalars that may be written.
    ints: Vec<SymbolId>,
    /// Integer arrays.
    tables: Vec<Variable>,
    /// Loop variables in use, all within 0..n-1.
    loops: Vec<SymbolId>,
    free_loops: Vec<SymbolId>,
    n: SymbolId,
    depth: Option<SymbolId>,
    self_index: usize,
    budget: usize,
    loop_depth: usize,
    global: Option<Variable>,
}

fn op(name: &str, operands: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::op(name, operands)
}
fn add(a: Expr, b: Expr) -> Expr {
    op("add_scal_scal", [a, b])
}
fn sub(a: Expr, b: Expr) -> Expr {
    op("sub_scal_scal", [a, b])
}
fn mul(a: Expr, b: Expr) -> Expr {
    op("mul_scal_scal", [a, b])
}
fn square_plus(c: f64, a: Expr) -> Expr {
    add(Expr::real(c, 64), mul(a.clone(), a))
}

/// The program of a seed.
pub fn generate(seed: u64) -> Tree {
    let mut rng = Rng::new(seed);
    let features = Features {
        order: if rng.percent(50) { IndexOrder::Row } else { IndexOrder::Column },
        single: rng.percent(12),
        jumps: rng.percent(50),
        gotos: rng.percent(12),
        arrays: rng.percent(15),
        global: rng.percent(15),
    };
    let mut shell = Program { name: "random".into(), index_order: features.order, ..Program::default() };
    shell.case_insensitive = features.order == IndexOrder::Column;
    shell.add_scope(Scope::default());
    let mut g = Generator {
        rng,
        shell,
        features,
        signatures: Vec::new(),
        reals: Vec::new(),
        ints: Vec::new(),
        tables: Vec::new(),
        loops: Vec::new(),
        free_loops: Vec::new(),
        n: SymbolId(0),
        depth: None,
        self_index: 0,
        budget: 0,
        loop_depth: 0,
        global: None,
    };
    if g.features.global {
        let s = g.symbol(ScopeId(0), "glob", R64, &[], Storage::Global, Passing::Reference);
        g.global = Some(Variable { symbol: s, role: Role::Global, rank: 0, lower: 0, single: false });
    }
    let callees = [0, 1, 1, 2, 3][g.rng.below(5)];
    for k in 0..=callees {
        g.declare(k);
    }
    // Callees call only those behind them, so the first is the head.
    let mut bodies = Vec::new();
    for k in 0..=callees {
        bodies.push(g.body(k));
    }
    Tree { shell: g.shell, bodies }
}

impl Generator {
    fn symbol(&mut self, scope: ScopeId, name: &str, ty: ElemType, dims: &[(Expr, Expr)], storage: Storage, passing: Passing) -> SymbolId {
        let mut s = Symbol::variable(name, ty, scope);
        s.rank = dims.len() as u8;
        s.active = ty.is_real();
        let dims = dims.iter().map(|(l, u)| Dim { lower: Bound::Expr(l.clone()), upper: Bound::Expr(u.clone()) }).collect();
        let type_text = match (self.features.order, ty.base, ty.bits) {
            (IndexOrder::Row, BaseType::Real, 32) => "float",
            (IndexOrder::Row, BaseType::Real, _) => "double",
            (IndexOrder::Row, ..) => "int",
            (_, BaseType::Real, 32) => "real",
            (_, BaseType::Real, _) => "double precision",
            _ => "integer",
        };
        let mut attributes: Vec<smol_str::SmolStr> = Vec::new();
        if self.features.order == IndexOrder::Row && storage == Storage::Argument && passing == Passing::Reference {
            attributes.push("restrict".into());
        }
        s.decl = Some(Box::new(Decl { passing, storage, dims, attributes, type_text: type_text.into(), ..Decl::default() }));
        self.shell.add_symbol(s)
    }

    fn by_value(&self) -> Passing {
        if self.features.order == IndexOrder::Row { Passing::Value } else { Passing::Reference }
    }

    /// A unit with its formals.
    fn declare(&mut self, k: usize) {
        let name = if k == 0 { "head".to_owned() } else { format!("f{k}") };
        let symbol = self.shell.add_symbol(Symbol::subroutine(&*name, ScopeId(0)));
        let scope = self.shell.add_scope(Scope { parent: Some(ScopeId(0)), ..Scope::default() });
        let mut unit = Unit::new(symbol, scope);
        let n = self.symbol(scope, "n", ElemType::INTEGER, &[], Storage::Argument, self.by_value());
        unit.formals.push(Formal::new(1, n, Intent::In));
        let recursive = k > 0 && self.rng.percent(15);
        if recursive {
            let d = self.symbol(scope, "depth", ElemType::INTEGER, &[], Storage::Argument, self.by_value());
            unit.formals.push(Formal::new(2, d, Intent::In));
        }
        let result = k > 0 && self.rng.percent(35);
        let count = 2 + self.rng.below(3);
        let mut formals = Vec::new();
        for i in 0..count {
            let role = match (i, self.rng.below(4)) {
                (0, _) => Role::In,
                (1, _) if !result => [Role::Out, Role::Inout][self.rng.below(2)],
                (_, 0) => Role::In,
                (_, 1) => Role::Out,
                _ => Role::Inout,
            };
            let rank = [0, 0, 1, 1, 2][self.rng.below(5)];
            let single = self.features.single && self.rng.percent(50);
            let intent = match role {
                Role::In => Intent::In,
                Role::Out => Intent::Out,
                _ => Intent::Inout,
            };
            let passing = if role == Role::In && rank == 0 && self.rng.percent(70) { self.by_value() } else { Passing::Reference };
            let letter = if role == Role::In { "x" } else { "y" };
            let v = self.array(scope, &format!("{letter}{}", i + 1), rank, role, single, n, Storage::Argument, passing);
            unit.formals.push(Formal::new(unit.formals.len() as u32 + 1, v.symbol, intent));
            formals.push(v);
        }
        if result {
            let v = self.array(scope, "value", 0, Role::Out, false, n, Storage::Local, Passing::Reference);
            unit.formals.push(Formal { result: true, ..Formal::new(unit.formals.len() as u32 + 1, v.symbol, Intent::Out) });
            unit.kind = UnitKind::Function;
            formals.push(v);
        }
        if recursive {
            unit.prefixes.push("recursive".into());
        }
        let unit = self.shell.add_unit(unit);
        self.signatures.push(Signature { unit, symbol, formals, result, recursive });
    }

    #[allow(clippy::too_many_arguments)]
    fn array(
        &mut self,
        scope: ScopeId,
        name: &str,
        rank: usize,
        role: Role,
        single: bool,
        n: SymbolId,
        storage: Storage,
        passing: Passing,
    ) -> Variable {
        let lower = match self.features.order {
            IndexOrder::Row => 0,
            IndexOrder::Column => [1, 1, 0, -1][self.rng.below(4)],
        };
        let upper = || match lower {
            1 => Expr::sym(n),
            _ => add(Expr::sym(n), Expr::int(lower - 1)),
        };
        let dims: Vec<_> = (0..rank).map(|_| (Expr::int(lower), upper())).collect();
        let symbol = self.symbol(scope, name, if single { R32 } else { R64 }, &dims, storage, passing);
        Variable { symbol, role, rank, lower, single }
    }

    fn body(&mut self, k: usize) -> Vec<Item> {
        let scope = self.shell.unit(self.signatures[k].unit).scope;
        let formals = &self.shell.unit(self.signatures[k].unit).formals;
        self.n = formals[0].symbol;
        self.depth = self.signatures[k].recursive.then(|| formals[1].symbol);
        self.self_index = k;
        self.reals = self.signatures[k].formals.clone();
        self.reals.extend(self.global.clone());
        self.loops.clear();
        self.loop_depth = 0;
        let n = self.n;
        let int = |g: &mut Self, name: &str| g.symbol(scope, name, ElemType::INTEGER, &[], Storage::Local, Passing::Reference);
        self.free_loops = ["i1", "i2", "i3", "i4", "i5", "i6"].iter().map(|s| int(self, s)).collect();
        self.ints = ["k1", "k2"].iter().map(|s| int(self, s)).collect();
        let table = self.array(scope, "idx", 1, Role::Local, false, n, Storage::Local, Passing::Reference);
        self.shell.symbol_mut(table.symbol).ty = ElemType::INTEGER;
        self.shell.symbol_mut(table.symbol).active = false;
        if let Some(d) = &mut self.shell.symbol_mut(table.symbol).decl {
            d.type_text = "int".into();
        }
        self.tables = vec![table.clone()];
        let mut items = Vec::new();
        for i in 0..2 + self.rng.below(3) {
            let rank = [0, 0, 1, 2][self.rng.below(4)];
            let single = self.features.single && self.rng.percent(40);
            let v = self.array(scope, &format!("t{}", i + 1), rank, Role::Local, single, n, Storage::Local, Passing::Reference);
            self.reals.push(v);
        }
        // Everything gets a value first, with or without a loop.
        let ints = self.ints.clone();
        for (c, s) in ints.iter().enumerate() {
            items.push(Item::Assign(VarRef::whole(*s), Expr::int(c as i64 + 1)));
        }
        let i = self.free_loops[0];
        let value = op("modulo_scal_scal", [mul(Expr::int(1 + self.rng.below(4) as i64), Expr::sym(i)), Expr::sym(n)]);
        items.push(Item::For(
            Box::new(self.head_for(i, 0, 1, true)),
            vec![Item::Assign(VarRef::element(table.symbol, [add(Expr::sym(i), Expr::int(table.lower))]), value)],
        ));
        let all = self.reals.clone();
        let mut ready: Vec<Variable> = all.iter().filter(|v| matches!(v.role, Role::In | Role::Inout)).cloned().collect();
        if k > 0 {
            ready.extend(all.iter().filter(|v| v.role == Role::Global).cloned());
        }
        for v in all.iter().filter(|v| matches!(v.role, Role::Out | Role::Local) || (k == 0 && v.role == Role::Global)) {
            self.reals = ready.clone();
            items.push(self.first_value(v));
            ready.push(v.clone());
        }
        self.reals = all;
        self.budget = 8 + self.rng.below(20);
        if let Some(d) = self.depth {
            let mut base = self.sequence(2);
            base.push(Item::Return);
            items.push(Item::If(Expr::boolean(BoolOp::LessThan, [Expr::sym(d), Expr::int(1)]), base, Vec::new()));
        }
        let rest = self.sequence(0);
        items.extend(rest);
        if self.depth.is_some() {
            items.extend(self.call(k));
        }
        items
    }

    fn first_value(&mut self, v: &Variable) -> Item {
        let e = self.real(2);
        if v.rank == 0 {
            return Item::Assign(VarRef::whole(v.symbol), e);
        }
        if self.features.arrays && self.rng.percent(50) {
            return Item::Assign(VarRef::whole(v.symbol), Expr::real(0.25, 64));
        }
        let vars: Vec<SymbolId> = self.free_loops[..v.rank].to_vec();
        let subscripts = vars.iter().map(|&i| add(Expr::sym(i), Expr::int(v.lower)));
        let mut body = vec![Item::Assign(VarRef::element(v.symbol, subscripts), mul(e, real_of(Expr::sym(vars[0]))))];
        for &i in vars.iter().rev() {
            body = vec![Item::For(Box::new(self.head_for(i, 0, 1, true)), body)];
        }
        body.remove(0)
    }

    /// From `from` to n-1, or down.
    fn head_for(&mut self, i: SymbolId, from: i64, step: i64, counted: bool) -> ForLoop {
        let last = sub(Expr::sym(self.n), Expr::int(1));
        let (init, condition) = if step > 0 {
            (Expr::int(from), Expr::boolean(BoolOp::LessOrEqual, [Expr::sym(i), last]))
        } else {
            (last, Expr::boolean(BoolOp::GreaterOrEqual, [Expr::sym(i), Expr::int(from)]))
        };
        ForLoop {
            explicit: false,
            init: Stmt::assign(VarRef::whole(i), init),
            condition,
            update: Stmt::assign(VarRef::whole(i), add(Expr::sym(i), Expr::int(step))),
            counted,
        }
    }

    fn sequence(&mut self, depth: usize) -> Vec<Item> {
        let mut out = Vec::new();
        for _ in 0..1 + self.rng.below(if depth == 0 { 8 } else { 4 }) {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            out.extend(self.item(depth));
        }
        out
    }

    fn item(&mut self, depth: usize) -> Vec<Item> {
        let choice = self.rng.below(100);
        if depth < 4 && choice < 14 && !self.free_loops.is_empty() {
            return self.for_loop(depth);
        }
        match choice {
            14..=19 if depth < 4 => self.while_loop(depth),
            20..=31 if depth < 4 => {
                let c = self.condition();
                let then = self.sequence(depth + 1);
                let other = if self.rng.percent(60) { self.sequence(depth + 1) } else { Vec::new() };
                vec![Item::If(c, then, other)]
            }
            32..=34 if depth < 4 => self.switch(depth),
            35..=39 if self.features.jumps => {
                let c = self.condition();
                let jump = match self.rng.below(5) {
                    0 | 1 if self.loop_depth > 0 => Item::Break(self.rng.below(self.loop_depth)),
                    2 | 3 if self.loop_depth > 0 => Item::Continue(0),
                    _ if self.rng.percent(40) => Item::Return,
                    _ => return self.assignment(),
                };
                vec![Item::If(c, vec![jump], Vec::new())]
            }
            40..=43 if self.features.gotos && depth < 3 => {
                let c = self.condition();
                let body = self.sequence(depth + 1);
                vec![Item::Skip(c, body)]
            }
            44..=52 if self.self_index + 1 < self.signatures.len() => {
                let k = self.self_index + 1 + self.rng.below(self.signatures.len() - self.self_index - 1);
                self.call(k)
            }
            53..=57 => {
                // Integer arithmetic that stays small.
                let e = self.int(2);
                let lhs = match self.rng.pick(&self.ints) {
                    Some(&s) => VarRef::whole(s),
                    None => return self.assignment(),
                };
                vec![Item::Assign(lhs, op("modulo_scal_scal", [e, Expr::int(7)]))]
            }
            58..=60 => {
                let Some(t) = self.rng.pick(&self.tables).cloned() else { return self.assignment() };
                let at = add(self.index(), Expr::int(t.lower));
                let value = op("modulo_scal_scal", [self.int(2), Expr::sym(self.n)]);
                vec![Item::Assign(VarRef::element(t.symbol, [at]), value)]
            }
            61..=68 if self.features.arrays => self.array_statement(),
            _ => self.assignment(),
        }
    }

    fn for_loop(&mut self, depth: usize) -> Vec<Item> {
        let Some(i) = self.free_loops.pop() else { return Vec::new() };
        let step = [1, 1, 1, -1, 2, -2][self.rng.below(6)];
        let from = [0, 0, 1, 5][self.rng.below(4)];
        let head = self.head_for(i, from, step, true);
        self.loops.push(i);
        self.loop_depth += 1;
        let body = self.sequence(depth + 1);
        self.loop_depth -= 1;
        self.loops.pop();
        self.free_loops.insert(0, i);
        vec![Item::For(Box::new(head), body)]
    }

    /// Loops whose trip count is not known on entry; the counter moves first, so that they end whatever the body does.
    fn while_loop(&mut self, depth: usize) -> Vec<Item> {
        let Some(i) = self.free_loops.pop() else { return Vec::new() };
        let start = Item::Assign(VarRef::whole(i), Expr::int(0));
        let more = Expr::boolean(BoolOp::LessThan, [Expr::sym(i), Expr::int(1 + self.rng.below(4) as i64)]);
        let kind = self.rng.below(if self.features.gotos { 4 } else { 3 });
        let condition = if self.rng.percent(50) && kind < 3 {
            let c = self.condition();
            Expr::boolean(BoolOp::And, [more.clone(), c])
        } else {
            more.clone()
        };
        // Not counted: the loop variable takes part in the body, and the bound may change.
        if kind == 2 {
            let Some(&k) = self.rng.pick(&self.ints) else { return Vec::new() };
            self.loop_depth += 1;
            let mut body = self.sequence(depth + 1);
            self.loop_depth -= 1;
            body.push(Item::Assign(VarRef::whole(k), sub(Expr::sym(k), Expr::int(1))));
            let head = ForLoop {
                explicit: false,
                init: Stmt::assign(VarRef::whole(i), Expr::int(0)),
                condition: Expr::boolean(BoolOp::LessThan, [Expr::sym(i), Expr::sym(k)]),
                update: Stmt::assign(VarRef::whole(i), add(Expr::sym(i), Expr::int(1))),
                counted: false,
            };
            self.free_loops.insert(0, i);
            return vec![Item::For(Box::new(head), body)];
        }
        self.loop_depth += usize::from(kind < 2);
        let mut body = vec![Item::Assign(VarRef::whole(i), add(Expr::sym(i), Expr::int(1)))];
        let rest = self.sequence(depth + 1);
        body.extend(rest);
        self.loop_depth -= usize::from(kind < 2);
        self.free_loops.insert(0, i);
        let item = match kind {
            0 => Item::While(condition, body),
            1 => Item::DoWhile(condition, body),
            _ => Item::Again(more, body),
        };
        vec![start, item]
    }

    fn switch(&mut self, depth: usize) -> Vec<Item> {
        let selector = op("modulo_scal_scal", [self.int(1), Expr::int(4)]);
        let mut arms = Vec::new();
        let falls = self.features.order == IndexOrder::Row && self.features.jumps;
        for values in [vec![0], vec![1, 3]] {
            let body = self.sequence(depth + 1);
            let runs_on = falls && self.rng.percent(25);
            arms.push((values, body, runs_on));
        }
        if self.rng.percent(60) {
            let body = self.sequence(depth + 1);
            arms.push((Vec::new(), body, false));
        } else if let Some(last) = arms.last_mut() {
            last.2 = false;
        }
        vec![Item::Switch(selector, arms)]
    }

    fn assignment(&mut self) -> Vec<Item> {
        let targets: Vec<Variable> = self.reals.iter().filter(|v| v.writable()).cloned().collect();
        let Some(v) = self.rng.pick(&targets).cloned() else { return Vec::new() };
        let lhs = self.reference(&v);
        let old = Expr::var(lhs.clone());
        let e = self.real(3);
        let rhs = match self.rng.below(8) {
            0 => add(old, e),
            1 => sub(old, e),
            2 => mul(old, op("cos_scal", [e])),
            3 => add(e, mul(Expr::real(0.5, 64), old)),
            _ => e,
        };
        vec![Item::Assign(lhs, rhs)]
    }

    fn array_statement(&mut self) -> Vec<Item> {
        let vectors: Vec<Variable> = self.reals.iter().filter(|v| v.rank == 1).cloned().collect();
        let targets: Vec<Variable> = vectors.iter().filter(|v| v.writable()).cloned().collect();
        let (Some(t), Some(a), Some(b)) =
            (self.rng.pick(&targets).cloned(), self.rng.pick(&vectors).cloned(), self.rng.pick(&vectors).cloned())
        else {
            return self.assignment();
        };
        let scalar = self.leaf();
        let (a, b) = (Expr::sym(a.symbol), Expr::sym(b.symbol));
        match self.rng.below(4) {
            0 => vec![Item::Assign(VarRef::whole(t.symbol), add(mul(scalar, a), op("sin_scal", [b])))],
            1 => vec![Item::Assign(VarRef::whole(t.symbol), mul(a, op("cos_scal", [b])))],
            2 => {
                let at = self.reference(&t);
                vec![Item::Assign(at, op("sum_arr", [mul(a, b)]))]
            }
            _ => vec![Item::Assign(VarRef::whole(t.symbol), scalar)],
        }
    }

    /// A call with arguments that do not overlap where one of them is written.
    fn call(&mut self, k: usize) -> Vec<Item> {
        let callee = self.signatures[k].clone();
        // Where a unit calls itself, its own n goes on; else an array may be passed from its second element on.
        let shifted = k != self.self_index && self.self_index == 0 && callee.formals.iter().all(|f| f.rank < 2) && self.rng.percent(25);
        let n = if shifted { sub(Expr::sym(self.n), Expr::int(1)) } else { Expr::sym(self.n) };
        let mut before = Vec::new();
        let mut arguments = vec![self.in_expr(n, &mut before)];
        if callee.recursive {
            let d = match self.depth {
                Some(d) if k == self.self_index => sub(Expr::sym(d), Expr::int(1)),
                _ => Expr::int(1 + self.rng.below(2) as i64),
            };
            arguments.push(self.in_expr(d, &mut before));
        }
        let mut taken: Vec<SymbolId> = Vec::new();
        if let Some(g) = &self.global {
            taken.push(g.symbol);
        }
        for f in &callee.formals {
            let value = f.role == Role::In && self.shell.symbol(f.symbol).passing() == Passing::Value;
            if value {
                arguments.push(self.real(2));
                continue;
            }
            let fits = |v: &&Variable| v.single == f.single && (f.role == Role::In || v.writable()) && !taken.contains(&v.symbol);
            let list: Vec<Variable> =
                self.reals.iter().filter(fits).filter(|v| if f.rank == 0 { true } else { v.rank == f.rank }).cloned().collect();
            let Some(v) = self.rng.pick(&list).cloned() else { return self.assignment() };
            taken.push(v.symbol);
            arguments.push(if f.rank == 0 {
                Expr::var(self.reference(&v))
            } else if shifted {
                Expr::var(VarRef::element(v.symbol, [Expr::int(v.lower + 1)]))
            } else {
                Expr::sym(v.symbol)
            });
        }
        before.push(Item::Call(callee.symbol, arguments));
        let _ = callee.result;
        before
    }

    /// An integer argument: an expression where it is passed by value, else a variable that holds it.
    fn in_expr(&mut self, e: Expr, before: &mut Vec<Item>) -> Expr {
        if self.by_value() == Passing::Value || e.as_var().is_some() || e.as_constant().is_some() {
            return e;
        }
        let scope = self.shell.unit(self.signatures[self.self_index].unit).scope;
        let name = format!("arg_{}", self.shell.symbols.len());
        let s = self.symbol(scope, &name, ElemType::INTEGER, &[], Storage::Local, Passing::Reference);
        before.push(Item::Assign(VarRef::whole(s), e));
        Expr::sym(s)
    }

    /// An index between 0 and n-1.
    fn index(&mut self) -> Expr {
        match self.rng.below(6) {
            0 | 1 if !self.loops.is_empty() => self.rng.pick(&self.loops).map_or(Expr::int(0), |&i| Expr::sym(i)),
            2 => Expr::int(self.rng.below(SMALLEST as usize) as i64),
            3 if !self.loops.is_empty() => {
                let i = self.rng.pick(&self.loops).map_or(Expr::int(0), |&i| Expr::sym(i));
                op("modulo_scal_scal", [add(i, Expr::int(1)), Expr::sym(self.n)])
            }
            4 => match self.rng.pick(&self.tables).cloned() {
                Some(t) => {
                    let inner = op("modulo_scal_scal", [self.int(1), Expr::sym(self.n)]);
                    Expr::var(VarRef::element(t.symbol, [add(inner, Expr::int(t.lower))]))
                }
                None => Expr::int(0),
            },
            _ => op("modulo_scal_scal", [self.int(1), Expr::sym(self.n)]),
        }
    }

    fn reference(&mut self, v: &Variable) -> VarRef {
        let indices: Vec<Expr> = (0..v.rank)
            .map(|_| {
                let i = self.index();
                if v.lower == 0 { i } else { add(i, Expr::int(v.lower)) }
            })
            .collect();
        VarRef::element(v.symbol, indices)
    }

    /// A small integer expression.
    fn int(&mut self, depth: usize) -> Expr {
        let leaf = |g: &mut Self| match g.rng.below(4) {
            0 => Expr::int(g.rng.below(5) as i64),
            1 if !g.loops.is_empty() => g.rng.pick(&g.loops).map_or(Expr::int(1), |&i| Expr::sym(i)),
            2 => Expr::sym(g.n),
            _ => g.rng.pick(&g.ints).map_or(Expr::int(2), |&i| Expr::sym(i)),
        };
        if depth == 0 {
            return leaf(self);
        }
        let (a, b) = (self.int(depth - 1), leaf(self));
        match self.rng.below(6) {
            0 => add(a, b),
            1 => sub(a, b),
            2 => mul(a, b),
            3 => op("div_scal_scal", [a, Expr::int(1 + self.rng.below(3) as i64)]),
            4 => op("max_scal_scal", [a, b]),
            _ => a,
        }
    }

    fn leaf(&mut self) -> Expr {
        match self.rng.below(10) {
            0 => Expr::real((self.rng.real() * 40.0).round() / 16.0, 64),
            1 => real_of(self.int(1)),
            _ => match self.rng.pick(&self.reals).cloned() {
                Some(v) => Expr::var(self.reference(&v)),
                None => Expr::real(0.75, 64),
            },
        }
    }

    /// A real expression whose functions stay inside their domains.
    fn real(&mut self, depth: usize) -> Expr {
        if depth == 0 || self.rng.percent(15) {
            return self.leaf();
        }
        let a = self.real(depth - 1);
        if self.rng.percent(55) {
            let b = self.real(depth - 1);
            return match self.rng.below(9) {
                0 | 1 => add(a, b),
                2 => sub(a, b),
                3..=5 => mul(a, b),
                6 => op("div_scal_scal", [a, square_plus(1.5, b)]),
                7 => mul(op("sin_scal", [a]), b),
                _ => add(mul(Expr::real(0.5, 64), a), op("tanh_scal", [b])),
            };
        }
        let bounded = |a: Expr| op("sin_scal", [a]);
        let constant = |x: f64| Expr::real(x, 64);
        match self.rng.below(48) {
            0..=3 => op("sin_scal", [a]),
            4..=6 => op("cos_scal", [a]),
            7 => op("exp_scal", [bounded(a)]),
            8 => op("sqrt_scal", [square_plus(1.0, a)]),
            9 => op("ln_scal", [square_plus(2.0, a)]),
            10 => op("log10", [square_plus(2.0, a)]),
            11 => op("tan_scal", [bounded(a)]),
            12 => op("arcsin_scal", [mul(constant(0.9), bounded(a))]),
            13 => op("arccos_scal", [mul(constant(0.9), bounded(a))]),
            14 => op("arctan_scal", [a]),
            15 => op("sinh_scal", [bounded(a)]),
            16 => op("cosh_scal", [bounded(a)]),
            17 => op("tanh_scal", [a]),
            18 => op("abs_scal", [a]),
            19 => op("sign_scal_scal", [a, self.leaf()]),
            20 => op("mod_scal_scal", [a, constant(3.7)]),
            21 => op("modulo_scal_scal", [a, square_plus(2.3, self.leaf())]),
            22 => op("max_scal_scal", [a, self.leaf()]),
            23 => op("min_scal_scal", [a, self.leaf()]),
            24 => op("dim_scal_scal", [a, self.leaf()]),
            25 => op("arctan2_scal_scal", [a, square_plus(2.0, self.leaf())]),
            26 => op("hypot_scal_scal", [a, square_plus(1.0, self.leaf())]),
            27 => op("cbrt_scal", [square_plus(1.5, a)]),
            28 => op("exp2_scal", [bounded(a)]),
            29 => op("expm1_scal", [bounded(a)]),
            30 => op("log1p_scal", [mul(a.clone(), a)]),
            31 => op("log2_scal", [square_plus(2.0, a)]),
            32 => op("erf_scal", [a]),
            33 => op("erfc_scal", [a]),
            34 => op("gamma_scal", [add(constant(2.5), bounded(a))]),
            35 => op("lgamma_scal", [add(constant(2.5), bounded(a))]),
            36 => op("arcsinh_scal", [a]),
            37 => op("arccosh_scal", [square_plus(1.5, a)]),
            38 => op("arctanh_scal", [mul(constant(0.8), bounded(a))]),
            39 => {
                let (b, c) = (self.leaf(), self.leaf());
                op("fma_scal_scal_scal", [a, b, c])
            }
            40 => {
                let (c, b) = (self.condition(), self.leaf());
                op("select", [c, a, b])
            }
            41 => op("pow_scal_scal", [square_plus(1.1, bounded(a)), self.leaf_bounded()]),
            42 => op("pow_scal_scal", [a, Expr::int(2 + self.rng.below(2) as i64)]),
            43 => op("pow_scal_scal", [square_plus(1.1, a), constant(0.7)]),
            44 => op("minus_scal", [a]),
            45 => add(op("floor_scal", [mul(constant(1.7), a.clone())]), a),
            46 => add(op("round_scal", [a.clone()]), a),
            _ => mul(a.clone(), a),
        }
    }

    fn leaf_bounded(&mut self) -> Expr {
        op("sin_scal", [self.leaf()])
    }

    fn condition(&mut self) -> Expr {
        let relations = [BoolOp::LessThan, BoolOp::LessOrEqual, BoolOp::GreaterThan, BoolOp::GreaterOrEqual];
        let r = relations[self.rng.below(4)];
        match self.rng.below(8) {
            0 | 1 => {
                let (a, b) = (self.int(1), Expr::int(self.rng.below(5) as i64));
                Expr::boolean(r, [a, b])
            }
            2 => {
                let (a, b) = (self.int(1), self.int(0));
                Expr::boolean([BoolOp::Equal, BoolOp::NotEqual][self.rng.below(2)], [a, b])
            }
            3 => {
                let (a, b) = (self.condition_leaf(r), self.condition_leaf(r));
                Expr::boolean([BoolOp::And, BoolOp::Or][self.rng.below(2)], [a, b])
            }
            4 => {
                let a = self.condition_leaf(r);
                Expr::boolean(BoolOp::Not, [a])
            }
            _ => self.condition_leaf(r),
        }
    }

    fn condition_leaf(&mut self, r: BoolOp) -> Expr {
        let a = self.leaf();
        let b = if self.rng.percent(50) { self.leaf() } else { Expr::real(self.rng.real(), 64) };
        Expr::boolean(r, [a, b])
    }
}

/// An integer as a double.
fn real_of(e: Expr) -> Expr {
    if e.as_constant().is_some() {
        return Expr::real(e.as_int().unwrap_or(1) as f64, 64);
    }
    Expr::op_typed("real_scal", R64, "double", [e])
}

//! Random programs that are well defined: indices in bounds, loops that end, functions inside their domains.
//!
//! The unit `head` is the one to be differentiated. Every array has `n` elements in each dimension, where `n` is the unit's first
//! argument; loop variables stay between 0 and n-1.

use super::expressions::real_of;
use super::rng::Rng;
use super::tree::{Item, Tree};
use xaif::model::*;

/// What `n` is in `head`; where an array is passed from its second element on, one less.
pub const N: i64 = 4;
pub(super) const SMALLEST: i64 = N - 1;

pub(super) const R64: ElemType = ElemType::REAL64;
pub(super) const R32: ElemType = ElemType { base: BaseType::Real, bits: 32 };

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Role {
    In,
    Out,
    Inout,
    Local,
    Global,
}

#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) symbol: SymbolId,
    pub(super) role: Role,
    pub(super) rank: usize,
    pub(super) lower: i64,
    pub(super) single: bool,
}

impl Variable {
    pub(super) fn writable(&self) -> bool {
        self.role != Role::In
    }
}

#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub(super) unit: UnitId,
    pub(super) symbol: SymbolId,
    /// Formals after `n`, the result (if any) last.
    pub(super) formals: Vec<Variable>,
    pub(super) result: bool,
    pub(super) recursive: bool,
    /// It is told where in arrays to write, and writes nowhere else in them.
    pub(super) told: bool,
}

pub(super) struct Features {
    pub(super) order: IndexOrder,
    pub(super) single: bool,
    pub(super) jumps: bool,
    pub(super) gotos: bool,
    pub(super) arrays: bool,
    pub(super) global: bool,
    /// Arguments may overlap.
    pub(super) alias: bool,
    /// Global variables are in a COMMON block, under other names in each unit.
    pub(super) common: bool,
    /// Work arrays are allocated.
    pub(super) heap: bool,
}

pub(super) struct Generator {
    pub(super) rng: Rng,
    pub(super) shell: Program,
    pub(super) features: Features,
    pub(super) signatures: Vec<Signature>,
    pub(super) reals: Vec<Variable>,
    /// Integer scalars that may be written.
    pub(super) ints: Vec<SymbolId>,
    /// Integer arrays.
    pub(super) tables: Vec<Variable>,
    /// Loop variables in use, all within 0..n-1.
    pub(super) loops: Vec<SymbolId>,
    pub(super) free_loops: Vec<SymbolId>,
    pub(super) n: SymbolId,
    pub(super) depth: Option<SymbolId>,
    pub(super) self_index: usize,
    pub(super) budget: usize,
    pub(super) loop_depth: usize,
    pub(super) globals: Vec<Variable>,
    /// Strides of loops that are not known when the program is translated.
    pub(super) strides: Vec<SymbolId>,
    /// Counters of jumps in webs that are not in use.
    pub(super) guards: Vec<SymbolId>,
    /// Webs around.
    pub(super) webs: usize,
    /// Work arrays that are allocated.
    pub(super) heaps: Vec<SymbolId>,
    /// The argument that tells where in arrays to write (0..n-1), and these arrays.
    pub(super) at: Option<(SymbolId, Vec<Variable>)>,
}

pub(super) fn op(name: &str, operands: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::op(name, operands)
}
pub(super) fn add(a: Expr, b: Expr) -> Expr {
    op("add_scal_scal", [a, b])
}
pub(super) fn sub(a: Expr, b: Expr) -> Expr {
    op("sub_scal_scal", [a, b])
}
pub(super) fn mul(a: Expr, b: Expr) -> Expr {
    op("mul_scal_scal", [a, b])
}
pub(super) fn square_plus(c: f64, a: Expr) -> Expr {
    add(Expr::real(c, 64), mul(a.clone(), a))
}

/// Behind `n`, and behind the depth of what calls itself.
fn formals_at(s: &Signature, formals: &[Formal]) -> SymbolId {
    formals[1 + usize::from(s.recursive)].symbol
}

/// The program of a seed.
pub fn generate(seed: u64) -> Tree {
    super::vary::varied(plain(seed), seed)
}

fn plain(seed: u64) -> Tree {
    let mut rng = Rng::new(seed);
    let features = Features {
        order: if rng.percent(50) { IndexOrder::Row } else { IndexOrder::Column },
        single: rng.percent(12),
        jumps: rng.percent(50),
        gotos: rng.percent(12),
        arrays: rng.percent(22),
        global: rng.percent(18),
        alias: rng.percent(25),
        common: rng.percent(50),
        heap: rng.percent(20),
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
        globals: Vec::new(),
        strides: Vec::new(),
        guards: Vec::new(),
        webs: 0,
        heaps: Vec::new(),
        at: None,
    };
    g.features.common &= g.features.global && g.features.order == IndexOrder::Column;
    if g.features.global && !g.features.common {
        let s = g.symbol(ScopeId(0), "glob", R64, &[], Storage::Global, Passing::Reference);
        g.globals.push(Variable { symbol: s, role: Role::Global, rank: 0, lower: 0, single: false });
        let lower = if g.features.order == IndexOrder::Row { 0 } else { 1 };
        let dims = [(Expr::int(lower), Expr::int(lower + N - 1))];
        let s = g.symbol(ScopeId(0), "field", R64, &dims, Storage::Global, Passing::Reference);
        g.globals.push(Variable { symbol: s, role: Role::Global, rank: 1, lower, single: false });
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
    pub(super) fn symbol(
        &mut self,
        scope: ScopeId,
        name: &str,
        ty: ElemType,
        dims: &[(Expr, Expr)],
        storage: Storage,
        passing: Passing,
    ) -> SymbolId {
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
        let pointer = self.features.order == IndexOrder::Row && storage == Storage::Argument && passing == Passing::Reference;
        if pointer && !self.features.alias {
            attributes.push("restrict".into());
        }
        let may_alias = pointer && self.features.alias;
        s.decl = Some(Box::new(Decl { passing, storage, dims, attributes, may_alias, type_text: type_text.into(), ..Decl::default() }));
        self.shell.add_symbol(s)
    }

    pub(super) fn by_value(&self) -> Passing {
        if self.features.order == IndexOrder::Row { Passing::Value } else { Passing::Reference }
    }

    /// A unit with its formals.
    pub(super) fn declare(&mut self, k: usize) {
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
        let told = k > 0 && self.rng.percent(30);
        if told {
            let at = self.symbol(scope, "at", ElemType::INTEGER, &[], Storage::Argument, self.by_value());
            unit.formals.push(Formal::new(unit.formals.len() as u32 + 1, at, Intent::In));
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
            // An array may be passed for two of them.
            if role == Role::In && passing == Passing::Reference && self.features.order == IndexOrder::Row {
                self.shell.symbol_mut(v.symbol).decl.get_or_insert_default().attributes.push("const".into());
            }
            if k > 0 && rank > 0 && self.features.order == IndexOrder::Column && self.rng.percent(25) {
                self.assumed_shape(v.symbol);
            }
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
        self.signatures.push(Signature { unit, symbol, formals, result, recursive, told });
    }

    /// `a(lower:)`: the extent comes with the argument.
    fn assumed_shape(&mut self, symbol: SymbolId) {
        if let Some(d) = &mut self.shell.symbol_mut(symbol).decl {
            d.passing = Passing::Descriptor;
            d.dims.iter_mut().for_each(|d| d.upper = Bound::Unknown);
        }
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn array(
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

    pub(super) fn body(&mut self, k: usize) -> Vec<Item> {
        let scope = self.shell.unit(self.signatures[k].unit).scope;
        let formals = &self.shell.unit(self.signatures[k].unit).formals;
        self.n = formals[0].symbol;
        self.depth = self.signatures[k].recursive.then(|| formals[1].symbol);
        self.self_index = k;
        self.reals = self.signatures[k].formals.clone();
        // What is passed as a value may be changed inside.
        for v in &mut self.reals {
            if v.role == Role::In && self.shell.symbol(v.symbol).passing() == Passing::Value && self.rng.percent(30) {
                v.role = Role::Inout;
            }
        }
        self.at = None;
        if self.signatures[k].told {
            let at = formals_at(&self.signatures[k], formals);
            let parts = self.reals.iter().filter(|v| v.role == Role::Inout && v.rank > 0).cloned().collect();
            self.reals.iter_mut().filter(|v| v.role == Role::Inout && v.rank > 0).for_each(|v| v.role = Role::In);
            self.at = Some((at, parts));
        }
        if self.features.common {
            self.common(scope, k);
        }
        self.reals.extend(self.globals.iter().cloned());
        self.loops.clear();
        self.loop_depth = 0;
        let n = self.n;
        let int = |g: &mut Self, name: &str| g.symbol(scope, name, ElemType::INTEGER, &[], Storage::Local, Passing::Reference);
        self.free_loops = ["i1", "i2", "i3", "i4", "i5", "i6"].iter().map(|s| int(self, s)).collect();
        self.ints = ["k1", "k2"].iter().map(|s| int(self, s)).collect();
        self.strides = ["s1", "s2"].iter().map(|s| int(self, s)).collect();
        self.guards = ["g1", "g2"].iter().map(|s| int(self, s)).collect();
        self.webs = 0;
        self.heaps.clear();
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
            if self.features.heap && rank == 1 && !single {
                items.push(self.allocated(&v));
            }
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
            base.extend(self.leave());
            items.push(Item::If(Expr::boolean(BoolOp::LessThan, [Expr::sym(d), Expr::int(1)]), base, Vec::new()));
        }
        let rest = self.sequence(0);
        items.extend(rest);
        if self.depth.is_some() {
            items.extend(self.call(k));
        }
        items.extend(self.heaps.iter().map(|&s| Item::Free(s)));
        items
    }

    /// A return, behind which nothing allocated is left.
    pub(super) fn leave(&self) -> Vec<Item> {
        self.heaps.iter().map(|&s| Item::Free(s)).chain([Item::Return]).collect()
    }

    /// Makes a work array one that is allocated here.
    fn allocated(&mut self, v: &Variable) -> Item {
        let row = self.features.order == IndexOrder::Row;
        if let Some(d) = &mut self.shell.symbol_mut(v.symbol).decl {
            d.attributes.push(if row { "heap" } else { "allocatable" }.into());
            let lower = if row { Bound::Expr(Expr::int(0)) } else { Bound::Unknown };
            d.dims = vec![Dim { lower, upper: Bound::Unknown }];
        }
        self.heaps.push(v.symbol);
        let high = if v.lower == 1 { Expr::sym(self.n) } else { add(Expr::sym(self.n), Expr::int(v.lower - 1)) };
        Item::Allocate(v.symbol, Expr::int(v.lower), high)
    }

    /// The variables of the COMMON block, by the names that they have in this unit.
    fn common(&mut self, scope: ScopeId, k: usize) {
        let storage = || Storage::Common("block".into());
        let s = self.symbol(scope, &format!("glob{k}"), R64, &[], storage(), Passing::Reference);
        let dims = [(Expr::int(1), Expr::int(N))];
        let f = self.symbol(scope, &format!("field{k}"), R64, &dims, storage(), Passing::Reference);
        self.globals = vec![
            Variable { symbol: s, role: Role::Global, rank: 0, lower: 0, single: false },
            Variable { symbol: f, role: Role::Global, rank: 1, lower: 1, single: false },
        ];
    }

    pub(super) fn first_value(&mut self, v: &Variable) -> Item {
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
    pub(super) fn head_for(&mut self, i: SymbolId, from: i64, step: i64, counted: bool) -> ForLoop {
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
}

//! Statements of stock derivatives as assignments, records and calls.
//!
//! Lives here: the meaning of propagators and of the stock run-time names. Never here: which variables derivatives are.

use super::blocks;
use super::components::{Components, free_name};
use crate::linearize::fold::{self, Fold};
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::{
    BaseType, Call, CallArgument, ElemType, Expr, Mode, Propagation, Stmt, StmtKind, Stmts, Symbol, SymbolId, Tri, UnitId, VarRef,
    VertexKind,
};
use xaif::{Diagnostic, Program, types};

/// What the statements of copies are made with.
pub struct Lowering<'a> {
    pub program: &'a mut Program,
    pub components: &'a mut Components,
    /// The names of the copies, by those of the originals.
    pub names: &'a FxHashMap<SymbolId, SymbolId>,
    pub mode: Mode,
    pub problems: &'a mut Vec<Diagnostic>,
    /// The variable through which integers of a unit are recorded.
    pub wide: Option<(UnitId, SymbolId)>,
}

/// All integers are recorded with this width: what takes them back has it.
const RECORDED: ElemType = ElemType { base: BaseType::Integer, bits: 64 };

impl Lowering<'_> {
    /// Rewrites the statements of a copy.
    pub fn unit(&mut self, unit: UnitId) {
        let mut graph = std::mem::take(&mut self.program.units[unit.index()].graph);
        for stmts in blocks(&mut graph) {
            let mut out = Stmts::with_capacity(stmts.len());
            for stmt in std::mem::take(stmts) {
                match self.stmt(unit, &stmt) {
                    Ok(None) => out.push(stmt),
                    Ok(Some(list)) => {
                        out.extend(list.into_iter().map(|kind| Box::new(Stmt { kind, id: Default::default(), ..(*stmt).clone() })))
                    }
                    Err(mut d) => {
                        d.location = d.location.or_else(|| self.program.location(stmt.span));
                        self.problems.push(d);
                    }
                }
            }
            *stmts = out;
        }
        self.program.units[unit.index()].graph = graph;
    }

    /// What stands for a statement; nothing: itself.
    fn stmt(&mut self, unit: UnitId, stmt: &Stmt) -> Result<Option<Vec<StmtKind>>, Diagnostic> {
        Ok(match &stmt.kind {
            StmtKind::Propagator(list) => {
                let made = list.iter().map(|p| self.propagation(unit, p));
                Some(made.collect::<Result<_, _>>()?)
            }
            StmtKind::Runtime { name, arguments } => Some(self.runtime(unit, name, arguments)?),
            StmtKind::Call(call) => Some(vec![self.call(unit, call)?]),
            _ => None,
        })
    }

    /// The derivative of a reference.
    fn derivative(&mut self, unit: UnitId, r: &VarRef) -> Result<VarRef, Diagnostic> {
        let symbol = self.components.get(self.program, unit, r.symbol, self.mode).map_err(|why| {
            let name = &self.program.symbol(r.symbol).name;
            Diagnostic::error("OB4093", format!("the derivative of `{name}` has no variable of its own")).because(why)
        })?;
        let mut out = VarRef { symbol, deriv: false, active: Tri::Undefined, ..r.clone() };
        out.forget_ids();
        Ok(out)
    }

    /// `target = value`, or `target = target + value`. What goes into a single element is added up.
    fn set(&self, target: VarRef, value: Expr, increment: bool) -> StmtKind {
        let many = types::of_ref(self.program, &target).rank == 0 && types::of(self.program, &value).rank > 0;
        let value = if many { Expr::op("sum_arr", [value]) } else { value };
        let value = if increment { Fold { program: self.program }.add(Expr::var(target.clone()), value) } else { value };
        StmtKind::Assignment { lhs: target, rhs: value }
    }

    fn update(
        &mut self,
        unit: UnitId,
        (target, source): (&VarRef, &VarRef),
        factor: Option<&Expr>,
        increment: bool,
    ) -> Result<StmtKind, Diagnostic> {
        let (target, source) = (self.derivative(unit, target)?, Expr::var(self.derivative(unit, source)?));
        let value = match factor {
            Some(a) => Fold { program: self.program }.mul(a.clone(), source),
            None => source,
        };
        Ok(self.set(target, value, increment))
    }

    fn zeroed(&mut self, unit: UnitId, target: &VarRef) -> Result<StmtKind, Diagnostic> {
        let target = self.derivative(unit, target)?;
        let zero = fold::zero(types::of_ref(self.program, &target).elem);
        Ok(self.set(target, zero, false))
    }

    fn propagation(&mut self, unit: UnitId, p: &Propagation) -> Result<StmtKind, Diagnostic> {
        match p {
            Propagation::Set { target, source } => self.update(unit, (target, source), None, false),
            Propagation::SetNeg { target, source } => self.update(unit, (target, source), Some(&Expr::int(-1)), false),
            Propagation::Inc { target, source } => self.update(unit, (target, source), None, true),
            Propagation::Dec { target, source } => self.update(unit, (target, source), Some(&Expr::int(-1)), true),
            Propagation::Zero { target } => self.zeroed(unit, target),
            Propagation::Sax { terms, y } | Propagation::Saxpy { terms, y } => {
                let mut sum: Option<Expr> = None;
                for (a, x) in terms {
                    let x = Expr::var(self.derivative(unit, x)?);
                    let fold = Fold { program: self.program };
                    let term = fold.mul(a.clone(), x);
                    sum = Some(match sum {
                        None => term,
                        Some(s) => fold.add(s, term),
                    });
                }
                let y = self.derivative(unit, y)?;
                let sum = sum.unwrap_or_else(|| fold::zero(types::of_ref(self.program, &y).elem));
                Ok(self.set(y, sum, matches!(p, Propagation::Saxpy { .. })))
            }
        }
    }

    /// What a call of stock run-time support does. `IncDeriv(p, q)` and its kin change what they name last.
    fn runtime(&mut self, unit: UnitId, name: &str, arguments: &[CallArgument]) -> Result<Vec<StmtKind>, Diagnostic> {
        let mut list: Vec<&CallArgument> = arguments.iter().collect();
        list.sort_by_key(|a| a.position);
        let refs: Vec<Option<&VarRef>> = list.iter().map(|a| a.value.as_var()).collect();
        let lower = name.to_ascii_lowercase();
        Ok(match (lower.as_str(), &refs[..]) {
            ("push_s0" | "push_s1" | "push_s2" | "push_i_s0" | "push_i_s1" | "push_i" | "push_s" | "push_b", [_]) => {
                self.record(unit, "push", &arguments[0])
            }
            ("pop_s0" | "pop_s1" | "pop_s2" | "pop_i_s0" | "pop_i_s1" | "pop_i" | "pop_s" | "pop_b", [_]) => {
                self.record(unit, "pop", &arguments[0])
            }
            ("incderiv", [Some(p), Some(q)]) => vec![self.update(unit, (q, p), None, true)?],
            ("decderiv", [Some(p), Some(q)]) => vec![self.update(unit, (q, p), Some(&Expr::int(-1)), true)?],
            ("zeroderiv", [Some(p)]) => vec![self.zeroed(unit, p)?],
            ("saxpy", [_, Some(x), Some(y)]) => vec![self.update(unit, (y, x), Some(&list[0].value), true)?],
            ("oad_convert", [Some(to), from]) => {
                let mut out = vec![StmtKind::Assignment { lhs: plain(to), rhs: list[1].value.clone() }];
                let active = |r: &VarRef| self.program.symbol(r.symbol).active && self.program.symbol(r.symbol).ty.is_real();
                if self.mode == Mode::Tangent && active(to) {
                    out.push(match from {
                        Some(from) if active(from) => self.update(unit, (to, from), None, false)?,
                        _ => self.zeroed(unit, to)?,
                    });
                }
                out
            }
            _ => {
                return Err(Diagnostic::error(
                    "OB4093",
                    format!("the run-time call `{name}` has no meaning outside of the stock templates"),
                )
                .because("memory and checkpoints are theirs there"));
            }
        })
    }

    /// Records a value, or takes it back.
    fn record(&mut self, unit: UnitId, name: &str, argument: &CallArgument) -> Vec<StmtKind> {
        let through = |argument: CallArgument| StmtKind::Runtime { name: name.into(), arguments: vec![argument] };
        let found = types::of(self.program, &argument.value);
        let narrow = found.rank == 0 && found.elem.base == BaseType::Integer && found.elem.bits != RECORDED.bits;
        let Some(r) = argument.value.as_var().filter(|_| narrow) else { return vec![through(argument.clone())] };
        let wide = self.wide(unit);
        let (from, to) = (Expr::var(plain(r)), Expr::sym(wide));
        let recorded = through(CallArgument { value: to.clone(), ..argument.clone() });
        match name {
            "push" => vec![StmtKind::Assignment { lhs: VarRef::whole(wide), rhs: from }, recorded],
            _ => vec![recorded, StmtKind::Assignment { lhs: plain(r), rhs: to }],
        }
    }

    fn wide(&mut self, unit: UnitId) -> SymbolId {
        match self.wide {
            Some((u, s)) if u == unit => s,
            _ => {
                let scope = self.program.unit(unit).scope;
                let name = free_name(self.program, scope, "recorded");
                let s = self.program.add_symbol(Symbol::made(name, RECORDED, scope));
                self.wide = Some((unit, s));
                s
            }
        }
    }

    /// A call of the copy of a unit, with a derivative behind each argument that is active there.
    fn call(&mut self, unit: UnitId, call: &Call) -> Result<StmtKind, Diagnostic> {
        let Some(&name) = self.names.get(&call.callee) else { return Ok(StmtKind::Call(call.clone())) };
        let callee = self.program.unit_of_symbol(call.callee).map(|u| self.program.unit(u).formals.clone()).unwrap_or_default();
        if self.mode == Mode::Forward {
            return Ok(StmtKind::Call(Call { callee: name, ..call.clone() }));
        }
        let active: Vec<u32> = callee
            .iter()
            .filter(|f| self.program.symbol(f.symbol).active && self.program.symbol(f.symbol).ty.is_real())
            .map(|f| f.position)
            .collect();
        let mut arguments = Vec::with_capacity(call.arguments.len() + active.len());
        for a in &call.arguments {
            let position = a.position + active.iter().filter(|&&p| p < a.position).count() as u32;
            arguments.push(CallArgument { position, ..a.clone() });
            if active.contains(&a.position) {
                let Some(r) = a.value.as_var() else {
                    return Err(Diagnostic::error("OB4093", "a value is passed for an active argument").because("it has no derivative"));
                };
                let derivative = self.derivative(unit, r)?;
                arguments.push(CallArgument::new(position + 1, Expr::var(derivative)));
            }
        }
        let formal_count = call.formal_count.map(|n| n + active.len() as u32);
        Ok(StmtKind::Call(Call { callee: name, arguments, formal_count, active: Tri::Undefined }))
    }
}

fn plain(r: &VarRef) -> VarRef {
    VarRef { deriv: false, ..r.clone() }
}

/// Takes out of an original what tangents have added: propagators, and variables that these alone read.
pub fn without_propagators(program: &mut Program, unit: UnitId) {
    let mut graph = std::mem::take(&mut program.units[unit.index()].graph);
    for stmts in blocks(&mut graph) {
        for s in stmts.iter_mut() {
            if let StmtKind::Runtime { name, arguments } = &s.kind
                && name.eq_ignore_ascii_case("oad_convert")
                && let [to, from] = &arguments[..]
                && let Some(to) = to.value.as_var()
            {
                s.kind = StmtKind::Assignment { lhs: plain(to), rhs: from.value.clone() };
            }
        }
        stmts.retain(|s| !matches!(s.kind, StmtKind::Propagator(_)));
    }
    loop {
        let mut read: FxHashSet<SymbolId> = FxHashSet::default();
        for v in graph.node_weights() {
            let mut look = |e: &Expr| {
                e.for_each_ref(&mut |r| {
                    read.insert(r.symbol);
                })
            };
            let mut look_at = |s: &Stmt| match &s.kind {
                StmtKind::Assignment { lhs, rhs } => lhs.index_exprs().chain([rhs]).for_each(&mut look),
                StmtKind::Call(c) => c.arguments.iter().for_each(|a| look(&a.value)),
                StmtKind::Runtime { arguments, .. } => arguments.iter().for_each(|a| look(&a.value)),
                _ => {}
            };
            match &v.kind {
                VertexKind::Block { stmts, .. } => stmts.iter().for_each(|s| look_at(s)),
                VertexKind::For(f) => {
                    look_at(&f.init);
                    look_at(&f.update);
                    look(&f.condition);
                }
                VertexKind::Pre(e) | VertexKind::Post(e) | VertexKind::Branch(e) => look(e),
                _ => {}
            }
        }
        let scope = program.unit(unit).scope;
        let idle = |s: &Stmt| match &s.kind {
            StmtKind::Assignment { lhs, .. } => {
                let symbol = program.symbol(lhs.symbol);
                symbol.temp && symbol.scope == scope && !read.contains(&lhs.symbol)
            }
            _ => false,
        };
        let mut changed = false;
        for stmts in blocks(&mut graph) {
            let before = stmts.len();
            stmts.retain(|s| !idle(s));
            changed |= stmts.len() != before;
        }
        if !changed {
            break;
        }
    }
    program.units[unit.index()].graph = graph;
}

//! The call of a callee's adjoint: its arguments, and what is zero in front of it.
//!
//! Lives here: the call. Never here: adjoints of single arguments (see `companions`).

use super::{Adjoint, Pair, PlannedCalls, duplicate_arguments};
use crate::linearize::fold::zero;
use crate::signature::Role;
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree::Item;
use crate::transform::adjoint::facts::effects::{operands, subscripts};
use crate::transform::plan::Derived;
use smol_str::SmolStr;
use xaif::model::{Bound, Call, CallArgument, Expr, Formal, Mode, Passing, Stmt, StmtKind, Symbol, SymbolId, Tri, UnitId, VarRef};
use xaif::{Diagnostic, Program, types};

impl PlannedCalls<'_> {
    pub(super) fn differentiated(
        &self,
        program: &Program,
        unit: &dyn Surroundings,
        stmt: &Stmt,
        callee: UnitId,
        pairs: &[Pair],
    ) -> Option<&Derived> {
        let (pair, whole) = (self.plan.of(callee, Mode::Reverse), self.plan.of(callee, Mode::Adjoint));
        let derived = if self.plan.is_split(program, stmt, callee) { pair.or(whole) } else { whole.or(pair) }?;
        let counts = || {
            self.plan.facts.effects.unit(callee).writes.iter().any(|&s| {
                let result = pairs.iter().find(|p| p.formal == s && program.unit(callee).formals[p.index].result);
                let counts = |p: &Pair| p.reference.is_none_or(|r| unit.adjoint(r.symbol).is_some());
                self.plan.activity.is_active(callee, s) && result.is_none_or(counts)
            })
        };
        // Nothing that it sets counts here: all adjoints that it would be called with are zero.
        if derived.mode != Mode::Reverse && !counts() {
            return None;
        }
        let active_argument = |k: usize| {
            pairs.iter().find(|p| p.index == k).is_some_and(|p| {
                let mut active = false;
                p.argument.value.for_each_ref(&mut |r| active |= unit.adjoint(r.symbol).is_some());
                active
            })
        };
        let by_arguments = derived.signature.roles.iter().any(|r| matches!(r, Role::Derivative(k) if active_argument(*k)));
        let facts = self.plan.facts;
        let by_objects = self.plan.activity.unit(callee).is_some_and(|u| u.active.iter().any(|&s| facts.objects.is_shared(callee, s)));
        (by_arguments || by_objects).then_some(derived)
    }

    /// The call of the adjoint with what belongs to it.
    pub(super) fn adjoint(
        &self,
        unit: &mut dyn Surroundings,
        stmt: &Stmt,
        callee: UnitId,
        derived: &Derived,
        pairs: &[Pair],
    ) -> Result<Adjoint, Diagnostic> {
        let formals: Vec<Formal> = unit.program().unit(callee).formals.clone();
        let mut out = Adjoint::default();
        let effects = self.plan.facts.effects.unit(callee);
        let touched = self.mapped(effects.reads.iter().chain(&effects.writes).copied(), pairs);
        // What the callee sees without an argument.
        let global = |s: &SymbolId| pairs.iter().all(|p| p.formal != *s);
        let seen = self.mapped(effects.reads.iter().copied().filter(global), pairs);
        // What is handed over as it is, and whether that is apart from all others: the callee takes it for that, or gets a copy.
        let mut handed: Vec<(&Pair, bool)> = Vec::new();
        let mut arguments = Vec::new();
        let mut skipped = false;
        for (i, role) in derived.signature.roles.iter().enumerate() {
            let k = role.index();
            let Some(pair) = pairs.iter().find(|p| p.index == k) else {
                skipped = true;
                continue;
            };
            let value = match role {
                Role::Primal(_) => {
                    if pair.reference.is_none() {
                        operands(unit.program(), &pair.argument.value, &mut out.needs);
                    } else if let Some(r) = pair.reference {
                        subscripts(unit.program(), r, &mut out.needs);
                    }
                    pair.argument.value.clone()
                }
                Role::Derivative(_) if formals[k].result => self.result(unit, stmt, pair, pairs, &mut out)?,
                Role::Derivative(_) => {
                    let exclusive = unit.program().unit(derived.unit).formals.get(i).is_some_and(|f| !may_alias(unit.program(), f.symbol));
                    let exclusive = exclusive || duplicate_arguments::may_be_copied(unit.program(), pair);
                    let only_read = !effects.writes.contains(&pair.formal);
                    let others =
                        handed.iter().any(|(p, alone)| (exclusive || *alone) && duplicate_arguments::same_storage(unit, pairs, p, pair));
                    let shared = pair.reference.is_some_and(|r| seen.iter().any(|&g| g == r.symbol || unit.overlap(g, r.symbol)));
                    let again = only_read && (others || exclusive && shared);
                    if again && let Some(value) = duplicate_arguments::own_increment(unit, stmt, pairs, pair, &mut out)? {
                        value
                    } else {
                        if only_read {
                            handed.push((pair, exclusive));
                        }
                        self.companion(unit, stmt, pair, &touched, &mut out)?
                    }
                }
            };
            let keyword = if skipped || !pair.argument.keyword.is_empty() {
                let formal = unit.program().unit(derived.unit).formals.get(i).map(|f| f.symbol);
                formal.map_or(SmolStr::default(), |s| unit.program().symbol(s).name.clone())
            } else {
                SmolStr::default()
            };
            arguments.push(CallArgument { keyword, ..CallArgument::new(i as u32 + 1, value) });
        }
        let call = Call {
            callee: unit.program().unit(derived.unit).symbol,
            formal_count: Some(derived.signature.roles.len() as u32),
            arguments,
            active: Tri::Undefined,
        };
        out.before.push(Item::stmt(Stmt { line: stmt.line, span: stmt.span, ..Stmt::new(StmtKind::Call(call)) }));
        Ok(out)
    }

    /// What the callee sets without knowing an adjoint of it: the caller's is zero in front of the call. So it is for a scalar that the callee may set: what
    /// it holds before the call does not depend on the independents, else the callee would know its adjoint, and nobody asks for it.
    pub(super) fn killed(
        &self,
        unit: &dyn Surroundings,
        stmt: &Stmt,
        callee: UnitId,
        derived: Option<&Derived>,
        pairs: &[Pair],
        needs: &mut Vec<SymbolId>,
    ) -> Result<Vec<Item>, Diagnostic> {
        let program = unit.program();
        let effects = self.plan.facts.effects.unit(callee);
        let kills = &effects.kills;
        let scalar = |s: SymbolId| program.symbol(s).rank == 0;
        let mut out = Vec::new();
        for p in pairs.iter().filter(|p| kills.contains(&p.formal) || effects.writes.contains(&p.formal) && scalar(p.formal)) {
            if derived.is_some_and(|d| d.signature.roles.contains(&Role::Derivative(p.index))) {
                continue;
            }
            let Some((r, companion)) = p.reference.and_then(|r| Some((r, unit.adjoint(r.symbol)?))) else { continue };
            subscripts(program, r, needs);
            let target = if program.symbol(p.formal).rank == 0 {
                self.first_element(program, r)
            } else if types::of_ref(program, r).rank > 0 && self.fills(program, p.formal, r, pairs) {
                r.clone()
            } else {
                let name = &program.symbol(r.symbol).name;
                return Err(Diagnostic::error("OB4065", format!("it is not known which part of {name} this call overwrites"))
                    .at(program.location(stmt.span))
                    .because("the adjoint of exactly that part is zero before the call")
                    .help("hand over the section that the callee declares, or declare it with an assumed shape"));
            };
            out.push(Item::stmt(Stmt::assign(target.with_symbol(companion), zero(program.symbol(companion).ty))));
        }
        for &g in kills.iter().filter(|g| pairs.iter().all(|p| p.formal != **g)) {
            let Some(companion) = self.here.get(&g).and_then(|&s| unit.adjoint(s)) else { continue };
            if !self.plan.activity.is_active(callee, g) {
                out.push(Item::stmt(Stmt::assign(VarRef::whole(companion), zero(program.symbol(companion).ty))));
            }
        }
        Ok(out)
    }

    /// A whole array handed to a scalar is its first element.
    fn first_element(&self, program: &Program, r: &VarRef) -> VarRef {
        let symbol = program.symbol(r.symbol);
        if symbol.rank == 0 || !r.subscripts.is_empty() {
            return r.clone();
        }
        let lower = |k: usize| match symbol.decl.as_ref().and_then(|d| d.dims.get(k)).map(|d| &d.lower) {
            Some(Bound::Expr(e)) => e.clone(),
            _ => Expr::op("lbound", [Expr::sym(r.symbol), Expr::int(k as i64 + 1)]),
        };
        VarRef::element(r.symbol, (0..symbol.rank as usize).map(lower))
    }

    /// Whether an array argument is all that its formal stands for.
    fn fills(&self, program: &Program, formal: SymbolId, r: &VarRef, pairs: &[Pair]) -> bool {
        let (f, a) = (program.symbol(formal), program.symbol(r.symbol));
        if f.passing() == Passing::Descriptor {
            return true;
        }
        let dims = |s: &Symbol| s.decl.as_ref().map(|d| d.dims.clone()).unwrap_or_default();
        let same = |x: &Bound, y: &Bound| match (x, y) {
            (Bound::Expr(x), Bound::Expr(y)) => {
                let handed = x.as_var().and_then(|v| pairs.iter().find(|p| p.formal == v.symbol)).map(|p| &p.argument.value);
                handed.unwrap_or(x) == y
            }
            _ => false,
        };
        let (f, a) = (dims(f), dims(a));
        r.subscripts.is_empty() && f.len() == a.len() && f.iter().zip(&a).all(|(x, y)| same(&x.lower, &y.lower) && same(&x.upper, &y.upper))
    }
}

fn may_alias(program: &Program, symbol: SymbolId) -> bool {
    program.symbol(symbol).decl.as_ref().is_some_and(|d| d.may_alias)
}

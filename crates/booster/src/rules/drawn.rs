//! Derivatives of the functions that were drawn for procedures which heads get from their callers.
//!
//! They keep to the contract of such derivatives as loosely as it allows: the adjoint overwrites all that the original may set. Lives here: their statements,
//! written down from the function's formula. Never here: how derivatives of programs are made.

use crate::signature::Role;
use xaif::Program;
use xaif::model::{ElemType, Expr, FlowGraph, Mode, Stmt, SymbolId, UnitId, VarRef};
use xaif::open::{KEPT, LINEAR, Part, graph, local, parts, sum, times, total, used, values, widest};

/// The body of the derivative of an open unit; the roles of its arguments are in their order.
pub fn body(program: &mut Program, unit: UnitId, roles: &[Role]) -> FlowGraph {
    let Some(derivation) = program.unit(unit).derivation else { return FlowGraph::default() };
    let parts = parts(program, derivation.of);
    let ty = widest(program, derivation.of);
    let total_of = local(program, unit, "total", ty);
    let derivative = local(program, unit, "slope", ty);
    // The value of a result is no argument of an adjoint.
    let formals: Vec<SymbolId> = program.unit(unit).formals.iter().map(|f| f.symbol).collect();
    let argument = |role: Role| roles.iter().position(|r| *r == role).and_then(|i| formals.get(i).copied());
    let d = Drawn { program, parts: &parts, argument: &argument, total_of, derivative, ty };
    let statements = if derivation.mode == Mode::Tangent { d.tangent() } else { d.adjoint() };
    graph(program, unit, statements)
}

struct Drawn<'a> {
    program: &'a Program,
    parts: &'a [Part],
    argument: &'a dyn Fn(Role) -> Option<SymbolId>,
    total_of: SymbolId,
    derivative: SymbolId,
    ty: ElemType,
}

impl Drawn<'_> {
    fn primal(&self, p: &Part) -> Option<VarRef> {
        (self.argument)(Role::Primal(p.index)).map(|s| used(self.program, s, p.whole))
    }

    fn companion(&self, p: &Part) -> Option<VarRef> {
        (self.argument)(Role::Derivative(p.index)).map(|s| used(self.program, s, p.whole))
    }

    fn alike(&self, p: &Part) -> Vec<&Part> {
        self.parts.iter().filter(|a| p.alike.contains(&a.index)).collect()
    }

    /// The slope of the sum of sines by an argument, times what is given.
    fn slope(&self, p: &Part, with: Expr) -> Option<Expr> {
        let cosine = Expr::op("cos_scal", [Expr::var(self.primal(p)?)]);
        Some(times(p.sine, Expr::op("mul_scal_scal", [cosine, with]), self.ty))
    }

    fn values(&self) -> Vec<Stmt> {
        // A result whose value is no argument is not set.
        let here: Vec<Part> = self.parts.iter().filter(|p| self.primal(p).is_some()).cloned().collect();
        if !here.iter().any(|p| p.written) {
            return Vec::new();
        }
        values(self.program, &here, &|k| (self.argument)(Role::Primal(k)).unwrap_or(self.total_of), self.total_of)
    }

    fn tangent(&self) -> Vec<Stmt> {
        let read = self.parts.iter().filter(|p| p.read);
        let slopes = read.filter_map(|p| Some(total(p, self.slope(p, Expr::var(self.companion(p)?))?)));
        let mut out = vec![Stmt::assign(VarRef::whole(self.derivative), sum(slopes.collect(), self.ty))];
        for p in self.parts.iter().filter(|p| p.written) {
            let Some(to) = self.companion(p) else { continue };
            let own = self.program.symbol(to.symbol).ty;
            let mut terms = Vec::new();
            if p.read {
                terms.push(times(KEPT, Expr::var(to.clone()), own));
            }
            terms.extend(self.alike(p).into_iter().filter_map(|a| Some(times(LINEAR, Expr::var(self.companion(a)?), own))));
            terms.push(times(p.of_sum, Expr::sym(self.derivative), own));
            out.push(Stmt::assign(to, sum(terms, own)));
        }
        out.extend(self.values());
        out
    }

    fn adjoint(&self) -> Vec<Stmt> {
        let add = |to: VarRef, what: Expr| Stmt::assign(to.clone(), Expr::op("add_scal_scal", [Expr::var(to), what]));
        let written = || self.parts.iter().filter(|p| p.written);
        let of_sum = written().filter_map(|p| Some(times(p.of_sum, total(p, Expr::var(self.companion(p)?)), self.ty)));
        let mut out = vec![Stmt::assign(VarRef::whole(self.derivative), sum(of_sum.collect(), self.ty))];
        for p in written() {
            let Some(from) = self.companion(p) else { continue };
            for a in self.alike(p) {
                let Some(to) = self.companion(a) else { continue };
                let own = self.program.symbol(to.symbol).ty;
                out.push(add(to, times(LINEAR, Expr::var(from.clone()), own)));
            }
            let own = self.program.symbol(from.symbol).ty;
            if p.read {
                out.push(Stmt::assign(from.clone(), times(KEPT, Expr::var(from), own)));
            } else if self.primal(p).is_some() {
                out.push(Stmt::assign(from, Expr::real(0.0, own.bits)));
            }
        }
        for p in self.parts.iter().filter(|p| p.read) {
            if let (Some(to), Some(slope)) = (self.companion(p), self.slope(p, Expr::sym(self.derivative))) {
                out.push(add(to, slope));
            }
        }
        out.extend(self.values());
        out
    }
}

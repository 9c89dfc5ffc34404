//! Elemental procedures of the user's on whole arrays: one call for each element.
//!
//! Lives here: the loops around such calls. Never here: which procedure is meant, what is passed for a scalar (see
//! `procedures`, `arguments`).

use crate::parse::context::arguments::Actual;
use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::{Val, at, type_text};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// Whether these arguments make one call for each element.
    pub fn is_elementwise(&self, symbol: SymbolId, actuals: &[Actual]) -> bool {
        let Some(&p) = self.proc_of.get(&symbol) else { return false };
        self.procs[p].elemental && actuals.iter().any(|a| a.value.rank > 0)
    }

    /// Calls an elemental procedure for each element; the value of a function goes to `target` or a temporary array.
    pub fn call_elements(
        &mut self,
        symbol: SymbolId,
        actuals: Vec<Actual<'t>>,
        node: Node<'t>,
        target: Option<VarRef>,
    ) -> Lowered<Option<Val>> {
        self.needs_graph(node)?;
        let stem = self.p.symbol(symbol).name.to_string();
        let Some(&proc) = self.proc_of.get(&symbol) else { return Err(self.refuse(node, "OB3040", "an unknown elemental procedure")) };
        let formals = self.procs[proc].formals.clone();
        let ready = self.element_arguments(actuals, &formals, &target, &stem)?;
        let rank = ready.iter().map(|a| a.value.rank).max().unwrap_or(0);
        let Some(shape) = ready.iter().find(|a| a.value.rank > 0) else { return Ok(None) };
        let dims = self.known_extents(&shape.value, shape.node)?;
        let result = formals.iter().find(|f| f.result).map(|f| (f.position, self.p.symbol(f.symbol).ty));
        let value = match (&result, &target) {
            (Some((_, ty)), None) => Some(Val::new(Expr::sym(self.fresh_array(&stem, *ty, dims.clone(), node)), *ty, rank)),
            (Some((_, ty)), Some(t)) => Some(Val::new(Expr::var(t.clone()), *ty, rank)),
            (None, _) => None,
        };
        let indices = self.open_nest(&dims, node);
        // In WHERE the function is called where the mask holds.
        let mask = self.cur.mask.clone().filter(|m| m.rank == rank);
        if let Some(m) = &mask {
            let test = self.element(m, &indices, node)?;
            self.open_test(test);
        }
        let mut arguments = Vec::new();
        for a in ready {
            let mut e = self.element(&a.value, &indices, a.node)?;
            if a.value.rank > 0 && e.as_var().is_none() && e.as_constant().is_none() && !a.by_value {
                let t = self.temp(&stem, a.value.ty, &type_text(a.value.ty), Vec::new(), false, self.file().span(a.node));
                self.emit(StmtKind::Assignment { lhs: VarRef::whole(t), rhs: e }, a.node, true);
                e = Expr::sym(t);
            }
            arguments.push(CallArgument { keyword: a.keyword, ..CallArgument::new(a.position, e) });
        }
        if let (Some((position, _)), Some(v)) = (&result, &value) {
            let into = match v.e.as_var() {
                Some(r) if r.subscripts.is_empty() && target.is_none() => Expr::var(at(r.symbol, &indices)),
                _ => self.element(v, &indices, node)?,
            };
            arguments.push(CallArgument::new(*position, into));
        }
        let call = Call { callee: symbol, arguments, formal_count: Some(formals.len() as u32), active: Tri::Undefined };
        self.note_call(symbol);
        self.emit(StmtKind::Call(call), node, true);
        if mask.is_some() {
            self.close_test();
        }
        self.close_nest(indices);
        Ok(value)
    }

    /// The arguments in front of the loops: scalars as they are passed, arrays as values with elements.
    fn element_arguments(
        &mut self,
        actuals: Vec<Actual<'t>>,
        formals: &[Formal],
        target: &Option<VarRef>,
        stem: &str,
    ) -> Lowered<Vec<Actual<'t>>> {
        let intent = |position: u32| formals.iter().find(|f| f.position == position).map_or(Intent::Inout, |f| f.intent);
        let written: Vec<SymbolId> = actuals
            .iter()
            .filter(|a| intent(a.position) != Intent::In)
            .filter_map(|a| a.value.e.as_var().map(|r| r.symbol))
            .chain(target.as_ref().map(|t| t.symbol))
            .collect();
        let mut rank = 0;
        let mut ready: Vec<Actual> = Vec::new();
        for mut a in actuals {
            if a.value.rank == 0 {
                a.value.e = self.passed(a.value.clone(), a.by_value, stem, a.node)?;
                ready.push(a);
                continue;
            }
            if rank > 0 && a.value.rank != rank {
                return Err(self.refuse(a.node, "OB3043", "the arguments of an elemental procedure have different ranks"));
            }
            rank = a.value.rank;
            if intent(a.position) == Intent::In {
                // What another argument's elements change is read before.
                let mut changes = false;
                a.value.e.for_each_ref(&mut |r| changes |= written.contains(&r.symbol));
                let same = target.is_some() && a.value.e.as_var().is_some_and(|r| r.subscripts.is_empty());
                a.value = if changes && !same {
                    let t = self.array_value(stem, a.value.clone(), a.node)?;
                    self.cur.one_based.insert(t);
                    Val::new(Expr::sym(t), a.value.ty, a.value.rank)
                } else {
                    self.elements(a.value, stem, a.node)?
                };
            } else if a.value.e.as_var().is_none() {
                return Err(self.refuse(a.node, "OB3040", "an expression is passed for an argument that an elemental procedure changes"));
            }
            ready.push(a);
        }
        Ok(ready)
    }
}

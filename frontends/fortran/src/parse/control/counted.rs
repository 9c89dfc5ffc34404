//! Counted loops, with integers and, in old programs, with reals.
//!
//! Lives here: bounds and steps. Never here: loops without a counter (see `loops`).

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::{Val, combine, op, type_text};
use crate::parse::facts::changes::Changes;
use crate::parse::text::tree::named;
use arcstr::ArcStr;
use tree_sitter::Node;
use xaif::model::*;

/// `variable = from, to, by` in the head of a loop.
pub struct Counter<'t> {
    pub variable: Node<'t>,
    pub from: Node<'t>,
    pub to: Node<'t>,
    pub by: Option<Node<'t>>,
}

impl<'t> Lower<'t> {
    /// `do i = e0, e1, e2`.
    pub fn counted(&mut self, node: Node<'t>, head: Node<'t>, control: Node<'t>, name: &str) -> Lowered<()> {
        let parts = named(control);
        let (Some(&variable), Some(&from), Some(&to)) = (parts.first(), parts.get(1), parts.get(2)) else {
            return Err(self.refuse(control, "OB3034", "malformed DO"));
        };
        let i = self.variable(variable)?;
        if self.p.symbol(i).ty.base == BaseType::Real && self.p.symbol(i).rank == 0 {
            return self.real_loop(node, i, &parts, name);
        }
        self.counted_loop(node, head, Counter { variable, from, to, by: parts.get(3).copied() }, name)
    }

    /// `do x = a, b, c` with a real variable, by the count of its iterations.
    ///
    /// ```text
    /// trips = int((b - a + c)/c);  x = a;  do k = 1, trips;  if (k > 1) x = x + c;  ...
    /// ```
    fn real_loop(&mut self, node: Node<'t>, x: SymbolId, parts: &[Node<'t>], name: &str) -> Lowered<()> {
        let s = self.p.symbol(x).clone();
        let variable = parts[0];
        let own = s.scope == self.cur.scope && *s.storage() == Storage::Local;
        if !own || self.used_outside(variable) || self.assigned_directly(node, &s.name.to_ascii_lowercase()).is_some() {
            let mut d =
                *self.refuse(variable, "OB3041", format!("the loop variable `{}` is no integer, and used outside of loops", s.name));
            d.help = Some("count with an integer and compute the real value from it".into());
            return Err(Box::new(d));
        }
        let span = self.file().span(variable);
        let mut values = Vec::new();
        for (n, stem) in parts[1..].iter().zip(["first", "last", "step"]) {
            let v = self.expr(*n)?;
            self.numeric(&v, *n)?;
            if v.rank > 0 {
                return Err(self.refuse(*n, "OB3041", "a bound of the loop is no number"));
            }
            let v = self.converted(v, s.ty);
            values.push(match v.e.as_constant() {
                Some(_) => v.e,
                None => {
                    let t = self.temp(stem, s.ty, &type_text(s.ty), Vec::new(), false, span);
                    self.emit(StmtKind::Assignment { lhs: VarRef::whole(t), rhs: v.e }, *n, true);
                    Expr::sym(t)
                }
            });
        }
        if values.len() == 2 {
            values.push(Expr::real(1.0, s.ty.bits));
        }
        let [first, last, step] = &values[..] else { return Err(self.refuse(node, "OB3034", "malformed DO")) };
        let way = op("sub_scal_scal", "", None, [last.clone(), first.clone()]);
        let count = op("div_scal_scal", "", None, [op("add_scal_scal", "", None, [way, step.clone()]), step.clone()]);
        let count = op("int_scal", "int", Some(ElemType::INTEGER), [count]);
        let trips = self.temp("trips", ElemType::INTEGER, "integer", Vec::new(), false, span);
        self.emit(StmtKind::Assignment { lhs: VarRef::whole(trips), rhs: count }, variable, true);
        self.emit(StmtKind::Assignment { lhs: VarRef::whole(x), rhs: first.clone() }, variable, true);
        self.flush_after();
        let k = self.temp("k", ElemType::INTEGER, "integer", Vec::new(), false, span);
        let assign = |rhs| {
            let mut s = Stmt::assign(VarRef::whole(k), rhs);
            (s.span, s.line) = (span, span.line);
            s
        };
        let head = ForLoop {
            explicit: false,
            init: assign(Expr::int(1)),
            condition: combine(NodeKind::Bool(BoolOp::LessOrEqual), [Expr::sym(k), Expr::sym(trips)]),
            update: assign(op("add_scal_scal", "", None, [Expr::sym(k), Expr::int(1)])),
            counted: true,
        };
        if let Some(g) = &mut self.cur.graph {
            let v = g.begin_for(head);
            self.describe(v, node, name);
        }
        self.open_test(combine(NodeKind::Bool(BoolOp::GreaterThan), [Expr::sym(k), Expr::int(1)]));
        let rhs = op("add_scal_scal", "", None, [Expr::sym(x), step.clone()]);
        self.emit(StmtKind::Assignment { lhs: VarRef::whole(x), rhs }, variable, true);
        self.close_test();
        Ok(())
    }

    #[allow(clippy::too_many_arguments)] // the parts of one head
    pub fn counted_loop(&mut self, node: Node<'t>, head: Node<'t>, counter: Counter<'t>, name: &str) -> Lowered<()> {
        let Counter { variable, from, to, by } = counter;
        let i = self.variable(variable)?;
        let s = self.p.symbol(i);
        if s.ty.base != BaseType::Integer || s.rank > 0 {
            let mut d = *self.refuse(variable, "OB3041", format!("the loop variable `{}` is no integer", s.name));
            d.help = Some("count with an integer and compute the real value from it".into());
            return Err(Box::new(d));
        }
        let stem = s.name.to_ascii_lowercase();
        let changes = self.changes(node);
        if let Some(at) = self.assigned_directly(node, &stem) {
            return Err(self.refuse(at, "OB3041", format!("the loop variable `{stem}` is changed in the loop")));
        }
        let e0 = self.expr(from)?;
        let e1 = self.expr(to)?;
        let step = match by {
            Some(n) => Some((self.expr(n)?, self.const_int(n), n)),
            None => None,
        };
        for (v, n) in [(&e0, from), (&e1, to)].into_iter().chain(step.iter().map(|(v, _, n)| (v, *n))) {
            if v.ty.base != BaseType::Integer || v.rank > 0 {
                return Err(self.refuse(n, "OB3041", "a bound of the loop is no integer"));
            }
        }
        if let Some((_, Some(0), n)) = &step {
            return Err(self.refuse(*n, "OB3041", "the step is zero"));
        }
        let init = self.stable(e0, &stem, &changes, i, from, false);
        let last = self.stable(e1, &format!("{stem}_last"), &changes, i, to, true);
        let (step, sign) = match step {
            None => (Expr::int(1), Some(1)),
            Some((_, Some(1), _)) => (Expr::int(1), Some(1)),
            // A named constant keeps its name.
            Some((v, Some(k), _)) => (if v.e.as_var().is_some() { v.e } else { Expr::int(k) }, Some(k.signum())),
            Some((v, None, n)) => (self.stable(v, &format!("{stem}_step"), &changes, i, n, true), None),
        };
        self.flush_after();
        let condition = ForLoop::within(&Expr::sym(i), &last, &step, sign);
        let span = self.file().span(head);
        let text = ArcStr::from(self.file().squeezed(head));
        let assign = |rhs| {
            let mut s = Stmt::assign(VarRef::whole(i), rhs);
            (s.span, s.line, s.text) = (span, span.line, text.clone());
            s
        };
        let update = op("add_scal_scal", "", None, [Expr::sym(i), step]);
        let head = ForLoop { explicit: false, init: assign(init), condition, update: assign(update), counted: true };
        if let Some(g) = &mut self.cur.graph {
            let v = g.begin_for(head);
            self.describe(v, node, name);
        }
        Ok(())
    }

    /// A bound that is evaluated once: a variable of its own where the loop may change what it reads.
    fn stable(&mut self, v: Val, stem: &str, changes: &Changes, i: SymbolId, node: Node<'t>, again: bool) -> Expr {
        let mut stable = true;
        v.e.for_each_ref(&mut |r| {
            let s = self.p.symbol(r.symbol);
            if *s.storage() == Storage::Constant {
                return;
            }
            let own =
                s.scope == self.cur.scope && matches!(s.storage(), Storage::Local | Storage::Argument) && s.kind == SymbolKind::Variable;
            let aliased = s.decl.as_ref().is_some_and(|d| d.may_alias);
            // A component changes with its structure.
            let name = s.name.to_ascii_lowercase();
            let changed = r.symbol == i || changes.names.contains(name.split('%').next().unwrap_or_default()) || aliased;
            stable &= !changed && (own || !changes.calls);
        });
        if stable || !again {
            return v.e;
        }
        let t = self.temp(stem, v.ty, &type_text(v.ty), Vec::new(), false, self.file().span(node));
        self.emit(StmtKind::Assignment { lhs: VarRef::whole(t), rhs: v.e }, node, true);
        Expr::sym(t)
    }
}

//! ASSOCIATE: names for expressions.
//!
//! Lives here: what such a name stands for. Never here: names of whole units.

use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::terms::{Val, int_op, shifted, type_text};
use crate::parse::text::tree::{child, field, named, walk};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// ASSOCIATE: a name stands for a variable, an element or a section of one, or a value that is computed once.
    pub fn associate(&mut self, node: Node<'t>, refusals: &mut Vec<xaif::Diagnostic>) -> Lowered<()> {
        let mut frame = self.cur.frames.last().cloned().unwrap_or_default();
        for a in child(node, "association_list").map(named).unwrap_or_default() {
            let (Some(name), Some(selector)) = (field(a, "name"), field(a, "selector")) else { continue };
            let v = self.expr(selector)?;
            let v = self.associated(v, selector, node)?;
            frame.insert(self.lower(name), v);
        }
        // What was allocated for values is freed behind the construct.
        let pending = std::mem::take(&mut self.cur.after);
        self.cur.frames.push(frame);
        self.inside(node, refusals);
        self.cur.frames.pop();
        self.cur.after = pending;
        self.flush_after();
        Ok(())
    }

    /// The variable or value that an associated name stands for.
    fn associated(&mut self, v: Val, selector: Node<'t>, construct: Node<'t>) -> Lowered<Val> {
        let Some(r) = v.e.as_var().filter(|_| selector.kind() != "parenthesized_expression").cloned() else {
            if v.ty.base == BaseType::String {
                return Err(self.refuse(selector, "OB3044", "text expression"));
            }
            if v.rank > 0 {
                let t = self.array_value("value", v.clone(), selector)?;
                self.cur.one_based.insert(t);
                return Ok(Val::new(Expr::sym(t), v.ty, v.rank));
            }
            let t = self.temp("value", v.ty, &type_text(v.ty), Vec::new(), false, self.file().span(selector));
            self.emit(StmtKind::Assignment { lhs: VarRef::whole(t), rhs: v.e }, selector, true);
            return Ok(Val::new(Expr::sym(t), v.ty, 0));
        };
        if self.p.symbol(r.symbol).pointer && self.may_lead_elsewhere(selector, construct) {
            let d = self.refuse(selector, "OB3034", "a name for what a pointer leads to, which may get another target in the construct");
            return Err(Box::new(d.help("use the pointer's own name")));
        }
        self.frozen(Val::new(Expr::var(r), v.ty, v.rank), selector, &[construct])
    }

    /// Whether statements of a construct may give the pointer that a selector names another target.
    fn may_lead_elsewhere(&self, selector: Node<'t>, construct: Node<'t>) -> bool {
        let whole = self.lower(selector);
        let base = whole.split(['%', '(']).next().unwrap_or_default().trim();
        let mut found = false;
        walk(construct, &mut |n| {
            found |= match n.kind() {
                "pointer_association_statement" | "nullify_statement" | "allocate_statement" | "deallocate_statement" => true,
                "subroutine_call" => {
                    let mut named_there = false;
                    walk(n, &mut |m| {
                        named_there |= m.kind() == "identifier" && self.lower(m) == base;
                        !named_there
                    });
                    named_there
                }
                _ => false,
            };
            !found
        });
        found
    }

    /// A variable whose subscripts keep the values that they have here, whatever the statements of a range change.
    pub fn frozen(&mut self, v: Val, selector: Node<'t>, range: &[Node<'t>]) -> Lowered<Val> {
        let Some(mut r) = v.e.as_var().cloned() else { return Ok(v) };
        for e in r.index_exprs_mut() {
            if self.is_changed_in(e, range) {
                let index = Val::new(e.clone(), ElemType::INTEGER, 0);
                if xaif::types::of(&self.p, e).rank > 0 {
                    return Err(self.refuse(selector, "OB3034", "a name for a vector of subscripts that changes"));
                }
                let t = self.temp("at", ElemType::INTEGER, "integer", Vec::new(), false, self.file().span(selector));
                self.emit(StmtKind::Assignment { lhs: VarRef::whole(t), rhs: index.e }, selector, true);
                *e = Expr::sym(t);
            }
        }
        Ok(Val::new(Expr::var(r), v.ty, v.rank))
    }

    /// Subscripts on an associated name that stands for a section.
    pub fn associated_element(&mut self, v: &Val, list: Node<'t>, node: Node<'t>) -> Lowered<Val> {
        let subscripts = self.subscripts(list)?;
        if subscripts.len() != v.rank as usize {
            let message = format!("{} dimensions, but {} subscripts", v.rank, subscripts.len());
            return Err(self.refuse(node, "OB3043", message));
        }
        let rank = subscripts.iter().filter(|(t, _)| t.is_section()).count() as u8;
        let vector = subscripts.iter().any(|s| s.1);
        let list: Vec<Triplet> = subscripts.into_iter().map(|s| s.0).collect();
        let found = match v.e.as_var() {
            _ if vector => None,
            Some(r) if rank > 0 => self.section_of(r, list).map(Expr::var),
            _ => list.into_iter().map(|t| t.index).collect::<Option<Vec<Expr>>>().and_then(|at| self.element_at(&v.e, &at)),
        };
        match found {
            Some(e) => Ok(Val::new(e, v.ty, rank)),
            None => {
                let mut d = *self.refuse(node, "OB3034", "a section of an associated name");
                d.help = Some("use the variable's own name".into());
                Err(Box::new(d))
            }
        }
    }

    /// A section of a section: its subscripts count from one along each dimension of it.
    fn section_of(&self, r: &VarRef, list: Vec<Triplet>) -> Option<VarRef> {
        let mut out = r.clone();
        let mut list = list.into_iter();
        for (k, own) in out.subscripts.iter_mut().enumerate().filter(|(_, t)| t.is_section()) {
            let t = list.next()?;
            let first = match &own.index {
                Some(e) => e.clone(),
                None => self.first_subscript(r.symbol, k)?,
            };
            let place = |i: Expr| shifted(first.clone(), i, own.stride.clone());
            if !t.is_section() {
                *own = Triplet::element(place(t.index?));
                continue;
            }
            let stride = match (&own.stride, t.stride) {
                (Some(a), Some(b)) => Some(int_op("mul_scal_scal", a.clone(), b)),
                (a, b) => b.or_else(|| a.clone()),
            };
            // Without both ends, which one is meant depends on the direction.
            let forward = stride.as_ref().is_none_or(|s| s.as_int().is_some_and(|n| n > 0));
            if !forward && (t.index.is_none() || t.bound.is_none()) {
                return None;
            }
            let from = t.index.map(place).or_else(|| own.index.clone());
            let to = t.bound.map(place).or_else(|| own.bound.clone());
            *own = Triplet { index: from, bound: to, stride };
            // An index alone would be an element.
            if own.index.is_some() && own.bound.is_none() && own.stride.is_none() {
                own.stride = Some(Expr::int(1));
            }
        }
        Some(out)
    }

    /// Whether a variable of the expression has another name in the text, for which nobody looks.
    pub fn has_other_names(&self, e: &Expr) -> bool {
        let Some(frame) = self.cur.frames.last() else { return false };
        let mut found = false;
        e.for_each_ref(&mut |r| {
            found |= frame.values().any(|v| {
                // Subscripts of what a name stands for are values, no names.
                if let Some(q) = v.e.as_var() {
                    return q.symbol == r.symbol;
                }
                let mut same = false;
                v.e.for_each_ref(&mut |q| same |= q.symbol == r.symbol);
                same
            })
        });
        found
    }

    fn is_changed_in(&self, e: &Expr, range: &[Node<'t>]) -> bool {
        if e.as_constant().is_some() {
            return false;
        }
        let mut names = Vec::new();
        if self.has_other_names(e) {
            return true;
        }
        e.for_each_ref(&mut |r| {
            let s = self.p.symbol(r.symbol);
            if *s.storage() != Storage::Constant && !self.is_declared_input(r.symbol) {
                names.push(s.name.to_ascii_lowercase());
            }
        });
        let mut changed = names.iter().any(|n| n.contains('%'));
        let mut look = |n: Node<'t>| {
            changed |= match n.kind() {
                "assignment_statement" => field(n, "left").is_some_and(|l| {
                    let base = if l.kind() == "call_expression" { named(l).first().copied().unwrap_or(l) } else { l };
                    names.contains(&self.lower(base))
                }),
                "loop_control_expression" | "concurrent_control" => named(n).first().is_some_and(|v| names.contains(&self.lower(*v))),
                "subroutine_call" | "read_statement" => !names.is_empty(),
                "call_expression" => !names.is_empty() && self.calls_user(n),
                _ => false,
            };
            !changed
        };
        range.iter().for_each(|n| walk(*n, &mut look));
        changed
    }
}

//! Lvalues and pointers: every access becomes a variable with subscripts.
//!
//! A pointer is never a value of the model. It is known by the array (or scalar) that it points into and the subscripts of its target; a
//! pointer that walks keeps its last subscript in an integer variable. Never here: declarations of pointers (see `pointer_declarations`).

use crate::parse::context::places::{LValue, Place, Pointer};
use crate::parse::context::state::{Binding, Lower, Variable};
use crate::parse::context::terms::{constant, moved, moved_back, op};
use crate::parse::context::values::{Operand, Value};
use crate::parse::facts::indirect_calls::has_effects;
use crate::parse::language::math;
use crate::parse::language::types::{CType, same_element};
use crate::parse::text::refusals::{
    EXPRESSION, LVALUE, POINTER_CAST, POINTER_TARGET, POINTER_TO_POINTER, POINTER_VALUE, RECORD, Refusal, Res, refuse,
};
use crate::parse::text::syntax::{callee_name, is_errno, uncast};
use lang_c::ast::{BinaryOperator as B, BinaryOperatorExpression, Expression as E, UnaryOperator as U};
use lang_c::span::{Node, Span};
use xaif::model::{Expr, StmtKind, VarRef};

impl<'a> Lower<'a> {
    /// The variable that an expression names, if it is nothing but a name.
    pub fn named_variable(&self, e: &Node<E>) -> Option<Variable> {
        match &e.node {
            E::Identifier(i) => match self.find(&i.node.name) {
                Some(Binding::Variable(v)) => Some(v.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    /// A pointer value.
    pub fn pointer(&mut self, e: &'a Node<E>) -> Res<Pointer> {
        match &e.node {
            E::Identifier(i) => {
                let Some(v) = self.named_variable(e) else {
                    return match self.operand(e)? {
                        Operand::Null => refuse(POINTER_VALUE, e, "a null pointer is used"),
                        _ => refuse(POINTER_VALUE, e, format!("`{}` is no pointer", i.node.name)),
                    };
                };
                match (v.place, v.ty) {
                    (Place::Object(base), CType::Array(of, _)) => Ok(Pointer { base, subs: vec![Expr::int(0)], to: (*of).clone() }),
                    (Place::Target(p), _) => Ok(p),
                    (Place::Walking { base, rows, offsets, to }, _) => {
                        let mut subs = rows;
                        subs.extend(offsets.iter().map(|&o| Expr::sym(o)));
                        Ok(Pointer { base, subs, to })
                    }
                    (Place::Heap(base), CType::Pointer(p)) => Ok(Pointer { base, subs: vec![Expr::int(0)], to: p.to.clone() }),
                    (Place::Refused(r), _) => Err(self.at_use(&r, e)),
                    (_, CType::Pointer(p)) if matches!(p.to, CType::Record(_)) => {
                        let (name, to) = (&i.node.name, p.to.describe());
                        Err(Refusal::new(RECORD, e.span, format!("what `{name}` points to is used here, which is a `{to}`"))
                            .because("where it points to is not followed, or may be nothing, or the definition of the type is not here")
                            .help("pass its members as arguments of their own"))
                    }
                    (_, ty @ CType::Record(_)) => Err(Refusal::new(RECORD, e.span, format!("a `{}` is used here", ty.describe()))
                        .because("unions, and structures whose members are not all known here, are not followed")),
                    (_, CType::Pointer(p)) if matches!(p.to, CType::Pointer(_)) => Err(self.pointer_to_pointer(e.span)),
                    _ => refuse(POINTER_VALUE, e, format!("`{}` is no pointer to numbers", i.node.name)),
                }
            }
            E::Cast(c) => {
                let (ty, _) = self.type_name(&c.node.type_name)?;
                let CType::Pointer(target) = &ty else { return refuse(POINTER_CAST, e, "a pointer is cast to something else") };
                if let Some(p) = self.cast_member(uncast(&c.node.expression), &target.to)? {
                    return Ok(p);
                }
                let p = self.pointer(&c.node.expression)?;
                if (target.to == CType::Void && !p.to.is_row()) || same_element(&target.to, &p.to) {
                    return Ok(p);
                }
                Err(Refusal::new(
                    POINTER_CAST,
                    e.span,
                    format!("a pointer to {} is seen as a pointer to {}", p.to.describe(), target.to.describe()),
                )
                .because("what is stored through it could not be followed")
                .help("use an array of the right type"))
            }
            E::UnaryOperator(u) if u.node.operator.node == U::Address => {
                let lv = self.place(&u.node.operand)?;
                Ok(Pointer { base: lv.base, subs: lv.subs, to: lv.ty })
            }
            E::Member(_) => match self.member_target(e) {
                Some(p) => Ok(p),
                None => {
                    let lv = self.place(e)?;
                    self.decay(lv, e.span)
                }
            },
            E::UnaryOperator(u) if u.node.operator.node == U::Indirection => {
                let lv = self.place(e)?;
                self.decay(lv, e.span)
            }
            E::BinaryOperator(b) if b.node.operator.node == B::Index => {
                let lv = self.place(e)?;
                self.decay(lv, e.span)
            }
            E::Call(c) if self.returned_pointer(&c.node).is_some() => self.pointer_of_call(e, &c.node),
            E::Call(c) if self.is_data_accessor(&c.node) => self.handed_out_pointer(e, &c.node),
            E::Call(_) => Err(Refusal::new(POINTER_TARGET, e.span, "a function returns a pointer")
                .because("where it points to is not known")
                .help("pass the array as an argument")),
            _ => match self.operand(e)? {
                Operand::Pointer(p) => Ok(p),
                Operand::Null => refuse(POINTER_VALUE, e, "a null pointer is used"),
                _ => refuse(POINTER_VALUE, e, "this expression is no pointer to numbers"),
            },
        }
    }

    /// An array as a pointer to its first element.
    fn decay(&mut self, lv: LValue, place: Span) -> Res<Pointer> {
        let reached = self.program.symbol(lv.base).has_attribute(&xaif::members::REACHED);
        match lv.ty {
            CType::Pointer(p) if reached => {
                let mut subs = lv.subs;
                subs.push(Expr::int(0));
                Ok(Pointer { base: lv.base, subs, to: p.to.clone() })
            }
            // It begins in the middle of another array.
            CType::Array(of, _) if self.overlays.contains_key(&lv.base) && lv.subs.len() == self.program.symbol(lv.base).rank as usize => {
                Ok(Pointer { base: lv.base, subs: lv.subs, to: (*of).clone() })
            }
            CType::Array(of, _) => {
                let mut subs = lv.subs;
                subs.push(Expr::int(0));
                Ok(Pointer { base: lv.base, subs, to: (*of).clone() })
            }
            CType::Pointer(_) => Err(self.pointer_to_pointer(place)),
            _ => Err(Refusal::new(POINTER_VALUE, place, "a number is used as a pointer")),
        }
    }

    fn pointer_to_pointer(&self, place: Span) -> Refusal {
        Refusal::new(POINTER_TO_POINTER, place, "this is a pointer to a pointer")
            .because("arrays behind pointers to pointers cannot be told apart")
            .help("use one array with computed indices, or a two-dimensional array parameter `double a[n][m]`")
    }

    /// A place that is read or set.
    pub fn lvalue(&mut self, e: &'a Node<E>) -> Res<LValue> {
        let lv = self.place(e)?;
        self.within_rows(e, lv)
    }

    /// A place as the text's pointers give it: the last subscript may go over several rows.
    pub fn place(&mut self, e: &'a Node<E>) -> Res<LValue> {
        match &e.node {
            E::Identifier(i) => match self.named_variable(e) {
                Some(v) => match v.place {
                    Place::Object(base) => Ok(LValue { base, subs: Vec::new(), ty: v.ty }),
                    Place::Refused(r) => Err(self.at_use(&r, e)),
                    Place::Opaque(_) => {
                        self.arithmetic(&v.ty, e.span)?;
                        refuse(LVALUE, e, format!("`{}` cannot be set or have its address taken here", i.node.name))
                    }
                    _ => Err(self.pointer_to_pointer(e.span)),
                },
                None => refuse(LVALUE, e, format!("`{}` is no variable", i.node.name)),
            },
            E::BinaryOperator(b) if b.node.operator.node == B::Index => {
                // What is stored there comes behind both sides.
                if has_effects(&b.node.lhs) || has_effects(&b.node.rhs) {
                    self.check_order(e, &[&b.node.lhs, &b.node.rhs])?;
                }
                let (array, index) = match self.type_of(&b.node.lhs) {
                    Some(t) if t.is_integer() => (&b.node.rhs, &b.node.lhs),
                    _ => (&b.node.lhs, &b.node.rhs),
                };
                let p = self.pointer(array)?;
                let i = self.index(index)?;
                let p = self.moved(p, i, e.span)?;
                self.target(p, e.span)
            }
            _ if is_errno(e) => Err(Refusal::new(EXPRESSION, e.span, "`errno` is read")
                .because("what functions of the library leave there is not followed")
                .help("test the arguments of the function instead")),
            E::UnaryOperator(u) if u.node.operator.node == U::Indirection => {
                let p = self.pointer(&u.node.operand)?;
                self.target(p, e.span)
            }
            E::CompoundLiteral(c) => {
                let (base, ty) = self.compound_literal(e, &c.node)?;
                Ok(LValue { base, subs: Vec::new(), ty })
            }
            E::Member(m) => self.member(e, &m.node),
            _ => refuse(LVALUE, e, "this cannot be set, and has no address"),
        }
    }

    /// The place that a pointer points to.
    pub fn target(&mut self, p: Pointer, place: Span) -> Res<LValue> {
        match &p.to {
            CType::Pointer(_) => Err(self.pointer_to_pointer(place)),
            CType::Void => Err(Refusal::new(POINTER_CAST, place, "a pointer to void is used")),
            t => {
                let overlay = matches!(t, CType::Record(_)) && self.overlays.contains_key(&p.base);
                if !overlay && !self.structures.contains_key(&p.base) {
                    self.arithmetic(t.element(), place)?;
                }
                Ok(LValue { base: p.base, subs: p.subs, ty: p.to })
            }
        }
    }

    /// The value of an element or of a pointer's target.
    pub fn load(&mut self, e: &'a Node<E>) -> Res<Operand> {
        let lv = self.lvalue(e)?;
        match &lv.ty {
            t if t.is_arithmetic() => Ok(Operand::Value(Value::new(Expr::var(lv.reference()), lv.ty.clone()))),
            CType::Record(_) => Ok(Operand::Structure(lv)),
            _ => self.decay(lv, e.span).map(Operand::Pointer),
        }
    }

    /// `p + i`
    pub fn moved(&mut self, mut p: Pointer, i: Expr, place: Span) -> Res<Pointer> {
        if let Some(moved) = self.moved_in_overlay(&p, &i, place) {
            return moved;
        }
        match p.subs.pop() {
            Some(last) => {
                p.subs.push(moved(last, i));
                Ok(p)
            }
            None if i.as_int() == Some(0) => Ok(p),
            None => Err(Refusal::new(POINTER_VALUE, place, "a pointer to a single variable is moved")),
        }
    }

    /// `p - i`
    pub fn moved_back(&mut self, mut p: Pointer, i: Expr, place: Span) -> Res<Pointer> {
        if matches!(p.to, CType::Record(_)) && self.overlays.contains_key(&p.base) {
            return Err(Refusal::new(POINTER_VALUE, place, "a pointer into a union is moved back"));
        }
        match p.subs.pop() {
            Some(last) => {
                p.subs.push(moved_back(last, i));
                Ok(p)
            }
            None => Err(Refusal::new(POINTER_VALUE, place, "a pointer to a single variable is moved")),
        }
    }

    fn assignment_order(&mut self, e: &Node<E>, lhs: &Node<E>, rhs: &Node<E>) -> Res<()> {
        if !self.body().ordered {
            return Ok(());
        }
        match self.assignment_disturbance(lhs, rhs) {
            Some(d) => Err(d.refusal(e.span)),
            None => Ok(()),
        }
    }

    /// `lhs = rhs`
    pub fn assign(&mut self, e: &'a Node<E>, lhs: &'a Node<E>, rhs: &'a Node<E>) -> Res<Operand> {
        self.assignment_order(e, lhs, rhs)?;
        if let Some(v) = self.named_variable(lhs)
            && matches!(v.ty, CType::Pointer(_))
        {
            return self.assign_pointer(e, &v, lhs, rhs);
        }
        if matches!(self.type_of(lhs), Some(CType::Record(_))) {
            return self.assign_structure(e, lhs, rhs);
        }
        if self.type_of(lhs).is_some_and(|t| t.is_row()) {
            return Err(self.row_pointer_set(e.span));
        }
        let pointer = |l: &mut Self| l.type_of(lhs).is_some_and(|t| matches!(t, CType::Pointer(_)));
        if matches!(lhs.node, E::Member(_)) && pointer(self) {
            if let Some(done) = self.give_member_target(e, lhs, rhs)? {
                return Ok(done);
            }
            let lv = self.place(lhs)?;
            self.settable(&lv, e.span)?;
        }
        let value = self.value(rhs)?;
        let lv = self.lvalue(lhs)?;
        self.store(e, &lv, value)
    }

    /// `lhs = rhs` of structures.
    fn assign_structure(&mut self, e: &'a Node<E>, lhs: &'a Node<E>, rhs: &'a Node<E>) -> Res<Operand> {
        let from = match self.operand(rhs)? {
            Operand::Structure(lv) => lv,
            _ => return refuse(RECORD, rhs, "this structure is not followed"),
        };
        let to = self.place(lhs)?;
        if !self.structures.contains_key(&to.base) && !self.is_overlay(&to) {
            self.arithmetic(&to.ty, lhs.span)?;
        }
        self.copy_structure(&to, &from, e.span)?;
        Ok(Operand::Structure(to))
    }

    /// Stores a value and returns what is there then.
    fn store(&mut self, e: &'a Node<E>, lv: &LValue, value: Value) -> Res<Operand> {
        if !lv.ty.is_arithmetic() {
            return refuse(LVALUE, e, format!("{} cannot be assigned", lv.ty.describe()));
        }
        self.settable(lv, e.span)?;
        self.emit_assignment(lv.reference(), value.stored_as(&lv.ty), e.span);
        Ok(Operand::Value(Value::new(Expr::var(lv.reference()), lv.ty.clone())))
    }

    /// `lhs += rhs` and its like.
    pub fn compound(&mut self, e: &'a Node<E>, operator: &B, b: &'a BinaryOperatorExpression) -> Res<Operand> {
        self.assignment_order(e, &b.lhs, &b.rhs)?;
        if let Some(number) = self.stepped_in_unknown_array(e, &b.lhs) {
            return self.in_any(number, |l| l.compound(e, operator, b));
        }
        if let Some(v) = self.named_variable(&b.lhs)
            && matches!(v.ty, CType::Pointer(_))
        {
            let p = self.pointer(&b.lhs)?;
            let i = self.index(&b.rhs)?;
            self.check_step(&p, &i, e.span)?;
            let to = match operator {
                B::AssignPlus => self.moved(p, i, e.span)?,
                B::AssignMinus => self.moved_back(p, i, e.span)?,
                _ => return refuse(POINTER_VALUE, e, "this operator does not apply to pointers"),
            };
            return self.set_pointer(e, &v, to);
        }
        if self.type_of(&b.lhs).is_some_and(|t| t.is_row()) {
            return Err(self.row_pointer_set(e.span));
        }
        let rhs = self.value(&b.rhs)?;
        let lv = self.lvalue(&b.lhs)?;
        if !lv.ty.is_arithmetic() {
            return refuse(LVALUE, e, format!("{} cannot be assigned", lv.ty.describe()));
        }
        let old = Value::new(Expr::var(lv.reference()), lv.ty.clone());
        let new = self.calculate(e, operator, old, rhs)?;
        self.store(e, &lv, new)
    }

    /// `++` and `--`. With `post` the value is the old one.
    pub fn step(&mut self, e: &'a Node<E>, operand: &'a Node<E>, delta: i64, post: bool) -> Res<Operand> {
        if let Some(number) = self.stepped_in_unknown_array(e, operand) {
            return self.in_any(number, |l| l.step(e, operand, delta, post));
        }
        if let Some(v) = self.named_variable(operand)
            && matches!(v.ty, CType::Pointer(_))
        {
            let old = self.pointer(operand)?;
            let new = self.moved(old.clone(), Expr::int(delta), e.span)?;
            if !post {
                return self.set_pointer(e, &v, new);
            }
            let mut kept = old;
            if self.body().deferred.is_none()
                && let Some(last) = kept.subs.pop()
            {
                let t = self.keep("at", last, &CType::LONG, e.span);
                kept.subs.push(Expr::sym(t));
            }
            self.set_pointer(e, &v, new)?;
            return Ok(Operand::Pointer(kept));
        }
        let lv = self.lvalue(operand)?;
        if lv.ty.is_row() {
            return Err(self.row_pointer_set(e.span));
        }
        if !lv.ty.is_arithmetic() {
            return refuse(LVALUE, e, "`++` and `--` need a number or a pointer");
        }
        self.settable(&lv, e.span)?;
        let old = Value::new(Expr::var(lv.reference()), lv.ty.clone());
        let one = if lv.ty.is_real() { constant(&lv.ty, "1.0", "") } else { Expr::int(1) };
        let name = if delta > 0 { "add_scal_scal" } else { "sub_scal_scal" };
        let new = Value::new(op(name, "", [old.clone().number().expr, one]), lv.ty.clone());
        if !post {
            let kind = StmtKind::Assignment { lhs: lv.reference(), rhs: new.stored_as(&lv.ty) };
            self.emit(kind, e.span);
            return Ok(Operand::Value(old));
        }
        let kind = StmtKind::Assignment { lhs: lv.reference(), rhs: new.stored_as(&lv.ty) };
        if self.body().deferred.is_some() {
            let text = self.original(e.span);
            let comment = std::mem::take(&mut self.body().comment);
            let stmt = self.statement_of(kind, e.span, text);
            self.body().comment = comment;
            if let Some(list) = &mut self.body().deferred {
                list.push(stmt);
            }
            return Ok(Operand::Value(old));
        }
        let base = self.program.symbol(lv.base).name.clone();
        let t = self.keep(&base, old.expr, &lv.ty, e.span);
        self.emit(kind, e.span);
        Ok(Operand::Value(Value::new(Expr::sym(t), lv.ty)))
    }

    /// A pointer variable gets a new value.
    fn assign_pointer(&mut self, e: &'a Node<E>, v: &Variable, lhs: &'a Node<E>, rhs: &'a Node<E>) -> Res<Operand> {
        let set = self.set_target(e, v, lhs, rhs)?;
        let facts = self.body().facts.clone();
        if v.fact.is_some_and(|f| facts.gets_target(f, lhs.span)) {
            self.note_target(v.fact, Some(rhs), e.span)?;
        }
        Ok(set)
    }

    fn set_target(&mut self, e: &'a Node<E>, v: &Variable, lhs: &'a Node<E>, rhs: &'a Node<E>) -> Res<Operand> {
        if let Some(number) = self.reassigned(v) {
            return self.assign_reassigned(number, e, v, lhs, rhs);
        }
        if let Some(fact) = v.fact.filter(|f| self.body.as_ref().is_some_and(|b| b.later.iter().any(|(l, _)| l == f))) {
            self.give_target(fact, rhs, e.span)?;
            return self.pointer(lhs).map(Operand::Pointer);
        }
        match &v.place {
            Place::Refused(_)
                if matches!(&v.ty, CType::Pointer(p) if matches!(p.to, CType::Int { char: true, .. })) && self.is_text(rhs) =>
            {
                Ok(Operand::Opaque)
            }
            Place::Refused(r) => Err(self.at_use(r, lhs)),
            Place::Heap(symbol) => {
                if self.constant_integer(uncast(rhs)) == Some(0) || matches!(self.operand_is_null(rhs), Some(true)) {
                    return Ok(Operand::Null);
                }
                self.allocate(*symbol, &v.ty, rhs, e.span)?;
                self.pointer(lhs).map(Operand::Pointer)
            }
            _ => {
                if matches!(self.operand_is_null(rhs), Some(true)) {
                    return Ok(Operand::Null);
                }
                if let Some(symbol) = self.owned_structure(v) {
                    self.structure_memory(symbol, rhs, e.span)?;
                    return self.pointer(lhs).map(Operand::Pointer);
                }
                let p = self.target_or_null(rhs)?;
                self.set_pointer(e, v, p)
            }
        }
    }

    /// True for a null pointer constant.
    pub fn operand_is_null(&mut self, e: &Node<E>) -> Option<bool> {
        match &uncast(e).node {
            E::Identifier(i) if i.node.name == "NULL" && self.find("NULL").is_none() => Some(true),
            E::Constant(_) => Some(self.constant_integer(uncast(e)) == Some(0)),
            _ => None,
        }
    }

    /// A walking pointer gets a new target.
    pub fn set_pointer(&mut self, e: &'a Node<E>, v: &Variable, p: Pointer) -> Res<Operand> {
        let Place::Walking { base, rows, offsets, .. } = &v.place else {
            return refuse(POINTER_TARGET, e, "this pointer gets another target");
        };
        if *base != p.base || rows.len() + offsets.len() != p.subs.len() || !p.subs.starts_with(rows) {
            let name = self.program.symbol(*base).name.clone();
            return Err(Refusal::new(POINTER_TARGET, e.span, format!("a pointer into `{name}` gets another target"))
                .because("a pointer must stay in one array for its whole life")
                .help("use one pointer for each array"));
        }
        let changed: Vec<_> =
            offsets.iter().zip(&p.subs[rows.len()..]).filter(|(o, s)| s.as_var().is_none_or(|r| r.symbol != **o)).collect();
        let mut values: Vec<Expr> = changed.iter().map(|(_, s)| (*s).clone()).collect();
        let mut mutual = false;
        for value in &values {
            value.for_each_ref(&mut |r| mutual |= offsets.contains(&r.symbol));
        }
        if changed.len() > 1 && mutual {
            for value in &mut values {
                let t = self.keep("at", value.clone(), &CType::LONG, e.span);
                *value = Expr::sym(t);
            }
        }
        let text = self.original(e.span);
        let waits = self.body().deferred.is_some();
        for ((o, _), value) in changed.into_iter().zip(values) {
            let value = self.as_it_is_now(value, e.span);
            let kind = StmtKind::Assignment { lhs: VarRef::whole(*o), rhs: value };
            let stmt = self.statement_of(kind, e.span, text.clone());
            match &mut self.body().deferred {
                Some(list) => list.push(stmt),
                None => self.body().builder.stmt(stmt),
            }
        }
        if waits {
            return Ok(Operand::Pointer(p));
        }
        // The pointer has moved: from here on its offsets have the new values.
        let mut subs = rows.clone();
        subs.extend(offsets.iter().map(|&o| Expr::sym(o)));
        Ok(Operand::Pointer(Pointer { subs, ..p }))
    }

    /// A value that may be wanted behind statements that wait: what these change is kept as it is now.
    fn as_it_is_now(&mut self, value: Expr, place: Span) -> Expr {
        let waiting = self.body().deferred.as_deref().unwrap_or_default();
        let changed = |r: &VarRef| waiting.iter().any(|s| matches!(&s.kind, StmtKind::Assignment { lhs, .. } if lhs.symbol == r.symbol));
        let mut late = false;
        value.for_each_ref(&mut |r| late |= changed(r));
        if late { Expr::sym(self.keep("at", value, &CType::LONG, place)) } else { value }
    }

    /// The type of an expression, without translating it.
    pub fn type_of(&mut self, e: &Node<E>) -> Option<CType> {
        let pointee = |t: CType| match t {
            CType::Pointer(p) => Some(p.to.clone()),
            CType::Array(of, _) => Some((*of).clone()),
            _ => None,
        };
        match &e.node {
            E::Identifier(i) => match self.find(&i.node.name) {
                Some(Binding::Variable(v)) => Some(v.ty.clone()),
                Some(Binding::Enumerator { .. }) => Some(CType::INT),
                Some(_) => None,
                None if i.node.name == "true" || i.node.name == "false" => Some(CType::INT),
                None => math::builtin_macro(&i.node.name).map(|(t, _)| t),
            },
            E::Constant(c) => self.literal(c).ok().map(|(_, t)| t),
            E::Call(c) => {
                let name = callee_name(&c.node)?;
                match self.find(name) {
                    Some(Binding::Function(f)) => Some(f.signature.result.with_rows()),
                    _ => math::function(name).map(|f| f.bits).or_else(|| math::scaling(name)).map(CType::Real).or(Some(CType::INT)),
                }
            }
            E::SizeOfTy(_) | E::SizeOfVal(_) | E::AlignOf(_) => Some(CType::SIZE),
            E::CompoundLiteral(c) => self.type_name(&c.node.type_name).ok().map(|(t, _)| t),
            E::Member(m) => {
                let of = self.type_of(&m.node.expression)?;
                let of = match m.node.operator.node {
                    lang_c::ast::MemberOperator::Direct => of,
                    lang_c::ast::MemberOperator::Indirect => pointee(of)?,
                };
                self.field(&of, &m.node.identifier.node.name).map(|f| f.ty().with_rows())
            }
            E::Cast(c) => self.type_name(&c.node.type_name).ok().map(|(t, _)| t),
            E::Comma(list) => self.type_of(list.last()?),
            E::Statement(s) => self.type_of_block(s),
            E::Conditional(c) => {
                let x = self.type_of(&c.node.then_expression)?;
                let y = self.type_of(&c.node.else_expression)?;
                Some(if x.is_arithmetic() && y.is_arithmetic() { CType::common(&x, &y) } else { x })
            }
            E::UnaryOperator(u) => {
                let t = self.type_of(&u.node.operand)?;
                match u.node.operator.node {
                    U::Address => Some(CType::pointer(t, false)),
                    U::Indirection if matches!(t, CType::Callback(_)) => Some(t),
                    U::Indirection => pointee(t),
                    U::Negate => Some(CType::INT),
                    U::Plus | U::Minus | U::Complement => Some(t.promoted()),
                    _ => Some(t),
                }
            }
            E::BinaryOperator(b) => {
                let x = self.type_of(&b.node.lhs)?;
                match b.node.operator.node {
                    B::Index => pointee(x),
                    B::Less | B::Greater | B::LessOrEqual | B::GreaterOrEqual | B::Equals | B::NotEquals | B::LogicalAnd | B::LogicalOr => {
                        Some(CType::INT)
                    }
                    B::Plus | B::Minus | B::Multiply | B::Divide | B::Modulo | B::BitwiseAnd | B::BitwiseOr | B::BitwiseXor => {
                        let y = self.type_of(&b.node.rhs)?;
                        Some(if x.is_arithmetic() && y.is_arithmetic() {
                            CType::common(&x, &y)
                        } else if x.is_arithmetic() {
                            y
                        } else if y.is_arithmetic() {
                            x
                        } else {
                            CType::LONG
                        })
                    }
                    B::ShiftLeft | B::ShiftRight => Some(x.promoted()),
                    _ => Some(x),
                }
            }
            _ => None,
        }
    }
}

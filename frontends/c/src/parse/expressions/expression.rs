//! Expressions to terms; what has side effects is hoisted into statements in C's order.
//!
//! Lives here: the dispatch over kinds of expressions, operators, conditionals. Never here: lvalues and pointers (see `pointers`), calls.

use crate::parse::context::places::{LValue, Place, Pointer};
use crate::parse::context::state::{Binding, Lower};
use crate::parse::context::terms::{constant, conversion, difference, integer, op, relation, sum};
use crate::parse::context::values::{Operand, Value};
use crate::parse::language::math;
use crate::parse::language::types::CType;
use crate::parse::text::refusals::{CALL, DECLARATION, EXPRESSION, POINTER_VALUE, Refusal, Res, refuse};
use crate::parse::text::syntax::is_compound_assignment;
use lang_c::ast::{BinaryOperator as B, BinaryOperatorExpression, Expression as E, UnaryOperator as U};
use lang_c::span::Node;
use xaif::model::{BoolOp, Expr, VarRef};

/// The intrinsic of an arithmetic operator.
fn arithmetic(b: &B) -> Option<&'static str> {
    Some(match b {
        B::Multiply | B::AssignMultiply => "mul_scal_scal",
        B::Divide | B::AssignDivide => "div_scal_scal",
        B::Modulo | B::AssignModulo => "mod_scal_scal",
        B::Plus | B::AssignPlus => "add_scal_scal",
        B::Minus | B::AssignMinus => "sub_scal_scal",
        B::ShiftLeft | B::AssignShiftLeft => "shl_scal_scal",
        B::ShiftRight | B::AssignShiftRight => "shr_scal_scal",
        B::BitwiseAnd | B::AssignBitwiseAnd => "b_and",
        B::BitwiseXor | B::AssignBitwiseXor => "b_xor",
        B::BitwiseOr | B::AssignBitwiseOr => "b_or",
        _ => return None,
    })
}

fn comparison(b: &B) -> Option<BoolOp> {
    Some(match b {
        B::Less => BoolOp::LessThan,
        B::Greater => BoolOp::GreaterThan,
        B::LessOrEqual => BoolOp::LessOrEqual,
        B::GreaterOrEqual => BoolOp::GreaterOrEqual,
        B::Equals => BoolOp::Equal,
        B::NotEquals => BoolOp::NotEqual,
        _ => return None,
    })
}

/// Null beside a pointer to a function is the number that stands for none.
fn function_or_null(sides: (Operand, Operand)) -> (Operand, Operand) {
    let none = |ty: &CType| Operand::Value(Value::new(Expr::int(0), ty.clone()));
    match sides {
        (Operand::Value(x), Operand::Null) if matches!(x.ty, CType::Callback(_)) => (Operand::Value(x.clone()), none(&x.ty)),
        (Operand::Null, Operand::Value(y)) if matches!(y.ty, CType::Callback(_)) => (none(&y.ty), Operand::Value(y)),
        sides => sides,
    }
}

impl<'a> Lower<'a> {
    /// A full expression: sequence points on either side.
    pub fn full<T>(&mut self, e: &'a Node<E>, how: impl FnOnce(&mut Self, &'a Node<E>) -> Res<T>) -> Res<T> {
        // A single store at the top comes after everything else.
        let top = match &e.node {
            E::BinaryOperator(b) => b.node.operator.node == B::Assign || is_compound_assignment(&b.node.operator.node),
            E::UnaryOperator(u) => {
                matches!(u.node.operator.node, U::PostIncrement | U::PostDecrement | U::PreIncrement | U::PreDecrement)
            }
            _ => false,
        };
        let ordered = self.effects_of(e.span) > usize::from(top);
        let outer = std::mem::replace(&mut self.body().ordered, ordered);
        let result = how(self, e);
        self.body().ordered = outer;
        result
    }

    /// The same, where what `x++` does may wait until the statement has been emitted; `how` emits it.
    pub fn full_with_deferral<T>(&mut self, e: &'a Node<E>, how: impl FnOnce(&mut Self, &'a Node<E>) -> Res<T>) -> Res<T> {
        let waits = self.may_defer(e);
        let outer = std::mem::replace(&mut self.body().deferred, waits.then(Vec::new));
        let result = self.full(e, how);
        for s in std::mem::replace(&mut self.body().deferred, outer).unwrap_or_default() {
            self.body().builder.stmt(s);
        }
        result
    }

    /// An arithmetic value.
    pub fn value(&mut self, e: &'a Node<E>) -> Res<Value> {
        self.operand(e)?.value(e.span)
    }

    /// A condition.
    pub fn condition(&mut self, e: &'a Node<E>) -> Res<Expr> {
        if let Some(test) = self.named_null_test(e, false) {
            return test;
        }
        match self.operand(e)? {
            Operand::Pointer(p) => self.null_test(&p, false, e),
            other => Ok(other.value(e.span)?.condition()),
        }
    }

    /// An integer, for subscripts and the like.
    pub fn index(&mut self, e: &'a Node<E>) -> Res<Expr> {
        let v = self.value(e)?.number();
        if !v.ty.is_integer() {
            return refuse(EXPRESSION, e, "an index must be an integer");
        }
        Ok(v.expr)
    }

    /// Any expression.
    pub fn operand(&mut self, e: &'a Node<E>) -> Res<Operand> {
        match &e.node {
            E::Identifier(i) => self.identifier(&i.node.name, e),
            E::Constant(c) => self.literal(c).map(|(expr, ty)| Operand::Value(Value::new(expr, ty))),
            E::StringLiteral(_) => Ok(Operand::Opaque),
            E::Call(c) => self.call(e, &c.node),
            E::SizeOfTy(t) => {
                let (ty, _) = self.type_name(&t.node.0)?;
                self.size_of(&ty, e)
            }
            E::SizeOfVal(v) => match self.type_of(&v.node.0) {
                Some(ty) => self.size_of(&ty, e),
                None => refuse(EXPRESSION, e, "the size of this expression is not known"),
            },
            E::UnaryOperator(u) => self.unary(e, &u.node.operator.node, &u.node.operand),
            E::Cast(c) => {
                let (ty, text) = self.type_name(&c.node.type_name)?;
                self.cast(e, &ty, &text, &c.node.expression)
            }
            E::BinaryOperator(b) => self.binary(e, &b.node),
            E::Conditional(c) => self.conditional(e, &c.node),
            E::Comma(list) => {
                let Some((last, first)) = list.split_last() else { return Ok(Operand::Void) };
                for e in first {
                    self.effect(e)?;
                }
                self.operand(last)
            }
            E::Member(_) => match self.member_target(e) {
                Some(p) => Ok(Operand::Pointer(p)),
                None => self.load(e),
            },
            E::GenericSelection(_) => refuse(EXPRESSION, e, "`_Generic` (or a macro of <tgmath.h>) is not supported"),
            E::CompoundLiteral(c) => {
                let (symbol, ty) = self.compound_literal(e, &c.node)?;
                Ok(match ty {
                    CType::Array(of, _) => Operand::Pointer(Pointer { base: symbol, subs: vec![Expr::int(0)], to: (*of).clone() }),
                    ty @ CType::Record(_) => Operand::Structure(LValue { base: symbol, subs: Vec::new(), ty }),
                    ty => Operand::Value(Value::new(Expr::sym(symbol), ty)),
                })
            }
            E::Statement(s) => self.statement_expression(e, s),
            E::AlignOf(_) | E::OffsetOf(_) | E::VaArg(_) => refuse(EXPRESSION, e, "this expression is not supported"),
        }
    }

    fn identifier(&mut self, name: &str, e: &'a Node<E>) -> Res<Operand> {
        match self.find(name).cloned() {
            Some(Binding::Enumerator { symbol, .. }) => Ok(Operand::Value(Value::new(Expr::sym(symbol), CType::INT))),
            Some(Binding::Variable(v)) => match v.place {
                Place::Object(symbol) if v.ty.is_arithmetic() => Ok(Operand::Value(Value::new(Expr::sym(symbol), v.ty))),
                Place::Number(expr) => Ok(Operand::Value(Value::new(expr, v.ty))),
                Place::Object(_) if matches!(v.ty, CType::Record(_)) => self.structure_value(&v, e).map(Operand::Structure),
                Place::Refused(r) => Err(self.at_use(&r, e)),
                Place::Opaque(_) => {
                    self.arithmetic(&v.ty, e.span)?;
                    Ok(Operand::Opaque)
                }
                _ => self.pointer(e).map(Operand::Pointer),
            },
            Some(Binding::Function(f)) => self.function_value(name, &f).map(Operand::Value).ok_or_else(|| {
                Refusal::new(CALL, e.span, format!("the function `{name}` is used as a value"))
                    .because("which function is called must be known")
                    .help("call the function by its name")
            }),
            Some(Binding::Typedef { .. }) => refuse(DECLARATION, e, format!("`{name}` is a type")),
            None if self.builtin_macros => match (name, math::builtin_macro(name)) {
                ("NULL", _) => Ok(Operand::Null),
                ("true" | "false", _) => Ok(Operand::Value(Value::truth(Expr::bool(name == "true")))),
                (_, Some((ty, value))) => Ok(Operand::Value(Value::new(constant(&ty, value, name), ty))),
                _ => refuse(DECLARATION, e, format!("`{name}` is not declared")),
            },
            None => refuse(DECLARATION, e, format!("`{name}` is not declared")),
        }
    }

    /// A refusal that was found at a declaration, at the place where the name is used.
    pub fn at_use(&self, r: &Refusal, e: &Node<E>) -> Refusal {
        Refusal { span: e.span, ..r.clone() }
    }

    fn unary(&mut self, e: &'a Node<E>, operator: &U, operand: &'a Node<E>) -> Res<Operand> {
        let value = |expr, ty| Ok(Operand::Value(Value::new(expr, ty)));
        if matches!(operator, U::Address | U::Indirection)
            && matches!(&operand.node, E::Identifier(i) if matches!(self.find(&i.node.name), Some(Binding::Function(_))))
        {
            return self.operand(operand);
        }
        // What a pointer to a function points to is the function, which is a pointer to itself wherever it is used.
        if *operator == U::Indirection && matches!(self.type_of(operand), Some(CType::Callback(_))) {
            return self.operand(operand);
        }
        match operator {
            U::PostIncrement => self.step(e, operand, 1, true),
            U::PostDecrement => self.step(e, operand, -1, true),
            U::PreIncrement => self.step(e, operand, 1, false),
            U::PreDecrement => self.step(e, operand, -1, false),
            U::Address => self.pointer(e).map(Operand::Pointer),
            U::Indirection => self.load(e),
            U::Plus => {
                let v = self.value(operand)?.promoted();
                value(v.expr, v.ty)
            }
            U::Minus => {
                let v = self.value(operand)?.promoted();
                // The sign belongs to a literal.
                if let Some(n) =
                    v.expr.as_int().and_then(i64::checked_neg).filter(|_| v.expr.as_constant().is_some_and(|c| c.spelling.is_empty()))
                {
                    return value(integer(i128::from(n), &v.ty), v.ty);
                }
                value(op("minus_scal", "", [v.expr]), v.ty)
            }
            U::Complement => {
                let v = self.value(operand)?.promoted();
                if v.ty.is_real() {
                    return refuse(EXPRESSION, e, "`~` needs an integer");
                }
                value(op("b_not", "", [v.expr]), v.ty)
            }
            U::Negate if let Some(test) = self.named_null_test(operand, true) => test.map(|t| Operand::Value(Value::truth(t))),
            U::Negate => match self.operand(operand)? {
                Operand::Pointer(p) => self.null_test(&p, true, e).map(|t| Operand::Value(Value::truth(t))),
                other => {
                    let v = other.value(operand.span)?;
                    let expr = match v.truth {
                        true => relation(BoolOp::Not, [v.expr]),
                        false => {
                            let zero = if v.ty.is_real() { constant(&v.ty, "0.0", "") } else { Expr::int(0) };
                            relation(BoolOp::Equal, [v.expr, zero])
                        }
                    };
                    Ok(Operand::Value(Value::truth(expr)))
                }
            },
        }
    }

    fn cast(&mut self, e: &'a Node<E>, ty: &CType, text: &str, inner: &'a Node<E>) -> Res<Operand> {
        match ty {
            CType::Void => {
                self.effect(inner)?;
                Ok(Operand::Void)
            }
            CType::Pointer(_) => match self.constant_integer(inner) {
                Some(0) => Ok(Operand::Null),
                // Whatever its type is: `(double *)NULL`.
                _ if self.operand_is_null(inner) == Some(true) => Ok(Operand::Null),
                _ => self.pointer(e).map(Operand::Pointer),
            },
            CType::Bool => Ok(Operand::Value(Value { expr: self.condition(inner)?, ty: CType::Bool, truth: true })),
            CType::Callback(_) => {
                let v = self.value(inner)?;
                if v.ty.is_real() {
                    return refuse(EXPRESSION, e, "a number is used as a pointer to a function");
                }
                Ok(Operand::Value(Value { ty: ty.clone(), ..v.number() }))
            }
            CType::Int { .. } | CType::Real(_) => {
                let v = self.value(inner)?;
                Ok(Operand::Value(self.converted(v, ty, text)))
            }
            _ => {
                self.arithmetic(ty, e.span)?;
                refuse(EXPRESSION, e, format!("a cast to {} is not supported", ty.describe()))
            }
        }
    }

    /// An explicit conversion.
    pub fn converted(&mut self, v: Value, ty: &CType, text: &str) -> Value {
        let v = v.number();
        if v.ty == *ty {
            return v;
        }
        Value::new(conversion(v.expr, ty, text), ty.clone())
    }

    fn binary(&mut self, e: &'a Node<E>, b: &'a BinaryOperatorExpression) -> Res<Operand> {
        match b.operator.node {
            B::Index => self.load(e),
            B::Assign => self.assign(e, &b.lhs, &b.rhs),
            B::LogicalAnd | B::LogicalOr => self.connective(e, b),
            ref operator if is_compound_assignment(operator) => self.compound(e, operator, b),
            ref operator => {
                if let Some(test) = self.compared_with_null(operator, &b.lhs, &b.rhs) {
                    return test.map(|t| Operand::Value(Value::truth(t)));
                }
                if let Some(test) = self.compared_with_array(operator, &b.lhs, &b.rhs) {
                    return Ok(Operand::Value(Value::truth(test)));
                }
                self.check_order(e, &[&b.lhs, &b.rhs])?;
                let compared = matches!(operator, B::Equals | B::NotEquals);
                let left = self.compared_operand(&b.lhs, compared)?;
                let right = self.compared_operand(&b.rhs, compared)?;
                self.combine(e, operator, left, right)
            }
        }
    }

    /// An operand; of a comparison with a null pointer of any type, that.
    fn compared_operand(&mut self, e: &'a Node<E>, compared: bool) -> Res<Operand> {
        let pointer = compared && matches!(&e.node, E::Cast(_)) && matches!(self.type_of(e), Some(CType::Pointer(_)));
        if pointer && self.operand_is_null(e) == Some(true) { Ok(Operand::Null) } else { self.operand(e) }
    }

    /// An operator over operands that are there.
    pub fn combine(&mut self, e: &'a Node<E>, operator: &B, left: Operand, right: Operand) -> Res<Operand> {
        if let Some(relation_op) = comparison(operator) {
            return self.compare(e, relation_op, left, right).map(|x| Operand::Value(Value::truth(x)));
        }
        match (operator, left, right) {
            (B::Plus | B::AssignPlus, Operand::Pointer(p), i) | (B::Plus, i, Operand::Pointer(p)) => {
                let i = i.value(e.span)?.number();
                self.moved(p, i.expr, e.span).map(Operand::Pointer)
            }
            (B::Minus, Operand::Pointer(p), Operand::Pointer(q)) => {
                let (x, y) = self.same_array(&p, &q, e)?;
                Ok(Operand::Value(Value::new(difference(x, y), CType::LONG)))
            }
            (B::Minus | B::AssignMinus, Operand::Pointer(p), i) => {
                let i = i.value(e.span)?.number();
                self.moved_back(p, i.expr, e.span).map(Operand::Pointer)
            }
            (_, left, right) => {
                let (left, right) = (left.value(e.span)?, right.value(e.span)?);
                self.calculate(e, operator, left, right).map(Operand::Value)
            }
        }
    }

    /// Arithmetic.
    pub fn calculate(&mut self, e: &Node<E>, operator: &B, left: Value, right: Value) -> Res<Value> {
        let Some(name) = arithmetic(operator) else { return refuse(EXPRESSION, e, "this operator is not supported") };
        let (left, right) = (left.promoted(), right.promoted());
        let shift = matches!(operator, B::ShiftLeft | B::ShiftRight | B::AssignShiftLeft | B::AssignShiftRight);
        let ty = if shift { left.ty.clone() } else { CType::common(&left.ty, &right.ty) };
        let integers_only = shift
            || matches!(
                operator,
                B::Modulo
                    | B::BitwiseAnd
                    | B::BitwiseOr
                    | B::BitwiseXor
                    | B::AssignModulo
                    | B::AssignBitwiseAnd
                    | B::AssignBitwiseOr
                    | B::AssignBitwiseXor
            );
        if integers_only && (left.ty.is_real() || right.ty.is_real()) {
            return refuse(EXPRESSION, e, "this operator needs integers");
        }
        let expr = match name {
            "add_scal_scal" if ty == CType::INT => sum(left.expr, right.expr),
            "sub_scal_scal" if ty == CType::INT => difference(left.expr, right.expr),
            _ => op(name, "", [left.expr, right.expr]),
        };
        Ok(Value::new(expr, ty))
    }

    fn compare(&mut self, e: &'a Node<E>, relation_op: BoolOp, left: Operand, right: Operand) -> Res<Expr> {
        match (left, right) {
            (Operand::Pointer(p), Operand::Pointer(q)) => {
                if matches!(relation_op, BoolOp::Equal | BoolOp::NotEqual) && self.are_apart(&p, &q) {
                    return Ok(Expr::bool(relation_op == BoolOp::NotEqual));
                }
                let (x, y) = self.same_array(&p, &q, e)?;
                Ok(relation(relation_op, [x, y]))
            }
            (Operand::Pointer(p), other) | (other, Operand::Pointer(p)) => {
                let null = match &other {
                    Operand::Null => true,
                    Operand::Value(v) => v.expr.as_int() == Some(0),
                    _ => false,
                };
                match relation_op {
                    BoolOp::Equal if null => self.null_test(&p, true, e),
                    BoolOp::NotEqual if null => self.null_test(&p, false, e),
                    _ => refuse(POINTER_VALUE, e, "a pointer is compared with something that is no pointer"),
                }
            }
            (left, right) => {
                let (left, right) = (left.value(e.span)?, right.value(e.span)?);
                Ok(relation(relation_op, [left.number().expr, right.number().expr]))
            }
        }
    }

    fn connective(&mut self, e: &'a Node<E>, b: &'a BinaryOperatorExpression) -> Res<Operand> {
        let and = b.operator.node == B::LogicalAnd;
        let left = self.condition(&b.lhs)?;
        if self.effects_of(b.rhs.span) == 0 {
            let right = self.condition(&b.rhs)?;
            return Ok(Operand::Value(Value::truth(relation(if and { BoolOp::And } else { BoolOp::Or }, [left, right]))));
        }
        let t = self.keep("test", left, &CType::Bool, e.span);
        let condition = if and { Expr::sym(t) } else { relation(BoolOp::Not, [Expr::sym(t)]) };
        self.open_branch(condition, b.lhs.span);
        let right = self.condition(&b.rhs)?;
        self.emit_assignment(VarRef::whole(t), right, b.rhs.span);
        self.close_branch();
        Ok(Operand::Value(Value::truth(Expr::sym(t))))
    }

    fn conditional(&mut self, e: &'a Node<E>, c: &'a lang_c::ast::ConditionalExpression) -> Res<Operand> {
        if let Some(first) = self.settled_side(e.span) {
            return self.operand(if first { &c.then_expression } else { &c.else_expression });
        }
        if let Some(known) = self.constant_integer(&c.condition) {
            let taken = if known != 0 { &c.then_expression } else { &c.else_expression };
            let other = if known != 0 { &c.else_expression } else { &c.then_expression };
            let v = self.operand(taken)?;
            return match (v, self.type_of(other)) {
                (Operand::Value(v), Some(t)) if t.is_arithmetic() => {
                    let ty = CType::common(&v.ty, &t);
                    Ok(Operand::Value(if v.truth || v.ty == ty { v } else { self.converted(v, &ty, &ty.spelling()) }))
                }
                (v, _) => Ok(v),
            };
        }
        if let Some(ty @ CType::Record(_)) = self.type_of(e) {
            return self.conditional_structure(e, c, &ty);
        }
        let condition = self.condition(&c.condition)?;
        if self.effects_of(c.then_expression.span) + self.effects_of(c.else_expression.span) == 0 {
            let sides = (self.operand(&c.then_expression)?, self.operand(&c.else_expression)?);
            return match function_or_null(sides) {
                (Operand::Value(x), Operand::Value(y)) if x.truth && y.truth => {
                    Ok(Operand::Value(Value::truth(op("select", "", [condition, x.expr, y.expr]))))
                }
                (Operand::Value(x), Operand::Value(y)) => {
                    let (x, y) = (x.promoted(), y.promoted());
                    let ty = CType::common(&x.ty, &y.ty);
                    Ok(Operand::Value(Value::new(op("select", "", [condition, x.expr, y.expr]), ty)))
                }
                (Operand::Opaque, Operand::Opaque) => Ok(Operand::Opaque),
                (Operand::Pointer(p), Operand::Pointer(q)) if p.base == q.base && p.subs.len() == q.subs.len() => {
                    let choose = |(x, y): (Expr, Expr)| if x == y { x } else { op("select", "", [condition.clone(), x, y]) };
                    let subs = p.subs.into_iter().zip(q.subs).map(choose).collect();
                    Ok(Operand::Pointer(Pointer { subs, ..p }))
                }
                _ => refuse(POINTER_VALUE, e, "a pointer that depends on a condition is not supported")
                    .map_err(|r| r.help("write an if statement that uses each pointer by its own name")),
            };
        }
        let ty = self.type_of(e);
        let result = match &ty {
            Some(t) if t.is_arithmetic() => Some((self.temporary("choice", t), t.clone())),
            Some(CType::Void) => None,
            _ => return refuse(EXPRESSION, e, "this conditional expression is not supported"),
        };
        self.open_branch(condition, c.condition.span);
        self.arm_value(&c.then_expression, &result)?;
        self.body().builder.arm(&[]);
        self.arm_value(&c.else_expression, &result)?;
        self.close_branch();
        Ok(result.map_or(Operand::Void, |(t, ty)| Operand::Value(Value::new(Expr::sym(t), ty))))
    }

    fn arm_value(&mut self, e: &'a Node<E>, result: &Option<(xaif::model::SymbolId, CType)>) -> Res<()> {
        match result {
            Some((t, ty)) => {
                let v = self.value(e)?.stored_as(ty);
                self.emit_assignment(VarRef::whole(*t), v, e.span);
            }
            None => self.effect(e)?,
        }
        Ok(())
    }

    /// Opens a branch of our own at its first arm.
    pub fn open_branch(&mut self, condition: Expr, span: lang_c::span::Span) {
        let text = self.original(span);
        let v = self.body().builder.begin_branch(condition);
        self.dress(v, span, text);
        self.body().branches += 1;
        self.body().builder.arm(&[1]);
    }

    /// Closes it.
    pub fn close_branch(&mut self) {
        self.body().branches -= 1;
        self.body().builder.end_branch();
    }

    /// An expression for what it does, not for what it is worth.
    pub fn effect(&mut self, e: &'a Node<E>) -> Res<()> {
        match &e.node {
            E::Comma(list) => list.iter().try_for_each(|e| self.effect(e)),
            E::Cast(c) if matches!(self.type_name(&c.node.type_name), Ok((CType::Void, _))) => self.effect(&c.node.expression),
            E::UnaryOperator(u) => match u.node.operator.node {
                U::PostIncrement | U::PreIncrement => self.step(e, &u.node.operand, 1, false).map(drop),
                U::PostDecrement | U::PreDecrement => self.step(e, &u.node.operand, -1, false).map(drop),
                _ if self.effects_of(e.span) == 0 => Ok(()),
                _ => self.operand(e).map(drop),
            },
            E::Call(c) => match self.library_statement(e.span, e)? {
                true => Ok(()),
                false => self.call_statement(e, &c.node),
            },
            E::BinaryOperator(b) if b.node.operator.node == B::Assign || is_compound_assignment(&b.node.operator.node) => {
                self.operand(e).map(drop)
            }
            _ if self.effects_of(e.span) == 0 => Ok(()),
            _ => self.operand(e).map(drop),
        }
    }

    /// Two operands whose order C leaves open must not disturb each other.
    pub fn check_order(&mut self, e: &Node<E>, parts: &[&Node<E>]) -> Res<()> {
        // Outside of functions there are constants only.
        if self.body.as_ref().is_none_or(|b| !b.ordered) {
            return Ok(());
        }
        let found = match &e.node {
            E::Call(_) => self.argument_disturbance(e, parts),
            _ => self.disturbance(parts),
        };
        match found {
            Some(d) => Err(d.refusal(e.span)),
            None => Ok(()),
        }
    }
}

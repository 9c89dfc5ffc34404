//! malloc, calloc and free of work arrays.
//!
//! Lives here: the accepted forms. Never here: which pointers own memory (see `pointer_declarations`).

use crate::parse::context::places::Place;
use crate::parse::context::state::{Binding, Lower, Variable};
use crate::parse::context::terms::op;
use crate::parse::facts::allocation_wrappers::Giver;
use crate::parse::facts::function::Kind;
use crate::parse::language::types::{CType, Extent, same_element};
use crate::parse::text::refusals::{ALLOCATION, Refusal, Res};
use crate::parse::text::syntax::{callee_name, parameter_names, uncast};
use lang_c::ast::{
    BinaryOperator as B, BlockItem, CallExpression, ConditionalExpression, Expression as E, IfStatement, Statement, UnaryOperator as U,
};
use lang_c::span::{Node, Span};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use std::rc::Rc;
use xaif::model::{Expr, Marker, MarkerClass, StmtKind, SymbolId, Triplet, VarRef};

fn factors<'e>(e: &'e Node<E>, out: &mut Vec<&'e Node<E>>) {
    match &uncast(e).node {
        E::BinaryOperator(b) if b.node.operator.node == B::Multiply => {
            factors(&b.node.lhs, out);
            factors(&b.node.rhs, out);
        }
        _ => out.push(e),
    }
}

impl<'a> Lower<'a> {
    /// A local that is declared with a number of bytes, and never changes, nor does anything that the number is made of.
    pub fn note_byte_count(&mut self, symbol: SymbolId, fact: Option<usize>, ty: &CType, e: &'a Node<E>) {
        let facts = self.body().facts.clone();
        let sized = |e: &Node<E>| {
            let mut list = Vec::new();
            factors(e, &mut list);
            list.iter().any(|f| matches!(&uncast(f).node, E::SizeOfTy(_) | E::SizeOfVal(_)))
        };
        let steady = |f: usize| {
            let v = &facts.vars[f];
            !v.global && !v.memory && !v.address && facts.writes(f) <= usize::from(v.parameter.is_none())
        };
        let of_steady = facts.events(e.span.start, e.span.end).iter().all(|e| e.kind != Kind::Call && steady(e.var));
        if ty.is_integer() && fact.is_some_and(steady) && of_steady && sized(e) {
            self.body().byte_counts.insert(symbol, e);
        }
    }

    /// A number of bytes as the text writes it where a variable begins with it.
    fn written_bytes(&mut self, bytes: &'a Node<E>) -> &'a Node<E> {
        match self.named_variable(uncast(bytes)).map(|v| v.place) {
            Some(Place::Object(symbol)) => self.body().byte_counts.get(&symbol).copied().unwrap_or(bytes),
            _ => bytes,
        }
    }

    /// How many elements of a type so many bytes are, if they are written as a multiple of its size.
    pub fn element_count(&mut self, bytes: &'a Node<E>, element: &CType) -> Res<Option<Expr>> {
        let bytes = self.written_bytes(bytes);
        if let E::BinaryOperator(b) = &uncast(bytes).node
            && let Some(name) = match b.node.operator.node {
                B::Plus => Some("add_scal_scal"),
                B::Minus => Some("sub_scal_scal"),
                _ => None,
            }
        {
            let sides = [self.element_count(&b.node.lhs, element)?, self.element_count(&b.node.rhs, element)?];
            return Ok(match sides {
                [Some(x), Some(y)] => match (name, x.as_int(), y.as_int()) {
                    ("sub_scal_scal", Some(x), Some(y)) => Some(Expr::int(x - y)),
                    _ => Some(op(name, "", [x, y])),
                },
                _ => None,
            });
        }
        let mut list = Vec::new();
        factors(bytes, &mut list);
        let mut unit = None;
        // `sizeof(double[n][m])` is `n` rows.
        let mut rows = None;
        // `n * m * sizeof(double)` is n rows of m.
        let mut by_number = false;
        for (k, f) in list.iter().enumerate() {
            let ty = match &uncast(f).node {
                E::SizeOfTy(t) => self.type_name(&t.node.0).ok().map(|(t, _)| t),
                E::SizeOfVal(v) => self.type_of(&v.node.0),
                _ => continue,
            };
            match ty {
                Some(CType::Pointer(p)) if matches!(element, CType::Array(of, Extent::Rows) if same_element(&p.to, of)) => {
                    (unit, rows, by_number) = (Some(k), None, false);
                }
                Some(t) if same_element(&t, element) || (t.rank() > 0 && t == *element) => (unit, rows, by_number) = (Some(k), None, false),
                Some(t) if element.rank() > 0 && same_element(&t, element.element()) => (unit, rows, by_number) = (Some(k), None, true),
                Some(CType::Array(of, extent)) if *of == *element => {
                    let many = match extent {
                        Extent::Fixed(n) => Some(Expr::int(n)),
                        Extent::Variable(n) => Some((*n).clone()),
                        _ => None,
                    };
                    if many.is_some() {
                        (unit, rows, by_number) = (Some(k), many, false);
                    }
                }
                _ => {}
            }
        }
        let Some(unit) = unit else { return Ok(None) };
        list.remove(unit);
        for extent in if by_number { element.extents() } else { Vec::new() } {
            let many = match extent {
                Extent::Fixed(n) => Expr::int(n),
                Extent::Variable(n) => (*n).clone(),
                _ => return Ok(None),
            };
            let mut at = None;
            for (k, f) in list.iter().enumerate() {
                if at.is_none() && self.count_of(f)? == many {
                    at = Some(k);
                }
            }
            let Some(at) = at else { return Ok(None) };
            list.remove(at);
        }
        let mut count: Option<Expr> = rows;
        for f in list {
            let value = self.count_of(f)?;
            count = Some(match count {
                None => value,
                Some(c) => op("mul_scal_scal", "", [c, value]),
            });
        }
        Ok(Some(count.unwrap_or_else(|| Expr::int(1))))
    }

    /// A factor of a number of bytes.
    pub fn count_of(&mut self, e: &'a Node<E>) -> Res<Expr> {
        let e = self.without_widening(e);
        self.index(e)
    }

    /// A factor without a cast that only makes an integer wider.
    fn without_widening(&mut self, e: &'a Node<E>) -> &'a Node<E> {
        let mut at = e;
        while let E::Cast(c) = &at.node {
            let wide = matches!(self.type_name(&c.node.type_name), Ok((CType::Int { bits: 64, .. }, _)));
            if !wide || !self.type_of(&c.node.expression).is_some_and(|t| t.is_integer()) {
                break;
            }
            at = &c.node.expression;
        }
        at
    }

    /// A pointer that owns memory gets it.
    pub fn allocate(&mut self, symbol: SymbolId, ty: &CType, e: &'a Node<E>, span: Span) -> Res<()> {
        let name = self.program.symbol(symbol).name.clone();
        let odd = |span: Span| {
            Refusal::new(ALLOCATION, span, format!("`{name}` gets memory in a form that is not understood"))
                .because("its number of elements must be known")
                .help("write `double *w = malloc(n * sizeof(double));` or `calloc(n, sizeof(double))`")
        };
        if let E::Conditional(c) = &uncast(e).node {
            return self.allocate_either(symbol, ty, &c.node, span);
        }
        let (E::Call(c), CType::Pointer(pointee)) = (&uncast(e).node, ty) else { return Err(odd(e.span)) };
        if let Some(giver) = callee_name(&c.node).and_then(|n| self.giver(n)) {
            return self.allocate_by(symbol, ty, giver, &c.node, span);
        }
        if pointee.to.is_row() {
            return self.allocate_rows(symbol, &pointee.to, e, span);
        }
        let element = pointee.to.clone();
        let (count, zeroed) = match (callee_name(&c.node), &c.node.arguments[..]) {
            (Some("malloc"), [bytes]) => (self.element_count(bytes, &element)?, false),
            (Some("calloc"), [n, size]) => {
                // `calloc(sizeof(double), n)` means the same.
                let (mut n, mut size) = (n, size);
                if matches!(n.node, E::SizeOfTy(_) | E::SizeOfVal(_)) {
                    std::mem::swap(&mut n, &mut size);
                }
                let of = match self.element_count(size, &element)? {
                    Some(one) if one.as_int() == Some(1) => Some(self.count_of(n)?),
                    Some(more) => {
                        let n = self.count_of(n)?;
                        Some(op("mul_scal_scal", "", [n, more]))
                    }
                    None => None,
                };
                (of, true)
            }
            (Some("realloc"), _) => {
                return Err(Refusal::new(ALLOCATION, e.span, format!("`{name}` is given other memory by realloc"))
                    .because("its extent would change while it is used")
                    .help("allocate the largest extent at once"));
            }
            _ => return Err(odd(e.span)),
        };
        let Some(count) = count else { return Err(odd(e.span)) };
        if self.is_given_out(symbol) {
            return self.take_given(symbol, &count, zeroed, e.span);
        }
        let section = |n: Expr| Triplet { index: Some(Expr::int(0)), bound: Some(Self::last_of(n)), stride: None };
        let mut subscripts = vec![section(count)];
        for extent in element.extents() {
            subscripts.push(section(match extent {
                Extent::Fixed(n) => Expr::int(n),
                Extent::Variable(n) => (*n).clone(),
                _ => return Err(odd(e.span)),
            }));
        }
        let last = subscripts.iter().filter_map(|t| t.bound.clone()).collect();
        self.note_extents(symbol, last, e.span.start);
        let object = VarRef { subscripts: subscripts.into(), ..VarRef::whole(symbol) };
        let whole = self.body().top.filter(|(x, _)| *x == span).map_or(span, |(_, s)| s);
        let text = self.original(whole);
        let marker = Marker { class: MarkerClass::Allocate, text: text.clone(), object: Some(object), zeroed, ..Marker::default() };
        self.emit_with_text(StmtKind::Marker(Box::new(marker)), whole, text);
        Ok(())
    }

    /// The function of that name, if it only gives memory.
    pub fn giver(&self, name: &str) -> Option<Giver<'a>> {
        let is_function = matches!(self.find(name), Some(Binding::Function(_)));
        self.allocation_wrappers.giving.get(name).copied().filter(|_| is_function)
    }

    /// `w = vector(n)`, where `vector` only gives memory: its own call of `malloc`, with the arguments in the place of its parameters.
    fn allocate_by(&mut self, symbol: SymbolId, ty: &CType, giver: Giver<'a>, c: &'a CallExpression, span: Span) -> Res<()> {
        if giver.empty_is_null {
            self.body().null_when_empty.insert(symbol);
        }
        self.within_giver(symbol, ty, giver, c, span, |l| match ty {
            CType::Pointer(p) if p.to.is_row() => l.allocate_rows_by(symbol, &p.to, giver, span),
            _ => l.allocate(symbol, ty, giver.call, span),
        })
    }

    /// What is done inside of a function that only gives memory, where its parameters stand for the arguments of a call.
    pub fn within_giver<T>(
        &mut self,
        symbol: SymbolId,
        ty: &CType,
        giver: Giver<'a>,
        c: &'a CallExpression,
        span: Span,
        done: impl FnOnce(&mut Self) -> Res<T>,
    ) -> Res<T> {
        let (f, name) = (giver.function, self.program.symbol(symbol).name.clone());
        let odd = |what: &str| {
            Refusal::new(ALLOCATION, span, format!("`{name}` gets memory from a function in a form that is not understood"))
                .because(what.to_string())
                .help("call malloc here, or write the function as `T *v = malloc(n * sizeof(T)); return v;`")
        };
        let specified = self.specifiers(&f.specifiers, f.declarator.span)?;
        let declared = self.declarator(&specified.ty, specified.constant, &f.declarator)?;
        let CType::Function(signature) = &declared.ty else { return Err(odd("it is no function")) };
        let fits = matches!((&signature.result.with_rows(), ty), (CType::Pointer(p), CType::Pointer(q)) if p.to == q.to);
        let names = parameter_names(f).filter(|n| n.len() == c.arguments.len() && n.len() == signature.parameters.len());
        let (true, Some(names)) = (fits, names) else { return Err(odd("types or arguments do not fit")) };
        let mut inside: FxHashMap<SmolStr, Binding> = FxHashMap::default();
        for ((argument, parameter), p) in c.arguments.iter().zip(names).zip(&signature.parameters) {
            if !p.ty.is_integer() {
                return Err(odd("it has other parameters than integers"));
            }
            let value = self.value(argument)?.stored_as(&p.ty);
            let place = match value.as_var().filter(|r| r.subscripts.is_empty()) {
                Some(r) => Place::Object(r.symbol),
                None if value.as_int().is_some() => Place::Number(value),
                None => Place::Object(self.keep(parameter, value, &p.ty, argument.span)),
            };
            inside.insert(parameter.into(), Binding::Variable(Variable { ty: p.ty.clone(), place, value: None, fact: None }));
        }
        if let Some(v) = giver.variable {
            let place = Place::Refused(Rc::new(odd("it reads what it allocates")));
            inside.insert(v.into(), Binding::Variable(Variable { ty: ty.clone(), place, value: None, fact: None }));
        }
        // Nothing of the caller's is seen in there.
        let own = self.blocks.split_off(1);
        self.blocks.push(inside);
        // What is computed there has no effects, and its places may be those of another file.
        let ordered = std::mem::replace(&mut self.body().ordered, false);
        let done = done(self);
        self.body().ordered = ordered;
        self.blocks.truncate(1);
        self.blocks.extend(own);
        done
    }

    /// `c ? malloc(...) : NULL`, or memory on both sides.
    fn allocate_either(&mut self, symbol: SymbolId, ty: &CType, c: &'a ConditionalExpression, span: Span) -> Res<()> {
        let condition = self.condition(&c.condition)?;
        self.open_branch(condition, c.condition.span);
        let mut done = Ok(());
        for (k, side) in [&c.then_expression, &c.else_expression].into_iter().enumerate() {
            if k == 1 {
                self.body().builder.arm(&[]);
            }
            if self.operand_is_null(side) != Some(true) {
                done = done.and(self.allocate(symbol, ty, side, span));
            }
        }
        self.close_branch();
        done
    }

    /// `free`
    pub fn free(&mut self, place: Span, pointer: &'a Node<E>) -> Res<()> {
        if self.is_row_of_memory(pointer) {
            // Rows go with the pointers to them.
            return Ok(());
        }
        let owner = self.named_variable(uncast(pointer));
        if owner.as_ref().is_some_and(|v| self.owned_structure(v).is_some()) {
            return Ok(());
        }
        // Memory that is not there is not given back.
        let there = owner.as_ref().and_then(|v| self.nullable_has_target(v));
        let memory = owner.as_ref().and_then(|v| v.fact).and_then(|f| self.body().own.get(&f).copied());
        let symbol = match (owner.map(|v| v.place), memory) {
            (Some(Place::Heap(symbol)), _) | (_, Some(symbol)) => Some(symbol),
            _ => self.owned_array(pointer),
        };
        let Some(symbol) = symbol.filter(|&s| !self.is_given_out(s)) else {
            return Err(Refusal::new(ALLOCATION, place, "memory is freed that is not owned by a local pointer")
                .help("free it in the function that allocates it, through the pointer that malloc gave it to"));
        };
        if there.as_ref().is_some_and(|t| *t == Expr::bool(false)) {
            return Ok(());
        }
        let asked = there.filter(|t| *t != Expr::bool(true));
        let branch = asked.is_some();
        if let Some(there) = asked {
            self.open_branch(there, place);
        }
        let text = self.original(place);
        let marker =
            Marker { class: MarkerClass::Deallocate, text: text.clone(), object: Some(VarRef::whole(symbol)), ..Marker::default() };
        self.emit_with_text(StmtKind::Marker(Box::new(marker)), place, text);
        if branch {
            self.close_branch();
        }
        Ok(())
    }

    /// True where a condition asks whether an allocation failed.
    fn asks_for_failure(&mut self, e: &'a Node<E>) -> bool {
        match &e.node {
            E::UnaryOperator(u) if u.node.operator.node == U::Negate => self.is_heap(&u.node.operand),
            E::BinaryOperator(b) => match b.node.operator.node {
                B::Equals => {
                    let null = |l: &mut Self, x: &Node<E>| l.operand_is_null(x) == Some(true);
                    (self.is_heap(&b.node.lhs) && null(self, &b.node.rhs)) || (null(self, &b.node.lhs) && self.is_heap(&b.node.rhs))
                }
                B::LogicalOr => self.asks_for_failure(&b.node.lhs) && self.asks_for_failure(&b.node.rhs),
                // `!w && n > 0`
                B::LogicalAnd => self.asks_for_failure(&b.node.lhs) || self.asks_for_failure(&b.node.rhs),
                _ => false,
            },
            _ => false,
        }
    }

    /// A pointer that surely has what malloc gave it.
    fn is_heap(&mut self, e: &'a Node<E>) -> bool {
        if self.is_owned(e) {
            return true;
        }
        let Some(v) = self.named_variable(e) else { return false };
        // Null for no elements is no failure.
        let given = matches!(v.place, Place::Heap(s) if !self.body().null_when_empty.contains(&s));
        given && self.known_null(&v) == Some(false)
    }

    /// A pointer to a structure that has memory of its own, or a member that has.
    fn is_owned(&mut self, e: &'a Node<E>) -> bool {
        let handed = |v: &Variable| matches!(v.place, Place::Heap(s) if self.is_given_out(s));
        self.named_variable(e).is_some_and(|v| self.owned_structure(&v).is_some() || handed(&v)) || self.owned_array(e).is_some()
    }

    /// Whether a condition asks for memory that derivative code has otherwise.
    fn asks_for_owned(&mut self, e: &'a Node<E>) -> bool {
        match &e.node {
            E::UnaryOperator(u) => self.is_owned(&u.node.operand),
            E::BinaryOperator(b) => [&b.node.lhs, &b.node.rhs].into_iter().any(|s| self.is_owned(s) || self.asks_for_owned(s)),
            _ => false,
        }
    }

    /// `if (!w) abort();` becomes a check that is kept as text; true if the statement was one.
    pub fn allocation_check(&mut self, s: &'a Node<Statement>, i: &'a IfStatement) -> Res<bool> {
        if i.else_statement.is_some() || self.effects_of(i.condition.span) > 0 || !self.asks_for_failure(&i.condition) {
            return Ok(false);
        }
        let statements: Vec<&Node<Statement>> = match &i.then_statement.node {
            Statement::Compound(items) => items
                .iter()
                .filter_map(|x| match &x.node {
                    BlockItem::Statement(s) => Some(s),
                    _ => None,
                })
                .collect(),
            _ => vec![&i.then_statement],
        };
        let ends = |s: &Node<Statement>| match &s.node {
            Statement::Return(_) => true,
            Statement::Expression(Some(e)) => {
                matches!(&e.node, E::Call(c) if callee_name(&c.node).is_some_and(|n| matches!(n, "abort" | "exit" | "_Exit" | "__builtin_abort")))
            }
            _ => false,
        };
        let Some(last) = statements.last().filter(|s| ends(s)) else { return Ok(false) };
        if self.asks_for_owned(&i.condition) {
            return Ok(true);
        }
        // A return would give a value that the model does not have; generated code ends with a message there.
        let text = match &last.node {
            Statement::Return(_) => format!("if ({}) abort();", self.original(i.condition.span)),
            _ => self.original(s.span),
        };
        let annotation = smol_str::SmolStr::new_static("allocation check");
        let marker = Marker { class: MarkerClass::Assertion, text: text.clone(), annotation, ..Marker::default() };
        let remark = self.body().remark;
        self.emit_with_text(StmtKind::Marker(Box::new(marker)), s.span, text);
        self.body().remark = remark;
        Ok(true)
    }
}

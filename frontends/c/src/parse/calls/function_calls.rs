//! Calls: of the mathematical library as intrinsics, of everything else as statements.
//!
//! Lives here: arguments and results. Never here: library functions that are statements of their own (see `library_statements`).

use crate::parse::context::places::{LValue, Place, Pointer};
use crate::parse::context::state::{Binding, FunctionInfo, Lower};
use crate::parse::context::terms::{constant, conversion, difference, op, relation, term};
use crate::parse::context::values::{Operand, Value};
use crate::parse::language::library::{ALLOCATORS, forgets};
use crate::parse::language::math;
use crate::parse::language::math::MathResult;
use crate::parse::language::types::{CType, Parameter, Signature, same_element};
use crate::parse::text::refusals::{ALLOCATION, CALL, DECLARATION, Refusal, Res, STACK, refuse};
use crate::parse::text::syntax::{callee_name, uncast};
use lang_c::ast::{CallExpression, Expression as E, Identifier, Initializer};
use lang_c::span::{Node, Span};
use lang_c::visit::Visit;
use smol_str::{SmolStr, format_smolstr};
use std::rc::Rc;
use xaif::callbacks;
use xaif::model::{
    BaseType, BoolOp, Call, CallArgument, Constant, Decl, ElemType, Expr, NodeKind, Operation, ScopeId, StmtKind, Storage, Symbol, Tri,
    VarRef,
};

/// The attribute of functions that nothing declares.
const UNDECLARED: SmolStr = SmolStr::new_static("undeclared");

/// What a macro asks of its arguments; nothing where their number is wrong.
fn question(q: math::Question, values: Vec<Value>) -> Option<Value> {
    let single = values.iter().all(|v| v.ty == CType::Real(32));
    let list: Vec<Expr> = values.into_iter().map(|v| v.number().expr).collect();
    let is = |name, spelling, v: &Expr| op(name, spelling, [v.clone()]);
    Some(Value::truth(match (q, &list[..]) {
        (math::Question::Unordered, [a, b]) => relation(BoolOp::Or, [is("isnan_scal", "isnan", a), is("isnan_scal", "isnan", b)]),
        (math::Question::Unequal, [a, b]) => {
            let less = |a: &Expr, b: &Expr| relation(BoolOp::LessThan, [a.clone(), b.clone()]);
            relation(BoolOp::Or, [less(a, b), less(b, a)])
        }
        (math::Question::Normal, [v]) => {
            let (ty, least, abs) = if single {
                (CType::Real(32), "1.17549435082228750797e-38", "fabsf")
            } else {
                (CType::Real(64), "2.22507385850720138309e-308", "fabs")
            };
            let large = relation(BoolOp::GreaterOrEqual, [op("abs_scal", abs, [v.clone()]), constant(&ty, least, "")]);
            relation(BoolOp::And, [is("isfinite_scal", "isfinite", v), large])
        }
        _ => return None,
    }))
}

/// Why a pointer to a function is not passed to a function without a text.
pub(crate) fn calls_back(span: Span) -> Refusal {
    Refusal::new(CALL, span, "a pointer to a function is passed to a function whose text is not here")
        .because("what it calls can change anything that the passed function knows, and gives no derivative of it")
        .help("give the function's text too")
}

/// Why a call through a pointer is not translated.
fn unknown_target(r: Refusal) -> Refusal {
    r.because("no function of this file is known that it may point to and that takes these arguments, or evaluating the pointer has effects of its own")
        .help("give the text of what is passed or assigned in the same file, or call the function by its name")
}

impl<'a> Lower<'a> {
    /// A call whose value is used.
    pub fn call(&mut self, e: &'a Node<E>, c: &'a CallExpression) -> Res<Operand> {
        let Some(name) = callee_name(c) else {
            return Err(unknown_target(Refusal::new(CALL, e.span, "a function is called through a pointer")));
        };
        if matches!(self.find(name), Some(Binding::Variable(_))) {
            return Err(unknown_target(Refusal::new(CALL, e.span, format!("`{name}` is a pointer to a function"))));
        }
        let own = matches!(self.find(name), Some(Binding::Function(f)) if f.defined);
        if !own && math::is_known(name) {
            self.check_declared(name, e);
            return self.math_call(e, name, &c.arguments).map(Operand::Value);
        }
        if let (Some(bits), [value, part], false) = (math::parting(name), &c.arguments[..], own) {
            return self.modf(e, bits, value, part);
        }
        if let (Some(bits), [value, part], false) = (math::splitting(name), &c.arguments[..], own) {
            return self.frexp(e, bits, value, part);
        }
        if ALLOCATORS.contains(&name) {
            return Err(Refusal::new(ALLOCATION, e.span, format!("`{name}` is used in this form"))
                .because("what it gives must go to one pointer variable at once")
                .help("write `double *w = malloc(n * sizeof(double));`"));
        }
        if self.returned_pointer(c).is_some() {
            return self.pointer_of_call(e, c).map(Operand::Pointer);
        }
        let info = self.callee(name, e)?;
        self.call_unit(e, &info, &c.arguments)
    }

    /// A function as a value: a constant of its name, whose number stands for it.
    pub fn function_value(&mut self, name: &str, f: &FunctionInfo) -> Option<Value> {
        let key = self.function_targets.function(self.file, name).cloned()?;
        let number = self.function_targets.number(&key)?;
        let ty = self.callback(&f.signature);
        if let Some(&known) = self.function_values.get(&key) {
            return Some(Value::new(Expr::sym(known), ty));
        }
        let mut symbol = Symbol::variable(name, ty.elem(), ScopeId(0));
        symbol.id = self.file_id(name);
        if let Some(f) = self.program.symbols.get(f.symbol.index()) {
            symbol.span = f.span;
        }
        symbol.decl = Some(Box::new(Decl {
            type_text: ty.spelling(),
            storage: Storage::Constant,
            init: Some(Expr::int(number)),
            attributes: vec![SmolStr::new_static(callbacks::FUNCTION)],
            ..Decl::default()
        }));
        let symbol = self.program.add_symbol(symbol);
        self.function_values.insert(key, symbol);
        Some(Value::new(Expr::sym(symbol), ty))
    }

    /// Lets the functions that a table names be known as values.
    pub fn note_functions(&mut self, init: &Initializer) {
        struct Names<'n>(Vec<&'n str>);
        impl<'a> Visit<'a> for Names<'a> {
            fn visit_identifier(&mut self, i: &'a Identifier, _: &'a Span) {
                self.0.push(&i.name);
            }
        }
        let mut names = Names(Vec::new());
        let nowhere = Span::none();
        names.visit_initializer(init, &nowhere);
        for name in names.0 {
            if let Some(Binding::Function(f)) = self.find(name).cloned() {
                self.function_value(name, &f);
            }
        }
    }

    /// `remainder`: what `fmod` leaves, less one more divisor where that is nearer to 0 (at a tie, where the quotient is odd).
    fn remainder(&mut self, e: &'a Node<E>, bits: u16, x: Expr, y: Expr) -> Res<Value> {
        let ty = CType::Real(bits);
        let kept = |l: &mut Self, name: &str, v: Expr| match v.as_var() {
            Some(r) if r.subscripts.is_empty() => v,
            _ => Expr::sym(l.keep(name, v, &ty, e.span)),
        };
        let (x, y) = (kept(self, "dividend", x), kept(self, "divisor", y));
        let fmod = |a: Expr, b: Expr| op("mod_scal_scal", &math::suffixed("fmod", bits), [a, b]);
        let abs = |a: Expr| op("abs_scal", &math::suffixed("fabs", bits), [a]);
        let twice = |a: Expr| op("mul_scal_scal", "", [constant(&ty, "2.0", ""), a]);
        let rest = Expr::sym(self.keep("rest", fmod(x.clone(), y.clone()), &ty, e.span));
        let nearer = relation(BoolOp::GreaterThan, [twice(abs(rest.clone())), abs(y.clone())]);
        let tie = relation(BoolOp::Equal, [twice(abs(rest.clone())), abs(y.clone())]);
        let odd = relation(BoolOp::GreaterThan, [abs(fmod(x, twice(y.clone()))), abs(y.clone())]);
        let more = relation(BoolOp::Or, [nearer, relation(BoolOp::And, [tie, odd])]);
        let step = op("sign_scal_scal", &math::suffixed("copysign", bits), [y, rest.clone()]);
        let value = op("select", "", [more, op("sub_scal_scal", "", [rest.clone(), step]), rest]);
        Ok(Value::new(value, ty))
    }

    /// `frexp`: the exponent goes to the second argument, and the fraction is the value.
    fn frexp(&mut self, e: &'a Node<E>, bits: u16, value: &'a Node<E>, part: &'a Node<E>) -> Res<Operand> {
        self.check_order(e, &[value, part])?;
        let ty = CType::Real(bits);
        let x = Value::new(self.value(value)?.real_of(bits), ty.clone());
        let x = Expr::sym(self.keep("number", x.expr, &ty, e.span));
        let p = self.pointer(part)?;
        let to = self.target(p, part.span)?;
        if to.ty != CType::INT {
            return refuse(CALL, e, "the second argument of `frexp` must point to an int");
        }
        let power = conversion(op("logb_scal", &math::suffixed("logb", bits), [x.clone()]), &CType::INT, "int");
        let zero = relation(BoolOp::Equal, [x.clone(), constant(&ty, "0.0", "")]);
        let power = op("select", "", [zero, Expr::int(0), op("add_scal_scal", "", [power, Expr::int(1)])]);
        let power = Expr::sym(self.keep("exponent", power, &CType::INT, e.span));
        let exp2 = &math::suffixed("exp2", bits);
        let half = op("div_scal_scal", "", [power.clone(), Expr::int(2)]);
        let rest = difference(power.clone(), half.clone());
        let down = |n: Expr| op("exp2_scal", exp2, [op("minus_scal", "", [conversion(n, &ty, &ty.spelling())])]);
        let fraction = op("mul_scal_scal", "", [op("mul_scal_scal", "", [x, down(half)]), down(rest)]);
        let fraction = self.keep("fraction", fraction, &ty, e.span);
        self.emit_assignment(to.reference(), power, e.span);
        Ok(Operand::Value(Value::new(Expr::sym(fraction), ty)))
    }

    /// `modf`: what stands before the point goes to the second argument, and the rest is the value.
    fn modf(&mut self, e: &'a Node<E>, bits: u16, value: &'a Node<E>, part: &'a Node<E>) -> Res<Operand> {
        self.check_order(e, &[value, part])?;
        let ty = CType::Real(bits);
        let x = Value::new(self.value(value)?.real_of(bits), ty.clone());
        let x = Expr::sym(self.keep("whole", x.expr, &ty, e.span));
        let whole = match bits {
            32 => "truncf",
            64 => "trunc",
            _ => "truncl",
        };
        let p = self.pointer(part)?;
        let to = self.target(p, part.span)?;
        if to.ty != ty {
            return refuse(CALL, e, "the second argument of `modf` has another type than its value");
        }
        let whole = op("trunc_scal", whole, [x.clone()]);
        let rest = self.keep("rest", op("sub_scal_scal", "", [x, whole.clone()]), &ty, e.span);
        self.emit_assignment(to.reference(), whole, e.span);
        Ok(Operand::Value(Value::new(Expr::sym(rest), ty)))
    }

    /// A function of the mathematical library that the text uses without its header.
    fn check_declared(&mut self, name: &str, e: &Node<E>) {
        let message = format!("`{name}` is called without a declaration");
        let said = |n: &Refusal| n.message == message;
        if !self.builtin_macros && !name.starts_with("__") && self.find(name).is_none() && !self.notes.iter().any(said) {
            let r = Refusal::new(DECLARATION, e.span, message);
            self.notes.push(r.because("it is taken for the function of the C library").help("include <math.h>"));
        }
    }

    /// A call as a statement.
    pub fn call_statement(&mut self, e: &'a Node<E>, c: &'a CallExpression) -> Res<()> {
        self.call(e, c).map(drop)
    }

    /// The function of that name; one that nobody declared is external.
    fn callee(&mut self, name: &str, e: &Node<E>) -> Res<FunctionInfo> {
        match self.find(name) {
            // Functions of system headers get a symbol when they are called.
            Some(Binding::Function(f)) if f.symbol.0 == u32::MAX => {
                let (signature, text) = (f.signature.clone(), f.signature.result.spelling());
                return Ok(self.external_function(name, signature, true, &text));
            }
            Some(Binding::Function(f)) => return Ok(f.clone()),
            Some(_) => return refuse(CALL, e, format!("`{name}` is no function")),
            None => {}
        }
        let signature = Rc::new(Signature { result: CType::INT, parameters: Vec::new(), variadic: false, unknown: true, old_style: false });
        let info = self.external_function(name, signature, false, "int");
        if let Some(d) = &mut self.program.symbol_mut(info.symbol).decl
            && !info.defined
        {
            d.attributes.push(UNDECLARED);
        }
        if let Some(file) = self.blocks.first_mut() {
            file.insert(name.into(), Binding::Function(info.clone()));
        }
        Ok(info)
    }

    /// A function whose text is not here.
    pub fn external_function(&mut self, name: &str, signature: Rc<Signature>, system: bool, type_text: &str) -> FunctionInfo {
        let symbol = match self.linked.get(name) {
            Some(&s) => s,
            None => {
                let mut symbol = Symbol::subroutine(name, ScopeId(0));
                symbol.ty = signature.result.elem();
                symbol.decl = Some(Box::new(Decl {
                    type_text: type_text.into(),
                    storage: Storage::Extern,
                    attributes: passing_words(&signature.parameters)
                        .into_iter()
                        .chain([SmolStr::new_static(if system { "library" } else { "keeps" })])
                        .chain((system && forgets(name)).then(|| SmolStr::new_static("forgets")))
                        .collect(),
                    ..Decl::default()
                }));
                let s = self.program.add_symbol(symbol);
                self.linked.insert(name.into(), s);
                s
            }
        };
        let defined = self.effects.touched(name, self.file).is_some();
        FunctionInfo { symbol, signature, defined, system }
    }

    fn math_call(&mut self, e: &'a Node<E>, name: &str, arguments: &'a [Node<E>]) -> Res<Value> {
        if let Some((value, bits, spelling)) = math::special(name) {
            let ty = CType::Real(bits);
            return Ok(Value::new(constant(&ty, value, spelling), ty));
        }
        let parts: Vec<&Node<E>> = arguments.iter().collect();
        self.check_order(e, &parts)?;
        if name == "__builtin_expect"
            && let [value, _] = arguments
        {
            return self.value(value);
        }
        if name == "__builtin_constant_p" {
            return Ok(Value::new(Expr::int(0), CType::INT));
        }
        let mut values = Vec::with_capacity(arguments.len());
        for a in arguments {
            values.push(self.value(a)?);
        }
        let wrong = |n: usize| Refusal::new(CALL, e.span, format!("`{name}` takes {n} argument{}", if n == 1 { "" } else { "s" }));
        if let Some((name, spelling)) = math::classification(name) {
            let [v] = <[Value; 1]>::try_from(values).map_err(|_| wrong(1))?;
            return Ok(Value::truth(op(name, spelling, [v.number().expr])));
        }
        if let Some(r) = math::relation(name) {
            let [a, b] = <[Value; 2]>::try_from(values).map_err(|_| wrong(2))?;
            return Ok(Value::truth(relation(r, [a.number().expr, b.number().expr])));
        }
        if let Some(q) = math::question(name) {
            return question(q, values).ok_or_else(|| wrong(if q == math::Question::Normal { 1 } else { 2 }));
        }
        if let Some(bits) = math::power_of_ten(name) {
            let [x] = <[Value; 1]>::try_from(values).map_err(|_| wrong(1))?;
            let ten = Value::new(constant(&CType::Real(64), "10.0", ""), CType::Real(64)).real_of(bits);
            return Ok(Value::new(op("pow_scal_scal", &math::suffixed("pow", bits), [ten, x.real_of(bits)]), CType::Real(bits)));
        }
        if let Some(bits) = math::integer_abs(name) {
            let [v] = <[Value; 1]>::try_from(values).map_err(|_| wrong(1))?;
            let ty = CType::Int { bits, unsigned: false, char: false };
            let v = v.promoted();
            let arg = if v.ty.elem() == ty.elem() { v.expr } else { conversion(v.expr, &ty, &ty.spelling()) };
            return Ok(Value::new(op("abs_scal", name, [arg]), ty));
        }
        if let Some(bits) = math::scaling(name) {
            let [v, n] = <[Value; 2]>::try_from(values).map_err(|_| wrong(2))?;
            let exp2 = match bits {
                32 => "exp2f",
                64 => "exp2",
                _ => "exp2l",
            };
            let (v, n) = (v.real_of(bits), n.promoted().expr);
            let ty = CType::Real(bits);
            let times = |v: Expr, n: Expr| {
                let power = op("exp2_scal", exp2, [Value::new(n, CType::INT).real_of(bits)]);
                op("mul_scal_scal", "", [v, power])
            };
            // Powers of two that a factor holds; all others in two steps, so that the factor cannot overflow where the result does not.
            if n.as_int().is_some_and(|n| n.abs() <= 100) {
                return Ok(Value::new(times(v, n), ty));
            }
            let n = match n.as_var() {
                Some(_) => n,
                None => Expr::sym(self.keep("power", n, &CType::LONG, e.span)),
            };
            let half = op("div_scal_scal", "", [n.clone(), Expr::int(2)]);
            let rest = difference(n, half.clone());
            return Ok(Value::new(times(times(v, half), rest), ty));
        }
        if let Some(bits) = math::remainder(name) {
            let [x, y] = <[Value; 2]>::try_from(values).map_err(|_| wrong(2))?;
            return self.remainder(e, bits, x.real_of(bits), y.real_of(bits));
        }
        if let Some((other, operation, bits, width)) = math::whole(name) {
            let [x] = <[Value; 1]>::try_from(values).map_err(|_| wrong(1))?;
            let ty = CType::Int { bits: width, unsigned: false, char: false };
            let value = op(operation, &math::suffixed(other, bits), [x.real_of(bits)]);
            return Ok(Value::new(conversion(value, &ty, &ty.spelling()), ty));
        }
        if math::is_sign(name) {
            let [x] = <[Value; 1]>::try_from(values).map_err(|_| wrong(1))?;
            let one = constant(&CType::Real(64), "1.0", "");
            let sign = op("sign_scal_scal", "copysign", [one, x.real_of(64)]);
            return Ok(Value::truth(relation(BoolOp::LessThan, [sign, constant(&CType::Real(64), "0.0", "")])));
        }
        let Some(f) = math::function(name) else { return refuse(CALL, e, format!("`{name}` is not known")) };
        if values.len() != f.arity {
            return Err(wrong(f.arity));
        }
        let spelling = name.strip_prefix("__builtin_").unwrap_or(name);
        let mut operands = Vec::with_capacity(values.len());
        for (k, v) in values.into_iter().enumerate() {
            // The exponent of a power stays an integer: the value is the same and the derivative simpler.
            let exponent = f.op == "pow_scal_scal" && k == 1 && !v.truth && v.ty.is_integer();
            operands.push(if exponent { v.promoted().expr } else { v.real_of(f.bits) });
        }
        match f.result {
            MathResult::Same => Ok(Value::new(op(f.op, spelling, operands), CType::Real(f.bits))),
            MathResult::Integer(bits) => {
                let ty = CType::Int { bits, unsigned: false, char: false };
                let kind =
                    NodeKind::Op(Operation { name: SmolStr::new_static(f.op), ty: Some(ty.elem()), spelling: spelling.into() }.into());
                Ok(Value::new(term(kind, operands), ty))
            }
        }
    }

    fn call_unit(&mut self, e: &'a Node<E>, info: &FunctionInfo, arguments: &'a [Node<E>]) -> Res<Operand> {
        let name = self.program.symbol(info.symbol).name.clone();
        if ["ob_push_", "ob_pop_"].iter().any(|p| name.starts_with(p)) {
            return refuse(STACK, e, format!("`{name}` belongs to code that Overbar made")).map_err(|r| {
                r.because("it records values for a reverse sweep, and their derivatives would be lost on the stack")
                    .help("make the tangent first (--tangent), then the adjoint of that tangent (--adjoint)")
            });
        }
        let parts: Vec<&Node<E>> = arguments.iter().collect();
        self.check_order(e, &parts)?;
        let parameters = &info.signature.parameters;
        if info.defined && arguments.len() != parameters.len() {
            return refuse(CALL, e, format!("`{name}` takes {} arguments, {} are given", parameters.len(), arguments.len()));
        }
        match &info.signature.result {
            t if t.is_arithmetic() || *t == CType::Void => {}
            t if self.is_structure(t) && info.defined => {}
            CType::Pointer(_) => {
                return refuse(CALL, e, format!("`{name}` returns a pointer"))
                    .map_err(|r| r.because("where it points to is not known").help("pass the array as an argument"));
            }
            other => {
                self.arithmetic(other, e.span)?;
                return refuse(CALL, e, format!("`{name}` returns {}", other.describe()));
            }
        }
        let mut list = Vec::new();
        for (k, a) in arguments.iter().enumerate() {
            if let Some(value) = self.argument(a, parameters.get(k).map(|p| &p.ty), info, k)? {
                list.push(CallArgument::new(k as u32 + 1, value));
            }
        }
        if !info.defined && info.signature.unknown {
            let words: Vec<SmolStr> =
                arguments.iter().map(|a| self.type_of(a).map_or(SmolStr::new_static("arg:value"), |t| passing_word(&t))).collect();
            if let Some(d) = &mut self.program.symbol_mut(info.symbol).decl
                && !d.attributes.iter().any(|a| a.starts_with("arg:"))
            {
                d.attributes.splice(0..0, words);
            }
        }
        let result = match &info.signature.result {
            CType::Void => None,
            ty @ CType::Record(_) => {
                let t = self.temporary_structure(&name, ty);
                list.push(CallArgument::new(arguments.len() as u32 + 1, Expr::sym(t)));
                Some((t, ty.clone()))
            }
            ty => {
                let t = self.temporary(&name, ty);
                list.push(CallArgument::new(arguments.len() as u32 + 1, Expr::sym(t)));
                Some((t, ty.clone()))
            }
        };
        let formal_count = info.defined.then_some((arguments.len() + usize::from(result.is_some())) as u32);
        self.emit(StmtKind::Call(Call { callee: info.symbol, arguments: list, formal_count, active: Tri::Undefined }), e.span);
        Ok(result.map_or(Operand::Void, |(t, ty)| match ty {
            CType::Record(_) => Operand::Structure(LValue { base: t, subs: Vec::new(), ty }),
            ty => Operand::Value(Value::new(Expr::sym(t), ty)),
        }))
    }

    /// What a call passes; `None` for a null pointer.
    fn argument(&mut self, a: &'a Node<E>, parameter: Option<&CType>, info: &FunctionInfo, position: usize) -> Res<Option<Expr>> {
        if let Some(ty) = parameter
            && ty.is_arithmetic()
        {
            let v = self.value(a)?;
            if let (false, CType::Callback(_)) = (info.defined, &v.ty) {
                return Err(calls_back(a.span));
            }
            return Ok(Some(v.stored_as(ty)));
        }
        if let Some(v) = self.named_variable(a)
            && let Place::Opaque(symbol) = v.place
            && !matches!(v.ty, CType::Record(_) | CType::Other(_))
        {
            return Ok(Some(Expr::sym(symbol)));
        }
        if let Some(v) = self.named_variable(uncast(a)) {
            match self.known_null(&v) {
                Some(true) if info.defined => return Ok(None),
                Some(false) => {}
                _ => {
                    return Err(Refusal::new(CALL, a.span, "a pointer is passed that may be null")
                        .because("whether it is null depends on the way that control came")
                        .help("call the function in the branches in which the pointer gets its value"));
                }
            }
        }
        match self.operand(a)? {
            Operand::Structure(lv) if matches!(parameter, Some(CType::Record(_))) => {
                self.structure_argument(a, &lv, info, true, false).map(Some)
            }
            Operand::Structure(_) => refuse(CALL, a, "a structure is passed where no prototype says so"),
            Operand::Value(Value { ty: CType::Callback(_), .. }) if !info.defined => Err(calls_back(a.span)),
            Operand::Value(v) if parameter.is_none() => {
                let ty = v.ty.clone();
                let value = v.number().expr;
                // No prototype says that a value is passed here, and a variable would stand for its address.
                let bare = info.signature.variadic && value.as_var().is_some();
                Ok(Some(if bare { Expr::sym(self.keep("value", value, &ty, a.span)) } else { value }))
            }
            Operand::Value(v) if info.defined && v.expr.as_int() == Some(0) => Ok(None),
            Operand::Value(_) => refuse(CALL, a, "a number is passed where a pointer is expected"),
            Operand::Pointer(p) => self.pointer_argument(a, p, parameter, info, position).map(Some),
            Operand::Opaque if matches!(a.node, E::StringLiteral(_)) => {
                let text = self.original(a.span);
                Ok(Some(Expr::constant(Constant {
                    ty: ElemType { base: BaseType::String, bits: 0 },
                    fe_type: SmolStr::default(),
                    value: text.trim_matches('"').into(),
                    spelling: text.into(),
                })))
            }
            Operand::Null if info.defined => Ok(None),
            Operand::Null => refuse(CALL, a, "a null pointer is passed")
                .map_err(|r| r.because("the text of the function is not here").help("pass an array that is not used")),
            Operand::Opaque | Operand::Void => refuse(CALL, a, "this argument has no counterpart"),
        }
    }

    /// What a call passes where a pointer is given.
    fn pointer_argument(
        &mut self,
        a: &'a Node<E>,
        p: Pointer,
        parameter: Option<&CType>,
        info: &FunctionInfo,
        position: usize,
    ) -> Res<Expr> {
        let wanted = match parameter {
            Some(CType::Pointer(t)) => Some(t.to.clone()),
            Some(CType::Array(of, _)) => Some((**of).clone()),
            _ => None,
        };
        if let Some(w) = &wanted
            && *w != CType::Void
            && !same_element(w.element(), p.to.element())
        {
            return refuse(CALL, a, format!("a pointer to {} is passed for a pointer to {}", p.to.describe(), w.describe()));
        }
        if p.to.is_row() || wanted.as_ref().is_some_and(CType::is_row) {
            return self.rows_argument(a, p, wanted.as_ref(), info);
        }
        if let CType::Record(_) = p.to {
            let constant = matches!(parameter, Some(CType::Pointer(t)) if t.constant);
            let lv = LValue { base: p.base, subs: p.subs.clone(), ty: p.to.clone() };
            self.structure_argument(a, &lv, info, false, constant)?;
            let name = self.program.symbol(info.symbol).name.clone();
            let rank = usize::from(self.effects.is_indexed(&name, self.file, position));
            return Ok(Expr::var(self.passed(p, rank)));
        }
        let inner = wanted.as_ref().map_or(0, CType::rank);
        let name = self.program.symbol(info.symbol).name.clone();
        let number = wanted.as_ref().is_some_and(|w| w.element().is_arithmetic());
        let idle = number && self.effects.is_idle(&name, self.file, position);
        let array = idle || self.effects.is_array(&name, self.file, position).unwrap_or(true);
        let rank = if array || inner > 0 { inner + 1 } else { 0 };
        let subs = self.in_rows(p.base, p.subs, a.span)?;
        Ok(Expr::var(self.passed(Pointer { subs, ..p }, rank)))
    }

    /// What a call passes for a pointer: the whole variable where it points to its start, else the element.
    fn passed(&mut self, p: Pointer, rank: usize) -> VarRef {
        let symbol = self.program.symbol(p.base);
        let own = symbol.rank as usize;
        let start = p.subs.iter().all(|s| s.as_int() == Some(0));
        if own == 0 || (start && rank == own && p.subs.len() == 1) {
            return VarRef::whole(p.base);
        }
        let mut target = p;
        while target.subs.len() < own {
            target.subs.push(Expr::int(0));
        }
        target.target()
    }
}

/// How the parameters of a function without a text are passed, one word each; then those that promise not to overlap, by their positions.
pub(crate) fn passing_words(parameters: &[Parameter]) -> Vec<SmolStr> {
    let promised = parameters.iter().enumerate().filter(|(_, p)| p.restrict).map(|(k, _)| format_smolstr!("restrict:{}", k + 1));
    parameters.iter().map(|p| passing_word(&p.ty)).chain(promised).collect()
}

/// How a parameter is passed.
fn passing_word(ty: &CType) -> SmolStr {
    match ty {
        CType::Pointer(_) | CType::Array(..) => SmolStr::new_static("arg:reference"),
        _ => SmolStr::new_static("arg:value"),
    }
}

/// The name of the variable for a function's own result, where the function's name is taken.
pub(crate) fn result_name(function: &str) -> SmolStr {
    format_smolstr!("{function}_result")
}

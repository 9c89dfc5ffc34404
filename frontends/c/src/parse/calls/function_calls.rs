//! Calls as statements, and values that they give.
//!
//! Lives here: arguments and results. Never here: the mathematical library (see `math_calls`), library functions that are statements of
//! their own (see `library_statements`).

use super::lent_numbers::LentNumbers;
use crate::parse::context::places::{LValue, Place, Pointer};
use crate::parse::context::state::{Binding, FunctionInfo, Lower};
use crate::parse::context::values::{Operand, Value};
use crate::parse::language::library::{ALLOCATORS, FAR_JUMPS, forgets};
use crate::parse::language::math;
use crate::parse::language::types::{CType, Parameter, Signature, same_element};
use crate::parse::text::refusals::{ALLOCATION, CALL, DECLARATION, Refusal, Res, STACK, refuse};
use crate::parse::text::syntax::{callee_name, uncast};
use lang_c::ast::{CallExpression, Expression as E, Identifier, Initializer};
use lang_c::span::{Node, Span};
use lang_c::visit::Visit;
use smol_str::{SmolStr, format_smolstr};
use std::rc::Rc;
use xaif::callbacks;
use xaif::model::{BaseType, Call, CallArgument, Constant, Decl, ElemType, Expr, ScopeId, StmtKind, Storage, Symbol, Tri, VarRef};

/// The attribute of functions that nothing declares.
const UNDECLARED: SmolStr = SmolStr::new_static("undeclared");

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
        if self.is_math(name) || self.is_bessel(name) {
            self.check_declared(name, e);
            return self.math_call(e, name, &c.arguments).map(Operand::Value);
        }
        if let Some(done) = self.math_with_targets(e, name, &c.arguments)? {
            return Ok(done);
        }
        if ALLOCATORS.contains(&name) {
            return Err(Refusal::new(ALLOCATION, e.span, format!("`{name}` is used in this form"))
                .because("what it gives must go to one pointer variable at once")
                .help("write `double *w = malloc(n * sizeof(double));`"));
        }
        if self.returned_pointer(c).is_some() {
            return self.pointer_of_call(e, c).map(Operand::Pointer);
        }
        if self.is_data_accessor(c) {
            return self.handed_out_pointer(e, c).map(Operand::Pointer);
        }
        let info = self.callee(name, e)?;
        self.call_unit(e, &info, &c.arguments)
    }

    /// Whether a name is that of a function of the mathematical library: none of the program's own.
    pub fn is_math(&self, name: &str) -> bool {
        let own = matches!(self.find(name), Some(Binding::Function(f)) if f.defined);
        math::is_known(name) && !own && self.effects.touched(name, self.file).is_none()
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
        let defined = matches!(self.find(name), Some(Binding::Function(f)) if f.defined);
        if FAR_JUMPS.contains(&name) && !defined {
            return Err(Refusal::new(CALL, e.span, format!("`{name}` is called"))
                .because("control comes back to where it was set, whatever is done in between")
                .help("return a code, and ask for it"));
        }
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

    fn call_unit(&mut self, e: &'a Node<E>, info: &FunctionInfo, arguments: &'a [Node<E>]) -> Res<Operand> {
        // No function with a variable number of arguments has a unit, wherever it is defined.
        let info = &FunctionInfo { defined: info.defined && !info.signature.variadic, ..info.clone() };
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
        if info.defined && info.signature.unknown && arguments.len() != parameters.len() {
            return Err(Refusal::new(CALL, e.span, format!("`{name}` is called, whose declaration says nothing of its parameters"))
                .because("its definition in another file has types that have names, and here these may mean something else")
                .help("declare it with its parameters"));
        }
        if info.defined && arguments.len() != parameters.len() {
            return refuse(CALL, e, format!("`{name}` takes {} arguments, {} are given", parameters.len(), arguments.len()));
        }
        match &info.signature.result {
            t if t.is_arithmetic() || *t == CType::Void => {}
            t if self.is_structure(t) && info.defined => {}
            t @ CType::Record(_) if !info.defined => {
                return refuse(CALL, e, format!("`{name}` returns a `{}`, and its text is not here", t.describe()))
                    .map_err(|r| r.because("what is in the structure is not known").help("give the file with the function, too"));
            }
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
        let mut lent: Vec<LentNumbers> = Vec::new();
        for (k, a) in arguments.iter().enumerate() {
            if let Some(array) = self.lend_numbers(a, parameters.get(k).map(|p| &p.ty), &mut lent)? {
                list.push(CallArgument::new(k as u32 + 1, Expr::sym(array)));
                continue;
            }
            if let Some(value) = self.argument(a, parameters.get(k).map(|p| &p.ty), info, k)? {
                list.push(CallArgument::new(k as u32 + 1, value));
            }
        }
        self.check_lent(&lent, &list, parameters, e.span)?;
        if !info.defined && info.signature.unknown {
            let words: Vec<SmolStr> =
                arguments.iter().map(|a| self.type_of(a).map_or(SmolStr::new_static("arg:value"), |t| passing_word(&t, false))).collect();
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
        self.take_numbers_back(lent, e.span)?;
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
            // Functions of the library say what they do without.
            Operand::Value(v) if (info.defined || info.system) && v.expr.as_int() == Some(0) => Ok(None),
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
            Operand::Null if info.defined || info.system => Ok(None),
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
        if self.is_row_within(&p) {
            return refuse(CALL, a, "a row of a union of numbers is passed").map_err(|r| r.help("pass the member that is one array"));
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
    parameters.iter().map(|p| passing_word(&p.ty, p.constant)).chain(promised).collect()
}

/// How a parameter is passed; `constant`: what it leads to is const.
fn passing_word(ty: &CType, constant: bool) -> SmolStr {
    match ty {
        CType::Pointer(_) | CType::Array(..) if constant => SmolStr::new_static("arg:const"),
        CType::Pointer(_) | CType::Array(..) => SmolStr::new_static("arg:reference"),
        _ => SmolStr::new_static("arg:value"),
    }
}

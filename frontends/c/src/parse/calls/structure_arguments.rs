//! Arguments that are structures: what a parameter stands for, results, and what calls pass.
//!
//! Lives here: one argument for each structure. Its members become arguments behind it when all functions are translated (see `member_arguments`).

use super::function_calls::calls_back;
use crate::parse::context::places::LValue;
use crate::parse::context::state::{Binding, FunctionInfo, Lower, Variable, result_name};
use crate::parse::facts::function::Kind;
use crate::parse::language::types::{CType, Extent};
use crate::parse::text::refusals::{RECORD, Refusal, Res};
use crate::parse::text::syntax::uncast;
use crate::parse::types::declarations::{Declared, Specified};
use lang_c::ast::{CastExpression, Expression as E, FunctionDefinition, TypeName};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use smol_str::SmolStr;
use xaif::members::{RETURNED, UNTYPED};
use xaif::model::{Expr, Formal, Intent, Passing, Storage, SymbolId};

/// The types that a name is cast to.
struct Casts<'t, 'n> {
    name: &'n str,
    found: Vec<&'t Node<TypeName>>,
}

impl<'t> Visit<'t> for Casts<'t, '_> {
    fn visit_cast_expression(&mut self, c: &'t CastExpression, span: &'t Span) {
        if matches!(&uncast(&c.expression).node, E::Identifier(i) if i.node.name == self.name) {
            self.found.push(&c.type_name);
        }
        visit::visit_cast_expression(self, c, span);
    }
}

impl<'a> Lower<'a> {
    /// The type of the structures that a pointer parameter points to. A pointer to void points to what all casts of it say, or the variables that get its value.
    pub fn structure_behind(&mut self, f: &'a Node<FunctionDefinition>, d: &Declared, to: &CType) -> Option<CType> {
        if self.is_structure(to) && matches!(to, CType::Record(_)) {
            return Some(to.clone());
        }
        self.behind_void(f, d, to).filter(|t| matches!(t, CType::Record(_)) && self.is_structure(t))
    }

    /// The type of the numbers that a parameter points to which is a pointer to void: `double *p = data;`, `*(int *)data`.
    pub fn numbers_behind(&mut self, f: &'a Node<FunctionDefinition>, d: &Declared, to: &CType) -> Option<CType> {
        self.behind_void(f, d, to).filter(|t| t.is_real() || matches!(t, CType::Int { char: false, .. }))
    }

    /// What a pointer to void points to, as all casts of it say, or the variable that gets its value.
    fn behind_void(&mut self, f: &'a Node<FunctionDefinition>, d: &Declared, to: &CType) -> Option<CType> {
        let facts = self.body().facts.clone();
        let fact = facts.declared_at(d.place.0).filter(|_| *to == CType::Void)?;
        if facts.writes(fact) > 0 || facts.vars[fact].address {
            return None;
        }
        let mut casts = Casts { name: &d.name, found: Vec::new() };
        casts.visit_function_definition(&f.node, &f.span);
        let mut of: Option<CType> = None;
        for t in casts.found {
            let (CType::Pointer(p), _) = self.type_name(t).ok()? else { return None };
            if of.as_ref().is_some_and(|o| *o != p.to) {
                return None;
            }
            of = Some(p.to.clone());
        }
        of.or_else(|| self.given_to(f, &d.name))
    }

    /// The type of what a variable points to that gets the value of a pointer to void where it is declared: `struct data *d = user_data;`.
    fn given_to(&mut self, f: &'a Node<FunctionDefinition>, name: &str) -> Option<CType> {
        let mut given = Given { name, found: Vec::new() };
        given.visit_function_definition(&f.node, &f.span);
        let [d] = given.found[..] else { return None };
        let s = self.specifiers(&d.specifiers, f.span).ok()?;
        let [i] = &d.declarators[..] else { return None };
        match self.declarator(&s.ty, s.constant, &i.node.declarator).ok()?.ty {
            CType::Pointer(p) => Some(p.to.clone()),
            _ => None,
        }
    }

    /// A pointer to a structure, or to several.
    pub fn structure_formal(&mut self, k: usize, whole: Span, s: &Specified, d: Declared, of: CType, function: &str) -> Res<Formal> {
        let fact = self.body().facts.declared_at(d.place.0);
        let array = matches!(d.ty, CType::Array(..)) || self.effects.is_indexed(function, self.file, k);
        let (constant, untyped) = match &d.ty {
            CType::Pointer(t) => (t.constant, t.to == CType::Void),
            _ => (d.constant, false),
        };
        let full = match &d.ty {
            CType::Array(_, extent) => CType::Array(std::rc::Rc::new(of.clone()), extent.clone()),
            _ if array => CType::Array(std::rc::Rc::new(of.clone()), Extent::Unknown),
            _ => of.clone(),
        };
        let named = matches!(s.ty, CType::Record(_)) && !untyped;
        let text = if named { s.text.clone() } else { self.record_text(&of) };
        if text.contains('{') {
            return Err(Refusal::new(RECORD, whole, format!("`{}` points to a structure whose type has no name", d.name))
                .because("derivative functions could not be declared")
                .help("give the type a name"));
        }
        let plain = Specified { constant, text, ..s.clone() };
        let mut symbol = self.new_symbol(&d.name, &full, &plain, d.place);
        self.become_structure(&mut symbol, &of);
        let decl = symbol.decl.get_or_insert_default();
        decl.storage = Storage::Argument;
        decl.passing = Passing::Reference;
        decl.may_alias = !d.restrict;
        if d.restrict {
            decl.attributes.push(SmolStr::new_static("restrict"));
        }
        if untyped {
            decl.attributes.push(UNTYPED);
        }
        let symbol = self.program.add_symbol(symbol);
        self.link(fact, symbol);
        self.structures.insert(symbol, of.clone());
        let place = self.parameter_place(symbol, fact, array, &of, &d)?;
        let ty = if untyped { d.ty.clone() } else { CType::pointer(of, constant) };
        self.bind(d.name.clone(), Binding::Variable(Variable { ty, place, value: None, fact }));
        let mut formal = Formal::new(k as u32 + 1, symbol, if constant { Intent::In } else { Intent::Inout });
        formal.intent_declared = constant;
        Ok(formal)
    }

    /// The structure that a function returns: an argument that it sets, as far as its derivatives are concerned.
    pub fn structure_result(&mut self, formals: usize, ty: &CType, name: &SmolStr, text: &SmolStr, span: xaif::model::Span) -> Formal {
        let facts = self.body().facts.clone();
        let taken = facts.vars.iter().any(|v| v.name == *name) || facts.callees.contains(name);
        let own = if taken { self.fresh_name(&result_name(name)) } else { name.clone() };
        let symbol = self.temporary_structure(&own, ty);
        let s = self.program.symbol_mut(symbol);
        (s.name, s.id, s.temp, s.span) = (own.clone(), own.clone(), false, span);
        let decl = s.decl.get_or_insert_default();
        decl.type_text = text.clone();
        decl.storage = Storage::Argument;
        decl.passing = Passing::Reference;
        decl.attributes.extend([SmolStr::new_static("restrict"), RETURNED]);
        self.body().names.insert(own);
        self.body().result = Some((symbol, ty.clone()));
        Formal::new(formals as u32 + 1, symbol, Intent::Out)
    }

    /// A structure by value that the function changes, in a way that arrays in it could show to the caller: a copy that it changes.
    pub fn own_copy(&mut self, symbol: SymbolId, fact: Option<usize>, d: &Declared) -> Res<()> {
        let facts = self.body().facts.clone();
        let changes =
            |f: usize| facts.all().iter().any(|e| e.var == f && matches!(e.kind, Kind::Write | Kind::Store | Kind::Address | Kind::Handed));
        // What pointers lead to is no part of the structure, and cannot be in a copy of it.
        let has = |of: fn(&CType) -> bool| self.has_members(&d.ty, of);
        let pointers = has(|t| matches!(t, CType::Pointer(_))) && !has(|t| matches!(t, CType::Array(..)));
        if !fact.is_some_and(changes) || pointers {
            return Ok(());
        }
        let copy = self.temporary_structure(&d.name, &d.ty);
        let span = Span { start: d.place.0, end: d.place.1 };
        let of = |base| LValue { base, subs: Vec::new(), ty: d.ty.clone() };
        self.copy_structure(&of(copy), &of(symbol), span)?;
        self.link(fact, copy);
        self.body().copies.insert(symbol, copy);
        Ok(())
    }

    /// Whether there are members of a kind in a structure, or in those within it.
    fn has_members(&self, ty: &CType, of: fn(&CType) -> bool) -> bool {
        let inside = |t: &CType| of(t) || matches!(t, CType::Record(_)) && self.has_members(t, of);
        self.all_fields(ty).is_some_and(|l| l.iter().any(|f| inside(&f.field.ty)))
    }

    /// What a call passes for a structure. A function without a text may use all of it.
    pub fn structure_argument(&mut self, a: &'a Node<E>, lv: &LValue, info: &FunctionInfo, by_value: bool, constant: bool) -> Res<Expr> {
        if by_value && self.is_overlay(lv) {
            let copy = self.structure_of_overlay(lv, a.span)?;
            return self.structure_argument(a, &copy, info, by_value, constant);
        }
        if !self.structures.contains_key(&lv.base) {
            return Err(Refusal::new(RECORD, a.span, "a structure is passed that is not followed"));
        }
        if !info.defined {
            self.check_exposed(a, lv, by_value || constant)?;
        }
        Ok(Expr::var(lv.reference()))
    }

    /// A function without a text may set pointers in a structure to something else.
    fn check_exposed(&mut self, a: &Node<E>, lv: &LValue, fixed: bool) -> Res<()> {
        if self.all_fields(&lv.ty).is_none_or(|l| l.iter().any(|f| matches!(f.field.ty.element(), CType::Callback(_)))) {
            return Err(calls_back(a.span));
        }
        let pointers = self.all_fields(&lv.ty).is_none_or(|l| l.iter().any(|f| matches!(f.field.ty, CType::Pointer(_))));
        if pointers && *self.program.symbol(lv.base).storage() == Storage::Local {
            return Err(Refusal::new(RECORD, a.span, "a structure with pointers is passed to a function whose text is not here")
                .because("derivative functions do not set pointers in structures of their own")
                .help("give the function's text too, or pass the numbers as arguments of their own"));
        }
        if !pointers {
            return self.expose(lv, a.span);
        }
        let facts = self.body().facts.clone();
        let used = |f: &usize| facts.has_members(*f);
        let facts_of: Vec<usize> = facts.events(a.span.start, a.span.end).iter().filter(|e| e.kind != Kind::Call).map(|e| e.var).collect();
        if facts_of.iter().any(used) && !fixed {
            return Err(Refusal::new(RECORD, a.span, "a structure with pointers is passed to a function whose text is not here")
                .because("it may give them other targets, or change what they point to")
                .help("give the function's text too, or declare its parameter `const`"));
        }
        Ok(())
    }
}

/// Declarations of variables that begin as a name does.
struct Given<'t, 'n> {
    name: &'n str,
    found: Vec<&'t lang_c::ast::Declaration>,
}

impl<'t> Visit<'t> for Given<'t, '_> {
    fn visit_declaration(&mut self, d: &'t lang_c::ast::Declaration, span: &'t Span) {
        let begins = |i: &Node<lang_c::ast::InitDeclarator>| {
            matches!(i.node.initializer.as_ref().map(|n| &n.node), Some(lang_c::ast::Initializer::Expression(e))
                if matches!(&e.node, E::Identifier(i) if i.node.name == self.name))
        };
        if d.declarators.iter().any(begins) {
            self.found.push(d);
        }
        visit::visit_declaration(self, d, span);
    }
}

//! One file: what is declared at file scope, and its functions in order.
//!
//! Lives here: file-scope variables, function symbols, the call graph's edges, units that are left out. Never here: bodies of functions.

use crate::parse::calls::function_calls::passing_words;
use crate::parse::context::places::Place;
use crate::parse::context::state::{Binding, FunctionInfo, Lower, Variable};
use crate::parse::facts::function::Facts;
use crate::parse::language::math;
use crate::parse::language::types::{CType, Extent, Signature};
use crate::parse::text::refusals::{DECLARATION, POINTER_TARGET, Refusal, Res};
use crate::parse::text::unread::{UNREAD, mention};
use crate::parse::types::declarations::{Declared, Specified};
use lang_c::ast::{Declaration, ExternalDeclaration, FunctionDefinition, Initializer, TranslationUnit};
use lang_c::span::{Node, Span};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use std::rc::Rc;
use xaif::model::{BaseType, Decl, ElemType, ScopeId, Storage, Symbol, SymbolId, SymbolKind, Unit};

/// A function that was left out.
pub(crate) struct LeftOut {
    pub name: SmolStr,
    /// Its text.
    pub span: xaif::model::Span,
    pub refusals: Vec<Refusal>,
}

/// What a file gave.
#[derive(Default)]
pub(crate) struct FileResult {
    pub left_out: Vec<LeftOut>,
}

impl<'a> Lower<'a> {
    /// Translates a file.
    pub fn file(&mut self, tree: &'a TranslationUnit, facts: &FxHashMap<usize, Rc<Facts>>) -> FileResult {
        let mut out = FileResult::default();
        self.blocks = vec![FxHashMap::default()];
        for item in &tree.0 {
            match &item.node {
                ExternalDeclaration::Declaration(d) => {
                    if let Err(r) = self.file_declaration(d)
                        && !self.map.is_system(d.span.start)
                    {
                        self.notes.push(r);
                    }
                }
                ExternalDeclaration::FunctionDefinition(f) => self.definition(f, facts, &mut out),
                ExternalDeclaration::StaticAssert(_) => {}
            }
        }
        for f in &self.unread.functions {
            let r = Refusal::new(UNREAD, f.place, f.message.clone()).because("this text is not understood");
            match self.find(&f.name).cloned() {
                Some(Binding::Function(info)) if info.symbol.0 != u32::MAX => {
                    self.leave_out(f.name.clone(), f.span, info, vec![r], &mut out)
                }
                _ => out.left_out.push(LeftOut { name: f.name.clone(), span: self.map.span(f.span.start, f.span.end), refusals: vec![r] }),
            }
        }
        out
    }

    /// Callers see an external function that they must not differentiate.
    fn leave_out(&mut self, name: SmolStr, span: Span, info: FunctionInfo, refusals: Vec<Refusal>, out: &mut FileResult) {
        let lines: Vec<String> = refusals.iter().map(|r| self.diagnostic(r).to_string()).collect();
        if let Some(decl) = &mut self.program.symbol_mut(info.symbol).decl {
            decl.storage = Storage::Extern;
            decl.attributes.splice(0..0, ["refused", "keeps"].map(SmolStr::new_static));
            decl.comment = lines.join("\n").into();
        }
        self.bind(name.clone(), Binding::Function(FunctionInfo { defined: false, ..info }));
        out.left_out.push(LeftOut { name, span: self.map.span(span.start, span.end), refusals });
    }

    /// Translates a function, if all that it mentions could be read.
    fn readable(
        &mut self,
        f: &'a Node<FunctionDefinition>,
        facts: Rc<Facts>,
        info: &FunctionInfo,
        s: &Specified,
    ) -> Result<Unit, Vec<Refusal>> {
        match mention(self.text, f.span, &self.unread.names) {
            Some((name, span)) => {
                let r = Refusal::new(UNREAD, span, format!("what `{name}` means is not understood"));
                Err(vec![r.because("its declaration or definition has a construct that is not read")])
            }
            None => self.function(f, facts, info, s),
        }
    }

    fn definition(&mut self, f: &'a Node<FunctionDefinition>, facts: &FxHashMap<usize, Rc<Facts>>, out: &mut FileResult) {
        let system = self.map.is_system(f.span.start);
        let described = self.specifiers(&f.node.specifiers, f.span).and_then(|s| {
            let d = self.declarator(&s.ty, s.constant, &f.node.declarator)?;
            Ok((s, d))
        });
        let (s, d, signature) = match described {
            Ok((s, d)) => match d.ty.clone() {
                CType::Function(signature) => (s, d, signature),
                _ => return,
            },
            Err(r) => {
                if !system {
                    self.notes.push(r);
                }
                return;
            }
        };
        if system {
            let info = self.external_function(&d.name, signature, true, &s.text);
            self.bind(d.name, Binding::Function(info));
            return;
        }
        let from_header = matches!(self.find(&d.name), Some(Binding::Function(known)) if known.system);
        // One that no header declares may have the name of a function that derivative code does not call by itself: it is what all calls mean then.
        if math::is_known(&d.name) && (from_header || math::is_in_partials(&d.name)) {
            let r = Refusal::new(DECLARATION, f.node.declarator.span, format!("`{}` is a function of the C library", d.name))
                .because("derivative code calls functions of the library by their names, and would call this one")
                .help("give it another name");
            self.notes.push(r);
            return;
        }
        let symbol = self.function_symbol(&d, &s, &signature);
        if self.program.unit_of_symbol(symbol).is_some() {
            // A header that several files include brings the same function again.
            if self.map.included_at(f.span.start).is_none() {
                let r = Refusal::new(DECLARATION, f.node.declarator.span, format!("`{}` is defined twice", d.name));
                self.notes.push(r);
            }
            return;
        }
        let info = FunctionInfo { symbol, signature, defined: true, system: false };
        self.bind(d.name.clone(), Binding::Function(info.clone()));
        if self.returned_pointers.contains_key(&d.name)
            || self.allocation_wrappers.giving.contains_key(&d.name)
            || self.allocation_wrappers.freeing.contains_key(&d.name)
        {
            // Calls of it are what it does; nothing of it is left.
            self.left_to_callers(&d.name, info);
            return;
        }
        let Some(facts) = facts.get(&f.span.start) else { return };
        let before = (self.program.scopes.len(), self.program.symbols.len());
        match self.readable(f, facts.clone(), &info, &s) {
            Ok(unit) => {
                self.program.add_unit(unit);
                if let Some(decl) = &mut self.program.symbol_mut(symbol).decl {
                    decl.storage = Storage::Global;
                    decl.attributes.retain(|a| !a.starts_with("arg:") && !a.starts_with("restrict:"));
                }
            }
            Err(refusals) => {
                self.forget(before);
                self.leave_out(d.name, f.span, info, refusals, out);
            }
        }
    }

    /// A function that only gives memory, or takes it back, has no unit: in other places than `allocation_wrappers` says it is external.
    fn left_to_callers(&mut self, name: &SmolStr, info: FunctionInfo) {
        if let Some(decl) = &mut self.program.symbol_mut(info.symbol).decl {
            decl.storage = Storage::Extern;
        }
        self.bind(name.clone(), Binding::Function(FunctionInfo { defined: false, ..info }));
    }

    /// Takes back the scope and the symbols of a unit that is left out, unless others were named in between (their handles must not move).
    fn forget(&mut self, before: (usize, usize)) {
        let scope = ScopeId(before.0 as u32);
        if self.program.scopes.len() == before.0 + 1 && self.program.symbols.from(before.1).all(|s| s.scope == scope) {
            self.program.symbols.truncate(before.1);
            self.program.scopes.truncate(before.0);
            let there = |s: SymbolId| s.index() < before.1;
            self.structures.retain(|s, _| there(*s));
            self.overlays.retain(|s, _| there(*s));
            self.members.retain(|_, s| there(*s));
            self.targets.retain(|(s, _), _| there(*s));
        }
    }

    /// The symbol of a function of this file.
    fn function_symbol(&mut self, d: &Declared, s: &Specified, signature: &Rc<Signature>) -> SymbolId {
        let known = match self.find(&d.name) {
            // One that only a header has declared so far, and nobody has called, has no symbol.
            Some(Binding::Function(f)) if f.symbol.0 != u32::MAX => Some(f.symbol),
            _ if !s.fixed => self.linked.get(&d.name).copied(),
            _ => None,
        };
        let symbol = known.unwrap_or_else(|| {
            let mut symbol = Symbol::subroutine(d.name.clone(), ScopeId(0));
            symbol.id = self.file_id(&d.name);
            self.program.add_symbol(symbol)
        });
        if !s.fixed {
            self.linked.insert(d.name.clone(), symbol);
        }
        let span = self.map.span(d.place.0, d.place.1);
        let it = self.program.symbol_mut(symbol);
        it.ty = signature.result.elem();
        it.span = span;
        let attributes = passing_words(&signature.parameters);
        it.decl = Some(Box::new(Decl { type_text: s.text.clone(), storage: Storage::Global, attributes, ..Decl::default() }));
        symbol
    }

    /// An id that no symbol at file scope has.
    pub fn file_id(&self, name: &str) -> SmolStr {
        let mut ids = self.file_ids.borrow_mut();
        let (known, count) = &mut *ids;
        let symbols = self.program.scopes.first().map_or(&[][..], |s| &s.symbols);
        known.extend(symbols.get(*count..).unwrap_or_default().iter().map(|&i| self.program.symbol(i).id.clone()));
        *count = symbols.len();
        let taken = |n: &str| known.contains(n);
        if !taken(name) {
            return name.into();
        }
        (2..).map(|k| smol_str::format_smolstr!("{name}_{k}")).find(|n| !taken(n)).unwrap_or_else(|| name.into())
    }

    fn file_declaration(&mut self, d: &'a Node<Declaration>) -> Res<()> {
        let s = self.specifiers(&d.node.specifiers, d.span)?;
        let system = self.map.is_system(d.span.start);
        for i in &d.node.declarators {
            let declared = self.declarator(&s.ty, s.constant, &i.node.declarator)?;
            if s.typedef {
                self.name_record(&declared);
                self.bind(
                    declared.name.clone(),
                    Binding::Typedef { ty: declared.ty, constant: declared.constant, enumerated: s.enumerated.clone(), local: false },
                );
                continue;
            }
            if let CType::Function(signature) = &declared.ty {
                if self.find(&declared.name).is_none() {
                    let info = if system || s.fixed {
                        self.unlinked_function(&declared, &s, signature, system)
                    } else {
                        self.external_function(&declared.name, signature.clone(), false, &s.text)
                    };
                    self.bind(declared.name.clone(), Binding::Function(info));
                } else if let Some(Binding::Function(f)) = self.find(&declared.name).cloned()
                    && f.signature.unknown
                {
                    self.bind(declared.name.clone(), Binding::Function(FunctionInfo { signature: signature.clone(), ..f }));
                }
                continue;
            }
            if system {
                let place =
                    Place::Refused(Rc::new(Refusal::new(POINTER_TARGET, i.span, format!("`{}` belongs to the system", declared.name))));
                self.bind(declared.name.clone(), Binding::Variable(Variable { ty: declared.ty, place, value: None, fact: None }));
                continue;
            }
            let v = self.file_variable(&s, &declared, i.node.initializer.as_ref(), i.span)?;
            self.bind(declared.name.clone(), Binding::Variable(v));
        }
        Ok(())
    }

    /// A function that is declared but not (yet) visible to other files. Functions of system headers get a symbol when they are called.
    fn unlinked_function(&mut self, d: &Declared, s: &Specified, signature: &Rc<Signature>, system: bool) -> FunctionInfo {
        if !system {
            let mut symbol = Symbol::subroutine(d.name.clone(), ScopeId(0));
            symbol.id = self.file_id(&d.name);
            symbol.ty = signature.result.elem();
            symbol.decl = Some(Box::new(Decl {
                type_text: s.text.clone(),
                storage: Storage::Extern,
                attributes: vec![SmolStr::new_static("keeps")],
                ..Decl::default()
            }));
            let symbol = self.program.add_symbol(symbol);
            let defined = self.effects.touched(&d.name, self.file).is_some();
            return FunctionInfo { symbol, signature: signature.clone(), defined, system: false };
        }
        FunctionInfo { symbol: SymbolId(u32::MAX), signature: signature.clone(), defined: false, system: true }
    }

    /// A variable at file scope.
    pub fn file_variable(&mut self, s: &Specified, d: &Declared, init: Option<&'a Node<Initializer>>, span: Span) -> Res<Variable> {
        let ty = self.completed(d.ty.clone(), init)?;
        let outer = self.body.take();
        let known = match self.blocks.first().and_then(|b| b.get(&d.name)) {
            Some(Binding::Variable(Variable { place: Place::Object(symbol) | Place::Opaque(symbol), .. })) => Some(*symbol),
            _ if !s.fixed => self.linked.get(&d.name).copied(),
            _ => None,
        };
        let result = self.file_variable_symbol(s, d, &ty, init, span, known);
        self.body = outer;
        result
    }

    /// A symbol at file scope. Each file has its own of a static variable that a header declares, at the inclusion.
    fn outer_symbol(&mut self, s: &Specified, d: &Declared, ty: &CType) -> Symbol {
        let mut symbol = self.new_symbol(&d.name, ty, &Specified { constant: d.constant, ..s.clone() }, d.place);
        symbol.name = d.name.clone();
        symbol.scope = ScopeId(0);
        symbol.span = self.map.included_at(d.place.0).filter(|_| s.fixed).unwrap_or(symbol.span);
        symbol
    }

    fn file_variable_symbol(
        &mut self,
        s: &Specified,
        d: &Declared,
        ty: &CType,
        init: Option<&'a Node<Initializer>>,
        span: Span,
        known: Option<SymbolId>,
    ) -> Res<Variable> {
        let numeric = ty.element().is_arithmetic();
        let value = match init.map(|i| &i.node) {
            Some(Initializer::Expression(e)) if s.constant && ty.is_integer() => self.constant_integer(e),
            _ => None,
        };
        let mut symbol = self.outer_symbol(s, d, ty);
        if !numeric {
            symbol.kind = if matches!(ty, CType::Pointer(_)) { SymbolKind::Pointer } else { SymbolKind::Variable };
            symbol.pointer = symbol.kind == SymbolKind::Pointer;
            symbol.ty = ElemType { base: BaseType::Opaque, bits: 0 };
        }
        let structure = self.is_structure(ty) && ty.extents().iter().all(|x| matches!(x, Extent::Fixed(_)));
        if structure {
            self.become_structure(&mut symbol, ty);
        }
        let constant_init = init.is_some_and(|i| self.initializer_is_constant(i));
        if let Some(decl) = &mut symbol.decl {
            decl.storage = match () {
                () if d.constant && constant_init => Storage::Constant,
                () if s.external && init.is_none() => Storage::Extern,
                () => Storage::Global,
            };
            decl.may_alias = (numeric || structure) && self.escaping.contains(&d.name) && !d.constant;
            for (word, is) in [("static", s.fixed), ("thread_local", s.thread_local)] {
                if is {
                    decl.attributes.push(SmolStr::new_static(word));
                }
            }
        }
        if numeric {
            self.static_initializer(&mut symbol, ty, init)?;
        }
        let symbol = match known {
            Some(k) => {
                let old = self.program.symbol(k);
                // A later declaration completes an earlier one; a mere `extern` changes nothing.
                if *symbol.storage() != Storage::Extern || *old.storage() == Storage::Extern {
                    let (id, had_init) = (old.id.clone(), old.decl.as_ref().is_some_and(|d| !d.init_text.is_empty()));
                    if init.is_some() || !had_init {
                        *self.program.symbol_mut(k) = Symbol { id, ..symbol };
                    }
                }
                k
            }
            None => {
                symbol.id = self.file_id(&d.name);
                self.program.add_symbol(symbol)
            }
        };
        if !s.fixed {
            self.linked.insert(d.name.clone(), symbol);
        }
        let place = match ty {
            CType::Pointer(_) => Place::Refused(Rc::new(
                Refusal::new(POINTER_TARGET, span, format!("`{}` is a pointer at file scope", d.name))
                    .because("where it points to is not known")
                    .help("pass the array as an argument"),
            )),
            _ if numeric => Place::Object(symbol),
            _ if structure => {
                self.structures.insert(symbol, ty.element().clone());
                let constant = *self.program.symbol(symbol).storage() == Storage::Constant;
                self.keep_initial(symbol, ty, init, constant, span)?;
                Place::Object(symbol)
            }
            _ => Place::Opaque(symbol),
        };
        Ok(Variable { ty: ty.clone(), place, value, fact: None })
    }
}

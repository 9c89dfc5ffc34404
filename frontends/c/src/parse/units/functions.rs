//! Function definitions to units.
//!
//! Lives here: formals, the result, the graph's end, and what becomes of a function that cannot be translated. Never here: statements.

use crate::parse::context::places::{Place, Pointer};
use crate::parse::context::state::{Binding, Body, FunctionInfo, Lower, Variable, result_name};
use crate::parse::facts::function::{Facts, Kind};
use crate::parse::language::types::{CType, Extent, Signature};
use crate::parse::memory::array_lengths::names_in_lengths;
use crate::parse::memory::null_tests::drop_unasked;
use crate::parse::text::refusals::{FUNCTION, LABEL, POINTER_TO_POINTER, Refusal, Res, refuse};
use crate::parse::text::syntax::{declared_name, function_part};
use crate::parse::types::declarations::{Declared, Specified};
use lang_c::ast::{FunctionDefinition, Statement};
use lang_c::span::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use std::rc::Rc;
use xaif::build::GraphBuilder;
use xaif::callbacks;
use xaif::members::UNTYPED;
use xaif::model::{
    BaseType, Bound, Decl, Dim, ElemType, Expr, Formal, Intent, Passing, Scope, ScopeId, Storage, Symbol, SymbolId, SymbolKind, Unit,
    UnitKind, VarRef,
};
use xaif::rows::{CONSTANT_ROWS, ROWS};

/// A text whose attributes have the names that no macro can have (`unused` becomes `__unused__`): `#define unused __attribute__((unused))` would be expanded within itself.
fn reserved_attributes(text: &str) -> String {
    const WORD: &str = "__attribute__";
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(WORD) {
        let (before, behind) = rest.split_at(at + WORD.len());
        out.push_str(before);
        rest = behind;
        let mut depth = 0usize;
        while let Some(c) = rest.chars().next() {
            let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let name = &rest[..word.max(c.len_utf8())];
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            // Names stand in the second pair of brackets, their arguments farther in.
            if word > 0 && depth == 2 && !name.starts_with("__") {
                out.push_str(&format!("__{name}__"));
            } else {
                out.push_str(name);
            }
            rest = &rest[name.len()..];
            if depth == 0 && !c.is_whitespace() {
                break;
            }
        }
    }
    out + rest
}

/// What is said of a pointer that is an argument; `text`: its declaration, for types that only text can tell.
fn become_pointer_argument(decl: &mut Decl, d: &Declared, text: Option<SmolStr>) {
    decl.storage = Storage::Argument;
    if let Some(text) = text {
        decl.dims.clear();
        decl.attributes.clear();
        (decl.type_text, decl.passing, decl.may_alias) = (text, Passing::Value, false);
        return;
    }
    (decl.passing, decl.may_alias) = (Passing::Reference, !d.restrict);
    if d.restrict {
        decl.attributes.push(SmolStr::new_static("restrict"));
    }
    if matches!(d.ty, CType::Array(..)) && decl.dims.is_empty() {
        decl.dims.push(Dim { lower: Bound::Expr(Expr::int(0)), upper: Bound::Unknown });
    }
}

impl<'a> Lower<'a> {
    /// Translates a function. `None`: it is left out, with the reasons in its symbol and in the notes.
    pub fn function(
        &mut self,
        f: &'a Node<FunctionDefinition>,
        facts: Rc<Facts>,
        info: &FunctionInfo,
        s: &Specified,
    ) -> Result<Unit, Vec<Refusal>> {
        let mut scope = Scope { parent: Some(ScopeId(0)), ..Scope::default() };
        scope.span = self.map.span(f.span.start, f.span.end);
        let scope = self.program.add_scope(scope);
        let start = self.map.raw_range(f.span.start, f.span.end).map_or(usize::MAX, |(s, _)| s);
        let remark = self.remarks.partition_point(|r| r.start < start);
        self.body = Some(Body {
            name: declared_name(&f.node.declarator.node).map_or_else(SmolStr::default, |(name, _)| name.into()),
            builder: GraphBuilder::new(scope),
            scope,
            facts,
            result: None,
            given_out: None,
            copies: FxHashMap::default(),
            depths: FxHashMap::default(),
            targets: Vec::new(),
            branches: 0,
            depth: 0,
            names: FxHashSet::default(),
            tried: Default::default(),
            deferred: None,
            symbols: FxHashMap::default(),
            fact_of: FxHashMap::default(),
            entry_values: FxHashMap::default(),
            byte_counts: FxHashMap::default(),
            lengths: names_in_lengths(f),
            begun: FxHashMap::default(),
            heap: FxHashMap::default(),
            late: Vec::new(),
            rows_awaited: Vec::new(),
            without_effect: Vec::new(),
            choices: Vec::new(),
            decided: Vec::new(),
            chosen_sides: Vec::new(),
            later: Vec::new(),
            own: FxHashMap::default(),
            owned: Vec::new(),
            nulls: Vec::new(),
            null_when_empty: FxHashSet::default(),
            parted: false,
            loop_ranges: Vec::new(),
            block_ends: vec![f.span.end],
            top: None,
            comment: String::new(),
            remark,
            calls: Vec::new(),
            declared: Vec::new(),
            ordered: false,
            refusals: Vec::new(),
        });
        self.blocks.push(FxHashMap::default());
        let unit = self.unit(f, info, s);
        self.blocks.truncate(1);
        let Some(body) = self.body.take() else { return Err(Vec::new()) };
        let mut refusals = body.refusals;
        let unit = unit.map_err(|r| refusals.push(r)).ok();
        let Some(unit) = unit.filter(|_| refusals.is_empty()) else { return Err(refusals) };
        let mut built = body.builder.finish().map_err(|e| vec![Refusal::new(LABEL, f.span, e.to_string())])?;
        drop_unasked(&body.nulls, &mut built.graph);
        if xaif::structure::regions(&built.graph).is_err() {
            return Err(vec![
                Refusal::new(LABEL, f.span, "control flow of this function does not nest")
                    .because("loops and branches are too deep, or jumps enter them"),
            ]);
        }
        self.hidden_calls.extend(body.calls.iter().map(|&callee| (info.symbol, callee)));
        Ok(Unit { graph: built.graph, structured: built.structured, imports: body.declared, ..unit })
    }

    fn unit(&mut self, f: &'a Node<FunctionDefinition>, info: &FunctionInfo, s: &Specified) -> Res<Unit> {
        let signature: &Signature = &info.signature;
        if signature.variadic {
            return refuse(FUNCTION, &f.node.declarator, "functions with a variable number of arguments are not supported");
        }
        if signature.old_style || !f.node.declarations.is_empty() {
            return refuse(FUNCTION, &f.node.declarator, "these old-style parameter declarations are not supported")
                .map_err(|r| r.help("declare the parameters inside the parentheses"));
        }
        let scope = self.scope();
        let mut unit = Unit::new(info.symbol, scope);
        unit.prefixes =
            [("static", s.fixed), ("inline", s.inline)].iter().filter(|(_, is)| *is).map(|(w, _)| SmolStr::new_static(w)).collect();
        unit.span = self.map.included_at(f.span.start).unwrap_or_else(|| self.map.span(f.span.start, f.span.end));
        unit.comment = self.comment_before(f.span.start);
        let name = self.program.symbol(info.symbol).name.clone();
        let parameters = function_part(&f.node.declarator.node).map_or(&[][..], |p| &p.parameters);
        for (k, p) in parameters.iter().enumerate() {
            if k < signature.parameters.len() {
                let formal = self.formal(k, f, p, &name)?;
                unit.formals.push(formal);
            }
        }
        match &signature.result {
            CType::Void => {}
            ty if self.is_structure(ty) => {
                let formal = self.structure_result(unit.formals.len(), ty, &name, &s.text, unit.span);
                unit.formals.push(formal);
            }
            ty if ty.is_arithmetic() => {
                unit.kind = UnitKind::Function;
                let facts = self.body().facts.clone();
                let taken = facts.vars.iter().any(|v| v.name == name) || facts.callees.contains(&name);
                let own = if taken { result_name(&name) } else { name.clone() };
                let own = if self.words.contains(&own) && own != name { self.fresh_name(&own) } else { own };
                let mut symbol = Symbol::variable(own.clone(), ty.elem(), scope);
                symbol.span = unit.span;
                symbol.decl = Some(Box::new(Decl {
                    type_text: s.text.clone(),
                    storage: Storage::Argument,
                    attributes: if ty.is_unsigned() { vec![SmolStr::new_static("unsigned")] } else { Vec::new() },
                    ..Decl::default()
                }));
                self.body().names.insert(own);
                let symbol = self.program.add_symbol(symbol);
                self.body().result = Some((symbol, ty.clone()));
                let mut formal = Formal::new(unit.formals.len() as u32 + 1, symbol, Intent::Out);
                formal.result = true;
                unit.formals.push(formal);
            }
            CType::Pointer(p) if p.to.is_arithmetic() => {
                let text = if s.ty.is_arithmetic() { s.text.clone() } else { p.to.spelling() };
                let formal = self.pointer_result(f, &unit, (&p.to, &text), &name)?;
                unit.formals.extend(formal);
            }
            other => {
                self.arithmetic(other, f.node.declarator.span)?;
                return Err(Refusal::new(
                    FUNCTION,
                    f.node.declarator.span,
                    format!("a function that returns {} is not supported", other.describe()),
                )
                .help("return it through an argument"));
            }
        }
        match &f.node.statement.node {
            Statement::Compound(items) => self.items(items),
            _ => self.statement(&f.node.statement),
        }
        self.free_late_arrays(0);
        Ok(unit)
    }

    /// A parameter.
    fn formal(
        &mut self,
        k: usize,
        f: &'a Node<FunctionDefinition>,
        p: &'a Node<lang_c::ast::ParameterDeclaration>,
        function: &str,
    ) -> Res<Formal> {
        let s = self.specifiers(&p.node.specifiers, p.span)?;
        let Some(d) = &p.node.declarator else { return refuse(FUNCTION, p, "this parameter has no name") };
        let d = self.declarator(&s.ty, s.constant, d)?;
        let rows = d.ty.constant_rows();
        let d = Declared { ty: self.adjusted(d.ty).with_rows(), ..d };
        let fact = self.body().facts.declared_at(d.place.0);
        let declared_array = matches!(d.ty, CType::Array(..));
        let pointee = match &d.ty {
            CType::Array(of, _) => Some((**of).clone()),
            CType::Pointer(t) => Some(t.to.clone()),
            _ => None,
        };
        let Some(to) = pointee else {
            return self.value_formal(k, p.span, &s, d, fact, function);
        };
        if let Some(of) = self.structure_behind(f, &d, &to).filter(|_| !self.may_end(function, k, fact)) {
            return self.structure_formal(k, p.span, &s, d, of, function);
        }
        let (s, d, to, untyped) = self.with_numbers(f, s, d, to);
        let idle = to.element().is_arithmetic() && self.effects.is_idle(function, self.file, k);
        let array = declared_array || idle || self.effects.is_array(function, self.file, k).unwrap_or(true);
        let constant = match (&d.ty, rows) {
            (_, Some((elements, _))) => elements,
            (CType::Pointer(t), _) => t.constant,
            _ => d.constant,
        };
        let full = match &d.ty {
            CType::Array(..) => d.ty.clone(),
            _ if array || to.rank() > 0 => CType::Array(Rc::new(to.clone()), Extent::Unknown),
            _ => to.clone(),
        };
        let mut plain = Specified { constant, ..s.clone() };
        if rows.is_some() && plain.text.is_empty() {
            // A name stands for the pointers too.
            plain.text = to.element().spelling();
        }
        let mut symbol = self.new_symbol(&d.name, &full, &plain, d.place);
        if let (Some((_, pointers)), Some(decl)) = (rows, &mut symbol.decl) {
            decl.attributes.push(ROWS);
            decl.attributes.extend(pointers.then_some(CONSTANT_ROWS));
        }
        // Pointers that a program only hands on, and those that it may not use.
        let opaque = !to.element().is_arithmetic();
        if opaque {
            symbol.kind = SymbolKind::Pointer;
            symbol.pointer = true;
            symbol.rank = 0;
            symbol.ty = ElemType { base: BaseType::Opaque, bits: 0 };
        }
        if let Some(decl) = &mut symbol.decl {
            become_pointer_argument(decl, &d, opaque.then(|| self.declarator_text(p.span, d.place)));
        }
        if untyped {
            symbol.decl.get_or_insert_default().attributes.push(UNTYPED);
        }
        if !opaque && self.effects.may_be_absent(function, self.file, k) {
            // It is handed over always, but may be null.
            symbol.decl.get_or_insert_default().attributes.extend([SmolStr::new_static("optional"), SmolStr::new_static("nullable")]);
        }
        let symbol = self.program.add_symbol(symbol);
        self.link(fact, symbol);
        let ty = CType::pointer(to.clone(), constant);
        let place = if opaque { Place::Opaque(symbol) } else { self.parameter_place(symbol, fact, array || to.rank() > 0, &to, &d)? };
        let span = lang_c::span::Span { start: d.place.0, end: d.place.1 };
        self.begin_nullable(&d.name, fact);
        self.note_argument(fact, symbol, span);
        self.bind(d.name.clone(), Binding::Variable(Variable { ty, place, value: None, fact }));
        let mut formal = Formal::new(k as u32 + 1, symbol, if constant || opaque { Intent::In } else { Intent::Inout });
        formal.intent_declared = constant || opaque;
        Ok(formal)
    }

    /// A pointer to void as a pointer to the numbers that it leads to, and whether it is one.
    fn with_numbers(
        &mut self,
        f: &'a Node<FunctionDefinition>,
        s: Specified,
        d: Declared,
        to: CType,
    ) -> (Specified, Declared, CType, bool) {
        let Some(n) = self.numbers_behind(f, &d, &to) else { return (s, d, to, false) };
        let constant = matches!(&d.ty, CType::Pointer(p) if p.constant);
        (Specified { text: n.spelling(), ..s }, Declared { ty: CType::pointer(n.clone(), constant), ..d }, n, true)
    }

    /// Whether a pointer to a structure is null at times, as at the end of a list: some call passes null for it, or it is tested where it gets other targets.
    fn may_end(&mut self, function: &str, position: usize, fact: Option<usize>) -> bool {
        let facts = self.body().facts.clone();
        let moves = fact.is_some_and(|f| facts.vars[f].stepped || facts.writes(f) > 0);
        self.effects.gets_null(function, position) || moves && facts.tested_parameters().contains(&position)
    }

    /// A declaration as the user wrote it, for types that only text can tell: `const struct net *`, or with an `@` where the name stands: `double (*@)(double)`.
    fn declarator_text(&self, whole: lang_c::span::Span, name: (usize, usize)) -> SmolStr {
        let words = |from: usize, to: usize| {
            let text = reserved_attributes(self.text.get(from..to).unwrap_or_default());
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        if !(whole.start <= name.0 && name.1 <= whole.end) {
            return words(whole.start, whole.end).into();
        }
        let (mut before, behind) = (words(whole.start, name.0), words(name.1, whole.end));
        // `struct net *a, *b`: names in front of this one are other parameters.
        if let (Some((first, _)), Some((_, own))) = (before.split_once(','), before.rsplit_once(',')) {
            let named = first.split(['*', '[']).next().unwrap_or_default().trim_end();
            let kept = if named.len() < first.trim_end().len() {
                named
            } else {
                named.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').trim_end()
            };
            before = smol_str::format_smolstr!("{kept} {}", own.trim_start()).trim_end().to_owned();
        }
        if behind.is_empty() && before.ends_with('*') {
            return before.into();
        }
        let gap = if before.ends_with(['*', '(']) { "" } else { " " };
        let space = if behind.starts_with(|c: char| c.is_alphanumeric() || c == '_') { " " } else { "" };
        smol_str::format_smolstr!("{before}{gap}@{space}{behind}")
    }

    fn value_formal(
        &mut self,
        k: usize,
        whole: lang_c::span::Span,
        s: &Specified,
        d: Declared,
        fact: Option<usize>,
        function: &str,
    ) -> Res<Formal> {
        let plain = Specified { constant: d.constant, ..s.clone() };
        let mut symbol = self.new_symbol(&d.name, &d.ty, &plain, d.place);
        let structure = matches!(d.ty, CType::Record(_)) && self.is_structure(&d.ty);
        let opaque = !d.ty.is_arithmetic();
        if structure {
            self.become_structure(&mut symbol, &d.ty);
        }
        if let Some(decl) = &mut symbol.decl {
            decl.storage = Storage::Argument;
            decl.passing = Passing::Value;
            if let CType::Callback(_) = d.ty {
                decl.type_text = self.declarator_text(whole, d.place);
                for key in self.function_targets.of_parameter(self.file, function, k) {
                    let number = self.function_targets.number(&key).unwrap_or_default();
                    decl.attributes.push(smol_str::format_smolstr!("{}{number}={}", callbacks::TARGET, key.0));
                }
            }
        }
        let symbol = self.program.add_symbol(symbol);
        self.link(fact, symbol);
        if structure {
            self.structures.insert(symbol, d.ty.clone());
            self.own_copy(symbol, fact, &d)?;
        }
        let place = match fact {
            _ if structure => Place::Object(self.body().copies.get(&symbol).copied().unwrap_or(symbol)),
            _ if opaque => Place::Opaque(symbol),
            Some(f) if d.ty.is_integer() && self.body().lengths.contains(&d.name) => Place::Object(self.begun(symbol, f, &d)),
            _ => Place::Object(symbol),
        };
        self.bind(d.name, Binding::Variable(Variable { ty: d.ty, place, value: None, fact }));
        Ok(Formal::new(k as u32 + 1, symbol, Intent::In))
    }

    /// What stands for an argument by which arrays are long: where the function changes it (`while (n--)`), a variable of its own, so that the argument stays.
    fn begun(&mut self, symbol: SymbolId, fact: usize, d: &Declared) -> SymbolId {
        let facts = self.body().facts.clone();
        if facts.writes(fact) == 0 || facts.vars[fact].address {
            return symbol;
        }
        let now = self.temporary(&d.name, &d.ty);
        let span = lang_c::span::Span { start: d.place.0, end: d.place.1 };
        let kind = xaif::model::StmtKind::Assignment { lhs: VarRef::whole(now), rhs: Expr::sym(symbol) };
        self.emit_with_text(kind, span, String::new());
        self.link(Some(fact), now);
        self.body().begun.insert(now, symbol);
        now
    }

    /// How a pointer parameter is accessed: as it is, or by an offset where the function moves it.
    pub fn parameter_place(&mut self, symbol: SymbolId, fact: Option<usize>, array: bool, to: &CType, d: &Declared) -> Res<Place> {
        let facts = self.body().facts.clone();
        let Some(f) = fact else { return Ok(Place::Target(Pointer { base: symbol, subs: vec![Expr::int(0)], to: to.clone() })) };
        let moved = facts.vars[f].stepped || facts.writes(f) > 0;
        if facts.vars[f].address {
            let span = lang_c::span::Span { start: d.place.0, end: d.place.1 };
            let r = Refusal::new(POINTER_TO_POINTER, span, format!("the address of the pointer `{}` is taken", d.name))
                .because("it could be given another target");
            return Ok(Place::Refused(Rc::new(r)));
        }
        if let Some(swap) = facts.turn_of(f).cloned() {
            let span = lang_c::span::Span { start: d.place.0, end: d.place.1 };
            self.begin_turn(&swap, f, Pointer { base: symbol, subs: vec![Expr::int(0)], to: to.clone() }, span)?;
            return Ok(self.undecided(&d.name, span));
        }
        if !moved {
            let subs = if array { vec![Expr::int(0)] } else { Vec::new() };
            return Ok(Place::Target(Pointer { base: symbol, subs, to: to.clone() }));
        }
        let offset = self.temporary(&format!("{}_at", d.name), &CType::LONG);
        let first = facts.all().iter().any(|e| e.var == f && e.kind != Kind::Call);
        if first {
            let span = lang_c::span::Span { start: d.place.0, end: d.place.1 };
            let kind = xaif::model::StmtKind::Assignment { lhs: VarRef::whole(offset), rhs: Expr::int(0) };
            self.emit_with_text(kind, span, String::new());
        }
        Ok(Place::Walking { base: symbol, rows: Vec::new(), offsets: vec![offset], to: to.clone() })
    }

    /// The comment that ends right before a place.
    fn comment_before(&self, offset: usize) -> String {
        let Some((start, _)) = self.map.raw_range(offset, offset + 1) else { return String::new() };
        let mut lines: Vec<&str> = Vec::new();
        let (mut next, _) = self.map.raw_position(start);
        let before = self.remarks.partition_point(|r| r.start < start);
        for r in self.remarks[..before].iter().rev() {
            let (end_line, _) = self.map.raw_position(r.end);
            let (line, column) = self.map.raw_position(r.start);
            let alone = self.map.one_line(r.start - (column as usize - 1).min(r.start), r.start).is_empty();
            if r.pragma || !alone || end_line + 1 < next {
                break;
            }
            lines.push(&r.text);
            next = line;
        }
        lines.reverse();
        lines.join("\n")
    }
}

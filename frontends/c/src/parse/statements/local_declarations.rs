//! Declarations inside functions.
//!
//! Lives here: symbols for local variables, their storage, bounds and initial values. Never here: pointers (see `pointer_declarations`).

use crate::parse::context::jump_targets::Target;
use crate::parse::context::places::Place;
use crate::parse::context::state::{Binding, Lower, Variable};
use crate::parse::context::terms::{constant, moved_back};
use crate::parse::facts::function::Kind;
use crate::parse::language::math;
use crate::parse::language::types::{CType, Extent};
use crate::parse::memory::pointer_declarations::PointerUse;
use crate::parse::text::refusals::{EXPRESSION, EXTENT, INITIALIZER, POINTER_TO_POINTER, Refusal, Res, TYPE, refuse};
use crate::parse::types::declarations::{Declared, Specified, enumeration_of};
use lang_c::ast::{ArraySize, Declaration, Declarator, DerivedDeclarator, Designator, Expression as E, Initializer, InitializerListItem};
use lang_c::span::{Node, Span};
use smol_str::SmolStr;
use std::rc::Rc;
use xaif::callbacks;
use xaif::model::{
    BaseType, Bound, Decl, Dim, ElemType, Expr, Marker, MarkerClass, StmtKind, Storage, Symbol, SymbolId, SymbolKind, Triplet, VarRef,
};

/// Arrays with more elements than this are not initialized element by element.
const MAX_ELEMENTS: i64 = 100_000;

/// The extent of an array that is not known on entry, if it is the outermost one alone.
fn late_extent<'e>(d: &Declared, declarator: &'e Declarator) -> Option<&'e Node<E>> {
    let CType::Array(of, Extent::Late(..)) = &d.ty else { return None };
    let known = of.extents().iter().all(|x| matches!(x, Extent::Fixed(_) | Extent::Variable(_)));
    declarator.derived.iter().filter(|_| known && of.element().is_arithmetic()).find_map(|part| match &part.node {
        DerivedDeclarator::Array(a) => match &a.node.size {
            ArraySize::VariableExpression(e) | ArraySize::StaticExpression(e) => Some(e.as_ref()),
            _ => None,
        },
        _ => None,
    })
}

/// Refuses an array whose extents the function does not know on entry.
fn known_on_entry(d: &Declared) -> Res<()> {
    for extent in d.ty.extents() {
        if let Extent::Late(from, to) = extent {
            return Err(Refusal::new(
                EXTENT,
                Span { start: from, end: to },
                format!("the extent of `{}` is not known on entry to the function", d.name),
            )
            .because("variable-length arrays must have extents that arguments and constants give")
            .help("compute the extent from arguments that do not change, or use malloc"));
        }
    }
    Ok(())
}

impl<'a> Lower<'a> {
    /// A name for the unit's own scope: the source's, unless another variable of the unit has it or a global of that name is used too.
    pub fn unit_name(&self, name: &str) -> SmolStr {
        let Some(b) = &self.body else { return name.into() };
        if b.names.contains(name) || b.facts.global(name).is_some() { self.fresh_name(name) } else { name.into() }
    }

    /// The bounds of an array type.
    pub fn dims(&self, ty: &CType) -> Vec<Dim> {
        let upper = |x: &Extent| match x {
            Extent::Fixed(n) => Bound::Expr(Expr::int(n - 1)),
            Extent::Variable(n) => Bound::Expr(moved_back((**n).clone(), Expr::int(1))),
            Extent::Unknown | Extent::Late(..) | Extent::Rows => Bound::Unknown,
        };
        ty.extents().iter().map(|x| Dim { lower: Bound::Expr(Expr::int(0)), upper: upper(x) }).collect()
    }

    /// A symbol for a variable of the unit.
    pub fn new_symbol(&mut self, name: &str, ty: &CType, s: &Specified, place: (usize, usize)) -> Symbol {
        let name = self.unit_name(name);
        let mut symbol = Symbol::variable(name.clone(), ty.elem(), self.scope());
        symbol.rank = ty.rank().min(u8::MAX as usize) as u8;
        symbol.span = self.map.span(place.0, place.1);
        let mut attributes = Vec::new();
        if ty.element().is_unsigned() {
            attributes.push(SmolStr::new_static("unsigned"));
        }
        if let Some(first) = s.enumerated.as_ref().filter(|_| ty.is_integer()) {
            attributes.push(SmolStr::new_static("enum"));
            attributes.push(enumeration_of(first));
        }
        if s.volatile {
            attributes.push(SmolStr::new_static("volatile"));
        }
        if s.constant {
            attributes.push(SmolStr::new_static("const"));
        }
        if let CType::Callback(_) = ty.element() {
            attributes.push(SmolStr::new_static(callbacks::POINTER));
        }
        let type_text = match (ty.element(), &s.ty) {
            // A name for the type is as good.
            (CType::Callback(_), CType::Callback(_)) => s.text.clone(),
            (CType::Callback(text), _) => text.clone(),
            _ => s.text.clone(),
        };
        symbol.decl = Some(Box::new(Decl { type_text, dims: self.dims(ty), attributes, ..Decl::default() }));
        if let Some(b) = &mut self.body {
            b.names.insert(name);
        }
        symbol
    }

    /// Links a variable of the facts with its symbol.
    pub fn link(&mut self, fact: Option<usize>, symbol: SymbolId) {
        if let (Some(f), Some(b)) = (fact, self.body.as_mut()) {
            b.symbols.insert(f, symbol);
            b.fact_of.insert(symbol, f);
        }
    }

    /// A declaration as a statement.
    pub fn local_declaration(&mut self, d: &'a Node<Declaration>) -> Res<()> {
        // One that the text does not have leaves comments and pragmas to the statement behind it.
        if d.span.start < d.span.end {
            self.begin_statement(d.span, true);
        }
        self.declare_locals(d, None)
    }

    /// The variables of a declaration. The initializer at `taken` is evaluated elsewhere.
    pub fn declare_locals(&mut self, d: &'a Node<Declaration>, taken: Option<Span>) -> Res<()> {
        let s = self.specifiers(&d.node.specifiers, d.span)?;
        for i in &d.node.declarators {
            let declared = self.declarator(&s.ty, s.constant, &i.node.declarator)?;
            if s.typedef {
                self.bind(
                    declared.name.clone(),
                    Binding::Typedef { ty: declared.ty, constant: declared.constant, enumerated: None, local: true },
                );
                continue;
            }
            let initializer = i
                .node
                .initializer
                .as_ref()
                .filter(|n| Some(n.span) != taken && !matches!(&n.node, Initializer::Expression(e) if Some(e.span) == taken));
            let whole = if d.node.declarators.len() == 1 { d.span } else { i.span };
            if let Some(extent) = late_extent(&declared, &i.node.declarator.node)
                && initializer.is_none()
                && !s.fixed
                && !s.external
                && !s.volatile
                && self.may_allocate_late(i.span)
            {
                let r = self.late_array(&s, declared, extent, i.span, whole);
                self.noted(r);
                continue;
            }
            let (name, ty) = (declared.name.clone(), declared.ty.clone());
            let r = self.declare_local(&s, declared, initializer, i.span, whole);
            if let Err(r) = &r
                && !self.blocks.last().is_some_and(|b| b.contains_key(&name))
            {
                // Uses of it are refused for the same reason.
                let place = Place::Refused(Rc::new(r.clone()));
                self.bind(name, Binding::Variable(Variable { ty, place, value: None, fact: None }));
            }
            self.noted(r);
        }
        Ok(())
    }

    /// True where all ways out of a block are its end and the jumps `break`, `continue` and `return`: memory of its own can be given back at each of them.
    fn may_allocate_late(&mut self, span: Span) -> bool {
        let body = self.body();
        // The block of a switch has as many ways in as it has labels.
        let among_cases = matches!(body.targets.last(), Some(Target::Switch { blocks, .. }) if *blocks == body.block_ends.len());
        !among_cases && !body.facts.labels && body.decided.is_empty() && body.block_ends.last().is_some_and(|&end| span.end < end)
    }

    /// A variable-length array whose extent is computed on the way: memory of its own, to the end of the block.
    fn late_array(&mut self, s: &Specified, d: Declared, extent: &'a Node<E>, span: Span, whole: Span) -> Res<()> {
        let fact = self.body().facts.declared_at(d.place.0);
        let CType::Array(of, _) = &d.ty else { return Ok(()) };
        let count = self.full(extent, |l, e| l.index(e))?;
        let ty = self.type_of(extent).filter(CType::is_integer).map_or(CType::LONG, |t| t.promoted());
        let count = self.steady(&format!("{}_size", d.name), count, &ty, extent.span);
        let mut symbol = self.new_symbol(&d.name, &d.ty, s, d.place);
        if let Some(decl) = &mut symbol.decl {
            decl.attributes.push(SmolStr::new_static("heap"));
            decl.storage = Storage::Local;
        }
        let symbol = self.program.add_symbol(symbol);
        self.link(fact, symbol);
        let section = |n: Expr| Triplet { index: Some(Expr::int(0)), bound: Some(Self::last_of(n)), stride: None };
        let mut subscripts = vec![section(count)];
        for inner in of.extents() {
            subscripts.push(section(match inner {
                Extent::Fixed(n) => Expr::int(n),
                Extent::Variable(n) => (*n).clone(),
                _ => return Err(Refusal::new(EXTENT, span, format!("an extent of `{}` is not known", d.name))),
            }));
        }
        let text = self.original(whole);
        let object = Some(VarRef { subscripts: subscripts.into(), ..VarRef::whole(symbol) });
        let marker = Marker { class: MarkerClass::Allocate, text: text.clone(), object, ..Marker::default() };
        self.emit_with_text(StmtKind::Marker(Box::new(marker)), whole, text);
        self.body().late.push((symbol, whole));
        self.bind(d.name, Binding::Variable(Variable { ty: d.ty, place: Place::Object(symbol), value: None, fact }));
        Ok(())
    }

    /// Gives back what arrays of late extent have, from this number on, where control leaves the block in which they are declared.
    pub fn free_late_arrays(&mut self, from: usize) {
        if self.body().builder.is_dead() {
            return;
        }
        let open = self.body().late.get(from..).unwrap_or_default().to_vec();
        for (symbol, span) in open.into_iter().rev() {
            let marker = Marker { class: MarkerClass::Deallocate, object: Some(VarRef::whole(symbol)), ..Marker::default() };
            self.emit_with_text(StmtKind::Marker(Box::new(marker)), span, String::new());
        }
    }

    fn declare_local(&mut self, s: &Specified, d: Declared, init: Option<&'a Node<Initializer>>, span: Span, whole: Span) -> Res<()> {
        let fact = self.body().facts.declared_at(d.place.0);
        if let CType::Function(signature) = &d.ty {
            if self.find(&d.name).is_none() {
                let info = self.external_function(&d.name, signature.clone(), false, &s.text);
                let constant = if s.constant { "const " } else { "" };
                let line = format!("{constant}{} {};", s.text, self.original(span).trim());
                // Those of the library have headers.
                if !math::is_known(&d.name) && !self.body().declared.contains(&line) {
                    self.body().declared.push(line);
                }
                self.bind(d.name, Binding::Function(info));
            }
            return Ok(());
        }
        if s.external {
            let found = self.blocks.first().and_then(|b| b.get(&d.name)).cloned();
            let binding = match found {
                Some(b) => b,
                None => Binding::Variable(self.file_variable(s, &d, None, span)?),
            };
            if let (Binding::Variable(Variable { place: Place::Object(symbol), .. }), f) = (&binding, fact) {
                self.link(f, *symbol);
            }
            self.bind(d.name, binding);
            return Ok(());
        }
        if let CType::Pointer(_) = &d.ty {
            let uses = PointerUse { specified: s, declared: &d, fact, init, span, whole };
            self.begin_nullable(&d.name, fact);
            self.declare_pointer(uses)?;
            let value = match init.map(|n| &n.node) {
                Some(Initializer::Expression(e)) => Some(e.as_ref()),
                _ => None,
            };
            return self.note_target(fact, value, span);
        }
        if self.is_structure(&d.ty) {
            return self.local_structure(s, d, fact, init, span, whole);
        }
        if let CType::Record(_) | CType::Other(_) | CType::Void = d.ty.element() {
            let mut symbol = self.new_symbol(&d.name, &d.ty, s, d.place);
            symbol.kind = SymbolKind::Variable;
            symbol.ty = ElemType { base: BaseType::Opaque, bits: 0 };
            if let (Some(decl), Some(init)) = (&mut symbol.decl, init) {
                decl.init_text = self.original(init.span).trim_start_matches(['=', ' ']).into();
            }
            let symbol = self.program.add_symbol(symbol);
            self.link(fact, symbol);
            self.bind(d.name, Binding::Variable(Variable { ty: d.ty, place: Place::Opaque(symbol), value: None, fact }));
            return Ok(());
        }
        if let CType::Pointer(_) = d.ty.element() {
            let r = Refusal::new(POINTER_TO_POINTER, span, format!("`{}` is an array of pointers", d.name))
                .because("the arrays behind them cannot be told apart")
                .help("use one array with computed indices, or a two-dimensional array");
            let place = Place::Refused(Rc::new(r));
            self.bind(d.name, Binding::Variable(Variable { ty: d.ty, place, value: None, fact }));
            return Ok(());
        }
        if s.volatile && d.ty.element().is_real() {
            let private = |l: &mut Self| fact.is_some_and(|f| !l.body().facts.vars[f].address);
            if !s.fixed && d.ty.is_real() && private(self) {
                // Nobody else knows where it is: the word only keeps compilers from rearranging sums, which generated code leaves as they are.
                let plain = Specified { volatile: false, ..s.clone() };
                return self.declare_object(&plain, d, fact, init, span, whole);
            }
            return Err(Refusal::new(TYPE, span, format!("`{}` is volatile", d.name)).because("what others change is not differentiated"));
        }
        self.declare_object(s, d, fact, init, span, whole)
    }

    fn declare_object(
        &mut self,
        s: &Specified,
        mut d: Declared,
        fact: Option<usize>,
        init: Option<&'a Node<Initializer>>,
        span: Span,
        whole: Span,
    ) -> Res<()> {
        d.ty = self.completed(d.ty, init)?;
        known_on_entry(&d)?;
        let mut symbol = self.new_symbol(&d.name, &d.ty, s, d.place);
        let facts = self.body().facts.clone();
        // Asked for constants only: it looks at all of the function.
        let never_written = || {
            fact.is_some_and(|f| {
                !facts.all().iter().any(|e| {
                    e.kind != Kind::Call
                        && e.var == f
                        && (matches!(e.kind, Kind::Address | Kind::Store)
                            || (e.kind == Kind::Write)
                            || (e.kind == Kind::Handed && !s.constant))
                        && !(e.offset >= span.start && e.offset < span.end)
                })
            })
        };
        let table = d.ty.rank() > 0;
        let constant_init = init.is_some_and(|i| self.initializer_is_constant(i));
        let value = match init.map(|i| &i.node) {
            Some(Initializer::Expression(e)) if s.constant && d.ty.is_integer() => self.constant_integer(e),
            _ => None,
        };
        if let Some(decl) = &mut symbol.decl {
            decl.storage = match () {
                () if s.constant && constant_init && (s.fixed || table || value.is_some()) && never_written() => Storage::Constant,
                () if s.fixed => Storage::Static,
                () => Storage::Local,
            };
            if s.fixed {
                decl.attributes.push(SmolStr::new_static("static"));
            }
        }
        let storage = symbol.storage().clone();
        if storage == Storage::Local && self.body().parted && d.ty.extents().iter().any(|x| matches!(x, Extent::Variable(_))) {
            // Where it is declared its extents are positive; at the start of the function they need not be.
            if let Some(decl) = &mut symbol.decl {
                decl.attributes.push(SmolStr::new_static("guarded"));
            }
        }
        if storage != Storage::Local {
            self.static_initializer(&mut symbol, &d.ty, init)?;
        }
        let symbol = self.program.add_symbol(symbol);
        self.link(fact, symbol);
        let binding = Variable { ty: d.ty.clone(), place: Place::Object(symbol), value, fact };
        self.bind(d.name.clone(), Binding::Variable(binding));
        if storage != Storage::Local {
            return Ok(());
        }
        self.give_first_value(symbol, &d.ty, fact, init, (span, whole))
    }

    /// Assigns what a local variable is declared with.
    fn give_first_value(
        &mut self,
        symbol: SymbolId,
        ty: &CType,
        fact: Option<usize>,
        init: Option<&'a Node<Initializer>>,
        (span, whole): (Span, Span),
    ) -> Res<()> {
        match init.map(|n| &n.node) {
            None => Ok(()),
            Some(Initializer::Expression(e)) if ty.is_arithmetic() => {
                self.body().top = Some((e.span, whole));
                let r = self.full_with_deferral(e, |l, e| {
                    let v = l.value(e)?.stored_as(ty);
                    if l.effects_of(e.span) == 0 {
                        l.note_entry_value(symbol, fact, ty, &v, e.span.start);
                        l.note_byte_count(symbol, fact, ty, e);
                    }
                    l.emit_assignment(VarRef::whole(symbol), v, e.span);
                    Ok(())
                });
                self.body().top = None;
                r
            }
            Some(Initializer::Expression(e)) => match &e.node {
                E::StringLiteral(_) => {
                    let text = self.original(e.span);
                    if let Some(decl) = &mut self.program.symbol_mut(symbol).decl {
                        decl.init_text = text.into();
                    }
                    Ok(())
                }
                _ => refuse(INITIALIZER, e.as_ref(), "an array cannot be initialized with this"),
            },
            Some(Initializer::List(items)) if ty.is_arithmetic() => match &items[..] {
                [one] => match &one.node.initializer.node {
                    Initializer::Expression(e) => {
                        let v = self.full(e, |l, e| l.value(e))?.stored_as(ty);
                        self.emit_assignment(VarRef::whole(symbol), v, e.span);
                        Ok(())
                    }
                    Initializer::List(_) => Err(Refusal::new(INITIALIZER, span, "this initializer is not supported")),
                },
                _ => Err(Refusal::new(INITIALIZER, span, "this initializer is not supported")),
            },
            Some(Initializer::List(items)) => self.element_assignments(symbol, ty, items, span, whole),
        }
    }

    /// `(double[]){a, b}` as a variable of its own, set where the literal stands.
    pub fn compound_literal(&mut self, e: &'a Node<E>, literal: &'a lang_c::ast::CompoundLiteral) -> Res<(SymbolId, CType)> {
        let (mut ty, _) = self.type_name(&literal.type_name)?;
        let items = &literal.initializer_list;
        if let CType::Array(of, Extent::Unknown) = &ty {
            ty = CType::Array(of.clone(), Extent::Fixed(self.list_length(items)?));
        }
        if matches!(ty, CType::Record(_)) && self.is_structure(&ty) {
            let symbol = self.temporary_structure("literal", &ty);
            self.assign_initial(symbol, &ty, items, e.span)?;
            return Ok((symbol, ty));
        }
        self.arithmetic(ty.element(), e.span)?;
        if !ty.element().is_arithmetic() {
            return refuse(EXPRESSION, e, format!("a compound literal of {} is not supported", ty.describe()));
        }
        if ty.is_arithmetic() {
            let [Node { node: InitializerListItem { initializer, .. }, .. }] = &items[..] else {
                return refuse(INITIALIZER, e, "this initializer is not supported");
            };
            let Initializer::Expression(value) = &initializer.node else {
                return refuse(INITIALIZER, e, "this initializer is not supported");
            };
            let value = self.value(value)?.stored_as(&ty);
            let symbol = self.keep("literal", value, &ty, e.span);
            return Ok((symbol, ty));
        }
        let symbol = self.temporary("literal", ty.element());
        let (rank, dims) = (ty.rank().min(u8::MAX as usize) as u8, self.dims(&ty));
        let s = self.program.symbol_mut(symbol);
        s.rank = rank;
        if let Some(d) = &mut s.decl {
            d.dims = dims;
        }
        self.element_assignments(symbol, &ty, items, e.span, e.span)?;
        Ok((symbol, ty))
    }

    /// A type with the extent that an initializer gives an array without one.
    pub fn completed(&mut self, ty: CType, init: Option<&'a Node<Initializer>>) -> Res<CType> {
        let (CType::Array(of, Extent::Unknown), Some(init)) = (&ty, init) else { return Ok(ty) };
        let n = match &init.node {
            Initializer::List(items) if self.is_structure(&ty) => self.structures_listed(of, items)?,
            _ => self.initializer_length(init)?,
        };
        Ok(CType::Array(of.clone(), Extent::Fixed(n)))
    }

    /// Number of elements that an initializer gives an array without extent.
    fn initializer_length(&mut self, init: &Node<Initializer>) -> Res<i64> {
        match &init.node {
            Initializer::Expression(e) => match &e.node {
                E::StringLiteral(parts) => {
                    let bytes: usize = parts.node.iter().map(|p| p.len().saturating_sub(2)).sum();
                    Ok(bytes as i64 + 1)
                }
                _ => refuse(INITIALIZER, init, "the extent of this array is not known"),
            },
            Initializer::List(items) => self.list_length(items),
        }
    }

    fn list_length(&mut self, items: &[Node<InitializerListItem>]) -> Res<i64> {
        let (mut next, mut longest) = (0i64, 0i64);
        for item in items {
            match &item.node.designation[..] {
                [] => {}
                [d, ..] => match &d.node {
                    Designator::Index(e) => match self.constant_integer(e).and_then(|v| i64::try_from(v).ok()) {
                        Some(v) if v >= 0 => next = v,
                        _ => return refuse(INITIALIZER, d, "this designator is not a constant"),
                    },
                    _ => return refuse(INITIALIZER, d, "this designator is not supported"),
                },
            }
            next = next.saturating_add(1);
            longest = longest.max(next);
        }
        Ok(longest)
    }

    /// An initializer list as assignments to elements.
    fn element_assignments(
        &mut self,
        symbol: SymbolId,
        ty: &CType,
        items: &'a [Node<InitializerListItem>],
        span: Span,
        whole: Span,
    ) -> Res<()> {
        let extents: Vec<i64> = ty.extents().iter().filter_map(|x| if let Extent::Fixed(n) = x { Some(*n) } else { None }).collect();
        let total = extents.iter().try_fold(1i64, |a, n| a.checked_mul(*n)).filter(|t| *t <= MAX_ELEMENTS && extents.len() == ty.rank());
        let Some(total) = total else { return Err(Refusal::new(INITIALIZER, span, "this array is too large to be initialized here")) };
        let mut given: Vec<(i64, &'a Node<E>)> = Vec::new();
        self.flatten(&extents, 0, items, &mut given)?;
        let element = ty.element().clone();
        let zero = || if element.is_real() { constant(&element, "0.0", "") } else { Expr::int(0) };
        let mut written: Vec<i64> = given.iter().map(|(k, _)| *k).collect();
        written.sort_unstable();
        written.dedup();
        let complete = written.len() as i64 == total;
        let text = self.original(whole);
        if !complete {
            let kind = xaif::model::StmtKind::Assignment { lhs: VarRef::whole(symbol), rhs: zero() };
            self.emit_with_text(kind, whole, text);
        }
        for (k, e) in given {
            let v = self.full(e, |l, e| l.value(e))?.stored_as(&element);
            let is_zero = v.as_constant().is_some_and(|c| c.value.parse::<f64>() == Ok(0.0));
            if !complete && is_zero {
                continue;
            }
            let mut rest = k;
            let mut subs: Vec<Expr> = Vec::new();
            for n in extents.iter().rev() {
                subs.push(Expr::int(rest % n));
                rest /= n;
            }
            subs.reverse();
            self.emit_assignment(VarRef::element(symbol, subs), v, e.span);
        }
        Ok(())
    }

    /// The elements that an initializer list gives, by position; braces may be left out as C allows.
    fn flatten(
        &mut self,
        extents: &[i64],
        base: i64,
        items: &'a [Node<InitializerListItem>],
        out: &mut Vec<(i64, &'a Node<E>)>,
    ) -> Res<()> {
        let Some((&extent, inner)) = extents.split_first() else { return Ok(()) };
        let size: i64 = inner.iter().product();
        let mut next = 0i64;
        for item in items {
            let mut at = next;
            match &item.node.designation[..] {
                [] => {}
                designators => {
                    if designators.len() > extents.len() {
                        return refuse(INITIALIZER, item, "this designator is not supported");
                    }
                    at = 0;
                    for (d, n) in designators.iter().zip(extents.iter().enumerate().map(|(i, _)| extents[i + 1..].iter().product::<i64>()))
                    {
                        match &d.node {
                            Designator::Index(e) => match self.constant_integer(e).and_then(|v| i64::try_from(v).ok()) {
                                Some(v) if v >= 0 => at += v * n,
                                _ => return refuse(INITIALIZER, d, "this designator is not a constant"),
                            },
                            _ => return refuse(INITIALIZER, d, "this designator is not supported"),
                        }
                    }
                }
            }
            if at >= extent * size {
                return refuse(INITIALIZER, item, "there are more values than the array has elements");
            }
            match &item.node.initializer.node {
                Initializer::Expression(e) => {
                    out.push((base + at, e));
                    next = at + 1;
                }
                Initializer::List(list) if inner.is_empty() => match &list[..] {
                    [one] => match &one.node.initializer.node {
                        Initializer::Expression(e) => {
                            out.push((base + at, e));
                            next = at + 1;
                        }
                        Initializer::List(_) => return refuse(INITIALIZER, item, "this initializer is not supported"),
                    },
                    _ => return refuse(INITIALIZER, item, "this initializer is not supported"),
                },
                Initializer::List(list) => {
                    let row = at / size;
                    self.flatten(inner, base + row * size, list, out)?;
                    next = (row + 1) * size;
                }
            }
        }
        Ok(())
    }
}

//! Pointer variables: which array each of them points into.
//!
//! A pointer that gets its value once is replaced by what it stands for; one that walks becomes its array and an integer offset; one that
//! malloc gives memory becomes an array of its own. Anything else is refused where it is used. Never here: accesses (see `pointers`).

use crate::parse::context::places::{Place, Pointer};
use crate::parse::context::state::{Binding, Lower, Variable};
use crate::parse::facts::function::Origin;
use crate::parse::language::types::{CType, same_element};
use crate::parse::text::refusals::{INITIALIZER, POINTER_CAST, POINTER_TARGET, POINTER_TO_POINTER, Refusal, Res};
use crate::parse::text::syntax::uncast;
use crate::parse::types::declarations::{Declared, Specified};
use lang_c::ast::{Expression, Initializer};
use lang_c::span::{Node, Span};
use smol_str::{SmolStr, format_smolstr};
use std::rc::Rc;
use xaif::model::{Bound, Dim, Expr, NodeKind, Storage, SymbolId, SymbolKind};
use xaif::rows::ROWS;

/// A declared local pointer.
pub(crate) struct PointerUse<'s, 'a> {
    pub specified: &'s Specified,
    pub declared: &'s Declared,
    pub fact: Option<usize>,
    pub init: Option<&'a Node<Initializer>>,
    pub span: Span,
    pub whole: Span,
}

/// Why a pointer to a pointer is not followed.
fn to_pointer(name: &str, span: Span) -> Refusal {
    Refusal::new(POINTER_TO_POINTER, span, format!("`{name}` is a pointer to a pointer"))
        .because("arrays behind pointers to pointers cannot be told apart")
        .help("use one array with computed indices")
}

/// Why a text is not followed that is another one at times.
fn text_of(name: &str, span: Span) -> Refusal {
    Refusal::new(POINTER_TARGET, span, format!("`{name}` is a text that changes"))
        .because("which text it is is not followed; what is only printed is left out")
        .help("pass the text itself")
}

impl<'a> Lower<'a> {
    /// Whether a pointer to text gets another text: derivative code does not know it, nor prints what names it.
    fn changing_text(&mut self, p: &PointerUse<'_, 'a>) -> bool {
        let given = p.fact.map_or(0, |f| self.body().facts.vars[f].given.len());
        given > usize::from(p.init.is_some())
    }

    /// Whether an expression is text that only pointers like that get: literals, null, or another such pointer.
    pub fn is_text(&mut self, e: &Node<Expression>) -> bool {
        match &uncast(e).node {
            Expression::StringLiteral(_) => true,
            Expression::Conditional(c) => self.is_text(&c.node.then_expression) && self.is_text(&c.node.else_expression),
            Expression::Identifier(i) => match self.find(&i.node.name) {
                Some(Binding::Variable(v)) => matches!(&v.ty, CType::Pointer(p) if matches!(p.to, CType::Int { char: true, .. })),
                _ => i.node.name == "NULL",
            },
            Expression::Constant(_) => self.constant_integer(uncast(e)) == Some(0),
            _ => false,
        }
    }

    /// The array or scalar that a variable of the facts is, or points into.
    pub fn base_of(&self, fact: usize) -> Option<SymbolId> {
        let body = self.body.as_ref()?;
        if let Some(&s) = body.symbols.get(&fact) {
            return Some(s);
        }
        let v = &body.facts.vars[fact];
        match self.blocks.first()?.get(&v.name) {
            Some(Binding::Variable(Variable { place: Place::Object(s), .. })) if v.global => Some(*s),
            _ => None,
        }
    }

    /// What stands for a pointer from here on.
    pub fn bind_pointer(&mut self, p: &PointerUse<'_, 'a>, place: Place) {
        let ty = p.declared.ty.clone();
        self.bind(p.declared.name.clone(), Binding::Variable(Variable { ty, place, value: None, fact: p.fact }));
    }

    /// A pointer that is refused where it is used.
    fn bind_refused(&mut self, p: &PointerUse<'_, 'a>, r: Refusal) {
        self.bind_pointer(p, Place::Refused(Rc::new(r)));
    }

    /// Declares a local pointer.
    pub fn declare_pointer(&mut self, p: PointerUse<'_, 'a>) -> Res<()> {
        let declared = Declared { ty: p.declared.ty.with_rows(), ..p.declared.clone() };
        let p = PointerUse { declared: &declared, ..p };
        let CType::Pointer(target) = &p.declared.ty else { return Ok(()) };
        let to = target.to.clone();
        let name = p.declared.name.clone();
        let init = match p.init.map(|n| &n.node) {
            Some(Initializer::Expression(e)) => Some(e.as_ref()),
            Some(Initializer::List(_)) => return Err(Refusal::new(INITIALIZER, p.span, "a pointer cannot be initialized with a list")),
            None => None,
        };
        if self.declare_owned_structure(&p, init)? {
            return Ok(());
        }
        if let Some(place) = self.without_target(&p, &to, init.is_some()) {
            self.bind_pointer(&p, place);
            return Ok(());
        }
        let Some(fact) = p.fact else { return Err(Refusal::new(POINTER_TARGET, p.span, "this pointer is not understood")) };
        let facts = self.body().facts.clone();
        let origins: Vec<&Origin> =
            facts.vars[fact].origins.iter().filter(|o| **o != Origin::Null && **o != Origin::Variable(fact)).collect();
        if p.specified.fixed {
            let r = Refusal::new(POINTER_TARGET, p.span, format!("`{name}` is a pointer that is kept between calls"))
                .because("where it points to is not known");
            self.bind_refused(&p, r);
            return Ok(());
        }
        let allocated = origins.contains(&&Origin::Allocation);
        let only_allocated = allocated && origins.iter().all(|o| **o == Origin::Allocation);
        if to.is_row() && !only_allocated && (allocated || facts.roots(fact).is_none_or(|r| !self.are_rows(&r))) {
            self.bind_refused(&p, to_pointer(&name, p.span));
            return Ok(());
        }
        if only_allocated {
            return self.declare_own(&p, fact, init, &to);
        }
        if let (Some(swap), Some(e)) = (facts.turn_of(fact).cloned(), init) {
            let target = self.full(e, |l, e| l.pointer(e))?;
            let target = self.settled(&name, target, p.span)?;
            let place = self.undecided(&name, p.span);
            self.bind_pointer(&p, place);
            return self.begin_turn(&swap, fact, Pointer { to, ..target }, p.span);
        }
        if allocated {
            // Memory of its own is one of several things that it points to.
            let symbol = self.heap_symbol(&p, &to);
            self.body().own.insert(fact, symbol);
        }
        if self.is_rooted(fact) {
            return self.declare_into_structure(&p, fact, init);
        }
        let members = facts.vars[fact].targets.iter().flatten().any(|t| !t.members.is_empty());
        let found = if members { self.target_bases(fact, p.span) } else { None };
        let (bases, unknown) = found.map_or_else(|| self.bases(fact, &origins), |b| (b, false));
        self.declare_over(&p, fact, (&bases, unknown), init, to)
    }

    /// Declares a pointer to memory that is allocated for it and nothing else: an array.
    fn declare_own(&mut self, p: &PointerUse<'_, 'a>, fact: usize, init: Option<&'a Node<Expression>>, to: &CType) -> Res<()> {
        let symbol = match self.given_out(fact) {
            Some(s) => s,
            None => self.heap_symbol(p, to),
        };
        self.bind_pointer(p, Place::Heap(symbol));
        self.link(Some(fact), symbol);
        let Some(e) = init.filter(|e| self.operand_is_null(e) != Some(true)) else { return Ok(()) };
        self.body().top = Some((p.span, p.whole));
        let r = self.allocate(symbol, &p.declared.ty, e, p.span);
        self.body().top = None;
        r
    }

    /// Declares a pointer by the arrays into which it points; there may be others.
    fn declare_over(
        &mut self,
        p: &PointerUse<'_, 'a>,
        fact: usize,
        (bases, unknown): (&[SymbolId], bool),
        init: Option<&'a Node<Expression>>,
        to: CType,
    ) -> Res<()> {
        let (name, facts) = (&p.declared.name, self.body().facts.clone());
        let once = facts.writes(fact) == 1 && !facts.vars[fact].stepped && !facts.vars[fact].address;
        if bases.len() == 2
            && !unknown
            && once
            && let Some(e) = init
        {
            let place = self.undecided(name, p.span);
            self.bind_pointer(p, place);
            if self.conditional_pointer(p, fact, e)? {
                return Ok(());
            }
        }
        if bases.len() > 1 && !unknown && self.declare_reassigned(p, fact, bases)? {
            return Ok(());
        }
        let ([base], false) = (bases, unknown) else {
            let message = match bases.len() {
                0 | 1 => format!("where `{name}` points to is not known"),
                _ => format!("`{name}` points into more than one array"),
            };
            let r = Refusal::new(POINTER_TARGET, p.span, message)
                .because("a pointer must stay in one array for its whole life")
                .help("use one pointer for each array, or the arrays themselves");
            self.bind_refused(p, r);
            return Ok(());
        };
        self.declare_into(p, fact, *base, init, to)
    }

    /// What a pointer is whose target is not followed, by its type.
    fn without_target(&mut self, p: &PointerUse<'_, 'a>, to: &CType, is_given: bool) -> Option<Place> {
        let name = &p.declared.name;
        match to.element() {
            t if t.is_arithmetic() && !matches!(t, CType::Int { char: true, .. }) => None,
            CType::Int { char: true, .. } if self.changing_text(p) => Some(Place::Refused(Rc::new(text_of(name, p.span)))),
            CType::Record(_) if p.init.is_none_or(|_| is_given) && p.fact.is_some_and(|f| self.is_rooted(f)) => None,
            CType::Int { .. } | CType::Record(_) | CType::Other(_) => Some(self.opaque_pointer(p)),
            CType::Pointer(_) => Some(Place::Refused(Rc::new(to_pointer(name, p.span)))),
            other => {
                let r = Refusal::new(POINTER_CAST, p.span, format!("`{name}` is a pointer to {}", other.describe()))
                    .because("what is stored through it could not be followed");
                Some(Place::Refused(Rc::new(r)))
            }
        }
    }

    /// The arrays into which a pointer points, and whether there may be others.
    fn bases(&mut self, fact: usize, origins: &[&Origin]) -> (Vec<SymbolId>, bool) {
        let facts = self.body().facts.clone();
        let mut bases: Vec<SymbolId> = Vec::new();
        let mut unknown = origins.is_empty();
        match facts.roots(fact) {
            Some(roots) => {
                for v in roots {
                    // A pointer that takes turns stands for its present target.
                    let turns = facts.vars[v].parameter.is_some() && facts.turn_of(v).is_some();
                    let place = if turns { None } else { self.base_of(v) };
                    match self.body().own.get(&v).copied().or(place) {
                        Some(b) if !bases.contains(&b) => bases.push(b),
                        Some(_) => {}
                        None => unknown = true,
                    }
                }
            }
            None => unknown = true,
        }
        let direct: Vec<Option<SymbolId>> =
            origins.iter().map(|o| if let Origin::Variable(v) = o { self.base_of(*v) } else { None }).collect();
        match direct[..] {
            // Its only origin is a pointer whose target is settled here.
            [Some(b)] if bases.len() != 1 => (vec![b], false),
            _ => (bases, unknown),
        }
    }

    /// Declares a pointer into one array: at one place of it, or walking over it.
    fn declare_into(
        &mut self,
        p: &PointerUse<'_, 'a>,
        fact: usize,
        base: SymbolId,
        init: Option<&'a Node<Expression>>,
        to: CType,
    ) -> Res<()> {
        let (name, facts) = (p.declared.name.clone(), self.body().facts.clone());
        self.body().symbols.insert(fact, base);
        let once = init.is_some() && facts.writes(fact) == 1 && !facts.vars[fact].stepped && !facts.vars[fact].address;
        if let (true, Some(e)) = (once, init) {
            let target = self.full(e, |l, e| l.target_or_null(e))?;
            let target = self.settled(&name, target, p.span)?;
            self.bind_pointer(p, Place::Target(Pointer { to, ..target }));
            return Ok(());
        }
        if facts.vars[fact].address {
            let r = Refusal::new(POINTER_TO_POINTER, p.span, format!("the address of the pointer `{name}` is taken"))
                .because("it could be given another target");
            self.bind_refused(p, r);
            return Ok(());
        }
        let rank = self.program.symbol(base).rank as usize;
        let count = rank.saturating_sub(to.rank());
        // A pointer that is only stepped once it has its target stays in its row.
        let stays = facts.vars[fact].origins.len() == 1 && !facts.vars[fact].address;
        let mut target = None;
        if let (true, Some(e)) = (stays && count > 1, init)
            && self.operand_is_null(e) != Some(true)
        {
            let mut first = self.full(e, |l, e| l.target_or_null(e))?;
            let last = first.subs.pop();
            let mut first = self.settled(&name, first, p.span)?;
            first.subs.extend(last);
            target = Some(first);
        }
        let rows = match &target {
            Some(t) if t.subs.len() == count => t.subs[..count - 1].to_vec(),
            _ => Vec::new(),
        };
        let offsets: Vec<SymbolId> = (rows.len()..count).map(|_| self.temporary(&format!("{name}_at"), &CType::LONG)).collect();
        let place = Place::Walking { base, rows, offsets, to };
        self.bind_pointer(p, place);
        if let Some(e) = init
            && self.operand_is_null(e) != Some(true)
        {
            let target = match target {
                Some(t) => t,
                None => self.full(e, |l, e| l.target_or_null(e))?,
            };
            let Some(Binding::Variable(v)) = self.find(&name).cloned() else { return Ok(()) };
            self.set_pointer(e, &v, target)?;
        }
        Ok(())
    }

    /// Whether all of these are arrays whose rows pointers lead to.
    fn are_rows(&self, roots: &[usize]) -> bool {
        !roots.is_empty() && roots.iter().all(|&v| self.base_of(v).is_some_and(|b| self.program.symbol(b).has_attribute(&ROWS)))
    }

    /// Whether a pointer points into one structure, or something that this points to.
    fn is_rooted(&self, fact: usize) -> bool {
        let Some(body) = &self.body else { return false };
        let Some(roots) = body.facts.roots(fact) else { return false };
        !roots.is_empty() && roots.iter().all(|&v| self.base_of(v).is_some_and(|b| self.structures.contains_key(&b)))
    }

    /// A pointer to a structure, or to numbers in one: what it stands for is told where it gets its only target; one with several is followed as
    /// those into arrays are.
    fn declare_into_structure(&mut self, p: &PointerUse<'_, 'a>, fact: usize, init: Option<&'a Node<lang_c::ast::Expression>>) -> Res<()> {
        let facts = self.body().facts.clone();
        let name = p.declared.name.clone();
        let (var, ty) = (&facts.vars[fact], p.declared.ty.clone());
        // Null is no target; until it has one, the pointer is refused.
        let empty = init.is_some_and(|e| self.operand_is_null(e) == Some(true));
        let several = var.given.len() != 1 + usize::from(empty) || var.address || p.specified.fixed;
        if !var.address && !p.specified.fixed && !facts.labels {
            let CType::Pointer(target) = &ty else { return Ok(()) };
            let to = target.to.clone();
            match self.target_bases(fact, p.span).as_deref() {
                Some([base]) if several || init.is_none() => return self.declare_into(p, fact, *base, init, to),
                Some(bases @ [_, _, ..]) if self.declare_reassigned(p, fact, bases)? => return Ok(()),
                _ => {}
            }
        }
        let why = if several { "gets more than one target" } else { "has no target yet" };
        let r = Refusal::new(POINTER_TARGET, p.span, format!("`{name}` {why}"))
            .because("a pointer into a structure must get its target once, in the block that declares it, before it is used")
            .help("use one pointer for each target");
        let place = Place::Refused(Rc::new(r));
        self.bind(name.clone(), Binding::Variable(Variable { ty, place, value: None, fact: Some(fact) }));
        if several {
            return Ok(());
        }
        let depth = self.blocks.len();
        self.body().later.push((fact, depth));
        match init {
            Some(e) if self.operand_is_null(e) != Some(true) => self.full(e, |l, e| l.give_target(fact, e, e.span)).map(drop),
            _ => Ok(()),
        }
    }

    /// A pointer into a structure gets its only target.
    pub fn give_target(&mut self, fact: usize, e: &'a Node<lang_c::ast::Expression>, span: Span) -> Res<Option<Pointer>> {
        let Some(&(_, depth)) = self.body().later.iter().find(|(f, _)| *f == fact) else { return Ok(None) };
        let facts = self.body().facts.clone();
        // Further in, control need not have come there.
        if self.blocks.len() != depth || facts.labels {
            return Ok(None);
        }
        let name = facts.vars[fact].name.clone();
        let mut target = self.pointer(e)?;
        let Some(Binding::Variable(v)) = self.blocks.last().and_then(|b| b.get(&name)).cloned() else { return Ok(None) };
        let CType::Pointer(to) = &v.ty else { return Ok(None) };
        if !same_element(&to.to, &target.to) {
            return Err(Refusal::new(
                POINTER_CAST,
                span,
                format!("a pointer to {} is seen as a pointer to {}", target.to.describe(), to.to.describe()),
            ));
        }
        target.to = to.to.clone();
        let place = match (facts.vars[fact].stepped, target.subs.pop()) {
            (true, Some(last)) => {
                let first = self.settled(&name, target, span)?;
                let offset = self.keep(&format!("{name}_at"), last, &CType::LONG, span);
                Place::Walking { base: first.base, rows: first.subs, offsets: vec![offset], to: first.to }
            }
            (_, last) => {
                target.subs.extend(last);
                Place::Target(self.settled(&name, target, span)?)
            }
        };
        self.bind(name, Binding::Variable(Variable { place, ..v }));
        self.body().later.retain(|(f, _)| *f != fact);
        Ok(None)
    }

    /// A pointer that is only handed on.
    fn opaque_pointer(&mut self, p: &PointerUse<'_, 'a>) -> Place {
        let mut symbol = self.new_symbol(&p.declared.name, &p.declared.ty, p.specified, p.declared.place);
        symbol.kind = SymbolKind::Pointer;
        symbol.pointer = true;
        if let Some(d) = &mut symbol.decl {
            d.type_text = format_smolstr!("{}{} *", if p.specified.constant { "const " } else { "" }, p.specified.text);
            d.attributes.retain(|a| a != "const");
            d.init_text = p.init.map_or_else(SmolStr::default, |n| self.original(n.span).trim_start_matches(['=', ' ']).into());
        }
        let symbol = self.program.add_symbol(symbol);
        self.link(p.fact, symbol);
        Place::Opaque(symbol)
    }

    /// The array that malloc gives to a pointer.
    fn heap_symbol(&mut self, p: &PointerUse<'_, 'a>, to: &CType) -> SymbolId {
        let mut symbol = self.new_symbol(&p.declared.name, to, p.specified, p.declared.place);
        symbol.rank += 1;
        if let Some(d) = &mut symbol.decl {
            d.dims.insert(0, Dim { lower: Bound::Expr(Expr::int(0)), upper: Bound::Unknown });
            d.attributes.push(SmolStr::new_static("heap"));
            if to.is_row() {
                d.attributes.push(ROWS);
                if d.type_text.is_empty() {
                    d.type_text = to.element().spelling();
                }
            }
            d.storage = Storage::Local;
        }
        self.program.add_symbol(symbol)
    }

    /// A target whose subscripts keep their values to the end of the block: what may change is kept in variables.
    pub fn settled(&mut self, name: &str, mut target: Pointer, span: Span) -> Res<Pointer> {
        for s in &mut target.subs {
            *s = self.steady(&format!("{name}_at"), s.clone(), &CType::LONG, span);
        }
        Ok(target)
    }

    /// An integer that keeps its value to the end of the block, in a variable of its own where what it is made of may change.
    pub fn steady(&mut self, name: &str, s: Expr, ty: &CType, span: Span) -> Expr {
        let end = self.body().block_ends.last().copied().unwrap_or(usize::MAX);
        let facts = self.body().facts.clone();
        let mut fixed = true;
        for n in &s.nodes {
            if let NodeKind::Var(r) = &n.kind {
                let fact = self.body().fact_of.get(&r.symbol).copied();
                let symbol = self.program.symbol(r.symbol);
                let constant = *symbol.storage() == Storage::Constant;
                let local = matches!(symbol.storage(), Storage::Local) || symbol.passing() == xaif::model::Passing::Value;
                fixed &= constant
                    || (r.subscripts.is_empty()
                        && local
                        && symbol.rank == 0
                        && fact.is_some_and(|f| !facts.vars[f].address && !facts.changes(f, span.end, end)));
            }
        }
        if fixed { s } else { Expr::sym(self.keep(name, s, ty, span)) }
    }
}

//! Calls of functions that make structures, written out where they stand.
//!
//! ```text
//! vec *w = vec_new(2 * k);      ->      int n = 2 * k; vec *w = malloc(sizeof *w); w->n = n; w->data = calloc(n, sizeof(double));
//! ```
//!
//! Every token keeps the place that it has in the called function, as those of macros do. Names of the called function get other names where the calling one has them. What
//! cannot be written out stays a call. Lives here: the text. Never here: which functions these are (see `facts::structure_makers`).

use crate::parse::facts::structure_makers::{Maker, makers};
use crate::parse::text::source_map::{Splice, Written};
use crate::parse::text::syntax::{callee_name, declared_depth, declared_name, declares_array, function_part, uncast};
use crate::parse::text::tokens::{Token, scan};
use lang_c::ast::{
    BinaryOperator as B, BlockItem, CallExpression, Constant, Declaration, DeclarationSpecifier, Expression as E, ExternalDeclaration,
    InitDeclarator, Initializer, IntegerBase, ParameterDeclaration, Statement, TranslationUnit, TypeSpecifier, UnaryOperator as U,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{Visit, visit_block_item, visit_init_declarator};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::{SmolStr, format_smolstr};

/// Text of calls that are written out, at most.
const LARGEST: usize = 1 << 20;

/// What stands in for calls of a text: nothing where there is nothing to write out.
pub(crate) fn splices(text: &str, tree: &TranslationUnit, is_system: &dyn Fn(usize) -> bool) -> Vec<Splice> {
    let makers = makers(tree);
    if makers.is_empty() {
        return Vec::new();
    }
    let scanned = scan(text).tokens;
    let words = Words { text, tokens: &scanned };
    let globals = global_names(tree);
    let mut out = Vec::new();
    let mut size = 0;
    for item in &tree.0 {
        let ExternalDeclaration::FunctionDefinition(f) = &item.node else { continue };
        let Some((name, _)) = declared_name(&f.node.declarator.node) else { continue };
        if makers.get(name).is_some_and(|m| !m.numbers) || is_system(f.span.start) {
            continue;
        }
        let mut calls = Sites { makers: &makers, found: Vec::new() };
        calls.visit_statement(&f.node.statement.node, &f.node.statement.span);
        if calls.found.is_empty() {
            continue;
        }
        let mut caller = Caller {
            words,
            globals: &globals,
            taken: words.within(f.span).map(|t| SmolStr::from(words.word(t))).collect(),
            declared: declared_within(&f.node.statement).into_iter().collect(),
            addressed: words.addressed(f.span),
            failures: Vec::new(),
        };
        caller.declared.extend(parameters_of(f));
        for found in calls.found {
            let site = match found {
                Found::Call(site) => site,
                Found::Several(d) => {
                    out.push(parted(words, d));
                    continue;
                }
            };
            // Nothing is left of what stands in a statement that is never done.
            if out.last().is_some_and(|s: &Splice| s.to > site.whole.start) {
                continue;
            }
            for s in caller.written_out(&makers[site.name], &site).into_iter().flatten() {
                size += s.tokens.len();
                out.push(s);
            }
        }
    }
    if size > LARGEST { Vec::new() } else { out }
}

/// The tokens of a text.
#[derive(Clone, Copy)]
struct Words<'t> {
    text: &'t str,
    tokens: &'t [Token],
}

impl<'t> Words<'t> {
    fn within(self, span: Span) -> impl Iterator<Item = &'t Token> {
        let first = self.tokens.partition_point(|t| t.start < span.start);
        let last = self.tokens.partition_point(|t| t.end <= span.end).max(first);
        self.tokens[first..last].iter()
    }

    fn word(self, t: &Token) -> &'t str {
        &self.text[t.start..t.end]
    }

    /// Names behind an `&`.
    fn addressed(self, span: Span) -> FxHashSet<&'t str> {
        let list: Vec<&str> = self.within(span).map(|t| self.word(t)).collect();
        list.windows(2).filter(|w| w[0] == "&").map(|w| w[1]).collect()
    }
}

/// Names at file scope, but of functions.
fn global_names(tree: &TranslationUnit) -> FxHashSet<&str> {
    let mut out = FxHashSet::default();
    for item in &tree.0 {
        if let ExternalDeclaration::Declaration(d) = &item.node {
            out.extend(d.node.declarators.iter().filter_map(|i| declared_name(&i.node.declarator.node)).map(|(n, _)| n));
        }
    }
    out
}

fn parameters_of(f: &Node<lang_c::ast::FunctionDefinition>) -> Vec<&str> {
    crate::parse::text::syntax::parameter_names(&f.node).unwrap_or_default()
}

/// The names that a statement declares.
fn declared_within(s: &Node<Statement>) -> Vec<&str> {
    struct Names<'a>(Vec<&'a str>);
    impl<'a> Visit<'a> for Names<'a> {
        fn visit_init_declarator(&mut self, d: &'a lang_c::ast::InitDeclarator, span: &'a Span) {
            self.0.extend(declared_name(&d.declarator.node).map(|(n, _)| n));
            visit_init_declarator(self, d, span);
        }
    }
    let mut names = Names(Vec::new());
    names.visit_statement(&s.node, &s.span);
    names.0
}

/// What gets the result of a call.
#[derive(Clone, Copy)]
enum Taker<'a> {
    /// `T *w = f(...);`: the name, and what stands before `=`.
    Declared(&'a str, Span),
    /// `w = f(...);`
    Assigned(&'a Node<E>),
    /// `if (f(...) != 0)`: the call, and the statement.
    Asked(Span, &'a Node<Statement>),
    /// `return f(...);`
    Returned,
    /// `f(...);`
    Nobody,
}

/// A statement that is a call of such a function and no more, or asks for what one returns before anything else.
struct Site<'a> {
    name: &'a str,
    call: &'a CallExpression,
    whole: Span,
    taker: Taker<'a>,
}

struct Sites<'m, 'a> {
    makers: &'m FxHashMap<&'a str, Maker<'a>>,
    found: Vec<Found<'a>>,
}

/// What is to be written otherwise.
enum Found<'a> {
    Call(Site<'a>),
    /// Each variable gets a declaration of its own first.
    Several(&'a Node<Declaration>),
}

impl<'a> Sites<'_, 'a> {
    fn call(&self, e: &'a Node<E>) -> Option<(&'a str, &'a CallExpression)> {
        let E::Call(c) = &uncast(e).node else { return None };
        let name = callee_name(&c.node)?;
        self.makers.contains_key(name).then_some((name, &c.node))
    }

    /// Whether a declaration of several variables calls such a function.
    fn is_several(&self, d: &'a Node<Declaration>) -> bool {
        let makes = |i: &'a Node<InitDeclarator>| match i.node.initializer.as_ref().map(|i| &i.node) {
            Some(Initializer::Expression(e)) => self.call(e).is_some(),
            _ => false,
        };
        d.node.declarators.len() > 1 && d.node.declarators.iter().any(makes)
    }

    fn declaration(&self, d: &'a Node<Declaration>) -> Option<Site<'a>> {
        let [one] = &d.node.declarators[..] else { return None };
        let Some(Initializer::Expression(e)) = one.node.initializer.as_ref().map(|i| &i.node) else { return None };
        let (name, call) = self.call(e)?;
        let (own, _) = declared_name(&one.node.declarator.node)?;
        let before = Span { start: d.span.start, end: one.node.declarator.span.end };
        Some(Site { name, call, whole: d.span, taker: Taker::Declared(own, before) })
    }

    fn statement(&self, s: &'a Node<Statement>) -> Option<Site<'a>> {
        if let Statement::If(i) = &s.node {
            let e = evaluated_first(&i.node.condition);
            let (name, call) = self.call(e)?;
            return Some(Site { name, call, whole: Span { start: s.span.start, end: s.span.start }, taker: Taker::Asked(e.span, s) });
        }
        if let Statement::Return(Some(e)) = &s.node {
            let (name, call) = self.call(e)?;
            return Some(Site { name, call, whole: s.span, taker: Taker::Returned });
        }
        let Statement::Expression(Some(e)) = &s.node else { return None };
        if let Some((name, call)) = self.call(e) {
            return Some(Site { name, call, whole: s.span, taker: Taker::Nobody });
        }
        let E::BinaryOperator(b) = &e.node else { return None };
        let (name, call) = self.call(&b.node.rhs).filter(|_| b.node.operator.node == B::Assign)?;
        Some(Site { name, call, whole: s.span, taker: Taker::Assigned(&b.node.lhs) })
    }
}

impl<'a> Visit<'a> for Sites<'_, 'a> {
    fn visit_block_item(&mut self, i: &'a BlockItem, span: &'a Span) {
        let site = match i {
            BlockItem::Declaration(d) if self.is_several(d) => {
                self.found.push(Found::Several(d));
                return;
            }
            BlockItem::Declaration(d) => self.declaration(d),
            BlockItem::Statement(s) => self.statement(s),
            BlockItem::StaticAssert(_) => None,
        };
        let whole = site.as_ref().is_some_and(|s| s.whole.end > s.whole.start);
        self.found.extend(site.map(Found::Call));
        if !whole {
            visit_block_item(self, i, span);
        }
    }
}

/// A function in which calls are written out.
struct Caller<'t> {
    words: Words<'t>,
    globals: &'t FxHashSet<&'t str>,
    /// Words that stand in it.
    taken: FxHashSet<SmolStr>,
    /// Names that it declares.
    declared: FxHashSet<&'t str>,
    /// Names whose addresses it may take: what is called can change these.
    addressed: FxHashSet<&'t str>,
    /// Statements of the called function that return null: derivative code ends there.
    failures: Vec<Span>,
}

/// What stands in the place of a name of the called function.
type Names<'t> = FxHashMap<&'t str, Vec<SmolStr>>;

impl<'t> Caller<'t> {
    fn fresh(&mut self, name: &str) -> SmolStr {
        let mut own = SmolStr::from(name);
        let mut k = 2;
        while !self.taken.insert(own.clone()) {
            own = format_smolstr!("{name}_{k}");
            k += 1;
        }
        own
    }

    /// A call, written out; `None` where it stays a call.
    fn written_out(&mut self, m: &Maker<'t>, site: &Site<'t>) -> Option<Vec<Splice>> {
        if site.call.arguments.len() != m.parameters.len() {
            return None;
        }
        let body = &m.function.node.statement;
        let locals = declared_within(body);
        // What the called function means by a name must be what the calling one means.
        let own = |w: &str| locals.contains(&w) || m.parameters.iter().any(|(n, _)| *n == w);
        if self.words.within(body.span).map(|t| self.words.word(t)).any(|w| self.declared.contains(w) && !own(w)) {
            return None;
        }
        // What it returns has the type of the function.
        let function = &m.function.node;
        let plain = declared_depth(&function.declarator.node) == 0;
        let cast = number_type(self.words, &function.specifiers).filter(|_| plain);
        if cast.is_none() && !m.makes && !matches!(site.taker, Taker::Nobody) {
            return None;
        }
        self.failures.clone_from(&m.failures);
        let mut names: Names = FxHashMap::default();
        let mut out: Vec<Written> = Vec::new();
        self.parameters(m, site.call, &mut names, &mut out)?;
        let result = m.result.and_then(|e| match &uncast(e).node {
            E::Identifier(i) if locals.contains(&i.node.name.as_str()) => Some(i.node.name.as_str()),
            _ => None,
        });
        let renamed = self.result_name(m, site, result);
        for &l in &locals {
            if names.contains_key(l) {
                continue;
            }
            let own = match (&renamed, result) {
                (Some(n), Some(r)) if r == l => n.clone(),
                _ => self.fresh(l),
            };
            names.insert(l, vec![own]);
        }
        let dropped = matches!(site.taker, Taker::Assigned(_)).then_some(renamed.as_ref().and(result)).flatten();
        for item in &m.items {
            self.item(item, &names, dropped, &mut out);
        }
        if renamed.is_none()
            && let Some(e) = m.result
        {
            self.result(site.taker, e, (&names, cast.as_deref()), &mut out);
        }
        let mut list = vec![Splice { from: site.whole.start, to: site.whole.end, tokens: out }];
        if let Taker::Asked(call, asking) = site.taker {
            let mut value = Vec::new();
            let e = m.result?;
            if never(asking, call, e) {
                list[0].to = asking.span.end;
                return Some(list);
            }
            self.value(e, (&names, cast.as_deref()), &mut value);
            list.push(Splice { from: call.start, to: call.end, tokens: value });
        }
        Some(list)
    }

    /// What stands for the parameters of a called function, and what must stand before it for that; `None` where the call stays.
    fn parameters(&mut self, m: &Maker<'t>, call: &'t CallExpression, names: &mut Names<'t>, out: &mut Vec<Written>) -> Option<()> {
        let body = &m.function.node.statement;
        for (argument, &(name, parameter)) in call.arguments.iter().zip(&m.parameters) {
            let constant = !self.changes(body.span, name);
            let tokens: Vec<SmolStr> = self.words.within(argument.span).map(|t| self.words.word(t).into()).collect();
            if let Some(list) = self.in_place(parameter, tokens).filter(|_| constant && self.stays(argument)) {
                names.insert(name, list);
                continue;
            }
            let d = parameter.node.declarator.as_ref()?;
            if function_part(&d.node).is_some() {
                // A function is called by its own name.
                let E::Identifier(own) = &uncast(argument).node else { return None };
                if !constant || self.declared.contains(own.node.name.as_str()) || self.globals.contains(own.node.name.as_str()) {
                    return None;
                }
                names.insert(name, vec![own.node.name.as_str().into()]);
                continue;
            }
            let at = declared_name(&d.node)?.1;
            let fresh = self.fresh(name);
            names.insert(name, vec![fresh.clone()]);
            let array = declares_array(&d.node);
            if array && (declared_depth(&d.node) != 1 || !matches!(d.node.kind.node, lang_c::ast::DeclaratorKind::Identifier(_))) {
                return None;
            }
            // `double a[]` is a pointer.
            let end = if array { at + name.len() } else { parameter.span.end };
            for t in self.words.within(Span { start: parameter.span.start, end }) {
                let word = if t.start == at { fresh.clone() } else { self.words.word(t).into() };
                out.extend((array && t.start == at).then(|| Written { word: "*".into(), like: t.start }));
                out.push(Written { word, like: t.start });
            }
            let like = argument.span.start;
            out.push(Written { word: "=".into(), like });
            out.extend(self.words.within(argument.span).map(|t| Written { word: self.words.word(t).into(), like: t.start }));
            out.push(Written { word: ";".into(), like });
        }
        Some(())
    }

    /// What the called function's own result is called in the calling one, if that takes its place.
    fn result_name(&self, m: &Maker, site: &Site, result: Option<&str>) -> Option<SmolStr> {
        let result = result?;
        let taker = match site.taker {
            Taker::Declared(name, _) => name,
            Taker::Assigned(Node { node: E::Identifier(i), .. }) => &i.node.name,
            _ => return None,
        };
        // An argument may ask for what was there before.
        let asked = site.call.arguments.iter().any(|a| self.words.within(a.span).any(|t| self.words.word(t) == taker));
        let top = m.items.iter().any(|i| matches!(&i.node, BlockItem::Declaration(d) if declares(d, result)));
        (!asked && top).then(|| taker.into())
    }

    /// An item of the called function. `dropped`: the name whose declaration becomes an assignment.
    fn item(&self, item: &Node<BlockItem>, names: &Names, dropped: Option<&str>, out: &mut Vec<Written>) {
        let BlockItem::Declaration(d) = &item.node else { return self.tokens(item.span, names, out) };
        let Some(dropped) = dropped.filter(|n| declares(d, n)) else { return self.tokens(item.span, names, out) };
        for one in &d.node.declarators {
            let (name, at) = declared_name(&one.node.declarator.node).unwrap_or_default();
            let mut span = one.span;
            if name != dropped {
                d.node.specifiers.iter().for_each(|s| self.tokens(s.span, names, out));
            } else if one.node.initializer.is_some() {
                span.start = at;
            } else {
                continue;
            }
            self.tokens(span, names, out);
            out.push(Written { word: ";".into(), like: one.span.start });
        }
    }

    /// Tokens of the called function, with other names.
    fn tokens(&self, span: Span, names: &Names, out: &mut Vec<Written>) {
        let mut before = "";
        for t in self.words.within(span) {
            let word = self.words.word(t);
            if let Some(s) = self.failures.iter().find(|s| s.start <= t.start && t.end <= s.end) {
                let end = ["__builtin_abort", "(", ")", ";"].map(|w| Written { word: w.into(), like: t.start });
                out.extend(end.into_iter().filter(|_| s.start == t.start));
                continue;
            }
            let member = matches!(before, "." | "->" | "struct" | "union" | "enum");
            match names.get(word).filter(|_| !member) {
                Some(list) => out.extend(list.iter().map(|w| Written { word: w.clone(), like: t.start })),
                None => out.push(Written { word: word.into(), like: t.start }),
            }
            before = word;
        }
    }

    /// `w = v;`
    fn result(&self, taker: Taker, e: &Node<E>, as_what: (&Names, Option<&[SmolStr]>), out: &mut Vec<Written>) {
        let span = match taker {
            Taker::Declared(_, before) => before,
            Taker::Assigned(lhs) => lhs.span,
            Taker::Returned => Span::none(),
            Taker::Asked(..) | Taker::Nobody => return,
        };
        let like = e.span.start;
        if matches!(taker, Taker::Returned) {
            out.push(Written { word: "return".into(), like });
        } else {
            out.extend(self.words.within(span).map(|t| Written { word: self.words.word(t).into(), like: t.start }));
            out.push(Written { word: "=".into(), like });
        }
        self.value(e, as_what, out);
        out.push(Written { word: ";".into(), like });
    }

    /// What the called function returns, as one operand.
    fn value(&self, e: &Node<E>, (names, cast): (&Names, Option<&[SmolStr]>), out: &mut Vec<Written>) {
        let like = e.span.start;
        let put = |out: &mut Vec<Written>, words: &[SmolStr]| out.extend(words.iter().map(|w| Written { word: w.clone(), like }));
        put(out, &["(".into()]);
        put(out, cast.unwrap_or_default());
        put(out, &["(".into()]);
        self.tokens(e.span, names, out);
        put(out, &[")".into(), ")".into()]);
    }

    /// Whether a name may be set between these bytes, or its address taken.
    fn changes(&self, span: Span, name: &str) -> bool {
        let list: Vec<&str> = self.words.within(span).map(|t| self.words.word(t)).collect();
        list.iter().enumerate().any(|(k, w)| {
            let around = |d: isize| k.checked_add_signed(d).and_then(|k| list.get(k)).copied().unwrap_or_default();
            let sets = |w: &str| w.ends_with('=') && !matches!(w, "==" | "<=" | ">=" | "!=") || matches!(w, "++" | "--");
            *w == name && !matches!(around(-1), "." | "->") && (sets(around(1)) || matches!(around(-1), "&" | "++" | "--"))
        })
    }

    /// What stands for a parameter everywhere: a pointer as it is passed, a number as one of the parameter's type. Nothing for other types.
    fn in_place(&self, parameter: &Node<ParameterDeclaration>, argument: Vec<SmolStr>) -> Option<Vec<SmolStr>> {
        let around = |list: Vec<SmolStr>| ["(".into()].into_iter().chain(list).chain([")".into()]).collect::<Vec<SmolStr>>();
        if parameter.node.declarator.as_ref().is_some_and(|d| declared_depth(&d.node) > 0) {
            return Some(if argument.len() == 1 { argument } else { around(argument) });
        }
        let mut cast = number_type(self.words, &parameter.node.specifiers)?;
        cast.extend(around(argument));
        Some(around(cast))
    }

    /// Whether an argument is the same wherever it stands in the called function: a local variable or its address, or a constant.
    fn stays(&self, e: &Node<E>) -> bool {
        match &e.node {
            E::Constant(_) => true,
            E::Identifier(i) => {
                let name = i.node.name.as_str();
                self.declared.contains(name) && !self.globals.contains(name) && !self.addressed.contains(name)
            }
            E::UnaryOperator(u) => u.node.operator.node == U::Address && matches!(u.node.operand.node, E::Identifier(_)),
            _ => false,
        }
    }
}

/// `T *a = f(), *b;` as `T *a = f(); T *b;`
fn parted(words: Words, d: &Node<Declaration>) -> Splice {
    let mut tokens = Vec::new();
    let written = |t: &Token| Written { word: words.word(t).into(), like: t.start };
    for one in &d.node.declarators {
        for s in &d.node.specifiers {
            tokens.extend(words.within(s.span).map(written));
        }
        tokens.extend(words.within(one.span).map(written));
        tokens.push(Written { word: ";".into(), like: one.span.start });
    }
    Splice { from: d.span.start, to: d.span.end, tokens }
}

/// Whether a statement asks for what a call returns, which is always the same, and does nothing then.
fn never(s: &Node<Statement>, call: Span, result: &Node<E>) -> bool {
    let Statement::If(i) = &s.node else { return false };
    i.node.else_statement.is_none() && worth(&i.node.condition, call, worth(result, Span::none(), None)) == Some(0)
}

/// An integer that the text alone tells, where a call returns one.
fn worth(e: &Node<E>, call: Span, returned: Option<i64>) -> Option<i64> {
    let inner = |e: &Node<E>| worth(e, call, returned);
    if returned.is_some() && e.span == call {
        return returned;
    }
    match &e.node {
        E::Constant(c) => match &c.node {
            Constant::Integer(n) => n.number.parse().ok().filter(|_| n.base == IntegerBase::Decimal),
            _ => None,
        },
        E::UnaryOperator(u) => match u.node.operator.node {
            U::Negate => inner(&u.node.operand).map(|n| i64::from(n == 0)),
            U::Minus => inner(&u.node.operand).map(|n| -n),
            _ => None,
        },
        E::BinaryOperator(b) => {
            let (x, y) = (inner(&b.node.lhs)?, inner(&b.node.rhs)?);
            Some(i64::from(match b.node.operator.node {
                B::Equals => x == y,
                B::NotEquals => x != y,
                B::Less => x < y,
                B::LessOrEqual => x <= y,
                B::Greater => x > y,
                B::GreaterOrEqual => x >= y,
                _ => return None,
            }))
        }
        _ => None,
    }
}

/// The part of a condition that is evaluated before all others, whatever they are.
fn evaluated_first(e: &Node<E>) -> &Node<E> {
    match &e.node {
        E::UnaryOperator(u) if u.node.operator.node == U::Negate => evaluated_first(&u.node.operand),
        E::BinaryOperator(b) => match b.node.operator.node {
            B::Equals | B::NotEquals | B::Less | B::LessOrEqual | B::Greater | B::GreaterOrEqual => {
                let constant = matches!(uncast(&b.node.rhs).node, E::Constant(_) | E::Identifier(_));
                if constant { evaluated_first(&b.node.lhs) } else { e }
            }
            B::LogicalAnd | B::LogicalOr => evaluated_first(&b.node.lhs),
            _ => e,
        },
        _ => e,
    }
}

/// `(T)` for specifiers that are of a number that C has by itself.
fn number_type(words: Words, specifiers: &[Node<DeclarationSpecifier>]) -> Option<Vec<SmolStr>> {
    let mut out: Vec<SmolStr> = vec!["(".into()];
    for s in specifiers {
        match &s.node {
            DeclarationSpecifier::TypeSpecifier(t) if is_number(&t.node) => out.extend(words.within(s.span).map(|t| words.word(t).into())),
            DeclarationSpecifier::TypeSpecifier(_) => return None,
            _ => {}
        }
    }
    out.push(")".into());
    (out.len() > 2).then_some(out)
}

/// Words of numbers that C has by itself.
fn is_number(t: &TypeSpecifier) -> bool {
    use TypeSpecifier as T;
    matches!(t, T::Char | T::Short | T::Int | T::Long | T::Float | T::Double | T::Signed | T::Unsigned | T::Bool)
}

/// Whether a declaration declares a name.
fn declares(d: &Node<Declaration>, name: &str) -> bool {
    d.node.declarators.iter().any(|i| declared_name(&i.node.declarator.node).is_some_and(|(n, _)| n == name))
}

//! Declarations of a unit or a module, in an order in which nothing is used before it is declared.
//!
//! Lives here: types, attributes, bounds, initial values, COMMON. Never here: headers of units, statements.

use super::expressions::Writer;
use super::layout::Line;
use super::{exchanges, imports, problems, tables, types};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use xaif::model::{BaseType, Bound, Dim, Expr, Formal, Intent, NodeKind, Passing, Storage, Symbol, SymbolId, SymbolKind};

/// Entities that one declaration lists: the language bounds the number of continuation lines.
pub const MAX_ENTITIES: usize = 100;

/// A declared entity: what stands before `::` and what behind.
#[derive(Clone, Debug)]
enum Entry {
    Entity { prefix: String, declarator: String, comment: String },
    Line(String),
}

/// Puts declarations in order.
pub struct Declarations<'w, 'c, 'p> {
    /// Expressions and names.
    pub w: &'w mut Writer<'c, 'p>,
    /// The unit's arguments.
    pub formals: &'w [Formal],
    /// Declarations stand in a module, not in a procedure.
    pub in_module: bool,
    /// What is named outside of the module, whatever the original's access is.
    pub shown: BTreeSet<SymbolId>,
    /// Everything that is to be declared.
    pub wanted: Vec<SymbolId>,
    /// Members of derivative COMMON blocks, as declared: block and (symbol, name of a filler).
    pub commons: Vec<(String, Vec<Member>)>,
    member: FxHashSet<SymbolId>,
    by_name: FxHashMap<String, SymbolId>,
    done: FxHashSet<SymbolId>,
    entries: Vec<Entry>,
}

/// A member of a COMMON block.
#[derive(Clone, Debug, PartialEq)]
pub enum Member {
    /// A variable of the unit.
    Own(SymbolId),
    /// A place that the unit does not use: its name, and the variable after which it is made.
    Filler(String, SymbolId),
}

impl<'w, 'c, 'p> Declarations<'w, 'c, 'p> {
    /// Nothing declared yet.
    pub fn new(w: &'w mut Writer<'c, 'p>, formals: &'w [Formal], in_module: bool, wanted: Vec<SymbolId>) -> Declarations<'w, 'c, 'p> {
        let member = wanted.iter().copied().collect();
        let by_name = wanted.iter().map(|&s| (w.cx.program.symbol(s).name.to_ascii_lowercase(), s)).collect();
        Declarations {
            w,
            formals,
            in_module,
            shown: BTreeSet::new(),
            wanted,
            commons: Vec::new(),
            member,
            by_name,
            done: FxHashSet::default(),
            entries: Vec::new(),
        }
    }

    fn symbol(&self, s: SymbolId) -> &'p Symbol {
        self.w.cx.program.symbol(s)
    }

    /// The named constants.
    pub fn constants(&mut self, indent: usize) -> Vec<Line> {
        for s in self.wanted.clone() {
            // Those of a derived type stand behind its definition.
            if *self.symbol(s).storage() == Storage::Constant && self.symbol(s).ty.base != BaseType::Opaque {
                self.declare(s, 0);
            }
        }
        self.take(indent, false)
    }

    /// The arguments, in their order.
    pub fn arguments(&mut self, indent: usize) -> Vec<Line> {
        for f in self.formals {
            self.declare(f.symbol, 0);
        }
        self.take(indent, false)
    }

    /// All else.
    pub fn others(&mut self, indent: usize) -> Vec<Line> {
        for s in self.wanted.clone() {
            self.declare(s, 0);
        }
        let group = !self.in_module;
        self.take(indent, group)
    }

    /// Declares a symbol behind everything that its declaration needs.
    fn declare(&mut self, s: SymbolId, depth: usize) {
        let s = self.w.cx.component(s).map_or(s, |(base, _)| base);
        let symbol = self.symbol(s);
        if symbol.kind == SymbolKind::Subroutine
            || !self.member.contains(&s)
            || !self.done.insert(s)
            || self.w.cx.is_brought_in(self.w.unit, s)
        {
            return;
        }
        if depth > 100 {
            let cx = self.w.cx;
            return cx.refuse(problems::too_large(cx.program, symbol.span, &format!("the declaration of `{}`", symbol.name)));
        }
        for needed in self.needs(symbol) {
            self.declare(needed, depth + 1);
        }
        if let Storage::Common(block) = symbol.storage() {
            return self.common(s, block, depth);
        }
        let entry = self.entity(s, None);
        self.entries.push(entry);
    }

    fn needs(&self, symbol: &Symbol) -> Vec<SymbolId> {
        let mut found = Vec::new();
        let Some(d) = &symbol.decl else { return found };
        d.bound_exprs().chain(&d.init).for_each(|e| e.for_each_ref(&mut |r| found.push(r.symbol)));
        let mut words: Vec<String> =
            [&d.type_text, &d.init_text].iter().flat_map(|t| super::uses::identifiers(t)).map(str::to_owned).collect();
        if d.type_text.is_empty()
            && let Some(t) = self.w.spellings.of_type(symbol.ty)
        {
            words.extend(super::uses::identifiers(&t).map(str::to_owned));
        }
        let kinds = |e: &Expr| -> Vec<String> {
            let suffix = |n: &xaif::model::Node| match &n.kind {
                NodeKind::Const(c) => c.spelling.split_once('_').map(|(_, k)| k.to_owned()),
                NodeKind::Op(op) => types::kind_of_conversion(&op.spelling).map(str::to_owned),
                _ => None,
            };
            e.nodes.iter().filter_map(suffix).collect()
        };
        if let Some(e) = &d.init {
            words.extend(kinds(e));
        }
        found.extend(words.iter().filter_map(|w| self.by_name.get(&w.to_ascii_lowercase()).copied()));
        found
    }

    /// All variables of a COMMON block, and the statement that makes them one.
    fn common(&mut self, s: SymbolId, block: &str, depth: usize) {
        let scope = self.symbol(s).scope;
        let program = self.w.cx.program;
        let planned = self.commons.iter().find(|(_, m)| m.contains(&Member::Own(s))).cloned();
        let (name, members) = planned.unwrap_or_else(|| {
            let same = |m: &&SymbolId| matches!(program.symbol(**m).storage(), Storage::Common(b) if b == block);
            let members = program.scope(scope).symbols.iter().filter(same).map(|&m| Member::Own(m)).collect();
            (block.to_owned(), members)
        });
        let mut names = Vec::new();
        for member in &members {
            match member {
                Member::Own(m) => {
                    self.done.insert(*m);
                    for needed in self.needs(self.symbol(*m)) {
                        self.declare(needed, depth + 1);
                    }
                    let entry = self.entity(*m, None);
                    self.entries.push(entry);
                    names.push(self.w.name(*m));
                }
                Member::Filler(filler, model) => {
                    for needed in self.needs(self.symbol(*model)) {
                        self.declare(needed, depth + 1);
                    }
                    let entry = self.entity(*model, Some(filler));
                    self.entries.push(entry);
                    names.push(filler.clone());
                }
            }
        }
        let slashes = if name.is_empty() { String::new() } else { format!("/{name}/ ") };
        self.entries.push(Entry::Line(format!("common {slashes}{}", names.join(", "))));
    }

    /// One declared entity, perhaps under another name.
    fn entity(&mut self, s: SymbolId, name: Option<&str>) -> Entry {
        let symbol = self.symbol(s);
        // A structure is changed where a component is.
        let cx = self.w.cx;
        let inside = |f: &&Formal| cx.component(f.symbol).is_some_and(|(b, _)| b == s);
        let own = self.formals.iter().find(|f| f.symbol == s).or_else(|| self.formals.iter().find(inside));
        let changed = own.is_some_and(|own| self.formals.iter().filter(inside).any(|f| f.intent != own.intent));
        let widened = own.filter(|f| changed && f.intent_declared).map(|f| Formal { intent: Intent::Inout, ..f.clone() });
        let formal = widened.as_ref().or(own);
        self.w.span = if symbol.span.is_known() { symbol.span } else { self.w.span };
        let mut prefix = self.type_text(symbol);
        for a in self.attributes(s, symbol, formal) {
            prefix.push_str(", ");
            prefix.push_str(&a);
        }
        let mut declarator = name.map_or_else(|| self.w.name(s), str::to_owned);
        match exchanges::rank_of_kept(cx.program, cx.exchanges(self.w.unit), s) {
            Some(rank) => {
                prefix.push_str(", allocatable");
                declarator.push_str(&format!("({})", vec![":"; rank.into()].join(", ")));
            }
            None => declarator.push_str(&self.dimensions(symbol, formal)),
        }
        if !matches!(symbol.storage(), Storage::Common(_)) {
            declarator.push_str(&self.initial(symbol));
        }
        Entry::Entity { prefix, declarator, comment: symbol.decl.as_ref().map_or(String::new(), |d| d.comment.to_string()) }
    }

    /// The type of a symbol: the source's spelling where it is Fortran's.
    pub fn type_text(&mut self, symbol: &Symbol) -> String {
        let cx = self.w.cx;
        if !cx.foreign
            && let Some(t) = symbol.decl.as_ref().and_then(|d| types::source_spelling(&d.type_text))
        {
            if self.names_hidden_kind(&t)
                && let Some(spelled) = self.w.spellings.of_type(symbol.ty)
            {
                return spelled;
            }
            let derived = ["type", "class"].iter().any(|w| t.to_ascii_lowercase().starts_with(w));
            if derived && !self.w.cx.beside_text && !self.type_is_imported(&t) {
                let what = format!("the derived type `{t}` without its definition");
                let reason = "definitions of derived types are part of the original text, which the program does not carry";
                cx.refuse(problems::no_counterpart(cx.program, symbol.span, what, reason));
            }
            // Only what somebody else provides can have a type that extends the declared one.
            let own = *symbol.storage() == Storage::Local && !symbol.has_attribute("allocatable") && !symbol.has_attribute("pointer");
            return match t.get(..5) {
                Some(w) if derived && own && w.eq_ignore_ascii_case("class") => format!("type{}", &t[5..]),
                _ => t,
            };
        }
        if cx.foreign && symbol.ty.base == BaseType::Integer && symbol.ty.bits < 32 && symbol.has_attribute("unsigned") {
            let what = format!("the unsigned variable `{}` of {} bits", symbol.name, symbol.ty.bits);
            cx.refuse(problems::no_counterpart(cx.program, symbol.span, what, "Fortran has no unsigned integers, which wrap around"));
        }
        match self.w.spellings.of_type(symbol.ty) {
            Some(t) => t,
            None => {
                let spelled = symbol.decl.as_ref().map_or("", |d| d.type_text.as_str());
                let what = format!("the type `{spelled}` of `{}`", symbol.name);
                cx.refuse(problems::no_counterpart(cx.program, symbol.span, what, "it is neither real, integer nor logical"));
                "real".into()
            }
        }
    }

    /// A kind in the text is a constant of a module that is not seen here: the variable is a copy of one of that module.
    fn names_hidden_kind(&self, text: &str) -> bool {
        let (cx, unit) = (self.w.cx, self.w.unit);
        let program = cx.program;
        let seen = |scope| cx.chain(scope).collect::<Vec<_>>();
        let (u, origin) = (program.unit(unit), program.unit(unit).derivation.map(|d| program.unit(d.of).scope));
        let around: Vec<_> = seen(u.scope).into_iter().chain(origin.into_iter().flat_map(seen)).collect();
        let in_force = cx.uses_in_force(unit);
        let named = |scope, word: &str| {
            let mut table = program.scope(scope).symbols.iter().copied();
            table.find(|&k| program.symbol(k).name.eq_ignore_ascii_case(word))
        };
        let modules = || program.unit_ids().filter(|&m| program.unit(m).is_container());
        // A module that the program does not have, or that hands on what it gets from others, may bring in anything.
        let open = |used: &imports::Use| {
            let module = modules().find(|&m| program.unit_name(m).eq_ignore_ascii_case(&used.module));
            !used.only && module.is_none_or(|m| cx.import_lines(m).iter().any(|l| imports::parse_use(l).is_some()))
        };
        let words = super::uses::identifiers(text).skip(1).filter(|w| !w.eq_ignore_ascii_case("kind"));
        words.into_iter().any(|word| {
            let known = around.iter().any(|&s| named(s, word).is_some());
            let brought = in_force.iter().any(|used| open(used) || used.names.iter().any(|(l, _)| l.eq_ignore_ascii_case(word)));
            let homes: Vec<_> = modules().filter_map(|m| Some((m, named(program.unit(m).scope, word)?))).collect();
            let seen = |&(m, k): &(_, SymbolId)| {
                imports::local_name(&in_force, program.unit_name(m), word).is_some() && !super::splice::is_private(cx, m, k)
            };
            !known && !brought && !homes.is_empty() && !homes.iter().any(seen)
        })
    }

    /// The imports of the unit mention the type's name.
    fn type_is_imported(&self, text: &str) -> bool {
        let words: Vec<&str> = super::uses::identifiers(text).skip(1).collect();
        let imports = self.w.cx.import_lines(self.w.unit).iter();
        let mut found = imports.flat_map(|l| super::uses::identifiers(l));
        found.any(|w| words.iter().any(|n| n.eq_ignore_ascii_case(w)))
    }

    fn attributes(&self, s: SymbolId, symbol: &Symbol, formal: Option<&Formal>) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        let has = |a: &str| symbol.has_attribute(a);
        if *symbol.storage() == Storage::Constant {
            out.push("parameter".into());
            if self.in_module && has("private") {
                out.push("private".into());
            }
            return out;
        }
        let is_result = formal.is_some_and(|f| f.result);
        if let Some(f) = formal.filter(|f| !f.result) {
            let value = symbol.passing() == Passing::Value;
            if value {
                out.push("value".into());
            }
            if f.intent_declared && !(value && f.intent != Intent::In) && !(value && self.w.cx.foreign) {
                let intent = match f.intent {
                    Intent::In => "in",
                    Intent::Out => "out",
                    Intent::Inout => "inout",
                };
                out.push(format!("intent({intent})"));
            }
        }
        let deferred = has("heap") || (symbol.rank > 0 && formal.is_none() && self.open(symbol));
        for a in
            ["allocatable", "pointer", "target", "optional", "contiguous", "volatile", "asynchronous", "private", "public", "protected"]
        {
            let module_only = matches!(a, "private" | "public" | "protected");
            let formal_only = a == "optional";
            if a == "private" && self.shown.contains(&s) {
                continue;
            }
            if has(a) && (!module_only || self.in_module) && (!formal_only || formal.is_some_and(|f| !f.result)) {
                out.push(a.into());
            }
        }
        if deferred && !has("allocatable") && !has("pointer") {
            out.push("allocatable".into());
        }
        let saved = *symbol.storage() == Storage::Static || (has("save") && formal.is_none());
        if saved && !is_result && !self.in_module {
            out.push("save".into());
        }
        out
    }

    /// True where some upper bound is not known.
    fn open(&self, symbol: &Symbol) -> bool {
        match &symbol.decl {
            Some(d) if !d.dims.is_empty() => d.dims.iter().any(|d| d.upper == Bound::Unknown),
            _ => symbol.bounds.is_empty(),
        }
    }

    /// `(n, 0:m)`
    fn dimensions(&mut self, symbol: &Symbol, formal: Option<&Formal>) -> String {
        if symbol.rank == 0 {
            return String::new();
        }
        let program = self.w.cx.program;
        let mut dims: Vec<Dim> = symbol.decl.as_ref().map_or(Vec::new(), |d| d.dims.clone());
        if dims.is_empty() {
            let number = |n: i64| Bound::Expr(Expr::int(n));
            dims = symbol.bounds.iter().map(|&(l, u)| Dim { lower: number(l), upper: number(u) }).collect();
            if !self.w.cx.row {
                dims.reverse(); // stock files list the slowest dimension first
            }
        }
        dims.resize(usize::from(symbol.rank), Dim::default());
        if self.w.cx.row {
            dims.reverse();
        }
        let has = |a: &str| symbol.has_attribute(a);
        let deferred = has("allocatable") || has("pointer") || has("heap") || (formal.is_none() && self.open(symbol));
        let last = dims.len() - 1;
        let only_last_open = dims[..last].iter().all(|d| d.upper != Bound::Unknown);
        let described = symbol.passing() == Passing::Descriptor || !only_last_open;
        if described && formal.is_some() && !deferred && self.w.cx.foreign {
            let what = format!("the array `{}`", symbol.name);
            let cx = self.w.cx;
            cx.refuse(problems::no_counterpart(program, symbol.span, what, "an extent other than the first is not known"));
        }
        let constant = *symbol.storage() == Storage::Constant;
        let mut texts = Vec::with_capacity(dims.len());
        for (i, d) in dims.iter().enumerate() {
            if deferred {
                texts.push(":".to_owned());
                continue;
            }
            let lower = match &d.lower {
                Bound::Expr(e) if e.as_int() != Some(1) => format!("{}:", self.w.plain(e)),
                _ => String::new(),
            };
            texts.push(match &d.upper {
                Bound::Expr(e) => format!("{lower}{}", self.w.plain(e)),
                Bound::Unknown if described => {
                    if lower.is_empty() {
                        ":".into()
                    } else {
                        lower
                    }
                }
                Bound::Unknown if i == last || constant => format!("{lower}*"),
                Bound::Unknown => ":".into(),
            });
        }
        format!("({})", texts.join(", "))
    }

    /// ` = value`
    fn initial(&mut self, symbol: &Symbol) -> String {
        let cx = self.w.cx;
        let Some(d) = &symbol.decl else { return String::new() };
        if !matches!(d.storage, Storage::Constant | Storage::Static | Storage::Global | Storage::Local) {
            return String::new();
        }
        // A local's first value is an assignment in C; in Fortran it makes the variable a saved one.
        if d.storage == Storage::Local && (cx.foreign || d.derivative_of.is_some()) {
            return String::new();
        }
        if !d.init_text.is_empty() && !cx.foreign {
            let sign = if symbol.has_attribute("pointer") { "=>" } else { "=" };
            return format!(" {sign} {}", d.init_text.trim());
        }
        if let Some(e) = &d.init {
            let from = xaif::types::of(cx.program, e).elem;
            let before = std::mem::replace(&mut self.w.no_prelude, true);
            let p = self.w.expr(e);
            let p = self.w.assigned(p, from, symbol.ty);
            self.w.no_prelude = before;
            return format!(" = {}", p.text);
        }
        if d.init_text.is_empty() {
            if d.storage == Storage::Constant {
                cx.refuse(problems::malformed(cx.program, symbol.span, format!("the named constant `{}` has no value", symbol.name)));
            }
            return String::new();
        }
        match tables::from_braces(&d.init_text, symbol) {
            Some(text) => format!(" = {text}"),
            None => {
                let what = format!("the initial value `{}` of `{}`", d.init_text, symbol.name);
                cx.refuse(problems::no_counterpart(cx.program, symbol.span, what, "only complete tables of numbers are translated"));
                String::new()
            }
        }
    }

    /// The entries as lines; entities with the same prefix are put together, next to each other or (`group`) all of them.
    fn take(&mut self, indent: usize, group: bool) -> Vec<Line> {
        let mut out: Vec<(Option<String>, Vec<String>, String)> = Vec::new();
        // Where the last line with a prefix is that more entities can join.
        let mut open: FxHashMap<String, usize> = FxHashMap::default();
        for entry in std::mem::take(&mut self.entries) {
            match entry {
                Entry::Line(text) => out.push((None, vec![text], String::new())),
                Entry::Entity { prefix, declarator, comment } => {
                    let alone = declarator.contains(" = ") || !comment.is_empty();
                    let found =
                        open.get(&prefix).copied().filter(|&at| !alone && (group || at + 1 == out.len()) && out[at].1.len() < MAX_ENTITIES);
                    match found {
                        Some(at) => out[at].1.push(declarator),
                        None => {
                            if !alone {
                                open.insert(prefix.clone(), out.len());
                            }
                            out.push((Some(prefix), vec![declarator], comment));
                        }
                    }
                }
            }
        }
        let mut lines = Vec::new();
        // What stands over a list of entities is said once, with the first of them that is declared.
        let mut said: FxHashSet<String> = FxHashSet::default();
        for (prefix, list, comment) in out {
            if said.insert(comment.clone()) {
                lines.extend(super::layout::comment(indent, &comment));
            }
            lines.push(Line::code(
                indent,
                match prefix {
                    Some(p) => format!("{p} :: {}", list.join(", ")),
                    None => list.join(", "),
                },
            ));
        }
        lines
    }
}

//! Declarations of a unit or a module, in an order in which nothing is used before it is declared.
//!
//! Lives here: the order, entities with the same head, COMMON. Never here: headers of units, statements.

use crate::unparse::expressions::writer::Writer;
use crate::unparse::facts::uses;
use crate::unparse::language::types;
use crate::unparse::nesting::exchanges;
use crate::unparse::text::layout::{self, Line};
use crate::unparse::text::problems;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use xaif::model::{BaseType, Expr, Formal, Intent, NodeKind, Storage, Symbol, SymbolId, SymbolKind};

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
        let mut words: Vec<String> = [&d.type_text, &d.init_text].iter().flat_map(|t| uses::identifiers(t)).map(str::to_owned).collect();
        if d.type_text.is_empty()
            && let Some(t) = self.w.spellings.of_type(symbol.ty)
        {
            words.extend(uses::identifiers(&t).map(str::to_owned));
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
        // What a pointer in it leads to is no part of it.
        let part = |f: &&Formal| inside(f) && !self.symbol(f.symbol).has_attribute("pointer");
        let changed = own.is_some_and(|own| self.formals.iter().filter(part).any(|f| f.intent != own.intent));
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
                lines.extend(layout::comment(indent, &comment));
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

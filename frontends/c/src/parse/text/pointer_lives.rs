//! Local pointers with several lives, read as if each had a name of its own, declared where it begins.
//!
//! ```text
//! struct point *p;                                      for (k = 0; k < n; k++) {
//! for (k = 0; k < n; k++) {                               struct point *p = &m->point[k];
//!   p = &m->point[k];                            ->       ...
//!   ...                                                 }
//! }                                                     for (k = 0; k < n; k++) {
//! for (k = 0; k < n; k++) {                               struct point *p_2 = &q->point[k];
//!   p = &q->point[k];                                     ...
//! ```
//!
//! A pointer that is written like this has one target in each life, where the declaration alone has many. Lives here: the syntax tree, changed before anything
//! looks at it; all that is put together keeps its place. Never here: which assignments belong together (see `pointer_webs`), what pointers mean.

use super::expressions_mut;
use super::pointer_webs::{Occurrence, Path, Pointer, Webs, webs};
use super::syntax::{declared_name, has_storage};
use lang_c::ast::{
    BinaryOperator as B, BlockItem, Declaration, DeclarationSpecifier, Declarator, DeclaratorKind, DerivedDeclarator, Expression as E,
    ExternalDeclaration, FunctionDefinition, Identifier, InitDeclarator, Initializer, Statement, StorageClassSpecifier as Storage,
    TranslationUnit, TypeSpecifier,
};
use lang_c::span::{Node, Span};
use rustc_hash::FxHashSet;
use smol_str::{SmolStr, format_smolstr};
use std::collections::BTreeMap;

/// Gives each life of a local pointer a declaration of its own. `words`: names that are taken.
pub(crate) fn settle(tree: &mut TranslationUnit, words: &mut FxHashSet<SmolStr>) {
    let types = pointer_types(tree);
    for item in &mut tree.0 {
        let ExternalDeclaration::FunctionDefinition(f) = &mut item.node else { continue };
        let Some(found) = webs(&f.node, &types) else { continue };
        let mut lives = lives(&found, words);
        // What is put in front of an item moves those behind it.
        lives.sort_by_key(|l| std::cmp::Reverse(l.item));
        let begun: Vec<bool> = lives.iter().map(|l| begin(&mut f.node, l)).collect();
        if begun.iter().all(|b| *b) {
            let over: FxHashSet<usize> = lives.iter().filter(|l| l.is_last).map(|l| l.declared).collect();
            in_blocks(&mut f.node.statement, &mut |items| forget(items, &over));
        }
    }
}

/// Names of types that are pointers to something.
fn pointer_types(tree: &TranslationUnit) -> FxHashSet<SmolStr> {
    let mut out = FxHashSet::default();
    for item in &tree.0 {
        let ExternalDeclaration::Declaration(d) = &item.node else { continue };
        if !has_storage(&d.node.specifiers, Storage::Typedef) {
            continue;
        }
        let named = |s: &Node<DeclarationSpecifier>| matches!(&s.node, DeclarationSpecifier::TypeSpecifier(t) if matches!(&t.node, TypeSpecifier::TypedefName(n) if out.contains(n.node.name.as_str())));
        let typed = usize::from(d.node.specifiers.iter().any(named));
        let mut names = Vec::new();
        for i in &d.node.declarators {
            let d = &i.node.declarator.node;
            let plain = matches!(d.kind.node, DeclaratorKind::Identifier(_))
                && d.derived.iter().all(|p| matches!(p.node, DerivedDeclarator::Pointer(_)));
            if plain && d.derived.len() + typed == 1 {
                names.extend(declared_name(d).map(|(n, _)| SmolStr::from(n)));
            }
        }
        out.extend(names);
    }
    out
}

/// One life of a pointer.
struct Life {
    /// Where the pointer is declared so far.
    declared: usize,
    /// Nothing is left for that declaration.
    is_last: bool,
    name: SmolStr,
    /// The bytes of its occurrences.
    places: Vec<usize>,
    /// The assignment that comes first in the text.
    first: usize,
    block: usize,
    item: usize,
}

/// The lives that get declarations.
fn lives(webs: &Webs, words: &mut FxHashSet<SmolStr>) -> Vec<Life> {
    let mut out = Vec::new();
    for (v, pointer) in webs.pointers.iter().enumerate() {
        let in_expressions = || webs.definitions.iter().enumerate().any(|(d, &(p, _, first))| p == v && !first && !webs.plain.contains(&d));
        if pointer.address || in_expressions() || takes_turns(webs, &pointer.name) {
            continue;
        }
        let mut by_web: BTreeMap<usize, Vec<&Occurrence>> = BTreeMap::new();
        for o in webs.occurrences.iter().filter(|o| o.pointer == v) {
            by_web.entry(webs.web(o.definition)).or_default().push(o);
        }
        let of_declaration = webs.definitions.iter().position(|&(p, _, d)| d && p == v).map(|d| webs.web(d));
        let stays = of_declaration.is_some_and(|w| by_web.contains_key(&w));
        let several = by_web.len() > 1;
        let groups: Vec<_> = by_web.into_iter().filter(|(w, _)| Some(*w) != of_declaration).map(|(_, o)| o).collect();
        let late = |g: &[&Occurrence]| comes_later(webs, pointer, g);
        let of_member = |g: &[&Occurrence]| g.iter().any(|o| webs.of_members.contains(&o.definition));
        if !several && !pointer.to_structure && !groups.iter().any(|g| late(g) || of_member(g)) {
            continue;
        }
        let count = groups.len();
        for (k, group) in groups.into_iter().enumerate() {
            let Some(((block, item), first)) = common(&group).zip(first_assignment(webs, v, &group)) else { continue };
            let own = !stays && k == 0;
            let name = if own { pointer.name.clone() } else { fresh(&pointer.name, words) };
            let is_last = k + 1 == count && !stays && !pointer.measured;
            let places = group.iter().map(|o| o.at).collect();
            out.push(Life { declared: pointer.declared, is_last, name, places, first, block, item });
        }
    }
    out
}

/// Whether a pointer gets its own value back by way of others: what exchanges targets is understood as a whole (see `facts::pointer_exchanges`).
fn takes_turns(webs: &Webs, name: &SmolStr) -> bool {
    let (mut seen, mut todo) = (FxHashSet::default(), vec![name]);
    while let Some(n) = todo.pop() {
        for (_, from) in webs.copies.iter().filter(|(to, _)| to == n) {
            if from == name {
                return true;
            }
            if seen.insert(from) {
                todo.push(from);
            }
        }
    }
    false
}

/// Whether something that a life's targets name is declared behind the pointer.
fn comes_later(webs: &Webs, pointer: &Pointer, group: &[&Occurrence]) -> bool {
    let names = |o: &&&Occurrence| webs.named.get(&o.definition).into_iter().flatten();
    let later = |n: &SmolStr| webs.declared.get(n).is_some_and(|&at| at > pointer.declared);
    group.iter().flat_map(|o| names(&o)).any(later)
}

/// The assignment of a life that comes first in the text.
fn first_assignment(webs: &Webs, v: usize, group: &[&Occurrence]) -> Option<usize> {
    let assigned = |at: usize| webs.definitions.iter().any(|&(p, place, d)| p == v && place == at && !d);
    group.iter().map(|o| o.at).filter(|&at| assigned(at)).min()
}

/// The innermost block around all occurrences, and the first item of it that has one.
fn common(group: &[&Occurrence]) -> Option<(usize, usize)> {
    let depth = |a: &Path, b: &Path| a.iter().zip(b).take_while(|(x, y)| x.0 == y.0).count();
    let first = &group.first()?.path;
    let n = group.iter().map(|o| depth(first, &o.path)).min()?;
    // Blocks that both are in, but not the same item of an outer one, cannot be.
    let block = first.get(n.checked_sub(1)?)?.0;
    let item = group.iter().filter_map(|o| o.path.get(n - 1)).map(|p| p.1).min()?;
    Some((block, item))
}

fn fresh(name: &str, words: &mut FxHashSet<SmolStr>) -> SmolStr {
    let found = (2..).map(|k| format_smolstr!("{name}_{k}")).find(|n| !words.contains(n));
    let name = found.unwrap_or_else(|| name.into());
    words.insert(name.clone());
    name
}

/// Declares a life where it begins. False where the declaration of the pointer is not found.
fn begin(f: &mut FunctionDefinition, life: &Life) -> bool {
    let mut pattern = None;
    in_blocks(&mut f.statement, &mut |items| {
        for i in items.iter() {
            if let BlockItem::Declaration(d) = &i.node
                && let Some(k) = declares(&d.node, life.declared)
            {
                pattern = Some((d.clone(), k));
            }
        }
    });
    let Some((pattern, k)) = pattern else { return false };
    expressions_mut::in_function(f, &mut |e| {
        if let E::Identifier(i) = &mut e.node
            && life.places.contains(&i.span.start)
        {
            i.node.name = life.name.to_string();
        }
    });
    // Comments and pragmas belong to the statement: `whole` is its place.
    let declaration = |init: Option<Node<Initializer>>, at: Span, whole: Span| {
        let mut declarator = pattern.node.declarators[k].node.declarator.clone();
        declarator.span = at;
        rename(&mut declarator.node, &life.name, at);
        let one = Node::new(InitDeclarator { declarator, initializer: init }, at);
        Node::new(Declaration { specifiers: pattern.node.specifiers.clone(), declarators: vec![one] }, whole)
    };
    let mut begun = false;
    in_statements(&mut f.statement, &mut |s| {
        let begins = s.span.start == life.block && !begun;
        let Statement::Compound(items) = &mut s.node else { return };
        let Some(item) = items.get_mut(life.item).filter(|_| begins) else { return };
        begun = true;
        let whole = item.span;
        if let Some((place, value)) = plain_assignment(item, life.first) {
            let init = Node::new(Initializer::Expression(Box::new(value.clone())), value.span);
            item.node = BlockItem::Declaration(declaration(Some(init), place, whole));
        } else {
            let place = Span { start: life.first, end: life.first + 1 };
            let before = Span { start: whole.start, end: whole.start };
            items.insert(life.item, Node::new(BlockItem::Declaration(declaration(None, place, before)), before));
        }
    });
    begun
}

/// The place of the name and the value, where an item is this assignment and nothing else.
fn plain_assignment(item: &Node<BlockItem>, first: usize) -> Option<(Span, Node<E>)> {
    let BlockItem::Statement(s) = &item.node else { return None };
    let Statement::Expression(Some(e)) = &s.node else { return None };
    let E::BinaryOperator(b) = &e.node else { return None };
    let E::Identifier(i) = &b.node.lhs.node else { return None };
    let ours = b.node.operator.node == B::Assign && i.span.start == first;
    ours.then(|| (i.span, (*b.node.rhs).clone()))
}

fn rename(d: &mut Declarator, name: &str, at: Span) {
    if let DeclaratorKind::Identifier(i) = &mut d.kind.node {
        *i = Node::new(Identifier { name: name.to_owned() }, at);
    }
}

/// The number of the declarator with its name at this byte.
fn declares(d: &Declaration, at: usize) -> Option<usize> {
    d.declarators.iter().position(|i| declared_name(&i.node.declarator.node).is_some_and(|(_, place)| place == at))
}

/// Takes back declarations that nothing needs any more. The number of items stays.
fn forget(items: &mut [Node<BlockItem>], over: &FxHashSet<usize>) {
    for item in items {
        let BlockItem::Declaration(d) = &mut item.node else { continue };
        let before = d.node.declarators.len();
        let is_over = |i: &Node<InitDeclarator>| declared_name(&i.node.declarator.node).is_some_and(|(_, at)| over.contains(&at));
        d.node.declarators.retain(|i| i.node.initializer.is_some() || !is_over(i));
        if before > 0 && d.node.declarators.is_empty() {
            item.node = BlockItem::Statement(Node::new(Statement::Expression(None), item.span));
        }
    }
}

/// Calls `change` with the items of all blocks.
fn in_blocks(s: &mut Node<Statement>, change: &mut dyn FnMut(&mut Vec<Node<BlockItem>>)) {
    in_statements(s, &mut |s| {
        if let Statement::Compound(items) = &mut s.node {
            change(items);
        }
    });
}

/// Calls `change` with all statements, outer ones first.
fn in_statements(s: &mut Node<Statement>, change: &mut dyn FnMut(&mut Node<Statement>)) {
    change(s);
    match &mut s.node {
        Statement::Labeled(l) => in_statements(&mut l.node.statement, change),
        Statement::Compound(items) => {
            for i in items {
                if let BlockItem::Statement(s) = &mut i.node {
                    in_statements(s, change);
                }
            }
        }
        Statement::If(i) => {
            in_statements(&mut i.node.then_statement, change);
            i.node.else_statement.iter_mut().for_each(|s| in_statements(s, change));
        }
        Statement::Switch(w) => in_statements(&mut w.node.statement, change),
        Statement::While(w) => in_statements(&mut w.node.statement, change),
        Statement::DoWhile(w) => in_statements(&mut w.node.statement, change),
        Statement::For(f) => in_statements(&mut f.node.statement, change),
        _ => {}
    }
}

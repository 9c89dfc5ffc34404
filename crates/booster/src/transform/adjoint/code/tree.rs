//! A unit's code as nested items without jumps: what the adjoint transformation reads and what it writes.
//!
//! Lives here: the tree, its constructors, and the way back to a control-flow graph. Never here: where the tree comes from
//! (see `normalization`), what is done to it.

use arcstr::ArcStr;
use xaif::build::{Built, GraphBuilder, LabelError};
use xaif::model::{BoolOp, Expr, ForLoop, NodeKind, ScopeId, Snapshots, Span, Stmt, StmtKind, SymbolId, VarRef};

/// Number of an item of the original code, for side tables; items that are made anew have [`NEW`].
pub(crate) type ItemId = u32;

/// The number of items that no analysis has seen.
pub(crate) const NEW: ItemId = u32::MAX;

/// What is known of the head of a construct besides its meaning.
#[derive(Clone, Debug, Default)]
pub(crate) struct Head {
    /// The comment before it.
    pub comment: ArcStr,
    /// Its text in the source.
    pub text: ArcStr,
    /// Where it stands.
    pub span: Span,
    /// A loop of which the user promises that no iteration reads what another one writes.
    pub parallel: bool,
    /// A loop that the user wants reversed from snapshots.
    pub checkpoint: Option<Snapshots>,
}

/// An arm of a branch; without values it is the default arm.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    /// The values of the selector.
    pub values: Vec<i64>,
    /// What it does.
    pub body: Vec<Item>,
}

/// The kinds of loops.
#[derive(Clone, Debug)]
pub(crate) enum LoopKind {
    /// A `for` loop; one with a break in it is never among them.
    For(Box<ForLoop>),
    /// Tests first.
    While(Box<Expr>),
    /// Tests last.
    Until(Box<Expr>),
}

/// What an item is. Most are statements, and items are moved about by the hundred thousand, so constructs keep little at hand.
#[derive(Clone, Debug)]
#[allow(clippy::box_collection)]
pub(crate) enum ItemKind {
    /// A statement.
    Stmt(Box<Stmt>),
    /// `if` (a boolean condition, arms for 1 and perhaps the default) or `switch`.
    Branch { head: Box<Head>, condition: Box<Expr>, arms: Box<Vec<Arm>> },
    /// A loop.
    Loop { head: Box<Head>, kind: LoopKind, body: Box<Vec<Item>> },
}

/// A piece of code.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// Its number.
    pub id: ItemId,
    /// What it is.
    pub kind: ItemKind,
}

impl Item {
    /// A statement.
    pub fn stmt(stmt: impl Into<Box<Stmt>>) -> Item {
        Item { id: NEW, kind: ItemKind::Stmt(stmt.into()) }
    }

    /// The two sides of an assignment, if it is one.
    pub fn assignment(&self) -> Option<(&VarRef, &Expr)> {
        match &self.kind {
            ItemKind::Stmt(s) => match &s.kind {
                StmtKind::Assignment { lhs, rhs } => Some((lhs, rhs)),
                _ => None,
            },
            _ => None,
        }
    }

    /// `if (condition) { then }` with an `else` where that is not empty.
    pub fn branch(condition: Expr, then: Vec<Item>, otherwise: Vec<Item>) -> Item {
        let mut arms = vec![Arm { values: vec![1], body: then }];
        if !otherwise.is_empty() {
            arms.push(Arm { values: Vec::new(), body: otherwise });
        }
        Item { id: NEW, kind: ItemKind::Branch { head: Box::default(), condition: Box::new(condition), arms: Box::new(arms) } }
    }

    /// A loop.
    pub fn repeat(kind: LoopKind, body: Vec<Item>) -> Item {
        Item { id: NEW, kind: ItemKind::Loop { head: Box::default(), kind, body: Box::new(body) } }
    }
}

/// The comment before an item.
pub(crate) fn comment_of(item: &mut Item) -> &mut ArcStr {
    match &mut item.kind {
        ItemKind::Stmt(s) => &mut s.comment,
        ItemKind::Branch { head, .. } | ItemKind::Loop { head, .. } => &mut head.comment,
    }
}

/// Whether an item is a loop, or has one inside.
pub(crate) fn has_loop(item: &Item) -> bool {
    match &item.kind {
        ItemKind::Stmt(_) => false,
        ItemKind::Branch { arms, .. } => arms.iter().flat_map(|a| &a.body).any(has_loop),
        ItemKind::Loop { .. } => true,
    }
}

/// Puts a comment before the first thing of a sequence, if there is one.
pub(crate) fn comment(items: &mut [Item], text: impl Into<ArcStr>) {
    let Some(first) = items.first_mut() else { return };
    let text = text.into();
    if text.is_empty() {
        return;
    }
    let place = comment_of(first);
    if place.is_empty() {
        *place = text;
    } else {
        *place = arcstr::format!("{text}\n{place}");
    }
}

/// Says of statements without a place that they come from another one.
pub(crate) fn place(items: &mut [Item], from: &Stmt) {
    for item in items {
        match &mut item.kind {
            ItemKind::Stmt(s) => {
                if !s.span.is_known() && s.line == 0 {
                    (s.span, s.line) = (from.span, from.line);
                }
            }
            ItemKind::Branch { arms, .. } => arms.iter_mut().for_each(|a| place(&mut a.body, from)),
            ItemKind::Loop { body, .. } => place(body, from),
        }
    }
}

/// Numbers all items in text order; returns how many there are.
pub(crate) fn number(items: &mut [Item], next: &mut ItemId) {
    for item in items {
        item.id = *next;
        *next += 1;
        match &mut item.kind {
            ItemKind::Stmt(_) => {}
            ItemKind::Branch { arms, .. } => {
                for arm in arms.iter_mut() {
                    number(&mut arm.body, next);
                }
            }
            ItemKind::Loop { body, .. } => number(body, next),
        }
    }
}

/// Calls `visit` for every statement, those of loop heads included, in text order.
pub(crate) fn for_each_stmt<'a>(items: &'a [Item], visit: &mut dyn FnMut(&'a Stmt)) {
    for item in items {
        match &item.kind {
            ItemKind::Stmt(s) => visit(s),
            ItemKind::Branch { arms, .. } => {
                for arm in &**arms {
                    for_each_stmt(&arm.body, visit);
                }
            }
            ItemKind::Loop { kind, body, .. } => {
                if let LoopKind::For(f) = kind {
                    visit(&f.init);
                    visit(&f.update);
                }
                for_each_stmt(body, visit);
            }
        }
    }
}

/// Calls `visit` for the condition of every branch and loop.
pub(crate) fn for_each_condition<'a>(items: &'a [Item], visit: &mut dyn FnMut(&'a Expr)) {
    for item in items {
        match &item.kind {
            ItemKind::Stmt(_) => {}
            ItemKind::Branch { condition, arms, .. } => {
                visit(condition);
                for arm in &**arms {
                    for_each_condition(&arm.body, visit);
                }
            }
            ItemKind::Loop { kind, body, .. } => {
                match kind {
                    LoopKind::For(f) => visit(&f.condition),
                    LoopKind::While(c) | LoopKind::Until(c) => visit(c),
                }
                for_each_condition(body, visit);
            }
        }
    }
}

/// The control-flow graph of a sequence.
///
/// # Errors
/// Never: no label is put.
pub(crate) fn graph(items: Vec<Item>, scope: ScopeId) -> Result<Built, LabelError> {
    let mut b = GraphBuilder::new(scope);
    b.reserve_vertices(vertices(&items) + 1);
    emit(items, &mut b);
    b.finish()
}

/// How many vertices code takes: constructs have two, and statements stand in blocks between them.
fn vertices(items: &[Item]) -> usize {
    let mut count = 0;
    let mut in_block = false;
    for item in items {
        let is_stmt = matches!(item.kind, ItemKind::Stmt(_));
        count += match &item.kind {
            ItemKind::Stmt(_) => usize::from(!in_block),
            ItemKind::Branch { arms, .. } => 2 + arms.iter().map(|a| vertices(&a.body)).sum::<usize>(),
            ItemKind::Loop { body, .. } => 2 + vertices(body),
        };
        in_block = is_stmt;
    }
    count
}

fn emit(items: Vec<Item>, b: &mut GraphBuilder) {
    let mut row = 0;
    let mut items = items.into_iter();
    while let Some(item) = items.next() {
        match item.kind {
            ItemKind::Stmt(s) => {
                if row == 0 {
                    row = 1 + items.as_slice().iter().take_while(|i| matches!(i.kind, ItemKind::Stmt(_))).count();
                    b.reserve(row);
                }
                row -= 1;
                b.stmt(s);
            }
            ItemKind::Branch { head, condition, arms } => {
                let v = b.begin_branch(*condition);
                set_head(b, v, *head);
                for arm in *arms {
                    b.arm(&arm.values);
                    emit(arm.body, b);
                }
                b.end_branch();
            }
            ItemKind::Loop { head, kind, body } => {
                let v = match kind {
                    LoopKind::For(f) => b.begin_for(*f),
                    LoopKind::While(c) => b.begin_while(*c),
                    LoopKind::Until(c) => b.begin_do_while(*c),
                };
                set_head(b, v, *head);
                emit(*body, b);
                b.end_loop();
            }
        }
    }
}

fn set_head(b: &mut GraphBuilder, v: xaif::model::VertexId, head: Head) {
    let vertex = b.vertex_mut(v);
    vertex.comment = head.comment;
    vertex.text = head.text;
    vertex.span = head.span;
}

/// The opposite condition.
pub(crate) fn negated(e: Expr) -> Expr {
    if let (NodeKind::Bool(BoolOp::Not), [operand]) = (&e.root().kind, &e.root().operands[..]) {
        return e.subexpr(*operand);
    }
    Expr::boolean(BoolOp::Not, [e])
}

/// A branch without arms that do nothing. A `then` that does nothing is turned into the negated condition.
pub(crate) fn branch_item(head: Box<Head>, condition: Expr, arms: Vec<Arm>, truth: bool) -> Item {
    let works = |a: &Arm| !a.body.is_empty();
    let default_works = arms.iter().any(|a| a.values.is_empty() && works(a));
    let (condition, arms) = if truth && default_works && arms.iter().filter(|a| works(a)).count() == 1 && arms.len() == 2 {
        let body = arms.into_iter().filter(works).flat_map(|a| a.body).collect();
        (negated(condition), vec![Arm { values: vec![1], body }])
    } else {
        // An empty arm of a switch keeps its values from falling to the default.
        (condition, arms.into_iter().filter(|a| works(a) || (default_works && !a.values.is_empty())).collect())
    };
    Item { id: NEW, kind: ItemKind::Branch { head, condition: Box::new(condition), arms: Box::new(arms) } }
}

pub(crate) fn set(to: SymbolId, value: Expr) -> Item {
    Item::stmt(Stmt::assign(VarRef::whole(to), value))
}

/// The last number used in an item and what is inside it.
pub(crate) fn last_id(item: &Item) -> ItemId {
    let mut last = item.id;
    let mut at = item;
    // The greatest number is that of the item that stands last.
    loop {
        let next = match &at.kind {
            ItemKind::Stmt(_) => None,
            ItemKind::Branch { arms, .. } => arms.iter().rev().find_map(|a| a.body.last()),
            ItemKind::Loop { body, .. } => body.last(),
        };
        match next {
            Some(n) => {
                last = n.id;
                at = n;
            }
            None => return last,
        }
    }
}

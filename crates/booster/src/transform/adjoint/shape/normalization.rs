//! From control-flow graphs to nested code without jumps.
//!
//! A jump out of a loop, a branch or the unit, or forward to a label further down, becomes a flag: it is set where the jump was, and what
//! the jump leaves out runs only where no flag is set.
//!
//! ```text
//! while (c) {                while (!done && c) {
//!   A                          A
//!   if (d) break;      ->      if (d) done = true;
//!   B                          else { B }
//! }                          }
//! ```
//!
//! A jump back to a label is another iteration of a loop over what stands from the label to the last jump there:
//!
//! ```text
//! 10 A                       do { again = false;
//!    if (c) goto 10;    ->     A
//!    B                         if (c) again = true;
//!                            } while (again)
//!                            B
//! ```
//!
//! Where something before that part jumps into it, the flag of that jump leads through the first iteration:
//!
//! ```text
//!    goto 20                jumped = true
//! 10 A                      do { again = false;
//! 20 if (c) goto 10   ->      if (!jumped) A
//!                             jumped = false
//!                             if (c) again = true;
//!                           } while (again)
//! ```
//!
//! An arm of a branch that another one falls into stands behind the branch, under a flag. Flags that nobody reads are dropped again, so a plain `if (c) { ...; return; } rest` becomes an `if` with an `else`. Loops that are not counted lose
//! their `for` head. Everything else (jumps into constructs, graphs that do not nest) goes to `numbered_blocks`.
//!
//! Lives here: this one rewriting. Never here: derivatives, and knowledge of what is needed later.

use super::flags::{Fresh, Target, drop_unread, not, set};
use super::jumps::{depth, jumps, leaves, start};
use crate::transform::adjoint::code::tree;
use crate::transform::adjoint::code::tree::{Arm, Head, Item, ItemKind, LoopKind, NEW};
use petgraph::Direction;
use petgraph::visit::EdgeRef;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use xaif::model::{BoolOp, ElemType, Expr, FlowGraph, Stmt, Stmts, SymbolId, VertexId, VertexKind};
use xaif::structure::{Region, end_of_loop, regions};

/// Rests of sequences are moved into `else` arms down to this depth; further down a flag guards them.
const MAX_NESTING: usize = 60;

/// Code that nests deeper than this becomes numbered blocks, so that nothing that walks over nested code needs a deep stack.
const MAX_DEPTH: usize = 100;

/// The code of a graph. Where nothing jumps, its statements are taken out of it.
pub(crate) fn nested(graph: &mut FlowGraph, fresh: &mut Fresh) -> Vec<Item> {
    if let Ok(tree) = regions(graph)
        && depth(&tree) <= MAX_DEPTH
    {
        let targets: FxHashSet<VertexId> = graph.edge_references().filter(|e| e.weight().jump.is_some()).map(|e| e.target()).collect();
        let mut stmts: Vec<Stmts> = Vec::new();
        // Only jumps can be tangled, so without any nobody will ask for the statements again.
        if targets.is_empty() {
            stmts.extend(graph.node_weights_mut().map(|v| match &mut v.kind {
                VertexKind::Block { stmts, .. } => std::mem::take(stmts),
                _ => Vec::new(),
            }));
        }
        let graph = &*graph;
        let mut n = Normalizer { graph, stmts, fresh, frames: Vec::new(), flags: Vec::new(), targets, tangled: false };
        n.frames.push(Frame::Unit);
        let (mut items, ways) = n.sequence(&tree, None, 0);
        // Where some jump has not come to its place, the code is not that of the graph.
        if !n.tangled && ways.jumps.iter().all(|t| *t == Target::Unit) {
            let mut start: Vec<Item> = n.flag(Target::Unit).map(|f| set(f, false)).into_iter().collect();
            start.append(&mut items);
            drop_unread(&mut start, &n.flags);
            return start;
        }
    }
    super::numbered_blocks::nested(graph, fresh)
}

/// An enclosing construct, or the rest of an enclosing sequence.
#[derive(Debug)]
enum Frame {
    Unit,
    Loop {
        vertex: VertexId,
        end: Option<VertexId>,
        after: Option<VertexId>,
    },
    /// `later`: the vertices with which arms behind the present one begin.
    Branch {
        vertex: VertexId,
        end: Option<VertexId>,
        later: Vec<VertexId>,
    },
    Rest(Vec<VertexId>),
    /// From this labelled vertex to the last jump back there.
    Again(VertexId),
}

/// What may happen to control in a piece of code.
#[derive(Clone, Debug, Default)]
struct Ways {
    /// It may leave to one of these, in this order of appearance.
    jumps: Vec<Target>,
    /// It cannot reach its own end.
    never_ends: bool,
    /// Of a branch: the one arm that ends and never jumps, where all others always jump.
    open: Option<usize>,
}

/// The statement with which each iteration of a loop ends, also after a jump to `next`.
struct Tail {
    stmt: Stmt,
    next: Target,
}

impl Ways {
    fn add(&mut self, other: &[Target]) {
        for t in other {
            if !self.jumps.contains(t) {
                self.jumps.push(*t);
            }
        }
    }
}

struct Normalizer<'a, 'f> {
    graph: &'a FlowGraph,
    /// Statements that were taken out of the graph, by vertex.
    stmts: Vec<Stmts>,
    fresh: &'a mut Fresh<'f>,
    frames: Vec<Frame>,
    flags: Vec<(Target, SymbolId)>,
    /// Where jumps go; nothing else in the rest of a sequence is looked for.
    targets: FxHashSet<VertexId>,
    tangled: bool,
}

impl Normalizer<'_, '_> {
    fn flag(&self, target: Target) -> Option<SymbolId> {
        self.flags.iter().find(|(t, _)| *t == target).map(|(_, f)| *f)
    }

    fn flag_of(&mut self, target: Target) -> SymbolId {
        if let Some(f) = self.flag(target) {
            return f;
        }
        let wish = match target {
            Target::After(_) => "left",
            Target::Next(_) => "skipped",
            Target::Join(_) | Target::Label(_) => "jumped",
            Target::Again(_) => "again",
            Target::Arm(_) => "fallen",
            Target::Unit => "returned",
        };
        let f = (self.fresh)(wish, ElemType::BOOL);
        self.flags.push((target, f));
        f
    }

    /// `!a && !b && ...`
    fn none_set(&mut self, targets: &[Target]) -> Expr {
        let mut condition: Option<Expr> = None;
        for t in targets {
            let f = not(self.flag_of(*t));
            condition = Some(match condition {
                None => f,
                Some(c) => Expr::boolean(BoolOp::And, [c, f]),
            });
        }
        condition.unwrap_or_else(|| Expr::bool(true))
    }

    /// Which construct a jump to `to` leaves; the innermost, as the text means it.
    fn target(&self, to: VertexId) -> Option<Target> {
        for frame in self.frames.iter().rev() {
            match frame {
                Frame::Loop { vertex, end, .. } if *end == Some(to) => return Some(Target::Next(*vertex)),
                Frame::Loop { vertex, after, .. } if *after == Some(to) => return Some(Target::After(*vertex)),
                Frame::Branch { vertex, end, .. } if *end == Some(to) => return Some(Target::Join(*vertex)),
                Frame::Branch { later, .. } if later.contains(&to) => return Some(Target::Arm(to)),
                Frame::Rest(starts) if starts.contains(&to) => return Some(Target::Label(to)),
                Frame::Again(v) if *v == to => return Some(Target::Again(to)),
                _ => {}
            }
        }
        matches!(self.graph[to].kind, VertexKind::Exit).then_some(Target::Unit)
    }

    /// Regions one after the other, and what is to be done behind them (a loop's update).
    fn sequence(&mut self, list: &[Region], tail: Option<Tail>, depth: usize) -> (Vec<Item>, Ways) {
        self.entered(list, tail, depth, &[])
    }

    /// As [`Normalizer::sequence`], for code that something before it also enters at some of its labels.
    fn entered(&mut self, list: &[Region], mut tail: Option<Tail>, depth: usize, entries: &[Target]) -> (Vec<Item>, Ways) {
        let mut out: Vec<Item> = Vec::new();
        let mut guarded: Vec<Item> = Vec::new();
        let mut pending: Vec<Target> = entries.to_vec();
        let mut ways = Ways { jumps: entries.to_vec(), ..Ways::default() };
        let labels = self.labels(list);
        let labels_from = |at: usize| &labels[labels.partition_point(|(i, _)| *i < at)..];
        let back = self.jumps_back(list, &labels);
        let mut at = 0;
        while let Some(region) = list.get(at) {
            if let Some(label) = start(region).map(Target::Label)
                && pending.contains(&label)
            {
                self.close(&mut out, &mut guarded, &pending);
                pending.retain(|t| *t != label);
                ways.jumps.retain(|t| *t != label);
                ways.never_ends = false;
                // What is run again starts from its beginning the next time.
                guarded.extend(self.flag(label).filter(|_| entries.contains(&label)).map(|flag| set(flag, false)));
            }
            let first = at;
            let last = back.get(&first).copied();
            at = last.unwrap_or(first) + 1;
            let inside = labels_from(first + 1).iter().take_while(|(i, _)| *i < at).map(|(_, v)| Target::Label(*v));
            let inside: Vec<Target> = inside.filter(|t| pending.contains(t)).collect();
            if !inside.is_empty() {
                self.close(&mut out, &mut guarded, &pending);
                pending.retain(|t| !inside.contains(t));
                ways.jumps.retain(|t| !inside.contains(t));
            } else if ways.never_ends {
                // Nothing but a label can bring control back here.
                continue;
            }
            let (mut items, w) = self.within(labels_from(at), |n| match last {
                Some(_) => n.again(&list[first..at], depth, &inside),
                None => n.region(region, depth),
            });
            ways.add(&w.jumps);
            ways.never_ends = w.never_ends;
            let mut jumps = !w.jumps.is_empty();
            let next_label = labels_from(at).iter().find(|(_, v)| ways.jumps.contains(&Target::Label(*v)));
            // What is run again stays together.
            let whole = |i: usize| back.iter().find(|(p, q)| **p <= i && i <= **q).map_or(i, |(p, _)| *p);
            let upto = next_label.map_or(list.len(), |(i, _)| whole(*i));
            let moves_tail = upto == list.len() && tail.as_ref().is_some_and(|t| !ways.jumps.contains(&t.next));
            if let (Some(arm), true) = (w.open, depth < MAX_NESTING && (upto > at || moves_tail)) {
                let moved = if moves_tail { tail.take() } else { None };
                let (inner, more) = self.within(labels_from(upto), |n| n.sequence(&list[at..upto], moved, depth + 1));
                if let Some(Item { kind: ItemKind::Branch { arms, .. }, .. }) = items.last_mut()
                    && let Some(arm) = arms.get_mut(arm)
                {
                    arm.body.extend(inner);
                }
                ways.add(&more.jumps);
                ways.never_ends = more.never_ends;
                jumps |= !more.jumps.is_empty();
                at = upto;
            }
            guarded.append(&mut items);
            // A flag that was looked at before may have been set since.
            if jumps {
                self.close(&mut out, &mut guarded, &pending);
                pending.clone_from(&ways.jumps);
            }
        }
        self.close(&mut out, &mut guarded, &pending);
        if let Some(tail) = tail {
            let continued = pending.contains(&tail.next);
            pending.retain(|t| *t != tail.next);
            if continued || !ways.never_ends {
                guarded.push(Item::stmt(tail.stmt));
                self.close(&mut out, &mut guarded, &pending);
            }
        }
        // Labels of this sequence: their flags start anew each time it runs.
        let mine: Vec<Target> = labels.iter().map(|(_, v)| Target::Label(*v)).filter(|t| !entries.contains(t)).collect();
        let resets: Vec<Item> = self.flags.iter().filter(|(t, _)| mine.contains(t)).map(|(_, f)| set(*f, false)).collect();
        out.splice(0..0, resets);
        (out, ways)
    }

    /// The places of a sequence to which something jumps.
    fn labels(&self, list: &[Region]) -> Vec<(usize, VertexId)> {
        let places = list.iter().enumerate().filter_map(|(i, r)| start(r).map(|v| (i, v)));
        places.filter(|(_, v)| self.targets.contains(v)).collect()
    }

    /// For each place of a sequence that something jumps back to from behind it: the last place that is run again then.
    fn jumps_back(&self, list: &[Region], labels: &[(usize, VertexId)]) -> BTreeMap<usize, usize> {
        let mut out = BTreeMap::new();
        let open = |v: &VertexId| self.frames.iter().any(|f| matches!(f, Frame::Again(w) if w == v));
        let places: FxHashMap<VertexId, usize> = labels.iter().filter(|(_, v)| !open(v)).map(|&(i, v)| (v, i)).collect();
        if places.is_empty() {
            return out;
        }
        for (i, region) in list.iter().enumerate() {
            for to in jumps(self.graph, std::slice::from_ref(region)) {
                if let Some(&p) = places.get(&to).filter(|p| **p <= i) {
                    out.insert(p, i);
                }
            }
        }
        // Where two of them cross, the first one has all of the second one in it.
        let starts: Vec<usize> = out.keys().copied().collect();
        for &p in starts.iter().rev() {
            let mut last = out[&p];
            while let Some(further) = out.range(p + 1..=last).map(|(_, q)| *q).max().filter(|q| *q > last) {
                last = further;
            }
            out.insert(p, last);
        }
        out
    }

    /// A part of a sequence that runs again where something in it jumps back to its start. Something before it jumps to `entries`.
    fn again(&mut self, list: &[Region], depth: usize, entries: &[Target]) -> (Vec<Item>, Ways) {
        let Some(v) = list.first().and_then(start) else {
            self.tangled = true;
            return (Vec::new(), Ways::default());
        };
        let target = Target::Again(v);
        self.frames.push(Frame::Again(v));
        let (mut body, mut w) = self.entered(list, None, depth + 1, entries);
        self.frames.pop();
        w.open = None;
        if !w.jumps.contains(&target) {
            return (body, w);
        }
        w.jumps.retain(|t| *t != target);
        let flag = self.flag_of(target);
        body.insert(0, set(flag, false));
        let head = Box::new(Head { span: self.graph[v].span, ..Head::default() });
        (vec![Item { id: NEW, kind: ItemKind::Loop { head, kind: LoopKind::Until(Box::new(Expr::sym(flag))), body: Box::new(body) } }], w)
    }

    /// Does something inside a sequence whose rest is known.
    fn within<T>(&mut self, rest: &[(usize, VertexId)], work: impl FnOnce(&mut Self) -> T) -> T {
        self.frames.push(Frame::Rest(rest.iter().map(|(_, v)| *v).collect()));
        let result = work(self);
        self.frames.pop();
        result
    }

    /// Moves what was collected behind the guard that applied to it.
    fn close(&mut self, out: &mut Vec<Item>, guarded: &mut Vec<Item>, pending: &[Target]) {
        if guarded.is_empty() {
            return;
        }
        if pending.is_empty() {
            out.append(guarded);
        } else {
            let condition = self.none_set(pending);
            out.push(Item::branch(condition, std::mem::take(guarded), Vec::new()));
        }
    }

    fn region(&mut self, region: &Region, depth: usize) -> (Vec<Item>, Ways) {
        match region {
            Region::Block(v) => {
                let mut items: Vec<Item> = match self.stmts.get_mut(v.index()) {
                    Some(stmts) => std::mem::take(stmts).into_iter().map(Item::stmt).collect(),
                    None => self.graph[*v].stmts().iter().cloned().map(Item::stmt).collect(),
                };
                tree::comment(&mut items, self.graph[*v].comment.clone());
                (items, Ways::default())
            }
            Region::Jump(e) => {
                let to = self.graph.edge_endpoints(*e).map(|(_, t)| t);
                let Some(target) = to.and_then(|to| self.target(to)) else {
                    self.tangled = true;
                    return (Vec::new(), Ways::default());
                };
                let flag = self.flag_of(target);
                (vec![set(flag, true)], Ways { jumps: vec![target], never_ends: true, open: None })
            }
            Region::Branch { vertex, arms, end } => self.branch(*vertex, arms, *end, depth),
            Region::Loop { vertex, body, end } => self.repeat(*vertex, body, *end, depth),
        }
    }

    fn branch(&mut self, v: VertexId, arms: &[xaif::structure::Arm], end: Option<VertexId>, depth: usize) -> (Vec<Item>, Ways) {
        let VertexKind::Branch(condition) = &self.graph[v].kind else {
            self.tangled = true;
            return (Vec::new(), Ways::default());
        };
        let mut out: Vec<Arm> = Vec::new();
        let mut outcomes: Vec<Ways> = Vec::new();
        let starts: Vec<Option<VertexId>> = arms.iter().map(|a| a.body.first().and_then(start)).collect();
        for (k, arm) in arms.iter().enumerate() {
            let later = starts[k + 1..].iter().flatten().copied().filter(|s| self.targets.contains(s)).collect();
            self.frames.push(Frame::Branch { vertex: v, end, later });
            let mut values: Vec<i64> = arm.edges.iter().filter_map(|e| self.graph[*e].value).collect();
            if arm.edges.iter().any(|e| self.graph[*e].value.is_none()) {
                values.clear();
            }
            let (body, w) = self.sequence(&arm.body, None, depth + 1);
            out.push(Arm { values, body });
            outcomes.push(w);
            self.frames.pop();
        }
        if !out.iter().any(|a| a.values.is_empty()) {
            out.push(Arm { values: Vec::new(), body: Vec::new() });
            outcomes.push(Ways::default());
        }
        let mut ways = Ways { jumps: Vec::new(), never_ends: outcomes.iter().all(|w| w.never_ends), open: None };
        for w in &outcomes {
            ways.add(&w.jumps);
        }
        let mut items = Vec::new();
        let behind = self.fallen(&starts, &mut out, &mut ways);
        items.extend(behind.iter().map(|(f, _)| set(*f, false)));
        let join = Target::Join(v);
        if ways.jumps.contains(&join) {
            ways.jumps.retain(|t| *t != join);
            ways.never_ends = false;
            items.extend(self.flag(join).map(|f| set(f, false)));
        } else if !ways.jumps.is_empty() {
            // Every arm but one jumps, always, and that one never: whatever follows belongs to it.
            let mut ending = (0..outcomes.len()).filter(|&i| !outcomes[i].never_ends);
            ways.open = match (ending.next(), ending.next()) {
                (Some(i), None) if outcomes[i].jumps.is_empty() => Some(i),
                _ => None,
            };
        }
        if !behind.is_empty() {
            // What follows does not belong to one arm alone, and arms that fall into others do not end the code.
            (ways.open, ways.never_ends) = (None, false);
        }
        if ways.open.is_none() {
            out.retain(|a| !a.values.is_empty() || !a.body.is_empty());
        }
        let kind = ItemKind::Branch { head: head(self.graph, v), condition: Box::new(condition.clone()), arms: Box::new(out) };
        items.push(Item { id: NEW, kind });
        items.extend(behind.into_iter().map(|(f, body)| Item::branch(Expr::sym(f), body, Vec::new())));
        (items, ways)
    }

    /// Arms that others fall into stand behind the branch, each under a flag, which its own values set as well:
    ///
    /// ```text
    /// switch (k) {                        fallen = false
    ///   case 1: A; /* fall through */     switch (k) { case 1: A; fallen = true; break; case 2: fallen = true; }
    ///   case 2: B;                        if (fallen) B
    /// }
    /// ```
    fn fallen(&mut self, starts: &[Option<VertexId>], arms: &mut [Arm], ways: &mut Ways) -> Vec<(SymbolId, Vec<Item>)> {
        let mut out = Vec::new();
        for (k, &s) in starts.iter().enumerate() {
            let Some(target) = s.map(Target::Arm).filter(|t| ways.jumps.contains(t)) else { continue };
            let flag = self.flag_of(target);
            let body = std::mem::replace(&mut arms[k].body, vec![set(flag, true)]);
            out.push((flag, body));
            ways.jumps.retain(|t| *t != target);
        }
        out
    }

    fn repeat(&mut self, v: VertexId, body: &[Region], end: Option<VertexId>, depth: usize) -> (Vec<Item>, Ways) {
        let graph = self.graph;
        let exit = graph.edges_directed(v, Direction::Outgoing).find(|e| e.weight().value.is_none_or(|x| x == 0)).map(|e| e.target());
        let (next, after) = (Target::Next(v), Target::After(v));
        // Only a counted loop that nothing leaves keeps its head.
        let stays = end.is_some() && (self.targets.is_empty() || !leaves(graph, body, end));
        let end = end.or_else(|| end_of_loop(graph, v));
        self.frames.push(Frame::Loop { vertex: v, end, after: exit });
        let tail = match &graph[v].kind {
            VertexKind::For(f) if !(f.counted && stays) => Some(Tail { stmt: f.update.clone(), next }),
            _ => None,
        };
        let (mut inner, mut w) = self.sequence(body, tail, depth + 1);
        self.frames.pop();
        if w.jumps.contains(&next) {
            w.jumps.retain(|t| *t != next);
            inner.splice(0..0, self.flag(next).map(|f| set(f, false)));
            w.never_ends = false;
        }
        let mut items = Vec::new();
        if w.jumps.contains(&after) {
            items.extend(self.flag(after).map(|f| set(f, false)));
        }
        let mut head = head(graph, v);
        let mut guard = |c: &Expr| match w.jumps.is_empty() {
            true => c.clone(),
            false if c.as_constant().is_some_and(|k| k.value == "true") => self.none_set(&w.jumps),
            false => Expr::boolean(BoolOp::And, [self.none_set(&w.jumps), c.clone()]),
        };
        let kind = match &graph[v].kind {
            VertexKind::For(f) if f.counted && stays => LoopKind::For(f.clone()),
            VertexKind::For(f) => {
                items.push(Item::stmt(f.init.clone()));
                tree::comment(&mut items, std::mem::take(&mut head.comment));
                LoopKind::While(Box::new(guard(&f.condition)))
            }
            VertexKind::Pre(c) => LoopKind::While(Box::new(guard(c))),
            VertexKind::Post(c) => LoopKind::Until(Box::new(guard(c))),
            _ => {
                self.tangled = true;
                return (items, Ways::default());
            }
        };
        items.push(Item { id: NEW, kind: ItemKind::Loop { head, kind, body: Box::new(inner) } });
        w.jumps.retain(|t| *t != after);
        (items, Ways { jumps: w.jumps, never_ends: false, open: None })
    }
}

fn head(graph: &FlowGraph, v: VertexId) -> Box<Head> {
    let v = &graph[v];
    Box::new(Head { comment: v.comment.clone(), text: v.text.clone(), span: v.span, parallel: v.parallel, checkpoint: v.checkpoint })
}

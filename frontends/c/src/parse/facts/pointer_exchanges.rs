//! Exchanges of pointers in the text, `t = a; a = b; b = t;`, and which of them may exchange
//! contents instead.
//!
//! Lives here: finding them, and what holds of the pointers then. Never here: what becomes of them.

use super::function::{Facts, Kind, Origin, Swap};
use crate::parse::text::syntax::{declared_depth, declared_name, uncast};
use lang_c::ast::{BinaryOperator as B, BlockItem, Declarator, Expression as E, Initializer, Statement};
use lang_c::span::{Node, Span};

/// An exchange as the text has it.
pub(crate) struct Exchange<'e> {
    /// The declarator of the pointer that keeps one target meanwhile, if it is declared here.
    pub declared: Option<&'e Declarator>,
    pub between: &'e str,
    /// Each gets what the next one has, the last what the first had.
    pub names: Vec<&'e str>,
    /// Where each assignment has its target and its value, in order.
    pub places: Vec<(usize, usize)>,
    pub span: Span,
}

fn name_of(e: &Node<E>) -> Option<&str> {
    match &uncast(e).node {
        E::Identifier(i) => Some(&i.node.name),
        _ => None,
    }
}

fn assignment(item: &Node<BlockItem>) -> Option<(&str, &str, (usize, usize))> {
    let BlockItem::Statement(s) = &item.node else { return None };
    let Statement::Expression(Some(e)) = &s.node else { return None };
    let E::BinaryOperator(b) = &e.node else { return None };
    if b.node.operator.node != B::Assign {
        return None;
    }
    Some((name_of(&b.node.lhs)?, name_of(&b.node.rhs)?, (b.node.lhs.span.start, b.node.rhs.span.start)))
}

/// The exchange that the first items are.
pub(crate) fn exchange(items: &[Node<BlockItem>]) -> Option<Exchange<'_>> {
    let (keep, rest) = items.split_first()?;
    let (between, first, declared, place) = match &keep.node {
        BlockItem::Declaration(d) => {
            let [i] = &d.node.declarators[..] else { return None };
            let Initializer::Expression(e) = &i.node.initializer.as_ref()?.node else { return None };
            let declarator = &i.node.declarator.node;
            if declared_depth(declarator) == 0 {
                return None;
            }
            (declared_name(declarator)?.0, name_of(e)?, Some(declarator), (i.node.declarator.span.start, e.span.start))
        }
        _ => {
            let (t, a, place) = assignment(keep)?;
            (t, a, None, place)
        }
    };
    let (mut names, mut places) = (vec![first], vec![place]);
    for item in rest {
        let (to, from, place) = assignment(item)?;
        places.push(place);
        if names.last() != Some(&to) || to == between {
            return None;
        }
        if from == between {
            let span = Span { start: keep.span.start, end: item.span.end };
            return (names.len() > 1).then_some(Exchange { declared, between, names, places, span });
        }
        if names.contains(&from) {
            return None;
        }
        names.push(from);
    }
    None
}

impl Facts {
    /// The exchange of contents that begins at this byte.
    pub fn swap_at(&self, start: usize) -> Option<&Swap> {
        self.swaps.iter().find(|s| s.start == start)
    }

    /// Whether contents may change places instead of pointers.
    fn may_swap(&self, s: &Swap) -> bool {
        let unused = self.vars[s.between].origins.is_empty() && !self.all().iter().any(|e| e.kind != Kind::Call && e.var == s.between);
        unused && s.turn.iter().all(|&v| self.owns(v))
    }

    /// True for a pointer that alone knows the memory that it points to.
    fn owns(&self, v: usize) -> bool {
        let var = &self.vars[v];
        let pointed = |v: usize, by: Option<usize>| {
            self.vars.iter().enumerate().any(|(w, x)| Some(w) != by && x.origins.contains(&Origin::Variable(v)))
        };
        if var.stepped || var.address || pointed(v, None) {
            return false;
        }
        if let [Origin::Variable(array)] = var.origins[..] {
            // An array of the function's own that has no other name from the pointer's declaration on.
            let a = &self.vars[array];
            let mut set = self.all().iter().filter(|e| e.var == v && e.kind == Kind::Write);
            let (Some(given), None) = (set.next(), set.next()) else { return false };
            let late: Vec<_> = self.all().iter().filter(|e| e.kind != Kind::Call && e.var == array && e.offset >= given.offset).collect();
            let once = matches!(late[..], [e] if e.kind == Kind::Read);
            return once
                && a.memory
                && a.parameter.is_none()
                && !a.global
                && !a.address
                && !var.in_loop
                && !self.labels
                && !pointed(array, Some(v));
        }
        let memory = var.origins.iter().all(|o| matches!(o, Origin::Allocation | Origin::Null));
        memory && var.origins.contains(&Origin::Allocation)
    }

    /// Takes exchanges back that must be assignments of pointers.
    pub fn settle_swaps(&mut self) {
        // Pointers that all point into one array are followed by their offsets.
        let one_array = |f: &Facts, s: &Swap| match s.turn.iter().map(|&v| f.roots(v)).collect::<Option<Vec<_>>>() {
            Some(roots) => roots.windows(2).all(|w| w[0] == w[1] && w[0].len() == 1),
            None => false,
        };
        let contents: Vec<bool> = self.swaps.iter().map(|s| self.may_swap(s)).collect();
        let turning: Vec<bool> = self.swaps.iter().zip(&contents).map(|(s, own)| !own && self.may_turn(s) && !one_array(self, s)).collect();
        // Pointers take turns everywhere or nowhere.
        for k in 0..self.swaps.len() {
            let all = self.swaps.iter().zip(&turning).all(|(s, t)| *t || s.turn != self.swaps[k].turn);
            self.swaps[k].turning = turning[k] && all;
        }
        for s in self.swaps.clone().iter().filter(|s| s.turning) {
            self.unnote(s.start, &s.turn);
            for (k, &v) in s.turn.iter().enumerate() {
                let next = s.turn[(k + 1) % s.turn.len()];
                self.vars[v].origins.push(Origin::Variable(next));
                self.note(s.start, v, Kind::Read);
                self.note(s.start, v, Kind::Write);
            }
        }
        while let Some(k) = self.swaps.iter().position(|s| !s.turning && !self.may_swap(s)) {
            let s = self.swaps.remove(k);
            self.unnote(s.start, &s.turn);
            let mut given = vec![(s.between, s.turn[0])];
            given.extend(s.turn.windows(2).map(|w| (w[0], w[1])));
            given.extend(s.turn.last().map(|&last| (last, s.between)));
            for ((to, from), (target, value)) in given.into_iter().zip(s.places) {
                self.vars[to].arrayish = true;
                self.vars[from].arrayish = true;
                self.vars[to].origins.push(Origin::Variable(from));
                self.vars[to].given.push(target);
                self.note(value, from, Kind::Read);
                self.note(target, to, Kind::Write);
            }
        }
    }
}

//! Allocatable arrays that change places: MOVE_ALLOC to a name between, from one array to the next, and back from the name between.
//!
//! ```text
//! call move_alloc(u, between)          do i = 1, n
//! call move_alloc(v, u)                  kept = u(i); u(i) = v(i); v(i) = kept
//! call move_alloc(between, v)    ->    end do
//! ```
//!
//! Memory is no value of the model, so the contents change places instead. That is the same to everybody where all arrays are allocated here, once and alike,
//! and nobody can keep the address of one. Lives here: finding such moves. Never here: other moves, the statements that
//! an exchange becomes (see `arrays`).

use crate::parse::context::exchanges::{Part, Swaps};
use crate::parse::context::state::Lower;
use crate::parse::text::tree::{child, field, named, walk};
use tree_sitter::Node;
use xaif::model::*;

/// How a name is used in a unit's text.
#[derive(Default)]
struct Sites<'t> {
    /// The bounds of its allocations.
    allocated: Vec<Node<'t>>,
    /// Where it is freed, moved, or handed to a procedure.
    freed: Vec<Node<'t>>,
    moved: Vec<usize>,
    passed: bool,
    /// It is used in a way that is not followed.
    otherwise: bool,
    /// How often it is named outside of declarations.
    named: usize,
}

impl<'t> Lower<'t> {
    /// Finds the exchanges of the current unit.
    pub fn find_swaps(&self) -> Swaps {
        let unit = self.procs[self.cur.proc].node;
        let mut moves = Vec::new();
        walk(unit, &mut |n| {
            if self.moved_names(n).is_some() {
                moves.push(n);
            }
            n.kind() != "internal_procedures"
        });
        let mut swaps = Swaps::default();
        // Text that is jumped to may be reached with other arrays.
        if moves.len() < 2 || !self.cur.targets.is_empty() {
            return swaps;
        }
        for &first in &moves {
            if swaps.contains_key(&first.start_byte()) {
                continue;
            }
            if let Some((between, names, calls)) = self.chain(first) {
                swaps.insert(first.start_byte(), Part::First(between, names));
                swaps.extend(calls.into_iter().skip(1).map(|c| (c, Part::Later(first.start_byte()))));
            }
        }
        loop {
            let fit = |p: &Part| match p {
                Part::First(between, names) => self.may_swap(unit, between, names, &swaps),
                Part::Later(_) => true,
            };
            let Some(at) = swaps.iter().filter(|(_, p)| !fit(p)).map(|(at, _)| *at).min() else { return swaps };
            swaps.retain(|&k, p| k != at && !matches!(p, Part::Later(first) if *first == at));
        }
    }

    /// `move_alloc(from, to)` of two names.
    fn moved_names(&self, n: Node<'t>) -> Option<(String, String)> {
        let callee = field(n, "subroutine").filter(|_| n.kind() == "subroutine_call")?;
        let list = named(child(n, "argument_list").filter(|_| self.lower(callee) == "move_alloc")?);
        let names: Vec<String> = list.iter().filter(|a| a.kind() == "identifier").map(|a| self.lower(*a)).collect();
        match <[String; 2]>::try_from(names) {
            Ok([from, to]) if list.len() == 2 => Some((from, to)),
            _ => None,
        }
    }

    /// The exchange that a MOVE_ALLOC begins: the name between, the arrays, and where the calls are.
    fn chain(&self, first: Node<'t>) -> Option<(String, Vec<String>, Vec<usize>)> {
        let (start, between) = self.moved_names(first)?;
        let (mut names, mut calls, mut at) = (vec![start], vec![first.start_byte()], first);
        loop {
            at = at.next_named_sibling()?;
            let (from, to) = self.moved_names(at)?;
            calls.push(at.start_byte());
            if names.last() != Some(&to) {
                return None;
            }
            if from == between {
                return (names.len() > 1).then_some((between, names, calls));
            }
            if names.contains(&from) {
                return None;
            }
            names.push(from);
        }
    }

    /// The unit's own allocatable array of that name, of which nobody else can have the address.
    pub fn own_allocatable(&self, name: &str) -> Option<SymbolId> {
        let s = self.lookup(self.cur.scope, name)?;
        let symbol = self.p.symbol(s);
        let odd = ["target", "save", "volatile", "asynchronous", "pointer"].iter().any(|a| symbol.has_attribute(a));
        let formal = self.procs[self.cur.proc].formals.iter().any(|f| f.symbol == s);
        let own = symbol.scope == self.cur.scope && *symbol.storage() == Storage::Local && symbol.rank > 0;
        (own && !formal && symbol.has_attribute("allocatable") && !odd).then_some(s)
    }

    /// Whether all arrays are allocated alike, once and before, and freed behind, and the name between is nothing else.
    fn may_swap(&self, unit: Node<'t>, between: &str, names: &[String], swaps: &Swaps) -> bool {
        let of = |name: &str| Some((self.own_allocatable(name)?, self.sites(unit, name)));
        let Some(all) = names.iter().map(|n| of(n)).collect::<Option<Vec<_>>>() else { return false };
        let Some((kept, sites)) = of(between) else { return false };
        let like = self.p.symbol(all[0].0);
        let alike = |s: SymbolId| self.p.symbol(s).ty == like.ty && self.p.symbol(s).rank == like.rank;
        let in_swap = |s: &Sites| s.moved.iter().all(|at| swaps.contains_key(at));
        let handed_on = self.procs.iter().flat_map(|p| &p.formals).any(|f| self.p.symbol(f.symbol).has_attribute("allocatable"));
        // At the top of the unit: what stands before and behind.
        let top = |n: Node<'t>| n.parent() == Some(unit);
        let here = swaps.iter().filter(|(_, p)| matches!(p, Part::First(b, l) if b == between && l == names)).map(|(at, _)| *at);
        let place = here.clone().min().zip(here.max());
        let behind = |n: &Node<'t>| top(*n) && place.is_some_and(|(_, last)| n.start_byte() > self.end_at_top(unit, last));
        let before = |n: &Node<'t>| top(*n) && place.is_some_and(|(first, _)| n.end_byte() <= first);
        let size = |n: &Node<'t>| child(*n, "size").filter(|s| self.is_steady(*s)).map(|s| self.file().squeezed(s).to_ascii_lowercase());
        let bounds = all[0].1.allocated.first().and_then(size);
        let fit = |(s, u): &(SymbolId, Sites<'t>)| {
            let [once] = u.allocated[..] else { return false };
            alike(*s)
                && !u.otherwise
                && !(u.passed && handed_on)
                && in_swap(u)
                && size(&once) == bounds
                && once.parent().as_ref().is_some_and(before)
                && u.freed.iter().all(behind)
        };
        bounds.is_some() && all.iter().all(fit) && alike(kept) && in_swap(&sites) && sites.named == sites.moved.len()
    }

    /// Whether nothing changes what the bounds of an allocation are made of from there on.
    fn is_steady(&self, bounds: Node<'t>) -> bool {
        let mut steady = true;
        walk(bounds, &mut |n| {
            if n.kind() == "identifier"
                && let Some(s) = self.lookup(self.cur.scope, &self.lower(n))
            {
                let symbol = self.p.symbol(s);
                steady &= !symbol.has_attribute("allocatable")
                    && !symbol.pointer
                    && self.never_changes(&Expr::sym(s), &(bounds.start_byte()..usize::MAX));
            }
            steady
        });
        steady
    }

    /// Where the statement at the top of the unit ends that holds a place.
    fn end_at_top(&self, unit: Node<'t>, place: usize) -> usize {
        named(unit).into_iter().find(|n| n.byte_range().contains(&place)).map_or(usize::MAX, |n| n.end_byte())
    }

    fn sites(&self, unit: Node<'t>, name: &str) -> Sites<'t> {
        let mut out = Sites::default();
        walk(unit, &mut |n| {
            if n.kind().ends_with("_declaration") {
                return false;
            }
            if let Some((from, to)) = self.moved_names(n) {
                let times = [from, to].iter().filter(|m| *m == name).count();
                out.named += times;
                out.moved.extend(std::iter::repeat_n(n.start_byte(), times));
                return false;
            }
            if n.kind() != "identifier" || self.lower(n) != name {
                return true;
            }
            out.named += 1;
            let mut up = n.parent();
            while let Some(p) = up {
                match p.kind() {
                    "sized_allocation" if named(p).first() == Some(&n) => out.allocated.push(p),
                    "allocate_statement" if n.parent() == Some(p) => out.otherwise = true,
                    "deallocate_statement" => out.freed.push(p),
                    "argument_list" | "keyword_argument" if n.parent() == Some(p) => out.passed = true,
                    "association_list" | "association" | "block_construct" | "internal_procedures" => out.otherwise = true,
                    _ => {}
                }
                up = p.parent().filter(|p| *p != unit);
            }
            true
        });
        out
    }
}

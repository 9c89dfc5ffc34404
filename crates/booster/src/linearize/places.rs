//! Which earlier definition or use a reference meets: ud-chains inside a sequence of statements.
//!
//! Subscripts are compared as "something plus a constant": elements whose subscripts differ by a constant are different, equal ones are the
//! same, and all others may be either. The caller sees to it that no subscript changes its value while a table is in use.
//!
//! Lives here: the tables. Never here: statements, graphs.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::borrow::Cow;
use xaif::model::{BaseType, Expr, NodeId, NodeKind, SymbolId, VarRef};

/// An index as something plus a constant, however the sum is nested. Nothing is copied until somebody wants to have the something.
#[derive(Clone, Copy, Debug)]
pub struct Offset<'a> {
    index: &'a Expr,
    /// The vertex of the something; none where the index is a constant.
    base: Option<NodeId>,
    /// What is added to it.
    pub constant: i64,
}

impl<'a> Offset<'a> {
    /// Takes an index apart.
    pub fn of(index: &'a Expr) -> Offset<'a> {
        let int = |at: NodeId| match &index.node_at(at).kind {
            NodeKind::Const(c) if c.ty.base == BaseType::Integer => c.value.parse::<i64>().ok(),
            _ => None,
        };
        let mut at = index.root_id();
        let mut constant = 0i64;
        loop {
            if let Some(n) = int(at) {
                return Offset { index, base: None, constant: constant.saturating_add(n) };
            }
            let node = index.node_at(at);
            let (next, n) = match (&node.kind, &node.operands[..]) {
                (NodeKind::Op(op), &[a, b]) => match (op.name.as_str(), int(a), int(b)) {
                    ("add_scal_scal", _, Some(n)) => (a, n),
                    ("add_scal_scal", Some(n), _) => (b, n),
                    ("sub_scal_scal", _, Some(n)) => (a, n.saturating_neg()),
                    _ => return Offset { index, base: Some(at), constant },
                },
                _ => return Offset { index, base: Some(at), constant },
            };
            constant = constant.saturating_add(n);
            at = next;
        }
    }

    /// The something.
    pub fn base(&self) -> Option<Cow<'a, Expr>> {
        let at = self.base?;
        Some(if at == self.index.root_id() { Cow::Borrowed(self.index) } else { Cow::Owned(self.index.subexpr(at)) })
    }

    /// Whether both are the same thing plus constants.
    pub fn same_base(&self, other: &Offset) -> bool {
        let node = |o: &Offset<'a>| o.base.map(|at| o.index.node_at(at));
        match (self.base, other.base) {
            (None, None) => true,
            (Some(_), Some(at)) => match (node(self), other.index.node_at(at)) {
                (Some(a), b) if a.operands.is_empty() || b.operands.is_empty() => a.kind == b.kind && a.operands[..] == b.operands[..],
                _ => self.base() == other.base(),
            },
            _ => false,
        }
    }
}

/// The same with what the something is.
pub fn offset(e: &Expr) -> (Option<Expr>, i64) {
    let o = Offset::of(e);
    (o.base().map(Cow::into_owned), o.constant)
}

/// The variable parts of all subscripts, and the constants that are added to them.
type Split = (SmallVec<[Option<Expr>; 2]>, SmallVec<[i64; 2]>);

fn split(r: &VarRef) -> Option<Split> {
    let mut out = Split::default();
    for t in &r.subscripts {
        let index = t.index.as_ref().filter(|_| !t.is_section())?;
        let (base, n) = offset(index);
        out.0.push(base);
        out.1.push(n);
    }
    Some(out)
}

/// What a table knows of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Met {
    /// Nothing in the table can be it.
    Nothing,
    /// It is this one for certain, and nothing later can be it as well.
    One(u32),
    /// It may be one of several, or none.
    Unclear,
}

/// The elements of a variable whose subscripts have the same variable parts: pairwise the same or different.
#[derive(Clone, Debug)]
struct Group {
    bases: SmallVec<[Option<Expr>; 2]>,
    /// By the constants: what it is, and when it was entered.
    elements: FxHashMap<SmallVec<[i64; 2]>, (u32, u32)>,
    latest: u32,
}

impl Group {
    /// The latest entry of this group that an element of another group may be.
    fn latest_touching(&self, (bases, constants): &Split) -> Option<u32> {
        let agrees: SmallVec<[bool; 2]> = self.bases.iter().zip(bases).map(|(a, b)| a == b).collect();
        if !agrees.contains(&true) || self.elements.len() > MOST_COMPARED {
            return Some(self.latest);
        }
        let touches = |other: &SmallVec<[i64; 2]>| agrees.iter().zip(constants.iter().zip(other)).all(|(same, (m, n))| !same || m == n);
        self.elements.iter().filter(|(k, _)| touches(k)).map(|(_, &(_, at))| at).max()
    }
}

/// Groups larger than this are not looked through.
const MOST_COMPARED: usize = 64;

/// References with what they stand for.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Variables that are named without subscripts: what they are, and when they were entered. Most references of most programs are in here.
    plain: FxHashMap<SymbolId, (u32, u32)>,
    /// All others.
    groups: FxHashMap<SymbolId, Vec<Group>>,
    /// Entered variables that may share memory with others.
    suspects: Vec<SymbolId>,
    now: u32,
}

/// What may share memory.
pub trait Sharing {
    /// Whether the variable may share memory with any other at all.
    fn suspect(&self, s: SymbolId) -> bool;
    /// Whether two different variables may.
    fn overlap(&self, a: SymbolId, b: SymbolId) -> bool;
}

impl Places {
    /// Enters a reference; what was known of the same place is replaced. False for what is no element.
    pub fn enter(&mut self, r: &VarRef, what: u32, sharing: &dyn Sharing) -> bool {
        if r.subscripts.is_empty() {
            self.now += 1;
            let known = self.plain.insert(r.symbol, (what, self.now)).is_some();
            if !known && sharing.suspect(r.symbol) {
                self.suspects.push(r.symbol);
            }
            return true;
        }
        let Some((bases, constants)) = split(r) else { return false };
        self.now += 1;
        let now = self.now;
        let groups = self.groups.entry(r.symbol).or_default();
        if groups.is_empty() && sharing.suspect(r.symbol) {
            self.suspects.push(r.symbol);
        }
        let group = match groups.iter_mut().find(|g| g.bases == bases) {
            Some(g) => g,
            None => {
                groups.push(Group { bases, elements: FxHashMap::default(), latest: 0 });
                let last = groups.len() - 1;
                &mut groups[last]
            }
        };
        group.elements.insert(constants, (what, now));
        group.latest = now;
        true
    }

    /// What was entered for exactly this reference, whatever came later.
    pub fn exact(&self, r: &VarRef) -> Option<u32> {
        if r.subscripts.is_empty() {
            return self.plain.get(&r.symbol).map(|e| e.0);
        }
        let (bases, constants) = split(r)?;
        let group = self.groups.get(&r.symbol)?.iter().find(|g| g.bases == bases)?;
        group.elements.get(&constants).map(|e| e.0)
    }

    /// What a reference meets.
    pub fn find(&self, r: &VarRef, sharing: &dyn Sharing) -> Met {
        let of_suspect = || sharing.suspect(r.symbol) && self.suspects.iter().any(|&s| s != r.symbol && sharing.overlap(s, r.symbol));
        let (plain, groups) = (self.plain.get(&r.symbol).copied(), self.groups.get(&r.symbol));
        let (own, other) = if r.subscripts.is_empty() {
            (plain, groups.into_iter().flatten().map(|g| g.latest).max())
        } else {
            let Some(split) = split(r) else { return Met::Unclear };
            let groups = || groups.into_iter().flatten();
            let own = groups().find(|g| g.bases == split.0).and_then(|g| g.elements.get(&split.1)).copied();
            (own, self.others(r, &split))
        };
        match (own, other) {
            _ if !self.suspects.is_empty() && of_suspect() => Met::Unclear,
            (None, None) => Met::Nothing,
            (Some((what, at)), other) if other.is_none_or(|o| o < at) => Met::One(what),
            _ => Met::Unclear,
        }
    }

    /// The latest entry that a reference with subscripts may be, but for those whose subscripts have the same variable parts.
    fn others(&self, r: &VarRef, split: &Split) -> Option<u32> {
        let groups = self.groups.get(&r.symbol).into_iter().flatten().filter(|g| g.bases != split.0);
        groups.filter_map(|g| g.latest_touching(split)).chain(self.plain.get(&r.symbol).map(|e| e.1)).max()
    }
}

impl Places {
    /// What a reference meets where it does not matter which reference was entered when: one for certain, and no other may be it as well.
    pub fn find_alone(&self, r: &VarRef, sharing: &dyn Sharing) -> Met {
        let met = self.find(r, sharing);
        let others = if r.subscripts.is_empty() {
            self.groups.contains_key(&r.symbol)
        } else {
            split(r).is_some_and(|split| self.others(r, &split).is_some())
        };
        if others && met != Met::Nothing { Met::Unclear } else { met }
    }
}

/// Certainly different elements of one array: in some dimension the subscripts differ by a constant.
pub fn apart(a: &VarRef, b: &VarRef) -> bool {
    a.subscripts.len() == b.subscripts.len()
        && a.subscripts.iter().zip(&b.subscripts).any(|(s, t)| match (&s.index, &t.index) {
            (Some(x), Some(y)) if !s.is_section() && !t.is_section() => {
                let (a, b) = (Offset::of(x), Offset::of(y));
                a.constant != b.constant && a.same_base(&b)
            }
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct None_;
    impl Sharing for None_ {
        fn suspect(&self, _: SymbolId) -> bool {
            false
        }
        fn overlap(&self, _: SymbolId, _: SymbolId) -> bool {
            false
        }
    }

    struct All;
    impl Sharing for All {
        fn suspect(&self, _: SymbolId) -> bool {
            true
        }
        fn overlap(&self, _: SymbolId, _: SymbolId) -> bool {
            true
        }
    }

    fn a(i: Expr) -> VarRef {
        VarRef::element(SymbolId(0), [i])
    }

    fn i(n: i64) -> Expr {
        Expr::op("add_scal_scal", [Expr::sym(SymbolId(1)), Expr::int(n)])
    }

    #[test]
    fn elements_with_one_base_are_told_apart() {
        let mut p = Places::default();
        assert!(p.enter(&a(i(1)), 7, &None_));
        assert_eq!(p.find(&a(i(1)), &None_), Met::One(7));
        assert_eq!(p.find(&a(i(2)), &None_), Met::Nothing);
        assert_eq!(p.find(&a(Expr::int(3)), &None_), Met::Unclear);
        assert_eq!(p.find(&VarRef::whole(SymbolId(2)), &None_), Met::Nothing);
    }

    #[test]
    fn a_later_unclear_definition_hides_an_earlier_one() {
        let mut p = Places::default();
        p.enter(&a(i(1)), 7, &None_);
        p.enter(&a(Expr::int(3)), 8, &None_);
        assert_eq!(p.find(&a(i(1)), &None_), Met::Unclear);
        assert_eq!(p.find(&a(Expr::int(3)), &None_), Met::One(8));
        p.enter(&a(i(1)), 9, &None_);
        assert_eq!(p.find(&a(i(1)), &None_), Met::One(9));
    }

    #[test]
    fn one_dimension_is_enough_to_be_apart() {
        let j = || Expr::sym(SymbolId(2));
        let at = |n: i64, e: Expr| VarRef::element(SymbolId(0), [Expr::int(n), e]);
        let mut p = Places::default();
        p.enter(&at(1, i(0)), 7, &None_);
        assert_eq!(p.find(&at(2, j()), &None_), Met::Nothing);
        assert_eq!(p.find(&at(1, j()), &None_), Met::Unclear);
        assert!(apart(&at(1, i(0)), &at(2, j())));
    }

    #[test]
    fn what_may_share_memory_is_unclear() {
        let mut p = Places::default();
        p.enter(&VarRef::whole(SymbolId(4)), 1, &All);
        assert_eq!(p.find(&VarRef::whole(SymbolId(5)), &All), Met::Unclear);
        assert_eq!(p.find(&VarRef::whole(SymbolId(4)), &All), Met::One(1));
    }
}

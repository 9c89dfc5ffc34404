//! Arrays of which some code reads only what it has set itself.
//!
//! ```text
//! do i = 2, n - 1
//!   w(i) = step(u, i)          w(2:n-1) is set,
//! end do
//! do i = 2, n - 1
//!   u(i) = w(i)                and only then read: w is fresh, u is not
//! end do
//! ```
//!
//! Code is walked in the order of the text. At each depth of loops there is a list of the parts that are set for certain whenever control gets there:
//! within the iteration of each loop around, what this iteration has set; a loop adds what all its iterations have set to the list of the code around it,
//!
//! ```text
//! set(d)     parts, in terms of what stays and of the indices of the d outermost loops
//! w(e) = .   the element w(e) to set(d); behind loop k < d the elements of all its iterations to set(k), if each iteration has one of its own
//! w(e)       is covered, if for some k <= d all elements of the iterations of the loops k + 1, ..., d are within a part of set(0), ..., set(k)
//! ```
//!
//! Where each iteration sets the element after the one before, the iterations before this one have set all from the first on, and recurrences are covered:
//!
//! ```text
//! w(1) = .; do i = 2, n; w(i) = g(w(i - 1)); end do          [1..1] and [2..i-1] in front of iteration i
//! ```
//!
//! Jumps to a label further down bring along what is set where they are: there counts what is set on all ways.
//!
//! A loop without iterations sets nothing, as the part is empty then, and so is a part that a loop over the same iterations reads. Of the arms of a branch counts
//! what all of them have set. A loop that is left early, or is not counted, sets nothing.
//!
//! Source: regions that are certainly written, as in Creusillet and Irigoin, "Interprocedural array region analyses" (1996), restricted to the parts of
//! [`super::regions`].
//!
//! Lives here: reading that off subscripts and the bounds of loops. Never here: where the code comes from, what follows from it.

use super::counted::Range;
use super::regions::{self, Around, Known, Part, Span, one_to_one, plus, side_by_side};
use crate::linearize::places::offset;
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::Program;
use xaif::model::{BaseType, Bound, Dim, ElemType, Expr, IndexOrder, Storage, SymbolId, Triplet, VarRef, VertexId};
use xaif::types;

/// Loops in more loops than this are walked once only.
const MAX_DEPTH: usize = 4;

/// So many parts are kept in mind at once.
const MAX_PARTS: usize = 64;

/// A piece of code.
#[derive(Debug)]
pub(crate) enum Piece<'a> {
    /// An assignment.
    Assign(&'a VarRef, &'a Expr),
    /// What is read besides.
    Test(&'a Expr),
    /// All of these variables are read.
    Reads(Vec<SymbolId>),
    /// No more than this part of an array is read, whatever the iterations around.
    ReadsPart(SymbolId, Part),
    /// This part of an array is set, whatever the iterations around.
    Sets(SymbolId, Part),
    /// One of these arms is run, or none unless they are `complete`.
    Branch {
        /// The arms.
        arms: Vec<Arm<'a>>,
        /// One of them is run in any case, and from its start to its end.
        complete: bool,
    },
    /// Control goes on at a label further down.
    Goto(VertexId),
    /// A label that such jumps lead to.
    Label(VertexId),
    /// A loop; what is read before its iterations stands in front of it.
    Loop {
        /// The values of the index, where the iterations are counted.
        range: Option<Range>,
        /// An iteration.
        body: Vec<Piece<'a>>,
        /// Iterations, or rests of them, may be left out.
        left: bool,
    },
}

/// An arm of a branch.
#[derive(Debug)]
pub(crate) struct Arm<'a> {
    /// What it does.
    pub body: Vec<Piece<'a>>,
    /// It ends the unit: nothing behind the branch follows on it.
    pub leaves: bool,
}

/// What is known of the variables of some code.
pub(crate) struct Setting<'a> {
    /// The program.
    pub program: &'a Program,
    /// Whether no part of the code changes a variable.
    pub steady: &'a dyn Fn(SymbolId) -> bool,
    /// Whether nothing but assignments to it and heads of loops change a variable.
    pub plain: &'a dyn Fn(SymbolId) -> bool,
    /// The variable that a symbol stands for.
    pub object: &'a dyn Fn(SymbolId) -> SymbolId,
}

/// Whether all that the code reads of an array has been set by it before.
pub(crate) fn is_fresh(setting: &Setting, code: &[Piece], array: SymbolId) -> bool {
    let mut scan = Scan::new(setting, array, true);
    code.iter().all(|p| scan.piece(p))
}

/// The parts of an array that the code has set for certain when control gets to its end, in terms of what stays.
pub(crate) fn set_by(setting: &Setting, code: &[Piece], array: SymbolId) -> Vec<Part> {
    let mut scan = Scan::new(setting, array, false);
    scan.sequence(code);
    scan.set.pop().unwrap_or_default()
}

/// The stride of a counted loop that is a number, and the values of its index in ascending order.
pub(crate) fn ascending(r: &Range) -> Option<Around> {
    let stride = r.stride.as_int()?;
    let (low, high) = if stride < 0 { (&r.bound, &r.first) } else { (&r.first, &r.bound) };
    Some(Around { index: r.index, span: Span { low: low.clone(), high: high.clone() }, dense: matches!(stride, 1 | -1), up: stride > 0 })
}

struct Scan<'a> {
    setting: &'a Setting<'a>,
    array: SymbolId,
    /// Whether it is asked what is read: what is set does not depend on it.
    reading: bool,
    /// The counted loops around.
    around: Vec<Around>,
    /// What the iterations of each of them change.
    changed: Vec<FxHashSet<SymbolId>>,
    /// What is set for certain, by depth of loops: one list more than there are loops. A part without dimensions is all of the array.
    set: Vec<Vec<Part>>,
    /// What will be set behind each of the loops around.
    pending: Vec<Vec<Part>>,
    /// Variables that have the values of expressions.
    equal: Vec<(SymbolId, Expr)>,
    /// What was known at jumps to labels further down.
    jumps: FxHashMap<VertexId, Vec<State>>,
    /// Labels further up.
    passed: FxHashSet<VertexId>,
}

/// What is set, and what is equal.
type State = (Vec<Vec<Part>>, Vec<(SymbolId, Expr)>);

impl<'a> Scan<'a> {
    fn new(setting: &'a Setting<'a>, array: SymbolId, reading: bool) -> Scan<'a> {
        Scan {
            setting,
            array,
            reading,
            around: Vec::new(),
            changed: Vec::new(),
            set: vec![Vec::new()],
            pending: Vec::new(),
            equal: Vec::new(),
            jumps: FxHashMap::default(),
            passed: FxHashSet::default(),
        }
    }
}

impl Scan<'_> {
    fn sequence(&mut self, code: &[Piece]) -> bool {
        code.iter().filter(|p| !self.piece(p)).count() == 0
    }

    /// Whether all that is read has been set before; notes what is set.
    fn piece(&mut self, piece: &Piece) -> bool {
        match piece {
            Piece::Assign(lhs, rhs) => {
                let fine = self.reads(rhs) && lhs.index_exprs().all(|e| self.reads(e));
                if self.is_it(lhs) {
                    self.assigned(lhs);
                } else {
                    self.forget(&|s| s == lhs.symbol);
                    if lhs.subscripts.is_empty()
                        && (self.setting.plain)(lhs.symbol)
                        && is_sum(rhs, &|s| s != lhs.symbol && self.is_known(s))
                        && self.keeps(lhs.symbol, rhs)
                    {
                        self.equal.push((lhs.symbol, Expr::clone(rhs)));
                    }
                }
                fine
            }
            Piece::Test(e) => self.reads(e),
            Piece::Reads(_) | Piece::ReadsPart(..) if !self.reading => true,
            Piece::Reads(list) => !list.iter().any(|&s| (self.setting.object)(s) == self.array) || self.all_covered(),
            Piece::ReadsPart(s, part) if (self.setting.object)(*s) == self.array => match self.is_told(part) {
                true => self.covers(self.set.iter().flatten(), part),
                false => self.all_covered(),
            },
            Piece::Sets(s, part) if (self.setting.object)(*s) == self.array => {
                if self.is_told(part) {
                    self.add(part.clone());
                }
                true
            }
            Piece::ReadsPart(..) | Piece::Sets(..) => true,
            Piece::Goto(label) => {
                // Back to it: what is read there has been looked at already.
                let ahead = !self.passed.contains(label);
                let state = (self.set.clone(), self.equal.clone());
                self.jumps.entry(*label).or_default().push(state);
                ahead
            }
            Piece::Label(label) => {
                self.passed.insert(*label);
                for (set, equal) in self.jumps.remove(label).unwrap_or_default() {
                    // What is set on the other way is judged by what is equal there.
                    let mut here = std::mem::replace(&mut self.equal, equal);
                    for k in 0..self.set.len() {
                        let there = set.get(k).map_or(&[][..], |l| l);
                        let list = std::mem::take(&mut self.set[k]);
                        self.set[k] = list.into_iter().filter(|p| self.covers(there.iter(), p)).collect();
                    }
                    here.retain(|e| self.equal.contains(e));
                    self.equal = here;
                }
                self.pending.iter_mut().for_each(Vec::clear);
                true
            }
            Piece::Branch { arms, complete } => self.branch(arms, *complete),
            Piece::Loop { range, body, left } => {
                let heads = range.iter().flat_map(|r| [&r.first, &r.bound, &r.stride]).all(|e| self.reads(e));
                self.repeat(range.as_ref(), body, *left) && heads
            }
        }
    }

    /// Whether changes of all that the bounds of a part name are seen.
    fn is_told(&self, part: &Part) -> bool {
        part.iter().flat_map(|d| [&d.low, &d.high]).all(|e| e.every_ref(&|v| self.stays(v, self.around.len())))
    }

    fn branch(&mut self, arms: &[Arm], complete: bool) -> bool {
        let before = (self.set.clone(), self.pending.clone(), self.equal.clone());
        let mut common: Option<Vec<Vec<Part>>> = None;
        let mut fine = true;
        for arm in arms {
            fine &= self.sequence(&arm.body);
            self.pending.clone_from(&before.1);
            let set = std::mem::replace(&mut self.set, before.0.clone());
            // By what is equal at the end of this arm.
            if !arm.leaves {
                common = Some(match common {
                    None => set,
                    Some(other) => {
                        other.into_iter().zip(&set).map(|(a, b)| a.into_iter().filter(|p| self.covers(b.iter(), p)).collect()).collect()
                    }
                });
            }
            self.equal.clone_from(&before.2);
        }
        if let Some(common) = common.filter(|_| complete) {
            self.set = common;
        }
        let mut changed = FxHashSet::default();
        arms.iter().for_each(|a| changes(&a.body, &mut changed));
        self.forget(&|s| changed.contains(&s));
        fine
    }

    fn repeat(&mut self, range: Option<&Range>, body: &[Piece], left: bool) -> bool {
        let around = range.and_then(ascending);
        let mut changed = FxHashSet::default();
        changes(body, &mut changed);
        changed.extend(range.map(|r| r.index));
        self.forget(&|s| changed.contains(&s));
        let (before, equal) = ((self.set.clone(), self.pending.clone()), self.equal.clone());
        let Some(around) = around else {
            let fine = self.sequence(body);
            ((self.set, self.pending), self.equal) = (before, equal);
            return fine;
        };
        let (mut fine, each, mut behind) = self.iterations(&around, &changed, body, Vec::new());
        // Earlier iterations have set something, too, if none leaves a part of itself out.
        let same = |p: &&Part| !mentions(p, &|s| s != around.index && changed.contains(&s));
        let carried: Vec<Part> = each.iter().filter(same).filter_map(|p| so_far(p, &around)).collect();
        if !fine && !left && !carried.is_empty() && self.around.len() < MAX_DEPTH {
            self.pending.clone_from(&before.1);
            self.equal.clone_from(&equal);
            (fine, _, behind) = self.iterations(&around, &changed, body, carried);
        }
        self.equal = equal;
        if left {
            (self.set, self.pending) = before;
        } else {
            behind.into_iter().for_each(|p| self.add(p));
        }
        fine
    }

    /// An iteration of a counted loop in front of which earlier ones have set some parts: whether all that it reads is set, what it sets for certain, and what
    /// all iterations together do.
    fn iterations(
        &mut self,
        around: &Around,
        changed: &FxHashSet<SymbolId>,
        body: &[Piece],
        carried: Vec<Part>,
    ) -> (bool, Vec<Part>, Vec<Part>) {
        let outside: Vec<Part> = self.set.iter().flatten().cloned().collect();
        self.around.push(around.clone());
        self.changed.push(changed.clone());
        self.pending.push(Vec::new());
        self.set.push(if carried.is_empty() { Vec::new() } else { outside });
        carried.into_iter().for_each(|p| self.add(p));
        let fine = self.sequence(body);
        self.around.pop();
        self.changed.pop();
        (fine, self.set.pop().unwrap_or_default(), self.pending.pop().unwrap_or_default())
    }

    fn is_it(&self, r: &VarRef) -> bool {
        (self.setting.object)(r.symbol) == self.array
    }

    fn assigned(&mut self, lhs: &VarRef) {
        for k in 0..self.around.len() {
            if let Some(part) = self.part(lhs, k, true).filter(|p| !self.pending[k].contains(p))
                && self.pending[k].len() < MAX_PARTS
            {
                self.pending[k].push(part);
            }
        }
        if let Some(part) = self.part(lhs, self.around.len(), true) {
            self.add(part);
        }
    }

    fn reads(&self, e: &Expr) -> bool {
        !self.reading || e.every_ref(&|r| !self.is_it(r) || self.covered(r))
    }

    fn covered(&self, r: &VarRef) -> bool {
        if is_whole(r) {
            return self.all_covered();
        }
        (0..=self.around.len()).any(|k| self.part(r, k, false).is_some_and(|p| self.covers(self.set[..=k].iter().flatten(), &p)))
    }

    /// Whether a part is within one that is set, given where the indices of the loops around are.
    fn covers<'p>(&self, mut set: impl Iterator<Item = &'p Part> + Clone, part: &Part) -> bool {
        if set.clone().any(|s| s.is_empty() || s == part) {
            return true;
        }
        let mut known = Known::default();
        for (k, a) in self.around.iter().enumerate() {
            if [&a.span.low, &a.span.high].iter().all(|e| e.every_ref(&|v| self.stays(v, k))) {
                known.between(&a.span.low, &Expr::sym(a.index), &a.span.high);
                known.at_least(&a.span.high, &a.span.low);
            }
        }
        self.equal.iter().for_each(|(s, e)| known.between(e, &Expr::sym(*s), e));
        // What is read lies within the array, if there is anything.
        for (d, p) in self.dims().iter().zip(part) {
            self.bound(&d.lower).into_iter().for_each(|low| known.at_least(&p.low, &low));
            self.bound(&d.upper).into_iter().for_each(|high| known.at_least(&high, &p.high));
        }
        set.any(|s| known.within(part, s))
    }

    /// Whether all elements are set.
    fn all_covered(&self) -> bool {
        let declared = self.declared();
        let mut set = self.set.iter().flatten();
        match declared {
            Some(all) => self.covers(set, &all),
            None => set.any(Part::is_empty),
        }
    }

    /// All of the array by its bounds, where these stay.
    fn declared(&self) -> Option<Part> {
        let span = |d: &Dim| Some(Span { low: self.bound(&d.lower)?, high: self.bound(&d.upper)? });
        let dims = self.dims().iter().map(span).collect::<Option<Part>>()?;
        (!dims.is_empty()).then_some(dims)
    }

    /// The bounds that all of the array lies between. A pointer of C may point into the middle of it.
    fn dims(&self) -> &[Dim] {
        let symbol = self.setting.program.symbol(self.array);
        let open = self.setting.program.index_order == IndexOrder::Row && *symbol.storage() == Storage::Argument;
        symbol.decl.as_ref().filter(|_| !open).map_or(&[], |d| &d.dims)
    }

    /// A bound that stays.
    fn bound(&self, b: &Bound) -> Option<Expr> {
        match b {
            Bound::Expr(e) => e.every_ref(&|v| (self.setting.steady)(v.symbol)).then(|| plus(e, 0)),
            Bound::Unknown => None,
        }
    }

    /// Whether nothing changes a variable in all iterations of the loops around from the `k`-th on.
    fn stays(&self, v: &VarRef, k: usize) -> bool {
        let s = v.symbol;
        let seen = || (self.setting.plain)(s) && self.changed.get(k).is_none_or(|c| !c.contains(&s));
        (self.setting.steady)(s) || self.around[..k].iter().any(|a| a.index == s) || seen()
    }

    /// A variable gets another value: what parts say in terms of it holds no longer.
    fn forget(&mut self, is: &dyn Fn(SymbolId) -> bool) {
        self.set.iter_mut().chain(&mut self.pending).for_each(|list| list.retain(|p| !mentions(p, is)));
        self.equal.retain(|(s, e)| !is(*s) && e.every_ref(&|v| !is(v.symbol)));
    }

    /// Whether a variable can have each value of a sum: it is as wide, and neither wraps around.
    fn keeps(&self, s: SymbolId, sum: &Expr) -> bool {
        let program = self.setting.program;
        let bits = |ty: ElemType| if ty.bits == 0 { 32 } else { ty.bits };
        let signed = |s: SymbolId| !program.symbol(s).has_attribute("unsigned");
        let whole = |ty: ElemType| ty.base == BaseType::Integer;
        let (to, from) = (program.symbol(s).ty, types::of(program, sum).elem);
        whole(to) && whole(from) && bits(to) >= bits(from) && signed(s) && sum.every_ref(&|v| signed(v.symbol))
    }

    /// Whether changes of a variable are seen.
    fn is_known(&self, s: SymbolId) -> bool {
        (self.setting.steady)(s) || (self.setting.plain)(s)
    }

    /// The part of the array that a reference stands for in all iterations of the loops around from the `k`-th on; with `exact` each element of it, else perhaps
    /// less.
    fn part(&self, r: &VarRef, k: usize, exact: bool) -> Option<Part> {
        let around = &self.around[k..];
        if is_whole(r) {
            return Some(Part::new());
        }
        let steady = |v: &VarRef| self.stays(v, k);
        let parts = if r.has_section() {
            // Ends that depend on loops further out are those of some iterations only.
            let free = |e: &Expr| e.every_ref(&|v| around.iter().all(|a| a.index != v.symbol));
            if exact && !around.iter().all(|a| free(&a.span.low) && free(&a.span.high)) {
                return None;
            }
            regions::spans(r, around, &steady).into_iter().collect::<Option<Part>>()?
        } else {
            regions::part(r, around, &steady)?
        };
        (!exact || each_element(r, around)).then_some(parts)
    }

    /// Adds a part to what is set, grown by those that it continues. What is within it for certain is left out: a range may be empty.
    fn add(&mut self, mut part: Part) {
        let Some(set) = self.set.last_mut() else { return };
        let within = |p: &Part, q: &Part| q.is_empty() || p == q || Known::default().within(p, q);
        for _ in 0..MAX_PARTS {
            if set.iter().any(|s| within(&part, s)) {
                return;
            }
            set.retain(|s| !within(s, &part));
            let next = set.iter().find_map(|s| joined(s, &part));
            if set.len() < MAX_PARTS {
                set.push(part);
            }
            match next {
                Some(j) => part = j,
                None => return,
            }
        }
    }
}

fn is_whole(r: &VarRef) -> bool {
    r.subscripts.iter().all(|t| t.index.is_none() && t.bound.is_none() && t.stride.is_none())
}

/// Whether a reference has each element of its part in some iteration: the ends of its sections are the same in all of them.
fn each_element(r: &VarRef, around: &[Around]) -> bool {
    let (sections, single): (Vec<&Triplet>, Vec<&Triplet>) = r.subscripts.iter().partition(|t| t.is_section());
    let free = |e: &Expr| e.every_ref(&|v| around.iter().all(|a| a.index != v.symbol));
    let ends = sections.iter().flat_map(|t| t.index.iter().chain(&t.bound).chain(&t.stride));
    let rest = VarRef { subscripts: single.into_iter().cloned().collect(), ..r.clone() };
    ends.into_iter().all(free) && one_to_one(&rest, around)
}

/// Whether the bounds of a part name some variable.
fn mentions(part: &Part, is: &dyn Fn(SymbolId) -> bool) -> bool {
    part.iter().flat_map(|s| [&s.low, &s.high]).any(|e| !e.every_ref(&|v| !is(v.symbol)))
}

/// Whether an expression is a variable and a constant added to it.
fn is_sum(e: &Expr, known: &dyn Fn(SymbolId) -> bool) -> bool {
    offset(e).0.is_none_or(|b| b.as_var().is_some_and(|v| v.subscripts.is_empty() && known(v.symbol)))
}

/// The variables that some code assigns.
fn changes(code: &[Piece], into: &mut FxHashSet<SymbolId>) {
    for piece in code {
        match piece {
            Piece::Assign(lhs, _) => {
                into.insert(lhs.symbol);
            }
            Piece::Branch { arms, .. } => arms.iter().for_each(|a| changes(&a.body, into)),
            Piece::Loop { range, body, .. } => {
                into.extend(range.iter().map(|r| r.index));
                changes(body, into);
            }
            Piece::Test(_) | Piece::Reads(_) | Piece::ReadsPart(..) | Piece::Sets(..) | Piece::Goto(_) | Piece::Label(_) => {}
        }
    }
}

/// What the iterations before this one have set, where each sets one element further on.
fn so_far(part: &Part, around: &Around) -> Option<Part> {
    let index = Expr::sym(around.index);
    let moves = |e: &Expr| !e.every_ref(&|v| v.symbol != around.index);
    let at = part.iter().position(|s| moves(&s.low) || moves(&s.high))?;
    let (base, shift) = offset(&part[at].low);
    let others = part.iter().enumerate().all(|(k, s)| k == at || !(moves(&s.low) || moves(&s.high)));
    if !others || part[at].low != part[at].high || base != Some(index.clone()) || !around.dense {
        return None;
    }
    let mut out = part.clone();
    out[at] = match around.up {
        true => Span { low: plus(&around.span.low, shift), high: plus(&index, shift - 1) },
        false => Span { low: plus(&index, shift + 1), high: plus(&around.span.high, shift) },
    };
    Some(out)
}

/// Two parts as one: what lies between the outer bounds is in one of them, even where one has no elements.
fn joined(a: &Part, b: &Part) -> Option<Part> {
    side_by_side(a, b, |_, _| true)
}

//! Scalars and elements that counted loops record, and which way branches in them went, in arrays with an element for each iteration.
//!
//! ```text
//! do i = 1, n                      allocate (p_tape(1:n))
//!   call push(p)                   do i = 1, n
//!   p = p*x(i)                       p_tape(i) = p
//! end do                             p = p*x(i)
//!                                  end do
//! ...                        ->    ...
//! do i = n, 1, -1                  do i = n, 1, -1
//!   call pop(p)                      p = p_tape(i)
//!   xb(i) = xb(i) + p*pb             xb(i) = xb(i) + p*pb
//!   pb = x(i)*pb                     pb = x(i)*pb
//! end do                           end do
//!                                  deallocate (p_tape)
//! ```
//!
//! Room is asked for once, nothing is checked in an iteration, and compilers can vectorize what is left. It takes trip counts that are known before the outermost
//! loop starts, and both sweeps in one unit. Where all bounds are numbers and the elements few, the array needs no allocation. Of sections an iteration
//! keeps a few elements at most; longer ones go to the stack in one piece.
//!
//! Lives here: which loops these are, and the arrays. Never here: what is recorded, what else is kept where (`storage`).

use super::storage::{Pair, copy};
use crate::analysis::arrays::counted::{Range, for_loop, most_iterations};
use crate::linearize::fold::Fold;
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree::{Item, LoopKind};
use crate::transform::adjoint::variables::extents::SMALL;
use crate::transform::adjoint::variables::optional::may_be_absent;
use crate::transform::adjoint::variables::{allocated, extents};
use crate::transform::follow;
use smol_str::SmolStr;
use xaif::model::{BaseType, BoolOp, Bound, Decl, Dim, ElemType, Expr, IndexOrder, Storage, Symbol, SymbolId, Triplet, VarRef};
use xaif::{offsets, types};

/// Where allocations may stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Room {
    /// Before the outermost counted loop.
    #[default]
    Here,
    /// Before something around it.
    Around,
    /// Nowhere.
    Nowhere,
}

/// The loops around, and the arrays that were made for the outermost one.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    room: Room,
    /// From the outermost on; `None` where the trip count is not known in time.
    iterations: Vec<Option<IterationRange>>,
    /// What has to be allocated before the outermost loop, with its extents.
    allocated: Vec<VarRef>,
    /// Indices of loops over the elements of sections.
    indices: Vec<SymbolId>,
}

/// The iterations of one loop.
#[derive(Clone, Debug)]
struct IterationRange {
    /// The least index.
    low: Expr,
    /// The greatest index.
    high: Expr,
    /// Where the iteration is between these.
    at: Expr,
}

/// The form of a record, as far as it is known: one dimension after the other.
#[derive(Default)]
struct Shape {
    /// How many elements there are; none where that is not known.
    elements: Option<i64>,
    dims: Vec<Dim>,
    extents: Vec<Triplet>,
    /// What tells an element, with the values that hold where it is recorded.
    subscripts: Vec<Triplet>,
}

impl Shape {
    fn add(&mut self, low: Expr, high: Expr, at: Triplet) {
        self.dims.push(Dim { lower: Bound::Expr(low.clone()), upper: Bound::Expr(high.clone()) });
        self.extents.push(Triplet { index: Some(low), bound: Some(high), stride: None });
        self.subscripts.push(at);
    }

    /// A dimension for each of the loops around.
    fn add_iterations(&mut self, f: Fold, iterations: &[IterationRange], order: IndexOrder) {
        let inner = self.dims.len();
        for x in iterations {
            // Where rows come first, arrays start from zero.
            let zero = order == IndexOrder::Row;
            let shift = |e: Expr| if zero { offsets::minus(e, &x.low) } else { e };
            let (low, high) = (if zero { Expr::int(0) } else { x.low.clone() }, shift(x.high.clone()));
            let extent = high.as_int().zip(low.as_int()).map(|(h, l)| (h.saturating_sub(l)).saturating_add(1).max(0));
            self.elements = self.elements.zip(extent).map(|(a, b)| a.saturating_mul(b));
            // Where rows come first these have some length: of fewer than none nothing is allocated.
            let outermost = self.dims.len() == inner;
            let high = if extent.is_none() && zero && !outermost {
                let count = offsets::plus(high, 1);
                let some = Expr::boolean(BoolOp::GreaterThan, [count.clone(), Expr::int(0)]);
                f.sub(f.select(some, count, Expr::int(1)), Expr::int(1))
            } else {
                high
            };
            self.add(low, high, Triplet { index: Some(shift(x.at.clone())), bound: None, stride: None });
        }
    }
}

impl Tape {
    /// For loops in something else.
    pub fn inside(room: Room) -> Tape {
        Tape { room, ..Tape::default() }
    }

    /// A loop begins; `in_branch`: whether it is run is not known.
    pub fn enter(&mut self, unit: &dyn Surroundings, r: &Range, depth: usize, in_branch: bool) {
        let iterations = match r.stride.as_int() {
            Some(1) => Some(IterationRange { low: r.first.clone(), high: r.bound.clone(), at: Expr::sym(r.index) }),
            Some(-1) => Some(IterationRange { low: r.bound.clone(), high: r.first.clone(), at: Expr::sym(r.index) }),
            _ => None,
        };
        // Part of the iterations of a longer loop: from whatever iteration on, there are no more than so many.
        let f = Fold { program: unit.program() };
        let part = most_iterations(r).map(|n| {
            let index = Expr::sym(r.index);
            let at = if r.stride.as_int() == Some(1) { f.sub(index, r.first.clone()) } else { f.sub(r.first.clone(), index) };
            IterationRange { low: Expr::int(0), high: Expr::int(n - 1), at }
        });
        let iterations = part.or(iterations);
        let known = |x: &IterationRange| {
            let number = x.low.as_int().is_some() && x.high.as_int().is_some();
            number
                || match self.room {
                    Room::Nowhere => false,
                    Room::Here if depth == 0 => !in_branch,
                    Room::Here => self.iterations.first().is_some_and(Option::is_some) && settled(unit, x),
                    Room::Around => settled(unit, x),
                }
        };
        let iterations =
            iterations.filter(|x| self.iterations.len() == depth && !unit.program().symbol(r.index).has_attribute("unsigned") && known(x));
        self.iterations.push(iterations);
    }

    /// A loop that does not count, or counts in another way.
    pub fn enter_other(&mut self) {
        self.iterations.push(None);
    }

    /// The loop is done: what has to be allocated before it, and freed behind it in the reverse sweep.
    pub fn leave(&mut self) -> (Vec<Item>, Vec<Item>) {
        self.iterations.pop();
        if !self.iterations.is_empty() || self.room != Room::Here {
            return (Vec::new(), Vec::new());
        }
        self.finish()
    }

    /// What has to be allocated, and freed.
    pub fn finish(&mut self) -> (Vec<Item>, Vec<Item>) {
        let made = std::mem::take(&mut self.allocated);
        let frees = made.iter().rev().map(|r| Item::stmt(follow::free(r.symbol))).collect();
        (made.into_iter().map(|r| Item::stmt(follow::allocate(r, false))).collect(), frees)
    }

    /// Code that keeps a scalar or an element in this iteration, and brings it back; `None` where that is for the stack.
    pub fn keep(&mut self, unit: &mut dyn Surroundings, place: &VarRef, depth: usize, in_branch: bool) -> Option<Pair> {
        let symbol = unit.program().symbol(place.symbol);
        let number = matches!(symbol.ty.base, BaseType::Real | BaseType::Integer | BaseType::Bool);
        // What is in a local array before it is set is nobody's business, and compilers warn of it: a short one is set at the start (see `assigned`).
        let local = *symbol.storage() == Storage::Local && !["heap", "allocatable"].iter().any(|a| symbol.has_attribute(a));
        let fixed = symbol.rank > 0 && local && extents::few(unit.program(), &VarRef::whole(place.symbol)).is_none();
        // What is recorded only where an argument is there would be set in some iterations only, for compilers.
        let absent = may_be_absent(unit.program(), place.symbol);
        if fixed || absent || depth == 0 || self.iterations.len() != depth || !number {
            return None;
        }
        let sections = if types::of_ref(unit.program(), place).rank > 0 { extents::few(unit.program(), place)? } else { Vec::new() };
        let symbol = unit.program().symbol(place.symbol);
        let (name, ty, scope, symbol_rank) = (symbol.name.clone(), symbol.ty, symbol.scope, symbol.rank);
        let unsigned = symbol.has_attribute("unsigned");
        let type_text = symbol.decl.as_ref().map(|d| d.type_text.clone()).unwrap_or_default();
        let mut iterations: Vec<IterationRange> = self.iterations.iter().cloned().collect::<Option<_>>()?;
        // What varies fastest is contiguous.
        let order = unit.program().index_order;
        if order == IndexOrder::Column {
            iterations.reverse();
        }
        while self.indices.len() < sections.len() {
            self.indices.push(unit.temporary("k", ElemType::INTEGER));
        }
        let f = Fold { program: unit.program() };
        let mut shape = Shape { elements: Some(1), ..Shape::default() };
        let mut element = if place.subscripts.is_empty() && !sections.is_empty() {
            VarRef { subscripts: vec![Triplet::default(); usize::from(symbol_rank)].into(), ..place.clone() }
        } else {
            place.clone()
        };
        let mut over = Vec::new();
        for (s, &k) in sections.iter().zip(&self.indices) {
            // Bounds that are numbers are those of the array, from zero where rows come first.
            let start = if order == IndexOrder::Row { 0 } else { s.first.as_int().unwrap_or(1) };
            let (low, high) = (Expr::int(start), Expr::int(start + s.count - 1));
            let shift = s.first.as_int() != Some(start);
            let at = if shift { f.add(s.first.clone(), f.sub(Expr::sym(k), Expr::int(start))) } else { Expr::sym(k) };
            if let Some(t) = element.subscripts.get_mut(s.dimension) {
                *t = Triplet::element(at);
            }
            shape.elements = shape.elements.and_then(|n| n.checked_mul(s.count));
            over.push((k, low.clone(), high.clone()));
            shape.add(low, high, Triplet::element(Expr::sym(k)));
        }
        let inner = shape.dims.len();
        shape.add_iterations(f, &iterations, order);
        let Shape { elements, mut dims, mut extents, mut subscripts } = shape;
        if elements == Some(0) {
            return None;
        }
        // Elements of one iteration lie together.
        if order == IndexOrder::Row {
            dims.rotate_left(inner);
            extents.rotate_left(inner);
            subscripts.rotate_left(inner);
        } else {
            over.reverse();
        }
        let small = elements.is_some_and(|n| n <= SMALL);
        // A branch may be taken seldom: elements for all iterations could be far more than what is recorded.
        if in_branch && !small {
            return None;
        }
        let mut attributes = vec![SmolStr::new_static("recorded")];
        attributes.extend(unsigned.then(|| SmolStr::new_static("unsigned")));
        let mut decl = Decl { attributes, dims, type_text, ..Decl::default() };
        if !small {
            allocated::declare(&mut decl, order);
        }
        let like = Symbol { rank: decl.dims.len() as u8, decl: Some(Box::new(decl)), ..Symbol::variable("", ty, scope) };
        let tape = unit.array(&format!("{name}_tape"), ty, &like);
        if !small {
            self.allocated.push(VarRef { subscripts: extents.into(), ..VarRef::whole(tape) });
        }
        let at = VarRef { subscripts: subscripts.into(), ..VarRef::whole(tape) };
        Some((each(unit, &over, copy(&at, &element)), each(unit, &over, copy(&element, &at))))
    }
}

/// Whether bounds have the values now that they will have when the loop is reached.
fn settled(unit: &dyn Surroundings, x: &IterationRange) -> bool {
    [&x.low, &x.high].into_iter().all(|e| e.every_ref(&|r| !unit.changes(r.symbol) && !unit.is_new(r.symbol)))
}

/// What is done with an element, done with all of a section.
fn each(unit: &dyn Surroundings, over: &[(SymbolId, Expr, Expr)], item: Item) -> Vec<Item> {
    let f = Fold { program: unit.program() };
    let around = |body, (k, low, high): &(SymbolId, Expr, Expr)| {
        Item::repeat(LoopKind::For(Box::new(for_loop(f, *k, low.clone(), high.clone(), Expr::int(1)))), vec![body])
    };
    vec![over.iter().rev().fold(item, around)]
}

//! Where the snapshots of a checkpointed loop are kept: arrays with a dimension more than the variables that they hold.
//!
//! ```text
//! u_snap(1:n,1:10)     the states of u, one behind the other
//! snap_iteration(1:10)     the iterations in front of which they were made
//! snap                 the latest one
//! ```
//!
//! A single snapshot stands in front of all iterations, so nothing is counted for it.
//! An argument that may be absent is copied only where it is there; the array for it is an empty one where it is not.
//!
//! Lives here: these arrays, and the statements that make, use and move snapshots. Never here: when that happens.

use crate::analysis::arrays::counted::COUNTER;
use crate::linearize::fold::Fold;
use crate::transform::adjoint::code::surroundings::Surroundings;
use crate::transform::adjoint::code::tree::{Item, set};
use crate::transform::adjoint::variables::allocated;
use crate::transform::adjoint::variables::extents;
use crate::transform::adjoint::variables::extents::{SMALL, check_extents};
use crate::transform::adjoint::variables::optional::{guarded, may_be_absent};
use crate::transform::companions::known_extent;
use crate::transform::follow;
use smol_str::{SmolStr, format_smolstr};
use xaif::model::{
    BaseType, BoolOp, Bound, Constant, Decl, Dim, ElemType, Expr, IndexOrder, MostSnapshots, NodeKind, Operation, Snapshots, Stmt, Symbol,
    SymbolId, Triplet, VarRef,
};
use xaif::{Diagnostic, Program};

/// One variable with its snapshots.
struct Held {
    /// All of the variable.
    place: VarRef,
    array: SymbolId,
    /// The whole array with bounds.
    all: VarRef,
    heap: bool,
    /// It is an argument that may be absent.
    optional: bool,
}

impl Held {
    /// Items that are done only where the variable is there.
    fn guarded(&self, item: Item) -> Item {
        if self.optional { Item::branch(follow::is_present(self.place.symbol), vec![item], Vec::new()) } else { item }
    }
}

/// The snapshots of one loop.
pub(crate) struct Store {
    held: Vec<Held>,
    /// Iterations of the snapshots.
    at: SymbolId,
    at_all: VarRef,
    at_heap: bool,
    /// The latest snapshot.
    snap: SymbolId,
    /// How many there may be; a variable where that is not known.
    count: Expr,
    /// Sets that variable.
    counting: Vec<Item>,
    /// The number of the first snapshot.
    base: i64,
    order: IndexOrder,
}

/// The bytes that an element of a type takes.
pub(crate) fn width(ty: ElemType) -> i64 {
    match (ty.base, ty.bits) {
        (BaseType::Integer, 0) | (BaseType::Bool, _) => 4,
        (BaseType::Real, 80) => 16,
        (BaseType::Complex, bits) => 2 * i64::from(if bits == 0 { 64 } else { bits }) / 8,
        (_, 0) => 8,
        (_, bits) => i64::from(bits).max(8) / 8,
    }
}

/// Lower and upper bounds of an array, as they are when the loop is reached.
fn bounds(unit: &dyn Surroundings, place: &VarRef) -> Option<Vec<(Expr, Expr)>> {
    let program = unit.program();
    if !place.subscripts.is_empty() {
        return place.subscripts.iter().map(|t| Some((t.index.clone()?, t.bound.clone()?))).collect();
    }
    let symbol = program.symbol(place.symbol);
    let decl = symbol.decl.clone().unwrap_or_default();
    let one = |k: usize| match known_extent(program, place.symbol, k, &decl)? {
        Dim { lower: Bound::Expr(l), upper: Bound::Expr(u) } => Some((l, u)),
        _ => None,
    };
    (0..symbol.rank as usize).map(one).collect()
}

fn long(e: Expr) -> Expr {
    match e.as_int() {
        Some(_) => e,
        None => Expr::node(NodeKind::Op(Operation { name: "int_scal".into(), ty: Some(COUNTER), spelling: "".into() }.into()), [e]),
    }
}

impl Store {
    /// Room for snapshots of some variables.
    ///
    /// # Errors
    /// A variable that no array can hold.
    pub fn new(unit: &mut dyn Surroundings, states: &[SymbolId], snapshots: Snapshots) -> Result<Store, Diagnostic> {
        let order = unit.program().index_order;
        let base = i64::from(order == IndexOrder::Column);
        let mut places = Vec::new();
        for &s in states {
            let place = unit.whole(s);
            let name = unit.program().symbol(s).name.clone();
            check_extents(unit, &place).map_err(|d| {
                if d.code != extents::UNKNOWN_LENGTH {
                    return d;
                }
                Diagnostic::error(extents::UNKNOWN_LENGTH, format!("a snapshot would have to hold {name}, but its length is not known"))
                    .because("iterations of the checkpointed loop read what earlier ones have left in it")
                    .help("declare the extent (double x[n])")
            })?;
            let bounds = bounds(unit, &place).ok_or_else(|| {
                Diagnostic::error(extents::UNKNOWN_LENGTH, format!("a snapshot would have to hold {name}, but its length is not known"))
                    .because("iterations of the checkpointed loop read what earlier ones have left in it")
                    .help("declare the extent")
            })?;
            places.push((place, bounds));
        }
        let optional: Vec<bool> = places.iter().map(|(p, _)| may_be_absent(unit.program(), p.symbol)).collect();
        let f = Fold { program: unit.program() };
        // Bytes of what may be absent are added where it is there.
        let mut more: Vec<(SymbolId, Expr)> = Vec::new();
        let (count, bytes) = match snapshots.most {
            MostSnapshots::Count(n) => (Some(i64::from(n)), None),
            MostSnapshots::Memory(memory) => {
                let one = |(place, bounds): &(VarRef, Vec<(Expr, Expr)>)| {
                    let extent = |(l, u): &(Expr, Expr)| long(f.add(f.sub(u.clone(), l.clone()), Expr::int(1)));
                    let width = Expr::int(width(unit.program().symbol(place.symbol).ty));
                    bounds.iter().map(extent).fold(width, |a, b| f.mul(a, b))
                };
                let always = places.iter().zip(&optional).filter(|(_, o)| !**o).map(|(p, _)| one(p));
                let bytes = always.fold(Expr::int(8), |a, b| f.add(a, b));
                more.extend(places.iter().zip(&optional).filter(|(_, o)| **o).map(|(p, _)| (p.0.symbol, one(p))));
                let memory = i64::try_from(memory).unwrap_or(i64::MAX);
                match bytes.as_int().filter(|_| more.is_empty()) {
                    Some(b) => (Some((memory / b.max(1)).max(1)), None),
                    None => (None, Some((bytes, memory))),
                }
            }
        };
        let (count_expr, counting) = match (count, bytes) {
            (Some(n), _) => (Expr::int(n), Vec::new()),
            (None, Some((bytes, memory))) => {
                let memory =
                    Constant { ty: COUNTER, fe_type: SmolStr::default(), value: format_smolstr!("{memory}"), spelling: SmolStr::default() };
                let (bytes, mut counting) = summed(unit, bytes, more);
                let fit = Expr::op("div_scal_scal", [Expr::constant(memory), bytes]);
                let n = unit.temporary("snaps", COUNTER);
                let few = Expr::boolean(BoolOp::LessThan, [Expr::sym(n), Expr::int(1)]);
                counting.extend([set(n, fit), Item::branch(few, vec![set(n, Expr::int(1))], Vec::new())]);
                (Expr::sym(n), counting)
            }
            (None, None) => (Expr::int(1), Vec::new()),
        };
        let snap = unit.temporary("snap", COUNTER);
        let iteration = Symbol::variable("snap_iteration", COUNTER, xaif::model::ScopeId(0));
        let (at, at_all, at_heap) = array(unit, &iteration, &[], count, &count_expr, false);
        let mut held = Vec::new();
        for ((place, bounds), absent) in places.into_iter().zip(optional) {
            let mut of = unit.program().symbol(place.symbol).clone();
            of.name = format_smolstr!("{}_snap", of.name);
            let (array, all, heap) = array(unit, &of, &bounds, count, &count_expr, absent && !bounds.is_empty());
            held.push(Held { place, array, all, heap, optional: absent });
        }
        Ok(Store { held, at, at_all, at_heap, snap, count: count_expr, counting, base, order })
    }

    /// Whether there is anything to be held.
    pub fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    /// Whether there is one snapshot at most: the one in front of all iterations.
    pub fn is_single(&self) -> bool {
        self.count.as_int() == Some(1)
    }

    /// For a comment.
    pub fn describe(&self, program: &Program, snapshots: Snapshots) -> String {
        if !self.holds() {
            return "each iteration is run again just before its adjoint".into();
        }
        let names: Vec<&str> = self.held.iter().map(|h| program.symbol(h.place.symbol).name.as_str()).collect();
        let many = match snapshots.most {
            MostSnapshots::Count(1) => "1 snapshot".to_owned(),
            MostSnapshots::Count(n) => format!("{n} snapshots"),
            MostSnapshots::Memory(bytes) => format!("snapshots in {bytes} bytes"),
        };
        let together = if snapshots.every > 1 { format!(", {} iterations recorded together", snapshots.every) } else { String::new() };
        format!("checkpoints: {many} of {}{together}", names.join(", "))
    }

    /// Makes room.
    pub fn open(&self) -> Vec<Item> {
        if !self.holds() {
            return Vec::new();
        }
        let mut out: Vec<Item> = self.counting.to_vec();
        let allocate = |all: VarRef| Item::stmt(follow::allocate(all, false));
        out.extend(self.on_heap().map(|(h, all)| match h.filter(|h| h.optional) {
            Some(h) => Item::branch(follow::is_present(h.place.symbol), vec![allocate(all.clone())], vec![allocate(empty(all))]),
            None => allocate(all.clone()),
        }));
        out
    }

    /// Gives it back.
    pub fn close(&self) -> Vec<Item> {
        if !self.holds() {
            return Vec::new();
        }
        let mut out: Vec<Item> = self.on_heap().map(|(_, all)| Item::stmt(follow::free(all.symbol))).collect();
        out.reverse();
        out
    }

    /// Arrays that are allocated, each with what it holds.
    fn on_heap(&self) -> impl Iterator<Item = (Option<&Held>, &VarRef)> {
        let at = Some((None, &self.at_all)).filter(|_| self.at_heap && !self.is_single());
        at.into_iter().chain(self.held.iter().filter(|h| h.heap).map(|h| (Some(h), &h.all)))
    }

    fn at(&self, snap: Expr) -> VarRef {
        VarRef::element(self.at, [snap])
    }

    fn states(&self, h: &Held, snap: Expr, rank: usize) -> VarRef {
        let mut subscripts = vec![Triplet::default(); rank];
        let slot = Triplet::element(snap);
        match self.order {
            IndexOrder::Row => subscripts.insert(0, slot),
            IndexOrder::Column => subscripts.push(slot),
        }
        VarRef { subscripts: subscripts.into(), ..VarRef::whole(h.array) }
    }

    fn copies(&self, f: Fold, snap: &Expr, back: bool) -> Vec<Item> {
        let one = |h: &Held| {
            let rank = f.program.symbol(h.place.symbol).rank as usize;
            let (state, place) = (self.states(h, snap.clone(), rank), h.place.clone());
            let (to, from) = if back { (place, state) } else { (state, place) };
            h.guarded(Item::stmt(Stmt::assign(to, Expr::var(from))))
        };
        self.held.iter().map(one).collect()
    }

    /// No snapshot has been made.
    pub fn none(&self) -> Item {
        set(self.snap, Expr::int(self.base - 1))
    }

    /// How many snapshots may still be in use from the latest one on, itself included.
    pub fn left(&self, f: Fold) -> Expr {
        f.sub(f.add(self.count.clone(), Expr::int(self.base)), Expr::sym(self.snap))
    }

    /// Makes a snapshot.
    pub fn make(&self, f: Fold, iteration: SymbolId) -> Vec<Item> {
        let snap = Expr::sym(self.snap);
        let mut out =
            vec![set(self.snap, f.add(snap.clone(), Expr::int(1))), Item::stmt(Stmt::assign(self.at(snap.clone()), Expr::sym(iteration)))];
        out.extend(self.copies(f, &snap, false));
        out
    }

    /// Makes the first snapshot, before all iterations.
    pub fn make_first(&self, f: Fold) -> Vec<Item> {
        if !self.holds() {
            return Vec::new();
        }
        let base = Expr::int(self.base);
        if self.is_single() {
            return self.copies(f, &base, false);
        }
        let mut out = vec![set(self.snap, base.clone()), Item::stmt(Stmt::assign(self.at(base.clone()), Expr::int(0)))];
        out.extend(self.copies(f, &base, false));
        out
    }

    /// Goes back to the latest snapshot that is not behind an iteration.
    pub fn latest(&self, f: Fold, iteration: SymbolId, todo: SymbolId) -> Vec<Item> {
        let snap = || Expr::sym(self.snap);
        let behind = Expr::boolean(BoolOp::GreaterThan, [Expr::var(self.at(snap())), Expr::sym(todo)]);
        let mut out = vec![
            Item::branch(behind, vec![set(self.snap, f.sub(snap(), Expr::int(1)))], Vec::new()),
            set(iteration, Expr::var(self.at(snap()))),
        ];
        out.extend(self.copies(f, &snap(), true));
        out
    }

    /// Goes back to the first snapshot.
    pub fn first(&self, f: Fold) -> Vec<Item> {
        self.copies(f, &Expr::int(self.base), true)
    }

    /// Puts some variables into the first snapshot, or (`back`) gives them the values that they have there.
    pub fn first_of(&self, f: Fold, wanted: &[SymbolId], back: bool) -> Vec<Item> {
        let all = self.held.iter().zip(self.copies(f, &Expr::int(self.base), back));
        all.filter(|(h, _)| wanted.contains(&h.place.symbol)).map(|(_, item)| item).collect()
    }

    /// The variables themselves on the stack, and back.
    pub fn on_stack(&self) -> (Vec<Item>, Vec<Item>) {
        let one = |name: &str, h: &Held| h.guarded(Item::stmt(Stmt::runtime(name, Expr::var(h.place.clone()))));
        let pushes = self.held.iter().map(|h| one("push", h)).collect();
        (pushes, self.held.iter().rev().map(|h| one("pop", h)).collect())
    }

    /// All snapshots to the stack, and back into room that is made anew.
    pub fn moved(&self) -> (Vec<Item>, Vec<Item>) {
        let row = self.order == IndexOrder::Row;
        let filled = |all: &VarRef| {
            let mut out = all.clone();
            let slots = if row { 0 } else { out.subscripts.len().saturating_sub(1) };
            out.subscripts.iter_mut().enumerate().filter(|(d, _)| *d != slots).for_each(|(_, t)| *t = Triplet::default());
            out
        };
        let at = Some(&self.at_all).filter(|_| !self.is_single());
        let arrays: Vec<VarRef> = at.into_iter().chain(self.held.iter().map(|h| &h.all)).map(filled).collect();
        let one = |name: &str, r: &VarRef| Item::stmt(Stmt::runtime(name, Expr::var(r.clone())));
        let snap = VarRef::whole(self.snap);
        let mut pushes: Vec<Item> = arrays.iter().map(|r| one("push", r)).collect();
        pushes.extend(Some(one("push", &snap)).filter(|_| !self.is_single()));
        pushes.extend(self.close());
        let mut pops = self.open();
        pops.extend(Some(one("pop", &snap)).filter(|_| !self.is_single()));
        pops.extend(arrays.iter().rev().map(|r| one("pop", r)));
        (pushes, pops)
    }
}

/// An array with these bounds, but without an element.
fn empty(all: &VarRef) -> VarRef {
    let mut out = all.clone();
    if let Some(first) = out.subscripts.first_mut() {
        *first = Triplet { index: Some(Expr::int(1)), bound: Some(Expr::int(0)), stride: None };
    }
    // The bounds of what is absent are not to be asked for.
    let last = out.subscripts.len().saturating_sub(1);
    out.subscripts
        .iter_mut()
        .take(last)
        .skip(1)
        .for_each(|t| *t = Triplet { index: Some(Expr::int(1)), bound: Some(Expr::int(1)), stride: None });
    out
}

/// So many bytes and those of arguments that are there: an expression, and what must be done before it.
fn summed(unit: &mut dyn Surroundings, always: Expr, more: Vec<(SymbolId, Expr)>) -> (Expr, Vec<Item>) {
    if more.is_empty() {
        return (always, Vec::new());
    }
    let bytes = unit.temporary("bytes", COUNTER);
    let f = Fold { program: unit.program() };
    let mut out = vec![set(bytes, always)];
    for (argument, size) in more {
        out.extend(guarded(f.program, argument, vec![set(bytes, f.add(Expr::sym(bytes), size))]));
    }
    (Expr::sym(bytes), out)
}

/// An array of that name for so many states of something with these bounds: the array, all of it, and whether it has to be allocated. On the stack none can have
/// the bounds of an argument that is absent.
fn array(
    unit: &mut dyn Surroundings,
    of: &Symbol,
    bounds: &[(Expr, Expr)],
    count: Option<i64>,
    many: &Expr,
    always: bool,
) -> (SymbolId, VarRef, bool) {
    let f = Fold { program: unit.program() };
    let row = f.program.index_order == IndexOrder::Row;
    let slots = if row { (Expr::int(0), f.sub(many.clone(), Expr::int(1))) } else { (Expr::int(1), many.clone()) };
    let mut all: Vec<(Expr, Expr)> = bounds.to_vec();
    all.insert(if row { 0 } else { all.len() }, slots);
    let triplet = |(l, u): &(Expr, Expr)| Triplet { index: Some(l.clone()), bound: Some(u.clone()), stride: None };
    let triplets: Vec<Triplet> = all.iter().map(triplet).collect();
    let heap = always || allocated::elements(&triplets).filter(|_| count.is_some()).is_none_or(|n| n > SMALL);
    let dims: Vec<Dim> = all.into_iter().map(|(l, u)| Dim { lower: Bound::Expr(l), upper: Bound::Expr(u) }).collect();
    // Numbers without a sign are kept as such.
    let unsigned = of.decl.as_ref().filter(|d| d.attributes.iter().any(|a| a == "unsigned"));
    let attributes = std::iter::once("snapshot").chain(unsigned.map(|_| "unsigned")).map(SmolStr::new_static).collect();
    let type_text = unsigned.map(|d| d.type_text.clone()).unwrap_or_default();
    let mut decl = Decl { dims, attributes, type_text, ..Decl::default() };
    if heap {
        allocated::declare(&mut decl, unit.program().index_order);
    }
    let like = Symbol { rank: decl.dims.len() as u8, decl: Some(Box::new(decl)), ..Symbol::variable("", of.ty, xaif::model::ScopeId(0)) };
    let made = unit.array(&of.name, of.ty, &like);
    (made, VarRef { subscripts: triplets.into(), ..VarRef::whole(made) }, heap)
}

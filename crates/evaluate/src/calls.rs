//! Calls: how actual arguments become formals, and what happens on return.
//!
//! Lives here: passing by reference, by value and by descriptor, copies of sections, entry and exit of a unit. Never here: the
//! execution of statements.

use super::arrays::{Axis, Bounds, Descriptor, DescriptorId, ObjectId, Steps, View, packed_axes};
use super::expr::variable;
use super::fault::{Fault, fault};
use super::library;
use super::machine::{Frame, Machine};
use super::scalar::Scalar;
use super::trace::{Address, Copied};
use super::value::{CellType, Operand, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use smol_str::SmolStr;
use xaif::model::{BaseType, Call, Dialect, Formal, Intent, Passing, Symbol, SymbolId, SymbolKind, UnitId, VarRef};
use xaif::rows::has_rows;
use xaif::{Program, members};

/// What a formal is to be bound to, found in the caller.
pub(super) struct Bound {
    pub(super) symbol: SymbolId,
    pub(super) target: Option<(ObjectId, i64)>,
    /// Dimensions of the actual, where it is a whole variable or an even section.
    pub(super) axes: SmallVec<[Axis; 2]>,
    pub(super) actual: Option<CellType>,
    pub(super) present: bool,
}

/// Everything of a frame that is known before it is entered.
#[derive(Default)]
pub(super) struct Entry {
    /// Only extents of formals are asked for.
    pub bare: bool,
    pub(super) bound: Vec<Bound>,
    pub(super) slots: FxHashMap<SymbolId, DescriptorId>,
    pub(super) objects: Vec<ObjectId>,
    pub(super) copy_back: Vec<(View, ObjectId)>,
    /// Elements that are copied into others, where somebody asks.
    pub(super) copied: Vec<(Address, Address)>,
}

/// An allocatable argument that is declared to be only set.
pub(super) fn comes_unallocated(program: &Program, f: &Formal) -> bool {
    !f.result && f.intent_declared && f.intent == Intent::Out && program.symbol(f.symbol).has_attribute("allocatable")
}

pub(super) fn is_deferred(s: &Symbol) -> bool {
    s.has_attribute("allocatable") || s.has_attribute("pointer")
}

/// A structure, which has no value of its own: its members have.
pub(super) fn is_structure(s: &Symbol) -> bool {
    s.ty.base == BaseType::Opaque && members::is_structure(s)
}

impl<'p, S: Scalar> Machine<'p, S> {
    /// Enters the unit that a statement calls.
    pub(super) fn call(&mut self, call: &'p Call) -> Result<(), Fault> {
        let name = self.name(call.callee);
        let Some(unit) = self.callee(call.callee) else {
            if self.library_call(call)? {
                return Ok(());
            }
            return Err(fault("OB6020", format!("`{name}` is called, but the program does not contain it")));
        };
        let mut entry = Entry::default();
        for formal in &self.program.unit(unit).formals {
            let argument = call.arguments.iter().find(|a| a.position == formal.position);
            self.bind(&mut entry, formal, argument.map(|a| &a.value), name)?;
        }
        if let Some(a) = call.arguments.iter().find(|a| !self.program.unit(unit).formals.iter().any(|f| f.position == a.position)) {
            return Err(fault("OB6017", format!("`{name}` has no argument at position {}", a.position)));
        }
        self.enter(unit, entry)
    }

    fn bind(&mut self, entry: &mut Entry, formal: &'p Formal, actual: Option<&'p xaif::model::Expr>, callee: &str) -> Result<(), Fault> {
        let symbol = self.symbol(formal.symbol)?;
        if symbol.kind == SymbolKind::Subroutine {
            return Err(fault("OB6021", format!("argument `{}` of `{callee}` is a procedure", symbol.name)));
        }
        let Some(actual) = actual else {
            entry.bound.push(Bound { symbol: formal.symbol, target: None, axes: SmallVec::new(), actual: None, present: formal.result });
            return Ok(());
        };
        if is_structure(symbol) {
            let target = if symbol.is_array() { None } else { Some((self.memory.allocate(vec![Self::unset(symbol)])?, 0)) };
            entry.objects.extend(target.map(|t| t.0));
            entry.bound.push(Bound { symbol: formal.symbol, target, axes: SmallVec::new(), actual: None, present: true });
            return Ok(());
        }
        if let (Some(r), false) = (variable(actual), symbol.passing() == Passing::Value) {
            return self.bind_variable(entry, symbol, formal, r, callee);
        }
        let view = variable(actual).filter(|_| self.trace.is_some()).and_then(|r| self.view(r).ok());
        let ty = Self::cell_type(symbol);
        let value = match library::characters(actual).filter(|_| ty.elem.value_base() == BaseType::Integer) {
            Some(text) => Operand::Many(SmallVec::from_elem(text.len(), 1), text),
            None => self.eval(actual)?,
        };
        let axes = match &value {
            Operand::One(_) => SmallVec::new(),
            Operand::Many(shape, _) => {
                let lower: Bounds = shape.iter().map(|&n| (1, Some(n as i64))).collect();
                packed_axes(&lower, self.order())?
            }
        };
        let cells = value.elements().iter().map(|v| ty.convert(v.clone())).collect::<Result<Vec<_>, _>>()?;
        let object = self.memory.allocate(cells)?;
        if let Some(v) = view {
            entry.copied.extend(v.positions(self.order()).into_iter().zip(0..).map(|(p, k)| ((v.object, p), (object, k))));
        }
        entry.objects.push(object);
        entry.bound.push(Bound { symbol: formal.symbol, target: Some((object, 0)), axes, actual: None, present: true });
        Ok(())
    }

    fn bind_variable(&mut self, entry: &mut Entry, symbol: &'p Symbol, formal: &Formal, r: &'p VarRef, callee: &str) -> Result<(), Fault> {
        let id = self.locate(r.symbol)?;
        let d: Descriptor = self.memory.descriptor(id).clone();
        let mut bound = Bound { symbol: formal.symbol, target: d.target, axes: d.axes.clone(), actual: Some(d.ty), present: d.present };
        self.check_type(symbol, d.ty, callee)?;
        if r.subscripts.is_empty() && is_deferred(symbol) {
            entry.slots.insert(formal.symbol, id);
            return Ok(());
        }
        let by_descriptor = symbol.passing() == Passing::Descriptor || (symbol.decl.is_none() && symbol.bounds.is_empty());
        if !r.subscripts.is_empty() || (!by_descriptor && d.target.is_some() && d.count().is_some()) {
            let subscripts = self.subscripts(r)?;
            let view = d.view_up_to(self.name(r.symbol), &subscripts, false, i64::from(!r.has_section() && symbol.is_array()))?;
            bound.target = Some((view.object, view.base));
            bound.axes = view
                .steps
                .iter()
                .map(|s| match s {
                    Steps::Even(n, stride) => Axis { lower: 1, extent: Some(*n as i64), stride: *stride },
                    Steps::List(l) => Axis { lower: 1, extent: Some(l.len() as i64), stride: 0 },
                })
                .collect();
            let scattered = view.steps.iter().any(|s| matches!(s, Steps::List(_)));
            // A function's result is a variable of its own until it returns: what the caller's held before is not seen.
            let own = formal.result && self.program.dialect != Dialect::Openad;
            if own || scattered || (!by_descriptor && !view.is_contiguous(self.order())) {
                // A section with gaps is copied into one block, and back on return.
                let cells =
                    if own { vec![Value::Undefined; view.positions(self.order()).len()] } else { self.load(&view)?.elements().to_vec() };
                let object = self.memory.allocate(cells)?;
                let lower: Bounds = view.shape().iter().map(|&n| (1, Some(n as i64))).collect();
                bound.axes = packed_axes(&lower, self.order())?;
                bound.target = Some((object, 0));
                if self.program.dialect == Dialect::Openad {
                    for (k, p) in view.positions(self.order()).into_iter().enumerate() {
                        let derivative = self.memory.load(view.object, p, true)?;
                        self.memory.store(object, k as i64, true, derivative)?;
                    }
                }
                if !own && self.trace.is_some() {
                    entry.copied.extend(view.positions(self.order()).into_iter().zip(0..).map(|(p, k)| ((view.object, p), (object, k))));
                }
                entry.objects.push(object);
                entry.copy_back.push((view, object));
            }
        }
        entry.bound.push(bound);
        Ok(())
    }

    /// Real is not integer, and double is not float: storage would be misread.
    fn check_type(&self, formal: &Symbol, actual: CellType, callee: &str) -> Result<(), Fault> {
        let (f, a) = (formal.ty, actual.elem);
        let numeric = |b: BaseType| matches!(b, BaseType::Real | BaseType::Integer);
        // Stock files take the kind of a temporary that holds an argument from its literal.
        if self.program.dialect == Dialect::Openad && f.base == a.base {
            return Ok(());
        }
        let clash = (numeric(f.base) && numeric(a.base) && f.base != a.base)
            || (f.base == a.base && f.base == BaseType::Real && f.bits != a.bits && f.bits != 0 && a.bits != 0);
        if clash {
            return Err(fault(
                "OB6017",
                format!(
                    "argument `{}` of `{callee}` is {:?} of {} bits, but is passed {:?} of {} bits",
                    formal.name, f.base, f.bits, a.base, a.bits
                ),
            ));
        }
        Ok(())
    }

    pub(super) fn enter(&mut self, unit: UnitId, entry: Entry) -> Result<(), Fault> {
        let name = self.program.unit_name(unit);
        if self.frames.len() >= self.limits.depth {
            return Err(fault("OB6004", format!("calls are nested deeper than {}, entering `{name}`", self.limits.depth)));
        }
        let graph = self.graph_of(unit)?;
        let Some(at) = graph.node_indices().find(|&v| matches!(graph[v].kind, xaif::model::VertexKind::Entry)) else {
            return Err(fault("OB6005", format!("unit `{name}` has no entry")));
        };
        self.memory.reserve(1)?;
        let number = self.begun(unit, entry.copied);
        self.frames.push(Frame {
            number,
            unit,
            graph,
            at,
            from_end_loop: false,
            stmt: 0,
            slots: entry.slots,
            objects: entry.objects,
            descriptors: Vec::new(),
            copy_back: entry.copy_back,
        });
        // First every formal without its dimensions, for dimensions are expressions in terms of formals.
        let mut arrays = Vec::new();
        for b in entry.bound {
            let symbol = self.symbol(b.symbol)?;
            let mut ty = Self::cell_type(symbol);
            if let Some(actual) = b.actual.filter(|a| ty.elem.bits == 0 && a.elem.base == ty.elem.base) {
                ty = actual;
            }
            let d = self.memory.describe(Descriptor { target: b.target, axes: SmallVec::new(), ty, present: b.present, freed: false });
            if let Some(frame) = self.frames.last_mut() {
                frame.slots.insert(b.symbol, d);
                frame.descriptors.push(d);
            }
            if symbol.is_array() {
                arrays.push((d, symbol, b.axes));
            }
        }
        for (d, symbol, actual) in arrays {
            let axes = match self.formal_axes(symbol, &actual) {
                Err(_) if entry.bare => SmallVec::from_elem(Axis { lower: 1, extent: None, stride: 1 }, usize::from(symbol.rank)),
                axes => axes?,
            };
            self.memory.descriptor_mut(d).axes = axes;
        }
        if entry.bare {
            return Ok(());
        }
        self.free_outputs(unit);
        self.enter_locals(unit)
    }

    /// Allocatable arguments that are only set come in unallocated, whatever the caller hands over.
    fn free_outputs(&mut self, unit: UnitId) {
        for f in self.program.unit(unit).formals.iter().filter(|f| comes_unallocated(self.program, f)) {
            let slot = self.frames.last().and_then(|frame| frame.slots.get(&f.symbol)).copied();
            if let Some((object, _)) = slot.and_then(|d| self.memory.descriptor_mut(d).target.take()) {
                self.memory.free(object, false);
            }
        }
    }

    /// Memory for everything that the unit declares and that is no formal.
    fn enter_locals(&mut self, unit: UnitId) -> Result<(), Fault> {
        let scope = self.program.unit(unit).scope;
        let Some(scope) = self.program.scopes.get(scope.index()) else { return Err(fault("OB6005", "a unit has no scope")) };
        for &id in &scope.symbols {
            let symbol = self.symbol(id)?;
            let known = self.frames.last().is_some_and(|f| f.slots.contains_key(&id));
            let result_without_actual = known && self.is_open_result(unit, id);
            if (known && !result_without_actual) || symbol.kind == SymbolKind::Subroutine || self.is_persistent(symbol) {
                continue;
            }
            self.new_local(id)?;
        }
        Ok(())
    }

    /// A function's result for which the caller gave no variable.
    fn is_open_result(&self, unit: UnitId, id: SymbolId) -> bool {
        self.program.unit(unit).formals.iter().any(|f| f.result && f.symbol == id)
            && self.frames.last().and_then(|f| f.slots.get(&id)).is_some_and(|&d| self.memory.descriptor(d).target.is_none())
    }

    /// Dimensions of a formal array, given those of the actual.
    fn formal_axes(&mut self, symbol: &'p Symbol, actual: &[Axis]) -> Result<SmallVec<[Axis; 2]>, Fault> {
        let bounds = self.declared_bounds(symbol)?;
        let undeclared = symbol.decl.is_none() && symbol.bounds.is_empty();
        if symbol.passing() == Passing::Descriptor || has_rows(symbol) || (undeclared && actual.len() == bounds.len()) {
            if actual.len() != bounds.len() {
                if actual.is_empty() {
                    return Ok(bounds.iter().map(|&(lower, extent)| Axis { lower, extent, stride: 1 }).collect());
                }
                return Err(fault("OB6017", format!("`{}` has {} dimensions, but is passed {}", symbol.name, bounds.len(), actual.len())));
            }
            return Ok(bounds.iter().zip(actual).map(|(b, a)| Axis { lower: b.0, ..*a }).collect());
        }
        packed_axes(&bounds, self.order())
    }

    /// Leaves the running unit.
    pub(super) fn leave(&mut self) -> Result<(), Fault> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        self.ended(frame.number);
        for (view, object) in frame.copy_back {
            self.note_set(&view, false);
            for (k, p) in view.positions(self.order()).into_iter().enumerate() {
                if let Some(t) = &mut self.trace {
                    t.copies.push(Copied { before: t.events.len(), from: (object, k as i64), to: (view.object, p) });
                }
                for deriv in [false, true] {
                    let v = self.memory.load(object, k as i64, deriv)?;
                    self.memory.store(view.object, p, deriv, v)?;
                }
            }
        }
        for o in frame.objects {
            if let Some(iterations) = &self.iterations {
                iterations.borrow_mut().forget(o);
            }
            // In a record, another variable is another place.
            self.memory.free(o, self.trace.is_none());
        }
        for d in frame.descriptors {
            self.memory.forget(d);
        }
        Ok(())
    }

    /// The unit's own name for messages.
    pub(super) fn unit_label(&self, unit: UnitId) -> SmolStr {
        self.program.unit_name(unit).into()
    }
}

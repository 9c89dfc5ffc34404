//! The edge of a run: inputs become formals and globals, and what they hold at the end is read back.
//!
//! Lives here: binding of what the caller of the interpreter gives. Never here: calls within the program.

use super::arrays::{Descriptor, DescriptorId, packed_axes};
use super::calls::{Bound, Entry, comes_unallocated, is_deferred, is_structure};
use super::data::{Data, Inputs, Limits};
use super::fault::{Fault, fault};
use super::machine::Machine;
use super::scalar::Scalar;
use super::value::{Operand, Shape, Value};
use smallvec::SmallVec;
use xaif::Program;
use xaif::model::{BaseType, Decl, Expr, IndexOrder, Storage, Symbol, SymbolId, SymbolKind, UnitId};

/// A formal with its descriptor.
pub(super) type FormalSlot = (SymbolId, DescriptorId);

/// An array with its extents; open ones are `None`.
pub type Extents = (SymbolId, Vec<Option<i64>>);

/// The extents that the arrays among the formals declare, given the scalars on which they depend; open ones are `None`.
///
/// # Errors
/// Bounds that cannot be calculated, and everything that goes wrong when a unit is entered.
pub fn shapes(program: &Program, unit: UnitId, inputs: &Inputs<f64>) -> Result<Vec<Extents>, Fault> {
    let mut machine: Machine<f64> = Machine::new(program, Limits::default());
    let slots = match machine.begin(unit, inputs, true) {
        Ok(slots) => slots,
        Err(f) => return Err(machine.placed(f)),
    };
    let extents = |d: DescriptorId| machine.memory.descriptor(d).axes.iter().map(|a| a.extent).collect();
    Ok(slots.into_iter().filter(|(s, _)| program.symbol(*s).is_array()).map(|(s, d)| (s, extents(d))).collect())
}

/// The extents of a variable whose bounds are constants.
///
/// # Errors
/// Bounds that are open or cannot be calculated.
pub fn bounds(program: &Program, id: SymbolId) -> Result<Vec<i64>, Fault> {
    let mut machine: Machine<f64> = Machine::new(program, Limits::default());
    let symbol = machine.symbol(id)?;
    let found = machine.declared_bounds(symbol)?;
    let open = || fault("OB6016", format!("the extents of `{}` are not known", symbol.name));
    found.iter().map(|b| b.1.ok_or_else(open)).collect()
}

/// The value of an expression of whole numbers without variables.
///
/// # Errors
/// Everything that goes wrong when it is evaluated.
pub fn whole_number(program: &Program, e: &Expr) -> Result<i64, Fault> {
    Machine::<f64>::new(program, Limits::default()).eval_index(e)
}

impl<S: Scalar> Machine<'_, S> {
    /// Enters the unit that is to be run. Formals without a value are undefined.
    pub(super) fn start(&mut self, unit: UnitId, inputs: &Inputs<S>) -> Result<Vec<FormalSlot>, Fault> {
        let slots = self.begin(unit, inputs, false)?;
        for &(id, d) in &slots {
            self.open_array(id, d)?;
        }
        self.seed(inputs, unit, &slots)?;
        Ok(slots)
    }

    /// The same while formal arrays without a value have no memory yet; `bare`: nor have locals, and extents that cannot be known yet are open.
    fn begin(&mut self, unit: UnitId, inputs: &Inputs<S>, bare: bool) -> Result<Vec<FormalSlot>, Fault> {
        let formals: Vec<SymbolId> = self.program.unit(unit).formals.iter().map(|f| f.symbol).collect();
        let mut used = vec![false; inputs.values.len()];
        let mut entry = Entry { bare, ..Entry::default() };
        let mut given = Vec::new();
        for &id in &formals {
            let symbol = self.symbol(id)?;
            let found = inputs.values.iter().position(|(n, _)| self.program.same_name(n, &symbol.name));
            let mut bound = Bound { symbol: id, target: None, axes: SmallVec::new(), actual: None, present: true };
            if let Some(k) = found {
                used[k] = true;
                let data = &inputs.values[k];
                let ty = Self::cell_type(symbol);
                check_type(symbol, &data.values)?;
                let cells = data.values.iter().map(|v| ty.convert(v.clone())).collect::<Result<Vec<_>, _>>();
                let cells = cells.map_err(|f| fault("OB6002", format!("input `{}`: {}", symbol.name, f.message)))?;
                bound.target = Some((self.memory.allocate(cells)?, 0));
                if symbol.is_array() {
                    let extents: Vec<_> = data.shape.iter().map(|&n| (1, Some(n as i64))).collect();
                    bound.axes = packed_axes(&extents, self.order())?;
                }
                given.push((id, data.shape.clone()));
            } else if symbol.has_attribute("optional") {
                bound.present = false;
            } else if let Some(shape) = self.shape_of_components(symbol, inputs) {
                let extents: Vec<_> = shape.iter().map(|&n| (1, Some(n as i64))).collect();
                bound.axes = packed_axes(&extents, self.order())?;
                bound.target = Some((self.memory.allocate(vec![Self::unset(symbol); shape.iter().product()])?, 0));
            } else if !symbol.is_array() {
                bound.target = Some((self.memory.allocate(vec![Self::unset(symbol)])?, 0));
            }
            entry.bound.push(bound);
        }
        self.set_globals(inputs, &used, unit)?;
        self.enter(unit, entry)?;
        let unallocated =
            |id: &SymbolId| self.program.unit(unit).formals.iter().any(|f| f.symbol == *id && comes_unallocated(self.program, f));
        for (id, shape) in given.into_iter().filter(|(id, _)| !unallocated(id)) {
            self.check_shape(id, &shape)?;
        }
        Ok(self.keep_formals(&formals))
    }

    /// The extents of an array of structures that declares none: those of a component that is a number.
    fn shape_of_components(&self, array: &Symbol, inputs: &Inputs<S>) -> Option<Shape> {
        let declared = |d: &Decl| d.dims.iter().all(|d| d.upper != xaif::model::Bound::Unknown);
        if array.ty.base != BaseType::Opaque || !array.is_array() || array.decl.as_deref().is_some_and(declared) {
            return None;
        }
        let of = |name: &str| name.split_once('%').is_some_and(|(base, _)| self.program.same_name(base, &array.name));
        let shapes = inputs.values.iter().filter(|(n, _)| of(n)).map(|(_, d)| d.shape.clone());
        shapes.into_iter().find(|s| s.len() == usize::from(array.rank))
    }

    /// Enters the unit again with the formals of the first time.
    pub(super) fn start_again(&mut self, unit: UnitId, formals: &[FormalSlot]) -> Result<(), Fault> {
        self.enter(unit, Entry { slots: formals.iter().copied().collect(), ..Entry::default() })
    }

    /// What a formal holds for which nothing is given: derivatives start at zero.
    pub(super) fn unset(symbol: &Symbol) -> Value<S> {
        if symbol.decl.as_ref().is_some_and(|d| d.derivative_of.is_some()) { Self::cell_type(symbol).zero() } else { Value::Undefined }
    }

    /// Takes the formals out of the frame's hands, so that they outlive it.
    fn keep_formals(&mut self, formals: &[SymbolId]) -> Vec<FormalSlot> {
        let Some(frame) = self.frames.last_mut() else { return Vec::new() };
        let slots: Vec<FormalSlot> = formals.iter().filter_map(|s| frame.slots.get(s).map(|&d| (*s, d))).collect();
        let objects: Vec<_> = slots.iter().filter_map(|&(_, d)| self.memory.descriptor(d).target).map(|t| t.0).collect();
        frame.descriptors.retain(|d| !slots.iter().any(|(_, s)| s == d));
        frame.objects.retain(|o| !objects.contains(o));
        slots
    }

    /// A formal array for which nothing was given gets memory, if its size is declared.
    fn open_array(&mut self, id: SymbolId, d: DescriptorId) -> Result<(), Fault> {
        let symbol = self.symbol(id)?;
        let described = self.memory.descriptor(d);
        if !symbol.is_array() || is_structure(symbol) || is_deferred(symbol) || described.target.is_some() || !described.present {
            return Ok(());
        }
        let Some(n) = described.count() else {
            let mut f = fault("OB6002", format!("argument `{}` needs a value: its extent is not declared", symbol.name));
            f.help = Some("give an array with as many elements as the unit uses, zeros if it only writes them".into());
            return Err(f);
        };
        let size = self.memory.check_size(n)?;
        let object = self.memory.allocate(vec![Self::unset(symbol); size])?;
        self.memory.descriptor_mut(d).target = Some((object, 0));
        Ok(())
    }

    fn check_shape(&self, id: SymbolId, shape: &[usize]) -> Result<(), Fault> {
        let symbol = self.symbol(id)?;
        let Some(&d) = self.frames.last().and_then(|f| f.slots.get(&id)) else { return Ok(()) };
        let declared: Vec<Option<i64>> = self.memory.descriptor(d).axes.iter().map(|a| a.extent).collect();
        let count: usize = shape.iter().product();
        let fits = if symbol.rank == 0 {
            count == 1
        } else if shape.len() == declared.len() {
            shape.iter().zip(&declared).all(|(&n, e)| e.is_none_or(|e| e == n as i64))
        } else {
            let total = declared.iter().copied().try_fold(1i64, |p, e| e.map(|e| p.saturating_mul(e)));
            shape.len() <= 1 && total.is_none_or(|t| t == count as i64)
        };
        if fits {
            return Ok(());
        }
        let declared: Vec<String> = declared.iter().map(|e| e.map_or("*".into(), |n| n.to_string())).collect();
        Err(fault("OB6002", format!("input `{}` has the shape ({}), but is declared ({})", symbol.name, join(shape), declared.join(", "))))
    }

    /// Values for variables that are no formals: globals, module variables, COMMON.
    fn set_globals(&mut self, inputs: &Inputs<S>, used: &[bool], unit: UnitId) -> Result<(), Fault> {
        for ((name, data), _) in inputs.values.iter().zip(used).filter(|(_, used)| !**used) {
            let Some(id) = self.global_named(unit, name) else {
                return Err(fault("OB6001", format!("unit `{}` has no argument and sees no variable `{name}`", self.unit_label(unit))));
            };
            check_type(self.symbol(id)?, &data.values)?;
            let d = self.locate(id)?;
            if self.memory.descriptor(d).target.is_none() {
                let bounds: Vec<_> = data.shape.iter().map(|&n| (i64::from(self.order() == IndexOrder::Column), Some(n as i64))).collect();
                let object = self.memory.allocate(vec![Value::Undefined; data.values.len()])?;
                let axes = packed_axes(&bounds, self.order())?;
                let described = self.memory.descriptor_mut(d);
                described.target = Some((object, 0));
                described.axes = axes;
            }
            let view = self.memory.descriptor(d).view(name, &[], false)?;
            let value = if view.steps.is_empty() && data.values.len() == 1 {
                Operand::One(data.values[0].clone())
            } else {
                if view.count() != data.values.len() {
                    return Err(fault("OB6002", format!("input `{name}` has {} elements, not {}", data.values.len(), view.count())));
                }
                Operand::Many(view.shape(), data.values.clone())
            };
            self.assign(&view, value)?;
        }
        Ok(())
    }

    /// The variable of that name that a unit sees, or that some other one has, and that is no formal.
    fn global_named(&self, unit: UnitId, name: &str) -> Option<SymbolId> {
        let seen = self.program.lookup(self.program.unit(unit).scope, name);
        let any = || self.program.symbol_ids().find(|&s| self.is_global(s) && self.program.same_name(self.name(s), name));
        seen.filter(|&s| self.is_global(s)).or_else(any)
    }

    fn is_global(&self, id: SymbolId) -> bool {
        self.symbol(id).is_ok_and(|s| s.kind == SymbolKind::Variable && self.is_persistent(s) && *s.storage() != Storage::Constant)
    }

    /// Derivative components at the start (`openad` dialect).
    fn seed(&mut self, inputs: &Inputs<S>, unit: UnitId, slots: &[FormalSlot]) -> Result<(), Fault> {
        for (name, data) in &inputs.derivatives {
            let formal = slots.iter().find(|(s, _)| self.program.same_name(self.name(*s), name)).map(|s| s.1);
            let d = match (formal, self.global_named(unit, name)) {
                (Some(d), _) => d,
                (None, Some(global)) => self.locate(global)?,
                (None, None) => return Err(fault("OB6001", format!("there is no argument or variable `{name}` to be seeded"))),
            };
            let view = self.closed(d).view(name, &[], true)?;
            if view.count() != data.values.len() {
                return Err(fault("OB6002", format!("the seed of `{name}` has {} elements, not {}", data.values.len(), view.count())));
            }
            for (p, v) in view.positions(self.order()).into_iter().zip(&data.values) {
                self.memory.store(view.object, p, true, v.clone())?;
            }
        }
        Ok(())
    }

    /// A variable whose last extent is that of its memory where none is declared.
    fn closed(&self, id: DescriptorId) -> Descriptor {
        let mut d = self.memory.descriptor(id).clone();
        let Some((object, base)) = d.target else { return d };
        let slowest = match self.order() {
            IndexOrder::Column => d.axes.last_mut(),
            IndexOrder::Row => d.axes.first_mut(),
        };
        if let Some(a) = slowest
            && a.extent.is_none()
            && a.stride > 0
        {
            a.extent = Some((self.memory.size_of(object) as i64 - base) / a.stride);
        }
        d
    }

    /// What a variable holds now, or its derivative component where it ever had one.
    pub(super) fn snapshot(&self, id: DescriptorId, deriv: bool) -> Option<Data<S>> {
        let d = self.closed(id);
        let (object, _) = d.target?;
        if deriv && !self.memory.has_derivative(object) {
            return None;
        }
        let view = d.view("", &[], deriv).ok()?;
        let shape = view.shape();
        match self.load(&view).ok()? {
            Operand::One(v) => Some(Data { shape, values: vec![v] }),
            Operand::Many(_, values) => Some(Data { shape, values }),
        }
    }
}

/// A value that is given has to be of the declared type; nothing is rounded or reinterpreted on the way in.
fn check_type<S: Scalar>(symbol: &Symbol, values: &[Value<S>]) -> Result<(), Fault> {
    let fits = |v: &Value<S>| match (symbol.ty.value_base(), v) {
        (_, Value::Undefined) => true,
        (BaseType::Real, Value::Int(..) | Value::Real(..)) => true,
        (BaseType::Integer, Value::Int(..)) => true,
        (BaseType::Integer, Value::Real(x, _)) => x.value().fract() == 0.0,
        (BaseType::Bool, Value::Bool(_) | Value::Int(..)) => true,
        (BaseType::Char | BaseType::String, Value::Text(_)) => true,
        (BaseType::Real | BaseType::Integer | BaseType::Bool | BaseType::Char | BaseType::String, _) => false,
        _ => true,
    };
    let Some(wrong) = values.iter().find(|v| !fits(v)) else { return Ok(()) };
    let wanted = match symbol.ty.value_base() {
        BaseType::Real => "real",
        BaseType::Integer => "integer",
        BaseType::Bool => "logical",
        _ => "text",
    };
    Err(fault("OB6002", format!("input `{}` is of type {wanted}, but is given {}", symbol.name, wrong.describe())))
}

fn join(shape: &[usize]) -> String {
    shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

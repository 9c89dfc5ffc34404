//! The machine: the state of a run, and how a symbol finds its memory.
//!
//! Lives here: frames, globals, declared bounds and initial values. Never here: statements, expressions, calls.

use super::arrays::{Bounds, Descriptor, DescriptorId, Memory, ObjectId, View, packed_axes};
use super::data::{Counters, Limits, Sweep};
use super::fault::{Fault, fault};
use super::iterations::Notes;
use super::library::Chance;
use super::scalar::{Fn1, Scalar};
use super::stacks::{Shown, Stacks};
use super::tables;
use super::trace::Trace;
use super::value::{CellType, Operand, Value};
use arcstr::ArcStr;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use xaif::Diagnostic;
use xaif::callbacks::is_function_value;
use xaif::diagnostic::Location;
use xaif::model::{
    BaseType, Bound, Dialect, Expr, FlowGraph, IndexOrder, Program, ScopeId, Span, Storage, Symbol, SymbolId, SymbolKind, UnitId, UnitKind,
    VertexId,
};

/// One activation of a unit.
#[derive(Debug)]
pub struct Frame<'p> {
    /// The unit.
    pub unit: UnitId,
    /// The graph that is walked.
    pub graph: &'p FlowGraph,
    /// The vertex that is executed.
    pub at: VertexId,
    /// Control came to it from an `EndLoop`.
    pub from_end_loop: bool,
    /// Which activation it is.
    pub number: u32,
    /// The next statement of a block.
    pub stmt: usize,
    /// Where its own variables are.
    pub slots: FxHashMap<SymbolId, DescriptorId>,
    /// Objects that end with the frame.
    pub objects: Vec<ObjectId>,
    /// Descriptors that end with the frame.
    pub descriptors: Vec<DescriptorId>,
    /// What has to be copied back into the caller's sections at the end.
    pub copy_back: Vec<(View, ObjectId)>,
}

/// Where execution is, for messages.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// The unit.
    pub unit: Option<UnitId>,
    /// The statement or vertex.
    pub span: Span,
    /// Its line where the span is not known.
    pub line: u32,
    /// Its id.
    pub id: ArcStr,
}

/// A run of a program.
#[derive(Debug)]
pub struct Machine<'p, S: Scalar> {
    pub(super) program: &'p Program,
    pub(super) limits: Limits,
    pub(super) memory: Memory<S>,
    pub(super) globals: FxHashMap<SymbolId, DescriptorId>,
    commons: FxHashMap<SmolStr, ObjectId>,
    containers: FxHashSet<ScopeId>,
    pub(super) frames: Vec<Frame<'p>>,
    pub(super) stacks: Stacks<S>,
    pub(super) counters: Counters,
    pub(super) notes: Vec<Diagnostic>,
    /// The first records, where somebody asks.
    pub(super) shown: Vec<Shown<S>>,
    pub(super) kinks: Vec<Diagnostic>,
    pub(super) bends: Vec<Diagnostic>,
    pub(super) place: Place,
    pub(super) sweep: Sweep,
    pub(super) stopped: Option<Diagnostic>,
    pub(super) expr_depth: usize,
    /// Where the library's random numbers stand.
    pub(super) chance: Chance,
    pub(super) trace: Option<Box<Trace<S>>>,
    /// Assignments of real variables that were executed, where somebody asks.
    pub(super) reached: Option<FxHashSet<Span>>,
    pub(super) iterations: Notes,
    unit_of: FxHashMap<SymbolId, UnitId>,
    /// Extents that arrays of stock files got when they were first set.
    pub(super) extents: FxHashMap<SymbolId, Bounds>,
}

impl<'p, S: Scalar> Machine<'p, S> {
    /// A machine that has not started.
    pub fn new(program: &'p Program, limits: Limits) -> Machine<'p, S> {
        let containers = program.units.iter().filter(|u| u.kind == UnitKind::Container || u.is_container()).map(|u| u.scope);
        Machine {
            program,
            limits,
            memory: Memory::new(limits.elements),
            globals: FxHashMap::default(),
            commons: FxHashMap::default(),
            containers: containers.chain([ScopeId(0)]).collect(),
            frames: Vec::new(),
            stacks: Stacks::new(limits.tape_bytes),
            counters: Counters::default(),
            notes: Vec::new(),
            shown: Vec::new(),
            kinks: Vec::new(),
            bends: Vec::new(),
            extents: FxHashMap::default(),
            place: Place::default(),
            sweep: Sweep::Plain,
            stopped: None,
            expr_depth: 0,
            chance: Chance::default(),
            trace: None,
            reached: None,
            iterations: None,
            unit_of: program.unit_ids().map(|u| (program.unit(u).symbol, u)).collect(),
        }
    }

    /// A symbol; malformed handles are errors, not panics.
    pub(super) fn symbol(&self, id: SymbolId) -> Result<&'p Symbol, Fault> {
        self.program.symbols.get(id.index()).ok_or_else(|| fault("OB6005", "a reference names no symbol"))
    }

    /// A symbol's name, for messages.
    pub(super) fn name(&self, id: SymbolId) -> &'p str {
        self.program.symbols.get(id.index()).map_or("?", |s| s.name.as_str())
    }

    /// The unit that a symbol names.
    pub(super) fn callee(&self, symbol: SymbolId) -> Option<UnitId> {
        self.unit_of.get(&symbol).copied().or_else(|| self.program.unit_named(self.name(symbol)))
    }

    pub(super) fn order(&self) -> IndexOrder {
        self.program.index_order
    }

    /// Type of what a symbol holds.
    pub(super) fn cell_type(symbol: &Symbol) -> CellType {
        CellType { elem: symbol.ty, unsigned: symbol.has_attribute("unsigned") }
    }

    /// True for variables that outlive a call.
    pub(super) fn is_persistent(&self, symbol: &Symbol) -> bool {
        match symbol.storage() {
            Storage::Static | Storage::Global | Storage::Extern | Storage::Common(_) | Storage::Constant => true,
            Storage::Argument => false,
            // Stock files put the booster's temporaries into the file scope, though each unit has its own.
            Storage::Local => {
                self.containers.contains(&symbol.scope)
                    && !(symbol.temp && self.program.dialect == Dialect::Openad && symbol.scope == ScopeId(0))
            }
        }
    }

    /// The descriptor of a variable, made where it does not exist yet.
    pub(super) fn locate(&mut self, id: SymbolId) -> Result<DescriptorId, Fault> {
        if let Some(&d) = self.frames.last().and_then(|f| f.slots.get(&id)).or_else(|| self.globals.get(&id)) {
            return Ok(d);
        }
        let symbol = self.symbol(id)?;
        if symbol.kind == SymbolKind::Subroutine {
            return Err(fault("OB6021", format!("the name of unit `{}` is used as a value", symbol.name)));
        }
        if self.is_persistent(symbol) {
            return self.new_global(id);
        }
        // A host's variable, seen from an internal procedure.
        if let Some(&d) =
            self.frames.iter().rev().skip(1).find(|f| self.program.unit(f.unit).scope == symbol.scope).and_then(|f| f.slots.get(&id))
        {
            return Ok(d);
        }
        self.new_local(id)
    }

    /// Makes a local variable of the running unit.
    pub(super) fn new_local(&mut self, id: SymbolId) -> Result<DescriptorId, Fault> {
        let symbol = self.symbol(id)?;
        let d = self.variable(symbol)?;
        let described = self.memory.descriptor(d).target.map(|t| t.0);
        let Some(frame) = self.frames.last_mut() else {
            return Err(fault("OB6005", format!("`{}` is used where no unit runs", symbol.name)));
        };
        frame.slots.insert(id, d);
        frame.descriptors.push(d);
        frame.objects.extend(described);
        self.initialize(id, d)?;
        Ok(d)
    }

    fn new_global(&mut self, id: SymbolId) -> Result<DescriptorId, Fault> {
        let symbol = self.symbol(id)?;
        // Stock files have a symbol for each unit that uses a module variable or a common block: one variable all the same.
        if let Some(&d) = self.stock_twin(id, symbol).and_then(|t| self.globals.get(&t)) {
            self.globals.insert(id, d);
            return Ok(d);
        }
        if let Storage::Common(block) = symbol.storage() {
            self.lay_out_common(block, symbol.scope)?;
            return self.globals.get(&id).copied().ok_or_else(|| fault("OB6005", format!("`{}` is not in its common block", symbol.name)));
        }
        let d = self.variable(symbol)?;
        self.globals.insert(id, d);
        self.initialize(id, d)?;
        Ok(d)
    }

    /// Another symbol of a stock file's outermost scope with the same name and type that has been used already.
    fn stock_twin(&self, id: SymbolId, symbol: &Symbol) -> Option<SymbolId> {
        if self.program.dialect != Dialect::Openad || symbol.scope != ScopeId(0) {
            return None;
        }
        let twin = |&&t: &&SymbolId| {
            let other = self.program.symbol(t);
            t != id && self.globals.contains_key(&t) && other.name == symbol.name && other.ty == symbol.ty && other.bounds == symbol.bounds
        };
        self.program.scope(ScopeId(0)).symbols.iter().find(twin).copied()
    }

    /// Variables of a common block of one scope, one after the other. All scopes share the elements by position.
    fn lay_out_common(&mut self, block: &SmolStr, scope: ScopeId) -> Result<(), Fault> {
        let members: Vec<SymbolId> = self
            .program
            .scope(scope)
            .symbols
            .iter()
            .copied()
            .filter(|&s| matches!(self.program.symbol(s).storage(), Storage::Common(b) if b == block))
            .collect();
        let mut position = 0i64;
        let mut placed = Vec::new();
        for id in members {
            let symbol = self.symbol(id)?;
            let axes = packed_axes(&self.declared_bounds(symbol)?, self.order())?;
            let d = Descriptor { target: None, axes, ty: Self::cell_type(symbol), present: true, freed: false };
            let n = d.count().ok_or_else(|| fault("OB6016", format!("`{}` in a common block has no declared extent", symbol.name)))?;
            placed.push((id, d, position));
            position = position.saturating_add(n);
        }
        let size = self.memory.check_size(position)?;
        let zeroed = self.limits.zero_start || self.order() == IndexOrder::Row;
        let new = !self.commons.contains_key(block);
        let object = match self.commons.get(block) {
            Some(&o) if self.memory.size_of(o) >= size => o,
            Some(_) => return Err(fault("OB6005", format!("common block `{block}` is longer here than where it was used first"))),
            None => {
                let fill = |d: &Descriptor| if zeroed { d.ty.zero() } else { Value::Undefined };
                let cells = placed.iter().flat_map(|(_, d, _)| std::iter::repeat_n(fill(d), d.count().unwrap_or(0) as usize)).collect();
                let o = self.memory.allocate(cells)?;
                self.commons.insert(block.clone(), o);
                o
            }
        };
        for (id, mut d, at) in placed {
            d.target = Some((object, at));
            let d = self.memory.describe(d);
            self.globals.insert(id, d);
        }
        if new { self.initialize_common(block) } else { Ok(()) }
    }

    /// The initial values of a block, whichever scope has them (BLOCK DATA).
    fn initialize_common(&mut self, block: &SmolStr) -> Result<(), Fault> {
        let has_value = |s: &Symbol| {
            let given = s.decl.as_ref().is_some_and(|d| d.init.is_some() || !d.init_text.is_empty());
            given && matches!(s.storage(), Storage::Common(b) if b == block)
        };
        let given: Vec<SymbolId> = self.program.symbol_ids().filter(|&s| has_value(self.program.symbol(s))).collect();
        for id in given {
            if !self.globals.contains_key(&id) {
                self.lay_out_common(block, self.program.symbol(id).scope)?;
            }
            if let Some(&d) = self.globals.get(&id) {
                self.initialize(id, d)?;
            }
        }
        Ok(())
    }

    /// Bounds of a symbol in source order: lower bound and number of elements.
    pub(super) fn declared_bounds(&mut self, symbol: &'p Symbol) -> Result<Bounds, Fault> {
        let base = i64::from(self.order() == IndexOrder::Column);
        let rank = usize::from(symbol.rank);
        let mut bounds = Bounds::new();
        match &symbol.decl {
            // What holds snapshots has its extents from where it is allocated, once those of its variable are known.
            Some(_) if symbol.has_attribute("snapshot") && symbol.has_attribute("heap") => {
                bounds.extend(std::iter::repeat_n((base, None), rank));
            }
            Some(decl)
                if decl.dims.len() == rank
                    && (rank == 0 || symbol.bounds.len() != rank || decl.dims.iter().any(|d| d.upper != Bound::Unknown)) =>
            {
                for dim in &decl.dims {
                    let lower = self.bound(&dim.lower)?.unwrap_or(base);
                    let upper = self.bound(&dim.upper)?;
                    bounds.push((lower, upper.map(|u| u.saturating_sub(lower).saturating_add(1).max(0))));
                }
            }
            _ if symbol.bounds.len() == rank => {
                bounds.extend(symbol.bounds.iter().map(|&(l, u)| (l, Some(u.saturating_sub(l).saturating_add(1).max(0)))));
                if self.order() == IndexOrder::Column {
                    bounds.reverse();
                }
            }
            _ => bounds.extend(std::iter::repeat_n((base, None), rank)),
        }
        Ok(bounds)
    }

    fn bound(&mut self, bound: &'p Bound) -> Result<Option<i64>, Fault> {
        match bound {
            Bound::Unknown => Ok(None),
            Bound::Expr(e) => self.eval_index(e).map(Some),
        }
    }

    /// Memory for a variable. Without known extents it has none yet: it is to be allocated.
    fn variable(&mut self, symbol: &'p Symbol) -> Result<DescriptorId, Fault> {
        let ty = Self::cell_type(symbol);
        let deferred = ["allocatable", "heap", "pointer"].iter().any(|a| symbol.has_attribute(a));
        let bounds = self.declared_bounds(symbol)?;
        let axes = if bounds.iter().all(|b| b.1.is_some()) {
            packed_axes(&bounds, self.order())?
        } else {
            bounds.iter().map(|&(lower, extent)| super::arrays::Axis { lower, extent, stride: 1 }).collect()
        };
        let mut d = Descriptor { target: None, axes, ty, present: true, freed: false };
        if !(deferred && symbol.is_array())
            && let Some(n) = d.count()
        {
            let size = self.memory.check_size(n)?;
            let zeroed = self.limits.zero_start || (self.order() == IndexOrder::Row && self.is_persistent(symbol));
            let cell = if zeroed { ty.zero() } else { Value::Undefined };
            d.target = Some((self.memory.allocate(vec![cell; size])?, 0));
        }
        Ok(self.memory.describe(d))
    }

    /// Stores the declared initial value, if there is one.
    fn initialize(&mut self, id: SymbolId, d: DescriptorId) -> Result<(), Fault> {
        let symbol = self.symbol(id)?;
        let Some(decl) = &symbol.decl else { return Ok(()) };
        let persistent = self.is_persistent(symbol);
        let ty = Self::cell_type(symbol);
        if let Some(init) = &decl.init {
            let value = match self.eval(init) {
                Ok(v) => v,
                Err(e) if persistent => return Err(e),
                // The declaration of a local may stand behind statements on which its initial value depends: it then has an assignment as well.
                Err(_) => return Ok(()),
            };
            self.fill(d, value)?;
        } else if !decl.init_text.is_empty() && persistent {
            let Some((object, at)) = self.memory.descriptor(d).target else { return Ok(()) };
            let extents = self.memory.descriptor(d).axes.iter().map(|a| a.extent.and_then(|n| usize::try_from(n).ok()).unwrap_or(0));
            let (shape, program): (Vec<usize>, _) = (extents.collect(), self.program);
            // What it names is known before it is read.
            let mut constants = Vec::new();
            for word in
                decl.init_text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| w.starts_with(|c: char| c.is_alphabetic()))
            {
                let stands = |s: &&Symbol| is_function_value(s) && s.name == word;
                let own = || program.symbols.iter().find(|s| stands(s) && s.span.source == symbol.span.source);
                let function = || own().or_else(|| program.symbols.iter().find(stands));
                let init = program.lookup(symbol.scope, word).and_then(|s| program.symbol(s).decl.as_ref()?.init.as_ref());
                let init = init.or_else(|| function()?.decl.as_ref()?.init.as_ref());
                let number = match init.map(|e| self.eval(e).and_then(Operand::one)) {
                    Some(Ok(Value::Int(x, _))) => tables::Number::Int(x),
                    Some(Ok(Value::Real(x, single))) => tables::Number::Real(x.value(), single),
                    Some(Ok(Value::Bool(b))) => tables::Number::Bool(b),
                    _ => continue,
                };
                constants.push((word, number));
            }
            // Constants are of the kind of the variable where the program does not have the name of their kind.
            constants.push(("", tables::Number::Int(i128::from(symbol.ty.bits / 8))));
            let named = |name: &str| constants.iter().find(|c| c.0 == name).map(|c| c.1);
            let texts = tables::numbers(&decl.init_text, &shape, &named, program.index_order == IndexOrder::Column);
            let Some(texts) = texts else {
                return Err(fault("OB6021", format!("the initial value of `{}` cannot be read: {}", symbol.name, decl.init_text)));
            };
            for (k, t) in texts.into_iter().enumerate() {
                self.memory.store(object, at + k as i64, false, ty.convert(t)?)?;
            }
        }
        Ok(())
    }

    /// Sets all elements of a variable to one value, or to the elements of an array.
    fn fill(&mut self, d: DescriptorId, value: Operand<S>) -> Result<(), Fault> {
        let view = self.memory.descriptor(d).view("", &[], false)?;
        self.assign(&view, value)
    }

    /// Stores a value in a view: elementwise, one element fills all.
    pub(super) fn assign(&mut self, view: &View, value: Operand<S>) -> Result<(), Fault> {
        // A real that becomes an integer is truncated: no smooth thing to do.
        if S::WATCHES && view.ty.elem.base == BaseType::Integer {
            let jumps = |v: &Value<S>| matches!(v, Value::Real(x, _) if x.kinked1(Fn1::Trunc));
            self.counters.kinks += value.elements().iter().filter(|v| jumps(v)).count() as u64;
        }
        if view.steps.is_empty() {
            let v = view.ty.convert(value.one()?)?.stored();
            return self.memory.store(view.object, view.base, view.deriv, v);
        }
        let positions = view.positions(self.order());
        match value {
            Operand::One(v) => {
                let v = view.ty.convert(v)?;
                positions.into_iter().try_for_each(|p| self.memory.store(view.object, p, view.deriv, v.stored()))
            }
            Operand::Many(shape, list) => {
                if shape != view.shape() {
                    return Err(fault(
                        "OB6015",
                        format!("an array of shape {:?} is assigned to one of shape {:?}", &shape[..], &view.shape()[..]),
                    ));
                }
                for (p, v) in positions.into_iter().zip(list) {
                    let v = view.ty.convert(v)?.stored();
                    self.memory.store(view.object, p, view.deriv, v)?;
                }
                Ok(())
            }
        }
    }

    /// An integer expression: a subscript or a bound.
    pub(super) fn eval_index(&mut self, e: &'p Expr) -> Result<i64, Fault> {
        let v = self.eval(e)?.one()?;
        i64::try_from(v.as_int()?).map_err(|_| fault("OB6013", "an index does not fit in 64 bits"))
    }

    /// Where execution is, as the user knows it.
    pub(super) fn location(&self) -> Option<Location> {
        self.program.location(self.place.span)
    }

    /// Notes where something happened that is no error but worth knowing.
    pub(super) fn remark(&mut self, before: Counters) {
        let now = self.counters;
        let (code, message) = if now.divisions_by_zero > before.divisions_by_zero {
            ("OB6023", "a real is divided by zero")
        } else if now.not_finite > before.not_finite {
            ("OB6024", "a result is infinite or no number")
        } else {
            ("OB6025", "the program is not smooth here")
        };
        let d = *self.placed(Box::new(Diagnostic::warning(code, message)));
        let list = match code {
            "OB6025" if now.kinks > before.kinks => &mut self.kinks,
            "OB6025" => &mut self.bends,
            _ => &mut self.notes,
        };
        if list.len() < 100 && !list.contains(&d) {
            list.push(d);
        }
    }

    /// The error with its place: the statement, and the unit in words.
    pub(super) fn placed(&self, mut f: Fault) -> Fault {
        if f.location.is_none() {
            f.location = self.location();
            if let Some(u) = self.place.unit {
                let mut at = format!("in unit `{}`", self.program.unit_name(u));
                if self.place.line > 0 && f.location.is_none() {
                    at.push_str(&format!(", line {}", self.place.line));
                }
                if !self.place.id.is_empty() && f.location.is_none() {
                    at.push_str(&format!(", statement `{}`", self.place.id));
                }
                f.reason = Some(f.reason.take().map_or(at.clone(), |r| format!("{r}; {at}")));
            }
        }
        f
    }
}

//! Execution: one vertex or statement after the other, on the graph as it is.
//!
//! Lives here: the walk, loops and branches, statements. Never here: expressions, calls.

use super::arrays::{Bounds, ObjectId, Subscript};
use super::data::Counters;
use super::expr::variable;
use super::fault::{Fault, fault};
use super::machine::{Frame, Machine, Place};
use super::scalar::Scalar;
use super::texts::{Named, assigned};
use super::value::{Operand, Value};
use petgraph::Direction;
use petgraph::visit::EdgeRef;
use xaif::Diagnostic;
use xaif::model::{BaseType, Dialect, Expr, IndexOrder, Marker, MarkerClass, Stmt, StmtKind, SymbolId, VarRef, VertexId, VertexKind};

/// An object, and the number of an element in it.
type Cell = (ObjectId, i64);

impl<'p, S: Scalar> Machine<'p, S> {
    /// Runs until as many units are active as `floor` says, or the program stops itself.
    pub(super) fn run_to(&mut self, floor: usize) -> Result<(), Fault> {
        while self.frames.len() > floor && self.stopped.is_none() {
            self.counters.steps += 1;
            if self.counters.steps > self.limits.steps {
                return Err(fault("OB6004", format!("the program runs longer than the limit of {} steps", self.limits.steps)));
            }
            if self.counters.work() > self.limits.work {
                return Err(fault("OB6004", format!("the program takes more than {} operations", self.limits.work)));
            }
            let before = self.counters;
            self.step()?;
            let now = &self.counters;
            let told = |c: &Counters| (c.not_finite, c.divisions_by_zero, c.kinks, c.bends);
            if told(now) != told(&before) {
                self.remark(before);
            }
        }
        Ok(())
    }

    fn frame(&mut self) -> Result<&mut Frame<'p>, Fault> {
        self.frames.last_mut().ok_or_else(|| fault("OB6005", "no unit runs"))
    }

    fn step(&mut self) -> Result<(), Fault> {
        let frame = self.frame()?;
        let (graph, at, unit, from_end_loop) = (frame.graph, frame.at, frame.unit, frame.from_end_loop);
        let next = frame.stmt;
        let vertex = &graph[at];
        if let VertexKind::Block { stmts, .. } = &vertex.kind
            && let Some(stmt) = stmts.get(next)
        {
            frame.stmt += 1;
            self.place = Place { unit: Some(unit), span: stmt.span, line: stmt.line, id: stmt.id.clone() };
            return self.statement(stmt);
        }
        self.place = Place { unit: Some(unit), span: vertex.span, line: vertex.line, id: vertex.id.clone() };
        match &vertex.kind {
            VertexKind::Exit => self.leave(),
            VertexKind::For(head) => {
                let before = if from_end_loop { &head.update } else { &head.init };
                if !vertex.parallel {
                    self.statement(before)?;
                    return self.loop_test(at, &head.condition).map(|_| ());
                }
                self.begin_iteration(at, vertex.span, from_end_loop);
                self.statement(before)?;
                if let StmtKind::Assignment { lhs, .. } = &before.kind {
                    self.index_set(lhs)?;
                }
                if !self.loop_test(at, &head.condition)? {
                    self.end_iterations(at);
                }
                Ok(())
            }
            VertexKind::Pre(condition) => self.loop_test(at, condition).map(|_| ()),
            VertexKind::Post(condition) => {
                if from_end_loop {
                    self.loop_test(at, condition).map(|_| ())
                } else {
                    self.follow(at, Some(1))
                }
            }
            VertexKind::Branch(condition) => {
                let value = self.eval(condition)?.one()?;
                let value = match value {
                    Value::Bool(b) => i64::from(b),
                    other => i64::try_from(other.as_int()?).map_err(|_| fault("OB6013", "a branch value does not fit in 64 bits"))?,
                };
                self.follow(at, Some(value))
            }
            _ => self.follow(at, None),
        }
    }

    fn loop_test(&mut self, at: VertexId, condition: &'p Expr) -> Result<bool, Fault> {
        let go_on = self.eval(condition)?.one()?.as_bool()?;
        self.follow(at, Some(i64::from(go_on)))?;
        Ok(go_on)
    }

    /// Goes on along the edge of that value, else along the one without a value.
    fn follow(&mut self, at: VertexId, value: Option<i64>) -> Result<(), Fault> {
        let frame = self.frame()?;
        let graph = frame.graph;
        let mut default = None;
        let mut chosen = None;
        for e in graph.edges_directed(at, Direction::Outgoing) {
            match e.weight().value {
                None => default = Some(e.target()),
                v if v == value => chosen = Some(e.target()),
                // A stock vertex with one way out may carry a value that means nothing.
                Some(_) => {
                    if value.is_none() {
                        default = Some(e.target());
                    }
                }
            }
        }
        let Some(to) = chosen.or(default) else {
            return Err(fault("OB6005", format!("control has nowhere to go behind vertex `{}`", graph[at].id)));
        };
        frame.from_end_loop = matches!(graph[at].kind, VertexKind::EndLoop);
        frame.at = to;
        frame.stmt = 0;
        Ok(())
    }

    fn statement(&mut self, stmt: &'p Stmt) -> Result<(), Fault> {
        match &stmt.kind {
            StmtKind::Assignment { lhs, rhs } => {
                if let Some(reached) = &mut self.reached
                    && self.program.symbols.get(lhs.symbol.index()).is_some_and(|y| y.ty.is_real())
                {
                    reached.insert(stmt.span);
                }
                let event = self.before_assignment(stmt, lhs, rhs)?;
                let added = self.before_iterations(lhs, rhs, stmt.span, &stmt.text)?;
                let value = self.value_of(lhs, rhs)?;
                self.allocate_by_assignment(lhs, &value)?;
                let view = self.view(lhs)?;
                self.assign(&view, value)?;
                self.note_set(&view, added);
                self.note_record(lhs, rhs, &view)?;
                self.after_assignment(event, lhs)
            }
            StmtKind::Call(call) => {
                self.before_call(stmt, call);
                self.call(call)
            }
            StmtKind::Marker(marker) => self.marker(stmt, marker),
            StmtKind::Runtime { name, arguments } => {
                let taken = arguments.first().and_then(|a| variable(&a.value)).filter(|_| name == "pop");
                let event = taken.and_then(|r| self.before_pop(stmt, r));
                self.runtime(name, arguments)?;
                taken.map_or(Ok(()), |r| self.after_assignment(event, r))
            }
            StmtKind::Propagator(list) => self.propagate(list),
        }
    }

    fn marker(&mut self, stmt: &'p Stmt, marker: &'p Marker) -> Result<(), Fault> {
        match marker.class {
            MarkerClass::Comment | MarkerClass::Pragma | MarkerClass::Assertion => return Ok(()),
            MarkerClass::Allocate => return self.allocate(marker),
            MarkerClass::Deallocate => {
                if let Some(r) = &marker.object {
                    let d = self.locate(r.symbol)?;
                    let described = self.memory.descriptor_mut(d);
                    match described.target.take() {
                        Some((object, _)) => {
                            described.freed = true;
                            if self.symbol(r.symbol)?.has_attribute("snapshot") {
                                let bytes = self.memory.descriptor(d).ty.bytes().saturating_mul(self.memory.size_of(object) as u64);
                                self.stacks.given_back(bytes);
                            }
                            self.memory.free(object, false);
                        }
                        // A pointer that was never set may be null, and that may be freed.
                        None if described.freed || self.program.symbol(r.symbol).has_attribute("allocatable") => {
                            let name = &self.program.symbol(r.symbol).name;
                            return Err(self.placed(fault("OB6016", format!("`{name}` is freed, but it has no memory"))));
                        }
                        None => {}
                    }
                }
                return Ok(());
            }
            MarkerClass::Stop => {
                let text = if marker.text.is_empty() { marker.annotation.as_str() } else { marker.text.as_str() };
                let f = fault("OB6040", format!("the program stopped itself: {text}"));
                self.stopped = Some(*self.placed(f));
                return Ok(());
            }
            MarkerClass::Unknown | MarkerClass::Call | MarkerClass::Io | MarkerClass::Terminal | MarkerClass::Passive => {}
        }
        if let Some((target, value)) = self.text_assigned(marker)? {
            return self.memory.store(target.0, target.1, false, value);
        }
        let silent = !matches!(marker.class, MarkerClass::Unknown | MarkerClass::Call) || !may_store(&marker.annotation, &marker.text);
        if !silent && self.notes.len() < 100 {
            let what = if marker.text.is_empty() { marker.annotation.as_str() } else { marker.text.as_str() };
            let note =
                Diagnostic::warning("OB6022", format!("an opaque statement was passed over: {what}")).at(self.program.location(stmt.span));
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        for &id in &marker.writes {
            let d = self.locate(id)?;
            if let Some(target) = self.memory.descriptor(d).target {
                let n = self.memory.descriptor(d).count().unwrap_or(self.memory.size_of(target.0) as i64 - target.1);
                for k in 0..n {
                    self.memory.store(target.0, target.1 + k, false, Value::Undefined)?;
                }
            }
        }
        Ok(())
    }

    /// What a statement kept as text gives to a text of open length, and where that is.
    fn text_assigned(&mut self, marker: &Marker) -> Result<Option<(Cell, Value<S>)>, Fault> {
        let [left] = marker.writes[..] else { return Ok(None) };
        let symbol = self.symbol(left)?;
        let open = symbol.ty.base == BaseType::String && symbol.rank == 0 && symbol.has_attribute("allocatable");
        if marker.class != MarkerClass::Passive || !open {
            return Ok(None);
        }
        let name = symbol.name.clone();
        let mut known = Vec::new();
        for &id in &marker.reads {
            let y = self.symbol(id)?;
            if y.rank != 0 {
                continue;
            }
            let name = y.name.clone();
            let d = self.locate(id)?;
            let Some(at) = self.memory.descriptor(d).target else { continue };
            known.push((name, self.memory.load(at.0, at.1, false)?));
        }
        let mut lookup = |wanted: &str| {
            let value = &known.iter().find(|(n, _)| n.eq_ignore_ascii_case(wanted))?.1;
            match value {
                Value::Text(t) => Some(Named::Text(t.clone())),
                other => Some(Named::Number(i64::try_from(other.as_int().ok()?).ok()?)),
            }
        };
        let Some(value) = assigned(&marker.text, &name, &mut lookup) else { return Ok(None) };
        let d = self.locate(left)?;
        Ok(self.memory.descriptor(d).target.map(|at| (at, Value::Text(value))))
    }

    /// The value that a statement assigns. Derivative units may save a variable that has no value yet: that is no use of it.
    fn value_of(&mut self, lhs: &'p VarRef, rhs: &'p Expr) -> Result<Operand<S>, Fault> {
        let derived = self.frames.last().is_some_and(|f| self.program.unit(f.unit).derivation.is_some());
        match variable(rhs) {
            Some(r) if derived || self.is_moved(lhs, r) => {
                let view = self.view(r)?;
                self.load(&view)
            }
            _ => {
                let value = self.eval(rhs)?;
                if variable(rhs).is_none()
                    && let Operand::Many(_, list) = &value
                {
                    list.iter().try_for_each(|v| super::intrinsics::defined(v).map(|_| ()))?;
                }
                Ok(value)
            }
        }
    }

    /// Whether a loop that the front end made moves an element: memory is copied or exchanged whatever of it has a value.
    fn is_moved(&self, lhs: &VarRef, rhs: &VarRef) -> bool {
        let made = |r: &VarRef| {
            let temporary = |s: SymbolId| self.symbol(s).is_ok_and(|s| s.temp);
            let mut found = temporary(r.symbol);
            r.subscripts.iter().filter_map(|t| t.index.as_ref()).for_each(|e| {
                e.for_each_ref(&mut |v| found |= temporary(v.symbol));
            });
            found
        };
        made(lhs) || made(rhs)
    }

    /// Assigning a whole allocatable array gives it the shape of the value. In stock files, whose allocations are opaque, any array without
    /// declared bounds gets its memory that way, or from the bounds of the section that is set.
    fn allocate_by_assignment(&mut self, lhs: &'p VarRef, value: &Operand<S>) -> Result<(), Fault> {
        let symbol = self.symbol(lhs.symbol)?;
        let stock = self.program.dialect == Dialect::Openad;
        if !symbol.is_array() || !(stock || (symbol.has_attribute("allocatable") && lhs.subscripts.is_empty())) {
            return Ok(());
        }
        let id = self.locate(lhs.symbol)?;
        let d = self.memory.descriptor(id);
        let Operand::Many(shape, _) = value else { return Ok(()) };
        let same = d.axes.len() == shape.len() && d.axes.iter().zip(shape).all(|(a, &n)| a.extent == Some(n as i64));
        if !d.present || (d.target.is_some() && (stock || same)) {
            return Ok(());
        }
        let base = i64::from(self.program.index_order == IndexOrder::Column);
        let mut bounds = Bounds::new();
        if lhs.subscripts.is_empty() {
            bounds.extend(shape.iter().map(|&n| (base, Some(n as i64))));
        } else {
            match self.bounds_named(lhs)? {
                Some(list) => bounds = list,
                None => return Ok(()),
            }
        }
        if stock {
            self.extents.insert(lhs.symbol, bounds.clone());
        }
        let axes = super::arrays::packed_axes(&bounds, self.program.index_order)?;
        let count = bounds.iter().try_fold(1i64, |n, b| n.checked_mul(b.1.unwrap_or(0)));
        let size = self.memory.check_size(count.unwrap_or(i64::MAX))?;
        let object = self.memory.allocate(vec![Value::Undefined; size])?;
        let old = self.memory.descriptor_mut(id).target.replace((object, 0));
        self.memory.descriptor_mut(id).axes = axes;
        if let (Some((o, _)), true) = (old, symbol.has_attribute("allocatable")) {
            self.memory.free(o, false);
        }
        Ok(())
    }

    /// The extents that subscripts say an array has at least.
    fn bounds_named(&mut self, r: &'p VarRef) -> Result<Option<Bounds>, Fault> {
        let base = i64::from(self.program.index_order == IndexOrder::Column);
        let mut bounds = Bounds::new();
        for s in self.subscripts(r)? {
            match s {
                Subscript::Range(_, Some(to), _) | Subscript::At(to) => {
                    bounds.push((base, Some(to.saturating_sub(base).saturating_add(1).max(0))));
                }
                _ => return Ok(None),
            }
        }
        Ok(Some(bounds))
    }

    /// An array of a stock file whose extents the file does not tell, and whose derivative is met before its value is set: it has the extents
    /// that it had in the taping sweep, or those that the reference names.
    pub(super) fn unsized_array(&mut self, r: &'p VarRef) -> Result<(), Fault> {
        let symbol = self.symbol(r.symbol)?;
        let id = self.locate(r.symbol)?;
        let d = self.memory.descriptor(id);
        // Temporaries of the booster are allocated by it.
        if self.program.dialect != Dialect::Openad || !symbol.is_array() || symbol.temp || !d.present || d.target.is_some() {
            return Ok(());
        }
        let bounds = match self.extents.get(&r.symbol) {
            Some(known) => Some(known.clone()),
            None if r.subscripts.is_empty() => None,
            None => self.bounds_named(r)?,
        };
        match bounds {
            Some(bounds) => {
                self.extents.insert(r.symbol, bounds.clone());
                self.give_memory(r, &bounds)
            }
            None => Ok(()),
        }
    }

    fn allocate(&mut self, marker: &'p Marker) -> Result<(), Fault> {
        let Some(r) = &marker.object else { return Err(fault("OB6005", "an allocation names no object")) };
        let name = self.name(r.symbol);
        let id = self.locate(r.symbol)?;
        let base = self.memory.descriptor(id).axes.first().map_or(1, |a| a.lower);
        let mut bounds = Bounds::new();
        for s in self.subscripts(r)? {
            bounds.push(match s {
                Subscript::At(n) => (base, Some(n.saturating_sub(base).saturating_add(1).max(0))),
                Subscript::Range(from, Some(to), _) => {
                    let from = from.unwrap_or(base);
                    (from, Some(to.saturating_sub(from).saturating_add(1).max(0)))
                }
                _ => return Err(fault("OB6005", format!("`{name}` is allocated without extents"))),
            });
        }
        let ty = self.memory.descriptor(id).ty;
        let axes = super::arrays::packed_axes(&bounds, self.program.index_order)?;
        let count = bounds.iter().try_fold(1i64, |n, b| n.checked_mul(b.1.unwrap_or(0)));
        let size = self.memory.check_size(count.unwrap_or(i64::MAX))?;
        let cell = if marker.zeroed { ty.zero() } else { Value::Undefined };
        let object = self.memory.allocate(vec![cell; size])?;
        let d = self.memory.descriptor_mut(id);
        if d.target.is_some() && self.symbol(r.symbol)?.has_attribute("allocatable") {
            return Err(fault("OB6016", format!("`{name}` is allocated twice")));
        }
        let d = self.memory.descriptor_mut(id);
        d.target = Some((object, 0));
        d.freed = false;
        d.axes = axes;
        if self.symbol(r.symbol)?.has_attribute("snapshot") {
            self.stacks.reserved(ty.bytes().saturating_mul(size as u64))?;
        }
        Ok(())
    }
}

/// Whether a stock marker may stand for an assignment or a call that the format could not say.
fn may_store(annotation: &str, text: &str) -> bool {
    if annotation.is_empty() {
        return !text.is_empty();
    }
    ["ISTORE", "STID", "cassignstmt", "READ", "CALL"].iter().any(|k| annotation.contains(k))
}

//! The engine of compiled code: what it is given and what it says, as numbers in a fixed order.
//!
//! A driver (made by [`super::harness_c`] or [`super::harness_fortran`]) reads a mode, the values of all variables and the seeds, runs the original (0), the
//! tangent (1) or the adjoint (2) twice with the same arguments in one process, and prints everything after each run, and what is left on the stack.
//! Every request is a process of its own. Lives here: the layout that drivers and this engine share, and its reading. Never here:
//! source text, processes.

use super::engine::{Engine, Map, State};
use super::subject::Subject;
use overbar_booster::signature::Role;
use overbar_evaluate::directions::Directions;
use overbar_evaluate::fault::fault;
use overbar_evaluate::value::Shape;
use overbar_evaluate::{Data, Fault, Value, Values};
use std::fmt::Write;
use std::rc::Rc;
use xaif::Program;
use xaif::members::is_structure;
use xaif::model::{BaseType, Mode, SymbolId};

/// A variable of the driver.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    /// The original's variable.
    pub symbol: SymbolId,
    /// Its name.
    pub name: String,
    /// Index among the formals; `None`: a global.
    pub formal: Option<usize>,
    /// It is the function's result.
    pub result: bool,
    /// Its extents in source order.
    pub shape: Shape,
    /// Number of elements.
    pub count: usize,
    /// What the elements are.
    pub base: BaseType,
    /// Longest text.
    pub length: usize,
    /// False for an absent optional argument.
    pub present: bool,
    /// The head names it: it has a derivative.
    pub named: bool,
}

/// Everything a driver has to know.
pub struct Layout<'a> {
    /// What is checked.
    pub subject: &'a Subject<'a>,
    /// The program with the derivatives.
    pub boosted: &'a Program,
    /// The tangent's arguments, where it has one.
    pub tangent: Option<Map>,
    /// The adjoint's arguments, where it has one.
    pub adjoint: Option<Map>,
    /// Variables in the order in which they are read and printed.
    pub slots: Vec<Slot>,
}

/// The extents of an array of structures that the values of its components have.
fn part_shape(subject: &Subject, x: &Values<f64>, whole: SymbolId) -> Option<Shape> {
    let y = subject.program.symbol(whole);
    let start = format!("{}%", y.name);
    let formals = subject.program.unit(subject.unit).formals.iter().map(|f| f.symbol);
    let mut parts = formals.filter(|&s| subject.program.symbol(s).name.starts_with(&start));
    let data = parts.find_map(|s| subject.value(x, s)).filter(|_| y.rank > 0)?;
    Some(data.shape.iter().take(usize::from(y.rank)).copied().collect())
}

impl<'a> Layout<'a> {
    /// For points with these extents. Arguments without a value get that of `reference`, for their extents.
    ///
    /// # Errors
    /// Arguments that no driver can pass.
    pub fn new(
        subject: &'a Subject<'a>,
        boosted: &'a Program,
        tangent: Option<Map>,
        adjoint: Option<Map>,
        x: &Values<f64>,
        reference: &Values<f64>,
    ) -> Result<Layout<'a>, Fault> {
        let program = subject.program;
        let mut slots = Vec::new();
        let formals = &program.unit(subject.unit).formals;
        let mut add = |symbol: SymbolId, formal: Option<usize>, result: bool| -> Result<(), Fault> {
            let y = program.symbol(symbol);
            let data = subject.value(x, symbol).or_else(|| subject.value(reference, symbol));
            // Nothing is passed for what is no number, or what its components hold.
            let parts = if y.ty.value_base() == BaseType::Opaque && !is_structure(y) { part_shape(subject, x, symbol) } else { None };
            let opaque = y.ty.value_base() == BaseType::Opaque && (y.rank == 0 || is_structure(y) || parts.is_some());
            let absent = opaque || (y.has_attribute("optional") && subject.value(x, symbol).is_none());
            if data.is_none() && !absent && !(result && y.rank == 0) {
                return Err(fault("OB6064", format!("the extents of `{}` are not known", y.name)));
            }
            let shape: Shape = parts.unwrap_or_else(|| data.map_or_else(Shape::new, |d| d.shape.clone()));
            if subject.value(reference, symbol).is_some_and(|d| y.rank > 0 && d.shape != shape) {
                return Err(fault("OB6064", format!("`{}` has other extents at the end, which the compiled harness cannot pass", y.name)));
            }
            let shape = if y.rank == 0 { Shape::new() } else { shape };
            let length = data.map_or(1, |d| d.values.iter().map(|v| if let Value::Text(t) = v { t.len() } else { 1 }).max().unwrap_or(1));
            slots.push(Slot {
                symbol,
                name: y.name.to_string(),
                formal,
                result,
                count: shape.iter().product(),
                shape,
                base: y.ty.value_base(),
                length,
                present: !absent,
                named: subject.named().contains(&symbol),
            });
            Ok(())
        };
        for (k, f) in formals.iter().enumerate() {
            add(f.symbol, Some(k), f.result)?;
        }
        for s in globals(subject, x) {
            add(s, None, false)?;
        }
        Ok(Layout { subject, boosted, tangent, adjoint, slots })
    }

    /// The directions, where derivative units serve several at once.
    pub fn directions(&self) -> Option<&Directions> {
        self.modes().find_map(|(.., m)| m.directions.as_ref())
    }

    /// The derivative units: the mode, its number in a request, and the arguments.
    pub fn modes(&self) -> impl Iterator<Item = (Mode, usize, &Map)> {
        let list = [(Mode::Tangent, 1, &self.tangent), (Mode::Adjoint, 2, &self.adjoint)];
        list.into_iter().filter_map(|(mode, number, map)| Some((mode, number, map.as_ref()?)))
    }

    /// The slot of a formal.
    pub fn slot(&self, role: Role) -> Option<usize> {
        self.slots.iter().position(|s| s.formal == Some(role.index()))
    }

    /// The request for a run, as text.
    pub fn request(&self, mode: usize, x: &Values<f64>, seeds: &Values<f64>) -> String {
        let mut out = format!("{mode}\n");
        for s in self.slots.iter().filter(|s| s.present && !s.result) {
            self.numbers(&mut out, s, self.subject.value(x, s.symbol));
        }
        if mode > 0 {
            for s in self.slots.iter().filter(|s| s.present && s.named) {
                self.numbers(&mut out, s, self.subject.value(seeds, s.symbol));
            }
        }
        out
    }

    fn numbers(&self, out: &mut String, s: &Slot, data: Option<&Data<f64>>) {
        for k in 0..s.count {
            let v = data.and_then(|d| d.values.get(k));
            // Writing to a string cannot fail.
            let _ = match (s.base, v) {
                (BaseType::Real, Some(v)) => writeln!(out, "{:.17e}", v.as_scalar().unwrap_or(0.0)),
                (BaseType::Real, None) => writeln!(out, "0.0"),
                (BaseType::Char | BaseType::String, Some(Value::Text(t))) => writeln!(out, "'{t}'"),
                (BaseType::Char | BaseType::String, _) => writeln!(out, "' '"),
                (BaseType::Bool, v) => writeln!(out, "{}", i32::from(v.is_some_and(|v| v.as_bool().unwrap_or(false)))),
                // Also of what was written as 5.0.
                (_, v) => writeln!(out, "{}", v.map_or(0, |v| v.as_int().or_else(|_| v.as_scalar().map(|x| x as i128)).unwrap_or(0))),
            };
        }
    }

    /// Reads what the driver printed.
    fn answer(&self, mode: usize, text: &str) -> Result<State, Fault> {
        let mut numbers = text.split_ascii_whitespace();
        let broken = || {
            fault("OB6066", format!("the compiled harness printed something unexpected: {}", text.chars().take(200).collect::<String>()))
        };
        let mut state = State::default();
        let mut again = State::default();
        for run in [&mut state, &mut again] {
            for s in self.slots.iter().filter(|s| s.present) {
                let data = self.read(s, s.base, &mut numbers).ok_or_else(broken)?;
                run.values.insert(s.name.clone(), data);
            }
            if mode > 0 {
                for s in self.slots.iter().filter(|s| s.present && s.named) {
                    let data = self.read(s, BaseType::Real, &mut numbers).ok_or_else(broken)?;
                    run.derivatives.insert(s.name.clone(), data);
                }
            }
            run.left = numbers.next().and_then(|t| t.parse().ok()).ok_or_else(broken)?;
        }
        let bits = |v: &Values<f64>| -> Vec<u64> { v.values().flat_map(|d| d.to_reals()).map(f64::to_bits).collect() };
        state.repeated = Some(bits(&state.values) == bits(&again.values) && bits(&state.derivatives) == bits(&again.derivatives));
        Ok(state)
    }

    fn read<'t>(&self, s: &Slot, base: BaseType, numbers: &mut impl Iterator<Item = &'t str>) -> Option<Data<f64>> {
        let mut values = Vec::with_capacity(s.count);
        for _ in 0..s.count {
            let t = numbers.next()?;
            values.push(match base {
                BaseType::Real => Value::real(real(t)?),
                BaseType::Char | BaseType::String => Value::Undefined,
                BaseType::Bool => Value::Bool(t != "0"),
                _ => Value::Int(t.parse().ok()?, overbar_evaluate::value::IntKind { bits: 64, unsigned: false }),
            });
        }
        Some(Data { shape: s.shape.clone(), values })
    }
}

/// A real as C and Fortran print it.
fn real(t: &str) -> Option<f64> {
    let lower = t.to_ascii_lowercase();
    match lower.trim_start_matches(['-', '+']) {
        "nan" => return Some(f64::NAN),
        "inf" | "infinity" => return Some(if lower.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY }),
        _ => {}
    }
    lower.parse().ok()
}

/// Globals of the head, and others that are given.
fn globals(subject: &Subject, x: &Values<f64>) -> Vec<SymbolId> {
    let program = subject.program;
    let mut out: Vec<SymbolId> = subject.named().into_iter().filter(|&s| !subject.is_formal(s)).collect();
    for name in x.keys() {
        let formal = program.unit(subject.unit).formals.iter().any(|f| program.same_name(subject.name(f.symbol), name));
        if formal || out.iter().any(|&s| program.same_name(subject.name(s), name)) {
            continue;
        }
        let scope = program.unit(subject.unit).scope;
        let outlives = |s: SymbolId| subject.facts.objects.outlives_call(s) && !subject.is_formal(s);
        let seen = program.lookup(scope, name).filter(|&s| outlives(s));
        out.extend(seen.or_else(|| program.symbol_ids().find(|&s| outlives(s) && program.same_name(subject.name(s), name))));
    }
    out
}

/// Runs the compiled driver: from a request to an answer.
pub type Runner<'a> = Box<dyn Fn(&str) -> Result<String, Fault> + 'a>;

/// The engine.
pub struct Compiled<'a> {
    layout: Rc<Layout<'a>>,
    runner: Runner<'a>,
    /// The original gives the same when it runs twice; if not, its derivatives need not either.
    steady: bool,
}

impl<'a> Compiled<'a> {
    /// With a driver that is ready.
    pub fn new(layout: Rc<Layout<'a>>, runner: Runner<'a>) -> Compiled<'a> {
        Compiled { layout, runner, steady: false }
    }

    fn run(&self, mode: usize, x: &Values<f64>, seeds: &Values<f64>) -> Result<State, Fault> {
        let mut state = self.layout.answer(mode, &(self.runner)(&self.layout.request(mode, x, seeds))?)?;
        if mode > 0 && !self.steady {
            state.repeated = None;
        }
        Ok(state)
    }
}

impl Engine for Compiled<'_> {
    fn name(&self) -> &'static str {
        "compiled"
    }
    fn has(&self, mode: Mode) -> bool {
        self.layout.modes().any(|(m, ..)| m == mode)
    }
    fn primal(&mut self, x: &Values<f64>) -> Result<State, Fault> {
        let state = self.run(0, x, &Values::new())?;
        self.steady = state.repeated == Some(true);
        Ok(State { repeated: None, ..state })
    }
    fn tangent(&mut self, x: &Values<f64>, seeds: &Values<f64>) -> Result<State, Fault> {
        self.run(1, x, seeds)
    }
    fn adjoint(&mut self, x: &Values<f64>, seeds: &Values<f64>) -> Result<State, Fault> {
        self.run(2, x, seeds)
    }
}

//! Ways to run the original, its tangent and its adjoint at a point: the interpreter here, compiled code in [`super::compiled`].
//!
//! Lives here: what a run is given and what it returns, by the names of the original. Never here: comparisons.

use super::subject::{Subject, derived};
use overbar_booster::signature::{Role, Signature};
use overbar_booster::transform::Options;
use overbar_evaluate::directions::Directions;
use overbar_evaluate::fault::fault;
use overbar_evaluate::shared_derivatives::SharedDerivatives;
use overbar_evaluate::{Data, Fault, Inputs, Limits, Sweep, Value, Values, noted, run};
use xaif::Program;
use xaif::model::{Formal, Mode, SymbolId, UnitId, UnitKind};

/// What a run leaves behind, by the names of the original's variables.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Values of arguments and of the globals that the head names.
    pub values: Values<f64>,
    /// Derivatives of what the head names.
    pub derivatives: Values<f64>,
    /// Bytes or records left on the stack.
    pub left: u64,
    /// Whether a second run with the same arguments gave the same, where that was tried.
    pub repeated: Option<bool>,
}

/// A way to run things.
pub trait Engine {
    /// Its name in the certificate.
    fn name(&self) -> &'static str;
    /// Whether it has the derivative of that mode.
    fn has(&self, mode: Mode) -> bool {
        let _ = mode;
        true
    }
    /// What runs of derivative units took until now, in steps and operations of the interpreter.
    fn work(&self) -> u64 {
        0
    }
    /// The original.
    ///
    /// # Errors
    /// Everything that goes wrong in a run.
    fn primal(&mut self, x: &Values<f64>) -> Result<State, Fault>;
    /// The tangent. Seeds are given for everything that the head names.
    ///
    /// # Errors
    /// As [`Engine::primal`].
    fn tangent(&mut self, x: &Values<f64>, seeds: &Values<f64>) -> Result<State, Fault>;
    /// The adjoint.
    ///
    /// # Errors
    /// As [`Engine::primal`].
    fn adjoint(&mut self, x: &Values<f64>, seeds: &Values<f64>) -> Result<State, Fault>;
}

/// The arguments of a derivative unit and the derivatives of globals, in terms of the original.
#[derive(Clone, Debug)]
pub struct Map {
    /// The derivative unit.
    pub unit: UnitId,
    /// For each of its arguments its own name, and what it is to the original.
    pub roles: Vec<(String, Role)>,
    /// Names of globals that the head names, and of their derivatives.
    pub globals: Vec<(String, String)>,
    /// The directions, where the unit serves several at once.
    pub directions: Option<Directions>,
}

impl Map {
    /// The directions that derivatives of shared variables have: those of arguments, where their number is fixed.
    pub fn directions_of_shared(&self) -> Option<&Directions> {
        self.directions.as_ref().filter(|d| d.argument.is_none())
    }

    /// Of the derivative unit of the subject in that mode.
    ///
    /// # Errors
    /// A boosted program without it.
    pub fn new(subject: &Subject, boosted: &Program, mode: Mode) -> Result<Map, Fault> {
        let name = subject.program.unit_name(subject.unit);
        let unit = derived(boosted, name, mode).ok_or_else(|| fault("OB6060", format!("the booster made no {mode:?} unit of `{name}`")))?;
        let original = subject.program.unit(subject.unit);
        // Another derivative unit that calls this one may need companions that the head does not name.
        let companions: Vec<&str> = boosted.unit(unit).formals.iter().filter_map(|f| companion_of(boosted, f.symbol)).collect();
        let active = |k: usize| {
            let named = |f: &Formal| subject.named().contains(&f.symbol);
            original.formals.get(k).is_some_and(|f| named(f) || companions.iter().any(|c| boosted.same_name(c, subject.name(f.symbol))))
        };
        let directions = Directions::of(boosted, unit);
        // An adjoint that is a function returns what the original does.
        let returns = boosted.unit(unit).kind == UnitKind::Function;
        let signature = Signature::of(subject.program, original, mode, (directions.is_some(), returns), &active);
        let formals = boosted.unit(unit).formals.get(directions.as_ref().map_or(0, Directions::arguments_before)..).unwrap_or_default();
        if formals.len() != signature.roles.len() {
            return Err(fault("OB6060", format!("`{}` has not the arguments that its head asks for", boosted.unit_name(unit))));
        }
        let roles = formals.iter().zip(signature.roles).map(|(f, r)| (boosted.symbol(f.symbol).name.to_string(), r)).collect();
        let shared = SharedDerivatives::of(boosted, unit);
        let mut globals = Vec::new();
        for s in subject.named().into_iter().filter(|&s| !subject.is_formal(s)) {
            let name = subject.name(s);
            let companion = shared
                .of_variable(name)
                .map(|c| boosted.symbol(c))
                .ok_or_else(|| fault("OB6060", format!("the derivative of the global `{name}` is not in the boosted program")))?;
            globals.push((name.to_owned(), companion.name.to_string()));
        }
        Ok(Map { unit, roles, globals, directions })
    }
}

/// The variable of which a symbol is the derivative.
pub(super) fn companion_of(program: &Program, s: SymbolId) -> Option<&str> {
    let of = program.symbol(s).decl.as_ref()?.derivative_of?;
    Some(program.symbol(of).name.as_str())
}

/// The programs that hold the derivative units, as far as they are asked for; they may be one and the same.
#[derive(Clone, Copy, Debug, Default)]
pub struct Programs<'a> {
    /// With the tangent.
    pub tangent: Option<&'a Program>,
    /// With the adjoint.
    pub adjoint: Option<&'a Program>,
}

impl<'a> Programs<'a> {
    /// One for each mode.
    pub fn both(tangent: &'a Program, adjoint: &'a Program) -> Programs<'a> {
        Programs { tangent: Some(tangent), adjoint: Some(adjoint) }
    }

    /// Those in a program that was made with these options.
    pub fn of(program: &'a Program, options: &Options) -> Programs<'a> {
        Programs { tangent: options.tangent.then_some(program), adjoint: options.adjoint.then_some(program) }
    }

    /// The program that has all of the modes, if there is one.
    pub fn whole(self) -> Option<&'a Program> {
        match (self.tangent, self.adjoint) {
            (Some(t), Some(a)) => std::ptr::eq(t, a).then_some(t),
            (one, other) => one.or(other),
        }
    }

    /// Each mode with its program.
    pub fn modes(self) -> impl Iterator<Item = (Mode, &'a Program)> {
        [(Mode::Tangent, self.tangent), (Mode::Adjoint, self.adjoint)].into_iter().filter_map(|(m, p)| Some((m, p?)))
    }
}

/// The interpreter.
pub struct Interpreter<'a> {
    subject: &'a Subject<'a>,
    tangent: Option<(&'a Program, Map)>,
    adjoint: Option<(&'a Program, Map)>,
    limits: Limits,
    /// Steps and operations that runs of derivative units took.
    pub work: u64,
}

impl<'a> Interpreter<'a> {
    /// On the original and derivative units.
    ///
    /// # Errors
    /// A derivative unit that is not there.
    pub fn new(subject: &'a Subject<'a>, made: Programs<'a>, limits: Limits) -> Result<Interpreter<'a>, Fault> {
        let of = |p: Option<&'a Program>, mode| p.map(|p| Map::new(subject, p, mode).map(|m| (p, m))).transpose();
        let (tangent, adjoint) = (of(made.tangent, Mode::Tangent)?, of(made.adjoint, Mode::Adjoint)?);
        Ok(Interpreter { subject, tangent, adjoint, limits, work: 0 })
    }

    fn derivative(&mut self, mode: Mode, x: &Values<f64>, seeds: &Values<f64>) -> Result<State, Fault> {
        let made = if mode == Mode::Tangent { &self.tangent } else { &self.adjoint };
        let (program, map) = made.as_ref().ok_or_else(|| unasked(mode))?;
        let formals = &self.subject.program.unit(self.subject.unit).formals;
        if let Some(d) = &map.directions {
            d.have_room(x.values().chain(seeds.values()), &self.limits)?;
        }
        let inputs = inputs(self.subject, map, x, seeds);
        let (outcome, notes) = noted(program, map.unit, &inputs, &[Sweep::Plain], &self.limits);
        self.work += notes.work;
        let outcome = outcome?;
        if let Some(stop) = outcome.stopped {
            return Err(Box::new(stop));
        }
        let mut state = State { left: outcome.counters.left as u64, ..State::default() };
        for (name, role) in &map.roles {
            let (Some(data), Some(f)) = (outcome.arguments.get(name), formals.get(role.index())) else { continue };
            let key = self.subject.name(f.symbol).to_owned();
            match role {
                Role::Primal(_) => state.values.insert(key, data.clone()),
                Role::Derivative(_) => {
                    state.derivatives.insert(key, first(map.directions.as_ref(), (self.subject.program, f.symbol), data))
                }
            };
        }
        for (name, companion) in &map.globals {
            if let Some(d) = outcome.globals.get(name) {
                state.values.insert(name.clone(), d.clone());
            }
            // What was never touched is as it came.
            let of = |d: &Data<f64>| {
                let s = shared(self.subject, name);
                s.map_or_else(|| d.clone(), |s| first(map.directions_of_shared(), (self.subject.program, s), d))
            };
            let touched = outcome.globals.get(companion).map(of);
            if let Some(d) = touched.or_else(|| seeds.get(name).cloned()) {
                state.derivatives.insert(name.clone(), d);
            }
        }
        Ok(state)
    }
}

/// What a derivative unit is given for values and seeds of the original's variables.
pub fn inputs(subject: &Subject, map: &Map, x: &Values<f64>, seeds: &Values<f64>) -> Inputs<f64> {
    let formals = &subject.program.unit(subject.unit).formals;
    let mut inputs: Inputs<f64> = Inputs::default();
    if let Some(Directions { count, argument: Some(name) }) = &map.directions {
        inputs.values.insert(name.clone(), Data::int(*count as i64));
    }
    for (name, role) in &map.roles {
        let Some(f) = formals.get(role.index()) else { continue };
        let given = match role {
            // The value of a result is only handed back.
            Role::Primal(_) if f.result => None,
            Role::Primal(_) => subject.value(x, f.symbol),
            Role::Derivative(_) => subject.value(seeds, f.symbol),
        };
        if let Some(data) = given {
            let directions = map.directions.as_ref().filter(|_| matches!(role, Role::Derivative(_)));
            inputs.values.insert(name.clone(), directed(directions, (subject.program, f.symbol), data));
        }
    }
    for (name, data) in x {
        let formal = formals.iter().any(|f| subject.program.same_name(subject.name(f.symbol), name));
        if !formal {
            inputs.values.insert(name.clone(), data.clone());
        }
    }
    for (name, companion) in &map.globals {
        if let Some(d) = seeds.get(name) {
            let data = shared(subject, name).map_or_else(|| d.clone(), |s| directed(map.directions_of_shared(), (subject.program, s), d));
            inputs.values.insert(companion.clone(), data);
        }
    }
    inputs
}

/// The first direction of a derivative.
fn first(directions: Option<&Directions>, (program, of): (&Program, SymbolId), data: &Data<f64>) -> Data<f64> {
    directions.map_or_else(|| data.clone(), |d| d.first(program, Some(of), data))
}

/// A shared variable that the head names.
fn shared(subject: &Subject, name: &str) -> Option<SymbolId> {
    subject.named().into_iter().find(|&s| subject.name(s) == name)
}

/// A derivative in all directions. What was given flat, or a scalar as a list of one number, stays flat: an axis for the directions alone would make a shape
/// of it that nothing is declared with.
fn directed(directions: Option<&Directions>, (program, of): (&Program, SymbolId), data: &Data<f64>) -> Data<f64> {
    let Some(directions) = directions else { return data.clone() };
    let mut out = directions.side_by_side(program, Some(of), data);
    if data.shape.len() != usize::from(program.symbol(of).rank) {
        out.shape.clear();
        out.shape.push(out.values.len());
    }
    out
}

fn unasked(mode: Mode) -> Fault {
    fault("OB6060", format!("no {mode:?} unit was asked for"))
}

/// Runs the original in the interpreter.
///
/// # Errors
/// Everything that goes wrong in a run.
pub fn original(subject: &Subject, x: &Values<f64>, limits: &Limits) -> Result<State, Fault> {
    let inputs = Inputs { values: x.clone(), derivatives: Values::new() };
    let outcome = run(subject.program, subject.unit, &inputs, limits)?;
    if let Some(stop) = outcome.stopped {
        return Err(Box::new(stop));
    }
    let mut state = State { values: outcome.arguments, left: outcome.counters.left as u64, ..State::default() };
    for s in subject.named().into_iter().filter(|&s| !subject.is_formal(s)) {
        if let Some(d) = subject.value(&outcome.globals, s) {
            state.values.insert(subject.name(s).to_owned(), d.clone());
        }
    }
    Ok(state)
}

impl Engine for Interpreter<'_> {
    fn name(&self) -> &'static str {
        "interpreter"
    }
    fn primal(&mut self, x: &Values<f64>) -> Result<State, Fault> {
        original(self.subject, x, &self.limits)
    }
    fn has(&self, mode: Mode) -> bool {
        if mode == Mode::Tangent { self.tangent.is_some() } else { self.adjoint.is_some() }
    }
    fn tangent(&mut self, x: &Values<f64>, seeds: &Values<f64>) -> Result<State, Fault> {
        self.derivative(Mode::Tangent, x, seeds)
    }
    fn adjoint(&mut self, x: &Values<f64>, seeds: &Values<f64>) -> Result<State, Fault> {
        self.derivative(Mode::Adjoint, x, seeds)
    }
    fn work(&self) -> u64 {
        self.work
    }
}

/// The interpreter on stock output: derivative components beside the values, adjoints in two sweeps.
pub struct Stock<'a> {
    /// What is checked.
    pub subject: &'a Subject<'a>,
    /// The programs with derivatives.
    pub made: Programs<'a>,
    /// Limits of a run.
    pub limits: Limits,
    /// What runs of derivative code took.
    pub work: u64,
}

impl Stock<'_> {
    fn run(&mut self, mode: Mode, sweeps: &[Sweep], x: &Values<f64>, seeds: &Values<f64>) -> Result<State, Fault> {
        let program = if mode == Mode::Tangent { self.made.tangent } else { self.made.adjoint };
        let program = program.ok_or_else(|| unasked(mode))?;
        let name = self.subject.program.unit_name(self.subject.unit);
        let unit = crate::answer::unit_named(program, name)?;
        let inputs = Inputs { values: x.clone(), derivatives: seeds.clone() };
        let (outcome, notes) = noted(program, unit, &inputs, sweeps, &self.limits);
        self.work += notes.work;
        let outcome = outcome?;
        if let Some(stop) = outcome.stopped {
            return Err(Box::new(stop));
        }
        let mut state =
            State { values: outcome.arguments, derivatives: outcome.derivatives, left: outcome.counters.left as u64, repeated: None };
        for s in self.subject.named().into_iter().filter(|&s| !self.subject.is_formal(s)) {
            if let Some(d) = self.subject.value(&outcome.globals, s) {
                state.values.insert(self.subject.name(s).to_owned(), d.clone());
            }
        }
        // A component that was never set is zero.
        for s in self.subject.named() {
            let name = self.subject.name(s);
            if let (None, Some(d)) = (state.derivatives.get(name), state.values.get(name)) {
                let zero = Data { shape: d.shape.clone(), values: vec![Value::real(0.0); d.values.len()] };
                state.derivatives.insert(name.to_owned(), zero);
            }
        }
        Ok(state)
    }
}

impl Engine for Stock<'_> {
    fn name(&self) -> &'static str {
        "interpreter"
    }
    fn primal(&mut self, x: &Values<f64>) -> Result<State, Fault> {
        original(self.subject, x, &self.limits)
    }
    fn tangent(&mut self, x: &Values<f64>, seeds: &Values<f64>) -> Result<State, Fault> {
        self.run(Mode::Tangent, &[Sweep::Plain], x, seeds)
    }
    fn adjoint(&mut self, x: &Values<f64>, seeds: &Values<f64>) -> Result<State, Fault> {
        self.run(Mode::Adjoint, &[Sweep::Tape, Sweep::Adjoint], x, seeds)
    }
    fn has(&self, mode: Mode) -> bool {
        self.made.modes().any(|(m, _)| m == mode)
    }
    fn work(&self) -> u64 {
        self.work
    }
}

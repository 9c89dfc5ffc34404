//! One request, answered as JSON: run a unit, with a tangent, an adjoint or the Jacobian if so asked.
//!
//! Lives here: what is asked for, what must be given, and what the answer contains. Never here: files, printing.

use overbar_booster::analysis::Facts;
use overbar_booster::analysis::heads;
use overbar_booster::transform::{goes_by_flags, has_stock_derivatives};
use overbar_booster::{Options, boost};
use overbar_evaluate::dual::Dual;
use overbar_evaluate::fault::{Fault, fault};
use overbar_evaluate::json::{Request, to_json};
use overbar_evaluate::scalar::Scalar;
use overbar_evaluate::stacks::{Kept, Kind, Shown};
use overbar_evaluate::value::Value;
use overbar_evaluate::{Counters, Data, Inputs, Limits, Outcome, Sweep, Values, check, run, run_sweeps};
use serde_json::{Map, Value as Json, json};
use xaif::model::{BaseType, Dialect, Head, Intent, Mode, Storage, SymbolId, UnitId};
use xaif::{Diagnostic, Program};

/// What is to be computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Question {
    /// The unit as it is; seeds are those of a derivative unit.
    #[default]
    Run,
    /// Derivatives along the seeds: of an original unit by dual numbers.
    Tangent,
    /// Adjoints of the inputs for seeds of the outputs: by the booster's adjoint of the unit, run in the interpreter.
    Adjoint,
    /// The Jacobian by dual numbers.
    Jacobian,
}

/// The unit of that name, containers left out.
///
/// # Errors
/// OB6001, with the names of all units.
pub fn unit_named(program: &Program, name: &str) -> Result<UnitId, Fault> {
    program.unit_named(name).ok_or_else(|| {
        let there: Vec<&str> = program.unit_ids().filter(|&u| !program.unit(u).is_container()).map(|u| program.unit_name(u)).collect();
        let mut f = fault("OB6001", format!("the program has no unit `{name}`"));
        f.help = Some(if there.is_empty() { "it has no units at all".into() } else { format!("there are: {}", there.join(", ")) });
        f
    })
}

/// Answers a request about a unit. `head` narrows what the Jacobian and the adjoint are of.
///
/// # Errors
/// Values or seeds that are missing or do not fit, and everything that goes wrong in the run or in the booster.
pub fn answer(
    program: &Program,
    unit: UnitId,
    request: &Request,
    question: Question,
    head: Option<&Head>,
    limits: &Limits,
) -> Result<(Json, Vec<Diagnostic>), Vec<Diagnostic>> {
    let derived = program.unit(unit).derivation.is_some();
    if derived && question != Question::Run {
        return one(
            fault("OB6052", format!("`{}` is a derivative unit itself", program.unit_name(unit))),
            "run it without --tangent, --adjoint and --jacobian",
        );
    }
    let stock = program.dialect == Dialect::Openad;
    match question {
        Question::Run if !derived && !stock && !request.seeds.is_empty() => {
            return one(
                fault("OB6051", "seeds are given, but the unit has no derivative arguments"),
                "add --tangent or --adjoint, or name a derivative unit",
            );
        }
        Question::Run if derived && request.seeds.is_empty() => {
            return one(
                fault("OB6051", format!("there are no seeds for the derivative arguments of `{}`", program.unit_name(unit))),
                "give them under \"seeds\", by the names of the variables or of their derivatives",
            );
        }
        Question::Tangent | Question::Adjoint if request.seeds.is_empty() => {
            let what = if question == Question::Tangent { "inputs" } else { "outputs" };
            return one(
                fault("OB6051", "there are no seeds"),
                &format!("give values for {what} under \"seeds\": {{\"seeds\": {{\"name\": 1.0}}}}"),
            );
        }
        _ => {}
    }
    missing(program, unit, &request.inputs.values)?;
    let answered = match question {
        Question::Run if derived => derivative_unit(program, unit, request, limits),
        Question::Run => plain(program, unit, request, limits),
        // What a stock document has is run as its templates would.
        Question::Tangent if has_stock_derivatives(program) && program.unit(unit).replacements.is_none() => {
            plain(program, unit, request, limits)
        }
        Question::Adjoint if program.unit(unit).replacements.is_some() => plain(program, unit, request, limits),
        Question::Tangent => tangent(program, unit, request, limits),
        Question::Adjoint => return adjoint(program, unit, request, head, limits),
        Question::Jacobian => return jacobian(program, unit, request, head, limits),
    };
    answered.map_err(|f| vec![*f])
}

/// The member of an answer that has the records of a run.
pub const TAPE: &str = "tape";

type Answered = Result<(Json, Vec<Diagnostic>), Fault>;

#[allow(clippy::boxed_local)] // faults come in boxes
fn one<T>(mut f: Fault, help: &str) -> Result<T, Vec<Diagnostic>> {
    f.help = Some(help.into());
    Err(vec![*f])
}

/// Arguments that are read before they are set need a value.
pub(crate) fn missing(program: &Program, unit: UnitId, values: &Values<f64>) -> Result<(), Vec<Diagnostic>> {
    let facts = Facts::of(program);
    let exposed = &facts.effects.unit(unit).exposed;
    let stock = program.dialect == Dialect::Openad;
    let lacks = |symbol: SymbolId, intent: Intent, result: bool| {
        let s = program.symbol(symbol);
        let derivative = s.decl.as_ref().is_some_and(|d| d.derivative_of.is_some());
        let read = if stock { intent == Intent::In } else { exposed.contains(&symbol) };
        // What is no number has no value that could be given.
        let given = s.ty.value_base() != BaseType::Opaque;
        given && read && !result && !derivative && !s.has_attribute("optional") && !values.keys().any(|n| program.same_name(n, &s.name))
    };
    let out: Vec<Diagnostic> = program
        .unit(unit)
        .formals
        .iter()
        .filter(|f| lacks(f.symbol, f.intent, f.result))
        .map(|f| {
            let s = program.symbol(f.symbol);
            Diagnostic::error("OB6050", format!("argument `{}` of `{}` has no value", s.name, program.unit_name(unit)))
                .at(program.location(s.span))
                .help(format!("add it to the input: {{\"args\": {{\"{}\": ...}}}}", s.name))
        })
        .collect();
    if out.is_empty() { Ok(()) } else { Err(out) }
}

fn stop<S>(outcome: &Outcome<S>) -> Result<(), Fault> {
    match &outcome.stopped {
        Some(d) => Err(Box::new(d.clone())),
        None if outcome.counters.left > 0 => Err(fault("OB6032", format!("{} records are left on the stack", outcome.counters.left))),
        None => Ok(()),
    }
}

fn plain(program: &Program, unit: UnitId, request: &Request, limits: &Limits) -> Answered {
    let mut inputs = request.inputs.clone();
    inputs.derivatives = request.seeds.clone();
    // An adjoint in stock form is two sweeps over the same arguments.
    let sweeps: &[Sweep] = if program.unit(unit).replacements.is_some() { &[Sweep::Tape, Sweep::Adjoint] } else { &[Sweep::Plain] };
    let outcome = run_sweeps(program, unit, &inputs, sweeps, limits)?;
    stop(&outcome)?;
    let mut out = base(program, unit, &outcome);
    if !outcome.derivatives.is_empty() {
        out.insert("derivatives".into(), object(program, &outcome.derivatives));
    }
    tape(program, &outcome.shown, limits, &mut out);
    Ok((Json::Object(out), outcome.notes))
}

fn derivative_unit(program: &Program, unit: UnitId, request: &Request, limits: &Limits) -> Answered {
    let g = check::derivative(program, unit, &request.inputs, &request.seeds, limits)?;
    Ok((gradient(program, unit, g, limits), Vec::new()))
}

fn gradient(program: &Program, unit: UnitId, g: check::Gradient, limits: &Limits) -> Json {
    let mut out = Map::new();
    out.insert("unit".into(), program.unit_name(unit).into());
    out.insert("args".into(), object(program, &g.values));
    out.insert("derivatives".into(), object(program, &g.derivatives));
    globals(program, &g.globals, &mut out);
    out.insert("counters".into(), counters(&g.counters));
    tape(program, &g.shown, limits, &mut out);
    Json::Object(out)
}

fn tangent(program: &Program, unit: UnitId, request: &Request, limits: &Limits) -> Answered {
    let mut moved: Inputs<Dual> = Inputs::default();
    for (name, data) in &request.inputs.values {
        let seed = request.seeds.iter().find(|(n, _)| program.same_name(n, name)).map(|(_, d)| d);
        if let Some(s) = seed.filter(|s| s.shape != data.shape) {
            return Err(fault("OB6002", format!("the seed of `{name}` has the shape {:?}, its value {:?}", &s.shape[..], &data.shape[..])));
        }
        let values = data.values.iter().enumerate().map(|(k, v)| match (seed, v) {
            (Some(s), Value::Real(..) | Value::Int(..)) => {
                let x = v.as_scalar()?;
                let slope = s.values.get(k).map_or(Ok(0.0), Value::as_scalar)?;
                Ok(Value::Real(Dual::new(x, [slope]), false))
            }
            _ => Ok(check::lift(v)),
        });
        moved.values.insert(name.clone(), Data { shape: data.shape.clone(), values: values.collect::<Result<_, Fault>>()? });
    }
    for name in request.seeds.keys() {
        let given = |n: &&String| program.same_name(n, name);
        if !request.inputs.values.keys().any(|n| given(&n)) {
            return Err(fault("OB6002", format!("`{name}` has a seed but no value")));
        }
        let integer = program
            .unit(unit)
            .formals
            .iter()
            .map(|f| program.symbol(f.symbol))
            .any(|s| program.same_name(&s.name, name) && !s.ty.is_real());
        if integer {
            return Err(fault("OB6002", format!("`{name}` has a seed, but is not real")));
        }
    }
    let outcome = run(program, unit, &moved, limits)?;
    stop(&outcome)?;
    let slopes = |list: &Values<Dual>| -> Values<f64> {
        let real = |d: &&Data<Dual>| d.values.iter().any(|v| matches!(v, Value::Real(..)));
        let slope = |v: &Value<Dual>| match v {
            Value::Real(x, _) => Value::real(x.derivative(0)),
            _ => Value::Undefined,
        };
        let turn = |d: &Data<Dual>| Data { shape: d.shape.clone(), values: d.values.iter().map(slope).collect() };
        list.iter().filter(|(_, d)| real(d)).map(|(n, d)| (n.clone(), turn(d))).collect()
    };
    let mut out = base(program, unit, &outcome);
    out.insert("derivatives".into(), object(program, &slopes(&outcome.arguments)));
    let outside = slopes(&outcome.globals);
    if !outside.is_empty() {
        out.insert("global_derivatives".into(), object(program, &outside));
    }
    Ok((Json::Object(out), outcome.notes))
}

fn adjoint(
    program: &Program,
    unit: UnitId,
    request: &Request,
    head: Option<&Head>,
    limits: &Limits,
) -> Result<(Json, Vec<Diagnostic>), Vec<Diagnostic>> {
    let name = program.unit_name(unit).to_owned();
    let stock = program.dialect == Dialect::Openad;
    let heads = match head {
        Some(head) => vec![head.clone()],
        None if goes_by_flags(program) => Vec::new(),
        None => vec![Head { unit: name.clone(), dependents: Some(request.seeds.keys().cloned().collect()), independents: None }],
    };
    let boosted = boost(program.clone(), &Options { adjoint: true, heads, ..Options::default() })?;
    let p = &boosted.program;
    if stock {
        let unit = unit_named(p, &name).map_err(|f| vec![*f])?;
        return plain(p, unit, request, limits).map_err(|f| vec![*f]);
    }
    let original = p.unit_named(&name);
    let derived = p.unit_ids().find(|&u| p.unit(u).derivation.is_some_and(|d| Some(d.of) == original && d.mode == Mode::Adjoint));
    let derived = derived.ok_or_else(|| vec![*fault("OB6052", format!("the booster made no adjoint of `{name}`"))])?;
    let g = check::derivative(p, derived, &request.inputs, &request.seeds, limits).map_err(|f| vec![*f])?;
    Ok((gradient(p, derived, g, limits), boosted.diagnostics))
}

fn jacobian(
    program: &Program,
    unit: UnitId,
    request: &Request,
    head: Option<&Head>,
    limits: &Limits,
) -> Result<(Json, Vec<Diagnostic>), Vec<Diagnostic>> {
    let name = program.unit_name(unit);
    let (ys, xs) = if program.dialect == Dialect::Openad && head.is_none() {
        let of = |wanted: &dyn Fn(Intent) -> bool| -> Vec<String> {
            let real = program.unit(unit).formals.iter().filter(|f| wanted(f.intent) && program.symbol(f.symbol).ty.base == BaseType::Real);
            real.map(|f| program.symbol(f.symbol).name.to_string()).collect()
        };
        (of(&|i| i != Intent::In), of(&|i| i != Intent::Out))
    } else {
        let facts = Facts::of(program);
        let head = head.cloned().unwrap_or_else(|| Head { unit: name.to_owned(), dependents: None, independents: None });
        let resolved = heads::resolve(program, &facts.objects, &facts.effects, &[head])?;
        let names = |l: &[SymbolId]| l.iter().map(|&s| program.symbol(s).name.to_string()).collect();
        resolved.first().map_or((Vec::new(), Vec::new()), |h| (names(&h.dependents), names(&h.independents)))
    };
    // Independents that are not given (unread outputs by default) do not count.
    let given = |n: &&String| request.inputs.values.keys().any(|g| program.same_name(g, n));
    let xs: Vec<&str> = xs.iter().filter(given).map(String::as_str).collect();
    let ys: Vec<&str> = ys.iter().map(String::as_str).collect();
    let j = check::jacobian(program, unit, &request.inputs, &ys, &xs, limits).map_err(|f| vec![*f])?;
    let label = |(n, k): &(String, usize)| json!({"name": n, "element": k});
    let out = json!({
        "unit": name,
        "rows": j.rows.iter().map(label).collect::<Vec<_>>(),
        "columns": j.columns.iter().map(label).collect::<Vec<_>>(),
        "values": j.values.iter().map(|&x| real(x)).collect::<Vec<_>>(),
        "jacobian": j.entries.iter().map(|r| r.iter().map(|&x| real(x)).collect::<Vec<_>>()).collect::<Vec<_>>(),
    });
    Ok((out, Vec::new()))
}

/// A real, as text where JSON has no number for it.
fn real(x: f64) -> Json {
    to_json(&Data::<f64>::real(x), xaif::model::IndexOrder::Column)
}

fn object<S: Scalar>(program: &Program, list: &Values<S>) -> Json {
    Json::Object(list.iter().map(|(n, d)| (n.clone(), to_json(d, program.index_order))).collect())
}

/// The member that [`TAPE`] names, where it is asked for.
fn tape(program: &Program, records: &[Shown<f64>], limits: &Limits, out: &mut Map<String, Json>) {
    if limits.shown == 0 {
        return;
    }
    let row = |r: &Shown<f64>| {
        let mut row = Map::new();
        row.insert("unit".into(), r.unit.as_str().into());
        if let Some(place) = &r.place {
            row.insert("line".into(), place.line.into());
        }
        if let Some(variable) = &r.variable {
            row.insert("variable".into(), variable.as_str().into());
        }
        let (kind, name) = match &r.kept {
            Kept::Array(name) => ("array", name.as_str()),
            Kept::Stack(Kind::Common) => ("stack", "common"),
            Kept::Stack(Kind::Real) => ("stack", "real"),
            Kept::Stack(Kind::Integer) => ("stack", "integer"),
            Kept::Stack(Kind::Other) => ("stack", "other"),
        };
        row.insert(kind.into(), name.into());
        let data = Data { shape: [r.values.len()].into_iter().collect(), values: r.values.clone() };
        row.insert("values".into(), to_json(&data, program.index_order));
        Json::Object(row)
    };
    out.insert(TAPE.into(), records.iter().map(row).collect());
}

fn base<S: Scalar>(program: &Program, unit: UnitId, outcome: &Outcome<S>) -> Map<String, Json> {
    let mut out = Map::new();
    out.insert("unit".into(), program.unit_name(unit).into());
    let result = program.unit(unit).result().map(|f| program.symbol(f.symbol).name.to_string());
    let arguments: Values<S> =
        outcome.arguments.iter().filter(|(n, _)| Some(*n) != result.as_ref()).map(|(n, d)| (n.clone(), d.clone())).collect();
    out.insert("args".into(), object(program, &arguments));
    if let Some(d) = result.and_then(|r| outcome.arguments.get(&r)) {
        out.insert("result".into(), to_json(d, program.index_order));
    }
    globals(program, &outcome.globals, &mut out);
    out.insert("counters".into(), counters(&outcome.counters));
    out
}

fn globals<S: Scalar>(program: &Program, list: &Values<S>, out: &mut Map<String, Json>) {
    let variable =
        |n: &String| program.symbols.iter().any(|s| s.name == n.as_str() && !matches!(s.storage(), Storage::Constant | Storage::Local));
    let kept: Values<S> = list.iter().filter(|(n, _)| variable(n)).map(|(n, d)| (n.clone(), d.clone())).collect();
    if !kept.is_empty() {
        out.insert("globals".into(), object(program, &kept));
    }
}

fn counters(c: &Counters) -> Json {
    json!({
        "steps": c.steps,
        "operations": c.operations,
        "not_finite": c.not_finite,
        "divisions_by_zero": c.divisions_by_zero,
        "pushes": c.pushes,
        "taped_bytes": c.taped_bytes,
        "peak_bytes": c.peak_bytes,
    })
}

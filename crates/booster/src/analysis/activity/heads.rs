//! What is asked for: heads, parsed and resolved.
//!
//! Lives here: the way from source names to symbols, with errors that name what there is. Never here: how a head is written (see
//! [`xaif::head`]), activity.

use crate::analysis::effects::side_effects::Effects;
use crate::analysis::program::objects::Objects;
pub use xaif::head::parse_head;
use xaif::model::{Head, Passing, Storage, SymbolId, SymbolKind, UnitId, UnitKind};
use xaif::{Diagnostic, Program};

/// A head whose names have become handles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedHead {
    /// The unit.
    pub unit: UnitId,
    /// What is differentiated: formals (the function's result is the result formal) and globals; in the order of the request, each once.
    pub dependents: Vec<SymbolId>,
    /// With respect to what.
    pub independents: Vec<SymbolId>,
}

impl ResolvedHead {
    /// True where the head names the symbol on either side.
    pub fn names(&self, symbol: SymbolId) -> bool {
        self.dependents.contains(&symbol) || self.independents.contains(&symbol)
    }

    /// True where the head names an object, under whatever name the unit knows it.
    pub fn names_object(&self, objects: &Objects, object: SymbolId) -> bool {
        self.dependents.iter().chain(&self.independents).any(|&s| objects.canonical(s) == object)
    }

    /// `f(y)/(x)`.
    pub fn describe(&self, program: &Program) -> String {
        let list = |l: &[SymbolId]| {
            l.iter()
                .map(|&s| {
                    let is_result = program.unit(self.unit).result().is_some_and(|f| f.symbol == s);
                    if is_result { program.unit_name(self.unit).to_owned() } else { program.symbol(s).name.to_string() }
                })
                .collect::<Vec<_>>()
                .join(",")
        };
        format!("{}({})/({})", program.unit_name(self.unit), list(&self.dependents), list(&self.independents))
    }
}

/// Turns names into handles.
///
/// # Errors
/// Units and variables that do not exist or carry no derivative, two different heads for one unit: all that were found.
pub fn resolve(program: &Program, objects: &Objects, effects: &Effects, heads: &[Head]) -> Result<Vec<ResolvedHead>, Vec<Diagnostic>> {
    let mut out: Vec<ResolvedHead> = Vec::new();
    let mut problems = Vec::new();
    for head in heads {
        match resolve_one(program, objects, effects, head) {
            Ok(r) => match out.iter().find(|o| o.unit == r.unit) {
                Some(o) if *o == r => {}
                Some(_) => problems.push(
                    Diagnostic::error("OB0015", format!("two different heads ask for derivatives of {}", head.unit))
                        .because("a unit has one tangent and one adjoint, whose arguments the head fixes")
                        .help("name all dependents and independents in one head, or run once for each"),
                ),
                None => out.push(r),
            },
            Err(p) => problems.extend(p),
        }
    }
    if problems.is_empty() { Ok(out) } else { Err(problems) }
}

/// The name of a unit that the text defines, but the program does not hold.
fn left_out(program: &Program, name: &str) -> Option<SymbolId> {
    program.symbol_ids().find(|&s| {
        let symbol = program.symbol(s);
        let defined = symbol.kind == SymbolKind::Subroutine && symbol.span.is_known() && *symbol.storage() != Storage::Extern;
        defined && program.same_name(&symbol.name, name) && program.unit_of_symbol(s).is_none()
    })
}

/// Why a unit that the text defines is not in the program, as far as the program itself says so.
fn reasons(program: &Program, name: &str) -> Vec<Diagnostic> {
    let refused = |s: &SymbolId| program.symbol(*s).has_attribute("refused") && program.same_name(&program.symbol(*s).name, name);
    let Some(symbol) = program.symbol_ids().find(refused) else { return Vec::new() };
    let lines = program.symbol(symbol).decl.as_ref().map_or("", |d| d.comment.as_str()).lines();
    let said = lines.filter_map(Diagnostic::parts).map(|(place, code, message)| {
        Diagnostic::error("OB0011", format!("{name} cannot be differentiated: {message} ({code})")).at(place)
    });
    said.map(|d| d.because("so the unit is not in the program").help("rewrite the construct, or differentiate another unit")).collect()
}

/// The unit that a head names.
fn unit_of(program: &Program, head: &Head) -> Result<UnitId, Vec<Diagnostic>> {
    let candidates: Vec<UnitId> =
        program.unit_ids().filter(|&u| !program.unit(u).is_container() && program.same_name(program.unit_name(u), &head.unit)).collect();
    let unit = match candidates[..] {
        [u] => u,
        [] => {
            let there: Vec<&str> = program.unit_ids().filter(|&u| !program.unit(u).is_container()).map(|u| program.unit_name(u)).collect();
            let list = if there.is_empty() { "the program has no units".to_owned() } else { format!("there are: {}", there.join(", ")) };
            let reasons = reasons(program, &head.unit);
            if !reasons.is_empty() {
                return Err(reasons);
            }
            if let Some(name) = left_out(program, &head.unit) {
                return Err(vec![
                    Diagnostic::error("OB0011", format!("{} is in the text, but was left out of the program", head.unit))
                        .at(program.location(program.symbol(name).span))
                        .because("it holds what cannot be represented; the warning of the front end says what, and where")
                        .help("rewrite that, or differentiate another unit"),
                ]);
            }
            return Err(vec![Diagnostic::error("OB0011", format!("there is no unit {} to differentiate", head.unit)).help(list)]);
        }
        _ => {
            return Err(vec![
                Diagnostic::error("OB0016", format!("the program has several units {}", head.unit))
                    .at(program.location(program.unit(candidates[1]).span))
                    .help("rename one of them"),
            ]);
        }
    };
    if program.unit(unit).kind == UnitKind::Main {
        return Err(vec![
            Diagnostic::error("OB0017", format!("{} is a main program", head.unit))
                .because("it has no arguments")
                .help("put what is to be differentiated into a procedure"),
        ]);
    }
    Ok(unit)
}

fn resolve_one(program: &Program, objects: &Objects, effects: &Effects, head: &Head) -> Result<ResolvedHead, Vec<Diagnostic>> {
    let unit = unit_of(program, head)?;
    let mut problems = Vec::new();
    let unit_effects = effects.unit(unit);
    let mut side = |list: &Option<Vec<String>>, default: &dyn Fn() -> Vec<SymbolId>, what: &str| -> Vec<SymbolId> {
        let Some(list) = list else {
            let found = default();
            if found.is_empty() {
                problems.push(
                    Diagnostic::error("OB0014", format!("head '{}': there is no {what}", head.unit))
                        .because(if what == "dependent" { "no real argument is written" } else { "no real argument is read" })
                        .help(available(program, unit)),
                );
            }
            return found;
        };
        let mut found: Vec<SymbolId> = Vec::new();
        for name in list {
            // A structure stands for its real components.
            let components = components(program, objects, unit, name);
            if !components.is_empty() {
                found.extend(components.into_iter().filter(|s| program.symbol(*s).ty.is_real()));
                continue;
            }
            match find(program, objects, unit, name) {
                Some(s) if !program.symbol(s).ty.is_real() => problems.push(
                    Diagnostic::error("OB0013", format!("head '{}': {name} is not a real number and has no derivative", head.unit))
                        .at(program.location(program.symbol(s).span))
                        .help(available(program, unit)),
                ),
                Some(s) if matches!(program.symbol(s).storage(), Storage::Constant) => problems.push(
                    Diagnostic::error("OB0013", format!("head '{}': {name} is a constant and has no derivative", head.unit))
                        .at(program.location(program.symbol(s).span))
                        .help(available(program, unit)),
                ),
                Some(s) if what == "independent" && program.unit(unit).result().is_some_and(|f| f.symbol == s) => {
                    problems.push(Diagnostic::error("OB0018", format!("head '{}': the result cannot be an independent", head.unit)))
                }
                Some(s) => {
                    if !found.contains(&s) {
                        found.push(s);
                    }
                }
                None => problems.push(
                    Diagnostic::error("OB0012", format!("{} has no argument or global {name}", head.unit))
                        .at(program.location(program.unit(unit).span))
                        .help(available(program, unit)),
                ),
            }
        }
        found
    };
    let formals = &program.unit(unit).formals;
    let real = |s: SymbolId| program.symbol(s).ty.is_real();
    let result = program.unit(unit).result().map(|f| f.symbol);
    let written = || -> Vec<SymbolId> {
        formals.iter().map(|f| f.symbol).filter(|&s| real(s) && (Some(s) == result || unit_effects.writes.contains(&s))).collect()
    };
    let read = || -> Vec<SymbolId> { formals.iter().map(|f| f.symbol).filter(|&s| real(s) && unit_effects.exposed.contains(&s)).collect() };
    let dependents = side(&head.dependents, &written, "dependent");
    let independents = side(&head.independents, &read, "independent");
    for &s in &dependents {
        if program.symbol(s).passing() == Passing::Value && Some(s) != result {
            problems.push(
                Diagnostic::error(
                    "OB0019",
                    format!("head '{}': {} is passed by value and cannot be a dependent", head.unit, program.symbol(s).name),
                )
                .at(program.location(program.symbol(s).span))
                .because("the caller never sees what is assigned to it"),
            );
        }
    }
    if problems.is_empty() { Ok(ResolvedHead { unit, dependents, independents }) } else { Err(problems) }
}

/// The components of an argument that is a structure, or of a component that is one.
fn components(program: &Program, objects: &Objects, unit: UnitId, name: &str) -> Vec<SymbolId> {
    let formals = program.unit(unit).formals.iter().map(|f| f.symbol);
    let below = |s: &str| s.split_at_checked(name.len()).is_some_and(|(b, rest)| rest.starts_with('%') && program.same_name(b, name));
    let own: Vec<SymbolId> = formals.filter(|s| below(&program.symbol(*s).name)).collect();
    if !own.is_empty() {
        return own;
    }
    // A structure that is shared, if there is only one of that name.
    let shared = |s: &SymbolId| {
        let y = program.symbol(*s);
        below(&y.name) && *y.storage() != Storage::Constant && objects.is_shared(unit, *s) && objects.owner(*s).is_none()
    };
    let found: Vec<SymbolId> = program.symbol_ids().filter(shared).collect();
    let one = found.windows(2).all(|p| program.symbol(p[0]).scope == program.symbol(p[1]).scope);
    if one { found } else { Vec::new() }
}

/// The variable of that name that a head of the unit may name: an argument, the result by the function's name, or a global that the unit sees.
fn find(program: &Program, objects: &Objects, unit: UnitId, name: &str) -> Option<SymbolId> {
    let u = program.unit(unit);
    if let Some(f) = u.formals.iter().find(|f| !f.result && program.same_name(&program.symbol(f.symbol).name, name)) {
        return Some(f.symbol);
    }
    if let Some(r) = u.result()
        && (program.same_name(program.unit_name(unit), name) || program.same_name(&program.symbol(r.symbol).name, name))
    {
        return Some(r.symbol);
    }
    let usable = |s: SymbolId| program.symbol(s).kind == SymbolKind::Variable && objects.is_shared(unit, s);
    if let Some(s) = program.lookup(u.scope, name).filter(|&s| usable(s)) {
        return Some(s);
    }
    // a variable of a module that the unit uses
    let mut found = program.symbol_ids().filter(|&s| {
        let y = program.symbol(s);
        usable(s) && objects.owner(s).is_none() && program.same_name(&y.name, name)
    });
    if let (Some(s), None) = (found.next(), found.next()) {
        return Some(s);
    }
    // a variable of a COMMON block that only other units declare
    let mut found: Vec<SymbolId> = program
        .symbol_ids()
        .filter(|&s| {
            let y = program.symbol(s);
            usable(s) && matches!(y.storage(), Storage::Common(_)) && program.same_name(&y.name, name)
        })
        .collect();
    found.dedup_by_key(|s| objects.canonical(*s));
    if let [s] = found[..] { Some(objects.canonical(s)) } else { None }
}

/// What a head of the unit may name.
fn available(program: &Program, unit: UnitId) -> String {
    let u = program.unit(unit);
    let mut names: Vec<String> = u
        .formals
        .iter()
        .filter(|f| !f.result && program.symbol(f.symbol).ty.is_real())
        .map(|f| program.symbol(f.symbol).name.to_string())
        .collect();
    if u.result().is_some_and(|r| program.symbol(r.symbol).ty.is_real()) {
        names.push(format!("{} (the result)", program.unit_name(unit)));
    }
    if names.is_empty() {
        return format!("{} has no real arguments", program.unit_name(unit));
    }
    format!("real arguments of {}: {}", program.unit_name(unit), names.join(", "))
}

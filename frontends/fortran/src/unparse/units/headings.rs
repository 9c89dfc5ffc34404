//! First and last lines of units.
//!
//! Lives here: prefixes, arguments, results. Never here: what stands between.

use crate::unparse::expressions::writer::Writer;
use crate::unparse::facts::context::Context;
use xaif::model::{Formal, Intent, Passing, Storage, SymbolKind, UnitId, UnitKind};

/// First and last line of a unit.
pub fn headings(cx: &Context, unit: UnitId, w: &Writer) -> (String, String) {
    let program = cx.program;
    let u = program.unit(unit);
    let name = w.name(u.symbol);
    let mut prefix = String::new();
    let has = |p: &str| u.prefixes.iter().any(|x| x == p);
    let elemental = has("elemental");
    let pure = (has("pure") || elemental) && may_be_pure(cx, unit);
    if elemental {
        prefix.push_str(if pure { "elemental " } else { "impure elemental " });
    } else if pure {
        prefix.push_str("pure ");
    }
    if has("recursive") || cx.is_recursive(unit) {
        prefix.push_str("recursive ");
    }
    let mut arguments: Vec<String> = cx.open_procedures(unit).iter().map(|&s| w.name(s)).collect();
    for f in u.formals.iter().filter(|f| !f.result) {
        let s = cx.component(f.symbol).map_or(f.symbol, |(base, _)| base);
        let name = w.name(s);
        if !arguments.contains(&name) {
            arguments.push(name);
        }
    }
    // The original's are those of its text.
    let texts = xaif::open::gets(program.symbol(u.symbol)).filter(|_| u.derivation.is_none());
    for (place, procedure) in texts {
        arguments.insert((place - 1).min(arguments.len()), procedure.to_owned());
    }
    let list = arguments.join(", ");
    match (u.kind, u.result()) {
        (UnitKind::Main, _) => (format!("program {name}"), format!("end program {name}")),
        (UnitKind::Function, Some(r)) => {
            let result = w.name(r.symbol);
            let clause = if result.eq_ignore_ascii_case(&name) { String::new() } else { format!(" result({result})") };
            (format!("{prefix}function {name}({list}){clause}"), format!("end function {name}"))
        }
        _ => (format!("{prefix}subroutine {name}({list})"), format!("end subroutine {name}")),
    }
}

/// Nothing in the unit forbids PURE.
fn may_be_pure(cx: &Context, unit: UnitId) -> bool {
    let u = cx.program.unit(unit);
    let arguments = u.formals.iter().filter(|f| !f.result);
    let declared = arguments.clone().all(|f| {
        let s = cx.program.symbol(f.symbol);
        f.intent_declared || s.passing() == Passing::Value || s.has_attribute("pointer") || s.kind == SymbolKind::Subroutine
    });
    let inside = |f: &Formal| cx.component(f.symbol).is_some() && cx.program.symbol(f.symbol).has_attribute("pointer");
    let inputs = u.kind != UnitKind::Function || arguments.clone().all(|f| f.intent == Intent::In || inside(f));
    let saved = cx.symbols(unit).iter().any(|&s| cx.is_local(unit, s) && *cx.program.symbol(s).storage() == Storage::Static);
    declared && inputs && !saved && (u.derivation.is_none() || !cx.is_impure(unit))
}

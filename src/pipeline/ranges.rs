//! Ranges from which points are drawn, as whoever asks gives them: `t=250:320`, `step:t=250:320`.
//!
//! Lives here: for which units one is meant. Never here: how one is written (see `xaif::ranges`).

use xaif::model::UnitId;
use xaif::{Diagnostic, Program, ranges};

/// Notes ranges at the variables that they are given for.
///
/// # Errors
/// OB0138: a text is written wrongly, or names what is not there.
pub fn apply(program: &mut Program, texts: &[String]) -> Result<(), Vec<Diagnostic>> {
    let problems: Vec<Diagnostic> = texts.iter().filter_map(|t| one(program, t).err()).collect();
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

fn one(program: &mut Program, text: &str) -> Result<(), Diagnostic> {
    let wrong = |why: String| {
        Diagnostic::error("OB0138", format!("--range '{text}': {why}"))
            .help("write a name, the smallest and the largest number, such as 't=250:320' or 'step:t=250:320'")
    };
    let (of, rest) = text.split_once('=').ok_or_else(|| wrong("there is no `=`".into()))?;
    let (unit, name) = of.split_once(':').map_or((None, of), |(u, n)| (Some(u.trim()), n));
    let (name, range) = ranges::parse(&format!("{name}={rest}")).map_err(wrong)?;
    let units: Vec<UnitId> = program.unit_ids().filter(|&u| unit.is_none_or(|n| program.same_name(program.unit_name(u), n))).collect();
    let mut found = false;
    for u in units {
        found |= ranges::note(program, u, &name, range);
    }
    if found { Ok(()) } else { Err(wrong(format!("no unit has an argument or shared variable `{name}`"))) }
}

//! Certificates of derivatives before they are written.
//!
//! Lives here: what they are held against, and what comes of it. Never here: how derivatives are checked (see [`overbar_verify`]).

use super::request::Diagnostics;
use super::texts;
use crate::{Boosted, Options};
use overbar_evaluate::Values;
use overbar_verify::made::{self, Made};
use overbar_verify::{Report, Workshop, standing};
use xaif::{Diagnostic, Program};

/// How derivatives are certified before they are written.
#[derive(Default)]
pub struct Certification<'a> {
    /// Operations of the interpreter; `None`: they are not certified.
    pub budget: Option<u64>,
    /// Only what is certified whole may be written.
    pub require: bool,
    /// The point, drawn where nothing is given.
    pub values: Option<Values<f64>>,
    /// Who compiles, if anybody does.
    pub workshop: Option<&'a dyn Workshop>,
}

/// The seed of what is drawn where derivatives are made.
pub const SEED: u64 = 1;

impl Certification<'_> {
    /// What derivatives will be held against: a copy of the program before they are made. `None` where they are not.
    pub fn original(&self, program: &Program) -> Option<Program> {
        self.budget.filter(|&b| made::affordable(program, b)).map(|_| program.clone())
    }

    /// Certifies what was made of `original`, and notes at derivative units what came of it. The diagnostics of the program then say it, too.
    ///
    /// # Errors
    /// What is wrong, behind what was said before; what is not certified whole, where that is asked for.
    pub fn seal(&self, original: Option<&Program>, boosted: &mut Boosted, options: &Options) -> Result<Vec<Report>, Diagnostics> {
        let Some(budget) = self.budget else { return Ok(Vec::new()) };
        let reports = match original {
            Some(original) => {
                let heads = made::heads(original, &boosted.program, options);
                let made = Made { options, values: self.values.clone(), seed: SEED, budget, zero_start: false, workshop: self.workshop };
                overbar_verify::certify(original, &boosted.program, &heads, &made)
            }
            None => {
                let asked = if options.heads.is_empty() { &boosted.program.heads } else { &options.heads };
                let why = "the budget is used up: the program is larger than it allows to look at";
                asked.iter().map(|h| Report::uncertified(h.to_string(), why.to_owned())).collect()
            }
        };
        let said: Vec<Diagnostic> = reports.iter().flat_map(|r| standing::diagnostics(r, self.require)).collect();
        boosted.diagnostics.extend(reports.iter().flat_map(|r| r.notes.iter().cloned()));
        let refused = said.iter().any(Diagnostic::is_error);
        boosted.diagnostics.extend(said);
        if refused {
            let diagnostics = std::mem::take(&mut boosted.diagnostics);
            return Err(Diagnostics { diagnostics, texts: texts(&boosted.program) });
        }
        standing::seal(&mut boosted.program, &reports);
        Ok(reports)
    }
}

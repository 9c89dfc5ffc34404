//! Compiled code among the checks: whoever has a compiler builds it, once for all points of the same extents.
//!
//! Lives here: what is asked of a compiler, and what its engines and its words come to in a certificate. Never here: processes.

use super::certificate::Place;
use super::checks::{Bench, Check, Tally, broken};
use super::compiled::{Layout, Slot};
use super::engine::{Engine, Map, Programs};
use super::oracle::LARGE;
use super::random::Random;
use super::request::{Remake, Request, Wanted};
use super::subject::Subject;
use super::taylor;
use overbar_booster::Boosted;
use overbar_evaluate::Values;
use std::cell::OnceCell;
use xaif::model::{Dialect, Mode};
use xaif::{Diagnostic, Program};

/// Builds and runs generated code. Nothing in this crate starts a process: whoever has a compiler gives it.
pub trait Workshop {
    /// The engines for a head at points with these extents.
    ///
    /// # Errors
    /// No compiler, or a harness that it does not take: a diagnostic that says so. That it does not take what was made is an objection.
    fn build<'a>(&'a self, layout: Layout<'a>) -> Result<Built<'a>, Diagnostic>;
}

/// Generated code that is ready to run, or why it is not.
#[derive(Default)]
pub struct Built<'a> {
    /// The same code compiled in different ways, each with the option that tells it from the others.
    pub engines: Vec<(String, Box<dyn Engine + 'a>)>,
    /// What the compiler says against what was made. With any, the code does not pass.
    pub objections: Vec<Place>,
}

/// Both derivatives in one program, made when it is asked for first.
pub(super) type Both = OnceCell<Result<Boosted, Diagnostic>>;

/// Compiled code of a head.
pub(super) struct Bay<'a> {
    pub subject: &'a Subject<'a>,
    /// What is checked. Where that is one program, what is compiled is what is written.
    pub made: Programs<'a>,
    /// Both modes in one program, where they are in two.
    pub boosted: &'a Both,
    pub workshop: &'a dyn Workshop,
    pub remake: &'a Remake<'a>,
    /// What was built last, and for which variables.
    pub ready: Option<(Vec<Slot>, Result<Built<'a>, Diagnostic>)>,
}

impl<'a> Bay<'a> {
    /// Compiled code for a point, where variables without a value get the extents of a reference.
    pub(super) fn at(&mut self, x: &Values<f64>, reference: &Values<f64>) -> Result<&mut Built<'a>, Diagnostic> {
        if self.subject.program.dialect == Dialect::Openad {
            return Err(Diagnostic::warning("OB6064", "derivatives in stock form are not compiled"));
        }
        let nothing = || Diagnostic::warning("OB6064", "there is nothing to compile");
        let make = || (self.remake)(Wanted::Both).map_err(|mut l| l.pop().unwrap_or_else(nothing));
        let made = match self.made.whole() {
            Some(_) => self.made,
            None => {
                let boosted = &self.boosted.get_or_init(make).as_ref().map_err(Clone::clone)?.program;
                Programs::both(boosted, boosted)
            }
        };
        let boosted = made.whole().ok_or_else(nothing)?;
        let map = |p: Option<&Program>, m| p.map(|p| Map::new(self.subject, p, m).map_err(|f| *f)).transpose();
        let (tangent, adjoint) = (map(made.tangent, Mode::Tangent)?, map(made.adjoint, Mode::Adjoint)?);
        let layout = Layout::new(self.subject, boosted, tangent, adjoint, x, reference).map_err(|f| *f)?;
        if self.ready.as_ref().is_none_or(|(slots, _)| *slots != layout.slots) {
            self.ready = Some((layout.slots.clone(), self.workshop.build(layout)));
        }
        self.ready.as_mut().ok_or_else(nothing)?.1.as_mut().map_err(|d| d.clone())
    }
}

impl Built<'_> {
    /// All comparisons with all engines; failures say with which option.
    ///
    /// # Errors
    /// OB6068 where the code comes to a function that is not there.
    pub(super) fn all(&mut self, bench: &Bench, request: &Request, random: &mut Random) -> Result<Vec<Check>, Diagnostic> {
        let mut words = Tally::new("words of the compiler", "compiled");
        words.hold(String::new, true);
        self.objections.iter().for_each(|o| words.hold(|| format!("{}: {}", o.spoken(), o.message), false));
        let mut out: Vec<Check> = vec![words.done()];
        let several = self.engines.len() > 1;
        for (k, (option, engine)) in self.engines.iter_mut().enumerate() {
            let mut list = match bench.all(&mut **engine, random) {
                Ok(list) => list,
                Err(f) if f.code == "OB6068" => return Err(*f),
                Err(f) => vec![broken(engine.name(), &f)],
            };
            if several {
                list.iter_mut().filter(|c| !c.passed).for_each(|c| c.detail = format!("with {option}: {}", c.detail));
            }
            // Values are the same with all of them and in the interpreter, or that has been told; very many are not looked at again.
            let again = request.interpret && bench.oracle.rows.len() > LARGE;
            if k == 0 && !bench.oracle.differences && !again {
                list.push(taylor::taylor(bench.subject, bench.oracle, bench.x, &mut **engine, &request.limits));
            }
            for c in list {
                match out.iter_mut().find(|o| o.name == c.name) {
                    Some(o) => o.join(c),
                    None => out.push(c),
                }
            }
        }
        Ok(out)
    }
}

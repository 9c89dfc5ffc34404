//! What is checked: a unit, its dependents and independents, and the names by which their values go.
//!
//! Lives here: the request resolved against the program. Never here: runs, comparisons.

use overbar_booster::analysis::Facts;
use overbar_booster::analysis::heads;
use overbar_booster::transform::goes_by_flags;
use overbar_evaluate::{Data, Scalar, Values};
use std::sync::Arc;
use xaif::model::{BaseType, Formal, Head, IndexOrder, Intent, Mode, SymbolId, UnitId};
use xaif::{Diagnostic, Program};

/// A head with what is known of its program.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The original program.
    pub program: &'a Program,
    /// The unit.
    pub unit: UnitId,
    /// What is differentiated.
    pub dependents: Vec<SymbolId>,
    /// With respect to what.
    pub independents: Vec<SymbolId>,
    /// Facts about the program.
    pub facts: Arc<Facts>,
}

/// Whether the flags of a stock document say what has derivatives: the head names no variables.
pub fn by_flags(program: &Program, head: &Head) -> bool {
    head.dependents.is_none() && head.independents.is_none() && goes_by_flags(program)
}

impl<'a> Subject<'a> {
    /// Resolves a head. Stock files say by their flags and directions what is meant.
    ///
    /// # Errors
    /// Names that do not exist.
    pub fn new(program: &'a Program, head: &Head) -> Result<Subject<'a>, Vec<Diagnostic>> {
        Subject::with(program, Arc::new(Facts::of(program)), head)
    }

    /// The same where the program's facts are known: one of several heads.
    ///
    /// # Errors
    /// As [`Subject::new`].
    pub fn with(program: &'a Program, facts: Arc<Facts>, head: &Head) -> Result<Subject<'a>, Vec<Diagnostic>> {
        let resolved = heads::resolve(program, &facts.objects, &facts.effects, std::slice::from_ref(head));
        if by_flags(program, head) {
            let unit = crate::answer::unit_named(program, &head.unit).map_err(|f| vec![*f])?;
            let of = |wanted: &dyn Fn(Intent) -> bool| -> Vec<SymbolId> {
                let y = |f: &Formal| program.symbol(f.symbol);
                let real = program.unit(unit).formals.iter().filter(|f| wanted(f.intent) && y(f).ty.base == BaseType::Real && y(f).active);
                real.map(|f| f.symbol).collect()
            };
            return Ok(Subject { program, unit, dependents: of(&|i| i != Intent::In), independents: of(&|i| i != Intent::Out), facts });
        }
        let Some(h) = resolved?.pop() else { return Err(Vec::new()) };
        Ok(Subject { program, unit: h.unit, dependents: h.dependents, independents: h.independents, facts })
    }

    /// The head with both lists written out.
    pub fn head(&self) -> Head {
        let names = |l: &[SymbolId]| l.iter().map(|&s| self.spoken(s)).collect();
        Head {
            unit: self.program.unit_name(self.unit).to_owned(),
            dependents: Some(names(&self.dependents)),
            independents: Some(names(&self.independents)),
        }
    }

    /// `f(y)/(x)`.
    pub fn describe(&self) -> String {
        let h = self.head();
        let list = |l: &Option<Vec<String>>| l.clone().unwrap_or_default().join(",");
        format!("{}({})/({})", h.unit, list(&h.dependents), list(&h.independents))
    }

    /// How a head calls a variable: the result by the unit's name.
    fn spoken(&self, s: SymbolId) -> String {
        let result = self.program.unit(self.unit).result().is_some_and(|f| f.symbol == s);
        if result { self.program.unit_name(self.unit).to_owned() } else { self.name(s).to_owned() }
    }

    /// A variable's name, the key of its values.
    pub fn name(&self, s: SymbolId) -> &'a str {
        &self.program.symbol(s).name
    }

    /// An element as the source writes it: `y(2,1)`, `y[1][0]`. The number counts from 0 in memory order.
    pub fn element(&self, s: SymbolId, suffix: &str, shape: &[usize], mut k: usize) -> String {
        let name = self.name(s);
        let column = self.program.index_order == IndexOrder::Column;
        let mut index = vec![0; shape.len()];
        let order: Vec<usize> = if column { (0..shape.len()).collect() } else { (0..shape.len()).rev().collect() };
        for d in order {
            index[d] = k % shape[d].max(1) + usize::from(column);
            k /= shape[d].max(1);
        }
        match (index.is_empty(), column) {
            (true, _) => format!("{name}{suffix}"),
            (_, true) => format!("{name}{suffix}({})", index.iter().map(usize::to_string).collect::<Vec<_>>().join(",")),
            _ => format!("{name}{suffix}{}", index.iter().map(|i| format!("[{i}]")).collect::<String>()),
        }
    }

    /// True for an argument of the unit.
    pub fn is_formal(&self, s: SymbolId) -> bool {
        self.program.unit(self.unit).formals.iter().any(|f| f.symbol == s)
    }

    /// True where the unit reads what the caller left in the variable.
    pub fn is_read(&self, s: SymbolId) -> bool {
        let s = if self.is_formal(s) { s } else { self.facts.objects.canonical(s) };
        self.facts.effects.unit(self.unit).exposed.contains(&s)
    }

    /// True where nothing of what the caller left in the derivative of a variable stays, or is looked at: elements of arguments that are not set are not
    /// looked at, while those of shared variables have the values that they start with.
    pub fn forgets(&self, s: SymbolId) -> bool {
        let set = || self.facts.effects.unit(self.unit).kills.contains(&self.facts.objects.canonical(s));
        !self.is_read(s) && (self.is_formal(s) || set())
    }

    /// True where the unit, or a unit it calls, may change the variable.
    pub fn is_written(&self, s: SymbolId) -> bool {
        let s = if self.is_formal(s) { s } else { self.facts.objects.canonical(s) };
        self.facts.effects.unit(self.unit).writes.contains(&s)
    }

    /// True where only one side of the head names it, or both.
    pub fn is_independent(&self, s: SymbolId) -> bool {
        self.independents.contains(&s)
    }

    /// See [`Subject::is_independent`].
    pub fn is_dependent(&self, s: SymbolId) -> bool {
        self.dependents.contains(&s)
    }

    /// What the head names, each once.
    pub fn named(&self) -> Vec<SymbolId> {
        let mut out = self.dependents.clone();
        out.extend(self.independents.iter().copied().filter(|s| !self.dependents.contains(s)));
        out
    }

    /// The unit roundoff of a variable's type (twice it, to be exact: the distance from 1 to the next number).
    pub fn epsilon(&self, s: SymbolId) -> f64 {
        if self.program.symbol(s).ty.bits == 32 { f64::from(f32::EPSILON) } else { f64::EPSILON }
    }

    /// Whether a variable of the unit, or of what it calls, is in single precision.
    pub fn is_single(&self) -> bool {
        let scopes = super::hints::units(self).into_iter().map(|u| self.program.unit(u).scope);
        let single = |s: &SymbolId| self.program.symbol(*s).ty.is_real() && self.program.symbol(*s).ty.bits == 32;
        scopes.flat_map(|s| &self.program.scope(s).symbols).any(single)
    }

    /// The value of a variable among others.
    pub fn value<'v, S: Scalar>(&self, values: &'v Values<S>, s: SymbolId) -> Option<&'v Data<S>> {
        values.iter().find(|(n, _)| self.program.same_name(n, self.name(s))).map(|(_, d)| d)
    }
}

/// The derivative unit of an original in a boosted program.
pub fn derived(boosted: &Program, name: &str, mode: Mode) -> Option<UnitId> {
    let original = boosted.unit_named(name)?;
    boosted.unit_ids().find(|&u| boosted.unit(u).derivation.is_some_and(|d| d.of == original && d.mode == mode))
}

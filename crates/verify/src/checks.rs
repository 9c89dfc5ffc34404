//! The comparisons: what derivative code returns against the reference, and against what generated code promises.
//!
//! Lives here: each promise once, for any engine. Never here: verdicts, places.

use super::engine::{Engine, State};
use super::oracle::{Element, LARGE, Oracle};
use super::random::Random;
use super::subject::Subject;
use overbar_evaluate::{Data, Fault, Value, Values};
use rustc_hash::FxHashMap;
use serde::Serialize;
use xaif::model::{Mode, Passing, SymbolId};

/// So many rows are seeded one by one, besides the dense weights.
const ROWS: usize = 6;
/// As many where there are very many.
const FEW_ROWS: usize = 2;
/// Dense weights.
const WEIGHTS: usize = 2;

/// One kind of comparison with one engine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// What was compared.
    pub name: &'static str,
    /// With which engine.
    pub engine: &'static str,
    /// How many numbers.
    pub compared: usize,
    /// The largest error in units of its tolerance; up to 1 passes.
    pub worst: f64,
    /// Nothing was beyond its tolerance.
    pub passed: bool,
    /// Derivatives that came out infinite or as no number where they do not exist.
    #[serde(skip_serializing_if = "is_zero")]
    pub undefined: usize,
    /// The first number that was, or why nothing was compared.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as the serializer asks for it
fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl Check {
    /// The same comparison at another point.
    pub(super) fn join(&mut self, other: Check) {
        self.compared += other.compared;
        self.undefined += other.undefined;
        self.worst = self.worst.max(other.worst);
        // The first failure is told; remarks of what passed are not.
        if (self.passed && !other.passed) || self.detail.is_empty() {
            self.detail = other.detail;
        }
        self.passed &= other.passed;
    }
}

/// What the tangent gave in dense directions, by their number.
type Dense = Vec<(usize, State)>;

/// Gathers comparisons of one kind.
pub struct Tally {
    check: Check,
}

impl Tally {
    /// None yet.
    pub fn new(name: &'static str, engine: &'static str) -> Tally {
        Tally { check: Check { name, engine, compared: 0, worst: 0.0, passed: true, undefined: 0, detail: String::new() } }
    }

    /// Compares two numbers.
    pub fn compare(&mut self, what: impl FnOnce() -> String, got: f64, want: f64, tolerance: f64) {
        self.check.compared += 1;
        let error = (got - want).abs();
        let same = got == want || (got.is_nan() && want.is_nan());
        let ratio = if same { 0.0 } else { error / tolerance.max(f64::MIN_POSITIVE) };
        let ratio = if ratio.is_nan() { f64::MAX } else { ratio.min(f64::MAX) };
        self.check.worst = self.check.worst.max(ratio);
        if ratio > 1.0 && self.check.passed {
            self.check.passed = false;
            self.check.detail = format!("{} is {got:.17e}, should be {want:.17e} (tolerance {tolerance:.1e})", what());
        }
    }

    /// Compares a derivative; where it does not exist, what is no finite number says just that.
    pub fn derivative(&mut self, what: impl FnOnce() -> String, got: f64, want: f64, tolerance: f64, lost: bool) {
        if lost && !got.is_finite() {
            self.check.undefined += 1;
            self.remark(format!("{} is {got}: the derivative does not exist", what()));
        } else {
            self.compare(what, got, want, tolerance);
        }
    }

    /// Records a promise that was kept or not.
    pub fn hold(&mut self, what: impl FnOnce() -> String, kept: bool) {
        self.check.compared += 1;
        if !kept && self.check.passed {
            self.check.passed = false;
            self.check.worst = f64::MAX;
            self.check.detail = what();
        }
    }

    /// Something to say where nothing is wrong.
    pub fn remark(&mut self, text: String) {
        if self.check.detail.is_empty() {
            self.check.detail = text;
        }
    }

    /// Adds what another tally found.
    pub(super) fn join(&mut self, other: Check) {
        self.check.join(other);
    }

    /// What came out.
    pub fn done(self) -> Check {
        self.check
    }
}

/// What is compared of an adjoint.
struct AdjointTallies {
    slopes: Tally,
    dots: Tally,
    increments: Tally,
    consumed: Tally,
    kept: Tally,
    values: Tally,
}

impl AdjointTallies {
    fn new(engine: &'static str, differences: bool) -> AdjointTallies {
        let slopes = if differences { "adjoint against differences" } else { "adjoint against dual numbers" };
        AdjointTallies {
            slopes: Tally::new(slopes, engine),
            dots: Tally::new("dot products", engine),
            increments: Tally::new("increments", engine),
            consumed: Tally::new("consumed adjoints", engine),
            kept: Tally::new("inputs kept by the adjoint", engine),
            values: Tally::new("values from the adjoint", engine),
        }
    }

    fn done(self, stock: bool, with_values: bool) -> Vec<Check> {
        let mut out = vec![self.slopes.done(), self.dots.done(), self.increments.done()];
        if !stock {
            out.extend([self.consumed.done(), self.kept.done()]);
        }
        if with_values {
            out.push(self.values.done());
        }
        out
    }
}

/// Everything that a run may be compared with.
pub struct Bench<'a> {
    /// What is checked.
    pub subject: &'a Subject<'a>,
    /// The reference.
    pub oracle: &'a Oracle,
    /// The point.
    pub x: &'a Values<f64>,
    /// Adjoints of inputs are set, not incremented.
    pub zero_init: bool,
    /// Adjoints hand back what the original does.
    pub with_values: bool,
    /// Stock output: adjoints of all variables are consumed differently, and results of the adjoint's sweeps are not promised.
    pub stock: bool,
}

impl Bench<'_> {
    pub(super) fn label(&self, (s, k): Element, bar: &str) -> String {
        let shape = self.subject.value(&self.oracle.values, s).or_else(|| self.subject.value(self.x, s)).map(|d| d.shape.clone());
        self.subject.element(s, bar, &shape.unwrap_or_default(), k)
    }

    pub(super) fn at(&self, values: &Values<f64>, (s, k): Element) -> f64 {
        self.subject.value(values, s).and_then(|d| d.values.get(k)).and_then(|v| v.as_scalar().ok()).unwrap_or(f64::NAN)
    }

    /// The extents of what a variable holds: as given, else as the reference left it.
    pub(super) fn shaped(&self, s: SymbolId, mut f: impl FnMut(usize) -> f64) -> Data<f64> {
        let like = self.subject.value(self.x, s).or_else(|| self.subject.value(&self.oracle.values, s));
        let (shape, n) = like.map_or_else(|| (Default::default(), 1), |d| (d.shape.clone(), d.values.len()));
        Data { shape, values: (0..n).map(|k| Value::real(f(k))).collect() }
    }

    /// The extents of what a variable holds at the end, which an adjoint starts from.
    fn shaped_at_the_end(&self, s: SymbolId, mut f: impl FnMut(usize) -> f64) -> Data<f64> {
        match self.subject.value(&self.oracle.values, s) {
            Some(d) => Data { shape: d.shape.clone(), values: (0..d.values.len()).map(|k| Value::real(f(k))).collect() },
            None => self.shaped(s, f),
        }
    }

    /// True for a row of which some derivative does not exist.
    fn lost_row(&self, i: usize) -> bool {
        self.oracle.lost.rows.get(i).copied().unwrap_or(false)
    }

    /// True for a direction in which some derivative does not exist.
    fn lost_column(&self, c: usize) -> bool {
        self.oracle.lost.columns.get(c).copied().unwrap_or(false)
    }

    /// All comparisons with one engine.
    ///
    /// # Errors
    /// What goes wrong in a run.
    pub fn all(&self, engine: &mut dyn Engine, random: &mut Random) -> Result<Vec<Check>, Fault> {
        let name = engine.name();
        let primal = engine.primal(self.x)?;
        let mut out = vec![self.values("values of the original", name, &primal)];
        let mut repeated = Tally::new("repeatability", name);
        let mut left = Tally::new("empty stack", name);
        let mut dense = Vec::new();
        if engine.has(Mode::Tangent) {
            let (tangents, more) = self.tangents(engine, &primal, random, &mut repeated)?;
            (dense, _) = (tangents, out.extend(more));
        }
        if engine.has(Mode::Adjoint) {
            out.extend(self.adjoints(engine, &dense, random, &mut repeated, &mut left)?);
        }
        out.extend([repeated.done(), left.done()]);
        Ok(out)
    }

    /// Values against the reference.
    fn values(&self, what: &'static str, engine: &'static str, state: &State) -> Check {
        let mut tally = Tally::new(what, engine);
        self.compare_values(&mut tally, state, &self.oracle.values);
        tally.done()
    }

    pub(super) fn compare_values(&self, tally: &mut Tally, state: &State, reference: &Values<f64>) {
        for (name, data) in &state.values {
            let (Some(want), Some(noise)) = (reference.get(name), self.oracle.noise.get(name)) else { continue };
            // What was passed by value is the unit's own: nobody sees what became of it.
            let unit = self.subject.program.unit(self.subject.unit);
            let own = |s: SymbolId| self.subject.name(s) == name && self.subject.program.symbol(s).passing() == Passing::Value;
            if unit.formals.iter().any(|f| !f.result && own(f.symbol)) {
                continue;
            }
            for (k, v) in data.values.iter().enumerate() {
                let of = |d: &Data<f64>| d.values.get(k).and_then(|v| v.as_scalar().ok());
                // Text has no number to compare, and what the reference left open is open.
                if let (Ok(got), Some(want), Some(noise)) = (v.as_scalar(), of(want), of(noise)) {
                    tally.compare(|| format!("{name}[{k}]"), got, want, noise);
                }
            }
        }
    }

    /// Runs the tangent in all directions. Returns the derivatives of the dense ones.
    fn tangents(
        &self,
        engine: &mut dyn Engine,
        primal: &State,
        random: &mut Random,
        repeated: &mut Tally,
    ) -> Result<(Dense, Vec<Check>), Fault> {
        let name = if self.oracle.differences { "tangent against differences" } else { "tangent against dual numbers" };
        let mut slopes = Tally::new(name, engine.name());
        let mut values = Tally::new("values from the tangent", engine.name());
        let mut dense = Vec::new();
        for (c, direction) in self.oracle.directions.iter().enumerate() {
            let mut seeds = Values::new();
            for s in self.subject.named() {
                let data = match self.subject.value(&direction.seeds, s) {
                    Some(d) => d.clone(),
                    // What the tangent must overwrite may hold anything before.
                    None if self.subject.forgets(s) && !self.stock => self.shaped(s, |_| random.weight()),
                    None => self.shaped(s, |_| 0.0),
                };
                seeds.insert(self.subject.name(s).to_owned(), data);
            }
            let state = engine.tangent(self.x, &seeds)?;
            for (i, &row) in self.oracle.rows.iter().enumerate() {
                let got = self.at(&state.derivatives, row);
                let (want, tolerance) = (self.oracle.slopes[i][c], self.oracle.tolerances[i][c]);
                slopes.derivative(|| self.label(row, "d"), got, want, tolerance, self.lost_row(i));
            }
            self.compare_values(&mut values, &state, &primal.values);
            if let Some(same) = state.repeated {
                repeated.hold(|| "a second run of the tangent gives something else".into(), same);
            }
            if direction.unit.is_none() {
                dense.push((c, state));
            }
        }
        Ok((dense, vec![slopes.done(), values.done()]))
    }

    /// Runs the adjoint with all weights.
    fn adjoints(
        &self,
        engine: &mut dyn Engine,
        tangents: &[(usize, State)],
        random: &mut Random,
        repeated: &mut Tally,
        left: &mut Tally,
    ) -> Result<Vec<Check>, Fault> {
        let mut tallies = AdjointTallies::new(engine.name(), self.oracle.differences);
        let single = self.subject.is_single();
        for w in self.weights(random) {
            let seeds = self.adjoint_seeds(&w, random);
            let state = engine.adjoint(self.x, &seeds)?;
            left.hold(|| format!("{} are left on the stack", state.left), state.left == 0);
            if let Some(same) = state.repeated {
                repeated.hold(|| "a second run of the adjoint gives something else".into(), same);
            }
            let mut zero = seeds.clone();
            for s in self.subject.named().into_iter().filter(|&s| !self.subject.is_dependent(s)) {
                zero.insert(self.subject.name(s).to_owned(), self.shaped(s, |_| 0.0));
            }
            let plain = engine.adjoint(self.x, &zero)?;
            if self.with_values {
                self.compare_values(&mut tallies.values, &state, &self.oracle.values);
            }
            let residue = if single { self.residue(&w, &plain) } else { 0.0 };
            self.compare_adjoints(&mut tallies, &w, &seeds, (&state, &plain), residue);
            self.compare_products(&mut tallies.dots, &w, &plain, tangents, residue);
            if !self.stock {
                self.promises(&state, &w, &mut tallies.consumed, &mut tallies.kept);
            }
        }
        Ok(tallies.done(self.stock, self.with_values))
    }

    /// Weights on what is output; on what is only input something to be incremented.
    fn adjoint_seeds(&self, w: &[f64], random: &mut Random) -> Values<f64> {
        let subject = self.subject;
        let weights: FxHashMap<Element, f64> = self.oracle.rows.iter().copied().zip(w.iter().copied()).collect();
        let weight = |e: Element| weights.get(&e).copied().unwrap_or(0.0);
        let mut seeds = Values::new();
        for s in subject.named() {
            let data = if subject.is_dependent(s) {
                self.shaped_at_the_end(s, |k| weight((s, k)))
            } else if self.stock {
                // Stock output promises nothing of adjoints that do not start at zero.
                self.shaped(s, |_| 0.0)
            } else {
                self.shaped(s, |_| random.weight())
            };
            seeds.insert(subject.name(s).to_owned(), data);
        }
        seeds
    }

    /// Adjoints of all elements against the reference, and what the adjoint adds to what it finds against what it gives to zeros (`plain`).
    fn compare_adjoints(
        &self,
        tallies: &mut AdjointTallies,
        w: &[f64],
        seeds: &Values<f64>,
        (state, plain): (&State, &State),
        residue: f64,
    ) {
        let subject = self.subject;
        for (c, direction) in self.oracle.directions.iter().enumerate() {
            let Some(e) = direction.unit else { continue };
            let (sum, tolerance) = w.iter().enumerate().fold((0.0, 0.0), |(sum, tolerance), (i, w)| {
                (sum + w * self.oracle.slopes[i][c], tolerance + w.abs() * self.oracle.tolerances[i][c])
            });
            let before = if subject.is_dependent(e.0) || self.zero_init { 0.0 } else { self.at(seeds, e) };
            let tolerance = tolerance + 8.0 * subject.epsilon(e.0) * (before.abs() + sum.abs()) + residue;
            let lost = self.lost_column(c);
            let got = self.at(&state.derivatives, e);
            tallies.slopes.derivative(|| self.label(e, "b"), got, before + sum, tolerance, lost);
            if !subject.is_dependent(e.0) && !self.stock {
                let without = self.at(&plain.derivatives, e);
                tallies.increments.derivative(|| self.label(e, "b"), got, before + without, 2.0 * tolerance, lost);
            }
        }
    }

    /// What adjoints in single precision that cancel each other on the way leave of each other. The reference goes forward, and sees nothing of it.
    fn residue(&self, w: &[f64], plain: &State) -> f64 {
        let subject = self.subject;
        let adjoints = subject.independents.iter().filter_map(|&s| subject.value(&plain.derivatives, s)).flat_map(|d| &d.values);
        let sizes = adjoints.filter_map(|v| v.as_scalar().ok()).chain(w.iter().copied()).map(f64::abs);
        8.0 * f64::from(f32::EPSILON) * sizes.filter(|x| x.is_finite()).fold(0.0, f64::max)
    }

    /// `<w, J d> = <J^T w, d>` in all dense directions.
    fn compare_products(&self, dots: &mut Tally, w: &[f64], plain: &State, tangents: &[(usize, State)], residue: f64) {
        let subject = self.subject;
        for (c, tangent) in tangents {
            let (mut here, mut there, mut tolerance, mut scale) = (0.0, 0.0, 0.0, 0.0);
            for (i, &row) in self.oracle.rows.iter().enumerate() {
                here += w[i] * self.at(&tangent.derivatives, row);
                tolerance += w[i].abs() * self.oracle.tolerances[i][*c];
            }
            let d = &self.oracle.directions[*c].seeds;
            for &s in &subject.independents {
                let n = subject.value(d, s).map_or(0, |d| d.values.len());
                for k in 0..n {
                    let by = self.at(d, (s, k));
                    let term = self.at(&plain.derivatives, (s, k)) * by;
                    there += term;
                    tolerance += residue * by.abs();
                    scale += term.abs() * subject.epsilon(s);
                }
            }
            // Rounding in either mode, and in the sum itself.
            // Differences are not as exact as both modes are to each other.
            let tolerance = if self.oracle.differences { 1e-10 * (scale / f64::EPSILON + here.abs()) } else { tolerance };
            let lost = self.lost_column(*c) && !(there.is_finite() && here.is_finite());
            let (got, tolerance) = (if lost { f64::NAN } else { there }, 4.0 * tolerance + 64.0 * scale);
            dots.derivative(|| "the product of adjoint and direction".into(), got, here, tolerance, lost);
        }
    }

    /// Dense weights of the rows, then single rows.
    fn weights(&self, random: &mut Random) -> Vec<Vec<f64>> {
        let m = self.oracle.rows.len();
        let large = m > LARGE;
        let dense = if large { 1 } else { WEIGHTS };
        let mut out: Vec<Vec<f64>> = (0..dense).map(|_| (0..m).map(|_| random.weight()).collect()).collect();
        if m > 1 {
            let mut rows: Vec<usize> = if large { (0..FEW_ROWS).map(|_| random.below(m)).collect() } else { (0..m).collect() };
            while rows.len() > ROWS {
                let k = random.below(rows.len());
                rows.remove(k);
            }
            out.extend(rows.into_iter().map(|r| (0..m).map(|i| if i == r { 1.0 } else { 0.0 }).collect()));
        }
        out
    }

    /// Adjoints of pure outputs are zero in the end, and pure inputs are as they were.
    pub(super) fn promises(&self, state: &State, w: &[f64], consumed: &mut Tally, kept: &mut Tally) {
        let subject = self.subject;
        let unit = subject.program.unit(subject.unit);
        for (i, &(s, k)) in self.oracle.rows.iter().enumerate() {
            let result = unit.result().is_some_and(|f| f.symbol == s);
            let by_value = subject.program.symbol(s).passing() == Passing::Value;
            if subject.is_independent(s) || subject.is_read(s) || result || by_value || !subject.is_formal(s) || w[i] == 0.0 {
                continue;
            }
            // An array that has fewer elements again, or is allocated no more, has consumed the others.
            let allocatable = subject.program.symbol(s).has_attribute("allocatable");
            if subject.value(&state.derivatives, s).map_or(allocatable, |d| k >= d.values.len()) {
                continue;
            }
            // What is left as it came has the weight of its old value.
            if self.at(self.x, (s, k)) == self.at(&self.oracle.values, (s, k)) {
                continue;
            }
            consumed.compare(|| self.label((s, k), "b"), self.at(&state.derivatives, (s, k)), 0.0, 0.0);
        }
        for f in &unit.formals {
            let (Some(before), Some(after)) = (subject.value(self.x, f.symbol), subject.value(&state.values, f.symbol)) else { continue };
            // What was passed by value is the unit's own.
            if subject.is_written(f.symbol) || f.result || subject.program.symbol(f.symbol).passing() == Passing::Value {
                continue;
            }
            for (k, (b, a)) in before.values.iter().zip(&after.values).enumerate() {
                if let (Ok(b), Ok(a)) = (b.as_scalar(), a.as_scalar()) {
                    let single = subject.program.symbol(f.symbol).ty.bits == 32 && subject.program.symbol(f.symbol).ty.is_real();
                    let b = if single { f64::from(b as f32) } else { b };
                    kept.compare(|| self.label((f.symbol, k), ""), a, b, 0.0);
                }
            }
        }
    }
}

/// A run that ended in an error where the original did not.
pub(super) fn broken(engine: &'static str, f: &Fault) -> Check {
    let place = f.location.as_ref().map(|l| format!(" at {}:{}:{}", l.file, l.line, l.column)).unwrap_or_default();
    let mut tally = Tally::new("runs to the end", engine);
    tally.hold(|| format!("{}: {}{place}", f.code, f.message), false);
    tally.done()
}

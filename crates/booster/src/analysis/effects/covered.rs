//! Arrays that units set before they read them, and the parts of arrays that they set in any case: what makes side effects of arrays more than "perhaps, and
//! perhaps all of it".
//!
//! ```text
//! subroutine rhs(n, y, dy)
//!   do i = 1, n
//!     dy(i) = f(y(i))            sets dy(1:n), whatever n is: a caller that reads dy(1:n) behind the call reads nothing older
//!   end do
//! ```
//!
//! ```text
//! sets(P)   =  set(0) of [`crate::analysis::arrays::fresh`] at the end of P, in terms of formals that P does not change; of a call: sets(callee) with actuals for formals
//! fresh(P)  =  arrays of P all of whose reads are covered
//! ```
//!
//! Each unit is asked once, its callees before it; where units call each other, the first to be asked takes it that the others set nothing.
//!
//! Source: summaries of units as in Creusillet and Irigoin, "Interprocedural array region analyses" (1996).
//!
//! Lives here: asking [`crate::analysis::arrays::fresh`] for units, callees first. Never here: the walk over code.

use super::aliases::escaping;
use super::outline::{Changes, Outline};
use super::side_effects::Effects;
use crate::analysis::arrays::fresh::{Setting, is_fresh, set_by};
use crate::analysis::arrays::regions::Part;
use crate::analysis::program::objects::Objects;
use crate::analysis::program::table::{Step, UnitTable};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use xaif::Program;
use xaif::model::{Expr, Passing, Storage, SymbolId, UnitId};

/// Parts of formals, in terms of other formals and of constants.
pub(super) type Parts = FxHashMap<SymbolId, Vec<Part>>;

impl Effects {
    /// Those of the arrays that a unit reads of which it has set all before that it reads.
    pub(super) fn fresh(&self, whole: &Whole, unit: UnitId, table: &UnitTable, read: &BTreeSet<SymbolId>) -> Vec<SymbolId> {
        let mut arrays: Vec<SymbolId> = read.iter().copied().filter(|&s| whole.is_fixed(s)).collect();
        self.asked(whole, unit, table, &mut arrays, &|setting, code, s| is_fresh(setting, &code.pieces, s).then_some(()));
        arrays
    }

    /// The parts of formals that a unit sets in any case.
    pub(super) fn parts_set(&self, whole: &Whole, unit: UnitId, table: &UnitTable) -> Parts {
        let program = whole.program;
        let formals = &program.unit(unit).formals;
        let linear = |s: SymbolId| program.symbol(s).rank == 1 && whole.is_fixed(s);
        let mut arrays: Vec<SymbolId> = formals.iter().map(|f| f.symbol).filter(|&s| linear(s)).collect();
        let handed = |s: SymbolId| formals.iter().any(|f| f.symbol == s) || *program.symbol(s).storage() == Storage::Constant;
        let sets = self.asked(whole, unit, table, &mut arrays, &|setting, code, s| {
            let parts = if code.returns { Vec::new() } else { set_by(setting, &code.pieces, s) };
            // In terms of values that the caller knows.
            let told = |e: &Expr| e.every_ref(&|v| v.subscripts.is_empty() && handed(v.symbol) && (setting.steady)(v.symbol));
            let parts: Vec<Part> = parts.into_iter().filter(|p| p.iter().all(|d| told(&d.low) && told(&d.high))).collect();
            (!parts.is_empty()).then_some(parts)
        });
        arrays.into_iter().zip(sets).collect()
    }

    /// What `ask` says of arrays that a unit sets; those are kept of which it says something.
    fn asked<T>(
        &self,
        whole: &Whole,
        unit: UnitId,
        table: &UnitTable,
        arrays: &mut Vec<SymbolId>,
        ask: &dyn Fn(&Setting, &Outline, SymbolId) -> Option<T>,
    ) -> Vec<T> {
        let program = whole.program;
        let set: BTreeSet<SymbolId> = match arrays.is_empty() {
            true => BTreeSet::new(),
            false => table.steps.iter().flatten().flat_map(|s| self.assigned(program, table, s)).collect(),
        };
        arrays.retain(|s| set.contains(s));
        let code = if arrays.is_empty() { None } else { Outline::of(program, unit, table, self) };
        let Some(code) = code else {
            arrays.clear();
            return Vec::new();
        };
        let object = |s: SymbolId| whole.objects.canonical(s);
        let changes = Changes::of(program, table, self, &|s| whole.is_private(unit, s));
        let stays = |s: SymbolId| *program.symbol(s).storage() == Storage::Constant || changes.steady.contains(&object(s));
        let setting = Setting { program, steady: &stays, plain: &|s| changes.plain.contains(&s), object: &object };
        let mut out = Vec::new();
        arrays.retain(|&s| match ask(&setting, &code, s) {
            Some(answer) => {
                out.push(answer);
                true
            }
            None => false,
        });
        out
    }

    /// The arrays of which a step may set parts for certain.
    fn assigned(&self, program: &Program, table: &UnitTable, step: &Step) -> Vec<SymbolId> {
        let objects = |n: u32| table.objects.get(n as usize).copied();
        match step {
            Step::Assign { lhs, .. } => objects(lhs.object).into_iter().collect(),
            Step::Call(c) => {
                let formals = c.callee.map_or(&[][..], |u| &program.unit(u).formals);
                let set = |f: SymbolId| c.callee.is_some_and(|u| self.sets[u.index()].contains_key(&f));
                let actuals = c.args.iter().filter(|a| a.formal.and_then(|k| formals.get(k)).is_some_and(|f| set(f.symbol)));
                actuals.filter_map(|a| objects(a.target?.object)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The parts that a unit sets of one of its formals: see [`Effects`].
    pub(crate) fn sets(&self, unit: UnitId, formal: SymbolId) -> &[Part] {
        self.sets.get(unit.index()).and_then(|s| s.get(&formal)).map_or(&[], |l| l)
    }
}

/// The program, and what is known of its variables.
pub(crate) struct Whole<'a> {
    /// The program.
    pub program: &'a Program,
    objects: &'a Objects,
    /// See [`escaping`].
    escaping: BTreeSet<SymbolId>,
}

impl<'a> Whole<'a> {
    /// What there is to know.
    pub fn of(program: &'a Program, objects: &'a Objects, tables: &[UnitTable]) -> Whole<'a> {
        Whole { program, objects, escaping: escaping(program, tables) }
    }

    /// Whether an array stays where it is, and as long as it is.
    fn is_fixed(&self, s: SymbolId) -> bool {
        let symbol = self.program.symbol(s);
        let moves = ["allocatable", "pointer", "target", "heap"];
        symbol.rank > 0 && !symbol.pointer && !moves.iter().any(|a| symbol.has_attribute(a)) && !self.objects.is_odd(s)
    }

    /// Whether a unit knows a variable by no other name.
    pub(crate) fn is_private(&self, unit: UnitId, s: SymbolId) -> bool {
        let symbol = self.program.symbol(s);
        match symbol.storage() {
            Storage::Local => self.objects.owner(s) == Some(unit) && !symbol.has_attribute("target"),
            Storage::Static => self.objects.owner(s).is_some() && !symbol.has_attribute("target") && !self.escaping.contains(&s),
            Storage::Argument => symbol.passing() == Passing::Value,
            Storage::Constant => true,
            _ => false,
        }
    }
}

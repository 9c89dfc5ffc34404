//! The stacks of a run.
//!
//! Lives here: what is on them, with its bookkeeping. Never here: who pushes and pops (see [`super::runtime`]).

use super::fault::{Fault, fault};
use super::scalar::Scalar;
use super::value::{CellType, Value};
use xaif::diagnostic::Location;

/// One record: an element or a whole array.
#[derive(Clone, Debug)]
struct Record<S> {
    values: Vec<Value<S>>,
    ty: CellType,
}

/// A record, as it was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown<S> {
    /// The unit that ran.
    pub unit: String,
    /// The statement, where its place is known.
    pub place: Option<Location>,
    /// The variable whose value was recorded; none where it was that of an expression.
    pub variable: Option<String>,
    /// Where it was put.
    pub kept: Kept,
    /// Its elements.
    pub values: Vec<Value<S>>,
}

/// Where a record is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// On a stack.
    Stack(Kind),
    /// In an array that is there for records.
    Array(String),
}

/// Which stack: generated code of the extended dialect has one, the stock run-time one for each type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Values of any type, last in, first out.
    Common,
    /// Stock: reals.
    Real,
    /// Stock: integers.
    Integer,
    /// Stock: truth values and text.
    Other,
}

/// The stacks of a run.
#[derive(Clone, Debug)]
pub struct Stacks<S> {
    records: [Vec<Record<S>>; 4],
    /// Bytes on the stacks.
    stacked: u64,
    /// Bytes in arrays. A value may be read from there more than once, so that this is a lower bound.
    kept: u64,
    limit: u64,
    /// Largest number of bytes held at once.
    pub peak: u64,
    /// Bytes ever pushed.
    pub taped: u64,
    /// Number of pushes.
    pub pushes: u64,
}

impl<S: Scalar> Stacks<S> {
    /// Empty stacks that may hold so many bytes.
    pub fn new(limit: u64) -> Stacks<S> {
        Stacks { records: [Vec::new(), Vec::new(), Vec::new(), Vec::new()], stacked: 0, kept: 0, limit, peak: 0, taped: 0, pushes: 0 }
    }

    /// Bytes held now.
    pub fn bytes(&self) -> u64 {
        self.stacked.saturating_add(self.kept)
    }

    /// Number of records held now.
    pub fn count(&self) -> usize {
        self.records.iter().map(Vec::len).sum()
    }

    /// Puts a record on a stack.
    pub fn push(&mut self, kind: Kind, values: Vec<Value<S>>, ty: CellType) -> Result<(), Fault> {
        let size = ty.bytes().saturating_mul(values.len() as u64);
        self.stacked = self.stacked.saturating_add(size);
        self.note(size)?;
        self.records[kind as usize].push(Record { values, ty });
        Ok(())
    }

    /// A value was recorded in an array.
    pub fn kept(&mut self, ty: CellType) -> Result<(), Fault> {
        self.kept = self.kept.saturating_add(ty.bytes());
        self.note(ty.bytes())
    }

    /// So many bytes were recorded at once.
    fn note(&mut self, size: u64) -> Result<(), Fault> {
        self.taped = self.taped.saturating_add(size);
        self.pushes += 1;
        self.peak = self.peak.max(self.bytes());
        // An empty record costs something too, or a loop could push for ever.
        if self.bytes().saturating_add(self.count() as u64) > self.limit {
            return Err(fault("OB6004", format!("the program tapes more than the limit of {} bytes", self.limit)));
        }
        Ok(())
    }

    /// A value came back from an array.
    pub fn brought_back(&mut self, ty: CellType) {
        self.kept = self.kept.saturating_sub(ty.bytes());
    }

    /// Room for snapshots was made.
    pub fn reserved(&mut self, bytes: u64) -> Result<(), Fault> {
        self.kept = self.kept.saturating_add(bytes);
        self.peak = self.peak.max(self.bytes());
        if self.bytes() > self.limit {
            return Err(fault("OB6004", format!("the program tapes more than the limit of {} bytes", self.limit)));
        }
        Ok(())
    }

    /// Room for snapshots was given back.
    pub fn given_back(&mut self, bytes: u64) {
        self.kept = self.kept.saturating_sub(bytes);
    }

    /// Takes the last record back, which has to be of that type and length.
    pub fn pop(&mut self, kind: Kind, ty: CellType, count: usize) -> Result<Vec<Value<S>>, Fault> {
        let Some(r) = self.records[kind as usize].pop() else {
            return Err(fault("OB6030", "a value is taken from an empty stack"));
        };
        self.stacked = self.stacked.saturating_sub(r.ty.bytes().saturating_mul(r.values.len() as u64));
        // The stock stack of integers holds any width; a store converts.
        let fits = same(r.ty, ty) || (kind != Kind::Common && r.ty.elem.base == ty.elem.base);
        if !fits || r.values.len() != count {
            return Err(fault(
                "OB6031",
                format!(
                    "{count} elements of type {:?} ({} bits) are taken from the stack where {} of type {:?} ({} bits) were put",
                    ty.elem.base,
                    ty.elem.bits,
                    r.values.len(),
                    r.ty.elem.base,
                    r.ty.elem.bits
                ),
            ));
        }
        Ok(r.values)
    }
}

fn same(a: CellType, b: CellType) -> bool {
    a.elem.base == b.elem.base && a.bytes() == b.bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use xaif::model::ElemType;

    /// What was recorded in an array may be read from there more often than it was written, with something on the stack.
    #[test]
    fn stacks_do_not_pay_for_what_arrays_give_back() {
        let real = CellType { elem: ElemType::REAL64, unsigned: false };
        let mut stacks: Stacks<f64> = Stacks::new(100);
        stacks.kept(real).unwrap();
        stacks.push(Kind::Common, vec![Value::Real(1.0, false)], real).unwrap();
        for _ in 0..3 {
            stacks.brought_back(real);
        }
        assert_eq!(stacks.bytes(), 8);
        assert_eq!(stacks.pop(Kind::Common, real, 1).unwrap().len(), 1);
        assert_eq!((stacks.bytes(), stacks.peak), (0, 16));
        // There is as much room as before.
        assert!(stacks.kept(real).is_ok());
    }
}

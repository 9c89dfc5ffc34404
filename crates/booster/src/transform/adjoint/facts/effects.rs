//! What a statement does besides what its text says: what it and its adjoint read and write, and the code of its adjoint.
//!
//! Lives here: the data. Never here: how it is found.

use crate::transform::adjoint::code::expressions::varies;
use crate::transform::adjoint::code::tree::Item;
use xaif::Program;
use xaif::model::{Expr, SymbolId, VarRef};

/// A write: see [`Write`].
#[derive(Debug)]
pub(crate) struct Written {
    /// Where.
    pub place: VarRef,
    /// All of the variable is overwritten for certain.
    pub kills: bool,
    /// See [`Write::own`].
    pub own: bool,
}

impl Written {
    /// A write that nobody but the recording undoes.
    pub fn new(place: VarRef, kills: bool) -> Written {
        Written { place, kills, own: true }
    }
}

/// What a statement does besides what its text says: calls, allocations.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// What it reads.
    pub reads: Vec<SymbolId>,
    /// What it writes.
    pub writes: Vec<Written>,
    /// It is executed in any case.
    pub always: bool,
    /// What the adjoint reads.
    pub needs: Vec<SymbolId>,
    /// What the adjoint overwrites.
    pub clobbers: Vec<SymbolId>,
    /// The adjoint.
    pub adjoint: Vec<Item>,
    /// The adjoint brings back all that the statement overwrites.
    pub restores: bool,
    /// What the adjoint reads with the values from behind the statement.
    pub after: Vec<SymbolId>,
    /// What nobody but the adjoint reads, with the values from here.
    pub spent: Vec<SymbolId>,
    /// See [`Rest::instead`].
    pub instead: Option<Vec<Item>>,
    /// See [`Rest::reopen`].
    pub reopen: Vec<Item>,
    /// It has effects besides what it writes.
    pub loud: bool,
}

/// The variables that an expression reads or asks for the bounds of, each once.
pub(crate) fn operands(program: &Program, e: &Expr, into: &mut Vec<SymbolId>) {
    e.for_each_ref(&mut |r| {
        if varies(program, r.symbol) && !into.contains(&r.symbol) {
            into.push(r.symbol);
        }
    });
}

/// The variables in the subscripts of a reference.
pub(crate) fn subscripts(program: &Program, r: &VarRef, into: &mut Vec<SymbolId>) {
    for e in r.index_exprs() {
        operands(program, e, into);
    }
}

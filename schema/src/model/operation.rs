//! Operations: the intrinsic at a vertex of an expression.
//!
//! Lives here: how an operation is held. Most are nothing but a name of the built-in catalogue; those take no memory of their own. Never here: what
//! operations mean.

use super::types::ElemType;
use crate::catalogue::{Catalogue, Intrinsic};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

/// An intrinsic operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// Name in the catalogue (`mul_scal_scal`, `sin_scal`); an unknown name is legal where nothing is differentiated.
    pub name: SmolStr,
    /// The result's type where it does not follow from the operands: conversions, mostly (`rType` and `ob:bits`).
    pub ty: Option<ElemType>,
    /// The source's own spelling (`sinf`, `dsin`, `float`), empty if the catalogue name says it all. For a conversion the target type
    /// (`float`, `real(wp)`).
    pub spelling: SmolStr,
}

/// An [`Operation`] as a vertex holds it.
#[derive(Clone)]
pub struct Op(Held);

#[derive(Clone)]
enum Held {
    /// A name of the built-in catalogue and nothing else.
    Known(&'static (Operation, &'static Intrinsic)),
    Own(Box<Operation>),
}

fn known(name: &str) -> Option<&'static (Operation, &'static Intrinsic)> {
    static KNOWN: OnceLock<FxHashMap<SmolStr, (Operation, &'static Intrinsic)>> = OnceLock::new();
    let table = KNOWN.get_or_init(|| {
        let plain = |name: &SmolStr| Operation { name: name.clone(), ty: None, spelling: SmolStr::default() };
        Catalogue::builtin().iter().map(|e| (e.name.clone(), (plain(&e.name), e))).collect()
    });
    table.get(name)
}

impl Op {
    /// The operation of that name, without type and spelling.
    pub fn named(name: &str) -> Op {
        match known(name) {
            Some(operation) => Op(Held::Known(operation)),
            None => Op(Held::Own(Box::new(Operation { name: name.into(), ty: None, spelling: SmolStr::default() }))),
        }
    }

    /// The intrinsic of the built-in catalogue, if it is one.
    pub fn intrinsic(&self) -> Option<&'static Intrinsic> {
        match &self.0 {
            Held::Known((_, entry)) => Some(entry),
            Held::Own(operation) => Catalogue::builtin().get(&operation.name),
        }
    }
}

impl From<Operation> for Op {
    fn from(operation: Operation) -> Op {
        match known(&operation.name) {
            Some(plain) if operation.ty.is_none() && operation.spelling.is_empty() => Op(Held::Known(plain)),
            _ => Op(Held::Own(Box::new(operation))),
        }
    }
}

impl Deref for Op {
    type Target = Operation;

    fn deref(&self) -> &Operation {
        match &self.0 {
            Held::Known((operation, _)) => operation,
            Held::Own(operation) => operation,
        }
    }
}

impl DerefMut for Op {
    fn deref_mut(&mut self) -> &mut Operation {
        if let Held::Known((operation, _)) = &self.0 {
            self.0 = Held::Own(Box::new(operation.clone()));
        }
        match &mut self.0 {
            Held::Own(operation) => operation,
            Held::Known(_) => unreachable!("it has just become its own"),
        }
    }
}

impl PartialEq for Op {
    fn eq(&self, other: &Op) -> bool {
        match (&self.0, &other.0) {
            (Held::Known(a), Held::Known(b)) => std::ptr::eq(*a, *b),
            _ => **self == **other,
        }
    }
}

impl std::fmt::Debug for Op {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_the_same_however_it_is_held() {
        let spelled = Operation { name: "sin_scal".into(), ty: None, spelling: "dsin".into() };
        let mut op = Op::from(spelled.clone());
        assert_eq!((*op).clone(), spelled);
        assert_ne!(op, Op::named("sin_scal"));
        op.spelling = SmolStr::default();
        assert_eq!(op, Op::named("sin_scal"));
        let mut known = Op::named("sin_scal");
        known.name = "cos_scal".into();
        assert_eq!(known, Op::named("cos_scal"));
        assert_eq!(known.intrinsic().map(|e| e.name.as_str()), Some("cos_scal"));
        assert!(Op::named("nothing_known").intrinsic().is_none());
    }
}

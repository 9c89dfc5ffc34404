//! Tables of numbers as C spells them (`{1.0, 2.5e-3}`), as array constructors.
//!
//! Lives here: one small translation. Never here: declarations.

use super::types;
use xaif::model::{BaseType, Bound, Constant, Symbol};

/// The numbers of a brace initializer as an array constructor in Fortran; `None` where it is not a complete table of numbers with
/// known extents.
pub fn from_braces(text: &str, symbol: &Symbol) -> Option<String> {
    let d = symbol.decl.as_ref()?;
    let mut extents = Vec::new();
    for dim in &d.dims {
        let (Bound::Expr(l), Bound::Expr(u)) = (&dim.lower, &dim.upper) else { return None };
        extents.push(u.as_int()?.checked_sub(l.as_int()?)?.checked_add(1)?);
    }
    let total = extents.iter().try_fold(1i64, |a, &b| a.checked_mul(b))?;
    let flat: String = text.chars().filter(|c| !matches!(c, '{' | '}') && !c.is_whitespace()).collect();
    let mut items = Vec::new();
    for item in flat.split(',').filter(|i| !i.is_empty()) {
        let bare = match symbol.ty.base {
            BaseType::Real => item.trim_end_matches(['f', 'F', 'l', 'L']),
            _ => item.trim_end_matches(['u', 'U', 'l', 'L']),
        };
        let value = if symbol.ty.base == BaseType::Integer { bare.parse::<i64>().ok()?.to_string() } else { bare.to_owned() };
        let constant = Constant { ty: symbol.ty, fe_type: Default::default(), value: value.into(), spelling: Default::default() };
        items.push(types::literal(&constant, true)?.0);
    }
    if symbol.rank == 0 {
        return (items.len() == 1).then(|| items.remove(0));
    }
    if items.len() as i64 != total {
        return None;
    }
    let list = format!("[{}]", items.join(", "));
    if extents.len() == 1 {
        return Some(list);
    }
    // The last dimension of C is the first here, so the order in memory is the same.
    let shape: Vec<String> = extents.iter().rev().map(i64::to_string).collect();
    Some(format!("reshape({list}, [{}])", shape.join(", ")))
}

//! Initial values of tables that another language spelled.
//!
//! Lives here: `(/ 1.d0, 2.d0 /)` to `{1.0, 2.0}`. Never here: expressions.

use crate::unparse::language::constants;
use smol_str::SmolStr;
use xaif::model::{BaseType, Constant, ElemType};

/// A list of constants as C has it; `None` for anything else than a plain list for an array of one dimension.
pub(crate) fn table(text: &str, ty: ElemType, rank: u8) -> Option<String> {
    let text = text.trim();
    let inner = match (text.strip_prefix("(/").and_then(|t| t.strip_suffix("/)")), text.strip_prefix('[').and_then(|t| t.strip_suffix(']')))
    {
        (Some(t), _) | (None, Some(t)) if rank == 1 => t,
        (None, None) if rank == 0 => text,
        _ => return None,
    };
    let items: Option<Vec<String>> = inner.split(',').map(|item| constant(item.trim(), ty)).collect();
    let items = items?;
    Some(if rank == 0 { items.join("") } else { format!("{{{}}}", items.join(", ")) })
}

fn constant(item: &str, ty: ElemType) -> Option<String> {
    let lower = item.to_ascii_lowercase();
    let value = match ty.base {
        BaseType::Bool => lower.trim_matches('.').to_string(),
        // A kind suffix says nothing that the declaration does not say.
        _ => lower.split('_').next()?.to_string(),
    };
    let numeric = matches!(ty.base, BaseType::Real | BaseType::Integer);
    if numeric && !value.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '+' | '-' | 'e' | 'd' | 'q')) {
        return None;
    }
    constants::spell(&Constant { ty, fe_type: SmolStr::default(), value: value.into(), spelling: SmolStr::default() }, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fortran_lists_become_braces() {
        assert_eq!(table("(/ 1.d0, -2.5_dp, 3e-2 /)", ElemType::REAL64, 1).as_deref(), Some("{1.0, -2.5, 0.03}"));
        assert_eq!(table("[1, 2]", ElemType::INTEGER, 1).as_deref(), Some("{1, 2}"));
        assert_eq!(table(".true.", ElemType::BOOL, 0).as_deref(), Some("1"));
        assert_eq!(table("(/ (i, i = 1, 3) /)", ElemType::INTEGER, 1), None);
    }
}

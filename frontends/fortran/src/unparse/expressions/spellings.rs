//! How a unit's own declarations spell types: variables that nobody declared, and literals that nobody wrote, follow suit.
//!
//! ```text
//! real(dp), intent(in) :: x     ->     real(dp) :: t;  t = 0.5_dp*x
//! ```
//!
//! Lives here: the choice among spellings. Never here: what a spelling means (see `language`).

use crate::unparse::facts::context::Context;
use crate::unparse::language::types;
use rustc_hash::FxHashMap;
use xaif::model::{BaseType, Constant, ElemType, UnitId};

/// The spelling of each type.
#[derive(Clone, Debug, Default)]
pub struct Spellings {
    of: FxHashMap<(BaseType, u16), String>,
    /// The name of the kind that 64 bit reals have.
    kind: Option<String>,
}

impl Spellings {
    /// The unit's arguments count before its other variables.
    pub fn of(cx: &Context, unit: UnitId) -> Spellings {
        let mut out = Spellings::default();
        if cx.foreign {
            return out;
        }
        let formals = cx.program.unit(unit).formals.iter().map(|f| f.symbol);
        let declared = cx.symbols(unit).iter().copied().filter(|&s| cx.is_local(unit, s));
        for s in formals.chain(declared) {
            let symbol = cx.program.symbol(s);
            if !matches!(symbol.ty.base, BaseType::Real | BaseType::Integer | BaseType::Bool) {
                continue;
            }
            let Some(t) = symbol.decl.as_ref().and_then(|d| types::source_spelling(&d.type_text)) else { continue };
            out.of.entry((symbol.ty.base, types::width(symbol.ty))).or_insert(t);
        }
        let name = |t: &String| {
            let inner = t.split_once('(')?.1.strip_suffix(')')?.trim();
            let kind = inner.split_once('=').map_or(inner, |(_, k)| k.trim());
            let first = kind.chars().next()?;
            let word = first.is_ascii_alphabetic() && kind.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            word.then(|| kind.to_owned())
        };
        out.kind = out.of.get(&(BaseType::Real, 64)).and_then(name);
        out
    }

    /// The spelling of a type; `None` where Fortran has no such type.
    pub fn of_type(&self, t: ElemType) -> Option<String> {
        self.of.get(&(t.base, types::width(t))).cloned().or_else(|| types::spelling(t).map(str::to_owned))
    }

    /// A literal: see [`types::literal`].
    pub fn literal(&self, c: &Constant, foreign: bool) -> Option<(String, bool)> {
        let (text, negative) = types::literal(c, foreign)?;
        let own = c.ty.base == BaseType::Real && types::width(c.ty) == 64 && text != c.spelling;
        let Some(kind) = self.kind.as_ref().filter(|_| own) else { return Some((text, negative)) };
        Some(match text.split_once('d') {
            Some((mantissa, "0")) => (format!("{mantissa}_{kind}"), negative),
            Some((mantissa, exponent)) => (format!("{mantissa}e{exponent}_{kind}"), negative),
            None => (text, negative),
        })
    }
}

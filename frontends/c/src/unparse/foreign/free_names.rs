//! Names for what is made.

use smol_str::{SmolStr, format_smolstr};
use xaif::Program;
use xaif::model::ScopeId;

/// A name that nothing in sight of a scope has, and no unit.
pub(super) fn free_name(program: &Program, scope: ScopeId, wish: &str) -> SmolStr {
    let taken = |name: &str| {
        program.lookup(scope, name).is_some() || program.units.iter().any(|u| program.same_name(&program.symbol(u.symbol).name, name))
    };
    let numbered = (1..).map(|k| format_smolstr!("{wish}{k}"));
    std::iter::once(SmolStr::from(wish)).chain(numbered).find(|n| !taken(n)).unwrap_or_default()
}

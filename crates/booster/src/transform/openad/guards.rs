//! Operands that a statement reads under a condition only.
//!
//! `far ? 0.0 : x[k]` looks at `x[k]` where `far` does not hold. Derivatives of the statement would look at the derivative of `x[k]` always, and it need not be
//! there. Lives here: finding them. Never here: what statements become.

use super::references::{canonical, is_active};
use xaif::model::{Expr, NodeKind, VarRef};
use xaif::{Diagnostic, Program};

/// Refuses them.
///
/// # Errors
/// One of them.
pub fn check(program: &Program, e: &Expr) -> Result<(), Diagnostic> {
    let Some(r) = guarded(program, e) else { return Ok(()) };
    let name = &program.symbol(r.symbol).name;
    Err(Diagnostic::error("OB4094", format!("an active element of `{name}` is read under a condition inside of an expression"))
        .because("the derivative of the statement would read its derivative in any case, where it need not exist")
        .help("write the choice as a branch, or write the overbar dialect with --dialect overbar"))
}

/// An active operand that may not be there where the condition does not hold.
fn guarded<'e>(program: &Program, e: &'e Expr) -> Option<&'e VarRef> {
    let mut always = vec![false; e.nodes.len()];
    if let Some(root) = always.last_mut() {
        *root = true;
    }
    for (k, node) in e.nodes.iter().enumerate().rev() {
        if !always[k] {
            continue;
        }
        let choice = matches!(&node.kind, NodeKind::Op(op) if op.name == "select");
        for operand in node.operands.iter().take(if choice { 1 } else { node.operands.len() }) {
            always[operand.index()] = true;
        }
    }
    let variable = |k: usize| if let NodeKind::Var(r) = &e.nodes[k].kind { Some(r) } else { None };
    let read = |r: &VarRef| (0..e.nodes.len()).any(|k| always[k] && variable(k).is_some_and(|v| canonical(v) == canonical(r)));
    let missing = |r: &VarRef| !r.subscripts.is_empty() || program.symbol(r.symbol).has_attribute("optional");
    (0..e.nodes.len()).filter(|&k| !always[k]).filter_map(variable).find(|r| is_active(program, r) && missing(r) && !read(r))
}

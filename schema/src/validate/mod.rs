//! What makes a document acceptable, beyond what the reader must refuse.
//!
//! Lives here: the schema check and the semantic checks; both report all problems. Never here: repairs.
//!
//! * `xsd`: validation against the XSD files in `schema/xsd/`
//! * `semantics`: does the program make sense: scopes, units, graphs, types

mod semantics;
#[cfg(feature = "xsd")]
mod xsd;

use crate::Diagnostic;
use crate::model::{Program, StmtKind, SymbolId, VertexKind};
use crate::read::Limits;
use rustc_hash::FxHashMap;
pub use semantics::semantics;

#[cfg(feature = "xsd")]
pub use xsd::FILES as SCHEMA_FILES;

/// Validates a document against the schema that fits it: that of its root element, and for XAIF the one for output where its
/// `xsi:schemaLocation` names that, or where it has what only a booster writes.
///
/// Without the cargo feature `xsd` there is no schema validation, which is an error.
pub fn schema(name: &str, xml: &[u8]) -> Vec<Diagnostic> {
    schema_within(name, xml, &Limits::default())
}

/// The same within other limits. A document in an older form of the format is valid where it is so in the present one.
pub fn schema_within(name: &str, xml: &[u8], limits: &Limits) -> Vec<Diagnostic> {
    let found = against_schema(name, xml, limits);
    if found.iter().any(|d| d.code == "OB1060")
        && let Some(older) = older_form(name, xml, limits)
    {
        return older;
    }
    found
}

/// What the reader says of an older form, if the document has one and is valid when it is written in the present form.
fn older_form(name: &str, xml: &[u8], limits: &Limits) -> Option<Vec<Diagnostic>> {
    let (mut program, said) = crate::read::read(name, xml, limits).ok()?;
    let older: Vec<Diagnostic> = said.into_iter().filter(|d| d.code == "OB1017").collect();
    if older.is_empty() {
        return None;
    }
    complete_counts(&mut program);
    let present = crate::write::write(&program);
    let valid = !against_schema(name, present.as_bytes(), limits).iter().any(Diagnostic::is_error);
    valid.then_some(older)
}

/// Gives calls the number of formal arguments that older forms leave out.
fn complete_counts(program: &mut Program) {
    let formals: FxHashMap<SymbolId, u32> = program.units.iter().map(|u| (u.symbol, u.formals.len() as u32)).collect();
    for v in program.units.iter_mut().flat_map(|u| u.graph.node_weights_mut()) {
        let VertexKind::Block { stmts, .. } = &mut v.kind else { continue };
        for s in stmts {
            if let StmtKind::Call(call) = &mut s.kind {
                let known = formals.get(&call.callee).copied().unwrap_or(0);
                call.formal_count.get_or_insert(call.arguments.iter().map(|a| a.position).fold(known, u32::max));
            }
        }
    }
}

#[cfg(feature = "xsd")]
fn against_schema(name: &str, xml: &[u8], limits: &Limits) -> Vec<Diagnostic> {
    let kind = match crate::read::root_of(name, xml) {
        Some(root) if root.local == "InlinableIntrinsicDefinitions" => xsd::Kind::Intrinsics,
        Some(root) if root.local == "certificate" => xsd::Kind::Certificate,
        Some(root) if root.local == "manifest" => xsd::Kind::Manifest,
        Some(root) if root.local == "batch" => xsd::Kind::Batch,
        Some(root) if root.local == "request" => xsd::Kind::Request,
        Some(root) if root.local == "diagnostics" => xsd::Kind::Diagnostics,
        Some(root) if root.output => xsd::Kind::Output,
        _ => xsd::Kind::Input,
    };
    xsd::validate(name, xml, kind, limits)
}

#[cfg(not(feature = "xsd"))]
fn against_schema(name: &str, xml: &[u8], limits: &Limits) -> Vec<Diagnostic> {
    if let Err(problems) = crate::read::well_formed(name, xml, limits) {
        return problems;
    }
    vec![Diagnostic::error("OB1061", "schema validation was left out of this build")]
}

/// Root elements of documents that are no programs.
const OTHERS: [&str; 6] = ["InlinableIntrinsicDefinitions", "certificate", "manifest", "batch", "request", "diagnostics"];

/// Everything there is to say about a document: well-formed, valid against the schema, readable, and sensible.
pub fn document(name: &str, xml: &[u8], limits: &Limits) -> Vec<Diagnostic> {
    let mut out = schema_within(name, xml, limits);
    // Where there was too much to be said already, nothing more is looked for.
    if out.iter().any(|d| matches!(d.code, "OB0113" | "OB1001" | "OB1002" | "OB1003" | "OB1004" | "OB1005")) {
        return out;
    }
    if crate::read::root_of(name, xml).is_some_and(|r| OTHERS.contains(&&*r.local)) {
        return out;
    }
    match crate::read::read(name, xml, limits) {
        Ok((program, warnings)) => {
            let new: Vec<Diagnostic> = warnings.into_iter().filter(|w| !out.contains(w)).collect();
            out.extend(new);
            out.extend(semantics(&program));
        }
        Err(problems) => out.extend(problems),
    }
    out
}

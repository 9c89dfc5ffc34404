//! What is asked for: heads, parsed and resolved.

/// Stub.
pub fn parse_head(text: &str) -> Result<xaif::model::Head, xaif::Diagnostic> {
    Err(xaif::Diagnostic::error("OB0110", text))
}

//! What is asked for: heads, parsed and resolved.

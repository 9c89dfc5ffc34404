//! Damaged input: refused, never a panic.

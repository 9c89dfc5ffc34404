//! Partial derivatives of statements.

//! Adjoint units.

mod blocks;
mod normal;
mod tree;

//! Adjoint units.

mod blocks;
mod loops;
mod normal;
mod record;
mod statements;
mod sweeps;
mod tree;
mod zeros;

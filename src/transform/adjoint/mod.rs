//! Adjoint units.

mod blocks;
mod flow;
mod loops;
mod normal;
mod record;
mod statements;
mod sweeps;
mod tree;
mod zeros;

//! Adjoint units.

mod blocks;
mod allocation;
mod flow;
mod loops;
mod normal;
mod record;
mod statements;
mod sweeps;
mod tree;
mod unit;
mod zeros;

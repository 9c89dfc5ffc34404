//! Adjoint units.

mod allocation;
mod blocks;
mod flow;
mod loops;
mod normal;
mod record;
mod statements;
mod sweeps;
mod tree;
mod unit;
mod zeros;

#[cfg(test)]
mod tests;

//! Facts about a program: pure functions from the program to side tables.
//!
//! * [`objects`]: which symbols are the same storage, and which outlive a call,
//! * [`table`], [`tables`]: units compiled to compact steps, for whoever iterates over them; [`steps`]: the handles by which facts about them are kept,
//! * [`equations`]: how data-flow equations are solved,
//! * [`effects`]: what a unit reads and writes, its callees included,
//! * [`outside`]: what unknown units keep and give back; [`escapes`]: derivatives that are lost there,
//! * [`aliases`]: what may overlap,
//! * [`kept`]: what static variables carry from one call to the next,
//! * [`activity`]: what has a derivative, `parts`: which parts of arrays it tells apart; [`patterns`]: calls that would rather have a unit of their own,
//! * [`recorded`], [`fusion`], [`checkpoints`]: what an adjoint executes, records, and computes again,
//! * [`chains`]: which definitions a use meets,
//! * [`overwritten`]: what an adjoint leaves overwritten; [`reasons`]: why something is recorded,
//! * [`dependence`]: which statements must keep their order; [`regions`]: parts of arrays, [`fresh`]: those that code sets before it reads them,
//! * [`refusals`]: what activity cannot be followed through; `rounded`: where derivatives end in whole numbers.
//!
//! Never here: changes of the program.

pub mod accesses;
pub mod activity;
pub mod addresses;
pub mod aliases;
pub mod bits;
pub mod chains;
pub mod checkpoints;
pub(crate) mod counted;
mod covered;
pub mod dependence;
pub mod effects;
pub(crate) mod equations;
pub mod escapes;
mod facts;
pub(crate) mod fresh;
pub mod fusion;
pub(crate) mod handed;
pub mod heads;
pub(crate) mod inequalities;
pub mod kept;
pub mod objects;
pub(crate) mod outline;
pub mod outside;
pub mod overwritten;
mod parts;
pub mod patterns;
pub(crate) mod reach;
pub mod reasons;
pub mod recorded;
pub mod refusals;
pub mod regions;
mod rounded;
pub mod steps;
mod storage;
pub mod table;
pub mod tables;

pub use activity::Activity;
pub use aliases::Aliases;
pub use effects::Effects;
pub use facts::Facts;
pub use kept::Kept;
pub use objects::Objects;

#[cfg(test)]
mod tests;

//! The program as analyses see it: objects and steps, all read off the text of units.
//!
//! * [`objects`]: which symbols are the same storage, and which outlive a call; `storage`: where the variables of a COMMON block lie,
//! * [`addresses`]: which variables a stock file puts into the same place,
//! * [`steps`]: the handles by which facts about statements are kept,
//! * [`outside`]: what unknown units keep and give back,
//! * [`table`], [`tables`]: units compiled to compact steps, for whoever iterates over them.
//!
//! Lives here: what the text says. Never here: facts that flow.

pub mod addresses;
pub mod objects;
pub mod outside;
pub mod steps;
mod storage;
pub mod table;
pub mod tables;

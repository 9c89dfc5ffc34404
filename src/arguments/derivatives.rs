//! Options of every command that makes derivatives: which ones, and how. Never here: how they are checked (see `report`).

use clap::{Args, ValueEnum};
use std::num::NonZeroU16;
use std::path::PathBuf;

/// How many directions derivatives serve at once.
#[derive(Clone, Debug, Args)]
pub struct Several {
    /// Make derivatives that serve several directions at once (`f_dv`, `f_bv`): their number is the first argument, and each derivative has one more
    /// dimension, the contiguous one. With `--vector=N` they serve N directions, there is no such argument, and derivatives of shared variables have that
    /// dimension, too.
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true)]
    pub vector: Option<Option<NonZeroU16>>,
}

/// Which derivatives are made.
#[derive(Debug, Args)]
pub struct Derivatives {
    /// Make tangents (`f_d`).
    #[arg(short = 'd', long)]
    pub tangent: bool,
    /// Make adjoints (`f_b`).
    #[arg(short = 'b', long)]
    pub adjoint: bool,
    #[command(flatten)]
    pub several: Several,
    /// What to differentiate: `unit(dependents)/(independents)`. Either list may be left out: then it is every real argument that is written,
    /// or read. May be given several times.
    #[arg(long, value_name = "HEAD")]
    pub head: Vec<String>,
    /// Start the adjoints of inputs from zero instead of incrementing what the caller passes.
    #[arg(long)]
    pub zero_init: bool,
    /// Adjoints of heads also compute the values: they leave in arguments and shared variables what the original leaves there, and return what it returns. Value
    /// and gradient in one call.
    #[arg(long)]
    pub with_values: bool,
    /// Arguments of a head may overlap each other (C pointers that are not `restrict`); where both have derivatives, these overlap as they do. Without this
    /// option the derivative relies on that they do not.
    #[arg(long)]
    pub may_overlap: bool,
    /// How calls are reversed: `joint` runs the callee again in the reverse sweep, `split` lets it record in the forward sweep, `auto` does for each call what
    /// costs less. Without this option calls are reversed jointly where that is possible.
    #[arg(long, value_enum)]
    pub reversal: Option<Reversal>,
    /// Rules for procedures whose text is not there: what they read and write, and which procedures compute their derivatives. A TOML file, see
    /// docs/rules.md.
    #[arg(long, value_name = "FILE.toml")]
    pub rules: Option<PathBuf>,
    /// Intrinsics of your own with their partial derivatives, besides those that are built in: a catalogue as the stock tools have it, see docs/dialects.md.
    #[arg(long, value_name = "FILE.xml")]
    pub catalogue: Option<PathBuf>,
    #[command(flatten)]
    pub checkpointing: Checkpointing,
    #[command(flatten)]
    pub accumulation: Accumulation,
    /// Say of every sequence of statements on standard error, or in a file, whether its local Jacobian is preaccumulated and why, with the
    /// multiplications before and after. On standard error also how long each step of making an adjoint took.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub explain: Option<Option<PathBuf>>,
    /// Write what the analyses found to this file, as JSON with the lines of the source: aliases, side effects, chains, activity, dependences, and what was
    /// decided for each adjoint.
    #[arg(long, value_name = "FILE.json")]
    pub facts: Option<PathBuf>,
    /// Write to this file, as JSON, what the adjoints record: bytes, their peak, with formulas in terms of loop bounds, each loop and each variable with its
    /// line, and what is computed again.
    #[arg(long, value_name = "FILE.json")]
    pub stats: Option<PathBuf>,
    /// Suffix of tangent procedures: `_d` where nothing is said, `_dv` with --vector.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub tangent_suffix: String,
    /// Suffix of adjoint procedures: `_b` where nothing is said, `_bv` with --vector.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub adjoint_suffix: String,
    /// Suffix of tangent variables.
    #[arg(long, value_name = "TEXT", default_value = "d")]
    pub tangent_variable_suffix: String,
    /// Suffix of adjoint variables.
    #[arg(long, value_name = "TEXT", default_value = "b")]
    pub adjoint_variable_suffix: String,
}

/// Loops that are reversed from snapshots.
#[derive(Debug, Args)]
pub struct Checkpointing {
    /// Reverse the loop at this line of this procedure from so many snapshots of its state (`step_all:12=10`), or from as many as fit into so many bytes
    /// (`step_all:12=memory:64000`), instead of recording all its iterations: the binomial schedule, with the fewest iterations run again. With `,every:32` behind
    /// it, 32 iterations are recorded and reversed together, which saves iterations where adjoints need what these compute on the way. May be given several times; wins over a
    /// directive.
    #[arg(long, value_name = "UNIT:LINE=SNAPSHOTS[,every:ITERATIONS]")]
    pub checkpoint: Vec<String>,
}

/// Preaccumulation of local Jacobians.
#[derive(Debug, Args)]
pub struct Accumulation {
    /// Accumulate the local Jacobians of statement sequences before they are used: where the cost model says that it pays, nowhere, or everywhere.
    #[arg(long, value_enum, default_value_t)]
    pub preaccumulate: Preaccumulate,
    /// Elimination heuristics for these Jacobians, ties of each decided by the next, instead of a search.
    #[arg(long, value_name = "NAME[,NAME...]")]
    pub order: Option<String>,
    /// Search for elimination sequences that long in all, in seconds, or with that many moves (`20000moves`); without it the search is bounded by moves
    /// in proportion to the program, and always gives the same.
    #[arg(long, value_name = "SECONDS", conflicts_with = "order")]
    pub search: Option<String>,
    /// Whether calls of small procedures (no calls, no loops but over a few elements) are differentiated where they stand, or by calls of derivatives of theirs.
    /// `auto` if left out, unless `--reversal joint` or `split` says how calls are reversed.
    #[arg(long, value_enum)]
    pub inline: Option<Inline>,
    /// Passes over finished reverse sweeps that are left out, to find what one of them does.
    #[arg(long, value_name = "-NAME[,-NAME...]", hide = true, allow_hyphen_values = true, value_parser = overbar::transform::passes::left_out)]
    pub passes: Option<overbar::transform::LeftOut>,
}

/// When local Jacobians are preaccumulated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Preaccumulate {
    /// Where it pays.
    #[default]
    Auto,
    /// Nowhere.
    Never,
    /// Everywhere.
    Always,
}

/// Small procedures where they are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Inline {
    /// Where they stand.
    Auto,
    /// By calls.
    Never,
}

/// Reversal of calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Reversal {
    /// Run the callee again.
    Joint,
    /// Record in the callee.
    Split,
    /// For each call what costs less.
    #[default]
    Auto,
}

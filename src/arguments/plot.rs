//! Options of `overbar plot`.

use super::{Language, Output, Reading};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Picture {
    /// Which unit calls which; with --unit what is near to one.
    Callgraph,
    /// The control-flow graph of a unit.
    Cfg,
    /// The term graphs of assignments.
    Expression,
    /// The linearized graphs of statement sequences, with partial derivatives, or of a graph in JSON.
    Lcg,
    /// What is left of them after elimination.
    Eliminated,
    /// The control-flow graph of a unit with the statements that take part in the derivatives of a head.
    Activity,
}

/// Form of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlotFormat {
    /// SVG.
    Svg,
    /// DOT.
    Dot,
    /// The linearized graphs as `eliminate` reads them.
    Json,
}

#[derive(Debug, Args)]
pub struct Plot {
    /// C, Fortran or XAIF, or a graph in JSON.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// What is drawn.
    #[arg(long, value_enum)]
    pub what: Picture,
    /// The unit. May be left out where there is only one.
    #[arg(long, value_name = "NAME")]
    pub unit: Option<String>,
    /// Only the statements that begin in these lines (expression, lcg, eliminated).
    #[arg(long, value_name = "N[-M]")]
    pub line: Option<String>,
    /// Only what is near to the boxes of this name: a unit, a variable, a line, the id of a vertex.
    #[arg(long, value_name = "NAME")]
    pub around: Option<String>,
    /// How many arrows from there.
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub depth: usize,
    /// Values of arguments and globals, as for eval: the unit is run there, and edges get the numbers of their factors (lcg), those of the last run of a statement.
    #[arg(long, value_name = "VALUES.json")]
    pub input: Option<PathBuf>,
    /// What is differentiated (activity): `unit(dependents)/(independents)`; left out: what the file says.
    #[arg(long, value_name = "HEAD")]
    pub head: Vec<String>,
    /// Heuristics of the elimination, as for eliminate.
    #[arg(long, value_name = "NAME[,NAME...]")]
    pub order: Option<String>,
    /// Objective of the elimination, as for eliminate.
    #[arg(long, value_name = "plain|aware|propagate:K", default_value = "aware")]
    pub objective: String,
    /// Form of the drawing; left out: what the name of the output says, else SVG.
    #[arg(long, value_enum)]
    pub format: Option<PlotFormat>,
    /// The language, where the extension does not say it.
    #[arg(long, value_enum)]
    pub language: Option<Language>,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub output: Output,
}

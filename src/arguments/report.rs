//! Options of `report`, and of checking derivatives, which `verify` has too. Never here: other commands.

use super::{Derivatives, Dialect, Language, Output, Reading};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// At which point, and with which compilers, derivatives are checked.
#[derive(Debug, Args)]
pub struct Trial {
    /// Values of arguments and globals at the point; left out: they are drawn.
    #[arg(long, value_name = "VALUES.json")]
    pub input: Option<PathBuf>,
    /// The C compiler; `cc` where nothing is said.
    #[arg(long, value_name = "CC")]
    pub cc: Option<String>,
    /// The Fortran compiler; `gfortran` where nothing is said.
    #[arg(long, value_name = "FC")]
    pub fc: Option<String>,
    /// Levels of optimization at which generated code is compiled and run, separated by commas.
    #[arg(long, value_name = "LEVELS", value_delimiter = ',', default_value = "0,2", value_parser = clap::value_parser!(u8).range(0..=3))]
    pub opt_level: Vec<u8>,
    /// Seed of the inputs and directions that are drawn.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Statements after which a run in the interpreter is given up.
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// Variables without a value are zero instead of an error.
    #[arg(long)]
    pub zero_start: bool,
}

/// Who checks derivatives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Checker {
    /// Nobody.
    None,
    /// The interpreter.
    #[default]
    Interpreter,
    /// The interpreter, and compiled code.
    Both,
}

/// How derivatives are certified before they are written.
#[derive(Clone, Debug, Args)]
pub struct Certifying {
    /// Who checks derivatives before they are written: each head at drawn points, against dual numbers of the original. What is wrong is refused; what could not
    /// be checked is written with a warning, and a comment at the derivative procedures says so.
    #[arg(long, value_enum, default_value_t)]
    pub certificate: Checker,
    /// Write nothing that is not certified whole: not smooth where it was checked, with statements to which no point comes, or not to be run in the interpreter.
    #[arg(long)]
    pub require_certificate: bool,
    /// Operations of the interpreter that the certificate may take; about a second of one processor if left out.
    #[arg(long, value_name = "N", default_value_t = overbar::verify::made::BUDGET, hide_default_value = true)]
    pub certify_budget: u64,
}

/// Where derivatives are certified, and with which compilers.
#[derive(Debug, Args)]
pub struct Spot {
    /// Values of arguments and globals at which the derivatives are certified; left out: they are drawn.
    #[arg(long, value_name = "VALUES.json")]
    pub input: Option<PathBuf>,
    #[command(flatten)]
    pub compilers: Compilers,
}

/// The compilers with which derivatives are certified, where that is asked for.
#[derive(Clone, Debug, Args)]
pub struct Compilers {
    /// The C compiler of --certificate both; `cc` where nothing is said.
    #[arg(long, value_name = "CC")]
    pub cc: Option<String>,
    /// The Fortran compiler of --certificate both; `gfortran` where nothing is said.
    #[arg(long, value_name = "FC")]
    pub fc: Option<String>,
}

#[derive(Debug, Args)]
pub struct Page {
    /// The program: C or Fortran files, or one XAIF document.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The language, where the extension does not say it.
    #[arg(long, value_enum)]
    pub language: Option<Language>,
    #[command(flatten)]
    pub derivatives: Derivatives,
    /// Dialect of the derivatives of an XAIF document; that of the document if left out.
    #[arg(long, value_enum)]
    pub dialect: Option<Dialect>,
    /// Who checks the derivatives.
    #[arg(long, value_enum, default_value_t)]
    pub certificate: Checker,
    #[command(flatten)]
    pub trial: Trial,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub output: Output,
}

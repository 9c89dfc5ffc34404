//! Commands that help with the others.

use super::{AnswerFormat, Language, Output};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Runtime {
    /// The language.
    #[arg(value_enum)]
    pub language: Language,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, Args)]
pub struct Explain {
    /// Codes, such as OB4003; lower case, or the digits alone, will do. Anything else is a word: the codes whose texts have all of the words are listed.
    #[arg(required_unless_present = "all", value_name = "CODE|WORD")]
    pub codes: Vec<String>,
    /// All codes, as the page docs/diagnostics.md.
    #[arg(long, conflicts_with = "codes")]
    pub all: bool,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t)]
    pub format: AnswerFormat,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, Args)]
pub struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct Manpage {
    /// The command; left out: the page of `overbar` itself.
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
    /// Write the pages of all commands to this folder instead: `overbar.1`, `overbar-diff.1` and so on.
    #[arg(short = 'O', long, value_name = "FOLDER", conflicts_with = "command")]
    pub output_folder: Option<PathBuf>,
}

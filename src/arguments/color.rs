//! When messages have colours.

use clap::ValueEnum;
use std::ffi::OsString;

/// When messages have colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// At a terminal, if the environment does not say otherwise.
    #[default]
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

impl ColorChoice {
    /// What a command line asks for, before it is read: help and errors of the command line have colours too.
    pub fn among(words: &[OsString]) -> ColorChoice {
        let next = |k: usize| words.get(k + 1).and_then(|w| w.to_str());
        let mut asked = words.iter().enumerate().filter_map(|(k, w)| match w.to_str()? {
            "--color" => next(k),
            word => word.strip_prefix("--color="),
        });
        asked.next_back().and_then(|word| ColorChoice::from_str(word, false).ok()).unwrap_or_default()
    }

    /// The same for help texts.
    pub fn of_help(self) -> clap::ColorChoice {
        match self {
            ColorChoice::Auto => clap::ColorChoice::Auto,
            ColorChoice::Always => clap::ColorChoice::Always,
            ColorChoice::Never => clap::ColorChoice::Never,
        }
    }
}

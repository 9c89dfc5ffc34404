//! How a session speaks: in which form, with or without colours, how much.
//!
//! Lives here: what the command line and the environment say about that. Never here: what is said.

use crate::arguments::{Cli, ColorChoice, MessageFormat};
use std::io::IsTerminal;

/// How a session speaks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manner {
    /// The form of diagnostics.
    pub format: MessageFormat,
    /// Whether texts for people have colours.
    pub color: bool,
    /// Errors only.
    pub quiet: bool,
    /// Every diagnostic, and which files are read and written.
    pub verbose: bool,
}

impl Manner {
    /// What the command line asks for.
    pub fn of(cli: &Cli) -> Manner {
        let set = |name: &str| std::env::var(name).ok().filter(|v| !v.is_empty());
        let color = has_color(cli.color, set, std::io::stderr().is_terminal());
        Manner { format: cli.message_format, color, quiet: cli.quiet, verbose: cli.verbose }
    }
}

/// Whether there are colours: the option first, then NO_COLOR, CLICOLOR_FORCE, CLICOLOR and TERM, as <https://no-color.org> and
/// <https://bixense.com/clicolors> say, then whether somebody looks at it.
fn has_color(asked: ColorChoice, set: impl Fn(&str) -> Option<String>, terminal: bool) -> bool {
    match asked {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if set("NO_COLOR").is_some() => false,
        ColorChoice::Auto if set("CLICOLOR_FORCE").is_some_and(|v| v != "0") => true,
        ColorChoice::Auto => terminal && set("CLICOLOR").is_none_or(|v| v != "0") && set("TERM").is_some_and(|v| v != "dumb"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colored(asked: ColorChoice, variables: &[(&str, &str)], terminal: bool) -> bool {
        let set = |name: &str| variables.iter().find(|v| v.0 == name).map(|v| v.1.to_owned());
        has_color(asked, set, terminal)
    }

    #[test]
    fn the_option_wins_then_the_environment_then_the_terminal() {
        use ColorChoice::{Always, Auto, Never};
        let term = ("TERM", "xterm");
        assert!(colored(Always, &[("NO_COLOR", "1")], false));
        assert!(!colored(Never, &[("CLICOLOR_FORCE", "1"), term], true));
        assert!(!colored(Auto, &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1"), term], true));
        assert!(colored(Auto, &[("CLICOLOR_FORCE", "1")], false));
        assert!(!colored(Auto, &[("CLICOLOR_FORCE", "0")], false));
        assert!(colored(Auto, &[term], true));
        assert!(!colored(Auto, &[term], false));
        assert!(!colored(Auto, &[("TERM", "dumb")], true));
        assert!(!colored(Auto, &[("CLICOLOR", "0"), term], true));
        assert!(!colored(Auto, &[], true));
    }
}

//! `overbar completions` and `overbar manpage`: what shells and readers of manuals need.

use super::steps::{Done, usage};
use crate::arguments::{Cli, Completions, Manpage};
use crate::console::files::{Content, Target, make_folder, write_all};
use crate::console::report::Session;
use clap::{Command, CommandFactory};

/// `overbar completions`
pub fn completions(session: &mut Session, a: &Completions) -> Done {
    let mut text = Vec::new();
    clap_complete::generate(a.shell, &mut Cli::command(), "overbar", &mut text);
    let text = String::from_utf8_lossy(&text);
    write_all(session, &[Target { path: None, content: Content::Text(&text) }])
}

/// `overbar manpage`
pub fn manpage(session: &mut Session, a: &Manpage) -> Done {
    let mut all = Cli::command().disable_help_subcommand(true);
    all.build();
    if let Some(folder) = &a.output_folder {
        let pages: Vec<_> =
            std::iter::once(&all).chain(all.get_subcommands()).map(|c| (folder.join(format!("{}.1", name(c))), page(c))).collect();
        make_folder(session, folder)?;
        let targets: Vec<_> = pages.iter().map(|(path, text)| Target { path: Some(path), content: Content::Text(text) }).collect();
        return write_all(session, &targets);
    }
    let command = match &a.command {
        None => &all,
        Some(asked) => match all.find_subcommand(asked) {
            Some(command) => command,
            None => {
                let names: Vec<&str> = all.get_subcommands().map(Command::get_name).collect();
                let help = format!("the commands are {}", names.join(", "));
                return Err(usage(session, "OB0130", &format!("there is no command {asked}"), &help));
            }
        },
    };
    let text = page(command);
    write_all(session, &[Target { path: None, content: Content::Text(&text) }])
}

/// `overbar-diff` for `diff`.
fn name(command: &Command) -> &str {
    command.get_display_name().unwrap_or(command.get_name())
}

fn page(command: &Command) -> String {
    let mut text = Vec::new();
    // Only what it writes to could fail.
    let _ = clap_mangen::Man::new(command.clone()).source(format!("overbar {}", env!("CARGO_PKG_VERSION"))).render(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

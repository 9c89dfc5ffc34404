//! Options of items, named like the long options of the command line.
//!
//! Lives here: how options from the command line, the defaults of a manifest and an item come together, and what they mean, which clap says. Never
//! here: the options themselves (`arguments`).

use crate::arguments::Choices;
use crate::pipeline::options;
use clap::{ArgMatches, CommandFactory, Parser};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use xaif::Diagnostic;
use xaif::diagnostic::Location;

/// The options of an item as words by themselves.
#[derive(Debug, Parser)]
#[command(name = "item", no_binary_name = true, disable_help_flag = true)]
struct Words {
    #[command(flatten)]
    choices: Choices,
}

/// Options that name files of their own.
const OTHERS: [&str; 4] = ["explain", "facts", "header", "stats"];

/// Options by their long names. A later one replaces an earlier one of the same name.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    given: BTreeMap<String, Given>,
}

#[derive(Clone, Debug)]
struct Given {
    /// `None`: taken back.
    values: Option<Vec<String>>,
    /// Where it was said; 0: on the command line.
    line: u32,
}

impl PartialEq for Settings {
    /// Places do not matter.
    fn eq(&self, other: &Settings) -> bool {
        self.words() == other.words()
    }
}

impl Settings {
    /// An option without a value, or that one taken back.
    pub fn switch(&mut self, name: &str, on: bool, line: u32) {
        self.given.insert(name.to_owned(), Given { values: on.then(Vec::new), line });
    }

    /// An option with these values.
    pub fn set(&mut self, name: &str, values: Vec<String>, line: u32) {
        // A list of nothing is nothing said.
        let values = (!values.is_empty()).then_some(values);
        self.given.insert(name.to_owned(), Given { values, line });
    }

    /// One more value of an option.
    pub fn add(&mut self, name: &str, value: String, line: u32) {
        let given = self.given.entry(name.to_owned()).or_insert(Given { values: None, line });
        given.values.get_or_insert_default().push(value);
    }

    /// What stands on the command line.
    pub fn from_matches(matches: &ArgMatches) -> Settings {
        let mut out = Settings::default();
        for a in Words::command().get_arguments() {
            let (id, Some(long)) = (a.get_id().as_str(), a.get_long()) else { continue };
            if !matches!(matches.try_contains_id(id), Ok(true)) || matches.value_source(id) != Some(clap::parser::ValueSource::CommandLine)
            {
                continue;
            }
            if a.get_action().takes_values() {
                let values = matches.get_raw(id).into_iter().flatten().map(|v| v.to_string_lossy().into_owned());
                let values: Vec<String> = values.collect();
                if values.is_empty() { out.switch(long, true, 0) } else { out.set(long, values, 0) }
            } else {
                out.switch(long, true, 0);
            }
        }
        out
    }

    /// These, and those of `later` in place of them.
    pub fn then(&self, later: &Settings) -> Settings {
        let mut out = self.clone();
        out.given.extend(later.given.iter().map(|(k, v)| (k.clone(), v.clone())));
        out
    }

    /// The same with paths relative to a folder where the options name folders.
    pub fn below(mut self, folder: &Path) -> Settings {
        for name in ["include", "include-first", "compile-commands"] {
            for path in self.given.get_mut(name).and_then(|g| g.values.as_mut()).into_iter().flatten() {
                *path = folder.join(PathBuf::from(&*path)).to_string_lossy().into_owned();
            }
        }
        self
    }

    /// As words of a command line, in the order of the names.
    pub fn words(&self) -> Vec<String> {
        let mut out = Vec::new();
        for (name, given) in &self.given {
            match given.values.as_deref() {
                None => {}
                Some([]) => out.push(format!("--{name}")),
                Some(list) => out.extend(list.iter().map(|v| format!("--{name}={v}"))),
            }
        }
        out
    }

    /// What they mean. `name` is the manifest's, `line` that of the item.
    ///
    /// # Errors
    /// OB0141 with the place of the option, or of the item.
    pub fn choices(&self, name: &str, line: u32) -> Result<Choices, Diagnostic> {
        let place = |line: u32| (line > 0).then(|| Location { file: name.to_owned(), line, column: 1, end_line: line, end_column: 2 });
        if let Some((other, given)) = self.given.iter().find(|(k, g)| OTHERS.contains(&k.as_str()) && g.values.is_some()) {
            return Err(Diagnostic::error("OB0141", format!("`{other}` writes a file of its own, which items of a batch do not have"))
                .at(place(given.line))
                .help("leave it out"));
        }
        for (option, what) in [("rules", "rules"), ("catalogue", "a catalogue")] {
            if let Some(given) = self.given.get(option).filter(|g| g.values.is_some()) {
                return Err(Diagnostic::error("OB0141", format!("items of a batch cannot have {what}"))
                    .at(place(given.line))
                    .because("what that file says is no part of what is hashed to tell whether an item is done")
                    .help(format!("differentiate files that need {what} one by one, with `overbar diff`")));
            }
        }
        let Words { choices } = Words::try_parse_from(self.words()).map_err(|e| {
            let text = e.render().to_string();
            let message = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
            // Clap says which option it is; the place is that of its name.
            let named = self.given.iter().find(|(k, _)| message.contains(&format!("--{k}")));
            let line = named.map_or(line, |(_, g)| g.line);
            let help = "options of items are named like the long options of `overbar diff`, such as adjoint = true, head = \"f(y)/(x)\"";
            Diagnostic::error("OB0141", message).at(place(line)).help(help)
        })?;
        match options::derivatives(&choices.derivatives) {
            Ok(_) => Ok(choices),
            Err(found) => {
                let d = found.into_iter().next().unwrap_or_else(|| Diagnostic::error("OB0141", "the options contradict each other"));
                let given = self.given.get(if d.code == "OB0010" { "head" } else { "" });
                Err(d.at(place(given.map_or(line, |g| g.line))))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_settings_win_and_can_take_back() {
        let mut first = Settings::default();
        first.switch("adjoint", true, 0);
        first.set("reversal", vec!["split".into()], 0);
        let mut second = Settings::default();
        second.switch("adjoint", false, 3);
        second.switch("tangent", true, 4);
        second.set("head", vec!["f".into(), "g".into()], 5);
        let both = first.then(&second);
        assert_eq!(both.words(), ["--head=f", "--head=g", "--reversal=split", "--tangent"]);
        let c = both.choices("m.toml", 1).unwrap();
        assert!(c.derivatives.tangent && !c.derivatives.adjoint && c.derivatives.head == ["f", "g"]);
    }

    #[test]
    fn what_is_no_option_has_a_place() {
        for (name, value) in [("adjiont", "x"), ("reversal", "both"), ("header", "h.h"), ("tangent", "3")] {
            let mut s = Settings::default();
            s.set(name, vec![value.into()], 7);
            let d = s.choices("m.toml", 2).unwrap_err();
            assert_eq!((d.code, d.location.map(|l| l.line)), ("OB0141", Some(7)), "{name}: {}", d.message);
        }
    }
}

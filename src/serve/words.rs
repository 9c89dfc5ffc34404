//! A request as a command line.
//!
//! Lives here: which commands and options requests may have, and what they become. Never here: what options mean, which clap says.

use super::protocol::Request;
use crate::arguments::{Checker, Cli, Command, Run};
use clap::{Arg, CommandFactory, FromArgMatches};
use xaif::Diagnostic;

/// The commands that requests may name.
pub const COMMANDS: [&str; 11] =
    ["boost", "diff", "validate", "verify", "eliminate", "frontend", "backend", "eval", "plot", "intrinsics", "runtime"];

/// Options of the command line that say where files of the system are, or start programs.
const OTHERS: [&str; 14] = [
    "output",
    "include",
    "include-first",
    "compile-commands",
    "cc",
    "fc",
    "run",
    "depfile",
    "message-format",
    "color",
    "quiet",
    "verbose",
    "help",
    "version",
];

/// What turns requests into commands. Making it takes a while.
pub struct Words {
    cli: clap::Command,
    preprocessor: bool,
}

fn wrong(message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("OB0169", message)
}

/// An option that requests may have: its name, and what clap knows of it.
pub fn options(command: &clap::Command) -> impl Iterator<Item = (&str, &Arg)> {
    command.get_arguments().filter_map(|a| Some((a.get_long()?, a))).filter(|(name, a)| !OTHERS.contains(name) && !a.is_hide_set())
}

/// The switches that `mode` stands for.
pub fn modes(command: &clap::Command) -> Vec<&str> {
    ["tangent", "adjoint", "jacobian"]
        .into_iter()
        .filter(|m| options(command).any(|(n, a)| n == *m && !a.get_action().takes_values()))
        .collect()
}

impl Words {
    /// With the preprocessor of C or without.
    pub fn new(preprocessor: bool) -> Words {
        let mut cli = Cli::command();
        cli.build();
        Words { cli, preprocessor }
    }

    /// The command that a request means.
    ///
    /// # Errors
    /// OB0169: there is no such command or option, or the values do not fit.
    pub fn command(&mut self, request: &Request) -> Result<Command, Diagnostic> {
        let name = request.command.as_str();
        let known = COMMANDS.contains(&name).then(|| self.cli.find_subcommand(name)).flatten();
        let Some(command) = known else {
            return Err(
                wrong(format!("there is no command `{}` for requests", cut(name))).help(format!("there are {}", COMMANDS.join(", ")))
            );
        };
        let (switches, language) = words(request, command)?;
        let mut line = vec!["overbar".to_owned(), name.to_owned()];
        line.extend(switches);
        line.push("--".to_owned());
        line.extend(language);
        line.extend(inputs(request)?);
        let matches = self.cli.clone().try_get_matches_from(line).map_err(|e| complaint(&e))?;
        let Cli { command: Some(mut command), .. } = Cli::from_arg_matches(&matches).map_err(|e| complaint(&e))? else {
            return Err(wrong("a request has a command"));
        };
        self.confine(&mut command);
        let certifying = match &command {
            Command::Diff(a) => Some(&a.certifying),
            Command::Boost(a) => Some(&a.certifying),
            _ => None,
        };
        if certifying.is_some_and(|c| c.certificate == Checker::Both) {
            return Err(wrong("requests cannot have `certificate` both")
                .because("no compiler is started for them")
                .help("give none or interpreter"));
        }
        Ok(command)
    }

    /// Nothing that a request says may read files or start programs.
    fn confine(&self, command: &mut Command) {
        let reading = match command {
            Command::Diff(a) => &mut a.reading,
            Command::Frontend(a) => &mut a.reading,
            Command::Plot(a) => &mut a.reading,
            Command::Eval(a) => &mut a.reading,
            Command::Verify(a) => {
                a.run = Run::Interpreter;
                &mut a.reading
            }
            _ => return,
        };
        reading.confined = true;
        reading.no_preprocessor |= !self.preprocessor;
    }
}

/// Options as words, and the language where it is an argument.
fn words(request: &Request, command: &clap::Command) -> Result<(Vec<String>, Option<String>), Diagnostic> {
    let (mut out, mut language) = (Vec::new(), None);
    let modes = modes(command);
    let positional = command.get_positionals().any(|a| a.get_id() == "language");
    for (name, given) in &request.options {
        let Some(values) = given.values() else { continue };
        if name == "mode" && !modes.is_empty() {
            for mode in values.iter().flat_map(|v| v.split(',')).map(str::trim) {
                if !modes.contains(&mode) {
                    return Err(wrong(format!("there is no mode `{}`", cut(mode))).help(format!("there are {}", modes.join(", "))));
                }
                out.push(format!("--{mode}"));
            }
            continue;
        }
        if name == "language" && positional {
            language = values.into_iter().next_back();
            continue;
        }
        if OTHERS.contains(&name.as_str()) {
            return Err(wrong(format!("requests cannot have the option `{}`", cut(name)))
                .because("it is about files and programs of the machine, which requests do not touch")
                .help("leave it out; the answer is the output"));
        }
        let Some((_, arg)) = options(command).find(|(n, _)| n == name) else {
            let mut known: Vec<&str> = options(command).map(|(n, _)| n).collect();
            known.extend((!modes.is_empty()).then_some("mode"));
            return Err(wrong(format!("there is no option `{}` for {}", cut(name), command.get_name()))
                .help(format!("there are {}", known.join(", "))));
        };
        let optional = arg.get_num_args().is_some_and(|n| n.min_values() == 0);
        if !arg.get_action().takes_values() {
            match values.last().map(String::as_str) {
                None | Some("" | "true") => out.push(format!("--{name}")),
                Some("false") => {}
                Some(other) => return Err(wrong(format!("`{name}` is a switch: true or false, not `{}`", cut(other)))),
            }
        } else if values.is_empty() || (optional && values.iter().all(String::is_empty)) {
            out.push(format!("--{name}"));
        } else {
            out.extend(values.iter().map(|v| format!("--{name}={v}")));
        }
    }
    Ok((out, language))
}

/// The names of the input, which must be there.
fn inputs(request: &Request) -> Result<Vec<String>, Diagnostic> {
    for file in &request.files {
        let name = &file.name;
        if name.is_empty() || name.len() > 255 || name == "-" || name.chars().any(char::is_control) {
            return Err(wrong(format!("`{}` is no name for a file", cut(name).escape_default()))
                .help("a name has 1 to 255 bytes, and no control characters"));
        }
        if request.files.iter().filter(|f| f.name == *name).count() > 1 {
            return Err(wrong(format!("two files are named `{}`", cut(name))));
        }
    }
    match &request.inputs {
        Some(list) => match list.iter().find(|n| !request.files.iter().any(|f| f.name == **n)) {
            Some(missing) => Err(wrong(format!("the request has no file `{}`", cut(missing)))),
            None => Ok(list.clone()),
        },
        None => {
            let named: Vec<String> = request.options.values().filter_map(super::protocol::Given::values).flatten().collect();
            Ok(request.files.iter().map(|f| f.name.clone()).filter(|n| !named.contains(n)).collect())
        }
    }
}

/// What clap says, in one line.
fn complaint(e: &clap::Error) -> Diagnostic {
    let text = e.render().to_string();
    let lines: Vec<&str> = text.lines().map(str::trim).take_while(|l| !l.starts_with("Usage")).filter(|l| !l.is_empty()).collect();
    let message = lines.join(" ").trim_start_matches("error: ").to_owned();
    wrong(if message.is_empty() { "the options do not fit the command".to_owned() } else { cut(&message).to_owned() })
        .help("options are named like the long options of the command; /v1/openapi.json lists them")
}

/// No more of a text than a message can hold.
fn cut(text: &str) -> &str {
    text.char_indices().nth(300).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::protocol::{File, Given};

    fn request(command: &str, options: &[(&str, &str)]) -> Request {
        Request {
            command: command.to_owned(),
            options: options.iter().map(|(k, v)| ((*k).to_owned(), Given::One((*v).to_owned()))).collect(),
            files: vec![File::new("f.c", b"x".to_vec())],
            ..Request::default()
        }
    }

    #[test]
    fn requests_become_commands_that_touch_nothing() {
        let mut words = Words::new(false);
        let Ok(Command::Diff(d)) = words.command(&request("diff", &[("mode", "adjoint,tangent"), ("head", "f/(x)"), ("zero-init", "")]))
        else {
            panic!()
        };
        assert!(
            d.derivatives.adjoint && d.derivatives.tangent && d.derivatives.zero_init && d.reading.confined && d.reading.no_preprocessor
        );
        assert_eq!((d.derivatives.head, d.files[0].to_str()), (vec!["f/(x)".to_owned()], Some("f.c")));
        let Ok(Command::Verify(v)) = words.command(&request("verify", &[])) else { panic!() };
        assert_eq!(v.run, Run::Interpreter);
        let Ok(Command::Backend(b)) = words.command(&request("backend", &[("language", "c")])) else { panic!() };
        assert_eq!(b.file.to_str(), Some("f.c"));
    }

    #[test]
    fn what_no_request_may_have_is_refused() {
        let mut words = Words::new(false);
        for (command, name, value) in [
            ("diff", "output", "x"),
            ("diff", "include", "/etc"),
            ("verify", "cc", "sh"),
            ("verify", "run", "compiled"),
            ("diff", "help", ""),
            ("diff", "mode", "both"),
            ("diff", "zero-init", "yes"),
            ("diff", "nonsense", "1"),
            ("diff", "reversal", "sideways"),
            ("diff", "certificate", "both"),
            ("boost", "cc", "sh"),
            ("batch", "jobs", "1"),
            ("serve", "worker", ""),
        ] {
            let d = words.command(&request(command, &[(name, value)])).unwrap_err();
            assert_eq!(d.code, "OB0169", "{command} {name}");
        }
        for name in ["", "-", "a\nb", "\0"] {
            let mut r = request("boost", &[]);
            r.files[0].name = name.to_owned();
            assert!(words.command(&r).is_err(), "{name:?}");
        }
    }
}

//! Diagnostics on standard error: for people with a snippet of the text, for programs as JSON lines.

use super::desk::Desk;
use super::human;
use super::manner::Manner;
use super::snippets::Text;
use crate::arguments::MessageFormat;
use overbar::diagnostics::flood::Flood;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use xaif::{Diagnostic, Program};

/// The command did not succeed; the exit code.
#[derive(Debug)]
pub struct Failed(pub u8);

/// What a command works with: the form of diagnostics, the texts that they point into, and where files and words come from and go to.
pub struct Session {
    manner: Manner,
    texts: BTreeMap<String, Text>,
    /// Files that were read, and folders in which included ones are looked for.
    inputs: Vec<PathBuf>,
    folders: Vec<String>,
    flood: RefCell<Flood>,
    /// `None`: the files and streams of the process.
    desk: Option<RefCell<Desk>>,
    limits: xaif::read::Limits,
}

impl Session {
    /// A session that speaks like that.
    pub fn new(manner: Manner) -> Session {
        Session {
            manner,
            texts: BTreeMap::new(),
            inputs: Vec::new(),
            folders: Vec::new(),
            flood: RefCell::default(),
            desk: None,
            limits: xaif::read::Limits::default(),
        }
    }

    /// A session that touches no file and no stream: all it reads and writes is on that desk. Documents beyond the limits are refused.
    #[cfg(feature = "serve")]
    pub fn at_desk(desk: Desk, limits: xaif::read::Limits) -> Session {
        Session { desk: Some(RefCell::new(desk)), limits, ..Session::new(Manner::default()) }
    }

    /// What documents may cost.
    pub fn limits(&self) -> &xaif::read::Limits {
        &self.limits
    }

    /// The desk, where there is one.
    pub fn desk(&self) -> Option<&RefCell<Desk>> {
        self.desk.as_ref()
    }

    /// What the certificate of derivatives says, in a word: whoever asks at a desk is told.
    pub fn certified(&self, verdict: &str) {
        if let Some(desk) = &self.desk {
            desk.borrow_mut().verdict = Some(verdict.to_owned());
        }
    }

    /// Text for standard error that is no diagnostic.
    pub fn aside(&self, text: &str) {
        match &self.desk {
            Some(desk) => desk.borrow_mut().aside.push_str(text),
            None => aside(text),
        }
    }

    /// Says what is done, where that is wished.
    pub fn tells(&self, what: impl FnOnce() -> String) {
        if self.manner.verbose && self.manner.format == MessageFormat::Human {
            self.aside(&format!("{}\n", what()));
        }
    }

    /// Notes a file that is read.
    pub fn takes_in(&mut self, path: &Path) {
        self.tells(|| format!("reading {}", path.display()));
        self.inputs.push(path.to_owned());
    }

    /// The files that were read.
    pub fn inputs(&self) -> &[PathBuf] {
        &self.inputs
    }

    /// Notes where included files are looked for.
    pub fn includes(&mut self, folders: &[String]) {
        self.folders.extend_from_slice(folders);
    }

    /// Where included files are looked for.
    pub fn included_folders(&self) -> &[String] {
        &self.folders
    }

    /// Whether errors alone are to be heard of.
    pub fn is_quiet(&self) -> bool {
        self.manner.quiet
    }

    /// The form of diagnostics.
    pub fn format(&self) -> MessageFormat {
        self.manner.format
    }

    /// Keeps a text for snippets.
    pub fn remember(&mut self, file: &str, text: &str) {
        self.texts.insert(file.to_owned(), Text::new(xaif::bytes::shown(text).into_owned()));
    }

    /// Keeps the texts that a program carries.
    pub fn remember_sources(&mut self, program: &Program) {
        for source in program.sources.iter().filter(|s| !s.text.is_empty()) {
            self.texts.entry(source.file.clone()).or_insert_with(|| Text::new(xaif::bytes::shown(&source.text).into_owned()));
        }
    }

    /// Prints diagnostics, of each code no more than are worth reading: [`Session::conclude`] says how many there are more.
    pub fn print(&self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        if self.manner.verbose {
            return self.put(diagnostics);
        }
        let quiet = self.manner.quiet;
        let mut flood = self.flood.borrow_mut();
        self.put(diagnostics.into_iter().filter(|d| (!quiet || d.is_error()) && flood.admits(d)).map(Diagnostic::brief));
    }

    /// Says how much was left unsaid.
    pub fn conclude(&self) {
        let left = std::mem::take(&mut *self.flood.borrow_mut());
        if !self.manner.quiet {
            self.put(left.summary());
        }
    }

    fn put(&self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        if let Some(desk) = &self.desk {
            desk.borrow_mut().said.extend(diagnostics);
            return;
        }
        let mut err = std::io::stderr().lock();
        for d in diagnostics {
            // Nothing can be done about a standard error that is closed.
            let _ = match self.manner.format {
                MessageFormat::Json => writeln!(err, "{}", serde_json::to_string(&d).unwrap_or_default()),
                MessageFormat::Human => write!(err, "{}", self.render(&d)),
            };
        }
    }

    /// Prints diagnostics and fails: exit code 2 for errors of usage (options, heads), 1 for all else.
    pub fn fail(&self, diagnostics: impl IntoIterator<Item = Diagnostic>) -> Failed {
        self.print(diagnostics);
        Failed(1)
    }

    /// A diagnostic for people, with a snippet.
    pub fn render(&self, d: &Diagnostic) -> String {
        let text = d.location.as_ref().and_then(|l| self.texts.get(&l.file).filter(|t| t.has_short_lines(l)));
        human::text(d, text, self.manner.color)
    }
}

/// Text for standard error. Nothing can be done where that is closed or full.
pub fn aside(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

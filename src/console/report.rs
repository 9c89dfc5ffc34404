//! Diagnostics on standard error: for people with a snippet of the text, for programs as JSON lines.

use super::desk::Desk;
use super::snippets::Text;
use crate::arguments::MessageFormat;
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic};
use overbar::diagnostics::flood::Flood;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use xaif::{Diagnostic, Program, Severity};

/// The command did not succeed; the exit code.
#[derive(Debug)]
pub struct Failed(pub u8);

/// What a command works with: the form of diagnostics, the texts that they point into, and where files and words come from and go to.
pub struct Session {
    format: MessageFormat,
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
    /// A session that prints in that form.
    pub fn new(format: MessageFormat) -> Session {
        Session {
            format,
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
        Session { desk: Some(RefCell::new(desk)), limits, ..Session::new(MessageFormat::Human) }
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

    /// Notes a file that is read.
    pub fn takes_in(&mut self, path: &Path) {
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

    /// The form of diagnostics.
    pub fn format(&self) -> MessageFormat {
        self.format
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
        let mut flood = self.flood.borrow_mut();
        self.put(diagnostics.into_iter().filter(|d| flood.admits(d)).map(Diagnostic::brief));
    }

    /// Says how much was left unsaid.
    pub fn conclude(&self) {
        let left = std::mem::take(&mut *self.flood.borrow_mut());
        self.put(left.summary());
    }

    fn put(&self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        if let Some(desk) = &self.desk {
            desk.borrow_mut().said.extend(diagnostics);
            return;
        }
        let mut err = std::io::stderr().lock();
        for d in diagnostics {
            // Nothing can be done about a standard error that is closed.
            let _ = match self.format {
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
        let mut shown = MietteDiagnostic::new(d.message.clone()).with_code(d.code).with_severity(match d.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Note => miette::Severity::Advice,
        });
        if let Some(help) = &d.help {
            shown = shown.with_help(help.clone());
        }
        let text = d.location.as_ref().and_then(|l| self.texts.get(&l.file).filter(|t| t.has_short_lines(l)));
        let place = d.location.as_ref().map(|l| format!("{}:{}:{}", l.file, l.line, l.column));
        let mut out = String::new();
        let theme = if self.desk.is_none() && std::io::stderr().is_terminal() {
            GraphicalTheme::unicode()
        } else {
            GraphicalTheme::unicode_nocolor()
        };
        let handler = GraphicalReportHandler::new_themed(theme).with_width(120);
        let mut report = match (&d.location, text) {
            (Some(l), Some(text)) => {
                let label = d.reason.clone().unwrap_or_else(|| "here".to_owned());
                let (excerpt, span) = text.excerpt(l);
                shown = shown.with_label(LabeledSpan::new_with_span(Some(label), span));
                miette::Report::new(shown).with_source_code(excerpt)
            }
            (_, _) => {
                if let Some(reason) = &d.reason {
                    shown.message = format!("{} ({reason})", shown.message);
                }
                miette::Report::new(shown)
            }
        };
        if text.is_none()
            && let Some(place) = place
        {
            report = report.wrap_err(place);
        }
        if handler.render_report(&mut out, report.as_ref()).is_err() {
            return format!("{d}\n");
        }
        out
    }
}

/// Text for standard error. Nothing can be done where that is closed or full.
pub fn aside(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

//! What is asked for, and what comes out.
//!
//! Lives here: data, and how it is put together. Never here: how anything is made.

use super::certification::Certification;
use crate::{Boosted, Options};
use overbar_verify::Report;
use std::fmt;
use xaif::unparsed::{UnparseOptions, UnparsedFile};
use xaif::{Diagnostic, Severity};

/// A source language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C.
    C,
    /// Fortran.
    Fortran,
}

/// A source file.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its name: for messages, and where included files are looked for.
    pub file: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// How source text is read.
#[derive(Clone, Debug)]
pub enum Reading {
    /// As C.
    C(overbar_c::ParseOptions),
    /// As Fortran.
    Fortran(overbar_fortran::ParseOptions),
}

impl Reading {
    /// As the extension of each file says.
    pub fn usual(language: Language) -> Reading {
        match language {
            Language::C => Reading::C(overbar_c::ParseOptions { preprocess: true, ..Default::default() }),
            Language::Fortran => {
                Reading::Fortran(overbar_fortran::ParseOptions { preprocess_by_name: true, form_by_name: true, ..Default::default() })
            }
        }
    }

    /// The language.
    pub fn language(&self) -> Language {
        match self {
            Reading::C(_) => Language::C,
            Reading::Fortran(_) => Language::Fortran,
        }
    }
}

/// What is asked for.
pub struct Request<'a> {
    /// How source text is read.
    pub reading: Reading,
    /// Which derivatives are made of what.
    pub options: Options,
    /// How they are certified before they are written.
    pub certification: Certification<'a>,
    /// What is written.
    pub writing: UnparseOptions,
    /// One file for each that was read.
    pub apart: bool,
}

impl Request<'_> {
    /// Certified derivatives by these options, of source text that is read as usual.
    pub fn new(language: Language, options: Options) -> Request<'static> {
        let certification = Certification { budget: Some(overbar_verify::made::BUDGET), ..Certification::default() };
        Request { reading: Reading::usual(language), options, certification, writing: UnparseOptions::default(), apart: false }
    }

    /// Adjoints for a head, `unit(dependents)/(independents)`.
    ///
    /// # Errors
    /// What is not written as a head.
    pub fn adjoint(language: Language, head: &str) -> Result<Request<'static>, Diagnostics> {
        let heads = super::heads(&[head]).map_err(Diagnostics::of)?;
        Ok(Request::new(language, Options { adjoint: true, heads, ..Options::default() }))
    }

    /// Tangents for a head.
    ///
    /// # Errors
    /// What is not written as a head.
    pub fn tangent(language: Language, head: &str) -> Result<Request<'static>, Diagnostics> {
        let heads = super::heads(&[head]).map_err(Diagnostics::of)?;
        Ok(Request::new(language, Options { tangent: true, heads, ..Options::default() }))
    }
}

/// What comes out.
pub struct Outputs {
    /// The files, each the text that was read with derivatives behind it; one, unless they were to stay apart.
    pub files: Vec<UnparsedFile>,
    /// The header or interface module, where one was asked for.
    pub header: Option<String>,
    /// Warnings and notes.
    pub diagnostics: Vec<Diagnostic>,
    /// The certificate of each head.
    pub reports: Vec<Report>,
    /// The program with its derivatives, and what was decided on the way.
    pub boosted: Boosted,
}

impl Outputs {
    /// The text of the first file.
    pub fn text(&self) -> &str {
        self.files.first().map_or("", |f| f.source.as_str())
    }
}

/// What is refused.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    /// What was found until then, warnings too, in order.
    pub diagnostics: Vec<Diagnostic>,
    /// Texts that the diagnostics point into, as far as they are not the input's own.
    pub texts: Vec<(String, String)>,
}

impl Diagnostics {
    /// These, about the input's own texts.
    pub fn of(diagnostics: Vec<Diagnostic>) -> Diagnostics {
        Diagnostics { diagnostics, texts: Vec::new() }
    }
}

impl From<Vec<Diagnostic>> for Diagnostics {
    fn from(diagnostics: Vec<Diagnostic>) -> Diagnostics {
        Diagnostics::of(diagnostics)
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (k, d) in self.diagnostics.iter().filter(|d| d.severity == Severity::Error).enumerate() {
            let place = d.location.as_ref().map(|l| format!("{}:{}:{}: ", l.file, l.line, l.column)).unwrap_or_default();
            write!(f, "{}{place}{} [{}]", if k > 0 { "\n" } else { "" }, d.message, d.code)?;
            d.reason.iter().chain(&d.help).try_for_each(|more| write!(f, "; {more}"))?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

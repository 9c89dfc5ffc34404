//! From source text to source text with derivatives: read, differentiate, certify, write.
//!
//! [`differentiate`] does all of it; [`read`], [`derive`](derive()) and [`write`] are its steps, which the command line does with what it has to ask and to print between
//! them.
//!
//! Lives here: which front end, booster and back end are called, in which order. Never here: options as words, reading and writing files, printing.

pub mod certification;
pub mod default_heads;
mod request;
pub mod told;

use crate::{Boosted, Options};
pub use certification::Certification;
use overbar_verify::Report;
pub use request::{Diagnostics, Language, Outputs, Reading, Request, Source};
use xaif::model::Head;
use xaif::unparsed::{UnparseOptions, UnparsedFile, UnparsedFiles};
use xaif::{Diagnostic, Program, Severity};

/// What makes derivatives: [`crate::boost`], or [`crate::boost_for_xaif`] where no back end follows.
pub type Booster = fn(Program, &Options) -> Result<Boosted, Vec<Diagnostic>>;

/// A program with its derivatives, and what their certificates say.
pub struct Derived {
    /// The program.
    pub boosted: Boosted,
    /// The program as it was, where derivatives were held against it.
    pub original: Option<Program>,
    /// A report for each head.
    pub reports: Vec<Report>,
}

/// Source files with derivatives. Without a head, neither in the request nor in the text, every unit with real arguments is differentiated that no other such unit
/// calls.
///
/// # Errors
/// What is refused, by whichever step; warnings that were found before stand beside it.
pub fn differentiate(sources: &[Source], request: &Request) -> Result<Outputs, Diagnostics> {
    let mut options = request.options.clone();
    let (program, warnings) =
        read(sources, &request.reading).map_err(|list| Diagnostics::of(told::without_program(&options.heads, list)))?;
    if options.heads.is_empty() && program.heads.is_empty() {
        options.heads = default_heads::default_heads(&program);
    }
    let warnings = match told::Reach::of(&program, &options.heads) {
        Some(reach) => reach.belonging(warnings),
        None => warnings,
    };
    let Derived { mut boosted, reports, .. } = derive(crate::boost, program, warnings, &options, &request.certification)?;
    let language = request.reading.language();
    let (files, header) = if request.apart {
        let UnparsedFiles { files, header } = write_apart(language, &boosted.program, &request.writing)?;
        (files, header)
    } else {
        let written = write(language, &boosted.program, &request.writing)?;
        let file = sources.first().map_or_else(String::new, |s| s.file.to_owned());
        (vec![UnparsedFile { file, source: written.source, origins: written.origins }], written.header)
    };
    let diagnostics = std::mem::take(&mut boosted.diagnostics);
    Ok(Outputs { files, header, diagnostics, reports, boosted })
}

/// Calls the front end of a language. The diagnostics of a success are warnings.
///
/// # Errors
/// What the front end refuses.
pub fn read(sources: &[Source], reading: &Reading) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    match reading {
        Reading::C(options) => c(sources, options),
        Reading::Fortran(options) => {
            let sources: Vec<_> = sources.iter().map(|s| overbar_fortran::parse::SourceText { file: s.file, text: s.text }).collect();
            overbar_fortran::parse(&sources, options)
        }
    }
}

fn c(sources: &[Source], options: &overbar_c::ParseOptions) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let sources: Vec<_> = sources.iter().map(|s| overbar_c::parse::SourceText { file: s.file, text: s.text }).collect();
    match overbar_c::parse(&sources, options) {
        // Text without macros, that includes standard headers only, can do without a preprocessor.
        Err(found)
            if options.preprocessor.is_empty() && options.of_files.is_empty() && found.first().is_some_and(|d| d.code == "OB2001") =>
        {
            let plain = overbar_c::ParseOptions { preprocess: false, ..options.clone() };
            let warned = |(program, mut warnings): (Program, Vec<Diagnostic>)| {
                warnings.extend(found.first().cloned().map(|mut d| {
                    d.severity = Severity::Warning;
                    d.help = None;
                    d.because("the text needs none")
                }));
                (program, warnings)
            };
            overbar_c::parse(&sources, &plain).map(warned).map_err(|_| found)
        }
        result => result,
    }
}

/// Differentiates a program that was read with these warnings, and certifies what comes out.
///
/// # Errors
/// What the booster refuses, and what the certificate does, behind the warnings.
pub fn derive(
    booster: Booster,
    program: Program,
    mut warnings: Vec<Diagnostic>,
    options: &Options,
    certification: &Certification,
) -> Result<Derived, Diagnostics> {
    let texts = texts(&program);
    let original = certification.original(&program);
    let reach = told::Reach::of(&program, &options.heads);
    match booster(program, options) {
        Ok(mut boosted) => {
            warnings.append(&mut boosted.diagnostics);
            boosted.diagnostics = warnings;
            let reports = certification.seal(original.as_ref(), &mut boosted, options)?;
            Ok(Derived { boosted, original, reports })
        }
        Err(found) => {
            let diagnostics = match reach {
                Some(reach) => reach.refused(warnings, found),
                None => found.into_iter().chain(warnings).collect(),
            };
            Err(Diagnostics { diagnostics, texts })
        }
    }
}

/// The texts that a program carries.
pub(crate) fn texts(program: &Program) -> Vec<(String, String)> {
    program.sources.iter().filter(|s| !s.text.is_empty()).map(|s| (s.file.clone(), s.text.clone())).collect()
}

/// Writes source text as one file, and a header where one is asked for.
///
/// # Errors
/// What the back end refuses.
pub fn write(language: Language, program: &Program, options: &UnparseOptions) -> Result<xaif::unparsed::Unparsed, Diagnostics> {
    let written = match language {
        Language::C => overbar_c::unparse(program, options),
        Language::Fortran => overbar_fortran::unparse(program, options),
    };
    written.map_err(|diagnostics| Diagnostics { diagnostics, texts: texts(program) })
}

/// Writes source text as one file for each that was read, and a header where one is asked for.
///
/// # Errors
/// What the back end refuses.
pub fn write_apart(language: Language, program: &Program, options: &UnparseOptions) -> Result<UnparsedFiles, Diagnostics> {
    let written = match language {
        Language::C => overbar_c::unparse_files(program, options),
        Language::Fortran => overbar_fortran::unparse_files(program, options),
    };
    written.map_err(|diagnostics| Diagnostics { diagnostics, texts: texts(program) })
}

/// Heads from their texts.
///
/// # Errors
/// Every one that is not written as a head.
pub fn heads<T: AsRef<str>>(texts: &[T]) -> Result<Vec<Head>, Vec<Diagnostic>> {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for text in texts {
        match crate::heads::parse_head(text.as_ref()) {
            Ok(head) => good.push(head),
            Err(d) => bad.push(d),
        }
    }
    if bad.is_empty() { Ok(good) } else { Err(bad) }
}

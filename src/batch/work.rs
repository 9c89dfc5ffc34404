//! What is done to one item: read, check, differentiate, check again, certify.
//!
//! Lives here: the order of these steps and where an item can end. Never here: other items, journals, threads.

use super::outcome::{Content, Outcome, Stage, Status};
use super::plan::Item;
use crate::arguments::{Compilers, Language, Reading};
use crate::console::files::source_of;
use crate::console::headers;
use crate::pipeline::certificate::{document, hash, worst};
use crate::pipeline::compilation_database::Database;
use crate::pipeline::compilers::{Compiler, LEVELS};
use crate::pipeline::default_heads::default_heads;
use crate::pipeline::{self, Derived, Input, options, told};
use overbar::evaluate::print;
use overbar::verify::standing;
use std::path::{Path, PathBuf};
use xaif::model::Dialect;
use xaif::{Diagnostic, Severity};

/// What all items have in common.
#[derive(Debug)]
pub struct Setting {
    /// A folder with the run-time support, for outputs that are read again.
    pub runtime: PathBuf,
    /// The tool: version, and the hash of its program.
    pub tool: String,
    /// Whether certificates are stored.
    pub verify: bool,
    /// For certificates by compiled code.
    pub compilers: Compilers,
}

/// The texts of an item, as they were when its fingerprint was taken.
#[derive(Debug)]
pub struct Loaded {
    /// Names and contents.
    files: Vec<(String, Vec<u8>)>,
    /// Hash of these, of what they include, of options and tool.
    pub key: String,
}

/// What is to be stored.
#[derive(Debug, Default)]
pub struct Product {
    /// The output.
    pub text: Option<String>,
    /// Its certificate in JSON.
    pub certificate: Option<String>,
}

/// An item ends here.
struct End(Stage, Vec<Diagnostic>);

/// Reads an item's files and takes its fingerprint.
///
/// # Errors
/// OB0101.
pub fn load(item: &Item, setting: &Setting) -> Result<Loaded, Diagnostic> {
    let mut files = Vec::new();
    for path in &item.files {
        let bytes = std::fs::read(path).map_err(|e| Diagnostic::error("OB0101", format!("cannot read {}: {e}", path.display())))?;
        files.push((path.display().to_string(), bytes));
    }
    let mut parts: Vec<Vec<u8>> = vec![
        setting.tool.clone().into(),
        setting.verify.to_string().into(),
        format!("{:?}", setting.compilers).into(),
        item.words.join("\n").into(),
    ];
    for (name, bytes) in &files {
        parts.push(name.clone().into());
        parts.push(hash([bytes]).into());
    }
    let mut reading = reading(item)?;
    // What stands in the way is said when the item is done.
    headers::complete(&mut reading, &item.files, item.choices.language).ok();
    parts.push(reading.assumed.join("\n").into());
    for (_, options) in &reading.of_files {
        parts.push(options.join("\n").into());
    }
    for included in crate::console::included::files(&item.files, &[reading.include, reading.assumed].concat()) {
        parts.push(included.display().to_string().into());
        // What cannot be read now will be missed by whoever includes it.
        parts.push(std::fs::read(&included).map(|b| hash([b])).unwrap_or_default().into());
    }
    Ok(Loaded { files, key: hash(&parts) })
}

/// Does an item. The outcome says `done` where there is a text to be stored.
pub fn work(item: &Item, loaded: Loaded, setting: &Setting) -> (Outcome, Product) {
    let mut outcome =
        Outcome { key: loaded.key.clone(), input_bytes: loaded.files.iter().map(|(_, b)| b.len() as u64).sum(), ..blank(item) };
    let mut said = Vec::new();
    match steps(item, loaded, setting, &mut said, &mut outcome) {
        Ok(product) => {
            outcome.say(&said);
            outcome.status = if product.text.is_some() { Status::Done } else { Status::Nothing };
            outcome.content = product.text.as_ref().map(|t| Content { bytes: t.len() as u64, hash: hash([t]) });
            (outcome, product)
        }
        Err(End(stage, found)) => {
            outcome.say(&said);
            outcome.say(&found);
            (refused(outcome, stage), Product::default())
        }
    }
}

/// The outcome of an item that nothing was done to.
pub fn blank(item: &Item) -> Outcome {
    let inputs = item.files.iter().map(|f| f.display().to_string()).collect();
    Outcome { output: item.output.clone(), inputs, ..Outcome::default() }
}

/// The same, refused at a stage.
pub fn refused(outcome: Outcome, stage: Stage) -> Outcome {
    Outcome { status: Status::Refused, stage: Some(stage), content: None, ..outcome }
}

fn steps(item: &Item, loaded: Loaded, setting: &Setting, said: &mut Vec<Diagnostic>, outcome: &mut Outcome) -> Result<Product, End> {
    let c = &item.choices;
    let open = |found| End(Stage::Open, found);
    let mut options = options::derivatives(&c.derivatives).map_err(open)?;
    let source = c.language.is_some() || item.files.iter().all(|f| pipeline::is_source(f));
    let language = if source {
        Some(pipeline::language_of(item.files.iter().map(PathBuf::as_path), c.language).map_err(|d| open(vec![d]))?)
    } else {
        None
    };
    let mut reading = reading(item).map_err(|d| open(vec![d]))?;
    said.extend(headers::complete(&mut reading, &item.files, language).map_err(|d| End(Stage::Input, vec![d]))?);
    let reading = reading.wanting(options.heads.iter().map(|h| h.unit.as_str()));
    let (texts, bytes) = contents(loaded.files, source).map_err(|d| End(Stage::Input, vec![d]))?;
    let input = match (language, bytes.first()) {
        (Some(language), _) => Input::Source(language, &texts, &reading),
        (None, Some((name, bytes))) => Input::Xaif(name, bytes, xaif::read::Limits::default()),
        (None, None) => return Err(open(Vec::new())),
    };
    // The schema first: it lists everything, the reader stops earlier.
    if let Input::Xaif(name, bytes, _) = input {
        let found = xaif::validate::schema(name, bytes);
        if found.iter().any(Diagnostic::is_error) {
            return Err(End(Stage::Input, found));
        }
    }
    let (program, warnings) = pipeline::read(&input).map_err(|r| End(Stage::Input, r.diagnostics))?;
    let before = warnings.clone();
    // Stock documents always go by their flags.
    let flagged = program.dialect == Dialect::Openad || program.symbols.iter().any(|s| s.active);
    if options.heads.is_empty() && program.heads.is_empty() && !flagged {
        options.heads = default_heads(&program);
        if options.heads.is_empty() {
            said.extend(warnings);
            return Ok(Product::default());
        }
    }
    let warnings = match told::Reach::of(&program, &options.heads) {
        Some(reach) if !c.reading.explain_all => reach.belonging(warnings),
        _ => warnings,
    };
    let compiler = Compiler::of(&program, &item.files, &reading, &setting.compilers, &LEVELS);
    let certification = options::certification(&c.certifying, &compiler);
    let derived = pipeline::boost(overbar::boost, program, warnings, &options, c.dialect, &certification);
    let Derived { boosted: derived, original, reports } = derived.map_err(|r| {
        let refused = r.diagnostics.iter().find(|d| d.is_error()).is_some_and(|d| standing::CODES.contains(&d.code));
        End(if refused { Stage::Certificate } else { Stage::Derive }, r.diagnostics)
    })?;
    outcome.verdict = worst(&reports).map(|v| v.word().to_owned());
    said.extend(derived.diagnostics);
    let text = match language {
        Some(language) => {
            let written = pipeline::unparse(language, &derived.program, &c.writing);
            let (text, _) = written.map_err(|r| End(Stage::Write, r.diagnostics))?;
            let name = texts.first().map_or("", |(n, _)| n.as_str());
            readable_source(language, name, &text, &reading, setting, &before).map_err(|found| End(Stage::Output, found))?;
            text
        }
        None => {
            let text = xaif::write::write(&derived.program);
            let found = xaif::validate::document(&item.output, text.as_bytes(), &xaif::read::Limits::default());
            if found.iter().any(Diagnostic::is_error) {
                return Err(End(Stage::Output, invalid(&item.output, found)));
            }
            text
        }
    };
    drop(derived.program);
    let certificate = original.filter(|_| setting.verify).map(|program| document(&program, &text, hash(&item.words), reports));
    Ok(Product { text: Some(text), certificate: certificate.as_ref().map(print::text) })
}

/// How the files of an item are read, with what a compilation database says of each.
fn reading(item: &Item) -> Result<Reading, Diagnostic> {
    let mut out = item.choices.reading.clone();
    if let Some(path) = &out.compile_commands {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|e| Diagnostic::error("OB0101", format!("cannot read {name}: {e}")))?;
        out.of_files = Database::read(&name, &text)?.of_files(&name, &item.files)?;
    }
    Ok(out)
}

/// Texts of source files, or the bytes of a document.
type Contents = (Vec<(String, String)>, Vec<(String, Vec<u8>)>);

fn contents(files: Vec<(String, Vec<u8>)>, source: bool) -> Result<Contents, Diagnostic> {
    if !source {
        if let [_, (name, _), ..] = &files[..] {
            return Err(Diagnostic::error("OB0105", format!("the extension of {name} does not tell its language"))
                .because("documents in XAIF hold a whole program each")
                .help("give language, or one document for each item"));
        }
        return Ok((Vec::new(), files));
    }
    let texts = files.into_iter().map(|(name, bytes)| source_of(&name, bytes).map(|t| (name, t)));
    Ok((texts.collect::<Result<_, _>>()?, Vec::new()))
}

/// What is wrong with an output, behind what that means.
fn invalid(output: &str, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut out = vec![
        Diagnostic::error("OB0145", format!("what was made for {output} is not valid"))
            .because("an error of this program; nothing was written")
            .help("please report it with the input"),
    ];
    out.extend(found);
    out
}

/// Codes that say that a text is broken, and not merely beyond what the front ends represent.
const BROKEN: [&str; 12] =
    ["OB2002", "OB2004", "OB2006", "OB2042", "OB3001", "OB3002", "OB3006", "OB3010", "OB3013", "OB3032", "OB3036", "OB3046"];

/// Whether a front end reads its language's output again. Units with calls of the run-time support may be left out; broken text may not be there,
/// unless the input had it.
fn readable_source(
    language: Language,
    name: &str,
    text: &str,
    reading: &Reading,
    setting: &Setting,
    before: &[Diagnostic],
) -> Result<(), Vec<Diagnostic>> {
    let mut reading = reading.clone();
    reading.include.push(setting.runtime.to_string_lossy().into_owned());
    let texts = [(name.to_owned(), text.to_owned())];
    let found = match pipeline::read(&Input::Source(language, &texts, &reading)) {
        Ok((_, warnings)) => warnings,
        Err(r) => r.diagnostics,
    };
    let runtime = |d: &Diagnostic| d.location.as_ref().is_some_and(|l| Path::new(&l.file).starts_with(&setting.runtime));
    let known = |d: &Diagnostic| before.iter().any(|b| b.code == d.code && b.message == d.message);
    let broken: Vec<Diagnostic> =
        found.into_iter().filter(|d| BROKEN.contains(&d.code) && d.severity != Severity::Note && !runtime(d) && !known(d)).collect();
    if broken.is_empty() { Ok(()) } else { Err(invalid(name, broken)) }
}

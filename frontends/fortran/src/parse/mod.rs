//! Fortran text to a program.
//!
//! The way of the data, a folder for each part of it:
//!
//! 1. `text`: macros, source form, the tree,
//! 2. `context`: what all of lowering shares,
//! 3. `specification`: declarations to symbols,
//! 4. `facts`: what the text alone tells, `derived_types`: what the definitions of types tell,
//! 5. `expressions`, `complex`, `arrays`, `calls`: values, and what must be a statement of its own,
//! 6. `statements`, `control`: the graph,
//! 7. `units`: program units as wholes, from finding them to leaving out what cannot be represented.
//!
//! A folder imports from those before it. Nothing but `text/preprocess.rs` reads files, and nothing here knows how to differentiate.

mod arrays;
mod calls;
mod complex;
mod context;
mod control;
mod derived_types;
mod expressions;
mod facts;
mod specification;
mod statements;
mod text;
mod units;

use context::state::Lower;
use text::lines::FormError;
use text::tree::File;
use text::{data_position, directives, form, isolate, look, module_order, preprocess, sentinels, tree, trust};
use xaif::directives::Found;
use xaif::model::{IndexOrder, Scope, Source, SourceId};
use xaif::{Diagnostic, Program};

/// How to read.
#[derive(Clone, Debug, Default)]
pub struct ParseOptions {
    /// Options for the preprocessor (`-I`, `-D`), in order; included files are looked for in the folders of `-I`, too.
    pub preprocessor: Vec<String>,
    /// Whether the preprocessor runs; C needs it, Fortran where the extension is upper case.
    pub preprocess: bool,
    /// Fixed source form (Fortran).
    pub fixed_form: bool,
    /// The preprocessor runs for each file whose own extension says so.
    pub preprocess_by_name: bool,
    /// Each file is in fixed form whose own extension says so, unless its text can only be in free form.
    pub form_by_name: bool,
    /// No file may be read: INCLUDE lines are refused.
    pub confined: bool,
    /// Units that are asked for; only of these, and of what they may come to, is said what was left out. None: of all.
    pub wanted: Vec<String>,
    /// Units whose derivatives are asked for: whoever asks hands over the procedures that these get, and their derivatives (see [`xaif::open`]).
    pub heads: Vec<String>,
}

impl ParseOptions {
    /// The same for one file.
    fn for_file(&self, source: &SourceText) -> ParseOptions {
        let kind = std::path::Path::new(source.file).extension().and_then(|e| e.to_str()).unwrap_or_default();
        let fixed = ["f", "for", "f77"].iter().any(|k| k.eq_ignore_ascii_case(kind));
        ParseOptions {
            preprocess: self.preprocess || self.preprocess_by_name && kind.starts_with('F'),
            fixed_form: self.fixed_form || self.form_by_name && fixed && !look::is_free(source.text),
            ..self.clone()
        }
    }
}

/// One source file.
#[derive(Clone, Debug)]
pub struct SourceText<'a> {
    /// The name as the user gave it: for diagnostics, and where `#include` starts to look.
    pub file: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// Texts larger than this are refused.
const MAX_BYTES: usize = 256 << 20;

/// Reads source files into one program. The diagnostics of a success are warnings: among them the units that could not be
/// represented and were left out (calls of them are opaque statements).
///
/// INCLUDE lines are replaced by the files they name. The preprocessor runs where [`ParseOptions::preprocess`] asks for it; the program keeps the
/// text as the user wrote it, directives and INCLUDE lines too.
///
/// Files that use modules of other files go behind these in the program, in whatever order they are given.
///
/// # Errors
/// Text that does not parse, and constructs outside the supported language where they could matter: all that were found.
pub fn parse(sources: &[SourceText], options: &ParseOptions) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut program = Program { index_order: IndexOrder::Column, case_insensitive: true, ..Program::default() };
    program.name = sources.first().map_or("", |s| s.file).into();
    program.add_scope(Scope::default());
    let mut files = Vec::new();
    let mut diagnostics = Vec::new();
    let mut directives = Vec::new();
    for (i, s) in sources.iter().enumerate() {
        let options = options.for_file(s);
        program.sources.push(Source::new(s.file, "fortran", options.fixed_form, s.text));
        match read(s, &options, SourceId(i as u32)) {
            Ok((f, found)) => {
                files.push(f);
                directives.push(found);
            }
            Err(errors) => diagnostics.extend(errors.into_iter().map(|e| e.diagnostic(&program, SourceId(i as u32)))),
        }
    }
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    if let Some(order) = module_order::by_modules(&files) {
        (program.sources, files, directives) =
            (module_order::sorted(program.sources, &order), module_order::sorted(files, &order), module_order::sorted(directives, &order));
        program.name = program.sources.first().map_or("", |s| s.file.as_str()).into();
        for (i, (file, found)) in files.iter_mut().zip(&mut directives).enumerate() {
            file.id = SourceId(i as u32);
            file.said.iter_mut().for_each(|s| s.span.source = file.id);
            found.iter_mut().for_each(|d| d.span.source = file.id);
        }
    }
    let directives: Vec<Found> = directives.into_iter().flatten().collect();
    let mut lower = Lower::new(program, &files);
    lower.scope_info(xaif::model::ScopeId(0));
    for (i, f) in files.iter().enumerate() {
        for n in tree::named(f.tree.root_node()) {
            lower.scan(n, i, None);
        }
    }
    let (mut program, mut warnings, left_out) = lower.finish(&options.wanted, &options.heads)?;
    warnings.extend(files.iter().flat_map(|f| &f.said).map(|s| sentinels::diagnostic(&program, s)));
    match xaif::directives::apply(&mut program, &directives, &left_out) {
        Ok(mut said) => warnings.append(&mut said),
        Err(mut problems) => {
            // Why a unit that a directive asks for was left out.
            problems.append(&mut warnings);
            return Err(problems);
        }
    }
    Ok((program, warnings))
}

/// One file: form, tree, checks.
fn read(source: &SourceText, options: &ParseOptions, id: SourceId) -> Result<(File, Vec<Found>), Vec<FormError>> {
    let whole = |code, message: &str| vec![FormError { code, line: 1, column: 1, message: message.into(), help: "" }];
    if source.text.len() > MAX_BYTES {
        return Err(whole("OB3005", "the text is too large"));
    }
    let fixed = options.fixed_form;
    let rows = preprocess::rows(source.file, source.text, options.preprocess, fixed, &options.preprocessor, options.confined)?;
    let directives = directives::find(&rows, fixed, id);
    let said = sentinels::find(&rows, fixed, id);
    let form::Formed { spliced, errors, regions } = form::splice(&rows, fixed);
    let spliced = data_position::beside_declarations(spliced);
    let mut parser = tree_sitter::Parser::new();
    if parser.set_language(&tree_sitter_fortran::LANGUAGE.into()).is_err() {
        return Err(whole("OB3001", "the parser's version does not fit its grammar"));
    }
    let gave_up = || whole("OB3001", "the parser gave up");
    let whole_text = isolate::parsed(&mut parser, spliced, id).ok_or_else(gave_up)?;
    let found = trust::check(&whole_text);
    let understood = errors.is_empty() && regions.is_empty() && found.is_empty();
    let mut file = if understood {
        whole_text
    } else {
        let (rest, lost) = isolate::isolate(&mut parser, whole_text.spliced, errors, &regions)?;
        let file = File { lost, ..isolate::parsed(&mut parser, rest, id).ok_or_else(gave_up)? };
        // What cannot be taken out is wrong with the whole text.
        let left = trust::check(&file);
        if !left.is_empty() {
            return Err(if found.is_empty() { left } else { found });
        }
        file
    };
    file.original = source.text.split('\n').map(|l| l.strip_suffix('\r').unwrap_or(l).to_string()).collect();
    file.said = said;
    Ok((file, directives))
}

#[cfg(test)]
mod tests;

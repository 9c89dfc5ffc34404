//! One file: preprocessed, parsed, looked through; and what the functions of all files do to each
//! other.
//!
//! Lives here: the order of these steps. Never here: any of them.

use crate::parse::facts::allocation_wrappers::AllocationWrappers;
use crate::parse::facts::file_names::FileNames;
use crate::parse::facts::function::Facts;
use crate::parse::facts::returned_pointers::returned_pointers;
use crate::parse::facts::scratch_variables::scratch_variables;
use crate::parse::facts::side_effects::{Described, Effects};
use crate::parse::facts::walk::scan;
use crate::parse::language::{library, math};
use crate::parse::sources::calls_written_out;
use crate::parse::text::comments::Remark;
use crate::parse::text::input::{ParseOptions, SourceText};
use crate::parse::text::source_map::SourceMap;
use crate::parse::text::syntax::{declared_name, declares_array, function_part, is_static};
use crate::parse::text::unread::Unread;
use crate::parse::text::{
    builtin_preprocessor, comments, nesting_limits, old_style, pragmas, preprocess, refusals, standard_headers, syntax_errors, tokens,
    unread,
};
use lang_c::ast::{ExternalDeclaration, TranslationUnit};
use lang_c::driver::Parse;
use lang_c::span::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use std::rc::Rc;
use xaif::diagnostic::Location;
use xaif::directives::Found;
use xaif::model::{Source, SourceId};
use xaif::{Diagnostic, Program};

/// How deep calls that are written out may lie in one another.
const CALLS_WITHIN: usize = 8;

/// A file that was parsed.
pub(crate) struct Parsed {
    pub tree: TranslationUnit,
    pub map: SourceMap,
    pub text: String,
    /// The preprocessed text and its map, where the parser got another one.
    pub as_preprocessed: Option<(String, SourceMap)>,
    pub remarks: Vec<Remark>,
    pub directives: Vec<Found>,
    /// By the byte at which the function starts.
    pub facts: FxHashMap<usize, Rc<Facts>>,
    /// Names and files of functions in `facts`, in order.
    pub functions: Vec<(usize, SmolStr, bool, Vec<bool>)>,
    pub system_functions: FxHashSet<SmolStr>,
    /// What could not be read, and is not in the tree.
    pub unread: Unread,
}

impl Parsed {
    /// What a compiler gets of this file.
    pub fn compiled(&self) -> (&str, &SourceMap) {
        self.as_preprocessed.as_ref().map_or((&self.text, &self.map), |(text, map)| (text, map))
    }
}

/// Preprocesses and parses one file.
pub(crate) fn parse_one(
    program: &mut Program,
    source: SourceId,
    s: &SourceText,
    options: &ParseOptions,
    words: &mut FxHashSet<SmolStr>,
) -> Result<Parsed, Vec<Diagnostic>> {
    let raw_scan = tokens::scan(s.text);
    let limit = |map: &SourceMap, d: nesting_limits::TooDeep, program: &Program| {
        vec![
            Diagnostic::error(refusals::LIMITS, d.what)
                .at(program.location(map.span(d.offset, d.offset + 1)))
                .help("split the expression or the function"),
        ]
    };
    let identity = SourceMap::identity(source, s.text, &raw_scan, 0);
    nesting_limits::check(s.text, &raw_scan, nesting_limits::limits()).map_err(|d| limit(&identity, d, program))?;
    words.extend(identity.words(&raw_scan));
    let mut preprocessed = None;
    let preprocessor = options.of(s.file);
    let processed = if options.preprocess {
        Some(preprocess::run(s.file, s.text, &preprocessor)?)
    } else if builtin_preprocessor::is_needed(s.text, &raw_scan, &preprocessor) {
        Some(builtin_preprocessor::run(s.file, s.text, &raw_scan, &preprocessor)?)
    } else {
        None
    };
    let (text, mut map) = if let Some(text) = processed {
        preprocessed = Some(text.clone());
        let scanned = tokens::scan(&text);
        let map = SourceMap::preprocessed(source, s.text, &raw_scan, s.file, &text, &scanned);
        nesting_limits::check(&text, &scanned, nesting_limits::limits()).map_err(|d| limit(&map, d, program))?;
        words.extend(scanned.tokens.iter().filter(|t| !map.is_system(t.start)).map(|t| SmolStr::from(&text[t.start..t.end])));
        (text, map)
    } else {
        let prepared = standard_headers::replace(s.file, s.text, &raw_scan)?;
        let map = SourceMap::identity(source, s.text, &raw_scan, prepared.shift);
        (prepared.text, map)
    };
    for (k, file) in map.files.clone().into_iter().enumerate() {
        // The user's own headers get names for diagnostics; their texts are not carried.
        let id = match program.sources.iter().position(|x| x.file == file) {
            Some(p) => SourceId(p as u32),
            None if file.starts_with('<') => continue,
            None => {
                program.sources.push(Source::new(file, "c", false, ""));
                SourceId(program.sources.len() as u32 - 1)
            }
        };
        map.name_source(k as u32, id);
    }
    let named = |file: &str| program.sources.iter().position(|x| x.file == file).map(|p| SourceId(p as u32));
    let directives = pragmas::find(source, s.file, s.text, preprocessed.as_deref(), &named);
    let (mut parsed, unread) = unread::parse(text, &map).map_err(|f| vec![unreadable(program, &map, f)])?;
    let written_out = calls_within(&mut parsed, &mut map);
    let mut tree = parsed.unit;
    old_style::with_prototypes(&mut tree);
    Ok(Parsed {
        as_preprocessed: preprocessed.filter(|text| *text != parsed.source).map(|text| (text, written_out.unwrap_or_else(|| map.clone()))),
        map,
        text: parsed.source,
        remarks: comments::find(s.text).into_iter().filter(|r| r.pragma || pragmas::spoken(&r.text).is_none()).collect(),
        directives,
        facts: FxHashMap::default(),
        functions: Vec::new(),
        system_functions: FxHashSet::default(),
        unread,
        tree,
    })
}

/// Writes out the calls of functions that make structures. The map that the text had before, where there are any.
fn calls_within(parsed: &mut Parse, map: &mut SourceMap) -> Option<SourceMap> {
    let mut before = None;
    // What is written out may call such functions itself.
    for _ in 0..CALLS_WITHIN {
        let splices = calls_written_out::splices(&parsed.source, &parsed.unit, &|at| map.is_system(at));
        if splices.is_empty() {
            break;
        }
        let mut further = map.clone();
        let text = further.spliced(&parsed.source, &splices);
        let Ok(again) = lang_c::driver::parse_preprocessed(&unread::config(), text) else { break };
        before.get_or_insert_with(|| std::mem::replace(map, further.clone()));
        *map = further;
        *parsed = again;
    }
    before
}

/// What is said of a text that is not read.
fn unreadable(program: &Program, map: &SourceMap, f: unread::Failure) -> Diagnostic {
    let (message, at) = syntax_errors::described(&f.error);
    let place = program.location(map.span(at, at + 1));
    let stopped = program.location(map.span(f.error.offset, f.error.offset + 1));
    let own = |place| Diagnostic::error(refusals::SYNTAX, message).at(place).help("the text must be C11 that a compiler accepts");
    f.said.and_then(|said| elsewhere(said, &[place.as_ref(), stopped.as_ref()])).unwrap_or_else(|| own(place))
}

/// What a compiler says against a text, where that is about another line than the one at which the parser stops.
fn elsewhere(said: Diagnostic, places: &[Option<&Location>]) -> Option<Diagnostic> {
    let at = said.location.clone().filter(|l| !l.file.starts_with('<') && l.file != "-")?;
    if places.iter().flatten().any(|p| p.line == at.line && p.file == at.file) {
        return None;
    }
    let d = Diagnostic::error(refusals::SYNTAX, format!("a compiler does not take this text: {}", said.message));
    Some(d.at(Some(at)).help("the text must be C11 that a compiler accepts"))
}

/// Takes note of what is at file scope, and finds the facts of the functions. `shared`: those of all files that give memory, and that take it back.
pub(crate) fn look_through(out: &mut Parsed, shared: &(FxHashSet<SmolStr>, FxHashSet<SmolStr>)) {
    let tree = &out.tree;
    let mut names = FileNames::default();
    names.note_wrappers(&AllocationWrappers::of(tree), shared, &own_functions(tree));
    names.note_returned_pointers(&returned_pointers(tree));
    for item in &tree.0 {
        match &item.node {
            ExternalDeclaration::Declaration(d) => {
                names.note(&d.node);
                if out.map.is_system(d.span.start) {
                    for i in &d.node.declarators {
                        out.system_functions.extend(declared_name(&i.node.declarator.node).map(|(n, _)| SmolStr::from(n)));
                    }
                }
            }
            ExternalDeclaration::FunctionDefinition(f) if !out.map.is_system(f.span.start) => {
                let Some((name, _)) = declared_name(&f.node.declarator.node) else { continue };
                let facts = scan(&f.node, &names);
                let is_static = is_static(&f.node);
                let arrays = function_part(&f.node.declarator.node).map_or(Vec::new(), |p| {
                    p.parameters.iter().map(|p| p.node.declarator.as_ref().is_some_and(|d| declares_array(&d.node))).collect()
                });
                out.functions.push((f.span.start, name.into(), is_static, arrays));
                out.facts.insert(f.span.start, Rc::new(facts));
            }
            _ => {}
        }
    }
}

/// The functions that a file defines.
fn own_functions(tree: &TranslationUnit) -> FxHashSet<SmolStr> {
    let name = |item: &Node<ExternalDeclaration>| match &item.node {
        ExternalDeclaration::FunctionDefinition(f) => declared_name(&f.node.declarator.node).map(|(n, _)| SmolStr::from(n)),
        _ => None,
    };
    tree.0.iter().filter_map(name).collect()
}

/// What functions do to each other's arguments and to globals. `private`: what each file keeps to itself.
pub(crate) fn solve(files: &[Parsed], private: Vec<FxHashSet<SmolStr>>) -> Effects {
    let mut functions = Vec::new();
    let mut system: FxHashSet<&SmolStr> = FxHashSet::default();
    for (k, f) in files.iter().enumerate() {
        system.extend(&f.system_functions);
        for (offset, name, is_static, arrays) in &f.functions {
            let Some(facts) = f.facts.get(offset) else { continue };
            let key = (name.clone(), is_static.then_some(k));
            functions.push(Described { key, file: k, facts, declared_arrays: arrays.clone() });
        }
    }
    let scratch = files.iter().map(|f| scratch_variables(&f.tree)).collect();
    Effects::new(&functions, private, &|name| math::is_known(name) || library::is_output(name) || system.contains(&SmolStr::from(name)))
        .with_scratch(scratch)
}

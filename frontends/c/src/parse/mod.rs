//! C text to a program.
//!
//! The text is preprocessed ([`preprocess`]; or, without a preprocessor, by [`builtin`] and [`headers`]), parsed by lang-c, looked through once
//! ([`facts`], [`effects`]) and translated function by function ([`file`], [`units`]). Places in the preprocessed text are mapped back to the
//! original by [`source_map`]; [`comments`] of the original are attached again.
//!
//! # What the program says
//!
//! * Pointers are not values: each access is a variable with subscripts. A pointer into one array becomes that array and an offset; one that
//!   walks keeps its offset in an integer variable ([`pointers`], [`aliases`]). What malloc gives is an array with the attribute `heap`.
//! * A structure is a variable of no type that the model knows, and a variable for each member that some function needs (`s%x`): arguments behind that of the structure
//!   where it is one ([`structures`], [`components`]).
//! * A function with a construct that is not translated is left out, with a note for each construct. Its symbol stays: an external
//!   subroutine with the attribute `refused`, whose [`Decl::comment`](xaif::model::Decl::comment) holds the reasons, one diagnostic a line.
//!   A call of it is a call of an external subroutine. If no function at all can be translated the reasons are errors.
//! * The symbol of a function without a unit has one attribute for each parameter, in order: `arg:value` or `arg:reference`, and `restrict:N` for each
//!   whose prototype promises that nothing else is in it; its type is that of the result, and a call passes the result's variable last where that type is not void.
//!   One that nothing declares has the attribute `undeclared` as well: its type is C's guess. One that no system header declares may keep the addresses that it gets
//!   (`keeps`); of the others, those whose results come from nothing that earlier calls got are marked `forgets`.
//! * A parameter of a type that only text can tell (a pointer to a structure or function) has its declaration as its type's text, with an `@` where its name stands
//!   unless that comes last: `double (*@)(double)`.
//! * A `for` over an integer with a fixed step is a `ForLoop`. Operand 1 of its condition is the loop variable, operand 2 the bound; the relation
//!   is the source's own (`i < n` stays so).
//! * Conversions that change a value are operations with a type (`real_scal`, `int_scal`); those that an assignment or a call makes by itself
//!   from integer to real, or between reals, are not written.
//! * Functions that a user's header defines are units whose span is the `#include` line.
//!
//! Lives here: the order of the steps. Never here: any construct.

mod aliases;
mod allocation;
mod builtin;
mod calls;
mod choices;
mod clashes;
mod comments;
mod components;
mod constants;
mod control;
mod declarations;
mod effects;
mod emit;
mod expressions;
mod facts;
mod file;
mod fills;
mod handed_structures;
mod headers;
mod helpers;
mod initial;
mod joined;
mod lengths;
mod library;
mod limits;
mod locals;
mod loops;
mod lower;
mod math;
mod member_targets;
mod nulls;
mod old_style;
mod order;
mod pointers;
mod pragmas;
mod preprocess;
mod records;
mod refusal;
mod roving;
mod rows;
mod sides;
mod source_map;
mod statements;
mod structure_arguments;
mod structures;
mod swaps;
mod switch;
pub(crate) mod tokens;
mod types;
mod units;
mod values;

#[cfg(test)]
mod tests;

use comments::Remark;
use effects::{Described, Effects};
use facts::{Facts, FileNames, Kind};
use lang_c::ast::{ExternalDeclaration, TranslationUnit};
use lang_c::driver::{Config, Flavor};
use lower::Lower;
use refusal::Refusal;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use source_map::SourceMap;
use std::rc::Rc;
use xaif::directives::Found;
use xaif::model::{CallEdge, Dialect, IndexOrder, Scope, Source, SourceId, Span, StmtKind, SymbolId, VertexKind};
use xaif::{Diagnostic, Program, Severity};

/// How to read.
#[derive(Clone, Debug, Default)]
pub struct ParseOptions {
    /// Options for the preprocessor (`-I`, `-D`), in order.
    pub preprocessor: Vec<String>,
    /// Whether the preprocessor runs; C needs it, Fortran where the extension is upper case.
    pub preprocess: bool,
    /// Fixed source form (Fortran).
    pub fixed_form: bool,
}

/// One source file.
#[derive(Clone, Debug)]
pub struct SourceText<'a> {
    /// The name as the user gave it: for diagnostics, and where `#include` starts to look.
    pub file: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// Reads source files into one program. The diagnostics of a success are warnings, and notes on functions that were left out.
///
/// # Errors
/// Text that does not parse, and constructs outside the supported language where no function is left: all that were found.
pub fn parse(sources: &[SourceText], options: &ParseOptions) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    // The parser and the walks over its tree recurse as deep as the limits allow: on a stack that is large enough for that.
    xaif::stack::on("c-front-end", limits::STACK, limits::LEAST_STACK, || parse_all(sources, options))
        .unwrap_or_else(|e| Err(vec![Diagnostic::error("OB2005", format!("no thread to parse in: {e}"))]))
}

/// A file that was parsed.
struct Parsed {
    tree: TranslationUnit,
    map: SourceMap,
    text: String,
    remarks: Vec<Remark>,
    directives: Vec<Found>,
    /// By the byte at which the function starts.
    facts: FxHashMap<usize, Rc<Facts>>,
    /// Names and files of functions in `facts`, in order.
    functions: Vec<(usize, SmolStr, bool, Vec<bool>)>,
    system_functions: FxHashSet<SmolStr>,
}

fn parse_all(sources: &[SourceText], options: &ParseOptions) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut program = Program {
        name: sources.first().map(|s| SmolStr::from(s.file)).unwrap_or_default(),
        prefix: SmolStr::new_static("ob_"),
        dialect: Dialect::Overbar,
        index_order: IndexOrder::Row,
        ..Program::default()
    };
    for s in sources {
        let (file, text) = (s.file.to_owned(), s.text.to_owned());
        program.sources.push(Source::new(file, "c", false, text));
    }
    program.add_scope(Scope::default());
    let mut problems = Vec::new();
    let mut files = Vec::new();
    let mut words: FxHashSet<SmolStr> = FxHashSet::default();
    for (k, s) in sources.iter().enumerate() {
        match parse_one(&mut program, SourceId(k as u32), s, options, &mut words) {
            Ok(f) => files.push(f),
            Err(mut d) => problems.append(&mut d),
        }
    }
    old_style::declare(&mut files.iter_mut().map(|f| &mut f.tree).collect::<Vec<_>>());
    problems.extend(clashes::given_twice(sources));
    if !problems.is_empty() {
        return Err(problems);
    }
    joined::settle(&mut program, sources, &files, options);
    let effects = solve(&files);
    let mut escaping: FxHashSet<SmolStr> = FxHashSet::default();
    for facts in files.iter().flat_map(|f| f.facts.values()) {
        for e in facts.all().iter().filter(|e| matches!(e.kind, Kind::Address | Kind::Handed)) {
            escaping.extend(Some(&facts.vars[e.var]).filter(|v| v.global).map(|v| v.name.clone()));
        }
    }
    let (mut linked, mut hidden_calls, mut targets) = (FxHashMap::default(), Vec::new(), FxHashMap::default());
    let (mut warnings, mut left_out, mut gone) = (Vec::new(), Vec::new(), Vec::new());
    let directives: Vec<Found> = files.iter().flat_map(|f| f.directives.iter().cloned()).collect();
    for (k, f) in files.iter().enumerate() {
        let mut lower = Lower {
            program: &mut program,
            file: k,
            map: &f.map,
            text: &f.text,
            remarks: &f.remarks,
            builtin_macros: !options.preprocess,
            helpers: helpers::Helpers::of(&f.tree),
            effects: &effects,
            blocks: Vec::new(),
            words: &words,
            linked: &mut linked,
            hidden_calls: &mut hidden_calls,
            escaping: &escaping,
            body: None,
            notes: Vec::new(),
            records: FxHashMap::default(),
            record_names: FxHashMap::default(),
            structures: FxHashMap::default(),
            targets: &mut targets,
            members: FxHashMap::default(),
            file_ids: std::cell::RefCell::default(),
        };
        let result = lower.file(&f.tree, &f.facts);
        let notes = std::mem::take(&mut lower.notes);
        warnings.extend(notes.iter().map(|r| lower.diagnostic(r)));
        for left in &result.left_out {
            // What a directive is attached to is not there either.
            gone.push(left.span);
            for r in &left.refusals {
                let mut d = lower.diagnostic(r);
                d.message = format!("function `{}` is left out: {}", left.name, d.message);
                d.help.get_or_insert_with(|| "rewrite the construct, or keep the function away from what is differentiated".to_owned());
                left_out.push(d);
            }
        }
    }
    for (span, d) in components::complete(&mut program, &targets) {
        gone.push(span);
        left_out.push(d);
    }
    if program.units.is_empty() && !(warnings.is_empty() && left_out.is_empty()) {
        warnings.append(&mut left_out);
        return Err(warnings);
    }
    match xaif::directives::apply(&mut program, &directives, &gone) {
        Ok(mut said) => warnings.append(&mut said),
        Err(mut problems) => {
            // A head that names what is not there: why it is not there.
            left_out.iter_mut().for_each(|d| d.severity = Severity::Note);
            problems.append(&mut left_out);
            return Err(problems);
        }
    }
    for d in &mut warnings {
        d.severity = Severity::Warning;
    }
    // Whether a function that is left out matters is for those to say who know what is to be differentiated.
    for d in &mut left_out {
        d.severity = Severity::Note;
    }
    warnings.append(&mut left_out);
    add_call_edges(&mut program, &hidden_calls);
    Ok((program, warnings))
}

/// Preprocesses and parses one file and looks through its functions.
fn parse_one(
    program: &mut Program,
    source: SourceId,
    s: &SourceText,
    options: &ParseOptions,
    words: &mut FxHashSet<SmolStr>,
) -> Result<Parsed, Vec<Diagnostic>> {
    let raw_scan = tokens::scan(s.text);
    let limit = |map: &SourceMap, d: limits::TooDeep, program: &Program| {
        vec![
            Diagnostic::error(refusal::LIMITS, d.what)
                .at(program.location(map.span(d.offset, d.offset + 1)))
                .help("split the expression or the function"),
        ]
    };
    let identity = SourceMap::identity(source, s.text, &raw_scan, 0);
    limits::check(s.text, &raw_scan, limits::limits()).map_err(|d| limit(&identity, d, program))?;
    words.extend(identity.words(&raw_scan));
    let mut preprocessed = None;
    let processed = if options.preprocess {
        Some(preprocess::run(s.file, s.text, &options.preprocessor)?)
    } else if builtin::is_needed(s.text, &raw_scan, &options.preprocessor) {
        Some(builtin::run(s.file, s.text, &raw_scan, &options.preprocessor)?)
    } else {
        None
    };
    let (text, mut map) = if let Some(text) = processed {
        preprocessed = Some(text.clone());
        let scanned = tokens::scan(&text);
        let map = SourceMap::preprocessed(source, s.text, &raw_scan, s.file, &text, &scanned);
        limits::check(&text, &scanned, limits::limits()).map_err(|d| limit(&map, d, program))?;
        words.extend(scanned.tokens.iter().filter(|t| !map.is_system(t.start)).map(|t| SmolStr::from(&text[t.start..t.end])));
        (text, map)
    } else {
        let prepared = headers::replace(s.file, s.text, &raw_scan)?;
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
    let config = Config { cpp_command: String::new(), cpp_options: Vec::new(), flavor: Flavor::GnuC11 };
    let parsed = lang_c::driver::parse_preprocessed(&config, text).map_err(|e| {
        let mut expected: Vec<&str> = e.expected.iter().copied().collect();
        expected.sort_unstable();
        let found: String =
            e.source[e.offset.min(e.source.len())..].split_whitespace().next().unwrap_or("end of file").chars().take(40).collect();
        let mut d = Diagnostic::error(refusal::SYNTAX, format!("syntax error at `{found}`"))
            .at(program.location(map.span(e.offset, e.offset + 1)))
            .help("the text must be C11 that a compiler accepts");
        if expected.len() <= 8 {
            d = d.because(format!("expected {}", expected.join(", ")));
        }
        vec![d]
    })?;
    let mut tree = parsed.unit;
    old_style::with_prototypes(&mut tree);
    let mut names = FileNames::default();
    names.note_helpers(&helpers::Helpers::of(&tree));
    let mut out = Parsed {
        map,
        text: parsed.source,
        remarks: comments::find(s.text).into_iter().filter(|r| r.pragma || pragmas::spoken(&r.text).is_none()).collect(),
        directives,
        facts: FxHashMap::default(),
        functions: Vec::new(),
        system_functions: FxHashSet::default(),
        tree: TranslationUnit(Vec::new()),
    };
    for item in &tree.0 {
        match &item.node {
            ExternalDeclaration::Declaration(d) => {
                names.note(&d.node);
                if out.map.is_system(d.span.start) {
                    for i in &d.node.declarators {
                        out.system_functions.extend(facts::declared_name(&i.node.declarator.node).map(|(n, _)| SmolStr::from(n)));
                    }
                }
            }
            ExternalDeclaration::FunctionDefinition(f) if !out.map.is_system(f.span.start) => {
                let Some((name, _)) = facts::declared_name(&f.node.declarator.node) else { continue };
                let facts = facts::scan(&f.node, &names);
                let is_static = facts::is_static(&f.node);
                let arrays = facts::function_part(&f.node.declarator.node).map_or(Vec::new(), |p| {
                    p.parameters.iter().map(|p| p.node.declarator.as_ref().is_some_and(|d| facts::declares_array(&d.node))).collect()
                });
                out.functions.push((f.span.start, name.into(), is_static, arrays));
                out.facts.insert(f.span.start, Rc::new(facts));
            }
            _ => {}
        }
    }
    out.tree = tree;
    Ok(out)
}

/// What functions do to each other's arguments and to globals.
fn solve(files: &[Parsed]) -> Effects {
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
    Effects::new(&functions, &|name| math::is_known(name) || library::is_output(name) || system.contains(&SmolStr::from(name)))
}

fn add_call_edges(program: &mut Program, hidden: &[(SymbolId, SymbolId)]) {
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for (k, unit) in program.units.iter().enumerate() {
        for v in unit.graph.node_weights() {
            let VertexKind::Block { stmts, .. } = &v.kind else { continue };
            for s in stmts {
                if let StmtKind::Call(c) = &s.kind
                    && let Some(callee) = program.unit_of_symbol(c.callee)
                    && !edges.contains(&(k as u32, callee.0))
                {
                    edges.push((k as u32, callee.0));
                }
            }
        }
        for callee in hidden.iter().filter(|(caller, _)| *caller == unit.symbol).filter_map(|(_, c)| program.unit_of_symbol(*c)) {
            if !edges.contains(&(k as u32, callee.0)) {
                edges.push((k as u32, callee.0));
            }
        }
    }
    for (caller, callee) in edges {
        let (caller, callee) = (xaif::model::UnitId(caller), xaif::model::UnitId(callee));
        program.calls.push(CallEdge { id: SmolStr::default(), caller, callee, extras: Default::default() });
    }
}

impl Lower<'_> {
    /// A refusal as an error with its place.
    pub(crate) fn diagnostic(&self, r: &Refusal) -> Diagnostic {
        let span = if r.span.is_none() { Span::NONE } else { self.map.span(r.span.start, r.span.end) };
        Diagnostic {
            reason: r.reason.clone(),
            help: r.help.clone(),
            ..Diagnostic::error(r.code, r.message.clone()).at(self.program.location(span))
        }
    }
}

//! C text to a program.
//!
//! The way of the data, a folder for each part of it:
//!
//! 1. `language`: what C defines; `text`: macros, tokens, the tree,
//! 2. `facts`: what the tree alone tells; `sources`: files, read and looked through,
//! 3. `context`: what all of lowering shares,
//! 4. `types`: declarations to types; `memory`, `structures`: which variable an access means,
//! 5. `expressions`, `calls`: values, and what must be a statement of its own,
//! 6. `statements`, `control`: the graph,
//! 7. `units`: functions and files as wholes, from their parameters to what the end of translation
//!    tells.
//!
//! A folder imports from those before it. Nothing but `text/preprocess.rs` touches the world
//! outside, and nothing here knows how to differentiate.
//!
//! # What the program says
//!
//! * Pointers are not values: each access is a variable with subscripts. A pointer into one array becomes that array and an offset; one that
//!   walks keeps its offset in an integer variable (`memory`). What malloc gives is an array with the attribute `heap`.
//! * `double **a` is an array of two dimensions with the attribute `rows` ([`xaif::rows`]): nothing sets the pointers, and accesses stay in their row.
//! * A pointer to a function is an integer that stands for it ([`xaif::callbacks`]); calls through it are calls of the functions that it may mean.
//! * A structure is a variable of no type that the model knows, and a variable for each member that some function needs (`s%x`): arguments behind that of the structure
//!   where it is one (`structures`, `units/member_arguments.rs`).
//! * A function with a construct that is not translated is left out, with a note for each construct. Its symbol stays: an external
//!   subroutine with the attribute `refused`, whose [`Decl::comment`](xaif::model::Decl::comment) holds the reasons, one diagnostic a line.
//!   A call of it is a call of an external subroutine. If no function at all can be translated the reasons are errors.
//! * The symbol of a function without a unit has one attribute for each parameter, in order: `arg:value`, `arg:reference`, or `arg:const` for a pointer to const, and `restrict:N` for each
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

mod calls;
mod context;
mod control;
mod expressions;
mod facts;
mod language;
mod memory;
mod sources;
mod statements;
mod structures;
pub(crate) mod text;
mod types;
mod units;

#[cfg(test)]
mod tests;

use context::state::Lower;
use facts::allocation_wrappers::AllocationWrappers;
use facts::function::Kind;
use facts::function_targets::FunctionTargets;
use facts::indirect_calls;
use facts::returned_pointers::returned_pointers;
use facts::side_effects::Effects;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use sources::reading::{Parsed, look_through, parse_one, solve};
use sources::{clashes, joined};
pub use text::input::{ParseOptions, SourceText};
pub use text::preprocess::MissingHeader;
use text::{aligned_memory, nesting_limits, old_style, pointer_lives, returned_arguments, shifted_memory};
use units::{call_edges, member_arguments};
use xaif::directives::Found;
use xaif::model::{Dialect, IndexOrder, Scope, Source, SourceId};
use xaif::{Diagnostic, Program, Severity};

/// Reads source files into one program. The diagnostics of a success are warnings, and notes on functions that were left out.
///
/// # Errors
/// Text that does not parse, and constructs outside the supported language where no function is left: all that were found.
pub fn parse(sources: &[SourceText], options: &ParseOptions) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    // The parser and the walks over its tree recurse as deep as the limits allow: on a stack that is large enough for that.
    xaif::stack::on("c-front-end", nesting_limits::STACK, nesting_limits::LEAST_STACK, || parse_all(sources, options))
        .unwrap_or_else(|e| Err(vec![Diagnostic::error("OB2005", format!("no thread to parse in: {e}"))]))
}

/// The header that the preprocessor misses in a file: nothing where it needs no other, or no preprocessor is asked for.
pub fn missing_header(source: &SourceText, options: &ParseOptions) -> Option<MissingHeader> {
    options.preprocess.then(|| text::preprocess::missing_header(source.file, source.text, &options.of(source.file)))?
}

fn parse_all(sources: &[SourceText], options: &ParseOptions) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut program = without_units(sources);
    let (files, words, function_targets) = read_all(&mut program, sources, options)?;
    let effects = solve(&files, clashes::private(&files));
    let (escaping, stored) = (escaping(&files), stored(&files, &effects));
    joined::settle(&mut program, sources, &files, &stored, options);
    let (mut linked, mut hidden_calls, mut targets) = (FxHashMap::default(), Vec::new(), FxHashMap::default());
    let mut function_values = FxHashMap::default();
    let (mut warnings, mut left_out, mut gone) = (Vec::new(), Vec::new(), Vec::new());
    let wrappers: Vec<AllocationWrappers> = files.iter().map(|f| AllocationWrappers::shared(&f.tree)).collect();
    let directives: Vec<Found> = files.iter().flat_map(|f| f.directives.iter().cloned()).collect();
    for (k, f) in files.iter().enumerate() {
        let mut lower = Lower {
            program: &mut program,
            file: k,
            map: &f.map,
            text: &f.text,
            remarks: &f.remarks,
            unread: &f.unread,
            builtin_macros: !options.preprocess,
            allocation_wrappers: AllocationWrappers::of(&f.tree).with(&wrappers),
            returned_pointers: returned_pointers(&f.tree),
            effects: &effects,
            blocks: Vec::new(),
            words: &words,
            linked: &mut linked,
            hidden_calls: &mut hidden_calls,
            escaping: &escaping,
            stored: &stored,
            body: None,
            notes: Vec::new(),
            records: FxHashMap::default(),
            record_names: FxHashMap::default(),
            structures: FxHashMap::default(),
            overlays: FxHashMap::default(),
            targets: &mut targets,
            members: FxHashMap::default(),
            function_targets: &function_targets,
            function_values: &mut function_values,
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
                d = d.leaves_out(&left.name);
                d.help.get_or_insert_with(|| "rewrite the construct, or keep the function away from what is differentiated".to_owned());
                left_out.push(d);
            }
        }
    }
    for (span, d) in member_arguments::complete(&mut program, &targets) {
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
    warnings.iter_mut().for_each(|d| d.severity = Severity::Warning);
    // Whether a function that is left out matters is for those to say who know what is to be differentiated.
    left_out.iter_mut().for_each(|d| d.severity = Severity::Note);
    warnings.append(&mut left_out);
    call_edges::add_call_edges(&mut program, &hidden_calls);
    Ok((program, warnings))
}

/// A program that has its sources and nothing else.
fn without_units(sources: &[SourceText]) -> Program {
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
    program
}

/// Reads all files; with them, the words of their texts, and what pointers to functions may mean.
fn read_all(
    program: &mut Program,
    sources: &[SourceText],
    options: &ParseOptions,
) -> Result<(Vec<Parsed>, FxHashSet<SmolStr>, FunctionTargets), Vec<Diagnostic>> {
    let mut problems = Vec::new();
    let mut files = Vec::new();
    let mut words: FxHashSet<SmolStr> = FxHashSet::default();
    for (k, s) in sources.iter().enumerate() {
        match parse_one(program, SourceId(k as u32), s, options, &mut words) {
            Ok(f) => files.push(f),
            Err(mut d) => problems.append(&mut d),
        }
    }
    old_style::declare(&mut files.iter_mut().map(|f| &mut f.tree).collect::<Vec<_>>());
    let targets = indirect_calls::resolve(&mut files.iter_mut().map(|f| &mut f.tree).collect::<Vec<_>>());
    returned_arguments::settle(&mut files.iter_mut().map(|f| &mut f.tree).collect::<Vec<_>>());
    shifted_memory::settle(&mut files.iter_mut().map(|f| &mut f.tree).collect::<Vec<_>>());
    files.iter_mut().for_each(|f| aligned_memory::settle(&mut f.tree));
    files.iter_mut().for_each(|f| pointer_lives::settle(&mut f.tree, &mut words));
    let shared = shared_wrappers(&files);
    files.iter_mut().for_each(|f| look_through(f, &shared));
    problems.extend(clashes::given_twice(sources));
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok((files, words, targets))
}

/// The functions that give memory or take it back, of all files.
fn shared_wrappers(files: &[Parsed]) -> (FxHashSet<SmolStr>, FxHashSet<SmolStr>) {
    let (mut giving, mut freeing) = (FxHashSet::default(), FxHashSet::default());
    for f in files {
        let found = AllocationWrappers::shared(&f.tree);
        giving.extend(found.giving.keys().cloned());
        freeing.extend(found.freeing.keys().cloned());
    }
    (giving, freeing)
}

/// Globals that some function stores to, or hands to one that may: all those whose address goes somewhere else among them.
fn stored(files: &[Parsed], effects: &Effects) -> FxHashSet<SmolStr> {
    let mut stored: FxHashSet<SmolStr> = FxHashSet::default();
    for (k, f) in files.iter().enumerate() {
        for facts in f.facts.values() {
            for e in facts.all().iter().filter(|e| e.kind != Kind::Call && facts.vars[e.var].global) {
                let may = match (&e.kind, e.call) {
                    (Kind::Read | Kind::Load, _) => false,
                    (Kind::Address | Kind::Handed, Some((call, position))) => {
                        effects.stores(&facts.callees[call], k, position).unwrap_or(true)
                    }
                    _ => true,
                };
                stored.extend(may.then(|| facts.vars[e.var].name.clone()));
            }
        }
    }
    stored
}

/// Globals whose address is taken or that are handed on somewhere.
fn escaping(files: &[Parsed]) -> FxHashSet<SmolStr> {
    let mut escaping: FxHashSet<SmolStr> = FxHashSet::default();
    for facts in files.iter().flat_map(|f| f.facts.values()) {
        for e in facts.all().iter().filter(|e| matches!(e.kind, Kind::Address | Kind::Handed)) {
            escaping.extend(Some(&facts.vars[e.var]).filter(|v| v.global).map(|v| v.name.clone()));
        }
    }
    escaping
}

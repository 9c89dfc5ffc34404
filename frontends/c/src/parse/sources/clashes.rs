//! Files that are given twice, and names that several files have, each for itself.
//!
//! Where files are written as one text, a `static` name can stand for one thing only in it. Lives here: the search for such names. Never here:
//! names of one file, and what becomes of such files (see `joined`).
//!
//! A static variable that nothing in its file names (`static const char rcsid[] = "..."`) is not in the way: one text means the same without it.

use super::reading::Parsed;
use crate::parse::text::input::SourceText;
use crate::parse::text::refusals::{DECLARATION, JOINED};
use crate::parse::text::syntax::{declared_name, function_part, has_storage, is_static};
use crate::parse::text::tokens::scan;
use lang_c::ast::{DeclarationSpecifier, ExternalDeclaration, StorageClassSpecifier, TypeSpecifier};
use lang_c::span::{Node, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use xaif::{Diagnostic, Program};

/// A name at file scope and its place, and whether it is the file's own.
type Name<'f> = (&'f str, Span, bool);

/// Functions and variables that a file defines; what a header brings is the same everywhere, and left out.
fn defined(file: &Parsed) -> Vec<Name<'_>> {
    let mut out = all_defined(file);
    out.retain(|(_, span, _)| file.map.included_at(span.start).is_none());
    out
}

/// The same with what headers of the user's bring.
fn all_defined(file: &Parsed) -> Vec<Name<'_>> {
    let mut out = Vec::new();
    for item in &file.tree.0 {
        match &item.node {
            ExternalDeclaration::FunctionDefinition(f) => {
                if let Some((name, _)) = declared_name(&f.node.declarator.node) {
                    out.push((name, f.node.declarator.span, is_static(&f.node)));
                }
            }
            ExternalDeclaration::Declaration(d) => {
                let elsewhere = [StorageClassSpecifier::Extern, StorageClassSpecifier::Typedef];
                if elsewhere.into_iter().any(|w| has_storage(&d.node.specifiers, w)) {
                    continue;
                }
                let own = has_storage(&d.node.specifiers, StorageClassSpecifier::Static);
                for i in &d.node.declarators {
                    let declarator = &i.node.declarator.node;
                    if let (None, Some((name, _))) = (function_part(declarator), declared_name(declarator)) {
                        out.push((name, i.span, own));
                    }
                }
            }
            ExternalDeclaration::StaticAssert(_) => {}
        }
    }
    out.retain(|(_, span, _)| !file.map.is_system(span.start));
    out
}

/// What each file keeps to itself: of static variables in a header each file that includes it has its own.
pub(crate) fn private(files: &[Parsed]) -> Vec<FxHashSet<SmolStr>> {
    let own = |file| all_defined(file).into_iter().filter(|(.., own)| *own).map(|(name, ..)| name.into()).collect();
    files.iter().map(own).collect()
}

/// Files that are given twice.
pub(crate) fn given_twice(sources: &[SourceText]) -> Vec<Diagnostic> {
    let again = sources.iter().enumerate().filter(|(k, s)| sources[..*k].iter().any(|t| t.file == s.file));
    let said = |s: &SourceText| Diagnostic::error(DECLARATION, format!("the file `{}` is given twice", s.file));
    again.map(|(_, s)| said(s).because("all that it defines would be defined twice").help("name it once")).collect()
}

/// Names that several files have, one of them for itself, each with the file and the place of the later definition.
fn shared(files: &[Vec<Name>]) -> Vec<(usize, usize, Span)> {
    let mut out = Vec::new();
    let mut first: FxHashMap<&str, (usize, bool)> = FxHashMap::default();
    for (k, list) in files.iter().enumerate() {
        for &(name, span, own) in list {
            match first.get(name) {
                Some(&(other, private)) if other != k && (private || own) => out.push((other, k, span)),
                Some(_) => {}
                None => {
                    first.insert(name, (k, own));
                }
            }
        }
    }
    out
}

/// Static variables that nothing in their file names, and their declarations.
fn unused(file: &Parsed) -> FxHashMap<&str, Span> {
    let (text, mut counts) = (&file.text, FxHashMap::<&str, usize>::default());
    for t in scan(text).tokens.iter().filter(|t| !file.map.is_system(t.start)) {
        *counts.entry(&text[t.start..t.end]).or_default() += 1;
    }
    // Text for the assembler names what it likes.
    if ["asm", "__asm", "__asm__"].iter().any(|word| counts.contains_key(word)) {
        return FxHashMap::default();
    }
    let mut out = FxHashMap::default();
    for item in &file.tree.0 {
        let ExternalDeclaration::Declaration(d) = &item.node else { continue };
        let [one] = &d.node.declarators[..] else { continue };
        let defines_type = |s: &Node<DeclarationSpecifier>| matches!(&s.node, DeclarationSpecifier::TypeSpecifier(t) if matches!(t.node, TypeSpecifier::Struct(_) | TypeSpecifier::Enum(_)));
        if has_storage(&d.node.specifiers, StorageClassSpecifier::Static)
            && !d.node.specifiers.iter().any(defines_type)
            && let declarator = &one.node.declarator.node
            && let (None, Some((name, _))) = (function_part(declarator), declared_name(declarator))
            && counts.get(name) == Some(&1)
        {
            out.insert(name, item.span);
        }
    }
    out
}

/// What one text of all files is better without, by files: declarations of static variables that meet a name of another file and that nothing names.
pub(crate) fn left_out(files: &[Parsed]) -> Vec<Vec<Span>> {
    without_unused(files).1
}

/// The names of all files without those that are left out, and the declarations of these.
fn without_unused(files: &[Parsed]) -> (Vec<Vec<Name<'_>>>, Vec<Vec<Span>>) {
    let mut names: Vec<Vec<Name>> = files.iter().map(defined).collect();
    let mut out = vec![Vec::new(); files.len()];
    let met: FxHashSet<&str> = {
        let named = |(_, k, span): &(usize, usize, Span)| names[*k].iter().find(|n| n.1 == *span).map(|n| n.0);
        shared(&names).iter().filter_map(named).collect()
    };
    for (k, file) in files.iter().enumerate().filter(|_| !met.is_empty()) {
        let unused = unused(file);
        names[k].retain(|(name, ..)| !(met.contains(name) && unused.contains_key(name)));
        let mut spans: Vec<Span> = unused.into_iter().filter(|(name, _)| met.contains(name)).map(|(_, span)| span).collect();
        spans.sort_by_key(|s| s.start);
        out[k] = spans;
    }
    (names, out)
}

/// Names that a file has and another one keeps to itself, each with the number of the later file. `stored`: variables at file scope that
/// some function may set; `edited`: declarations are left out where they are in the way.
pub(crate) fn find(
    program: &Program,
    sources: &[SourceText],
    files: &[Parsed],
    stored: &FxHashSet<SmolStr>,
    edited: bool,
) -> Vec<(usize, Diagnostic)> {
    let names = if edited { without_unused(files).0 } else { files.iter().map(defined).collect() };
    let said = |(other, k, span): (usize, usize, Span)| {
        let (text, map) = (&files[k].text, &files[k].map);
        let name = names[k].iter().find(|n| n.1 == span).map_or(&text[span.start..span.end], |n| n.0);
        let message = format!("`{name}` is defined in `{}` too, and one of them is static", sources[other].file);
        (k, Diagnostic::error(JOINED, message).at(program.location(map.span(span.start, span.end))))
    };
    let apart = shared(&names).into_iter().map(said);
    apart.chain(own_of_each(program, sources, files, stored)).collect()
}

/// Static variables of headers that several files include and some function sets: in one text they would be one.
fn own_of_each(program: &Program, sources: &[SourceText], files: &[Parsed], stored: &FxHashSet<SmolStr>) -> Vec<(usize, Diagnostic)> {
    let mut out = Vec::new();
    let mut first: FxHashMap<&str, usize> = FxHashMap::default();
    for (k, file) in files.iter().enumerate() {
        for (name, span, own) in all_defined(file) {
            let set = own && stored.contains(name);
            let Some(place) = file.map.included_at(span.start).filter(|_| set) else { continue };
            match first.get(name) {
                Some(&other) if other != k => {
                    let d = Diagnostic::error(
                        JOINED,
                        format!("`{name}`, a static variable of a header, is another variable here than in `{}`", sources[other].file),
                    );
                    out.push((k, d.at(program.location(place))));
                }
                Some(_) => {}
                None => drop(first.insert(name, k)),
            }
        }
    }
    out
}

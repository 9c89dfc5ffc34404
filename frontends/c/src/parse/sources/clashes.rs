//! Files that are given twice, and names that several files have, each for itself.
//!
//! Where files are written as one text, a `static` name can stand for one thing only in it. Lives here: the search for such names. Never here:
//! names of one file, and what becomes of such files (see `joined`).

use super::reading::Parsed;
use crate::parse::text::input::SourceText;
use crate::parse::text::refusals::{DECLARATION, JOINED};
use crate::parse::text::syntax::{declared_name, function_part};
use lang_c::ast::{DeclarationSpecifier, ExternalDeclaration, StorageClassSpecifier};
use lang_c::span::{Node, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use xaif::{Diagnostic, Program};

/// A name at file scope and its place, and whether it is the file's own.
type Name<'f> = (&'f str, Span, bool);

/// Functions and variables that a file defines.
fn defined(file: &Parsed) -> Vec<Name<'_>> {
    let storage = |list: &[Node<DeclarationSpecifier>], wanted: StorageClassSpecifier| {
        list.iter().any(|s| matches!(&s.node, DeclarationSpecifier::StorageClass(c) if c.node == wanted))
    };
    let mut out = Vec::new();
    for item in &file.tree.0 {
        match &item.node {
            ExternalDeclaration::FunctionDefinition(f) => {
                if let Some((name, _)) = declared_name(&f.node.declarator.node) {
                    out.push((name, f.node.declarator.span, storage(&f.node.specifiers, StorageClassSpecifier::Static)));
                }
            }
            ExternalDeclaration::Declaration(d) => {
                let elsewhere = [StorageClassSpecifier::Extern, StorageClassSpecifier::Typedef];
                if elsewhere.into_iter().any(|w| storage(&d.node.specifiers, w)) {
                    continue;
                }
                let own = storage(&d.node.specifiers, StorageClassSpecifier::Static);
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
    // What a header brings is the same everywhere.
    out.retain(|(_, span, _)| file.map.included_at(span.start).is_none() && !file.map.is_system(span.start));
    out
}

/// What each file keeps to itself.
pub(crate) fn private(files: &[Parsed]) -> Vec<FxHashSet<SmolStr>> {
    let own = |file| defined(file).into_iter().filter(|(.., own)| *own).map(|(name, ..)| name.into()).collect();
    files.iter().map(own).collect()
}

/// Files that are given twice.
pub(crate) fn given_twice(sources: &[SourceText]) -> Vec<Diagnostic> {
    let again = sources.iter().enumerate().filter(|(k, s)| sources[..*k].iter().any(|t| t.file == s.file));
    let said = |s: &SourceText| Diagnostic::error(DECLARATION, format!("the file `{}` is given twice", s.file));
    again.map(|(_, s)| said(s).because("all that it defines would be defined twice").help("name it once")).collect()
}

/// Names that a file has and another one keeps to itself, each with the number of the later file.
pub(crate) fn find(program: &Program, sources: &[SourceText], files: &[Parsed]) -> Vec<(usize, Diagnostic)> {
    let mut out = Vec::new();
    let mut first: FxHashMap<&str, (usize, bool)> = FxHashMap::default();
    for (k, file) in files.iter().enumerate() {
        for (name, span, own) in defined(file) {
            match first.get(name) {
                Some(&(other, private)) if other != k && (private || own) => {
                    let d = Diagnostic::error(
                        JOINED,
                        format!("`{name}` is defined in `{}` too, and one of them is static", sources[other].file),
                    );
                    out.push((k, d.at(program.location(file.map.span(span.start, span.end)))));
                }
                Some(_) => {}
                None => {
                    first.insert(name, (k, own));
                }
            }
        }
    }
    out
}

//! Declarations that would have to agree in one text: of functions that another file defines, and of types that an earlier file defines as well.
//!
//! ```text
//! a.c   extern double poly(double, void *, int);            ->   extern double poly(double, double [], int);
//! b.c   double poly(double x, double c[], int n) { ... }
//! ```
//!
//! A pointer is handed over as it is, whatever it points to: a declaration with other pointers than the definition has says the same for every call that a compiler
//! accepts under both. Types that two files define with the same words are one type. Static variables that nothing names are left out where another file has their name.
//!
//! Lives here: which declarations these are, and what stands in their places. Never here: whether the text then means the same, and a compiler is content (see
//! `joined`).

use super::clashes;
use super::reading::Parsed;
use crate::parse::text::input::SourceText;
use crate::parse::text::source_map::SourceMap;
use crate::parse::text::syntax::{declared_depth, declared_name, declares_function, function_part, is_static};
use crate::parse::text::tokens::scan;
use lang_c::ast::{
    Declaration, DeclarationSpecifier, Declarator, DeclaratorKind, DerivedDeclarator, Ellipsis, ExternalDeclaration, FunctionDeclarator,
    InitDeclarator, ParameterDeclaration, StorageClassSpecifier, TypeSpecifier,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use rustc_hash::{FxHashMap, FxHashSet};
use xaif::model::Replaced;

/// What a function gives and takes, as far as a caller must know it.
#[derive(PartialEq)]
struct Shape {
    result: (Vec<String>, usize),
    parameters: Vec<Parameter>,
}

/// A parameter: the words of its type, and how many pointers it is.
#[derive(PartialEq)]
struct Parameter {
    words: Vec<String>,
    pointers: usize,
}

/// A definition: its file, what it takes, and that as text.
struct Defined {
    file: usize,
    shape: Shape,
    list: String,
}

/// For each file, what may stand otherwise in it.
pub(crate) fn find(sources: &[SourceText], files: &[Parsed]) -> Vec<Vec<Replaced>> {
    let defined = definitions(files);
    let left_out = clashes::left_out(files);
    let mut types: FxHashSet<Vec<&str>> = FxHashSet::default();
    let mut out = Vec::new();
    for (k, (source, file)) in sources.iter().zip(files).enumerate() {
        let mut visitor = Declarations { file: k, defined: &defined, found: Vec::new() };
        visitor.visit_translation_unit(&file.tree);
        let mut here: Vec<Replaced> = visitor.found.iter().filter_map(|(span, list)| replaced(source, file, *span, list)).collect();
        let mut own = Vec::new();
        for item in &file.tree.0 {
            let ExternalDeclaration::Declaration(d) = &item.node else { continue };
            if !is_own(&file.map, item.span) || !defines_type(&d.node) {
                continue;
            }
            let words = words(&file.text[item.span.start..item.span.end]);
            if words.last() != Some(&";") {
                continue;
            }
            if types.contains(&words) {
                here.extend(replaced(source, file, item.span, "/* defined above */"));
            }
            own.push(words);
        }
        types.extend(own);
        here.extend(left_out[k].iter().filter_map(|&span| replaced(source, file, span, "/* nothing names it */")));
        here.sort_by_key(|r| (r.line, r.column));
        out.push(here);
    }
    out
}

/// Whether text stands in the file itself.
fn is_own(map: &SourceMap, span: Span) -> bool {
    map.included_at(span.start).is_none() && !map.is_system(span.start)
}

/// The tokens of a text.
fn words(text: &str) -> Vec<&str> {
    scan(text).tokens.iter().map(|t| &text[t.start..t.end]).collect()
}

/// What stands in place of some bytes of the preprocessed text, where these are what the file itself says there.
fn replaced(source: &SourceText, file: &Parsed, span: Span, text: &str) -> Option<Replaced> {
    let (start, end) = file.map.raw_range(span.start, span.end)?;
    if words(&source.text[start..end]) != words(&file.text[span.start..span.end]) || text.contains([';', '\n']) {
        return None;
    }
    let ((line, column), (end_line, end_column)) = (file.map.raw_position(start), file.map.raw_position(end));
    Some(Replaced { line, column, end_line, end_column, text: text.to_owned() })
}

/// A declaration of a type with its members, and of nothing that has memory.
fn defines_type(d: &Declaration) -> bool {
    let is_typedef = |s: &Node<DeclarationSpecifier>| matches!(&s.node, DeclarationSpecifier::StorageClass(c) if c.node == StorageClassSpecifier::Typedef);
    let has_members = |s: &Node<DeclarationSpecifier>| match &s.node {
        DeclarationSpecifier::TypeSpecifier(t) => match &t.node {
            TypeSpecifier::Struct(s) => s.node.declarations.is_some(),
            TypeSpecifier::Enum(e) => !e.node.enumerators.is_empty(),
            _ => false,
        },
        _ => false,
    };
    d.specifiers.iter().any(has_members) && (d.declarators.is_empty() || d.specifiers.iter().any(is_typedef))
}

/// Functions that a file defines for all, with what can be said of them in another file.
fn definitions(files: &[Parsed]) -> FxHashMap<&str, Defined> {
    let mut out = FxHashMap::default();
    for (k, file) in files.iter().enumerate() {
        for item in &file.tree.0 {
            let ExternalDeclaration::FunctionDefinition(f) = &item.node else { continue };
            if is_static(&f.node) || !is_own(&file.map, f.span) {
                continue;
            }
            let declarator = &f.node.declarator.node;
            if let (Some((name, _)), Some(part)) = (declared_name(declarator), function_part(declarator))
                && let Some(shape) = shape(&f.node.specifiers, declarator)
                && let Some(list) = parameter_list(&file.text, part)
            {
                out.insert(name, Defined { file: k, shape, list });
            }
        }
    }
    out
}

/// The words of a type, without what concerns the variable alone; none where its members stand there.
fn type_words(specifiers: &[Node<DeclarationSpecifier>]) -> Option<Vec<String>> {
    let mut out = Vec::new();
    for s in specifiers {
        match &s.node {
            DeclarationSpecifier::TypeSpecifier(t) => out.push(match &t.node {
                TypeSpecifier::TypedefName(name) => name.node.name.clone(),
                TypeSpecifier::Struct(s) if s.node.declarations.is_none() => {
                    format!("{:?} {}", s.node.kind.node, s.node.identifier.as_ref()?.node.name)
                }
                TypeSpecifier::Struct(_) | TypeSpecifier::Enum(_) | TypeSpecifier::TypeOf(_) | TypeSpecifier::Atomic(_) => return None,
                basic => format!("{basic:?}"),
            }),
            DeclarationSpecifier::StorageClass(_) | DeclarationSpecifier::Function(_) | DeclarationSpecifier::TypeQualifier(_) => {}
            _ => return None,
        }
    }
    // `unsigned`, `unsigned int` and `int unsigned` are one type.
    let has = |out: &[String], list: &[&str]| out.iter().any(|w| list.contains(&w.as_str()));
    if has(&out, &["Unsigned", "Short", "Long"]) {
        out.retain(|w| w != "Int" && w != "Signed");
    } else if has(&out, &["Signed"]) && !has(&out, &["Char"]) {
        out = vec!["Int".to_owned()];
    }
    out.sort_unstable();
    Some(out)
}

/// What a function's declarator makes of its specifiers; none where it is more than a name and parameters.
fn shape(specifiers: &[Node<DeclarationSpecifier>], d: &Declarator) -> Option<Shape> {
    if !matches!(d.kind.node, DeclaratorKind::Identifier(_)) {
        return None;
    }
    let pointers = d.derived.iter().filter(|p| matches!(p.node, DerivedDeclarator::Pointer(_))).count();
    let [.., last] = &d.derived[..] else { return None };
    let DerivedDeclarator::Function(part) = &last.node else { return None };
    if pointers + 1 != d.derived.len() || !matches!(part.node.ellipsis, Ellipsis::None) {
        return None;
    }
    let parameters = part.node.parameters.iter().map(|p| parameter(&p.node)).collect::<Option<Vec<_>>>()?;
    let nothing = |p: &Parameter| p.pointers == 0 && p.words == ["Void"];
    let parameters = if matches!(&parameters[..], [p] if nothing(p)) { Vec::new() } else { parameters };
    Some(Shape { result: (type_words(specifiers)?, pointers), parameters })
}

fn parameter(p: &ParameterDeclaration) -> Option<Parameter> {
    let words = type_words(&p.specifiers)?;
    let pointers = match &p.declarator {
        None => 0,
        Some(d) if function_part(&d.node).is_some() => return None,
        Some(d) => declared_depth(&d.node),
    };
    Some(Parameter { words, pointers })
}

/// Whether each argument that fits one shape is handed over in the same way under the other.
fn is_called_alike(a: &Shape, b: &Shape) -> bool {
    let alike = |(p, q): (&Parameter, &Parameter)| if p.pointers > 0 { q.pointers > 0 } else { p == q };
    a.result == b.result && a.parameters.len() == b.parameters.len() && a.parameters.iter().zip(&b.parameters).all(alike)
}

/// The parameters of a definition, without their names.
fn parameter_list(text: &str, part: &FunctionDeclarator) -> Option<String> {
    let mut out = Vec::new();
    for p in &part.parameters {
        let mut said: Vec<String> = Vec::new();
        for s in &p.node.specifiers {
            if !matches!(s.node, DeclarationSpecifier::StorageClass(_)) {
                said.push(text.get(s.span.start..s.span.end)?.to_owned());
            }
        }
        if let Some(d) = &p.node.declarator {
            let whole = text.get(d.span.start..d.span.end)?;
            let (name, at) = declared_name(&d.node)?;
            let at = at.checked_sub(d.span.start)?;
            let rest = format!("{} {}", &whole[..at], &whole[at + name.len()..]).split_whitespace().collect::<Vec<_>>().join(" ");
            // Extents by other parameters say nothing without their names.
            if words(&rest)
                .iter()
                .any(|w| w.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && *w != "const" && *w != "restrict")
            {
                return None;
            }
            said.extend(Some(rest).filter(|r| !r.is_empty()));
        }
        out.push(said.join(" "));
    }
    let list = if out.is_empty() { "void".to_owned() } else { out.join(", ") };
    (!list.contains(['\n', '#'])).then(|| format!("({list})"))
}

/// Finds declarations of functions that say it otherwise than the definitions.
struct Declarations<'d> {
    file: usize,
    defined: &'d FxHashMap<&'d str, Defined>,
    /// Where the parameters stand, and what the definition says.
    found: Vec<(Span, String)>,
}

impl Declarations<'_> {
    fn note(&mut self, specifiers: &[Node<DeclarationSpecifier>], i: &InitDeclarator) {
        let d = &i.declarator.node;
        let Some((name, _)) = declared_name(d).filter(|_| declares_function(d)) else { return };
        let Some(defined) = self.defined.get(name).filter(|it| it.file != self.file) else { return };
        if let Some(here) = shape(specifiers, d)
            && here != defined.shape
            && is_called_alike(&here, &defined.shape)
            && let Some(part) = d.derived.last()
        {
            self.found.push((part.span, defined.list.clone()));
        }
    }
}

impl<'ast> Visit<'ast> for Declarations<'_> {
    fn visit_declaration(&mut self, d: &'ast Declaration, span: &'ast Span) {
        for i in &d.declarators {
            self.note(&d.specifiers, &i.node);
        }
        visit::visit_declaration(self, d, span);
    }
}

//! The user's text with the derivative functions added, and the derivative functions alone, as one text or a file for each that was read.
//!
//! Lives here: what is inserted where. Never here: how anything is printed.

use super::whole::{Printed, includes};
use crate::joined_text::{self, Edit};
use crate::unparse::facts::linkage::origin;
use crate::unparse::facts::symbols::is_private;
use crate::unparse::files::hidden_names;
use crate::unparse::language::c_types;
use crate::unparse::printer::{Needs, Printer};
use crate::unparse::text::layout::{Line, comment_lines, placed, render};
use crate::unparse::text::source_text;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use xaif::Diagnostic;
use xaif::callbacks::is_function_value;
use xaif::lined::Lined;
use xaif::model::{ElemType, Joining, Passing, Source, SourceId, Span, Storage, SymbolId, SymbolKind, UnitId};

/// True where the program carries text of C.
pub(crate) fn carries_text(program: &xaif::Program) -> bool {
    program.sources.iter().any(is_text)
}

fn is_text(s: &Source) -> bool {
    s.language == "c" && !s.text.is_empty()
}

/// A text with pieces put in, by their places, and with what is said otherwise in it.
fn inserted(id: SourceId, (text, edits): (&str, &[Edit]), insertions: Vec<(usize, Lined)>) -> Lined {
    let mut out = Lined::default();
    let (mut from, mut line) = (0, 1);
    let windows = text.contains("\r\n");
    for (at, piece) in insertions {
        out.copy(&joined_text::applied(text, edits, from..at), id, line);
        line += text[from..at].matches('\n').count() as u32;
        out.append(&if windows { piece.with_line_ends("\r\n") } else { piece });
        from = at;
    }
    out.copy(&joined_text::applied(text, edits, from..text.len()), id, line);
    out
}

/// Whether a line that includes a header stands for something that is in the header.
fn is_included(text: &str, span: Span) -> bool {
    text.get(source_text::offset(text, span.line, span.column)..).is_some_and(|rest| rest.trim_start().starts_with('#'))
}

impl<'p> Printer<'p> {
    /// Derivative units only.
    fn derivatives(&mut self) -> Vec<Printed> {
        let program = self.program;
        self.print(|u| program.unit(u).derivation.is_some())
    }

    /// Derivatives of variables at file scope.
    pub fn derivative_globals(&self) -> Vec<(SymbolId, SymbolId)> {
        let list = self.file_symbols();
        list.into_iter()
            .filter_map(|s| {
                let symbol = self.program.symbol(s);
                let original = symbol.decl.as_ref().and_then(|d| d.derivative_of)?;
                symbol.temp.then_some((s, original))
            })
            .collect()
    }

    /// The user's files as one text, each with what belongs to it.
    pub fn spliced(&mut self) -> Lined {
        self.refuse_what_is_apart();
        let mut out = Lined::default();
        for (_, text) in self.spliced_files(false) {
            if !out.is_empty() && !out.text().ends_with('\n') {
                out.push_str("\n");
            }
            out.append(&text);
        }
        out
    }

    /// The user's files, each with what belongs to it. `apart`: each is compiled by itself.
    pub fn spliced_files(&mut self, apart: bool) -> Vec<(SourceId, Lined)> {
        let printed = self.derivatives();
        let globals = self.derivative_globals();
        let files = self.files();
        let Some(&(last, _)) = files.last() else { return Vec::new() };
        let own = hidden_names::names(files.iter().map(|(_, s)| s.text.as_str()), &self.defined());
        let stands = Joining::AsItStands;
        let edits = joined_text::edits(files.iter().map(|(_, s)| (s.text.as_str(), if apart { &stands } else { &s.joining })));
        let mut placed: Vec<(SourceId, usize, Printed)> = printed
            .into_iter()
            .map(|f| {
                let span = origin(self.program, f.unit);
                match self.home(span).and_then(|id| files.iter().find(|(f, _)| *f == id)) {
                    Some(&(id, source)) => (id, source_text::end_of(&source.text, span), f),
                    None => (last, usize::MAX, f),
                }
            })
            .collect();
        placed.sort_by_key(|(source, at, f)| (*source, *at, f.unit));
        let mut out = Vec::new();
        for ((id, source), edits) in files.iter().zip(&edits) {
            let (here, rest): (Vec<_>, Vec<_>) = placed.into_iter().partition(|(s, ..)| s == id);
            placed = rest;
            let mine: Vec<(usize, Printed)> = here.into_iter().map(|(_, at, f)| (at, f)).collect();
            if apart {
                self.refuse_what_is_elsewhere(*id, last, &mine);
            }
            out.push((*id, self.spliced_file(*id, (&source.text, edits), mine, &globals, &own, *id == last)));
        }
        out
    }

    /// The derivative functions alone, in a file for each that has any.
    pub fn alone_in_files(&mut self) -> Vec<(SourceId, Lined)> {
        let files = self.files();
        let Some(&(last, _)) = files.last() else { return Vec::new() };
        let mut defined = FxHashSet::default();
        let mut out = Vec::new();
        for (id, source) in files {
            let program = self.program;
            let here = |u: &UnitId| program.unit(*u).derivation.is_some() && self.home(origin(self.program, *u)).unwrap_or(last) == id;
            let mine: FxHashSet<UnitId> = program.unit_ids().filter(here).collect();
            if !mine.is_empty() {
                out.push((id, self.beside(&[source], |u| mine.contains(&u), &mut defined)));
            }
        }
        out
    }

    /// The files whose text is carried.
    fn files(&self) -> Vec<(SourceId, &'p Source)> {
        self.program.sources.iter().enumerate().filter(|(_, s)| is_text(s)).map(|(i, s)| (SourceId(i as u32), s)).collect()
    }

    /// Names of functions that the user's text defines otherwise than the mathematical library declares them.
    fn defined(&self) -> FxHashSet<&'p str> {
        let program = self.program;
        let double = |s: SymbolId| program.symbol(s).ty == ElemType::REAL64 && program.symbol(s).rank == 0;
        let otherwise = |u: &UnitId| {
            let unit = program.unit(*u);
            let value = |s: SymbolId| double(s) && program.symbol(s).passing() == Passing::Value;
            !matches!(&unit.formals[..], [x, r] if r.result && value(x.symbol) && double(r.symbol))
        };
        let own = program.unit_ids().filter(|&u| program.unit(u).derivation.is_none());
        own.filter(otherwise).map(|u| program.unit_name(u)).collect()
    }

    /// The file in whose text something stands.
    fn home(&self, span: Span) -> Option<SourceId> {
        let carried = |s: &SourceId| self.program.sources.get(s.index()).is_some_and(is_text);
        span.is_known().then_some(span.source).filter(carried)
    }

    /// Refuses files whose text would mean something else behind that of others.
    fn refuse_what_is_apart(&mut self) {
        for (id, source) in self.files() {
            let Joining::Apart { line, column, why } = &source.joining else { continue };
            let span = Span { source: id, line: *line, column: *column, end_line: *line, end_column: *column };
            self.problems.push(
                Diagnostic::error("OB2009", why.clone())
                    .at(self.program.location(span))
                    .because("in one text with the files before it, a file sees their macros, static names and headers")
                    .help("write one file for each with -O FOLDER"),
            );
        }
    }

    /// Refuses derivative functions that need what another file keeps to itself.
    fn refuse_what_is_elsewhere(&mut self, id: SourceId, last: SourceId, units: &[(usize, Printed)]) {
        let named: BTreeSet<SymbolId> = units.iter().flat_map(|(_, p)| p.function.outer.iter().copied()).collect();
        for s in named {
            let (private, span) = match self.units.get(&s) {
                Some(&u) => (self.program.unit(u).prefixes.iter().any(|p| p == "static"), origin(self.program, u)),
                None => {
                    let symbol = self.program.symbol(s);
                    let root = self.program.symbol(symbol.decl.as_ref().and_then(|d| d.derivative_of).unwrap_or(s));
                    let made = root.id != symbol.id && symbol.temp;
                    (*root.storage() != Storage::Constant && is_private(root) && (made || self.home(root.span).is_some()), root.span)
                }
            };
            if private && self.home(span).unwrap_or(last) != id {
                self.private(s);
            }
        }
    }

    /// One of the user's files, with its text as it stands and what is said otherwise in it.
    fn spliced_file(
        &mut self,
        id: SourceId,
        (text, edits): (&str, &[Edit]),
        units: Vec<(usize, Printed)>,
        globals: &[(SymbolId, SymbolId)],
        own: &hidden_names::Own,
        last: bool,
    ) -> Lined {
        // What other files need is theirs.
        let all = std::mem::replace(&mut self.needs, units.iter().fold(Needs::default(), |n, (_, p)| n.with(p.needs)));
        let blank = source_text::blanked(text);
        let indent = source_text::indentation(text);
        let (places, printed): (Vec<usize>, Vec<Printed>) = units.into_iter().unzip();
        let program = self.program;
        let mut prototypes = self.needed_lines(&printed);
        prototypes.extend(self.prototypes(&printed, |u| program.unit(u).derivation.is_none()));
        prototypes.extend(self.defined_further_down(id, text, &places, &printed));
        let (mut insertions, loose) = self.placed_globals(id, (text, &blank), globals, &printed, last);
        for (k, (at, p)) in places.iter().zip(&printed).enumerate() {
            let (at, newline) =
                if *at == usize::MAX { (text.len(), !text.ends_with('\n')) } else { source_text::behind(text, &blank, *at) };
            // What comes before the first line break ends a line of the user's.
            let mut piece = Lined::default();
            if newline {
                piece.push_str("\n");
            }
            piece.push_str("\n");
            if k == 0 {
                let mut head: Vec<_> = comment_lines(&self.program.provenance);
                for group in [&loose, &prototypes] {
                    head.extend(group.iter().cloned());
                    if !group.is_empty() {
                        head.push(String::new());
                    }
                }
                for line in head {
                    let lines = if line.is_empty() { vec![Line::Blank] } else { vec![Line::Text(0, line)] };
                    piece.push_str(&render(&lines, &indent));
                }
            }
            piece.append(&placed(&p.function.lines, &indent, Some(p.unit)));
            insertions.push((at, piece));
        }
        if !printed.is_empty() {
            let first_unit = places.first().copied().unwrap_or(usize::MAX);
            let before = self.first_function(id, text).min(first_unit);
            insertions.extend(self.placed_includes(text, own, before));
        }
        insertions.sort_by_key(|(at, _)| *at);
        self.needs = self.needs.with(all);
        inserted(id, (text, edits), insertions)
    }

    /// Variables behind those whose derivatives they are; then declarations of variables that other files define, or no file does.
    fn placed_globals(
        &mut self,
        id: SourceId,
        (text, blank): (&str, &[u8]),
        globals: &[(SymbolId, SymbolId)],
        printed: &[Printed],
        last: bool,
    ) -> (Vec<(usize, Lined)>, Vec<String>) {
        let (mut insertions, mut loose) = (Vec::new(), Vec::new());
        for &(derivative, original) in globals {
            let span = self.program.symbol(original).span;
            let home = self.home(span);
            if home == Some(id) && is_included(text, span) {
                loose.push(self.file_variable(derivative));
            } else if home == Some(id) {
                let declaration = self.file_variable(derivative);
                let end = source_text::declaration_end(blank, source_text::end_of(text, span).min(blank.len()));
                let (at, newline) = source_text::behind(text, blank, end);
                insertions.push((at, format!("{}{declaration}\n", if newline { "\n" } else { "" }).into()));
            } else if home.is_none() && last {
                loose.push(self.file_variable(derivative));
            } else if printed.iter().any(|p| p.function.outer.contains(&derivative)) && !is_private(self.program.symbol(original)) {
                self.names.enter_file();
                loose.push(format!("{};", self.variable(derivative, "extern ").text()));
            }
        }
        (insertions, loose)
    }

    /// The includes that the file needs, behind the last of the user's that stands before its first function.
    fn placed_includes(&self, text: &str, own: &hidden_names::Own, before: usize) -> Option<(usize, Lined)> {
        let directives = source_text::directives(text);
        let present: Vec<&str> = directives.iter().filter_map(source_text::Directive::included).collect();
        let wanted = hidden_names::wrapped(includes(self.needs, &present), own, &present);
        if wanted.is_empty() {
            return None;
        }
        // A guard around all of a header is no condition.
        let level = directives.iter().filter(|d| d.end <= before).fold(0usize, |n, d| match d.word() {
            "if" | "ifdef" | "ifndef" => d.depth + 1,
            "endif" => d.depth,
            _ => n,
        });
        let mut at = None;
        let mut open = false;
        for d in directives.iter().filter(|d| d.end <= before) {
            if d.included().is_some() {
                open = d.depth > level;
                at = Some(d.end);
            } else if open && d.word() == "endif" && d.depth == level {
                at = Some(d.end);
                open = false;
            }
        }
        let (at, blank_line) = match source_text::before_own_macros(&directives, before).or(at) {
            Some(at) => (at, ""),
            None => (source_text::behind_leading_comment(text), "\n"),
        };
        let lead = if at > 0 && !text[..at].ends_with('\n') { "\n" } else { "" };
        let gap = if blank_line.is_empty() || at == 0 { "" } else { "\n" };
        let tail = if text[at..].starts_with('\n') { "" } else { blank_line };
        Some((at, format!("{lead}{gap}{}\n{tail}", wanted.join("\n")).into()))
    }

    /// Where the first function of a file begins.
    fn first_function(&self, id: SourceId, source: &str) -> usize {
        self.program
            .units
            .iter()
            .filter(|u| u.derivation.is_none() && u.span.is_known() && u.span.source == id)
            .map(|u| (u.span.line, u.span.column))
            .min()
            .map_or(usize::MAX, |(line, column)| source_text::offset(source, line, column))
    }

    /// The derivative functions alone, to be linked beside the original.
    pub fn alone(&mut self) -> Lined {
        self.refuse_what_is_apart();
        let texts: Vec<&Source> = self.files().into_iter().map(|(_, s)| s).collect();
        let program = self.program;
        self.beside(&texts, |u| program.unit(u).derivation.is_some(), &mut FxHashSet::default())
    }

    /// Derivative functions beside these texts. `defined`: derivatives of variables at file scope that another file defines.
    fn beside(&mut self, texts: &[&Source], wanted: impl Fn(UnitId) -> bool, defined: &mut FxHashSet<SymbolId>) -> Lined {
        let printed = self.print(wanted);
        let used: FxHashSet<SymbolId> = printed.iter().flat_map(|p| p.function.outer.iter().copied()).collect();
        let copied: Vec<String> = texts.iter().flat_map(|s| preprocessor_lines(&s.text)).collect();
        let externals = if texts.is_empty() { self.externals(&used) } else { self.declared_elsewhere(&used, texts) };
        let definitions: Vec<String> = if self.needs_definitions(&printed, &used) || !externals.is_empty() {
            texts.iter().flat_map(|s| source_text::type_definitions(&s.text)).collect()
        } else {
            Vec::new()
        };
        let mut variables = Vec::new();
        for s in self.file_symbols() {
            if !used.contains(&s) {
                continue;
            }
            let symbol = self.program.symbol(s);
            if is_function_value(symbol) || (symbol.has_attribute("enumerator") && !definitions.is_empty()) {
                continue;
            }
            let original = symbol.decl.as_ref().and_then(|d| d.derivative_of);
            let root = self.program.symbol(original.unwrap_or(s));
            match root.storage() {
                Storage::Constant => variables.push(self.file_variable(s)),
                _ if is_private(root) => self.private(original.unwrap_or(s)),
                _ if original.is_some() && defined.insert(s) => variables.push(self.file_variable(s)),
                _ => {
                    self.names.enter_file();
                    let d = self.variable(s, "extern ");
                    variables.push(format!("{};", d.text()));
                }
            }
        }
        for &s in &used {
            if let Some(u) = self.unit_behind(s)
                && self.program.unit(u).derivation.is_none()
                && self.program.unit(u).prefixes.iter().any(|p| p == "static")
            {
                self.private(s);
            }
        }
        let mut prototypes = self.needed_lines(&printed);
        prototypes.extend(self.prototypes(&printed, |_| false));
        let mut out = Lined::default();
        for line in comment_lines(&self.program.provenance) {
            out.push_str(&(line + "\n"));
        }
        let directives: Vec<source_text::Directive> = source_text::directives(&copied.join("\n"));
        let present: Vec<&str> = directives.iter().filter_map(source_text::Directive::included).collect();
        let mut head = copied.clone();
        let wanted = hidden_names::wrapped(
            includes(self.needs, &present),
            &hidden_names::names(texts.iter().map(|s| s.text.as_str()), &self.defined()),
            &present,
        );
        let at = source_text::before_own_macros(&directives, usize::MAX).and_then(|at| directives.iter().position(|d| d.start == at));
        head.splice(at.unwrap_or(head.len())..at.unwrap_or(head.len()), wanted);
        if !head.is_empty() {
            if !out.is_empty() {
                out.push_str("\n");
            }
            out.push_str(&head.join("\n"));
            out.push_str("\n");
        }
        if !definitions.is_empty() {
            out.push_str("\n");
            out.push_str(&definitions.join("\n"));
            out.push_str("\n");
        }
        let mut all = externals;
        all.extend(prototypes);
        self.sections(&mut out, &[variables, all]);
        let indent = texts.first().map_or("  ".into(), |s| source_text::indentation(&s.text));
        self.append(&mut out, &printed, &indent, false);
        out
    }

    /// Prototypes of functions of the file itself that derivative code in front of them calls: where the text declares them inside of other functions only.
    fn defined_further_down(&mut self, id: SourceId, text: &str, places: &[usize], printed: &[Printed]) -> Vec<String> {
        let place = |u: UnitId| Some(self.program.unit(u).span).filter(|s| s.is_known() && s.source == id).map(|s| (s.line, s.column));
        // The first place from which each is called that is defined behind it.
        let mut called: BTreeMap<UnitId, usize> = BTreeMap::new();
        for (&at, p) in places.iter().zip(printed) {
            let Some(from) = self.program.unit(p.unit).derivation.and_then(|d| place(d.of)) else { continue };
            let mentioned: Vec<UnitId> = p.function.outer.iter().filter_map(|s| self.unit_behind(*s)).collect();
            for u in mentioned {
                if self.program.unit(u).derivation.is_none() && place(u).is_some_and(|to| to > from) {
                    called.entry(u).or_insert(at);
                }
            }
        }
        if called.is_empty() {
            return Vec::new();
        }
        let declared = source_text::prototypes(text);
        let mut out = Vec::new();
        for (u, at) in called {
            let found = declared.get(self.program.unit_name(u));
            if found.is_none_or(|f| f.0 >= at) {
                // As it is written there, unless its parameters are declared behind the parentheses.
                let written = found.map(|f| f.1.clone()).filter(|line| line.ends_with(");"));
                out.push(written.unwrap_or_else(|| self.prototype(u, false)));
            }
        }
        out
    }

    /// Prototypes of functions without units, as the user's text declares them. Headers that it includes speak for themselves.
    fn declared_elsewhere(&mut self, used: &FxHashSet<SymbolId>, texts: &[&Source]) -> Vec<String> {
        let external = |s: &SymbolId| self.program.symbol(*s).kind == SymbolKind::Subroutine && !self.units.contains_key(s);
        let mut list: Vec<SymbolId> = used.iter().copied().filter(external).collect();
        list.sort_unstable();
        if list.is_empty() {
            return Vec::new();
        }
        let declared: Vec<_> = texts.iter().map(|t| source_text::prototypes(&t.text)).collect();
        let mut lines = Vec::new();
        for s in list {
            let name = &self.program.symbol(s).name;
            let Some((_, line)) = declared.iter().find_map(|d| d.get(name.as_str())).cloned() else { continue };
            if line.split_whitespace().any(|w| w == "static") {
                self.private(s);
            }
            lines.push(line);
        }
        lines
    }

    /// Lines that derivative functions need besides, each once.
    fn needed_lines(&self, printed: &[Printed]) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for line in printed.iter().flat_map(|p| &self.program.unit(p.unit).imports) {
            if !out.contains(line) {
                out.push(line.clone());
            }
        }
        out
    }

    fn private(&mut self, s: SymbolId) {
        let symbol = self.program.symbol(s);
        self.place = symbol.span;
        let what = if symbol.kind == SymbolKind::Subroutine { "function" } else { "variable" };
        self.refuse(
            "OB5107",
            format!("the static {what} `{}` is needed by derivative code in another file", symbol.name),
            "nothing outside of its own file can refer to it",
            "leave out `--no-primal` or `-O`, or make it external",
        );
    }

    /// True where derivative code uses types or enumerators that the user's own text defines.
    fn needs_definitions(&self, printed: &[Printed], used: &FxHashSet<SymbolId>) -> bool {
        let named = |s: SymbolId| {
            let symbol = self.program.symbol(s);
            let text = symbol.decl.as_ref().map_or("", |d| d.type_text.as_str());
            self.c && (symbol.has_attribute("enumerator") || !c_types::is_builtin_spelling(text))
        };
        used.iter().any(|&s| named(s))
            || printed.iter().any(|p| {
                let scope = self.program.unit(p.unit).scope;
                self.program.scopes.get(scope.index()).is_some_and(|s| s.symbols.iter().any(|&s| named(s)))
            })
    }
}

/// All directives of a text; conditions around nothing are left out.
fn preprocessor_lines(text: &str) -> Vec<String> {
    let mut kept: Vec<source_text::Directive> = Vec::new();
    for d in source_text::directives(text) {
        let word = d.word().to_string();
        if word == "endif" {
            while kept.last().is_some_and(|k| matches!(k.word(), "else" | "elif")) {
                kept.pop();
            }
            if kept.last().is_some_and(|k| matches!(k.word(), "if" | "ifdef" | "ifndef")) {
                kept.pop();
                continue;
            }
        }
        if matches!(word.as_str(), "include" | "define" | "undef" | "if" | "ifdef" | "ifndef" | "else" | "elif" | "endif") {
            kept.push(d);
        }
    }
    kept.into_iter().map(|d| d.text).collect()
}

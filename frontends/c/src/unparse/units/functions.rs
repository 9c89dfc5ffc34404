//! Whole functions.
//!
//! Lives here: signature, declarations, body, in that order. Never here: files.

use crate::unparse::declarations::declarators::Declaration;
use crate::unparse::facts::symbols::{is_heap, is_own};
use crate::unparse::printer::Printer;
use crate::unparse::text::layout::{Line, Lines, comment_lines};
use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use xaif::callbacks::is_function_value;
use xaif::model::{BaseType, Mode, Span, Storage, SymbolId, SymbolKind, Unit, UnitKind};

/// A printed function.
pub(crate) struct Function {
    pub lines: Vec<(Line, Span)>,
    /// Symbols of the file that it mentions.
    pub outer: Vec<SymbolId>,
}

impl Printer<'_> {
    /// A variable of the function, or that of its result, of which nobody knows but by its name.
    fn is_private(&self, unit: &Unit, s: SymbolId) -> bool {
        let symbol = self.program.symbol(s);
        let plain = !symbol.pointer && symbol.kind != SymbolKind::Pointer && !symbol.has_attribute("volatile") && !is_heap(symbol);
        plain && (Some(s) == self.result || is_own(self.program, unit, s))
    }

    /// The words before a function's type.
    pub fn prefixes(&self, unit: &Unit) -> String {
        if !self.c {
            return String::new();
        }
        let has = |w: &str| unit.prefixes.iter().any(|p| p == w);
        let fixed = match self.units.get(&unit.symbol) {
            // A derivative that nobody in the program calls is there for others to call.
            Some(&u) if unit.derivation.is_some() => {
                has("static") && self.callers.any(self.program, u) || has("private") && self.callers.in_one_file(self.program, u)
            }
            _ => has("static"),
        };
        match (fixed, has("inline")) {
            (true, true) => "static inline ".into(),
            (true, false) => "static ".into(),
            _ => String::new(),
        }
    }

    /// A function as lines.
    pub fn function(&mut self, unit: &Unit) -> Function {
        self.enter(unit);
        if unit.replacements.is_some() {
            self.refuse(
                "OB5104",
                format!("`{}` is a list of replacements", self.source_name(unit.symbol)),
                "its parts only make sense in a template of the OpenAD tools",
                "boost with `--dialect overbar`",
            );
        }
        if self.program.scopes.get(unit.scope.index()).and_then(|s| s.parent).is_some_and(|p| self.is_host(p)) && !self.c {
            self.check_host(unit);
        }
        let body = self.body_without_idle_stores(unit);
        if unit.kind == UnitKind::Main {
            self.used.insert(unit.symbol);
        }
        let prefixes = self.prefixes(unit);
        let before = self.used.clone();
        let locals = self.locals(unit);
        let head = self.signature(unit, &prefixes, false);
        if !self.c {
            self.check_places(unit);
        }
        let idle = self.idle_parameters(unit, &before, &locals.1);
        let (first, last) = self.program.ends_of(unit);
        let mut out = Lines { place: first, ..Lines::default() };
        for line in self.heading(unit) {
            out.text(line);
        }
        out.open(format!("{head} {{"));
        out.place = Span::NONE;
        for d in locals.0 {
            out.text(d);
        }
        let has_declarations = out.lines.iter().any(|(l, _)| matches!(l, Line::Text(1, _)));
        for f in idle {
            out.text(format!("(void){};", self.name(f)));
        }
        if has_declarations && !body.lines.is_empty() {
            out.push(Line::Blank);
        }
        out.lines.extend(body.lines);
        if unit.kind == UnitKind::Main {
            out.text("return 0;");
        }
        out.place = last;
        out.close("}");
        // Procedures inside this one are functions of the file like all others.
        let mut outer: Vec<SymbolId> =
            self.used.iter().copied().filter(|s| self.program.symbol(*s).scope != unit.scope || self.units.contains_key(s)).collect();
        outer.sort_unstable();
        Function { lines: out.lines, outer }
    }

    /// The lines of a function. Text may leave out what the graph reads (branches with nothing in them, results that returns replace): what is
    /// stored for nobody then goes as well, or compilers warn of it.
    fn body_without_idle_stores(&mut self, unit: &Unit) -> Lines {
        self.body(unit);
        let mut unread: FxHashSet<SymbolId> = FxHashSet::default();
        loop {
            let before = unread.len();
            unread.extend(self.only_set.iter().copied().filter(|&s| self.is_private(unit, s)));
            if unread.len() == before {
                return std::mem::take(&mut self.out);
            }
            self.enter(unit);
            self.usage.unread.extend(&unread);
            self.body(unit);
        }
    }

    /// Parameters of a fixed signature that the body does not use; bounds of other parameters and of local variables count as use.
    fn idle_parameters(&self, unit: &Unit, used: &FxHashSet<SymbolId>, in_local_bounds: &[SymbolId]) -> Vec<SymbolId> {
        let needed: Vec<SymbolId> =
            unit.formals.iter().filter(|f| Some(f.symbol) != self.result && unit.kind != UnitKind::Main).map(|f| f.symbol).collect();
        let mut out: Vec<SymbolId> = Vec::new();
        for f in needed.iter().map(|f| self.components.get(f).map_or(*f, |c| c.base)) {
            let bounds = |g: &SymbolId| self.extents(*g).into_iter().skip(1).flatten().any(|e| e.refs().any(|r| r.symbol == f));
            if !out.contains(&f) && !used.contains(&f) && !in_local_bounds.contains(&f) && !needed.iter().any(bounds) {
                out.push(f);
            }
        }
        out
    }

    /// True for a scope of a unit that has statements: its inner units share its variables.
    fn is_host(&self, scope: xaif::model::ScopeId) -> bool {
        self.program.units.iter().any(|u| u.scope == scope && u.kind != UnitKind::Container)
    }

    fn check_host(&mut self, unit: &Unit) {
        let Some(host) = self.program.scopes.get(unit.scope.index()).and_then(|s| s.parent) else { return };
        let shared = self.usage.mentioned.iter().copied().filter(|&s| {
            let symbol = self.program.symbol(s);
            symbol.scope == host && symbol.kind != SymbolKind::Subroutine && *symbol.storage() != Storage::Constant
        });
        if let Some(s) = shared.min() {
            self.refuse(
                "OB5115",
                format!("`{}` is shared with the procedure around `{}`", self.source_name(s), self.source_name(unit.symbol)),
                "C has no functions inside functions",
                "pass it as an argument",
            );
        }
    }

    /// Refuses what the text names and another unit declares.
    fn check_places(&mut self, unit: &Unit) {
        let away = self.used.iter().copied().filter(|&s| {
            let symbol = self.program.symbol(s);
            let anywhere = matches!(symbol.storage(), Storage::Constant | Storage::Common(_)) || is_function_value(symbol);
            symbol.scope != unit.scope && symbol.kind != SymbolKind::Subroutine && !anywhere && self.is_host(symbol.scope)
        });
        if let Some(s) = away.min() {
            self.refuse(
                "OB5115",
                format!("`{}` belongs to another procedure than `{}`", self.source_name(s), self.source_name(unit.symbol)),
                "C has no functions inside functions",
                "pass it as an argument",
            );
        }
    }

    /// The comment over a function.
    fn heading(&self, unit: &Unit) -> Vec<String> {
        let mut comment = unit.comment.clone();
        if comment.trim().is_empty()
            && let Some(d) = unit.derivation
            && let Some(original) = self.program.units.get(d.of.index())
        {
            let name = &self.program.symbol(original.symbol).name;
            comment = match d.mode {
                Mode::Tangent => format!("Tangent of {name}."),
                Mode::Adjoint => format!("Adjoint of {name}."),
                Mode::Forward => format!("Forward sweep of the adjoint of {name}: computes and records."),
                Mode::Reverse => format!("Reverse sweep of the adjoint of {name}."),
            };
        }
        comment_lines(&comment)
    }

    /// Declarations of what the body uses, and the symbols that they mention.
    fn locals(&mut self, unit: &Unit) -> (Vec<String>, Vec<SymbolId>) {
        let body_used = self.used.clone();
        let mut declared: Vec<(SymbolId, Declaration)> = Vec::new();
        let (mut texts, mut cleared): (Vec<String>, Vec<SmolStr>) = Default::default();
        let mut done = std::collections::BTreeSet::new();
        // What a declaration mentions is declared as well.
        let order = self.local_order(unit);
        loop {
            let before = done.len();
            for &id in &order {
                if !self.used.contains(&id) || !done.insert(id) {
                    continue;
                }
                if let Some(text) = self.enumerator(id) {
                    texts.push(format!("{text};"));
                    continue;
                }
                let specifier = match self.program.symbol(id).storage() {
                    Storage::Static => "static ",
                    Storage::Constant if self.program.symbol(id).rank > 0 => "static ",
                    Storage::Extern => "extern ",
                    _ => "",
                };
                let mut d = self.variable(id, specifier);
                d.declarator.push_str(self.start_value(id));
                if xaif::members::is_structure(self.program.symbol(id)) && self.is_of_variable_length(id) {
                    cleared.push(self.name(id));
                }
                declared.push((id, d));
            }
            if done.len() == before {
                break;
            }
        }
        // Constants first (bounds may need them), then scalars, then arrays.
        let class = |p: &Self, s: SymbolId| {
            let symbol = p.program.symbol(s);
            match (symbol.storage(), symbol.rank) {
                (Storage::Constant, 0) => 0,
                (Storage::Constant, _) => 1,
                (_, 0) => 2,
                _ => 3,
            }
        };
        let mut place: Vec<(u32, SymbolId)> = Vec::new();
        for (id, _) in &declared {
            place.push((class(self, *id), *id));
        }
        place.sort();
        let mut line: Option<(String, Vec<String>)> = None;
        let by_id: std::collections::BTreeMap<SymbolId, Declaration> = declared.into_iter().collect();
        for (_, id) in place {
            let Some(d) = by_id.get(&id) else { continue };
            match &mut line {
                Some((head, list)) if *head == d.head => list.push(d.declarator.clone()),
                _ => {
                    texts.extend(line.take().map(|(h, l)| format!("{h} {};", l.join(", "))));
                    line = Some((d.head.clone(), vec![d.declarator.clone()]));
                }
            }
        }
        texts.extend(line.map(|(h, l)| format!("{h} {};", l.join(", "))));
        let mut own: Vec<(SmolStr, Vec<String>)> = Vec::new();
        for (ty, name) in std::mem::take(&mut self.extra_locals) {
            match own.iter_mut().find(|(t, _)| *t == ty) {
                Some((_, names)) => names.push(name.to_string()),
                None => own.push((ty, vec![name.to_string()])),
            }
        }
        texts.extend(own.into_iter().map(|(ty, names)| format!("{ty} {};", names.join(", "))));
        // C has no initial values for arrays of variable length.
        self.needs.string |= !cleared.is_empty();
        texts.extend(cleared.into_iter().map(|name| format!("memset({name}, 0, sizeof {name});")));
        let mentioned = self.used.iter().copied().filter(|s| !body_used.contains(s)).collect();
        (texts, mentioned)
    }

    /// Whether the extents of an array are no constants.
    fn is_of_variable_length(&self, id: SymbolId) -> bool {
        *self.program.symbol(id).storage() == Storage::Local
            && self.extents(id).iter().any(|e| e.as_ref().is_none_or(|e| e.as_int().is_none()))
    }

    /// What is recorded, or used on some path, before it is set for the first time has no value yet: C wants one.
    fn start_value(&self, id: SymbolId) -> &'static str {
        let symbol = self.program.symbol(id);
        if is_heap(symbol) && *symbol.storage() == Storage::Local {
            // Compilers do not see that it is used only where it was allocated.
            return " = NULL";
        }
        if xaif::members::is_structure(symbol) && *symbol.storage() == Storage::Local {
            // Some of its members may be there for calls only.
            return if self.is_of_variable_length(id) { "" } else { " = {0}" };
        }
        if !(self.usage.recorded.contains(&id) || self.unset.contains(&id)) || *symbol.storage() != Storage::Local || symbol.pointer {
            return "";
        }
        match symbol.rank {
            0 => " = 0",
            _ if self.extents(id).iter().all(|e| e.as_ref().is_some_and(|e| e.as_int().is_some())) => " = {0}",
            _ => "",
        }
    }

    /// The unit's own variables that are not arguments, in the order of the scope.
    fn local_order(&self, unit: &Unit) -> Vec<SymbolId> {
        let Some(scope) = self.program.scopes.get(unit.scope.index()) else { return Vec::new() };
        let formal = |s: SymbolId| {
            let own = unit.formals.iter().any(|f| f.symbol == s) && Some(s) != self.result;
            own || self.structures.contains(&s) || self.components.contains_key(&s)
        };
        scope
            .symbols
            .iter()
            .copied()
            .filter(|&s| {
                let symbol = self.program.symbol(s);
                let nothing = symbol.ty.base == BaseType::Void && symbol.rank == 0 && !symbol.pointer;
                let below = self.sites.loops.contains(&s) || self.sites.statements.contains_key(&s);
                symbol.kind != SymbolKind::Subroutine && !below && !formal(s) && !matches!(symbol.storage(), Storage::Common(_)) && !nothing
            })
            .collect()
    }
}

//! A file made from the model alone, and what all kinds of files need: includes, prototypes, variables at file scope.
//!
//! Lives here: the order of things in a file. Never here: the user's text (see `splice`).

use crate::unparse::facts::symbols::is_private;
use crate::unparse::language::c_types;
use crate::unparse::printer::{Needs, Printer};
use crate::unparse::text::layout::{Line, comment_lines, placed, render};
use crate::unparse::units::functions::Function;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use xaif::callbacks::is_function_value;
use xaif::lined::Lined;
use xaif::model::{BaseType, CallArgument, ScopeId, StmtKind, Storage, SymbolId, SymbolKind, UnitId, UnitKind};
use xaif::types;

/// A printed unit of a file.
pub(crate) struct Printed {
    pub unit: UnitId,
    pub function: Function,
    /// What it needs from elsewhere.
    pub needs: Needs,
}

/// The `#include` lines that printed code needs, without those that are there.
pub(crate) fn includes(needs: Needs, present: &[&str]) -> Vec<String> {
    let list = [
        (needs.float, "<float.h>"),
        (needs.limits, "<limits.h>"),
        (needs.math, "<math.h>"),
        (needs.stdio, "<stdio.h>"),
        (needs.stdlib, "<stdlib.h>"),
        (needs.string, "<string.h>"),
        (needs.runtime, "\"overbar.h\""),
    ];
    let there = |name: &str| present.contains(&name) || (name == "<math.h>" && present.contains(&"<tgmath.h>"));
    list.iter().filter(|(needed, name)| *needed && !there(name)).map(|(_, name)| format!("#include {name}")).collect()
}

impl Printer<'_> {
    /// Prints units in document order.
    pub fn print(&mut self, wanted: impl Fn(UnitId) -> bool) -> Vec<Printed> {
        let mut list = Vec::new();
        for id in self.program.unit_ids() {
            let unit = self.program.unit(id);
            if unit.is_container() || !wanted(id) {
                continue;
            }
            let before = std::mem::take(&mut self.needs);
            let function = self.function(unit);
            let needs = self.needs;
            self.needs = needs.with(before);
            list.push(Printed { unit: id, function, needs });
        }
        list
    }

    /// A prototype.
    pub fn prototype(&mut self, id: UnitId, bare: bool) -> String {
        let unit = self.program.unit(id);
        self.enter(unit);
        let prefixes = if bare { String::new() } else { self.prefixes(unit) };
        format!("{};", self.signature(unit, &prefixes, bare))
    }

    /// Prototypes of units that functions call before they are defined, in the order given. `known`: declared by other text.
    pub fn prototypes(&mut self, order: &[Printed], known: impl Fn(UnitId) -> bool) -> Vec<String> {
        let mut needed: BTreeSet<UnitId> = BTreeSet::new();
        let mut defined: FxHashSet<UnitId> = FxHashSet::default();
        for p in order {
            defined.insert(p.unit);
            for s in &p.function.outer {
                if let Some(callee) = self.unit_behind(*s)
                    && !defined.contains(&callee)
                    && !known(callee)
                    && !self.program.unit(callee).is_container()
                {
                    needed.insert(callee);
                }
            }
        }
        needed.into_iter().map(|u| self.prototype(u, false)).collect()
    }

    /// The unit that a symbol is, or stands for as a value.
    pub fn unit_behind(&self, s: SymbolId) -> Option<UnitId> {
        let symbol = self.program.symbol(s);
        if !is_function_value(symbol) {
            return self.units.get(&s).copied();
        }
        self.program.unit_ids().find(|&u| self.program.unit(u).derivation.is_none() && self.program.unit_name(u) == symbol.name)
    }

    /// Variables at file scope: of the file itself, of modules, of COMMON blocks; each derivative behind its original.
    pub fn file_symbols(&self) -> Vec<SymbolId> {
        let mut scopes = vec![ScopeId(0)];
        scopes.extend(self.program.units.iter().filter(|u| u.kind == UnitKind::Container).map(|u| u.scope));
        scopes.dedup();
        let own = scopes.iter().filter_map(|s| self.program.scopes.get(s.index())).flat_map(|s| s.symbols.iter().copied());
        let common = self.program.symbol_ids().filter(|&s| matches!(self.program.symbol(s).storage(), Storage::Common(_)));
        let mut list: Vec<SymbolId> = Vec::new();
        let mut seen = FxHashSet::default();
        for s in own.chain(common) {
            let symbol = self.program.symbol(s);
            let member = self.components.contains_key(&s) || symbol.name.contains('%');
            if !member
                && !is_function_value(symbol)
                && symbol.kind != SymbolKind::Subroutine
                && symbol.ty.base != BaseType::Void
                && seen.insert(s)
            {
                list.push(s);
            }
        }
        let original = |s: SymbolId| self.program.symbol(s).decl.as_ref().and_then(|d| d.derivative_of);
        let mut ordered = Vec::with_capacity(list.len());
        let mut derivatives: FxHashMap<SymbolId, Vec<SymbolId>> = FxHashMap::default();
        for &d in &list {
            if let Some(s) = original(d) {
                derivatives.entry(s).or_default().push(d);
            }
        }
        for &s in list.iter().filter(|&&s| !original(s).is_some_and(|o| seen.contains(&o))) {
            ordered.push(s);
            ordered.extend(derivatives.get(&s).into_iter().flatten());
        }
        ordered
    }

    /// The declaration of a variable at file scope.
    pub fn file_variable(&mut self, id: SymbolId) -> String {
        if let Some(text) = self.enumerator(id) {
            return format!("{text};");
        }
        let symbol = self.program.symbol(id);
        // A derivative lives as its original does.
        let like = self.program.symbol(symbol.decl.as_ref().and_then(|d| d.derivative_of).unwrap_or(id));
        let thread = if like.has_attribute("thread_local") { "_Thread_local " } else { "" };
        let linkage = match like.storage() {
            Storage::Extern => "extern ",
            _ if is_private(like) => "static ",
            _ => "",
        };
        let specifier = format!("{linkage}{thread}");
        self.names.enter_file();
        let d = self.variable(id, &specifier);
        format!("{};", d.text())
    }

    /// A file with every unit of the program.
    pub fn whole_file(&mut self) -> Lined {
        let printed = self.print(|_| true);
        let used: FxHashSet<SymbolId> = printed.iter().flat_map(|p| p.function.outer.iter().copied()).collect();
        let mut variables = Vec::new();
        let mut written: FxHashSet<String> = FxHashSet::default();
        let symbols = self.file_symbols();
        self.check_commons(&symbols);
        for s in symbols {
            let symbol = self.program.symbol(s);
            // A stock file does not say which symbols it declares, and lists registers of its compiler as well.
            let hidden = is_private(symbol) || *symbol.storage() == Storage::Extern || symbol.decl.is_none();
            if hidden && !used.contains(&s) && !self.bounds_use(&used, s) {
                continue;
            }
            let text = self.file_variable(s);
            if written.insert(text.clone()) {
                variables.push(text);
            }
        }
        let mut prototypes = self.externals(&used);
        prototypes.extend(self.prototypes(&printed, |_| false));
        let mut out = Lined::default();
        for line in comment_lines(&self.program.provenance) {
            out.push_str(&(line + "\n"));
        }
        self.sections(&mut out, &[includes(self.needs, &[]), variables, prototypes]);
        self.append(&mut out, &printed, "  ", false);
        out
    }

    /// Constants that the bounds of other variables at file scope mention.
    fn bounds_use(&self, used: &FxHashSet<SymbolId>, s: SymbolId) -> bool {
        *self.program.symbol(s).storage() == Storage::Constant
            && self.file_symbols().into_iter().filter(|o| *o != s).any(|o| {
                let kept = used.contains(&o) || !is_private(self.program.symbol(o));
                kept && self.extents(o).iter().flatten().any(|e| e.refs().any(|r| r.symbol == s))
            })
    }

    /// Groups of lines with an empty line between them.
    pub fn sections(&self, out: &mut Lined, groups: &[Vec<String>]) {
        for g in groups.iter().filter(|g| !g.is_empty()) {
            if !out.is_empty() {
                out.push_str("\n");
            }
            let lines: Vec<_> = g.iter().map(|l| Line::Text(0, l.clone())).collect();
            out.push_str(&render(&lines, "  "));
        }
    }

    /// Functions with an empty line before each. `provenance`: the comment of the whole goes over the first.
    pub fn append(&self, out: &mut Lined, printed: &[Printed], indent: &str, provenance: bool) {
        for (k, p) in printed.iter().enumerate() {
            if !out.is_empty() {
                out.push_str("\n");
            }
            if provenance && k == 0 {
                for line in comment_lines(&self.program.provenance) {
                    out.push_str(&(line + "\n"));
                }
            }
            out.append(&placed(&p.function.lines, indent, Some(p.unit)));
        }
    }

    /// Variables of COMMON blocks become variables of the file, which needs them to agree in all units.
    fn check_commons(&mut self, symbols: &[SymbolId]) {
        let mut blocks: std::collections::BTreeMap<(String, ScopeId), Vec<SymbolId>> = Default::default();
        for &s in symbols {
            if let Storage::Common(block) = self.program.symbol(s).storage() {
                blocks.entry((block.to_string(), self.program.symbol(s).scope)).or_default().push(s);
            }
        }
        let mut first: Option<(String, Vec<SymbolId>)> = None;
        for ((block, _), members) in blocks {
            let same = match &first {
                Some((name, other)) if *name == block => {
                    members.len() == other.len()
                        && members.iter().zip(other).all(|(&a, &b)| {
                            let (x, y) = (self.program.symbol(a), self.program.symbol(b));
                            self.program.same_name(&x.name, &y.name) && x.ty == y.ty && x.rank == y.rank
                        })
                }
                _ => {
                    first = Some((block.clone(), members));
                    continue;
                }
            };
            if !same {
                self.refuse(
                    "OB5110",
                    format!("the COMMON block /{block}/ has different variables in different units"),
                    "in C each becomes a variable of its own",
                    "give them the same names and types everywhere, or use a module",
                );
            }
        }
    }

    /// Prototypes of functions that are called but are not in the program.
    pub fn externals(&mut self, used: &FxHashSet<SymbolId>) -> Vec<String> {
        let mut list: Vec<SymbolId> = used
            .iter()
            .copied()
            .filter(|s| self.program.symbol(*s).kind == SymbolKind::Subroutine && !self.units.contains_key(s))
            .collect();
        list.sort_unstable();
        list.into_iter().filter_map(|s| self.external(s)).collect()
    }

    /// A prototype as the first call implies it.
    fn external(&mut self, callee: SymbolId) -> Option<String> {
        let symbol = self.program.symbol(callee);
        let call = self.program.units.iter().flat_map(|u| u.graph.node_weights()).flat_map(|v| v.stmts()).find_map(|s| match &s.kind {
            StmtKind::Call(c) if c.callee == callee => Some(c),
            _ => None,
        })?;
        let words: Vec<&str> = symbol.decl.iter().flat_map(|d| &d.attributes).filter_map(|a| a.strip_prefix("arg:")).collect();
        let returns = symbol.ty.base != BaseType::Void;
        let mut arguments: Vec<&CallArgument> = call.arguments.iter().collect();
        arguments.sort_by_key(|a| a.position);
        let result = if returns { c_types::of_elem(symbol.ty, false, self.c)?.text } else { "void".into() };
        if returns && arguments.len() > words.len() {
            arguments.pop();
        }
        let mut list = Vec::new();
        for (k, a) in arguments.iter().enumerate() {
            let ty = types::of(self.program, &a.value);
            let spelled = a.value.as_var().and_then(|r| c_types::of_symbol(self.program, self.program.symbol(r.symbol)));
            let c = spelled.or_else(|| c_types::of_elem(ty.elem, false, self.c));
            let Some(c) = c else {
                self.refuse(
                    "OB5109",
                    format!("`{}` is not in the program, and its arguments have no counterpart in C", symbol.name),
                    c_types::unsupported(ty.elem),
                    "add its text to the program",
                );
                return None;
            };
            let by_value = match words.get(k) {
                Some(w) => *w == "value",
                None => self.c && ty.rank == 0,
            };
            list.push(if by_value { c.text.to_string() } else { format!("{} *", c.text) });
        }
        let name = self.name(callee);
        let list = if list.is_empty() { "void".to_string() } else { list.join(", ") };
        Some(format!("{result} {name}({list});"))
    }
}

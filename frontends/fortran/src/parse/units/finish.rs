//! From lowered units to the program: what could not be represented is left out where that is sound.
//!
//! Lives here: the order of the passes and the fate of refused units. Never here: lowering itself.

use super::compact::compact;
use crate::parse::context::state::{Lower, Proc, ProcKind};
use crate::parse::context::structures::members_in;
use xaif::model::*;
use xaif::{Diagnostic, Program, Severity};

impl Lower<'_> {
    /// Runs all passes over the units that were found. With the program come warnings and the places of the units that were left out.
    pub fn finish(mut self, wanted: &[String], heads: &[String]) -> Result<(Program, Vec<Diagnostic>, Vec<Span>), Vec<Diagnostic>> {
        if !self.diagnostics.is_empty() {
            return Err(self.diagnostics);
        }
        if self.procs.is_empty() {
            let d = Diagnostic::error("OB3001", "the text has no program unit");
            return Err(if self.without_unit.is_empty() { vec![d] } else { self.without_unit });
        }
        let order = self.order();
        for &i in &order {
            // What is inside a unit that was refused cannot be understood either.
            if self.hosts_failed(i) {
                continue;
            }
            if self.procs[i].kind != ProcKind::Module
                && let Some(why) = self.names_lost(i)
            {
                self.procs[i].failed.push(why);
            }
            self.declare(i);
        }
        for &i in &order {
            if heads.iter().any(|w| w.eq_ignore_ascii_case(&self.procs[i].name)) {
                self.open_dummies(i);
            }
        }
        self.share_storage();
        if !self.diagnostics.is_empty() {
            return Err(self.diagnostics);
        }
        let mut units: Vec<Option<Unit>> = Vec::new();
        // Calls with procedures as arguments add units.
        while let Some(p) = self.procs.get(units.len()) {
            let i = units.len();
            let unit = if !p.interface_only && p.failed.is_empty() && !self.hosts_failed(i) { self.body(i) } else { None };
            units.push(unit);
        }
        self.leave_out(&mut units);
        let open = self.open_units(&mut units);
        self.leave_out(&mut units);
        self.assemble(units, open, wanted)
    }

    fn hosts_failed(&self, i: usize) -> bool {
        let mut at = self.procs[i].host;
        while let Some(h) = at {
            if !self.procs[h].failed.is_empty() {
                return true;
            }
            at = self.procs[h].host;
        }
        false
    }

    /// Calls of a unit that was left out become opaque statements; where that cannot be, the caller is left out as well.
    fn leave_out(&mut self, units: &mut [Option<Unit>]) {
        let globals: Vec<SymbolId> = self
            .p
            .symbol_ids()
            .filter(|&s| matches!(self.p.symbol(s).storage(), Storage::Global | Storage::Common(_) | Storage::Extern))
            .filter(|&s| self.p.symbol(s).kind != SymbolKind::Subroutine)
            .collect();
        loop {
            let mut changed = false;
            let versioned = self.versioned(units);
            for i in 0..units.len() {
                // A host shares its variables with its internal procedures, and they with it.
                let related =
                    |j: usize| self.procs[j].host == Some(i) && self.procs[i].kind != ProcKind::Module || self.procs[i].host == Some(j);
                let lost = (0..units.len()).find(|&j| units[j].is_none() && !self.procs[j].interface_only && !versioned[j] && related(j));
                if units[i].is_some()
                    && let Some(j) = lost
                {
                    let d = self.follow_up(i, j, "OB3050", "belongs together with");
                    self.procs[i].failed.push(d);
                    units[i] = None;
                    changed = true;
                    continue;
                }
                let Some(unit) = &mut units[i] else { continue };
                let (bad, outside) = self.without_left_out(i, unit, &globals);
                for (function, result) in outside {
                    let result = self.p.symbol(result);
                    let (ty, type_text) = (result.ty, result.decl.as_ref().map(|d| d.type_text.clone()).unwrap_or_default());
                    let symbol = self.p.symbol_mut(function);
                    symbol.ty = ty;
                    symbol.decl = Some(Box::new(Decl { storage: Storage::Extern, type_text, ..Decl::default() }));
                }
                if let Some(j) = bad {
                    let d = self.follow_up(i, j, "OB3050", "calls the function");
                    self.procs[i].failed.push(d);
                    units[i] = None;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Calls of subroutines that were left out become opaque statements. Hands back a function that is left out and needed, and functions that are by
    /// themselves, with their results.
    fn without_left_out(&self, i: usize, unit: &mut Unit, globals: &[SymbolId]) -> (Option<usize>, Vec<(SymbolId, SymbolId)>) {
        let mut bad = None;
        let mut outside: Vec<(SymbolId, SymbolId)> = Vec::new();
        for v in unit.graph.node_weights_mut() {
            let VertexKind::Block { stmts, .. } = &mut v.kind else { continue };
            for s in stmts {
                let StmtKind::Call(call) = &s.kind else { continue };
                let Some(&j) = self.proc_of.get(&call.callee) else { continue };
                let host = self.procs[j].host;
                let kept = self.procs[j].failed.is_empty() && host.is_none_or(|h| self.procs[h].failed.is_empty());
                if self.procs[j].interface_only || kept {
                    continue;
                }
                if self.procs[j].kind == ProcKind::Function {
                    // One that is by itself is like one of another file.
                    match self.procs[j].formals.iter().find(|f| f.result).filter(|_| self.by_itself(j)) {
                        Some(result) => outside.push((call.callee, result.symbol)),
                        None => bad = Some(j),
                    }
                    continue;
                }
                let mut used: Vec<SymbolId> = globals.to_vec();
                for a in &call.arguments {
                    a.value.for_each_ref(&mut |r| used.push(r.symbol));
                }
                // A unit that was left out may not know the components of its arguments.
                let members: Vec<SymbolId> = used.iter().flat_map(|s| members_in(&self.p, *s)).collect();
                used.extend(members);
                used.sort_unstable();
                used.dedup();
                // Its text names variables that only the original has.
                let scope = self.procs[i].scope;
                if self.overlaid_in(scope, &s.text) {
                    bad = Some(j);
                    continue;
                }
                let marker =
                    Marker { class: MarkerClass::Call, text: s.text.to_string(), reads: used.clone(), writes: used, ..Marker::default() };
                s.kind = StmtKind::Marker(Box::new(marker));
            }
        }
        (bad, outside)
    }

    /// Procedures that are refused for their dummy procedures alone, and are represented by versions for those that are passed.
    fn versioned(&self, units: &[Option<Unit>]) -> Vec<bool> {
        let made = self.procs.iter().zip(units).filter(|(p, u)| !p.bound.is_empty() && u.is_some());
        let made: rustc_hash::FxHashSet<(usize, usize)> = made.map(|(p, _)| (p.file, p.node.start_byte())).collect();
        let versioned = |p: &Proc| p.failed.iter().all(|d| d.code == "OB3030") && made.contains(&(p.file, p.node.start_byte()));
        self.procs.iter().map(versioned).collect()
    }

    /// Whether all that a procedure computes from, and may change, is handed to it, as far as its text and that of the procedures that it names tells.
    fn by_itself(&self, of: usize) -> bool {
        let mut seen = vec![of];
        let mut next = 0;
        while let Some(&i) = seen.get(next) {
            next += 1;
            if self.procs[i].host.is_some() {
                return false;
            }
            let text = self.files[self.procs[i].file].lower(self.procs[i].node);
            for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
                if matches!(word, "common" | "use" | "import" | "include") {
                    return false;
                }
                let named =
                    (0..self.procs.len()).filter(|&j| self.procs[j].name.eq_ignore_ascii_case(word) && !self.procs[j].interface_only);
                for j in named {
                    if !seen.contains(&j) {
                        seen.push(j);
                    }
                }
            }
        }
        true
    }

    fn follow_up(&self, i: usize, j: usize, code: &'static str, why: &str) -> Diagnostic {
        let file = &self.files[self.procs[i].file];
        let place = self.p.location(file.span(self.procs[i].node));
        Diagnostic::error(code, format!("`{}` {why} `{}`, which cannot be represented", self.procs[i].name, self.procs[j].name)).at(place)
    }

    fn assemble(
        mut self,
        units: Vec<Option<Unit>>,
        open: Vec<Unit>,
        wanted: &[String],
    ) -> Result<(Program, Vec<Diagnostic>, Vec<Span>), Vec<Diagnostic>> {
        let mut problems = std::mem::take(&mut self.without_unit);
        let versioned = self.versioned(&units);
        let gone = |i: &usize| units[*i].is_none() && !versioned[*i] && !self.procs[*i].interface_only;
        let left_out = (0..units.len()).filter(gone).map(|i| self.files[self.procs[i].file].span(self.procs[i].node)).collect();
        let needed = self.asked_for(wanted);
        let mut all = Vec::new();
        for (i, (p, versioned)) in self.procs.iter_mut().zip(versioned).enumerate() {
            if versioned {
                p.failed.clear();
            }
            if wanted.iter().any(|w| w.eq_ignore_ascii_case(&p.name)) {
                p.failed.iter_mut().for_each(|d| d.unit = Some(p.name.clone().into_boxed_str()));
            }
            all.extend(p.failed.iter().cloned());
            if needed.as_ref().is_none_or(|n| n.contains(&i)) {
                problems.append(&mut p.failed);
            }
        }
        let usable = units.iter().flatten().any(|u| u.kind != UnitKind::Container) || all.is_empty() && problems.is_empty();
        if !usable {
            return Err(if problems.is_empty() { all } else { problems });
        }
        let mut ids = vec![None; units.len()];
        for (i, u) in units.into_iter().enumerate() {
            if let Some(u) = u {
                ids[i] = Some(self.p.add_unit(u));
            }
        }
        let mut calls: Vec<(UnitId, UnitId)> =
            self.calls.iter().filter_map(|&(a, b)| Some((ids.get(a).copied()??, ids.get(b).copied()??))).collect();
        calls.sort_unstable();
        for (caller, callee) in calls {
            self.p.calls.push(CallEdge { id: Default::default(), caller, callee, extras: Extras::default() });
        }
        for unit in open {
            let symbol = unit.symbol;
            let callee = self.p.add_unit(unit);
            self.p.units[callee.index()].graph = xaif::open::body(&mut self.p, callee);
            let calls = |s: &Stmt| matches!(&s.kind, StmtKind::Call(c) if c.callee == symbol);
            let callers = |u: &UnitId| self.p.unit(*u).graph.node_weights().flat_map(|v| v.stmts()).any(|s| calls(s));
            let callers: Vec<UnitId> = self.p.unit_ids().filter(callers).collect();
            let edges = callers.into_iter().map(|caller| CallEdge { id: Default::default(), caller, callee, extras: Extras::default() });
            self.p.calls.extend(edges);
        }
        compact(&mut self.p);
        for d in &mut problems {
            d.severity = Severity::Warning;
            if d.reason.is_none() {
                d.reason = Some("the unit around it is left out of the program; calls of it are opaque statements".into());
            }
        }
        Ok((self.p, problems, left_out))
    }
}

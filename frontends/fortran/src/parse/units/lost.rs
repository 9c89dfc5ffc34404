//! What is lost with text that is not understood: units, and units that name what a module declares with it.
//!
//! Lives here: who is lost, and why. Never here: which text is not understood.

use crate::parse::context::state::{LostNames, Lower, ProcKind};
use crate::parse::text::declared;
use crate::parse::text::tree::{child, children};
use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;
use xaif::Diagnostic;

impl<'t> Lower<'t> {
    /// Why a unit is lost before anything of it is looked at; what is lost with names is noted under its position, which is the next one.
    pub fn lost_units(&mut self, node: Node<'t>) -> Vec<Diagnostic> {
        let file = self.file();
        let head = node.start_position().row;
        let mut out = Vec::new();
        for lost in file.lost.iter().filter(|l| l.head == head) {
            let why = lost.error.clone().diagnostic(&self.p, file.id);
            match &lost.names {
                None => out.push(why),
                Some(names) => self.lost_names.push(LostNames { module: self.procs.len(), names: names.clone(), why }),
            }
        }
        out
    }

    /// Notes that a declaration of a module is lost, and those who name what is in it.
    pub fn lose_declaration(&mut self, module: usize, node: Node<'t>, why: Diagnostic) {
        let text = self.statements_text(node);
        let names = declared::names(&text.lines().collect::<Vec<_>>());
        self.lost_names.push(LostNames { module, names, why });
    }

    /// Why a unit cannot be represented: it names what is lost of a module that it sees.
    pub fn names_lost(&mut self, proc: usize) -> Option<Diagnostic> {
        if self.lost_names.is_empty() {
            return None;
        }
        let seen = self.modules_seen(proc);
        let text = self.files[self.procs[proc].file].lower(self.procs[proc].node);
        let words: FxHashSet<&str> = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
        let lost = self.lost_names.iter().find(|l| seen.contains(&l.module) && l.names.iter().any(|n| words.contains(n.as_str())))?;
        let name = lost.names.iter().filter(|n| words.contains(n.as_str())).min().cloned().unwrap_or_default();
        let reason = format!("`{}` names `{name}`, and the declaration is not understood", self.procs[proc].name);
        Some(lost.why.clone().because(reason))
    }

    /// What units of these names may come to, as far as the words of their texts tell: by position. `None`: nobody said what is wanted, or it is not here.
    pub fn asked_for(&self, wanted: &[String]) -> Option<FxHashSet<usize>> {
        let mut by_name: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (i, p) in self.procs.iter().enumerate() {
            by_name.entry(&p.name).or_default().push(i);
        }
        // A generic name, or that of a bound procedure, stands for others: who wants one wants all that are so named.
        let generics = self.info.iter().flat_map(|i| &i.generics);
        let mut others: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
        for (name, specifics) in generics {
            others.entry(name).or_default().extend(specifics.iter().map(String::as_str));
        }
        let mut next: Vec<usize> = wanted.iter().filter_map(|w| by_name.get(w.to_ascii_lowercase().as_str())).flatten().copied().collect();
        if next.is_empty() {
            return None;
        }
        // Bound procedures are named by their types alone.
        let definitions = self.definitions.get().into_iter().flatten().flat_map(|(_, all)| all);
        let bound: FxHashSet<String> = definitions
            .flat_map(|&(file, node)| {
                let text = self.files[file].lower(node);
                let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').map(str::to_owned);
                words.collect::<Vec<_>>()
            })
            .collect();
        let mut seen = FxHashSet::default();
        while let Some(i) = next.pop() {
            if !seen.insert(i) {
                continue;
            }
            next.extend(self.procs[i].host);
            // What a module holds is not all needed by those who use it.
            if self.procs[i].kind == ProcKind::Module {
                continue;
            }
            let text = self.files[self.procs[i].file].lower(self.procs[i].node);
            if text.contains('%') {
                next.extend(bound.iter().filter_map(|w| by_name.get(w.as_str())).flatten());
            }
            for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
                next.extend(by_name.get(word).into_iter().flatten());
                next.extend(others.get(word).into_iter().flatten().filter_map(|w| by_name.get(w)).flatten());
            }
        }
        Some(seen)
    }

    /// The modules whose names a unit may use: those around it, and those that these and it itself use.
    fn modules_seen(&self, proc: usize) -> FxHashSet<usize> {
        let mut seen = FxHashSet::default();
        let mut next = vec![proc];
        while let Some(p) = next.pop() {
            if !seen.insert(p) {
                continue;
            }
            next.extend(self.procs[p].host);
            let file = &self.files[self.procs[p].file];
            for u in children(self.procs[p].node).into_iter().filter(|c| c.kind() == "use_statement") {
                let name = child(u, "module_name").map(|n| file.lower(n)).unwrap_or_default();
                next.extend((0..self.procs.len()).filter(|&m| self.procs[m].name == name && self.procs[m].host.is_none() && m != p));
            }
        }
        seen
    }
}

//! Where the pointers of a function may point to, as far as its text tells.
//!
//! Lives here: questions about targets, null among them. Never here: exchanges (see
//! `pointer_exchanges`), what becomes of pointers.

use super::function::{Event, Facts, Kind, Origin, Swap};
use lang_c::span::Span;

impl Facts {
    /// The arrays that a pointer points into, parameters and memory of its own among them; `None` where one is not known.
    pub fn roots(&self, v: usize) -> Option<Vec<usize>> {
        let (mut seen, mut todo, mut roots) = (vec![v], vec![v], Vec::new());
        while let Some(v) = todo.pop() {
            let var = self.vars.get(v)?;
            let own = var.parameter.is_some() || var.origins.is_empty() || var.origins.contains(&Origin::Allocation);
            if own {
                roots.push(v);
            }
            for o in &var.origins {
                match o {
                    Origin::Variable(w) if !seen.contains(w) => {
                        seen.push(*w);
                        todo.push(*w);
                    }
                    Origin::Other => return None,
                    _ => {}
                }
            }
        }
        roots.sort_unstable();
        Some(roots)
    }

    /// Whether pointers take turns at their targets: each has one of its own at first, and nothing but such exchanges changes them.
    pub fn may_turn(&self, s: &Swap) -> bool {
        let unused = self.vars[s.between].origins.is_empty() && !self.all().iter().any(|e| e.kind != Kind::Call && e.var == s.between);
        let writes = |v: usize| self.writes(v);
        let one = |v: usize| {
            let var = &self.vars[v];
            let first = match var.parameter {
                Some(_) => writes(v) == 0 && var.origins.is_empty(),
                None => writes(v) == 1 && matches!(var.origins[..], [Origin::Variable(w)] if !s.turn.contains(&w)),
            };
            first && var.memory && !var.global && !var.stepped && !var.address
        };
        let apart = |o: &Swap| o.turn == s.turn || !o.turn.iter().any(|v| s.turn.contains(v));
        unused && s.turn.iter().all(|&v| one(v)) && self.swaps.iter().all(apart)
    }

    /// The exchange that a pointer takes turns by.
    pub fn turn_of(&self, v: usize) -> Option<&Swap> {
        self.swaps.iter().find(|s| s.turning && s.turn.contains(&v))
    }

    /// Whether a pointer gets another target between two bytes.
    pub fn gets_target(&self, v: usize, span: Span) -> bool {
        self.vars[v].given.iter().any(|&at| (span.start..span.end).contains(&at))
    }

    /// Whether an event asks where a pointer is: being stepped does not.
    pub fn asks_target(&self, e: &Event) -> bool {
        let stepped = || {
            let same = |x: &&Event| x.offset == e.offset && x.var == e.var;
            let here: Vec<&Event> = self.events(e.offset, e.offset + 1).iter().filter(same).collect();
            here.iter().any(|x| x.kind == Kind::Write) && here.iter().all(|x| matches!(x.kind, Kind::Read | Kind::Write))
        };
        // Freed is the pointer's own memory, wherever else it may point to.
        let freed = |x: &Event| x.kind == Kind::Handed && x.call.is_some_and(|(k, _)| self.callees[k] == "free");
        let is_freed = || self.events(e.offset, e.offset + 1).iter().any(|x| x.var == e.var && freed(x));
        match e.kind {
            Kind::Call | Kind::Write => false,
            Kind::Read => !stepped() && !is_freed() && !self.only_compares(e),
            Kind::Handed => !freed(e),
            _ => true,
        }
    }

    /// Whether an event is a comparison that integers answer: see `Lower::compared_with_array`.
    fn only_compares(&self, e: &Event) -> bool {
        self.compared.get(&e.offset).is_some_and(|&null| !null || self.may_be_null(e.var))
    }

    /// No exchange of pointers that is dealt with as a whole sets it.
    pub fn changes_only_by_name(&self, v: usize) -> bool {
        self.swaps.iter().all(|s| !s.turn.contains(&v) && s.between != v)
    }

    /// A pointer that is only ever set to arrays themselves.
    pub fn stays_at_start(&self, v: usize) -> bool {
        let var = &self.vars[v];
        let whole = |o: &Origin| match o {
            Origin::Variable(w) => {
                let from = &self.vars[*w];
                *w == v || from.origins.is_empty() && !from.stepped || from.origins.contains(&Origin::Allocation)
            }
            Origin::Null | Origin::Allocation => true,
            _ => false,
        };
        !var.stepped && !var.offset && var.origins.iter().all(whole)
    }

    /// Whether a pointer of the function is null at times: null is among its values, or those of a pointer that it is set to.
    pub fn may_be_null(&self, v: usize) -> bool {
        let (mut seen, mut todo) = (vec![v], vec![v]);
        while let Some(v) = todo.pop() {
            let var = &self.vars[v];
            if !var.memory || var.global {
                continue;
            }
            if var.origins.contains(&Origin::Null) {
                return true;
            }
            for o in &var.origins {
                if let Origin::Variable(w) = o
                    && !seen.contains(w)
                {
                    seen.push(*w);
                    todo.push(*w);
                }
            }
        }
        false
    }
}

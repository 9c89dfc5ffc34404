//! The arrays and structures that a pointer's targets lie in, members of structures among them.
//!
//! ```text
//! rx = li > lj ? e->ri : e->rj;      ->      what e->ri and e->rj point to
//! p = &m->point[k];                  ->      what m->point points to
//! ```
//!
//! Lives here: the variables, found by names alone, before the targets are given. Never here: where in them the pointer is (see `pointer_reassignment`).

use crate::parse::context::state::Lower;
use lang_c::span::Span;
use smol_str::SmolStr;
use xaif::model::SymbolId;

impl Lower<'_> {
    /// The variables that the targets of a pointer lie in; `None` where one is not known here.
    pub fn target_bases(&mut self, fact: usize, span: Span) -> Option<Vec<SymbolId>> {
        let mut bases = Vec::new();
        self.add_target_bases(fact, span, &mut vec![fact], &mut bases)?;
        Some(bases)
    }

    fn add_target_bases(&mut self, fact: usize, span: Span, seen: &mut Vec<usize>, bases: &mut Vec<SymbolId>) -> Option<()> {
        let facts = self.body().facts.clone();
        for target in &facts.vars[fact].targets {
            let target = target.as_ref()?;
            let root = &facts.vars[target.variable];
            let roots = match self.base_of(target.variable) {
                Some(base) => vec![base],
                // Another pointer of the function, which may have several targets itself.
                None if root.parameter.is_none() && !root.global && !root.targets.is_empty() => {
                    if seen.contains(&target.variable) {
                        continue;
                    }
                    seen.push(target.variable);
                    let mut theirs = Vec::new();
                    self.add_target_bases(target.variable, span, seen, &mut theirs)?;
                    theirs
                }
                None => return None,
            };
            for root in roots {
                let base = self.base_of_members(root, &target.members, span)?;
                if !bases.contains(&base) {
                    bases.push(base);
                }
            }
        }
        Some(())
    }

    /// The variable of a member of a structure, or of what one points to.
    fn base_of_members(&mut self, mut base: SymbolId, members: &[SmolStr], span: Span) -> Option<SymbolId> {
        for name in members {
            if let Some(target) = self.targets.get(&(base, name.clone())) {
                base = target.base;
                continue;
            }
            let ty = self.structures.get(&base).cloned()?;
            let found = self.field(&ty, name).filter(|f| f.overlay.is_none())?;
            base = self.member_symbol(base, &found, span).ok()?;
        }
        Some(base)
    }
}

//! Activity patterns: calls of a unit that need less of its derivative than all calls together.
//!
//! The activity of a unit is that of all its calls in one: where one call hands over an `a` that varies and another one a `b`, the unit's derivative
//! has both. Here it is asked for each group of calls what would be active if they had the unit to themselves,
//!
//! ```text
//! pattern(c)   =  (formals and shared objects that the call c hands over varied, those that are useful behind it)
//! active(P)    =  the equations of the unit with the union of the patterns of P at its entry and exit
//! ```
//!
//! and a group for which that is less than for the unit as it is gets a unit of its own. The calls for which most is active stay. Units that call themselves, that keep
//! something from one call to the next, or that heads ask for, are left as they are.
//!
//! There are at most as many patterns as calls, and units of their own get patterns in turn a fixed number of times.
//!
//! Lives here: which calls these are. Never here: how a program gets the units.

use super::heads::ResolvedHead;
use super::solver::Solver;
use crate::analysis::dataflow::bits::Bits;
use crate::analysis::program::table::Step;
use std::collections::{BTreeMap, BTreeSet};
use xaif::model::{SymbolId, UnitId, VertexId};

/// A unit has at most so many variants.
const MOST: usize = 4;

/// A call: the caller, the vertex, and the statement in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// The unit in which it stands.
    pub caller: UnitId,
    /// The block.
    pub vertex: VertexId,
    /// The statement.
    pub statement: usize,
}

/// Calls that would rather have a unit of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The unit that they call.
    pub unit: UnitId,
    /// Another copy of that unit, of which they need the same.
    pub like: Option<UnitId>,
    /// The calls.
    pub sites: Vec<Site>,
}

/// What a call hands over varied, and what is useful behind it: numbers of objects of the callee, in ascending order.
type Handed = (Vec<u32>, Vec<u32>);

/// Calls with one pattern, or with several that make the same active.
struct Group {
    active: BTreeSet<SymbolId>,
    sites: Vec<Site>,
}

impl Solver<'_> {
    /// The calls for which it pays, once the equations are solved.
    pub(super) fn patterns(&mut self, heads: &[ResolvedHead]) -> Vec<Pattern> {
        let mut by_unit: BTreeMap<UnitId, BTreeMap<Handed, Vec<Site>>> = BTreeMap::new();
        let callers: Vec<UnitId> = self.program.unit_ids().filter(|u| self.reached[u.index()]).collect();
        for caller in callers {
            let table = &self.facts.tables[caller.index()];
            for (&(vertex, statement), info) in &self.calls[caller.index()] {
                let Some(Step::Call(c)) = table.steps.get(vertex).and_then(|s| s.get(statement)) else { continue };
                let Some(callee) = c.callee else { continue };
                let set = |list: &[u32]| list.iter().copied().collect::<BTreeSet<u32>>().into_iter().collect::<Vec<u32>>();
                let pattern = (set(&info.pattern.0), set(&info.pattern.1));
                let site = Site { caller, vertex: VertexId::new(vertex), statement };
                by_unit.entry(callee).or_default().entry(pattern).or_default().push(site);
            }
        }
        let several = by_unit.into_iter().filter(|(_, patterns)| patterns.len() > 1);
        let several: Vec<_> = several.filter(|(unit, _)| self.may_be_copied(*unit, heads)).collect();
        several.into_iter().flat_map(|(unit, patterns)| self.of_unit(unit, patterns)).collect()
    }

    /// Whether a copy of the unit does what the unit does.
    fn may_be_copied(&self, unit: UnitId, heads: &[ResolvedHead]) -> bool {
        let u = self.program.unit(unit);
        let hosts = self.program.units.iter().any(|o| self.program.scope(o.scope).parent == Some(u.scope));
        self.reached[unit.index()]
            && u.graph.node_count() > 0
            && heads.iter().all(|h| h.unit != unit)
            && !self.facts.externals.has(unit)
            && !hosts
            && self.facts.kept.in_unit(unit).is_empty()
            && !self.facts.calls_itself(unit)
    }

    /// The calls of one unit for which it pays.
    fn of_unit(&mut self, unit: UnitId, patterns: BTreeMap<Handed, Vec<Site>>) -> Vec<Pattern> {
        let whole = self.of_all(unit);
        let mut groups: Vec<Group> = Vec::new();
        for (pattern, sites) in patterns {
            let active = self.active(unit.index(), &pattern);
            match groups.iter_mut().find(|g| g.active == active) {
                Some(g) => g.sites.extend(sites),
                None => groups.push(Group { active, sites }),
            }
        }
        groups.iter_mut().for_each(|g| g.sites.sort_unstable());
        // The least come first; what stays with the unit, and what is too much, last.
        groups.sort_by(|a, b| (a.active.len(), &a.sites).cmp(&(b.active.len(), &b.sites)));
        groups.pop();
        groups.retain(|g| g.active.len() < whole.len());
        let mut siblings = Vec::new();
        for sibling in self.siblings(unit) {
            let active = self.of_all(sibling);
            siblings.push((sibling, self.outline(sibling, &active)));
        }
        let mut room = MOST.saturating_sub(siblings.len());
        let mut out = Vec::new();
        for Group { active, sites } in groups {
            let outline = self.outline(unit, &active);
            let like = siblings.iter().find(|(_, o)| *o == outline).map(|(s, _)| *s);
            if like.is_some() || room > 0 {
                room -= usize::from(like.is_none());
                out.push(Pattern { unit, like, sites });
            }
        }
        out
    }

    /// Other units that are the same code.
    fn siblings(&self, unit: UnitId) -> Vec<UnitId> {
        let original = |u: UnitId| self.facts.variants.get(&u).copied().unwrap_or(u);
        let mut out: Vec<UnitId> = self.facts.variants.keys().copied().chain([original(unit)]).collect();
        out.retain(|&u| u != unit && original(u) == original(unit) && self.reached[u.index()]);
        out.sort_unstable();
        out
    }

    /// What is active in a unit for all its calls.
    fn of_all(&mut self, unit: UnitId) -> BTreeSet<SymbolId> {
        let k = unit.index();
        let all = (self.entry_varied[k].iter().collect(), self.exit_useful[k].iter().collect());
        self.active(k, &all)
    }

    /// What callers see of what is active in a unit: which of its arguments, by position, and which shared objects.
    fn outline(&self, unit: UnitId, active: &BTreeSet<SymbolId>) -> (Vec<bool>, Vec<SymbolId>) {
        let formals = &self.program.unit(unit).formals;
        let arguments = formals.iter().map(|f| active.contains(&self.facts.objects.canonical(f.symbol))).collect();
        (arguments, active.iter().copied().filter(|&s| self.facts.objects.is_shared(unit, s)).collect())
    }

    /// What is active in a unit that is entered with these objects varied, and left with these useful; both are among those of all calls.
    fn active(&mut self, k: usize, (varied, useful): &Handed) -> BTreeSet<SymbolId> {
        let size = self.size(k);
        let bits = |list: &[u32]| {
            let mut out = Bits::none(size);
            list.iter().for_each(|&n| out.add(n));
            out
        };
        // Nothing grows in other units: what reaches them has reached them before.
        let before = [
            std::mem::replace(&mut self.entry_varied[k], bits(varied)),
            std::mem::replace(&mut self.exit_useful[k], bits(useful)),
            std::mem::replace(&mut self.exit_varied[k], Bits::none(size)),
            std::mem::replace(&mut self.entry_useful[k], Bits::none(size)),
        ];
        let active = self.record(k).active;
        [self.entry_varied[k], self.exit_useful[k], self.exit_varied[k], self.entry_useful[k]] = before;
        active
    }
}

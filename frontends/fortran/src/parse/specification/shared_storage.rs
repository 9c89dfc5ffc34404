//! EQUIVALENCE, and COMMON blocks that units lay out differently: what shares memory becomes one array, of which the names are parts.
//!
//! ```text
//! common /c/ a, b(2)      and      common /c/ v(3)       ->     one array of three elements in both units; `b(i)` is its element i + 1
//! ```
//!
//! Only variables of one type can be parts of an array: runs of one type must lie at the same places of a block in all units. Where they do not, the block stays
//! as it is declared. Lives here: who shares memory, and at which place. Never here: references (see `overlaid`).

use crate::parse::context::overlays::{Overlay, Run};
use crate::parse::context::state::{Lower, Lowered, ProcKind, Refusal};
use crate::parse::context::terms::Val;
use crate::parse::text::tree::{named, walk};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use tree_sitter::Node;
use xaif::model::*;

/// What shares memory: variables with their places, counted in elements from any one of them.
#[derive(Clone)]
struct Store {
    ty: ElemType,
    members: Vec<(SymbolId, i64)>,
    /// The COMMON block with the length of the run, which begins at 0.
    block: Option<(String, i64)>,
}

/// A variable, the elements of the array before it, and its bounds.
type Part = (SymbolId, i64, Vec<(i64, i64)>);

/// Types and extents of a block's variables.
type Shape = Vec<(ElemType, Vec<i64>)>;

/// The COMMON blocks that are laid out anew, with their runs.
type Blocks = BTreeMap<String, Vec<Run>>;

impl<'t> Lower<'t> {
    /// Finds what shares memory in all units, once they are declared.
    pub fn share_storage(&mut self) {
        let units: Vec<usize> =
            (0..self.procs.len()).filter(|&i| self.procs[i].failed.is_empty() && !self.procs[i].interface_only).collect();
        let blocks = self.blocks(&units);
        for i in units {
            let info = &self.info[self.procs[i].scope.index()];
            if info.equivalences.is_empty() && !info.commons.iter().any(|(n, _)| blocks.contains_key(n.as_str())) {
                continue;
            }
            self.enter(i);
            if let Err(why) = self.share_in(i, &blocks) {
                self.procs[i].failed.push(*why);
            }
        }
    }

    /// The blocks that units declare differently, or of which EQUIVALENCE names a part, as far as their runs agree.
    fn blocks(&mut self, units: &[usize]) -> Blocks {
        let mut layouts: BTreeMap<String, Vec<Option<Vec<Run>>>> = BTreeMap::new();
        let mut shapes: BTreeMap<String, Vec<Shape>> = BTreeMap::new();
        let mut named_parts: Vec<String> = Vec::new();
        for &i in units {
            let scope = self.procs[i].scope;
            let commons = self.info[scope.index()].commons.clone();
            if commons.is_empty() {
                continue;
            }
            self.enter(i);
            let parts = self.equivalent_symbols(scope);
            let kept = self.names_kept_as_text(self.procs[i].node);
            for (name, members) in commons {
                let module = self.procs[i].kind == ProcKind::Module;
                let mut list = Some(Vec::new());
                let mut shape = Vec::new();
                for &m in &members {
                    let s = self.p.symbol(m);
                    let plain = !module
                        && !kept.contains(&s.name.to_ascii_lowercase())
                        && is_plain(s)
                        && s.kind == SymbolKind::Variable
                        && !is_initialized(s);
                    let (ty, extents) = (s.ty, self.extents_of(m).filter(|_| plain));
                    shape.push((ty, extents.iter().flatten().map(|e| e.1).collect()));
                    match (&mut list, extents.and_then(|e| count(&e))) {
                        // What has no elements has no place.
                        (Some(l), Some(length)) if length > 0 => l.push(Run { ty, length }),
                        _ => list = None,
                    }
                    if parts.contains(&m) && !named_parts.contains(&name.to_string()) {
                        named_parts.push(name.to_string());
                    }
                }
                layouts.entry(name.to_string()).or_default().push(list);
                shapes.entry(name.to_string()).or_default().push(shape);
            }
        }
        let mut out = Blocks::new();
        for (name, lists) in layouts {
            let differ = shapes[&name].windows(2).any(|w| w[0] != w[1]);
            if !differ && !named_parts.contains(&name) {
                continue;
            }
            let lists: Option<Vec<Vec<Run>>> = lists.into_iter().map(|l| Some(merged(l?.into_iter()))).collect();
            if let Some(runs) = lists.and_then(|l| common_runs(&l)) {
                out.insert(name, runs);
            }
        }
        out
    }

    /// The names in statements that stay as they are: other ones cannot stand there.
    fn names_kept_as_text(&self, unit: Node<'t>) -> FxHashSet<String> {
        let mut out = FxHashSet::default();
        walk(unit, &mut |n| {
            let kept = n.kind() == "namelist_statement"
                || n.kind().ends_with("_statement")
                    && matches!(
                        n.kind().split('_').next(),
                        Some("print" | "write" | "read" | "open" | "close" | "inquire" | "stop" | "file")
                    );
            if kept {
                walk(n, &mut |m| {
                    if m.kind() == "identifier" {
                        out.insert(self.lower(m));
                    }
                    true
                });
            }
            !kept
        });
        out
    }

    /// The variables that EQUIVALENCE names in a scope.
    fn equivalent_symbols(&self, scope: ScopeId) -> Vec<SymbolId> {
        let sets = self.info[scope.index()].equivalences.iter().flat_map(|n| named(*n));
        let objects = sets.flat_map(named).filter_map(|o| if o.kind() == "call_expression" { named(o).first().copied() } else { Some(o) });
        objects.filter_map(|n| self.names.get(&(scope, self.lower(n))).copied()).collect()
    }

    /// The variables of a unit that share memory, as parts of arrays.
    fn share_in(&mut self, proc: usize, blocks: &Blocks) -> Lowered<()> {
        let scope = self.procs[proc].scope;
        let mut stores = self.block_stores(scope, blocks);
        for statement in self.info[scope.index()].equivalences.clone() {
            for set in named(statement) {
                let mut first: Option<(SymbolId, i64)> = None;
                for object in named(set) {
                    let (symbol, at) = self.equivalent(object)?;
                    match first {
                        Some((other, there)) => self.same_place((other, symbol), there - at, &mut stores, set)?,
                        None => first = Some((symbol, at)),
                    }
                }
            }
        }
        for store in stores {
            self.make_storage(proc, store)?;
        }
        Ok(())
    }

    /// The runs of the blocks that are laid out anew, with their members.
    fn block_stores(&self, scope: ScopeId, blocks: &Blocks) -> Vec<Store> {
        let mut out: Vec<Store> = Vec::new();
        for (name, members) in &self.info[scope.index()].commons {
            let Some(runs) = blocks.get(name.as_str()) else { continue };
            let from = out.len();
            out.extend(runs.iter().map(|r| Store { ty: r.ty, members: Vec::new(), block: Some((name.to_string(), r.length)) }));
            let (mut run, mut at) = (0, 0);
            for &m in members {
                if self.p.symbol(m).ty != runs[run].ty {
                    (run, at) = (run + 1, 0);
                }
                out[from + run].members.push((m, at));
                at += self.extents_of(m).as_deref().and_then(count).unwrap_or(1);
            }
        }
        out
    }

    /// A variable or an element that EQUIVALENCE names: the variable, and how many elements of it come before.
    fn equivalent(&mut self, object: Node<'t>) -> Lowered<(SymbolId, i64)> {
        let name = if object.kind() == "call_expression" { named(object).first().copied().unwrap_or(object) } else { object };
        if name.kind() != "identifier" {
            return Err(self.unshared(object, "EQUIVALENCE of something else than variables and elements"));
        }
        let symbol = self.entity(name);
        self.apply_implicit(symbol);
        let s = self.p.symbol(symbol);
        let odd = ["allocatable", "pointer", "target", "volatile"].iter().any(|a| s.has_attribute(a));
        let placed = matches!(s.storage(), Storage::Local | Storage::Static | Storage::Common(_));
        if odd || !placed || !is_plain(s) || s.kind != SymbolKind::Variable {
            return Err(self.unshared(object, format!("EQUIVALENCE of `{}`, which is no plain variable of numbers", self.text(name))));
        }
        let unknown = |l: &Self| l.unshared(object, "EQUIVALENCE with bounds or subscripts that have no known value");
        let dims = self.extents_of(symbol).ok_or_else(|| unknown(self))?;
        let list = if object.kind() == "call_expression" { named(object).get(1).copied() } else { None };
        let subscripts: Option<Vec<i64>> = list.map(named).unwrap_or_default().into_iter().map(|n| self.const_int(n)).collect();
        let subscripts = subscripts.ok_or_else(|| unknown(self))?;
        let (mut at, mut step) = (0i64, 1i64);
        for (k, (lower, n)) in dims.iter().enumerate() {
            let i = subscripts.get(k).map_or(0, |i| i.saturating_sub(*lower));
            at = i.checked_mul(step).and_then(|i| at.checked_add(i)).ok_or_else(|| unknown(self))?;
            step = step.checked_mul(*n).ok_or_else(|| unknown(self))?;
        }
        if !subscripts.is_empty() && subscripts.len() != dims.len() {
            return Err(unknown(self));
        }
        Ok((symbol, at))
    }

    /// Notes that one variable begins so many elements behind another one.
    fn same_place(&self, (a, b): (SymbolId, SymbolId), distance: i64, stores: &mut Vec<Store>, node: Node<'t>) -> Lowered<()> {
        let (ta, tb) = (self.p.symbol(a).ty, self.p.symbol(b).ty);
        if ta != tb {
            return Err(self.unshared(node, "EQUIVALENCE of variables of different types or kinds"));
        }
        let place = |stores: &[Store], s: SymbolId| {
            stores.iter().enumerate().find_map(|(k, st)| st.members.iter().find(|m| m.0 == s).map(|m| (k, m.1)))
        };
        for s in [a, b] {
            if place(stores, s).is_none() {
                if matches!(self.p.symbol(s).storage(), Storage::Common(_)) {
                    return Err(self.unshared(node, "EQUIVALENCE with a COMMON block whose parts have different types in other units"));
                }
                stores.push(Store { ty: ta, members: vec![(s, 0)], block: None });
            }
        }
        let (Some((ka, at)), Some((kb, bt))) = (place(stores, a), place(stores, b)) else { return Ok(()) };
        let shift = at + distance - bt;
        if ka == kb {
            return if shift == 0 { Ok(()) } else { Err(self.unshared(node, "EQUIVALENCE that puts a variable at two places")) };
        }
        // What stands in a block stays where it is.
        let (keep, moved, shift) = if stores[kb].block.is_some() { (kb, ka, -shift) } else { (ka, kb, shift) };
        if stores[moved].block.is_some() {
            return Err(self.unshared(node, "EQUIVALENCE of variables in two places of COMMON"));
        }
        let members: Vec<(SymbolId, i64)> = stores[moved].members.iter().map(|&(s, t)| (s, t + shift)).collect();
        stores[keep].members.extend(members);
        stores.remove(moved);
        Ok(())
    }

    /// A refusal of what shares memory in a way that is not followed.
    fn unshared(&self, node: Node<'t>, what: impl Into<String>) -> Refusal {
        Box::new(self.refuse(node, "OB3023", what).help("use one name for the storage"))
    }

    /// The array of a store, in place of its members.
    fn make_storage(&mut self, proc: usize, store: Store) -> Lowered<()> {
        let scope = self.procs[proc].scope;
        let node = self.info[scope.index()].equivalences.first().copied().unwrap_or(self.procs[proc].node);
        let least = if store.block.is_some() { 0 } else { store.members.iter().map(|m| m.1).min().unwrap_or(0) };
        let mut members: Vec<Part> = Vec::new();
        let mut length = store.block.as_ref().map_or(0, |b| b.1);
        for &(s, at) in &store.members {
            let dims = self.extents_of(s).unwrap_or_default();
            let (from, end) = (at - least, at - least + count(&dims).unwrap_or(1));
            if from < 0 || store.block.as_ref().is_some_and(|b| end > b.1) {
                return Err(self.unshared(node, "EQUIVALENCE that makes a COMMON block longer"));
            }
            length = length.max(end);
            members.push((s, from, dims));
        }
        let initialized: Vec<&Part> = members.iter().filter(|m| is_initialized(self.p.symbol(m.0))).collect();
        let mut from = None;
        if let [(s, 0, dims)] = initialized[..]
            && matches!(dims[..], [(1, n)] if n == length)
        {
            from = Some(*s);
        } else if !initialized.is_empty() {
            return Err(self.unshared(node, "EQUIVALENCE of variables with initial values"));
        }
        let sample = self.p.symbol(from.or(members.first().map(|m| m.0)).unwrap_or(SymbolId(0))).clone();
        let stem = store.block.as_ref().map_or_else(|| sample.name.to_ascii_lowercase(), |b| b.0.clone());
        let name = self.fresh(if stem.is_empty() { "blank" } else { &stem });
        let mut array = Symbol::variable(name, store.ty, scope);
        (array.rank, array.span) = (1, sample.span);
        let saved = members.iter().any(|m| *self.p.symbol(m.0).storage() == Storage::Static);
        if let (Some(d), Some(old)) = (&mut array.decl, &sample.decl) {
            d.type_text = old.type_text.clone();
            d.dims = vec![Dim { lower: Bound::Expr(Expr::int(1)), upper: Bound::Expr(Expr::int(length)) }];
            d.storage = match &store.block {
                Some((b, _)) => Storage::Common(b.as_str().into()),
                None if saved => Storage::Static,
                None => Storage::Local,
            };
            if from.is_some() {
                (d.init, d.init_text) = (old.init.clone(), old.init_text.clone());
            }
            d.attributes.extend(saved.then(|| "save".into()));
        }
        let storage = self.add(array);
        self.scope_info(scope).typed.insert(storage);
        self.lay_over(scope, storage, length, members);
        Ok(())
    }

    /// Makes members parts of an array.
    fn lay_over(&mut self, scope: ScopeId, storage: SymbolId, length: i64, members: Vec<Part>) {
        let mut scalars: Vec<(Expr, Expr)> = Vec::new();
        for (was, before, dims) in members {
            let s = self.p.symbol(was);
            let (ty, name) = (s.ty, s.name.to_ascii_lowercase());
            let mut r = VarRef::whole(storage);
            let n = count(&dims).unwrap_or(1);
            if dims.is_empty() {
                r.subscripts.push(Triplet::element(Expr::int(before + 1)));
                scalars.push((Expr::sym(was), Expr::var(r.clone())));
            } else if n < length {
                r.subscripts.push(Triplet { index: Some(Expr::int(before + 1)), bound: Some(Expr::int(before + n)), ..Triplet::default() });
            }
            let value = Val::new(Expr::var(r), ty, dims.len() as u8);
            // What the program does not have is nobody's global either.
            self.decl(was).storage = Storage::Local;
            self.p.scopes[scope.index()].symbols.retain(|s| *s != was);
            self.scope_info(scope).overlays.insert(name, Overlay { was, storage, before, dims, value });
        }
        // Bounds of other arrays may be among them.
        for s in self.p.scope(scope).symbols.clone() {
            let Some(d) = &mut self.p.symbol_mut(s).decl else { continue };
            for b in d.dims.iter_mut().flat_map(|d| [&mut d.lower, &mut d.upper]) {
                let Bound::Expr(e) = b else { continue };
                for (what, with) in &scalars {
                    *e = e.replaced(what, with).unwrap_or_else(|| std::mem::take(e));
                }
            }
        }
    }

    /// Whether a text has one of these names.
    pub fn overlaid_in(&self, scope: ScopeId, text: &str) -> bool {
        let names = self.overlaid_names(scope);
        text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|w| names.contains_key(&w.to_ascii_lowercase()))
    }

    /// The names that share memory, as a unit sees them through its hosts.
    pub fn overlaid_names(&self, scope: ScopeId) -> FxHashMap<String, Overlay> {
        let mut scopes = vec![scope];
        while let Some(p) = scopes.last().and_then(|s| self.p.scope(*s).parent) {
            scopes.push(p);
        }
        let mut out: FxHashMap<String, Overlay> = FxHashMap::default();
        for s in scopes.into_iter().rev() {
            out.retain(|name, _| !self.names.contains_key(&(s, name.clone())));
            out.extend(self.info.get(s.index()).into_iter().flat_map(|i| i.overlays.clone()));
        }
        out
    }
}

/// Numbers or truth values, declared as such.
fn is_plain(s: &Symbol) -> bool {
    matches!(s.ty.base, BaseType::Real | BaseType::Integer | BaseType::Bool)
}

fn is_initialized(s: &Symbol) -> bool {
    s.decl.as_ref().is_some_and(|d| d.init.is_some() || !d.init_text.is_empty())
}

/// How many elements an array has.
fn count(dims: &[(i64, i64)]) -> Option<i64> {
    dims.iter().try_fold(1i64, |n, d| n.checked_mul(d.1))
}

/// Neighbours of one type as one run.
fn merged(runs: impl Iterator<Item = Run>) -> Vec<Run> {
    let mut out: Vec<Run> = Vec::new();
    for r in runs {
        match out.last_mut().filter(|l| l.ty == r.ty) {
            Some(l) => l.length += r.length,
            None => out.push(r),
        }
    }
    out
}

/// The runs of a block where those of all units lie at the same places: only the end of one may be missing.
fn common_runs(lists: &[Vec<Run>]) -> Option<Vec<Run>> {
    let mut longest = lists.iter().max_by_key(|l| (l.len(), l.last().map_or(0, |r| r.length)))?.clone();
    for list in lists {
        for (k, r) in list.iter().enumerate() {
            let own = &mut longest[k];
            let last = k + 1 == list.len();
            if own.ty != r.ty || own.length < r.length || own.length > r.length && !last {
                return None;
            }
        }
    }
    longest.retain(|r| r.length > 0);
    Some(longest)
}

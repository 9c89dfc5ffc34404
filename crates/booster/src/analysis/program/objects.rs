//! Which symbols are the same storage, and which storage outlives a call.
//!
//! Variables of a COMMON block are declared anew in every unit: those of the same place in the same block are one object, if
//! all units lay that part of the block out alike (see [`super::storage`]). Never here: overlaps that calls bring about (see [`crate::analysis::effects::aliases`]).

use rustc_hash::FxHashMap;
use xaif::Program;
use xaif::model::{Bound, Dim, Expr, Passing, ScopeId, Storage, SymbolId, SymbolKind, UnitId};

/// The objects of a program.
#[derive(Clone, Debug)]
pub struct Objects {
    canonical: Vec<SymbolId>,
    owner: Vec<Option<UnitId>>,
    shared: Vec<bool>,
    odd: Vec<bool>,
    /// For each variable that is odd what others it lies upon.
    beside: FxHashMap<SymbolId, Vec<SymbolId>>,
    unit_of_scope: FxHashMap<ScopeId, UnitId>,
}

impl Objects {
    /// Finds them.
    pub fn of(program: &Program) -> Objects {
        let mut unit_of_scope: FxHashMap<ScopeId, UnitId> = FxHashMap::default();
        for u in program.unit_ids() {
            if !program.unit(u).is_container() {
                unit_of_scope.insert(program.unit(u).scope, u);
            }
        }
        let mut blocks: FxHashMap<String, Vec<Vec<SymbolId>>> = FxHashMap::default();
        let fold = |s: &str| if program.case_insensitive { s.to_lowercase() } else { s.to_owned() };
        let mut out = Objects {
            canonical: Vec::new(),
            owner: Vec::new(),
            shared: Vec::new(),
            odd: vec![false; program.symbols.len()],
            beside: FxHashMap::default(),
            unit_of_scope: FxHashMap::default(),
        };
        for id in program.symbol_ids() {
            let s = program.symbol(id);
            if let Storage::Common(block) = s.storage() {
                let lists = blocks.entry(fold(block)).or_default();
                match lists.last_mut() {
                    Some(l) if l.last().is_some_and(|&m| program.symbol(m).scope == s.scope) => l.push(id),
                    _ => lists.push(vec![id]),
                }
            }
            let owner = unit_of_scope.get(&s.scope).copied();
            let outlives = match s.storage() {
                Storage::Local | Storage::Argument => owner.is_none(),
                Storage::Constant => false,
                _ => true,
            };
            out.canonical.push(id);
            out.owner.push(owner);
            out.shared.push(outlives && s.kind != SymbolKind::Subroutine);
        }
        out.unit_of_scope = unit_of_scope;
        for lists in blocks.values() {
            let laid = super::storage::lay(program, lists);
            for (list, places) in lists.iter().zip(&laid) {
                for (&id, p) in list.iter().zip(places) {
                    out.canonical[id.index()] = p.first;
                    out.odd[id.index()] = p.odd;
                    if p.odd {
                        out.beside.insert(id, p.beside.clone());
                    }
                }
            }
        }
        out
    }

    /// The symbol that stands for the object.
    pub fn canonical(&self, symbol: SymbolId) -> SymbolId {
        self.canonical.get(symbol.index()).copied().unwrap_or(symbol)
    }

    /// The unit whose scope that is.
    pub fn unit_of_scope(&self, scope: ScopeId) -> Option<UnitId> {
        self.unit_of_scope.get(&scope).copied()
    }

    /// The unit in whose scope the symbol is declared; `None` for file scope and modules.
    pub fn owner(&self, symbol: SymbolId) -> Option<UnitId> {
        self.owner.get(symbol.index()).copied().flatten()
    }

    /// True for globals, COMMON, and variables that keep their value between calls.
    pub fn outlives_call(&self, symbol: SymbolId) -> bool {
        self.shared.get(symbol.index()).copied().unwrap_or(false)
    }

    /// True where, seen from a unit, the symbol belongs to others as well: it outlives the call, or it is a variable of the host.
    pub fn is_shared(&self, unit: UnitId, symbol: SymbolId) -> bool {
        self.outlives_call(symbol) || self.owner(symbol).is_some_and(|o| o != unit)
    }

    /// What lies in part where a variable of a COMMON block lies, as other units lay the block out; none where all agree on it.
    pub fn beside(&self, symbol: SymbolId) -> &[SymbolId] {
        self.beside.get(&symbol).map_or(&[], Vec::as_slice)
    }

    /// True for a variable of a COMMON block that units lay out differently.
    pub fn is_odd(&self, symbol: SymbolId) -> bool {
        self.odd.get(symbol.index()).copied().unwrap_or(false)
    }
}

/// How many elements lie between bounds that are numbers or names of numbers.
pub fn extent(program: &Program, d: &Dim) -> Option<i64> {
    let number = |bound: &Bound| match bound {
        Bound::Expr(e) => named_number(program, e),
        Bound::Unknown => None,
    };
    number(&d.upper)?.checked_sub(number(&d.lower)?)?.checked_add(1)
}

/// A number, or the value of a named one.
pub fn named_number(program: &Program, e: &Expr) -> Option<i64> {
    e.as_int().or_else(|| {
        let constant = program.symbol(e.as_var()?.symbol);
        constant.decl.as_ref().filter(|d| d.storage == Storage::Constant)?.init.as_ref()?.as_int()
    })
}

/// True where a callee's writing to the formal is seen by the caller.
pub fn is_by_reference(program: &Program, formal: SymbolId) -> bool {
    program.symbol(formal).passing() != Passing::Value
}

//! Which elements of arrays statements name: places whose subscripts are constants, or scalars plus constants.
//!
//! While no scalar in a subscript changes, two such places with the same subscripts are one element, and two whose subscripts differ by a constant in some dimension
//! are two. Places with constants only are the same all over a unit.
//!
//! Lives here: what the text of a unit names. Never here: what flows from one statement to another (see [`super::chains`]).

use crate::analysis::facts::Facts;
use crate::analysis::program::table::UnitTable;
use crate::linearize::places::{apart, offset};
use rustc_hash::FxHashMap;
use xaif::Program;
use xaif::model::{Expr, Stmt, StmtKind, SymbolId, UnitId, VarRef, VertexId, VertexKind};

/// Units that name more elements than this are looked at as if they named none.
const MAX_ELEMENTS: usize = 512;

/// An element of an array.
#[derive(Clone, Debug)]
pub struct Element {
    /// The array.
    pub object: u32,
    /// The scalars in its subscripts.
    pub scalars: Vec<u32>,
    place: VarRef,
}

impl Element {
    /// Certainly different elements of one array, as long as no scalar changes in between.
    pub fn is_apart(&self, other: &Element) -> bool {
        self.place.symbol == other.place.symbol && apart(&self.place, &other.place)
    }

    /// Certainly different elements, wherever in the unit they are named.
    pub fn is_always_apart(&self, other: &Element) -> bool {
        let constant = |k: usize, r: &VarRef| r.subscripts.get(k).and_then(|t| t.index.as_ref()?.as_int());
        let one = self.place.symbol == other.place.symbol;
        one && (0..self.place.subscripts.len())
            .any(|k| constant(k, &self.place).zip(constant(k, &other.place)).is_some_and(|(a, b)| a != b))
    }
}

/// What a step names: objects that it reads with the element, or `None` for more than one or an unknown one.
#[derive(Clone, Debug, Default)]
pub struct Named {
    /// What it reads, subscripts included.
    pub reads: Vec<(u32, Option<u32>)>,
    /// The element that it sets.
    pub sets: Option<u32>,
}

/// The elements that a unit names, and where.
#[derive(Clone, Debug, Default)]
pub struct Accesses {
    /// The elements.
    pub elements: Vec<Element>,
    steps: FxHashMap<(VertexId, usize), Named>,
}

impl Accesses {
    /// Reads the assignments and conditions of a unit.
    pub fn of(program: &Program, facts: &Facts, unit: UnitId, table: &UnitTable) -> Accesses {
        let mut out = Accesses::default();
        let mut reader = Reader { program, facts, table, known: FxHashMap::default(), out: &mut out };
        for &v in &table.order {
            match &program.unit(unit).graph[v].kind {
                VertexKind::Block { stmts, .. } => stmts.iter().enumerate().for_each(|(k, s)| reader.stmt((v, k), s)),
                VertexKind::For(f) => {
                    reader.stmt((v, 0), &f.init);
                    reader.stmt((v, 1), &f.update);
                    reader.condition((v, 2), &f.condition);
                }
                VertexKind::Pre(e) | VertexKind::Post(e) | VertexKind::Branch(e) => reader.condition((v, 0), e),
                _ => {}
            }
        }
        if out.elements.len() > MAX_ELEMENTS { Accesses::default() } else { out }
    }

    /// What a step names, if it is an assignment or a condition.
    pub fn at(&self, v: VertexId, step: usize) -> Option<&Named> {
        self.steps.get(&(v, step))
    }
}

struct Reader<'a> {
    program: &'a Program,
    facts: &'a Facts,
    table: &'a UnitTable,
    known: FxHashMap<u32, Vec<u32>>,
    out: &'a mut Accesses,
}

impl Reader<'_> {
    fn stmt(&mut self, at: (VertexId, usize), s: &Stmt) {
        let StmtKind::Assignment { lhs, rhs } = &s.kind else { return };
        let mut named = Named::default();
        lhs.index_exprs().chain([rhs]).for_each(|e| self.reads(e, &mut named));
        named.sets = self.element(lhs);
        self.out.steps.insert(at, named);
    }

    fn condition(&mut self, at: (VertexId, usize), e: &Expr) {
        let mut named = Named::default();
        self.reads(e, &mut named);
        self.out.steps.insert(at, named);
    }

    fn reads(&mut self, e: &Expr, named: &mut Named) {
        e.for_each_ref(&mut |r| {
            if let Some(object) = self.number(r.symbol) {
                let element = self.element(r);
                named.reads.push((object, element));
            }
        });
    }

    fn number(&self, s: SymbolId) -> Option<u32> {
        self.table.number(self.facts.objects.canonical(s))
    }

    fn element(&mut self, r: &VarRef) -> Option<u32> {
        let object = self.number(r.symbol)?;
        let mut scalars = Vec::new();
        if r.subscripts.is_empty() {
            return None;
        }
        for t in &r.subscripts {
            let (base, _) = offset(t.index.as_ref().filter(|_| !t.is_section())?);
            if let Some(base) = base {
                let scalar = base.as_var().filter(|v| v.subscripts.is_empty() && self.program.symbol(v.symbol).rank == 0)?;
                scalars.push(self.number(scalar.symbol)?);
            }
        }
        let list = self.known.entry(object).or_default();
        let same = |a: &VarRef, b: &VarRef| a.symbol == b.symbol && a.subscripts == b.subscripts;
        let elements = &mut self.out.elements;
        if let Some(&n) = list.iter().find(|&&n| same(&elements[n as usize].place, r)) {
            return Some(n);
        }
        let n = elements.len() as u32;
        elements.push(Element { object, scalars, place: r.clone() });
        list.push(n);
        Some(n)
    }
}

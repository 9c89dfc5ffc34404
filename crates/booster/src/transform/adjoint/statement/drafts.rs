//! Which sequences of a unit get local Jacobians, decided on all processors while those before are written.
//!
//! A unit's basic blocks are cut into pieces of so many statements. Whoever drafts a piece has a share of the search that depends on its length alone, so
//! decisions are the same however many processors there are.
//!
//! Lives here: pieces, and what sequences must know of the unit. How one is chosen is told in [`crate::transform::preaccumulate`]. Never here: how chosen
//! ones are written.

use crate::transform::adjoint::code::tree::ItemId;
use crate::transform::adjoint::code::writes::Places;
use crate::transform::adjoint::facts::frame::{Form, Frame};
use crate::transform::preaccumulate::exposure::{Accesses, Exposed};
use crate::transform::preaccumulate::slots::Plan;
use crate::transform::preaccumulate::{Block, Chosen, Ledger, View, is_private};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::OnceLock;
use xaif::Program;
use xaif::catalogue::Catalogue;
use xaif::model::{Mode, ScopeId, Stmt, StmtKind, Stmts, SymbolId};

/// The statements of a basic block.
pub(crate) struct Run {
    /// Their numbers.
    pub ids: Vec<ItemId>,
    /// The statements.
    pub stmts: Stmts,
    /// How many loops are around.
    depth: usize,
    /// The indices of those that count.
    indices: Vec<SymbolId>,
    /// What is asked of them again and again.
    known: OnceLock<Known>,
}

impl Run {
    /// A block inside of so many loops with these indices.
    pub fn new(ids: Vec<ItemId>, stmts: Stmts, depth: usize, indices: Vec<SymbolId>) -> Run {
        Run { ids, stmts, depth, indices, known: OnceLock::new() }
    }
}

struct Known {
    accesses: Accesses,
    /// Variables of the unit's own that are set here.
    private: FxHashSet<SymbolId>,
}

/// A sequence that was chosen, and what it wants for its values.
pub(crate) struct Draft {
    /// The sequence.
    pub chosen: Chosen,
    /// What it wants.
    pub plan: Plan,
}

/// What is the same for all of a unit.
pub(crate) struct Seen<'a> {
    catalogue: &'a Catalogue,
    scope: ScopeId,
    companions: &'a FxHashMap<SymbolId, SymbolId>,
    sharing: &'a FxHashMap<SymbolId, Vec<SymbolId>>,
    formals: &'a FxHashSet<SymbolId>,
    inside: &'a FxHashSet<SymbolId>,
    name: &'a str,
    form: Form,
    exposed: &'a Exposed,
    /// Where variables are written.
    written: &'a Places,
}

impl<'a> Seen<'a> {
    /// Of a unit that is made in this form.
    pub fn new(frame: &'a Frame, form: Form, exposed: &'a Exposed, written: &'a Places) -> Seen<'a> {
        Seen {
            catalogue: frame.calls.catalogue(),
            scope: frame.scope,
            companions: &frame.companions,
            sharing: &frame.sharing,
            formals: &frame.formals,
            inside: &frame.inside,
            name: &frame.name,
            form,
            exposed,
            written,
        }
    }

    /// The sequences that are chosen of a piece of all these statements, with a share of what is given for the search.
    pub fn of_piece(&self, program: &mut Program, given: &Ledger, (runs, all): (&[Run], usize), piece: &Piece) -> Drafted {
        let mut share = given.share(piece.iter().map(|(_, range)| range.len()).sum(), all);
        let found = piece.iter().map(|(k, range)| (*k, self.of_block(program, &mut share, &runs[*k], range.clone())));
        (found.filter(|(_, drafts)| !drafts.is_empty()).collect(), share)
    }

    /// The sequences that are chosen of some statements of a block.
    fn of_block(&self, program: &mut Program, ledger: &mut Ledger, run: &Run, range: Range<usize>) -> Vec<Draft> {
        let known = run.known.get_or_init(|| self.known(program, &run.stmts));
        let mut view = View {
            program,
            catalogue: self.catalogue,
            scope: self.scope,
            active: &|x| self.companions.contains_key(&x),
            suspect: &|x| self.sharing.contains_key(&x),
            overlap: &|a, b| self.sharing.get(&a).is_some_and(|l| l.contains(&b)),
            takes_part: &|_| true,
            recorded: run.depth > 0 || self.form == Form::Split,
            settled: &|x| run.indices.contains(&x) || !self.changes(x),
            dead: &|x, behind| known.private.contains(&x) && !self.exposed.has(x) && !known.accesses.read_from(x, behind),
        };
        let mode = if self.form == Form::Joint { Mode::Adjoint } else { Mode::Reverse };
        let mut block = Block { stmts: &run.stmts[..range.end], at: range.start, unit: self.name, mode };
        let draft = |chosen: Chosen| Draft { plan: Plan::of(&chosen.emitted, &[], chosen.values()), chosen };
        std::iter::from_fn(|| block.next(&mut view, ledger, None).map(draft)).collect()
    }

    /// Whether the unit writes a variable, or what may share its memory.
    fn changes(&self, s: SymbolId) -> bool {
        self.written.contains(s) || self.sharing.get(&s).is_some_and(|l| l.iter().any(|&o| self.written.contains(o)))
    }

    fn known(&self, program: &Program, stmts: &[Box<Stmt>]) -> Known {
        let own = |x: SymbolId| !self.inside.contains(&x) && !self.formals.contains(&x) && !self.sharing.contains_key(&x);
        let assigned = stmts.iter().filter_map(|s| match &s.kind {
            StmtKind::Assignment { lhs, .. } => Some(lhs.symbol),
            _ => None,
        });
        let private = assigned.filter(|&x| own(x) && is_private(program, self.scope, x)).collect();
        Known { accesses: Accesses::of(stmts), private }
    }
}

/// What was chosen of a piece, by the numbers of the blocks, and the share of the search that was used for it.
pub(crate) type Drafted = (Vec<(usize, Vec<Draft>)>, Ledger);

/// Statements of some blocks.
pub(crate) type Piece = Vec<(usize, Range<usize>)>;

/// All blocks, in order, in pieces of so many statements.
pub(crate) fn pieces(runs: &[Run], length: usize) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    let mut room = 0;
    for (k, run) in runs.iter().enumerate() {
        let mut at = 0;
        while at < run.stmts.len() {
            if room == 0 {
                out.push(Vec::new());
                room = length;
            }
            let end = at + room.min(run.stmts.len() - at);
            if let Some(piece) = out.last_mut() {
                piece.push((k, at..end));
            }
            room -= end - at;
            at = end;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::transform::preaccumulate::NEIGHBOURHOOD;
    use xaif::build::GraphBuilder;
    use xaif::model::{Decl, ElemType, Expr, Formal, Head, Intent, Scope, Storage, Symbol, Unit, VarRef};
    use xaif::spread;

    #[test]
    fn decisions_do_not_depend_on_processors() {
        let mut p = Program::default();
        let file = p.add_scope(Scope::default());
        let name = p.add_symbol(Symbol::subroutine("long", file));
        let scope = p.add_scope(Scope { parent: Some(file), ..Scope::default() });
        let mut x = Symbol::variable("x", ElemType::REAL64, scope);
        x.decl = Some(Box::new(Decl { storage: Storage::Argument, ..Decl::default() }));
        let x = p.add_symbol(x);
        let t: Vec<SymbolId> = (0..7).map(|k| p.add_symbol(Symbol::variable(format!("t{k}"), ElemType::REAL64, scope))).collect();
        let mut b = GraphBuilder::new(scope);
        t.iter().for_each(|&s| b.stmt(Stmt::assign(VarRef::whole(s), Expr::sym(x))));
        for k in 7..2 * NEIGHBOURHOOD + 500 {
            let rhs = Expr::op("mul_scal_scal", [Expr::sym(t[(k + 6) % 7]), Expr::op("sin_scal", [Expr::sym(t[(k + 5) % 7])])]);
            b.stmt(Stmt::assign(VarRef::whole(t[k % 7]), rhs));
        }
        b.stmt(Stmt::assign(VarRef::whole(x), Expr::sym(t[3])));
        let mut unit = Unit::new(name, scope);
        unit.graph = b.finish().unwrap().graph;
        unit.formals = vec![Formal::new(1, x, Intent::Inout)];
        p.add_unit(unit);
        let heads = vec![Head { unit: "long".into(), dependents: Some(vec!["x".into()]), independents: Some(vec!["x".into()]) }];
        let options = Options { adjoint: true, heads, ..Options::default() };
        let boosted = |threads| spread::within(threads, || xaif::write::write(&crate::boost(p.clone(), &options).unwrap().program));
        let one = boosted(1);
        // There are entries of local Jacobians to be decided on.
        assert!(one.contains("symbol_id=\"c1\""));
        assert!(one == boosted(2) && one == boosted(5));
    }

    #[test]
    fn pieces_have_all_statements_in_order() {
        let run = |n: usize| Run::new(Vec::new(), vec![Box::new(Stmt::assign(VarRef::whole(SymbolId(0)), Expr::int(1))); n], 0, Vec::new());
        let runs: Vec<Run> = [3, 0, 10, 1].map(run).into();
        assert_eq!(pieces(&runs, 4), [vec![(0, 0..3), (2, 0..1)], vec![(2, 1..5)], vec![(2, 5..9)], vec![(2, 9..10), (3, 0..1)],]);
        assert_eq!(pieces(&runs, usize::MAX), [vec![(0, 0..3), (2, 0..10), (3, 0..1)]]);
        assert!(pieces(&[], 4).is_empty());
    }
}

//! A document made piece by piece on all processors.
//!
//! Lives here: who writes which piece, and the order in which pieces come together. Never here: what a piece says. The text does not depend on how
//! many processors there are.

use super::Writer;
use super::xml::Out;

/// So many statements make a piece that is worth a thread, and whose text stays near the processor.
pub(super) const PIECE: usize = 1024;

impl<'p> Writer<'p> {
    /// Writes pieces `0..count` in order; `write` writes one, wherever it is told to.
    pub(super) fn in_pieces(&mut self, count: usize, write: impl Fn(&mut Writer<'p>, usize) + Sync) {
        let threads = if self.is_piece { 1 } else { crate::spread::threads(count) };
        if threads <= 1 {
            (0..count).for_each(|i| write(self, i));
            return;
        }
        self.out.end_tag();
        let (program, ids, ob, open) = (self.program, self.ids, self.ob, self.out.open_elements());
        let piece = |i, room| {
            let mut w = Writer { program, ids, out: Out::piece(ob, open.clone(), room), ob, is_piece: true, scratch: Vec::new() };
            write(&mut w, i);
            w.out.into_text()
        };
        crate::spread::in_order(count, piece, |text| self.out.add(text));
    }
}

#[cfg(test)]
mod tests {
    use super::super::ids::Ids;
    use super::*;
    use crate::Program;
    use crate::build::GraphBuilder;
    use crate::model::*;

    /// A block, a row of branches and a row of units, each of several pieces.
    fn program() -> Program {
        let mut p = Program::default();
        let file = p.add_scope(Scope::default());
        let x = p.add_symbol(Symbol::variable("x", ElemType::REAL64, file));
        let stmt = |k: usize| Stmt::assign(VarRef::whole(x), Expr::op("add_scal_scal", [Expr::sym(x), Expr::int(k as i64)]));
        let add = |p: &mut Program, name: String, fill: &dyn Fn(&mut GraphBuilder)| crate::build::subroutine(p, file, &name, fill);
        add(&mut p, "block".into(), &|b| (0..2 * PIECE + 7).for_each(|k| b.stmt(stmt(k))));
        add(&mut p, "branches".into(), &|b| {
            for k in 0..PIECE {
                b.begin_branch(Expr::bool(true));
                b.arm(&[1]);
                b.stmt(stmt(k));
                b.stmt(stmt(k + 1));
                b.end_branch();
            }
        });
        for u in 0..PIECE {
            add(&mut p, format!("u{u}"), &|b| b.stmt(stmt(u)));
        }
        p
    }

    #[test]
    fn pieces_come_together_as_if_written_one_after_the_other() {
        let p = program();
        let ids = Ids::new(&p);
        let out = Out::new(true, None);
        // Who writes a piece does not cut it any further.
        let mut w = Writer { program: &p, ids: &ids, out, ob: true, is_piece: true, scratch: Vec::new() };
        w.document();
        let plain = w.out.finish().unwrap();
        assert_eq!(crate::write::write(&p), plain);
        let mut sunk = Vec::new();
        crate::write::write_to(&p, &mut sunk).unwrap();
        assert_eq!(String::from_utf8(sunk).unwrap(), plain);
    }
}

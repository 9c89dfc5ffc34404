//! A document made piece by piece on all processors.
//!
//! Lives here: who writes which piece, and the order in which pieces come together. Never here: what a piece says. The text does not depend on how
//! many processors there are.

use super::Writer;
use super::xml::Out;

/// So many statements make a piece that is worth a thread.
pub(super) const PIECE: usize = 4096;

impl<'p> Writer<'p> {
    /// Writes pieces `0..count` in order; `write` writes one, wherever it is told to.
    pub(super) fn in_pieces(&mut self, count: usize, write: impl Fn(&mut Writer<'p>, usize) + Sync) {
        let threads = if self.is_piece { 1 } else { crate::spread::threads(count) };
        if threads <= 1 {
            (0..count).for_each(|i| write(self, i));
            return;
        }
        self.out.end_tag();
        let (program, ids, ob) = (self.program, self.ids, self.ob);
        // What was written last goes out while the next pieces are made, so at most twice as many texts as threads exist.
        let mut done: Vec<String> = Vec::new();
        let mut spare: Vec<String> = Vec::new();
        let mut next = 0;
        while next < count || !done.is_empty() {
            let last = (next + threads).min(count);
            let rooms: Vec<String> = (next..last).map(|_| spare.pop().unwrap_or_default()).collect();
            let open = self.out.open_elements();
            let made = std::thread::scope(|scope| {
                let write = &write;
                let work: Vec<_> = rooms
                    .into_iter()
                    .zip(next..last)
                    .map(|(room, i)| {
                        let open = open.clone();
                        scope.spawn(move || {
                            let out = Out::piece(ob, open, room);
                            let mut w = Writer { program, ids, out, ob, is_piece: true, scratch: Vec::new() };
                            write(&mut w, i);
                            w.out.into_text()
                        })
                    })
                    .collect();
                for text in done.drain(..) {
                    spare.push(self.out.add(text));
                }
                work.into_iter().map(|w| w.join()).collect::<Vec<_>>()
            });
            for text in made {
                // A panic of a piece is one of the whole.
                done.push(text.unwrap_or_else(|e| std::panic::resume_unwind(e)));
            }
            next = last;
        }
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

//! A document made piece by piece on all processors.
//!
//! Lives here: who writes which piece, and the order in which pieces come together. Never here: what a piece says. The text does not depend on how
//! many processors there are.

use super::Writer;
use super::xml::Out;

/// So many statements make a piece that is worth a thread.
pub(super) const PIECE: usize = 4096;

/// More threads than this would wait for the sink.
const MAX_THREADS: usize = 8;

impl<'p> Writer<'p> {
    /// Writes pieces `0..count` in order; `write` writes one, wherever it is told to.
    pub(super) fn in_pieces(&mut self, count: usize, write: impl Fn(&mut Writer<'p>, usize) + Sync) {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get()).min(MAX_THREADS).min(count);
        if threads <= 1 || self.is_piece {
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

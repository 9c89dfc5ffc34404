//! What a unit that the program does not contain may be told and may tell: which reach it has by what is said of it.
//!
//! Lives here: the data, and what the text of a step says. Never here: what all of the program lets it reach (see [`super::tables`]).

use std::sync::Arc;
use xaif::model::{Marker, MarkerClass, Symbol};

/// What a step touches that its text does not name.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    /// What it reads may stay there.
    pub takes: bool,
    /// What it writes may come from there.
    pub gives: bool,
    /// Objects that it may read.
    pub reads: Arc<[u32]>,
    /// Objects that it may write.
    pub writes: Arc<[u32]>,
    pub(super) sight: Sight,
}

/// How far an unknown unit reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Sight {
    /// Its arguments.
    #[default]
    Arguments,
    /// What other files see.
    Other,
    /// The same, but it changes nothing of it.
    Looks,
    /// All of the program: its text is there, and was left out.
    Inside,
}

impl Outside {
    /// Of an unknown unit, its reach not yet found.
    pub(super) fn of_unknown(name: &Symbol) -> Outside {
        let is = |word: &str| name.has_attribute(word);
        let sight = match () {
            () if is("library") => Sight::Arguments,
            () if is("pure") => Sight::Looks,
            () if is("refused") => Sight::Inside,
            () => Sight::Other,
        };
        Outside { takes: !is("forgets") && !is("pure"), gives: !is("forgets"), sight, ..Outside::default() }
    }

    /// Of a statement that is kept as text.
    pub(super) fn of_marker(m: &Marker) -> Outside {
        match m.class {
            MarkerClass::Call => Outside { takes: true, gives: true, sight: Sight::Inside, ..Outside::default() },
            // What is written to a file can be read again.
            MarkerClass::Io => {
                let takes = m.reads.iter().any(|r| !m.writes.contains(r));
                Outside { takes, gives: !m.writes.is_empty(), ..Outside::default() }
            }
            _ => Outside::default(),
        }
    }

    /// Whether it reaches more than its arguments.
    pub fn is_far(&self) -> bool {
        self.sight != Sight::Arguments
    }
}

//! Structures and their members: what the attributes of variables say of them.
//!
//! A structure is a variable of a type that the model does not know ([`STRUCTURE`]). Each of its members that is a number or an array of numbers is a variable beside it,
//! named `s%x`, with the structure's dimensions before its own. Front ends of languages whose pointers may lie between the two tell the [`Way`] of a member:
//!
//! ```text
//! path:inner.v[]      s.inner.v[i]         a pair of brackets for each subscript
//! path:q*.n           s.q[i].n             a star where a pointer is followed, which takes a subscript
//! path:q?T?*.n        ((T *)s.q)[i].n      the type that the pointer is cast to before that: always,
//! path:q!T!*.n        ((T *)s.q)[i].n      or only where something is set through it
//! path:(f)*           f(&s)[i]             a function hands out a pointer that belongs to the structure
//! ```
//!
//! Lives here: these words. Never here: text of a language.

use crate::Program;
use crate::model::{Symbol, SymbolId};
use smol_str::SmolStr;

/// The attribute of a structure whose members have variables.
pub const STRUCTURE: SmolStr = SmolStr::new_static("structure");
/// The attribute of what a member points to, and of everything in it: it is no part of the structure's memory.
pub const REACHED: SmolStr = SmolStr::new_static("reached");
/// The attribute of members that share their memory with others.
pub const SHARED: SmolStr = SmolStr::new_static("shared");
/// The attribute of a structure whose address comes as a pointer of no type.
pub const UNTYPED: SmolStr = SmolStr::new_static("untyped");
/// The attribute of a structure that a function returns.
pub const RETURNED: SmolStr = SmolStr::new_static("returned");
/// What the attribute begins with that has the way of a member.
pub const PATH: &str = "path:";
/// What the attribute begins with that says which type a structure has.
pub const TYPE: &str = "type:";

/// What the attribute begins with that names a pointer on the way to a member, as the way up to it: where it is null, the member is absent.
pub const NULLABLE_POINTER: &str = "null:";

/// The pointers on the way to a member that may be null, outermost first.
pub fn pointers_that_may_be_null(symbol: &Symbol) -> impl Iterator<Item = &str> {
    symbol.decl.iter().flat_map(|d| &d.attributes).filter_map(|a| a.strip_prefix(NULLABLE_POINTER))
}

/// The variables that hold a member, as the names tell, outermost first: `a` and `a%b` for `a%b%c`.
pub fn around(program: &Program, member: SymbolId) -> impl DoubleEndedIterator<Item = SymbolId> {
    let y = program.symbol(member);
    y.name.match_indices('%').filter_map(|(at, _)| program.lookup(y.scope, &y.name[..at]))
}

/// True for a structure whose members are variables.
pub fn is_structure(symbol: &Symbol) -> bool {
    symbol.has_attribute(&STRUCTURE)
}

/// The way from the outermost structure to a member.
pub fn way(symbol: &Symbol) -> Option<Way<'_>> {
    symbol.decl.as_ref()?.attributes.iter().find_map(|a| a.strip_prefix(PATH)).map(Way)
}

/// How a member is named, from the structure on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Way<'w>(pub &'w str);

/// A step of a [`Way`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'w> {
    /// Names with dots between them; in front of the first one, too, where something precedes it.
    Names(&'w str),
    /// A subscript of an array.
    Subscript,
    /// A pointer to this type is made of what is there.
    Cast {
        /// Not only to set something through it.
        always: bool,
        /// The type.
        ty: &'w str,
    },
    /// A function of this name, of the address of what is there.
    Function(&'w str),
    /// A pointer is followed, with a subscript.
    Pointer,
}

/// The steps of a [`Way`].
#[derive(Clone, Debug)]
pub struct Steps<'w> {
    rest: &'w str,
}

impl<'w> Iterator for Steps<'w> {
    type Item = Step<'w>;

    fn next(&mut self) -> Option<Step<'w>> {
        let mark = self.rest.chars().next()?;
        let (step, rest) = match mark {
            '*' => (Step::Pointer, &self.rest[1..]),
            '[' => (Step::Subscript, self.rest.strip_prefix("[]").unwrap_or_default()),
            '(' => {
                let (name, rest) = self.rest[1..].split_once(')').unwrap_or_default();
                (Step::Function(name), rest)
            }
            '!' | '?' => {
                let (ty, rest) = self.rest[1..].split_once(mark).unwrap_or_default();
                (Step::Cast { always: mark == '?', ty }, rest)
            }
            _ => {
                let end = self.rest.find(['[', '(', '*', '!', '?']).unwrap_or(self.rest.len());
                (Step::Names(&self.rest[..end]), &self.rest[end..])
            }
        };
        self.rest = rest;
        Some(step)
    }
}

impl<'w> Way<'w> {
    /// What one does after the other to come to the member.
    pub fn steps(self) -> Steps<'w> {
        Steps { rest: self.0 }
    }

    /// How many subscripts it takes.
    pub fn subscripts(self) -> usize {
        self.steps().filter(|s| matches!(s, Step::Subscript | Step::Pointer)).count()
    }

    /// How many of them stand behind the last name: those of the member itself.
    pub fn own_subscripts(self) -> usize {
        self.steps().fold(0, |n, s| match s {
            Step::Names(_) | Step::Function(_) => 0,
            Step::Subscript | Step::Pointer => n + 1,
            Step::Cast { .. } => n,
        })
    }

    /// The way as it goes on behind this one: with a dot between names.
    pub fn then(self, rest: Way) -> String {
        let dot = if self.0.is_empty() || rest.0.is_empty() || rest.0.starts_with('(') { "" } else { "." };
        format!("{}{dot}{}", self.0, rest.0)
    }

    /// The way to what this one begins with, if it ends with `rest`.
    pub fn without(self, rest: Way) -> Option<Way<'w>> {
        let before = self.0.strip_suffix(rest.0)?;
        match before.is_empty() || rest.0.is_empty() || rest.0.starts_with('(') {
            true => Some(Way(before)),
            false => before.strip_suffix('.').map(Way),
        }
    }

    /// The names alone, where nothing stands between them.
    pub fn names(self) -> Option<&'w str> {
        let mut steps = self.steps();
        let Some(Step::Names(names)) = steps.next() else { return None };
        steps.all(|s| !matches!(s, Step::Names(_) | Step::Function(_))).then_some(names)
    }

    /// A way up to a pointer without the type that it is cast to, and that type.
    pub fn before_cast(self) -> (Way<'w>, Option<&'w str>) {
        match self.steps().last() {
            Some(Step::Cast { ty, .. }) => (Way(&self.0[..self.0.len() - ty.len() - 2]), Some(ty)),
            _ => (self, None),
        }
    }

    /// The pointers that lead to structures, from the first on: the way up to each, and the way from there.
    pub fn pointers(self) -> impl Iterator<Item = (Way<'w>, Way<'w>)> {
        let mut steps = self.steps();
        std::iter::from_fn(move || {
            loop {
                if steps.next()? == Step::Pointer && steps.rest.starts_with(['.', '(']) {
                    let before = &self.0[..self.0.len() - steps.rest.len() - 1];
                    return Some((Way(before), Way(steps.rest.trim_start_matches('.'))));
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_taken_apart() {
        let way = Way("inner.b[].q?struct t?*.v[][]");
        let cast = Step::Cast { always: true, ty: "struct t" };
        let steps: Vec<Step> = way.steps().collect();
        let (names, s) = (Step::Names, Step::Subscript);
        assert_eq!(steps, [names("inner.b"), s, names(".q"), cast, Step::Pointer, names(".v"), s, s]);
        assert_eq!((way.subscripts(), way.own_subscripts(), way.names()), (4, 2, None));
        let pointers: Vec<_> = way.pointers().collect();
        assert_eq!(pointers, [(Way("inner.b[].q?struct t?"), Way("v[][]"))]);
        assert_eq!(pointers[0].0.before_cast(), (Way("inner.b[].q"), Some("struct t")));
        assert_eq!(Way("q!double!*").names(), Some("q"));
        assert_eq!(Way("q!double!*").pointers().count(), 0);
        assert_eq!(Way("a.b").before_cast(), (Way("a.b"), None));
        assert_eq!(Way("").steps().count(), 0);
        let handed_out = Way("v*(f)*");
        assert_eq!(handed_out.steps().collect::<Vec<_>>(), [names("v"), Step::Pointer, Step::Function("f"), Step::Pointer]);
        assert_eq!((handed_out.own_subscripts(), handed_out.names()), (1, None));
        assert_eq!(handed_out.pointers().collect::<Vec<_>>(), [(Way("v"), Way("(f)*"))]);
    }
}

//! Parts of arrays, and the arithmetic of subscripts.
//!
//! * [`counted`]: heads of counted loops,
//! * [`regions`]: rectangular parts,
//! * [`fresh`]: arrays of which code reads only what it has set itself,
//! * [`extents`]: how far a unit goes through an array,
//! * [`rows`]: rows of arrays that are laid out by hand,
//! * [`whole_loops`]: loops over all elements of these,
//! * [`inequalities`]: what whole numbers cannot be at the same time.
//!
//! Here "no" means "not known". Lives here: questions about a piece of code. Never here: what units do to one another.

pub(crate) mod counted;
pub mod extents;
pub(crate) mod fresh;
pub(crate) mod inequalities;
pub mod regions;
pub(crate) mod rows;
pub(crate) mod whole_loops;

//! XAIF: the XML form of a program on its way through automatic differentiation.
//!
//! This crate is the only thing that front ends, booster and back ends share. It holds
//!
//! * [`model`]: the program model (scope tree, call graph, control-flow graphs, expression term graphs),
//! * [`catalogue`]: the intrinsics with their partial derivatives, as data,
//! * [`build`]: how a structured control-flow graph is put together,
//! * [`structure`]: how the nesting of loops and branches is found again in a graph,
//! * [`types`]: the types of expressions,
//! * [`offsets`]: sums of index expressions,
//! * [`exchange`]: loops that exchange whole arrays,
//! * [`head`], [`directives`]: heads and directives, which are written alike in all languages,
//! * [`read`], [`write`], [`validate`]: XML in, XML out, and what makes a document acceptable,
//! * [`spread`]: work on all processors,
//! * [`lined`]: generated text whose lines know where they come from,
//! * [`diagnostic`]: problems with a stable code and a place.
//!
//! XML text is touched in [`read`] and [`write`] only. Nothing here knows how to differentiate, and nothing here knows
//! the syntax of C or Fortran.
//!
//! # What a program means
//!
//! These rules bind everybody who makes or reads a [`model::Program`].
//!
//! **Expressions are pure.** An expression reads variables and computes; it never calls a unit of the program and never
//! writes. Front ends hoist calls, assignments inside expressions and `++` into statements of their own, in the order the
//! language asks for. `and` and `or` evaluate their right operand only where the left one leaves the result open, and
//! `select(c, a, b)` evaluates only the operand that it returns.
//!
//! **Functions are units whose last formal is their result** ([`model::Formal::result`]); a call passes the variable
//! that takes the result as its last argument.
//!
//! **Arrays.** Subscripts, dimensions and bounds stand in source order, with the source's own index base: a C array
//! `double a[n][m]` has dimensions `0:n-1`, `0:m-1`, a Fortran array `a(n,m)` has `1:n`, `1:m`. Which of the two varies
//! fastest is [`model::Program::index_order`]. Only the stock attribute `DimensionBounds` is slowest-first, and only in
//! the XML. A reference without subscripts is the whole array; a section has a triplet with a bound or a stride; a triplet
//! with an index alone is an element. Operations on arrays are elementwise.
//!
//! **Structures** have no values; their members are variables beside them, and arguments behind them. [`members`] has the words for it.
//!
//! **Pointers to functions** are integers that stand for functions: see [`callbacks`].
//!
//! **Passing.** A formal of [`model::Passing::Value`] is a copy; any other is the caller's variable. An argument that is an array
//! element passes the array from that element on.
//!
//! **Control flow.** A graph is a structured skeleton plus jumps. Along edges whose [`model::FlowEdge::jump`] is `None`,
//! loops and branches nest: each loop vertex has a body edge (value 1), an exit edge (no value) and one `EndLoop` with the
//! edge back; each branch has one `EndBranch` that all its arms reach unless they end in a jump. An edge with a jump leaves
//! the skeleton: `break`, `continue` (to the `EndLoop`), `return` (to `Exit`), `goto`. A vertex that text order puts behind
//! a jump names the vertex it follows ([`model::Vertex::follows`]). Stock files have no jumps marked; their units with
//! `structured="0"` are plain graphs.
//!
//! A `PreLoop` tests its condition before each iteration; a `PostLoop` only when control comes back from its `EndLoop`. A
//! `ForLoop` runs its initialization when entered from outside, its update when entered from its `EndLoop`, and tests
//! its condition both times. Where [`model::ForLoop::counted`] holds, neither loop variable, bound nor stride
//! changes while the loop runs, so the trip count is known on entry.
#![warn(missing_docs)]

pub mod build;
pub mod bytes;
pub mod callbacks;
pub mod catalogue;
pub mod diagnostic;
pub mod directives;
pub mod exchange;
pub mod head;
pub mod lined;
pub mod members;
pub mod model;
pub mod offsets;
pub mod open;
pub mod ranges;
pub mod read;
pub mod rows;
pub mod spread;
pub mod stack;
mod stock_loops;
pub mod structure;
pub mod types;
pub mod unparsed;
pub mod validate;
mod vocabulary;
pub mod walk;
pub mod write;

pub use diagnostic::{Diagnostic, Severity};
pub use model::Program;

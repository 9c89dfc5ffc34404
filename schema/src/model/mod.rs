//! The program model: what an XAIF document says, with names resolved to typed handles.
//!
//! One program model for every stage: front ends make it, the booster transforms it, back ends print it, reader and writer
//! take it from and to XML. Lives here: plain data and the accessors that keep it consistent. Never here: XML, analyses,
//! text of any language.
//!
//! * [`program`]: [`Program`], sources, heads, scopes, call graph
//! * [`handles`]: what stands for symbols, units, scopes and sources, and places; [`types`]: types of values
//! * [`symbol`]: [`Symbol`] and its declaration
//! * [`symbols`]: the table of all of them
//! * [`expr`]: [`Expr`], [`VarRef`], [`Constant`]: term graphs
//! * [`lists`]: the lists in them
//! * [`operation`]: what an intrinsic vertex holds
//! * [`stmt`]: statements, [`Stmt`]
//! * [`unit`]: [`Unit`] and its control-flow graph

pub mod expr;
pub mod handles;
pub mod lists;
pub mod operation;
pub mod program;
pub mod stmt;
pub mod symbol;
pub mod symbols;
pub mod types;
pub mod unit;

pub use expr::{BoolOp, Constant, Expr, Node, NodeId, NodeKind, NodeOrigin, RefOrigin, Tri, Triplet, VarRef};
pub use handles::{Extras, ScopeId, SourceId, Span, SymbolId, UnitId};
pub use lists::{Operands, Subscripts};
pub use operation::{Op, Operation};
pub use program::{AliasRange, AliasSet, CallEdge, Dialect, Head, IndexOrder, Joining, Program, Replaced, Scope, Source, StatementSet};
pub use stmt::{Call, CallArgument, CallReversal, Marker, MarkerClass, Propagation, StepId, Stmt, StmtKind, Stmts};
pub use symbol::{Bound, Decl, Dim, Passing, Storage, Symbol, SymbolKind};
pub use symbols::Symbols;
pub use types::{BaseType, ElemType};
pub use unit::{
    Derivation, EdgeId, FlowEdge, FlowGraph, ForLoop, Formal, Intent, Jump, Mode, MostSnapshots, Replacement, SideEffects, Snapshots,
    Standing, Unit, UnitKind, Vertex, VertexId, VertexKind,
};

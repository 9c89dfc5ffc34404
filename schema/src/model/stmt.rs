//! Statements of basic blocks.

use super::expr::{Expr, VarRef};
use super::handles::{Extras, Span, SymbolId};
use arcstr::ArcStr;
use smol_str::SmolStr;
use std::num::NonZeroU32;

/// An actual argument.
#[derive(Clone, Debug, PartialEq)]
pub struct CallArgument {
    /// 1-based position of the formal.
    pub position: u32,
    /// A variable, element or section (passed by reference unless the formal takes a value) or a constant. Anything else was hoisted, except where
    /// the formal takes a value ([`super::Passing::Value`]): then any expression.
    pub value: Expr,
    /// The keyword with which it was passed, if any.
    pub keyword: SmolStr,
    /// Annotation, verbatim.
    pub annotation: SmolStr,
    /// Uninterpreted attributes.
    pub extras: Extras,
}

/// A call of a unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The unit's name symbol.
    pub callee: SymbolId,
    /// The arguments, by position; absent optional ones are left out. The result's variable is the last.
    pub arguments: Vec<CallArgument>,
    /// `formalArgCount`; `None` in files that leave it out.
    pub formal_count: Option<u32>,
    /// `active` attribute.
    pub active: super::expr::Tri,
}

/// How a call is to be reversed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallReversal {
    /// The callee runs again in the reverse sweep.
    Joint,
    /// The callee records in the forward sweep.
    Split,
}

/// What an opaque statement does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum MarkerClass {
    /// Not said: a stock Marker.
    #[default]
    Unknown,
    /// A call of a unit of which nothing is known but what the call names: it may see more of the program.
    Call,
    /// Input or output.
    Io,
    /// Input or output at the terminal: what is written there does not come back.
    Terminal,
    /// Allocates [`Marker::object`] with the extents its subscripts give (lower:upper triplets).
    Allocate,
    /// Frees [`Marker::object`].
    Deallocate,
    /// A comment that stands alone.
    Comment,
    /// A pragma.
    Pragma,
    /// Ends the program (`stop`, `exit`, `abort`).
    Stop,
    /// A check that computes nothing (`assert`).
    Assertion,
    /// Anything else that carries no derivative.
    Passive,
}

/// An opaque statement: kept as text, with what it reads and writes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marker {
    /// Stock annotation, verbatim.
    pub annotation: SmolStr,
    /// What it does.
    pub class: MarkerClass,
    /// The statement as the source has it.
    pub text: String,
    /// The allocated or freed object.
    pub object: Option<VarRef>,
    /// The memory is set to zero by the allocation (calloc).
    pub zeroed: bool,
    /// Variables it reads.
    pub reads: Vec<SymbolId>,
    /// Variables it writes.
    pub writes: Vec<SymbolId>,
}

/// An entry of a DerivativePropagator (openad tangent output): operations on derivative components, in execution order.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Propagation {
    /// target = source
    Set { target: VarRef, source: VarRef },
    /// target = -source
    SetNeg { target: VarRef, source: VarRef },
    /// target += source
    Inc { target: VarRef, source: VarRef },
    /// target -= source
    Dec { target: VarRef, source: VarRef },
    /// y = sum of a*x
    Sax { terms: Vec<(Expr, VarRef)>, y: VarRef },
    /// y += sum of a*x
    Saxpy { terms: Vec<(Expr, VarRef)>, y: VarRef },
    /// v = 0
    Zero { target: VarRef },
}

impl Propagation {
    /// Visits the expressions that are evaluated as values: factors, and the subscripts of the elements whose derivatives are meant.
    pub fn for_each_value<'a>(&'a self, visit: &mut impl FnMut(&'a Expr)) {
        match self {
            Propagation::Sax { terms, y } | Propagation::Saxpy { terms, y } => {
                for (factor, x) in terms {
                    visit(factor);
                    x.index_exprs().for_each(&mut *visit);
                }
                y.index_exprs().for_each(visit);
            }
            Propagation::Zero { target } => target.index_exprs().for_each(visit),
            Propagation::Set { target, source }
            | Propagation::SetNeg { target, source }
            | Propagation::Inc { target, source }
            | Propagation::Dec { target, source } => target.index_exprs().chain(source.index_exprs()).for_each(visit),
        }
    }
}

/// What a statement is.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// lhs = rhs.
    Assignment {
        /// The variable, element or section that is set.
        lhs: VarRef,
        /// Its new value, evaluated completely before anything is stored.
        rhs: Expr,
    },
    /// A call of a unit.
    Call(Call),
    /// An opaque statement.
    Marker(Box<Marker>),
    /// Operations on derivative components (openad dialect).
    Propagator(Vec<Propagation>),
    /// Run-time support, by name: `push`, `pop` with one argument (any type; an array or section is pushed as a whole); in the openad dialect the stock names
    /// (`push_s0`, `Saxpy`, `cp_arg_store_real_scalar_a`, ...).
    Runtime {
        /// `subroutine_name`.
        name: SmolStr,
        /// The arguments by position.
        arguments: Vec<CallArgument>,
    },
}

/// A statement of a unit, or what one of its vertices evaluates, by its number in the unit. A statement that carries one keeps it wherever it is moved, and so do its
/// copies: what is known of the original is found by it, whatever was put before it or taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepId(NonZeroU32);

impl StepId {
    /// The handle with this number.
    pub fn new(number: usize) -> Option<StepId> {
        u32::try_from(number).ok()?.checked_add(1).and_then(NonZeroU32::new).map(StepId)
    }

    /// Its number, from 0.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// `statement_id`.
    pub id: ArcStr,
    /// `lineNumber`, 0 if absent.
    pub line: u32,
    /// Key into the definition-overwrite sets.
    pub do_chain: u32,
    /// Where it stands.
    pub span: Span,
    /// The comment before it, without comment signs; several lines are separated by newlines.
    pub comment: ArcStr,
    /// The statement as the source has it, one line, for comments over its adjoint. Empty in stock files.
    pub text: ArcStr,
    /// Calls only: how the user wants it reversed; `None`: as the callee says, else as the request does.
    pub reversal: Option<CallReversal>,
    /// Which step of the original it is, or is a copy of, while derivatives are made; `None` for what they add.
    pub step: Option<StepId>,
    /// What it is.
    pub kind: StmtKind,
    /// Uninterpreted attributes.
    pub extras: Extras,
}

/// The statements of a block. Each has a place of its own: they are moved about by the hundred thousand.
#[allow(clippy::vec_box)]
pub type Stmts = Vec<Box<Stmt>>;

impl Stmt {
    /// A statement with nothing but its kind; ids are given by the writer where they are empty.
    pub fn new(kind: StmtKind) -> Stmt {
        Stmt {
            id: ArcStr::new(),
            line: 0,
            do_chain: 0,
            span: Span::NONE,
            comment: ArcStr::new(),
            text: ArcStr::new(),
            reversal: None,
            step: None,
            kind,
            extras: Extras::default(),
        }
    }

    /// An assignment.
    pub fn assign(lhs: VarRef, rhs: Expr) -> Stmt {
        Stmt::new(StmtKind::Assignment { lhs, rhs })
    }

    /// The same statement with another kind: place, comment and text stay.
    pub fn with_kind(&self, kind: StmtKind) -> Stmt {
        Stmt {
            id: self.id.clone(),
            line: self.line,
            do_chain: self.do_chain,
            span: self.span,
            comment: self.comment.clone(),
            text: self.text.clone(),
            reversal: self.reversal,
            step: self.step,
            kind,
            extras: self.extras.clone(),
        }
    }

    /// `push` or `pop` of a variable, element, section or (push only) value.
    pub fn runtime(name: &str, argument: Expr) -> Stmt {
        Stmt::new(StmtKind::Runtime { name: name.into(), arguments: vec![CallArgument::new(1, argument)] })
    }
}

impl CallArgument {
    /// An argument at a position.
    pub fn new(position: u32, value: Expr) -> CallArgument {
        CallArgument { position, value, keyword: SmolStr::default(), annotation: SmolStr::default(), extras: Extras::default() }
    }
}

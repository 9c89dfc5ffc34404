//! Program units and their control-flow graphs.

use super::expr::{BoolOp, Expr, VarRef};
use super::handles::{Extras, ScopeId, Span, SymbolId, UnitId};
use super::stmt::{CallReversal, Stmt, Stmts};
use arcstr::ArcStr;
use petgraph::graph::{DiGraph, EdgeIndex, NodeIndex};
use smol_str::SmolStr;
use std::num::NonZeroU16;

/// A vertex of a control-flow graph.
pub type VertexId = NodeIndex<u32>;
/// An edge of a control-flow graph.
pub type EdgeId = EdgeIndex<u32>;
/// A control-flow graph.
pub type FlowGraph = DiGraph<Vertex, FlowEdge, u32>;

/// Direction of a formal argument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Intent {
    /// Only read.
    In,
    /// Only written.
    Out,
    /// Both, or not known.
    #[default]
    Inout,
}

/// A formal argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Formal {
    /// `position` in the XML; the list is sorted by it.
    pub position: u32,
    /// The argument's symbol.
    pub symbol: SymbolId,
    /// Its direction.
    pub intent: Intent,
    /// False where the source did not declare the direction.
    pub intent_declared: bool,
    /// `deriv` attribute.
    pub deriv: bool,
    /// This formal is really the function's result.
    pub result: bool,
    /// Annotation, verbatim.
    pub annotation: SmolStr,
    /// Uninterpreted attributes.
    pub extras: Extras,
}

impl Formal {
    /// A formal at a position.
    pub fn new(position: u32, symbol: SymbolId, intent: Intent) -> Formal {
        Formal {
            position,
            symbol,
            intent,
            intent_declared: true,
            deriv: false,
            result: false,
            annotation: SmolStr::default(),
            extras: Extras::default(),
        }
    }
}

/// The counted or general `for` loop.
#[derive(Clone, Debug, PartialEq)]
pub struct ForLoop {
    /// `reversal="explicit"`: the user promises that bounds and indices inside can be recomputed.
    pub explicit: bool,
    /// `i = e0`; an assignment.
    pub init: Stmt,
    /// Tested before each iteration. In a counted loop: `i <= e1` or `i >= e1` with the sign of the stride known, else
    /// `(c > 0 and i <= e1) or (c < 0 and i >= e1)`.
    pub condition: Expr,
    /// `i = i + c`; an assignment.
    pub update: Stmt,
    /// The trip count is known on entry, see the crate's front page.
    pub counted: bool,
}

impl ForLoop {
    /// The condition of a counted loop: `index <= bound` or `index >= bound` where the sign of the stride is known, else the one that the stride asks for.
    pub fn within(index: &Expr, bound: &Expr, stride: &Expr, sign: Option<i64>) -> Expr {
        let relation = |op, limit: &Expr| Expr::boolean(op, [index.clone(), limit.clone()]);
        let (upward, downward) = (|| relation(BoolOp::LessOrEqual, bound), || relation(BoolOp::GreaterOrEqual, bound));
        let side = |sign, one: Expr| {
            let sign = Expr::boolean(sign, [stride.clone(), Expr::int(0)]);
            Expr::boolean(BoolOp::And, [sign, one])
        };
        match sign {
            Some(s) if s > 0 => upward(),
            Some(_) => downward(),
            None => Expr::boolean(BoolOp::Or, [side(BoolOp::GreaterThan, upward()), side(BoolOp::LessThan, downward())]),
        }
    }
}

/// How a loop is reversed from snapshots of its state. In text: `10`, or `memory:1000000` for as many as fit into that many bytes; with `,every:32`
/// behind it 32 iterations are recorded and reversed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snapshots {
    /// How many states the adjoint may hold at once.
    pub most: MostSnapshots,
    /// How many iterations are recorded together, at least one; snapshots are made before such groups only.
    pub every: u32,
}

/// How many states of a loop its adjoint may hold at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MostSnapshots {
    /// So many, at least one.
    Count(u32),
    /// As many as fit into so many bytes, but always one.
    Memory(u64),
}

impl std::fmt::Display for Snapshots {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.most {
            MostSnapshots::Count(n) => write!(f, "{n}")?,
            MostSnapshots::Memory(bytes) => write!(f, "memory:{bytes}")?,
        }
        if self.every > 1 { write!(f, ",every:{}", self.every) } else { Ok(()) }
    }
}

/// More iterations are not recorded together: counters of loops over groups are as wide as 32 bits.
const MOST_TOGETHER: u32 = 1 << 30;

/// The number behind a word and a colon, or (no word) a number alone.
fn number_behind<'a>(word: &str, text: &'a str) -> Option<&'a str> {
    let (before, number) = text.split_once(':').map_or(("", text.trim()), |(w, n)| (w.trim(), n.trim()));
    let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    (digits && before.eq_ignore_ascii_case(word)).then_some(number)
}

impl std::str::FromStr for Snapshots {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Snapshots, &'static str> {
        let (most, every) = text.split_once(',').map_or((text, None), |(m, e)| (m, Some(e)));
        let most = if let Some(n) = number_behind("", most) {
            MostSnapshots::Count(n.parse().map_err(|_| "there are too many snapshots")?)
        } else if let Some(n) = number_behind("memory", most) {
            MostSnapshots::Memory(n.parse().map_err(|_| "there are too many bytes")?)
        } else {
            return Err("a number of snapshots or `memory:` with a number of bytes must follow");
        };
        if most == MostSnapshots::Count(0) {
            return Err("at least one snapshot is needed");
        }
        let every = match every {
            None => 1,
            Some(e) => number_behind("every", e)
                .and_then(|n| n.parse().ok())
                .filter(|n| (1..=MOST_TOGETHER).contains(n))
                .ok_or("behind the comma `every:` and a number of iterations must follow")?,
        };
        Ok(Snapshots { most, every })
    }
}

/// What a vertex is.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // most vertices of a large program are blocks, and loops are few
pub enum VertexKind {
    /// Where control enters.
    Entry,
    /// Where it leaves.
    Exit,
    /// A sequence of statements.
    Block {
        /// `scope_id`.
        scope: ScopeId,
        /// The statements.
        stmts: Stmts,
    },
    /// `for`.
    For(Box<ForLoop>),
    /// `while`.
    Pre(Expr),
    /// `do ... while`.
    Post(Expr),
    /// End of a loop's body.
    EndLoop,
    /// `if` (boolean condition) or `switch` (integer condition).
    Branch(Expr),
    /// Where the arms of a branch meet.
    EndBranch,
    /// In the schema only; one successor.
    Goto,
    /// In the schema only; one successor.
    Label,
}

/// A vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct Vertex {
    /// `vertex_id`.
    pub id: ArcStr,
    /// What it is.
    pub kind: VertexKind,
    /// Annotation, verbatim.
    pub annotation: ArcStr,
    /// `lineNumber`, 0 if absent.
    pub line: u32,
    /// The vertex behind which the text has this one, though no control flows from there (code behind a jump).
    pub follows: Option<VertexId>,
    /// The label or construct name in the source (`10`, `outer`), if it has one.
    pub label: ArcStr,
    /// The comment before it, without comment signs.
    pub comment: ArcStr,
    /// The head of the construct as the source has it (`do i = 1, n`), for comments.
    pub text: ArcStr,
    /// Counted loops only: the user promises that no iteration reads what another one writes, but to add to it.
    pub parallel: bool,
    /// Loops only: the adjoint runs iterations again from so many snapshots, instead of recording all of them.
    pub checkpoint: Option<Snapshots>,
    /// Where it stands.
    pub span: Span,
    /// Uninterpreted attributes.
    pub extras: Extras,
}

impl Vertex {
    /// A vertex with nothing but its kind; ids are given by the writer where they are empty.
    pub fn new(kind: VertexKind) -> Vertex {
        Vertex {
            id: ArcStr::new(),
            kind,
            annotation: ArcStr::new(),
            line: 0,
            follows: None,
            label: ArcStr::new(),
            comment: ArcStr::new(),
            text: ArcStr::new(),
            parallel: false,
            checkpoint: None,
            span: Span::NONE,
            extras: Extras::default(),
        }
    }

    /// True for the three loop headers.
    pub fn is_loop(&self) -> bool {
        matches!(self.kind, VertexKind::For(_) | VertexKind::Pre(_) | VertexKind::Post(_))
    }

    /// The statements, if it is a block.
    pub fn stmts(&self) -> &[Box<Stmt>] {
        match &self.kind {
            VertexKind::Block { stmts, .. } => stmts,
            _ => &[],
        }
    }
}

/// Why an edge leaves the structured skeleton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jump {
    /// Out of the innermost (or a named outer) loop, or out of a `switch`.
    Break,
    /// To the `EndLoop` of a loop.
    Continue,
    /// To the unit's exit.
    Return,
    /// To a labelled vertex.
    Goto,
    /// Into the next arm of a `switch`.
    FallThrough,
}

/// An edge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowEdge {
    /// `edge_id`.
    pub id: ArcStr,
    /// `condition_value` where `has_condition_value` holds: 1 is the loop's body and the branch's then-arm, or a value of the `switch`.
    pub value: Option<i64>,
    /// Why it leaves the skeleton; `None`: it does not.
    pub jump: Option<Jump>,
    /// Annotation, verbatim.
    pub annotation: ArcStr,
    /// Uninterpreted attributes.
    pub extras: Extras,
}

/// Side effects that a stock file lists for a unit; `None` where the file has no such list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SideEffects {
    /// Variables modified here.
    pub mod_local: Option<Vec<VarRef>>,
    /// Variables modified here and in callees.
    pub modified: Option<Vec<VarRef>>,
    /// Variables read here.
    pub read_local: Option<Vec<VarRef>>,
    /// Variables read here and in callees.
    pub read: Option<Vec<VarRef>>,
    /// Variables read before the first statement.
    pub on_entry: Option<Vec<VarRef>>,
}

/// What kind of unit it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnitKind {
    /// Called by a statement; a function whose result is `void` in C.
    #[default]
    Subroutine,
    /// Called in expressions; its last formal is the result.
    Function,
    /// A module or another container without statements.
    Container,
    /// The main program.
    Main,
}

/// How a unit was derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// Tangent: `f_d`.
    Tangent,
    /// Adjoint, both sweeps in one unit: `f_b`.
    Adjoint,
    /// Forward sweep of a split adjoint: `f_fwd`.
    Forward,
    /// Reverse sweep of a split adjoint: `f_bwd`.
    Reverse,
}

/// What a certificate says of a derivative unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Every comparison held, and the points come to all statements with derivatives.
    Pass,
    /// The program is not smooth where it was compared.
    Kink,
    /// No point came to some of the statements with derivatives.
    NotReached,
    /// Nothing could be compared.
    NotCertified,
}

/// Which unit a derivative unit comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// The original.
    pub of: UnitId,
    /// The derivative.
    pub mode: Mode,
}

/// One placeholder of a ReplacementList (openad adjoint output).
#[derive(Clone, Debug)]
pub struct Replacement {
    /// `placeholder`.
    pub placeholder: u32,
    /// `structured`.
    pub structured: bool,
    /// Its graph; may be empty.
    pub graph: FlowGraph,
}

/// A program unit.
#[derive(Clone, Debug)]
pub struct Unit {
    /// `vertex_id` in the call graph.
    pub id: SmolStr,
    /// The unit's name.
    pub symbol: SymbolId,
    /// Its own scope.
    pub scope: ScopeId,
    /// What kind it is.
    pub kind: UnitKind,
    /// `active` attribute.
    pub active: bool,
    /// `structured` attribute: loops and branches nest and no edge jumps.
    pub structured: bool,
    /// Annotation, verbatim.
    pub annotation: SmolStr,
    /// Formal arguments by position.
    pub formals: Vec<Formal>,
    /// True if the file has an ArgumentList, be it empty.
    pub has_argument_list: bool,
    /// Side effects the file lists.
    pub effects: SideEffects,
    /// The control-flow graph; empty for containers and where only replacements are given.
    pub graph: FlowGraph,
    /// `template_name` and placeholders, for a ReplacementList.
    pub replacements: Option<(SmolStr, Vec<Replacement>)>,
    /// Where it was derived from; `None` for the user's own units.
    pub derivation: Option<Derivation>,
    /// How many directions a derivative unit serves at once, where that is fixed; else there is one, or its first argument says it.
    pub directions: Option<NonZeroU16>,
    /// What a certificate says of a derivative unit; its comment says it in words.
    pub standing: Option<Standing>,
    /// Whole text of the unit, first to last line: derivative units go behind it.
    pub span: Span,
    /// Lines that a derivative unit needs as well, verbatim: USE statements, interface blocks (Fortran).
    pub imports: Vec<String>,
    /// Words before the unit's declaration: `static`, `inline`, `pure`, `elemental`, `recursive`, `private`, `internal`.
    pub prefixes: Vec<SmolStr>,
    /// How the user wants calls of it reversed; `None`: as the request says.
    pub reversal: Option<CallReversal>,
    /// The comment before it, without comment signs.
    pub comment: String,
    /// Uninterpreted attributes.
    pub extras: Extras,
}

impl Unit {
    /// An empty unit with a name and a scope.
    pub fn new(symbol: SymbolId, scope: ScopeId) -> Unit {
        Unit {
            id: SmolStr::default(),
            symbol,
            scope,
            kind: UnitKind::Subroutine,
            active: true,
            structured: true,
            annotation: SmolStr::default(),
            formals: Vec::new(),
            has_argument_list: true,
            effects: SideEffects::default(),
            graph: FlowGraph::default(),
            replacements: None,
            derivation: None,
            directions: None,
            standing: None,
            span: Span::NONE,
            imports: Vec::new(),
            prefixes: Vec::new(),
            reversal: None,
            comment: String::new(),
            extras: Extras::default(),
        }
    }

    /// True for a unit without statements (a module).
    pub fn is_container(&self) -> bool {
        self.kind == UnitKind::Container || (self.graph.node_count() == 0 && self.replacements.is_none())
    }

    /// The entry vertex.
    pub fn entry(&self) -> Option<VertexId> {
        self.graph.node_indices().find(|&v| matches!(self.graph[v].kind, VertexKind::Entry))
    }

    /// The exit vertex.
    pub fn exit(&self) -> Option<VertexId> {
        self.graph.node_indices().find(|&v| matches!(self.graph[v].kind, VertexKind::Exit))
    }

    /// The formal that carries the function's result.
    pub fn result(&self) -> Option<&Formal> {
        self.formals.iter().find(|f| f.result)
    }
}

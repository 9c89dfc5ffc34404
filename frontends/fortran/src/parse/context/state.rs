//! The state that all of lowering shares: the program so far, the units of the text, what is being lowered.
//!
//! Lives here: what is kept, and how a refusal is made. Never here: a step of lowering.

use super::exchanges::Swaps;
use super::overlays::Overlay;
use super::scopes::ScopeInfo;
use super::structures::{Bindings, Members, Pointers};
use super::terms::{Extents, Parts, Val};
use crate::parse::text::tree::File;
use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;
use xaif::Diagnostic;
use xaif::build::GraphBuilder;
use xaif::model::*;

/// A problem that ends the lowering of a statement or a declaration.
pub type Refusal = Box<Diagnostic>;

/// The result of lowering.
pub type Lowered<T> = Result<T, Refusal>;

/// What kind of procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcKind {
    Subroutine,
    Function,
    Module,
    Main,
    BlockData,
}

/// A program unit of the text.
pub struct Proc<'t> {
    pub name: String,
    pub node: Node<'t>,
    pub file: usize,
    pub kind: ProcKind,
    pub symbol: SymbolId,
    pub scope: ScopeId,
    pub host: Option<usize>,
    /// The ENTRY statement at which it begins, where it is not the first one of its text.
    pub entry: Option<Node<'t>>,
    /// Of a unit whose dummy procedures are open: all arguments of the text, lower case, and whether each is a procedure.
    pub dummies: Vec<(String, bool)>,
    /// Dummy arguments by position, the result last.
    pub formals: Vec<Formal>,
    pub elemental: bool,
    pub pure: bool,
    /// Why it is not in the program, if it is not.
    pub failed: Vec<Diagnostic>,
    /// Only an interface body.
    pub interface_only: bool,
    /// Dummy procedures with what is passed for them.
    pub bound: Vec<(String, SymbolId)>,
    /// The unit behind which its derivatives go, where that is another one than the text's.
    pub behind: Option<Span>,
}

impl<'t> Proc<'t> {
    /// A unit of this text with these names, of which nothing else is known yet.
    pub fn new(name: String, (node, file): (Node<'t>, usize), kind: ProcKind, symbol: SymbolId, scope: ScopeId) -> Proc<'t> {
        Proc {
            name,
            node,
            file,
            kind,
            symbol,
            scope,
            host: None,
            entry: None,
            dummies: Vec::new(),
            formals: Vec::new(),
            elemental: false,
            pure: false,
            failed: Vec::new(),
            interface_only: false,
            bound: Vec::new(),
            behind: None,
        }
    }
}

/// A declaration of a module that is not understood: what names something in it is lost.
pub struct LostNames {
    /// The module, by position.
    pub module: usize,
    pub names: FxHashSet<String>,
    pub why: Diagnostic,
}

/// A construct that is open while statements are lowered.
#[derive(Clone, Debug, PartialEq)]
pub struct Construct {
    pub is_loop: bool,
    /// How many branches of the graph it opened (an if-chain may have several).
    pub branches: usize,
    pub name: String,
    /// The label that ends the loop.
    pub label: String,
    /// The statement with that label does nothing.
    pub label_is_empty: bool,
}

/// What is being lowered.
pub struct Current<'t> {
    pub proc: usize,
    pub scope: ScopeId,
    pub file: usize,
    /// The graph; `None` in specification parts.
    pub graph: Option<GraphBuilder>,
    /// Names that stand for expressions: dummies of statement functions, ASSOCIATE names.
    pub frames: Vec<FxHashMap<String, Val>>,
    /// Names that share memory with others.
    pub overlays: FxHashMap<String, Overlay>,
    /// Pointers that are other names for what they point to.
    pub pointers: FxHashSet<String>,
    /// How many operands of .and. and .or. are being lowered that may not be looked at.
    pub perhaps: usize,
    /// The variables that hold structures that calls returned, by the nodes of the calls.
    pub returned: FxHashMap<usize, SymbolId>,
    pub constructs: Vec<Construct>,
    /// Labels that some jump goes to.
    pub targets: FxHashSet<String>,
    /// Statements to be made behind the statement that is being lowered.
    pub after: Vec<Stmt>,
    pub statement: Option<Node<'t>>,
    pub comment: String,
    pub depth: usize,
    /// Indices of the implied loops of a DATA statement that are open.
    pub data_index: FxHashMap<String, i64>,
    /// Texts of the FORMAT statements by label.
    pub formats: FxHashMap<String, String>,
    /// All words of the unit's text, lower case.
    pub words: FxHashSet<String>,
    /// How many temporaries there are of each stem.
    pub counters: FxHashMap<String, usize>,
    /// Loop variables of nests that are closed.
    pub free_indices: Vec<SymbolId>,
    /// Temporary arrays whose lower bounds are one.
    pub one_based: FxHashSet<SymbolId>,
    /// The mask of the WHERE whose assignment is being lowered.
    pub mask: Option<Val>,
    /// The variables that hold components of arguments.
    pub components: FxHashMap<String, SymbolId>,
    /// Structures of which the statement kept as text names components, and those that it names as a whole.
    pub partly: FxHashSet<SymbolId>,
    pub whole: FxHashSet<SymbolId>,
    /// The extents that allocatable arrays were given, and where.
    pub shapes: FxHashMap<SymbolId, (Vec<Expr>, Node<'t>)>,
    /// The bounds that ALLOCATE gave them.
    pub given: FxHashMap<SymbolId, Extents>,
    /// What stands for an expression that is looked at again, by the numbers of nodes.
    pub stand_ins: FxHashMap<usize, Val>,
    /// The MOVE_ALLOC that exchange arrays.
    pub swaps: Swaps,
}

/// A procedure that a unit gets from whoever asks for its derivative.
pub struct OpenProcedure {
    pub symbol: SymbolId,
    /// Its interface, where that is explicit.
    pub interface: Option<usize>,
}

/// All of lowering.
pub struct Lower<'t> {
    pub p: Program,
    pub files: &'t [File],
    pub names: FxHashMap<(ScopeId, String), SymbolId>,
    pub info: Vec<ScopeInfo<'t>>,
    pub procs: Vec<Proc<'t>>,
    /// Allocatable arrays that assignments may allocate anew, and where.
    pub reallocated: Vec<(SymbolId, usize)>,
    /// Allocatable arrays of which it is relied on that their shape is the same everywhere.
    pub alike: Vec<SymbolId>,
    pub proc_of: FxHashMap<SymbolId, usize>,
    pub modules: FxHashMap<String, ScopeId>,
    pub diagnostics: Vec<Diagnostic>,
    /// What is refused of a text outside of all units.
    pub without_unit: Vec<Diagnostic>,
    /// Declarations of modules that are not understood.
    pub lost_names: Vec<LostNames>,
    pub cur: Current<'t>,
    /// Whether there are complex numbers in the program.
    pub complex: std::cell::OnceCell<bool>,
    /// The values that complex names are declared with.
    pub complex_values: FxHashMap<SymbolId, Parts>,
    /// Who calls whom, by position in `procs`.
    pub calls: FxHashSet<(usize, usize)>,
    /// Definitions of derived types by name.
    pub definitions: std::cell::OnceCell<FxHashMap<String, Vec<(usize, Node<'t>)>>>,
    /// What the texts declare as pointers.
    pub pointers: std::cell::OnceCell<Pointers>,
    /// Whether the program has functions for operators.
    pub operators: std::cell::OnceCell<bool>,
    /// Type-bound procedures by the names of types.
    pub bindings: FxHashMap<String, std::rc::Rc<Bindings>>,
    /// Components of derived types by name.
    pub types: FxHashMap<String, std::rc::Rc<Members<'t>>>,
    /// The interfaces of dummy procedures, with the file in which they stand.
    pub interfaces: FxHashMap<SymbolId, (Node<'t>, usize)>,
    /// Dummy procedures of units that are asked for.
    pub open: Vec<OpenProcedure>,
    /// Components that have an initial value whenever their variable comes to be.
    pub new_values: Vec<(ScopeId, SymbolId, (Node<'t>, usize, ScopeId))>,
}

impl<'t> Lower<'t> {
    /// Before anything of the files is known.
    pub fn new(program: Program, files: &'t [File]) -> Lower<'t> {
        Lower {
            p: program,
            files,
            names: FxHashMap::default(),
            info: Vec::new(),
            procs: Vec::new(),
            reallocated: Vec::new(),
            alike: Vec::new(),
            proc_of: FxHashMap::default(),
            modules: FxHashMap::default(),
            diagnostics: Vec::new(),
            without_unit: Vec::new(),
            lost_names: Vec::new(),
            cur: empty_current(),
            calls: FxHashSet::default(),
            complex: std::cell::OnceCell::new(),
            complex_values: FxHashMap::default(),
            definitions: std::cell::OnceCell::new(),
            pointers: std::cell::OnceCell::new(),
            operators: std::cell::OnceCell::new(),
            bindings: FxHashMap::default(),
            types: FxHashMap::default(),
            new_values: Vec::new(),
            interfaces: FxHashMap::default(),
            open: Vec::new(),
        }
    }

    /// The file of what is being lowered.
    pub fn file(&self) -> &'t File {
        &self.files[self.cur.file]
    }

    /// Its text of a node.
    pub fn text(&self, node: Node) -> &'t str {
        self.file().text(node)
    }

    /// The same in lower case.
    pub fn lower(&self, node: Node) -> String {
        self.file().lower(node)
    }

    /// A refusal at a node.
    pub fn refuse(&self, node: Node, code: &'static str, message: impl Into<String>) -> Refusal {
        let span = self.file().span(node);
        Box::new(Diagnostic::error(code, message).at(self.p.location(span)))
    }

    /// What is kept of a scope.
    pub fn scope_info(&mut self, scope: ScopeId) -> &mut ScopeInfo<'t> {
        while self.info.len() <= scope.index() {
            self.info.push(ScopeInfo::default());
        }
        &mut self.info[scope.index()]
    }
}

/// A place holder while a nested signature is read.
pub fn empty_current<'t>() -> Current<'t> {
    Current {
        proc: 0,
        scope: ScopeId(0),
        file: 0,
        graph: None,
        frames: Vec::new(),
        overlays: FxHashMap::default(),
        pointers: FxHashSet::default(),
        perhaps: 0,
        returned: FxHashMap::default(),
        constructs: Vec::new(),
        targets: FxHashSet::default(),
        after: Vec::new(),
        statement: None,
        comment: String::new(),
        depth: 0,
        data_index: FxHashMap::default(),
        formats: FxHashMap::default(),
        words: FxHashSet::default(),
        counters: FxHashMap::default(),
        free_indices: Vec::new(),
        one_based: FxHashSet::default(),
        mask: None,
        components: FxHashMap::default(),
        partly: FxHashSet::default(),
        whole: FxHashSet::default(),
        shapes: FxHashMap::default(),
        given: FxHashMap::default(),
        stand_ins: FxHashMap::default(),
        swaps: Swaps::default(),
    }
}

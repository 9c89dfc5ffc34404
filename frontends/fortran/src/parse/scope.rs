//! Names: scopes, implicit typing, USE association, and the state that all of lowering shares.
//!
//! Lives here: who is meant by a name. Never here: statements, expressions.

use super::tree::File;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use tree_sitter::Node;
use xaif::Diagnostic;
use xaif::build::GraphBuilder;
use xaif::model::*;

/// A problem that ends the lowering of a statement or a declaration.
pub(super) type Refusal = Box<Diagnostic>;
/// The result of lowering.
pub(super) type Lowered<T> = Result<T, Refusal>;

/// The type that a declaration spells.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TypeSpec {
    pub ty: ElemType,
    pub text: SmolStr,
}

/// USE of a module.
#[derive(Clone, Debug)]
pub(super) struct Use {
    pub module: String,
    /// The module's scope, if it is in the program.
    pub scope: Option<ScopeId>,
    /// The local names of an ONLY list, lower case.
    pub only: Option<FxHashSet<String>>,
    /// Local names of renamed entities with their own names, lower case.
    pub renames: FxHashMap<String, String>,
}

impl Use {
    /// The name that an entity has in the module, if this makes it visible under a local name.
    pub fn name_there<'n>(&'n self, local: &'n str) -> Option<&'n str> {
        // What is renamed is not visible by its own name.
        let hidden = || !self.renames.contains_key(local) && self.renames.values().any(|n| n == local);
        let visible = self.only.as_ref().map_or_else(|| !hidden(), |o| o.contains(local));
        visible.then(|| self.renames.get(local).map_or(local, String::as_str))
    }
}

/// A statement function.
#[derive(Clone, Copy)]
pub(super) struct StatementFunction<'t> {
    pub definition: Node<'t>,
}

/// What the model's scope does not hold.
#[derive(Default)]
pub(super) struct ScopeInfo<'t> {
    /// Type for each first letter; `None`: no implicit typing.
    pub implicit: Option<Vec<TypeSpec>>,
    pub uses: Vec<Use>,
    /// Symbols whose type was declared.
    pub typed: FxHashSet<SymbolId>,
    pub statement_functions: FxHashMap<String, StatementFunction<'t>>,
    /// Generic names with their specific procedures.
    pub generics: FxHashMap<String, Vec<String>>,
    /// Names of NAMELIST groups with their members.
    pub namelists: FxHashMap<String, Vec<SymbolId>>,
    /// Members of COMMON blocks in storage order.
    pub commons: Vec<(SmolStr, Vec<SymbolId>)>,
    /// Named integer constants.
    pub constants: FxHashMap<String, i64>,
    /// Arrays that were declared with `:`.
    pub deferred: FxHashSet<SymbolId>,
    /// Values of DATA statements by offset in memory.
    pub data: std::collections::BTreeMap<SymbolId, std::collections::BTreeMap<i64, String>>,
    /// USE lines, interface blocks and definitions of types, verbatim.
    pub imports: Vec<String>,
    /// PRIVATE without a list.
    pub default_private: bool,
    pub public: FxHashSet<String>,
    pub private: FxHashSet<String>,
    /// SAVE without a list.
    pub save_all: bool,
}

impl ScopeInfo<'_> {
    /// Whether a module hands a name on to who uses it.
    pub fn is_open(&self, name: &str) -> bool {
        self.public.contains(name) || !self.default_private && !self.private.contains(name)
    }
}

/// What kind of procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProcKind {
    Subroutine,
    Function,
    Module,
    Main,
    BlockData,
}

/// A program unit of the text.
pub(super) struct Proc<'t> {
    pub name: String,
    pub node: Node<'t>,
    pub file: usize,
    pub kind: ProcKind,
    pub symbol: SymbolId,
    pub scope: ScopeId,
    pub host: Option<usize>,
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

/// A construct that is open while statements are lowered.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Construct {
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
pub(super) struct Current<'t> {
    pub proc: usize,
    pub scope: ScopeId,
    pub file: usize,
    /// The graph; `None` in specification parts.
    pub graph: Option<GraphBuilder>,
    /// Names that stand for expressions: dummies of statement functions, ASSOCIATE names.
    pub frames: Vec<FxHashMap<String, super::expressions::Val>>,
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
    pub mask: Option<super::expressions::Val>,
    /// The variables that hold components of arguments.
    pub components: FxHashMap<String, SymbolId>,
    /// Structures of which the statement kept as text names components, and those that it names as a whole.
    pub partly: FxHashSet<SymbolId>,
    pub whole: FxHashSet<SymbolId>,
    /// The extents that allocatable arrays were given, and where.
    pub shapes: FxHashMap<SymbolId, (Vec<Expr>, Node<'t>)>,
    /// The bounds that ALLOCATE gave them.
    pub given: FxHashMap<SymbolId, super::elements::Extents>,
    /// The MOVE_ALLOC that exchange arrays.
    pub swaps: super::swaps::Swaps,
}

/// All of lowering.
pub(super) struct Lower<'t> {
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
    pub cur: Current<'t>,
    /// Who calls whom, by position in `procs`.
    pub calls: FxHashSet<(usize, usize)>,
    /// Definitions of derived types by name.
    pub definitions: std::cell::OnceCell<FxHashMap<String, Vec<(usize, Node<'t>)>>>,
    /// Type-bound procedures by the names of types.
    pub bindings: FxHashMap<String, std::rc::Rc<super::bindings::Bindings>>,
    /// Components of derived types by name.
    pub types: FxHashMap<String, std::rc::Rc<super::members::Members<'t>>>,
    /// Components that have an initial value whenever their variable comes to be.
    pub new_values: Vec<(ScopeId, SymbolId, (Node<'t>, usize, ScopeId))>,
}

/// The types that names have without declaration: integer for i to n, else default real.
pub(super) fn default_implicit() -> Vec<TypeSpec> {
    (b'a'..=b'z')
        .map(|c| match c {
            b'i'..=b'n' => TypeSpec { ty: ElemType::INTEGER, text: "integer".into() },
            _ => TypeSpec { ty: ElemType { base: BaseType::Real, bits: 32 }, text: "real".into() },
        })
        .collect()
}

impl<'t> Lower<'t> {
    pub fn file(&self) -> &'t File {
        &self.files[self.cur.file]
    }

    pub fn text(&self, node: Node) -> &'t str {
        self.file().text(node)
    }

    pub fn lower(&self, node: Node) -> String {
        self.file().lower(node)
    }

    /// A refusal at a node.
    pub fn refuse(&self, node: Node, code: &'static str, message: impl Into<String>) -> Refusal {
        let span = self.file().span(node);
        Box::new(Diagnostic::error(code, message).at(self.p.location(span)))
    }

    pub fn scope_info(&mut self, scope: ScopeId) -> &mut ScopeInfo<'t> {
        while self.info.len() <= scope.index() {
            self.info.push(ScopeInfo::default());
        }
        &mut self.info[scope.index()]
    }

    /// Adds a symbol under its name.
    pub fn add(&mut self, symbol: Symbol) -> SymbolId {
        let key = (symbol.scope, symbol.name.to_ascii_lowercase());
        let id = self.p.add_symbol(symbol);
        self.names.insert(key, id);
        id
    }

    /// Takes a symbol out of its scope: it turned out to be no variable.
    pub fn remove(&mut self, id: SymbolId) {
        let (scope, name) = (self.p.symbol(id).scope, self.p.symbol(id).name.to_ascii_lowercase());
        self.p.scopes[scope.index()].symbols.retain(|s| *s != id);
        self.names.remove(&(scope, name));
    }

    /// The symbol of a name in a scope itself or through its USE statements.
    fn in_scope(&self, scope: ScopeId, name: &str) -> Option<SymbolId> {
        self.in_scope_but(scope, name, &mut FxHashSet::default())
    }

    /// The same, leaving out modules that were asked before: many ways may lead to one.
    fn in_scope_but(&self, scope: ScopeId, name: &str, seen: &mut FxHashSet<(ScopeId, String)>) -> Option<SymbolId> {
        let key = (scope, name.to_owned());
        if let Some(&id) = self.names.get(&key) {
            return Some(id);
        }
        let info = self.info.get(scope.index()).filter(|i| !i.uses.is_empty() && seen.insert(key))?;
        // A component is where its variable is.
        let (base, path) = name.split_at(name.find('%').unwrap_or(name.len()));
        info.uses.iter().find_map(|u| {
            let there = format!("{}{path}", u.name_there(base)?);
            self.in_scope_but(u.scope?, &there, seen).filter(|&s| !self.p.symbol(s).has_attribute("private"))
        })
    }

    /// The specific procedures of a generic name, each with the scope of the interface that names it: of the innermost scope in which the name means something,
    /// those of the modules that it uses included.
    pub fn generic(&self, scope: ScopeId, name: &str) -> Vec<(ScopeId, String)> {
        let mut at = Some(scope);
        let (mut out, mut seen) = (Vec::new(), FxHashSet::default());
        for _ in 0..8 {
            let Some(s) = at else { break };
            self.generic_in(s, name, &mut seen, &mut out);
            if !out.is_empty() || self.in_scope(s, name).is_some() {
                break;
            }
            at = self.p.scope(s).parent;
        }
        out
    }

    fn generic_in(&self, scope: ScopeId, name: &str, seen: &mut FxHashSet<(ScopeId, String)>, out: &mut Vec<(ScopeId, String)>) {
        let Some(info) = self.info.get(scope.index()).filter(|_| seen.insert((scope, name.to_owned()))) else { return };
        out.extend(info.generics.get(name).into_iter().flatten().map(|specific| (scope, specific.clone())));
        for u in &info.uses {
            let Some((module, there)) = u.scope.zip(u.name_there(name)) else { continue };
            if self.info.get(module.index()).is_some_and(|i| i.is_open(there)) {
                self.generic_in(module, there, seen, out);
            }
        }
    }

    /// The symbol of a name, innermost scope first.
    pub fn lookup(&self, scope: ScopeId, name: &str) -> Option<SymbolId> {
        let mut at = Some(scope);
        for _ in 0..8 {
            let s = at?;
            if let Some(id) = self.in_scope(s, name) {
                return Some(id);
            }
            at = self.p.scope(s).parent;
        }
        None
    }

    /// Follows a scope and its hosts and used modules until `find` answers.
    pub fn search<T>(&self, scope: ScopeId, find: &dyn Fn(&ScopeInfo<'t>) -> Option<T>) -> Option<T> {
        let mut at = Some(scope);
        for _ in 0..8 {
            let s = at?;
            let mut seen = vec![s];
            let mut i = 0;
            while i < seen.len() {
                if let Some(info) = self.info.get(seen[i].index()) {
                    if let Some(t) = find(info) {
                        return Some(t);
                    }
                    for u in info.uses.iter().filter_map(|u| u.scope) {
                        if !seen.contains(&u) {
                            seen.push(u);
                        }
                    }
                }
                i += 1;
            }
            at = self.p.scope(s).parent;
        }
        None
    }

    /// The module outside the program that a name may come from.
    pub fn unknown_module(&self, scope: ScopeId, name: &str) -> Option<String> {
        self.search(scope, &|info| {
            info.uses
                .iter()
                .find(|u| {
                    u.scope.is_none() && u.only.as_ref().is_none_or(|o| o.contains(name)) && !super::kinds::is_intrinsic_module(&u.module)
                })
                .map(|u| u.module.clone())
        })
    }

    /// The implicit type of a name in a scope.
    pub fn implicit_type(&self, scope: ScopeId, name: &str) -> Option<TypeSpec> {
        let table = self.info.get(scope.index())?.implicit.as_ref()?;
        let first = name.bytes().next()?.to_ascii_lowercase();
        table.get(first.wrapping_sub(b'a') as usize).cloned()
    }

    /// A name that nothing visible in the scope has, and nothing in the unit's text.
    pub fn fresh(&mut self, stem: &str) -> String {
        let stem = stem.to_ascii_lowercase();
        let mut n = self.cur.counters.get(&stem).copied().unwrap_or(0);
        loop {
            n += 1;
            let name = format!("{stem}_{n}");
            if self.lookup(self.cur.scope, &name).is_none() && !self.cur.words.contains(&name) {
                self.cur.counters.insert(stem, n);
                return name;
            }
        }
    }

    /// A temporary variable of the current unit.
    pub fn temp(&mut self, stem: &str, ty: ElemType, text: &str, dims: Vec<Dim>, allocatable: bool, span: Span) -> SymbolId {
        let name = self.fresh(stem);
        let mut s = Symbol::variable(name, ty, self.cur.scope);
        s.temp = true;
        s.rank = dims.len() as u8;
        s.span = span;
        if let Some(d) = &mut s.decl {
            // Numbers are spelled as the unit spells them.
            if !matches!(ty.base, BaseType::Real | BaseType::Integer | BaseType::Bool) {
                d.type_text = text.into();
            }
            d.dims = dims;
            if allocatable {
                d.attributes.push("allocatable".into());
            }
        }
        let id = self.add(s);
        self.scope_info(self.cur.scope).typed.insert(id);
        id
    }
}

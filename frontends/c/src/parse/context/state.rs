//! The state of translating one file: names, types and what is common to all functions.
//!
//! Lives here: the [`Lower`] structure, scopes and bindings. Never here: any construct.

use super::jump_targets::Target;
use super::loop_ranges::LoopRange;
use super::places::{Choice, Nullable, Place, Pointer, RowsAwaited};
use super::records::Record;
use crate::parse::facts::allocation_wrappers::AllocationWrappers;
use crate::parse::facts::function::Facts;
use crate::parse::facts::function_targets::{FunctionTargets, Key};
use crate::parse::facts::returned_pointers::ReturnedPointer;
use crate::parse::facts::side_effects::Effects;
use crate::parse::language::math;
use crate::parse::language::types::{CType, Signature};
use crate::parse::text::comments::Remark;
use crate::parse::text::refusals::Refusal;
use crate::parse::text::source_map::SourceMap;
use crate::parse::text::unread::Unread;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::{SmolStr, format_smolstr};
use std::rc::Rc;
use xaif::build::GraphBuilder;
use xaif::model::{Decl, Expr, Program, ScopeId, Storage, Symbol, SymbolId};

/// A variable in scope.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub ty: CType,
    pub place: Place,
    /// Its value, where it is a constant integer.
    pub value: Option<i128>,
    /// Its number in the facts of the function.
    pub fact: Option<usize>,
}

/// What a name means.
#[derive(Clone, Debug)]
pub(crate) enum Binding {
    /// A name of a type; `local`: derivative code does not know it.
    Typedef {
        ty: CType,
        constant: bool,
        enumerated: Option<SmolStr>,
        local: bool,
    },
    Enumerator {
        value: i64,
        symbol: SymbolId,
    },
    Variable(Variable),
    Function(FunctionInfo),
}

/// A function that may be called.
#[derive(Clone, Debug)]
pub(crate) struct FunctionInfo {
    pub symbol: SymbolId,
    pub signature: Rc<Signature>,
    /// Its text is in the program and translatable as far as its signature goes.
    pub defined: bool,
    /// Declared by a system header.
    pub system: bool,
}

/// The function that is being translated.
pub(crate) struct Body<'a> {
    /// The function's name.
    pub name: SmolStr,
    pub builder: GraphBuilder,
    pub scope: ScopeId,
    pub facts: Rc<Facts>,
    pub result: Option<(SymbolId, CType)>,
    /// The pointer whose memory the function gives to its caller, and the argument that this is.
    pub given_out: Option<(usize, SymbolId)>,
    /// How many blocks are open where each structure of the function is declared, by the names of their variables.
    pub depths: FxHashMap<SmolStr, usize>,
    /// Structures that are arguments by value and that the function changes, with the copies that it changes in their stead.
    pub copies: FxHashMap<SymbolId, SymbolId>,
    pub targets: Vec<Target<'a>>,
    /// Open branches of the builder.
    pub branches: usize,
    /// Nesting of statements.
    pub depth: usize,
    /// Names of the unit's own scope.
    pub names: FxHashSet<SmolStr>,
    /// For each name that was wished for again, the number that was free last.
    pub tried: std::cell::RefCell<FxHashMap<SmolStr, u64>>,
    /// Statements that wait for the end of the full expression; `None` where they may not wait.
    pub deferred: Option<Vec<xaif::model::Stmt>>,
    /// Comments that wait for the next statement.
    pub comment: String,
    /// Next remark of the file that is not attached yet.
    pub remark: usize,
    /// The symbol behind each variable of the facts.
    pub symbols: FxHashMap<usize, SymbolId>,
    /// And back.
    pub fact_of: FxHashMap<SymbolId, usize>,
    /// Locals that never change, by the value that they have in terms of what is known on entry.
    pub entry_values: FxHashMap<SymbolId, Expr>,
    /// Locals that never change and begin as a number of bytes: what they are declared with.
    pub byte_counts: FxHashMap<SymbolId, &'a lang_c::span::Node<lang_c::ast::Expression>>,
    /// Names that stand in lengths of arrays.
    pub lengths: FxHashSet<SmolStr>,
    /// Variables that begin as an argument does and change, by this argument: lengths of arrays are in terms of it.
    pub begun: FxHashMap<SymbolId, SymbolId>,
    /// What allocations gave: the last index of each dimension, where that is settled.
    pub heap: FxHashMap<SymbolId, Option<Vec<Expr>>>,
    /// Variable-length arrays of the open blocks whose extents were computed on the way, with their declarations.
    pub late: Vec<(SymbolId, lang_c::span::Span)>,
    /// Matrices whose rows have no memory yet.
    pub rows_awaited: Vec<RowsAwaited>,
    /// Statements of which others have told everything.
    pub without_effect: Vec<lang_c::span::Span>,
    /// Pointers with several targets.
    pub choices: Vec<Choice>,
    /// Those of which it is settled at present which target is meant.
    pub decided: Vec<usize>,
    /// Conditional expressions that choose a pointer, each with the side that is written at present.
    pub chosen_sides: Vec<(lang_c::span::Span, bool)>,
    /// Pointers into structures that have no target yet, with the depth of the blocks that declare them.
    pub later: Vec<(usize, usize)>,
    /// What malloc gives to pointers that point elsewhere at times, by their facts.
    pub own: FxHashMap<usize, SymbolId>,
    /// Structures that pointers own, and arrays that members own.
    pub owned: Vec<SymbolId>,
    /// Pointers that are null at times.
    pub nulls: Vec<Nullable>,
    /// What has memory of a function that gives null where it is asked for no elements.
    pub null_when_empty: FxHashSet<SymbolId>,
    /// Control may have left the function, or parted, before what comes now.
    pub parted: bool,
    /// Ranges of the variables of counted loops that are open.
    pub loop_ranges: Vec<LoopRange>,
    /// Ends of the blocks that are open.
    pub block_ends: Vec<usize>,
    /// The expression that a statement consists of, and the statement.
    pub top: Option<(lang_c::span::Span, lang_c::span::Span)>,
    /// Functions that are called in statements that are kept as text.
    pub calls: Vec<SymbolId>,
    /// Declarations of functions that stand in the body: derivative code stands elsewhere and needs them too.
    pub declared: Vec<String>,
    /// The full expression has side effects, so order matters.
    pub ordered: bool,
    /// Problems found so far.
    pub refusals: Vec<Refusal>,
}

/// Translation of one file.
pub(crate) struct Lower<'a> {
    pub program: &'a mut Program,
    /// Number of the file.
    pub file: usize,
    pub map: &'a SourceMap,
    /// The text that was parsed.
    pub text: &'a str,
    pub remarks: &'a [Remark],
    pub unread: &'a Unread,
    /// Names of macros of standard headers stand for their values.
    pub builtin_macros: bool,
    /// Functions that only give memory or take it back.
    pub allocation_wrappers: AllocationWrappers<'a>,
    /// Functions that only return a pointer into what an argument points to.
    pub returned_pointers: FxHashMap<SmolStr, ReturnedPointer<'a>>,
    pub effects: &'a Effects,
    /// Innermost last; the first is the file's.
    pub blocks: Vec<FxHashMap<SmolStr, Binding>>,
    /// Words of the text: no temporary gets such a name.
    pub words: &'a FxHashSet<SmolStr>,
    /// File-scope names of all files that have external linkage.
    pub linked: &'a mut FxHashMap<SmolStr, SymbolId>,
    /// Calls in statements that are kept as text: who calls whom.
    pub hidden_calls: &'a mut Vec<(SymbolId, SymbolId)>,
    /// Globals whose address is taken or that are handed on somewhere.
    pub escaping: &'a FxHashSet<SmolStr>,
    /// Globals that some function stores to, or hands to one that may.
    pub stored: &'a FxHashSet<SmolStr>,
    pub body: Option<Body<'a>>,
    /// Problems outside of functions, not fatal.
    pub notes: Vec<Refusal>,
    /// Structures and unions that are defined, by the names of their types.
    pub records: FxHashMap<SmolStr, Rc<Record>>,
    /// Names that the file gives to structures without one of their own.
    pub record_names: FxHashMap<SmolStr, SmolStr>,
    /// Structures whose members have variables, with their types.
    pub structures: FxHashMap<SymbolId, CType>,
    /// Arrays of unions of numbers in which other members are places, with their extents.
    pub overlays: FxHashMap<SymbolId, Vec<i64>>,
    /// What pointers in structures of functions point to, by structure and name of the member.
    pub targets: &'a mut FxHashMap<(SymbolId, SmolStr), Pointer>,
    /// These variables, by structure and name.
    pub members: FxHashMap<(SymbolId, SmolStr), SymbolId>,
    /// What pointers to functions may mean.
    pub function_targets: &'a FunctionTargets,
    /// The constants that stand for functions as values.
    pub function_values: &'a mut FxHashMap<Key, SymbolId>,
    /// The ids at file scope, and of how many symbols they are.
    pub file_ids: std::cell::RefCell<(FxHashSet<SmolStr>, usize)>,
}

impl<'a> Lower<'a> {
    /// What a name means here.
    pub fn find(&self, name: &str) -> Option<&Binding> {
        self.blocks.iter().rev().find_map(|b| b.get(name))
    }

    /// Gives a name a meaning in the innermost block.
    pub fn bind(&mut self, name: SmolStr, binding: Binding) {
        if let Some(block) = self.blocks.last_mut() {
            block.insert(name, binding);
        }
    }

    /// The function in hand.
    ///
    /// # Panics
    /// Outside of functions; statements and expressions with effects are translated inside only.
    pub fn body(&mut self) -> &mut Body<'a> {
        self.body.as_mut().expect("statements are translated inside a function")
    }

    /// The scope for new symbols.
    pub fn scope(&self) -> ScopeId {
        self.body.as_ref().map_or(ScopeId(0), |b| b.scope)
    }

    /// A name like this one that nothing in the unit has.
    pub fn fresh_name(&self, base: &str) -> SmolStr {
        let taken = |n: &str| self.words.contains(n) || self.body.as_ref().is_some_and(|b| b.names.contains(n)) || math::is_known(n);
        // Names of a unit are never given back, so smaller numbers need not be tried again.
        let tried = self.body.as_ref().and_then(|b| b.tried.borrow().get(base).copied()).unwrap_or(1);
        let Some((k, name)) = (tried..).map(|k| (k, format_smolstr!("{base}_{k}"))).find(|(_, n)| !taken(n)) else { return base.into() };
        if let Some(b) = &self.body {
            b.tried.borrow_mut().insert(base.into(), k);
        }
        name
    }

    /// A scalar of the front end's own.
    pub fn temporary(&mut self, base: &str, ty: &CType) -> SymbolId {
        let name = self.fresh_name(base);
        let mut symbol = Symbol::variable(name.clone(), ty.elem(), self.scope());
        symbol.temp = true;
        symbol.decl = Some(Box::new(Decl {
            type_text: ty.spelling(),
            storage: Storage::Local,
            attributes: if ty.is_unsigned() { vec![SmolStr::new_static("unsigned")] } else { Vec::new() },
            ..Decl::default()
        }));
        if let Some(b) = &mut self.body {
            b.names.insert(name);
        }
        self.program.add_symbol(symbol)
    }
}

/// The name of the variable for a function's own result, where the function's name is taken.
pub(crate) fn result_name(function: &str) -> SmolStr {
    format_smolstr!("{function}_result")
}

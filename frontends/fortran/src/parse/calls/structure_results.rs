//! Functions whose result is a structure: in the model subroutines that set a structure, which is their last argument.
//!
//! ```text
//! c = cross(a, b)     ->     call cross(a, b, cross_1);  c%x = cross_1%x;  c%y = cross_1%y;  c%z = cross_1%z
//! ```
//!
//! Only the text of a call says otherwise. Lives here: which functions these are, and their calls. Never here: what is passed (see `arguments`), assignments of
//! structures (see `derived_types`).

use crate::parse::context::arguments::Raw;
use crate::parse::context::state::{Lower, Lowered, ProcKind};
use crate::parse::context::structures::{RETURNS, complex_bits, is_component, is_member, type_name};
use crate::parse::text::tree::named;
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// Whether the result of the function that is being declared is a structure all of whose components have variables.
    pub fn returns_structure(&mut self, result: SymbolId) -> bool {
        let p = &self.procs[self.cur.proc];
        // Those inside other procedures are written anew in derivative code.
        let inside = p.host.is_some_and(|h| self.procs[h].kind == ProcKind::Module);
        let s = self.p.symbol(result);
        // A complex function outside of modules is declared where it is called.
        let outside = p.host.is_none() && s.decl.as_ref().is_some_and(|d| complex_bits(&d.type_text).is_some());
        let inside = (inside || outside) && !p.interface_only && p.entry.is_none();
        if p.kind != ProcKind::Function || !inside || s.ty.base != BaseType::Opaque || s.rank > 0 {
            return false;
        }
        let fixed = |text: &str| complex_bits(text).is_some() || text.get(..4).is_some_and(|t| t.eq_ignore_ascii_case("type"));
        let Some(of) = s.decl.as_ref().filter(|d| fixed(&d.type_text)) else { return false };
        let Some(of) = type_name(&of.type_text) else { return false };
        let members = self.members_of(&of, 0);
        members.complete && !members.list.is_empty() && members.list.iter().all(|m| !m.allocatable)
    }

    /// Makes the result of the function that is being declared its last argument.
    pub fn result_as_argument(&mut self, result: SymbolId) {
        let p = &mut self.procs[self.cur.proc];
        if let Some(f) = p.formals.iter_mut().find(|f| f.symbol == result) {
            (f.result, f.intent, f.intent_declared) = (false, Intent::Out, true);
        }
        let unit = p.symbol;
        self.decl(result).storage = Storage::Argument;
        self.attribute(unit, RETURNS);
    }

    /// The argument that stands for the result of such a function.
    pub fn structure_result(&self, function: SymbolId) -> Option<SymbolId> {
        if !self.p.symbol(function).has_attribute(RETURNS) {
            return None;
        }
        let formals = &self.procs[*self.proc_of.get(&function)?].formals;
        formals.iter().map(|f| f.symbol).rfind(|s| !is_member(self.p.symbol(*s)))
    }

    /// A call of such a function: the variable that holds what it returns. Nothing where it is something else.
    pub fn structure_call(&mut self, node: Node<'t>) -> Lowered<Option<SymbolId>> {
        if self.cur.graph.is_none() {
            return Ok(None);
        }
        let inner = self.without_parentheses(node);
        if self.is_defined_operation(inner) {
            let (symbol, raws) = self.defined_operation(inner)?;
            if self.structure_result(symbol).is_none() {
                return Err(self.refuse(node, "OB3043", "a structure is needed here"));
            }
            let t = self.returned_by(symbol, raws, inner)?;
            self.cur.returned.insert(node.id(), t);
            return Ok(Some(t));
        }
        let [callee, list] = named(node)[..] else { return Ok(None) };
        if node.kind() != "call_expression" || list.kind() != "argument_list" {
            return Ok(None);
        }
        let (symbol, raws) = if is_component(node) {
            let last = self.lower(callee);
            let last = last.rsplit('%').next().unwrap_or_default().trim().to_owned();
            if !self.procs.iter().any(|p| self.p.symbol(p.symbol).has_attribute(RETURNS))
                || self.member_symbol(node).is_some()
                || last.is_empty()
            {
                return Ok(None);
            }
            match self.bound_procedure(callee, Some(list), true)? {
                Some(found) => found,
                None => return Ok(None),
            }
        } else {
            if callee.kind() == "identifier" && self.is_constructor(&self.lower(callee)) {
                return self.constructed_structure(callee, list, node);
            }
            if callee.kind() != "identifier" || !self.may_return_structure(&self.lower(callee)) {
                return Ok(None);
            }
            let name = self.lower(callee);
            let (raws, passed) = self.evaluated_with(Some(list))?;
            let symbol = self.procedure(callee, &name, &raws, true)?;
            (self.specialised(symbol, &passed)?, raws)
        };
        if self.structure_result(symbol).is_none() {
            return Err(self.refuse(node, "OB3020", "a function whose result is of derived or complex type"));
        }
        self.returned_by(symbol, raws, node).map(Some)
    }

    /// The call itself, into a variable of its own.
    pub fn returned_by(&mut self, symbol: SymbolId, raws: Vec<Raw<'t>>, node: Node<'t>) -> Lowered<SymbolId> {
        let Some(result) = self.structure_result(symbol) else {
            return Err(self.refuse(node, "OB3020", "a function whose result is of derived or complex type"));
        };
        // Compilers may call it even where the condition is decided without it.
        let known = self.proc_of.get(&symbol).map(|p| &self.procs[*p]);
        if self.cur.perhaps > 0 && !known.is_some_and(|p| p.pure || p.elemental) {
            let d = self.refuse(node, "OB3020", "a function that returns a structure behind .and. or .or., and is not PURE");
            return Err(Box::new(d.help("declare it PURE, or assign what it returns to a variable first")));
        }
        let t = self.structure_temp(result, &self.p.symbol(symbol).name.to_ascii_lowercase(), node)?;
        let bound = self.matched(symbol, raws, node)?;
        let mut arguments = self.actuals(symbol, bound)?;
        let (own, to) = (self.p.symbol(result).name.clone(), self.p.symbol(t).name.clone());
        for f in self.procs[self.proc_of[&symbol]].formals.clone() {
            let Some(path) = self.p.symbol(f.symbol).name.strip_prefix(own.as_str()) else { continue };
            let target = if path.is_empty() { Some(t) } else { self.lookup(self.cur.scope, &format!("{to}{path}").to_ascii_lowercase()) };
            if !path.is_empty() && !path.starts_with('%') {
                continue;
            }
            let target = target.ok_or_else(|| self.refuse(node, "OB3020", "a structure whose components are not known is returned"))?;
            arguments.push(CallArgument::new(f.position, Expr::sym(target)));
        }
        let count = self.procs[self.proc_of[&symbol]].formals.len() as u32;
        self.note_call(symbol);
        let call = Call { callee: symbol, arguments, formal_count: Some(count), active: Tri::Undefined };
        self.emit(StmtKind::Call(call), node, true);
        self.cur.returned.insert(node.id(), t);
        Ok(t)
    }

    /// The declared type of a structure, or that of what a call returned.
    pub fn type_of_value(&mut self, node: Node<'t>) -> Option<String> {
        match self.cur.returned.get(&node.id()) {
            Some(t) => self.declared_text(self.p.symbol(*t)),
            None => self.declared_type(node),
        }
    }

    /// Whether a function of that name, or one of a generic name, returns a structure.
    pub fn may_return_structure(&self, name: &str) -> bool {
        let returns = |s: SymbolId| self.p.symbol(s).has_attribute(RETURNS);
        let framed = self.cur.frames.last().is_some_and(|f| f.contains_key(name));
        // The declaration of an external function looks like that of a variable.
        let external = || {
            let declared = self.lookup(self.cur.scope, name).is_none_or(|s| self.is_complex_symbol(s) && self.p.symbol(s).rank == 0);
            declared && self.names.get(&(ScopeId(0), name.to_owned())).copied().is_some_and(returns)
        };
        !framed
            && (self.lookup(self.cur.scope, name).is_some_and(returns)
                || external()
                || self.generic(self.cur.scope, name).iter().any(|(place, s)| self.lookup(*place, s).is_some_and(returns)))
    }

    /// Whether a name is that of a type, and no function of the program has it.
    pub fn is_constructor(&self, name: &str) -> bool {
        self.definitions().contains_key(name)
            && self.lookup(self.cur.scope, name).is_none()
            && self.generic(self.cur.scope, name).is_empty()
            && !self.cur.frames.last().is_some_and(|f| f.contains_key(name))
    }

    /// A structure that a constructor makes, in a variable of its own.
    fn constructed_structure(&mut self, callee: Node<'t>, list: Node<'t>, node: Node<'t>) -> Lowered<Option<SymbolId>> {
        let of = self.lower(callee);
        let members = self.members_of(&of, 0);
        if !members.complete || members.list.is_empty() {
            return Ok(None);
        }
        let t = self.structure_of_type(format!("type({of})").into(), &of, node);
        let path = self.p.symbol(t).name.to_ascii_lowercase();
        let Some(values) = self.constructed(&of, &path, list, node)? else {
            return Err(self.refuse(node, "OB3020", "a structure constructor inside an expression"));
        };
        for (l, v) in values {
            self.emit(StmtKind::Assignment { lhs: VarRef::whole(l), rhs: v.e }, node, true);
        }
        self.cur.returned.insert(node.id(), t);
        Ok(Some(t))
    }

    /// A structure for a result, of the type's name here.
    fn structure_temp(&mut self, result: SymbolId, stem: &str, node: Node<'t>) -> Lowered<SymbolId> {
        let text = self.p.symbol(result).decl.as_ref().map(|d| d.type_text.clone()).unwrap_or_default();
        let of = type_name(&text);
        let symbols = &self.p.scope(self.cur.scope).symbols;
        let known = symbols.iter().any(|s| self.p.symbol(*s).decl.as_ref().is_some_and(|d| type_name(&d.type_text) == of));
        if !known && complex_bits(&text).is_none() {
            let d = self.refuse(node, "OB3020", "a function whose result is of a type that nothing else here has");
            return Err(Box::new(d.help("assign the result to a variable of that type")));
        }
        Ok(self.structure_of_type(text, stem, node))
    }

    /// A local structure of a type.
    pub fn structure_of_type(&mut self, text: smol_str::SmolStr, stem: &str, node: Node<'t>) -> SymbolId {
        let name = self.fresh(stem);
        let ty = ElemType { base: BaseType::Opaque, bits: 0 };
        let mut s = Symbol::variable(name, ty, self.cur.scope);
        s.span = self.file().span(node);
        if let Some(d) = &mut s.decl {
            d.type_text = text;
        }
        let t = self.add(s);
        self.scope_info(self.cur.scope).typed.insert(t);
        self.make_members_of(t);
        t
    }
}

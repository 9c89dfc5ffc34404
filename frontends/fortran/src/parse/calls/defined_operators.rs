//! Operators for which the program has functions: `a + b` of structures, `a .dot. b`.
//!
//! Lives here: which function one means. Never here: operators of the language, what functions return (see `structure_results`).

use crate::parse::context::arguments::Raw;
use crate::parse::context::state::{Lower, Lowered};
use crate::parse::context::structures::{RETURNS, is_member, type_name};
use crate::parse::context::terms::Val;
use crate::parse::text::tree::{field, named};
use tree_sitter::Node;
use xaif::model::*;

/// Expressions nest no deeper for this question.
const DEEPEST: usize = 40;

impl<'t> Lower<'t> {
    /// What stands in parentheses.
    pub fn without_parentheses(&self, node: Node<'t>) -> Node<'t> {
        let mut at = node;
        while at.kind() == "parenthesized_expression"
            && let [inner] = named(at)[..]
        {
            at = inner;
        }
        at
    }

    /// The operator of an expression as the name of an interface has it, and its operands.
    fn operation_of(&self, node: Node<'t>) -> Option<(String, Vec<Node<'t>>)> {
        let sign = self.lower(field(node, "operator")?);
        let operands: Vec<Node> = match (field(node, "left"), field(node, "right"), field(node, "argument")) {
            (Some(a), Some(b), _) => vec![a, b],
            (_, _, Some(a)) => vec![a],
            _ => return None,
        };
        Some((format!("operator({})", sign.trim()), operands))
    }

    /// The functions that the program has for an operator here.
    fn operator_functions(&self, name: &str) -> Vec<SymbolId> {
        let any = *self.operators.get_or_init(|| self.info.iter().any(|i| i.generics.keys().any(|k| k.starts_with("operator("))));
        if !any { Vec::new() } else { self.usable(&self.generic(self.cur.scope, name)) }
    }

    /// Whether an operator may be a function of the program, whatever its operands are.
    pub fn may_be_defined(&self, node: Node<'t>) -> bool {
        self.operation_of(node).is_some_and(|(name, _)| !self.operator_functions(&name).is_empty())
    }

    /// Whether all functions that an operator may mean are pure.
    pub fn is_pure_operator(&self, node: Node<'t>) -> bool {
        let functions = self.operation_of(node).map(|(name, _)| self.operator_functions(&name)).unwrap_or_default();
        functions.iter().all(|f| self.proc_of.get(f).is_some_and(|p| self.procs[*p].pure || self.procs[*p].elemental))
    }

    /// Whether an operator has a structure as an operand, and functions of the program.
    pub fn is_defined_operation(&mut self, node: Node<'t>) -> bool {
        self.cur.graph.is_some() && self.is_operation_below(node, 0)
    }

    fn is_operation_below(&mut self, node: Node<'t>, depth: usize) -> bool {
        let Some((name, operands)) = self.operation_of(node) else { return false };
        !self.operator_functions(&name).is_empty() && operands.into_iter().any(|o| self.structure_type_of(o, depth + 1).is_some())
    }

    /// The type of what an expression is worth, where that is a structure.
    fn structure_type_of(&mut self, node: Node<'t>, depth: usize) -> Option<String> {
        if depth > DEEPEST {
            return None;
        }
        let node = self.without_parentheses(node);
        if let Some(declared) = self.declared_type(node) {
            return type_name(&declared);
        }
        let functions = if let Some((name, operands)) = self.operation_of(node) {
            let types: Vec<Option<String>> = operands.into_iter().map(|o| self.structure_type_of(o, depth + 1)).collect();
            if types.iter().all(Option::is_none) {
                return None;
            }
            let mut list = self.operator_functions(&name);
            list.retain(|s| self.takes(*s, &types));
            list
        } else {
            let callee = named(node).first().copied().filter(|c| node.kind() == "call_expression" && c.kind() == "identifier")?;
            let name = self.lower(callee);
            if self.is_constructor(&name) {
                return Some(name);
            }
            if !self.may_return_structure(&name) {
                return None;
            }
            let generic = self.usable(&self.generic(self.cur.scope, &name));
            if generic.is_empty() { self.lookup(self.cur.scope, &name).into_iter().collect() } else { generic }
        };
        let mut found: Vec<Option<String>> = functions.into_iter().map(|f| self.returned_type(f)).collect();
        found.dedup();
        match &found[..] {
            [Some(of)] => Some(of.clone()),
            _ => None,
        }
    }

    /// The type that a function returns, where that is a structure.
    fn returned_type(&self, function: SymbolId) -> Option<String> {
        let result = self.structure_result(function).filter(|_| self.p.symbol(function).has_attribute(RETURNS))?;
        self.type_of_symbol(self.p.symbol(result))
    }

    /// Whether the arguments of a function are structures where these operands are.
    fn takes(&self, function: SymbolId, types: &[Option<String>]) -> bool {
        let Some(&proc) = self.proc_of.get(&function) else { return false };
        let returned = self.structure_result(function);
        let formals = self.procs[proc].formals.iter().filter(|f| !f.result && Some(f.symbol) != returned).map(|f| self.p.symbol(f.symbol));
        let formals: Vec<&Symbol> = formals.filter(|s| !is_member(s)).collect();
        let wanted = |s: &Symbol| self.type_of_symbol(s).filter(|_| s.ty.base == BaseType::Opaque);
        formals.len() == types.len()
            && formals.iter().zip(types).all(|(f, t)| match (wanted(f), t) {
                (Some(w), Some(t)) => self.is_kind_of(t, &w),
                (None, None) => true,
                _ => false,
            })
    }

    /// The function that an operator means, and what it gets.
    pub fn defined_operation(&mut self, node: Node<'t>) -> Lowered<(SymbolId, Vec<Raw<'t>>)> {
        let Some((name, operands)) = self.operation_of(node) else {
            return Err(self.refuse(node, "OB3034", "unsupported operator"));
        };
        // `.not_so. a*b` is `(.not_so. a)*b`, but the parser makes `.not_so. (a*b)` of it.
        let tight = name.starts_with("operator(.") && operands.len() == 1 && operands[0].kind() == "math_expression";
        let sign = operands.len() == 2 && name.starts_with("operator(*") && operands.iter().any(|o| o.kind() == "unary_expression");
        if tight || sign {
            let d = self.refuse(node, "OB3028", "an operator beside one for which the program has a function");
            return Err(Box::new(d.help("put what each of them belongs to in parentheses")));
        }
        let mut types = Vec::new();
        let mut raws = Vec::new();
        for o in operands {
            let o = self.without_parentheses(o);
            types.push(self.structure_type_of(o, 0));
            let value = match self.passed_structure(o)? {
                Some(v) => v,
                None => self.expr(o)?,
            };
            raws.push(Raw { keyword: String::new(), value, node: o, whole: o });
        }
        let mut functions = self.operator_functions(&name);
        functions.retain(|s| self.takes(*s, &types));
        let symbol = self.resolve_among(node, &name, &functions, &raws, true)?;
        Ok((symbol, raws))
    }

    /// What such an operation is worth, where that is a number.
    pub fn operation_value(&mut self, node: Node<'t>) -> Lowered<Val> {
        let (symbol, raws) = self.defined_operation(node)?;
        if self.structure_result(symbol).is_some() {
            let t = self.returned_by(symbol, raws, node)?;
            return Ok(Val::new(Expr::sym(t), self.p.symbol(t).ty, 0));
        }
        self.call_function(symbol, raws, node)
    }
}

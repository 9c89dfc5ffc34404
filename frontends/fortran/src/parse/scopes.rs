//! BLOCK and ASSOCIATE: names that mean something inside a construct only.
//!
//! Lives here: what such a name stands for. Never here: names of whole units (see `scope`).

use super::control::is_bracket;
use super::expressions::Val;
use super::scope::{Construct, Lower, Lowered};
use super::tree::{child, field, named, walk};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// ASSOCIATE: a name stands for a variable, an element or a section of one, or a value that is computed once.
    pub fn associate(&mut self, node: Node<'t>, refusals: &mut Vec<xaif::Diagnostic>) -> Lowered<()> {
        let mut frame = self.cur.frames.last().cloned().unwrap_or_default();
        for a in child(node, "association_list").map(named).unwrap_or_default() {
            let (Some(name), Some(selector)) = (field(a, "name"), field(a, "selector")) else { continue };
            let v = self.expr(selector)?;
            let v = self.associated(v, selector, node)?;
            frame.insert(self.lower(name), v);
        }
        // What was allocated for values is freed behind the construct.
        let pending = std::mem::take(&mut self.cur.after);
        self.cur.frames.push(frame);
        self.inside(node, refusals);
        self.cur.frames.pop();
        self.cur.after = pending;
        self.flush_after();
        Ok(())
    }

    /// The variable or value that an associated name stands for.
    fn associated(&mut self, v: Val, selector: Node<'t>, construct: Node<'t>) -> Lowered<Val> {
        let Some(r) = v.e.as_var().filter(|_| selector.kind() != "parenthesized_expression").cloned() else {
            if v.ty.base == BaseType::String {
                return Err(self.refuse(selector, "OB3044", "text expression"));
            }
            if v.rank > 0 {
                let t = self.array_value("value", v.clone(), selector)?;
                self.cur.one_based.insert(t);
                return Ok(Val::new(Expr::sym(t), v.ty, v.rank));
            }
            let t = self.temp("value", v.ty, &super::hoist::type_text(v.ty), Vec::new(), false, self.file().span(selector));
            self.emit(StmtKind::Assignment { lhs: VarRef::whole(t), rhs: v.e }, selector, true);
            return Ok(Val::new(Expr::sym(t), v.ty, 0));
        };
        // Subscripts keep the values that they have at the start.
        let mut r = r;
        for e in r.index_exprs_mut() {
            if self.is_changed_in(e, construct) {
                let index = Val::new(e.clone(), ElemType::INTEGER, 0);
                if xaif::types::of(&self.p, e).rank > 0 {
                    return Err(self.refuse(selector, "OB3034", "ASSOCIATE with a vector of subscripts that changes"));
                }
                let t = self.temp("at", ElemType::INTEGER, "integer", Vec::new(), false, self.file().span(selector));
                self.emit(StmtKind::Assignment { lhs: VarRef::whole(t), rhs: index.e }, selector, true);
                *e = Expr::sym(t);
            }
        }
        Ok(Val::new(Expr::var(r), v.ty, v.rank))
    }

    /// Subscripts on an associated name that stands for a section.
    pub fn associated_element(&mut self, v: &Val, list: Node<'t>, node: Node<'t>) -> Lowered<Val> {
        let subscripts = self.subscripts(list)?;
        let at: Option<Vec<Expr>> =
            subscripts.into_iter().map(|(t, vector)| if t.is_section() || vector { None } else { t.index }).collect();
        let element = at.filter(|at| at.len() == v.rank as usize).and_then(|at| self.element_at(&v.e, &at));
        match element {
            Some(e) => Ok(Val::new(e, v.ty, 0)),
            None => {
                let mut d = *self.refuse(node, "OB3034", "a section of an associated name");
                d.help = Some("use the variable's own name".into());
                Err(Box::new(d))
            }
        }
    }

    /// Whether a variable of the expression has another name in the text, for which nobody looks.
    pub fn has_other_names(&self, e: &Expr) -> bool {
        let Some(frame) = self.cur.frames.last() else { return false };
        let mut found = false;
        e.for_each_ref(&mut |r| {
            found |= frame.values().any(|v| {
                let mut same = false;
                v.e.for_each_ref(&mut |q| same |= q.symbol == r.symbol);
                same
            })
        });
        found
    }

    fn is_changed_in(&self, e: &Expr, construct: Node<'t>) -> bool {
        if e.as_constant().is_some() {
            return false;
        }
        let mut names = Vec::new();
        if self.has_other_names(e) {
            return true;
        }
        e.for_each_ref(&mut |r| {
            let s = self.p.symbol(r.symbol);
            if *s.storage() != Storage::Constant {
                names.push(s.name.to_ascii_lowercase());
            }
        });
        let mut changed = names.iter().any(|n| n.contains('%'));
        walk(construct, &mut |n| {
            changed |= match n.kind() {
                "assignment_statement" => field(n, "left").is_some_and(|l| {
                    let base = if l.kind() == "call_expression" { named(l).first().copied().unwrap_or(l) } else { l };
                    names.contains(&self.lower(base))
                }),
                "loop_control_expression" | "concurrent_control" => named(n).first().is_some_and(|v| names.contains(&self.lower(*v))),
                "subroutine_call" | "read_statement" => !names.is_empty(),
                _ => false,
            };
            !changed
        });
        changed
    }

    /// BLOCK: its variables become variables of the unit, under names of their own where theirs mean something else outside.
    pub fn block(&mut self, node: Node<'t>, refusals: &mut Vec<xaif::Diagnostic>) -> Lowered<()> {
        let scope = self.cur.scope;
        let parts = named(node);
        let mut own: Vec<(String, SymbolId, Option<SymbolId>)> = Vec::new();
        // Values of named constants that are hidden inside.
        let mut hidden: Vec<(String, i64)> = Vec::new();
        for &c in parts.iter().filter(|c| c.kind() == "variable_declaration") {
            let constant = self.has_qualifier(c, "parameter");
            if field(c, "type").is_some_and(|t| self.names_renamed_constant(t, &own)) {
                return Err(self.refuse(c, "OB3034", "a kind by a constant of a BLOCK whose name means something else outside"));
            }
            let mut names: Vec<(String, Option<SymbolId>)> = Vec::new();
            let mut cursor = c.walk();
            for d in c.children_by_field_name("declarator", &mut cursor) {
                let name = match d.kind() {
                    "identifier" => Some(d),
                    _ => named(d).into_iter().find(|n| n.kind() == "identifier"),
                };
                let Some(name) = name.filter(|_| constant || d.kind() != "init_declarator") else {
                    let mut r = *self.refuse(d, "OB3034", "a variable of a BLOCK with an initial value");
                    r.help = Some("it keeps its value between calls: declare it in the unit".into());
                    return Err(Box::new(r));
                };
                let key = self.lower(name);
                hidden.extend(self.scope_info(scope).constants.remove(&key).map(|v| (key.clone(), v)));
                names.push((key.clone(), self.names.remove(&(scope, key))));
            }
            let graph = self.cur.graph.take();
            let result = self.specification(c);
            self.cur.graph = graph;
            result?;
            for (key, old) in names {
                let Some(&s) = self.names.get(&(scope, key.clone())) else {
                    return Err(self.refuse(c, "OB3034", "unsupported declaration in BLOCK"));
                };
                self.settle_block_variable(s, c, node)?;
                if self.is_named_outside(&key, node) || old.is_some() {
                    let fresh = self.fresh(&key);
                    self.p.symbol_mut(s).name = fresh.clone().into();
                    self.names.insert((scope, fresh.clone()), s);
                    let constants = &mut self.scope_info(scope).constants;
                    if let Some(v) = constants.remove(&key) {
                        constants.insert(fresh, v);
                    }
                }
                own.push((key, s, old));
            }
        }
        let unsupported = parts.iter().find(|c| {
            let k = c.kind();
            matches!(k, "use_statement" | "implicit_statement" | "variable_modification" | "parameter_statement" | "data_statement")
                || matches!(k, "save_statement" | "common_statement" | "interface" | "derived_type_definition" | "import_statement")
        });
        if let Some(c) = unsupported {
            return Err(self.refuse(*c, "OB3034", "a BLOCK with other declarations than those of variables"));
        }
        // An associated name of the same spelling is hidden.
        let mut frame = self.cur.frames.last().cloned().unwrap_or_default();
        for (name, s, _) in &own {
            let symbol = self.p.symbol(*s);
            if symbol.name.eq_ignore_ascii_case(name) {
                frame.remove(name);
            } else {
                frame.insert(name.clone(), Val::new(Expr::sym(*s), symbol.ty, symbol.rank));
            }
        }
        self.cur.frames.push(frame);
        self.inside(node, refusals);
        self.cur.frames.pop();
        for (name, _, old) in own.into_iter().rev() {
            match old {
                Some(o) => self.names.insert((scope, name), o),
                None => self.names.remove(&(scope, name)),
            };
        }
        self.scope_info(scope).constants.extend(hidden);
        Ok(())
    }

    /// Whether a declaration has an attribute that is a word.
    fn has_qualifier(&self, declaration: Node<'t>, word: &str) -> bool {
        let mut cursor = declaration.walk();
        declaration.children_by_field_name("attribute", &mut cursor).any(|a| self.lower(a) == word)
    }

    /// Whether a type is written with a name that is another one in the unit.
    fn names_renamed_constant(&self, of: Node<'t>, own: &[(String, SymbolId, Option<SymbolId>)]) -> bool {
        let mut found = false;
        walk(of, &mut |n| {
            let name = self.lower(n);
            found |=
                n.kind() == "identifier" && own.iter().any(|(k, s, _)| *k == name && !self.p.symbol(*s).name.eq_ignore_ascii_case(&name));
            !found
        });
        found
    }

    /// A variable of a BLOCK must be one that the unit can have from its start to its end.
    fn settle_block_variable(&mut self, s: SymbolId, declaration: Node<'t>, node: Node<'t>) -> Lowered<()> {
        self.scope_info(self.cur.scope).typed.insert(s);
        let symbol = self.p.symbol(s);
        let number = matches!(symbol.ty.base, BaseType::Real | BaseType::Integer | BaseType::Bool);
        if *symbol.storage() == Storage::Constant && number && symbol.rank == 0 && symbol.decl.as_ref().is_some_and(|d| d.init.is_some()) {
            return Ok(());
        }
        let dims = symbol.decl.as_ref().map(|d| d.dims.clone()).unwrap_or_default();
        let odd = ["allocatable", "pointer", "save", "target"].iter().any(|a| symbol.has_attribute(a))
            || *symbol.storage() == Storage::Constant
            || !number;
        let range = 0..usize::MAX;
        let fixed = dims.iter().all(|d| match (&d.lower, &d.upper) {
            (Bound::Expr(l), Bound::Expr(u)) => self.never_changes(l, &range) && self.never_changes(u, &range),
            _ => false,
        });
        if odd || !fixed {
            let _ = node;
            let mut d = *self.refuse(declaration, "OB3034", "a variable of a BLOCK that is not a number or an array of fixed bounds");
            d.help = Some("declare it in the unit".into());
            return Err(Box::new(d));
        }
        self.p.symbol_mut(s).decl.get_or_insert_default().storage = Storage::Local;
        Ok(())
    }

    fn is_named_outside(&self, name: &str, node: Node<'t>) -> bool {
        let mut found = false;
        walk(self.procs[self.cur.proc].node, &mut |n| {
            if n == node {
                return false;
            }
            found |= n.kind() == "identifier" && self.lower(n) == name;
            !found
        });
        found || self.p.scope(self.cur.scope).parent.is_some_and(|p| self.lookup(p, name).is_some())
    }

    /// The statements of a construct that is no loop and no branch.
    fn inside(&mut self, node: Node<'t>, refusals: &mut Vec<xaif::Diagnostic>) {
        let body: Vec<Node> =
            named(node).into_iter().filter(|n| !is_bracket(n.kind()) && !matches!(n.kind(), "block" | "variable_declaration")).collect();
        // Where EXIT leaves it, it is the arm of a branch: that can be left.
        let name = self.construct_name(node);
        let left = !name.is_empty() && self.is_left(node, &name);
        if let Some(g) = self.cur.graph.as_mut().filter(|_| left) {
            let v = g.begin_branch(Expr::bool(true));
            g.arm(&[1]);
            self.describe(v, node, &name);
        }
        self.cur.constructs.push(Construct {
            is_loop: false,
            branches: usize::from(left),
            name,
            label: String::new(),
            label_is_empty: false,
        });
        self.statements(&body, refusals);
        self.cur.constructs.pop();
        if let Some(g) = self.cur.graph.as_mut().filter(|_| left) {
            g.end_branch();
        }
    }

    /// Whether an EXIT in a construct names it.
    fn is_left(&self, node: Node<'t>, name: &str) -> bool {
        let mut found = false;
        walk(node, &mut |n| {
            let exit = n.kind() == "keyword_statement" && self.lower(n).starts_with("exit");
            found |= exit && named(n).into_iter().any(|c| c.kind() == "identifier" && self.lower(c) == name);
            !found
        });
        found
    }
}

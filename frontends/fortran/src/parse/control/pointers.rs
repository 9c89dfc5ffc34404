//! Pointers of a unit that are other names for variables, and pointers that own their memory.
//!
//! ```text
//! p => x(:, k)          from here to the end of the statements in a row, or to the next such assignment among them, `p(i)` is `x(i, k)`
//! ```
//!
//! That holds where each use of the pointer comes behind such an assignment, and nothing in between, nor in a loop around the use, gives it another target. A
//! pointer that is allocated once, and that no assignment names, is an allocatable array. Lives here: which pointers these are, and what they stand for. Never
//! here: pointers that take turns, pointer components.

use crate::parse::context::state::{Lower, Lowered, ProcKind};
use crate::parse::context::structures::is_member;
use crate::parse::context::terms::op;
use crate::parse::text::tree::{child, field, named, walk};
use rustc_hash::FxHashSet;
use tree_sitter::Node;
use xaif::model::*;

/// What a statement does to a pointer.
const ASSIGNS: &str = "pointer_association_statement";

/// Parts of a branch: what stands in front of them is another part.
fn is_arm(kind: &str) -> bool {
    matches!(kind, "elseif_clause" | "else_clause" | "case_statement" | "elsewhere_clause" | "type_statement" | "rank_statement")
}

impl<'t> Lower<'t> {
    /// The pointers of the unit that are other names wherever they are used.
    pub fn followed_pointers(&self, statements: &[Node<'t>]) -> FxHashSet<String> {
        let unit = self.procs[self.cur.proc].node;
        // Jumps may come from anywhere.
        if !self.cur.targets.is_empty() || self.procs[self.cur.proc].entry.is_some() {
            return FxHashSet::default();
        }
        let symbols = self.p.scope(self.cur.scope).symbols.iter().map(|s| self.p.symbol(*s));
        let own = symbols.filter(|s| s.pointer && !is_member(s) && *s.storage() == Storage::Local && is_number(s.ty));
        own.map(|s| s.name.to_ascii_lowercase()).filter(|name| self.is_followed(name, statements, unit)).collect()
    }

    fn is_followed(&self, name: &str, statements: &[Node<'t>], unit: Node<'t>) -> bool {
        let mentions = |n: Node<'t>| self.mentions(n, name);
        // Where another name would have to stand in text that stays as it is.
        let kept = |n: &Node| n.kind() == "internal_procedures" || n.kind() == "namelist_statement";
        let functions = self.info[self.cur.scope.index()].statement_functions.values().map(|f| f.definition);
        let mut sound = !named(unit).into_iter().filter(kept).chain(functions).any(mentions);
        for &s in statements {
            walk(s, &mut |n| {
                sound &= match n.kind() {
                    ASSIGNS => self.is_plain_target(n, name),
                    "nullify_statement" | "allocate_statement" | "deallocate_statement" => !mentions(n),
                    "print_statement" | "write_statement" | "read_statement" | "open_statement" | "close_statement"
                    | "inquire_statement" | "stop_statement" => !mentions(n),
                    "subroutine_call" | "call_expression" if self.wants_pointers(n, name) => false,
                    // A name of its own.
                    "block_construct" | "associate_statement" => !mentions(n),
                    "identifier" if self.lower(n) == name => self.is_covered(n, name, unit),
                    _ => true,
                };
                sound
            });
        }
        sound
    }

    /// Whether an assignment of a pointer, if it is about this one, gives it a variable, an element or a section of one.
    fn is_plain_target(&self, n: Node<'t>, name: &str) -> bool {
        let [left, right] = named(n)[..] else { return false };
        if !self.is_of(left, name) {
            // The address of what it points to goes elsewhere: only to another pointer that is followed itself.
            return !self.is_of(right, name) || left.kind() == "identifier";
        }
        let base = match right.kind() {
            "identifier" => right,
            "call_expression" if named(right).first().is_some_and(|c| c.kind() == "identifier") => named(right)[0],
            _ => return left.kind() == "identifier" && self.member_symbol(right).is_some_and(|s| !self.p.symbol(s).pointer),
        };
        let target = Some(base).filter(|b| b.kind() == "identifier").and_then(|b| self.lookup(self.cur.scope, &self.lower(b)));
        let Some((own, target)) = self.lookup(self.cur.scope, name).zip(target) else { return false };
        let (own, target) = (self.p.symbol(own), self.p.symbol(target));
        let variable = target.kind != SymbolKind::Subroutine && (target.rank > 0 || right.kind() == "identifier");
        // Pointers of which nobody knows where they lead are no variables.
        let known = !target.pointer || *target.storage() == Storage::Local && target.scope == self.cur.scope;
        left.kind() == "identifier" && variable && known && own.ty == target.ty
    }

    /// Whether the assignment that a use of a pointer comes behind is one for all ways that lead there.
    fn is_covered(&self, at: Node<'t>, name: &str, unit: Node<'t>) -> bool {
        let assigns = |n: Node<'t>| {
            let mut found = false;
            walk(n, &mut |m| {
                found |= m.kind() == ASSIGNS && self.is_left_of(m, name);
                !found
            });
            found
        };
        // The left side itself.
        if at.parent().is_some_and(|p| p.kind() == ASSIGNS && p.named_child(0) == Some(at)) {
            return true;
        }
        let mut n = at;
        while n != unit {
            let mut before = if is_arm(n.kind()) { None } else { n.prev_named_sibling() };
            while let Some(s) = before {
                if s.kind() == ASSIGNS && self.is_left_of(s, name) {
                    return true;
                }
                // It may have another target since.
                if assigns(s) {
                    return false;
                }
                before = if is_arm(s.kind()) { None } else { s.prev_named_sibling() };
            }
            let Some(parent) = n.parent() else { return false };
            // The next iteration sees what this one assigns.
            if parent.kind() == "do_loop" && assigns(parent) {
                return false;
            }
            n = parent;
        }
        false
    }

    fn is_left_of(&self, statement: Node<'t>, name: &str) -> bool {
        named(statement).first().is_some_and(|left| self.is_of(*left, name))
    }

    /// Whether an object is a variable, or an element or a section of it.
    fn is_of(&self, object: Node<'t>, name: &str) -> bool {
        let base = if object.kind() == "identifier" { Some(object) } else { named(object).first().copied() };
        base.is_some_and(|b| b.kind() == "identifier" && self.lower(b) == name)
    }

    /// Whether a name stands anywhere in some text.
    fn mentions(&self, text: Node<'t>, name: &str) -> bool {
        let mut found = false;
        walk(text, &mut |m| {
            found |= m.kind() == "identifier" && self.lower(m) == name;
            !found
        });
        found
    }

    /// A pointer assignment that only gives a name: `rest` are the statements behind it. False where it is none.
    pub fn follow_pointer(&mut self, node: Node<'t>, rest: &[Node<'t>]) -> Lowered<bool> {
        let [left, right] = named(node)[..] else { return Ok(false) };
        let name = self.lower(left);
        if !self.cur.pointers.contains(&name) {
            return Ok(false);
        }
        let v = self.expr(right)?;
        self.flush_after();
        let rank = self.lookup(self.cur.scope, &name).map_or(0, |s| self.p.symbol(s).rank);
        let known =
            v.e.as_var().is_some_and(|r| !self.p.symbol(r.symbol).pointer && *self.p.symbol(r.symbol).storage() != Storage::Constant);
        if !known || v.rank != rank {
            let d = self.refuse(node, "OB3022", "pointer assignment").help("use the name of the variable that it points to");
            return Err(Box::new(d));
        }
        let v = self.frozen(v, right, rest)?;
        let mut frame = self.cur.frames.last().cloned().unwrap_or_default();
        frame.insert(name, v);
        self.cur.frames.push(frame);
        Ok(true)
    }

    /// Makes a pointer an allocatable array where nothing but ALLOCATE gives it memory, and nothing else points there.
    pub fn own_memory(&mut self, symbol: SymbolId) {
        let s = self.p.symbol(symbol);
        let unit = self.procs[self.cur.proc].node;
        let local = !matches!(self.procs[self.cur.proc].kind, ProcKind::Module | ProcKind::BlockData);
        if !local || !s.pointer || s.rank == 0 || *s.storage() != Storage::Local || !is_number(s.ty) {
            return;
        }
        let name = s.name.to_ascii_lowercase();
        let (mut allocations, mut sound) = (0, true);
        walk(unit, &mut |n| {
            let mentions = |n: Node<'t>| self.mentions(n, &name);
            match n.kind() {
                ASSIGNS | "nullify_statement" | "pointer_init_declarator" | "internal_procedures" => sound &= !mentions(n),
                "subroutine_call" => sound &= !self.wants_pointers(n, &name),
                "allocate_statement" => {
                    let mut cursor = n.walk();
                    let here = n.children_by_field_name("allocation", &mut cursor).filter(|o| self.is_of(*o, &name)).count();
                    allocations += here;
                    sound &= here == 0 || !self.is_repeated(n, &name);
                }
                "call_expression" if field(n, "name").is_none() => {
                    let parts = named(n);
                    let asks = parts.first().is_some_and(|c| self.lower(*c) == "associated");
                    sound &= !self.wants_pointers(n, &name);
                    sound &= !asks || !mentions(n) || parts.get(1).is_some_and(|l| named(*l).len() == 1);
                }
                _ => {}
            }
            sound
        });
        if sound && allocations == 1 {
            let s = self.p.symbol_mut(symbol);
            (s.kind, s.pointer) = (SymbolKind::Variable, false);
            let d = self.decl(symbol);
            d.may_alias = d.attributes.iter().any(|a| a == "target");
            d.attributes.retain(|a| a != "pointer");
            d.attributes.push("allocatable".into());
        }
    }

    /// ASSOCIATED of one pointer that always has a target here, or that owns its memory.
    pub fn known_association(&self, list: Node<'t>) -> Option<Expr> {
        let [pointer] = named(list)[..] else { return None };
        let name = Some(pointer).filter(|p| p.kind() == "identifier").map(|p| self.lower(p))?;
        if self.cur.pointers.contains(&name) && self.cur.frames.last().is_some_and(|f| f.contains_key(&name)) {
            return Some(Expr::bool(true));
        }
        let symbol = self.lookup(self.cur.scope, &name)?;
        let owned = self.p.symbol(symbol).has_attribute("allocatable");
        owned.then(|| op("allocated", "", None, [Expr::sym(symbol)]))
    }

    /// Whether a call hands the pointer itself to a procedure that may want a pointer.
    fn wants_pointers(&self, call: Node<'t>, name: &str) -> bool {
        let callee = field(call, "subroutine").or_else(|| named(call).first().copied()).map(|c| self.lower(c)).unwrap_or_default();
        let handed = |a: &Node<'t>| {
            let a = field(*a, "value").unwrap_or(*a);
            a.kind() == "identifier" && self.lower(a) == name
        };
        if !child(call, "argument_list").is_some_and(|l| named(l).iter().any(handed)) {
            return false;
        }
        let last = callee.rsplit('%').next().unwrap_or_default().trim();
        let known = self.procs.iter().filter(|p| p.name.eq_ignore_ascii_case(last));
        let mut wants = known.filter(|p| self.files[p.file].lower(p.node).contains("pointer")).peekable();
        wants.peek().is_some() || self.search(self.cur.scope, &|i| i.generics.get(last).map(|_| ())).is_some()
    }

    /// Whether memory may be asked for again before it is given back: in a loop that does not free it behind.
    fn is_repeated(&self, allocation: Node<'t>, name: &str) -> bool {
        let mut n = allocation;
        while let Some(p) = n.parent() {
            if p.kind() == "do_loop" {
                let mut behind = allocation.next_named_sibling();
                while let Some(s) = behind {
                    let objects = || named(s).into_iter().any(|o| o.kind() == "identifier" && self.lower(o) == name);
                    if s.kind() == "deallocate_statement" && objects() {
                        return child(s, "keyword_argument").is_some();
                    }
                    behind = s.next_named_sibling();
                }
                return true;
            }
            n = p;
        }
        false
    }
}

fn is_number(ty: ElemType) -> bool {
    matches!(ty.base, BaseType::Real | BaseType::Integer | BaseType::Bool)
}

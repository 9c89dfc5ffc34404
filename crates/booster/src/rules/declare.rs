//! External units in a program: declared by rules before the analyses, withdrawn when all derivatives are made.
//!
//! What a rule says of a unit becomes a unit whose statements stand for it: each thing that it sets depends on all that it reads. So every analysis sees the unit like any
//! other, and calls of it are differentiated like any others, by calls of the units that the rule names. The statements are never printed or differentiated.
//!
//! Lives here: rules checked against prototypes and calls, the stand-ins. Never here: the form of rules.

use super::{Access, Argument, Derivative, Rules, UnitRule, drawn};
use crate::signature::Signature;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::{SmolStr, format_smolstr};
use std::sync::Arc;
use xaif::build::GraphBuilder;
use xaif::diagnostic::Location;
use xaif::model::{
    BaseType, BoolOp, Bound, Call, Decl, Dim, ElemType, Expr, FlowGraph, Formal, Intent, Mode, Passing, Scope, ScopeId, Span, Stmt,
    StmtKind, Storage, Symbol, SymbolId, SymbolKind, Unit, UnitId, UnitKind, VarRef,
};
use xaif::{Diagnostic, Program, open, types};

/// The stand-in of what a library computes.
const OPERATION: &str = "overbar_external";

/// The external units of a program with what is said of them.
#[derive(Clone, Debug, Default)]
pub struct Externals {
    rules: FxHashMap<UnitId, Arc<UnitRule>>,
    /// Procedures that heads get from their callers, with the functions that were drawn for them.
    open: FxHashMap<UnitId, FlowGraph>,
}

impl Externals {
    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// What is said of a unit, if it is an external one.
    pub fn rule(&self, unit: UnitId) -> Option<&UnitRule> {
        self.rules.get(&unit).map(|r| &**r)
    }

    /// Whether the unit is an external one.
    pub fn has(&self, unit: UnitId) -> bool {
        self.rules.contains_key(&unit)
    }

    /// The derivative unit for a mode.
    pub fn derivative(&self, unit: UnitId, mode: Mode) -> Option<&Derivative> {
        let rule = self.rule(unit)?;
        if mode == Mode::Tangent { rule.tangent.as_ref() } else { rule.adjoint.as_ref() }
    }

    /// Takes the stand-ins and their derivatives out of a program. Those of procedures that heads get from their callers stay, as the functions that were drawn.
    pub fn withdraw(&self, program: &mut Program) {
        if self.rules.is_empty() {
            return;
        }
        for u in program.unit_ids() {
            if let Some(graph) = self.open.get(&u) {
                program.units[u.index()].graph = graph.clone();
            } else if let Some(d) = program.unit(u).derivation.filter(|d| self.open.contains_key(&d.of))
                && let Some(derivative) = self.derivative(d.of, d.mode)
            {
                program.units[u.index()].graph = drawn::body(program, u, &derivative.signature.roles);
            }
        }
        let external = |u: UnitId| self.has(u) && !self.open.contains_key(&u);
        let gone = |u: UnitId, p: &Program| external(u) || p.unit(u).derivation.is_some_and(|d| external(d.of));
        let gone: FxHashSet<UnitId> = program.unit_ids().filter(|&u| gone(u, program)).collect();
        for u in &gone {
            let scope = program.unit(*u).scope;
            program.scopes[scope.index()].symbols.clear();
        }
        program.remove_units(&|u| gone.contains(&u));
    }
}

/// Declares procedures that heads get from their callers: whatever they may set depends on all that they may read, and all real numbers have derivatives.
pub fn declare_open(program: &mut Program, suffix: &dyn Fn(Mode) -> String, vector: bool, out: &mut Externals) {
    let open: Vec<UnitId> = program.unit_ids().filter(|&u| open::is_open(program.symbol(program.unit(u).symbol))).collect();
    for id in open {
        let unit = program.unit(id).clone();
        let name = program.symbol(unit.symbol).name.clone();
        // What the extents of arrays are given by stays, as in any procedure whose arrays can be recorded.
        let mut extents: FxHashSet<SymbolId> = FxHashSet::default();
        for d in unit.formals.iter().filter_map(|f| program.symbol(f.symbol).decl.as_ref()) {
            d.bound_exprs().for_each(|e| e.for_each_ref(&mut |r| _ = extents.insert(r.symbol)));
        }
        let arguments: Vec<Argument> = unit.formals.iter().map(|f| argument(program, f, extents.contains(&f.symbol))).collect();
        let derivative = |mode: Mode| {
            let signature = Signature::of(program, &unit, mode, (vector, false), &|k| arguments[k].derivative);
            let overwrites = (0..arguments.len()).filter(|&k| arguments[k].access != Access::Read && !unit.formals[k].result).collect();
            let wish = format!("{name}{}", suffix(mode));
            Some(Derivative { unit: free_name(program, &wish), signature, overwrites, declaration: None })
        };
        let (tangent, adjoint) = (derivative(Mode::Tangent), derivative(Mode::Adjoint));
        let nowhere = Location { file: String::new(), line: 0, column: 0, end_line: 0, end_column: 0 };
        let place = program.location(program.symbol(unit.symbol).span).unwrap_or(nowhere);
        let function = unit.result().is_some();
        let rule = UnitRule { name: name.to_string(), arguments, function, tangent, adjoint, may_overlap: None, place };
        let symbols: Vec<SymbolId> = unit.formals.iter().map(|f| f.symbol).collect();
        let graph = stand_in_graph(&rule, unit.scope, &symbols);
        let drawn = std::mem::replace(&mut program.units[id.index()].graph, graph);
        out.open.insert(id, drawn);
        out.rules.insert(id, Arc::new(rule));
    }
}

/// What may be done to an argument, as far as its declaration tells. An array may be set in part.
fn argument(program: &Program, formal: &Formal, extent: bool) -> Argument {
    let y = program.symbol(formal.symbol);
    let array = y.rank > 0;
    let access = match (formal.result, formal.intent_declared, formal.intent) {
        (true, ..) => Access::Write,
        (_, true, Intent::Out) if !array => Access::Write,
        (_, true, Intent::In) => Access::Read,
        _ if y.passing() == Passing::Value => Access::Read,
        (_, false, _) if extent => Access::Read,
        _ => Access::ReadWrite,
    };
    Argument { name: y.name.to_string(), access, array, derivative: y.ty.is_real() }
}

/// A name that nothing in the program has.
fn free_name(program: &Program, wish: &str) -> String {
    let mut name = wish.to_owned();
    let mut number = 1;
    while program.symbols.iter().any(|s| program.same_name(&s.name, &name)) {
        number += 1;
        name = format!("{wish}_{number}");
    }
    name
}

/// Declares what rules say of units that the program calls and does not have.
///
/// # Errors
/// Units that the program has itself (OB4131), prototypes and calls that do not fit (OB4130).
pub fn declare(program: &mut Program, rules: &Rules) -> Result<Externals, Vec<Diagnostic>> {
    let mut out = Externals::default();
    let mut problems = Vec::new();
    if rules.units.is_empty() {
        return Ok(out);
    }
    let own: FxHashSet<SymbolId> = program.units.iter().map(|u| u.symbol).collect();
    let mut calls: FxHashMap<SymbolId, Vec<(Call, Span)>> = FxHashMap::default();
    for s in program.units.iter().flat_map(|u| u.graph.node_weights()).flat_map(|v| v.stmts()) {
        if let StmtKind::Call(c) = &s.kind {
            calls.entry(c.callee).or_default().push((c.clone(), s.span));
        }
    }
    for rule in &rules.units {
        let named = |p: &Program, s: SymbolId| p.symbol(s).kind == SymbolKind::Subroutine && p.same_name(&p.symbol(s).name, &rule.name);
        let symbols: Vec<SymbolId> = program.symbol_ids().filter(|&s| named(program, s)).collect();
        if let Some(&s) = symbols.iter().find(|s| own.contains(s)) {
            problems.push(
                Diagnostic::error("OB4131", format!("there is a rule for {}, and the program has its text", rule.name))
                    .at(rule.place.clone())
                    .because(match program.location(program.symbol(s).span) {
                        Some(l) => format!("it stands in {}:{}", l.file, l.line),
                        None => "its derivative is made from that".to_owned(),
                    })
                    .help("leave out the rule, or the text"),
            );
            continue;
        }
        for s in symbols {
            let Some(list) = calls.get(&s) else { continue };
            match fit(program, rule, s, list) {
                Ok(formals) => {
                    let unit = stand_in(program, rule, s, &formals);
                    out.rules.insert(unit, Arc::new(rule.clone()));
                }
                Err(d) => problems.push(*d),
            }
        }
    }
    if problems.is_empty() { Ok(out) } else { Err(problems) }
}

/// What prototype and calls say of an argument.
struct Shape {
    ty: ElemType,
    passing: Passing,
    may_overlap: bool,
}

/// The arguments, the result last, as prototype and calls have them.
fn fit(program: &Program, rule: &UnitRule, symbol: SymbolId, calls: &[(Call, Span)]) -> Result<Vec<Shape>, Box<Diagnostic>> {
    let unfit = |span: Span, message: String, reason: String| {
        Box::new(
            Diagnostic::error("OB4130", message)
                .at(program.location(span).or_else(|| Some(rule.place.clone())))
                .because(reason)
                .help(format!("the rule stands in {}:{}", rule.place.file, rule.place.line)),
        )
    };
    let at_rule = |message: String, reason: String| {
        Box::new(
            Diagnostic::error("OB4130", message).at(rule.place.clone()).because(reason).help("let the rule say what the prototype says"),
        )
    };
    let words: Vec<SmolStr> = {
        let decl = program.symbol(symbol).decl.iter().flat_map(|d| d.attributes.clone());
        decl.filter_map(|a| a.strip_prefix("arg:").map(SmolStr::new)).collect()
    };
    let given = rule.arguments.len() - usize::from(rule.function);
    let plural = |n: usize| if n == 1 { "1 argument".to_owned() } else { format!("{n} arguments") };
    if !words.is_empty() && words.len() != given {
        return Err(at_rule(format!("the rule gives {} {}", rule.name, plural(given)), format!("its prototype has {}", words.len())));
    }
    let returns = !matches!(program.symbol(symbol).ty.base, BaseType::Void | BaseType::Opaque);
    if returns != rule.function {
        let (says, has) = if rule.function { ("a result", "returns nothing") } else { ("no result", "is a function") };
        return Err(at_rule(format!("the rule gives {} {says}", rule.name), format!("by its declaration it {has}")));
    }
    let mut out: Vec<Shape> = Vec::new();
    for (k, a) in rule.arguments.iter().enumerate() {
        let result = rule.function && k == given;
        let passing = if !result && words.get(k).is_some_and(|w| w == "value") { Passing::Value } else { Passing::Reference };
        if passing == Passing::Value && (a.array || a.access != Access::Read) {
            return Err(at_rule(
                format!("{} of {} cannot be an array or be written", a.name, rule.name),
                "its prototype takes a value".to_owned(),
            ));
        }
        let mut ty: Option<ElemType> = None;
        let mut pointed = false;
        let promised = program.symbol(symbol).has_attribute(&format!("restrict:{}", k + 1));
        for (call, span) in calls {
            if call.arguments.len() != rule.arguments.len() || call.arguments.iter().any(|x| !x.keyword.is_empty()) {
                return Err(unfit(
                    *span,
                    format!("this call of {} does not fit its rule", rule.name),
                    format!(
                        "the rule gives it {} by position, the call has {}",
                        plural(given),
                        call.arguments.len() - usize::from(rule.function)
                    ),
                ));
            }
            let Some(actual) = call.arguments.iter().find(|x| x.position as usize == k + 1) else { continue };
            let is = types::of(program, &actual.value);
            let wrong = |reason: String| unfit(*span, format!("{} of {} does not fit its rule", a.name, rule.name), reason);
            if passing == Passing::Reference && ty.is_some_and(|t| t != is.elem) {
                return Err(wrong("calls pass different types for it".into()));
            }
            if a.derivative && !is.elem.is_real() {
                return Err(wrong("it is to carry a derivative, and no real number is passed".into()));
            }
            if !a.array && is.rank > 0 {
                return Err(wrong("an array is passed, and the rule does not say `array = true`".into()));
            }
            if a.access != Access::Read && actual.value.as_var().is_none() {
                return Err(wrong("it is written, and no variable is passed".into()));
            }
            pointed |= actual.value.as_var().and_then(|r| program.symbol(r.symbol).decl.as_ref()).is_some_and(|d| d.may_alias);
            ty = ty.or(Some(is.elem));
        }
        out.push(Shape { ty: ty.unwrap_or(ElemType::INTEGER), passing, may_overlap: rule.may_overlap.unwrap_or(pointed && !promised) });
    }
    Ok(out)
}

/// The unit that stands for an external one.
fn stand_in(program: &mut Program, rule: &UnitRule, symbol: SymbolId, formals: &[Shape]) -> UnitId {
    let scope = program.add_scope(Scope { parent: Some(ScopeId(0)), ..Scope::default() });
    let mut unit = Unit::new(symbol, scope);
    unit.kind = if rule.function { UnitKind::Function } else { UnitKind::Subroutine };
    let mut symbols = Vec::new();
    for (k, (a, shape)) in rule.arguments.iter().zip(formals).enumerate() {
        let result = rule.function && k + 1 == rule.arguments.len();
        let mut s = Symbol::variable(a.name.as_str(), shape.ty, scope);
        let dims = if a.array { vec![Dim { lower: Bound::Unknown, upper: Bound::Unknown }] } else { Vec::new() };
        s.rank = dims.len() as u8;
        s.decl = Some(Box::new(Decl {
            passing: shape.passing,
            storage: Storage::Argument,
            dims,
            may_alias: shape.may_overlap && a.array,
            ..Decl::default()
        }));
        let s = program.add_symbol(s);
        symbols.push(s);
        let intent = match a.access {
            Access::Read => Intent::In,
            Access::Write if !a.array => Intent::Out,
            _ => Intent::Inout,
        };
        unit.formals.push(Formal { result, ..Formal::new(k as u32 + 1, s, intent) });
    }
    unit.graph = stand_in_graph(rule, scope, &symbols);
    program.add_unit(unit)
}

/// Each thing that is set depends on all that is read.
fn stand_in_graph(rule: &UnitRule, scope: ScopeId, symbols: &[SymbolId]) -> FlowGraph {
    let mut b = GraphBuilder::new(scope);
    for (k, a) in rule.arguments.iter().enumerate().filter(|(_, a)| a.access != Access::Read) {
        let depends = rule.arguments.iter().zip(symbols).enumerate().filter_map(|(i, (o, &s))| operand(a, o, i == k, s));
        let value = Expr::op(OPERATION, depends);
        b.stmt(Stmt::assign(VarRef::whole(symbols[k]), value));
    }
    b.finish().map(|built| built.graph).unwrap_or_default()
}

/// What one argument contributes to another one that is set.
fn operand(set: &Argument, read: &Argument, same: bool, symbol: SymbolId) -> Option<Expr> {
    // Of an array perhaps only a part is set.
    let used = read.access != Access::Write || same && read.array;
    let value = Expr::sym(symbol);
    let carries = set.derivative && read.derivative;
    used.then(|| if carries { value.clone() } else { Expr::boolean(BoolOp::Equal, [value.clone(), value]) })
}

/// How a derivative unit takes its arguments, one word each, as prototypes have it.
pub fn words(program: &Program, unit: UnitId) -> Vec<SmolStr> {
    let formals = program.unit(unit).formals.iter().filter(|f| !f.result);
    formals
        .map(|f| if program.symbol(f.symbol).passing() == Passing::Value { "value" } else { "reference" })
        .map(|w| format_smolstr!("arg:{w}"))
        .collect()
}

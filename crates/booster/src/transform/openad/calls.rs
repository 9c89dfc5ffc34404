//! Calls: conversion of arguments whose activity differs between caller and callee, and the call in the adjoint sweep.

use super::arguments::{is_input, needed_backwards};
use super::external;
use super::loop_indices::in_terms_of;
use super::references::{derivative, is_active, plain, value};
use super::steps::{Maker, Step, Sweep, inline};
use super::temporaries::Kind;
use crate::linearize::fold::Fold;
use crate::linearize::places::apart;
use crate::transform::written::is_written;
use xaif::model::{BaseType, Call, CallArgument, Expr, Intent, Program, Propagation, Stmt, StmtKind, SymbolId, Triplet, UnitId, VarRef};
use xaif::{Diagnostic, types};

/// The formal at a position, if the callee is in the file: symbol and intent.
fn formal(program: &Program, callee: SymbolId, position: u32) -> Option<(SymbolId, Intent)> {
    let unit = program.unit_of_symbol(callee)?;
    let formals = &program.unit(unit).formals;
    let found = formals.iter().find(|f| f.position == position).or_else(|| (position as usize).checked_sub(1).and_then(|k| formals.get(k)));
    found.map(|f| (f.symbol, f.intent))
}

/// A section may be handed over as a copy that is put back behind the call: what the adjoint of the callee adds to the same elements under another name would be lost.
fn sections_stay_alone(program: &Program, call: &Call) -> Result<(), Diagnostic> {
    // What is converted has a variable of its own.
    let taken = |a: &CallArgument| {
        let formal = formal(program, call.callee, a.position).map(|(s, _)| program.symbol(s));
        formal.is_none_or(|f| f.active && f.ty.is_real())
    };
    let handed = call.arguments.iter().filter(|a| taken(a)).filter_map(|a| a.value.as_var());
    let active: Vec<&VarRef> = handed.filter(|r| is_active(program, r)).collect();
    for (k, r) in active.iter().enumerate().filter(|(_, r)| r.has_section()) {
        if active.iter().enumerate().any(|(o, other)| o != k && other.symbol == r.symbol && !apart(r, other)) {
            let name = &program.symbol(r.symbol).name;
            return Err(Diagnostic::error("OB4091", format!("a section of {name} is passed together with other elements of it"))
                .because("a copy of the section may be put back over adjoints that the call has added to")
                .help("copy the section to an array of its own, or write the overbar dialect"));
        }
    }
    Ok(())
}

/// Whether a unit may set an argument, by its text or by what the document says.
fn may_set(program: &Program, unit: UnitId, formal: SymbolId) -> bool {
    let told = program.unit(unit).effects.modified.iter().flatten().any(|r| r.symbol == formal);
    told || is_written(program, unit, formal)
}

/// A list of subscripts cannot be kept for the adjoint sweep.
fn no_list(program: &Program, r: &VarRef) -> Result<(), Diagnostic> {
    if r.index_exprs().all(|e| types::of(program, e).rank == 0) {
        return Ok(());
    }
    Err(Diagnostic::error("OB4086", "a vector subscript in an argument cannot be recorded")
        .help("copy the elements to an array and pass that"))
}

/// The elements that a formal of known extent sees from one element of a vector on.
fn seen_by_callee(program: &Program, r: &VarRef, formal: SymbolId) -> Result<VarRef, Diagnostic> {
    let (f, of) = (program.symbol(formal), program.symbol(r.symbol));
    let fold = Fold { program };
    match (&f.bounds[..], &r.subscripts[..], f.rank) {
        (&[(l, u)], [first], 1) if of.rank == 1 && u >= l => {
            let start = first.index.clone().unwrap_or_default();
            let bound = Some(fold.add(start.clone(), Expr::int(u - l)));
            let section = Triplet { index: Some(start), bound, stride: None };
            Ok(VarRef { subscripts: [section].into_iter().collect(), ..r.clone() })
        }
        _ => Err(Diagnostic::error("OB4089", "the elements of an array from one of them on change their activity at a call")
            .because("which ones the called unit sees is not known")
            .help("copy them to an array of its own")),
    }
}

/// An actual argument with subscripts that mean the same element before and behind the call: what the call may change is kept.
fn same_element(maker: &mut Maker, r: &VarRef, call: &Call, before: &mut Vec<Stmt>) -> VarRef {
    let mut out = r.clone();
    for e in out.index_exprs_mut() {
        let own = maker.program.unit(maker.unit).scope;
        let handed = |s: SymbolId| call.arguments.iter().any(|a| a.value.as_var().is_some_and(|v| v.symbol == s));
        let mut may_change = false;
        e.for_each_ref(&mut |v| may_change |= maker.program.symbol(v.symbol).scope != own || handed(v.symbol));
        if may_change {
            let kept = maker.integer();
            before.push(Stmt { id: "index_expression_assignment_for_call".into(), ..Stmt::assign(VarRef::whole(kept), e.clone()) });
            *e = Expr::sym(kept);
        }
    }
    out
}

/// What stands around a call, and the calls themselves.
struct Around {
    before: Vec<Stmt>,
    after: Vec<Stmt>,
    pushes: Vec<Stmt>,
    pops: Vec<Stmt>,
    /// Sets derivatives to zero that the callee must not meet again.
    zeroed: Vec<Stmt>,
    forward_call: Call,
    reverse_call: Call,
}

impl Around {
    fn of(call: &Call) -> Around {
        let (forward_call, reverse_call) = (call.clone(), call.clone());
        let (before, after, pushes, pops, zeroed) = Default::default();
        Around { before, after, pushes, pops, zeroed, forward_call, reverse_call }
    }

    /// An argument that is active on one side of the call only: a variable of the formal's type stands for it.
    fn converted(
        &mut self,
        maker: &mut Maker,
        (call, k): (&Call, usize),
        (callee, formal, intent): (Option<UnitId>, SymbolId, Intent),
        actual: Option<&VarRef>,
    ) -> Result<(), Diagnostic> {
        let argument = &call.arguments[k];
        let formal_symbol = maker.program.symbol(formal);
        let (formal_active, formal_type) = (formal_symbol.active && formal_symbol.ty.is_real(), formal_symbol.ty);
        let kind = Kind::Conversion { active: formal_active };
        let elements = match actual {
            Some(r) if types::of_ref(maker.program, r).rank == 0 && maker.program.symbol(formal).rank > 0 => {
                Some(seen_by_callee(maker.program, r, formal)?)
            }
            _ => None,
        };
        let actual = elements.as_ref().or(actual);
        let (like, rank) = match actual {
            Some(r) => (r.clone(), types::of_ref(maker.program, r).rank),
            None => (VarRef::whole(formal), 0),
        };
        // Its extents are those of the formal where these are known.
        let shaped = if elements.is_some() { VarRef::whole(formal) } else { like.clone() };
        let t = maker.temporary(kind, formal_type, &shaped, rank, &mut self.before);
        // What the callee leaves in the derivative must not meet it at the next call.
        let changed = formal_active && callee.is_some_and(|u| is_written(maker.program, u, formal));
        let set = intent != Intent::In && callee.is_none_or(|u| may_set(maker.program, u, formal));
        match actual {
            Some(r) => {
                let r = &same_element(maker, r, call, &mut self.before);
                self.before.push(inline("oad_convert", "inline_convert", [t.clone(), plain(r)]));
                // A value that comes back has no derivative: what is only read keeps its own.
                if set {
                    self.after.push(inline("oad_convert", "inline_convert", [plain(r), t.clone()]));
                    if !formal_active && maker.sweep == Sweep::Tangent {
                        self.after.push(Stmt::new(StmtKind::Propagator(vec![Propagation::Zero { target: derivative(r) }])));
                    }
                }
            }
            None => {
                let id = maker.statement_id("constant_argument");
                self.before.push(Stmt { id, ..Stmt::assign(t.clone(), argument.value.clone()) });
                if changed && maker.sweep == Sweep::Tangent {
                    self.before.push(Stmt::new(StmtKind::Propagator(vec![Propagation::Zero { target: derivative(&t) }])));
                }
            }
        }
        self.forward_call.arguments[k] = CallArgument { value: Expr::var(t.clone()), ..argument.clone() };
        // In the adjoint sweep the derivative of a passive actual goes nowhere; that of an active actual behind a passive formal was cut.
        let ty = maker.program.symbol(t.symbol).ty;
        let mut allocate = Vec::new();
        let dummy = maker.temporary(kind, ty, &shaped, rank, &mut allocate);
        if !allocate.is_empty() && maker.sweep == Sweep::Adjoint {
            let part = self.taken_back(maker, &like);
            self.zeroed.push(inline("oad_AllocateMatching", "inline_allocate", [dummy.clone(), plain(&part)]));
        }
        if changed {
            self.zeroed.push(inline("ZeroDeriv", "inline_zeroderiv", [dummy.clone()]));
        }
        if let Some(r) = actual.filter(|_| set && !formal_active && maker.sweep == Sweep::Adjoint) {
            // What it was before the call counts for nothing behind it.
            let part = self.taken_back(maker, r);
            self.zeroed.push(inline("ZeroDeriv", "inline_zeroderiv", [value(&part)]));
        }
        self.reverse_call.arguments[k] = CallArgument { value: Expr::var(dummy), ..argument.clone() };
        Ok(())
    }

    /// A variable with a derivative that a unit without text reads and leaves alone: it gets the value.
    fn read_only(&mut self, maker: &mut Maker, (call, k): (&Call, usize), r: &VarRef) {
        let found = types::of_ref(maker.program, r);
        let t = maker.temporary(Kind::Conversion { active: false }, found.elem, r, found.rank, &mut self.before);
        self.before.push(inline("oad_convert", "inline_convert", [t.clone(), plain(r)]));
        self.forward_call.arguments[k] = CallArgument { value: Expr::var(t), ..call.arguments[k].clone() };
    }

    /// The reference in terms of the adjoint sweep: the values that its subscripts had before the call are pushed behind what the callee pushes.
    fn taken_back(&mut self, maker: &mut Maker, r: &VarRef) -> VarRef {
        let mut popped = r.clone();
        for e in popped.index_exprs_mut() {
            if e.as_constant().is_some() {
                continue;
            }
            if let Some(again) = in_terms_of(maker.program, &maker.known, e) {
                *e = again;
                continue;
            }
            let kept = maker.integer();
            self.before.push(Stmt { id: "index_expression_assignment_for_taping".into(), ..Stmt::assign(VarRef::whole(kept), e.clone()) });
            self.pushes.push(inline("push_i_s0", "inline_push_i", [VarRef::whole(kept)]));
            let t = maker.integer();
            self.pops.push(inline("pop_i_s0", "inline_pop_i", [VarRef::whole(t)]));
            *e = Expr::sym(t);
        }
        popped
    }

    /// An argument that the reverse call gets as the forward call had it: what tells which part it is comes back from the stack.
    fn handed_over(&mut self, maker: &mut Maker, (call, k): (&Call, usize), (callee, formal): (Option<UnitId>, SymbolId), r: &VarRef) {
        let argument = &call.arguments[k];
        let formal_type = maker.program.symbol(formal).ty;
        let mut popped = self.taken_back(maker, r);
        // An extent is passed to the adjoint with the value it had here; locals are not there any more.
        let scalar = formal_type.base == BaseType::Integer && maker.program.symbol(formal).rank == 0;
        if scalar
            && callee.is_some_and(|u| needed_backwards(maker.program, u, formal))
            && !(r.subscripts.is_empty() && is_input(maker.program, maker.unit, r.symbol))
        {
            let kept = maker.integer();
            let id = maker.statement_id("argument_assignment_for_taping");
            self.before.push(Stmt { id, ..Stmt::assign(VarRef::whole(kept), Expr::var(plain(r))) });
            self.pushes.push(inline("push_i_s0", "inline_push_i", [VarRef::whole(kept)]));
            let t = maker.integer();
            self.pops.push(inline("pop_i_s0", "inline_pop_i", [VarRef::whole(t)]));
            popped = VarRef::whole(t);
        }
        popped.forget_ids();
        self.reverse_call.arguments[k] = CallArgument { value: Expr::var(popped), ..argument.clone() };
    }
}

/// A call in both sweeps.
pub fn step(maker: &mut Maker, stmt: &Stmt, call: &Call) -> Result<Step, Diagnostic> {
    let callee = maker.program.unit_of_symbol(call.callee);
    let known = callee.is_some();
    let told = !known && external::leaves_alone(maker.program, maker.unit, stmt, call);
    if maker.sweep == Sweep::Adjoint && known {
        sections_stay_alone(maker.program, call)?;
    }
    let mut around = Around::of(call);
    for (k, argument) in call.arguments.iter().enumerate() {
        let actual = argument.value.as_var().cloned();
        let actual_active = actual.as_ref().is_some_and(|r| is_active(maker.program, r));
        if !known {
            if let Some(r) = actual.as_ref().filter(|_| actual_active && told) {
                around.read_only(maker, (call, k), r);
            } else if actual_active {
                let name = &maker.program.symbol(call.callee).name;
                return Err(Diagnostic::error("OB4088", format!("{name} is called with active arguments, but is not in the file"))
                    .because("its derivative is not known, and the document does not say that it leaves them as they are")
                    .help(format!("add {name} to the program, or make its arguments passive")));
            }
            continue;
        }
        let Some((formal, intent)) = formal(maker.program, call.callee, argument.position) else { continue };
        let formal_symbol = maker.program.symbol(formal);
        let (formal_active, formal_type) = (formal_symbol.active && formal_symbol.ty.is_real(), formal_symbol.ty);
        let differ = formal_active != actual_active && formal_type.is_real();
        if let Some(r) = actual.as_ref().filter(|_| differ || maker.sweep == Sweep::Adjoint) {
            no_list(maker.program, r)?;
        }
        if differ {
            around.converted(maker, (call, k), (callee, formal, intent), actual.as_ref())?;
        } else if maker.sweep == Sweep::Adjoint
            && let Some(r) = &actual
        {
            around.handed_over(maker, (call, k), (callee, formal), r);
        }
    }
    let Around { before, mut after, mut pushes, mut pops, mut zeroed, forward_call, reverse_call } = around;
    let forward = Stmt { kind: StmtKind::Call(forward_call), ..stmt.clone() };
    let mut step = Step { forward: before, reverse: Vec::new() };
    step.forward.push(forward);
    step.forward.append(&mut after);
    if maker.sweep == Sweep::Adjoint && known {
        step.forward.append(&mut pushes);
        pops.reverse();
        step.reverse = pops;
        step.reverse.append(&mut zeroed);
        step.reverse.push(Stmt { id: "reverse_call".into(), kind: StmtKind::Call(reverse_call), ..stmt.clone() });
    }
    Ok(step)
}

//! Changes of a program that change no derivative: other names, other order of declarations, a passive statement, a statement split in two, a block
//! in `if (true)` or in a loop of one pass.
//!
//! Never here: whether the derivatives are right.

use super::check::{Point, derivative_limits, point, unit_of_named};
use super::rng::Rng;
use super::tree::{Item, Tree, children, children_mut};
use overbar::Options;
use overbar::evaluate::{Values, derivative};
use std::collections::{BTreeMap, BTreeSet};
use xaif::Program;
use xaif::model::*;
use xaif::types;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Names,
    Declarations,
    PassiveStatement,
    Split,
    IfTrue,
    OnePass,
}

pub const ALL: [Change; 6] =
    [Change::Names, Change::Declarations, Change::PassiveStatement, Change::Split, Change::IfTrue, Change::OnePass];

/// Compares the derivatives of a program with those of a changed one; `None` where it has none.
pub fn agree(tree: &Tree, seed: u64, change: Change) -> Option<Result<(), String>> {
    let program = tree.build();
    let p = point(&program, seed)?;
    let (boosted, before) = derivatives(&program, &p, "head").ok()?;
    let mut rng = Rng::new(seed ^ 0x5eed);
    if change == Change::Names {
        let mut renamed = program.clone();
        let names = rename(&mut renamed);
        let p = renamed_point(&p, &names);
        let head = names["head"].clone();
        return Some(match derivatives(&renamed, &p, &head) {
            Err(e) => Err(e),
            Ok((other, after)) => same(&before, &after, 0.0).and_then(|()| names_only(&boosted, &other)),
        });
    }
    let mut changed = tree.clone();
    match change {
        Change::Declarations => reorder(&mut changed.shell, &mut rng),
        Change::PassiveStatement => passive(&mut changed, &mut rng),
        Change::Split => split(&mut changed, &mut rng)?,
        _ => wrap(&mut changed, change == Change::OnePass, &mut rng)?,
    }
    let tolerance = if p.single {
        1e-3
    } else if change == Change::Declarations {
        0.0
    } else {
        1e-10
    };
    Some(derivatives(&changed.build(), &p, "head").and_then(|(_, after)| same(&before, &after, tolerance)))
}

/// The boosted program, and all derivatives that its units yield.
fn derivatives(program: &Program, p: &Point, head: &str) -> Result<(Program, Vec<f64>), String> {
    let options = Options {
        tangent: true,
        adjoint: true,
        heads: vec![Head { unit: head.into(), dependents: Some(p.dependents.clone()), independents: Some(p.independents.clone()) }],
        ..Options::default()
    };
    let boosted = overbar::boost(program.clone(), &options).map_err(|d| d.first().map(|d| d.to_string()).unwrap_or_default())?.program;
    let mut out = Vec::new();
    for mode in [Mode::Tangent, Mode::Adjoint] {
        let unit = unit_of_named(&boosted, mode, head).ok_or("no derivative unit")?;
        let mut seeds = Values::new();
        for (name, weight) in &p.weights {
            if mode == Mode::Adjoint && p.dependents.contains(name) {
                seeds.insert(name.clone(), weight.clone());
            } else if p.independents.contains(name) {
                seeds.insert(name.clone(), p.seeds[name].clone());
            }
        }
        let run = derivative(&boosted, unit, &p.inputs, &seeds, &derivative_limits()).map_err(|e| format!("{}: {}", e.code, e.message))?;
        run.derivatives.values().for_each(|d| out.extend(d.to_reals()));
    }
    if out.iter().any(|x| !x.is_finite() || x.abs() > 1e8) {
        return Err("too large".into());
    }
    Ok((boosted, out))
}

fn same(a: &[f64], b: &[f64], tolerance: f64) -> Result<(), String> {
    let scale = a.iter().fold(1.0f64, |m, x| m.max(x.abs()));
    match a.iter().zip(b).position(|(x, y)| (x - y).abs() > tolerance * scale || y.is_nan()) {
        Some(k) => Err(format!("derivative {k} was {}, is {}", a[k], b[k])),
        None if a.len() != b.len() => Err(format!("{} derivatives became {}", a.len(), b.len())),
        None => Ok(()),
    }
}

/// Other names for all variables and units; what each became.
pub fn rename(p: &mut Program) -> BTreeMap<String, String> {
    // Of the same length, so that lines break where they did.
    let mut taken: BTreeSet<String> = p.symbols.iter().map(|s| s.name.to_lowercase()).collect();
    taken.extend(["do", "if", "go", "or"].map(str::to_owned));
    let mut names = BTreeMap::new();
    for s in &mut p.symbols {
        let keep = matches!(s.storage(), Storage::Constant | Storage::Extern | Storage::Common(_)) || s.kind == SymbolKind::Pointer;
        if keep {
            continue;
        }
        // The same name in two scopes stays one name: a call may name its arguments.
        let new = match names.get(s.name.as_str()) {
            Some(known) => String::clone(known),
            None => {
                let rest: String = s.name.chars().skip(1).collect();
                let wishes = "zwqjkvuhgmprcslxyteoian".chars().map(|c| format!("{c}{rest}"));
                let free = wishes.into_iter().find(|w| !taken.contains(&w.to_lowercase())).unwrap_or_else(|| s.name.to_string());
                taken.insert(free.to_lowercase());
                free
            }
        };
        names.insert(s.name.to_string(), new.clone());
        s.name = new.clone().into();
        s.id = new.into();
    }
    names
}

fn renamed_point(p: &Point, names: &BTreeMap<String, String>) -> Point {
    let list = |l: &[String]| l.iter().map(|n| names[n].clone()).collect();
    let values = |v: &Values<f64>| v.iter().map(|(n, d)| (names[n].clone(), d.clone())).collect::<Values<f64>>();
    let mut inputs = p.inputs.clone();
    inputs.values = values(&p.inputs.values);
    Point {
        inputs,
        dependents: list(&p.dependents),
        independents: list(&p.independents),
        seeds: values(&p.seeds),
        weights: values(&p.weights),
        single: p.single,
        head: names[&p.head].clone(),
    }
}

/// The words, numbers and signs of a text without its comments.
pub fn tokens(text: &str, fortran: bool) -> Vec<String> {
    let mut out = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if fortran && c == '!' {
            while chars.next_if(|&c| c != '\n').is_some() {}
        } else if !fortran && c == '/' && chars.peek() == Some(&'*') {
            let mut last = ' ';
            for c in chars.by_ref() {
                if last == '*' && c == '/' {
                    break;
                }
                last = c;
            }
        } else if !fortran && c == '\\' {
            // `\n` is no word.
            chars.next();
        } else if c.is_alphanumeric() || c == '_' {
            let mut word = c.to_string();
            while let Some(c) = chars.next_if(|c| c.is_alphanumeric() || *c == '_') {
                word.push(c);
            }
            out.push(word);
        } else if !c.is_whitespace() && c != '&' {
            out.push(c.to_string());
        }
    }
    out
}

/// Declarations of one type in one: how many fit on a line depends on the length of names.
fn joined(tokens: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(tokens.len());
    let mut ty = String::new();
    let mut first = true;
    let mut rest = tokens.into_iter().peekable();
    while let Some(t) = rest.next() {
        if t == ";" && rest.peek().is_some_and(|n| *n == ty) {
            rest.next();
            out.push(",".into());
            continue;
        }
        if first {
            ty = if ["double", "float", "int"].contains(&t.as_str()) { t.clone() } else { String::new() };
        }
        first = matches!(t.as_str(), ";" | "{" | "}");
        out.push(t);
    }
    out
}

/// Both programs print the same text but for a one-to-one change of names.
pub fn names_only(a: &Program, b: &Program) -> Result<(), String> {
    let fortran = a.index_order == IndexOrder::Column;
    let print = |p: &Program| -> Option<String> {
        if fortran {
            overbar_fortran::unparse(p, &Default::default()).ok().map(|u| u.source)
        } else {
            overbar_c::unparse(p, &Default::default()).ok().map(|u| u.source)
        }
    };
    let (x, y) = match (print(a), print(b)) {
        (Some(x), Some(y)) => (joined(tokens(&x, fortran)), joined(tokens(&y, fortran))),
        (None, None) => return Ok(()),
        _ => return Err("only one of the two can be printed".into()),
    };
    let (mut to, mut from) = (BTreeMap::new(), BTreeMap::new());
    let mut depth = 0;
    for (k, (s, t)) in x.iter().zip(&y).enumerate() {
        // Every unit chooses the names of its temporaries for itself.
        depth += i32::from(s == "{") - i32::from(s == "}");
        if if fortran { s == "subroutine" || s == "function" } else { s == "}" && depth == 0 } {
            to.clear();
            from.clear();
        }
        let word = |s: &str| s.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let matching = if word(s) && word(t) { to.entry(s).or_insert(t) == &t && from.entry(t).or_insert(s) == &s } else { s == t };
        if !matching {
            let around = |l: &[String]| l[k.saturating_sub(12)..(k + 6).min(l.len())].join(" ");
            return Err(format!("the texts differ in more than names: {} | {}", around(&x), around(&y)));
        }
    }
    if x.len() == y.len() { Ok(()) } else { Err("one text is longer".into()) }
}

/// The code of a program, line by line, whatever the order of its declarations.
pub fn sorted_lines(p: &Program) -> Vec<String> {
    let text = if p.index_order == IndexOrder::Column {
        overbar_fortran::unparse(p, &Default::default()).map(|u| u.source)
    } else {
        overbar_c::unparse(p, &Default::default()).map(|u| u.source)
    };
    // Declarations of one type may share a line.
    let text = text.unwrap_or_default();
    let mut words = tokens(&text, p.index_order == IndexOrder::Column);
    words.sort();
    words
}

/// Declares locals in another order.
pub fn reorder(p: &mut Program, rng: &mut Rng) {
    for scope in &mut p.scopes {
        let movable: Vec<usize> = (0..scope.symbols.len())
            .filter(|&k| {
                let s = &p.symbols[scope.symbols[k].index()];
                s.kind == SymbolKind::Variable && *s.storage() == Storage::Local
            })
            .collect();
        for k in (1..movable.len()).rev() {
            scope.symbols.swap(movable[k], movable[rng.below(k + 1)]);
        }
    }
}

fn add_local(tree: &mut Tree, unit: usize, name: &str, ty: ElemType) -> SymbolId {
    let scope = tree.shell.units[unit].scope;
    let mut s = Symbol::variable(name, ty, scope);
    s.active = ty.is_real();
    let type_text = match (tree.shell.index_order, ty.base, ty.bits) {
        (IndexOrder::Row, BaseType::Real, 32) => "float",
        (IndexOrder::Row, BaseType::Real, _) => "double",
        (IndexOrder::Row, ..) => "int",
        (_, BaseType::Real, 32) => "real",
        (_, BaseType::Real, _) => "double precision",
        _ => "integer",
    };
    s.decl = Some(Box::new(Decl { storage: Storage::Local, type_text: type_text.into(), ..Decl::default() }));
    tree.shell.add_symbol(s)
}

/// Calls `edit` with every list of items and its unit.
fn each_list(tree: &mut Tree, edit: &mut dyn FnMut(usize, &mut Vec<Item>)) {
    fn walk(unit: usize, items: &mut Vec<Item>, edit: &mut dyn FnMut(usize, &mut Vec<Item>)) {
        for i in items.iter_mut() {
            children_mut(i).into_iter().for_each(|c| walk(unit, c, edit));
        }
        edit(unit, items);
    }
    for unit in 0..tree.bodies.len() {
        let mut body = std::mem::take(&mut tree.bodies[unit]);
        walk(unit, &mut body, edit);
        tree.bodies[unit] = body;
    }
}

fn passive(tree: &mut Tree, rng: &mut Rng) {
    let extra: Vec<(SymbolId, SymbolId)> = (0..tree.bodies.len())
        .map(|u| (add_local(tree, u, "extra", ElemType::INTEGER), add_local(tree, u, "quiet", ElemType::REAL64)))
        .collect();
    let r = &mut *rng;
    each_list(tree, &mut |unit, items| {
        if r.percent(50) {
            let at = r.below(items.len() + 1);
            items.insert(at, Item::Assign(VarRef::whole(extra[unit].0), Expr::int(3)));
            items.insert(at, Item::Assign(VarRef::whole(extra[unit].1), Expr::real(2.5, 64)));
        }
    });
}

/// `y = f(g(x), z)` becomes `half = g(x); y = f(half, z)`, everywhere where that is possible.
fn split(tree: &mut Tree, rng: &mut Rng) -> Option<()> {
    let halves: Vec<SymbolId> = (0..tree.bodies.len()).map(|u| add_local(tree, u, "half", ElemType::REAL64)).collect();
    let shell = tree.shell.clone();
    let r = &mut *rng;
    let mut done = false;
    each_list(tree, &mut |unit, items| {
        let mut out = Vec::new();
        for item in std::mem::take(items) {
            if let Item::Assign(lhs, rhs) = &item
                && let NodeKind::Op(op) = &rhs.root().kind
                && op.name != "select"
                && types::of(&shell, rhs).rank == 0
                && let Some(k) = (0..rhs.root().operands.len()).find(|_| r.percent(60))
            {
                let part = rhs.subexpr(rhs.root().operands[k]);
                let ty = types::of(&shell, &part);
                if ty.rank == 0 && ty.elem == ElemType::REAL64 && part.nodes.len() > 1 {
                    let mut parts: Vec<Expr> = rhs.root().operands.iter().map(|&o| rhs.subexpr(o)).collect();
                    parts[k] = Expr::sym(halves[unit]);
                    out.push(Item::Assign(VarRef::whole(halves[unit]), part));
                    out.push(Item::Assign(lhs.clone(), Expr::node(rhs.root().kind.clone(), parts)));
                    done = true;
                    continue;
                }
            }
            out.push(item);
        }
        *items = out;
    });
    done.then_some(())
}

/// Leaves the loops that it stands in, or the unit.
fn jumps(item: &Item) -> bool {
    matches!(item, Item::Break(_) | Item::Continue(_) | Item::Return | Item::Leave(..) | Item::Allocate(..) | Item::Free(_))
        || children(item).into_iter().flatten().any(jumps)
}

fn wrap(tree: &mut Tree, in_loop: bool, rng: &mut Rng) -> Option<()> {
    let once: Vec<SymbolId> = (0..tree.bodies.len()).map(|u| add_local(tree, u, "once", ElemType::INTEGER)).collect();
    let r = &mut *rng;
    let mut done = false;
    each_list(tree, &mut |unit, items| {
        let free: Vec<usize> =
            (0..items.len()).filter(|&k| !jumps(&items[k]) && !matches!(&items[k], Item::For(h, _) if wrapped(h, &once))).collect();
        let Some(&k) = r.pick(&free) else { return };
        if r.percent(40) {
            return;
        }
        // Loops of one pass are not nested, as they share their variable.
        if in_loop && (done_inside(&items[k], &once) || done) {
            return;
        }
        let inner = items[k].clone();
        items[k] = if in_loop {
            let i = || Expr::sym(once[unit]);
            Item::For(
                Box::new(ForLoop {
                    explicit: false,
                    init: Stmt::assign(VarRef::whole(once[unit]), Expr::int(1)),
                    condition: Expr::boolean(BoolOp::LessOrEqual, [i(), Expr::int(1)]),
                    update: Stmt::assign(VarRef::whole(once[unit]), Expr::op("add_scal_scal", [i(), Expr::int(1)])),
                    counted: true,
                }),
                vec![inner],
            )
        } else {
            Item::If(Expr::bool(true), vec![inner], Vec::new())
        };
        done = true;
    });
    done.then_some(())
}

fn wrapped(h: &ForLoop, once: &[SymbolId]) -> bool {
    matches!(&h.init.kind, StmtKind::Assignment { lhs, .. } if once.contains(&lhs.symbol))
}

fn done_inside(item: &Item, once: &[SymbolId]) -> bool {
    matches!(item, Item::For(h, _) if wrapped(h, once)) || children(item).into_iter().flatten().any(|i| done_inside(i, once))
}

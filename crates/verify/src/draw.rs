//! Inputs where none are given: drawn by a seeded generator, sizes first, then everything else.
//!
//! Integers that are extents of arrays are small; arrays have the size that they declare, others one that the run turns out to be content with.
//! Lives here: what is drawn for which type. Never here: what makes a point a good one.

use super::hints::Hints;
use super::random::Random;
use super::subject::Subject;
use overbar_evaluate::fault::fault;
use overbar_evaluate::value::Shape;
use overbar_evaluate::{Data, Fault, Inputs, Value, Values, start};
use std::collections::BTreeSet;
use xaif::Program;
use xaif::callbacks;
use xaif::members::{around, is_structure, way};
use xaif::model::{BaseType, Expr, IndexOrder, Symbol, SymbolId, SymbolKind};
use xaif::ranges;
use xaif::rows::has_rows;

/// Elements of an array at most.
const LARGEST: usize = 1 << 20;
/// Attempts before it is given up.
pub const ATTEMPTS: usize = 600;
/// Points that are drawn beyond the first good one, where that does not come to every statement.
pub const FURTHER: usize = 400;
/// Attempts that draw all numbers from one range.
const PLAIN: usize = 14;
/// Attempts where points are refused for other reasons than a function outside of its domain.
pub const USUAL: usize = 300;
/// Sizes that are tried for arrays whose extent nobody declares.
pub const GROWTHS: usize = 7;

/// Ranges of real numbers, tried in turn.
const RANGES: [(f64, f64); 7] = [(0.3, 1.1), (1.1, 2.4), (0.3, 1.1), (-1.0, 1.0), (0.05, 0.4), (2.0, 8.0), (-3.0, -0.5)];
/// Extents, tried in turn.
const SIZES: [i64; 8] = [4, 3, 5, 4, 2, 6, 8, 1];
/// Other integers.
const COUNTS: [i64; 7] = [2, 1, 3, 1, 4, 0, 5];

/// Draws values for everything that the unit reads. Globals that the head does not name are left alone unless so asked: most are set by
/// the program itself.
///
/// # Errors
/// Arguments for which nothing can be drawn.
pub fn draw(
    subject: &Subject,
    hints: &Hints,
    random: &mut Random,
    attempt: usize,
    growth: usize,
    globals: bool,
) -> Result<Values<f64>, Fault> {
    let program = subject.program;
    let size = SIZES[attempt % SIZES.len()];
    let extents = extents(subject);
    let mut inputs: Inputs<f64> = Inputs::default();
    let formals: Vec<SymbolId> = program.unit(subject.unit).formals.iter().filter(|f| !f.result).map(|f| f.symbol).collect();
    let outside = outside(subject, globals);
    // What is no number gets none: where nothing reads it, nothing is missing.
    let drawable = |s: SymbolId| program.symbol(s).ty.value_base() != BaseType::Opaque || program.symbol(s).kind == SymbolKind::Subroutine;
    let named = subject.named();
    let wanted = |s: SymbolId| attempt.is_multiple_of(3) || is_there_always(program, &named, s);
    let needed = |s: SymbolId| drawable(s) && wanted(s);
    // Scalars first: bounds of arrays are expressions in terms of them.
    for &s in formals.iter().chain(&outside).filter(|&&s| needed(s) && program.symbol(s).rank == 0) {
        let y = program.symbol(s);
        if y.kind == SymbolKind::Subroutine {
            return Err(fault("OB6062", format!("nothing can be drawn for `{}`, which is a procedure", y.name)));
        }
        let integer = if y.has_attribute(callbacks::POINTER) {
            function(program, y, random)
        } else {
            whole_number(hints, (s, &y.name), extents.contains(&s), size, random, attempt)
        };
        let level = level(y, hints, random, attempt);
        let range = range(random, attempt, None);
        let v = scalar(y, hints, random, (level, range), attempt, integer)?;
        inputs.values.insert(y.name.to_string(), Data { shape: Shape::new(), values: vec![v] });
    }
    lengths(program, hints, attempt, &mut inputs.values);
    let mut shapes = start::shapes(program, subject.unit, &inputs)?;
    let mut arrays: Vec<SymbolId> = formals.iter().chain(&outside).copied().filter(|&s| needed(s) && program.symbol(s).rank > 0).collect();
    // Extents may be those of other arrays.
    arrays.sort_by_key(|&s| follows_arrays(subject, s));
    let mut known = true;
    for s in arrays {
        let y = program.symbol(s);
        if known && follows_arrays(subject, s) {
            known = false;
            shapes = start::shapes(program, subject.unit, &inputs)?;
        }
        let declared = shapes.iter().find(|(n, _)| *n == s).map(|(_, l)| l.clone());
        let own = || start::bounds(program, s).map(|l| l.into_iter().map(Some).collect());
        let declared = declared.or_else(|| own().ok()).unwrap_or_else(|| vec![None; usize::from(y.rank)]);
        let (size, open) = (usize::try_from(size).unwrap_or(1), declared.iter().filter(|e| e.is_none()).count());
        let long = length(size, growth);
        // The subscripts before the last one of rows lead to pointers: each row may hold a matrix, too.
        let short = if open > 1 || y.rank > 1 { (size + growth).min(8) } else { long };
        let last = if has_rows(y) { declared.len() - 1 } else { usize::MAX };
        let open = |k: usize| if k == last { long } else { short };
        let shape: Shape = declared.iter().enumerate().map(|(k, e)| e.map_or(open(k), |n| usize::try_from(n).unwrap_or(0))).collect();
        let count = shape.iter().try_fold(1usize, |p, &n| p.checked_mul(n)).filter(|&n| n <= LARGEST);
        let count = count.ok_or_else(|| fault("OB6062", format!("`{}` is too large to be drawn", y.name)))?;
        let base = i64::from(program.index_order == IndexOrder::Column);
        // Integers in arrays are indices as a rule.
        let own = range(random, attempt, None);
        // All elements lie about one level: those of another one may be outside of what the program expects.
        let level = level(y, hints, random, attempt);
        let whole = whole_numbers(hints, y, size, base, random, attempt, count);
        let list = whole.into_iter().map(|integer| {
            let range = range(random, attempt, Some(own));
            scalar(y, hints, random, (level, range), attempt, integer)
        });
        let mut values = list.collect::<Result<Vec<_>, _>>()?;
        arrange(y, &shape, attempt, &mut values);
        inputs.values.insert(y.name.to_string(), Data { shape, values });
    }
    Ok(inputs.values)
}

/// Matrices whose diagonals dominate in some attempts, and numbers in ascending order, as grids and knots have them, in others.
fn arrange(y: &Symbol, shape: &Shape, attempt: usize, values: &mut [Value<f64>]) {
    if attempt % 4 == 3 && ranges::of(y).is_none() {
        dominate(shape, values);
    }
    if attempt >= PLAIN && attempt % 4 == 2 {
        ascending(values);
    }
}

/// Whether an argument is there in all attempts: what lies in one structure that a pointer leads to is there as a whole or not at all.
fn is_there_always(program: &Program, named: &[SymbolId], s: SymbolId) -> bool {
    let reached = reached_structure(program, s);
    let together = |&n: &SymbolId| n == s || reached.is_some() && reached_structure(program, n) == reached;
    !program.symbol(s).has_attribute("optional") || named.iter().any(together)
}

/// The outermost structure behind a pointer in which a member lies.
fn reached_structure(program: &Program, member: SymbolId) -> Option<SymbolId> {
    around(program, member).find(|&s| is_structure(program.symbol(s)) && way(program.symbol(s)).is_some_and(|w| w.0.ends_with('*')))
}

/// Integers that are compared with expressions of others take the largest of their values, as a rule.
fn lengths(program: &Program, hints: &Hints, attempt: usize, values: &mut Values<f64>) {
    let told = |s: SymbolId| ranges::of(program.symbol(s)).is_some();
    for (&s, wanted) in hints.lengths.iter().filter(|l| attempt % 4 != 3 && !told(*l.0)) {
        let value = |e: &Expr| {
            let mut known = e.clone();
            for r in e.refs() {
                let Value::Int(n, _) = *values.get(program.symbol(r.symbol).name.as_str())?.values.first()? else { return None };
                known = known.replaced(&Expr::sym(r.symbol), &Expr::int(i64::try_from(n).ok()?)).unwrap_or(known);
            }
            start::whole_number(program, &known).ok()
        };
        let most = wanted.iter().filter_map(value).max();
        if let Some(n) = most.filter(|n| (1..=LARGEST as i64).contains(n)) {
            values.insert(program.symbol(s).name.to_string(), Data { shape: Shape::new(), values: vec![Value::int(n)] });
        }
    }
}

/// How long an array of open length is: it may hold a matrix, or a grid whose size the text alone has.
fn length(size: usize, growth: usize) -> usize {
    match growth {
        0 => size,
        1 => size * size,
        2 => 2 * size * size + 4,
        k => 8usize.saturating_pow(k as u32 - 1),
    }
}

/// Whole numbers in an array: flags, where they are compared with numbers, of which one is that of all now and then; else indices.
fn whole_numbers(hints: &Hints, y: &Symbol, size: usize, base: i64, random: &mut Random, attempt: usize, count: usize) -> Vec<i64> {
    let flagged = y.ty.base == BaseType::Integer && attempt >= PLAIN && !attempt.is_multiple_of(3) && hints.compares(&y.name);
    if !flagged {
        return (0..count).map(|k| base + ((k + attempt) % size.max(1)) as i64).collect();
    }
    if attempt.is_multiple_of(2) {
        return vec![flag(hints, &y.name, random, attempt); count];
    }
    (0..count).map(|_| flag(hints, &y.name, random, attempt)).collect()
}

/// A whole number: a size, where it is the extent of something, or any.
fn whole_number(hints: &Hints, (s, name): (SymbolId, &str), extent: bool, size: i64, random: &mut Random, attempt: usize) -> i64 {
    match (extent, attempt) {
        // A range that starts behind its end is empty.
        (_, 0..8) if hints.starts.contains(&s) => 1,
        (true, _) if hints.starts.contains(&s) => 1 + random.below(2) as i64,
        (true, 0..8) => size,
        (true, _) => size + random.below(3) as i64,
        // What limits a loop is a size as a rule, also where no declaration says so.
        (false, _) if hints.counts.contains(&s) && attempt % 8 > 2 => size,
        (false, 0..PLAIN) => COUNTS[(attempt / 2) % COUNTS.len()],
        (false, _) => flag(hints, name, random, attempt),
    }
}

/// The number of a function that may be passed; 0 where there is none.
fn function(program: &Program, y: &Symbol, random: &mut Random) -> i64 {
    let mut list: Vec<i64> = callbacks::targets(y).map(|t| t.0).collect();
    if list.is_empty() {
        let all = program.symbols.iter().filter(|s| callbacks::is_function_value(s));
        list = all.filter_map(|s| s.decl.as_ref()?.init.as_ref()?.as_int()).collect();
    }
    if list.is_empty() { 0 } else { list[random.below(list.len())] }
}

/// Bounds that ask for the extents of other arrays.
fn follows_arrays(subject: &Subject, s: SymbolId) -> bool {
    let program = subject.program;
    let array = |e: &xaif::model::Expr| e.refs().any(|r| program.symbol(r.symbol).rank > 0 && r.subscripts.is_empty());
    let of = |b: &xaif::model::Bound| matches!(b, xaif::model::Bound::Expr(e) if array(e));
    program.symbol(s).decl.as_ref().is_some_and(|d| d.dims.iter().any(|d| of(&d.lower) || of(&d.upper)))
}

/// A whole number that is no size: one with which the program compares it, one with which it compares others, or any.
fn flag(hints: &Hints, name: &str, random: &mut Random, attempt: usize) -> i64 {
    let own: Vec<i64> = hints.numbers.iter().filter(|(n, _)| n == name).map(|n| n.1).collect();
    let list = if own.is_empty() { hints.numbers.iter().map(|n| n.1).collect() } else { own };
    if list.is_empty() || attempt.is_multiple_of(3) { random.below(6) as i64 } else { list[random.below(list.len())] }
}

/// Makes a square matrix symmetric, with a diagonal that outweighs the rest: what solvers and factorizations ask for. One in a single row may be meant as well.
fn dominate(shape: &[usize], values: &mut [Value<f64>]) {
    let n = match *shape {
        [n, m] if n == m => n,
        [n] => (n as f64).sqrt() as usize,
        _ => return,
    };
    if n < 2 || n * n != values.len() {
        return;
    }
    for i in 0..n {
        for j in 0..i {
            values[i * n + j] = values[j * n + i].clone();
        }
        if let Value::Real(x, single) = values[i * n + i] {
            values[i * n + i] = Value::Real(x.abs() + 8.0 * n as f64, single);
        }
    }
}

/// Reals in the order of their sizes.
fn ascending(values: &mut [Value<f64>]) {
    let mut list: Vec<f64> = values.iter().filter_map(|v| if let Value::Real(x, _) = v { Some(*x) } else { None }).collect();
    list.sort_by(f64::total_cmp);
    for (v, x) in values.iter_mut().filter(|v| matches!(v, Value::Real(..))).zip(list) {
        if let Value::Real(old, _) = v {
            *old = x;
        }
    }
}

/// The range of a number: the same for all at first; then, for functions with different domains, one for each variable, or for each element.
fn range(random: &mut Random, attempt: usize, own: Option<usize>) -> usize {
    match own {
        _ if attempt < PLAIN => attempt % RANGES.len(),
        Some(own) if !attempt.is_multiple_of(3) => own,
        _ => random.below(RANGES.len()),
    }
}

/// A constant with which the program compares a variable, or which it adds to it, now and then one of another variable; and how far from it to draw.
fn level(y: &Symbol, hints: &Hints, random: &mut Random, attempt: usize) -> Option<(f64, f64)> {
    if attempt < PLAIN || hints.levels.is_empty() || !attempt.is_multiple_of(2) || !y.ty.is_real() {
        return None;
    }
    let own: Vec<f64> = hints.levels.iter().filter(|(n, _)| *n == y.name).map(|l| l.1).collect();
    let list = if own.is_empty() || attempt.is_multiple_of(8) { hints.levels.iter().map(|l| l.1).collect() } else { own };
    let level = list[random.below(list.len())];
    let far = [0.02, 0.1, 0.5, 1.5][random.below(4)];
    Some((level, far * level.abs().max(0.5)))
}

/// A number on either side of another one.
fn beside((level, far): (f64, f64), random: &mut Random) -> f64 {
    // The sign of the weight is the side.
    f64::from((level + random.weight() * far) as f32)
}

/// A number in a range that the user gives: for a whole one what was drawn already, if it lies there. Nothing where there is no such number.
fn within(y: &Symbol, r: ranges::Range, random: &mut Random, integer: i64) -> Option<Value<f64>> {
    match y.ty.value_base() {
        BaseType::Real => Some(Value::real(random.between(r.low, r.high))),
        BaseType::Integer => {
            let (low, high) = (r.low.ceil(), r.high.floor());
            // A whole number that a double holds.
            let exact = |x: f64| x.abs() <= (1u64 << 53) as f64;
            if low > high || !exact(low) || !exact(high) {
                return None;
            }
            let (low, high) = (low as i64, high as i64);
            let count = usize::try_from(high - low).unwrap_or(usize::MAX).saturating_add(1);
            Some(Value::int(if (low..=high).contains(&integer) { integer } else { low + random.below(count) as i64 }))
        }
        _ => None,
    }
}

fn scalar(
    y: &Symbol,
    hints: &Hints,
    random: &mut Random,
    (level, range): (Option<(f64, f64)>, usize),
    attempt: usize,
    integer: i64,
) -> Result<Value<f64>, Fault> {
    if let Some(value) = ranges::of(y).and_then(|r| within(y, r, random, integer)) {
        return Ok(value);
    }
    let (low, high) = RANGES[range % RANGES.len()];
    Ok(match y.ty.value_base() {
        BaseType::Real => match level {
            Some(level) => Value::real(beside(level, random)),
            None => Value::real(random.between(low, high)),
        },
        BaseType::Integer => Value::int(integer),
        BaseType::Bool => Value::Bool(attempt.is_multiple_of(2)),
        BaseType::Char | BaseType::String => {
            let usual = ["N", "T", "U", "L"];
            let own: Vec<&String> = hints.own_texts.iter().filter(|(n, _)| *n == y.name).map(|t| &t.1).collect();
            if !own.is_empty() && !attempt.is_multiple_of(4) {
                return Ok(Value::Text(own[random.below(own.len())].as_str().into()));
            }
            let k = attempt % (usual.len() + hints.texts.len());
            let text = hints.texts.get(k).map_or_else(|| usual[(k - hints.texts.len()) % usual.len()], String::as_str);
            Value::Text(text.into())
        }
        _ => return Err(fault("OB6062", format!("nothing can be drawn for `{}` of type {:?}", y.name, y.ty.base))),
    })
}

/// Globals that the unit reads before it sets them, and that have no initial value.
fn outside(subject: &Subject, all: bool) -> Vec<SymbolId> {
    let program = subject.program;
    let mut out: Vec<SymbolId> = Vec::new();
    let exposed = &subject.facts.effects.unit(subject.unit).exposed;
    for &s in exposed.iter().filter(|&&s| !subject.is_formal(s)) {
        let y = program.symbol(s);
        let usable = matches!(y.ty.base, BaseType::Real | BaseType::Integer | BaseType::Bool) && y.kind == SymbolKind::Variable;
        let set = y.decl.as_ref().is_some_and(|d| d.init.is_some() || !d.init_text.is_empty());
        let stays = matches!(y.storage(), xaif::model::Storage::Constant | xaif::model::Storage::Static);
        // What starts at zero, as it does in C, is left so unless it is differentiated.
        let zero = program.index_order == IndexOrder::Row;
        let named = subject.named().iter().any(|&n| subject.facts.objects.canonical(n) == s);
        let deferred = y.has_attribute("allocatable") || y.has_attribute("pointer");
        if usable && !stays && (named || (all && !set && !zero)) && (!deferred || named) {
            out.push(s);
        }
    }
    for s in subject.named().into_iter().filter(|&s| !subject.is_formal(s) && subject.is_independent(s)) {
        if !out.iter().any(|&o| subject.facts.objects.canonical(s) == o) {
            out.push(s);
        }
    }
    out
}

/// Integers on which the bounds of arguments and of local arrays depend.
fn extents(subject: &Subject) -> BTreeSet<SymbolId> {
    subject.program.extents_named(subject.program.unit(subject.unit).scope).into_iter().collect()
}

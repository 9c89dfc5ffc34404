//! Stock documents whose array statements and calls have no propagator of their own: scalars in arrays, lists of subscripts, sums, `transpose`, `reshape`, sections
//! that change their activity at a call, units that are not in the file. Derivatives of both sweeps against dual numbers of the original; what the text does
//! not tell is refused.

use overbar::Options;
use overbar::evaluate::{Data, Inputs, Limits, Sweep, Values, jacobian, run_sweeps};
use std::fmt::Write;
use xaif::Program;

/// A symbol: its name, extents and whether it is active; those that begin with `k` are integers.
type Symbol = (&'static str, &'static [i64], bool);

/// Splits at commas that stand in no brackets.
fn parts(text: &str, at: char) -> Vec<&str> {
    let (mut depth, mut start, mut out) = (0, 0, Vec::new());
    for (k, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            c if c == at && depth == 0 => {
                out.push(&text[start..k]);
                start = k + 1;
            }
            _ => {}
        }
    }
    out.push(&text[start..]);
    out.into_iter().filter(|p| !p.is_empty()).collect()
}

/// A reference without its own element: `x`, `x[k]`, `x[1:2,(add_scal_scal k 1)]`.
fn reference(text: &str, unit: u32) -> String {
    let (name, subscripts) = text.split_once('[').map_or((text, None), |(n, s)| (n, s.strip_suffix(']')));
    let mut out = format!("<xaif:SymbolReference vertex_id=\"1\" scope_id=\"{unit}\" symbol_id=\"{name}\"/>");
    let Some(subscripts) = subscripts else { return out };
    out.push_str("<xaif:ArrayElementReference vertex_id=\"2\">");
    for t in parts(subscripts, ',') {
        out.push_str("<xaif:IndexTriplet>");
        for (word, e) in ["Index", "Bound", "Stride"].iter().zip(parts(t, ':')) {
            let _ = write!(out, "<xaif:{word}>{}</xaif:{word}>", expression(e, unit));
        }
        out.push_str("</xaif:IndexTriplet>");
    }
    out + "</xaif:ArrayElementReference><xaif:VariableReferenceEdge edge_id=\"1\" source=\"1\" target=\"2\"/>"
}

/// An expression in prefix form: `(mul_scal_scal s x[1:2])`.
fn expression(text: &str, unit: u32) -> String {
    fn vertex(text: &str, unit: u32, out: &mut String, ids: &mut (u32, u32)) -> u32 {
        ids.0 += 1;
        let id = ids.0;
        if let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
            let words = parts(inner, ' ');
            let operands: Vec<u32> = words[1..].iter().map(|w| vertex(w, unit, out, ids)).collect();
            let (name, hint) = words[0].split_once('/').unwrap_or((words[0], ""));
            let hint = if hint.is_empty() { String::new() } else { format!(" rShape=\"{hint}\"") };
            let _ = write!(out, "<xaif:Intrinsic vertex_id=\"{id}\" name=\"{name}\" type=\"***\"{hint}/>");
            for (o, position) in operands.iter().zip(1..) {
                ids.1 += 1;
                let edge = ids.1;
                let _ = write!(out, "<xaif:ExpressionEdge edge_id=\"{edge}\" source=\"{o}\" target=\"{id}\" position=\"{position}\"/>");
            }
        } else if text.starts_with(|c: char| c.is_ascii_digit()) {
            let (ty, fe) = if text.contains('.') { ("real", "F8") } else { ("integer", "I4") };
            let _ = write!(out, "<xaif:Constant vertex_id=\"{id}\" type=\"{ty}\" feType=\"{fe}\" value=\"{text}\"/>");
        } else {
            let _ = write!(out, "<xaif:VariableReference vertex_id=\"{id}\">{}</xaif:VariableReference>", reference(text, unit));
        }
        id
    }
    let mut out = String::new();
    vertex(text, unit, &mut out, &mut (0, 0));
    out
}

/// A line: `y = (sin_scal x)`, or `call g x y`.
fn statement(line: &str, id: usize, unit: u32) -> String {
    if let Some(words) = line.strip_prefix("call ") {
        let words = parts(words, ' ');
        let mut out = format!(
            "<xaif:SubroutineCall statement_id=\"{id}\" scope_id=\"1\" symbol_id=\"{}\" formalArgCount=\"{}\">",
            words[0],
            words.len() - 1
        );
        for (w, position) in words[1..].iter().zip(1..) {
            let value = format!("<xaif:VariableReference vertex_id=\"1\">{}</xaif:VariableReference>", reference(w, unit));
            let _ = write!(out, "<xaif:Argument position=\"{position}\">{value}</xaif:Argument>");
        }
        return out + "</xaif:SubroutineCall>";
    }
    let (lhs, rhs) = line.split_once(" = ").expect("an assignment");
    format!(
        "<xaif:Assignment statement_id=\"{id}\"><xaif:AssignmentLHS>{}</xaif:AssignmentLHS><xaif:AssignmentRHS>{}</xaif:AssignmentRHS></xaif:Assignment>",
        reference(lhs, unit),
        expression(rhs, unit)
    )
}

struct Unit {
    name: &'static str,
    symbols: &'static [Symbol],
    formals: &'static [&'static str],
    lines: &'static [&'static str],
}

const SHAPES: [&str; 3] = ["scalar", "vector", "matrix"];

fn document(units: &[Unit], outside: &[&str], maps: &str) -> String {
    let root = "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xmlns:xaif=\"http://www.mcs.anl.gov/XAIF\" \
                xsi:schemaLocation=\"http://www.mcs.anl.gov/XAIF xaif.xsd\" program_name=\"p\" prefix=\"OpenAD_\"";
    let mut out = format!("<xaif:CallGraph {root}><xaif:ScopeHierarchy><xaif:Scope vertex_id=\"1\"><xaif:SymbolTable>");
    for name in units.iter().map(|u| u.name).chain(outside.iter().copied()) {
        let _ = write!(out, "<xaif:Symbol symbol_id=\"{name}\" kind=\"subroutine\" type=\"void\"/>");
    }
    out.push_str("</xaif:SymbolTable></xaif:Scope>");
    for (u, scope) in units.iter().zip(2..) {
        let _ = write!(out, "<xaif:Scope vertex_id=\"{scope}\"><xaif:SymbolTable>");
        for (name, extents, active) in u.symbols {
            let (ty, fe) = if name.starts_with('k') { ("integer", "I4") } else { ("real", "F8") };
            let (shape, active) = (SHAPES[extents.len()], u8::from(*active));
            let _ = write!(
                out,
                "<xaif:Symbol symbol_id=\"{name}\" kind=\"variable\" type=\"{ty}\" feType=\"{fe}\" shape=\"{shape}\" active=\"{active}\">"
            );
            // What varies slowest stands first.
            extents.iter().rev().for_each(|n| _ = write!(out, "<xaif:DimensionBounds lower=\"1\" upper=\"{n}\"/>"));
            out.push_str("</xaif:Symbol>");
        }
        let _ = write!(out, "</xaif:SymbolTable></xaif:Scope><xaif:ScopeEdge edge_id=\"{scope}\" source=\"{scope}\" target=\"1\"/>");
    }
    out.push_str("</xaif:ScopeHierarchy>");
    out.push_str(if maps.is_empty() {
        "<xaif:AliasSetMap><xaif:AliasSet key=\"0\"/></xaif:AliasSetMap><xaif:DUUDSetMap><xaif:StmtIdSet key=\"0\"/></xaif:DUUDSetMap>\
         <xaif:DOSetMap><xaif:StmtIdSet key=\"0\"/></xaif:DOSetMap>"
    } else {
        maps
    });
    for (u, scope) in units.iter().zip(2..) {
        let _ = write!(
            out,
            "<xaif:ControlFlowGraph vertex_id=\"{scope}\" scope_id=\"1\" symbol_id=\"{}\" controlflowgraph_scope_id=\"{scope}\"><xaif:ArgumentList>",
            u.name
        );
        for (f, position) in u.formals.iter().zip(1..) {
            let _ = write!(
                out,
                "<xaif:ArgumentSymbolReference position=\"{position}\" scope_id=\"{scope}\" symbol_id=\"{f}\" intent=\"inout\"/>"
            );
        }
        let _ = write!(out, "</xaif:ArgumentList><xaif:Entry vertex_id=\"1\"/><xaif:BasicBlock vertex_id=\"2\" scope_id=\"{scope}\">");
        u.lines.iter().zip(1..).for_each(|(l, id)| out.push_str(&statement(l, id, scope)));
        out.push_str(
            "</xaif:BasicBlock><xaif:Exit vertex_id=\"3\"/><xaif:ControlFlowEdge edge_id=\"1\" source=\"1\" target=\"2\"/>\
             <xaif:ControlFlowEdge edge_id=\"2\" source=\"2\" target=\"3\"/></xaif:ControlFlowGraph>",
        );
    }
    if units.len() > 1 {
        out.push_str("<xaif:CallGraphEdge edge_id=\"1\" source=\"2\" target=\"3\"/>");
    }
    out + "</xaif:CallGraph>"
}

fn program(text: &str) -> Program {
    assert!(xaif::validate::schema("d", text.as_bytes()).is_empty(), "{:?}", xaif::validate::schema("d", text.as_bytes()));
    let (program, _) = xaif::read::read("d", text.as_bytes(), &xaif::read::Limits::default()).unwrap_or_else(|e| panic!("{e:?}"));
    let wrong: Vec<_> = xaif::validate::semantics(&program).into_iter().filter(|d| d.is_error()).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    program
}

fn boosted(program: &Program, tangent: bool) -> Result<Program, String> {
    let options = Options { tangent, adjoint: !tangent, ..Options::default() };
    let made = overbar::boost(program.clone(), &options).map_err(|d| format!("{} {}", d[0].code, d[0].message))?.program;
    let text = xaif::write::write(&made);
    let wrong = xaif::validate::schema("out", text.as_bytes());
    assert!(wrong.is_empty(), "{wrong:?}\n{text}");
    Ok(made)
}

/// Seeds with 1 at one of so many places.
fn seed(shape: &[i64], at: usize) -> Data<f64> {
    let count: i64 = shape.iter().product();
    let values: Vec<f64> = (0..count as usize).map(|k| f64::from(u8::from(k == at))).collect();
    let shape: Vec<usize> = shape.iter().map(|n| *n as usize).collect();
    Data::reals(&values).shaped(&shape)
}

/// Both sweeps of the first unit, whose arguments are x and y, and whose integers k are given.
fn check(what: &str, units: &[Unit], k: &[i64]) {
    let original = program(&document(units, &[], ""));
    let unit = original.unit_named(units[0].name).expect("the unit");
    let extents = |name: &str| units[0].symbols.iter().find(|s| s.0 == name).expect("a symbol").1;
    let (x, y) = (extents("x"), extents("y"));
    let (n, m) = (x.iter().product::<i64>() as usize, y.iter().product::<i64>() as usize);
    let point: Vec<f64> = (0..n).map(|i| 0.3 + 0.4 * i as f64).collect();
    let shape = |e: &[i64]| e.iter().map(|n| *n as usize).collect::<Vec<_>>();
    let mut values = Values::new();
    values.insert("x".into(), Data::reals(&point).shaped(&shape(x)));
    values.insert("y".into(), Data::reals(&vec![0.7; m]).shaped(&shape(y)));
    if !k.is_empty() {
        let list = k.iter().map(|v| Data::int(*v).values[0].clone()).collect();
        values.insert("k".into(), Data { values: list, shape: [k.len()].into_iter().collect() });
    }
    let limits = Limits::default();
    let inputs = Inputs { values: values.clone(), derivatives: Values::new() };
    let expected = jacobian(&original, unit, &inputs, &["y"], &["x"], &limits).unwrap_or_else(|e| panic!("{what}: {e}")).entries;
    assert!(expected.iter().flatten().any(|v| *v != 0.0), "{what}: nothing depends on anything");
    for tangent in [true, false] {
        let made = boosted(&original, tangent).unwrap_or_else(|e| panic!("{what}: {e}"));
        let (seeded, read, sweeps): (_, _, &[Sweep]) =
            if tangent { (("x", x), "y", &[Sweep::Plain]) } else { (("y", y), "x", &[Sweep::Tape, Sweep::Adjoint]) };
        let exact = |o: usize, at: usize| if tangent { expected[o][at] } else { expected[at][o] };
        for at in 0..if tangent { n } else { m } {
            let mut derivatives = Values::new();
            derivatives.insert(seeded.0.into(), seed(seeded.1, at));
            let run = run_sweeps(&made, unit, &Inputs { values: values.clone(), derivatives }, sweeps, &limits)
                .unwrap_or_else(|e| panic!("{what}: {e}"));
            assert_eq!(run.counters.left, 0, "{what}");
            for (o, got) in run.derivatives[read].to_reals().into_iter().enumerate() {
                let want = exact(o, at);
                // What y was counts for y only.
                assert!((got - want).abs() <= 1e-12 * (1.0 + want.abs()), "{what}, tangent {tangent}, {at} {o}: {got}, not {want}");
            }
        }
    }
}

const XY: &[Symbol] = &[("x", &[4], true), ("y", &[4], true), ("s", &[], true), ("k", &[4], false)];
const XM: &[Symbol] = &[("x", &[2, 3], true), ("y", &[3, 2], true), ("k", &[2], false)];
const TO_VECTOR: &[Symbol] = &[("x", &[2, 3], true), ("y", &[6], true), ("k", &[1], false)];
const FROM_VECTOR: &[Symbol] = &[("x", &[6], true), ("y", &[2, 3], true), ("k", &[2], false)];

fn one(name: &'static str, symbols: &'static [Symbol], lines: &'static [&'static str]) -> [Unit; 1] {
    [Unit { name, symbols, formals: if symbols.iter().any(|s| s.0 == "k") { &["x", "y", "k"] } else { &["x", "y"] }, lines }]
}

#[test]
fn array_statements_have_derivatives_in_both_sweeps() {
    let k4 = [3, 1, 3, 4];
    check("a scalar in an array", &one("f", XY, &["s = (sin_scal x[2])", "y = (mul_scal_scal s x)"]), &k4);
    check("a scalar that becomes an array", &one("f", XY, &["s = (mul_scal_scal x[1] x[3])", "y = s"]), &k4);
    check("a list of subscripts, read", &one("f", XY, &["y = (mul_scal_scal x[k] x[k])"]), &k4);
    check("a list of subscripts, set", &one("f", XY, &["y = x", "y[k] = (exp_scal x)"]), &[3, 1, 2, 4]);
    check("where the largest is", &one("f", XY, &["y[2:2] = x[(maxloc_arr x)]"]), &k4);
    check("a sum", &one("f", XY, &["s = (sum_arr (mul_scal_scal x x))", "y[1] = (mul_scal_scal s (sum_arr x[2:3]))"]), &k4);
    check("an element over itself", &one("f", XY, &["y = x", "y = (mul_scal_scal y[2] y)"]), &k4);
    let k2 = [3, 2];
    check("a transposed matrix", &one("f", XM, &["y = (transpose_arr x)"]), &k2);
    check(
        "a transposed matrix in an expression",
        &one("f", XM, &["y = (mul_scal_scal (transpose_arr x) (sin_scal (transpose_arr x)))"]),
        &k2,
    );
    check("a reshaped matrix", &one("f", XM, &["y = (reshape_arr/matrix x k)"]), &k2);
    check("a reshaped matrix, as long as its list", &one("f", XM, &["y = (mul_scal_scal (reshape_arr x k) (reshape_arr x k))"]), &k2);
    check("a matrix as a vector", &one("f", TO_VECTOR, &["y = (reshape_arr/vector (mul_scal_scal x x) k)"]), &[6]);
    check("a vector as a matrix", &one("f", FROM_VECTOR, &["y = (mul_scal_scal (reshape_arr x k) 2.0)"]), &[2, 3]);
}

/// Both units of a call whose argument is active outside only: the callee looks at it to choose a factor for something that depends on it no more.
const HALVED: &[Symbol] = &[("a", &[2], false), ("b", &[2], true)];
const AROUND: &[Symbol] = &[("x", &[4], true), ("y", &[4], true), ("c", &[2], false), ("k", &[2], false)];

#[test]
fn sections_change_their_activity_at_a_call() {
    let inner = |lines| Unit { name: "g", symbols: HALVED, formals: &["a", "b"], lines };
    let outer = |lines| Unit { name: "f", symbols: AROUND, formals: &["x", "y", "k"], lines };
    let k = [2, 3];
    let scaled: &[&str] = &["b = (mul_scal_scal a b)"];
    check("a section of constants", &[outer(&["y = (sin_scal x)", "c = 2.5", "call g c y[2:3]"]), inner(scaled)], &k);
    // The derivative of what is passed for a is cut by the flags; here it has none to begin with.
    check("an active section, passive inside", &[outer(&["y = (sin_scal x)", "y[1:2] = 3.0", "call g y[1:2] y[3:4]"]), inner(scaled)], &k);
    check(
        "its place from a list",
        &[outer(&["y = x", "y[1:2] = 3.0", "call g y[(sub_scal_scal k[1] 1):k[1]] y[k[2]:4]"]), inner(scaled)],
        &k,
    );
    // What is set to something passive has no derivative any more; what is only read keeps its own.
    let reset: &[&str] = &["a = 2.5", "b = (mul_scal_scal a b)"];
    check(
        "a section that is set inside",
        &[outer(&["y = x", "call g y[1:2] y[3:4]", "y[4] = (mul_scal_scal y[1] x[1])"]), inner(reset)],
        &k,
    );
    let rounded: &[&str] = &["b = (mul_scal_scal (nint_scal a) b)"];
    check(
        "a section that is read inside",
        &[outer(&["y = x", "call g y[1:2] y[3:4]", "y[4] = (mul_scal_scal y[1] x[1])"]), inner(rounded)],
        &k,
    );
    check("elements from one on", &[outer(&["y = x", "y[1:2] = 3.0", "call g y[1] y[3:4]"]), inner(scaled)], &k);
}

/// `t = x(1)`, a call of a unit without text, `y = x*t`: by the chains of `t` the call sets it, or does not.
fn outside(chain: &str) -> String {
    const SYMBOLS: &[Symbol] = &[("x", &[4], true), ("y", &[4], true), ("t", &[], true)];
    let unit =
        Unit { name: "f", symbols: SYMBOLS, formals: &["x", "y"], lines: &["t = x[1]", "call out t", "y[2] = (mul_scal_scal x[2] t)"] };
    let maps = format!(
        "<xaif:AliasSetMap><xaif:AliasSet key=\"0\"/></xaif:AliasSetMap><xaif:DUUDSetMap><xaif:StmtIdSet key=\"0\"/><xaif:StmtIdSet key=\"1\">{chain}\
         </xaif:StmtIdSet></xaif:DUUDSetMap><xaif:DOSetMap><xaif:StmtIdSet key=\"0\"/></xaif:DOSetMap>"
    );
    let text = document(&[unit], &["out"], &maps);
    let at = text.rfind("<xaif:VariableReference vertex_id").expect("the last reference");
    let (before, last) = text.split_at(at);
    format!("{before}{}", last.replacen("vertex_id=\"3\"", "vertex_id=\"3\" du_ud=\"1\"", 1))
}

#[test]
fn units_without_text_are_told_by_chains() {
    for tangent in [true, false] {
        let quiet = program(&outside("<xaif:StatementId idRef=\"1\"/>"));
        let made = boosted(&quiet, tangent).expect("the call is said to set nothing");
        let text = xaif::write::write(&made);
        assert!(text.contains("oad_convert"), "{text}");
        for chain in ["<xaif:StatementId idRef=\"1\"/><xaif:StatementId idRef=\"2\"/>", "<xaif:StatementId idRef=\"2\"/>"] {
            let told = boosted(&program(&outside(chain)), tangent).expect_err("it may set t");
            assert!(told.starts_with("OB4088"), "{told}");
        }
    }
}

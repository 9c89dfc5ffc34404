//! A driver in C for a head: it includes the generated file, so that what is private to it can be reached.
//!
//! Lives here: text of C. Never here: what the numbers mean (see [`super::compiled`]).

use super::compiled::{Layout, Slot};
use super::engine::Map;
use super::harness_structures as structures;
use overbar_booster::signature::Role;
use overbar_evaluate::directions::{Directions, FACTORS};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::fmt::Write;
use xaif::Diagnostic;
use xaif::callbacks;
use xaif::members::{RETURNED, is_structure};
use xaif::model::{BaseType, Passing, Storage, Symbol, SymbolId, SymbolKind};
use xaif::rows::has_rows;

/// Names that the headers of the driver declare, which macros of the program may have.
const HEADERS: &str = "abs labs llabs div ldiv atof atoi atol strtod strtol rand srand malloc calloc realloc free exit abort qsort bsearch getenv \
    memcpy memmove memset memcmp strlen strcpy strncpy strcmp strncmp strcat strchr strstr \
    printf fprintf sprintf snprintf scanf fscanf sscanf puts fputs fgets getc putc remove rename \
    fabs sqrt cbrt exp exp2 expm1 log log2 log10 log1p logb ilogb pow hypot sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh \
    erf erfc tgamma lgamma gamma j0 j1 jn y0 y1 yn ceil floor trunc round lround llround rint lrint llrint nearbyint fmod remainder remquo \
    modf frexp ldexp scalbn scalbln scalb fma fmax fmin fdim copysign nan nextafter nexttoward drem significand finite sign \
    isnan isinf isfinite isnormal signbit fpclassify isgreater isgreaterequal isless islessequal islessgreater isunordered";

/// The driver's text for a generated file of that name and text. `apart`: there are others beside it.
///
/// # Errors
/// OB6064 for arguments that it cannot pass.
pub fn driver(layout: &Layout, file: &str, text: &str, apart: bool) -> Result<String, Diagnostic> {
    let records = text.contains("\"overbar.h\"");
    let mut o = String::new();
    head(&mut o, layout, file, apart.then_some(text))?;
    structures::declare(&mut o, layout);
    structures::accessors(&mut o, layout);
    request(&mut o, layout);
    o.push_str("  for (int ob_h_run = 0; ob_h_run < 2; ob_h_run++) {\n");
    fresh_arguments(&mut o, layout);
    calls(&mut o, layout)?;
    answer(&mut o, layout, records);
    o.push_str("  }\n  return fclose(ob_h_answer) != 0;\n}\n");
    Ok(o)
}

/// The generated file, headers, readers and variables. `beside`: the text of the file, where there are others.
fn head(o: &mut String, layout: &Layout, file: &str, beside: Option<&str>) -> Result<(), Diagnostic> {
    // Writing to a string cannot fail.
    let _ = writeln!(o, "#define main ob_h_user_main\n#include \"{file}\"\n#undef main");
    if let Some(text) = beside {
        declare_globals(o, layout, text);
    }
    define_globals(o, layout, beside);
    // The user's macros end here.
    for name in HEADERS.split_whitespace() {
        let _ = writeln!(o, "#undef {name}");
    }
    o.push_str("#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n");
    // Standard input and output are the program's own.
    o.push_str("static FILE *ob_h_request, *ob_h_answer;\n\n");
    o.push_str(
        "static double ob_h_in(void) {\n  double x;\n  if (fscanf(ob_h_request, \"%lf\", &x) != 1)\n    exit(3);\n  return x;\n}\n\n",
    );
    o.push_str("static long long ob_h_whole(void) {\n  long long x;\n  if (fscanf(ob_h_request, \"%lld\", &x) != 1)\n    exit(3);\n  return x;\n}\n\n");
    if layout.directions().is_some() {
        let _ = writeln!(
            o,
            "static double ob_h_factor(int d) {{\n  double f = 1;\n  for (d %= {FACTORS}; d > 0; d--)\n    f *= -2;\n  return f;\n}}\n"
        );
    }
    for (i, s) in layout.slots.iter().enumerate() {
        let y = layout.subject.program.symbol(s.symbol);
        if s.base == BaseType::Opaque && !s.present {
            continue;
        }
        let inside = y.has_attribute(callbacks::POINTER)
            && (s.formal.is_none() || y.rank > 0 || structures::is_member(layout.subject.program, s.symbol));
        if inside || matches!(s.base, BaseType::Complex | BaseType::Opaque | BaseType::Void | BaseType::String) {
            return Err(Diagnostic::warning("OB6064", format!("`{}` has a type that the compiled harness cannot pass", s.name)));
        }
        let (ty, n) = (type_of(y), s.count.max(1));
        let _ = writeln!(o, "static {ty} ob_h_v{i}[{n}], ob_h_w{i}[{n}];");
        if s.named {
            let _ = writeln!(o, "static {ty} ob_h_d{i}[{n}], ob_h_e{i}[{n}];");
            if let Some(d) = layout.directions() {
                let _ = writeln!(o, "static {ty} ob_h_p{i}[{}];", d.count * n);
            }
        }
    }
    Ok(())
}

/// Reads the request.
fn request(o: &mut String, layout: &Layout) {
    let ty = |s: &Slot| type_of(layout.subject.program.symbol(s.symbol));
    o.push_str("\nint main(void) {\n  ob_h_request = fopen(\"request\", \"r\");\n  ob_h_answer = fopen(\"answer\", \"w\");\n  if (!ob_h_request || !ob_h_answer)\n    return 3;\n  int ob_h_mode = (int)ob_h_whole();\n");
    for (i, s) in layout.slots.iter().enumerate().filter(|(_, s)| s.present && !s.result) {
        read(o, &format!("ob_h_v{i}"), s, s.base, &ty(s));
    }
    o.push_str("  if (ob_h_mode > 0) {\n");
    for (i, s) in layout.slots.iter().enumerate().filter(|(_, s)| s.present && s.named) {
        read(o, &format!("ob_h_d{i}"), s, BaseType::Real, &ty(s));
    }
    o.push_str("  }\n");
}

/// Gives all variables the values of the request, in each run anew.
fn fresh_arguments(o: &mut String, layout: &Layout) {
    for (i, s) in layout.slots.iter().enumerate().filter(|(_, s)| s.present || s.base != BaseType::Opaque) {
        let _ = writeln!(o, "    memcpy(ob_h_w{i}, ob_h_v{i}, sizeof ob_h_v{i});");
        if s.named {
            let _ = writeln!(o, "    memcpy(ob_h_e{i}, ob_h_d{i}, sizeof ob_h_d{i});");
        }
        if s.formal.is_none() {
            global(o, layout, s, &s.name, &format!("ob_h_w{i}"), true);
        }
    }
}

/// Calls the function that the request asks for.
fn calls(o: &mut String, layout: &Layout) -> Result<(), Diagnostic> {
    for (_, number, map) in layout.modes() {
        let _ = writeln!(o, "    if (ob_h_mode == {number}) {{");
        companions(o, layout, map, true);
        structures::copy(o, layout, true, true);
        call(o, layout, map)?;
        structures::copy(o, layout, false, true);
        companions(o, layout, map, false);
        o.push_str("    }\n");
    }
    o.push_str("    if (ob_h_mode == 0) {\n");
    structures::copy(o, layout, true, false);
    original(o, layout);
    structures::copy(o, layout, false, false);
    o.push_str("    }\n");
    Ok(())
}

/// Writes what came out.
fn answer(o: &mut String, layout: &Layout, records: bool) {
    for (i, s) in layout.slots.iter().enumerate() {
        if s.formal.is_none() {
            global(o, layout, s, &s.name, &format!("ob_h_w{i}"), false);
        }
        if s.present {
            print(o, &format!("ob_h_w{i}"), s, s.base);
        }
    }
    o.push_str("    if (ob_h_mode > 0) {\n");
    for (i, s) in layout.slots.iter().enumerate().filter(|(_, s)| s.present && s.named) {
        print(o, &format!("ob_h_e{i}"), s, BaseType::Real);
    }
    o.push_str("    }\n");
    o.push_str(if records {
        "    fprintf(ob_h_answer, \"%lu\\n\", (unsigned long)ob_stack_bytes());\n"
    } else {
        "    fprintf(ob_h_answer, \"0\\n\");\n"
    });
}

/// Declares variables of other files, and their derivatives, that the text does not name.
fn declare_globals(o: &mut String, layout: &Layout, text: &str) {
    let word = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    let words: FxHashSet<&str> = text.split(word).collect();
    for s in layout.slots.iter().filter(|s| s.formal.is_none()) {
        let symbol = layout.subject.program.symbol(s.symbol);
        let companions = layout.modes().flat_map(|(.., map)| &map.globals).filter(|(n, _)| *n == s.name);
        let names: BTreeSet<&str> = companions.map(|(_, c)| c.as_str()).chain([s.name.as_str()]).collect();
        for name in names.iter().filter(|n| !words.contains(*n)) {
            let row = layout.modes().find_map(|(.., map)| map.directions_of_shared()).filter(|_| **name != s.name);
            let row = row.map_or(String::new(), |d| format!("[{}]", d.count));
            let _ = writeln!(o, "extern {} {name}{}{row};", type_of(symbol), if symbol.rank > 0 { "[]" } else { "" });
        }
    }
}

/// Defines variables that the program only declares: where the head does not come to them, they have to be there all the same.
fn define_globals(o: &mut String, layout: &Layout, beside: Option<&str>) {
    let word = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    let elsewhere: Option<FxHashSet<&str>> = beside.map(|text| text.split(word).collect());
    let program = layout.subject.program;
    for id in program.symbol_ids() {
        let symbol = program.symbol(id);
        let number = symbol.kind == SymbolKind::Variable && matches!(symbol.ty.base, BaseType::Real | BaseType::Integer | BaseType::Bool);
        if !number || *symbol.storage() != Storage::Extern || symbol.rank > 1 || is_structure(symbol) || symbol.name.contains('%') {
            continue;
        }
        let count = layout.slots.iter().find(|s| s.symbol == id).map_or(1, |s| s.count.max(1));
        // What is declared before has its type from there.
        let declared = elsewhere.as_ref().is_none_or(|words| words.contains(symbol.name.as_str()));
        let open = symbol.decl.as_ref().is_none_or(|d| d.dims.iter().any(|d| d.upper == xaif::model::Bound::Unknown));
        if declared {
            let name = &symbol.name;
            let _ = match symbol.rank > 0 && open {
                true => writeln!(o, "__typeof__({name}[0]) {name}[{count}];"),
                false => writeln!(o, "__typeof__({name}) {name};"),
            };
            continue;
        }
        let extent = if symbol.rank > 0 { format!("[{count}]") } else { String::new() };
        let _ = writeln!(o, "{} {}{extent};", type_of(symbol), symbol.name);
    }
}

pub(super) fn type_of(y: &Symbol) -> String {
    // What stands for a function is a number until it is passed.
    if y.has_attribute(callbacks::POINTER) {
        return "long long".into();
    }
    match (y.ty.base, y.ty.bits) {
        (BaseType::Real, 32) => "float".into(),
        (BaseType::Real, 80 | 128) => "long double".into(),
        (BaseType::Real, _) => "double".into(),
        _ => match &y.decl {
            Some(d) if !d.type_text.is_empty() => d.type_text.to_string(),
            _ if y.ty.bits == 64 => "long".into(),
            _ => "int".into(),
        },
    }
}

fn read(o: &mut String, name: &str, s: &Slot, base: BaseType, ty: &str) {
    let get = if base == BaseType::Real { "ob_h_in()" } else { "ob_h_whole()" };
    let _ = writeln!(o, "  for (int k = 0; k < {}; k++)\n    {name}[k] = ({ty}){get};", s.count);
}

fn print(o: &mut String, name: &str, s: &Slot, base: BaseType) {
    let form = if base == BaseType::Real {
        format!("fprintf(ob_h_answer, \"%.21Lg\\n\", (long double){name}[k])")
    } else {
        format!("fprintf(ob_h_answer, \"%lld\\n\", (long long){name}[k])")
    };
    let _ = writeln!(o, "    for (int k = 0; k < {}; k++)\n      {form};", s.count);
}

/// Whether an array is declared without its extents.
fn is_pointer(y: &Symbol) -> bool {
    y.decl.as_ref().is_none_or(|d| d.dims.iter().any(|d| d.upper == xaif::model::Bound::Unknown)) && y.rank > 0
}

/// Copies between a global and the driver's array.
fn global(o: &mut String, layout: &Layout, s: &Slot, name: &str, array: &str, inward: bool) {
    if structures::global(o, layout.subject.program, s, name, array, inward) {
        return;
    }
    let y = layout.subject.program.symbol(s.symbol);
    let _ = match (y.rank, is_pointer(y), inward) {
        (0, _, true) => writeln!(o, "    {name} = {array}[0];"),
        (0, _, false) => writeln!(o, "    {array}[0] = {name};"),
        (_, true, true) => writeln!(o, "    {name} = {array};"),
        (_, true, false) => Ok(()),
        (_, false, true) => writeln!(o, "    memcpy((void *){name}, {array}, sizeof {array});"),
        (_, false, false) => writeln!(o, "    memcpy({array}, (const void *){name}, sizeof {array});"),
    };
}

/// Copies between the derivative of a global in all directions and the driver's array.
fn several_of_global(o: &mut String, layout: &Layout, (i, s): (usize, &Slot), companion: &str, directions: &Directions, inward: bool) {
    if structures::global_in_directions(o, layout.subject.program, s, (companion, &format!("ob_h_e{i}")), directions.count, inward) {
        return;
    }
    let array = format!("ob_h_p{i}");
    let pointer = is_pointer(layout.subject.program.symbol(s.symbol));
    if inward {
        o.push_str(&spread(i, s.count, directions));
    }
    let _ = match (pointer, inward) {
        (true, true) => writeln!(o, "      {companion} = (void *){array};"),
        (true, false) => Ok(()),
        (false, true) => writeln!(o, "      memcpy((void *){companion}, {array}, sizeof {array});"),
        (false, false) => writeln!(o, "      memcpy({array}, (const void *){companion}, sizeof {array});"),
    };
    if !inward {
        o.push_str(&first(i, s.count, directions));
    }
}

/// Puts a derivative of so many numbers in all directions.
fn spread(i: usize, n: usize, directions: &Directions) -> String {
    let d = directions.count;
    format!(
        "      for (int k = 0; k < {n}; k++)\n        for (int d = 0; d < {d}; d++)\n          ob_h_p{i}[{d} * k + d] = ob_h_factor(d) * ob_h_e{i}[k];\n"
    )
}

/// Takes the first direction, or what no derivative is where another one is not what it must be.
fn first(i: usize, n: usize, directions: &Directions) -> String {
    let d = directions.count;
    let (row, other) = (format!("ob_h_p{i}[{d} * k]"), format!("ob_h_p{i}[{d} * k + d]"));
    format!(
        "      for (int k = 0; k < {n}; k++) {{\n        for (int d = 1; d < {d}; d++)\n          if ({other} != ob_h_factor(d) * {row})\n            {row} = NAN;\n        \
         ob_h_e{i}[k] = {row};\n      }}\n"
    )
}

/// Copies derivatives of globals.
fn companions(o: &mut String, layout: &Layout, map: &Map, inward: bool) {
    for (name, companion) in &map.globals {
        if let Some(i) = layout.slots.iter().position(|s| s.formal.is_none() && s.name == *name) {
            let s = &layout.slots[i];
            match map.directions_of_shared() {
                Some(d) => several_of_global(o, layout, (i, s), companion, d, inward),
                None => {
                    o.push_str("  ");
                    global(o, layout, s, companion, &format!("ob_h_e{i}"), inward);
                }
            }
        }
    }
}

fn original(o: &mut String, layout: &Layout) {
    let program = layout.subject.program;
    let unit = program.unit(layout.subject.unit);
    let mut list = Vec::new();
    let (mut result, mut behind) = (String::new(), String::new());
    for (k, f) in unit.formals.iter().enumerate() {
        let Some(i) = layout.slots.iter().position(|s| s.formal == Some(k)) else { continue };
        if structures::is_member(program, f.symbol) {
            continue;
        }
        if structures::is_whole(layout, &layout.slots[i]) {
            let y = program.symbol(f.symbol);
            match (y.has_attribute(&RETURNED), y.passing()) {
                (true, _) => result = format!("ob_h_s{i}[0] = "),
                (false, Passing::Value) => list.push(format!("ob_h_s{i}[0]")),
                (false, _) => list.push(format!("ob_h_s{i}")),
            }
            continue;
        }
        let y = program.symbol(f.symbol);
        if f.result {
            result = format!("ob_h_w{i}[0] = ");
        } else if y.has_attribute(&RETURNED) {
            result = format!("{} *ob_h_memory = ", type_of(y));
            behind = format!(
                "      if (ob_h_memory)\n        memcpy(ob_h_w{i}, ob_h_memory, {} * sizeof ob_h_w{i}[0]);\n      free(ob_h_memory);\n",
                layout.slots[i].count
            );
        } else if layout.slots[i].present {
            list.push(argument(y, &layout.slots[i].shape, None, &format!("ob_h_w{i}")));
        } else {
            list.push("NULL".to_owned());
        }
    }
    let _ = writeln!(o, "      {result}{}({});\n{behind}", program.unit_name(layout.subject.unit), list.join(", "));
}

/// An argument by value, or the address of the driver's array: a pointer to void fits every pointer to an object. Of what has `many` numbers
/// for each element, pointers to rows are pointers to these.
fn argument(y: &Symbol, shape: &[usize], many: Option<usize>, array: &str) -> String {
    if let (true, [rows, length]) = (has_rows(y), shape) {
        let element = many.map_or("*[]".to_owned(), |many| format!("(*[])[{many}]"));
        let list: Vec<String> = (0..*rows).map(|k| format!("(void *)({array} + {})", k * length * many.unwrap_or(1))).collect();
        // An array of no rows has no first one.
        let list = if list.is_empty() { "NULL".to_owned() } else { list.join(", ") };
        return format!("(void *)({} {element}){{{list}}}", type_of(y));
    }
    match (y.passing(), y.rank) {
        (Passing::Value, 0) if y.has_attribute(callbacks::POINTER) => {
            let asked: String = callbacks::targets(y).map(|(n, name)| format!("{array}[0] == {n} ? {name} : ")).collect();
            format!("{asked}NULL")
        }
        (Passing::Value, 0) => format!("{array}[0]"),
        (_, 0 | 1) => array.to_owned(),
        _ => format!("(void *){array}"),
    }
}

/// A structure that is passed, at the first of its arguments; nothing for its other members.
fn structure(
    layout: &Layout,
    role: Role,
    i: usize,
    formal: SymbolId,
    passed: &mut Vec<(usize, char)>,
) -> Result<Option<Option<String>>, Diagnostic> {
    let program = layout.boosted;
    let member = structures::is_member(program, formal);
    let whole = if member { structures::structure_of(program, formal) } else { Some(formal) };
    let Some(whole) = whole.filter(|w| is_structure(program.symbol(*w))) else { return Ok(None) };
    let original = layout.slots[i].name.split('%').next().unwrap_or_default();
    let slot = layout.slots.iter().position(|s| structures::is_whole(layout, s) && s.name == original);
    let lost = || Diagnostic::warning("OB6064", format!("`{original}` is a structure that the compiled harness does not know"));
    let letter = if matches!(role, Role::Derivative(_)) { 't' } else { 's' };
    let key = (slot.ok_or_else(lost)?, letter);
    if passed.contains(&key) {
        return Ok(Some(None));
    }
    passed.push(key);
    let by_value = program.symbol(whole).passing() == Passing::Value;
    // A pointer to void is one to rows of directions, too.
    let rows = if letter == 't' && layout.directions().is_some() { "(void *)" } else { "" };
    Ok(Some(Some(format!("{rows}ob_h_{letter}{}{}", key.0, if by_value { "[0]" } else { "" }))))
}

fn call(o: &mut String, layout: &Layout, map: &Map) -> Result<(), Diagnostic> {
    let name = layout.boosted.unit_name(map.unit);
    let lost = || Diagnostic::warning("OB6064", format!("`{name}` has arguments that the compiled harness does not know"));
    let formals = &layout.boosted.unit(map.unit).formals;
    let mut list = Vec::new();
    let mut result = String::new();
    let mut behind = String::new();
    let directions = map.directions.as_ref();
    let formals = formals.get(directions.map_or(0, Directions::arguments_before)..).unwrap_or_default();
    list.extend(directions.filter(|d| d.argument.is_some()).map(|d| d.count.to_string()));
    let mut passed = Vec::new();
    for ((_, role), f) in map.roles.iter().zip(formals) {
        let i = layout.slot(*role).ok_or_else(lost)?;
        if let Some(text) = structure(layout, *role, i, f.symbol, &mut passed)? {
            list.extend(text);
            continue;
        }
        if !layout.slots[i].present {
            list.push("NULL".to_owned());
            continue;
        }
        let array = match role {
            Role::Primal(_) => format!("ob_h_w{i}"),
            Role::Derivative(_) => match directions {
                None => format!("ob_h_e{i}"),
                Some(d) => {
                    o.push_str(&spread(i, layout.slots[i].count, d));
                    behind.push_str(&first(i, layout.slots[i].count, d));
                    format!("ob_h_p{i}")
                }
            },
        };
        if f.result {
            result = format!("{array}[0] = ");
        } else {
            let many = directions.filter(|_| matches!(role, Role::Derivative(_))).map(|d| d.count);
            list.push(argument(layout.boosted.symbol(f.symbol), &layout.slots[i].shape, many, &array));
        }
    }
    let _ = writeln!(o, "      {result}{name}({});\n{behind}", list.join(", "));
    Ok(())
}

//! A driver in Fortran for a head.
//!
//! Units of modules come by USE. External units are called through interfaces written from the program, since some arguments need one. COMMON blocks
//! are declared as the units declare them. Lives here: text of Fortran. Never here: what the numbers mean (see
//! [`super::compiled`]).

use super::compiled::{Layout, Slot};
use super::engine::Map;
use super::harness_interfaces::{complex, external, interface, procedures, returned, type_of};
use overbar_booster::signature::Role;
use overbar_evaluate::directions::{Directions, FACTORS};
use overbar_evaluate::start;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use xaif::model::{BaseType, Passing, Storage, Symbol, SymbolId, UnitId};
use xaif::{Diagnostic, Program, open};

fn refuse(why: impl Into<String>) -> Diagnostic {
    Diagnostic::warning("OB6064", why)
}

/// The driver's text, and the names that modules must not keep to themselves for it.
///
/// # Errors
/// OB6064 for arguments and units that it cannot reach.
pub fn driver(layout: &Layout, records: bool) -> Result<(String, Names), Diagnostic> {
    let unit = layout.boosted.unit_named(layout.subject.program.unit_name(layout.subject.unit));
    let unit = unit.ok_or_else(|| refuse("the original is not in the boosted program"))?;
    let mut head = Head::default();
    head.reach_units(layout, unit)?;
    head.declare_structures(layout)?;
    head.declare_variables(layout)?;
    let mut o = String::from("program ob_h_driver\n");
    head.write(&mut o, records);
    request(&mut o, layout);
    o.push_str("  do ob_h_run = 1, 2\n");
    fresh_arguments(&mut o, layout);
    calls(&mut o, layout, unit)?;
    answer(&mut o, layout, records);
    o.push_str("  end do\n  close (ob_h_answer)\nend program ob_h_driver\n");
    Ok((o, head.private))
}

/// What stands before the driver's statements.
#[derive(Default)]
struct Head {
    /// Names by the modules that they come from.
    uses: BTreeMap<String, BTreeSet<String>>,
    /// Lines by the COMMON blocks that they declare.
    commons: BTreeMap<String, Vec<String>>,
    interfaces: String,
    declarations: String,
    /// Names by the modules to which they are private.
    private: Names,
}

/// Names by modules.
pub type Names = BTreeMap<String, BTreeSet<String>>;

impl Head {
    /// Makes the original, its derivative units and the variables that they share known.
    fn reach_units(&mut self, layout: &Layout, unit: UnitId) -> Result<(), Diagnostic> {
        let boosted = layout.boosted;
        let derived = layout.modes().map(|(.., map)| map.unit);
        for u in [unit].into_iter().chain(derived) {
            self.reach(boosted, u)?;
        }
        // Procedures that they get stand behind the driver.
        for u in boosted.unit_ids().filter(|&u| open::is_open(boosted.symbol(boosted.unit(u).symbol))) {
            let formals = boosted.unit(u).formals.iter().filter(|f| !f.result).map(|f| boosted.symbol(f.symbol).passing());
            let pure = boosted.unit(u).prefixes.iter().any(|w| w == "pure");
            if pure || formals.into_iter().any(|p| matches!(p, Passing::Descriptor | Passing::Value)) {
                interface(boosted, u, boosted.unit_name(u), &mut self.interfaces)?;
            } else {
                let _ = writeln!(self.interfaces, "  {}", external(boosted, boosted.unit(u).symbol)?);
            }
        }
        let program = layout.subject.program;
        for s in layout.slots.iter().filter(|s| s.formal.is_none()) {
            self.place_of(program, s.symbol, &s.name, layout)?;
        }
        for (name, companion) in layout.modes().flat_map(|(.., map)| &map.globals) {
            let symbol = boosted.symbol_ids().find(|&s| {
                boosted.symbol(s).name == companion.as_str() && !matches!(boosted.symbol(s).storage(), Storage::Local | Storage::Argument)
            });
            let symbol = symbol.ok_or_else(|| refuse(format!("the derivative of `{name}` is not in the boosted program")))?;
            self.place_of(boosted, symbol, companion, layout)?;
        }
        Ok(())
    }

    /// The module of a unit, or an interface for it.
    fn reach(&mut self, p: &Program, u: UnitId) -> Result<(), Diagnostic> {
        let unit = p.unit(u);
        let name = p.unit_name(u).to_owned();
        let parent = p.scope(unit.scope).parent;
        let host = p.unit_ids().find(|&h| Some(p.unit(h).scope) == parent && h != u);
        let Some(h) = host else { return interface(p, u, &name, &mut self.interfaces) };
        if !p.unit(h).is_container() {
            return Err(refuse(format!("`{name}` is an internal procedure, which no driver can call")));
        }
        let private = unit.prefixes.iter().any(|w| w == "private") || p.symbol(unit.symbol).has_attribute("private");
        self.import(p.unit_name(h), name, private);
        Ok(())
    }

    /// A name of a module, which may be private to it.
    fn import(&mut self, module: &str, name: String, private: bool) {
        if private {
            self.private.entry(module.to_owned()).or_default().insert(name.clone());
        }
        self.uses.entry(module.to_owned()).or_default().insert(name);
    }

    /// Where a global lives: a module, or a COMMON block, whose declarations are those of the first unit that has it.
    fn place_of(&mut self, p: &Program, symbol: SymbolId, name: &str, layout: &Layout) -> Result<(), Diagnostic> {
        let y = p.symbol(symbol);
        if let Storage::Common(block) = y.storage() {
            if self.commons.contains_key(block.as_str()) {
                return Ok(());
            }
            let mut lines = Vec::new();
            let mut members = Vec::new();
            for &m in &p.scope(y.scope).symbols {
                let z = p.symbol(m);
                if !matches!(z.storage(), Storage::Common(b) if b == block) {
                    continue;
                }
                let bounds = start::bounds(p, m).map_err(|f| Diagnostic::warning("OB6064", f.message))?;
                let slot = Slot {
                    symbol: m,
                    name: z.name.to_string(),
                    formal: None,
                    result: false,
                    shape: bounds.iter().map(|b| usize::try_from(*b).unwrap_or(0)).collect(),
                    count: 1,
                    base: z.ty.base,
                    length: 1,
                    present: true,
                    named: false,
                };
                lines.push(format!("{} :: {}{}", type_of(z, &slot)?, z.name, fixed(&slot)));
                members.push(z.name.to_string());
            }
            lines.push(format!("common /{block}/ {}", members.join(", ")));
            self.commons.insert(block.to_string(), lines);
            return Ok(());
        }
        let home = p.unit_ids().find(|&u| p.unit(u).scope == y.scope && p.unit(u).is_container());
        let home = home.ok_or_else(|| {
            Diagnostic::warning("OB6064", format!("no driver can reach the variable `{name}` of {}", layout.subject.describe()))
        })?;
        // A component comes with its structure.
        let whole = name.split('%').next().unwrap_or(name);
        self.import(p.unit_name(home), whole.to_owned(), y.has_attribute("private"));
        Ok(())
    }

    /// Structures that are passed, and those of their derivatives.
    fn declare_structures(&mut self, layout: &Layout) -> Result<(), Diagnostic> {
        for (i, s) in layout.slots.iter().enumerate().filter(|(_, s)| is_whole(s)) {
            let symbol = layout.subject.program.symbol(s.symbol);
            if let Some(ty) = complex(symbol) {
                let _ = writeln!(self.declarations, "  {ty}, save :: ob_h_s{i}{}, ob_h_t{i}{}", fixed(s), several(s, layout));
                continue;
            }
            let ty = structure(symbol);
            let ty = ty.ok_or_else(|| refuse(format!("`{}` has a type that no driver can declare", s.name)))?;
            let deep = |m: &Slot| m.name.split_once('%').is_some_and(|(w, _)| w == s.name) && m.shape.len() > s.shape.len();
            if !s.shape.is_empty() && layout.slots.iter().any(deep) {
                return Err(refuse(format!("`{}` is an array of structures with arrays in them", s.name)));
            }
            // Components without a value are the same in all runs.
            let _ = writeln!(self.declarations, "  type({ty}), save :: ob_h_s{i}{}, ob_h_t{i}{}", fixed(s), several(s, layout));
            self.uses.values_mut().take(1).for_each(|names| {
                names.insert(ty.clone());
            });
        }
        Ok(())
    }

    /// What is read, what is passed, and the same for derivatives.
    fn declare_variables(&mut self, layout: &Layout) -> Result<(), Diagnostic> {
        for (i, s) in layout.slots.iter().enumerate().filter(|(_, s)| s.present) {
            let y = layout.subject.program.symbol(s.symbol);
            let ty = type_of(y, s)?;
            // Allocatable and pointer arguments want an actual one of their kind.
            let kind = ["allocatable", "pointer"].into_iter().find(|a| y.has_attribute(a));
            for (letter, wanted) in [('v', true), ('w', true), ('d', s.named), ('e', s.named)] {
                if !wanted {
                    continue;
                }
                let moving = matches!(letter, 'w' | 'e') && kind.is_some();
                let attribute = if moving { format!(", {}", kind.unwrap_or_default()) } else { ", target".into() };
                let extents = if moving { open_extents(s) } else { fixed(s) };
                let _ = writeln!(self.declarations, "  {ty}{attribute} :: ob_h_{letter}{i}{extents}");
                if let Some(d) = layout.directions().filter(|_| letter == 'e') {
                    let all = side_by_side(s, d);
                    let extents = if moving { open_extents(&all) } else { fixed(&all) };
                    let _ = writeln!(self.declarations, "  {ty}{attribute} :: ob_h_p{i}{extents}");
                }
            }
        }
        Ok(())
    }

    fn write(&self, o: &mut String, records: bool) {
        for (module, names) in &self.uses {
            let _ = writeln!(o, "  use {module}, only: {}", names.iter().cloned().collect::<Vec<_>>().join(", "));
        }
        if records {
            o.push_str("  use overbar_runtime, only: overbar_stack_bytes\n");
        }
        o.push_str("  implicit none\n");
        o.push_str(&self.interfaces);
        o.push_str("  integer :: ob_h_mode, ob_h_run, ob_h_flag, ob_h_direction, ob_h_request, ob_h_answer\n");
        o.push_str(&self.declarations);
        for l in self.commons.values().flatten() {
            let _ = writeln!(o, "  {l}");
        }
    }
}

/// Reads the request.
fn request(o: &mut String, layout: &Layout) {
    // Standard input and output are the program's own.
    o.push_str("  open (newunit=ob_h_request, file='request', status='old', action='read')\n");
    o.push_str("  open (newunit=ob_h_answer, file='answer', status='replace', action='write')\n");
    o.push_str("  read (ob_h_request, *) ob_h_mode\n");
    for (i, s) in layout.slots.iter().enumerate().filter(|(_, s)| s.present && !s.result && s.count > 0) {
        read(o, &format!("ob_h_v{i}"), s, s.base);
    }
    for (i, _) in layout.slots.iter().enumerate().filter(|(_, s)| s.present && s.result) {
        let _ = writeln!(o, "  ob_h_v{i} = 0");
    }
    o.push_str("  if (ob_h_mode > 0) then\n");
    for (i, s) in layout.slots.iter().enumerate().filter(|(_, s)| s.present && s.named && s.count > 0) {
        read(o, &format!("ob_h_d{i}"), s, BaseType::Real);
    }
    o.push_str("  end if\n");
}

/// Gives all variables the values of the request, in each run anew.
fn fresh_arguments(o: &mut String, layout: &Layout) {
    for (i, s) in layout.slots.iter().enumerate().filter(|(_, s)| s.present) {
        let pointer = layout.subject.program.symbol(s.symbol).has_attribute("pointer");
        for (from, to, wanted) in [('v', 'w', true), ('d', 'e', s.named)] {
            if wanted {
                if pointer {
                    let _ = writeln!(o, "    if (ob_h_run == 1) allocate (ob_h_{to}{i}{})", fixed(s));
                }
                let _ = writeln!(o, "    ob_h_{to}{i} = ob_h_{from}{i}");
            }
        }
        if s.formal.is_none() {
            let _ = writeln!(o, "    {} = ob_h_w{i}", s.name);
        }
    }
}

/// Calls the unit that the request asks for.
fn calls(o: &mut String, layout: &Layout, original: UnitId) -> Result<(), Diagnostic> {
    for (_, number, map) in layout.modes() {
        let _ = writeln!(o, "    if (ob_h_mode == {number}) then");
        companions(o, layout, map, true);
        let roles: Vec<Role> = map.roles.iter().map(|r| r.1).collect();
        call(o, layout, map.unit, &roles, map.directions.as_ref())?;
        companions(o, layout, map, false);
        o.push_str("    end if\n");
    }
    o.push_str("    if (ob_h_mode == 0) then\n");
    let roles: Vec<Role> = (0..layout.boosted.unit(original).formals.len()).map(Role::Primal).collect();
    call(o, layout, original, &roles, None)?;
    o.push_str("    end if\n");
    Ok(())
}

/// Writes what came out.
fn answer(o: &mut String, layout: &Layout, records: bool) {
    for (i, s) in layout.slots.iter().enumerate().filter(|(_, s)| s.present) {
        if s.formal.is_none() {
            let _ = writeln!(o, "    ob_h_w{i} = {}", s.name);
        }
        print(o, &format!("ob_h_w{i}"), s, s.base);
    }
    o.push_str("    if (ob_h_mode > 0) then\n");
    for (i, s) in layout.slots.iter().enumerate().filter(|(_, s)| s.present && s.named) {
        print(o, &format!("ob_h_e{i}"), s, BaseType::Real);
    }
    o.push_str("    end if\n");
    o.push_str(if records { "    write (ob_h_answer, *) overbar_stack_bytes()\n" } else { "    write (ob_h_answer, *) 0\n" });
}

/// A structure, whose components are slots of their own.
fn is_whole(s: &Slot) -> bool {
    s.base == BaseType::Opaque && !s.present
}

/// Whether components of a structure are known to the driver.
fn has_components(layout: &Layout, i: usize) -> bool {
    let of = |s: &Slot| s.name.split_once('%').is_some_and(|(whole, _)| whole.eq_ignore_ascii_case(&layout.slots[i].name));
    layout.slots.iter().any(|s| s.present && of(s))
}

/// Whether an argument is the derivative of a component of a structure.
fn is_derivative_of_part(layout: &Layout, role: Role, whole: usize) -> bool {
    let part = matches!(role, Role::Derivative(_)).then(|| layout.slot(role)).flatten();
    let name = part.and_then(|k| layout.slots[k].name.split_once('%'));
    name.is_some_and(|(w, _)| w.eq_ignore_ascii_case(&layout.slots[whole].name))
}

/// The name of a structure's type: what stands in `type(...)` or `class(...)`.
fn structure(y: &Symbol) -> Option<String> {
    let text = y.decl.as_ref()?.type_text.to_ascii_lowercase();
    let inner = text.strip_prefix("type").or_else(|| text.strip_prefix("class"))?.trim();
    let name = inner.strip_prefix('(')?.strip_suffix(')')?.trim();
    (!name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')).then(|| name.to_owned())
}

/// The structure that a slot is, or is a component of.
fn whole_of(layout: &Layout, i: usize) -> Option<usize> {
    let s = &layout.slots[i];
    let name = s.name.split_once('%').map_or(s.name.as_str(), |(whole, _)| whole);
    layout.slots.iter().position(|w| is_whole(w) && w.name.eq_ignore_ascii_case(name))
}

/// Copies components to the structures that are passed, or back; their derivatives in all directions.
fn components(o: &mut String, layout: &Layout, directions: Option<&Directions>, inward: bool) {
    for (j, s) in layout.slots.iter().enumerate().filter(|(_, s)| s.present) {
        let Some((_, rest)) = s.name.split_once('%') else { continue };
        let Some(i) = whole_of(layout, j) else { continue };
        // The original has no derivatives.
        let derivatives = s.named && directions.is_some() == layout.directions().is_some();
        for (to, from, wanted) in [('s', 'w', true), ('t', 'e', derivatives)] {
            if let (Some(d), 't', true) = (directions, to, wanted) {
                let at = |k: &str| format!("ob_h_t{i}({k}{})%{rest}", ", :".repeat(layout.slots[i].shape.len()));
                o.push_str(&if inward { spread(&at, j, d) } else { first(&at, j, d) });
                continue;
            }
            let (part, own) = (format!("ob_h_{to}{i}%{rest}"), format!("ob_h_{from}{j}"));
            let pointer = layout.subject.program.symbol(s.symbol).has_attribute("pointer");
            let _ = match (wanted, inward) {
                (true, true) if pointer => writeln!(o, "      {part} => {own}"),
                (true, false) if pointer => Ok(()),
                (true, true) => writeln!(o, "      {part} = {own}"),
                (true, false) => writeln!(o, "      {own} = {part}"),
                _ => Ok(()),
            };
        }
    }
}

fn fixed(s: &Slot) -> String {
    if s.shape.is_empty() { String::new() } else { format!("({})", s.shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")) }
}

fn open_extents(s: &Slot) -> String {
    if s.shape.is_empty() { String::new() } else { format!("({})", vec![":"; s.shape.len()].join(", ")) }
}

/// Truth values are read as 0 and 1.
fn read(o: &mut String, name: &str, s: &Slot, base: BaseType) {
    let element = |k: usize| if s.shape.is_empty() { name.to_owned() } else { format!("{name}{}", position(s, k)) };
    match base {
        BaseType::Bool => {
            for k in 0..s.count {
                let _ = writeln!(o, "  read (ob_h_request, *) ob_h_flag\n  {} = ob_h_flag /= 0", element(k));
            }
        }
        _ => {
            let _ = writeln!(o, "  read (ob_h_request, *) {name}");
        }
    }
}

/// The subscripts of an element in memory order.
fn position(s: &Slot, mut k: usize) -> String {
    let mut out = Vec::new();
    for &n in &s.shape {
        out.push((k % n.max(1) + 1).to_string());
        k /= n.max(1);
    }
    format!("({})", out.join(", "))
}

fn print(o: &mut String, name: &str, s: &Slot, base: BaseType) {
    if s.count == 0 {
        return;
    }
    let _ = match base {
        BaseType::Real => writeln!(o, "    write (ob_h_answer, '(es32.20e4)') {name}"),
        BaseType::Bool => writeln!(o, "    write (ob_h_answer, '(i0)') merge(1, 0, {name})"),
        BaseType::Char | BaseType::String => writeln!(o, "    write (ob_h_answer, '(a)') repeat('x ', {})", s.count),
        _ => writeln!(o, "    write (ob_h_answer, '(i0)') {name}"),
    };
}

fn companions(o: &mut String, layout: &Layout, map: &Map, inward: bool) {
    for (name, companion) in &map.globals {
        if let Some(i) = layout.slots.iter().position(|s| s.formal.is_none() && s.name.eq_ignore_ascii_case(name)) {
            let all = format!("ob_h_p{i}");
            let _ = match (map.directions_of_shared(), inward) {
                (None, true) => writeln!(o, "      {companion} = ob_h_e{i}"),
                (None, false) => writeln!(o, "      ob_h_e{i} = {companion}"),
                (Some(d), true) => writeln!(o, "{}      {companion} = {all}", spread(&at(&layout.slots[i], i), i, d)),
                (Some(d), false) => write!(o, "      {all} = {companion}\n{}", first(&at(&layout.slots[i], i), i, d)),
            };
        }
    }
}

fn call(o: &mut String, layout: &Layout, unit: UnitId, roles: &[Role], directions: Option<&Directions>) -> Result<(), Diagnostic> {
    let p = layout.boosted;
    let mut list = Vec::new();
    let mut result = None;
    let mut absent = false;
    let mut behind = String::new();
    list.extend(directions.filter(|d| d.argument.is_some()).map(|d| d.count.to_string()));
    for (role, f) in roles.iter().zip(p.unit(unit).formals.iter().skip(list.len())) {
        let i = layout.slot(*role).ok_or_else(|| Diagnostic::warning("OB6064", "an argument is not known to the compiled harness"))?;
        if whole_of(layout, i).is_some_and(|whole| whole != i) {
            continue;
        }
        let optional = p.symbol(f.symbol).has_attribute("optional");
        if !layout.slots[i].present && (!is_whole(&layout.slots[i]) || optional && !has_components(layout, i)) {
            absent = true;
            continue;
        }
        let actual = match role {
            Role::Primal(_) if is_whole(&layout.slots[i]) => format!("ob_h_s{i}"),
            Role::Derivative(_) if is_whole(&layout.slots[i]) => format!("ob_h_t{i}"),
            Role::Primal(_) => format!("ob_h_w{i}"),
            Role::Derivative(_) => match directions {
                None => format!("ob_h_e{i}"),
                Some(d) => {
                    let s = &layout.slots[i];
                    if ["allocatable", "pointer"].into_iter().any(|a| p.symbol(f.symbol).has_attribute(a)) {
                        let _ = writeln!(o, "      if (ob_h_run == 1) allocate (ob_h_p{i}{})", fixed(&side_by_side(s, d)));
                    }
                    o.push_str(&spread(&at(s, i), i, d));
                    behind.push_str(&first(&at(s, i), i, d));
                    format!("ob_h_p{i}")
                }
            },
        };
        if f.result || returned(p, unit) == Some(f.symbol) {
            result = Some(actual);
            continue;
        }
        // Behind an absent argument the others go by their names.
        list.push(if absent { format!("{}={actual}", p.symbol(f.symbol).name) } else { actual });
        // The companion of a structure comes with it.
        if is_whole(&layout.slots[i]) && roles.iter().any(|r| is_derivative_of_part(layout, *r, i)) {
            if absent {
                return Err(refuse(format!("`{}` is a structure with derivatives that no driver can pass here", layout.slots[i].name)));
            }
            list.push(format!("ob_h_t{i}"));
        }
    }
    for (place, s) in procedures(p, unit) {
        list.insert(place.min(list.len()), p.symbol(s).name.to_string());
    }
    let arguments = list.join(", &\n        ");
    components(o, layout, directions, true);
    let _ = match result {
        Some(r) => writeln!(o, "      {r} = {}({arguments})", p.unit_name(unit)),
        None => writeln!(o, "      call {}({arguments})", p.unit_name(unit)),
    };
    components(o, layout, directions, false);
    o.push_str(&behind);
    Ok(())
}

/// What takes a derivative in all directions.
fn side_by_side(s: &Slot, directions: &Directions) -> Slot {
    let mut shape = s.shape.clone();
    shape.insert(0, directions.count);
    Slot { count: directions.count * s.count, shape, ..s.clone() }
}

/// The extents of what takes the derivative of a structure.
fn several(s: &Slot, layout: &Layout) -> String {
    layout.directions().map_or_else(|| fixed(s), |d| fixed(&side_by_side(s, d)))
}

/// One direction of a derivative.
fn at(s: &Slot, i: usize) -> impl Fn(&str) -> String {
    let rest = ", :".repeat(s.shape.len());
    move |direction| format!("ob_h_p{i}({direction}{rest})")
}

/// So many times the first direction is the one of a loop.
fn factor() -> String {
    format!("(-2d0)**mod(ob_h_direction - 1, {FACTORS})")
}

/// Puts a derivative in all directions.
fn spread(at: &impl Fn(&str) -> String, i: usize, directions: &Directions) -> String {
    let (one, factor) = (at("ob_h_direction"), factor());
    format!("      do ob_h_direction = 1, {}\n        {one} = {factor}*ob_h_e{i}\n      end do\n", directions.count)
}

/// Takes the first direction, or what no derivative is where another one is not what it must be.
fn first(at: &impl Fn(&str) -> String, i: usize, directions: &Directions) -> String {
    let (first, other, factor) = (at("1"), at("ob_h_direction"), factor());
    format!(
        "      ob_h_e{i} = {first}\n      do ob_h_direction = 2, {}\n        ob_h_e{i} = merge(ob_h_e{i}, huge(ob_h_e{i}), {other} == {factor}*ob_h_e{i})\n      \
         end do\n",
        directions.count
    )
}

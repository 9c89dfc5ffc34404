//! Texts without modules that are not there, and without the procedures that need them.
//!
//! A head may be checked with compiled code though other procedures of its files use modules that nobody gave. What the head does not come to is
//! left out where it needs such a module; what is still named of it gets a module in its place, whose procedures are not there.
//!
//! Lives here: which lines a check can do without; no line of a text moves. Never here: what the statements mean to derivatives.

use crate::outlined::{Module, Outline, Unit, Use, outline};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::Range;

/// Texts that need no module but their own, and one with the modules in the place of those that are not there.
pub struct Reduced {
    /// The texts, line by line those that were given.
    pub texts: Vec<String>,
    /// Modules that must be compiled before them.
    pub modules: String,
}

/// Names of a scope that are not there.
type Names = BTreeSet<String>;

/// Texts (whether they are in fixed form) without what `names` do not come to and what is not there; `given` are modules that are there besides. `None`
/// if nothing is missing.
pub fn reduced(texts: &[(&str, bool)], names: &Names, given: &dyn Fn(&str) -> bool, is_file: &dyn Fn(&str) -> bool) -> Option<Reduced> {
    let mut outlines: Vec<Outline> = texts.iter().map(|(text, fixed)| outline(text, *fixed)).collect();
    // Text that is not there: it costs the procedure or the module in which it is included.
    let mut blank: Vec<Vec<Range<usize>>> = Vec::new();
    for ((text, _), o) in texts.iter().zip(&mut outlines) {
        let lacks = |(k, line): (usize, &str)| included(line).is_some_and(|name| !is_file(name)).then_some(k);
        blank.push(text.lines().enumerate().filter_map(lacks).flat_map(|k| o.without_text(k)).collect());
    }
    let there: Names = outlines.iter().flat_map(|o| &o.modules).map(|m| m.name.clone()).collect();
    let is_missing = |m: &str| !there.contains(m) && !is_intrinsic(m) && !given(m);
    if blank.iter().all(Vec::is_empty) && !outlines.iter().flat_map(Outline::uses).any(|u| is_missing(&u.module)) {
        return None;
    }
    let all: Vec<Part> = outlines.iter().flat_map(parts).collect();
    let reached = closure(&outlines, &all, names);
    let removed = removed(&outlines, &all, &reached, &is_missing);
    let mut made = Reduced { texts: Vec::new(), modules: String::new() };
    let mut wanted: BTreeMap<String, BTreeMap<String, Role>> = BTreeMap::new();
    for (((text, fixed), o), gone) in texts.iter().zip(&outlines).zip(&blank) {
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        gone.iter().flat_map(Clone::clone).for_each(|l| {
            if included(&lines[l]).is_some_and(|name| !is_file(name)) {
                lines[l] = "\n".to_owned();
            }
            clear(&mut lines[l]);
        });
        for p in all.iter().filter(|p| std::ptr::eq(p.outline, o) && removed.contains(&p.key())) {
            p.unit.lines.clone().for_each(|l| clear(&mut lines[l]));
        }
        for m in &o.modules {
            let gone = gone_from(&removed, &m.name);
            m.lists.iter().for_each(|list| list.without(&gone, &mut lines, *fixed));
            let kept = m.kept_words(o, |u| !removed.contains(&(m.name.clone(), u.name.clone())));
            m.uses.iter().for_each(|u| replace(u, &kept, &is_missing, &removed, &mut lines, *fixed, &mut wanted));
        }
        for p in all.iter().filter(|p| std::ptr::eq(p.outline, o) && !removed.contains(&p.key())) {
            p.unit.uses.iter().for_each(|u| replace(u, &p.unit.roles, &is_missing, &removed, &mut lines, *fixed, &mut wanted));
        }
        made.texts.push(lines.concat());
    }
    for (module, names) in wanted {
        let _ = writeln!(made.modules, "module {module}\n  implicit none");
        names.iter().for_each(|(name, role)| made.modules.push_str(&role.declares(name)));
        let _ = writeln!(made.modules, "end module {module}");
    }
    Some(made)
}

/// What a name that is not there must be, by how it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// It stands in an expression.
    Value,
    /// It is the name of a type.
    Type,
    /// It is called.
    Subroutine,
}

impl Role {
    fn declares(self, name: &str) -> String {
        match self {
            Role::Value => format!("  integer :: {name} = 0\n"),
            Role::Type => format!("  type :: {name}\n  end type\n"),
            Role::Subroutine => format!("  external :: {name}\n"),
        }
    }
}

/// A procedure of a file or a module.
struct Part<'a> {
    outline: &'a Outline,
    module: Option<&'a Module>,
    unit: &'a Unit,
}

impl Part<'_> {
    /// The module and the name; external procedures are in the module without a name.
    fn key(&self) -> (String, String) {
        (self.module.map_or(String::new(), |m| m.name.clone()), self.unit.name.clone())
    }
}

fn parts(o: &Outline) -> Vec<Part<'_>> {
    o.units.iter().map(|unit| Part { outline: o, module: unit.module.map(|m| &o.modules[m]), unit }).collect()
}

/// Names to which some names lead, by everything that is called so.
fn closure(outlines: &[Outline], all: &[Part], names: &Names) -> Names {
    let mut leads: BTreeMap<&str, Vec<&BTreeMap<String, Role>>> = BTreeMap::new();
    all.iter().for_each(|p| leads.entry(&p.unit.name).or_default().push(&p.unit.roles));
    let named = outlines.iter().flat_map(|o| &o.modules).flat_map(|m| &m.named);
    named.for_each(|(name, words)| leads.entry(name).or_default().push(words));
    let mut out: Names = BTreeSet::new();
    let mut todo: Vec<&str> = names.iter().map(String::as_str).collect();
    while let Some(name) = todo.pop() {
        if out.insert(name.to_owned()) {
            todo.extend(leads.get(name).into_iter().flatten().flat_map(|w| w.keys()).map(String::as_str));
        }
    }
    out
}

/// The procedures that need what is not there, and that nobody needs.
fn removed(outlines: &[Outline], all: &[Part], reached: &Names, is_missing: &dyn Fn(&str) -> bool) -> BTreeSet<(String, String)> {
    let mut out: BTreeSet<(String, String)> = BTreeSet::new();
    loop {
        let before = out.len();
        // The names that each module lacks, and whether it lacks some that nobody lists.
        let lacks = |uses: &[Use], out: &BTreeSet<(String, String)>| -> (Names, bool) {
            let (mut names, mut blind) = (Names::new(), false);
            for u in uses {
                match &u.only {
                    Some(list) => names.extend(
                        list.iter()
                            .filter(|(_, of)| is_missing(&u.module) || out.contains(&(u.module.clone(), of.clone())))
                            .map(|n| n.0.clone()),
                    ),
                    None if is_missing(&u.module) => blind = true,
                    None => names.extend(gone_from(out, &u.module)),
                }
            }
            (names, blind)
        };
        for p in all.iter().filter(|p| !reached.contains(&p.unit.name)) {
            let (mut names, mut blind) = lacks(&p.unit.uses, &out);
            if let Some(m) = p.module {
                let (more, also) = lacks(&m.uses, &out);
                names.extend(more);
                names.extend(gone_from(&out, &m.name));
                blind |= also;
            }
            if blind || names.iter().any(|n| p.unit.roles.contains_key(n)) {
                out.insert(p.key());
            }
        }
        if out.len() == before || outlines.is_empty() {
            return out;
        }
    }
}

/// The names that a module has no more.
fn gone_from(removed: &BTreeSet<(String, String)>, module: &str) -> Names {
    removed.iter().filter(|(m, _)| m == module).map(|(_, n)| n.clone()).collect()
}

/// A USE statement without the names that are not there; what is needed of a missing module is asked for.
fn replace(
    u: &Use,
    words: &BTreeMap<String, Role>,
    is_missing: &dyn Fn(&str) -> bool,
    removed: &BTreeSet<(String, String)>,
    lines: &mut [String],
    fixed: bool,
    wanted: &mut BTreeMap<String, BTreeMap<String, Role>>,
) {
    let missing = is_missing(&u.module);
    let Some(list) = &u.only else {
        if missing {
            u.lines.clone().for_each(|l| clear(&mut lines[l]));
        }
        return;
    };
    let stays = |(local, of): &&(String, String)| {
        if missing { words.contains_key(local) } else { !removed.contains(&(u.module.clone(), of.clone())) }
    };
    let kept: Vec<&(String, String)> = list.iter().filter(stays).collect();
    if missing {
        for (local, of) in &kept {
            let role = words.get(local).copied().unwrap_or(Role::Value);
            let known = wanted.entry(u.module.clone()).or_default().entry(of.clone()).or_insert(role);
            *known = role.max(*known);
        }
    }
    if kept.len() < list.len() {
        let names: Vec<String> = kept.iter().map(|(local, of)| if local == of { of.clone() } else { format!("{local} => {of}") }).collect();
        let text = if names.is_empty() { String::new() } else { format!("use {}, only: {}", u.module, names.join(", ")) };
        rewrite(u.lines.clone(), &text, lines, fixed);
    }
}

/// Another statement in the place of one.
pub fn rewrite(at: std::ops::Range<usize>, text: &str, lines: &mut [String], fixed: bool) {
    at.clone().for_each(|l| clear(&mut lines[l]));
    let (first, next, longest) = if fixed { ("      ", "     & ", 72) } else { ("  ", "  ", 120) };
    let mut parts: Vec<String> = Vec::new();
    for item in text.split_inclusive(", ") {
        match parts.last_mut().filter(|p| p.len() + item.len() < longest) {
            Some(part) => part.push_str(item),
            None => parts.push(format!("{}{item}", if parts.is_empty() { first } else { next })),
        }
    }
    let last = parts.len().saturating_sub(1);
    for (k, part) in parts.iter().enumerate() {
        // There are as many lines as it takes: the list was longer before.
        let line = &mut lines[(at.start + k).min(at.end - 1)];
        let end = line.len() - usize::from(line.ends_with('\n'));
        line.insert_str(end, &format!("{}{}", part.trim_end(), if k < last && !fixed { " &" } else { "" }));
    }
}

/// A line without its text; what is for the preprocessor stays.
fn clear(line: &mut String) {
    if !line.starts_with('#') {
        *line = if line.ends_with('\n') { "\n".to_owned() } else { String::new() };
    }
}

/// The name in a directive that includes a file.
fn included(line: &str) -> Option<&str> {
    let rest = line.strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
    rest.strip_prefix('<').and_then(|r| r.split_once('>')).or_else(|| rest.strip_prefix('"').and_then(|r| r.split_once('"'))).map(|p| p.0)
}

fn is_intrinsic(module: &str) -> bool {
    module.starts_with("ieee_")
        || module.starts_with("omp_lib")
        || matches!(module, "iso_fortran_env" | "iso_c_binding" | "overbar_runtime")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, names: &[&str]) -> Reduced {
        let names = names.iter().map(|n| (*n).to_owned()).collect();
        reduced(&[(text, false)], &names, &|_| false, &|_| true).expect("something is missing")
    }

    #[test]
    fn what_needs_a_missing_module_and_is_not_needed_is_left_out() {
        let text = "module m\nuse kinds, only: wp, note\nuse other, only: grid\nprivate\npublic :: f, g\ninterface both\nmodule procedure f, g\nend interface\ncontains\n\
                    subroutine f(x)\nreal :: x\nif (x < 0) call note('x', wp)\nx = 2*x\nend subroutine\n\
                    subroutine g(x)\ntype(grid) :: x\nend subroutine g\n\
                    subroutine h(x)\nreal :: x(2)\ncall g(x)\nend subroutine\n\
                    real function k(x)\nreal :: x\nk = x\nend\nend module\n";
        let r = of(text, &["f"]);
        assert_eq!(r.texts[0].lines().count(), text.lines().count());
        let kept: Vec<&str> = r.texts[0].lines().filter(|l| !l.is_empty()).collect();
        let want = "module m|use kinds, only: wp, note|private|  public :: f|interface both|  module procedure f|end interface|contains|subroutine f(x)|\
                    real :: x|if (x < 0) call note('x', wp)|x = 2*x|end subroutine|real function k(x)|real :: x|k = x|end|end module";
        assert_eq!(kept.join("|"), want);
        assert_eq!(r.modules, "module kinds\n  implicit none\n  external :: note\n  integer :: wp = 0\nend module kinds\n");
    }

    #[test]
    fn text_that_is_not_there_costs_what_includes_it() {
        let text = "module a\ninterface i ; module procedure &\n  s\nend interface\n#include \"gone.h\"\ncontains\nsubroutine s\nend\nend module\nmodule b\nuse a, only: s, k\ncontains\nsubroutine f(x)\nif (x > 3) call s\n\
                    end\nsubroutine g\n# include <gone.h>\nend\nsubroutine h\ncall g\n#include \"there.h\"\nend\nend module\n";
        let names = BTreeSet::from(["f".to_owned()]);
        let r = reduced(&[(text, false)], &names, &|_| false, &|name| name == "there.h").expect("something is missing");
        let kept: Vec<&str> = r.texts[0].lines().filter(|l| !l.is_empty()).collect();
        assert_eq!(
            kept.join("|"),
            "module b|  use a, only: s|contains|subroutine f(x)|if (x > 3) call s|end|#include \"there.h\"|end module"
        );
        assert_eq!(r.modules, "module a\n  implicit none\n  external :: s\nend module a\n");
    }

    #[test]
    fn long_lists_stay_in_their_lines() {
        let names: Vec<String> = (0..30).map(|k| format!("a_long_name_{k}")).collect();
        let text = format!(
            "module m\nuse gone, only: x\npublic :: {}, &\n  {}, &\n{}, f\ncontains\nsubroutine f\nx=1\nend\nend\n",
            names[..8].join(", "),
            names[8..16].join(", "),
            names[16..].join(", ")
        );
        let r = of(&text, &["g"]);
        assert!(r.texts[0].lines().count() == text.lines().count() && r.texts[0].lines().take(4).all(|l| l.len() < 132), "{}", r.texts[0]);
        assert!(r.texts[0].contains("a_long_name_29") && !r.texts[0].contains(", f"));
    }

    #[test]
    fn nothing_is_touched_where_all_modules_are_there() {
        let text = "module a\nend module\nmodule b\nuse a\nuse, intrinsic :: iso_fortran_env, only: real64\nuse c\nend module\n";
        assert!(reduced(&[(text, false)], &BTreeSet::new(), &|m| m == "c", &|_| true).is_none());
    }

    #[test]
    fn fixed_form_and_procedures_outside_of_modules() {
        let text = "      subroutine f(x)\n      use gone, only: a,\n     &                b\nc     a comment\n      x = a\n      end\n      subroutine g(x)\n      use gone\n      x = b\n      end\n";
        let names = BTreeSet::from(["f".to_owned()]);
        let r = reduced(&[(text, true)], &names, &|_| false, &|_| true).expect("something is missing");
        assert_eq!(r.texts[0], "      subroutine f(x)\n      use gone, only: a\n\nc     a comment\n      x = a\n      end\n\n\n\n\n");
        assert_eq!(r.modules, "module gone\n  implicit none\n  integer :: a = 0\nend module gone\n");
    }
}

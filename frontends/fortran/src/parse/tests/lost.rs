//! Text that is not understood costs those who need it, and nobody else.

use super::*;

/// Which units a text has, and why others are left out: code, line.
fn kept(text: &str) -> (Vec<String>, Vec<(&'static str, u32)>) {
    let (p, warnings) = form(text, false).unwrap_or_else(|d| panic!("{}", lines(&d)));
    let units = p.unit_ids().filter(|&u| !p.unit(u).is_container()).map(|u| p.unit_name(u).to_owned()).collect();
    (units, warnings.iter().map(|d| (d.code, d.location.as_ref().map_or(0, |l| l.line))).collect())
}

#[test]
fn a_statement_costs_its_procedure() {
    let text = "module m\nreal(8) :: a\ncontains\nsubroutine s(x)\nreal(8) :: x\nx = ) 1\nif (x then\nend subroutine\nsubroutine t(x)\n\
                real(8) :: x\nx = a*x\ncontains\nfunction f(y)\nreal(8) :: f, y\nf = y*y\nend function\nend subroutine t\nend module m\n\
                subroutine g(x, @)\nend subroutine\nsubroutine u(x)\nreal(8) :: x\nx = 2*x\nend\n";
    let (units, why) = kept(text);
    assert_eq!(units, ["t", "f", "u"]);
    assert!(why.contains(&("OB3001", 6)), "{why:?}");
    assert!(why.iter().all(|w| !(9..=17).contains(&w.1)), "{why:?}");
}

#[test]
fn a_declaration_of_a_module_costs_those_who_name_it() {
    let text = "module m\nreal(8) :: a\nreal(8), odd(1) :: b = 2\nreal(8) :: c(size(d))\ntype, odd :: t\nend type\ncontains\n\
                subroutine s(x)\nreal(8) :: x\nx = a*x\nend subroutine\nsubroutine t1(x)\nreal(8) :: x\nx = b*x\nend subroutine\nend module\n\
                subroutine v(x)\nuse m\nreal(8) :: x\nx = b*x\nend\nsubroutine w(x)\nuse m, only: a\nreal(8) :: x\nx = a*x\nend\n";
    let (units, why) = kept(text);
    assert_eq!(units, ["s", "w"]);
    assert!(why.iter().filter(|w| w.1 == 3).count() >= 2, "{why:?}");
}

#[test]
fn directives_cost_what_lies_between_them() {
    let text = "module m\n#define RATE 2\n#ifdef A\nreal(8) :: p\n#endif\ncontains\nsubroutine s(x)\nreal(8) :: x\nx = 2*x\nend subroutine\n\
                #ifdef B\nsubroutine t(x)\nreal(8) :: x\nx = 3*x\nend subroutine\n#else\nsubroutine t(x)\nreal(8) :: x\nx = 4*x\nend subroutine\n#endif\n\
                subroutine u(x)\nreal(8) :: x\n#ifdef C\nx = 1\n#endif\nend subroutine\nsubroutine v(x)\nreal(8) :: x\nx = rate*x\nend subroutine\n\
                subroutine w(x)\nreal(8) :: x\nx = p*x\nend subroutine\nend module\n";
    let (units, why) = kept(text);
    assert_eq!(units, ["s"]);
    assert!(why.iter().all(|w| w.0 == "OB3003"), "{why:?}");
}

#[test]
fn only_what_is_asked_for_is_spoken_of() {
    let text = "subroutine s(x)\nreal(8) :: x\nx = = 1\nend\nsubroutine t(x)\nreal(8) :: x\nx = 2*x\nend\nsubroutine u(x)\nreal(8) :: x\ncall s(x)\nend\n";
    let said = |wanted: &str| {
        let options = ParseOptions { wanted: vec![wanted.into()], ..ParseOptions::default() };
        parse(&[SourceText { file: "t.f90", text }], &options).unwrap().1.len()
    };
    assert_eq!((said("t"), said("S"), said("u")), (0, 1, 1));
}

#[test]
fn kinds_that_are_values_of_constants_stay_known() {
    let text = "module m\nuse iso_fortran_env, only: wp => real64\nimplicit none\ninteger, parameter :: rk = wp\nreal(wp), parameter :: a = 2\ncontains\n\
                subroutine s(x)\nreal(wp) :: x\nx = a*x\nend subroutine\nend module\n";
    assert_eq!(kept(text).0, ["s"]);
}

#[test]
fn an_included_file_that_is_not_there_costs_those_around_it() {
    let text = "module m\nreal(8) :: a\ncontains\nsubroutine s(x)\nreal(8) :: x\ninclude 'absent.inc'\nx = a*x\nend subroutine\n\
                subroutine t(x)\nreal(8) :: x\nx = a*x\nend subroutine\nend module\nsubroutine u(x)\nreal(8) :: x\ncall s(x)\nend\n";
    let (units, why) = kept(text);
    assert_eq!(units, ["t", "u"]);
    assert!(why.contains(&("OB3004", 6)), "{why:?}");
    // Of what it says for a whole module nothing is known.
    let lost = codes(&text.replace("real(8) :: a\n", "include 'absent.inc'\n"));
    assert!(!lost.is_empty() && lost.iter().all(|c| c.starts_with("OB3004")), "{lost:?}");
}

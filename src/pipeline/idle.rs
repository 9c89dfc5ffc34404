//! Options that do nothing for the input at hand. Whoever gives one expects something of it: that is an error of usage.
//!
//! Lives here: which option can apply to which kind of input or request. Never here: what options do.

use crate::arguments::{
    Accumulation, Certifying, Checker, Checkpointing, Derivatives, Language, Preaccumulate, Reading, Reversal, Spot, Trial,
};
use crate::pipeline::{extension, is_source};
use std::path::Path;
use xaif::Diagnostic;

/// What an input is, as far as options go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// C.
    C,
    /// Fortran, and whether the name of a file asks for the preprocessor.
    Fortran {
        /// It does.
        preprocessed: bool,
    },
    /// A document.
    Xaif,
}

/// An option that does nothing, by its long name, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idle {
    /// Its long name.
    pub option: &'static str,
    /// Why.
    pub why: &'static str,
}

/// Gathers options that were given and do nothing.
struct Found(Vec<Idle>);

impl Found {
    fn note(&mut self, given: bool, option: &'static str, why: &'static str) {
        if given && self.0.iter().all(|i| i.option != option) {
            self.0.push(Idle { option, why });
        }
    }
}

/// What files are. `language` is the one that they are read in; none: they are a document.
pub fn kind<'a>(files: impl IntoIterator<Item = &'a Path>, language: Option<Language>) -> Kind {
    match language {
        None => Kind::Xaif,
        Some(Language::C) => Kind::C,
        Some(Language::Fortran) => {
            let preprocessed = files.into_iter().any(|f| is_source(f) && extension(f).starts_with('F'));
            Kind::Fortran { preprocessed }
        }
    }
}

/// Options of reading that C alone has.
fn of_c(a: &Reading) -> [(bool, &'static str); 4] {
    [
        (!a.undefine.is_empty(), "undefine"),
        (!a.include_first.is_empty(), "include-first"),
        (a.std.is_some(), "std"),
        (a.compile_commands.is_some(), "compile-commands"),
    ]
}

/// Options of reading.
pub fn reading(a: &Reading, kind: Kind) -> Vec<Idle> {
    let mut out = Found(Vec::new());
    let (include, define) = (!a.include.is_empty(), !a.define.is_empty());
    // --no-preprocessor promises what is kept without it, too: it may always be said.
    match kind {
        Kind::Xaif => {
            let why = "the input is XAIF, not source text";
            out.note(include, "include", why);
            out.note(define, "define", why);
            out.note(a.fixed_form, "fixed-form", why);
            out.note(a.free_form, "free-form", why);
            out.note(a.cpp, "cpp", why);
            out.note(a.explain_all, "explain-all", why);
            out.note(!a.extent.is_empty(), "extent", "a document has the extents that `frontend` or `boost` was given");
            of_c(a).into_iter().for_each(|(given, option)| out.note(given, option, why));
        }
        Kind::C => {
            out.note(a.cpp, "cpp", "C is always preprocessed");
            let why = "C has no source forms";
            out.note(a.fixed_form, "fixed-form", why);
            out.note(a.free_form, "free-form", why);
        }
        Kind::Fortran { preprocessed } => {
            of_c(a).into_iter().for_each(|(given, option)| out.note(given, option, "it is for files of C"));
            let why = "the preprocessor runs only for Fortran files whose extension begins with F, unless --cpp is given";
            out.note(define && !preprocessed && !a.cpp, "define", why);
            out.note(define && a.no_preprocessor, "define", "without a preprocessor Fortran has no macros");
        }
    }
    out.0
}

const STOCK: &str = "derivatives in the openad dialect have a form of their own";
const NO_ADJOINTS: &str = "no adjoints are made";
const NO_TANGENTS: &str = "no tangents are made";

/// Options of derivatives that are made in the stock form, or not, of a program in this language, where that is known.
pub fn derivatives(a: &Derivatives, stock: bool, language: Option<Language>) -> Vec<Idle> {
    let mut out = Found(adjoints([a.zero_init, a.may_overlap, a.with_values], a.reversal, &a.accumulation, stock, language));
    let tangent_names = [(!a.tangent_suffix.is_empty(), "tangent-suffix"), (a.tangent_variable_suffix != "d", "tangent-variable-suffix")];
    let adjoint_names = [(!a.adjoint_suffix.is_empty(), "adjoint-suffix"), (a.adjoint_variable_suffix != "b", "adjoint-variable-suffix")];
    if stock {
        tangent_names.into_iter().chain(adjoint_names).for_each(|(given, option)| out.note(given, option, STOCK));
        out.note(a.rules.is_some(), "rules", STOCK);
        out.note(a.explain.is_some(), "explain", STOCK);
        out.note(a.stats.is_some(), "stats", STOCK);
    }
    if !a.adjoint {
        out.note(a.zero_init, "zero-init", NO_ADJOINTS);
        out.note(a.with_values, "with-values", NO_ADJOINTS);
        out.note(a.reversal.is_some(), "reversal", NO_ADJOINTS);
        out.note(a.stats.is_some(), "stats", NO_ADJOINTS);
        out.note(given(&a.checkpointing), "checkpoint", NO_ADJOINTS);
        adjoint_names.into_iter().for_each(|(given, option)| out.note(given, option, NO_ADJOINTS));
    }
    if !a.tangent {
        tangent_names.into_iter().for_each(|(given, option)| out.note(given, option, NO_TANGENTS));
    }
    out.0
}

fn given(a: &Checkpointing) -> bool {
    !a.checkpoint.is_empty()
}

/// Options of how adjoints are made, where both modes are.
pub fn adjoints(
    [zero_init, may_overlap, with_values]: [bool; 3],
    reversal: Option<Reversal>,
    a: &Accumulation,
    stock: bool,
    language: Option<Language>,
) -> Vec<Idle> {
    let mut out = Found(Vec::new());
    out.note(may_overlap && language == Some(Language::Fortran), "may-overlap", "in Fortran arguments that are set overlap nothing");
    if stock {
        out.note(zero_init, "zero-init", STOCK);
        out.note(may_overlap, "may-overlap", STOCK);
        out.note(with_values, "with-values", STOCK);
        out.note(reversal.is_some(), "reversal", STOCK);
        out.note(a.inline.is_some(), "inline", STOCK);
        out.note(a.passes.is_some(), "passes", STOCK);
    }
    if a.preaccumulate == Preaccumulate::Never {
        let why = "with --preaccumulate never nothing is eliminated";
        out.note(a.order.is_some(), "order", why);
        out.note(a.search.is_some(), "search", why);
    }
    out.0
}

/// Options of certifying derivatives before they are written, in this language; `stock`: in the stock form.
pub fn certifying(a: &Certifying, spot: &Spot, language: Language, stock: bool) -> Vec<Idle> {
    let mut out = Found(Vec::new());
    out.note(
        stock && a.certificate == Checker::Both,
        "certificate",
        "derivatives in the openad dialect are checked in the interpreter only",
    );
    if a.certificate == Checker::None {
        let why = "with --certificate none nothing is checked";
        out.note(a.require_certificate, "require-certificate", why);
        out.note(a.certify_budget != overbar::verify::made::BUDGET, "certify-budget", why);
        out.note(spot.input.is_some(), "input", why);
    }
    let compiled = a.certificate == Checker::Both;
    let why = if compiled { "no compiler of that language is needed" } else { "nothing is compiled without --certificate both" };
    out.note(spot.compilers.cc.is_some() && (!compiled || language == Language::Fortran), "cc", why);
    out.note(spot.compilers.fc.is_some() && (!compiled || language == Language::C), "fc", why);
    out.0
}

/// Options of checking derivatives of a program in this language; `compiled`: also compiled.
pub fn trial(a: &Trial, language: Language, compiled: bool) -> Vec<Idle> {
    let mut out = Found(Vec::new());
    let why = if compiled { "no compiler of that language is needed" } else { "nothing is compiled" };
    out.note(a.cc.is_some() && (!compiled || language == Language::Fortran), "cc", why);
    out.note(a.fc.is_some() && (!compiled || language == Language::C), "fc", why);
    out.0
}

/// The same where nothing is checked.
pub fn unchecked(a: &Trial) -> Vec<Idle> {
    let mut out = Found(Vec::new());
    let options = [
        (a.input.is_some(), "input"),
        (a.cc.is_some(), "cc"),
        (a.fc.is_some(), "fc"),
        (a.seed != 1, "seed"),
        (a.steps.is_some(), "steps"),
        (a.zero_start, "zero-start"),
    ];
    options.into_iter().for_each(|(given, option)| out.note(given, option, "no certificate is asked for"));
    out.0
}

/// Options that do nothing without some other one.
pub fn without(list: &[(bool, &'static str, &'static str)]) -> Vec<Idle> {
    let mut out = Found(Vec::new());
    list.iter().for_each(|&(given, option, why)| out.note(given, option, why));
    out.0
}

/// What is wrong with them.
pub fn refused(found: impl IntoIterator<Item = Idle>) -> Vec<Diagnostic> {
    let told = |i: Idle| Diagnostic::error("OB0133", format!("--{} does nothing here", i.option)).because(i.why).help("leave it out");
    found.into_iter().map(told).collect()
}

/// Those that do nothing for any of many inputs for which they are given: each input with its options as words.
pub fn everywhere<'a>(inputs: impl IntoIterator<Item = (&'a [String], Vec<Idle>)>) -> Vec<Idle> {
    let mut out: Vec<Idle> = Vec::new();
    let mut useful: Vec<String> = Vec::new();
    for (words, idle) in inputs {
        for w in words {
            let name = w.trim_start_matches('-').split('=').next().unwrap_or_default();
            if idle.iter().all(|i| i.option != name) && !useful.iter().any(|u| u == name) {
                useful.push(name.to_owned());
            }
        }
        out.extend(idle);
    }
    let mut seen: Vec<&'static str> = Vec::new();
    out.retain(|i| {
        let first = !seen.contains(&i.option);
        seen.push(i.option);
        first && !useful.iter().any(|u| u == i.option)
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_helps_one_input_is_no_error_for_many() {
        let words = |l: &[&str]| l.iter().map(|w| w.to_string()).collect::<Vec<_>>();
        let idle = |option| Idle { option, why: "" };
        let (a, b) = (words(&["--define=N=3", "--free-form"]), words(&["--define=N=3", "--adjoint"]));
        let found = everywhere([(&a[..], vec![idle("free-form"), idle("define")]), (&b[..], Vec::new())]);
        assert_eq!(found, [idle("free-form")]);
    }

    #[test]
    fn the_preprocessor_goes_by_names() {
        let fortran = |name: &str| kind([Path::new(name)], Some(Language::Fortran));
        assert_eq!(fortran("a.F90"), Kind::Fortran { preprocessed: true });
        assert_eq!(fortran("F.f90"), Kind::Fortran { preprocessed: false });
        assert_eq!(kind([Path::new("a.xaif")], None), Kind::Xaif);
    }
}

//! The refusals of this back end: one function for each code.
//!
//! Lives here: codes and their words. Never here: the decision that something is refused.

use xaif::Diagnostic;
use xaif::diagnostic::Location;
use xaif::model::{Program, Span};

fn place(program: &Program, span: Span) -> Option<Location> {
    program.location(span)
}

/// OB5050: something that Fortran cannot say.
pub fn no_counterpart(program: &Program, span: Span, what: impl std::fmt::Display, reason: &str) -> Diagnostic {
    Diagnostic::error("OB5050", format!("{what} has no counterpart in Fortran"))
        .at(place(program, span))
        .because(reason)
        .help("rewrite it in the original, or write the program back in its own language")
}

/// OB5051: an operation that the catalogue does not list and whose Fortran name is not known.
pub fn unknown_operation(program: &Program, span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("OB5051", format!("the operation `{name}` has no known name in Fortran"))
        .at(place(program, span))
        .help("write it with operations of the catalogue (`overbar intrinsics` lists them)")
}

/// OB5052: an opaque statement in another language.
pub fn foreign_text(program: &Program, span: Span, text: &str) -> Diagnostic {
    Diagnostic::error("OB5052", format!("the statement `{text}` is kept as text of another language"))
        .at(place(program, span))
        .because("statements without derivatives pass through verbatim, so they go back to their own language only")
        .help("remove the statement, or write the program back in its own language")
}

/// OB5053: statements that only the stock tools understand.
pub fn stock_only(program: &Program, span: Span, what: &str) -> Diagnostic {
    Diagnostic::error("OB5053", format!("{what} belongs to the openad dialect and cannot be written as Fortran"))
        .at(place(program, span))
        .help("boost with the overbar dialect (the default)")
}

/// OB5054: an expression that must be evaluated under a condition, where no statement can be put before it.
pub fn conditional_value(program: &Program, span: Span, why: &str) -> Diagnostic {
    Diagnostic::error("OB5054", "an operand that must be evaluated only under a condition cannot be written here")
        .at(place(program, span))
        .because(why)
        .help("write the choice as IF blocks in the original")
}

/// OB5055: an expression too large or too deep to be written.
pub fn too_large(program: &Program, span: Span, what: &str) -> Diagnostic {
    Diagnostic::error("OB5055", format!("{what} is too large or nests too deeply to be written as Fortran"))
        .at(place(program, span))
        .help("split the statement in the original")
}

/// OB5056: a name of the program hides an intrinsic that the code needs.
pub fn hidden_intrinsic(program: &Program, span: Span, name: &str, unit: &str) -> Diagnostic {
    Diagnostic::error("OB5056", format!("`{name}` hides the intrinsic of that name, which `{unit}` needs"))
        .at(place(program, span))
        .help(format!("rename `{name}` in the original"))
}

/// OB5057: derivative code has no place in the user's text.
pub fn no_place(program: &Program, span: Span, unit: &str, why: &str) -> Diagnostic {
    Diagnostic::error("OB5057", format!("there is no place for `{unit}` in the original text"))
        .at(place(program, span))
        .because(why)
        .help("put every END statement on a line of its own")
}

/// OB5058: source files of several languages or forms that would have to become one file.
pub fn mixed_sources(a: &str, b: &str) -> Diagnostic {
    Diagnostic::error("OB5058", format!("`{a}` and `{b}` do not have the same source form and cannot become one file"))
        .help("translate the files one by one")
}

/// OB5059: `--no-primal` code cannot reach what it needs.
pub fn not_reachable(program: &Program, span: Span, name: &str, unit: &str, why: &str) -> Diagnostic {
    Diagnostic::error("OB5059", format!("`{unit}` needs `{name}`, which code beside the original cannot reach"))
        .at(place(program, span))
        .because(why)
        .help("leave out --no-primal, so that the derivatives stand beside the original, or make the entity public")
}

/// OB5063: derivative code must keep or bring back what a module hides.
pub fn hidden_state(program: &Program, span: Span, name: &str, why: String, help: String) -> Diagnostic {
    Diagnostic::error("OB5063", format!("derivative code outside of its module needs `{name}`"))
        .at(place(program, span))
        .because(why)
        .help(help)
}

/// OB5062: an internal procedure is called from outside its host.
pub fn internal_elsewhere(program: &Program, span: Span, callee: &str, host: &str, caller: &str) -> Diagnostic {
    Diagnostic::error("OB5062", format!("`{caller}` calls `{callee}`, which is internal to `{host}`"))
        .at(place(program, span))
        .because("an internal procedure can be called inside its host only")
        .help(format!("make `{callee}` a module procedure or an external one, with what it needs of `{host}` as arguments"))
}

/// OB5060: a value that the run-time support does not record.
pub fn not_recordable(program: &Program, span: Span, what: &str) -> Diagnostic {
    Diagnostic::error("OB5060", format!("{what} cannot be recorded"))
        .at(place(program, span))
        .because("the run-time module records reals of 32, 64 and 128 bits, integers of 32 and 64 bits, default logicals and text")
        .help("use one of these types")
}

/// OB5061: a program that is no program (a unit without a graph, a reference to nothing).
pub fn malformed(program: &Program, span: Span, what: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::error("OB5061", format!("the program is malformed: {what}"))
        .at(place(program, span))
        .help("check it with `overbar validate`")
}

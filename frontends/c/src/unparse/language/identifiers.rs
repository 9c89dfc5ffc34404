//! Words that C keeps for itself, and names that printed code needs for the library.
//!
//! Lives here: the tables. Never here: which name a symbol gets (see `facts/names.rs`).

use rustc_hash::FxHashSet;

const KEYWORDS: [&str; 46] = [
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "_Alignas",
    "_Alignof",
    "_Atomic",
    "_Bool",
    "_Complex",
    "_Generic",
    "_Imaginary",
    "_Noreturn",
    "_Static_assert",
    "_Thread_local",
    "asm",
    "typeof",
];

/// Functions and macros of the library that printed code may use; each of the math functions also with `f` and `l` behind it.
const MATH: [&str; 38] = [
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh", "erf", "erfc", "exp", "exp2",
    "expm1", "fabs", "fdim", "floor", "fma", "fmax", "fmin", "fmod", "hypot", "lgamma", "log", "log10", "log1p", "log2", "lround", "pow",
    "rint", "round", "sin", "sinh", "sqrt", "tan",
];

const OTHER: [&str; 38] = [
    "tanh",
    "tanhf",
    "tanhl",
    "tgamma",
    "tgammaf",
    "tgammal",
    "trunc",
    "truncf",
    "truncl",
    "llround",
    "isnan",
    "isinf",
    "isfinite",
    "abs",
    "labs",
    "llabs",
    "malloc",
    "calloc",
    "free",
    "abort",
    "exit",
    "memset",
    "memcpy",
    "fprintf",
    "stderr",
    "size_t",
    "NULL",
    "NAN",
    "INFINITY",
    "DBL_EPSILON",
    "FLT_EPSILON",
    "DBL_MIN",
    "FLT_MIN",
    "DBL_MAX",
    "FLT_MAX",
    "INT_MAX",
    "HUGE_VAL",
    "main",
];

/// Functions of the library that only units need that call one of them; each also with `f` and `l` behind it.
pub(crate) const BESSEL: [&str; 6] = ["j0", "j1", "jn", "y0", "y1", "yn"];

/// What the library or the compiler has at file scope beside the headers of `library_names`.
pub(crate) const BESIDE_HEADERS: [&str; 3] = ["pow10", "signal", "time"];

/// What names of the run-time support begin with.
pub(crate) const RUNTIME_PREFIX: &str = "ob_";

pub(crate) fn reserved() -> &'static FxHashSet<String> {
    static SET: std::sync::OnceLock<FxHashSet<String>> = std::sync::OnceLock::new();
    SET.get_or_init(|| {
        let mut set: FxHashSet<String> = KEYWORDS.iter().chain(&OTHER).map(|s| s.to_string()).collect();
        for m in MATH {
            set.extend([m.to_string(), format!("{m}f"), format!("{m}l")]);
        }
        set
    })
}

/// True for what C or printed code has that name for.
pub(crate) fn is_reserved(name: &str) -> bool {
    reserved().contains(name)
}

/// True for a word that C keeps for itself.
pub(crate) fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name)
}

//! What is known of names that the text does not define: macros of standard headers, of compilers, of the language.
//!
//! Lives here: the tables. Where they do not say, nobody here knows.

use crate::parse::language::math::builtin_macro;
use rustc_hash::FxHashSet;

/// Names that a compiler for C without options never defines.
const NEVER: [&str; 8] = ["__cplusplus", "_OPENMP", "_OPENACC", "__CUDACC__", "__HIPCC__", "__CUDA_ARCH__", "__OBJC__", "__ASSEMBLER__"];

/// Further macros of standard headers.
const OTHERS: [(&str, &[&str]); 8] = [
    ("math.h", &["isnan", "isinf", "isfinite", "isnormal", "signbit", "fpclassify", "isgreater", "isless"]),
    ("stdbool.h", &["true", "false", "bool"]),
    ("stddef.h", &["NULL", "offsetof"]),
    ("stdlib.h", &["NULL"]),
    ("stdio.h", &["NULL", "EOF", "stdin", "stdout", "stderr", "BUFSIZ", "SEEK_SET", "SEEK_CUR", "SEEK_END"]),
    ("string.h", &["NULL"]),
    ("assert.h", &["assert"]),
    ("errno.h", &["errno", "EDOM", "ERANGE"]),
];

/// How names of macros begin that standard headers reserve, or compilers define.
const RESERVED: [&str; 34] = [
    "_", "M_", "FP_", "MATH_", "HUGE_", "FLT", "DBL", "LDBL", "DEC", "INT", "UINT", "LONG", "ULONG", "LLONG", "ULLONG", "CHAR", "SCHAR",
    "UCHAR", "SHRT", "USHRT", "SIZE", "SSIZE", "PTRDIFF", "WCHAR", "SIG", "EXIT_", "RAND_", "SEEK_", "CLOCK", "TIME_", "FILENAME", "FOPEN",
    "unix", "linux",
];

/// The header that defines a macro whose value the front end knows.
fn home(name: &str) -> &'static str {
    match name {
        _ if name.starts_with("M_") => "math.h",
        "HUGE_VAL" | "INFINITY" | "NAN" => "math.h",
        _ if name.starts_with("DBL_") || name.starts_with("FLT_") => "float.h",
        "INT32_MAX" | "INT32_MIN" | "INT64_MAX" => "stdint.h",
        "EXIT_SUCCESS" | "EXIT_FAILURE" | "RAND_MAX" => "stdlib.h",
        _ => "limits.h",
    }
}

/// Whether one of these headers defines the macro.
pub(super) fn in_headers(name: &str, headers: &FxHashSet<&'static str>) -> bool {
    let known = builtin_macro(name).is_some() && headers.contains(home(name));
    known || OTHERS.iter().any(|(h, list)| headers.contains(h) && list.contains(&name))
}

/// Whether a name is defined; `None`: that is not known.
pub(super) fn is_defined(name: &str, headers: &FxHashSet<&'static str>) -> Option<bool> {
    if in_headers(name, headers) || matches!(name, "__STDC__" | "__STDC_VERSION__" | "__FILE__" | "__LINE__" | "__DATE__" | "__TIME__") {
        return Some(true);
    }
    // Without a header its macros are not there.
    let elsewhere = builtin_macro(name).is_some() || OTHERS.iter().any(|(_, list)| list.contains(&name));
    let error = headers.contains("errno.h") && name.starts_with('E') && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    let reserved = RESERVED.iter().any(|r| name.starts_with(r)) || error;
    if NEVER.contains(&name) || elsewhere || !reserved { Some(false) } else { None }
}

/// The value of a macro of a header as a whole number.
pub(super) fn value(name: &str, headers: &FxHashSet<&'static str>) -> Option<i128> {
    if name == "__STDC__" {
        return Some(1);
    }
    let (ty, text) = builtin_macro(name).filter(|_| headers.contains(home(name)))?;
    if ty.is_integer() { text.parse().ok() } else { None }
}

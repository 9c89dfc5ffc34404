//! The mathematical library: C names to the catalogue's.
//!
//! Lives here: the tables. Never here: how calls are translated.

use super::types::CType;
use MathResult::{Integer, Same};
use smol_str::{SmolStr, format_smolstr};
use xaif::catalogue::{Catalogue, PartialNode};

/// What a function of the mathematical library is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MathFunction {
    /// Name in the catalogue.
    pub op: &'static str,
    /// Number of arguments.
    pub arity: usize,
    /// Type of arguments (and result, unless it says otherwise).
    pub bits: u16,
    pub result: MathResult,
}

/// Type of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MathResult {
    /// As the arguments.
    Same,
    /// An integer of that width.
    Integer(u16),
}

/// Names for double; `f` and `l` behind them are float and long double.
const TABLE: [(&str, &str, usize, MathResult); 45] = [
    ("sin", "sin_scal", 1, Same),
    ("cos", "cos_scal", 1, Same),
    ("tan", "tan_scal", 1, Same),
    ("asin", "arcsin_scal", 1, Same),
    ("acos", "arccos_scal", 1, Same),
    ("atan", "arctan_scal", 1, Same),
    ("atan2", "arctan2_scal_scal", 2, Same),
    ("sinh", "sinh_scal", 1, Same),
    ("cosh", "cosh_scal", 1, Same),
    ("tanh", "tanh_scal", 1, Same),
    ("asinh", "arcsinh_scal", 1, Same),
    ("acosh", "arccosh_scal", 1, Same),
    ("atanh", "arctanh_scal", 1, Same),
    ("exp", "exp_scal", 1, Same),
    ("exp2", "exp2_scal", 1, Same),
    ("expm1", "expm1_scal", 1, Same),
    ("log", "ln_scal", 1, Same),
    ("log10", "log10", 1, Same),
    ("log2", "log2_scal", 1, Same),
    ("log1p", "log1p_scal", 1, Same),
    ("sqrt", "sqrt_scal", 1, Same),
    ("cbrt", "cbrt_scal", 1, Same),
    ("hypot", "hypot_scal_scal", 2, Same),
    ("pow", "pow_scal_scal", 2, Same),
    ("fabs", "abs_scal", 1, Same),
    ("fmin", "min_scal_scal", 2, Same),
    ("fmax", "max_scal_scal", 2, Same),
    ("fdim", "dim_scal_scal", 2, Same),
    ("fma", "fma_scal_scal_scal", 3, Same),
    ("fmod", "mod_scal_scal", 2, Same),
    ("copysign", "sign_scal_scal", 2, Same),
    ("erf", "erf_scal", 1, Same),
    ("erfc", "erfc_scal", 1, Same),
    ("tgamma", "gamma_scal", 1, Same),
    ("lgamma", "lgamma_scal", 1, Same),
    ("floor", "floor_scal", 1, Same),
    ("ceil", "ceil_scal", 1, Same),
    ("round", "round_scal", 1, Same),
    ("trunc", "trunc_scal", 1, Same),
    ("rint", "rint_scal", 1, Same),
    ("nearbyint", "rint_scal", 1, Same),
    ("roundeven", "rint_scal", 1, Same),
    ("logb", "logb_scal", 1, Same),
    ("lround", "nint_scal", 1, Integer(64)),
    ("llround", "nint_scal", 1, Integer(64)),
];

/// Functions whose names ISO C leaves to programs: they are meant only where a header has declared them.
const BESSEL: [(&str, &str, usize); 6] = [
    ("j0", "bessel_j0_scal", 1),
    ("j1", "bessel_j1_scal", 1),
    ("jn", "bessel_jn_scal_scal", 2),
    ("y0", "bessel_y0_scal", 1),
    ("y1", "bessel_y1_scal", 1),
    ("yn", "bessel_yn_scal_scal", 2),
];

/// Truth values; glibc's macros expand to the second names.
const CLASSES: [(&str, &str); 14] = [
    ("isnan", "isnan_scal"),
    ("__builtin_isnan", "isnan_scal"),
    ("isinf", "isinf_scal"),
    ("__builtin_isinf", "isinf_scal"),
    ("__builtin_isinf_sign", "isinf_scal"),
    ("isfinite", "isfinite_scal"),
    ("__builtin_isfinite", "isfinite_scal"),
    ("finite", "isfinite_scal"),
    ("isnanf", "isnan_scal"),
    ("isinff", "isinf_scal"),
    ("isnanl", "isnan_scal"),
    ("isinfl", "isinf_scal"),
    ("finitef", "isfinite_scal"),
    ("finitel", "isfinite_scal"),
];

/// The function of that name.
pub(crate) fn function(name: &str) -> Option<MathFunction> {
    let name = name.strip_prefix("__builtin_").filter(|n| !n.starts_with("is")).unwrap_or(name);
    let entry = |n: &str| TABLE.iter().find(|(t, op, ..)| *t == n && !op.is_empty());
    let found = |e: &(&str, &'static str, usize, MathResult), bits: u16| MathFunction { op: e.1, arity: e.2, bits, result: e.3 };
    if let Some(e) = entry(name) {
        return Some(found(e, 64));
    }
    if let Some(e) = name.strip_suffix('f').and_then(entry) {
        return Some(found(e, 32));
    }
    if let Some(e) = name.strip_suffix('l').and_then(entry) {
        return Some(found(e, 80));
    }
    None
}

/// The Bessel function of that name; the first of two arguments is the order, an integer.
pub(crate) fn bessel(name: &str) -> Option<MathFunction> {
    let of = |(base, op, arity): &(&'static str, &'static str, usize)| {
        width(name, &[*base]).map(|bits| MathFunction { op, arity: *arity, bits, result: Same })
    };
    BESSEL.iter().find_map(of)
}

/// Whether derivative code may call the function of that name though the program does not: partial derivatives of others do.
pub(crate) fn is_in_partials(name: &str) -> bool {
    let Some(f) = function(name) else { return false };
    let calls = |n: &PartialNode| matches!(n, PartialNode::Op(op, _) if *op == f.op);
    Catalogue::builtin().iter().flat_map(|i| &i.partials).flat_map(|p| &p.nodes).any(calls)
}

/// `isnan` and its like.
pub(crate) fn classification(name: &str) -> Option<(&'static str, &'static str)> {
    let (_, op) = CLASSES.iter().find(|(n, _)| *n == name)?;
    let spelling = match *op {
        "isnan_scal" => "isnan",
        "isinf_scal" => "isinf",
        _ => "isfinite",
    };
    Some((*op, spelling))
}

/// `abs` and its like: width of argument and result.
pub(crate) fn integer_abs(name: &str) -> Option<u16> {
    match name {
        "abs" => Some(32),
        "labs" | "llabs" => Some(64),
        _ => None,
    }
}

/// `modf` and its like: width of the result.
pub(crate) fn parting(name: &str) -> Option<u16> {
    match name {
        "modf" => Some(64),
        "modff" => Some(32),
        "modfl" => Some(80),
        _ => None,
    }
}

/// `frexp` and its like: width of the value.
pub(crate) fn splitting(name: &str) -> Option<u16> {
    width(name, &["frexp"])
}

/// `remainder` and its like: width of the result.
pub(crate) fn remainder(name: &str) -> Option<u16> {
    width(name, &["remainder", "drem"])
}

/// `remquo` and its like: width of the result.
pub(crate) fn quotient(name: &str) -> Option<u16> {
    width(name.strip_prefix("__builtin_").unwrap_or(name), &["remquo"])
}

/// `sincos` and its like: width of both results.
pub(crate) fn sine_and_cosine(name: &str) -> Option<u16> {
    width(name.strip_prefix("__builtin_").unwrap_or(name), &["sincos"])
}

/// Functions that give what another one gives as an integer: that one, its operation, the width of the argument, and that of the integer.
pub(crate) fn whole(name: &str) -> Option<(&'static str, &'static str, u16, u16)> {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    let rint = width(name, &["lrint", "llrint"]).map(|bits| ("rint", "rint_scal", bits, 64));
    rint.or_else(|| width(name, &["ilogb"]).map(|bits| ("logb", "logb_scal", bits, 32)))
}

/// True for `signbit`.
pub(crate) fn is_sign(name: &str) -> bool {
    width(name.strip_prefix("__builtin_").unwrap_or(name), &["signbit"]).is_some()
}

fn width(name: &str, names: &[&str]) -> Option<u16> {
    let is = |n: &str| names.contains(&n);
    match name {
        n if is(n) => Some(64),
        n if n.strip_suffix('f').is_some_and(is) => Some(32),
        n if n.strip_suffix('l').is_some_and(is) => Some(80),
        _ => None,
    }
}

/// A function's name for arguments of that width.
pub(crate) fn suffixed(name: &str, bits: u16) -> SmolStr {
    match bits {
        32 => format_smolstr!("{name}f"),
        64 => name.into(),
        _ => format_smolstr!("{name}l"),
    }
}

/// `ldexp` and its like, which multiply by a power of two: width of the result.
pub(crate) fn scaling(name: &str) -> Option<u16> {
    match name {
        "ldexp" | "scalbn" | "scalbln" => Some(64),
        "ldexpf" | "scalbnf" | "scalblnf" => Some(32),
        "ldexpl" | "scalbnl" | "scalblnl" => Some(80),
        _ => None,
    }
}

/// Constants that compilers make of macros: value and width, with the macro's name.
pub(crate) fn special(name: &str) -> Option<(&'static str, u16, &'static str)> {
    Some(match name {
        "__builtin_inff" | "__builtin_huge_valf" => ("inf", 32, "HUGE_VALF"),
        "__builtin_inf" | "__builtin_huge_val" => ("inf", 64, "HUGE_VAL"),
        "__builtin_infl" | "__builtin_huge_vall" => ("inf", 80, "HUGE_VALL"),
        "__builtin_nanf" => ("nan", 32, "NAN"),
        "__builtin_nan" => ("nan", 64, "NAN"),
        _ => return None,
    })
}

/// Relations that compilers make of macros.
pub(crate) fn relation(name: &str) -> Option<xaif::model::BoolOp> {
    use xaif::model::BoolOp;
    Some(match name.strip_prefix("__builtin_").unwrap_or(name) {
        "isgreater" => BoolOp::GreaterThan,
        "isgreaterequal" => BoolOp::GreaterOrEqual,
        "isless" => BoolOp::LessThan,
        "islessequal" => BoolOp::LessOrEqual,
        _ => return None,
    })
}

/// Macros that ask two things of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// One of two is no number.
    Unordered,
    /// One of two is less than the other.
    Unequal,
    /// Finite, and not below the normal numbers.
    Normal,
    /// Which of five kinds a number is of; words for the kinds stand before it.
    Kind,
}

/// `isunordered` and its like.
pub(crate) fn question(name: &str) -> Option<Question> {
    Some(match name.strip_prefix("__builtin_").unwrap_or(name) {
        "isunordered" => Question::Unordered,
        "islessgreater" => Question::Unequal,
        "isnormal" => Question::Normal,
        "fpclassify" => Question::Kind,
        _ => return None,
    })
}

/// The width of `exp10`, which is a power of ten.
pub(crate) fn power_of_ten(name: &str) -> Option<u16> {
    width(name.strip_prefix("__builtin_").unwrap_or(name), &["exp10", "pow10"])
}

/// True for names that are pure functions here.
pub(crate) fn is_known(name: &str) -> bool {
    function(name).is_some()
        || classification(name).is_some()
        || integer_abs(name).is_some()
        || scaling(name).is_some()
        || remainder(name).is_some()
        || whole(name).is_some()
        || is_sign(name)
        || special(name).is_some()
        || relation(name).is_some()
        || question(name).is_some()
        || power_of_ten(name).is_some()
        || matches!(name, "__builtin_expect" | "__builtin_constant_p")
}

/// The value of a macro of a standard header, for text that was not preprocessed.
pub(crate) fn builtin_macro(name: &str) -> Option<(CType, &'static str)> {
    let real = |v| Some((CType::Real(64), v));
    let single = |v| Some((CType::Real(32), v));
    let int = |v| Some((CType::INT, v));
    let long = |v| Some((CType::LONG, v));
    match name {
        "M_E" => real("2.7182818284590452354"),
        "M_LOG2E" => real("1.4426950408889634074"),
        "M_LOG10E" => real("0.43429448190325182765"),
        "M_LN2" => real("0.69314718055994530942"),
        "M_LN10" => real("2.30258509299404568402"),
        "M_PI" => real("3.14159265358979323846"),
        "M_PI_2" => real("1.57079632679489661923"),
        "M_PI_4" => real("0.78539816339744830962"),
        "M_1_PI" => real("0.31830988618379067154"),
        "M_2_PI" => real("0.63661977236758134308"),
        "M_2_SQRTPI" => real("1.12837916709551257390"),
        "M_SQRT2" => real("1.41421356237309504880"),
        "M_SQRT1_2" => real("0.70710678118654752440"),
        "HUGE_VAL" => real("inf"),
        "INFINITY" => single("inf"),
        "NAN" => single("nan"),
        "DBL_MAX" => real("1.79769313486231570815e308"),
        "DBL_MIN" => real("2.22507385850720138309e-308"),
        "DBL_EPSILON" => real("2.22044604925031308085e-16"),
        "FLT_MAX" => single("3.40282346638528859812e38"),
        "FLT_MIN" => single("1.17549435082228750797e-38"),
        "FLT_EPSILON" => single("1.19209289550781250000e-7"),
        "INT_MAX" | "INT32_MAX" => int("2147483647"),
        "INT_MIN" | "INT32_MIN" => int("-2147483648"),
        "UINT_MAX" => Some((CType::Int { bits: 32, unsigned: true, char: false }, "4294967295")),
        "LONG_MAX" | "INT64_MAX" | "LLONG_MAX" => long("9223372036854775807"),
        "CHAR_BIT" => int("8"),
        "EXIT_SUCCESS" => int("0"),
        "EXIT_FAILURE" => int("1"),
        "RAND_MAX" => int("2147483647"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_and_without_suffix() {
        assert_eq!(function("erf").map(|f| (f.op, f.bits)), Some(("erf_scal", 64)));
        assert_eq!(function("erff").map(|f| (f.op, f.bits)), Some(("erf_scal", 32)));
        assert_eq!(function("ceil").map(|f| f.bits), Some(64));
        assert_eq!(function("ceill").map(|f| f.bits), Some(80));
        assert_eq!(function("modf"), None);
        assert_eq!(function("frobnicate"), None);
    }

    #[test]
    fn every_name_is_in_the_catalogue() {
        let c = xaif::catalogue::Catalogue::builtin();
        for (name, op, arity, _) in TABLE.iter().filter(|e| !e.1.is_empty()) {
            assert_eq!(c.get(op).map(|i| i.arity as usize), Some(*arity), "{name}");
        }
        for (name, op, arity) in BESSEL {
            assert_eq!(c.get(op).map(|i| i.arity as usize), Some(arity), "{name}");
        }
        for (name, op) in CLASSES {
            assert!(c.get(op).is_some(), "{name}");
        }
    }
}

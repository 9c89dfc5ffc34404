//! The catalogue's operations and their names in Fortran.
//!
//! Lives here: the table. Never here: precedence, preludes, declarations.

/// What a call's operands must look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// As they are.
    Plain,
    /// Real: integers are converted to double precision.
    Real,
    /// All of one type and kind, the promoted one.
    Same,
    /// Both: real and of one kind.
    SameReal,
    /// Nothing is evaluated: an inquiry about its operand.
    Inquiry,
}

/// Where the function comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// The language.
    Intrinsic,
    /// `ieee_arithmetic`.
    Ieee,
    /// `overbar_runtime`.
    Runtime,
}

use Rule::{Inquiry, Plain, Real, Same, SameReal};

/// A function of Fortran that an operation is written as.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// What its operands must look like.
    pub rule: Rule,
    /// Where it comes from.
    pub home: Home,
    /// Evaluating it is harmless whatever the operands: it cannot trap.
    pub total: bool,
}

const fn of(name: &'static str, rule: Rule, total: bool) -> Function {
    Function { name, rule, home: Home::Intrinsic, total }
}

const fn runtime(name: &'static str, rule: Rule) -> Function {
    Function { name, rule, home: Home::Runtime, total: false }
}

/// The function that an operation is written as; `None` where it is an operator, a conversion or unknown.
pub fn function(operation: &str) -> Option<Function> {
    Some(match operation {
        "exp_scal" => of("exp", Real, false),
        "ln_scal" => of("log", Real, false),
        "log10" => of("log10", Real, false),
        "sqrt_scal" => of("sqrt", Real, false),
        "sin_scal" => of("sin", Real, true),
        "cos_scal" => of("cos", Real, true),
        "tan_scal" => of("tan", Real, true),
        "arcsin_scal" => of("asin", Real, false),
        "arccos_scal" => of("acos", Real, false),
        "arctan_scal" => of("atan", Real, true),
        "sinh_scal" => of("sinh", Real, false),
        "cosh_scal" => of("cosh", Real, false),
        "tanh_scal" => of("tanh", Real, true),
        "arcsinh_scal" => of("asinh", Real, true),
        "arccosh_scal" => of("acosh", Real, false),
        "arctanh_scal" => of("atanh", Real, false),
        "arctan2_scal_scal" => of("atan2", SameReal, false),
        "hypot_scal_scal" => of("hypot", SameReal, false),
        "erf_scal" => of("erf", Real, true),
        "erfc_scal" => of("erfc", Real, true),
        "gamma_scal" => of("gamma", Real, false),
        "lgamma_scal" => of("log_gamma", Real, false),
        "bessel_j0_scal" => of("bessel_j0", Real, true),
        "bessel_j1_scal" => of("bessel_j1", Real, true),
        "bessel_y0_scal" => of("bessel_y0", Real, false),
        "bessel_y1_scal" => of("bessel_y1", Real, false),
        "bessel_jn_scal_scal" => of("bessel_jn", Plain, false),
        "bessel_yn_scal_scal" => of("bessel_yn", Plain, false),
        "abs_scal" => of("abs", Plain, true),
        "sign_scal_scal" => of("sign", Same, true),
        "mod_scal_scal" => of("mod", Same, false),
        "modulo_scal_scal" => of("modulo", Same, false),
        "max_scal_scal" | "nc_max_scal_scal" => of("max", Same, true),
        "min_scal_scal" | "nc_min_scal_scal" => of("min", Same, true),
        "dim_scal_scal" => of("dim", Same, true),
        "round_scal" => of("anint", Real, true),
        "trunc_scal" => of("aint", Real, true),
        "floor_scal" => runtime("overbar_floor", Real),
        "ceil_scal" => runtime("overbar_ceiling", Real),
        "rint_scal" => runtime("overbar_rint", Real),
        "cbrt_scal" => runtime("overbar_cbrt", Real),
        "expm1_scal" => runtime("overbar_expm1", Real),
        "log1p_scal" => runtime("overbar_log1p", Real),
        "log2_scal" => runtime("overbar_log2", Real),
        "digamma_scal" => runtime("overbar_digamma", Real),
        "fma_scal_scal_scal" => runtime("overbar_fma", SameReal),
        "imag_scal" => of("aimag", Plain, true),
        "sum_arr" => of("sum", Plain, true),
        "dot_product_arr" => of("dot_product", Plain, true),
        "matmul_arr" => of("matmul", Plain, true),
        "transpose_arr" => of("transpose", Plain, true),
        "reshape_arr" => of("reshape", Plain, true),
        "maxval_arr" | "nc_maxval" => of("maxval", Plain, true),
        "minval_arr" | "nc_minval" => of("minval", Plain, true),
        "maxloc_arr" => of("maxloc", Plain, true),
        "minloc_arr" => of("minloc", Plain, true),
        "shape_arr" => of("shape", Inquiry, true),
        "size" => of("size", Inquiry, true),
        "lbound" => of("lbound", Inquiry, true),
        "ubound" => of("ubound", Inquiry, true),
        "len" => of("len", Inquiry, true),
        "trim" => of("trim", Plain, true),
        "ichar" => of("ichar", Plain, true),
        "scan" => of("scan", Plain, true),
        "transfer" => of("transfer", Plain, true),
        "b_and" => of("iand", Same, true),
        "b_or" => of("ior", Same, true),
        "b_xor" => of("ieor", Same, true),
        "b_not" => of("not", Plain, true),
        "shl_scal_scal" => of("shiftl", Plain, false),
        "shr_scal_scal" => of("shifta", Plain, false),
        "allocated" => of("allocated", Inquiry, true),
        "present" => of("present", Inquiry, true),
        "epsilon" => of("epsilon", Inquiry, true),
        "tiny" => of("tiny", Inquiry, true),
        "huge" => of("huge", Inquiry, true),
        "isnan_scal" => Function { home: Home::Ieee, ..of("ieee_is_nan", Real, true) },
        "logb_scal" => Function { home: Home::Ieee, ..of("ieee_logb", Real, true) },
        "isfinite_scal" => Function { home: Home::Ieee, ..of("ieee_is_finite", Real, true) },
        _ => return None,
    })
}

/// The names that the text of an operation contains: nothing in the unit may hide them.
pub fn fortran_words(operation: &str) -> &'static [&'static str] {
    match operation {
        "select" => &["merge"],
        "real_scal" => &["real", "dble"],
        "complex_scal" => &["cmplx"],
        "int_scal" => &["int"],
        "nint_scal" => &["nint"],
        "ifloor_scal" => &["floor"],
        "iceil_scal" => &["ceiling"],
        "isinf_scal" => &["abs", "huge"],
        _ => match function(operation) {
            // A slice of one, without allocation: the names are all static.
            Some(f) => WORDS.iter().find(|w| w[0] == f.name).map_or(&[], |w| *w),
            None => &[],
        },
    }
}

macro_rules! words {
    ($($name:literal)*) => { const WORDS: &[&[&str]] = &[$(&[$name]),*]; };
}

words! {
    "exp" "log" "log10" "sqrt" "sin" "cos" "tan" "asin" "acos" "atan" "sinh" "cosh" "tanh" "asinh" "acosh" "atanh" "atan2" "hypot"
    "erf" "erfc" "gamma" "log_gamma" "bessel_j0" "bessel_j1" "bessel_y0" "bessel_y1" "bessel_jn" "bessel_yn" "abs" "sign" "mod" "modulo" "max" "min" "dim" "anint" "aint" "overbar_floor" "overbar_ceiling"
    "overbar_rint" "overbar_cbrt" "overbar_expm1" "overbar_log1p" "overbar_log2" "overbar_digamma" "overbar_fma" "aimag" "sum"
    "dot_product" "matmul" "transpose" "reshape" "maxval" "minval" "maxloc" "minloc" "shape" "size" "lbound" "ubound" "len" "trim" "ichar" "scan"
    "transfer" "iand" "ior" "ieor" "not" "shiftl" "shifta" "allocated" "present" "epsilon" "tiny" "huge" "ieee_is_nan" "ieee_is_finite" "ieee_logb"
}

#[cfg(test)]
mod tests {
    use super::*;
    use xaif::catalogue::Catalogue;

    #[test]
    fn every_operation_of_the_catalogue_can_be_written() {
        let operators = [
            "add_scal_scal",
            "sub_scal_scal",
            "mul_scal_scal",
            "div_scal_scal",
            "minus_scal",
            "plus_scal",
            "pow_scal_scal",
            "exp2_scal",
            "string_eq_scal_scal",
            "string_ne_scal_scal",
            "string_ge_scal_scal",
            "string_le_scal_scal",
            "string_lt_scal_scal",
            "string_gt_scal_scal",
        ];
        for i in Catalogue::builtin().iter() {
            assert!(operators.contains(&i.name.as_str()) || !fortran_words(&i.name).is_empty(), "{}", i.name);
        }
    }
}

//! The intrinsic modules and the kinds that they name.
//!
//! Lives here: constants that the language or every compiler defines. Never here: modules of the user's.

/// Modules that come with the compiler.
pub fn is_intrinsic_module(name: &str) -> bool {
    matches!(name, "iso_fortran_env" | "iso_c_binding" | "ieee_arithmetic" | "ieee_exceptions" | "ieee_features" | "omp_lib")
}

/// Integer constants of the intrinsic modules.
pub fn intrinsic_constant(module: &str, name: &str) -> Option<i64> {
    match (module, name) {
        ("iso_fortran_env", "int8" | "logical8") => Some(1),
        ("iso_fortran_env", "int16") => Some(2),
        ("iso_fortran_env", "int32" | "real32") => Some(4),
        ("iso_fortran_env", "int64" | "real64") => Some(8),
        ("iso_fortran_env", "real128") => Some(16),
        ("iso_fortran_env", "error_unit") => Some(0),
        ("iso_fortran_env", "input_unit") => Some(5),
        ("iso_fortran_env", "output_unit") => Some(6),
        ("iso_c_binding", "c_float" | "c_int" | "c_int32_t" | "c_float_complex") => Some(4),
        ("iso_c_binding", "c_double" | "c_long" | "c_long_long" | "c_size_t" | "c_int64_t" | "c_double_complex" | "c_intptr_t") => Some(8),
        ("iso_c_binding", "c_short" | "c_int16_t") => Some(2),
        ("iso_c_binding", "c_signed_char" | "c_int8_t" | "c_bool" | "c_char") => Some(1),
        ("iso_c_binding", "c_long_double") => Some(10),
        _ => None,
    }
}

/// Decimal precision and range to kind.
pub fn selected_real_kind(p: i64, r: i64) -> i64 {
    match (p, r) {
        (..=6, ..=37) => 4,
        (..=15, ..=307) => 8,
        (..=18, ..=4931) => 10,
        (..=33, ..=4931) => 16,
        _ => -1,
    }
}

/// The kind that SELECTED_INT_KIND gives.
pub fn selected_int_kind(r: i64) -> i64 {
    match r {
        ..=2 => 1,
        3..=4 => 2,
        5..=9 => 4,
        10..=18 => 8,
        19..=38 => 16,
        _ => -1,
    }
}

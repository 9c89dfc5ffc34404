//! Overbar differentiates C and Fortran programs by source transformation.
//!
//! A gradient of a function in C:
//!
//! ```
//! use overbar::{Language, Request, Source, differentiate};
//!
//! fn main() -> Result<(), overbar::Diagnostics> {
//!     let text = "double cost(int n, const double *x) {
//!   double s = 0.0;
//!   for (int i = 0; i < n; i++)
//!     s += x[i] * x[i];
//!   return s;
//! }
//! ";
//!     let request = Request::adjoint(Language::C, "cost/(x)")?;
//!     let made = differentiate(&[Source { file: "cost.c", text }], &request)?;
//!     println!("{}", made.text());
//!     // The text that was read, and behind it its adjoint.
//!     assert!(made.text().starts_with(text));
//!     assert!(made.text().contains("void cost_b(int n, const double *x, double *restrict xb, double costb)"));
//!     assert!(made.text().contains("xb[i] += 2.0 * x[i] * sb;"));
//!     Ok(())
//! }
//! ```
//!
//! What is refused comes back with codes, places, reasons and ways out:
//!
//! ```
//! use overbar::{Language, Request, Source, differentiate};
//!
//! let request = Request::adjoint(Language::Fortran, "f(y)/(z)").unwrap();
//! let text = "subroutine f(x, y)\n  real(8), intent(in) :: x\n  real(8), intent(out) :: y\n  y = x*x\nend subroutine f\n";
//! let refused = differentiate(&[Source { file: "f.f90", text }], &request).err().unwrap();
//! assert!(refused.to_string().contains("z"));
//! assert!(refused.diagnostics[0].code.starts_with("OB"));
//! ```
//!
//! [`Options`] has all that can be asked of derivatives, [`Request`] how text is read, certified and written; the command line does the same steps, which are those of
//! [`mod@differentiate`]. [`Outputs::boosted`] is the program with its derivatives, for [`evaluate`], which runs it without any compiler, [`verify`], which certifies it,
//! and [`plot`](mod@plot), [`facts`] and [`stats`](mod@stats). [`boost`] makes derivative programs from programs, and [`eliminate`] finds elimination sequences for local
//! Jacobians on plain graphs; these know no source language: programs are those of the crate `xaif`.

pub mod differentiate;

pub use differentiate::{Certification, Diagnostics, Language, Outputs, Reading, Request, Source, differentiate};
pub use overbar_booster::{
    Boosted, Options, analysis, boost, boost_for_xaif, diagnostics, facts, heads, linearize, notation, plot, rules, signature, stats,
    transform,
};
pub use overbar_eliminate as eliminate;
pub use overbar_evaluate as evaluate;
pub use overbar_verify as verify;

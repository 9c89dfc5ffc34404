//! `overbar serve`: answers against the bytes of the command line, limits, clients that misbehave, load.
#![cfg(unix)]

mod common;

#[path = "serve/client.rs"]
mod client;
#[path = "serve/connections.rs"]
mod connections;
#[path = "serve/endpoints.rs"]
mod endpoints;
#[path = "serve/forms.rs"]
mod forms;
#[path = "serve/hostile.rs"]
mod hostile;
#[path = "serve/limits.rs"]
mod limits;
#[path = "serve/load.rs"]
mod load;
#[allow(dead_code)]
#[path = "random/rng.rs"]
mod rng;
#[path = "serve/safety.rs"]
mod safety;
#[path = "serve/sample_clients.rs"]
mod sample_clients;
#[path = "serve/stdio.rs"]
mod stdio;

pub use client::GRAPH;

/// A program in C, with what needs no preprocessor and what is worked out without one.
pub const PROGRAM: &str = "#include <math.h>\n#define STEPS 3\n#define SQUARE(x) ((x) * (x))\n#ifdef _OPENMP\n#error not here\n#endif\n\
double f(double x, double y) {\n    double r = x * y;\n    for (int i = 0; i < STEPS; i++)\n        r = r * sin(x) + SQUARE(y);\n    return r;\n}\n";

/// One in Fortran.
pub const FORTRAN: &str = "subroutine g(n, x, y)\n  implicit none\n  integer, intent(in) :: n\n  real(8), intent(in) :: x(n)\n  real(8), intent(out) :: y\n  integer :: i\n  \
y = 0\n  do i = 1, n\n    y = y + x(i)*exp(-x(i))\n  end do\nend subroutine\n";

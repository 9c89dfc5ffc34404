//! Programs of other languages in terms that C has.
//!
//! ```text
//! subroutine f(x)  with  x(:)                  ->  f(x_n, x)  with  x(x_n)
//! subroutine h(p)  with  p%a, p%b              ->  h(p_a, p_b)
//! function g(x)  that is an array              ->  subroutine g(x, r)
//! a procedure inside of another one, that      ->  one that gets them as arguments
//!   uses variables of that
//! if (maxval(d) > eps .or. k > 9)              ->  t = maxval(d), if (t > eps .or. k > 9)
//! call f(a(1:n:2))                             ->  t = a(1:n:2), call f(t), a(1:n:2) = t
//! u(2:n) = u(1:n-1)                            ->  t = u(1:n-1), u(2:n) = t
//! ```
//!
//! Lives here: rewriting programs, before anything is known of them. Never here: text.

mod array_results;
mod copies;
mod free_names;
mod hosts;
mod overlaps;
mod reductions;
mod shapes;
mod structures;
mod temporaries;

use xaif::Program;

/// The program as C can say it; what it cannot say stays, and is refused where it is printed.
pub(super) fn in_terms_of_c(program: &Program) -> Program {
    let mut program = program.clone();
    structures::dissolved(&mut program);
    array_results::as_arguments(&mut program);
    hosts::lifted(&mut program);
    shapes::explicit(&mut program);
    reductions::apart(&mut program);
    copies::made(&mut program);
    overlaps::through_arrays(&mut program);
    program
}

//! The run-time module: what is recorded comes back, functions agree with known values, misuse ends with a message.

use overbar_fortran::RUNTIME;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The module, compiled once under strict flags: with and without OpenMP.
fn module(openmp: bool) -> &'static Path {
    static FOLDERS: [OnceLock<tempfile::TempDir>; 2] = [OnceLock::new(), OnceLock::new()];
    let compiled = FOLDERS[usize::from(openmp)].get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("overbar_runtime.f90"), RUNTIME).unwrap();
        let strict = ["-std=f2018", "-Wall", "-Wextra", "-pedantic", "-O2", "-c", "overbar_runtime.f90"];
        let out = Command::new("gfortran").args(strict).args(openmp.then_some("-fopenmp")).current_dir(folder.path()).output().unwrap();
        assert!(out.status.success() && out.stderr.is_empty(), "{}", String::from_utf8_lossy(&out.stderr));
        folder
    });
    compiled.path()
}

fn run(main: &str, openmp: bool) -> Output {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("main.f90"), main).unwrap();
    let include = format!("-I{}", module(openmp).display());
    let object = module(openmp).join("overbar_runtime.o").display().to_string();
    let all = ["-g", "-fcheck=all", &include, "main.f90", &object, "-o", "main"];
    let out = Command::new("gfortran").args(all).args(openmp.then_some("-fopenmp")).current_dir(folder.path()).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    Command::new(folder.path().join("main")).output().unwrap()
}

fn words(out: &Output) -> Vec<String> {
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stdout).split_whitespace().map(str::to_owned).collect()
}

#[test]
fn everything_comes_back_in_reverse_order() {
    let main = "program t
  use overbar_runtime
  use, intrinsic :: iso_fortran_env
  implicit none
  integer, parameter :: n = 100000
  integer :: i, j
  real(real64) :: a(40, 30), b(40, 30), big(n), c(2, 2, 2, 2), x
  real(real32) :: s
  real(real128) :: q
  integer(int64) :: k
  logical :: l(3), one
  character(len=3) :: words(2), word
  a = reshape([(real(i, real64), i=1, 1200)], [40, 30])
  b = a
  c = 7
  do i = 1, n
    big(i) = i
  end do
  do j = 1, 3
    call overbar_push(big)
    call overbar_push(a(::2, 3:20:3))
    call overbar_push(c)
    call overbar_push(1.5_real32)
    call overbar_push(2.5_real128)
    call overbar_push(3)
    call overbar_push(4_int64)
    call overbar_push([.true., .false., .true.])
    call overbar_push(.false.)
    call overbar_push('two')
    call overbar_push(['ab ', 'cde'])
  end do
  print *, overbar_stack_bytes()
  do j = 1, 3
    call overbar_pop(words)
    call overbar_pop(word)
    call overbar_pop(one)
    call overbar_pop(l)
    call overbar_pop(k)
    call overbar_pop(i)
    call overbar_pop(q)
    call overbar_pop(s)
    c = 0
    call overbar_pop(c)
    a(::2, 3:20:3) = 0
    call overbar_pop(a(::2, 3:20:3))
    big = 0
    call overbar_pop(big)
    if (one .or. any(l .neqv. [.true., .false., .true.])) stop 2
    if (word /= 'two' .or. any(words /= ['ab ', 'cde'])) stop 7
    if (k /= 4 .or. i /= 3 .or. q /= 2.5 .or. s /= 1.5) stop 3
    if (any(a /= b) .or. any(c /= 7)) stop 4
    do i = 1, n
      if (big(i) /= i) stop 5
    end do
  end do
  do i = 1, n
    call overbar_push(real(i, real64))
    if (mod(i, 3) == 0) call overbar_pop(x)
  end do
  do i = n, 1, -1
    if (mod(i, 3) == 0) cycle
    call overbar_pop(x)
    if (x /= i) stop 6
  end do
  print *, overbar_stack_bytes()
end program";
    // Per round: reals of 64 bits, one of 32, one of 128, an integer of 32 and one of 64 bits, four truth values of 32 bits, nine
    // characters of 32 bits.
    let bytes = 3 * ((100_000 + 120 + 16) * 8 + 4 + 16 + 4 + 8 + 16 + 36);
    assert_eq!(words(&run(main, false)), [bytes.to_string(), "0".into()]);
    assert_eq!(words(&run(main, true)), [bytes.to_string(), "0".into()]);
}

#[test]
fn every_thread_has_a_stack() {
    let main = "program t
  use overbar_runtime
  implicit none
  integer :: i, j, wrong
  double precision :: x
  wrong = 0
  !$omp parallel do private(j, x) reduction(+:wrong)
  do i = 1, 8
    do j = 1, 50000
      call overbar_push(dble(i*100000 + j))
    end do
    do j = 50000, 1, -1
      call overbar_pop(x)
      if (nint(x) /= i*100000 + j) wrong = wrong + 1
    end do
  end do
  print *, wrong
end program";
    assert_eq!(words(&run(main, true)), ["0"]);
}

#[test]
fn functions_have_known_values() {
    // Name, argument, value to 20 digits.
    let table = [
        ("digamma", "1.0", "-0.57721566490153286061"),
        ("digamma", "0.5", "-1.9635100260214234794"),
        ("digamma", "10.0", "2.2517525890667211077"),
        ("digamma", "-2.5", "1.1031566406452431872"),
        ("digamma", "100.25", "4.6026712432747125591"),
        ("expm1", "1.0e-10", "1.0000000000500000000e-10"),
        ("log1p", "1.0e-10", "9.9999999995000000000e-11"),
        ("log2", "10.0", "3.3219280948873623479"),
        ("cbrt", "-2.0", "-1.2599210498948731648"),
        ("floor", "-1.5", "-2.0"),
        ("ceiling", "-1.5", "-1.0"),
        ("rint", "2.5", "2.0"),
        ("rint", "-3.5", "-4.0"),
        ("rint", "2.25", "2.0"),
    ];
    let mut main = String::from("program t\n  use overbar_runtime\n  use, intrinsic :: iso_fortran_env\n  implicit none\n");
    for (kind, tolerance) in [("real32", "2e-6"), ("real64", "4e-15"), ("real128", "1e-18")] {
        for (name, x, y) in table {
            main.push_str(&format!(
                "  if (abs(overbar_{name}({x}_{kind}) - ({y}_{kind})) &\n    > {tolerance}_{kind}*abs({y}_{kind})) &\n    print *, '{name} {kind}', &\n    overbar_{name}({x}_{kind})\n"
            ));
        }
    }
    main.push_str("  if (overbar_fma(1e16_real64 + 2, 3.0_real64, -3e16_real64) /= 6) print *, 'fma'\nend program\n");
    assert_eq!(words(&run(&main, false)), Vec::<String>::new());
}

#[test]
fn restoring_what_was_not_recorded_ends_with_a_message() {
    for (first, second) in [("", "x"), ("call overbar_push(1d0)\n call overbar_pop(x)", "x"), ("call overbar_push(1)", "x")] {
        let main = format!(
            "program t\n use overbar_runtime\n double precision :: x\n {first}\n call overbar_pop({second})\n print *, x\nend program"
        );
        let out = run(&main, false);
        assert!(!out.status.success());
        assert!(String::from_utf8_lossy(&out.stderr).contains("overbar_pop: nothing is left to restore"));
    }
}

//! Fortran programs through the whole tool: differentiated, compiled with the strict flags, run, compared.
//!
//! Every file of `fortran_programs/` says in comments what is differentiated and where (see `case.rs`). Its tangent is compared with central
//! differences, its adjoint with the tangent in every component; adjoints of inputs are seeded, those of outputs must be consumed, inputs must
//! survive, and the stack must be empty. `OVERBAR_PROGRAM=name` runs one, and leaves its files in `target/fortran_programs`.

#[path = "../fortran_programs/case.rs"]
mod case;
use crate::common;

use common::{STRICT_FORTRAN, overbar, overbar_ok, overbar_with_input, root, runtime, silently};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

fn programs() -> Vec<PathBuf> {
    let folder = root().join("tests/fortran_programs");
    let wanted = std::env::var("OVERBAR_PROGRAM").unwrap_or_default();
    let mut list: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| matches!(e.to_str(), Some("f90" | "f" | "F90" | "F"))))
        .filter(|p| wanted.is_empty() || wanted.split(',').any(|w| p.file_stem().is_some_and(|s| s.to_string_lossy() == w)))
        .collect();
    list.sort();
    list
}

/// The files that programs include.
fn copy_included(folder: &Path) {
    for e in std::fs::read_dir(root().join("tests/fortran_programs")).expect("the folder") {
        let p = e.expect("an entry").path();
        if p.extension().is_some_and(|e| e == "inc" || e == "h") {
            std::fs::copy(&p, folder.join(p.file_name().expect("a name"))).expect("a copy");
        }
    }
}

/// Old programs declare arrays shorter than they are. The parts of arrays of complex numbers are recorded through copies that the compiler makes
/// and, if asked to, tells of.
fn checks(text: &str) -> &'static str {
    if text.contains("! short bounds\n") {
        "-fcheck=all,no-bounds"
    } else if text.contains("! array temporaries\n") {
        "-fcheck=all,no-array-temps"
    } else {
        "-fcheck=all"
    }
}

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(arguments).current_dir(folder).output().map_err(|e| format!("{program}: {e}"))?;
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.success() { Ok(text) } else { Err(format!("{program} {}:\n{text}", arguments.join(" "))) }
}

/// The warnings without names.
fn warnings(told: &str) -> Vec<String> {
    let about = |l: &str| l.split(['‘', '’']).step_by(2).collect::<String>();
    told.lines().filter(|l| l.starts_with("Warning:")).map(about).collect()
}

fn check(path: &Path, folder: &Path, runtime: &Path, options: &[&str]) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let cases = case::cases(&text);
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    std::fs::write(folder.join(&name), &text).map_err(|e| e.to_string())?;
    copy_included(folder);
    let generated = format!("g_{name}");
    let heads: Vec<&str> = cases.iter().flat_map(|c| ["--head", c.head.as_str()]).collect();
    let with = |start: &[&'static str]| -> Vec<String> {
        start.iter().chain(options).map(|s| s.to_string()).chain(heads.iter().map(|s| s.to_string())).collect()
    };
    let mut arguments = with(&["diff", "-d", "-b", "-o"]);
    arguments.splice(4..4, [generated.clone(), name.clone()]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let out = overbar(folder, &arguments);
    if !out.status.success() {
        return Err(String::from_utf8_lossy(&out.stderr).into_owned());
    }
    let whole = std::fs::read(folder.join(&generated)).map_err(|e| e.to_string())?;
    // The same by the three stages.
    let front = overbar(folder, &["frontend", "fortran", &name]);
    let boost = with(&["boost", "-d", "-b"]);
    let boost: Vec<&str> = boost.iter().map(String::as_str).collect();
    let boosted = overbar_with_input(folder, &boost, &front.stdout);
    let back = overbar_with_input(folder, &["backend", "fortran"], &boosted.stdout);
    if back.stdout != whole {
        std::fs::write(folder.join("piped"), &back.stdout).map_err(|e| e.to_string())?;
        return Err(format!("the pipe gives something else: {}", String::from_utf8_lossy(&back.stderr)));
    }
    let valid = overbar_with_input(folder, &["validate", "-"], &boosted.stdout);
    if !valid.status.success() {
        return Err(format!("what is piped is not valid: {}", String::from_utf8_lossy(&valid.stderr)));
    }
    let modules = format!("-I{}", runtime.display());
    let mut strict: Vec<&str> = STRICT_FORTRAN.to_vec();
    if text.contains("! legacy\n") {
        // Fortran 2018 has deleted something that the program needs.
        strict[0] = "-std=legacy";
    }
    let standard = strict[0];
    strict.extend([&modules, "-c", &generated, "-o", "strict.o"]);
    let told = run(folder, "gfortran", &strict)?;
    if !told.is_empty() {
        // What the compiler says of the user's own text it may say of its copy.
        let mut original: Vec<&str> = STRICT_FORTRAN.to_vec();
        original[0] = standard;
        original.extend(["-c", &name, "-o", "original.o"]);
        let before = warnings(&run(folder, "gfortran", &original)?);
        let new: Vec<String> = warnings(&told).into_iter().filter(|w| !before.contains(w)).collect();
        if !new.is_empty() {
            return Err(format!("warnings:\n{}\n{told}", new.join("\n")));
        }
    }
    let module = text.to_lowercase().lines().any(|l| l.trim_start().starts_with("module ") && !l.contains("procedure"));
    std::fs::write(folder.join("driver.f90"), case::program(&cases, module)).map_err(|e| e.to_string())?;
    let object = runtime.join("overbar_runtime.o").to_string_lossy().into_owned();
    let flags = ["-O0", "-g", "-w", "-fallow-argument-mismatch", "-ffree-line-length-none", checks(&text), "-ffpe-trap=invalid,zero"];
    let mut build: Vec<&str> = flags.to_vec();
    build.extend([modules.as_str(), &generated, "driver.f90", &object, "-o", "run"]);
    run(folder, "gfortran", &build)?;
    let said = run(folder, "./run", &[])?;
    if said.trim_end().ends_with("ok") { Ok(()) } else { Err(said) }
}

#[test]
fn every_program() {
    check_all("fortran_programs", 1, &[]);
}

/// Every third program with preaccumulated local Jacobians; `OVERBAR_ALL` takes all of them.
#[test]
fn every_third_preaccumulated() {
    check_all("fortran_preaccumulated", if std::env::var_os("OVERBAR_ALL").is_some() { 1 } else { 3 }, &["--preaccumulate", "always"]);
}

/// What a check says of every program, or of some of them, each in a folder of its own below one that is kept where a program is asked for by its name.
fn each_program<T: Send>(kept: &str, every: usize, check: &(dyn Fn(&Path, &Path, &Path) -> Result<T, String> + Sync)) -> Vec<(String, T)> {
    let temporary = tempfile::tempdir().expect("a folder");
    let keep = std::env::var_os("OVERBAR_PROGRAM").is_some();
    let base = if keep { root().join("target").join(kept) } else { temporary.path().to_owned() };
    let runtime = base.join("runtime");
    std::fs::create_dir_all(&runtime).expect("a folder");
    common::runtime(&runtime);
    run(&runtime, "gfortran", &["-O1", "-c", "overbar_runtime.f90"]).expect("the run-time support compiles");
    let list: Vec<PathBuf> = programs().into_iter().step_by(every).collect();
    let todo = Mutex::new(list.iter());
    let (done, faults) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    std::thread::scope(|s| {
        for _ in 0..4 {
            s.spawn(|| {
                loop {
                    let Some(path) = todo.lock().expect("no panic").next() else { break };
                    let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
                    // One name may stand for a program in fixed form and for one in free form.
                    let folder = base.join(path.file_name().expect("a name"));
                    std::fs::create_dir_all(&folder).expect("a folder");
                    match check(path, &folder, &runtime) {
                        Ok(t) => done.lock().expect("no panic").push((name, t)),
                        Err(e) => faults.lock().expect("no panic").push(format!("=== {name}\n{e}")),
                    }
                }
            });
        }
    });
    let mut faults = faults.into_inner().expect("no panic");
    faults.sort();
    println!("{} programs, {} faults", list.len(), faults.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    done.into_inner().expect("no panic")
}

fn check_all(kept: &str, every: usize, options: &[&str]) {
    each_program(kept, every, &|path, folder, runtime| check(path, folder, runtime, options));
}

/// Jumps back are loops, also where arrays are allocated and freed in them; that these adjoints are right the other tests show.
#[test]
fn jumps_back_are_no_numbered_blocks() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["left_below.f90", "left_allocated.f90", "back_jumps.f90"] {
        let file = root().join("tests/fortran_programs").join(name);
        let text = std::fs::read_to_string(&file).expect("a program");
        let case::Case { head, .. } = &case::cases(&text)[0];
        for reversal in ["joint", "split"] {
            let file = file.display().to_string();
            let made =
                overbar(folder.path(), &["diff", &file, "-b", "--no-primal", "--reversal", reversal, "--head", head, "-o", "out.f90"]);
            assert!(made.status.success(), "{name}: {made:?}");
            let out = std::fs::read_to_string(folder.path().join("out.f90")).expect("code");
            assert!(out.contains("again"), "{name}: {out}");
            assert!(!out.contains(":: block") && !out.contains(", block"), "{name}: {out}");
        }
    }
}

/// Structures as arguments of a head: their derivatives are structures of the same type.
#[test]
fn structures_as_arguments() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = temporary.path();
    common::runtime(folder);
    let programs = root().join("tests/fortran_programs");
    for (from, to) in [("derived_springs.f90", "spring.f90"), ("structures/driver.f90", "driver.f90")] {
        std::fs::copy(programs.join(from), folder.join(to)).expect("a copy");
    }
    let out = overbar(folder, &["diff", "spring.f90", "-d", "-b", "--head", "euler(st)/(st,s,h)", "-o", "g.f90"]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let mut strict: Vec<&str> = STRICT_FORTRAN.to_vec();
    strict.extend(["-c", "overbar_runtime.f90", "g.f90"]);
    assert_eq!(run(folder, "gfortran", &strict), Ok(String::new()));
    run(folder, "gfortran", &["-g", "-fcheck=all", "overbar_runtime.f90", "g.f90", "driver.f90", "-o", "run"]).expect("it compiles");
    assert_eq!(run(folder, "./run", &[]).as_deref().map(str::trim_end), Ok("ok"));
}

/// An interface module declares the derivatives of structures that external procedures get.
#[test]
fn interfaces_have_structures() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = temporary.path();
    let text = "\
module shapes
  implicit none
  type :: point
    real(8) :: x, y
  end type
end module
subroutine move(p, n, z, s)
  use shapes
  implicit none
  type(point), intent(inout) :: p
  integer, intent(in) :: n
  complex(8), intent(in) :: z(n)
  real(8), intent(out) :: s
  p%x = p%x*real(z(1))
  p%y = sin(p%x)*aimag(z(n))
  s = p%x*p%y
end subroutine
";
    std::fs::write(folder.join("move.f90"), text).expect("a file");
    let diff = ["diff", "move.f90", "-d", "-b", "--no-primal", "--header", "interfaces.f90", "--head", "move(s,p)/(p,z)", "-o", "g.f90"];
    overbar_ok(folder, &diff);
    silently(folder, "gfortran", &["-c", "move.f90"]);
    let mut strict: Vec<&str> = STRICT_FORTRAN.to_vec();
    strict.extend(["-c", "interfaces.f90"]);
    silently(folder, "gfortran", &strict);
    let interfaces = std::fs::read_to_string(folder.join("interfaces.f90")).expect("interfaces");
    for s in ["type(point), intent(inout) :: p, pd", "type(point), intent(inout) :: p, pb", ":: z(n), zd(n)", "zb(n)"] {
        assert!(interfaces.contains(s), "{s}: {interfaces}");
    }
}

/// The derivatives alone, compiled beside the original.
#[test]
fn beside_the_original() {
    let all = each_program("fortran_beside", 1, &|path, folder, runtime| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        beside(path, &name, folder, runtime)
    });
    let mut refused: Vec<&String> = all.iter().filter(|(_, done)| !done).map(|(name, _)| name).collect();
    refused.sort();
    println!("{} programs beside the original, {} refused: {refused:?}", all.len() - refused.len(), refused.len());
}

/// False where that is refused.
fn beside(path: &Path, name: &str, folder: &Path, runtime: &Path) -> Result<bool, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let mut cases = case::cases(&text);
    std::fs::write(folder.join(name), &text).map_err(|e| e.to_string())?;
    copy_included(folder);
    let generated = format!("g_{name}");
    let mut arguments = vec!["diff", name, "-d", "-b", "--no-primal", "--header", "interfaces.f90", "-o", &generated];
    cases.iter().for_each(|c| arguments.extend(["--head", c.head.as_str()]));
    let out = overbar(folder, &arguments);
    if !out.status.success() {
        let told = String::from_utf8_lossy(&out.stderr).into_owned();
        return if told.contains("OB5059") { Ok(false) } else { Err(told) };
    }
    let modules = format!("-I{}", runtime.display());
    let mut strict: Vec<&str> = STRICT_FORTRAN.to_vec();
    if text.contains("! legacy\n") {
        strict[0] = "-std=legacy";
    }
    run(folder, "gfortran", &["-c", "-O0", checks(&text), "-w", name, "-o", "original.o"])?;
    let compile: Vec<&str> = strict.iter().copied().chain([modules.as_str(), "-c", &generated, "-o", "beside.o"]).collect();
    let told = run(folder, "gfortran", &compile)?;
    if !told.is_empty() {
        let original: Vec<&str> = strict.iter().copied().chain(["-c", name, "-o", "strict.o"]).collect();
        let before = warnings(&run(folder, "gfortran", &original)?);
        if warnings(&told).iter().any(|w| !before.contains(w)) {
            return Err(format!("warnings:\n{told}"));
        }
    }
    let module = text.to_lowercase().lines().any(|l| l.trim_start().starts_with("module ") && !l.contains("procedure"));
    // What a module holds has its derivatives in a module of their own.
    for c in &mut cases {
        let more: Vec<String> = c.uses.iter().map(|u| format!("{u}_diff")).filter(|u| folder.join(format!("{u}.mod")).exists()).collect();
        c.uses.extend(more);
    }
    std::fs::write(folder.join("driver.f90"), case::program(&cases, module)).map_err(|e| e.to_string())?;
    let object = runtime.join("overbar_runtime.o").to_string_lossy().into_owned();
    let flags = ["-O0", "-w", "-fallow-argument-mismatch", "-ffree-line-length-none", checks(&text)];
    let build: Vec<&str> =
        flags.iter().copied().chain([modules.as_str(), "driver.f90", "original.o", "beside.o", &object, "-o", "run"]).collect();
    run(folder, "gfortran", &build)?;
    let header: Vec<&str> = strict.iter().copied().chain([modules.as_str(), "-c", "interfaces.f90", "-o", "interfaces.o"]).collect();
    let told = run(folder, "gfortran", &header)?;
    if !told.is_empty() {
        return Err(format!("the interface module:\n{told}"));
    }
    let said = run(folder, "./run", &[])?;
    if said.trim_end().ends_with("ok") { Ok(true) } else { Err(said) }
}

/// `--zero-init`: adjoints of inputs start from zero whatever they hold on entry; those of in-out arguments come in as outputs' adjoints.
#[test]
fn zeroed_input_adjoints() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = temporary.path();
    let text = "\
subroutine f(n, x, z, w, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n), w
  real(8), intent(inout) :: z
  real(8), intent(out) :: y
  integer :: i
  y = 0
  do i = 1, n
    y = y + i*x(i)**2*z*w
  end do
  z = z*x(1)
end subroutine f
";
    std::fs::write(folder.join("f.f90"), text).expect("a file");
    let driver = "\
program driver
  implicit none
  real(8) :: x(3), xb(3), z, zb, w, wb, y, yb, want(3)
  integer :: start
  do start = 0, 1
    x = [0.5d0, 1.5d0, -2d0]
    z = 3
    w = 2
    xb = 100*start
    wb = -7*start
    zb = 0.25d0
    yb = 2
    call f_b(3, x, xb, z, zb, w, wb, y, yb)
    want = 2*[2d0, 4d0, 6d0]*x*3*2
    want(1) = want(1) + 3*0.25d0
    if (maxval(abs(xb - want)) > 1d-12) stop 1
    if (abs(wb - 2*3*(0.25d0 + 2*2.25d0 + 3*4)) > 1d-12) stop 2
    if (abs(zb - (0.25d0*0.5d0 + 2*2*(0.25d0 + 2*2.25d0 + 3*4))) > 1d-12) stop 3
    if (yb /= 0) stop 4
  end do
  print '(a)', 'ok'
end program
";
    std::fs::write(folder.join("driver.f90"), driver).expect("a file");
    common::runtime(folder);
    let out = overbar(folder, &["diff", "f.f90", "-b", "--zero-init", "--head", "f(y,z)/(x,z,w)", "-o", "g.f90"]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    run(folder, "gfortran", &["-O1", "-fcheck=all", "overbar_runtime.f90", "g.f90", "driver.f90", "-o", "run"]).expect("compiles");
    assert_eq!(run(folder, "./run", &[]).expect("runs").trim(), "ok");
}

/// Old codes hand the same array over to be read and to be set. The standard lets compilers count on that nobody does; where they do, the adjoint is right all the same.
#[test]
fn results_in_place_of_arguments_are_right_when_optimized() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    std::fs::copy(root().join("tests/fortran_programs/in_place.f"), at.join("f.f")).expect("copied");
    common::overbar_ok(at, &["diff", "f.f", "-b", "--head", "in_place(v)/(v,h)", "-o", "g.f"]);
    let driver = "program check\n  real(8) :: v(5), vb(5), x(5), y(5), h, hb, worst\n  integer :: i\n  x = [1d0, 0.3d0, 0.2d0, 0.1d0, 0.7d0]\n  h = 0.4d0\n  v = x\n  vb = 1\n  \
                  hb = 0\n  call in_place_b(5, v, vb, h, hb)\n  worst = 0\n  do i = 1, 5\n    v = x\n    v(i) = v(i) + 1d-5\n    call in_place(5, v, h)\n    y = x\n    \
                  y(i) = y(i) - 1d-5\n    call in_place(5, y, h)\n    worst = max(worst, abs(sum(v - y)/2d-5 - vb(i)))\n  end do\n  print '(es10.2)', worst\nend program\n";
    std::fs::write(at.join("driver.f90"), driver).expect("written");
    for level in ["-O2", "-O3"] {
        run(at, "gfortran", &["-w", level, "-fPIC", "-fno-inline", "g.f", "driver.f90", "-o", "check"]).expect("compiles");
        let worst: f64 = run(at, "./check", &[]).expect("runs").trim().parse().expect("a number");
        assert!(worst < 1e-7, "{level}: {worst}");
    }
}

/// INTENT(OUT) frees what a caller hands over: in the original by the language, in its derivatives by statements.
#[test]
fn allocatable_outputs_come_in_unallocated() {
    let at = tempfile::tempdir().unwrap();
    let text = "module series\n  implicit none\ncontains\n  subroutine powers(n, a, v, w)\n    integer, intent(in) :: n\n    real(8), intent(in) :: a\n\
                real(8), allocatable, intent(out) :: v(:)\n    real(8), allocatable, intent(out), optional :: w(:)\n    integer :: i\n\
                if (allocated(v)) error stop 9\n    allocate (v(n))\n    do i = 1, n\n      v(i) = a**i\n    end do\n    if (present(w)) then\n      if (allocated(w)) error stop 8\n\
                allocate (w(n))\n      w = 2*a\n    end if\n  end subroutine\nend module\n";
    std::fs::write(at.path().join("series.f90"), text).unwrap();
    overbar_ok(at.path(), &["diff", "series.f90", "-d", "-b", "--head", "powers(v)/(a)", "-o", "out.f90"]);
    let main = "program main\n  use series\n  implicit none\n  real(8) :: a, ab\n  real(8), allocatable :: v(:), vd(:), vb(:)\n  integer :: k\n  a = 0.75d0\n\
                do k = 2, 3\n    call powers(k, a, v)\n    call powers_d(k, a, 1d0, v, vd)\n    if (size(v) /= k .or. abs(vd(k) - k*a**(k - 1)) > 1d-14) stop 1\n\
                allocate (vb(k))\n    vb = 1\n    ab = 0\n    call powers_b(k, a, ab, v, vb)\n    if (abs(ab - merge(1 + 2*a, 1 + 2*a + 3*a*a, k == 2)) > 1d-14) stop 2\n\
                if (allocated(vb)) deallocate (vb)\n  end do\nend program\n";
    std::fs::write(at.path().join("main.f90"), main).unwrap();
    runtime(at.path());
    silently(at.path(), "gfortran", &["-w", "-fcheck=all", "overbar_runtime.f90", "out.f90", "main.f90", "-o", "main"]);
    silently(at.path(), "./main", &[]);
    // The interpreter does the same, whether the point has a value or not.
    for point in [r#"{"args":{"n":3,"a":0.7}}"#, r#"{"args":{"n":2,"a":0.7,"v":[1,2,3]}}"#] {
        std::fs::write(at.path().join("p.json"), point).unwrap();
        let told = overbar_ok(at.path(), &["verify", "series.f90", "--head", "powers(v)/(a)", "--input", "p.json", "--run", "interpreter"]);
        assert!(told.starts_with("pass"), "{told}");
    }
}

/// What stands over a list of declarations is said once, and no compiler complains of comparisons that are not the user's.
#[test]
fn generated_code_is_as_quiet_as_it_should_be() {
    let at = tempfile::tempdir().unwrap();
    let text = "subroutine parts(x, y)\n  double precision, intent(in) :: x\n  double precision, intent(out) :: y\n  ! norm: the length\n  ! u, v: what it is made of\n\
                double precision :: norm, u, v\n  ! power: of a quotient\n  double precision :: power\n  u = x*x\n  v = sin(x)\n  norm = u*v + 1\n  power = (1 + u)**(3/(1 + u))\n\
                if (u > 2) then\n    y = norm*u*power\n  else\n    y = v*v*norm\n  end if\nend subroutine\n";
    std::fs::write(at.path().join("parts.f90"), text).unwrap();
    overbar_ok(at.path(), &["diff", "parts.f90", "-d", "-b", "--head", "parts(y)/(x)", "-o", "out.f90"]);
    let out = std::fs::read_to_string(at.path().join("out.f90")).unwrap();
    assert_eq!((out.matches("! norm: the length").count(), out.matches("! power: of").count()), (3, 3), "{out}");
    let flags = ["-std=f2018", "-Wall", "-Wextra", "-Wno-unused-dummy-argument", "-Wno-do-subscript", "-O2", "-c", "out.f90"];
    silently(at.path(), "gfortran", &flags);
}

/// A whole array for a scalar is its first element, as old programs mean it; files are preprocessed and in fixed form as their own names say.
#[test]
fn files_are_read_as_their_own_names_say() {
    let at = tempfile::tempdir().unwrap();
    std::fs::write(
        at.path().join("first.f90"),
        "subroutine square(x, y)\n  double precision, intent(in) :: x\n  double precision, intent(out) :: y\n  y = x*x\nend subroutine\n",
    )
    .unwrap();
    let second = "#ifdef LARGE\n#define FACTOR 2.0d0\n#else\n#define FACTOR 3.0d0\n#endif\nsubroutine top(x, y)\n  double precision, intent(in) :: x\n\
                  double precision, intent(out) :: y\n  call square(FACTOR*x, y)\nend subroutine\n";
    std::fs::write(at.path().join("second.F90"), second).unwrap();
    std::fs::write(at.path().join("v.json"), r#"{"args":{"x":0.5},"seeds":{"x":1}}"#).unwrap();
    for (more, slope) in [(&[][..], 9.0), (&["--define", "LARGE"], 4.0)] {
        let made = [&["frontend", "fortran", "first.f90", "second.F90", "-o", "both.xaif"], more].concat();
        overbar_ok(at.path(), &made);
        let answer = overbar_ok(at.path(), &["eval", "both.xaif", "--unit", "top", "--input", "v.json", "--tangent"]);
        let told: serde_json::Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(told.pointer("/derivatives/y").and_then(serde_json::Value::as_f64), Some(slope), "{answer}");
    }
    let old = "      subroutine twice(a)\n      double precision a\n      a = 2*a\n      end\n      subroutine head(x, y)\n      double precision x(0:2,2), y\n      call twice(x)\n      y = x(0,1)**2*x(1,1)\n      end\n";
    std::fs::write(at.path().join("old.f"), old).unwrap();
    let told = overbar_ok(at.path(), &["verify", "old.f", "--head", "head(y)/(x)", "--run", "interpreter"]);
    assert!(told.starts_with("pass"), "{told}");
}

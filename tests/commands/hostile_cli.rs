//! Inputs, outputs and streams that are not what a command expects: never a panic, always an exit code and a word.

use crate::common;

use common::{overbar, overbar_ok, overbar_with_input};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A program in C and one in Fortran.
const C: &str = "double f(double x) { return x * x; }\n";
const FORTRAN: &str = "subroutine g(x, y)\n  real(8), intent(in) :: x\n  real(8), intent(out) :: y\n  y = x*x\nend subroutine\n";

/// The commands that read a file, with the words around its name.
fn commands(file: &str) -> Vec<Vec<String>> {
    let language = if file.ends_with(".c") { "c" } else { "fortran" };
    let all = [
        format!("diff|-b|{file}"),
        format!("frontend|{language}|{file}"),
        format!("boost|-b|{file}"),
        format!("backend|{language}|{file}"),
        format!("validate|{file}"),
        format!("eval|{file}|--input|{file}"),
        format!("verify|{file}|--run|interpreter"),
        format!("eliminate|{file}"),
        format!("plot|{file}|--what|cfg"),
        format!("report|{file}|-o|out.html"),
        format!("batch|{file}|-o|out"),
    ];
    all.iter().map(|words| words.split('|').map(str::to_owned).collect()).collect()
}

/// Neither a panic nor a signal, and where it failed something was said.
fn check(what: &str, output: &Output) {
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code();
    assert!(matches!(code, Some(0..=2)), "{what}: {:?}\n{errors:.2000}", output.status);
    assert!(!errors.contains("panicked") && !errors.contains("internal error"), "{what}:\n{errors:.2000}");
    assert!(code == Some(0) || errors.contains("OB") || errors.contains("error:"), "{what}: no word");
    assert!(output.stderr.len() < 400_000, "{what}: {} bytes of words", output.stderr.len());
}

fn try_all(folder: &Path, file: &str) {
    for words in commands(file) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        check(&format!("{words:?}"), &overbar(folder, &words));
    }
}

/// Texts by the name of their file.
fn texts() -> Vec<(&'static str, Vec<u8>)> {
    let name = "n".repeat(10_000);
    let deep = 20_000;
    let utf16: Vec<u8> = [0xFF, 0xFE].into_iter().chain(C.bytes().flat_map(|b| [b, 0])).collect();
    vec![
        ("empty.c", Vec::new()),
        ("empty.f90", Vec::new()),
        ("empty.xaif", Vec::new()),
        ("zeros.c", vec![0; 1000]),
        ("zeros.f90", vec![0; 1000]),
        ("zero_inside.c", C.replace("x * x", "x\0* x").into_bytes()),
        ("utf16.c", utf16),
        ("parentheses.c", format!("double f(double x) {{ return {}x{}; }}\n", "(".repeat(deep), ")".repeat(deep)).into_bytes()),
        ("parentheses.f90", FORTRAN.replace("x*x", &format!("{}x{}", "(".repeat(deep), ")".repeat(deep))).into_bytes()),
        ("blocks.c", format!("double f(double x) {{ {} return x; {} }}\n", "{".repeat(deep), "}".repeat(deep)).into_bytes()),
        ("ifs.c", format!("double f(double x) {{ double y = 0; {} y = x; return y; }}\n", "if (x > 0) ".repeat(deep)).into_bytes()),
        ("minus.c", format!("double f(double x) {{ return {}x; }}\n", "- ".repeat(deep)).into_bytes()),
        ("minus.f90", FORTRAN.replace("x*x", &format!("{}x", "-(".repeat(deep))).into_bytes()),
        ("powers.f90", FORTRAN.replace("x*x", &"x**".repeat(deep)).into_bytes()),
        (
            "ifs.f90",
            FORTRAN.replace("  y = x*x\n", &("if (x > 0) then\n".repeat(2000) + "y = x\n" + &"end if\n".repeat(2000))).into_bytes(),
        ),
        ("stars.c", format!("double f(double {}x) {{ return 1; }}\n", "*".repeat(deep)).into_bytes()),
        ("elements.xaif", "<a>".repeat(deep).into_bytes()),
        ("names.c", format!("double {name}(double x) {{ return {name}_(x, \"{name}\"); }}\n").into_bytes()),
        ("names.f90", format!("subroutine {name}(x)\nreal(8) :: x\nx = {name}_(x)\nend subroutine\n").into_bytes()),
        ("names.xaif", format!("<{name}/>").into_bytes()),
        ("graph.json", format!("{{\"vertices\":{}", "[".repeat(deep)).into_bytes()),
    ]
}

#[test]
fn odd_files() {
    let folder = tempfile::tempdir().unwrap();
    for (file, bytes) in texts() {
        std::fs::write(folder.path().join(file), bytes).unwrap();
        try_all(folder.path(), file);
    }
}

#[test]
fn files_that_are_none() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["folder.c", "folder.f90", "folder.xaif"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
        try_all(folder.path(), name);
    }
    for name in ["missing.c", "missing.f90", "missing.xaif", ""] {
        try_all(folder.path(), name);
    }
    std::fs::write(folder.path().join("f.c"), C).unwrap();
    for output in ["missing/out.c", "folder.c", "f.c/out.c", ""] {
        let done = overbar(folder.path(), &["diff", "-b", "--head", "f", "f.c", "-o", output]);
        check(output, &done);
        assert_ne!(done.status.code(), Some(0), "{output}");
    }
}

#[test]
fn good_text_in_odd_forms() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for (extension, text, head) in [("c", C, "f"), ("f90", FORTRAN, "g")] {
        let plain = {
            std::fs::write(path(&format!("plain.{extension}")), text).unwrap();
            overbar_ok(folder.path(), &["diff", "-b", "--head", head, &format!("plain.{extension}")])
        };
        let derivative = format!("{head}_b");
        assert!(plain.contains(&derivative));
        let long = format!("{text}{}", "\n".repeat(100_000));
        for (name, bytes) in [
            ("crlf", text.replace('\n', "\r\n").into_bytes()),
            ("mark", [b"\xEF\xBB\xBF".as_slice(), text.as_bytes()].concat()),
            ("no end", text.trim_end().as_bytes().to_vec()),
            ("a b 'c' \"d\"", text.as_bytes().to_vec()),
            ("-b", text.as_bytes().to_vec()),
            ("long", long.into_bytes()),
        ] {
            let file = format!("./{name}.{extension}");
            std::fs::write(path(&file), bytes).unwrap();
            let done = overbar(folder.path(), &["diff", "-b", "--head", head, "--", &file]);
            check(&file, &done);
            assert!(done.status.success() && String::from_utf8_lossy(&done.stdout).contains(&derivative), "{file}");
        }
        // No preprocessor takes that name.
        std::fs::write(path(&format!("line\nbreak.{extension}")), text).unwrap();
        let done = overbar(folder.path(), &["diff", "-b", "--head", head, &format!("line\nbreak.{extension}")]);
        check("a line break", &done);
        assert!(extension == "c" || done.status.success());
        let language = if extension == "c" { "c" } else { "fortran" };
        let done = overbar_with_input(folder.path(), &["diff", "-b", "--head", head, "--language", language, "-"], text.as_bytes());
        check("standard input", &done);
        assert!(done.status.success() && String::from_utf8_lossy(&done.stdout).contains(&derivative));
    }
}

#[cfg(unix)]
#[test]
fn names_that_are_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    for (bytes, text) in [(&b"\xff\xfe.c"[..], C), (b"\xff\xfe.f90", FORTRAN)] {
        let name = std::ffi::OsStr::from_bytes(bytes);
        std::fs::write(folder.path().join(name), text).unwrap();
        for command in ["diff", "frontend", "validate", "report", "plot", "verify"] {
            let mut run = Command::new(env!("CARGO_BIN_EXE_overbar"));
            run.current_dir(folder.path()).arg(command);
            match command {
                "diff" => run.arg("-b"),
                "frontend" => run.arg(if bytes.ends_with(b"c") { "c" } else { "fortran" }),
                "plot" => run.args(["--what", "cfg"]),
                _ => &mut run,
            };
            check(command, &run.arg(name).output().unwrap());
        }
    }
    check("batch", &overbar(folder.path(), &["batch", ".", "-o", "out", "-b"]));
}

/// The commands that print, as words for a shell.
#[cfg(unix)]
const PRINTING: [&str; 12] = [
    "diff -b --head f f.c",
    "frontend c f.c",
    "runtime c",
    "intrinsics",
    "explain --all",
    "plot --what callgraph --format dot f.c",
    "report --head f f.c",
    "verify --head f --run interpreter f.c",
    "completions bash",
    "completions zsh",
    "manpage",
    "--help",
];

#[cfg(unix)]
#[test]
fn nobody_reads_what_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f.c"), C).unwrap();
    let run = |line: &str, out: Stdio, err: Stdio| {
        let mut run = Command::new(env!("CARGO_BIN_EXE_overbar"));
        run.current_dir(folder.path()).args(line.split(' ')).stdout(out).stderr(err).spawn().unwrap()
    };
    for line in PRINTING {
        // A pipe whose reader is gone before anything is written.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let done = run(line, writer.into(), Stdio::piped()).wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.code() == Some(1) && !errors.contains("panicked"), "{line}: {:?} {errors}", done.status);
        if cfg!(target_os = "linux") {
            let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
            let done = run(line, full().into(), Stdio::piped()).wait_with_output().unwrap();
            check(line, &done);
            let errors = String::from_utf8_lossy(&done.stderr).into_owned();
            assert!(done.status.code() == Some(1) && errors.contains("OB0103"), "{line}: {:?} {errors}", done.status);
            // And nowhere to complain.
            let status = run(line, full().into(), full().into()).wait().unwrap();
            assert_eq!(status.code(), Some(1), "{line}");
            let status = run("diff -b missing.c", Stdio::null(), full().into()).wait().unwrap();
            assert_eq!(status.code(), Some(1));
        }
    }
}

#[test]
fn no_output_replaces_an_input() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("f.h"), "double f(double x);\n").unwrap();
    std::fs::write(path("f.c"), format!("#include \"f.h\"\n{C}")).unwrap();
    std::fs::write(path("h.c"), "double h(double x) { return x; }\n").unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("f.c", path("other.c")).unwrap();
        std::fs::hard_link(path("f.c"), path("third.c")).unwrap();
    }
    std::fs::create_dir(path("sub")).unwrap();
    std::fs::write(path("p.xaif"), overbar_ok(folder.path(), &["frontend", "c", "f.c", "--head", "f"])).unwrap();
    let before: Vec<_> = ["f.c", "f.h", "h.c", "p.xaif"].map(|f| (f, std::fs::read(path(f)).unwrap())).into();
    let mut tries = vec![
        "diff -b --head f f.c -o f.c",
        "diff -b --head f f.c -o ./sub/../f.c",
        "diff -b --head f f.c h.c -o h.c",
        "diff -b --head f f.c -o out.c --header f.h",
        "diff -b --head f f.c -o out.c --facts f.c",
        "diff -b --head f f.c -o out.c --stats f.c",
        "frontend c f.c -o f.c",
        "boost -b p.xaif -o p.xaif",
        "backend c p.xaif -o p.xaif",
        "plot --what cfg --format svg f.c -o f.c",
        "report --head f f.c -o f.c",
        "verify --head f --run interpreter f.c -o f.c",
    ];
    if cfg!(unix) {
        tries.extend(["diff -b --head f f.c -o other.c", "diff -b --head f other.c -o f.c", "diff -b --head f f.c -o third.c"]);
    }
    for line in tries {
        let done = overbar(folder.path(), &line.split(' ').collect::<Vec<_>>());
        let errors = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.code() == Some(2) && errors.contains("OB0112"), "{line}: {:?} {errors}", done.status);
        assert!(!path("out.c").exists(), "{line}");
    }
    for (file, bytes) in before {
        assert_eq!(std::fs::read(path(file)).unwrap(), bytes, "{file}");
    }
    // Another file may be replaced, and what was differentiated already is said to be.
    overbar_ok(folder.path(), &["diff", "-b", "--head", "f", "f.c", "-o", "out.c"]);
    overbar_ok(folder.path(), &["diff", "-b", "--head", "f", "f.c", "-o", "out.c"]);
    let again = overbar(folder.path(), &["diff", "-b", "--head", "f", "out.c", "-o", "twice.c"]);
    let errors = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(errors.contains("OB4022") && errors.contains("f_b"), "{errors}");
}

#[test]
fn a_flood_of_messages_ends() {
    let folder = tempfile::tempdir().unwrap();
    let xaif = {
        std::fs::write(folder.path().join("f.c"), C).unwrap();
        overbar_ok(folder.path(), &["frontend", "c", "f.c", "--head", "f(f)/(x)"])
    };
    let at = xaif.find("<xaif:ScopeHierarchy").expect("a hierarchy");
    let many = "<q:a xmlns:q=\"urn:q\"/>\n".repeat(300_000);
    std::fs::write(folder.path().join("many.xaif"), format!("{}{many}{}", &xaif[..at], &xaif[at..])).unwrap();
    for words in [&["validate", "many.xaif"][..], &["boost", "-b", "many.xaif"], &["--message-format", "json", "validate", "many.xaif"]] {
        let begun = std::time::Instant::now();
        let done = overbar(folder.path(), words);
        let errors = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(errors.contains("OB0113") && errors.lines().count() < 2000, "{words:?}: {} lines", errors.lines().count());
        assert!(begun.elapsed().as_secs() < 60, "{words:?}: {:?}", begun.elapsed());
        let derived = words[0] == "boost";
        assert_eq!(done.status.success() && !done.stdout.is_empty(), derived, "{words:?} {errors:.3000}");
    }
}

/// C is parsed however little room there is, within limits that fit.
#[cfg(target_os = "linux")]
#[test]
fn little_address_space() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f.c"), C).unwrap();
    for (file, bytes) in texts().into_iter().filter(|(file, _)| file.ends_with(".c")) {
        std::fs::write(folder.path().join(file), bytes).unwrap();
    }
    let deepest = format!("double f(double x) {{ return {}x; }}\n", "- ".repeat(19_000));
    std::fs::write(folder.path().join("deepest.c"), deepest).unwrap();
    let run = |kilobytes: u32, file: &str| {
        let line = format!("ulimit -v {kilobytes}; exec \"$0\" diff -b --no-preprocessor --head f {file}");
        Command::new("sh").args(["-c", &line, env!("CARGO_BIN_EXE_overbar")]).current_dir(folder.path()).output().unwrap()
    };
    for kilobytes in [2 << 20, 1 << 20] {
        let done = run(kilobytes, "f.c");
        assert!(done.status.success(), "{kilobytes}: {}", String::from_utf8_lossy(&done.stderr));
        for file in ["deepest.c", "parentheses.c", "blocks.c", "ifs.c", "minus.c", "stars.c"] {
            check(&format!("{kilobytes} {file}"), &run(kilobytes, file));
        }
    }
}

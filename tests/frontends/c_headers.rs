//! Headers that no `-I` names: which are read from the project, and what is said.

use crate::common;

use common::{overbar, overbar_ok};
use std::path::Path;

fn write(at: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let place = at.join(name);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(place, text).unwrap();
    }
}

/// What a command says on standard error, and whether it went well.
fn said(at: &Path, arguments: &[&str]) -> (bool, String) {
    let output = overbar(at, arguments);
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

const UNITS: &str =
    "#ifndef UNITS_H\n#define UNITS_H\n#include \"scale.h\"\nstatic inline double twice(double x) { return SCALE * x; }\n#endif\n";
const AREA: &str = "#include <math.h>\n#include \"units.h\"\ndouble area(double x) { return twice(x) * x; }\n";

/// f = 2 x^2 with the 2 from a header that a header includes.
#[test]
fn headers_of_the_project_are_read_with_a_warning() {
    let at = tempfile::tempdir().unwrap();
    let files = [("p/README", ""), ("p/test/area.c", AREA), ("p/src/api/units.h", UNITS), ("p/src/scale.h", "#define SCALE 2.0\n")];
    write(at.path(), &files);
    let request = ["p/test/area.c", "--head", "area/(x)"];
    let (good, text) = said(at.path(), &[&["diff", "-b", "-o", "area_b.c", "--certificate", "both"], &request[..]].concat());
    assert!(good && text.matches("OB0137").count() == 2, "{text}");
    assert!(text.contains("p/test/area.c:2:") && text.contains("give -I p/src/api") && text.contains("give -I p/src,"), "{text}");
    let certificate = overbar_ok(at.path(), &[&["verify"], &request[..]].concat());
    assert!(certificate.starts_with("pass") && certificate.contains("interpreter and compiled"), "{certificate}");
    // With what the warnings ask for there are none, and the same is written.
    let (good, text) = said(at.path(), &[&["diff", "-b", "-o", "same.c", "-I", "p/src/api", "-I", "p/src"], &request[..]].concat());
    assert!(good && !text.contains("OB0137"), "{text}");
    let read = |name: &str| std::fs::read_to_string(at.path().join(name)).unwrap();
    let lines =
        |text: String| text.lines().filter(|l| !l.contains("Certified") && !l.contains("Request")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(lines(read("area_b.c")), lines(read("same.c")));
    // A database that lacks a folder.
    let database = r#"[{"directory": "HERE/p", "file": "test/area.c", "command": "cc -Isrc/api -c test/area.c"}]"#
        .replace("HERE", &at.path().display().to_string());
    write(at.path(), &[("p/compile_commands.json", &database)]);
    let (good, text) =
        said(at.path(), &[&["diff", "-b", "-o", "o.c", "-p", "p/compile_commands.json", "--certificate", "both"], &request[..]].concat());
    assert!(good && text.matches("OB0137").count() == 1, "{text}");
}

/// Of two headers that differ none is read; a header of the file's own folder goes before all others.
#[test]
fn what_is_not_clear_is_asked_for() {
    let at = tempfile::tempdir().unwrap();
    let files = [
        ("p/Makefile", ""),
        ("p/test/area.c", AREA),
        ("p/api/units.h", UNITS),
        ("p/v1/scale.h", "#define SCALE 2.0\n"),
        ("p/v2/scale.h", "#define SCALE 3.0\n"),
    ];
    write(at.path(), &files);
    let request = ["diff", "p/test/area.c", "--head", "area/(x)", "-b"];
    let (good, text) = said(at.path(), &request);
    assert!(!good && text.contains("OB2002") && text.contains("-I p/v1 or -I p/v2"), "{text}");
    let (good, text) = said(at.path(), &[&request[..], &["-I", "p/v2"]].concat());
    assert!(good && text.contains("OB0137"), "{text}");
    write(at.path(), &[("p/test/scale.h", "#define SCALE 5.0\n"), ("p/test/units.h", UNITS)]);
    let written = overbar_ok(at.path(), &["frontend", "c", "p/test/area.c", "-I", "p/v2"]);
    assert!(written.contains("\"5.0\"") && !written.contains("\"3.0\""), "{written}");
    let database = r#"[{"directory": "HERE/p", "file": "test/area.c", "command": "cc -Iv2 -c test/area.c"}]"#
        .replace("HERE", &at.path().display().to_string());
    write(at.path(), &[("p/compile_commands.json", &database)]);
    let certificate = overbar_ok(at.path(), &["verify", "p/test/area.c", "-p", "p/compile_commands.json", "--head", "area/(x)"]);
    assert!(certificate.starts_with("pass") && certificate.contains("interpreter and compiled"), "{certificate}");
    // One that is made when the project is configured.
    write(at.path(), &[("p/test/area.c", &format!("#include \"made.h\"\n{AREA}")), ("p/cfg/made.h.in", "#undef HAVE_X\n")]);
    let (good, text) = said(at.path(), &request);
    assert!(!good && text.contains("OB2002") && text.contains("p/cfg/made.h.in") && text.contains("configure the project"), "{text}");
    // Nothing of the name anywhere.
    write(at.path(), &[("p/test/area.c", "#include \"no_such.h\"\ndouble area(double x) { return x; }\n")]);
    let (good, text) = said(at.path(), &request);
    assert!(!good && text.contains("OB2002") && text.contains("no_such.h") && !text.contains("OB0137"), "{text}");
}

/// A batch says the same, and does again what a header that it found has changed.
#[test]
fn batches_read_headers_of_the_project() {
    let at = tempfile::tempdir().unwrap();
    let files = [("p/README", ""), ("p/test/area.c", AREA), ("p/src/units.h", UNITS), ("p/src/scale.h", "#define SCALE 2.0\n")];
    write(at.path(), &files);
    let report = || {
        overbar_ok(at.path(), &["batch", "p/test", "-o", "made", "-b", "--resume"]);
        let text = std::fs::read_to_string(at.path().join("made/overbar-batch/report.json")).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).unwrap()["items"][0].clone()
    };
    let item = report();
    assert!(item["status"] == "done" && item["diagnostics"][0]["code"] == "OB0137", "{item}");
    assert_eq!(report()["resumed"], true);
    write(at.path(), &[("p/src/scale.h", "#define SCALE 3.0\n")]);
    assert_eq!(report()["resumed"], false);
}

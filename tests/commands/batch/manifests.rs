//! Batches by manifest.

use super::files::{statuses, tree, write};
use crate::common::{overbar, overbar_ok, root};

#[test]
fn both_forms_of_the_sample_give_what_diff_gives() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let sample = root().join("samples/batch");
    let [toml, xml] = ["manifest.toml", "manifest.xml"].map(|m| {
        let manifest = sample.join(m);
        overbar_ok(dir, &["batch", manifest.to_str().unwrap(), "-o", m]);
        tree(&dir.join(m))
    });
    assert_eq!(toml, xml);
    assert_eq!(toml.keys().collect::<Vec<_>>(), ["kernels/decay.f90", "kernels/energy.c", "kernels/logistic.c", "kernels/norm.c"]);
    overbar_ok(dir, &["validate", sample.join("manifest.xml").to_str().unwrap()]);
    let [constants, decay] = ["constants.f90", "decay.f90"].map(|f| sample.join("kernels").join(f).to_string_lossy().into_owned());
    let alone = overbar_ok(dir, &["diff", &constants, &decay, "-b", "-d", "--head", "decay(y)/(x,rate)"]);
    assert_eq!(toml["kernels/decay.f90"], alone);
}

#[test]
fn items_take_back_and_add_options() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    write(&dir.join("lists/a.c"), "#include \"n.h\"\ndouble f(double x, double y) { return N * x * y; }\n");
    write(&dir.join("include/n.h"), "#define N 3\n");
    write(
        &dir.join("lists/m.toml"),
        "[defaults]\ntangent = true\ninclude = \"../include\"\n[[item]]\ninput = \"a.c\"\nadjoint = false\nhead = [\"f/(x)\"]\n\
         tangent-suffix = \"_t\"\n",
    );
    // The command line has the defaults of the defaults.
    overbar_ok(dir, &["batch", "lists/m.toml", "-o", "out", "-b", "--tangent-suffix", "_u"]);
    let made = &tree(&dir.join("out"))["a.c"];
    assert!(made.contains("double f_t(double x, double xd, double y") && !made.contains("f_b") && !made.contains("f_u"), "{made}");
}

#[test]
fn what_is_wrong_with_a_manifest_has_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    write(&dir.join("a.c"), "double f(double x) { return x * x; }\n");
    write(&dir.join("b/a.c"), "double f(double x) { return x * x; }\n");
    let item = "[defaults]\nadjoint = true\n\n[[item]]\ninput = \"a.c\"\n";
    let cases = [
        (format!("{item}adjiont = true\n"), "OB0141", 6),
        (format!("{item}reversal = \"both\"\n"), "OB0141", 6),
        (format!("{item}explain = true\n"), "OB0141", 6),
        (format!("{item}head = \"f(\"\n"), "OB0010", 6),
        (format!("{item}adjoint = false\n"), "OB0104", 4),
        (format!("{item}\n[[item]]\ninput = \"*.f90\"\n"), "OB0143", 7),
        (format!("{item}\n[[item]]\ninput = \"[\"\n"), "OB0143", 7),
        (format!("{item}\n[[item]]\nfiles = \"c.c\"\n"), "OB0143", 7),
        (format!("{item}\n[[item]]\ninput = \"**/*.c\"\noutput = \"x.c\"\n"), "OB0143", 7),
        (format!("{item}\n[[item]]\ninput = \"b/a.c\"\noutput = \"a.c\"\n"), "OB0142", 7),
        (format!("{item}\n[[item]]\ninput = \"b/a.c\"\noutput = \"./a.c\"\n"), "OB0142", 7),
        (format!("{item}\n[[item]]\ninput = \"b/a.c\"\noutput = \"a.c/b.c\"\n"), "OB0142", 7),
        (format!("{item}\n[[item]]\ninput = \"b/a.c\"\noutput = \"../a.c\"\n"), "OB0142", 7),
        (format!("{item}\n[[item]]\ninput = \"b/a.c\"\noutput = \"/tmp/a.c\"\n"), "OB0142", 7),
        (format!("{item}\n[[item]]\ninput = \"b/a.c\"\noutput = \"overbar-batch/a.c\"\n"), "OB0142", 7),
        (format!("{item}what = {{ is = \"that\" }}\n"), "OB0140", 6),
        ("[[item]]\n".to_owned(), "OB0140", 1),
        ("item = [\n".to_owned(), "OB0140", 1),
        (String::new(), "OB0140", 1),
    ];
    for (text, code, line) in cases {
        write(&dir.join("m.toml"), &text);
        let output = overbar(dir, &["--message-format", "json", "batch", "m.toml", "-o", "out"]);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{text}: {errors}");
        let d: serde_json::Value = serde_json::from_str(errors.lines().next().unwrap()).unwrap();
        let l = &d["location"];
        assert_eq!(
            (d["code"].as_str(), l["file"].as_str(), l["line"].as_u64()),
            (Some(code), Some("m.toml"), Some(line)),
            "{text}: {errors}"
        );
        assert!(!dir.join("out").exists(), "{text}");
    }
}

#[test]
fn patterns_find_files_in_order_and_once() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    for name in ["m/z.c", "m/a.c", "m/deep/er/b.c", "m/deep/.no.c", "m/skip.txt"] {
        write(&dir.join(name), "double f(double x) { return x * x; }\n");
    }
    write(&dir.join("m/list.toml"), "[[item]]\ninput = [\"*.c\", \"**/*.c\", \"a.c\"]\nadjoint = true\n");
    overbar_ok(dir, &["batch", "m/list.toml", "-o", "out"]);
    assert_eq!(statuses(&dir.join("out")).keys().collect::<Vec<_>>(), ["a.c", "deep/er/b.c", "z.c"]);
}

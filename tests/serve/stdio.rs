//! `--stdio`: a request a line, an answer a line.

use super::common::{overbar_ok, overbar_with_input, root};
use super::limits::large_graph;
use super::{GRAPH, PROGRAM};
use serde_json::{Value, json};

fn exchange(options: &[&str], lines: &[String]) -> Vec<Value> {
    let input = lines.join("\n");
    let output = overbar_with_input(&root(), &[&["serve", "--stdio"], options].concat(), input.as_bytes());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{e}: {l}"))).collect()
}

fn request(id: Value, command: &str, options: Value, name: &str, text: &str) -> String {
    let mut request = json!({ "command": command, "options": options, "files": [{ "name": name, "text": text }] });
    if !id.is_null() {
        request["id"] = id;
    }
    request.to_string()
}

#[test]
fn answers_come_in_order_with_the_bytes_of_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f.c"), PROGRAM).unwrap();
    std::fs::write(folder.path().join("g.json"), GRAPH).unwrap();
    let derived = overbar_ok(folder.path(), &["diff", "f.c", "--no-preprocessor", "-b", "--head", "f(f)/(x)"]);
    let found = overbar_ok(folder.path(), &["eliminate", "g.json", "--format", "json"]);
    let slow = request(Value::Null, "eliminate", json!({ "search": 1 }), "large.json", &large_graph());
    let lines = vec![
        slow,
        request(Value::Null, "diff", json!({ "mode": "adjoint", "head": ["f(f)/(x)"] }), "f.c", PROGRAM),
        String::new(),
        "no request".to_owned(),
        "{\"command\": \"batch\"}".to_owned(),
        request(Value::Null, "eliminate", json!({ "format": "json" }), "g.json", GRAPH),
    ];
    for workers in ["1", "3"] {
        let answers = exchange(&["--workers", workers], &lines);
        assert_eq!(answers.len(), 5);
        assert!(answers[0]["output"].as_str().unwrap().starts_with("objective"));
        assert_eq!(answers[1]["output"].as_str().unwrap(), derived);
        assert_eq!((&answers[2]["outcome"], &answers[2]["diagnostics"][0]["code"]), (&"misused".into(), &"OB0169".into()));
        assert_eq!((&answers[3]["status"], &answers[3]["diagnostics"][0]["code"]), (&2.into(), &"OB0169".into()));
        assert_eq!(answers[4]["output"].as_str().unwrap(), found);
    }
}

#[test]
fn what_has_an_id_does_not_wait() {
    let lines = vec![
        request(json!("slow"), "eliminate", json!({ "search": 3 }), "large.json", &large_graph()),
        request(json!({ "n": [1, 2] }), "eliminate", json!({}), "g.json", GRAPH),
    ];
    let answers = exchange(&["--workers", "2"], &lines);
    assert_eq!((&answers[0]["id"], &answers[1]["id"]), (&json!({ "n": [1, 2] }), &json!("slow")));
    assert!(answers.iter().all(|a| a["outcome"] == "done"));
}

#[test]
fn limits_hold_here_too() {
    let long = format!("{{\"command\":\"validate\",\"files\":[{{\"name\":\"a\",\"text\":\"{}\"}}]}}", "x".repeat(2 << 20));
    let lines = vec![
        request(Value::Null, "eliminate", json!({ "search": 1000 }), "large.json", &large_graph()),
        long,
        request(Value::Null, "diff", json!({ "mode": "adjoint" }), "f.c", "#include \"/etc/passwd\"\n"),
        request(json!(4), "eliminate", json!({}), "g.json", GRAPH),
    ];
    let answers = exchange(&["--workers", "1", "--cpu-time", "2", "--body-bytes", "1K"], &lines);
    let by = |id: &Value| answers.iter().filter(|a| a["id"] == *id).collect::<Vec<_>>();
    let codes: Vec<&Value> = by(&Value::Null).iter().map(|a| &a["diagnostics"][0]["code"]).collect();
    assert_eq!(codes, [&json!("OB0162"), &json!("OB0160"), &json!("OB2003")]);
    assert_eq!(by(&json!(4))[0]["outcome"], "done");
}

#[test]
fn forms_and_bytes_can_be_asked_for() {
    let mut line: Value = serde_json::from_str(&request(Value::Null, "validate", json!({}), "a.xaif", "<a/>")).unwrap();
    line["form"] = "sarif".into();
    // `<a/>` in base64.
    line["files"][0] = json!({ "name": "a.xaif", "base64": "PGEvPg==" });
    let answers = exchange(&["--workers", "1"], &[line.to_string()]);
    let log: Value = serde_json::from_str(answers[0]["rendered"].as_str().unwrap()).unwrap();
    assert_eq!((&log["version"], &answers[0]["outcome"]), (&"2.1.0".into(), &"refused".into()));
}

//! Real files: read, and written back with nothing lost.
mod common;

use xaif::read::{Limits, read};
use xaif::write::write;

#[test]
fn real_files_come_back_whole() {
    let mut count = 0;
    for (name, bytes) in common::documents("corpus").into_iter().chain(common::documents("examples")) {
        if name.starts_with("catalogue") {
            continue;
        }
        count += 1;
        let (program, warnings) = read(&name, &bytes, &Limits::default()).unwrap_or_else(|e| panic!("{name}: {}", e[0]));
        assert!(warnings.iter().all(|w| w.code == "OB1017"), "{name}: {warnings:?}");
        let written = write(&program);
        let lost = common::differences(std::str::from_utf8(&bytes).unwrap(), &written);
        assert!(lost.is_empty(), "{name}: {} differences, first {}", lost.len(), lost[0]);
        let (again, _) = read(&name, written.as_bytes(), &Limits::default()).unwrap_or_else(|e| panic!("{name}: {}", e[0]));
        assert_eq!(write(&again), written, "{name}");
    }
    eprintln!("{count} files read and written back");
}

#[test]
fn real_files_make_sense() {
    let mut all = Vec::new();
    for (name, bytes) in common::documents("corpus").into_iter().chain(common::documents("examples")) {
        if name.starts_with("catalogue") {
            continue;
        }
        let (program, _) = read(&name, &bytes, &Limits::default()).unwrap();
        all.extend(xaif::validate::semantics(&program).iter().map(ToString::to_string));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

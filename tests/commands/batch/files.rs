//! Inputs for batches, and what they leave behind.

use crate::common::overbar_ok;
use std::collections::BTreeMap;
use std::path::Path;

/// Writes a file, and the folders that it needs.
pub fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// So many small programs: Fortran, XAIF and (a sixth of them, for each starts a preprocessor) C, in folders.
pub fn some(folder: &Path, count: usize) {
    write(&folder.join("seed.f90"), &fortran(0));
    let document = overbar_ok(folder, &["frontend", "fortran", "seed.f90", "--head", "f(y)/(x)"]);
    std::fs::remove_file(folder.join("seed.f90")).unwrap();
    for k in 0..count {
        let sub = folder.join(format!("part{}", k % 3));
        match k % 6 {
            0 => write(&sub.join(format!("k{k}.c")), &format!("double f(double x) {{ return {k}.5 * x * x; }}\n")),
            1 | 3 => write(&sub.join(format!("k{k}.xaif")), &document.replace("1.25d0", &format!("{k}.25d0"))),
            _ => write(&sub.join(format!("k{k}.f90")), &fortran(k)),
        }
    }
}

fn fortran(k: usize) -> String {
    format!(
        "subroutine f(n, x, y)\ninteger, intent(in) :: n\nreal(8), intent(in) :: x(n)\nreal(8), intent(out) :: y\ninteger :: i\ny = {k}\n\
         do i = 1, n\ny = y*x(i) + 1.25d0*sin(x(i))\nend do\nend subroutine\n"
    )
}

/// All files below an output folder by their names, without those of the batch itself.
pub fn tree(out: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![out.to_owned()];
    while let Some(at) = open.pop() {
        for entry in std::fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(out).unwrap().to_string_lossy().into_owned();
            if name == "overbar-batch" {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(name, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

/// The report of a batch.
pub fn report(out: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(out.join("overbar-batch/report.json")).unwrap()).unwrap()
}

/// The status of each item by its name.
pub fn statuses(out: &Path) -> BTreeMap<String, String> {
    let word = |v: &serde_json::Value| v.as_str().unwrap().to_owned();
    report(out)["items"].as_array().unwrap().iter().map(|i| (word(&i["output"]), word(&i["status"]))).collect()
}

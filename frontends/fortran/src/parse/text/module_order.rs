//! The order of several files: a compiler must have seen a module before it is used, and so must one who reads the output from its start.
//!
//! Lives here: who uses whose modules. Never here: what a module holds.

use super::tree::{File, child, walk};
use rustc_hash::FxHashMap;

/// Things that belong to files, in another order of these.
pub fn sorted<T>(things: Vec<T>, order: &[usize]) -> Vec<T> {
    let mut waiting: Vec<Option<T>> = things.into_iter().map(Some).collect();
    order.iter().filter_map(|&i| waiting.get_mut(i)?.take()).collect()
}

/// The files, by their numbers, with each behind those whose modules it uses, and otherwise as they are given. `None` where they are in such an order
/// already, or where there is none.
pub fn by_modules(files: &[File]) -> Option<Vec<usize>> {
    if files.len() < 2 {
        return None;
    }
    let mut home: FxHashMap<String, usize> = FxHashMap::default();
    let mut uses: Vec<Vec<String>> = Vec::new();
    for (i, f) in files.iter().enumerate() {
        let mut used = Vec::new();
        walk(f.tree.root_node(), &mut |n| {
            match n.kind() {
                "use_statement" => used.extend(child(n, "module_name").map(|m| f.lower(m))),
                "module_statement" => {
                    if let Some(name) = child(n, "name") {
                        home.insert(f.lower(name), i);
                    }
                }
                _ => {}
            }
            true
        });
        uses.push(used);
    }
    let needs: Vec<Vec<usize>> =
        uses.iter().enumerate().map(|(i, u)| u.iter().filter_map(|m| home.get(m).copied()).filter(|&h| h != i).collect()).collect();
    let mut done: Vec<usize> = Vec::new();
    while done.len() < files.len() {
        let ready = |i: &usize| !done.contains(i) && needs[*i].iter().all(|n| done.contains(n));
        done.push((0..files.len()).find(ready)?);
    }
    (!done.is_sorted()).then_some(done)
}

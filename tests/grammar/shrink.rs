//! Makes a failing program smaller, at the level of its own tree: functions, statements, bodies, at last parts of lines.
//!
//! Never here: what failing means.

use super::text::{Node, Program};

/// A place in a program: the file, then nodes and arms in turn.
type Path = Vec<usize>;

/// The smallest program found that still fails.
pub fn shrink(program: &Program, attempts: usize, fails: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    let mut left = attempts;
    loop {
        let before = best.size();
        best = pass(best, &mut left, fails);
        if best.size() == before || left == 0 {
            break;
        }
    }
    lines(best, &mut left, fails)
}

fn all_paths(program: &Program) -> Vec<Path> {
    fn walk(list: &[Node], at: &Path, out: &mut Vec<Path>) {
        for (k, n) in list.iter().enumerate() {
            let mut here = at.clone();
            here.push(k);
            out.push(here.clone());
            for (a, (_, body)) in n.arms.iter().enumerate() {
                let mut inner = here.clone();
                inner.push(a);
                walk(body, &inner, out);
            }
        }
    }
    let mut out = Vec::new();
    for (f, file) in program.files.iter().enumerate() {
        walk(&file.nodes, &vec![f], &mut out);
    }
    out
}

/// The list that a path ends in, and the position there.
fn list_of<'a>(program: &'a mut Program, path: &[usize]) -> Option<(&'a mut Vec<Node>, usize)> {
    let mut list = &mut program.files.get_mut(path[0])?.nodes;
    let mut rest = &path[1..];
    while rest.len() > 1 {
        list = &mut list.get_mut(rest[0])?.arms.get_mut(rest[1])?.1;
        rest = &rest[2..];
    }
    (rest[0] < list.len()).then_some((list, rest[0]))
}

fn pass(mut best: Program, left: &mut usize, fails: &mut dyn FnMut(&Program) -> bool) -> Program {
    // From the end: what is used stands before its use.
    let mut paths = all_paths(&best);
    paths.reverse();
    // Large things first.
    let sizes: Vec<usize> = paths.iter().map(|p| list_of(&mut best, p).map_or(0, |(l, k)| l[k].size())).collect();
    let mut order: Vec<usize> = (0..paths.len()).collect();
    order.sort_by_key(|&k| std::cmp::Reverse(sizes[k]));
    for k in order {
        let path = &paths[k];
        for variant in 0..4 {
            if *left == 0 {
                return best;
            }
            let mut candidate = best.clone();
            let Some((list, at)) = list_of(&mut candidate, path) else { break };
            match variant {
                0 => {
                    list.remove(at);
                }
                1 | 2 => {
                    // A body instead of what is around it.
                    let arm = variant - 1;
                    if path.len() == 2 || list[at].arms.get(arm).is_none_or(|a| a.1.is_empty()) || list[at].close.is_none() {
                        continue;
                    }
                    let body = list[at].arms[arm].1.clone();
                    list.splice(at..=at, body);
                }
                _ => {
                    if list[at].arms.len() < 2 {
                        continue;
                    }
                    list[at].arms.pop();
                }
            }
            *left -= 1;
            if fails(&candidate) {
                // Paths behind it have moved: the next pass sees them again.
                return candidate;
            }
        }
    }
    best
}

/// Parts of lines: what stands in parentheses, or behind an equals sign.
fn lines(mut best: Program, left: &mut usize, fails: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut k = 0;
    loop {
        let paths = all_paths(&best);
        let Some(path) = paths.get(k) else { return best };
        k += 1;
        let mut from = 0;
        loop {
            if *left == 0 {
                return best;
            }
            let mut candidate = best.clone();
            let Some((list, at)) = list_of(&mut candidate, path) else { break };
            let Some((text, next)) = simpler(&list[at].arms[0].0, from) else { break };
            list[at].arms[0].0 = text;
            *left -= 1;
            if fails(&candidate) {
                best = candidate;
            } else {
                from = next;
            }
        }
    }
}

/// The line with one group of parentheses, or a right side, replaced by a number; where to go on.
fn simpler(line: &str, from: usize) -> Option<(String, usize)> {
    let bytes = line.as_bytes();
    for i in from..bytes.len() {
        if bytes[i] == b'=' && line[i..].starts_with("= ") && line.ends_with(';') && line.len() > i + 7 {
            return Some((format!("{}= 0.3;", &line[..i]), i + 1));
        }
        if bytes[i] == b'(' {
            let mut depth = 0;
            for (j, &b) in bytes.iter().enumerate().skip(i) {
                depth += i32::from(b == b'(') - i32::from(b == b')');
                if depth == 0 {
                    if &line[i..=j] == "(0.3)" || j < i + 3 {
                        break;
                    }
                    return Some((format!("{}(0.3){}", &line[..i], &line[j + 1..]), i + 1));
                }
            }
        }
    }
    None
}

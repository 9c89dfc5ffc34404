//! The book: every page is in its list of contents, every link leads somewhere, also to headings; the page of commands is what the program prints.

use crate::common::{overbar_ok, root};

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The pages of the book below the root of the project, in alphabetical order.
pub fn pages() -> Vec<String> {
    let mut out = Vec::new();
    let mut open = vec![root().join("docs")];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()) {
            if entry.is_dir() {
                open.push(entry);
            } else if entry.extension().is_some_and(|e| e == "md") {
                out.push(entry.strip_prefix(root()).expect("below").display().to_string());
            }
        }
    }
    out.sort();
    out
}

/// The text outside of fenced blocks and of code in a line.
fn prose(text: &str) -> String {
    let mut out = String::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            out.extend(line.split('`').step_by(2));
            out.push('\n');
        }
    }
    out
}

/// Where links lead to within the project: `[text](target)`.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|t| !t.contains("://") && !t.starts_with("mailto:")).map(str::to_owned).collect()
}

/// The names of headings in links.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut fenced = false;
    let headings = text.lines().filter(|l| {
        fenced ^= l.starts_with("```");
        !fenced && l.starts_with('#')
    });
    let anchor = |l: &str| {
        let words = l.trim_start_matches('#').trim().to_lowercase();
        words.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c)).map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

/// Links of a page that lead nowhere.
fn broken(page: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(page).expect("a page");
    let leads = |target: &str| {
        let (file, heading) = target.split_once('#').map_or((target, None), |(f, h)| (f, Some(h)));
        let path = if file.is_empty() { page.to_owned() } else { page.parent().expect("a folder").join(file) };
        let has = |h: &str| std::fs::read_to_string(&path).is_ok_and(|t| anchors(&t).contains(h));
        path.exists() && heading.is_none_or(has)
    };
    links(&text).into_iter().filter(|t| !leads(t)).map(|t| format!("{} leads to {t}", page.display())).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let others = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "samples/README.md"];
    let all: Vec<PathBuf> = pages().iter().map(String::as_str).chain(others).map(|p| root().join(p)).collect();
    let found: Vec<String> = all.iter().flat_map(|p| broken(p)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
    // A site that is made of the book has what is in its folder.
    let book = root().join("docs");
    let leaves = |page: &PathBuf| {
        let text = std::fs::read_to_string(page).expect("a page");
        let folder = page.parent().expect("a folder").to_owned();
        let out = links(&text).into_iter().filter(|t| {
            let path = folder.join(t.split('#').next().unwrap_or_default());
            path.canonicalize().is_ok_and(|p| !p.starts_with(&book))
        });
        out.map(|t| format!("{} leads out of the book, to {t}", page.display())).collect::<Vec<_>>()
    };
    let left: Vec<String> = all.iter().filter(|p| p.starts_with(&book)).flat_map(leaves).collect();
    assert!(left.is_empty(), "{}", left.join("\n"));
    let count: usize = all.iter().map(|p| links(&std::fs::read_to_string(p).expect("a page")).len()).sum();
    assert!(count > 100, "only {count} links were found");
}

#[test]
fn links_that_lead_nowhere_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.md");
    let text = "# One `two`: three\n[a](page.md) [b](#one-two-three) [c](gone.md) [d](page.md#gone) `[e](gone.md)` [f](https://x.org)\n```text\n[g](gone.md)\n```\n";
    std::fs::write(&page, text).expect("written");
    let found = broken(&page);
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn the_contents_have_every_page_once() {
    let text = std::fs::read_to_string(root().join("docs/SUMMARY.md")).expect("docs/SUMMARY.md");
    let listed = links(&text);
    for page in pages() {
        let name = page.strip_prefix("docs/").expect("below docs");
        let times = listed.iter().filter(|l| *l == name).count();
        assert_eq!(times, usize::from(name != "SUMMARY.md"), "{name} stands {times} times in docs/SUMMARY.md");
    }
}

/// The rows of tables in a section of the README, cell by cell.
fn rows(section: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let part = text.split(&format!("## {section}\n")).nth(1).expect("the section").split("\n## ").next().unwrap_or_default().to_owned();
    let table = part.lines().filter(|l| l.starts_with("| ") && !l.contains("| tangent |") && !l.starts_with("| kernel |"));
    table.map(|l| l.trim_matches('|').split(" | ").map(|c| c.trim().to_owned()).collect()).collect()
}

#[test]
fn the_first_page_has_the_figures_of_the_others() {
    let page = |name: &str| std::fs::read_to_string(root().join(name)).expect("a page");
    let (known, conformance) = (page("docs/performance.md"), page("docs/conformance.md"));
    let costs = rows("What a gradient costs");
    for cost in &costs {
        let told = known.lines().any(|l| l.split_whitespace().take(4).eq(cost.iter().map(String::as_str)));
        assert!(told, "docs/performance.md does not say {cost:?}");
    }
    let median = known.split("The median of C/hand is ").nth(1).and_then(|t| t.split_whitespace().next()).expect("a median");
    assert!(page("README.md").contains(&format!("The median of the last column over all kernels is {median}.")));
    let constructs = rows("What is differentiated");
    for row in &constructs {
        assert!(conformance.contains(&format!("| {} |\n", row.join(" | "))), "docs/conformance.md does not say {row:?}");
    }
    assert!(costs.len() > 5 && constructs.len() > 15, "{} and {} rows", costs.len(), constructs.len());
}

#[test]
fn the_page_of_commands_is_what_the_program_prints() {
    let folder = tempfile::tempdir().expect("a folder");
    let top = overbar_ok(folder.path(), &["--help"]);
    let list = top.split("Commands:\n").nth(1).and_then(|t| t.split("\n\n").next()).expect("the commands");
    let names = list.lines().filter(|l| l.starts_with("  ") && !l.starts_with("   ")).filter_map(|l| l.split_whitespace().next());
    let mut page = format!(
        "# Commands\n\nWhat `overbar help` prints, and `overbar help COMMAND`. This page is made by a test.\n\n```text\n{}\n```\n",
        top.trim_end()
    );
    for name in names.filter(|n| *n != "help") {
        let help = overbar_ok(folder.path(), &["help", name]);
        page.push_str(&format!("\n## overbar {name}\n\n```text\n{}\n```\n", help.trim_end()));
    }
    let path = root().join("docs/commands.md");
    if std::env::var_os("OVERBAR_REMAKE").is_some() {
        std::fs::write(&path, &page).expect("written");
    }
    let known = std::fs::read_to_string(path).unwrap_or_default();
    assert!(known == page, "docs/commands.md is not what the program prints: run this test with OVERBAR_REMAKE=1");
}

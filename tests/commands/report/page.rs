//! A page, taken apart.

use roxmltree::{Document, Node, ParsingOptions};
use std::collections::{BTreeMap, BTreeSet};

/// The text of a page.
pub struct Page(String);

fn has_class(n: &Node, class: &str) -> bool {
    n.attribute("class").is_some_and(|c| c.split(' ').any(|w| w == class))
}

/// All text in an element.
pub fn text(n: Node) -> String {
    n.descendants().filter(Node::is_text).filter_map(|t| t.text()).collect()
}

/// A line as it is shown: with blanks for tabs.
pub fn expanded(line: &str) -> String {
    let mut out = String::new();
    for c in line.chars() {
        match c {
            '\t' => out.push_str(&" ".repeat(8 - out.chars().count() % 8)),
            c => out.push(c),
        }
    }
    out
}

/// The names in a line of code.
pub fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|w| !w.is_empty())
}

impl Page {
    /// Parses a page, which must be well-formed.
    pub fn parse(text: &str) -> Page {
        let page = Page(text.to_owned());
        page.with(|_| ());
        page
    }

    /// Looks at it.
    pub fn with<T>(&self, look: impl FnOnce(&Document) -> T) -> T {
        let options = ParsingOptions { allow_dtd: true, nodes_limit: u32::MAX, ..ParsingOptions::default() };
        look(&Document::parse_with_options(&self.0, options).expect("well-formed"))
    }

    fn each<T>(&self, class: &str, mut look: impl FnMut(Node) -> T) -> Vec<T> {
        self.with(|d| d.descendants().filter(|n| has_class(n, class)).map(&mut look).collect())
    }

    fn by_id<T>(&self, id: &str, look: impl FnOnce(Node) -> T) -> T {
        self.with(|d| look(d.descendants().find(|n| n.attribute("id") == Some(id)).unwrap_or_else(|| panic!("no {id}"))))
    }

    /// Sections, ids, links, and nothing from elsewhere.
    pub fn check_structure(&self, name: &str) {
        self.with(|d| {
            let ids: Vec<&str> = d.descendants().filter_map(|n| n.attribute("id")).collect();
            let known: BTreeSet<&str> = ids.iter().copied().collect();
            assert_eq!(known.len(), ids.len(), "{name}: ids are unique");
            for id in ["summary", "code", "records", "elimination", "units", "graphs", "certificate", "remarks"] {
                assert!(known.contains(id), "{name}: {id}");
            }
            for n in d.descendants().filter(Node::is_element) {
                assert!(!["link", "img", "iframe", "object", "embed", "base", "form"].contains(&n.tag_name().name()), "{name}: {n:?}");
                assert!(n.attribute("src").is_none(), "{name}: {n:?}");
                assert!(n.attributes().all(|a| !a.name().starts_with("on") && a.name() != "style"), "{name}: {n:?}");
                if let Some(to) = n.attribute("href") {
                    let target = to.strip_prefix('#').unwrap_or_else(|| panic!("{name}: {to} leads out of the page"));
                    assert!(known.contains(target), "{name}: {to} leads nowhere");
                }
            }
            assert_eq!(d.descendants().filter(|n| n.has_tag_name(("http://www.w3.org/1999/xhtml", "script"))).count(), 1, "{name}");
        });
    }

    /// The code of the lines of a side.
    pub fn texts(&self, side: &str) -> Vec<String> {
        self.numbered(side).into_iter().map(|(_, t)| t).collect()
    }

    /// The same with the numbers of the lines.
    pub fn numbered(&self, side: &str) -> Vec<(usize, String)> {
        self.each(side, |n| {
            let mut parts = n.children().filter(Node::is_element);
            let number = text(parts.next().unwrap()).parse().unwrap();
            let code = parts.find(|c| c.tag_name().name() == "code").unwrap();
            (number, text(code))
        })
    }

    /// The generated lines of each line of the source.
    pub fn down(&self) -> BTreeMap<String, Vec<usize>> {
        let lines = self.each("src", |n| {
            let ranges = n.attribute("data-d")?;
            let one = |r: &str| {
                let (a, b) = r.split_once('-').unwrap_or((r, r));
                a.parse().unwrap()..=b.parse().unwrap()
            };
            Some((n.attribute("id").unwrap().to_owned(), ranges.split(' ').flat_map(one).collect()))
        });
        lines.into_iter().flatten().collect()
    }

    /// The line of the source of each generated line.
    pub fn up(&self) -> BTreeMap<usize, String> {
        let lines = self.each("drv", |n| Some((n.attribute("id")?.strip_prefix('d')?.parse().ok()?, n.attribute("data-s")?.to_owned())));
        lines.into_iter().flatten().collect()
    }

    /// The names of the derivative units.
    pub fn units(&self) -> Vec<String> {
        self.each("unit", |n| n.attribute("data-unit").unwrap_or_default().to_owned())
    }

    /// The text of a section.
    pub fn section(&self, id: &str) -> String {
        self.by_id(id, text)
    }

    /// The classes of a line.
    pub fn classes(&self, id: &str) -> String {
        self.by_id(id, |n| n.attribute("class").unwrap_or_default().to_owned())
    }

    /// Whether a statement goes on there that begins on another line.
    pub fn goes_on(&self, id: &str) -> bool {
        self.by_id(id, |n| n.attribute("data-c").is_some())
    }

    /// The letters beside a line.
    pub fn marks(&self, id: &str) -> String {
        self.by_id(id, |n| n.children().filter(|c| has_class(c, "m")).map(text).collect())
    }

    /// What is said of a line.
    pub fn says(&self, id: &str) -> String {
        self.by_id(id, |n| n.children().filter(|c| has_class(c, "x")).flat_map(|c| c.children()).map(|p| text(p) + "\n").collect())
    }

    /// The rows of the table under that caption: the texts of its cells.
    pub fn table(&self, caption: &str) -> Vec<Vec<String>> {
        self.with(|d| {
            let table = d.descendants().find(|n| n.tag_name().name() == "caption" && text(*n) == caption);
            let Some(table) = table.and_then(|c| c.parent()) else { return Vec::new() };
            let body = table.children().find(|n| n.tag_name().name() == "tbody").unwrap();
            let rows = body.children().filter(|n| n.tag_name().name() == "tr");
            rows.map(|r| r.children().filter(|c| c.tag_name().name() == "td").map(text).collect()).collect()
        })
    }
}

//! Small documents of other kinds than XAIF: a tree of elements as text.
//!
//! Lives here: the tree and its layout. Never here: what the elements mean.

use super::xml::Out;

/// An element: attributes in order, then text or children.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Element {
    /// Its name.
    pub name: &'static str,
    /// Its attributes.
    pub attributes: Vec<(&'static str, String)>,
    /// Its children.
    pub children: Vec<Element>,
    /// Its text, where it has no children.
    pub text: String,
}

impl Element {
    /// An element with nothing but its name.
    pub fn new(name: &'static str) -> Element {
        Element { name, ..Element::default() }
    }

    /// With one more attribute.
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Element {
        self.attributes.push((name, value.to_string()));
        self
    }

    /// With one more child.
    pub fn child(mut self, child: Element) -> Element {
        self.children.push(child);
        self
    }

    /// With text.
    pub fn text(mut self, text: impl Into<String>) -> Element {
        self.text = text.into();
        self
    }
}

/// The document with that root.
pub fn document(root: &Element) -> String {
    /// What is still to be done.
    enum Step<'a> {
        Open(&'a Element),
        Close,
    }
    let mut out = Out::new(false, None);
    let mut todo = vec![Step::Open(root)];
    while let Some(step) = todo.pop() {
        match step {
            Step::Close => out.close(),
            Step::Open(e) => {
                out.open(e.name);
                e.attributes.iter().for_each(|(n, v)| out.attr(n, v));
                if e.children.is_empty() {
                    out.text(&e.text);
                } else {
                    todo.push(Step::Close);
                    todo.extend(e.children.iter().rev().map(Step::Open));
                }
            }
        }
    }
    // Nothing fails without a sink.
    out.finish().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_well_formed() {
        let root = Element::new("a").with("k", "x<\"y\"").child(Element::new("b").text("1 & 2")).child(Element::new("c"));
        let text = document(&root);
        let parsed = roxmltree::Document::parse(&text).unwrap();
        assert_eq!(parsed.root_element().attribute("k"), Some("x<\"y\""));
        assert_eq!(parsed.root_element().children().find(|n| n.has_tag_name("b")).unwrap().text(), Some("1 & 2"));
    }
}

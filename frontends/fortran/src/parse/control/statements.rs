//! Statements of any kind: labels, comments, which construct one is.
//!
//! Lives here: statements in a row. Never here: what one becomes.

use crate::parse::context::state::{Lower, Lowered, Refusal};
use crate::parse::text::tree::{MAX_NESTING, child, children, is_bracket};
use tree_sitter::Node;
use xaif::model::*;

impl<'t> Lower<'t> {
    /// Statements in a row, each on its own: a refusal ends none but the statement it is about.
    pub fn statements(&mut self, nodes: &[Node<'t>], refusals: &mut Vec<xaif::Diagnostic>) {
        let names = self.cur.frames.len();
        for (k, &n) in nodes.iter().enumerate() {
            let named = n.kind() == "pointer_association_statement" && !self.cur.pointers.is_empty();
            let done = if named { self.follow_pointer(n, &nodes[k + 1..]) } else { Ok(false) };
            match done {
                Ok(true) => {}
                Ok(false) => {
                    if let Err(r) = self.statement(n, refusals) {
                        refusals.push(*r);
                    }
                }
                Err(r) => refusals.push(*r),
            }
        }
        // Pointers have their targets up to here.
        self.cur.frames.truncate(names);
    }

    /// Puts the label of a row here if something jumps to it.
    pub fn put_label(&mut self, node: Node<'t>) {
        let label = self.file().label(node).to_string();
        if !label.is_empty()
            && self.cur.targets.contains(&label)
            && let Some(g) = &mut self.cur.graph
        {
            g.label(label);
        }
    }

    /// A statement of any kind.
    pub fn statement(&mut self, node: Node<'t>, refusals: &mut Vec<xaif::Diagnostic>) -> Lowered<()> {
        if is_bracket(node.kind()) || matches!(node.kind(), "format_statement" | ";") || !node.is_named() {
            return Ok(());
        }
        if self.cur.constructs.len() > MAX_NESTING {
            return Err(self.refuse(node, "OB3005", "constructs nest too deeply"));
        }
        let first_on_row =
            children(node).is_empty() || node.parent().is_none_or(|p| p.start_position().row != node.start_position().row || !is_inline(p));
        self.cur.statement = Some(node);
        if first_on_row {
            self.put_label(node);
            self.cur.comment = self.file().comment(node);
        }
        match node.kind() {
            "if_statement" => self.if_statement(node, refusals),
            "arithmetic_if_statement" => self.arithmetic_if(node),
            "do_loop" => self.do_loop(node, refusals),
            "select_case_statement" => self.select_case(node, refusals),
            "keyword_statement" => self.keyword(node),
            "associate_statement" => self.associate(node, refusals),
            "block_construct" => self.block(node, refusals),
            "select_type_statement" => Err(self.refuse(node, "OB3027", "SELECT TYPE")),
            "select_rank_statement" => Err(self.refuse(node, "OB3027", "SELECT RANK")),
            "assign_statement" => Err(self.refuse(node, "OB3036", "ASSIGN of a label")),
            "entry_statement" => Err(self.refuse(node, "OB3024", "ENTRY")),
            "include_statement" => Err(self.include(node)),
            "call_expression" => Err(self.refuse(node, "OB3001", "syntax error: this is no statement")),
            "coarray_team_statement" | "coarray_critical_statement" => Err(self.refuse(node, "OB3026", "coarray statement")),
            _ => self.simple(node),
        }
    }

    /// Sets comment, text and place of a vertex.
    pub fn describe(&mut self, v: VertexId, head: Node<'t>, name: &str) {
        let file = self.file();
        let row = head.start_position().row;
        let span = file.row_span(row);
        let text = file.spliced.lines.get(row).map_or(String::new(), |l| l.text.clone());
        let comment = std::mem::take(&mut self.cur.comment);
        if let Some(g) = &mut self.cur.graph {
            let v = g.vertex_mut(v);
            v.span = span;
            v.line = span.line;
            v.text = text.into();
            v.comment = comment.into();
            v.label = name.into();
        }
    }

    /// The name in front of a construct, or none.
    pub fn construct_name(&self, node: Node<'t>) -> String {
        child(node, "block_label_start_expression").and_then(|b| child(b, "label")).map_or(String::new(), |l| self.lower(l))
    }

    /// An INCLUDE line that is none in this source form.
    pub fn include(&self, node: Node<'t>) -> Refusal {
        let mut d = *self.refuse(node, "OB3004", "INCLUDE line");
        d.help = Some("put the included text in its place, or make it a module".into());
        Box::new(d)
    }
}

/// Whether a node is a one-line IF or WHERE, whose inner statement stands on the same row.
fn is_inline(node: Node) -> bool {
    node.kind() == "if_statement"
}

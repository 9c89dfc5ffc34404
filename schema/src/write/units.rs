//! Program units and their control-flow graphs.
//!
//! Lives here: ControlFlowGraph, ReplacementList and what is directly in them. Never here: statements.

use super::Writer;
use super::ids::{GraphIds, statement_numbers};
use super::pieces::PIECE;
use crate::model::*;
use crate::vocabulary::{ELEMENT, Words, join};
use petgraph::visit::EdgeRef;
use smol_str::SmolStr;
use std::ops::Range;

impl<'p> Writer<'p> {
    /// All units; small ones are written together.
    pub(super) fn units(&mut self) {
        let units = &self.program.units;
        let sizes: Vec<usize> = units.iter().map(|u| 1 + super::statements(&u.graph).count()).collect();
        let mut at = 0;
        while at < units.len() {
            if sizes[at] >= PIECE {
                self.unit(at, &units[at]);
                at += 1;
                continue;
            }
            let small = sizes[at..].iter().take_while(|s| **s < PIECE).count();
            let groups = grouped(&sizes[at..at + small]);
            self.in_pieces(groups.len(), |w, g| {
                for i in groups[g].clone() {
                    w.unit(at + i, &units[at + i]);
                }
            });
            at += small;
        }
    }

    /// The unit at a position of the program.
    pub(super) fn unit(&mut self, position: usize, unit: &'p Unit) {
        let list = unit.replacements.as_ref();
        self.out.open(if list.is_some() { "xaif:ReplacementList" } else { "xaif:ControlFlowGraph" });
        self.out.attr("vertex_id", &self.ids.units[position]);
        self.symbol_attrs(unit.symbol);
        self.out.attr("controlflowgraph_scope_id", &self.ids.scopes[unit.scope.index()]);
        self.annotation(&unit.annotation);
        match list {
            Some((template, _)) => self.out.attr("template_name", template),
            None => {
                self.flag("active", unit.active, true, &unit.extras);
                self.flag("structured", unit.structured, true, &unit.extras);
            }
        }
        if self.ob {
            self.extension(unit);
        }
        self.extras(&unit.extras);
        if unit.has_argument_list || !unit.formals.is_empty() {
            self.out.open("xaif:ArgumentList");
            for f in &unit.formals {
                self.formal(f);
            }
            self.out.close();
        }
        let e = &unit.effects;
        let lists = [
            ("xaif:ModLocal", &e.mod_local),
            ("xaif:Mod", &e.modified),
            ("xaif:ReadLocal", &e.read_local),
            ("xaif:Read", &e.read),
            ("xaif:OnEntry", &e.on_entry),
        ];
        for (element, references) in lists {
            let Some(references) = references else { continue };
            self.out.open(element);
            for r in references {
                self.lone_reference("xaif:SideEffectReference", r);
            }
            self.out.close();
        }
        match list {
            None => self.graph(&unit.graph),
            Some((_, replacements)) => {
                for r in replacements {
                    self.out.open("xaif:Replacement");
                    self.out.number("placeholder", r.placeholder);
                    if !r.structured || !self.ob {
                        self.out.attr("structured", if r.structured { "1" } else { "0" });
                    }
                    self.graph(&r.graph);
                    self.out.close();
                }
            }
        }
        self.out.close();
    }

    fn extension(&mut self, unit: &Unit) {
        if unit.kind != UnitKind::Subroutine {
            self.out.attr("ob:kind", unit.kind.word());
        }
        if let Some(d) = unit.derivation {
            self.out.attr("ob:derivedFrom", &self.ids.units[d.of.index()]);
            self.out.attr("ob:mode", d.mode.word());
        }
        if let Some(n) = unit.directions {
            self.out.number("ob:directions", n);
        }
        if let Some(s) = unit.standing {
            self.out.attr("ob:certificate", s.word());
        }
        self.place(unit.span);
        self.out.ob_joined("ob:prefixes", &join(unit.prefixes.iter().map(SmolStr::as_str), ' '));
        self.out.ob_joined("ob:imports", &join(unit.imports.iter().map(String::as_str), '\n'));
        if let Some(r) = unit.reversal {
            self.out.attr("ob:reversal", r.word());
        }
        self.out.ob_text("ob:comment", &unit.comment);
    }

    fn formal(&mut self, f: &Formal) {
        self.out.open("xaif:ArgumentSymbolReference");
        self.out.number("position", f.position);
        self.symbol_attrs(f.symbol);
        self.out.attr("intent", f.intent.word());
        self.annotation(&f.annotation);
        self.flag("deriv", f.deriv, false, &f.extras);
        if self.ob {
            if !f.intent_declared {
                self.out.attr("ob:intentDeclared", "false");
            }
            if f.result {
                self.out.attr("ob:result", "true");
            }
        }
        self.extras(&f.extras);
        self.out.close();
    }

    fn graph(&mut self, graph: &'p FlowGraph) {
        let ids = GraphIds::new(graph);
        let numbers = statement_numbers(graph, self.program.dialect);
        let sizes: Vec<usize> = graph.node_weights().map(super::ids::statements_of).map(Iterator::count).collect();
        let mut first: Vec<usize> = Vec::with_capacity(sizes.len());
        sizes.iter().fold(0, |sum, s| {
            first.push(sum);
            sum + s
        });
        let element = |w: &mut Writer<'p>, v: usize| {
            let own = numbers.get(first[v]..first[v] + sizes[v]).unwrap_or_default();
            w.vertex_element(graph, VertexId::new(v), &ids, own);
        };
        let mut at = 0;
        while at < sizes.len() {
            if sizes[at] >= PIECE {
                element(self, at);
                at += 1;
                continue;
            }
            let small = sizes[at..].iter().take_while(|s| **s < PIECE).count();
            let groups = grouped(&sizes[at..at + small]);
            self.in_pieces(groups.len(), |w, g| groups[g].clone().for_each(|i| element(w, at + i)));
            at += small;
        }
        for e in graph.edge_references() {
            let edge = e.weight();
            self.out.open("xaif:ControlFlowEdge");
            self.out.attr("edge_id", &ids.edges[e.id().index()]);
            self.out.attr("source", &ids.vertices[e.source().index()]);
            self.out.attr("target", &ids.vertices[e.target().index()]);
            self.condition_value(edge);
            if !edge.annotation.is_empty() {
                self.out.attr("annotation", &edge.annotation);
            }
            if let Some(jump) = edge.jump.filter(|_| self.ob) {
                self.out.attr("ob:jump", jump.word());
            }
            self.extras(&edge.extras);
            self.out.close();
        }
    }

    fn vertex_element(&mut self, graph: &'p FlowGraph, at: VertexId, ids: &GraphIds, statements: &[u32]) {
        let v = &graph[at];
        let own = v.extras.0.iter().flat_map(|l| l.iter()).find(|(k, _)| k == ELEMENT);
        let (element, has_line) = match &v.kind {
            VertexKind::Entry => ("xaif:Entry", false),
            VertexKind::Exit => ("xaif:Exit", false),
            VertexKind::Block { .. } => ("xaif:BasicBlock", false),
            VertexKind::For(_) => ("xaif:ForLoop", true),
            VertexKind::Pre(_) => ("xaif:PreLoop", true),
            VertexKind::Post(_) => ("xaif:PostLoop", true),
            VertexKind::EndLoop => ("xaif:EndLoop", false),
            VertexKind::Branch(_) if own.is_some_and(|(_, n)| n == "If") => ("xaif:If", true),
            VertexKind::Branch(_) => ("xaif:Branch", true),
            VertexKind::EndBranch => ("xaif:EndBranch", false),
            VertexKind::Goto => ("xaif:Goto", false),
            VertexKind::Label => ("xaif:Label", false),
        };
        self.out.open(element);
        self.out.attr("vertex_id", &ids.vertices[at.index()]);
        self.annotation(&v.annotation);
        match &v.kind {
            VertexKind::Block { scope, .. } => self.out.attr("scope_id", &self.ids.scopes[scope.index()]),
            VertexKind::For(head) => {
                self.out.attr("reversal", if head.explicit { "explicit" } else { "anonymous" });
                if head.counted && self.ob {
                    self.out.attr("ob:counted", "true");
                }
                if v.parallel && self.ob {
                    self.out.attr("ob:parallel", "true");
                }
            }
            _ => {}
        }
        if let Some(snapshots) = v.checkpoint.filter(|_| self.ob && v.is_loop()) {
            self.out.attr("ob:checkpoint", &snapshots.to_string());
        }
        if has_line && (v.line > 0 || !self.ob) {
            self.out.number("lineNumber", v.line);
        } else if v.line > 0 && self.ob {
            self.out.number("ob:line", v.line);
        }
        self.place(v.span);
        self.out.ob_text("ob:label", &v.label);
        self.out.ob_text("ob:comment", &v.comment);
        self.out.ob_text("ob:text", &v.text);
        if let Some(f) = v.follows {
            self.out.ob_text("ob:follows", ids.vertices.get(f.index()).map_or("", |id| id));
        }
        self.extras(&v.extras);
        self.vertex_content(&v.kind, statements);
        self.out.close();
    }

    fn vertex_content(&mut self, kind: &'p VertexKind, numbers: &[u32]) {
        let number = |k: usize| numbers.get(k).copied().unwrap_or(0);
        match kind {
            VertexKind::Block { stmts, .. } => {
                self.in_pieces(stmts.len().div_ceil(PIECE), |w, piece| {
                    for (k, s) in stmts.iter().enumerate().skip(piece * PIECE).take(PIECE) {
                        w.stmt(s, number(k));
                    }
                });
            }
            VertexKind::For(head) => {
                self.assignment("xaif:Initialization", &head.init, number(0));
                match crate::stock_loops::written(head).filter(|_| !self.ob) {
                    Some(stock) => self.condition(&stock),
                    None => self.condition(&head.condition),
                }
                self.assignment("xaif:Update", &head.update, number(1));
            }
            VertexKind::Pre(c) | VertexKind::Post(c) | VertexKind::Branch(c) => self.condition(c),
            _ => {}
        }
    }

    fn condition(&mut self, condition: &Expr) {
        self.out.open("xaif:Condition");
        self.expression(condition);
        self.out.close();
    }
}

/// Neighbours whose sizes add up to about a piece.
fn grouped(sizes: &[usize]) -> Vec<Range<usize>> {
    let mut groups = Vec::new();
    let (mut start, mut sum) = (0, 0);
    for (i, size) in sizes.iter().enumerate() {
        sum += size + 1;
        if sum >= PIECE {
            groups.push(start..i + 1);
            (start, sum) = (i + 1, 0);
        }
    }
    if start < sizes.len() {
        groups.push(start..sizes.len());
    }
    groups
}

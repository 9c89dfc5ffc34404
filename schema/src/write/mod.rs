//! [`Program`] to XML.
//!
//! Lives here: everything that turns the model into XML text. Never here: decisions about the program.
//!
//! * `xml`: tags, attributes, escapes
//! * `ids`: ids for what has none, and unique ones where the model repeats them
//! * `symbols`, `units`, `statements`, `expressions`: the parts of a document
//! * `pieces`: parts that are written at the same time
//!
//! In the openad dialect all attributes that the stock tools ask for are written out. In the overbar dialect what equals a
//! schema default is left out, and what stock XAIF cannot say stands in attributes and elements of `urn:overbar:xaif:1`.

mod expressions;
mod ids;
mod pieces;
mod statements;
mod symbols;
pub mod tree;
mod units;
mod xml;

use crate::Program;
use crate::model::{AliasSet, Decl, Dialect, Extras, Head, IndexOrder, Source, StatementSet, StmtKind, VertexKind};
use crate::vocabulary::{self, Words};
use ids::Ids;
pub(crate) use ids::statements;
use xml::Out;

/// The writer: the program, the ids it gets in the document, and the text so far.
struct Writer<'p> {
    program: &'p Program,
    ids: &'p Ids,
    out: Out<'p>,
    /// Extensions are written.
    ob: bool,
    /// It writes a piece of a document that somebody else puts together.
    is_piece: bool,
    /// Room for walks over expressions.
    scratch: Vec<expressions::Scratch>,
}

/// Writes a program in its dialect ([`Program::dialect`]).
pub fn write(program: &Program) -> String {
    // Without a sink nothing can fail.
    document(program, None).unwrap_or_default()
}

/// The same piece by piece, for documents that need not be held in memory.
///
/// # Errors
/// What the sink fails with.
pub fn write_to(program: &Program, sink: &mut dyn std::io::Write) -> std::io::Result<()> {
    document(program, Some(sink)).map(|_| ())
}

fn document(program: &Program, sink: Option<&mut dyn std::io::Write>) -> std::io::Result<String> {
    let ob = program.dialect == Dialect::Overbar;
    let ids = Ids::new(program);
    let sink = sink.map(|s| s as &mut dyn std::io::Write);
    let mut w = Writer { program, ids: &ids, out: Out::new(ob, sink), ob, is_piece: false, scratch: Vec::new() };
    w.document();
    w.out.finish()
}

/// The bounds as stock XAIF lists them, slowest dimension first; `None` unless all are literals.
pub(crate) fn literal_bounds(decl: &Decl, order: IndexOrder) -> Option<Vec<(i64, i64)>> {
    let mut bounds = Vec::with_capacity(decl.dims.len());
    for d in &decl.dims {
        let literal = |b: &crate::model::Bound| match b {
            crate::model::Bound::Expr(e) if !e.nodes.is_empty() => e.as_int(),
            _ => None,
        };
        bounds.push((literal(&d.lower)?, literal(&d.upper)?));
    }
    if order == IndexOrder::Column {
        bounds.reverse();
    }
    (!bounds.is_empty()).then_some(bounds)
}

impl Writer<'_> {
    fn document(&mut self) {
        let p = self.program;
        self.out.open("xaif:CallGraph");
        self.out.attr("xmlns:xsi", vocabulary::XSI);
        self.out.attr("xmlns:xaif", vocabulary::XAIF);
        if self.ob {
            self.out.attr("xmlns:ob", vocabulary::OB);
        }
        let location = format!("{{{}}}schemaLocation", vocabulary::XSI);
        let listed = p.extras.0.iter().flat_map(|l| l.iter()).any(|(k, _)| *k == location);
        if !listed {
            self.out.attr("xsi:schemaLocation", &schema_location(p));
        }
        self.out.attr("program_name", &p.name);
        if !p.prefix.is_empty() {
            self.out.attr("prefix", &p.prefix);
        }
        if self.ob {
            self.out.attr("ob:version", "1");
            self.out.attr("ob:indexOrder", p.index_order.word());
            self.out.attr("ob:caseInsensitive", if p.case_insensitive { "true" } else { "false" });
            self.out.ob_text("ob:provenance", &p.provenance);
        }
        self.extras(&p.extras);
        if self.ob {
            for source in &p.sources {
                self.source(source);
            }
            for head in &p.heads {
                self.head(head);
            }
        }
        self.scope_hierarchy();
        self.alias_sets(&p.alias_sets);
        self.statement_sets("xaif:DUUDSetMap", &p.duud_sets);
        self.statement_sets("xaif:DOSetMap", &p.do_sets);
        self.units();
        for (i, edge) in p.calls.iter().enumerate() {
            self.out.open("xaif:CallGraphEdge");
            self.out.attr("edge_id", &self.ids.calls[i]);
            self.out.attr("source", &self.ids.units[edge.caller.index()]);
            self.out.attr("target", &self.ids.units[edge.callee.index()]);
            self.extras(&edge.extras);
            self.out.close();
        }
        self.out.close();
    }

    fn source(&mut self, source: &Source) {
        self.out.open("ob:Source");
        self.out.attr("file", &source.file);
        self.out.attr("language", &source.language);
        if source.fixed_form {
            self.out.attr("fixedForm", "true");
        }
        if let Some(word) = source.joining.word() {
            self.out.attr("joining", &word);
        }
        self.out.text(&source.text);
    }

    fn head(&mut self, head: &Head) {
        self.out.open("ob:Head");
        self.out.attr("unit", &head.unit);
        for (element, names) in [("ob:Dependents", &head.dependents), ("ob:Independents", &head.independents)] {
            let Some(names) = names else { continue };
            self.out.open(element);
            for name in names {
                self.out.open("ob:Name");
                self.out.attr("name", name);
                self.out.close();
            }
            self.out.close();
        }
        self.out.close();
    }

    fn alias_sets(&mut self, sets: &[AliasSet]) {
        self.out.open("xaif:AliasSetMap");
        let unknown = [AliasSet::default()];
        for set in if sets.is_empty() { &unknown } else { sets } {
            self.out.open("xaif:AliasSet");
            self.out.number("key", set.key);
            for range in &set.ranges {
                self.out.open("xaif:AliasRange");
                self.out.number("from_virtual_address", range.from);
                self.out.number("to_virtual_address", range.to);
                self.out.attr("partial", if range.partial { "1" } else { "0" });
                self.out.close();
            }
            self.out.close();
        }
        self.out.close();
    }

    fn statement_sets(&mut self, element: &'static str, sets: &[StatementSet]) {
        self.out.open(element);
        let unknown = [StatementSet::default()];
        for set in if sets.is_empty() { &unknown } else { sets } {
            self.out.open("xaif:StmtIdSet");
            self.out.number("key", set.key);
            for id in &set.statements {
                self.out.open("xaif:StatementId");
                self.out.attr("idRef", id);
                self.out.close();
            }
            self.out.close();
        }
        self.out.close();
    }

    /// The attributes that the model does not interpret.
    fn extras(&mut self, extras: &Extras) {
        let Some(list) = &extras.0 else { return };
        let mut foreign = 0;
        for (key, value) in list.iter() {
            if key.starts_with(vocabulary::SPELLED) || key == vocabulary::ELEMENT {
                continue;
            }
            match key.strip_prefix('{').and_then(|k| k.split_once('}')) {
                None => self.out.attr_named(key, value),
                Some((vocabulary::XSI, local)) => self.out.attr_named(&format!("xsi:{local}"), value),
                Some((vocabulary::OB, local)) => {
                    if self.ob {
                        self.out.attr_named(&format!("ob:{local}"), value);
                    }
                }
                Some((vocabulary::XML, local)) => self.out.attr_named(&format!("xml:{local}"), value),
                Some((uri, local)) => {
                    foreign += 1;
                    self.out.attr_named(&format!("xmlns:n{foreign}"), uri);
                    self.out.attr_named(&format!("n{foreign}:{local}"), value);
                }
            }
        }
    }

    /// A truth value, spelled as it was if that still says the same.
    fn flag(&mut self, name: &'static str, value: bool, default: bool, extras: &Extras) {
        self.flag_as(name, value, default, extras, ["0", "1"]);
    }

    fn flag_as(&mut self, name: &'static str, value: bool, default: bool, extras: &Extras, words: [&'static str; 2]) {
        let spelled = spelled(extras, name).filter(|s| matches!(*s, "1" | "true") == value);
        match spelled {
            Some(s) => self.out.attr(name, s),
            None if value != default || !self.ob => self.out.attr(name, words[usize::from(value)]),
            None => {}
        }
    }

    /// A stock text attribute that may be empty.
    fn annotation(&mut self, annotation: &str) {
        if !annotation.is_empty() || !self.ob {
            self.out.attr("annotation", annotation);
        }
    }
}

/// How a known attribute was spelled in the file.
fn spelled<'e>(extras: &'e Extras, name: &str) -> Option<&'e str> {
    let list = extras.0.as_ref()?;
    list.iter().find(|(k, _)| k.strip_prefix(vocabulary::SPELLED) == Some(name)).map(|(_, v)| v.as_str())
}

/// The `xsi:schemaLocation` that a program gets.
pub(crate) fn schema_location(p: &Program) -> String {
    let schema = if is_output(p) { "xaif_output.xsd" } else { "xaif.xsd" };
    format!("{} {schema}", vocabulary::XAIF)
}

/// True where the program has what only the output schema knows.
fn is_output(p: &Program) -> bool {
    p.units.iter().any(|u| {
        u.replacements.is_some()
            || u.graph.node_weights().any(|v| match &v.kind {
                VertexKind::Block { stmts, .. } => {
                    stmts.iter().any(|s| matches!(s.kind, StmtKind::Runtime { .. } | StmtKind::Propagator(_)))
                }
                _ => false,
            })
    })
}

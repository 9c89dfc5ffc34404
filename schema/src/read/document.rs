//! The document: root, sources, heads, analysis maps, call graph.
//!
//! Lives here: the children of CallGraph in their order. Never here: scopes and units themselves.

use super::reader::Reader;
use super::references::old_layout;
use super::syntax::shown;
use super::units::Derived;
use super::xml::{Fallible, Ns, Tag};
use crate::Diagnostic;
use crate::model::*;
use crate::vocabulary::XAIF;
use smol_str::SmolStr;

struct Edge<'a> {
    id: SmolStr,
    caller: SmolStr,
    callee: SmolStr,
    extras: Extras,
    tag: Tag<'a>,
}

impl<'a> Reader<'a> {
    /// The whole document.
    pub(super) fn document(&mut self) -> Fallible<()> {
        let root = self.x.root()?;
        if root.ns != Ns::Xaif || root.local != "CallGraph" {
            let uri = self.x.uri(root.ns).to_string();
            let d = match root.local {
                "CallGraph" => {
                    Diagnostic::error("OB1006", format!("the root element is in the namespace {}, not in that of XAIF", shown(&uri)))
                        .help(format!("the namespace of XAIF is {XAIF}"))
                }
                _ => Diagnostic::error("OB1006", format!("the root element is {}, not CallGraph of XAIF", shown(root.name))),
            };
            let place = self.x.location(root.start, root.end);
            return Err(Box::new(d.at(place)));
        }
        self.root_attributes(&root)?;
        let (mut edges, mut derived) = (Vec::new(), Vec::new());
        let mut hierarchies = 0;
        loop {
            // Units stand together, behind all else that they refer to.
            if !self.program.units.is_empty() {
                self.units_ahead(&root, &mut derived)?;
            }
            let Some(child) = self.x.child()? else { break };
            self.child_of_root(&child, &mut hierarchies, &mut edges, &mut derived)?;
        }
        if hierarchies == 0 {
            self.x.error(&root, "OB1015", "the document has no ScopeHierarchy")?;
        }
        self.link(edges, derived)?;
        self.forget_schema_location();
        self.x.finish()
    }

    fn root_attributes(&mut self, root: &Tag<'a>) -> Fallible<()> {
        self.program.name = self.x.name("program_name");
        self.program.prefix = self.x.name("prefix");
        self.program.dialect = match self.x.ob("version") {
            None => Dialect::Openad,
            Some(v) if v == "1" => Dialect::Overbar,
            Some(v) => {
                self.x.bad_value(root, "ob:version", &v, "1, the version this program reads")?;
                Dialect::Overbar
            }
        };
        self.program.index_order = self.x.ob_word(root, "indexOrder")?.unwrap_or_default();
        self.program.case_insensitive = match self.x.ob("caseInsensitive") {
            Some(v) => v == "true" || v == "1",
            // Stock files come from Fortran.
            None => self.program.dialect == Dialect::Openad,
        };
        self.program.provenance = self.x.ob_text("provenance");
        let mut extras = Extras::default();
        self.x.rest(root, &mut extras)?;
        self.program.extras = extras;
        Ok(())
    }

    /// The schema that the writer would name is not kept.
    fn forget_schema_location(&mut self) {
        let usual = crate::write::schema_location(&self.program);
        let extras = &mut self.program.extras.0;
        if let Some(list) = extras {
            list.retain(|(k, v)| !(k.ends_with("}schemaLocation") && v.split_whitespace().eq(usual.split_whitespace())));
        }
        if extras.as_ref().is_some_and(|l| l.is_empty()) {
            *extras = None;
        }
    }

    fn child_of_root(
        &mut self,
        tag: &Tag<'a>,
        hierarchies: &mut usize,
        edges: &mut Vec<Edge<'a>>,
        derived: &mut Vec<Derived<'a>>,
    ) -> Fallible<()> {
        match (tag.ns, tag.local) {
            (Ns::Ob, "Source") => self.source(tag),
            (Ns::Ob, "Head") => self.head(tag),
            (Ns::Xaif, "ScopeHierarchy") => {
                *hierarchies += 1;
                if *hierarchies > 1 {
                    self.x.error(tag, "OB1016", "a second ScopeHierarchy")?;
                    return self.x.skip();
                }
                self.scope_hierarchy(tag)
            }
            (Ns::Xaif, "AliasSetMap" | "AliasSetList") => self.alias_sets(tag),
            (Ns::Xaif, "DUUDSetMap" | "DUUDSetList") => {
                let sets = self.statement_sets(tag)?;
                self.program.duud_sets.extend(sets);
                Ok(())
            }
            (Ns::Xaif, "DOSetMap") => {
                let sets = self.statement_sets(tag)?;
                self.program.do_sets.extend(sets);
                Ok(())
            }
            (Ns::Xaif, "ControlFlowGraph" | "ReplacementList") => {
                let read = self.unit(tag)?;
                derived.extend(self.add_unit(read)?);
                Ok(())
            }
            (Ns::Xaif, "CallGraphEdge") => {
                let mut extras = Extras::default();
                let id = SmolStr::new(self.x.required(tag, "edge_id")?);
                let caller = SmolStr::new(self.x.required(tag, "source")?);
                let callee = SmolStr::new(self.x.required(tag, "target")?);
                self.x.rest(tag, &mut extras)?;
                self.x.leaf()?;
                edges.push(Edge { id, caller, callee, extras, tag: *tag });
                Ok(())
            }
            _ => self.x.foreign(tag),
        }
    }

    /// Resolves what names units, now that all are read.
    fn link(&mut self, edges: Vec<Edge<'a>>, derived: Vec<Derived<'a>>) -> Fallible<()> {
        for e in edges {
            let mut end = |id: &SmolStr| -> Fallible<Option<UnitId>> {
                let unit = self.units.get(id).copied();
                if unit.is_none() {
                    self.x.error(&e.tag, "OB1022", format!("the call graph edge names unit {}, which there is not", shown(id)))?;
                }
                Ok(unit)
            };
            if let (Some(caller), Some(callee)) = (end(&e.caller)?, end(&e.callee)?) {
                self.program.calls.push(CallEdge { id: e.id, caller, callee, extras: e.extras });
            }
        }
        for d in derived {
            match self.units.get(&d.of) {
                Some(&of) => self.program.units[d.unit.index()].derivation = Some(Derivation { of, mode: d.mode }),
                None => self.x.error(&d.tag, "OB1022", format!("the unit is derived from unit {}, which there is not", shown(&d.of)))?,
            }
        }
        Ok(())
    }

    fn source(&mut self, tag: &Tag<'a>) -> Fallible<()> {
        let file = self.x.name("file").to_string();
        let language = self.x.name("language");
        let fixed_form = self.x.flag(tag, "fixedForm", false)?;
        let joining = match self.x.get("joining") {
            None => Joining::default(),
            Some(word) => match Joining::from_word(&word) {
                Some(joining) => joining,
                None => {
                    self.x.bad_value(
                        tag,
                        "joining",
                        &word,
                        "headersOnce, redeclared with the pieces that are, or LINE:COLUMN and a reason",
                    )?;
                    Joining::default()
                }
            },
        };
        self.x.no_rest(tag)?;
        let text = self.x.content()?;
        self.program.sources.push(Source { file, language, fixed_form, text, joining });
        Ok(())
    }

    fn head(&mut self, tag: &Tag<'a>) -> Fallible<()> {
        let mut head = Head { unit: self.x.required(tag, "unit")?.into_owned(), ..Head::default() };
        self.x.no_rest(tag)?;
        while let Some(child) = self.x.child()? {
            let list = match (child.ns, child.local) {
                (Ns::Ob, "Dependents") => head.dependents.get_or_insert_default(),
                (Ns::Ob, "Independents") => head.independents.get_or_insert_default(),
                _ => {
                    self.x.foreign(&child)?;
                    continue;
                }
            };
            self.x.no_rest(&child)?;
            while let Some(name) = self.x.child()? {
                if name.ns == Ns::Ob && name.local == "Name" {
                    list.push(self.x.required(&name, "name")?.into_owned());
                    self.x.no_rest(&name)?;
                    self.x.leaf()?;
                } else {
                    self.x.foreign(&name)?;
                }
            }
        }
        self.program.heads.push(head);
        Ok(())
    }

    fn alias_sets(&mut self, tag: &Tag<'a>) -> Fallible<()> {
        self.x.no_rest(tag)?;
        if tag.local != "AliasSetMap" {
            self.x.problem(tag, old_layout("AliasSetList"))?;
        }
        while let Some(child) = self.x.child()? {
            if child.ns != Ns::Xaif || child.local != "AliasSet" {
                self.x.foreign(&child)?;
                continue;
            }
            let mut set = AliasSet { key: self.x.number(&child, "key", 0)?, ranges: Vec::new() };
            self.x.no_rest(&child)?;
            while let Some(range) = self.x.child()? {
                if range.ns == Ns::Xaif && range.local == "AliasRange" {
                    let from = self.x.required_number(&range, "from_virtual_address", 1)?;
                    let to = self.x.required_number(&range, "to_virtual_address", from)?;
                    let partial = self.x.flag(&range, "partial", true)?;
                    self.x.no_rest(&range)?;
                    self.x.leaf()?;
                    set.ranges.push(AliasRange { from, to, partial });
                } else {
                    self.x.foreign(&range)?;
                }
            }
            self.program.alias_sets.push(set);
        }
        Ok(())
    }

    fn statement_sets(&mut self, tag: &Tag<'a>) -> Fallible<Vec<StatementSet>> {
        self.x.no_rest(tag)?;
        if tag.local.ends_with("List") {
            self.x.problem(tag, old_layout("DUUDSetList"))?;
        }
        let mut sets = Vec::new();
        while let Some(child) = self.x.child()? {
            if child.ns != Ns::Xaif || !matches!(child.local, "StmtIdSet" | "DUUDSet") {
                self.x.foreign(&child)?;
                continue;
            }
            let mut set = StatementSet { key: self.x.number(&child, "key", 0)?, statements: Vec::new() };
            self.x.no_rest(&child)?;
            while let Some(id) = self.x.child()? {
                if id.ns == Ns::Xaif && id.local == "StatementId" {
                    set.statements.push(self.x.name("idRef"));
                    self.x.no_rest(&id)?;
                    self.x.leaf()?;
                } else {
                    self.x.foreign(&id)?;
                }
            }
            sets.push(set);
        }
        Ok(sets)
    }
}

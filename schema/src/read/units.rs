//! Program units: ControlFlowGraph and ReplacementList.
//!
//! Lives here: a unit's head, its formals, its side effects. Never here: statements.

use super::graphs::RawGraph;
use super::reader::Reader;
use super::syntax::shown;
use super::xml::{Fallible, Ns, Tag};
use crate::model::*;
use crate::vocabulary::Words;
use smol_str::SmolStr;

/// What is resolved when all units are read.
pub(super) struct Derived<'a> {
    pub unit: UnitId,
    pub of: SmolStr,
    pub mode: Mode,
    pub tag: Tag<'a>,
}

/// A unit that is not yet in the program, with the unit and the way it was derived from.
pub(super) struct ReadUnit<'a> {
    unit: Unit,
    derived: (Option<SmolStr>, Option<Mode>),
    tag: Tag<'a>,
}

impl<'a> Reader<'a> {
    /// Reads units at the same time where there are many.
    pub(super) fn units_ahead(&mut self, root: &Tag<'a>, derived: &mut Vec<Derived<'a>>) -> Fallible<()> {
        let rows = self.rows(root, &["ControlFlowGraph", "ReplacementList"], false, |r| {
            let mut units = Vec::new();
            while let Some(child) = r.x.child()? {
                if child.ns != Ns::Xaif || !matches!(child.local, "ControlFlowGraph" | "ReplacementList") {
                    return r.give_up();
                }
                units.push(r.unit(&child)?);
            }
            Ok(units)
        })?;
        for read in rows.into_iter().flatten() {
            if self.units.contains_key(&read.unit.id) {
                return self.give_up();
            }
            derived.extend(self.add_unit(read)?);
        }
        Ok(())
    }

    /// Adds a unit; its derivation is resolved later.
    pub(super) fn add_unit(&mut self, read: ReadUnit<'a>) -> Fallible<Option<Derived<'a>>> {
        let ReadUnit { unit, derived, tag } = read;
        let handle = UnitId(self.program.units.len() as u32);
        if self.units.insert(unit.id.clone(), handle).is_some() {
            self.x.error(&tag, "OB1025", format!("a second unit {}", shown(&unit.id)))?;
        }
        self.program.units.push(unit);
        match derived {
            (Some(of), Some(mode)) => Ok(Some(Derived { unit: handle, of, mode, tag })),
            (None, None) => Ok(None),
            _ => {
                self.x.error(&tag, "OB1012", format!("ob:derivedFrom and ob:mode ({}) belong together", Mode::all()))?;
                Ok(None)
            }
        }
    }

    /// Reads a unit.
    pub(super) fn unit(&mut self, tag: &Tag<'a>) -> Fallible<ReadUnit<'a>> {
        let id = self.x.get("vertex_id").map_or(SmolStr::new_static("1"), |id| SmolStr::new(&*id));
        let symbol = self.symbol_of(tag)?;
        let scope = self.x.required(tag, "controlflowgraph_scope_id")?;
        let scope = self.scope(tag, &scope)?;
        let mut unit = Unit { id, has_argument_list: false, ..Unit::new(symbol, scope) };
        unit.annotation = self.x.name("annotation");
        unit.active = self.x.spelled_flag(tag, "active", true, &mut unit.extras)?;
        unit.structured = self.x.spelled_flag(tag, "structured", true, &mut unit.extras)?;
        unit.kind = self.x.ob_word(tag, "kind")?.unwrap_or_default();
        unit.span = self.place(tag)?;
        unit.imports = self.x.ob_list("imports", '\n').into_iter().map(String::from).collect();
        unit.prefixes = self.x.ob_list("prefixes", ' ');
        unit.comment = self.x.ob_text("comment");
        unit.reversal = self.x.ob_word(tag, "reversal")?;
        unit.directions = self.x.ob_number(tag, "directions")?;
        unit.standing = self.x.ob_word(tag, "certificate")?;
        let of = self.x.ob("derivedFrom");
        let mode = self.x.ob_word::<Mode>(tag, "mode")?;
        let is_list = tag.local == "ReplacementList";
        if is_list {
            let template = SmolStr::new(self.x.required(tag, "template_name")?);
            unit.replacements = Some((template, Vec::new()));
        }
        self.x.rest(tag, &mut unit.extras)?;
        let mut graph = RawGraph::default();
        loop {
            self.flow_ahead(tag, &mut graph)?;
            let Some(child) = self.x.child()? else { break };
            if child.ns == Ns::Xaif && self.unit_part(&child, &mut unit)? {
                continue;
            }
            if is_list || !self.flow_part(&child, &mut graph)? {
                self.x.foreign(&child)?;
            }
        }
        unit.graph = self.flow_graph(graph)?;
        Ok(ReadUnit { unit, derived: (of.map(SmolStr::new), mode), tag: *tag })
    }

    fn unit_part(&mut self, tag: &Tag<'a>, unit: &mut Unit) -> Fallible<bool> {
        match tag.local {
            "ArgumentList" => {
                if unit.has_argument_list {
                    self.x.error(tag, "OB1016", "a second ArgumentList in one unit")?;
                }
                unit.has_argument_list = true;
                self.formals(tag, unit)?;
            }
            "ModLocal" => self.effects(tag, &mut unit.effects.mod_local)?,
            "Mod" => self.effects(tag, &mut unit.effects.modified)?,
            "ReadLocal" => self.effects(tag, &mut unit.effects.read_local)?,
            "Read" => self.effects(tag, &mut unit.effects.read)?,
            "OnEntry" => self.effects(tag, &mut unit.effects.on_entry)?,
            "Replacement" => self.replacement(tag, unit)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn formals(&mut self, tag: &Tag<'a>, unit: &mut Unit) -> Fallible<()> {
        self.x.no_rest(tag)?;
        while let Some(child) = self.x.child()? {
            if child.ns != Ns::Xaif || child.local != "ArgumentSymbolReference" {
                self.x.foreign(&child)?;
                continue;
            }
            let position = self.x.required_number(&child, "position", 1)?;
            let symbol = self.symbol_of(&child)?;
            let intent = self.x.word(&child, "intent", Intent::Inout)?;
            let mut formal = Formal::new(position, symbol, intent);
            formal.deriv = self.x.spelled_flag(&child, "deriv", false, &mut formal.extras)?;
            formal.annotation = self.x.name("annotation");
            formal.result = self.x.ob_flag(&child, "result")?;
            if let Some(declared) = self.x.ob("intentDeclared") {
                formal.intent_declared = declared != "false" && declared != "0";
            }
            self.x.rest(&child, &mut formal.extras)?;
            self.x.leaf()?;
            if unit.formals.iter().any(|f| f.position == position) {
                self.x.error(&child, "OB1025", format!("a second formal argument at position {position}"))?;
            }
            unit.formals.push(formal);
        }
        unit.formals.sort_by_key(|f| f.position);
        Ok(())
    }

    fn effects(&mut self, tag: &Tag<'a>, list: &mut Option<Vec<VarRef>>) -> Fallible<()> {
        self.x.no_rest(tag)?;
        if list.is_some() {
            self.x.error(tag, "OB1016", format!("a second {} in one unit", shown(tag.name)))?;
        }
        let list = list.get_or_insert_default();
        while let Some(child) = self.x.child()? {
            if child.ns == Ns::Xaif && child.local == "SideEffectReference" {
                list.push(self.lone_reference(&child)?);
            } else {
                self.x.foreign(&child)?;
            }
        }
        Ok(())
    }

    fn replacement(&mut self, tag: &Tag<'a>, unit: &mut Unit) -> Fallible<()> {
        let placeholder = self.x.required_number(tag, "placeholder", 0)?;
        let structured = self.x.flag(tag, "structured", true)?;
        self.x.no_rest(tag)?;
        let mut graph = RawGraph::default();
        graph.generated = true;
        while let Some(child) = self.x.child()? {
            if !self.flow_part(&child, &mut graph)? {
                self.x.foreign(&child)?;
            }
        }
        let graph = self.flow_graph(graph)?;
        match &mut unit.replacements {
            Some((_, list)) if list.iter().any(|r| r.placeholder == placeholder) => {
                self.x.error(tag, "OB1025", format!("a second replacement for placeholder {placeholder}"))
            }
            Some((_, list)) => {
                list.push(Replacement { placeholder, structured, graph });
                Ok(())
            }
            None => self.x.error(tag, "OB1010", "Replacement has no place in a ControlFlowGraph"),
        }
    }
}

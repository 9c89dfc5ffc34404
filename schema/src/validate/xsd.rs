//! Validation against the XSD files.
//!
//! Lives here: the one use of the schema library, the choice of the schema, and the translation of its findings. Never here: checks of our
//! own.

use crate::diagnostic::{Diagnostic, Location, Severity};
use crate::read::{Limits, Opened, Step, Tracker, events};
use crate::vocabulary::XSI;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use xsd_schema::namespace::NamespaceContextSnapshot;
use xsd_schema::validation::{SchemaValidator, ValidationError, ValidationFlags, ValidationSink, ValidationWarning};
use xsd_schema::{SchemaSet, parse_schema_only, process_loaded_schemas};

/// The schema files by name, as they are compiled in.
pub const FILES: [(&str, &str); 10] = [
    ("xaif.xsd", include_str!("../../xsd/xaif.xsd")),
    ("xaif_output.xsd", include_str!("../../xsd/xaif_output.xsd")),
    ("xaif_base.xsd", include_str!("../../xsd/xaif_base.xsd")),
    ("overbar.xsd", include_str!("../../xsd/overbar.xsd")),
    ("certificate.xsd", include_str!("../../xsd/certificate.xsd")),
    ("intrinsics.xsd", include_str!("../../xsd/intrinsics.xsd")),
    ("manifest.xsd", include_str!("../../xsd/manifest.xsd")),
    ("batch.xsd", include_str!("../../xsd/batch.xsd")),
    ("request.xsd", include_str!("../../xsd/request.xsd")),
    ("diagnostics.xsd", include_str!("../../xsd/diagnostics.xsd")),
];

/// After so many findings nothing more is looked for.
const MAX_FINDINGS: usize = 100;

/// Which schema a document is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// What a front end writes.
    Input,
    /// What a booster writes.
    Output,
    /// A catalogue of intrinsics.
    Intrinsics,
    /// A derivative certificate.
    Certificate,
    /// What a batch is to do.
    Manifest,
    /// What became of a batch.
    Batch,
    /// What a service is asked for.
    Request,
    /// What was found about a request.
    Diagnostics,
}

/// The compiled schema of a kind; each thread compiles its own, for the library's tables cannot be shared.
fn compiled(kind: Kind) -> Result<Rc<SchemaSet>, String> {
    type Slot = OnceCell<Result<Rc<SchemaSet>, String>>;
    thread_local! {
        static SETS: [Slot; 8] = const { [const { OnceCell::new() }; 8] };
    }
    let (slot, names): (usize, &[&str]) = match kind {
        Kind::Input => (0, &["xaif.xsd", "xaif_base.xsd", "overbar.xsd"]),
        Kind::Output => (1, &["xaif_output.xsd", "xaif_base.xsd", "overbar.xsd"]),
        Kind::Certificate => (3, &["certificate.xsd"]),
        Kind::Manifest => (4, &["manifest.xsd"]),
        Kind::Batch => (5, &["batch.xsd"]),
        Kind::Request => (6, &["request.xsd"]),
        Kind::Diagnostics => (7, &["diagnostics.xsd"]),
        Kind::Intrinsics => (2, &["intrinsics.xsd", "xaif.xsd", "xaif_base.xsd", "overbar.xsd"]),
    };
    SETS.with(|sets| {
        let set = sets[slot].get_or_init(|| {
            let mut set = SchemaSet::new();
            for (name, text) in FILES.iter().filter(|(n, _)| names.contains(n)) {
                parse_schema_only(text.as_bytes(), name, &mut set).map_err(|e| e.to_string())?;
            }
            process_loaded_schemas(&mut set).map_err(|e| e.to_string())?;
            Ok(Rc::new(set))
        });
        set.clone()
    })
}

/// Where the element that is being looked at begins.
#[derive(Default)]
struct Place {
    now: Cell<usize>,
    open: RefCell<Vec<usize>>,
}

impl Place {
    fn enter(&self, at: usize) {
        self.now.set(at);
        self.open.borrow_mut().push(at);
    }

    fn leave(&self) {
        let mut open = self.open.borrow_mut();
        open.pop();
        self.now.set(open.last().copied().unwrap_or(0));
    }
}

struct Finding {
    at: usize,
    message: String,
    rule: &'static str,
}

struct Sink<'p> {
    place: &'p Place,
    findings: &'p RefCell<Vec<Finding>>,
    /// There is no room for more.
    full: &'p Cell<bool>,
}

impl ValidationSink for Sink<'_> {
    fn on_error(&mut self, error: ValidationError) {
        let mut findings = self.findings.borrow_mut();
        if findings.len() < MAX_FINDINGS {
            findings.push(Finding { at: self.place.now.get(), message: error.message, rule: error.constraint });
        } else {
            self.full.set(true);
        }
    }

    fn on_warning(&mut self, _: ValidationWarning) {}
}

/// Validates a document in one pass over its tokens.
pub(super) fn validate(name: &str, xml: &[u8], kind: Kind, limits: &Limits) -> Vec<Diagnostic> {
    let schema = match compiled(kind) {
        Ok(s) => s,
        Err(e) => return vec![Diagnostic::error("OB1061", format!("the schema cannot be loaded: {e}"))],
    };
    let (place, findings, full) = (Place::default(), RefCell::new(Vec::new()), Cell::new(false));
    let flags = ValidationFlags::default() & !ValidationFlags::BUILD_PSVI_TYPED_VALUES;
    let validator = SchemaValidator::new(&schema, flags);
    let mut run = validator.start_run(Sink { place: &place, findings: &findings, full: &full });
    // Namespaces in scope, one entry for each open element that declares some.
    let mut contexts: Vec<(usize, NamespaceContextSnapshot)> = vec![(0, NamespaceContextSnapshot::default())];
    let mut depth = 0usize;
    let driven = events(name, xml, limits, |step| match step {
        // That it is well-formed is still looked at.
        _ if full.get() => {}
        Step::Open(e) => {
            depth += 1;
            if e.declares {
                contexts.push((depth, context(&schema, e)));
            }
            place.enter(e.start);
            let instance = instance_attributes(e);
            if let Some((_, in_scope)) = contexts.last() {
                run.validate_element_novalue(e.local, e.uri, instance.0.as_deref(), instance.1.as_deref(), in_scope);
            }
            e.each_attribute(|uri, local, value| {
                run.validate_attribute(local, uri, value);
            });
            run.validate_end_of_attributes_novalue();
        }
        Step::Text(t) => run.validate_text(t),
        Step::Close => {
            run.validate_end_element_novalue();
            place.leave();
            if contexts.last().is_some_and(|(d, _)| *d == depth) {
                contexts.pop();
            }
            depth = depth.saturating_sub(1);
        }
    });
    if let Err(problems) = driven {
        return problems;
    }
    let ended = if full.get() { Ok(()) } else { run.end_validation().map(drop) };
    drop(run);
    let mut out = located(name, xml, findings.into_inner());
    if full.get() {
        let stopped =
            Diagnostic::warning("OB0113", format!("after {MAX_FINDINGS} violations of the schema (OB1060) no more are looked for"));
        out.push(Diagnostic { severity: Severity::Note, ..stopped });
    }
    if let (Err(e), true) = (ended, out.is_empty()) {
        out.push(Diagnostic::error("OB1060", e.to_string()));
    }
    out
}

fn context(schema: &SchemaSet, e: &Opened) -> NamespaceContextSnapshot {
    let mut context = NamespaceContextSnapshot::default();
    for (prefix, uri) in e.namespaces() {
        match prefix.as_deref() {
            Some("xml" | "xmlns") => {}
            _ if uri.is_empty() => {}
            None => context.default_ns = Some(schema.name_table.add(&uri)),
            Some(prefix) => context.bindings.push((schema.name_table.add(prefix), schema.name_table.add(&uri))),
        }
    }
    context
}

/// `xsi:type` and `xsi:nil`.
fn instance_attributes(e: &Opened) -> (Option<String>, Option<String>) {
    let (mut ty, mut nil) = (None, None);
    e.each_attribute(|uri, local, value| {
        if uri == XSI {
            match local {
                "type" => ty = Some(value.to_string()),
                "nil" => nil = Some(value.to_string()),
                _ => {}
            }
        }
    });
    (ty, nil)
}

/// The findings in the order of the document: what is wrong with an element as a whole is found at its end.
fn located(name: &str, xml: &[u8], mut findings: Vec<Finding>) -> Vec<Diagnostic> {
    findings.sort_by_key(|f| f.at);
    let text = std::str::from_utf8(xml.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(xml)).unwrap_or_default();
    let mut tracker = Tracker::default();
    let locate = |f: Finding| {
        let (line, column) = tracker.locate(text, f.at);
        let location = Location { file: name.to_string(), line, column, end_line: line, end_column: column };
        Diagnostic::error("OB1060", f.message).at(location).because(format!("schema rule {}", f.rule))
    };
    findings.into_iter().map(locate).collect()
}

//! Validation against the XSD files.
//!
//! Lives here: the one use of the schema library, the choice of the schema, and the translation of its findings. Never here: checks of our
//! own.

use crate::diagnostic::{Diagnostic, Location};
use std::cell::{Cell, OnceCell, RefCell};
use std::convert::Infallible;
use std::rc::Rc;
use xsd_schema::validation::{
    DriveWithError, EndElementInfo, SchemaValidator, ValidationError, ValidationEventHandler, ValidationFlags, ValidationSink,
    ValidationWarning, drive_quick_xml_with,
};
use xsd_schema::{SchemaSet, parse_schema_only, process_loaded_schemas};

/// The schema files by name, as they are compiled in.
pub const FILES: [(&str, &str); 5] = [
    ("xaif.xsd", include_str!("../../xsd/xaif.xsd")),
    ("xaif_output.xsd", include_str!("../../xsd/xaif_output.xsd")),
    ("xaif_base.xsd", include_str!("../../xsd/xaif_base.xsd")),
    ("overbar.xsd", include_str!("../../xsd/overbar.xsd")),
    ("intrinsics.xsd", include_str!("../../xsd/intrinsics.xsd")),
];

/// Findings beyond this number are not listed.
const MAX_FINDINGS: usize = 1000;

/// Which schema a document is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// What a front end writes.
    Input,
    /// What a booster writes.
    Output,
    /// A catalogue of intrinsics.
    Intrinsics,
}

/// The compiled schema of a kind; each thread compiles its own, for the library's tables cannot be shared.
fn compiled(kind: Kind) -> Result<Rc<SchemaSet>, String> {
    type Slot = OnceCell<Result<Rc<SchemaSet>, String>>;
    thread_local! {
        static SETS: [Slot; 3] = const { [OnceCell::new(), OnceCell::new(), OnceCell::new()] };
    }
    let (slot, names): (usize, &[&str]) = match kind {
        Kind::Input => (0, &["xaif.xsd", "xaif_base.xsd", "overbar.xsd"]),
        Kind::Output => (1, &["xaif_output.xsd", "xaif_base.xsd", "overbar.xsd"]),
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

struct Follow<'p>(&'p Place);

impl ValidationEventHandler for Follow<'_> {
    type Error = Infallible;

    fn on_element_start_offset(&mut self, at: usize) -> Result<(), Infallible> {
        self.0.now.set(at);
        self.0.open.borrow_mut().push(at);
        Ok(())
    }

    fn after_end_element(&mut self, _: &EndElementInfo, _: usize) -> Result<(), Infallible> {
        let mut open = self.0.open.borrow_mut();
        open.pop();
        self.0.now.set(open.last().copied().unwrap_or(0));
        Ok(())
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
    more: &'p Cell<usize>,
}

impl ValidationSink for Sink<'_> {
    fn on_error(&mut self, error: ValidationError) {
        let mut findings = self.findings.borrow_mut();
        if findings.len() < MAX_FINDINGS {
            findings.push(Finding { at: self.place.now.get(), message: error.message, rule: error.constraint });
        } else {
            self.more.set(self.more.get() + 1);
        }
    }

    fn on_warning(&mut self, _: ValidationWarning) {}
}

/// Validates a document that is known to be well-formed.
pub(super) fn validate(name: &str, xml: &[u8], kind: Kind) -> Vec<Diagnostic> {
    let schema = match compiled(kind) {
        Ok(s) => s,
        Err(e) => return vec![Diagnostic::error("OB1061", format!("the schema cannot be loaded: {e}"))],
    };
    let (place, findings, more) = (Place::default(), RefCell::new(Vec::new()), Cell::new(0));
    let flags = ValidationFlags::default() & !ValidationFlags::BUILD_PSVI_TYPED_VALUES;
    let validator = SchemaValidator::new(&schema, flags);
    let mut run = validator.start_run(Sink { place: &place, findings: &findings, more: &more });
    let driven = drive_quick_xml_with(xml, &mut run, &schema, &mut Follow(&place));
    let ended = run.end_validation();
    drop(run);
    let mut findings = findings.into_inner();
    // Ends of elements are found behind what is in them.
    findings.sort_by_key(|f| f.at);
    let mut out: Vec<Diagnostic> = Vec::with_capacity(findings.len());
    let text = String::from_utf8_lossy(xml.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(xml));
    let mark = xml.len() - xml.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(xml).len();
    let mut tracker = crate::read::Tracker::default();
    for f in findings {
        let (line, column) = tracker.locate(&text, f.at.saturating_sub(mark));
        let location = Location { file: name.to_string(), line, column, end_line: line, end_column: column };
        out.push(Diagnostic::error("OB1060", f.message).at(location).because(format!("schema rule {}", f.rule)));
    }
    if more.get() > 0 {
        out.push(Diagnostic::error("OB1060", format!("{} more violations of the schema are not listed", more.get())));
    }
    match driven {
        Ok(_) => {}
        Err(DriveWithError::Hook(never)) => match never {},
        Err(e) => out.push(Diagnostic::error("OB1002", e.to_string())),
    }
    if let (Err(e), true) = (ended, out.is_empty()) {
        out.push(Diagnostic::error("OB1060", e.to_string()));
    }
    out
}

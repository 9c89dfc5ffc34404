//! What is known of each line of the texts: its activity, what is recorded there and why, what is computed again, what the certificate says of it.
//!
//! Lives here: the way from facts, statistics, decisions and certificate to lines, and the words. Never here: how any of them is found.

use super::documents::Place;
use super::markup::{code, count, formula, names};
use super::material::{Checked, Material};
use overbar::facts::{Decided, Record, Statement, UnitFacts};
use std::collections::BTreeMap;

/// The activity of a line: that of its most active statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Activity {
    /// Nothing, or not known.
    #[default]
    None,
    /// Useful only.
    Useful,
    /// Varied only.
    Varied,
    /// Both.
    Active,
}

/// What is known of a line.
#[derive(Clone, Debug, Default)]
pub struct Remark {
    /// Its activity.
    pub activity: Activity,
    /// Something is recorded there.
    pub recorded: bool,
    /// It is computed again.
    pub again: bool,
    /// The certificate has something against it.
    pub doubtful: bool,
    /// What there is to say, as HTML.
    pub says: Vec<String>,
}

impl Remark {
    /// Says it, once.
    fn say(&mut self, text: String) {
        if !self.says.contains(&text) {
            self.says.push(text);
        }
    }

    /// The letters that stand beside the line.
    pub fn letters(&self) -> String {
        let mut out = String::new();
        out.push_str(match self.activity {
            Activity::Active => "A",
            Activity::Varied => "v",
            Activity::Useful => "u",
            Activity::None => " ",
        });
        out.push(if self.recorded { 'R' } else { ' ' });
        out.push(if self.again { 'C' } else { ' ' });
        out.push(if self.doubtful { '!' } else { ' ' });
        out.trim_end().to_owned()
    }

    /// The classes of the line.
    pub fn classes(&self) -> String {
        let mut out = String::new();
        out.push_str(match self.activity {
            Activity::Active => " active",
            Activity::Varied => " varied",
            Activity::Useful => " useful",
            Activity::None => "",
        });
        for (on, class) in [(self.recorded, " recorded"), (self.again, " again"), (self.doubtful, " doubtful")] {
            if on {
                out.push_str(class);
            }
        }
        out
    }
}

/// By lines.
pub type Remarks = BTreeMap<Place, Remark>;

/// What is known of all lines.
pub fn of(m: &Material) -> Remarks {
    let mut out = Remarks::new();
    for u in &m.facts.units {
        for s in &u.statements {
            activity(m, &mut out, u, s);
        }
        for r in &u.adjoints {
            for d in &r.statements {
                decided(m, &mut out, u, &r.unit, d);
            }
        }
    }
    records(m, &mut out);
    sequences(m, &mut out);
    if let Checked::Certificate(c) = &m.checked {
        for h in &c.heads {
            let blamed = h.blame.iter().map(|p| ("wrong derivative", p)).chain(h.kinks.iter().map(|p| ("not smooth", p)));
            for (what, p) in blamed {
                let Some(l) = &p.location else { continue };
                let unit = p.units.first().map_or("", String::as_str);
                for place in m.documents.lines(&l.file, l.line, unit) {
                    let r = out.entry(place).or_default();
                    r.doubtful = true;
                    r.say(format!("<b>{what}</b>: {} (head <code>{}</code>)", code(&p.message), code(&h.head)));
                }
            }
            for u in &h.unreached {
                let mut parts = u.rsplitn(3, ':');
                let (_, line, file) = (parts.next(), parts.next().and_then(|l| l.parse().ok()), parts.next());
                for place in m.documents.lines(file.unwrap_or_default(), line.unwrap_or(0), "") {
                    let r = out.entry(place).or_default();
                    r.say(format!("not checked: no point of the certificate reaches it (head <code>{}</code>)", code(&h.head)));
                }
            }
        }
    }
    out
}

fn activity(m: &Material, out: &mut Remarks, u: &UnitFacts, s: &Statement) {
    if u.activity.is_none() || !matches!(s.kind, "assignment" | "call" | "opaque") {
        return;
    }
    let (activity, word) = match (s.varied, s.useful) {
        (true, true) => (Activity::Active, "<b>active</b>: depends on an independent and influences a dependent"),
        (true, false) => (Activity::Varied, "<b>varied only</b>: depends on an independent, influences no dependent"),
        (false, true) => (Activity::Useful, "<b>useful only</b>: influences a dependent, depends on no independent"),
        (false, false) => (Activity::None, "<b>passive</b>: no derivative passes through it"),
    };
    let sets: Vec<&String> = s.definitions.keys().collect();
    let sets = if sets.is_empty() { String::new() } else { format!("; sets {}", names(&sets, "")) };
    for place in m.documents.lines(&u.file, s.line, &u.unit) {
        let r = out.entry(place).or_default();
        r.activity = r.activity.max(activity);
        r.say(format!("{word}{sets}"));
    }
}

fn readers(r: &Record) -> String {
    let list: Vec<String> = r.needed_by.iter().map(u32::to_string).collect();
    match list.len() {
        0 => "for the reverse sweep of the caller".to_owned(),
        1 => format!("for the adjoint of line {}", list[0]),
        _ => format!("for the adjoints of lines {}", list.join(", ")),
    }
}

fn decided(m: &Material, out: &mut Remarks, u: &UnitFacts, adjoint: &str, d: &Decided) {
    let mut parts: Vec<String> = Vec::new();
    if matches!(d.kind, "statement" | "call") {
        parts.push(if d.executed {
            "the forward sweep runs it".into()
        } else {
            "the forward sweep leaves it out, since nothing needs its values".into()
        });
        parts.push(match (d.reversed, d.needs.is_empty()) {
            (true, false) => format!("its adjoint reads {}", names(&d.needs, "")),
            (true, true) => "its adjoint reads no values".into(),
            (false, _) => "it has no adjoint of its own".into(),
        });
    }
    for r in &d.recorded {
        parts.push(format!("<b>records</b> <code>{}</code> before it, {}", code(&r.variable), readers(r)));
    }
    for r in &d.kept {
        parts.push(format!("<b>saves</b> <code>{}</code> around its adjoint, {}", code(&r.variable), readers(r)));
    }
    match d.snapshot.as_deref() {
        Some([]) => parts.push("the call is run again without a snapshot".into()),
        Some(list) => parts.push(format!("the call is run again from a snapshot of {}", names(list, ""))),
        None => {}
    }
    let again = d.control == Some("fused");
    match (d.control, d.kind) {
        (Some("fused"), _) => parts.push("<b>fused</b>: the reverse sweep computes each iteration again just before its adjoint".into()),
        (Some("computed again"), "branch") => parts.push("the reverse sweep computes the condition again".into()),
        (Some("computed again"), _) => parts.push("the reverse sweep computes the bounds again".into()),
        (Some("recorded"), "branch") => parts.push("<b>records</b> which way it goes".into()),
        (Some("recorded"), _) => parts.push("<b>records</b> how many iterations it makes".into()),
        _ => {}
    }
    if parts.is_empty() {
        return;
    }
    let recorded = !d.recorded.is_empty() || !d.kept.is_empty() || d.control == Some("recorded");
    for place in m.documents.lines(&u.file, d.line, &u.unit) {
        let r = out.entry(place).or_default();
        r.recorded |= recorded;
        r.again |= again;
        r.say(format!("<code>{}</code>: {}", code(adjoint), parts.join("; ")));
    }
}

fn records(m: &Material, out: &mut Remarks) {
    for u in m.stats {
        let (unit, of) = (m.program.unit_name(u.unit), m.program.unit_name(u.of));
        for r in &u.records {
            for place in m.documents.lines(&r.file, r.line, of) {
                let remark = out.entry(place).or_default();
                remark.recorded = true;
                remark.say(format!(
                    "<code>{}</code> keeps <code>{}</code> in {}: {} bytes, {} times; {}",
                    code(unit),
                    code(&r.variable),
                    code(&r.place),
                    formula(&r.bytes),
                    formula(&r.times),
                    code(r.reason)
                ));
            }
        }
        for l in &u.loops {
            for place in m.documents.lines(&l.file, l.line, of) {
                let says = format!("<code>{}</code>: {} iterations record {} bytes", code(unit), formula(&l.iterations), formula(&l.bytes));
                out.entry(place).or_default().say(says);
            }
        }
        for a in &u.again {
            for place in m.documents.lines(&a.file, a.line, of) {
                let remark = out.entry(place).or_default();
                remark.again = true;
                remark.say(format!(
                    "<b>computed again</b> in <code>{}</code>: stands in {}",
                    code(unit),
                    count(a.places as usize, "place")
                ));
            }
        }
    }
}

fn sequences(m: &Material, out: &mut Remarks) {
    for (k, d) in m.decisions.iter().enumerate().filter(|(_, d)| d.chosen) {
        let file = m.program.location(d.span).map(|l| l.file).unwrap_or_default();
        let (Some(&first), Some(&last)) =
            (m.documents.lines(&file, d.lines.0, &d.unit).first(), m.documents.lines(&file, d.lines.1, &d.unit).last())
        else {
            continue;
        };
        if first.text != last.text || first > last {
            continue;
        }
        for (_, remark) in out.range_mut(first..=last) {
            remark.say(format!(
                "preaccumulated: its local Jacobian is computed first (<a href=\"#sequence-{}\">sequence {}</a>)",
                k + 1,
                k + 1
            ));
        }
    }
}

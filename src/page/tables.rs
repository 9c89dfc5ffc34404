//! Tables: the summary, what is recorded, sequences and calls, units, remarks.
//!
//! Lives here: rows and headings. Never here: how what they show is found.

use super::documents::Place;
use super::listing::mode;
use super::markup::{Cell, code, count, end_table, escape, formula, is_reached, names, row, table};
use super::material::{Checked, Material};
use super::remarks::{Activity, Remark, Remarks};
use overbar::facts::{Reversal, UnitFacts};
use overbar::stats::UnitStats;
use std::fmt::Write;

/// What the page is about, in a few lines.
pub fn summary(o: &mut String, m: &Material, remarks: &Remarks) {
    let lines: usize = m.documents.list.iter().map(|d| d.text.lines().count()).sum();
    let on = |wanted: &dyn Fn(&Remark) -> bool| remarks.iter().filter(|(_, r)| wanted(r)).count();
    o.push_str("<section id=\"summary\">\n<h2>Summary</h2>\n<table class=\"facts\"><tbody>\n");
    let mut fact = |name: &str, html: String| {
        let _ = writeln!(o, "<tr><th scope=\"row\">{name}</th><td>{html}</td></tr>");
    };
    fact("Heads", names(&m.heads, "what the file flags as active"));
    let verdict = match &m.checked {
        Checked::Unasked => "not checked".to_owned(),
        Checked::Refused(_) => "<a href=\"#certificate\">cannot be checked</a>".to_owned(),
        Checked::Certificate(c) => {
            let (class, word) = c.verdict().map_or(("", "nothing was checked"), |v| (v.word(), v.word()));
            format!("<a href=\"#certificate\" class=\"verdict {class}\">{word}</a>, {} compared", count(c.compared(), "number"))
        }
    };
    fact("Certificate", verdict);
    fact("Source", format!("{} in {}", count(lines, "line"), count(m.documents.list.len(), "text")));
    fact("Generated", format!("{} of {}", count(m.generated.text.lines().count(), "line"), escape(m.generated.language)));
    fact("Active", count(on(&|r| r.activity == Activity::Active), "line"));
    fact("Recorded", count(on(&|r| r.recorded), "line"));
    fact("Computed again", count(on(&|r| r.again), "line"));
    for u in m.stats {
        let bound = if u.bound { "at most " } else { "" };
        let name = format!("<code>{}</code> records", code(m.program.unit_name(u.unit)));
        fact(&name, format!("{bound}{} bytes, at once {}", formula(&u.cost.taped), formula(&u.cost.peak)));
    }
    o.push_str("</tbody></table>\n</section>\n");
}

/// What adjoints record.
pub fn records(o: &mut String, m: &Material) {
    o.push_str("<section id=\"records\">\n<h2>What is recorded</h2>\n");
    if m.stats.is_empty() {
        o.push_str("<p>There is no adjoint, so nothing is recorded.</p>\n");
    } else {
        table(o, "Bytes", &["unit", "of", "what", "recorded", "at once", "held at the end", "exact"]);
        for u in m.stats {
            let name = |id| Cell::Code(m.program.unit_name(id).to_owned());
            let exact = if u.bound { "upper bound" } else { "yes" };
            let f = |f| Cell::Html(formula(f));
            row(
                o,
                &[
                    name(u.unit),
                    name(u.of),
                    Cell::Text(mode(u.mode).into()),
                    f(&u.cost.taped),
                    f(&u.cost.peak),
                    f(&u.cost.net),
                    Cell::Text(exact.into()),
                ],
            );
        }
        end_table(o);
        recorded_values(o, m);
    }
    o.push_str("</section>\n");
}

fn recorded_values(o: &mut String, m: &Material) {
    let unit = |u: &UnitStats| Cell::Code(m.program.unit_name(u.unit).to_owned());
    let line = |u: &UnitStats, file: &str, line: u32| Cell::Line(m.documents.link(file, line, m.program.unit_name(u.of)), u64::from(line));
    if m.stats.iter().any(|u| !u.symbols.is_empty()) {
        table(o, "Names in formulas", &["unit", "name", "meaning"]);
        for u in m.stats {
            u.symbols.iter().for_each(|(n, means)| row(o, &[unit(u), Cell::Code(n.clone()), Cell::Code(means.clone())]));
        }
        end_table(o);
    }
    if m.stats.iter().any(|u| !u.records.is_empty()) {
        table(o, "Recorded values", &["unit", "#line", "variable", "kept in", "bytes each time", "times", "why"]);
        for u in m.stats {
            for r in &u.records {
                let f = |f| Cell::Html(formula(f));
                let variable = Cell::Code(r.variable.clone());
                row(
                    o,
                    &[
                        unit(u),
                        line(u, &r.file, r.line),
                        variable,
                        Cell::Text(r.place.clone()),
                        f(&r.bytes),
                        f(&r.times),
                        Cell::Text(r.reason.into()),
                    ],
                );
            }
        }
        end_table(o);
    }
    if m.stats.iter().any(|u| !u.loops.is_empty()) {
        table(o, "Loops that record", &["unit", "#line", "loop", "iterations", "bytes of all iterations"]);
        for u in m.stats {
            for l in &u.loops {
                let f = |f| Cell::Html(formula(f));
                row(o, &[unit(u), line(u, &l.file, l.line), Cell::Code(l.text.clone()), f(&l.iterations), f(&l.bytes)]);
            }
        }
        end_table(o);
    }
    if m.stats.iter().any(|u| !u.again.is_empty()) {
        table(o, "Computed again", &["unit", "#line", "statement", "#places in the code"]);
        for u in m.stats {
            for a in &u.again {
                row(o, &[unit(u), line(u, &a.file, a.line), Cell::Code(a.text.clone()), Cell::Number(u64::from(a.places))]);
            }
        }
        end_table(o);
    }
}

/// Sequences of statements, and calls.
pub fn elimination(o: &mut String, m: &Material) {
    o.push_str("<section id=\"elimination\">\n<h2>Elimination</h2>\n");
    if m.decisions.is_empty() {
        o.push_str("<p>No sequence of statements was weighed.</p>\n");
    } else {
        let chosen = m.decisions.iter().filter(|d| d.chosen).count();
        let before: u64 = m.decisions.iter().map(|d| d.before).sum();
        let after: u64 = m.decisions.iter().map(|d| if d.chosen { d.accumulation + d.left } else { d.before }).sum();
        let _ = writeln!(
            o,
            "<p>{chosen} of {} preaccumulated: {before} multiplications before, {after} after.</p>",
            count(m.decisions.len(), "sequence")
        );
        let headings = [
            "#no.",
            "unit",
            "mode",
            "#lines",
            "#statements",
            "#values",
            "#dependences",
            "#inputs",
            "#outputs",
            "#before",
            "#accumulation",
            "#left",
            "found by",
            "decision",
            "why",
        ];
        table(o, "Sequences of statements, in multiplications of one direction", &headings);
        for (k, d) in m.decisions.iter().enumerate() {
            let file = m.program.location(d.span).map(|l| l.file).unwrap_or_default();
            let (a, b) = d.lines;
            let end = if a == b || b == 0 { String::new() } else { format!("–{}", m.documents.link(&file, b, &d.unit)) };
            let lines = format!("{}{end}", m.documents.link(&file, a, &d.unit));
            let (values, arrows, inputs, outputs) = d.graph;
            let number = |n: usize| Cell::Number(n as u64);
            let verdict = if d.chosen { "preaccumulated" } else { "statement by statement" };
            let no = k + 1;
            row(
                o,
                &[
                    Cell::Line(format!("<span id=\"sequence-{no}\">{no}</span>"), no as u64),
                    Cell::Code(d.unit.clone()),
                    Cell::Text(mode(d.mode).into()),
                    Cell::Line(lines, u64::from(a)),
                    number(d.statements),
                    number(values),
                    number(arrows),
                    number(inputs),
                    number(outputs),
                    Cell::Number(d.before),
                    Cell::Number(d.accumulation),
                    Cell::Number(d.left),
                    Cell::Text(d.method.clone()),
                    Cell::Text(verdict.into()),
                    Cell::Text(d.reason.into()),
                ],
            );
        }
        end_table(o);
    }
    if !m.calls.is_empty() {
        table(o, "Calls, reversed by cost", &["#line", "caller", "callee", "decision", "#cost of running it again", "#cost of a pair"]);
        for c in m.calls {
            let l = m.program.location(c.span);
            let (file, line) = l.map_or_else(Default::default, |l| (l.file, l.line));
            let how = if c.split { "split" } else { "joint" };
            let place = Cell::Line(m.documents.link(&file, line, &c.caller), u64::from(line));
            let (caller, callee) = (Cell::Code(c.caller.clone()), Cell::Code(c.callee.clone()));
            row(o, &[place, caller, callee, Cell::Text(how.into()), Cell::Number(c.joint), Cell::Number(c.pair)]);
        }
        end_table(o);
    }
    o.push_str("</section>\n");
}

/// Each unit: its arguments, what it does to others, its activity and its adjoints.
pub fn units(o: &mut String, m: &Material) {
    o.push_str("<section id=\"units\">\n<h2>Units</h2>\n");
    for u in &m.facts.units {
        let line = m.documents.link(&u.file, u.line, &u.unit);
        let line = if line.is_empty() { String::new() } else { format!(", line {line}") };
        let _ = writeln!(o, "<details><summary><code>{}</code>{line}</summary>\n<table class=\"facts\"><tbody>", code(&u.unit));
        for (name, html) in unit_facts(m, u) {
            let _ = writeln!(o, "<tr><th scope=\"row\">{name}</th><td>{html}</td></tr>");
        }
        o.push_str("</tbody></table></details>\n");
    }
    o.push_str("</section>\n");
}

fn unit_facts(m: &Material, u: &UnitFacts) -> Vec<(String, String)> {
    let list = |l: &[String]| names(l, "nothing");
    let e = &u.effects;
    let mut out = vec![
        ("Arguments".to_owned(), names(&u.formals, "none")),
        ("Reads (R)".to_owned(), list(&e.exposed)),
        ("Writes (W)".to_owned(), list(&e.writes)),
        ("Overwrites as a whole (K)".to_owned(), list(&e.kills)),
    ];
    if !u.aliases.is_empty() {
        let pairs =
            u.aliases.iter().map(|a| format!("<code>{}</code> and <code>{}</code> ({})", code(&a.first), code(&a.second), a.because));
        out.push(("May overlap".into(), pairs.collect::<Vec<_>>().join(", ")));
    }
    match u.activity.as_ref().filter(|_| is_reached(m.facts, &u.unit)) {
        Some(a) => {
            out.push(("Active somewhere".into(), list(&a.active)));
            out.push(("On entry".into(), format!("varied {}; useful {}", list(&a.varied_on_entry), list(&a.useful_on_entry))));
            out.push(("On exit".into(), format!("varied {}; useful {}", list(&a.varied_on_exit), list(&a.useful_on_exit))));
        }
        None => out.push(("Activity".into(), "no head reaches it".into())),
    }
    out.extend(u.adjoints.iter().map(|r: &Reversal| {
        let form = if r.form == "split" { "a pair" } else { "one unit" };
        let told = format!(
            "{form}; reads on entry (N) {}; leaves overwritten (W) {}; needs at the end of the forward sweep {}",
            list(&r.necessary),
            list(&r.overwritten),
            list(&r.required_at_end)
        );
        (format!("Adjoint <code>{}</code>", code(&r.unit)), told)
    }));
    out
}

/// What was said on the way.
pub fn diagnostics(o: &mut String, m: &Material) {
    o.push_str("<section id=\"remarks\">\n<h2>Remarks</h2>\n");
    if m.diagnostics.is_empty() {
        o.push_str("<p>None.</p>\n");
    } else {
        o.push_str("<ul>\n");
        m.diagnostics.iter().for_each(|d| diagnostic(o, m, d));
        o.push_str("</ul>\n");
    }
    o.push_str("</section>\n");
}

/// One remark, as an item of a list.
pub fn diagnostic(o: &mut String, m: &Material, d: &xaif::Diagnostic) {
    let place = d.location.as_ref().map(|l| {
        let spoken = format!("{}:{}:{}", l.file, l.line, l.column);
        let line = m.documents.list.iter().position(|t| t.file == l.file).map(|t| Place { text: t + 1, line: l.line as usize });
        match line {
            Some(p) => format!("<a href=\"#{}\"><code>{}</code></a> ", p.id(), code(&spoken)),
            None => format!("<code>{}</code> ", code(&spoken)),
        }
    });
    let mut more = String::new();
    for text in [&d.reason, &d.help].into_iter().flatten() {
        let _ = write!(more, "; {}", escape(text));
    }
    let _ = writeln!(o, "<li>{}<code>{}</code> {}{more}</li>", place.unwrap_or_default(), d.code, escape(&d.message));
}

//! The report as a page of its own: a table that can be sorted and filtered, without anything from elsewhere.
//!
//! Lives here: the page. Never here: what it reports.

use super::data::Report;
use crate::batch::outcome::{Outcome, Status};
use crate::page::BASE;
use overbar::plot::svg::escape;
use std::fmt::Write;

/// What this page has beside what all have.
const STYLE: &str = "
body { padding: 0 1.25rem 2rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { cursor: pointer; position: sticky; top: 0; user-select: none; }
td.n { text-align: right; font: inherit; font-variant-numeric: tabular-nums; white-space: nowrap; }
td code { overflow-wrap: anywhere; }
tr.refused td.s, tr.panicked td.s { color: var(--bad); font-weight: 600; } tr.done td.s { color: var(--good); }
tr.nothing td.s, tr.unstarted td.s { color: var(--faint); }
.wide { overflow-x: auto; } details { max-width: 60em; } summary { cursor: pointer; } .said { margin: .2em 0; overflow-wrap: anywhere; }
p input, p select { margin: 0 .6em .4em 0; }
@media print { input, select, label { display: none; } th { position: static; } }
";

const SCRIPT: &str = "
const body = document.querySelector('tbody'), rows = [...body.rows], words = document.getElementById('words');
const status = document.getElementById('status'), shown = document.getElementById('shown');
function filter() {
  const w = words.value.toLowerCase().split(/\\s+/).filter(Boolean); let n = 0;
  for (const r of rows) {
    const on = (!status.value || r.className === status.value) && w.every(x => r.textContent.toLowerCase().includes(x));
    r.hidden = !on; n += on;
  }
  shown.textContent = n + ' of ' + rows.length;
}
words.addEventListener('input', filter); status.addEventListener('change', filter);
let last = -1, up = true;
document.querySelectorAll('th').forEach((h, k) => h.addEventListener('click', () => {
  up = last === k ? !up : true; last = k;
  const key = r => { const c = r.cells[k]; return c.dataset.v === undefined ? c.textContent : Number(c.dataset.v); };
  rows.sort((a, b) => { const x = key(a), y = key(b); return (x < y ? -1 : x > y ? 1 : 0) * (up ? 1 : -1); });
  body.append(...rows);
}));
filter();
";

/// The page.
pub fn page(r: &Report) -> String {
    let mut o = String::from(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>overbar batch</title>\n<style>",
    );
    o.push_str(BASE);
    o.push_str(STYLE);
    // Writing to a string cannot fail.
    let _ = write!(
        o,
        "</style></head><body>\n<h1>Overbar batch{} {}</h1>\n",
        r.shard.as_ref().map(|s| format!(" {s}")).unwrap_or_default(),
        badge(r)
    );
    let _ = writeln!(o, "<p>{}. <code>{}</code></p>", escape(&r.summary()), escape(&r.tool));
    o.push_str("<p><label>Show <input id=\"words\" placeholder=\"words\"></label><select id=\"status\"><option value=\"\">all</option>");
    for s in Status::ALL {
        let _ = write!(o, "<option>{}</option>", s.word());
    }
    o.push_str("</select><span id=\"shown\"></span></p>\n<div class=\"wide\"><table><thead><tr>");
    for head in ["status", "item", "codes", "certificate", "seconds", "bytes in", "bytes out", "what was said"] {
        let _ = write!(o, "<th>{head}</th>");
    }
    o.push_str("</tr></thead><tbody>\n");
    r.items.iter().for_each(|i| row(&mut o, i));
    let _ = write!(o, "</tbody></table></div>\n<script>{SCRIPT}</script>\n</body></html>\n");
    o
}

/// The verdict, for the top of the page.
fn badge(r: &Report) -> String {
    let failed = r.items.iter().filter(|i| matches!(i.status, Status::Refused | Status::Panicked)).count();
    let wrong = r.items.iter().filter(|i| i.verdict.as_deref() == Some("wrong")).count();
    let (class, text) = match failed.max(wrong) {
        0 => ("pass", "all done".to_owned()),
        n => ("wrong", format!("{n} failed")),
    };
    format!("<span class=\"badge {class}\">{text}</span>")
}

fn row(o: &mut String, i: &Outcome) {
    let stage = i.stage.map(|s| format!(" ({})", s.word())).unwrap_or_default();
    let bytes = i.content.as_ref().map(|c| c.bytes.to_string()).unwrap_or_default();
    let _ = write!(
        o,
        "<tr class=\"{status}\"><td class=\"s\">{status}{stage}{resumed}</td><td><code>{name}</code></td><td>{codes}</td><td>{verdict}</td>\
         <td class=\"n\" data-v=\"{seconds}\">{seconds:.3}</td><td class=\"n\" data-v=\"{input}\">{input}</td>\
         <td class=\"n\" data-v=\"{out}\">{bytes}</td><td>",
        status = i.status.word(),
        resumed = if i.resumed { ", earlier" } else { "" },
        name = escape(&i.output),
        codes = escape(&i.codes().join(" ")),
        verdict = escape(i.verdict.as_deref().unwrap_or_default()),
        seconds = i.seconds,
        input = i.input_bytes,
        out = i.content.as_ref().map_or(0, |c| c.bytes),
    );
    if !i.diagnostics.is_empty() {
        let first = i.complaint().unwrap_or_else(|| format!("{} remarks", i.diagnostics.len()));
        let _ = write!(o, "<details><summary>{}</summary>", escape(&first));
        for d in &i.diagnostics {
            let text = |k: &str| escape(d[k].as_str().unwrap_or_default());
            let l = &d["location"];
            let place = l["file"].as_str().map(|f| format!("{}:{}:{} ", escape(f), l["line"], l["column"])).unwrap_or_default();
            let more = ["reason", "help"].iter().filter(|k| d[**k].is_string()).map(|k| format!("; {}", text(k))).collect::<String>();
            let _ = write!(o, "<div class=\"said\"><code>{place}{}</code> {}{more}</div>", text("code"), text("message"));
        }
        o.push_str("</details>");
    }
    o.push_str("</td></tr>\n");
}

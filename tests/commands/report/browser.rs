//! The page in a real browser: links, keyboard, panel, sorting, print, nothing fetched, no errors.

use super::driver::Browser;
use crate::common::{overbar_ok, root};
use serde_json::{Value, json};

const HEAD: &str = "energy(energy)/(angle,length,damping)";

/// The ids of the lines of a class, in order.
fn ids(b: &Browser, class: &str) -> Vec<String> {
    let found = b.run(&format!("return [...document.querySelectorAll('.l.{class}')].map(l => l.id)"));
    found.as_array().unwrap().iter().map(|v| v.as_str().unwrap().to_owned()).collect()
}

#[test]
fn lines_are_linked_in_a_browser() {
    let Some(b) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    overbar_ok(&root().join("samples/pendulum"), &["report", "pendulum.c", "--head", HEAD, "-o", file.to_str().unwrap()]);
    let text = std::fs::read_to_string(&file).unwrap();
    let page = super::page::Page::parse(&text);
    let (down, up) = (page.down(), page.up());
    let url = format!("file://{}", file.display());
    // What the browser asks itself when it starts is none of the page's.
    b.open("about:blank");
    b.log("performance");
    b.open(&url);
    assert_eq!(b.run("return document.documentElement.className"), "js", "the script ran under the policy of the page");

    // A line of the source: its derivative lines, and what is said of it.
    b.click("#s1-15 > code");
    let made: Vec<String> = down["s1-15"].iter().map(|k| format!("d{k}")).collect();
    assert!(made.len() > 2);
    assert_eq!((ids(&b, "on"), ids(&b, "to")), (vec!["s1-15".to_owned()], made.clone()));
    let panel = || b.run("return document.getElementById('says').textContent").as_str().unwrap().to_owned();
    assert!(panel().contains("active") && panel().contains("*speed += dt * acceleration"), "{}", panel());
    let seen =
        format!("const r = document.getElementById('{}').getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight", made[0]);
    assert_eq!(b.run(&seen), true, "the first of them is in view");

    // And back; the other lines of the same source line too.
    let back = format!("#{} > code", made[1]);
    b.click(&back);
    assert_eq!(ids(&b, "on"), [made[1].clone()]);
    let mut wanted: Vec<String> = made.iter().filter(|m| **m != made[1]).cloned().collect();
    wanted.insert(0, "s1-15".into());
    assert_eq!(ids(&b, "to"), wanted);
    assert!(panel().contains("Made for line 15"), "{}", panel());

    // By keyboard: down to the next line, across, and let go.
    b.click("#s1-14 > .n");
    assert_eq!(ids(&b, "on"), ["s1-14"]);
    b.press("\u{e015}");
    assert_eq!(ids(&b, "on"), ["s1-15"], "arrow down");
    b.press("\u{e014}");
    assert_eq!(ids(&b, "on"), [made[0].clone()], "arrow right");
    b.press("\u{e012}");
    assert_eq!(ids(&b, "on"), ["s1-15"], "arrow left");
    assert_eq!(b.run("return document.activeElement.closest('.l').id"), "s1-15");
    b.press("\u{e00c}");
    assert!(ids(&b, "on").is_empty() && ids(&b, "to").is_empty(), "Escape");

    // Every generated line leads to its own.
    let all = b.run(
        "return [...document.querySelectorAll('.l.drv[data-s]')].map(l => { l.querySelector('code').click(); \
         const to = document.querySelector('.l.src.to'); const id = to ? to.id : ''; l.querySelector('code').click(); return [l.id, id]; })",
    );
    let all: Vec<(String, String)> = serde_json::from_value(all).unwrap();
    assert_eq!(all.len(), up.len());
    for (k, source) in &up {
        assert!(all.contains(&(format!("d{k}"), source.clone())), "d{k}: {source}");
    }

    // An address with a line shows it.
    b.open("about:blank");
    b.open(&format!("{url}#s1-12"));
    assert_eq!(ids(&b, "on"), ["s1-12"]);

    sorting(&b);
    aligned(&b);
    printed(&b, folder.path(), &page);
    assert_eq!(b.log("browser"), Vec::<Value>::new(), "the console says nothing");
    let asked: Vec<String> = b
        .log("performance")
        .iter()
        .filter_map(|e| serde_json::from_str::<Value>(e["message"].as_str()?).ok())
        .filter(|e| e["message"]["method"] == "Network.requestWillBeSent")
        .filter_map(|e| e["message"]["params"]["request"]["url"].as_str().map(str::to_owned))
        .filter(|u| !u.starts_with("chrome://"))
        .collect();
    assert!(!asked.is_empty() && asked.iter().all(|u| u.starts_with(&url) || u == "about:blank"), "nothing else is fetched: {asked:?}");
    without_scripts(&b, &url);
}

fn sorting(b: &Browser) {
    let column = "return [...document.querySelectorAll('#elimination tbody tr')].map(r => Number(r.cells[9].dataset.v))";
    let before: Vec<u64> = serde_json::from_value(b.run(column)).unwrap();
    b.run("document.querySelectorAll('#elimination th button')[9].click()");
    let after: Vec<u64> = serde_json::from_value(b.run(column)).unwrap();
    let mut sorted = before.clone();
    sorted.sort_unstable();
    assert_eq!(after, sorted, "numbers are sorted as numbers");
    assert_eq!(b.run("return document.querySelectorAll('#elimination th')[9].getAttribute('aria-sort')"), "ascending");
}

/// Nothing is wider than the window, and code begins in the same column on all lines of a side.
fn aligned(b: &Browser) {
    for (width, height) in [(1400, 900), (700, 900)] {
        b.resize(width, height);
        let wide = b.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth");
        assert_eq!(wide, 0, "at {width} columns of pixels the page does not scroll sideways");
        for side in ["src", "drv"] {
            let columns = b.run(&format!(
                "return [...new Set([...document.querySelectorAll('.l.{side} > code')].map(c => Math.round(c.getBoundingClientRect().left - c.closest('.lines').getBoundingClientRect().left + c.closest('.lines').scrollLeft)))].length"
            ));
            assert_eq!(columns, 1, "{side} at {width}");
        }
    }
    b.resize(1400, 900);
}

fn printed(b: &Browser, folder: &std::path::Path, page: &super::page::Page) {
    // What print shows: all remarks, all drawings, no panel.
    b.command("Emulation.setEmulatedMedia", json!({ "media": "print" }));
    let hidden = b.run(
        "return [...document.querySelectorAll('.l, .l .x, #certificate table, #records table')].filter(e => e.getClientRects().length === 0).map(e => e.outerHTML.slice(0, 80))",
    );
    assert_eq!(hidden, json!([]), "print shows everything");
    assert_eq!(b.run("return getComputedStyle(document.getElementById('panel')).display"), "none");
    b.command("Emulation.setEmulatedMedia", json!({ "media": "" }));
    let document = b.print();
    assert!(document.starts_with(b"%PDF") && document.len() > 20_000, "{} bytes", document.len());
    let file = folder.join("page.pdf");
    std::fs::write(&file, &document).unwrap();
    let text = std::process::Command::new("pdftotext").args(["-layout", "page.pdf", "-"]).current_dir(folder).output();
    let Ok(text) = text else {
        println!("skipped: pdftotext is not there (Debian's package poppler-utils), so the text of the print is not looked at");
        return;
    };
    let squeeze = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let text = squeeze(&String::from_utf8_lossy(&text.stdout));
    for side in ["src", "drv"] {
        for line in page.texts(side).iter().filter(|l| !l.trim().is_empty()) {
            assert!(text.contains(&squeeze(line)), "{side}: {line} is printed");
        }
    }
}

/// Without scripts the page says the same: remarks open at the line, links lead to the other side.
fn without_scripts(b: &Browser, url: &str) {
    b.command("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
    b.open("about:blank");
    b.open(&format!("{url}#s1-15"));
    let about = "return [document.documentElement.className, getComputedStyle(document.querySelector('#s1-15 > .x')).display, \
                 getComputedStyle(document.getElementById('panel')).display, document.querySelector('#s1-15 > .n').getAttribute('href')[1]]";
    assert_eq!(b.run(about), json!(["", "block", "none", "d"]));
}

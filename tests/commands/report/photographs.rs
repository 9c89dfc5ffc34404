//! All pages at two widths, light and dark: nothing is wider than the window, the verdict stands on top. `OVERBAR_SHOTS=FOLDER` keeps the pictures, for people to look
//! at.

use super::driver::Browser;
use crate::common::{overbar, overbar_ok, root};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A service, which ends with the test.
struct Service(Child, String);

impl Service {
    fn start() -> Option<Service> {
        let mut child = Command::new(env!("CARGO_BIN_EXE_overbar"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("starts");
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().expect("piped"));
        out.read_line(&mut line).expect("a line");
        std::thread::spawn(move || out.lines().map_while(Result::ok).for_each(drop));
        let address =
            line.split_whitespace().find_map(|w| w.find("127.0.0.1:").map(|k| w[k..].trim_end_matches(['/', '.', ',']).to_owned()));
        let service = Service(child, address.unwrap_or_default());
        // Built without it, there is none.
        (!service.1.is_empty()).then_some(service)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn photograph(b: &Browser, name: &str) {
    use base64::Engine;
    for width in [1280, 400] {
        for scheme in ["light", "dark"] {
            b.command(
                "Emulation.setDeviceMetricsOverride",
                json!({ "width": width, "height": 1200, "deviceScaleFactor": 1, "mobile": false }),
            );
            b.command("Emulation.setEmulatedMedia", json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] }));
            let wide = b.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth");
            assert_eq!(wide, 0, "{name} does not scroll sideways at {width}");
            let dark = b.run("return getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)";
            assert_eq!(dark, scheme == "dark", "{name} at {width}: the ground is {scheme}");
            if let Some(folder) = std::env::var_os("OVERBAR_SHOTS") {
                let shot = b.command("Page.captureScreenshot", json!({ "captureBeyondViewport": true }));
                let bytes = base64::engine::general_purpose::STANDARD.decode(shot["data"].as_str().expect("a picture")).expect("base64");
                std::fs::write(std::path::Path::new(&folder).join(format!("{name}-{width}-{scheme}.png")), bytes).expect("written");
            }
        }
    }
}

/// Waits until a script returns what is wanted.
fn until(b: &Browser, script: &str, wanted: &Value) {
    for _ in 0..200 {
        if b.run(script) == *wanted {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("{script} is {} and not {wanted}", b.run(script));
}

#[test]
fn pages_fit_their_window_in_light_and_dark() {
    let Some(b) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let samples = root().join("samples/pendulum");
    overbar_ok(&samples, &["report", "pendulum.c", "--head", "energy(energy)/(angle,length,damping)", "-o", &at("report.html")]);
    b.open(&format!("file://{}", at("report.html")));
    assert_eq!(b.run("return document.querySelector('h1 .badge').textContent"), "pass");
    photograph(&b, "report");
    // One of them is refused, and the page says so.
    std::fs::create_dir(folder.path().join("in")).unwrap();
    std::fs::write(at("in/good.c"), "double f(double x) { return x * x; }\n").unwrap();
    std::fs::write(at("in/bad.c"), "double f(double x) { return x *; }\n").unwrap();
    overbar(folder.path(), &["batch", "in", "-b", "-k", "-o", "out"]);
    b.open(&format!("file://{}", at("out/overbar-batch/report.html")));
    assert_eq!(b.run("return document.querySelector('h1 .badge').textContent"), "1 failed");
    photograph(&b, "batch");
    let Some(service) = Service::start() else { return };
    b.open(&format!("http://{}/", service.1));
    // It opens with an example differentiated; the verdict has a room of its own, and the derivative stays.
    until(&b, "return document.getElementById('derivative').textContent.includes('cost_b')", &json!(true));
    b.click("#check");
    until(&b, "return document.getElementById('badge').textContent", &json!("pass"));
    assert_eq!(b.run("return document.getElementById('derivative').textContent.includes('cost_b')"), true);
    assert_eq!(b.run("return document.getElementById('verdict').textContent.includes('pass')"), true);
    photograph(&b, "service");
    b.run("const e = document.getElementById('example'); e.value = '4'; e.dispatchEvent(new Event('change'))");
    until(&b, "return document.querySelector('#listing .said.error') !== null", &json!(true));
    assert_eq!(b.run("return document.getElementById('derivative').textContent"), "");
}

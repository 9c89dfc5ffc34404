//! A browser that is told what to do: chromedriver, by the W3C WebDriver protocol.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A session with a browser; both end with it.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    // The profile goes when the browser has gone.
    _profile: tempfile::TempDir,
}

fn found(name: &str) -> Option<String> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|p| p.join(name)).find(|p| p.is_file()).map(|p| p.display().to_string())
}

impl Browser {
    /// Starts one; `None`, with a message, where there is none.
    pub fn start() -> Option<Browser> {
        let browser = found("chromium").or_else(|| found("chromium-browser"));
        let (Some(browser), Some(driver)) = (browser, found("chromedriver")) else {
            println!("skipped: chromium and chromedriver are not there (Debian's packages chromium and chromium-driver)");
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        let mut driver =
            Command::new(driver).arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("chromedriver starts");
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines.find_map(|l| l.ok()?.split("successfully on port ").nth(1)?.trim_end_matches('.').parse().ok()).expect("a port");
        std::thread::spawn(move || lines.for_each(drop));
        let mut browser_ = Browser { driver, port, session: String::new(), _profile: profile };
        let arguments = [
            "--headless=new".to_owned(),
            "--no-sandbox".into(),
            "--disable-gpu".into(),
            "--disable-dev-shm-usage".into(),
            "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1".into(),
            "--window-size=1400,900".into(),
            format!("--user-data-dir={}", browser_._profile.path().display()),
        ];
        let capabilities = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"binary": browser, "args": arguments},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }}});
        let answer = browser_.request("POST", "/session", Some(capabilities));
        browser_.session = answer["sessionId"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
        Some(browser_)
    }

    fn request(&self, method: &str, path: &str, body: Option<Value>) -> Value {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the driver listens");
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        let body = body.map(|b| b.to_string()).unwrap_or_default();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            self.port,
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("an answer");
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap();
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut text = vec![0; length];
        reader.read_exact(&mut text).expect("a whole answer");
        let answer: Value = serde_json::from_slice(&text).expect("JSON");
        assert!(answer["value"]["error"].is_null(), "{method} {path}: {answer}");
        answer["value"].clone()
    }

    fn post(&self, what: &str, body: Value) -> Value {
        self.request("POST", &format!("/session/{}/{what}", self.session), Some(body))
    }

    /// Opens a page.
    pub fn open(&self, url: &str) {
        self.post("url", json!({ "url": url }));
    }

    /// What a script returns.
    pub fn run(&self, script: &str) -> Value {
        self.post("execute/sync", json!({ "script": script, "args": [] }))
    }

    /// Clicks the element of that selector, in the middle of what is seen of it.
    pub fn click(&self, selector: &str) {
        // Nothing that floats is in the middle of the window.
        self.run(&format!("document.querySelector({}).scrollIntoView({{ block: 'center' }})", json!(selector)));
        let element = self.post("element", json!({ "using": "css selector", "value": selector }));
        let id = element.as_object().and_then(|o| o.values().next()).and_then(Value::as_str).expect("an element").to_owned();
        self.post(&format!("element/{id}/click"), json!({}));
    }

    /// Presses a key.
    pub fn press(&self, key: &str) {
        let actions =
            json!([{ "type": "key", "id": "keys", "actions": [{ "type": "keyDown", "value": key }, { "type": "keyUp", "value": key }] }]);
        self.post("actions", json!({ "actions": actions }));
    }

    /// Makes the window that large.
    pub fn resize(&self, width: u32, height: u32) {
        self.post("window/rect", json!({ "width": width, "height": height }));
    }

    /// A command of the browser's own protocol.
    pub fn command(&self, command: &str, parameters: Value) -> Value {
        self.post("goog/cdp/execute", json!({ "cmd": command, "params": parameters }))
    }

    /// What was logged since the last time.
    pub fn log(&self, kind: &str) -> Vec<Value> {
        self.post("se/log", json!({ "type": kind })).as_array().cloned().unwrap_or_default()
    }

    /// The page as it is printed.
    pub fn print(&self) -> Vec<u8> {
        use base64::Engine;
        let text = self.post("print", json!({ "background": true }));
        base64::engine::general_purpose::STANDARD.decode(text.as_str().expect("a document")).expect("base64")
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty()
            && let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port))
        {
            let _ = stream
                .write_all(format!("DELETE /session/{} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", self.session).as_bytes());
            let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
            let _ = stream.read(&mut [0; 64]);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

//! `webhand demo`: what webhand does, shown on a small site of its own. No network, no model, no account.

mod site;

use std::{
    io::Write,
    path::{Path, PathBuf},
    time::Instant,
};

use contract::{Code, Error, Outcome, Result, SessionName, Typed};
use engine::{
    Action, Config, Engine, Front, Request, SessionOptions, Until,
    actions::{Controls, Eval, Find, Lang, Open, Read, Screenshot, Snapshot, Wait},
};
use serde_json::{Value, json};

use self::site::{DemoSite, PASSWORD, USER};
use crate::{home::Home, install, settings::Settings};

/// Fills the fields of a form by their names and sends it. What is typed comes as an argument, which is written down nowhere.
const FILL: &str = r#"text => {
    const fields = JSON.parse(text);
    const form = document.querySelector(`[name="${Object.keys(fields)[0]}"]`)?.form;
    if (!form) throw new Error('no form with these fields');
    for (const [name, value] of Object.entries(fields)) {
        const field = form.elements[name];
        if (!field) throw new Error('no field ' + name);
        if (field.type === 'checkbox') field.checked = value; else field.value = value;
        field.dispatchEvent(new Event('input', {bubbles: true}));
        field.dispatchEvent(new Event('change', {bubbles: true}));
    }
    form.requestSubmit();
    return document.title;
}"#;

/// Runs the demo. Every step is checked: one that did not do what it shows ends the demo with an error.
pub(crate) fn main(home: &Home, settings: &Settings) -> Result<()> {
    install::ensure(settings.browser.as_ref())?;
    home.make()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| Error::new(Code::Internal, "no runtime").with_cause(error))?;
    runtime.block_on(async {
        let engine = Engine::new(Config::new(home.path()))?;
        let options = SessionOptions {
            browser: settings.browser.clone(),
            headed: settings.headed,
            ..Default::default()
        };
        let demo = Demo {
            engine,
            options,
            session: "demo".parse()?,
            folder: home.path().join("demo"),
            began: Instant::now(),
        };
        let shown = demo.show().await;
        demo.engine.close(Front::Demo).await;
        shown
    })
}

struct Demo {
    engine: Engine,
    options: SessionOptions,
    session: SessionName,
    folder: PathBuf,
    began: Instant,
}

impl Demo {
    async fn show(&self) -> Result<()> {
        let shop = DemoSite::start().await.map_err(|error| {
            Error::new(Code::Internal, "the demo's site cannot listen on loopback").with_cause(error)
        })?;
        say(&format!("A small shop runs at {} for as long as this takes.\n", shop.url("/")));

        let open = Open { url: Some((&*shop.url("/")).into()), until: Until::Load };
        let outcome = self.step("start Chromium and open the shop", open).await?;
        expect(outcome.status == Some(200), "the shop answers 200", &outcome)?;

        let outcome = self.step("look at it: a snapshot with refs", Snapshot::default()).await?;
        let seen = outcome.snapshot.clone().unwrap_or_default().text;
        expect(seen.contains("textbox \"Password\""), "the snapshot shows the sign-in form", &outcome)?;
        say(&indented(&seen));

        self.step("sign in", fill(&json!({"user": USER, "password": PASSWORD}))).await?;
        let outcome =
            self.step("wait for the page behind the sign-in", Wait::until(Until::NetworkIdle)).await?;
        expect(
            outcome.url.as_deref() == Some(&*shop.url("/orders/new")),
            "signing in leads to the order form",
            &outcome,
        )?;

        let order =
            json!({"customer": "Ada Lovelace", "product": "Deck lantern", "quantity": "3", "express": true});
        self.step("fill in and send an order", fill(&order)).await?;
        let outcome = self.step("wait for the list of orders", Wait::until(Until::NetworkIdle)).await?;
        expect(
            outcome.url.as_deref() == Some(&*shop.url("/orders")),
            "the order leads to the list",
            &outcome,
        )?;

        let outcome = self.step("find our order in it", find("Ada Lovelace")).await?;
        let found = outcome.content.clone().unwrap_or_default().text;
        expect(found.contains("Deck lantern"), "our order is in the table", &outcome)?;
        say(&indented(&found));

        let outcome = self.step("read the page as Markdown", Read::default()).await?;
        let page = outcome.content.clone().unwrap_or_default().text;
        expect(page.contains("| Ada Lovelace |"), "the table can be read", &outcome)?;
        let page_file = self.folder.join("orders.md");
        write(&page_file, &page)?;

        let outcome =
            self.step("list its controls", Controls { lang: Lang::En, ..Controls::default() }).await?;
        let controls = outcome.content.clone().unwrap_or_default().text;
        expect(controls.contains("[Link]"), "the page has links", &outcome)?;
        let controls_file = self.folder.join("controls.txt");
        write(&controls_file, &controls)?;

        let picture = self.folder.join("orders.png");
        let shot = Screenshot { path: Some(picture.clone()), labels: true, ..Screenshot::default() };
        let outcome = self.step("take a picture with numbers on it", shot).await?;
        expect(!outcome.labels.is_empty(), "what can be used has a number", &outcome)?;

        say(&format!("\nDone in {:.1} s. What came of it:", self.began.elapsed().as_secs_f64()));
        say(&format!("  {}    the picture, with a number on what can be used", picture.display()));
        say(&format!("  {}     the page as Markdown", page_file.display()));
        say(&format!("  {}  its controls, with selectors", controls_file.display()));
        say("  webhand history --session demo   every step, as the journal has it");
        Ok(())
    }

    /// Does one step, and prints what it was and how long it took.
    async fn step(&self, what: &str, action: impl Into<Action>) -> Result<Outcome> {
        let request = Request { front: Front::Demo, ..Request::new(action) };
        let began = Instant::now();
        let result = self.engine.perform(&self.session, &self.options, request).await;
        let took = began.elapsed().as_secs_f64() * 1000.0;
        let mark = if result.is_ok() { "ok" } else { "failed" };
        say(&format!("  {what:.<44} {mark} {took:>7.1} ms"));
        result
    }
}

fn eval(js: &str) -> Eval {
    Eval::new(js)
}

fn fill(fields: &Value) -> Eval {
    Eval { args: vec![Typed::from(&*fields.to_string())], ..eval(FILL) }
}

fn find(words: &str) -> Find {
    Find { words: words.into(), ..Find::default() }
}

fn expect(holds: bool, what: &str, outcome: &Outcome) -> Result<()> {
    match holds {
        true => Ok(()),
        false => Err(Error::new(Code::Internal, format!("the demo expected that {what}"))
            .with_cause(format!("{outcome:?}"))),
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("      {line}")).collect::<Vec<_>>().join("\n")
}

fn write(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, text)).map_err(|error| {
        Error::new(Code::Internal, format!("{} cannot be written", path.display())).with_cause(error)
    })
}

/// For people to watch. Whoever reads may have seen enough; the demo goes on.
fn say(line: &str) {
    let mut stdout = std::io::stdout();
    let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
}

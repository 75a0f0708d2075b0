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
    actions::{Eval, Open, Screenshot, Wait},
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

/// The result table: a list of rows, each a list of cells.
const TABLE: &str = "[...document.querySelectorAll('table tbody tr')].map(row => [...row.cells].map(cell => cell.innerText.trim()))";

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

        self.step("sign in", fill(&json!({"user": USER, "password": PASSWORD}))).await?;
        let outcome =
            self.step("wait for the page behind the sign-in", Wait { until: Until::NetworkIdle }).await?;
        expect(
            outcome.url.as_deref() == Some(&*shop.url("/orders/new")),
            "signing in leads to the order form",
            &outcome,
        )?;

        let order =
            json!({"customer": "Ada Lovelace", "product": "Deck lantern", "quantity": "3", "express": true});
        self.step("fill in and send an order", fill(&order)).await?;
        let outcome = self.step("wait for the list of orders", Wait { until: Until::NetworkIdle }).await?;
        expect(
            outcome.url.as_deref() == Some(&*shop.url("/orders")),
            "the order leads to the list",
            &outcome,
        )?;

        let outcome = self.step("read the result table", eval(TABLE)).await?;
        let rows = outcome.value.clone().unwrap_or_default();
        let ours = rows.as_array().into_iter().flatten().any(|row| row.to_string().contains("Ada Lovelace"));
        expect(ours, "our order is in the table", &outcome)?;
        say(&table(&rows));

        let picture = self.folder.join("orders.png");
        let shot = Screenshot { path: Some(picture.clone()), full: true, ..Screenshot::default() };
        self.step("take a picture of it", shot).await?;
        let rows_file = self.folder.join("orders.json");
        write(&rows_file, &serde_json::to_string_pretty(&rows).unwrap_or_default())?;

        say(&format!("\nDone in {:.1} s. What came of it:", self.began.elapsed().as_secs_f64()));
        say(&format!("  {}   the picture", picture.display()));
        say(&format!("  {}  the table", rows_file.display()));
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

fn expect(holds: bool, what: &str, outcome: &Outcome) -> Result<()> {
    match holds {
        true => Ok(()),
        false => Err(Error::new(Code::Internal, format!("the demo expected that {what}"))
            .with_cause(format!("{outcome:?}"))),
    }
}

/// The rows as people read tables.
fn table(rows: &Value) -> String {
    let rows: Vec<Vec<&str>> = rows
        .as_array()
        .into_iter()
        .flatten()
        .map(|row| row.as_array().into_iter().flatten().filter_map(Value::as_str).collect())
        .collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or_default()).collect();
    let line = |row: &Vec<&str>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        format!("      {}", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(|error| {
        Error::new(Code::Internal, format!("{} cannot be written", path.display())).with_cause(error)
    })
}

/// For people to watch. Whoever reads may have seen enough; the demo goes on.
fn say(line: &str) {
    let mut stdout = std::io::stdout();
    let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
}

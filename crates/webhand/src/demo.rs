//! `webhand demo`: what webhand does, shown on a small site of its own. No network, no model, no account.

mod pages;
mod site;

use std::{
    io::Write,
    path::{Path, PathBuf},
    time::Instant,
};

use contract::{Code, Error, NavigationKind, Outcome, Result, SessionName, Target};
use engine::{
    Action, Config, Engine, Front, Request, SessionOptions, Until,
    actions::{
        Answer, Batch, Check, Click, Controls, Dialog, Download, Fill, FillForm, Find, FormField, Lang,
        OnNavigation, Open, Read, Screenshot, Select, Snapshot,
    },
};

use self::site::{DemoSite, PASSWORD, USER};
use crate::{home::Home, install, render, settings::Settings};

/// Runs the demo. Every step is checked: one that did not do what it shows ends the demo with an error.
pub(crate) fn main(home: &Home, settings: &Settings) -> Result<()> {
    install::ensure(settings.browser.as_ref())?;
    home.make()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| Error::new(Code::Internal, "no runtime").with_cause(error))?;
    runtime.block_on(async {
        let shop = DemoSite::start().await.map_err(|error| {
            Error::new(Code::Internal, "the demo's site cannot listen on loopback").with_cause(error)
        })?;
        let engine = Engine::new(Config::new(home.path()))?;
        let options = SessionOptions {
            browser: settings.browser.clone(),
            headed: settings.headed,
            // What is on this computer is blocked by default, and this is all that the demo needs of it.
            allow: vec![shop.place().parse()?],
            ..Default::default()
        };
        let demo = Demo {
            engine,
            options,
            session: "demo".parse()?,
            folder: home.path().join("demo"),
            began: Instant::now(),
        };
        let shown = demo.show(&shop).await;
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
    async fn show(&self, shop: &DemoSite) -> Result<()> {
        say(&format!("A small shop runs at {} for as long as this takes.\n", shop.url("/")));

        let open = Open { url: Some((&*shop.url("/")).into()), until: Until::Load };
        let outcome = self.step("start Chromium and open the shop", open).await?;
        expect(outcome.status == Some(200), "the shop answers 200", &outcome)?;

        let outcome = self.step("look at it: a snapshot with refs", Snapshot::default()).await?;
        let seen = outcome.snapshot.clone().unwrap_or_default().text;
        expect(seen.contains("textbox \"Password\""), "the snapshot shows the sign-in form", &outcome)?;
        say(&indented(&seen));

        self.sign_in(shop).await?;
        self.order(shop).await?;
        self.cancel().await?;
        let files = self.keep().await?;

        say(&format!("\nDone in {:.1} s. What came of it:", self.began.elapsed().as_secs_f64()));
        for (file, what) in files {
            say(&format!("  {}\n      {what}", file.display()));
        }
        say("  webhand history --session demo\n      every step, as the journal has it");
        Ok(())
    }

    /// Fields and buttons are named in plain words, the last ones in Chinese.
    async fn sign_in(&self, shop: &DemoSite) -> Result<()> {
        self.step("fill in the user name", Fill::new(words("the user name field")?, USER.into())).await?;
        self.step("fill in the password: 密码输入框", Fill::new(words("密码输入框")?, PASSWORD.into()))
            .await?;
        let outcome = self.step("sign in: 登录按钮", Click::new(words("登录按钮")?)).await?;
        expect(is_at(&outcome, shop, "/orders/new"), "signing in leads to the order form", &outcome)?;
        // Who has looked at a page and is led to another one is shown that one.
        let seen = outcome.snapshot.clone().unwrap_or_default().text;
        expect(seen.contains("combobox \"Product\""), "the outcome shows the order form", &outcome)
    }

    /// One order by hand, another one in a single call.
    async fn order(&self, shop: &DemoSite) -> Result<()> {
        let fields = [("Customer", "Ada Lovelace"), ("Quantity", "3")];
        let field = |(name, value): (&str, &str)| -> Result<FormField> {
            Ok(FormField { target: words(name)?, value: value.into() })
        };
        let fields = fields.into_iter().map(field).collect::<Result<_>>()?;
        self.step("fill in an order", FillForm::new(fields)).await?;
        self.step("choose from a list", Select::new(words("the product dropdown")?, "Deck lantern ($24.50)"))
            .await?;
        self.step("tick a box", Check { target: words("express delivery")? }).await?;
        let outcome = self.step("send the order", Click::new(words("Place order")?)).await?;
        expect(is_at(&outcome, shop, "/orders"), "the order leads to the list", &outcome)?;

        let actions = vec![
            Click::new(words("New order")?).into(),
            Fill::new(words("Customer")?, "Grace Hopper".into()).into(),
            Select::new(words("Product")?, "Anchor, 12 kg ($129.00)").into(),
            Click::new(words("Place order")?).into(),
        ];
        let batch = Batch { actions, on_navigation: OnNavigation::Continue };
        let outcome = self.step("order again, as a batch", batch).await?;
        expect(is_at(&outcome, shop, "/orders"), "the second order leads to the list", &outcome)?;

        let outcome = self.step("find our order in the list", find("Ada Lovelace")).await?;
        let found = outcome.content.clone().unwrap_or_default().text;
        expect(found.contains("Deck lantern"), "our order is in the table", &outcome)?;
        say(&indented(&found));
        Ok(())
    }

    /// What could mean several elements is refused; the page asks back in a dialog.
    async fn cancel(&self) -> Result<()> {
        self.refusal("cancel an order, but which?", Click::new(words("the Cancel button")?)).await?;
        let which = Click::new(words("Cancel in the row of Ines Duarte")?);
        let outcome = self.step("cancel that of Ines Duarte", which).await?;
        expect(outcome.dialog.is_some(), "the page asks whether it is meant", &outcome)?;
        let outcome = self.step("answer the dialog", Dialog { answer: Answer::Accept, text: None }).await?;
        let seen = outcome.snapshot.clone().unwrap_or_default().text;
        expect(seen.contains("Order HS-1002 was cancelled"), "the order is cancelled", &outcome)
    }

    /// The list as files, each with what it is.
    async fn keep(&self) -> Result<Vec<(PathBuf, &'static str)>> {
        let list = self.folder.join("orders.csv");
        let save = Download {
            path: Some(list.clone()),
            force: true,
            ..Download::new(words("the link to save the list")?)
        };
        let outcome = self.step("download the list", save).await?;
        let saved = std::fs::read_to_string(&list).unwrap_or_default();
        expect(
            saved.contains("Grace Hopper") && !saved.contains("Ines"),
            "the file has the orders",
            &outcome,
        )?;

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

        Ok(vec![
            (picture, "the picture, with a number on what can be used"),
            (page_file, "the page as Markdown"),
            (controls_file, "its controls, with selectors"),
            (list, "the file that was downloaded"),
        ])
    }

    /// Does one step, and prints what it was, how long it took and what came of it.
    async fn step(&self, what: &str, action: impl Into<Action>) -> Result<Outcome> {
        let (result, line) = self.perform(what, action.into()).await;
        say(&format!("{line}{}", if result.is_ok() { "ok" } else { "failed" }));
        let outcome = result?;
        let came = came_of(&outcome);
        if !came.is_empty() {
            say(&indented(&came));
        }
        Ok(outcome)
    }

    /// A step that must be refused, since it could mean several elements. Prints which ones.
    async fn refusal(&self, what: &str, action: impl Into<Action>) -> Result<()> {
        let (result, line) = self.perform(what, action.into()).await;
        match result {
            Err(error) if error.code == Code::ElementAmbiguous => {
                say(&format!("{line}refused\n{}", indented(&format!("{}: {}", error.code, error.message))));
                Ok(())
            }
            Err(error) => Err(error),
            Ok(outcome) => expect(false, "a description of several elements is refused", &outcome),
        }
    }

    async fn perform(&self, what: &str, action: Action) -> (Result<Outcome>, String) {
        let request = Request { front: Front::Demo, ..Request::new(action) };
        let began = Instant::now();
        let result = self.engine.perform(&self.session, &self.options, request).await;
        let took = began.elapsed().as_secs_f64() * 1000.0;
        // Chinese is twice as wide in a terminal.
        let width: usize = what.chars().map(|c| if c < '\u{2e80}' { 1 } else { 2 }).sum();
        let dots = ".".repeat(44_usize.saturating_sub(width));
        (result, format!("  {what}{dots} {took:>7.1} ms  "))
    }
}

/// A target in plain words.
fn words(description: &str) -> Result<Target> {
    description.parse()
}

fn find(words: &str) -> Find {
    Find { words: words.into(), ..Find::default() }
}

fn is_at(outcome: &Outcome, shop: &DemoSite, path: &str) -> bool {
    outcome.url.as_deref() == Some(&*shop.url(path))
}

/// The element that was used, where that led, and what happened besides.
fn came_of(outcome: &Outcome) -> String {
    let mut lines = Vec::new();
    if let Some(target) = outcome.target.as_ref().filter(|_| outcome.steps.is_empty()) {
        lines.push(format!("{} {} {:?}", target.reference, target.role, target.name));
    }
    if let Some(title) = outcome.title.as_deref().filter(|_| leads_on(outcome)) {
        lines.push(format!("leads to {title:?}"));
    }
    lines.extend(
        render::besides(outcome).lines().map(str::trim).filter(|line| !line.is_empty()).map(Into::into),
    );
    lines.join("\n")
}

fn leads_on(outcome: &Outcome) -> bool {
    matches!(&outcome.navigation, Some(way) if way.kind == NavigationKind::Document)
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

//! `jarvis`: one tool, `playwright_browser`, that keeps browsers by their id and writes what a page offers to files. Names, texts
//! and results are those of its document, which is why they are in Chinese.

mod args;
mod files;
mod notes;
mod translate;
mod words;
mod work;

use contract::{Result, SessionName};
use engine::{
    Request, SessionOptions,
    actions::{Click, Close, Fill, Goto, Open},
};
use serde_json::json;

use self::{
    args::{Action, Args},
    words::Refusal,
    work::Work,
};
use crate::{Caller, Hints, Reply, Step, Tool, Toolset, dialogs::Doer, tool::Call};

/// The toolset.
pub const TOOLSET: Toolset = Toolset {
    name: "jarvis",
    about: "One tool, playwright_browser: browsers by id, pages saved to files, answers in Chinese",
    all: &[PLAYWRIGHT_BROWSER],
    offers: |_, _| true,
    refuse: |error| failed(&[], words::failure(&error, None)),
    words: &crate::wording::JARVIS,
    ignored: None,
};

const PLAYWRIGHT_BROWSER: Tool = Tool::new::<Args>(
    "playwright_browser",
    "控制浏览器执行自动化操作（如导航、点击、输入等）。与execute_script不同，此工具创建持久会话，保持浏览器状态。",
    Hints::Acts,
);

impl Call for Args {
    fn call(self, caller: &Caller) -> Result<Step> {
        let step = self.limit().and_then(|limit| Ok(begin(self, caller)?.within(limit)));
        Ok(step.unwrap_or_else(|refusal| Step::Done(failed(&[], refusal.to_string()))))
    }
}

fn begin(args: Args, caller: &Caller) -> Result<Step, Refusal> {
    let id = args.browser_id.clone().unwrap_or_else(|| "default".into());
    let session = caller.session_for(&id).map_err(|_| Refusal::of_id(&id))?;
    Ok(match args.action {
        Action::List => list(caller),
        Action::Close => close(caller, &id, session),
        Action::Launch => launch(caller, &args, id, session)?,
        Action::Navigate => {
            let url = args.address()?;
            let (until, timeout) = args.arrival()?;
            let request = Request { timeout, ..Request::new(Goto { url: url.clone(), until }) };
            let work = Work::new(caller, &args, id, session)?;
            // Going somewhere would start a browser that is not there, and here that is a mistake of the caller.
            Step::sessions(move |list| match list.iter().any(|info| info.session == work.doer.session) {
                false => Step::Done(failed(&[], words::not_launched(&work.id))),
                true => work.act(request, url.to_string(), words::navigated),
            })
        }
        Action::Click => {
            let (target, selector) = args.target()?;
            let request = Request { timeout: args.given_limit()?, ..Request::new(Click::new(target)) };
            Work::new(caller, &args, id, session)?
                .act(request, selector, |_, selector| vec![format!("已点击元素: {selector}")])
        }
        Action::Type => {
            let (target, selector) = args.target()?;
            let fill = Fill::new(target, args.typed()?);
            let request = Request { timeout: args.given_limit()?, ..Request::new(fill) };
            Work::new(caller, &args, id, session)?.act(request, selector, words::typed)
        }
        Action::Screenshot => Work::new(caller, &args, id, session)?.picture(),
    })
}

/// A browser that is there already is replaced.
fn launch(caller: &Caller, args: &Args, id: String, session: SessionName) -> Result<Step, Refusal> {
    let headed = args.headless.map(|headless| !headless).or(caller.options.headed);
    let options = SessionOptions { headed: Some(headed.unwrap_or(false)), ..caller.options.clone() };
    let mut work = Work::new(caller, args, id, session)?;
    work.doer = Doer { options, ..work.doer };
    let window = if headed == Some(true) { "有界面模式" } else { "无头模式" };
    let open = Request::new(Open::default());
    let said = format!("浏览器 [{}] 已启动（{window}）", work.id);
    Ok(Step::sessions(move |list| {
        if !list.iter().any(|info| info.session == work.doer.session) {
            return work.act(open, String::new(), move |_, _| vec![said]);
        }
        // The old session ends when the new one has started, and stays if that fails.
        let Doer { session, options, .. } = work.doer.clone();
        let open = work.request(Open::default());
        Step::restart(session, options, open, move |opened| match opened {
            Err(error) => Step::Done(failed(&[], words::failure(&error, None))),
            Ok(outcome) => work.done(&outcome, vec!["已关闭同名的旧会话".into(), said]),
        })
    }))
}

/// One that is not there counts as closed.
fn close(caller: &Caller, id: &str, session: SessionName) -> Step {
    let (id, caller) = (id.to_owned(), caller.clone());
    Step::sessions(move |list| {
        if !list.iter().any(|info| info.session == session) {
            return Step::Done(done(vec![format!("浏览器 [{id}] 未启动，视为已关闭")], Vec::new()));
        }
        Step::perform(session, SessionOptions::default(), caller.request(Close {}), move |closed| {
            Step::Done(match closed {
                Ok(_) => done(vec![format!("浏览器 [{id}] 已关闭")], Vec::new()),
                Err(error) => failed(&[], words::failure(&error, None)),
            })
        })
    })
}

fn list(caller: &Caller) -> Step {
    let caller = caller.clone();
    Step::sessions(move |list| {
        let known = list.iter().filter_map(|info| Some((caller.id_for(&info.session)?, info)));
        let blocks: Vec<String> = known.map(|(id, info)| words::session(&id, info)).collect();
        Step::Done(match blocks.len() {
            0 => done(vec!["没有活跃的浏览器会话".into()], Vec::new()),
            count => done([vec![format!("浏览器会话（共 {count} 个）:")], blocks].concat(), Vec::new()),
        })
    })
}

/// What was done, and the files that came of it.
fn done(said: Vec<String>, files: Vec<String>) -> Reply {
    Reply::data(
        true,
        json!({"success": true, "stdout": said.join("\n"), "stderr": "", "output_files": files}),
    )
}

/// Why it was not done, and what had been done by then.
fn failed(said: &[String], why: String) -> Reply {
    Reply::data(
        false,
        json!({"success": false, "stdout": said.join("\n"), "stderr": why, "output_files": []}),
    )
}

#[cfg(test)]
mod tests {
    use contract::Error;
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_tool_is_that_of_its_document() {
        let schema = TOOLSET.all[0].schema();
        let about = |name: &str| schema["properties"][name]["description"].as_str().map(str::to_owned);
        assert_eq!(schema["required"], json!(["action"]));
        assert_eq!(
            schema["properties"]["action"]["enum"],
            json!(["launch", "navigate", "click", "type", "screenshot", "close", "list"])
        );
        for (name, kind, text) in [
            ("action", "string", "要执行的浏览器操作类型"),
            ("browser_id", "string", "浏览器的唯一标识符（默认'default'）"),
            ("url", "string", "要导航的 URL（仅 action=navigate 时有效）"),
            ("selector", "string", "元素选择器（仅 action=click 或 action=type 时有效）"),
            ("text", "string", "要输入的文本（仅 action=type 时有效）"),
            ("wait_condition", "string", "等待条件（默认'network_idle'），可选: 'network_idle', 'timeout'"),
            ("timeout", "number", "超时时间（秒，默认30.0），当 wait_condition=timeout 时使用"),
            ("content_mode", "string", "内容保存模式（默认'abstract'），可选: 'html', 'abstract'"),
            ("headless", "boolean", "是否以无头模式启动浏览器（仅 action=launch 时有效，默认true）"),
        ] {
            assert_eq!(about(name).as_deref(), Some(text));
            assert_eq!(schema["properties"][name]["type"], kind, "{name}");
        }
        assert_eq!(schema["properties"].as_object().map(serde_json::Map::len), Some(9));
    }

    #[test]
    fn every_answer_has_all_four_keys() {
        let error = Error::invalid("missing field `action`");
        for reply in [done(vec![], vec![]), failed(&[], String::new()), (TOOLSET.refuse)(error)] {
            let keys: Vec<_> = reply.value.as_object().unwrap().keys().cloned().collect();
            assert_eq!(keys, ["output_files", "stderr", "stdout", "success"]);
            assert!(matches!(reply.value["output_files"], Value::Array(_)));
        }
    }
}

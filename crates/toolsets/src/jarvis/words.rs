//! What `playwright_browser` says, in Chinese. What comes from a page stands in one line each, so that it cannot pass for ours.

use std::fmt;

use contract::{Code, Cut, Dialog, Error, Named, NavigationKind, Outcome, Span};
use engine::SessionInfo;

use super::{notes, translate};
use crate::dialogs;

/// Why something was not done: a sentence with its code, the details, and what to do.
pub(super) fn failure(error: &Error, subject: Option<&str>) -> String {
    let code = error.code;
    let about = subject.unwrap_or_default();
    let subject = subject.filter(|text| !text.is_empty()).map(|text| format!(": {}", one_line(text)));
    let sentence = translate::sentence_of(error);
    let waited = translate::waited(&error.message).map(|time| format!("，已等待 {time} 秒"));
    let mut lines =
        vec![format!("{sentence}{}{} ({code})", subject.unwrap_or_default(), waited.unwrap_or_default())];
    if let Some(reason) = translate::reason(error) {
        lines.push(format!("原因: {}", one_line(&reason)));
    } else {
        // What is said to be about something need not be said to have to do with it.
        let names: Vec<String> =
            translate::names_of(error).into_iter().filter(|name| name != about).collect();
        if !names.is_empty() {
            lines.push(format!("相关: {}", one_line(&names.join("，"))));
        }
    }
    lines.push(format!("建议: {}", translate::hint_for(error)));
    let candidates = error.outcome.iter().flat_map(|outcome| &outcome.candidates);
    lines.extend(candidates.map(|it| {
        let Named { reference, role, name, .. } = &it.element;
        format!("候选: {role} {name:?}，选择器可写为 {reference}")
    }));
    lines.join("\n")
}

/// The browser has to be launched first.
pub(super) fn not_launched(id: &str) -> String {
    let code = Code::SessionNotFound;
    format!("浏览器 [{}] 未启动 ({code})\n建议: 请先使用 action=launch 启动浏览器", one_line(id))
}

/// Arguments that cannot be meant, and why.
#[derive(Debug)]
pub(super) struct Refusal(String);

impl Refusal {
    pub(super) fn new(why: impl Into<String>) -> Refusal {
        Refusal(why.into())
    }

    /// An id that no browser can have.
    pub(super) fn of_id(id: &str) -> Refusal {
        let short: String = one_line(id).chars().take(40).collect();
        Refusal(format!("无效的 browser_id: {short:?}（不能为空，也不能太长）"))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", one_line(&self.0), Code::InvalidInput)
    }
}

/// Where the browser went.
pub(super) fn navigated(outcome: &Outcome, asked: &str) -> Vec<String> {
    let kind = outcome.navigation.as_ref().map(|navigation| navigation.kind);
    let url = one_line(outcome.url.as_deref().unwrap_or(asked));
    let mut said = match kind {
        Some(NavigationKind::Download) => vec![format!("{} 是一个下载文件，页面保持不变", one_line(asked))],
        Some(NavigationKind::NoContent) => vec![format!("{} 没有内容，页面保持不变", one_line(asked))],
        _ => vec![format!("已导航到: {url}")],
    };
    said.extend(outcome.status.map(|status| format!("HTTP 状态: {status}")));
    said
}

/// The page that was saved, which may be another one by now.
pub(super) fn page(outcome: &Outcome) -> Vec<String> {
    let line =
        |name: &str, text: &Option<String>| text.as_deref().map(|text| format!("{name}: {}", one_line(text)));
    [line("标题", &outcome.title), line("当前 URL", &outcome.url)].into_iter().flatten().collect()
}

/// That something was typed; never what.
pub(super) fn typed(outcome: &Outcome, selector: &str) -> Vec<String> {
    let length = outcome.typed.map(|length| format!("（{length} 个字符）")).unwrap_or_default();
    vec![format!("已在元素中输入文本: {selector}{length}")]
}

/// What happened besides.
pub(super) fn besides(outcome: &Outcome) -> Vec<String> {
    let mut said = Vec::new();
    if outcome.recovered {
        said.push("注意: 浏览器曾意外退出，已重新启动并恢复页面".into());
    }
    if let Some(healed) = &outcome.healed {
        said.push(format!("注意: {} 已不存在，使用了替代它的 {}", healed.gone, healed.now));
    }
    said.extend(
        outcome
            .opened
            .iter()
            .map(|tab| format!("注意: 页面打开了新标签页 {}: {}", tab.tab, one_line(&tab.url))),
    );
    said.extend(
        outcome
            .downloads
            .iter()
            .map(|file| format!("已下载文件: {}（{} 字节）", file.path.display(), file.bytes)),
    );
    said.extend(outcome.notes.iter().filter_map(|text| note(text)));
    said
}

/// Something worth knowing that the engine said.
pub(super) fn note(text: &str) -> Option<String> {
    notes::note(text).map(|note| format!("注意: {}", one_line(&note)))
}

/// That the network was waited for in vain, of a page that was saved all the same.
pub(super) fn still_busy(time: Span) -> String {
    format!(
        "注意: 等待 network_idle 超时（{} 秒），网络没有空闲下来；操作已执行，保存的是当前内容",
        time.0.as_secs_f64()
    )
}

/// A dialog that was answered.
pub(super) fn dialog(dialog: &Dialog) -> String {
    let answer = if dialogs::accepts(dialog) { "已自动确认" } else { "已自动取消" };
    format!("注意: 页面弹出 {} 对话框 {:?}，{answer}", dialog.kind, dialog.message)
}

/// What is missing of a picture.
pub(super) fn cut(cut: Cut) -> String {
    format!("注意: 页面过高，截图只包含 {} 像素中的前 {} 像素", cut.of, cut.shown)
}

/// A browser in the list.
pub(super) fn session(id: &str, info: &SessionInfo) -> String {
    let state = if info.browser.is_some() { "活跃" } else { "关闭" };
    let tab = info.tabs.iter().find(|tab| tab.active).or(info.tabs.first());
    let (title, url) = tab.map(|tab| (&*tab.title, &*tab.url)).unwrap_or_default();
    let mut text = format!(
        "\nbrowser_id: {}\n  状态: {state}\n  标题: {}\n  URL: {}",
        one_line(id),
        one_line(title),
        one_line(url)
    );
    for other in info.tabs.iter().filter(|other| Some(other.tab) != tab.map(|tab| tab.tab)) {
        text += &format!("\n  其他标签页 {}: {} {}", other.tab, one_line(&other.title), one_line(&other.url));
    }
    text
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || "\u{2028}\u{2029}".contains(c) { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures() {
        let error = Error::new(Code::ElementNotFound, "nothing fits css=#x");
        assert_eq!(
            failure(&error, Some("#x")),
            "未找到元素: #x (ELEMENT_NOT_FOUND)\n建议: 请查看最近保存的页面内容，使用其中列出的选择器"
        );
        let error = Error::new(Code::ElementCovered, "the button \"Go\" is covered by e7");
        assert!(failure(&error, None).contains("\n相关: \"Go\"\n"), "refs are never handed out");
        let error = Error::new(Code::BrowserNotInstalled, "no browser was found");
        assert!(failure(&error, None).contains("webhand install"));
        let error =
            Error::new(Code::BrowserLaunchFailed, "it did not start").with_cause("[\"tcp\", \"unix\"] ERROR");
        assert!(!failure(&error, None).contains("相关"), "what a cause quotes is no name");
        let error = Error::new(Code::NavigationBlocked, "10.0.0.7:80 is private");
        assert!(failure(&error, None).contains("10.0.0.7:80"));
        let refusal = Refusal::new("缺少参数: url\n");
        assert_eq!(refusal.to_string(), "缺少参数: url  (INVALID_INPUT)");
        assert!(not_launched("x").starts_with("浏览器 [x] 未启动 (SESSION_NOT_FOUND)"));
    }

    /// Names of arguments, values, tags and commands, which are the same in Chinese.
    const NAMES: [&str; 24] = [
        "URL",
        "PDF",
        "Cookie",
        "HTTP",
        "timeout",
        "action",
        "launch",
        "navigate",
        "screenshot",
        "headless",
        "true",
        "false",
        "webhand",
        "install",
        "doctor",
        "input",
        "textarea",
        "playwright",
        "browser",
        "CSS",
        "XPath",
        "selector",
        "xpath",
        "JSON",
    ];

    #[test]
    fn every_error_is_in_chinese() {
        for &code in Code::ALL {
            let error = Error::new(code, "some English words that say why").with_cause("and what caused it");
            let text = failure(&error, None).replace(code.as_str(), "");
            let words = text.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
            let english: Vec<&str> = words.filter(|word| !NAMES.contains(word)).collect();
            assert!(english.is_empty(), "{code}: {english:?} in {text}");
            assert!(!text.contains("操作失败"), "{code} has no sentence of its own");
        }
    }
}

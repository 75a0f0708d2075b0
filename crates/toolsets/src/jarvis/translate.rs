//! What the engine says in English, in Chinese: a sentence and a hint for every error code, and the notes of outcomes. What is the same in every
//! language (quoted texts, markup, refs, addresses, codes of the network) is kept from the English text; the rest of that is not.

use contract::{Code, Ref};

/// The most names that are kept of one text, and the longest.
const MOST_NAMES: usize = 6;
const LONGEST_NAME: usize = 120;

/// What a code stands for.
pub(super) fn sentence(code: Code) -> &'static str {
    match code {
        Code::InvalidInput => "参数无效",
        Code::UnknownTool => "未知工具",
        Code::Unsupported => "不支持此操作",
        Code::ElementNotFound => "未找到元素",
        Code::ElementAmbiguous => "选择器匹配到多个元素",
        Code::ElementNotVisible => "元素不可见",
        Code::ElementNotEnabled => "元素已禁用",
        Code::ElementNotEditable => "元素不能输入文本（必须是 input、textarea 等输入类型）",
        Code::ElementCovered => "元素被遮挡，无法点击",
        Code::NoEffect => "元素没有接受该操作",
        Code::StaleRef => "引用的元素已不存在",
        Code::Timeout => "操作超时",
        Code::Cancelled => "操作已取消",
        Code::NavigationFailed => "页面加载失败",
        Code::NavigationBlocked => "不允许访问该 URL",
        Code::DownloadFailed => "下载失败",
        Code::DialogOpen => "页面被对话框阻塞",
        Code::EvaluateFailed => "脚本执行失败",
        Code::BatchStopped => "页面已跳转，其余步骤未执行",
        Code::ActionDenied => "操作被策略拒绝",
        Code::ApprovalDenied => "用户拒绝了该操作",
        Code::ApprovalExpired => "等待用户批准超时",
        Code::ApprovalPending => "正在等待用户批准",
        Code::CredentialNotFound => "没有保存该网站的凭证",
        Code::OriginMismatch => "凭证属于另一个网站",
        Code::LoginFailed => "登录失败",
        Code::LoginNeedsHuman => "登录需要人工完成",
        Code::BrowserNotInstalled => "浏览器未安装",
        Code::BrowserNotRunning => "浏览器没有运行",
        Code::BrowserLaunchFailed => "浏览器启动失败",
        Code::BrowserCrashed => "浏览器崩溃",
        Code::PageCrashed => "页面崩溃",
        Code::ProfileInUse => "浏览器配置文件正在使用中",
        Code::TabNotFound => "没有打开的页面",
        Code::SessionNotFound => "浏览器未启动",
        Code::ModelFailed => "语言模型没有回答",
        Code::StepLimit => "步骤数已用完",
        Code::Internal => "内部错误",
        Code::Busy => "同时执行的操作过多",
        _ => "操作失败",
    }
}

/// How many seconds were waited, if a message says so.
pub(super) fn waited(message: &str) -> Option<&str> {
    message.split_once("(waited ")?.1.split(' ').next()
}

/// What to do about it.
pub(super) fn hint(code: Code) -> &'static str {
    match code {
        Code::InvalidInput => "请按照工具的参数定义修改参数",
        Code::UnknownTool => "请使用 playwright_browser",
        Code::ElementNotFound | Code::StaleRef => "请查看最近保存的页面内容，使用其中列出的选择器",
        Code::ElementAmbiguous => "请使用只匹配一个元素的选择器，或候选元素的引用",
        Code::ElementNotVisible | Code::ElementNotEnabled => "请先执行使该元素可见或可用的操作",
        Code::ElementNotEditable => "请选择可以输入文本的元素",
        Code::ElementCovered => "请先关闭遮挡它的元素",
        Code::NoEffect => "请截图查看页面，然后换一种方式",
        Code::Timeout => "请增大 timeout 后重试",
        Code::NavigationFailed => "请检查 URL 以及服务器是否可用",
        Code::NavigationBlocked | Code::ActionDenied => "请使用策略允许的地址，或请用户修改策略",
        Code::DialogOpen => "对话框已自动关闭，请重试",
        Code::ApprovalDenied => "请不要再执行该操作",
        Code::ApprovalExpired | Code::ApprovalPending => "请在用户批准后再次执行同一操作",
        Code::CredentialNotFound | Code::OriginMismatch | Code::LoginFailed | Code::LoginNeedsHuman => {
            "请用户在浏览器窗口中登录（headless=false）"
        }
        Code::BrowserNotInstalled => "请运行以下命令安装浏览器: webhand install",
        Code::BrowserNotRunning => "请先启动该浏览器，或检查它的地址",
        Code::BrowserLaunchFailed => "请运行 webhand doctor 检查；没有图形界面时请使用 headless=true",
        Code::BrowserCrashed | Code::PageCrashed => "请重试，会话会恢复页面和 Cookie",
        Code::ProfileInUse => "请关闭占用它的浏览器，或使用其他配置文件",
        Code::TabNotFound => "请使用 action=navigate 打开页面，或使用 action=launch 重新启动",
        Code::SessionNotFound => "请先使用 action=launch 启动浏览器",
        Code::Cancelled | Code::DownloadFailed | Code::Busy => "请稍后重试",
        _ => "请查看页面后换一种方式",
    }
}

/// Notes of the engine, word for word.
const NOTES: [(&str, &str); 15] = [
    ("requests that the action made are still under way", "该操作发出的请求仍在进行"),
    ("the tab closed", "标签页已关闭"),
    ("the page is still loading", "页面仍在加载"),
    ("the new page is still loading", "新页面仍在加载"),
    ("the server had nothing to show; the tab stays where it was", "服务器没有返回内容，标签页保持不变"),
    (
        "the page before did not answer and was given up, with the tab's history",
        "原页面没有响应，已被放弃，标签页的历史记录也随之丢失",
    ),
    (
        "the page asks for files; upload them to what was clicked, or by a tool without a target",
        "页面要求选择文件，此工具无法上传文件",
    ),
    ("a download is still under way; `webhand download` without a target waits for it", "下载仍在进行"),
    ("what it holds now cannot be read; look at the page", "无法读取输入框现在的内容，请查看页面"),
    ("the field is empty, but the text stands beside it", "输入框是空的，但文本显示在它旁边"),
    ("the page replaced the field, so what it holds is not known", "页面替换了输入框，无法得知它的内容"),
    ("it held that value already", "它原来就是这个值"),
    ("the field calls the value invalid; see its limits", "输入框认为该值无效，请查看它的限制"),
    (
        "this is a PDF: it has no elements to see or to use; look at it with `webhand screenshot`, save it with `webhand download --url`",
        "这是 PDF 文件，没有可交互控件，请使用 action=screenshot 查看",
    ),
    ("the page gets no files", "页面没有得到文件"),
];

/// Notes of the engine that name something, by how they begin or end.
const NOTES_WITH_NAMES: [(&str, &str, &str); 5] = [
    ("blocked: ", "", "请求被策略阻止"),
    ("", " was put before the address", "地址已补全协议"),
    ("the controls of ", "", "无法读取某个框架中的控件"),
    ("", "see `webhand requests --failed`", "还有更多请求被策略阻止"),
    ("", "more errors are in `webhand console`", "控制台中还有更多错误"),
];

/// A note of the engine.
pub(super) fn note(text: &str) -> String {
    if let Some((_, chinese)) = NOTES.iter().find(|(english, _)| *english == text) {
        return (*chinese).to_owned();
    }
    let known =
        NOTES_WITH_NAMES.iter().find(|(start, end, _)| text.starts_with(start) && text.ends_with(end));
    let chinese = known.map_or("页面有其他情况，请查看保存的内容", |(.., chinese)| chinese);
    with_names(chinese, text)
}

/// A sentence, with the names that an English text has.
fn with_names(chinese: &str, english: &str) -> String {
    match &*names_in(english) {
        [] => chinese.to_owned(),
        names => format!("{chinese}（{}）", names.join("，")),
    }
}

/// What in an English text is the same in every language.
pub(super) fn names_in(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    // The argument that something is wrong with stands before what is wrong with it.
    names.extend(text.split_once(": ").map(|(path, _)| path).filter(|path| is_path(path)).map(str::to_owned));
    let mut rest = text;
    while let Some((at, mark)) = rest.char_indices().find(|(_, c)| "\"`<".contains(*c)) {
        names.extend(plain_names(&rest[..at]));
        let inner = &rest[at + mark.len_utf8()..];
        let close = if mark == '<' { '>' } else { mark };
        let Some(end) = inner.find(close) else {
            rest = inner;
            continue;
        };
        let name = &inner[..end];
        match mark {
            // Commands are for people who read English.
            '`' if name.starts_with("webhand ") => {}
            '`' => names.push(name.to_owned()),
            _ => names.push(format!("{mark}{name}{close}")),
        }
        rest = &inner[end + close.len_utf8()..];
    }
    names.extend(plain_names(rest));
    let mut kept: Vec<String> = Vec::new();
    for name in names {
        let name: String = name.chars().take(LONGEST_NAME).collect();
        if !name.trim().is_empty() && !kept.contains(&name) {
            kept.push(name);
        }
    }
    kept.truncate(MOST_NAMES);
    kept
}

fn is_path(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.[]".contains(&b))
}

/// Refs, addresses and codes of the network.
fn plain_names(text: &str) -> impl Iterator<Item = String> {
    let words = text
        .split(|c: char| c.is_whitespace() || "(),;".contains(c))
        .map(|word| word.trim_end_matches(['.', ':']));
    let is_name = |word: &&str| {
        word.parse::<Ref>().is_ok()
            || word.starts_with("http://")
            || word.starts_with("https://")
            || word.contains("ERR_")
    };
    words.filter(is_name).map(str::to_owned).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay() {
        for (text, names) in [
            ("nothing in the page is css=#x", ""),
            ("the button \"Save\" [e4] is covered by <div id=mask> (f1e9)", "\"Save\" <div id=mask> f1e9"),
            (
                "wait_condition: unknown variant, expected `network_idle` or `timeout`",
                "wait_condition network_idle timeout",
            ),
            ("missing field `action`", "action"),
            (
                "http://x.test/ could not be loaded: net::ERR_CONNECTION_REFUSED",
                "http://x.test/ net::ERR_CONNECTION_REFUSED",
            ),
            ("use `webhand install`", ""),
            ("half a \"quote", ""),
        ] {
            assert_eq!(names_in(text).join(" "), names, "{text}");
        }
    }

    #[test]
    fn notes_are_chinese() {
        assert_eq!(note("the tab closed"), "标签页已关闭");
        assert_eq!(note("http:// was put before the address"), "地址已补全协议（http://）");
        assert_eq!(note("something new"), "页面有其他情况，请查看保存的内容");
    }
}

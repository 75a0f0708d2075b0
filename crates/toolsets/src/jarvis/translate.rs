//! What the engine says in English, in Chinese: a sentence and a hint for every error code. What is the same in every
//! language (quoted texts, markup, addresses, codes of the network) is kept from the English text; the rest of that is not.

use std::borrow::Cow;

use contract::{Code, Error};

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

/// What an error stands for, where its text says more than its code.
pub(super) fn sentence_of(error: &Error) -> &'static str {
    if is_option(error) { "列表中没有该选项" } else { sentence(error.code) }
}

/// Whether it is an option that is missing, of a list that is there.
fn is_option(error: &Error) -> bool {
    error.code == Code::ElementNotFound && error.message.contains(" has no option")
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
        Code::ElementAmbiguous => "请使用保存的页面内容中列出的选择器，它们只匹配一个元素",
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
        Code::BrowserNotInstalled => "请用户运行以下命令安装浏览器: webhand install",
        Code::BrowserNotRunning => "请先启动该浏览器，或检查它的地址",
        Code::BrowserLaunchFailed => "请用户运行 webhand doctor 检查；没有图形界面时请使用 headless=true",
        Code::BrowserCrashed | Code::PageCrashed => "请重试，会话会恢复页面和 Cookie",
        Code::ProfileInUse => "请关闭占用它的浏览器，或使用其他配置文件",
        Code::TabNotFound => "请使用 action=navigate 打开页面，或使用 action=launch 重新启动",
        Code::SessionNotFound => "请先使用 action=launch 启动浏览器",
        Code::Cancelled | Code::DownloadFailed | Code::Busy => "请稍后重试",
        _ => "请查看页面后换一种方式",
    }
}

/// What to do about an error: of pages that could not be loaded, by the browser's name for why.
pub(super) fn hint_for(error: &Error) -> Cow<'static, str> {
    let names = names_of(error);
    let is = |parts: &[&str]| parts.iter().any(|part| names.iter().any(|name| name.contains(part)));
    let hint = match error.code {
        Code::ElementNotFound if is_option(error) => {
            let options = names_in(error.hint());
            return match options.is_empty() {
                true => "请查看页面中的选项".into(),
                false => format!("请选择其中之一: {}", options.join("，")).into(),
            };
        }
        Code::Timeout if is_silent(&error.message) => {
            "增大 timeout 可能无效，请使用 action=navigate 打开其他 URL，或使用 action=launch 重新启动"
        }
        Code::NavigationBlocked if is_port(&error.message) => "浏览器不允许使用该端口，请使用其他端口",
        Code::NavigationFailed if is(&["ERR_NAME_"]) => "无法解析该域名，请检查域名拼写以及本机的域名解析",
        Code::NavigationFailed if is(&["ERR_CERT", "ERR_SSL", "ERR_BAD_SSL"]) => {
            "服务器的证书或加密连接不受信任，请检查域名和端口，或请用户更新服务器证书"
        }
        Code::NavigationFailed if is(&["ERR_CONNECTION_REFUSED"]) => {
            "服务器拒绝连接，请检查端口以及服务器是否已启动"
        }
        Code::NavigationFailed if is(&["ERR_CONNECTION_TIMED_OUT", "ERR_TIMED_OUT"]) => {
            "服务器没有响应，请检查地址和端口，或稍后重试"
        }
        Code::NavigationFailed if is(&["ERR_CONNECTION_", "ERR_EMPTY_RESPONSE"]) => {
            "服务器没有回答就断开了连接，请检查地址和端口是否属于网站服务器，或稍后重试"
        }
        Code::NavigationFailed if is(&["ERR_TOO_MANY_REDIRECTS"]) => "服务器不断重定向，请从网站首页开始",
        Code::NavigationFailed if is(&["_AUTH_"]) => {
            "服务器需要用户名和密码（HTTP 认证），请使用其他地址或请用户处理"
        }
        Code::NavigationFailed if is(&["ERR_ADDRESS_UNREACHABLE", "ERR_INTERNET_DISCONNECTED"]) => {
            "网络不通，请检查地址和网络连接"
        }
        Code::InvalidInput if is_selector(&error.message) => {
            "selector 必须是 CSS 选择器或 XPath（以 // 或 xpath= 开头），请使用保存的页面内容中列出的选择器"
        }
        code => hint(code),
    };
    hint.into()
}

/// Whether a page did not answer, which more time would not change.
fn is_silent(message: &str) -> bool {
    message == "the browser did not answer in time"
}

/// Whether it is the port that browsers refuse, whatever the policy allows.
fn is_port(message: &str) -> bool {
    message.ends_with("a port that browsers do not talk to")
}

fn is_selector(message: &str) -> bool {
    message.ends_with(" selector")
}

/// Why something was not done, where the English text says more than the code does.
pub(super) fn reason(error: &Error) -> Option<String> {
    let message = &*error.message;
    match error.code {
        Code::ElementNotEditable if message.ends_with("is read-only") => Some("该元素只读，不能输入".into()),
        Code::InvalidInput => wrong_argument(message).or_else(|| wrong_value(message, error.hint())),
        Code::ElementAmbiguous => {
            let count = message.split(' ').next().filter(|count| count.parse::<u32>().is_ok())?;
            Some(format!("共匹配 {count} 个元素"))
        }
        Code::Timeout if is_silent(message) => Some("页面没有响应，可能有脚本一直在运行".into()),
        Code::Timeout if message.ends_with("where the tab is going") => {
            Some(format!("服务器尚未回答{}，在此之前页面不接受操作", address_in(message)))
        }
        Code::Timeout if message.contains("the server's answer to ") => {
            Some("服务器没有回答，原页面保持不变".into())
        }
        Code::Timeout if message.ends_with("its server has begun to answer") => {
            Some("页面已开始加载，但没有完成".into())
        }
        _ => None,
    }
}

fn address_in(text: &str) -> String {
    names_in(text)
        .into_iter()
        .find(|name| name.contains("://"))
        .map(|url| format!(" {url} "))
        .unwrap_or_default()
}

/// What a field or a selector has to be like.
fn wrong_value(message: &str, hint: &str) -> Option<String> {
    if is_selector(message) {
        let names = names_in(message);
        return Some(format!("选择器 {} 不是有效的 CSS 或 XPath", names.join("，")));
    }
    if message.ends_with("takes files, not text") {
        return Some("该输入框用于选择文件，不能输入文本".into());
    }
    if message.ends_with("takes a number") {
        return Some("该控件只接受数字".into());
    }
    if message == "what can be checked is filled with true or false" {
        return Some("复选框和单选按钮只接受 true 或 false".into());
    }
    if message.ends_with("does not take the text as it is written") {
        let formats = hint.strip_prefix("give ").unwrap_or(hint);
        let samples = formats
            .split(|c: char| c.is_whitespace() || c == ',')
            .filter(|word| word.contains(|c: char| c.is_ascii_digit()));
        let samples = samples.collect::<Vec<_>>().join("，");
        let samples = if samples.is_empty() { "它规定的格式".to_owned() } else { samples };
        return Some(format!("该输入框不接受这种写法，请按此格式填写: {samples}"));
    }
    None
}

/// What is wrong with an argument, in Chinese: which one, and all that it may be.
fn wrong_argument(message: &str) -> Option<String> {
    let (path, says) = match message.split_once(": ") {
        Some((path, says)) if is_path(path) => (path, says),
        _ => ("", message),
    };
    let about = if path.is_empty() { "参数".to_owned() } else { format!("参数 {path} ") };
    if says == "the arguments are no object" {
        return Some("参数必须是一个 JSON 对象".into());
    }
    if let Some(name) = says.strip_prefix("missing field ") {
        return Some(format!("缺少参数: {}", name.trim_matches('`')));
    }
    if let Some(choices) = says.strip_prefix("unknown variant, expected ") {
        return Some(format!("{about}的值未知，可选值: {}", quoted(choices).join("、")));
    }
    if let Some(rest) = says.strip_prefix("unknown field ") {
        let mut names = quoted(rest);
        let name = if names.is_empty() { String::new() } else { names.remove(0) };
        if names.is_empty() {
            let schema = super::PLAYWRIGHT_BROWSER.schema();
            names = schema["properties"]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, _)| name.clone())
                .collect();
        }
        return Some(format!("未知参数: {name}，可用参数: {}", names.join("、")));
    }
    let (_, expected) = says.strip_prefix("invalid ")?.split_once(", expected ")?;
    let expected = match expected {
        _ if expected.contains("number") => "数字",
        _ if expected.contains("boolean") => "true 或 false",
        _ if expected.contains("string") => "字符串",
        _ => "其他类型",
    };
    Some(format!("{about}的类型错误，应为{expected}"))
}

/// The names between backticks.
fn quoted(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// What in an error is the same in every language. What a cause quotes may be anything, so only codes of the network are taken from it.
pub(super) fn names_of(error: &Error) -> Vec<String> {
    let mut names = names_in(&error.message);
    let cause = error.cause.as_deref().unwrap_or_default();
    names.extend(plain_names(cause).filter(|name| name.contains("ERR_")));
    if error.code == Code::NavigationBlocked {
        let is_place = |word: &&str| {
            word.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok())
                || word.parse::<std::net::IpAddr>().is_ok()
        };
        let places = error.message.split([' ', ',', ';']).filter(is_place).map(str::to_owned);
        names.extend(places.collect::<Vec<_>>());
    }
    let mut kept = Vec::new();
    for name in names {
        if !kept.contains(&name) {
            kept.push(name);
        }
    }
    kept
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

/// Addresses and codes of the network. Refs mean nothing here: callers are never given any.
fn plain_names(text: &str) -> impl Iterator<Item = String> {
    let words = text
        .split(|c: char| c.is_whitespace() || "(),;".contains(c))
        .map(|word| word.trim_end_matches(['.', ':']));
    let is_name =
        |word: &&str| word.starts_with("http://") || word.starts_with("https://") || word.contains("ERR_");
    words.filter(is_name).map(str::to_owned).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay() {
        for (text, names) in [
            ("nothing in the page is css=#x", ""),
            ("the button \"Save\" [e4] is covered by <div id=mask> (f1e9)", "\"Save\" <div id=mask>"),
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
    fn reasons_are_chinese() {
        let check = |message: &str, expected: &str| {
            assert_eq!(reason(&Error::invalid(message)).as_deref(), Some(expected), "{message}");
        };
        check(
            "action: unknown variant, expected one of `launch`, `navigate`, `click`, `type`, `screenshot`, `close`, `list`",
            "参数 action 的值未知，可选值: launch、navigate、click、type、screenshot、close、list",
        );
        check("missing field `action`", "缺少参数: action");
        check("timeout: invalid type: string, expected a number", "参数 timeout 的类型错误，应为数字");
        check(
            "headless: invalid type: integer, expected a boolean",
            "参数 headless 的类型错误，应为true 或 false",
        );
        check("url: invalid type: integer, expected a string", "参数 url 的类型错误，应为字符串");
        check(
            "colour: unknown field `colour`, expected one of `url`, `text`",
            "未知参数: colour，可用参数: url、text",
        );
        check("\"table [\" is no CSS selector", "选择器 \"table [\" 不是有效的 CSS 或 XPath");
        check("e4 takes files, not text", "该输入框用于选择文件，不能输入文本");
        let date = Error::invalid("e4 does not take the text as it is written")
            .with_hint("give a date, like 2024-12-31");
        assert_eq!(reason(&date).as_deref(), Some("该输入框不接受这种写法，请按此格式填写: 2024-12-31"));
        let fixed = Error::new(Code::ElementNotEditable, "the field is read-only");
        assert_eq!(reason(&fixed).as_deref(), Some("该元素只读，不能输入"));
    }

    #[test]
    fn pages_that_do_not_load_have_hints_of_their_own() {
        let hint = |cause: &str| {
            hint_for(&Error::new(Code::NavigationFailed, "http://x/ could not be loaded").with_cause(cause))
                .into_owned()
        };
        let hints = [
            hint("net::ERR_NAME_NOT_RESOLVED"),
            hint("net::ERR_CERT_DATE_INVALID"),
            hint("net::ERR_CONNECTION_REFUSED"),
            hint("net::ERR_EMPTY_RESPONSE"),
            hint("something else"),
        ];
        for (at, one) in hints.iter().enumerate() {
            assert!(!hints[..at].contains(one), "{one}");
        }
    }

    #[test]
    fn what_more_time_or_another_policy_would_not_change() {
        let told = |code: Code, message: &str, hint: &str| {
            let error = Error::new(code, message).with_hint(hint);
            (sentence_of(&error), reason(&error).unwrap_or_default(), hint_for(&error).into_owned())
        };
        let (_, reason, hint) = told(Code::Timeout, "the browser did not answer in time", "");
        assert!(reason.contains("没有响应") && !hint.contains("请增大"), "{reason} {hint}");
        let waited = "the time ran out while waiting for the server's answer to http://x/hang";
        assert_eq!(told(Code::Timeout, waited, "").1, "服务器没有回答，原页面保持不变");
        let (.., hint) =
            told(Code::NavigationBlocked, "127.0.0.1:1 is at a port that browsers do not talk to", "");
        assert_eq!(hint, "浏览器不允许使用该端口，请使用其他端口");
        let (sentence, _, hint) =
            told(Code::ElementNotFound, "e7 has no option", "choose one of \"中国\", \"美国\"");
        assert_eq!((sentence, &*hint), ("列表中没有该选项", "请选择其中之一: \"中国\"，\"美国\""));
        assert_eq!(told(Code::ElementAmbiguous, "2 elements match css=button", "").1, "共匹配 2 个元素");
        let (_, reason, _) = told(
            Code::InvalidInput,
            "foo: unknown field `foo`, which is like none of the 9 that are known",
            "",
        );
        assert!(reason.starts_with("未知参数: foo，可用参数: action、browser_id、"), "{reason}");
    }
}

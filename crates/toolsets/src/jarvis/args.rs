//! The arguments of `playwright_browser`, and what is wrong with them.

use std::time::Duration;

use contract::{PageUrl, Span, Target, Typed};
use engine::Until;
use schemars::JsonSchema;
use serde::Deserialize;

use super::words::Refusal;

/// How long is waited if nothing is said, in seconds.
const TIMEOUT: f64 = 30.0;

/// The longest wait, in seconds: a day.
const LONGEST: f64 = 86_400.0;

// What they are for is what models read, so it is the document's own words.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// 要执行的浏览器操作类型
    pub(super) action: Action,
    /// 浏览器的唯一标识符（默认'default'）
    pub(super) browser_id: Option<String>,
    /// 要导航的 URL（仅 action=navigate 时有效）
    #[schemars(with = "Option<String>")]
    url: Option<PageUrl>,
    /// 元素选择器（仅 action=click 或 action=type 时有效）
    selector: Option<String>,
    /// 要输入的文本（仅 action=type 时有效）
    #[schemars(with = "Option<String>")]
    text: Option<Typed>,
    /// 等待条件（默认'network_idle'），可选: 'network_idle', 'timeout'
    #[schemars(with = "Option<String>")]
    wait_condition: Option<Condition>,
    /// 超时时间（秒，默认30.0），当 wait_condition=timeout 时使用
    timeout: Option<f64>,
    /// 内容保存模式（默认'abstract'），可选: 'html', 'abstract'
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub(super) content_mode: Option<Mode>,
    /// 是否以无头模式启动浏览器（仅 action=launch 时有效，默认true）
    pub(super) headless: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Action {
    Launch,
    Navigate,
    Click,
    Type,
    Screenshot,
    Close,
    List,
}

impl Action {
    pub(super) fn name(self) -> &'static str {
        match self {
            Action::Launch => "launch",
            Action::Navigate => "navigate",
            Action::Click => "click",
            Action::Type => "type",
            Action::Screenshot => "screenshot",
            Action::Close => "close",
            Action::List => "list",
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Condition {
    #[default]
    NetworkIdle,
    Timeout,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Mode {
    Html,
    #[default]
    Abstract,
}

/// What is waited for after an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pause {
    /// The network to be idle, for at most so long.
    Idle(Span),
    /// This time.
    Time(Span),
}

impl Args {
    /// Where to go.
    pub(super) fn address(&self) -> Result<PageUrl, Refusal> {
        let url = self.url.clone().ok_or_else(|| self.missing("url"))?;
        let text = url.expose().trim().to_ascii_lowercase();
        if text.starts_with("http://") || text.starts_with("https://") {
            return match url::Url::parse(&text) {
                Ok(_) => Ok(url),
                Err(_) => Err(Refusal::new(format!("无效的 URL: {url}，缺少主机名或格式错误"))),
            };
        }
        Err(Refusal::new(format!("无效的 URL: {url}，必须以 http:// 或 https:// 开头")))
    }

    /// The element, and how the caller wrote it.
    pub(super) fn target(&self) -> Result<(Target, String), Refusal> {
        let text = self.selector.as_deref().unwrap_or_default().trim();
        if text.is_empty() {
            return Err(self.missing("selector"));
        }
        // What is neither a ref nor XPath is CSS here; other dialects take it for a description.
        let target = match text.parse() {
            // A frame and a selector in it (f1 >> input) are CSS by the grammar.
            Ok(target @ (Target::Ref(_) | Target::Css(_) | Target::Xpath(_))) => target,
            Ok(_) => Target::Css(text.into()),
            Err(_) => return Err(Refusal::new(format!("无效的选择器: {text}（前缀后面没有内容）"))),
        };
        Ok((target, text.to_owned()))
    }

    pub(super) fn typed(&self) -> Result<Typed, Refusal> {
        self.text.clone().ok_or_else(|| self.missing("text"))
    }

    fn missing(&self, name: &str) -> Refusal {
        Refusal::new(format!("缺少参数: {name}（action={} 时必需）", self.action.name()))
    }

    /// What to wait for afterwards. Pages that are gone to and clicked in are waited for anyway, others when that is asked for.
    pub(super) fn pause(&self) -> Result<Option<Pause>, Refusal> {
        let time = self.time()?;
        let condition = match (self.wait_condition, self.action) {
            (None, Action::Navigate | Action::Click) => Condition::default(),
            (None, _) => return Ok(None),
            (Some(condition), _) => condition,
        };
        Ok(Some(match condition {
            Condition::Timeout => Pause::Time(time),
            Condition::NetworkIdle if time.0.is_zero() => {
                return Err(Refusal::new("timeout 必须大于 0（wait_condition=network_idle 时）"));
            }
            Condition::NetworkIdle => Pause::Idle(time),
        }))
    }

    /// How long the whole call may take; none where the time is only to pass, or nothing is said of it.
    pub(super) fn limit(&self) -> Result<Option<Span>, Refusal> {
        let time = self.time()?;
        Ok(match self.pause()? {
            Some(Pause::Idle(time)) => Some(time),
            Some(Pause::Time(_)) => None,
            None => self.timeout.map(|_| time).filter(|time| !time.0.is_zero()),
        })
    }

    /// How long the action itself may take; none: as configured.
    pub(super) fn given_limit(&self) -> Result<Option<Span>, Refusal> {
        Ok(self.limit()?.filter(|_| self.timeout.is_some()))
    }

    fn time(&self) -> Result<Span, Refusal> {
        let seconds = self.timeout.unwrap_or(TIMEOUT);
        if !(0.0..=LONGEST).contains(&seconds) {
            return Err(Refusal::new(format!("无效的 timeout: {seconds}，必须在 0 到 86400 秒之间")));
        }
        Ok(Span(Duration::from_secs_f64(seconds)))
    }

    /// When a page counts as arrived, and how long that may take. Where the network is waited for, a page that has begun is given
    /// that wait to go on; where a time is only to pass, the page is to be there before it.
    pub(super) fn arrival(&self) -> Result<(Until, Option<Span>), Refusal> {
        Ok(match self.pause()? {
            Some(Pause::Idle(time)) => (Until::Commit, Some(time)),
            _ => (Until::DomContentLoaded, None),
        })
    }

    /// The arguments that mean nothing with this action.
    pub(super) fn ignored(&self) -> Vec<String> {
        let is = |actions: &[Action]| actions.contains(&self.action);
        let all = [
            ("url", self.url.is_some() && !is(&[Action::Navigate]), "navigate"),
            (
                "selector",
                self.selector.is_some() && !is(&[Action::Click, Action::Type]),
                "click 或 action=type",
            ),
            ("text", self.text.is_some() && !is(&[Action::Type]), "type"),
            ("headless", self.headless.is_some() && !is(&[Action::Launch]), "launch"),
        ];
        let said = all.into_iter().filter(|(_, ignored, _)| *ignored);
        said.map(|(name, _, action)| format!("注意: 参数 {name} 仅 action={action} 时有效，已忽略")).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::args::read;

    fn args(args: Value) -> Args {
        read(args).unwrap()
    }

    #[test]
    fn selectors() {
        let target = |selector: &str| args(json!({"action": "click", "selector": selector})).target();
        for css in ["button#submit", "input[name='username']", "button", "a, b", "1,2", "css=p", "登录"] {
            assert!(matches!(target(css), Ok((Target::Css(_), _))), "{css}");
        }
        for xpath in ["//div[@class='item']", "xpath=/html/body", "(//a)[2]"] {
            assert!(matches!(target(xpath), Ok((Target::Xpath(_), _))), "{xpath}");
        }
        assert!(matches!(target("e12"), Ok((Target::Ref(_), _))));
        for bad in ["", "  ", "css=", "xpath="] {
            assert!(target(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn addresses() {
        let address = |url: &str| args(json!({"action": "navigate", "url": url})).address();
        for good in ["http://a.b", "https://a.b/c", "HTTPS://a.b"] {
            assert!(address(good).is_ok(), "{good}");
        }
        for bad in ["", "a.b", "ftp://a.b", "file:///etc/passwd", "javascript:alert(1)", "//a.b", "http:/a.b"]
        {
            let says = address(bad).unwrap_err().to_string();
            assert_eq!(says, format!("无效的 URL: {bad}，必须以 http:// 或 https:// 开头 (INVALID_INPUT)"));
        }
    }

    #[test]
    fn an_address_without_a_host_is_none() {
        let address = |url: &str| args(json!({"action": "navigate", "url": url})).address();
        for bad in ["http://", "https://", "http://[::1", "http://a b/"] {
            assert!(address(bad).unwrap_err().to_string().starts_with("无效的 URL: "), "{bad}");
        }
    }

    #[test]
    fn pauses() {
        let pause = |value: Value| args(value).pause();
        let idle = |seconds| Some(Pause::Idle(Span::seconds(seconds)));
        let time = |seconds| Some(Pause::Time(Span::seconds(seconds)));
        assert_eq!(pause(json!({"action": "navigate"})).unwrap(), idle(30));
        assert_eq!(pause(json!({"action": "click", "timeout": 5})).unwrap(), idle(5));
        assert_eq!(pause(json!({"action": "type"})).unwrap(), None);
        assert_eq!(pause(json!({"action": "type", "wait_condition": "timeout"})).unwrap(), time(30));
        let no_time = json!({"action": "click", "wait_condition": "timeout", "timeout": 0});
        assert_eq!(pause(no_time).unwrap(), time(0));
        for bad in [json!(-1), json!(1e300), json!(86_401)] {
            assert!(pause(json!({"action": "click", "timeout": bad})).is_err(), "{bad}");
        }
        assert!(pause(json!({"action": "click", "timeout": 0})).is_err(), "nothing is idle at once");
    }
}

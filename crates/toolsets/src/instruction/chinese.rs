//! Chinese sentences.

use std::time::Duration;

use contract::{Result, Span};
use engine::{
    Action, Until,
    actions::{
        Back, Button, Check, Click, Direction, Drag, Edge, Fill, Forward, Hover, Press, Reload, Scroll,
        Select, TargetState, Type, Uncheck, Wait,
    },
};

use super::{
    Read, address, goto, is_box, number,
    quotes::{cut, cut_end, first, has, last, quoted},
    target, typed, value,
};

/// The words that a sentence can start with, longer ones before those that they start with.
const VERBS: [(&[&str], Read); 21] = [
    (&["双击"], |rest| Ok(Some(Click { double: true, ..Click::new(target(rest)?) }.into()))),
    (&["右键点击", "右键单击", "右击", "右键"], |rest| {
        Ok(Some(Click { button: Button::Right, ..Click::new(target(rest)?) }.into()))
    }),
    (&["长按", "按住"], |rest| {
        Ok(Some(Click { hold: Some(Span::seconds(1)), ..Click::new(target(rest)?) }.into()))
    }),
    (&["点击一下", "点击", "单击", "点一下", "点选", "点按", "轻触"], |rest| {
        Ok(Some(Click::new(target(rest)?).into()))
    }),
    (&["悬停在", "悬停到", "悬停", "鼠标悬停在", "鼠标移到", "鼠标移动到"], hover),
    (&["取消勾选", "取消选中", "取消选择", "不勾选", "去掉勾选"], |rest| {
        Ok(Some(Uncheck { target: target(rest)? }.into()))
    }),
    (&["勾选", "打勾"], |rest| Ok(Some(Check::new(target(rest)?).into()))),
    (&["选择", "选中", "选取"], choose),
    (&["清空", "清除"], |rest| Ok(Some(Fill::new(target(rest)?, "".into()).into()))),
    (&["输入", "键入", "填写", "填入"], write),
    (&["敲一下", "按一下", "按下", "敲击", "敲", "按"], press),
    (&["向下滚动", "往下滚动", "向下滑动", "往下滑", "下滑", "向下翻"], |rest| {
        scroll(rest, Direction::Down)
    }),
    (&["向上滚动", "往上滚动", "向上滑动", "往上滑", "上滑", "向上翻"], |rest| {
        scroll(rest, Direction::Up)
    }),
    (&["向左滚动", "向左滑动"], |rest| scroll(rest, Direction::Left)),
    (&["向右滚动", "向右滑动"], |rest| scroll(rest, Direction::Right)),
    (&["滚动到", "滑动到", "滚到", "滚动至"], scroll_to),
    (
        &["返回上一页", "返回到上一页", "返回前一页", "返回", "后退", "回到上一页"],
        |rest| Ok(rest.is_empty().then(|| Back::default().into())),
    ),
    (&["前进"], |rest| Ok(rest.is_empty().then(|| Forward::default().into()))),
    (&["刷新页面", "刷新网页", "刷新", "重新加载页面", "重新加载"], |rest| {
        Ok(rest.is_empty().then(|| Reload::default().into()))
    }),
    (&["打开网址", "打开网页", "打开", "访问", "前往", "跳转到", "导航到", "进入", "转到"], go),
    (&["等待", "等"], wait),
];

/// What a Chinese sentence says; none if it is none that is known.
pub(super) fn action(text: &str) -> Result<Option<Action>> {
    let text = polite(text);
    if let Some(found) = somewhere(text)? {
        return Ok(Some(found));
    }
    // 按下方向键 is the key 下, 按下回车 is not.
    if let Some(keys) =
        text.strip_prefix('按').filter(|keys| *keys != "下" && key_name(keys).starts_with("Arrow"))
    {
        return press(keys);
    }
    for (verbs, read) in VERBS {
        if let Some(rest) = verbs.iter().find_map(|verb| text.strip_prefix(verb)) {
            return read(rest.trim_start_matches([':', '：']).trim());
        }
    }
    Ok(None)
}

/// A sentence about typing without 并按回车 at its end.
pub(super) fn without_enter(text: &str) -> Option<&str> {
    const JOINS: [&str; 8] = ["并", "然后", "后", "再", "，并", "，然后", "，再", "，"];
    const ENDS: [&str; 5] = ["按回车键", "按回车", "按下回车键", "按下回车", "回车"];
    let ends = JOINS.iter().flat_map(|join| ENDS.iter().map(move |end| format!("{join}{end}")));
    let rest = ends.filter_map(|end| Some(cut_end(text, &end)?.len())).min()?;
    Some(text[..rest].trim_end_matches(['，', ',', ' ']))
}

/// Whether a sentence asks for two things.
pub(super) fn has_two(text: &str) -> bool {
    const VERBS: [&str; 9] = ["点击", "单击", "双击", "输入", "选择", "勾选", "按", "滚动", "打开"];
    const JOINS: [&str; 6] = ["然后", "接着", "并", "再", "，", ","];
    VERBS.iter().any(|verb| JOINS.iter().any(|join| has(text, &format!("{join}{verb}"))))
}

fn polite(text: &str) -> &str {
    const LEADS: [&str; 8] = ["请你", "请", "帮我", "麻烦", "你", "现在", "然后", "再"];
    let mut text = text.trim();
    while let Some(rest) = LEADS.iter().find_map(|lead| text.strip_prefix(lead)) {
        text = rest.trim_start();
    }
    text
}

/// Sentences that name the place first: 在…输入…, 从…选择…, 把…拖到….
fn somewhere(text: &str) -> Result<Option<Action>> {
    const TYPED: [&str; 8] = ["输入", "填写", "填入", "写入", "键入", "录入", "填上", "写上"];
    const CHANGED: [&str; 10] =
        ["设置为", "调整为", "修改为", "设为", "改为", "改成", "设成", "调到", "调成", "填成"];
    const CHOSEN: [&str; 3] = ["选择", "选中", "选取"];
    if let Some(rest) = ["在", "往", "向", "从", "于"].iter().find_map(|word| text.strip_prefix(word)) {
        if let Some((field, text)) = earliest(rest, &TYPED) {
            return Ok(Some(Fill::new(target(inside(field))?, typed(text)).into()));
        }
        if let Some((list, option)) = earliest(rest, &CHOSEN) {
            return Ok(Some(Select::new(target(inside(list))?, &value(option)).into()));
        }
        if let Some((place, keys)) = earliest(rest, &["按下", "按", "敲"])
            && Press::knows(&key_name(keys))
        {
            return Ok(Some(
                Press { target: Some(target(inside(place))?), ..Press::new(key_name(keys).as_str().into()) }
                    .into(),
            ));
        }
        let ways = [("向下滚动", Direction::Down), ("向上滚动", Direction::Up)];
        for (words, way) in ways {
            if let Some((area, "")) = first(rest, words) {
                return Ok(Some(
                    Scroll { target: Some(target(inside(area))?), ..Scroll::towards(way) }.into(),
                ));
            }
        }
        return match earliest(rest, &["点击", "单击"]) {
            Some((place, what)) => {
                Ok(Some(Click::new(target(&format!("{}的{what}", inside(place)))?).into()))
            }
            None => Ok(None),
        };
    }
    let Some(rest) = text.strip_prefix('把').or_else(|| text.strip_prefix('将')) else { return Ok(None) };
    let dragged = ["拖动到", "拖拽到", "拖放到", "拖到"].iter().find_map(|word| first(rest, word));
    if let Some((from, to)) = dragged {
        return Ok(Some(Drag::new(target(from)?, target(inside(to))?).into()));
    }
    let hovered = ["悬停在", "移动到", "移到"].iter().find_map(|word| first(rest, word));
    if let Some(("鼠标" | "光标", what)) = hovered {
        return hover(what);
    }
    if let Some((what, _)) = first(rest, "滚动到可见").or_else(|| first(rest, "滚动到视图")) {
        return Ok(Some(Scroll::new(target(what)?).into()));
    }
    if let Some((list, option)) = earliest(rest, &["选择为", "选为", "选成"]) {
        return Ok(Some(Select::new(target(inside(list))?, &value(option)).into()));
    }
    if let Some((field, text)) = earliest(rest, &CHANGED) {
        return Ok(Some(Fill::new(target(field)?, typed(text)).into()));
    }
    let into = ["输入到", "填入到", "填入", "填到", "写入", "输入"].iter().find_map(|word| first(rest, word));
    match into {
        Some((text, field)) if !field.is_empty() => {
            Ok(Some(Fill::new(target(inside(field))?, typed(text)).into()))
        }
        _ => Ok(None),
    }
}

/// What stands before and after the first of these verbs. 输入框 is no verb.
fn earliest<'t>(text: &'t str, verbs: &[&'t str]) -> Option<(&'t str, &'t str)> {
    let is_noun = |rest: &str| rest.starts_with(['框', '栏', '项', '区', '法', '钮', '键']);
    let found = verbs.iter().filter_map(|verb| {
        let mut from = 0;
        while let Some((before, rest)) = first(&text[from..], verb) {
            let at = from + before.len();
            if !is_noun(rest) {
                return Some((at, at + verb.len()));
            }
            from = at + verb.len();
        }
        None
    });
    let (at, end) = found.min_by_key(|(at, end)| (*at, usize::MAX - end))?;
    let (before, after) = (text[..at].trim(), text[end..].trim_start_matches([':', '：']).trim());
    (!before.is_empty()).then_some((before, after))
}

/// A place without the word that says that something is in it.
fn inside(place: &str) -> &str {
    const ENDS: [&str; 8] = ["里面", "当中", "里", "中", "内", "上", "处", "下"];
    let place = place.trim();
    ENDS.iter().find_map(|end| place.strip_suffix(end)).unwrap_or(place).trim_end()
}

fn hover(rest: &str) -> Result<Option<Action>> {
    Ok(Some(Hover { target: target(inside(rest))? }.into()))
}

fn choose(rest: &str) -> Result<Option<Action>> {
    // 选择“日本”作为国家, 选择国家为日本.
    let named = first(rest, "作为").map(|(option, list)| (list, option)).or_else(|| first(rest, "为"));
    if let Some((list, option)) = named.map(|(list, option)| (list.trim(), option.trim()))
        && !list.is_empty()
        && !option.is_empty()
    {
        return Ok(Some(Select::new(target(inside(list))?, &value(option)).into()));
    }
    let target = target(rest)?;
    Ok(Some(if is_box(rest) { Check::new(target).into() } else { Click::new(target).into() }))
}

/// 输入…到…; without a field it goes to what has the focus.
fn write(rest: &str) -> Result<Option<Action>> {
    if rest.is_empty() {
        return Ok(None);
    }
    let is_field = |field: &str| {
        ["框", "栏", "字段", "里", "中", "内", "处"].iter().any(|end| field.trim().ends_with(end))
    };
    if let Some((text, field)) = last(rest, "到")
        && !field.trim().is_empty()
        && (quoted(text).is_some() || is_field(field))
    {
        return Ok(Some(Fill::new(target(inside(field))?, typed(text)).into()));
    }
    if let Some((field, text)) = first(rest, "为")
        && is_field(field)
    {
        return Ok(Some(Fill::new(target(field)?, typed(text)).into()));
    }
    Ok(Some(Type::new(typed(rest)).into()))
}

/// Keys, if they are keys; otherwise something to press as one presses a button.
fn press(rest: &str) -> Result<Option<Action>> {
    let (rest, repeat) = times(rest);
    let keys = key_name(rest);
    if Press::knows(&keys) {
        return Ok(Some(Press { repeat, ..Press::new(keys.as_str().into()) }.into()));
    }
    Ok(Some(Click::new(target(rest)?).into()))
}

/// A key by the name that the engine knows it by.
fn key_name(text: &str) -> String {
    const NAMES: [(&str, &str); 10] = [
        ("空格", "Space"),
        ("上", "ArrowUp"),
        ("下", "ArrowDown"),
        ("左", "ArrowLeft"),
        ("右", "ArrowRight"),
        ("上箭头", "ArrowUp"),
        ("下箭头", "ArrowDown"),
        ("左箭头", "ArrowLeft"),
        ("右箭头", "ArrowRight"),
        ("确认", "Enter"),
    ];
    let text = quoted(text).unwrap_or(text).trim();
    // 按确认按钮 is no key.
    let name = ["方向键", "键"].iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text).trim();
    let known = NAMES.iter().find(|(chinese, _)| *chinese == name && (*chinese != "确认" || text != name));
    known.map_or(name, |(_, key)| key).to_owned()
}

/// 三次, 3 次.
fn times(rest: &str) -> (&str, u32) {
    let whole = |count: f64| (1.0..=1000.0).contains(&count) && count.fract() == 0.0;
    // 按三次回车, or 按回车三次.
    if let Some((count, after)) = number(rest)
        && let Some(keys) = after.strip_prefix("次").or_else(|| after.strip_prefix("下"))
        && whole(count)
        && !keys.is_empty()
    {
        return (keys.trim(), count as u32);
    }
    let Some(before) = rest.strip_suffix('次') else { return (rest, 1) };
    let count: String = before
        .chars()
        .rev()
        .take_while(|c| c.is_ascii_digit() || "一两二三四五六七八九十".contains(*c))
        .collect();
    let keys = &before[..before.len() - count.len()];
    let count: String = count.chars().rev().collect();
    match number(&count) {
        Some((count, "")) if whole(count) => (keys.trim(), count as u32),
        _ => (rest, 1),
    }
}

fn scroll(rest: &str, way: Direction) -> Result<Option<Action>> {
    if let Some(rest) = rest.strip_prefix('到').or_else(|| rest.strip_prefix('至')) {
        return scroll_to(rest);
    }
    if ["", "页面", "网页"].contains(&rest) {
        return Ok(Some(Scroll::towards(way).into()));
    }
    let Some((count, unit)) = number(rest) else {
        return Ok(Some(Scroll { target: Some(target(rest)?), ..Scroll::towards(way) }.into()));
    };
    Ok(match unit {
        "像素" | "px" | "个像素" => Some(Scroll { pixels: Some(count), ..Scroll::towards(way) }.into()),
        "%" | "％" => Some(Scroll { percent: Some(count), ..Scroll::towards(way) }.into()),
        "屏" | "页" | "个屏幕" => {
            Some(Scroll { percent: Some(count * 100.0), ..Scroll::towards(way) }.into())
        }
        _ => None,
    })
}

fn scroll_to(rest: &str) -> Result<Option<Action>> {
    let place = rest.trim_start_matches("页面").trim_start_matches("网页").trim_start_matches('的');
    let to = |edge| Ok(Some(Scroll { to: Some(edge), ..Scroll::default() }.into()));
    match place {
        "顶部" | "顶端" | "最上面" | "最顶部" | "开头" => to(Edge::Top),
        "底部" | "底端" | "最下面" | "最底部" | "末尾" | "底" => to(Edge::Bottom),
        _ => Ok(Some(Scroll::new(target(rest)?).into())),
    }
}

fn go(rest: &str) -> Result<Option<Action>> {
    Ok(Some(match address(rest) {
        Some(url) => goto(url),
        None => Click::new(target(rest)?).into(),
    }))
}

fn wait(rest: &str) -> Result<Option<Action>> {
    if let Some((count, unit)) = number(rest) {
        let factor = match unit {
            "秒" | "秒钟" | "s" => Some(1.0),
            "毫秒" | "ms" => Some(0.001),
            "分钟" | "分" => Some(60.0),
            _ => None,
        };
        if let Some(time) = factor.and_then(|factor| Duration::try_from_secs_f64(count * factor).ok()) {
            return Ok(Some(Wait::until(Until::Time(Span(time))).into()));
        }
    }
    if ["页面加载完成", "页面加载", "加载完成", "页面加载完毕"].contains(&rest) {
        return Ok(Some(Wait::until(Until::Load).into()));
    }
    if let Some(what) = cut_end(rest, "消失") {
        return Ok(Some(match quoted(what) {
            Some(text) => Wait { gone: Some(text.to_owned()), ..Wait::default() }.into(),
            None => {
                Wait { target: Some(target(what)?), state: TargetState::Hidden, ..Wait::default() }.into()
            }
        }));
    }
    let what = cut_end(rest, "出现").or_else(|| cut_end(rest, "显示")).unwrap_or(rest);
    let what = cut(what, "直到").unwrap_or(what);
    if what.is_empty() {
        return Ok(None);
    }
    Ok(Some(match quoted(what) {
        Some(text) => Wait { text: Some(text.to_owned()), ..Wait::default() }.into(),
        None => Wait { target: Some(target(what)?), ..Wait::default() }.into(),
    }))
}

//! The notes of outcomes, which the engine writes in English, in Chinese.

use super::translate::names_in;

/// Notes of the engine, word for word.
const NOTES: [(&str, &str); 19] = [
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
    (
        "a download is still under way; `webhand download` without a target waits for it",
        "下载仍在进行，完成后会在之后的操作结果中列出文件",
    ),
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
    ("a script in the page before did not end, and was stopped", "原页面中的脚本一直没有结束，已被终止"),
    ("the tab shows another page now", "标签页现在显示的是另一个页面"),
    ("the list is still open; press Escape to close it", "下拉列表仍处于打开状态"),
    ("it was selected already", "它原来就是选中的"),
];

/// Notes of the engine that name something, by how they begin or end.
const NOTES_WITH_NAMES: [(&str, &str, &str); 7] = [
    ("blocked: ", "", "请求被策略阻止"),
    ("", " was put before the address", "地址已补全协议"),
    ("the controls of ", "", "无法读取某个框架中的控件"),
    ("the server has not answered ", "", "服务器尚未回答，在此之前标签页保持不变，也不接受操作"),
    ("what changed could not be seen", "", "无法得知页面发生了什么变化"),
    ("", "see `webhand requests --failed`", "还有更多请求被策略阻止"),
    ("", "more errors are in `webhand console`", "控制台中还有更多错误"),
];

/// A note of the engine; none if nothing can be said of it in Chinese.
pub(super) fn note(text: &str) -> Option<String> {
    if let Some(rest) = text.strip_prefix("DOWNLOAD_FAILED: ") {
        let file = rest.split(" did not arrive").next().unwrap_or(rest);
        return Some(format!("文件 {file} 没有下载成功，请再次点击重试，或请用户检查文件大小限制"));
    }
    if let Some((_, chinese)) = NOTES.iter().find(|(english, _)| *english == text) {
        return Some((*chinese).to_owned());
    }
    let known =
        NOTES_WITH_NAMES.iter().find(|(start, end, _)| text.starts_with(start) && text.ends_with(end));
    known.map(|(.., chinese)| with_names(chinese, text))
}

/// A sentence, with the names that an English text has.
fn with_names(chinese: &str, english: &str) -> String {
    match &*names_in(english) {
        [] => chinese.to_owned(),
        names => format!("{chinese}（{}）", names.join("，")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_chinese() {
        for (english, chinese) in [
            (
                "DOWNLOAD_FAILED: report.txt did not arrive (the download was cancelled or failed)",
                Some("文件 report.txt 没有下载成功，请再次点击重试，或请用户检查文件大小限制"),
            ),
            ("the tab closed", Some("标签页已关闭")),
            ("http:// was put before the address", Some("地址已补全协议（http://）")),
            (
                "the server has not answered http://x/slow yet; until it does, the tab stays where it is and takes no commands",
                Some("服务器尚未回答，在此之前标签页保持不变，也不接受操作（http://x/slow）"),
            ),
            ("something new", None),
        ] {
            assert_eq!(note(english).as_deref(), chinese, "{english}");
        }
    }
}

//! Reading: the main content, what is hidden, shadow roots, frames, tables, parts; and the page's HTML.

use contract::{Code, Outcome, Target};
use engine::{
    Until,
    actions::{Goto, Html, Read, ReadFormat},
};

use crate::support::{Fixture, code, run_in_shell, site};

async fn read_in_full(s: &Fixture, read: Read) -> Outcome {
    s.perform(read).await.unwrap()
}

async fn read(s: &Fixture, read: Read) -> String {
    read_in_full(s, read).await.content.unwrap().text
}

async fn html(s: &Fixture, html: Html) -> String {
    s.perform(html).await.unwrap().content.unwrap().text
}

fn css(selector: &str) -> Option<Target> {
    Some(Target::Css(selector.into()))
}

const ARTICLE: &str = include_str!("golden/article.md");

#[test]
fn an_article_is_read_without_what_is_around_it() {
    run_in_shell(async |s| {
        s.open(&site().url("/read-article.html")).await;
        let outcome = read_in_full(&s, Read::default()).await;
        let content = outcome.content.unwrap();
        assert_eq!(content.text.replace(&site().url(""), "SITE"), ARTICLE.trim_end());
        assert_eq!((&*content.format, content.offset, content.next_offset), ("markdown", 0, None));
        assert!(outcome.notes[0].starts_with("main content, "), "{:?}", outcome.notes);

        let whole = read_in_full(&s, Read { whole: true, ..Read::default() }).await;
        let text = whole.content.unwrap().text;
        assert_eq!(whole.notes, ["the whole page"]);
        for part in ["[Home](", "Most read", "Imprint", "# The lighthouse keeper", "| May | 12 | a\\|b |"] {
            assert!(text.contains(part), "{part} is missing: {text}");
        }

        let plain = Read { format: ReadFormat::Text, ..Read::default() };
        let content = read_in_full(&s, plain).await.content.unwrap();
        assert_eq!(content.format, "text");
        assert!(
            content.text.contains("The tower still") && content.text.contains("    light();"),
            "{}",
            content.text
        );
        assert!(!content.text.contains("http:") || content.text.contains("forged"), "{}", content.text);
    });
}

#[test]
fn a_chinese_article_has_main_content_too() {
    run_in_shell(async |s| {
        s.open(&site().url("/read-chinese.html")).await;
        let outcome = read_in_full(&s, Read::default()).await;
        let text = outcome.content.unwrap().text;
        assert!(outcome.notes[0].starts_with("main content"), "{:?}", outcome.notes);
        assert!(text.starts_with("# 山里的邮差\n\n老周在这条山路上"), "{text}");
        assert!(!text.contains("推荐阅读") && !text.contains("关于我们"), "{text}");
    });
}

#[test]
fn a_page_to_be_used_is_read_as_a_whole_with_its_fields_but_no_password() {
    run_in_shell(async |s| {
        s.open(&site().url("/read-app.html")).await;
        s.eval("document.querySelector('[type=password]').value = 'typed secret'").await;
        s.eval("document.querySelector('[name=nodeType]').value = 'typed words'").await;
        let outcome = read_in_full(&s, Read::default()).await;
        let text = outcome.content.unwrap().text;
        assert_eq!(outcome.notes, ["the whole page"]);
        for part in [
            "Compose Refresh",
            "typed words invoice two  \nlines Unread ☑ Starred ○ Old",
            "Ada\n\nLunch?",
            &format!("### [Ada's card]({})", site().url("/ada")),
            &format!("[Settings]({})", site().url("/icon")),
            "A chart",
            "kept  \nline",
        ] {
            assert!(text.contains(part), "{part} is missing: {text}");
        }
        for part in ["hunter2", "secret", "/empty"] {
            assert!(!text.contains(part), "{part} is there: {text}");
        }
    });
}

#[test]
fn what_nobody_can_see_is_not_read() {
    run_in_shell(async |s| {
        s.open(&site().url("/read-hidden.html")).await;
        for format in [ReadFormat::Markdown, ReadFormat::Text] {
            let text = read(&s, Read { format, ..Read::default() }).await;
            assert!(!text.contains("NOT-"), "{text}");
            for seen in 1..=11 {
                assert!(text.contains(&format!("SEEN-{seen}")), "{seen} is missing: {text}");
            }
            assert!(text.contains("🏴󠁧󠁢󠁥󠁮󠁧󠁿tagend"), "{text:?}");
        }
    });
}

#[test]
fn a_page_from_right_to_left() {
    run_in_shell(async |s| {
        let page = "<div dir=rtl><h1>שלום</h1><p>עולם <a href='/x'>קישור</a></p></div>\
            <script>document.documentElement.dir = 'rtl'</script><div style='width: 5000px'>רחב</div>";
        s.open(&site().page("rtl", page)).await;
        let link = site().url("/x");
        assert_eq!(read(&s, Read::default()).await, format!("# שלום\n\nעולם [קישור]({link})\n\nרחב"));
    });
}

#[test]
fn shadow_roots_and_slots_are_read_as_they_are_laid_out() {
    run_in_shell(async |s| {
        s.open(&site().url("/read-shadow.html")).await;
        let text = read(&s, Read::default()).await;
        let link = site().url("/two.html");
        let wanted = format!(
            "## Card\n\nbefore **MIDDLE** after\n\n- one\n- two [link]({link})\n\ndefault Name attribute"
        );
        assert_eq!(text, wanted);
    });
}

#[test]
fn frames_of_any_origin_are_read_where_they_stand() {
    run_in_shell(async |s| {
        let page = format!("/read-frames.html?host=b.localhost:{}", site().port());
        let url = site().on("a.localhost", &page);
        s.perform(Goto { url: (&*url).into(), until: Until::NetworkIdle }).await.unwrap();
        let outcome = read_in_full(&s, Read::default()).await;
        let text = outcome.content.unwrap().text;
        let (same, other) = (site().on("a.localhost", "/same"), site().on("b.localhost", "/two.html"));
        let wanted = format!(
            "# Top\n\ninside [same]({same})\n\nbetween\n\n## Card\n\nbefore **MIDDLE** after\n\n\
             - one\n- two [link]({other})\n\ndefault Name attribute\n\nend"
        );
        assert_eq!(text, wanted);
        assert_eq!(outcome.notes, ["the whole page"]);
        let scoped = read(&s, Read { scope: css("h2"), ..Read::default() }).await;
        assert_eq!(scoped, "## Card", "an element in a frame");
        assert_eq!(html(&s, Html { scope: css("h2"), ..Html::default() }).await, "<h2>Card</h2>");
    });
}

#[test]
fn a_frame_on_its_way_holds_nobody_up() {
    run_in_shell(async |s| {
        let url = site().page("frame", "<p>around</p><iframe></iframe>");
        s.open(&url).await;
        let hangs = site().url("/hang?test=reading");
        s.eval(&format!("document.querySelector('iframe').src = {hangs:?}")).await;
        site().hit("/hang?test=reading", 1).await;
        // Until it has an answer, the frame still shows its first, empty page.
        assert_eq!(read(&s, Read::default()).await, "around");
    });
}

#[test]
fn an_element_alone() {
    run_in_shell(async |s| {
        s.open(&site().url("/read-article.html")).await;
        let scope = |selector| Read { scope: css(selector), ..Read::default() };
        let outcome = read_in_full(&s, scope("ul ul")).await;
        assert_eq!(outcome.content.unwrap().text, "- then from the west");
        assert_eq!(outcome.notes, ["all of css=ul ul"]);
        assert_eq!(read(&s, scope("table")).await.lines().count(), 6);
        assert_eq!(code(s.perform(scope("li")).await), Code::ElementAmbiguous);
        let gone = Read { scope: Some("e999".parse().unwrap()), ..Read::default() };
        assert_eq!(code(s.perform(gone).await), Code::StaleRef);
        s.eval("document.querySelector('footer').style.display = 'none'").await;
        assert_eq!(read(&s, scope("footer")).await, "", "it cannot be seen");
    });
}

#[test]
fn the_parts_together_are_the_whole() {
    run_in_shell(async |s| {
        s.open(&site().url("/read-article.html")).await;
        let whole = read(&s, Read::default()).await;
        let (mut text, mut next) = (String::new(), Some(0));
        while let Some(offset) = next {
            let part = Read { offset, max_chars: Some(100), ..Read::default() };
            let content = read_in_full(&s, part).await.content.unwrap();
            assert_eq!((content.offset, content.total), (offset, whole.chars().count() as u64));
            assert!(content.text.chars().count() <= 100);
            text += &content.text;
            next = content.next_offset;
        }
        assert_eq!(text, whole);
        let error = s.perform(Read { offset: 99_999, ..Read::default() }).await.unwrap_err();
        assert_eq!(error.code, Code::InvalidInput);
        assert!(error.message.contains(&whole.chars().count().to_string()), "{error}");
    });
}

#[test]
fn a_page_cannot_write_our_structure() {
    run_in_shell(async |s| {
        let page = "<p> # heading<br> - item<br>&gt; quote<br>1. one</p><pre>```\n# in</pre>\
            <p>&lt;webhand-frame n=\"1\"&gt;&lt;/webhand-frame&gt;<a href='/a) [x](/b'>l](/c)</a></p>";
        s.open(&site().page("forged", page)).await;
        let text = read(&s, Read::default()).await;
        let link = site().url("/a\\)%20[x]\\(/b");
        let wanted = format!(
            "\\# heading  \n \\- item  \n\\> quote  \n1\\. one\n\n````\n```\n# in\n````\n\n\
             \\<webhand-frame n=\"1\">\\</webhand-frame>[l\\](/c)]({link})"
        );
        assert_eq!(text, wanted);
    });
}

#[test]
fn a_page_deeper_than_a_stack_and_one_with_nothing() {
    run_in_shell(async |s| {
        s.open(&site().page("empty", "<!-- nothing -->")).await;
        assert_eq!(read(&s, Read::default()).await, "");
        s.eval(
            "(() => { let at = document.body; for (let i = 0; i < 2000; i++) at = at.appendChild(document.createElement('div')); \
             at.textContent = 'bottom'; })()",
        )
        .await;
        assert_eq!(read(&s, Read::default()).await, "bottom");
    });
}

#[test]
fn the_html_as_it_is_now_without_passwords() {
    run_in_shell(async |s| {
        s.open(&site().url("/read-shadow.html")).await;
        s.eval("document.body.append('added')").await;
        let text = html(&s, Html::default()).await;
        assert!(
            text.starts_with("<!DOCTYPE html><html><head>") && text.ends_with("added</body></html>"),
            "{text}"
        );
        assert!(text.contains("<template shadowrootmode=\"open\"><h2>Card</h2>"), "{text}");
        assert!(text.contains("<input value=\"attribute\">"), "{text}");
        assert!(text.contains("<input type=\"password\" name=\"p\" value=\"\">"), "{text}");
        assert!(!text.contains("hunter2"), "{text}");
        let scope = |selector| Html { scope: css(selector), ..Html::default() };
        assert_eq!(html(&s, scope("b")).await, "<b slot=\"middle\">MIDDLE</b>");
        assert_eq!(
            html(&s, scope("[type=password]")).await,
            "<input type=\"password\" name=\"p\" value=\"\">"
        );
        let part = Html { max_chars: Some(15), offset: 10, ..Html::default() };
        let content = s.perform(part).await.unwrap().content.unwrap();
        assert_eq!(content.text, text.chars().skip(10).take(content.text.len()).collect::<String>());
        assert!(content.next_offset.is_some() && content.format == "html");
    });
}

#[test]
fn the_html_in_a_file_is_not_printed() {
    run_in_shell(async |s| {
        s.open(&site().page("file", "<p>here</p>")).await;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/page.html");
        let outcome = s.perform(Html { path: Some(path.clone()), ..Html::default() }).await.unwrap();
        let written = std::fs::read_to_string(&path).unwrap();
        assert_eq!(written, html(&s, Html::default()).await);
        assert!(outcome.content.is_none());
        assert_eq!(outcome.notes, [format!("{} characters written to {}", written.len(), path.display())]);
    });
}

#[test]
fn html_that_is_too_large_is_cut_and_says_so() {
    run_in_shell(async |s| {
        s.open(&site().page("large", "<p>large</p>")).await;
        s.eval("{ const data = document.createElement('template'); data.innerHTML = '字 '.repeat(3 << 20); document.body.append(data) }").await;
        let first = s.perform(Html::default()).await.unwrap().content.unwrap();
        assert!(first.text.len() <= 8 << 20 && first.total > 6 << 20, "{}", first.total);
        let second = Html { offset: first.next_offset.unwrap(), ..Html::default() };
        let second = s.perform(second).await.unwrap().content.unwrap();
        assert_eq!(second.next_offset, None);
        assert_eq!((first.text + &second.text).chars().count() as u64, second.total);
    });
}

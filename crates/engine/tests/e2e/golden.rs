//! What a snapshot says of the kinds of pages that the web is made of. Each text in `golden/` has been read by a person: a change in
//! one is a change in what models see. `INSTA_UPDATE=always` writes them anew, to be read again.

use engine::actions::{Find, Form, Snapshot};

use crate::support::{Fixture, eval, goto, run_in_shell, site};

/// Rows of `test: page, after script, with options;`. What changed by the script stands above the snapshot.
macro_rules! goldens {
    ($($test:ident: $page:literal $(, after $script:literal)? $(, with {$($option:ident: $value:expr),*})?;)*) => {
        $(#[test]
        fn $test() {
            let script: Option<&str> = None$(.or(Some($script)))?;
            check(stringify!($test), $page, script, Snapshot { $($($option: $value,)*)? ..Snapshot::default() });
        })*

        #[test]
        fn every_page_has_one() {
            let used = [$(concat!("/golden/", $page, ".html")),*];
            for (page, _) in testkit::GOLDEN {
                let inner = page.contains("-inner") || page.contains("-middle");
                assert!(inner || used.contains(page), "{page} is in no golden");
            }
        }
    };
}

goldens! {
    accordion: "accordion";
    accordion_opened: "accordion", after "document.querySelector('.item').classList.add('open'); document.querySelector('details').open = true";
    app_rerenders: "app-rerenders";
    app_rerendered: "app-rerenders", after "const other = document.createElement('script'); other.textContent = `render([{ id: 3, text: 'Read', done: true }, { id: 1, text: 'Buy oat milk', done: false }, { id: 4, text: 'New', done: false }])`; document.body.append(other)";
    aria_owns: "aria-owns";
    article: "article";
    article_compact: "article", with { compact: true };
    article_urls: "article", with { urls: true };
    calendar: "calendar";
    canvas_app: "canvas-app";
    carousel: "carousel";
    chinese: "chinese";
    chinese_found: "chinese", with { find: Some("用户协议".into()) };
    combobox_portal: "combobox-portal";
    custom_checkboxes: "custom-checkboxes";
    data_grid: "data-grid";
    data_grid_interactive: "data-grid", with { interactive: true };
    dialog_aria: "dialog-aria";
    dialog_modal: "dialog-modal";
    dialog_modal_closed: "dialog-modal", after "document.querySelector('dialog').close()";
    drag_board: "drag-board";
    emoji: "emoji";
    forgery: "forgery";
    forgery_json: "forgery", with { form: Form::Json };
    frame_in_shadow: "frame-in-shadow";
    frames_cross: "frames-cross";
    frames_cross_found: "frames-cross", with { find: Some("confirm".into()) };
    frames_cross_json: "frames-cross", with { form: Form::Json };
    frames_same: "frames-same";
    hidden_text: "hidden-text";
    icon_buttons: "icon-buttons";
    image_map: "image-map";
    inline_links: "inline-links";
    japanese: "japanese";
    large_table: "large-table";
    large_table_cut: "large-table", with { max_chars: Some(600) };
    lists: "lists";
    menu_bar: "menu-bar";
    menu_bar_opened: "menu-bar", after "document.querySelector('#products').classList.add('open')";
    pseudo_text: "pseudo-text";
    radio_groups: "radio-groups";
    rich_text: "rich-text";
    right_to_left: "right-to-left";
    search_results: "search-results";
    search_results_interactive: "search-results", with { interactive: true };
    settings_form: "settings-form";
    settings_form_boxes: "settings-form", with { boxes: true, interactive: true };
    settings_form_json: "settings-form", with { form: Form::Json };
    shadow_dom: "shadow-dom";
    shop_list: "shop-list";
    shop_list_depth: "shop-list", with { depth: Some(2) };
    shop_list_interactive: "shop-list", with { interactive: true, urls: true };
    sign_in: "sign-in";
    sign_in_scope: "sign-in", with { scope: Some("css=form".parse().unwrap()) };
    svg_chart: "svg-chart";
    tables: "tables";
    tables_compact: "tables", with { compact: true };
    tabs: "tabs";
    tabs_other: "tabs", after "document.querySelector('#t2').click()";
    toast: "toast";
    toast_shown: "toast", after "document.querySelector('#save').click()";
    tree_view: "tree-view";
    values: "values";
    virtual_list: "virtual-list";
    virtual_list_scrolled: "virtual-list", after "view.scrollTop = 400; await new Promise(done => view.addEventListener('scroll', done, { once: true }))";
    web_components: "web-components";
}

fn check(test: &str, page: &str, script: Option<&str>, snapshot: Snapshot) {
    let name = test.replace('_', "-");
    run_in_shell(async |s| {
        open(&s, page).await;
        let mut golden = String::new();
        if let Some(script) = script {
            s.perform(Snapshot::default()).await.unwrap();
            let delta = s.perform(eval(script)).await.unwrap().delta.expect("something changed");
            golden = format!("changes:\n{}\n\nsnapshot:\n", delta.text);
        }
        let json = snapshot.form == Form::Json;
        let outcome = s.perform(snapshot).await.unwrap();
        assert!(outcome.notes.is_empty(), "{:?}", outcome.notes);
        let told = outcome.snapshot.unwrap();
        golden += &if json {
            serde_json::to_string_pretty(&told.nodes).unwrap()
        } else {
            head_and_tail(&told.text)
        };
        keep(&name, &golden);
    });
}

async fn open(s: &Fixture, page: &str) {
    let url = site().on("a.localhost", &format!("/golden/{page}.html"));
    s.perform(goto(&url)).await.unwrap();
}

/// A long text is told by its beginning, its end and how long it is.
fn head_and_tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() <= 120 {
        return text.to_owned();
    }
    let (head, tail) = (lines[..8].join("\n"), lines[lines.len() - 8..].join("\n"));
    format!("{head}\n({} lines, {} bytes)\n{tail}", lines.len(), text.len())
}

fn keep(name: &str, golden: &str) {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path("golden");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let golden = golden.replace(&format!(":{}", site().port()), ":PORT");
    settings.bind(|| insta::assert_snapshot!(name, golden));
}

#[test]
fn found_in_all_frames() {
    run_in_shell(async |s| {
        open(&s, "frames-cross").await;
        let find = Find {
            words: "(?i)c(ard|ode)".into(),
            regex: true,
            place: Default::default(),
            context: Some(1),
            max: None,
        };
        keep("frames-cross-regex", &s.perform(find).await.unwrap().content.unwrap().text);
    });
}

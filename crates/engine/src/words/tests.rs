//! Descriptions against small pages, without a browser.

use contract::Code;

use super::{
    parse::readings,
    rank::{Ranker, Reach},
    scene::Scene,
};
use crate::snapshot::{View, sample};

/// Each row is a description and the number of what it means; `?` for several, `-` for nothing.
#[track_caller]
fn check(view: &View, rows: &[(&str, &str)]) {
    let scene = Scene::of_view(view);
    for (description, expected) in rows {
        let readings = readings(description);
        let mut ranker = Ranker::new(&scene);
        let mut found = "-".to_owned();
        let mut ranked = Vec::new();
        for reach in [Reach::Plain, Reach::Scattered, Reach::Mistyped] {
            ranker.reach = reach;
            ranked = ranker.rank(&readings);
            found = match ranker.decide(description, &readings, &ranked) {
                Ok(found) => found.target.reference.to_string(),
                Err(error) if error.code == Code::ElementAmbiguous => "?".into(),
                Err(_) => continue,
            };
            break;
        }
        assert_eq!(found, *expected, "{description}: {:?}", &ranked[..ranked.len().min(3)]);
    }
}

#[test]
fn names_and_kinds() {
    let view = sample::page(
        "1 button \"Save\" ref\n2 button \"Save as draft\" ref\n3 link \"Sign in\" ref, url=/l\n4 textbox \"First name\" ref\n\
         5 textbox \"Last name\" ref\n6 checkbox \"Subscribe to our newsletter\" ref\n7 button \"Don't save\" ref\n\
         8 heading \"Save your work\" level=1\n9 link \"Inbox (3)\" ref, url=/i\n10 button \"×\" ref\n11 paragraph\n  'Checkout is closed\n\
         12 button \"Unfollow\" ref\n13 button disabled, ref\n  'Go\n14 generic ref\n  15 button \"Copy\" ref",
    );
    check(
        &view,
        &[
            ("save", "e1"),
            ("Save button", "e1"),
            ("保存按钮", "e1"),
            ("save as draft", "e2"),
            ("log in", "e3"),
            ("登录", "e3"),
            ("first name", "e4"),
            ("the last field", "e5"),
            ("newsletter", "e6"),
            ("save your work", "e8"),
            ("inbox", "e9"),
            ("close", "e10"),
            ("copy", "e15"),
            ("the disabled button", "e13"),
            ("save checkbox", "-"),
            ("save everything", "-"),
            ("follow", "-"),
            ("checkout", "-"),
            ("button", "?"),
            ("the third button", "e7"),
            ("最后一个按钮", "e15"),
            ("倒数第二个输入框", "e4"),
        ],
    );
}

#[test]
fn rows_and_containers() {
    let row = |name: &str, from: u32| {
        format!(
            "  {from} row \"{name}\"\n    {} cell\n      '{name}\n    {} cell\n      {} button \"Delete\" ref\n",
            from + 1,
            from + 2,
            from + 3
        )
    };
    let view = sample::page(&format!(
        "1 table \"People\" ref\n{}{}{}30 dialog \"Cart\" ref\n  31 button \"Checkout\" ref\n32 button \"Checkout\" ref\n\
         33 heading \"Billing\" level=2\n34 button \"Edit\" ref\n35 heading \"Shipping\" level=2\n36 button \"Edit\" ref",
        row("Alice", 2),
        row("Bob", 10),
        row("张三", 20)
    ));
    check(
        &view,
        &[
            ("Delete in the row of Alice", "e5"),
            ("Bob's Delete button", "e13"),
            ("张三那一行的删除按钮", "e23"),
            ("delete in the second row", "e13"),
            ("第三行的删除按钮", "e23"),
            ("Delete in the row of Zoe", "-"),
            ("Delete", "?"),
            ("Checkout in the dialog", "e31"),
            ("购物车里的结算按钮", "e31"),
            ("Edit in the Shipping section", "e36"),
            ("Edit in Billing", "e34"),
            ("Edit in Payment", "-"),
            ("checkout in the footer", "-"),
            ("delete Alice", "e5"),
            ("删除 Bob", "e13"),
            ("把张三删除", "e23"),
            ("delete Zoe", "-"),
            ("billing edit", "e34"),
            ("shipping checkout", "-"),
        ],
    );
}

/// What is said besides the name: what to type, how it looks, what sort of thing it is of, and nouns that stand for whatever there is.
#[test]
fn ways_to_say_it() {
    let view = sample::page(
        "1 textbox \"Max price\" ref\n2 textbox \"Order no.\" ref\n3 switch \"Dark mode\" checked=true, ref\n4 switch \"Sounds\" ref\n\
         5 article \"Ada\"\n  6 button \"Reply\" ref\n  7 button \"More\" ref\n8 article \"Bo\"\n  9 button \"Reply\" ref\n\
         10 button \"More\" ref\n11 link \"Continue with Google\" ref, url=/g\n12 link \"Sent\" ref, url=/s\n\
         13 button \"Save changes\" ref\n14 button \"Cancel\" ref\n15 button \"Delete account\" ref\n16 link \"News\" ref, url=/n",
    );
    check(
        &view,
        &[
            ("type 500 into the max price field", "e1"),
            ("请在最高价输入框输入500", "e1"),
            ("the order number field", "e2"),
            ("turn on dark mode", "e3"),
            ("the switch that is turned on", "e3"),
            ("未开启的开关", "e4"),
            ("reply to Ada's post", "e6"),
            ("Bo 的帖子里的回复按钮", "e9"),
            ("the more menu of Ada's post", "e7"),
            ("log in with Google", "e11"),
            ("已发送文件夹", "e12"),
            ("the button between Save changes and Delete account", "e14"),
            ("save the card", "-"),
            ("new", "-"),
            ("打开新闻", "e16"),
        ],
    );
}

#[test]
fn frames_are_part_of_the_page() {
    let view = sample::with_frame(
        "1 iframe \"Pay\" ref, frame=0\n2 button \"Back\" ref",
        1,
        "1 button \"Pay now\" ref",
    );
    check(&view, &[("pay now", "f1e1"), ("支付按钮", "f1e1"), ("back", "e2")]);
}

/// What only sounds like it is not meant, even where nothing else is there.
#[test]
fn near_misses() {
    for (name, description) in [
        ("退出登录", "登录"),
        ("注销账号", "退出登录"),
        ("已关注", "关注"),
        ("撤销删除", "删除"),
        ("解除绑定", "绑定"),
        ("移除好友", "好友"),
        ("禁止访问", "访问"),
        ("免登录浏览", "登录"),
        ("非会员登录", "会员登录"),
        ("关闭自动续费", "自动续费"),
        ("删除账号", "账号"),
        ("Do not send me e-mail", "send me e-mail"),
        ("Undo delete", "delete"),
        ("Skip login", "login"),
        ("Remove from cart", "cart"),
        ("Decline invitation", "invitation"),
        ("Price from", "price to"),
        ("Move to trash", "move from trash"),
        ("Move up", "move left"),
        ("Item 1 of 3", "item 3"),
        ("C", "C++"),
        ("C", "C#"),
        ("-5%", "+5%"),
        ("A-", "A+"),
        ("A+", "A-"),
        ("Version 12", "version 1.2"),
        ("Order 12", "Order 1"),
        ("Order 12", "Order #1"),
        ("Item A", "Item 1"),
        ("订单12", "订单1"),
        ("第6页", "page 2"),
        ("第6页", "page 1"),
        ("Order 1,024", "Order 1"),
        ("不同意", "Accept"),
        ("非登录用户", "Log in"),
        ("稍后支付", "支付"),
    ] {
        check(&sample::page(&format!("1 button {name:?} ref")), &[(description, "-")]);
    }
    let fields = "1 textbox \"Confirm password\" ref\n2 paragraph\n  'grid\n3 textbox \"Keys\" ref";
    check(
        &sample::page(fields),
        &[("confirm", "-"), ("确认", "-"), ("Grid", "e2"), ("confirm password", "e1")],
    );
}

/// A number behind a name is a part of it where things of that name have numbers, and a place in a row where they have none.
#[test]
fn numbers_behind_names() {
    let numbered = "1 button \"Page 3\" ref\n2 button \"Page 4\" ref\n3 button \"Order 10\" ref\n4 button \"Order 11\" ref\n\
         5 textbox \"Address 3\" ref\n6 textbox \"Address 4\" ref\n7 list\n  8 listitem \"Item 11\"\n    9 button \"Item 11\" ref\n\
         10 listitem \"Item 12\"\n    11 button \"Item 12\" ref\n12 heading \"Canvas 3\" level=2\n13 button \"Canvas 4\" ref";
    check(
        &sample::page(numbered),
        &[
            ("Page 2", "-"),
            ("click \"Page 2\"", "-"),
            ("Page 4", "e2"),
            ("the second page button", "e2"),
            ("Order 2", "-"),
            ("Order no. 2", "-"),
            ("Order 1", "-"),
            ("订单11", "e4"),
            ("Address 2 field", "-"),
            ("Address 4 field", "e6"),
            ("Item 2", "-"),
            ("item 12", "e11"),
            ("Canvas 1", "-"),
        ],
    );
    let plain = "1 button \"Photo\" ref\n2 button \"Photo\" ref\n3 link \"Photos 12\" ref, url=/p";
    check(&sample::page(plain), &[("photo button 2", "e2"), ("the second photo button", "e2")]);
}

#[test]
fn the_same_name_goes_first() {
    let signs = "1 button \"C\" ref\n2 button \"C++\" ref\n3 button \"C#\" ref\n4 button \"-5%\" ref\n5 button \"+5%\" ref";
    check(
        &sample::page(signs),
        &[("C", "e1"), ("C++", "e2"), ("C#", "e3"), ("-5%", "e4"), ("the +5% button", "e5")],
    );
    let several =
        "1 button \"Delete\" ref\n2 button \"Remove\" ref\n3 button \"Delete\" ref\n4 button \"Delete\" ref";
    check(
        &sample::page(several),
        &[("the second Delete", "e3"), ("第三个 Delete", "e4"), ("last Delete", "e4")],
    );
}

/// Thousands of rows take no more than so many times as long as one.
#[test]
fn long_tables_end() {
    let row = |n: usize| {
        let from = n * 4;
        format!(
            "  {} row \"Customer {n}\"\n    {} cell\n      'Customer {n}\n    {} cell\n      {} button \"Delete\" ref\n",
            from,
            from + 1,
            from + 2,
            from + 3
        )
    };
    let rows: String = (1..=3_000).map(row).collect();
    let view = sample::page(&format!("1 table \"People\" ref\n{rows}"));
    let started = std::time::Instant::now();
    check(&view, &[("Delete in the row of Customer 2321", "e9287"), ("Delete in the row of Zoe", "-")]);
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

/// Whatever is said, it is read in a bounded number of ways.
#[test]
fn long_descriptions_end() {
    let long = "第一个红色按钮的左边的表格里的张三那一行的删除按钮旁边的输入框下面的链接".repeat(4);
    assert!(readings(&long).len() < 1_000);
    assert!(readings(&"the first red button in the last row of the list next to ".repeat(8)).len() < 1_000);
}

proptest::proptest! {
    #[test]
    fn no_description_panics(text in "([a-z]{1,6}|the |in |of |第|二|个|的|里|按钮|\"|“|'s|next to | |\\PC){0,24}") {
        let view = sample::page("1 button \"Save\" ref\n2 link \"按钮\" ref");
        let scene = Scene::of_view(&view);
        let readings = readings(&text);
        let mut ranker = Ranker::new(&scene);
        for reach in [Reach::Plain, Reach::Scattered, Reach::Mistyped] {
            ranker.reach = reach;
            let ranked = ranker.rank(&readings);
            let _ = ranker.decide(&text, &readings, &ranked);
        }
    }
}

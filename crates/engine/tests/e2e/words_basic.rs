//! Targets in plain words, English and Chinese, in real pages: the one element that is meant, or an error that tells what there is.

use contract::{Code, Error, Outcome};
use engine::actions::{Locate, Snapshot};

use crate::support::{Fixture, look, run_in_shell, show};

async fn locate(s: &Fixture, words: &str) -> Result<Outcome, Error> {
    s.perform(Locate { target: contract::Target::Words(words.into()) }).await
}

/// Each row is a description and the id of what it means; `?` for several, `-` for nothing.
async fn check(s: &Fixture, body: &str, rows: &[(&str, &str)]) {
    show(s, body).await;
    let mut wrong = Vec::new();
    for (words, expected) in rows {
        let found = locate(s, words).await;
        let said = match &found {
            Ok(outcome) => {
                let target = outcome.target.clone().unwrap();
                let css = s
                    .perform(Locate {
                        target: format!("css=#{}", expected.trim_start_matches(['?', '-'])).parse().unwrap(),
                    })
                    .await;
                match css {
                    Ok(css) if css.target.as_ref().unwrap().reference == target.reference => {
                        (*expected).to_owned()
                    }
                    _ => format!("{target:?} {:?}", outcome.candidates.iter().take(3).collect::<Vec<_>>()),
                }
            }
            Err(error) if error.code == Code::ElementAmbiguous => "?".into(),
            Err(error) if error.code == Code::ElementNotFound => "-".into(),
            Err(error) => panic!("{words}: {error}"),
        };
        if said != *expected {
            let tells = found
                .err()
                .map(|error| {
                    format!("{} {:?}", error.message, error.outcome.map(|outcome| outcome.candidates))
                })
                .unwrap_or_default();
            wrong.push(format!("{words}: expected {expected}, got {said} {tells}"));
        }
    }
    if !wrong.is_empty() {
        panic!("{}\nin:\n{}", wrong.join("\n"), look(s).await);
    }
}

#[test]
fn names_kinds_and_other_words_for_them() {
    run_in_shell(async |s| {
        check(
            &s,
            "<nav><a id=home href=/>Home</a> <a id=docs href=/docs>Docs</a> <a id=signup href=/r>Sign up</a> <a id=signin href=/l>Sign in</a></nav>\
             <h1 id=h>Welcome back</h1>\
             <form><label>Email <input id=email type=email></label> <label for=pw>Password:</label> <input id=pw type=password>\
             <label><input type=checkbox id=rem> Remember me</label> <a id=forgot href=/f>Forgot password?</a>\
             <button id=submit>Log in</button><button id=cancel type=button>Cancel</button></form>\
             <input id=q type=search placeholder='Search products'><button id=go>Search</button>\
             <select id=country aria-label=Country><option id=cn>China<option id=fr>France</select>\
             <button id=x aria-label=Close>×</button> <button id=plus>+</button>\
             <a id=terms href=/t>Terms of Service</a> <button id=save>Save</button> <button id=draft>Save as draft</button>\
             <div id=fake role=button tabindex=0>Preview</div> <button id=setx>Settings</button>",
            &[
                ("Home", "home"),
                ("the home link", "home"),
                ("click the \"Docs\" link", "docs"),
                ("sign up", "signup"),
                ("register", "signup"),
                ("注册", "signup"),
                ("Sign in link", "signin"),
                ("log in button", "submit"),
                ("登录按钮", "submit"),
                ("email", "email"),
                ("邮箱输入框", "email"),
                ("the password field", "pw"),
                ("密码框", "pw"),
                ("请点击密码输入框", "pw"),
                ("forgot password", "forgot"),
                ("忘记密码链接", "forgot"),
                ("remember me checkbox", "rem"),
                ("勾选记住我", "rem"),
                ("the checkbox", "rem"),
                ("search box", "q"),
                ("搜索框", "q"),
                ("search button", "go"),
                ("Country dropdown", "country"),
                ("国家下拉框", "country"),
                ("the France option", "fr"),
                ("close", "x"),
                ("关闭按钮", "x"),
                ("add button", "plus"),
                ("terms link", "terms"),
                ("save", "save"),
                ("Save as draft button", "draft"),
                ("preview button", "fake"),
                ("setings button", "setx"),
                ("heading Welcome back", "h"),
                ("Welcome back", "h"),
                ("取消", "cancel"),
                ("first name field", "-"),
                ("delete button", "-"),
                ("the Save checkbox", "-"),
                ("button", "?"),
                ("Buy now", "-"),
                ("logout", "-"),
                ("Save as template", "-"),
                ("the blue unicorn", "-"),
            ],
        )
        .await;
    });
}

const PEOPLE: &str = "<h2>People</h2><table><tr><th>Name</th><th>Role</th><th>Actions</th></tr>\
    <tr><td>Alice</td><td>Admin</td><td><button id=ea>Edit</button> <button id=da>Delete</button></td></tr>\
    <tr><td>Bob</td><td>User</td><td><button id=eb>Edit</button> <button id=db>Delete</button></td></tr>\
    <tr><td>张三</td><td>User</td><td><button id=ez>Edit</button> <button id=dz>Delete</button></td></tr></table>\
    <p>Carol was here</p>";

#[test]
fn rows_of_tables_and_numbers() {
    run_in_shell(async |s| {
        check(
            &s,
            PEOPLE,
            &[
                ("Delete in the row of Alice", "da"),
                ("Delete button in the Bob row", "db"),
                ("the Edit button next to Bob", "eb"),
                ("Alice's Delete button", "da"),
                ("张三那一行的删除按钮", "dz"),
                ("张三的编辑按钮", "ez"),
                ("second Delete button", "db"),
                ("the last Edit", "ez"),
                ("第二个删除按钮", "db"),
                ("倒数第二个编辑按钮", "eb"),
                ("第一行的删除按钮", "da"),
                ("delete in the last row", "dz"),
                ("Edit button in the second row", "eb"),
                ("Delete", "?"),
                ("Delete in the row of Carol", "-"),
                ("Delete in the row of Zoe", "-"),
                ("fourth Delete button", "-"),
                ("the Edit button for Alice", "ea"),
            ],
        )
        .await;
    });
}

#[test]
fn rows_and_cards_made_of_divs() {
    run_in_shell(async |s| {
        check(
            &s,
            "<style>.row,.card{display:flex;gap:8px}.card{display:inline-block;width:200px;border:1px solid}</style>\
             <div class=list><div class=row><span>Alice</span><span>admin</span><button id=da>Delete</button></div>\
             <div class=row><span>Bob</span><span>user</span><button id=db>Delete</button></div>\
             <div class=row><span>Carol</span><span>nobody</span></div></div>\
             <div class=grid><div class=card><h3>Mouse</h3><p>$10</p><button id=cm>Add to cart</button></div>\
             <div class=card><h3>Keyboard</h3><p>$20</p><button id=ck>Add to cart</button></div></div>\
             <div>Quantity <button id=minus>-</button><span>1</span><button id=plus>+</button></div>\
             <p><span>北京</span> <input id=bj type=checkbox> <span>上海</span> <input id=sh type=checkbox></p>",
            &[
                ("Delete in the row of Alice", "da"),
                ("the Delete button next to Bob", "db"),
                ("Delete in Carol's row", "-"),
                ("Delete next to Carol", "-"),
                ("Add to cart for the Mouse", "cm"),
                ("Keyboard card Add to cart button", "ck"),
                ("Add to cart button under Keyboard", "ck"),
                ("Mouse的加入购物车按钮", "cm"),
                ("Add to cart", "?"),
            ],
        )
        .await;
    });
}

#[test]
fn sections_dialogs_and_landmarks() {
    run_in_shell(async |s| {
        check(
            &s,
            "<header><a id=hl href=/login>Log in</a></header><aside><a id=side href=/s>Settings</a></aside>\
             <main><h2>Shipping address</h2><p>Some street</p><button id=es>Edit</button><h2>Billing address</h2><button id=eb>Edit</button>\
             <fieldset><legend>Payment</legend><label><input type=radio name=p id=card> Card</label><label><input type=radio name=p id=cash> Cash</label></fieldset>\
             <div role=dialog aria-label='Shopping cart'><button id=co>Checkout</button><button id=cx>Close</button></div>\
             <button id=co2>Checkout</button></main><footer><a id=fl href=/login2>Log in</a><a id=fset href=/x>Settings</a></footer>",
            &[
                ("log in in the header", "hl"),
                ("footer login link", "fl"),
                ("Settings in the sidebar", "side"),
                ("the Edit button in the Shipping address section", "es"),
                ("Edit in Billing address", "eb"),
                ("Checkout in the dialog", "co"),
                ("购物车里的结算按钮", "co"),
                ("对话框里的关闭按钮", "cx"),
                ("页脚的登录链接", "fl"),
                ("the Card radio button", "card"),
                ("Cash in the Payment group", "cash"),
                ("Checkout", "?"),
                ("Cancel in the dialog", "-"),
                ("Checkout in the sidebar", "-"),
            ],
        )
        .await;
    });
}

#[test]
fn colours_places_and_states() {
    run_in_shell(async |s| {
        check(
            &s,
            "<style>body{margin:0;height:700px} .b{position:absolute}</style>\
             <button id=blue style='background:#2563eb;color:white'>Login</button><button id=red style='background:crimson;color:white'>Login</button>\
             <a id=glink style='color:green' href=/g>Login</a>\
             <button class=b id=tr style='top:5px;right:5px'>Menu</button><button class=b id=br style='bottom:5px;right:5px'>Menu</button>\
             <button class=b id=bl style='bottom:5px;left:5px'>Menu</button>\
             <div style='padding:60px 300px'><p>Password</p><input id=pw type=password><p>Code</p><input id=code>\
             <p><img alt=Cat width=50 height=50 src='data:image/gif;base64,R0lGODlhAQABAAAAACw='></p><button id=adopt>Adopt</button>\
             <input type=checkbox id=c1 checked aria-label=News><input type=checkbox id=c2 aria-label=Offers>\
             <button id=dis disabled>Send</button><button id=en>Send</button><input id=req required aria-label=Name></div>",
            &[
                ("the blue login button", "blue"),
                ("红色的登录按钮", "red"),
                ("green login link", "glink"),
                ("purple login button", "-"),
                ("Menu button in the top right corner", "tr"),
                ("右下角的菜单按钮", "br"),
                ("bottom left menu", "bl"),
                ("the field under Password", "pw"),
                ("密码下面的输入框", "pw"),
                ("input below Code", "code"),
                ("the button below the picture", "adopt"),
                ("the checked checkbox", "c1"),
                ("未勾选的复选框", "c2"),
                ("disabled Send button", "dis"),
                ("enabled Send button", "en"),
                ("required field", "req"),
                ("Menu", "?"),
            ],
        )
        .await;
    });
}

#[test]
fn frames_doubles_and_fields_without_labels() {
    run_in_shell(async |s| {
        check(
            &s,
            "<a id=cart href=/cart><img alt=Cart src='data:image/gif;base64,R0lGODlhAQABAAAAACw=' width=20 height=20> Cart</a>\
             <div onclick='0' id=rowx><button id=del>Delete</button></div>\
             <table><tr><td>用户名</td><td><input id=un></td></tr><tr><td>邮箱</td><td><input id=em></td></tr></table>\
             <input id=pw type=password><button id=ic><svg data-icon=trash width=10 height=10></svg></button>\
             <div style='height:3000px'></div><button id=far>Far away</button>",
            &[
                ("cart", "cart"),
                ("delete", "del"),
                ("用户名", "un"),
                ("邮箱输入框", "em"),
                ("password field", "pw"),
                ("trash icon", "ic"),
                ("far away", "far"),
            ],
        )
        .await;
        show(&s, "<h1>Out</h1><iframe title=Pay srcdoc='<label>Card number <input></label><button>Pay now</button>'></iframe>").await;
        let found = locate(&s, "card number field").await.unwrap().target.unwrap();
        assert!(found.reference.frame.is_some(), "{found:?}");
        assert_eq!((&*found.role, &*found.name), ("textbox", "Card number"));
        let found = locate(&s, "the Pay now button in the Pay frame").await.unwrap().target.unwrap();
        assert!(found.reference.frame.is_some(), "{found:?}");
    });
}

#[test]
fn a_text_between_other_elements_names_what_it_stands_in() {
    run_in_shell(async |s| {
        check(
            &s,
            "<div id=mixed>Plain <b id=bold>bold</b> tail</div><p id=linked>See <a id=link href=/>the manual</a> first</p>\
             <div id=broken>Before<br>after</div><div id=chinese>总计<b>五</b>元整</div><button id=go>Sehr <b>gut</b> so</button>",
            &[
                ("Plain", "mixed"),
                ("\"tail\"", "mixed"),
                ("bold", "bold"),
                ("Plain bold tail", "mixed"),
                ("the manual", "link"),
                ("总计", "chinese"),
                ("Sehr", "go"),
                ("Plainly", "-"),
            ],
        )
        .await;
        for text in ["Plain", "tail", "bold tail"] {
            s.perform(engine::actions::Wait { text: Some(text.into()), ..Default::default() }).await.unwrap();
            let found = engine::actions::Find { words: text.into(), ..Default::default() };
            assert!(
                s.perform(found).await.unwrap().content.unwrap().text.contains("Plain bold tail"),
                "{text}"
            );
        }
    });
}

#[test]
fn errors_tell_the_candidates() {
    run_in_shell(async |s| {
        show(&s, PEOPLE).await;
        let error = locate(&s, "Delete").await.unwrap_err();
        assert_eq!(error.code, Code::ElementAmbiguous);
        let candidates = error.outcome.unwrap().candidates;
        assert_eq!(candidates.len(), 3);
        assert!(
            error.message.contains(&format!("{} button \"Delete\"", candidates[0].element.reference)),
            "{}",
            error.message
        );
        let error = locate(&s, "Deleet everything").await.unwrap_err();
        assert_eq!(error.code, Code::ElementNotFound);
        assert!(!error.outcome.unwrap().candidates.is_empty());
        // Words work wherever a target does.
        let part = Snapshot { scope: Some("the row of Bob".parse().unwrap()), ..Snapshot::default() };
        assert!(s.perform(part).await.unwrap().snapshot.unwrap().text.contains("Bob"));
    });
}

#[test]
fn what_is_denied_is_another_thing() {
    run_in_shell(async |s| {
        for (name, words) in [
            ("不保存", "Save"),
            ("不接受", "Accept"),
            ("不接受", "同意"),
            ("不要取消", "Cancel"),
            ("不确定", "OK"),
            ("禁止发送", "Send"),
            ("稍后支付", "Pay"),
            ("未登录", "Log in"),
            ("非登录用户", "Sign in"),
            ("无需登录", "登录"),
            ("登录不了", "登录"),
            ("Don't save", "保存"),
            ("Do not agree", "同意"),
            ("Unsubscribe", "订阅"),
            ("Disagree", "同意"),
            ("Stop sending", "发送"),
            ("保存", "Don't save"),
            ("Save", "不保存"),
        ] {
            let page = format!("<p>不 not 禁止</p><button id=it>{name}</button><input aria-label=Other>");
            check(&s, &page, &[(words, "-"), (name, "it")]).await;
        }
    });
}

#[test]
fn a_field_that_is_not_there_is_not_the_button_that_confirms() {
    run_in_shell(async |s| {
        check(
            &s,
            "<div><p><label>登录密码 <input type=password id=one></label></p><p><label>再次输入密码 <input type=password id=two></label></p>\
             <button id=ok>确定</button></div>",
            &[("确认密码", "-"), ("Confirm password", "-"), ("确定", "ok"), ("确认按钮", "ok")],
        )
        .await;
    });
}

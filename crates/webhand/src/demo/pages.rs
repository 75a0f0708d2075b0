//! The pages of the demo's shop, made of the templates beside this file. They know the shop's orders, and nothing of requests.

use axum::response::Html;

use super::site::{Draft, Order, PRODUCTS};

/// The page to sign in at, with what was typed and what was wrong with it.
pub(super) fn sign_in_page(user: &str, alert: &str) -> Html<String> {
    let values = [("alert", message("alert", alert)), ("user", escape(user))];
    layout("Sign in", "", &fill(include_str!("sign-in.html"), &values))
}

/// The order form, with what was typed and what was wrong with it.
pub(super) fn order_form_page(draft: &Draft, alert: &str) -> Html<String> {
    let option = |(name, cents): (&str, u32)| {
        let (name, selected) = (escape(name), if draft.product == name { " selected" } else { "" });
        format!("<option value=\"{name}\"{selected}>{name} ({})</option>", money(cents))
    };
    let values = [
        ("alert", message("alert", alert)),
        ("customer", escape(&draft.customer)),
        ("products", PRODUCTS.map(option).join("\n    ")),
        ("quantity", escape(&draft.quantity)),
        ("express", draft.express.as_ref().map_or("", |_| "checked").to_owned()),
        ("notes", escape(&draft.notes)),
    ];
    layout("New order", include_str!("nav.html"), &fill(include_str!("order-form.html"), &values))
}

/// All orders that there are, after what there is to say first.
pub(super) fn orders_page(orders: &[Order], notice: &str) -> Html<String> {
    let row = |order: &Order| {
        let values = [
            ("id", order.id.to_string()),
            ("customer", escape(&order.customer)),
            ("product", escape(order.product)),
            ("quantity", order.quantity.to_string()),
            ("total", money(order.cents)),
        ];
        fill(include_str!("order-row.html"), &values)
    };
    let rows: Vec<String> = orders.iter().map(row).collect();
    let values = [
        ("notice", message("status", notice)),
        ("count", orders.len().to_string()),
        ("rows", rows.join("\n    ")),
    ];
    layout("Orders", include_str!("nav.html"), &fill(include_str!("orders.html"), &values))
}

/// The same as a file for other programs (RFC 4180).
pub(super) fn orders_csv(orders: &[Order]) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let row = |order: &Order| {
        let Order { id, customer, product, quantity, cents } = order;
        format!("HS-{id},{},{},{quantity},{}\r\n", quoted(customer), quoted(product), money(*cents))
    };
    orders.iter().fold("Id,Customer,Product,Quantity,Total\r\n".to_owned(), |file, order| file + &row(order))
}

fn layout(title: &str, nav: &str, main: &str) -> Html<String> {
    let values = [("title", escape(title)), ("nav", nav.to_owned()), ("main", main.to_owned())];
    Html(fill(include_str!("layout.html"), &values))
}

/// A paragraph of that role, or nothing when there is nothing to say.
fn message(role: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("<p role=\"{role}\">{}</p>", escape(text)) }
}

fn money(cents: u32) -> String {
    format!("${}.{:02}", cents / 100, cents % 100)
}

/// Puts markup in the place of each `{{name}}`. One pass over the template, so a `{{name}}` that somebody typed into a
/// form stays what they typed.
fn fill(template: &str, values: &[(&str, String)]) -> String {
    let mut page = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, (name, after))) =
        rest.split_once("{{").and_then(|(before, tail)| Some((before, tail.split_once("}}")?)))
    {
        page.push_str(before);
        if let Some((_, value)) = values.iter().find(|(key, _)| *key == name) {
            page.push_str(value);
        }
        rest = after;
    }
    page.push_str(rest);
    page
}

/// Text as it must stand in markup, attribute values included.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(c),
        }
    }
    escaped
}

//! The shop that `webhand demo` works in: sign in, place an order, read the table, cancel an order, save the list. Plain forms
//! that work without scripts, nothing from outside, state in memory only. It knows nothing of the browser that visits it.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::{Form, FromRequestParts, Path, State};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Router, serve};
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::pages::{order_form_page, orders_csv, orders_page, sign_in_page};

/// Who may sign in. No secret: the shop is made up, and only this machine can reach it.
pub(super) const USER: &str = "demo";
/// The password of [`USER`].
pub(super) const PASSWORD: &str = "demo-password";

/// What the shop sells, with prices in cents.
pub(super) const PRODUCTS: [(&str, u32); 5] = [
    ("Mooring rope, 50 m", 4_950),
    ("Anchor, 12 kg", 12_900),
    ("Fender set", 3_600),
    ("Deck lantern", 2_450),
    ("Life jacket", 5_900),
];

const EXPRESS_CENTS: u32 = 950;
const FIRST_ID: usize = 1001;

/// The running shop. Dropping it frees the port and lets idle connections go.
pub(super) struct DemoSite {
    base: String,
    /// Never sent on: the server takes the dropped end as the sign to stop.
    _stop: oneshot::Sender<()>,
}

impl DemoSite {
    /// Opens the shop on a free port of 127.0.0.1, served by the current runtime.
    pub(super) async fn start() -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let base = format!("http://{}", listener.local_addr()?);
        let (stop, stopped) = oneshot::channel::<()>();
        let server = serve(listener, router()).with_graceful_shutdown(async {
            let _ = stopped.await;
        });
        tokio::spawn(server.into_future());
        Ok(Self { base, _stop: stop })
    }

    /// Its host and port, for the guard to allow.
    pub(super) fn place(&self) -> &str {
        self.base.trim_start_matches("http://")
    }

    /// The address of a page; `path` starts with `/`.
    pub(super) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }
}

fn router() -> Router {
    Router::new()
        .route("/", get(sign_in))
        .route("/login", post(login))
        .route("/logout", get(logout).post(logout))
        .route("/orders/new", get(order_form))
        .route("/orders", get(orders).post(place_order))
        .route("/orders/{id}/cancel", post(cancel_order))
        .route("/orders.csv", get(download))
        .route("/style.css", get(([(header::CONTENT_TYPE, "text/css")], include_str!("style.css"))))
        .with_state(Arc::new(Shop::open()))
}

/// All the shop knows, behind one lock that no await happens under.
struct Shop(Mutex<Books>);

struct Books {
    next_id: usize,
    orders: Vec<Order>,
    /// By session token: what the next look at the orders should say first.
    sessions: HashMap<String, Option<String>>,
}

/// An order as the books have it.
pub(super) struct Order {
    pub(super) id: usize,
    pub(super) customer: String,
    pub(super) product: &'static str,
    pub(super) quantity: u32,
    pub(super) cents: u32,
}

impl Shop {
    fn open() -> Self {
        let seeds = [
            ("Marlow Boatyard", 0, 4),
            ("Ines Duarte", 4, 6),
            ("Pier 7 Sailing Club", 2, 10),
            ("Tomas Lindqvist", 3, 2),
            ("Northwind Ferries", 1, 3),
        ];
        let next_id = FIRST_ID + seeds.len();
        let orders = seeds.into_iter().zip(FIRST_ID..).map(|((customer, product, quantity), id)| {
            let (product, price): (&str, u32) = PRODUCTS[product];
            Order { id, customer: String::from(customer), product, quantity, cents: price * quantity }
        });
        Self(Mutex::new(Books { next_id, orders: orders.collect(), sessions: HashMap::new() }))
    }

    /// A panic elsewhere leaves the books usable: every change to them is a single step.
    fn books(&self) -> MutexGuard<'_, Books> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The token of someone signed in; everybody else is sent to the sign-in page.
struct Session(String);

impl FromRequestParts<Arc<Shop>> for Session {
    type Rejection = Redirect;

    async fn from_request_parts(parts: &mut Parts, shop: &Arc<Shop>) -> Result<Self, Redirect> {
        let cookies = parts.headers.get(header::COOKIE).and_then(|value| value.to_str().ok()).unwrap_or("");
        let tokens = cookies.split(';').filter_map(|cookie| cookie.trim().strip_prefix("session="));
        let books = shop.books();
        let known = tokens.into_iter().find(|token| books.sessions.contains_key(*token));
        known.map(|token| Self(token.to_owned())).ok_or_else(|| Redirect::to("/"))
    }
}

async fn sign_in() -> Html<String> {
    sign_in_page("", "")
}

#[derive(Deserialize)]
struct Login {
    #[serde(default)]
    user: String,
    #[serde(default)]
    password: String,
}

async fn login(State(shop): State<Arc<Shop>>, Form(login): Form<Login>) -> Response {
    if login.user != USER || login.password != PASSWORD {
        let page = sign_in_page(&login.user, "User name or password is wrong.");
        return (StatusCode::UNAUTHORIZED, page).into_response();
    }
    // The standard library's only randomness: enough for a made-up shop, not for a real one.
    let token = format!("{:016x}", RandomState::new().hash_one("session"));
    let cookie = format!("session={token}; Path=/; HttpOnly; SameSite=Lax");
    shop.books().sessions.insert(token, None);
    ([(header::SET_COOKIE, cookie)], Redirect::to("/orders/new")).into_response()
}

async fn logout(State(shop): State<Arc<Shop>>, Session(token): Session) -> impl IntoResponse {
    shop.books().sessions.remove(&token);
    ([(header::SET_COOKIE, "session=; Path=/; Max-Age=0")], Redirect::to("/"))
}

/// The order form as it was sent: text in every field, so that a wrong one comes back with what was typed.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Draft {
    pub(super) customer: String,
    pub(super) product: String,
    pub(super) quantity: String,
    pub(super) express: Option<String>,
    pub(super) notes: String,
}

impl Draft {
    /// The order `id` that it makes, or everything that is wrong with it.
    fn check(&self, id: usize) -> Result<Order, Vec<&'static str>> {
        let mut problems = Vec::new();
        let customer = self.customer.trim();
        if customer.is_empty() || customer.chars().count() > 80 {
            problems.push("Customer must be 1 to 80 characters long.");
        }
        let product = PRODUCTS.into_iter().find(|(name, _)| *name == self.product);
        if product.is_none() {
            problems.push("Choose a product.");
        }
        let quantity = self.quantity.trim().parse().ok().filter(|quantity| (1..=999).contains(quantity));
        if quantity.is_none() {
            problems.push("Quantity must be a whole number from 1 to 999.");
        }
        if self.notes.chars().count() > 500 {
            problems.push("Notes must be at most 500 characters long.");
        }
        match (product, quantity) {
            (Some((product, price)), Some(quantity)) if problems.is_empty() => {
                let express = if self.express.is_some() { EXPRESS_CENTS } else { 0 };
                let cents = price * quantity + express;
                Ok(Order { id, customer: customer.to_owned(), product, quantity, cents })
            }
            _ => Err(problems),
        }
    }

    /// What the orders page says once after this became order `id`.
    fn notice(&self, id: usize) -> String {
        let express = if self.express.is_some() { " It goes by express." } else { "" };
        let notes = self.notes.trim();
        let notes = if notes.is_empty() { String::new() } else { format!(" Notes: {notes}") };
        format!("Order HS-{id} was placed.{express}{notes}")
    }
}

async fn order_form(_: Session) -> Html<String> {
    order_form_page(&Draft { quantity: "1".to_owned(), ..Draft::default() }, "")
}

async fn place_order(
    State(shop): State<Arc<Shop>>,
    Session(token): Session,
    Form(draft): Form<Draft>,
) -> Response {
    let mut books = shop.books();
    let id = books.next_id;
    let order = match draft.check(id) {
        Ok(order) => order,
        Err(problems) => {
            let page = order_form_page(&draft, &problems.join(" "));
            return (StatusCode::UNPROCESSABLE_ENTITY, page).into_response();
        }
    };
    let notice = draft.notice(id);
    books.next_id += 1;
    books.orders.push(order);
    books.sessions.insert(token, Some(notice));
    Redirect::to("/orders").into_response()
}

async fn orders(State(shop): State<Arc<Shop>>, Session(token): Session) -> Html<String> {
    let mut books = shop.books();
    let notice = books.sessions.get_mut(&token).and_then(Option::take).unwrap_or_default();
    orders_page(&books.orders, &notice)
}

/// One that is not there is cancelled already.
async fn cancel_order(
    State(shop): State<Arc<Shop>>,
    Session(token): Session,
    Path(id): Path<usize>,
) -> Redirect {
    let mut books = shop.books();
    books.orders.retain(|order| order.id != id);
    books.sessions.insert(token, Some(format!("Order HS-{id} was cancelled.")));
    Redirect::to("/orders")
}

async fn download(State(shop): State<Arc<Shop>>, _: Session) -> impl IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"orders.csv\""),
    ];
    (headers, orders_csv(&shop.books().orders))
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::{DemoSite, PASSWORD, USER};

    /// The whole answer, head and body, as it came over the wire.
    async fn send(site: &DemoSite, request: &str, cookie: &str, form: &str) -> String {
        let mut stream = TcpStream::connect(site.base.trim_start_matches("http://")).await.unwrap();
        let head = format!("{request} HTTP/1.1\r\nHost: test\r\nConnection: close\r\nCookie: {cookie}\r\n");
        let kind = "Content-Type: application/x-www-form-urlencoded";
        let request = format!("{head}{kind}\r\nContent-Length: {}\r\n\r\n{form}", form.len());
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    async fn signed_in(site: &DemoSite) -> String {
        let answer = send(site, "POST /login", "", &format!("user={USER}&password={PASSWORD}")).await;
        check(&answer, "303", &["location: /orders/new\r\n"]);
        let (_, cookie) = answer.split_once("set-cookie: ").unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }

    #[track_caller]
    fn check(answer: &str, status: &str, parts: &[&str]) {
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
        for part in parts {
            assert!(answer.contains(part), "lacks {part:?}: {answer}");
        }
    }

    #[tokio::test]
    async fn only_the_right_password_opens_the_door() {
        let site = DemoSite::start().await.unwrap();
        check(&send(&site, "GET /", "", "").await, "200", &["<label for=\"password\">"]);
        let wrong = send(&site, "POST /login", "", "user=%22%3Edemo&password=x").await;
        check(&wrong, "401", &["<p role=\"alert\">", "value=\"&quot;&gt;demo\""]);
        assert!(!wrong.contains("set-cookie"), "{wrong}");
        for request in ["GET /orders", "GET /orders/new", "POST /orders"] {
            check(&send(&site, request, "session=made-up", "").await, "303", &["location: /\r\n"]);
        }
    }

    #[tokio::test]
    async fn an_order_reaches_the_table_and_its_notice_shows_once() {
        let site = DemoSite::start().await.unwrap();
        let cookie = signed_in(&site).await;
        let form =
            "customer=Ada+%3Cb%3E+%7B%7Bcount%7D%7D&product=Fender+set&quantity=2&express=yes&notes=by+noon";
        check(&send(&site, "POST /orders", &cookie, form).await, "303", &["location: /orders\r\n"]);
        let table = send(&site, "GET /orders", &cookie, "").await;
        let cells = "<td>HS-1006</td><td>Ada &lt;b&gt; {{count}}</td><td>Fender set</td>";
        let notice = "<p role=\"status\">Order HS-1006 was placed. It goes by express. Notes: by noon</p>";
        check(&table, "200", &[cells, "6 orders", "<td class=\"number\">$81.50</td>", notice]);
        assert!(!send(&site, "GET /orders", &cookie, "").await.contains("role=\"status\""));
    }

    #[tokio::test]
    async fn a_wrong_order_comes_back_as_it_was_typed() {
        let site = DemoSite::start().await.unwrap();
        let cookie = signed_in(&site).await;
        for (form, problem) in [
            ("", "Customer must be"),
            ("customer=A&product=Deck+lantern&quantity=0", "Quantity must be"),
            ("customer=A&product=Deck+lantern&quantity=1000", "Quantity must be"),
            ("customer=A&product=Yacht&quantity=1", "Choose a product."),
            ("customer=+&product=Deck+lantern&quantity=1", "Customer must be"),
        ] {
            check(&send(&site, "POST /orders", &cookie, form).await, "422", &["role=\"alert\"", problem]);
        }
        let form = "customer=%22A%22&product=Deck+lantern&quantity=x&express=yes&notes=%3C/textarea%3E";
        let typed =
            ["value=\"&quot;A&quot;\"", "value=\"Deck lantern\" selected", "checked", "\n&lt;/textarea&gt;<"];
        check(&send(&site, "POST /orders", &cookie, form).await, "422", &typed);
        check(&send(&site, "GET /orders", &cookie, "").await, "200", &["5 orders"]);
    }

    #[tokio::test]
    async fn signing_out_ends_the_session() {
        let site = DemoSite::start().await.unwrap();
        let cookie = signed_in(&site).await;
        check(&send(&site, "POST /logout", &cookie, "").await, "303", &["location: /\r\n", "Max-Age=0"]);
        check(&send(&site, "GET /orders", &cookie, "").await, "303", &["location: /\r\n"]);
    }

    #[tokio::test]
    async fn a_cancelled_order_leaves_the_table_and_the_file() {
        let site = DemoSite::start().await.unwrap();
        let cookie = signed_in(&site).await;
        let file = send(&site, "GET /orders.csv", &cookie, "").await;
        check(&file, "200", &["attachment", "\r\nHS-1002,\"Ines Duarte\",\"Life jacket\",6,$354.00\r\n"]);
        check(&send(&site, "POST /orders/1002/cancel", &cookie, "").await, "303", &["location: /orders\r\n"]);
        let table = send(&site, "GET /orders", &cookie, "").await;
        check(&table, "200", &["4 orders", "<p role=\"status\">Order HS-1002 was cancelled.</p>"]);
        assert!(!send(&site, "GET /orders.csv", &cookie, "").await.contains("Ines"));
    }
}

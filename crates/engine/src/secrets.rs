//! Which parts of a request are secrets, and how they are shown: by their length.

use std::fmt;

use cdp::protocol::Headers;
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::{Map, Value, value::RawValue};

/// Headers whose name has one of these hold secrets.
const SECRET_HEADERS: [&str; 9] = [
    "authorization",
    "cookie",
    "token",
    "secret",
    "password",
    "api-key",
    "apikey",
    "credential",
    "signature",
];

/// Fields of forms whose name has one of these, in any spelling, hold secrets.
const SECRET_FIELDS: [&str; 14] = [
    "pass",
    "pwd",
    "secret",
    "token",
    "otp",
    "onetimecode",
    "cvc",
    "cvv",
    "cardnumber",
    "apikey",
    "credential",
    "authorization",
    "密码",
    "口令",
];

/// How a secret is shown.
pub(crate) fn masked(text: &str) -> String {
    format!("[{} characters]", text.chars().count())
}

/// The headers without secrets. `also` are the names of those that the caller had set, which are secrets as well.
pub(crate) fn headers<'a>(headers: &Headers, also: impl Fn(&str) -> bool + 'a) -> Map<String, Value> {
    let show = |(name, value): (&String, &Value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let lower = name.to_ascii_lowercase();
        let is_secret = is_secret_header(&lower) || also(&lower);
        (name.clone(), if is_secret { masked(&text).into() } else { text.into() })
    };
    headers.iter().map(show).collect()
}

/// Whether a header, named in lower case, holds a secret.
pub(crate) fn is_secret_header(name: &str) -> bool {
    SECRET_HEADERS.iter().any(|secret| name.contains(secret))
}

/// Whether what is stored under a name is a secret: a token, or what a site knows its visitors by.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let lower = name.to_lowercase();
    is_secret_field(name)
        || ["session", "sessid", "sid", "auth", "jwt"].iter().any(|secret| lower.contains(secret))
}

/// What a request sent, without secrets: forms and JSON by the names of their fields, anything else as it is.
pub(crate) fn post_data(data: &str, content_type: &str) -> String {
    if let Some((_, boundary)) = content_type.split_once("boundary=") {
        return multipart(data, boundary.split(';').next().unwrap_or_default().trim_matches('"'));
    }
    // As a value first, which may not be nested too deeply.
    if let Ok(Value::Object(_) | Value::Array(_)) = serde_json::from_str::<Value>(data) {
        return without_json_secrets(data);
    }
    // A form by its looks, whatever it says it is: `name=value&…`, without blanks.
    if data.contains('=') && !data.contains(char::is_whitespace) {
        let field = |field: &str| match field.split_once('=') {
            Some((name, value)) if is_secret_field(&decoded(name)) => {
                format!("{name}={}", masked(&decoded(value)))
            }
            _ => field.to_owned(),
        };
        return data.split('&').map(field).collect::<Vec<_>>().join("&");
    }
    data.to_owned()
}

fn decoded(text: &str) -> String {
    let pair = format!("x={text}");
    url::form_urlencoded::parse(pair.as_bytes())
        .next()
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

fn multipart(data: &str, boundary: &str) -> String {
    let mark = format!("--{boundary}");
    let part = |part: &str| {
        let Some((head, value)) = part.split_once("\r\n\r\n") else { return part.to_owned() };
        let name =
            head.split_once("name=\"").and_then(|(_, rest)| rest.split_once('"')).map(|(name, _)| name);
        match name {
            Some(name) if is_secret_field(name) => {
                format!("{head}\r\n\r\n{}\r\n", masked(value.strip_suffix("\r\n").unwrap_or(value)))
            }
            _ => part.to_owned(),
        }
    };
    data.split(&*mark).map(part).collect::<Vec<_>>().join(&mark)
}

/// A JSON text as it is written, but for the values of secret fields.
fn without_json_secrets(data: &str) -> String {
    let mut secrets = Vec::new();
    find_secrets(data, &mut secrets);
    let (mut shown, mut rest) = (String::new(), data);
    for secret in secrets {
        // They are parts of the text itself, the first one first.
        let start = (secret.as_ptr() as usize) - (rest.as_ptr() as usize);
        let text = serde_json::from_str::<String>(secret).unwrap_or_else(|_| secret.to_owned());
        shown.push_str(&rest[..start]);
        shown.push_str(&Value::from(masked(&text)).to_string());
        rest = &rest[start + secret.len()..];
    }
    shown + rest
}

/// The parts of a JSON text that are the values of secret fields.
fn find_secrets<'a>(json: &'a str, secrets: &mut Vec<&'a str>) {
    if json.trim_start().starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(json).unwrap_or_default();
        items.into_iter().for_each(|item| find_secrets(item.get(), secrets));
        return;
    }
    let Fields(fields) = serde_json::from_str(json).unwrap_or_default();
    for (name, value) in fields {
        match value.get().as_bytes().first() {
            Some(b'{' | b'[') => find_secrets(value.get(), secrets),
            Some(b'"' | b'-' | b'0'..=b'9') if is_secret_field(&name) => secrets.push(value.get()),
            _ => {}
        }
    }
}

/// The fields of a JSON object as they are written, in their order.
#[derive(Default)]
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Fields::default())
    }
}

impl<'de> Visitor<'de> for Fields<'de> {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self, A::Error> {
        while let Some(field) = map.next_entry()? {
            self.0.push(field);
        }
        Ok(self)
    }
}

fn is_secret_field(name: &str) -> bool {
    let name: String = name.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    SECRET_FIELDS.iter().any(|secret| name.contains(secret))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secret_headers_are_shown_by_their_length() {
        let sent = json!({"Authorization": "Bearer abc", "Set-Cookie": "sid=1", "X-Api-Key": "k", "Accept": "*/*", "x-mine": "m"});
        let shown = headers(sent.as_object().unwrap(), |name| name == "x-mine");
        let wanted = json!({"Authorization": "[10 characters]", "Set-Cookie": "[5 characters]", "X-Api-Key": "[1 characters]",
            "Accept": "*/*", "x-mine": "[1 characters]"});
        assert_eq!(Value::Object(shown), wanted);
    }

    #[test]
    fn secrets_in_what_was_sent() {
        let check = |data: &str, kind: &str, wanted: &str| assert_eq!(post_data(data, kind), wanted);
        let form = "application/x-www-form-urlencoded";
        check("user=ada&password=hunter2&x=1", form, "user=ada&password=[7 characters]&x=1");
        check("user%5Bnew_pass%5D=a%20b", form, "user%5Bnew_pass%5D=[3 characters]");
        check("password=hunter2", "text/plain", "password=[7 characters]");
        check("plain words = more", "text/plain", "plain words = more");
        check(
            r#"{"user":"ada","login":{"PassWord":"hunter2","pin_otp":123456},"list":[{"api_key":"k"}]}"#,
            "application/json",
            r#"{"user":"ada","login":{"PassWord":"[7 characters]","pin_otp":"[6 characters]"},"list":[{"api_key":"[1 characters]"}]}"#,
        );
        // As it was sent, blanks, order and doubles included.
        check(
            " {\"z\": 1.50, \"a\":  {\"p\\u0061ss\": \"h\\u0075nter2\", \"pass\": -1},\n \"z\": null }",
            "",
            " {\"z\": 1.50, \"a\":  {\"p\\u0061ss\": \"[7 characters]\", \"pass\": \"[2 characters]\"},\n \"z\": null }",
        );
        check(
            "[ {\"token\": [\"x\", {\"otp\": \"12\"}]}, 2 ]",
            "",
            "[ {\"token\": [\"x\", {\"otp\": \"[2 characters]\"}]}, 2 ]",
        );
        check("\n [{\"password\": \"hunter2\"}]", "", "\n [{\"password\": \"[7 characters]\"}]");
        let part = |name: &str, value: &str| {
            format!("--XX\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
        };
        check(
            &format!("{}{}--XX--\r\n", part("user", "ada"), part("pwd", "hunter2")),
            "multipart/form-data; boundary=XX",
            &format!("{}{}--XX--\r\n", part("user", "ada"), part("pwd", "[7 characters]")),
        );
    }
}

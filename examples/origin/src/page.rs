//! One page: the frame around what a visitor sees, with the headers that go with it. Style and script are inline and
//! named in the Content-Security-Policy by their hash, so nothing else runs, even if something slipped into a page.

use std::sync::LazyLock;

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64ct::{Base64, Encoding};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("page.css");
const COUNTDOWN: &str = include_str!("countdown.js");
const SEND: &str = include_str!("send.js");

static STYLE_SOURCE: LazyLock<String> = LazyLock::new(|| hash_source(STYLE));
static COUNTDOWN_SOURCE: LazyLock<String> = LazyLock::new(|| hash_source(COUNTDOWN));
static SEND_SOURCE: LazyLock<String> = LazyLock::new(|| hash_source(SEND));

fn hash_source(text: &str) -> String {
    format!("'sha256-{}'", Base64::encode_string(&Sha256::digest(text)))
}

/// A page on its way out.
pub struct Page<'a> {
    status: StatusCode,
    title: &'a str,
    session_seconds_left: Option<u64>,
    forms_to: Option<&'a str>,
    sends_itself: bool,
}

impl<'a> Page<'a> {
    /// A page with a title.
    pub fn new(status: StatusCode, title: &'a str) -> Self {
        Page {
            status,
            title,
            session_seconds_left: None,
            forms_to: None,
            sends_itself: false,
        }
    }

    /// Shows how long the visitor's session still lasts.
    pub fn with_session(mut self, seconds_left: u64) -> Self {
        self.session_seconds_left = Some(seconds_left);
        self
    }

    /// Forms of this page may lead to another address than the shop's own: a redirect to the bank.
    pub fn with_forms_to(mut self, address: &'a str) -> Self {
        self.forms_to = Some(address);
        self
    }

    /// The form marked `data-send` sends itself where scripts run.
    pub fn sending_itself(mut self) -> Self {
        self.sends_itself = true;
        self
    }

    /// The whole response.
    pub fn respond(self, body: Markup) -> Response {
        let (script, script_source) = if self.sends_itself {
            (SEND, &*SEND_SOURCE)
        } else {
            (COUNTDOWN, &*COUNTDOWN_SOURCE)
        };
        let form_action = match (self.sends_itself, self.forms_to) {
            (true, _) => "*".to_owned(),
            (false, Some(address)) => format!("'self' {address}"),
            (false, None) => "'self'".to_owned(),
        };
        let policy = format!(
            "default-src 'none'; style-src {}; script-src {script_source}; form-action {form_action}; \
             base-uri 'none'; frame-ancestors 'none'",
            *STYLE_SOURCE
        );
        let document = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    header {
                        span { (self.title) }
                        @if let Some(seconds) = self.session_seconds_left {
                            span.time data-seconds-left=(seconds) { (time_left(seconds)) }
                        }
                    }
                    main { (body) }
                    script { (PreEscaped(script)) }
                }
            }
        };
        let headers = [
            (
                header::CONTENT_TYPE,
                HeaderValue::from_static("text/html; charset=utf-8"),
            ),
            (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
            (
                header::REFERRER_POLICY,
                HeaderValue::from_static("same-origin"),
            ),
            (
                HeaderName::from_static("x-content-type-options"),
                HeaderValue::from_static("nosniff"),
            ),
            (
                header::CONTENT_SECURITY_POLICY,
                HeaderValue::from_str(&policy).expect("hashes and an address"),
            ),
        ];
        (self.status, headers, document.into_string()).into_response()
    }
}

/// An amount as people write it.
pub fn euros(cents: u32) -> String {
    format!("€{}.{:02}", cents / 100, cents % 100)
}

/// How long a session still lasts, in words. `countdown.js` says the same.
pub fn time_left(seconds: u64) -> String {
    match seconds {
        0 => "Your time is over".to_owned(),
        1..=59 => "Less than a minute left".to_owned(),
        60..=119 => "1 minute left".to_owned(),
        _ => format!("{} minutes left", seconds / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_and_times_read_as_people_say_them() {
        assert_eq!(
            (euros(8_900), euros(14_805)),
            ("€89.00".to_owned(), "€148.05".to_owned())
        );
        for (seconds, words) in [
            (0, "Your time is over"),
            (59, "Less than a minute left"),
            (60, "1 minute left"),
            (1_199, "19 minutes left"),
        ] {
            assert_eq!(time_left(seconds), words);
        }
    }

    #[test]
    fn what_is_put_into_a_page_is_escaped() {
        let page = Page::new(StatusCode::OK, "<script>alert(1)</script>");
        let response = page.respond(html! { p { ("\"><img src=x>") } });
        let body = response.into_body();
        let text = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap()
            .block_on(async {
                let bytes = axum::body::to_bytes(body, 100_000).await.unwrap();
                String::from_utf8(bytes.to_vec()).unwrap()
            });
        assert!(!text.contains("<script>alert") && !text.contains("<img"));
        assert!(text.contains("&lt;script&gt;alert(1)"));
    }
}

//! What a browser without script gets for its wish to continue on another device: the code, the link, the picture of it,
//! until when they hold, and the way back to the queue page; or, in the same place, why there is no code.
//!
//! The page is the answer to a form and has no address of its own: no code ever stands in one before `#`.

use askama::Template;

use super::SheetView;
use super::frame::Frame;
use super::words::words;
use crate::page::time::ShownTime;

/// With what another browser takes the place over.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offered {
    /// The code, in groups.
    pub code: String,
    /// The page that takes the place over, with the code behind `#`.
    pub link: String,
    /// The link as SVG.
    pub picture: String,
    /// Until when, in the event's zone.
    pub until: ShownTime,
}

impl Offered {
    /// The link in parts, between which it may break.
    fn pieces(&self) -> impl Iterator<Item = &str> {
        self.link.split_inclusive(['/', '#'])
    }
}

#[derive(Template)]
#[template(path = "offer.html")]
struct OfferPage<'a> {
    frame: Frame<'a>,
    offered: Result<&'a Offered, &'static str>,
    /// What stands before and after the instant.
    until: (&'static str, &'static str),
    back: &'a str,
    data: &'static str,
    js: &'static str,
}

/// The page. `offered`: the code, or the kind of the problem that there is none; `back`: the queue page's address.
pub fn render(view: &SheetView, offered: Result<&Offered, &str>, back: &str) -> String {
    let words = words(view.language);
    let until = words.text("offer.until");
    let page = OfferPage {
        frame: Frame::of(view, "offer"),
        offered: offered.map_err(|kind| words.text(reason(kind))),
        until: until.split_once("{time}").unwrap_or((until, "")),
        back,
        data: "",
        js: "",
    };
    page.render().expect("writing into a string does not fail")
}

/// What a kind of problem means for somebody who wants to go on elsewhere.
fn reason(kind: &str) -> &'static str {
    match kind {
        "too-many-handovers" => "offer.many",
        "no-handover" => "offer.off",
        "unauthorized" | "no-such-place" | "lapsed" | "left" | "ended" | "elsewhere" => {
            "offer.over"
        }
        _ => "offer.failed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::locale::Language;
    use crate::page::view::Look;

    const BACK: &str = "/shop?a=1&wr-refresh=off";

    fn view(language: Language) -> SheetView {
        SheetView {
            event: "world-tour".into(),
            title: "World <Tour>".into(),
            prefix: "/_wr".into(),
            origin: "https://tickets.example.com".into(),
            front: "/events/world-tour/".into(),
            nonce: "abc".into(),
            refused: None,
            language,
            look: Look::default(),
        }
    }

    fn offered() -> Offered {
        Offered {
            code: "7K3QM-9XW2T-4H8RB-6YCDE".into(),
            link: "https://tickets.example.com/_wr/queues/world-tour/handover#7K3QM9XW2T4H8RB6YCDE"
                .into(),
            picture: "<svg viewBox=\"0 0 8 8\"></svg>".into(),
            until: ShownTime {
                iso: "2027-03-01T09:10:00Z".into(),
                text: "10:10 UTC+1".into(),
            },
        }
    }

    #[test]
    fn the_page_shows_code_link_picture_and_end_and_leads_back() {
        for language in Language::ALL {
            let page = render(&view(language), Ok(&offered()), BACK);
            for text in [
                "<p class=\"code\" dir=\"ltr\">7K3QM-9XW2T-4H8RB-6YCDE</p>",
                "href=\"https://tickets.example.com/_wr/queues/world-tour/handover#7K3QM9XW2T4H8RB6YCDE\"",
                "<span>world-tour/</span><span>handover#</span><span>7K3QM9XW2T4H8RB6YCDE</span></a>",
                "><svg viewBox=\"0 0 8 8\"></svg></div>",
                "<time datetime=\"2027-03-01T09:10:00Z\">10:10 UTC+1</time>",
                "id=\"back\" href=\"/shop?a=1&#38;wr-refresh=off\"",
                "World &#60;Tour&#62;",
            ] {
                assert!(page.contains(text), "{language:?}: no {text:?}");
            }
            assert!(!page.contains("{time}") && !page.contains("<script"));
            assert!(!page.contains("role=\"alert\""));
        }
    }

    #[test]
    fn what_is_refused_is_said_in_words_with_the_way_back() {
        for (kind, words) in [
            (
                "too-many-handovers",
                "Too many codes were made for this place",
            ),
            ("unauthorized", "no place in line any more"),
            ("elsewhere", "no place in line any more"),
            ("ended", "no place in line any more"),
            ("no-handover", "cannot be taken to another device"),
            ("away", "did not work just now. Your place is kept"),
        ] {
            let page = render(&view(Language::English), Err(kind), BACK);
            let (_, said) = page.split_once("role=\"alert\">").expect(kind);
            let (said, _) = said.split_once('<').unwrap();
            assert!(said.contains(words), "{kind}: {said}");
            assert!(page.contains("id=\"back\" href=\"/shop?a=1&#38;wr-refresh=off\""));
            assert!(!page.contains("class=\"code\"") && !page.contains("<svg"));
        }
    }
}

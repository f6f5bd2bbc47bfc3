use std::rc::Rc;

use super::*;
use crate::boards::InUse;
use crate::documents::StateDocument;
use crate::page::locale::Language;
use crate::page::view::{Eta, Line, Look, Standing};
use crate::samples;
use anteroom_queue::board::{Pause, Phase};
use anteroom_queue::settings::Mode;
use anteroom_queue::shard::command::VisitorState;
use anteroom_queue::units::{EntryNumber, Millis, Rank, UnixMillis};

/// 2027-03-01, 10:00 in Berlin.
const NOW: UnixMillis = UnixMillis(1_803_891_600_000);

fn plain() -> PageView {
    PageView {
        event: "world-tour".into(),
        run: 1,
        title: "World Tour".into(),
        prefix: "/_wr".into(),
        nonce: "abc".into(),
        language: Language::English,
        now: NOW,
        time_zone: Some("Europe/Berlin".into()),
        utc_offsets: vec![(UnixMillis(0), 60)],
        return_to: "/shop?a=1&b=2".into(),
        refresh_off: false,
        undelivered: false,
        new_run: false,
        cookie_missing: false,
        framed: false,
        unavailable: false,
        permit: Some("the-permit".into()),
        check: None,
        work_until: None,
        solver: "/_wr/solver.js?v=1".into(),
        widget: None,
        lines: Vec::new(),
        line: None,
        refused: None,
        mode: Mode::Always,
        phase: Phase::Open,
        stop: false,
        pause: None,
        message: None,
        slowdowns: 0,
        prequeue_at: None,
        opens_at: None,
        moved: None,
        draw: None,
        stock_left: None,
        called: Rank(10),
        board_version: 1,
        board_age: Millis(0),
        poll: Millis(2_000),
        hold: Some(Millis::from_minutes(30)),
        session: Millis::from_minutes(20),
        handover: false,
        face: Look::default(),
        place: None,
    }
}

fn placed(state: VisitorState) -> PageView {
    let place = Standing {
        state,
        entry: Some(EntryNumber(14)),
        rank: Some(Rank(14)),
        eta: Some(Eta {
            likely_seconds: 720,
            at_most_seconds: 1_080,
        }),
        offer_until: Some(NOW.plus(Millis::from_minutes(30))),
        session_ends_at: Some(NOW.minus(Millis::from_minutes(18))),
        ran_out: true,
        may_defer: false,
        missed_draw: false,
    };
    PageView {
        place: Some(place),
        permit: None,
        ..plain()
    }
}

/// The scene of `view` is `expected`.
#[track_caller]
fn check(view: &PageView, expected: Scene) {
    assert_eq!(Scene::of(view), expected);
    assert!(render(view).contains(&format!("data-scene=\"{}\"", expected.name())));
}

#[test]
fn a_visitor_without_a_place_sees_what_the_phase_allows() {
    for (phase, expected) in [
        (Phase::Before, Scene::Before),
        (Phase::Prequeue, Scene::Join),
        (Phase::Drawing, Scene::Join),
        (Phase::Open, Scene::Join),
        (Phase::Paused, Scene::Join),
        (Phase::Soldout, Scene::Soldout),
        (Phase::Closed, Scene::Closed),
    ] {
        check(&PageView { phase, ..plain() }, expected);
    }
}

#[test]
fn a_visitor_with_a_place_sees_where_it_stands() {
    use VisitorState::*;
    for (state, phase, expected) in [
        (Provisional, Phase::Open, Scene::Provisional),
        (Waiting, Phase::Prequeue, Scene::Prequeue),
        (Waiting, Phase::Drawing, Scene::Drawing),
        (Waiting, Phase::Open, Scene::Waiting),
        (Waiting, Phase::Paused, Scene::Paused),
        (Waiting, Phase::Soldout, Scene::Soldout),
        (Called, Phase::Open, Scene::Called),
        (Called, Phase::Paused, Scene::Paused),
        (Pending, Phase::Open, Scene::Pending),
        (Admitted, Phase::Soldout, Scene::Admitted),
        (Ended, Phase::Open, Scene::Ended),
        (Ended, Phase::Closed, Scene::Closed),
        (Lapsed, Phase::Open, Scene::Lapsed),
        (Left, Phase::Open, Scene::Left),
        (Elsewhere, Phase::Open, Scene::Elsewhere),
    ] {
        check(
            &PageView {
                phase,
                ..placed(state)
            },
            expected,
        );
    }
}

#[test]
fn the_brake_and_what_is_missing_come_before_the_place() {
    check(
        &PageView {
            stop: true,
            ..placed(VisitorState::Admitted)
        },
        Scene::Stopped,
    );
    check(
        &PageView {
            stop: true,
            ..placed(VisitorState::Elsewhere)
        },
        Scene::Elsewhere,
    );
    check(
        &PageView {
            unavailable: true,
            ..placed(VisitorState::Waiting)
        },
        Scene::Error,
    );
    check(
        &PageView {
            cookie_missing: true,
            stop: true,
            ..plain()
        },
        Scene::Cookie,
    );
    check(
        &PageView {
            mode: Mode::Rate,
            ..plain()
        },
        Scene::Busy,
    );
    let lost = PageView {
        unavailable: true,
        ..plain()
    };
    check(&lost, Scene::Join);
}

#[test]
fn the_first_paint_carries_the_visitors_state() {
    let page = render(&placed(VisitorState::Waiting));
    for text in [
        "<title>4 ahead · World Tour</title>",
        "people ahead of you",
        "about 12 to 18 minutes",
        "Be\u{a0}back\u{a0}by\u{a0}<time datetime=\"2027-03-01T09:12:00Z\">10:12 UTC+1</time>",
        "content=\"30;url=/shop?a=1&#38;b=2\"",
        "action=\"/_wr/queues/world-tour/tickets/me/leave\"",
        "name=\"return\" value=\"/shop?a=1&#38;b=2\"",
        "href=\"/shop?a=1&#38;b=2&#38;wr-refresh=off\"",
    ] {
        assert!(page.contains(text), "no {text:?}");
    }
}

#[test]
fn a_place_with_its_number_is_taken_to_another_device_by_a_form_where_that_is_offered() {
    let form = "<noscript><form id=\"carry\" method=\"post\" \
                action=\"/_wr/queues/world-tour/tickets/me/handover\">\n\
                <input type=\"hidden\" name=\"return\" value=\"/shop?a=1&#38;b=2\">";
    for (state, handover, expected) in [
        (VisitorState::Waiting, true, true),
        (VisitorState::Called, true, true),
        (VisitorState::Waiting, false, false),
        (VisitorState::Provisional, true, false),
        (VisitorState::Elsewhere, true, false),
        (VisitorState::Ended, true, false),
    ] {
        let view = PageView {
            handover,
            ..placed(state)
        };
        assert_eq!(render(&view).contains(form), expected, "{state:?}");
    }
}

#[test]
fn the_end_of_a_session_says_when_it_was() {
    let page = render(&placed(VisitorState::Ended));
    assert!(page.contains(
        "Your 20 minutes in the shop lasted until <time datetime=\"2027-03-01T08:42:00Z\">09:42 UTC+1</time>."
    ));
}

#[test]
fn the_refresh_stays_off_once_it_was_turned_off() {
    let page = render(&PageView {
        refresh_off: true,
        ..placed(VisitorState::Waiting)
    });
    assert!(!page.contains("http-equiv"));
    assert!(page.contains("name=\"return\" value=\"/shop?a=1&#38;b=2&#38;wr-refresh=off\""));
    assert!(page.contains("Refresh by itself every 30 seconds"));
}

#[test]
fn a_form_joins_with_the_permit_of_the_page() {
    let line = |id: &str| Line {
        id: id.into(),
        title: id.into(),
        coded: false,
        phase: Phase::Open,
        opens_at: None,
    };
    let page = render(&PageView {
        lines: vec![line("general"), line("fan-club")],
        line: Some("fan-club".into()),
        ..placed(VisitorState::Lapsed)
    });
    assert!(page.contains("name=\"line\" value=\"fan-club\""));
    let page = render(&plain());
    for text in [
        "action=\"/_wr/queues/world-tour/tickets\"",
        "name=\"permit\" value=\"the-permit\"",
    ] {
        assert!(page.contains(text), "no {text:?}");
    }
}

#[test]
fn a_pause_gives_its_reason_and_the_time_of_the_next_news_while_it_lies_ahead() {
    let pause = |at| {
        Some(Pause {
            reason: "A short break.".into(),
            next_update_at: Some(at),
        })
    };
    let paused = PageView {
        phase: Phase::Paused,
        ..placed(VisitorState::Waiting)
    };
    let page = render(&PageView {
        pause: pause(NOW.plus(Millis::from_minutes(5))),
        ..paused.clone()
    });
    assert!(page.contains("A short break.") && page.contains("Next news: <time"));
    let page = render(&PageView {
        pause: pause(NOW),
        ..paused
    });
    assert!(page.contains("A short break.") && !page.contains("Next news: <time"));
}

#[test]
fn o7_who_waits_for_a_shop_that_does_not_answer_is_told_so_and_promised_no_news() {
    let view = PageView {
        phase: Phase::Paused,
        pause: Some(Pause::for_origin()),
        ..placed(VisitorState::Waiting)
    };
    let page = render(&view);
    let told = "The shop is not answering right now</h1>";
    assert!(page.contains(told) && page.contains("goes on by itself."));
    assert!(!page.contains("Next news: <time") && !page.contains(">origin<"));
    let joins = PageView {
        place: None,
        ..view
    };
    assert!(render(&joins).contains("You can join the line; it goes on by itself."));
}

#[test]
fn nothing_that_is_filled_in_can_leave_its_place() {
    let nasty = "</script><!--\"'<img>{{x}}{{n}}";
    let view = PageView {
        title: nasty.into(),
        message: Some(nasty.into()),
        permit: Some(nasty.into()),
        line: Some(nasty.into()),
        ..plain()
    };
    let page = render(&view);
    assert!(!page.contains("<img>") && !page.contains("<!--"));
    assert_eq!(page.matches("</script>").count(), 2);
}

#[test]
fn what_the_page_carries_has_no_comments_and_ends_no_element() {
    for carried in [CSS, JS] {
        assert!(carried.len() > 1_000);
        assert!(!carried.contains("/*") && !carried.contains("\n//"));
        assert!(!carried.contains("</s") && !carried.contains("<!--"));
    }
}

#[test]
fn nothing_of_the_third_party_is_on_the_page_of_an_event_without_its_widget() {
    let with = PageView {
        widget: Some(view::Widget {
            site_key: "0x4key".into(),
            script: "https://w.example/api.js".into(),
            origin: "https://w.example".into(),
        }),
        ..plain()
    };
    let (with, without) = (render(&with), render(&plain()));
    assert!(with.contains("<div id=\"widget\" role=\"group\"") && with.contains("0x4key"));
    assert!(!without.contains("id=\"widget\"") && without.contains("\"widget\":null"));
}

#[test]
fn the_policy_allows_the_page_and_nothing_else() {
    let all = "default-src 'none'; script-src 'nonce-abc'; style-src 'nonce-abc'; connect-src 'self'; \
               img-src 'self' data:; form-action 'self'; worker-src 'self'; base-uri 'none'; frame-ancestors ";
    assert_eq!(policy("abc", None, None), format!("{all}'none'"));
    assert_eq!(
        policy("abc", Some("https://shop.example"), None),
        format!("{all}https://shop.example")
    );
    let with_widget = all.replace(
        "'nonce-abc'; style",
        "'nonce-abc' https://w.example; frame-src https://w.example; style",
    );
    assert_eq!(
        policy("abc", None, Some("https://w.example")),
        format!("{with_widget}'none'")
    );
}

#[test]
fn in_a_frame_links_that_lead_away_open_a_tab() {
    for framed in [false, true] {
        let view = PageView { framed, ..plain() };
        let page = render(&view);
        let tab = "/draw\" target=\"_blank\" rel=\"noopener\"";
        assert_eq!(page.contains(tab), framed);
        assert_eq!(page.contains("\"framed\":true"), framed);
    }
}

#[test]
fn the_script_starts_from_what_the_api_would_answer() {
    let pause = Some(Pause {
        reason: "A short break.".into(),
        next_update_at: Some(NOW),
    });
    let mut board = samples::board(Phase::Paused);
    board.pause.clone_from(&pause);
    let (board, age) = (Rc::new(board), Millis(0));
    let in_use = InUse { board, age };
    let of_event = samples::room(serde_json::json!([{ "id": "general" }]));
    let nobody = &crate::standing::Standing::NONE;
    let answer = StateDocument::new(of_event, nobody, Some(&in_use), true, NOW);
    let answer = serde_json::to_value(answer).unwrap();
    let page = room::json(&PageView { pause, ..plain() });
    let page: serde_json::Value = serde_json::from_str(&page).unwrap();
    assert_eq!(page["me"]["pause"], answer["pause"]);
    for (name, _) in page["me"].as_object().unwrap() {
        let is_the_pages = ["ran_out", "unavailable", "lines"].contains(&name.as_str());
        assert!(is_the_pages || answer.get(name).is_some(), "{name}");
    }
}

//! Every claim of a ticket that the draw or the log has too.

use serde_json::json;

use crate::evidence::{
    ENTRIES, EVENT, HEADER, Published, checked, claims, claims_text, failures, published, ticket,
    with_another,
};

#[test]
fn no_claim_that_is_published_elsewhere_can_be_altered_without_a_failure_that_names_it() {
    let Published {
        document,
        log,
        root,
        ..
    } = published();
    let document = document.to_string();
    let rank = claims(root)["rank"].as_u64().expect("a rank");
    // (claim, other value)
    let mut altered = vec![
        ("v", json!(0)),
        ("v", json!(3)),
        ("evt", json!("world-tours")),
        ("evt", json!("")),
        ("run", json!(2)),
        ("run", json!(4)),
        ("jti", json!("AAECAwQFBgcICQoLDA0ODx")),
        ("jti", json!("AAEC")),
        ("home", json!(0)),
        ("home", json!(2)),
        ("home", json!(51)),
        ("idx", json!(9)),
        ("line", json!(1)),
        ("line", json!(2)),
        ("line", json!(3)),
        ("exp", json!(1_692_803_750)),
        ("rank", json!(rank + 1)),
        ("rank", json!(u64::MAX)),
        ("ent", json!(ENTRIES)),
        ("ent", json!(u64::MAX)),
    ];
    altered.extend((0..EVENT.len()).map(|at| ("evt", json!(with_another(EVENT, at)))));
    for (claim, other) in altered {
        let mut claims = claims(root);
        claims[claim] = other.clone();
        let failed = failures(&checked(
            &document,
            Some(&log),
            Some(&ticket(HEADER, &claims_text(&claims))),
        ));
        let named = failed
            .iter()
            .any(|text| text.starts_with("ticket") && text.contains(claim));
        // Another line of the run: its entry number or rank is not this one's.
        let named = named || (claim == "line" && !failed.is_empty());
        assert!(named, "{claim} = {other}: {failed:#?}");
    }
}

#[test]
fn no_other_entry_number_and_no_other_rank_go_together() {
    let Published {
        document,
        log,
        root,
        ..
    } = published();
    let document = document.to_string();
    let right = claims(root);
    for entry in (0..ENTRIES).filter(|entry| *entry != 50) {
        let mut claims = right.clone();
        claims["ent"] = json!(entry);
        let failed = failures(&checked(
            &document,
            Some(&log),
            Some(&ticket(HEADER, &claims_text(&claims))),
        ));
        assert!(
            failed.iter().any(|text| text.contains("ticket.rank")),
            "entry {entry}: {failed:#?}"
        );
    }
    for rank in (0..ENTRIES).filter(|rank| right["rank"] != json!(rank)) {
        let mut claims = right.clone();
        claims["rank"] = json!(rank);
        let failed = failures(&checked(
            &document,
            None,
            Some(&ticket(HEADER, &claims_text(&claims))),
        ));
        assert!(
            failed.iter().any(|text| text.contains("ticket.rank")),
            "rank {rank}: {failed:#?}"
        );
    }
}

#[test]
fn a_text_that_is_no_ticket_is_refused() {
    let Published {
        document,
        ticket: right,
        root,
        ..
    } = published();
    let document = document.to_string();
    let text = claims_text(&claims(root));
    let (head, signature) = right.rsplit_once('.').expect("two dots");
    let refused = [
        String::new(),
        "a.b".to_owned(),
        format!("{right}."),
        format!("{head}."),
        format!("{right}A"),
        format!("{head}.{}", &signature[..40]),
        right.replace('.', ":"),
        "A".repeat(1_025),
        ticket(&HEADER.replace("HS256", "none"), &text),
        ticket(&HEADER.replace("ticket", "permit"), &text),
        ticket(&HEADER.replace('{', "{ "), &text),
        ticket(HEADER, &text.replace("\"v\":1,", "\"v\":1,\"w\":1,")),
        ticket(HEADER, &text.replace("\"v\":1,", "")),
        ticket(HEADER, &text.replace("\"v\":1,", "\"v\":1, ")),
        ticket(HEADER, &text.replace("\"ent\":50,", "")),
    ];
    for text in refused {
        let failed = failures(&checked(&document, None, Some(&text)));
        assert_eq!(failed.len(), 1, "{text}: {failed:?}");
        assert!(failed[0].starts_with("ticket: "), "{failed:?}");
    }
}

#[test]
fn a_ticket_from_before_the_draw_is_told_its_rank() {
    let Published {
        document,
        log,
        root,
        ..
    } = published();
    let mut claims = claims(root);
    let rank = claims["rank"].take();
    claims.as_object_mut().expect("claims").remove("rank");
    let findings = checked(
        &document.to_string(),
        Some(&log),
        Some(&ticket(HEADER, &claims_text(&claims))),
    );
    assert_eq!(failures(&findings), [""; 0]);
    assert!(
        findings
            .to_string()
            .contains(&format!("entry number 50 of general has rank {rank}"))
    );
}

#[test]
fn an_entry_number_after_the_draw_is_behind_it_and_one_that_the_log_never_gave_out_is_none() {
    let Published {
        document,
        log,
        root,
        ..
    } = published();
    let document = document.to_string();
    let late = |entry: u64, log: Option<&str>| {
        let mut claims = claims(root);
        claims["ent"] = json!(entry);
        claims["rank"] = json!(entry);
        claims["idx"] = json!(40);
        let ticket = ticket(HEADER, &claims_text(&claims));
        checked(&document, log, Some(&ticket))
    };
    for (entry, log) in [(130, Some(log.as_str())), (130, None), (ENTRIES, None)] {
        let findings = late(entry, log);
        assert_eq!(failures(&findings), [""; 0], "{entry}");
        let told = format!("entry number {entry} of general has rank {entry}");
        assert!(findings.to_string().contains(&told), "{findings}");
    }
    let failed = failures(&late(ENTRIES, Some(&log)));
    assert_eq!(failed.len(), 1, "{failed:#?}");
    assert!(
        failed[0].starts_with("ticket.ent: no cut of the log gave out entry number 135"),
        "{failed:#?}"
    );
}

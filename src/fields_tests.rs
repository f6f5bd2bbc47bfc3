use super::*;

const JSON: Option<&str> = Some("application/json; charset=utf-8");
const FORM: Option<&str> = Some("application/x-www-form-urlencoded");

#[test]
fn a_body_of_either_type_gives_the_same_fields() {
    let json = parse(
        JSON,
        br#"{"permit":"a.b.c","return":"/x?y=1"}"#,
        &["permit", "return"],
    )
    .unwrap();
    let form = parse(
        FORM,
        b"permit=a.b.c&return=%2Fx%3Fy%3D1",
        &["permit", "return"],
    )
    .unwrap();
    assert_eq!(
        (json.text("permit"), json.text("return")),
        (Some("a.b.c"), Some("/x?y=1"))
    );
    assert_eq!(json.named, form.named);
    assert!(form.is_form && !json.is_form);
    assert_eq!(parse(None, b"", &[]).unwrap(), Fields::default());
    assert_eq!(parse(JSON, b"{}", &[]).unwrap(), Fields::default());
}

#[test]
fn a_way_back_that_is_too_long_is_refused_at_the_door() {
    let with = |bytes: usize| format!("return=/{}", "a".repeat(bytes - 1));
    assert!(parse(FORM, with(MAX_PATH_BYTES).as_bytes(), &["return"]).is_ok());
    let problem = parse(FORM, with(MAX_PATH_BYTES + 1).as_bytes(), &["return"]).unwrap_err();
    assert_eq!(problem.status(), 400);
}

#[test]
fn a_check_of_another_form_is_refused_at_the_door() {
    let with = |check: &str| {
        let body = format!("check={check}");
        parse(FORM, body.as_bytes(), &["check"]).map_err(|problem| problem.status())
    };
    assert!(with("a.b-c.d_0").is_ok());
    let long = format!("a.b.{}", "c".repeat(MAX_TOKEN_BYTES));
    for bad in ["", "x", "a.b", "a..c", "a.b.c.d", "a.b.c=", &long] {
        assert_eq!(with(bad), Err(400), "{bad}");
    }
}

#[test]
fn a_solution_of_another_form_is_refused_at_the_door() {
    let with = |solution: &str| {
        let body = format!("solution={solution}");
        parse(FORM, body.as_bytes(), &["solution"]).map_err(|problem| problem.status())
    };
    assert!(with(&"0a".repeat(128)).is_ok() && with("").is_ok());
    for bad in ["x", &"0A".repeat(128), &"0a".repeat(127)] {
        assert_eq!(with(bad), Err(400), "{bad}");
    }
}

#[test]
fn a_member_that_is_no_text_is_named_if_it_is_one_of_ours() {
    let field = |body: &[u8]| {
        let problem = parse(JSON, body, &["permit", "code"]).unwrap_err();
        problem.named_field().map(str::to_owned)
    };
    assert_eq!(
        field(br#"{"permit":"a","code":5}"#).as_deref(),
        Some("code")
    );
    assert_eq!(field(br#"{"permit":"a","admin":5}"#), None);
}

#[test]
fn everything_else_is_refused_with_what_is_allowed() {
    let rows: [(Option<&str>, &[u8], u16); 15] = [
        (JSON, b"{", 400),
        (JSON, b"[]", 400),
        (JSON, b"\xff", 400),
        (JSON, br#"{"permit":1}"#, 400),
        (JSON, br#"{"permit":"a","permit":"b"}"#, 400),
        (JSON, br#"{"admin":"x"}"#, 400),
        (FORM, b"admin=x", 400),
        (FORM, b"permit=a&permit=b", 400),
        (FORM, b"permit=%", 400),
        (FORM, b"permit=%zz", 400),
        (FORM, b"permit=%+1", 400),
        (FORM, b"permit=%ff", 400),
        (Some("text/plain"), b"{}", 415),
        (Some("text/plain"), b"", 415),
        (None, b"{}", 415),
    ];
    for (content_type, bytes, status) in rows {
        let problem = parse(content_type, bytes, &["permit"]).unwrap_err();
        assert_eq!(problem.status(), status, "{content_type:?} {bytes:?}");
    }
}

use proptest::prelude::*;

use crate::tests::exprs::any_expr;
use crate::tests::store::{build, text_source};
use crate::{Expr, TimeContext, parse};
use widetui_time::zone::Zone;

fn canonical(text: &str) -> String {
    let time = TimeContext {
        base_date_ns: 1_795_225_447_000_000_000,
        zone: Zone::Utc,
    };
    match parse(text, None, &time) {
        Ok(expr) => expr.to_string(),
        Err(error) => panic!("{}", error.render()),
    }
}

#[test]
fn typical_expressions_are_parsed() {
    for (typed, means) in [
        ("", "()"),
        ("failed", "failed"),
        ("failed task", "failed and task"),
        ("\"failed task\"", "\"failed task\""),
        ("a or b c", "a or b and c"),
        ("(a or b) c", "(a or b) and c"),
        ("not a b", "not a and b"),
        ("NOT (a OR b)", "not (a or b)"),
        ("parsl.task=5", "parsl.task = 5"),
        ("id == b'4f 65'", "id = \"b'4f 65'\""),
        ("exit<=-3 x", "exit <= -3 and x"),
        ("took > 1.5", "took > 1.5"),
        ("path = /a/b=c/d.log", "path = \"/a/b=c/d.log\""),
        ("message ~ (a|b)+ x", "message ~ \"(a|b)+\" and x"),
        ("(message ~ a)", "message ~ a"),
        ("message ~ /a b+/ x", "message ~ \"a b+\" and x"),
        ("message ~ /a\\/b/", "message ~ \"a\\\\/b\""),
        ("not (source !~ /w/)", "not source !~ w"),
        // Paths and quoted texts are literal.
        ("source ~ /tmp", "source ~ \"/tmp\""),
        ("source ~ /tmp/x/", "source ~ \"/tmp/x/\""),
        ("source ~ \"/tmp/\"", "source ~ \"/tmp/\""),
        ("path = /tmp/", "path = /tmp/"),
        ("k in (1, 2 , 'x y')", "k in (1, 2, \"x y\")"),
        ("k not in (1)", "k not in (1)"),
        ("worker in pool", "worker and \"in\" and pool"),
        ("has parsl.try", "has parsl.try"),
        ("has `odd key`", "has `odd key`"),
        ("`time` = 3", "log.time = 3"),
        ("level >= WARN", "level >= warning"),
        ("level in (err, crit)", "level in (error, critical)"),
        ("time >= 18:03:20", "time >= 2026-11-21T18:03:20.000000000Z"),
        (
            "time >= 2026-11-21 18:03:20 x",
            "time >= 2026-11-21T18:03:20.000000000Z and x",
        ),
        ("source ~ w/0/1", "source ~ w/0/1"),
        ("don't", "\"don't\""),
        ("a !~ \"b\\d\\\"\"", "a !~ \"b\\\\d\\\"\""),
    ] {
        assert_eq!(canonical(typed), means, "{typed}");
    }
}

#[test]
fn errors_have_a_position_and_a_suggestion() {
    let snapshot = build(&[text_source("a", None, &["Task 3 is done"])]);
    let keys = &snapshot.catalog.keys;
    for (typed, rendered) in [
        (
            "x and sys.tsk = 5",
            "x and sys.tsk = 5\n      ^^^^^^^ no record has the key `sys.tsk`; did you mean `sys.task`?",
        ),
        (
            "has sys.taks",
            "has sys.taks\n    ^^^^^^^^ no record has the key `sys.taks`; did you mean `sys.task`?",
        ),
        (
            "level > warnin",
            "level > warnin\n        ^^^^^^ `warnin` is not a level; did you mean `warning`?",
        ),
        (
            "sys.task = ",
            "sys.task = \n           ^ a value is missing after `=`",
        ),
        ("(a", "(a\n^ this parenthesis is not closed"),
        ("a)", "a)\n ^ unmatched closing parenthesis"),
        ("a and", "a and\n     ^ a condition is missing here"),
        ("or b", "or b\n^^ a condition is missing before `or`"),
        ("= 5", "= 5\n^ a key is missing before this"),
        ("\"a", "\"a\n^ this quote is not closed"),
        (
            "message ~ a(",
            "message ~ a(\n          ^^ bad pattern: unclosed group",
        ),
        (
            "source < b",
            "source < b\n       ^ a source cannot be compared with `<`",
        ),
        (
            "sys.task in ()",
            "sys.task in ()\n            ^^ the list is empty",
        ),
        (
            "\"odd key\" = 3",
            "\"odd key\" = 3\n^^^^^^^^^ put key names in backticks: `name`",
        ),
    ] {
        let error = parse(typed, Some(keys), &TimeContext::default()).unwrap_err();
        assert_eq!(error.render(), rendered);
    }
    // A short name suffices if it is unambiguous.
    for (short, long) in [("has task", "has sys.task"), ("task = 3", "sys.task = 3")] {
        let expr = parse(short, Some(keys), &TimeContext::default()).unwrap();
        assert_eq!(expr.to_string(), long);
    }
    let key = snapshot.tables.keys.get("other.task").unwrap();
    let keys = &snapshot.tables.freeze().keys;
    let known = |typed| parse(typed, Some(keys), &TimeContext::default());
    assert!(known("task = 3").is_ok(), "no record has the other one");
    key.mark_present();
    assert_eq!(
        known("task = 3").unwrap_err().render(),
        "task = 3\n^^^^ `task` is ambiguous: `other.task` or `sys.task`"
    );
    let deep = "(".repeat(100_000);
    assert!(parse(&deep, None, &TimeContext::default()).is_err());
    assert!(parse(&"not ".repeat(100_000), None, &TimeContext::default()).is_err());
}

proptest! {
    #[test]
    fn the_canonical_spelling_means_the_same(expr in any_expr()) {
        let text = expr.to_string();
        match parse(&text, None, &TimeContext::default()) {
            Ok(again) => prop_assert_eq!(again, expr, "{}", text),
            Err(error) => prop_assert!(false, "{}", error.render()),
        }
    }

    #[test]
    fn parsing_never_panics_and_round_trips(text in "([ -~é]{0,4}|has |and |or |not |in |\\(|\\)|\"|= |~ |level |time ){0,8}") {
        match parse(&text, None, &TimeContext::default()) {
            Ok(expr) => {
                let again = parse(&expr.to_string(), None, &TimeContext::default());
                prop_assert_eq!(again.ok(), Some(expr));
            }
            Err(error) => {
                prop_assert!(error.at + error.len <= text.len(), "{:?}", error);
                let _ = error.render();
            }
        }
    }
}

#[test]
fn an_expression_can_be_put_together() {
    let expr = Expr::all_of([Expr::All, Expr::Text("a".into())]);
    assert_eq!(expr, Expr::Text("a".into()));
    assert!(Expr::any_of([expr, Expr::All]).is_all());
}

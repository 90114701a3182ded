//! Colours of text: only on request, and never from a log.

use super::*;

/// Output with a colour setting, without a terminal.
fn coloured(args: &[&str], color: &str) -> String {
    let run = hung();
    ok(&[args, &["--color", color, &run]].concat())
}

/// A text without what colours it.
fn plain(text: &str) -> String {
    let mut out = text.to_owned();
    for code in ["0", "1", "2", "31", "33"] {
        out = out.replace(&format!("\x1b[{code}m"), "");
    }
    out
}

#[test]
fn colours_change_nothing_but_colours() {
    let cases: [&[&str]; 7] = [
        &[
            "events",
            "--where",
            "level >= warning",
            "--keys",
            "parsl.task",
        ],
        &["trace", "parsl.task=24"],
        &["hung"],
        &["diagnose"],
        // Of a table the names of its columns.
        &["keys"],
        &["sources"],
        &["latency", "parsl.task"],
    ];
    for args in cases {
        let never = coloured(args, "never");
        assert!(!never.contains('\x1b'), "{args:?}");
        // A pipe is no terminal.
        assert_eq!(coloured(args, "auto"), never, "{args:?}");
        let always = coloured(args, "always");
        assert!(
            always.contains("\x1b[") && always.contains("\x1b[0m"),
            "{args:?}"
        );
        assert_eq!(plain(&always), never, "{args:?}");
        // Programs read the other forms.
        let jsonl = coloured(&[args, &["--format", "jsonl"]].concat(), "always");
        assert!(!jsonl.contains('\x1b'), "{args:?}");
    }
    let errors = coloured(&["events", "--where", "level = error"], "always");
    assert!(errors.contains("\x1b[31mE\x1b[0m"), "{errors}");
}

#[test]
fn a_log_colours_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.log");
    std::fs::write(
        &path,
        "2026-01-02 03:04:05.000 INFO \u{fdd1}red\u{fddf} \x1b[31mred\n",
    )
    .unwrap();
    let text = ok(&["events", "--color", "always", path.to_str().unwrap()]);
    assert!(text.contains("red"), "{text}");
    assert!(!text.contains('\x1b'), "{text:?}");
}

//! TOML spelling of values, for definitions that the program writes.

use std::fmt::Write as _;

use widetui_core::words::is_format_control;

/// Spells a text as a TOML string of one line: a literal string if that avoids escapes, as patterns contain many
/// quotes. Control and invisible characters are escaped, because a definition may be printed to a terminal.
#[must_use]
pub fn quoted(text: &str) -> String {
    let odd = |c: char| c.is_control() || is_format_control(c);
    if text.contains(['"', '\\']) && !text.contains('\'') && !text.contains(odd) {
        return format!("'{text}'");
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        // Writing to a string never fails.
        let _ = match (c, u32::from(c)) {
            ('"' | '\\', _) => write!(out, "\\{c}"),
            ('\t', _) => write!(out, "\\t"),
            ('\n', _) => write!(out, "\\n"),
            (c, n) if odd(c) && n > 0xffff => write!(out, "\\U{n:08X}"),
            (c, n) if odd(c) => write!(out, "\\u{n:04X}"),
            (c, _) => write!(out, "{c}"),
        };
    }
    out.push('"');
    out
}

/// Spells a value: a number in canonical decimal form as a number, everything else as a string.
#[must_use]
pub fn value(spelling: &str) -> String {
    let is_float = |n: f64| spelling.contains('.') && n.to_string() == spelling;
    let is_plain = spelling
        .parse::<i64>()
        .is_ok_and(|n| n.to_string() == spelling)
        || spelling.parse::<f64>().is_ok_and(is_float);
    match is_plain {
        true => spelling.to_owned(),
        false => quoted(spelling),
    }
}

/// Spells texts as an array of strings.
#[must_use]
pub fn list<T: AsRef<str>>(texts: &[T]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quoted(text.as_ref())).collect();
    format!("[{}]", texts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(literal: &str) -> String {
        let table: toml::Table = toml::from_str(&format!("x = {literal}")).unwrap();
        table["x"].as_str().unwrap().to_owned()
    }

    #[test]
    fn quotes_that_spare_escapes_are_taken() {
        assert_eq!(quoted("job {} done"), "\"job {} done\"");
        assert_eq!(quoted(r#"a "b" \d"#), r#"'a "b" \d'"#);
        assert_eq!(quoted(r#"it's "b""#), r#""it's \"b\"""#);
        assert_eq!(quoted("\u{1b}[0m\u{202e}"), r#""\u001B[0m\u202E""#);
        assert_eq!(value("17"), "17");
        assert_eq!(value("9.73"), "9.73");
        for text in ["017", "9.730", "1e3", "inf", "", "+1"] {
            assert_eq!(value(text), format!("\"{text}\""));
        }
        assert_eq!(list(&["a", "b"]), "[\"a\", \"b\"]");
    }

    proptest! {
        #[test]
        fn any_text_is_read_as_it_was(text in any::<String>()) {
            let literal = quoted(&text);
            prop_assert!(!literal.contains(|c: char| c.is_control()));
            prop_assert_eq!(read(&literal), text);
        }
    }
}

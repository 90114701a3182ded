//! Rows as CSV (RFC 4180): quoted where needed, `\n` line ends. Every CSV of commands, exports and the explorer is made
//! here, so that none carries characters that a terminal obeys, wherever it is written.

use widetui_core::words::printable;

/// Row without its line end. Control characters but line feeds and tabs, and bidirectional controls, are made visible.
pub fn row<'a>(fields: impl IntoIterator<Item = &'a str>) -> String {
    let mut row = String::new();
    for (at, field) in fields.into_iter().enumerate() {
        if at > 0 {
            row.push(',');
        }
        let field = printable(field);
        if field
            .bytes()
            .any(|byte| matches!(byte, b',' | b'"' | b'\n'))
        {
            row.push('"');
            row.push_str(&field.replace('"', "\"\""));
            row.push('"');
        } else {
            row.push_str(&field);
        }
    }
    row
}

#[cfg(test)]
mod tests {
    #[test]
    fn fields_are_quoted_only_if_needed() {
        assert_eq!(
            super::row(["a", "b,c", "d\"e", ""]),
            "a,\"b,c\",\"d\"\"e\","
        );
    }

    #[test]
    fn fields_have_no_characters_that_a_terminal_obeys() {
        assert_eq!(
            super::row([
                "\u{1b}]0;t\u{7}",
                "a\r\n\tb",
                "\u{9b}1m\u{202e}",
                "👨\u{200d}👩"
            ]),
            "␛]0;t␇,\"a␍\n\tb\",<9B>1m<202E>,👨\u{200d}👩"
        );
    }
}

//! Rows as CSV (RFC 4180): quoted where needed, `\n` line ends.

/// Field, quoted if it contains a comma, a quote or a line end.
pub(crate) fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Row without its line end.
pub fn row<'a>(fields: impl IntoIterator<Item = &'a str>) -> String {
    fields.into_iter().map(field).collect::<Vec<_>>().join(",")
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
}

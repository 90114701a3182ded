//! Rows as CSV (RFC 4180): quoted where needed, `\n` line ends.

/// Row without its line end.
pub fn row<'a>(fields: impl IntoIterator<Item = &'a str>) -> String {
    let mut row = String::new();
    for (at, field) in fields.into_iter().enumerate() {
        if at > 0 {
            row.push(',');
        }
        if field.contains([',', '"', '\n', '\r']) {
            row.push('"');
            row.push_str(&field.replace('"', "\"\""));
            row.push('"');
        } else {
            row.push_str(field);
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
}

//! Tuples: a Python tuple and a JSON array with the same parts are equal.

/// Canonical form of `('a', 2)`, `["a", 2]` and `'a'`: parts without quotes, `(a, 2)` and `a`.
pub(crate) fn canonical(text: &str) -> String {
    let text = text.trim();
    let mut out = String::with_capacity(text.len());
    let mut quote = None;
    let mut escaped = false;
    for c in text.chars() {
        match quote {
            Some(_) if escaped => {
                escaped = false;
                out.push(c);
            }
            Some(_) if c == '\\' => escaped = true,
            Some(q) if c == q => quote = None,
            Some(_) => out.push(c),
            None => match c {
                '\'' | '"' => quote = Some(c),
                '[' => out.push('('),
                ']' | ')' => {
                    // `(1,)` is a tuple with one part.
                    if out.ends_with(',') {
                        out.pop();
                    }
                    out.push(')');
                }
                c if c.is_whitespace() && out.ends_with([',', ' ', '(']) => {}
                ',' => out.push(','),
                c => {
                    out.push(c);
                }
            },
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn spellings_of_one_tuple_are_equal() {
        for (a, b) in [
            ("('slow', 3)", r#"["slow", 3]"#),
            ("('x',)", r#"["x"]"#),
            ("('a', (1, 2))", r#"["a",[1,2]]"#),
            ("load_tile-18", "'load_tile-18'"),
            (r"('it\'s', 1)", r#"["it's", 1]"#),
        ] {
            assert_eq!(canonical(a), canonical(b), "{a} {b}");
        }
        assert_ne!(canonical("('a', 1)"), canonical("('a', 2)"));
        assert_ne!(canonical("('a', 1)"), canonical("a"));
        assert_eq!(canonical("sum of a"), "sum of a");
    }
}

//! Exceptions printed as Python shows objects (`repr`).

/// Converts the `repr` of a Python exception, `ValueError('no')`, to the last line of a traceback, `ValueError: no`;
/// other text is unchanged.
pub(crate) fn of_repr(text: &str) -> String {
    let read = || {
        let (name, rest) = text.split_once('(')?;
        let inner = rest.strip_suffix(')')?.trim_end_matches(',');
        // An OS error begins with its number.
        let (number, inner) = match inner.split_once(", ") {
            Some((n, rest))
                if n.chars().all(|c| c.is_ascii_digit()) && OF_SYSTEM.contains(&name) =>
            {
                (Some(n), rest)
            }
            _ => (None, inner),
        };
        let quote = inner.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        let inner = inner.strip_prefix(quote)?.strip_suffix(quote)?;
        let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let plain = unescaped(inner);
        let is_one = !inner.contains(quote) || !plain.contains(quote);
        (is_name && is_one).then(|| match number {
            Some(number) => format!("{name}: [Errno {number}] {plain}"),
            None => format!("{name}: {plain}"),
        })
    };
    read().unwrap_or_else(|| text.to_owned())
}

/// Python's classes of OS errors.
const OF_SYSTEM: [&str; 12] = [
    "OSError",
    "IOError",
    "BrokenPipeError",
    "ConnectionAbortedError",
    "ConnectionRefusedError",
    "ConnectionResetError",
    "FileExistsError",
    "FileNotFoundError",
    "IsADirectoryError",
    "NotADirectoryError",
    "PermissionError",
    "TimeoutError",
];

/// Removes the escapes of `repr`; line ends become blanks.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = rest[at..].trim_start_matches('\\');
        match rest.strip_prefix('n') {
            Some(behind) => {
                out.push(' ');
                rest = behind;
            }
            None if !rest.starts_with(['\'', '"']) => out.push('\\'),
            None => {}
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repr_reads_as_a_traceback_does() {
        let of = |text: &str| of_repr(text);
        assert_eq!(of("ValueError('no')"), "ValueError: no");
        assert_eq!(
            of("ModuleNotFoundError(\"No module named \\'x\\'\")"),
            "ModuleNotFoundError: No module named 'x'"
        );
        assert_eq!(of("ValueError('a:\\\\nb')"), "ValueError: a: b");
        assert_eq!(
            of("ConnectionResetError(104, 'gone')"),
            "ConnectionResetError: [Errno 104] gone"
        );
        assert_eq!(of("Odd('a', 'b')"), "Odd('a', 'b')");
    }

    #[test]
    fn an_exception_as_python_shows_it_is_read_as_its_last_line() {
        assert_eq!(of_repr("ValueError('no')"), "ValueError: no");
        assert_eq!(of_repr("ValueError(\"it's\",)"), "ValueError: it's");
        assert_eq!(of_repr("OSError(5, 'first')"), "OSError: [Errno 5] first");
        assert_eq!(of_repr("Http(5, 'first')"), "Http(5, 'first')");
        assert_eq!(of_repr("Two('a', 'b')"), "Two('a', 'b')");
        assert_eq!(of_repr("no value (4)"), "no value (4)");
    }
}

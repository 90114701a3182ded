//! Terminal colours in logs that were written for a terminal.

/// Length of the colour sequences at the start of a text, bytes: `ESC [ 1 ; 30 m`.
pub(crate) fn coloured(text: &[u8]) -> usize {
    let mut end = 0;
    while let Some(rest) = text.get(end..).and_then(|t| t.strip_prefix(b"\x1b[")) {
        let numbers = rest
            .iter()
            .take_while(|b| b.is_ascii_digit() || **b == b';');
        let numbers = numbers.count();
        if rest.get(numbers) != Some(&b'm') {
            break;
        }
        end += 3 + numbers;
    }
    end
}

/// Whether a line contains colour sequences.
pub(crate) fn is_coloured(line: &[u8]) -> bool {
    memchr::memchr_iter(0x1b, line).any(|at| line.get(at..).is_some_and(|rest| coloured(rest) > 0))
}

/// Line without colour sequences.
pub fn without_colours(line: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    let mut pos = 0;
    while let Some(rest @ [b, ..]) = line.get(pos..) {
        match coloured(rest) {
            0 => {
                out.push(*b);
                pos += 1;
            }
            skipped => pos += skipped,
        }
    }
    out
}

/// Pattern for lines with colours, given the pattern for the same lines without: colours may occur wherever a word or a
/// delimiter ends. `None` for patterns with braces in their literal text.
pub(crate) fn with_colours(pattern: &str) -> Option<String> {
    if pattern.contains("{{") || pattern.contains("}}") {
        return None;
    }
    const COLOUR: &str = "{:colour}";
    let mut out = String::from(COLOUR);
    let mut inside = false;
    let mut before = None;
    for c in pattern.chars() {
        let (opens, closes) = (c == '{' && !inside, c == '}' && inside);
        let blank_changes = !inside && before.is_some_and(|b: char| (b == ' ') != (c == ' '));
        if (opens || blank_changes) && !out.ends_with(COLOUR) {
            out.push_str(COLOUR);
        }
        out.push(c);
        if closes {
            out.push_str(COLOUR);
        }
        inside = (inside || opens) && !closes;
        before = (!inside && !closes).then_some(c);
    }
    // The message takes the rest of the line.
    out.truncate(out.trim_end_matches(COLOUR).len());
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_may_occur_between_all_parts() {
        assert_eq!(
            without_colours(b"\x1b[32m[2026]\x1b[0m \x1b[1;30mINFO\x1b[0m \x1b[x"),
            b"[2026] INFO \x1b[x"
        );
        assert_eq!(
            with_colours("[{time:iso}] {level} {message}").as_deref(),
            Some(
                "{:colour}[{:colour}{time:iso}{:colour}]{:colour} {:colour}{level}{:colour} {:colour}{message}"
            )
        );
        assert_eq!(with_colours("{{{time:iso}}} {message}"), None);
    }
}

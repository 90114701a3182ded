//! Keys that a layout writes after the message of a record as `name: value`. If an exception was logged, they follow
//! its text in the last line of the record and do not belong to it.

/// Message without the keys after the text of its exception. In a message of one line they follow the text and are
/// handled by its patterns.
pub(crate) fn without<'m>(message: &'m str, names: &[String]) -> &'m str {
    let Some(start) = message.rfind('\n').map(|at| at + 1) else {
        return message;
    };
    let last = &message[start..];
    let blanks = last.match_indices(' ').map(|(at, _)| at);
    let mut ends = blanks.filter(|at| {
        let name = last[at + 1..].split_once(": ").map(|(name, _)| name);
        name.is_some_and(|name| names.iter().any(|known| known == name))
    });
    // The rest of the line consists of pairs only.
    let end = ends.find(|at| are_pairs(&last[at + 1..]));
    end.map_or(message, |at| &message[..start + at])
}

/// Whether a text is a sequence of `name: value`. Values with blanks are in brackets or quotes.
fn are_pairs(text: &str) -> bool {
    let mut rest = text;
    loop {
        let Some((name, value)) = rest.split_once(": ") else {
            return false;
        };
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        if name.is_empty() || !name.chars().all(is_name) {
            return false;
        }
        let close = match value.chars().next() {
            Some('(') => Some(')'),
            Some('[') => Some(']'),
            Some('{') => Some('}'),
            Some('<') => Some('>'),
            Some(quote @ ('\'' | '"')) => Some(quote),
            _ => None,
        };
        // The closing sign is one byte, but the text before it may end in a multi-byte character.
        let inside = close.and_then(|close| value[1..].find(close));
        let inside = inside.map_or(0, |at| at + 1);
        match value[inside..].find(' ') {
            Some(at) => rest = &value[inside + at + 1..],
            None => return true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_behind_an_exception_are_no_part_of_it() {
        let names = ["shutdown", "agent"].map(str::to_owned);
        let cut = |last: &str| without(&format!("failed\n{last}"), &names)[7..].to_owned();
        assert_eq!(
            cut("KeyError: 'no way' shutdown: True name: spin"),
            "KeyError: 'no way'"
        );
        assert_eq!(cut("KeyError: 1 agent: <class 'a b'>"), "KeyError: 1");
        assert_eq!(
            cut("KeyError: 1 agent: 'größe λ' shutdown: é"),
            "KeyError: 1"
        );
        assert_eq!(
            cut("Bad: no shutdown: it is off"),
            "Bad: no shutdown: it is off"
        );
        assert_eq!(cut("Bad: see other: x"), "Bad: see other: x");
        assert_eq!(
            without("started shutdown: True", &names),
            "started shutdown: True"
        );
    }
}

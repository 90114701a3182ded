//! Keys for messages that no definition describes: `word value`, `key=value`, `key: value`.

use super::pattern::FieldKind;

/// Words before a number that name no thing.
const STOP: &[&str] = &[
    "a", "about", "after", "and", "are", "as", "at", "be", "been", "before", "by", "for", "from",
    "got", "had", "has", "have", "in", "into", "is", "it", "its", "last", "least", "line", "more",
    "most", "next", "no", "not", "now", "of", "off", "on", "only", "or", "out", "over", "per",
    "than", "that", "the", "then", "there", "this", "to", "took", "total", "until", "up", "was",
    "were", "when", "while", "with", "within", "took", "under", "via", "using", "s", "ms",
];

/// Names that headers use: a number in the message that goes by one of them is another thing.
const HEADER: &[&str] = &[
    "time",
    "source",
    "level",
    "message",
    "template",
    "process",
    "pid",
    "thread",
    "thread_id",
    "logger",
    "line",
    "func",
    "file",
    "host",
];

/// The keys that the literal parts of a message give to its variables: (name, variable), each name once.
pub fn names(literals: &[Box<[u8]>], open: bool) -> Vec<(String, usize)> {
    let variables = literals.len().saturating_sub(1) - usize::from(open && literals.len() > 1);
    let mut out: Vec<(String, usize)> = Vec::new();
    for (variable, literal) in literals.iter().enumerate().take(variables) {
        if let Some(name) = name_before(literal, variable == 0)
            && !out.iter().any(|(n, _)| *n == name)
        {
            out.push((name, variable));
        }
    }
    out
}

/// The word at the end of a literal that names the variable behind it.
fn name_before(literal: &[u8], first: bool) -> Option<String> {
    let text = std::str::from_utf8(literal).ok()?;
    let text = text
        .trim_end_matches(['\'', '"', '[', '(', '<', '#', 'b'])
        .trim_end_matches(['\'', '"']);
    // `b` of a bytes literal was cut off above; put it back where it ends a word.
    let text = if literal.ends_with(b"b") || text.len() == literal.len() {
        std::str::from_utf8(literal).ok()?
    } else {
        text
    };
    let (head, sign) = match text.trim_end_matches(' ').chars().last()? {
        '=' | ':' => (
            text.trim_end_matches(' ').trim_end_matches(['=', ':', ' ']),
            true,
        ),
        _ if text.ends_with(' ') => (text.trim_end_matches(' '), false),
        _ => return None,
    };
    let word: &str = head
        .rsplit(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.' || c == '-'))
        .next()?
        .trim_matches(['.', '-']);
    let usable = (2..=32).contains(&word.len())
        && word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.' || c == '-');
    let lower = word.to_ascii_lowercase();
    if !usable || (!sign && STOP.contains(&lower.as_str())) {
        return None;
    }
    if HEADER.contains(&lower.as_str()) {
        return None;
    }
    // A sentence that starts with a capitalised verb ("Submitted 5 jobs") names no thing; "Task 5" does. Without a
    // dictionary, past participles are told by their ending.
    if !sign && first && (lower.ends_with("ed") || lower.ends_with("ing")) {
        return None;
    }
    Some(lower)
}

/// How the value of a mined key is read: `1, 2, 3` is a list, everything else one value.
pub fn kind_of(text: &[u8]) -> FieldKind {
    let list = text.contains(&b',')
        && text
            .iter()
            .all(|b| b.is_ascii_digit() || matches!(b, b',' | b' '));
    if list {
        FieldKind::List
    } else {
        FieldKind::Text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::token;

    fn mined(msg: &str) -> Vec<(String, String)> {
        let mut vars = Vec::new();
        let open = token::tokenize(msg.as_bytes(), &mut vars);
        names(&token::literals(msg.as_bytes(), &vars), open)
            .into_iter()
            .map(|(name, v)| (name, msg[vars[v].0 as usize..vars[v].1 as usize].to_owned()))
            .collect()
    }

    #[test]
    fn words_before_values_become_keys() {
        let pairs = |list: &[(&str, &str)]| -> Vec<(String, String)> {
            list.iter()
                .map(|(a, b)| (a.to_string(), b.to_string()))
                .collect()
        };
        assert_eq!(
            mined("job 17 sent to worker w-3, queue=5"),
            pairs(&[("job", "17"), ("worker", "w-3"), ("queue", "5")])
        );
        assert_eq!(mined("finished in 5 s after 3 tries"), pairs(&[]));
        assert_eq!(
            mined("request_id: 4f65-a1 took 12 ms"),
            pairs(&[("request_id", "4f65-a1")])
        );
        assert_eq!(mined("Submitted 5 jobs"), pairs(&[]));
    }
}

//! Parts that are common to several patterns and have several spellings: `{@job}` stands for each spelling of `[parts]
//! job`.

use std::collections::BTreeMap;

use crate::pattern::PatternError;
use widetui_definition::text::Text;

/// Maximum number of patterns that one source pattern may expand to.
const MAX_PATTERNS: usize = 64;

/// Expands the parts of a pattern; a pattern without parts expands to itself. Patterns with the first spellings come
/// first.
///
/// # Errors
/// A part that the definition does not have, or too many combinations.
pub fn expand(
    parts: &BTreeMap<String, Vec<Text>>,
    pattern: &str,
) -> Result<Vec<String>, PatternError> {
    let Some(at) = first_part(pattern) else {
        return Ok(vec![pattern.to_owned()]);
    };
    let error = |text: String| PatternError { text, at };
    let (name, rest) = pattern[at + 2..]
        .split_once('}')
        .ok_or_else(|| error("unclosed brace".to_owned()))?;
    let spellings = parts.get(name).ok_or_else(|| {
        let known: Vec<&str> = parts.keys().map(String::as_str).collect();
        error(format!(
            "no part '{name}' in [parts]; known parts: {}",
            known.join(", ")
        ))
    })?;
    let rest = expand(parts, rest).map_err(|e| PatternError {
        at: pattern.len() - rest.len() + e.at,
        ..e
    })?;
    if spellings.len() * rest.len() > MAX_PATTERNS {
        return Err(error(format!(
            "expands to more than {MAX_PATTERNS} patterns"
        )));
    }
    let head = &pattern[..at];
    let all = spellings.iter().flat_map(|s| {
        rest.iter()
            .map(move |r| format!("{head}{}{r}", s.get_ref()))
    });
    Ok(all.collect())
}

/// Offset of the first part in a pattern. Two braces are a literal brace, whatever follows.
fn first_part(pattern: &str) -> Option<usize> {
    // Patterns with parts are rare.
    memchr::memmem::find(pattern.as_bytes(), b"{@")?;
    let mut at = 0;
    loop {
        at += pattern.get(at..)?.find('{')?;
        match pattern.as_bytes().get(at + 1) {
            Some(b'@') => return Some(at),
            Some(b'{') => at += 2,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toml::Spanned;

    #[test]
    fn every_spelling_makes_a_pattern() {
        let text = |s: &str| Text::from(Spanned::new(0..0, s.to_owned()));
        let parts = BTreeMap::from([("a".to_owned(), vec![text("1"), text("{x:int}")])]);
        assert_eq!(expand(&parts, "no part").unwrap(), ["no part"]);
        assert_eq!(
            expand(&parts, "<{@a}|{@a}>").unwrap(),
            ["<1|1>", "<1|{x:int}>", "<{x:int}|1>", "<{x:int}|{x:int}>"]
        );
        assert_eq!(expand(&parts, "{{@a}} {{{@a}").unwrap()[0], "{{@a}} {{1");
        assert_eq!(expand(&parts, "x {@a} {@b}").unwrap_err().at, 7);
        assert_eq!(expand(&parts, "x {@a").unwrap_err().at, 2);
        assert!(expand(&parts, &"{@a}".repeat(9)).is_err());
    }
}

//! Data files by name: those of the user win over those that are built in.

/// The text of a name among those given (names and texts), else among those built in; else all names there are.
pub(super) fn named<'a>(
    name: &str,
    given: &'a [(String, String)],
    built_in: &'a [(&'a str, &'a str)],
) -> Result<&'a str, String> {
    let given = given.iter().map(|(n, text)| (n.as_str(), text.as_str()));
    let mut all = given.chain(built_in.iter().copied());
    if let Some((_, text)) = all.clone().find(|(n, _)| *n == name) {
        return Ok(text);
    }
    let mut names: Vec<&str> = all.by_ref().map(|(n, _)| n).collect();
    names.sort_unstable();
    names.dedup();
    Err(names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_files_win() {
        let own = [("b".to_owned(), "own".to_owned())];
        let built_in = [("a", "1"), ("b", "2")];
        assert_eq!(named("a", &own, &built_in), Ok("1"));
        assert_eq!(named("b", &own, &built_in), Ok("own"));
        assert_eq!(named("c", &own, &built_in), Err("a, b".to_owned()));
    }
}

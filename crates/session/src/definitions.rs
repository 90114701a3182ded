//! Definitions in force: built-in ones and those of the user.

use widetui_definition::error::DefError;
use widetui_format::check;
use widetui_format::definitions::systems::Systems;

use super::meaning;

/// Checks the definitions of the user (file name, text): syntax, references, conditions and extraction rules. Returns
/// the valid ones; all mistakes of the others go to `wrong`, each with file, line and column.
pub fn valid(user: Vec<(String, String)>, wrong: &mut Vec<String>) -> Vec<(String, String)> {
    let mut systems = Systems::builtin();
    let mut is_valid = |(file, text): &(String, String)| match add(&mut systems, file, text) {
        Ok(()) => true,
        Err(first) => {
            let all = mistakes(systems.clone(), file, text);
            match all.is_empty() {
                true => wrong.push(first.to_string()),
                false => wrong.extend(all.iter().map(ToString::to_string)),
            }
            false
        }
    };
    user.into_iter().filter(|one| is_valid(one)).collect()
}

/// Returns all mistakes in a definition, as if it were added to the built-in ones: syntax, references, samples,
/// conditions and extraction rules.
pub fn check(file: &str, text: &str) -> Vec<DefError> {
    let mut errors = check::check(file, text);
    for error in mistakes(Systems::builtin(), file, text) {
        if !errors.contains(&error) {
            errors.push(error);
        }
    }
    errors.sort_by_key(|e| (e.line, e.column));
    errors
}

/// Returns the mistakes in a definition among others, except those of its samples.
fn mistakes(mut systems: Systems, file: &str, text: &str) -> Vec<DefError> {
    let (_, mut errors) = check::in_text(&mut systems, file, text);
    errors.extend(in_meaning(&systems, file));
    errors.sort_by_key(|e| (e.line, e.column));
    errors.dedup();
    errors
}

/// Adds a definition of the user. After an error `systems` is unchanged.
///
/// # Errors
/// The first mistake, with its position.
pub fn add(systems: &mut Systems, file: &str, text: &str) -> Result<(), DefError> {
    let mut with_it = systems.clone();
    with_it.add(file, text)?;
    match in_meaning(&with_it, file).into_iter().next() {
        Some(error) => Err(error),
        None => {
            *systems = with_it;
            Ok(())
        }
    }
}

fn in_meaning(systems: &Systems, file: &str) -> Vec<DefError> {
    let own = systems.iter().filter(|s| !s.builtin && s.file == file);
    let words = systems.words();
    let mut errors: Vec<DefError> = own.flat_map(|s| meaning::problems(s, &words)).collect();
    errors.sort_by_key(|e| (e.line, e.column));
    errors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_words_are_judged_by_the_words_of_all_definitions() {
        let text = r#"name = "own"
[words]
end = ["feierabend"]
[words.samples]
end = ["feierabend", "alles gut", "exiting"]
no_end = ["exiting"]
"#;
        let errors = check("own.toml", text);
        let places: Vec<(usize, usize)> = errors.iter().map(|e| (e.line, e.column)).collect();
        assert_eq!(places, [(5, 23), (6, 12)], "{errors:?}");
    }

    #[test]
    fn conditions_and_readings_are_looked_at() {
        let text = r#"name = "bad"
[[join]]
name = "j"
by = ["a"]
gives = ["b"]
where = "level >"
[[reading]]
name = "kind"
of = "x"
match = ["{a:nix}"]
[[reading]]
name = "of what"
match = ["{a}"]
[[reading]]
name = "nothing"
of = "x"
match = ["a{}"]
[[reading]]
name = "several"
of = "x"
match = ["{a:list}"]
[[hint]]
name = "h"
where = "template ="
severity = "error"
title = "t"
text = "t"
next = "n"
"#;
        let errors = check("bad.toml", text);
        let lines: Vec<usize> = errors.iter().map(|e| e.line).collect();
        assert_eq!(lines, [6, 10, 12, 15, 19, 24], "{errors:?}");
        assert_eq!(errors[1].column, 14, "{}", errors[1]);
        let good = text.split("[[join]]").next().unwrap();
        assert!(check("good.toml", good).is_empty());
        // A definition with mistakes disables itself alone.
        let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        let later = file("later.toml", "name = \"later\"\n");
        let user = vec![file("good.toml", good), file("bad.toml", text), later];
        let mut wrong = Vec::new();
        let kept = valid(user, &mut wrong);
        let names: Vec<&str> = kept.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["good.toml", "later.toml"]);
        assert_eq!(wrong.len(), lines.len());
        assert!(wrong.iter().all(|text| text.starts_with("bad.toml:")));
        let mut systems = Systems::builtin();
        assert!(add(&mut systems, "bad.toml", text).is_err());
        assert!(systems.get("bad").is_none());
    }
}

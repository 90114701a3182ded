//! The definitions in force: built-in ones and those of the user.

use std::sync::Arc;

use widetui_core::processors;
use widetui_core::thread::make_room;
use widetui_definition::error::DefError;
use widetui_format::catalog::Catalog;
use widetui_format::check;
use widetui_format::kinds::Compiled;
use widetui_format::systems::Systems;

use super::meaning;

/// Begins to read the definitions that the program carries, which whatever is asked needs, while the caller finds out what is
/// asked. Where the system gives no thread they are read when they are needed.
pub fn read_ahead() {
    let here = processors::current();
    let read = move || {
        processors::away_from(here);
        make_room(1);
        Systems::builtin()
    };
    if std::thread::Builder::new().spawn(read).is_ok() {
        // Where it was put behind this thread, on the same processor, it comes to move away.
        std::thread::yield_now();
    }
}

/// Compiles all definitions for a run; those of the user are (file name, text).
///
/// # Errors
/// All that is wrong with the definitions of the user, each with file, line and column.
pub fn compile(user: &[(String, String)], tables: &Arc<Catalog>) -> Result<Compiled, String> {
    let mut systems = Systems::builtin();
    let mut wrong: Vec<String> = Vec::new();
    for (file, text) in user {
        if let Err(first) = add(&mut systems, file, text) {
            let all = mistakes(systems.clone(), file, text);
            match all.is_empty() {
                true => wrong.push(first.to_string()),
                false => wrong.extend(all.iter().map(ToString::to_string)),
            }
        }
    }
    match wrong.is_empty() {
        true => Ok(systems.compile(tables)),
        false => Err(wrong.join("\n")),
    }
}

/// All that is wrong with a definition, as if it were added to those that the program carries: how it is written, what it
/// names, what its samples give, and what its conditions and readings say.
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

/// All that is wrong with a definition among others, but for what its samples give.
fn mistakes(mut systems: Systems, file: &str, text: &str) -> Vec<DefError> {
    let (_, mut errors) = check::in_text(&mut systems, file, text);
    errors.extend(in_meaning(&systems, file));
    errors.sort_by_key(|e| (e.line, e.column));
    errors.dedup();
    errors
}

/// Adds a definition of the user.
///
/// # Errors
/// The first mistake in it, with its place.
pub fn add(systems: &mut Systems, file: &str, text: &str) -> Result<(), DefError> {
    systems.add(file, text)?;
    match in_meaning(systems, file).into_iter().next() {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

fn in_meaning(systems: &Systems, file: &str) -> Vec<DefError> {
    let own = systems.iter().filter(|s| !s.builtin && s.file == file);
    let mut errors: Vec<DefError> = own.flat_map(|s| meaning::problems(s)).collect();
    errors.sort_by_key(|e| (e.line, e.column));
    errors
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let said = compile(&[("bad.toml".to_owned(), text.to_owned())], &Arc::default());
        assert!(said.unwrap_err().starts_with("bad.toml:6:"));
        let good = text.split("[[join]]").next().unwrap();
        assert!(check("good.toml", good).is_empty());
    }
}

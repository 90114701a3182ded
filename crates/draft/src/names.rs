//! Names in a draft: the system, its keys and its kinds of sources.

use std::path::PathBuf;

use widetui_format::catalog::keys::WRITER;
use widetui_format::definitions::systems::Systems;
use widetui_format::text::reserved::RESERVED;
use widetui_source::codec::without_ending;

/// Maximum length of a name, characters.
const LONGEST: usize = 32;

/// Derives the name of a system from the paths of its logs: the name of the file or folder without numbers and
/// extensions; never the name of a built-in definition, which the draft would replace.
pub fn of_paths(paths: &[PathBuf]) -> String {
    let named = paths.iter().filter(|path| path.as_os_str() != "-");
    let whole = named.filter_map(|path| path.canonicalize().ok());
    let names = whole.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    let usable = names.map(|name| {
        let plain = without_ending(&name);
        let stem = plain.trim_end_matches(".tar");
        let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
        plain_word(if stem.is_empty() { plain } else { stem })
    });
    let name = { usable }.find(|name| !name.is_empty());
    let name = name.unwrap_or_else(|| "mysystem".to_owned());
    match Systems::builtin().get(&name) {
        Some(_) => format!("{name}_log"),
        None => name,
    }
}

/// Checks the name of a system.
///
/// # Errors
/// The name is not allowed; a message for the user.
pub fn check(name: &str) -> Result<(), String> {
    let mut letters = name.chars();
    let good = letters.next().is_some_and(|c| c.is_ascii_alphabetic())
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !good {
        return Err(format!(
            "a system cannot be called '{name}': its keys begin with the name, so it is letters, digits and _ only, a letter first"
        ));
    }
    match Systems::builtin().get(name) {
        Some(_) => Err(format!(
            "the program has a definition called '{name}', and a draft of that name would take its place: choose another name"
        )),
        None => Ok(()),
    }
}

/// Converts a text to a word in lower case without trailing numbers: `Worker-03` becomes `worker`. Empty if nothing is
/// left.
pub(crate) fn plain_word(text: &str) -> String {
    let word = word(text);
    let end = |c: char| c.is_ascii_digit() || c == '_';
    word.trim_end_matches(end).to_owned()
}

/// Converts a text to a name in lower case: letters, digits and single `_`, beginning with a letter. Empty if nothing
/// is left.
pub(crate) fn word(text: &str) -> String {
    let mut out = String::new();
    let mut small = false;
    for c in text.chars() {
        if small && c.is_ascii_uppercase() {
            out.push('_');
        }
        small = c.is_ascii_lowercase();
        match c {
            c if c.is_ascii_alphabetic() => out.push(c.to_ascii_lowercase()),
            c if c.is_ascii_digit() && !out.is_empty() => out.push(c),
            _ if !out.is_empty() && !out.ends_with('_') => out.push('_'),
            _ => {}
        }
        if out.len() >= LONGEST {
            break;
        }
    }
    out.trim_end_matches('_').to_owned()
}

/// Words of a name or state in lower case: `TaskFinished`, `task.finished` and `task finished` are two words.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut small = false;
    for c in text.chars() {
        if !c.is_alphanumeric() || small && c.is_uppercase() {
            out.push(String::new());
        }
        small = c.is_lowercase();
        if let Some(word) = out.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    out.retain(|word| !word.is_empty());
    out
}

/// Returns `name`, with a number appended if it is taken.
pub(crate) fn unique(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|n| format!("{name}_{n}"));
    let mut all = std::iter::once(name.to_owned()).chain(numbered);
    all.find(|name| !taken(name)).unwrap_or_default()
}

/// Whether a key has the same meaning in the logs of any program and so no system prefix in definitions: the writer of
/// a record, tracing ids.
pub(crate) fn is_common(key: &str) -> bool {
    let is_shared = |name: &str| {
        let systems = Systems::builtin();
        !name.contains('.') && systems.iter().any(|s| s.def.keys.contains_key(name))
    };
    WRITER.contains(&key) || RESERVED.contains(&key) || is_shared(key)
}

/// Prefix of names that both a message and a header have, for the value in the message.
const SAID: &str = "log.";

/// Key of a system for a mined name, or for a field of a record.
pub(crate) fn key(system: &str, name: &str) -> String {
    match (is_common(name), name.strip_prefix(SAID)) {
        (true, _) => name.to_owned(),
        (false, Some(said)) if is_common(said) => format!("{system}.{said}"),
        (false, _) => format!("{system}.{name}"),
    }
}

/// Mined name of a key, given without the prefix of its system.
pub(crate) fn mined(name: &str) -> String {
    match is_common(name) {
        true => format!("{SAID}{name}"),
        false => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_words_that_a_definition_can_have() {
        assert_eq!(word("2026 My-Sim (v2)"), "my_sim_v2");
        assert_eq!(plain_word("worker_003"), "worker");
        assert_eq!(word("JobId"), "job_id");
        assert!(is_common("thread") && !is_common("job"));
        assert_eq!(word("…"), "");
        for (name, drafted) in [
            ("job", "my.job"),
            ("log.pid", "my.pid"),
            ("log.x", "my.log.x"),
        ] {
            assert_eq!(key("my", name), drafted);
            assert_eq!(mined(&drafted["my.".len()..]), name);
        }
        assert_eq!(unique("a", |n| n == "a" || n == "a_2"), "a_3");
        assert!(check("my_sim").is_ok());
        for bad in ["", "my.sim", "3d", "a b", "python"] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_system_is_named_after_the_opened_path() {
        let dir = tempfile::tempdir().unwrap();
        let of = |name: &str| {
            let path = dir.path().join(name);
            std::fs::write(&path, "").unwrap();
            of_paths(&[path])
        };
        assert_eq!(of("scheduler-2026-01-02.log.gz"), "scheduler");
        assert_eq!(of("My Run.tar.gz"), "my_run");
        assert_eq!(of("Makefile"), "makefile");
        assert_eq!(of("dask.log"), "dask_log");
        assert_eq!(of("123.log"), "mysystem");
        assert_eq!(of_paths(&[PathBuf::from("-")]), "mysystem");
    }
}

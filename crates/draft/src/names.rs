//! Names that a draft gives: to the system, to its keys and kinds of sources.

use std::path::PathBuf;

use widetui_format::catalog::keys::WRITER;
use widetui_format::definitions::systems::Systems;
use widetui_format::text::reserved::RESERVED;
use widetui_source::codec::without_ending;

/// Names are cut after so many characters.
const LONGEST: usize = 32;

/// A system's name, from what is opened: the file's or the folder's, without numbers and endings; not that of a definition
/// that the program carries, whose place it would take.
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

/// Whether a system may be called so.
///
/// # Errors
/// Why not; in words for the user.
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

/// A text as a word in small letters, without the numbers at its end: `Worker-03` is `worker`. Empty when nothing is left.
pub(crate) fn plain_word(text: &str) -> String {
    let word = word(text);
    let end = |c: char| c.is_ascii_digit() || c == '_';
    word.trim_end_matches(end).to_owned()
}

/// A text as a name in small letters: letters, digits and single `_`, a letter first. Empty when nothing is left.
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

/// `name`, or with a number behind it when there is one already.
pub(crate) fn unique(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|n| format!("{name}_{n}"));
    let mut all = std::iter::once(name.to_owned()).chain(numbered);
    all.find(|name| !taken(name)).unwrap_or_default()
}

/// Whether a key means the same in logs of any program, as definitions have it without a system's name: who wrote a
/// record, what it is traced by. It keeps its name.
pub(crate) fn is_common(key: &str) -> bool {
    let is_shared = |name: &str| {
        let systems = Systems::builtin();
        !name.contains('.') && systems.iter().any(|s| s.def.keys.contains_key(name))
    };
    WRITER.contains(&key) || RESERVED.contains(&key) || is_shared(key)
}

/// Before names that a message and a header share, where the message says them.
const SAID: &str = "log.";

/// The key of a system that a mined name, or a field of a record, becomes.
pub(crate) fn key(system: &str, name: &str) -> String {
    match (is_common(name), name.strip_prefix(SAID)) {
        (true, _) => name.to_owned(),
        (false, Some(said)) if is_common(said) => format!("{system}.{said}"),
        (false, _) => format!("{system}.{name}"),
    }
}

/// What is mined under the name that a key of the system has without its prefix.
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
    fn a_system_is_called_as_what_is_opened() {
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

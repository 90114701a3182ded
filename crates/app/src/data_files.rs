//! Lookup of themes and keymaps by name: user files take precedence over built-in ones.

use std::path::Path;

use widetui_core::nearest::did_you_mean;

/// Data file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataFile<'a> {
    /// File name for error messages.
    pub file: &'a str,
    /// Content of the file.
    pub text: &'a str,
}

/// Name of a file in options: `plain` for `.../themes/plain.toml`.
pub fn name_of(file: &str) -> &str {
    let stem = Path::new(file).file_stem();
    stem.and_then(|s| s.to_str()).unwrap_or(file)
}

/// File called `name` among `given` (pairs of file name and content), else among the built-in ones.
/// The error lists all names, and suggests a similar one.
pub fn named<'a>(
    name: &str,
    given: &'a [(String, String)],
    built_in: &[(&'static str, &'static str)],
) -> Result<DataFile<'a>, String> {
    // The last file given takes precedence.
    let own = given.iter().rev().find(|(file, _)| name_of(file) == name);
    if let Some((file, text)) = own {
        return Ok(DataFile { file, text });
    }
    match built_in.iter().find(|(n, _)| *n == name) {
        Some((file, text)) => Ok(DataFile { file, text }),
        None => {
            let all = all_names(given, built_in);
            let hint = did_you_mean(name, all.iter().map(String::as_str));
            Err(format!("{}{hint}", all.join(", ")))
        }
    }
}

/// All names, sorted.
pub(crate) fn all_names(
    given: &[(String, String)],
    built_in: &[(&'static str, &'static str)],
) -> Vec<String> {
    let own = given.iter().map(|(file, _)| name_of(file).to_owned());
    let mut names: Vec<String> = built_in.iter().map(|(n, _)| (*n).to_owned()).collect();
    names.extend(own);
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_files_win() {
        let own = [("/home/x/themes/b.toml".to_owned(), "own".to_owned())];
        let built_in = [("a", "1"), ("b", "2")];
        assert_eq!(named("a", &own, &built_in).map(|f| f.text), Ok("1"));
        let found = named("b", &own, &built_in).map(|f| (f.file, f.text));
        assert_eq!(found, Ok(("/home/x/themes/b.toml", "own")));
        assert_eq!(named("long", &own, &built_in), Err("a, b".to_owned()));
        let misspelt = named("drak", &own, &[("dark", "1")]);
        assert_eq!(misspelt, Err("b, dark; did you mean `dark`?".to_owned()));
    }
}

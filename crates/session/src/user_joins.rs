//! The user's joins, written to a definition of their own: `my-joins.toml`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use widetui_definition::syntax;
use widetui_definition::toml_text::{list, quoted, value};
use widetui_join::{Join, JoinRule, spec};
use widetui_query::Expr;

use super::definitions::check;

use widetui_source::atomic_file::{self, FileReaders};
use widetui_source::folder_lock::FolderLock;

/// Name of the definition of the joins that the command line states.
pub const OPTIONS: &str = "options";

/// File name of the definition.
pub(crate) const FILE: &str = "my-joins.toml";

const HEAD: &str =
    "# Joins that you saved in the explorer.\nname = \"my-joins\"\ntitle = \"My joins\"\n";

/// Adds a join to the definition in a folder, which is created if missing, unless the definition has it already.
/// Returns the path of the file.
///
/// # Errors
/// A message for the user: the file cannot be written, or would not be a valid definition with the join.
pub fn save(folder: &Path, join: &Join) -> Result<PathBuf, String> {
    let path = folder.join(FILE);
    let _turn = FolderLock::acquire(folder);
    let before = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => HEAD.to_owned(),
        Err(error) => return Err(format!("{}: cannot be read: {error}", path.display())),
    };
    if has(&before, join) {
        return Ok(path);
    }
    let mut text = before;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&written(std::slice::from_ref(join)));
    if let Some(error) = check(&path.display().to_string(), &text).first() {
        return Err(format!("the join cannot be saved: {error}"));
    }
    let failed = |error: std::io::Error| format!("{}: cannot be written: {error}", path.display());
    fs::create_dir_all(folder).map_err(failed)?;
    // Access is left to the umask, as the file may contain text of the user.
    atomic_file::write(&path, &text, FileReaders::Umask).map_err(failed)?;
    Ok(path)
}

/// Whether a definition has a join, under any name. An unreadable definition has none.
fn has(definition: &str, join: &Join) -> bool {
    let Ok(definition) = syntax::read(FILE, definition) else {
        return false;
    };
    let (joins, _) = spec::from_definition(&definition);
    joins.iter().any(|known| known.rule == join.rule)
}

/// Writes joins in the syntax of definitions.
pub(crate) fn written(joins: &[Join]) -> String {
    let one = |join: &Join| {
        let (section, name, said) = (section(join), quoted(join.own_name()), said(join));
        format!("\n[[{section}]]\nname = {name}\n{said}")
    };
    joins.iter().map(one).collect()
}

/// Reads joins written by [`written`].
///
/// # Errors
/// A message for the user: the text was changed and is no valid definition.
pub fn read(text: &str) -> Result<Vec<Join>, String> {
    let whole = format!("{HEAD}{text}");
    let definition = syntax::read("joins", &whole).map_err(|e| e.text)?;
    let (joins, bad) = spec::from_definition(&definition);
    if let Some(bad) = bad.into_iter().next() {
        return Err(bad.problem);
    }
    let own = |join: Join| Join {
        name: join.own_name().to_owned(),
        system: None,
        ..join
    };
    Ok(joins.into_iter().map(own).collect())
}

/// Name and text of a definition of joins that the command line states.
pub fn definition_of_options(joins: &[Join]) -> (String, String) {
    let head = format!("name = \"{OPTIONS}\"\ntitle = \"Joins of the command line\"\n");
    (format!("{OPTIONS}.toml"), head + &written(joins))
}

fn section(join: &Join) -> &'static str {
    match join.rule {
        JoinRule::Extraction(_) => "reading",
        JoinRule::Bracket(_) => "bracket",
        _ => "join",
    }
}

/// Writes all properties of a join except its name.
fn said(join: &Join) -> String {
    let gives = format!("gives = {}\n", list(join.right_keys()));
    let rule = match &join.rule {
        JoinRule::Extraction(rule) => rule,
        JoinRule::Bracket(rule) => {
            let condition = |name, expr: &Expr| format!("{name} = {}\n", quoted(&expr.to_string()));
            let close = rule.close.as_ref().map(|close| condition("close", close));
            return condition("open", &rule.open) + &close.unwrap_or_default() + &gives;
        }
        _ => return format!("by = {}\n{gives}", list(join.left_keys())),
    };
    let mut text = String::new();
    // Writing to a string does not fail.
    if let Some(of) = rule.source_key() {
        let _ = writeln!(text, "of = {}", quoted(of));
    }
    if let Some((key, made)) = rule.composition() {
        let (key, made) = (quoted(key), quoted(made.source()));
        let _ = writeln!(text, "compose = {{ {key} = {made} }}");
    }
    if let Some(only) = rule.condition() {
        let _ = writeln!(text, "where = {}", quoted(&only.to_string()));
    }
    let patterns: Vec<&str> = rule.patterns().collect();
    if !patterns.is_empty() {
        let _ = writeln!(text, "match = {}", list(&patterns));
    }
    let consts = rule.constants().iter();
    let consts: Vec<String> = consts
        .map(|(key, v)| format!("{} = {}", quoted(key), value(v)))
        .collect();
    if !consts.is_empty() {
        let _ = writeln!(text, "keys = {{ {} }}", consts.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meaning::Meaning;
    use widetui_format::definitions::systems::Systems;
    use widetui_format::pattern::Pattern;
    use widetui_join::{ExtractionRule, Receivers, TypedJoin};
    use widetui_query::{Expr, Field};

    fn reading() -> Join {
        let patterns = ["agent {{{own.user}}}@{own.host}", "agent {own.user:text}"];
        let patterns = patterns.map(|p| Pattern::compile(p).expect("a pattern"));
        let only = Expr::equals(Field::Template, "agent \"{}\"");
        let consts = vec![("own.phase".to_owned(), "1.50".to_owned())];
        let rule = ExtractionRule::new(None, Some(only), patterns.to_vec(), consts);
        Join {
            name: "agent {}".to_owned(),
            system: None,
            receivers: Receivers::All,
            rule: JoinRule::Extraction(rule.expect("a rule")),
        }
    }

    #[test]
    fn what_is_saved_is_in_force_the_next_time() {
        let folder = std::env::temp_dir().join(format!("widetui-joins-{}", std::process::id()));
        let join = Join::keys("job ⇒ \"who\"", &["run", "job"], &["who"]);
        let path = save(&folder, &join).expect("saved");
        save(&folder, &Join::keys("other", &["who"], &["place"])).expect("saved");
        let once = fs::read_to_string(&path).expect("there");
        save(&folder, &join).expect("saved");
        assert_eq!(fs::read_to_string(&path).expect("there"), once);
        let mut systems = Systems::builtin();
        systems.add("my-joins.toml", &once).expect("a definition");
        let joins = Meaning::from_systems(&systems).joins;
        let own: Vec<&Join> = joins
            .iter()
            .filter(|j| j.system.as_deref() == Some("my-joins"))
            .collect();
        assert_eq!(own.len(), 2);
        assert_eq!(
            (own[0].own_name(), own[0].left_keys()),
            (join.name.as_str(), join.left_keys())
        );
        let reading = reading();
        save(&folder, &reading).expect("saved");
        let whole = fs::read_to_string(&path).expect("there");
        save(&folder, &reading).expect("saved");
        assert_eq!(fs::read_to_string(&path).expect("there"), whole);
        assert_eq!(
            read(&written(&[join.clone(), reading.clone()])).as_deref(),
            Ok(&[join.clone(), reading.clone()][..])
        );
        // Joins in one line are the same when they are read again, also brackets.
        for kind in TypedJoin::ALL {
            let typed = kind.parse(kind.example()).expect("a join");
            let text = written(std::slice::from_ref(&typed));
            assert_eq!(read(&text).as_deref(), Ok(&[typed][..]), "{text}");
        }
        assert!(read("[[join]]\n").is_err());
        let mut systems = Systems::builtin();
        systems.add("my-joins.toml", &whole).expect("a definition");
        let joins = Meaning::from_systems(&systems).joins;
        let own = joins.iter().find(|j| j.is_named(&reading.name));
        assert_eq!(own.expect("there").rule, reading.rule);
        // A join that only resembles an existing one, or one that is commented out, is added.
        let plain = Join::keys("plain", &["run", "task"], &["who"]);
        let narrow = "\n[[join]]\nname = \"narrow\"\nby = [\"run\", \"task\"]\ngives = [\"who\"]\nwhere = \"level = error\"\n";
        for more in [
            narrow.to_owned(),
            written(std::slice::from_ref(&plain)).replace('\n', "\n# "),
        ] {
            fs::write(&path, format!("{whole}{more}\n")).expect("written");
            save(&folder, &plain).expect("saved");
            let text = fs::read_to_string(&path).expect("there");
            assert!(
                text.ends_with(&written(std::slice::from_ref(&plain))),
                "{text}"
            );
        }
        // A file that was broken by hand is left unchanged.
        fs::write(&path, "name = 3\n").expect("written");
        assert!(save(&folder, &join).is_err());
        assert_eq!(fs::read_to_string(&path).expect("there"), "name = 3\n");
        fs::remove_dir_all(&folder).expect("removed");
    }
}

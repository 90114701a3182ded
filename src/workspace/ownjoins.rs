//! Joins of the user's own, written to a definition of theirs: `my-joins.toml`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::format::check::check;
use crate::format::tomltext::{list, quoted};
use crate::join::Join;

use super::whole::{self, Readers};

/// The definition that joins are added to.
pub const FILE: &str = "my-joins.toml";

const HEAD: &str =
    "# Joins that you saved in the explorer.\nname = \"my-joins\"\ntitle = \"My joins\"\n";

/// Adds a join to the definition in a folder (made when it is not there). Gives the file; a join that is in it already
/// is not added again.
///
/// # Errors
/// The file cannot be written, or with the join it would be no valid definition; in words for the user.
pub fn save(folder: &Path, join: &Join) -> Result<PathBuf, String> {
    let path = folder.join(FILE);
    let before = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => HEAD.to_owned(),
        Err(error) => return Err(format!("{}: cannot be read: {error}", path.display())),
    };
    let (by, gives) = (list(join.by()), list(join.gives()));
    if before.contains(&format!("by = {by}\ngives = {gives}\n")) {
        return Ok(path);
    }
    let mut text = before;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    // Writing to a string does not fail.
    let _ = write!(
        text,
        "\n[[join]]\nname = {}\nby = {by}\ngives = {gives}\n",
        quoted(&join.name)
    );
    if let Some(error) = check(&path.display().to_string(), &text).first() {
        return Err(format!("the join cannot be saved: {error}"));
    }
    let failed = |error: std::io::Error| format!("{}: cannot be written: {error}", path.display());
    fs::create_dir_all(folder).map_err(failed)?;
    // The file may hold what the user wrote.
    whole::write(&path, &text, Readers::Usual).map_err(failed)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::systems::Systems;
    use crate::workspace::meaning::Meaning;

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
        let joins = Meaning::of(&systems).joins;
        let own: Vec<&Join> = joins
            .iter()
            .filter(|j| j.system.as_deref() == Some("my-joins"))
            .collect();
        assert_eq!(own.len(), 2);
        assert_eq!((&own[0].name, own[0].by()), (&join.name, join.by()));
        // What somebody broke by hand is not made worse.
        fs::write(&path, "name = 3\n").expect("written");
        assert!(save(&folder, &join).is_err());
        assert_eq!(fs::read_to_string(&path).expect("there"), "name = 3\n");
        fs::remove_dir_all(&folder).expect("removed");
    }
}

//! The theme and the keymap that the explorer starts with; what is wrong with the user's own.

use anyhow::Context;

use super::colour::Depth;
use super::datafiles::name_of;
use super::kept::Wardrobe;
use super::keymap::{Keymap, STANDARD};
use super::theme::Theme;

/// A theme or a keymap that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartupChoice {
    /// Its name.
    pub name: String,
    /// Whether the command line names it: then it is an error when it is wrong, else the usual one takes its place.
    pub is_required: bool,
}

impl StartupChoice {
    /// The usual one.
    pub fn usual(name: &str) -> StartupChoice {
        StartupChoice {
            name: name.to_owned(),
            is_required: false,
        }
    }
}

/// The theme and the keymap that are asked for; the usual ones where a setting names a wrong one, and `troubles` says so.
///
/// # Errors
/// What the command line names is wrong.
pub(super) fn chosen(
    theme: &StartupChoice,
    keymap: &StartupChoice,
    wardrobe: &Wardrobe,
    troubles: &mut Vec<String>,
) -> anyhow::Result<(Theme, Keymap)> {
    let depth = wardrobe.depth;
    let worn = match Theme::chosen(&theme.name, &wardrobe.themes, depth) {
        Ok(theme) => theme,
        Err(error) if theme.is_required => {
            return Err(error).with_context(|| format!("theme `{}`", theme.name));
        }
        Err(error) => {
            troubles.push(format!("theme `{}`: {error}", theme.name));
            Theme::chosen("dark", &[], depth).context("theme `dark`")?
        }
    };
    let keys = match Keymap::chosen(&keymap.name, &wardrobe.keymaps) {
        Ok(keymap) => keymap,
        Err(error) if keymap.is_required => {
            return Err(error).with_context(|| format!("keymap `{}`", keymap.name));
        }
        Err(error) => {
            troubles.push(format!("keymap `{}`: {error}", keymap.name));
            Keymap::chosen(STANDARD, &[]).context("keymap `default`")?
        }
    };
    check_own(&wardrobe.themes, &wardrobe.keymaps, depth, troubles);
    Ok((worn, keys))
}

/// Says what is wrong with the user's themes and keymaps, also with those that nobody asked for.
fn check_own(
    themes: &[(String, String)],
    keymaps: &[(String, String)],
    depth: Depth,
    troubles: &mut Vec<String>,
) {
    let themes_wrong = themes.iter().filter_map(|(file, _)| {
        let error = Theme::chosen(name_of(file), themes, depth.max(Depth::Ansi16)).err()?;
        Some(error.to_string())
    });
    let keymaps_wrong = keymaps
        .iter()
        .filter_map(|(file, _)| Some(Keymap::chosen(name_of(file), keymaps).err()?.to_string()));
    for text in themes_wrong.chain(keymaps_wrong) {
        if !troubles.iter().any(|t| t.ends_with(&text)) {
            troubles.push(text);
        }
    }
}

//! The theme and the keymap that the explorer starts with; what is wrong with the user's own.

use anyhow::Context;

use super::colour::Depth;
use crate::theme::{Theme, ThemeInUse};
use widetui_app::datafiles::name_of;
use widetui_app::kept::Choices;
use widetui_app::keymap::{Keymap, STANDARD};

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
    choices: &mut Choices,
    depth: Depth,
    troubles: &mut Vec<String>,
) -> anyhow::Result<(ThemeInUse, String, Keymap)> {
    let own = &choices.themes;
    let (name, found) = match Theme::chosen(&theme.name, own, depth) {
        Ok(found) => (theme.name.as_str(), found),
        Err(error) if theme.is_required => {
            return Err(error).with_context(|| format!("theme `{}`", theme.name));
        }
        Err(error) => {
            troubles.push(format!("theme `{}`: {error}", theme.name));
            let usual = Theme::chosen(USUAL_THEME, &[], depth);
            (USUAL_THEME, usual.context("theme `dark`")?)
        }
    };
    let in_use = ThemeInUse::new(name, found, own.clone(), depth);
    let keys = match Keymap::chosen(&keymap.name, &choices.keymaps) {
        Ok(keymap) => keymap,
        Err(error) if keymap.is_required => {
            return Err(error).with_context(|| format!("keymap `{}`", keymap.name));
        }
        Err(error) => {
            troubles.push(format!("keymap `{}`: {error}", keymap.name));
            Keymap::chosen(STANDARD, &[]).context("keymap `default`")?
        }
    };
    check_own(choices, depth, troubles);
    Ok((in_use, name.to_owned(), keys))
}

/// Theme of those who chose none.
const USUAL_THEME: &str = "dark";

/// Reports errors in the user's themes and keymaps, also in those that nobody asked for.
fn check_own(choices: &mut Choices, depth: Depth, troubles: &mut Vec<String>) {
    let wrong_theme = |(file, _): &(String, String)| {
        let name = name_of(file);
        // A terminal without colours takes another theme: its errors would not be seen.
        let depth = depth.max(Depth::Ansi16);
        let error = Theme::chosen(name, &choices.themes, depth).err()?;
        Some((name.to_owned(), error.to_string()))
    };
    let themes_wrong: Vec<_> = choices.themes.iter().filter_map(wrong_theme).collect();
    let keymaps_wrong = choices.keymaps.iter().filter_map(|(file, _)| {
        let chosen = Keymap::chosen(name_of(file), &choices.keymaps);
        Some(chosen.err()?.to_string())
    });
    let texts = themes_wrong.iter().map(|(_, error)| error.clone());
    for text in texts.chain(keymaps_wrong) {
        if !troubles.iter().any(|t| t.ends_with(&text)) {
            troubles.push(text);
        }
    }
    choices.theme_errors = themes_wrong;
}

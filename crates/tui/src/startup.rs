//! Initial theme and keymap, and errors in the user's files.

use anyhow::Context;

use super::colour::Depth;
use crate::theme::{Theme, ThemeInUse};
use widetui_app::data_files::name_of;
use widetui_app::keymap::{Keymap, STANDARD};
use widetui_app::user_data::Choices;

/// Requested theme or keymap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartupChoice {
    /// Name.
    pub name: String,
    /// Whether the command line requests it: an error is then fatal, otherwise the default is used.
    pub is_required: bool,
}

impl StartupChoice {
    /// Optional choice of the default.
    pub fn optional(name: &str) -> StartupChoice {
        StartupChoice {
            name: name.to_owned(),
            is_required: false,
        }
    }
}

/// Requested theme and keymap. An invalid one from the settings is replaced by the default and
/// reported in `troubles`.
///
/// # Errors
/// A theme or keymap requested by the command line is invalid.
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
            let usual = Theme::chosen(DEFAULT_THEME, &[], depth);
            (DEFAULT_THEME, usual.context("theme `dark`")?)
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

/// Default theme.
const DEFAULT_THEME: &str = "dark";

/// Reports errors in all themes and keymaps of the user, including unused ones.
fn check_own(choices: &mut Choices, depth: Depth, troubles: &mut Vec<String>) {
    let wrong_theme = |(file, _): &(String, String)| {
        let name = name_of(file);
        // Check colours even if the terminal has none.
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

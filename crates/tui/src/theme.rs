//! Themes: styles of the parts of the screen, read from `themes/*.toml` and reduced once to the
//! colours that the terminal supports.
//!
//! ```toml
//! [palette]
//! red = "#e06c75"
//! [roles]
//! level = "red"                                        # `level.error` falls back to `level`
//! "level.error" = { fg = "red", bg = "...", bold = true }
//! tags = ["#e69f00", ...]                              # hues of source kinds, in a fixed order
//! ```

use std::collections::BTreeMap;

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;
use toml::Spanned;

use widetui_app::embedded::THEMES;
use widetui_core::nearest::did_you_mean;
use widetui_definition::error::{DefError, FileText};

use super::colour::{COLOUR_NAMES, Depth, parse_colour, reduce};
use widetui_app::data_files::named;
use widetui_app::user_data::unknown_theme;
use widetui_tables::role::{ROLES, Role};

/// Number of hues for kinds of sources.
pub const TAGS: usize = 8;

/// Theme with styles for the colour depth of the terminal.
#[derive(Clone, Debug)]
pub struct Theme {
    styles: Vec<Style>,
    tags: [Style; TAGS],
}

/// Error in the choice or the definition of a theme.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ThemeError {
    /// Unknown name; contains the known names.
    #[error("{}", unknown_theme(.0))]
    Unknown(String),
    /// Error in the file, with its location.
    #[error("{0}")]
    Wrong(DefError),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    palette: BTreeMap<String, String>,
    #[serde(default)]
    tags: Vec<Spanned<Look>>,
    roles: BTreeMap<String, Spanned<Look>>,
}

#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum Look {
    Colour(String),
    Full(Full),
}

#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Full {
    fg: Option<String>,
    bg: Option<String>,
    #[serde(default)]
    bold: bool,
    #[serde(default)]
    dim: bool,
    #[serde(default)]
    italic: bool,
    #[serde(default)]
    underline: bool,
    #[serde(default)]
    reverse: bool,
}

impl Theme {
    /// Parses a theme and reduces its colours to `depth`.
    ///
    /// # Errors
    /// Invalid TOML, unknown colours or roles, or bold combined with dim, with the location.
    #[cfg(test)]
    pub(crate) fn parse(text: &str, depth: Depth) -> Result<Theme, ThemeError> {
        Theme::read(
            FileText {
                file: "theme",
                text,
            },
            depth,
        )
        .map_err(ThemeError::Wrong)
    }

    fn read(origin: FileText<'_>, depth: Depth) -> Result<Theme, DefError> {
        let file: File = toml::from_str(origin.text).map_err(|e| origin.toml_error(&e))?;
        let style = |look: &Spanned<Look>, name: &str| {
            style(look.get_ref(), name, &file.palette, depth)
                .map_err(|text| origin.error(look.span().start, text))
        };
        for (name, look) in &file.roles {
            let known = |(_, role): &(Role, &str)| {
                *role == name
                    || role
                        .strip_prefix(name.as_str())
                        .is_some_and(|r| r.starts_with('.'))
            };
            if !ROLES.iter().any(known) {
                let hint = did_you_mean(name, ROLES.iter().map(|(_, role)| *role));
                let text = format!("no part of the screen is called `{name}`{hint}");
                return Err(origin.error(look.span().start, text));
            }
        }
        let mut styles = Vec::with_capacity(ROLES.len());
        for (_, name) in ROLES {
            let mut at = *name;
            let look = loop {
                if let Some(look) = file.roles.get(at) {
                    break Some(look);
                }
                match at.rfind('.') {
                    Some(dot) => at = &at[..dot],
                    None => break None,
                }
            };
            styles.push(match look {
                Some(look) => style(look, at)?,
                None => Style::new(),
            });
        }
        let mut tags = [Style::new(); TAGS];
        for (i, tag) in tags.iter_mut().enumerate() {
            if let Some(look) = file.tags.get(i % file.tags.len().max(1)) {
                *tag = style(look, "tags")?;
            }
        }
        Ok(Theme { styles, tags })
    }

    /// Theme by name, from `given` (pairs of file name and content) or built in: `dark`, `light`,
    /// `ansi16`, `ansi16-light`, `mono`, `high-contrast`. Terminals without colours get `mono`;
    /// those with 16 colours get the variant of the theme for 16 colours and the same background.
    ///
    /// # Errors
    /// Unknown name, and all errors of [`Theme::parse`].
    pub(crate) fn chosen(
        name: &str,
        given: &[(String, String)],
        depth: Depth,
    ) -> Result<Theme, ThemeError> {
        // An unknown name is an error on all terminals, also on those that replace the theme.
        let chosen = named(name, given, THEMES).map_err(ThemeError::Unknown)?;
        let is_own = !THEMES.contains(&(name, chosen.text));
        let name = match depth {
            Depth::None => "mono",
            Depth::Ansi16 if !is_own && name == "dark" => "ansi16",
            Depth::Ansi16 if !is_own && name == "light" => "ansi16-light",
            _ => name,
        };
        let found = named(name, given, THEMES).map_err(ThemeError::Unknown)?;
        let origin = FileText {
            file: found.file,
            text: found.text,
        };
        Theme::read(origin, depth).map_err(ThemeError::Wrong)
    }

    /// Built-in theme by name.
    pub fn named(name: &str, depth: Depth) -> Option<Theme> {
        Theme::chosen(name, &[], depth).ok()
    }

    /// Style of a role.
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }

    /// Style of the tags of a kind of source, by its number.
    pub(crate) fn tag(&self, kind: usize) -> Style {
        self.tags[kind % TAGS]
    }
}

/// Current theme; replaced when the model names another one.
#[derive(Clone, Debug)]
pub(crate) struct ThemeInUse {
    name: String,
    theme: Theme,
    given: Vec<(String, String)>,
    depth: Depth,
}

impl ThemeInUse {
    /// Initial theme; `given` are file names and contents of the user's themes.
    pub(crate) fn new(
        name: &str,
        theme: Theme,
        given: Vec<(String, String)>,
        depth: Depth,
    ) -> ThemeInUse {
        ThemeInUse {
            name: name.to_owned(),
            theme,
            given,
            depth,
        }
    }

    /// Theme called `name`, or the current one if there is none.
    pub fn named(&mut self, name: &str) -> &Theme {
        if self.name != name
            && let Ok(theme) = Theme::chosen(name, &self.given, self.depth)
        {
            (self.name, self.theme) = (name.to_owned(), theme);
        }
        &self.theme
    }
}

fn style(
    look: &Look,
    name: &str,
    palette: &BTreeMap<String, String>,
    depth: Depth,
) -> Result<Style, String> {
    let full = match look {
        Look::Colour(fg) => Full {
            fg: Some(fg.clone()),
            ..Full::default()
        },
        Look::Full(full) => full.clone(),
    };
    if full.bold && full.dim {
        return Err(format!(
            "`{name}` is both bold and dim: terminals show one of them"
        ));
    }
    let colour = |text: &Option<String>| -> Result<Option<Color>, String> {
        let Some(text) = text else { return Ok(None) };
        let text = palette.get(text).unwrap_or(text);
        match parse_colour(text) {
            Some(colour) => Ok(reduce(colour, depth)),
            None => {
                let known = palette.keys().map(String::as_str).chain(COLOUR_NAMES);
                let hint = did_you_mean(text, known);
                Err(format!(
                    "`{text}` is no colour: write #rrggbb, 0 to 255, a name such as bright-blue, or one of the palette{hint}"
                ))
            }
        }
    };
    let mut style = Style {
        fg: colour(&full.fg)?,
        bg: colour(&full.bg)?,
        ..Style::new()
    };
    for (on, modifier) in [
        (full.bold, Modifier::BOLD),
        (full.dim, Modifier::DIM),
        (full.italic, Modifier::ITALIC),
        (full.underline, Modifier::UNDERLINED),
        (full.reverse, Modifier::REVERSED),
    ] {
        if on {
            style = style.add_modifier(modifier);
        }
    }
    Ok(style)
}

#[cfg(test)]
mod tests {
    use super::super::colour::contrast;
    use super::*;

    #[test]
    fn the_built_in_themes_are_right_and_whole() {
        for (name, text) in THEMES {
            for depth in [Depth::True, Depth::Indexed256, Depth::Ansi16, Depth::None] {
                Theme::parse(text, depth).unwrap_or_else(|e| panic!("{name}: {e}"));
                assert!(Theme::named(name, depth).is_some());
            }
        }
        assert!(Theme::named("nothing", Depth::True).is_none());
    }

    /// What need not be read: lines, frames, bars.
    const DRAWN: &[Role] = &[
        Role::Rule,
        Role::Axis,
        Role::PopupFrame,
        Role::Bars,
        Role::BarsAll,
        Role::Curve,
        Role::View,
        Role::Marker,
        Role::Bar,
        Role::BarsGood,
    ];
    /// Text of low priority: it may be less clear in the row under the cursor.
    const SECONDARY: &[Role] = &[Role::Faint];
    /// Grounds of rows under the cursor.
    const CURSORS: [Role; 2] = [Role::Cursor, Role::PopupCursor];

    #[test]
    fn text_can_be_read_on_its_ground() {
        let mut wrong = Vec::new();
        for (name, ground, least) in [
            ("dark", [0x14, 0x17, 0x1c], 4.5),
            ("dark", [0, 0, 0], 4.5),
            ("light", [0xfc, 0xfc, 0xfa], 4.5),
            ("light", [255, 255, 255], 4.5),
            ("high-contrast", [0, 0, 0], 7.0),
        ] {
            for depth in [Depth::True, Depth::Indexed256] {
                let theme = Theme::named(name, depth).unwrap();
                // Texts also stand on the grounds of rows under the cursor and of popups.
                let grounds = [
                    Role::Text,
                    Role::Cursor,
                    Role::CursorIdle,
                    Role::Popup,
                    Role::PopupCursor,
                ]
                .map(|role| (CURSORS.contains(&role), theme.style(role).bg));
                let styles = ROLES
                    .iter()
                    .map(|(role, n)| (*n, Some(*role), theme.style(*role)))
                    .chain((0..TAGS).map(|i| ("tags", None, theme.tag(i))));
                for (role_name, role, style) in styles.filter(|(.., s)| s.fg.is_some()) {
                    let own = [(false, style.bg)];
                    let grounds = if style.bg.is_some() {
                        &own[..]
                    } else {
                        &grounds
                    };
                    for (is_cursor, bg) in grounds {
                        let least = match role {
                            Some(role) if DRAWN.contains(&role) => 1.3,
                            Some(role) if SECONDARY.contains(&role) && *is_cursor => 3.0,
                            _ => least,
                        };
                        let ratio = contrast(style.fg, *bg, ground);
                        if ratio < least {
                            wrong.push(format!(
                                "{name} {role_name} {depth:?} on {bg:?}: {ratio:.1}"
                            ));
                        }
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn sixteen_colours_can_be_read_on_their_ground() {
        // As terminals have them; many have them softer. Red on black is what it is, and stands beside a letter.
        for (name, ground, least) in [("light", [255, 255, 255], 3.9), ("dark", [0, 0, 0], 3.5)] {
            let theme = Theme::named(name, Depth::Ansi16).unwrap();
            let styles = ROLES
                .iter()
                .map(|(role, n)| (*n, *role, theme.style(*role)));
            let texts = styles.filter(|(_, role, _)| !DRAWN.contains(role));
            let tags = (0..TAGS).map(|at| ("tags", Role::Text, theme.tag(at)));
            for (part, _, style) in texts.chain(tags) {
                let ratio = contrast(style.fg, style.bg, ground);
                assert!(ratio >= least, "{name} {part}: {ratio:.1}");
            }
        }
    }

    #[test]
    fn kinds_of_sources_are_told_apart_by_their_hues() {
        for name in ["dark", "light", "high-contrast"] {
            let theme = Theme::named(name, Depth::True).unwrap();
            for (a, b) in (0..TAGS).flat_map(|b| (0..b).map(move |a| (a, b))) {
                let (one, other) = (theme.tag(a).fg, theme.tag(b).fg);
                assert!(
                    !super::super::colour::is_nearly_equal(one, other),
                    "{name}: {a} and {b}"
                );
            }
        }
    }

    #[test]
    fn without_colours_there_are_none() {
        for (name, _) in THEMES {
            let theme = Theme::named(name, Depth::None).unwrap();
            for (role, _) in ROLES {
                let style = theme.style(*role);
                assert!(style.fg.is_none() && style.bg.is_none());
            }
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let bad = |t: &str| Theme::parse(t, Depth::True).unwrap_err().to_string();
        assert!(bad("[roles]\ntext='mauvish'").contains("no colour"));
        assert!(bad("[roles]\ntextt='red'").contains("no part"));
        assert!(bad("[roles]\ntextt='red'").ends_with("did you mean `text`?"));
        assert!(bad("[roles]\ntext='bleu'").ends_with("did you mean `blue`?"));
        assert!(bad("[roles]\ntext={bold=true,dim=true}").contains("bold and dim"));
        assert!(bad("[roles").starts_with("theme:1:"));
        assert!(bad("[roles]\ntext = 'mauvish'").starts_with("theme:2:8: "));
    }
}

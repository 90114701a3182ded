//! Capabilities of the terminal, detected from environment variables.

use super::colour::Depth;
use widetui_tables::drawing::Drawing;

use super::scroll::{Erasing, OutputFeatures, Scrolling};

/// Use of colours, as chosen by the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ColourChoice {
    /// As many colours as the terminal supports.
    #[default]
    Auto,
    /// Colours even if the environment disables them.
    Always,
    /// No colours.
    Never,
}

/// Capabilities of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Capability {
    /// Colour depth.
    pub(crate) depth: Depth,
    /// Whether only ASCII can be displayed.
    pub(crate) ascii: bool,
    /// Features that shorten the output.
    pub(crate) ways: OutputFeatures,
    /// Characters that can draw plots.
    pub(crate) drawing: Drawing,
}

impl Capability {
    /// Capabilities according to the environment; `variable` returns the value of a variable.
    pub fn of(variable: impl Fn(&str) -> Option<String>, choice: ColourChoice) -> Capability {
        let get = |name: &str| variable(name).filter(|v| !v.is_empty());
        let term = get("TERM").unwrap_or_default();
        let depth = match choice {
            ColourChoice::Never => Depth::None,
            ColourChoice::Auto if get("NO_COLOR").is_some() || term.is_empty() => Depth::None,
            _ => depth(&term, get("COLORTERM").as_deref()),
        };
        // The first variable that is set and not empty decides, as in the C library.
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|n| get(n));
        let ascii = match locale {
            // Without a locale: modern terminals use UTF-8.
            None => false,
            Some(locale) => {
                let lower = locale.to_ascii_lowercase();
                !(lower.contains("utf-8") || lower.contains("utf8"))
            }
        };
        let scrolling = match &*term {
            "" => Scrolling::Never,
            _ => Scrolling::Margins,
        };
        // GNU screen and old terminals lack back colour erase (terminfo `bce`).
        let forgets = ["screen", "vt", "sun", "cons"].iter();
        let erasing = match term.is_empty() || forgets.clone().any(|t| term.starts_with(t)) {
            true => Erasing::Usual,
            false => Erasing::Ground,
        };
        // Fonts of consoles and of old terminals lack braille characters.
        let is_console = ["linux", "vt", "cons", "fbterm", "screen.linux"]
            .iter()
            .any(|name| term.starts_with(name));
        let drawing = match (ascii, is_console) {
            (true, _) => Drawing::Ascii,
            (_, true) => Drawing::Blocks,
            _ => Drawing::Braille,
        };
        Capability {
            depth,
            ascii,
            ways: OutputFeatures { scrolling, erasing },
            drawing,
        }
    }
}

fn depth(term: &str, colorterm: Option<&str>) -> Depth {
    match colorterm {
        Some("truecolor" | "24bit") => Depth::True,
        _ if term.ends_with("-direct") => Depth::True,
        _ if term.contains("256color") => Depth::Indexed256,
        _ if term.starts_with("vt1") || term.starts_with("vt2") || term.ends_with("-mono") => {
            Depth::None
        }
        _ => Depth::Ansi16,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_drawn_with_what_fonts_have() {
        let of = |term: &str, lang: &str| {
            let get = |name: &str| match name {
                "TERM" => Some(term.to_owned()),
                "LANG" => Some(lang.to_owned()),
                _ => None,
            };
            Capability::of(get, ColourChoice::Auto).drawing
        };
        assert_eq!(of("xterm-16color", "en_US.UTF-8"), Drawing::Braille);
        assert_eq!(of("linux", "en_US.UTF-8"), Drawing::Blocks);
        assert_eq!(of("vt220", "C.UTF-8"), Drawing::Blocks);
        assert_eq!(of("xterm-256color", "C"), Drawing::Ascii);
        for drawing in Drawing::ALL {
            assert_eq!(Drawing::named(drawing.name()), Some(drawing));
        }
    }

    #[test]
    fn the_environment_says_what_can_be_shown() {
        let of = |vars: &[(&str, &str)], choice| {
            let get = |name: &str| {
                vars.iter()
                    .find(|(n, _)| *n == name)
                    .map(|(_, v)| (*v).to_owned())
            };
            let c = Capability::of(get, choice);
            (c.depth, c.ascii)
        };
        use ColourChoice::{Always, Auto, Never};
        let xterm = ("TERM", "xterm-256color");
        let utf8 = ("LANG", "en_US.UTF-8");
        assert_eq!(of(&[xterm, utf8], Auto), (Depth::Indexed256, false));
        assert_eq!(
            of(&[xterm, utf8, ("COLORTERM", "truecolor")], Auto),
            (Depth::True, false)
        );
        assert_eq!(of(&[xterm, utf8, ("NO_COLOR", "1")], Auto).0, Depth::None);
        assert_eq!(
            of(&[xterm, utf8, ("NO_COLOR", "")], Auto).0,
            Depth::Indexed256
        );
        assert_eq!(
            of(&[xterm, utf8, ("NO_COLOR", "1")], Always).0,
            Depth::Indexed256
        );
        assert_eq!(of(&[xterm, utf8], Never).0, Depth::None);
        assert_eq!(of(&[], Auto), (Depth::None, false));
        let scrolling = |term: &str| {
            let get = |name: &str| (name == "TERM").then(|| term.to_owned());
            Capability::of(get, Auto).ways.scrolling
        };
        assert_eq!(scrolling(""), Scrolling::Never);
        assert_eq!(scrolling("linux"), Scrolling::Margins);
        let erasing = |term: &str| {
            let get = |name: &str| (name == "TERM").then(|| term.to_owned());
            Capability::of(get, Auto).ways.erasing
        };
        assert_eq!(erasing("xterm-256color"), Erasing::Ground);
        assert_eq!(erasing("tmux-256color"), Erasing::Ground);
        assert_eq!(erasing("screen.xterm-256color"), Erasing::Usual);
        assert_eq!(erasing(""), Erasing::Usual);
        assert_eq!(
            of(&[("TERM", "screen"), ("LANG", "C")], Auto),
            (Depth::Ansi16, true)
        );
        assert_eq!(
            of(&[("TERM", "linux"), utf8, ("LC_ALL", "POSIX")], Auto),
            (Depth::Ansi16, true)
        );
    }
}

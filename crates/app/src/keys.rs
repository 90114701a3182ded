//! Key presses, and their notation in keymaps and hints.

use std::fmt;
use std::ops::BitOrAssign;

/// A key of the keyboard, without modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd)]
#[allow(missing_docs, reason = "the names say it")]
pub enum KeyCode {
    Backspace,
    Enter,
    Left,
    Right,
    Up,
    Down,
    Home,
    End,
    PageUp,
    PageDown,
    Tab,
    BackTab,
    Delete,
    Insert,
    /// Function key.
    F(u8),
    Char(char),
    Esc,
    /// Key without a name; cannot be bound.
    Unnamed,
}

/// Set of modifier keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd)]
pub struct KeyModifiers(u8);

impl KeyModifiers {
    /// No modifier.
    pub const NONE: KeyModifiers = KeyModifiers(0);
    /// Control.
    pub const CONTROL: KeyModifiers = KeyModifiers(1);
    /// Alt.
    pub const ALT: KeyModifiers = KeyModifiers(2);
    /// Shift.
    pub const SHIFT: KeyModifiers = KeyModifiers(4);

    /// Whether the set is empty.
    pub(crate) fn is_empty(self) -> bool {
        self == KeyModifiers::NONE
    }

    /// Whether all modifiers of `other` are in the set.
    pub(crate) fn contains(self, other: KeyModifiers) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOrAssign for KeyModifiers {
    fn bitor_assign(&mut self, other: KeyModifiers) {
        self.0 |= other.0;
    }
}

/// Key press with modifiers. A capital letter is represented by its character, without shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd)]
pub struct Key {
    /// Key.
    pub code: KeyCode,
    /// Control, alt, and shift where it is not part of the code.
    pub modifiers: KeyModifiers,
}

const NAMES: &[(&str, KeyCode)] = &[
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("backtab", KeyCode::BackTab),
    ("space", KeyCode::Char(' ')),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("insert", KeyCode::Insert),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pageup", KeyCode::PageUp),
    ("pagedown", KeyCode::PageDown),
];

impl Key {
    /// Parses `j`, `G`, `ctrl-d`, `alt-enter`, `shift-up`, `f5`, `space`; `None` for an unknown
    /// key.
    pub fn parse(text: &str) -> Option<Key> {
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = text;
        while let Some((head, tail)) = rest.split_once('-').filter(|(_, tail)| !tail.is_empty()) {
            modifiers |= match head {
                "ctrl" => KeyModifiers::CONTROL,
                "alt" => KeyModifiers::ALT,
                "shift" => KeyModifiers::SHIFT,
                _ => return None,
            };
            rest = tail;
        }
        let mut chars = rest.chars();
        let code = match (chars.next(), chars.next()) {
            (Some(c), None) => KeyCode::Char(c),
            _ => match NAMES.iter().find(|(name, _)| *name == rest) {
                Some((_, code)) => *code,
                None => KeyCode::F(rest.strip_prefix('f')?.parse().ok()?),
            },
        };
        Some(Key { code, modifiers })
    }

    /// Character that the key types into a line of text.
    pub(crate) fn typed(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if self.modifiers.is_empty() => Some(c),
            _ => None,
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (modifier, name) in [
            (KeyModifiers::CONTROL, "Ctrl-"),
            (KeyModifiers::ALT, "Alt-"),
            (KeyModifiers::SHIFT, "Shift-"),
        ] {
            if self.modifiers.contains(modifier) {
                f.write_str(name)?;
            }
        }
        match self.code {
            KeyCode::Up => f.write_str("↑"),
            KeyCode::Down => f.write_str("↓"),
            KeyCode::Left => f.write_str("←"),
            KeyCode::Right => f.write_str("→"),
            KeyCode::Enter => f.write_str("Enter"),
            KeyCode::Esc => f.write_str("Esc"),
            KeyCode::Tab => f.write_str("Tab"),
            KeyCode::BackTab => f.write_str("Shift-Tab"),
            KeyCode::PageUp => f.write_str("PgUp"),
            KeyCode::PageDown => f.write_str("PgDn"),
            KeyCode::Home => f.write_str("Home"),
            KeyCode::End => f.write_str("End"),
            KeyCode::Backspace => f.write_str("Bksp"),
            KeyCode::Delete => f.write_str("Del"),
            KeyCode::Char(' ') => f.write_str("Space"),
            KeyCode::Char(c) => write!(f, "{c}"),
            KeyCode::F(n) => write!(f, "F{n}"),
            KeyCode::Insert => f.write_str("Insert"),
            KeyCode::Unnamed => f.write_str("?"),
        }
    }
}

/// Parses a sequence of keys separated by blanks.
pub fn parse_sequence(text: &str) -> Option<Vec<Key>> {
    let keys: Option<Vec<Key>> = text.split_whitespace().map(Key::parse).collect();
    keys.filter(|k| !k.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_and_written() {
        for (text, shown) in [
            ("j", "j"),
            ("G", "G"),
            ("ctrl-d", "Ctrl-d"),
            ("-", "-"),
            ("ctrl--", "Ctrl--"),
            ("pageup", "PgUp"),
            ("space", "Space"),
            ("f10", "F10"),
            ("alt-enter", "Alt-Enter"),
        ] {
            assert_eq!(Key::parse(text).unwrap().to_string(), shown);
        }
        for bad in ["", "hyper-x", "nokey", "fx", "ctrl-"] {
            assert_eq!(Key::parse(bad), None, "{bad}");
        }
        assert_eq!(parse_sequence("g g").unwrap().len(), 2);
    }
}

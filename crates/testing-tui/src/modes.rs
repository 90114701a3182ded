//! Terminal modes that a byte stream has switched on and left on.
//!
//! The emulator tracks only some modes (and only one of the mouse modes), so the stream itself is
//! parsed: a program must restore every mode it changed, however it ends.

use std::collections::BTreeMap;

/// Synchronized output: set while a frame is being written.
pub const SYNCHRONIZED: u16 = 2026;
/// Alternate screen including the saved cursor.
pub const ALTERNATE_SCREEN: u16 = 1049;
/// Reports of mouse buttons.
pub const MOUSE_BUTTONS: u16 = 1000;
/// Visible cursor.
pub const CURSOR_SHOWN: u16 = 25;
/// Bracketed paste.
pub const BRACKETED_PASTE: u16 = 2004;

/// Modes that matter to the next user of the terminal: number, state in a fresh terminal, name.
const KNOWN: [(u16, bool, &str); 17] = [
    (1, false, "application cursor keys"),
    (7, true, "line wrap"),
    (9, false, "mouse presses (X10)"),
    (CURSOR_SHOWN, true, "visible cursor"),
    (47, false, "alternate screen (47)"),
    (MOUSE_BUTTONS, false, "mouse buttons"),
    (1002, false, "mouse drags"),
    (1003, false, "mouse motion"),
    (1004, false, "focus reports"),
    (1005, false, "mouse encoding UTF-8"),
    (1006, false, "mouse encoding SGR"),
    (1015, false, "mouse encoding urxvt"),
    (1047, false, "alternate screen (1047)"),
    (ALTERNATE_SCREEN, false, "alternate screen"),
    (BRACKETED_PASTE, false, "bracketed paste"),
    (SYNCHRONIZED, false, "synchronized output"),
    (2031, false, "colour scheme reports"),
];

/// Incremental parser that tracks the modes set by a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Modes {
    state: State,
    switched: BTreeMap<u16, bool>,
    keyboard_depth: u32,
    cursor_style: u16,
    colored: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    Escape,
    /// Control sequence: parameters and intermediate bytes so far.
    Control(Vec<u8>),
    /// Control string (title, clipboard, ...) that ends with BEL or ESC `\`.
    String,
}

impl Modes {
    /// Modes after a complete stream.
    pub fn of(bytes: &[u8]) -> Self {
        let mut modes = Self::default();
        modes.feed(bytes);
        modes
    }

    /// Parses the next chunk, which may end anywhere, even within a sequence.
    pub fn feed(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.state = match (std::mem::take(&mut self.state), byte) {
                // An escape ends a string (its `\` is then ignored) and aborts a sequence.
                (_, 0x1b) => State::Escape,
                (State::Text, _) => State::Text,
                (State::Escape, b'[') => State::Control(Vec::new()),
                (State::Escape, b']' | b'P' | b'X' | b'^' | b'_') => State::String,
                (State::Escape, b'c') => {
                    // Full reset (RIS).
                    *self = Self::default();
                    State::Text
                }
                (State::Escape, _) => State::Text,
                (State::String, 0x07) => State::Text,
                (State::String, _) => State::String,
                (State::Control(parameters), 0x40..=0x7e) => {
                    self.control(&parameters, byte);
                    State::Text
                }
                (State::Control(mut parameters), _) => {
                    parameters.push(byte);
                    State::Control(parameters)
                }
            };
        }
    }

    fn control(&mut self, parameters: &[u8], end: u8) {
        let text = String::from_utf8_lossy(parameters);
        let numbers =
            |text: &str| -> Vec<u16> { text.split(';').map(|n| n.parse().unwrap_or(0)).collect() };
        match (end, text.chars().next()) {
            (b'h' | b'l', Some('?')) => {
                for mode in numbers(&text[1..]) {
                    self.switched.insert(mode, end == b'h');
                }
            }
            (b'u', Some('>')) => self.keyboard_depth += 1,
            (b'u', Some('<')) => {
                let count = u32::from(numbers(&text[1..])[0]).max(1);
                self.keyboard_depth = self.keyboard_depth.saturating_sub(count);
            }
            (b'q', Some(_)) if text.ends_with(' ') => {
                self.cursor_style = numbers(text.trim_end())[0];
            }
            (b'm', None | Some('0'..='9')) => self.colored = !matches!(&*text, "" | "0"),
            _ => {}
        }
    }

    /// State of a DEC private mode.
    pub fn is_on(&self, mode: u16) -> bool {
        let fresh = KNOWN.iter().any(|&(m, on, _)| m == mode && on);
        self.switched.get(&mode).copied().unwrap_or(fresh)
    }

    /// Descriptions of all modes that differ from a fresh terminal.
    pub fn left_behind(&self) -> Vec<String> {
        let mut left: Vec<String> = KNOWN
            .iter()
            .filter(|&&(mode, fresh, _)| self.is_on(mode) != fresh)
            .map(|&(_, fresh, name)| {
                let state = if fresh { "off" } else { "on" };
                format!("{name} is {state}")
            })
            .collect();
        if self.keyboard_depth > 0 {
            left.push(format!("{} keyboard modes are pushed", self.keyboard_depth));
        }
        if self.cursor_style != 0 {
            left.push(format!("cursor style is {}", self.cursor_style));
        }
        if self.colored {
            left.push("text attributes are set".to_owned());
        }
        left
    }
}

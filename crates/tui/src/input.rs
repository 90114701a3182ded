//! Conversion of terminal key events to keys of the explorer.

use crossterm::event::{KeyCode as Code, KeyEvent, KeyModifiers as Modifiers};

use widetui_app::keys::{Key, KeyCode, KeyModifiers};

/// Key of a terminal event. A capital letter is represented by its character, without shift.
pub(crate) fn key_of(event: KeyEvent) -> Key {
    let code = match event.code {
        Code::Backspace => KeyCode::Backspace,
        Code::Enter => KeyCode::Enter,
        Code::Left => KeyCode::Left,
        Code::Right => KeyCode::Right,
        Code::Up => KeyCode::Up,
        Code::Down => KeyCode::Down,
        Code::Home => KeyCode::Home,
        Code::End => KeyCode::End,
        Code::PageUp => KeyCode::PageUp,
        Code::PageDown => KeyCode::PageDown,
        Code::Tab => KeyCode::Tab,
        Code::BackTab => KeyCode::BackTab,
        Code::Delete => KeyCode::Delete,
        Code::Insert => KeyCode::Insert,
        Code::F(n) => KeyCode::F(n),
        Code::Char(c) => KeyCode::Char(c),
        Code::Esc => KeyCode::Esc,
        _ => KeyCode::Unnamed,
    };
    let mut modifiers = KeyModifiers::NONE;
    for (held, modifier) in [
        (Modifiers::CONTROL, KeyModifiers::CONTROL),
        (Modifiers::ALT, KeyModifiers::ALT),
        (Modifiers::SHIFT, KeyModifiers::SHIFT),
    ] {
        let shows_in_code =
            matches!(code, KeyCode::Char(_) | KeyCode::BackTab) && modifier == KeyModifiers::SHIFT;
        if event.modifiers.contains(held) && !shows_in_code {
            modifiers |= modifier;
        }
    }
    Key { code, modifiers }
}

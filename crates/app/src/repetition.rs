//! Counts before a command, and the command that `repeat` runs again.

use crate::command::{Command, Topic};
use crate::keys::{Key, KeyCode, KeyModifiers};

/// Largest count, so that a slip of the finger does not stop the program for long.
const MAX_COUNT: usize = 9_999;

/// Count that is being typed, and the last command that can be repeated.
#[derive(Clone, Debug, Default)]
pub struct Repetition {
    count: Option<usize>,
    last: Option<CommandCall>,
}

/// Command as it was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommandCall {
    /// Command.
    pub command: Command,
    /// Number of times it was run.
    pub count: usize,
    /// Argument written after its name in the palette.
    pub argument: Option<String>,
}

impl Repetition {
    /// Takes a key that no keymap binds as a digit of the count, and returns the count so far; `None`
    /// if the key is no digit. The first digit needs `alt`, as the digits alone show views.
    pub(crate) fn take_digit(&mut self, key: Key) -> Option<usize> {
        let KeyCode::Char(c) = key.code else {
            return None;
        };
        let digit = c.to_digit(10)? as usize;
        let is_alt = key.modifiers == KeyModifiers::ALT;
        if !is_alt && (self.count.is_none() || !key.modifiers.is_empty()) {
            return None;
        }
        let count = self.count.unwrap_or(0) * 10 + digit;
        self.count = Some(count.min(MAX_COUNT));
        self.count
    }

    /// Count for the next command, which ends it; 1 if none was typed.
    pub(crate) fn take_count(&mut self) -> usize {
        self.count.take().unwrap_or(1).max(1)
    }

    /// Whether a count is being typed.
    pub(crate) fn is_counting(&self) -> bool {
        self.count.is_some()
    }

    /// Remembers a command for `repeat`, unless it moves the cursor, edits a line, concerns the whole
    /// program or takes back another one.
    pub(crate) fn remember(&mut self, call: CommandCall) {
        let topic = call.command.info().topic;
        let is_repeatable = matches!(topic, Topic::Find | Topic::Select | Topic::View)
            && !matches!(
                call.command,
                Command::Undo | Command::Redo | Command::Repeat
            );
        if is_repeatable {
            self.last = Some(call);
        }
    }

    /// Command that `repeat` runs.
    pub(crate) fn last(&self) -> Option<&CommandCall> {
        self.last.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> Key {
        Key::parse(text).unwrap()
    }

    #[test]
    fn a_count_begins_with_alt_and_goes_on_with_digits() {
        let mut repetition = Repetition::default();
        assert_eq!(repetition.take_digit(key("5")), None);
        assert_eq!(repetition.take_digit(key("alt-1")), Some(1));
        assert_eq!(repetition.take_digit(key("2")), Some(12));
        assert_eq!(repetition.take_digit(key("alt-0")), Some(120));
        assert_eq!(repetition.take_digit(key("j")), None);
        assert_eq!(repetition.take_count(), 120);
        assert_eq!(repetition.take_count(), 1);
        for _ in 0..30 {
            repetition.take_digit(key("alt-9"));
        }
        assert_eq!(repetition.take_count(), MAX_COUNT);
    }
}

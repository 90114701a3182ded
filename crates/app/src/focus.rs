//! Keys, hints and labels of commands while a view, a pane or a popup has the keyboard focus.

use crate::command::Command;
use crate::keymap::KeyScope;

/// Keys and hints of what has the keyboard focus.
#[derive(Clone, Copy, Debug)]
pub struct Focus {
    /// Scopes of the keymap, the innermost first; global scopes follow.
    pub keys: &'static [KeyScope],
    /// Commands worth a hint, the most useful first.
    pub hints: &'static [Command],
    /// Labels of commands that differ from their usual hints.
    pub labels: &'static [(Command, &'static str)],
}

impl Focus {
    /// Short label of a command.
    pub fn label(&self, command: Command) -> &'static str {
        let own = self.labels.iter().find(|(of, _)| *of == command);
        own.map_or(command.info().hint, |(_, label)| label)
    }
}

/// List of commands, written without commas and paths.
macro_rules! commands {
    ($($command:ident)*) => { &[$($crate::command::Command::$command),*] };
}
pub(crate) use commands;

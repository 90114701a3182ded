//! Order of options and the command.

use std::ffi::OsString;

use clap::{ArgAction, Command};

/// Arguments with the command before its options: `--system FILE hung` is `hung --system FILE`.
pub fn command_first(definition: &Command, mut args: Vec<OsString>) -> Vec<OsString> {
    let mut at = 1;
    while let Some(arg) = args.get(at).and_then(|arg| arg.to_str()) {
        if !arg.starts_with('-') || arg == "-" {
            if definition.find_subcommand(arg).is_some() {
                args[1..=at].rotate_right(1);
            }
            break;
        }
        if arg == "--" {
            break;
        }
        at += if takes_next(definition, arg) { 2 } else { 1 };
    }
    args
}

/// True if the value of an option is the next argument.
fn takes_next(definition: &Command, option: &str) -> bool {
    let is_it = |arg: &clap::Arg| match option.strip_prefix("--") {
        Some(long) => arg.get_long() == Some(long),
        None => arg
            .get_short()
            .is_some_and(|short| option == format!("-{short}")),
    };
    let commands = definition.get_subcommands();
    let all = [definition].into_iter().chain(commands);
    let mut args = all.flat_map(Command::get_arguments);
    let found = args.find(|arg| is_it(arg));
    found.is_some_and(|arg| matches!(arg.get_action(), ArgAction::Set | ArgAction::Append))
}

//! Commands that answer questions about a run, as plain values: their names, their options, their help.

use std::any::TypeId;
use std::collections::BTreeSet;

use clap::{Arg, ArgAction, Args};

use super::{RunArgs, definition};

/// Commands that answer, the first question first.
const COMMANDS: [&str; 10] = [
    "diagnose", "hung", "sources", "events", "trace", "entities", "keys", "latency", "states",
    "joins",
];

/// Arguments of these commands that a question does not have: an answer ends, and its text is all of it.
const OMITTED: [&str; 4] = ["subject", "help", "follow", "exit_code"];

/// Values that an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionValue {
    /// None: the option stands alone.
    Flag,
    /// One text.
    Text,
    /// One number that is not negative.
    Number,
    /// Any number of texts.
    Texts,
}

/// Option of a command, without those of its input and of the form of its output.
#[derive(Clone, Debug)]
pub struct QuestionOption {
    /// Name without dashes.
    pub name: String,
    /// Help.
    pub help: String,
    /// Values.
    pub value: QuestionValue,
}

/// Command that answers a question about a run.
#[derive(Clone, Debug)]
pub struct Question {
    /// Name of the command.
    pub name: &'static str,
    /// Help of the command.
    pub about: String,
    /// Options.
    pub options: Vec<QuestionOption>,
    /// Name of the option without which the command answers nothing.
    pub required: Option<String>,
}

/// Commands that answer questions, from the definition of the command line.
pub fn questions() -> Vec<Question> {
    let all = definition();
    let input = RunArgs::augment_args(clap::Command::new("input"));
    let input = input.get_arguments().map(|arg| arg.get_id().to_string());
    let left_out: BTreeSet<String> = input.chain(OMITTED.map(str::to_owned)).collect();
    let question = |name: &'static str| {
        let command = all.find_subcommand(name)?;
        let arguments = || command.get_arguments();
        let subject = arguments().find(|arg| arg.get_id() == "subject");
        let is_offered =
            |arg: &&Arg| !left_out.contains(arg.get_id().as_str()) && !arg.is_hide_set();
        let option = |arg: &Arg| {
            // The option says how it stands for the subject, which says what it is.
            let described = subject.filter(|_| arg.get_id() == "of").unwrap_or(arg);
            let help = described.get_help().map(ToString::to_string);
            Some(QuestionOption {
                name: arg.get_long()?.to_owned(),
                help: help.unwrap_or_default(),
                value: match arg.get_action() {
                    ArgAction::SetTrue => QuestionValue::Flag,
                    ArgAction::Append => QuestionValue::Texts,
                    _ if arg.get_value_parser().type_id() == TypeId::of::<usize>() => {
                        QuestionValue::Number
                    }
                    _ => QuestionValue::Text,
                },
            })
        };
        let of = arguments().find(|arg| arg.get_id() == "of");
        let needs_subject = command.clone().try_get_matches_from([name]).is_err();
        Some(Question {
            name,
            about: command
                .get_about()
                .map(ToString::to_string)
                .unwrap_or_default(),
            options: arguments().filter(is_offered).filter_map(option).collect(),
            required: of
                .and_then(Arg::get_long)
                .filter(|_| needs_subject)
                .map(str::to_owned),
        })
    };
    COMMANDS.into_iter().filter_map(question).collect()
}

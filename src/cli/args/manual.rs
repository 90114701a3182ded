//! `widetui man`: one page with all commands, from their help.

use std::collections::BTreeSet;
use std::io::{self, Write};

use clap::{Args, Command};
use clap_mangen::Man;

use super::{RunArgs, SelectArgs, definition};

/// Operators of expressions and their meanings.
const EXPRESSIONS: [(&str, &str); 10] = [
    ("parsl.task = 7, !=", "equal by the type of the key: 7, 07"),
    (
        "line < 100, <=, >, >=",
        "numbers, times and levels in their order",
    ),
    (
        "level >= warning",
        "trace, debug, info, warning, error, critical",
    ),
    (
        "time >= 18:03:20",
        "a time of day at the start of the run, or any date with a time",
    ),
    (
        "source ~ worker, message ~ /lost (worker|manager)/, !~",
        "a regular expression on the original spelling; between slashes with blanks",
    ),
    ("parsl.task in (1, 2, 3)", "one of several values"),
    ("has parsl.task", "events with the key"),
    ("timeout \"lost manager\"", "words and texts in the message"),
    (
        "and, or, not, ( )",
        "words side by side are joined by 'and'",
    ),
    (
        "`odd key`",
        "a key with other characters than letters, digits and dots",
    ),
];

/// Exit statuses.
const STATUSES: [(&str, &str); 3] = [
    (
        "0",
        "Done, also if hung and diagnose find nothing. Input that could not be read is reported on standard error.",
    ),
    ("1", "Nothing matches."),
    (
        "2",
        "The command line is wrong, no input could be read, the output could not be written, or the answer lacks text that could not be read again.",
    ),
];

/// Files and environment variables. A variable that is empty counts as not set.
const FILES: [(&str, &str); 11] = [
    (
        "$XDG_CONFIG_HOME/widetui/",
        "Definitions in systems/, themes in themes/, keymaps in keymaps/, settings in config.toml ($HOME/.config if the variable is not set).",
    ),
    (
        "$XDG_STATE_HOME/widetui/",
        "Marks, notes, workspaces and the history of input ($HOME/.local/state if the variable is not set).",
    ),
    (
        "TMPDIR",
        "Folder of the text of archives and compressed files that --memory has no room for, while the program runs (/tmp).",
    ),
    (
        "WIDETUI_THEME, WIDETUI_KEYMAP, WIDETUI_PLOTS",
        "Used where --theme, --keymap or --plots is not given; they come before config.toml.",
    ),
    (
        "NO_COLOR",
        "If set, no colours are used unless --color is given.",
    ),
    (
        "TERM, COLORTERM",
        "Number of colours, and what the terminal can erase and scroll. No colours and no explorer if TERM is dumb.",
    ),
    (
        "LC_ALL, LC_CTYPE, LANG",
        "The first one that is set decides: characters other than ASCII are drawn if it names UTF-8, or none is set.",
    ),
    (
        "TZ",
        "Zone of times without one, if neither --tz nor the logs state it; zone of --display-tz local.",
    ),
    (
        "TMUX, STY",
        "Copied text is passed on by tmux or GNU screen.",
    ),
    (
        "MALLOC_ARENA_MAX",
        "Set by the program for itself where 'ulimit -v' leaves less than 1 GiB.",
    ),
    (
        "$HOME",
        "Folder of the exports of the explorer where the current one is inside the opened logs.",
    ),
];

/// Places where shells find completions.
const COMPLETIONS: [(&str, &str); 3] = [
    (
        "bash",
        "widetui completions bash > ~/.local/share/bash-completion/completions/widetui (with the package bash-completion)",
    ),
    (
        "zsh",
        "widetui completions zsh > ~/.zfunc/_widetui, and in .zshrc before compinit: fpath+=~/.zfunc",
    ),
    (
        "fish",
        "widetui completions fish > ~/.config/fish/completions/widetui.fish",
    ),
];

/// Writes the manual page as roff.
///
/// # Errors
/// Errors of `out`; writing into memory has none.
pub fn page(out: &mut Vec<u8>) -> io::Result<()> {
    let mut all = definition();
    all.build();
    let man = Man::new(all.clone());
    man.render_title(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
    man.render_description_section(out)?;
    man.render_options_section(out)?;
    section(out, "COMMANDS")?;
    paragraph(
        out,
        "Arguments of a command come before the PATHs. Besides their own options commands take those of the sections below.",
    )?;
    let run = RunArgs::augment_args(Command::new("run"));
    let select = SelectArgs::augment_args(Command::new("select"));
    let shared: BTreeSet<String> = [&run, &select]
        .into_iter()
        .flat_map(|c| c.get_arguments().map(|a| a.get_id().to_string()))
        .collect();
    for command in all.get_subcommands() {
        if command.get_name() != "help" {
            of_command(out, command, &["widetui"], &shared)?;
        }
    }
    options(out, "OPTIONS THAT CHOOSE EVENTS", select)?;
    let run = run.mut_arg("paths", |a| a.hide(true));
    options(out, "OPTIONS OF ALL COMMANDS THAT READ", run)?;
    listed(out, "EXPRESSIONS", &EXPRESSIONS)?;
    listed(out, "EXIT STATUS", &STATUSES)?;
    listed(out, "FILES AND ENVIRONMENT", &FILES)?;
    listed(out, "COMPLETIONS", &COMPLETIONS)?;
    man.render_version_section(out)
}

/// A command with its own options, and its subcommands.
fn of_command(
    out: &mut Vec<u8>,
    command: &Command,
    above: &[&str],
    shared: &BTreeSet<String>,
) -> io::Result<()> {
    let names = [above, &[command.get_name()]].concat();
    writeln!(out, ".SS \"{}\"", names.join(" "))?;
    let is_own = |a: &clap::Arg| !shared.contains(a.get_id().as_str()) && a.get_id() != "help";
    let all: Vec<String> = command
        .get_arguments()
        .map(|a| a.get_id().to_string())
        .collect();
    let own = all.iter().fold(command.clone(), |command, id| {
        command.mut_arg(id, |a| match is_own(&a) {
            true => a,
            false => a.hide(true),
        })
    });
    let usage = command.clone().render_usage().to_string();
    paragraph(out, usage.trim_start_matches("Usage: "))?;
    if let Some(about) = command.get_about() {
        paragraph(out, &about.to_string())?;
    }
    let mut rows = Vec::new();
    Man::new(own).render_options_section(&mut rows)?;
    unheaded(out, &rows)?;
    let below = command.get_subcommands();
    for command in below.filter(|c| c.get_name() != "help") {
        of_command(out, command, &names, shared)?;
    }
    Ok(())
}

/// A section with the options of a command.
fn options(out: &mut Vec<u8>, heading: &str, command: Command) -> io::Result<()> {
    section(out, heading)?;
    let mut rows = Vec::new();
    let command = command.disable_help_flag(true);
    Man::new(command).render_options_section(&mut rows)?;
    unheaded(out, &rows)
}

/// Options without their heading.
fn unheaded(out: &mut Vec<u8>, rows: &[u8]) -> io::Result<()> {
    let text = String::from_utf8_lossy(rows);
    for line in text.lines().filter(|l| !l.starts_with(".SH")) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn section(out: &mut Vec<u8>, heading: &str) -> io::Result<()> {
    writeln!(out, ".SH \"{heading}\"")
}

fn paragraph(out: &mut Vec<u8>, text: &str) -> io::Result<()> {
    writeln!(out, ".PP\n{}", escaped(text))
}

/// A section of names and their meanings.
fn listed(out: &mut Vec<u8>, heading: &str, rows: &[(&str, &str)]) -> io::Result<()> {
    section(out, heading)?;
    for (name, meaning) in rows {
        writeln!(out, ".TP\n\\fB{}\\fR\n{}", escaped(name), escaped(meaning))?;
    }
    Ok(())
}

/// Text with the requests of roff escaped.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    let text = text.replace('~', "\\(ti").replace('`', "\\(ga");
    match text.starts_with(['.', '\'']) {
        true => format!("\\&{text}"),
        false => text,
    }
}

//! The tables of commands and options against the arguments that the program accepts.

use clap::CommandFactory;

use super::Cli;

/// Page with the tables.
const PAGE: &str = include_str!("../../../docs/src/commands.md");

/// Arguments by the name in the page's table of options: the explorer, or a command.
fn accepted() -> Vec<(String, Vec<clap::Arg>)> {
    let cli = Cli::command();
    let args = |command: &clap::Command| command.get_arguments().cloned().collect::<Vec<_>>();
    let mut all = vec![("explorer".to_owned(), args(&cli))];
    for command in cli.get_subcommands() {
        let name = command.get_name();
        all.push((name.to_owned(), args(command)));
        // A subcommand with options has its own row: `systems draft`.
        let inner = command.get_subcommands().map(|c| (c, args(c)));
        let inner = inner.filter(|(_, args)| args.iter().any(|a| a.get_long().is_some()));
        all.extend(inner.map(|(c, args)| (format!("{name} {}", c.get_name()), args)));
    }
    all
}

/// Options in a text: `--where`.
fn options(text: &str) -> Vec<String> {
    let option = regex::Regex::new(r"[`\[ ]--([a-z][a-z-]*)").unwrap();
    let found = option.captures_iter(text).map(|c| c[1].to_owned());
    found.collect()
}

/// The tables of commands and options agree with the program: each command has one row; each option that it takes is
/// described there, or in a row of the options for this command; no row names an option that its command does not take.
#[test]
fn the_tables_of_commands_and_options_are_those_of_the_program() {
    let accepted = accepted();
    let takes = |command: &str, option: &str| {
        let found = accepted.iter().find(|(name, _)| name == command);
        let (_, args) = found.unwrap_or_else(|| panic!("no command is called {command}"));
        args.iter().any(|a| a.get_long() == Some(option))
    };
    let opens: Vec<&str> = accepted
        .iter()
        .map(|(name, _)| name.as_str())
        .filter(|name| takes(name, "tz"))
        .collect();
    let mut wrong = Vec::new();
    // (option, command) pairs in the table of options.
    let mut described: Vec<(String, String)> = Vec::new();
    let lines = PAGE.lines().skip_while(|l| !l.starts_with("| option |"));
    for line in lines.skip(2).take_while(|l| l.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [names, commands, _] = cells[..] else {
            wrong.push(format!("not three cells: {line}"));
            continue;
        };
        // `trace --account` is about `trace`.
        let listed = |text: &str| -> Vec<String> {
            let words = text.split(',').filter_map(|c| c.split_whitespace().next());
            let with_demo = words.flat_map(|word| match word {
                "explorer" => vec!["explorer", "demo"],
                word => vec![word],
            });
            with_demo.map(str::to_owned).collect()
        };
        let commands = match commands.strip_prefix("all") {
            None => listed(commands),
            Some(but) => {
                let but = listed(but.trim_start().trim_start_matches("but "));
                let all = opens.iter().map(|name| (*name).to_owned());
                all.filter(|name| !but.contains(name)).collect()
            }
        };
        for option in options(names) {
            described.extend(commands.iter().map(|c| (option.clone(), c.clone())));
        }
    }
    for (option, command) in &described {
        if !takes(command, option) {
            wrong.push(format!("`{command}` takes no --{option}"));
        }
    }
    for (command, args) in &accepted {
        let start = match command.as_str() {
            "explorer" => "| `widetui [PATH]...`".to_owned(),
            name => format!("| `widetui {name}"),
        };
        let rows: Vec<&str> = PAGE
            .lines()
            .filter(|l| {
                l.strip_prefix(&start)
                    .is_some_and(|rest| rest.starts_with([' ', '`']))
            })
            .filter(|l| {
                let within = format!("{start} ");
                let inner = accepted
                    .iter()
                    .map(|(name, _)| format!("| `widetui {name} "));
                { inner }.all(|inner| {
                    !inner.starts_with(&within) || inner == within || !l.starts_with(&inner)
                })
            })
            .collect();
        let [row] = rows[..] else {
            wrong.push(format!("{} rows for `{command}`", rows.len()));
            continue;
        };
        for option in options(row).iter().filter(|o| !takes(command, o)) {
            wrong.push(format!("its row: `{command}` takes no --{option}"));
        }
        for arg in args.iter().filter(|a| !a.is_hide_set()) {
            let Some(long) = arg.get_long() else { continue };
            let is_described = described.iter().any(|(o, c)| o == long && c == command);
            let short = arg.get_short().map(|short| format!("-{short} "));
            let is_in_row = options(row).iter().any(|o| o == long)
                || short.is_some_and(|short| row.contains(&short));
            if !is_described && !is_in_row {
                wrong.push(format!("--{long} of `{command}` is not described"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every command is in one group of the help, and the help shows its summary.
#[test]
fn the_help_has_each_command_once() {
    let mut definition = super::definition();
    let help = definition.render_help().to_string();
    let names = super::GROUPS.iter().flat_map(|(_, names)| *names);
    let mut grouped: Vec<&str> = names.copied().collect();
    grouped.sort_unstable();
    let mut all = super::command_names();
    all.sort();
    assert_eq!(grouped, all);
    for command in Cli::command().get_subcommands() {
        let about = command.get_about().unwrap().to_string();
        let line = format!("  {:<11}  {about}\n", command.get_name());
        assert!(help.contains(&line), "{line}{help}");
    }
    let [hung, events] = ["\n  hung ", "\n  events "].map(|line| help.find(line).unwrap());
    assert!(hung < events, "{help}");
    for example in ["widetui hung runinfo.tar.gz", "Usage: widetui", "--theme"] {
        assert!(help.contains(example), "{example}\n{help}");
    }
}

/// Completions suggest names that the definitions, themes and keymaps have, and other names are accepted.
#[test]
fn completions_suggest_known_names() {
    let mut script = Vec::new();
    let shell = clap_complete::Shell::Bash;
    clap_complete::generate(shell, &mut super::definition(), "widetui", &mut script);
    let script = String::from_utf8(script).unwrap();
    for name in [
        "high-contrast",
        "emacs",
        "parsl.try",
        "slurm.job",
        "timeline:",
        "parsl.worker",
        "parsl.pending_tasks",
    ] {
        // Values of options stand in lines of their own, those of arguments among the options.
        let is_suggested = |line: &str| {
            let is_list = line.contains("compgen -W") || line.trim_start().starts_with("opts=");
            is_list && line.contains(name)
        };
        assert!(script.lines().any(is_suggested), "{name}");
    }
    for arguments in [
        &["--theme", "ours", "runinfo"][..],
        &["states", "our.job", "runinfo"],
        &["series", "our.number", "--by", "our.key", "runinfo"],
    ] {
        let all = ["widetui"].iter().chain(arguments);
        assert!(super::definition().try_get_matches_from(all).is_ok());
    }
}

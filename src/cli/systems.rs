//! `widetui systems`: definitions in force, checking one, drafting one.

use std::io::Write;
use std::path::Path;

use crate::format::systems::Systems;
use crate::workspace::definitions::{self, check};

use super::args::SystemsCommand;
use super::config::user_files;
use super::draft;
use super::output::{Failure, SheetAlign, stdout, table};

/// Lists definitions, checks one, or drafts one.
pub fn run(what: Option<SystemsCommand>) -> Result<(), Failure> {
    match what {
        None => list(),
        Some(SystemsCommand::Check { file }) => check_file(&file),
        Some(SystemsCommand::Draft(command)) => draft::print(&command),
    }
}

/// The definitions in force: built-in ones, and those of the user that add to them or replace them.
fn list() -> Result<(), Failure> {
    let mut systems = Systems::builtin();
    for (file, text) in user_files("systems").map_err(Failure::Message)? {
        definitions::add(&mut systems, &file, &text)
            .map_err(|e| Failure::Message(e.to_string()))?;
    }
    let rows: Vec<Vec<String>> = systems
        .iter()
        .map(|system| {
            let def = &system.def;
            let patterns: usize = def.messages.iter().map(|m| m.patterns.len()).sum();
            vec![
                system.name().to_owned(),
                def.title.clone(),
                def.source.len().to_string(),
                (def.layout.len() + def.json.len()).to_string(),
                patterns.to_string(),
                def.keys.len().to_string(),
                if system.builtin {
                    "built in".to_owned()
                } else {
                    system.file.clone()
                },
            ]
        })
        .collect();
    let columns = [
        ("system", SheetAlign::Left),
        ("", SheetAlign::Left),
        ("kinds", SheetAlign::Right),
        ("layouts", SheetAlign::Right),
        ("messages", SheetAlign::Right),
        ("keys", SheetAlign::Right),
        ("from", SheetAlign::Left),
    ];
    let mut out = stdout();
    table(&mut out, &columns, &rows)?;
    Ok(out.flush()?)
}

fn check_file(path: &Path) -> Result<(), Failure> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|e| Failure::Message(format!("{name}: cannot be read: {e}")))?;
    let errors = check(&name, &text);
    let mut out = stdout();
    if errors.is_empty() {
        writeln!(out, "{name}: good")?;
        return Ok(out.flush()?);
    }
    for error in &errors {
        writeln!(out, "{error}")?;
    }
    out.flush()?;
    Err(Failure::Message(match errors.len() {
        1 => format!("{name}: 1 mistake"),
        n => format!("{name}: {n} mistakes"),
    }))
}

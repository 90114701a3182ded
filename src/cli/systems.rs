//! `widetui systems`: lists, checks and drafts definitions, and prints their schema.

use std::io::Write;
use std::path::Path;

use serde_json::Value as Json;

use widetui_definition::schema;
use widetui_format::definitions::systems::Systems;
use widetui_session::definitions::{self, check};

use super::args::{Format, SystemsCommand};
use super::config::user_files;
use super::draft;
use super::open::unreadable;
use super::output::{Failure, stdout};
use super::sheet::{PrintedSheet, cell, left, log_text, number, right};

/// `widetui systems`.
pub fn run(what: Option<SystemsCommand>, format: Format) -> Result<(), Failure> {
    match what {
        None => list(format),
        Some(SystemsCommand::Check { file }) => check_file(&file),
        Some(SystemsCommand::Draft(command)) => draft::print(&command),
        Some(SystemsCommand::Schema) => print_schema(),
    }
}

/// Lists the definitions in force: built-in ones, and those of the user, which add to them or replace them.
fn list(format: Format) -> Result<(), Failure> {
    let mut systems = Systems::builtin();
    for (file, text) in user_files("systems").map_err(Failure::Message)? {
        definitions::add(&mut systems, &file, &text)
            .map_err(|e| Failure::Message(e.to_string()))?;
    }
    let mut sheet = PrintedSheet::new(vec![
        left("system", "system"),
        left("title", ""),
        right("kinds", "kinds"),
        right("layouts", "layouts"),
        right("messages", "messages"),
        right("keys", "keys"),
        left("from", "from"),
    ]);
    for system in systems.iter() {
        let def = &system.def;
        let patterns: usize = def.messages.iter().map(|m| m.patterns.len()).sum();
        let from = match system.builtin {
            true => cell(Json::Null, "built in"),
            false => log_text(&system.file),
        };
        sheet.push(vec![
            log_text(system.name()),
            log_text(&def.title),
            number(def.source.len() as u64),
            number((def.layout.len() + def.json.len()) as u64),
            number(patterns as u64),
            number(def.keys.len() as u64),
            from,
        ]);
    }
    sheet.print(format, || Failure::Nothing)
}

fn print_schema() -> Result<(), Failure> {
    let mut out = stdout();
    writeln!(out, "{:#}", schema::of_definition().as_value())?;
    Ok(out.flush()?)
}

fn check_file(path: &Path) -> Result<(), Failure> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|e| unreadable("", path, &e))?;
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

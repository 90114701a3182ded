//! `widetui systems`: lists, checks and drafts definitions, and prints their schema.

use std::io::Write;
use std::path::Path;

use widetui_definition::schema;
use widetui_format::definitions::systems::{System, Systems};
use widetui_session::definitions::{self, check};
use widetui_tables::schema::{Schema, SchemaColumn};
use widetui_tables::table::Cell;

use super::args::{Format, SystemsCommand};
use super::config::user_files;
use super::draft;
use super::open::unreadable;
use super::output::{Failure, stdout, warn};
use super::sheet::PrintedSheet;

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
    let mut problems = Vec::new();
    for (file, text) in user_files("systems", &mut problems) {
        if let Err(error) = definitions::add(&mut systems, &file, &text) {
            problems.push(error.to_string());
        }
    }
    problems.iter().for_each(warn);
    type Col = SchemaColumn<System>;
    let schema = Schema::from(vec![
        Col::text("system", |system| system.name().to_owned()),
        Col::text("title", |system| system.def.title.clone()).heading(""),
        Col::count("kinds", |system| system.def.source.len() as u64),
        Col::count("layouts", |system| {
            (system.def.layout.len() + system.def.json.len()) as u64
        }),
        Col::count("messages", |system| {
            let patterns = system.def.messages.iter().map(|m| m.patterns.len());
            patterns.sum::<usize>() as u64
        }),
        Col::count("keys", |system| system.def.keys.len() as u64),
        Col::text("from", |system| {
            (!system.builtin).then(|| system.file.clone())
        })
        .cell(|system| {
            Cell::Text(match system.builtin {
                true => "built in".to_owned(),
                false => system.file.clone(),
            })
        }),
    ]);
    let sheet = PrintedSheet::from(schema.sheet(systems.iter().map(|s| &**s), |_| String::new()));
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

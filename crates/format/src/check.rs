//! Checks definitions: names, patterns, and that samples produce the values that they state.

use std::collections::BTreeMap;

use widetui_core::level::Level;
use widetui_time::timeparse::TimePattern;

use crate::catalog::keys::Keys;
use crate::definitions::systems::{System, Systems, read, read_in_part};
use crate::interleaved::LineStart;
use crate::json::compose::Compose;
use crate::json::nested_values::Pick;
use crate::layout::Layout;
use crate::pattern::glob::PathGlob;
use crate::pattern::message_time::MessageTime;
use crate::pattern::parts::expand;
use crate::pattern::{Pattern, PatternError};
use widetui_definition::error::{DefError, FileText, unknown};
use widetui_definition::error_recovery::CutParts;
use widetui_definition::syntax::{Definition, FullMessage, MessageDef};
use widetui_definition::text::Text;

pub mod read;
mod samples;

/// Errors of a definition, checked as if it were added to the built-in ones.
pub fn check(file: &str, text: &str) -> Vec<DefError> {
    check_with(Systems::builtin(), file, text)
}

/// As [`check`], with other definitions than the built-in ones.
pub(crate) fn check_with(mut systems: Systems, file: &str, text: &str) -> Vec<DefError> {
    let (system, mut errors) = in_text(&mut systems, file, text);
    match system {
        Some(name) if errors.is_empty() => samples::samples(&systems, &name),
        _ => {
            errors.sort_by_key(|e| (e.line, e.column));
            errors
        }
    }
}

/// Errors in the syntax and the names of a definition; adds the readable part of it to `systems` and returns its name.
/// Samples are not checked.
pub fn in_text(systems: &mut Systems, file: &str, text: &str) -> (Option<String>, Vec<DefError>) {
    let (system, mut errors, cut) = read_in_part(file, text);
    let Some(system) = system else {
        return (None, errors);
    };
    let name = system.name().to_owned();
    systems.put(system);
    errors.extend(names_except(systems, &name, &cut));
    (Some(name), errors)
}

/// Patterns that do not compile, and names that do not exist.
pub(crate) fn names(systems: &Systems, name: &str) -> Vec<DefError> {
    names_except(systems, name, &CutParts::default())
}

/// As [`names`], for a definition of which parts were dropped.
fn names_except(systems: &Systems, name: &str, cut: &CutParts) -> Vec<DefError> {
    let Some(system) = systems.get(name) else {
        return Vec::new();
    };
    let mut errors = in_levels(system);
    errors.extend(in_layouts(system));
    errors.extend(in_dialects(system));
    errors.extend(in_messages(system));
    errors.extend(in_sources(system, cut));
    errors.extend(unknown_names(system, systems, cut));
    errors.sort_by_key(|e| (e.line, e.column));
    errors
}

/// Level names that do not exist.
fn in_levels(system: &System) -> Vec<DefError> {
    let (def, origin) = (&system.def, system.origin());
    let mut errors = Vec::new();
    for (table, spelled) in level_tables(def) {
        for (word, level) in spelled {
            if Level::parse(level.as_bytes()).is_none() {
                errors.push(
                    origin.error(table.span().start, format!("'{word}': {}", no_level(level))),
                );
            }
        }
    }
    errors
}

/// Errors in patterns and times of layouts.
fn in_layouts(system: &System) -> Vec<DefError> {
    let (def, origin) = (&system.def, system.origin());
    let mut errors = Vec::new();
    let keys = Keys::default();
    for layout in &def.layout {
        if let Err(e) = Layout::compile("", layout.pattern.get_ref(), &keys) {
            errors.push(in_string(origin, &layout.pattern, &e));
        }
        for time in &layout.times {
            if let Err(e) = MessageTime::compile(time.get_ref()) {
                errors.push(in_string(origin, time, &e));
            }
        }
        let pattern = Pattern::compile(layout.pattern.get_ref());
        let has_lead = pattern.is_ok_and(|p| LineStart::of(&p).is_some());
        if !layout.amid.is_empty() && !has_lead {
            let text = "an interleaved layout must start with literal text, or with a number and literal text";
            errors.push(origin.error_in_string(layout.pattern.span(), 0, text.to_owned()));
        }
    }
    errors
}

/// Errors in times, composed messages and picked fields of JSON dialects.
fn in_dialects(system: &System) -> Vec<DefError> {
    let (def, origin) = (&system.def, system.origin());
    let mut errors = Vec::new();
    for dialect in &def.json {
        if let Some(text) = &dialect.compose
            && let Err(e) = Compose::compile(text.get_ref())
        {
            errors.push(in_string(origin, text, &e));
        }
        for time in &dialect.time {
            if let Some((field, pattern)) = time.get_ref().split_once(':')
                && let Err(e) = TimePattern::compile(pattern)
            {
                let at = field.len() + 1;
                errors.push(origin.error_in_string(time.span(), at, e.to_string()));
            }
        }
    }
    for pick in def.json.iter().flat_map(|d| &d.pick) {
        if Pick::parse(pick.get_ref()).is_none() {
            let text = "not an element of an array: write field[0], field[-1] or field[0].name";
            errors.push(origin.error_in_string(pick.span(), 0, text.to_owned()));
        }
    }
    errors
}

/// Errors in levels, fields and patterns of messages.
fn in_messages(system: &System) -> Vec<DefError> {
    let (def, origin) = (&system.def, system.origin());
    let mut errors = Vec::new();
    for table in &def.messages {
        errors.extend(in_lines(origin, &table.lines));
    }
    for message in def.messages.iter().flat_map(|m| &m.patterns) {
        if let MessageDef::Full(full) = message.get_ref() {
            errors.extend(in_full_message(origin, full));
        }
        let all = expand(&def.parts, message.get_ref().pattern());
        let bad = all.and_then(|all| all.iter().try_for_each(|p| Pattern::compile(p).map(drop)));
        if let Err(e) = bad {
            let span = match message.get_ref() {
                MessageDef::Plain(_) => message.span(),
                MessageDef::Full(full) => full.pattern.span(),
            };
            errors.push(origin.error_in_string(span, e.at, e.text));
        }
    }
    errors
}

/// Errors in the further settings of a message.
fn in_full_message(origin: FileText<'_>, full: &FullMessage) -> Vec<DefError> {
    let mut errors = Vec::new();
    if let Some(level) = &full.level
        && Level::parse(level.as_bytes()).is_none()
    {
        errors.push(origin.error(full.pattern.span().start, no_level(level)));
    }
    for of in full.same.values() {
        if !full.pattern.get_ref().contains(of.get_ref().as_str()) {
            let text = "the pattern has no field of this name".to_owned();
            errors.push(origin.error_in_string(of.span(), 0, text));
        }
    }
    errors.extend(in_lines(origin, &full.lines));
    errors
}

/// Errors in patterns of continuation lines.
fn in_lines(origin: FileText<'_>, lines: &[Text]) -> impl Iterator<Item = DefError> {
    lines.iter().filter_map(move |line| {
        let error = Pattern::compile(line.get_ref()).err()?;
        Some(in_string(origin, line, &error))
    })
}

/// Errors in globs, and sources that nothing can match.
fn in_sources(system: &System, cut: &CutParts) -> Vec<DefError> {
    let (def, origin) = (&system.def, system.origin());
    let mut errors = Vec::new();
    for source in &def.source {
        for glob in &source.glob {
            if let Err(e) = PathGlob::compile(glob.get_ref()) {
                errors.push(in_string(origin, glob, &e));
            }
        }
        let says_nothing =
            source.glob.is_empty() && source.layouts.is_empty() && source.json.is_empty();
        if says_nothing && !cut.touches(source.kind.span().start) {
            errors.push(origin.error(
                source.kind.span().start,
                "a source needs a glob, layouts or JSON dialects",
            ));
        }
    }
    errors
}

/// Names of layouts, dialects and scopes that exist neither in this definition nor in another one.
fn unknown_names(system: &System, systems: &Systems, cut: &CutParts) -> Vec<DefError> {
    let (def, origin) = (&system.def, system.origin());
    let other = |text: &str, find: fn(&System, &str) -> bool| {
        text.split_once('.')
            .is_some_and(|(s, n)| systems.get(s).is_some_and(|s| find(s, n)))
    };
    let mut errors = Vec::new();
    let mut look_up = |what, wanted: &Text, find: fn(&System, &str) -> bool, own: &[&str]| {
        let is_cut = || cut.names(wanted.get_ref());
        if !find(system, wanted.get_ref()) && !other(wanted.get_ref(), find) && !is_cut() {
            errors.push(missing(origin, what, wanted, own));
        }
    };
    let layouts: Vec<&str> = def
        .layout
        .iter()
        .map(|l| l.name.get_ref().as_str())
        .collect();
    let dialects: Vec<&str> = def.json.iter().map(|j| j.name.get_ref().as_str()).collect();
    let scopes = def.messages.iter();
    let scopes: Vec<&str> = scopes.map(|m| m.scope.get_ref().as_str()).collect();
    for wanted in def.source.iter().flat_map(|s| &s.layouts) {
        let found = |s: &System, n: &str| s.def.layout.iter().any(|l| l.name.get_ref() == n);
        look_up("layout", wanted, found, &layouts);
    }
    for wanted in def.source.iter().flat_map(|s| &s.json) {
        let found = |s: &System, n: &str| s.def.json.iter().any(|l| l.name.get_ref() == n);
        look_up("JSON dialect", wanted, found, &dialects);
    }
    let of_layouts = def.layout.iter().flat_map(|l| &l.amid);
    for wanted in def
        .source
        .iter()
        .flat_map(|s| &s.messages)
        .chain(of_layouts)
    {
        let found = |s: &System, n: &str| s.def.messages.iter().any(|m| m.scope.get_ref() == n);
        look_up("scope of messages", wanted, found, &scopes);
    }
    errors
}

fn no_level(word: &str) -> String {
    unknown("level", word, &Level::ALL.map(Level::name)[1..])
}

/// Names of layouts and dialects, each with its table of level spellings.
fn level_tables(def: &Definition) -> impl Iterator<Item = (&Text, &BTreeMap<String, String>)> {
    let layouts = def
        .layout
        .iter()
        .flat_map(|l| [(&l.name, &l.levels), (&l.name, &l.prefixes)]);
    layouts.chain(def.json.iter().map(|j| (&j.name, &j.levels)))
}

fn in_string(origin: FileText<'_>, text: &Text, error: &PatternError) -> DefError {
    origin.error_in_string(text.span(), error.at, error.text.clone())
}

fn missing(origin: FileText<'_>, what: &str, wanted: &Text, known: &[&str]) -> DefError {
    origin.error(wanted.span().start, unknown(what, wanted.get_ref(), known))
}

impl Systems {
    /// Adds one definition; replaces an existing one of the same name.
    ///
    /// # Errors
    /// The first error in it, with its position.
    pub fn add(&mut self, file: &str, text: &str) -> Result<(), DefError> {
        let system = read(file, text)?;
        let mut with = self.clone();
        let name = system.name().to_owned();
        with.put(system);
        if let Some(error) = names(&with, &name).into_iter().next() {
            return Err(error);
        }
        *self = with;
        Ok(())
    }
}

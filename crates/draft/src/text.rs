//! Text of a drafted definition, with comments for the user who completes it.

use std::fmt::Write as _;

use widetui_core::words::{cut, push_sanitized};
use widetui_definition::toml_text::{list, quoted, value};

use crate::layouts::OwnFormat;
use crate::sections::{
    Draft, EntitySection, KeySection, SampleSection, ScopeSection, SourceSection,
};

/// Width beyond which lists are broken into lines, characters.
const WIDE: usize = 120;

/// Column of comments after code, unless the code is longer.
const COLUMN: usize = 64;

/// Writes a definition.
pub(crate) fn text(draft: &Draft) -> String {
    let mut out = String::new();
    for note in &draft.notes {
        comment(&mut out, note);
    }
    let head = format!(
        "\nname = {}\ntitle = {}\n",
        quoted(&draft.name),
        quoted(&draft.name.replace('_', " "))
    );
    out.push_str(&head);
    section(
        &mut out,
        "Keys: rename them here and below. The values of identifiers name instances, such as tasks.",
        !draft.keys.is_empty(),
    );
    draft.keys.iter().for_each(|k| key(&mut out, k));
    section(
        &mut out,
        "Layouts: the header of a line, up to the message.",
        !draft.layouts.is_empty(),
    );
    draft.layouts.iter().for_each(|l| layout(&mut out, l));
    section(
        &mut out,
        "Dialects: which fields of a record are its time, level and message; the others are keys.",
        !draft.dialects.is_empty(),
    );
    draft.dialects.iter().for_each(|d| dialect(&mut out, d));
    section(
        &mut out,
        "Sources: globs of files. `{name}` in a glob makes that part of the path a key of all records.",
        !draft.sources.is_empty(),
    );
    draft.sources.iter().for_each(|s| source(&mut out, s));
    section(
        &mut out,
        "Messages: patterns with keys. The first pattern that matches is used; other messages are still mined for keys.",
        !draft.scopes.is_empty(),
    );
    draft.scopes.iter().for_each(|s| scope(&mut out, s));
    section(
        &mut out,
        "Entities: the subjects of `hung`, `states`, `spans` and the timeline. Inferred: please check.",
        !draft.entities.is_empty(),
    );
    draft.entities.iter().for_each(|e| entity(&mut out, e));
    section(
        &mut out,
        "Joins that would hold in this run: events that lack a key would receive it. Remove the # of the joins that are no coincidence.",
        !draft.joins.is_empty(),
    );
    for (by, gives, note) in &draft.joins {
        comment(&mut out, note);
        let name = format!(
            "{} of {}",
            short(&draft.name, gives),
            short(&draft.name, by)
        );
        let lines = format!(
            "[[join]]\nname = {}\nby = {}\ngives = {}",
            quoted(&name),
            list(by),
            list(gives)
        );
        lines.lines().for_each(|line| comment(&mut out, line));
    }
    section(
        &mut out,
        "Samples: lines of the log and the fields that they must give. They test everything above.",
        !draft.samples.is_empty(),
    );
    draft.samples.iter().for_each(|s| sample(&mut out, s));
    out
}

/// Adds a comment line. `text` may contain names and values from a log: line ends and control characters in it are
/// escaped.
fn comment(out: &mut String, text: &str) {
    out.push('#');
    if !text.is_empty() {
        out.push(' ');
    }
    text.chars().for_each(|c| push_sanitized(out, c));
    out.push('\n');
}

fn section(out: &mut String, text: &str, is_there: bool) {
    if is_there {
        out.push('\n');
        comment(out, text);
    }
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string never fails.
    let _ = writeln!(out, "{text}");
}

/// Adds a line with a trailing comment.
fn noted(out: &mut String, code: &str, note: &str) {
    let pad = COLUMN.saturating_sub(code.chars().count());
    out.push_str(code);
    if !note.is_empty() {
        out.push_str(&" ".repeat(pad.max(2)));
        comment(out, note);
    } else {
        out.push('\n');
    }
}

fn listed(out: &mut String, name: &str, texts: &[String]) {
    if !texts.is_empty() {
        line(out, format_args!("{name} = {}", list(texts)));
    }
}

/// Keys without the prefix of the system.
fn short(system: &str, keys: &[String]) -> String {
    let prefix = format!("{system}.");
    let keys = keys.iter().map(|k| k.strip_prefix(&prefix).unwrap_or(k));
    keys.collect::<Vec<_>>().join(", ")
}

fn key(out: &mut String, key: &KeySection) {
    out.push('\n');
    let examples: Vec<String> = key.examples.iter().map(|e| cut(e, 24)).collect();
    noted(
        out,
        &format!("[keys.{}]", quoted_key(&key.name)),
        &examples.join(", "),
    );
    if !key.kind.is_empty() {
        line(out, format_args!("type = {}", quoted(key.kind)));
    }
    if key.identifier {
        line(out, format_args!("identifier = true"));
    }
    let label = key
        .name
        .split_once('.')
        .map_or(&*key.name, |(_, name)| name);
    line(
        out,
        format_args!("label = {}", quoted(&label.replace('_', " "))),
    );
}

/// Quoted TOML key; keys accept the same quotes as strings.
fn quoted_key(name: &str) -> String {
    quoted(name)
}

fn layout(out: &mut String, layout: &OwnFormat) {
    line(
        out,
        format_args!(
            "\n[[layout]]\nname = {}\npattern = {}",
            quoted(&layout.name),
            quoted(&layout.pattern)
        ),
    );
}

fn dialect(out: &mut String, dialect: &OwnFormat) {
    line(
        out,
        format_args!("\n[[json]]\nname = {}", quoted(&dialect.name)),
    );
    for (name, texts) in &dialect.lists {
        match (*name, &texts[..]) {
            ("compose" | "grammar", [one]) => line(out, format_args!("{name} = {}", quoted(one))),
            _ => listed(out, name, texts),
        }
    }
    if !dialect.rename.is_empty() {
        line(out, format_args!("\n[json.rename]"));
        for (field, key) in &dialect.rename {
            line(out, format_args!("{} = {}", quoted_key(field), quoted(key)));
        }
    }
}

fn source(out: &mut String, source: &SourceSection) {
    out.push_str("\n[[source]]\n");
    line(out, format_args!("kind = {}", quoted(&source.kind)));
    noted(
        out,
        &format!("glob = {}", list(&source.globs)),
        &source.note,
    );
    listed(out, "layouts", &source.layouts);
    listed(out, "json", &source.json);
    listed(out, "messages", &source.messages);
    line(out, format_args!("mine = true"));
}

fn scope(out: &mut String, scope: &ScopeSection) {
    line(
        out,
        format_args!(
            "\n[[messages]]\nscope = {}\npatterns = [",
            quoted(&scope.name)
        ),
    );
    for message in &scope.messages {
        let pattern = quoted(&message.pattern);
        let code = match message.consts.is_empty() {
            true => format!("  {pattern},"),
            false => {
                let keys = message
                    .consts
                    .iter()
                    .map(|(k, v)| format!("{} = {}", quoted_key(k), value(v)));
                let keys = keys.collect::<Vec<_>>().join(", ");
                format!("  {{ match = {pattern}, keys = {{ {keys} }} }},")
            }
        };
        noted(out, &code, &message.note);
    }
    for (at, (pattern, note)) in scope.unkeyed.iter().enumerate() {
        if at == 0 {
            out.push_str("  ");
            comment(
                out,
                "Messages whose variables have no name. Write `{my.key:int}` instead of `{:int}` where a key is useful:",
            );
        }
        out.push_str("  ");
        comment(out, &format!("{},  {note}", quoted(pattern)));
    }
    out.push_str("]\n");
}

fn entity(out: &mut String, entity: &EntitySection) {
    out.push('\n');
    comment(out, &entity.note);
    line(
        out,
        format_args!(
            "[[entity]]\nname = {}\ntitle = {}",
            quoted(&entity.key),
            quoted(&entity.title)
        ),
    );
    line(out, format_args!("id = [[{}]]", quoted(&entity.key)));
    line(out, format_args!("role = {}", quoted(entity.role)));
    if let Some(state) = &entity.state {
        line(out, format_args!("state = {}", quoted(state)));
        wide(out, "states", &entity.states);
        if entity.last.is_empty() {
            let guess = list(&entity.possibly_final);
            comment(
                out,
                &format!(
                    "final = {guess}  which states are final? Without final states no end is recognised."
                ),
            );
        }
        wide(out, "final", &entity.last);
        wide(out, "failed", &entity.failed);
        wide(out, "goes_on", &entity.goes_on);
        wide(out, "executing", &entity.executing);
        wide(out, "executed", &entity.executed);
        if !entity.recorders.is_empty() {
            comment(
                out,
                "Sources that report its states: the owner first, then the executing processes.",
            );
            listed(out, "recorders", &entity.recorders);
        }
    }
    listed(out, "runs_in", &entity.places);
}

/// Adds a list, broken into lines if it is long.
fn wide(out: &mut String, name: &str, texts: &[String]) {
    let whole = format!("{name} = {}", list(texts));
    if texts.is_empty() || whole.len() <= WIDE {
        return listed(out, name, texts);
    }
    line(out, format_args!("{name} = ["));
    for few in texts.chunks(6) {
        let few: Vec<String> = few.iter().map(|t| quoted(t)).collect();
        line(out, format_args!("  {},", few.join(", ")));
    }
    out.push_str("]\n");
}

fn sample(out: &mut String, sample: &SampleSection) {
    out.push_str("\n[[sample]]\n");
    for (name, text) in [
        ("path", &sample.path),
        ("kind", &sample.kind),
        ("layout", &sample.layout),
    ] {
        if let Some(text) = text {
            line(out, format_args!("{name} = {}", quoted(text)));
        }
    }
    line(out, format_args!("line = {}", quoted(&sample.line)));
    let gives = sample.gives.iter().map(|(name, value)| {
        let bare = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        match bare {
            true => format!("{name} = {value}"),
            false => format!("{} = {value}", quoted_key(name)),
        }
    });
    line(
        out,
        format_args!("gives = {{ {} }}", gives.collect::<Vec<_>>().join(", ")),
    );
}

//! The reference in `systems/README.md`: a table for each section of a definition, derived from its schema.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use serde_json::{Map, Value};
use widetui_definition::schema;

/// Line of the README after which everything is derived.
const START: &str = "## Reference\n";

/// First words of the reference.
const INTRODUCTION: &str = "\nEvery setting, by section; `widetui systems schema` prints the same as a JSON Schema for editors. \
    Keys, patterns and conditions are strings. A setting without a default may be absent.\n";

/// Section of a definition.
struct Section<'a> {
    heading: String,
    settings: &'a Value,
}

/// Schema that another one refers to, or itself.
fn resolved<'a>(schema: &'a Value, of: &'a Value) -> &'a Value {
    let name = of["$ref"].as_str().and_then(|r| r.strip_prefix("#/$defs/"));
    name.map_or(of, |name| &schema["$defs"][name])
}

/// Whether a schema is that of a section.
fn is_section(of: &Value) -> bool {
    of["properties"].is_object()
}

/// Schema of the values of a setting: the items of a list, the values of a table, or the setting itself.
fn values<'a>(schema: &'a Value, setting: &'a Value) -> &'a Value {
    let setting = resolved(schema, setting);
    match setting["type"].as_str() {
        Some("array") => values(schema, &setting["items"]),
        Some("object") if !is_section(setting) => values(schema, &setting["additionalProperties"]),
        _ => {
            let any = setting["anyOf"].as_array().into_iter().flatten();
            let mut any = any.map(|one| resolved(schema, one));
            any.find(|one| is_section(one)).unwrap_or(setting)
        }
    }
}

/// Heading of the section that a setting of another section opens.
fn heading(parent: Option<&str>, name: &str, setting: &Value) -> String {
    match (parent, setting["type"].as_str()) {
        (Some(parent), _) => format!("`{name}` of {parent}"),
        (None, Some("array")) => format!("`[[{name}]]`"),
        (None, Some("object")) => format!("`[{name}.\"NAME\"]`"),
        (None, _) => format!("`[{name}]`"),
    }
}

/// Adds the sections below one; a section that occurs in several places is listed at the first.
fn add_below<'a>(
    schema: &'a Value,
    (parent, section): (Option<&str>, &'a Value),
    sections: &mut Vec<Section<'a>>,
) {
    for (name, setting) in section["properties"].as_object().into_iter().flatten() {
        let inner = values(schema, setting);
        if is_section(inner) && !sections.iter().any(|s| std::ptr::eq(s.settings, inner)) {
            let heading = heading(parent, name, setting);
            sections.push(Section {
                heading: heading.clone(),
                settings: inner,
            });
            add_below(schema, (Some(&heading), inner), sections);
        }
    }
}

/// Type of a setting for readers; `plural` of several.
fn type_of(schema: &Value, setting: &Value, sections: &[Section<'_>], plural: &str) -> String {
    let setting = resolved(schema, setting);
    if let Some(section) = sections.iter().find(|s| std::ptr::eq(s.settings, setting)) {
        return format!("table{plural} {}", section.heading);
    }
    let of_any = |key: &str| {
        let any = setting[key].as_array()?;
        let mut names: Vec<String> = Vec::new();
        for one in any {
            let name = match one["const"].as_str() {
                Some(constant) => format!("`{constant}`"),
                None => type_of(schema, one, sections, plural),
            };
            names.push(name);
        }
        Some(names)
    };
    if let Some(names) = of_any("oneOf") {
        return names.join(" ");
    }
    if let Some(names) = of_any("anyOf") {
        return names.join(" or ");
    }
    match setting["type"].as_str() {
        Some("array") => {
            let items = type_of(schema, &setting["items"], sections, "s");
            match items.starts_with("table") {
                true => items,
                false => format!("list{plural} of {items}"),
            }
        }
        Some("object") => {
            let values = type_of(schema, &setting["additionalProperties"], sections, "s");
            match values.starts_with("table") {
                true => values,
                false => format!("table{plural} of {values}"),
            }
        }
        Some(name) => format!("{name}{plural}"),
        None => format!("value{plural}"),
    }
}

/// A value as written in a file.
fn as_toml(value: &Value) -> String {
    toml::Value::try_from(value).unwrap().to_string()
}

fn default_of(section: &Value, name: &str, setting: &Value) -> String {
    let required = section["required"].as_array().into_iter().flatten();
    if required.into_iter().any(|r| r == name) {
        return "required".to_owned();
    }
    let is_empty = match &setting["default"] {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(table) => table.is_empty(),
        _ => false,
    };
    match is_empty {
        true => String::new(),
        false => format!("`{}`", as_toml(&setting["default"])),
    }
}

/// Values of a setting that are explained: `auto`: no declared type.
fn explained_values(schema: &Value, setting: &Value) -> String {
    let target = values(schema, setting);
    let mut out = String::new();
    for one in target["oneOf"].as_array().into_iter().flatten() {
        let (name, text) = (one["const"].as_str(), one["description"].as_str());
        if let (Some(name), Some(text)) = (name, text) {
            let text = text.trim_end_matches('.');
            let before = if out.is_empty() { " " } else { "; " };
            let _ = write!(out, "{before}`{name}`: {text}");
        }
    }
    if !out.is_empty() {
        out.push('.');
    }
    out
}

fn table(schema: &Value, section: &Value, sections: &[Section<'_>]) -> String {
    let mut out = String::new();
    if let Some(text) = section["description"].as_str() {
        let _ = writeln!(out, "\n{text}");
    }
    out.push_str("\n| setting | type | default | meaning | example |\n|---|---|---|---|---|\n");
    let none = Map::new();
    let settings = section["properties"].as_object().unwrap_or(&none);
    for (name, setting) in settings {
        let example = setting["examples"].as_array().and_then(|all| all.first());
        let is_flag = setting["type"] == "boolean";
        let example = example.or(is_flag.then_some(&Value::Bool(true)));
        let example = example.map(|value| format!("`{name} = {}`", as_toml(value)));
        let meaning = setting["description"].as_str().unwrap_or_default();
        let meaning = format!("{meaning}{}", explained_values(schema, setting));
        let kind = type_of(schema, setting, sections, "");
        let default = default_of(section, name, setting);
        let row = format!(
            "| `{name}` | {kind} | {default} | {} | {} |",
            meaning.replace('|', "\\|"),
            example.unwrap_or_default().replace('|', "\\|"),
        );
        let _ = writeln!(out, "{}", row.replace("|  |", "| |").replace("|  |", "| |"));
    }
    out
}

/// Reference of all sections, in the order of the headings that there are; new sections come last.
fn reference(headings: &[&str]) -> String {
    let schema = schema::of_definition().to_value();
    let mut sections = vec![Section {
        heading: "Top".to_owned(),
        settings: &schema,
    }];
    add_below(&schema, (None, &schema), &mut sections);
    let position = |s: &Section<'_>| headings.iter().position(|h| *h == s.heading);
    let mut order: Vec<&Section<'_>> = sections.iter().collect();
    order.sort_by_key(|s| position(s).unwrap_or(usize::MAX));
    let mut out = INTRODUCTION.to_owned();
    for section in order {
        let _ = writeln!(out, "\n### {}", section.heading);
        out.push_str(&table(&schema, section.settings, &sections));
    }
    out
}

/// Every setting stands in the reference with its meaning, and no other.
#[test]
fn the_reference_is_that_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems/README.md");
    let readme = fs::read_to_string(&path).unwrap();
    let (before, written) = readme
        .split_once(START)
        .expect("a heading of the reference");
    let headings: Vec<&str> = written
        .lines()
        .filter_map(|line| line.strip_prefix("### "))
        .collect();
    let derived = reference(&headings);
    if env::var_os("UPDATE_SCREENS").is_some() {
        fs::write(&path, format!("{before}{START}{derived}")).unwrap();
        return;
    }
    let written: Vec<&str> = written.lines().collect();
    for (line, derived) in derived.lines().enumerate() {
        let is = written.get(line).copied().unwrap_or_default();
        assert_eq!(
            is, derived,
            "line {line} of the reference; UPDATE_SCREENS=1 writes it"
        );
    }
    assert_eq!(written.len(), derived.lines().count());
}

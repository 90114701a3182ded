//! Selects the records in a tree and writes them as JSON lines.

use serde_json::Value;

use widetui_definition::documents::DocumentRowsDef;

/// Step of a path into a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// Value with this name.
    Name(String),
    /// All values; each record gets its name in this field.
    Each(String),
}

/// Kind of records in a document.
#[derive(Clone, Debug)]
struct RowsSpec {
    name: String,
    at: Vec<Step>,
    columns: Vec<String>,
    value: Option<String>,
    fields: Vec<String>,
    text: Option<usize>,
    latest_first: bool,
}

/// Document format of a definition.
#[derive(Clone, Debug)]
pub struct DocumentSpec {
    require: Vec<Vec<Step>>,
    rows: Vec<RowsSpec>,
}

/// Records of a part of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Name of the part.
    pub name: String,
    /// Lines of its records.
    pub lines: Vec<u8>,
    /// Type of the lines.
    pub holds: PartLines,
}

/// Type of the lines of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartLines {
    /// JSON objects, one per record.
    Json,
    /// Lines of a log.
    Log,
}

/// Parses the path of a part: dotted names, `{field}` for any name.
fn steps(path: &str) -> Vec<Step> {
    let step = |part: &str| match part.strip_prefix('{').and_then(|p| p.strip_suffix('}')) {
        Some(field) => Step::Each(field.to_owned()),
        None => Step::Name(part.to_owned()),
    };
    path.split('.').map(step).collect()
}

impl DocumentSpec {
    /// Compiles the document format of a definition.
    pub(crate) fn new(require: &[impl AsRef<str>], rows: &[DocumentRowsDef]) -> DocumentSpec {
        let rows = rows.iter().map(|def| RowsSpec {
            name: def.name.clone(),
            at: steps(&def.at),
            columns: def.columns.clone(),
            value: def.value.clone(),
            fields: def.fields.clone(),
            text: def.text,
            latest_first: def.latest_first,
        });
        DocumentSpec {
            require: require.iter().map(|path| steps(path.as_ref())).collect(),
            rows: rows.collect(),
        }
    }

    /// Names with which such a document may begin.
    pub(crate) fn first_names(&self) -> impl Iterator<Item = &str> {
        let firsts = self.require.iter().filter_map(|path| path.first());
        firsts.filter_map(|step| match step {
            Step::Name(name) => Some(name.as_str()),
            Step::Each(_) => None,
        })
    }

    /// Whether a tree has all parts that the format requires.
    fn is_of(&self, tree: &Value) -> bool {
        let has = |path: &Vec<Step>| {
            let mut found = false;
            walk(tree, path, &mut Vec::new(), &mut |_, _| found = true);
            found
        };
        self.require.iter().all(has)
    }

    /// Records of a tree by part; empty if the tree is another document.
    pub fn parts(&self, tree: &Value) -> Vec<Part> {
        let mut out: Vec<Part> = Vec::new();
        if !self.is_of(tree) {
            return out;
        }
        for (at, spec) in self.rows.iter().enumerate() {
            let before = self
                .rows
                .iter()
                .take(at)
                .filter(|other| other.at == spec.at);
            let before: Vec<&RowsSpec> = before.collect();
            if spec.text.is_some() {
                spec.logs(tree, &mut out);
                continue;
            }
            let mut lines = Vec::new();
            walk(tree, &spec.at, &mut Vec::new(), &mut |names, value| {
                for row in spec.rows_of(value) {
                    if !before.iter().any(|other| other.fits(row)) {
                        spec.write(names, row, &mut lines);
                    }
                }
            });
            match out.iter_mut().find(|part| part.name == spec.name) {
                Some(known) => known.lines.extend(lines),
                None if lines.is_empty() => {}
                None => out.push(Part {
                    name: spec.name.clone(),
                    lines,
                    holds: PartLines::Json,
                }),
            }
        }
        out
    }
}

impl RowsSpec {
    /// Adds the logs in a tree, each as a part of its own.
    fn logs(&self, tree: &Value, out: &mut Vec<Part>) {
        walk(tree, &self.at, &mut Vec::new(), &mut |names, value| {
            let rows = value.as_array().map_or(&[][..], Vec::as_slice);
            let text = |row: &Value| Some(row.get(self.text?)?.as_str()?.to_owned());
            let mut texts: Vec<String> = rows.iter().filter_map(text).collect();
            if self.latest_first {
                texts.reverse();
            }
            let mut lines = Vec::new();
            for text in texts {
                lines.extend_from_slice(text.trim_end_matches('\n').as_bytes());
                lines.push(b'\n');
            }
            // Only the last component of an address is used, because slashes separate folders.
            let owner = names.last().and_then(|n| n.1.rsplit('/').next());
            if !lines.is_empty() {
                out.push(Part {
                    name: owner.map_or(self.name.clone(), |w| format!("{}/{w}", self.name)),
                    lines,
                    holds: PartLines::Log,
                });
            }
        });
    }

    /// Records in a value: an object with certain fields itself, else the elements of a list.
    fn rows_of<'v>(&self, value: &'v Value) -> &'v [Value] {
        match value {
            _ if !self.fields.is_empty() => std::slice::from_ref(value),
            Value::Array(list) => list,
            _ => &[],
        }
    }

    /// Whether a record is of this kind.
    fn fits(&self, row: &Value) -> bool {
        let has = |field: &String| row.get(field).is_some_and(|v| !v.is_null());
        match row {
            _ if !self.fields.is_empty() => self.fields.iter().all(has),
            Value::Array(list) => self.columns.is_empty() || list.len() == self.columns.len(),
            _ => self.columns.is_empty(),
        }
    }

    /// Writes a record as a line, if it is of this kind.
    fn write(&self, names: &[(&str, &str)], row: &Value, out: &mut Vec<u8>) {
        if !self.fits(row) {
            return;
        }
        let mut is_first = true;
        out.push(b'{');
        let mut field = |name: &str, value: &Value, out: &mut Vec<u8>| {
            if !std::mem::take(&mut is_first) {
                out.extend_from_slice(b", ");
            }
            text(name, out);
            out.extend_from_slice(b": ");
            write(value, out);
        };
        for (name, value) in names {
            field(name, &Value::from(*value), out);
        }
        for name in &self.fields {
            field(name, row.get(name).unwrap_or(&Value::Null), out);
        }
        if let Value::Array(list) = row {
            for (name, value) in self.columns.iter().zip(list) {
                field(name, value, out);
            }
        }
        if let Some(name) = &self.value {
            field(name, row, out);
        }
        out.extend_from_slice(b"}\n");
    }
}

/// Visits all places of a tree that match a path; `f` receives the names that matched its open steps.
fn walk<'v>(
    tree: &'v Value,
    path: &'v [Step],
    names: &mut Vec<(&'v str, &'v str)>,
    f: &mut impl FnMut(&[(&str, &str)], &'v Value),
) {
    let Some((step, rest)) = path.split_first() else {
        return f(names, tree);
    };
    let Some(map) = tree.as_object() else { return };
    match step {
        Step::Name(name) => {
            if let Some(value) = map.get(name) {
                walk(value, rest, names, f);
            }
        }
        Step::Each(field) => {
            for (name, value) in map {
                names.push((field, name));
                walk(value, rest, names, f);
                names.pop();
            }
        }
    }
}

/// Value as a name; JSON if it is not a text.
pub(super) fn name_of(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => {
            let mut out = Vec::new();
            write(&other, &mut out);
            String::from_utf8_lossy(&out).into_owned()
        }
    }
}

/// Writes a value as JSON, with blanks after commas and colons as most programs do.
fn write(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::String(string) => text(string, out),
        Value::Array(list) => {
            out.push(b'[');
            for (at, value) in list.iter().enumerate() {
                if at > 0 {
                    out.extend_from_slice(b", ");
                }
                write(value, out);
            }
            out.push(b']');
        }
        Value::Object(map) => {
            out.push(b'{');
            for (at, (name, value)) in map.iter().enumerate() {
                if at > 0 {
                    out.extend_from_slice(b", ");
                }
                text(name, out);
                out.extend_from_slice(b": ");
                write(value, out);
            }
            out.push(b'}');
        }
        other => out.extend_from_slice(other.to_string().as_bytes()),
    }
}

/// Writes a text with quotes.
fn text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(Value::from(text).to_string().as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_found_where_a_definition_says() {
        let rows = |name: &str, at: &str| DocumentRowsDef {
            name: name.to_owned(),
            at: at.to_owned(),
            columns: Vec::new(),
            value: None,
            fields: Vec::new(),
            text: None,
            latest_first: false,
        };
        let columns = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect();
        let all = [
            DocumentRowsDef {
                columns: columns(&["key", "to"]),
                ..rows("turns", "s.log")
            },
            DocumentRowsDef {
                columns: columns(&["key", "from", "to"]),
                ..rows("story", "w.{worker}.log")
            },
            DocumentRowsDef {
                value: Some("story".to_owned()),
                ..rows("story", "w.{worker}.log")
            },
            DocumentRowsDef {
                fields: columns(&["key", "why"]),
                ..rows("tasks", "s.tasks.{name}")
            },
        ];
        let spec = DocumentSpec::new(&["s.log", "w"], &all);
        let tree = r#"{"s":{"log":[["a","b"],["c"]],"tasks":{"a":{"key":"a","why":null},"b":{"key":["b",1],"why":"\"x\""}}},
            "w":{"tcp://1":{"log":[["a",{"x":1},"z"],["free",2]]},"tcp://2":"gone"}}"#;
        let tree: Value = serde_json::from_str(tree).unwrap();
        let parts = spec.parts(&tree);
        let rows_of_part = |name: &str| {
            let part = parts.iter().find(|p| p.name == name);
            part.map(|p| String::from_utf8_lossy(&p.lines).into_owned())
        };
        assert_eq!(
            rows_of_part("turns").unwrap(),
            "{\"key\": \"a\", \"to\": \"b\"}\n"
        );
        let story = "{\"worker\": \"tcp://1\", \"key\": \"a\", \"from\": {\"x\": 1}, \"to\": \"z\"}\n\
                     {\"worker\": \"tcp://1\", \"story\": [\"free\", 2]}\n";
        assert_eq!(rows_of_part("story").unwrap(), story);
        let tasks = "{\"name\": \"b\", \"key\": [\"b\", 1], \"why\": \"\\\"x\\\"\"}\n";
        assert_eq!(rows_of_part("tasks").unwrap(), tasks);
        assert!(DocumentSpec::new(&["other"], &all).parts(&tree).is_empty());
    }
}

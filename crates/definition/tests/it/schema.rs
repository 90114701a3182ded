//! The JSON Schema of definitions accepts what the parser accepts.

use std::fs;
use std::path::Path;

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::{Value, json};
use widetui_definition::{schema, syntax};

/// Compiled schema of definitions, or a part of it.
struct Validator {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Validator {
    fn new(pointer: &str) -> Validator {
        let mut schemas = Schemas::new();
        let mut compiler = Compiler::new();
        let schema = schema::of_definition().to_value();
        compiler.add_resource("definition.json", schema).unwrap();
        let place = format!("definition.json#{pointer}");
        let index = compiler.compile(&place, &mut schemas).unwrap();
        Validator { schemas, index }
    }

    fn error(&self, value: &Value) -> Option<String> {
        let result = self.schemas.validate(value, self.index);
        result.err().map(|e| format!("{e:#}"))
    }
}

fn parsed(text: &str) -> Value {
    toml::from_str(text).unwrap()
}

#[test]
fn built_in_definitions_are_valid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems");
    let validator = Validator::new("");
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "toml") {
            let text = fs::read_to_string(&path).unwrap();
            let error = validator.error(&parsed(&text));
            assert_eq!(error, None, "{}", path.display());
            seen += 1;
        }
    }
    assert!(seen > 30, "{seen} definitions");
}

#[test]
fn parser_and_schema_reject_the_same_files() {
    let validator = Validator::new("");
    for (text, is_valid) in [
        ("name = 'x'", true),
        ("title = 'x'", false),
        ("name = 1", false),
        ("name = 'x'\nanywhere = 'yes'", false),
        ("name = 'x'\n[keys.'x.a']\ntype = 'int'", true),
        ("name = 'x'\n[keys.'x.a']\ntype = 'number'", false),
        ("name = 'x'\n[keys.'x.a']\nunits = 's'", false),
        ("name = 'x'\n[[layout]]\nname = 'l'", false),
        (
            "name = 'x'\n[[layout]]\nname = 'l'\npattern = '{message}'",
            true,
        ),
        (
            "name = 'x'\n[[messages]]\nscope = 's'\npatterns = ['a', { match = 'b' }]",
            true,
        ),
        (
            "name = 'x'\n[[messages]]\nscope = 's'\npatterns = [{ mach = 'b' }]",
            false,
        ),
        (
            "name = 'x'\n[[entity]]\nname = 'x.a'\nid = [['x.a']]\njoined = '.'",
            true,
        ),
        (
            "name = 'x'\n[[entity]]\nname = 'x.a'\nid = [['x.a']]\njoined = ['.', ':']",
            true,
        ),
        ("name = 'x'\n[[entity]]\nname = 'x.a'\nid = ['x.a']", false),
        (
            "name = 'x'\n[[hint]]\nname = 'a'\nwhere = 'b'\ntitle = 'c'\ntext = 'd'",
            true,
        ),
        (
            "name = 'x'\n[[hint]]\nname = 'a'\nwhere = 'b'\ntitle = 'c'",
            false,
        ),
    ] {
        assert_eq!(syntax::read("x", text).is_ok(), is_valid, "parser: {text}");
        let error = validator.error(&parsed(text));
        assert_eq!(error.is_none(), is_valid, "schema: {text}: {error:?}");
    }
}

/// Every section rejects unknown settings, and every example is a value of its setting.
#[test]
fn examples_are_valid() {
    let schema = schema::of_definition().to_value();
    let root = [(String::new(), &schema)];
    let sections = schema["$defs"].as_object().unwrap().iter();
    let sections = sections.map(|(name, section)| (format!("/$defs/{name}"), section));
    let mut seen = 0;
    for (pointer, section) in root.into_iter().chain(sections) {
        let Some(settings) = section["properties"].as_object() else {
            continue;
        };
        assert_eq!(section["additionalProperties"], json!(false), "{pointer}");
        for (name, setting) in settings {
            for example in setting["examples"].as_array().into_iter().flatten() {
                let place = format!("{pointer}/properties/{name}");
                let error = Validator::new(&place).error(example);
                assert_eq!(error, None, "{place}");
                seen += 1;
            }
        }
    }
    assert!(seen > 150, "{seen} examples");
}

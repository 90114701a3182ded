//! JSON Schema of a definition file, for editors. It is derived from the types that the parser fills, so a file that is
//! valid for one is valid for the other, positions and cross-references aside.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::Value;

use crate::syntax::Definition;

/// JSON Schema (draft 2020-12) of a definition file.
pub fn of_definition() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    let settings = settings.with_transform(RecursiveTransform(for_toml));
    settings
        .into_generator()
        .into_root_schema_for::<Definition>()
}

/// Adapts a schema to TOML, which has no null; descriptions become one line.
fn for_toml(schema: &mut Schema) {
    let is_null = |one: &Value| one.get("type").is_some_and(|t| t == "null");
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|t| t != "null");
        if let [only] = &types[..] {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(any)) = schema.get_mut("anyOf") {
        any.retain(|one| !is_null(one));
        if let [Value::Object(only)] = &any[..] {
            let only = only.clone();
            schema.remove("anyOf");
            only.into_iter().for_each(|(name, value)| {
                schema.insert(name, value);
            });
        }
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace('\n', " ");
    }
}

//! Strings of a file with their positions.

use std::borrow::Cow;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use toml::Spanned;

/// A string, with the byte range of its literal in the file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Text(Spanned<String>);

impl Deref for Text {
    type Target = Spanned<String>;

    fn deref(&self) -> &Spanned<String> {
        &self.0
    }
}

impl From<Spanned<String>> for Text {
    fn from(text: Spanned<String>) -> Text {
        Text(text)
    }
}

impl JsonSchema for Text {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

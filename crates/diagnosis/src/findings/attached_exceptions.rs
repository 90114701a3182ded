//! Exceptions in a field beside the message: programs that log objects write a whole traceback there, or class and text, as
//! in `"error": {"type": "OSError", "message": "gone"}`.

use widetui_format::catalog::Catalog;
use widetui_format::json::dialect::OriginalForm;
use widetui_format::reader::Reader;

/// First line of a traceback, in all versions of Python.
pub(crate) const TRACEBACK: &str = "Traceback (most recent call last)";

/// Names of a field that holds an exception in parts, or of its innermost enclosing object.
const HOLDERS: [&str; 5] = ["exception", "error", "err", "exc", "exc_info"];
/// Names of the parts: class and text.
const CLASS: &str = "type";
const TEXTS: [&str; 3] = ["message", "value", "msg"];

/// Traceback in another field of a record whose message has none.
pub(crate) fn traceback(
    reader: &Reader,
    (record, message): (&[u8], &str),
    tables: &Catalog,
) -> Option<String> {
    let is_object = reader.original_form() == OriginalForm::Fields;
    // Avoids parsing most records.
    let has_one = is_object && memchr::memmem::find(record, TRACEBACK.as_bytes()).is_some();
    if !has_one || message.contains(TRACEBACK) {
        return None;
    }
    let pairs = reader.fields(record, tables).pairs.into_iter();
    let mut values = pairs.flat_map(|(_, values)| values);
    values.find(|value| value.contains(TRACEBACK))
}

/// Exception whose class and text are separate fields of a record: `OSError: gone`.
pub(crate) fn in_parts(reader: &Reader, record: &[u8], tables: &Catalog) -> Option<String> {
    if reader.original_form() != OriginalForm::Fields {
        return None;
    }
    let pairs = reader.fields(record, tables).pairs;
    let named: Vec<(&str, &str)> = { pairs.iter() }
        .filter_map(|(key, values)| Some((&*key.name, values.first()?.as_str())))
        .collect();
    of_parts(&named)
}

fn of_parts(fields: &[(&str, &str)]) -> Option<String> {
    let value = |holder: &str, part: &str| {
        let name = format!("{holder}.{part}");
        fields.iter().find(|field| field.0 == name)
    };
    fields.iter().find_map(|(name, class)| {
        let holder = name.strip_suffix(CLASS)?.strip_suffix('.')?;
        let last = holder.rsplit('.').next().unwrap_or(holder);
        let is_class = !class.is_empty() && !class.contains(char::is_whitespace);
        if !HOLDERS.contains(&last) || !is_class {
            return None;
        }
        let (_, text) = TEXTS.iter().find_map(|part| value(holder, part))?;
        let words: Vec<&str> = text.split_whitespace().collect();
        Some(match words.is_empty() {
            true => (*class).to_owned(),
            false => format!("{class}: {}", words.join(" ")),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_and_text_of_one_field_are_an_exception() {
        let told = |fields: &[(&str, &str)]| of_parts(fields);
        let whole = [
            ("record.exception.type", "IndexError"),
            ("record.exception.value", "pop from\n empty list"),
        ];
        assert_eq!(
            told(&whole).as_deref(),
            Some("IndexError: pop from empty list")
        );
        let ecs = [("error.message", "gone"), ("error.type", "os.OSError")];
        assert_eq!(told(&ecs).as_deref(), Some("os.OSError: gone"));
        // Different objects, not a class, not an exception.
        for fields in [
            [("error.type", "OSError"), ("other.message", "gone")],
            [("error.type", "not found"), ("error.message", "gone")],
            [("event.type", "start"), ("event.message", "gone")],
            [("type", "OSError"), ("message", "gone")],
        ] {
            assert_eq!(told(&fields), None, "{fields:?}");
        }
    }
}

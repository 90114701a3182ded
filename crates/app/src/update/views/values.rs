//! View of the values of one key, with the number of records of each.

use super::*;
use widetui_query::Field;
use widetui_query::key_resolution::field_as_typed;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "values",
    opens: Opens::Chosen,
    question: |m| m.frequency().cloned().map(TableRequest::Values),
    command_line: |m| {
        let field = m.frequency().ok_or("no key was chosen")?;
        let field = field_as_typed(field, &m.snapshot.catalog.keys);
        let more = [chosen(m), unique(m)].concat();
        subcommand(&["keys", "--key", field.name()], more)
    },
    export_subject: |m| m.frequency().map(Field::name),
    title_suffix: |m| {
        let name = m.frequency().map(|field| format!(" of {}", field.name()));
        name.unwrap_or_default()
    },
    ..TABLE
};

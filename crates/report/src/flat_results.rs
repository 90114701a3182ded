//! Results of analyses as flat tables.

use serde_json::Value as Json;

use super::flat::{FlatColumn, FlatShape, FlatTable, FlatType, FlatValue, common, moment, typed};
use super::sheet::Sheet;

/// Form of objects in a flat table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objects {
    /// One column per field: the fields of `id` under the names of the keys, others as `COLUMN.FIELD`.
    Columns,
    /// One map: the columns are the same for every table of a schema.
    Maps,
}

/// Converts the result of an analysis to a flat table. Lists with elements other than scalars become JSON text. Columns
/// without a declared type have the narrowest type of their values.
pub fn of_sheet(sheet: &Sheet, objects: Objects) -> FlatTable {
    let mut columns: Vec<FlatColumn> = Vec::new();
    let mut rows = vec![Vec::new(); sheet.rows.len()];
    let mut put = |mut column: FlatColumn, cells: &[Option<Json>]| {
        // A key of an object may have the name of another column.
        while columns.iter().any(|c| c.name == column.name) {
            column.name.push('_');
        }
        for (row, cell) in rows.iter_mut().zip(cells) {
            row.push(
                cell.as_ref()
                    .map_or(FlatValue::Null, |json| typed_cell(&column, json)),
            );
        }
        columns.push(column);
    };
    for (at, column) in sheet.named() {
        let cells = sheet.rows.iter().map(|row| row[at].json.clone());
        let is_fixed =
            |flat: &&FlatColumn| flat.shape != FlatShape::Map || objects == Objects::Maps;
        if let Some(flat) = column.flat.as_ref().filter(is_fixed) {
            put(flat.clone(), &cells.collect::<Vec<_>>());
            continue;
        }
        let mut parts: Vec<(String, Vec<Option<Json>>)> = Vec::new();
        for (row, json) in cells.enumerate() {
            // Rows of another kind lack the column.
            let Some(json) = json else { continue };
            flatten(&column.name, json, &mut |name, value| {
                let at = parts.iter().position(|part| part.0 == name);
                let at = at.unwrap_or_else(|| {
                    parts.push((name, vec![None; sheet.rows.len()]));
                    parts.len() - 1
                });
                parts[at].1[row] = Some(value);
            });
        }
        for (name, values) in parts {
            put(guessed(name, &values), &values);
        }
    }
    FlatTable { columns, rows }
}

/// Column with the narrowest type of its values.
fn guessed(name: String, values: &[Option<Json>]) -> FlatColumn {
    let values = || values.iter().flatten();
    let scalars = values().flat_map(|v| match v {
        Json::Array(list) => list.iter().collect(),
        other => vec![other],
    });
    FlatColumn {
        name,
        kind: type_of_json(scalars),
        shape: match values().any(Json::is_array) {
            true => FlatShape::List,
            false => FlatShape::One,
        },
    }
}

fn typed_cell(column: &FlatColumn, json: &Json) -> FlatValue {
    match (column.shape, json) {
        (_, Json::Null) => FlatValue::Null,
        (FlatShape::List, Json::Array(values)) => {
            let values = values.iter().map(|v| typed_json(column.kind, v));
            FlatValue::List(values.collect())
        }
        (FlatShape::List, value) => FlatValue::List(vec![typed_json(column.kind, value)]),
        (FlatShape::Map, Json::Object(fields)) => {
            let fields = fields.iter();
            let fields = fields.map(|(name, v)| (name.clone(), typed_json(column.kind, v)));
            FlatValue::Map(fields.collect())
        }
        (FlatShape::One | FlatShape::Map, value) => typed_json(column.kind, value),
    }
}

/// Flattens a cell: calls `put` with each resulting column and value.
fn flatten(name: &str, json: Json, put: &mut impl FnMut(String, Json)) {
    match json {
        Json::Object(object) => {
            for (field, value) in object {
                let name = match name {
                    "id" => field,
                    _ => format!("{name}.{field}"),
                };
                flatten(&name, value, put);
            }
        }
        Json::Array(list) if list.iter().any(|v| v.is_object() || v.is_array()) => {
            put(name.to_owned(), Json::Array(list).to_string().into());
        }
        other => put(name.to_owned(), other),
    }
}

/// Narrowest common type of values. Texts among integers that are integers in another spelling count as integers.
fn type_of_json<'a>(values: impl Iterator<Item = &'a Json>) -> FlatType {
    let mut all: Vec<&Json> = values.filter(|v| !v.is_null()).collect();
    let is_number = |v: &&Json| v.is_number();
    if all.iter().any(is_number) {
        let is_spelt = |v: &Json| v.as_str().is_some_and(|t| t.parse::<i64>().is_ok());
        all.retain(|v| !is_spelt(v));
    }
    let types = all.into_iter().map(|value| match value {
        Json::Bool(_) => FlatType::Bool,
        Json::Number(n) if n.is_i64() => FlatType::Int,
        Json::Number(_) => FlatType::Float,
        Json::String(text) if moment(text).is_some() => FlatType::Time,
        _ => FlatType::Text,
    });
    types.reduce(common).unwrap_or(FlatType::Text)
}

fn typed_json(kind: FlatType, value: &Json) -> FlatValue {
    match (kind, value) {
        (_, Json::Null) => FlatValue::Null,
        (FlatType::Bool, Json::Bool(b)) => FlatValue::Bool(*b),
        (FlatType::Int, Json::Number(n)) => n.as_i64().map_or(FlatValue::Null, FlatValue::Int),
        (FlatType::Float, Json::Number(n)) => n.as_f64().map_or(FlatValue::Null, FlatValue::Float),
        (kind, Json::String(text)) => typed(kind, text.clone()),
        (_, other) => FlatValue::Text(other.to_string().into()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::flat::FlatForm;
    use super::super::sheet::{SheetAlign, SheetColumn, value};
    use super::*;

    #[test]
    fn objects_of_results_become_columns() {
        let column = |name: &str| SheetColumn {
            name: name.to_owned(),
            heading: None,
            align: SheetAlign::Left,
            flat: None,
        };
        let mut sheet = Sheet::new(["id", "where", "start", "tags"].map(column).into());
        sheet.push(vec![
            value(json!({"parsl.task": 3})),
            value(json!({"host": "n1"})),
            value("2026-11-21T01:44:01.251632000Z"),
            value(json!(["a", "b"])),
        ]);
        sheet.push(vec![
            value(json!({"parsl.task": "0172"})),
            value(json!({})),
            value(Json::Null),
            value(json!(["c"])),
        ]);
        let flat = of_sheet(&sheet, Objects::Columns);
        let columns: Vec<(&str, FlatType, bool)> = flat
            .columns
            .iter()
            .map(|c| (c.name.as_str(), c.kind, c.shape == FlatShape::List))
            .collect();
        assert_eq!(
            columns,
            [
                ("parsl.task", FlatType::Int, false),
                ("where.host", FlatType::Text, false),
                ("start", FlatType::Time, false),
                ("tags", FlatType::Text, true),
            ]
        );
        let mut out = Vec::new();
        FlatForm::Jsonl
            .write_rows(&flat.columns, &flat.rows, &mut out)
            .unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "{\"parsl.task\":3,\"where.host\":\"n1\",\"start\":\"2026-11-21T01:44:01.251632000Z\",\"tags\":[\"a\",\"b\"]}\n\
             {\"parsl.task\":172,\"tags\":[\"c\"]}\n"
        );
    }
}

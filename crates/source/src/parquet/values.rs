//! Cells of a column as JSON.

use std::fmt::Write as _;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, PrimitiveArray};
use arrow_schema::{DataType, TimeUnit};

use widetui_core::jsontext::{ObjectLine, is_number, push_string};
use widetui_time::time::{format_clock, format_date, rfc3339_nanos};

/// Seconds of a day.
const DAY: i64 = 86_400;

/// Maximum depth of nested values; deeper ones are left out.
const DEPTH: usize = 16;

/// Length of a nested value above which it becomes a text that can be truncated, bytes.
const LONG: usize = 256 * 1024;

/// Column of a batch.
pub(super) struct Cells<'a> {
    array: &'a dyn Array,
    kind: &'a DataType,
}

/// Value of a cell.
enum Cell<'a> {
    /// No value.
    Null,
    /// JSON as it stands: a number, `true`, a list.
    Bare(String),
    /// Text.
    Text(std::borrow::Cow<'a, [u8]>),
}

impl<'a> Cells<'a> {
    pub(super) fn of(array: &'a dyn Array) -> Cells<'a> {
        Cells {
            array,
            kind: array.data_type(),
        }
    }

    /// Writes a cell as a field, unless it has no value.
    pub(super) fn write(&self, row: usize, name: &str, line: &mut ObjectLine<'_>) {
        match self.cell(row, 0) {
            Cell::Null => {}
            Cell::Bare(json) if json.len() <= LONG => line.bare(name, &json),
            Cell::Bare(json) => line.text(name, json.as_bytes()),
            Cell::Text(text) => line.text(name, &text),
        }
    }

    /// Appends a nested cell to a JSON text.
    fn push(&self, row: usize, depth: usize, out: &mut Vec<u8>) {
        match self.cell(row, depth) {
            Cell::Null => out.extend_from_slice(b"null"),
            Cell::Bare(json) => out.extend_from_slice(json.as_bytes()),
            Cell::Text(text) => push_string(out, &text),
        }
    }

    fn cell(&self, row: usize, depth: usize) -> Cell<'a> {
        if self.array.is_null(row) || depth > DEPTH {
            return Cell::Null;
        }
        let array = self.array;
        match self.kind {
            DataType::Boolean => Cell::Bare(array.as_boolean().value(row).to_string()),
            DataType::Int8 => bare::<Int8Type>(array, row),
            DataType::Int16 => bare::<Int16Type>(array, row),
            DataType::Int32 => bare::<Int32Type>(array, row),
            DataType::Int64 => bare::<Int64Type>(array, row),
            DataType::UInt8 => bare::<UInt8Type>(array, row),
            DataType::UInt16 => bare::<UInt16Type>(array, row),
            DataType::UInt32 => bare::<UInt32Type>(array, row),
            DataType::UInt64 => bare::<UInt64Type>(array, row),
            DataType::Float16 => float(f64::from(primitive::<Float16Type>(array).value(row))),
            DataType::Float32 => {
                let x = primitive::<Float32Type>(array).value(row);
                match x.is_finite() {
                    true => Cell::Bare(format!("{x:?}")),
                    false => float(f64::from(x)),
                }
            }
            DataType::Float64 => float(primitive::<Float64Type>(array).value(row)),
            DataType::Utf8 => text(array.as_string::<i32>().value(row).as_bytes()),
            DataType::LargeUtf8 => text(array.as_string::<i64>().value(row).as_bytes()),
            DataType::Utf8View => text(array.as_string_view().value(row).as_bytes()),
            DataType::Binary => binary(array.as_binary::<i32>().value(row)),
            DataType::LargeBinary => binary(array.as_binary::<i64>().value(row)),
            DataType::BinaryView => binary(array.as_binary_view().value(row)),
            DataType::FixedSizeBinary(_) => binary(array.as_fixed_size_binary().value(row)),
            DataType::Date32 => {
                let days = i64::from(primitive::<Date32Type>(array).value(row));
                match days.checked_mul(DAY * 1_000_000_000) {
                    Some(ns) => Cell::Text(format_date(ns, 0).into_bytes().into()),
                    None => Cell::Bare(days.to_string()),
                }
            }
            DataType::Timestamp(unit, zone) => {
                let value = match unit {
                    TimeUnit::Second => primitive::<TimestampSecondType>(array).value(row),
                    TimeUnit::Millisecond => {
                        primitive::<TimestampMillisecondType>(array).value(row)
                    }
                    TimeUnit::Microsecond => {
                        primitive::<TimestampMicrosecondType>(array).value(row)
                    }
                    TimeUnit::Nanosecond => primitive::<TimestampNanosecondType>(array).value(row),
                };
                instant(value, nanos(*unit), zone.is_some())
            }
            DataType::Time32(unit) => {
                let value = match unit {
                    TimeUnit::Second => primitive::<Time32SecondType>(array).value(row),
                    _ => primitive::<Time32MillisecondType>(array).value(row),
                };
                clock(i64::from(value), nanos(*unit))
            }
            DataType::Time64(unit) => {
                let value = match unit {
                    TimeUnit::Microsecond => primitive::<Time64MicrosecondType>(array).value(row),
                    _ => primitive::<Time64NanosecondType>(array).value(row),
                };
                clock(value, nanos(*unit))
            }
            DataType::Duration(unit) => match unit {
                TimeUnit::Second => bare::<DurationSecondType>(array, row),
                TimeUnit::Millisecond => bare::<DurationMillisecondType>(array, row),
                TimeUnit::Microsecond => bare::<DurationMicrosecondType>(array, row),
                TimeUnit::Nanosecond => bare::<DurationNanosecondType>(array, row),
            },
            DataType::Decimal32(..) => {
                number(primitive::<Decimal32Type>(array).value_as_string(row))
            }
            DataType::Decimal64(..) => {
                number(primitive::<Decimal64Type>(array).value_as_string(row))
            }
            DataType::Decimal128(..) => {
                number(primitive::<Decimal128Type>(array).value_as_string(row))
            }
            DataType::Decimal256(..) => {
                number(primitive::<Decimal256Type>(array).value_as_string(row))
            }
            DataType::List(_) => list(&*array.as_list::<i32>().value(row), depth),
            DataType::LargeList(_) => list(&*array.as_list::<i64>().value(row), depth),
            DataType::FixedSizeList(..) => list(&*array.as_fixed_size_list().value(row), depth),
            DataType::Map(..) => {
                let entries = array.as_map().value(row);
                list(&entries, depth)
            }
            DataType::Struct(fields) => {
                let columns = array.as_struct().columns();
                let mut out = vec![b'{'];
                for (field, column) in fields.iter().zip(columns) {
                    if column.is_null(row) {
                        continue;
                    }
                    if out.len() > 1 {
                        out.push(b',');
                    }
                    push_string(&mut out, field.name().as_bytes());
                    out.push(b':');
                    Cells::of(&**column).push(row, depth + 1, &mut out);
                }
                out.push(b'}');
                json(out)
            }
            // Parquet has no further types with values.
            _ => Cell::Null,
        }
    }
}

fn primitive<T: ArrowPrimitiveType>(array: &dyn Array) -> &PrimitiveArray<T> {
    array.as_primitive::<T>()
}

fn bare<'a, T: ArrowPrimitiveType<Native: std::fmt::Display>>(
    array: &dyn Array,
    row: usize,
) -> Cell<'a> {
    Cell::Bare(primitive::<T>(array).value(row).to_string())
}

/// Number as JSON. NaN stands for a missing value, as in data frames.
fn float<'a>(x: f64) -> Cell<'a> {
    if x.is_finite() {
        return Cell::Bare(format!("{x:?}"));
    }
    match x.is_nan() {
        true => Cell::Null,
        false if x > 0.0 => Cell::Bare("Infinity".to_owned()),
        false => Cell::Bare("-Infinity".to_owned()),
    }
}

fn number<'a>(text: String) -> Cell<'a> {
    match is_number(text.as_bytes()) {
        true => Cell::Bare(text),
        false => Cell::Text(text.into_bytes().into()),
    }
}

fn text(bytes: &[u8]) -> Cell<'_> {
    Cell::Text(bytes.into())
}

/// Bytes as text if they are printable UTF-8, else as hexadecimal digits.
fn binary(bytes: &[u8]) -> Cell<'_> {
    let is_plain = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t');
    if std::str::from_utf8(bytes).is_ok_and(|t| t.chars().all(is_plain)) {
        return text(bytes);
    }
    let mut digits = String::new();
    for byte in bytes {
        let _ = write!(digits, "{byte:02x}");
    }
    Cell::Text(digits.into_bytes().into())
}

/// Nanoseconds of a unit.
fn nanos(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    }
}

/// Time with a date; a number if it is outside of the years 1678 to 2261.
fn instant<'a>(value: i64, unit: i64, is_utc: bool) -> Cell<'a> {
    let Some(ns) = value.checked_mul(unit) else {
        return Cell::Bare(value.to_string());
    };
    let mut text = rfc3339_nanos(ns);
    if !is_utc {
        text.pop();
    }
    Cell::Text(text.into_bytes().into())
}

/// Time of day.
fn clock<'a>(value: i64, unit: i64) -> Cell<'a> {
    match value.checked_mul(unit) {
        Some(ns) => Cell::Text(format_clock(ns, 0, 9).into_bytes().into()),
        None => Cell::Bare(value.to_string()),
    }
}

fn list<'a>(values: &dyn Array, depth: usize) -> Cell<'a> {
    let cells = Cells::of(values);
    let mut out = vec![b'['];
    for row in 0..values.len() {
        if row > 0 {
            out.push(b',');
        }
        cells.push(row, depth + 1, &mut out);
    }
    out.push(b']');
    json(out)
}

fn json<'a>(out: Vec<u8>) -> Cell<'a> {
    Cell::Bare(String::from_utf8_lossy(&out).into_owned())
}

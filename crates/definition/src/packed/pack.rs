//! Packing of TOML text for [`read`](super::read), by build scripts and for users' files.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Error, mark};

/// Packs the text of a file.
///
/// # Errors
/// The text is not TOML, has an integer beyond 64 bits, or has a date or time, which definitions write as strings.
pub fn pack(text: &str) -> Result<Vec<u8>, Error> {
    let table = DeTable::parse(text).map_err(|e| Error {
        message: e.message().to_owned(),
        span: e.span(),
        field: None,
    })?;
    let span = table.span();
    let mut out = Vec::new();
    let whole = Spanned::new(span, DeValue::Table(table.into_inner()));
    value(&whole, &mut out)?;
    Ok(out)
}

/// Byte range of the name of a field in the text of a file, by the range of the field's value.
pub(crate) fn span_of_field(text: &str, name: &str, value: &Range<usize>) -> Option<Range<usize>> {
    fn within(of: &DeValue<'_>, name: &str, value: &Range<usize>) -> Option<Range<usize>> {
        match of {
            DeValue::Table(table) => table.iter().find_map(|(key, of)| {
                match key.get_ref() == name && of.span() == *value {
                    true => Some(key.span()),
                    false => within(of.get_ref(), name, value),
                }
            }),
            DeValue::Array(list) => list.iter().find_map(|of| within(of.get_ref(), name, value)),
            _ => None,
        }
    }
    let table = DeTable::parse(text).ok()?;
    within(&DeValue::Table(table.into_inner()), name, value)
}

fn value(of: &Spanned<DeValue<'_>>, out: &mut Vec<u8>) -> Result<(), Error> {
    let wrong = |message: String| Error {
        message,
        span: Some(of.span()),
        field: None,
    };
    let mut begin = |mark: u8| {
        let span = of.span();
        out.push(mark);
        number(span.start as u64, out);
        number(span.len() as u64, out);
    };
    match of.get_ref() {
        DeValue::String(text) => {
            begin(mark::TEXT);
            bytes(text.as_bytes(), out);
        }
        DeValue::Boolean(true) => begin(mark::TRUE),
        DeValue::Boolean(false) => begin(mark::FALSE),
        DeValue::Integer(integer) => {
            begin(mark::INTEGER);
            let parsed = i64::from_str_radix(integer.as_str(), integer.radix());
            let parsed = parsed.map_err(|e| wrong(format!("{integer}: {e}")))?;
            number(((parsed << 1) ^ (parsed >> 63)).cast_unsigned(), out);
        }
        DeValue::Float(float) => {
            begin(mark::FLOAT);
            let parsed: Result<f64, _> = float.as_str().parse();
            let parsed = parsed.map_err(|e| wrong(format!("{float}: {e}")))?;
            out.extend(parsed.to_le_bytes());
        }
        DeValue::Datetime(time) => return Err(wrong(format!("{time}: write a time as a string"))),
        DeValue::Array(list) => {
            begin(mark::LIST);
            let mut inside = Vec::new();
            number(list.len() as u64, &mut inside);
            for item in list {
                value(item, &mut inside)?;
            }
            bytes(&inside, out);
        }
        DeValue::Table(table) => {
            begin(mark::TABLE);
            let mut inside = Vec::new();
            number(table.len() as u64, &mut inside);
            for (name, of) in table {
                bytes(name.get_ref().as_bytes(), &mut inside);
                value(of, &mut inside)?;
            }
            bytes(&inside, out);
        }
    }
    Ok(())
}

fn bytes(of: &[u8], out: &mut Vec<u8>) {
    number(of.len() as u64, out);
    out.extend(of);
}

fn number(mut of: u64, out: &mut Vec<u8>) {
    while of >= 0x80 {
        out.push((of & 0x7f) as u8 | 0x80);
        of >>= 7;
    }
    out.push((of & 0x7f) as u8);
}

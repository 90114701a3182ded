//! Deserialisation of definitions in packed form: of built-in ones, which the build script packed, without the cost of
//! parsing TOML at each start, and of users' files, which are packed when they are read, so that one reader serves both. The
//! result equals that of the TOML parser, positions included; `mark` defines the format.

use std::cell::Cell;
use std::fmt;
use std::ops::Range;

use serde::de::value::{BorrowedStrDeserializer, StrDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess,
    SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_spanned::de::{SpannedDeserializer, is_spanned};

mod mark;
pub mod pack;

/// Name of newtypes that receive a list or table in packed form, as bytes for [`read`].
pub(crate) const LAZY: &str = "$packed lazy";

/// Error of a definition: problem, and its position in the TOML text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Problem.
    pub message: String,
    /// Value with the problem, as a byte range of the text.
    pub span: Option<Range<usize>>,
    /// Name of a field that the table has by mistake; `span` is the range of its value.
    pub(crate) field: Option<String>,
}

impl Error {
    /// Adds the position, unless a part of the value has the problem.
    fn at(self, span: Range<usize>) -> Error {
        let span = self.span.or(Some(span));
        Error { span, ..self }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl serde::de::Error for Error {
    fn custom<T: fmt::Display>(text: T) -> Error {
        Error {
            message: text.to_string(),
            span: None,
            field: None,
        }
    }
}

/// Deserialises a packed file, or a packed part of one; [`LAZY`] parts stay packed.
///
/// # Errors
/// The bytes are not in packed form, or not valid for `T`.
pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    read_from(Reader {
        rest: bytes,
        lazily: true,
    })
}

/// Deserialises a packed file with all its parts.
///
/// # Errors
/// As [`read`], and any part is not valid.
pub(crate) fn read_all<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    read_from(Reader {
        rest: bytes,
        lazily: false,
    })
}

fn read_from<T: DeserializeOwned>(mut reader: Reader<'_>) -> Result<T, Error> {
    let value = T::deserialize(reader.value()?)?;
    match reader.rest {
        [] => Ok(value),
        _ => Err(Error::custom("there is more behind the packed value")),
    }
}

thread_local! {
    static BEING_READ: Cell<&'static [u8]> = const { Cell::new(&[]) };
}

/// Deserialises static bytes, as [`read`]; parts that stay packed borrow from them.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_built_in<T: DeserializeOwned>(bytes: &'static [u8]) -> Result<T, Error> {
    BEING_READ.set(bytes);
    let value = read(bytes);
    BEING_READ.set(&[]);
    value
}

/// Static bytes that this thread is deserialising; empty if there are none.
pub(crate) fn being_read() -> &'static [u8] {
    BEING_READ.get()
}

/// Cursor over packed bytes.
struct Reader<'de> {
    rest: &'de [u8],
    /// True if [`LAZY`] parts stay packed.
    lazily: bool,
}

impl<'de> Reader<'de> {
    fn byte(&mut self) -> Result<u8, Error> {
        let (first, rest) = self.rest.split_first().ok_or_else(cut)?;
        self.rest = rest;
        Ok(*first)
    }

    fn number(&mut self) -> Result<u64, Error> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Error::custom("a packed number is too long"))
    }

    fn length(&mut self) -> Result<usize, Error> {
        usize::try_from(self.number()?).map_err(Error::custom)
    }

    /// Bytes with a length prefix.
    fn bytes(&mut self) -> Result<&'de [u8], Error> {
        let length = self.length()?;
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or_else(cut)?;
        self.rest = rest;
        Ok(bytes)
    }

    fn text(&mut self) -> Result<&'de str, Error> {
        std::str::from_utf8(self.bytes()?).map_err(Error::custom)
    }

    /// Reader of the contents of a list or table.
    fn inside(&mut self) -> Result<Reader<'de>, Error> {
        let rest = self.bytes()?;
        let lazily = self.lazily;
        Ok(Reader { rest, lazily })
    }

    fn float(&mut self) -> Result<f64, Error> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or_else(cut)?;
        self.rest = rest;
        Ok(f64::from_le_bytes(*bytes))
    }

    /// Reads the header of the next value.
    fn value(&mut self) -> Result<Value<'_, 'de>, Error> {
        let whole = self.rest;
        let mark = self.byte()?;
        let start = self.length()?;
        let length = self.length()?;
        Ok(Value {
            reader: self,
            whole,
            mark,
            span: start..start.saturating_add(length),
        })
    }
}

fn cut() -> Error {
    Error::custom("a packed value ends too early")
}

/// Value whose content is not read yet.
struct Value<'a, 'de> {
    reader: &'a mut Reader<'de>,
    /// Bytes from the mark of the value on.
    whole: &'de [u8],
    mark: u8,
    span: Range<usize>,
}

impl<'de> Value<'_, 'de> {
    fn visited<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let reader = self.reader;
        match self.mark {
            mark::TEXT => visitor.visit_borrowed_str(reader.text()?),
            mark::TRUE => visitor.visit_bool(true),
            mark::FALSE => visitor.visit_bool(false),
            mark::INTEGER => {
                let zigzag = reader.number()?;
                visitor.visit_i64((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed())
            }
            mark::FLOAT => visitor.visit_f64(reader.float()?),
            mark::LIST => {
                let mut inside = reader.inside()?;
                let mut items = Items::of(&mut inside)?;
                let list = visitor.visit_seq(&mut items)?;
                items.end(list)
            }
            mark::TABLE => {
                let mut inside = reader.inside()?;
                let mut items = Items::of(&mut inside)?;
                let table = visitor.visit_map(&mut items)?;
                items.end(table)
            }
            _ => Err(Error::custom("a packed value of an unknown kind")),
        }
    }
}

impl<'de> IntoDeserializer<'de, Error> for Value<'_, 'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Value<'_, 'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let span = self.span.clone();
        self.visited(visitor).map_err(|e| e.at(span))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if is_spanned(name) {
            let span = self.span.clone();
            return visitor.visit_map(SpannedDeserializer::new(self, span));
        }
        self.deserialize_any(visitor)
    }

    /// Lists and tables of [`LAZY`] newtypes are returned in packed form.
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        if name == LAZY && self.reader.lazily && matches!(self.mark, mark::LIST | mark::TABLE) {
            self.reader.bytes()?;
            let length = self.whole.len() - self.reader.rest.len();
            return visitor.visit_bytes(self.whole.get(..length).ok_or_else(cut)?);
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.mark {
            mark::TEXT => {
                let name: StrDeserializer<'_, Error> = self.reader.text()?.into_deserializer();
                visitor.visit_enum(name).map_err(|e| e.at(self.span))
            }
            _ => Err(Error::custom("wanted string").at(self.span)),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

/// Values of a list, or names and values of a table.
struct Items<'a, 'de> {
    reader: &'a mut Reader<'de>,
    left: usize,
}

impl<'a, 'de> Items<'a, 'de> {
    fn of(reader: &'a mut Reader<'de>) -> Result<Items<'a, 'de>, Error> {
        let left = reader.length()?;
        Ok(Items { reader, left })
    }

    /// Returns `made` if all items were read.
    fn end<T>(&self, made: T) -> Result<T, Error> {
        match (self.left, self.reader.rest) {
            (0, []) => Ok(made),
            (left, _) => Err(Error::invalid_length(left, &"fewer values")),
        }
    }

    /// Counts one item; `false` if none is left.
    fn next(&mut self) -> bool {
        let some = self.left > 0;
        self.left = self.left.saturating_sub(1);
        some
    }
}

impl<'de> SeqAccess<'de> for Items<'_, 'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        match self.next() {
            true => seed.deserialize(self.reader.value()?).map(Some),
            false => Ok(None),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'de> MapAccess<'de> for Items<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        if !self.next() {
            return Ok(None);
        }
        let name = self.reader.text()?;
        let key = seed.deserialize(BorrowedStrDeserializer::new(name));
        let wrong = |e| {
            let (rest, lazily) = (self.reader.rest, false);
            let value = Reader { rest, lazily }.value().map(|value| value.span);
            Error {
                span: value.ok(),
                field: Some(name.to_owned()),
                ..e
            }
        };
        key.map(Some).map_err(wrong)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(self.reader.value()?)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

#[cfg(test)]
mod tests;

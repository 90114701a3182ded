//! Long parts of definitions, of which a run needs few: messages of all possible sources, samples, hints.
//!
//! The parts of built-in definitions are unpacked at first use. The parts of user files are parsed at once, because
//! their errors must be reported.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::OnceLock;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error, Visitor};

use crate::packed;

/// Value that may still be packed.
pub struct Lazy<T> {
    packed: Cow<'static, [u8]>,
    cell: OnceLock<T>,
}

impl<T: DeserializeOwned + Default> Deref for Lazy<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // A test unpacks all built-in definitions, so unpacking does not fail.
        let unpacked = || packed::read(&self.packed).unwrap_or_default();
        self.cell.get_or_init(unpacked)
    }
}

impl<'a, T: DeserializeOwned> IntoIterator for &'a Lazy<Vec<T>> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: JsonSchema> JsonSchema for Lazy<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

impl<T> From<T> for Lazy<T> {
    fn from(value: T) -> Lazy<T> {
        Lazy {
            packed: Cow::default(),
            cell: OnceLock::from(value),
        }
    }
}

impl<T: Default> Default for Lazy<T> {
    fn default() -> Lazy<T> {
        Lazy::from(T::default())
    }
}

impl<T: DeserializeOwned + Default + fmt::Debug> fmt::Debug for Lazy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Lazy<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either<T>(PhantomData<T>);
        impl<'de, T: DeserializeOwned> Visitor<'de> for Either<T> {
            type Value = Lazy<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(
                self,
                deserializer: D,
            ) -> Result<Lazy<T>, D::Error> {
                T::deserialize(deserializer).map(Lazy::from)
            }

            fn visit_bytes<E: Error>(self, packed: &[u8]) -> Result<Lazy<T>, E> {
                // Built-in definitions are static: their packed parts need no copy.
                let built_in = part_of(packed::being_read(), packed);
                Ok(Lazy {
                    packed: built_in.map_or_else(|| packed.to_vec().into(), Cow::Borrowed),
                    cell: OnceLock::new(),
                })
            }
        }
        deserializer.deserialize_newtype_struct(packed::LAZY, Either(PhantomData))
    }
}

/// Returns the static slice of `part` if it lies within `all`.
fn part_of(all: &'static [u8], part: &[u8]) -> Option<&'static [u8]> {
    let from = part.as_ptr().addr().checked_sub(all.as_ptr().addr())?;
    all.get(from..from.checked_add(part.len())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    struct File {
        list: Lazy<Vec<String>>,
        #[serde(default)]
        none: Lazy<Vec<String>>,
    }

    #[test]
    fn packed_values_are_read_on_first_use() {
        let file: File = packed::read(&packed::pack::pack("list = ['a']").unwrap()).unwrap();
        assert!(file.list.cell.get().is_none());
        assert_eq!(*file.list, ["a"]);
        assert!(file.list.cell.get().is_some());
        assert!(file.none.is_empty());
    }

    #[test]
    fn built_in_definitions_are_not_copied() {
        let all: &'static [u8] = packed::pack::pack("list = ['a']").unwrap().leak();
        assert_eq!(part_of(all, &all[2..5]), Some(&all[2..5]));
        let elsewhere = Vec::from(&all[2..5]);
        assert_eq!(part_of(all, &elsewhere), None);
        let file: File = packed::read_built_in(all).unwrap();
        assert!(matches!(file.list.packed, Cow::Borrowed(_)));
        let file: File = packed::read(all).unwrap();
        assert!(matches!(file.list.packed, Cow::Owned(_)));
    }

    #[test]
    fn errors_in_a_file_are_reported_at_once() {
        let read = |text| packed::read_all::<File>(&packed::pack::pack(text).unwrap());
        let file = read("list = ['a']").unwrap();
        assert!(file.list.cell.get().is_some());
        assert_eq!((&file.list).into_iter().count(), 1);
        let error = read("list = ['a', 1]").unwrap_err();
        assert_eq!(error.span, Some(13..14));
    }
}

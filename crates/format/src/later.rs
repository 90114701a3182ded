//! Parts of definitions that are long, and of which a run needs few: the messages of all sources that there could be,
//! samples, hints. Of what the program carries they are unpacked when they are first asked for; of the files of users they
//! are read at once, as mistakes must be told.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::OnceLock;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error, Visitor};

use crate::embedded::SYSTEMS;

use super::packed;

/// A value that may still be packed.
pub struct Later<T> {
    packed: Cow<'static, [u8]>,
    cell: OnceLock<T>,
}

impl<T: DeserializeOwned + Default> Deref for Later<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // A test unpacks all that the program carries.
        let unpacked = || packed::read(&self.packed).unwrap_or_default();
        self.cell.get_or_init(unpacked)
    }
}

impl<'a, T: DeserializeOwned> IntoIterator for &'a Later<Vec<T>> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> From<T> for Later<T> {
    fn from(value: T) -> Later<T> {
        Later {
            packed: Cow::default(),
            cell: OnceLock::from(value),
        }
    }
}

impl<T: Default> Default for Later<T> {
    fn default() -> Later<T> {
        Later::from(T::default())
    }
}

impl<T: DeserializeOwned + Default + fmt::Debug> fmt::Debug for Later<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Later<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NowOrLater<T>(PhantomData<T>);
        impl<'de, T: DeserializeOwned> Visitor<'de> for NowOrLater<T> {
            type Value = Later<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(
                self,
                deserializer: D,
            ) -> Result<Later<T>, D::Error> {
                T::deserialize(deserializer).map(Later::from)
            }

            fn visit_bytes<E: Error>(self, packed: &[u8]) -> Result<Later<T>, E> {
                // What the program carries stays where it is.
                let carried = SYSTEMS.iter().find_map(|(_, _, all)| part_of(all, packed));
                Ok(Later {
                    packed: carried.map_or_else(|| packed.to_vec().into(), Cow::Borrowed),
                    cell: OnceLock::new(),
                })
            }
        }
        deserializer.deserialize_newtype_struct(packed::LATER, NowOrLater(PhantomData))
    }
}

/// A part of some bytes, if it lies there.
fn part_of(all: &'static [u8], part: &[u8]) -> Option<&'static [u8]> {
    let from = part.as_ptr().addr().checked_sub(all.as_ptr().addr())?;
    all.get(from..from.checked_add(part.len())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    struct File {
        list: Later<Vec<String>>,
        #[serde(default)]
        none: Later<Vec<String>>,
    }

    #[test]
    fn what_is_packed_is_read_when_it_is_asked_for() {
        let file: File = packed::read(&packed::pack::pack("list = ['a']").unwrap()).unwrap();
        assert!(file.list.cell.get().is_none());
        assert_eq!(*file.list, ["a"]);
        assert!(file.list.cell.get().is_some());
        assert!(file.none.is_empty());
    }

    #[test]
    fn what_the_program_carries_is_not_copied() {
        let (_, _, all) = SYSTEMS[0];
        assert_eq!(part_of(all, &all[2..5]), Some(&all[2..5]));
        let elsewhere = Vec::from(&all[2..5]);
        assert_eq!(part_of(all, &elsewhere), None);
        let def = super::super::def::unpack(all).unwrap();
        assert!(matches!(def.sample.packed, Cow::Borrowed(_)));
    }

    #[test]
    fn mistakes_in_a_file_are_told_at_once() {
        let file: File = toml::from_str("list = ['a']").unwrap();
        assert!(file.list.cell.get().is_some());
        assert_eq!((&file.list).into_iter().count(), 1);
        let error = toml::from_str::<File>("list = ['a', 1]").unwrap_err();
        assert_eq!(error.span(), Some(13..14));
    }
}

//! Values that identify an instance.

use std::ops::Deref;

use widetui_core::dict::{Code, NONE};

/// Number of values stored inline; few ids have more.
const FEW: usize = 4;

/// Values of the keys that identify an instance. Short ids, which are nearly all, need no heap
/// memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceId(Kept);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kept {
    /// Number of values, and the values; unused ones are `NONE`.
    Few(u8, [Code; FEW]),
    Many(Box<[Code]>),
}

impl InstanceId {
    /// Id with `len` values `NONE`.
    pub(super) fn of_len(len: usize) -> InstanceId {
        InstanceId(match len <= FEW {
            true => Kept::Few(len as u8, [NONE; FEW]),
            false => Kept::Many(vec![NONE; len].into()),
        })
    }

    /// Mutable values of the id.
    pub(super) fn codes_mut(&mut self) -> &mut [Code] {
        match &mut self.0 {
            Kept::Few(len, codes) => &mut codes[..usize::from(*len)],
            Kept::Many(codes) => codes,
        }
    }
}

impl From<&[Code]> for InstanceId {
    fn from(codes: &[Code]) -> InstanceId {
        let mut id = InstanceId::of_len(codes.len());
        id.codes_mut().copy_from_slice(codes);
        id
    }
}

impl Deref for InstanceId {
    type Target = [Code];

    fn deref(&self) -> &[Code] {
        match &self.0 {
            Kept::Few(len, codes) => &codes[..usize::from(*len)],
            Kept::Many(codes) => codes,
        }
    }
}

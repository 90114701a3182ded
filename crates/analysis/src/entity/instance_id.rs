//! Values that identify an instance.

use std::ops::Deref;

use widetui_core::dict::{Code, NONE};

/// Number of values stored inline; few ids have more.
const INLINE_LEN: usize = 4;

/// Values of the keys that identify an instance. Short ids, which are nearly all, need no heap
/// memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceId(Values);

/// Storage of the values of an id.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Values {
    /// Number of values, and the values; unused ones are `NONE`.
    Inline(u8, [Code; INLINE_LEN]),
    Heap(Box<[Code]>),
}

impl InstanceId {
    /// Id with `len` values `NONE`.
    pub(super) fn with_len(len: usize) -> InstanceId {
        InstanceId(match len <= INLINE_LEN {
            true => Values::Inline(len as u8, [NONE; INLINE_LEN]),
            false => Values::Heap(vec![NONE; len].into()),
        })
    }

    /// Mutable values of the id.
    pub(super) fn codes_mut(&mut self) -> &mut [Code] {
        match &mut self.0 {
            Values::Inline(len, codes) => &mut codes[..usize::from(*len)],
            Values::Heap(codes) => codes,
        }
    }
}

impl From<&[Code]> for InstanceId {
    fn from(codes: &[Code]) -> InstanceId {
        let mut id = InstanceId::with_len(codes.len());
        id.codes_mut().copy_from_slice(codes);
        id
    }
}

impl Deref for InstanceId {
    type Target = [Code];

    fn deref(&self) -> &[Code] {
        match &self.0 {
            Values::Inline(len, codes) => &codes[..usize::from(*len)],
            Values::Heap(codes) => codes,
        }
    }
}

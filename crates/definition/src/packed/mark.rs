//! What a packed value begins with. The build script, which packs, and the program, which unpacks, both compile this file.
//!
//! ```text
//! value   = mark, start, length, content      bytes of the TOML file that it was written in
//! text    = length, its bytes
//! integer = zigzag                             0, -1, 1, -2 ...
//! float   = 8 bytes, little-endian
//! list    = length of what follows, count, values
//! table   = length of what follows, count, (length, bytes of the name, value) ...
//! ```
//! Lengths, counts and places are LEB128: seven bits a byte, the lowest first, the highest bit on all bytes but the last.

/// A text.
pub(crate) const TEXT: u8 = 0;
/// True; it has no content.
pub(crate) const TRUE: u8 = 1;
/// False; it has no content.
pub(crate) const FALSE: u8 = 2;
/// A whole number.
pub(crate) const INTEGER: u8 = 3;
/// A number.
pub(crate) const FLOAT: u8 = 4;
/// Values in their order.
pub(crate) const LIST: u8 = 5;
/// Names with a value each.
pub(crate) const TABLE: u8 = 6;

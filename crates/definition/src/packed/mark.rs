//! Format of packed values. The build script, which packs, and the program, which unpacks, both compile this file.
//!
//! ```text
//! value   = mark, start, length, content      byte range of the value in the TOML file
//! text    = length, its bytes
//! integer = zigzag                             0, -1, 1, -2 ...
//! float   = 8 bytes, little-endian
//! list    = length of what follows, count, values
//! table   = length of what follows, count, (length, bytes of the name, value) ...
//! ```
//! Lengths, counts and positions are LEB128: seven bits per byte, the lowest first, the highest bit set on all bytes but the
//! last.

/// Text.
pub(crate) const TEXT: u8 = 0;
/// True, without content.
pub(crate) const TRUE: u8 = 1;
/// False, without content.
pub(crate) const FALSE: u8 = 2;
/// Integer.
pub(crate) const INTEGER: u8 = 3;
/// Floating-point number.
pub(crate) const FLOAT: u8 = 4;
/// List of values.
pub(crate) const LIST: u8 = 5;
/// Table of names and values.
pub(crate) const TABLE: u8 = 6;

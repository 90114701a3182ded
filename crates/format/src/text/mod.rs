//! Text: tokens, JSON values, logfmt pairs, host lists, colour codes, chunks of lines.

pub mod colours;
pub(crate) mod header_words;
pub mod hosts;
pub mod json_scan;
pub mod logfmt;
pub mod reserved;
pub mod structured_data;
pub mod token;

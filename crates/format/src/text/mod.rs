//! Text: tokens, JSON values, logfmt pairs, host lists, terminal colours, header words.

pub mod colours;
pub(crate) mod header_words;
pub mod hosts;
pub mod json_scan;
pub mod logfmt;
pub mod reserved;
pub mod structured_data;
pub mod token;

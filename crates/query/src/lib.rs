//! Queries: the expression language, its evaluation on columns, and counts of keys, values and templates.
//!
//! ```text
//! text --parse--> Expr --Program--> leaves (codes, shapes, sources, patterns) --select--> Selection
//! ```
//!
//! A test of a key is evaluated once for everything that many rows share (constants of a shape, a context, a path) and
//! by a table of dictionary codes for the rest. The text of records is read only where columns cannot decide, in large
//! blocks and in the order of each source, and only for rows that the rest of the query leaves undecided.

pub mod bits;
mod bulk_search;
pub mod code_counts;
pub mod complete;
pub mod error;
pub mod expr;
pub mod key_resolution;
pub mod key_stats;
pub mod key_table;
mod literal_patterns;
pub mod matcher;
pub mod number_summary;
pub mod parse;
mod row_values;
pub mod search_text;
pub mod select;
pub mod selection;
pub mod tally;
pub mod template_table;
pub mod time_histogram;
mod typed_pattern;
pub mod value_table;
pub mod values;

mod columns;
mod count;
mod lex;
mod operand;
mod program;
mod scan;
mod value;

pub use complete::{Completion, complete, complete_with};
pub use count::count;
pub use error::QueryError;
pub use expr::{Comparison, Expr, Field, Op};
pub use key_resolution::resolve_key_name;
pub use key_stats::{KeyStat, key_stats};
pub use key_table::{KeyRow, KeyTable, key_table};
pub use matcher::Matcher;
pub use number_summary::NumberSummary;
pub use parse::{TimeContext, parse, parse_with_notes};
pub use program::template_hash;
pub use search_text::{SearchText, suggest_pattern};
pub use select::{select, select_among};
pub use selection::Selection;
pub use template_table::{TemplateRow, TemplateTable, template_table};
pub use time_histogram::EventHistogram;
pub use value_table::{ValueRow, ValueTable, value_table};
pub use values::values;

pub use program::resolve as resolve_key;
use program::resolve;

#[cfg(test)]
mod tests;

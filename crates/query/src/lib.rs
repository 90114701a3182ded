//! Queries: the expression language, its evaluation on columns, what values keys have and how often.
//!
//! ```text
//! text --parse--> Expr --Program--> leaves (codes, shapes, sources, patterns) --select--> Selection
//! ```
//!
//! A question about a key is answered once for everything that many rows share (constants of a shape, a context, a
//! path) and by a table of codes for the rest. Only what columns cannot decide is read from the text, in large blocks
//! from the start of each source to its end, and only the records that the rest of the query leaves open.

pub mod bits;
pub mod codecounts;
pub mod complete;
pub mod error;
pub mod expr;
pub mod keytable;
pub mod matcher;
pub mod naming;
pub mod numbers;
pub mod overtime;
pub mod parse;
pub mod searched;
pub mod select;
pub mod selection;
pub mod stats;
pub mod tally;
pub mod templates;
pub mod values;
pub mod valuetable;

mod columns;
mod count;
mod each;
mod lex;
mod operand;
mod plain;
mod program;
mod scan;
mod stretch;
mod typed;
mod value;

pub use complete::{Completion, complete, complete_with};
pub use count::count;
pub use error::QueryError;
pub use expr::{Comparison, Expr, Field, Op};
pub use keytable::{KeyRow, KeyTable, key_table};
pub use matcher::Matcher;
pub use naming::key_named;
pub use numbers::NumberSummary;
pub use overtime::EventCourse;
pub use parse::{TimeContext, parse, parse_telling};
pub use program::template_hash;
pub use searched::{Searched, pattern_meant};
pub use select::{select, select_among};
pub use selection::Selection;
pub use stats::{KeyStat, key_stats};
pub use templates::{TemplateRow, TemplateTable, template_table};
pub use values::values;
pub use valuetable::{ValueRow, ValueTable, value_table};

pub use program::resolve as resolve_key;
use program::resolve;

#[cfg(test)]
mod tests;

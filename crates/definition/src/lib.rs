//! Definitions: the syntax of `systems/*.toml`, which `systems/README.md` explains.
//!
//! ```text
//! text of a file ──syntax::read──> Definition, or DefError with file, line and column
//!       │                              ^
//!       └─packed::pack::pack (build)───┘ syntax::unpack (built-in definitions, at start)
//! ```
//!
//! * [`syntax::Definition`] is a file as written, with the byte range of every string that may be wrong. Nothing here is
//!   compiled: patterns, globs and conditions are text. `widetui_format` compiles layouts, dialects, messages and kinds of
//!   sources; `widetui_join`, `widetui_analysis` and `widetui_diagnosis` read [`semantics`].
//! * [`error_recovery::read`] parses a file as far as possible and reports every error in it.
//! * [`schema`] is the JSON Schema of a file, derived from the same types; the tables of the reference in `systems/README.md`
//!   derive from it (`tests/it/reference.rs`).
//! * [`packed`] is the binary form of built-in definitions: the same values and positions without the cost of parsing TOML at
//!   every start. Long parts that a run seldom needs stay packed until their first use ([`lazy`]).
//!
//! Invariant: a packed definition and its text give equal values, positions included.

#![cfg_attr(
    not(test),
    warn(
        clippy::indexing_slicing,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap
    )
)]

pub mod bracket_start;
pub mod documents;
pub mod duration_keys;
pub mod error;
pub mod error_recovery;
pub mod identity;
pub mod join_names;
pub mod json_dialect;
pub mod key_type;
pub mod lazy;
pub mod one_or_more;
pub mod packed;
pub mod schema;
pub mod semantics;
pub mod state_transitions;
pub mod syntax;
pub mod text;
pub mod toml_text;
mod tuple;
pub mod words;

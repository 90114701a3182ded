//! Formats: from bytes to records. Layouts, templates and keys, JSON, and the definitions of systems.

pub mod catalog;
pub mod check;
pub mod choose;
pub mod def;
pub mod deferror;
pub mod detect;
pub mod encode;
pub mod glob;
pub mod json;
pub mod jsonload;
pub mod jsonscan;
pub mod jsonspec;
pub mod keys;
pub mod kinds;
pub mod layout;
pub mod lines;
pub mod logfmt;
pub mod meaning;
pub mod mine;
pub mod pattern;
pub mod reader;
pub mod scope;
pub mod shapes;
pub mod sink;
pub mod systems;
pub mod token;
mod tryorder;

//! Kinds of sources, as definitions describe them, compiled.

use std::sync::Arc;

use crate::base::dict::Code;
use crate::base::ids::KeyId;

use super::jsonspec::JsonSpec;
use super::layout::Layout;
use super::scope::Scope;

/// A kind of source of a system: which layouts may occur, which messages apply.
#[derive(Debug)]
pub struct SourceKind {
    /// The system.
    pub system: Arc<str>,
    /// Its name within the system: `worker`.
    pub kind: Arc<str>,
    /// Layouts that may occur.
    pub layouts: Vec<Arc<Layout>>,
    /// JSON dialects that may occur.
    pub json: Vec<Arc<JsonSpec>>,
    /// Which messages apply.
    pub scope: Arc<Scope>,
    /// What it is, when it is listed but not read.
    pub attachment: Option<String>,
}

/// A kind that claims a path.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The kind.
    pub kind: Arc<SourceKind>,
    /// Short name of the source.
    pub tag: String,
    /// What the path says.
    pub consts: Vec<(KeyId, Code)>,
}

/// All definitions, compiled for one run.
#[derive(Debug, Default)]
pub struct Compiled {
    /// For sources that no path claims.
    pub generic_layouts: Vec<Arc<Layout>>,
    /// For sources that no path claims.
    pub generic_json: Vec<Arc<JsonSpec>>,
}

impl Compiled {
    /// The kinds that claim a path, most specific first.
    pub fn claims(&self, _path: &str) -> Vec<Claim> {
        Vec::new()
    }
}

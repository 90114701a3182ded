//! Display names of sources, and their colours by kind.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use widetui_query::{Expr, Field};
use widetui_store::{Snapshot, Source};

/// Display names and colour numbers of the sources of a run.
#[derive(Clone, Debug)]
pub struct SourceNames {
    /// Colour number of each kind of source.
    kinds: FxHashMap<String, usize>,
    /// Whether the numbers are final: loading was complete when they were assigned.
    is_settled: bool,
    /// Display name of each source.
    pub(crate) names: Vec<String>,
    /// Width of the display names, in columns.
    pub(crate) tag_width: u16,
    /// Number of fractional digits in the times of the run, at most 6.
    pub digits: usize,
}

impl Default for SourceNames {
    fn default() -> SourceNames {
        SourceNames {
            kinds: FxHashMap::default(),
            is_settled: false,
            names: Vec::new(),
            tag_width: 4,
            digits: 0,
        }
    }
}

impl SourceNames {
    /// Numbers the kinds of logs in the order of their names, so that a kind has the same colour
    /// whenever the run is opened. Kinds that appear while files are followed get the next numbers.
    pub(crate) fn note_kinds(&mut self, snapshot: &Snapshot) {
        if !self.is_settled {
            self.kinds.clear();
        }
        let logs = snapshot.sources.iter().filter(|s| s.is_log);
        for name in logs.map(|s| kind_name(s)).collect::<BTreeSet<&str>>() {
            let next = self.kinds.len();
            self.kinds.entry(name.to_owned()).or_insert(next);
        }
        self.is_settled = snapshot.complete;
    }

    /// Display name of a source.
    pub fn name_of<'a>(&'a self, source: &'a Source) -> &'a str {
        self.names
            .get(source.id.index())
            .map_or(source.tag.as_str(), String::as_str)
    }

    /// Expression for the records of the sources with this display name; `None` without such a source.
    pub(crate) fn sources_named(&self, snapshot: &Snapshot, name: &str) -> Option<Expr> {
        let sources = snapshot.sources.iter();
        let named: Vec<_> = sources.filter(|s| self.name_of(s) == name).collect();
        let paths = named.iter().map(|s| s.path.as_str());
        let of_path = |path| Expr::equals(Field::Source, path);
        (!named.is_empty()).then(|| Expr::any_of(paths.map(of_path)))
    }

    /// Width of the column of source names in a pane of `pane` columns; the message needs most of
    /// them.
    pub fn tag_columns(&self, pane: u16) -> u16 {
        let most = match pane {
            ..36 => 0,
            36..60 => 6,
            60..90 => 10,
            90..150 => 15,
            _ => 24,
        };
        self.tag_width.min(most)
    }

    /// Colour number of the kind of a source.
    pub fn kind_of(&self, source: &Source) -> usize {
        self.kinds.get(kind_name(source)).copied().unwrap_or(0)
    }
}

/// Kind of a source; without one, the part of its tag before the first digit or separator.
fn kind_name(source: &Source) -> &str {
    if source.kind.is_empty() {
        source
            .tag
            .split(|c: char| c.is_ascii_digit() || matches!(c, '/' | '-' | '_' | '.'))
            .next()
            .unwrap_or_default()
    } else {
        &source.kind
    }
}

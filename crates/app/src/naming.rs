//! What the sources of a run are called on screen, and which of them share a colour.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use widetui_store::{Snapshot, Source};

/// What sources are called, and how wide that is.
#[derive(Clone, Debug)]
pub struct Naming {
    /// Number of each kind of source, for colours.
    kinds: FxHashMap<String, usize>,
    /// Whether the numbers stay as they are: all that was there at the start is known.
    is_settled: bool,
    /// What each source is called on screen.
    pub names: Vec<String>,
    /// Columns that these names want.
    pub tag_width: u16,
    /// Digits of a second that the stamps of the run have, at most 6.
    pub digits: usize,
}

impl Default for Naming {
    fn default() -> Naming {
        Naming {
            kinds: FxHashMap::default(),
            is_settled: false,
            names: Vec::new(),
            tag_width: 4,
            digits: 0,
        }
    }
}

impl Naming {
    /// Numbers the kinds of the logs of a run by their names, so that one has the same colour whenever the run is opened.
    /// Those that come while files are followed get the numbers behind.
    pub fn note_kinds(&mut self, snapshot: &Snapshot) {
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

    /// What a source is called on screen.
    pub fn name_of<'a>(&'a self, source: &'a Source) -> &'a str {
        self.names
            .get(source.id.index())
            .map_or(source.tag.as_str(), String::as_str)
    }

    /// Columns that the names of sources get in a pane of some columns: the message needs most of them.
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

    /// The number of a source's kind, for its colour.
    pub fn kind_of(&self, source: &Source) -> usize {
        self.kinds.get(kind_name(source)).copied().unwrap_or(0)
    }
}

/// What sources of one colour have in common: the kind, else the last part of the tag without digits.
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

//! Rotated logs: `app.log.2.gz`, `app.log.1` and `app.log` are one log, written one after the other.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_format::pattern::glob::plain_name;

use super::Source;

/// Returns one flag per source: true if another source continues it. The other source has the same path except for
/// rotation and compression suffixes, and later times.
pub fn continued_sources(sources: &[Arc<Source>]) -> Vec<bool> {
    let mut families: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (at, source) in sources.iter().enumerate() {
        if source.is_log && source.stats.range.is_some() {
            let plain = plain_name(name(&source.path)).len();
            let folder = source.path.len() - name(&source.path).len();
            let family = families.entry(&source.path[..folder + plain]);
            family.or_default().push(at);
        }
    }
    let mut out = vec![false; sources.len()];
    for family in families.values().filter(|f| f.len() > 1) {
        for at in family {
            let range = |at: &usize| sources[*at].stats.range.unwrap_or_default();
            let mut others = family.iter().filter(|other| *other != at);
            out[*at] = others.any(|other| {
                let (begin, end) = range(other);
                begin >= range(at).1 && end > range(at).1
            });
        }
    }
    out
}

/// Last component of a path.
fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

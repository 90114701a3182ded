//! What sources are called on screen: their tags, told apart where several have the same one.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::store::{Snapshot, Source};
use crate::ui::text;

/// A name for each source. Sources with the same tag get the parts of their paths in front that tell them apart.
pub(crate) fn names(snapshot: &Snapshot) -> Vec<String> {
    let mut names: Vec<String> = snapshot.sources.iter().map(|s| s.tag.clone()).collect();
    let mut same: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (at, source) in snapshot
        .sources
        .iter()
        .enumerate()
        .filter(|(_, s)| s.is_log)
    {
        same.entry(&source.tag).or_default().push(at);
    }
    for (tag, members) in same.into_iter().filter(|(_, m)| m.len() > 1) {
        let paths: Vec<&str> = members
            .iter()
            .map(|m| snapshot.sources[*m].path.as_str())
            .collect();
        for (member, prefix) in members.iter().zip(told_apart(&paths)) {
            if !prefix.is_empty() {
                names[*member] = format!("{prefix}/{tag}");
            }
        }
    }
    names
}

/// The parts of each path that tell it from the others: as few as do.
fn told_apart(paths: &[&str]) -> Vec<String> {
    let parts: Vec<Vec<&str>> = paths.iter().map(|p| p.split('/').collect()).collect();
    let longest = parts.iter().map(Vec::len).max().unwrap_or(0);
    let mut out = vec![String::new(); paths.len()];
    for at in 0..longest {
        let first = parts[0].get(at);
        if parts.iter().all(|p| p.get(at) == first) {
            continue;
        }
        for (name, part) in out.iter_mut().zip(&parts) {
            if let Some(part) = part.get(at) {
                if !name.is_empty() {
                    name.push('/');
                }
                name.push_str(part);
            }
        }
        let distinct: FxHashSet<&String> = out.iter().collect();
        if distinct.len() == out.len() {
            break;
        }
    }
    out
}

/// Share of the records whose source's name is shown in full, percent: a few odd files do not push all messages aside.
const SHOWN_IN_FULL: u64 = 95;

/// Names up to so many columns are shown in full, however few records they have.
const SHORT: usize = 10;

/// Columns that the names of nearly all records need.
pub(super) fn columns(sources: &[Arc<Source>], names: &[String]) -> usize {
    let logs = sources.iter().zip(names).filter(|(s, _)| s.is_log);
    let mut widths: Vec<(usize, u64)> = logs
        .map(|(s, name)| (text::width(name), s.stats.records()))
        .collect();
    widths.sort_unstable();
    let all: u64 = widths.iter().map(|w| w.1).sum();
    let mut seen = 0;
    let widest_short = widths.iter().map(|w| w.0).filter(|w| *w <= SHORT).max();
    for (width, records) in &widths {
        seen += records;
        if seen * 100 >= all * SHOWN_IN_FULL {
            return (*width).max(widest_short.unwrap_or(0));
        }
    }
    0
}

/// Length of the folders that all paths begin with; 0 when there is but one path.
pub(crate) fn common_path(snapshot: &Snapshot) -> usize {
    let Some((first, rest)) = snapshot
        .sources
        .split_first()
        .filter(|(_, r)| !r.is_empty())
    else {
        return 0;
    };
    let first = first.path.as_str();
    let same = rest.iter().fold(first.len(), |same, source| {
        let pairs = first.bytes().zip(source.path.bytes());
        pairs.take(same).take_while(|(a, b)| a == b).count()
    });
    first.as_bytes()[..same]
        .iter()
        .rposition(|b| *b == b'/')
        .map_or(0, |slash| slash + 1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_part_that_differs_is_shown() {
        let two = told_apart(&["runs/000/main.log", "runs/001/main.log"]);
        assert_eq!(two, ["000", "001"]);
        let deep = told_apart(&["r/0/a/x", "r/0/b/x", "r/1/a/x"]);
        assert_eq!(deep, ["0/a", "0/b", "1/a"]);
    }

    proptest! {
        #[test]
        fn different_paths_get_different_names(
            paths in prop::collection::hash_set(prop::collection::vec("[ab]{1,2}", 1..4), 1..8)
        ) {
            let paths: Vec<String> = paths.iter().map(|p| p.join("/")).collect();
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            let names = told_apart(&paths);
            let distinct: FxHashSet<&String> = names.iter().collect();
            prop_assert_eq!(distinct.len(), paths.len(), "{:?}", names);
        }
    }
}

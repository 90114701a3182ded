//! Display names of sources: tags, with distinguishing parts of the path where several sources have the same tag.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::source::Source;

/// Returns a display name for each source: its tag, prefixed by the distinguishing parts of its path if other sources
/// have the same tag.
pub fn display_names(sources: &[Arc<Source>]) -> Vec<String> {
    let mut names: Vec<String> = sources.iter().map(|s| s.tag.clone()).collect();
    let mut same: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (at, source) in sources.iter().enumerate().filter(|(_, s)| s.is_log) {
        same.entry(&source.tag).or_default().push(at);
    }
    for (tag, members) in same.into_iter().filter(|(_, m)| m.len() > 1) {
        let paths = members.iter().map(|m| sources[*m].path.as_str());
        let paths: Vec<&str> = paths.collect();
        for (member, prefix) in members.iter().zip(distinguishing_parts(&paths)) {
            if !prefix.is_empty() {
                names[*member] = format!("{prefix}/{tag}");
            }
        }
    }
    names
}

/// Returns the display name of a source, as [`display_names`] does.
pub(crate) fn display_name(sources: &[Arc<Source>], source: &Source) -> String {
    let is_same = |s: &&Arc<Source>| s.is_log && s.tag == source.tag;
    let same: Vec<&Source> = sources.iter().filter(is_same).map(|s| &**s).collect();
    let at = same.iter().position(|s| s.id == source.id);
    let paths: Vec<&str> = same.iter().map(|s| s.path.as_str()).collect();
    let prefix = at.filter(|_| same.len() > 1);
    let prefix = prefix.and_then(|at| distinguishing_parts(&paths).into_iter().nth(at));
    match prefix.filter(|prefix| !prefix.is_empty()) {
        Some(prefix) => format!("{prefix}/{}", source.tag),
        None => source.tag.clone(),
    }
}

/// Returns the fewest path components that distinguish each path from the others.
fn distinguishing_parts(paths: &[&str]) -> Vec<String> {
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

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_part_that_differs_is_shown() {
        let two = distinguishing_parts(&["runs/000/main.log", "runs/001/main.log"]);
        assert_eq!(two, ["000", "001"]);
        let deep = distinguishing_parts(&["r/0/a/x", "r/0/b/x", "r/1/a/x"]);
        assert_eq!(deep, ["0/a", "0/b", "1/a"]);
    }

    proptest! {
        #[test]
        fn different_paths_get_different_names(
            paths in prop::collection::hash_set(prop::collection::vec("[ab]{1,2}", 1..4), 1..8)
        ) {
            let paths: Vec<String> = paths.iter().map(|p| p.join("/")).collect();
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            let names = distinguishing_parts(&paths);
            let distinct: FxHashSet<&String> = names.iter().collect();
            prop_assert_eq!(distinct.len(), paths.len(), "{:?}", names);
        }
    }
}

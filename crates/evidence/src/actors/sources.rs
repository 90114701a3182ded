//! Sources that are made alike: a log of each rank, worker or shard.

use rustc_hash::{FxHashMap, FxHashSet};

use super::batch::ReadRecord;

/// Source of records.
#[derive(Clone, Debug, Default)]
pub struct SourceName {
    /// Path.
    pub path: String,
}

/// Most sources whose templates are compared pair by pair.
const MOST_COMPARED: usize = 200;

/// Group of each source: those whose paths differ in numbers alone, or that share most templates.
pub(super) fn groups(sources: &[SourceName], read: &[ReadRecord]) -> Vec<u32> {
    let mut templates: Vec<FxHashSet<u32>> = vec![FxHashSet::default(); sources.len()];
    for r in read {
        if let Some(own) = templates.get_mut(r.source as usize)
            && own.len() < 100
        {
            own.insert(r.template);
        }
    }
    let mut masks: FxHashMap<String, u32> = FxHashMap::default();
    let mut group: Vec<u32> = Vec::with_capacity(sources.len());
    for (at, source) in sources.iter().enumerate() {
        let first = *masks.entry(masked(&source.path)).or_insert(at as u32);
        group.push(first);
    }
    let compared = sources.len().min(MOST_COMPARED);
    for a in 0..compared {
        for b in a + 1..compared {
            let (x, y) = (&templates[a], &templates[b]);
            let least = x.len().min(y.len());
            let shared = || x.intersection(y).count();
            // Standard output and error of one program share nothing; copies of a log share all.
            if least > 0 && group[a] != group[b] && 2 * shared() > least {
                let (from, to) = (group[b], group[a]);
                group
                    .iter_mut()
                    .filter(|g| **g == from)
                    .for_each(|g| *g = to);
            }
        }
    }
    group
}

/// Path with its numbers and hexadecimal ids masked.
pub(super) fn masked(path: &str) -> String {
    let mut out = String::new();
    for part in path.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
        let (word, mark) = match part.chars().last().filter(|c| !c.is_ascii_alphanumeric()) {
            Some(mark) => (part.strip_suffix(mark).unwrap_or(part), Some(mark)),
            None => (part, None),
        };
        let is_hex = word.len() >= 6 && word.bytes().all(|b| b.is_ascii_hexdigit());
        let has_digit = word.bytes().any(|b| b.is_ascii_digit());
        if is_hex && has_digit {
            out.push('#');
        } else {
            let mut in_number = false;
            for c in word.chars() {
                match (c.is_ascii_digit(), in_number) {
                    (true, false) => out.push('#'),
                    (true, true) => {}
                    _ => out.push(c),
                }
                in_number = c.is_ascii_digit();
            }
        }
        out.extend(mark);
    }
    out
}

/// Name of a file without its extension.
pub fn stem(path: &str) -> &str {
    let base = path.rsplit('/').next().unwrap_or(path);
    match base.rsplit_once('.') {
        Some((stem, ext)) if !stem.is_empty() && ext.bytes().any(|b| b.is_ascii_alphabetic()) => {
            stem
        }
        _ => base,
    }
}

/// Names of sources that stand for them in texts.
pub fn names_of(sources: &[SourceName]) -> FxHashMap<String, u32> {
    let names = (0..).zip(sources).map(|(i, s)| (stem(&s.path), i));
    let is_name = |name: &str| {
        name.len() >= 3 && name.contains(['-', '_'])
            || name.len() >= 4 && name.bytes().any(|b| b.is_ascii_digit())
    };
    names
        .filter(|(name, _)| is_name(name))
        .map(|(name, i)| (name.to_owned(), i))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_paths_are_masked() {
        assert_eq!(masked("logs/rank-003.log"), "logs/rank-#.log");
        assert_eq!(masked("b/9664c53875e9/m.log"), "b/#/m.log");
    }
}

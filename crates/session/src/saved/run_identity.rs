//! By what a run is known again: where its sources lie below what was opened, and how they begin.

use serde::{Deserialize, Serialize};

use widetui_source::text::read_range;
use widetui_store::{Snapshot, Source};

/// Sources that a run is known by: those that begin first, since later ones may still come.
const SOURCES: usize = 16;
/// Bytes of a source that count.
const BYTES: u64 = 4096;

/// How one source begins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Print {
    /// Its path below what was opened.
    pub(crate) path: String,
    /// Bytes that count: fewer than usual when it was still short.
    pub(crate) bytes: u64,
    /// Their hash.
    pub(crate) hash: String,
}

/// A path below what was opened: the same when the run is moved.
pub(crate) fn relative<'a>(path: &'a str, roots: &[String]) -> &'a str {
    let path = path.strip_prefix("./").unwrap_or(path);
    let below = |root: &String| -> Option<&'a str> {
        let root = root.trim_end_matches('/');
        let rest = path.strip_prefix(root)?;
        match rest.strip_prefix('/') {
            Some(rest) => Some(rest),
            // The file itself was opened.
            None if rest.is_empty() => path.rsplit('/').next(),
            None => None,
        }
    };
    roots
        .iter()
        .filter_map(below)
        .min_by_key(|p| p.len())
        .unwrap_or(path)
}

/// FNV-1a: stable over versions and machines, which the standard library's hashes are not.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| {
        (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn hash_of(source: &Source, bytes: u64) -> Option<String> {
    let read = read_range(&*source.text, 0, usize::try_from(bytes).ok()?).ok()?;
    (read.len() as u64 == bytes).then(|| format!("{:016x}", hash(&read)))
}

/// How the sources of a run begin that began first.
pub fn prints(snapshot: &Snapshot, roots: &[String]) -> Vec<Print> {
    let mut sources: Vec<&Source> = snapshot
        .sources
        .iter()
        .map(|s| &**s)
        .filter(|s| s.is_log && s.bytes > 0)
        .collect();
    sources.sort_by(|a, b| {
        let key = |s: &Source| (s.first().unwrap_or(i64::MAX), s.path.len());
        key(a).cmp(&key(b)).then_with(|| a.path.cmp(&b.path))
    });
    let print = |source: &&Source| {
        let bytes = source.bytes.min(BYTES);
        Some(Print {
            path: relative(&source.path, roots).to_owned(),
            bytes,
            hash: hash_of(source, bytes)?,
        })
    };
    sources.iter().filter_map(print).take(SOURCES).collect()
}

/// Whether prints are those of a run: at least half of its sources begin as they did. Sources grow, and some are deleted.
pub fn fits(snapshot: &Snapshot, roots: &[String], prints: &[Print]) -> bool {
    let same = prints.iter().filter(|print| {
        let mut sources = snapshot.sources.iter().filter(|s| s.is_log);
        sources.any(|s| {
            relative(&s.path, roots) == print.path
                && hash_of(s, print.bytes).is_some_and(|h| h == print.hash)
        })
    });
    let same = same.count();
    same > 0 && same * 2 >= prints.len()
}

/// A name for a run with these prints.
pub(crate) fn name(prints: &[Print]) -> String {
    let parts = prints.iter().map(|p| format!("{}\n{}\n", p.path, p.hash));
    format!("{:016x}", hash(parts.collect::<String>().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_below_what_was_opened() {
        let roots = ["runs/a/".to_owned(), "b.log".to_owned(), "/".to_owned()];
        assert_eq!(relative("runs/a/000/x.log", &roots), "000/x.log");
        assert_eq!(relative("./runs/a/000/x.log", &roots), "000/x.log");
        assert_eq!(relative("b.log", &roots), "b.log");
        assert_eq!(
            relative("runs/ab/x.log", &["runs/a".to_owned()]),
            "runs/ab/x.log"
        );
        assert_eq!(
            relative("/tmp/run/x.log", &["/tmp/run".to_owned()]),
            "x.log"
        );
        assert_eq!(relative("x.log", &[".".to_owned()]), "x.log");
    }

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(hash(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash(b"a"), 0xaf63_dc4c_8601_ec8c);
    }
}

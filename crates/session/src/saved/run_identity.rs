//! Identity of a run: relative paths and hashed beginnings of its sources.

use serde::{Deserialize, Serialize};

use widetui_source::text::read_range;
use widetui_store::{Snapshot, Source};

/// Number of sources that identify a run: the earliest ones, since others may still appear.
const SOURCES: usize = 16;
/// Number of bytes hashed of a source.
const BYTES: u64 = 4096;

/// Hash of the beginning of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourcePrint {
    /// Path relative to the opened path.
    pub(crate) path: String,
    /// Number of bytes hashed: fewer if the source was shorter.
    pub(crate) bytes: u64,
    /// Hash of these bytes.
    pub(crate) hash: String,
}

/// Returns a path relative to the opened path, which stays the same if the run is moved.
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

/// FNV-1a hash: stable over versions and machines, unlike the hashes of the standard library.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| {
        (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn hash_of(source: &Source, bytes: u64) -> Option<String> {
    let read = read_range(&*source.text, 0, usize::try_from(bytes).ok()?).ok()?;
    (read.len() as u64 == bytes).then(|| format!("{:016x}", hash(&read)))
}

/// Returns the prints of the sources that begin first.
pub fn prints(snapshot: &Snapshot, roots: &[String]) -> Vec<SourcePrint> {
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
        Some(SourcePrint {
            path: relative(&source.path, roots).to_owned(),
            bytes,
            hash: hash_of(source, bytes)?,
        })
    };
    sources.iter().filter_map(print).take(SOURCES).collect()
}

/// Whether prints match a run: at least half of the sources begin as before. Sources grow, and some are deleted.
pub fn fits(snapshot: &Snapshot, roots: &[String], prints: &[SourcePrint]) -> bool {
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

/// Returns a name for a run with these prints.
pub(crate) fn name(prints: &[SourcePrint]) -> String {
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

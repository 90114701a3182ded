//! Kinds of sources: files whose names differ only in numbers and ids, and their globs.

use std::collections::BTreeMap;

use widetui_core::ids::SourceId;
use widetui_format::pattern::glob::{Captures, PathGlob, components, plain_name};
use widetui_store::Source;

use crate::known_layouts::layout_signature;
use crate::names;

/// Files with the same name pattern.
#[derive(Clone, Debug)]
pub(crate) struct SourceKind {
    /// Name in the definition.
    pub(crate) name: String,
    /// Globs of the files.
    pub(crate) globs: Vec<String>,
    /// Key that the glob captures from the path, without the prefix of the system.
    pub(crate) captures: Option<String>,
    /// Files, those with most records first.
    pub(crate) sources: Vec<SourceId>,
    /// Number of records.
    pub(crate) records: u64,
}

/// Piece of a file name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// Number, date or id.
    Number(String),
}

/// Maximum number of files that are listed one by one.
const NAMED: usize = 8;

/// Groups sources into kinds, those with most records first. Keys from paths begin with `system`. No glob of a kind
/// matches one of the `others`.
pub(crate) fn kinds(system: &str, sources: &[&Source], others: &[&Source]) -> Vec<SourceKind> {
    let mut groups: BTreeMap<String, Vec<&Source>> = BTreeMap::new();
    for source in sources {
        let path = components(&source.path);
        groups.entry(pattern_glob(&path)).or_default().push(source);
    }
    let mut kinds: Vec<SourceKind> = Vec::new();
    for (plain, mut sources) in groups {
        sources.sort_by_key(|s| (std::cmp::Reverse(s.stats.records()), s.id));
        let captured = capturing_glob(system, &sources);
        let captured = captured.filter(|(glob, _)| sources.iter().all(|s| fits(glob, s)));
        let (glob, captures) = match captured {
            Some((glob, key)) => (glob, Some(key)),
            None => (plain, None),
        };
        if others.iter().any(|other| fits(&glob, other)) {
            // A glob would also match files of other definitions, so files are listed.
            sources.truncate(NAMED);
            let globs = sources.iter().map(|s| exact_glob(&s.path)).collect();
            kinds.push(SourceKind::of(globs, None, &sources));
            continue;
        }
        for (globs, sources) in split_by_layout(glob, sources) {
            let captures = captures.clone().filter(|_| globs[0].contains('{'));
            kinds.push(SourceKind::of(globs, captures, &sources));
        }
    }
    kinds.sort_by_key(|k| std::cmp::Reverse(k.records));
    for at in 0..kinds.len() {
        let last = kinds[at].globs[0].rsplit('/').next().unwrap_or_default();
        let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
        let literal = stem.split('{').next().unwrap_or_default();
        let name = match names::plain_word(literal) {
            name if name.is_empty() => "log".to_owned(),
            name => name,
        };
        let taken = |n: &str| n == COMMON || kinds.iter().any(|k| k.name == n);
        kinds[at].name = names::unique(&name, taken);
    }
    kinds
}

/// Splits files with the same name pattern by their own layouts. The layouts of the few exceptions must not be tried on
/// all files, so exceptions are listed one by one.
fn split_by_layout(glob: String, sources: Vec<&Source>) -> Vec<(Vec<String>, Vec<&Source>)> {
    let mut groups: Vec<(String, Vec<&Source>)> = Vec::new();
    for source in &sources {
        let signature = layout_signature(source);
        match groups.iter_mut().find(|l| l.0 == signature) {
            Some(known) => known.1.push(source),
            None => groups.push((signature, vec![source])),
        }
    }
    groups.sort_by_key(|l| std::cmp::Reverse(l.1.len()));
    let exceptions: usize = groups.iter().skip(1).map(|l| l.1.len()).sum();
    if exceptions > NAMED {
        return vec![(vec![glob], sources)];
    }
    let mut groups = groups.into_iter().map(|l| l.1);
    let usual = groups.next().map(|sources| (vec![glob], sources));
    let named = |sources: Vec<&'_ Source>| sources.iter().map(|s| exact_glob(&s.path)).collect();
    let exceptions = groups.map(|sources| (named(sources.clone()), sources));
    usual.into_iter().chain(exceptions).collect()
}

impl SourceKind {
    fn of(globs: Vec<String>, captures: Option<String>, sources: &[&Source]) -> SourceKind {
        SourceKind {
            name: String::new(),
            globs,
            captures,
            records: sources.iter().map(|s| s.stats.records()).sum(),
            sources: sources.iter().map(|s| s.id).collect(),
        }
    }
}

/// Scope of messages of several kinds.
pub(crate) const COMMON: &str = "common";

/// Glob of one file in its folder.
fn exact_glob(path: &str) -> String {
    let path = components(path);
    let from = path.len().saturating_sub(2);
    let texts = path[from..].iter().map(|name| escaped(name));
    texts.collect::<Vec<_>>().join("/")
}

/// Glob of all files with the same name pattern.
fn pattern_glob(path: &[&str]) -> String {
    let (Some(last), before) = (path.last(), &path[..path.len().saturating_sub(1)]) else {
        return "*".to_owned();
    };
    let parts = pieces(plain_name(last));
    let says = |parts: &[Piece]| {
        let text: String = parts.iter().filter_map(Piece::text).collect();
        let stem = text.rsplit_once('.').map_or(&*text, |(stem, _)| stem);
        stem.chars().any(char::is_alphabetic)
    };
    let glob = starred(&parts);
    match before.last() {
        _ if says(&parts) => glob,
        // A number with an extension is too general; the folder may be specific.
        Some(folder) if says(&pieces(folder)) => format!("{}/{glob}", starred(&pieces(folder))),
        _ => escaped(last),
    }
}

/// Glob that captures the varying number in the names of files or of their folders, and the captured key.
fn capturing_glob(system: &str, sources: &[&Source]) -> Option<(String, String)> {
    let paths: Vec<Vec<&str>> = sources.iter().map(|s| components(&s.path)).collect();
    let names: Option<Vec<&str>> = paths.iter().map(|p| p.last().copied()).collect();
    let names: Vec<&str> = names?.into_iter().map(plain_name).collect();
    if let Some(found) = capturing_name_glob(system, &names) {
        return Some(found);
    }
    let is_one_name = names.iter().all(|n| *n == names[0]);
    let folders: Option<Vec<&str>> = paths
        .iter()
        .map(|p| p.get(p.len().checked_sub(2)?).copied())
        .collect();
    let (glob, key) = capturing_name_glob(system, &folders.filter(|_| is_one_name)?)?;
    Some((format!("{glob}/{}", starred(&pieces(names[0]))), key))
}

fn capturing_name_glob(system: &str, names: &[&str]) -> Option<(String, String)> {
    let all: Vec<Vec<Piece>> = names.iter().map(|n| pieces(n)).collect();
    let first = all.first()?;
    let at = first.iter().position(|p| p.text().is_none())?;
    let alone = first.iter().filter(|p| p.text().is_none()).count() == 1;
    let differ = all.iter().any(|parts| parts.get(at) != first.get(at));
    let alike = all.iter().all(|parts| {
        parts.len() == first.len()
            && parts.iter().zip(first).all(|(a, b)| a.text() == b.text())
            && matches!(&parts[at], Piece::Number(n) if n.parse::<u32>().is_ok())
    });
    let before = first.get(at.checked_sub(1)?)?.text()?;
    let key = names::word(
        before
            .rsplit(['.', '-', '_', ' '])
            .find(|w| !w.is_empty())?,
    );
    if !(alone && differ && alike) || key.is_empty() || names::is_common(&key) {
        return None;
    }
    let glob = first.iter().map(|p| match p {
        Piece::Text(text) => escaped(text),
        Piece::Number(_) => format!("{{{system}.{key}:int}}"),
    });
    Some((glob.collect(), key))
}

fn fits(glob: &str, source: &Source) -> bool {
    let Ok(glob) = PathGlob::compile(glob) else {
        return false;
    };
    let mut path = components(&source.path);
    let whole = glob.matches(&path, &mut Captures::new());
    if let Some(last) = path.last_mut() {
        *last = plain_name(last);
    }
    whole || glob.matches(&path, &mut Captures::new())
}

impl Piece {
    fn text(&self) -> Option<&str> {
        match self {
            Piece::Text(text) => Some(text),
            Piece::Number(_) => None,
        }
    }
}

/// Splits a name into pieces: `worker_3.log` becomes `worker_`, a number, `.log`.
fn pieces(name: &str) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    let mut push = |piece: Piece| match (out.last_mut(), piece) {
        (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(&text),
        (_, piece) => out.push(piece),
    };
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let same = |c: char| c.is_ascii_alphanumeric() == first.is_ascii_alphanumeric();
        let end = rest.find(|c| !same(c)).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        let letters = run.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_id = run.len() >= 8 && run.bytes().all(|b| b.is_ascii_hexdigit());
        match run.bytes().any(|b| b.is_ascii_digit()) {
            false => push(Piece::Text(run.to_owned())),
            true if is_id || letters.is_empty() => push(Piece::Number(run.to_owned())),
            true if letters.bytes().all(|b| b.is_ascii_alphabetic()) && letters.len() > 1 => {
                push(Piece::Text(letters.to_owned()));
                push(Piece::Number(run[letters.len()..].to_owned()));
            }
            true => push(Piece::Number(run.to_owned())),
        }
    }
    merged(out)
}

/// Merges adjacent numbers or ids, such as the parts of a date.
fn merged(parts: Vec<Piece>) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    for piece in parts {
        if let Piece::Number(next) = &piece
            && let [.., Piece::Number(_), Piece::Text(between)] = &out[..]
            && between.chars().count() == 1
        {
            let between = between.clone();
            out.pop();
            if let Some(Piece::Number(before)) = out.last_mut() {
                before.push_str(&between);
                before.push_str(next);
            }
            continue;
        }
        out.push(piece);
    }
    out
}

fn starred(parts: &[Piece]) -> String {
    let texts = parts.iter().map(|p| match p {
        Piece::Text(text) => escaped(text),
        Piece::Number(_) => "*".to_owned(),
    });
    let mut out: String = texts.collect();
    while out.contains("**") {
        out = out.replace("**", "*");
    }
    out
}

/// Escapes a name for a glob: special characters, and characters that were not UTF-8, become `*`.
fn escaped(name: &str) -> String {
    name.replace(['{', '}', '*', '\u{fffd}'], "*")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glob(path: &str) -> String {
        pattern_glob(&components(path))
    }

    #[test]
    fn numbers_and_ids_of_names_are_any_text() {
        assert_eq!(glob("run/worker_3.log"), "worker_*.log");
        assert_eq!(glob("run/worker3.log.2.gz"), "worker*.log");
        assert_eq!(glob("2026-11-21T212240.605769.snake.log"), "*.snake.log");
        assert_eq!(glob("core-28d2df4e7970-01000000-23788.err"), "core-*.err");
        assert_eq!(glob("node7/0001.log"), "node*/*.log");
        assert_eq!(glob("12/34.log"), "34.log");
        assert_eq!(glob("-"), "-");
        assert_eq!(glob("a{b}*.log"), "a*b*.log");
        assert_eq!(exact_glob("a/b/c_1.log"), "b/c_1.log");
    }

    #[test]
    fn varying_numbers_of_file_names_become_keys() {
        let name_glob = |names: &[&str]| capturing_name_glob("my", names);
        let both = |glob: &str, key: &str| Some((glob.to_owned(), key.to_owned()));
        assert_eq!(
            name_glob(&["rank_3.log", "rank_12.log"]),
            both("rank_{my.rank:int}.log", "rank")
        );
        assert_eq!(
            name_glob(&["node01", "node02"]),
            both("node{my.node:int}", "node")
        );
        // A single letter is not enough for a name.
        assert_eq!(name_glob(&["n01", "n02"]), None);
        assert_eq!(name_glob(&["rank_3.log"]), None);
        assert_eq!(name_glob(&["a_1-x_2.log", "a_2-x_2.log"]), None);
        assert_eq!(name_glob(&["3.log", "4.log"]), None);
    }
}

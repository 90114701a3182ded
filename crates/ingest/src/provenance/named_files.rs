//! Named files: a source whose path is a value of a key of the type `path`, such as the standard error of a task. The
//! source has that value, so joins give its records the keys of the records that name it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::dict::Code;
use widetui_core::ids::KeyId;
use widetui_definition::key_type::KeyType;
use widetui_format::catalog::CatalogView;
use widetui_format::catalog::keys::KeyView;
use widetui_store::{Snapshot, Source};

/// Paths by file name, and the value of each.
type Paths<'a> = FxHashMap<&'a str, Vec<(&'a str, Code)>>;

/// Adds the values of path keys to the sources that they name.
pub(crate) fn with_values(mut snapshot: Snapshot) -> Snapshot {
    let named = paths(&snapshot.catalog);
    let sources = snapshot.sources.iter();
    let sources = sources.map(|source| with_value(source, &named)).collect();
    drop(named);
    snapshot.sources = sources;
    snapshot
}

/// Number of values of path keys.
pub(crate) fn count(catalog: &CatalogView) -> usize {
    path_keys(catalog)
        .map(|view| view.dict.iter().count())
        .sum()
}

/// Keys of the type `path` that have values.
fn path_keys(catalog: &CatalogView) -> impl Iterator<Item = &KeyView> {
    let views = catalog.keys.iter();
    views.filter(|view| view.key.kind == KeyType::Path && !view.dict.is_empty())
}

/// Values of each path key.
fn paths(catalog: &CatalogView) -> Vec<(KeyId, Paths<'_>)> {
    let paths = path_keys(catalog).map(|view| {
        let mut paths = Paths::default();
        for (code, path) in view.dict.iter() {
            paths.entry(file_name(path)).or_default().push((path, code));
        }
        (view.key.id, paths)
    });
    paths.collect()
}

/// A source with the values that name it; the same one if there are none.
fn with_value(source: &Arc<Source>, named: &[(KeyId, Paths<'_>)]) -> Arc<Source> {
    let has = |key: KeyId| source.consts.iter().any(|own| own.0 == key);
    let new = named.iter().filter(|(key, _)| !has(*key));
    let new = new.filter_map(|(key, paths)| Some((*key, value_of(&source.path, paths)?)));
    let new: Vec<(KeyId, Code)> = new.collect();
    match new.is_empty() {
        true => source.clone(),
        false => Arc::new(Source {
            consts: source.consts.iter().copied().chain(new).collect(),
            ..(**source).clone()
        }),
    }
}

/// Value whose path is, or ends like, that of a source; `None` if several are equally near.
fn value_of(path: &str, paths: &Paths<'_>) -> Option<Code> {
    let near = paths.get(file_name(path))?.iter();
    let near = near.filter_map(|(named, code)| Some((common_end(path, named)?, *code)));
    let near: Vec<(usize, Code)> = near.collect();
    let best = near.iter().max()?;
    let mut alike = near.iter().filter(|other| other.0 == best.0);
    alike.all(|other| other.1 == best.1).then_some(best.1)
}

/// Number of components of the shorter of two paths, if the longer one ends with it.
fn common_end(a: &str, b: &str) -> Option<usize> {
    let (a, b) = (components(a), components(b));
    let (short, long) = match a.len() <= b.len() {
        true => (a, b),
        false => (b, a),
    };
    (!short.is_empty() && long.ends_with(&short)).then_some(short.len())
}

fn components(path: &str) -> Vec<&str> {
    let parts = path.split('/');
    parts.filter(|part| !matches!(*part, "" | ".")).collect()
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_a_file_from_its_end() {
        let named = [("/home/a/run/t7.err", 1), ("logs/t7.err", 2), ("t8.err", 3)];
        let mut paths = Paths::default();
        for (path, code) in named {
            let of = paths.entry(file_name(path)).or_default();
            of.push((path, code));
        }
        let found = |path| value_of(path, &paths);
        assert_eq!(found("run/t7.err"), Some(1));
        assert_eq!(found("x/logs/t7.err"), Some(2));
        assert_eq!(found("./t8.err"), Some(3));
        assert_eq!(found("other/t7.err"), None);
        // Both end so.
        assert_eq!(found("t7.err"), None);
        assert_eq!(found("t9.err"), None);
    }
}

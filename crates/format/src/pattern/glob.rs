//! Path globs of source kinds, matched against the end of a path, component by component, with captures.

mod folders;

use std::ops::Range;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::pattern::{Element, FieldKind, Pattern, PatternError, Spans};

/// Compiled glob.
#[derive(Clone, Debug)]
pub struct PathGlob {
    components: Vec<Component>,
    /// Specificity: bytes of literal text, then number of fields with a kind other than text, then number of
    /// components.
    pub(crate) specificity: (usize, usize, usize),
}

#[derive(Clone, Debug)]
enum Component {
    /// `**`: any number of components.
    Any,
    /// One component, and the key whose value is the whole component.
    One(Pattern, Option<String>),
}

/// Names and values of captures.
pub type Captures<'a> = Vec<(&'a str, &'a str)>;

impl PathGlob {
    /// Compiles a glob. Components are separated by slashes; in a component, `*` stands for any text and `{key}` or
    /// `{key:kind}` for text that becomes a key. `{key=}` at its start makes the whole component a key. `**` stands for
    /// any number of components.
    ///
    /// # Errors
    /// An invalid field, with its position in the glob.
    pub fn compile(source: &str) -> Result<PathGlob, PatternError> {
        let mut components = Vec::new();
        let mut specificity = (0, 0, 0);
        let mut start = 0;
        for text in source.split('/') {
            start += text.len() + 1;
            if text == "**" {
                components.push(Component::Any);
                continue;
            }
            let (whole, text) = whole(text);
            let at = start - 1 - text.len();
            let (pattern, stars) = starred(text);
            let mut pattern = Pattern::compile(&pattern).map_err(|e| {
                let before = stars.iter().filter(|s| **s < e.at).count();
                PatternError {
                    at: at + e.at - before,
                    ..e
                }
            })?;
            for field in &mut pattern.fields {
                if field.kind == FieldKind::Word {
                    // Names of directories may contain blanks.
                    field.kind = FieldKind::Text;
                }
                specificity.1 += usize::from(field.kind != FieldKind::Text);
            }
            specificity.0 += pattern
                .elements
                .iter()
                .map(|e| {
                    if let Element::Literal(l) = e {
                        l.len()
                    } else {
                        0
                    }
                })
                .sum::<usize>();
            specificity.2 += 1;
            components.push(Component::One(pattern, whole));
        }
        Ok(PathGlob {
            components,
            specificity,
        })
    }

    /// Whether the end of a path, given as components, matches; fills `captures`.
    pub fn matches<'a>(&'a self, path: &[&'a str], captures: &mut Captures<'a>) -> bool {
        captures.clear();
        if let (Some(Component::One(last, _)), Some(name)) = (self.components.last(), path.last())
            && !ends_fit(last, name.as_bytes())
        {
            return false;
        }
        if !step(&self.components, path, captures) {
            captures.clear();
            return false;
        }
        captures.reverse();
        true
    }
}

/// Glob that is compiled when a name with its literal start and end occurs; most globs of the definitions match nothing
/// in a run.
#[derive(Debug)]
pub(crate) struct LazyGlob {
    source: String,
    /// Range in the source of the literal start of its names, and range of their literal end.
    begins: Range<usize>,
    ends: Range<usize>,
    cell: OnceLock<Option<PathGlob>>,
}

impl LazyGlob {
    /// Glob for [`PathGlob::compile`]; an invalid one matches no path.
    pub(crate) fn new(source: &str) -> LazyGlob {
        let name = source.rfind('/').map_or(0, |at| at + 1);
        let varies = ['*', '{', '}'];
        let begins = source[name..]
            .find(varies)
            .map_or(source.len(), |at| name + at);
        let ends = source[name..]
            .rfind(varies)
            .map_or(name, |at| name + at + 1);
        LazyGlob {
            source: source.to_owned(),
            begins: name..begins,
            ends: ends..source.len(),
            cell: OnceLock::new(),
        }
    }

    /// The compiled glob, whatever it matches.
    pub fn get(&self) -> Option<&PathGlob> {
        let compile = || PathGlob::compile(&self.source).ok();
        self.cell.get_or_init(compile).as_ref()
    }

    /// Literal end of its names.
    fn end(&self) -> &str {
        self.source.get(self.ends.clone()).unwrap_or_default()
    }

    /// The compiled glob, if the last name of a path has its literal start and end.
    #[inline]
    pub(crate) fn for_name(&self, name: &str) -> Option<&PathGlob> {
        let begin = self.source.get(self.begins.clone()).unwrap_or_default();
        if !name.ends_with(self.end()) || !name.starts_with(begin) {
            return None;
        }
        self.get()
    }
}

/// Index of the globs of several owners by the literal end of their names. Of hundreds of globs, only a few are
/// candidates for a name, and there may be very many names.
#[derive(Debug, Default)]
pub(crate) struct GlobIndex {
    /// By last byte.
    ending: FxHashMap<u8, Vec<(String, Places)>>,
    /// Globs whose names may have any end.
    any: Places,
}

/// Index of the owner, and of the glob among its globs.
type Places = Vec<(usize, usize)>;

impl GlobIndex {
    /// Index of the globs of each owner.
    pub fn of<'a>(owners: impl Iterator<Item = &'a [LazyGlob]>) -> GlobIndex {
        let mut index = GlobIndex::default();
        for (owner, globs) in owners.enumerate() {
            for (at, glob) in globs.iter().enumerate() {
                index.places(glob.end()).push((owner, at));
            }
        }
        index
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "`at` is where the end was found or added"
    )]
    fn places(&mut self, end: &str) -> &mut Places {
        let Some(last) = end.bytes().last() else {
            return &mut self.any;
        };
        let alike = self.ending.entry(last).or_default();
        let at = alike.iter().position(|known| known.0 == end);
        let at = at.unwrap_or_else(|| {
            alike.push((end.to_owned(), Places::new()));
            alike.len() - 1
        });
        &mut alike[at].1
    }

    /// Globs whose names have the end of this one.
    pub(crate) fn near<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (usize, usize)> + 'a {
        let last = name.bytes().last();
        let alike = last.and_then(|last| self.ending.get(&last));
        let alike = alike.into_iter().flatten();
        let fits = alike.filter(|(end, _)| name.ends_with(end.as_str()));
        let own = fits.flat_map(|(_, places)| places);
        own.chain(&self.any).copied()
    }
}

/// Quick check of both ends of a name, since most globs do not match a given path.
fn ends_fit(pattern: &Pattern, name: &[u8]) -> bool {
    let start =
        !matches!(pattern.elements.first(), Some(Element::Literal(l)) if !name.starts_with(l));
    start && !matches!(pattern.elements.last(), Some(Element::Literal(l)) if !name.ends_with(l))
}

fn step<'a>(components: &'a [Component], path: &[&'a str], captures: &mut Captures<'a>) -> bool {
    let Some((last, before)) = components.split_last() else {
        return true;
    };
    match last {
        Component::Any => (0..=path.len()).rev().any(|n| {
            let taken = captures.len();
            let fits = path
                .get(..n)
                .is_some_and(|path| step(before, path, captures));
            if !fits {
                captures.truncate(taken);
            }
            fits
        }),
        Component::One(pattern, whole) => {
            let Some((name, rest)) = path.split_last() else {
                return false;
            };
            let mut spans = Spans::new();
            if !ends_fit(pattern, name.as_bytes()) || !pattern.matches(name.as_bytes(), &mut spans)
            {
                return false;
            }
            for (field, span) in pattern.fields.iter().zip(&spans).rev() {
                if field.name.is_empty() {
                    continue;
                }
                match name.get(span.clone()) {
                    Some(value) if !value.is_empty() => captures.push((&field.name, value)),
                    _ => return false,
                }
            }
            captures.extend(whole.iter().map(|key| (key.as_str(), *name)));
            step(before, rest, captures)
        }
    }
}

/// Key of a whole component, and the rest of its text.
fn whole(component: &str) -> (Option<String>, &str) {
    let named = component.strip_prefix('{').and_then(|c| c.split_once("=}"));
    match named.filter(|(key, _)| !key.contains(['{', '}'])) {
        Some((key, rest)) => (Some(key.to_owned()), rest),
        None => (None, component),
    }
}

/// Component with `{}` for each star outside braces, and the offsets of these in the result.
fn starred(component: &str) -> (String, Vec<usize>) {
    let mut out = String::new();
    let mut stars = Vec::new();
    let mut depth = 0;
    for c in component.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            '*' if depth <= 0 => {
                stars.push(out.len());
                out.push_str("{}");
                continue;
            }
            _ => {}
        }
        out.push(c);
    }
    (out, stars)
}

/// Components of a path, as globs see them.
pub fn components(path: &str) -> Vec<&str> {
    path.split('/')
        .filter(|c| !c.is_empty() && *c != ".")
        .collect()
}

/// Name without the suffixes of compression and rotation: `worker_1.log.2.gz` becomes `worker_1.log`.
pub fn plain_name(name: &str) -> &str {
    let mut name = name;
    for ending in [".gz", ".zst", ".bz2", ".xz", ".lz4"] {
        name = name.strip_suffix(ending).unwrap_or(name);
    }
    // logrotate with `dateext`: `name.log-20260115`.
    if let Some((head, day)) = name.rsplit_once('-')
        && day.len() == 8
        && day.bytes().all(|b| b.is_ascii_digit())
        && head.contains('.')
    {
        return head;
    }
    match name.rsplit_once('.') {
        Some((head, n))
            if !n.is_empty() && n.len() <= 3 && n.bytes().all(|b| b.is_ascii_digit()) =>
        {
            head
        }
        _ => name,
    }
}

/// Whether a text matches a pattern of literal text and stars.
pub(crate) fn wildcard(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, tail)) => text.strip_prefix(head).is_some_and(|rest| {
            tail.is_empty()
                || rest
                    .char_indices()
                    .map(|(at, _)| at)
                    .chain([rest.len()])
                    .any(|at| wildcard(tail, &rest[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captures(glob: &str, path: &str) -> Option<Vec<(String, String)>> {
        let glob = PathGlob::compile(glob).unwrap();
        let mut found = Captures::new();
        let path = components(path);
        glob.matches(&path, &mut found).then(|| {
            found
                .iter()
                .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
                .collect()
        })
    }

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect()
    }

    proptest::proptest! {
        #[test]
        fn lazy_globs_match_the_same_paths(glob in "[ab*./é]{1,8}", path in "[ab./é]{0,8}") {
            let path = components(&path);
            let mut found = Captures::new();
            let compiled = PathGlob::compile(&glob).ok();
            let fits = compiled.as_ref().is_some_and(|g| g.matches(&path, &mut found));
            found.clear();
            let later = LazyGlob::new(&glob);
            let met = later.for_name(path.last().copied().unwrap_or_default());
            proptest::prop_assert_eq!(met.is_some_and(|g| g.matches(&path, &mut found)), fits);
        }
    }

    #[test]
    fn a_glob_is_for_all_names_that_it_fits() {
        for (glob, path) in [
            ("{run}/parsl.log", "runinfo/000/parsl.log"),
            ("worker_*", "worker_1.log"),
            ("task_{n:int}", "task_7"),
            ("a/**", "a/b/c"),
            ("*.err", "x.err"),
            ("worker_{n:int}.jsonlog", "w/worker_1.jsonlog"),
        ] {
            let path = components(path);
            let name = path.last().unwrap();
            let later = LazyGlob::new(glob);
            let found = later.for_name(name).unwrap();
            assert!(found.matches(&path, &mut Captures::new()), "{glob}");
            assert!(
                later.for_name("nothing?").is_none() || glob.ends_with(['*', '}']),
                "{glob}"
            );
        }
    }

    #[test]
    fn the_end_of_the_path_counts() {
        let glob = "{run}/{ex}/block-{b}/{m}/worker_{w}.*log";
        assert_eq!(
            captures(glob, "./a//000/my htex/block-0/0d11/worker_1.jsonlog").unwrap(),
            pairs(&[
                ("run", "000"),
                ("ex", "my htex"),
                ("b", "0"),
                ("m", "0d11"),
                ("w", "1")
            ])
        );
        assert_eq!(captures(glob, "htex/block-0/0d11/worker_1.log"), None);
        assert_eq!(captures("parsl.log", "x/parsl.log"), Some(Vec::new()));
        assert_eq!(captures("parsl.log", "x/myparsl.log"), None);
    }

    #[test]
    fn labels_may_hold_dots() {
        assert_eq!(
            captures(
                "parsl.{label}.block-{b}.{:float}.sh.err",
                "s/parsl.a.b.c.block-2.17.5.sh.err"
            )
            .unwrap(),
            pairs(&[("label", "a.b.c"), ("b", "2")])
        );
    }

    #[test]
    fn two_stars_are_any_depth() {
        for path in ["ex/data/x", "ex/data/a/b/c", "ex/data"] {
            assert_eq!(
                captures("{e}/data/**", path).unwrap(),
                pairs(&[("e", "ex")]),
                "{path}"
            );
        }
        assert_eq!(captures("data/**/x.pkl", "ex/data/1/2/y.pkl"), None);
    }

    #[test]
    fn whole_components_become_keys() {
        let found = captures("{dir=}uep.{id}/run.log", "x/uep.17/run.log").unwrap();
        let pair = |k: &str, v: &str| (k.to_owned(), v.to_owned());
        assert_eq!(found, [pair("dir", "uep.17"), pair("id", "17")]);
        assert_eq!(captures("{dir=}uep.{id}/run.log", "x/y/run.log"), None);
    }

    #[test]
    fn captures_are_not_empty_and_kinds_count() {
        assert_eq!(captures("{run:int}/parsl.log", "runs/parsl.log"), None);
        assert_eq!(captures("task_{t}.log", "task_.log"), None);
    }

    #[test]
    fn errors_count_bytes_of_the_glob() {
        assert_eq!(PathGlob::compile("a*/b*{x:nix}").unwrap_err().at, 8);
    }

    #[test]
    fn endings_of_rotation_and_compression_are_no_part_of_the_name() {
        assert_eq!(plain_name("parsl.log.1.gz"), "parsl.log");
        assert_eq!(plain_name("worker_1.log"), "worker_1.log");
        assert!(wildcard("parsl.dataflow*", "parsl.dataflow.dflow") && !wildcard("a*b", "abc"));
    }

    #[test]
    fn the_index_leaves_none_out() {
        let owners = [
            ["*.log", "{a}/**"].map(LazyGlob::new),
            ["x/worker_{n:int}.log", "log"].map(LazyGlob::new),
            ["*.jsonlog", "worker_*"].map(LazyGlob::new),
        ];
        let index = GlobIndex::of(owners.iter().map(|globs| &globs[..]));
        for name in ["worker_1.log", "a.jsonlog", "log", "a", ""] {
            let fits = |(owner, at): &(usize, usize)| owners[*owner][*at].for_name(name).is_some();
            let mut near: Vec<(usize, usize)> = index.near(name).filter(fits).collect();
            near.sort_unstable();
            let all = (0..owners.len()).flat_map(|owner| [(owner, 0), (owner, 1)]);
            assert_eq!(near, all.filter(fits).collect::<Vec<_>>(), "{name}");
        }
    }
}

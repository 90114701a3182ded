//! Layouts and dialects of each kind of source: those of built-in definitions by name, all others written out.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use widetui_core::ids::{EventId, SourceId};
use widetui_definition::json_dialect::Grammar;
use widetui_format::fields::first_line;
use widetui_format::json::dialect::JsonSpec;
use widetui_format::layout::Layout;
use widetui_format::reader::{Reader, Syntax};
use widetui_format::text::reserved::RESERVED;
use widetui_store::texts::TextReader;
use widetui_store::{EventRef, Snapshot};

use crate::known_layouts::{known_dialect, known_layout};
use crate::names;
use crate::source_kinds::SourceKind;

/// Maximum number of records examined for the fields of a dialect.
const RECORDS: usize = 200;

/// Maximum number of a dialect's fields that become keys of the system.
const FIELDS: usize = 40;

/// Maximum number of fields in the composed message of records without one.
const SHOWN: usize = 8;

/// Layout or dialect defined by the draft.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OwnFormat {
    /// Name in the definition.
    pub(crate) name: String,
    /// Pattern of a layout.
    pub(crate) pattern: String,
    /// Lists of a dialect, `time = [...]` and the like: name and items.
    pub(crate) lists: Vec<(&'static str, Vec<String>)>,
    /// Keys by field of a dialect.
    pub(crate) rename: BTreeMap<String, String>,
}

/// Layouts and dialects of a kind of source.
#[derive(Clone, Debug, Default)]
pub(crate) struct KindFormats {
    /// Names of the layouts.
    pub(crate) layouts: Vec<String>,
    /// Names of the dialects.
    pub(crate) json: Vec<String>,
}

/// Layouts and dialects of all kinds of a draft.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layouts {
    /// Layouts and dialects of each kind, in the order of the kinds.
    pub(crate) by_kind: Vec<KindFormats>,
    /// Layouts that no built-in definition has.
    pub(crate) layouts: Vec<OwnFormat>,
    /// Dialects that no definition has.
    pub(crate) dialects: Vec<OwnFormat>,
}

/// Collects the layouts and dialects of kinds of sources.
pub(crate) fn collect_layouts(system: &str, snapshot: &Snapshot, kinds: &[SourceKind]) -> Layouts {
    let mut out = Layouts::default();
    let mut texts = TextReader::default();
    for kind in kinds {
        let mut formats = KindFormats::default();
        for source in kind.sources.iter().filter_map(|id| snapshot.source(*id)) {
            match source.reader.as_deref().map(|r| &r.syntax) {
                Some(Syntax::Lines(layouts)) => {
                    for layout in layouts {
                        add(&mut formats.layouts, out.layout(layout));
                    }
                }
                Some(Syntax::Json(reader)) => {
                    let fields = fields(snapshot, kind, &reader.spec, &mut texts);
                    out.dialect(system, &reader.spec, &fields, &mut formats);
                }
                None => {}
            }
        }
        out.by_kind.push(formats);
    }
    out
}

fn add(list: &mut Vec<String>, name: String) {
    if !list.contains(&name) {
        list.push(name);
    }
}

impl Layouts {
    /// Name of a layout, which is added to the draft unless a built-in definition has it.
    fn layout(&mut self, layout: &Layout) -> String {
        if let Some(name) = known_layout(layout) {
            return name;
        }
        let pattern = &layout.pattern.source;
        if let Some(own) = self.layouts.iter().find(|l| l.pattern == *pattern) {
            return own.name.clone();
        }
        let name = names::unique("line", |n| self.layouts.iter().any(|l| l.name == n));
        self.layouts.push(OwnFormat {
            name: name.clone(),
            pattern: pattern.clone(),
            ..OwnFormat::default()
        });
        name
    }

    /// Adds a dialect to a kind of source; the dialect is added to the draft unless a built-in definition has it.
    fn dialect(
        &mut self,
        system: &str,
        spec: &JsonSpec,
        fields: &[String],
        formats: &mut KindFormats,
    ) {
        if !is_plain(spec) {
            if let Some(name) = known_dialect(&spec.name) {
                add(&mut formats.json, name);
            }
            return;
        }
        let own = written_out(spec, fields, own_keys(system, spec, fields));
        let same = |d: &&OwnFormat| d.lists == own.lists && d.rename == own.rename;
        if let Some(known) = self.dialects.iter().find(same) {
            add(&mut formats.json, known.name.clone());
            return;
        }
        let name = names::unique("record", |n| self.dialects.iter().any(|d| d.name == n));
        add(&mut formats.json, name.clone());
        self.dialects.push(OwnFormat { name, ..own });
    }
}

/// Keys of fields whose names change in the draft, by field.
fn own_keys(system: &str, spec: &JsonSpec, fields: &[String]) -> BTreeMap<String, String> {
    let named = fields.iter().filter(|f| is_key(spec, f)).take(FIELDS);
    let own_key = |f: &String| (f.clone(), names::key(system, &names::word(f)));
    let mut keys: BTreeMap<String, String> = named.map(own_key).collect();
    // Two spellings of one name become two keys.
    let mut taken: Vec<String> = Vec::new();
    for key in keys.values_mut() {
        *key = names::unique(key, |k| taken.iter().any(|t| t == k));
        taken.push(key.clone());
    }
    keys.retain(|field, key| field != key && !key.ends_with('.'));
    keys
}

/// Whether a draft can express a dialect.
fn is_plain(spec: &JsonSpec) -> bool {
    spec.compose.is_none()
        && spec.arrays.is_empty()
        && spec.levels.is_empty()
        && spec.records.is_none()
        && spec.pairs.is_empty()
        && !spec.bytes
        && spec.durations.is_empty()
        && !spec.utc
        && spec.time.iter().all(|(field, _)| !field.contains(':'))
}

/// Returns a dialect as written in the draft, without its name.
fn written_out(spec: &JsonSpec, fields: &[String], keys: BTreeMap<String, String>) -> OwnFormat {
    let time = spec.time.iter().map(|(field, pattern)| match pattern {
        Some(pattern) => format!("{field}:{}", pattern.spec()),
        None => field.clone(),
    });
    // Fields that all records have identify the dialect.
    let main = spec.time.iter().map(|t| &t.0).chain(&spec.message);
    let require = match spec.require.is_empty() {
        true => main.filter(|f| fields.contains(f)).cloned().collect(),
        false => spec.require.clone(),
    };
    // Without a message field, a record would be shown as all its keys with their full names.
    let is_said = spec.message.iter().any(|m| fields.contains(m));
    let (message, compose) = match is_said {
        true => (spec.message.clone(), Vec::new()),
        false => (Vec::new(), composed(fields, &keys)),
    };
    let known = spec.rename.clone().into_iter();
    let mut rename: BTreeMap<String, String> =
        known.filter(|(field, _)| fields.contains(field)).collect();
    for (field, key) in keys {
        rename.entry(field).or_insert(key);
    }
    let grammar = match spec.grammar {
        Grammar::Json => Vec::new(),
        Grammar::Logfmt => vec!["logfmt".to_owned()],
    };
    OwnFormat {
        name: String::new(),
        pattern: String::new(),
        lists: vec![
            ("grammar", grammar),
            ("require", require),
            ("time", time.collect()),
            ("level", spec.level.clone()),
            ("message", message),
            ("compose", compose),
            ("template", spec.template.clone()),
            ("drop", spec.drop.clone()),
            ("defer", spec.defer.clone()),
            ("null", spec.null.clone()),
        ],
        rename,
    }
}

/// Composed message of keys; empty without keys.
fn composed(fields: &[String], keys: &BTreeMap<String, String>) -> Vec<String> {
    let plain = |f: &&String| keys.contains_key(*f) && !f.contains(['{', '}', ':', ' ', '.']);
    let shown = fields.iter().filter(plain).take(SHOWN);
    let shown: Vec<String> = shown.map(|f| format!("{f}={{{f}}}")).collect();
    match shown.is_empty() {
        true => Vec::new(),
        false => vec![shown.join(" ")],
    }
}

/// Whether a field is a key that may be renamed; common keys keep their names.
fn is_key(spec: &JsonSpec, field: &String) -> bool {
    let used = spec
        .time
        .iter()
        .map(|t| &t.0)
        .chain(&spec.level)
        .chain(&spec.message);
    let mut used = used
        .chain(&spec.template)
        .chain(&spec.drop)
        .chain(&spec.defer);
    !used.any(|u| u == field)
        && !spec.rename.contains_key(field)
        && !names::is_common(field)
        && !RESERVED.contains(&field.as_str())
}

/// Fields in a sample of records of a kind, the most frequent first.
fn fields(
    snapshot: &Snapshot,
    kind: &SourceKind,
    spec: &JsonSpec,
    texts: &mut TextReader,
) -> Vec<String> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for event in sample_events(snapshot, kind, RECORDS) {
        let Ok(record) = texts.record(&event) else {
            continue;
        };
        let _ = spec.walk(first_line(record).0, |field, _| {
            let Ok(field) = std::str::from_utf8(field) else {
                return;
            };
            // The definition cannot name a field with escapes; the user may rename its key.
            if field.contains('\\') {
                return;
            }
            match counts.iter_mut().find(|c| c.0 == field) {
                Some(known) => known.1 += 1,
                None => counts.push((field.to_owned(), 1)),
            }
        });
    }
    counts.sort_by_key(|c| std::cmp::Reverse(c.1));
    counts.into_iter().map(|c| c.0).collect()
}

/// Sample of a kind's records, spread over its sources and over each source.
pub(crate) fn sample_events<'s>(
    snapshot: &'s Snapshot,
    kind: &SourceKind,
    most: usize,
) -> Vec<EventRef<'s>> {
    let own: FxHashSet<SourceId> = kind.sources.iter().copied().collect();
    let segments = snapshot.segments.iter().zip(snapshot.bases.iter());
    let parts = segments.flat_map(|(segment, base)| segment.parts.iter().map(move |p| (p, *base)));
    let parts: Vec<_> = parts
        .filter(|(p, _)| p.rows > 0 && own.contains(&p.source))
        .collect();
    let of_each = (most / parts.len().max(1)).max(1);
    let mut out = Vec::new();
    for (part, base) in parts.iter().step_by(parts.len().div_ceil(most).max(1)) {
        let stride = (part.rows as usize).div_ceil(of_each);
        for row in (0..part.rows).step_by(stride) {
            out.extend(snapshot.event(EventId(base + part.first_row + row)));
        }
    }
    out
}

/// Whether records of a source are text lines.
pub(crate) fn is_lines(reader: &Reader) -> bool {
    matches!(reader.syntax, Syntax::Lines(_))
}

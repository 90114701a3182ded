//! Samples of a draft: lines of the log, with the fields that the draft itself reads from them.

use std::collections::BTreeSet;
use std::sync::Arc;

use widetui_core::level::Level;
use widetui_definition::toml_text;
use widetui_format::catalog::Catalog;
use widetui_format::check::read::{LineToCheck, SampleRead};
use widetui_format::definitions::kinds::Compiled;
use widetui_format::definitions::systems::Systems;
use widetui_format::definitions::systems::{full_name, is_full_name};
use widetui_format::fields::first_line;
use widetui_format::pattern::glob::{components, plain_name};
use widetui_format::text::reserved::RESERVED;
use widetui_store::texts::TextReader;
use widetui_store::{EventRef, Snapshot};
use widetui_time::time::NO_TIME;

use crate::layouts::sample_events;
use crate::sections::{Draft, SampleSection};
use crate::source_kinds::SourceKind;

/// Maximum number of lines tried per kind of source.
const TRIED: usize = 400;

/// Maximum length of a sample line, bytes.
const LONGEST: usize = 600;

/// Number of samples from which only required ones are added.
const ENOUGH: usize = 3;

/// Maximum number of keys that a sample expects.
const KEYS: usize = 8;

/// Adds samples: for each kind of source, layout and dialect the line with the most keys. A layout or dialect that no
/// line needs is removed from the draft. `body` is the text of the draft without samples.
pub(crate) fn add(
    draft: &mut Draft,
    body: &str,
    snapshot: &Snapshot,
    kinds: &[(SourceKind, usize)],
) {
    let mut systems = Systems::builtin();
    if systems.add("draft", body).is_err() {
        return;
    }
    let tables = Arc::new(Catalog::default());
    let compiled = systems.compile(&tables);
    let mut texts = TextReader::default();
    let mut found: Vec<(usize, Candidate)> = Vec::new();
    for (kind, number) in kinds {
        let Some(source) = draft.sources.get(*number) else {
            continue;
        };
        let context = SampleContext {
            draft,
            kind: &source.kind,
            compiled: &compiled,
            tables: &tables,
        };
        let events = sample_events(snapshot, kind, TRIED);
        let lines = events
            .iter()
            .filter_map(|event| context.candidate(event, &mut texts));
        found.extend(lines.map(|line| (*number, line)));
    }
    let mut layouts: Vec<String> = Vec::new();
    let mut seen: Vec<usize> = Vec::new();
    let mut covered_keys: BTreeSet<String> = BTreeSet::new();
    loop {
        // Required first: one line of each kind of source, and one in each layout; then the lines with most new keys.
        let needed = |(kind, line): &(usize, Candidate)| {
            let is_new = line.layout.as_ref().is_some_and(|l| !layouts.contains(l));
            is_new || !seen.contains(kind)
        };
        let enough = draft.samples.len() >= ENOUGH;
        let worth = |one: &(usize, Candidate)| {
            let new = one
                .1
                .own
                .iter()
                .filter(|k| !covered_keys.contains(*k))
                .count();
            (needed(one), new, std::cmp::Reverse(one.1.sample.line.len()))
        };
        let best = (0..found.len()).rev().max_by_key(|at| worth(&found[*at]));
        let Some(best) = best.filter(|at| {
            let (needed, new, _) = worth(&found[*at]);
            needed || new > 0 && !enough
        }) else {
            break;
        };
        let (kind, line) = found.swap_remove(best);
        seen.push(kind);
        layouts.extend(line.layout);
        covered_keys.extend(line.own);
        draft.samples.push(line.sample);
    }
    let name = draft.name.clone();
    let read = |own: &str| layouts.contains(&full_name(&name, own));
    draft.layouts.retain(|l| read(&l.name));
    draft.dialects.retain(|d| read(&d.name));
    let layouts: Vec<String> = draft.layouts.iter().map(|l| l.name.clone()).collect();
    let dialects: Vec<String> = draft.dialects.iter().map(|d| d.name.clone()).collect();
    for source in &mut draft.sources {
        source
            .layouts
            .retain(|l| is_full_name(l) || layouts.contains(l));
        source
            .json
            .retain(|j| is_full_name(j) || dialects.contains(j));
    }
}

/// Candidate line.
struct Candidate {
    sample: SampleSection,
    /// Layout that matches the line.
    layout: Option<String>,
    /// Keys of the system in the line.
    own: Vec<String>,
}

/// Context of reading candidate lines.
struct SampleContext<'a> {
    draft: &'a Draft,
    kind: &'a str,
    compiled: &'a Compiled,
    tables: &'a Arc<Catalog>,
}

impl SampleContext<'_> {
    fn candidate(&self, event: &EventRef<'_>, texts: &mut TextReader) -> Option<Candidate> {
        let source = event.source();
        let reader = source.reader.as_ref()?;
        let record = texts.record(event).ok()?;
        let (first, rest) = first_line(record);
        // A layout may have no line that is UTF-8.
        let mut line = String::from_utf8_lossy(first).into_owned();
        if line.trim().is_empty() || line.len() > LONGEST {
            return None;
        }
        // The message of a header without text begins on the next line.
        if crate::layouts::is_lines(reader) && reader.message(first).trim().is_empty() {
            let (second, _) = first_line(rest);
            line = format!("{line}\n{}", String::from_utf8_lossy(second));
        }
        let path = components(&source.path);
        let parts = self.draft.sources.iter().find(|s| s.kind == self.kind)?;
        let deepest = parts.globs.iter().map(|g| g.split('/').count()).max();
        let from = path.len().saturating_sub(deepest.unwrap_or(1));
        let mut tail: Vec<&str> = path[from..].to_vec();
        if let Some(last) = tail.last_mut() {
            *last = plain_name(last);
        }
        let path = tail.join("/");
        let time = event.segment.times.get(event.row);
        let mut line_to_check = LineToCheck {
            system: &self.draft.name,
            path: &path,
            kind: None,
            line: &line,
            reference: if time == NO_TIME { 0 } else { time },
        };
        let is_ours = |read: &SampleRead| {
            read.system.as_deref() == Some(&self.draft.name)
                && read.kind.as_deref() == Some(self.kind)
        };
        let read = line_to_check
            .read(self.compiled, self.tables)
            .ok()
            .filter(is_ours);
        let by_path = read.is_some();
        if !by_path {
            line_to_check.path = "";
            line_to_check.kind = Some(self.kind);
        }
        let read = match read {
            Some(read) => read,
            None => line_to_check.read(self.compiled, self.tables).ok()?,
        };
        let gives = gives(&read, self.tables);
        if gives.is_empty() {
            return None;
        }
        let layout = read.layout.clone();
        let prefix = format!("{}.", self.draft.name);
        let own_layout = layout
            .as_deref()
            .map(|l| l.strip_prefix(&prefix).unwrap_or(l));
        let own_layout = own_layout.filter(|l| self.draft.layouts.iter().any(|own| own.name == *l));
        let own = gives
            .iter()
            .map(|g| &g.0)
            .filter(|k| k.starts_with(&prefix))
            .cloned();
        Some(Candidate {
            own: own.collect(),
            sample: SampleSection {
                path: by_path.then(|| path.clone()),
                kind: (!by_path).then(|| self.kind.to_owned()),
                layout: own_layout.map(str::to_owned),
                line: line.clone(),
                gives,
            },
            layout,
        })
    }
}

/// Fields of a line, as a sample expects them.
fn gives(read: &SampleRead, tables: &Catalog) -> Vec<(String, String)> {
    let mut out = Vec::new();
    if let Some(time) = read.values("time", tables).first() {
        let short = match time.contains('.') {
            true => time.trim_end_matches('0').trim_end_matches('.'),
            false => time,
        };
        out.push((
            "time".to_owned(),
            toml_text::quoted(&short.replacen(' ', "T", 1)),
        ));
    }
    if read.level() != Level::Unknown {
        out.push(("level".to_owned(), toml_text::quoted(read.level().name())));
    }
    for name in read.keys(tables) {
        let values = read.values(&name, tables);
        let value = match &values[..] {
            [] => continue,
            [one] => toml_text::value(one),
            many => {
                let many: Vec<String> = many.iter().map(|v| toml_text::value(v)).collect();
                format!("[{}]", many.join(", "))
            }
        };
        if out.len() < KEYS + 2 && !RESERVED.contains(&&*name) {
            out.push((name, value));
        }
    }
    if out.is_empty()
        && let Some(message) = read.values("message", tables).first()
    {
        out.push(("message".to_owned(), toml_text::quoted(message)));
    }
    out
}

//! Joins of fact tables (`--facts`). Columns that also occur as keys of log records are the join keys, the other
//! columns are the values that records receive. Only the rows of the table are the evidence of a join. A column `source`
//! names sources as expressions do.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use widetui_core::diag::{Diagnostic, Severity};
use widetui_core::ids::{EventId, KeyId};
use widetui_core::nearest::nearest;
use widetui_core::words::several;
use widetui_definition::semantics::MAX_BY;
use widetui_store::{Snapshot, Source, SourceTrait};

/// Prefix of the names of these joins; also their origin.
pub const FACTS: &str = "facts";

/// Key of a column `source`.
pub const SOURCE: &str = "log.source";

/// Row number column of SQLite, never a join key.
const ROWID: &str = "rowid";

/// Start of the problem text of a table that joins nothing.
const NOTHING: &str = "joins nothing: ";

/// Whether a join name belongs to a fact table.
pub fn is_name(name: &str) -> bool {
    name.strip_prefix(FACTS).is_some_and(|n| n.starts_with(' '))
}

/// Fact table with a join: it has both columns that records have and columns that they receive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoiningTable {
    /// Name of the join: `facts FILE`, or the whole path if several tables share the file name.
    pub name: String,
    /// Path of its source.
    pub path: String,
    /// Key columns, which records of logs have as well.
    pub by: Vec<String>,
    /// Value columns, received by records with the same key values.
    pub gives: Vec<String>,
    /// Sources that a column `source` names, each once; empty without such a column, or if logs have a field of this name.
    pub sources: Vec<String>,
}

/// Lists the fact tables with a join, in the order of the sources.
pub fn joining_tables(snapshot: &Snapshot) -> Vec<JoiningTable> {
    let tables = Tables::of(snapshot);
    let joining = tables.list.iter().filter(|t| t.joins());
    let joining = joining.map(|table| JoiningTable {
        name: tables.name(snapshot, table.source),
        path: snapshot.sources[table.source].path.clone(),
        by: names(snapshot, &table.by),
        gives: names(snapshot, &table.gives),
        sources: match tables.source_key(snapshot) {
            Some(key) if table.by.contains(&key) => values(snapshot, table.source, key),
            _ => Vec::new(),
        },
    });
    joining.collect()
}

/// Adds a problem to the source of each fact table without a join.
pub(crate) fn with_problems(mut snapshot: Snapshot) -> Snapshot {
    let mut sources = snapshot.sources.to_vec();
    if update_problems(&snapshot, &mut sources) {
        snapshot.sources = sources.into();
    }
    snapshot
}

/// Adds a problem to the source of each fact table without a join, and removes it if the table has a join by now.
/// Returns whether any problem changed.
pub(crate) fn update_problems(snapshot: &Snapshot, sources: &mut [Arc<Source>]) -> bool {
    if !sources.iter().any(|s| s.has_trait(SourceTrait::Facts)) {
        return false;
    }
    let tables = Tables::of(snapshot);
    let mut changed = false;
    for table in &tables.list {
        let Some(source) = sources.get_mut(table.source) else {
            continue;
        };
        let why = tables.trouble(snapshot, table);
        let text = why.map(|why| format!("{NOTHING}{why}"));
        let mut known = source.problems.iter();
        let known = known.find(|p| p.text.starts_with(NOTHING)).map(|p| &p.text);
        if known == text.as_ref() {
            continue;
        }
        changed = true;
        let source = Arc::make_mut(source);
        source.problems.retain(|p| !p.text.starts_with(NOTHING));
        let path = source.path.clone();
        let problem = text.map(|text| Diagnostic::new(Severity::Warning, path, text));
        source.problems.extend(problem);
    }
    changed
}

/// Whether any fact table has no join so far.
pub(crate) fn has_unjoined(sources: &[Arc<Source>]) -> bool {
    let mut facts = sources.iter().filter(|s| s.has_trait(SourceTrait::Facts));
    facts.any(|s| s.problems.iter().any(|p| p.text.starts_with(NOTHING)))
}

/// Fact table with its columns.
struct Table {
    /// Index of the source of the table.
    source: usize,
    /// Key columns: known from logs or from the join of another fact table.
    by: Vec<KeyId>,
    /// Value columns.
    gives: Vec<KeyId>,
}

impl Table {
    fn joins(&self) -> bool {
        !self.gives.is_empty() && (1..=MAX_BY).contains(&self.by.len())
    }
}

/// All fact tables, and the keys of log records.
struct Tables {
    list: Vec<Table>,
    /// Keys of log records.
    logs: FxHashSet<KeyId>,
}

impl Tables {
    fn of(snapshot: &Snapshot) -> Tables {
        let sources = &snapshot.sources;
        let mut out = Tables {
            list: Vec::new(),
            logs: FxHashSet::default(),
        };
        if !sources.iter().any(|s| s.has_trait(SourceTrait::Facts)) {
            return out;
        }
        let found = found(snapshot);
        out.logs = found.logs;
        let rowid = snapshot.catalog.keys.find(ROWID);
        let columns = found.columns.into_iter().enumerate();
        let tables = columns.filter(|(at, _)| {
            sources
                .get(*at)
                .is_some_and(|s| s.has_trait(SourceTrait::Facts))
        });
        let mut left: Vec<(usize, Vec<KeyId>)> = tables.collect();
        for (_, columns) in &mut left {
            columns.retain(|key| Some(*key) != rowid);
        }
        // Values of one table may be the keys of another one.
        let mut known = out.logs.clone();
        known.extend(out.source_key(snapshot));
        loop {
            let is_known = |key: &KeyId| known.contains(key);
            let (ready, rest): (Vec<_>, Vec<_>) = left
                .into_iter()
                .partition(|(_, columns)| columns.iter().any(is_known));
            let is_last = ready.is_empty();
            let ready = ready.into_iter().map(|(source, columns)| {
                let (by, gives) = columns.into_iter().partition(is_known);
                Table { source, by, gives }
            });
            let ready: Vec<Table> = ready.collect();
            let given = ready.iter().filter(|t| t.joins()).flat_map(|t| &t.gives);
            let given: Vec<KeyId> = given.copied().collect();
            known.extend(given);
            out.list.extend(ready);
            left = rest;
            if is_last {
                break;
            }
        }
        out.list
            .extend(left.into_iter().map(|(source, gives)| Table {
                source,
                by: Vec::new(),
                gives,
            }));
        out.list.sort_by_key(|t| t.source);
        out
    }

    /// Key of the columns `source`; `None` if it is a key of logs.
    fn source_key(&self, snapshot: &Snapshot) -> Option<KeyId> {
        let key = snapshot.catalog.keys.find(SOURCE)?;
        (!self.logs.contains(&key)).then_some(key)
    }

    /// Name of the join: `facts FILE`, or with the whole path if several tables share the file name.
    fn name(&self, snapshot: &Snapshot, source: usize) -> String {
        let path = |at: usize| &snapshot.sources[at].path;
        let file = |at: usize| path(at).rsplit('/').next().unwrap_or_default();
        let mut others = self.list.iter().filter(|t| t.source != source);
        match others.any(|t| file(t.source) == file(source)) {
            false => format!("{FACTS} {}", file(source)),
            true => format!("{FACTS} {}", path(source)),
        }
    }

    /// Reason why a table has no join although it should, with a remedy.
    fn trouble(&self, snapshot: &Snapshot, table: &Table) -> Option<String> {
        // A database often has unrelated tables, so tables without a join are no problem.
        if snapshot.sources[table.source].has_trait(SourceTrait::Table) {
            return None;
        }
        if table.by.len() > MAX_BY {
            let count = several(table.by.len(), "column");
            return Some(format!(
                "records have {count} of it, and at most {MAX_BY} can be joined by: leave some out"
            ));
        }
        if !table.by.is_empty() || table.gives.is_empty() {
            return None;
        }
        let columns = names(snapshot, &table.gives);
        let known: FxHashSet<&str> = self.logs.iter().map(|k| name(snapshot, *k)).collect();
        let meant = columns
            .iter()
            .find_map(|c| nearest(c, known.iter().copied()));
        let hint = match meant {
            Some(meant) => format!("did you mean {meant}?"),
            None => "name a column like a key of the records (see the keys of the run)".into(),
        };
        Some(format!("no record has {}; {hint}", columns.join(" or ")))
    }
}

/// Values of a key in the records of a source, each once.
fn values(snapshot: &Snapshot, source: usize, key: KeyId) -> Vec<String> {
    let mut codes = BTreeSet::new();
    for (segment, base) in snapshot.segments.iter().zip(snapshot.bases.iter()) {
        for part in segment.parts.iter().filter(|p| p.source.index() == source) {
            for row in part.first_row..part.first_row + part.rows {
                let Some(event) = snapshot.event(EventId(base + row)) else {
                    continue;
                };
                event.for_each_code(|of, values, _| {
                    if of == key {
                        codes.extend(values.iter().copied());
                    }
                });
            }
        }
    }
    let view = snapshot.catalog.keys.get(key);
    let spelling = |code| view.and_then(|view| view.spelling(code));
    codes.into_iter().filter_map(spelling).collect()
}

fn name(snapshot: &Snapshot, key: KeyId) -> &str {
    snapshot.catalog.keys.name(key)
}

fn names(snapshot: &Snapshot, keys: &[KeyId]) -> Vec<String> {
    keys.iter().map(|k| name(snapshot, *k).to_owned()).collect()
}

/// Keys by source.
struct KeysBySource {
    /// Columns of fact tables by source, in the order of first occurrence; empty for other sources.
    columns: Vec<Vec<KeyId>>,
    /// Keys of all other sources.
    logs: FxHashSet<KeyId>,
}

fn found(snapshot: &Snapshot) -> KeysBySource {
    let sources = &snapshot.sources;
    let facts = sources.iter().filter(|s| s.has_trait(SourceTrait::Facts));
    let paths: FxHashSet<&str> = facts.map(|s| s.path.as_str()).collect();
    // A fact table within the folder of the run is also read as part of the run; its keys are not keys of logs.
    let is_aside: Vec<bool> = sources
        .iter()
        .map(|s| paths.contains(s.path.as_str()))
        .collect();
    let mut out = KeysBySource {
        columns: vec![Vec::new(); sources.len()],
        logs: FxHashSet::default(),
    };
    for source in sources.iter().filter(|s| !is_aside[s.id.index()]) {
        if source.stats.records() > 0 {
            out.logs.extend(source.consts.iter().map(|(key, _)| *key));
        }
    }
    for segment in snapshot.segments.iter() {
        let of_group = |at: usize| {
            let group = &segment.groups[at];
            let shape = snapshot.catalog.shapes.get(group.shape.index());
            let consts = shape
                .into_iter()
                .flat_map(|s| s.consts.iter().map(|(k, _)| *k));
            group.columns.iter().map(|(key, _)| *key).chain(consts)
        };
        let aside = |source: usize| is_aside.get(source) == Some(&true);
        if !segment.parts.iter().any(|p| aside(p.source.index())) {
            for at in 0..segment.groups.len() {
                out.logs.extend(of_group(at));
            }
            continue;
        }
        let mut seen: FxHashSet<(usize, usize)> = FxHashSet::default();
        for row in 0..segment.len() {
            let source = segment.part(row).source.index();
            let group = segment.group_number(row);
            if !seen.insert((source, group)) {
                continue;
            }
            match out.columns.get_mut(source).filter(|_| aside(source)) {
                Some(columns) => columns.extend(of_group(group)),
                None => out.logs.extend(of_group(group)),
            }
        }
    }
    contexts(snapshot, &is_aside, &mut out);
    for columns in &mut out.columns {
        let mut seen = FxHashSet::default();
        columns.retain(|key| seen.insert(*key));
    }
    out
}

/// Adds context keys (process, thread), which are stored apart from other keys.
fn contexts(snapshot: &Snapshot, is_aside: &[bool], out: &mut KeysBySource) {
    let mut wanted: FxHashSet<KeyId> = FxHashSet::default();
    let keys_of = |context: usize| {
        let keys = snapshot.catalog.contexts.get(context);
        keys.into_iter().flat_map(|c| c.iter().map(|(k, _)| *k))
    };
    let aside = |source: usize| is_aside.get(source) == Some(&true);
    for segment in snapshot.segments.iter() {
        for part in segment.parts.iter().filter(|p| aside(p.source.index())) {
            let rows = part.first_row as usize..(part.first_row + part.rows) as usize;
            for context in rows.filter_map(|row| segment.context(row)) {
                wanted.extend(keys_of(context.index()));
                out.columns[part.source.index()].extend(keys_of(context.index()));
            }
        }
    }
    for segment in snapshot.segments.iter() {
        for part in segment.parts.iter().filter(|p| !aside(p.source.index())) {
            let rows = part.first_row as usize..(part.first_row + part.rows) as usize;
            for row in rows {
                // Stops early: most fact tables have no context keys, and the others are found within a few rows.
                if wanted.is_empty() {
                    return;
                }
                for key in segment
                    .context(row)
                    .into_iter()
                    .flat_map(|c| keys_of(c.index()))
                {
                    out.logs.insert(key);
                    wanted.remove(&key);
                }
            }
        }
    }
}

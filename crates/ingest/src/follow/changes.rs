//! Sources of a live run.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cardinality;
use crate::detector::Log;
use crate::load_context::LoadContext;
use crate::load_state::{forget, note};
use crate::source_entries::{enter, unread};
use widetui_core::diag::{Diagnostic, Severity};
use widetui_core::ids::SourceId;
use widetui_format::sample::DateGap;
use widetui_source::file::FileText;
use widetui_source::text::Text;
use widetui_store::SourceTrait;
use widetui_store::builder::PartReport;
use widetui_store::part_stats::PartStats;
use widetui_store::segment::Segment;
use widetui_store::source::Source;
use widetui_time::zone::Zone;

use super::known_zones::Zones;

/// Sources by number, with the state that determines their local times.
#[derive(Clone)]
pub(super) struct Sources {
    pub(crate) all: Vec<Arc<Source>>,
    /// Whether the timestamps of each source have no zone.
    pub(crate) local: Vec<bool>,
    /// Parts of the date that the timestamps of each source leave out.
    pub(crate) gaps: Vec<DateGap>,
    pub(crate) zones: Zones,
    /// Clock shifts set by the user while following, ns; they override those of the command line.
    pub(crate) shifts: Vec<(SourceId, i64)>,
}

impl Sources {
    pub(crate) fn new(
        shared: &LoadContext,
        all: &[Arc<Source>],
        zone: Option<Zone>,
        fallback: Zone,
    ) -> Sources {
        let (evidence, clocks) = shared.update(|h| {
            let clocks = h.drafts.values().map(|d| (d.local, d.gap));
            (h.evidence(), clocks.collect::<Vec<_>>())
        });
        let (local, gaps) = clocks.into_iter().unzip();
        let zones = Zones::new(evidence, zone, fallback);
        Sources {
            all: all.to_vec(),
            local,
            gaps,
            zones,
            shifts: Vec::new(),
        }
    }

    /// Adds the cardinality note to sources with coarse templates.
    pub(crate) fn note_coarse_templates(&mut self, coarse: &BTreeSet<SourceId>) {
        let all = self.all.iter_mut().filter(|s| coarse.contains(&s.id));
        for source in all.filter(|s| !cardinality::has_note(s)) {
            cardinality::add_note(Arc::make_mut(source));
        }
    }

    /// Modifies a source; published snapshots keep the old version.
    pub(crate) fn change(&mut self, id: SourceId, f: impl FnOnce(&mut Source)) {
        if let Some(source) = self.all.get_mut(id.index()) {
            f(Arc::make_mut(source));
        }
    }

    /// Adds a problem to a source, unless it has the same one.
    pub(crate) fn add_problem(
        &mut self,
        id: SourceId,
        severity: Severity,
        text: impl Into<String>,
    ) {
        let text = text.into();
        self.change(id, |s| {
            if !s.problems.iter().any(|p| p.text == text) {
                s.problems
                    .push(Diagnostic::new(severity, s.path.clone(), text));
            }
        });
    }

    /// Removes matching problems from a source.
    pub(crate) fn remove_problems(&mut self, id: SourceId, is_it: impl Fn(&str) -> bool) {
        let Some(source) = self.all.get(id.index()) else {
            return;
        };
        if source.problems.iter().any(|p| is_it(&p.text)) {
            self.change(id, |s| s.problems.retain(|p| !is_it(&p.text)));
        }
    }

    /// Adds an unread file.
    pub(crate) fn add_file(
        &mut self,
        shared: &LoadContext,
        name: &str,
        text: Arc<FileText>,
    ) -> SourceId {
        let id = self.add(shared, name, text.clone());
        shared.update(|h| {
            if let Some(draft) = h.drafts.get_mut(&id.0) {
                draft.file = Some(text);
            }
        });
        id
    }

    /// Adds an unread source.
    pub(crate) fn add(
        &mut self,
        shared: &LoadContext,
        name: &str,
        text: Arc<dyn Text>,
    ) -> SourceId {
        let id = SourceId(self.all.len() as u32);
        let mut draft = unread(id, name, text.len(), text);
        "empty".clone_into(&mut draft.source.layout);
        self.all.push(Arc::new(draft.source.clone()));
        self.local.push(false);
        self.gaps.push(DateGap::None);
        shared.update(|h| h.drafts.insert(id.0, draft));
        id
    }

    /// Sets the reader and the properties of a source.
    pub(crate) fn describe(&mut self, shared: &LoadContext, id: SourceId, log: &Log) {
        enter(shared, id, log, None);
        let known = shared.update(|h| h.drafts.get(&id.0).map(|d| d.source.clone()));
        if let Some(known) = known {
            let own = self.shifts.iter().find(|(other, _)| *other == id);
            let shift = own.map_or(known.shift, |(_, ns)| *ns);
            self.change(id, |s| {
                s.layout = known.layout;
                s.system = known.system;
                s.kind = known.kind;
                s.tag = known.tag;
                s.is_log = true;
                s.reader = known.reader;
                s.consts = known.consts;
                s.coarse = known.coarse;
                s.stated_offset = known.stated_offset;
                let detected = [
                    SourceTrait::Dump,
                    SourceTrait::Exported,
                    SourceTrait::UntimedLines,
                ];
                for source_trait in detected {
                    s.traits.set(source_trait, known.traits.has(source_trait));
                }
                s.shift = shift;
            });
        }
        if let Some(local) = self.local.get_mut(id.index()) {
            *local = log.clock.local;
        }
        if let Some(gap) = self.gaps.get_mut(id.index()) {
            *gap = log.clock.gap;
        }
        for note in &log.notes {
            self.add_problem(id, Severity::Note, note.clone());
        }
        if let Some(source) = self.all.get(id.index()) {
            self.zones.evidence.add(source, &log.zones);
        }
    }

    /// Changes the path of a source, and its tag unless `tag` is `None` (a definition gives the tag).
    pub(crate) fn rename(
        &mut self,
        shared: &LoadContext,
        id: SourceId,
        path: &str,
        tag: Option<String>,
    ) {
        let rename = |s: &mut Source| {
            path.clone_into(&mut s.path);
            if let Some(tag) = &tag {
                s.tag.clone_from(tag);
            }
        };
        self.change(id, rename);
        shared.update(|h| {
            if let Some(draft) = h.drafts.get_mut(&id.0) {
                rename(&mut draft.source);
            }
        });
    }

    /// Adds newly read parts to the statistics, and updates zones.
    pub(crate) fn count(&mut self, reports: &[PartReport], segments: &[Segment]) {
        let mut before: FxHashMap<SourceId, PartStats> = FxHashMap::default();
        for report in reports {
            let id = report.source;
            if let Some(source) = self.all.get(id.index()) {
                before.entry(id).or_insert(source.stats);
            }
            self.change(id, |s| {
                s.stats.add(&report.stats);
                note(s, report);
            });
            if let Some(source) = self.all.get(id.index()) {
                self.zones.evidence.add(source, &report.zones);
            }
        }
        // Evidence of all files is complete only now, independent of the order in which they were read.
        self.find_zones(&before.keys().copied().collect());
        self.find_second_hours(&before, segments);
    }

    /// Returns a copy of the sources, for one snapshot, with the statistics of unfinished records added.
    pub(crate) fn with_unfinished(
        &self,
        reports: &[PartReport],
        segments: &[Segment],
    ) -> Arc<[Arc<Source>]> {
        let is_empty = |r: &PartReport| r.stats.levels.iter().all(|n| *n == 0);
        if reports.iter().all(is_empty) {
            return self.all.as_slice().into();
        }
        let mut shown = self.clone();
        shown.count(reports, segments);
        shown.all.into()
    }

    /// Resets the statistics of a source that will be read again.
    pub(crate) fn forget(&mut self, id: SourceId) {
        self.zones.evidence.forget(id);
        self.change(id, |s| {
            s.stats = Default::default();
            s.zoning = Default::default();
            forget(s);
        });
    }
}

/// Whether two detection results read the same file alike.
pub(super) fn reads_alike(a: &Log, b: &Log) -> bool {
    use widetui_format::reader::Syntax;
    let same_syntax = match (&a.reader.syntax, &b.reader.syntax) {
        (Syntax::Lines(a), Syntax::Lines(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| Arc::ptr_eq(a, b))
        }
        (Syntax::Json(a), Syntax::Json(b)) => Arc::ptr_eq(a, b),
        _ => false,
    };
    same_syntax
        && a.reader.scope.id == b.reader.scope.id
        && (&a.kind, &a.system, &a.tag, &a.consts) == (&b.kind, &b.system, &b.tag, &b.consts)
        && (a.clock.local, a.clock.coarse, a.clock.untimed_lines)
            == (b.clock.local, b.clock.coarse, b.clock.untimed_lines)
}

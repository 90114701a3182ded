//! The sources of a live run: what is known of them while they grow.

use std::sync::Arc;

use crate::base::diag::{Diagnostic, Severity};
use crate::base::ids::SourceId;
use crate::base::zone::Zone;
use crate::source::file::FileText;
use crate::source::text::Text;
use crate::store::builder::PartReport;
use crate::store::source::{Basis, Source, Zoning};
use crate::workspace::assemble::{Evidence, note};
use crate::workspace::detector::Log;
use crate::workspace::load::Shared;
use crate::workspace::units::{enter, unread};

/// The sources by number, and what their local times are read by.
pub(super) struct Sources {
    pub all: Vec<Arc<Source>>,
    /// Whether the stamps of a source name no zone.
    local: Vec<bool>,
    evidence: Evidence,
    zone: Option<Zone>,
    fallback: Zone,
}

impl Sources {
    pub fn new(
        shared: &Shared,
        all: &[Arc<Source>],
        zone: Option<Zone>,
        fallback: Zone,
    ) -> Sources {
        let (evidence, local) = shared.harvest(|h| {
            let local = h.drafts.values().map(|d| d.local).collect();
            (h.evidence(), local)
        });
        Sources {
            all: all.to_vec(),
            local,
            evidence,
            zone,
            fallback,
        }
    }

    /// Changes a source; snapshots that were handed over keep the old one.
    pub fn change(&mut self, id: SourceId, f: impl FnOnce(&mut Source)) {
        if let Some(source) = self.all.get_mut(id.index()) {
            f(Arc::make_mut(source));
        }
    }

    /// Tells of a problem with a source.
    pub fn tell(&mut self, id: SourceId, severity: Severity, text: impl Into<String>) {
        let text = text.into();
        self.change(id, |s| {
            if !s.problems.iter().any(|p| p.text == text) {
                s.problems
                    .push(Diagnostic::new(severity, s.path.clone(), text));
            }
        });
    }

    /// Adds a source of which nothing is known yet.
    pub fn add(&mut self, shared: &Shared, name: &str, text: Arc<FileText>) -> SourceId {
        let id = SourceId(self.all.len() as u32);
        let mut draft = unread(id, name, text.len(), text.clone());
        "empty".clone_into(&mut draft.source.layout);
        draft.file = Some(text);
        self.all.push(Arc::new(draft.source.clone()));
        self.local.push(false);
        shared.harvest(|h| h.drafts.insert(id.0, draft));
        id
    }

    /// Says how a source is read from now on.
    pub fn describe(&mut self, shared: &Shared, id: SourceId, log: &Log) {
        enter(shared, id, log, None);
        let known = shared.harvest(|h| h.drafts.get(&id.0).map(|d| d.source.clone()));
        if let Some(known) = known {
            self.change(id, |s| {
                s.layout = known.layout;
                s.system = known.system;
                s.kind = known.kind;
                s.tag = known.tag;
                s.is_log = true;
                s.reader = known.reader;
                s.consts = known.consts;
                s.coarse = known.coarse;
                s.shift = known.shift;
            });
        }
        if let Some(local) = self.local.get_mut(id.index()) {
            *local = log.clock.local;
        }
    }

    /// Counts what was read of a source.
    pub fn count(&mut self, report: &PartReport) {
        let id = report.source;
        self.change(id, |s| {
            s.stats.add(&report.stats);
            note(s, report);
        });
        if let Some(source) = self.all.get(id.index()) {
            self.evidence.add(source, &report.zones);
        }
        self.find_zone(id);
    }

    /// Counts unfinished lines, in a copy of the sources that goes with one snapshot.
    pub fn with_unfinished(&self, reports: &[PartReport]) -> Arc<[Arc<Source>]> {
        let mut shown = Sources {
            all: self.all.clone(),
            local: self.local.clone(),
            evidence: Evidence::default(),
            zone: self.zone.clone(),
            fallback: self.fallback.clone(),
        };
        if reports
            .iter()
            .any(|r| !r.stats.levels.iter().all(|n| *n == 0))
        {
            shown.evidence = self.evidence.clone();
            reports.iter().for_each(|r| shown.count(r));
        }
        shown.all.into()
    }

    /// The zone of a source without one, as soon as it has a time. The zone of what was read before stays what it was.
    fn find_zone(&mut self, id: SourceId) {
        let index = id.index();
        let Some(source) = self.all.get(index).filter(|_| self.local[index]) else {
            return;
        };
        let Some((_, last)) = source.stats.range else {
            return;
        };
        let zoning = match &source.zoning {
            Zoning::Stated => self
                .evidence
                .zoning(source, self.zone.as_ref(), &self.fallback),
            Zoning::Local {
                offsets,
                days,
                basis,
                how,
            } => {
                // Evidence gives one offset for ever; a zone of the user or the machine may change in summer.
                let zone = self.zone.as_ref().unwrap_or(&self.fallback);
                let is_zone = *basis != Basis::Shown;
                let now = zone.offset_at_local(last) as i32;
                let from = last - last.rem_euclid(3_600_000_000_000);
                if !is_zone
                    || offsets
                        .last()
                        .is_none_or(|(at, offset)| *offset == now || *at >= from)
                {
                    return;
                }
                let mut offsets = offsets.clone();
                offsets.push((from, now));
                Zoning::Local {
                    offsets,
                    days: *days,
                    basis: *basis,
                    how: how.clone(),
                }
            }
        };
        self.change(id, |s| s.zoning = zoning);
    }
}

/// Whether two verdicts on the same file read it alike.
pub(super) fn reads_alike(a: &Log, b: &Log) -> bool {
    use crate::format::reader::Syntax;
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
        && (a.clock.local, a.clock.coarse) == (b.clock.local, b.clock.coarse)
}

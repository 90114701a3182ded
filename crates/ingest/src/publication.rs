//! Construction and publication of snapshots while following.

use std::sync::Arc;
use std::time::Instant;

use crate::cardinality;
use crate::finish::new_lineage;
use crate::load_state::{LoadState, ReadSources, count};
use crate::provenance::duplicates;
use widetui_core::ids::SourceId;
use widetui_format::catalog::Catalog;
use widetui_store::builder::PartReport;
use widetui_store::extension::{NewRecords, RecordState};
use widetui_store::segment::Segment;
use widetui_store::source::Source;
use widetui_store::{Snapshot, SourceTrait, value_renaming};

use crate::follower::Follower;

impl Follower {
    /// Builds a snapshot of everything read so far; `None` if nothing changed.
    pub(crate) fn publish(&mut self, now: Instant) -> Option<Arc<Snapshot>> {
        let is_due = self.finish.is_pending && !self.finish.is_soon(now);
        if !std::mem::take(&mut self.is_changed) && !is_due {
            return None;
        }
        self.drop_reread()?;
        if std::mem::take(&mut self.is_renamed) {
            // Filters by source name may now select other records, so cached results are invalid: starts a new lineage.
            self.base = Arc::new(Snapshot {
                lineage: new_lineage(),
                ..(*self.base).clone()
            });
        }
        let tables = self.shared.tables.clone();
        self.shared.finish_unit(&mut self.worker, (0, 0));
        let segments = self.shared.update(LoadState::settle);
        let rest = self.unfinished(&tables);
        let catalog = tables.freeze();
        let mut coarse = cardinality::sources(&tables, &segments);
        if catalog.renamed != self.base.catalog.renamed {
            coarse.extend(cardinality::sources(&tables, &self.base.segments));
        }
        for id in coarse {
            self.shared.change(id, cardinality::add_note);
        }
        let started = Instant::now();
        let read = self.shared.update(|h| h.read_sources([].iter()));
        let as_read = read.sources.clone();
        let segments = self.disambiguated(segments, &as_read);
        let mut sources = self.as_finished(&as_read);
        let zoned = match self.finish.is_soon(now) && !self.has_new_local(&read) {
            true => None,
            false => {
                let all: Vec<_> = self
                    .base
                    .segments
                    .iter()
                    .chain(&segments)
                    .cloned()
                    .collect();
                Some(read.zoned(self.shared.zone_options(), &all))
            }
        };
        for (own, zoned) in sources.iter_mut().zip(zoned.iter().flatten()) {
            let known = self.base.sources.get(own.id.index());
            let is_new = known.is_none_or(|s| s.stats.records() == 0);
            if is_new && own.zoning != zoned.zoning {
                Arc::make_mut(own).zoning.clone_from(&zoned.zoning);
            }
        }
        let grown = self.base.grow(NewRecords {
            sources: sources.into(),
            segments,
            catalog,
            state: RecordState::Settled,
        })?;
        let mut grown = duplicates::mark_new_duplicates(grown, &self.base, &self.cancel);
        match zoned {
            Some(zoned) => {
                grown = self.finish.finish(grown, zoned, &self.shared)?;
                grown.ties = Arc::default();
                self.finish.last = Some((now, started.elapsed()));
            }
            None => self.finish.is_pending = true,
        }
        self.as_read = as_read;
        self.base = Arc::new(grown);
        let (segments, reports) = rest;
        let segments = self.disambiguated(segments, &self.as_read);
        if segments.is_empty() {
            return Some(self.base.clone());
        }
        let shown = self.base.grow(NewRecords {
            sources: self.with_unfinished(&reports, &segments),
            segments,
            catalog: self.base.catalog.clone(),
            state: RecordState::Unfinished,
        })?;
        Some(Arc::new(shown))
    }

    /// Sources as read, with the zones and runs of the last snapshot.
    fn as_finished(&self, read: &[Arc<Source>]) -> Vec<Arc<Source>> {
        let former = self.as_read.iter().zip(self.base.sources.iter());
        let mut former = former.map(Some).chain(std::iter::repeat(None));
        let finished = |new: &Arc<Source>| match former.next().flatten() {
            None => new.clone(),
            Some((old, finished)) if Arc::ptr_eq(old, new) => finished.clone(),
            Some((old, finished)) => {
                let mut source = Source {
                    zoning: finished.zoning.clone(),
                    shift: finished.shift,
                    ..(**new).clone()
                };
                if old.consts == new.consts && old.kind == new.kind {
                    source.consts = finished.consts.clone();
                    source.kind.clone_from(&finished.kind);
                    let is_replica = finished.has_trait(SourceTrait::Replica);
                    source.traits.set(SourceTrait::Replica, is_replica);
                }
                if old.problems == new.problems {
                    source.problems.clone_from(&finished.problems);
                }
                Arc::new(source)
            }
        };
        read.iter().map(finished).collect()
    }

    /// True if a source without a stated zone has its first time.
    fn has_new_local(&self, read: &ReadSources) -> bool {
        let is_timed = |source: &Arc<Source>| source.stats.range.is_some();
        let mut sources = read.sources.iter().zip(&read.locals);
        sources.any(|(source, is_local)| {
            let known = self.base.sources.get(source.id.index());
            *is_local && is_timed(source) && !known.is_some_and(is_timed)
        })
    }

    /// Sources of a snapshot with unfinished records.
    fn with_unfinished(
        &self,
        reports: &[PartReport],
        segments: &[Arc<Segment>],
    ) -> Arc<[Arc<Source>]> {
        let mut sources = self.base.sources.to_vec();
        for report in reports {
            if let Some(source) = sources.get_mut(report.source.index()) {
                count(Arc::make_mut(source), report);
            }
        }
        let read = self.shared.update(|h| h.read_sources(reports.iter()));
        if self.has_new_local(&read) {
            let zoned = read.zoned(self.shared.zone_options(), segments);
            for (own, zoned) in sources.iter_mut().zip(zoned) {
                let is_new = self.base.sources[own.id.index()].stats.range.is_none();
                if is_new && own.zoning != zoned.zoning {
                    Arc::make_mut(own).zoning = zoned.zoning.clone();
                }
            }
        }
        sources.into()
    }

    /// Segments with the distinct names of runs applied.
    fn disambiguated(
        &self,
        segments: impl IntoIterator<Item = impl Into<Arc<Segment>>>,
        sources: &[Arc<Source>],
    ) -> Vec<Arc<Segment>> {
        let segments = segments.into_iter().map(Into::into);
        if self.finish.run_names.is_trivial() {
            return segments.collect();
        }
        let named = self.finish.run_names.named(sources);
        segments
            .map(|s| value_renaming::segment(&s, &named))
            .collect()
    }

    /// Reads the unfinished ends of all sources.
    fn unfinished(&mut self, tables: &Catalog) -> (Vec<Segment>, Vec<PartReport>) {
        let worker = &mut self.worker;
        self.shared.update(|h| {
            for (id, draft) in &h.drafts {
                if let Some((log, seq, chunk)) = draft.reader.unfinished() {
                    worker.load(tables, &log.reader, SourceId(*id), seq, chunk);
                }
            }
        });
        worker.builder.finish(tables)
    }

    /// Removes the records of sources that will be read again, which changes all event ids.
    fn drop_reread(&mut self) -> Option<()> {
        let mut reread = self.shared.update(|h| std::mem::take(&mut h.rereads));
        let base = &self.base.sources;
        reread.retain(|id| base.get(id.index()).is_some_and(|s| s.stats.records() > 0));
        if reread.is_empty() {
            return Some(());
        }
        let mut sources = self.base.sources.to_vec();
        for id in &reread {
            let source = Arc::make_mut(&mut sources[id.index()]);
            (source.stats, source.zoning) = Default::default();
        }
        let base = Snapshot {
            sources: sources.into(),
            ..(*self.base).clone()
        };
        let base = base.without(&reread, &self.cancel)?;
        let mut base = duplicates::mark_duplicates(base, &self.cancel);
        base.lineage = new_lineage();
        base.ties = Arc::default();
        self.base = Arc::new(base);
        Some(())
    }
}

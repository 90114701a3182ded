//! Construction and publication of snapshots while following.

use std::sync::Arc;

use crate::cardinality;
use crate::chunk::PartNumber;
use crate::detector::Log;
use crate::fact_tables;
use crate::provenance::{duplicates, named_files};
use widetui_core::ids::SourceId;
use widetui_format::catalog::{Catalog, CatalogView};
use widetui_format::load::lines::{Chunk, Growth};
use widetui_store::Snapshot;
use widetui_store::builder::PartReport;
use widetui_store::extension::{NewRecords, RecordState};
use widetui_store::segment::Segment;
use widetui_store::value_renaming;

use super::follower::{Follower, new_lineage};
use super::watched::Watched;

impl Follower {
    /// Builds a snapshot of everything read so far; `None` if nothing changed.
    pub(super) fn publish(&mut self) -> Option<Arc<Snapshot>> {
        if !std::mem::take(&mut self.is_changed) {
            return None;
        }
        self.drop_reread()?;
        if std::mem::take(&mut self.is_renamed) {
            // Filters by source name may now select other records, so cached results are invalid: starts a new lineage.
            let mut base = (*self.base).clone();
            base.lineage = new_lineage();
            self.base = Arc::new(base);
        }
        let tables = self.shared.tables.clone();
        let (segments, reports) = self.worker.builder.finish(&tables);
        self.sources.count(&reports, &segments);
        let segments = self.disambiguated(segments);
        self.rezone()?;
        let rest = self.unfinished(&tables);
        let catalog = tables.freeze();
        self.name_files(&catalog);
        let mut coarse = cardinality::sources(&tables, &segments);
        if catalog.renamed != self.base.catalog.renamed {
            coarse.extend(cardinality::sources(&tables, &self.base.segments));
        }
        self.sources.note_coarse_templates(&coarse);
        let grown = self.base.grow(NewRecords {
            sources: self.sources.all.as_slice().into(),
            segments,
            catalog: catalog.clone(),
            state: RecordState::Settled,
        })?;
        let mut grown = duplicates::mark_new_duplicates(grown, &self.base, &self.cancel);
        // Records that a fact table refers to may arrive later than the table.
        if fact_tables::has_unjoined(&self.sources.all)
            && fact_tables::update_problems(&grown, &mut self.sources.all)
        {
            grown.sources = self.sources.all.as_slice().into();
        }
        self.base = Arc::new(grown);
        let (segments, reports) = rest;
        let sources = self.sources.with_unfinished(&reports, &segments);
        let segments = self.disambiguated(segments);
        if segments.is_empty() {
            return Some(self.base.clone());
        }
        let shown = self.base.grow(NewRecords {
            sources,
            segments,
            catalog,
            state: RecordState::Unfinished,
        })?;
        Some(Arc::new(shown))
    }

    /// Adds the paths that records name to the sources with these paths, if there are new ones of either.
    fn name_files(&mut self, catalog: &CatalogView) {
        let known = (named_files::count(catalog), self.sources.all.len());
        if known.0 == 0 || std::mem::replace(&mut self.named, known) == known {
            return;
        }
        if named_files::name(&mut self.sources.all, catalog) {
            // Records of these sources have other values, so cached results are invalid.
            let mut base = (*self.base).clone();
            base.lineage = new_lineage();
            self.base = Arc::new(base);
        }
    }

    /// Sets the reader of a source. A run with the directory name of another run gets a distinct name.
    pub(super) fn describe(&mut self, id: SourceId, log: &Log) {
        self.sources.describe(&self.shared, id, log);
        self.leave_flat(id);
        if let Some(source) = self.sources.all.get(id.index()) {
            self.run_names.add_source(source, &self.shared.tables.keys);
            let source = source.clone();
            let all = &self.sources.all;
            if let Some(all) = self.run_names.add_to_run_folders(&source, all, &self.base) {
                // One run turned out to be two, so cached results are invalid.
                self.sources.all = all;
                self.is_renamed = true;
            }
        }
        if !self.run_names.is_trivial() {
            let named = self.run_names.named(&self.sources.all);
            let named = self
                .sources
                .all
                .get(id.index())
                .map(|s| value_renaming::source(s, &named));
            if let Some(named) = named {
                self.sources.all[id.index()] = named;
            }
        }
    }

    /// Removes keys derived from the path of a source in a flat folder, and those of other sources in a folder that
    /// turns out to be flat.
    fn leave_flat(&mut self, id: SourceId) {
        let Some(source) = self.sources.all.get(id.index()).cloned() else {
            return;
        };
        let all = &self.sources.all;
        let changed = self
            .run_names
            .add_to_flat_folder(&source, all, &self.shared.detector);
        for source in changed {
            // Records of other sources now belong to another run, so cached results are invalid.
            self.is_renamed |= source.id != id;
            let at = source.id.index();
            self.sources.all[at] = source;
        }
    }

    /// Segments with the distinct names of runs applied.
    fn disambiguated(&self, segments: Vec<Segment>) -> Vec<Arc<Segment>> {
        let segments = segments.into_iter().map(Arc::new);
        if self.run_names.is_trivial() {
            return segments.collect();
        }
        let named = self.run_names.named(&self.sources.all);
        segments
            .map(|s| value_renaming::segment(&s, &named))
            .collect()
    }

    /// Reads the unfinished ends of all files.
    fn unfinished(&mut self, tables: &Catalog) -> (Vec<Segment>, Vec<PartReport>) {
        let files = self.files.iter().filter(|f| !f.is_ended);
        for lines in files.flat_map(Watched::unfinished) {
            let Some(log) = lines.log.as_ref().filter(|_| !lines.rest.is_empty()) else {
                continue;
            };
            let chunk = Chunk {
                text: &lines.rest,
                offset: lines.read_to,
                first: !lines.has_records,
                after: &[],
                growth: Growth::Complete,
            };
            let seq = PartNumber(lines.seq + 1).first_part();
            self.worker.load(tables, &log.reader, lines.id, seq, chunk);
        }
        if let Some(piped) = &self.piped {
            let (id, seq, log, chunk) = piped.rest();
            if !chunk.text.is_empty() {
                self.worker.load(tables, &log.reader, id, seq, chunk);
            }
        }
        self.worker.builder.finish(tables)
    }

    /// Reorders the records of sources of which the zone has been inferred since.
    fn rezone(&mut self) -> Option<()> {
        let zonings = self.sources.zones_found_since();
        if zonings.is_empty() {
            return Some(());
        }
        self.sources.rezone(zonings);
        let known = self.base.sources.len();
        let sources = self.sources.all.iter().take(known);
        let built = Snapshot::build(
            sources.map(|s| (**s).clone()).collect(),
            self.base.segments.to_vec(),
            self.base.tables.clone(),
            self.base.complete,
            &self.cancel,
        )?;
        let mut base = duplicates::mark_duplicates(built, &self.cancel);
        base.lineage = new_lineage();
        base.ties = Arc::default();
        self.base = Arc::new(base);
        Some(())
    }

    /// Removes the records of sources that will be read again, which changes all event ids.
    fn drop_reread(&mut self) -> Option<()> {
        if self.reread.is_empty() {
            return Some(());
        }
        let reread = std::mem::take(&mut self.reread);
        let base = self.base.without(&reread, &self.cancel)?;
        let mut base = duplicates::mark_duplicates(base, &self.cancel);
        base.lineage = new_lineage();
        base.ties = Arc::default();
        for id in reread {
            self.sources.forget(id);
        }
        self.base = Arc::new(base);
        Some(())
    }
}

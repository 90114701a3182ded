//! Documents of a run, from the words of its diagnosis, the tables of the views and the figures of the plots. The text of
//! commands, a page and Markdown are written from the same document.

pub mod findings;
pub mod report;
pub mod unfinished;

use widetui_core::cancel::Cancel;
use widetui_core::diag::{Diagnostic, Severity};
use widetui_core::ids::EventId;
use widetui_core::words::{cut, grouped};
use widetui_diagnosis::words::first_line;
use widetui_report::document::{Block, Entry};
use widetui_report::event::{event_without_keys, shown_source};
use widetui_session::problem_lines::problem_spots;
use widetui_store::texts::TextReader;
use widetui_store::{EventRef, Snapshot, Source};
use widetui_time::clock::Clock;
use widetui_time::time::format_datetime;
use widetui_time::zone::Zone;

/// Run of a document.
#[derive(Clone, Copy, Debug)]
pub struct DocumentRun<'a> {
    /// Records.
    pub snapshot: &'a Snapshot,
    /// Zone of times.
    pub zone: &'a Zone,
}

impl<'a> DocumentRun<'a> {
    /// Clock of moments in words.
    fn clock(&self) -> Clock<'a> {
        Clock::of(self.zone, self.snapshot.range().map(|range| range.1))
    }

    /// First and last time with the zone; `None` without times.
    pub fn times(&self) -> Option<String> {
        let (first, last) = self.snapshot.range()?;
        let moment = |time| format_datetime(time, self.zone.offset_at_utc(time), 0);
        let offset = self.zone.offset_at_utc(last);
        let zone = match self.zone {
            Zone::Local => i32::try_from(offset).map_or(Zone::Local, Zone::Fixed),
            zone => zone.clone(),
        };
        Some(format!("{} to {} {zone}", moment(first), moment(last)))
    }

    /// Problems of sources that are more than notes, each with its first line. `None` if cancelled.
    pub fn problems<'s>(
        &self,
        sources: impl Iterator<Item = &'s Source>,
        cancel: &Cancel,
    ) -> Option<Vec<Block>> {
        let is_problem = |p: &&Diagnostic| p.severity > Severity::Note;
        let sources = sources.filter(|source| source.problems.iter().any(|p| is_problem(&p)));
        let entry = |source: &Source| {
            let spots = problem_spots(self.snapshot, source.id, cancel)?;
            let blocks = source
                .problems
                .iter()
                .filter(is_problem)
                .flat_map(|problem| {
                    let spot = spots.iter().find(|s| Some(s.offset) == problem.offset);
                    let line = spot.map(|spot| match spot.line {
                        Some(line) => format!("line {}: {}", grouped(line), spot.text),
                        None => spot.text.clone(),
                    });
                    let line = line.map(|line| Block::Records(vec![line]));
                    std::iter::once(Block::Text(problem.message())).chain(line)
                });
            Some(Block::Entry(Entry {
                rank: None,
                title: source.path.clone(),
                blocks: blocks.collect(),
            }))
        };
        sources.map(entry).collect()
    }

    /// Record in one line: moment, source, first line of the message.
    fn record(
        &self,
        id: EventId,
        texts: &mut TextReader,
        moment: impl FnOnce(&EventRef<'_>) -> Option<String>,
    ) -> Option<String> {
        let event = self.snapshot.event(id)?;
        let full = event_without_keys(&event, texts);
        let line = cut(first_line(&full.message), RECORD);
        let source = shown_source(&event, &full);
        Some(match moment(&event) {
            Some(at) => format!("{at}  {source}  {line}"),
            None => format!("{source}  {line}"),
        })
    }
}

/// Maximum length of the line of a record, characters.
const RECORD: usize = 1000;

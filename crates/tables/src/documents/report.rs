//! Report of a run: what it was, what went wrong, where the time went.

use std::time::{SystemTime, UNIX_EPOCH};

use widetui_analysis::states::ReporterChoice;
use widetui_core::cancel::Cancel;
use widetui_core::words::{cut, last_part, listed, several};
use widetui_diagnosis::unfinished::words::capital;
use widetui_query::{Field, value_table};
use widetui_report::document::{Block, Document, Entry, Grid, Section};
use widetui_report::figure::{Figure, TimeOrigin};
use widetui_report::svg::{FigureFrame, Theme, render};
use widetui_session::findings::{diagnose_run, unfinished_among, unfinished_work};
use widetui_session::jobs::{RunGrowth, TableRequest, table as answer};
use widetui_session::plots::{
    ColourBy, DagFocus, FlowBy, PlotKind, PlotQuestion, RowsBy, window_of,
};
use widetui_session::report::ReportRequest;
use widetui_store::Snapshot;
use widetui_time::time::{format_datetime, format_span};

use super::{DocumentRun, findings, unfinished};
use crate::answers;
use crate::table::{Cell, Row, Table};

/// Maximum number of rows of a table.
const ROWS: usize = 40;
/// Maximum length of a cell, characters.
const CELL: usize = 240;
/// Maximum number of curves over time.
const CURVES: usize = 6;
/// Maximum number of values of a line in the head.
const VALUES: usize = 8;
/// Maximum number of sources whose problems are listed.
const UNREAD: usize = 50;

/// Visibility of a part of a section.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Show {
    Not,
    Open,
    /// Folded under a title.
    Folded(&'static str),
}

impl Show {
    fn blocks(self, blocks: Vec<Block>) -> Vec<Block> {
        match self {
            _ if blocks.is_empty() => Vec::new(),
            Show::Not => Vec::new(),
            Show::Open => blocks,
            Show::Folded(title) => vec![Block::Details(title.to_owned(), blocks)],
        }
    }
}

/// Document of a report. `None` if cancelled.
pub fn document(snapshot: &Snapshot, request: &ReportRequest, cancel: &Cancel) -> Option<Document> {
    let zone = &request.zone;
    let builder = Builder {
        snapshot,
        request,
        cancel,
        run: DocumentRun { snapshot, zone },
    };
    let (work, diagnosis) = builder.diagnosis()?;
    let cache = || request.meaning.instance_cache.clone();
    let table = |of| builder.table(of);
    let plot = |of, drawn, listed| builder.plot(of, drawn, listed);
    let timeline = PlotKind::Timeline(RowsBy::Innermost, ColourBy::Default);
    let rows = Show::Folded("Rows of the timeline");
    let in_order = Show::Folded("Steps in their order");
    let by_share = Show::Folded("Steps by their share of the time");
    let diagram = Show::Folded("Message diagram");
    let rates = Show::Folded("Throughput");
    let ran = [
        table(TableRequest::Runs(cache()))?,
        table(TableRequest::Entities(cache()))?,
    ];
    let over_time = [
        plot(
            PlotKind::States(None, ReporterChoice::default()),
            Show::Open,
            Show::Not,
        )?,
        plot(PlotKind::Curves(None, CURVES), Show::Open, Show::Not)?,
        plot(PlotKind::Throughput(None), rates, Show::Not)?,
    ];
    let timeline = [plot(timeline, Show::Open, rows)?];
    let time = [plot(PlotKind::Account, Show::Open, Show::Open)?];
    let steps = [plot(PlotKind::Latency(Vec::new()), in_order, by_share)?];
    let messages = [
        plot(PlotKind::Flow(FlowBy::Kind), Show::Not, Show::Open)?,
        plot(PlotKind::Flow(FlowBy::Each), diagram, Show::Not)?,
    ];
    let dag = PlotKind::Dag(None, DagFocus::All);
    let dag = [plot(dag, Show::Open, Show::Not)?];
    let sources = [
        builder.unread()?,
        table(TableRequest::Sources(RunGrowth::Ended))?,
    ];
    let mut sections = diagnosis;
    sections.extend([
        work,
        section("runs", "What ran", ran),
        section("over-time", "States and queues over time", over_time),
        section("timeline", "Timeline", timeline),
        section("time", "Where the time went", time),
        section("steps", "Steps", steps),
        section("messages", "Messages", messages),
        section("dependencies", "Dependencies", dag),
        section("sources", "Sources", sources),
    ]);
    sections.retain(|section| !section.blocks.is_empty());
    Some(Document {
        title: match request.run.as_str() {
            "" => "Report of a run".to_owned(),
            run => format!("Report: {run}"),
        },
        head: builder.head()?,
        sections,
    })
}

/// Section of these parts.
fn section<const N: usize>(id: &'static str, title: &str, parts: [Vec<Block>; N]) -> Section {
    Section {
        id,
        title: title.to_owned(),
        blocks: parts.into_iter().flatten().collect(),
    }
}

/// Parts of the document of a report; their methods return `None` if cancelled.
struct Builder<'a> {
    snapshot: &'a Snapshot,
    request: &'a ReportRequest,
    cancel: &'a Cancel,
    run: DocumentRun<'a>,
}

impl Builder<'_> {
    /// Section of unfinished work, and the sections of the diagnosis.
    fn diagnosis(&self) -> Option<(Section, Vec<Section>)> {
        let (snapshot, cancel, request) = (self.snapshot, self.cancel, self.request);
        let (meaning, rows) = (&request.meaning, request.rows.part(snapshot));
        let whole = unfinished_work(snapshot, meaning, request.now, cancel)?;
        let cache = &meaning.instance_cache;
        let work = unfinished_among(snapshot, cache, whole, rows.as_ref(), cancel)?;
        let clocks = (&request.zone, request.now);
        let (diagnosis, elsewhere) = diagnose_run(
            snapshot,
            meaning,
            clocks,
            rows.as_ref(),
            cancel,
            &mut |_| {},
        )?;
        let mut parts = unfinished::sections(self.run, &work, &[]);
        let words = parts.pop().map_or_else(Vec::new, |words| words.blocks);
        let part = |part: Section| match part.title.as_str() {
            // As the title of the section says.
            "unfinished" => part.blocks,
            _ => vec![Block::Entry(Entry {
                rank: None,
                title: capital(&part.title),
                blocks: part.blocks,
            })],
        };
        let parts = parts.into_iter().flat_map(part).collect();
        let work = section("unfinished", "Unfinished work", [words, parts]);
        Some((work, findings::sections(self.run, &diagnosis, elsewhere)))
    }

    /// Lines of the head.
    fn head(&self) -> Option<Vec<(&'static str, String)>> {
        let (snapshot, request) = (self.snapshot, self.request);
        let mut head = Vec::new();
        let times = self.run.times().zip(snapshot.range());
        let times = times.map(|(text, (first, last))| {
            format!("{text} ({})", format_span(last.saturating_sub(first)))
        });
        head.push(("Time", times.unwrap_or_else(|| "unknown".to_owned())));
        let logs = snapshot.sources.iter().filter(|s| s.is_log);
        let records = several(snapshot.len() - snapshot.duplicates.len(), "record");
        let mut systems: Vec<String> = { logs.clone() }.filter_map(|s| s.system.clone()).collect();
        systems.sort();
        systems.dedup();
        let of = several(logs.count(), "log");
        head.push(("Records", format!("{records} of {of}")));
        head.push(("Systems", listed(&systems, VALUES)));
        let mut hosts = Vec::new();
        let mut versions = Vec::new();
        for key in snapshot.catalog.keys.iter() {
            let name = &*key.key.name;
            let out = match last_part(name) {
                "version" => &mut versions,
                "host" | "hostname" => &mut hosts,
                _ => continue,
            };
            let field = Field::Key(name.to_owned());
            let values = value_table(snapshot, &field, None, self.cancel)?.rows;
            let values = values.into_iter().map(|row| match last_part(name) {
                "version" => format!("{name} {}", row.value),
                _ => row.value,
            });
            out.extend(values);
        }
        hosts.sort();
        hosts.dedup();
        head.push(("Hosts", listed(&hosts, VALUES)));
        head.push(("Versions", listed(&versions, VALUES)));
        let steps: Vec<String> = request.steps.iter().map(|s| s.label.clone()).collect();
        head.push(("Selection", steps.join(" › ")));
        let since = SystemTime::now().duration_since(UNIX_EPOCH).ok();
        let now = since.and_then(|since| i64::try_from(since.as_nanos()).ok());
        let now = now.unwrap_or_default();
        let written = format_datetime(now, request.zone.offset_at_utc(now), 0);
        let version = env!("CARGO_PKG_VERSION");
        head.push(("Written", format!("{written} by widetui {version}")));
        head.push(("Command", request.command.clone()));
        head.retain(|(_, value)| !value.is_empty());
        Some(head)
    }

    /// Figure and table of a plot, if the run has data for it.
    fn plot(&self, of: PlotKind, drawn: Show, listed: Show) -> Option<Vec<Block>> {
        let question = TableRequest::Plot(PlotQuestion {
            meaning: self.request.meaning.clone(),
            entity: None,
            steps: self.request.steps.clone(),
            of,
            origin: TimeOrigin::Clock,
        });
        let data = answer(self.snapshot, &self.request.rows, &question, self.cancel)?;
        let table = answers::table(self.snapshot, data);
        let mut out = match &table.figure {
            Some(figure) if drawn != Show::Not && !figure.is_empty() => {
                drawn.blocks(vec![self.image(figure)])
            }
            _ => Vec::new(),
        };
        if listed != Show::Not {
            out.extend(listed.blocks(self.grid(&table)));
        }
        Some(out)
    }

    fn image(&self, figure: &Figure) -> Block {
        let frame = FigureFrame {
            window: window_of(&self.request.steps),
            zone: self.request.zone.clone(),
            run: String::new(),
        };
        Block::Figure(render(figure, &frame, Theme::Page))
    }

    fn table(&self, of: TableRequest) -> Option<Vec<Block>> {
        let data = answer(self.snapshot, &self.request.rows, &of, self.cancel)?;
        Some(self.grid(&answers::table(self.snapshot, data)))
    }

    /// Table as on the screen, without bars, after its title and notes.
    fn grid(&self, table: &Table) -> Vec<Block> {
        let text = |cell: &Cell| match cell {
            Cell::Time(ns) => format_datetime(*ns, self.request.zone.offset_at_utc(*ns), 3),
            cell => cut(&cell.text(), CELL),
        };
        // Steps without a share of the time, and files that are only listed.
        let rows: Vec<&Row> = table.rows.iter().filter(|row| !row.is_faint).collect();
        let is_said = |at: &usize| {
            let mut cells = rows.iter().filter_map(|row| row.cells.get(*at));
            cells.any(|cell| !cell.text().is_empty())
        };
        let columns: Vec<usize> = (0..table.columns.len()).filter(is_said).collect();
        if columns.is_empty() {
            return Vec::new();
        }
        let heading = |at: &usize| {
            let column = &table.columns[*at];
            (column.title.to_string(), column.align)
        };
        let texts = rows.iter().take(ROWS).map(|row| {
            let cells = columns
                .iter()
                .map(|at| row.cells.get(*at).map_or_else(String::new, text));
            cells.collect()
        });
        let said = { table.title.iter() }
            .chain(Some(&table.note))
            .filter(|t| !t.is_empty());
        let said: Vec<String> = said.cloned().collect();
        let mut out = Vec::new();
        if !said.is_empty() {
            out.push(Block::Text(said.join(" · ")));
        }
        out.push(Block::Table(Grid {
            columns: columns.iter().map(heading).collect(),
            rows: texts.collect(),
        }));
        if let Some(more) = rows.len().checked_sub(ROWS).filter(|more| *more > 0) {
            out.push(Block::Text(format!("and {}", several(more, "more row"))));
        }
        out
    }

    /// Parts of sources that could not be read, each with its first line.
    fn unread(&self) -> Option<Vec<Block>> {
        let sources = self.snapshot.sources.iter().map(|source| &**source);
        let mut out = self.run.problems(sources, self.cancel)?;
        let more = out.split_off(out.len().min(UNREAD)).len();
        if more > 0 {
            let sources = several(more, "more source");
            out.push(Block::Text(format!("and {sources} with problems")));
        }
        Some(Show::Folded("Parts that could not be read").blocks(out))
    }
}

//! `widetui events`: events in time order, printed or exported to a file.

use std::io::{BufWriter, Write};

use widetui_core::cancel::Cancel;
use widetui_query::bits::Bits;
use widetui_report::flat::{EventTable, FlatForm};
use widetui_report::origin::Extent;
use widetui_report::records::{self, RecordForm};
use widetui_report::run_columns::columns_of_keys;
use widetui_session::context_lines::{
    ContextScope, ContextSize, neighbours, records_in_source_context,
};
use widetui_session::meaning::WantedKeys;
use widetui_store::Snapshot;

use super::args::{EventsCommand, ExportCommand, ExportFormat, Format, SelectArgs};
use super::columnar::{self, RunRecords};
use super::event_writer::{ContextLines, EventWriter, Form};
use super::follow;
use super::open::load_for;
use super::opened::Opened;
use super::output::{self, Failure, stdout};
use super::run_store;
use super::selection::{selection, wanted_keys};

/// Keys that joins must provide to select the events and to write `keys` of them; all keys of the form if `keys` is empty.
fn wanted(opened: &Opened, select: &SelectArgs, keys: &[String], format: Format) -> WantedKeys {
    match keys.is_empty() && format != Format::Text {
        true => WantedKeys::All,
        false => wanted_keys(opened, select, keys),
    }
}

/// Selection and order of events.
#[derive(Clone, Copy, Debug)]
struct ChosenEvents<'a> {
    /// Selection.
    pub select: &'a SelectArgs,
    /// Maximum number.
    pub limit: Option<usize>,
    /// Reverse time order.
    pub reverse: bool,
}

/// `widetui events`.
pub fn run(c: &EventsCommand) -> Result<(), Failure> {
    let (run, select) = (&c.run, &c.select);
    if columnar::is_binary(run.format) {
        return print_columnar(c);
    }
    let form = Form::of(run.format, c.provenance)?;
    if c.same_source && c.context_size().is_none() {
        return Err(Failure::Message(
            "--same-source requires -A, -B or -C".to_owned(),
        ));
    }
    if c.follow {
        return follow::print(&run.paths, &run.open, select, &c.keys, c.limit, form);
    }
    let wanted = |opened: &Opened| wanted(opened, select, &c.keys, run.format);
    let opened = load_for(&run.paths, &run.open, wanted)?;
    let keys = opened.keys_of_option("--keys", &c.keys)?;
    let chosen = ChosenEvents {
        select,
        limit: c.limit,
        reverse: c.reverse,
    };
    let writer = EventWriter::new(&opened, &keys, form);
    print(
        &opened,
        chosen,
        (c.context_size(), c.context_scope()),
        writer,
    )
}

/// Writes the selected events to standard output in a binary format.
fn print_columnar(c: &EventsCommand) -> Result<(), Failure> {
    let (run, select) = (&c.run, &c.select);
    if c.follow || c.provenance || !c.context_size().is_none() {
        return Err(Failure::Message(
            "Arrow and Parquet take no --follow, no --provenance and no context lines".to_owned(),
        ));
    }
    let wanted = |opened: &Opened| wanted(opened, select, &c.keys, run.format);
    let opened = load_for(&run.paths, &run.open, wanted)?;
    let keys = opened.keys_of_option("--keys", &c.keys)?;
    let chosen = ChosenEvents {
        select,
        limit: c.limit,
        reverse: c.reverse,
    };
    let ids = chosen.ids(&opened)?;
    let mut out = columnar::write_events(&opened, &ids, &keys, run.format, output::Bytes)?;
    out.flush()?;
    match ids.is_empty() {
        true => Err(Failure::Nothing),
        false => Ok(()),
    }
}

/// Writes the selected events to standard output, with their context lines.
fn print(
    opened: &Opened,
    chosen: ChosenEvents<'_>,
    (reach, whose): (ContextSize, ContextScope),
    writer: EventWriter,
) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let ids = chosen.ids(opened)?;
    let (shown, mut writer) = match reach.is_none() {
        true => (None, writer),
        false => {
            let (shown, context) = with_context_lines(snapshot, &ids, &chosen, (reach, whose));
            (Some(shown), writer.with_context(context))
        }
    };
    let mut out = stdout();
    writer.head(&mut out)?;
    writer.events(snapshot, shown.as_ref().unwrap_or(&ids), &mut out)?;
    out.flush()?;
    match ids.is_empty() {
        // No match prints nothing, as in grep.
        true if snapshot.is_empty() => {
            Err(Failure::Absent("these logs have no records".to_owned()))
        }
        true => Err(Failure::Nothing),
        false => Ok(()),
    }
}

/// Events and their context lines in the order of writing.
fn with_context_lines(
    snapshot: &Snapshot,
    ids: &[u32],
    how: &ChosenEvents<'_>,
    (reach, whose): (ContextSize, ContextScope),
) -> (Vec<u32>, ContextLines) {
    let mut chosen = Bits::none(snapshot.len());
    ids.iter().for_each(|id| chosen.set(*id as usize));
    // A duplicate that is left out is no context line.
    let is_there = |id: &u32| !how.select.unique || snapshot.duplicates.original_of(*id).is_none();
    let mut order: Vec<u32> = snapshot.order.iter().copied().filter(is_there).collect();
    if how.reverse {
        order.reverse();
    }
    let cancel = Cancel::default();
    let wanted = match whose {
        ContextScope::All => neighbours(&order, &chosen, reach, &cancel),
        ContextScope::Source => {
            records_in_source_context(snapshot, &order, &chosen, reach, &cancel)
        }
    };
    let wanted = wanted.unwrap_or_else(|| chosen.clone());
    let mut behind_gap = Bits::none(snapshot.len());
    let (mut shown, mut last) = (Vec::new(), None);
    for (place, id) in order.iter().enumerate() {
        if wanted.get(*id as usize) {
            if last.is_some_and(|last| last + 1 < place) {
                behind_gap.set(*id as usize);
            }
            last = Some(place);
            shown.push(*id);
        }
    }
    (
        shown,
        ContextLines {
            matches: chosen,
            after_gap: behind_gap,
        },
    )
}

/// Writes the events to a file in a format, with `--flat` as a table of one type per column.
///
/// # Errors
/// The file cannot be written.
pub fn export(opened: &Opened, c: &ExportCommand, format: ExportFormat) -> Result<(), Failure> {
    let (select, path) = (&c.select, &*c.output);
    let form = ExportForm::of(format, c.flat, select).ok_or(Failure::Nothing)?;
    let all = ChosenEvents {
        select,
        limit: None,
        reverse: false,
    };
    let ids = all.ids(opened)?;
    output::redirect(path)?;
    output::check_sources(&opened.snapshot)?;
    let mut out = BufWriter::new(output::Bytes);
    let cancel = Cancel::default();
    match form {
        ExportForm::Records(form) => {
            records::write(&opened.snapshot, &ids, form, &cancel, &mut out)?;
        }
        ExportForm::Flat(form) => {
            let table = EventTable::new(&opened.snapshot, &ids, &[], &cancel)?;
            form.write_head(&table.columns, &mut out)?;
            table.for_each_rows(&ids, &cancel, |rows| {
                form.write_rows(&table.columns, &rows, &mut out)
            })?;
            columnar::report_left_out(&table);
        }
        ExportForm::Columnar(format) => {
            out = columnar::write_events(opened, &ids, &[], format, out)?;
        }
        ExportForm::Run(extent) => {
            let records = RunRecords {
                name: &run_store::run_name(c.run.as_deref(), &opened.snapshot)?,
                columns: &columns_of_keys(&opened.snapshot),
                ids: &ids,
                extent,
            };
            out = columnar::write_run(opened, &records, out)?;
        }
    }
    out.flush()?;
    match ids.is_empty() {
        true => Err(Failure::Absent(format!(
            "no event matches: {} is empty",
            path.display()
        ))),
        false => Ok(()),
    }
}

/// Format of an exported file.
#[derive(Clone, Copy, Debug)]
enum ExportForm {
    /// Records, which can be read back as the original logs.
    Records(RecordForm),
    /// Flat table as text.
    Flat(FlatForm),
    /// Flat table as Arrow or Parquet.
    Columnar(Format),
    /// Parquet with the columns of every run, which can be read back as the original logs.
    Run(Extent),
}

impl ExportForm {
    /// Form of events in a format; `None` if it is none of events.
    fn of(format: ExportFormat, flat: bool, select: &SelectArgs) -> Option<ExportForm> {
        let extent = match select.is_all() {
            true => Extent::Whole,
            false => Extent::Part,
        };
        Some(match (format, flat) {
            (ExportFormat::Jsonl, true) => ExportForm::Flat(FlatForm::Jsonl),
            (ExportFormat::Csv, true) => ExportForm::Flat(FlatForm::Csv),
            (ExportFormat::Jsonl, false) => ExportForm::Records(RecordForm::Jsonl(extent)),
            (ExportFormat::Csv, false) => ExportForm::Records(RecordForm::Csv),
            (ExportFormat::Parquet, true) => ExportForm::Columnar(Format::Parquet),
            (ExportFormat::Parquet, false) => ExportForm::Run(extent),
            (ExportFormat::Arrow, _) => ExportForm::Columnar(Format::Arrow),
            (ExportFormat::Perfetto, _) => return None,
        })
    }
}

impl ChosenEvents<'_> {
    fn ids(&self, opened: &Opened) -> Result<Vec<u32>, Failure> {
        let snapshot = &*opened.snapshot;
        let mut ids = match selection(opened, self.select)? {
            Some(chosen) => chosen.ordered(snapshot),
            None => snapshot.order.to_vec(),
        };
        if self.reverse {
            ids.reverse();
        }
        ids.truncate(self.limit.unwrap_or(usize::MAX));
        Ok(ids)
    }
}

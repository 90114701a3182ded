//! `widetui events`: events in time order, printed or exported to a file.

use std::io::Write;
use std::path::Path;

use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_query::Expr;
use widetui_query::bits::Bits;
use widetui_report::origin::Extent;
use widetui_report::records::{self, RecordForm};
use widetui_session::context_lines::{
    ContextScope, ContextSize, neighbours, records_in_source_context,
};
use widetui_session::export_files::export as written;
use widetui_session::meaning::WantedKeys;
use widetui_source::codec::Packer;
use widetui_store::Snapshot;

use super::args::{EventsCommand, Format, SelectArgs};
use super::event_writer::{ContextLines, EventWriter, Form};
use super::follow;
use super::naming;
use super::open::load_for;
use super::opened::Opened;
use super::output::{Failure, stdout};
use super::selection::{conditions, selection};

/// Keys that joins must provide to select the events and to write `keys` of them; all keys of the form if `keys` is empty.
pub fn wanted(
    opened: &Opened,
    select: &SelectArgs,
    keys: &[String],
    format: Format,
) -> Result<WantedKeys, Failure> {
    if keys.is_empty() && format != Format::Text {
        return Ok(WantedKeys::All);
    }
    // A key may come from joins alone; an unknown one is reported when it is resolved.
    let named = naming::options(opened, "--keys", keys);
    let (Ok(conditions), Ok(named)) = (conditions(opened, select), named) else {
        return Ok(WantedKeys::All);
    };
    let conditions = conditions.iter().flat_map(Expr::keys).map(str::to_owned);
    Ok(WantedKeys::Keys(conditions.chain(named).collect()))
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
    let form = Form::of(run.format, c.provenance)?;
    if c.same_source && c.reach().is_none() {
        return Err(Failure::Message(
            "--same-source requires -A, -B or -C".to_owned(),
        ));
    }
    if c.follow {
        return follow::print(&run.paths, &run.open, select, &c.keys, c.limit, form);
    }
    let wanted = |opened: &Opened| wanted(opened, select, &c.keys, run.format);
    let opened = load_for(&run.paths, &run.open, wanted)?;
    let keys = naming::options(&opened, "--keys", &c.keys)?;
    let chosen = ChosenEvents {
        select,
        limit: c.limit,
        reverse: c.reverse,
    };
    let writer = EventWriter::new(&opened, &keys, form);
    print(&opened, chosen, (c.reach(), c.neighbourhood()), writer)
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
    let (shown, writer) = match reach.is_none() {
        true => (None, writer),
        false => {
            let (shown, context) = near(snapshot, &ids, &chosen, (reach, whose));
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
fn near(
    snapshot: &Snapshot,
    ids: &[u32],
    how: &ChosenEvents<'_>,
    (reach, whose): (ContextSize, ContextScope),
) -> (Vec<u32>, ContextLines) {
    let mut chosen = Bits::none(snapshot.len());
    ids.iter().for_each(|id| chosen.set(*id as usize));
    // A duplicate that is left out is no context line.
    let is_there = |id: &u32| !how.select.unique || snapshot.copies.of(*id).is_none();
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
    (shown, ContextLines { chosen, behind_gap })
}

/// Writes the events to a file in the format of its extension.
pub fn export(opened: &Opened, select: &SelectArgs, path: &Path) -> Result<(), Failure> {
    let name = path.to_string_lossy().to_lowercase();
    let (stem, codec) = Packer::<written::ExportFile>::of_name(&name);
    let form = match stem.rsplit_once('.').map(|s| s.1) {
        Some("jsonl" | "ndjson") => RecordForm::Jsonl(match select.is_all() {
            true => Extent::Whole,
            false => Extent::Part,
        }),
        Some("csv") => RecordForm::Csv,
        _ => {
            return Err(Failure::Message(format!(
                "{}: unknown format: use the extension .jsonl or .csv (also with .gz or .zst), or .svg for a plot",
                path.display()
            )));
        }
    };
    let all = ChosenEvents {
        select,
        limit: None,
        reverse: false,
    };
    let ids = all.ids(opened)?;
    let file = written::create(path, &opened.snapshot).map_err(Failure::Message)?;
    let mut out = Packer::new(file, codec);
    let events = ids.iter().map(|id| EventId(*id));
    records::write(&opened.snapshot, events, form, &Cancel::default(), &mut out)?;
    written::keep(path, out.finish()?).map_err(Failure::Message)?;
    match ids.is_empty() {
        true => Err(Failure::Absent(format!(
            "no event matches: {} is empty",
            path.display()
        ))),
        false => Ok(()),
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

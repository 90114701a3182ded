//! `widetui events`: events in time order; and events written to a file.

use std::io::Write;
use std::path::Path;

use crate::query::Expr;
use crate::source::codec::Packer;
use crate::workspace::meaning::WantedKeys;
use crate::workspace::written::export as written;

use super::args::{EventsCommand, Format, SelectArgs};
use super::eventwriter::{EventWriter, Form};
use super::follow;
use super::naming;
use super::open::{Opened, asked, load_for, selection};
use super::output::{Failure, stdout};

/// What joins must give to choose the events and to write these keys of them; no keys: all that the form shows.
pub fn wanted(
    opened: &Opened,
    select: &SelectArgs,
    keys: &[String],
    format: Format,
) -> Result<WantedKeys, Failure> {
    if keys.is_empty() && format != Format::Text {
        return Ok(WantedKeys::All);
    }
    // What is asked for may be a key that only joins give; what is wrong with it is told when it is looked for.
    let named = naming::options(opened, "--keys", keys);
    let (Ok(asked), Ok(named)) = (asked(opened, select), named) else {
        return Ok(WantedKeys::All);
    };
    let asked = asked.iter().flat_map(Expr::keys).map(str::to_owned);
    Ok(WantedKeys::Keys(asked.chain(named).collect()))
}

/// Which events, in which order.
#[derive(Clone, Copy, Debug)]
struct ChosenEvents<'a> {
    /// What they are chosen by.
    pub select: &'a SelectArgs,
    /// At most so many.
    pub limit: Option<usize>,
    /// Latest first.
    pub reverse: bool,
}

/// `widetui events`.
pub fn run(c: &EventsCommand) -> Result<(), Failure> {
    let (run, select) = (&c.run, &c.select);
    let form = Form::of(run.format, c.provenance)?;
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
    print(&opened, chosen, &keys, form)
}

/// Writes the events that the arguments ask for to standard output, with these keys; none: with those of the form.
fn print(
    opened: &Opened,
    chosen: ChosenEvents<'_>,
    keys: &[String],
    form: Form,
) -> Result<(), Failure> {
    let ids = chosen.ids(opened)?;
    let mut out = stdout();
    write(
        opened,
        &ids,
        &EventWriter::new(opened, keys, form),
        &mut out,
    )?;
    out.flush()?;
    match ids.is_empty() {
        // What selects nothing gives nothing, as in grep.
        true if opened.snapshot.is_empty() => Err(Failure::Absent(
            "there are no records in these logs".to_owned(),
        )),
        true => Err(Failure::Nothing),
        false => Ok(()),
    }
}

fn write(
    opened: &Opened,
    ids: &[u32],
    writer: &EventWriter,
    out: &mut impl Write,
) -> std::io::Result<()> {
    writer.head(out)?;
    writer.events(&opened.snapshot, ids, out)
}

/// Writes the events into a file whose ending says in which form.
pub fn export(opened: &Opened, select: &SelectArgs, path: &Path) -> Result<(), Failure> {
    let name = path.to_string_lossy().to_lowercase();
    let (stem, codec) = Packer::<written::ExportFile>::of_name(&name);
    let form = match stem.rsplit_once('.').map(|s| s.1) {
        Some("jsonl" | "ndjson") => Form::Jsonl,
        Some("csv") => Form::Csv,
        _ => {
            return Err(Failure::Message(format!(
                "{}: the ending says in which form to write: .jsonl or .csv (also with .gz or .zst), .svg for a plot",
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
    write(opened, &ids, &EventWriter::new(opened, &[], form), &mut out)?;
    written::keep(path, out.finish()?).map_err(Failure::Message)?;
    match ids.is_empty() {
        true => Err(Failure::Absent(format!(
            "no event fits: {} has none",
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

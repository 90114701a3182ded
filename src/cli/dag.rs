//! `widetui dag`: dependencies between the instances of an entity, and the critical path.

use std::io::Write;

use widetui_analysis::Instances;
use widetui_analysis::dag::Dag;
use widetui_core::words::several;
use widetui_session::dependencies::DependencyGraph;
use widetui_session::plots::{DagFocus, PlotData, PlotKind};
use widetui_tables::answers::dag::{TotalLine, step_columns, step_lines, total_columns};
use widetui_time::time::format_span;

use super::args::{DagCommand, Format};
use super::no_result::no_instance;
use super::open;
use super::output::{Failure, safe, write_out};
use super::plotted::PlotAsker;
use super::selection::by;

/// Message without a graph.
const NO_GRAPH: &str =
    "no record of these logs says that a work item, such as a task, waits for another";
/// Steps of the critical path in text output.
const STEPS: usize = 40;

/// `widetui dag`.
pub fn run(c: &DagCommand) -> Result<(), Failure> {
    let opened = &open::load_run(&c.run)?;
    let asker = PlotAsker::new(opened, &c.select)?;
    let all = match c.each {
        true => DagFocus::Each,
        false => DagFocus::All,
    };
    let data = find(&asker, c.of.given(), (c.by.as_deref(), all))?;
    print(&asker, data, c.run.format)
}

/// Graph about an entity, or about an instance and those tied to it, folded by a key.
///
/// # Errors
/// Unknown names, or no instance depends on another one.
pub fn find(
    asker: &PlotAsker<'_>,
    of: Option<&str>,
    (key, all): (Option<&str>, DagFocus),
) -> Result<PlotData, Failure> {
    let (opened, select) = (asker.opened, asker.select);
    let is_instance = |name: &str| {
        name.contains('=') || name.contains(' ') && opened.names().entity(name).is_err()
    };
    let (entity, focus) = match of {
        Some(name) if is_instance(name) => {
            let (entity, wanted) = opened.instance(name)?;
            let found = opened.instances(&entity);
            let ids = found.find_matching(&opened.snapshot, &wanted).into_iter();
            let ids = ids.map(|at| found.id(&opened.snapshot, &found.list[at]));
            (Some(entity), DagFocus::Around(ids.collect()))
        }
        Some(name) => (Some(opened.entity(name)?), all),
        None => (None, all),
    };
    let key = key.map(|name| by(opened, name)).transpose()?;
    let name = entity.as_ref().map(|entity| entity.name.as_str());
    let data = asker.answer(name, PlotKind::Dag(key, focus))?;
    let found = match &data {
        PlotData::Dag(_, graph) if !graph.drawn.nodes.is_empty() => return Ok(data),
        PlotData::Dag(found, _) => Some(Instances::clone(found)),
        _ => entity.as_ref().map(|entity| opened.instances(entity)),
    };
    Err(match found {
        Some(found) if found.list.is_empty() || !Dag::new(&found).is_empty() => {
            no_instance(opened, &found, select, "is in the graph")
        }
        Some(found) if entity.is_some() => Failure::Absent(format!(
            "no record says that one of the {} waits for another",
            safe(&found.entity.plural())
        )),
        _ => Failure::Absent(NO_GRAPH.to_owned()),
    })
}

/// Writes the nodes by level, the steps of the critical path, and its phases.
fn print(asker: &PlotAsker<'_>, data: PlotData, format: Format) -> Result<(), Failure> {
    let opened = asker.opened;
    let nodes = asker.sheet(&data, format);
    let PlotData::Dag(found, graph) = data else {
        return Ok(());
    };
    let DependencyGraph { drawn, path } = *graph;
    let steps = step_lines(&opened.snapshot, &found, &path.steps);
    let all = path.duration();
    let totals = path.totals();
    let totals = opened.sheet(
        &total_columns(),
        totals.iter().map(|total| TotalLine { total, all }),
    );
    let most = if format == Format::Text {
        STEPS
    } else {
        usize::MAX
    };
    let listed = opened.sheet(&step_columns(), steps.iter().take(most));
    if format != Format::Text {
        let mut sheet = nodes;
        sheet.append(listed);
        sheet.append(totals);
        return write_out(|out| sheet.write(out, format));
    }
    write_out(|out| {
        let title = safe(&found.entity.title);
        let (plural, levels) = (several(drawn.instances, &title), drawn.levels as usize);
        let (levels, path) = (several(levels, "level"), several(steps.len(), &title));
        let took = format_span(all);
        writeln!(
            out,
            "{plural}, {levels}; critical path (━): {took} through {path}\n"
        )?;
        nodes.write(out, format)?;
        writeln!(out)?;
        totals.write(out, format)?;
        writeln!(out)?;
        listed.write(out, format)?;
        if let Some(more) = steps.len().checked_sub(STEPS).filter(|more| *more > 0) {
            writeln!(out, "{} more: --format jsonl", several(more, "step"))?;
        }
        Ok::<(), Failure>(())
    })
}

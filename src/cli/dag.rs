//! `widetui dag`: dependencies between the instances of an entity, and the critical path.

use std::io::Write;
use std::sync::Arc;

use widetui_analysis::dag::{Dag, Folding};
use widetui_analysis::{Entity, Instances};
use widetui_core::cancel::Cancel;
use widetui_core::words::several;
use widetui_session::dependencies::{DependencyGraph, DependentInstances};
use widetui_tables::answers::dag::{
    TotalLine, node_columns, node_lines, step_columns, step_lines, total_columns,
};
use widetui_time::time::format_span;

use super::args::{DagCommand, Format, SelectArgs};
use super::no_result::no_instance;
use super::open;
use super::opened::Opened;
use super::output::{Failure, safe, write_out};
use super::selection::{by, scope};

/// Steps of the critical path in text output.
const STEPS: usize = 40;

/// Graph of dependencies, as it is drawn, with its critical path.
pub struct DagAnswer {
    /// Instances.
    pub found: Instances,
    /// Graph with its critical path.
    pub graph: DependencyGraph,
}

/// Subject and grouping of a graph.
pub struct DagQuery<'a> {
    /// Entity, or an instance whose dependencies and dependents are drawn; `None` for the work items of the run.
    pub of: Option<&'a str>,
    /// Key by which nodes are folded.
    pub by: Option<&'a str>,
    /// Folding.
    pub folding: Folding,
    /// Selection of instances.
    pub select: &'a SelectArgs,
}

/// `widetui dag`.
pub fn run(c: &DagCommand) -> Result<(), Failure> {
    let opened = &open::load_run(&c.run)?;
    let query = DagQuery {
        of: c.of.given(),
        by: c.by.as_deref(),
        folding: match c.each {
            true => Folding::Never,
            false => Folding::Large,
        },
        select: &c.select,
    };
    print(opened, &find(opened, &query)?, c.run.format)
}

/// Arranges the graph of a query.
///
/// # Errors
/// Unknown names, or no instance depends on another one.
pub fn find(opened: &Opened, query: &DagQuery<'_>) -> Result<DagAnswer, Failure> {
    let (snapshot, cancel) = (&*opened.snapshot, Cancel::default());
    let scope = scope(opened, query.select)?;
    let is_instance = |name: &&str| {
        name.contains('=') || name.contains(' ') && opened.names().entity(name).is_err()
    };
    let instance = query.of.filter(is_instance);
    let instance = instance.map(|name| opened.instance(name)).transpose()?;
    let (found, dag) = match (&instance, query.of) {
        (Some((entity, _)), _) => graph(opened, entity),
        (None, Some(name)) => graph(opened, &opened.entity(name)?),
        (None, None) => largest(opened)?,
    };
    if found.list.is_empty() {
        return Err(no_instance(opened, &found, query.select, "exists"));
    }
    if dag.is_empty() {
        let plural = safe(&found.entity.plural());
        return Err(Failure::Absent(format!(
            "no record says that one of the {plural} waits for another"
        )));
    }
    let mut kept = scope.contains_instances(snapshot, &found);
    if let Some((_, wanted)) = &instance {
        let around = dag.around(&found.find_matching(snapshot, wanted));
        kept.iter_mut()
            .zip(around)
            .for_each(|(kept, is_near)| *kept &= is_near);
    }
    let by = query.by.map(|name| by(opened, name)).transpose()?;
    let instances = DependentInstances {
        found: &found,
        dag: &dag,
        scope: &kept,
        kept: Some(&kept),
    };
    let grouped = (by.as_ref(), query.folding);
    let graph = DependencyGraph::arrange(snapshot, opened.entities(), instances, grouped, &cancel);
    // A command is never cancelled.
    let graph = graph.unwrap_or_default();
    if graph.drawn.nodes.is_empty() {
        return Err(no_instance(opened, &found, query.select, "is in the graph"));
    }
    Ok(DagAnswer { found, graph })
}

fn graph(opened: &Opened, entity: &Arc<Entity>) -> (Instances, Dag) {
    let found = opened.instances(entity);
    let dag = Dag::new(&found);
    (found, dag)
}

/// Graph of the work items with most dependencies.
fn largest(opened: &Opened) -> Result<(Instances, Dag), Failure> {
    let may_be = opened.entities().iter();
    let may_be = may_be.filter(|e| e.is_work_item() && e.has_dependencies());
    let graphs = may_be.map(|entity| graph(opened, entity));
    let size = |(_, dag): &(Instances, Dag)| dag.dependencies.iter().map(Vec::len).sum::<usize>();
    let graphs = graphs.filter(|(_, dag)| !dag.is_empty());
    graphs.max_by_key(size).ok_or_else(|| {
        Failure::Absent(
            "no record of these logs says that a work item, such as a task, waits for another"
                .to_owned(),
        )
    })
}

/// Writes the nodes by level, the steps of the critical path, and its phases.
fn print(opened: &Opened, answer: &DagAnswer, format: Format) -> Result<(), Failure> {
    let DagAnswer { found, graph } = answer;
    let DependencyGraph { drawn, path } = graph;
    let nodes = opened.sheet(&node_columns(), node_lines(found, graph));
    let steps = step_lines(&opened.snapshot, found, &path.steps);
    let all = path.duration();
    let totals = path.totals();
    let total_lines = || totals.iter().map(|total| TotalLine { total, all });
    if format != Format::Text {
        let mut sheet = nodes;
        sheet.append(opened.sheet(&step_columns(), &steps));
        sheet.append(opened.sheet(&total_columns(), total_lines()));
        return write_out(|out| sheet.write(out, format));
    }
    write_out(|out| {
        let plural = several(drawn.instances, &safe(&found.entity.title));
        let levels = several(drawn.levels as usize, "level");
        writeln!(
            out,
            "{plural}, {levels}; critical path (━): {} through {}\n",
            format_span(all),
            several(path.steps.len(), &safe(&found.entity.title))
        )?;
        nodes.write(out, Format::Text)?;
        writeln!(out)?;
        opened
            .sheet(&total_columns(), total_lines())
            .write(out, Format::Text)?;
        writeln!(out)?;
        let steps = steps.iter().take(STEPS);
        opened
            .sheet(&step_columns(), steps)
            .write(out, Format::Text)?;
        if let Some(more) = path.steps.len().checked_sub(STEPS).filter(|more| *more > 0) {
            writeln!(out, "{} more: --format jsonl", several(more, "step"))?;
        }
        Ok::<(), Failure>(())
    })
}

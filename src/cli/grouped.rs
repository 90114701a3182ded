//! Groups of rows over time, and curves of groups below each other.

use widetui_analysis::columns::EventProperty;
use widetui_analysis::run_table::{RunLabels, run_labels};
use widetui_analysis::series::{BinAggregate, Series, SeriesKind, SeriesLine};
use widetui_core::cancel::Cancel;
use widetui_tables::answers::counts::{CountSeries, RowGroups};
use widetui_tables::answers::series::SeriesBins;

use super::args::GroupArgs;
use super::curves::{CURVE, Curves, print_curves};
use super::opened::Opened;
use super::output::{Failure, count, warn};
use super::selection::by;

/// Groups of rows, by a key or by run.
pub struct Groups {
    /// Property by which rows are grouped.
    pub by: Option<EventProperty>,
    /// Runs, if times count from their starts.
    runs: Option<RunLabels>,
}

impl Groups {
    /// Groups of the arguments.
    ///
    /// # Errors
    /// No event has the key, or `--from-start` beside another key than the run.
    pub fn new(opened: &Opened, args: &GroupArgs) -> Result<Groups, Failure> {
        match args.from_start {
            true => Groups::from_start(opened, args.by.as_slice()),
            false => Ok(Groups {
                by: args
                    .by
                    .as_deref()
                    .map(|name| by(opened, name))
                    .transpose()?,
                runs: None,
            }),
        }
    }

    /// Runs from their starts.
    ///
    /// # Errors
    /// A key other than the run is given.
    pub fn from_start(opened: &Opened, by: &[String]) -> Result<Groups, Failure> {
        if let Some(other) = by.iter().find(|name| *name != "run") {
            return Err(Failure::Message(format!(
                "--from-start lays runs over one another: use --by run, not --by {other}"
            )));
        }
        let runs = run_labels(&opened.snapshot, opened.entities(), &Cancel::default());
        // A command is never cancelled.
        let runs = runs.unwrap_or_default();
        Ok(Groups {
            by: Some(EventProperty::Assigned(runs.labels.clone())),
            runs: Some(runs),
        })
    }

    /// Grouping of the rows.
    pub fn rows(&self) -> RowGroups {
        match (&self.by, &self.runs) {
            (_, Some(_)) => RowGroups::FromStart,
            (Some(_), None) => RowGroups::ByKey,
            (None, None) => RowGroups::None,
        }
    }

    /// Start of the run of a group, UTC ns, if times count from there.
    pub fn start_of(&self, group: &str) -> Option<i64> {
        self.runs.as_ref()?.start_of(group)
    }

    /// Sets the starts of runs, if times count from there; series of no run are left out, with a warning.
    pub fn with_starts<'a>(&self, mut series: Vec<CountSeries<'a>>) -> Vec<CountSeries<'a>> {
        if self.runs.is_some() {
            for of in &mut series {
                of.start = self.start_of(of.group);
            }
            let all = series.len();
            series.retain(|of| of.start.is_some());
            warn_without_run(all - series.len());
        }
        series
    }

    /// The lines with times since the starts of their runs, if times count from there; lines of no run are left out, with
    /// a warning.
    pub fn line_starts(&self, mut found: Series) -> Series {
        if self.runs.is_some() {
            let all = found.lines.len();
            let start = |line: &SeriesLine| self.start_of(line.group.first()?);
            let lines = found.lines.into_iter();
            let lines = lines.filter_map(|line| Some((start(&line)?, line)));
            found.lines = lines.map(|(start, line)| line.from_start(start)).collect();
            warn_without_run(all - found.lines.len());
        }
        found
    }
}

fn warn_without_run(lines: usize) {
    if lines > 0 {
        let n = count(lines as u64);
        warn(format_args!("{n} groups belong to no run"));
    }
}

/// Prints the numbers of instances of each group as curves below each other, on one scale and one axis.
pub fn print_counts(
    opened: &Opened,
    heading: &str,
    series: &[CountSeries<'_>],
    end: Option<i64>,
) -> Result<(), Failure> {
    let line = |of: &CountSeries<'_>| {
        let group = match of.group {
            "" => "(none)",
            group => group,
        };
        let names = [group, of.state]
            .into_iter()
            .filter(|name| !name.is_empty());
        let line = SeriesLine::from_steps(names.map(str::to_owned).collect(), of.steps);
        match of.start {
            Some(start) => line.from_start(start),
            None => line,
        }
    };
    let lines = series.iter().filter(|of| !of.steps.points.is_empty());
    let found = Series {
        lines: lines.map(line).collect(),
        ..Series::default()
    };
    let Some(range) = found.range() else {
        return Ok(());
    };
    let is_from_start = series.iter().any(|of| of.start.is_some());
    let range = match is_from_start {
        true => (0, range.1),
        false => (range.0, end.unwrap_or(range.1).max(range.1)),
    };
    let bins = SeriesBins {
        range,
        kind: SeriesKind::Gauge,
        columns: CURVE,
        aggregate: BinAggregate::Max,
    };
    print_curves(
        opened,
        &Curves {
            found: &found,
            heading: heading.to_owned(),
            bins,
        },
    )
}

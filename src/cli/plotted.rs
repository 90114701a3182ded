//! Answers of the plots of the explorer as output of commands: numbers, and in text a picture below them.

use std::io::Write;
use std::sync::Arc;

use widetui_analysis::Entity;
use widetui_analysis::scope::AnalysisScope;
use widetui_analysis::series::BinAggregate;
use widetui_core::cancel::Cancel;
use widetui_report::figure::{Figure, TimeOrigin};
use widetui_report::svg::FigureFrame;
use widetui_session::plots::{self, PlotData, PlotKind, PlotQuestion};
use widetui_session::selection::SelectionStep;
use widetui_tables::answers;
use widetui_tui::plots::text::{TextFrame, lines};

use super::args::{Format, GroupArgs, SelectArgs};
use super::colour::{TextRole, paint};
use super::no_result::no_instance;
use super::opened::Opened;
use super::output::{Failure, count, safe, warn, write_out};
use super::selection::{by, conditions, scope};
use super::sheet::PrintedSheet;

/// Width of curves in text, columns.
pub const COLUMNS: u16 = 60;

/// Asker of questions about plots.
pub struct PlotAsker<'a> {
    /// Run.
    pub opened: &'a Opened,
    /// Selection.
    pub select: &'a SelectArgs,
    /// Selected instances and records.
    pub scope: AnalysisScope,
    /// Key of the groups.
    pub by: Option<String>,
    /// Origin of the times.
    pub origin: TimeOrigin,
}

impl<'a> PlotAsker<'a> {
    /// Asker about a selection.
    ///
    /// # Errors
    /// The selection has a mistake.
    pub fn new(opened: &'a Opened, select: &'a SelectArgs) -> Result<PlotAsker<'a>, Failure> {
        Ok(PlotAsker {
            opened,
            select,
            scope: scope(opened, select)?,
            by: None,
            origin: TimeOrigin::Clock,
        })
    }

    /// Sets the groups and the origin of times.
    ///
    /// # Errors
    /// No record has the key, or times count from the starts of runs and the key is another one.
    pub fn grouped(self, args: &GroupArgs) -> Result<PlotAsker<'a>, Failure> {
        let by = self.group_key(args)?;
        let origin = match args.from_start {
            true => TimeOrigin::RunStart { left_out: 0 },
            false => TimeOrigin::Clock,
        };
        Ok(PlotAsker { by, origin, ..self })
    }

    /// Full name of the key of groups.
    ///
    /// # Errors
    /// As of [`PlotAsker::grouped`].
    pub fn group_key(&self, args: &GroupArgs) -> Result<Option<String>, Failure> {
        match (args.from_start, args.by.as_deref()) {
            (true, Some(other)) if other != "run" => Err(Failure::Message(format!(
                "--from-start lays runs over one another: use --by run, not --by {other}"
            ))),
            (true, _) => Ok(Some("run".to_owned())),
            (false, name) => name.map(|name| by(self.opened, name)).transpose(),
        }
    }

    /// Question about an entity.
    ///
    /// # Errors
    /// The selection has a mistake.
    pub fn question(&self, entity: Option<&str>, of: PlotKind) -> Result<PlotQuestion, Failure> {
        let conditions = conditions(self.opened, self.select)?.into_iter();
        Ok(PlotQuestion {
            meaning: self.opened.meaning.clone(),
            entity: entity.map(str::to_owned),
            steps: conditions
                .map(|expr| SelectionStep::new("", expr))
                .collect(),
            of,
            origin: self.origin,
        })
    }

    /// Answer to a question about an entity.
    ///
    /// # Errors
    /// The selection has a mistake.
    pub fn answer(&self, entity: Option<&str>, of: PlotKind) -> Result<PlotData, Failure> {
        let (question, cancel) = (self.question(entity, of)?, Cancel::default());
        let data = plots::answer_in(&self.opened.snapshot, &self.scope, &question, &cancel);
        // A command is never cancelled.
        Ok(data.unwrap_or(PlotData::Empty))
    }

    /// Setting of figures about a run with a name.
    pub fn frame(&self, run: String) -> FigureFrame {
        FigureFrame {
            window: self.scope.window,
            zone: self.opened.zone.clone(),
            run,
        }
    }

    /// Numbers of an answer as text or with the columns of JSON lines and CSV.
    pub fn sheet(&self, data: &PlotData, format: Format) -> PrintedSheet {
        let moment = |time| self.opened.moment(time);
        let snapshot = &self.opened.snapshot;
        PrintedSheet::from(match format {
            Format::Text => answers::summary_sheet(snapshot, data, moment),
            _ => answers::sheet(snapshot, data, moment),
        })
    }

    /// Writes an answer: its numbers, and in text its picture.
    ///
    /// # Errors
    /// The failure `none` without numbers; the output is closed.
    pub fn print(
        &self,
        data: PlotData,
        format: Format,
        none: impl FnOnce() -> Failure,
    ) -> Result<(), Failure> {
        let sheet = self.sheet(&data, format);
        let figure = self.figure(data);
        sheet.print(format, none)?;
        match figure.filter(|_| format == Format::Text) {
            Some(figure) => self.draw(&figure, (COLUMNS, BinAggregate::Max)),
            None => Ok(()),
        }
    }

    /// Figure of an answer, after a warning about groups that are left out; `None` without data to draw.
    pub fn figure(&self, data: PlotData) -> Option<Figure> {
        let figure = answers::figure(&self.opened.snapshot, data)?;
        if let TimeOrigin::RunStart {
            left_out: more @ 1..,
        } = figure.origin
        {
            let n = count(more as u64);
            warn(format_args!("{n} groups belong to no run"));
        }
        Some(figure)
    }

    /// Writes an answer about an entity. Without numbers, none of its selected instances has what is `lacking`: `has a start`.
    ///
    /// # Errors
    /// There are no numbers; the output is closed.
    pub fn print_about(
        &self,
        entity: &Arc<Entity>,
        data: PlotData,
        format: Format,
        lacking: &str,
    ) -> Result<(), Failure> {
        self.print(data, format, || self.no_instance(entity, lacking))
    }

    /// Failure without an instance of an entity that has what is `lacking`.
    pub fn no_instance(&self, entity: &Arc<Entity>, lacking: &str) -> Failure {
        let found = self.opened.instances(entity);
        no_instance(self.opened, &found, self.select, lacking)
    }

    /// Draws a figure in text, with curves of a width in columns.
    ///
    /// # Errors
    /// The output is closed.
    pub fn draw(
        &self,
        figure: &Figure,
        (columns, aggregate): (u16, BinAggregate),
    ) -> Result<(), Failure> {
        let setting = TextFrame {
            frame: &self.frame(String::new()),
            columns,
            aggregate,
        };
        let drawn = lines(figure, &setting);
        write_out(|out| {
            if !drawn.is_empty() {
                let title = safe(&figure.title);
                writeln!(out, "\n{}", paint(TextRole::Heading, &title))?;
            }
            { drawn.iter() }.try_for_each(|line| writeln!(out, "{line}"))?;
            match figure.note.as_str() {
                "" => Ok::<(), Failure>(()),
                note => Ok(writeln!(out, "{}", safe(note))?),
            }
        })
    }
}

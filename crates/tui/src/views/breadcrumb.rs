//! First line: breadcrumb with the steps of the selection and their counts; on the right the state
//! of the run.

use crate::views::Scene;
use ratatui::buffer::Buffer;
use ratatui::style::Style;
use widetui_app::rect::Rect;

use crate::canvas::put;
use widetui_app::command::Command;
use widetui_app::hit::{HitMap, Target};
use widetui_app::loading::Loading;
use widetui_app::model::Pane;
use widetui_app::run_status;
use widetui_core::diag::Severity;
use widetui_tables::role::Role;
use widetui_tables::text::{cut_start, grouped, size, width};
use widetui_time::time::format_span;

use widetui_app::times;

/// Width of the gap between breadcrumb and state of the run.
const MIN_GAP: u16 = 3;

pub(super) fn draw(model: &Scene<'_>, area: Rect, buf: &mut Buffer, hits: &mut HitMap) {
    if area.is_empty() {
        return;
    }
    let theme = model.theme;
    let mut steps = pieces(model, area.width);
    let core = steps.iter().map(Piece::min_columns);
    let core = u16::try_from(core.sum::<usize>() + 1).unwrap_or(u16::MAX);
    let last = steps[last_step(&steps)..].iter().map(Piece::min_columns);
    let last = u16::try_from(last.sum::<usize>() + 1).unwrap_or(u16::MAX);
    // The steps have priority over the state of the run, which keeps a share of the line, unless the last step needs it.
    let beside = |steps: u16| area.width.saturating_sub(steps.saturating_add(MIN_GAP));
    let most = if last < area.width {
        beside(last)
    } else {
        area.width
    };
    let room = beside(core).max(most.min(area.width / 4));
    let told = status_within(model, room, most);
    let mut x = area.right() - columns_of(&told).min(area.width);
    let end = x.saturating_sub(MIN_GAP);
    for piece in &told {
        let from = x;
        let room = area.right() - x;
        x = put(buf, x, area.y, room, &piece.text, theme.style(piece.role));
        if let Some(command) = piece.leads_to {
            hits.add(Rect::new(from, area.y, x - from, 1), Target::Hint(command));
        }
    }
    draw_steps(
        &mut steps,
        Rect::new(area.x, area.y, end.saturating_sub(area.x), 1),
        theme.style(Role::Faint),
        buf,
        hits,
    );
}

/// Draws the steps that fit.
fn draw_steps(
    steps: &mut Vec<Piece>,
    area: Rect,
    faint: Style,
    buf: &mut Buffer,
    hits: &mut HitMap,
) {
    let all = |steps: &[Piece]| steps.iter().map(Piece::columns).sum::<usize>() + 1;
    let mut x = area.x + 1;
    // Secondary text is shortened, then dropped, before any step.
    if all(steps) > usize::from(area.width) {
        steps.iter_mut().for_each(Piece::shorten);
    }
    if all(steps) > usize::from(area.width) {
        steps.retain(|p| p.short.is_none());
    }
    let total = u16::try_from(all(steps)).unwrap_or(u16::MAX);
    // If not all steps fit, the first ones are left out.
    let mut skip = 0;
    let mut over = i32::from(total) - i32::from(area.width);
    while over > 0 && skip + 1 < last_step(steps) {
        over -= steps[skip + 1].columns() as i32;
        skip += 1;
    }
    // The title of the run is cut last, as a cut count would be misread.
    if over > 0 {
        let left = width(&steps[0].text).saturating_sub(over as usize);
        steps[0].text = cut_start(&steps[0].text, left);
    }
    for (i, piece) in steps.iter().enumerate() {
        if i > 0 && i <= skip {
            continue;
        }
        if piece.begins_step && i > 0 {
            let mark = if skip > 0 && i == skip + 1 {
                " … "
            } else {
                " › "
            };
            x = put(buf, x, area.y, area.right().saturating_sub(x), mark, faint);
        } else if i > 0 {
            x += 1;
        }
        let is_count = i > 0 && !piece.is_label;
        if is_count && width(&piece.text) > usize::from(area.right().saturating_sub(x)) {
            break;
        }
        let from = x;
        let room = area.right().saturating_sub(x);
        x = put(buf, x, area.y, room, &piece.text, piece.style);
        if let Some(step) = piece.step {
            hits.add(Rect::new(from, area.y, x - from, 1), Target::Step(step));
        }
    }
}

/// Index of the label of the last step.
fn last_step(steps: &[Piece]) -> usize {
    steps.iter().rposition(|piece| piece.is_label).unwrap_or(0)
}

struct Piece {
    text: String,
    style: Style,
    begins_step: bool,
    step: Option<usize>,
    /// Whether the text is the label of a step, not its count.
    is_label: bool,
    /// Short form of a secondary text; `None` for others.
    short: Option<String>,
}

impl Piece {
    /// Width including the gap before it.
    fn columns(&self) -> usize {
        width(&self.text) + self.gap()
    }

    /// Width of the short form including the gap before it.
    fn min_columns(&self) -> usize {
        width(self.short.as_ref().unwrap_or(&self.text)) + self.gap()
    }

    fn shorten(&mut self) {
        if let Some(short) = &self.short {
            self.text.clone_from(short);
        }
    }

    fn gap(&self) -> usize {
        if self.begins_step { 3 } else { 1 }
    }
}

/// Title of the run; its last folders if the whole path is too long.
fn title(model: &Scene<'_>, columns: u16) -> String {
    let room = usize::from(columns / 4);
    if width(&model.title) <= room {
        return model.title.clone();
    }
    let slashes = model.title.trim_end_matches('/').rmatch_indices('/');
    let last_two = slashes
        .take(2)
        .last()
        .map_or(&model.title[..], |(at, _)| &model.title[at + 1..]);
    cut_start(last_two, room.max(12))
}

fn pieces(model: &Scene<'_>, columns: u16) -> Vec<Piece> {
    let theme = model.theme;
    let steps = model.selection.steps();
    let mut out = vec![Piece {
        text: title(model, columns),
        style: theme.style(Role::Strong),
        begins_step: true,
        step: None,
        is_label: false,
        short: None,
    }];
    let mut add = |text: String, role: Role, begins_step: bool, step: usize| {
        out.push(Piece {
            text,
            style: theme.style(role),
            begins_step,
            step: Some(step),
            is_label: begins_step,
            short: None,
        });
    };
    let at = model.events.breadcrumb_step.min(steps.len());
    let focused = (model.pane == Pane::Breadcrumb).then_some(at);
    let role = |last: bool| if last { Role::StepNow } else { Role::Step };
    add("all".to_owned(), role(steps.is_empty()), true, 0);
    let snapshot = &model.snapshot;
    let all = snapshot.len() - snapshot.duplicates.len();
    add(grouped(all as u64), Role::Count, false, 0);
    for (i, step) in steps.iter().enumerate() {
        add(step.label.clone(), role(i + 1 == steps.len()), true, i + 1);
        let early = model.events.is_partial && i + 1 == steps.len();
        let more = if early { "…" } else { "" };
        let count = model.counts.get(i).map_or("…".to_owned(), |n| {
            format!("{}{more}", grouped(*n as u64))
        });
        add(count, Role::Count, false, i + 1);
    }
    let folded = model.rows.hidden_duplicates(snapshot);
    if folded > 0 {
        let word = if folded == 1 {
            "duplicate"
        } else {
            "duplicates"
        };
        let number = grouped(folded as u64);
        let text = format!("({number} {word} left out)");
        add(text, Role::Muted, false, steps.len());
        if let Some(piece) = out.last_mut() {
            piece.short = Some(format!("({number} dup.)"));
        }
    }
    for piece in &mut out {
        if focused.is_some() && piece.step == focused && piece.is_label {
            piece.style = piece.style.patch(theme.style(Role::Cursor));
            piece.text = format!("▸{}", piece.text);
        }
    }
    out
}

/// Part of the state of the run.
struct StatusPart {
    text: String,
    role: Role,
    /// Command of a mouse click.
    leads_to: Option<Command>,
}

impl StatusPart {
    fn plain(text: impl Into<String>, role: Role) -> StatusPart {
        StatusPart {
            text: text.into(),
            role,
            leads_to: None,
        }
    }

    fn link(text: String, role: Role, command: Command) -> StatusPart {
        StatusPart {
            text,
            role,
            leads_to: Some(command),
        }
    }

    fn dot() -> StatusPart {
        StatusPart::plain(" · ", Role::Faint)
    }
}

fn columns_of(told: &[StatusPart]) -> u16 {
    told.iter().map(|piece| width(&piece.text)).sum::<usize>() as u16
}

/// State of the run: the most detailed form that fits in `room`, or the start of the shortest one that fits in `most`.
fn status_within(model: &Scene<'_>, room: u16, most: u16) -> Vec<StatusPart> {
    let mut asked = room;
    let mut told = run_status(model, asked);
    while columns_of(&told) > room && asked > 0 {
        asked = asked.saturating_sub(8);
        told = run_status(model, asked);
    }
    // The time range gives way to the rest of the state, and all of it to the last step.
    if columns_of(&told) > most {
        let links = told.into_iter().filter(|part| part.leads_to.is_some());
        let parts = links.flat_map(|part| [part, StatusPart::plain(" ", Role::Muted)]);
        told = parts.collect();
    }
    while columns_of(&told) > most && told.pop().is_some() {}
    told
}

/// Parts of the state of the run for a given room.
fn run_status(model: &Scene<'_>, room: u16) -> Vec<StatusPart> {
    let troubles = unfinished_and_failed(model);
    let clocks = clock_difference(model);
    let taken: usize = troubles.iter().map(|piece| piece.text.len()).sum();
    let taken = taken + clocks.as_ref().map_or(0, |piece| width(&piece.text));
    let room = room.saturating_sub(taken as u16);
    let mut out = Vec::new();
    match &model.load_state.loading {
        Loading::Failed(_) => out.push(StatusPart::plain("could not be read", Role::Alert)),
        Loading::Running {
            done,
            total,
            files,
            phase,
        } => {
            let share = match total {
                0 => String::new(),
                total => format!(" {} %", (done * 100 / total).min(100)),
            };
            out.push(StatusPart::plain(format!("{phase}{share}"), Role::Count));
            if room >= 50 && *total > 0 {
                let files = grouped(*files as u64);
                let text = format!("{} of {} in {files} files", size(*done), size(*total));
                out.extend([StatusPart::dot(), StatusPart::plain(text, Role::Muted)]);
            }
        }
        Loading::Done => push_loaded_status(model, room, &mut out),
    }
    // Unfinished and failed work has priority over everything else here.
    for trouble in troubles {
        out.extend([StatusPart::dot(), trouble]);
    }
    let sources = model.snapshot.sources.iter();
    let problems = sources.flat_map(|s| s.problems.iter());
    match problems.filter(|p| p.severity >= Severity::Warning).count() {
        0 => {}
        problems => {
            let word = if problems == 1 { "problem" } else { "problems" };
            let text = match room >= 30 {
                true => format!("  ⚠ {} {word}", grouped(problems as u64)),
                false => format!("  ⚠ {problems}"),
            };
            out.push(StatusPart::link(text, Role::Warning, Command::ViewSources));
        }
    }
    out.extend(clocks);
    out.push(StatusPart::plain(" ", Role::Muted));
    out
}

/// Appends the state of a loaded run: follow mode, time range and number of sources.
fn push_loaded_status(model: &Scene<'_>, room: u16, out: &mut Vec<StatusPart>) {
    let columns =
        |part: &Option<(String, Role)>| part.as_ref().map_or(0, |t| width(&t.0) as u16 + 3);
    let state = run_status::follow_words(model);
    let room = room.saturating_sub(columns(&state));
    let liveness = run_status::liveness_words(model, room);
    let room = room.saturating_sub(columns(&liveness));
    let link = |(text, role)| StatusPart::link(text, role, Command::Follow);
    let plain = |(text, role)| StatusPart::plain(text, role);
    for part in [state.map(link), liveness.map(plain)].into_iter().flatten() {
        if !out.is_empty() {
            out.push(StatusPart::dot());
        }
        out.push(part);
    }
    if let Some((from, to)) = model.snapshot.range() {
        if !out.is_empty() {
            out.push(StatusPart::dot());
        }
        let text = times::range(model, from, to, room.saturating_sub(16));
        out.push(StatusPart::plain(text, Role::Muted));
    }
    if room >= 30 {
        let logs = model.snapshot.sources.iter().filter(|s| s.is_log).count();
        if !out.is_empty() {
            out.push(StatusPart::dot());
        }
        let plural = if logs == 1 { "" } else { "s" };
        let text = format!("{} source{plural}", grouped(logs as u64));
        out.push(StatusPart::link(text, Role::Muted, Command::ViewSources));
    }
}

/// Numbers of unfinished and failed work items, once loading is complete.
fn unfinished_and_failed(model: &Scene<'_>) -> Vec<StatusPart> {
    if model.load_state.loading != Loading::Done {
        return Vec::new();
    }
    let counted = |n: Option<usize>, word: &str, role: Role, command: Command| {
        let n = n.filter(|n| *n > 0)?;
        let text = format!("{} {word}", grouped(n as u64));
        Some(StatusPart::link(text, role, command))
    };
    let (stuck, at_work) = model.instances.unfinished_roots().unzip();
    let stuck = counted(stuck, "stuck", Role::Warning, Command::ViewHung);
    // While a run goes on, unfinished work may still end.
    let at_work = counted(at_work, "unfinished", Role::Muted, Command::ViewHung);
    let (failed, again) = model.instances.failed_and_again().unzip();
    let again = counted(again, "open again", Role::Warning, Command::ViewHung);
    let failed = counted(failed, "failed", Role::ErrorText, Command::ViewDiagnose);
    let all = [stuck, at_work, again, failed];
    all.into_iter().flatten().collect()
}

/// Difference between the clocks of the run's sources, if there is one; the page of unfinished work
/// suggests a remedy.
fn clock_difference(model: &Scene<'_>) -> Option<StatusPart> {
    let lack = model
        .clocks
        .iter()
        .map(|apart| apart.correction.abs())
        .max()?;
    let text = format!("  ⚠ clocks {} apart", format_span(lack));
    Some(StatusPart::link(text, Role::Warning, Command::ViewHung))
}

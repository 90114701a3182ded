//! The line on top: what is selected, step by step with counts; to the right the run itself.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::base::diag::Severity;
use crate::base::time::format_span;
use crate::ui::action::Action;
use crate::ui::arriving::Loading;
use crate::ui::hit::{HitMap, Target};
use crate::ui::model::{Model, Pane};
use crate::ui::text::{cut_start, grouped, put, size, width};
use crate::ui::theme::Role;

use super::times;

/// What did not end, what ended badly, and what could not be read well, in the line's words.
const STUCK: &str = " stuck";
const UNFINISHED: &str = " unfinished";
const FAILED: &str = " failed";
const UNREAD: &str = "⚠";
const CLOCKS: &str = "⚠ clocks";
const SOURCE: &str = " source";

/// Columns between the two halves.
const GAP: u16 = 3;

pub(super) fn draw(model: &Model, area: Rect, buf: &mut Buffer, hits: &mut HitMap) {
    if area.is_empty() {
        return;
    }
    let theme = &model.screen.theme;
    let mut steps = pieces(model, area.width);
    let all = |steps: &[Piece]| steps.iter().map(Piece::columns).sum::<usize>() + 1;
    let core = steps.iter().filter(|p| !p.is_aside).map(Piece::columns);
    let core = u16::try_from(core.sum::<usize>() + 1).unwrap_or(u16::MAX);
    // The steps are what the user did: the run gives way to them, down to a share of the line.
    let room = area
        .width
        .saturating_sub(core.min(area.width) + GAP)
        .max(area.width / 4);
    let columns =
        |right: &[(String, Role)]| right.iter().map(|(t, _)| width(t)).sum::<usize>() as u16;
    // What is told of the run comes in steps: the longest that fits.
    let mut asked = room;
    let mut told = right(model, asked);
    while columns(&told) > room && asked > 0 {
        asked = asked.saturating_sub(8);
        told = right(model, asked);
    }
    let right = told;
    let right_width = columns(&right).min(area.width);
    let mut x = area.right() - right_width;
    let end = x.saturating_sub(GAP);
    for (text, role) in &right {
        let from = x;
        x = put(buf, x, area.y, area.right() - x, text, theme.style(*role));
        let leads_to = match role {
            Role::Warning if text.ends_with(STUCK) || text.ends_with(UNFINISHED) => {
                Action::ViewHung
            }
            // Its words say what would help.
            Role::Warning if text.contains(CLOCKS) => Action::ViewHung,
            Role::Warning if text.contains(UNREAD) => Action::ViewSources,
            Role::ErrorText => Action::ViewDiagnose,
            Role::Muted if text.contains(SOURCE) => Action::ViewSources,
            _ => continue,
        };
        hits.add(Rect::new(from, area.y, x - from, 1), Target::Hint(leads_to));
    }
    let mut x = area.x + 1;
    // What is only told beside the steps gives way before anything of them does.
    if all(&steps) > usize::from(end.saturating_sub(area.x)) {
        steps.retain(|p| !p.is_aside);
    }
    let total = u16::try_from(all(&steps)).unwrap_or(u16::MAX);
    // Where there is no room for all steps, the first ones are left out.
    let mut skip = 0;
    let mut over = i32::from(total) - i32::from(end.saturating_sub(area.x));
    while over > 0 && skip + 2 < steps.len() {
        over -= steps[skip + 1].columns() as i32;
        skip += 1;
    }
    // Then the name of the run: a count that is cut would be another one.
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
            x = put(
                buf,
                x,
                area.y,
                end.saturating_sub(x),
                mark,
                theme.style(Role::Faint),
            );
        } else if i > 0 {
            x += 1;
        }
        let is_count = i > 0 && !piece.is_label;
        if is_count && width(&piece.text) > usize::from(end.saturating_sub(x)) {
            break;
        }
        let from = x;
        x = put(
            buf,
            x,
            area.y,
            end.saturating_sub(x),
            &piece.text,
            piece.style,
        );
        if let Some(step) = piece.step {
            hits.add(Rect::new(from, area.y, x - from, 1), Target::Step(step));
        }
    }
}

struct Piece {
    text: String,
    style: Style,
    begins_step: bool,
    step: Option<usize>,
    /// Whether it is what a step is called, not how much it leaves.
    is_label: bool,
    /// Whether it is only told beside them.
    is_aside: bool,
}

impl Piece {
    /// Columns with the gap before it.
    fn columns(&self) -> usize {
        width(&self.text) + self.gap()
    }

    fn gap(&self) -> usize {
        if self.begins_step { 3 } else { 1 }
    }
}

/// The name of the run: its last folders where all of it is too long.
fn title(model: &Model, columns: u16) -> String {
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

fn pieces(model: &Model, columns: u16) -> Vec<Piece> {
    let theme = &model.screen.theme;
    let steps = model.selection.steps();
    let mut out = vec![Piece {
        text: title(model, columns),
        style: theme.style(Role::Strong),
        begins_step: true,
        step: None,
        is_label: false,
        is_aside: false,
    }];
    let mut add = |text: String, role: Role, begins_step: bool, step: usize| {
        out.push(Piece {
            text,
            style: theme.style(role),
            begins_step,
            step: Some(step),
            is_label: begins_step,
            is_aside: role == Role::Muted,
        });
    };
    let at = model.events.trail.min(steps.len());
    let focused = (model.pane == Pane::Trail).then_some(at);
    let role = |last: bool| if last { Role::StepNow } else { Role::Step };
    add("all".to_owned(), role(steps.is_empty()), true, 0);
    let snapshot = &model.snapshot;
    let all = snapshot.len() - snapshot.copies.len();
    add(grouped(all as u64), Role::Count, false, 0);
    for (i, step) in steps.iter().enumerate() {
        add(step.label.clone(), role(i + 1 == steps.len()), true, i + 1);
        let early = model.events.is_early && i + 1 == steps.len();
        let more = if early { "…" } else { "" };
        let count = model.counts.get(i).map_or("…".to_owned(), |n| {
            format!("{}{more}", grouped(*n as u64))
        });
        add(count, Role::Count, false, i + 1);
    }
    let folded = model.rows.folded(snapshot);
    if folded > 0 {
        let word = if folded == 1 { "copy" } else { "copies" };
        let text = format!("({} {word} folded)", grouped(folded as u64));
        add(text, Role::Muted, false, steps.len());
    }
    for piece in &mut out {
        if focused.is_some() && piece.step == focused && piece.is_label {
            piece.style = piece.style.patch(theme.style(Role::Cursor));
            piece.text = format!("▸{}", piece.text);
        }
    }
    out
}

fn right(model: &Model, room: u16) -> Vec<(String, Role)> {
    let mut out = Vec::new();
    // That something is stuck or failed is worth more than anything else here.
    let is_read = model.arriving.loading == Loading::Done;
    let told = |n: Option<usize>, what: &str| match n {
        Some(n) if n > 0 && is_read => format!("{}{what}", grouped(n as u64)),
        _ => String::new(),
    };
    // Of a run that goes on nobody knows whether what has not ended will.
    let word = if model.now().is_some() {
        UNFINISHED
    } else {
        STUCK
    };
    let stuck = told(model.things.stuck_roots(), word);
    let failed = told(model.things.failed(), FAILED);
    let most = model.clocks.iter().map(|apart| apart.lack.abs()).max();
    let apart = most.map_or_else(String::new, |lack| {
        format!("  {CLOCKS} {} apart", format_span(lack))
    });
    let room = room.saturating_sub((stuck.len() + failed.len() + width(&apart)) as u16);
    let dot = || (" · ".to_owned(), Role::Faint);
    match &model.arriving.loading {
        Loading::Failed(_) => out.push(("could not be read".to_owned(), Role::Alert)),
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
            out.push((format!("{phase}{share}"), Role::Count));
            if room >= 50 && *total > 0 {
                out.push(dot());
                out.push((
                    format!(
                        "{} of {} in {} files",
                        size(*done),
                        size(*total),
                        grouped(*files as u64)
                    ),
                    Role::Muted,
                ));
            }
        }
        Loading::Done => {
            let state = model.arriving.follow.words();
            let room = room.saturating_sub(state.as_ref().map_or(0, |(t, _)| width(t) as u16 + 3));
            out.extend(state);
            if let Some((from, to)) = model.snapshot.range() {
                if !out.is_empty() {
                    out.push(dot());
                }
                out.push((
                    times::range(model, from, to, room.saturating_sub(16)),
                    Role::Muted,
                ));
            }
            if room >= 30 {
                let logs = model.snapshot.sources.iter().filter(|s| s.is_log).count();
                if !out.is_empty() {
                    out.push(dot());
                }
                let plural = if logs == 1 { "" } else { "s" };
                let text = format!("{}{SOURCE}{plural}", grouped(logs as u64));
                out.push((text, Role::Muted));
            }
        }
    }
    if !stuck.is_empty() {
        out.push(dot());
        out.push((stuck, Role::Warning));
    }
    if !failed.is_empty() {
        out.push(dot());
        out.push((failed, Role::ErrorText));
    }
    let problems = model
        .snapshot
        .sources
        .iter()
        .flat_map(|s| s.problems.iter())
        .filter(|p| p.severity >= Severity::Warning)
        .count();
    if problems > 0 {
        let word = if problems == 1 { "problem" } else { "problems" };
        let text = match room >= 30 {
            true => format!("  {UNREAD} {} {word}", grouped(problems as u64)),
            false => format!("  {UNREAD} {problems}"),
        };
        out.push((text, Role::Warning));
    }
    if !apart.is_empty() {
        out.push((apart, Role::Warning));
    }
    out.push((" ".to_owned(), Role::Muted));
    out
}

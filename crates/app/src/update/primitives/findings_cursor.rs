//! Cursor of the page of findings: moves between findings, their evidence and the lines of the conclusion.

use crate::command::Command;
use crate::findings::FindingCursor;
use crate::layout::Areas;
use crate::model::{Model, View};
use crate::msg::Effect;
use crate::pages::findings as page;
use widetui_tables::list::moved;

/// Scrolls to the cursor, and further to show the whole expanded finding if it fits.
pub(in crate::update) fn place(model: &mut Model) {
    if model.view != View::DIAGNOSE {
        return;
    }
    let lines = page::lines(model, model.columns_of(View::DIAGNOSE));
    let height = usize::from(Areas::new(model).list.height);
    let state = &mut model.findings;
    let line_of = |spot: FindingCursor| lines.iter().position(|l| l.link == Some(spot));
    let at = line_of(state.spot).or_else(|| line_of(FindingCursor::Finding(state.open)));
    state.list.cursor = at.unwrap_or(0);
    state.list.reveal(height, lines.len());
    if let Some(open) = state.spot.finding()
        && let Some(start) = line_of(FindingCursor::Finding(open))
    {
        let of_it = lines[start + 1..].iter();
        let ends = |l: &&page::FindingLine| match l.link {
            Some(spot) => spot.finding() != Some(open) || matches!(spot, FindingCursor::Finding(_)),
            None => l.is_title,
        };
        let length = 1 + of_it.take_while(|l| !ends(l)).count();
        if start + length > state.list.top + height {
            let top = (start + length).saturating_sub(height).min(start);
            state.list.top = top.min(state.list.cursor).max(state.list.top);
        }
        state.list.top = state
            .list
            .top
            .min(start.max(state.list.cursor.saturating_sub(height.saturating_sub(1))));
    }
    // On the first finding, the top of the page is visible too.
    if state.spot == FindingCursor::Finding(0) {
        state.list.top = 0;
    }
}

/// Moves the cursor. The finding it leaves collapses, and the finding it reaches expands without moving
/// on the screen.
pub(in crate::update) fn go(model: &mut Model, spot: FindingCursor) {
    let row = |model: &Model, spot: FindingCursor| {
        let lines = page::lines(model, model.columns_of(View::DIAGNOSE));
        lines.iter().position(|l| l.link == Some(spot))
    };
    let before = row(model, spot);
    if let Some(finding) = spot.finding() {
        model.findings.open = finding;
    }
    model.findings.spot = spot;
    if let (Some(before), Some(after)) = (before, row(model, spot)) {
        let top = model.findings.list.top;
        model.findings.list.top = (top + after).saturating_sub(before);
    }
    place(model);
}

/// Moves the cursor to a clicked line; returns whether the cursor was there already.
pub(in crate::update) fn click(model: &mut Model, line: usize) -> bool {
    let lines = page::lines(model, model.columns_of(View::DIAGNOSE));
    let Some(spot) = lines.get(line).and_then(|l| l.link) else {
        return false;
    };
    let was_here = spot == model.findings.spot;
    if !was_here {
        go(model, spot);
    }
    was_here
}

/// Moves to a finding or a line of the conclusion, by index in [`page::searched_texts`].
pub(in crate::update) fn to_place(model: &mut Model, place: usize) {
    let texts = page::searched_texts(model);
    if let Some((spot, _)) = texts.get(place) {
        go(model, *spot);
    }
}

/// Moves the cursor to the next or previous line with a link (`rows` is 1 or -1), or by a page of
/// `rows` lines.
pub(in crate::update) fn step(model: &mut Model, rows: i64) {
    let lines = page::lines(model, model.columns_of(View::DIAGNOSE));
    let spots: Vec<(usize, FindingCursor)> = lines
        .iter()
        .enumerate()
        .filter_map(|(line, l)| Some((line, l.link?)))
        .collect();
    let Some(at) = spots.iter().position(|s| s.1 == model.findings.spot) else {
        place(model);
        return;
    };
    let next = match rows {
        1 | -1 => moved(at, rows, spots.len()),
        _ => {
            // A page: the nearest line with a link, at least one link further.
            let wanted = moved(spots[at].0, rows, lines.len());
            let near = spots.iter().rposition(|s| s.0 <= wanted).unwrap_or(0);
            match rows > 0 {
                true => near.max((at + 1).min(spots.len() - 1)),
                false => near.min(at.saturating_sub(1)),
            }
        }
    };
    go(model, spots[next].1);
}

/// Moves to the next finding; from the last to the first.
pub(in crate::update) fn next(model: &mut Model) -> Vec<Effect> {
    in_list(model, Command::NextPane)
}

/// Moves to the previous finding; from the first to the last.
pub(in crate::update) fn previous(model: &mut Model) -> Vec<Effect> {
    let count = model
        .findings
        .found
        .as_ref()
        .map_or(0, |f| f.diagnosis.findings.len());
    let at = model.findings.spot.finding().unwrap_or(0);
    if let Some(last) = count.checked_sub(1) {
        go(
            model,
            FindingCursor::Finding(at.checked_sub(1).unwrap_or(last)),
        );
    }
    Vec::new()
}

/// Runs a command within the page: right expands a finding, left collapses it, and the next pane is the
/// next finding.
pub(in crate::update) fn in_list(model: &mut Model, command: Command) -> Vec<Effect> {
    let Some(at) = model.findings.spot.finding() else {
        if command == Command::NextPane {
            go(model, FindingCursor::Finding(0));
        }
        return Vec::new();
    };
    match command {
        Command::NextPane => {
            let found = model.findings.found.as_ref();
            let count = found.map_or(0, |f| f.diagnosis.findings.len());
            go(model, FindingCursor::Finding((at + 1) % count.max(1)));
        }
        Command::Unfold => {
            model.findings.is_folded = !model.findings.is_folded;
            go(model, FindingCursor::Finding(at));
        }
        Command::Right => {
            let is_folded = std::mem::replace(&mut model.findings.is_folded, false);
            match is_folded {
                true => go(model, FindingCursor::Finding(at)),
                false => step(model, 1),
            }
        }
        _ => {
            model.findings.is_folded |= model.findings.spot == FindingCursor::Finding(at);
            go(model, FindingCursor::Finding(at));
        }
    }
    Vec::new()
}

//! Records that name work items without their run, in words.

use widetui_analysis::work_items::Unassigned;
use widetui_core::words::{listed, plural, several};

use crate::unfinished::model::WorkItemCounts;

/// Maximum number of listed numbers.
const TOLD: usize = 4;

/// Sentence on the records that name work items without their run, and on its consequences.
pub fn unplaced(goals: &WorkItemCounts) -> Option<String> {
    let told = &goals.unplaced;
    let hidden = (!told.item_numbers.is_empty()).then(|| hidden(goals));
    let of = |names: &[String]| format!("{} {}", goals.title, listed(names, TOLD));
    let ends = (!told.possible_ends.is_empty()).then(|| {
        format!(
            "Records that do not state their run may report the end of {}.",
            of(&told.possible_ends)
        )
    });
    let moves = (!told.possible_changes.is_empty()).then(|| {
        format!(
            "Records that do not state their run may report a later state of {}.",
            of(&told.possible_changes)
        )
    });
    let all: Vec<String> = hidden.into_iter().chain(ends).chain(moves).collect();
    (!all.is_empty()).then(|| all.join(" "))
}

/// Sentence on work items that are not counted.
fn hidden(goals: &WorkItemCounts) -> String {
    let Unassigned {
        uncounted_records: hiding,
        item_numbers: numbers,
        reports_ends: tells_ends,
        ..
    } = &goals.unplaced;
    let (name, are) = match hiding {
        1 => ("names", "is"),
        _ => ("name", "are"),
    };
    let title = match numbers.len() {
        1 => goals.title.clone(),
        _ => plural(&goals.title),
    };
    let ended = match numbers.len() {
        _ if !tells_ends => "none of them reports an end",
        1 => "it is not known whether it ended there",
        _ => "it is not known whether these ended there",
    };
    format!(
        "{} {name} {title} {} without stating the run, and {are} not counted: {ended}.",
        several(*hiding, "record"),
        listed(numbers, TOLD)
    )
}

//! Counts that stop below their total: the log of a program ends at `13 of 40`.

use widetui_analysis::runs::last_events;
use widetui_core::ids::EventId;
use widetui_core::level::Level;
use widetui_core::words::{begins_a_word, cut};
use widetui_definition::semantics::Severity;
use widetui_time::time::{NS_PER_SECOND, format_span};

use crate::findings::context::Context;
use crate::findings::finding::{Finding, FindingKind};

/// Minimum number of counts that grew.
const COUNTS: usize = 3;
/// Maximum number of records of a log that are read from its end.
const READ: u32 = 200;
/// Maximum number of records behind the last count: messages of the end of a program are more.
const BEHIND: u32 = 2;
/// Maximum number of logs that are read, and of findings.
const LOGS: usize = 500;
const FINDINGS: usize = 3;
/// A program may still be at work if its last record is younger than this many of its usual steps, and than this time, ns.
const STEPS: i64 = 5;
const QUIET: i64 = 60 * NS_PER_SECOND;
/// Maximum length of a quoted line, characters.
const LINE: usize = 120;

/// Findings of logs that end at a count below its total.
pub(crate) fn find(look: &mut Context<'_>) -> Vec<Finding> {
    let last = last_events(look.snapshot).into_iter().flatten();
    let last: Vec<EventId> = last.take(LOGS).collect();
    let found = last.into_iter().filter_map(|id| of_log(look, id));
    found.take(FINDINGS).collect()
}

/// Count with its total, as in `50 of 120` and `13/40`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Count {
    done: u64,
    total: u64,
}

/// Finding of the log that ends with a record.
fn of_log(look: &mut Context<'_>, last: EventId) -> Option<Finding> {
    let snapshot = look.snapshot;
    let words = &snapshot.catalog.words;
    let source = snapshot
        .event(last)
        .filter(|e| e.source().is_log)?
        .source()
        .id;
    let mut counts: Vec<(EventId, Count)> = Vec::new();
    let mut template = None;
    for far in 0..READ {
        let Some(id) = last.0.checked_sub(far).map(EventId) else {
            break;
        };
        let Some(event) = snapshot.event(id).filter(|e| e.source().id == source) else {
            break;
        };
        let own = event.template().map(|t| t.id);
        let is_same = template.is_none() || template == own;
        let is_problem = event.level() >= Level::Error || look.claimed.contains(&id.0);
        let line = look.line(id);
        match count(&line).filter(|_| is_same) {
            Some(count) => {
                template = own;
                counts.push((id, count));
            }
            None if !counts.is_empty() => {}
            None => {
                let text = line.to_lowercase();
                let is_end = words.end.iter().chain(&words.final_states);
                let is_end = is_end.clone().any(|word| begins_a_word(&text, word));
                if far >= BEHIND || is_end || is_problem {
                    return None;
                }
            }
        }
    }
    let (newest, now) = *counts.first()?;
    let is_growing = counts
        .windows(2)
        .all(|pair| pair[1].1.done < pair[0].1.done && pair[1].1.total == pair[0].1.total);
    if counts.len() < COUNTS || !is_growing || now.done >= now.total || look.went_well_at(newest) {
        return None;
    }
    let times: Vec<i64> = counts.iter().filter_map(|(id, _)| look.time(*id)).collect();
    let steps = times.windows(2).map(|pair| pair[0].saturating_sub(pair[1]));
    let longest = steps.max().unwrap_or(0);
    let quiet = QUIET.max(longest.saturating_mul(STEPS));
    let is_at_work = look
        .hung
        .now
        .zip(times.first())
        .is_some_and(|(now, last)| now.saturating_sub(*last) < quiet);
    if is_at_work {
        return None;
    }
    let line = cut(&look.line(newest), LINE);
    let mut text = "No later record of it reports progress or an end.".to_owned();
    if longest > 0 {
        text += &format!(
            " The counts before came at most {} apart.",
            format_span(longest)
        );
    }
    let end = snapshot.range().map(|range| range.1);
    let after = end
        .zip(times.first())
        .map(|(end, last)| end.saturating_sub(*last));
    if let Some(after) =
        after.filter(|after| *after > longest.saturating_mul(STEPS).max(NS_PER_SECOND))
    {
        text += &format!(" Other logs go on for {} after it.", format_span(after));
    }
    let tag = look.tag(newest);
    Some(Finding {
        text,
        evidence: vec![newest],
        events: vec![newest],
        count: 1,
        first: look.time(newest),
        next: format!(
            "What did {tag} wait for then: the other processes at that time, its own stack (py-spy dump, gdb) if it still runs?"
        ),
        ..Finding::new(
            FindingKind::AbruptEnd,
            Severity::Warning,
            format!(
                "Progress ends at {} of {} in {tag}: \"{line}\"",
                now.done, now.total
            ),
        )
    })
}

/// First count with a total in a line.
fn count(line: &str) -> Option<Count> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |word: &str| {
        let digits = word.trim_matches(|c: char| !c.is_ascii_digit());
        digits.parse::<u64>().ok()
    };
    let pairs = words.windows(3).filter(|w| w[1] == "of" || w[1] == "/");
    let mut spoken = pairs.filter_map(|w| Some((number(w[0])?, number(w[2])?)));
    let mut slashed = words.iter().filter_map(|word| {
        let (done, total) = word.split_once('/')?;
        Some((number(done)?, number(total)?))
    });
    let (done, total) = spoken.next().or_else(|| slashed.next())?;
    (total > 1 && done <= total).then_some(Count { done, total })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_with_totals() {
        let pair = |line| count(line).map(|c| (c.done, c.total));
        assert_eq!(pair("50 of 120 days enriched"), Some((50, 120)));
        assert_eq!(pair("[13/40] loss 0.3"), Some((13, 40)));
        assert_eq!(pair("step 3 / 9: mesh"), Some((3, 9)));
        assert_eq!(pair("epoch 7/7, done"), Some((7, 7)));
        for line in ["3 of them", "a/b", "at 1/0", "2026/11/28 start", "12 of 3"] {
            assert_eq!(pair(line), None, "{line}");
        }
    }
}

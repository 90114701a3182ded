//! Sections of unfinished work items with their dependents, and of items left behind by a run that
//! ended.

use crate::model::Model;
use widetui_analysis::entity::names::format_places;
use widetui_core::words::plural;
use widetui_diagnosis::unfinished::words::{
    held_up, resource_facts, running_for, tried, waited_for, waits_for_failed, waits_unnamed,
};
use widetui_diagnosis::unfinished::{
    UnfinishedItem, UnfinishedWork, WaitState, alike, is_of_one_label,
};
use widetui_session::liveness;
use widetui_session::unfinished_details::UnfinishedDetails;
use widetui_tables::role::Role;
use widetui_tables::table::Cell;
use widetui_tables::text::{cut_middle, grouped, sanitise, width, wrap};
use widetui_time::time::format_span;

use super::{MAX_LISTED, StuckLine, StuckLink, line, plain, title};
use crate::times::clock;

/// Maximum number of similar items that are named below the first one.
const MAX_SIMILAR: usize = 8;
/// Maximum number of dependents that are listed below an item.
const MAX_DEPENDENTS: usize = 6;

/// State of an item and the time it has spent in the state: until `now` while its run goes on.
fn age(hung: &UnfinishedWork, stuck: &UnfinishedItem, now: Option<i64>) -> String {
    let state = stuck.state.clone().unwrap_or_default();
    let age = liveness::age(stuck, hung, now);
    let tried = tried(stuck, age).map(|tried| format!(" ({tried})"));
    let tried = tried.unwrap_or_default();
    let open = |age| Cell::OpenSpan(age).text();
    match (age, running_for(stuck, age)) {
        (Some(age), Some(running)) => {
            let (running, age) = (open(running), format_span(age));
            format!("running {running} ({state} {age}){tried}")
        }
        (Some(age), None) => format!("{state} {}{tried}", open(age)),
        (None, _) => state + &tried,
    }
}

/// Lines of `text` after `lead`, wrapped and indented to the width of the page.
fn wrapped(lead: &str, role: Role, text: &str, columns: u16) -> Vec<StuckLine> {
    // The mark of the cursor takes two columns of every line.
    let room = usize::from(columns).saturating_sub(lead.len() + 3);
    let text = sanitise(text);
    let pieces = wrap(&text, room.max(16)).into_iter().enumerate();
    let led = pieces.map(|(nth, piece)| {
        let lead = match nth {
            0 => lead.to_owned(),
            _ => " ".repeat(lead.len()),
        };
        line(vec![(lead, Role::Muted), (piece.to_string(), role)], None)
    });
    led.collect()
}

fn name(stuck: &UnfinishedItem) -> Vec<(String, Role)> {
    let mut out = vec![(stuck.called(), Role::Strong)];
    if let Some(label) = &stuck.label {
        out.push((format!("  {label}"), Role::Text));
    }
    out
}

/// Minimum width of a shortened name, in columns.
const MIN_NAME_WIDTH: usize = 20;

/// Shortens the first piece in its middle until the line fits into `columns`; age and state are
/// never cut.
fn shorten_first(pieces: &mut [(String, Role)], columns: usize) {
    let all: usize = pieces.iter().map(|p| width(&p.0)).sum();
    if let Some((name, _)) = pieces.first_mut()
        && all > columns
    {
        let room = columns.saturating_sub(all - width(name));
        *name = cut_middle(name, room.max(MIN_NAME_WIDTH));
    }
}

/// Minimum width of the page at which the first line of an item includes its place, in columns.
const PLACE_BESIDE: u16 = 150;
/// Number of roots above which only one dependent of each is listed.
const MANY: usize = 10;

/// Appends the unfinished work items that are not blocked by others, each with its dependents.
pub(super) fn roots(
    model: &Model,
    known: &UnfinishedDetails,
    columns: u16,
    out: &mut Vec<StuckLine>,
) {
    let heads = known.hung.heads().into_iter();
    let roots: Vec<(usize, &UnfinishedItem)> =
        heads.map(|at| (at, &known.hung.stuck[at])).collect();
    let drawn = RootLines {
        model,
        known,
        columns,
        waiters: if roots.len() > MANY {
            1
        } else {
            MAX_DEPENDENTS
        },
    };
    let all: Vec<&UnfinishedItem> = roots.iter().map(|r| r.1).collect();
    let number = |stuck: &UnfinishedItem| {
        let known = roots.iter().find(|r| std::ptr::eq(r.1, stuck));
        known.map_or(0, |r| r.0)
    };
    // Items with lines of their own, and items counted in the line of a similar one.
    let (mut listed, mut told) = (0, 0);
    for group in alike(&all) {
        if listed >= MAX_LISTED {
            break;
        }
        let group = group.iter().map(|stuck| (number(stuck), *stuck));
        let group: Vec<(usize, &UnfinishedItem)> = group.collect();
        listed += drawn.group(&group, out);
        told += group.len();
    }
    if roots.len() > told {
        let more = grouped((roots.len() - told) as u64);
        out.push(plain(
            format!("and {more} more; the tables of entities list all"),
            Role::Muted,
        ));
    }
}

/// Context for the lines of unfinished work items.
struct RootLines<'a> {
    model: &'a Model,
    known: &'a UnfinishedDetails,
    columns: u16,
    /// Maximum number of dependents that are listed per item.
    waiters: usize,
}

impl RootLines<'_> {
    /// Appends a group of similar items (each with its index): the first one in full, the others in
    /// one line each. Returns the number of items that have lines of their own.
    fn group(&self, group: &[(usize, &UnfinishedItem)], out: &mut Vec<StuckLine>) -> usize {
        let [(at, root), others @ ..] = group else {
            return 0;
        };
        let (hung, now) = (&self.known.hung, self.model.now());
        let members: Vec<&UnfinishedItem> = group.iter().map(|member| member.1).collect();
        let is_labelled = is_of_one_label(&members);
        self.head(*at, root, others.len(), out);
        out.push(self.last(root));
        let facts = self.facts(root, is_labelled).join(" · ");
        out.extend(wrapped("  ", Role::Muted, &facts, self.columns));
        tree((hung, now), root, self.waiters, out);
        // A line "and 1 more" would take as much room as the item itself.
        let shown = match others.len() {
            n if n > MAX_SIMILAR + 1 => MAX_SIMILAR,
            n => n,
        };
        similar_items((hung, now), &others[..shown], is_labelled, out);
        if others.len() > shown {
            let more = grouped((others.len() - shown) as u64);
            let text = format!("and {more} more: Enter lists all {}", plural(&root.title));
            let pieces = vec![("        ".to_owned(), Role::Muted), (text, Role::Muted)];
            out.push(line(pieces, Some(StuckLink::Kind(*at))));
        }
        1 + shown
    }

    /// Appends the line with name, state, age and place of an item.
    fn head(&self, at: usize, root: &UnfinishedItem, others: usize, out: &mut Vec<StuckLine>) {
        let age = age(&self.known.hung, root, self.model.now());
        let mut pieces = name(root);
        let is_stuck = self.known.hung.is_stuck(root);
        let role = match is_stuck {
            true => Role::WarningText,
            false => Role::Muted,
        };
        pieces.push((format!("   {age}"), role));
        if is_stuck && self.model.is_live() {
            pieces.push(("   stuck".to_owned(), Role::Warning));
        }
        if others > 0 {
            let alike = grouped(others as u64);
            pieces.push((format!("   and {alike} alike"), Role::Muted));
        }
        // The mark of the cursor takes two columns of every line.
        shorten_first(&mut pieces, usize::from(self.columns).saturating_sub(2));
        let place = format_places(&root.place);
        let has_room = self.columns >= PLACE_BESIDE;
        if !place.is_empty() && has_room {
            pieces.push((format!("   {place}"), Role::Muted));
        }
        out.push(line(pieces, Some(StuckLink::Stuck(at))));
        if !place.is_empty() && !has_room {
            out.extend(wrapped("  in   ", Role::Text, &place, self.columns));
        }
    }

    /// Line of the last record of an item.
    fn last(&self, root: &UnfinishedItem) -> StuckLine {
        let mut pieces = vec![("  last ".to_owned(), Role::Muted)];
        let event = |id| Some((id, self.model.snapshot.event(id)?));
        if let Some((id, event)) = root.last_event.and_then(event) {
            if let Some(time) = event.time() {
                pieces.push((clock(self.model).text(time), Role::Time));
            }
            if let Some((source, text)) = self.known.words.get(&id.0) {
                pieces.push((format!("  {source}  "), Role::Muted));
                pieces.push((format!("“{text}”"), Role::Text));
            }
        } else {
            pieces.push(("–".to_owned(), Role::Faint));
        }
        line(pieces, root.last_event.map(StuckLink::Event))
    }

    /// Further facts about an item, as phrases. `is_labelled`: all similar items have the same
    /// label.
    fn facts(&self, root: &UnfinishedItem, is_labelled: bool) -> Vec<String> {
        let clock = clock(self.model);
        let mut facts: Vec<String> = resource_facts(root, &clock).into_iter().collect();
        facts.extend(root.because.iter().map(|b| format!("reason {b}")));
        facts.extend(held_up(&self.known.hung, root));
        facts.extend(waits_for_failed(root, &clock));
        facts.extend(waits_unnamed(root).map(str::to_owned));
        facts.extend(root.waits_for_room());
        if let Some(label) = root.label.as_ref().filter(|_| is_labelled) {
            facts.push(match root.peers_ended {
                0 => format!("no other {label} ended"),
                n => format!("{} {label} ended", grouped(n as u64)),
            });
        }
        match (root.waiters.len(), root.all_waiters) {
            (0, _) => facts.extend(waited_for(root)),
            (direct, Some(all)) if all > direct => facts.push(format!(
                "{} wait for it, {} more through them",
                grouped(direct as u64),
                grouped((all - direct) as u64)
            )),
            (1, _) => facts.push("1 waits for it".to_owned()),
            (direct, _) => facts.push(format!("{} wait for it", grouped(direct as u64))),
        }
        if root.standing == WaitState::Circle {
            facts.push("in a circle of waits".to_owned());
        }
        facts
    }
}

/// Appends one line for each similar item, aligned in columns. `is_labelled`: the label is already
/// in the line of the first item.
fn similar_items(
    (hung, now): (&UnfinishedWork, Option<i64>),
    others: &[(usize, &UnfinishedItem)],
    is_labelled: bool,
    out: &mut Vec<StuckLine>,
) {
    let label = |other: &UnfinishedItem| match &other.label {
        Some(label) if !is_labelled => format!("  {label}"),
        _ => String::new(),
    };
    let widest = |text: &dyn Fn(&UnfinishedItem) -> String| {
        let all = others.iter().map(|other| width(&text(other.1)));
        all.max().unwrap_or(0)
    };
    let (called, labels) = (widest(&UnfinishedItem::called), widest(&label));
    let padded = |text: String, columns: usize| {
        let blanks = columns.saturating_sub(width(&text));
        text + &" ".repeat(blanks)
    };
    for (nth, (at, other)) in others.iter().enumerate() {
        let lead = if nth == 0 { "  alike " } else { "        " };
        let pieces = vec![
            (lead.to_owned(), Role::Muted),
            (padded(other.called(), called), Role::Strong),
            (padded(label(other), labels), Role::Text),
            (format!("   {}", age(hung, other, now)), Role::Muted),
        ];
        out.push(line(pieces, Some(StuckLink::Stuck(*at))));
    }
}

/// Appends one line for each direct dependent of an item, at most `most`.
fn tree(
    (hung, now): (&UnfinishedWork, Option<i64>),
    root: &UnfinishedItem,
    most: usize,
    out: &mut Vec<StuckLine>,
) {
    let direct: Vec<(usize, &UnfinishedItem)> = root
        .waiters
        .iter()
        .filter_map(|w| Some((*w, hung.stuck.get(*w)?)))
        .collect();
    let shown = direct.len().min(most);
    for (n, (at, waiter)) in direct[..shown].iter().enumerate() {
        let is_last = n + 1 == direct.len();
        let branch = if is_last { "  └─ " } else { "  ├─ " };
        let mut pieces = vec![(branch.to_owned(), Role::Rule)];
        pieces.extend(name(waiter));
        pieces.push((format!("   {}", age(hung, waiter, now)), Role::Muted));
        let names = waiter.waits_for.iter().take(4);
        let names: Vec<&str> = names.map(|w| hung.stuck[*w].number()).collect();
        let more = waiter.waits_for.len() - names.len();
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        pieces.push((
            format!("   waits for {}{more}", names.join(", ")),
            Role::Muted,
        ));
        if !waiter.waiters.is_empty() {
            let n = waiter.all_waiters.unwrap_or(waiter.waiters.len());
            pieces.push((format!("   {} behind it", grouped(n as u64)), Role::Muted));
        }
        out.push(line(pieces, Some(StuckLink::Stuck(*at))));
    }
    if direct.len() > shown {
        let more = grouped((direct.len() - shown) as u64);
        let text = format!("{more} more");
        out.push(line(
            vec![("  └─ ".to_owned(), Role::Rule), (text, Role::Muted)],
            None,
        ));
    }
}

/// Appends the section of work items that were unfinished when their run ended properly.
pub(super) fn left_behind(hung: &UnfinishedWork, out: &mut Vec<StuckLine>) {
    let left: Vec<(usize, &UnfinishedItem)> = hung
        .stuck
        .iter()
        .enumerate()
        .filter(|(_, s)| s.is_told && s.standing == WaitState::LeftBehind)
        .collect();
    if left.is_empty() {
        return;
    }
    out.push(title("left behind: their run ended properly without them"));
    for (at, stuck) in left.iter().take(MAX_LISTED) {
        let mut pieces = name(stuck);
        pieces.push((
            format!("   {}", stuck.state.clone().unwrap_or_default()),
            Role::Muted,
        ));
        if !stuck.place.is_empty() {
            pieces.push((format!("   {}", format_places(&stuck.place)), Role::Muted));
        }
        out.push(line(pieces, Some(StuckLink::Stuck(*at))));
    }
    if left.len() > MAX_LISTED {
        let more = grouped((left.len() - MAX_LISTED) as u64);
        out.push(plain(format!("and {more} more"), Role::Muted));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_name_the_middle_gives_way_to_how_long_it_hangs() {
        let called = "action a76cebbf-a96d-4c23-8fdf-b17b7d7befec";
        let age = "   execute_success 2 m 32 s+";
        let told = |columns| {
            let mut pieces = vec![
                (called.to_owned(), Role::Strong),
                ("  divide".to_owned(), Role::Text),
                (age.to_owned(), Role::WarningText),
            ];
            shorten_first(&mut pieces, columns);
            let texts: Vec<String> = pieces.into_iter().map(|p| p.0).collect();
            texts.concat()
        };
        assert_eq!(told(118), format!("{called}  divide{age}"));
        let narrow = told(78);
        assert_eq!(width(&narrow), 78);
        assert!(
            narrow.starts_with("action a76") && narrow.ends_with(age),
            "{narrow}"
        );
        // A name keeps its minimum width even if the line is too narrow.
        assert!(told(10).starts_with("action"), "{}", told(10));
    }
}

//! Who has nothing to do, and what fell silent.

use crate::analysis::hung::words::{clock, silence};
use crate::analysis::hung::{Hung, Idle, Why};
use crate::base::words::{plural, several};
use crate::ui::model::Model;
use crate::ui::text::grouped;
use crate::ui::theme::Role;
use crate::workspace::things;

use super::{LISTED, Line, To, line, said, title};

/// Who has nothing to do.
pub(super) fn idle(model: &Model, hung: &Hung, out: &mut Vec<Line>) {
    if hung.idle.is_empty() {
        return;
    }
    out.push(title("idle"));
    for Idle {
        title,
        alive,
        idle,
        since,
        ..
    } in &hung.idle
    {
        let mut text = match (idle.len(), *alive) {
            (0, 1) => format!("the only {title} is at work"),
            (0, all) => format!("all {} are at work", several(all, title)),
            (1, 1) => format!("the only {title} has nothing to do"),
            (n, all) if n == all => format!("all of {}", several(all, title)),
            (n, all) => format!(
                "{} of {} {}",
                grouped(n as u64),
                grouped(all as u64),
                plural(title)
            ),
        };
        if let Some(since) = since.filter(|_| !idle.is_empty()) {
            text += &format!(" since {}", clock(since, &model.zone));
        }
        let names = idle.iter().filter_map(|(id, _)| id.last());
        let mut names: Vec<&str> = names.map(|p| p.1.as_str()).collect();
        // Numbers in their order: 9 before 10.
        names.sort_by_key(|name| (name.len(), *name));
        names.truncate(8);
        if !names.is_empty() {
            let more = if idle.len() > names.len() {
                ", …"
            } else {
                ""
            };
            text += &format!(": {}{more}", names.join(", "));
        }
        out.push(said(text, Role::Text));
    }
}

/// What fell silent, and the last error before.
pub(super) fn silent(model: &Model, known: &things::Stuck, out: &mut Vec<Line>) {
    let hung = &known.hung;
    let silent = hung.silent.iter().filter(|s| s.why == Why::Unknown);
    let silent: Vec<_> = silent.collect();
    if !silent.is_empty() {
        out.push(title("silent"));
    }
    for one in silent.iter().take(LISTED / 4) {
        let text = silence(one, &model.zone);
        out.push(line(
            vec![(text, Role::Text)],
            Some(To::Event(one.last_event)),
        ));
    }
    if silent.len() > LISTED / 4 {
        let more = grouped((silent.len() - LISTED / 4) as u64);
        out.push(said(format!("and {more} more"), Role::Muted));
    }
    if let Some(id) = hung.last_error.filter(|_| !hung.is_clear())
        && let Some((source, text)) = known.words.get(&id.0)
    {
        out.push(title("last error before it"));
        let time = model.snapshot.event(id).and_then(|e| e.time());
        let time = time.map_or(String::new(), |t| clock(t, &model.zone));
        let pieces = vec![
            (time, Role::Time),
            (format!("  {source}  "), Role::Muted),
            (text.clone(), Role::ErrorText),
        ];
        out.push(line(pieces, Some(To::Event(id))));
    }
}

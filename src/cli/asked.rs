//! What an analysis is asked about, from the arguments.

use crate::analysis::columns::By;
use crate::analysis::scope::{AnalysisScope, TimeWindow};
use crate::base::timeparse::parse_literal;
use crate::query::{Expr, Selection, TimeContext, parse_telling};

use super::args::SelectArgs;
use super::naming;
use super::nothing::unselected;
use super::open::{Opened, selection};
use super::output::Failure;

/// Which instances (those with an event that fits `--where` and `--same`), and when (`--since`, `--until`).
pub fn scope(opened: &Opened, select: &SelectArgs) -> Result<AnalysisScope, Failure> {
    let events = SelectArgs {
        since: None,
        until: None,
        ..select.clone()
    };
    Ok(AnalysisScope {
        events: selection(opened, &events)?,
        window: TimeWindow {
            since: instant(opened, "--since", select.since.as_deref())?,
            until: instant(opened, "--until", select.until.as_deref())?,
        },
        ..AnalysisScope::default()
    })
}

/// The events that are asked about; `None`: all of them.
///
/// # Errors
/// There are none.
pub fn some(opened: &Opened, select: &SelectArgs) -> Result<Option<Selection>, Failure> {
    match selection(opened, select)? {
        Some(rows) if rows.is_empty() => match unselected(select) {
            Some(text) => Err(Failure::Absent(text)),
            None => Err(Failure::Nothing),
        },
        rows => Ok(rows),
    }
}

/// A time that an option gives, UTC ns.
pub fn instant(opened: &Opened, option: &str, text: Option<&str>) -> Result<Option<i64>, Failure> {
    let Some(text) = text else {
        return Ok(None);
    };
    let base = opened.snapshot.range().map_or(0, |r| r.0);
    let time = parse_literal(text, base, &opened.zone);
    time.map(Some)
        .map_err(|e| Failure::Message(format!("{option} {text}: {e}")))
}

/// An expression.
pub fn expression(opened: &Opened, text: &str) -> Result<Expr, Failure> {
    let snapshot = &*opened.snapshot;
    let time = TimeContext {
        base_date_ns: snapshot.range().map_or(0, |r| r.0),
        zone: opened.zone.clone(),
    };
    let (expr, notes) = parse_telling(text, Some(&snapshot.catalog.keys), &time)
        .map_err(|e| Failure::Message(format!("this cannot be understood:\n{}", e.render())))?;
    for note in &notes {
        opened.told.tell(note);
    }
    Ok(expr)
}

/// What tells rows apart: a key, `source` (its kind), `level` or `template`.
///
/// # Errors
/// No record has the key, or several end so; rows are not told apart by their times or messages.
pub fn by(opened: &Opened, name: &str) -> Result<By, Failure> {
    let key = naming::key(opened, name)?;
    By::named(&opened.snapshot, &key).ok_or_else(|| {
        Failure::Message(format!(
            "events are not told apart by '{name}', but by a key, source, level or template"
        ))
    })
}

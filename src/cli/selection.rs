//! Selections from arguments: events, time ranges, keys that split rows.

use widetui_analysis::columns::EventProperty;
use widetui_analysis::scope::{AnalysisScope, TimeWindow};
use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_query::{
    Expr, Field, Op, Selection, TimeContext, parse_with_notes, resolve_key, select,
};
use widetui_session::meaning::WantedKeys;
use widetui_time::time::rfc3339_nanos;
use widetui_time::timeparse::parse_literal;

use super::args::SelectArgs;
use super::no_result::unselected;
use super::opened::Opened;
use super::output::Failure;

/// Scope of an analysis: instances with an event that matches `--where` and `--same`, and the time range.
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

/// Conditions on an event from the arguments.
pub fn conditions(opened: &Opened, args: &SelectArgs) -> Result<Vec<Expr>, Failure> {
    let mut parts = Vec::new();
    if let Some(filter) = &args.filter {
        parts.push(expression(opened, filter)?);
    }
    for (option, op, time) in [
        ("--since", Op::Ge, &args.since),
        ("--until", Op::Lt, &args.until),
    ] {
        let Some(time) = instant(opened, option, time.as_deref())? else {
            continue;
        };
        parts.push(Expr::compare(Field::Time, op, rfc3339_nanos(time)));
    }
    for same in &args.same {
        let (key, value) = same.split_once('=').ok_or_else(|| {
            Failure::Message(format!(
                "--same {same}: not of the form KEY=VALUE, e.g. --same parsl.task=7"
            ))
        })?;
        let key = opened.key_of_option("--same", key.trim())?;
        parts.push(Expr::equals(Field::named(&key), value.trim()));
    }
    Ok(parts)
}

/// Keys that joins must provide to select events, and to answer about these keys, in any spelling.
pub fn wanted_keys(opened: &Opened, args: &SelectArgs, keys: &[String]) -> WantedKeys {
    // A key may come from joins alone; an unknown one is reported when it is resolved.
    let named: Result<Vec<String>, Failure> = keys.iter().map(|typed| opened.key(typed)).collect();
    let (Ok(conditions), Ok(named)) = (conditions(opened, args), named) else {
        return WantedKeys::All;
    };
    let conditions = conditions.iter().flat_map(Expr::keys).map(str::to_owned);
    WantedKeys::Keys(conditions.chain(named).collect())
}

/// Events that the arguments select, or `None` for all.
pub fn selection(opened: &Opened, args: &SelectArgs) -> Result<Option<Selection>, Failure> {
    let snapshot = &*opened.snapshot;
    let parts = conditions(opened, args)?;
    let mut chosen = if parts.is_empty() {
        None
    } else {
        select(snapshot, &Expr::all_of(parts), &Cancel::default())
    };
    if args.unique && !snapshot.duplicates.is_empty() {
        let all = chosen.take().unwrap_or_else(|| Selection::all(snapshot));
        let ids = all
            .ordered(snapshot)
            .into_iter()
            .filter(|id| snapshot.duplicates.original_of(*id).is_none());
        chosen = Some(Selection::from_events(snapshot, ids.map(EventId)));
    }
    Ok(chosen)
}

/// Events that the arguments select, or `None` for all.
///
/// # Errors
/// No event matches.
pub fn some(opened: &Opened, select: &SelectArgs) -> Result<Option<Selection>, Failure> {
    match selection(opened, select)? {
        Some(rows) if rows.is_empty() => match unselected(select) {
            Some(text) => Err(Failure::Absent(text)),
            None => Err(Failure::Nothing),
        },
        rows => Ok(rows),
    }
}

/// Time of an option, UTC ns.
pub fn instant(opened: &Opened, option: &str, text: Option<&str>) -> Result<Option<i64>, Failure> {
    let Some(text) = text else {
        return Ok(None);
    };
    let base = opened.snapshot.range().map_or(0, |r| r.0);
    let time = parse_literal(text, base, &opened.zone);
    time.map(Some)
        .map_err(|e| Failure::Message(format!("{option} {text}: {e}")))
}

/// Parses an expression.
pub fn expression(opened: &Opened, text: &str) -> Result<Expr, Failure> {
    let snapshot = &*opened.snapshot;
    let time = TimeContext {
        base_date_ns: snapshot.range().map_or(0, |r| r.0),
        zone: opened.zone.clone(),
    };
    let (expr, notes) = parse_with_notes(text, Some(&snapshot.catalog.keys), &time)
        .map_err(|e| Failure::Message(format!("invalid expression:\n{}", e.render())))?;
    for note in &notes {
        opened.notes.report(note);
    }
    Ok(expr)
}

/// Full name of a key that splits rows: a key of records, `source` (its kind), `level`, `template`, `run` or `depth` (length of the chain of
/// dependencies before a task).
///
/// # Errors
/// No record has the key, the name is ambiguous, or it is `time` or `message`.
pub fn by(opened: &Opened, name: &str) -> Result<String, Failure> {
    let snapshot = &*opened.snapshot;
    // A key with this name, as in logs without a definition, goes before.
    let key = match name {
        "run" | "depth" if resolve_key(&snapshot.catalog.keys, name).is_none() => {
            return Ok(name.to_owned());
        }
        _ => opened.key(name)?,
    };
    let found = EventProperty::parse(snapshot, &key);
    found.map(|_| key).ok_or_else(|| {
        Failure::Message(format!(
            "rows cannot be split by '{name}': use a key, source, level, template, run or depth"
        ))
    })
}

//! Scope of an analysis for a selection: instances and time window.
//!
//! Steps that restrict the time do not filter instances: one that began before a time range and ended after it was
//! there all the time, though none of its records is in the range.

use crate::rows::{Rows, select};
use crate::selection::SelectionStep;
use widetui_analysis::scope::{AnalysisScope, TimeWindow};
use widetui_core::cancel::Cancel;
use widetui_query::{Comparison, Expr, Field, Op};
use widetui_store::Snapshot;
use widetui_time::timeparse::parse_literal;
use widetui_time::zone::Zone;

/// Returns the scope of a selection with known rows. `None` if cancelled.
pub fn scope_of(
    snapshot: &Snapshot,
    rows: &Rows,
    steps: &[SelectionStep],
    cancel: &Cancel,
) -> Option<AnalysisScope> {
    let mut window = TimeWindow::default();
    let rest: Vec<SelectionStep> = steps
        .iter()
        .filter_map(|step| {
            let expr = timeless(&step.expr, &mut window)?;
            Some(SelectionStep {
                expr,
                ..step.clone()
            })
        })
        .collect();
    let events = match (window == TimeWindow::default(), rest.is_empty()) {
        (true, _) => rows.part(snapshot),
        (false, true) => None,
        (false, false) => select(snapshot, &rest, cancel)?.0.selection(snapshot),
    };
    Some(AnalysisScope {
        events,
        window,
        ..AnalysisScope::default()
    })
}

/// Returns the time window to which steps of a selection restrict all matching records.
pub fn window_of(steps: &[SelectionStep]) -> TimeWindow {
    let mut window = TimeWindow::default();
    for step in steps {
        timeless(&step.expr, &mut window);
    }
    window
}

/// Splits steps of a selection into an expression without restrictions of time, and a time window.
pub fn apart(steps: &[SelectionStep]) -> (Expr, TimeWindow) {
    let mut window = TimeWindow::default();
    let rest = steps.iter().filter_map(|s| timeless(&s.expr, &mut window));
    let rest: Vec<Expr> = rest.collect();
    (Expr::all_of(rest), window)
}

/// Removes restrictions of time, which narrow the window, from an expression. `None` if nothing remains.
fn timeless(expr: &Expr, window: &mut TimeWindow) -> Option<Expr> {
    match expr {
        Expr::And(parts) => {
            let rest = parts.iter().filter_map(|p| timeless(p, window));
            let rest: Vec<Expr> = rest.collect();
            (!rest.is_empty()).then(|| Expr::all_of(rest))
        }
        Expr::Compare(comparison) if narrow(window, comparison) => None,
        other => Some(other.clone()),
    }
}

/// Narrows a window by a comparison. Returns whether the window fully expresses it.
fn narrow(window: &mut TimeWindow, comparison: &Comparison) -> bool {
    let (Field::Time, [text]) = (&comparison.field, &comparison.values[..]) else {
        return false;
    };
    let Ok(time) = parse_literal(text, 0, &Zone::Utc) else {
        return false;
    };
    let after = time.saturating_add(1);
    let since = |w: &TimeWindow, t: i64| Some(w.since.map_or(t, |s| s.max(t)));
    let until = |w: &TimeWindow, t: i64| Some(w.until.map_or(t, |u| u.min(t)));
    match comparison.op {
        Op::Ge => window.since = since(window, time),
        Op::Gt => window.since = since(window, after),
        Op::Lt => window.until = until(window, time),
        Op::Le => window.until = until(window, after),
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use widetui_query::{TimeContext, parse};

    #[test]
    fn steps_about_time_are_a_window() {
        let context = TimeContext {
            base_date_ns: 0,
            zone: Zone::Utc,
        };
        let step = |text: &str| SelectionStep {
            label: text.to_owned(),
            expr: parse(text, None, &context).unwrap(),
            instance: None,
            records: None,
        };
        let steps = [
            step("time >= 00:00:02 and level = error"),
            step("time < 00:00:09"),
            step("time <= 00:00:08"),
            step("time >= 00:00:01 or level = error"),
        ];
        let window = window_of(&steps);
        let second = 1_000_000_000;
        assert_eq!(window.since, Some(2 * second));
        assert_eq!(window.until, Some(8 * second + 1));
        // A step that is not about time alone remains.
        let rest = |step: &SelectionStep| timeless(&step.expr, &mut TimeWindow::default());
        assert_eq!(rest(&steps[0]), Some(step("level = error").expr));
        assert_eq!(rest(&steps[1]), None);
        assert_eq!(rest(&steps[3]), Some(steps[3].expr.clone()));
    }
}

//! Rows of a timeline for places that are not the selected one: a record about a worker may name tasks that ran
//! elsewhere.

use widetui_analysis::timeline::{Ending, Timeline};
use widetui_query::{Comparison, Expr, Field, Op};

/// Removes the rows whose places contradict the expressions, and counts the bars in them. If all rows would go, none is
/// removed: the expressions are then about something else.
pub fn remove_other_places<'a>(timeline: &mut Timeline, asked: impl IntoIterator<Item = &'a Expr>) {
    let asked: Vec<&Expr> = asked.into_iter().collect();
    let keys = &timeline.keys;
    let is_out = |values: &[String]| {
        let place = |key: &str| {
            let at = keys.iter().position(|k| k == key)?;
            values.get(at).filter(|value| !value.is_empty())
        };
        asked.iter().any(|expr| fits(expr, &place) == Some(false))
    };
    let out: Vec<bool> = timeline.rows.iter().map(|r| is_out(&r.values)).collect();
    if !out.contains(&false) {
        return;
    }
    let mut out = out.into_iter();
    let elsewhere = &mut timeline.in_other_places;
    timeline.rows.retain(|row| {
        let is_out = out.next() == Some(true);
        if is_out {
            let own = row.bars.iter().filter(|b| b.ending != Ending::Continues);
            *elsewhere += own.count() as u64;
        }
        !is_out
    });
}

/// Whether a place matches an expression; `None` if the place does not decide it.
fn fits<'a>(expr: &Expr, place: &impl Fn(&str) -> Option<&'a String>) -> Option<bool> {
    match expr {
        Expr::All => Some(true),
        Expr::And(parts) => {
            let mut known = parts.iter().map(|part| fits(part, place));
            // One false operand makes the conjunction false.
            known.any(|fit| fit == Some(false)).then_some(false)
        }
        Expr::Or(parts) => {
            let mut known = parts.iter().map(|part| fits(part, place));
            known.all(|fit| fit == Some(false)).then_some(false)
        }
        Expr::Compare(Comparison { field, op, values }) => {
            let Field::Key(key) = field else { return None };
            let own = place(key)?;
            let is_it = |value: &String| is_same(own, value);
            match op {
                Op::Eq | Op::In => Some(values.iter().any(is_it)),
                _ => None,
            }
        }
        Expr::Not(_) | Expr::Has(_) | Expr::Text(_) => None,
    }
}

/// Whether two values are equal in any common spelling.
fn is_same(a: &str, b: &str) -> bool {
    let plain = |text: &str| -> String {
        let all = text.chars().filter(|c| c.is_alphanumeric());
        all.flat_map(char::to_lowercase).collect()
    };
    let number = |text: &str| text.parse::<i64>().ok();
    a == b || plain(a) == plain(b) || number(a).is_some() && number(a) == number(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use widetui_analysis::timeline::{Bar, Progress, TimelineRow};

    fn timeline() -> Timeline {
        let row = |manager: &str, worker: &str| TimelineRow {
            values: vec![manager.to_owned(), worker.to_owned()],
            bars: vec![Bar {
                start: 0,
                end: 1,
                ending: Ending::Ended,
                lane: 0,
                instance: 0,
                colour: 0,
                progress: Progress::Begun,
            }],
            lanes: 1,
            ..TimelineRow::default()
        };
        Timeline {
            rows: vec![row("a", "0"), row("a", "1"), row("b", "1"), row("", "")],
            keys: vec!["sys.manager".to_owned(), "sys.worker".to_owned()],
            ..Timeline::default()
        }
    }

    fn left(exprs: &[Expr]) -> (Vec<String>, u64) {
        let mut timeline = timeline();
        remove_other_places(&mut timeline, exprs);
        let names = timeline.rows.iter().map(|r| r.values.concat());
        (names.collect(), timeline.in_other_places)
    }

    #[test]
    fn rows_of_other_places_go_and_are_counted() {
        let is = |key: &str, value: &str| Expr::equals(Field::Key(key.to_owned()), value);
        let names = |list: &[&str]| list.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let worker = is("sys.worker", "01");
        // Bars with an unknown place may have run there.
        assert_eq!(
            left(std::slice::from_ref(&worker)),
            (names(&["a1", "b1", ""]), 1)
        );
        let both = Expr::all_of([worker.clone(), is("sys.manager", "a")]);
        assert_eq!(left(std::slice::from_ref(&both)), (names(&["a1", ""]), 2));
        let either = Expr::any_of([both, is("sys.pid", "7")]);
        assert_eq!(left(&[either]).1, 0, "the other one may be true");
        assert_eq!(left(&[is("sys.task", "5")]).1, 0);
        let not = Expr::Not(Box::new(worker.clone()));
        assert_eq!(left(&[not]).1, 0);
        // No row matches: the expression is about something else.
        let mut all = timeline();
        all.rows.pop();
        remove_other_places(&mut all, &[is("sys.worker", "9")]);
        assert_eq!((all.rows.len(), all.in_other_places), (3, 0));
    }
}

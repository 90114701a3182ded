//! Sentences about the differences between two sides of a comparison.

use widetui_analysis::differences::{Basis, Difference, Share, SideProfile};
use widetui_core::words::{grouped, last_part};
use widetui_time::time::format_span;

/// Sentences: how long both sides took, then the differences that explain most.
pub fn sentences(sides: [&SideProfile; 2], basis: Basis, found: &[Difference]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    out.extend(headline(sides, basis));
    let plural = &sides[1].plural;
    out.extend(
        found
            .iter()
            .map(|difference| sentence(difference, plural, basis)),
    );
    out
}

/// Durations and failures of both sides.
fn headline([a, b]: [&SideProfile; 2], basis: Basis) -> Option<String> {
    let failed = |side: &SideProfile| match side.all.failed {
        0 => "none failed".to_owned(),
        n => format!("{} failed", grouped(n)),
    };
    let counts = |side: &SideProfile| {
        format!(
            "{} {}, {}",
            grouped(side.all.count),
            side.plural,
            failed(side)
        )
    };
    let times = match basis {
        Basis::Sum => {
            let length = |side: &SideProfile| side.range.map(|r| r.1.saturating_sub(r.0) as f64);
            (length(a)?, length(b)?)
        }
        Basis::Mean => (a.all.mean(), b.all.mean()),
    };
    let what = match basis {
        Basis::Sum => "b took",
        Basis::Mean => "one of b took, on average,",
    };
    Some(format!(
        "{what} {}: {} ({}) instead of {} ({}).",
        ratio(times.0, times.1),
        span(times.1),
        counts(b),
        span(times.0),
        counts(a)
    ))
}

/// Words for a ratio: `2.1 times as long`.
fn ratio(a: f64, b: f64) -> String {
    match b / a {
        r if !r.is_finite() => "longer".to_owned(),
        r if (0.95..1.05).contains(&r) => "as long".to_owned(),
        r if r >= 1.0 => format!("{r:.1} times as long"),
        r => format!("{:.0} % of the time", r * 100.0),
    }
}

fn span(ns: f64) -> String {
    format_span(ns.round() as i64)
}

/// Difference of times with its sign.
fn more(a: f64, b: f64) -> String {
    let sign = if b >= a { "+" } else { "-" };
    format!("{sign}{}", span((b - a).abs()))
}

fn named(label: &str, plural: &str) -> String {
    match label {
        "" => plural.to_owned(),
        label => format!("`{label}`"),
    }
}

fn sentence(difference: &Difference, plural: &str, basis: Basis) -> String {
    match difference {
        Difference::Failures {
            label,
            sides: [a, b],
        } => {
            let count = |share: &Share| match (share.failed, share.count) {
                (_, 0) => "there are none".to_owned(),
                (0, n) => format!("none of {} failed", grouped(n)),
                (failed, n) => format!("{} of {} failed", grouped(failed), grouped(n)),
            };
            format!(
                "{}: {} in b; {} in a.",
                named(label, plural),
                count(b),
                count(a)
            )
        }
        Difference::Runs {
            label,
            sides: [a, b],
            place,
        } => {
            let name = named(label, plural);
            let sum = match basis {
                Basis::Sum => format!(", {} in all", more(a.time as f64, b.time as f64)),
                Basis::Mean => String::new(),
            };
            let counts = b.count as f64 - a.count as f64;
            let by_count = (counts * a.mean()).abs();
            let by_mean = (b.count as f64 * (b.mean() - a.mean())).abs();
            if a.count == 0 || b.count == 0 {
                let (side, share) = if a.count == 0 { ("b", b) } else { ("a", a) };
                let n = grouped(share.count);
                return format!(
                    "{name}: {n} in {side} alone, which ran {}.",
                    span(share.time as f64)
                );
            }
            let mut text = match basis == Basis::Sum && by_count > by_mean {
                true => format!(
                    "{name}: {} {plural} instead of {} ran {}{sum}",
                    grouped(b.count),
                    grouped(a.count),
                    span(b.mean()) + " each"
                ),
                false => format!(
                    "{name} ran {}: {} instead of {} on average{sum}",
                    ratio(a.mean(), b.mean()),
                    span(b.mean()),
                    span(a.mean())
                ),
            };
            if let Some(place) = place {
                let key = last_part(&place.key);
                text.push_str(&format!(
                    "; on {key} {} {} each, elsewhere {}",
                    place.value,
                    span(place.here.mean()),
                    span(place.elsewhere.mean())
                ));
            }
            text + "."
        }
        Difference::Waits {
            phase,
            sides: [a, b],
        } => {
            let sum = match basis {
                Basis::Sum => format!(", {} in all", more(a.time as f64, b.time as f64)),
                Basis::Mean => String::new(),
            };
            let (a, b) = (span(a.mean()), span(b.mean()));
            format!("{phase}: on average {b} instead of {a}{sum}.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use widetui_analysis::differences::differences;

    const SECOND: i64 = 1_000_000_000;

    fn share(count: u64, failed: u64, seconds: i64) -> Share {
        Share {
            count,
            failed,
            time: seconds * SECOND,
        }
    }

    fn side(
        seconds: i64,
        all: Share,
        labels: &[(&str, Share)],
        waits: &[(&str, i64)],
    ) -> SideProfile {
        let labels = labels
            .iter()
            .map(|(name, s)| ((*name).to_owned(), s.clone()));
        let waits = waits
            .iter()
            .map(|(name, s)| ((*name).to_owned(), s * SECOND));
        SideProfile {
            plural: "tasks".to_owned(),
            range: Some((0, seconds * SECOND)),
            all,
            labels: labels.collect(),
            waits: waits.collect(),
            ..SideProfile::default()
        }
    }

    #[test]
    fn the_greatest_differences_are_said_with_numbers() {
        let a = side(
            100,
            share(40, 0, 200),
            &[("fit", share(30, 0, 120)), ("load", share(10, 0, 20))],
            &[("worker not started", 40)],
        );
        let b = side(
            210,
            share(50, 3, 900),
            &[("fit", share(30, 3, 360)), ("load", share(20, 0, 40))],
            &[("worker not started", 500)],
        );
        let found = differences([&a, &b], Basis::Sum, 3);
        let words = sentences([&a, &b], Basis::Sum, &found);
        assert_eq!(
            words,
            [
                "b took 2.1 times as long: 3 m 30 s (50 tasks, 3 failed) instead of 1 m 40 s (40 tasks, none failed).",
                "`fit`: 3 of 30 failed in b; none of 30 failed in a.",
                "worker not started: on average 10.0 s instead of 1.0 s, +7 m 40 s in all.",
                "`fit` ran 3.0 times as long: 12.0 s instead of 4.0 s on average, +4 m 00 s in all.",
            ]
        );
        let found = differences([&a, &b], Basis::Sum, 4);
        let words = sentences([&a, &b], Basis::Sum, &found);
        assert_eq!(
            words.last().map(String::as_str),
            Some("`load`: 20 tasks instead of 10 ran 2.0 s each, +20.0 s in all.")
        );
        // Equal sides differ in nothing.
        assert_eq!(differences([&a, &a], Basis::Sum, 3), []);
    }
}

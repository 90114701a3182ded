//! Sentences about the differences between two sides of a comparison.

use widetui_analysis::differences::{Basis, Difference, DifferenceKind, Differences, Share};
use widetui_core::words::{grouped, last_part, plural, several};
use widetui_time::time::format_span;

use crate::table::percent;

/// Sentences: both sides as a whole, then the differences that explain most.
pub fn sentences(differences: &Differences) -> Vec<String> {
    let list = differences.list.iter();
    list.map(|difference| sentence(differences, difference))
        .collect()
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

/// Sentence about one difference.
pub fn sentence(all: &Differences, difference: &Difference) -> String {
    let (plural, basis) = (plural(&all.title), all.basis);
    let instances = |n: u64| several(usize::try_from(n).unwrap_or(usize::MAX), &all.title);
    let [a, b] = &difference.sides;
    let name = match difference.subject.as_str() {
        "" => plural.clone(),
        subject if difference.kind == DifferenceKind::Waiting => subject.to_owned(),
        subject if difference.kind == DifferenceKind::Resources => subject.to_owned(),
        subject => format!("`{subject}`"),
    };
    // Sums of different numbers of instances do not say which took longer.
    let sum = match basis {
        Basis::Sum if a.count == b.count || difference.kind == DifferenceKind::Running => {
            let sign = if b.time >= a.time { "+" } else { "-" };
            format!(
                ", {sign}{} in all",
                span((b.time as f64 - a.time as f64).abs())
            )
        }
        _ => String::new(),
    };
    let instead = format!("{} instead of {}", span(b.mean()), span(a.mean()));
    let failed = |share: &Share, none: &str| match share.failed {
        0 => none.to_owned(),
        n => format!("{} failed", grouped(n)),
    };
    match difference.kind {
        DifferenceKind::Whole => {
            let counts = |side: &Share| {
                let unfinished = match side.unfinished {
                    0 => String::new(),
                    n => format!(", {} did not end", grouped(n)),
                };
                let n = instances(side.count);
                format!("{n}, {}{unfinished}", failed(side, "none failed"))
            };
            let (x, y) = (a.mean(), b.mean());
            match basis {
                Basis::Outcome => format!(
                    "{} failed, {} succeeded; a failed one took, on average, {}: {instead}.",
                    instances(b.count),
                    grouped(a.count),
                    ratio(x, y)
                ),
                _ => {
                    let (what, x, y) = match basis {
                        Basis::Sum => (
                            format!("from its first {} to the last end b took", all.title),
                            a.time as f64,
                            b.time as f64,
                        ),
                        _ => ("one of b took, on average,".to_owned(), x, y),
                    };
                    format!(
                        "{what} {}: {} ({}) instead of {} ({}).",
                        ratio(x, y),
                        span(y),
                        counts(b),
                        span(x),
                        counts(a)
                    )
                }
            }
        }
        DifferenceKind::Progress => {
            let (order, gap) = match b.count >= a.count {
                true => ("ahead", b.count - a.count),
                false => ("behind", a.count - b.count),
            };
            let gap = match gap {
                0 => String::new(),
                gap => format!(": {} {order}", grouped(gap)),
            };
            format!(
                "{} after its first {} b had ended {}, a {}{gap}.",
                format_span(b.time),
                all.title,
                instances(b.count),
                grouped(a.count)
            )
        }
        DifferenceKind::Failures => {
            let count = |share: &Share| match share.count {
                0 => "there are none".to_owned(),
                n if share.failed == 0 => format!("none of {} failed", grouped(n)),
                n => format!("{} of {} failed", grouped(share.failed), grouped(n)),
            };
            format!("{name}: {} in b; {} in a.", count(b), count(a))
        }
        DifferenceKind::FirstRun => {
            let (order, gap) = match b.time >= a.time {
                true => ("later", b.time - a.time),
                false => ("earlier", a.time - b.time),
            };
            format!(
                "{plural} began to run {} {order}: {} after the start instead of {}.",
                format_span(gap),
                format_span(b.time),
                format_span(a.time)
            )
        }
        DifferenceKind::Resources => {
            let n = usize::try_from(b.count).unwrap_or(usize::MAX);
            format!(
                "{plural} ran on {} instead of {}.",
                several(n, &name),
                grouped(a.count)
            )
        }
        DifferenceKind::Frequency => {
            let whole = all.list.first().map(|whole| &whole.sides);
            let part = |side: usize| {
                let of = whole.map_or(0, |whole| whole[side].count);
                let n = difference.sides[side].count;
                let share = percent(n as f64 / of.max(1) as f64);
                format!("{} of {} ({share})", grouped(n), grouped(of))
            };
            format!(
                "{name}: {} that failed, {} that succeeded.",
                part(1),
                part(0)
            )
        }
        DifferenceKind::Running if a.count == 0 || b.count == 0 => {
            let (side, share) = if a.count == 0 { ("b", b) } else { ("a", a) };
            let n = grouped(share.count);
            format!(
                "{name}: {n} in {side} alone, which ran {}.",
                span(share.time as f64)
            )
        }
        DifferenceKind::Running => {
            let by_count = ((b.count as f64 - a.count as f64) * a.mean()).abs();
            let by_mean = (b.count as f64 * (b.mean() - a.mean())).abs();
            let runs = |share: &Share| share.runs as f64 / share.count.max(1) as f64;
            let are_again = basis == Basis::Sum
                && runs(a).min(runs(b)) >= 1.0
                && (runs(b) - runs(a)).abs() >= 0.05;
            let times = |share: &Share| {
                let runs = usize::try_from(share.runs).unwrap_or(usize::MAX);
                format!("{} for {}", several(runs, "time"), grouped(share.count))
            };
            let mut text = match basis == Basis::Sum && by_count > by_mean {
                _ if are_again => format!(
                    "{name} ran {} instead of {}: {instead} on average{sum}",
                    times(b),
                    times(a)
                ),
                true => format!(
                    "{name}: {} instead of {} ran {} each{sum}",
                    instances(b.count),
                    grouped(a.count),
                    span(b.mean())
                ),
                false => format!(
                    "{name} ran {}: {instead} on average{sum}",
                    ratio(a.mean(), b.mean())
                ),
            };
            if let Some(place) = &difference.place {
                let (key, value) = (last_part(&place.key), &place.value);
                let (here, there) = (span(place.here.mean()), span(place.elsewhere.mean()));
                text.push_str(&match place.here.count {
                    1 => format!("; {key} {value} alone {here}, the others {there} each"),
                    _ => format!("; on {key} {value} {here} each, elsewhere {there}"),
                });
            }
            text + "."
        }
        DifferenceKind::Waiting => format!("{name}: {instead} per {}{sum}.", all.title),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use widetui_analysis::account::TimeReason;
    use widetui_analysis::differences::{SideProfile, Wait};

    const SECOND: i64 = 1_000_000_000;

    fn share(count: u64, failed: u64, seconds: i64) -> Share {
        Share {
            count,
            failed,
            time: seconds * SECOND,
            ..Share::default()
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
        let waits = waits.iter().map(|(name, s)| {
            let wait = Wait {
                reason: match *name {
                    "worker busy" => TimeReason::ResourceBusy,
                    _ => TimeReason::ResourceNotStarted,
                },
                time: s * SECOND,
            };
            ((*name).to_owned(), wait)
        });
        SideProfile {
            title: "task".to_owned(),
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
        let words = sentences(&Differences::find([&a, &b], Basis::Sum, None));
        assert_eq!(
            words,
            [
                "from its first task to the last end b took 2.1 times as long: 3 m 30 s (50 tasks, 3 failed) instead of 1 m 40 s (40 tasks, none failed).",
                "`fit`: 3 of 30 failed in b; none of 30 failed in a.",
                "worker not started: 10.0 s instead of 1.0 s per task.",
                "`fit` ran 3.0 times as long: 12.0 s instead of 4.0 s on average, +4 m 00 s in all.",
            ]
        );
        // Equal sides differ in nothing.
        let equal = Differences::find([&a, &a], Basis::Sum, None);
        assert_eq!(equal.list.len(), 1);
        let mut hung = b.clone();
        hung.all.unfinished = 13;
        let words = sentences(&Differences::find([&a, &hung], Basis::Sum, None));
        assert!(
            words[0].contains("(50 tasks, 3 failed, 13 did not end)"),
            "{}",
            words[0]
        );
    }

    #[test]
    fn runs_are_compared_by_their_progress_at_one_time() {
        let run = |seconds: i64, ends: &[i64]| SideProfile {
            ends: ends.iter().map(|s| s * SECOND).collect(),
            ..side(
                seconds,
                share(4, 0, seconds),
                &[("fit", share(4, 0, 8))],
                &[],
            )
        };
        let (a, b) = (run(40, &[10, 20, 30, 40]), run(100, &[30, 60, 100]));
        let progress = |sides, after: Option<i64>| {
            let after = after.map(|seconds| seconds * SECOND);
            sentences(&Differences::find(sides, Basis::Sum, after))[1].clone()
        };
        assert_eq!(
            progress([&a, &b], None),
            "40.0 s after its first task b had ended 1 task, a 4: 3 behind."
        );
        assert_eq!(
            progress([&b, &a], Some(30)),
            "30.0 s after its first task b had ended 3 tasks, a 1: 2 ahead."
        );
        assert_eq!(
            progress([&a, &a], Some(5)),
            "5.0 s after its first task b had ended 0 tasks, a 0."
        );
    }

    #[test]
    fn causes_come_before_the_waits_that_they_bring_about() {
        let workers = |n: usize| {
            let ids = (0..n).map(|id| id.to_string());
            [("t.worker".to_owned(), ids.collect())].into()
        };
        let run = |seconds: i64, runs: u64, busy: i64, n: usize| {
            let fit = Share {
                runs,
                ..share(40, 0, seconds)
            };
            SideProfile {
                resources: workers(n),
                ..side(
                    100,
                    share(40, 0, 4_000),
                    &[("fit", fit)],
                    &[("worker busy", busy)],
                )
            }
        };
        let a = run(240, 40, 1_000, 4);
        let words = |b: &SideProfile| {
            sentences(&Differences::find([&a, b], Basis::Sum, None))[1..].join(" ")
        };
        assert_eq!(
            words(&run(360, 40, 3_000, 4)),
            "`fit` ran 1.5 times as long: 9.0 s instead of 6.0 s on average, +2 m 00 s in all. \
             worker busy: 1 m 15 s instead of 25.0 s per task, +33 m 20 s in all."
        );
        assert!(
            words(&run(330, 54, 1_000, 4))
                .starts_with("`fit` ran 54 times for 40 instead of 40 times for 40: ")
        );
        assert!(
            words(&run(240, 40, 3_000, 2))
                .starts_with("tasks ran on 2 workers instead of 4. worker busy")
        );
    }

    #[test]
    fn the_smallest_place_that_explains_a_difference_is_named() {
        let a = side(100, share(40, 0, 400), &[("fit", share(40, 0, 80))], &[]);
        let fit = "fit".to_owned();
        let place = (fit.clone(), "t.manager".to_owned(), "m1".to_owned());
        let b = |longest: i64| SideProfile {
            places: [(place.clone(), share(10, 0, 48))].into(),
            longest: [(
                fit.clone(),
                ("t.task".to_owned(), "31".to_owned(), share(1, 0, longest)),
            )]
            .into(),
            ..side(200, share(40, 0, 800), &[("fit", share(40, 0, 110))], &[])
        };
        let words =
            |longest| sentences(&Differences::find([&a, &b(longest)], Basis::Sum, None))[1].clone();
        assert_eq!(
            words(30),
            "`fit` ran 1.4 times as long: 2.8 s instead of 2.0 s on average, +30.0 s in all; \
             task 31 alone 30.0 s, the others 2.1 s each."
        );
        assert!(words(9).ends_with("; on manager m1 4.8 s each, elsewhere 2.1 s."));
    }

    #[test]
    fn selections_differ_by_means_and_outcomes_by_frequency() {
        let load = side(100, share(20, 0, 100), &[("load", share(20, 0, 40))], &[]);
        let late = |seconds: i64| SideProfile {
            first_run: Some(seconds * SECOND),
            ..side(
                60 + seconds,
                share(10, 0, 100),
                &[("fit", share(10, 0, 80))],
                &[],
            )
        };
        let words = sentences(&Differences::find([&late(5), &late(45)], Basis::Sum, None));
        assert_eq!(
            words[1..],
            ["tasks began to run 40.0 s later: 45.0 s after the start instead of 5.0 s."]
        );
        let words = sentences(&Differences::find([&late(5), &late(9)], Basis::Sum, None));
        assert_eq!(words.len(), 1, "less than a tenth of the run");
        let short = SideProfile {
            range: Some((0, 50 * SECOND)),
            ..late(45)
        };
        let words = sentences(&Differences::find([&late(5), &short], Basis::Sum, None));
        assert_eq!(words.len(), 1, "later, and over sooner");
        let fit = side(100, share(10, 0, 100), &[("fit", share(10, 0, 80))], &[]);
        let words = sentences(&Differences::find([&load, &fit], Basis::Mean, None));
        assert_eq!(
            words[1..],
            ["tasks ran 4.0 times as long: 8.0 s instead of 2.0 s on average."]
        );
        let place = |n| {
            (
                ("fit".to_owned(), "t.worker".to_owned(), "3".to_owned()),
                share(n, n, 1),
            )
        };
        let failed = SideProfile {
            places: [place(8)].into(),
            ..side(100, share(10, 10, 100), &[("fit", share(10, 10, 20))], &[])
        };
        let succeeded = SideProfile {
            places: [place(1)].into(),
            ..side(
                100,
                share(20, 0, 200),
                &[("fit", share(15, 0, 30)), ("load", share(5, 0, 10))],
                &[],
            )
        };
        let words = sentences(&Differences::find(
            [&succeeded, &failed],
            Basis::Outcome,
            None,
        ));
        assert_eq!(
            words,
            [
                "10 tasks failed, 20 succeeded; a failed one took, on average, as long: 10.0 s instead of 10.0 s.",
                "`worker 3`: 8 of 10 (80 %) that failed, 1 of 20 (5.0 %) that succeeded.",
                "`fit`: 10 of 10 (100 %) that failed, 15 of 20 (75 %) that succeeded.",
            ]
        );
    }
}

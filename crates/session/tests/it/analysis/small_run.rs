//! Analyses of a small synthetic run, with results computed by hand.

use std::collections::BTreeMap;
use std::sync::Arc;

use widetui_analysis::Instances;
use widetui_analysis::account::{AccountContext, TimeReason, phase_totals, time_account};
use widetui_analysis::check::{check, without_duplicates};
use widetui_analysis::columns::EventProperty;
use widetui_analysis::compare::{ComparedKind, ComparisonSide, compare};
use widetui_analysis::contrast::{DistinguishingValue, contrast};
use widetui_analysis::entity::scan;
use widetui_analysis::latency::latency;
use widetui_analysis::resources::{Resources, resources_of};
use widetui_analysis::run_table::{RunStatus, list_runs};
use widetui_analysis::runs::RunEnds;
use widetui_analysis::scope::{AnalysisScope, TimeWindow};
use widetui_analysis::spans::{LostEnds, SpanOutcome, paired_spans, spans};
use widetui_analysis::states::{ReporterChoice, states};
use widetui_analysis::utilisation::{WEIGHT_UNIT, Weight, throughput, utilisation};
use widetui_core::cancel::{Cancel, Progress};
use widetui_ingest::load::load_all;
use widetui_ingest::options::OpenOptions;
use widetui_query::{Expr, Field, Selection, TimeContext, parse, select, values};
use widetui_session::meaning::{Meaning, with_joined_values};
use widetui_store::Snapshot;
use widetui_testing::runs::data;

const SYSTEM: &str = r#"
name = "t"
[[entity]]
name = "t.job"
id = [["t.job"]]
role = "work_item"
state = "t.state"
states = ["waiting", "running", "done", "broken"]
final = ["done", "broken"]
failed = ["broken"]
waits_for = "t.needs"
runs_in = ["t.worker"]
[[entity]]
name = "t.try"
id = [["t.job", "t.try"]]
start = "t.what = begin"
end = "t.what = end"
lost = "t.what = lost"
runs_in = ["t.worker"]
[[entity]]
name = "t.worker"
id = [["t.worker"]]
role = "resource"
[[rule]]
name = "who begins is somewhere"
where = "t.what in (begin, end)"
then = "has t.worker"
"#;

/// (second, rest of the record).
const RECORDS: [(u32, &str); 19] = [
    (
        0,
        r#""message":"job submitted","t.job":1,"t.state":"waiting""#,
    ),
    (
        1,
        r#""message":"job submitted","t.job":2,"t.state":"waiting","t.needs":1"#,
    ),
    (2, r#""message":"worker starts","t.worker":"w""#),
    (
        2,
        r#""message":"job submitted","t.job":3,"t.state":"waiting""#,
    ),
    (3, r#""message":"job runs","t.job":1,"t.state":"running""#),
    (
        4,
        r#""message":"try begins","t.job":1,"t.try":0,"t.what":"begin","t.worker":"w""#,
    ),
    (
        6,
        r#""message":"try ends","t.job":1,"t.try":0,"t.what":"end","t.worker":"w""#,
    ),
    (7, r#""message":"job ended","t.job":1,"t.state":"done""#),
    (8, r#""message":"job runs","t.job":2,"t.state":"running""#),
    (
        9,
        r#""message":"try begins","t.job":2,"t.try":0,"t.what":"begin","t.worker":"w""#,
    ),
    (9, r#""message":"job runs","t.job":3,"t.state":"running""#),
    (
        10,
        r#""message":"try begins","t.job":3,"t.try":0,"t.what":"begin""#,
    ),
    (
        12,
        r#""message":"try was lost","t.job":3,"t.try":0,"t.what":"lost""#,
    ),
    (12, r#""message":"job ended","t.job":3,"t.state":"broken""#),
    (13, r#""message":"job runs","t.job":3,"t.state":"running""#),
    (14, r#""message":"worker is alive","t.worker":"w""#),
    (
        15,
        r#""message":"job submitted","t.job":4,"t.state":"waiting""#,
    ),
    (16, r#""message":"nothing to do""#),
    (20, r#""message":"nothing to do""#),
];

const EPOCH: i64 = 1_767_225_600; // 2026-01-01

fn at(second: i64) -> i64 {
    (EPOCH + second) * 1_000_000_000
}

struct Run {
    snapshot: Arc<Snapshot>,
    meaning: Meaning,
}

impl Run {
    fn open() -> Run {
        Run::of(&RECORDS)
    }

    fn of(records: &[(u32, &str)]) -> Run {
        let dir = tempfile::tempdir().unwrap();
        let mut text = String::new();
        for (second, rest) in records {
            text.push_str(&format!(
                "{{\"time\":\"2026-01-01T00:00:{second:02}Z\",{rest}}}\n"
            ));
        }
        std::fs::write(dir.path().join("run.jsonl"), text).unwrap();
        let systems = vec![("t.toml".to_owned(), SYSTEM.to_owned())];
        let options = OpenOptions {
            paths: vec![dir.path().to_path_buf()],
            systems: systems.clone(),
            ..OpenOptions::default()
        };
        let loaded = load_all(&options, &Cancel::default(), Progress::default());
        Run {
            snapshot: loaded.unwrap().0,
            meaning: Meaning::new(&systems),
        }
    }

    fn instances(&self, name: &str) -> Instances {
        let mut entities = self.meaning.entities.iter();
        let entity = entities.find(|e| e.name == name).unwrap();
        scan(&self.snapshot, entity, &Cancel::default()).unwrap()
    }

    fn expr(&self, text: &str) -> Expr {
        parse(text, None, &TimeContext::default()).unwrap()
    }

    fn select(&self, text: &str) -> Selection {
        select(&self.snapshot, &self.expr(text), &Cancel::default()).unwrap()
    }

    fn scope(&self, text: &str) -> AnalysisScope {
        AnalysisScope {
            events: Some(self.select(text)),
            ..AnalysisScope::default()
        }
    }
}

fn window(since: i64, until: i64) -> AnalysisScope {
    AnalysisScope {
        window: TimeWindow {
            since: Some(at(since)),
            until: Some(at(until)),
        },
        ..AnalysisScope::default()
    }
}

fn seconds(points: &[(i64, i64)]) -> Vec<(i64, i64)> {
    let points = points.iter();
    points
        .map(|(t, n)| (t / 1_000_000_000 - EPOCH, *n))
        .collect()
}

#[test]
fn steps_are_timed_from_the_first_record_and_from_the_one_before() {
    let run = Run::open();
    let jobs = run.instances("t.job");
    let all = |scope: &AnalysisScope| {
        latency(&run.snapshot, &jobs, scope, &[], &Cancel::default()).unwrap()
    };
    let found = all(&AnalysisScope::default());
    assert_eq!(found.instances, 4);
    let row = |template: &str, occurrence: u32| {
        let mut rows = found.rows.iter();
        rows.find(|r| r.template == template && r.occurrence == occurrence)
            .unwrap()
    };
    let first = row("job submitted", 1);
    assert_eq!(
        (first.instances, first.offset.max, first.step),
        (4, 0.0, None)
    );
    // After 3, 7 and 7 s; each follows the submission immediately, which is as frequent.
    let runs = row("job runs", 1);
    assert_eq!(
        (runs.instances, runs.share, runs.offset.p50),
        (3, 0.75, 7e9)
    );
    assert_eq!(runs.step.unwrap().max, 7e9);
    let again = row("job runs", 2);
    assert_eq!((again.instances, again.offset.mean), (1, 11e9));
    let ended = row("job ended", 1);
    assert_eq!((ended.offset.mean, ended.step.unwrap().count), (8.5e9, 2));
    // Clipped, the offset is still measured from the instance's first record.
    let clipped = all(&window(12, 14));
    assert_eq!(clipped.instances, 1);
    let offsets: Vec<(u32, f64)> = clipped
        .rows
        .iter()
        .map(|r| (r.occurrence, r.offset.mean))
        .collect();
    assert_eq!(offsets, [(1, 10e9), (1, 10e9), (2, 11e9)]);
    assert_eq!(all(&run.scope("t.job = 4")).rows.len(), 1);
    assert!(!all(&AnalysisScope::default()).has_negative_steps());
}

/// Steps with a negative median but a positive mean.
#[test]
fn steps_in_different_orders_are_reported_so() {
    let mut records = Vec::new();
    let texts: Vec<(u32, String)> = [(1, 1), (2, 1), (3, 30)]
        .iter()
        .flat_map(|(job, packed)| {
            [
                (0, format!(r#""message":"job begins","t.job":{job}"#)),
                (2, format!(r#""message":"job is known","t.job":{job}"#)),
                (
                    *packed,
                    format!(r#""message":"job is packed","t.job":{job}"#),
                ),
            ]
        })
        .collect();
    records.extend(texts.iter().map(|(second, text)| (*second, text.as_str())));
    records.sort_unstable();
    let run = Run::of(&records);
    let jobs = run.instances("t.job");
    let scope = AnalysisScope::default();
    let found = latency(&run.snapshot, &jobs, &scope, &[], &Cancel::default()).unwrap();
    let step = found.rows.last().unwrap().step.unwrap();
    assert_eq!((step.p50, step.max), (-1e9, 28e9));
    assert!(step.mean > 0.0 && found.has_negative_steps());
}

#[test]
fn each_change_of_state_changes_two_counts() {
    let run = Run::open();
    let jobs = run.instances("t.job");
    let of = |scope: &AnalysisScope| {
        states(
            &run.snapshot,
            &jobs,
            scope,
            &ReporterChoice::MostTrusted,
            &Cancel::default(),
        )
        .unwrap()
    };
    let found = of(&AnalysisScope::default());
    assert_eq!(found.names[..4], ["waiting", "running", "done", "broken"]);
    assert_eq!(found.final_counts[..4], [1, 2, 1, 0]);
    let waiting = [(0, 1), (1, 2), (2, 3), (3, 2), (8, 1), (9, 0), (15, 1)];
    assert_eq!(seconds(&found.series[0].points), waiting);
    // Job 3 ran again after its failure.
    assert_eq!(found.impossible.len(), 1);
    assert_eq!((found.impossible[0].from, found.impossible[0].to), (3, 1));
    let clipped = of(&window(5, 9));
    assert_eq!(seconds(&clipped.series[0].points), [(5, 2), (8, 1)]);
    // Job 4 begins after the window: it is in no state, and its state is not missing.
    assert_eq!(clipped.final_counts[..4], [1, 1, 1, 0]);
    assert_eq!(clipped.stateless, 0);
}

#[test]
fn spans_last_from_start_to_end_and_are_counted_while_they_do() {
    let run = Run::open();
    let tries = run.instances("t.try");
    let scope = AnalysisScope::default();
    let found = spans(&run.snapshot, &tries, &scope, None, &Cancel::default()).unwrap();
    let ends: Vec<(i64, SpanOutcome)> = found
        .list
        .iter()
        .map(|s| (s.duration() / 1_000_000_000, s.outcome))
        .collect();
    assert_eq!(
        ends,
        [
            (2, SpanOutcome::Ended),
            (11, SpanOutcome::Unfinished),
            (2, SpanOutcome::Lost)
        ]
    );
    let steps = |lost| seconds(&found.concurrency(&scope, lost).points);
    assert_eq!(
        steps(LostEnds::WhenReported),
        [(4, 1), (6, 0), (9, 1), (10, 2), (12, 1)]
    );
    assert_eq!(steps(LostEnds::WithRun), [(4, 1), (6, 0), (9, 1), (10, 2)]);
    let summary = found.summary();
    assert_eq!(
        (summary[0].count, summary[0].unfinished, summary[0].lost),
        (3, 1, 1)
    );
    // Instances that began before the window are present at its start.
    let late = window(11, 30);
    let clipped = spans(&run.snapshot, &tries, &late, None, &Cancel::default()).unwrap();
    assert_eq!(
        seconds(&clipped.concurrency(&late, LostEnds::WhenReported).points),
        [(11, 2), (12, 1)]
    );

    // From submission to running: a queue without a definition.
    let (start, end) = (run.select("submitted"), run.select("\"job runs\""));
    let key = EventProperty::parse(&run.snapshot, "t.job").unwrap();
    let marks = (&start, &end);
    let queue = paired_spans(
        &run.snapshot,
        marks,
        (Some(&key), None),
        &RunEnds::of(&run.snapshot, &run.meaning.entities, &Cancel::default()).unwrap(),
        &scope,
        &Cancel::default(),
    )
    .unwrap();
    let times: Vec<i64> = queue
        .list
        .iter()
        .map(|s| s.duration() / 1_000_000_000)
        .collect();
    assert_eq!(times, [3, 7, 7, 5]);
    assert_eq!(
        (queue.list[3].outcome, queue.unstarted),
        (SpanOutcome::Unfinished, 1)
    );
}

#[test]
fn throughput_and_busy_workers() {
    let run = Run::open();
    let tries = run.instances("t.try");
    let (scope, cancel) = (AnalysisScope::default(), Cancel::default());
    let carriers = resources_of(&tries.entity, &run.meaning.entities);
    assert_eq!(carriers.len(), 1);
    let all = &run.meaning.entities;
    let carriers = Resources::innermost(&run.snapshot, &tries.entity, all, &cancel);
    let carriers = carriers.unwrap().unwrap();
    let found = utilisation(
        &run.snapshot,
        &tries,
        Some(&carriers),
        &scope,
        &Weight::One,
        &cancel,
    )
    .unwrap();
    assert_eq!(found.running.value_at(at(11)), 2 * WEIGHT_UNIT);
    // The box's last record is at 14 s, but a job in it never ended.
    assert_eq!(seconds(&found.capacity.points), [(2, 1), (20, 0)]);
    let [used] = found.resources[..] else {
        panic!("{:?}", found.resources)
    };
    // The box lived for 18 s; one job ran in it for 2 s, another for the last 11 s.
    assert!((used.busy - 13.0 / 18.0).abs() < 1e-9, "{used:?}");
    assert_eq!((used.cold_start, used.executions), (Some(2_000_000_000), 2));
    let third = Weight::Per(1.0, EventProperty::parse(&run.snapshot, "t.job").unwrap());
    let found = utilisation(&run.snapshot, &tries, None, &scope, &third, &cancel).unwrap();
    assert_eq!(found.running.value_at(at(9)), WEIGHT_UNIT / 2);
    assert_eq!(Weight::parse(&run.snapshot, "1 / t.job"), Ok(third));
    assert!(Weight::parse(&run.snapshot, "1/nobody").is_err());

    let jobs = run.instances("t.job");
    let found = throughput(&run.snapshot, &jobs, &scope, None, &cancel).unwrap();
    assert_eq!(seconds(&found.finished[0].points), [(7, 1), (12, 2)]);
    // The start of the second box is not reported.
    let run = Run::of(&[
        (
            0,
            r#""message":"try begins","t.job":1,"t.try":0,"t.what":"begin""#,
        ),
        (
            3,
            r#""message":"try ends","t.job":1,"t.try":0,"t.what":"end""#,
        ),
        (
            4,
            r#""message":"try ends","t.job":2,"t.try":0,"t.what":"end""#,
        ),
    ]);
    let tries = run.instances("t.try");
    let found = throughput(&run.snapshot, &tries, &scope, None, &cancel).unwrap();
    assert_eq!(seconds(&found.finished[0].points), [(3, 1), (4, 2)]);
}

#[test]
fn the_account_of_the_wait() {
    let run = Run::open();
    let jobs = run.instances("t.job");
    let cancel = Cancel::default();
    let around = AccountContext::new(&run.snapshot, &jobs, &run.meaning.entities, &cancel).unwrap();
    let phases = |job: usize| -> Vec<(TimeReason, i64, String)> {
        let phases = time_account(&run.snapshot, &jobs, &around, job).into_iter();
        phases
            .map(|p| (p.reason, (p.end - p.start) / 1_000_000_000, p.description))
            .collect()
    };
    let phase = |why: TimeReason, seconds: i64, what: &str| (why, seconds, what.to_owned());
    let expected = [
        phase(TimeReason::ResourceNotStarted, 2, "worker not started"),
        phase(TimeReason::State, 1, "waiting"),
        phase(TimeReason::State, 1, "running"),
        phase(TimeReason::PartRuns, 2, "try runs"),
        phase(TimeReason::State, 1, "running, after its last try"),
    ];
    assert_eq!(phases(0), expected);
    // Job 2 waits for job 1, which ends at 7 s; then it is not yet started; then it runs until the end.
    let expected = [
        phase(TimeReason::Dependency, 6, "waits for a job"),
        phase(TimeReason::State, 1, "waiting"),
        phase(TimeReason::State, 1, "running"),
        phase(TimeReason::PartRuns, 11, "try runs"),
    ];
    assert_eq!(phases(1), expected);
    let sums = phase_totals(
        &run.snapshot,
        &jobs,
        &around,
        &AnalysisScope::default(),
        &cancel,
    )
    .unwrap();
    let shares: f64 = sums.iter().map(|s| s.share).sum();
    assert!((shares - 1.0).abs() < 1e-9);
    let runs = sums
        .iter()
        .find(|s| s.reason == TimeReason::PartRuns)
        .unwrap();
    assert_eq!((runs.instances, runs.per_instance.total), (3, 15e9));
}

/// A value and its equivalent values.
fn flat(value: &DistinguishingValue) -> impl Iterator<Item = &DistinguishingValue> {
    std::iter::once(value).chain(&value.equivalents)
}

#[test]
fn runs_rules_contrasts_and_comparisons() {
    let run = Run::open();
    let cancel = Cancel::default();
    let scope = AnalysisScope::default();
    let found = list_runs(&run.snapshot, &run.meaning.entities, &scope, &cancel).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].entities["t.job"], found[0].entities["t.worker"]),
        (4, 1)
    );
    // Jobs 2 and 4: job 3 ended when it failed, whatever it did afterwards.
    assert_eq!(found[0].status, RunStatus::Unfinished(2));

    let mut rules = run.meaning.rules().iter();
    let rule = rules.find(|r| r.system == "t").unwrap();
    let checked = check(&run.snapshot, rule, None, &cancel).unwrap();
    assert_eq!((checked.events, checked.violations), (4, 1));
    assert_eq!(checked.examples.len(), 1);

    let found = contrast(&run.snapshot, &run.select("has t.what"), None, &[], &cancel).unwrap();
    assert_eq!((found.inside, found.outside), (5, 14));
    let value = |key: &str, value: &str| {
        let mut values = found.values.iter().flat_map(flat);
        values.find(|v| v.key == key && v.value == value).unwrap()
    };
    let begin = value("t.what", "begin");
    assert_eq!((begin.inside, begin.outside), (3, 0));
    assert!(value("t.try", "0").score > begin.score);
    assert!(
        found
            .values
            .iter()
            .flat_map(flat)
            .all(|v| v.key != "t.state")
    );
    // Values of the same set of records are reported once.
    let what = (begin.inside, begin.outside);
    let mut reported = found
        .values
        .iter()
        .filter(|v| (v.inside, v.outside) == what);
    let reported = reported.next().unwrap();
    assert!(
        reported.key == "template" && reported.equivalents.contains(begin),
        "{reported:#?}"
    );

    let jobs = run.instances("t.job");
    let side = |text: &str| {
        let mut side = ComparisonSide::default();
        side.add_instances(&run.snapshot, &jobs, &run.scope(text), &cancel)
            .unwrap();
        side
    };
    let lines = compare(&side("t.job in (1, 2)"), &side("t.job = 3"));
    let line = |what: ComparedKind, name: &str| {
        let mut lines = lines.iter();
        lines.find(|l| l.kind == what && l.name == name).unwrap()
    };
    let count = line(ComparedKind::Count, "t.job");
    assert_eq!(
        (count.first, count.second, count.difference()),
        (Some(2.0), Some(1.0), Some(-1.0))
    );
    // That side has a job, and it is not done.
    assert_eq!(line(ComparedKind::State, "t.job done").second, Some(0.0));
    // Job 1 took 7 s, job 3 took 10 s; job 2 has not ended.
    assert_eq!(
        line(ComparedKind::Duration, "t.job mean").difference(),
        Some(3e9)
    );
}

/// Counting all keys at once agrees with counting them one by one, also with duplicate records and joined values.
#[test]
fn contrasts_are_counted_as_single_keys_are() {
    for path in ["hung", "multi.tar.gz", "workqueue.tar.gz", "queue-run"] {
        let options = OpenOptions {
            paths: vec![data().join(path)],
            ..OpenOptions::default()
        };
        let go = Cancel::default();
        let (snapshot, _) = load_all(&options, &go, Progress::default()).unwrap();
        let meaning = Meaning::new(&[]);
        let (snapshot, _) = with_joined_values(&snapshot, &meaning.joins, &go).unwrap();
        let read = |text: &str| {
            let expr = parse(text, None, &TimeContext::default()).unwrap();
            select(&snapshot, &expr, &go).unwrap()
        };
        for (text, among) in [
            ("level >= warning", None),
            ("parsl.task < 10", None),
            ("source ~ worker", None),
            ("level >= info", Some("source ~ worker or has parsl.task")),
        ] {
            let chosen = read(text);
            let among = among.map(read);
            let found = contrast(&snapshot, &chosen, among.as_ref(), &[], &go).unwrap();
            let all = among.unwrap_or_else(|| Selection::all(&snapshot));
            let mut inside = without_duplicates(&snapshot, chosen.clone());
            inside.and(&all);
            let mut outside = without_duplicates(&snapshot, all);
            outside.and_not(&chosen);
            assert_eq!(
                (found.inside, found.outside),
                (inside.len() as u64, outside.len() as u64)
            );
            let mut reported: Vec<(String, String, u64, u64)> = found
                .values
                .iter()
                .flat_map(flat)
                .map(|v| (v.key.clone(), v.value.clone(), v.inside, v.outside))
                .collect();
            let mut expected = Vec::new();
            for key in snapshot.catalog.keys.iter() {
                let field = Field::key(&key.key.name);
                let form = |text: &str| {
                    let kind = key.key.kind;
                    kind.canonical(text).unwrap_or_else(|| text.to_owned())
                };
                let of = |of: &Selection| values(&snapshot, &field, Some(of), &go).unwrap();
                let there = of(&outside).into_iter();
                let there: BTreeMap<String, u64> = there.map(|(v, n)| (form(&v), n)).collect();
                for (value, a) in of(&inside) {
                    let b = there.get(&form(&value)).copied().unwrap_or(0);
                    if a * found.outside > b * found.inside {
                        expected.push((key.key.name.to_string(), value, a, b));
                    }
                }
            }
            reported.retain(|v| !["template", "level", "source"].contains(&v.0.as_str()));
            expected.retain(|v| !["template", "level", "source"].contains(&v.0.as_str()));
            reported.sort();
            expected.sort();
            assert_eq!(reported, expected, "{path} {text}");
        }
    }
}

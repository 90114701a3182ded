//! A command and the corresponding question of the explorer give the same answer.

use std::sync::Arc;

use serde_json::json;

use widetui_analysis::entity::Id;
use widetui_core::cancel::{Cancel, Progress};
use widetui_ingest::load::load_all;
use widetui_ingest::options::OpenOptions;
use widetui_query::{Expr, TimeContext, parse};
use widetui_session::comparison::{ComparedSide, Comparison, SideInstances};
use widetui_session::findings::DiagnosisRequest;
use widetui_session::jobs::{self, Answer, Question, TableData, TableRequest};
use widetui_session::meaning::{Meaning, with_joined_values};
use widetui_session::rows::Rows;
use widetui_session::selection::SelectionStep;
use widetui_store::Snapshot;
use widetui_tables::answers::runs::{compare_lines, difference_lines};
use widetui_time::zone::Zone;

use super::*;

/// Runs, and of each expressions that some of its records fit.
const ASKED: [(&str, [&str; 3]); 2] = [
    (
        "hung",
        [
            "parsl.task = 24",
            "level >= warning",
            "failed or level >= error",
        ],
    ),
    (
        "manager_lost.tar.gz",
        [
            "parsl.task = 29",
            "level = warning or level >= error",
            "lost",
        ],
    ),
];

/// A run as the explorer has it.
struct Open {
    path: String,
    snapshot: Arc<Snapshot>,
    meaning: Arc<Meaning>,
}

impl Open {
    fn run(name: &str) -> Open {
        let path = runs::data().join(name);
        let options = OpenOptions {
            paths: vec![path.clone()],
            fallback_zone: Zone::Utc,
            ..OpenOptions::default()
        };
        let cancel = Cancel::default();
        let (snapshot, _) = load_all(&options, &cancel, Progress::default()).unwrap();
        let meaning = Meaning::new(&[]);
        let meaning = Arc::new(meaning.with_data_joins(&snapshot).unwrap_or(meaning));
        let (snapshot, _) = with_joined_values(&snapshot, &meaning.joins, &cancel).unwrap();
        Open {
            path: path.display().to_string(),
            snapshot,
            meaning,
        }
    }

    fn expr(&self, text: &str) -> Expr {
        let time = TimeContext {
            base_date_ns: 0,
            zone: Zone::Utc,
        };
        parse(text, Some(&self.snapshot.catalog.keys), &time).unwrap()
    }

    /// Last answer of each kind to a question of the explorer.
    fn asked<T>(&self, question: &Question, wanted: impl Fn(Answer) -> Option<T>) -> T {
        let mut last = None;
        jobs::answer(&self.snapshot, question, &Cancel::default(), &mut |given| {
            last = wanted(given).or(last.take());
        });
        last.unwrap()
    }

    fn steps(&self, text: &str) -> Vec<SelectionStep> {
        vec![SelectionStep::new(text, self.expr(text))]
    }

    fn rows(&self, text: &str) -> Rows {
        let question = Question::Select {
            steps: self.steps(text),
            near: None,
            context: None,
        };
        self.asked(&question, |given| match given {
            Answer::Selected(rows, _) => Some(rows),
            _ => None,
        })
    }

    fn table(&self, rows: Rows, of: TableRequest) -> TableData {
        self.asked(&Question::Table(rows, of), |given| match given {
            Answer::Table(data, _) => Some(data),
            _ => None,
        })
    }

    /// Rows that a command prints.
    fn printed(&self, args: &[&str]) -> Vec<Map<String, Json>> {
        objects(&ok(&[args, &["--format", "jsonl", &self.path]].concat()))
    }
}

/// These of a row's fields.
fn fields(row: &Map<String, Json>, names: &[&str]) -> Vec<Json> {
    names.iter().map(|name| row[*name].clone()).collect()
}

#[test]
fn contrasts_are_the_same() {
    for (name, texts) in ASKED {
        let open = Open::run(name);
        // Nothing is selected in the explorer: errors.
        for text in texts.into_iter().chain(["level >= error"]) {
            let (rows, by) = match text {
                "level >= error" => (Rows::All, Vec::new()),
                text => (open.rows(text), vec![open.expr(text)]),
            };
            let TableData::Contrast(data) = open.table(rows, TableRequest::Contrast(by)) else {
                panic!("no contrast");
            };
            assert_eq!(data.more, 0);
            let values = data.contrast.values.iter().map(|found| {
                let also = found.equivalents.iter();
                let mut also: Vec<String> =
                    also.map(|v| format!("{}={}", v.key, v.value)).collect();
                also.sort();
                vec![
                    json!(found.key),
                    json!(found.value),
                    json!(found.inside),
                    json!(found.outside),
                    json!(also),
                ]
            });
            let values: Vec<Vec<Json>> = values.collect();
            let columns = ["key", "value", "inside", "outside", "also"];
            let printed = open.printed(&["contrast", text]);
            let printed: Vec<Vec<Json>> = printed.iter().map(|r| fields(r, &columns)).collect();
            assert_eq!(values, printed, "{name} {text}");
            assert!(!values.is_empty(), "{name} {text}");
            // That records that were found by their levels have these is no news.
            let is_level = |row: &Vec<Json>| {
                let also = row[4].as_array().unwrap().iter();
                row[0] == "level"
                    || also
                        .clone()
                        .any(|v| v.as_str().unwrap().starts_with("level="))
            };
            if text.starts_with("level") {
                assert!(!values.iter().any(is_level), "{name} {text}");
            }
        }
    }
}

#[test]
fn comparisons_are_the_same() {
    for (name, texts) in ASKED {
        let open = Open::run(name);
        for text in texts {
            let others = ComparedSide {
                part: SideInstances::Others,
                ..ComparedSide::selected("others", open.steps(text))
            };
            let sides = Box::new([ComparedSide::selected("a", open.steps(text)), others]);
            let asked = TableRequest::Compare(open.meaning.instance_cache.clone(), sides);
            let TableData::Compare(data) = open.table(Rows::All, asked) else {
                panic!("no comparison");
            };
            let Comparison { lines, differences } = &data.comparison;
            let all = difference_lines(differences).chain(compare_lines(lines));
            let lines = all.map(|row| {
                let line = row.line;
                let scale = if line.kind.is_time() { 1e9 } else { 1.0 };
                let number = |v: Option<f64>| v.map(|v| (v / scale * 1e6).round());
                let name = format!("{} {}", line.kind.name(), line.name);
                (name, number(line.first), number(line.second))
            });
            let lines: Vec<_> = lines.collect();
            let printed = open.printed(&["compare", "--a", text]);
            let printed = printed.iter().map(|row| {
                let number = |side: &str| row[side].as_f64().map(|v| (v * 1e6).round());
                let [what, name] = ["what", "name"].map(|f| row[f].as_str().unwrap());
                (format!("{what} {name}"), number("a"), number("b"))
            });
            assert_eq!(lines, printed.collect::<Vec<_>>(), "{name} {text}");
            assert!(!lines.is_empty(), "{name} {text}");
        }
    }
}

#[test]
fn what_hangs_is_the_same() {
    for (name, texts) in ASKED {
        let open = Open::run(name);
        let question = Question::Instances(open.meaning.clone(), None);
        let all = open.asked(&question, |given| match given {
            Answer::Unfinished(stuck) => Some(stuck),
            _ => None,
        });
        let mut told_of_some = 0;
        for text in texts.into_iter().map(Some).chain([None]) {
            let reported = match text {
                Some(text) => {
                    let question = Question::UnfinishedInSelection(
                        open.rows(text),
                        open.meaning.clone(),
                        all.clone(),
                    );
                    open.asked(&question, |given| match given {
                        Answer::UnfinishedInSelection(reported) => Some(reported),
                        _ => None,
                    })
                }
                None => all.clone(),
            };
            let args: Vec<&str> = text.map_or(vec!["hung"], |t| vec!["hung", "--where", t]);
            let printed = open.printed(&args);
            let of_kind = |kind: &str, columns: &[&str]| -> Vec<Vec<Json>> {
                let rows = printed.iter().filter(|row| row["kind"] == kind);
                rows.map(|row| fields(row, columns)).collect()
            };
            let id = |id: &Id| {
                id.iter()
                    .map(|(_, value)| value.clone())
                    .collect::<Vec<_>>()
            };
            let ids = |json: &Json| {
                let values = json.as_object().unwrap().values();
                let text = |v: &Json| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
                values.map(text).collect::<Vec<_>>()
            };
            let stuck = reported.hung.told().map(|s| {
                let state = json!(s.state);
                (
                    id(&s.id),
                    state,
                    json!(s.waiters.len()),
                    json!(s.all_waiters),
                )
            });
            let columns = ["id", "state", "waiters_direct", "waiters"];
            let rows = of_kind("entity", &columns).into_iter();
            let rows = rows.map(|r| (ids(&r[0]), r[1].clone(), r[2].clone(), r[3].clone()));
            let rows: Vec<_> = rows.collect();
            assert_eq!(stuck.collect::<Vec<_>>(), rows, "{name} {text:?}");
            told_of_some += rows.len();
            let silent = reported.hung.silent.iter().filter(|s| s.is_told);
            let silent: Vec<Vec<Json>> = silent
                .map(|s| vec![json!(s.tag), json!(s.records)])
                .collect();
            let rows = of_kind("silent", &["source", "records"]);
            assert_eq!(silent, rows, "{name} {text:?}");
            let idle = reported
                .hung
                .idle
                .iter()
                .map(|i| vec![json!(i.entity), json!(i.alive)]);
            let rows = of_kind("idle", &["entity", "alive"]);
            assert_eq!(idle.collect::<Vec<_>>(), rows, "{name} {text:?}");
        }
        assert!(told_of_some > 0 || name != "hung");
    }
}

#[test]
fn findings_are_the_same() {
    for (name, texts) in ASKED {
        let open = Open::run(name);
        for text in texts.into_iter().map(Some).chain([None]) {
            let wish = DiagnosisRequest {
                rows: text.map_or(Rows::All, |text| open.rows(text)),
                meaning: open.meaning.clone(),
                zone: Zone::Utc,
                now: None,
            };
            let question = Question::Findings(Box::new(wish));
            let found = open.asked(&question, |given| match given {
                Answer::Findings(found) => Some(found),
                _ => None,
            });
            let findings = found.diagnosis.findings.iter();
            let findings = findings
                .map(|f| vec![json!(f.kind), json!(f.title), json!(f.text), json!(f.count)]);
            let args: Vec<&str> = text.map_or(vec!["diagnose"], |t| vec!["diagnose", "--where", t]);
            let printed = open.printed(&args);
            let (summary, rows) = printed.split_last().unwrap();
            let columns = ["kind", "title", "text", "count"];
            let rows: Vec<Vec<Json>> = rows.iter().map(|r| fields(r, &columns)).collect();
            assert_eq!(findings.collect::<Vec<_>>(), rows, "{name} {text:?}");
            assert_eq!(
                summary["elsewhere"],
                json!(found.elsewhere),
                "{name} {text:?}"
            );
            assert_eq!(summary["text"], json!(found.diagnosis.summary));
            assert!(text.is_some() || !rows.is_empty(), "{name}");
        }
    }
}

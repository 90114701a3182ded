//! Joins in the explorer: one history with the selection, conflicts before a join is applied.

use std::sync::Arc;
use std::time::Duration;

use widetui_app::follow_mode::Following;
use widetui_app::model::View;
use widetui_app::msg::{Effect, Msg, SavedWorkspace};
use widetui_core::cancel::{Cancel, Progress};
use widetui_ingest::load::load_all;
use widetui_ingest::options::{LoadMsg, OpenOptions};
use widetui_session::jobs::{Answer, JobKind, Question, answer};
use widetui_store::Snapshot;

use widetui_testing_tui::explorer::Explorer;

fn row_count(s: &Explorer) -> usize {
    s.model.table().map_or(0, |t| t.len())
}

#[test]
fn joins_are_taken_back_from_everywhere_in_one_order_of_time() {
    let mut s = Explorer::of(&["tests/data/hung/000"], "dark", 120, 40);
    let state = |s: &Explorer| {
        let joins = s.model.selection.joins();
        (
            s.model.selection.steps().len(),
            joins.off.len() + joins.own.len(),
        )
    };
    let filter = |s: &mut Explorer, text: &str| {
        s.keys("1f").send(Msg::Paste(text.to_owned()));
        s.keys("<enter>");
    };
    filter(&mut s, "has parsl.task");
    let with_joins = s.model.len();
    s.keys("6&executor ta<enter>");
    for _ in 0..row_count(&s) {
        s.keys("<space>j");
    }
    let off = state(&s).1;
    assert!(off > 0);
    filter(&mut s, "level >= debug");
    assert_eq!(state(&s), (2, off));
    assert!(s.model.len() < with_joins);
    // Undo also works in the record view, which shows no joins.
    s.keys("u");
    assert_eq!(state(&s), (1, off));
    s.keys("u");
    assert_eq!(state(&s), (1, off - 1));
    let said = s.last_line();
    assert!(said.contains("the join "), "{said}");
    for _ in 1..off {
        s.keys("u");
    }
    assert_eq!((state(&s), s.model.len()), ((1, 0), with_joins));
    s.keys("u");
    assert_eq!(state(&s), (0, 0));
    for _ in 0..off + 2 {
        s.keys("<ctrl-r>");
    }
    assert_eq!(state(&s), (2, off));
    assert!(
        s.model
            .joins
            .reports
            .iter()
            .all(|r| !s.model.selection.joins().off.contains(&r.join))
    );
}

#[test]
fn a_join_that_is_built_says_before_where_it_would_find_several_values() {
    let mut s = Explorer::of(&["tests/data/queue-run"], "dark", 120, 40);
    s.keys("6a&worker<enter><enter><esc>&job<enter><enter><enter>");
    let draft = s.model.joins.draft.clone();
    assert_eq!(
        (&draft.by[..], &draft.gives[..]),
        (&["worker".to_owned()][..], &["job".to_owned()][..])
    );
    let report = draft.preview.unwrap().unwrap();
    assert!(report.conflicts > 0 && !report.examples.is_empty());
    let screen = s.screen().text();
    let title = format!(
        "{} conflicts: their events would get nothing",
        report.conflicts
    );
    assert!(screen.contains(&title), "{screen}");
    let first = &report.examples[0];
    let [(value, _), (other, _), ..] = &first.values[..] else {
        panic!("{first:?}");
    };
    let (key, group) = &first.group[0];
    let reported = screen
        .lines()
        .find(|l| l.contains(&format!("{key} {group}")));
    let reported = reported.unwrap_or_else(|| panic!("{screen}"));
    assert!(
        reported.contains(&format!("{value}, {other}")),
        "{reported}"
    );
    // A join without conflicts has no such lines.
    let mut s = Explorer::of(&["tests/data/queue-run"], "dark", 120, 40);
    s.keys("6a&job<enter><enter><esc>&worker<enter><enter><enter>");
    let report = s.model.joins.draft.preview.clone().unwrap().unwrap();
    assert_eq!(
        report.conflicts > 0,
        s.screen().text().contains("would get nothing")
    );
    // Drawing on small screens does not panic.
    for (columns, rows) in [(80, 24), (40, 9), (20, 4), (1, 1)] {
        let mut s = Explorer::of(&["tests/data/queue-run"], "mono", columns, rows);
        s.keys("6a&worker<enter><enter><esc>&job<enter><enter><enter>");
        s.screen();
    }
}

#[test]
fn the_join_of_a_table_of_facts_stands_among_the_others() {
    let dir = tempfile::tempdir().unwrap();
    let facts = dir.path().join("chains.csv");
    std::fs::write(&facts, "job,chain\n1,alpha\n2,alpha\n3,beta\n").unwrap();
    let options = OpenOptions {
        paths: vec!["tests/data/queue-run".into()],
        facts: vec![facts],
        threads: Some(1),
        ..OpenOptions::default()
    };
    let loaded = load_all(&options, &Cancel::default(), Progress::default());
    let snapshot = loaded.unwrap().0;
    let session = |only: Option<Vec<String>>| {
        let mut s = Explorer::new("dark", 120, 40);
        s.change(|model| model.joins.only = only);
        s.send(Msg::Load(LoadMsg::Snapshot(snapshot.clone())));
        s
    };
    let chained = |s: &mut Explorer| {
        s.keys("1f")
            .send(Msg::Paste("chain = alpha and has time".into()));
        s.keys("<enter>");
        let count = s.model.len();
        s.keys("u");
        count
    };
    let mut s = session(None);
    let all = chained(&mut s);
    assert!(all > 2);
    s.keys("6&facts<enter>");
    let screen = s.screen().text();
    let line = screen.lines().find(|l| l.contains("facts chains.csv"));
    let line = line.unwrap_or_else(|| panic!("{screen}"));
    assert!(line.contains("●  job ⇒ chain"), "{line}");
    // An applied join is not suggested again.
    assert_eq!(screen.matches("job ⇒ chain").count(), 1, "{screen}");
    s.keys("<space>");
    assert_eq!(chained(&mut s), 0);
    s.keys("6<space>");
    assert_eq!(chained(&mut s), all);
    // A join that the command line excludes is disabled initially, with nothing to undo.
    let mut s = session(Some(Vec::new()));
    assert_eq!(chained(&mut s), 0);
    assert!(!s.model.selection.can_undo());
    s.keys("6&facts<enter><space>");
    assert_eq!(chained(&mut s), all);
    let mut s = session(Some(vec!["facts chains.csv".to_owned()]));
    assert_eq!(chained(&mut s), all);
}

/// Answer to the question about joins among some effects, as if it had taken `core_time`.
fn widened(effects: &[Effect], core_time: Duration) -> Option<Msg> {
    effects.iter().find_map(|effect| {
        let Effect::Ask {
            snapshot,
            question: question @ Question::Joins(_),
            generation,
        } = effect
        else {
            return None;
        };
        let mut msg = None;
        answer(snapshot, question, &Cancel::default(), &mut |found| {
            if let Answer::Joined {
                snapshot, reports, ..
            } = found
            {
                let found = Answer::Joined {
                    snapshot,
                    reports,
                    core_time,
                };
                msg = Some(Msg::Answer(JobKind::Joins, *generation, found));
            }
        });
        msg
    })
}

#[test]
fn work_on_a_large_run_that_grows_pauses_unless_the_user_wants_it() {
    let mut s = Explorer::live(&["tests/data/hung/000"], "dark", 120, 40);
    s.change(|model| model.load_state.follow.state = Following::On);
    let run = s.model.snapshot.clone();
    let grow = |s: &mut Explorer| {
        let grown = LoadMsg::Snapshot(run.clone());
        s.model.update(Msg::Load(grown))
    };
    let long = Duration::from_millis(200);
    let effects = grow(&mut s);
    let effects = s.model.update(widened(&effects, long).expect("a question"));
    let rest = effects.iter().find_map(|effect| match effect {
        Effect::Rest(time) => Some(*time),
        _ => None,
    });
    assert_eq!(rest, Some(49 * long));
    // While the run grows, joins are not computed until the pause is over.
    for _ in 0..2 {
        assert!(widened(&grow(&mut s), long).is_none());
    }
    let effects = s.model.update(Msg::Rested);
    let effects = s.model.update(widened(&effects, long).expect("a question"));
    assert!(effects.iter().any(|e| matches!(e, Effect::Rest(_))));
    // Without new records, nothing is computed after the pause.
    assert!(widened(&s.model.update(Msg::Rested), long).is_none());
    // A table that takes longer extends the pause.
    let effects = grow(&mut s);
    s.model.update(widened(&effects, long).expect("a question"));
    let effects = s
        .model
        .update(Msg::Key(widetui_app::keys::Key::parse("8").unwrap()));
    let asked = effects.iter().find_map(|effect| match effect {
        Effect::Ask {
            question: Question::Table(..),
            generation,
            ..
        } => Some(*generation),
        _ => None,
    });
    let table = std::sync::Arc::new(widetui_tables::table::Table::default());
    let effects = s
        .model
        .update(Msg::Table(asked.expect("a question"), table, 5 * long));
    let longer = 49 * 5 * long;
    assert!(
        effects
            .iter()
            .any(|e| matches!(e, Effect::Rest(time) if *time == longer))
    );
    s.change(|model| model.view = widetui_app::model::View::EVENTS);
    s.model.update(Msg::Rested);
    // Fast joins need no pause.
    let effects = grow(&mut s);
    let quick = Duration::from_millis(3);
    let effects = s
        .model
        .update(widened(&effects, quick).expect("a question"));
    assert!(!effects.iter().any(|e| matches!(e, Effect::Rest(_))));
    // A pause does not delay a change by the user.
    let effects = grow(&mut s);
    s.model.update(widened(&effects, long).expect("a question"));
    assert!(widened(&grow(&mut s), long).is_none());
    s.change(|model| model.view = widetui_app::model::View::JOINS);
    s.keys("6&executor ta<enter>");
    let key = widetui_app::keys::Key::parse("space").unwrap();
    assert!(widened(&s.model.update(Msg::Key(key)), long).is_some());
}

/// Answer to the question about the rows of a new snapshot.
fn kept(effects: &[Effect]) -> Option<Msg> {
    effects.iter().find_map(|effect| {
        let Effect::Ask {
            snapshot,
            question: question @ Question::CarryOver(_),
            generation,
        } = effect
        else {
            return None;
        };
        let mut msg = None;
        answer(snapshot, question, &Cancel::default(), &mut |found| {
            msg = Some(Msg::answered(snapshot, question.slot(), *generation, found));
        });
        msg
    })
}

#[test]
fn instances_of_a_run_that_grows_are_counted_when_joins_have_seen_what_came() {
    let loaded = {
        let s = Explorer::of(&["tests/data/hung/000"], "dark", 120, 40);
        (*s.model.snapshot).clone()
    };
    // A snapshot as a follower sends it, which extends the previous one.
    let came = || Snapshot {
        lineage: 7,
        settled: loaded.len() as u32,
        derived: Arc::default(),
        segments: loaded.segments.iter().cloned().collect(),
        ..loaded.clone()
    };
    let mut s = Explorer::new("dark", 120, 40);
    s.send(Msg::Load(LoadMsg::Snapshot(Arc::new(came()))));
    s.keys("7");
    s.change(|model| model.load_state.follow.state = Following::On);
    let is_counted = |effects: &[Effect]| {
        let is_table = |e: &Effect| {
            matches!(
                e,
                Effect::Ask {
                    question: Question::Table(..),
                    ..
                }
            )
        };
        effects.iter().any(is_table)
    };
    let grow = |s: &mut Explorer| {
        let grown = Msg::Load(LoadMsg::Snapshot(Arc::new(came())));
        s.model.update(grown)
    };
    let quick = Duration::from_millis(3);
    // New records are shown at once; instances are counted once joins have processed the records.
    let effects = grow(&mut s);
    let shown = s.model.update(kept(&effects).expect("rows"));
    assert!(!is_counted(&shown));
    let joined = s.model.update(widened(&effects, quick).expect("joins"));
    let shown = s.model.update(kept(&joined).expect("rows"));
    assert!(is_counted(&shown));
    // The same holds while more records arrive, and after a pause.
    let mut s = Explorer::new("dark", 120, 40);
    s.send(Msg::Load(LoadMsg::Snapshot(Arc::new(came()))));
    s.keys("7");
    s.change(|model| model.load_state.follow.state = Following::On);
    let effects = grow(&mut s);
    s.model.update(kept(&effects).expect("rows"));
    let more = grow(&mut s);
    let widen = widened(&effects, Duration::from_secs(2)).expect("joins");
    let joined = s.model.update(widen);
    // The table is computed from the records that joins have processed, not from later records on the screen.
    let asked = joined.iter().find_map(|effect| match effect {
        Effect::Ask {
            snapshot,
            question: Question::Table(..),
            ..
        } => Some(snapshot),
        _ => None,
    });
    assert!(!asked.expect("a table").derived.segments.is_empty());
    let shown = s.model.update(kept(&more).expect("rows"));
    assert!(!is_counted(&shown));
}

#[test]
fn the_number_of_a_row_determines_nothing_in_another_table() {
    let mut s = Explorer::of(&["tests/data/hung"], "dark", 120, 40);
    s.keys("6");
    assert!(!s.model.joins.suggested.is_empty());
    let all = s.model.joins.suggested.iter();
    let is_of_rows = |keys: &[String]| keys.iter().any(|key| key == "rowid");
    let bad = all.filter(|(join, _)| is_of_rows(join.left_keys()) || is_of_rows(join.right_keys()));
    assert_eq!(bad.count(), 0, "{}", s.screen().text());
}

#[test]
fn what_is_saved_is_named_and_what_is_not() {
    let mut s = Explorer::of(&["tests/data/queue-run"], "dark", 140, 40);
    s.keys("6a&job<enter><enter><esc>&worker<enter><enter><enter>a");
    s.keys("a&worker<enter><enter><esc>&job<enter><enter><enter>a");
    assert_eq!(s.model.selection.joins().own.len(), 2);
    s.keys("gs");
    let name = s.joins.last().expect("one is saved").clone();
    let saved = |name: &str| SavedWorkspace::SavedJoin(name.to_owned(), "/x/my-joins.toml".into());
    s.send(Msg::Workspace(saved(&name)));
    let said = s.message();
    assert!(
        said.contains(&format!("the join {name} is saved to /x/my-joins.toml")),
        "{said}"
    );
    assert!(
        said.contains("1 more of your own is not saved: s on its row"),
        "{said}"
    );
    s.keys("js");
    let other = s.joins.last().expect("the other one").clone();
    assert_ne!(name, other);
    s.send(Msg::Workspace(saved(&other)));
    let said = s.message();
    assert!(
        said.contains(&other) && !said.contains("not saved"),
        "{said}"
    );
}

#[test]
fn building_a_join_says_what_comes_next() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut s = Explorer::of(&["tests/data/queue-run"], "mono", columns, rows);
        s.keys("6a");
        let screen = s.screen().text();
        for line in [
            "Space on a key",
            "Space twice on a key",
            "a puts the join in force",
        ] {
            assert!(screen.contains(line), "{screen}");
        }
        s.keys("&job<enter><enter><esc>&worker<enter><enter><enter>");
        let screen = s.screen().text();
        assert!(!screen.contains("how a join is built"), "{screen}");
        assert!(screen.contains("groups,"), "{screen}");
    }
}

#[test]
fn conflicts_are_distinguished_in_a_narrow_terminal_and_gone_through_one_by_one() {
    let mut s = Explorer::of(&["tests/data/queue-run"], "dark", 80, 24);
    s.keys("6a&worker<enter><enter><esc>&job<enter><enter><enter>ag<enter>");
    assert_eq!(s.model.view, View::CONFLICTS, "{}", s.screen().text());
    let line = s.cursor_line();
    assert!(line.starts_with("▌ worker "), "{line}");
    s.keys("j<enter>");
    assert_eq!(s.model.view, View::EVENTS);
    s.keys("<esc>");
    assert_eq!(s.model.view, View::CONFLICTS);
    assert_eq!(s.model.table().map(|t| t.list.cursor), Some(1));
}

#[test]
fn a_join_is_typed_with_keys_completed_and_its_effect_shown_before() {
    let mut s = Explorer::of(&["tests/data/hung"], "dark", 120, 40);
    s.keys("6r")
        .send(Msg::Paste("parsl.executor=my.poo".to_owned()));
    s.keys("l");
    let shown = s.screen().text();
    assert!(shown.contains("events receive a value"), "{shown}");
    s.keys("<enter>");
    let own = s.model.selection.joins().own.clone();
    assert_eq!(own[0].name, "rename parsl.executor = my.pool");
    assert!(s.model.snapshot.catalog.keys.find("my.pool").is_some());
    // The names by which work items are known come first behind the sign.
    s.keys("r").send(Msg::Paste("parsl.executor =".to_owned()));
    s.keys("<tab>");
    let line = s.last_line();
    assert!(line.contains("rename parsl.executor =parsl.task"), "{line}");
    s.keys("<esc><esc>");
    // A name is completed where the cursor is.
    s.keys("i")
        .send(Msg::Paste("parsl.task => parsl.exe".to_owned()));
    s.keys("<tab>");
    let line = s.last_line();
    assert!(
        line.contains("imply parsl.task => parsl.executor"),
        "{line}"
    );
    s.keys("<esc><esc>c").send(Msg::Paste("site".to_owned()));
    s.keys("<enter>");
    assert!(
        s.screen().text().contains("write it as in"),
        "{}",
        s.screen().text()
    );
    s.keys("<esc>u");
    assert!(s.model.selection.joins().own.is_empty());
}

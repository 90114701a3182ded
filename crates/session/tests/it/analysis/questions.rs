//! Questions about one entity.

use widetui_analysis::scope::AnalysisScope;
use widetui_analysis::states::ReporterChoice;
use widetui_core::cancel::Cancel;
use widetui_report::figure::TimeOrigin;
use widetui_session::meaning::Meaning;
use widetui_session::plots::{
    ColourBy, DagFocus, PlotData, PlotKind, PlotQuestion, RowsBy, answer_in,
};
use widetui_store::Snapshot;
use widetui_testing::diagnosed::opened;
use widetui_testing::runs::{data, unpacked};

/// Numbers of an answer, without the instances that it is about.
fn numbers(snapshot: &Snapshot, meaning: Meaning, entity: &str, of: PlotKind) -> String {
    let question = PlotQuestion {
        meaning: meaning.into(),
        entity: Some(entity.to_owned()),
        steps: Vec::new(),
        of,
        origin: TimeOrigin::Clock,
    };
    let all = AnalysisScope::default();
    match answer_in(snapshot, &all, &question, &Cancel::default()).unwrap() {
        PlotData::States(found) => format!("{:?}", found.groups),
        PlotData::Latency(found) => {
            format!("{:?} {:?} {:?}", found.latency, found.stuck, found.account)
        }
        PlotData::Timeline(found) => format!("{:?} {:?}", found.timeline, found.capacity),
        PlotData::Spans { spans, .. } => format!("{spans:?}"),
        PlotData::Throughput(found) => format!("{:?} {}", found.rates, found.open),
        PlotData::Dag(_, graph) => format!("{graph:?}"),
        PlotData::Empty => String::new(),
        other => panic!("unexpected {other:?}"),
    }
}

/// A question finds the instances of its entity alone, and answers as where those of all are known.
#[test]
fn a_question_about_one_entity_needs_no_others() {
    let archived = unpacked("queues.tar.gz");
    let mut answered = 0;
    for path in [data().join("hung"), archived.path().to_owned()] {
        let (snapshot, meaning) = opened(&path);
        let known = meaning
            .instance_cache
            .instances(&snapshot, &Cancel::default());
        let known = known.unwrap();
        for found in &known.found.occurring {
            let entity = &found.entity.name;
            for of in [
                PlotKind::States(None, ReporterChoice::MostTrusted),
                PlotKind::Latency(Vec::new()),
                PlotKind::Timeline(RowsBy::Innermost, ColourBy::Default),
                PlotKind::Spans(None),
                PlotKind::Throughput(None),
                PlotKind::Dag(None, DagFocus::All),
            ] {
                let whole = numbers(&snapshot, meaning.clone(), entity, of.clone());
                let alone = numbers(&snapshot, Meaning::new(&[]), entity, of.clone());
                assert_eq!(alone, whole, "{entity}: {of:?}");
                answered += usize::from(!whole.is_empty());
            }
        }
    }
    assert!(answered > 20, "{answered}");
}

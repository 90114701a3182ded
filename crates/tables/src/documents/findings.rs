//! Findings, the worst first, and the limits of the diagnosis.

use widetui_diagnosis::unfinished::words::capital;
use widetui_diagnosis::words::{MORE, NEXT, UNKNOWN, WORTH_KNOWING, counted, moment, times};
use widetui_diagnosis::{Diagnosis, Finding, Severity};
use widetui_report::document::{Block, Entry, Section};
use widetui_session::findings::selection_note;
use widetui_store::texts::TextReader;

use super::DocumentRun;

/// Sections of a diagnosis: summary, findings, findings for information, limits. `elsewhere` is the number of findings about
/// unselected records.
pub fn sections(run: DocumentRun<'_>, result: &Diagnosis, elsewhere: usize) -> Vec<Section> {
    let (grave, rest): (Vec<&Finding>, Vec<&Finding>) =
        { result.findings.iter() }.partition(|f| f.severity != Severity::Info);
    let note = selection_note(result.findings.len(), elsewhere);
    let summary = std::iter::once(result.summary.clone()).chain(note);
    let entries = entries(run, grave);
    let worth_knowing = rest.into_iter().map(|finding| match times(finding.count) {
        none if none.is_empty() => finding.title.clone(),
        times => format!("{} ({times})", finding.title),
    });
    let section = |id, title: String, blocks: Vec<Block>| Section { id, title, blocks };
    let worth_knowing: Vec<String> = worth_knowing.collect();
    let mut out = vec![
        section(
            "summary",
            "Summary".to_owned(),
            summary.map(Block::Text).collect(),
        ),
        section("findings", "Findings".to_owned(), entries),
    ];
    if !worth_knowing.is_empty() {
        let list = vec![Block::List(worth_knowing)];
        out.push(section("worth-knowing", capital(WORTH_KNOWING), list));
    }
    if !result.unknown.is_empty() {
        let text = vec![Block::Text(result.unknown.join(" "))];
        out.push(section("unknown", capital(UNKNOWN), text));
    }
    out
}

/// Entries of findings, numbered from 1.
pub fn entries<'f>(
    run: DocumentRun<'_>,
    findings: impl IntoIterator<Item = &'f Finding>,
) -> Vec<Block> {
    let mut texts = TextReader::default();
    let all = (1..).zip(findings);
    all.map(|(number, f)| Block::Entry(entry(run, number, f, &mut texts)))
        .collect()
}

fn entry(run: DocumentRun<'_>, number: usize, finding: &Finding, texts: &mut TextReader) -> Entry {
    let mut blocks = vec![Block::Text(finding.text.clone())];
    let evidence = finding.evidence.iter();
    let evidence = evidence.filter_map(|id| run.record(*id, texts, |e| moment(e, run.zone)));
    blocks.push(Block::Records(evidence.collect()));
    for (label, advice) in [(NEXT, &finding.next), (MORE, &finding.url)] {
        blocks.push(Block::Advice(label, advice.clone()));
    }
    blocks.retain(|block| match block {
        Block::Text(text) | Block::Advice(_, text) => !text.is_empty(),
        Block::Records(lines) => !lines.is_empty(),
        _ => true,
    });
    Entry {
        rank: Some((number, finding.severity)),
        title: counted(finding),
        blocks,
    }
}

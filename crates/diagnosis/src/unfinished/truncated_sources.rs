//! Sources that could not be read to their end, because they are truncated or corrupt. A missing later record proves nothing.

use widetui_core::ids::SourceId;
use widetui_core::words::{grouped, listed};
use widetui_store::Snapshot;
use widetui_time::clock::Clock;

use crate::unfinished::model::Cut;
use crate::unfinished::model::TruncatedLog;
use crate::unfinished::model::UnfinishedWork;
use widetui_analysis::runs::Run;
use widetui_analysis::runs::SourceEnds;

/// All truncated sources, in the order of the sources.
pub(crate) fn cuts(
    snapshot: &Snapshot,
    ends: &SourceEnds,
    of_source: &[Option<usize>],
) -> Vec<Cut> {
    let mut out: Vec<Cut> = Vec::new();
    let mut broken: Vec<_> = { snapshot.sources.iter() }
        .filter_map(|s| Some((s, s.cut()?)))
        .collect();
    // Containers come before their members.
    broken.sort_by_key(|(source, _)| source.path.len());
    for (source, problem) in broken {
        let is_in = |cut: &Cut| {
            let rest = source.path.strip_prefix(&cut.path);
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        let at = out.iter().position(is_in).unwrap_or_else(|| {
            out.push(Cut {
                source: source.id,
                path: source.path.clone(),
                byte: problem.offset.unwrap_or_default(),
                problem: problem.text.clone(),
                logs: Vec::new(),
            });
            out.len() - 1
        });
        if source.is_log {
            let end = ends.last.get(source.id.index()).copied().flatten();
            out[at].logs.push(TruncatedLog {
                source: source.id,
                tag: snapshot.source_name(source),
                path: source.path.clone(),
                last_event: end.map(|e| e.0),
                last: end.map(|e| e.1),
                run: of_source.get(source.id.index()).copied().flatten(),
            });
        }
    }
    out.sort_by_key(|cut| cut.source);
    out
}

impl Cut {
    /// Title: `run.tar.gz breaks off after byte 4,577,388`.
    pub fn title(&self) -> String {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        format!("{name} breaks off after byte {}", grouped(self.byte))
    }

    /// Logs that the truncation cuts off, each with the time of its last record: `dfk of run 000 (000/parsl.log) ends at 01:43:07.205`; `None` if
    /// no log was being read.
    pub(crate) fn ends(&self, runs: &[Run], clock: &Clock<'_>) -> Option<String> {
        let one = |log: &TruncatedLog| {
            let run = log.run.and_then(|r| runs.get(r)).map(Run::name);
            let run = run.map(|run| format!(" of {run}")).unwrap_or_default();
            let inside = log.path.strip_prefix(&self.path).unwrap_or_default();
            let path = match inside.trim_start_matches('/') {
                "" => String::new(),
                path => format!(" ({path})"),
            };
            let at = log.last.map(|t| format!(" at {}", clock.text(t)));
            format!("{}{run}{path} ends{}", log.tag, at.unwrap_or_default())
        };
        let logs: Vec<String> = self.logs.iter().map(one).collect();
        (!logs.is_empty()).then(|| listed(&logs, 3))
    }
}

impl UnfinishedWork {
    /// Whether a source was truncated, so that missing records prove nothing.
    pub(crate) fn is_cut(&self, source: SourceId) -> bool {
        let mut logs = self.cuts.iter().flat_map(|c| &c.logs);
        logs.any(|log| log.source == source)
    }
}

/// A sentence for each truncated source that holds logs.
pub(crate) fn words(hung: &UnfinishedWork, clock: &Clock<'_>) -> Vec<String> {
    let all = hung.cuts.iter().filter(|cut| !cut.logs.is_empty());
    let sentence = |cut: &Cut| {
        let ends = cut.ends(&hung.runs, clock).unwrap_or_default();
        format!("{}: {ends}; later events are missing.", cut.title())
    };
    all.map(sentence).collect()
}

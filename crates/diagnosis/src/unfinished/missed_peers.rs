//! Peers reported as missing: a peer that wrote no more records is gone; otherwise the connection to it failed.

use widetui_core::ids::{EventId, SourceId};
use widetui_core::words::cut;
use widetui_store::texts::TextReader;
use widetui_store::{EventRef, Snapshot, Source};
use widetui_time::clock::Clock;
use widetui_time::time::format_span;

use crate::unfinished::model::Gone;
use crate::unfinished::model::UnfinishedWork;
use widetui_analysis::runs::Run;

/// Minimum time of further records of others after a silence, ns.
const WROTE_ON: i64 = 1_000_000_000;

/// State of the peer that the writer of an event reports missing, according to its logs.
pub(crate) struct Missed {
    /// Description, a sentence.
    pub(crate) words: String,
    /// Order of its silence.
    pub(crate) silent: Silent,
}

/// Time at which a missing peer fell silent, relative to the owner of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Silent {
    /// Before the owner fell silent.
    First,
    /// Together with the owner.
    WithOwner,
    /// After it was reported missing, or unknown.
    Untold,
}

impl Missed {
    fn untold(words: String) -> Missed {
        let silent = Silent::Untold;
        Missed { words, silent }
    }
}

/// State of the missing peer; `words` precede the number of seconds that the writer of the event waits. `None` if the
/// peer has no logs, or several candidates exist.
pub(crate) fn told(
    (snapshot, hung, clock): (&Snapshot, &UnfinishedWork, &Clock<'_>),
    (kinds, words): (&[String], &str),
    event: EventId,
) -> Option<Missed> {
    let event = snapshot.event(event)?;
    let at = event.time()?;
    let own = event.source().id;
    let run = hung.of_source.get(own.index()).copied().flatten();
    let mut sources = snapshot.sources.iter().filter(|source| {
        let of = hung.of_source.get(source.id.index());
        let is_meant = kinds.contains(&source.kind) && source.id != own;
        is_meant && of.copied().flatten() == run && is_there(&event, source)
    });
    let source = sources.next()?;
    let (tag, last) = (snapshot.source_name(source), source.last()?);
    if sources.next().is_some() {
        return None;
    }
    let end = clock.text(last);
    if last > at {
        return Some(Missed::untold(format!(
            "{tag} has records until {end}: its writer was alive then."
        )));
    }
    if source.cut().is_some() {
        let words = format!("{tag} was cut before that, at {end}.");
        return Some(Missed::untold(words));
    }
    let before = format_span(at.saturating_sub(last));
    let owner = run.and_then(|run| hung.runs.get(run)?.main_source);
    let owner = owner.and_then(|(owner, _)| snapshot.source(owner));
    let owner = owner.and_then(|owner| Some((snapshot.source_name(owner), owner.last()?)));
    // The peer may have had nothing to log while it was still heard from.
    let patience = patience(snapshot, own, words);
    let heard = patience.map(|patience| at.saturating_sub(patience));
    Some(match owner {
        Some((owner, until)) if heard.is_some_and(|heard| heard > until) => Missed {
            words: format!(
                "{tag} ends {before} before that, at {end}, and {owner} at {}; it was missed from about {} on: whoever \
                 started both was gone.",
                clock.text(until),
                clock.text(heard.unwrap_or(until))
            ),
            silent: Silent::WithOwner,
        },
        Some((owner, until)) if until.saturating_sub(last) > WROTE_ON => Missed {
            words: format!(
                "{tag} ends {before} before that, at {end}, without the end of its run, and {owner} goes on until {}: the \
                 process that wrote it was killed, or died.",
                clock.text(until)
            ),
            silent: Silent::First,
        },
        Some((owner, until)) => Missed {
            words: format!(
                "{tag} ends {before} before that, at {end}, and {owner} at {}: whoever started both was gone.",
                clock.text(until)
            ),
            silent: Silent::WithOwner,
        },
        None => Missed::untold(format!("{tag} ends {before} before that, at {end}.")),
    })
}

impl Gone {
    /// Description in two sentences: the report, and the state of the peer's log.
    fn words(&self, of: (&Snapshot, &UnfinishedWork, &Clock<'_>)) -> Option<String> {
        let (event, missed) = (
            of.0.event(self.event)?,
            told(of, (&self.kinds, &self.patience), self.event)?,
        );
        Some(format!(
            "At {} {} reports: \"{}\". {}",
            of.2.text(event.time()?),
            of.0.source_name(event.source()),
            cut(&event.template()?.text, 160),
            missed.words
        ))
    }
}

/// Maximum number of runs whose missing peers are described.
const TOLD: usize = 3;

/// Sentences on the peers that were gone before their runs stopped, one for each run.
pub(crate) fn words(snapshot: &Snapshot, hung: &UnfinishedWork, clock: &Clock<'_>) -> Vec<String> {
    let all = hung.gone.iter().take(TOLD);
    let mut out: Vec<String> = all
        .filter_map(|gone| gone.words((snapshot, hung, clock)))
        .collect();
    if let Some(more) = hung.gone.len().checked_sub(TOLD).filter(|n| *n > 0) {
        out.push(format!("The same was reported in {more} more."));
    }
    out
}

/// Whether a missing peer is described for a run.
pub(crate) fn is_told(snapshot: &Snapshot, hung: &UnfinishedWork, run: &Run) -> bool {
    let mut of = hung.gone.iter().filter_map(|gone| {
        let source = snapshot.event(gone.event)?.source().id;
        hung.runs
            .get(hung.of_source.get(source.index()).copied().flatten()?)
    });
    of.any(|of| of.id == run.id)
}

/// Number of records at the begin of a log that are searched for its timeout.
const READ: usize = 64;

/// Timeout of the writer of a source, ns: the number of seconds after `words`.
fn patience(snapshot: &Snapshot, source: SourceId, words: &str) -> Option<i64> {
    let mut parts: Vec<(u32, u32, u32)> = Vec::new();
    for (segment, base) in snapshot.segments.iter().zip(snapshot.bases.iter()) {
        let own = segment.parts.iter().filter(|part| part.source == source);
        parts.extend(own.map(|part| (part.seq, base + part.first_row, part.rows)));
    }
    parts.sort_unstable();
    let mut ids = parts
        .into_iter()
        .flat_map(|(_, first, rows)| first..first + rows);
    let mut ids = ids.by_ref().take(if words.is_empty() { 0 } else { READ });
    let mut texts = TextReader::default();
    ids.find_map(|id| {
        let event = snapshot.event(EventId(id))?;
        let record = texts.record(&event).ok()?;
        let message = event
            .source()
            .reader
            .as_ref()?
            .message_without_extras(record);
        let (_, behind) = message.split_once(words)?;
        let number: String = { behind.trim_start().chars() }
            .take_while(|c| c.is_ascii_digit() || *c == '.')
            .collect();
        let seconds: f64 = number.parse().ok()?;
        Some((seconds * 1e9) as i64)
    })
}

/// Whether all keys in the path of a source agree with an event.
fn is_there(event: &EventRef<'_>, source: &Source) -> bool {
    let mut fits = true;
    event.for_each_code(|key, codes, _| {
        let view = event.snapshot.catalog.keys.get(key);
        let same = |code| view.map_or(code, |v| v.dict.canonical(code));
        if let Some((_, own)) = source.consts.iter().find(|(k, _)| *k == key) {
            fits &= codes.iter().any(|code| same(*code) == same(*own));
        }
    });
    fits
}

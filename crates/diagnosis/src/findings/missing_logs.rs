//! Missing or truncated logs that would show facts about a resource: without them a missing record proves nothing.

use widetui_analysis::Instances;
use widetui_analysis::entity::Instance;
use widetui_analysis::entity::LogKinds;
use widetui_core::ids::EventId;
use widetui_core::words::{listed, several};
use widetui_store::Source;

use crate::findings::context::Context;

/// Maximum number of resources listed by name.
const NAMED: usize = 5;

/// Reason why a fact is unknown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Untold {
    /// The log is missing: its file names.
    Missing(String),
    /// The log was truncated before: its short name and last time, UTC ns.
    Cut(String, i64),
}

/// Sources of some kinds that belong to a run or to no known run.
fn of_run<'a>(
    look: &'a Context<'_>,
    tellers: &'a LogKinds,
    run: Option<usize>,
) -> impl Iterator<Item = &'a Source> {
    let sources = look.snapshot.sources.iter().map(AsRef::as_ref);
    sources.filter(move |source: &&Source| {
        let of = look.hung.of_source.get(source.id.index());
        let of = of.copied().flatten();
        let is_of_run = run.is_none() || of.is_none() || of == run;
        is_of_run && tellers.kinds.contains(&source.kind) && source.last().is_some()
    })
}

/// Truncated log that extends furthest, if all logs were truncated before `at`, UTC ns.
fn cut_before<'a>(sources: impl Iterator<Item = &'a Source>, at: i64) -> Option<Untold> {
    let mut last: Option<(&Source, i64)> = None;
    for source in sources {
        let end = source.last().filter(|end| *end < at)?;
        source.cut()?;
        if last.is_none_or(|(_, known)| known < end) {
            last = Some((source, end));
        }
    }
    last.map(|(source, end)| Untold::Cut(source.tag.clone(), end))
}

/// Reason why the logs may not show the begin of a resource until `until` ns after its own first record; `None` if they
/// extend that far.
pub(crate) fn of_begin(
    look: &Context<'_>,
    carriers: &Instances,
    (carrier, own): (&Instance, EventId),
    until: i64,
) -> Option<Untold> {
    let tellers = carriers.entity.executor_logs.as_ref()?;
    let own = look.snapshot.event(own)?;
    let places = carriers.places(look.snapshot, carrier);
    let is_there = |source: &&Source| {
        source.consts.iter().all(|(key, code)| {
            let view = look.snapshot.catalog.keys.get(*key);
            let place = view.and_then(|v| Some((places.iter().find(|p| *p.0 == *v.key.name)?, v)));
            place.is_none_or(|(place, view)| view.spelling(*code).is_some_and(|s| s == place.1))
        })
    };
    let mut sources = of_run(look, tellers, look.run_of(&own))
        .filter(is_there)
        .peekable();
    if sources.peek().is_none() {
        return Some(Untold::Missing(tellers.files.clone()));
    }
    cut_before(sources, own.time()?.saturating_add(until))
}

/// Reason why the work on a resource lost in a run at a time (UTC ns) is unknown.
pub(crate) fn of_work(look: &Context<'_>, run: Option<usize>, at: Option<i64>) -> Option<Untold> {
    let owners = look
        .found
        .occurring
        .iter()
        .filter_map(|g| g.entity.owner_logs.as_ref());
    let why = |tellers: &LogKinds| {
        // Owners of other runs had no work on it.
        let all = of_run(look, tellers, None).next();
        match all {
            None => Some(Untold::Missing(tellers.files.clone())),
            Some(_) => cut_before(of_run(look, tellers, run), at?),
        }
    };
    { owners }.find_map(why)
}

impl Untold {
    /// Log that would show it: `parsl.log`, `the rest of dfk, which was cut at 01:43:07.205,`.
    pub(crate) fn teller(&self, look: &Context<'_>) -> String {
        match self {
            Untold::Missing(files) => files.clone(),
            Untold::Cut(tag, last) => {
                format!(
                    "the rest of {tag}, which was cut at {},",
                    look.clock.text(*last)
                )
            }
        }
    }
}

/// Sentence stating that it is unknown whether resources registered.
pub(crate) fn unconnected(
    look: &Context<'_>,
    carriers: &Instances,
    why: &Untold,
    which: &[&Instance],
) -> String {
    let title = &carriers.entity.title;
    let numbers = which
        .iter()
        .map(|one| carriers.short_name(look.snapshot, one));
    let numbers: Vec<String> = numbers.collect();
    let who = match &numbers[..] {
        [one] => format!("{title} {one}"),
        all => format!("{} ({})", several(all.len(), title), listed(all, NAMED)),
    };
    format!(
        "Only {} would show whether {who} connected.",
        why.teller(look)
    )
}

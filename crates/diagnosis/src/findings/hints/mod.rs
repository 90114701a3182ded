//! Findings of hints: messages that definitions explain.

pub(crate) mod causes;
pub(crate) mod condition;
pub(crate) mod harmless;
pub(crate) mod other_exceptions;
pub(crate) mod reach;

use rustc_hash::FxHashMap;

use widetui_analysis::entity::{Id, Instance};
use widetui_core::dict::Code;
use widetui_core::ids::{EventId, KeyId};
use widetui_core::words::{cut, grouped, truncate_middle};
use widetui_definition::semantics::{HintDef, Severity};
use widetui_definition::syntax::Definition;
use widetui_join::spec::{InvalidText, condition};
use widetui_query::{Expr, select};
use widetui_store::texts::TextReader;
use widetui_store::{EventRef, Source, SourceTrait};

use self::condition::describes;
use crate::findings::context::Context;
use crate::findings::exceptions::Exception;
use crate::findings::finding::{EVIDENCE, Finding, FindingKind};
use crate::findings::missed_peers;
use crate::unfinished::missed_peers::Silent;
use crate::unfinished::words::capital;
use harmless::{Noise, is_met, is_noise};
use reach::{Cleared, foreign, names_system};

use widetui_time::time::NS_PER_SECOND;

pub use reach::Reach;

/// A hint with parsed conditions.
#[derive(Clone, Debug, PartialEq)]
pub struct Hint {
    /// Name, unique in its definition.
    pub(crate) name: String,
    /// Name of its definition.
    pub(crate) system: String,
    /// Logs in which it is searched.
    pub(crate) reach: Reach,
    /// Whether its definition describes words that any program may write, and no messages of a system.
    pub(crate) is_vocabulary: bool,
    /// Condition on the events that show it.
    pub only: Expr,
    /// Severity.
    pub severity: Severity,
    /// Title, one line; `{key}` stands for the value in the first event.
    pub(crate) title: String,
    /// Explanation; placeholders as in `title`.
    pub(crate) text: String,
    /// Suggested next step; placeholders as in `title`.
    pub(crate) next: String,
    /// Address of documentation; may be empty.
    pub(crate) url: String,
    /// Condition on events of the same run after which the message is no cause.
    pub(crate) noise_after: Option<Expr>,
    /// Condition on events of the same run whose presence makes the message harmless.
    pub(crate) unless: Option<Expr>,
    /// Condition on events about the same instance, by a key of `names`, that make the message harmless.
    pub(crate) unless_named: Option<Expr>,
    /// Key whose values are separate findings.
    pub(crate) by: Option<String>,
    /// Keys that name the affected instance.
    pub(crate) names: Vec<String>,
    /// Kinds of sources of the peer that its records report missing.
    pub(crate) missed: Vec<String>,
    /// Text before the number of seconds that the writer waits before it reports a peer missing; may be empty.
    pub(crate) patience: String,
    /// Exceptions that work fails with because of it.
    pub(crate) raises: Vec<String>,
    /// Names of hints that may be its cause.
    pub(crate) follows: Vec<String>,
    /// Time within which its effects on other instances follow, ns.
    pub(crate) delay: Option<i64>,
    /// Whether it blocks the work of its run.
    pub(crate) holds_up: bool,
}

impl Hint {
    /// Kinds of sources and timeout text of the peers that its records report missing.
    pub(crate) fn whom(&self) -> missed_peers::Whom<'_> {
        (&self.missed, &self.patience)
    }
}

/// Hints of a definition, and its invalid conditions.
pub fn of_definition(def: &Definition) -> (Vec<Hint>, Vec<InvalidText>) {
    let mut hints = Vec::new();
    let mut bad = Vec::new();
    for hint in &def.hint {
        match of_hint(def, hint) {
            Ok(hint) => hints.push(hint),
            Err(error) => bad.push(error),
        }
    }
    (hints, bad)
}

fn of_hint(of: &Definition, def: &HintDef) -> Result<Hint, InvalidText> {
    Ok(Hint {
        name: def.name.get_ref().clone(),
        system: of.name.get_ref().clone(),
        reach: match of.anywhere {
            true => Reach::Anywhere,
            false => Reach::Own,
        },
        is_vocabulary: of.anywhere && of.messages.is_empty(),
        only: condition(&def.only)?,
        severity: def.severity,
        title: def.title.clone(),
        text: def.text.clone(),
        next: def.next.clone(),
        url: def.url.clone(),
        noise_after: def.noise_after.as_ref().map(condition).transpose()?,
        unless: def.unless.as_ref().map(condition).transpose()?,
        unless_named: def.unless_named.as_ref().map(condition).transpose()?,
        by: def.by.as_ref().map(|k| k.get_ref().clone()),
        names: def.names.iter().map(|k| k.get_ref().clone()).collect(),
        missed: def.missed.clone(),
        patience: def.patience.clone(),
        raises: def.raises.clone(),
        follows: def.follows.clone(),
        delay: def.delay.map(|s| i64::from(s) * NS_PER_SECOND),
        holds_up: def.holds_up,
    })
}

/// Maximum number of values of a hint's key with a finding each; beyond that all values share one finding.
const GROUPS: usize = 3;

/// Findings of all hints; `None` when cancelled. Claims every event that a hint matches, harmless ones too.
pub(crate) fn look(look: &mut Context<'_>, hints: &[Hint]) -> Option<Vec<Finding>> {
    let mut told: Vec<(&Hint, Vec<EventId>)> = Vec::new();
    // Harmless hints first: another system's hint may match the same words.
    let (harmless, others): (Vec<&Hint>, Vec<&Hint>) =
        hints.iter().partition(|h| h.severity == Severity::Info);
    for hint in harmless.into_iter().chain(others) {
        let shown = select(look.snapshot, &hint.only, look.cancel)?;
        if shown.is_empty() {
            continue;
        }
        let noise = match &hint.noise_after {
            None => Noise::default(),
            Some(expr) => Noise::new(look, select(look.snapshot, expr, look.cancel)?.ids()),
        };
        let met = match &hint.unless {
            None => Noise::default(),
            Some(expr) => Noise::new(look, select(look.snapshot, expr, look.cancel)?.ids()),
        };
        let foreign = foreign(look, hints, hint);
        let cleared = Cleared::of(look, hint)?;
        let mut events = Vec::new();
        for id in shown.ordered(look.snapshot) {
            let event = look.snapshot.event(EventId(id));
            if event.is_some_and(|e| {
                foreign.contains(&e.source().id) && !names_system(&e, &hint.system)
            }) {
                continue;
            }
            if is_met(look, &met, EventId(id)) {
                continue;
            }
            let is_new = look.claimed.insert(id);
            let event = look.snapshot.event(EventId(id));
            if event.is_some_and(|e| cleared.has(&e)) {
                continue;
            }
            // Records of another run of the process, written after the end of this one, are in the logs of both.
            let mut told = look.snapshot.duplicates.group(id).map(EventId);
            if look.snapshot.duplicates.original_of(id).is_some()
                || told.all(|e| is_noise(look, &noise, e))
            {
                continue;
            }
            // The first hint that matches an event explains it.
            if is_new {
                events.push(EventId(id));
                match hint.severity {
                    Severity::Info => look.harmless.insert(id),
                    _ => look.explained.insert(id),
                };
            }
        }
        if !events.is_empty() {
            told.push((hint, events));
        }
    }
    same_name(look, &mut told);
    let mut out = Vec::new();
    told.retain(|t| !t.1.is_empty());
    let parts = causes::apart(look, &told)
        .into_iter()
        .flat_map(|(hint, events)| {
            let parts = missed_peers::apart(look, hint.whom(), &events);
            parts.into_iter().map(move |events| (hint, events))
        });
    let parts: Vec<(&Hint, Vec<EventId>)> = parts.collect();
    for (hint, events) in &parts {
        if let Some(at) = hints.iter().position(|h| std::ptr::eq(h, *hint)) {
            look.hint_at.extend(events.iter().map(|e| (*e, at)));
        }
        let is_part = parts.iter().filter(|p| std::ptr::eq(p.0, *hint)).count() > 1;
        findings(look, hint, (events, is_part), &mut out);
    }
    Some(out)
}

/// Merges hints of the same name from several definitions: records of the more general hint about an instance that the
/// other one reports move to that other hint.
fn same_name(look: &Context<'_>, told: &mut [(&Hint, Vec<EventId>)]) {
    for own in 0..told.len() {
        let same = |at: &usize| {
            let (own, other) = (told[own].0, told[*at].0);
            other.name == own.name && other.system != own.system
        };
        let Some(other) = (0..told.len()).find(|at| *at != own && same(at)) else {
            continue;
        };
        let (by, is_general) = (&told[other].0.by, told[own].0.by.is_none());
        let key = by.as_ref().and_then(|k| look.snapshot.catalog.keys.find(k));
        let Some(key) = key.filter(|_| is_general) else {
            continue;
        };
        let value = |id: &EventId| look.snapshot.event(*id).and_then(|e| code(&e, key));
        let known: Vec<Option<Code>> = told[other].1.iter().map(value).collect();
        let is_known = |id: &EventId| value(id).is_some_and(|v| known.contains(&Some(v)));
        let (gone, kept) = std::mem::take(&mut told[own].1)
            .into_iter()
            .partition(is_known);
        told[own].1 = kept;
        let gone: Vec<EventId> = gone;
        told[other].1.extend(gone);
    }
}

fn findings(
    look: &mut Context<'_>,
    hint: &Hint,
    (events, is_part): (&[EventId], bool),
    out: &mut Vec<Finding>,
) {
    let key = hint.by.as_ref();
    let key = key.and_then(|k| look.snapshot.catalog.keys.find(k));
    let Some(key) = key else {
        let mut finding = finding(look, hint, events);
        names(look, hint, (events, is_part), &mut finding);
        out.push(finding);
        return;
    };
    let mut groups: Vec<(Option<Code>, Vec<EventId>)> = Vec::new();
    let mut known: FxHashMap<Option<Code>, usize> = FxHashMap::default();
    for id in events {
        let value = look.snapshot.event(*id).and_then(|e| code(&e, key));
        let at = *known.entry(value).or_insert_with(|| {
            groups.push((value, Vec::new()));
            groups.len() - 1
        });
        groups[at].1.push(*id);
    }
    let values = groups.len();
    if values > GROUPS || (values > 1 && other_exceptions::have_one_reason(look, &groups)) {
        groups.truncate(1);
        groups[0].1 = events.to_vec();
    }
    let untold = values - groups.len();
    for (value, events) in &groups {
        let mut finding = finding(look, hint, events);
        finding.subject = value
            .filter(|_| untold == 0)
            .and_then(|v| subject(look, (key, v)));
        let view = look.snapshot.catalog.keys.get(key);
        let told = view.zip(*value).and_then(|(view, value)| {
            let text = view.spelling(value)?;
            let is_named = hint.title.contains(&format!("{{{}}}", view.key.name));
            Some((view.key.label.clone(), text)).filter(|_| values > 1 && !is_named)
        });
        if let Some((label, text)) = told {
            let others = match untold {
                0 => String::new(),
                1 => " and 1 other".to_owned(),
                n => format!(" and {} others", grouped(n as u64)),
            };
            let named = format!("{label} {}", cut(&text, 60));
            finding.affected = Some(format!("({}{others})", named.trim_start()));
        }
        out.push(finding);
    }
}

/// Maximum number of names in a title, and in a text.
const NAMED: (usize, usize) = (3, 12);

/// Adds the affected instances and the number of occurrences to a finding; `is_part` if other findings report the
/// remaining records of the hint.
fn names(
    look: &mut Context<'_>,
    hint: &Hint,
    (events, is_part): (&[EventId], bool),
    finding: &mut Finding,
) {
    let keys = &look.snapshot.catalog.keys;
    let wanted: Vec<KeyId> = hint.names.iter().filter_map(|k| keys.find(k)).collect();
    let mut all: Vec<((KeyId, Code), Told)> = Vec::new();
    for id in look.once(events) {
        let Some(event) = look.snapshot.event(id) else {
            continue;
        };
        let name = wanted.iter().find_map(|k| Some((*k, code(&event, *k)?)));
        let Some(name) = name else { continue };
        let at = all.iter().position(|known| known.0 == name);
        let at = at.unwrap_or_else(|| {
            all.push((name, Told::default()));
            all.len() - 1
        });
        all[at].1.add(event.source());
    }
    let all: Vec<((KeyId, Code), usize)> = all.into_iter().map(|(n, t)| (n, t.times())).collect();
    let Some(first) = all.first() else { return };
    if all.len() == 1 {
        finding.subject = subject(look, first.0);
    }
    let label = keys.get(first.0.0).map(|v| v.key.label.to_string());
    let text = |(key, value): (KeyId, Code)| {
        let text = keys.get(key).and_then(|v| v.spelling(value));
        cut(&text.unwrap_or_default(), 60)
    };
    let title: Vec<String> = all.iter().take(NAMED.0).map(|n| text(n.0)).collect();
    let more = |shown: usize| match all.len().saturating_sub(shown) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let times: usize = all.iter().map(|n| n.1).sum();
    finding.count = times as u64;
    match &title[..] {
        // Findings of the same kind are distinguished by their names.
        _ if events.len() < 2 && !is_part => {}
        [one] if times == 1 => finding.affected = Some(format!("({one})")),
        [one] => finding.affected = Some(format!("({one}, {times} times)")),
        _ => {
            let named = format!("({times} times: {}{})", title.join(", "), more(NAMED.0));
            finding.affected = Some(named);
        }
    }
    let told = all.iter().take(NAMED.1).map(|(name, count)| match count {
        1 => text(*name),
        n => format!("{} ({n} times)", text(*name)),
    });
    let told: Vec<String> = told.collect();
    let label = label.unwrap_or_default();
    finding.text += &format!(
        " {}: {}{}.",
        capital(&label),
        told.join(", "),
        more(NAMED.1)
    );
}

/// Number of reports by kind of log and by table: each reporter reports the same occurrences.
#[derive(Default)]
struct Told(Vec<(String, usize)>);

impl Told {
    fn add(&mut self, source: &Source) {
        // Logs of one kind share the reports; several tables or lists of one kind are usually repeated queries of the
        // same state.
        let who = match source.has_trait(SourceTrait::Table) || !source.is_log || source.coarse {
            true => source.tag.clone(),
            false => source.kind.clone(),
        };
        match self.0.iter_mut().find(|known| known.0 == who) {
            Some(known) => known.1 += 1,
            None => self.0.push((who, 1)),
        }
    }

    fn times(&self) -> usize {
        self.0.iter().map(|known| known.1).max().unwrap_or(0)
    }
}

/// Only instance whose id ends with a value of a key.
fn subject(look: &Context<'_>, (key, value): (KeyId, Code)) -> Option<(String, Id)> {
    let mut found = look.found.occurring.iter().flat_map(|all| {
        let is_it = move |one: &&Instance| {
            all.id_keys(one).last() == Some(&key) && one.id.last() == Some(&value)
        };
        all.list.iter().filter(is_it).map(move |one| (all, one))
    });
    let (all, one) = found.next()?;
    let is_only = found.next().is_none();
    is_only.then(|| (all.entity.name.clone(), all.id(look.snapshot, one)))
}

/// First value of `key` in an event.
pub(crate) fn code(event: &EventRef<'_>, key: KeyId) -> Option<Code> {
    let mut found = None;
    event.for_each_code(|k, codes, _| {
        if k == key && found.is_none() {
            found = codes.first().copied();
        }
    });
    let view = event.snapshot.catalog.keys.get(key)?;
    found.map(|c| view.dict.canonical(c))
}

/// Maximum length of a title with a quoted line, and minimum of the line, characters.
const TITLE: usize = 100;
const QUOTED: usize = 48;

fn finding(look: &mut Context<'_>, hint: &Hint, events: &[EventId]) -> Finding {
    let count = look.once(events).len() as u64;
    let mut shown = events.iter().take(EVIDENCE);
    let found = shown.find_map(|id| other_exceptions::exception(look, *id));
    let exception = found.as_ref().map(|found| exception(look, events, found));
    let more = events.first().and_then(|id| more_lines(look, *id));
    let missed = { events.first() }.and_then(|id| missed_peers::told(look, hint.whom(), *id));
    let first = events.first().and_then(|id| look.snapshot.event(*id));
    // A hint made harmless by the end of its run is also a consequence of its owner's death, unless the peer fell
    // silent first.
    let is_first = missed.as_ref().is_some_and(|m| m.silent == Silent::First);
    let is_consequence = hint.noise_after.is_some()
        && !is_first
        && events
            .iter()
            .filter_map(|id| look.snapshot.event(*id))
            .all(|e| look.is_after_stop(&e));
    // Text that any program may print did not matter if its run succeeded.
    let is_got_over = hint.reach == Reach::Anywhere && {
        let mut all = events.iter().filter_map(|id| look.snapshot.event(*id));
        all.all(|e| look.went_well(&e))
    };
    let others = missed
        .as_ref()
        .and_then(|_| missed_peers::other_runs(look, events));
    let wrote_on = missed.map(|missed| format!(" {}", missed.words));
    let wrote_on = wrote_on.unwrap_or_default() + &others.unwrap_or_default();
    // What any program may write is one of many texts, which names the program, file or address.
    let is_quoted = hint.is_vocabulary && hint.severity > Severity::Info;
    let quoted = events.first().filter(|_| is_quoted);
    // A line that introduces a traceback says less than its exception.
    let reason = found.as_ref().map(|found| found.line.clone());
    // A title with values of keys has the reason among them.
    let has_values = hint.title.contains('{');
    let reason = reason.filter(|_| !is_quoted && !has_values && hint.severity > Severity::Info);
    let quoted = quoted.map(|id| match (look.line(*id), found) {
        (line, Some(exception)) if line.ends_with(':') => exception.line,
        (line, _) => line,
    });
    let mut fill = |text: &str| match &first {
        Some(event) => filled(text, event, &mut look.texts),
        None => text.to_owned(),
    };
    let mut title = fill(&hint.title);
    if let Some(line) = quoted {
        let room = TITLE.saturating_sub(title.chars().count()).max(QUOTED);
        title += &format!(": {}", shortened(&hint.only, &without_folders(&line), room));
    }
    Finding {
        text: match exception {
            Some(line) => format!("{} Its exception: {line}", fill(&hint.text))
                .trim_start()
                .to_owned(),
            None => match more {
                Some(lines) => format!("{} The first one goes on: {lines}", fill(&hint.text)),
                None => fill(&hint.text),
            },
        } + &wrote_on,
        evidence: events.iter().take(EVIDENCE).copied().collect(),
        events: events.to_vec(),
        count,
        first: first.and_then(|e| e.time()),
        next: fill(&hint.next),
        url: hint.url.clone(),
        reason,
        ..Finding::new(
            FindingKind::Hint,
            match is_consequence || is_got_over {
                true => hint.severity.min(Severity::Warning),
                false => hint.severity,
            },
            title,
        )
    }
}

/// Line shortened to `room` characters, with the words by which the hint was found if a clause of the line has them.
fn shortened(condition: &Expr, line: &str, room: usize) -> String {
    let short = truncate_middle(line, room);
    if describes(condition, &short) {
        return short;
    }
    let clauses = line.match_indices(": ").map(|(at, _)| &line[at + 2..]);
    let mut clauses = clauses.map(|clause| cut(clause, room));
    let found = clauses.find(|clause| describes(condition, clause));
    // What precedes the clause names the file or program.
    found.map_or(short, |clause| {
        let rest = room.saturating_sub(clause.chars().count());
        let begin = cut(line, rest).replace('…', "");
        format!("{}…{clause}", begin.trim_end())
    })
}

/// Line with the last component of each long path.
fn without_folders(line: &str) -> String {
    let words = line.split(' ').map(|word| match word.rsplit_once('/') {
        Some((folders, name)) if folders.matches('/').count() > 1 && !folders.contains(':') => {
            let quote = folders.find('/').map_or("", |start| &folders[..start]);
            format!("{quote}{name}")
        }
        _ => word.to_owned(),
    });
    words.collect::<Vec<String>>().join(" ")
}

/// Exception in some events together with the root of its chain and the other exceptions among them.
fn exception(look: &mut Context<'_>, events: &[EventId], found: &Exception) -> String {
    let line = truncate_middle(&found.line, 200);
    let at = match found.place.as_str() {
        "" => String::new(),
        _ => format!(" ({})", found.at()),
    };
    let others = other_exceptions::told(look, events, &found.line);
    match found.origin.as_ref().filter(|o| **o != found.line) {
        Some(origin) => format!("{line}{at}; before it {}.{others}", cut(origin, 120)),
        None => format!("{line}{at}.{others}"),
    }
}

/// Continuation lines of a message, joined into one line.
fn more_lines(look: &mut Context<'_>, id: EventId) -> Option<String> {
    let message = look.message(id);
    let lines = message.lines().skip(1).flat_map(str::split_whitespace);
    let text = lines.collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then(|| truncate_middle(&text, 240))
}

/// `text` with `{key}` replaced by the values of an event; `?` for a missing key.
fn filled(text: &str, event: &EventRef<'_>, texts: &mut TextReader) -> String {
    if !text.contains('{') {
        return text.to_owned();
    }
    let values = event.stored();
    let keys = &event.snapshot.catalog.keys;
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, behind)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        let value = values.iter().find(|(key, ..)| keys.name(*key) == name);
        let told = match value {
            Some(value) => Some(value.1.to_string()),
            // Long values are not in the columns.
            None => { keys.find(name) }
                .and_then(|key| texts.value(event, key))
                .map(|long| cut(&long, 160)),
        };
        match told {
            Some(told) => out.push_str(&told),
            // The reason is unknown: `Results were lost: {reason}`.
            None if out.ends_with(": ") => out.truncate(out.len() - ": ".len()),
            None => out.push('?'),
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

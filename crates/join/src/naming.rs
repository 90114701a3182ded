//! Names of instances in the logs of other programs: joins that are found in the data, not written in a definition.
//!
//! ```text
//! proxy.log    forward 10.0.0.4:5531 -> tcp://127.0.0.1:33785      a value that only a worker has: dask.worker
//! stage.log    post-processing task=4                              a number like a task's, always while that task lives
//! ```
//!
//! A value that is long and has digits names the instance that has it. A number names an instance only if its key is called
//! like the entity, and if the records lie within the lives of the instances that they name, which chance does not explain.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{EventId, KeyId, SourceId};
use widetui_core::words::last_part;
use widetui_format::catalog::encode::DEFER;
use widetui_format::pattern::{Pattern, Spans};
use widetui_query::{Expr, Field, Op};
use widetui_store::Snapshot;
use widetui_store::event_columns::times;
use widetui_store::key_column::{KeyColumn, SegmentView};
use widetui_store::texts::TextReader;
use widetui_time::time::{NO_TIME, NS_PER_SECOND, rfc3339_nanos};

use crate::extraction::stated_values;
use crate::spec::{ExtractionRule, Join, JoinRule, Receivers, records_of_source};

/// Key that identifies the instances of an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityKey {
    /// Key.
    pub key: String,
    /// Title of the entity, singular; empty of a key that determines another one, such as the name of a file.
    pub title: String,
}

/// Origin of the joins that are found in the data, beside the names of systems.
const FOUND: &str = "data";
/// Maximum number of records of other programs that are examined, and of those of one source.
const MAX_EVENTS: usize = 40_000;
const MAX_OF_SOURCE: u32 = 2_000;
/// Maximum number of values of a key that are examined.
const MAX_VALUES: usize = 2_000;
/// Maximum number of values of a key that are read from their records, as they are not stored.
const MAX_DEFERRED: usize = 200;
/// Number of messages of a template that are examined, and maximum number of templates.
const MESSAGES: usize = 6;
const MAX_TEMPLATES: usize = 400;
/// Minimum length of a value that names an instance by itself, bytes.
const MIN_NAME: usize = 8;
/// Maximum number of places in a message at which a name may begin or end.
const MAX_BORDERS: usize = 64;
/// Minimum number of instances that numbers must name, maximum number that is examined, and largest probability that they name
/// them by chance.
const MIN_NUMBERS: usize = 3;
const MAX_NUMBERS: usize = 100;
/// Maximum number of instances with which those named are compared.
const MAX_LIVES: usize = 2_000;
const MAX_CHANCE: f64 = 1e-4;
/// Time before the first record of an instance at which another program may name it, as clocks differ, ns; at most a
/// [`SLACK_PARTS`]th of the run.
const SLACK: i64 = 2 * NS_PER_SECOND;
const SLACK_PARTS: i64 = 50;

/// Records of other programs: values by key, records whose values of a key are not stored, and messages by template.
#[derive(Default)]
struct ForeignRecords {
    values: BTreeMap<KeyId, Vec<(Code, EventId)>>,
    deferred: BTreeMap<KeyId, Vec<EventId>>,
    templates: BTreeMap<String, Vec<EventId>>,
}

impl ForeignRecords {
    /// Samples the records of the sources that `is_foreign` recognises. `None` when cancelled.
    fn read(snapshot: &Snapshot, is_foreign: &[bool], cancel: &Cancel) -> Option<ForeignRecords> {
        let mut out = ForeignRecords::default();
        let mut read = vec![0; is_foreign.len()];
        let segments = snapshot.segments.iter().zip(snapshot.bases.iter());
        let parts = segments.flat_map(|(segment, base)| segment.parts.iter().map(|p| (p, *base)));
        let foreign = parts.flat_map(|(part, base)| {
            let source = part.source.index();
            let count = match (is_foreign.get(source), read.get_mut(source)) {
                (Some(true), Some(read)) => {
                    let count = part.rows.min(MAX_OF_SOURCE - *read);
                    *read += count;
                    count
                }
                _ => 0,
            };
            (0..count).map(move |row| EventId(base + part.first_row + row))
        });
        for (n, id) in foreign.take(MAX_EVENTS).enumerate() {
            let Some(event) = snapshot.event(id) else {
                continue;
            };
            if n % 1024 == 0 && cancel.is_cancelled() {
                return None;
            }
            event.for_each_code(|key, codes, _| {
                let values = out.values.entry(key).or_default();
                match codes {
                    [] | [DEFER] => {
                        let records = out.deferred.entry(key).or_default();
                        records.extend((records.len() < MAX_DEFERRED).then_some(id));
                    }
                    [code] if *code != NONE && values.len() < MAX_VALUES => {
                        values.push((*code, id));
                    }
                    _ => {}
                }
            });
            let template = event
                .template()
                .map_or("", |template| template.text.as_ref());
            if template.contains("{}") {
                let is_full = out.templates.len() >= MAX_TEMPLATES;
                match out.templates.get_mut(template) {
                    Some(known) if known.len() < MESSAGES => known.push(id),
                    None if !is_full => {
                        out.templates.insert(template.to_owned(), vec![id]);
                    }
                    _ => {}
                }
            }
        }
        Some(out)
    }
}

/// Joins by names of instances of other systems in the records of sources that `is_foreign` recognises, by index. `None` when
/// cancelled.
pub fn naming_joins(
    snapshot: &Snapshot,
    identities: &[IdentityKey],
    is_foreign: &[bool],
    cancel: &Cancel,
) -> Option<Vec<Join>> {
    if !is_foreign.contains(&true) || !is_foreign.contains(&false) {
        return Some(Vec::new());
    }
    let keys = &snapshot.catalog.keys;
    let mut known: Vec<(&IdentityKey, KeyId)> = { identities.iter() }
        .filter_map(|identity| Some((identity, keys.find(&identity.key)?)))
        .collect();
    // Several entities may have one key.
    let mut seen = FxHashSet::default();
    known.retain(|(_, key)| seen.insert(*key));
    if known.is_empty() {
        return Some(Vec::new());
    }
    let records = ForeignRecords::read(snapshot, is_foreign, cancel)?;
    let mut names: FxHashMap<String, Option<&str>> = FxHashMap::default();
    let mut numbers: Vec<(&IdentityKey, KeyId, FxHashSet<String>)> = Vec::new();
    for (identity, id) in known {
        let (own, other): (Vec<String>, Vec<String>) = { stated_values(snapshot, id) }
            .into_iter()
            .partition(|value| is_name(value));
        for value in own {
            // A value of two keys names neither.
            let owner = names.entry(value).or_insert(Some(&identity.key));
            *owner = owner.filter(|key| **key == identity.key);
        }
        numbers.push((identity, id, other.into_iter().collect()));
    }
    let by_text = |text: &str| names.get(text).copied().flatten();
    let mut texts = TextReader::default();
    let mut joins = Vec::new();
    for (key, values) in &records.values {
        if cancel.is_cancelled() {
            return None;
        }
        let name = keys.name(*key);
        if identities.iter().any(|identity| identity.key == name) {
            continue;
        }
        let view = keys.get(*key);
        let spelling = |code: Code| view.and_then(|view| view.spelling(code));
        let mention = |id: EventId, text: String| {
            let event = snapshot.event(id)?;
            Some(Mention {
                text,
                time: event.time().unwrap_or(NO_TIME),
                source: event.source().id,
            })
        };
        let stored = values.iter();
        let stored = stored.filter_map(|(code, id)| mention(*id, spelling(*code)?));
        let mut written: Vec<Mention> = stored.collect();
        let deferred = records.deferred.get(key).filter(|_| {
            let mut known = numbers.iter();
            known.any(|(identity, ..)| is_called(name, identity))
        });
        for id in deferred.into_iter().flatten() {
            if let Some(event) = snapshot.event(*id)
                && let Some(text) = texts.value(&event, *key)
            {
                written.extend(mention(*id, text));
            }
        }
        let owner = most_frequent(written.iter().filter_map(|mention| by_text(&mention.text)));
        // `executor task 3` is no task.
        let is_other = |own: &IdentityKey| {
            let mut others = identities.iter().filter(|other| other.key != own.key);
            others.any(|other| {
                let of_word = other.title.ends_with(&format!(" {}", own.title));
                of_word && records.templates.keys().any(|t| t.contains(&other.title))
            })
        };
        let numbered = || {
            let like = { numbers.iter() }
                .filter(|(identity, ..)| is_called(name, identity) && !is_other(identity));
            let proven = like.filter_map(|(identity, id, known)| {
                let only = records_in_lives(snapshot, *id, known, &written)?;
                Some((&*identity.key, Some(only)))
            });
            let mut proven: Vec<(&str, Option<Expr>)> = proven.collect();
            proven.pop().filter(|_| proven.is_empty())
        };
        let owner = owner.map(|owner| (owner, None));
        if let Some((owner, only)) = owner.or_else(numbered) {
            let rule = format!("{{{owner}:text}}");
            // Values that are not stored are read from the records that have some.
            let has = deferred.map(|_| Expr::Has(Field::key(name)));
            let only: Vec<Expr> = has.into_iter().chain(only).collect();
            let only = (!only.is_empty()).then(|| Expr::all_of(only));
            let title = format!("{name} names {owner}");
            joins.extend(join(title, Some(name), only, &rule));
        }
    }
    for (template, events) in &records.templates {
        if cancel.is_cancelled() {
            return None;
        }
        let messages: Vec<String> = { events.iter() }
            .filter_map(|id| {
                let event = snapshot.event(*id)?;
                let reader = event.source().reader.clone()?;
                let message = reader.message(texts.record(&event).ok()?);
                message.lines().next().map(str::to_owned)
            })
            .collect();
        for (pattern, owner) in patterns_with_name(template, &messages, &by_text) {
            let only = Expr::compare(Field::Template, Op::Eq, template.as_str());
            let name = format!("`{template}` names {owner}");
            joins.extend(join(name, None, Some(only), &pattern));
        }
    }
    Some(joins)
}

/// True if a value is so long, and has letters and digits, that an equal one is no chance.
fn is_name(value: &str) -> bool {
    let has = |is: fn(&u8) -> bool| value.bytes().any(|b| is(&b));
    value.len() >= MIN_NAME && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}

/// Join that reads a key from the values of another one, or from messages, where some other record has the value.
fn join(name: String, of: Option<&str>, only: Option<Expr>, pattern: &str) -> Option<Join> {
    let pattern = Pattern::compile(pattern).ok()?;
    let mut rule =
        ExtractionRule::new(of.map(str::to_owned), only, vec![pattern], Vec::new()).ok()?;
    rule.is_if_known = true;
    Some(Join {
        name,
        system: Some(FOUND.to_owned()),
        receivers: Receivers::All,
        rule: JoinRule::Extraction(rule),
    })
}

/// Text that occurs most often.
fn most_frequent<'t>(texts: impl Iterator<Item = &'t str>) -> Option<&'t str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    texts.for_each(|text| *counts.entry(text).or_default() += 1);
    counts
        .into_iter()
        .max_by_key(|(_, n)| *n)
        .map(|(text, _)| text)
}

/// True if a key is called like an entity or its key: `task`, `task_id`, `taskId`, `parsl_task` of `parsl.task`.
fn is_called(name: &str, identity: &IdentityKey) -> bool {
    let plain = |text: &str| -> String {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    let name = plain(name);
    let name = ["id", "number", "no"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or(&name);
    let own = [&*identity.key, last_part(&identity.key), &identity.title];
    own.iter().any(|own| plain(own) == name)
}

/// Value that a record of another program states.
struct Mention {
    text: String,
    /// Time of the record, UTC ns.
    time: i64,
    source: SourceId,
}

/// Condition of the records whose numbers name instances: those of sources whose numbers fit the lives of the instances, from
/// the first life on. Sources whose paths differ in digits only are judged together.
fn records_in_lives(
    snapshot: &Snapshot,
    key: KeyId,
    known: &FxHashSet<String>,
    mentions: &[Mention],
) -> Option<Expr> {
    let mut alike: BTreeMap<String, Vec<&Mention>> = BTreeMap::new();
    for mention in mentions {
        let path = &snapshot.source(mention.source)?.path;
        let path: String = path.chars().filter(|c| !c.is_ascii_digit()).collect();
        alike.entry(path).or_default().push(mention);
    }
    let is_promising = |mentions: &Vec<&Mention>| {
        let named = mentions.iter().filter(|one| known.contains(&one.text));
        let distinct: FxHashSet<&str> = named.clone().map(|one| one.text.as_str()).collect();
        distinct.len() >= MIN_NUMBERS && named.count() * 2 >= mentions.len()
    };
    alike.retain(|_, mentions| is_promising(mentions));
    if alike.is_empty() {
        return None;
    }
    let lives = lives(snapshot, key);
    let start = lives.values().map(Life::start).min()?;
    let end = lives.values().map(Life::end).max()?;
    let slack = SLACK.min(end.saturating_sub(start) / SLACK_PARTS);
    let start = start.saturating_sub(slack);
    alike.retain(|_, mentions| {
        mentions.retain(|mention| mention.time != NO_TIME && mention.time >= start);
        are_lives(&lives, slack, mentions)
    });
    let proven = alike.values().flatten().map(|mention| mention.source);
    let sources: BTreeSet<SourceId> = proven.collect();
    let of_source = |id: SourceId| Some(records_of_source(&snapshot.source(id)?.path));
    let sources: Vec<Expr> = sources.into_iter().filter_map(of_source).collect();
    let since = Expr::compare(Field::Time, Op::Ge, rfc3339_nanos(start));
    (!sources.is_empty()).then(|| Expr::all_of([Expr::any_of(sources), since]))
}

/// Times of the records of an instance, UTC ns, ascending; at least one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Life(Vec<i64>);

impl Life {
    fn start(&self) -> i64 {
        self.0.first().copied().unwrap_or(NO_TIME)
    }

    fn end(&self) -> i64 {
        self.0.last().copied().unwrap_or(NO_TIME)
    }

    /// True if the life, longer by `slack` (ns) and by half of itself at its end, contains a time.
    fn contains(&self, time: i64, slack: i64) -> bool {
        let more = slack.max(self.end().saturating_sub(self.start()) / 2);
        self.start().saturating_sub(slack) <= time && time <= self.end().saturating_add(more)
    }

    /// Time to the nearest record, ns.
    fn distance(&self, time: i64) -> u64 {
        let after = self.0.partition_point(|at| *at < time);
        let near = [after.checked_sub(1), Some(after)].into_iter().flatten();
        let near = near.filter_map(|at| self.0.get(at));
        near.map(|at| at.abs_diff(time)).min().unwrap_or(u64::MAX)
    }
}

/// True if numbers at some times are of instances that live then, so often that chance does not explain it. `lives` are those
/// of the instances by number.
fn are_lives(lives: &FxHashMap<String, Life>, slack: i64, mentions: &[&Mention]) -> bool {
    let inside = mentions.iter().filter(|mention| {
        let life = lives.get(&mention.text);
        life.is_some_and(|life| life.contains(mention.time, slack))
    });
    if inside.count() * 10 < mentions.len() * 9 {
        return false;
    }
    let step = lives.len().div_ceil(MAX_LIVES).max(1);
    let others: Vec<&Life> = lives.values().step_by(step).collect();
    // Share of the instances that live at the time of a record, or have a record as near to it, as the one that it names: the
    // probability that it names one by chance.
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    let first = mentions.iter().filter(|mention| seen.insert(&mention.text));
    let chances = first.take(MAX_NUMBERS).filter_map(|mention| {
        let (time, own) = (mention.time, lives.get(&mention.text)?);
        let share = |is_alike: &dyn Fn(&Life) -> bool| {
            let alike = others.iter().filter(|life| is_alike(life)).count();
            (alike.max(1)) as f64 / others.len() as f64
        };
        let alive = share(&|life| life.contains(time, slack));
        let near = share(&|life| life.distance(time) <= own.distance(time));
        Some((2.0 * alive.min(near)).min(1.0))
    });
    combined_chance(&chances.collect::<Vec<f64>>()) < MAX_CHANCE
}

/// Probability that independent probabilities are as small by chance as these (Fisher's method): that a gamma variable of their
/// number exceeds the sum of their negative logarithms.
fn combined_chance(chances: &[f64]) -> f64 {
    let sum = -chances.iter().map(|chance| chance.ln()).sum::<f64>();
    let mut term = (-sum).exp();
    let mut tail = 0.0;
    for n in 0..chances.len() {
        tail += term;
        term *= sum / (n + 1) as f64;
    }
    tail
}

/// Times of the records that state each value of a key.
fn lives(snapshot: &Snapshot, key: KeyId) -> FxHashMap<String, Life> {
    let times = times(snapshot);
    let mut by_code: FxHashMap<Code, Life> = FxHashMap::default();
    for index in 0..snapshot.segments.len() {
        let view = SegmentView::new(snapshot, index, &[]);
        let base = snapshot.bases[index] as usize;
        for at in 0..view.segment.groups.len() {
            let group = view.group(at);
            let mut add = |code: Code, row: u16| {
                let time = times.get(base + usize::from(row)).copied();
                if let Some(time) = time.filter(|time| *time != NO_TIME && code != NONE) {
                    by_code.entry(code).or_default().0.push(time);
                }
            };
            let rows = group.group.rows.iter().copied();
            match group.key_column(key) {
                KeyColumn::Absent | KeyColumn::Elements(_) => {}
                KeyColumn::Const(code) => rows.for_each(|row| add(code, row)),
                KeyColumn::Rows(codes) => {
                    codes
                        .iter()
                        .zip(rows)
                        .for_each(|(code, row)| add(*code, row));
                }
            }
        }
    }
    let view = snapshot.catalog.keys.get(key);
    let named = by_code.into_iter().filter_map(|(code, mut life)| {
        life.0.sort_unstable();
        let code = view.map_or(code, |view| view.dict.canonical(code));
        Some((view?.spelling(code)?, life))
    });
    named.collect()
}

/// Patterns of a template that has the name of an instance at one place in a quarter of its messages, with the key of the
/// instances; one for a key.
fn patterns_with_name<'n>(
    template: &str,
    messages: &[String],
    by_text: &impl Fn(&str) -> Option<&'n str>,
) -> Vec<(String, &'n str)> {
    let literals: Vec<&str> = template.split("{}").collect();
    let escaped = |text: &str| text.replace('{', "{{").replace('}', "}}");
    let whole = { literals.iter().enumerate() }.map(|(at, literal)| match at {
        0 => escaped(literal),
        at => format!("{{p{at}:text}}{}", escaped(literal)),
    });
    let Ok(whole) = Pattern::compile(&whole.collect::<String>()) else {
        return Vec::new();
    };
    let mut spans = Spans::new();
    let mut found: Vec<Option<(String, &str)>> = Vec::new();
    for message in messages {
        if !whole.matches(message.as_bytes(), &mut spans) {
            continue;
        }
        let Some((range, key)) = name_within(message, by_text) else {
            found.push(None);
            continue;
        };
        // Variable parts that the name covers, and the text around it.
        let mut pattern = String::new();
        let mut add = |text: &str, from: usize, is_variable: bool| {
            let before = range.start.clamp(from, from + text.len()) - from;
            let after = range.end.clamp(from, from + text.len()) - from;
            pattern.push_str(&escaped(text.get(..before).unwrap_or_default()));
            if (from..from + text.len()).contains(&range.start) {
                pattern.push_str(&format!("{{{key}:text}}"));
            }
            let rest = text.get(after.max(before)..).unwrap_or_default();
            // The rest of a variable part varies from its first sign on.
            match rest.chars().next().filter(|_| is_variable) {
                Some(sign) => pattern.push_str(&format!(
                    "{}{{:text}}",
                    escaped(sign.encode_utf8(&mut [0; 4]))
                )),
                None => pattern.push_str(&escaped(rest)),
            }
        };
        let mut at = 0;
        let is_known = literals.iter().enumerate().all(|(index, literal)| {
            if index > 0 {
                let hole = whole.field(&format!("p{index}"));
                let Some(hole) = hole.and_then(|hole| spans.get(hole).cloned()) else {
                    return false;
                };
                let text = message.get(hole.clone()).unwrap_or_default();
                match hole.start < range.end && range.start < hole.end {
                    true => add(text, hole.start, true),
                    false => add("\u{1}", usize::MAX / 2, false),
                }
                at = hole.end;
            }
            add(literal, at, false);
            at += literal.len();
            true
        });
        let pattern = pattern.replace('\u{1}', "{:text}");
        found.push(is_known.then_some((pattern, key)));
    }
    let mut counts: BTreeMap<&(String, &str), usize> = BTreeMap::new();
    found
        .iter()
        .flatten()
        .for_each(|one| *counts.entry(one).or_default() += 1);
    let mut often: Vec<(usize, &(String, &str))> = { counts.into_iter() }
        .filter(|(_, count)| count * 4 >= found.len())
        .map(|(one, count)| (count, one))
        .collect();
    often.sort_by_key(|(count, one)| (one.1, std::cmp::Reverse(*count)));
    often.dedup_by_key(|(_, one)| one.1);
    often.into_iter().map(|(_, one)| one.clone()).collect()
}

/// Longest name of an instance between delimiters in a text, and the key of the instance.
fn name_within<'n>(
    text: &str,
    by_text: &impl Fn(&str) -> Option<&'n str>,
) -> Option<(Range<usize>, &'n str)> {
    let is_inner = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
    let bytes = text.as_bytes();
    let is_border = |at: &usize| {
        let inner = |at: usize| bytes.get(at).is_some_and(|b| is_inner(*b));
        text.is_char_boundary(*at) && !(*at > 0 && inner(at - 1) && inner(*at))
    };
    let borders: Vec<usize> = (0..=text.len())
        .filter(is_border)
        .take(MAX_BORDERS)
        .collect();
    let ranges = { borders.iter() }.flat_map(|from| {
        let ends = borders.iter().filter(move |to| **to >= from + MIN_NAME);
        ends.map(move |to| *from..*to)
    });
    let named = ranges.filter_map(|range| Some((range.clone(), by_text(text.get(range)?)?)));
    let named: Vec<(Range<usize>, &str)> = named.collect();
    let longest = named.iter().max_by_key(|(range, _)| range.len()).cloned()?;
    // A message about several instances is about none of them alone.
    let is_other = |(range, _): &(Range<usize>, &str)| {
        let is_apart = range.end <= longest.0.start || longest.0.end <= range.start;
        is_apart && text.get(range.clone()) != text.get(longest.0.clone())
    };
    (!named.iter().any(is_other)).then_some(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_text(text: &str) -> Option<&'static str> {
        match text {
            "tcp://10.0.0.4:40737" | "tcp://10.0.0.5:40001" => Some("dask.worker"),
            "('fit-78dbb360', 9)" => Some("dask.key"),
            _ => None,
        }
    }

    #[test]
    fn a_name_replaces_the_parts_of_a_template_that_it_covers() {
        let found = |template: &str, message: &str| {
            let found = patterns_with_name(template, &[message.to_owned()], &by_text);
            let mut found = found.into_iter();
            found
                .next()
                .map(|(pattern, key)| format!("{key}: {pattern}"))
        };
        assert_eq!(
            found(
                "{}:{} -> tcp://{}:{} {{}",
                "10.0.0.9:1 -> tcp://10.0.0.4:40737 {7"
            )
            .as_deref(),
            Some("dask.worker: {:text}:{:text} -> {dask.worker:text} {{{:text}")
        );
        assert_eq!(
            found(
                "stored ('{}', {}) in {} ms",
                "stored ('fit-78dbb360', 9) in 3 ms"
            )
            .as_deref(),
            Some("dask.key: stored {dask.key:text} in {:text} ms")
        );
        assert_eq!(found("tcp://{}", "tcp://10.0.0.4:407"), None);
        assert_eq!(
            found("copied {}", "copied tcp://10.0.0.4:40737 (290 B)").as_deref(),
            Some("dask.worker: copied {dask.worker:text} {:text}")
        );
        // Two instances.
        assert_eq!(
            found("tcp://{} {}", "tcp://10.0.0.4:40737 tcp://10.0.0.5:40001"),
            None
        );
    }

    #[test]
    fn many_small_probabilities_are_no_chance() {
        let uniform: Vec<f64> = (1..=20).map(|n| f64::from(n) / 20.0).collect();
        assert!(combined_chance(&uniform) > 0.1);
        assert!(combined_chance(&[0.05; 3]) > 1e-3);
        assert!(combined_chance(&[0.05; 10]) < 1e-4);
        assert!((combined_chance(&[0.3]) - 0.3).abs() < 1e-9);
    }

    #[test]
    fn keys_are_called_like_the_entity_or_its_key() {
        let identity = IdentityKey {
            key: "parsl.task".to_owned(),
            title: "task".to_owned(),
        };
        for name in [
            "task",
            "task_id",
            "taskId",
            "task.id",
            "Task",
            "parsl_task",
            "task_no",
        ] {
            assert!(is_called(name, &identity), "{name}");
        }
        for name in ["tasks", "retry", "subtask", "id", "task_count"] {
            assert!(!is_called(name, &identity), "{name}");
        }
    }
}

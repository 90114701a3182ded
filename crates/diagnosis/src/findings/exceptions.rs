//! Exceptions: tracebacks grouped by type and last place.

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::ids::{EventId, SourceId};
use widetui_core::level::Level;
use widetui_core::words::{cut, truncate_middle};
use widetui_definition::semantics::Severity;
use widetui_format::json::dialect::OriginalForm;
use widetui_query::{Expr, select};

use crate::findings::affected_work;
use crate::findings::affected_work::GoalFate;
use crate::findings::attached_exceptions::TRACEBACK;
use crate::findings::context::Context;
use crate::findings::finding::{EVIDENCE, Finding, FindingKind};
use crate::findings::interrupts;
use crate::findings::process_output;
use crate::findings::requested_stops::RequestedStops;

/// Maximum length of the line of an exception that says less than those before it in the chain, bytes.
const SHORT: usize = 90;
/// Maximum length of the line of an exception that is quoted from within a chain, bytes: longer ones repeat those inside.
const READABLE: usize = 280;
/// Lines that Python prints between the exceptions of a chain.
const BETWEEN: [&str; 2] = [
    "The above exception was the direct cause",
    "During handling of the above exception",
];
/// Maximum number of tracebacks that are read; further ones are usually repetitions.
const READ: usize = 5_000;

/// A parsed traceback.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Exception {
    /// Class name without its module: `ValueError`.
    pub(crate) name: String,
    /// Line that names the exception; empty if the text ends before it.
    pub(crate) line: String,
    /// Last place of the traceback in which it was raised: file and line.
    pub(crate) place: String,
    /// Function of that place; empty for the top level of a program.
    pub(crate) function: String,
    /// Last place of the user's own code, if it was raised in a library: file, line and function.
    pub(crate) caller: Option<String>,
    /// First exception of a chain, if there are several.
    pub(crate) origin: Option<String>,
    /// Exception between the first and the last one of a chain that says most.
    pub(crate) between: Option<String>,
}

impl Exception {
    /// Last place with its function: `run.py:44 in step`.
    pub(crate) fn at(&self) -> String {
        at(&self.place, &self.function)
    }
}

/// Place with its function, if it has one.
fn at(place: &str, function: &str) -> String {
    match function {
        "" => place.to_owned(),
        function => format!("{place} in {function}"),
    }
}

/// Parts of the paths of installed packages and of Python's own library.
pub(crate) const PYTHON_LIBRARIES: [&str; 4] = [
    "site-packages/",
    "dist-packages/",
    "/lib/python3",
    "<frozen ",
];

/// Parses the traceback in a message; `None` if there is none.
///
/// Frames are indented, and the first line after them names the exception, whose class may have any name
/// (`solve.<locals>.Diverged`). The following lines are the text of the exception, in any form.
pub(crate) fn read(message: &str) -> Option<Exception> {
    let Some(start) = message.find(TRACEBACK) else {
        return never_raised(message);
    };
    let start = message[..start].rfind('\n').map_or(0, |at| at + 1);
    let mut out = Exception::default();
    let mut names: Vec<String> = Vec::new();
    // Place, function and caller of each name.
    let mut places: Vec<(String, String, Option<String>)> = Vec::new();
    let mut part = Part::Text;
    let mut lines = message[start..].lines();
    while let Some(line) = lines.next() {
        let line = without_margin(line);
        let text = line.trim();
        let indent = line.len() - line.trim_start().len();
        if text.contains(TRACEBACK) {
            part = Part::Frames(indent);
            out.caller = None;
            continue;
        }
        let Part::Frames(margin) = part else {
            // Another process may have written between the frames and the exception.
            if part == Part::Cut && indent == 0 && is_exception(text) {
                names.push(with_text(text, &lines));
                places.push((out.place.clone(), out.function.clone(), out.caller.clone()));
                part = Part::Text;
            }
            continue;
        };
        // The frame that handled the exception may be marked.
        let frame = text.strip_prefix("> ").unwrap_or(text);
        if let Some(rest) = frame.strip_prefix("File \"") {
            let mut parts = rest.splitn(2, "\", line ");
            let file = parts.next().unwrap_or_default();
            let number = parts.next().unwrap_or_default();
            let number = number.split(|c: char| !c.is_ascii_digit()).next();
            let name = file.rsplit('/').next().unwrap_or(file);
            out.place = format!("{name}:{}", number.unwrap_or_default());
            let function = rest.rsplit_once(", in ").map(|(_, function)| function);
            let function = function.filter(|f| !f.starts_with('<')).unwrap_or_default();
            function.trim_end().clone_into(&mut out.function);
            if !PYTHON_LIBRARIES.iter().any(|part| file.contains(part)) {
                out.caller = Some(out.at());
            }
        } else if indent <= margin && !text.is_empty() && !is_underline(text) {
            part = match is_class(text) {
                true => {
                    names.push(with_text(text, &lines));
                    places.push((out.place.clone(), out.function.clone(), out.caller.clone()));
                    Part::Text
                }
                false => Part::Cut,
            };
        }
    }
    if let Some(last) = names.last() {
        out.line.clone_from(last);
        out.name = name(last);
        // A process that received an exception raises it again.
        let raised = names.iter().zip(places).find(|(name, _)| *name == last);
        if let Some((_, raised)) = raised {
            (out.place, out.function, out.caller) = raised;
        }
    }
    let own = out.at();
    out.caller = out.caller.filter(|caller| *caller != own);
    // A line that only introduces the traceback of another process is no part of the chain.
    names.retain(|name| !name.ends_with(QUOTATION));
    if let [_, between @ .., _] = &names[..] {
        let readable = between.iter().filter(|name| name.len() <= READABLE);
        let longest = readable.max_by_key(|name| name.len());
        out.between = longest.filter(|name| name.len() > out.line.len()).cloned();
    }
    // The first exception of a chain is the cause.
    if names.len() > 1 {
        out.origin = names.into_iter().next();
    }
    Some(out)
}

/// Text of an exception that quotes the traceback of another process in the following lines.
const QUOTATION: &str = ": \"\"\"";

/// Exception that was logged without being raised: it has no traceback, and its line follows the message.
fn never_raised(message: &str) -> Option<Exception> {
    let mut lines = message.lines().skip(1);
    let line = lines.next()?;
    if !is_exception(line) || !head(line).contains('.') {
        return None;
    }
    Some(Exception {
        name: name(line),
        line: with_text(line.trim_end(), &lines),
        ..Exception::default()
    })
}

/// Maximum length of an exception's text when continuation lines are appended, characters.
const TEXT: usize = 400;

/// Whether a sentence continues in the next line. Most exception texts have no full stop, so the end of an earlier
/// sentence in the line must show that this one is unfinished.
fn goes_on<'t>(line: &str, behind: &(impl Iterator<Item = &'t str> + Clone)) -> bool {
    let next = behind.clone().next().unwrap_or_default();
    let is_open = line.ends_with(|c: char| c.is_alphabetic() || c == ',');
    is_open && line.contains(". ") && next.starts_with(char::is_lowercase)
}

/// The line that names an exception, with the following lines if it ends in a colon or within a sentence.
fn with_text<'t>(line: &str, behind: &(impl Iterator<Item = &'t str> + Clone)) -> String {
    let mut out = line.to_owned();
    // ipyparallel lists the exceptions of all engines below its own: `[0:apply]ValueError: x`.
    let inner = behind.clone().next().filter(|l| l.starts_with('['));
    let inner = inner.and_then(|l| Some(l.split_once(']')?.1.trim()));
    if let Some(inner) = inner.filter(|inner| is_exception(inner) && inner.contains(": ")) {
        return format!("{inner} (in {line})");
    }
    if goes_on(line, behind) {
        let mut behind = behind.clone();
        while out.len() < TEXT && (out.len() == line.len() || goes_on(&out, &behind)) {
            let Some(next) = behind.next() else { break };
            out.push(' ');
            out.push_str(next.trim());
        }
        return out;
    }
    if !line.ends_with(':') {
        return out;
    }
    for more in behind
        .clone()
        .map(str::trim)
        .take_while(|l| !l.contains(TRACEBACK) && !BETWEEN.iter().any(|b| l.starts_with(b)))
    {
        if out.len() >= TEXT {
            break;
        }
        if !more.is_empty() {
            out.push(' ');
            out.push_str(more);
        }
    }
    out
}

/// Part of a traceback that a line belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Before the traceback, or after the name of its exception.
    Text,
    /// Frames below the header, which has this indentation.
    Frames(usize),
    /// After the frames, before the exception is named.
    Cut,
}

/// A line without the margin of an exception group.
fn without_margin(line: &str) -> &str {
    let text = line.trim_start();
    text.strip_prefix("| ")
        .or_else(|| text.strip_prefix("+ "))
        .unwrap_or(line)
}

/// Whether a line only underlines a part of the line above it (Python 3.11 and later). Forwarded text may have lost
/// its indentation.
fn is_underline(text: &str) -> bool {
    text.chars().all(|c| matches!(c, '^' | '~' | ' '))
}

/// Whether the line after the frames names a class: a dotted name, possibly local to a function, alone or before a
/// colon.
fn is_class(line: &str) -> bool {
    let head = head(line);
    let last = head.rsplit('.').next().unwrap_or(head);
    let is_name = head
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '<' | '>'));
    let starts_well = last.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let is_likely = head.contains('.') || last.starts_with(char::is_uppercase);
    is_name && starts_well && is_likely
}

/// Text before the first colon.
fn head(line: &str) -> &str {
    let head = line.split(": ").next().unwrap_or(line);
    head.trim_end_matches(':')
}

/// Whether a line names an exception: `module.NameError: text`, `KeyboardInterrupt`.
pub(crate) fn is_exception(line: &str) -> bool {
    let head = head(line);
    let last = head.rsplit('.').next().unwrap_or(head);
    let is_name = !head.is_empty()
        && head
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    let looks = [
        "Error",
        "Exception",
        "Warning",
        "Interrupt",
        "Exit",
        "Lost",
        "Timeout",
        "Failure",
    ];
    is_name
        && last.starts_with(|c: char| c.is_uppercase())
        && looks.iter().any(|l| last.ends_with(l))
}

fn name(line: &str) -> String {
    let head = head(line);
    head.rsplit('.').next().unwrap_or(head).to_owned()
}

/// Unclaimed events with tracebacks, in time order; `None` when cancelled.
fn events(look: &mut Context<'_>) -> Option<Vec<EventId>> {
    let expr = Expr::Text(TRACEBACK.to_owned());
    let found = select(look.snapshot, &expr, look.cancel)?;
    let is_free = |id: &u32| {
        !look.claimed.contains(id) && look.snapshot.duplicates.original_of(*id).is_none()
    };
    let ids = found.ordered(look.snapshot).into_iter();
    let mut ids: Vec<u32> = ids.filter(is_free).collect();
    let others = of_objects(look)?.into_iter();
    let others = others.filter(|id| is_free(id) && !found.contains(EventId(*id)));
    let mut others: Vec<u32> = others.take(READ).collect();
    let printed = printed(look)?.into_iter();
    let printed = printed.filter(|id| is_free(id) && !found.contains(EventId(*id)));
    let printed: Vec<u32> = printed.take(READ).collect();
    others.retain(|id| {
        look.message(EventId(*id)).contains(TRACEBACK) || look.in_parts(EventId(*id)).is_some()
    });
    others.extend(printed);
    if !others.is_empty() {
        ids.extend(others);
        let time = |id: &u32| look.snapshot.event(EventId(*id)).map(|e| e.order_time());
        ids.sort_by_key(|id| (time(id), *id));
    }
    Some(ids.into_iter().map(EventId).collect())
}

/// Suspicious records of logs of objects, in which any field may hold an exception. `None` when cancelled.
fn of_objects(look: &Context<'_>) -> Option<Vec<u32>> {
    let mut out = look.records_with(|level, _| level >= Level::Warning)?;
    out.retain(|id| {
        let event = look.snapshot.event(*id);
        let reader = event.and_then(|e| Some(e.source().reader.as_ref()?.original_form()));
        reader == Some(OriginalForm::Fields)
    });
    Some(out.into_iter().map(|id| id.0).collect())
}

/// Output without times and levels that is the last line of an exception (`KilledWorker: ('sum-1', 4)`), as its class
/// shows, or because work failed with an exception of this class. `None` when cancelled.
fn printed(look: &Context<'_>) -> Option<Vec<u32>> {
    let known: FxHashSet<String> = look.whys.iter().map(|line| name(line)).collect();
    let is_printed = |text: &str| {
        let is_usual = || is_exception(text) && !name(text).ends_with(WARNING);
        is_class(text) && text.contains(": ") && (is_usual() || known.contains(&name(text)))
    };
    let mut out = look.records_with(|level, text| level == Level::Unknown && is_printed(text))?;
    let is_timed = |id: &EventId| look.snapshot.event(*id).and_then(|e| e.time()).is_some();
    out.retain(|id| !is_timed(id));
    Some(out.into_iter().map(|id| id.0).collect())
}

/// End of the names of exceptions that are warnings.
const WARNING: &str = "Warning";

/// Exception that output names without a traceback, or below the last frame of one that has no heading.
fn of_line(look: &mut Context<'_>, id: EventId) -> Option<Exception> {
    let source = look
        .snapshot
        .event(id)
        .filter(|e| e.time().is_none())?
        .source()
        .id;
    let line = look.line(id);
    if !is_class(&line) {
        return None;
    }
    let mut text = format!("{TRACEBACK}:\n");
    for far in [2, 1] {
        let before = EventId(id.0.saturating_sub(far));
        let event = look.snapshot.event(before);
        if event.is_some_and(|e| e.source().id == source) {
            text += &format!("  {}\n", look.message(before).trim());
        }
    }
    let framed = read(&format!("{text}{line}")).filter(|e| !e.place.is_empty() && e.line == line);
    Some(framed.unwrap_or_else(|| Exception {
        name: name(&line),
        line,
        ..Exception::default()
    }))
}

/// Exception of a record whose class and text are in separate fields.
fn in_parts(look: &mut Context<'_>, id: EventId) -> Option<Exception> {
    let line = look.in_parts(id)?;
    Some(Exception {
        name: name(&line),
        line,
        ..Exception::default()
    })
}

/// Findings of unexplained exceptions.
pub(crate) fn look(look: &mut Context<'_>) -> Option<Vec<Finding>> {
    let events = events(look)?;
    // Exception, its events, and the number of occurrences: the exception may be named in a record of its own.
    let mut groups: Vec<(Exception, Vec<EventId>, usize)> = Vec::new();
    let mut of: FxHashMap<(String, String), usize> = FxHashMap::default();
    look.note_goals(events.iter().take(READ).map(|e| e.0));
    for id in events.iter().take(READ) {
        if look.cancel.is_cancelled() {
            return None;
        }
        let after_end = look
            .snapshot
            .event(*id)
            .is_some_and(|e| look.is_after_end(&e));
        look.claimed.insert(id.0);
        // The failure of the work item is reported with it.
        let goal = look.goal_of.get(&id.0).copied();
        let of_failed = goal.map(|goal| look.fate(goal)) == Some(GoalFate::Failed);
        if after_end || of_failed || look.names_a_failure(*id) {
            continue;
        }
        let message = look.message(*id);
        let whole = read(&message);
        let is_in_parts = whole.is_none();
        let whole = whole.or_else(|| in_parts(look, *id));
        let Some(mut exception) = whole.or_else(|| of_line(look, *id)) else {
            continue;
        };
        let mut shown = vec![*id];
        if exception.line.is_empty()
            && exception.place.is_empty()
            && let Some((read, records)) = in_records(look, *id, &message)
        {
            exception = read;
            look.claimed.extend(records.iter().map(|id| id.0));
            shown.extend(records.last());
        }
        if exception.line.is_empty()
            && let Some((next, line)) = named_behind(look, *id)
        {
            // A hint explains the line with the exception.
            if !look.claimed.insert(next.0) {
                continue;
            }
            exception.name = name(&line);
            exception.line = line;
            shown.push(next);
        }
        let heading = heading(look, *id);
        look.claimed.extend(heading.map(|id| id.0));
        // The exception of a failed work item in a record of an ordinary level is on its way to that failure.
        let level = look.snapshot.event(*id).map(|e| e.level());
        let is_told = look.whys.contains(&exception.line);
        if level < Some(Level::Warning) && is_told && !look.came_out(*id, &exception.line) {
            continue;
        }
        look.reasons.insert(*id, exception.line.clone());
        // Without a place, the text identifies the exception. All processes of a terminal are interrupted at once.
        let place = match is_in_parts {
            _ if exception.name == interrupts::EXCEPTION => String::new(),
            true => exception.line.replace(|c: char| c.is_ascii_digit(), ""),
            false => exception.place.clone(),
        };
        let key = (exception.name.clone(), place);
        let at = *of.entry(key).or_insert_with(|| {
            groups.push((exception, Vec::new(), 0));
            groups.len() - 1
        });
        groups[at].1.extend(shown);
        groups[at].2 += 1;
    }
    let mut out = Vec::new();
    let stops = RequestedStops::find(look)?;
    for (exception, events, times) in groups {
        // A record that only names the exception of the preceding one is not counted.
        let twice = events.len() - look.once(&events).len();
        let times = times.saturating_sub(twice).max(1);
        out.push(match exception.name == interrupts::EXCEPTION {
            true => interrupts::finding(look, &events, &exception.place),
            false => finding(look, &exception, (&events, times), &stops),
        });
    }
    Some(out)
}

/// Record without a time directly before a traceback that introduces it: `Process Worker-3:`.
fn heading(look: &mut Context<'_>, id: EventId) -> Option<EventId> {
    let snapshot = look.snapshot;
    let before = EventId(id.0.checked_sub(1)?);
    let is_output = |id| snapshot.event(id).filter(|e| e.time().is_none());
    let is_here = is_output(before)?.source().id == is_output(id)?.source().id;
    let is_heading = is_here
        && look.line(id).starts_with(TRACEBACK)
        && look.message(before).trim_end().ends_with(':');
    is_heading.then_some(before)
}

/// Maximum number of records of which the lines of one traceback are read.
const MAX_LINES: u32 = 400;

/// Traceback that begins in a record and has each further line in a record of its own, as syslog and collectors of standard
/// error write them; with these records, the last of which names the exception. `None` if it does not go on so.
fn in_records(
    look: &mut Context<'_>,
    id: EventId,
    first: &str,
) -> Option<(Exception, Vec<EventId>)> {
    let source = look.snapshot.event(id)?.source().id;
    let mut text = first.to_owned();
    let mut records = Vec::new();
    let mut is_code = false;
    for next in (1..=MAX_LINES).map(|n| EventId(id.0.saturating_add(n))) {
        if look
            .snapshot
            .event(next)
            .is_none_or(|e| e.source().id != source)
        {
            break;
        }
        let message = look.message(next);
        let line = message.trim_end();
        let is_frame = line.trim_start().starts_with("File \"");
        let goes_on = is_frame
            || is_code
            || line.starts_with([' ', '\t'])
            || is_underline(line)
            || line.contains(TRACEBACK)
            || BETWEEN.iter().any(|between| line.starts_with(between));
        // A prefix may have taken the indentation.
        let indent = if goes_on && !line.starts_with([' ', '\t']) && !line.contains(TRACEBACK) {
            "  "
        } else {
            ""
        };
        text.push('\n');
        text.push_str(indent);
        text.push_str(line);
        records.push(next);
        // The line of code follows its frame.
        is_code = is_frame;
        if !goes_on && !is_between_exceptions(look, next, source) {
            break;
        }
    }
    let exception = read(&text)?;
    (!exception.line.is_empty() && !exception.place.is_empty()).then_some((exception, records))
}

/// Whether the record after the one that names an exception introduces the next exception of a chain.
fn is_between_exceptions(look: &mut Context<'_>, id: EventId, source: SourceId) -> bool {
    let mut following = (1..=2).map(|n| EventId(id.0.saturating_add(n)));
    following.any(|next| {
        let is_here = look
            .snapshot
            .event(next)
            .is_some_and(|e| e.source().id == source);
        is_here && {
            let message = look.message(next);
            BETWEEN
                .iter()
                .any(|between| message.trim_start().starts_with(between))
        }
    })
}

/// Next record of the source, if it names the exception of the traceback that ends in this one.
fn named_behind(look: &mut Context<'_>, id: EventId) -> Option<(EventId, String)> {
    let next = EventId(id.0.saturating_add(1));
    let here = look.snapshot.event(id)?.source().id;
    let event = look.snapshot.event(next)?;
    if event.source().id != here {
        return None;
    }
    let message = look.message(next);
    let line = message.lines().next()?.trim();
    let is_one =
        is_exception(line) || (is_class(line) && head(line).contains('.') && line.contains(": "));
    if !is_one {
        return None;
    }
    if message.lines().nth(1).is_some() {
        return Some((next, cut(&message.replace('\n', " "), 200)));
    }
    // Without a layout each line is a record.
    let ids = (1..=LINES_BEHIND).map(|n| EventId(next.0.saturating_add(n)));
    let is_here = |id: &EventId| {
        look.snapshot
            .event(*id)
            .is_some_and(|e| e.source().id == here)
    };
    let ids: Vec<EventId> = ids.take_while(is_here).collect();
    let lines: Vec<String> = ids.into_iter().map(|id| look.line(id)).collect();
    let line = with_text(line, &lines.iter().map(String::as_str));
    Some((next, cut(&line, 200)))
}

/// Maximum number of following records that may continue the text of an exception.
const LINES_BEHIND: u32 = 3;

/// Exceptions that only carry out a termination: its initiator is the cause.
const ENDED: [&str; 3] = ["CancelledError", "GeneratorExit", "SystemExit"];

/// Whether the output of a program ends with one of these exceptions, and not one of a thread or of a destructor, which
/// end no program.
fn ends_program(look: &mut Context<'_>, events: &[EventId]) -> bool {
    if !events
        .iter()
        .any(|id| process_output::ends_with(look, *id, 0))
    {
        return false;
    }
    let first = events[0];
    let before = EventId(first.0.saturating_sub(1));
    [first, before].iter().all(|id| {
        let line = look.line(*id);
        !line.starts_with("Exception ignored in") && !line.starts_with("Exception in thread")
    })
}

/// Maximum number of records behind an exception that are read for a recovery.
const RECOVERY: u32 = 200;

/// True if the log of an exception reports later that its program recovered.
fn is_recovered(look: &mut Context<'_>, events: &[EventId]) -> bool {
    let words = &look.snapshot.catalog.words;
    let source = |id: EventId| look.snapshot.event(id).map(|e| e.source().id);
    let Some(last) = events.iter().max().copied() else {
        return false;
    };
    let records = (0..RECOVERY).map(|far| EventId(last.0.saturating_add(far)));
    let records: Vec<EventId> = records
        .take_while(|id| source(*id) == source(last))
        .collect();
    records.into_iter().any(|id| {
        let message = look.message(id).to_lowercase();
        words
            .recovered
            .iter()
            .any(|word| message.contains(word.as_str()))
    })
}

fn finding(
    look: &mut Context<'_>,
    exception: &Exception,
    (events, times): (&[EventId], usize),
    stops: &RequestedStops,
) -> Finding {
    let first = events[0];
    let event = look.snapshot.event(first);
    let went_well = event.as_ref().is_some_and(|e| look.went_well(e));
    let level = event.as_ref().map(|e| e.level()).unwrap_or_default();
    let is_grave = level >= Level::Error || level == Level::Unknown || level == Level::Info;
    let is_end = ENDED.contains(&exception.name.as_str());
    let ended = affected_work::all_ended(look, events);
    let is_fatal = ends_program(look, events);
    let is_recovered = is_recovered(look, events);
    let is_of_stop = stops.cover(look, events);
    let severity = match (
        is_end || ended.is_some() || is_recovered || is_of_stop,
        is_grave && (is_fatal || !went_well),
    ) {
        (false, true) => Severity::Error,
        _ => Severity::Warning,
    };
    let what = match exception.line.as_str() {
        "" => "Traceback without its last line".to_owned(),
        line => cut(line, 120),
    };
    let head = look.line(first);
    let mut text = format!(
        "It came with \"{}\" in {}",
        cut(&head, 100),
        look.tag(first)
    );
    if !exception.place.is_empty() {
        text += &format!(", last place {}", exception.at());
    }
    if let Some(caller) = &exception.caller {
        text += &format!(", called from {caller}");
    }
    text.push('.');
    if let Some(origin) = &exception.origin {
        text += &format!(
            " The first of the chain of exceptions is \"{}\".",
            cut(origin, 120)
        );
    }
    if let Some(between) = &exception.between {
        text += &format!(" Between them: \"{}\".", truncate_middle(between, 240));
    }
    if is_fatal {
        text += process_output::ENDED;
    }
    if is_of_stop {
        text += " Its program was stopping as requested.";
    }
    if is_recovered {
        text += " Its program recovered from it, as it reports later.";
    }
    if let Some(ended) = ended {
        text += &format!(" {ended}");
    }
    Finding {
        text,
        evidence: events.iter().take(EVIDENCE).copied().collect(),
        events: events.to_vec(),
        count: times as u64,
        first: look.time(first),
        ended_program: is_fatal,
        // A short line is that of a wrapper.
        reason: { exception.between.clone() }.filter(|_| exception.line.len() <= SHORT),
        exception: Some(exception.name.clone()),
        is_of_stop,
        caller: { exception.caller.clone() }.or_else(|| match exception.place.as_str() {
            "" => None,
            _ => Some(exception.at()),
        }),
        ..Finding::new(FindingKind::Exception, severity, what)
    }
}

#[cfg(test)]
mod tests;

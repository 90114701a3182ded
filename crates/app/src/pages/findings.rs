//! Page of findings: ranked findings, the current one expanded with explanation, advice and
//! evidence; at the end the conclusion and the limits of the diagnosis.

use crate::command::Command;
use crate::findings::{FindingCursor, FindingSearch};
use crate::loading::Loading;
use crate::model::{Model, View};
use rustc_hash::FxHashSet;
use widetui_core::ids::{EventId, SourceId};
use widetui_core::level::Level;
use widetui_core::words::several;
use widetui_diagnosis::words::{
    MORE, NEXT, UNKNOWN, WORTH_KNOWING, heading as counts_by_severity, times,
};
use widetui_diagnosis::{Finding, Severity};
use widetui_session::findings::{Findings, selection_note};
use widetui_tables::role::Role;
use widetui_tables::text::{cut, cut_middle, grouped, sanitise, width, wrap};

use crate::page_line::{self as page, PieceStyle};
use crate::times::{Stamp, clock};

/// Width at which prose is wrapped, in columns.
const TEXT_WIDTH: usize = 110;
/// Indent of the lines of an expanded finding.
const INDENT: &str = "     ";
/// Minimum width of the page at which a finding shows its end time and sources, in columns.
const WIDE: u16 = 110;
/// Minimum width of the page at which a finding shows fractional seconds and longer source names, in
/// columns.
const WIDEST: u16 = 170;

/// Line of the page, with an optional link to a finding, an evidence record or a line of the conclusion.
pub(crate) type FindingLine = page::PageLine<FindingCursor>;

/// Left and right text of the line above the view.
pub fn heading(model: &Model) -> (String, String) {
    let state = &model.findings;
    let mut notes = Vec::new();
    let left = match &state.found {
        Some(found) => {
            let (about, elsewhere) = (found.diagnosis.findings.len(), found.elsewhere);
            if elsewhere > 0 && about > 0 {
                notes.push(format!(
                    "{about} of {} are about the records selected",
                    about + elsewhere
                ));
            }
            let findings = &found.diagnosis.findings;
            let is_news = |f: &Finding| f.severity != Severity::Info;
            match findings.len() {
                0 if elsewhere > 0 => "nothing about the records selected".to_owned(),
                n if n > 0 && !findings.iter().any(is_news) => {
                    format!(
                        "findings: {}, {n} worth knowing",
                        counts_by_severity(findings)
                    )
                }
                // The word "errors" would be ambiguous: the overview and the list count records of
                // that level.
                n if n > 0 => format!("findings: {}", counts_by_severity(findings)),
                _ => counts_by_severity(findings),
            }
        }
        None => "diagnose".to_owned(),
    };
    if let Some(time) = state.found.as_ref().and_then(|found| found.as_of) {
        notes.push(format!("as of {}", clock(model).digits(time, 0)));
    }
    match state.search {
        FindingSearch::Running(stage) if state.found.is_some() => notes.push(match stage {
            Some(stage) => format!("looking again, {} of {} …", stage.number, stage.of),
            None => "looking again …".to_owned(),
        }),
        FindingSearch::GivenUp if state.found.is_some() => {
            notes.push("of an older state".to_owned())
        }
        _ => {}
    }
    (left, notes.join(" · "))
}

/// Text shown while no findings are known.
fn waiting(model: &Model) -> String {
    match (&model.load_state.loading, model.findings.search) {
        (Loading::Failed(_), _) => "nothing could be read".to_owned(),
        (Loading::Running { .. }, _) => "the run is still being read …".to_owned(),
        (_, FindingSearch::GivenUp) => "given up: shown again, it is looked for again".to_owned(),
        (_, FindingSearch::Running(Some(stage))) => format!(
            "looking for what is wrong: {}, {} of {} …",
            stage.what, stage.number, stage.of
        ),
        _ if model.joins.is_running() => "working out which records belong together …".to_owned(),
        _ => "looking for what is wrong …".to_owned(),
    }
}

/// All lines of the page for a width of `columns`.
pub fn lines(model: &Model, columns: u16) -> Vec<FindingLine> {
    let Some(known) = &model.findings.found else {
        return vec![FindingLine::plain(waiting(model), Role::Muted)];
    };
    let findings = &known.diagnosis.findings;
    let mut out = Vec::new();
    let mut is_grave = true;
    for (at, finding) in findings.iter().enumerate() {
        if std::mem::replace(&mut is_grave, finding.severity != Severity::Info) && !is_grave {
            out.push(FindingLine::title(WORTH_KNOWING));
        }
        let is_open = model.findings.open == at && !model.findings.is_folded;
        out.push(head(model, known, at, finding, is_open, columns));
        if is_open {
            expanded(model, known, at, finding, columns, &mut out);
        }
    }
    closing(known, columns, &mut out);
    out
}

fn head(
    model: &Model,
    known: &Findings,
    at: usize,
    finding: &Finding,
    is_open: bool,
    columns: u16,
) -> FindingLine {
    let role = match finding.severity {
        Severity::Error => Role::ErrorText,
        Severity::Warning => Role::WarningText,
        Severity::Info => Role::Muted,
    };
    let title = match (is_open, finding.severity) {
        (true, _) => Role::Strong,
        (false, Severity::Info) => Role::Muted,
        (false, _) => Role::Text,
    };
    let place = (format!("{:>2}  ", at + 1), Role::Faint.into());
    let word = (format!("{:<9}", finding.severity.name()), role.into());
    let mut pieces: Vec<(String, PieceStyle)> = vec![place, word];
    if is_open && !has_room_for_columns(model, known, at, finding, columns) {
        // An expanded finding repeats its title in full below the line.
        let first = title_lines(finding, columns).into_iter().next();
        pieces.push((first.unwrap_or_default(), title.into()));
    } else {
        let count_times_and_sources = count_times_and_sources(model, known, at, finding, columns);
        let columns = usize::from(columns)
            .saturating_sub(TITLE_COLUMN + 1 + columns_of(&count_times_and_sources));
        let columns = columns.min(widest(known));
        let text = cut(&finding.title, columns).into_owned();
        let gap = " ".repeat(columns.saturating_sub(width(&text)));
        pieces.extend([(text, title.into()), (gap, title.into())]);
        pieces.extend(count_times_and_sources);
    }
    FindingLine::new(pieces, Some(FindingCursor::Finding(at)))
}

/// Minimum width of a legible title, in columns.
const MIN_TITLE_WIDTH: usize = 60;

/// Number of columns before a title.
const TITLE_COLUMN: usize = 15;

/// Title of a finding, wrapped to the width of the page.
fn title_lines(finding: &Finding, columns: u16) -> Vec<String> {
    let room = usize::from(columns)
        .saturating_sub(TITLE_COLUMN + 1)
        .max(16);
    wrap(&sanitise(&finding.title), room)
}

fn columns_of(pieces: &[(String, PieceStyle)]) -> usize {
    pieces.iter().map(|p| width(&p.0)).sum()
}

/// Whether the line has room for the whole title and the columns to the right of it.
fn has_room_for_columns(
    model: &Model,
    known: &Findings,
    at: usize,
    finding: &Finding,
    columns: u16,
) -> bool {
    let count_times_and_sources =
        columns_of(&count_times_and_sources(model, known, at, finding, columns));
    TITLE_COLUMN + 1 + width(&finding.title) + count_times_and_sources <= usize::from(columns)
}

/// Count, times and sources of a finding, aligned with the other lines.
fn count_times_and_sources(
    model: &Model,
    known: &Findings,
    at: usize,
    finding: &Finding,
    columns: u16,
) -> Vec<(String, PieceStyle)> {
    let stamp = match columns {
        WIDEST.. => Stamp::new(model),
        _ => Stamp::new(model).without_fraction(),
    };
    let room = usize::from(stamp.columns());
    let count = match finding.count {
        _ if finding.counts_itself() => String::new(),
        0 | 1 => String::new(),
        n => format!("×{}", grouped(n)),
    };
    let time = |t: Option<i64>| t.map_or(String::new(), |t| stamp.text(model, t));
    let (first, last) = (time(finding.first), time(finding.last));
    let mut out = vec![
        (format!("{count:>7}  "), Role::Muted.into()),
        (format!("{first:<room$}"), Role::Time.into()),
    ];
    if columns < WIDE {
        return out;
    }
    // If the titles need the room, the line below the title has the end time.
    if shows_end_time(model, known, columns) {
        let until = match last == first {
            true => String::new(),
            false => format!(" → {last}"),
        };
        out.push((format!("{until:<0$}", room + 3), Role::Time.into()));
    }
    out.push(("  ".to_owned(), Role::Time.into()));
    let scope = if columns >= WIDEST { 32 } else { 16 };
    let sources = known.sources.get(at).map_or(&[][..], |s| &s[..]);
    let Some(first) = sources.first() else {
        out.push((" ".repeat(scope), Role::Muted.into()));
        return out;
    };
    let more = match sources.len() - 1 {
        0 => String::new(),
        n => format!(" +{}", grouped(n as u64)),
    };
    let (name, kind) = tag(model, *first);
    let name = cut_middle(&name, scope.saturating_sub(width(&more)));
    let rest = scope.saturating_sub(width(&name));
    out.push((name, PieceStyle::Kind(kind)));
    out.push((format!("{more:<rest$}"), Role::Muted.into()));
    out
}

/// Maximum number of titles measured for the layout, since every line repeats the measurement.
const MAX_MEASURED_TITLES: usize = 100;

/// Width of the longest title, in columns.
fn widest(known: &Findings) -> usize {
    let findings = known.diagnosis.findings.iter().take(MAX_MEASURED_TITLES);
    findings.map(|f| width(&f.title)).max().unwrap_or(0)
}

/// Whether lines have room for the end time without shortening most titles.
fn shows_end_time(model: &Model, known: &Findings, columns: u16) -> bool {
    let stamp = Stamp::new(model).without_fraction();
    // Count, times and sources, with the gaps between them.
    let others = TITLE_COLUMN + 2 + 9 + 2 * usize::from(stamp.columns()) + 5 + 16;
    columns >= WIDEST
        || columns >= WIDE && widest(known).min(MIN_TITLE_WIDTH) + others <= usize::from(columns)
}

/// Name of a source on the screen, and the number of its kind (for the colour).
fn tag(model: &Model, id: SourceId) -> (String, usize) {
    let source = model.snapshot.source(id);
    source.map_or((String::new(), 0), |s| {
        (
            model.source_names.name_of(s).to_owned(),
            model.source_names.kind_of(s),
        )
    })
}

/// Width for prose in a page of `columns`.
fn measure(columns: u16) -> usize {
    usize::from(columns.saturating_sub(9)).clamp(16, TEXT_WIDTH)
}

fn expanded(
    model: &Model,
    known: &Findings,
    at: usize,
    finding: &Finding,
    columns: u16,
    out: &mut Vec<FindingLine>,
) {
    let has_room = has_room_for_columns(model, known, at, finding, columns);
    if !has_room {
        let rest = title_lines(finding, columns).into_iter().skip(1);
        let indent = " ".repeat(TITLE_COLUMN - 2);
        out.extend(rest.map(|l| FindingLine::plain(format!("{indent}{l}"), Role::Strong)));
    }
    if !has_room || !shows_end_time(model, known, columns) {
        paragraph(&scope(model, known, at, finding), Role::Muted, columns, out);
    }
    paragraph(&finding.text, Role::Text, columns, out);
    labelled(NEXT, &finding.next, columns, out);
    labelled(MORE, &finding.url, columns, out);
    let stamp = Stamp::new(model);
    let names = finding
        .evidence
        .iter()
        .filter_map(|id| model.snapshot.event(*id));
    let names = names.map(|e| width(model.source_names.name_of(e.source())));
    let widest = names
        .max()
        .unwrap_or(0)
        .min(usize::from(model.source_names.tag_columns(columns)));
    for (n, id) in finding.evidence.iter().enumerate() {
        out.extend(evidence(
            model,
            known,
            FindingCursor::Evidence(at, n),
            *id,
            (stamp, widest),
        ));
    }
    let records = record_count(model, finding);
    let rest = records.saturating_sub(finding.evidence.len());
    if rest > 0 {
        let open = model.keymap.keys_of(&model.scopes(), Command::Open);
        let text = format!(
            "and {} more: {} on the finding shows all {}",
            grouped(rest as u64),
            open.unwrap_or_default(),
            several(records, "record")
        );
        paragraph(&text, Role::Muted, columns, out);
    }
    out.push(FindingLine::plain("", Role::Text));
}

/// Number of records of a finding in the list of records, which hides duplicates.
fn record_count(model: &Model, finding: &Finding) -> usize {
    let duplicates = &model.snapshot.duplicates;
    if duplicates.is_empty() {
        return finding.events.len();
    }
    let shown = finding.events.iter();
    let shown = shown.map(|id| duplicates.original_of(id.0).unwrap_or(id.0));
    shown.collect::<FxHashSet<u32>>().len()
}

/// Line with count, times and sources of an expanded finding.
fn scope(model: &Model, known: &Findings, at: usize, finding: &Finding) -> String {
    let stamp = Stamp::new(model);
    let time = |t: Option<i64>| t.map(|t| stamp.text(model, t));
    let records = record_count(model, finding);
    let mut out = match finding.counts_itself() {
        true => Vec::new(),
        false => vec![times(finding.count)],
    };
    // A finding may count instances or incidents, each with several records.
    if records > 1 && (finding.counts_itself() || finding.count != records as u64) {
        out.push(several(records, "record"));
    }
    out.extend(match (time(finding.first), time(finding.last)) {
        (Some(first), Some(last)) if first != last => Some(format!("{first} → {last}")),
        (first, _) => first,
    });
    let sources = known.sources.get(at).map_or(&[][..], |s| &s[..]);
    let names = sources.iter().take(4).map(|s| tag(model, *s).0);
    let more = if sources.len() > 4 { ", …" } else { "" };
    out.push(names.collect::<Vec<_>>().join(", ") + more);
    out.retain(|part| !part.is_empty());
    out.join(" · ")
}

fn paragraph(text: &str, role: Role, columns: u16, out: &mut Vec<FindingLine>) {
    let text = sanitise(text);
    let lines = wrap(&text, measure(columns)).into_iter();
    out.extend(lines.map(|l| FindingLine::plain(format!("{INDENT}{l}"), role)));
}

/// Lines of a text after its label; none if it is empty.
fn labelled(label: &str, text: &str, columns: u16, out: &mut Vec<FindingLine>) {
    if text.is_empty() {
        return;
    }
    let room = measure(columns).saturating_sub(width(label) + 1);
    for (n, text) in wrap(&sanitise(text), room).into_iter().enumerate() {
        let start = match n {
            0 => format!("{INDENT}{label} "),
            _ => " ".repeat(INDENT.len() + width(label) + 1),
        };
        let pieces = [(start, Role::HintKey), (text, Role::Text)];
        out.push(FindingLine::new(pieces, None));
    }
}

/// Line of an evidence record: time, source and message.
fn evidence(
    model: &Model,
    known: &Findings,
    spot: FindingCursor,
    id: EventId,
    (stamp, widest): (Stamp, usize),
) -> Option<FindingLine> {
    let event = model.snapshot.event(id)?;
    let room = usize::from(stamp.columns());
    let time = event
        .time()
        .map_or("–".to_owned(), |t| stamp.text(model, t));
    let (name, kind) = tag(model, event.source().id);
    let name = cut_middle(&name, widest);
    let gap = " ".repeat(widest.saturating_sub(width(&name)) + 2);
    let role = match event.level() {
        Level::Error | Level::Critical => Role::ErrorText,
        Level::Warning => Role::WarningText,
        _ => Role::Text,
    };
    let text = known.words.get(&id.0).cloned().unwrap_or_default();
    let pieces: [(String, PieceStyle); 4] = [
        (format!("{INDENT}  {time:<room$}  "), Role::Time.into()),
        (name, PieceStyle::Kind(kind)),
        (gap, Role::Text.into()),
        (cut(&text, 1_000).into_owned(), role.into()),
    ];
    Some(FindingLine::new(pieces, Some(spot)))
}

/// Conclusion, and the limits of the diagnosis.
fn closing(known: &Findings, columns: u16, out: &mut Vec<FindingLine>) {
    let mut words = 0;
    let mut tell = |title: &str, texts: &[String], out: &mut Vec<FindingLine>| {
        out.push(FindingLine::title(title));
        for text in texts {
            let room = usize::from(columns.saturating_sub(4)).clamp(16, TEXT_WIDTH);
            for line in wrap(&sanitise(text), room) {
                let spot = FindingCursor::Words(words);
                words += 1;
                out.push(FindingLine {
                    link: Some(spot),
                    ..FindingLine::plain(line, Role::Text)
                });
            }
        }
    };
    let diagnosis = &known.diagnosis;
    tell("in words", std::slice::from_ref(&diagnosis.summary), out);
    if let Some(text) = selection_note(diagnosis.findings.len(), known.elsewhere) {
        tell("selection", &[text], out);
    }
    if !diagnosis.unknown.is_empty() {
        tell(UNKNOWN, &diagnosis.unknown, out);
    }
}

/// Texts that the search covers: findings with all their details, and the conclusion line by line.
pub(crate) fn searched_texts(model: &Model) -> Vec<(FindingCursor, String)> {
    let Some(known) = &model.findings.found else {
        return Vec::new();
    };
    let findings = known.diagnosis.findings.iter().enumerate();
    let of_finding = findings.map(|(at, finding)| {
        let evidence = finding.evidence.iter();
        let words = evidence.filter_map(|id| known.words.get(&id.0));
        let own = [finding.severity.name(), &finding.title, &finding.text];
        let own = own.into_iter().chain([&*finding.next, &*finding.url]);
        let texts: Vec<&str> = own.chain(words.map(|w| w.as_str())).collect();
        (FindingCursor::Finding(at), texts.join("\n"))
    });
    let mut closing_lines = Vec::new();
    closing(known, model.columns_of(View::DIAGNOSE), &mut closing_lines);
    let of_words = closing_lines.iter();
    let of_words = of_words.filter_map(|l| Some((l.link?, l.text())));
    of_finding.chain(of_words).collect()
}

/// The whole page as text, for the clipboard.
pub(crate) fn text(model: &Model) -> String {
    let mut out = heading(model).0;
    for line in lines(model, TEXT_WIDTH as u16 + 9) {
        out.push('\n');
        out.push_str(&line.text());
    }
    out
}

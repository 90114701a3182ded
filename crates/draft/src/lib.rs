//! Drafts of definitions: a first `systems/*.toml` for logs that no definition describes, made from mined records.
//!
//! ```text
//! snapshot ──> source_kinds: files of one kind, globs ──> layouts: layouts, JSON dialects
//!         └──> templates, counted ──> message: patterns ──> message_choice ──> inference: keys, joins,
//!                                                             main_entity: the entity and its states
//! sections (the draft as data) ──> text ──> samples: lines of the log, read with that text ──> text
//! ```
//!
//! [`draft`] turns a [`DraftRequest`] into a [`Drafted`] definition; [`user_drafts`] saves it among the definitions of the user.
//!
//! A draft always passes the checks of definitions: every pattern is tried on its own records, samples state
//! only what the draft itself reads in them, and a part that fails is left out. Loaded with its draft, a log gives the same
//! records and the mined keys under the names of the draft.

mod begin_end_states;
mod inference;
mod instances;
mod key_aliases;
mod known_layouts;
mod layouts;
mod main_entity;
mod message;
mod message_choice;
pub mod names;
mod samples;
mod sections;
mod source_kinds;
mod state_inference;
mod templates;
mod text;
pub mod user_drafts;
mod variables;
mod word_lists;

use widetui_core::cancel::Cancel;
use widetui_core::words::several;
use widetui_format::check::check;
use widetui_store::{Snapshot, Source, SourceTrait};

use layouts::Layouts;
use sections::{Draft, KeySection, SourceSection};
use source_kinds::SourceKind;

/// Maximum number of kinds of sources.
const KINDS: usize = 12;

/// Options of a draft.
#[derive(Clone, Debug)]
pub struct DraftRequest {
    /// Name of the system; see [`names::check`].
    pub name: String,
    /// Maximum number of message patterns.
    pub max_patterns: usize,
}

/// Draft of a definition.
#[derive(Clone, Debug)]
pub struct Drafted {
    /// Text of the definition.
    pub text: String,
    /// Definitions that describe some of the logs already: name, and number of logs.
    pub known: Vec<(String, usize)>,
    /// Whether definitions describe all of the logs, so that the draft is about known logs.
    pub is_known: bool,
}

/// Drafts a definition for the logs of a run.
///
/// # Errors
/// No log is suitable; a message for the user.
pub fn draft(
    snapshot: &Snapshot,
    request: &DraftRequest,
    cancel: &Cancel,
) -> Result<Drafted, String> {
    let read = snapshot.sources.iter().map(|s| &**s);
    let (tables, logs): (Vec<&Source>, Vec<&Source>) = read
        .filter(|s| s.is_log && s.reader.is_some() && s.stats.records() > 0)
        .partition(|s| s.has_trait(SourceTrait::Table));
    let mut known: Vec<(String, usize)> = Vec::new();
    for system in logs.iter().filter_map(|s| s.system.as_ref()) {
        match known.iter_mut().find(|k| k.0 == *system) {
            Some(known) => known.1 += 1,
            None => known.push((system.clone(), 1)),
        }
    }
    let strangers: Vec<&Source> = logs
        .iter()
        .copied()
        .filter(|s| s.system.is_none())
        .collect();
    let is_known = strangers.is_empty();
    let of = if is_known { &logs } else { &strangers };
    if of.is_empty() {
        return Err(match tables.is_empty() {
            true => "there is no record in what was read: a draft is made of a log with at least one line".to_owned(),
            false => "there are tables only, and no log: their columns are keys as they are; a definition for them has [[table]], see systems/README.md".to_owned(),
        });
    }
    let others = snapshot.sources.iter().map(|s| &**s);
    let others = others.filter(|s| !is_known && (s.system.is_some() || !s.is_log));
    let others: Vec<&Source> = others.collect();
    let mut kinds = source_kinds::kinds(&request.name, of, &others);
    let left: usize = kinds.iter().skip(KINDS).map(|k| k.sources.len()).sum();
    kinds.truncate(KINDS);
    let layouts = layouts::collect_layouts(&request.name, snapshot, &kinds);
    let mut draft = Draft {
        name: request.name.clone(),
        ..Draft::default()
    };
    draft.notes = head_comments(snapshot, request, &kinds, left, (&known, is_known));
    draft.layouts.clone_from(&layouts.layouts);
    draft.dialects.clone_from(&layouts.dialects);
    let mut kind_of: Vec<Option<usize>> = vec![None; snapshot.sources.len()];
    for (number, kind) in kinds.iter().enumerate() {
        for source in &kind.sources {
            kind_of[source.index()] = Some(number);
        }
    }
    let templates = templates::gather(snapshot, &kind_of);
    let chosen = message_choice::choose(&request.name, snapshot, &templates, request.max_patterns);
    let guessed = inference::Inference {
        snapshot,
        kinds: &kinds,
        layouts: &layouts,
        is_known,
    };
    guessed.fill(&mut draft, chosen, cancel);
    draft.sources = sources(&kinds, &layouts, &draft);
    Ok(Drafted {
        text: checked_text(draft, snapshot, &kinds),
        known,
        is_known,
    })
}

/// Comments at the top of the draft.
fn head_comments(
    snapshot: &Snapshot,
    request: &DraftRequest,
    kinds: &[SourceKind],
    left: usize,
    (known, is_known): (&[(String, usize)], bool),
) -> Vec<String> {
    let records: u64 = kinds.iter().map(|k| k.records).sum();
    let files: usize = kinds.iter().map(|k| k.sources.len()).sum();
    let paths = kinds
        .iter()
        .flat_map(|k| &k.sources)
        .filter_map(|id| snapshot.source(*id));
    let first = paths.map(|s| s.path.as_str()).next().unwrap_or_default();
    let what = match files {
        1 => first.to_owned(),
        n => format!("{} ({first} ...)", several(n, "log")),
    };
    let mut out = vec![
        format!("A draft, made of {what}: {}.", several(records as usize, "record")),
        String::new(),
        "It works as it is. In ten minutes: rename keys, remove messages without information, check states and joins.".to_owned(),
        format!("  widetui systems check {0}.toml; widetui --system {0}.toml PATH; to keep it, copy it to ~/.config/widetui/systems/", request.name),
        "Syntax: systems/README.md in the source of the program, and the definitions there.".to_owned(),
    ];
    let names: Vec<String> = known
        .iter()
        .map(|(name, n)| format!("{name} ({})", several(*n, "log")))
        .collect();
    if is_known {
        out.push(String::new());
        out.push(format!(
            "These logs are already described by the definition of {}.",
            names.join(", ")
        ));
        out.push(
            "If both claim a file, the definition with the more specific glob is used.".to_owned(),
        );
    } else if !names.is_empty() {
        out.push(String::new());
        out.push(format!(
            "Left out, as other definitions know it: {}.",
            names.join(", ")
        ));
    }
    if left > 0 {
        out.push(format!(
            "Left out: {} with other names and fewer records.",
            several(left, "log")
        ));
    }
    out
}

/// Kinds of sources as sections of the draft.
fn sources(kinds: &[SourceKind], layouts: &Layouts, draft: &Draft) -> Vec<SourceSection> {
    let with_scope = |name: &str| draft.scopes.iter().any(|s| s.name == name);
    // If records state the key with values other than integers, the number in the path is no value of that key.
    let globs = |kind: &SourceKind| -> Vec<String> {
        let Some(capture) = &kind.captures else {
            return kind.globs.clone();
        };
        let name = format!("{}.{capture}", draft.name);
        let field = format!("{{{name}:int}}");
        let is_number = |k: &KeySection| k.name == name && k.kind == "int";
        match draft.keys.iter().any(is_number) {
            true => kind.globs.clone(),
            false => kind.globs.iter().map(|g| g.replace(&field, "*")).collect(),
        }
    };
    let one = |(kind, formats): (&SourceKind, &layouts::KindFormats)| SourceSection {
        kind: kind.name.clone(),
        globs: globs(kind),
        layouts: formats.layouts.clone(),
        json: formats.json.clone(),
        messages: [kind.name.as_str(), source_kinds::COMMON]
            .into_iter()
            .filter(|name| with_scope(name))
            .map(str::to_owned)
            .collect(),
        note: format!(
            "{}, {}",
            several(kind.sources.len(), "file"),
            several(kind.records as usize, "record")
        ),
    };
    kinds.iter().zip(&layouts.by_kind).map(one).collect()
}

/// Text of a draft with samples; parts that fail the checks are removed.
fn checked_text(mut draft: Draft, snapshot: &Snapshot, kinds: &[SourceKind]) -> String {
    let numbered: Vec<(SourceKind, usize)> = kinds.iter().cloned().zip(0..).collect();
    let bare = draft.clone();
    samples::add(&mut draft, &text::text(&bare), snapshot, &numbered);
    let whole = text::text(&draft);
    if check("draft", &whole).is_empty() {
        return whole;
    }
    // A sample may be claimed by another definition, or read by another layout: each is tried alone.
    let samples = std::mem::take(&mut draft.samples);
    for sample in samples {
        let before = check("draft", &text::text(&draft)).len();
        draft.samples.push(sample);
        if check("draft", &text::text(&draft)).len() > before {
            draft.samples.pop();
        }
    }
    let whole = text::text(&draft);
    if check("draft", &whole).is_empty() {
        return whole;
    }
    // Without layouts, the format of a log is detected by content.
    draft.layouts.clear();
    draft.dialects.clear();
    draft.samples.clear();
    for source in &mut draft.sources {
        source.layouts.clear();
        source.json.clear();
    }
    text::text(&draft)
}

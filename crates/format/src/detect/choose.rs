//! Chooses how a source is read: by its path, then by the form of its records, then by any time in its lines.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use widetui_core::dict::Code;
use widetui_core::ids::KeyId;
use widetui_core::lock;

use crate::definitions::kinds::{Compiled, SourceEntry, SourceKind, WRITER};
use crate::definitions::path_claims::Claim;
use crate::detect::coverage::{
    MIN_SHARE, attachment_lines, covered_lines, is_finer, share_in_dialects, share_in_layouts,
};
use crate::detect::guessed_layouts::{LEVEL_ALONE, head_with_fields, literal_head};
use crate::detect::layout_order::chain;
use crate::json::dialect::{JsonSpec, OWN_SYSTEM, OriginalForm};
use crate::layout::Layout;
use crate::messages::scope::Scope;
use crate::record_form::RecordForm;
use crate::sample::{MissingFields, Sample, SampleForm};
use crate::text::colours::{is_coloured, with_colours, without_colours};
use crate::text::json_scan::walk;
use widetui_definition::json_dialect::Grammar;

/// How a source is read.
#[derive(Clone, Debug)]
pub struct ReaderChoice {
    /// Kind, if a definition describes the source.
    pub kind: Option<Arc<SourceKind>>,
    /// Short name; empty if no definition provides one.
    pub tag: String,
    /// Values that the path provides.
    pub consts: Vec<(KeyId, Code)>,
    /// Layouts or dialect of its records.
    pub record_form: RecordForm,
    /// Messages that apply.
    pub scope: Arc<Scope>,
}

impl ReaderChoice {
    /// Description of the source if it is listed but not read.
    pub fn attachment(&self) -> Option<&str> {
        self.kind.as_ref()?.attachment.as_deref()
    }
}

/// Fields with which each JSON line of widetui begins, in this order.
const OWN_FIELDS: [&[u8]; 5] = [b"time", b"source", b"level", b"message", b"template"];

/// Whether the first lines are events in widetui's own JSON, whatever other keys they have.
fn is_own_json(sample: &Sample<'_>) -> bool {
    let begins = |line: &&[u8]| {
        let mut at = 0;
        let mut fits = true;
        let read = walk(line, |name, _| {
            fits &= OWN_FIELDS.get(at).is_none_or(|own| *own == name);
            at += 1;
        });
        read.is_some() && fits && at >= OWN_FIELDS.len()
    };
    let first = sample.lines().iter().take(MIN_SHARE);
    first.len() > 0 && first.copied().all(|line| begins(&line))
}

impl Compiled {
    /// Chooses how a source is read from its path and first lines.
    pub fn choose(&self, path: &str, sample: &Sample<'_>) -> ReaderChoice {
        let mut claims = self.claims(path);
        if claims.is_empty() && !is_named_log(path) && sample.is_script() {
            claims.extend(self.claims(SCRIPT));
        }
        // The name of a file says less than its lines: `run.py` may be the output of a program.
        self.choose_among(claims, sample, || sample.is_stamped())
    }

    /// As [`choose`](Self::choose), for a file that the user names: it is read whatever its name says.
    pub fn choose_named(&self, path: &str, sample: &Sample<'_>) -> ReaderChoice {
        self.choose_among(self.claims(path), sample, || true)
    }

    /// Adds the layouts of lines that have the time of other records and nothing else of their header, so that they are
    /// records, too.
    fn add_bare_layouts(&self, layouts: &mut Vec<Arc<Layout>>, sample: &Sample<'_>) {
        let found = sample.layouts(layouts, None).into_iter();
        let found: Vec<String> = found
            .filter_map(|at| layouts.get(at)?.bare_pattern())
            .collect();
        for pattern in found {
            let is_new = layouts.iter().all(|l| l.pattern.source != pattern);
            if is_new && let Ok(bare) = Layout::compile("time", &pattern, &self.tables.keys) {
                layouts.push(self.shared_layout(bare));
            }
        }
    }

    /// Chooses among kinds that claim a path, without those that are attachments by the name of the file alone if
    /// `is_read`.
    fn choose_among(
        &self,
        claims: Vec<Claim>,
        sample: &Sample<'_>,
        is_read: impl Fn() -> bool,
    ) -> ReaderChoice {
        let (named, claims): (Vec<Claim>, Vec<Claim>) = claims
            .into_iter()
            .partition(|claim| claim.kind.has_only_keys);
        let mut choice = self.choose_known(claims, sample, is_read);
        // A kind knows better what its paths say.
        if choice.consts.is_empty() {
            choice.consts = named.into_iter().flat_map(|claim| claim.consts).collect();
        }
        if let RecordForm::Lines(layouts) = &mut choice.record_form {
            self.add_bare_layouts(layouts, sample);
        }
        choice
    }

    /// As [`choose_among`](Self::choose_among), without bare layouts.
    fn choose_known(
        &self,
        mut claims: Vec<Claim>,
        sample: &Sample<'_>,
        is_read: impl Fn() -> bool,
    ) -> ReaderChoice {
        let form = sample.form();
        claims.retain(|c| c.kind.attachment.is_none() || c.weight.2 > 1 || !is_read());
        if form == SampleForm::Json
            && is_own_json(sample)
            && let Some(own) = self.choose_exported(&[], (OriginalForm::Fields, &[]))
        {
            return own;
        }
        if matches!(claims.as_slice(), [first, second, ..] if first.weight == second.weight) {
            // Several kinds claim the path equally; their `records` conditions may decide.
            claims.sort_by_cached_key(|c| {
                let share = if c.kind.records.is_empty() {
                    0
                } else {
                    self.share(&c.kind, sample, form)
                };
                (std::cmp::Reverse(c.weight), std::cmp::Reverse(share))
            });
        }
        let with = |kind: &Arc<SourceKind>, record_form, claim: Option<&Claim>| ReaderChoice {
            kind: Some(kind.clone()),
            tag: claim.map(|c| c.tag.clone()).unwrap_or_default(),
            consts: claim.map(|c| c.consts.clone()).unwrap_or_default(),
            record_form,
            scope: kind.scope.clone(),
        };
        if let Some(first) = claims.first()
            && first.kind.attachment.is_some()
        {
            return with(&first.kind, RecordForm::Lines(Vec::new()), Some(first));
        }
        for claim in &claims {
            if !self.declares_form(&claim.kind) {
                return self.free_form(claim, sample, form);
            }
            if let Some(record_form) = self.form_of(&claim.kind, sample, form) {
                return with(&claim.kind, record_form, Some(claim));
            }
        }
        // The records do not match what the claiming kinds declare. A glob with a folder is believed anyway; a glob of the
        // file name alone only if no definition knows the records and nothing in them looks like a log.
        let first = claims.first();
        let sure = first.filter(|c| c.weight.2 > 1);
        let found = self.by_content(sample, form);
        let found = found.filter(|(_, kind, record_form)| {
            !claims.is_empty() || self.reads_most(kind, record_form, sample)
        });
        let found = found.or_else(|| self.by_writer(sample, form));
        if let Some((_, kind, mut record_form)) = found.or_else(|| self.by_message(sample, form)) {
            if let (None, RecordForm::Lines(layouts)) = (sure, &mut record_form) {
                *layouts = self.with_other_programs(std::mem::take(layouts), sample);
            }
            let same = first.filter(|c| sure.is_some() || c.kind.system == kind.system);
            return match sure {
                Some(claim) => self.joint_choice(claim, &kind, record_form),
                None => ReaderChoice {
                    scope: self.family_scope(&kind),
                    ..with(&kind, record_form, same)
                },
            };
        }
        let record_form = self.any_form(sample, form);
        let plain = matches!(&record_form, RecordForm::Lines(layouts) if layouts.is_empty());
        match if plain { first } else { sure } {
            Some(claim) => with(&claim.kind, record_form, first),
            None => ReaderChoice {
                kind: None,
                tag: String::new(),
                consts: Vec::new(),
                record_form,
                scope: self.mined.clone(),
            },
        }
    }

    /// Choice for a file with arbitrary content, such as the output of a job: the kind of its records, if a definition
    /// knows them.
    fn free_form(&self, claim: &Claim, sample: &Sample<'_>, form: SampleForm) -> ReaderChoice {
        let known = self.by_content(sample, form);
        // A few quoted records of another program do not make the file a log of that program.
        let is_such = |(share, kind, _): &(usize, Arc<SourceKind>, RecordForm)| {
            !kind.records.is_empty() && share * MIN_SHARE >= sample.lines().len()
        };
        let known = known.filter(is_such);
        match known.or_else(|| self.by_message(sample, form).filter(is_such)) {
            Some((_, kind, record_form)) => self.joint_choice(claim, &kind, record_form),
            None => ReaderChoice {
                kind: Some(claim.kind.clone()),
                tag: claim.tag.clone(),
                consts: claim.consts.clone(),
                record_form: self.any_form(sample, form),
                scope: claim.kind.scope.clone(),
            },
        }
    }

    /// Combines the kind that the path claims with the kind found by content.
    fn joint_choice(
        &self,
        claim: &Claim,
        kind: &Arc<SourceKind>,
        record_form: RecordForm,
    ) -> ReaderChoice {
        ReaderChoice {
            kind: Some(kind.clone()),
            tag: claim.tag.clone(),
            consts: claim.consts.clone(),
            record_form,
            scope: self.joint_scope(&claim.kind.scope, &kind.scope),
        }
    }

    /// Choice for facts that the user provides: no definition applies to them.
    pub fn choose_facts(&self) -> ReaderChoice {
        ReaderChoice {
            kind: None,
            tag: String::new(),
            consts: Vec::new(),
            record_form: RecordForm::Lines(Vec::new()),
            scope: self.mined.clone(),
        }
    }

    /// As [`choose`](Self::choose), for a known kind; `None` if the records do not look like records of that kind.
    pub(crate) fn choose_kind(
        &self,
        system: &str,
        kind: &str,
        sample: &Sample<'_>,
    ) -> Option<ReaderChoice> {
        let slot = self.slots.iter().position(|slot| {
            self.system_of(slot).name() == system && self.source(slot).kind.get_ref() == kind
        })?;
        let kind = self.kind(slot);
        let record_form = self.form_of(&kind, sample, sample.form())?;
        Some(ReaderChoice {
            scope: kind.scope.clone(),
            kind: Some(kind),
            tag: String::new(),
            consts: Vec::new(),
            record_form,
        })
    }

    /// Choice for the records of an export, whatever their sources were: the dialect of widetui's own JSON. `writer`
    /// lists the keys that identify the writer of a record, `original_form` is the former form of the records, with the keys
    /// that followed the text of an exception. `None` if there is no definition of that dialect.
    #[must_use]
    pub fn choose_exported(
        &self,
        writer: &[String],
        (original_form, extras): (OriginalForm, &[String]),
    ) -> Option<ReaderChoice> {
        let is_own = |slot: &SourceEntry| self.system_of(slot).name() == OWN_SYSTEM;
        let slot = self.slots.iter().position(is_own)?;
        let kind = self.kind(slot);
        let own = kind.json.first()?;
        let spec = match (writer, original_form, extras) {
            ([], OriginalForm::Fields, []) => own.clone(),
            (writer, original_form, extras) => {
                let mut known = lock::hold(&self.inferred);
                let spec = known.entry(format!(
                    "{OWN_SYSTEM} {original_form:?} {writer:?} {extras:?}"
                ));
                let with = || JsonSpec {
                    writer: writer.to_vec(),
                    original_form,
                    extras: extras.to_vec(),
                    ..JsonSpec::clone(own)
                };
                spec.or_insert_with(|| Arc::new(with())).clone()
            }
        };
        Some(ReaderChoice {
            scope: kind.scope.clone(),
            kind: Some(kind),
            tag: String::new(),
            consts: Vec::new(),
            record_form: RecordForm::Json(spec),
        })
    }

    /// Kind recognised by header fields alone, with the number of matching records in the sample.
    fn by_content(
        &self,
        sample: &Sample<'_>,
        form: SampleForm,
    ) -> Option<(usize, Arc<SourceKind>, RecordForm)> {
        let mut best: Option<(usize, Arc<SourceKind>, RecordForm)> = None;
        let (layouts, dialect) = match form {
            SampleForm::Lines => (self.known_layouts(sample), None),
            SampleForm::Json => (
                Vec::new(),
                sample.dialect(Grammar::Json, self.generic_json()),
            ),
        };
        for (index, slot) in self.content_slots() {
            let source = self.source(slot);
            // A kind without conditions on its records and without messages cannot be recognised.
            let vague = source.records.is_empty() && source.messages.is_empty();
            if vague && source.mine.is_none() {
                continue;
            }
            // Kinds are compiled only if they declare the layout or dialect.
            let possible = match (&dialect, layouts.first()) {
                (Some(dialect), _) => self.may_have_dialect(slot, dialect),
                (None, Some(layout)) => self.may_have_layout(slot, layout),
                (None, None) => false,
            };
            if !possible {
                continue;
            }
            let kind = self.kind(index);
            let share = if kind.records.is_empty() {
                1
            } else {
                self.share(&kind, sample, form)
            };
            if share > best.as_ref().map_or(0, |b| b.0)
                && let Some(record_form) = self.form_of(&kind, sample, form)
            {
                best = Some((share, kind, record_form));
            }
        }
        best
    }

    /// Layouts that are recognised without a path, most frequent first. Sorting all layouts takes longer than finding
    /// that a text has none of them, so that is checked first.
    fn known_layouts(&self, sample: &Sample<'_>) -> Vec<Arc<Layout>> {
        let record_form = || {
            let recent = self.recent.load(Relaxed);
            let is_alike = self.generic.get().and_then(|all| all.get(recent));
            let occurs = |at| self.layout(at).is_some_and(|layout| sample.occurs(&layout));
            if !is_alike.is_some_and(|layout| sample.occurs(layout))
                && !self.content_layouts().into_iter().any(occurs)
            {
                return Vec::new();
            }
            let all = self.generic_layouts();
            let found = sample.layouts(all, Some(recent));
            if let Some(first) = found.first() {
                self.recent.store(*first, Relaxed);
            }
            let found = found.into_iter().filter_map(|at| all.get(at).cloned());
            found.collect()
        };
        sample.known.get_or_init(record_form).clone()
    }

    /// Kind recognised by its loggers in a layout that it does not declare: a program's log format can be configured.
    fn by_writer(
        &self,
        sample: &Sample<'_>,
        form: SampleForm,
    ) -> Option<(usize, Arc<SourceKind>, RecordForm)> {
        let named =
            |sample: &Sample<'_>| sample.guessed_layouts(&self.tables.keys, &|n| self.is_writer(n));
        let guessed = match form {
            SampleForm::Json => Vec::new(),
            SampleForm::Lines => named(sample),
        };
        let guessed = guessed.into_iter().map(|g| self.shared_layout(g)).collect();
        let mut best: Option<(usize, Arc<SourceKind>, RecordForm)> = None;
        for record_form in [self.any_form(sample, form), RecordForm::Lines(guessed)] {
            if !may_have_field(&record_form, WRITER) {
                continue;
            }
            for (index, _) in self.logger_slots() {
                let kind = self.kind(index);
                let share = match &record_form {
                    RecordForm::Lines(layouts) => share_in_layouts(&kind, layouts, sample),
                    RecordForm::Json(spec) => {
                        share_in_dialects(&kind, std::slice::from_ref(spec), sample)
                    }
                };
                if share > best.as_ref().map_or(0, |b| b.0) {
                    best = Some((share, kind, record_form.clone()));
                }
            }
        }
        best
    }

    /// Kind recognised by its messages, in its own layouts.
    fn by_message(
        &self,
        sample: &Sample<'_>,
        form: SampleForm,
    ) -> Option<(usize, Arc<SourceKind>, RecordForm)> {
        let kinds = self.message_slots().filter(|_| form == SampleForm::Lines);
        let is_stamped = || sample.is_stamped();
        let shares = kinds.map(|at| {
            let kind = self.kind(at);
            let share = match kind.attachment {
                None => share_in_layouts(&kind, &self.layouts_of(&kind).layouts, sample),
                // Words of a dump or a listing may occur in any log.
                Some(_) if is_stamped() => 0,
                Some(_) => attachment_lines(&kind, sample),
            };
            (share, kind)
        });
        // The first one with the highest share.
        let best = shares.reduce(|best, next| if next.0 > best.0 { next } else { best });
        let (share, kind) = best.filter(|(share, _)| *share > 0)?;
        let record_form = self.form_of(&kind, sample, form)?;
        Some((share, kind, record_form))
    }

    /// Whether a kind reads most lines that look like the start of a record. Otherwise the program that wrote a few
    /// matching lines may not have written the rest. A kind without conditions on its records must also read as many
    /// header parts as a guessed layout does.
    fn reads_most(&self, kind: &SourceKind, record_form: &RecordForm, sample: &Sample<'_>) -> bool {
        let RecordForm::Lines(layouts) = record_form else {
            return true;
        };
        let read = covered_lines(layouts, sample);
        if read * MAX_RATIO >= sample.lines().len() && !kind.records.is_empty() {
            return true;
        }
        let guessed = sample.guessed_layouts(&self.tables.keys, &|_| false);
        let all = guessed.last().map_or(0, |all| sample.count(all));
        all <= read * MAX_RATIO
            && (!kind.records.is_empty() || !is_finer(&guessed, layouts, sample))
    }

    /// Layouts or dialect of a source that no definition describes.
    fn any_form(&self, sample: &Sample<'_>, form: SampleForm) -> RecordForm {
        if form == SampleForm::Json {
            let dialect = sample.dialect(Grammar::Json, self.generic_json());
            return RecordForm::Json(match dialect {
                Some(dialect) => self.with_missing_fields(sample, dialect),
                None => self.inferred(sample, Grammar::Json),
            });
        }
        if sample.is_logfmt() {
            return RecordForm::Json(self.inferred(sample, Grammar::Logfmt));
        }
        let layouts = self.text_layouts(sample);
        RecordForm::Lines(self.with_other_programs(layouts, sample))
    }

    /// Layouts of a source, and those of the lines that other programs wrote into it, such as the services of a compose log.
    fn with_other_programs(
        &self,
        mut layouts: Vec<Arc<Layout>>,
        sample: &Sample<'_>,
    ) -> Vec<Arc<Layout>> {
        for _ in 0..MAX_PROGRAMS {
            // Text behind a level may begin with a time.
            let is_level = |layout: &Arc<Layout>| layout.name == LEVEL_ALONE;
            let own = layouts.iter().filter(|layout| !is_level(layout));
            let left = sample.stamped_lines_outside(&own.cloned().collect::<Vec<_>>());
            if left.lines().is_empty() {
                break;
            }
            let mut more = self.text_layouts(&left);
            if !more.iter().any(|layout| left.occurs(layout)) {
                let first = left.lines().iter().take(1).copied();
                let literal = first.filter_map(|line| self.layout_of_line(line));
                more = literal.collect();
            }
            let is_new = |layout: &Arc<Layout>| {
                let same = |known: &Arc<Layout>| known.pattern.source == layout.pattern.source;
                !layouts.iter().any(same)
            };
            more.retain(is_new);
            if more.is_empty() {
                break;
            }
            // A layout whose times have no zone reads those that have one, too.
            let zoned: Vec<Arc<Layout>> = more.iter().flat_map(|l| self.zoned(l)).collect();
            let at = layouts.iter().position(is_level).unwrap_or(layouts.len());
            layouts.splice(at..at, more);
            layouts.splice(0..0, zoned);
        }
        layouts
    }

    /// Layout with the time of another one that must have a zone; `None` if its times have none.
    fn zoned(&self, layout: &Layout) -> Option<Arc<Layout>> {
        let source = &layout.pattern.source;
        let pattern = match source.contains("{time:iso}") {
            true => source.replace("{time:iso}", "{time:%Y-%m-%d %H:%M:%S%.f%z}"),
            false => source.clone(),
        };
        let is_zoned = pattern.contains("%z}") || pattern.contains("%Z}");
        let layout = Layout::compile("time", &pattern, &self.tables.keys).ok()?;
        is_zoned.then(|| self.shared_layout(layout))
    }

    /// Layouts of the dated lines among JSON records.
    pub fn stray_layouts(&self, sample: &Sample<'_>) -> Vec<Arc<Layout>> {
        let lines = sample.lines().iter().copied();
        let lines = lines.filter(|line| !line.starts_with(b"{"));
        let others = Sample::of_lines(lines.collect());
        self.with_other_programs(Vec::new(), &others)
    }

    /// Layouts of text lines that no definition describes: known ones, or guessed ones if those read more.
    fn text_layouts(&self, sample: &Sample<'_>) -> Vec<Arc<Layout>> {
        let chosen = self.known_layouts(sample);
        let layouts = match chosen.is_empty() {
            true => Vec::new(),
            false => {
                let all = self.generic_layouts();
                let seen = |at: usize| all.get(at).is_some_and(|layout| sample.occurs(layout));
                chain(all, &self.content_order().before, &chosen, seen)
            }
        };
        let read = covered_lines(&layouts, sample);
        let guessed = sample.guessed_layouts(&self.tables.keys, &|_| false);
        let finer = is_finer(&guessed, &layouts, sample);
        // The last guessed layout is the loosest: it matches whatever any of them matches.
        match guessed.last() {
            Some(all) if finer || sample.count(all) > read => {
                guessed.into_iter().map(|g| self.shared_layout(g)).collect()
            }
            _ => layouts,
        }
    }

    /// Layout of a time and the text before it, from a single line: that text literally, or its fields.
    fn layout_of_line(&self, line: &[u8]) -> Option<Arc<Layout>> {
        let plain = without_colours(line);
        let pattern = literal_head(&plain).or_else(|| head_with_fields(&plain))?;
        let pattern = match is_coloured(line) {
            true => with_colours(&pattern)?,
            false => pattern,
        };
        let layout = Layout::compile("time", &pattern, &self.tables.keys).ok()?;
        Some(self.shared_layout(layout))
    }

    /// Form of the records if the source is of this kind; `None` if the records do not match.
    fn form_of(
        &self,
        kind: &SourceKind,
        sample: &Sample<'_>,
        form: SampleForm,
    ) -> Option<RecordForm> {
        if form == SampleForm::Json {
            let dialect = sample.dialect(Grammar::Json, &kind.json)?;
            return Some(RecordForm::Json(self.with_missing_fields(sample, dialect)));
        }
        // `key=value` records are not recognisable as a form of their own; they are tried only if the definition has
        // such a dialect.
        let is_pairs = |spec: &Arc<JsonSpec>| spec.grammar == Grammar::Logfmt;
        if kind.json.iter().any(is_pairs)
            && sample.is_logfmt()
            && let Some(dialect) = sample.dialect(Grammar::Logfmt, &kind.json)
        {
            return Some(RecordForm::Json(dialect));
        }
        let known = self.layouts_of(kind);
        let layouts = sample.layouts(&known.layouts, None).into_iter();
        let layouts: Vec<Arc<Layout>> = layouts
            .filter_map(|at| known.layouts.get(at).cloned())
            .collect();
        if layouts.is_empty() && self.declares_form(kind) && !sample.lines().is_empty() {
            return None;
        }
        let all = |_| true;
        Some(RecordForm::Lines(chain(
            &known.layouts,
            &known.before,
            &layouts,
            all,
        )))
    }

    /// Dialect with the fields for time, level and message inferred from the sample, if the dialect names none that the records
    /// have.
    fn with_missing_fields(&self, sample: &Sample<'_>, dialect: Arc<JsonSpec>) -> Arc<JsonSpec> {
        let missing = sample.missing_fields(&dialect);
        if missing == MissingFields::default() {
            return dialect;
        }
        let mut known = lock::hold(&self.inferred);
        let key = format!("{} {missing:?}", dialect.name);
        let with = || {
            let mut spec = JsonSpec::clone(&dialect);
            spec.time.extend(missing.time.map(|field| (field, None)));
            spec.zone = missing.zone.or(spec.zone);
            spec.level.extend(missing.level);
            spec.message.extend(missing.message);
            spec
        };
        known.entry(key).or_insert_with(|| Arc::new(with())).clone()
    }

    /// Inferred dialect, shared by all sources with the same fields of time, level and message.
    fn inferred(&self, sample: &Sample<'_>, grammar: Grammar) -> Arc<JsonSpec> {
        let spec = sample.inferred_dialect(grammar);
        let mut known = lock::hold(&self.inferred);
        let key = format!(
            "{grammar:?} {:?} {:?} {:?} {:?} {:?}",
            spec.time, spec.fraction, spec.zone, spec.level, spec.message
        );
        known.entry(key).or_insert_with(|| Arc::new(spec)).clone()
    }

    /// Guessed layout, shared by all sources with the same pattern.
    fn shared_layout(&self, layout: Layout) -> Arc<Layout> {
        let mut guessed = lock::hold(&self.guessed);
        guessed
            .entry(layout.pattern.source.clone())
            .or_insert_with(|| Arc::new(layout))
            .clone()
    }
}

/// Name of a file that is described as a script.
const SCRIPT: &str = "a.sh";

/// True if the name of a file is that of output, which may begin with the script that wrote it.
fn is_named_log(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    ["log", "out", "err", "stdout", "stderr", "txt"]
        .iter()
        .any(|word| name.split(['.', '-', '_']).any(|part| part == *word))
}

/// Maximum number of times that layouts of further programs are looked for in one source.
const MAX_PROGRAMS: usize = 6;

/// Maximum ratio of all lines that look like the start of a record to those that the layouts of a definition read.
const MAX_RATIO: usize = 2;

/// Whether records of this form can have the header field.
fn may_have_field(record_form: &RecordForm, field: &str) -> bool {
    match record_form {
        RecordForm::Lines(layouts) => layouts.iter().any(|l| l.pattern.field(field).is_some()),
        RecordForm::Json(_) => true,
    }
}

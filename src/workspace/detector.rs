//! Decides for each source what it is: an attachment, or a log with a reader.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::base::dict::Code;
use crate::base::ids::KeyId;
use crate::format::catalog::Catalog;
use crate::format::detect::Sample;
use crate::format::json::JsonReader;
use crate::format::jsonspec::JsonSpec;
use crate::format::kinds::{Compiled, SourceKind};
use crate::format::layout::Layout;
use crate::format::reader::{Reader, Syntax};
use crate::format::scope::Scope;

/// What a source is.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Listed, not read; what it is.
    Attachment(String),
    /// A log.
    Log(Log),
}

/// A log and how it is read.
#[derive(Clone, Debug)]
pub struct Log {
    /// How records are read.
    pub reader: Arc<Reader>,
    /// Name of the layout, for people.
    pub layout: String,
    /// The system that claims it.
    pub system: Option<String>,
    /// Kind within the system.
    pub kind: String,
    /// Short name; empty when no definition gives one.
    pub tag: String,
    /// What the path says.
    pub consts: Vec<(KeyId, Code)>,
    /// Stamps name no zone.
    pub local: bool,
    /// Whole seconds only, or no date.
    pub coarse: bool,
}

/// Readers in use, by what they are made of.
type ReaderKey = (u32, Vec<usize>, i64);

/// See the module's text. Shared by all loader threads.
#[derive(Debug)]
pub struct Detector {
    tables: Arc<Catalog>,
    compiled: Compiled,
    generic: Arc<Scope>,
    readers: Mutex<HashMap<ReaderKey, Arc<Reader>>>,
    json: Mutex<HashMap<usize, Arc<JsonReader>>>,
    guessed: Mutex<HashMap<String, Arc<Layout>>>,
    /// For JSON that fits no dialect.
    any_json: Arc<JsonSpec>,
}

/// The scope of sources that no definition describes. Definitions number theirs from 1.
const GENERIC_SCOPE: u32 = 0;

impl Detector {
    /// With these definitions.
    pub fn new(tables: Arc<Catalog>, compiled: Compiled) -> Detector {
        Detector {
            tables,
            compiled,
            generic: Arc::new(Scope {
                id: GENERIC_SCOPE,
                messages: Vec::new(),
                mine: true,
            }),
            readers: Mutex::default(),
            json: Mutex::default(),
            guessed: Mutex::default(),
            any_json: Arc::default(),
        }
    }

    /// What a source is, from its path and first bytes (`whole`: there are no more). `modified` is when it was last
    /// written, ns: times without a year or a date lie near it.
    pub fn detect(&self, path: &str, head: &[u8], whole: bool, modified: i64) -> Verdict {
        let claims = self.compiled.claims(path);
        if let Some(what) = claims.first().and_then(|c| c.kind.attachment.clone()) {
            return Verdict::Attachment(what);
        }
        let sample = Sample::new(head, whole);
        let json = sample.is_json();
        for claim in &claims {
            if let Some(mut log) = self.log(&claim.kind, &sample, json, modified) {
                log.tag.clone_from(&claim.tag);
                log.consts.clone_from(&claim.consts);
                return Verdict::Log(log);
            }
        }
        if let Some(mut log) = self.by_content(&sample, json, modified) {
            // The path may still say something.
            if let Some(claim) = claims.first() {
                log.tag.clone_from(&claim.tag);
                log.consts.clone_from(&claim.consts);
            }
            return Verdict::Log(log);
        }
        Verdict::Log(
            self.generic(
                claims
                    .first()
                    .map(|c| (&*c.kind, c.tag.as_str(), &c.consts[..])),
                &sample,
                json,
                modified,
            ),
        )
    }

    fn log(
        &self,
        kind: &SourceKind,
        sample: &Sample<'_>,
        json: bool,
        modified: i64,
    ) -> Option<Log> {
        let (reader, layout, local, coarse) = if json {
            let spec = sample.dialect(&kind.json)?;
            self.json_reader(&spec, &kind.scope, sample, modified)
        } else {
            let layouts = sample.layouts(&kind.layouts);
            if layouts.is_empty()
                && !(kind.layouts.is_empty() && kind.json.is_empty())
                && !sample.lines().is_empty()
            {
                return None;
            }
            self.line_reader(layouts, &kind.scope, sample, modified)
        };
        Some(Log {
            reader,
            layout,
            system: Some(kind.system.to_string()),
            kind: kind.kind.to_string(),
            tag: String::new(),
            consts: Vec::new(),
            local,
            coarse,
        })
    }

    fn by_content(&self, _sample: &Sample<'_>, _json: bool, _modified: i64) -> Option<Log> {
        None
    }

    fn generic(
        &self,
        claim: Option<(&SourceKind, &str, &[(KeyId, Code)])>,
        sample: &Sample<'_>,
        json: bool,
        modified: i64,
    ) -> Log {
        let scope = claim.map_or(&self.generic, |c| &c.0.scope);
        let (reader, layout, local, coarse) = if json {
            let spec = sample
                .dialect(&self.compiled.generic_json)
                .unwrap_or_else(|| self.any_json.clone());
            self.json_reader(&spec, scope, sample, modified)
        } else {
            let mut layouts = sample.layouts(&self.compiled.generic_layouts);
            let covered = layouts.first().map_or(0, |l| sample.count(l));
            if let Some(guessed) = sample.guessed_layout(&self.tables.keys)
                && sample.count(&guessed) > covered
            {
                layouts = vec![self.shared(guessed)];
            }
            self.line_reader(layouts, scope, sample, modified)
        };
        Log {
            reader,
            layout,
            system: claim.map(|c| c.0.system.to_string()),
            kind: claim.map(|c| c.0.kind.to_string()).unwrap_or_default(),
            tag: claim.map(|c| c.1.to_owned()).unwrap_or_default(),
            consts: claim.map(|c| c.2.to_vec()).unwrap_or_default(),
            local,
            coarse,
        }
    }

    /// One layout for all sources with the same guessed pattern.
    fn shared(&self, layout: Layout) -> Arc<Layout> {
        let Ok(mut guessed) = self.guessed.lock() else {
            return Arc::new(layout);
        };
        guessed
            .entry(layout.pattern.source.clone())
            .or_insert_with(|| Arc::new(layout))
            .clone()
    }

    fn line_reader(
        &self,
        layouts: Vec<Arc<Layout>>,
        scope: &Arc<Scope>,
        sample: &Sample<'_>,
        modified: i64,
    ) -> (Arc<Reader>, String, bool, bool) {
        let name = match layouts.first() {
            Some(layout) => layout.name.clone(),
            None => "text".to_owned(),
        };
        let (local, coarse) = layouts
            .first()
            .and_then(|l| sample.layout_is_local(l))
            .unwrap_or_default();
        let ids = layouts.iter().map(|l| Arc::as_ptr(l) as usize).collect();
        // Only coarse stamps may lack a date; the others share one reader whatever their file's age.
        let reference = if coarse { modified } else { 0 };
        let reader = self.reader(
            (scope.id, ids, reference),
            || Syntax::Lines(layouts),
            scope,
            reference,
        );
        (reader, name, local, coarse)
    }

    fn json_reader(
        &self,
        spec: &Arc<JsonSpec>,
        scope: &Arc<Scope>,
        sample: &Sample<'_>,
        modified: i64,
    ) -> (Arc<Reader>, String, bool, bool) {
        let address = Arc::as_ptr(spec) as usize;
        let json = self.json.lock().map_or_else(
            |_| Arc::default(),
            |mut known| {
                let id = known.len() as u32;
                known
                    .entry(address)
                    .or_insert_with(|| {
                        Arc::new(JsonReader {
                            spec: (**spec).clone(),
                            id,
                        })
                    })
                    .clone()
            },
        );
        let (local, coarse) = sample
            .json_is_local(&json, &self.tables)
            .unwrap_or_default();
        let name = if spec.name.is_empty() {
            "json".to_owned()
        } else {
            format!("{} json", spec.name)
        };
        let reference = if coarse { modified } else { 0 };
        let reader = self.reader(
            (scope.id, vec![address], reference),
            || Syntax::Json(json),
            scope,
            reference,
        );
        (reader, name, local, coarse)
    }

    fn reader(
        &self,
        key: ReaderKey,
        syntax: impl FnOnce() -> Syntax,
        scope: &Arc<Scope>,
        reference: i64,
    ) -> Arc<Reader> {
        let make = |id: u32| {
            Arc::new(Reader {
                id,
                syntax: syntax(),
                scope: scope.clone(),
                reference,
            })
        };
        match self.readers.lock() {
            Ok(mut readers) => {
                let next = readers.len() as u32;
                readers.entry(key).or_insert_with(|| make(next)).clone()
            }
            Err(_) => make(u32::MAX),
        }
    }
}

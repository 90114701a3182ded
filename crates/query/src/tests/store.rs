//! Small stores built by the real loaders from lines of text.

use std::sync::Arc;

use widetui_core::cancel::Cancel;
use widetui_core::ids::SourceId;
use widetui_definition::key_type::KeyType;
use widetui_format::catalog::Catalog;
use widetui_format::catalog::encode::Encoder;
use widetui_format::catalog::keys::KeySpec;
use widetui_format::json::dialect::JsonSpec;
use widetui_format::json::reader::JsonReader;
use widetui_format::layout::Layout;
use widetui_format::load::json_lines::{JsonCache, JsonLoader};
use widetui_format::load::lines::{Chunk, Growth, LineCache, LineLoader};
use widetui_format::messages::scope::{MessagePattern, Mining, Scope};
use widetui_format::pattern::Pattern;
use widetui_format::reader::{Reader, Syntax};
use widetui_source::text::MemoryText;
use widetui_store::builder::SegmentBuilder;
use widetui_store::part_stats::PartStats;
use widetui_store::source::Zoning;
use widetui_store::{Snapshot, Source, SourceTraits};

/// Description of a source: its tag, the block in its path, whether it is JSON, and its records.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) tag: String,
    pub(crate) block: Option<u32>,
    pub(crate) json: bool,
    pub(crate) records: Vec<String>,
    /// Record before which the source is split into two segments.
    pub(crate) cut: usize,
}

fn tables() -> Catalog {
    let tables = Catalog::default();
    let of = |kind, deferred| KeySpec {
        kind,
        deferred,
        ..KeySpec::default()
    };
    tables
        .keys
        .define("sys.task", of(KeyType::Int, false), &["task_id".into()]);
    tables.keys.define("sys.id", of(KeyType::Bytes, false), &[]);
    tables
        .keys
        .define("sys.load", of(KeyType::Float, true), &[]);
    tables
}

fn pattern(tables: &Catalog, text: &str, consts: &[(&str, &str)]) -> MessagePattern {
    let pattern = Pattern::compile(text).unwrap();
    MessagePattern {
        level: None,
        keys: pattern
            .fields
            .iter()
            .map(|f| (!f.name.is_empty()).then(|| tables.keys.get(&f.name).unwrap()))
            .collect(),
        pattern,
        consts: consts
            .iter()
            .map(|(k, v)| {
                let key = tables.keys.get(k).unwrap();
                (key.id, key.code(v))
            })
            .collect(),
        same: Vec::new(),
        continuation: Vec::new(),
    }
}

/// Text lines `12:00:01.5 INFO main task 5 ...`, or JSON objects.
fn readers(tables: &Catalog) -> (Arc<Reader>, Arc<Reader>) {
    let scope = |id| {
        let messages = vec![
            pattern(
                tables,
                "Task {sys.task:int} is {sys.state:state}",
                &[("event", "state")],
            ),
            pattern(tables, "Sent tasks: [{sys.task:list}] to {sys.id}", &[]),
            pattern(tables, "load {sys.load:float} of {sys.task:int}", &[]),
        ];
        Arc::new(Scope::new(id, messages, Mining::On))
    };
    let layout = Layout::compile(
        "t",
        "{time:%Y-%m-%d %H:%M:%S%.f} {level} {logger} {thread} {message}",
        &tables.keys,
    )
    .unwrap();
    let lines = Reader {
        id: 0,
        syntax: Syntax::Lines(vec![Arc::new(layout)]),
        scope: scope(0),
        interleaved: Default::default(),
        local: true,
        reference: 0,
        local_offset: None,
        stray: Vec::new(),
    };
    let spec = JsonSpec {
        name: "test".into(),
        time: vec![("ts".into(), None)],
        level: vec!["level".into()],
        message: vec!["msg".into()],
        ..JsonSpec::default()
    };
    let json = Reader {
        id: 1,
        syntax: Syntax::Json(Arc::new(JsonReader::new(spec.into(), 1))),
        scope: scope(1),
        interleaved: Default::default(),
        local: true,
        reference: 0,
        local_offset: None,
        stray: Vec::new(),
    };
    (Arc::new(lines), Arc::new(json))
}

pub(crate) fn build(plans: &[Plan]) -> Snapshot {
    let tables = Arc::new(tables());
    let (lines, json) = readers(&tables);
    let mut sources = Vec::new();
    let mut builders = [SegmentBuilder::default(), SegmentBuilder::default()];
    let mut encoder = Encoder::default();
    let (mut line_cache, mut json_cache) = (LineCache::default(), JsonCache::default());
    for (index, plan) in plans.iter().enumerate() {
        let id = SourceId(index as u32);
        let reader = if plan.json { &json } else { &lines };
        let ended: Vec<String> = plan.records.iter().map(|r| format!("{r}\n")).collect();
        let cut = plan.cut.min(ended.len());
        let mut base = 0;
        let halves = [ended[..cut].concat(), ended[cut..].concat()];
        for (half, text) in halves.iter().enumerate() {
            let chunk = Chunk {
                text: text.as_bytes(),
                offset: base,
                first: half == 0,
                after: halves.get(half + 1).map_or(&[], |after| after.as_bytes()),
                growth: Growth::Complete,
            };
            let builder = &mut builders[half];
            builder.begin(id, base, half as u32);
            let mut sink = builder.sink(&tables);
            match &reader.syntax {
                Syntax::Lines(layouts) => {
                    LineLoader {
                        tables: &tables,
                        encoder: &mut encoder,
                        cache: &mut line_cache,
                        reader,
                        layouts,
                    }
                    .load(chunk, &mut sink);
                }
                Syntax::Json(json) => JsonLoader {
                    tables: &tables,
                    encoder: &mut encoder,
                    cache: &mut json_cache,
                    reader,
                    json,
                }
                .load(chunk, &mut sink),
            }
            base += text.len() as u64;
            builders[half].end(base);
        }
        let consts: Vec<_> = plan
            .block
            .map(|b| {
                let key = tables.keys.get("block").unwrap();
                (key.id, key.code(&b.to_string()))
            })
            .into_iter()
            .collect();
        sources.push(Source {
            id,
            path: format!("/run/{}.log", plan.tag),
            tag: plan.tag.clone(),
            kind: String::new(),
            system: None,
            layout: String::new(),
            is_log: true,
            traits: SourceTraits::default(),
            bytes: base,
            modified: 0,
            text: Arc::new(MemoryText(ended.concat().into_bytes())),
            reader: Some(reader.clone()),
            consts: consts.into(),
            zoning: Zoning::Stated,
            shift: 0,
            stated_offset: None,
            coarse: false,
            stats: PartStats::default(),
            problems: Vec::new(),
        });
    }
    let mut segments = Vec::new();
    for mut builder in builders {
        let (sealed, reports) = builder.finish(&tables);
        segments.extend(sealed.into_iter().map(Arc::new));
        for report in reports {
            sources[report.source.index()].stats.add(&report.stats);
        }
    }
    Snapshot::build(sources, segments, tables, true, &Cancel::default()).unwrap()
}

/// A text source with these messages, one per second from noon.
pub(crate) fn text_source(tag: &str, block: Option<u32>, messages: &[&str]) -> Plan {
    let records = messages.iter().enumerate().map(|(i, m)| {
        let level = ["INFO", "WARNING", "ERROR"][i % 3];
        format!("2026-11-21 12:00:{i:02}.000 {level} app.core main {m}")
    });
    Plan {
        tag: tag.into(),
        block,
        json: false,
        records: records.collect(),
        cut: messages.len() / 2,
    }
}

//! State of one loader thread across units: dictionaries, caches, a segment under construction.

use rustc_hash::FxHashMap;

use widetui_core::bytes::strip_bom;
use widetui_core::ids::SourceId;
use widetui_format::catalog::Catalog;
use widetui_format::catalog::encode::Encoder;
use widetui_format::load::json_lines::{JsonCache, JsonLoader};
use widetui_format::load::lines::{Chunk, LineCache, LineLoader};
use widetui_format::reader::{Reader, Syntax};
use widetui_store::builder::SegmentBuilder;

/// Caches of one loader thread; any worker can process any unit.
#[derive(Default)]
pub(crate) struct Worker {
    encoder: Encoder,
    lines: FxHashMap<u32, LineCache>,
    json: FxHashMap<u32, JsonCache>,
    /// The segment under construction.
    pub(crate) builder: SegmentBuilder,
    /// Buffer for file contents.
    pub(crate) buffer: Vec<u8>,
}

/// Skips a byte order mark at the start of a source.
fn of_records(chunk: Chunk<'_>) -> Chunk<'_> {
    match chunk.offset {
        0 => {
            let text = strip_bom(chunk.text);
            Chunk {
                text,
                offset: (chunk.text.len() - text.len()) as u64,
                ..chunk
            }
        }
        _ => chunk,
    }
}

/// Number of readers from which the caches are cleared.
const MANY_READERS: usize = 256;

impl Worker {
    /// Reads a part of a source into the builder; `seq` orders the parts of a source. Returns the byte up to which it
    /// was read: the end or, for a growing source, the start of a last record that may get continuation lines with
    /// values.
    pub(crate) fn load(
        &mut self,
        tables: &Catalog,
        reader: &Reader,
        source: SourceId,
        seq: u32,
        chunk: Chunk<'_>,
    ) -> u64 {
        let end = chunk.offset + chunk.text.len() as u64;
        let mut stopped = None;
        self.builder.begin(source, chunk.offset, seq);
        let chunk = of_records(chunk);
        let mut sink = self.builder.sink(tables);
        match &reader.syntax {
            Syntax::Lines(layouts) => {
                if self.lines.len() > MANY_READERS {
                    self.lines.clear();
                }
                let mut loader = LineLoader {
                    tables,
                    encoder: &mut self.encoder,
                    cache: self.lines.entry(reader.id).or_default(),
                    reader,
                    layouts,
                };
                stopped = loader.load(chunk, &mut sink);
            }
            Syntax::Json(json) => {
                if self.json.len() > MANY_READERS {
                    self.json.clear();
                }
                let mut loader = JsonLoader {
                    tables,
                    encoder: &mut self.encoder,
                    cache: self.json.entry(reader.id).or_default(),
                    reader,
                    json,
                };
                loader.load(chunk, &mut sink);
            }
        }
        let end = stopped.unwrap_or(end);
        self.builder.end(end);
        end
    }
}

//! What one loader thread keeps from unit to unit: dictionaries, caches, a segment under construction.

use rustc_hash::FxHashMap;

use widetui_core::bytes::unmarked;
use widetui_core::ids::SourceId;
use widetui_format::catalog::Catalog;
use widetui_format::catalog::encode::Encoder;
use widetui_format::load::json_lines::{JsonCache, JsonLoader};
use widetui_format::load::lines::{Chunk, LineCache, LineLoader};
use widetui_format::reader::{Reader, Syntax};
use widetui_store::builder::SegmentBuilder;

/// The state of one loader thread. Caches only: any worker may take any unit.
#[derive(Default)]
pub(crate) struct Worker {
    encoder: Encoder,
    lines: FxHashMap<u32, LineCache>,
    json: FxHashMap<u32, JsonCache>,
    /// The segment under construction.
    pub(crate) builder: SegmentBuilder,
    /// Room for what is read from a file.
    pub(crate) buffer: Vec<u8>,
}

/// What of a chunk may be records: the mark before the text of a source is of none.
fn of_records(chunk: Chunk<'_>) -> Chunk<'_> {
    match chunk.offset {
        0 => {
            let text = unmarked(chunk.text);
            Chunk {
                text,
                offset: (chunk.text.len() - text.len()) as u64,
                ..chunk
            }
        }
        _ => chunk,
    }
}

/// A source met more readers than this: start the caches anew.
const MANY_READERS: usize = 256;

impl Worker {
    /// Reads a stretch of a source into the builder. `seq` orders the stretches of a source. Gives the byte up to which it
    /// was read: its end, or, of a source that grows, the start of a last record that may still be told more of.
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

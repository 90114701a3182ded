//! Standard input: text, or a compressed stream, an archive or a database that is piped in.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use rayon::Scope;

use widetui_core::ids::SourceId;
use widetui_source::head::FirstBytes;
use widetui_source::sniff::{Sniffed, sniff};
use widetui_source::spool::SpoolText;

use crate::detector::{RecordOwner, Verdict};
use crate::load_context::LoadContext;
use crate::numbering_gate::NumberingGate;
use crate::options::STDIN;
use crate::parquet_files;
use crate::paused_input::PausedInput;
use crate::source_entries::{attach, enter, trouble};
use crate::stream_pieces::{Blocking, Pieces, TimeoutReader};
use crate::stream_source::{Retain, StreamEnd, read_pieces, read_stream};
use crate::table_source::Holder;
use crate::tables::{read_database_stream, read_rows};

/// Standard input: its first bytes, and the rest.
#[derive(Debug)]
pub(super) struct Piped {
    first: FirstBytes,
    input: TimeoutReader,
}

pub(super) fn read_stdin<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    id: SourceId,
    gate: &NumberingGate<Piped>,
) {
    match TimeoutReader::new(std::io::stdin(), Duration::from_millis(150)) {
        Ok(input) => read_input(scope, shared, id, gate, input),
        Err(error) => trouble(shared, id, None, format!("cannot be read: {error}")),
    }
}

/// Reads standard input to its end or, if files are followed, up to its first pause.
pub(super) fn read_input<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    id: SourceId,
    gate: &NumberingGate<Piped>,
    mut input: TimeoutReader,
) {
    // Wait for the first line, then take what is there.
    let mut first = FirstBytes::read(&mut input, 0, &shared.cancel);
    // The text before a read error is still loaded.
    let end = StreamEnd::new(first.bytes.len() as u64, first.failed.take());
    let numbered = match sniff(&first.bytes) {
        Sniffed::Binary(what) => {
            attach(shared, id, what);
            None
        }
        Sniffed::Packed(_) | Sniffed::Tar | Sniffed::Zip | Sniffed::Sqlite | Sniffed::Parquet => {
            Some(Piped { first, input })
        }
        Sniffed::Text | Sniffed::Empty => detect_and_stream(scope, shared, id, first, input),
    };
    if let Some(piped) = numbered.and_then(|piped| gate.ask(piped)) {
        read_numbered(scope, shared, id, piped);
    }
    break_off(shared, id, end);
}

/// Reads input that contains sources, which get numbers of their own.
pub(super) fn read_numbered<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    id: SourceId,
    Piped { first, mut input }: Piped,
) {
    match sniff(&first.bytes) {
        Sniffed::Packed(_) | Sniffed::Tar | Sniffed::Zip => {
            let all = std::io::Cursor::new(first.bytes).chain(Blocking(input));
            crate::archive::read_piped(scope, shared, id, all);
        }
        Sniffed::Sqlite => {
            let all = std::io::Cursor::new(first.bytes).chain(Blocking(input));
            read_database_stream(scope, shared, piped(shared, id), all);
        }
        Sniffed::Parquet => {
            let all = std::io::Cursor::new(first.bytes).chain(Blocking(input));
            parquet_files::read_stream(scope, shared, piped(shared, id), all);
        }
        _ => {
            let modified = shared.stdin_modified;
            let verdict = shared.detector.detect(STDIN, first.head(), modified);
            input.give_back(first.bytes);
            if let Verdict::Rows(rows) = verdict {
                read_rows(scope, shared, piped(shared, id), rows, input);
            }
        }
    }
}

/// Standard input as a holder of tables.
fn piped<'a>(shared: &LoadContext, id: SourceId) -> Holder<'a> {
    Holder {
        id,
        name: STDIN,
        modified: shared.stdin_modified,
        origin: RecordOwner::Run,
    }
}

/// Reads text that is one source; returns the input if it contains tables, which are sources of their own.
fn detect_and_stream<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    id: SourceId,
    first: FirstBytes,
    mut input: TimeoutReader,
) -> Option<Piped> {
    let modified = shared.stdin_modified;
    let verdict = shared.detector.detect(STDIN, first.head(), modified);
    if matches!(verdict, Verdict::Rows(_)) && !shared.follows {
        return Some(Piped { first, input });
    }
    input.give_back(first.bytes);
    let text = Arc::new(SpoolText::new(shared.spool.clone()));
    match verdict {
        Verdict::Log(log) if shared.follows => {
            let mut pieces = Pieces::new(input);
            enter(shared, id, &log, Some(text.clone()));
            let kept = Some(text.clone());
            let end = read_pieces(scope, shared, (id, &log), &mut pieces, kept);
            let to = end.paused_at.unwrap_or(end.bytes);
            shared.update(|h| {
                let reader = h.drafts.get_mut(&id.0).map(|draft| &mut draft.reader);
                reader.map(|reader| reader.read_to = to)
            });
            break_off(shared, id, end);
            input = pieces.into_reader();
        }
        Verdict::Log(log) => {
            let pieces = Pieces::new(Blocking(input));
            let end = read_stream(scope, shared, (id, &log), pieces, Retain::Text);
            break_off(shared, id, end);
            return None;
        }
        Verdict::Attachment(what) if !shared.follows => {
            attach(shared, id, &what);
            return None;
        }
        Verdict::Attachment(_) | Verdict::Rows(_) => {}
    }
    // The follower reads the rest as it comes.
    input.shorten_timeout();
    let rest = input;
    shared.update(|h| h.paused_input = Some(PausedInput { id, text, rest }));
    None
}

fn break_off(shared: &LoadContext, id: SourceId, end: StreamEnd) {
    if let Some(error) = end.failed {
        trouble(shared, id, Some(end.bytes), broke_off(&error));
    }
}

/// Problem of standard input that ended with an error.
pub(super) fn broke_off(error: &std::io::Error) -> String {
    format!("standard input broke off: {error}")
}

//! Small made logs for tests.

use widetui_core::ids::EventId;
use widetui_core::level::Level;

use super::batch::{Batch, RawRecord};
use super::records::Records;
use super::selection::Selection;
use super::sources::{SourceName, names_of};

/// Records of lines `SECONDS SOURCE LEVEL text`; the level is `-` for none, the time `-` for none. `\n` stands for a new line.
/// A source `a.log@loader-2` has the thread `loader-2`.
pub(crate) fn records(lines: &[&str]) -> Records {
    let mut sources: Vec<SourceName> = Vec::new();
    let mut read = Vec::new();
    for line in lines {
        let mut parts = line.splitn(4, ' ');
        let mut part = || parts.next().unwrap().to_owned();
        let (time, source, level, text) = (part(), part(), part(), part());
        let (source, thread) = match source.split_once('@') {
            Some((source, thread)) => (source.to_owned(), thread.to_owned()),
            None => (source, String::new()),
        };
        let at = sources.iter().position(|s| s.path == source);
        let at = at.unwrap_or_else(|| {
            sources.push(SourceName { path: source });
            sources.len() - 1
        });
        let time = time.parse::<f64>().ok().map(|s| (s * 1e9) as i64);
        read.push((time, at as u32, level, text.replace("\\n", "\n"), thread));
    }
    let mut order: Vec<u32> = (0..read.len() as u32).collect();
    order.sort_by_key(|i| read[*i as usize].0.unwrap_or(i64::MAX));
    let names = names_of(&sources);
    let mut batch = Batch::default();
    for (i, (time, source, level, text, thread)) in read.iter().enumerate() {
        let key = [batch.key("thread", thread)];
        batch.add(
            &RawRecord {
                event: EventId(i as u32),
                source: *source,
                time: *time,
                level: Level::parse(level.to_lowercase().as_bytes()).unwrap_or_default(),
                text,
                keys: if thread.is_empty() { &[] } else { &key },
                weight: 1.0,
            },
            &names,
        );
    }
    Records::new(
        sources,
        vec![batch],
        order.into_iter().map(EventId),
        Vec::new(),
        &Selection::whole(read.len()),
    )
}

/// Lines of a text, without indentation and empty ones.
pub(crate) fn made(text: &str) -> Records {
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .collect();
    records(&lines)
}

/// Name of an instance.
pub(crate) fn name(records: &Records, index: u32) -> String {
    format!("{} {}", records.class(index), records.value(index))
}

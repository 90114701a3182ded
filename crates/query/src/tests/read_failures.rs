//! Sources that cannot be read again: the snapshot reports them.

use std::io;
use std::sync::Arc;

use crate::tests::store::{build, text_source};
use crate::{Expr, Field, Op, select, values};
use widetui_core::cancel::Cancel;
use widetui_source::text::Text;
use widetui_store::{Snapshot, Source};

/// A source that fails, or ends, after this many bytes.
#[derive(Debug)]
struct Broken {
    text: Arc<dyn Text>,
    good: u64,
    fails: bool,
}

impl Text for Broken {
    fn len(&self) -> u64 {
        self.text.len()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        let end = offset + buf.len() as u64;
        if end <= self.good {
            return self.text.read_at(offset, buf);
        }
        match self.fails {
            true => Err(io::Error::other("the disk is gone")),
            false => Ok(self.good.saturating_sub(offset) as usize),
        }
    }
}

/// Two sources; reading the second fails after `good` bytes.
fn run(good: u64, fails: bool) -> Snapshot {
    let messages: Vec<String> = (0..40).map(|n| format!("load {n}.5 of 3")).collect();
    let messages: Vec<&str> = messages.iter().map(String::as_str).collect();
    let run = build(&[
        text_source("m", None, &["load 1.5 of 3"]),
        text_source("w/0", None, &messages),
    ]);
    let sources = run.sources.iter().map(|source| match &*source.tag {
        "w/0" => Arc::new(Source {
            text: Arc::new(Broken {
                text: source.text.clone(),
                good,
                fails,
            }),
            ..(**source).clone()
        }),
        _ => source.clone(),
    });
    Snapshot {
        sources: sources.collect(),
        ..run.clone()
    }
}

fn reported_failures(run: &Snapshot) -> Vec<String> {
    run.read_failures
        .take()
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn read_failures_are_reported_with_the_result() {
    let cancel = Cancel::default();
    let numbers = Expr::compare(Field::Message, Op::Match, "7.5 of");
    let among = Expr::all_of([
        numbers.clone(),
        // Few records are undecided, so they are read one by one.
        Expr::compare(Field::Time, Op::Lt, "2026-11-21T12:00:02Z"),
    ]);
    let load = Field::key("sys.load");
    for fails in [true, false] {
        let error = match fails {
            true => "the disk is gone",
            false => "the file is shorter than it was when it was read",
        };
        let error = [format!("/run/w/0.log cannot be read again: {error}")];
        let run = run(20, fails);
        assert!(reported_failures(&run).is_empty());
        for expr in [&numbers, &among] {
            let found = select(&run, expr, &cancel).unwrap();
            assert_eq!(found.len(), 0, "{expr}");
            assert_eq!(reported_failures(&run), error, "{expr}");
            assert!(reported_failures(&run).is_empty(), "told once");
        }
        assert_eq!(values(&run, &load, None, &cancel).unwrap().len(), 1);
        assert_eq!(reported_failures(&run), error);
        // A query that needs no text reports nothing.
        let all = Expr::compare(Field::Source, Op::Eq, "w/0");
        assert_eq!(select(&run, &all, &cancel).unwrap().len(), 40);
        assert!(reported_failures(&run).is_empty());
    }
    let whole = run(u64::MAX, true);
    assert_eq!(select(&whole, &numbers, &cancel).unwrap().len(), 4);
    assert!(reported_failures(&whole).is_empty());
}

//! Batches of small archive members, parsed on another thread while the archive is read.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::Scope;

use widetui_core::ids::SourceId;
use widetui_format::load::lines::{Chunk, Growth};
use widetui_source::spool::SpoolText;

use crate::chunk::CHUNK;
use crate::detector::Log;
use crate::load_context::LoadContext;
use crate::source_entries::not_kept;

/// Maximum number of members in a batch.
const MEMBERS: usize = 256;

/// Maximum number of batches that wait to be parsed.
const WAITING: usize = 6;

/// Small member that waits to be parsed.
pub(super) struct Member {
    pub(crate) id: SourceId,
    pub(crate) log: Log,
    pub(crate) bytes: Vec<u8>,
    /// Store for its text; `None` if it can be read in the archive's file.
    pub(crate) keep: Option<Arc<SpoolText>>,
}

/// Batch under construction.
#[derive(Default)]
pub(super) struct Batch {
    members: Vec<Member>,
    bytes: u64,
    waiting: Arc<AtomicUsize>,
}

impl Batch {
    /// Adds a member; hands over a full batch.
    pub(crate) fn add<'s>(&mut self, scope: &Scope<'s>, shared: &'s LoadContext, member: Member) {
        self.bytes += member.bytes.len() as u64;
        self.members.push(member);
        if self.bytes >= CHUNK || self.members.len() >= MEMBERS {
            self.hand_over(scope, shared);
        }
    }

    /// Parses the batch on another thread, or here if enough batches wait.
    pub(crate) fn hand_over<'s>(&mut self, scope: &Scope<'s>, shared: &'s LoadContext) {
        if self.waiting.load(Ordering::Relaxed) >= WAITING {
            return self.parse_here(shared);
        }
        let members = std::mem::take(&mut self.members);
        self.bytes = 0;
        if members.is_empty() {
            return;
        }
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let waiting = self.waiting.clone();
        scope.spawn(move |_| {
            parse(shared, members);
            waiting.fetch_sub(1, Ordering::Relaxed);
        });
    }

    /// Parses the batch on this thread.
    pub(crate) fn parse_here(&mut self, shared: &LoadContext) {
        self.bytes = 0;
        parse(shared, std::mem::take(&mut self.members));
    }
}

fn parse(shared: &LoadContext, members: Vec<Member>) {
    let Some(first) = members.first().map(|m| m.id.0) else {
        return;
    };
    shared.with_worker(|worker| {
        for member in &members {
            if let Some(keep) = &member.keep {
                let lost = keep.keep(0, &member.bytes);
                not_kept(shared, member.id, lost);
            }
            let chunk = Chunk {
                text: &member.bytes,
                offset: 0,
                first: true,
                after: &[],
                growth: Growth::Complete,
            };
            worker.load(&shared.tables, &member.log.reader, member.id, 0, chunk);
        }
        shared.finish_unit(worker, (first, 0));
    });
}

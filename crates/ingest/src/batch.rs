//! Small members of archives, parsed together on another thread while the archive is read on.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::Scope;

use widetui_core::ids::SourceId;
use widetui_format::load::lines::{Behind, Chunk};
use widetui_source::spool::SpoolText;

use crate::chunk::CHUNK;
use crate::detector::Log;
use crate::load_context::LoadContext;
use crate::source_entries::not_kept;

/// Members that one thread parses together.
const MEMBERS: usize = 256;

/// Batches that may wait to be parsed.
const WAITING: usize = 6;

/// A small member that waits to be parsed.
pub(super) struct Member {
    pub(crate) id: SourceId,
    pub(crate) log: Log,
    pub(crate) bytes: Vec<u8>,
    /// Where to keep it; `None` when it can be read in the archive's file as it stands.
    pub(crate) keep: Option<Arc<SpoolText>>,
}

/// Members that are collected.
#[derive(Default)]
pub(super) struct Batch {
    members: Vec<Member>,
    bytes: u64,
    waiting: Arc<AtomicUsize>,
}

impl Batch {
    /// Adds a member; hands all over when they are enough.
    pub(crate) fn add<'s>(&mut self, scope: &Scope<'s>, shared: &'s LoadContext, member: Member) {
        self.bytes += member.bytes.len() as u64;
        self.members.push(member);
        if self.bytes >= CHUNK || self.members.len() >= MEMBERS {
            self.hand_over(scope, shared);
        }
    }

    /// Parses what is collected on another thread, or here when enough of them wait already.
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

    /// Parses what is collected on this thread.
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
                behind: Behind::Nothing,
            };
            worker.load(&shared.tables, &member.log.reader, member.id, 0, chunk);
        }
        shared.finish(worker, (first, 0));
    });
}

//! Reader of the members of a tar or zip archive: each becomes a source, read like a file.

use std::collections::HashSet;
use std::io::Read;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::archive::member_name::member_name;
use crate::source_entries::attach;
use crate::stream_source::{Counted, RewoundStream};
use widetui_source::file::FileText;
use widetui_source::limits::Metered;
use widetui_source::spool::SpoolText;
use widetui_source::tar_archive;
use widetui_source::text::{MemoryText, Text};
use widetui_source::zip_archive;

use super::{ArchiveOutcome, ArchiveReader, FileRange, Item};

impl<'s> ArchiveReader<'_, 's> {
    pub(super) fn tar(&mut self, item: Item, stream: &mut RewoundStream<'_>) -> ArchiveOutcome {
        self.list(&item, "tar");
        let mut names = HashSet::new();
        let result = tar_archive::each_member(stream, |member, bytes| {
            let at = member
                .start
                .zip(item.at.as_ref())
                .map(|(start, at)| FileRange {
                    path: at.path.clone(),
                    start: at.start + start,
                    len: member.size,
                });
            let name = String::from_utf8_lossy(&member.name);
            let Some(mut inner) = self.member(&item, &name, member.size, member.modified, at)
            else {
                return ControlFlow::Break(());
            };
            if let Some(target) = &member.link {
                let target = member_name(&String::from_utf8_lossy(target));
                let what =
                    format!("another name of {target} (a hard link), whose records are read there");
                if names.contains(&target) {
                    attach(self.shared, inner.id, &what);
                } else {
                    let text = format!(
                        "is another name of {target} (a hard link), which is not in the archive before it"
                    );
                    self.trouble(inner.id, None, text);
                }
                return ControlFlow::Continue(());
            }
            names.insert(member_name(&name));
            inner.stated_len = Some(member.size);
            if inner.at.is_none()
                && let Err(error) = self.account.check_stated_len(member.size)
            {
                self.trouble(inner.id, None, error.to_string());
                self.trouble(item.id, None, error.to_string());
                return ControlFlow::Break(());
            }
            if member.start.is_some() {
                self.read(inner, bytes);
            } else {
                // The holes of a sparse file take no space in the archive, so the limits must count the expanded bytes.
                self.read(inner, &mut Metered::new(bytes, self.account));
            }
            ControlFlow::Continue(())
        });
        if let Err(failed) = result {
            let text = self.broken("the archive", &failed.error);
            self.trouble(item.id, Some(failed.offset), text);
        }
        ArchiveOutcome::Read
    }

    pub(super) fn zip(&mut self, item: Item, stream: &mut RewoundStream<'_>) -> ArchiveOutcome {
        self.list(&item, "zip");
        let archive: Arc<dyn Text> = match &item.at {
            Some(at) => Arc::new(FileText::new(
                at.path.clone(),
                self.shared.pool.clone(),
                at.start,
                at.len,
            )),
            // The central directory is at the end of a zip file: the whole archive is kept until its members are read.
            None => {
                let kept = Arc::new(SpoolText::new(self.shared.spool.clone()));
                if let Err(error) = kept.fill(stream) {
                    let text = self.broken(&item.inside, &error);
                    self.trouble(item.id, Some(kept.len()), text);
                }
                kept
            }
        };
        let listing = zip_archive::list(&archive, self.account.remaining_members());
        if let Some((offset, text)) = listing.problem {
            self.trouble(item.id, offset, text);
        }
        for member in &listing.members {
            if self.account.closed().is_some() {
                break;
            }
            let place = zip_archive::locate(&*archive, member);
            let at = match (&place, &item.at) {
                (Ok(place), Some(at)) if place.stored => Some(FileRange {
                    path: at.path.clone(),
                    start: at.start + place.start,
                    len: member.packed,
                }),
                _ => None,
            };
            let Some(inner) = self.member(&item, &member.name, member.size, member.modified, at)
            else {
                return ArchiveOutcome::Read;
            };
            match place {
                Ok(place) => {
                    let watch = |window| -> Box<dyn Read + 's> {
                        if item.is_zip_file() {
                            Box::new(Counted::new(window, self.shared))
                        } else {
                            Box::new(window)
                        }
                    };
                    let bytes = zip_archive::open(&archive, member, &place, watch);
                    self.read(inner, &mut Metered::new(bytes, self.account));
                }
                Err(text) => self.trouble(inner.id, None, text),
            }
        }
        if let Some(limit) = self.account.closed() {
            self.trouble(item.id, None, limit.to_owned());
        }
        ArchiveOutcome::Read
    }

    fn list(&self, item: &Item, what: &str) {
        let text = format!("{what}{} archive (its members are listed)", item.packing);
        attach(self.shared, item.id, &text);
    }

    /// Registers a member as a source; `None` if cancelled or a limit is reached, so that no further members are read.
    fn member(
        &mut self,
        archive: &Item,
        name: &str,
        size: u64,
        modified: i64,
        at: Option<FileRange>,
    ) -> Option<Item> {
        if self.shared.cancel.is_cancelled() {
            return None;
        }
        if let Err(error) = self.account.add_member() {
            self.trouble(archive.id, None, error.to_string());
            return None;
        }
        let name = format!("{}/{}", archive.name, member_name(name));
        let text: Arc<dyn Text> = match &at {
            Some(at) => Arc::new(FileText::new(
                at.path.clone(),
                self.shared.pool.clone(),
                at.start,
                at.len,
            )),
            None => Arc::<MemoryText>::default(),
        };
        let id = self.shared.update(|h| h.add_child(&name, size, text));
        let mut item = Item::new(id, &name, modified);
        item.depth = archive.depth;
        item.at = at;
        item.inside = "the archive".to_owned();
        Some(item)
    }
}

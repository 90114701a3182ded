//! Kinds of sources whose globs match a path.

use std::cmp::Reverse;
use std::sync::Arc;

use widetui_core::dict::Code;
use widetui_core::ids::KeyId;

use crate::definitions::kinds::{Compiled, SourceKind};
use crate::pattern::glob::{Captures, LazyGlob, PathGlob, components, plain_name};
use crate::pattern::source_tag::tag;

/// Match of a path with a glob of a kind.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The kind.
    pub(crate) kind: Arc<SourceKind>,
    /// Short name of the source.
    pub tag: String,
    /// Values that the path provides.
    pub consts: Vec<(KeyId, Code)>,
    /// Specificity of the glob; among claims of equal specificity the content decides.
    pub(crate) weight: (usize, usize, usize),
    /// Index of the `[[source]]` entry, and of the glob in it.
    glob: (usize, usize),
}

/// Keys whose values are folder names of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderKeys {
    /// Names of keys, each with the level of the folder that names its value: 1 for the folder of the file.
    pub keys: Vec<(String, usize)>,
    /// Whether a folder name contains literal text of the definition, which makes a chance match unlikely.
    pub is_certain: bool,
}

impl Compiled {
    /// Kinds that claim a path, most specific first. A path without a match is tried again under its plain name,
    /// without rotation and compression suffixes.
    pub fn claims(&self, path: &str) -> Vec<Claim> {
        let mut names = components(path);
        let plain = names.last().copied().map(plain_name);
        let mut claims = self.claims_of(&names);
        if claims.is_empty()
            && let (Some(plain), Some(last)) = (plain, names.last_mut())
            && plain != *last
        {
            *last = plain;
            claims = self.claims_of(&names);
        }
        claims.sort_by_key(|c| Reverse(c.weight));
        claims
    }

    fn claims_of(&self, path: &[&str]) -> Vec<Claim> {
        let name = path.last().copied().unwrap_or_default();
        let near = self.globs.near(name);
        let fits = |(slot, at): (usize, usize)| {
            let glob = self.slots.get(slot)?.globs.get(at)?;
            Some((slot, at, glob.for_name(name)?))
        };
        let mut globs: Vec<(usize, usize, &PathGlob)> = near.filter_map(fits).collect();
        globs.sort_unstable_by_key(|(slot, at, _)| (*slot, *at));
        let mut captures = Captures::new();
        let mut claims = Vec::new();
        for of_slot in globs.chunk_by(|a, b| a.0 == b.0) {
            let mut best: Option<((usize, usize), &PathGlob, Captures<'_>)> = None;
            for (slot, at, glob) in of_slot {
                if best
                    .as_ref()
                    .is_none_or(|b| glob.specificity > b.1.specificity)
                    && glob.matches(path, &mut captures)
                {
                    best = Some(((*slot, *at), glob, captures.clone()));
                }
            }
            if let Some((place, glob, captures)) = best {
                claims.push(self.claim(place, glob, &captures));
            }
        }
        claims
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "`place` is that of a glob of an entry"
    )]
    fn claim(&self, place: (usize, usize), glob: &PathGlob, captures: &Captures<'_>) -> Claim {
        let slot = place.0;
        let constant = |(name, value): &(&str, &str)| {
            let key = self.tables.keys.get(name)?;
            Some((key.id, key.code(value)))
        };
        Claim {
            kind: self.kind(slot),
            tag: tag(&self.source(&self.slots[slot]).tag, captures),
            consts: captures.iter().filter_map(constant).collect(),
            weight: glob.specificity,
            glob: place,
        }
    }

    /// Keys that folder names of `path` provide, if the claim that matches `consts` has any.
    pub fn folder_keys(&self, path: &str, consts: &[(KeyId, Code)]) -> FolderKeys {
        let claims = self.claims(path);
        let is_it = |c: &&Claim| c.consts.iter().all(|own| consts.contains(own));
        let claim = claims.iter().find(is_it);
        let glob = claim.and_then(|c| self.slots.get(c.glob.0)?.globs.get(c.glob.1)?.get());
        glob.map_or_else(FolderKeys::default, FolderKeys::of)
    }

    /// All keys that folder names of a kind's paths can provide, each with the level of the folder.
    pub fn folder_keys_of_kind(&self, system: &str, kind: &str) -> Vec<(String, usize)> {
        let slots = self.slots.iter().filter(|slot| {
            self.system_of(slot).name() == system && self.source(slot).kind.get_ref() == kind
        });
        let globs = slots.flat_map(|slot| &slot.globs).filter_map(LazyGlob::get);
        globs.flat_map(|glob| FolderKeys::of(glob).keys).collect()
    }

    /// Whether the records of a kind of source name their run.
    pub fn names_run(&self, system: &str, kind: &str) -> bool {
        let run_keys = self.run_key_names();
        let systems = self.systems.iter().filter(|s| s.name() == system);
        systems.flat_map(|s| &s.def.first).any(|first| {
            (first.kinds.is_empty() || first.kinds.iter().any(|k| k == kind))
                && run_keys.contains(&first.key.get_ref().as_str())
        })
    }

    /// Id of an existing key with this name.
    pub fn known_key(&self, name: &str) -> Option<KeyId> {
        Some(self.tables.keys.find(name)?.id)
    }

    /// Key and code of a constant; adds both if new.
    pub fn constant(&self, name: &str, value: &str) -> Option<(KeyId, Code)> {
        let key = self.tables.keys.get(name)?;
        Some((key.id, key.code(value)))
    }
}

impl FolderKeys {
    fn of(glob: &PathGlob) -> FolderKeys {
        let key = |(name, up): (&str, usize)| (name.to_owned(), up);
        FolderKeys {
            keys: glob.folders().map(key).collect(),
            is_certain: glob.has_folder_text(),
        }
    }
}

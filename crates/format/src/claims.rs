//! Which kinds of sources claim a path.

use std::cmp::Reverse;
use std::sync::Arc;

use widetui_core::dict::Code;
use widetui_core::ids::KeyId;

use super::glob::{Captures, PathGlob, components, plain_name};
use super::kinds::{Compiled, SourceKind};
use super::tag::tag;

/// A kind that claims a path.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The kind.
    pub kind: Arc<SourceKind>,
    /// Short name of the source.
    pub tag: String,
    /// What the path says.
    pub consts: Vec<(KeyId, Code)>,
    /// How much the glob says about the path; claims of equal weight are told apart by content.
    pub weight: (usize, usize, usize),
}

impl Compiled {
    /// The kinds that claim a path, most specific first.
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
            Some((slot, at, self.slots[slot].globs[at].for_name(name)?))
        };
        let mut globs: Vec<(usize, usize, &PathGlob)> = near.filter_map(fits).collect();
        globs.sort_unstable_by_key(|(slot, at, _)| (*slot, *at));
        let mut captures = Captures::new();
        let mut claims = Vec::new();
        for of_slot in globs.chunk_by(|a, b| a.0 == b.0) {
            let mut best: Option<(&PathGlob, Captures<'_>)> = None;
            for (_, _, glob) in of_slot {
                if best
                    .as_ref()
                    .is_none_or(|b| glob.specificity > b.0.specificity)
                    && glob.matches(path, &mut captures)
                {
                    best = Some((glob, captures.clone()));
                }
            }
            if let (Some((glob, captures)), Some((slot, ..))) = (best, of_slot.first()) {
                claims.push(self.claim(*slot, glob, &captures));
            }
        }
        claims
    }

    fn claim(&self, slot: usize, glob: &PathGlob, captures: &Captures<'_>) -> Claim {
        let constant = |(name, value): &(&str, &str)| {
            let key = self.tables.keys.get(name)?;
            Some((key.id, key.code(value)))
        };
        Claim {
            kind: self.kind(slot),
            tag: tag(&self.source(&self.slots[slot]).tag, captures),
            consts: captures.iter().filter_map(constant).collect(),
            weight: glob.specificity,
        }
    }
}

//! Which shapes have a template of their own, and what becomes of the others (see [`crowd`]).

use std::hash::BuildHasher;
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashSet};

use widetui_core::ids::{ShapeId, TemplateId};
use widetui_core::lock;

use super::{Catalog, Inner, Shape, ShapeKey};
use crate::catalog::cardinality::{self, Apart};
use crate::text::token;

/// Where the template of a shape has its text from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Naming {
    /// From the pattern of a definition, or it has none.
    ByPattern,
    /// From the literal text of the message, or from the record.
    ByText,
}

/// Room for one more of something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Room {
    /// There is.
    One,
    /// There is not.
    None,
}

impl Catalog {
    /// The shape of a template that is not shared with other messages. `None` when its scope has too many templates: they
    /// are told apart by `apart` then.
    pub(crate) fn own_shape(
        &self,
        key: ShapeKey,
        naming: Naming,
        make: impl FnOnce(ShapeId) -> Shape,
    ) -> Option<Arc<Shape>> {
        let mut inner = lock::write(&self.inner);
        if let Some(shape) = inner.shape_of.get(&key) {
            return Some(shape.clone());
        }
        let id = ShapeId(inner.shapes.len() as u32);
        let shape = make(id);
        let word = cardinality::first_word(&shape.literals).to_vec();
        let text = FxBuildHasher.hash_one(&key.skeleton);
        let (apart, coarser) = inner.crowds.entry(key.scope).or_default().meet(&word, text);
        for (word, shapes) in coarser.shapes {
            inner.rename(&word, &shapes);
        }
        if apart != Apart::ByText {
            return None;
        }
        if naming == Naming::ByText {
            let crowd = inner.crowds.entry(key.scope).or_default();
            crowd.name(&word, id);
        }
        Some(self.insert(&mut inner, key, |_| shape))
    }

    /// The shape of a record that no pattern fits, of which the usual shape does not say what it has. Its name is that of
    /// its message as long as such messages are told apart.
    pub(crate) fn unnamed_shape(
        &self,
        key: ShapeKey,
        literals: &[Box<[u8]>],
        make: impl FnOnce(ShapeId, TemplateId) -> Shape,
    ) -> Arc<Shape> {
        let mut inner = lock::write(&self.inner);
        if let Some(shape) = inner.shape_of.get(&key) {
            return shape.clone();
        }
        let id = ShapeId(inner.shapes.len() as u32);
        let word = cardinality::first_word(literals).to_vec();
        let crowd = inner.crowds.entry(key.scope).or_default();
        let apart = crowd.apart(&word);
        crowd.name(&word, id);
        let template = match apart {
            Apart::ByText => inner.template(&token::template(literals)),
            Apart::ByWord | Apart::Not => inner.coarse_template(apart.of(&word)),
        };
        self.insert(&mut inner, key, |id| make(id, template))
    }

    /// The shapes whose template stands for all messages that begin alike.
    pub fn coarse_shapes(&self) -> FxHashSet<ShapeId> {
        let inner = lock::read(&self.inner);
        if inner.coarse.is_empty() {
            return FxHashSet::default();
        }
        let shapes = inner.shapes.iter();
        let coarse = shapes.filter(|s| inner.coarse.contains(&s.template));
        coarse.map(|s| s.id).collect()
    }

    /// How the messages of a scope that begin with this word are told apart.
    pub(crate) fn apart(&self, scope: u32, word: &[u8]) -> Apart {
        let inner = lock::read(&self.inner);
        let crowd = inner.crowds.get(&scope);
        crowd.map_or(Apart::ByText, |c| c.apart(word))
    }

    /// Whether a scope has room for one more shape of what was mined from messages that are not told apart; takes it.
    pub(crate) fn room_for_mined(&self, scope: u32) -> Room {
        let mut inner = lock::write(&self.inner);
        let crowd = inner.crowds.entry(scope).or_default();
        if !crowd.has_room() {
            return Room::None;
        }
        crowd.mine();
        Room::One
    }
}

impl Inner {
    /// The template of all messages that begin with a word.
    fn coarse_template(&mut self, word: &[u8]) -> TemplateId {
        let id = self.template(&format!("{}{{}}", String::from_utf8_lossy(word)));
        if !self.coarse.contains(&id) {
            self.coarse.push(id);
        }
        id
    }

    /// Gives shapes the template of all messages that begin with a word.
    fn rename(&mut self, word: &[u8], shapes: &[ShapeId]) {
        if shapes.is_empty() {
            return;
        }
        let template = self.coarse_template(word);
        self.renamed += 1;
        for id in shapes {
            if let Some(shape) = self.shapes.get_mut(id.index()) {
                *shape = Arc::new(Shape {
                    template,
                    ..(**shape).clone()
                });
            }
        }
    }
}

//! Assigns templates to shapes: their own, or a coarser one beyond the cardinality limit (see [`super::cardinality`]).

use std::hash::BuildHasher;
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashSet};

use widetui_core::ids::{ShapeId, TemplateId};
use widetui_core::lock;

use super::{Catalog, Inner, Shape, ShapeKey};
use crate::catalog::cardinality::{self, Granularity};
use crate::text::token;

/// Origin of the text of a shape's template.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Naming {
    /// The pattern of a definition, or there is no message text.
    ByPattern,
    /// The literal text of the message, or the record itself.
    ByText,
}

/// Whether one more item fits a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Room {
    /// It fits.
    Free,
    /// The limit is reached.
    Full,
}

impl Catalog {
    /// Shape with a template of its own. `None` if its scope has reached the cardinality limit and `granularity` merges such
    /// templates.
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
        let (granularity, coarsened) = inner
            .template_sets
            .entry(key.scope)
            .or_default()
            .count_template(&word, text);
        for (word, shapes) in coarsened.shapes {
            inner.rename(&word, &shapes);
        }
        if granularity != Granularity::ByText {
            return None;
        }
        if naming == Naming::ByText {
            let set = inner.template_sets.entry(key.scope).or_default();
            set.add_named(&word, id);
        }
        Some(self.insert(&mut inner, key, |_| shape))
    }

    /// Shape of a record that no pattern matches and whose usual shape lacks some of its columns. It is named by its
    /// message text as long as the cardinality limit allows.
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
        let set = inner.template_sets.entry(key.scope).or_default();
        let granularity = set.granularity(&word);
        set.add_named(&word, id);
        let template = match granularity {
            Granularity::ByText => inner.template(&token::template(literals)),
            Granularity::ByWord | Granularity::Single => {
                inner.coarse_template(granularity.kept_word(&word))
            }
        };
        self.insert(&mut inner, key, |id| make(id, template))
    }

    /// Shapes whose template stands for all messages with the same first word.
    pub fn coarse_shapes(&self) -> FxHashSet<ShapeId> {
        let inner = lock::read(&self.inner);
        if inner.coarse.is_empty() {
            return FxHashSet::default();
        }
        let shapes = inner.shapes.iter();
        let coarse = shapes.filter(|s| inner.coarse.contains(&s.template));
        coarse.map(|s| s.id).collect()
    }

    /// Granularity of the templates of a scope's messages with this first word.
    pub(crate) fn granularity(&self, scope: u32, word: &[u8]) -> Granularity {
        let inner = lock::read(&self.inner);
        let set = inner.template_sets.get(&scope);
        set.map_or(Granularity::ByText, |c| c.granularity(word))
    }

    /// Takes a place for one more shape of keys mined from merged messages in a scope.
    pub(crate) fn room_for_mined(&self, scope: u32) -> Room {
        let mut inner = lock::write(&self.inner);
        let set = inner.template_sets.entry(scope).or_default();
        if !set.has_room() {
            return Room::Full;
        }
        set.count_mined();
        Room::Free
    }
}

impl Inner {
    /// Template of all messages with this first word.
    fn coarse_template(&mut self, word: &[u8]) -> TemplateId {
        let id = self.template(&format!("{}{{}}", String::from_utf8_lossy(word)));
        if !self.coarse.contains(&id) {
            self.coarse.push(id);
        }
        id
    }

    /// Moves shapes to the template of all messages with this first word.
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
